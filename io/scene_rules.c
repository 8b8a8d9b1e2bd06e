/* What tables cannot say: which fields go together, which names exist, what must be larger than what. */
#include "io/scene_file.h"

#include "io/json_tree.h"
#include "io/nearest.h"
#include "io/scene_math.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* An item of a list, for complaints. */
typedef struct place {
    scene_faults *faults;
    const scene_section *section;
    const void *item;
    char path[SCENE_PATH]; /* "shapes[2]"; "" for the file */
} place;

__attribute__((format(printf, 3, 4))) static void complain(const place *p, const char *field,
                                                           const char *format, ...)
{
    if (scene_bad(p->section, p->item, field)) /* it was complained about already */
        return;
    char text[256], path[SCENE_PATH + 64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s%s%s", p->path, p->path[0] != '\0' && *field != '\0' ? "." : "", field);
    const cJSON *node = ((const scene_item *)p->item)->node;
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(node, field);
    scene_error(p->faults, json_line(member != NULL ? member : node), path, "%s", text);
}

static bool given(const place *p, const char *field)
{
    return scene_given(p->section, p->item, field);
}

static bool bad(const place *p, const char *field)
{
    return scene_bad(p->section, p->item, field);
}

/* The fields of `names` (NULL at the end) must not be there, because of what `reason` says. */
static void forbid(const place *p, const char *reason, const char *const *names)
{
    for (; *names != NULL; names++)
        if (given(p, *names))
            complain(p, *names, "does not go together with '%s'", reason);
}

static void check_length(const place *p, const char *field, mote_vec3 direction)
{
    if (scene_length(direction) < 1e-6)
        complain(p, field, "has no length, so it is no direction");
}

static void check_box(const place *p, mote_vec3 min, mote_vec3 max)
{
    const float low[3] = {min.x, min.y, min.z}, high[3] = {max.x, max.y, max.z};
    for (int axis = 0; axis < 3 && !bad(p, "min"); axis++)
        if (!(low[axis] < high[axis])) {
            complain(p, "max", "must be above min on every axis; along %c, %g is not above %g", "xyz"[axis],
                     (double)high[axis], (double)low[axis]);
            return;
        }
}

/* The name of a material must be one of the file's. */
static void check_material(const place *p, const scene_description *d, const char *name)
{
    const scene_material *materials = d->materials.items;
    const char *best = NULL;
    if (name == NULL)
        return;
    for (size_t i = 0; i < d->materials.count; i++) {
        const char *known = materials[i].def.name;
        if (known == NULL)
            continue;
        if (strcmp(known, name) == 0)
            return;
        if (is_near(name, known) && (best == NULL || edit_distance(name, known) < edit_distance(name, best)))
            best = known;
    }
    if (best != NULL)
        complain(p, "material", "there is no material '%s'; did you mean '%s'?", name, best);
    else
        complain(p, "material", "there is no material '%s'", name);
}

static void check_friction(const place *p, const scene_description *d)
{
    (void)d;
    const mote_material_def *def = &((const scene_material *)p->item)->def;
    if (def->static_friction < def->kinetic_friction && !bad(p, "kinetic_friction"))
        complain(p, given(p, "static_friction") ? "static_friction" : "kinetic_friction",
                 "static_friction, %g, must be at least kinetic_friction, %g", (double)def->static_friction,
                 (double)def->kinetic_friction);
}

/* ---- shapes --------------------------------------------------------------------------------------------- */

static void check_keys(const place *shape_place, const scene_shape *shape)
{
    const scene_key *keys = shape->motion.keys.items;
    place p = {.faults = shape_place->faults, .section = &SCENE_KEYS};
    for (size_t i = 0; i < shape->motion.keys.count; i++) {
        p.item = &keys[i];
        snprintf(p.path, sizeof p.path, "%.90s.motion.keys[%zu]", shape_place->path, i);
        if (i > 0 && !(keys[i].time > keys[i - 1].time))
            complain(&p, "time", "must be later than that of the key before, %g s", keys[i - 1].time);
    }
}

static void check_motion(const place *p, const scene_shape *shape)
{
    if (shape->motion.item.node == NULL)
        return;
    forbid(p, "motion", (const char *const[]){"velocity", "spin", NULL});
    if (shape->type == SCENE_PLANE)
        forbid(p, "motion", (const char *const[]){"normal", "offset", NULL});
    if (given(p, "motion") && cJSON_GetObjectItemCaseSensitive(shape->motion.item.node, "keys") != NULL &&
        shape->motion.keys.count < (shape->motion.loop ? 2u : 1u))
        complain(p, "motion", "needs %s", shape->motion.loop ? "two keys or more to loop" : "a key");
    check_keys(p, shape);
}

/* Shapes that are made of a mesh file, or of points. */
static void check_corners(const place *p, const scene_shape *shape)
{
    bool hull = shape->type == SCENE_HULL;
    if (given(p, "file")) {
        forbid(p, "file", (const char *const[]){"points", "triangles", NULL});
        return;
    }
    if (!given(p, "points")) {
        complain(p, "", "needs a 'file', or 'points'%s", hull ? "" : " and 'triangles'");
        return;
    }
    if (hull && shape->points.count < 4)
        complain(p, "points", "a hull needs four points or more; there are %zu", shape->points.count);
    if (hull)
        return;
    if (!given(p, "triangles"))
        complain(p, "triangles", "is missing: it goes with 'points'");
    for (size_t i = 0; !bad(p, "points") && i < 3 * shape->triangles.count; i++)
        if (shape->triangles.items[i] >= shape->points.count) {
            complain(p, "triangles", "triangle %zu has the corner %u, but there are only %zu points", i / 3,
                     shape->triangles.items[i], shape->points.count);
            return;
        }
}

static void check_heights(const place *p, const scene_shape *shape)
{
    bool sized = true;
    static const char *const needed[] = {"columns", "rows"};
    for (int i = 0; i < 2; i++)
        if (!given(p, needed[i])) {
            complain(p, needed[i], "is missing: a height field needs its number of %s", needed[i]);
            sized = false;
        }
    if (given(p, "heights") == given(p, "heights_file"))
        complain(p, "heights",
                 given(p, "heights") ? "does not go together with 'heights_file'"
                                     : "is missing: a height field needs 'heights' or 'heights_file'");
    size_t wanted = (size_t)shape->columns * shape->rows;
    if (sized && shape->heights.items != NULL && shape->columns > 0 && shape->rows > 0 &&
        shape->heights.count != wanted)
        complain(p, "heights", "has %zu numbers; %u columns and %u rows need %zu", shape->heights.count,
                 shape->columns, shape->rows, wanted);
}

static void check_shape(const place *p, const scene_description *d)
{
    const scene_shape *shape = p->item;
    check_material(p, d, shape->material);
    check_motion(p, shape);
    if (!given(p, "type"))
        return;
    if (shape->type == SCENE_PLANE) {
        check_length(p, "normal", shape->normal);
        if (given(p, "rotation"))
            forbid(p, "rotation", (const char *const[]){"normal", "offset", NULL});
        if (given(p, "spin") && !given(p, "rotation"))
            complain(p, "spin", "a plane that turns is given by 'position' and 'rotation'");
    } else if (shape->type == SCENE_HULL || shape->type == SCENE_MESH || shape->type == SCENE_SDF) {
        check_corners(p, shape);
    } else if (shape->type == SCENE_HEIGHTFIELD) {
        check_heights(p, shape);
    }
}

/* ---- matter --------------------------------------------------------------------------------------------- */

static const char *grains_way(const place *p)
{
    static const char *const ways[] = {"count", "total", "min", "file"};
    for (int i = 0; i < 4; i++)
        if (given(p, ways[i]))
            return ways[i];
    return NULL;
}

static void check_grains(const place *p, const scene_description *d)
{
    const scene_grains *grains = p->item;
    check_material(p, d, grains->matter.material);
    const char *way = grains_way(p);
    if (way == NULL) {
        complain(p, "", "needs one of 'count', 'total', 'min' and 'max', or 'file'");
        return;
    }
    bool total = strcmp(way, "total") == 0, block = total || strcmp(way, "count") == 0;
    bool region = strcmp(way, "min") == 0, fill = strcmp(way, "file") == 0;
    if (!total)
        forbid(p, way, (const char *const[]){"total", "height", "rows", NULL});
    if (!block)
        forbid(p, way, (const char *const[]){"base", "origin", NULL});
    if (!region)
        forbid(p, way, (const char *const[]){"min", "max", NULL});
    if (!fill)
        forbid(p, way, (const char *const[]){"file", "position", "rotation", "scale", "method", NULL});
    if (given(p, "origin") && given(p, "base"))
        complain(p, "base", "does not go together with 'origin'");
    if (given(p, "rows") && given(p, "height"))
        complain(p, "height", "does not go together with 'rows'");
    if (region && !given(p, "max"))
        complain(p, "max", "is missing: it goes with 'min'");
    else if (region)
        check_box(p, grains->min, grains->max);
    double count = (double)grains->count[0] * grains->count[1] * grains->count[2];
    if (count > 1e8)
        complain(p, "count", "%.10g particles are more than the 100 million that are possible", count);
}

static void check_particles(const place *p, const scene_description *d)
{
    const scene_particles *particles = p->item;
    check_material(p, d, particles->matter.material);
    if (given(p, "position") == given(p, "positions"))
        complain(p, "position",
                 given(p, "position") ? "does not go together with 'positions'"
                                      : "is missing: a particle needs 'position', or 'positions' for several");
    if (scene_length(particles->velocity) > 1e4)
        complain(p, "velocity", "must be at most 10000 m/s in all");
}

static void check_emitter(const place *p, const scene_description *d)
{
    const scene_emitter *emitter = p->item;
    check_material(p, d, emitter->matter.material);
    check_length(p, "direction", emitter->direction);
    if (given(p, "end") && !(emitter->end > emitter->start))
        complain(p, "end", "must be later than start, %g s", emitter->start);
}

static void check_force_field(const place *p, const scene_description *d)
{
    (void)d;
    const scene_force_field *field = p->item;
    bool rate = field->type == MOTE_FIELD_WIND || field->type == MOTE_FIELD_DRAG;
    if (rate && field->strength < 0.0f)
        complain(p, "strength", "must be 0 or more for this type, not %g", (double)field->strength);
    if (field->type == MOTE_FIELD_VORTEX)
        check_length(p, "direction", field->direction);
}

static void check_volume(const place *p, const scene_description *d)
{
    (void)d;
    const scene_volume *volume = p->item;
    if (given(p, "min") && given(p, "max"))
        check_box(p, volume->min, volume->max);
}

static void check_camera(const place *p, const scene_description *d)
{
    (void)d;
    const scene_view *view = p->item;
    mote_vec3 line = {view->target.x - view->eye.x, view->target.y - view->eye.y, view->target.z - view->eye.z};
    if (given(p, "eye") && scene_length(line) < 1e-6)
        complain(p, "eye", "is where the target is");
}

/* ---- lists ---------------------------------------------------------------------------------------------- */

typedef void check_item(const place *p, const scene_description *d);

/* Goes through the items of a list; those that are no objects were complained about already. */
static void check_list(const scene_description *d, scene_faults *faults, const scene_section *section,
                       const scene_list *list, check_item *check)
{
    for (size_t i = 0; i < list->count; i++) {
        place p = {.faults = faults, .section = section};
        p.item = (const char *)list->items + i * section->size;
        snprintf(p.path, sizeof p.path, "%s[%zu]", section->name, i);
        if (((const scene_item *)p.item)->node != NULL)
            check(&p, d);
    }
}

static void check_root(const scene_description *d, const scene_source *source, scene_faults *faults)
{
    place p = {.faults = faults, .section = &SCENE_ROOT, .item = d};
    if (given(&p, "dt") && given(&p, "fps"))
        complain(&p, "dt", "does not go together with 'fps'");
    if (d->builder == NULL)
        return;
    for (const char *const *known = source->builders; *known != NULL; known++)
        if (strcmp(*known, d->builder) == 0)
            return;
    const char *meant = nearest_word(d->builder, source->builders);
    if (meant != NULL)
        complain(&p, "builder", "there is no builder '%s'; did you mean '%s'?", d->builder, meant);
    else
        complain(&p, "builder", "there is no builder '%s'", d->builder);
}

void scene_check_rules(const scene_description *d, const scene_source *source, scene_faults *faults)
{
    check_root(d, source, faults);
    check_list(d, faults, &SCENE_MATERIALS, &d->materials, check_friction);
    check_list(d, faults, &SCENE_SHAPES, &d->shapes, check_shape);
    check_list(d, faults, &SCENE_GRAINS, &d->grains, check_grains);
    check_list(d, faults, &SCENE_PARTICLES, &d->particles, check_particles);
    check_list(d, faults, &SCENE_EMITTERS, &d->emitters, check_emitter);
    check_list(d, faults, &SCENE_VOLUMES, &d->volumes, check_volume);
    check_list(d, faults, &SCENE_FIELDS, &d->fields, check_force_field);
    check_list(d, faults, &SCENE_CAMERAS, &d->cameras, check_camera);
}
