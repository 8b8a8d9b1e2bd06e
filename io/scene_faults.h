/* Faults of a scene file. Reading goes on after a fault, so that all of them can be told at once. */
#ifndef MOTE_IO_SCENE_FAULTS_H
#define MOTE_IO_SCENE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct scene_fault {
    bool warning;    /* the scene runs, but perhaps not as it was meant */
    int line;        /* in the file, from 1; 0: none, as for an override */
    char field[128]; /* "shapes[2].radius"; "": the file as a whole */
    char text[256];  /* what is wrong with it */
} scene_fault;

typedef struct scene_faults {
    scene_fault *items; /* sorted by line, those without a line first */
    size_t count, capacity;
    size_t errors;    /* those that are not warnings, also those that there was no room for */
    bool out_of_room; /* there were more than SCENE_MAX_FAULTS, or no memory for another */
} scene_faults;

#define SCENE_MAX_FAULTS 1000

/* Gives back the memory; the list is empty then and may be used again. Start with (scene_faults){0}. */
void scene_faults_free(scene_faults *faults);

/* Notes a fault. */
void scene_error(scene_faults *faults, int line, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void scene_warning(scene_faults *faults, int line, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
