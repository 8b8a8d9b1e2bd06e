/* The lattice that fills a mesh, and where its points go. */
#ifndef MOTE_BUILD_MESH_LATTICE_H
#define MOTE_BUILD_MESH_LATTICE_H

#include "base/memory.h"
#include "mote/mesh.h"

typedef struct mt_lattice {
    double first[3]; /* m */
    double spacing;  /* m */
    uint32_t count[3];
} mt_lattice;

/* The points that were found. */
typedef struct mt_samples {
    mote_vec3 *points;
    size_t capacity, count;
} mt_samples;

/* Adds the points first .. end-1 of the row j, k; fails when there are too many. */
mote_result mt_samples_add(mt_samples *samples, const mt_lattice *lattice, uint32_t first, uint32_t end,
                           uint32_t j, uint32_t k);

/* By counting how often a row of the lattice has crossed the surface. */
mote_result mt_sample_by_parity(mt_memory *memory, const mote_mesh *mesh, const mt_lattice *lattice,
                                mt_samples *samples);

#endif
