#include "sphere_grid.h"

#include <math.h>
#include <stdlib.h>

grid_cell sphere_grid_cell(const sphere_grid *grid, mote_vec4 sphere)
{
    return (grid_cell){(int32_t)floor(sphere.x * grid->inverse_cell_size),
                       (int32_t)floor(sphere.y * grid->inverse_cell_size),
                       (int32_t)floor(sphere.z * grid->inverse_cell_size)};
}

uint32_t sphere_grid_bucket(const sphere_grid *grid, grid_cell cell)
{
    uint32_t hash = (uint32_t)cell.x * 73856093u ^ (uint32_t)cell.y * 19349663u ^ (uint32_t)cell.z * 83492791u;
    return hash & grid->mask;
}

static uint32_t bucket_of(const sphere_grid *grid, mote_vec4 sphere)
{
    return sphere_grid_bucket(grid, sphere_grid_cell(grid, sphere));
}

bool sphere_grid_build(sphere_grid *grid, const mote_vec4 *spheres, size_t count, double cell_size)
{
    size_t bucket_count = 1;
    while (bucket_count < count)
        bucket_count *= 2;
    *grid = (sphere_grid){.inverse_cell_size = 1.0 / cell_size, .mask = (uint32_t)(bucket_count - 1)};
    grid->starts = calloc(bucket_count + 1, sizeof *grid->starts);
    grid->entries = malloc((count + 1) * sizeof *grid->entries);
    if (grid->starts == NULL || grid->entries == NULL)
        return false;

    /* Counting sort from the back: starts[b] begins as the end of its bucket and walks down to its start. */
    for (size_t i = 0; i < count; i++)
        ++grid->starts[bucket_of(grid, spheres[i])];
    for (size_t b = 1; b <= bucket_count; b++)
        grid->starts[b] += grid->starts[b - 1];
    for (size_t i = count; i-- > 0;)
        grid->entries[--grid->starts[bucket_of(grid, spheres[i])]] = (uint32_t)i;
    return true;
}

void sphere_grid_free(sphere_grid *grid)
{
    free(grid->starts);
    free(grid->entries);
    *grid = (sphere_grid){0};
}
