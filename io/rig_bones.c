/* Which bones get bodies, and their definitions. */
#include "io/rig_bones.h"

#include "io/rig_bone_plan.h"
#include "io/rig_file_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rig_bone_rule rig_default_bone_rule(const char *bone)
{
    return (rig_bone_rule){.bone = bone,
                           .body = RIG_BODY_AUTO,
                           .joint = MOTE_JOINT_TYPE_COUNT,
                           .joint_axis = {NAN, NAN, NAN},
                           .min_angle = NAN,
                           .max_angle = NAN,
                           .swing_limit = NAN,
                           .twist_limit = NAN,
                           .length = NAN,
                           .thickness = NAN};
}

rig_body_options rig_default_body_options(void)
{
    return (rig_body_options){.thickness = RIG_THICKNESS};
}

/* ---- checks --------------------------------------------------------------------------------------------- */

#define PI 3.14159265f

static bool refuse(rig_plan *plan, const char *bone, const char *what, float value, const char *range)
{
    snprintf(plan->error, RIG_ERROR, "%s of bone '%s' is %g; it must be %s", what, bone, (double)value, range);
    return false;
}

/* NAN is within any range: it is left to be worked out. */
static bool within(float value, float low, float high)
{
    return isnan(value) || (value >= low && value <= high);
}

static bool check_rule(rig_plan *plan, const rig_bone_rule *rule)
{
    const char *name = rule->bone != NULL ? rule->bone : "";
    uint32_t bone = rig_find_bone(plan->model, name);
    if (bone == MOTE_NO_BONE) {
        snprintf(plan->error, RIG_ERROR, "there is no bone '%s'", name);
        return false;
    }
    if (rule->body == RIG_BODY_NO && plan->model->parents[bone] == MOTE_NO_BONE) {
        snprintf(plan->error, RIG_ERROR, "bone '%s' is a root and must have a body", name);
        return false;
    }
    if ((unsigned)rule->joint > MOTE_JOINT_TYPE_COUNT)
        return refuse(plan, name, "the joint", (float)rule->joint, "a type of joint");
    if (!within(rule->min_angle, -PI, PI) ||
        !within(rule->max_angle, rule->min_angle > -PI ? rule->min_angle : -PI, PI))
        return refuse(plan, name, "an angle",
                      within(rule->min_angle, -PI, PI) ? rule->max_angle : rule->min_angle,
                      "from -pi to pi, and the largest not below the smallest");
    if (!within(rule->swing_limit, 0, PI) || !within(rule->twist_limit, 0, PI))
        return refuse(plan, name, "a limit",
                      within(rule->swing_limit, 0, PI) ? rule->twist_limit : rule->swing_limit, "from 0 to pi");
    if (!within(rule->length, 0, RIG_COORDINATE))
        return refuse(plan, name, "the length", rule->length, "0 or more");
    if (!within(rule->thickness, 1e-6f, RIG_COORDINATE))
        return refuse(plan, name, "the thickness", rule->thickness, "above 0");
    mote_vec3 axis = rule->joint_axis;
    float square = axis.x * axis.x + axis.y * axis.y + axis.z * axis.z;
    if (!isnan(square) && !(square > 1e-12f && square < 1e12f))
        return refuse(plan, name, "the length of the axis", sqrtf(square), "above 0");
    return true;
}

static bool check_options(rig_plan *plan)
{
    rig_body_options *o = &plan->options;
    if (!(o->min_length >= 0 && o->min_length <= RIG_COORDINATE) ||
        !(o->thickness >= 0 && o->thickness <= 10) ||
        !(o->max_thickness >= 0 && o->max_thickness <= RIG_COORDINATE)) {
        snprintf(
            plan->error, RIG_ERROR,
            "min_length is %g, thickness %g, max_thickness %g; they must be 0 or more, the second at most 10",
            (double)o->min_length, (double)o->thickness, (double)o->max_thickness);
        return false;
    }
    if (o->clip != RIG_NO_CLIP && o->clip >= plan->model->clip_count && o->clip != 0) {
        snprintf(plan->error, RIG_ERROR, "there is no clip %u; there are %u", o->clip, plan->model->clip_count);
        return false;
    }
    if (o->min_length == 0)
        o->min_length = 0.04f * plan->model->height;
    for (size_t i = 0; i < o->rule_count; i++)
        if (!check_rule(plan, &o->rules[i]))
            return false;
    return true;
}

/* ---- which bones get bodies ----------------------------------------------------------------------------- */

float rig_distance(mote_vec3 a, mote_vec3 b)
{
    return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

void rig_look_inside(rig_plan *plan, uint32_t bone)
{
    const rig *model = plan->model;
    memset(plan->inside, 0, model->bone_count * sizeof *plan->inside);
    plan->inside[bone] = true;
    for (uint32_t b = bone + 1; b < model->bone_count; b++) {
        uint32_t parent = model->parents[b];
        plan->inside[b] =
            parent != MOTE_NO_BONE && plan->inside[parent] && (parent == bone || !plan->has_body[parent]);
    }
}

/* How long the body would be that begins at this bone, if it goes on to the next bones that have one.
 * *is_end: there are none. */
static float extent_of(rig_plan *plan, uint32_t bone, bool *is_end)
{
    const rig *model = plan->model;
    float extent = 0;
    *is_end = true;
    rig_look_inside(plan, bone);
    for (uint32_t b = bone + 1; b < model->bone_count; b++)
        if (plan->inside[b]) {
            extent = fmaxf(extent, rig_distance(model->rest[bone].position, model->rest[b].position));
            *is_end = *is_end && !plan->has_body[b];
        }
    return extent;
}

/* Some rigs end with the joint of the last bone: its vertices, or its name, tell of a hand, foot or head. */
static float extent_of_end(rig_plan *plan, uint32_t bone)
{
    const rig *model = plan->model;
    uint32_t parent = model->parents[bone];
    float reach = rig_reach_of_vertices(plan, bone);
    rig_kind kind = plan->kinds[bone];
    bool named = kind == RIG_KIND_FOOT || kind == RIG_KIND_HAND || kind == RIG_KIND_NECK;
    if (reach > 0 || !named || parent == MOTE_NO_BONE)
        return reach;
    return 0.5f * rig_distance(model->rest[parent].position, model->rest[bone].position);
}

/* From the ends up: short bones become part of the next one above that is long enough with them. */
static void choose_bodies(rig_plan *plan)
{
    const rig *model = plan->model;
    for (uint32_t b = model->bone_count; b-- > 0;) {
        bool is_end;
        float extent = extent_of(plan, b, &is_end);
        if (is_end)
            extent = fmaxf(extent, extent_of_end(plan, b));
        bool root = model->parents[b] == MOTE_NO_BONE;
        plan->has_body[b] = root || (plan->kinds[b] != RIG_KIND_SMALL && extent >= plan->options.min_length);
        for (size_t i = 0; i < plan->options.rule_count; i++) {
            const rig_bone_rule *rule = &plan->options.rules[i];
            if (rule->body != RIG_BODY_AUTO && rig_find_bone(model, rule->bone) == b)
                plan->has_body[b] = rule->body == RIG_BODY_YES;
        }
    }
    for (uint32_t b = 0; b < model->bone_count; b++) {
        uint32_t parent = model->parents[b],
                 above = parent != MOTE_NO_BONE ? plan->body_of[parent] : MOTE_NO_BONE;
        plan->body_of[b] = above;
        if (!plan->has_body[b])
            continue;
        rig_body *body = &plan->bodies[plan->body_count];
        *body = (rig_body){.bone = b, .parent = above, .beside = model->rest[b].rotation};
        if (above != MOTE_NO_BONE)
            body->beside = rig_turn(rig_turn_back(model->rest[plan->bodies[above].bone].rotation),
                                    model->rest[b].rotation);
        plan->body_of[b] = plan->body_count++;
    }
}

/* ---- vertices ------------------------------------------------------------------------------------------- */

/* The strongest comes first, so each is sorted by its first bone. */
static void sort_vertices(rig_plan *plan)
{
    const rig_skin *skin = &plan->model->skin;
    uint32_t bones = plan->model->bone_count;
    for (size_t i = 0; i < skin->vertex_count; i++)
        plan->first[skin->bones[4 * i] + 1]++;
    for (uint32_t b = 0; b < bones; b++)
        plan->first[b + 1] += plan->first[b];
    for (size_t i = skin->vertex_count; i-- > 0;)
        plan->vertices[--plan->first[skin->bones[4 * i] + 1]] = (uint32_t)i;
    /* Each entry came down to the beginning of its own: one place too far on. */
    memmove(plan->first, plan->first + 1, bones * sizeof *plan->first);
    plan->first[bones] = skin->vertex_count;
}

/* ---- definitions ---------------------------------------------------------------------------------------- */

static float chosen(float ruled, float found)
{
    return isnan(ruled) ? found : ruled;
}

static void apply_rules(const rig_plan *plan, rig_body *body)
{
    for (size_t i = 0; i < plan->options.rule_count; i++) {
        const rig_bone_rule *rule = &plan->options.rules[i];
        if (rig_find_bone(plan->model, rule->bone) != body->bone)
            continue;
        if (rule->joint != MOTE_JOINT_TYPE_COUNT)
            body->joint = rule->joint;
        mote_vec3 a = rule->joint_axis;
        float size = sqrtf(a.x * a.x + a.y * a.y + a.z * a.z);
        if (size > 0)
            body->hinge = (mote_vec3){a.x / size, a.y / size, a.z / size};
        body->min_angle = chosen(rule->min_angle, body->min_angle);
        body->max_angle = fmaxf(chosen(rule->max_angle, body->max_angle), body->min_angle);
        body->swing_limit = chosen(rule->swing_limit, body->swing_limit);
        body->twist_limit = chosen(rule->twist_limit, body->twist_limit);
        body->length = chosen(rule->length, body->length);
        body->thickness = chosen(rule->thickness, body->thickness);
    }
}

static mote_bone_def definition_of(const rig_plan *plan, const rig_body *body)
{
    return (mote_bone_def){.name = plan->model->names[body->bone],
                           .parent = body->parent,
                           .rest = plan->model->rest[body->bone],
                           .axis = body->axis,
                           .length = body->length,
                           .thickness = body->thickness,
                           .joint = body->joint,
                           .joint_axis = body->hinge,
                           .min_angle = body->min_angle,
                           .max_angle = body->max_angle,
                           .swing_limit = body->swing_limit,
                           .twist_limit = body->twist_limit,
                           .joint_middle = body->middle};
}

static bool allocate(rig_plan *plan)
{
    size_t bones = plan->model->bone_count, vertices = plan->model->skin.vertex_count;
    plan->kinds = calloc(bones, sizeof *plan->kinds);
    plan->has_body = calloc(bones, sizeof *plan->has_body);
    plan->inside = calloc(bones, sizeof *plan->inside);
    plan->body_of = calloc(bones, sizeof *plan->body_of);
    plan->placed = calloc(bones, sizeof *plan->placed);
    plan->bodies = calloc(bones, sizeof *plan->bodies);
    plan->motions = calloc(bones, sizeof *plan->motions);
    plan->first = calloc(bones + 1, sizeof *plan->first);
    if (vertices > 0) {
        plan->vertices = malloc(vertices * sizeof *plan->vertices);
        plan->measured = malloc(vertices * sizeof *plan->measured);
    }
    return plan->kinds != NULL && plan->has_body != NULL && plan->inside != NULL && plan->body_of != NULL &&
           plan->placed != NULL && plan->bodies != NULL && plan->motions != NULL && plan->first != NULL &&
           (vertices == 0 || (plan->vertices != NULL && plan->measured != NULL));
}

static void release(rig_plan *plan)
{
    free(plan->kinds);
    free(plan->has_body);
    free(plan->inside);
    free(plan->body_of);
    free(plan->placed);
    free(plan->bodies);
    free(plan->motions);
    free(plan->first);
    free(plan->vertices);
    free(plan->measured);
}

static void work_out(rig_plan *plan)
{
    if (plan->vertices != NULL)
        sort_vertices(plan);
    rig_find_kinds(plan->model, plan->kinds);
    choose_bodies(plan);
    rig_plan_forms(plan);
    rig_plan_joints(plan);
    for (uint32_t i = 0; i < plan->body_count; i++)
        apply_rules(plan, &plan->bodies[i]);
    rig_loosen_joints(plan);
}

uint32_t rig_bone_defs(const rig *model, const rig_body_options *options, mote_bone_def *bones,
                       uint32_t *rig_bone_of, uint32_t capacity, uint32_t *body_of, char error[RIG_ERROR])
{
    rig_plan plan = {.model = model, .error = error};
    plan.options = options != NULL ? *options : rig_default_body_options();
    error[0] = '\0';
    if (!check_options(&plan))
        return 0;
    if (!allocate(&plan)) {
        snprintf(error, RIG_ERROR, "there is no memory for %u bones", model->bone_count);
        release(&plan);
        return 0;
    }
    work_out(&plan);
    for (uint32_t i = 0; i < plan.body_count && i < capacity; i++) {
        bones[i] = definition_of(&plan, &plan.bodies[i]);
        if (rig_bone_of != NULL)
            rig_bone_of[i] = plan.bodies[i].bone;
    }
    if (body_of != NULL)
        memcpy(body_of, plan.body_of, model->bone_count * sizeof *body_of);
    uint32_t count = plan.body_count;
    release(&plan);
    return count;
}

/* ---- poses ---------------------------------------------------------------------------------------------- */

mote_result rig_sample(const rig *model, uint32_t clip, double time, bool loop, mote_pose root,
                       const uint32_t *rig_bone_of, uint32_t count, mote_pose *out)
{
    mote_pose all[RIG_MAX_BONES];
    mote_result result = MOTE_OK;
    if (clip < model->clip_count) {
        mote_clip view = rig_clip_view(model, clip);
        result = mote_clip_sample(&view, time, loop, root, all);
    } else {
        for (uint32_t b = 0; b < model->bone_count; b++)
            all[b] = rig_pose_in(root, model->rest[b]);
    }
    for (uint32_t i = 0; i < count && result == MOTE_OK; i++)
        out[i] = all[rig_bone_of[i]];
    return result;
}

void rig_poses_from_bodies(const rig *model, const uint32_t *rig_bone_of, const uint32_t *body_of,
                           const mote_pose *bodies, mote_pose *out)
{
    for (uint32_t b = 0; b < model->bone_count; b++) {
        uint32_t body = body_of[b], carrier = rig_bone_of[body];
        out[b] = carrier == b ? bodies[body]
                              : rig_pose_in(bodies[body], rig_pose_from(model->rest[carrier], model->rest[b]));
    }
}
