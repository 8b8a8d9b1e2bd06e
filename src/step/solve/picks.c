#include "step/solve/picks.h"

#include "base/vec.h"
#include "world/check.h"

#include <string.h>

/* What a pick gave: in this substep, kg m (impulse times h), and in the whole step, N. */
typedef struct pull {
    mote_vec3 given, sum;
} pull;

static pull *pulls(const mote_world *world)
{
    return world->scratch->pick_pulls.data;
}

mote_result mt_picks_begin(mote_world *world)
{
    MT_TRY(mt_array_reserve(&world->scratch->pick_pulls, &world->memory, world->picks.count, 0));
    if (world->picks.count > 0)
        memset(pulls(world), 0, world->picks.count * sizeof(pull));
    return MOTE_OK;
}

/* With alpha the compliance over h^2, lambda = (target - x) / (w + alpha) is the impulse times h, and x
 * moves by w lambda. */
static void solve_pick(const mt_substep *s, const mote_pick_def *def, uint32_t slot, pull *p)
{
    float w = s->particles.transport[slot].w, alpha = def->compliance * (s->inverse_h * s->inverse_h);
    p->given = (mote_vec3){0.0f, 0.0f, 0.0f};
    if (w == 0)
        return;
    mote_vec4 *x = &s->particles.predicted[slot];
    p->given = mt_scale(mt_sub(def->target, mt_xyz(*x)), 1.0f / (w + alpha));
    float size = mt_length(p->given), most = def->max_force * s->h * s->h;
    if (size > most)
        p->given = mt_scale(p->given, most / size);
    *x = (mote_vec4){x->x + w * p->given.x, x->y + w * p->given.y, x->z + w * p->given.z, x->w};
}

void mt_picks_solve(mote_world *world, const mt_substep *s)
{
    for (uint32_t i = 0; i < world->picks.count; i++) {
        const mote_pick_def *def = &mt_picks(world)[i].def;
        uint32_t slot =
            mt_handles_find(&world->particles.handles, def->particle.index, def->particle.generation);
        if (slot != MT_NO_SLOT)
            solve_pick(s, def, slot, &pulls(world)[i]);
    }
}

mote_vec3 *mt_pick_given(mote_world *world, uint32_t pick)
{
    return &pulls(world)[pick].given;
}

void mt_picks_sum(mote_world *world, const mt_substep *s)
{
    float scale = s->inverse_h * s->inverse_h / (float)world->settings.substeps;
    for (uint32_t i = 0; i < world->picks.count; i++)
        pulls(world)[i].sum = mt_add(pulls(world)[i].sum, mt_scale(pulls(world)[i].given, scale));
}

void mt_picks_commit(mote_world *world)
{
    for (uint32_t i = world->picks.count; i > 0; i--) {
        mt_pick *pick = &mt_picks(world)[i - 1];
        pick->force = pulls(world)[i - 1].sum;
        if (!mote_particle_is_valid(world, pick->def.particle))
            mt_table_remove(&world->picks, i - 1);
    }
}
