/* Reading objects by their tables. */
#include "io/scene_fields.h"

#include "io/json_tree.h"
#include "io/nearest.h"
#include "io/scene_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_MEMBERS 1000 /* of an object; repeated ones are looked for one by one */

const scene_field *scene_find_field(const scene_section *section, const char *name)
{
    for (size_t i = 0; i < section->field_count; i++)
        if (strcmp(section->fields[i].name, name) == 0)
            return &section->fields[i];
    return NULL;
}

const char *scene_nearest_field(const scene_section *section, const char *name)
{
    const char *words[65] = {NULL};
    for (size_t i = 0; i < section->field_count && i < 64; i++)
        words[i] = section->fields[i].name;
    return nearest_word(name, words);
}

bool scene_given(const scene_section *section, const void *item, const char *name)
{
    const scene_field *field = scene_find_field(section, name);
    return field != NULL && (((const scene_item *)item)->given >> (field - section->fields) & 1) != 0;
}

bool scene_bad(const scene_section *section, const void *item, const char *name)
{
    const scene_field *field = scene_find_field(section, name);
    return field != NULL && (((const scene_item *)item)->bad >> (field - section->fields) & 1) != 0;
}

/* ---- paths ---------------------------------------------------------------------------------------------- */

size_t scene_path_push(scene_reader *reader, const char *name)
{
    size_t length = strlen(reader->path);
    snprintf(reader->path + length, sizeof reader->path - length, "%s%s", length > 0 ? "." : "", name);
    return length;
}

size_t scene_path_push_index(scene_reader *reader, size_t index)
{
    size_t length = strlen(reader->path);
    snprintf(reader->path + length, sizeof reader->path - length, "[%zu]", index);
    return length;
}

void scene_path_pop(scene_reader *reader, size_t length)
{
    reader->path[length] = '\0';
}

/* ---- objects -------------------------------------------------------------------------------------------- */

/* The defaults, which are JSON texts themselves. */
static void read_presets(const scene_section *section, void *item)
{
    memset(item, 0, section->size);
    scene_faults faults = {0};
    for (size_t i = 0; i < section->field_count; i++) {
        const scene_field *field = &section->fields[i];
        void *place = (char *)item + field->offset;
        if (field->kind == FIELD_SECTION) {
            read_presets(field->section, place);
        } else if (field->preset != NULL) {
            scene_reader reader = {.faults = &faults};
            cJSON *node = cJSON_Parse(field->preset);
            if (node != NULL)
                scene_read_value(&reader, field, node, place);
            cJSON_Delete(node);
        }
    }
    scene_faults_free(&faults);
}

static bool is_repeated(const cJSON *object, const cJSON *member)
{
    for (const cJSON *other = object->child; other != member; other = other->next)
        if (strcmp(other->string, member->string) == 0)
            return true;
    return false;
}

static void complain_unknown(scene_reader *reader, const scene_section *section, const cJSON *member)
{
    const char *meant = scene_nearest_field(section, member->string);
    if (meant != NULL)
        scene_error(reader->faults, json_line(member), reader->path, "unknown field; did you mean '%s'?",
                    meant);
    else
        scene_error(reader->faults, json_line(member), reader->path, "unknown field");
}

/* The section's type as a bit; 0 if it has none or none that is known. */
static uint32_t type_bit(const scene_section *section, const cJSON *node)
{
    const scene_field *field = scene_find_field(section, "type");
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(node, "type");
    if (field == NULL || field->kind != FIELD_CHOICE || !cJSON_IsString(type))
        return 0;
    for (uint32_t i = 0; field->words[i] != NULL; i++)
        if (strcmp(field->words[i], type->valuestring) == 0)
            return 1u << i;
    return 0;
}

static void read_member(scene_reader *reader, const scene_section *section, const cJSON *object,
                        const cJSON *member, uint32_t type, scene_item *item)
{
    size_t length = scene_path_push(reader, member->string);
    const scene_field *field = scene_find_field(section, member->string);
    if (is_repeated(object, member)) {
        scene_error(reader->faults, json_line(member), reader->path, "is there twice");
    } else if (field == NULL) {
        complain_unknown(reader, section, member);
    } else if (type != 0 && field->types != 0 && (field->types & type) == 0) {
        scene_error(reader->faults, json_line(member), reader->path, "does not belong to the type '%s'",
                    cJSON_GetObjectItemCaseSensitive(object, "type")->valuestring);
    } else {
        uint64_t bit = (uint64_t)1 << (field - section->fields);
        item->given |= bit;
        if (!scene_read_value(reader, field, member, (char *)item + field->offset))
            item->bad |= bit;
    }
    scene_path_pop(reader, length);
}

/* What a field that is missing is: its words, or what the documentation says of it. */
static void describe(const scene_field *field, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", field->words != NULL ? "" : field->doc);
    for (size_t i = 0; field->words != NULL && field->words[i] != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "one of ", field->words[i]);
}

static void complain_missing(scene_reader *reader, const scene_section *section, const cJSON *node)
{
    for (size_t i = 0; i < section->field_count; i++) {
        const scene_field *field = &section->fields[i];
        if (!field->required || cJSON_GetObjectItemCaseSensitive(node, field->name) != NULL)
            continue;
        size_t length = scene_path_push(reader, field->name);
        char text[256];
        describe(field, text, sizeof text);
        scene_error(reader->faults, json_line(node), reader->path, "is missing: %s", text);
        scene_path_pop(reader, length);
    }
}

/* What the file has, over defaults that are there already. */
static void read_members(scene_reader *reader, const scene_section *section, const cJSON *node,
                         scene_item *item)
{
    if (!cJSON_IsObject(node)) {
        scene_error(reader->faults, json_line(node), reader->path, "must be an object, not %s",
                    json_kind(node));
        return;
    }
    if (cJSON_GetArraySize(node) > MOST_MEMBERS) {
        scene_error(reader->faults, json_line(node), reader->path, "has %d fields; there are not so many",
                    cJSON_GetArraySize(node));
        return;
    }
    item->node = node;
    uint32_t type = type_bit(section, node);
    const cJSON *member;
    cJSON_ArrayForEach(member, node) read_member(reader, section, node, member, type, item);
    complain_missing(reader, section, node);
}

void scene_read_section(scene_reader *reader, const scene_section *section, const cJSON *node, void *item)
{
    read_presets(section, item);
    read_members(reader, section, node, item);
}

/* ---- lists ---------------------------------------------------------------------------------------------- */

typedef struct named {
    const char *name;
    size_t index;
} named;

static int compare_names(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static void complain_named_twice(scene_reader *reader, const scene_section *section, const scene_list *list,
                                 const named *second)
{
    const cJSON *node = ((const scene_item *)((const char *)list->items + second->index * section->size))->node;
    size_t length = scene_path_push_index(reader, second->index);
    scene_path_push(reader, "name");
    scene_error(reader->faults, json_line(cJSON_GetObjectItemCaseSensitive(node, "name")), reader->path,
                "'%s' is the name of another already", second->name);
    scene_path_pop(reader, length);
}

/* No two items of a list may have the same name. */
static void check_names(scene_reader *reader, const scene_section *section, const scene_list *list)
{
    const scene_field *field = scene_find_field(section, "name");
    named *names = field != NULL ? malloc((list->count + 1) * sizeof *names) : NULL;
    size_t count = 0;
    for (size_t i = 0; names != NULL && i < list->count; i++) {
        const char *item = (const char *)list->items + i * section->size;
        const char *name = *(const char *const *)(const void *)(item + field->offset);
        if (name != NULL)
            names[count++] = (named){name, i};
    }
    if (count > 1)
        qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1].name, names[i].name) == 0)
            complain_named_twice(reader, section, list, &names[i]);
    free(names);
}

bool scene_read_list(scene_reader *reader, const scene_field *field, const cJSON *node, scene_list *list)
{
    size_t count = (size_t)cJSON_GetArraySize(node), size = field->section->size;
    *list = (scene_list){0};
    if ((double)count > field->high) {
        scene_error(reader->faults, json_line(node), reader->path, "has %zu items; at most %.0f are possible",
                    count, field->high);
        return false;
    }
    char *items = calloc(count + 1, size); /* the one more holds the defaults */
    if (items == NULL) {
        scene_error(reader->faults, json_line(node), reader->path, "no memory for %zu items", count);
        return false;
    }
    *list = (scene_list){items, count};
    read_presets(field->section, items + count * size);
    size_t index = 0;
    const cJSON *element;
    cJSON_ArrayForEach(element, node)
    {
        size_t length = scene_path_push_index(reader, index);
        memcpy(items + index * size, items + count * size, size);
        read_members(reader, field->section, element, (scene_item *)(void *)(items + index * size));
        scene_path_pop(reader, length);
        index++;
    }
    check_names(reader, field->section, list);
    return true;
}

void scene_free_section(const scene_section *section, void *item)
{
    for (size_t i = 0; i < section->field_count; i++) {
        const scene_field *field = &section->fields[i];
        void *place = (char *)item + field->offset;
        if (field->kind == FIELD_SECTION) {
            scene_free_section(field->section, place);
        } else if (field->kind == FIELD_LIST) {
            scene_list *list = place;
            for (size_t k = 0; k < list->count; k++)
                scene_free_section(field->section, (char *)list->items + k * field->section->size);
            free(list->items);
            *list = (scene_list){0};
        } else if (field->kind == FIELD_NUMBERS) {
            free(((scene_numbers *)place)->items);
            *(scene_numbers *)place = (scene_numbers){0};
        } else if (field->kind == FIELD_POINTS) {
            free(((scene_points *)place)->items);
            *(scene_points *)place = (scene_points){0};
        } else if (field->kind == FIELD_TRIANGLES) {
            free(((scene_triangles *)place)->items);
            *(scene_triangles *)place = (scene_triangles){0};
        }
    }
}
