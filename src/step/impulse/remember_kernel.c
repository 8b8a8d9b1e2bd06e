/* What contacts of the set bear, row by row: who bears something, and what it is. */
#include "base/lanes3.h"
#include "step/impulse/remember.h"
#include "step/kernels.h"
#include "world/check.h"

LANE_FUNCTION lane_mask is_zero(const float *from)
{
    lanes value = lanes_load(from), zero = lanes_all(0.0f);
    return lanes_at_most(value, zero) & lanes_at_least(value, zero);
}

/* Bits of the lanes that bear something. */
LANE_FUNCTION uint32_t with_impulse(const mt_contact_row *row)
{
    lane_mask nothing =
        is_zero(row->impulse) & is_zero(row->friction_x) & is_zero(row->friction_y) & is_zero(row->friction_z);
    return lanes_bits(~nothing) & row->lanes;
}

/* Rows are gone through as they are in memory; only who bears something is looked up. */
void MT_KERNEL(remember_mark)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_remember_job *job = context;
    const mt_contact_row *rows = job->w->rows.all.data;
    const uint32_t *pair = job->w->rows.lane_pair.data;
    uint32_t *kept = job->w->kept.pairs.data;
    (void)worker;
    for (uint32_t r = begin; r < end; r++)
        for (uint32_t rest = mt_may_have_impulse(job->w, r) ? with_impulse(&rows[r]) : 0; rest != 0;
             rest &= rest - 1)
            kept[pair[(size_t)r * LANES + (uint32_t)__builtin_ctz(rest)]] = 1;
}

static void name_other(const mt_remember_job *job, const mt_pair *pair, mt_contact_impulse *to)
{
    if (pair->surface != 0) {
        mote_body_id body = mt_mover_body(job->world, ((const uint32_t *)job->w->movers.of.data)[pair->b]);
        to->kind = MT_CONTACT_BODY;
        to->other = body.index;
        to->other_generation = body.generation;
        return;
    }
    mote_particle_id other = mt_particle_ids(job->world)[pair->b];
    to->kind = MT_CONTACT_PARTICLE;
    to->other = other.index;
    to->other_generation = other.generation;
}

static void remember_lane(const mt_remember_job *job, uint32_t row, uint32_t n)
{
    const mt_impulses *w = job->w;
    const mt_contact_row *from = (const mt_contact_row *)w->rows.all.data + row;
    const mote_particle_id *id = mt_particle_ids(job->world);
    uint32_t k = ((const uint32_t *)w->rows.lane_pair.data)[(size_t)row * LANES + n];
    mt_contact_impulse *to =
        (mt_contact_impulse *)w->kept.remembered.data + ((const uint32_t *)w->kept.pairs.data)[k];
    if (row < w->rows.single_count) { /* loose particles are their own movers */
        mote_particle_id owner = id[from->a[n]], other = id[from->b[n]];
        *to = (mt_contact_impulse){
            owner.index, owner.generation, MT_CONTACT_PARTICLE, other.index, other.generation, {0, 0, 0}, 0,
            0,           {0, 0, 0}};
    } else {
        const mt_pair *pair = (const mt_pair *)w->search.pairs.data + k;
        *to = (mt_contact_impulse){.owner = id[pair->a].index, .owner_generation = id[pair->a].generation};
        name_other(job, pair, to);
    }
    mt_note_impulse(job, to, from, n);
}

void MT_KERNEL(remember_rows)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_remember_job *job = context;
    const mt_contact_row *rows = job->w->rows.all.data;
    (void)worker;
    for (uint32_t r = begin; r < end; r++)
        for (uint32_t rest = mt_may_have_impulse(job->w, r) ? with_impulse(&rows[r]) : 0; rest != 0;
             rest &= rest - 1)
            remember_lane(job, r, (uint32_t)__builtin_ctz(rest));
}
