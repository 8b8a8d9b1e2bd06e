/* Snapshots: back to the same bits, small, and proof against damage. */
#include "support.h"

#include "world/world.h"

#include <stdlib.h>
#include <string.h>

typedef struct snapshot {
    unsigned char *bytes;
    size_t size;
} snapshot;

static snapshot take(const mote_world *world)
{
    snapshot taken = {.size = mote_snapshot_size(world)};
    taken.bytes = malloc(taken.size);
    assert_non_null(taken.bytes);
    size_t written = 0;
    must(mote_snapshot_take(world, taken.bytes, taken.size, &written));
    check_near((double)written, (double)taken.size, 0, "bytes written against bytes announced");
    return taken;
}

/* A world with something of everything, in the middle of its motion. */
static mote_world *busy_world(uint32_t threads)
{
    mote_settings settings = mote_default_settings();
    settings.sleep_speed = 0.05f;
    mote_world_def def = test_world_def(&settings);
    def.thread_count = threads;
    mote_world *world = tumbling_world(&def, 8, 8, 8);
    mote_field_def field = mote_default_field_def();
    field.type = MOTE_FIELD_VORTEX;
    field.strength = 2;
    must_exist(mote_field_add(world, &field));
    mote_volume_def volume = mote_default_volume_def();
    volume.min = vec(-1, -1, -1);
    volume.max = vec(0, 1, 0);
    must_exist(mote_volume_add(world, &volume));
    mote_material_def material = mote_default_material_def();
    material.name = "reporting";
    material.report_contacts = true;
    material.restitution = 0.5f;
    mote_material_id reporting = mote_material_add(world, &material);
    add_particle(world, vec(0, 1.5f, 0), vec(0, 0, 0), reporting);
    add_particle(world, vec(0.1f, 2.5f, 0), vec(0, 0, 0), reporting);
    step_times(world, 40, TEST_FRAME);
    return world;
}

/* One number for all that the steps did: the state and the events of each step. */
static uint64_t run_on(mote_world *world, int steps)
{
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < steps; ++i) {
        step_times(world, 1, TEST_FRAME);
        mote_events events = mote_world_events(world);
        for (size_t k = 0; k < events.count; ++k) {
            const mote_event *e = &events.items[k];
            uint32_t words[] = {(uint32_t)e->type, e->a.index,      e->b.index,      e->b.generation,
                                e->shape.index,    e->volume.index, e->a.generation, (uint32_t)k};
            for (size_t w = 0; w < sizeof words / sizeof words[0]; ++w)
                hash = (hash ^ words[w]) * 1099511628211u;
        }
        hash = (hash ^ mote_world_hash(world)) * 1099511628211u;
    }
    return hash;
}

static void back_to_the_same_bits(void **state)
{
    (void)state;
    mote_world *world = busy_world(1);
    snapshot taken = take(world);
    uint64_t start = mote_world_hash(world), first = run_on(world, 100), end = mote_world_hash(world);
    check_true(start != end, "the world moved");
    must(mote_snapshot_restore(world, taken.bytes, taken.size));
    check_true(mote_world_hash(world) == start, "restored: the hash of that time");
    check_true(run_on(world, 100) == first, "100 steps later: the same states and events");
    check_true(mote_world_hash(world) == end, "100 steps later: the same hash");
    free(taken.bytes);
    mote_world_destroy(world);
}

/* Into a world that has nothing of it, with another number of threads and other settings. */
static void into_a_fresh_world(void **state)
{
    (void)state;
    mote_world *world = busy_world(1);
    snapshot taken = take(world);
    uint64_t first = run_on(world, 100);
    for (uint32_t threads = 1; threads <= 3; ++threads) {
        mote_settings settings = weightless();
        settings.substeps = 1;
        mote_world_def def = test_world_def(&settings);
        def.thread_count = threads;
        def.number = mote_world_number(world);
        mote_world *fresh = NULL;
        must(mote_world_create(&def, &fresh));
        must(mote_snapshot_restore(fresh, taken.bytes, taken.size));
        check_true(run_on(fresh, 100) == first, "100 steps in a fresh world with %u threads", threads);
        check_near(mote_world_thread_count(fresh), threads, 0, "threads stay the world's own");
        check_near(mote_world_time(fresh), mote_world_time(world), 0, "time");
        check_near((double)mote_world_step_count(fresh), (double)mote_world_step_count(world), 0, "steps");
        mote_world_destroy(fresh);
    }
    free(taken.bytes);
    mote_world_destroy(world);
}

/* A snapshot of a restored world is the snapshot. */
static void snapshots_of_equal_worlds_are_equal(void **state)
{
    (void)state;
    mote_world *world = busy_world(1), *fresh = test_world(NULL);
    snapshot taken = take(world);
    must(mote_snapshot_restore(fresh, taken.bytes, taken.size));
    snapshot again = take(fresh);
    check_near((double)again.size, (double)taken.size, 0, "size");
    check_true(memcmp(again.bytes, taken.bytes, taken.size) == 0, "the same bytes");
    free(taken.bytes);
    free(again.bytes);
    mote_world_destroy(world);
    mote_world_destroy(fresh);
}

/* What was removed since is there again, with its handle; what was added since is gone, with its handle. */
static void handles_of_that_time(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_shape_id floor = add_floor(world, (mote_material_id){0});
    mote_particle_id old[3];
    for (int i = 0; i < 3; ++i)
        old[i] = add_particle(world, vec((float)i, 1, 0), vec(0, 0, 0), (mote_material_id){0});
    must(mote_particle_remove(world, old[1]));
    snapshot taken = take(world);
    must(mote_particle_remove(world, old[0]));
    must(mote_shape_remove(world, floor));
    mote_particle_id young = add_particle(world, vec(9, 9, 9), vec(0, 0, 0), (mote_material_id){0});
    mote_material_id material = add_material(world, 1, 1, 0);
    must(mote_snapshot_restore(world, taken.bytes, taken.size));
    check_near(state_of(world, old[0]).position.x, 0, 0, "a particle that was removed since is there again");
    check_near(state_of(world, old[2]).position.x, 2, 0, "a particle that stayed is still the same");
    check_true(!mote_particle_is_valid(world, old[1]), "one that was removed before stays away");
    check_true(!mote_particle_is_valid(world, young) || state_of(world, young).position.x < 5,
               "one that was added since is gone");
    check_true(mote_shape_is_valid(world, floor), "the floor is there again");
    mote_material_def def;
    check_true(mote_material_get(world, material, &def) != MOTE_OK, "the material of later is gone");
    free(taken.bytes);
    mote_world_destroy(world);
}

/* What is added next gets the handle that it would have got then, so two runs from one snapshot stay alike. */
static void handles_of_what_comes_next(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL), *fresh = twin_of(world);
    mote_particle_id ids[20];
    for (int i = 0; i < 20; ++i)
        ids[i] = add_particle(world, vec((float)i, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    for (int i = 3; i < 20; i += 4)
        must(mote_particle_remove(world, ids[(i * 7) % 20]));
    snapshot taken = take(world);
    must(mote_snapshot_restore(fresh, taken.bytes, taken.size));
    for (int i = 0; i < 10; ++i) {
        mote_particle_id a = add_particle(world, vec(0, (float)i, 1), vec(0, 0, 0), (mote_material_id){0});
        mote_particle_id b = add_particle(fresh, vec(0, (float)i, 1), vec(0, 0, 0), (mote_material_id){0});
        check_true(a.index == b.index && a.generation == b.generation,
                   "addition %d: handle %u.%u, expected %u.%u", i, b.index, b.generation, a.index,
                   a.generation);
    }
    check_true(mote_world_hash(world) == mote_world_hash(fresh), "the same state");
    free(taken.bytes);
    mote_world_destroy(world);
    mote_world_destroy(fresh);
}

static void small_enough(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    size_t empty = mote_snapshot_size(world);
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[1] = 50;
    grains.count[2] = 40;
    must(mote_grains_block(world, &grains, NULL));
    step_times(world, 1, TEST_FRAME);
    size_t size = mote_snapshot_size(world);
    check_below((double)empty, 64 * 1024, "bytes of an empty world");
    double borne = (double)(world->impulse_count * sizeof(mt_contact_impulse)); /* what contacts remember */
    check_below(((double)(size - empty) - borne) / 100000, 64, "bytes a particle, 100,000 of them");
    check_below(sizeof(mt_contact_impulse), 52, "bytes a contact that bears something");
    snapshot taken = take(world);
    uint64_t hash = mote_world_hash(world);
    mote_world *fresh = test_world(NULL);
    must(mote_snapshot_restore(fresh, taken.bytes, taken.size));
    check_true(mote_world_hash(fresh) == hash, "the hash of a large world");
    free(taken.bytes);
    mote_world_destroy(fresh);
    mote_world_destroy(world);
}

/* ---- damage --------------------------------------------------------------------------------------------- */

static mote_world *small_world(void)
{
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    add_particle(world, vec(0, 1, 0), vec(1, 0, 0), (mote_material_id){0});
    add_particle(world, vec(0, 2, 0), vec(0, 0, 1), (mote_material_id){0});
    step_times(world, 5, TEST_FRAME);
    return world;
}

static void check_refused(mote_world *world, uint64_t hash, const void *bytes, size_t size, const char *damage,
                          size_t where)
{
    mote_result result = mote_snapshot_restore(world, bytes, size);
    check_true(result == MOTE_ERROR_SNAPSHOT, "%s at %zu is refused (got: %s)", damage, where,
               mote_result_text(result));
    check_true(mote_world_hash(world) == hash, "%s at %zu leaves the world as it was", damage, where);
}

static void every_flipped_byte_is_noticed(void **state)
{
    (void)state;
    mote_world *world = small_world(), *other = test_world(NULL);
    add_particle(other, vec(5, 5, 5), vec(0, 0, 0), (mote_material_id){0});
    snapshot taken = take(world);
    uint64_t hash = mote_world_hash(other);
    for (size_t i = 0; i < taken.size; ++i) {
        static const unsigned char flips[] = {0x01, 0x80, 0xFF};
        for (size_t k = 0; k < 3; ++k) {
            taken.bytes[i] ^= flips[k];
            check_refused(other, hash, taken.bytes, taken.size, "a flipped byte", i);
            taken.bytes[i] ^= flips[k];
        }
    }
    must(mote_snapshot_restore(other, taken.bytes, taken.size));
    check_true(mote_world_hash(other) == mote_world_hash(world), "undamaged it is taken");
    free(taken.bytes);
    mote_world_destroy(world);
    mote_world_destroy(other);
}

static void every_cut_is_noticed(void **state)
{
    (void)state;
    mote_world *world = small_world();
    snapshot taken = take(world);
    step_times(world, 1, TEST_FRAME);
    uint64_t hash = mote_world_hash(world);
    for (size_t size = 0; size < taken.size; ++size) {
        /* A block of just that size, so that reading past the end is seen by the sanitizer. */
        unsigned char *cut = malloc(size ? size : 1);
        assert_non_null(cut);
        memcpy(cut, taken.bytes, size);
        check_refused(world, hash, cut, size, "a cut", size);
        free(cut);
    }
    unsigned char *longer = malloc(taken.size + 1);
    assert_non_null(longer);
    memcpy(longer, taken.bytes, taken.size);
    longer[taken.size] = 0;
    check_refused(world, hash, longer, taken.size + 1, "a byte too many", taken.size);
    free(longer);
    free(taken.bytes);
    mote_world_destroy(world);
}

static void too_little_room(void **state)
{
    (void)state;
    mote_world *world = small_world();
    size_t size = mote_snapshot_size(world), written = 0;
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    memset(bytes, 0xA5, size);
    check_true(mote_snapshot_take(world, bytes, size - 1, &written) == MOTE_ERROR_ARGUMENT,
               "a buffer that is a byte too small");
    check_true(mote_snapshot_take(world, NULL, size, &written) == MOTE_ERROR_ARGUMENT, "no buffer");
    check_near(bytes[size - 1], 0xA5, 0, "the last byte, which was not offered");
    must(mote_snapshot_take(world, bytes, size, NULL));
    check_true(mote_snapshot_restore(world, NULL, size) == MOTE_ERROR_ARGUMENT, "restoring from no buffer");
    free(bytes);
    mote_world_destroy(world);
}

/* A world keeps its own limit: more particles than that are refused. */
static void too_many_particles(void **state)
{
    (void)state;
    mote_world *world = small_world();
    snapshot taken = take(world);
    mote_world_def def = test_world_def(NULL);
    def.max_particles = 1;
    mote_world *narrow = NULL;
    must(mote_world_create(&def, &narrow));
    uint64_t hash = mote_world_hash(narrow);
    check_true(mote_snapshot_restore(narrow, taken.bytes, taken.size) == MOTE_ERROR_LIMIT,
               "two particles into a world for one");
    check_true(mote_world_hash(narrow) == hash, "the world is as it was");
    free(taken.bytes);
    mote_world_destroy(narrow);
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_to_the_same_bits),
        cmocka_unit_test(into_a_fresh_world),
        cmocka_unit_test(snapshots_of_equal_worlds_are_equal),
        cmocka_unit_test(handles_of_that_time),
        cmocka_unit_test(handles_of_what_comes_next),
        cmocka_unit_test(small_enough),
        cmocka_unit_test(every_flipped_byte_is_noticed),
        cmocka_unit_test(every_cut_is_noticed),
        cmocka_unit_test(too_little_room),
        cmocka_unit_test(too_many_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
