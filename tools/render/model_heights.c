/* Height fields as triangles, split as the library splits them. */
#include "model.h"

#include "vector.h"

/* A larger grid is drawn with every second, third, ... node only. */
#define MOST_NODES 2000000u

/* The sides go this much deeper than the lowest node, in widths of the grid. */
#define SIDE_DEPTH 0.02f

typedef struct grid {
    const mote_heightfield_def *heights;
    uint32_t stride;        /* between nodes that are drawn */
    uint32_t columns, rows; /* of nodes that are drawn */
} grid;

/* The node of the field that is drawn at a column or row: the last is always drawn. */
static uint32_t node_at(uint32_t index, uint32_t stride, uint32_t count)
{
    uint64_t node = (uint64_t)index * stride;
    return node < count ? (uint32_t)node : count - 1;
}

static uint32_t drawn_count(uint32_t count, uint32_t stride)
{
    return (count - 2) / stride + 2;
}

static grid choose_grid(const mote_heightfield_def *heights)
{
    grid g = {heights, 1, heights->columns, heights->rows};
    while ((uint64_t)g.columns * g.rows > MOST_NODES) {
        g.stride++;
        g.columns = drawn_count(heights->columns, g.stride);
        g.rows = drawn_count(heights->rows, g.stride);
    }
    return g;
}

static float height_of(const mote_heightfield_def *heights, uint32_t column, uint32_t row)
{
    return heights->heights[(size_t)row * heights->columns + column];
}

/* From the slopes between the nodes next to it. */
static mote_vec3 normal_at(const mote_heightfield_def *heights, uint32_t column, uint32_t row)
{
    uint32_t left = column > 0 ? column - 1 : 0, right = column + 1 < heights->columns ? column + 1 : column;
    uint32_t back = row > 0 ? row - 1 : 0, front = row + 1 < heights->rows ? row + 1 : row;
    float rise_x = height_of(heights, right, row) - height_of(heights, left, row);
    float rise_z = height_of(heights, column, front) - height_of(heights, column, back);
    float spacing = heights->spacing;
    return vector_unit((mote_vec3){-rise_x / ((float)(right - left) * spacing), 1.0f,
                                   -rise_z / ((float)(front - back) * spacing)});
}

static mote_vec3 place_of(const grid *g, uint32_t column, uint32_t row)
{
    uint32_t x = node_at(column, g->stride, g->heights->columns), z = node_at(row, g->stride, g->heights->rows);
    return (mote_vec3){(float)x * g->heights->spacing, height_of(g->heights, x, z),
                       (float)z * g->heights->spacing};
}

static void add_top(model *m, const grid *g)
{
    for (uint32_t row = 0; row < g->rows; row++)
        for (uint32_t column = 0; column < g->columns; column++) {
            uint32_t x = node_at(column, g->stride, g->heights->columns);
            uint32_t z = node_at(row, g->stride, g->heights->rows);
            model_add_vertex(m, place_of(g, column, row), normal_at(g->heights, x, z));
        }
    for (uint32_t row = 0; row + 1 < g->rows; row++)
        for (uint32_t column = 0; column + 1 < g->columns; column++) {
            uint32_t first = row * g->columns + column, next = first + g->columns;
            model_add_triangle(m, first, next, next + 1);
            model_add_triangle(m, first, next + 1, first + 1);
        }
}

/* The side below one edge of the top, from node to node; `normal` points outward. */
static void add_side_quad(model *m, mote_vec3 from, mote_vec3 to, float bottom, mote_vec3 normal)
{
    uint32_t a = model_add_vertex(m, from, normal), b = model_add_vertex(m, to, normal);
    from.y = bottom;
    to.y = bottom;
    uint32_t c = model_add_vertex(m, to, normal), d = model_add_vertex(m, from, normal);
    model_add_triangle(m, a, d, c);
    model_add_triangle(m, a, c, b);
}

static void add_sides(model *m, const grid *g, float bottom)
{
    uint32_t last_column = g->columns - 1, last_row = g->rows - 1;
    for (uint32_t i = 0; i < last_column; i++) {
        add_side_quad(m, place_of(g, i, last_row), place_of(g, i + 1, last_row), bottom, (mote_vec3){0, 0, 1});
        add_side_quad(m, place_of(g, i + 1, 0), place_of(g, i, 0), bottom, (mote_vec3){0, 0, -1});
    }
    for (uint32_t i = 0; i < last_row; i++) {
        add_side_quad(m, place_of(g, last_column, i + 1), place_of(g, last_column, i), bottom,
                      (mote_vec3){1, 0, 0});
        add_side_quad(m, place_of(g, 0, i), place_of(g, 0, i + 1), bottom, (mote_vec3){-1, 0, 0});
    }
}

void model_make_heights(model *m, const mote_heightfield_def *heights)
{
    grid g = choose_grid(heights);
    add_top(m, &g);
    if (m->failed)
        return;
    mote_vec3 min, max;
    model_bounds(m, &min, &max);
    add_sides(m, &g, min.y - SIDE_DEPTH * larger(max.x, max.z));
}
