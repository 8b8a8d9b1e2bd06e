/* Visits: which particles are in triggers, at the end of a step. A volume goes by the particle's centre, a shape by its
 * ball. */
#include "step/finish/finish.h"
#include "world/check.h"

#define TOUCH 1.01f /* radii: the solver leaves who touches about 1 away */

typedef struct visit_job {
    mote_world *world;
    mt_findings *found;
    bool shapes, volumes; /* some are triggers */
    bool everywhere;      /* one of the shapes has no box: a plane */
    mt_box box;           /* of the shapes that are triggers */
} visit_job;

static void add(mt_touch *to, uint32_t *count, mt_touch touch)
{
    if (to != NULL)
        to[*count] = touch;
    ++*count;
}

static bool is_near(const visit_job *job, mote_vec3 x, float reach)
{
    mt_box ball = mt_box_grow((mt_box){x, x}, reach);
    return job->everywhere || mt_box_overlap(&ball, &job->box);
}

static void look_at_shapes(const visit_job *job, uint32_t i, uint32_t *around, mt_touch *to, uint32_t *count)
{
    const mote_world *world = job->world;
    mote_vec4 x = mt_positions(world)[i];
    float reach = x.w * TOUCH;
    if (!is_near(job, mt_xyz(x), reach))
        return;
    uint32_t channels = (mt_phases(world)[i] & MOTE_PHASE_CHANNEL_MASK) >> MOTE_PHASE_CHANNEL_SHIFT;
    uint32_t number = mt_placement_around(world, mt_xyz(x), reach, around);
    for (uint32_t k = 0; k < number; k++) {
        const mt_placed *placed = &mt_placed_shapes(&world->placement)[around[k]];
        mote_shape_id id = mt_shapes(world)[around[k]].id;
        if (placed->trigger && (placed->channels & channels) != 0 &&
            mt_placed_distance(placed, mt_xyz(x), reach) < reach)
            add(to, count,
                (mt_touch){MT_TOUCH_TRIGGER_SHAPE, mt_particle_ids(world)[i], id.index, id.generation});
    }
}

static void look_at_volumes(const visit_job *job, uint32_t i, mt_touch *to, uint32_t *count)
{
    const mote_world *world = job->world;
    mote_vec4 x = mt_positions(world)[i];
    for (uint32_t k = 0; k < world->volumes.count; k++) {
        const mt_volume *volume = &mt_volumes(world)[k];
        if (volume->def.type == MOTE_VOLUME_TRIGGER && mt_volume_contains(&volume->def, x))
            add(to, count,
                (mt_touch){MT_TOUCH_TRIGGER, mt_particle_ids(world)[i], volume->id.index,
                           volume->id.generation});
    }
}

/* How many a particle makes; `to` may be NULL. */
static uint32_t visit(const visit_job *job, uint32_t i, uint32_t worker, mt_touch *to)
{
    uint32_t count = 0,
             *around = (uint32_t *)job->found->around.data + (size_t)worker * job->world->shapes.count;
    if (job->volumes)
        look_at_volumes(job, i, to, &count);
    if (job->shapes)
        look_at_shapes(job, i, around, to, &count);
    return count;
}

static void count_visits(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const visit_job *job = context;
    for (uint32_t i = begin; i < end; i++)
        ((uint32_t *)job->found->visit_start.data)[i] = visit(job, i, worker, NULL);
}

static void write_visits(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const visit_job *job = context;
    const uint32_t *start = job->found->visit_start.data;
    for (uint32_t i = begin; i < end; i++)
        if (start[i] < start[i + 1])
            visit(job, i, worker, (mt_touch *)job->found->visits.data + start[i]);
}

static uint32_t place_visits(uint32_t *start, uint32_t particles)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < particles; i++) {
        uint32_t count = start[i];
        start[i] = next;
        next += count;
    }
    return start[particles] = next;
}

/* ---- which triggers there are ----------------------------------------------------------------------------- */

static visit_job look_for_triggers(mote_world *world)
{
    visit_job job = {.world = world, .found = &world->scratch->finish.found, .box = mt_box_empty()};
    for (uint32_t k = 0; k < world->volumes.count; k++)
        job.volumes = job.volumes || mt_volumes(world)[k].def.type == MOTE_VOLUME_TRIGGER;
    for (uint32_t k = 0; k < world->shapes.count; k++) {
        const mt_placed *placed = &mt_placed_shapes(&world->placement)[k];
        if (!mt_shapes(world)[k].trigger)
            continue;
        job.shapes = true;
        if (placed->form.kind == MT_FORM_PLANE)
            job.everywhere = true;
        else
            job.box = mt_box_join(job.box, placed->box);
    }
    return job;
}

bool mt_any_triggers(const mote_world *world)
{
    for (uint32_t k = 0; k < world->volumes.count; k++)
        if (mt_volumes(world)[k].def.type == MOTE_VOLUME_TRIGGER)
            return true;
    for (uint32_t k = 0; k < world->shapes.count; k++)
        if (mt_shapes(world)[k].trigger)
            return true;
    return false;
}

mote_result mt_visits_find(mote_world *world)
{
    mt_findings *found = &world->scratch->finish.found;
    uint32_t particles = world->particles.count;
    found->visit_count = 0;
    if (!mt_any_triggers(world))
        return MOTE_OK;
    visit_job job = look_for_triggers(world);
    MT_TRY(mt_array_reserve(&found->visit_start, &world->memory, (size_t)particles + 1, 0));
    MT_TRY(mt_array_reserve(&found->around, &world->memory,
                            (size_t)world->shapes.count * world->threads.workers, 0));
    mt_parallel_for(&world->threads, particles, MT_OWNERS, count_visits, &job);
    found->visit_count = place_visits(found->visit_start.data, particles);
    MT_TRY(mt_array_reserve(&found->visits, &world->memory, found->visit_count, 0));
    if (found->visit_count > 0)
        mt_parallel_for(&world->threads, particles, MT_OWNERS, write_visits, &job);
    return MOTE_OK;
}
