/* Inside the mesh files: a mesh that grows triangle by triangle, with one vertex for each place. */
#ifndef MOTE_IO_MESH_FILE_BUILDER_H
#define MOTE_IO_MESH_FILE_BUILDER_H

#include "io/mesh_file.h"

typedef struct mesh_builder {
    mesh_file mesh;
    size_t vertex_capacity, triangle_capacity;
    uint32_t *table;   /* open hash table: the vertex at each entry, or NO_VERTEX */
    size_t table_size; /* a power of two, more than half of it empty */
} mesh_builder;

#define NO_VERTEX UINT32_MAX

/* The index of the vertex at this place, made if there is none; NO_VERTEX if there is no memory or no room
 * below MESH_FILE_MAX_COUNT. -0 and 0 are one place. */
uint32_t mesh_builder_vertex(mesh_builder *builder, mote_vec3 place);

/* False if there is no memory or no room. */
bool mesh_builder_triangle(mesh_builder *builder, uint32_t a, uint32_t b, uint32_t c);

/* Cuts a polygon into triangles; it may be bent a little and need not be convex. Fewer than three corners add
 * nothing. False if there is no memory or no room. */
bool mesh_builder_polygon(mesh_builder *builder, const uint32_t *corners, size_t count);

/* Hands over the mesh and frees the rest. */
mesh_file mesh_builder_finish(mesh_builder *builder);
void mesh_builder_free(mesh_builder *builder);

#endif
