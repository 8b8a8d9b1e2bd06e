/* Anything at any time: operations over the whole API in random order, on things of ordinary masses. Nothing gets
 * faster than falling, the shapes' motion, picks and overlaps that come apart can explain; and after every step the
 * world can be saved and restored to the same hash, and goes on with the same bits. */
#include "impulse_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define R TEST_RADIUS

enum {
    OPERATIONS = TEST_BY_BUILD(500, 100, 20),
    MANY_OPERATIONS = 10000, /* and 20 seeds: with MOTE_LONG=1 in the environment */
    SEEDS = 4,
    MANY_SEEDS = 20,
    WALLS = 5,        /* shapes that stay: the box that it all is in */
    MOST_BODIES = 30, /* more than so many, and the next one replaces one */
    MOST_SHAPES = WALLS + 5,
    MOST_PARTICLES = 900,
    PICKS = 4,
};

static const float HALF_WIDTH = 2;   /* m, of the box */
static const float HIGHEST = 2.5f;   /* m, where anything is put */
static const float SHAPE_SPEED = 1;  /* m/s, of shapes and driven bodies */
static const float PICK_FORCE = 10;  /* N */
static const float PICK_WAY = 0.2f;  /* m, from a particle to the target */
static const float LONGEST_ARM = 1;  /* m, from the middle of two bodies to their joint */
static const double SMALLEST = 0.25; /* kg, of a particle */

typedef struct monkey {
    mote_world *world, *twin; /* the twin is restored from the world's snapshots */
    mote_material_id liquid;
    mote_pick_id pick[PICKS];
    uint64_t random;
    bool plain; /* no liquids: then speeds are bounded, too */
} monkey;

/* The fall from the highest place, a shape that comes towards it, an overlap of 20 radii a second, and a pick. */
static double explained_speed(void)
{
    double fall = sqrt(2 * TEST_GRAVITY * (double)HIGHEST), apart = 20 * (double)R;
    double pulled = sqrt(2 * (double)PICK_FORCE * (double)PICK_WAY / SMALLEST);
    return fall + (double)SHAPE_SPEED + apart + pulled;
}

/* ---- chance --------------------------------------------------------------------------------------------- */

static float within(monkey *m, float low, float high)
{
    return random_between(&m->random, low, high);
}

static uint32_t below(monkey *m, uint32_t count)
{
    uint32_t n = (uint32_t)within(m, 0, (float)count);
    return n < count ? n : count - 1;
}

static mote_vec3 any_place(monkey *m)
{
    float reach = HALF_WIDTH - 0.4f;
    float x = within(m, -reach, reach), y = within(m, 0.2f, HIGHEST), z = within(m, -reach, reach);
    return vec(x, y, z);
}

static mote_vec3 any_step(monkey *m, float size)
{
    float x = within(m, -1, 1), y = within(m, -1, 1), z = within(m, -1, 1);
    return vec(size * 0.57f * x, size * 0.57f * y, size * 0.57f * z);
}

static mote_vec3 moved(mote_vec3 place, mote_vec3 way)
{
    return vec(place.x + way.x, place.y + way.y, place.z + way.z);
}

/* Never along one axis only, and never 0. */
static mote_vec3 any_axis(monkey *m)
{
    return moved(vec(0.1f, 0.7f, 0.2f), any_step(m, 1));
}

static bool any_body(monkey *m, mote_body_id *body)
{
    mote_body_id ids[256];
    uint32_t count = mote_body_list(m->world, ids, 256);
    if (count == 0)
        return false;
    *body = ids[below(m, count < 256 ? count : 256)];
    return true;
}

static bool is_driven(const monkey *m, mote_body_id body)
{
    return body_of(m->world, body).mode == MOTE_BODY_DRIVEN;
}

/* What has a joint is not put elsewhere nor driven: it would tear at the joint, and nothing says how fast what is
 * torn may come back. */
static bool is_jointed(const monkey *m, mote_body_id body)
{
    mote_joint_id ids[256];
    uint32_t count = mote_joint_list(m->world, ids, 256);
    assert_true(count <= 256);
    for (uint32_t n = 0; n < count; n++) {
        mote_joint_state joint = joint_of(m->world, ids[n]);
        if (joint.a.index == body.index || (!mote_is_null(joint.b) && joint.b.index == body.index))
            return true;
    }
    return false;
}

static bool any_shape(monkey *m, mote_shape_id *shape)
{
    mote_shape_id ids[MOST_SHAPES + 1];
    uint32_t count = mote_shape_list(m->world, ids, MOST_SHAPES + 1);
    if (count <= WALLS)
        return false;
    *shape = ids[WALLS + below(m, count - WALLS)];
    return true;
}

static mote_particle_id any_particle(monkey *m)
{
    mote_particles_view view = mote_particles_get_view(m->world);
    if (view.count == 0)
        return (mote_particle_id){0};
    mote_particle_id id = view.id[below(m, (uint32_t)view.count)];
    return id;
}

static bool is_crowded(const monkey *m)
{
    return mote_particle_count(m->world) > MOST_PARTICLES;
}

/* ---- operations: each looks for something that it can be done to; if there is none, it does nothing ------- */

static void add_a_body(monkey *m)
{
    if (is_crowded(m))
        return;
    uint32_t x = 1 + below(m, 4), y = 1 + below(m, 4), z = 1 + below(m, 4);
    mote_vec3 place = any_place(m);
    lattice block = {.count = {x, y, z}, .center = place};
    block.mass = (float)(x * y * z) * within(m, 0.5f, 2);
    add_lattice(m->world, &block);
}

static void remove_a_body(monkey *m)
{
    mote_body_id body;
    if (any_body(m, &body))
        must(mote_body_remove(m->world, body));
}

static void dissolve_a_body(monkey *m)
{
    mote_body_id body;
    if (mote_body_count(m->world) > MOST_BODIES / 2 && any_body(m, &body))
        must(mote_body_dissolve(m->world, body));
}

static void push_a_body_aside(monkey *m)
{
    mote_body_id body;
    if (!any_body(m, &body) || is_jointed(m, body))
        return;
    mote_pose pose = body_of(m->world, body).pose;
    pose.position = moved(pose.position, any_step(m, 0.3f));
    must(mote_body_set_pose(m->world, body, pose));
}

static void drive_or_free_a_body(monkey *m)
{
    mote_body_id body;
    if (!any_body(m, &body) || is_jointed(m, body))
        return;
    bool driven = is_driven(m, body);
    must(mote_body_set_velocity(m->world, body, any_step(m, SHAPE_SPEED), vec(0, 0, 0)));
    must(mote_body_set_mode(m->world, body, driven ? MOTE_BODY_DYNAMIC : MOTE_BODY_DRIVEN));
}

static void move_a_driven_body(monkey *m)
{
    mote_body_id body;
    if (!any_body(m, &body) || !is_driven(m, body))
        return;
    mote_pose pose = body_of(m->world, body).pose;
    pose.position = moved(pose.position, any_step(m, SHAPE_SPEED * TEST_FRAME));
    must(mote_body_move_to(m->world, body, pose));
}

static void add_joint_at(monkey *m, mote_body_id a, mote_body_id b, mote_vec3 anchor)
{
    mote_joint_type type = (mote_joint_type)below(m, MOTE_JOINT_TYPE_COUNT); /* one draw after the other */
    mote_joint_def def = joint_def(type, a, b, any_axis(m));
    def.second_axis = vec(1, 0, 0);
    def.anchor = anchor;
    def.collide = below(m, 4) == 0;
    if (below(m, 2) == 0) {
        def.min_angle = -within(m, 0, 2);
        def.max_angle = within(m, 0, 2);
        def.swing_limit = within(m, 0.2f, 2);
        def.twist_limit = within(m, 0.2f, 2);
    }
    def.damping = within(m, 0, 2);
    def.break_force = below(m, 3) == 0 ? within(m, 100, 2000) : MOTE_UNBREAKABLE;
    add_joint_of(m->world, &def);
}

/* The nearest that is not driven nor jointed to it yet, within reach of an arm. */
static bool near_body(const monkey *m, mote_body_id body, mote_body_id *near)
{
    mote_body_id ids[256];
    uint32_t count = mote_body_list(m->world, ids, 256);
    double least = (double)LONGEST_ARM;
    mote_vec3 place = body_of(m->world, body).center;
    bool found = false;
    for (uint32_t n = 0; n < count && n < 256; n++) {
        double distance = distance_of(place, body_of(m->world, ids[n]).center);
        if (ids[n].index == body.index || distance > least || is_driven(m, ids[n]) ||
            !mote_is_null(mote_joint_between(m->world, body, ids[n])))
            continue;
        least = distance;
        *near = ids[n];
        found = true;
    }
    return found;
}

static void join_two_bodies(monkey *m)
{
    mote_body_id a, b;
    if (!any_body(m, &a) || is_driven(m, a) || !near_body(m, a, &b))
        return;
    mote_vec3 p = body_of(m->world, a).center, q = body_of(m->world, b).center;
    mote_vec3 middle = vec(0.5f * (p.x + q.x), 0.5f * (p.y + q.y), 0.5f * (p.z + q.z));
    add_joint_at(m, a, b, moved(middle, any_step(m, LONGEST_ARM)));
}

static void join_a_body_to_the_world(monkey *m)
{
    mote_body_id body;
    if (any_body(m, &body) && !is_driven(m, body))
        add_joint_at(m, body, (mote_body_id){0},
                     moved(body_of(m->world, body).center, any_step(m, LONGEST_ARM)));
}

static void remove_a_joint(monkey *m)
{
    mote_joint_id ids[256];
    uint32_t count = mote_joint_list(m->world, ids, 256);
    if (count > 0)
        must(mote_joint_remove(m->world, ids[below(m, count < 256 ? count : 256)]));
}

static void add_grains(monkey *m)
{
    if (is_crowded(m))
        return;
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[1] = grains.count[2] = 2 + below(m, 2);
    grains.origin = any_place(m);
    grains.radius_spread = 0.2f;
    grains.jitter = 0.1f;
    grains.seed = 1 + below(m, 1000);
    must(mote_grains_block(m->world, &grains, NULL));
}

/* Loose ones only; more of them when there is little room left. */
static void remove_particles(monkey *m)
{
    for (int left = is_crowded(m) ? 60 : 3; left > 0; left--) {
        mote_particle_id particle = any_particle(m);
        mote_body_id body;
        if (!mote_is_null(particle) && mote_particle_bodies(m->world, particle, &body, 1) == 0)
            must(mote_particle_remove(m->world, particle));
    }
}

static void add_a_drop(monkey *m)
{
    if (m->plain)
        return;
    if (is_crowded(m))
        return;
    mote_fluid_def drop = mote_default_fluid_def();
    drop.min = any_place(m);
    drop.max = moved(drop.min, vec(0.3f, 0.3f, 0.3f));
    drop.material = m->liquid;
    must(mote_fluid_block(m->world, &drop, NULL));
}

static mote_shape_def any_form(monkey *m)
{
    static const mote_shape_type types[] = {MOTE_SHAPE_SPHERE, MOTE_SHAPE_BOX, MOTE_SHAPE_CAPSULE};
    mote_shape_def def = mote_default_shape_def();
    def.type = types[below(m, 3)];
    def.position = any_place(m);
    def.radius = within(m, 0.1f, 0.3f);
    def.half_height = within(m, 0.1f, 0.3f);
    def.half_extents = vec(within(m, 0.1f, 0.3f), def.half_height, def.radius);
    if (below(m, 2) == 0)
        def.velocity = any_step(m, SHAPE_SPEED);
    return def;
}

static void add_a_shape(monkey *m)
{
    mote_shape_def def = any_form(m);
    if (mote_shape_count(m->world) < MOST_SHAPES)
        must_exist(mote_shape_add(m->world, &def));
}

static void put_a_shape_elsewhere(monkey *m)
{
    mote_shape_id shape;
    mote_shape_def def = any_form(m);
    if (any_shape(m, &shape))
        must(mote_shape_set(m->world, shape, &def));
}

static void move_a_shape(monkey *m)
{
    mote_shape_id shape;
    mote_shape_def def;
    if (!any_shape(m, &shape))
        return;
    must(mote_shape_get(m->world, shape, &def));
    mote_vec3 place = moved(def.position, any_step(m, SHAPE_SPEED * TEST_FRAME));
    must(mote_shape_move_to(m->world, shape, place, def.rotation));
}

static void remove_a_shape(monkey *m)
{
    mote_shape_id shape;
    if (any_shape(m, &shape))
        must(mote_shape_remove(m->world, shape));
}

static void pick_a_particle(monkey *m)
{
    mote_pick_def def = mote_default_pick_def();
    def.particle = any_particle(m);
    uint32_t n = below(m, PICKS);
    if (mote_is_null(def.particle) || mote_pick_is_valid(m->world, m->pick[n]))
        return;
    def.target = moved(state_of(m->world, def.particle).position, any_step(m, PICK_WAY));
    def.max_force = PICK_FORCE;
    m->pick[n] = mote_pick_add(m->world, &def); /* null if it is of a driven body */
}

static void let_go(monkey *m)
{
    uint32_t n = below(m, PICKS);
    if (mote_pick_is_valid(m->world, m->pick[n]))
        must(mote_pick_remove(m->world, m->pick[n]));
}

static const struct {
    const char *name;
    void (*run)(monkey *m);
    uint32_t weight; /* how often, beside the others */
} operations[] = {
    {"add a body", add_a_body, 6},
    {"remove a body", remove_a_body, 2},
    {"dissolve a body", dissolve_a_body, 1},
    {"push a body aside", push_a_body_aside, 2},
    {"drive or free a body", drive_or_free_a_body, 2},
    {"move a driven body", move_a_driven_body, 3},
    {"join two bodies", join_two_bodies, 8},
    {"join a body to the world", join_a_body_to_the_world, 1},
    {"remove a joint", remove_a_joint, 2},
    {"add grains", add_grains, 3},
    {"remove particles", remove_particles, 4},
    {"add a drop", add_a_drop, 2},
    {"add a shape", add_a_shape, 2},
    {"put a shape elsewhere", put_a_shape_elsewhere, 1},
    {"move a shape", move_a_shape, 4},
    {"remove a shape", remove_a_shape, 1},
    {"pick a particle", pick_a_particle, 2},
    {"let go", let_go, 1},
};

/* What is done, for the report of a failure. */
static char now_doing[128];

static void do_something(monkey *m, uint64_t seed, int number)
{
    uint32_t total = 0, n = 0;
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++)
        total += operations[k].weight;
    uint32_t left = below(m, total);
    while (left >= operations[n].weight)
        left -= operations[n++].weight;
    snprintf(now_doing, sizeof now_doing, "seed %llu, operation %d: %s", (unsigned long long)seed, number,
             operations[n].name);
    operations[n].run(m);
    if (mote_body_count(m->world) > MOST_BODIES)
        remove_a_body(m);
}

/* ---- what must hold ------------------------------------------------------------------------------------- */

static void check_speed(const monkey *m)
{
    if (!m->plain)
        return;
    mote_particles_view view = mote_particles_get_view(m->world);
    for (size_t i = 0; i < view.count; i++) {
        mote_vec4 x = view.position[i], v = view.velocity[i];
        check_below(length_of(vec(v.x, v.y, v.z)), 1.5 * explained_speed(),
                    "%s: particle %u of %zu at (%.3g, %.3g, %.3g): speed, m/s", now_doing, view.id[i].index,
                    view.count, (double)x.x, (double)x.y, (double)x.z);
    }
}

static void check_snapshot(monkey *m)
{
    size_t size = mote_snapshot_size(m->world), written = 0;
    void *bytes = malloc(size);
    assert_non_null(bytes);
    must(mote_snapshot_take(m->world, bytes, size, &written));
    mote_result result = mote_snapshot_restore(m->twin, bytes, written);
    free(bytes);
    must(result);
    check_true(mote_world_hash(m->world) == mote_world_hash(m->twin), "%s: restored, it has the same hash",
               now_doing);
}

/* Now and then the restored one goes on beside the first. */
static void check_goes_on(monkey *m)
{
    step_times(m->world, 1, TEST_FRAME);
    step_times(m->twin, 1, TEST_FRAME);
    check_true(mote_world_hash(m->world) == mote_world_hash(m->twin), "%s: restored, it goes on the same",
               now_doing);
    check_speed(m);
}

static monkey start_monkey(uint64_t seed, bool plain)
{
    monkey m = {.world = impulse_world(), .twin = impulse_world(), .random = seed, .plain = plain};
    add_box(m.world, HALF_WIDTH, (mote_material_id){0});
    mote_material_def def = mote_default_material_def();
    def.fluid = true;
    def.viscosity = 0.1f;
    m.liquid = mote_material_add(m.world, &def);
    must_exist(m.liquid);
    return m;
}

static void run_monkey(uint64_t seed, bool plain)
{
    monkey m = start_monkey(seed, plain);
    double fastest = 0;
    uint32_t joints = 0;
    for (int n = 0; n < (test_is_long() ? MANY_OPERATIONS : OPERATIONS); n++) {
        do_something(&m, seed, n);
        step_times(m.world, 1, TEST_FRAME);
        check_speed(&m);
        check_snapshot(&m);
        if (n % 10 == 0)
            check_goes_on(&m);
        fastest = fmax(fastest, fastest_of(m.world));
        joints = mote_joint_count(m.world) > joints ? mote_joint_count(m.world) : joints;
    }
    print_message(
        "seed %llu: %zu particles, %u bodies at the end, up to %u joints; at most %.1f m/s, allowed %.1f\n",
        (unsigned long long)seed, mote_particle_count(m.world), mote_body_count(m.world), joints, fastest,
        1.5 * explained_speed());
    mote_world_destroy(m.world);
    mote_world_destroy(m.twin);
}

/* Grains, bodies, joints, shapes and picks: nothing gets faster than gravity and moving shapes explain. */
static void nothing_explodes(void **state)
{
    run_monkey(*(const uint64_t *)*state, true);
}

/* And liquids: whatever a step leaves can be saved and goes on the same. */
static void anything_goes(void **state)
{
    run_monkey(*(const uint64_t *)*state, false);
}

/* Where a call failed that a check does not name. */
static int tell(void **state)
{
    (void)state;
    print_message("last: %s\n", now_doing);
    return 0;
}

int main(void)
{
    static uint64_t seeds[MANY_SEEDS] = {1, 20, 300, 1003};
    struct CMUnitTest tests[2 * MANY_SEEDS];
    size_t count = test_is_long() ? MANY_SEEDS : SEEDS;
    for (size_t n = SEEDS; n < MANY_SEEDS; n++)
        seeds[n] = 1000 + n;
    for (size_t n = 0; n < count; n++) {
        tests[n] = (struct CMUnitTest){"nothing_explodes", nothing_explodes, NULL, tell, &seeds[n]};
        tests[count + n] = (struct CMUnitTest){"anything_goes", anything_goes, NULL, tell, &seeds[n]};
    }
    return _cmocka_run_group_tests("monkey", tests, 2 * count, NULL, NULL);
}
