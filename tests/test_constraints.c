/* Constraints as things of a world: made, read, changed, taken out, refused; with their particles, bodies and shapes;
 * asleep and awake; the same bits with any threads and SIMD level, and after a snapshot; no memory in a steady step. */
#include "refused.h"
#include "ropes.h"

#include <stdlib.h>
#include <string.h>

static mote_constraint_def distance_def(mote_constraint_end a, mote_constraint_end b)
{
    mote_constraint_def def = mote_default_constraint_def(MOTE_CONSTRAINT_DISTANCE);
    def.ends[0] = a;
    def.ends[1] = b;
    return def;
}

/* ---- bad input ------------------------------------------------------------------------------------------ */

static void check_bad_ends(mote_world *world, mote_constraint_def good, mote_particle_id stale)
{
    const mote_constraint_end bad[] = {{.type = MOTE_END_PARTICLE},
                                       mote_end_particle(stale),
                                       mote_end_particle(good.ends[0].particle),
                                       mote_end_shape((mote_shape_id){0, 0}, vec(0, 0, 0)),
                                       mote_end_body((mote_body_id){3, 1}, vec(0, 0, 0)),
                                       mote_end_world(vec(NAN, 0, 0)),
                                       mote_end_world(vec(0, 1e9f, 0)),
                                       {.type = MOTE_END_TYPE_COUNT}};
    const mote_result answers[] = {MOTE_ERROR_STALE_HANDLE, MOTE_ERROR_STALE_HANDLE, MOTE_ERROR_ARGUMENT,
                                   MOTE_ERROR_STALE_HANDLE, MOTE_ERROR_STALE_HANDLE, MOTE_ERROR_NOT_FINITE,
                                   MOTE_ERROR_ARGUMENT,     MOTE_ERROR_ARGUMENT};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        mote_constraint_def def = good;
        def.ends[1] = bad[k];
        refused_handle(world, mote_constraint_add(world, &def), answers[k], "constraint.ends[1]");
    }
    mote_constraint_def pins = distance_def(mote_end_world(vec(0, 0, 0)), mote_end_world(vec(1, 0, 0)));
    refused_handle(world, mote_constraint_add(world, &pins), MOTE_ERROR_ARGUMENT, "constraint.ends");
}

/* Every parameter of every kind with what it must not be. */
static void check_bad_values(mote_world *world, mote_constraint_def good)
{
    const mote_kind_info *info = mote_constraint_kind_info(good.kind);
    for (uint32_t k = 0; k < info->parameter_count; k++) {
        const float bad[] = {NAN, INFINITY, -INFINITY, info->parameters[k].least - 1,
                             2 * info->parameters[k].most + 1};
        for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
            mote_constraint_def def = good;
            def.values[k] = bad[n];
            refused_handle(world, mote_constraint_add(world, &def),
                           isfinite(bad[n]) ? MOTE_ERROR_ARGUMENT : MOTE_ERROR_NOT_FINITE,
                           info->parameters[k].name);
        }
    }
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_particle_id a = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_particle_id b = add_particle(world, vec(1, 0, 0), vec(0, 0, 0), (mote_material_id){0}), gone = b;
    mote_constraint_def good = distance_def(mote_end_particle(a), mote_end_particle(b)), def = good;
    must(mote_particle_remove(world, b));
    good.ends[1].particle = b = add_particle(world, vec(1, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    check_bad_ends(world, good, gone);
    check_bad_values(world, good);
    def = good;
    def.kind = (mote_constraint_kind)77;
    refused_handle(world, mote_constraint_add(world, &def), MOTE_ERROR_ARGUMENT, "constraint.kind");
    refused_handle(world, mote_constraint_add(NULL, &good), MOTE_ERROR_ARGUMENT, "world");
    refused_handle(world, mote_constraint_add(world, NULL), MOTE_ERROR_ARGUMENT, "defs");
    mote_constraint_def many[3] = {good, good, good};
    many[2].distance.length = -5;
    refused(world, mote_constraints_add(world, many, 3, NULL), MOTE_ERROR_ARGUMENT, "constraints[2].length");
    mote_constraint_id one = mote_constraint_add(world, &good), null = {0, 0};
    must_exist(one);
    def = good;
    def.ends[1] = mote_end_world(vec(0, 0, 0));
    refused(world, mote_constraint_set(world, one, &def), MOTE_ERROR_ARGUMENT, "constraint.ends[1]");
    refused(world, mote_constraint_set(world, null, &good), MOTE_ERROR_STALE_HANDLE, "constraint handle");
    refused(world, mote_constraint_set(world, one, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(world, mote_constraint_remove(world, null), MOTE_ERROR_STALE_HANDLE, "constraint handle");
    refused(world, mote_constraint_get(world, null, &def), MOTE_ERROR_STALE_HANDLE, "constraint handle");
    refused(world, mote_constraint_get(world, one, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(world, mote_constraint_places(world, one, NULL), MOTE_ERROR_ARGUMENT, "places");
    refused(world, mote_constraints_read(world, &one, 1, NULL), MOTE_ERROR_ARGUMENT, "readings");
    mote_constraint_readings none = {NULL, NULL, NULL};
    refused(world, mote_constraints_read(world, NULL, 1, &none), MOTE_ERROR_ARGUMENT, "ids");
    refused(world, mote_constraints_read(world, &null, 1, &none), MOTE_ERROR_STALE_HANDLE, "constraint handle");
    check_true(mote_constraint_kind_info((mote_constraint_kind)77) == NULL, "no kind, no list");
    mote_world_destroy(world);
}

/* ---- reading and changing ------------------------------------------------------------------------------- */

static void what_is_made_can_be_read(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_particle_id a = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_constraint_def def = distance_def(mote_end_particle(a), mote_end_world(vec(0, 2, 0))), read;
    def.distance.compliance = 1e-3f;
    mote_constraint_id id = mote_constraint_add(world, &def), listed[2] = {{0, 0}, {0, 0}};
    must_exist(id);
    must(mote_constraint_get(world, id, &read));
    check_near((double)read.distance.length, 2, 0, "length as it was made");
    check_near((double)read.distance.compliance, 1e-3, 1e-9, "compliance");
    check_near((double)read.ends[1].point.y, 2, 0, "pin");
    check_true(mote_constraint_list(world, listed, 2) == 1 && memcmp(listed, &id, sizeof id) == 0,
               "it is listed");
    mote_vec3 places[MOTE_CONSTRAINT_MAX_ENDS];
    must(mote_constraint_places(world, id, places));
    check_near((double)places[1].y, 2, 0, "where it is pinned");
    read.distance.length = 1;
    read.ends[1].point = vec(0, 3, 0);
    must(mote_constraint_set(world, id, &read));
    must(mote_constraint_get(world, id, &def));
    check_near((double)def.distance.length, 1, 0, "another length");
    check_near(measure_of(world, id), 3, 1e-6, "and another pin");
    must(mote_constraint_remove(world, id));
    check_true(!mote_constraint_is_valid(world, id) && mote_constraint_count(world) == 0, "gone");
    mote_world_destroy(world);
}

static void it_goes_with_what_it_holds(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_particle_id p = add_particle(world, vec(0, 5, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_particle_id q = add_particle(world, vec(1, 5, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_body_id body = add_brick(world, 2, 2, 2, vec(3, 5, 0));
    mote_shape_def def = mote_default_shape_def();
    def.position = vec(0, 9, 0);
    mote_shape_id shape = mote_shape_add(world, &def);
    mote_constraint_id of_both = hold(world, mote_end_particle(p), mote_end_particle(q), 1);
    mote_constraint_id of_body = hold(world, mote_end_particle(q), mote_end_body(body, vec(3, 5, 0)), 2);
    mote_constraint_id of_shape =
        hold(world, mote_end_body(body, vec(3, 5, 0)), mote_end_shape(shape, vec(0, 0, 0)), 5);
    step_times(world, 2, TEST_FRAME);
    must(mote_particle_remove(world, p));
    check_true(!mote_constraint_is_valid(world, of_both) && mote_constraint_is_valid(world, of_body),
               "a particle");
    step_times(world, 2, TEST_FRAME);
    must(mote_body_dissolve(world, body));
    check_true(!mote_constraint_is_valid(world, of_body) && !mote_constraint_is_valid(world, of_shape),
               "a body");
    mote_constraint_id again =
        hold(world, mote_end_particle(q), mote_end_shape(shape, vec(0, 0, 0)), MOTE_AS_MADE);
    step_times(world, 2, TEST_FRAME);
    must(mote_shape_remove(world, shape));
    check_true(!mote_constraint_is_valid(world, again) && mote_constraint_count(world) == 0, "a shape");
    step_times(world, 2, TEST_FRAME);
    mote_world_destroy(world);
}

/* Particles that become a body, and a body that becomes particles, are held all the while. */
static void bodies_may_come_and_go(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_particle_id ids[4];
    mote_constraint_id cords[4];
    for (int n = 0; n < 4; n++) {
        mote_vec3 at = vec(2 * TEST_RADIUS * (float)n, 1, 0);
        ids[n] = add_particle(world, at, vec(0, 0, 0), (mote_material_id){0});
        cords[n] = hold(world, mote_end_particle(ids[n]), mote_end_world(vec(at.x, 2, 0)), MOTE_AS_MADE);
    }
    step_times(world, 10, TEST_FRAME);
    mote_body_def def = mote_default_body_def();
    def.particles = ids;
    def.particle_count = 4;
    mote_body_id body = mote_body_add(world, &def);
    must_exist(body);
    step_times(world, 60, TEST_FRAME);
    double sum = 0;
    for (int n = 0; n < 4; n++)
        sum += force_of(world, cords[n]);
    check_near(sum, 4 * TEST_GRAVITY, 0.04 * TEST_GRAVITY, "as a body, N");
    must(mote_body_dissolve(world, body));
    step_times(world, 60, TEST_FRAME);
    for (int n = 0; n < 4; n++)
        check_near(force_of(world, cords[n]), TEST_GRAVITY, 0.01 * TEST_GRAVITY, "as particles, N");
    mote_world_destroy(world);
}

/* More constraints at one particle than there are colours: the rest is solved one by one. */
static void many_may_hold_one(void **state)
{
    (void)state;
    enum { MANY = 100 };
    mote_settings settings = impulse_settings();
    settings.damping = 5;
    mote_world *world = test_world(&settings);
    mote_particle_id hub = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_constraint_id ids[MANY];
    for (int n = 0; n < MANY; n++)
        ids[n] = add_spring(world, mote_end_particle(hub), mote_end_world(vec(0, 1, 0)), 1, MANY * 1e-3f, 0);
    /* Damping takes its part of what gravity has just given, too. */
    const double stretch = TEST_GRAVITY / (1 + 5.0 / 480) * 1e-3;
    step_times(world, 300, TEST_FRAME);
    check_near(measure_of(world, ids[0]) - 1, stretch, 0.005 * stretch, "m that 100 springs stretch together");
    for (int n = 0; n < MANY; n += 2)
        must(mote_constraint_remove(world, ids[n]));
    step_times(world, 300, TEST_FRAME);
    check_near(measure_of(world, ids[1]) - 1, 2 * stretch, 0.01 * stretch, "m that 50 of them stretch");
    mote_world_destroy(world);
}

/* ---- who collides --------------------------------------------------------------------------------------- */

static double kept_apart(float length, float collide)
{
    mote_world *world = impulse_weightless_world();
    mote_particle_id a = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_particle_id b = add_particle(world, vec(0.095f, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_constraint_def def = distance_def(mote_end_particle(a), mote_end_particle(b));
    def.distance.length = length;
    def.distance.one_sided = 1;
    def.distance.collide = collide;
    mote_constraint_id id = mote_constraint_add(world, &def);
    must_exist(id);
    step_times(world, 60, TEST_FRAME);
    double length_now = measure_of(world, id);
    mote_world_destroy(world);
    return length_now;
}

static void overlapping_ends_do_not_collide(void **state)
{
    (void)state;
    check_near(kept_apart(0.097f, MOTE_COLLIDE_IF_APART), 0.095, 1e-6, "shorter than the radii: m");
    check_above(kept_apart(0.2f, MOTE_COLLIDE_IF_APART), 0.0999, "longer: contacts part them, m");
    check_near(kept_apart(0.2f, MOTE_COLLIDE_NEVER), 0.095, 1e-6, "if told not to: m");
    check_above(kept_apart(0.097f, MOTE_COLLIDE_ALWAYS), 0.0965,
                "if told to: as far as the constraint lets them, m");
}

/* ---- sleep ---------------------------------------------------------------------------------------------- */

static void what_hangs_together_sleeps_and_wakes(void **state)
{
    (void)state;
    mote_settings settings = impulse_settings();
    settings.sleep_speed = 0.02f;
    settings.damping = 2;
    mote_world *world = test_world(&settings);
    mote_particle_id low = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    rope made = add_rope(world, mote_end_world(vec(0, 1, 0)), vec(0, 1, 0), mote_end_particle(low),
                         vec(0, 0, 0), 5, 0.5f, MOTE_AS_MADE);
    step_times(world, 240, TEST_FRAME);
    check_true(state_of(world, low).asleep && state_of(world, made.particles[0]).asleep, "all of it sleeps");
    double before = (double)state_of(world, low).position.y;
    step_times(world, 60, TEST_FRAME);
    check_near((double)state_of(world, low).position.y, before, 0, "and hangs where it was, m");
    must(mote_particle_set_velocity(world, made.particles[0], vec(1, 0, 0)));
    step_times(world, 8, TEST_FRAME);
    check_true(!state_of(world, low).asleep, "a pluck at the top wakes the end");
    step_times(world, 900, TEST_FRAME);
    check_true(state_of(world, low).asleep, "it goes to sleep again");
    must(mote_constraint_remove(world, made.links[4]));
    step_times(world, 30, TEST_FRAME);
    check_below((double)state_of(world, low).position.y, -0.5, "cut off it falls, m");
    mote_world_destroy(world);
}

/* ---- the same bits -------------------------------------------------------------------------------------- */

/* Ropes, a crate on ropes, a net on a pile, with things that break and are removed on the way. */
static mote_world *busy_world(const mote_world_def *def)
{
    mote_world *world;
    must(mote_world_create(def, &world));
    add_floor(world, (mote_material_id){0});
    add_hanging_things(world, vec(0, 2, 0));
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[2] = 6;
    grains.count[1] = 3;
    grains.origin = vec(-0.3f, TEST_RADIUS, -0.3f);
    must(mote_grains_block(world, &grains, NULL));
    enum { SIDE = 12 };
    mote_particle_id net[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++)
        net[k] =
            add_particle(world, vec(-0.6f + 0.1f * (float)(k % SIDE), 0.6f, -0.6f + 0.1f * (float)(k / SIDE)),
                         vec(0, -1, 0), (mote_material_id){0});
    for (int k = 0; k < SIDE * SIDE; k++)
        for (int axis = 0; axis < 2; axis++) {
            if ((axis == 0 ? k % SIDE : k / SIDE) + 1 == SIDE)
                continue;
            mote_constraint_def link =
                distance_def(mote_end_particle(net[k]), mote_end_particle(net[k + (axis == 0 ? 1 : SIDE)]));
            link.distance.compliance = k % 3 == 0 ? 1e-4f : 0;
            link.distance.break_force = k % 7 == 0 ? 30 : 1e30f;
            must_exist(mote_constraint_add(world, &link));
        }
    return world;
}

static void remove_some(mote_world *world, int frame)
{
    mote_constraint_id ids[1000];
    uint32_t count = mote_constraint_list(world, ids, 1000);
    if (frame % 10 == 3)
        must(mote_constraint_remove(world, ids[(uint32_t)frame * 7 % count]));
}

static uint64_t run_busy(mote_world *world, int from, int frames)
{
    for (int n = from; n < from + frames; n++) {
        step_times(world, 1, TEST_FRAME);
        remove_some(world, n);
    }
    return mote_world_hash(world);
}

enum { FRAMES = TEST_BY_BUILD(120, 60, 6) };

static uint64_t hash_with(uint32_t threads, mote_simd level)
{
    mote_settings settings = impulse_settings();
    settings.iterations = 2;
    mote_world_def def = test_world_def(&settings);
    def.thread_count = threads;
    def.simd = level;
    mote_world *world = busy_world(&def);
    uint64_t hash = run_busy(world, 0, FRAMES);
    mote_world_destroy(world);
    return hash;
}

static void same_bits_everywhere(void **state)
{
    (void)state;
    check_same_hashes(hash_with);
}

static void back_from_a_snapshot(void **state)
{
    (void)state;
    mote_world_def def = test_world_def(NULL);
    mote_world *world = busy_world(&def), *other;
    run_busy(world, 0, FRAMES / 2);
    size_t size = mote_snapshot_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    must(mote_snapshot_take(world, bytes, size, NULL));
    uint64_t start = mote_world_hash(world), end = run_busy(world, FRAMES / 2, FRAMES / 2);
    must(mote_snapshot_restore(world, bytes, size));
    check_true(mote_world_hash(world) == start, "restored: the hash of that time");
    check_true(run_busy(world, FRAMES / 2, FRAMES / 2) == end, "the same steps: the same states");
    must(mote_world_create(&def, &other));
    must(mote_snapshot_restore(other, bytes, size));
    check_true(run_busy(other, FRAMES / 2, FRAMES / 2) == end, "in a fresh world as well");
    unsigned char *damaged = bytes;
    damaged[size / 2] ^= 0x10;
    check_true(mote_snapshot_restore(other, bytes, size) == MOTE_ERROR_SNAPSHOT, "damage is seen");
    free(bytes);
    mote_world_destroy(world);
    mote_world_destroy(other);
}

/* ---- memory --------------------------------------------------------------------------------------------- */

static void a_steady_step_asks_for_no_memory(void **state)
{
    (void)state;
    test_heap heap = {0};
    mote_world_def def = test_world_def(NULL);
    def.allocator = heap_allocator(&heap);
    mote_world *world = busy_world(&def);
    run_busy(world, 0, 4 * FRAMES); /* until all lies where it will lie */
    size_t calls = heap.calls;
    run_busy(world, 4 * FRAMES, FRAMES);
    check_near((double)(heap.calls - calls), 0, 0, "allocations in %d steps", FRAMES);
    mote_world_destroy(world);
    check_near((double)heap.live_blocks, 0, 0, "blocks that were not given back");
}

/* With no memory at the n-th call, for every n, adding fails as a whole. */
static void adding_without_memory_changes_nothing(void **state)
{
    (void)state;
    test_heap heap = {0};
    mote_world_def def = test_world_def(NULL);
    def.allocator = heap_allocator(&heap);
    mote_world *world;
    must(mote_world_create(&def, &world));
    mote_particle_id ids[50];
    mote_constraint_def defs[49];
    for (int n = 0; n < 50; n++)
        ids[n] = add_particle(world, vec(0.2f * (float)n, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    for (int n = 0; n < 49; n++)
        defs[n] = distance_def(mote_end_particle(ids[n]), mote_end_particle(ids[n + 1]));
    uint64_t hash = mote_world_hash(world);
    bool added = false;
    for (size_t fail = 1; !added; fail++) {
        heap.fail_at = heap.calls + fail;
        mote_result result = mote_constraints_add(world, defs, 49, NULL);
        added = result == MOTE_OK;
        check_true(added || (result == MOTE_ERROR_MEMORY && mote_world_hash(world) == hash), "call %zu", fail);
    }
    hash = mote_world_hash(world);
    bool stepped = false;
    for (size_t fail = 1; !stepped; fail++) {
        heap.fail_at = heap.calls + fail;
        mote_result result = mote_world_step(world, TEST_FRAME);
        stepped = result == MOTE_OK;
        check_true(stepped || result == MOTE_ERROR_MEMORY, "a step fails as a whole, call %zu", fail);
    }
    mote_world_destroy(world);
}

/* ---- numbers -------------------------------------------------------------------------------------------- */

static void residual_and_stats(void **state)
{
    (void)state;
    mote_world *world = impulse_weightless_world();
    mote_particle_id a = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_particle_id b = add_particle(world, vec(3, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    hold(world, mote_end_particle(a), mote_end_particle(b), 2.5f);
    double residual = 0;
    must(mote_world_residual(world, MOTE_RESIDUAL_DISTANCE, &residual));
    check_near(residual, 0.5, 1e-6, "before a step, m");
    step_times(world, 1, TEST_FRAME);
    must(mote_world_residual(world, MOTE_RESIDUAL_DISTANCE, &residual));
    check_near(residual, 0, 1e-4, "after it, m");
    check_near((double)stats_of(world).constraints, 1, 0, "constraints");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(what_is_made_can_be_read),
        cmocka_unit_test(it_goes_with_what_it_holds),
        cmocka_unit_test(bodies_may_come_and_go),
        cmocka_unit_test(many_may_hold_one),
        cmocka_unit_test(overlapping_ends_do_not_collide),
        cmocka_unit_test(what_hangs_together_sleeps_and_wakes),
        cmocka_unit_test(same_bits_everywhere),
        cmocka_unit_test(back_from_a_snapshot),
        cmocka_unit_test(a_steady_step_asks_for_no_memory),
        cmocka_unit_test(adding_without_memory_changes_nothing),
        cmocka_unit_test(residual_and_stats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
