/* Events: the difference between this step's touches and the last one's, and who slept, woke or was removed. */
#include "base/sort.h"
#include "step/finish/finish.h"
#include "world/check.h"

const char *mote_event_name(mote_event_type type)
{
    static const char *const names[MOTE_EVENT_COUNT] = {
        "contact-begin", "contact-end", "trigger-enter", "trigger-exit", "sleep", "wake", "killed", "break",
    };
    return (unsigned)type < MOTE_EVENT_COUNT ? names[type] : "unknown";
}

mote_events mote_world_events(const mote_world *world)
{
    return world != NULL ? (mote_events){world->events.data, world->event_count} : (mote_events){NULL, 0};
}

/* +1 falls asleep, -1 wakes, 0 neither. */
static int change_of_sleep(const mote_world *world, uint32_t slot)
{
    const float *judged = world->scratch->particles.rest_time.data;
    return (judged[slot] < 0) - (mt_rest_times(world)[slot] < 0);
}

static size_t count_changes_of_sleep(const mote_world *world)
{
    size_t count = 0;
    for (uint32_t i = 0; world->settings.sleep_speed > 0 && i < world->particles.count; i++)
        count += change_of_sleep(world, i) != 0;
    return count;
}

mote_result mt_events_reserve(mote_world *world)
{
    const mt_findings *found = &world->scratch->finish.found;
    size_t most = world->scratch->finish.killed_count + count_changes_of_sleep(world) +
                  world->scratch->bodies.joint_count;
    most += world->scratch->constraints.broken_count;
    for (uint32_t k = 0; found->any && k < found->block_count; k++)
        for (uint32_t change = 0; change < MT_CHANGE_COUNT; change++)
            most += ((const mt_touch_block *)found->blocks.data)[k].changes[change];
    MT_TRY(mt_array_reserve(&world->events, &world->memory, most, world->event_count));
    return mt_array_reserve(&world->scratch->finish.event_scratch, &world->memory, most, 0);
}

static void add(mote_world *world, mote_event event)
{
    event.contact = MOTE_NO_CONTACT;
    ((mote_event *)world->events.data)[world->event_count++] = event;
}

/* ---- touches that begin and end --------------------------------------------------------------------------- */

static mote_event event_of(const mt_touch *touch, mt_change change)
{
    static const mote_event_type types[MT_CHANGE_COUNT] = {MOTE_EVENT_CONTACT_BEGIN, MOTE_EVENT_CONTACT_END,
                                                           MOTE_EVENT_TRIGGER_ENTER, MOTE_EVENT_TRIGGER_EXIT};
    mote_event event = {.type = types[change], .a = touch->particle, .contact = MOTE_NO_CONTACT};
    uint32_t index = touch->other_index, generation = touch->other_generation;
    if (touch->kind == MT_TOUCH_PARTICLE)
        event.b = (mote_particle_id){index, generation};
    else if (touch->kind == MT_TOUCH_BODY)
        event.body = (mote_body_id){index, generation};
    else if (touch->kind == MT_TOUCH_TRIGGER)
        event.volume = (mote_volume_id){index, generation};
    else
        event.shape = (mote_shape_id){index, generation};
    return event;
}

/* From how many changes of each kind a block has to where its events go: all of one kind, block by block, then all of the
 * next. */
static void place_changes(mote_world *world)
{
    const mt_findings *found = &world->scratch->finish.found;
    for (uint32_t change = 0; change < MT_CHANGE_COUNT; change++)
        for (uint32_t k = 0; k < found->block_count; k++) {
            uint32_t *at = &((mt_touch_block *)found->blocks.data)[k].changes[change], count = *at;
            *at = (uint32_t)world->event_count;
            world->event_count += count;
        }
}

static void write_changes(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mote_world *world = context;
    const mt_findings *found = &world->scratch->finish.found;
    mt_touch_block *block = (mt_touch_block *)found->blocks.data + begin / MT_OWNERS;
    const mt_touch *old = world->touches.items.data, *now = world->before.items.data;
    const uint8_t *fates = found->fates.data, *begins = found->begins.data;
    mote_event *events = world->events.data;
    (void)end;
    (void)worker;
    for (uint32_t k = block->first; k < block->first + block->count; k++) {
        if (!begins[k])
            continue;
        bool contact = now[k].kind < MT_TOUCH_TRIGGER;
        mt_change change = contact ? MT_CONTACT_BEGINS : MT_TRIGGER_ENTERED;
        mote_event *event = &events[block->changes[change]++];
        *event = event_of(&now[k], change);
        if (contact)
            event->contact = mt_contact_of_touch(found, &now[k]);
    }
    for (uint32_t k = block->first_old; k < block->first_old + block->old_count; k++)
        if (fates[k] == MT_ENDS) {
            mt_change change = old[k].kind < MT_TOUCH_TRIGGER ? MT_CONTACT_ENDS : MT_TRIGGER_LEFT;
            events[block->changes[change]++] = event_of(&old[k], change);
        }
}

/* world->before has the new touches, world->touches still the old ones. */
static void add_changes(mote_world *world)
{
    if (world->scratch->finish.found.any) {
        place_changes(world);
        mt_parallel_for(&world->threads, world->particles.handles.count, MT_OWNERS, write_changes, world);
    }
    mt_touches swap = world->touches;
    world->touches = world->before;
    world->before = swap;
}

/* ---- who slept, woke or was removed ----------------------------------------------------------------------- */

static void add_sleepers(mote_world *world)
{
    for (uint32_t i = 0; world->settings.sleep_speed > 0 && i < world->particles.count; i++) {
        int change = change_of_sleep(world, i);
        if (change != 0)
            add(world, (mote_event){.type = change > 0 ? MOTE_EVENT_SLEEP : MOTE_EVENT_WAKE,
                                    .a = mt_particle_ids(world)[i]});
    }
}

static mote_volume_id killer_of(const mote_world *world, mote_vec4 x)
{
    for (uint32_t i = 0; i < world->volumes.count; i++)
        if (mt_volume_kills(&mt_volumes(world)[i].def, x))
            return mt_volumes(world)[i].id;
    return (mote_volume_id){0, 0};
}

static void add_killed(mote_world *world)
{
    const mt_scratch *s = world->scratch;
    for (uint32_t k = 0; k < s->finish.killed_count; k++) {
        uint32_t slot = ((const uint32_t *)s->finish.killed.data)[k];
        add(world, (mote_event){.type = MOTE_EVENT_KILLED,
                                .a = mt_particle_ids(world)[slot],
                                .volume = killer_of(world, mt_positions(world)[slot])});
    }
}

static void add_broken(mote_world *world)
{
    const mt_body_plan *p = &world->scratch->bodies;
    for (uint32_t k = 0; k < p->joint_count; k++) {
        const mt_joint_work *work = &mt_joint_works(p)[k];
        const mt_joint *joint = &mt_joints(world)[work->joint];
        if (work->broken)
            add(world, (mote_event){.type = MOTE_EVENT_BREAK, .joint = joint->id, .body = joint->a});
    }
}

static mote_particle_id particle_at(const mt_constraint_end *end)
{
    return end->type == MOTE_END_PARTICLE ? (mote_particle_id){end->index, end->generation}
                                          : (mote_particle_id){0, 0};
}

static void add_broken_constraints(mote_world *world)
{
    const mt_constraint_work *w = &world->scratch->constraints;
    for (uint32_t k = 0; k < w->broken_count; k++) {
        const mt_constraint *one =
            &mt_constraint_items(&world->constraints)[((const uint32_t *)w->broken.data)[k]];
        add(world, (mote_event){.type = MOTE_EVENT_BREAK,
                                .a = particle_at(&one->ends[0]),
                                .b = particle_at(&one->ends[1]),
                                .constraint = one->id});
    }
}

/* They come sorted by type; those of one are put in order here. */
static int compare_events(const void *left, const void *right)
{
    const mote_event *a = left, *b = right;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    return (a->a.index > b->a.index) - (a->a.index < b->a.index);
}

static bool are_sorted(const mote_event *items, size_t count)
{
    bool sorted = true;
    for (size_t k = 1; sorted && k < count; k++)
        sorted = compare_events(&items[k - 1], &items[k]) <= 0;
    return sorted;
}

void mt_events_make(mote_world *world)
{
    world->event_count = 0;
    add_changes(world);
    size_t first = world->event_count;
    add_sleepers(world);
    add_killed(world);
    add_broken(world);
    add_broken_constraints(world);
    mote_event *others = (mote_event *)world->events.data + first;
    size_t count = world->event_count - first;
    if (!are_sorted(others, count)) /* they mostly are, and where much breaks at once they are many */
        mt_merge_sort(others, world->scratch->finish.event_scratch.data, count, sizeof(mote_event),
                      compare_events);
}
