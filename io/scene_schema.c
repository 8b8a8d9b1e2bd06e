#include "io/scene_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "https://json-schema.org/draft/2020-12/schema"

/* ---- schema --------------------------------------------------------------------------------------------- */

static void add_range(cJSON *json, const scene_field *field)
{
    cJSON_AddNumberToObject(json, field->above_low ? "exclusiveMinimum" : "minimum", field->low);
    cJSON_AddNumberToObject(json, field->below_high ? "exclusiveMaximum" : "maximum", field->high);
}

static cJSON *number_schema(const scene_field *field, const char *type)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "type", type);
    add_range(json, field);
    return json;
}

/* An array of `count` items; 0: of any number. */
static void make_array(cJSON *json, cJSON *items, int count)
{
    cJSON_AddStringToObject(json, "type", "array");
    cJSON_AddItemToObject(json, "items", items);
    if (count > 0) {
        cJSON_AddNumberToObject(json, "minItems", count);
        cJSON_AddNumberToObject(json, "maxItems", count);
    }
}

static cJSON *reference_to(const char *section)
{
    char path[80];
    snprintf(path, sizeof path, "#/$defs/%s", section);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "$ref", path);
    return json;
}

static void add_text(cJSON *json, const scene_field *field)
{
    cJSON_AddStringToObject(json, "type", "string");
    cJSON_AddNumberToObject(json, "minLength", field->low);
    cJSON_AddNumberToObject(json, "maxLength", field->high);
}

static void add_rotation(cJSON *json)
{
    cJSON *choices = cJSON_AddArrayToObject(json, "oneOf"), *quaternion = cJSON_CreateObject();
    cJSON *number = cJSON_CreateObject();
    cJSON_AddStringToObject(number, "type", "number");
    make_array(quaternion, number, 4);
    cJSON_AddItemToArray(choices, quaternion);
    cJSON_AddItemToArray(choices, reference_to(SCENE_TURN.name));
}

static void add_array(cJSON *json, const scene_field *field)
{
    bool whole = field->kind == FIELD_TRIANGLES || field->kind == FIELD_COUNTS;
    cJSON *number = number_schema(field, whole ? "integer" : "number");
    if (field->kind == FIELD_NUMBERS) {
        make_array(json, number, 0);
    } else if (field->kind == FIELD_VECTOR || field->kind == FIELD_COUNTS) {
        make_array(json, number, 3);
    } else {
        cJSON *triple = cJSON_CreateObject();
        make_array(triple, number, 3);
        make_array(json, triple, 0);
    }
}

static void add_kind(cJSON *json, const scene_field *field)
{
    static const scene_field channel = {.name = "", .kind = FIELD_COUNT, .low = 0, .high = 6};
    switch (field->kind) {
    case FIELD_BOOL:
        cJSON_AddStringToObject(json, "type", "boolean");
        break;
    case FIELD_COUNT:
    case FIELD_NUMBER:
    case FIELD_REAL:
        cJSON_AddStringToObject(json, "type", field->kind == FIELD_COUNT ? "integer" : "number");
        add_range(json, field);
        break;
    case FIELD_COLOR:
        cJSON_AddStringToObject(json, "type", "string");
        cJSON_AddStringToObject(json, "pattern", "^#[0-9a-fA-F]{6}$");
        break;
    case FIELD_CHOICE: {
        cJSON *words = cJSON_AddArrayToObject(json, "enum");
        for (int i = 0; field->words[i] != NULL; i++)
            cJSON_AddItemToArray(words, cJSON_CreateString(field->words[i]));
        break;
    }
    case FIELD_TEXT:
    case FIELD_NAME:
    case FIELD_MATERIAL:
    case FIELD_FILE:
        add_text(json, field);
        break;
    case FIELD_ROTATION:
        add_rotation(json);
        break;
    case FIELD_CHANNELS:
        make_array(json, number_schema(&channel, "integer"), 0);
        break;
    case FIELD_SECTION:
        cJSON_AddItemToObject(json, "allOf", cJSON_CreateArray());
        cJSON_AddItemToArray(cJSON_GetObjectItem(json, "allOf"), reference_to(field->section->name));
        break;
    case FIELD_LIST:
        make_array(json, reference_to(field->section->name), 0);
        cJSON_AddNumberToObject(json, "maxItems", field->high);
        break;
    default:
        add_array(json, field);
        break;
    }
}

static cJSON *field_schema(const scene_field *field)
{
    char text[512];
    cJSON *json = cJSON_CreateObject();
    snprintf(text, sizeof text, "%s%s%s%s", field->doc, field->unit != NULL ? " [" : "",
             field->unit != NULL ? field->unit : "", field->unit != NULL ? "]" : "");
    cJSON_AddStringToObject(json, "description", text);
    add_kind(json, field);
    cJSON *preset = field->preset != NULL ? cJSON_Parse(field->preset) : NULL;
    if (preset != NULL)
        cJSON_AddItemToObject(json, "default", preset);
    return json;
}

static void describe_section(cJSON *json, const scene_section *section)
{
    cJSON_AddStringToObject(json, "description", section->doc);
    cJSON_AddStringToObject(json, "type", "object");
    cJSON *properties = cJSON_AddObjectToObject(json, "properties"), *required = cJSON_CreateArray();
    for (size_t i = 0; i < section->field_count; i++) {
        const scene_field *field = &section->fields[i];
        cJSON_AddItemToObject(properties, field->name, field_schema(field));
        if (field->required)
            cJSON_AddItemToArray(required, cJSON_CreateString(field->name));
    }
    if (cJSON_GetArraySize(required) > 0)
        cJSON_AddItemToObject(json, "required", required);
    else
        cJSON_Delete(required);
    cJSON_AddBoolToObject(json, "additionalProperties", false);
}

char *scene_schema_text(void)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "$schema", SCHEMA);
    cJSON_AddStringToObject(json, "title", "A scene of Mote");
    describe_section(json, &SCENE_ROOT);
    cJSON *parts = cJSON_AddObjectToObject(json, "$defs");
    for (size_t i = 1; SCENE_SECTIONS[i] != NULL; i++) {
        cJSON *part = cJSON_AddObjectToObject(parts, SCENE_SECTIONS[i]->name);
        describe_section(part, SCENE_SECTIONS[i]);
    }
    char *text = cJSON_Print(json);
    cJSON_Delete(json);
    return text;
}

/* ---- tables in Markdown --------------------------------------------------------------------------------- */

static const char *const KIND_TEXTS[FIELD_KIND_COUNT] = {
    [FIELD_BOOL] = "true or false",
    [FIELD_COUNT] = "whole number",
    [FIELD_NUMBER] = "number",
    [FIELD_REAL] = "number",
    [FIELD_VECTOR] = "[x, y, z]",
    [FIELD_COUNTS] = "[nx, ny, nz]",
    [FIELD_COLOR] = "\"#RRGGBB\"",
    [FIELD_TEXT] = "text",
    [FIELD_NAME] = "text",
    [FIELD_MATERIAL] = "text",
    [FIELD_FILE] = "text",
    [FIELD_ROTATION] = "[rotation](#rotation)",
    [FIELD_CHANNELS] = "array of 0 to 6",
    [FIELD_NUMBERS] = "array of numbers",
    [FIELD_POINTS] = "array of [x, y, z]",
    [FIELD_TRIANGLES] = "array of [a, b, c]",
};

static void kind_text(const scene_field *field, char *text, size_t size)
{
    text[0] = '\0';
    if (field->section != NULL) {
        snprintf(text, size, "%s[%s](#%s)", field->kind == FIELD_LIST ? "array of " : "", field->section->name,
                 field->section->name);
    } else if (field->kind == FIELD_CHOICE) {
        for (int i = 0; field->words[i] != NULL; i++) {
            size_t used = strlen(text);
            snprintf(text + used, size - used, "%s`\"%s\"`", i > 0 ? ", " : "", field->words[i]);
        }
    } else {
        snprintf(text, size, "%s", KIND_TEXTS[field->kind]);
    }
}

/* Which types have the field: "sphere, capsule: ". */
static void types_text(const scene_section *section, const scene_field *field, char *text, size_t size)
{
    const scene_field *type = scene_find_field(section, "type");
    text[0] = '\0';
    for (int i = 0; field->types != 0 && type->words[i] != NULL; i++) {
        size_t used = strlen(text);
        if ((field->types >> i & 1) != 0)
            snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", type->words[i]);
    }
    size_t used = strlen(text);
    if (used > 0)
        snprintf(text + used, size - used, ": ");
}

static void append(char **text, const char *more)
{
    size_t length = *text != NULL ? strlen(*text) : 0;
    char *longer = *text != NULL ? realloc(*text, length + strlen(more) + 1) : NULL;
    if (longer == NULL)
        free(*text);
    else
        strcpy(longer + length, more);
    *text = longer;
}

/* The range without the unit, which has a column of its own. */
static void range_text(const scene_field *field, char *text, size_t size)
{
    scene_field bare = *field;
    bare.unit = NULL;
    scene_range_text(&bare, text, size);
    if (field->kind == FIELD_LIST)
        snprintf(text, size, "at most %.0f", field->high);
    else if (field->kind == FIELD_TEXT || field->kind == FIELD_NAME || field->kind == FIELD_MATERIAL ||
             field->kind == FIELD_FILE)
        snprintf(text, size, "%.0f to %.0f bytes", field->low, field->high);
}

static void append_row(char **text, const scene_section *section, const scene_field *field)
{
    char kind[256], range[160], types[128], row[1024];
    kind_text(field, kind, sizeof kind);
    range_text(field, range, sizeof range);
    types_text(section, field, types, sizeof types);
    const char *preset = field->required               ? "needed"
                         : field->default_text != NULL ? field->default_text
                         : field->preset != NULL       ? field->preset
                                                       : "";
    snprintf(row, sizeof row, "| `%s` | %s | %s | %s | %s | %s%s |\n", field->name, kind,
             field->unit != NULL ? field->unit : "", range, preset, types, field->doc);
    append(text, row);
}

char *scene_section_table(const scene_section *section)
{
    char *text = calloc(1, 1);
    append(&text, "| field | what | unit | range | default | meaning |\n"
                  "| --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < section->field_count; i++)
        append_row(&text, section, &section->fields[i]);
    return text;
}
