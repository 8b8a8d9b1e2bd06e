/* A kind that is not of the library (area_kinds.h) is made, solved, read, broken, kept in snapshots and refused as the
 * library's own are: all of that comes from its row. */
#include "impulse_world.h"
#include "world/constraints.h"

#include <stdlib.h>
#include <string.h>

#define AREA ((mote_constraint_kind)MOTE_CONSTRAINT_KIND_COUNT)

static mote_constraint_def area_of(const mote_particle_id ids[3])
{
    mote_constraint_def def = mote_default_constraint_def(AREA);
    for (int n = 0; n < 3; n++)
        def.ends[n] = mote_end_particle(ids[n]);
    return def;
}

static mote_world *triangle(uint32_t threads, mote_simd level, mote_particle_id ids[3])
{
    mote_settings settings = impulse_weightless();
    mote_world_def def = test_world_def(&settings);
    def.thread_count = threads;
    def.simd = level;
    mote_world *world;
    must(mote_world_create(&def, &world));
    ids[0] = add_particle(world, vec(0, 0, 0), vec(0.3f, 0, 0.2f), (mote_material_id){0});
    ids[1] = add_particle(world, vec(1, 0, 0), vec(0, 0.4f, 0), (mote_material_id){0});
    ids[2] = add_particle(world, vec(0, 1, 0.2f), vec(-0.1f, 0, 0.3f), (mote_material_id){0});
    return world;
}

static float read_area(const mote_world *world, mote_constraint_id id)
{
    float area = 0;
    must(mote_constraints_read(world, &id, 1, &(mote_constraint_readings){.measures = &area}));
    return area;
}

static void it_is_in_the_list(void **state)
{
    (void)state;
    const mote_kind_info *info = mote_constraint_kind_info(AREA);
    assert_non_null(info);
    assert_string_equal(info->name, "area");
    assert_int_equal(info->ends, 3);
    assert_string_equal(info->parameters[MT_REST].name, "area");
}

static void it_holds_its_measure(void **state)
{
    (void)state;
    mote_particle_id ids[3];
    mote_world *world = triangle(1, MOTE_SIMD_AUTO, ids);
    mote_constraint_def def = area_of(ids);
    mote_constraint_id id = mote_constraint_add(world, &def);
    must_exist(id);
    motion before = motion_of(world);
    double area = (double)read_area(world, id), residual;
    for (int n = 0; n < 120; n++) {
        step_times(world, 1, TEST_FRAME);
        check_near((double)read_area(world, id), area, 1e-3 * area, "area, m^2, after %d steps", n + 1);
    }
    motion after = motion_of(world);
    check_below(size_of(minus(after.momentum, before.momentum)), 1e-5 * before.traffic,
                "momentum that came of it");
    check_below(size_of(minus(after.angular, before.angular)), 1e-3 * before.bustle, "and angular momentum");
    must(mote_world_residual(world, (mote_residual)(MOTE_RESIDUAL_DISTANCE + (int)AREA), &residual));
    check_below(residual, 1e-3 * area, "residual of the kind, m^2");
    mote_world_destroy(world);
}

static void it_is_refused_and_breaks_as_others(void **state)
{
    (void)state;
    mote_particle_id ids[3];
    mote_world *world = triangle(1, MOTE_SIMD_AUTO, ids);
    mote_constraint_def def = area_of(ids);
    def.values[MT_REST] = -3;
    assert_true(mote_is_null(mote_constraint_add(world, &def)));
    assert_non_null(strstr(mote_last_error(), "constraint.area"));
    def.values[MT_REST] = 0.1f;
    def.values[MT_BREAK_FORCE] = 0.01f;
    must_exist(mote_constraint_add(world, &def));
    step_times(world, 1, TEST_FRAME);
    check_near((double)event_count(world, MOTE_EVENT_BREAK), 1, 0, "break events");
    check_near(mote_constraint_count(world), 0, 0, "constraints left");
    mote_world_destroy(world);
}

static uint64_t hash_with(uint32_t threads, mote_simd level)
{
    mote_particle_id ids[3];
    mote_world *world = triangle(threads, level, ids);
    mote_constraint_def def = area_of(ids);
    must_exist(mote_constraint_add(world, &def));
    step_times(world, 30, TEST_FRAME);
    size_t size = mote_snapshot_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    must(mote_snapshot_take(world, bytes, size, NULL));
    step_times(world, 30, TEST_FRAME);
    uint64_t hash = mote_world_hash(world);
    must(mote_snapshot_restore(world, bytes, size));
    step_times(world, 30, TEST_FRAME);
    check_true(mote_world_hash(world) == hash, "back from a snapshot: the same bits");
    free(bytes);
    mote_world_destroy(world);
    return hash;
}

static void same_bits_everywhere(void **state)
{
    (void)state;
    check_same_hashes(hash_with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_in_the_list),
        cmocka_unit_test(it_holds_its_measure),
        cmocka_unit_test(it_is_refused_and_breaks_as_others),
        cmocka_unit_test(same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
