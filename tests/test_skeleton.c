/* Making skeletons: what they consist of, what is refused, what happens when parts are taken away. How they
 * move is in test_ragdoll.c. */
#include "refused.h"
#include "scenes/humanoid.h"

#include <stdio.h>
#include <string.h>

#define HEIGHT 1.75f /* m */
#define MASS   75.0f /* kg */

static mote_skeleton_def humanoid_def(mote_bone_def bones[HUMANOID_BONES])
{
    assert_int_equal(humanoid_bones(HEIGHT, bones, HUMANOID_BONES), HUMANOID_BONES);
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = bones;
    def.bone_count = HUMANOID_BONES;
    def.radius = HUMANOID_RADIUS * HEIGHT;
    def.mass = MASS;
    return def;
}

/* ---- what it is made of --------------------------------------------------------------------------------- */

/* How many particles two bones share. */
static size_t shared_by(const mote_world *world, mote_body_id a, mote_body_id b)
{
    mote_particle_id ids[256];
    size_t count = mote_body_particles(world, a, ids, 256), shared = 0;
    for (size_t i = 0; i < count; i++) {
        mote_body_id bodies[4];
        uint32_t of = mote_particle_bodies(world, ids[i], bodies, 4);
        for (uint32_t k = 0; k < of; k++)
            shared += bodies[k].index == b.index;
    }
    return shared;
}

/* The joints of the figure have as many particles as published for it. */
static void figure(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_bone_def bones[HUMANOID_BONES];
    mote_skeleton_def def = humanoid_def(bones);
    mote_skeleton_id id = mote_skeleton_add(world, &def);
    must_exist(id);
    assert_int_equal(mote_skeleton_count(world), 1);
    assert_int_equal(mote_skeleton_bone_count(world, id), 15);
    assert_int_equal(mote_body_count(world), 15);
    assert_int_equal(mote_joint_count(world), 14);
    check_near((double)mote_particle_count(world), 257, 8, "particles");
    static const uint32_t SHARED[HUMANOID_BONES] = {0, 6, 4, 1, 2, 4, 1, 2, 4, 3, 2, 4, 3, 2, 4};
    double mass = 0;
    for (uint32_t i = 0; i < HUMANOID_BONES; i++) {
        mote_body_id body = mote_skeleton_body(world, id, i);
        must_exist(body);
        assert_int_equal(mote_skeleton_find_bone(world, id, bones[i].name), i);
        mote_body_state body_state;
        must(mote_body_get(world, body, &body_state));
        mass += (double)body_state.mass;
        check_below(distance_of(body_state.pose.position, bones[i].rest.position), 1e-6, "place of %s",
                    bones[i].name);
        assert_true(mote_is_null(mote_skeleton_joint(world, id, i)) == (bones[i].parent == MOTE_NO_BONE));
        if (bones[i].parent == MOTE_NO_BONE)
            continue;
        check_near((double)shared_by(world, body, mote_skeleton_body(world, id, bones[i].parent)), SHARED[i], 0,
                   "particles that %s shares with its parent", bones[i].name);
        mote_joint_state joint;
        must(mote_joint_get(world, mote_skeleton_joint(world, id, i), &joint));
        assert_int_equal(joint.type, bones[i].joint);
        check_below(distance_of(joint.anchor, bones[i].rest.position), 1e-6, "joint of %s", bones[i].name);
    }
    check_near(mass, (double)MASS, 1e-3, "mass of all bones");
    mote_stats stats = stats_of(world);
    check_near(stats.residual, 0, 1e-5, "sum of overlaps at rest"); /* rounding of the places */
    mote_world_destroy(world);
}

/* Every distance between particles that share no body. */
static double nearest_strangers(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    double nearest = 1e9;
    for (size_t i = 0; i < view.count; i++)
        for (size_t k = 0; k < i; k++) {
            mote_body_id a[4], b[4];
            uint32_t na = mote_particle_bodies(world, view.id[i], a, 4),
                     nb = mote_particle_bodies(world, view.id[k], b, 4);
            bool together = false;
            for (uint32_t p = 0; p < na; p++)
                for (uint32_t q = 0; q < nb; q++)
                    together = together || a[p].index == b[q].index;
            mote_vec4 x = view.position[i], y = view.position[k];
            double distance = distance_of(vec(x.x, x.y, x.z), vec(y.x, y.y, y.z));
            if (!together && distance < nearest)
                nearest = distance;
        }
    return nearest;
}

/* Bones that lie over each other are thinned, so that they do not push each other at rest; in a group that does
 * not collide with itself they are left whole. */
static void overlapping_bones(void **state)
{
    (void)state;
    size_t counts[2];
    for (int collide = 0; collide < 2; collide++) {
        mote_world *world = test_world(NULL);
        mote_bone_def bones[3] = {mote_default_bone_def(), mote_default_bone_def(), mote_default_bone_def()};
        for (int i = 0; i < 3; i++) {
            bones[i].length = 1.0f;
            bones[i].thickness = 0.2f;
            bones[i].parent = i > 0 ? 0 : MOTE_NO_BONE;
        }
        bones[1].rest.position = vec(-0.03f, 1.0f, 0.0f); /* two siblings, one within the other */
        bones[2].rest.position = vec(0.04f, 1.0f, 0.01f);
        mote_skeleton_def def = mote_default_skeleton_def();
        def.bones = bones;
        def.bone_count = 3;
        def.phase = mote_phase(1, collide == 1, 0x7F);
        must_exist(mote_skeleton_add(world, &def));
        counts[collide] = mote_particle_count(world);
        if (collide == 1)
            check_above(nearest_strangers(world), 0.998 * 2 * (double)TEST_RADIUS, "distance of strangers");
        mote_world_destroy(world);
    }
    check_above((double)counts[0], 1.3 * (double)counts[1], "particles of bones that may overlap");
}

/* Bones too short for anything but their joints keep one particle; so do bones that are wholly inside
 * others. */
static void short_bones(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_bone_def bones[4];
    for (uint32_t i = 0; i < 4; i++) {
        bones[i] = mote_default_bone_def();
        bones[i].parent = i > 0 ? i - 1 : MOTE_NO_BONE;
        bones[i].length = i < 3 ? 0.05f : 0.0f;
        bones[i].rest.position.y = 0.05f * (float)i;
    }
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = bones;
    def.bone_count = 4;
    mote_skeleton_id id = mote_skeleton_add(world, &def);
    must_exist(id);
    for (uint32_t i = 0; i < 4; i++) {
        mote_body_state body;
        must(mote_body_get(world, mote_skeleton_body(world, id, i), &body));
        size_t joints = (i > 0) + (i < 3);
        check_near((double)body.particle_count, (double)(1 + joints), 0, "particles of bone %u", i);
    }
    step_times(world, 20, TEST_FRAME);
    mote_world_destroy(world);
}

/* A bone of given points has these, and the mass that the density gives: a cube of the spacing each. */
static void bones_of_points(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_vec3 points[3] = {{0, 0.2f, 0}, {0.1f, 0.3f, 0}, {-0.1f, 0.3f, 0.2f}};
    mote_bone_def bones[2] = {mote_default_bone_def(), mote_default_bone_def()};
    bones[0].points = points;
    bones[0].point_count = 3;
    bones[1].points = points;
    bones[1].point_count = 3;
    bones[1].parent = 0;
    bones[1].rest = (mote_pose){{0, 0.5f, 0}, {0, 0, 0.6f, 0.8f}};
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = bones;
    def.bone_count = 2;
    def.pose =
        (mote_pose){{1, 2, 3}, {0, 0.5f, 0, 0.5f}}; /* a quarter turn about y, of another length than 1 */
    def.spacing = 0.08f;
    mote_skeleton_id id = mote_skeleton_add(world, &def);
    must_exist(id);
    mote_pose poses[2];
    must(mote_skeleton_get_poses(world, id, poses, 2));
    check_below(distance_of(poses[0].position, vec(1, 2, 3)), 1e-6, "place of the first bone");
    check_below(distance_of(poses[1].position, vec(1, 2.5f, 3)), 1e-6, "place of the second bone");
    mote_particle_id ids[8];
    assert_int_equal(mote_body_particles(world, mote_skeleton_body(world, id, 0), ids, 8), 4);
    /* The quarter turn takes z to x and x to -z. */
    const mote_vec3 places[3] = {{1, 2.2f, 3}, {1, 2.3f, 2.9f}, {1.2f, 2.3f, 3.1f}};
    for (int i = 0; i < 3; i++) {
        mote_particle_state particle = state_of(world, ids[i]);
        check_below(distance_of(particle.position, places[i]), 1e-6, "place of particle %d", i);
        check_near((double)particle.mass, 1000 * 0.08 * 0.08 * 0.08, 1e-6, "mass of particle %d", i);
    }
    mote_world_destroy(world);
}

/* ---- bad input ------------------------------------------------------------------------------------------- */

typedef struct two_bones {
    mote_bone_def bones[2];
    mote_skeleton_def def;
} two_bones;

static void make_two(two_bones *two)
{
    two->bones[0] = two->bones[1] = mote_default_bone_def();
    two->bones[0].length = two->bones[1].length = 0.5f;
    two->bones[1].parent = 0;
    two->bones[1].rest.position = vec(0, 0.5f, 0);
    two->def = mote_default_skeleton_def();
    two->def.bones = two->bones;
    two->def.bone_count = 2;
}

static mote_result add_two(mote_world *world, const void *def, const void *context)
{
    (void)context;
    const two_bones *given = def;
    mote_skeleton_def own = given->def;
    if (own.bones != NULL) /* the copy's own bones */
        own.bones = given->bones;
    mote_skeleton_id id = mote_skeleton_add(world, &own);
    return mote_is_null(id) ? mote_last_result() : mote_skeleton_remove(world, id);
}

#define BONE(member) (offsetof(two_bones, bones) + sizeof(mote_bone_def) + offsetof(mote_bone_def, member))
#define DEF(member)  (offsetof(two_bones, def) + offsetof(mote_skeleton_def, member))

/* Every float of a bone and of the skeleton. */
static void bad_numbers(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    two_bones two;
    make_two(&two);
    must(add_two(world, &two, NULL));
    const float_field fields[] = {
        {BONE(rest.position.x), "bones[1].rest.position.x", -2e6f, 2e6f},
        {BONE(rest.position.z), "bones[1].rest.position.z", -2e6f, 2e6f},
        {BONE(rest.rotation.x), "bones[1].rest.rotation", -2e6f, 2e6f},
        {BONE(rest.rotation.w), "bones[1].rest.rotation", -2e6f, 0.0f},
        {BONE(axis.y), "bones[1].axis", -2e6f, 0.0f},
        {BONE(axis.z), "bones[1].axis", -2e6f, 2e6f},
        {BONE(length), "bones[1].length", -0.1f, 2e6f},
        {BONE(thickness), "bones[1].thickness", -0.1f, 2e6f},
        {BONE(joint_axis.x), "bones[1].joint_axis", -2e6f, 0.0f},
        {BONE(min_angle), "bones[1].min_angle", -3.2f, 3.2f},
        {BONE(max_angle), "bones[1].max_angle", -3.2f, 3.2f},
        {BONE(swing_limit), "bones[1].swing_limit", -0.1f, 3.2f},
        {BONE(twist_limit), "bones[1].twist_limit", -0.1f, 3.2f},
        {DEF(pose.position.y), "skeleton.pose.position.y", -2e6f, 2e6f},
        {DEF(pose.rotation.w), "skeleton.pose.rotation", -2e6f, 0.0f},
        {DEF(radius), "skeleton.radius", 0.0f, 2e4f},
        {DEF(spacing), "skeleton.spacing", 0.0f, 2e4f},
        {DEF(mass), "skeleton.mass", -1.0f, 1e13f},
        {DEF(damping), "skeleton.damping", -1.0f, 1e7f},
    };
    check_floats(world, &two, sizeof two, fields, sizeof fields / sizeof fields[0], add_two, NULL);
    mote_world_destroy(world);
}

#define refused_two(change, expected, word)                                                                    \
    do {                                                                                                       \
        two_bones two;                                                                                         \
        make_two(&two);                                                                                        \
        (change);                                                                                              \
        refused(world, add_two(world, &two, NULL), (expected), (word));                                        \
        assert_int_equal(mote_body_count(world), 0);                                                           \
        assert_int_equal(mote_particle_count(world), 0);                                                       \
    } while (0)

static void bad_definitions(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    char name[65];
    memset(name, 'n', 64);
    name[64] = 0;
    mote_vec3 points[2] = {{0, 0, 0}, {0, NAN, 0}};
    refused_handle(world, mote_skeleton_add(world, NULL), MOTE_ERROR_ARGUMENT, "def");
    assert_true(mote_is_null(mote_skeleton_add(NULL, NULL)));
    refused_two(two.def.bones = NULL, MOTE_ERROR_ARGUMENT, "skeleton.bones");
    refused_two(two.def.bone_count = 0, MOTE_ERROR_ARGUMENT, "skeleton.bone_count");
    refused_two(two.def.bone_count = MOTE_MAX_BONES + 1, MOTE_ERROR_ARGUMENT, "skeleton.bone_count");
    refused_two(two.def.phase = 0x80000000u, MOTE_ERROR_ARGUMENT, "skeleton.phase");
    refused_two(two.def.material = ((mote_material_id){99, 1}), MOTE_ERROR_STALE_HANDLE, "skeleton.material");
    refused_two(two.bones[1].parent = 1, MOTE_ERROR_ARGUMENT, "bones[1].parent is 1: it must be below 1");
    refused_two(two.bones[0].parent = 0, MOTE_ERROR_ARGUMENT, "bones[0].parent");
    refused_two(two.bones[1].parent = 7, MOTE_ERROR_ARGUMENT, "bones[1].parent is 7");
    refused_two(two.bones[1].name = name, MOTE_ERROR_ARGUMENT, "bones[1].name");
    refused_two(two.bones[1].joint = MOTE_JOINT_TYPE_COUNT, MOTE_ERROR_ARGUMENT, "bones[1].joint");
    refused_two(two.bones[1].joint_size = 65, MOTE_ERROR_ARGUMENT, "bones[1].joint_size");
    refused_two(two.bones[1].point_count = 3, MOTE_ERROR_ARGUMENT, "bones[1].points");
    refused_two((two.bones[1].points = points, two.bones[1].point_count = 2), MOTE_ERROR_NOT_FINITE,
                "bones[1].points[1]");
    refused_two((two.bones[1].min_angle = 1.0f, two.bones[1].max_angle = 0.5f), MOTE_ERROR_ARGUMENT,
                "bones[1].min_angle");
    refused_two((two.bones[1].joint = MOTE_JOINT_UNIVERSAL, two.bones[1].joint_axis = vec(0, -3, 0)),
                MOTE_ERROR_ARGUMENT, "bones[1].joint_axis");
    refused_two((two.bones[1].length = 1e5f, two.bones[1].thickness = 1e5f), MOTE_ERROR_LIMIT, "bones[1]");
    refused_two((two.bones[0].rest.position.x = 9e5f, two.def.pose.position.x = 9e5f), MOTE_ERROR_ARGUMENT,
                "bones[0].rest in the world.position.x");
    mote_world_destroy(world);

    mote_world_def small = test_world_def(NULL);
    small.max_particles = 8;
    must(mote_world_create(&small, &world));
    refused_two((void)0, MOTE_ERROR_LIMIT, "max_particles");
    mote_world_destroy(world);
}

static void bad_calls(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    two_bones two;
    make_two(&two);
    two.def.driven = true;
    mote_skeleton_id id = mote_skeleton_add(world, &two.def), stale = {id.index, id.generation + 1},
                     null = {0, 0};
    must_exist(id);
    mote_pose poses[3] = {two.bones[0].rest, two.bones[1].rest, two.bones[1].rest};
    refused(world, mote_skeleton_remove(world, null), MOTE_ERROR_STALE_HANDLE, "skeleton");
    refused(world, mote_skeleton_remove(world, stale), MOTE_ERROR_STALE_HANDLE, "skeleton");
    refused(world, mote_skeleton_get_poses(world, stale, poses, 2), MOTE_ERROR_STALE_HANDLE, "skeleton");
    refused(world, mote_skeleton_get_poses(world, id, poses, 3), MOTE_ERROR_ARGUMENT, "count");
    refused(world, mote_skeleton_get_poses(world, id, NULL, 2), MOTE_ERROR_ARGUMENT, "poses");
    refused(world, mote_skeleton_move_to(world, id, poses, 1), MOTE_ERROR_ARGUMENT, "count");
    refused(world, mote_skeleton_move_to(world, id, NULL, 2), MOTE_ERROR_ARGUMENT, "poses");
    poses[1].position.y = NAN;
    refused(world, mote_skeleton_move_to(world, id, poses, 2), MOTE_ERROR_NOT_FINITE, "poses[1].position.y");
    refused(world, mote_skeleton_release(world, id, 2), MOTE_ERROR_ARGUMENT, "bone");
    refused(world, mote_skeleton_drive(world, id, 2, 0), MOTE_ERROR_ARGUMENT, "bone");
    refused(world, mote_skeleton_drive(world, id, 0, -1), MOTE_ERROR_ARGUMENT, "blend");
    refused(world, mote_skeleton_drive(world, id, 0, NAN), MOTE_ERROR_NOT_FINITE, "blend");
    assert_int_equal(mote_skeleton_bone_count(world, stale), 0);
    assert_int_equal(mote_skeleton_find_bone(world, id, "none"), MOTE_NO_BONE);
    assert_int_equal(mote_skeleton_find_bone(world, id, ""), MOTE_NO_BONE);
    assert_int_equal(mote_skeleton_find_bone(world, id, NULL), MOTE_NO_BONE);
    assert_true(mote_is_null(mote_skeleton_body(world, id, 2)));
    assert_true(mote_is_null(mote_skeleton_joint(world, id, 0)));
    assert_true(!mote_skeleton_is_driven(world, id, 2) && mote_skeleton_is_driven(world, id, 1));
    assert_true(!mote_skeleton_is_valid(NULL, id) && mote_skeleton_count(NULL) == 0);
    must(mote_skeleton_remove(world, id));
    assert_int_equal(mote_particle_count(world), 0);
    assert_true(!mote_skeleton_is_valid(world, id));
    mote_world_destroy(world);
}

/* ---- parts that go -------------------------------------------------------------------------------------- */

/* Several skeletons, the middle one removed: the others keep their bones. */
static void many_skeletons(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_skeleton_id ids[3], listed[3];
    char names[3][2][16];
    for (int i = 0; i < 3; i++) {
        two_bones two;
        make_two(&two);
        for (int k = 0; k < 2; k++) {
            snprintf(names[i][k], sizeof names[i][k], "%d of %d", k, i);
            two.bones[k].name = names[i][k];
        }
        two.def.pose.position.x = 2.0f * (float)i;
        ids[i] = mote_skeleton_add(world, &two.def);
        must_exist(ids[i]);
    }
    must(mote_skeleton_remove(world, ids[1]));
    assert_int_equal(mote_skeleton_list(world, listed, 3), 2);
    assert_int_equal(listed[1].index, ids[2].index);
    for (int i = 0; i < 3; i += 2)
        for (uint32_t k = 0; k < 2; k++) {
            assert_int_equal(mote_skeleton_find_bone(world, ids[i], names[i][k]), k);
            mote_pose poses[2];
            must(mote_skeleton_get_poses(world, ids[i], poses, 2));
            check_below(distance_of(poses[k].position, vec(2.0f * (float)i, 0.5f * (float)k, 0)), 1e-6,
                        "place of bone %u of skeleton %d", k, i);
        }
    assert_int_equal(mote_body_count(world), 4);
    mote_world_destroy(world);
}

/* A bone's body is removed: calls that name the bone say so, the others go on without it. */
static void lost_bones(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_bone_def bones[HUMANOID_BONES];
    mote_skeleton_def def = humanoid_def(bones);
    def.driven = true;
    mote_skeleton_id id = mote_skeleton_add(world, &def);
    must_exist(id);
    must(mote_body_remove(world, mote_skeleton_body(world, id, HUMANOID_LEFT_FOREARM)));
    assert_true(mote_is_null(mote_skeleton_body(world, id, HUMANOID_LEFT_FOREARM)));
    assert_true(mote_is_null(mote_skeleton_joint(world, id, HUMANOID_LEFT_FOREARM)));
    assert_true(mote_is_null(mote_skeleton_joint(world, id, HUMANOID_LEFT_HAND)));
    assert_true(!mote_skeleton_is_driven(world, id, HUMANOID_LEFT_FOREARM));
    refused(world, mote_skeleton_release(world, id, HUMANOID_LEFT_FOREARM), MOTE_ERROR_STALE_HANDLE, "bone 4");
    refused(world, mote_skeleton_drive(world, id, HUMANOID_LEFT_FOREARM, 0), MOTE_ERROR_STALE_HANDLE, "bone 4");
    mote_pose poses[HUMANOID_BONES];
    for (int i = 0; i < HUMANOID_BONES; i++)
        poses[i] = bones[i].rest;
    must(mote_skeleton_move_to(world, id, poses, HUMANOID_BONES));
    step_times(world, 2, TEST_FRAME);
    must(mote_skeleton_release(world, id, MOTE_ALL_BONES));
    step_times(world, 2, TEST_FRAME);
    must(mote_skeleton_drive(world, id, MOTE_ALL_BONES, 0.05f));
    must(mote_body_remove(world, mote_skeleton_body(world, id, HUMANOID_LEFT_THIGH))); /* on its way back */
    for (int i = 0; i < 10; i++) {
        must(mote_skeleton_move_to(world, id, poses, HUMANOID_BONES));
        step_times(world, 1, TEST_FRAME);
    }
    mote_pose after[HUMANOID_BONES];
    must(mote_skeleton_get_poses(world, id, after, HUMANOID_BONES));
    for (uint32_t i = 0; i < HUMANOID_BONES; i++) { /* a lost one is where its parent is */
        bool lost = mote_is_null(mote_skeleton_body(world, id, i));
        mote_pose wanted = lost ? after[bones[i].parent] : poses[i];
        check_below(distance_of(after[i].position, wanted.position), 1e-5, "way of bone %u to its place", i);
    }
    must(mote_skeleton_remove(world, id));
    assert_int_equal(mote_particle_count(world), 0);
    mote_world_destroy(world);
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

/* Each allocation fails in turn: nothing is left behind, and the next try succeeds. */
static void failing_memory(void **state)
{
    (void)state;
    mote_bone_def bones[HUMANOID_BONES];
    mote_skeleton_def def = humanoid_def(bones);
    size_t failures = 0;
    for (size_t fail = 1; fail < 500; fail++) {
        test_heap heap = {0};
        mote_world_def world_def = test_world_def(NULL);
        world_def.allocator = heap_allocator(&heap);
        mote_world *world;
        must(mote_world_create(&world_def, &world));
        heap.fail_at = heap.calls + fail;
        mote_skeleton_id id = mote_skeleton_add(world, &def);
        bool failed = mote_is_null(id);
        failures += failed;
        if (failed) {
            assert_int_equal(mote_last_result(), MOTE_ERROR_MEMORY);
            assert_int_equal(mote_particle_count(world), 0);
            assert_int_equal(mote_body_count(world), 0);
            assert_int_equal(mote_joint_count(world), 0);
            assert_int_equal(mote_skeleton_count(world), 0);
            must_exist(mote_skeleton_add(world, &def));
        }
        assert_int_equal(mote_body_count(world), HUMANOID_BONES);
        mote_world_destroy(world);
        check_true(heap.live_blocks == 0 && heap.wrong_sizes == 0 && heap.overruns == 0, "failure %zu", fail);
        if (!failed)
            break;
    }
    check_above((double)failures, 10, "allocations that failed");
    check_below((double)failures, 490, "allocations of a skeleton");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure),      cmocka_unit_test(overlapping_bones),
        cmocka_unit_test(short_bones), cmocka_unit_test(bones_of_points),
        cmocka_unit_test(bad_numbers), cmocka_unit_test(bad_definitions),
        cmocka_unit_test(bad_calls),   cmocka_unit_test(many_skeletons),
        cmocka_unit_test(lost_bones),  cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
