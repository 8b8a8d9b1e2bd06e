/* What tables cannot say: which fields go together, which names exist, what must be larger than what. */
#include "io/scene_rules.h"

#include "io/nearest.h"
#include "io/scene_math.h"

#include <string.h>

static void check_box(const rule_place *p, mote_vec3 min, mote_vec3 max)
{
    const float low[3] = {min.x, min.y, min.z}, high[3] = {max.x, max.y, max.z};
    for (int axis = 0; axis < 3 && !rule_bad(p, "min"); axis++)
        if (!(low[axis] < high[axis])) {
            rule_complain(p, "max", "must be above min on every axis; along %c, %g is not above %g",
                          "xyz"[axis], (double)high[axis], (double)low[axis]);
            return;
        }
}

static void check_friction(const rule_place *p, const scene_description *d)
{
    (void)d;
    const mote_material_def *def = &((const scene_material *)p->item)->def;
    if (def->static_friction < def->kinetic_friction && !rule_bad(p, "kinetic_friction"))
        rule_complain(p, rule_given(p, "static_friction") ? "static_friction" : "kinetic_friction",
                      "static_friction, %g, must be at least kinetic_friction, %g",
                      (double)def->static_friction, (double)def->kinetic_friction);
}

/* ---- shapes --------------------------------------------------------------------------------------------- */

static void check_heights(const rule_place *p, const scene_shape *shape)
{
    bool sized = true;
    static const char *const needed[] = {"columns", "rows"};
    for (int i = 0; i < 2; i++)
        if (!rule_given(p, needed[i])) {
            rule_complain(p, needed[i], "is missing: a height field needs its number of %s", needed[i]);
            sized = false;
        }
    if (rule_given(p, "heights") == rule_given(p, "heights_file"))
        rule_complain(p, "heights",
                      rule_given(p, "heights")
                          ? "does not go together with 'heights_file'"
                          : "is missing: a height field needs 'heights' or 'heights_file'");
    size_t wanted = (size_t)shape->columns * shape->rows;
    if (sized && shape->heights.items != NULL && shape->columns > 0 && shape->rows > 0 &&
        shape->heights.count != wanted)
        rule_complain(p, "heights", "has %zu numbers; %u columns and %u rows need %zu", shape->heights.count,
                      shape->columns, shape->rows, wanted);
}

static void check_shape(const rule_place *p, const scene_description *d)
{
    const scene_shape *shape = p->item;
    rule_check_material(p, d, shape->material);
    rule_check_motion(p, &shape->motion);
    if (shape->grows)
        rule_forbid(p, "grows", (const char *const[]){"motion", "columns", NULL});
    if (shape->type == SCENE_PLANE && shape->motion.item.node != NULL)
        rule_forbid(p, "motion", (const char *const[]){"normal", "offset", NULL});
    if (!rule_given(p, "type"))
        return;
    if (shape->type == SCENE_PLANE) {
        rule_check_length(p, "normal", shape->normal);
        if (rule_given(p, "rotation"))
            rule_forbid(p, "rotation", (const char *const[]){"normal", "offset", NULL});
        if (rule_given(p, "spin") && !rule_given(p, "rotation"))
            rule_complain(p, "spin", "a plane that turns is given by 'position' and 'rotation'");
    } else if (shape->type == SCENE_HULL || shape->type == SCENE_MESH || shape->type == SCENE_SDF) {
        rule_check_corners(p, shape->type == SCENE_HULL, &shape->points, &shape->triangles);
    } else if (shape->type == SCENE_HEIGHTFIELD) {
        check_heights(p, shape);
    }
}

/* ---- matter --------------------------------------------------------------------------------------------- */

static const char *grains_way(const rule_place *p)
{
    static const char *const ways[] = {"count", "total", "min", "file"};
    for (int i = 0; i < 4; i++)
        if (rule_given(p, ways[i]))
            return ways[i];
    return NULL;
}

static void check_grains(const rule_place *p, const scene_description *d)
{
    const scene_grains *grains = p->item;
    rule_check_material(p, d, grains->matter.material);
    rule_check_drops(p, d, &grains->matter);
    const char *way = grains_way(p);
    if (way == NULL) {
        rule_complain(p, "", "needs one of 'count', 'total', 'min' and 'max', or 'file'");
        return;
    }
    bool total = strcmp(way, "total") == 0, block = total || strcmp(way, "count") == 0;
    bool region = strcmp(way, "min") == 0, fill = strcmp(way, "file") == 0;
    if (!total)
        rule_forbid(p, way, (const char *const[]){"total", "height", "rows", NULL});
    if (!block)
        rule_forbid(p, way, (const char *const[]){"base", "origin", NULL});
    if (!region)
        rule_forbid(p, way, (const char *const[]){"min", "max", NULL});
    if (!fill)
        rule_forbid(p, way, (const char *const[]){"file", "position", "rotation", "scale", "method", NULL});
    if (rule_given(p, "origin") && rule_given(p, "base"))
        rule_complain(p, "base", "does not go together with 'origin'");
    if (rule_given(p, "rows") && rule_given(p, "height"))
        rule_complain(p, "height", "does not go together with 'rows'");
    if (region && !rule_given(p, "max"))
        rule_complain(p, "max", "is missing: it goes with 'min'");
    else if (region)
        check_box(p, grains->min, grains->max);
    double count = (double)grains->count[0] * grains->count[1] * grains->count[2];
    if (count > 1e8)
        rule_complain(p, "count", "%.10g particles are more than the 100 million that are possible", count);
}

static void check_fluid(const rule_place *p, const scene_description *d)
{
    const scene_fluid *fluid = p->item;
    const char *material = fluid->matter.material;
    size_t errors = p->faults->errors;
    rule_check_material(p, d, material);
    bool known = rule_given(p, "material") && !rule_bad(p, "material") && p->faults->errors == errors;
    if (known && !scene_material_is_fluid(d, material))
        rule_complain(p, "material", "'%s' is no fluid", material);
    if (!rule_given(p, "min") || !rule_given(p, "max"))
        return;
    check_box(p, fluid->min, fluid->max);
    const float sides[3] = {fluid->max.x - fluid->min.x, fluid->max.y - fluid->min.y,
                            fluid->max.z - fluid->min.z};
    float width = 2.0f * d->world.radius;
    for (int axis = 0; axis < 3 && !rule_bad(p, "min") && !rule_bad(p, "max"); axis++)
        if (sides[axis] > 0.0f && sides[axis] < 0.999f * width)
            rule_complain(p, "max",
                          "along %c the box is %g m wide, less than a particle, %g m: no liquid fits in",
                          "xyz"[axis], (double)sides[axis], (double)width);
}

static void check_particles(const rule_place *p, const scene_description *d)
{
    const scene_particles *particles = p->item;
    rule_check_material(p, d, particles->matter.material);
    rule_check_drops(p, d, &particles->matter);
    if (rule_given(p, "position") == rule_given(p, "positions"))
        rule_complain(p, "position",
                      rule_given(p, "position")
                          ? "does not go together with 'positions'"
                          : "is missing: a particle needs 'position', or 'positions' for several");
    if (scene_length(particles->velocity) > 1e4)
        rule_complain(p, "velocity", "must be at most 10000 m/s in all");
}

/* A liquid that flows through an opening. */
static void check_stream(const rule_place *p, const scene_emitter *emitter)
{
    static const char *const of_rain[] = {"limit", "jitter", "radius", "radius_spread", "seed", NULL};
    for (size_t i = 0; of_rain[i] != NULL; i++)
        if (rule_given(p, of_rain[i]))
            rule_complain(p, of_rain[i], "does not go together with a liquid without 'rate'");
    if (rule_given(p, "width") != rule_given(p, "height"))
        rule_complain(p, rule_given(p, "width") ? "height" : "width",
                      "is missing: 'width' and 'height' go together");
    else if (rule_given(p, "width"))
        rule_forbid(p, "width", (const char *const[]){"nozzle", NULL});
    else if (!(emitter->nozzle > 0.0f) && !rule_bad(p, "nozzle"))
        rule_complain(p, "nozzle", "must be above 0: a liquid needs an opening, this or 'width' and 'height'");
    mote_vec3 n = emitter->direction, s = emitter->side;
    mote_vec3 across = {n.y * s.z - n.z * s.y, n.z * s.x - n.x * s.z, n.x * s.y - n.y * s.x};
    if (rule_given(p, "width") && !(scene_length(across) > 1e-3 * scene_length(n) * scene_length(s)))
        rule_complain(p, "side", "has no part across the direction");
    if (emitter->speed < 1e-3f && !rule_bad(p, "speed"))
        rule_complain(p, "speed", "must be at least 0.001 m/s for a liquid that flows, not %g",
                      (double)emitter->speed);
}

static void check_emitter(const rule_place *p, const scene_description *d)
{
    const scene_emitter *emitter = p->item;
    rule_check_material(p, d, emitter->matter.material);
    rule_check_length(p, "direction", emitter->direction);
    if (scene_is_stream(d, emitter))
        check_stream(p, emitter);
    else if (!rule_given(p, "rate"))
        rule_complain(p, "rate", "is missing: only a liquid can flow without it");
    else {
        rule_forbid(p, "rate", (const char *const[]){"width", "height", "side", "most", NULL});
        rule_check_drops(p, d, &emitter->matter);
    }
    if (rule_given(p, "end") && !(emitter->end > emitter->start))
        rule_complain(p, "end", "must be later than start, %g s", emitter->start);
}

static void check_force_field(const rule_place *p, const scene_description *d)
{
    (void)d;
    const scene_force_field *field = p->item;
    uint32_t traits = mote_field_traits(field->type);
    if ((traits & MOTE_FIELD_IS_RATE) != 0 && field->strength < 0.0f)
        rule_complain(p, "strength", "must be 0 or more for this type, not %g", (double)field->strength);
    if ((traits & MOTE_FIELD_HAS_AXIS) != 0)
        rule_check_length(p, "direction", field->direction);
}

static void check_volume(const rule_place *p, const scene_description *d)
{
    (void)d;
    const scene_volume *volume = p->item;
    if (rule_given(p, "min") && rule_given(p, "max"))
        check_box(p, volume->min, volume->max);
}

static void check_camera(const rule_place *p, const scene_description *d)
{
    (void)d;
    const scene_view *view = p->item;
    mote_vec3 line = {view->target.x - view->eye.x, view->target.y - view->eye.y, view->target.z - view->eye.z};
    if (rule_given(p, "eye") && scene_length(line) < 1e-6)
        rule_complain(p, "eye", "is where the target is");
}

static void check_root(const scene_description *d, const scene_source *source, scene_faults *faults)
{
    rule_place p = {.faults = faults, .section = &SCENE_ROOT, .item = d};
    if (rule_given(&p, "dt") && rule_given(&p, "fps"))
        rule_complain(&p, "dt", "does not go together with 'fps'");
    if (d->builder == NULL)
        return;
    for (const char *const *known = source->builders; *known != NULL; known++)
        if (strcmp(*known, d->builder) == 0)
            return;
    const char *meant = nearest_word(d->builder, source->builders);
    if (meant != NULL)
        rule_complain(&p, "builder", "there is no builder '%s'; did you mean '%s'?", d->builder, meant);
    else
        rule_complain(&p, "builder", "there is no builder '%s'", d->builder);
}

void scene_check_rules(const scene_description *d, const scene_source *source, scene_faults *faults)
{
    check_root(d, source, faults);
    rule_check_list(d, faults, &SCENE_MATERIALS, &d->materials, check_friction);
    rule_check_list(d, faults, &SCENE_SHAPES, &d->shapes, check_shape);
    rule_check_list(d, faults, &SCENE_GRAINS, &d->grains, check_grains);
    rule_check_list(d, faults, &SCENE_FLUIDS, &d->fluids, check_fluid);
    rule_check_list(d, faults, &SCENE_PARTICLES, &d->particles, check_particles);
    scene_check_body_rules(d, faults);
    rule_check_list(d, faults, &SCENE_EMITTERS, &d->emitters, check_emitter);
    rule_check_list(d, faults, &SCENE_VOLUMES, &d->volumes, check_volume);
    rule_check_list(d, faults, &SCENE_FIELDS, &d->fields, check_force_field);
    rule_check_list(d, faults, &SCENE_CAMERAS, &d->cameras, check_camera);
}
