/* The table of materials. */
#include "base/error.h"
#include "world/check.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

mote_material_def mote_default_material_def(void)
{
    return (mote_material_def){
        .name = "",
        .density = 1000.0f,
        .static_friction = 0.5f,
        .kinetic_friction = 0.4f,
        .color = 0xC8B28C,
    };
}

static mote_result check_material(const mote_material_def *def)
{
    MT_TRY(mt_check_positive("material.density", def->density, 1e9f));
    MT_TRY(mt_check_range("material.kinetic_friction", def->kinetic_friction, 0.0f, 1e3f));
    MT_TRY(mt_check_range("material.static_friction", def->static_friction, 0.0f, 1e3f));
    if (def->static_friction < def->kinetic_friction)
        return mt_fail(MOTE_ERROR_ARGUMENT, "material.static_friction is %g, below kinetic_friction, %g",
                       (double)def->static_friction, (double)def->kinetic_friction);
    MT_TRY(mt_check_range("material.restitution", def->restitution, 0.0f, 1.0f));
    MT_TRY(mt_check_range("material.adhesion", def->adhesion, 0.0f, 1e9f));
    MT_TRY(mt_check_range("material.compliance", def->compliance, 0.0f, 1e6f));
    MT_TRY(mt_check_range("material.viscosity", def->viscosity, 0.0f, 1e6f));
    MT_TRY(mt_check_range("material.xsph", def->xsph, 0.0f, 1.0f));
    MT_TRY(mt_check_range("material.vorticity", def->vorticity, 0.0f, 1e3f));
    MT_TRY(mt_check_range("material.surface_tension", def->surface_tension, 0.0f, 1e6f));
    MT_TRY(mt_check_range("material.tensile_correction", def->tensile_correction, 0.0f, 1.0f));
    if (def->name != NULL && strlen(def->name) >= MT_NAME_SIZE)
        return mt_fail(MOTE_ERROR_ARGUMENT, "material.name '%.40s' is longer than %d bytes", def->name,
                       MT_NAME_SIZE - 1);
    return MOTE_OK;
}

static mt_material material_from(const mote_material_def *def)
{
    mt_material material = {
        .density = def->density,
        .static_friction = def->static_friction,
        .kinetic_friction = def->kinetic_friction,
        .restitution = def->restitution,
        .adhesion = def->adhesion,
        .compliance = def->compliance,
        .viscosity = def->viscosity,
        .xsph = def->xsph,
        .vorticity = def->vorticity,
        .surface_tension = def->surface_tension,
        .tensile_correction = def->tensile_correction,
        .fluid = def->fluid,
        .rolls = def->rolls,
        .report_contacts = def->report_contacts,
        .color = def->color,
    };
    if (def->name != NULL)
        memcpy(material.name, def->name, strlen(def->name));
    return material;
}

bool mt_material_fits(const mt_material *m)
{
    mote_material_def def = {.density = m->density,
                             .static_friction = m->static_friction,
                             .kinetic_friction = m->kinetic_friction,
                             .restitution = m->restitution,
                             .adhesion = m->adhesion,
                             .compliance = m->compliance,
                             .viscosity = m->viscosity,
                             .xsph = m->xsph,
                             .vorticity = m->vorticity,
                             .surface_tension = m->surface_tension,
                             .tensile_correction = m->tensile_correction};
    return m->name[MT_NAME_SIZE - 1] == '\0' && m->report_contacts <= 1 && m->fluid <= 1 && m->rolls <= 1 &&
           check_material(&def) == MOTE_OK;
}

/* Materials are never removed, so a handle is the index with the one generation 1 and the world's number. */
static uint32_t generation_of(const mote_world *world)
{
    return mt_mark_of(world) | 1;
}

static mote_result find_material(const mote_world *world, mote_material_id material, const char *field,
                                 uint32_t *index)
{
    if (material.generation != generation_of(world) || material.index >= world->material_count) {
        char what[80];
        snprintf(what, sizeof what, "%s: material handle", field);
        return mt_handle_refused(&world->particles.handles, what, material.index, material.generation);
    }
    *index = material.index;
    return MOTE_OK;
}

mote_result mt_material_resolve(const mote_world *world, mote_material_id material, const char *field,
                                uint32_t *index)
{
    *index = 0;
    if (material.generation == 0 && material.index == 0)
        return MOTE_OK;
    return find_material(world, material, field, index);
}

static mote_result add_material(mote_world *world, const mote_material_def *def)
{
    MT_TRY(mt_enter(world, "mote_material_add"));
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(check_material(def));
    if (world->material_count >= MT_MAX_MATERIALS)
        return mt_fail(MOTE_ERROR_LIMIT, "there are %d materials already, the most that a world takes",
                       MT_MAX_MATERIALS);
    world->materials[world->material_count++] = material_from(def);
    return MOTE_OK;
}

mote_material_id mote_material_add(mote_world *world, const mote_material_def *def)
{
    if (add_material(world, def) != MOTE_OK)
        return (mote_material_id){0, 0};
    return mote_material_at(world, world->material_count - 1);
}

/* Particles that become a liquid have to be as large as those of a liquid are. */
static mote_result check_becomes_fluid(const mote_world *world, uint32_t index, const mote_material_def *def)
{
    if (!def->fluid || world->materials[index].fluid)
        return MOTE_OK;
    for (uint32_t slot = 0; slot < world->particles.count; slot++)
        if (mt_material_indices(world)[slot] == index)
            MT_TRY(
                mt_fluid_radius_check(world, "material.fluid: particle.radius", mt_positions(world)[slot].w));
    return MOTE_OK;
}

mote_result mote_material_set(mote_world *world, mote_material_id material, const mote_material_def *def)
{
    MT_TRY(mt_enter(world, "mote_material_set"));
    MT_TRY(mt_check_pointer("def", def));
    uint32_t index = 0;
    MT_TRY(find_material(world, material, "mote_material_set", &index));
    MT_TRY(check_material(def));
    MT_TRY(check_becomes_fluid(world, index, def));
    world->materials[index] = material_from(def);
    return mote_world_wake(world);
}

mote_result mote_material_get(const mote_world *world, mote_material_id material, mote_material_def *def)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("def", def));
    uint32_t index = 0;
    MT_TRY(find_material(world, material, "mote_material_get", &index));
    const mt_material *m = &world->materials[index];
    *def = (mote_material_def){
        .name = m->name,
        .density = m->density,
        .static_friction = m->static_friction,
        .kinetic_friction = m->kinetic_friction,
        .restitution = m->restitution,
        .adhesion = m->adhesion,
        .compliance = m->compliance,
        .viscosity = m->viscosity,
        .xsph = m->xsph,
        .vorticity = m->vorticity,
        .surface_tension = m->surface_tension,
        .tensile_correction = m->tensile_correction,
        .fluid = m->fluid != 0,
        .rolls = m->rolls != 0,
        .report_contacts = m->report_contacts != 0,
        .color = m->color,
    };
    return MOTE_OK;
}

mote_material_id mote_world_default_material(const mote_world *world)
{
    return mote_material_at(world, 0);
}

uint32_t mote_material_count(const mote_world *world)
{
    return world != NULL ? world->material_count : 0;
}

mote_material_id mote_material_at(const mote_world *world, uint32_t index)
{
    return index < mote_material_count(world) ? (mote_material_id){index, generation_of(world)}
                                              : (mote_material_id){0, 0};
}
