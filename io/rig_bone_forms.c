/* The capsules of the bodies: along the bone, as thick as the mesh around it. */
#include "io/rig_bone_plan.h"
#include "io/rig_file_math.h"

#include <math.h>
#include <stdlib.h>

#define FEW_VERTICES 8 /* fewer do not show a form */

static float size_of(mote_vec3 v)
{
    return sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
}

static float dot(mote_vec3 a, mote_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Of length 1; `otherwise` if it has none. */
static mote_vec3 unit(mote_vec3 v, mote_vec3 otherwise)
{
    float size = size_of(v);
    return size > 1e-9f ? (mote_vec3){v.x / size, v.y / size, v.z / size} : otherwise;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* The number that `part` of them (0..1) are below. */
static float quantile(float *numbers, size_t count, float part)
{
    qsort(numbers, count, sizeof *numbers, compare_floats);
    return numbers[(size_t)(part * (float)(count - 1))];
}

/* ---- vertices ------------------------------------------------------------------------------------------- */

/* A vertex beside a bone when both are bound. */
static mote_vec3 beside(const rig *model, uint32_t vertex, uint32_t bone)
{
    mote_pose at = {model->skin.vertices[vertex], {0, 0, 0, 1}};
    return rig_pose_from(model->skin.bind[bone], at).position;
}

/* Distances of `count` vertices from the bone's origin, into plan->measured. */
static void measure_reach(rig_plan *plan, uint32_t bone, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        plan->measured[i] = size_of(beside(plan->model, plan->vertices[first + i], bone));
}

float rig_reach_of_vertices(rig_plan *plan, uint32_t bone)
{
    if (plan->vertices == NULL)
        return 0;
    size_t first = plan->first[bone], count = plan->first[bone + 1] - first;
    if (count < FEW_VERTICES)
        return 0;
    measure_reach(plan, bone, first, count);
    return quantile(plan->measured, count, 0.95f);
}

/* All vertices that go with a body: those of its bone and of the bones that it carries. Calls `see` for
 * each. */
typedef void see_vertex(void *context, mote_vec3 at);

static size_t look_at_vertices(rig_plan *plan, uint32_t body, see_vertex *see, void *context)
{
    size_t count = 0;
    if (plan->vertices == NULL)
        return 0;
    for (uint32_t b = plan->bodies[body].bone; b < plan->model->bone_count; b++) {
        if (plan->body_of[b] != body)
            continue;
        for (size_t i = plan->first[b]; i < plan->first[b + 1]; i++)
            see(context, beside(plan->model, plan->vertices[i], plan->bodies[body].bone));
        count += plan->first[b + 1] - plan->first[b];
    }
    return count;
}

static void sum_up(void *context, mote_vec3 at)
{
    mote_vec3 *sum = context;
    *sum = (mote_vec3){sum->x + at.x, sum->y + at.y, sum->z + at.z};
}

/* Distances from a segment that begins at the origin; or how far along it, if it has no length. */
typedef struct tape {
    mote_vec3 axis;
    float length;
    bool along;
    float *measured;
    size_t count;
} tape;

static void measure_vertex(void *context, mote_vec3 at)
{
    tape *t = context;
    float along = dot(at, t->axis), on = fminf(fmaxf(along, 0), t->length);
    mote_vec3 off = {at.x - on * t->axis.x, at.y - on * t->axis.y, at.z - on * t->axis.z};
    t->measured[t->count++] = t->along ? along : size_of(off);
}

/* ---- where a bone goes ---------------------------------------------------------------------------------- */

static mote_vec3 joint_beside(const rig *model, uint32_t bone, uint32_t other)
{
    return rig_pose_from(model->rest[bone], model->rest[other]).position;
}

static bool is_axial(rig_kind kind)
{
    return kind == RIG_KIND_SPINE || kind == RIG_KIND_NECK;
}

/* How well a bone is suited as the one that another leads to: bones with bodies are better than others; of a
 * trunk the next of the trunk is best, not a leg or an arm. */
static int rank_of(const rig_plan *plan, uint32_t bone, bool trunk)
{
    return !plan->has_body[bone] ? 0 : trunk && is_axial(plan->kinds[bone]) ? 2 : 1;
}

static bool is_trunk(const rig_plan *plan, uint32_t bone)
{
    return is_axial(plan->kinds[bone]) || plan->model->parents[bone] == MOTE_NO_BONE;
}

/* The bone that this one leads to: the farthest of those suited best. MOTE_NO_BONE if there is none away
 * from it. */
static uint32_t main_child(rig_plan *plan, uint32_t bone)
{
    const rig *model = plan->model;
    uint32_t best = MOTE_NO_BONE;
    int best_rank = -1;
    float best_distance = 0;
    rig_look_inside(plan, bone);
    for (uint32_t b = bone + 1; b < model->bone_count; b++) {
        float distance = rig_distance(model->rest[bone].position, model->rest[b].position);
        if (!plan->inside[b] || distance <= 1e-3f * plan->options.min_length)
            continue;
        int rank = rank_of(plan, b, is_trunk(plan, bone));
        if (rank > best_rank || (rank == best_rank && distance > best_distance)) {
            best = b;
            best_rank = rank;
            best_distance = distance;
        }
    }
    return best;
}

/* Below a head are eyes, a jaw and hair: its vertices tell more. */
static bool shows_its_form(const rig_plan *plan, const rig_body *body, uint32_t next)
{
    size_t count = plan->vertices != NULL ? plan->first[body->bone + 1] - plan->first[body->bone] : 0;
    return plan->kinds[body->bone] == RIG_KIND_NECK && !plan->has_body[next] && count >= FEW_VERTICES;
}

/* A bone at the end of a limb: towards its vertices, as far as they reach; without any straight on from its
 * parent, half as long as that. */
static void form_end(rig_plan *plan, uint32_t index)
{
    rig_body *body = &plan->bodies[index];
    const rig *model = plan->model;
    mote_vec3 sum = {0, 0, 0};
    if (look_at_vertices(plan, index, sum_up, &sum) >= FEW_VERTICES) {
        body->axis = unit(sum, body->axis);
        tape t = {.axis = body->axis, .along = true, .measured = plan->measured};
        look_at_vertices(plan, index, measure_vertex, &t);
        body->length = fmaxf(quantile(plan->measured, t.count, 0.95f), 0);
        return;
    }
    uint32_t parent = model->parents[body->bone];
    if (parent == MOTE_NO_BONE)
        return;
    mote_vec3 from = joint_beside(model, body->bone, parent);
    body->axis = unit((mote_vec3){-from.x, -from.y, -from.z}, body->axis);
    body->length = 0.5f * size_of(from);
}

/* ---- how thick it is ------------------------------------------------------------------------------------ */

/* How far the bones beside the axis are from it, those of other bodies: hips and shoulders are wide. */
static float width_of_joints(rig_plan *plan, const rig_body *body)
{
    float widest = 0;
    rig_look_inside(plan, body->bone);
    for (uint32_t b = body->bone + 1; b < plan->model->bone_count; b++)
        if (plan->inside[b] && plan->has_body[b]) {
            mote_vec3 at = joint_beside(plan->model, body->bone, b);
            float along = dot(at, body->axis);
            mote_vec3 off = {at.x - along * body->axis.x, at.y - along * body->axis.y,
                             at.z - along * body->axis.z};
            widest = fmaxf(widest, size_of(off));
        }
    return widest;
}

/* A rig with thighs, arms and a spine, by their names. */
static bool is_person(const rig_plan *plan)
{
    bool thigh = false, arm = false, spine = false;
    for (uint32_t b = 0; b < plan->model->bone_count; b++) {
        thigh = thigh || plan->kinds[b] == RIG_KIND_THIGH;
        arm = arm || plan->kinds[b] == RIG_KIND_ARM;
        spine = spine || plan->kinds[b] == RIG_KIND_SPINE;
    }
    return thigh && arm && spine;
}

static bool is_belly(const rig_plan *plan, uint32_t bone)
{
    return is_trunk(plan, bone) && plan->kinds[bone] != RIG_KIND_NECK;
}

/* How thick people are there, as a part of their height: motion capture has no mesh, and the bones of a trunk
 * may be short ones, or all lead from one place. */
static float part_of_height(const rig_plan *plan, const rig_body *body)
{
    static const float parts[] = {
        [RIG_KIND_OTHER] = 0.03f,   [RIG_KIND_SMALL] = 0.01f, [RIG_KIND_KNEE] = 0.032f,
        [RIG_KIND_ELBOW] = 0.024f,  [RIG_KIND_FOOT] = 0.026f, [RIG_KIND_HAND] = 0.022f,
        [RIG_KIND_NECK] = 0.035f,   [RIG_KIND_SPINE] = 0.06f, [RIG_KIND_COLLAR] = 0.037f,
        [RIG_KIND_THIGH] = 0.043f,  [RIG_KIND_ARM] = 0.03f,   [RIG_KIND_LEG] = 0.032f,
        [RIG_KIND_SHOULDER] = 0.03f};
    return parts[is_belly(plan, body->bone) ? RIG_KIND_SPINE : plan->kinds[body->bone]];
}

static void find_thickness(rig_plan *plan, uint32_t index, bool is_end)
{
    rig_body *body = &plan->bodies[index];
    float height = plan->model->height, most = plan->options.max_thickness;
    tape t = {.axis = body->axis, .length = body->length, .measured = plan->measured};
    if (look_at_vertices(plan, index, measure_vertex, &t) >= FEW_VERTICES) {
        body->keeps_form = true;
        body->thickness = fminf(quantile(plan->measured, t.count, 0.5f), most > 0 ? most : 0.15f * height);
        /* The round end is beyond the length. Bones between joints keep theirs. */
        if (is_end)
            body->length = fmaxf(body->length - body->thickness, 0);
        return;
    }
    /* Trunks and heads are plumper than limbs; what has no length is a ball. */
    float part = plan->options.thickness * (is_trunk(plan, body->bone) ? 2.5f : 1);
    float wanted = fmaxf(part * body->length, 0.6f * width_of_joints(plan, body));
    wanted = fmaxf(wanted, (body->length > 0 ? 0.25f : 0.75f) * plan->options.min_length);
    if (is_person(plan)) {
        wanted = height * part_of_height(plan, body) * plan->options.thickness / RIG_THICKNESS;
        body->keeps_form = is_belly(plan, body->bone); /* shoulders and thighs begin inside of it */
    }
    body->thickness = fminf(wanted, most > 0 ? most : 0.06f * height);
}

/* ---- room between limbs --------------------------------------------------------------------------------- */

/* Points at even distances along a bone, in the model's coordinates. */
static mote_vec3 point_on(const rig_plan *plan, const rig_body *body, float part)
{
    mote_vec3 along = {body->axis.x * body->length * part, body->axis.y * body->length * part,
                       body->axis.z * body->length * part};
    return rig_pose_in(plan->model->rest[body->bone], (mote_pose){along, {0, 0, 0, 1}}).position;
}

#define POINTS 9 /* close enough: limbs are long where they are side by side */

static float gap_between(const rig_plan *plan, const rig_body *a, const rig_body *b)
{
    float least = HUGE_VALF;
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < POINTS; k++)
            least = fminf(least, rig_distance(point_on(plan, a, (float)i / (POINTS - 1)),
                                              point_on(plan, b, (float)k / (POINTS - 1))));
    return least;
}

static bool is_above(const rig_plan *plan, uint32_t above, uint32_t body)
{
    while (body != MOTE_NO_BONE && body > above)
        body = plan->bodies[body].parent;
    return body == above;
}

/* Without a mesh limbs may come out so thick that they are within each other at rest, as two thighs. Those
 * that begin at one place always are. */
static void make_room(rig_plan *plan)
{
    for (uint32_t i = 0; i < plan->body_count; i++)
        for (uint32_t k = i + 1; k < plan->body_count; k++) {
            rig_body *a = &plan->bodies[i], *b = &plan->bodies[k];
            float sum = a->thickness + b->thickness;
            if ((a->keeps_form && b->keeps_form) || is_above(plan, i, k))
                continue;
            float gap = 0.95f * gap_between(plan, a, b);
            if (gap >= sum || gap < 0.5f * plan->options.min_length)
                continue;
            a->thickness = a->keeps_form ? a->thickness : a->thickness * gap / sum;
            b->thickness = b->keeps_form ? b->thickness : b->thickness * gap / sum;
        }
}

void rig_plan_forms(rig_plan *plan)
{
    for (uint32_t i = 0; i < plan->body_count; i++) {
        rig_body *body = &plan->bodies[i];
        body->axis = (mote_vec3){0, 1, 0};
        uint32_t next = main_child(plan, body->bone);
        if (next != MOTE_NO_BONE && shows_its_form(plan, body, next))
            next = MOTE_NO_BONE;
        if (next != MOTE_NO_BONE) {
            mote_vec3 to = joint_beside(plan->model, body->bone, next);
            body->axis = unit(to, body->axis);
            body->length = size_of(to);
        } else {
            form_end(plan, i);
        }
        find_thickness(plan, i, next == MOTE_NO_BONE);
    }
    make_room(plan);
}
