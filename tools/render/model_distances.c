/* Distance fields as triangles, by surface nets (S. Gibson, "Constrained elastic surface nets", 1998): one
 * vertex in every cell that the surface passes through, and a quad across every edge of the grid that crosses
 * it. The vertices are then moved onto the surface. */
#include "model.h"

#include "vector.h"

#include <stdlib.h>

#define NO_VERTEX UINT32_MAX

typedef struct net {
    const mote_sdf_def *field;
    uint32_t *layers[2]; /* the vertices of the cells of this layer and of the one below; or NO_VERTEX */
} net;

static float value_at(const mote_sdf_def *field, uint32_t x, uint32_t y, uint32_t z)
{
    return field->values[((size_t)z * field->count[1] + y) * field->count[0] + x];
}

/* The cell's corner values, with bit 0 of the index along x, bit 1 along y and bit 2 along z. */
static void read_cell(const mote_sdf_def *field, uint32_t x, uint32_t y, uint32_t z, float values[8])
{
    for (uint32_t i = 0; i < 8; i++)
        values[i] = value_at(field, x + (i & 1), y + (i >> 1 & 1), z + (i >> 2));
}

/* The mean of the places where the edges of the cell cross the surface, in cells from its first corner. */
static mote_vec3 mean_crossing(const float values[8])
{
    mote_vec3 sum = {0, 0, 0};
    float count = 0.0f;
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned axis = 0; axis < 3; axis++) {
            unsigned other = i | 1u << axis;
            if (other == i || (values[i] < 0.0f) == (values[other] < 0.0f))
                continue;
            float part[3] = {(float)(i & 1), (float)(i >> 1 & 1), (float)(i >> 2)};
            part[axis] = values[i] / (values[i] - values[other]);
            sum = vector_add(sum, (mote_vec3){part[0], part[1], part[2]});
            count += 1.0f;
        }
    }
    return vector_scale(sum, 1.0f / larger(count, 1.0f));
}

/* The interpolated value, and how it grows a cell's width along each axis. */
static float interpolate(const float v[8], mote_vec3 at, mote_vec3 *growth)
{
    float low[4], high[2];
    for (int i = 0; i < 4; i++)
        low[i] = v[2 * i] + (v[2 * i + 1] - v[2 * i]) * at.x;
    for (int i = 0; i < 2; i++)
        high[i] = low[2 * i] + (low[2 * i + 1] - low[2 * i]) * at.y;
    float front = (v[1] - v[0]) * (1 - at.y) + (v[3] - v[2]) * at.y;
    float back = (v[5] - v[4]) * (1 - at.y) + (v[7] - v[6]) * at.y;
    growth->x = front * (1 - at.z) + back * at.z;
    growth->y = (low[1] - low[0]) * (1 - at.z) + (low[3] - low[2]) * at.z;
    growth->z = high[1] - high[0];
    return high[0] + growth->z * at.z;
}

/* Newton's steps along the gradient, within the cell. */
static mote_vec3 move_to_surface(const float values[8], mote_vec3 at)
{
    for (int i = 0; i < 3; i++) {
        mote_vec3 growth;
        float value = interpolate(values, at, &growth);
        float square = vector_dot(growth, growth);
        if (square <= 0.0f)
            break;
        at = vector_sub(at, vector_scale(growth, value / square));
        at = (mote_vec3){clamp01(at.x), clamp01(at.y), clamp01(at.z)};
    }
    return at;
}

/* The gradient at a node from those next to it, which changes smoothly from cell to cell. */
static mote_vec3 node_gradient(const mote_sdf_def *field, const uint32_t node[3])
{
    float parts[3];
    for (int axis = 0; axis < 3; axis++) {
        uint32_t low[3] = {node[0], node[1], node[2]}, high[3] = {node[0], node[1], node[2]};
        low[axis] -= low[axis] > 0;
        high[axis] += high[axis] + 1 < field->count[axis];
        parts[axis] = (value_at(field, high[0], high[1], high[2]) - value_at(field, low[0], low[1], low[2])) /
                      (float)(high[axis] - low[axis]);
    }
    return (mote_vec3){parts[0], parts[1], parts[2]};
}

static mote_vec3 normal_in_cell(const mote_sdf_def *field, uint32_t x, uint32_t y, uint32_t z, mote_vec3 at)
{
    mote_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t node[3] = {x + (i & 1), y + (i >> 1 & 1), z + (i >> 2)};
        float weight = (i & 1 ? at.x : 1 - at.x) * (i & 2 ? at.y : 1 - at.y) * (i & 4 ? at.z : 1 - at.z);
        sum = vector_add(sum, vector_scale(node_gradient(field, node), weight));
    }
    return vector_unit(sum);
}

/* The vertex of a cell, or NO_VERTEX if the surface does not pass through it. */
static uint32_t add_cell(model *m, const mote_sdf_def *field, uint32_t x, uint32_t y, uint32_t z)
{
    float values[8];
    read_cell(field, x, y, z, values);
    int solid = 0;
    for (int i = 0; i < 8; i++)
        solid += values[i] < 0.0f;
    if (solid == 0 || solid == 8)
        return NO_VERTEX;
    mote_vec3 at = move_to_surface(values, mean_crossing(values));
    mote_vec3 cells = vector_add((mote_vec3){(float)x, (float)y, (float)z}, at);
    return model_add_vertex(m, vector_add(field->origin, vector_scale(cells, field->cell)),
                            normal_in_cell(field, x, y, z, at));
}

/* A quad of the four cells around an edge, in order around it; turned over if the edge leads into the solid. */
static void add_quad(model *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool outward)
{
    if (a == NO_VERTEX || b == NO_VERTEX || c == NO_VERTEX || d == NO_VERTEX)
        return;
    model_add_triangle(m, a, outward ? b : c, outward ? c : b);
    model_add_triangle(m, a, outward ? c : d, outward ? d : c);
}

/* The quads around the edges that leave the first node of a cell, as far as all four cells exist. */
static void add_quads(model *m, const net *n, uint32_t x, uint32_t y, uint32_t z)
{
    const mote_sdf_def *field = n->field;
    uint32_t wide = field->count[0] - 1;
    size_t here = (size_t)y * wide + x;
    const uint32_t *layer = n->layers[z & 1], *below = n->layers[~z & 1];
    bool solid = value_at(field, x, y, z) < 0.0f;
    if (y > 0 && z > 0 && solid != (value_at(field, x + 1, y, z) < 0.0f))
        add_quad(m, layer[here], below[here], below[here - wide], layer[here - wide], !solid);
    if (x > 0 && z > 0 && solid != (value_at(field, x, y + 1, z) < 0.0f))
        add_quad(m, layer[here], layer[here - 1], below[here - 1], below[here], !solid);
    if (x > 0 && y > 0 && solid != (value_at(field, x, y, z + 1) < 0.0f))
        add_quad(m, layer[here], layer[here - wide], layer[here - wide - 1], layer[here - 1], !solid);
}

void model_make_distances(model *m, const mote_sdf_def *field)
{
    net n = {.field = field};
    size_t cells = (size_t)(field->count[0] - 1) * (field->count[1] - 1);
    n.layers[0] = malloc(cells * sizeof *n.layers[0]);
    n.layers[1] = malloc(cells * sizeof *n.layers[1]);
    m->failed = n.layers[0] == NULL || n.layers[1] == NULL;
    for (uint32_t z = 0; z + 1 < field->count[2] && !m->failed; z++) {
        uint32_t *layer = n.layers[z & 1];
        for (uint32_t y = 0; y + 1 < field->count[1]; y++)
            for (uint32_t x = 0; x + 1 < field->count[0]; x++)
                *layer++ = add_cell(m, field, x, y, z);
        for (uint32_t y = 0; y + 1 < field->count[1]; y++)
            for (uint32_t x = 0; x + 1 < field->count[0]; x++)
                add_quads(m, &n, x, y, z);
    }
    free(n.layers[0]);
    free(n.layers[1]);
}
