#include "step/fluid/coarse.h"

#include "step/neighbors/cells.h"
#include "world/check.h"
#include "world/world.h"

#include <string.h>

#define CELL        8.0f /* radii: four rest spacings */
#define SWEEPS      16   /* of Chebyshev: nodes that a guess reaches */
#define PART        0.2f /* of what the sweeps say: pressures follow within a few substeps, and waves are damped */
#define THIN        0.1f /* rest densities: what is thinner than that and bears nothing is at a surface, or spray */
#define BLOCK_CELLS 16u
#define BLOCK_NODES 64u
#define NONE        UINT32_MAX
#define HERE        13 /* of the 27 nodes around a node: itself */
/* Units of the sums, and the largest term in them: there is room for 2^18 of those in a cell. What is lighter than
 * LIGHTEST, in usual lightest masses, counts as that heavy. */
#define MASS_UNIT 0x1p-30f
#define REST_UNIT 0x1p-30f
#define MOST_TERM 0x1p44f
#define LIGHTEST  0x1p-8f

typedef mt_coarse_cell cell;
typedef mt_coarse_node node;

typedef struct coarse_job {
    const mt_substep *s;
    cell *cells;
    node *nodes;
    const uint32_t *slots;
    float inverse;
    float *step[2]; /* a node */
    int from;       /* which of the steps a sweep reads */
    float keep, add;
} coarse_job;

/* ---- cells and nodes ------------------------------------------------------------------------------------ */

static uint32_t hash_of(const int32_t at[3])
{
    uint32_t h = (uint32_t)at[0] * 73856093u ^ (uint32_t)at[1] * 19349663u ^ (uint32_t)at[2] * 83492791u;
    h ^= h >> 16;
    h *= 0x7FEB352Du;
    return h ^ h >> 15;
}

/* Tables have twice as many entries as there is room for what they find. */
static uint32_t mask_of(size_t capacity)
{
    uint32_t size = 64;
    while (size < 2 * capacity)
        size *= 2;
    return size - 1;
}

/* The entry of a cell, or the free one where it would be. */
static uint32_t *cell_entry(mt_coarse *c, const int32_t at[3])
{
    uint32_t *table = c->cell_table.data, mask = mask_of(c->cells.capacity), k = hash_of(at) & mask;
    const cell *cells = c->cells.data;
    while (table[k] != NONE && memcmp(cells[table[k]].at, at, sizeof cells->at) != 0)
        k = (k + 1) & mask;
    return &table[k];
}

static uint32_t find_node(mt_coarse *c, const int32_t at[3])
{
    uint32_t *table = c->node_table.data, mask = mask_of(c->nodes.capacity), k = hash_of(at) & mask;
    node *nodes = c->nodes.data;
    while (table[k] != NONE && memcmp(nodes[table[k]].at, at, sizeof nodes->at) != 0)
        k = (k + 1) & mask;
    if (table[k] == NONE) {
        node *made = &nodes[c->node_count];
        memcpy(made->at, at, sizeof made->at);
        memset(made->cell, 0xFF, sizeof made->cell);
        table[k] = c->node_count++;
    }
    return table[k];
}

static void make_cell(mt_coarse *c, const int32_t at[3], uint32_t *entry)
{
    cell *made = (cell *)c->cells.data + c->cell_count;
    memcpy(made->at, at, sizeof made->at);
    made->count = 0;
    for (uint32_t corner = 0; corner < 8; corner++) {
        const int32_t to[3] = {at[0] + (int32_t)(corner & 1), at[1] + (int32_t)(corner >> 1 & 1),
                               at[2] + (int32_t)(corner >> 2)};
        made->node[corner] = find_node(c, to);
        ((node *)c->nodes.data)[made->node[corner]].cell[corner] = c->cell_count;
    }
    *entry = c->cell_count++;
}

static void cell_coordinates(const mt_substep *s, uint32_t i, float inverse, int32_t at[3])
{
    at[0] = mt_cell_coordinate(s->liquids.dense[i].x, inverse);
    at[1] = mt_cell_coordinate(s->liquids.dense[i].y, inverse);
    at[2] = mt_cell_coordinate(s->liquids.dense[i].z, inverse);
}

static bool is_free_liquid(const mt_substep *s, uint32_t i)
{
    return s->liquids.wet[i].z > 0 && s->liquids.wet[i].y > 0;
}

/* Behind the last slot where there may be liquid. */
static uint32_t end_of_liquids(const mt_substep *s)
{
    uint32_t end = s->lists.made->end_wet * MT_SLICE;
    return end < s->count ? end : s->count;
}

/* The cells that hold liquid, how much of it, and who is in which; also what has no pressure. False: there is no room for
 * them. */
static bool find_cells(mt_coarse *c, const mt_substep *s, float inverse)
{
    int32_t last[3] = {INT32_MIN, INT32_MIN, INT32_MIN}, at[3];
    uint32_t now = NONE, *of = c->cell_of.data;
    memset(c->cell_table.data, 0xFF, ((size_t)mask_of(c->cells.capacity) + 1) * sizeof(uint32_t));
    memset(c->node_table.data, 0xFF, ((size_t)mask_of(c->nodes.capacity) + 1) * sizeof(uint32_t));
    c->cell_count = c->node_count = 0;
    const uint32_t end = end_of_liquids(s);
    for (uint32_t i = s->lists.made->first_wet * MT_SLICE; i < end; i++) {
        of[i] = NONE;
        if (!is_free_liquid(s, i))
            continue;
        cell_coordinates(s, i, inverse, at);
        if (memcmp(at, last, sizeof at) != 0) {
            memcpy(last, at, sizeof last);
            uint32_t *entry = cell_entry(c, at);
            if (*entry == NONE) {
                if (c->cell_count + 1 > c->cells.capacity || c->node_count + 8 > c->nodes.capacity)
                    return false;
                make_cell(c, at, entry);
            }
            now = *entry;
        }
        of[i] = now;
        ((cell *)c->cells.data)[now].count++;
    }
    return true;
}

static mote_result reserve(mote_world *world, mt_coarse *c, size_t cells, size_t nodes)
{
    MT_TRY(mt_array_reserve(&c->cells, &world->memory, cells, 0));
    MT_TRY(mt_array_reserve(&c->nodes, &world->memory, nodes, 0));
    for (int k = 0; k < 2; k++)
        MT_TRY(mt_array_reserve(&c->step[k], &world->memory, c->nodes.capacity, 0));
    MT_TRY(mt_array_reserve(&c->cell_table, &world->memory, (size_t)mask_of(c->cells.capacity) + 1, 0));
    return mt_array_reserve(&c->node_table, &world->memory, (size_t)mask_of(c->nodes.capacity) + 1, 0);
}

static void sort_particles(mt_coarse *c, const mt_substep *s)
{
    uint32_t *slots = c->slots.data, first = 0;
    const uint32_t *of = c->cell_of.data, end = end_of_liquids(s);
    cell *cells = c->cells.data;
    for (uint32_t k = 0; k < c->cell_count; k++) {
        cells[k].first = first;
        first += cells[k].count;
        cells[k].count = 0;
    }
    for (uint32_t i = s->lists.made->first_wet * MT_SLICE; i < end; i++)
        if (of[i] != NONE)
            slots[cells[of[i]].first + cells[of[i]].count++] = i;
}

/* ---- the equations ---------------------------------------------------------------------------------------- */

/* A sum over a cell: of whole numbers, so that the order of its particles does not matter. */
typedef int64_t tally;

static void tally_add(tally *sum, float term, float unit)
{
    float units = term / unit;
    units = units > -MOST_TERM ? units : -MOST_TERM;
    *sum += (int64_t)(units < MOST_TERM ? units : MOST_TERM);
}

static float tally_value(tally sum, float unit)
{
    return (float)sum * unit;
}

/* The part of a particle's inverse mass that counts: all of it, but of what is lighter than LIGHTEST. */
static float counted_part(const mt_substep *s, uint32_t slot)
{
    float w = s->liquids.wet[slot].y * s->liquids.fluid.light, most = 1.0f / LIGHTEST;
    return w > most ? most / w : 1.0f;
}

static bool bears(const mt_substep *s, uint32_t slot)
{
    return s->liquids.pressure[slot] > 0 || s->liquids.lean[slot].w > 0;
}

static bool bears_any(const coarse_job *job, const cell *e)
{
    bool any = false;
    for (uint32_t n = e->first; !any && n < e->first + e->count; n++)
        any = bears(job->s, job->slots[n]);
    return any;
}

/* A particle's place in its cell, 0 to 1; who has left it since is at its border. */
static void place_in(const coarse_job *job, const cell *e, uint32_t slot, float part[3])
{
    const mote_vec4 *x = &job->s->liquids.dense[slot];
    const float at[3] = {x->x * job->inverse, x->y * job->inverse, x->z * job->inverse};
    for (int axis = 0; axis < 3; axis++) {
        float in = at[axis] - (float)e->at[axis];
        in = in > 0.0f ? in : 0.0f;
        part[axis] = in < 1.0f ? in : 1.0f;
    }
}

typedef struct cell_sums {
    tally mass, stiff, lean[3], rest, tilt[3];
} cell_sums;

static void add_particle(const coarse_job *job, const cell *e, uint32_t slot, cell_sums *sums)
{
    const mt_substep *s = job->s;
    const mote_vec4 g = s->liquids.lean[slot];
    const float w = s->liquids.wet[slot].y * s->liquids.fluid.light * counted_part(s, slot),
                support = s->liquids.fluid.support;
    const float along[3] = {g.x * support, g.y * support, g.z * support};
    float part[3], square = 0.0f;
    tally_add(&sums->mass, w, MASS_UNIT);
    for (int axis = 0; axis < 3; axis++) {
        tally_add(&sums->lean[axis], w * along[axis], MASS_UNIT);
        square += along[axis] * along[axis];
    }
    tally_add(&sums->stiff, w * square, MASS_UNIT);
    if (g.w == 0)
        return;
    place_in(job, e, slot, part);
    tally_add(&sums->rest, g.w, REST_UNIT);
    for (int axis = 0; axis < 3; axis++)
        tally_add(&sums->tilt[axis], g.w * (part[axis] - 0.5f), REST_UNIT);
}

/* Where nobody bears anything all sums are 0. */
static void sum_cells(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const coarse_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        cell *e = &job->cells[k];
        cell_sums sums = {0};
        bool bear = bears_any(job, e);
        for (uint32_t n = e->first; bear && n < e->first + e->count; n++)
            add_particle(job, e, job->slots[n], &sums);
        e->mass = tally_value(sums.mass, MASS_UNIT);
        e->stiff = tally_value(sums.stiff, MASS_UNIT);
        e->rest = tally_value(sums.rest, REST_UNIT);
        for (int axis = 0; axis < 3; axis++) {
            e->lean[axis] = tally_value(sums.lean[axis], MASS_UNIT);
            e->tilt[axis] = tally_value(sums.tilt[axis], REST_UNIT);
        }
    }
}

/* Means over a cell of side 1 of products of two corners' functions f and h along one axis: f h, f' h', and the part of
 * f h' that is the same both ways round. */
static const float SAME[2][2] = {{1 / 3.0f, 1 / 6.0f}, {1 / 6.0f, 1 / 3.0f}};
static const float STEEP[2][2] = {{1.0f, -1.0f}, {-1.0f, 1.0f}};
static const float TURNED[2][2] = {{-0.5f, 0.0f}, {0.0f, 0.5f}};

/* Of two corners: what stands before the cell's sums. */
typedef struct pair_means {
    float laplace, lean[3], same;
} pair_means;

static void find_means(pair_means means[8][8])
{
    for (uint32_t a = 0; a < 8; a++)
        for (uint32_t b = 0; b < 8; b++) {
            const uint32_t ax = a & 1, ay = a >> 1 & 1, az = a >> 2, bx = b & 1, by = b >> 1 & 1, bz = b >> 2;
            const float x = SAME[ax][bx], y = SAME[ay][by], z = SAME[az][bz];
            means[a][b] = (pair_means){STEEP[ax][bx] * y * z + x * STEEP[ay][by] * z + x * y * STEEP[az][bz],
                                       {TURNED[ax][bx] * y * z, x * TURNED[ay][by] * z, x * y * TURNED[az][bz]},
                                       x * y * z};
        }
}

/* What a cell adds to A for two of its corners. */
static float element(const coarse_job *job, const cell *e, const pair_means *m)
{
    float kappa = job->s->liquids.fluid.bulk * job->inverse, support = job->s->liquids.fluid.inverse_support;
    float lean = e->lean[0] * m->lean[0] + e->lean[1] * m->lean[1] + e->lean[2] * m->lean[2];
    return kappa * kappa * e->mass * m->laplace + 2.0f * kappa * support * lean +
           support * support * e->stiff * m->same;
}

/* Where a cell's corner b is beside its corner a, among the 27. */
static int place_beside(uint32_t a, uint32_t b)
{
    return HERE + ((int)(b & 1) - (int)(a & 1)) + 3 * ((int)(b >> 1 & 1) - (int)(a >> 1 & 1)) +
           9 * ((int)(b >> 2) - (int)(a >> 2));
}

static void make_rows(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const coarse_job *job = context;
    pair_means means[8][8];
    (void)worker;
    find_means(means);
    for (uint32_t n = begin; n < end; n++) {
        node *v = &job->nodes[n];
        memset(v->a, 0, sizeof v->a);
        for (int k = 0; k < 27; k++)
            v->beside[k] = n; /* times 0 */
        for (uint32_t corner = 0; corner < 8; corner++)
            for (uint32_t other = 0; v->cell[corner] != NONE && other < 8; other++) {
                const cell *e = &job->cells[v->cell[corner]];
                if (e->mass == 0)
                    break; /* it adds nothing */
                int k = place_beside(corner, other);
                v->beside[k] = e->node[other];
                v->a[k] += element(job, e, &means[corner][other]);
            }
        float sum = 0.0f;
        for (int k = 0; k < 27; k++)
            sum += fabsf(v->a[k]);
        v->over = sum > 0 ? 1.0f / sum : 0.0f;
    }
}

static coarse_job job_of(mote_world *world, const mt_substep *s)
{
    const mt_coarse *c = &world->scratch->liquids.coarse;
    return (coarse_job){.s = s,
                        .cells = c->cells.data,
                        .nodes = c->nodes.data,
                        .step = {c->step[0].data, c->step[1].data},
                        .slots = c->slots.data,
                        .inverse = 1.0f / (CELL * s->liquids.fluid.radius)};
}

mote_result mt_coarse_begin(mote_world *world, const mt_substep *s)
{
    mt_coarse *c = &world->scratch->liquids.coarse;
    float inverse = 1.0f / (CELL * s->liquids.fluid.radius);
    MT_TRY(mt_array_reserve(&c->cell_of, &world->memory, s->count, 0));
    MT_TRY(mt_array_reserve(&c->slots, &world->memory, s->count, 0));
    MT_TRY(reserve(world, c, s->count / 32 + 64, s->count / 16 + 512));
    while (!find_cells(c, s, inverse))
        MT_TRY(reserve(world, c, 2 * c->cells.capacity, 2 * c->nodes.capacity));
    sort_particles(c, s);
    return MOTE_OK;
}

/* ---- the guess ------------------------------------------------------------------------------------------- */

/* b, of which what is trilinear beyond linear is left out, and the first step. */
static void start(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const coarse_job *job = context;
    (void)worker;
    for (uint32_t n = begin; n < end; n++) {
        node *v = &job->nodes[n];
        float b = 0.0f;
        for (uint32_t corner = 0; v->over > 0 && corner < 8; corner++) {
            if (v->cell[corner] == NONE)
                continue;
            const cell *e = &job->cells[v->cell[corner]];
            b += 0.125f * e->rest;
            for (int axis = 0; axis < 3; axis++)
                b += ((corner >> axis & 1) != 0 ? 0.25f : -0.25f) * e->tilt[axis];
        }
        v->residual = b * v->over;
        v->x = job->step[0][n] = v->residual * job->add;
        job->step[1][n] = 0.0f;
    }
}

static void sweep(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const coarse_job *job = context;
    const float *from = job->step[job->from];
    float *to = job->step[1 - job->from];
    (void)worker;
    for (uint32_t n = begin; n < end; n++) {
        node *v = &job->nodes[n];
        float sum = 0.0f;
        if (v->over == 0)
            continue; /* nothing bears around it: all of it is 0 and stays so */
        for (int k = 0; k < 27; k++)
            sum += v->a[k] * from[v->beside[k]];
        v->residual -= sum * v->over;
        to[n] = job->keep * from[n] + job->add * v->residual;
        v->x += to[n];
    }
}

/* All that is as dense as the liquid gets what the trilinear function says, also what bears nothing as yet: with gaps in
 * it, it would be a pressure of short waves, and that pushes many times as hard. */
static void give(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const coarse_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const cell *e = &job->cells[k];
        float x[8];
        if (e->mass == 0)
            continue;
        for (int corner = 0; corner < 8; corner++)
            x[corner] = job->nodes[e->node[corner]].x;
        for (uint32_t n = e->first; n < e->first + e->count; n++) {
            uint32_t slot = job->slots[n];
            float part[3], along[4];
            if (!bears(job->s, slot) && !(job->s->liquids.excess[slot] > -THIN))
                continue;
            place_in(job, e, slot, part);
            for (int pair = 0; pair < 4; pair++)
                along[pair] = x[2 * pair] + part[0] * (x[2 * pair + 1] - x[2 * pair]);
            float low = along[0] + part[1] * (along[1] - along[0]),
                  high = along[2] + part[1] * (along[3] - along[2]);
            job->s->liquids.guess[slot] = PART * job->s->liquids.fluid.light * (low + part[2] * (high - low)) *
                                          counted_part(job->s, slot);
        }
    }
}

void mt_coarse_guess(mote_world *world, mt_substep *s)
{
    const mt_coarse *c = &world->scratch->liquids.coarse;
    coarse_job job = job_of(world, s);
    /* Chebyshev's method for what is between 1 / SWEEPS^2 and 1 of the largest eigenvalue that there can be. */
    const float low = 1.0f / (float)(SWEEPS * SWEEPS), middle = 0.5f * (1.0f + low), half = 0.5f * (1.0f - low);
    float rho = half / middle;
    memset(s->liquids.guess, 0, s->slices * MT_SLICE * sizeof *s->liquids.guess);
    if (!s->liquids.guesses)
        return;
    mt_parallel_for(&world->threads, c->cell_count, BLOCK_CELLS, sum_cells, &job);
    mt_parallel_for(&world->threads, c->node_count, BLOCK_NODES, make_rows, &job);
    job.add = 1.0f / middle;
    mt_parallel_for(&world->threads, c->node_count, BLOCK_NODES, start, &job);
    for (int k = 1; k < SWEEPS; k++) {
        float next = 1.0f / (2.0f * middle / half - rho);
        job.keep = next * rho;
        job.add = 2.0f * next / half;
        mt_parallel_for(&world->threads, c->node_count, BLOCK_NODES, sweep, &job);
        job.from = 1 - job.from;
        rho = next;
    }
    mt_parallel_for(&world->threads, c->cell_count, BLOCK_CELLS, give, &job);
}
