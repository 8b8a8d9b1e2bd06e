/* Pairs of particles that start inside each other: a grid as wide as the largest particle, as a sorted list. */
#include "io/scene_inspect.h"

#include "io/scene_math.h"

#include <math.h>
#include <stdlib.h>

#define MOST_TESTS UINT64_C(2000000000) /* a few seconds */

typedef struct place {
    uint64_t cell;
    size_t particle;
} place;

typedef struct grid {
    const mote_world *world;
    mote_particles_view view;
    place *places;
    double width; /* m */
    uint64_t tests;
} grid;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return (x->particle > y->particle) - (x->particle < y->particle);
}

/* Cells that share a number only cost time: the distance decides. */
static uint64_t cell_number(double x, double y, double z)
{
    return (uint64_t)(int64_t)x * UINT64_C(0x9E3779B97F4A7C15) +
           (uint64_t)(int64_t)y * UINT64_C(0xC2B2AE3D27D4EB4F) +
           (uint64_t)(int64_t)z * UINT64_C(0x165667B19E3779F9);
}

static size_t first_of_cell(const grid *g, uint64_t cell)
{
    size_t low = 0, high = g->view.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (g->places[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#define MOST_BODIES 64 /* of one particle that are looked at */

/* Particles of one body do not collide. */
static bool share_body(const grid *g, size_t a, size_t b)
{
    mote_body_id of_a[MOST_BODIES], of_b[MOST_BODIES];
    uint32_t count_a = mote_particle_bodies(g->world, g->view.id[a], of_a, MOST_BODIES);
    uint32_t count_b = count_a > 0 ? mote_particle_bodies(g->world, g->view.id[b], of_b, MOST_BODIES) : 0;
    for (uint32_t i = 0; i < count_a && i < MOST_BODIES; i++)
        for (uint32_t k = 0; k < count_b && k < MOST_BODIES; k++)
            if (of_a[i].index == of_b[k].index)
                return true;
    return false;
}

static bool is_liquid(const grid *g, size_t particle)
{
    mote_material_def def;
    mote_material_id id = mote_material_at(g->world, g->view.material[particle]);
    return mote_material_get(g->world, id, &def) == MOTE_OK && def.fluid;
}

static bool collide(const mote_particles_view *view, size_t a, size_t b)
{
    if (view->velocity[a].w == 0.0f && view->velocity[b].w == 0.0f)
        return false; /* both fixed */
    uint32_t p = view->phase[a], q = view->phase[b];
    return (p & MOTE_PHASE_GROUP_MASK) != (q & MOTE_PHASE_GROUP_MASK) || (p & q & MOTE_PHASE_SELF_COLLIDE) != 0;
}

static void test_pair(const grid *g, size_t a, size_t b, scene_pairs *pairs)
{
    mote_vec4 p = g->view.position[a], q = g->view.position[b];
    float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    float depth = p.w + q.w - sqrtf(x * x + y * y + z * z);
    if (depth <= SCENE_DEEP * fminf(p.w, q.w) || !collide(&g->view, a, b) || share_body(g, a, b) ||
        (is_liquid(g, a) && is_liquid(g, b))) /* which keep their density, not their distances */
        return;
    size_t low = a < b ? a : b, high = a < b ? b : a;
    if (pairs->count++ == 0 || low < pairs->first || (low == pairs->first && high < pairs->second)) {
        pairs->first = low;
        pairs->second = high;
        pairs->depth = depth;
    }
}

/* Every pair once: with the larger places in its own cell and in the 26 around it. */
static void test_around(grid *g, size_t particle, scene_pairs *pairs)
{
    mote_vec4 p = g->view.position[particle];
    double x = floor(p.x / g->width), y = floor(p.y / g->width), z = floor(p.z / g->width);
    for (int i = 0; i < 27; i++) {
        uint64_t cell = cell_number(x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1);
        for (size_t k = first_of_cell(g, cell); k < g->view.count && g->places[k].cell == cell; k++) {
            g->tests++;
            if (g->places[k].particle > particle)
                test_pair(g, particle, g->places[k].particle, pairs);
        }
    }
}

void scene_find_pairs(const mote_world *world, scene_pairs *pairs)
{
    *pairs = (scene_pairs){0};
    grid g = {.world = world, .view = mote_particles_get_view(world)};
    g.places = malloc((g.view.count + 1) * sizeof *g.places);
    if (g.places == NULL) {
        pairs->incomplete = true;
        return;
    }
    float largest = 0.0f;
    for (size_t i = 0; i < g.view.count; i++)
        largest = fmaxf(largest, g.view.position[i].w);
    g.width = 2.0 * (double)largest;
    for (size_t i = 0; i < g.view.count; i++) {
        mote_vec4 p = g.view.position[i];
        g.places[i] = (place){cell_number(floor(p.x / g.width), floor(p.y / g.width), floor(p.z / g.width)), i};
    }
    qsort(g.places, g.view.count, sizeof *g.places, compare_places);
    for (size_t i = 0; i < g.view.count && g.tests < MOST_TESTS; i++)
        test_around(&g, i, pairs);
    pairs->incomplete = g.tests >= MOST_TESTS;
    free(g.places);
}
