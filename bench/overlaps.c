/* Spheres are sorted into cells as wide as the largest sphere, the cells into buckets by a hash, so that space
 * has no bounds. Each sphere looks at the 27 cells around it; a pair counts where its second sphere looks. */
#include "overlaps.h"

#include <math.h>
#include <stdlib.h>

typedef struct cell {
    int32_t x, y, z;
} cell;

/* entries[starts[b] .. starts[b + 1]) are the spheres of bucket b. */
typedef struct sphere_grid {
    double inverse_cell_size;
    uint32_t mask;
    uint32_t *starts;
    uint32_t *entries;
} sphere_grid;

static cell cell_of(const sphere_grid *grid, mote_vec4 sphere)
{
    return (cell){(int32_t)floor(sphere.x * grid->inverse_cell_size),
                  (int32_t)floor(sphere.y * grid->inverse_cell_size),
                  (int32_t)floor(sphere.z * grid->inverse_cell_size)};
}

static uint32_t bucket_of(const sphere_grid *grid, cell c)
{
    uint32_t hash = (uint32_t)c.x * 73856093u ^ (uint32_t)c.y * 19349663u ^ (uint32_t)c.z * 83492791u;
    return hash & grid->mask;
}

static bool grid_build(sphere_grid *grid, const mote_vec4 *spheres, size_t count)
{
    float largest = 0.0f;
    for (size_t i = 0; i < count; i++)
        largest = fmaxf(largest, spheres[i].w);
    size_t bucket_count = 1;
    while (bucket_count < count)
        bucket_count *= 2;

    grid->inverse_cell_size = 1.0 / (2.0 * (double)largest);
    grid->mask = (uint32_t)(bucket_count - 1);
    grid->starts = calloc(bucket_count + 1, sizeof *grid->starts);
    grid->entries = malloc(count * sizeof *grid->entries);
    if (grid->starts == NULL || grid->entries == NULL)
        return false;

    /* Counting sort from the back: starts[b] begins as the end of its bucket and walks down to its start. */
    for (size_t i = 0; i < count; i++)
        ++grid->starts[bucket_of(grid, cell_of(grid, spheres[i]))];
    for (size_t b = 1; b <= bucket_count; b++)
        grid->starts[b] += grid->starts[b - 1];
    for (size_t i = count; i-- > 0;)
        grid->entries[--grid->starts[bucket_of(grid, cell_of(grid, spheres[i]))]] = (uint32_t)i;
    return true;
}

static void count_overlap(overlaps *result, double depth)
{
    if (depth > 0.0) {
        result->deepest = fmax(result->deepest, depth);
        result->sum += depth;
    }
}

static double sphere_depth(mote_vec4 a, mote_vec4 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return (double)a.w + b.w - sqrt(x * x + y * y + z * z);
}

static double plane_depth(mote_vec4 sphere, mote_vec4 plane)
{
    double height = (double)plane.x * sphere.x + (double)plane.y * sphere.y + (double)plane.z * sphere.z;
    return (double)sphere.w + plane.w - height;
}

/* Buckets hold spheres of other cells too; the test for the cell keeps a pair from counting twice. */
static void search_cell(const sphere_grid *grid, const mote_vec4 *spheres, uint32_t i, cell c, overlaps *result)
{
    uint32_t bucket = bucket_of(grid, c);
    for (uint32_t k = grid->starts[bucket]; k < grid->starts[bucket + 1]; k++) {
        uint32_t j = grid->entries[k];
        if (j >= i)
            return; /* entries rise within a bucket */
        cell other = cell_of(grid, spheres[j]);
        if (other.x == c.x && other.y == c.y && other.z == c.z)
            count_overlap(result, sphere_depth(spheres[i], spheres[j]));
    }
}

static void search_around(const sphere_grid *grid, const mote_vec4 *spheres, uint32_t i, overlaps *result)
{
    cell own = cell_of(grid, spheres[i]);
    for (int32_t z = own.z - 1; z <= own.z + 1; z++)
        for (int32_t y = own.y - 1; y <= own.y + 1; y++)
            for (int32_t x = own.x - 1; x <= own.x + 1; x++)
                search_cell(grid, spheres, i, (cell){x, y, z}, result);
}

bool overlaps_measure(const mote_vec4 *spheres, size_t sphere_count, const mote_vec4 *planes,
                      size_t plane_count, overlaps *result)
{
    *result = (overlaps){0};
    if (sphere_count == 0)
        return true;

    sphere_grid grid = {0};
    bool built = grid_build(&grid, spheres, sphere_count);
    for (uint32_t i = 0; built && i < sphere_count; i++) {
        search_around(&grid, spheres, i, result);
        for (size_t p = 0; p < plane_count; p++)
            count_overlap(result, plane_depth(spheres[i], planes[p]));
    }
    free(grid.starts);
    free(grid.entries);
    return built;
}
