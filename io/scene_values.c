/* Reading single values. */
#include "io/scene_values.h"

#include "io/json_tree.h"
#include "io/nearest.h"
#include "io/scene_description.h"
#include "io/scene_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_number_kind(field_kind kind)
{
    return kind == FIELD_COUNT || kind == FIELD_NUMBER || kind == FIELD_REAL || kind == FIELD_VECTOR ||
           kind == FIELD_COUNTS || kind == FIELD_NUMBERS || kind == FIELD_POINTS || kind == FIELD_TRIANGLES;
}

void scene_range_text(const scene_field *field, char *text, size_t size)
{
    const char *unit = field->unit != NULL ? field->unit : "", *space = *unit != '\0' ? " " : "";
    text[0] = '\0';
    if (!is_number_kind(field->kind) || (field->low == 0.0 && field->high == 0.0))
        return;
    if (field->above_low || field->below_high)
        snprintf(text, size, "%s %.10g and %s %.10g%s%s", field->above_low ? "above" : "at least", field->low,
                 field->below_high ? "below" : "at most", field->high, space, unit);
    else
        snprintf(text, size, "%.10g to %.10g%s%s", field->low, field->high, space, unit);
}

static bool fail_kind(scene_reader *reader, const cJSON *node, const char *wanted)
{
    scene_error(reader->faults, json_line(node), reader->path, "must be %s, not %s", wanted, json_kind(node));
    return false;
}

/* ---- numbers -------------------------------------------------------------------------------------------- */

/* A number within the field's range. As a float it must be so as well: what is too small becomes 0. */
static bool read_number(scene_reader *reader, const scene_field *field, const cJSON *node, double *number)
{
    if (!cJSON_IsNumber(node))
        return fail_kind(reader, node, "a number");
    double value = node->valuedouble, rounded = field->kind == FIELD_REAL ? value : (double)(float)value;
    bool low = field->above_low ? value <= field->low || rounded <= field->low : value < field->low;
    bool high = field->below_high ? value >= field->high : value > field->high;
    if (low || high) {
        char range[160];
        scene_range_text(field, range, sizeof range);
        scene_error(reader->faults, json_line(node), reader->path, "must be %s, not %.10g", range, value);
        return false;
    }
    *number = value;
    return true;
}

static bool read_count(scene_reader *reader, const scene_field *field, const cJSON *node, uint32_t *count)
{
    double value;
    if (!read_number(reader, field, node, &value))
        return false;
    if (value != floor(value)) {
        scene_error(reader->faults, json_line(node), reader->path, "must be a whole number, not %.10g", value);
        return false;
    }
    *count = (uint32_t)value;
    return true;
}

static bool read_float(scene_reader *reader, const scene_field *field, const cJSON *node, float *number)
{
    double value;
    if (!read_number(reader, field, node, &value))
        return false;
    *number = (float)value;
    return true;
}

/* ---- arrays of fixed length ----------------------------------------------------------------------------- */

static bool is_array_of(scene_reader *reader, const cJSON *node, int count, const char *wanted)
{
    if (!cJSON_IsArray(node))
        return fail_kind(reader, node, wanted);
    int there = cJSON_GetArraySize(node);
    if (there == count)
        return true;
    scene_error(reader->faults, json_line(node), reader->path, "must be %s; it has %d items", wanted, there);
    return false;
}

/* Reads every element with its own path: "position[1]". */
static bool read_vector(scene_reader *reader, const scene_field *field, const cJSON *node, mote_vec3 *vector)
{
    if (!is_array_of(reader, node, 3, "three numbers, [x, y, z]"))
        return false;
    float v[3] = {0};
    bool good = true;
    const cJSON *element = node->child;
    for (size_t i = 0; i < 3; i++, element = element->next) {
        size_t length = scene_path_push_index(reader, i);
        good = read_float(reader, field, element, &v[i]) && good;
        scene_path_pop(reader, length);
    }
    if (good)
        *vector = (mote_vec3){v[0], v[1], v[2]};
    return good;
}

static bool read_counts(scene_reader *reader, const scene_field *field, const cJSON *node, uint32_t *counts)
{
    if (!is_array_of(reader, node, 3, "three whole numbers"))
        return false;
    uint32_t c[3] = {0};
    bool good = true;
    const cJSON *element = node->child;
    for (size_t i = 0; i < 3; i++, element = element->next) {
        size_t length = scene_path_push_index(reader, i);
        good = read_count(reader, field, element, &c[i]) && good;
        scene_path_pop(reader, length);
    }
    if (good)
        memcpy(counts, c, sizeof c);
    return good;
}

static bool read_quaternion(scene_reader *reader, const cJSON *node, scene_rotation *rotation)
{
    static const scene_field component = {.name = "", .kind = FIELD_NUMBER, .low = -1e6, .high = 1e6};
    if (!is_array_of(reader, node, 4, "four numbers, [x, y, z, w], or {\"axis\", \"degrees\"}"))
        return false;
    float q[4] = {0};
    bool good = true;
    const cJSON *element = node->child;
    for (size_t i = 0; i < 4; i++, element = element->next) {
        size_t length = scene_path_push_index(reader, i);
        good = read_float(reader, &component, element, &q[i]) && good;
        scene_path_pop(reader, length);
    }
    if (good && fabsf(q[0]) + fabsf(q[1]) + fabsf(q[2]) + fabsf(q[3]) < 1e-6f) {
        scene_error(reader->faults, json_line(node), reader->path, "has no length, so it is no rotation");
        good = false;
    }
    if (good)
        *rotation = (scene_rotation){.quat = {q[0], q[1], q[2], q[3]}};
    return good;
}

static bool read_rotation(scene_reader *reader, const cJSON *node, scene_rotation *rotation)
{
    if (!cJSON_IsObject(node))
        return read_quaternion(reader, node, rotation);
    size_t errors = reader->faults->errors;
    scene_turn_part turn;
    scene_read_section(reader, &SCENE_TURN, node, &turn);
    if (reader->faults->errors == errors && scene_length(turn.axis) < 1e-6) {
        size_t length = scene_path_push(reader, "axis");
        scene_error(reader->faults, json_line(node), reader->path, "has no length, so it is no direction");
        scene_path_pop(reader, length);
    }
    if (reader->faults->errors != errors)
        return false;
    *rotation = (scene_rotation){scene_turn(turn.axis, turn.degrees), turn.axis, turn.degrees, true};
    return true;
}

/* ---- arrays of any length ------------------------------------------------------------------------------- */

static bool read_channels(scene_reader *reader, const cJSON *node, uint32_t *channels)
{
    static const scene_field channel = {.name = "", .kind = FIELD_COUNT, .low = 0, .high = 6};
    if (!cJSON_IsArray(node))
        return fail_kind(reader, node, "an array of channels, 0 to 6");
    uint32_t bits = 0;
    size_t index = 0;
    bool good = true;
    const cJSON *element;
    cJSON_ArrayForEach(element, node)
    {
        uint32_t bit = 0;
        size_t length = scene_path_push_index(reader, index++);
        good = read_count(reader, &channel, element, &bit) && good;
        scene_path_pop(reader, length);
        bits |= 1u << bit;
    }
    if (good)
        *channels = bits;
    return good;
}

typedef bool read_element(scene_reader *reader, const scene_field *field, const cJSON *node, void *place);

static bool read_one_number(scene_reader *reader, const scene_field *field, const cJSON *node, void *place)
{
    return read_float(reader, field, node, place);
}
static bool read_one_point(scene_reader *reader, const scene_field *field, const cJSON *node, void *place)
{
    return read_vector(reader, field, node, place);
}
static bool read_one_triangle(scene_reader *reader, const scene_field *field, const cJSON *node, void *place)
{
    return read_counts(reader, field, node, place);
}

/* All elements of an array into a new block; NULL after a fault. */
static void *read_block(scene_reader *reader, const scene_field *field, const cJSON *node, read_element *read,
                        size_t size, size_t *count)
{
    *count = 0;
    if (!cJSON_IsArray(node)) {
        fail_kind(reader, node, "an array");
        return NULL;
    }
    size_t there = (size_t)cJSON_GetArraySize(node), index = 0;
    char *block = calloc(there + 1, size);
    if (block == NULL) {
        scene_error(reader->faults, json_line(node), reader->path, "no memory for %zu items", there);
        return NULL;
    }
    bool good = true;
    const cJSON *element;
    cJSON_ArrayForEach(element, node)
    {
        size_t length = scene_path_push_index(reader, index);
        good = read(reader, field, element, block + index++ * size) && good;
        scene_path_pop(reader, length);
    }
    if (!good) {
        free(block);
        return NULL;
    }
    *count = there;
    return block;
}

/* ---- texts ---------------------------------------------------------------------------------------------- */

static bool read_text(scene_reader *reader, const scene_field *field, const cJSON *node, const char **text)
{
    if (!cJSON_IsString(node))
        return fail_kind(reader, node, "a text");
    size_t length = strlen(node->valuestring);
    if ((double)length < field->low || (double)length > field->high) {
        scene_error(reader->faults, json_line(node), reader->path,
                    "must have %.0f to %.0f characters (bytes); it has %zu", field->low, field->high, length);
        return false;
    }
    if (field->kind == FIELD_NAME && strpbrk(node->valuestring, ".[]=") != NULL) {
        scene_error(reader->faults, json_line(node), reader->path,
                    "'%s': a name has none of the characters . [ ] =", node->valuestring);
        return false;
    }
    *text = node->valuestring;
    return true;
}

static bool read_choice(scene_reader *reader, const scene_field *field, const cJSON *node, uint32_t *choice)
{
    char words[160] = "";
    for (uint32_t i = 0; field->words[i] != NULL; i++) {
        if (cJSON_IsString(node) && strcmp(field->words[i], node->valuestring) == 0) {
            *choice = i;
            return true;
        }
        size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s'%s'", i > 0 ? ", " : "", field->words[i]);
    }
    const char *meant = cJSON_IsString(node) ? nearest_word(node->valuestring, field->words) : NULL;
    if (!cJSON_IsString(node))
        scene_error(reader->faults, json_line(node), reader->path, "must be one of %s, not %s", words,
                    json_kind(node));
    else if (meant != NULL)
        scene_error(reader->faults, json_line(node), reader->path, "'%.40s' is unknown; did you mean '%s'?",
                    node->valuestring, meant);
    else
        scene_error(reader->faults, json_line(node), reader->path, "'%.40s' is unknown; it must be one of %s",
                    node->valuestring, words);
    return false;
}

static bool read_color(scene_reader *reader, const cJSON *node, uint32_t *color)
{
    bool good = cJSON_IsString(node) && strlen(node->valuestring) == 7 && node->valuestring[0] == '#' &&
                strspn(node->valuestring + 1, "0123456789abcdefABCDEF") == 6;
    if (good)
        *color = (uint32_t)strtoul(node->valuestring + 1, NULL, 16);
    else if (cJSON_IsString(node))
        scene_error(reader->faults, json_line(node), reader->path,
                    "must be a colour like \"#C8B28C\", not \"%.40s\"", node->valuestring);
    else
        fail_kind(reader, node, "a colour like \"#C8B28C\"");
    return good;
}

/* ---- any ------------------------------------------------------------------------------------------------ */

static bool read_array(scene_reader *reader, const scene_field *field, const cJSON *node, void *place)
{
    size_t count;
    if (field->kind == FIELD_NUMBERS) {
        void *block = read_block(reader, field, node, read_one_number, sizeof(float), &count);
        *(scene_numbers *)place = (scene_numbers){block, count};
        return block != NULL;
    }
    if (field->kind == FIELD_POINTS) {
        void *block = read_block(reader, field, node, read_one_point, sizeof(mote_vec3), &count);
        *(scene_points *)place = (scene_points){block, count};
        return block != NULL;
    }
    void *block = read_block(reader, field, node, read_one_triangle, 3 * sizeof(uint32_t), &count);
    *(scene_triangles *)place = (scene_triangles){block, count};
    return block != NULL;
}

bool scene_read_value(scene_reader *reader, const scene_field *field, const cJSON *node, void *place)
{
    switch (field->kind) {
    case FIELD_BOOL:
        if (!cJSON_IsBool(node))
            return fail_kind(reader, node, "true or false");
        *(bool *)place = cJSON_IsTrue(node);
        return true;
    case FIELD_COUNT:
        return read_count(reader, field, node, place);
    case FIELD_NUMBER:
        return read_float(reader, field, node, place);
    case FIELD_REAL:
        return read_number(reader, field, node, place);
    case FIELD_VECTOR:
        return read_vector(reader, field, node, place);
    case FIELD_COUNTS:
        return read_counts(reader, field, node, place);
    case FIELD_COLOR:
        return read_color(reader, node, place);
    case FIELD_CHOICE:
        return read_choice(reader, field, node, place);
    case FIELD_TEXT:
    case FIELD_NAME:
    case FIELD_MATERIAL:
    case FIELD_FILE:
        return read_text(reader, field, node, place);
    case FIELD_ROTATION:
        return read_rotation(reader, node, place);
    case FIELD_CHANNELS:
        return read_channels(reader, node, place);
    case FIELD_NUMBERS:
    case FIELD_POINTS:
    case FIELD_TRIANGLES:
        return read_array(reader, field, node, place);
    case FIELD_SECTION:
        scene_read_section(reader, field->section, node, place);
        return true;
    case FIELD_LIST:
        return cJSON_IsArray(node) ? scene_read_list(reader, field, node, place)
                                   : fail_kind(reader, node, "an array of objects");
    case FIELD_KIND_COUNT:
        break;
    }
    return false;
}
