/* Motion captures that are let go: joints allow what the clip does, so nothing moves at the release, and the first
 * step changes velocities only as free motion does. Captures of Debian's assimp-testmodels; without them, skipped. */
#define _POSIX_C_SOURCE 200809L
#include "io/rig_bones.h"
#include "io/rig_file_math.h"
#include "jointed_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER        "/usr/share/assimp/models/BVH/"
#define MAX_PARTICLES 600
#define TIMES         TEST_BY_BUILD(16, 4, 2) /* of release, over the whole clip */
#define LEAD          12                      /* frames that the figure is driven before it is let go */
#define SHORT         0.002f                  /* s, the step in which velocities must not jump */

static const char *const CAPTURES[] = {"01_01.bvh", "01_03.bvh", "Boxing_Toes.bvh"};
#define CAPTURE_COUNT (sizeof CAPTURES / sizeof *CAPTURES)

/* ---- a captured figure ----------------------------------------------------------------------------------- */

typedef struct capture {
    const char *name;
    rig model;
    mote_bone_def bones[RIG_MAX_BONES];
    uint32_t rig_bone_of[RIG_MAX_BONES], count;
} capture;

/* A particle, and where the one or two bones that have it want it: in their own coordinates. */
typedef struct held_particle {
    mote_particle_id id;
    uint32_t bones, bone[2];
    mote_vec3 own[2];
} held_particle;

typedef struct figure {
    mote_world *world;
    mote_skeleton_id id;
    size_t count;
    held_particle particles[MAX_PARTICLES];
} figure;

static capture shared_capture;

static const capture *load_capture(const char *name)
{
    capture *c = &shared_capture;
    char path[256], error[RIG_ERROR];
    snprintf(path, sizeof path, FOLDER "%s", name);
    if (access(path, R_OK) != 0)
        skip();
    rig_options options = rig_default_options();
    options.height = 1.8f;
    check_true(rig_load(path, &options, &c->model, error, sizeof error), "%s", error);
    c->count = rig_bone_defs(&c->model, NULL, c->bones, c->rig_bone_of, RIG_MAX_BONES, NULL, error);
    check_true(c->count > 0, "%s", error);
    c->name = name;
    return c;
}

static uint32_t bone_with(const figure *f, mote_body_id body)
{
    uint32_t bone = 0;
    while (mote_skeleton_body(f->world, f->id, bone).index != body.index)
        bone++;
    return bone;
}

static held_particle look_at_particle(const figure *f, const capture *c, mote_particle_id id)
{
    held_particle p = {.id = id};
    mote_body_id bodies[2];
    p.bones = mote_particle_bodies(f->world, id, bodies, 2);
    check_true(p.bones == 1 || p.bones == 2, "a particle is of one bone or two");
    for (uint32_t k = 0; k < p.bones; k++) {
        p.bone[k] = bone_with(f, bodies[k]);
        mote_pose at = {state_of(f->world, id).position, {0, 0, 0, 1}};
        p.own[k] = rig_pose_from(c->bones[p.bone[k]].rest, at).position;
    }
    return p;
}

static void make_figure(const capture *c, figure *f)
{
    const mote_settings settings = weightless();
    f->world = test_world(&settings);
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = c->bones;
    def.bone_count = c->count;
    def.radius = 0.03f;
    def.mass = 70;
    def.driven = true;
    f->id = mote_skeleton_add(f->world, &def);
    must_exist(f->id);
    f->count = mote_particle_count(f->world);
    assert_true(f->count <= MAX_PARTICLES);
    for (size_t i = 0; i < f->count; i++)
        f->particles[i] = look_at_particle(f, c, mote_particles_get_view(f->world).id[i]);
}

static mote_vec3 place_of(const held_particle *p, uint32_t k, const mote_pose *poses)
{
    return rig_pose_in(poses[p->bone[k]], (mote_pose){p->own[k], {0, 0, 0, 1}}).position;
}

/* One that two bones share is between where they want it: on the line, so that the ways to both are no longer than
 * the line. */
static void check_places(const figure *f, const capture *c, const mote_pose *poses)
{
    double single = 0, shared = 0;
    for (size_t i = 0; i < f->count; i++) {
        const held_particle *p = &f->particles[i];
        mote_vec3 x = state_of(f->world, p->id).position, a = place_of(p, 0, poses);
        if (p->bones == 1) {
            single = fmax(single, distance_of(x, a));
            continue;
        }
        mote_vec3 b = place_of(p, 1, poses);
        shared = fmax(shared, distance_of(x, a) + distance_of(x, b) - distance_of(a, b));
    }
    check_below(single, 1e-4, "%s: how far a particle is from where its bone has it, m", c->name);
    check_below(shared, 2e-4, "%s: how far a joint's particle is from between its bones, m", c->name);
}

static void lead_to(figure *f, const capture *c, double time)
{
    const mote_pose root = {{0, 0, 0}, {0, 0, 0, 1}};
    mote_pose poses[RIG_MAX_BONES];
    for (int i = LEAD; i >= 0; i--) {
        double now = time - i * (double)TEST_FRAME;
        must(rig_sample(&c->model, 0, now, false, root, c->rig_bone_of, c->count, poses));
        must(mote_skeleton_move_to(f->world, f->id, poses, c->count));
        step_times(f->world, 1, TEST_FRAME);
        check_places(f, c, poses);
    }
}

/* ---- letting go ------------------------------------------------------------------------------------------ */

static void read_all(const figure *f, mote_vec3 *x, mote_vec3 *v)
{
    for (size_t i = 0; i < f->count; i++) {
        x[i] = state_of(f->world, f->particles[i].id).position;
        v[i] = state_of(f->world, f->particles[i].id).velocity;
    }
}

/* The measure of test_ragdoll.c, release_keeps_velocities: the root of the sum of squares of the changes, over all
 * particles of the figure, beside that of the velocities. */
static double relative_change(const figure *f, const mote_vec3 *before, const mote_vec3 *after)
{
    double change = 0, size = 0;
    for (size_t i = 0; i < f->count; i++) {
        change += pow(distance_of(before[i], after[i]), 2);
        size += pow(length_of(before[i]), 2);
    }
    return sqrt(change / size);
}

static void let_go(figure *f, const capture *c, double time)
{
    mote_vec3 x[2][MAX_PARTICLES], v[2][MAX_PARTICLES];
    double moved = 0;
    read_all(f, x[0], v[0]);
    must(mote_skeleton_release(f->world, f->id, MOTE_ALL_BONES));
    read_all(f, x[1], v[1]);
    for (size_t i = 0; i < f->count; i++)
        moved = fmax(moved, distance_of(x[0][i], x[1][i]));
    check_below(moved, 1e-3, "%s at %g s: how far the release moves a particle, m", c->name, time);
    check_below(relative_change(f, v[0], v[1]), 1e-6, "%s at %g s: jump by the release", c->name, time);
    step_times(f->world, 1, SHORT);
    read_all(f, x[1], v[1]);
    check_below(relative_change(f, v[0], v[1]), 0.05, "%s at %g s: jump in the first step", c->name, time);
}

static void captures_are_let_go(void **state)
{
    (void)state;
    static figure f;
    for (size_t i = 0; i < CAPTURE_COUNT; i++) {
        const capture *c = load_capture(CAPTURES[i]);
        const rig_clip *clip = &c->model.clips[0];
        double duration = clip->frame_count / (double)clip->rate;
        for (int k = 0; k < TIMES; k++) {
            /* The first frame is a T-pose, from which the clip jumps. */
            double time = 0.5 + (duration - 0.5) * (k + 0.5) / TIMES;
            make_figure(c, &f);
            lead_to(&f, c, time);
            let_go(&f, c, time);
            mote_world_destroy(f.world);
        }
        rig_free(&shared_capture.model);
    }
}

/* The times at which the clips tear at the joints most: a sprinter's leap and a boxer's blow. */
static void fast_moments(void **state)
{
    (void)state;
    static figure f;
    static const double times[CAPTURE_COUNT] = {3.5, 1 + 140 / 60.0, 1 + 250 / 60.0};
    for (size_t i = 0; i < CAPTURE_COUNT; i++) {
        const capture *c = load_capture(CAPTURES[i]);
        make_figure(c, &f);
        lead_to(&f, c, times[i]);
        let_go(&f, c, times[i]);
        mote_world_destroy(f.world);
        rig_free(&shared_capture.model);
    }
}

/* ---- the joints ------------------------------------------------------------------------------------------ */

static const mote_bone_def *bone_named(const capture *c, const char *name)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (strcmp(c->bones[i].name, name) == 0)
            return &c->bones[i];
    fail_msg("there is no bone '%s'", name);
    return NULL;
}

/* The boxer's knees and elbows turn by up to 49 degrees off any axis: they are balls, but a straight knee is at the
 * edge of its swing, and does not bend forward. */
static void a_boxers_knees_are_balls(void **state)
{
    (void)state;
    const capture *c = load_capture("Boxing_Toes.bvh");
    static const char *const names[] = {"LeftKnee", "RightKnee", "LeftElbow", "RightElbow"};
    for (int i = 0; i < 4; i++) {
        const mote_bone_def *b = bone_named(c, names[i]);
        check_near(b->joint, MOTE_JOINT_BALL, 0, "joint of %s", names[i]);
        mote_vec3 m = b->joint_middle, a = b->axis;
        double straight = acos((double)(m.x * a.x + m.y * a.y + m.z * a.z));
        check_above((double)b->swing_limit, straight, "swing of %s when it is straight is allowed", names[i]);
        check_below((double)b->swing_limit, straight + 0.35, "%s does not bend back further, rad", names[i]);
    }
    rig_free(&shared_capture.model);
}

/* A rule that speaks of the joint is what the caller wants. */
static void rules_are_kept(void **state)
{
    (void)state;
    const capture *c = load_capture("Boxing_Toes.bvh");
    rig_bone_rule rule = rig_default_bone_rule("LeftKnee");
    rule.joint = MOTE_JOINT_HINGE;
    rig_body_options options = rig_default_body_options();
    options.rules = &rule;
    options.rule_count = 1;
    char error[RIG_ERROR];
    rig_bone_defs(&c->model, &options, shared_capture.bones, NULL, RIG_MAX_BONES, NULL, error);
    check_near(bone_named(c, "LeftKnee")->joint, MOTE_JOINT_HINGE, 0, "the joint that is asked for");
    check_near(bone_named(c, "RightKnee")->joint, MOTE_JOINT_BALL, 0, "the other knee's joint");
    rig_free(&shared_capture.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captures_are_let_go),
        cmocka_unit_test(fast_moments),
        cmocka_unit_test(a_boxers_knees_are_balls),
        cmocka_unit_test(rules_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
