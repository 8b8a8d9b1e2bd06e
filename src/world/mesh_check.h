/* What is to be checked of every mesh that comes from outside. */
#ifndef MOTE_WORLD_MESH_CHECK_H
#define MOTE_WORLD_MESH_CHECK_H

#include "base/memory.h"
#include "mote/mesh.h"

#define MT_MESH_LIMIT       1e6f                /* m, of a coordinate */
#define MT_MESH_COUNT_LIMIT ((size_t)100000000) /* vertices, triangles, sampled points */

/* That the mesh can be looked at: it is there, has triangles but not too many, its coordinates are finite and
 * within +-1e6 m, and its indices name vertices. */
mote_result mt_mesh_check(const mote_mesh *mesh);

/* mote_mesh_inspect with memory from elsewhere, for a mesh that has been checked. */
mote_result mt_mesh_inspect(mt_memory *memory, const mote_mesh *mesh, mote_mesh_report *report);

/* That the mesh has an inside; else an error that counts its faults. */
mote_result mt_mesh_check_closed(const mote_mesh_report *report);

/* mote_mesh_sample with memory from elsewhere. */
mote_result mt_mesh_sample(mt_memory *memory, const mote_mesh *mesh, const mote_sample_def *def,
                           mote_vec3 *points, size_t capacity, size_t *count);

#endif
