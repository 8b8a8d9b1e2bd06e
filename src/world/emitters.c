/* Emitters: the table, and letting particles out. Each keeps the ids of its particles in the order of their
 * birth, in a ring as long as it may have particles, so that the oldest can make room without a search. */
#include "base/error.h"
#include "base/vec.h"
#include "mote/query.h"
#include "world/check.h"
#include "world/emitter_layer.h"
#include "world/world.h"

#include <string.h>

#define LARGEST_LAYER 1e7f /* particles */
/* Layers that go on as in a pipe, whatever meets them. Without, a layer that comes a little too close to the
 * one before is pushed off, and the next one comes closer yet. */
#define GUIDED 2u

mote_emitter_def mote_default_emitter_def(void)
{
    return (mote_emitter_def){.form = MOTE_EMITTER_DISC,
                              .direction = {0.0f, -1.0f, 0.0f},
                              .side = {1.0f, 0.0f, 0.0f},
                              .radius = 0.1f,
                              .width = 0.2f,
                              .height = 0.2f,
                              .speed = 1.0f,
                              .phase = MOTE_PHASE_DEFAULT,
                              .most = 100000};
}

/* ---- checks -------------------------------------------------------------------------------------------- */

mote_result mt_emitter_check(const mote_emitter_def *def)
{
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_check_count("emitter.form", (uint32_t)def->form, 0, MOTE_EMITTER_FORM_COUNT - 1));
    MT_TRY(mt_check_vec3("emitter.position", def->position, MT_MAX_COORDINATE));
    MT_TRY(mt_check_vec3("emitter.direction", def->direction, 1e6f));
    MT_TRY(mt_check_vec3("emitter.side", def->side, 1e6f));
    MT_TRY(mt_check_range("emitter.radius", def->radius, 1e-6f, 1e4f));
    MT_TRY(mt_check_range("emitter.width", def->width, 1e-6f, 1e4f));
    MT_TRY(mt_check_range("emitter.height", def->height, 1e-6f, 1e4f));
    MT_TRY(mt_check_range("emitter.speed", def->speed, 1e-3f, 5e3f));
    MT_TRY(mt_check_count("emitter.most", def->most, 1, 100000000u));
    float length = mt_length(def->direction), across = mt_length(mt_cross(def->direction, def->side));
    if (length < 1e-6f)
        return mt_fail(MOTE_ERROR_ARGUMENT, "emitter.direction has no length");
    if (def->form == MOTE_EMITTER_RECTANGLE && across < 1e-3f * length * mt_length(def->side))
        return mt_fail(MOTE_ERROR_ARGUMENT, "emitter.side has no part across emitter.direction");
    if (def->form == MOTE_EMITTER_RECTANGLE && mt_length(def->side) < 1e-6f)
        return mt_fail(MOTE_ERROR_ARGUMENT, "emitter.side has no length");
    return MOTE_OK;
}

static mote_result check_layer(const mote_emitter_def *def, float r)
{
    MT_TRY(mt_emitter_check(def));
    float area = def->form == MOTE_EMITTER_DISC ? 4.0f * def->radius * def->radius : def->width * def->height;
    if (area / (4.0f * r * r) > LARGEST_LAYER)
        return mt_fail(MOTE_ERROR_LIMIT,
                       "emitter.%s: the opening takes more than %g particles of radius %g at a time",
                       def->form == MOTE_EMITTER_DISC ? "radius" : "width", (double)LARGEST_LAYER, (double)r);
    return MOTE_OK;
}

static mote_particle_def drop_of(const mote_world *world, const mote_emitter_def *def)
{
    float r = world->radius;
    mote_particle_def drop = mote_default_particle_def();
    drop.radius = r;
    drop.mass = world->materials[def->material.index].density * (8.0f * r * r * r);
    drop.material = def->material;
    drop.phase = def->phase;
    drop.position = def->position;
    return drop;
}

/* The middles of a layer's particles must be out of every shape by half a radius. */
static mote_result check_free(const mote_world *world, const mote_emitter_def *def,
                              const mt_emitter_layer *layer)
{
    mote_query_filter filter = mote_default_query_filter();
    filter.particles = false;
    filter.channels = (def->phase & MOTE_PHASE_CHANNEL_MASK) >> MOTE_PHASE_CHANNEL_SHIFT;
    mt_emitter_cursor cursor = {0};
    mote_vec3 place;
    while (filter.channels != 0 && world->shapes.count > 0 && mt_emitter_layer_next(layer, &cursor, &place)) {
        mote_shape_id shape;
        mote_overlap_result found = {.shapes = &shape, .shape_capacity = 1};
        MT_TRY(mote_overlap_sphere(world, place, 0.5f * world->radius, &filter, &found));
        if (found.shape_count > 0)
            return mt_fail(MOTE_ERROR_ARGUMENT,
                           "emitter.position: the opening is inside shape %u (generation %u), at (%g, %g, %g)",
                           shape.index, shape.generation & MT_GENERATION_MASK, (double)place.x, (double)place.y,
                           (double)place.z);
    }
    return MOTE_OK;
}

static mote_result check_new(const mote_world *world, const mote_emitter_def *def)
{
    MT_TRY(check_layer(def, world->radius));
    uint32_t material = 0;
    MT_TRY(mt_material_resolve(world, def->material, "emitter.material", &material));
    if (!world->materials[material].fluid || def->material.generation == 0)
        return mt_fail(MOTE_ERROR_ARGUMENT, "emitter.material '%s' is no fluid",
                       world->materials[material].name);
    mote_particle_def drop = drop_of(world, def);
    MT_TRY(mt_particle_check(world, &drop));
    mt_emitter_layer layer = mt_emitter_layer_make(def, world->radius);
    if (layer.count > def->most)
        return mt_fail(MOTE_ERROR_ARGUMENT, "emitter.most is %u, less than the %u particles of a layer",
                       def->most, layer.count);
    return check_free(world, def, &layer);
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static mote_result find_emitter(const mote_world *world, mote_emitter_id emitter, uint32_t *slot)
{
    *slot = mt_handles_find(&world->emitters.handles, emitter.index, emitter.generation);
    if (*slot == MT_NO_SLOT)
        return mt_handle_refused(&world->emitters.handles, "emitter handle", emitter.index, emitter.generation);
    return MOTE_OK;
}

static mote_result add_emitter(mote_world *world, const mote_emitter_def *def, mote_emitter_id *id)
{
    MT_TRY(mt_enter(world, "mote_emitter_add"));
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(check_new(world, def));
    size_t ring = world->emitted_count;
    MT_TRY(mt_array_reserve(&world->emitted, &world->memory, ring + def->most, ring));
    uint32_t room = world->max_particles - world->particles.count;
    MT_TRY(mt_particles_reserve(world, world->particles.count + (def->most < room ? def->most : room)));
    mt_handle handle;
    MT_TRY(mt_table_add(world, MT_EMITTERS, &handle));
    *id = (mote_emitter_id){handle.index, handle.generation};
    mt_emitter_layer layer = mt_emitter_layer_make(def, world->radius);
    memset(mt_emitted(world) + ring, 0, def->most * sizeof(mote_particle_id));
    world->emitted_count += def->most;
    mt_emitters(world)[world->emitters.count - 1] =
        (mt_emitter){.id = *id, .def = *def, .gone = layer.spacing, .first = (uint32_t)ring};
    return MOTE_OK;
}

mote_emitter_id mote_emitter_add(mote_world *world, const mote_emitter_def *def)
{
    mote_emitter_id id = {0, 0};
    return add_emitter(world, def, &id) == MOTE_OK ? id : (mote_emitter_id){0, 0};
}

mote_result mote_emitter_get(const mote_world *world, mote_emitter_id emitter, mote_emitter_def *def)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("def", def));
    uint32_t slot;
    MT_TRY(find_emitter(world, emitter, &slot));
    *def = mt_emitters(world)[slot].def;
    return MOTE_OK;
}

mote_result mote_emitter_remove(mote_world *world, mote_emitter_id emitter)
{
    MT_TRY(mt_enter(world, "mote_emitter_remove"));
    uint32_t slot;
    MT_TRY(find_emitter(world, emitter, &slot));
    uint32_t first = mt_emitters(world)[slot].first, most = mt_emitters(world)[slot].def.most;
    mote_particle_id *ring = mt_emitted(world) + first;
    world->emitted_count -= most;
    memmove(ring, ring + most, (world->emitted_count - first) * sizeof *ring);
    mt_table_remove(&world->emitters, slot);
    for (uint32_t i = slot; i < world->emitters.count; i++)
        mt_emitters(world)[i].first -= most;
    return MOTE_OK;
}

bool mote_emitter_is_valid(const mote_world *world, mote_emitter_id emitter)
{
    return world != NULL &&
           mt_handles_find(&world->emitters.handles, emitter.index, emitter.generation) != MT_NO_SLOT;
}

mote_result mote_emitter_layer(const mote_emitter_def *def, float radius, mote_vec3 *places, size_t capacity,
                               size_t *count, float *spacing)
{
    MT_TRY(mt_check_pointer("count", count));
    MT_TRY(capacity > 0 ? mt_check_pointer("places", places) : MOTE_OK);
    MT_TRY(mt_radius_check("radius", radius));
    MT_TRY(check_layer(def, radius));
    mt_emitter_layer layer = mt_emitter_layer_make(def, radius);
    mt_emitter_cursor cursor = {0};
    mote_vec3 place;
    for (size_t i = 0; i < capacity && mt_emitter_layer_next(&layer, &cursor, &place); i++)
        places[i] = place;
    *count = layer.count;
    if (spacing != NULL)
        *spacing = layer.spacing;
    return MOTE_OK;
}

/* ---- letting particles out ----------------------------------------------------------------------------- */

static mote_particle_id *ring_entry(const mote_world *world, const mt_emitter *e, uint32_t number)
{
    return &mt_emitted(world)[e->first + (e->start + number) % e->def.most];
}

/* Forgets those that others have removed, but for the guided ones, which are known by their place in the
 * ring. */
static void forget_dead(const mote_world *world, mt_emitter *e, uint32_t layer)
{
    uint32_t kept = 0, guided = e->guided * layer;
    for (uint32_t i = 0; i < e->count; i++) {
        mote_particle_id id = *ring_entry(world, e, i);
        if (i + guided >= e->count || mote_particle_is_valid(world, id))
            *ring_entry(world, e, kept++) = id;
    }
    e->count = kept;
}

static void remove_oldest(mote_world *world, mt_emitter *e)
{
    mote_particle_id id = mt_emitted(world)[e->first + e->start];
    e->start = (e->start + 1) % e->def.most;
    e->count--;
    if (mote_particle_is_valid(world, id))
        mote_particle_remove(world, id);
}

/* False if there is no room. */
static bool let_out(mote_world *world, mt_emitter *e, const mote_particle_def *drop)
{
    while (e->count > 0 && (e->count == e->def.most || world->particles.count >= world->max_particles))
        remove_oldest(world, e);
    if (world->particles.count >= world->max_particles)
        return false; /* full of what others made */
    mote_particle_id id = mote_particle_add(world, drop);
    if (mote_is_null(id))
        return false; /* it would be out of space */
    *ring_entry(world, e, e->count++) = id;
    return true;
}

/* How far a layer has come, and how fast it is, that went through the opening and on by `gone` metres. */
static mote_vec3 way_of(const mote_world *world, const mt_emitter *e, const mt_emitter_layer *layer, float gone,
                        mote_vec3 *velocity)
{
    float age = gone / e->def.speed;
    mote_vec3 g = world->settings.gravity;
    *velocity = mt_add(mt_scale(layer->direction, e->def.speed), mt_scale(g, age));
    return mt_add(mt_scale(layer->direction, gone), mt_scale(g, 0.5f * age * age));
}

static void let_out_layer(mote_world *world, mt_emitter *e, const mt_emitter_layer *layer, float gone)
{
    mote_particle_def drop = drop_of(world, &e->def);
    mote_vec3 way = way_of(world, e, layer, gone, &drop.velocity), place;
    mt_emitter_cursor cursor = {0};
    bool whole = true;
    while (mt_emitter_layer_next(layer, &cursor, &place)) {
        drop.position = mt_add(place, way);
        whole = let_out(world, e, &drop) && whole;
    }
    uint32_t guided = whole ? e->guided + 1 : 0, most = e->count / layer->count;
    guided = guided < GUIDED ? guided : GUIDED;
    e->guided = guided < most ? guided : most;
}

/* Puts a layer that is in the opening, the k-th from the newest, where it is to be. */
static void guide_layer(mote_world *world, mt_emitter *e, const mt_emitter_layer *layer, uint32_t k)
{
    mote_vec3 velocity, way = way_of(world, e, layer, e->gone + layer->spacing * (float)k, &velocity), place;
    mt_emitter_cursor cursor = {0};
    uint32_t number = e->count - (k + 1) * layer->count;
    for (; mt_emitter_layer_next(layer, &cursor, &place); number++) {
        mote_particle_id id = *ring_entry(world, e, number);
        uint32_t slot = mt_handles_find(&world->particles.handles, id.index, id.generation);
        if (slot == MT_NO_SLOT)
            continue;
        mote_vec4 *x = &mt_positions(world)[slot], *v = &mt_velocities(world)[slot];
        place = mt_add(place, way);
        *x = (mote_vec4){place.x, place.y, place.z, x->w};
        *v = (mote_vec4){velocity.x, velocity.y, velocity.z, v->w};
    }
}

mote_result mote_emitter_run(mote_world *world, mote_emitter_id emitter, float dt, size_t *emitted)
{
    MT_TRY(mt_enter(world, "mote_emitter_run"));
    MT_TRY(mt_check_range("dt", dt, MOTE_MIN_DT, MOTE_MAX_DT));
    uint32_t slot, before = world->particles.count;
    MT_TRY(find_emitter(world, emitter, &slot));
    mt_emitter *e = &mt_emitters(world)[slot];
    mt_emitter_layer layer = mt_emitter_layer_make(&e->def, world->radius);
    float gone = e->gone, layers = floorf(gone / layer.spacing);
    float most = floorf((float)e->def.most / (float)layer.count); /* more would only push out their own kind */
    uint32_t count = (uint32_t)(layers < most ? layers : most);
    uint32_t room = world->max_particles - world->particles.count;
    uint64_t wanted = (uint64_t)count * layer.count;
    MT_TRY(mt_particles_reserve(world, before + (wanted < room ? (uint32_t)wanted : room)));
    if ((uint32_t)world->step_count - e->step != 1)
        e->guided = 0; /* it has stood still, or the world has */
    for (uint32_t k = 0; k < e->guided; k++)
        guide_layer(world, e, &layer, k);
    if (e->count + wanted > e->def.most || wanted > room)
        forget_dead(world, e, layer.count);
    gone -= layer.spacing * layers;
    for (uint32_t k = count; k > 0; k--) /* the first has gone furthest */
        let_out_layer(world, e, &layer, gone + layer.spacing * (float)(k - 1));
    e->gone = gone + e->def.speed * dt;
    e->step = (uint32_t)world->step_count;
    if (emitted != NULL)
        *emitted = world->particles.count > before ? world->particles.count - before : 0;
    return MOTE_OK;
}
