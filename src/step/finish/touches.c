/* Touches: who touches whom and who is in which trigger, and what has begun and ended since the last step.
 *
 * A touch begins when a contact gives something (contacts.c). It goes on while it does, or while the two are still as near
 * as what touches is: contacts of what lies still may give something in one step and nothing in the next. Visits of
 * triggers go by places alone (visits.c). Everybody's touches are in order, so those of two steps are compared by owners,
 * block by block. */
#include "world/touches.h"
#include "base/vec.h"
#include "step/finish/finish.h"
#include "step/impulse/impulse.h"
#include "step/impulse/touch.h"
#include "world/bodies.h"
#include "world/check.h"

#include <string.h>

#define TOUCH 1.005f /* sums of radii: what the solver pushed apart is about 1 away */

typedef struct touch_job {
    mote_world *world;
    const mt_impulses *w;
    mt_findings *found;
    const mt_touch *old;
    uint32_t old_count;
    bool contacts, visits; /* there are some */
} touch_job;

/* ---- looking up ------------------------------------------------------------------------------------------- */

/* The first that is not before the key. */
static uint32_t lower_bound(const mt_touch *all, uint32_t count, const mt_touch *key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (mt_touch_compare(&all[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_among(const mt_touch *all, uint32_t count, const mt_touch *touch)
{
    uint32_t at = lower_bound(all, count, touch);
    return at < count && mt_touch_compare(&all[at], touch) == 0;
}

uint32_t mt_contact_of_touch(const mt_findings *found, const mt_touch *touch)
{
    const uint32_t *start = found->contact_start.data;
    const mote_contact *all = found->contacts.data;
    uint32_t low = start[touch->particle.index], end = start[touch->particle.index + 1], high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        mt_touch one = mt_touch_of_contact(&all[middle]);
        if (mt_touch_compare(&one, touch) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == end)
        return MOTE_NO_CONTACT;
    mt_touch one = mt_touch_of_contact(&all[low]);
    return mt_touch_compare(&one, touch) == 0 ? low : MOTE_NO_CONTACT;
}

/* The same two, seen from the other: which of two particles owns their contact may change when one falls asleep. */
static mt_touch seen_from_other(const mt_touch *touch)
{
    return (mt_touch){touch->kind,
                      {touch->other_index, touch->other_generation},
                      touch->particle.index,
                      touch->particle.generation};
}

static bool gives_something(const touch_job *job, const mt_touch *touch)
{
    return job->contacts && touch->particle.index < job->world->particles.handles.count &&
           mt_contact_of_touch(job->found, touch) != MOTE_NO_CONTACT;
}

/* Whether a touch that its owner had not in the last step was the other's. */
static bool was_of_other(const touch_job *job, const mt_touch *touch)
{
    mt_touch other = seen_from_other(touch);
    return touch->kind == MT_TOUCH_PARTICLE && is_among(job->old, job->old_count, &other);
}

/* ---- whether those that give nothing are still near ------------------------------------------------------- */

static const mt_body_work *work_of(const touch_job *job, uint32_t slot)
{
    uint32_t mover = ((const uint32_t *)job->w->movers.of.data)[slot];
    return mover >= job->w->movers.first_body
               ? &mt_body_works(&job->world->scratch->bodies)[mover - job->w->movers.first_body]
               : NULL;
}

/* Where a body's surface is at the end of the step. */
static mt_body_surface surface_of(const touch_job *job, const mt_body_work *work)
{
    return mt_surface_at(&mt_bodies(job->world)[work->body], &work->at, work->pose.rotation);
}

static mt_ball ball_of(const touch_job *job, uint32_t slot)
{
    mt_body_surface none = {.form = NULL};
    const mt_body_work *work = work_of(job, slot);
    if (work != NULL)
        none = surface_of(job, work);
    return mt_ball_in(&none, mt_positions(job->world)[slot]);
}

static bool is_near_particle(const touch_job *job, uint32_t i, const mt_touch *touch)
{
    uint32_t j = mt_handles_find(&job->world->particles.handles, touch->other_index, touch->other_generation);
    return j != MT_NO_SLOT && (mt_slot_reports(job->world, i) || mt_slot_reports(job->world, j)) &&
           mt_are_touching(mt_positions(job->world)[i], mt_positions(job->world)[j], TOUCH);
}

static bool body_reports(const mote_world *world, const mt_body *body)
{
    for (uint32_t k = 0; k < body->link_count; k++)
        if (mt_slot_reports(world, mt_linked_slot(world, mt_links(world)[body->first_link + k].particle)))
            return true;
    return false;
}

static bool is_near_body(const touch_job *job, uint32_t i, const mt_touch *touch)
{
    mote_world *world = job->world;
    uint32_t place = mt_handles_find(&world->bodies.handles, touch->other_index, touch->other_generation);
    if (place == MT_NO_SLOT || !(mt_slot_reports(world, i) || body_reports(world, &mt_bodies(world)[place])))
        return false;
    const mt_body_plan *plan = &world->scratch->bodies;
    const mt_body_work *work =
        &mt_body_works(plan)[((const uint32_t *)plan->order.data)[plan->body_count + place]];
    mt_body_surface surface = surface_of(job, work);
    mt_ball ball = ball_of(job, i);
    mote_vec3 normal;
    mote_vec4 x = mt_positions(world)[i];
    if (surface.form == NULL)
        return false;
    float distance = mt_surface_distance(surface.form, mt_to_local(&surface.at, ball.center), &normal);
    return distance < ball.radius + 2.0f * (TOUCH - 1.0f) * x.w &&
           mt_is_at_touch(ball, x, mt_turn(&surface.at, normal));
}

static bool is_near_shape(const touch_job *job, uint32_t i, const mt_touch *touch)
{
    const mote_world *world = job->world;
    uint32_t place = mt_handles_find(&world->shapes.handles, touch->other_index, touch->other_generation);
    if (place == MT_NO_SLOT)
        return false;
    const mt_placed *placed = &mt_placed_shapes(&world->placement)[place];
    uint32_t channels = (mt_phases(world)[i] & MOTE_PHASE_CHANNEL_MASK) >> MOTE_PHASE_CHANNEL_SHIFT;
    mt_ball ball = ball_of(job, i);
    float reach = ball.radius + 2.0f * (TOUCH - 1.0f) * mt_positions(world)[i].w;
    return !placed->trigger && (placed->channels & channels) != 0 &&
           (mt_slot_reports(world, i) || mt_material_reports(world, placed->material)) &&
           mt_placed_distance(placed, ball.center, reach) < reach;
}

/* ---- what becomes of those of the last step --------------------------------------------------------------- */

static bool is_visited(const touch_job *job, uint32_t slot, const mt_touch *touch)
{
    const uint32_t *start = job->found->visit_start.data;
    for (uint32_t k = job->visits ? start[slot] : 0; job->visits && k < start[slot + 1]; k++)
        if (mt_touch_compare((const mt_touch *)job->found->visits.data + k, touch) == 0)
            return true;
    return false;
}

static mt_fate fate_of(const touch_job *job, const mt_touch *touch)
{
    uint32_t slot =
        mt_handles_find(&job->world->particles.handles, touch->particle.index, touch->particle.generation);
    if (slot == MT_NO_SLOT)
        return MT_ENDS;
    if (touch->kind == MT_TOUCH_TRIGGER || touch->kind == MT_TOUCH_TRIGGER_SHAPE)
        return is_visited(job, slot, touch) ? MT_FOUND_AGAIN : MT_ENDS;
    mt_touch other = seen_from_other(touch);
    if (gives_something(job, touch) || (touch->kind == MT_TOUCH_PARTICLE && gives_something(job, &other)))
        return MT_FOUND_AGAIN;
    bool near = touch->kind == MT_TOUCH_PARTICLE ? is_near_particle(job, slot, touch)
                : touch->kind == MT_TOUCH_BODY   ? is_near_body(job, slot, touch)
                                                 : is_near_shape(job, slot, touch);
    return near ? MT_KEPT : MT_ENDS;
}

/* ---- blocks of owners ------------------------------------------------------------------------------------- */

static mt_touch_block *block_of(const touch_job *job, uint32_t begin)
{
    return (mt_touch_block *)job->found->blocks.data + begin / MT_OWNERS;
}

static uint32_t first_old(const touch_job *job, uint32_t owner)
{
    mt_touch key = {.particle = {owner, 0}};
    return lower_bound(job->old, job->old_count, &key);
}

/* Touches that contacts of an owner are: those in several places of a shape are one. */
static uint32_t touches_of_contacts(const touch_job *job, uint32_t owner, mt_touch *to)
{
    const uint32_t *start = job->found->contact_start.data;
    uint32_t count = 0;
    mt_touch last = {0};
    for (uint32_t k = start[owner]; k < start[owner + 1]; k++) {
        mt_touch touch = mt_touch_of_contact((const mote_contact *)job->found->contacts.data + k);
        if (k > start[owner] && mt_touch_compare(&touch, &last) == 0)
            continue;
        last = touch;
        if (to != NULL)
            to[count] = touch;
        count++;
    }
    return count;
}

static uint32_t touches_of_visits(const touch_job *job, uint32_t owner, mt_touch *to)
{
    uint32_t slot = mt_handle_entries(&job->world->particles.handles)[owner].slot;
    if (slot == MT_NO_SLOT)
        return 0;
    const uint32_t *start = job->found->visit_start.data;
    uint32_t count = start[slot + 1] - start[slot];
    if (to != NULL && count > 0)
        memcpy(to, (const mt_touch *)job->found->visits.data + start[slot], count * sizeof *to);
    return count;
}

static void count_block(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const touch_job *job = context;
    mt_touch_block *block = block_of(job, begin);
    (void)worker;
    memset(block->changes, 0, sizeof block->changes);
    block->first_old = first_old(job, begin);
    block->old_count = first_old(job, end) - block->first_old;
    block->count = 0;
    for (uint32_t owner = begin; job->contacts && owner < end; owner++)
        block->count += touches_of_contacts(job, owner, NULL);
    for (uint32_t owner = begin; job->visits && owner < end; owner++)
        block->count += touches_of_visits(job, owner, NULL);
    for (uint32_t k = block->first_old; k < block->first_old + block->old_count; k++) {
        mt_fate fate = fate_of(job, &job->old[k]);
        bool contact = job->old[k].kind < MT_TOUCH_TRIGGER;
        ((uint8_t *)job->found->fates.data)[k] = (uint8_t)fate;
        block->count += fate == MT_KEPT;
        block->changes[contact ? MT_CONTACT_ENDS : MT_TRIGGER_LEFT] += fate == MT_ENDS;
    }
}

static void sort(mt_touch *all, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        mt_touch one = all[k];
        uint32_t n = k;
        for (; n > 0 && mt_touch_compare(&all[n - 1], &one) > 0; n--)
            all[n] = all[n - 1];
        all[n] = one;
    }
}

/* The old ones of an owner that are kept, from `*k` on. */
static uint32_t touches_kept(const touch_job *job, const mt_touch_block *block, uint32_t owner, uint32_t *k,
                             mt_touch *to)
{
    const uint8_t *fates = job->found->fates.data;
    uint32_t count = 0;
    for (; *k < block->first_old + block->old_count && job->old[*k].particle.index <= owner; ++*k)
        if (fates[*k] == MT_KEPT)
            to[count++] = job->old[*k];
    return count;
}

/* Which touches of an owner are new: both lists are in order. */
static void note_begins(const touch_job *job, mt_touch_block *block, uint32_t first, uint32_t end, uint32_t old,
                        uint32_t old_end)
{
    const mt_touch *all = job->world->before.items.data;
    uint8_t *begins = job->found->begins.data;
    for (uint32_t n = first; n < end; n++) {
        while (old < old_end && mt_touch_compare(&job->old[old], &all[n]) < 0)
            old++;
        bool was = old < old_end && mt_touch_compare(&job->old[old], &all[n]) == 0;
        begins[n] = !was && !was_of_other(job, &all[n]);
        block->changes[all[n].kind < MT_TOUCH_TRIGGER ? MT_CONTACT_BEGINS : MT_TRIGGER_ENTERED] += begins[n];
    }
}

static void write_block(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const touch_job *job = context;
    mt_touch_block *block = block_of(job, begin);
    mt_touch *all = job->world->before.items.data;
    uint32_t next = block->first, k = block->first_old;
    (void)worker;
    for (uint32_t owner = begin; owner < end; owner++) {
        uint32_t first = next, old = k;
        if (job->contacts)
            next += touches_of_contacts(job, owner, all + next);
        if (job->visits)
            next += touches_of_visits(job, owner, all + next);
        next += touches_kept(job, block, owner, &k, all + next);
        sort(all + first, next - first);
        note_begins(job, block, first, next, old, k);
    }
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

static mote_result compare(touch_job *job)
{
    mote_world *world = job->world;
    mt_findings *found = job->found;
    uint32_t owners = world->particles.handles.count;
    MT_TRY(mt_array_reserve(&found->fates, &world->memory, job->old_count, 0));
    mt_parallel_for(&world->threads, owners, MT_OWNERS, count_block, job);
    size_t count = 0;
    for (uint32_t k = 0; k < found->block_count; k++) {
        mt_touch_block *block = (mt_touch_block *)found->blocks.data + k;
        block->first = (uint32_t)count;
        count += block->count;
    }
    MT_TRY(mt_array_reserve(&world->before.items, &world->memory, count, 0));
    MT_TRY(mt_array_reserve(&found->begins, &world->memory, count, 0));
    mt_parallel_for(&world->threads, owners, MT_OWNERS, write_block, job);
    world->before.count = count;
    return MOTE_OK;
}

mote_result mt_touches_find(mote_world *world)
{
    mt_findings *found = &world->scratch->finish.found;
    touch_job job = {.world = world,
                     .w = &world->scratch->impulses,
                     .found = found,
                     .old = world->touches.items.data,
                     .old_count = (uint32_t)world->touches.count};
    world->before.count = 0;
    found->contact_count = found->visit_count = 0;
    job.contacts = world->particles.count > 0 && world->scratch->finish.report.any;
    found->any = job.contacts || world->touches.count > 0 || mt_any_triggers(world);
    if (!found->any)
        return MOTE_OK;
    found->block_count = (world->particles.handles.count + MT_OWNERS - 1) / MT_OWNERS;
    MT_TRY(mt_array_reserve(&found->blocks, &world->memory, found->block_count, 0));
    if (job.contacts)
        MT_TRY(mt_contacts_gather(world));
    MT_TRY(mt_visits_find(world));
    job.visits = found->visit_count > 0;
    return compare(&job);
}
