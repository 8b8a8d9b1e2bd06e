#include "step/fluid/fluid.h"

#include "step/bodies/bodies.h"
#include "step/scratch.h"

#define LATTICE     2    /* rest spacings that H reaches */
#define LEAST_GIVE  0.1f /* of what a lattice gives way: a particle with few neighbours is moved no further */
#define RELAXATION  0.5f /* half of what a particle alone would need: its neighbours do as much */
#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)

/* ---- what a lattice says ------------------------------------------------------------------------------- */

static double kernel(double q)
{
    double rest = 1.0 - q;
    return rest > 0 ? rest * rest * rest * rest * (4.0 * q + 1.0) : 0.0;
}

/* The part of a kernel beyond a wall at distance q H: the closed form for a half space. */
static double beyond_wall(double q)
{
    double u = 1.0 - q, u2 = u * u;
    return u > 0 ? u2 * u2 * u2 * (3.5 - 4.5 * u + 1.5 * u2) : 0.0;
}

typedef struct lattice_sums {
    double whole, half; /* of w: everywhere, and on and above the middle's own layer */
    double squares;     /* of |grad w|^2 H^2 */
} lattice_sums;

static lattice_sums sum_lattice(void)
{
    lattice_sums sums = {0, 0, 0};
    for (int x = -LATTICE; x <= LATTICE; x++)
        for (int y = -LATTICE; y <= LATTICE; y++)
            for (int z = -LATTICE; z <= LATTICE; z++) {
                double q = sqrt((double)(x * x + y * y + z * z)) / LATTICE, rest = 1.0 - q;
                sums.whole += kernel(q);
                sums.half += y >= 0 ? kernel(q) : 0.0;
                double slope = rest > 0 ? 20.0 * rest * rest * rest * q : 0.0;
                sums.squares += slope * slope;
            }
    return sums;
}

bool mt_any_fluid(const mote_world *world)
{
    for (uint32_t i = 0; i < world->material_count; i++)
        if (world->materials[i].fluid)
            return true;
    return false;
}

mt_fluid mt_fluid_of(const mote_world *world)
{
    if (!mt_any_fluid(world))
        return (mt_fluid){.any = false};
    lattice_sums sums = sum_lattice();
    float support = MT_FLUID_REACH * world->radius, share = (float)(1.0 / sums.whole);
    return (mt_fluid){
        .any = true,
        .pure = world->scratch->pure_fluid,
        .support = support,
        .inverse_support = 1.0f / support,
        .share = share,
        /* The first layer is half a spacing from the wall. */
        .wall_part = (float)((1.0 - sums.half / sums.whole) / beyond_wall(0.5 / LATTICE)),
        .slope = 20.0f / (support * support),
        .least_give = LEAST_GIVE * share * share * (float)sums.squares / (support * support),
        .relaxation = RELAXATION,
    };
}

/* ---- what each particle is ----------------------------------------------------------------------------- */

static void fill(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mote_world *world = context;
    mt_scratch *s = world->scratch;
    mote_vec4 *wet = s->wet.data;
    const mt_fluid fluid = mt_fluid_of(world);
    uint32_t solid = UINT32_MAX;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        bool real = i < world->particles.count;
        bool liquid = real && world->materials[mt_material_indices(world)[i]].fluid;
        float size = real ? mt_positions(world)[i].w / world->radius : 0.0f;
        float inverse_mass = real && mt_rest_times(world)[i] >= 0 ? mt_velocities(world)[i].w : 0.0f;
        float share = fluid.share * size * size * size;
        wet[i] = (mote_vec4){share, inverse_mass, liquid ? 1.0f : 0.0f, 0.0f};
        if (real && !liquid)
            solid = i;
    }
    ((uint32_t *)s->block_bad.data)[begin / BLOCK_SLOTS] = solid;
}

void mt_fluid_fill(mote_world *world)
{
    mt_scratch *s = world->scratch;
    uint32_t slices = mt_slice_count(world->particles.count);
    mt_parallel_for(&world->threads, slices * MT_SLICE, BLOCK_SLOTS, fill, world);
    s->pure_fluid = true;
    for (uint32_t block = 0; block < mt_block_count(slices); block++)
        s->pure_fluid = s->pure_fluid && ((const uint32_t *)s->block_bad.data)[block] == UINT32_MAX;
}
