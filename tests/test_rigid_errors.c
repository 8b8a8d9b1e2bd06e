/* What the builders of bodies refuse: the world stays as it is and the error names the fault. */
#include "meshes.h"

#include <math.h>
#include <string.h>

static void refused(mote_world *world, mote_body_id body, mote_result result, const char *words)
{
    check_true(mote_is_null(body), "refused: %s", words);
    check_true(mote_last_result() == result, "result %d for %s", (int)mote_last_result(), words);
    check_true(strstr(mote_last_error(), words) != NULL, "\"%s\" names %s", mote_last_error(), words);
    check_true(mote_particle_count(world) == 0 && mote_body_count(world) == 0, "nothing is added: %s", words);
}

#define WITH(field, value, result, words)                                                                      \
    do {                                                                                                       \
        mote_rigid_def def = mote_default_rigid_def();                                                         \
        def.field = (value);                                                                                   \
        refused(world, mote_rigid_box(world, &def, (const uint32_t[3]){2, 2, 2}), result, words);              \
    } while (0)

static void bad_definitions(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    WITH(radius, 0.0f, MOTE_ERROR_ARGUMENT, "rigid.radius is 0");
    WITH(radius, NAN, MOTE_ERROR_NOT_FINITE, "rigid.radius");
    WITH(spacing, 0.0f, MOTE_ERROR_ARGUMENT, "rigid.spacing is 0");
    WITH(spacing, INFINITY, MOTE_ERROR_NOT_FINITE, "rigid.spacing");
    WITH(mass, -1.0f, MOTE_ERROR_ARGUMENT, "rigid.mass is -1");
    WITH(mass, 1e-12f, MOTE_ERROR_ARGUMENT, "rigid.mass");
    WITH(phase, 0x80000000u, MOTE_ERROR_ARGUMENT, "rigid.phase");
    WITH(mode, MOTE_BODY_MODE_COUNT, MOTE_ERROR_ARGUMENT, "rigid.mode");
    WITH(velocity.y, 2e4f, MOTE_ERROR_ARGUMENT, "rigid.velocity.y is 20000");
    WITH(spin.z, NAN, MOTE_ERROR_NOT_FINITE, "rigid.spin.z");
    WITH(spin.z, 9e5f, MOTE_ERROR_ARGUMENT, "rigid.spin");
    WITH(pose.position.x, NAN, MOTE_ERROR_NOT_FINITE, "rigid.pose.position.x");
    WITH(pose.position.x, 1e6f, MOTE_ERROR_ARGUMENT, "rigid.pose puts");
    WITH(pose.rotation.w, 0.0f, MOTE_ERROR_ARGUMENT, "rigid.pose.rotation");
    WITH(pose.rotation.w, NAN, MOTE_ERROR_NOT_FINITE, "rigid.pose.rotation");
    WITH(material, ((mote_material_id){7, 7}), MOTE_ERROR_STALE_HANDLE, "rigid.material");
    mote_world_destroy(world);
}

static void bad_forms(void **state)
{
    (void)state;
    mote_world_def small = test_world_def(NULL);
    small.max_particles = 1000;
    mote_world *world;
    must(mote_world_create(&small, &world));
    mote_rigid_def def = mote_default_rigid_def();
    const uint32_t none[3] = {2, 0, 2}, many[3] = {100, 100, 100};
    const mote_vec3 bad[2] = {{0, 0, 0}, {0, NAN, 0}}, far[2] = {{0, 0, 0}, {0, 0, 2e6f}};
    test_mesh open = floor_mesh(1, 2), large = box_mesh(vec(5, 5, 5)), dust = torus_mesh(0.05, 0.004, 12, 8);
    mote_mesh open_view = mesh_view(&open), large_view = mesh_view(&large), dust_view = mesh_view(&dust);
    refused(world, mote_rigid_box(NULL, &def, many), MOTE_ERROR_ARGUMENT, "world");
    refused(world, mote_rigid_box(world, NULL, many), MOTE_ERROR_ARGUMENT, "def");
    refused(world, mote_rigid_box(world, &def, NULL), MOTE_ERROR_ARGUMENT, "count");
    refused(world, mote_rigid_box(world, &def, none), MOTE_ERROR_ARGUMENT, "count[1] is 0");
    refused(world, mote_rigid_box(world, &def, many), MOTE_ERROR_LIMIT, "100 x 100 x 100");
    refused(world, mote_rigid_ball(world, &def, 0.04f), MOTE_ERROR_ARGUMENT, "size is 0.04");
    refused(world, mote_rigid_ball(world, &def, 10), MOTE_ERROR_LIMIT, "max_particles");
    refused(world, mote_rigid_ball(world, &def, 0.75f), MOTE_ERROR_LIMIT, "max_particles");
    refused(world, mote_rigid_ball(world, &def, NAN), MOTE_ERROR_NOT_FINITE, "size");
    refused(world, mote_rigid_capsule(world, &def, -1, 0.1f), MOTE_ERROR_ARGUMENT, "half_length is -1");
    refused(world, mote_rigid_capsule(world, &def, 1e6f, 0.05f), MOTE_ERROR_LIMIT, "half_length");
    refused(world, mote_rigid_capsule(world, &def, 1, 0.01f), MOTE_ERROR_ARGUMENT, "thickness is 0.01");
    refused(world, mote_rigid_points(world, &def, NULL, 3), MOTE_ERROR_ARGUMENT, "points is NULL");
    refused(world, mote_rigid_points(world, &def, bad, 0), MOTE_ERROR_ARGUMENT, "count is 0");
    refused(world, mote_rigid_points(world, &def, bad, 2), MOTE_ERROR_NOT_FINITE, "points[1]");
    refused(world, mote_rigid_points(world, &def, far, 2), MOTE_ERROR_ARGUMENT, "points[1]");
    refused(world, mote_rigid_points(world, &def, bad, SIZE_MAX), MOTE_ERROR_LIMIT, "max_particles");
    refused(world, mote_rigid_mesh(world, &def, NULL, MOTE_SAMPLE_SDF), MOTE_ERROR_ARGUMENT, "mesh");
    refused(world, mote_rigid_mesh(world, &def, &open_view, MOTE_SAMPLE_SDF), MOTE_ERROR_MESH, "not closed");
    refused(world, mote_rigid_mesh(world, &def, &large_view, MOTE_SAMPLE_SDF), MOTE_ERROR_LIMIT,
            "max_particles");
    refused(world, mote_rigid_mesh(world, &def, &dust_view, MOTE_SAMPLE_PARITY), MOTE_ERROR_MESH,
            "smaller than a particle");
    refused(world, mote_rigid_mesh(world, &def, &large_view, MOTE_SAMPLE_COUNT), MOTE_ERROR_ARGUMENT, "method");
    mesh_free(&open);
    mesh_free(&large);
    mesh_free(&dust);
    mote_world_destroy(world);
}

/* Whichever allocation fails, the world is as before and nothing is lost. */
static void no_memory(void **state)
{
    (void)state;
    test_mesh box = box_mesh(vec(0.2f, 0.2f, 0.2f));
    mote_mesh mesh = mesh_view(&box);
    bool done = false;
    for (size_t fail = 1; !done && fail < 200; fail++) {
        test_heap heap = {0};
        mote_world_def def = test_world_def(NULL);
        def.allocator = heap_allocator(&heap);
        mote_world *world;
        must(mote_world_create(&def, &world));
        heap.fail_at = heap.calls + fail;
        mote_rigid_def rigid = mote_default_rigid_def();
        mote_body_id body = mote_rigid_mesh(world, &rigid, &mesh, MOTE_SAMPLE_SDF);
        done = !mote_is_null(body);
        if (!done) {
            check_true(mote_last_result() == MOTE_ERROR_MEMORY, "allocation %zu: %s", fail, mote_last_error());
            check_true(mote_particle_count(world) == 0 && mote_body_count(world) == 0, "nothing is added");
        }
        mote_world_destroy(world);
        check_true(heap.live_blocks == 0 && heap.wrong_sizes == 0, "nothing is lost after failure %zu", fail);
    }
    check_true(done, "it works at last");
    mesh_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_definitions),
        cmocka_unit_test(bad_forms),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
