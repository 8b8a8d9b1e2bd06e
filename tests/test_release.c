/* Figures that are let go in poses in which limbs go through each other, with self-collision: nothing is thrown
 * apart. What touches when it is let go does not collide until it has come apart; from then on it does. */
#include "jointed_world.h"
#include "scenes/humanoid.h"
#include "world/pose_chain.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEIGHT        1.75f /* m */
#define MASS          75.0f /* kg */
#define MAX_PARTICLES 400
#define LEAD          12 /* frames that the figure is driven before it is let go */

/* ---- a figure in a pose ---------------------------------------------------------------------------------- */

/* How bones are turned beside their rest pose when the figure is let go, within the limits of their joints, rad;
 * and how fast they turn then. */
typedef struct given_pose {
    const char *name;
    mote_vec3 turn[HUMANOID_BONES], speed[HUMANOID_BONES];
} given_pose;

static const given_pose POSES[] = {
    {"both forearms through the chest",
     .turn = {[HUMANOID_LEFT_UPPER_ARM] = {1.0f, 0, 0.5f},
              [HUMANOID_LEFT_FOREARM] = {2.3f, 0, 0},
              [HUMANOID_RIGHT_UPPER_ARM] = {1.0f, 0, -0.5f},
              [HUMANOID_RIGHT_FOREARM] = {2.3f, 0, 0}},
     .speed = {[HUMANOID_LEFT_FOREARM] = {0.6f, 0, 0}, [HUMANOID_RIGHT_FOREARM] = {0.6f, 0, 0}}},
    {"hands through each other",
     .turn = {[HUMANOID_LEFT_UPPER_ARM] = {0.8f, 0.3f, -1.2f},
              [HUMANOID_LEFT_FOREARM] = {1.7f, 0, 0},
              [HUMANOID_RIGHT_UPPER_ARM] = {0.8f, -0.3f, 1.2f},
              [HUMANOID_RIGHT_FOREARM] = {1.7f, 0, 0}},
     .speed = {[HUMANOID_LEFT_FOREARM] = {0.3f, 0, 0}, [HUMANOID_RIGHT_FOREARM] = {0.3f, 0, 0}}},
    {"legs crossed through each other",
     .turn = {[HUMANOID_LEFT_THIGH] = {0, 0, 0.25f}, [HUMANOID_RIGHT_THIGH] = {0, 0, -0.25f}},
     .speed = {[HUMANOID_LEFT_THIGH] = {0, 0, 0.6f}, [HUMANOID_RIGHT_THIGH] = {0, 0, -0.6f}}},
};
#define POSE_COUNT (sizeof POSES / sizeof *POSES)

typedef struct figure {
    mote_world *world;
    mote_skeleton_id id;
    mote_bone_def bones[HUMANOID_BONES];
    size_t count;
    mote_particle_id particles[MAX_PARTICLES];
} figure;

/* The pose `time` seconds after the figure is let go, or before; all of it goes along x with 1.5 m/s. */
static void pose_at(const figure *f, const given_pose *p, float time, mote_pose poses[HUMANOID_BONES])
{
    const mote_pose root = {{1.5f * time, 1.0f, 0}, {0, 0, 0, 1}};
    for (uint32_t i = 0; i < HUMANOID_BONES; i++) {
        const mote_bone_def *bone = &f->bones[i];
        bool is_root = bone->parent == MOTE_NO_BONE;
        mt_pose beside = is_root ? bone->rest : mt_pose_beside(f->bones[bone->parent].rest, bone->rest);
        mote_vec3 turn = {p->turn[i].x + time * p->speed[i].x, p->turn[i].y + time * p->speed[i].y,
                          p->turn[i].z + time * p->speed[i].z};
        mt_pose turned = mt_pose_times(beside, (mt_pose){{0, 0, 0}, mt_quat_of_spin(turn, 1.0f)});
        poses[i] = mt_pose_times(is_root ? root : poses[bone->parent], turned);
    }
}

static figure driven_figure(const mote_world_def *def, const given_pose *p)
{
    figure f = {.world = NULL};
    must(mote_world_create(def, &f.world));
    humanoid_bones(HEIGHT, f.bones, HUMANOID_BONES);
    mote_skeleton_def skeleton = mote_default_skeleton_def();
    skeleton.bones = f.bones;
    skeleton.bone_count = HUMANOID_BONES;
    skeleton.radius = HUMANOID_RADIUS * HEIGHT;
    skeleton.mass = MASS;
    skeleton.driven = true;
    f.id = mote_skeleton_add(f.world, &skeleton);
    must_exist(f.id);
    f.count = mote_particle_count(f.world);
    assert_true(f.count < MAX_PARTICLES);
    memcpy(f.particles, mote_particles_get_view(f.world).id, f.count * sizeof *f.particles);
    mote_pose poses[HUMANOID_BONES];
    for (int i = LEAD; i >= 0; i--) {
        pose_at(&f, p, -TEST_FRAME * (float)i, poses);
        must(mote_skeleton_move_to(f.world, f.id, poses, HUMANOID_BONES));
        step_times(f.world, 1, TEST_FRAME);
    }
    return f;
}

/* How deep particles of bones that are not jointed, and of nothing else, are in each other, m. */
static double deepest_overlap(const figure *f)
{
    double deepest = 0;
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; j < i; j++) {
            mote_body_id a[2], b[2];
            if (mote_particle_bodies(f->world, f->particles[i], a, 2) != 1 ||
                mote_particle_bodies(f->world, f->particles[j], b, 2) != 1 || a[0].index == b[0].index)
                continue;
            bool jointed = false;
            for (uint32_t k = 1; k < HUMANOID_BONES; k++) {
                uint32_t x = mote_skeleton_body(f->world, f->id, k).index;
                uint32_t y = mote_skeleton_body(f->world, f->id, f->bones[k].parent).index;
                jointed =
                    jointed || (x == a[0].index && y == b[0].index) || (y == a[0].index && x == b[0].index);
            }
            if (!jointed)
                deepest = fmax(deepest, 2 * (double)(HUMANOID_RADIUS * HEIGHT) -
                                            distance_of(state_of(f->world, f->particles[i]).position,
                                                        state_of(f->world, f->particles[j]).position));
        }
    return deepest;
}

/* How much a step changes velocities, beyond gravity, beside how large they are: root of the mean squares. */
static double jump(figure *f, float dt)
{
    mote_vec3 before[MAX_PARTICLES], after[MAX_PARTICLES];
    must(mote_particles_read(f->world, f->particles, f->count, NULL, before));
    step_times(f->world, 1, dt);
    must(mote_particles_read(f->world, f->particles, f->count, NULL, after));
    double change = 0, size = 0;
    for (size_t i = 0; i < f->count; i++) {
        mote_vec3 free = {before[i].x, before[i].y - (float)TEST_GRAVITY * dt, before[i].z};
        change += pow(distance_of(after[i], free), 2);
        size += pow(length_of(before[i]), 2);
    }
    return sqrt(change / size);
}

/* ---- the line -------------------------------------------------------------------------------------------- */

static void no_jump(void **state)
{
    (void)state;
    static const float steps[] = {TEST_FRAME, 0.002f};
    for (size_t i = 0; i < POSE_COUNT; i++)
        for (int k = 0; k < 2; k++) {
            mote_world_def def = test_world_def(NULL);
            figure f = driven_figure(&def, &POSES[i]);
            check_above(deepest_overlap(&f), 0.5 * (double)(HUMANOID_RADIUS * HEIGHT), "overlap: %s",
                        POSES[i].name);
            must(mote_skeleton_release(f.world, f.id, MOTE_ALL_BONES));
            check_below(jump(&f, steps[k]), 0.05, "jump in a step of %g s: %s", (double)steps[k],
                        POSES[i].name);
            for (int step = 0; step < 5; step++)
                check_below(jump(&f, steps[k]), 0.05, "jump in a later step of %g s: %s", (double)steps[k],
                            POSES[i].name);
            mote_world_destroy(f.world);
        }
}

/* Only some bones are let go: they do not collide with the driven ones that they are in. */
static void an_arm_alone(void **state)
{
    (void)state;
    mote_world_def def = test_world_def(NULL);
    figure f = driven_figure(&def, &POSES[0]);
    mote_vec3 before, after;
    mote_particle_id hand;
    assert_true(mote_body_particles(f.world, mote_skeleton_body(f.world, f.id, HUMANOID_LEFT_HAND), &hand, 1) >
                0);
    before = state_of(f.world, hand).velocity;
    for (uint32_t i = HUMANOID_LEFT_UPPER_ARM; i <= HUMANOID_LEFT_HAND; i++)
        must(mote_skeleton_release(f.world, f.id, i));
    mote_pose poses[HUMANOID_BONES];
    pose_at(&f, &POSES[0], 0.002f, poses);
    must(mote_skeleton_move_to(f.world, f.id, poses, HUMANOID_BONES));
    step_times(f.world, 1, 0.002f);
    after = state_of(f.world, hand).velocity;
    check_below(distance_of(before, after), 0.05 * length_of(before) + TEST_GRAVITY * 0.002,
                "jump of the hand");
    mote_world_destroy(f.world);
}

/* Knees that the animation has bent sideways are hinges again at once, and nothing gets a blow from it; what
 * hangs on them goes along. */
static void knees_bent_sideways(void **state)
{
    (void)state;
    given_pose p = {
        "knees bent sideways",
        .turn = {[HUMANOID_LEFT_SHIN] = {0.9f, 0.1f, 0.3f}, [HUMANOID_RIGHT_SHIN] = {0.5f, 0, -0.25f}},
        .speed = {[HUMANOID_LEFT_SHIN] = {1, 0, 0}}};
    mote_world_def def = test_world_def(NULL);
    figure f = driven_figure(&def, &p);
    mote_joint_state joint;
    must(mote_joint_get(f.world, mote_skeleton_joint(f.world, f.id, HUMANOID_LEFT_SHIN), &joint));
    check_above((double)joint.swing, 0.25, "swing of the knee while it is driven");
    must(mote_skeleton_release(f.world, f.id, MOTE_ALL_BONES));
    for (uint32_t i = HUMANOID_LEFT_SHIN; i <= HUMANOID_LEFT_FOOT; i++) {
        must(mote_joint_get(f.world, mote_skeleton_joint(f.world, f.id, i), &joint));
        check_below((double)joint.swing, 0.01, "swing of the joint of %s", f.bones[i].name);
        check_below((double)joint.gap, 1e-4, "gap of the joint of %s", f.bones[i].name);
    }
    check_below(jump(&f, 0.002f), 0.05, "jump");
    mote_world_destroy(f.world);
}

/* ---- apart, and together again --------------------------------------------------------------------------- */

/* Two blocks within each other, driven and then let go: one goes out of the other. */
typedef struct two_blocks {
    mote_world *world;
    mote_body_id stays, goes;
} two_blocks;

static two_blocks blocks_in_each_other(const mote_world_def *def, float speed)
{
    static const uint32_t count[3] = {3, 3, 3};
    two_blocks b = {.world = NULL};
    must(mote_world_create(def, &b.world));
    b.stays = add_block(b.world, count, vec(0, 0, 0), vec(0, 0, 0), MOTE_BODY_DRIVEN);
    b.goes = add_block(b.world, count, vec(0.13f, 0.04f, 0.03f), vec(0, 0, 0), MOTE_BODY_DRIVEN);
    step_times(b.world, 2, TEST_FRAME);
    must(mote_body_set_mode(b.world, b.stays, MOTE_BODY_DYNAMIC));
    must(mote_body_set_mode(b.world, b.goes, MOTE_BODY_DYNAMIC));
    must(mote_body_set_velocity(b.world, b.goes, vec(speed, 0, 0), vec(0, 0, 0)));
    return b;
}

static two_blocks weightless_blocks(float speed)
{
    const mote_settings settings = weightless();
    mote_world_def def = test_world_def(&settings);
    return blocks_in_each_other(&def, speed);
}

static size_t truces_of(const two_blocks *b)
{
    return b->world->deferred_count;
}

static void apart_and_together(void **state)
{
    (void)state;
    two_blocks b = weightless_blocks(1);
    step_times(b.world, 6, TEST_FRAME);
    check_near((double)truces_of(&b), 1, 0, "deferred pairs on the way out");
    check_near((double)body_state_of(b.world, b.goes).velocity.x, 1, 1e-4, "speed on the way out");
    check_near(length_of(body_state_of(b.world, b.stays).velocity), 0, 1e-4, "speed of the one that stays");
    check_near((double)stats_of(b.world).max_penetration, 0, 0, "overlap that counts");
    step_times(b.world, 30, TEST_FRAME);
    check_near((double)truces_of(&b), 0, 0, "deferred pairs when they are apart");
    /* Back at it for a second, again and again: nothing gets through. */
    for (int i = 0; i < 60; i++) {
        must(mote_body_set_velocity(b.world, b.goes, vec(-1, 0, 0), vec(0, 0, 0)));
        step_times(b.world, 1, TEST_FRAME);
    }
    double way = (double)(body_state_of(b.world, b.goes).center.x - body_state_of(b.world, b.stays).center.x);
    check_above(way, 0.25, "distance of the centres, of which touching lattices have up to 0.3 m");
    check_below((double)stats_of(b.world).max_penetration, 0.2 * (double)TEST_RADIUS, "overlap");
    check_below((double)body_state_of(b.world, b.stays).velocity.x, -0.3, "speed of the one that was pushed");
    mote_world_destroy(b.world);
}

/* A body that was never driven is in nobody's deferred pair: what is led into it pushes it, also when it is let go. */
static void others_collide(void **state)
{
    (void)state;
    static const uint32_t count[3] = {3, 3, 3};
    const mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_body_id led = add_block(world, count, vec(0, 0, 0), vec(0, 0, 0), MOTE_BODY_DRIVEN);
    mote_body_id free = add_block(world, count, vec(0.31f, 0.02f, 0.01f), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    for (int i = 1; i <= 30; i++) {
        must(mote_body_move_to(world, led, (mote_pose){vec(0.01f * (float)i, 0, 0), {0, 0, 0, 1}}));
        step_times(world, 1, TEST_FRAME);
    }
    must(mote_body_set_mode(world, led, MOTE_BODY_DYNAMIC));
    step_times(world, 1, TEST_FRAME);
    check_near((double)world->deferred_count, 0, 0, "deferred pairs");
    must(mote_body_set_velocity(world, led, vec(2, 0, 0), vec(0, 0, 0)));
    step_times(world, 30, TEST_FRAME);
    check_above((double)(body_state_of(world, free).center.x - body_state_of(world, led).center.x), 0.25,
                "distance of the centres");
    mote_world_destroy(world);
}

/* What phases let through each other needs no deferred pair; who is driven again waits for none. */
static void nobody_waits(void **state)
{
    (void)state;
    two_blocks b = weightless_blocks(0);
    must(mote_body_set_mode(b.world, b.stays, MOTE_BODY_DRIVEN));
    must(mote_body_set_mode(b.world, b.goes, MOTE_BODY_DRIVEN));
    check_near((double)truces_of(&b), 0, 0, "deferred pairs of driven bodies");
    mote_particles_view view = mote_particles_get_view(b.world);
    for (size_t i = 0; i < view.count; i++) {
        mote_particle_id id = view.id[i];
        must(mote_particle_set_phase(b.world, id, mote_phase(1, false, 0x7f)));
    }
    must(mote_body_set_mode(b.world, b.goes, MOTE_BODY_DYNAMIC));
    step_times(b.world, 1, TEST_FRAME);
    check_near((double)truces_of(&b), 0, 0, "deferred pairs of those that never collide");
    mote_world_destroy(b.world);
}

static void removed_bodies(void **state)
{
    (void)state;
    two_blocks b = weightless_blocks(0.1f);
    step_times(b.world, 1, TEST_FRAME);
    check_near((double)truces_of(&b), 1, 0, "deferred pairs");
    must(mote_body_remove(b.world, b.stays));
    check_near((double)truces_of(&b), 0, 0, "deferred pairs of a removed body");
    step_times(b.world, 1, TEST_FRAME);
    mote_world_destroy(b.world);
    b = weightless_blocks(0.1f);
    must(mote_body_remove(b.world, b.goes)); /* before any step */
    step_times(b.world, 1, TEST_FRAME);
    check_near((double)truces_of(&b), 0, 0, "deferred pairs of one body");
    mote_world_destroy(b.world);
}

/* ---- lying still ----------------------------------------------------------------------------------------- */

/* A bone of one line of particles between heavy ones: the weight of the last, which lies across, twists it. The
 * hinge holds that, and it does not turn. */
static void a_thin_bone_does_not_twist(void **state)
{
    (void)state;
    static const float radius = 0.03f;
    mote_bone_def bones[3] = {mote_default_bone_def(), mote_default_bone_def(), mote_default_bone_def()};
    for (uint32_t i = 0; i < 3; i++) {
        bones[i].parent = i == 0 ? MOTE_NO_BONE : i - 1;
        bones[i].rest.position = vec(i == 0 ? -0.5f : 0.46f * (float)(i - 1), 1, 0);
        bones[i].axis = i < 2 ? vec(1, 0, 0) : vec(0, 0, 1);
        bones[i].length = i < 2 ? 0.4f : 0.3f;
        bones[i].thickness = i == 1 ? radius : 0.05f + 0.03f * (float)(i == 0);
    }
    bones[1].joint = MOTE_JOINT_HINGE;
    bones[1].joint_axis = vec(0, 1, 0);
    bones[2].joint = MOTE_JOINT_STIFF;
    mote_world *world = test_world(NULL);
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = bones;
    def.bone_count = 3;
    def.radius = radius;
    def.mass = 30;
    def.driven = true;
    mote_skeleton_id skeleton = mote_skeleton_add(world, &def);
    must_exist(skeleton);
    for (uint32_t i = 1; i < 3; i++)
        must(mote_skeleton_release(world, skeleton, i));
    step_times(world, 120, TEST_FRAME);
    mote_joint_state joint;
    must(mote_joint_get(world, mote_skeleton_joint(world, skeleton, 2), &joint));
    check_below(length_of(body_state_of(world, mote_skeleton_body(world, skeleton, 1)).spin), 0.3,
                "spin of the thin bone, rad/s");
    check_below((double)joint.swing, 0.005, "how far the last one sags, rad");
    mote_world_destroy(world);
}

/* Two bones side by side in the same place hang on a third: one has a single particle left, within the other.
 * They do not work against each other for ever. */
static void bones_within_each_other_come_to_rest(void **state)
{
    (void)state;
    for (int driven = 0; driven < 2; driven++) {
        mote_bone_def bones[3] = {mote_default_bone_def(), mote_default_bone_def(), mote_default_bone_def()};
        for (uint32_t i = 0; i < 3; i++) {
            bones[i].parent = i == 0 ? MOTE_NO_BONE : 0;
            bones[i].rest.position = vec(i == 0 ? 0 : 0.3f, 1 + 0.02f * (float)(i == 2), 0);
            bones[i].axis = vec(1, 0, 0);
            bones[i].length = i == 0 ? 0.2f : 0.35f - 0.1f * (float)(i == 2);
            bones[i].thickness = i == 1 ? 0.12f : 0.03f;
        }
        const mote_settings settings = weightless();
        mote_world *world = test_world(&settings);
        mote_skeleton_def def = mote_default_skeleton_def();
        def.bones = bones;
        def.bone_count = 3;
        def.radius = 0.03f;
        def.mass = 10;
        def.driven = driven;
        mote_skeleton_id skeleton = mote_skeleton_add(world, &def);
        must_exist(skeleton);
        must(mote_skeleton_release(world, skeleton, MOTE_ALL_BONES));
        step_times(world, 60, TEST_FRAME);
        check_below((double)stats_of(world).max_speed, 1e-3, "speed of the fastest particle");
        mote_world_destroy(world);
    }
}

/* ---- state ----------------------------------------------------------------------------------------------- */

static uint64_t go_on(mote_world *world)
{
    step_times(world, 20, TEST_FRAME);
    return mote_world_hash(world);
}

/* Before the first step after the release, and while limbs are in each other. */
static void snapshots(void **state)
{
    (void)state;
    for (uint32_t steps = 0; steps < 3; steps++) {
        mote_world_def def = test_world_def(NULL);
        figure f = driven_figure(&def, &POSES[0]);
        must(mote_skeleton_release(f.world, f.id, MOTE_ALL_BONES));
        step_times(f.world, steps, TEST_FRAME);
        check_above((double)f.world->deferred_count, 1, "deferred pairs");
        size_t size = mote_snapshot_size(f.world);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        must(mote_snapshot_take(f.world, bytes, size, NULL));
        uint64_t now = mote_world_hash(f.world), later = go_on(f.world);
        mote_world *fresh = test_world(NULL);
        must(mote_snapshot_restore(fresh, bytes, size));
        check_true(mote_world_hash(fresh) == now, "hash of the restored world after %u steps", steps);
        check_true(go_on(fresh) == later, "hash of what comes of it after %u steps", steps);
        free(bytes);
        mote_world_destroy(fresh);
        mote_world_destroy(f.world);
    }
}

/* The world's hash sees who waits. */
static void hashes(void **state)
{
    (void)state;
    two_blocks a = weightless_blocks(0), b = weightless_blocks(0);
    check_true(mote_world_hash(a.world) == mote_world_hash(b.world), "hashes of the same");
    a.world->deferred_count--;
    check_true(mote_world_hash(a.world) != mote_world_hash(b.world), "hashes with and without a deferred pair");
    mote_world_destroy(a.world);
    mote_world_destroy(b.world);
}

static uint64_t hash_with(uint32_t threads, mote_simd level)
{
    mote_world_def def = test_world_def(NULL);
    def.thread_count = threads;
    def.simd = level;
    figure f = driven_figure(&def, &POSES[0]);
    must(mote_skeleton_release(f.world, f.id, MOTE_ALL_BONES));
    uint64_t hash = go_on(f.world);
    mote_world_destroy(f.world);
    return hash;
}

static void the_same_bits(void **state)
{
    (void)state;
    check_same_hashes(hash_with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_jump),
        cmocka_unit_test(an_arm_alone),
        cmocka_unit_test(knees_bent_sideways),
        cmocka_unit_test(apart_and_together),
        cmocka_unit_test(others_collide),
        cmocka_unit_test(nobody_waits),
        cmocka_unit_test(removed_bodies),
        cmocka_unit_test(a_thin_bone_does_not_twist),
        cmocka_unit_test(bones_within_each_other_come_to_rest),
        cmocka_unit_test(snapshots),
        cmocka_unit_test(hashes),
        cmocka_unit_test(the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
