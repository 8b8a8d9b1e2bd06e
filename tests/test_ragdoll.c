/* A human figure that dances, falls down, and gets up again: driven bones are where they are moved, limp ones
 * go on as they went and come to rest, and the way back has no jumps. */
#include "scenes/humanoid.h"
#include "support.h"
#include "world/pose_chain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEIGHT        1.75f /* m */
#define MASS          75.0f /* kg */
#define MAX_PARTICLES 400

typedef struct figure {
    mote_world *world;
    mote_skeleton_id id;
    mote_bone_def bones[HUMANOID_BONES];
    size_t count;
    mote_particle_id particles[MAX_PARTICLES];
} figure;

static figure make_figure(const mote_settings *settings, mote_pose pose, bool driven)
{
    figure f = {.world = test_world(settings)};
    humanoid_bones(HEIGHT, f.bones, HUMANOID_BONES);
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = f.bones;
    def.bone_count = HUMANOID_BONES;
    def.radius = HUMANOID_RADIUS * HEIGHT;
    def.mass = MASS;
    def.pose = pose;
    def.driven = driven;
    f.id = mote_skeleton_add(f.world, &def);
    must_exist(f.id);
    mote_particles_view view = mote_particles_get_view(f.world);
    assert_true(view.count < MAX_PARTICLES);
    f.count = view.count;
    memcpy(f.particles, view.id, view.count * sizeof view.id[0]);
    return f;
}

static const mote_pose ORIGIN = {{0, 0, 0}, {0, 0, 0, 1}};

/* ---- the dance ------------------------------------------------------------------------------------------- */

/* How far each bone is turned at a time, rad: hinges about their axis within their limits, balls within
 * theirs. */
static mote_vec3 dance_turn(uint32_t bone, double t)
{
    static const mote_vec3 SIZE[HUMANOID_BONES] = {
        [HUMANOID_PELVIS] = {0.1f, 0.5f, 0.1f},
        [HUMANOID_LEFT_UPPER_ARM] = {0.6f, 0.2f, 0.7f},
        [HUMANOID_RIGHT_UPPER_ARM] = {0.6f, 0.2f, 0.7f},
        [HUMANOID_LEFT_FOREARM] = {0.8f, 0, 0},
        [HUMANOID_RIGHT_FOREARM] = {0.8f, 0, 0},
        [HUMANOID_LEFT_THIGH] = {0.5f, 0.1f, 0.2f},
        [HUMANOID_RIGHT_THIGH] = {0.5f, 0.1f, 0.2f},
        [HUMANOID_LEFT_SHIN] = {0.7f, 0, 0},
        [HUMANOID_RIGHT_SHIN] = {0.7f, 0, 0},
    };
    double phase = 0.7 * bone;
    bool hinge = SIZE[bone].x > 0 && SIZE[bone].y == 0; /* 0 .. twice the size */
    return vec(SIZE[bone].x * (float)((hinge ? 1 : 0) - cos(5 * t + (hinge ? 0 : phase))),
               SIZE[bone].y * (float)sin(4 * t + phase), SIZE[bone].z * (float)sin(3 * t + 2 * phase));
}

/* The figure's poses at a time: turned beside their rest poses, parents first. */
static void dance(const figure *f, mote_pose root, double t, mote_pose poses[HUMANOID_BONES])
{
    for (uint32_t i = 0; i < HUMANOID_BONES; i++) {
        const mote_bone_def *bone = &f->bones[i];
        mt_pose beside =
            bone->parent == MOTE_NO_BONE ? bone->rest : mt_pose_beside(f->bones[bone->parent].rest, bone->rest);
        mt_pose turn = {{0, 0, 0}, mt_quat_of_spin(dance_turn(i, t), 1.0f)};
        poses[i] = mt_pose_times(bone->parent == MOTE_NO_BONE ? root : poses[bone->parent],
                                 mt_pose_times(beside, turn));
    }
}

static mote_pose dance_floor(double t)
{
    mote_pose root = ORIGIN;
    root.position = vec((float)(0.4 * sin(2 * t)), (float)(0.6 + 0.1 * sin(6 * t)), (float)(0.3 * cos(2 * t)));
    return root;
}

static double dance_for(figure *f, double from, uint32_t steps)
{
    mote_pose poses[HUMANOID_BONES];
    double t = from;
    for (uint32_t i = 0; i < steps; i++) {
        t += (double)TEST_FRAME;
        dance(f, dance_floor(t), t, poses);
        must(mote_skeleton_move_to(f->world, f->id, poses, HUMANOID_BONES));
        step_times(f->world, 1, TEST_FRAME);
    }
    return t;
}

/* ---- driven ---------------------------------------------------------------------------------------------- */

/* Every particle of one bone only is where the bone has it; those of joints are between their two bones. */
static double furthest_from_bone(const figure *f, uint32_t bone, const mote_pose *pose, const mote_vec3 *own)
{
    mote_particle_id ids[MAX_PARTICLES];
    size_t count = mote_body_particles(f->world, mote_skeleton_body(f->world, f->id, bone), ids, MAX_PARTICLES);
    mt_frame frame = mt_frame_of(*pose);
    double furthest = 0;
    for (size_t i = 0; i < count; i++)
        if (mote_particle_bodies(f->world, ids[i], NULL, 0) == 1)
            furthest = fmax(furthest, distance_of(state_of(f->world, ids[i]).position,
                                                  mt_to_world(&frame, own[ids[i].index])));
    return furthest;
}

static void driven_bones(void **state)
{
    (void)state;
    figure f = make_figure(NULL, dance_floor(0), true);
    /* Where particles are in their bones' own coordinates, by the index of their ids. */
    mote_vec3 own[MAX_PARTICLES];
    for (uint32_t i = 0; i < HUMANOID_BONES; i++) {
        mote_pose pose;
        mote_body_id body = mote_skeleton_body(f.world, f.id, i);
        must(mote_body_poses(f.world, &body, 1, &pose));
        mt_frame frame = mt_frame_of(pose);
        mote_particle_id ids[MAX_PARTICLES];
        size_t count = mote_body_particles(f.world, body, ids, MAX_PARTICLES);
        for (size_t k = 0; k < count; k++)
            own[ids[k].index] = mt_to_local(&frame, state_of(f.world, ids[k]).position);
    }
    mote_pose poses[HUMANOID_BONES], found[HUMANOID_BONES];
    for (int step = 1; step <= 120; step++) {
        double t = step * (double)TEST_FRAME;
        dance(&f, dance_floor(t), t, poses);
        must(mote_skeleton_move_to(f.world, f.id, poses, HUMANOID_BONES));
        step_times(f.world, 1, TEST_FRAME);
        must(mote_skeleton_get_poses(f.world, f.id, found, HUMANOID_BONES));
        for (uint32_t i = 0; i < HUMANOID_BONES; i++) {
            check_below(furthest_from_bone(&f, i, &poses[i], own), 1e-4, "particles of %s at step %d",
                        f.bones[i].name, step);
            check_below(distance_of(found[i].position, poses[i].position), 1e-5, "origin of %s at step %d",
                        f.bones[i].name, step);
        }
    }
    mote_world_destroy(f.world);
}

/* What stands in the way is pushed: a grain in front of the hand takes its speed. */
static void driven_bones_push(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    figure f = make_figure(&settings, ORIGIN, true);
    mote_pose poses[HUMANOID_BONES];
    must(mote_skeleton_get_poses(f.world, f.id, poses, HUMANOID_BONES));
    mote_vec3 hand = poses[HUMANOID_LEFT_HAND].position;
    mote_particle_id grain =
        add_particle(f.world, vec(hand.x + 0.07f, hand.y, hand.z + 0.3f), vec(0, 0, 0), (mote_material_id){0});
    for (int step = 0; step < 60; step++) {
        for (int i = 0; i < HUMANOID_BONES; i++)
            poses[i].position.z += 1.0f * TEST_FRAME;
        must(mote_skeleton_move_to(f.world, f.id, poses, HUMANOID_BONES));
        step_times(f.world, 1, TEST_FRAME);
    }
    check_above((double)state_of(f.world, grain).velocity.z, 0.99, "velocity of the grain that a hand pushed");
    check_above((double)state_of(f.world, grain).position.z, 1.0, "place of the grain that a hand pushed");
    mote_world_destroy(f.world);
}

/* ---- release --------------------------------------------------------------------------------------------- */

static void read_velocities(const figure *f, mote_vec3 *velocities)
{
    must(mote_particles_read(f->world, f->particles, f->count, NULL, velocities));
}

/* How much the velocities changed, beside how large they are: root of the mean squares. */
static double relative_change(const figure *f, const mote_vec3 *before, const mote_vec3 *after, mote_vec3 added)
{
    double change = 0, size = 0;
    for (size_t i = 0; i < f->count; i++) {
        mote_vec3 expected = vec(before[i].x + added.x, before[i].y + added.y, before[i].z + added.z);
        double d = distance_of(after[i], expected), s = length_of(before[i]);
        change += d * d;
        size += s * s;
    }
    return sqrt(change / size);
}

static void release_keeps_velocities(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    for (int round = 0; round < 5; round++) {
        figure f = make_figure(&settings, dance_floor(0), true);
        dance_for(&f, 0, 30 + 17 * (uint32_t)round);
        mote_vec3 before[MAX_PARTICLES], after[MAX_PARTICLES];
        read_velocities(&f, before);
        must(mote_skeleton_release(f.world, f.id, MOTE_ALL_BONES));
        read_velocities(&f, after);
        check_below(relative_change(&f, before, after, vec(0, 0, 0)), 0.05,
                    "change of velocities by the release");
        step_times(f.world, 1, 0.002f);
        read_velocities(&f, after);
        check_below(relative_change(&f, before, after, vec(0, 0, 0)), 0.05, "change during the first step");
        mote_world_destroy(f.world);
    }
}

/* Limp bones hold together at their joints, within the limits of these. */
static void check_joints(const figure *f, double gap, double angle, const char *when)
{
    for (uint32_t i = 1; i < HUMANOID_BONES; i++) {
        mote_joint_state joint;
        must(mote_joint_get(f->world, mote_skeleton_joint(f->world, f->id, i), &joint));
        const mote_bone_def *bone = &f->bones[i];
        check_below((double)joint.gap, gap, "gap of the joint of %s %s", bone->name, when);
        if (bone->joint == MOTE_JOINT_HINGE) {
            check_above((double)joint.angle, (double)bone->min_angle - angle, "angle of %s %s", bone->name,
                        when);
            check_below((double)joint.angle, (double)bone->max_angle + angle, "angle of %s %s", bone->name,
                        when);
        }
        if (bone->joint == MOTE_JOINT_BALL)
            check_below((double)joint.swing, (double)bone->swing_limit + angle, "swing of %s %s", bone->name,
                        when);
    }
}

static double furthest_way(const mote_pose *a, const mote_pose *b)
{
    double furthest = 0;
    for (uint32_t i = 0; i < HUMANOID_BONES; i++)
        furthest = fmax(furthest, distance_of(a[i].position, b[i].position));
    return furthest;
}

/* Dropped in the middle of the dance, it lies still after some seconds and stays so: no bone works against
 * another. */
static void comes_to_rest(void **state)
{
    (void)state;
    for (uint32_t start = 20; start <= 100; start += 40) {
        figure f = make_figure(NULL, dance_floor(0), true);
        add_floor(f.world, (mote_material_id){0});
        dance_for(&f, 0, start);
        must(mote_skeleton_release(f.world, f.id, MOTE_ALL_BONES));
        for (int i = 0; i < 300; i++) {
            step_times(f.world, 1, TEST_FRAME);
            /* A blow opens a joint by less than a particle, and passes a limit only for a moment. */
            check_joints(&f, 2.0 * (double)(HUMANOID_RADIUS * HEIGHT), 0.8, "during the fall");
        }
        mote_pose before[HUMANOID_BONES], after[HUMANOID_BONES];
        must(mote_skeleton_get_poses(f.world, f.id, before, HUMANOID_BONES));
        for (int i = 0; i < 300; i++) {
            step_times(f.world, 1, TEST_FRAME);
            mote_stats stats = stats_of(f.world);
            check_below(stats.kinetic_energy, 4e-4 * (double)MASS, "kinetic energy after %d steps at rest", i);
            check_below((double)stats.max_speed, 0.15, "speed of the fastest particle at rest");
            check_below((double)stats.max_penetration, 0.03 * (double)(HUMANOID_RADIUS * HEIGHT),
                        "penetration");
        }
        must(mote_skeleton_get_poses(f.world, f.id, after, HUMANOID_BONES));
        check_below(furthest_way(before, after), 0.08, "longest way of a bone in 5 s at rest");
        for (uint32_t i = 0; i < HUMANOID_BONES; i++) {
            check_above((double)after[i].position.y, 0, "height of %s", f.bones[i].name);
            check_below((double)after[i].position.y, 0.6, "height of %s", f.bones[i].name);
        }
        check_joints(&f, 3e-4, 0.05, "at rest");
        mote_world_destroy(f.world);
    }
}

/* Only an arm is let go: it hangs down from the shoulder while the rest dances on. */
static void limp_arm(void **state)
{
    (void)state;
    figure f = make_figure(NULL, ORIGIN, true);
    for (uint32_t i = HUMANOID_LEFT_UPPER_ARM; i <= HUMANOID_LEFT_HAND; i++)
        must(mote_skeleton_release(f.world, f.id, i));
    mote_pose rest[HUMANOID_BONES], poses[HUMANOID_BONES];
    must(mote_skeleton_get_poses(f.world, f.id, rest, HUMANOID_BONES));
    for (int step = 0; step < 600; step++) {
        must(mote_skeleton_move_to(f.world, f.id, rest, HUMANOID_BONES));
        step_times(f.world, 1, TEST_FRAME);
    }
    must(mote_skeleton_get_poses(f.world, f.id, poses, HUMANOID_BONES));
    for (uint32_t i = 0; i < HUMANOID_BONES; i++) {
        bool limp = i >= HUMANOID_LEFT_UPPER_ARM && i <= HUMANOID_LEFT_HAND;
        assert_true(mote_skeleton_is_driven(f.world, f.id, i) == !limp);
        if (!limp)
            check_below(distance_of(poses[i].position, rest[i].position), 1e-5, "place of %s", f.bones[i].name);
    }
    /* A quarter turn is more than the shoulder's limit leaves: it hangs as low as 1.5 rad and the elbow
     * allow. */
    double reach = 0.16 * (double)HEIGHT;
    check_below((double)(poses[HUMANOID_LEFT_FOREARM].position.y - poses[HUMANOID_LEFT_UPPER_ARM].position.y),
                -0.95 * reach, "height of the elbow below the shoulder");
    check_below(distance_of(poses[HUMANOID_LEFT_UPPER_ARM].position, rest[HUMANOID_LEFT_UPPER_ARM].position),
                2e-3, "way of the shoulder");
    mote_world_destroy(f.world);
}

static double widest_gap(const figure *f)
{
    double widest = 0;
    for (uint32_t i = 1; i < HUMANOID_BONES; i++) {
        mote_joint_state joint;
        must(mote_joint_get(f->world, mote_skeleton_joint(f->world, f->id, i), &joint));
        widest = fmax(widest, (double)joint.gap);
    }
    return widest;
}

/* A limp arm comes back while the rest of the figure dances on: it stays at its shoulder all the way. */
static void arm_comes_back(void **state)
{
    (void)state;
    figure f = make_figure(NULL, dance_floor(0), true);
    for (uint32_t i = HUMANOID_LEFT_UPPER_ARM; i <= HUMANOID_LEFT_HAND; i++)
        must(mote_skeleton_release(f.world, f.id, i));
    double t = dance_for(&f, 0, 60);
    for (uint32_t i = HUMANOID_LEFT_UPPER_ARM; i <= HUMANOID_LEFT_HAND; i++)
        must(mote_skeleton_drive(f.world, f.id, i, 0.3f));
    mote_pose last[HUMANOID_BONES], now[HUMANOID_BONES], target[HUMANOID_BONES];
    must(mote_skeleton_get_poses(f.world, f.id, last, HUMANOID_BONES));
    double gap = widest_gap(&f);
    for (int step = 0; step < 30; step++) {
        t = dance_for(&f, t, 1);
        must(mote_skeleton_get_poses(f.world, f.id, now, HUMANOID_BONES));
        check_below(widest_gap(&f), gap + 1e-4, "widest gap of a joint while an arm comes back");
        /* The hand is at most 1 m from where it will be, and the dance has up to 4 m/s. */
        check_below(furthest_way(last, now), (1.5 * 1.0 / 0.3 + 4) * (double)TEST_FRAME, "largest jump");
        dance(&f, dance_floor(t), t, target);
        if (step >= 19)
            check_below(furthest_way(now, target), 1e-4, "way of the figure to its place");
        memcpy(last, now, sizeof last);
    }
    mote_world_destroy(f.world);
}

/* ---- and back -------------------------------------------------------------------------------------------- */

/* From a heap on the floor back into the dance within half a second: no bone jumps, joints hold on the way, and
 * afterwards all are where they are moved. */
static void drive_again(void **state)
{
    (void)state;
    figure f = make_figure(NULL, dance_floor(0), true);
    add_floor(f.world, (mote_material_id){0});
    double t = dance_for(&f, 0, 30);
    must(mote_skeleton_release(f.world, f.id, MOTE_ALL_BONES));
    step_times(f.world, 90, TEST_FRAME);
    must(mote_skeleton_drive(f.world, f.id, MOTE_ALL_BONES, 0.5f));
    mote_pose last[HUMANOID_BONES], now[HUMANOID_BONES], target[HUMANOID_BONES];
    must(mote_skeleton_get_poses(f.world, f.id, last, HUMANOID_BONES));
    double first = 0, largest = 0, furthest = 0, gap = widest_gap(&f);
    for (int step = 0; step < 40; step++) {
        t = dance_for(&f, t, 1);
        must(mote_skeleton_get_poses(f.world, f.id, now, HUMANOID_BONES));
        dance(&f, dance_floor(t), t, target);
        for (uint32_t i = 0; i < HUMANOID_BONES; i++) {
            double jump = distance_of(now[i].position, last[i].position);
            largest = fmax(largest, jump);
            first = step == 0 ? fmax(first, jump) : first;
            furthest = step == 0 ? fmax(furthest, distance_of(now[i].position, target[i].position)) : furthest;
            if (step >= 31)
                check_below(distance_of(now[i].position, target[i].position), 1e-4, "way of %s to its place",
                            f.bones[i].name);
        }
        check_below(widest_gap(&f), gap + 1e-4, "widest gap of a joint on the way back");
        memcpy(last, now, sizeof last);
    }
    check_above(furthest, 0.5, "length of the way back");
    check_below(first, 1e-5, "first step of the way back");
    /* 3 t^2 - 2 t^3 is at its fastest 1.5 times as fast as even; the dance itself adds up to 4 m/s. */
    check_below(largest, 1.5 * furthest * (double)TEST_FRAME / 0.5 + 4 * (double)TEST_FRAME, "largest jump");
    mote_world_destroy(f.world);
}

/* Bones whose parents take longer wait for them: no bone jumps at the end of its own time. */
static void drive_unevenly(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    figure f = make_figure(&settings, ORIGIN, false);
    mote_pose rest[HUMANOID_BONES], last[HUMANOID_BONES], now[HUMANOID_BONES];
    must(mote_skeleton_get_poses(f.world, f.id, rest, HUMANOID_BONES));
    must(mote_body_set_velocity(f.world, mote_skeleton_body(f.world, f.id, HUMANOID_PELVIS), vec(2, 1, 0),
                                vec(0, 3, 1)));
    step_times(f.world, 40, TEST_FRAME);
    for (uint32_t i = HUMANOID_BONES; i-- > 0;)
        must(mote_skeleton_drive(f.world, f.id, i, 0.1f + 0.3f * (float)(i % 3)));
    must(mote_skeleton_get_poses(f.world, f.id, last, HUMANOID_BONES));
    double furthest = 0;
    for (uint32_t i = 0; i < HUMANOID_BONES; i++)
        furthest = fmax(furthest, distance_of(last[i].position, rest[i].position));
    check_above(furthest, 0.3, "length of the way back");
    for (int step = 0; step < 60; step++) {
        must(mote_skeleton_move_to(f.world, f.id, rest, HUMANOID_BONES));
        step_times(f.world, 1, TEST_FRAME);
        must(mote_skeleton_get_poses(f.world, f.id, now, HUMANOID_BONES));
        for (uint32_t i = 0; i < HUMANOID_BONES; i++) {
            /* Several parents may be on their way at once, the shortest time is 0.1 s. */
            check_below(distance_of(now[i].position, last[i].position),
                        3 * 1.5 * furthest * (double)TEST_FRAME / 0.1, "jump of %s", f.bones[i].name);
            if (step > 45)
                check_below(distance_of(now[i].position, rest[i].position), 1e-5, "way of %s to its place",
                            f.bones[i].name);
        }
        memcpy(last, now, sizeof last);
    }
    mote_world_destroy(f.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm_comes_back),    cmocka_unit_test(driven_bones),
        cmocka_unit_test(driven_bones_push), cmocka_unit_test(release_keeps_velocities),
        cmocka_unit_test(comes_to_rest),     cmocka_unit_test(limp_arm),
        cmocka_unit_test(drive_again),       cmocka_unit_test(drive_unevenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
