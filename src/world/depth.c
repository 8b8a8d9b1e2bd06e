/* How deep a body's particles are below its surface, from the particles alone (Lovrovic, eq. 4.18): the sum
 * of the unit vectors from the neighbours, weighted by a power of their distance, points out of the body
 * where there are neighbours on one side only. Who has it is at the surface; the others are deeper by the
 * distance to the nearest of those. Where a body is one layer thick, as the wall of a glass, its particles have
 * no depth: they have no inside that anything could be pushed out of, and would push it to the other side. */
#include "base/point_grid.h"
#include "base/real.h"
#include "base/rotation.h"
#include "base/sort.h"
#include "world/bodies.h"

#define REACH      1.9f     /* of the sum of radii: neighbours on the edges and face diagonals of a lattice */
#define ONE_SIDED  0.15f    /* of the number of neighbours: a longer sum of unit vectors is no accident */
#define BEHIND     0.85f    /* cosine: a neighbour in such a direction is behind a particle of the surface */
#define FLAT       0.08     /* spread of the neighbours across a layer, of that along it: less is one layer */
#define LAYER      (-1e30f) /* for a depth, until all are known: of one layer */
#define FEW        200u     /* particles that are looked at all, instead of by a grid */
#define MOST_RINGS 8        /* of cells around a particle that are searched before all are looked at */

static float radius_of(const mote_world *world, const mt_link *link)
{
    return mt_positions(world)[mt_handle_entries(&world->particles.handles)[link->particle.index].slot].w;
}

/* ---- near ones ------------------------------------------------------------------------------------------ */

/* What is needed to find near particles of a large body without looking at all of them. */
typedef struct finder {
    const mote_world *world;
    mt_link *links;
    uint32_t count;
    mote_vec3 low, high;    /* of the rests */
    double reach;           /* at least as far as any neighbour is, m */
    mt_point_grid grid;     /* without entries: there is none */
    uint32_t *near, *spare; /* room for as many as there are particles */
} finder;

static size_t room_for(size_t count)
{
    return count * (2 * sizeof(mt_grid_entry) + 2 * sizeof(uint32_t));
}

static finder finder_of(const mote_world *world, const mt_body *body, void *room)
{
    finder f = {.world = world, .links = mt_links(world) + body->first_link, .count = body->link_count};
    float largest = 0.0f;
    f.low = f.high = f.links[0].rest;
    for (uint32_t k = 0; k < f.count; k++) {
        mote_vec3 p = f.links[k].rest;
        f.low = (mote_vec3){fminf(f.low.x, p.x), fminf(f.low.y, p.y), fminf(f.low.z, p.z)};
        f.high = (mote_vec3){fmaxf(f.high.x, p.x), fmaxf(f.high.y, p.y), fmaxf(f.high.z, p.z)};
        largest = fmaxf(largest, radius_of(world, &f.links[k]));
    }
    f.reach = 1.001 * 2.0 * (double)REACH * (double)largest; /* a little more, for roundings */
    if (room != NULL) {
        f.grid.entries = room;
        f.grid.spare = f.grid.entries + f.count;
        f.near = (uint32_t *)(f.grid.spare + f.count);
        f.spare = f.near + f.count;
    }
    return f;
}

/* Particles at the surface only, or all. */
static void fill_grid(finder *f, double cell, bool surface)
{
    mt_point_grid_start(&f->grid, f->low, f->high, cell);
    for (uint32_t k = 0; k < f->count; k++)
        if (!surface || f->links[k].depth > 0)
            mt_point_grid_put(&f->grid, k, f->links[k].rest);
    mt_point_grid_sort(&f->grid);
}

static bool is_neighbor(const finder *f, uint32_t k, uint32_t j)
{
    mote_vec3 d = mt_sub(f->links[k].rest, f->links[j].rest);
    float square = mt_dot(d, d);
    float reach = REACH * (radius_of(f->world, &f->links[k]) + radius_of(f->world, &f->links[j]));
    return j != k && !(square > reach * reach) && square > 0;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Into `near`, in the order of the links, so that sums are the same however they are found. */
static uint32_t find_neighbors(const finder *f, uint32_t k)
{
    mt_grid_cell cell = mt_point_grid_cell(&f->grid, f->links[k].rest);
    uint32_t count = 0;
    for (int32_t x = cell.x - 1; x <= cell.x + 1; x++)
        for (int32_t y = cell.y - 1; y <= cell.y + 1; y++) {
            uint32_t begin, end;
            mt_point_grid_run(&f->grid, x, y, cell.z - 1, cell.z + 1, &begin, &end);
            for (; begin < end; begin++)
                if (is_neighbor(f, k, (uint32_t)f->grid.entries[begin].point))
                    f->near[count++] = (uint32_t)f->grid.entries[begin].point;
        }
    mt_merge_sort(f->near, f->spare, count, sizeof *f->near, compare_numbers);
    return count;
}

/* ---- the surface ---------------------------------------------------------------------------------------- */

/* What the neighbours of a particle are like. */
typedef struct surroundings {
    mote_vec3 outward; /* the sum of unit vectors from them, over the distance */
    mt_matrix spread;  /* of the directions to them */
    uint32_t count;
} surroundings;

static void add_neighbor(const finder *f, uint32_t k, uint32_t j, surroundings *around)
{
    mote_vec3 d = mt_sub(f->links[k].rest, f->links[j].rest);
    float radius = radius_of(f->world, &f->links[k]), square = mt_dot(d, d);
    around->outward = mt_add(around->outward, mt_scale(d, (radius + radius) / square));
    const double v[3] = {(double)d.x, (double)d.y, (double)d.z};
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            around->spread.m[row][column] += v[row] * v[column] / (double)square;
    around->count++;
}

/* How many there are to look at: neighbours, which are then in `near`, or all links of a small body. */
static uint32_t neighbor_count(const finder *f, uint32_t k)
{
    return f->near != NULL ? find_neighbors(f, k) : f->count;
}

static surroundings look_around(const finder *f, uint32_t k, uint32_t count)
{
    surroundings around = {.count = 0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = f->near != NULL ? f->near[i] : i;
        if (f->near != NULL || is_neighbor(f, k, j))
            add_neighbor(f, k, j, &around);
    }
    return around;
}

static bool has_behind(const finder *f, uint32_t k, uint32_t count, mote_vec3 normal)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = f->near != NULL ? f->near[i] : i;
        mote_vec3 d = mt_sub(f->links[k].rest, f->links[j].rest);
        if ((f->near != NULL || is_neighbor(f, k, j)) && mt_dot(d, normal) > BEHIND * mt_length(d))
            return true;
    }
    return false;
}

static bool is_flat(const surroundings *around)
{
    double values[3];
    mt_matrix vectors;
    mt_symmetric_eigen(&around->spread, values, &vectors);
    return values[0] < FLAT * values[1];
}

static void find_surface(const finder *f)
{
    for (uint32_t k = 0; k < f->count; k++) {
        uint32_t count = neighbor_count(f, k);
        surroundings around = look_around(f, k, count);
        float length = mt_length(around.outward);
        mt_link *link = &f->links[k];
        link->depth = 0.0f;
        link->normal = (mote_vec3){0.0f, 0.0f, 0.0f};
        bool one_sided = around.count > 0 && length > ONE_SIDED * (float)around.count;
        mote_vec3 normal = one_sided ? mt_scale(around.outward, 1.0f / length) : link->normal;
        if (around.count > 0 && (is_flat(&around) || (one_sided && !has_behind(f, k, count, normal))))
            link->depth = LAYER;
        else if (one_sided) {
            link->depth = radius_of(f->world, link);
            link->normal = normal;
        }
    }
}

/* ---- the inside ----------------------------------------------------------------------------------------- */

/* The particle at the surface that is nearest so far; of equally near ones the first of the links. */
typedef struct nearest {
    uint32_t link;
    float square; /* of the distance, m^2 */
} nearest;

static void see(const finder *f, uint32_t k, uint32_t j, nearest *best)
{
    mote_vec3 d = mt_sub(f->links[j].rest, f->links[k].rest);
    float square = mt_dot(d, d);
    if (f->links[j].depth > 0 && (square < best->square || (square == best->square && j < best->link)))
        *best = (nearest){j, square};
}

/* The columns of cells around a cell, `ring` of them away: of those in the middle only the ends. */
static void see_ring(const finder *f, uint32_t k, mt_grid_cell cell, int32_t ring, nearest *best)
{
    for (int32_t x = -ring; x <= ring; x++)
        for (int32_t y = -ring; y <= ring; y++) {
            bool whole = x == -ring || x == ring || y == -ring || y == ring;
            for (int32_t side = -1; side <= (whole ? -1 : 1); side += 2) {
                uint32_t begin, end;
                mt_point_grid_run(&f->grid, cell.x + x, cell.y + y, cell.z + side * ring,
                                  cell.z + (whole ? ring : side * ring), &begin, &end);
                for (; begin < end; begin++)
                    see(f, k, (uint32_t)f->grid.entries[begin].point, best);
            }
        }
}

/* What is outside of the rings is farther away than they are wide. */
static bool search_rings(const finder *f, uint32_t k, nearest *best)
{
    mt_grid_cell cell = mt_point_grid_cell(&f->grid, f->links[k].rest);
    for (int32_t ring = 0; ring <= MOST_RINGS; ring++) {
        see_ring(f, k, cell, ring, best);
        double safe = 0.999 * f->grid.cell * (double)ring; /* a little less, for roundings */
        if ((double)best->square < safe * safe)
            return true;
    }
    return false;
}

static void find_inner(const finder *f, uint32_t k)
{
    nearest best = {UINT32_MAX, 1e30f};
    if (f->near == NULL || !search_rings(f, k, &best))
        for (uint32_t j = 0; j < f->count; j++)
            see(f, k, j, &best);
    if (best.link == UINT32_MAX || !(best.square > 0))
        return;
    const mt_link *found = &f->links[best.link];
    mt_link *link = &f->links[k];
    link->normal = mt_scale(mt_sub(found->rest, link->rest), 1.0f / sqrtf(best.square));
    link->depth = -(sqrtf(best.square) + radius_of(f->world, found)); /* below 0 until all are known */
}

/* Rods and sheets have no inside: seen from the middle, their particles do not spread in all directions. */
static bool is_thin(const mote_world *world, const mt_body *body)
{
    mt_matrix spread = {{{0}}};
    for (uint32_t k = 0; k < body->link_count; k++) {
        mt_real3 d = mt_real_between(body->center, mt_links(world)[body->first_link + k].rest);
        const double v[3] = {d.x, d.y, d.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                spread.m[i][j] += v[i] * v[j];
    }
    double values[3];
    mt_matrix vectors;
    mt_symmetric_eigen(&spread, values, &vectors);
    return body->link_count < 8 || !(values[0] > 1e-6 * values[2]);
}

size_t mt_body_depth_room(size_t count)
{
    return count > FEW ? room_for(count) : 0;
}

void mt_body_find_depths(mote_world *world, uint32_t slot, void *room)
{
    const mt_body *body = &mt_bodies(world)[slot];
    if (is_thin(world, body))
        return;
    finder f = finder_of(world, body, room);
    if (room != NULL)
        fill_grid(&f, f.reach, false);
    find_surface(&f);
    if (room != NULL)
        fill_grid(&f, 2.0 * f.reach, true);
    bool has_surface = false;
    for (uint32_t k = 0; k < f.count; k++)
        has_surface = has_surface || f.links[k].depth > 0;
    for (uint32_t k = 0; has_surface && k < f.count; k++)
        if (f.links[k].depth == 0)
            find_inner(&f, k);
    for (uint32_t k = 0; k < f.count; k++)
        f.links[k].depth = f.links[k].depth > LAYER ? fabsf(f.links[k].depth) : 0.0f;
}
