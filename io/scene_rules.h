/* What the rules of all sections use: scene_rules.c, scene_rules_bodies.c. */
#ifndef MOTE_IO_SCENE_RULES_H
#define MOTE_IO_SCENE_RULES_H

#include "io/scene_file.h"

/* An item of a list, for complaints. */
typedef struct rule_place {
    scene_faults *faults;
    const scene_section *section;
    const void *item;
    char path[SCENE_PATH]; /* "shapes[2]"; "" for the file */
} rule_place;

/* Notes an error at a field of the item; "": at the item. Nothing, if the field was complained about before. */
void rule_complain(const rule_place *p, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

bool rule_given(const rule_place *p, const char *field);
bool rule_bad(const rule_place *p, const char *field);

/* The fields of `names` (NULL at the end) must not be there, because of `field`. */
void rule_forbid(const rule_place *p, const char *field, const char *const *names);
/* If the matter is a liquid, its particles must have the world's radius. */
void rule_check_drops(const rule_place *p, const scene_description *d, const scene_matter *matter);
/* A direction must have a length. */
void rule_check_length(const rule_place *p, const char *field, mote_vec3 direction);
/* The name of a material must be one of the file's. */
void rule_check_material(const rule_place *p, const scene_description *d, const char *name);
/* Keys must be enough, and in the order of their times; there is no 'velocity' beside them. */
void rule_check_motion(const rule_place *p, const scene_motion *motion);
/* Needs a file, or corners with triangles that fit them; a hull needs no triangles. */
void rule_check_corners(const rule_place *p, bool hull, const scene_points *points,
                        const scene_triangles *triangles);

/* Goes through the items of a list; those that are no objects were complained about already. */
typedef void rule_check_item(const rule_place *p, const scene_description *d);
void rule_check_list(const scene_description *d, scene_faults *faults, const scene_section *section,
                     const scene_list *list, rule_check_item *check);

/* Bodies, joints and skeletons. */
void scene_check_body_rules(const scene_description *d, scene_faults *faults);

#endif
