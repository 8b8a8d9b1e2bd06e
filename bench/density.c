#include "density.h"

#include "sphere_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reach of the function in rest spacings, each two radii. */
enum { REACH = 2 };

/* Particles first, then their mirror images. */
typedef struct point_list {
    mote_vec4 *points;
    size_t count, capacity;
} point_list;

static bool add_point(point_list *list, mote_vec4 point)
{
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity;
        mote_vec4 *larger = realloc(list->points, capacity * sizeof *larger);
        if (larger == NULL)
            return false;
        list->points = larger;
        list->capacity = capacity;
    }
    list->points[list->count++] = point;
    return true;
}

/* Images have images of their own in the planes that come later: so corners are filled. */
static bool add_images(point_list *list, mote_vec4 plane, double reach)
{
    size_t count = list->count;
    for (size_t i = 0; i < count; i++) {
        mote_vec4 p = list->points[i];
        float height = plane.x * p.x + plane.y * p.y + plane.z * p.z - plane.w;
        mote_vec4 image = {p.x - 2.0f * height * plane.x, p.y - 2.0f * height * plane.y,
                           p.z - 2.0f * height * plane.z, p.w};
        if (fabs((double)height) < reach && !add_point(list, image))
            return false;
    }
    return true;
}

static bool make_points(point_list *list, const mote_vec4 *particles, size_t count, const mote_vec4 *planes,
                        size_t plane_count, double reach)
{
    *list = (point_list){malloc((count + count / 4 + 1) * sizeof *list->points), count, count + count / 4 + 1};
    if (list->points == NULL)
        return false;
    memcpy(list->points, particles, count * sizeof *particles);
    for (size_t p = 0; p < plane_count; p++)
        if (!add_images(list, planes[p], reach))
            return false;
    return true;
}

static double kernel(double q)
{
    double u = 1.0 - q;
    return u > 0.0 ? u * u * u * u * (4.0 * q + 1.0) : 0.0;
}

static double lattice_sum(void)
{
    double sum = 0.0;
    for (int x = -REACH; x <= REACH; x++)
        for (int y = -REACH; y <= REACH; y++)
            for (int z = -REACH; z <= REACH; z++)
                sum += kernel(sqrt((double)(x * x + y * y + z * z)) / REACH);
    return sum;
}

typedef struct surroundings {
    double sum; /* of the kernel, the particle itself included */
    uint64_t neighbors;
} surroundings;

/* Buckets hold points of other cells too; the test for the cell keeps one from counting twice. */
static void search_cell(const sphere_grid *grid, const point_list *list, size_t particle_count, uint32_t i,
                        grid_cell c, surroundings *found)
{
    uint32_t bucket = sphere_grid_bucket(grid, c);
    mote_vec4 own = list->points[i];
    for (uint32_t k = grid->starts[bucket]; k < grid->starts[bucket + 1]; k++) {
        uint32_t j = grid->entries[k];
        mote_vec4 p = list->points[j];
        double x = (double)p.x - own.x, y = (double)p.y - own.y, z = (double)p.z - own.z;
        double q = sqrt(x * x + y * y + z * z) * grid->inverse_cell_size;
        if (q >= 1.0)
            continue;
        grid_cell other = sphere_grid_cell(grid, p);
        if (other.x != c.x || other.y != c.y || other.z != c.z)
            continue;
        found->sum += kernel(q);
        found->neighbors += j != i && j < particle_count;
    }
}

static surroundings search_around(const sphere_grid *grid, const point_list *list, size_t particle_count,
                                  uint32_t i)
{
    surroundings found = {0};
    grid_cell own = sphere_grid_cell(grid, list->points[i]);
    for (int32_t z = own.z - 1; z <= own.z + 1; z++)
        for (int32_t y = own.y - 1; y <= own.y + 1; y++)
            for (int32_t x = own.x - 1; x <= own.x + 1; x++)
                search_cell(grid, list, particle_count, i, (grid_cell){x, y, z}, &found);
    return found;
}

bool density_measure(const mote_vec4 *particles, size_t count, const mote_vec4 *planes, size_t plane_count,
                     density_state *result)
{
    *result = (density_state){0};
    if (count == 0)
        return true;

    double reach = 2.0 * REACH * (double)particles[0].w, rest = lattice_sum();
    point_list list = {0};
    sphere_grid grid = {0};
    bool built = make_points(&list, particles, count, planes, plane_count, reach) &&
                 sphere_grid_build(&grid, list.points, list.count, reach);
    for (uint32_t i = 0; built && i < count; i++) {
        surroundings found = search_around(&grid, &list, count, i);
        double error = fmax(0.0, found.sum / rest - 1.0);
        result->mean_error += error / (double)count;
        result->largest_error = fmax(result->largest_error, error);
        result->neighbors += (double)found.neighbors / (double)count;
    }
    sphere_grid_free(&grid);
    free(list.points);
    return built;
}
