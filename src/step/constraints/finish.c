/* The end of a step for constraints: the forces that they had, and which of them broke. */
#include "step/constraints/constraints.h"
#include "world/check.h"

#define ROW_BLOCK 64u

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
    return MOTE_OK;
}

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
    for (uint32_t k = 0; k < w->broken_count; k++)
        mt_constraint_drop(world, ((const uint32_t *)w->broken.data)[k]);
}
