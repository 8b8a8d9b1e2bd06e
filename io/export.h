/* Exports: a series of files that shows how the particles moved. Frames are handed over and written by a
 * thread of its own, so that the simulation need not wait.
 *
 * The formats for particles have the same numbers, one row a particle, by rising id: id (the index of its
 * handle), position (m), velocity (m/s), mass (kg; infinite for fixed particles), radius (m), phase,
 * material (its number, in the order of making), and all attributes of mote/attribute.h (spin, rad/s). OBJ has the surfaces that bodies and skeletons carry. Floats
 * keep all their bits.
 *
 * Beside each frame of a world with bodies, in any format, is a table of where they are, bodies_00000.csv:
 * id,name,px,py,pz,qx,qy,qz,qw. */
#ifndef MOTE_IO_EXPORT_H
#define MOTE_IO_EXPORT_H

#include "mote/mote.h"

typedef enum export_format {
    EXPORT_VTK, /* frame_00000.vtp: VTK XML PolyData, binary; frames.pvd lists them with their times */
    EXPORT_PLY, /* frame_00000.ply: binary little-endian */
    EXPORT_CSV, /* frame_00000.csv: id,x,y,z,vx,vy,vz,mass,radius,phase,material,spin_x,spin_y,spin_z */
    /* frame_00000.obj: every surface as an object of triangles. Without surfaces: every body's particles as an
     * object `body_N` of points, N the index of its handle, and those in no body as the object `loose`. */
    EXPORT_OBJ,
    EXPORT_FORMAT_COUNT
} export_format;

/* "vtk", "ply", "csv", "obj". */
const char *export_format_name(export_format format);
bool export_format_find(const char *name, export_format *format);

#define EXPORT_ERROR     512
#define EXPORT_NAME_SIZE 128 /* bytes, with the 0 at its end */

typedef struct exporter exporter;

/* Makes the folder, and those above it, if they are not there. NULL with a text in `error`. A folder that
 * already has files of an earlier series is fine: frames are overwritten, and a series that goes on (a resumed
 * run) keeps the frames before `first_frame` in its .pvd if they are there. */
exporter *exporter_open(const char *folder, export_format format, uint32_t first_frame, double seconds_a_frame,
                        char error[EXPORT_ERROR]);

/* A surface that something carries: a body, or the bones of a skeleton, or nobody. Its data is the caller's,
 * and stays as it is until the exporter is closed or has other surfaces. */
typedef struct export_surface {
    const char *name; /* of the object in the file */
    /* In the body's own coordinates, m; of nobody: in the world's; of a skin: unused, the skin has its own */
    const mote_vec3 *vertices;
    size_t vertex_count;       /* of a skin: as many as it has */
    const uint32_t *triangles; /* three vertices each, less than vertex_count */
    size_t triangle_count;
    mote_body_id body;         /* null: not carried by a body */
    const mote_skin *skin;     /* NULL: not carried by bones */
    mote_skeleton_id skeleton; /* whose bones are the skin's, or whose skin it was before it was put in place */
} export_surface;

/* What OBJ files show from the next frame on; other formats do not care. False if that makes no sense or if
 * there is no memory: the text is in exporter_error(), and the exporter is of no more use. A surface whose body
 * or skeleton is gone is left out. */
bool exporter_set_surfaces(exporter *e, const export_surface *surfaces, size_t count);

/* What a body is called in the tables of bodies. */
typedef struct export_name {
    mote_body_id body;
    char text[EXPORT_NAME_SIZE];
} export_name;

/* From the next frame on; they are copied. Bodies without a name have an empty one. False as above. */
bool exporter_name_bodies(exporter *e, const export_name *names, size_t count);

/* Copies the particles and lets the sorting and writing happen beside. It waits only while two frames are still
 * unwritten. `time` is in s. False if an earlier frame could not be written; the text is in exporter_error().
 * One thread at a time. */
bool exporter_add(exporter *e, const mote_world *world, uint32_t frame, double time);

/* Waits until all that was added is written: before a checkpoint, so that a run resumed from it lacks no
 * frame. False if anything was not written. */
bool exporter_flush(exporter *e);

/* Waits until all is written, and ends. False with a text in `error` if anything was not. What was written
 * before a fault stays, and is readable: every file is written under another name and renamed when it is
 * whole. */
bool exporter_close(exporter *e, char error[EXPORT_ERROR]);

/* What went wrong first; "" if nothing did. Valid until the exporter is closed. */
const char *exporter_error(exporter *e);

#endif
