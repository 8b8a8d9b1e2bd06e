#include "io/scene_faults.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scene_faults_free(scene_faults *faults)
{
    free(faults->items);
    *faults = (scene_faults){0};
}

/* A place for one more, behind those of the same line and before those of later ones. */
static scene_fault *insert(scene_faults *faults, int line)
{
    if (faults->count >= SCENE_MAX_FAULTS)
        return NULL;
    if (faults->count == faults->capacity) {
        size_t capacity = faults->capacity > 0 ? 2 * faults->capacity : 8;
        scene_fault *items = realloc(faults->items, capacity * sizeof *items);
        if (items == NULL)
            return NULL;
        faults->items = items;
        faults->capacity = capacity;
    }
    size_t place = faults->count++;
    for (; place > 0 && faults->items[place - 1].line > line; place--)
        faults->items[place] = faults->items[place - 1];
    return &faults->items[place];
}

/* Cuts a text that was too long for its place in a way that shows. */
static void mark_cut(char *text, size_t size, int wanted)
{
    if (wanted >= 0 && (size_t)wanted >= size)
        memcpy(text + size - 4, "...", 4);
}

__attribute__((format(printf, 5, 0))) static void note(scene_faults *faults, bool warning, int line,
                                                       const char *field, const char *format, va_list arguments)
{
    if (!warning)
        faults->errors++;
    scene_fault *fault = insert(faults, line);
    if (fault == NULL) {
        faults->out_of_room = true;
        return;
    }
    fault->warning = warning;
    fault->line = line;
    mark_cut(fault->field, sizeof fault->field, snprintf(fault->field, sizeof fault->field, "%s", field));
    mark_cut(fault->text, sizeof fault->text, vsnprintf(fault->text, sizeof fault->text, format, arguments));
}

void scene_error(scene_faults *faults, int line, const char *field, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(faults, false, line, field, format, arguments);
    va_end(arguments);
}

void scene_warning(scene_faults *faults, int line, const char *field, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(faults, true, line, field, format, arguments);
    va_end(arguments);
}
