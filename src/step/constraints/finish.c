/* The end of a step for constraints: the forces that they had, and which of them broke. */
#include "step/constraints/constraints.h"
#include "world/check.h"

#define ROW_BLOCK 64u
#define AHEAD     16u /* constraints */

/* Sums of lambdas become mean forces. */
static void judge_rows(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mote_world *world = context;
    const mt_constraint_work *w = &world->scratch->constraints;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_constraint_row *row = &mt_constraint_rows(w)[k];
        row->broken = 0;
        for (uint32_t n = 0; n < 8; n++) {
            row->sum[n] *= w->force_scale;
            if ((row->lanes >> n & 1u) != 0 && fabsf(row->sum[n]) > row->break_force[n])
                row->broken |= (uint8_t)(1u << n);
        }
    }
}

/* Where many break at once, most of the time would go by waiting for memory. */
static void fetch(const mt_constraints *c, const uint32_t *indices, uint32_t k, uint32_t count)
{
    if (k + AHEAD >= count)
        return;
    const char *item = (const char *)&mt_constraint_items(c)[indices[k + AHEAD]];
    __builtin_prefetch(item);
    __builtin_prefetch(item + 64);
    __builtin_prefetch(&mt_constraint_links(c)[indices[k + AHEAD]]);
}

/* ---- the order of events -------------------------------------------------------------------------------- */

static uint64_t particle_key(const mt_constraint_end *end)
{
    return end->type == MOTE_END_PARTICLE ? end->index : 0;
}

/* Stable, by the byte at `shift` of the keys; false: they all have the same one, and nothing was done. */
static bool sort_by_byte(const mt_broken *from, mt_broken *to, uint32_t count, uint32_t shift)
{
    uint32_t start[257] = {0};
    for (uint32_t k = 0; k < count; k++)
        start[(from[k].key >> shift & 0xFF) + 1]++;
    for (uint32_t k = 0; k < 256; k++) {
        if (start[k + 1] == count)
            return false;
        start[k + 1] += start[k];
    }
    for (uint32_t k = 0; k < count; k++)
        to[start[from[k].key >> shift & 0xFF]++] = from[k];
    return true;
}

/* As their events are sorted, by the first two particles: large events then need not be moved about. */
static mote_result sort_broken(mote_world *world, mt_constraint_work *w)
{
    uint32_t *broken = w->broken.data, count = w->broken_count;
    MT_TRY(mt_array_reserve(&w->broken_keys, &world->memory, 2 * (size_t)count, 0));
    mt_broken *from = w->broken_keys.data, *to = from + count;
    for (uint32_t k = 0; k < count; k++) {
        fetch(&world->constraints, broken, k, count);
        const mt_constraint_end *ends = mt_constraint_items(&world->constraints)[broken[k]].ends;
        from[k] = (mt_broken){particle_key(&ends[0]) << 32 | particle_key(&ends[1]), broken[k], 0};
    }
    for (uint32_t shift = 0; shift < 64; shift += 8)
        if (sort_by_byte(from, to, count, shift)) {
            mt_broken *swap = from;
            from = to;
            to = swap;
        }
    for (uint32_t k = 0; k < count; k++)
        broken[k] = from[k].constraint;
    return MOTE_OK;
}

mote_result mt_constraints_judge(mote_world *world)
{
    mt_constraint_work *w = &world->scratch->constraints;
    uint32_t *broken = w->broken.data;
    w->broken_count = 0;
    if (w->row_count == 0)
        return MOTE_OK;
    mt_parallel_for(&world->threads, w->row_count, ROW_BLOCK, judge_rows, world);
    for (uint32_t k = 0; k < w->row_count; k++) {
        const mt_constraint_row *row = &mt_constraint_rows(w)[k];
        for (uint32_t rest = row->broken; rest != 0; rest &= rest - 1)
            broken[w->broken_count++] = row->constraint[__builtin_ctz(rest)];
    }
    return w->broken_count > 1 ? sort_broken(world, w) : MOTE_OK;
}

/* ---- for good ------------------------------------------------------------------------------------------- */

static void commit_rows(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mote_world *world = context;
    const mt_constraint_work *w = &world->scratch->constraints;
    mt_constraint_result *results = mt_constraint_results(&world->constraints);
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_constraint_row *row = &mt_constraint_rows(w)[k];
        for (uint32_t rest = row->lanes; rest != 0; rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest);
            results[row->constraint[n]] = (mt_constraint_result){row->sum[n], row->tension[n], -row->lambda[n]};
        }
    }
}

void mt_constraints_commit(mote_world *world)
{
    const mt_constraint_work *w = &world->scratch->constraints;
    if (w->row_count == 0)
        return;
    mt_parallel_for(&world->threads, w->row_count, ROW_BLOCK, commit_rows, world);
    const uint32_t *broken = w->broken.data;
    for (uint32_t k = 0; k < w->broken_count; k++) {
        fetch(&world->constraints, broken, k, w->broken_count);
        mt_constraint_drop(world, broken[k]);
    }
}
