/* Neighbour lists of bodies against brute force: every list must name who is within reach and may collide, each
 * once, and nobody else. Bodies are looked for by clusters of their particles and by packs of these, so what
 * matters here is bodies of all sizes and forms, in crowds and far apart, among grains and liquids. */
#include "support.h"

#include "scenes/jointed_objects.h"
#include "step/neighbors/neighbors.h"
#include "step/neighbors/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- who must be in whose list -------------------------------------------------------------------------- */

static bool share_a_body(const mote_world *world, mote_particle_id i, mote_particle_id j, uint32_t *of_i,
                         mote_body_id first[2])
{
    mote_body_id a[4], b[4];
    uint32_t in_a = mote_particle_bodies(world, i, a, 4), in_b = mote_particle_bodies(world, j, b, 4);
    assert_true(in_a <= 4 && in_b <= 4);
    *of_i = in_a == 1 && in_b == 1;
    first[0] = a[0];
    first[1] = b[0];
    for (uint32_t x = 0; x < in_a; x++)
        for (uint32_t y = 0; y < in_b; y++)
            if (a[x].index == b[y].index)
                return true;
    return false;
}

static bool may_collide(const mote_world *world, uint32_t i, uint32_t j)
{
    const uint32_t *phase = mt_phases(world);
    mote_body_id body[2];
    uint32_t alone;
    if (((phase[i] ^ phase[j]) & MOTE_PHASE_GROUP_MASK) == 0 &&
        (phase[i] & phase[j] & MOTE_PHASE_SELF_COLLIDE) == 0)
        return false;
    if (share_a_body(world, mt_particle_ids(world)[i], mt_particle_ids(world)[j], &alone, body))
        return false;
    for (uint32_t k = 0; alone != 0 && k < world->joints.count; k++) {
        const mt_joint *joint = &mt_joints(world)[k];
        bool joined = (joint->a.index == body[0].index && joint->b.index == body[1].index) ||
                      (joint->a.index == body[1].index && joint->b.index == body[0].index);
        if (joined && !joint->collides && !mote_is_null(joint->b))
            return false;
    }
    return true;
}

typedef struct found_pairs {
    size_t right, missing, foreign, twice;
} found_pairs;

/* Rounded as the library does it. */
static bool within_reach(const mt_list_plan *plan, const mote_world *world, const mote_vec4 *where, uint32_t i,
                         uint32_t j)
{
    float radius_i = mt_positions(world)[i].w, radius_j = mt_positions(world)[j].w;
    float within = mt_reach(plan, where[j], radius_j, mt_velocities(world)[j]) +
                   mt_reach(plan, where[i], radius_i, mt_velocities(world)[i]);
    float x = where[j].x - where[i].x, y = where[j].y - where[i].y, z = where[j].z - where[i].z;
    return x * x + y * y + z * z < within * within;
}

static found_pairs compare(const mote_world *world, const mt_list_plan *plan, const mote_vec4 *where)
{
    const mt_lists *lists = &world->scratch->search.lists;
    uint32_t count = world->particles.count;
    uint8_t *listed = malloc(count);
    found_pairs found = {0, 0, 0, 0};
    assert_non_null(listed);
    for (uint32_t i = 0; i < count; i++) {
        if (mt_velocities(world)[i].w == 0)
            continue;
        memset(listed, 0, count);
        for (uint32_t k = 0; k < mt_neighbor_count(lists, i); k++)
            if (mt_neighbor(lists, i, k) < count)
                found.twice += listed[mt_neighbor(lists, i, k)]++ > 0;
        for (uint32_t j = 0; j < count; j++) {
            bool near = i != j && within_reach(plan, world, where, i, j);
            if (!near && listed[j] == 0)
                continue;
            bool expected = near && may_collide(world, i, j);
            found.right += expected && listed[j] != 0;
            found.missing += expected && listed[j] == 0;
            found.foreign += !expected && listed[j] != 0;
        }
    }
    free(listed);
    return found;
}

/* Lists made where particles are, with and without a skin. */
static void check_lists(mote_world *world, const char *name, size_t fewest)
{
    for (int skin = 0; skin < 2; skin++) {
        mt_list_plan plan = mt_plan_for_now(world);
        plan.skin = skin == 0 ? 0.0f : 0.25f;
        must(mt_scratch_reserve(world));
        must(mt_grid_sort(world, mt_positions(world), &plan));
        must(mt_lists_build(world, mt_positions(world), false, false));
        found_pairs found = compare(world, &plan, mt_positions(world));
        check_above((double)found.right, (double)fewest, "%s: neighbours", name);
        check_near((double)found.missing, 0, 0, "%s: neighbours that are missing of %zu", name, found.right);
        check_near((double)found.foreign, 0, 0, "%s: neighbours that are none", name);
        check_near((double)found.twice, 0, 0, "%s: neighbours that are named twice", name);
        check_near((double)world->scratch->search.lists.entries, (double)found.right, 0, "%s: how many", name);
    }
}

/* ---- worlds --------------------------------------------------------------------------------------------- */

static mote_quat any_rotation(uint64_t *seed)
{
    float q[4], sum = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = random_between(seed, -1, 1);
        sum += q[k] * q[k];
    }
    float scale = 1 / sqrtf(sum);
    return (mote_quat){q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale};
}

static mote_vec3 any_place(uint64_t *seed, float half_width)
{
    float at[3]; /* one after the other: compilers differ in the order of arguments */
    for (int axis = 0; axis < 3; axis++)
        at[axis] = random_between(seed, -half_width, half_width);
    return vec(at[0], at[1], at[2]);
}

typedef struct body_form {
    uint32_t count[3];
    float radius; /* in TEST_RADIUS */
} body_form;

/* Bodies of some forms by turns, turned anyhow, within a cube around a place. */
static void add_bodies(mote_world *world, const body_form *forms, uint32_t form_count, uint32_t bodies,
                       float half_width, mote_vec3 around)
{
    uint64_t seed = 5;
    for (uint32_t b = 0; b < bodies; b++) {
        const body_form *form = &forms[b % form_count];
        mote_rigid_def def = mote_default_rigid_def();
        mote_vec3 place = any_place(&seed, half_width);
        def.pose.position = vec(around.x + place.x, around.y + place.y, around.z + place.z);
        def.pose.rotation = any_rotation(&seed);
        def.velocity = any_place(&seed, 3);
        def.spin = any_place(&seed, 3);
        def.radius = form->radius * TEST_RADIUS;
        must_exist(mote_rigid_box(world, &def, form->count));
    }
}

static void add_grains(mote_world *world, uint32_t side, float spacing)
{
    mote_grains_def def = mote_default_grains_def();
    float first = -0.5f * spacing * (float)(side - 1);
    def.count[0] = def.count[1] = def.count[2] = side;
    def.radius_spread = 0.5f;
    def.jitter = 0.3f;
    def.spacing = spacing;
    def.origin = vec(first, first, first);
    must(mote_grains_block(world, &def, NULL));
}

static void check_world(mote_world *world, const char *name, size_t fewest)
{
    check_lists(world, name, fewest); /* in the order in which they were added */
    for (int step = 0; step < 2; step++) {
        step_times(world, 1, TEST_FRAME);
        check_lists(world, name, fewest / 10); /* overlaps drive them apart */
    }
    mote_world_destroy(world);
}

static mote_world *floating_world(void)
{
    mote_settings settings = weightless();
    return test_world(&settings);
}

static const body_form cubes = {{2, 2, 2}, 1}, boxes = {{5, 4, 3}, 1}, rods = {{1, 20, 1}, 1},
                       sheets = {{10, 1, 9}, 1}, points = {{1, 1, 1}, 1}, threes = {{3, 1, 1}, 1};

static void forms(void **state)
{
    (void)state;
    const body_form all[] = {cubes, boxes, rods, sheets, points, threes};
    for (int k = 0; k < 6; k++) {
        mote_world *world = floating_world();
        add_bodies(world, &all[k], 1, k == 4 ? 600 : 40, 0.5f, vec(0, 0, 0));
        check_world(world, "bodies of one form", 50);
    }
    mote_world *world = floating_world();
    add_bodies(world, all, 6, 60, 0.6f, vec(0, 0, 0));
    check_world(world, "bodies of all forms", 1000);
}

/* One in eight is large, and the particles of others are small. */
static void radii(void **state)
{
    (void)state;
    const body_form all[] = {cubes, {{2, 4, 2}, 0.3f}, {{6, 6, 1}, 0.15f}, {{2, 2, 2}, 3}, {{7, 1, 1}, 0.5f}};
    mote_world *world = floating_world();
    add_bodies(world, all, 5, 60, 0.5f, vec(0, 0, 0));
    add_grains(world, 8, 0.12f);
    check_world(world, "radii 1:20", 1000);
}

static void among_grains(void **state)
{
    (void)state;
    const body_form all[] = {cubes, boxes, rods, threes};
    for (int few = 0; few < 2; few++) {
        mote_world *world = floating_world();
        add_grains(world, few == 1 ? 2 : 10, 0.11f);
        add_bodies(world, all, 4, few == 1 ? 40 : 8, 0.5f, vec(0, 0, 0));
        add_grains(world, 3, 0.3f);
        check_world(world, "among grains", 500);
    }
}

static void in_a_liquid(void **state)
{
    (void)state;
    const body_form all[] = {cubes, boxes, rods};
    mote_world *world = floating_world();
    mote_fluid_def def = mote_default_fluid_def();
    mote_material_def water = mote_default_material_def();
    water.fluid = true;
    def.material = mote_material_add(world, &water);
    def.min = vec(-0.5f, -0.5f, -0.5f);
    def.max = vec(0.5f, 0.1f, 0.5f);
    must_exist(def.material);
    must(mote_fluid_block(world, &def, NULL));
    add_bodies(world, all, 3, 12, 0.5f, vec(0, 0, 0));
    check_world(world, "in a liquid", 1000);
}

/* More packs near each other than are noted, and more particles than a list is made for at first. */
static void crowds(void **state)
{
    (void)state;
    const body_form all[] = {cubes, threes, points};
    mote_world *world = floating_world();
    add_bodies(world, all, 3, 320, 0.06f, vec(-3, 2, 1));
    check_world(world, "a crowd", 50000);
    world = floating_world();
    add_bodies(world, all, 3, 300, 0.06f, vec(0, 0, 0));
    add_grains(world, 3, 0.03f);
    check_world(world, "a crowd with grains", 50000);
}

static void far_away(void **state)
{
    (void)state;
    const body_form all[] = {cubes, boxes, rods, sheets};
    const mote_vec3 places[] = {{1e4f, -2e4f, 3e3f}, {-9e5f, 9e5f, 9e5f}};
    for (int k = 0; k < 2; k++) {
        mote_world *world = floating_world();
        add_bodies(world, all, 4, 30, 0.5f, places[k]);
        add_bodies(world, all, 4, 12, 0.3f, vec(0, 0, 0));
        check_world(world, "far away", 300);
    }
}

/* Points that are far from each other in their body: nothing of it is compact. */
static void scattered_bodies(void **state)
{
    (void)state;
    mote_world *world = floating_world();
    uint64_t seed = 3;
    for (int body = 0; body < 12; body++) {
        mote_vec3 at[60];
        for (int k = 0; k < 60; k++)
            at[k] = any_place(&seed, 0.6f);
        mote_rigid_def def = mote_default_rigid_def();
        must_exist(mote_rigid_points(world, &def, at, 60));
    }
    check_world(world, "scattered bodies", 1000);
}

static void phases(void **state)
{
    (void)state;
    mote_world *world = floating_world();
    uint64_t seed = 8;
    for (uint32_t b = 0; b < 60; b++) {
        mote_rigid_def def = mote_default_rigid_def();
        def.pose.position = any_place(&seed, 0.3f);
        def.phase = mote_phase(b % 3, b % 2 == 0, 0);
        must_exist(mote_rigid_box(world, &def, (const uint32_t[3]){2, 3, 2}));
    }
    add_grains(world, 5, 0.1f);
    check_world(world, "phases", 1000);
}

/* Bodies with joints, some of which collide with each other and some do not, and that share particles. */
static void jointed(void **state)
{
    (void)state;
    mote_world *world = floating_world();
    uint64_t seed = 21;
    for (int k = 0; k < 30; k++) {
        jointed_object_def def = jointed_object_default((jointed_kind)(k % JOINTED_KIND_COUNT));
        mote_body_id bodies[JOINTED_MAX_BODIES];
        uint32_t count;
        def.center = any_place(&seed, 0.4f);
        def.rotation = any_rotation(&seed);
        def.radius = TEST_RADIUS;
        must(jointed_object_add(world, &def, bodies, &count));
    }
    check_world(world, "jointed objects", 1000);
}

/* A chain in which neighbours do not collide, but others do: no two of its bodies are of one family. */
static void chained(void **state)
{
    (void)state;
    mote_world *world = floating_world();
    uint64_t seed = 4;
    mote_body_id last = {0, 0};
    for (int k = 0; k < 40; k++) {
        mote_rigid_def def = mote_default_rigid_def();
        def.pose.position = any_place(&seed, 0.25f);
        def.pose.rotation = any_rotation(&seed);
        mote_body_id body = mote_rigid_box(world, &def, (const uint32_t[3]){3, 3, 2});
        must_exist(body);
        mote_joint_def joint = mote_default_joint_def();
        joint.type = MOTE_JOINT_BALL;
        joint.a = last;
        joint.b = body;
        joint.anchor = def.pose.position;
        joint.collide = k % 4 == 0;
        if (k > 0)
            must_exist(mote_joint_add(world, &joint));
        last = body;
    }
    check_world(world, "a chain", 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),
        cmocka_unit_test(radii),
        cmocka_unit_test(among_grains),
        cmocka_unit_test(in_a_liquid),
        cmocka_unit_test(crowds),
        cmocka_unit_test(far_away),
        cmocka_unit_test(scattered_bodies),
        cmocka_unit_test(phases),
        cmocka_unit_test(jointed),
        cmocka_unit_test(chained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
