/* Clips and skins against closed forms: chains of bones, the middle of a turn, loops, and meshes that bones
 * carry. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FRAMES 4
#define BONES  3

static const mote_pose ORIGIN = {{0, 0, 0}, {0, 0, 0, 1}};

static mote_quat turn_about_z(double angle)
{
    return (mote_quat){0, 0, (float)sin(0.5 * angle), (float)cos(0.5 * angle)};
}

static mote_pose pose_at(float x, float y, float z, mote_quat rotation)
{
    return (mote_pose){{x, y, z}, rotation};
}

/* The angle by which a pose is turned about z. */
static double angle_of(mote_pose pose)
{
    double q[4] = {(double)pose.rotation.x, (double)pose.rotation.y, (double)pose.rotation.z,
                   (double)pose.rotation.w};
    check_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-6, "square of a rotation's length");
    check_near(q[0], 0, 1e-6, "x of a turn about z");
    check_near(q[1], 0, 1e-6, "y of a turn about z");
    double angle = 2 * atan2(q[2], q[3]);
    return angle > TEST_PI ? angle - 2 * TEST_PI : angle < -TEST_PI ? angle + 2 * TEST_PI : angle;
}

static void check_place(mote_vec3 place, double x, double y, double z, double tolerance, const char *what)
{
    check_near((double)place.x, x, tolerance, "x of %s", what);
    check_near((double)place.y, y, tolerance, "y of %s", what);
    check_near((double)place.z, z, tolerance, "z of %s", what);
}

/* An arm of two bones along x, 1 m and 0.5 m, and the end of the second, in a plane: the angles of the frames
 * add up along the chain. */
typedef struct arm {
    mote_clip clip;
    mote_pose frames[FRAMES][BONES];
    uint32_t parents[BONES];
} arm;

static const double UPPER[FRAMES] = {0, 0.4, -0.3, 1.0}, LOWER[FRAMES] = {0, 1.2, 0.5, -0.8};

static void make_arm(arm *a)
{
    for (uint32_t f = 0; f < FRAMES; f++) {
        a->frames[f][0] = pose_at(0, 0, 0, turn_about_z(UPPER[f]));
        a->frames[f][1] = pose_at(1, 0, 0, turn_about_z(LOWER[f]));
        a->frames[f][2] = pose_at(0.5f, 0, 0, ORIGIN.rotation);
    }
    a->parents[0] = MOTE_NO_BONE;
    a->parents[1] = 0;
    a->parents[2] = 1;
    a->clip = (mote_clip){10.0f, FRAMES, BONES, &a->frames[0][0], a->parents};
}

static void check_arm(const mote_pose poses[BONES], double upper, double lower)
{
    check_near(angle_of(poses[0]), upper, 1e-6, "angle of the upper bone");
    check_near(angle_of(poses[1]), upper + lower, 1e-6, "angle of the lower bone");
    check_place(poses[1].position, cos(upper), sin(upper), 0, 1e-6, "the elbow");
    check_place(poses[2].position, cos(upper) + 0.5 * cos(upper + lower), sin(upper) + 0.5 * sin(upper + lower),
                0, 1e-6, "the hand");
}

/* At the frames, and between them: turns about one axis go evenly. */
static void chains(void **state)
{
    (void)state;
    arm a;
    make_arm(&a);
    mote_pose poses[BONES];
    for (uint32_t f = 0; f < FRAMES; f++) {
        must(mote_clip_sample(&a.clip, 0.1 * f, false, ORIGIN, poses));
        check_arm(poses, UPPER[f], LOWER[f]);
    }
    for (uint32_t f = 0; f + 1 < FRAMES; f++)
        for (double part = 0.1; part < 1; part += 0.2) {
            must(mote_clip_sample(&a.clip, 0.1 * (f + part), false, ORIGIN, poses));
            check_arm(poses, UPPER[f] + part * (UPPER[f + 1] - UPPER[f]),
                      LOWER[f] + part * (LOWER[f + 1] - LOWER[f]));
        }
}

/* All is carried along with the root, which need not have a rotation of length 1. */
static void roots(void **state)
{
    (void)state;
    arm a;
    make_arm(&a);
    mote_pose root = pose_at(3, -2, 5, (mote_quat){0, 2, 0, 2}), poses[BONES]; /* x becomes -z */
    must(mote_clip_sample(&a.clip, 0.1, false, root, poses));
    double end = cos(UPPER[1]) + 0.5 * cos(UPPER[1] + LOWER[1]);
    check_place(poses[2].position, 3, -2 + sin(UPPER[1]) + 0.5 * sin(UPPER[1] + LOWER[1]), 5 - end, 1e-6,
                "the hand");
}

/* Two turns about different axes: the middle of the way is as far from the one as from the other, by half of
 * their angle; and it is the same whichever sign a quaternion has. */
static void middle_of_a_turn(void **state)
{
    (void)state;
    const uint32_t parents[1] = {MOTE_NO_BONE};
    for (int sign = -1; sign <= 1; sign += 2)
        for (double angle = 1e-5; angle < 3; angle *= 3) {
            float s = (float)sin(0.5 * angle), c = (float)cos(0.5 * angle), k = (float)sign;
            mote_pose frames[2] = {
                pose_at(0, 0, 0, (mote_quat){0.6f, 0, 0, 0.8f}),
                pose_at(2, 4, 6, (mote_quat){k * (0.6f * c), k * (0.8f * s), k * (0.6f * s), k * (0.8f * c)})};
            /* The second is the first, turned by `angle` about y before it. */
            mote_clip clip = {1.0f, 2, 1, frames, parents};
            mote_pose middle;
            must(mote_clip_sample(&clip, 0.5, false, ORIGIN, &middle));
            check_place(middle.position, 1, 2, 3, 1e-6, "the middle");
            double hs = sin(0.25 * angle), hc = cos(0.25 * angle);
            mote_quat q = middle.rotation;
            double flip = (double)q.w < 0 ? -1 : 1;
            check_near(flip * (double)q.x, 0.6 * hc, 2e-7, "x of the middle of a turn by %g", angle);
            check_near(flip * (double)q.y, 0.8 * hs, 2e-7, "y of the middle of a turn by %g", angle);
            check_near(flip * (double)q.z, 0.6 * hs, 2e-7, "z of the middle of a turn by %g", angle);
            check_near(flip * (double)q.w, 0.8 * hc, 2e-7, "w of the middle of a turn by %g", angle);
        }
}

/* A loop of four frames at 10 a second lasts 0.4 s: from the last frame it goes over to the first. */
static void loops(void **state)
{
    (void)state;
    arm a;
    make_arm(&a);
    mote_pose poses[BONES];
    must(mote_clip_sample(&a.clip, 0.35, true, ORIGIN, poses));
    check_arm(poses, 0.5 * UPPER[3], 0.5 * LOWER[3]);
    const double times[] = {0.4, 0.8, -0.4, 4000, -4000};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        must(mote_clip_sample(&a.clip, times[i] + 0.1, true, ORIGIN, poses));
        check_arm(poses, UPPER[1], LOWER[1]);
        must(mote_clip_sample(&a.clip, times[i] - 0.025, true, ORIGIN, poses));
        check_arm(poses, 0.25 * UPPER[3], 0.25 * LOWER[3]);
    }
    must(mote_clip_sample(&a.clip, 1e300, true, ORIGIN, poses)); /* some pose, no fault */
    must(mote_clip_sample(&a.clip, -1e300, true, ORIGIN, poses));
}

/* Without a loop the first and the last frame stand. */
static void ends(void **state)
{
    (void)state;
    arm a;
    make_arm(&a);
    mote_pose poses[BONES];
    const double before[] = {-1e-9, -0.1, -1e300}, after[] = {0.3, 0.30001, 0.4, 1e300};
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        must(mote_clip_sample(&a.clip, before[i], false, ORIGIN, poses));
        check_arm(poses, UPPER[0], LOWER[0]);
    }
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
        must(mote_clip_sample(&a.clip, after[i], false, ORIGIN, poses));
        check_arm(poses, UPPER[3], LOWER[3]);
    }
    a.clip.frame_count = 1;
    for (int loop = 0; loop < 2; loop++) {
        must(mote_clip_sample(&a.clip, 0.77, loop == 1, ORIGIN, poses));
        check_arm(poses, UPPER[0], LOWER[0]);
    }
}

/* ---- bad input ------------------------------------------------------------------------------------------- */

/* The answer is the one expected, names what is wrong, and leaves what it was to write. */
static void check_refused(mote_result result, mote_result expected, const char *word, const void *output,
                          size_t size)
{
    check_true(result == expected, "%s: %s", word, mote_result_text(result));
    check_true(strstr(mote_last_error(), word) != NULL, "\"%s\" names %s", mote_last_error(), word);
    for (size_t i = 0; i < size; i++)
        check_true(((const unsigned char *)output)[i] == 0x55, "byte %zu of the output is untouched", i);
}

static void refuse_clip(const mote_clip *clip, double time, mote_pose root, mote_result expected,
                        const char *word)
{
    mote_pose poses[BONES];
    memset(poses, 0x55, sizeof poses);
    check_refused(mote_clip_sample(clip, time, true, root, poses), expected, word, poses, sizeof poses);
}

static void bad_clips(void **state)
{
    (void)state;
    arm a;
    make_arm(&a);
    mote_pose poses[BONES];
    check_refused(mote_clip_sample(NULL, 0, false, ORIGIN, poses), MOTE_ERROR_ARGUMENT, "clip", NULL, 0);
    check_refused(mote_clip_sample(&a.clip, 0, false, ORIGIN, NULL), MOTE_ERROR_ARGUMENT, "poses", NULL, 0);
    refuse_clip(&a.clip, (double)NAN, ORIGIN, MOTE_ERROR_NOT_FINITE, "time");
    refuse_clip(&a.clip, (double)INFINITY, ORIGIN, MOTE_ERROR_NOT_FINITE, "time");
    refuse_clip(&a.clip, 0, pose_at(0, NAN, 0, ORIGIN.rotation), MOTE_ERROR_NOT_FINITE, "root.position.y");
    refuse_clip(&a.clip, 0, pose_at(0, 0, 0, (mote_quat){0, 0, 0, 0}), MOTE_ERROR_ARGUMENT, "root.rotation");

    const float rates[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        arm b;
        make_arm(&b);
        b.clip.rate = rates[i];
        refuse_clip(&b.clip, 0, ORIGIN, i < 2 ? MOTE_ERROR_ARGUMENT : MOTE_ERROR_NOT_FINITE, "clip.rate");
    }
    mote_clip bad = a.clip;
    bad.frame_count = 0;
    refuse_clip(&bad, 0, ORIGIN, MOTE_ERROR_ARGUMENT, "clip.frame_count");
    bad = a.clip;
    bad.bone_count = 0;
    refuse_clip(&bad, 0, ORIGIN, MOTE_ERROR_ARGUMENT, "clip.bone_count");
    bad = a.clip;
    bad.frames = NULL;
    refuse_clip(&bad, 0, ORIGIN, MOTE_ERROR_ARGUMENT, "clip.frames");
    bad = a.clip;
    bad.parents = NULL;
    refuse_clip(&bad, 0, ORIGIN, MOTE_ERROR_ARGUMENT, "clip.parents");
    for (uint32_t parent = 1; parent < 4; parent++) {
        a.parents[1] = parent;
        refuse_clip(&a.clip, 0, ORIGIN, MOTE_ERROR_ARGUMENT, "clip.parents[1]");
    }
}

/* Frames are looked at when they are needed: bone 1 of frame 2 is the pose number 7. */
static void bad_frames(void **state)
{
    (void)state;
    arm a;
    make_arm(&a);
    mote_pose poses[BONES];
    a.frames[2][1].position.z = NAN;
    must(mote_clip_sample(&a.clip, 0.05, false, ORIGIN, poses));
    refuse_clip(&a.clip, 0.15, ORIGIN, MOTE_ERROR_NOT_FINITE, "clip.frames[7].position.z");
    refuse_clip(&a.clip, 0.25, ORIGIN, MOTE_ERROR_NOT_FINITE, "clip.frames[7].position.z");
    make_arm(&a);
    a.frames[2][1].rotation = (mote_quat){0, 0, 0, 0};
    refuse_clip(&a.clip, 0.2, ORIGIN, MOTE_ERROR_ARGUMENT, "clip.frames[7].rotation");
    a.frames[2][1].rotation = (mote_quat){0, 0, 0, INFINITY};
    refuse_clip(&a.clip, 0.2, ORIGIN, MOTE_ERROR_NOT_FINITE, "clip.frames[7].rotation");
    a.frames[2][1].rotation = (mote_quat){FLT_MAX, 0, 0, 0};
    refuse_clip(&a.clip, 0.2, ORIGIN, MOTE_ERROR_ARGUMENT, "clip.frames[7].rotation");
}

/* ---- skins ---------------------------------------------------------------------------------------------- */

#define VERTICES 200

typedef struct test_skin {
    mote_skin skin;
    mote_vec3 vertices[VERTICES];
    uint32_t bones[VERTICES][4];
    float weights[VERTICES][4];
    mote_pose bind[BONES];
} test_skin;

static mote_quat random_turn(uint64_t *random)
{
    for (;;) {
        mote_quat q = {random_between(random, -1, 1), random_between(random, -1, 1),
                       random_between(random, -1, 1), random_between(random, -1, 1)};
        float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (square > 0.1f && square < 1)
            return (mote_quat){q.x / sqrtf(square), q.y / sqrtf(square), q.z / sqrtf(square),
                               q.w / sqrtf(square)};
    }
}

static mote_pose random_pose(uint64_t *random)
{
    mote_vec3 place = {random_between(random, -2, 2), random_between(random, -2, 2),
                       random_between(random, -2, 2)};
    return (mote_pose){place, random_turn(random)};
}

static void make_skin(test_skin *s, uint64_t *random)
{
    for (int i = 0; i < VERTICES; i++) {
        s->vertices[i] =
            vec(random_between(random, -1, 1), random_between(random, -1, 1), random_between(random, -1, 1));
        float sum = 0;
        for (int k = 0; k < 4; k++) {
            s->bones[i][k] = (uint32_t)random_between(random, 0, BONES);
            s->weights[i][k] = random_between(random, 0.01f, 1);
            sum += s->weights[i][k];
        }
        for (int k = 0; k < 4; k++)
            s->weights[i][k] /= sum;
    }
    for (int i = 0; i < BONES; i++)
        s->bind[i] = random_pose(random);
    s->skin = (mote_skin){VERTICES, s->vertices, &s->bones[0][0], &s->weights[0][0], BONES, s->bind};
}

/* Rotated by a quaternion, in double precision. */
static mote_vec3 turned(mote_quat q, mote_vec3 v)
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double a = (double)v.x, b = (double)v.y, c = (double)v.z;
    double tx = 2 * (y * c - z * b), ty = 2 * (z * a - x * c), tz = 2 * (x * b - y * a);
    return vec((float)(a + w * tx + y * tz - z * ty), (float)(b + w * ty + z * tx - x * tz),
               (float)(c + w * tz + x * ty - y * tx));
}

static mote_vec3 moved(mote_pose pose, mote_vec3 v)
{
    mote_vec3 t = turned(pose.rotation, v);
    return vec(t.x + pose.position.x, t.y + pose.position.y, t.z + pose.position.z);
}

static mote_pose moved_pose(mote_pose a, mote_pose b)
{
    mote_quat p = a.rotation, q = b.rotation;
    return (mote_pose){
        moved(a, b.position),
        {p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
         p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z}};
}

/* Bones that move together, whatever their weights, move the mesh as one rigid thing; at the bind pose it
 * stays. */
static void rigid_skin(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < 20; round++) {
        test_skin s;
        make_skin(&s, &random);
        mote_vec3 out[VERTICES];
        must(mote_skin_apply(&s.skin, s.bind, out));
        for (int i = 0; i < VERTICES; i++)
            check_below(distance_of(out[i], s.vertices[i]), 3e-6, "vertex %d at the bind pose", i);
        mote_pose motion = random_pose(&random), poses[BONES];
        for (int i = 0; i < BONES; i++)
            poses[i] = moved_pose(motion, s.bind[i]);
        must(mote_skin_apply(&s.skin, poses, out));
        for (int i = 0; i < VERTICES; i++)
            check_below(distance_of(out[i], moved(motion, s.vertices[i])), 4e-6, "vertex %d, moved", i);
    }
}

/* Vertices of one bone go with it; half and half is the point in the middle of where both would take it. */
static void mixed_skin(void **state)
{
    (void)state;
    uint64_t random = 7;
    test_skin s;
    make_skin(&s, &random);
    for (int i = 0; i < BONES; i++)
        s.bind[i] = ORIGIN;
    for (int i = 0; i < VERTICES; i++) {
        memset(s.weights[i], 0, sizeof s.weights[i]);
        s.bones[i][0] = 0;
        s.bones[i][1] = 2;
        s.weights[i][0] = i % 2 == 0 ? 1.0f : 0.5f;
        s.weights[i][1] = i % 2 == 0 ? 0.0f : 0.5f;
    }
    mote_pose poses[BONES] = {random_pose(&random), random_pose(&random), random_pose(&random)};
    mote_vec3 out[VERTICES];
    must(mote_skin_apply(&s.skin, poses, out));
    for (int i = 0; i < VERTICES; i++) {
        mote_vec3 a = moved(poses[0], s.vertices[i]), b = moved(poses[2], s.vertices[i]);
        mote_vec3 middle = vec(0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z));
        check_below(distance_of(out[i], i % 2 == 0 ? a : middle), 2e-6, "vertex %d", i);
    }
    /* In place, and with no vertices at all. */
    must(mote_skin_apply(&s.skin, poses, s.vertices));
    assert_memory_equal(s.vertices, out, sizeof out);
    s.skin.vertex_count = 0;
    s.skin.vertices = NULL;
    must(mote_skin_apply(&s.skin, poses, NULL));
}

static void refuse_skin(const mote_skin *skin, const mote_pose *poses, mote_result expected, const char *word)
{
    mote_vec3 out[VERTICES];
    memset(out, 0x55, sizeof out);
    check_refused(mote_skin_apply(skin, poses, out), expected, word, out, sizeof out);
}

static void bad_skins(void **state)
{
    (void)state;
    uint64_t random = 3;
    test_skin s;
    make_skin(&s, &random);
    mote_pose poses[BONES] = {ORIGIN, ORIGIN, ORIGIN};
    mote_vec3 out[VERTICES];
    check_refused(mote_skin_apply(NULL, poses, out), MOTE_ERROR_ARGUMENT, "skin", NULL, 0);
    check_refused(mote_skin_apply(&s.skin, poses, NULL), MOTE_ERROR_ARGUMENT, "vertices", NULL, 0);
    refuse_skin(&s.skin, NULL, MOTE_ERROR_ARGUMENT, "poses");
    poses[1].rotation.w = NAN;
    refuse_skin(&s.skin, poses, MOTE_ERROR_NOT_FINITE, "poses[1].rotation");
    poses[1] = ORIGIN;
    s.bind[2].position.x = INFINITY;
    refuse_skin(&s.skin, poses, MOTE_ERROR_NOT_FINITE, "skin.bind[2].position.x");
    s.bind[2] = ORIGIN;

    float kept = s.weights[123][1];
    s.weights[123][1] = kept + 0.01f;
    refuse_skin(&s.skin, poses, MOTE_ERROR_ARGUMENT, "vertex 123");
    s.weights[123][1] = NAN;
    refuse_skin(&s.skin, poses, MOTE_ERROR_NOT_FINITE, "vertex 123");
    s.weights[123][1] = -kept;
    refuse_skin(&s.skin, poses, MOTE_ERROR_ARGUMENT, "vertex 123");
    s.weights[123][1] = kept;
    s.bones[77][3] = BONES;
    refuse_skin(&s.skin, poses, MOTE_ERROR_ARGUMENT, "vertex 77: bone 3");
    s.bones[77][3] = 0;
    s.vertices[5].y = NAN;
    refuse_skin(&s.skin, poses, MOTE_ERROR_NOT_FINITE, "skin.vertices[5]");
    s.vertices[5].y = 0;
    must(mote_skin_apply(&s.skin, poses, out));

    const mote_skin good = s.skin;
    s.skin.bone_count = 0;
    refuse_skin(&s.skin, poses, MOTE_ERROR_ARGUMENT, "skin.bone_count");
    s.skin.bone_count = MOTE_MAX_BONES + 1;
    refuse_skin(&s.skin, poses, MOTE_ERROR_ARGUMENT, "skin.bone_count");
    s.skin = good;
    s.skin.vertices = NULL;
    refuse_skin(&s.skin, poses, MOTE_ERROR_ARGUMENT, "skin.vertices");
    s.skin = good;
    s.skin.bones = NULL;
    refuse_skin(&s.skin, poses, MOTE_ERROR_ARGUMENT, "skin.bones");
    s.skin = good;
    s.skin.weights = NULL;
    refuse_skin(&s.skin, poses, MOTE_ERROR_ARGUMENT, "skin.weights");
    s.skin = good;
    s.skin.bind = NULL;
    refuse_skin(&s.skin, poses, MOTE_ERROR_ARGUMENT, "skin.bind");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains),     cmocka_unit_test(roots),      cmocka_unit_test(middle_of_a_turn),
        cmocka_unit_test(loops),      cmocka_unit_test(ends),       cmocka_unit_test(bad_clips),
        cmocka_unit_test(bad_frames), cmocka_unit_test(rigid_skin), cmocka_unit_test(mixed_skin),
        cmocka_unit_test(bad_skins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
