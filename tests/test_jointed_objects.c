/* Jointed objects: as many particles, in the right places, in the right bodies as the experiments say; joints
 * of the right kinds, which let the bodies turn the ways that they should and no others. */
#include "scenes/jointed_objects.h"
#include "support.h"

#include <math.h>

#define R JOINTED_RADIUS

static mote_world *still_world(void)
{
    mote_settings settings = weightless();
    mote_world_def def = test_world_def(&settings);
    def.radius = R;
    mote_world *world;
    must(mote_world_create(&def, &world));
    return world;
}

static jointed_object_def object_at(jointed_kind kind, mote_vec3 center)
{
    jointed_object_def def = jointed_object_default(kind);
    def.center = center;
    return def;
}

/* ---- lattices ------------------------------------------------------------------------------------------- */

static void particle_counts(void **state)
{
    (void)state;
    static const uint32_t expected[JOINTED_KIND_COUNT] = {36, 33, 36, 30, 34};
    for (int kind = 0; kind < JOINTED_KIND_COUNT; kind++) {
        mote_world *world = still_world();
        jointed_object_def def = object_at((jointed_kind)kind, vec(1, 2, 3));
        mote_body_id bodies[JOINTED_MAX_BODIES];
        uint32_t count;
        must(jointed_object_add(world, &def, bodies, &count));
        check_near((double)mote_particle_count(world), expected[kind], 0, "particles of kind %d", kind);
        check_near(jointed_object_particles(&def), expected[kind], 0, "particles said of kind %d", kind);
        check_near(count, kind == JOINTED_UNIVERSAL ? 3 : 2, 0, "bodies of kind %d", kind);
        mote_world_destroy(world);
    }
}

static double least_distance(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    double least = INFINITY;
    for (size_t i = 0; i < view.count; i++)
        for (size_t k = i + 1; k < view.count; k++) {
            mote_vec4 a = view.position[i], b = view.position[k];
            least = fmin(least, distance_of(vec(a.x, a.y, a.z), vec(b.x, b.y, b.z)));
        }
    return least;
}

/* A rotation that mixes all axes: no two particles overlap, so that nothing moves by itself, and they touch. */
static void particles_touch(void **state)
{
    (void)state;
    for (int kind = 0; kind < JOINTED_KIND_COUNT; kind++)
        for (int turned = 0; turned < 2; turned++) {
            mote_world *world = still_world();
            jointed_object_def def = object_at((jointed_kind)kind, vec(0, 0, 0));
            if (turned)
                def.rotation = (mote_quat){0.4f, -0.6f, 1.0f, 0.8f};
            mote_body_id bodies[JOINTED_MAX_BODIES];
            uint32_t count;
            must(jointed_object_add(world, &def, bodies, &count));
            check_near(least_distance(world), 2.0 * (double)R, 1e-6, "least distance, kind %d", kind);
            step_times(world, 30, TEST_FRAME);
            check_below((double)stats_of(world).max_speed, 1e-3, "nothing moves by itself, kind %d", kind);
            mote_world_destroy(world);
        }
}

/* Whether the body has a particle there. */
static bool has_particle(const mote_world *world, mote_body_id body, mote_vec3 place)
{
    mote_particle_id ids[64];
    size_t count = mote_body_particles(world, body, ids, 64);
    assert_true(count <= 64);
    for (size_t i = 0; i < count; i++)
        if (distance_of(state_of(world, ids[i]).position, place) < 1e-6)
            return true;
    return false;
}

typedef struct expected_particle {
    float x, y, z; /* in radii */
    bool in[JOINTED_MAX_BODIES];
} expected_particle;

static void check_places(jointed_kind kind, const expected_particle *expected, size_t count)
{
    mote_world *world = still_world();
    mote_vec3 center = vec(1, 5, -2);
    jointed_object_def def = object_at(kind, center);
    mote_body_id bodies[JOINTED_MAX_BODIES];
    uint32_t body_count;
    must(jointed_object_add(world, &def, bodies, &body_count));
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < body_count; k++) {
            mote_vec3 place =
                vec(center.x + R * expected[i].x, center.y + R * expected[i].y, center.z + R * expected[i].z);
            check_true(has_particle(world, bodies[k], place) == expected[i].in[k],
                       "kind %d, body %u, particle at (%g, %g, %g) r", kind, k, (double)expected[i].x,
                       (double)expected[i].y, (double)expected[i].z);
        }
    mote_world_destroy(world);
}

/* The shared particles, and the first and the last of the layers. */
static void particle_places(void **state)
{
    (void)state;
    const float s = sqrtf(2.0f), t = sqrtf(3.0f);
    const expected_particle knee[] = {{1, 0, 1, {true, true}},   {1, 0, -1, {true, true}},
                                      {-1, 0, 1, {false, true}}, {-1, 0, -1, {false, true}},
                                      {1, 2, -1, {true, false}}, {-1, -8, 1, {false, true}}};
    const expected_particle ball[] = {
        {0, 0, 0, {true, true}}, {1, 8, 1, {true, false}}, {-1, -2, -1, {false, true}}};
    const expected_particle stiff[] = {
        {1, 0, 1, {true, true}}, {-1, 0, 1, {true, true}}, {1, 0, -1, {true, true}}, {-1, 0, -1, {true, true}}};
    const expected_particle universal[] = {
        {s, 0, 0, {true, false, true}},  {-s, 0, 0, {true, false, true}},  {0, 0, s, {false, true, true}},
        {0, 0, -s, {false, true, true}}, {0, s, 0, {false, false, true}},  {0, -s, 0, {false, false, true}},
        {1, 3, 1, {true, false, false}}, {-1, 7, 1, {true, false, false}}, {1, -7, -1, {false, true, false}}};
    const expected_particle hinge[] = {{0, 0, 1, {true, true}},
                                       {0, 0, -1, {true, true}},
                                       {1, t, 1, {true, false}},
                                       {-1, -t - 6, 1, {false, true}}};
    check_places(JOINTED_KNEE, knee, sizeof knee / sizeof knee[0]);
    check_places(JOINTED_BALL, ball, sizeof ball / sizeof ball[0]);
    check_places(JOINTED_STIFF, stiff, sizeof stiff / sizeof stiff[0]);
    check_places(JOINTED_UNIVERSAL, universal, sizeof universal / sizeof universal[0]);
    check_places(JOINTED_HINGE, hinge, sizeof hinge / sizeof hinge[0]);
}

/* ---- joints --------------------------------------------------------------------------------------------- */

static mote_joint_state joint_of(const mote_world *world, mote_body_id a, mote_body_id b)
{
    mote_joint_id joint = mote_joint_between(world, a, b);
    mote_joint_state found = {0};
    check_true(!mote_is_null(joint), "the bodies are jointed");
    must(mote_joint_get(world, joint, &found));
    return found;
}

static void joint_types(void **state)
{
    (void)state;
    static const mote_joint_type types[JOINTED_KIND_COUNT] = {
        MOTE_JOINT_HINGE, MOTE_JOINT_BALL, MOTE_JOINT_STIFF, MOTE_JOINT_HINGE, MOTE_JOINT_HINGE};
    for (int kind = 0; kind < JOINTED_KIND_COUNT; kind++) {
        mote_world *world = still_world();
        jointed_object_def def = object_at((jointed_kind)kind, vec(0, 0, 0));
        mote_body_id bodies[JOINTED_MAX_BODIES];
        uint32_t count;
        must(jointed_object_add(world, &def, bodies, &count));
        check_near(mote_joint_count(world), count - 1, 0, "joints of kind %d", kind);
        bool universal = kind == JOINTED_UNIVERSAL;
        mote_joint_state upper = joint_of(world, bodies[0], bodies[universal ? 2 : 1]);
        assert_int_equal(upper.type, types[kind]);
        check_near((double)upper.anchor.x, kind == JOINTED_KNEE ? (double)R : 0.0, 1e-6, "anchor of %d", kind);
        check_near((double)upper.anchor.y, 0, 1e-6, "anchor of %d", kind);
        check_near((double)upper.gap, 0, 1e-6, "gap of %d", kind);
        if (upper.type == MOTE_JOINT_HINGE)
            check_near(fabs((double)(universal ? upper.axis.x : upper.axis.z)), 1, 1e-6, "axis of %d", kind);
        if (universal) {
            mote_joint_state lower = joint_of(world, bodies[2], bodies[1]);
            assert_int_equal(lower.type, MOTE_JOINT_HINGE);
            check_near(fabs((double)lower.axis.z), 1, 1e-6, "axis of the lower hinge");
            check_true(mote_is_null(mote_joint_between(world, bodies[0], bodies[1])), "none between the ends");
        }
        mote_world_destroy(world);
    }
}

/* How far the upper body has tilted (rad, about z towards +x) when it was pulled sideways along x by
 * `acceleration` for `frames`, its lower body held fast. */
static double tilt_after(jointed_kind kind, float acceleration, uint32_t frames, mote_body_state *upper)
{
    mote_settings settings = weightless();
    settings.gravity = vec(acceleration, 0, 0);
    settings.substeps = 8;
    settings.iterations = 4;
    mote_world *world = still_world();
    must(mote_world_set_settings(world, &settings));
    jointed_object_def def = object_at(kind, vec(0, 0, 0));
    mote_body_id bodies[JOINTED_MAX_BODIES];
    uint32_t count;
    must(jointed_object_add(world, &def, bodies, &count));
    must(mote_body_get(world, bodies[0], upper));
    must(mote_body_set_mode(world, bodies[1], MOTE_BODY_DRIVEN));
    step_times(world, frames, TEST_FRAME);
    mote_body_state moved;
    must(mote_body_get(world, bodies[0], &moved));
    mote_joint_id joints[2];
    uint32_t joint_count = mote_joint_list(world, joints, 2);
    for (uint32_t i = 0; i < joint_count; i++) {
        mote_joint_state joint;
        must(mote_joint_get(world, joints[i], &joint));
        check_below((double)joint.gap, 0.02 * (double)R, "gap of a joint of kind %d", kind);
    }
    mote_world_destroy(world);
    return -2.0 * atan2((double)moved.pose.rotation.z, (double)moved.pose.rotation.w);
}

/* Pulled sideways by a, a body of mass m whose centre is d from the hinge and whose moment of inertia is I
 * begins to turn with m a d / (I + m d^2). */
static double free_tilt(const mote_body_state *body, double x, double acceleration, double time)
{
    double mass = (double)body->mass, dx = (double)body->center.x - x, dy = (double)body->center.y;
    double inertia = 0.5 * ((double)body->inertia.y + (double)body->inertia.z);
    return 0.5 * time * time * mass * acceleration * dy / (inertia + mass * (dx * dx + dy * dy));
}

static void ways_to_turn(void **state)
{
    (void)state;
    const uint32_t frames = 15; /* 0.25 s: the tilt stays below 0.1 rad */
    const float pull = 5.0f;    /* m/s^2 */
    static const bool turns[JOINTED_KIND_COUNT] = {true, true, false, true, true};
    for (int kind = 0; kind < JOINTED_KIND_COUNT; kind++)
        for (int side = -1; side <= 1; side += 2) {
            mote_body_state upper;
            float acceleration = pull * (float)side;
            double tilt = tilt_after((jointed_kind)kind, acceleration, frames, &upper);
            bool free = turns[kind] && !(kind == JOINTED_KNEE && side < 0);
            double hinge = kind == JOINTED_KNEE ? (double)R : 0.0;
            double expected = free ? free_tilt(&upper, hinge, (double)acceleration, frames / 60.0) : 0.0;
            /* A stepped fall is ahead by one substep in 15 frames of eight; the middle body of the universal
             * joint and its second hinge are more to turn. */
            double tolerance = kind == JOINTED_UNIVERSAL ? 0.06 * fabs(expected) : 0.03 * fabs(expected);
            check_near(tilt, expected, free ? tolerance : 0.004, "tilt of kind %d to side %d", kind, side);
        }
}

/* ---- definitions out of range, and memory --------------------------------------------------------------- */

static void refuse(const jointed_object_def *def, const char *what)
{
    mote_world *world = still_world();
    mote_body_id bodies[JOINTED_MAX_BODIES];
    uint32_t count = 7;
    check_true(jointed_object_add(world, def, bodies, &count) != MOTE_OK, "%s must be refused", what);
    check_near(count, 0, 0, "bodies after %s", what);
    check_near((double)mote_particle_count(world), 0, 0, "particles after %s", what);
    mote_world_destroy(world);
}

static void bad_definitions(void **state)
{
    (void)state;
    jointed_object_def def = jointed_object_default(JOINTED_BALL);
    def.layers = 0;
    refuse(&def, "no layers");
    def.layers = JOINTED_MAX_LAYERS + 1;
    refuse(&def, "too many layers");
    def = jointed_object_default(JOINTED_KIND_COUNT);
    refuse(&def, "an unknown kind");
    def = jointed_object_default(JOINTED_BALL);
    def.center.y = NAN;
    refuse(&def, "a place that is none");
    def = jointed_object_default(JOINTED_BALL);
    def.rotation = (mote_quat){0, 0, 0, 0};
    refuse(&def, "a rotation that is none");
    mote_world *world = still_world();
    check_true(jointed_pile_build(world, 0) == MOTE_ERROR_ARGUMENT, "an empty pile");
    mote_world_destroy(world);
}

/* Whichever block of memory is refused: nothing is left of a half-made object. */
static void out_of_memory(void **state)
{
    (void)state;
    bool refused = true;
    for (size_t at = 1; refused && at < 200; at++) {
        test_heap heap = {0};
        mote_world_def def = test_world_def(NULL);
        def.allocator = heap_allocator(&heap);
        mote_world *world;
        must(mote_world_create(&def, &world));
        heap.fail_at = heap.calls + at;
        jointed_object_def object = jointed_object_default(JOINTED_UNIVERSAL);
        mote_body_id bodies[JOINTED_MAX_BODIES];
        uint32_t count;
        mote_result result = jointed_object_add(world, &object, bodies, &count);
        refused = result != MOTE_OK;
        check_true(!refused || result == MOTE_ERROR_MEMORY, "%s", mote_last_error());
        check_near((double)mote_particle_count(world), refused ? 0 : 30, 0, "particles");
        check_near(mote_body_count(world), refused ? 0 : 3, 0, "bodies");
        check_near(mote_joint_count(world), refused ? 0 : 2, 0, "joints");
        mote_world_destroy(world);
        check_near((double)heap.live_blocks, 0, 0, "blocks that are left");
    }
    check_true(!refused, "at last there is enough memory");
}

/* ---- whole scenes --------------------------------------------------------------------------------------- */

static void pile_scene(void **state)
{
    (void)state;
    mote_world *world = still_world();
    must(jointed_pile_build(world, 300));
    check_near((double)mote_particle_count(world), 75 * (36 + 33 + 36 + 30) + 4 * 64, 0, "particles");
    check_near(jointed_pile_particles(300), (double)mote_particle_count(world), 0, "particles said");
    check_near(mote_body_count(world), 2 * 300 + 75 + 4, 0, "bodies");
    check_near(mote_joint_count(world), 300 + 75, 0, "joints");
    check_near(mote_shape_count(world), 1, 0, "shapes");
    mote_settings settings = mote_world_settings(world);
    check_true(settings.solver == MOTE_SOLVER_IMPULSE && settings.substeps == 8, "settings");
    check_near((double)settings.gravity.y, -10, 0, "gravity");
    check_near((double)stats_of(world).max_penetration, 0, 1e-4, "overlaps at the start, m");
    step_times(world, 5, TEST_FRAME);
    mote_world_destroy(world);
}

/* A pile whose last layer is not full. */
static void odd_pile(void **state)
{
    (void)state;
    for (uint32_t objects = 1; objects < 7; objects++) {
        mote_world *world = still_world();
        must(jointed_pile_build(world, objects));
        check_near(jointed_pile_particles(objects), (double)mote_particle_count(world), 0, "%u objects",
                   objects);
        mote_world_destroy(world);
    }
}

static void pairs_scene(void **state)
{
    (void)state;
    mote_world *world = still_world();
    must(pairs_540_build(world));
    check_near((double)mote_particle_count(world), 15930, 0, "particles");
    check_near(pairs_540_particles(), 15930, 0, "particles said");
    check_near(mote_body_count(world), 540, 0, "bodies");
    check_near(mote_joint_count(world), 270, 0, "joints");
    check_near(mote_shape_count(world), 5, 0, "static boxes");
    check_near((double)stats_of(world).max_penetration, 0, 1e-4, "overlaps at the start, m");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particle_counts), cmocka_unit_test(particles_touch), cmocka_unit_test(particle_places),
        cmocka_unit_test(joint_types),     cmocka_unit_test(ways_to_turn),    cmocka_unit_test(bad_definitions),
        cmocka_unit_test(out_of_memory),   cmocka_unit_test(pile_scene),      cmocka_unit_test(odd_pile),
        cmocka_unit_test(pairs_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
