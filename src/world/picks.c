/* Picks: handles that drag particles. What they do in a step is in step/impulse/picks.c. */
#include "base/error.h"
#include "world/bodies.h"
#include "world/check.h"
#include "world/world.h"

mote_pick_def mote_default_pick_def(void)
{
    return (mote_pick_def){.compliance = 1e-4f, .max_force = 1e30f};
}

static mote_result find_particle(const mote_world *world, mote_particle_id particle, uint32_t *slot)
{
    *slot = mt_handles_find(&world->particles.handles, particle.index, particle.generation);
    if (*slot == MT_NO_SLOT)
        return mt_handle_refused(&world->particles.handles, "pick.particle", particle.index,
                                 particle.generation);
    return MOTE_OK;
}

static mote_result find_pick(const mote_world *world, mote_pick_id pick, mt_pick **found)
{
    MT_TRY(mt_check_pointer("world", world));
    uint32_t slot = mt_handles_find(&world->picks.handles, pick.index, pick.generation), particle;
    if (slot == MT_NO_SLOT)
        return mt_handle_refused(&world->picks.handles, "pick handle", pick.index, pick.generation);
    *found = &mt_picks(world)[slot];
    return find_particle(world, (*found)->def.particle, &particle);
}

mote_result mt_pick_check(const mote_pick_def *def)
{
    MT_TRY(mt_check_vec3("pick.target", def->target, MT_MAX_COORDINATE));
    MT_TRY(mt_check_range("pick.compliance", def->compliance, 0.0f, 1e12f));
    return mt_check_positive("pick.max_force", def->max_force, 1e30f);
}

static mote_result add_pick(mote_world *world, const mote_pick_def *def, mote_pick_id *id)
{
    MT_TRY(mt_enter(world, "mote_pick_add"));
    MT_TRY(mt_check_pointer("def", def));
    uint32_t particle;
    MT_TRY(find_particle(world, def->particle, &particle));
    MT_TRY(mt_pick_check(def));
    if (mt_is_driven(world, def->particle))
        return mt_fail(
            MOTE_ERROR_ARGUMENT,
            "pick.particle %u is in a driven body, which goes where it is driven and cannot be pulled",
            def->particle.index);
    mt_handle handle;
    MT_TRY(mt_table_add(world, MT_PICKS, &handle));
    *id = (mote_pick_id){handle.index, handle.generation};
    mt_picks(world)[world->picks.count - 1] = (mt_pick){.id = *id, .def = *def};
    mt_wake_slot(world, particle);
    return MOTE_OK;
}

mote_pick_id mote_pick_add(mote_world *world, const mote_pick_def *def)
{
    mote_pick_id id = {0, 0};
    return add_pick(world, def, &id) == MOTE_OK ? id : (mote_pick_id){0, 0};
}

mote_result mote_pick_get(const mote_world *world, mote_pick_id pick, mote_pick_def *def)
{
    mt_pick *found = NULL;
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(find_pick(world, pick, &found));
    *def = found->def;
    return MOTE_OK;
}

mote_result mote_pick_set_target(mote_world *world, mote_pick_id pick, mote_vec3 target)
{
    MT_TRY(mt_enter(world, "mote_pick_set_target"));
    mt_pick *found = NULL;
    MT_TRY(find_pick(world, pick, &found));
    MT_TRY(mt_check_vec3("pick.target", target, MT_MAX_COORDINATE));
    found->def.target = target;
    uint32_t particle;
    MT_TRY(find_particle(world, found->def.particle, &particle));
    mt_wake_slot(world, particle);
    return MOTE_OK;
}

mote_result mote_pick_remove(mote_world *world, mote_pick_id pick)
{
    MT_TRY(mt_enter(world, "mote_pick_remove"));
    mt_pick *found = NULL;
    MT_TRY(find_pick(world, pick, &found));
    mt_table_remove(&world->picks, (uint32_t)(found - mt_picks(world)));
    return MOTE_OK;
}

bool mote_pick_is_valid(const mote_world *world, mote_pick_id pick)
{
    if (world == NULL)
        return false;
    uint32_t slot = mt_handles_find(&world->picks.handles, pick.index, pick.generation);
    return slot != MT_NO_SLOT && mote_particle_is_valid(world, mt_picks(world)[slot].def.particle);
}

mote_result mote_pick_force(const mote_world *world, mote_pick_id pick, mote_vec3 *force)
{
    mt_pick *found = NULL;
    MT_TRY(mt_check_pointer("force", force));
    MT_TRY(find_pick(world, pick, &found));
    *force = found->force;
    return MOTE_OK;
}
