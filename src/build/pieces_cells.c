/* Where cuts go: straight ones between cells of one size, or those of a Voronoi diagram, whose seeds are one a
 * cell, each somewhere in it. */
#include "base/hash.h"
#include "base/real.h"
#include "build/pieces.h"

#define EDGE     0.15 /* cells: how far seeds stay from the sides of theirs, so that there are no splinters */
#define LOOK     2    /* cells: no seed further away can be the nearest, with such seeds */
#define ROUNDING 1e-3 /* cells: a point at the very cut is behind it, whatever its last bits */

typedef struct grid {
    mt_real3 low, width; /* of the first cell's corner; of a cell; m */
    int64_t count[3];
    uint32_t seed;
} grid;

/* As many cells as come nearest to the size that was asked for, all alike. */
static double choose_axis(double extent, double size, int64_t *count)
{
    double cells = floor(extent / size + 0.5);
    *count = cells > 1 ? (int64_t)cells : 1;
    return extent / (double)*count;
}

/* Around the cubes of all points. */
static grid choose_grid(const mote_pieces_def *pieces, const mote_vec3 *points, uint32_t count, double spacing)
{
    mt_real3 low = mt_real_of(points[0]), high = low;
    for (uint32_t i = 1; i < count; i++) {
        mt_real3 p = mt_real_of(points[i]);
        low = (mt_real3){mt_real_least(low.x, p.x), mt_real_least(low.y, p.y), mt_real_least(low.z, p.z)};
        high = (mt_real3){mt_real_most(high.x, p.x), mt_real_most(high.y, p.y), mt_real_most(high.z, p.z)};
    }
    grid g = {.low = {low.x - 0.5 * spacing, low.y - 0.5 * spacing, low.z - 0.5 * spacing},
              .seed = pieces->seed};
    g.width.x = choose_axis(high.x - low.x + spacing, (double)pieces->size, &g.count[0]);
    g.width.y = choose_axis(high.y - low.y + spacing, (double)pieces->size, &g.count[1]);
    g.width.z = choose_axis(high.z - low.z + spacing, (double)pieces->size, &g.count[2]);
    return g;
}

static int64_t clamped(double cell, int64_t count)
{
    int64_t whole = (int64_t)floor(cell + ROUNDING);
    return whole < 0 ? 0 : whole < count ? whole : count - 1;
}

/* The cell around a point. */
static void find_cell(const grid *g, mote_vec3 point, int64_t cell[3])
{
    mt_real3 p = mt_real_sub(mt_real_of(point), g->low);
    cell[0] = clamped(p.x / g->width.x, g->count[0]);
    cell[1] = clamped(p.y / g->width.y, g->count[1]);
    cell[2] = clamped(p.z / g->width.z, g->count[2]);
}

static uint64_t cell_name(const grid *g, const int64_t cell[3])
{
    return (uint64_t)cell[0] +
           (uint64_t)g->count[0] * ((uint64_t)cell[1] + (uint64_t)g->count[1] * (uint64_t)cell[2]);
}

/* Where the seed of a cell is along an axis. */
static double seed_at(const grid *g, uint64_t name, int axis, int64_t cell, double low, double width)
{
    uint64_t bits = mt_hash_add(mt_hash_add(g->seed, name), (uint64_t)axis);
    double part = (double)(bits >> 11) * 0x1p-53;
    return low + width * ((double)cell + EDGE + (1.0 - 2.0 * EDGE) * part);
}

static double square_to_seed(const grid *g, uint64_t name, const int64_t cell[3], mt_real3 point)
{
    mt_real3 seed = {seed_at(g, name, 0, cell[0], g->low.x, g->width.x),
                     seed_at(g, name, 1, cell[1], g->low.y, g->width.y),
                     seed_at(g, name, 2, cell[2], g->low.z, g->width.z)};
    mt_real3 way = mt_real_sub(seed, point);
    return mt_real_dot(way, way);
}

static bool is_in_grid(const grid *g, const int64_t cell[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (cell[axis] < 0 || cell[axis] >= g->count[axis])
            return false;
    return true;
}

static uint64_t nearest_seed(const grid *g, mote_vec3 point)
{
    int64_t home[3];
    find_cell(g, point, home);
    uint64_t best = cell_name(g, home);
    double least = square_to_seed(g, best, home, mt_real_of(point));
    const int side = 2 * LOOK + 1;
    for (int k = 0; k < side * side * side; k++) {
        int64_t cell[3] = {home[0] + k % side - LOOK, home[1] + k / side % side - LOOK,
                           home[2] + k / (side * side) - LOOK};
        if (!is_in_grid(g, cell))
            continue;
        uint64_t name = cell_name(g, cell);
        double square = square_to_seed(g, name, cell, mt_real_of(point));
        if (square < least || (square == least && name < best)) {
            least = square;
            best = name;
        }
    }
    return best;
}

void mt_cut_cells(const mote_pieces_def *pieces, const mote_vec3 *points, uint32_t count, float spacing,
                  uint64_t *cell_of)
{
    grid g = choose_grid(pieces, points, count, (double)spacing);
    for (uint32_t i = 0; i < count; i++) {
        int64_t cell[3];
        find_cell(&g, points[i], cell);
        cell_of[i] = pieces->seed == 0 ? cell_name(&g, cell) : nearest_seed(&g, points[i]);
    }
}
