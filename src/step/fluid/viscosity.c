#include "step/fluid/viscosity.h"

#include "base/vec.h"
#include "step/fluid/near.h"
#include "step/fluid/rub.h"
#include "step/kernels.h"
#include "step/neighbors/neighbors.h"
#include "step/neighbors/plan.h"
#include "step/substep.h"
#include "world/check.h"

#include <string.h>

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)

/* ---- what a lattice says ------------------------------------------------------------------------------- */

static double drag_kernel(double q)
{
    double u = 1.0 - q;
    return u > 0 ? u * (1.0 + (double)MT_DRAG_SHAPE * u) : 0.0;
}

/* As in viscosity_kernel.c. */
static double wall_kernel(double q)
{
    double u = 1.0 - q;
    return u * u * u * u * (0.89 + 4.2 * q - 0.87 * q * q);
}

typedef struct lattice_sums {
    double drag; /* of k r^2, in spacings */
    double give; /* of k n_x^2 */
    double wall; /* of k n_x^2 y over all below a particle half a spacing above a wall */
    double mean; /* of the density's kernel, without the middle */
    double bent; /* of (1 - q)^3 r^2 */
} lattice_sums;

static lattice_sums sum_lattice(void)
{
    lattice_sums sums = {0, 0, 0, 0, 0};
    for (int x = -2; x <= 2; x++)
        for (int y = -2; y <= 2; y++)
            for (int z = -2; z <= 2; z++) {
                double square = (double)(x * x + y * y + z * z), q = 0.5 * sqrt(square), u = 1.0 - q;
                if (square == 0 || u <= 0)
                    continue;
                sums.drag += drag_kernel(q) * square;
                sums.give += drag_kernel(q) / 3.0;
                sums.wall += y > 0 ? drag_kernel(q) * (double)(x * x) / square * (double)y : 0.0;
                sums.mean += u * u * u * u * (4.0 * q + 1.0);
                sums.bent += u * u * u * square;
            }
    return sums;
}

/* ---- setting up ---------------------------------------------------------------------------------------- */

typedef struct stir_needs {
    bool drag, mixing, spinning;
} stir_needs;

static stir_needs needs_of(const mote_world *world)
{
    stir_needs needs = {false, false, false};
    for (uint32_t i = 0; i < world->material_count; i++) {
        const mt_material *m = &world->materials[i];
        needs.drag = needs.drag || (m->fluid && m->viscosity > 0);
        needs.mixing = needs.mixing || (m->fluid && m->xsph > 0);
        needs.spinning = needs.spinning || (m->fluid && m->vorticity > 0);
    }
    return needs;
}

/* As mt_stir.thickest. */
static float thickest_of(const mote_world *world)
{
    float most = 0.0f;
    for (uint32_t i = 0; i < world->material_count; i++)
        if (world->materials[i].fluid)
            most = fmaxf(most, sqrtf(world->materials[i].viscosity));
    return most;
}

bool mt_any_viscosity(const mote_world *world)
{
    return needs_of(world).drag;
}

mote_result mt_viscosity_reserve(mote_world *world, size_t slots)
{
    mt_scratch *s = world->scratch;
    stir_needs needs = needs_of(world);
    if (!needs.drag && !needs.mixing && !needs.spinning)
        return MOTE_OK;
    mt_array *const per_slot[] = {&s->stir.place, &s->stir.direction, &s->stir.residual, &s->stir.image,
                                  &s->stir.change};
    bool moves = slots > s->stir.place.capacity || (needs.drag && slots > s->stir.hold.capacity) ||
                 slots / MT_SLICE > s->stir.left.capacity;
    MT_TRY(mt_array_reserve(&s->stir.left, &world->memory, slots / MT_SLICE, 0));
    if (moves) /* what was left there is gone, or who was */
        memset(s->stir.left.data, 0, s->stir.left.capacity);
    for (size_t i = 0; i < sizeof per_slot / sizeof per_slot[0]; i++)
        MT_TRY(mt_array_reserve(per_slot[i], &world->memory, slots, 0));
    mt_array *const per_local_slot[] = {&s->stir.hold, &s->stir.inverse_mass[0], &s->stir.inverse_mass[1]};
    for (size_t i = 0; needs.drag && i < 3; i++)
        MT_TRY(mt_array_reserve(per_local_slot[i], &world->memory, slots, 0));
    if (needs.drag)
        MT_TRY(mt_array_reserve(&s->stir.grain, &world->memory, slots, 0));
    MT_TRY(mt_array_reserve(&s->stir.touched, &world->memory, slots / MT_SLICE, 0));
    return mt_array_reserve(&s->stir.drags, &world->memory, world->bodies.count, 0);
}

static void write_dummies(mote_vec4 *array, uint32_t slot, mote_vec4 value)
{
    for (uint32_t i = 0; i < MT_SLICE; i++)
        array[slot + i] = value;
}

/* They are where the lists' rows are. */
static void attach_rows(const mote_world *world, mt_stir *job)
{
    const mt_lists *lists = &world->scratch->search.lists;
    job->pairs.given = lists->rubbed[0].data;
    job->pairs.last = lists->rubbed[1].data;
    job->pairs.pull = lists->rubbed[2].data;
    job->pairs.less = lists->rubbed[3].data;
}

/* Below this a light particle of a lattice loses next to nothing of its speed beside the others in a step, Pa s. */
static float thin_below(const mt_substep *s, float lattice_unit)
{
    return MT_RUB_THIN * s->liquids.fluid.light * s->time.share / lattice_unit;
}

static mt_stir stir_of(mote_world *world, mt_substep *s)
{
    mt_scratch *scratch = world->scratch;
    lattice_sums sums = sum_lattice();
    float spacing = 2.0f * world->radius, unit = s->h * spacing * (float)(30.0 / sums.drag);
    mt_stir job = {
        .s = s,
        .velocity = mt_velocities(world),
        .position = mt_positions(world),
        .place = scratch->stir.place.data,
        .direction = scratch->stir.direction.data,
        .residual = scratch->stir.residual.data,
        .image = scratch->stir.image.data,
        .change = scratch->stir.change.data,
        .touched = scratch->stir.touched.data,
        .left = scratch->stir.left.data,
        .drags = scratch->stir.drags.data,
        .hold = scratch->stir.hold.data,
        .inverse_mass = {scratch->stir.inverse_mass[0].data, scratch->stir.inverse_mass[1].data},
        .grain = scratch->stir.grain.data,
        .thickest = thickest_of(world),
        .lattice.friction = (float)sums.give,
        .sums = scratch->block_bounds.data,
        .unit = unit,
        .thin = thin_below(s, unit * (float)sums.give),
        .times = s->time.closes_step ? 1.0f / s->time.share : 0.0f,
        .wall = spacing * (float)(sums.wall / wall_kernel(0.25)),
        .nearest = 0.25f * spacing,
        .lattice.mean = (float)(1.0 / sums.mean),
        .lattice.slope = (float)(3.0 / sums.bent) / (spacing * spacing),
        .lattice.spacing = spacing,
    };
    const mote_vec4 far_away = {MT_FAR, MT_FAR, MT_FAR, 0.0f}, zero = {0.0f, 0.0f, 0.0f, 0.0f};
    write_dummies(job.place, s->dummy, far_away);
    write_dummies(job.direction, s->dummy, zero);
    write_dummies(job.residual, s->dummy, zero);
    write_dummies(job.image, s->dummy, zero);
    attach_rows(world, &job);
    return job;
}

/* What particles of a material are to the kernels: the w of the place and of the direction. */
typedef struct stir_kind {
    float place, direction;
} stir_kind;

typedef struct fill_job {
    const mote_world *world;
    mt_stir *stir;
    bool leaves; /* slices whose particles no liquid may reach */
    stir_kind kinds[MT_MAX_MATERIALS];
} fill_job;

/* Where it was at the start of the substep. */
static mote_vec3 place_before(const fill_job *job, uint32_t i)
{
    mote_vec4 x = mt_positions(job->world)[i], v = mt_velocities(job->world)[i];
    const float h = job->stir->s->h;
    return (mote_vec3){x.x - h * v.x, x.y - h * v.y, x.z - h * v.z};
}

/* The eight are for everyone else as dummies are, and stay so. */
static void leave_slice(const mt_stir *job, uint32_t slice)
{
    const mote_vec4 far_away = {MT_FAR, MT_FAR, MT_FAR, 0.0f}, zero = {0.0f, 0.0f, 0.0f, 0.0f};
    job->touched[slice] = 0;
    if (job->left[slice])
        return;
    job->left[slice] = 1;
    mote_vec4 *const nothing[] = {job->direction, job->residual, job->image};
    write_dummies(job->place, slice * MT_SLICE, far_away);
    for (size_t k = 0; k < sizeof nothing / sizeof nothing[0]; k++)
        write_dummies(nothing[k], slice * MT_SLICE, zero);
    write_dummies(job->hold, slice * MT_SLICE, MT_HOLD_OF_NOBODY);
}

/* `last`: what was made of the last solid's size, which most have. */
static void fill_one(const fill_job *job, uint32_t i, mote_vec3 *last)
{
    const float radius = job->world->radius, own = mt_positions(job->world)[i].w;
    mote_vec4 v = mt_velocities(job->world)[i];
    stir_kind kind = job->kinds[mt_material_indices(job->world)[i]];
    mote_vec3 x = place_before(job, i);
    if (kind.direction < 0) {
        if (own != last->x) {
            float size = fminf(own / radius, 1.0f);
            *last = (mote_vec3){own, fmaxf(own - radius, 0.0f), size * size * size};
        }
        kind.place = last->y;
        kind.direction *= last->z;
    }
    job->stir->place[i] = (mote_vec4){x.x, x.y, x.z, kind.place};
    job->stir->direction[i] = (mote_vec4){v.x, v.y, v.z, kind.direction};
}

static void fill(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const fill_job *job = context;
    const uint32_t count = job->world->particles.count;
    mote_vec3 last = {-1.0f, 0.0f, 0.0f};
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * MT_SLICE;
        if (job->leaves && !job->stir->s->lists.asks[slice]) {
            leave_slice(job->stir, slice);
            continue;
        }
        job->stir->left[slice] = 0;
        for (; i < (slice + 1) * MT_SLICE && i < count; i++)
            fill_one(job, i, &last);
        for (; i < (slice + 1) * MT_SLICE; i++) {
            job->stir->place[i] = (mote_vec4){MT_FAR, MT_FAR, MT_FAR, 0.0f};
            job->stir->direction[i] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
        }
    }
}

static stir_kind kind_for_drag(const mt_material *m)
{
    return m->fluid ? (stir_kind){0.0f, sqrtf(m->viscosity)} : (stir_kind){0.0f, -1.0f};
}

static stir_kind kind_for_mixing(const mt_material *m)
{
    return m->fluid ? (stir_kind){0.0f, sqrtf(m->xsph)} : (stir_kind){0.0f, 0.0f};
}

static stir_kind kind_for_spinning(const mt_material *m)
{
    return m->fluid ? (stir_kind){m->vorticity, 1.0f} : (stir_kind){0.0f, 0.0f};
}

static void note_start(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const fill_job *job = context;
    mote_vec4 *start = job->world->scratch->particles.predicted[1].data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        mote_vec3 x =
            i < job->world->particles.count ? place_before(job, i) : (mote_vec3){MT_FAR, MT_FAR, MT_FAR};
        start[i] = (mote_vec4){x.x, x.y, x.z, job->stir->position[i].w};
    }
}

/* Who liquids may reach, and what is near them. */
static void fill_and_mark(mote_world *world, fill_job *job)
{
    mt_substep *s = job->stir->s;
    mt_mark_assemblies_asked(s);
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, fill, job);
    mt_mark_near_liquids(world, s, job->stir->place, false);
}

/* Lists that are good where the substep began. What was predicted is not asked for any more. */
static mote_result ensure_lists(mote_world *world, fill_job *job)
{
    mt_substep *s = job->stir->s;
    float time = s->time.part * s->time.dt - s->h;
    if (mt_lists_reach(world, s, job->stir->place, time))
        return MOTE_OK;
    mt_parallel_for(&world->threads, s->slices * MT_SLICE, BLOCK_SLOTS, note_start, job);
    MT_TRY(mt_lists_ensure(world, s, world->scratch->particles.predicted[1].data, time));
    attach_rows(world, job->stir);
    fill_and_mark(world, job); /* they may reach others now */
    return MOTE_OK;
}

/* Velocities as they are now and where they come from, with what materials say. `leaves`: whom liquids may not reach, which
 * only viscosity knows how to. */
static mote_result begin(mote_world *world, mt_stir *job, stir_kind (*kind_of)(const mt_material *),
                         bool leaves)
{
    fill_job filling = {.world = world, .stir = job, .leaves = leaves};
    for (uint32_t i = 0; i < world->material_count; i++)
        filling.kinds[i] = kind_of(&world->materials[i]);
    mt_find_near_liquids(world, job->s);
    fill_and_mark(world, &filling);
    return ensure_lists(world, &filling);
}

static void run(mote_world *world, mt_stir *job, mt_range_task *kernel)
{
    mt_parallel_for(&world->threads, job->s->slices, MT_BLOCK, kernel, job);
}

/* ---- the stage ----------------------------------------------------------------------------------------- */

mote_result mt_apply_viscosity(mote_world *world, mt_substep *s)
{
    stir_needs needs = needs_of(world);
    if (!needs.drag && !needs.mixing && !needs.spinning)
        return MOTE_OK;
    mt_stir job = stir_of(world, s);
    if (needs.spinning) {
        MT_TRY(begin(world, &job, kind_for_spinning, false));
        run(world, &job, world->kernels->spin_measure);
        run(world, &job, world->kernels->spin);
    }
    if (needs.mixing) {
        MT_TRY(begin(world, &job, kind_for_mixing, false));
        run(world, &job, world->kernels->mix_measure);
        run(world, &job, world->kernels->mix);
    }
    bool thick = job.thickest * job.thickest >= job.thin;
    if (needs.drag && (thick || s->time.closes_step)) {
        MT_TRY(begin(world, &job, kind_for_drag, true));
        mt_rub(world, &job);
    }
    return MOTE_OK;
}
