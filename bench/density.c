#include "density.h"

#include "sphere_grid.h"

#include <math.h>

/* Reach of the kernel in rest spacings, each two radii. */
enum { REACH = 2 };

static double kernel(double q)
{
    double u = 1.0 - q;
    return u > 0.0 ? u * u * u * u * (4.0 * q + 1.0) : 0.0;
}

/* The part of a kernel beyond a wall at distance q: the closed form for a half space. */
static double beyond_wall(double q)
{
    double u = 1.0 - fmax(q, 0.0), u2 = u * u;
    return u > 0.0 ? u2 * u2 * u2 * (3.5 - 4.5 * u + 1.5 * u2) : 0.0;
}

typedef struct lattice_sums {
    double whole; /* of the kernel over a lattice at rest */
    double wall;  /* what makes a wall's part that of the lattice's layers beyond it: near 1 */
} lattice_sums;

static lattice_sums sum_lattice(void)
{
    double whole = 0.0, above = 0.0;
    for (int x = -REACH; x <= REACH; x++)
        for (int y = -REACH; y <= REACH; y++)
            for (int z = -REACH; z <= REACH; z++) {
                double w = kernel(sqrt((double)(x * x + y * y + z * z)) / REACH);
                whole += w;
                above += y >= 0 ? w : 0.0;
            }
    /* The first layer is half a spacing from the wall. */
    return (lattice_sums){whole, (1.0 - above / whole) / beyond_wall(0.5 / REACH)};
}

/* In corners each wall takes its part of what the others leave. */
static double part_of_walls(mote_vec4 particle, const mote_vec4 *planes, size_t plane_count, double reach,
                            double wall)
{
    double left = 1.0;
    for (size_t p = 0; p < plane_count; p++) {
        mote_vec4 n = planes[p];
        double height = (double)n.x * particle.x + (double)n.y * particle.y + (double)n.z * particle.z - n.w;
        left *= 1.0 - fmin(1.0, wall * beyond_wall(height / reach));
    }
    return 1.0 - left;
}

typedef struct surroundings {
    double sum; /* of the kernel, the particle itself included */
    uint64_t neighbors;
} surroundings;

/* Buckets hold particles of other cells too; the test for the cell keeps one from counting twice. */
static void search_cell(const sphere_grid *grid, const mote_vec4 *particles, uint32_t i, grid_cell c,
                        surroundings *found)
{
    uint32_t bucket = sphere_grid_bucket(grid, c);
    mote_vec4 own = particles[i];
    for (uint32_t k = grid->starts[bucket]; k < grid->starts[bucket + 1]; k++) {
        uint32_t j = grid->entries[k];
        mote_vec4 p = particles[j];
        double x = (double)p.x - own.x, y = (double)p.y - own.y, z = (double)p.z - own.z;
        double q = sqrt(x * x + y * y + z * z) * grid->inverse_cell_size;
        if (q >= 1.0)
            continue;
        grid_cell other = sphere_grid_cell(grid, p);
        if (other.x != c.x || other.y != c.y || other.z != c.z)
            continue;
        found->sum += kernel(q);
        found->neighbors += j != i;
    }
}

static surroundings search_around(const sphere_grid *grid, const mote_vec4 *particles, uint32_t i)
{
    surroundings found = {0};
    grid_cell own = sphere_grid_cell(grid, particles[i]);
    for (int32_t z = own.z - 1; z <= own.z + 1; z++)
        for (int32_t y = own.y - 1; y <= own.y + 1; y++)
            for (int32_t x = own.x - 1; x <= own.x + 1; x++)
                search_cell(grid, particles, i, (grid_cell){x, y, z}, &found);
    return found;
}

bool density_measure(const mote_vec4 *particles, size_t count, const mote_vec4 *planes, size_t plane_count,
                     density_state *result)
{
    *result = (density_state){0};
    if (count == 0)
        return true;

    double reach = 2.0 * REACH * (double)particles[0].w;
    lattice_sums lattice = sum_lattice();
    sphere_grid grid;
    bool built = sphere_grid_build(&grid, particles, count, reach);
    for (uint32_t i = 0; built && i < count; i++) {
        surroundings found = search_around(&grid, particles, i);
        double walls = part_of_walls(particles[i], planes, plane_count, reach, lattice.wall);
        double error = fmax(0.0, found.sum / lattice.whole + walls - 1.0);
        result->mean_error += error / (double)count;
        result->largest_error = fmax(result->largest_error, error);
        result->neighbors += (double)found.neighbors / (double)count;
    }
    sphere_grid_free(&grid);
    return built;
}
