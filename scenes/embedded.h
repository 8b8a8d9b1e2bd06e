/* The shipped files, as they were when the program was built. */
#ifndef MOTE_SCENES_EMBEDDED_H
#define MOTE_SCENES_EMBEDDED_H

#include <stddef.h>

typedef struct embedded_file {
    const char *name; /* in the folder scenes/: "sand-pile.json", "meshes/torus.obj" */
    const unsigned char *data;
    size_t size; /* bytes; one 0 follows */
} embedded_file;

/* In the order of their names; the last has no name. */
extern const embedded_file EMBEDDED_FILES[];

#endif
