#include "io/export_frame.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define NO_SLOT UINT32_MAX

static void free_arrays(export_frame *frame)
{
    free(frame->position);
    free(frame->velocity);
    free(frame->phase);
    free(frame->material);
    free(frame->particles);
    free(frame->attributes);
    free(frame->order);
    frame->position = NULL;
    frame->velocity = NULL;
    frame->phase = NULL;
    frame->material = NULL;
    frame->particles = NULL;
    frame->attributes = NULL;
    frame->order = NULL;
    frame->capacity = 0;
}

/* Numbers that a particle has in the attributes before this one. */
static size_t components_before(uint32_t attribute)
{
    size_t count = 0;
    for (uint32_t k = 0; k < attribute; k++)
        count += mote_attribute_info_of(k)->components;
    return count;
}

/* What was in the arrays is of no use any more, so nothing is moved. */
static bool make_room(export_frame *frame, size_t count)
{
    if (count <= frame->capacity)
        return true;
    free_arrays(frame);
    size_t capacity = count + count / 4;
    frame->position = calloc(capacity, sizeof *frame->position);
    frame->velocity = calloc(capacity, sizeof *frame->velocity);
    frame->phase = calloc(capacity, sizeof *frame->phase);
    frame->material = calloc(capacity, sizeof *frame->material);
    frame->particles = calloc(capacity, sizeof *frame->particles);
    frame->attributes =
        calloc(capacity * components_before(mote_attribute_count()) + 1, sizeof *frame->attributes);
    frame->order = calloc(capacity, sizeof *frame->order);
    if (frame->attributes == NULL || frame->position == NULL || frame->velocity == NULL ||
        frame->phase == NULL || frame->material == NULL || frame->particles == NULL || frame->order == NULL) {
        free_arrays(frame);
        return false;
    }
    frame->capacity = capacity;
    return true;
}

static bool copy_attributes(export_frame *frame, const mote_world *world)
{
    for (uint32_t k = 0; k < mote_attribute_count(); k++)
        if (mote_particles_read_attribute(world, k, frame->particles, frame->count,
                                          frame->attributes + frame->count * components_before(k)) != MOTE_OK)
            return false;
    return true;
}

bool export_frame_copy(export_frame *frame, const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    frame->count = 0;
    if (!make_room(frame, view.count) || !export_bodies_copy(&frame->bodies, world))
        return false;
    frame->count = view.count;
    if (view.count == 0)
        return true;
    memcpy(frame->position, view.position, view.count * sizeof *view.position);
    memcpy(frame->velocity, view.velocity, view.count * sizeof *view.velocity);
    memcpy(frame->phase, view.phase, view.count * sizeof *view.phase);
    memcpy(frame->material, view.material, view.count * sizeof *view.material);
    memcpy(frame->particles, view.id, view.count * sizeof *view.id);
    return copy_attributes(frame, world);
}

/* Indices are handed out densely, so a table of all of them is short and sorts in one pass. */
bool export_frame_sort(export_frame *frame)
{
    size_t ids = 0;
    for (size_t slot = 0; slot < frame->count; slot++)
        if (frame->particles[slot].index >= ids)
            ids = (size_t)frame->particles[slot].index + 1;
    if (ids > frame->slot_capacity) {
        free(frame->slots);
        frame->slot_capacity = 0;
        frame->slots = malloc(ids * sizeof *frame->slots);
        if (frame->slots == NULL)
            return false;
        frame->slot_capacity = ids;
    }
    for (size_t id = 0; id < ids; id++)
        frame->slots[id] = NO_SLOT;
    for (size_t slot = 0; slot < frame->count; slot++)
        frame->slots[frame->particles[slot].index] = (uint32_t)slot;
    size_t row = 0;
    for (size_t id = 0; id < ids; id++)
        if (frame->slots[id] != NO_SLOT)
            frame->order[row++] = frame->slots[id];
    return true;
}

export_row export_frame_row(const export_frame *frame, size_t row)
{
    uint32_t slot = frame->order[row];
    mote_vec4 x = frame->position[slot], v = frame->velocity[slot];
    return (export_row){.id = frame->particles[slot].index,
                        .position = {x.x, x.y, x.z},
                        .velocity = {v.x, v.y, v.z},
                        .mass = v.w > 0 ? 1.0f / v.w : INFINITY,
                        .radius = x.w,
                        .phase = frame->phase[slot],
                        .material = frame->material[slot]};
}

const float *export_frame_attribute(const export_frame *frame, uint32_t attribute, size_t row)
{
    return frame->attributes + frame->count * components_before(attribute) +
           (size_t)frame->order[row] * mote_attribute_info_of(attribute)->components;
}

void export_column_name(const mote_attribute_info *info, uint32_t component, char name[EXPORT_COLUMN_SIZE])
{
    if (info->components == 1)
        snprintf(name, EXPORT_COLUMN_SIZE, "%s", info->name);
    else
        snprintf(name, EXPORT_COLUMN_SIZE, "%s_%c", info->name, "xyzw"[component]);
}

void export_frame_free(export_frame *frame)
{
    free_arrays(frame);
    free(frame->slots);
    export_scenery_free(&frame->scenery);
    export_bodies_free(&frame->bodies);
    *frame = (export_frame){0};
}

void export_print(safe_file *file, const char *format, ...)
{
    char line[512];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    safe_file_append(file, line, (size_t)length);
}
