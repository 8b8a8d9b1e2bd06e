/* The fields of a scene file as tables. Reading, checking, overrides, the schema and the tables of
 * docs/scene-format.md all come from them, so a field is added in one place: a member of a struct in
 * scene_description.h and a line in one of the scene_tables_*.c. */
#ifndef MOTE_IO_SCENE_FIELDS_H
#define MOTE_IO_SCENE_FIELDS_H

#include "io/scene_faults.h"
#include "mote/mote.h"

#include <cjson/cJSON.h>

/* What a field holds in the file, and where it goes. */
typedef enum field_kind {
    FIELD_BOOL,      /* true or false; bool */
    FIELD_COUNT,     /* a whole number; uint32_t */
    FIELD_NUMBER,    /* float */
    FIELD_REAL,      /* a number; double */
    FIELD_VECTOR,    /* [x, y, z]; mote_vec3 */
    FIELD_COUNTS,    /* [nx, ny, nz]; uint32_t[3] */
    FIELD_COLOR,     /* "#RRGGBB"; uint32_t */
    FIELD_CHOICE,    /* one of several words; uint32_t, its place among them */
    FIELD_TEXT,      /* const char *, which belongs to the tree */
    FIELD_NAME,      /* the same; no two in a list may be alike */
    FIELD_MATERIAL,  /* the same; the name of a material */
    FIELD_FILE,      /* the same; a path, from the scene file's folder */
    FIELD_ROTATION,  /* [x, y, z, w] or {"axis", "degrees"}; scene_rotation */
    FIELD_CHANNELS,  /* an array of numbers 0 to 6; uint32_t, a bit for each */
    FIELD_NUMBERS,   /* an array of numbers; scene_numbers */
    FIELD_POINTS,    /* an array of [x, y, z]; scene_points */
    FIELD_TRIANGLES, /* an array of [a, b, c]; scene_triangles */
    FIELD_SECTION,   /* an object; the section's struct */
    FIELD_LIST,      /* an array of objects; scene_list of the section's struct */
    FIELD_KIND_COUNT
} field_kind;

typedef struct scene_rotation {
    mote_quat quat;
    mote_vec3 axis; /* as given, if by_axis */
    double degrees;
    bool by_axis;
} scene_rotation;

typedef struct scene_numbers {
    float *items;
    size_t count;
} scene_numbers;

typedef struct scene_points {
    mote_vec3 *items;
    size_t count;
} scene_points;

typedef struct scene_triangles {
    uint32_t *items; /* three each */
    size_t count;    /* of triangles */
} scene_triangles;

typedef struct scene_list {
    void *items;
    size_t count;
} scene_list;

/* Every struct of a section begins with this. */
typedef struct scene_item {
    const cJSON *node; /* where it stands in the file; NULL: not there, all fields have their defaults */
    uint64_t given;    /* a bit for each field that the file has */
    uint64_t bad;      /* those of them that were not as they must be */
    const char *comment;
} scene_item;

typedef struct scene_section scene_section;

typedef struct scene_field {
    const char *name;
    field_kind kind;
    size_t offset;    /* in the section's struct */
    double low, high; /* of numbers and of each component; of the length of a text; of the number of items */
    bool above_low;   /* low itself is out */
    bool below_high;  /* high itself is out */
    bool required;
    uint32_t types;               /* bits of the section's "type" that have this field; 0: all */
    const char *unit;             /* "m"; NULL: none */
    const char *preset;           /* the default, as JSON, not of texts; NULL: none, the place stays zero */
    const char *default_text;     /* what the documentation says of the default, if not the preset */
    const char *const *words;     /* of a choice, with NULL at the end */
    const scene_section *section; /* of an object or a list */
    const char *doc;
} scene_field;

struct scene_section {
    const char *name; /* "shapes" */
    const char *doc;
    const scene_field *fields;
    size_t field_count; /* at most 64 */
    size_t size;        /* of its struct */
};

#define SCENE_PATH 128

/* Where reading is, and where it complains. */
typedef struct scene_reader {
    scene_faults *faults;
    char path[SCENE_PATH]; /* "shapes[2]" */
} scene_reader;

/* Reads an object into `item`, a struct of the section: first the defaults, then what the file has. Faults are
 * noted, and their fields left at their defaults. */
void scene_read_section(scene_reader *reader, const scene_section *section, const cJSON *node, void *item);
/* Gives back what reading allocated. */
void scene_free_section(const scene_section *section, void *item);

/* One value; false after a fault. The reader's path is the field's. */
bool scene_read_value(scene_reader *reader, const scene_field *field, const cJSON *node, void *place);

/* A section's field; NULL if it has none of that name. */
const scene_field *scene_find_field(const scene_section *section, const char *name);
/* The name that was probably meant; NULL if none is near. */
const char *scene_nearest_field(const scene_section *section, const char *name);
/* Whether the file has the field. It must be one of the section's. */
bool scene_given(const scene_section *section, const void *item, const char *name);
/* Whether it was refused. */
bool scene_bad(const scene_section *section, const void *item, const char *name);

/* "above 0 and at most 100 m", for faults and for the documentation; "" if anything goes. */
void scene_range_text(const scene_field *field, char *text, size_t size);

#endif
