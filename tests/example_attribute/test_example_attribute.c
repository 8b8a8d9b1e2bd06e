/* An attribute that is not of the library (heat_attribute.h) goes with its particle, is saved, restored, hashed and
 * exported as the library's own are: all of that comes from its row. */
#include "impulse_world.h"
#include "io/export.h"
#include "temp_folder.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAINS 200
#define USUAL  293.15f /* K */

static uint32_t heat(void)
{
    uint32_t attribute = UINT32_MAX;
    check_true(mote_attribute_find("temperature", &attribute), "it is in the list");
    return attribute;
}

/* By how a particle is called, so that any mistake shows. */
static float own_heat(mote_particle_id id)
{
    return 300.0f + (float)id.index;
}

static float read_heat(const mote_world *world, mote_particle_id id)
{
    float value = 0;
    must(mote_particles_read_attribute(world, heat(), &id, 1, &value));
    return value;
}

static void set_heat(mote_world *world, mote_particle_id id)
{
    float value = own_heat(id);
    must(mote_particles_write_attribute(world, heat(), &id, 1, &value));
}

static mote_world *grains(mote_particle_id ids[GRAINS])
{
    mote_world *world = impulse_world();
    uint64_t random = 3;
    for (uint32_t i = 0; i < GRAINS; i++)
        ids[i] = add_particle(
            world,
            vec(random_between(&random, -1, 1), random_between(&random, 0, 3), random_between(&random, -1, 1)),
            vec(random_between(&random, -3, 3), 0, 0), (mote_material_id){0});
    return world;
}

static void check_heats(const mote_world *world, const mote_particle_id ids[GRAINS], const char *when)
{
    for (uint32_t i = 0; i < GRAINS; i++)
        if (mote_particle_is_valid(world, ids[i]))
            check_near((double)read_heat(world, ids[i]), (double)own_heat(ids[i]), 0, "K of particle %u, %s", i,
                       when);
}

static void it_is_listed_and_refused(void **state)
{
    (void)state;
    mote_particle_id ids[GRAINS];
    mote_world *world = grains(ids);
    const mote_attribute_info *info = mote_attribute_info_of(heat());
    assert_string_equal(info->name, "temperature");
    assert_string_equal(info->unit, "K");
    assert_null(mote_attribute_info_of(mote_attribute_count()));
    check_near((double)read_heat(world, ids[0]), (double)USUAL, 0, "K of a new particle");
    float cold = -1.0f;
    assert_int_equal(mote_particles_write_attribute(world, heat(), &ids[0], 1, &cold), MOTE_ERROR_ARGUMENT);
    assert_non_null(strstr(mote_last_error(), "temperature"));
    check_near((double)read_heat(world, ids[0]), (double)USUAL, 0, "K of it now");
    mote_world_destroy(world);
}

/* Slots are sorted anew in every step, and the last particle takes the place of one that goes. */
static void it_goes_with_its_particle(void **state)
{
    (void)state;
    mote_particle_id ids[GRAINS];
    mote_world *world = grains(ids);
    for (uint32_t i = 0; i < GRAINS; i++)
        set_heat(world, ids[i]);
    for (uint32_t n = 0; n < 20; n++) {
        step_times(world, 1, TEST_FRAME);
        must(mote_particle_remove(world, ids[7 * n]));
        check_heats(world, ids, "on the way");
    }
    mote_particle_id fresh = add_particle(world, vec(5, 5, 5), vec(0, 0, 0), (mote_material_id){0});
    check_near((double)read_heat(world, fresh), (double)USUAL, 0, "K of one in a place that was used before");
    check_near((double)mt_temperatures(world)[mote_particle_count(world) - 1], (double)USUAL, 0,
               "K as a kernel reads it");
    mote_world_destroy(world);
}

static void it_is_hashed(void **state)
{
    (void)state;
    mote_particle_id ids[GRAINS];
    mote_world *world = grains(ids);
    uint64_t before = mote_world_hash(world);
    set_heat(world, ids[3]);
    check_true(mote_world_hash(world) != before, "the hash sees it");
    float usual = USUAL;
    must(mote_particles_write_attribute(world, heat(), &ids[3], 1, &usual));
    check_true(mote_world_hash(world) == before, "and a world that does not use it has the hash of before");
    mote_world_destroy(world);
}

static void it_is_saved_and_restored(void **state)
{
    (void)state;
    mote_particle_id ids[GRAINS];
    mote_world *world = grains(ids), *other = impulse_world();
    size_t unused = mote_snapshot_size(world);
    for (uint32_t i = 0; i < GRAINS; i++)
        set_heat(world, ids[i]);
    step_times(world, 5, TEST_FRAME);
    size_t size = mote_snapshot_size(world);
    check_true(size >= unused + GRAINS * sizeof(float), "it takes its room: %zu and %zu bytes", unused, size);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    must(mote_snapshot_take(world, bytes, size, NULL));
    must(mote_snapshot_restore(other, bytes, size));
    check_heats(other, ids, "in a world that was restored");
    check_true(mote_world_hash(world) == mote_world_hash(other), "the same hash");
    step_times(world, 20, TEST_FRAME);
    step_times(other, 20, TEST_FRAME);
    check_true(mote_world_hash(world) == mote_world_hash(other), "and 20 steps later");
    free(bytes);
    mote_world_destroy(world);
    mote_world_destroy(other);
}

static void write_frame(export_format format, const mote_world *world)
{
    char error[EXPORT_ERROR] = "";
    exporter *e = exporter_open(temp_folder, format, 0, 1, error);
    check_true(e != NULL, "%s", error);
    check_true(exporter_add(e, world, 0, 0), "%s", exporter_error(e));
    check_true(exporter_close(e, error), "%s", error);
}

static void it_is_exported(void **state)
{
    (void)state;
    mote_particle_id ids[GRAINS];
    mote_world *world = grains(ids);
    set_heat(world, ids[0]);
    size_t size;
    write_frame(EXPORT_CSV, world);
    char *text = temp_bytes("frame_00000.csv", &size);
    check_true(strstr(text, ",temperature\n0,") != NULL && strstr(text, ",300\n1,") != NULL, "CSV: %.200s",
               text);
    free(text);
    write_frame(EXPORT_PLY, world);
    text = temp_bytes("frame_00000.ply", &size);
    assert_non_null(strstr(text, "property float temperature\nend_header\n"));
    free(text);
    write_frame(EXPORT_VTK, world);
    text = temp_bytes("frame_00000.vtp", &size);
    assert_non_null(strstr(text, "Name=\"temperature\" NumberOfComponents=\"1\""));
    free(text);
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_listed_and_refused),
        cmocka_unit_test(it_goes_with_its_particle),
        cmocka_unit_test(it_is_hashed),
        cmocka_unit_test(it_is_saved_and_restored),
        IN_TEMP_FOLDER(it_is_exported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
