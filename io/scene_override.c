/* Overrides: "solver.substeps=4", "shapes[1].radius=0.3", "materials.sand.static_friction=0.7". */
#include "io/scene_file.h"

#include "io/json_tree.h"
#include "io/nearest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a path has come to: a node of the tree, and what the tables say of it. */
typedef struct walk {
    cJSON *node;
    const scene_section *section; /* if the node is an object of a section; else NULL */
    const scene_field *field;     /* if it is a list, or a value */
    const char *rest;             /* of the path */
    const char *text;             /* the whole override */
    scene_faults *faults;
} walk;

#define WORD 64

/* Complaints are about the path up to the '='. */
__attribute__((format(printf, 2, 3))) static bool fail(const walk *w, const char *format, ...)
{
    char path[SCENE_PATH], text[256];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(w->text, "="), w->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    scene_error(w->faults, 0, path, "%s", text);
    return false;
}

/* The next word of the path, up to '.', '[' or the end. */
static bool take_word(walk *w, char word[WORD])
{
    size_t length = strcspn(w->rest, ".[=");
    if (length == 0 || length >= WORD)
        return fail(w, "a field's name is expected at '%s'", *w->rest == '\0' ? "the end" : w->rest);
    memcpy(word, w->rest, length);
    word[length] = '\0';
    w->rest += length;
    return true;
}

/* An index behind '['. */
static bool take_index(walk *w, size_t *index)
{
    char *end;
    unsigned long number = strtoul(w->rest + 1, &end, 10);
    if (w->rest[1] < '0' || w->rest[1] > '9' || *end != ']')
        return fail(w, "a number and ']' are expected at '%s'", w->rest);
    *index = (size_t)number;
    w->rest = end + 1;
    return true;
}

/* The object or array that a field is, made if it is not there. */
static cJSON *member_of(cJSON *object, const char *name, bool array)
{
    cJSON *there = cJSON_GetObjectItemCaseSensitive(object, name);
    if (there != NULL)
        return there;
    cJSON *made = array ? cJSON_CreateArray() : cJSON_CreateObject();
    if (made != NULL && !cJSON_AddItemToObject(object, name, made)) {
        cJSON_Delete(made);
        made = NULL;
    }
    return made;
}

static cJSON *find_named(const walk *w, const char *name)
{
    const char *meant = NULL;
    cJSON *other;
    cJSON_ArrayForEach(other, w->node)
    {
        const cJSON *its_name = cJSON_GetObjectItemCaseSensitive(other, "name");
        if (!cJSON_IsString(its_name))
            continue;
        if (strcmp(its_name->valuestring, name) == 0)
            return other;
        meant = nearer_word(name, meant, its_name->valuestring);
    }
    if (meant != NULL)
        fail(w, "there is none of the name '%s' among the %s; did you mean '%s'?", name, w->field->name, meant);
    else
        fail(w, "there is none of the name '%s' among the %s", name, w->field->name);
    return NULL;
}

/* An item of a list, by its index or its name. */
static bool step_into_list(walk *w)
{
    cJSON *item = NULL;
    if (*w->rest == '[') {
        size_t index = 0;
        if (!take_index(w, &index))
            return false;
        item = index < 1000000000u ? cJSON_GetArrayItem(w->node, (int)index) : NULL;
        if (item == NULL)
            return fail(w, "there are only %d %s", cJSON_GetArraySize(w->node), w->field->name);
    } else {
        char name[WORD];
        w->rest++; /* the '.' */
        if (!take_word(w, name))
            return false;
        item = find_named(w, name);
        if (item == NULL)
            return false;
    }
    w->node = item;
    w->section = w->field->section;
    w->field = NULL;
    return true;
}

/* Finds the field of the section that comes next in the path. */
static bool take_field(walk *w, char name[WORD])
{
    if (!take_word(w, name))
        return false;
    w->field = scene_find_field(w->section, name);
    if (w->field != NULL)
        return true;
    const char *meant = scene_nearest_field(w->section, name);
    return meant != NULL ? fail(w, "unknown field '%s'; did you mean '%s'?", name, meant)
                         : fail(w, "unknown field '%s'", name);
}

static bool is_text(const scene_field *field)
{
    return field->kind == FIELD_TEXT || field->kind == FIELD_NAME || field->kind == FIELD_MATERIAL ||
           field->kind == FIELD_FILE || field->kind == FIELD_CHOICE || field->kind == FIELD_COLOR;
}

/* The value behind the '=': JSON, or else the text itself. */
static cJSON *parse_value(const walk *w)
{
    const char *text = strchr(w->text, '=') + 1;
    scene_faults quiet = {0};
    cJSON *value = json_tree_parse(text, strlen(text), &quiet);
    scene_faults_free(&quiet);
    if (value == NULL || (is_text(w->field) && !cJSON_IsString(value))) {
        cJSON_Delete(value);
        value = cJSON_CreateString(text);
    }
    if (value != NULL)
        json_forget_lines(value);
    return value;
}

/* Puts the value in place of the member, or adds it. */
static bool put_member(walk *w, const char *name)
{
    cJSON *value = parse_value(w);
    bool there = cJSON_GetObjectItemCaseSensitive(w->node, name) != NULL;
    bool done = value != NULL && (there ? cJSON_ReplaceItemInObjectCaseSensitive(w->node, name, value)
                                        : cJSON_AddItemToObject(w->node, name, value));
    if (done)
        return true;
    cJSON_Delete(value);
    return fail(w, "no memory for the value");
}

/* One component, as in "gravity[1]": the array is there, or is made from the default. */
static bool put_element(walk *w, const char *name)
{
    size_t index = 0;
    cJSON *array = cJSON_GetObjectItemCaseSensitive(w->node, name);
    if (array == NULL && w->field->preset != NULL) {
        array = cJSON_Parse(w->field->preset);
        if (array == NULL || !cJSON_AddItemToObject(w->node, name, array)) {
            cJSON_Delete(array);
            return fail(w, "no memory for the value");
        }
        json_forget_lines(array);
    }
    if (!take_index(w, &index))
        return false;
    if (*w->rest != '=')
        return fail(w, "'=' is expected at '%s'", w->rest);
    if (!cJSON_IsArray(array) || index >= (size_t)cJSON_GetArraySize(array))
        return fail(w, "'%s' has no such item", name);
    cJSON *value = parse_value(w);
    if (value != NULL && cJSON_ReplaceItemInArray(array, (int)index, value))
        return true;
    cJSON_Delete(value);
    return fail(w, "no memory for the value");
}

bool scene_override(cJSON *tree, const char *text, scene_faults *faults)
{
    walk w = {.node = tree, .section = &SCENE_ROOT, .rest = text, .text = text, .faults = faults};
    if (strchr(text, '=') == NULL)
        return fail(&w, "'%s' is no override; write path=value, as in solver.substeps=8", text);
    for (;;) {
        char name[WORD];
        if (!cJSON_IsObject(w.node))
            return fail(&w, "'%s' does not lead to an object", text);
        if (!take_field(&w, name))
            return false;
        if (*w.rest == '=')
            return put_member(&w, name);
        if (w.field->kind == FIELD_LIST) {
            w.node = member_of(w.node, name, true);
            if (w.node == NULL || !step_into_list(&w))
                return false;
            if (*w.rest != '.')
                return fail(&w, "'.' and a field are expected at '%s'", w.rest);
        } else if (w.field->kind == FIELD_SECTION && *w.rest == '.') {
            w.node = member_of(w.node, name, false);
            w.section = w.field->section;
        } else if (*w.rest == '[') {
            return put_element(&w, name);
        } else {
            return fail(&w, "'=' is expected at '%s'", w.rest);
        }
        w.rest++;
    }
}
