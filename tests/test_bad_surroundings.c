/* Bad input about what is around particles: materials, shapes, fields and volumes. */
#include "bad_input.h"

static void material_numbers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_material_id own = mote_world_default_material(f.world);
    const mote_material_def good = mote_default_material_def();
    mote_material_def bad[11];
    static const char *const words[] = {"density",     "density",     "static_friction", "kinetic_friction",
                                        "restitution", "restitution", "adhesion",        "static_friction",
                                        "name",        "restitution", "compliance"};
    for (int i = 0; i < 11; ++i)
        bad[i] = good;
    bad[0].density = 0;
    bad[1].density = -5;
    bad[2].static_friction = -1;
    bad[3].kinetic_friction = -0.1f;
    bad[4].restitution = 1.1f;
    bad[5].restitution = -0.1f;
    bad[6].adhesion = -1;
    bad[7].static_friction = 0.3f; /* below the kinetic one */
    bad[8].name = "a name that is much longer than 31 bytes";
    bad[9].restitution = NAN;
    bad[10].compliance = -1e-6f;
    for (int i = 0; i < 11; ++i) {
        mote_result expected = i == 9 ? MOTE_ERROR_NOT_FINITE : MOTE_ERROR_ARGUMENT;
        refused_handle(f.world, mote_material_add(f.world, &bad[i]), expected, words[i]);
        refused(f.world, mote_material_set(f.world, own, &bad[i]), expected, words[i]);
    }
    refused_handle(f.world, mote_material_add(f.world, NULL), MOTE_ERROR_ARGUMENT, "def");
    mote_material_def out;
    mote_material_id none = {3, 1}, null = {0, 0};
    refused(f.world, mote_material_get(f.world, none, &out), MOTE_ERROR_STALE_HANDLE, "material");
    refused(f.world, mote_material_get(f.world, null, &out), MOTE_ERROR_STALE_HANDLE, "material");
    refused(f.world, mote_material_set(f.world, none, &good), MOTE_ERROR_STALE_HANDLE, "material");
    while (mote_material_count(f.world) < 256)
        must_exist(mote_material_add(f.world, &good));
    refused_handle(f.world, mote_material_add(f.world, &good), MOTE_ERROR_LIMIT, "256");
    mote_world_destroy(f.world);
}

static void shape_numbers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    const mote_plane_def good = mote_default_plane_def();
    mote_plane_def bad[6];
    static const char *const words[] = {"normal", "normal", "offset", "velocity", "material", "channels"};
    static const mote_result results[] = {MOTE_ERROR_ARGUMENT,   MOTE_ERROR_NOT_FINITE,   MOTE_ERROR_NOT_FINITE,
                                          MOTE_ERROR_NOT_FINITE, MOTE_ERROR_STALE_HANDLE, MOTE_ERROR_ARGUMENT};
    for (int i = 0; i < 6; ++i)
        bad[i] = good;
    bad[0].normal = vec(0, 0, 0);
    bad[1].normal.z = NAN;
    bad[2].offset = INFINITY;
    bad[3].velocity.x = NAN;
    bad[4].material = (mote_material_id){9, 1};
    bad[5].channels = 0x80;
    for (int i = 0; i < 6; ++i) {
        refused_handle(f.world, mote_plane_add(f.world, &bad[i]), results[i], words[i]);
        refused(f.world, mote_plane_set(f.world, f.shape, &bad[i]), results[i], words[i]);
    }
    refused_handle(f.world, mote_plane_add(f.world, NULL), MOTE_ERROR_ARGUMENT, "def");
    mote_world_destroy(f.world);
}

static void field_and_volume_numbers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    const mote_field_def good = mote_default_field_def();
    mote_field_def bad[7];
    static const char *const words[] = {"type",   "center", "direction", "strength",
                                        "radius", "radius", "direction"};
    for (int i = 0; i < 7; ++i)
        bad[i] = good;
    bad[0].type = MOTE_FIELD_COUNT;
    bad[1].center.x = NAN;
    bad[2].direction.y = INFINITY;
    bad[3].strength = NAN;
    bad[4].radius = NAN;
    bad[5].radius = -1;
    bad[6].type = MOTE_FIELD_VORTEX;
    bad[6].direction = vec(0, 0, 0); /* an axis needs a direction */
    for (int i = 0; i < 7; ++i) {
        mote_result expected = i >= 1 && i <= 4 ? MOTE_ERROR_NOT_FINITE : MOTE_ERROR_ARGUMENT;
        refused_handle(f.world, mote_field_add(f.world, &bad[i]), expected, words[i]);
        refused(f.world, mote_field_set(f.world, f.field, &bad[i]), expected, words[i]);
    }
    refused_handle(f.world, mote_field_add(f.world, NULL), MOTE_ERROR_ARGUMENT, "def");
    mote_volume_def volume = mote_default_volume_def();
    volume.type = MOTE_VOLUME_COUNT;
    refused_handle(f.world, mote_volume_add(f.world, &volume), MOTE_ERROR_ARGUMENT, "type");
    volume = mote_default_volume_def();
    volume.min.y = NAN;
    refused_handle(f.world, mote_volume_add(f.world, &volume), MOTE_ERROR_NOT_FINITE, "min");
    volume = mote_default_volume_def();
    volume.max.z = volume.min.z;
    refused_handle(f.world, mote_volume_add(f.world, &volume), MOTE_ERROR_ARGUMENT, "max");
    refused_handle(f.world, mote_volume_add(f.world, NULL), MOTE_ERROR_ARGUMENT, "def");
    mote_world_destroy(f.world);
}

static void other_handles(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_world *w = f.world;
    mote_plane_def plane = mote_default_plane_def();
    mote_field_def field = mote_default_field_def();
    mote_volume_def volume;
    mote_vec3 force;
    const mote_result stale = MOTE_ERROR_STALE_HANDLE;
    const mote_shape_id shapes[] = {f.stale_shape, {0, 0}, {UINT32_MAX, 1}};
    const mote_field_id fields[] = {f.stale_field, {0, 0}, {UINT32_MAX, 1}};
    const mote_volume_id volumes[] = {f.stale_volume, {0, 0}, {UINT32_MAX, 1}};
    for (int i = 0; i < 3; ++i) {
        check_true(!mote_shape_is_valid(w, shapes[i]), "shape %d is not valid", i);
        refused(w, mote_plane_get(w, shapes[i], &plane), stale, "shape");
        refused(w, mote_plane_set(w, shapes[i], &plane), stale, "shape");
        refused(w, mote_shape_remove(w, shapes[i]), stale, "shape");
        refused(w, mote_shape_force(w, shapes[i], &force), stale, "shape");
        check_true(!mote_field_is_valid(w, fields[i]), "field %d is not valid", i);
        refused(w, mote_field_get(w, fields[i], &field), stale, "field");
        refused(w, mote_field_set(w, fields[i], &field), stale, "field");
        refused(w, mote_field_remove(w, fields[i]), stale, "field");
        check_true(!mote_volume_is_valid(w, volumes[i]), "volume %d is not valid", i);
        refused(w, mote_volume_get(w, volumes[i], &volume), stale, "volume");
        refused(w, mote_volume_remove(w, volumes[i]), stale, "volume");
    }
    mote_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(material_numbers),
        cmocka_unit_test(shape_numbers),
        cmocka_unit_test(field_and_volume_numbers),
        cmocka_unit_test(other_handles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
