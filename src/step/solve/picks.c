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

void mt_picks_start(mote_world *world)
{
    for (uint32_t i = 0; i < world->picks.count; i++)
        pulls(world)[i].given = (mote_vec3){0.0f, 0.0f, 0.0f};
}

/* With lambda the impulse times h that it gave so far and alpha its compliance over h^2:
 * dlambda = (target - x - alpha lambda) / (w + alpha), and x moves by w dlambda. */
static void solve_pick(const mt_substep *s, const mote_pick_def *def, uint32_t slot, pull *p)
{
    float w = s->transport[slot].w, alpha = def->compliance * (s->inverse_h * s->inverse_h);
    if (w == 0)
        return;
    mote_vec4 *x = &s->predicted[slot];
    mote_vec3 gap = mt_sub(mt_sub(def->target, mt_xyz(*x)), mt_scale(p->given, alpha));
    mote_vec3 given = mt_add(p->given, mt_scale(gap, 1.0f / (w + alpha)));
    float size = mt_length(given), most = def->max_force * s->h * s->h;
    if (size > most)
        given = mt_scale(given, most / size);
    mote_vec3 move = mt_scale(mt_sub(given, p->given), w);
    p->given = given;
    *x = (mote_vec4){x->x + move.x, x->y + move.y, x->z + move.z, x->w};
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
            mt_table_remove(&world->picks, i - 1, offsetof(mt_pick, id));
    }
}
