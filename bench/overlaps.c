/* Cells are as wide as the largest sphere. Each sphere looks at the 27 cells around it; a pair counts where its
 * second sphere looks. */
#include "overlaps.h"

#include "sphere_grid.h"

#include <math.h>

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
static void search_cell(const sphere_grid *grid, const mote_vec4 *spheres, uint32_t i, grid_cell c,
                        overlaps *result)
{
    uint32_t bucket = sphere_grid_bucket(grid, c);
    for (uint32_t k = grid->starts[bucket]; k < grid->starts[bucket + 1]; k++) {
        uint32_t j = grid->entries[k];
        if (j >= i)
            return; /* entries rise within a bucket */
        grid_cell other = sphere_grid_cell(grid, spheres[j]);
        if (other.x == c.x && other.y == c.y && other.z == c.z)
            count_overlap(result, sphere_depth(spheres[i], spheres[j]));
    }
}

static void search_around(const sphere_grid *grid, const mote_vec4 *spheres, uint32_t i, overlaps *result)
{
    grid_cell own = sphere_grid_cell(grid, spheres[i]);
    for (int32_t z = own.z - 1; z <= own.z + 1; z++)
        for (int32_t y = own.y - 1; y <= own.y + 1; y++)
            for (int32_t x = own.x - 1; x <= own.x + 1; x++)
                search_cell(grid, spheres, i, (grid_cell){x, y, z}, result);
}

bool overlaps_measure(const mote_vec4 *spheres, size_t sphere_count, const mote_vec4 *planes,
                      size_t plane_count, overlaps *result)
{
    *result = (overlaps){0};
    if (sphere_count == 0)
        return true;

    float largest = 0.0f;
    for (size_t i = 0; i < sphere_count; i++)
        largest = fmaxf(largest, spheres[i].w);
    sphere_grid grid;
    bool built = sphere_grid_build(&grid, spheres, sphere_count, 2.0 * (double)largest);
    for (uint32_t i = 0; built && i < sphere_count; i++) {
        search_around(&grid, spheres, i, result);
        for (size_t p = 0; p < plane_count; p++)
            count_overlap(result, plane_depth(spheres[i], planes[p]));
    }
    sphere_grid_free(&grid);
    return built;
}
