/* Inside the exports: the particles of one frame, the bytes of a number, and the writers of the formats. */
#ifndef MOTE_IO_EXPORT_FRAME_H
#define MOTE_IO_EXPORT_FRAME_H

#include "io/export.h"
#include "io/export_surfaces.h"
#include "io/safe_file.h"

#include <string.h>

/* Where the bodies are, by rising index of their handles. Start with {0}. */
typedef struct export_bodies {
    size_t count, capacity;
    mote_body_id *ids;
    mote_pose *poses;
} export_bodies;

/* Copies of the world's arrays, in slot order; the buffers are kept from frame to frame. */
typedef struct export_frame {
    uint32_t number;
    double time; /* s */
    size_t count;
    size_t capacity;             /* particles that there is room for */
    mote_vec4 *position;         /* x, y, z, radius */
    mote_vec4 *velocity;         /* x, y, z, inverse mass */
    uint32_t *phase, *material;  /* material: its index in the world */
    mote_particle_id *particles; /* whose slot it is */
    float *attributes;           /* of mote/attribute.h, one after the other: all particles' numbers of each */
    uint32_t *order;             /* the slots, by rising id; made by export_frame_sort() */
    uint32_t *slots;             /* for sorting: the slot of each id */
    size_t slot_capacity;        /* ids that there is room for */
    export_scenery scenery;      /* for OBJ: where surfaces and bodies are */
    export_bodies bodies;
} export_frame;

/* One particle as all formats have it. */
typedef struct export_row {
    uint32_t id; /* the index of its handle; a removed particle's is handed out again */
    float position[3], velocity[3];
    float mass; /* kg; infinite for fixed particles */
    float radius;
    uint32_t phase, material;
} export_row;

/* Copies the particles and the poses of bodies, not the scenery. False if there is no memory. */
bool export_frame_copy(export_frame *frame, const mote_world *world);
/* Finds the order of the ids. False if there is no memory. */
bool export_frame_sort(export_frame *frame);
export_row export_frame_row(const export_frame *frame, size_t row);
/* The numbers of an attribute (mote/attribute.h) of the particle in a row. */
const float *export_frame_attribute(const export_frame *frame, uint32_t attribute, size_t row);
/* "spin", or of one with several components "spin_x" and so on. */
#define EXPORT_COLUMN_SIZE 64
void export_column_name(const mote_attribute_info *info, uint32_t component, char name[EXPORT_COLUMN_SIZE]);
void export_frame_free(export_frame *frame);

/* Copies where the bodies are. False if there is no memory. */
bool export_bodies_copy(export_bodies *bodies, const mote_world *world);
void export_bodies_free(export_bodies *bodies);
/* A copy of the list in the order in which names are looked for; NULL without memory. */
export_name *export_names_copy(const export_name *names, size_t count);

/* ---- bytes: files are little-endian on every machine ---------------------------------------------------- */

static inline void export_put_u32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

static inline void export_put_u64(unsigned char *bytes, uint64_t value)
{
    export_put_u32(bytes, (uint32_t)value);
    export_put_u32(bytes + 4, (uint32_t)(value >> 32));
}

static inline void export_put_float(unsigned char *bytes, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    export_put_u32(bytes, bits);
}

void export_print(safe_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- formats: append the frame to a file; faults are the file's ----------------------------------------- */

void export_write_vtk(const export_frame *frame, safe_file *file);
void export_write_ply(const export_frame *frame, safe_file *file);
void export_write_csv(const export_frame *frame, safe_file *file);
void export_write_obj(const export_frame *frame, safe_file *file);
/* The table of bodies; names as export_names_copy() orders them. */
void export_write_bodies(const export_bodies *bodies, const export_name *names, size_t name_count,
                         safe_file *file);

#endif
