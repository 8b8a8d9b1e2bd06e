/* The joints of the bodies: their types by the bones' names, axes and limits from how the clip moves them. */
#include "io/rig_bone_plan.h"
#include "io/rig_file_math.h"

#include <math.h>

#define PI          3.14159265358979323846
#define DEGREES     (PI / 180)
#define MARGIN      (10 * DEGREES) /* of a limit beyond what the clip does */
#define LITTLE      (5 * DEGREES)  /* a hinge that moves less in the clip does not show its axis */
#define OFF_AXIS    (10 * DEGREES) /* a hinge that the clip bends further off its axis is none */
#define MAX_SAMPLES 4000           /* frames that are looked at */

typedef struct vector {
    double x, y, z;
} vector;

static vector wide(mote_vec3 v)
{
    return (vector){(double)v.x, (double)v.y, (double)v.z};
}

static mote_vec3 narrow(vector v)
{
    return (mote_vec3){(float)v.x, (float)v.y, (float)v.z};
}

static double dot(vector a, vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vector cross(vector a, vector b)
{
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Of length 1; `otherwise` if it is too short to have a direction. */
static vector unit(vector v, vector otherwise)
{
    double size = sqrt(dot(v, v));
    return size > 1e-3 ? (vector){v.x / size, v.y / size, v.z / size} : otherwise;
}

static double angle_between(vector a, vector b)
{
    vector n = cross(a, b);
    return atan2(sqrt(dot(n, n)), dot(a, b));
}

/* Angle about an axis; the rest of the turn is across it. */
static double angle_about(mote_quat turn, vector axis)
{
    double along = dot(axis, (vector){(double)turn.x, (double)turn.y, (double)turn.z});
    double angle = 2 * atan2(along, (double)turn.w);
    return angle > PI ? angle - 2 * PI : angle < -PI ? angle + 2 * PI : angle;
}

/* ---- the clip ------------------------------------------------------------------------------------------- */

static const rig_clip *clip_of(const rig_plan *plan)
{
    return plan->options.clip < plan->model->clip_count ? &plan->model->clips[plan->options.clip] : NULL;
}

static mote_quat turn_of(const rig_plan *plan, const rig_body *body)
{
    mote_quat parent = plan->placed[plan->bodies[body->parent].bone].rotation;
    mote_quat now = rig_turn(rig_turn_back(parent), plan->placed[body->bone].rotation);
    mote_quat turn = rig_turn(rig_turn_back(body->beside), now);
    return turn.w < 0 ? (mote_quat){-turn.x, -turn.y, -turn.z, -turn.w} : turn;
}

static void place_bones(rig_plan *plan, const rig_clip *clip, uint32_t frame)
{
    const rig *model = plan->model;
    const mote_pose *local = clip->frames + (size_t)frame * model->bone_count;
    for (uint32_t b = 0; b < model->bone_count; b++) {
        uint32_t parent = model->parents[b];
        plan->placed[b] = parent == MOTE_NO_BONE ? local[b] : rig_pose_in(plan->placed[parent], local[b]);
    }
}

typedef void see_turn(rig_body *body, rig_motion *moved, mote_quat turn);

static void look_at_clip(rig_plan *plan, const rig_clip *clip, see_turn *see)
{
    uint32_t step = 1 + clip->frame_count / MAX_SAMPLES;
    for (uint32_t f = 0; f < clip->frame_count; f += step) {
        place_bones(plan, clip, f);
        for (uint32_t i = 0; i < plan->body_count; i++)
            if (plan->bodies[i].parent != MOTE_NO_BONE)
                see(&plan->bodies[i], &plan->motions[i], turn_of(plan, &plan->bodies[i]));
    }
}

static void see_spread(rig_body *body, rig_motion *moved, mote_quat turn)
{
    (void)body;
    double v[3] = {(double)turn.x, (double)turn.y, (double)turn.z};
    double sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double angle = 2 * atan2(sine, (double)turn.w), per = sine > 1e-9 ? angle / sine : 0;
    moved->farthest = fmax(moved->farthest, angle);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            moved->spread[i][k] += v[i] * v[k] * per * per;
}

static void see_ranges(rig_body *body, rig_motion *moved, mote_quat turn)
{
    double about = angle_about(turn, wide(body->hinge));
    moved->low = fmin(moved->low, about);
    moved->high = fmax(moved->high, about);
    vector axis = wide(body->axis);
    moved->swing = fmax(moved->swing, angle_between(axis, wide(rig_turned(turn, body->axis))));
    moved->twist = fmax(moved->twist, fabs(angle_about(turn, axis)));
    moved->off = fmax(moved->off, angle_between(wide(body->hinge), wide(rig_turned(turn, body->hinge))));
}

/* As a ball, from the middle of its swing. */
static void see_loose(rig_body *body, rig_motion *moved, mote_quat turn)
{
    if (!moved->loose)
        return;
    vector axis = wide(body->axis);
    turn = rig_turn(rig_turn_back(moved->middle), turn);
    moved->swing = fmax(moved->swing, angle_between(axis, wide(rig_turned(turn, body->axis))));
    moved->twist = fmax(moved->twist, fabs(angle_about(turn, axis)));
}

/* The direction in which the turns spread most: powers of the matrix turn any vector to it. */
static vector main_axis(const rig_motion *moved, vector otherwise)
{
    const double(*s)[3] = moved->spread;
    int most = s[1][1] > s[0][0] ? 1 : 0;
    most = s[2][2] > s[most][most] ? 2 : most;
    double trace = s[0][0] + s[1][1] + s[2][2];
    if (!(trace > 1e-12))
        return otherwise;
    vector v = {s[0][most], s[1][most], s[2][most]};
    for (int i = 0; i < 60; i++) {
        v = (vector){v.x / trace, v.y / trace, v.z / trace};
        v = (vector){s[0][0] * v.x + s[0][1] * v.y + s[0][2] * v.z,
                     s[1][0] * v.x + s[1][1] * v.y + s[1][2] * v.z,
                     s[2][0] * v.x + s[2][1] * v.y + s[2][2] * v.z};
        double size = sqrt(dot(v, v));
        if (!(size > 0))
            return otherwise;
        v = (vector){v.x / size, v.y / size, v.z / size};
    }
    return v;
}

/* ---- which way a hinge bends ---------------------------------------------------------------------------- */

/* Where the figure looks: where its feet point, along the ground; +Z if it has none. In the model's
 * coordinates. */
static vector forward_of(const rig_plan *plan)
{
    vector sum = {0, 0, 0};
    for (uint32_t i = 0; i < plan->body_count; i++) {
        const rig_body *body = &plan->bodies[i];
        if (plan->kinds[body->bone] != RIG_KIND_FOOT)
            continue;
        mote_vec3 along = rig_turned(plan->model->rest[body->bone].rotation, body->axis);
        sum.x += (double)along.x;
        sum.z += (double)along.z;
    }
    return unit(sum, (vector){0, 0, 1});
}

/* The direction of the parent, in the coordinates of the bone at rest: from joint to joint. */
static vector direction_of_parent(const rig_plan *plan, const rig_body *body)
{
    const rig *model = plan->model;
    uint32_t parent = plan->bodies[body->parent].bone;
    mote_vec3 back = rig_pose_from(model->rest[body->bone], model->rest[parent]).position;
    return unit((vector){-(double)back.x, -(double)back.y, -(double)back.z}, wide(body->axis));
}

/* Without a clip: about what bends it already at rest; of a straight limb, so that knees bend back and elbows
 * forward. */
static vector axis_by_form(const rig_plan *plan, const rig_body *body, vector forward)
{
    vector along = wide(body->axis), bend = cross(direction_of_parent(plan, body), along);
    if (sqrt(dot(bend, bend)) > sin(LITTLE))
        return unit(bend, (vector){1, 0, 0});
    mote_quat back = rig_turn_back(plan->model->rest[body->bone].rotation);
    vector ahead = wide(rig_turned(back, narrow(forward)));
    vector up = wide(rig_turned(back, (mote_vec3){0, 1, 0}));
    vector across = plan->kinds[body->bone] == RIG_KIND_KNEE ? cross(ahead, along) : cross(along, ahead);
    return unit(across, unit(cross(along, up), (vector){1, 0, 0}));
}

/* How far the joint is bent, rad, when the bone turns by `angle` about its hinge. */
static double bend_at(const rig_plan *plan, const rig_body *body, double angle)
{
    vector axis = wide(body->hinge), along = wide(body->axis), side = cross(axis, along);
    double part = dot(axis, along) * (1 - cos(angle));
    vector turned = {along.x * cos(angle) + side.x * sin(angle) + axis.x * part,
                     along.y * cos(angle) + side.y * sin(angle) + axis.y * part,
                     along.z * cos(angle) + side.z * sin(angle) + axis.z * part};
    return acos(fmin(fmax(dot(turned, direction_of_parent(plan, body)), -1), 1));
}

/* Bending is positive: towards the end of the clip's range where the joint is bent more. */
static void set_hinge_limits(const rig_plan *plan, rig_body *body, rig_motion *moved)
{
    if (bend_at(plan, body, moved->low) > bend_at(plan, body, moved->high)) {
        double low = moved->low;
        moved->low = -moved->high;
        moved->high = -low;
        body->hinge = (mote_vec3){-body->hinge.x, -body->hinge.y, -body->hinge.z};
    }
    /* A limb that is bent at rest can be made straight. */
    double straight = -bend_at(plan, body, 0) - 5 * DEGREES;
    body->min_angle = (float)fmax(fmin(moved->low - 5 * DEGREES, fmin(straight, -5 * DEGREES)), -PI);
    body->max_angle = (float)fmin(fmax(moved->high + 5 * DEGREES, 150 * DEGREES), PI);
}

/* ---- all joints ----------------------------------------------------------------------------------------- */

static bool is_hinge(rig_kind kind)
{
    return kind == RIG_KIND_KNEE || kind == RIG_KIND_ELBOW;
}

/* Limits of balls, in degrees, where the clip does not go further. */
static void set_ball_limits(rig_kind kind, rig_body *body, const rig_motion *moved)
{
    static const struct {
        rig_kind kind;
        double swing, twist;
    } table[] = {{RIG_KIND_FOOT, 40, 20},  {RIG_KIND_HAND, 50, 30},   {RIG_KIND_NECK, 40, 45},
                 {RIG_KIND_SPINE, 25, 20}, {RIG_KIND_COLLAR, 20, 15}, {RIG_KIND_THIGH, 75, 40},
                 {RIG_KIND_ARM, 100, 60}};
    double swing = 60, twist = 45;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].kind == kind) {
            swing = table[i].swing;
            twist = table[i].twist;
        }
    body->swing_limit = (float)fmin(fmax(swing * DEGREES, moved->swing + MARGIN), PI);
    body->twist_limit = (float)fmin(fmax(twist * DEGREES, moved->twist + MARGIN), PI);
}

/* A hinge turns about the axis about which it turns most in the clip; if it hardly turns, about one that its
 * form tells. */
static void find_hinge(rig_plan *plan, rig_body *body, const rig_motion *moved, vector forward)
{
    rig_kind kind = plan->kinds[body->bone];
    vector by_form = axis_by_form(plan, body, forward), axis = by_form;
    if (moved->farthest > LITTLE && is_hinge(kind))
        axis = main_axis(moved, by_form);
    body->hinge = narrow(dot(axis, by_form) < 0 ? (vector){-axis.x, -axis.y, -axis.z} : axis);
}

static void set_joint(rig_plan *plan, rig_body *body, rig_motion *moved)
{
    rig_kind kind = plan->kinds[body->bone];
    body->joint = is_hinge(kind) ? MOTE_JOINT_HINGE : MOTE_JOINT_BALL;
    set_hinge_limits(plan, body, moved);
    set_ball_limits(kind, body, moved);
}

void rig_plan_joints(rig_plan *plan)
{
    rig_motion *motions = plan->motions;
    const rig_clip *clip = clip_of(plan);
    vector forward = forward_of(plan);
    if (clip != NULL)
        look_at_clip(plan, clip, see_spread);
    for (uint32_t i = 0; i < plan->body_count; i++) {
        rig_body *body = &plan->bodies[i];
        body->hinge = (mote_vec3){1, 0, 0};
        if (body->parent != MOTE_NO_BONE)
            find_hinge(plan, body, &motions[i], forward);
    }
    if (clip != NULL)
        look_at_clip(plan, clip, see_ranges);
    for (uint32_t i = 0; i < plan->body_count; i++) {
        rig_body *body = &plan->bodies[i];
        body->min_angle = (float)-PI;
        body->max_angle = body->swing_limit = body->twist_limit = (float)PI;
        if (body->parent != MOTE_NO_BONE)
            set_joint(plan, body, &motions[i]);
    }
}

/* ---- hinges that are none ------------------------------------------------------------------------------- */

static bool is_ruled(const rig_plan *plan, const rig_body *body)
{
    for (size_t i = 0; i < plan->options.rule_count; i++) {
        const rig_bone_rule *rule = &plan->options.rules[i];
        bool speaks = rule->joint != MOTE_JOINT_TYPE_COUNT || !isnan(rule->joint_axis.x) ||
                      !isnan(rule->min_angle) || !isnan(rule->max_angle) || !isnan(rule->swing_limit) ||
                      !isnan(rule->twist_limit);
        if (speaks && rig_find_bone(plan->model, rule->bone) == body->bone)
            return true;
    }
    return false;
}

/* The turn of the bone that is in the middle of the hinge's limits: the shortest that takes its axis there. */
static mote_quat middle_turn(const rig_body *body)
{
    double half = 0.25 * ((double)body->min_angle + (double)body->max_angle), sine = sin(half);
    vector h = wide(body->hinge), along = wide(body->axis);
    mote_quat about = {(float)(h.x * sine), (float)(h.y * sine), (float)(h.z * sine), (float)cos(half)};
    vector to = wide(rig_turned(about, body->axis)), n = cross(along, to);
    double w = 1 + dot(along, to), size = sqrt(dot(n, n) + w * w);
    if (!(size > 1e-3)) /* straight back: any turn is as short */
        return about;
    return (mote_quat){(float)(n.x / size), (float)(n.y / size), (float)(n.z / size), (float)(w / size)};
}

static void begin_to_loosen(rig_body *body, rig_motion *moved)
{
    moved->middle = middle_turn(body);
    moved->swing = moved->twist = 0;
    body->middle = rig_turned(moved->middle, body->axis);
    body->joint = MOTE_JOINT_BALL;
}

/* About its axis it has the hinge's limits, so that a knee does not bend forward; across, what the clip does. */
static void end_to_loosen(rig_body *body, const rig_motion *moved)
{
    double half = 0.5 * ((double)body->max_angle - (double)body->min_angle);
    body->swing_limit = (float)fmin(fmax(half, moved->swing + MARGIN), PI);
    body->twist_limit = (float)fmin(moved->twist + MARGIN, PI);
}

void rig_loosen_joints(rig_plan *plan)
{
    const rig_clip *clip = clip_of(plan);
    bool any = false;
    for (uint32_t i = 0; i < plan->body_count; i++) {
        rig_body *body = &plan->bodies[i];
        plan->motions[i].loose = body->parent != MOTE_NO_BONE && body->joint == MOTE_JOINT_HINGE &&
                                 plan->motions[i].off > OFF_AXIS && !is_ruled(plan, body);
        if (plan->motions[i].loose)
            begin_to_loosen(body, &plan->motions[i]);
        any = any || plan->motions[i].loose;
    }
    if (!any || clip == NULL)
        return;
    look_at_clip(plan, clip, see_loose);
    for (uint32_t i = 0; i < plan->body_count; i++)
        if (plan->motions[i].loose)
            end_to_loosen(&plan->bodies[i], &plan->motions[i]);
}
