#include "io/scene_rules.h"

#include "io/json_tree.h"
#include "io/nearest.h"
#include "io/scene_math.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rule_complain(const rule_place *p, const char *field, const char *format, ...)
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

bool rule_given(const rule_place *p, const char *field)
{
    return scene_given(p->section, p->item, field);
}

bool rule_bad(const rule_place *p, const char *field)
{
    return scene_bad(p->section, p->item, field);
}

void rule_forbid(const rule_place *p, const char *field, const char *const *names)
{
    for (; *names != NULL; names++)
        if (rule_given(p, *names))
            rule_complain(p, *names, "does not go together with '%s'", field);
}

void rule_check_drops(const rule_place *p, const scene_description *d, const scene_matter *matter)
{
    if (!scene_material_is_fluid(d, matter->material))
        return;
    float wanted = d->world.radius;
    if (rule_given(p, "radius") && !rule_bad(p, "radius") &&
        !(fabsf(matter->radius - wanted) <= 1e-4f * wanted))
        rule_complain(p, "radius", "is %g m, but the particles of a liquid have the world's radius, %g m",
                      (double)matter->radius, (double)wanted);
    if (rule_given(p, "radius_spread") && matter->radius_spread > 0.0f)
        rule_complain(p, "radius_spread", "must be 0 for a liquid: all its particles are of one size");
}

void rule_check_length(const rule_place *p, const char *field, mote_vec3 direction)
{
    if (scene_length(direction) < 1e-6)
        rule_complain(p, field, "has no length, so it is no direction");
}

void rule_check_material(const rule_place *p, const scene_description *d, const char *name)
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
        best = nearer_word(name, best, known);
    }
    if (best != NULL)
        rule_complain(p, "material", "there is no material '%s'; did you mean '%s'?", name, best);
    else
        rule_complain(p, "material", "there is no material '%s'", name);
}

/* ---- motion --------------------------------------------------------------------------------------------- */

static void check_keys(const rule_place *of, const scene_motion *motion)
{
    const scene_key *keys = motion->keys.items;
    rule_place p = {.faults = of->faults, .section = &SCENE_KEYS};
    for (size_t i = 0; i < motion->keys.count; i++) {
        p.item = &keys[i];
        snprintf(p.path, sizeof p.path, "%.90s.motion.keys[%zu]", of->path, i);
        if (i > 0 && !(keys[i].time > keys[i - 1].time))
            rule_complain(&p, "time", "must be later than that of the key before, %g s", keys[i - 1].time);
    }
}

void rule_check_motion(const rule_place *p, const scene_motion *motion)
{
    if (motion->item.node == NULL)
        return;
    rule_forbid(p, "motion", (const char *const[]){"velocity", "spin", NULL});
    if (rule_given(p, "motion") && cJSON_GetObjectItemCaseSensitive(motion->item.node, "keys") != NULL &&
        motion->keys.count < (motion->loop ? 2u : 1u))
        rule_complain(p, "motion", "needs %s", motion->loop ? "two keys or more to loop" : "a key");
    check_keys(p, motion);
}

/* ---- corners and triangles ------------------------------------------------------------------------------ */

void rule_check_corners(const rule_place *p, bool hull, const scene_points *points,
                        const scene_triangles *triangles)
{
    if (rule_given(p, "file")) {
        rule_forbid(p, "file", (const char *const[]){"points", "triangles", NULL});
        return;
    }
    if (!rule_given(p, "points")) {
        rule_complain(p, "", "needs a 'file', or 'points'%s", hull ? "" : " and 'triangles'");
        return;
    }
    if (hull && points->count < 4)
        rule_complain(p, "points", "a hull needs four points or more; there are %zu", points->count);
    if (hull)
        return;
    if (!rule_given(p, "triangles"))
        rule_complain(p, "triangles", "is missing: it goes with 'points'");
    for (size_t i = 0; !rule_bad(p, "points") && i < 3 * triangles->count; i++)
        if (triangles->items[i] >= points->count) {
            rule_complain(p, "triangles", "triangle %zu has the corner %u, but there are only %zu points",
                          i / 3, triangles->items[i], points->count);
            return;
        }
}

/* ---- lists ---------------------------------------------------------------------------------------------- */

void rule_check_list(const scene_description *d, scene_faults *faults, const scene_section *section,
                     const scene_list *list, rule_check_item *check)
{
    for (size_t i = 0; i < list->count; i++) {
        rule_place p = {.faults = faults, .section = section};
        p.item = (const char *)list->items + i * section->size;
        snprintf(p.path, sizeof p.path, "%s[%zu]", section->name, i);
        if (((const scene_item *)p.item)->node != NULL)
            check(&p, d);
    }
}
