#include "step/fluid/fluid.h"

#include "step/bodies/bodies.h"
#include "step/scratch.h"

#include <string.h>

#define PI           3.14159265358979
#define LATTICE      (0.5 * (double)MT_FLUID_REACH) /* rest spacings that H reaches */
#define LAYERS       3
#define LEAST_GIVE   0.1f /* of what a lattice gives way: a particle with few neighbours is moved no further */
#define MOST_HELD    0.08f /* rest spacings squared: deeper than that by h^2 g is more than a step of h can bear */
#define MOST_MOVE    0.75f  /* radii */
#define TENSILE_AT   0.25   /* e: half the rest spacing, in H */
#define TENSILE      98.1f  /* a of a material with 1, m/s^2: ten times gravity, which is enough for splashes */
#define TENSILE_MOST 0.25f  /* rest spacings that two part in a substep; stable at 0.8 */
#define LIGHT        125.0f /* kg/m^3 */
#define BLOCK_SLOTS  (MT_BLOCK * MT_SLICE)

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
    double upward;      /* of -dw/dy H: above the middle */
    double kappa;       /* of -dw/dx x */
    double squares;     /* of |grad w|^2 H^2 */
} lattice_sums;

static lattice_sums sum_lattice(void)
{
    lattice_sums sums = {0, 0, 0, 0, 0};
    for (int x = -LAYERS; x <= LAYERS; x++)
        for (int y = -LAYERS; y <= LAYERS; y++)
            for (int z = -LAYERS; z <= LAYERS; z++) {
                double q = sqrt((double)(x * x + y * y + z * z)) / LATTICE, rest = 1.0 - q;
                sums.whole += kernel(q);
                sums.half += y >= 0 ? kernel(q) : 0.0;
                double slope = rest > 0 ? 20.0 * rest * rest * rest * q : 0.0;
                sums.upward += y > 0 ? slope * y / (q * LATTICE) : 0.0;
                sums.kappa += slope * q / 3.0;
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

/* How fast what is missing behind a plane, about (1 - x / reach)^4 of the distance x, has to fall: by as much as a
 * liquid's on both sides of it together, since only this side has pressure. So much further than the first
 * layer, which lies where a particle touches, walls are felt; in radii. */
static float wall_gap(const lattice_sums *sums)
{
    return (float)(4.0 * (sums->whole - sums->half) / (2.0 * sums->upward)) * MT_FLUID_REACH;
}

static float to_fourth(float x)
{
    return x * x * x * x;
}

/* How much further than touching a solid is felt, in radii. Liquids lie in the hollows between four of a body's
 * particles, where the way is longer and not straight. */
static float solid_gap(const lattice_sums *sums)
{
    float hollow = sqrtf(6.0f);
    return hollow - 2.0f + 2.0f / hollow * wall_gap(sums);
}

mt_fluid mt_fluid_of(const mote_world *world)
{
    if (!mt_any_fluid(world))
        return (mt_fluid){.any = false};
    lattice_sums sums = sum_lattice();
    double missing = 1.0 - sums.half / sums.whole; /* behind a wall */
    float gap = wall_gap(&sums) * world->radius, wall = world->radius + gap,
          support = MT_FLUID_REACH * world->radius, share = (float)(1.0 / sums.whole);
    return (mt_fluid){
        .any = true,
        .pure = world->scratch->liquids.pure,
        .uniform = world->scratch->liquids.uniform,
        .all = world->scratch->liquids.all_wet,
        .radius = world->radius,
        .light = LIGHT * 8.0f * world->radius * world->radius * world->radius,
        .support = support,
        .inverse_support = 1.0f / support,
        .share = share,
        .wall = wall,
        .inverse_wall = 1.0f / wall,
        .wall_part = (float)missing * to_fourth(wall / gap),
        .half_space = (float)(missing / beyond_wall(0.5 / LATTICE)), /* the first layer is half a spacing off */
        .solid_part = (float)missing,
        .solid_gap = solid_gap(&sums) * world->radius,
        .contact = MT_FLUID_TOUCH * world->radius,
        .slope = 20.0f / (support * support),
        .least_give = LEAST_GIVE * share * share * (float)sums.squares / (support * support),
        .most_move = MOST_MOVE * world->radius,
        .bulk = (float)(sums.kappa / sums.whole),
        .most_held = MOST_HELD * 4.0f * world->radius * world->radius,
    };
}

/* ---- tensile correction -------------------------------------------------------------------------------- */

mt_tensile mt_tensile_of(const mote_world *world, float h)
{
    float least = 1.0f, most = 0.0f;
    for (uint32_t i = 0; i < world->material_count; i++)
        if (world->materials[i].fluid) {
            least = fminf(least, world->materials[i].tensile_correction);
            most = fmaxf(most, world->materials[i].tensile_correction);
        }
    if (!(most > 0))
        return (mt_tensile){.any = false};
    double at = kernel(TENSILE_AT), rest = 1.0 - TENSILE_AT, gradient = 20.0 * rest * rest * rest * TENSILE_AT;
    float way = TENSILE * h * h, support = MT_FLUID_REACH * world->radius;
    return (mt_tensile){
        .any = true,
        .alike = least == most,
        .push = way * support / ((float)world->settings.iterations * (float)gradient),
        .most = TENSILE_MOST * 2.0f * world->radius / way,
        .inverse = (float)(1.0 / at),
        .at_spacing = to_fourth((float)(kernel(1.0 / LATTICE) / at)),
    };
}

/* ---- what each particle is ----------------------------------------------------------------------------- */

/* A solid takes the place of a wall: straight across, where it would touch, it makes up for what a particle
 * lacks there, or a flat layer of them does on the average if they are small. */
static mote_vec4 solid_of(const mt_fluid *fluid, float radius, float own)
{
    double touch = (double)own + (double)radius, reach = touch + (double)fluid->solid_gap,
           u = 1.0 - touch / reach;
    double u5 = u * u * u * u * u, across = kernel(touch / reach);
    double layer =
        PI * reach * reach / (2.0 * (double)radius * (double)radius) * u5 * (1.0 - 1.5 * u + 4.0 / 7.0 * u * u);
    double share = (double)fluid->solid_part / (across > layer ? across : layer);
    return (mote_vec4){(float)share, 0.0f, 0.0f, (float)(1.0 / reach)};
}

static mote_vec4 liquid_of(const mt_fluid *fluid, const mt_material *material)
{
    float tensile = sqrtf(material->tensile_correction);
    return (mote_vec4){fluid->share, 0.0f, 1.0f + tensile, fluid->inverse_support};
}

typedef struct fill_job {
    const mote_world *world;
    mote_vec4 *wet;
    mt_fluid fluid;
    bool solids;       /* what solids are is asked, too */
    uint32_t material; /* of the first */
    float inverse_mass;
} fill_job;

/* What a block has. */
enum { SOLID = 1u, OTHERS = 2u /* than the first */, LIQUID = 4u };

static float moving_mass(const mote_world *world, uint32_t slot)
{
    return mt_rest_times(world)[slot] >= 0 ? mt_velocities(world)[slot].w : 0.0f;
}

/* What was made of the last solid: most are of one radius. */
typedef struct last_solid {
    float radius;
    mote_vec4 wet;
} last_solid;

/* Whether eight are solids of one material, all of the last one's radius: most slices of bodies are. */
static bool are_plain(const fill_job *job, uint32_t i, const last_solid *last)
{
    const uint32_t *material = mt_material_indices(job->world) + i;
    const mote_vec4 *x = mt_positions(job->world) + i;
    uint32_t other = 0;
    float wider = 0.0f;
    if (i + MT_SLICE > job->world->particles.count || job->world->materials[material[0]].fluid)
        return false;
    for (uint32_t n = 0; n < MT_SLICE; n++)
        other |= material[n] ^ material[0];
    for (uint32_t n = 0; job->solids && n < MT_SLICE; n++)
        wider += fabsf(x[n].w - last->radius);
    return other == 0 && !(wider > 0);
}

static void fill_plain(const fill_job *job, uint32_t i, const last_solid *last)
{
    const mote_vec4 *v = mt_velocities(job->world) + i, wet = last->wet;
    const float *rest_time = mt_rest_times(job->world) + i;
    for (uint32_t n = 0; n < MT_SLICE; n++)
        job->wet[i + n] = (mote_vec4){wet.x, rest_time[n] >= 0 ? v[n].w : 0.0f, wet.z, wet.w};
}

static uint32_t fill_one(const fill_job *job, uint32_t i, last_solid *last)
{
    const mote_world *world = job->world;
    const mt_material *material = &world->materials[mt_material_indices(world)[i]];
    float mass = moving_mass(world, i), own = mt_positions(world)[i].w;
    uint32_t found = mass != job->inverse_mass || mt_material_indices(world)[i] != job->material ? OTHERS : 0;
    if (material->fluid) {
        job->wet[i] = liquid_of(&job->fluid, material);
        job->wet[i].y = mass;
        return found | LIQUID;
    }
    if (own != last->radius)
        *last = (last_solid){own, solid_of(&job->fluid, own, world->radius)};
    job->wet[i] = last->wet;
    job->wet[i].y = mass;
    return found | SOLID;
}

static void fill(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const fill_job *job = context;
    uint8_t *has_liquid = job->world->scratch->liquids.has_liquid.data;
    uint32_t all = 0;
    last_solid last = {.radius = -1.0f};
    (void)worker;
    for (uint32_t i = begin; i < end; i += MT_SLICE) {
        uint32_t found = SOLID;
        if (are_plain(job, i, &last)) {
            if (job->solids)
                fill_plain(job, i, &last);
        } else {
            found = 0;
            for (uint32_t n = i; n < i + MT_SLICE; n++)
                if (n < job->world->particles.count)
                    found |= fill_one(job, n, &last);
                else
                    job->wet[n] = (mote_vec4){0.0f, 0.0f, 0.0f, job->fluid.inverse_support};
        }
        has_liquid[i / MT_SLICE] = (found & LIQUID) != 0;
        all |= found;
    }
    ((uint32_t *)job->world->scratch->block_bad.data)[begin / BLOCK_SLOTS] = all;
}

void mt_fluid_fill(mote_world *world, bool solids)
{
    mt_scratch *s = world->scratch;
    uint32_t slices = mt_slice_count(world->particles.count);
    fill_job job = {.world = world, .wet = s->liquids.wet.data, .fluid = mt_fluid_of(world), .solids = solids};
    if (world->particles.count > 0) {
        job.material = mt_material_indices(world)[0];
        job.inverse_mass = moving_mass(world, 0);
    }
    mt_parallel_for(&world->threads, slices * MT_SLICE, BLOCK_SLOTS, fill, &job);
    uint32_t found = 0, first = UINT32_MAX, end = 0;
    for (uint32_t block = 0; block < mt_block_count(slices); block++) {
        uint32_t own = ((const uint32_t *)s->block_bad.data)[block];
        found |= own;
        if ((own & LIQUID) != 0) {
            first = first < block ? first : block;
            end = block + 1;
        }
    }
    s->liquids.first = end > 0 ? first * MT_BLOCK : 0;
    s->liquids.end = end * MT_BLOCK < slices ? end * MT_BLOCK : slices;
    s->liquids.pure = (found & SOLID) == 0;
    s->liquids.uniform = (found & (SOLID | OTHERS)) == 0 && slices > 0;
    if (s->liquids.uniform)
        s->liquids.all_wet = job.wet[0];
}
