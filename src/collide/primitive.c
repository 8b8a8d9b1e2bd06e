/* Spheres, boxes and capsules, solid or as containers. A sphere is a capsule without length. */
#include "base/real.h"
#include "collide/collide.h"

#define TINY 1e-12f

static float clamped(float value, float limit)
{
    return value > limit ? limit : value < -limit ? -limit : value;
}

/* The nearest point of a sphere's middle or a capsule's line. */
static mote_vec3 core_of(const mt_primitive *form, mote_vec3 x)
{
    return (mote_vec3){0.0f, form->type == MOTE_SHAPE_CAPSULE ? clamped(x.y, form->half_height) : 0.0f, 0.0f};
}

/* ---- round forms --------------------------------------------------------------------------------------- */

static uint32_t round_near(const mt_primitive *form, bool inside, mote_vec3 x, float within, mt_near *out)
{
    mote_vec3 core = core_of(form, x), away = mt_sub(x, core);
    float distance = mt_length(away);
    if ((inside ? form->radius - distance : distance - form->radius) > within)
        return 0;
    mote_vec3 normal = distance > TINY ? mt_scale(away, 1.0f / distance) : (mote_vec3){1.0f, 0.0f, 0.0f};
    if (inside)
        normal = mt_scale(normal, -1.0f);
    float offset = mt_dot(normal, core) + (inside ? -form->radius : form->radius);
    *out = (mt_near){normal, offset};
    return 1;
}

static mt_real3 at(mote_vec3 from, mote_vec3 to, double part)
{
    return mt_real_add(mt_real_of(from), mt_real_scale(mt_real_between(from, to), part));
}

/* How far outside of a round form a point is, times something above 0. */
static double beyond(const mt_primitive *form, mt_real3 x)
{
    double half = form->type == MOTE_SHAPE_CAPSULE ? (double)form->half_height : 0.0;
    double y = x.y > half ? x.y - half : x.y < -half ? x.y + half : 0.0;
    return x.x * x.x + y * y + x.z * x.z - (double)form->radius * (double)form->radius;
}

/* The point of the way that is nearest to the form's core: beyond() falls up to there and rises after it,
 * since a round form is convex. */
static double nearest_part(const mt_primitive *form, mote_vec3 from, mote_vec3 to)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 80; i++) {
        double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        if (beyond(form, at(from, to, a)) < beyond(form, at(from, to, b)))
            high = b;
        else
            low = a;
    }
    return 0.5 * (low + high);
}

/* Halves the way between a free part and one that is not; answers a free one. */
static double last_free_part(const mt_primitive *form, mote_vec3 from, mote_vec3 to, double free, double taken,
                             double sign)
{
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (free + taken);
        if (sign * beyond(form, at(from, to, middle)) >= 0)
            free = middle;
        else
            taken = middle;
    }
    return free;
}

/* Whether the way comes near the form at all: cheap, and mostly not. */
static bool may_enter(const mt_primitive *form, mote_vec3 from, mote_vec3 to)
{
    float reach_y = form->radius + (form->type == MOTE_SHAPE_CAPSULE ? form->half_height : 0.0f);
    mt_box way = mt_box_with(mt_box_with(mt_box_empty(), from), to);
    mt_box all = {{-form->radius, -reach_y, -form->radius}, {form->radius, reach_y, form->radius}};
    return mt_box_overlap(&way, &all);
}

static bool round_cross(const mt_primitive *form, bool inside, mote_vec3 from, mote_vec3 to,
                        mt_crossing *crossing)
{
    double sign = inside ? -1.0 : 1.0, taken = 1.0;
    if (!inside && !may_enter(form, from, to))
        return false;
    if (sign * beyond(form, at(from, to, 0.0)) < 0)
        return false; /* not on the free side: what is near says where it is */
    if (sign * beyond(form, at(from, to, 1.0)) >= 0) {
        if (inside)
            return false;
        taken = nearest_part(form, from, to);
        if (beyond(form, at(from, to, taken)) >= 0)
            return false;
    }
    double part = last_free_part(form, from, to, 0.0, taken, sign);
    mt_real3 hit = at(from, to, part);
    mote_vec3 x = {(float)hit.x, (float)hit.y, (float)hit.z}, away = mt_sub(x, core_of(form, x));
    float length = mt_length(away);
    mote_vec3 normal = length > TINY ? mt_scale(away, 1.0f / length) : (mote_vec3){1.0f, 0.0f, 0.0f};
    *crossing = (mt_crossing){(float)part, inside ? mt_scale(normal, -1.0f) : normal};
    return true;
}

static float round_distance(const mt_primitive *form, bool inside, mote_vec3 x)
{
    float distance = mt_length(mt_sub(x, core_of(form, x))) - form->radius;
    return inside ? -distance : distance;
}

/* ---- boxes --------------------------------------------------------------------------------------------- */

static float component(mote_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static mote_vec3 axis_vector(int axis, float value)
{
    return (mote_vec3){axis == 0 ? value : 0.0f, axis == 1 ? value : 0.0f, axis == 2 ? value : 0.0f};
}

static uint32_t box_near_inside(mote_vec3 half, mote_vec3 x, float within, mt_near out[MT_MAX_NEAR])
{
    uint32_t count = 0;
    for (int axis = 0; axis < 3; axis++) {
        float h = component(half, axis), position = component(x, axis);
        for (float side = -1.0f; side < 2.0f; side += 2.0f)
            if (h - side * position <= within)
                out[count++] = (mt_near){axis_vector(axis, -side), -h};
    }
    return count;
}

/* The face that is least deep, for a point within. */
static mt_near box_face(mote_vec3 half, mote_vec3 x)
{
    int best = 0;
    for (int axis = 1; axis < 3; axis++)
        if (component(half, axis) - fabsf(component(x, axis)) <
            component(half, best) - fabsf(component(x, best)))
            best = axis;
    return (mt_near){axis_vector(best, component(x, best) < 0 ? -1.0f : 1.0f), component(half, best)};
}

static uint32_t box_near(mote_vec3 half, mote_vec3 x, float within, mt_near *out)
{
    mote_vec3 nearest = {clamped(x.x, half.x), clamped(x.y, half.y), clamped(x.z, half.z)};
    mote_vec3 away = mt_sub(x, nearest);
    float distance = mt_length(away);
    if (distance > within)
        return 0;
    if (distance <= TINY) {
        *out = box_face(half, x);
        return 1;
    }
    mote_vec3 normal = mt_scale(away, 1.0f / distance);
    *out = (mt_near){normal, mt_dot(normal, nearest)};
    return 1;
}

/* When a way enters the solid: after it has entered all three slabs, and before it has left one. */
static bool box_enter(mote_vec3 half, mote_vec3 from, mote_vec3 to, mt_crossing *crossing)
{
    double enter = -1.0, leave = 2.0;
    int entered = -1;
    for (int axis = 0; axis < 3; axis++) {
        double h = (double)component(half, axis), a = (double)component(from, axis);
        double way = (double)component(to, axis) - a;
        if (way == 0) {
            if (fabs(a) > h)
                return false;
            continue;
        }
        double first = ((way > 0 ? -h : h) - a) / way, last = ((way > 0 ? h : -h) - a) / way;
        if (first > enter) {
            enter = first;
            entered = axis;
        }
        leave = last < leave ? last : leave;
    }
    if (entered < 0 || enter < 0 || enter > 1 || enter > leave)
        return false;
    float side = component(to, entered) > component(from, entered) ? -1.0f : 1.0f;
    *crossing = (mt_crossing){(float)enter, axis_vector(entered, side)};
    return true;
}

static bool box_leave(mote_vec3 half, mote_vec3 from, mote_vec3 to, mt_crossing *crossing)
{
    double leave = 2.0;
    for (int axis = 0; axis < 3; axis++) {
        double h = (double)component(half, axis), a = (double)component(from, axis);
        double b = (double)component(to, axis);
        if (fabs(a) > h)
            return false;
        if (fabs(b) <= h)
            continue;
        double part = ((b > 0 ? h : -h) - a) / (b - a);
        if (part < leave) {
            leave = part;
            *crossing = (mt_crossing){(float)part, axis_vector(axis, b > 0 ? -1.0f : 1.0f)};
        }
    }
    return leave <= 1;
}

static float box_distance(mote_vec3 half, bool inside, mote_vec3 x)
{
    mote_vec3 out = {fabsf(x.x) - half.x, fabsf(x.y) - half.y, fabsf(x.z) - half.z};
    float deepest = fmaxf(out.x, fmaxf(out.y, out.z));
    if (inside)
        return -deepest;
    mote_vec3 beside = {fmaxf(out.x, 0.0f), fmaxf(out.y, 0.0f), fmaxf(out.z, 0.0f)};
    return deepest > 0 ? mt_length(beside) : deepest;
}

/* ---- the questions ------------------------------------------------------------------------------------- */

uint32_t mt_primitive_near(const mt_primitive *form, bool inside, mote_vec3 x, float within,
                           mt_near out[MT_MAX_NEAR])
{
    if (form->type != MOTE_SHAPE_BOX)
        return round_near(form, inside, x, within, out);
    return inside ? box_near_inside(form->half_extents, x, within, out)
                  : box_near(form->half_extents, x, within, out);
}

bool mt_primitive_cross(const mt_primitive *form, bool inside, mote_vec3 from, mote_vec3 to,
                        mt_crossing *crossing)
{
    if (form->type != MOTE_SHAPE_BOX)
        return round_cross(form, inside, from, to, crossing);
    return inside ? box_leave(form->half_extents, from, to, crossing)
                  : box_enter(form->half_extents, from, to, crossing);
}

float mt_primitive_distance(const mt_primitive *form, bool inside, mote_vec3 x)
{
    return form->type == MOTE_SHAPE_BOX ? box_distance(form->half_extents, inside, x)
                                        : round_distance(form, inside, x);
}

mt_box mt_primitive_bounds(const mt_primitive *form)
{
    mote_vec3 half = form->half_extents;
    if (form->type != MOTE_SHAPE_BOX) {
        float line = form->type == MOTE_SHAPE_CAPSULE ? form->half_height : 0.0f;
        half = (mote_vec3){form->radius, form->radius + line, form->radius};
    }
    return (mt_box){mt_scale(half, -1.0f), half};
}
