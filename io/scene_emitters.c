/* What emitters emit before a frame: single particles, or streams of a liquid. */
#include "io/scene_file.h"

#include "io/json_tree.h"
#include "io/scene_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- single particles ----------------------------------------------------------------------------------- */

/* Particle k is emitted at start + k / rate. */
uint64_t scene_emitted(const scene_emitter *emitter, double time)
{
    bool ends = scene_given(&SCENE_EMITTERS, emitter, "end");
    if (ends && time >= emitter->end) /* those before the end */
        time = emitter->end - 0.5 / emitter->rate;
    if (time < emitter->start)
        return 0;
    double count = floor((time - emitter->start) * emitter->rate + 1e-9) + 1.0;
    if (emitter->limit > 0 && count > emitter->limit)
        count = emitter->limit;
    return count > 1e15 ? UINT64_C(1000000000000000) : (uint64_t)count;
}

/* Two unit vectors across a direction, made from the axis that is farthest from it. */
static void across(mote_vec3 n, mote_vec3 *u, mote_vec3 *v)
{
    mote_vec3 axis = fabsf(n.x) < 0.6f ? (mote_vec3){1, 0, 0} : (mote_vec3){0, 1, 0};
    *u = (mote_vec3){axis.y * n.z - axis.z * n.y, axis.z * n.x - axis.x * n.z, axis.x * n.y - axis.y * n.x};
    float length = (float)scene_length(*u);
    *u = (mote_vec3){u->x / length, u->y / length, u->z / length};
    *v = (mote_vec3){n.y * u->z - n.z * u->y, n.z * u->x - n.x * u->z, n.x * u->y - n.y * u->x};
}

/* The particle with the given number, as it is `age` seconds after it was emitted, if nothing met it. */
static mote_particle_def emitted_particle(const scene_description *d, const scene_emitter *emitter,
                                          uint64_t number, double age)
{
    scene_random random = scene_random_of(emitter->matter.seed, number);
    float length = (float)scene_length(emitter->direction);
    mote_vec3 n = {emitter->direction.x / length, emitter->direction.y / length, emitter->direction.z / length};
    mote_vec3 u, v;
    across(n, &u, &v);
    double x, y, reach = (double)emitter->nozzle * sqrt(scene_random_next(&random));
    scene_circle(scene_random_next(&random), &x, &y);
    float a = (float)(reach * x), b = (float)(reach * y), shake = emitter->jitter * emitter->speed;
    mote_particle_def def = mote_default_particle_def();
    def.velocity.x = n.x * emitter->speed + shake * (float)(2.0 * scene_random_next(&random) - 1.0);
    def.velocity.y = n.y * emitter->speed + shake * (float)(2.0 * scene_random_next(&random) - 1.0);
    def.velocity.z = n.z * emitter->speed + shake * (float)(2.0 * scene_random_next(&random) - 1.0);
    float gone = (float)age;
    def.position.x = emitter->position.x + a * u.x + b * v.x + gone * def.velocity.x;
    def.position.y = emitter->position.y + a * u.y + b * v.y + gone * def.velocity.y;
    def.position.z = emitter->position.z + a * u.z + b * v.z + gone * def.velocity.z;
    double spread = (double)emitter->matter.radius_spread * scene_random_next(&random);
    def.radius = scene_radius(d, &emitter->matter) * (float)(1.0 - spread);
    def.mass = scene_particle_mass(d, emitter->matter.material, def.radius);
    def.phase = scene_phase(&emitter->matter);
    return def;
}

static mote_result emit(const scene_description *d, const scene_emitter *emitter, mote_world *world,
                        uint32_t frame)
{
    double dt = scene_frame_seconds(d), now = frame * dt;
    uint64_t before = frame > 0 ? scene_emitted(emitter, (frame - 1.0) * dt) : 0;
    uint64_t after = scene_emitted(emitter, now);
    mote_material_id material = scene_material_id(d, world, emitter->matter.material);
    for (uint64_t number = before; number < after; number++) {
        if (mote_particle_count(world) >= d->world.max_particles)
            return MOTE_OK; /* there is no room; what would have come is left out */
        double age = now - (emitter->start + (double)number / emitter->rate);
        mote_particle_def def = emitted_particle(d, emitter, number, age > 0.0 ? age : 0.0);
        def.material = material;
        if (mote_is_null(mote_particle_add(world, &def)))
            return mote_last_result();
    }
    return MOTE_OK;
}

/* ---- streams -------------------------------------------------------------------------------------------- */

bool scene_is_stream(const scene_description *d, const scene_emitter *emitter)
{
    return scene_material_is_fluid(d, emitter->matter.material) &&
           !scene_given(&SCENE_EMITTERS, emitter, "rate");
}

static bool flows(const scene_emitter *emitter, double time)
{
    return time >= emitter->start && (!scene_given(&SCENE_EMITTERS, emitter, "end") || time < emitter->end);
}

/* All but the material. */
static mote_emitter_def stream_def(const scene_emitter *emitter)
{
    mote_emitter_def def = mote_default_emitter_def();
    def.form = emitter->width > 0.0f ? MOTE_EMITTER_RECTANGLE : MOTE_EMITTER_DISC;
    def.position = emitter->position;
    def.direction = emitter->direction;
    def.side = emitter->side;
    if (emitter->width > 0.0f) {
        def.width = emitter->width;
        def.height = emitter->height;
    } else {
        def.radius = emitter->nozzle;
    }
    def.speed = emitter->speed;
    def.phase = scene_phase(&emitter->matter);
    def.most = emitter->most;
    return def;
}

uint64_t scene_streamed(const scene_description *d, const scene_emitter *emitter, uint32_t frames)
{
    mote_emitter_def def = stream_def(emitter);
    size_t count;
    float spacing, dt = scene_frame_seconds(d);
    if (mote_emitter_layer(&def, d->world.radius, NULL, 0, &count, &spacing) != MOTE_OK)
        return 0;
    uint64_t layers = 0;
    float gone = spacing; /* as the library does it */
    for (uint32_t frame = 0; frame < frames; frame++)
        if (flows(emitter, frame * (double)dt)) {
            float now = floorf(gone / spacing);
            layers += (uint64_t)now;
            gone = gone - spacing * now + emitter->speed * dt;
        }
    return layers * count < emitter->most ? layers * count : emitter->most;
}

static mote_emitter_id add_stream(const scene_description *d, const scene_emitter *emitter, mote_world *world)
{
    mote_emitter_def def = stream_def(emitter);
    def.material = scene_material_id(d, world, emitter->matter.material);
    return mote_emitter_add(world, &def);
}

mote_result scene_add_streams(scene_file *file, mote_world *world, scene_faults *faults)
{
    const scene_description *d = &file->description;
    const scene_emitter *emitters = d->emitters.items;
    if (file->emitter_ids == NULL)
        file->emitter_ids = calloc(d->emitters.count + 1, sizeof *file->emitter_ids);
    if (file->emitter_ids == NULL)
        return MOTE_ERROR_MEMORY;
    for (size_t i = 0; i < d->emitters.count; i++) {
        if (!scene_is_stream(d, &emitters[i]))
            continue;
        file->emitter_ids[i] = add_stream(d, &emitters[i], world);
        if (!mote_is_null(file->emitter_ids[i]))
            continue;
        char path[SCENE_PATH];
        snprintf(path, sizeof path, "emitters[%zu]", i);
        if (faults != NULL)
            scene_error(faults, json_line(emitters[i].item.node), path, "%s", mote_last_error());
        return mote_last_result();
    }
    return MOTE_OK;
}

/* Drops that begin inside of a shape would be pressed out of it, and be fast. */
static void find_buried_rain(const scene_description *d, const mote_world *world, scene_faults *faults)
{
    const scene_emitter *emitters = d->emitters.items;
    mote_query_filter filter = mote_default_query_filter();
    filter.particles = false;
    for (size_t i = 0; i < d->emitters.count; i++) {
        mote_shape_id shape;
        mote_overlap_result found = {.shapes = &shape, .shape_capacity = 1};
        if (scene_is_stream(d, &emitters[i]) || !scene_material_is_fluid(d, emitters[i].matter.material) ||
            mote_overlap_sphere(world, emitters[i].position, 0.5f * d->world.radius, &filter, &found) !=
                MOTE_OK ||
            found.shape_count == 0)
            continue;
        char path[SCENE_PATH];
        snprintf(path, sizeof path, "emitters[%zu].position", i);
        scene_error(faults, json_line(emitters[i].item.node), path, "the drops begin inside of a shape");
    }
}

void scene_try_streams(scene_file *file, scene_faults *faults)
{
    const scene_description *d = &file->description;
    const scene_emitter *emitters = d->emitters.items;
    bool any = false;
    for (size_t i = 0; i < d->emitters.count; i++)
        any = any || scene_material_is_fluid(d, emitters[i].matter.material);
    if (!any)
        return;
    mote_world_def def = scene_world_def(file);
    def.thread_count = 1;
    mote_world *world = NULL;
    /* If the shapes cannot be made, building the scene will say so. */
    if (mote_world_create(&def, &world) == MOTE_OK && scene_build_surroundings(file, world) == MOTE_OK) {
        scene_add_streams(file, world, faults);
        find_buried_rain(d, world, faults);
    }
    mote_world_destroy(world);
}

/* ---- all ------------------------------------------------------------------------------------------------ */

mote_result scene_emit(const scene_file *file, mote_world *world, uint32_t frame)
{
    const scene_description *d = &file->description;
    const scene_emitter *emitters = d->emitters.items;
    float dt = scene_frame_seconds(d);
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < d->emitters.count && result == MOTE_OK; i++) {
        if (!scene_is_stream(d, &emitters[i]))
            result = emit(d, &emitters[i], world, frame);
        else if (flows(&emitters[i], frame * (double)dt))
            result = mote_emitter_run(world, file->emitter_ids[i], dt, NULL);
    }
    return result;
}
