/* Rules of bodies, joints and skeletons. */
#include "io/scene_rules.h"

#include "io/nearest.h"
#include "io/scene_math.h"

#include <stdio.h>
#include <string.h>

#define MOST_COPIES 1000000.0 /* as many bodies as a world can have */

static bool is_there(const scene_item *item)
{
    return item->node != NULL;
}

/* ---- bodies --------------------------------------------------------------------------------------------- */

static void check_repeat(const rule_place *p, const scene_repeat *repeat)
{
    double count = (double)repeat->count[0] * repeat->count[1] * repeat->count[2];
    if (count > MOST_COPIES)
        rule_complain(p, "repeat", "%.10g copies are more than the million that are possible", count);
}

static void check_driven(const rule_place *p, const scene_body *body)
{
    if (is_there(&body->motion.item) && body->mode != MOTE_BODY_DRIVEN)
        rule_complain(p, "motion", "only a body of the mode 'driven' is moved along keys");
    if (is_there(&body->pieces.item) && body->mode == MOTE_BODY_DRIVEN)
        rule_complain(p, "pieces", "does not go together with the mode 'driven'");
}

static void check_body(const rule_place *p, const scene_description *d)
{
    const scene_body *body = p->item;
    rule_check_material(p, d, body->matter.material);
    rule_check_motion(p, &body->motion);
    check_repeat(p, &body->repeat);
    if (!rule_bad(p, "mode"))
        check_driven(p, body);
    if (scene_length(body->velocity) > 1e4)
        rule_complain(p, "velocity", "must be at most 10000 m/s in all");
    if (body->name != NULL && strcmp(body->name, "world") == 0)
        rule_complain(p, "name", "'world' is what joints call the world");
    if (!rule_given(p, "type") || rule_bad(p, "type"))
        return;
    if (body->type == SCENE_BODY_MESH)
        rule_check_corners(p, false, &body->points, &body->triangles);
    if (body->type == SCENE_BODY_POINTS && (!rule_given(p, "points") || body->points.count == 0))
        rule_complain(p, "points", "is missing: a body of points needs one point or more");
    float radius = scene_radius(d, &body->matter);
    if (body->type == SCENE_BODY_CAPSULE && rule_given(p, "thickness") && body->thickness < radius)
        rule_complain(p, "thickness", "must be at least the particles' radius, %g m", (double)radius);
    if (body->type == SCENE_BODY_BALL && body->size < radius)
        rule_complain(p, "size", "must be at least the particles' radius, %g m", (double)radius);
}

/* ---- joints --------------------------------------------------------------------------------------------- */

/* What comes behind the name of the body that was meant, as the copies have it. */
static void write_meant(const scene_body *body, const char *copy, char *text, size_t size)
{
    size_t digits = *copy == '[' ? strspn(copy + 1, "0123456789") : 0;
    bool keep = digits > 0 && strcmp(copy + 1 + digits, "]") == 0;
    bool many = scene_repeat_count(&body->repeat) > 1;
    snprintf(text, size, "%.60s%.20s", body->name, keep ? copy : many ? "[0]" : "");
}

/* The body that was probably meant; false if none is near. `world`: it may also be that. */
static bool find_meant(const scene_description *d, const char *name, bool world, char *text, size_t size)
{
    const scene_body *bodies = d->bodies.items, *body = NULL;
    char plain[64]; /* names are shorter */
    size_t length = strcspn(name, "[");
    snprintf(plain, sizeof plain, "%.*s", (int)(length < sizeof plain ? length : sizeof plain - 1), name);
    const char *best = world ? nearer_word(plain, NULL, "world") : NULL;
    for (size_t i = 0; i < d->bodies.count; i++) {
        const char *nearer = bodies[i].name != NULL ? nearer_word(plain, best, bodies[i].name) : best;
        body = nearer != best ? &bodies[i] : body;
        best = nearer;
    }
    if (body != NULL)
        write_meant(body, name + length, text, size);
    else if (best != NULL)
        snprintf(text, size, "%s", best);
    return best != NULL;
}

/* The body must be there, be one only, and be whole. */
static const scene_body *check_side(const rule_place *p, const scene_description *d, const char *field,
                                    const char *name, size_t *copy)
{
    const scene_body *body = scene_find_body(d, name, copy);
    if (body == NULL) {
        char meant[96];
        if (find_meant(d, name, strcmp(field, "b") == 0, meant, sizeof meant))
            rule_complain(p, field, "there is no body '%s'; did you mean '%s'?", name, meant);
        else
            rule_complain(p, field, "there is no body '%s'", name);
        return NULL;
    }
    size_t count = scene_repeat_count(&body->repeat);
    if (*copy >= count)
        rule_complain(p, field, "'%s': there are only %zu copies of '%s'", name, count, body->name);
    else if (count > 1 && strchr(name, '[') == NULL)
        rule_complain(p, field, "there are %zu copies of '%s'; say which: '%s[0]'", count, name, name);
    else if (is_there(&body->pieces.item))
        rule_complain(p, field, "'%s' is cut into pieces; a joint holds whole bodies", name);
    else
        return body;
    return NULL;
}

static void check_sides(const rule_place *p, const scene_description *d, const scene_joint *joint)
{
    size_t copy_a = 0, copy_b = 0;
    bool world = joint->b == NULL || strcmp(joint->b, "world") == 0;
    const scene_body *a = joint->a != NULL ? check_side(p, d, "a", joint->a, &copy_a) : NULL;
    const scene_body *b = world ? NULL : check_side(p, d, "b", joint->b, &copy_b);
    if (a != NULL && a == b && copy_a == copy_b)
        rule_complain(p, "b", "is the same body as a");
}

static void check_joint(const rule_place *p, const scene_description *d)
{
    const scene_joint *joint = p->item;
    check_sides(p, d, joint);
    rule_check_length(p, "axis", joint->axis);
    if (joint->min_angle > joint->max_angle && !rule_bad(p, "min_angle"))
        rule_complain(p, rule_given(p, "max_angle") ? "max_angle" : "min_angle",
                      "min_angle, %g degrees, must not be above max_angle, %g", joint->min_angle,
                      joint->max_angle);
    if (joint->type != MOTE_JOINT_UNIVERSAL || !rule_given(p, "type"))
        return;
    rule_check_length(p, "second_axis", joint->second_axis);
    mote_vec3 a = joint->axis, s = joint->second_axis;
    mote_vec3 across = {a.y * s.z - a.z * s.y, a.z * s.x - a.x * s.z, a.x * s.y - a.y * s.x};
    double lengths = scene_length(a) * scene_length(s);
    if (lengths > 1e-12 && scene_length(across) < 1e-3 * lengths)
        rule_complain(p, rule_given(p, "second_axis") ? "second_axis" : "axis",
                      "the two axes point the same way; a universal joint needs two that do not");
}

/* ---- constraints ---------------------------------------------------------------------------------------- */

static bool is_shape(const scene_description *d, const char *name)
{
    const scene_shape *shapes = d->shapes.items;
    for (size_t i = 0; i < d->shapes.count; i++)
        if (shapes[i].name != NULL && strcmp(shapes[i].name, name) == 0)
            return true;
    return false;
}

static void check_constraint(const rule_place *p, const scene_description *d)
{
    const scene_constraint *c = p->item;
    const char *const fields[2] = {"a", "b"};
    bool held = false;
    rule_check_material(p, d, c->matter.material);
    for (int k = 0; k < 2; k++) {
        size_t copy;
        bool named = c->name[k] != NULL && strcmp(c->name[k], "world") != 0;
        if (named && !is_shape(d, c->name[k]))
            held = check_side(p, d, fields[k], c->name[k], &copy) != NULL || held;
    }
    if (!held && c->links == 1 && !rule_bad(p, "a") && !rule_bad(p, "b") && c->name[0] == NULL &&
        c->name[1] == NULL)
        rule_complain(p, "a", "holds nothing: neither end is at a body, and it has a single link");
}

/* ---- skeletons ------------------------------------------------------------------------------------------ */

static void check_actions(const rule_place *of, const scene_skeleton *skeleton)
{
    const scene_action *actions = skeleton->actions.items;
    rule_place p = {.faults = of->faults, .section = &SCENE_ACTIONS};
    for (size_t i = 0; i < skeleton->actions.count; i++) {
        p.item = &actions[i];
        snprintf(p.path, sizeof p.path, "%.90s.actions[%zu]", of->path, i);
        if (actions[i].item.node == NULL)
            continue;
        if (i > 0 && rule_given(&p, "time") && actions[i].time < actions[i - 1].time)
            rule_complain(&p, "time", "must not be before that of the action before, %g s",
                          actions[i - 1].time);
        if (rule_given(&p, "blend") && actions[i].action == SCENE_ACTION_RELEASE && rule_given(&p, "action"))
            rule_complain(&p, "blend", "goes with the action 'drive' only");
    }
}

static void check_skeleton(const rule_place *p, const scene_description *d)
{
    const scene_skeleton *skeleton = p->item;
    rule_check_material(p, d, skeleton->matter.material);
    rule_check_motion(p, &skeleton->motion);
    check_repeat(p, &skeleton->repeat);
    check_actions(p, skeleton);
    if (rule_given(p, "release") && rule_given(p, "actions"))
        rule_complain(p, "release", "does not go together with 'actions'");
    if (rule_given(p, "release") && !skeleton->driven)
        rule_complain(p, "release", "it is limp from the start: driven is false");
    if (rule_given(p, "clip") && rule_given(p, "clip_number"))
        rule_complain(p, "clip_number", "does not go together with 'clip'");
    if (rule_given(p, "type") && !rule_bad(p, "type") && skeleton->type == SCENE_SKELETON_RIG &&
        !rule_given(p, "file"))
        rule_complain(p, "file", "is missing: a rig is read from a file");
}

void scene_check_body_rules(const scene_description *d, scene_faults *faults)
{
    rule_check_list(d, faults, &SCENE_BODIES, &d->bodies, check_body);
    rule_check_list(d, faults, &SCENE_JOINTS, &d->joints, check_joint);
    rule_check_list(d, faults, &SCENE_CONSTRAINTS, &d->constraints, check_constraint);
    rule_check_list(d, faults, &SCENE_SKELETONS, &d->skeletons, check_skeleton);
}
