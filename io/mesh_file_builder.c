#include "io/mesh_file_builder.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for one more. False if there is none. */
static bool grow(void **data, size_t *capacity, size_t count, size_t element)
{
    if (count < *capacity)
        return true;
    if (count >= MESH_FILE_MAX_COUNT)
        return false;
    size_t wanted = *capacity == 0 ? 256 : 2 * *capacity;
    void *grown = realloc(*data, wanted * element);
    if (grown == NULL)
        return false;
    *data = grown;
    *capacity = wanted;
    return true;
}

/* Mixes the bits of the three coordinates so that lattices, which meshes often are, spread well. */
static size_t hash_of(mote_vec3 place)
{
    uint32_t bits[3];
    memcpy(bits, &place, sizeof bits);
    uint64_t hash = 0;
    for (int axis = 0; axis < 3; axis++) {
        hash = (hash ^ bits[axis]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return (size_t)hash;
}

static uint32_t *find_entry(const mesh_builder *builder, mote_vec3 place)
{
    size_t mask = builder->table_size - 1;
    for (size_t at = hash_of(place) & mask;; at = (at + 1) & mask) {
        uint32_t vertex = builder->table[at];
        if (vertex == NO_VERTEX || memcmp(&builder->mesh.vertices[vertex], &place, sizeof place) == 0)
            return &builder->table[at];
    }
}

static bool grow_table(mesh_builder *builder)
{
    if (2 * (builder->mesh.vertex_count + 1) < builder->table_size)
        return true;
    size_t size = builder->table_size == 0 ? 1024 : 2 * builder->table_size;
    uint32_t *table = malloc(size * sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        table[i] = NO_VERTEX;
    free(builder->table);
    builder->table = table;
    builder->table_size = size;
    for (size_t i = 0; i < builder->mesh.vertex_count; i++)
        *find_entry(builder, builder->mesh.vertices[i]) = (uint32_t)i;
    return true;
}

uint32_t mesh_builder_vertex(mesh_builder *builder, mote_vec3 place)
{
    /* -0 + 0 is 0. */
    place = (mote_vec3){place.x + 0.0f, place.y + 0.0f, place.z + 0.0f};
    if (!grow_table(builder))
        return NO_VERTEX;
    uint32_t *entry = find_entry(builder, place);
    if (*entry != NO_VERTEX)
        return *entry;
    void *vertices = builder->mesh.vertices;
    bool room = grow(&vertices, &builder->vertex_capacity, builder->mesh.vertex_count, sizeof place);
    builder->mesh.vertices = vertices;
    if (!room)
        return NO_VERTEX;
    *entry = (uint32_t)builder->mesh.vertex_count;
    builder->mesh.vertices[builder->mesh.vertex_count++] = place;
    return *entry;
}

bool mesh_builder_triangle(mesh_builder *builder, uint32_t a, uint32_t b, uint32_t c)
{
    void *triangles = builder->mesh.triangles;
    bool room = grow(&triangles, &builder->triangle_capacity, builder->mesh.triangle_count,
                     3 * sizeof *builder->mesh.triangles);
    builder->mesh.triangles = triangles;
    if (!room)
        return false;
    uint32_t *corners = builder->mesh.triangles + 3 * builder->mesh.triangle_count++;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    return true;
}

mesh_file mesh_builder_finish(mesh_builder *builder)
{
    mesh_file mesh = builder->mesh;
    free(builder->table);
    *builder = (mesh_builder){0};
    return mesh;
}

void mesh_builder_free(mesh_builder *builder)
{
    mesh_file mesh = mesh_builder_finish(builder);
    mesh_file_free(&mesh);
}
