/* Events: the difference between this step's touches and the last one's, and who slept, woke or was removed. */
#include "base/error.h"
#include "step/finish/finish.h"
#include "step/finish/touch_order.h"
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
    const float *judged = world->scratch->rest_time.data;
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
    size_t most = world->touches.count + world->before.count + world->scratch->killed_count;
    most += count_changes_of_sleep(world) + world->scratch->bodies.joint_count;
    most += world->scratch->constraints.broken_count;
    MT_TRY(mt_array_reserve(&world->events, &world->memory, most, world->event_count));
    return mt_array_reserve(&world->scratch->event_scratch, &world->memory, most, 0);
}

static void add(mote_world *world, mote_event event)
{
    ((mote_event *)world->events.data)[world->event_count++] = event;
}

static void add_touch(mote_world *world, const mt_touch *touch, bool begins)
{
    mote_event event = {.a = touch->particle};
    event.type = begins ? MOTE_EVENT_CONTACT_BEGIN : MOTE_EVENT_CONTACT_END;
    if (touch->kind == MT_TOUCH_PARTICLE)
        event.b = (mote_particle_id){touch->other_index, touch->other_generation};
    if (touch->kind == MT_TOUCH_SHAPE)
        event.shape = (mote_shape_id){touch->other_index, touch->other_generation};
    if (touch->kind == MT_TOUCH_TRIGGER_SHAPE) {
        event.shape = (mote_shape_id){touch->other_index, touch->other_generation};
        event.type = begins ? MOTE_EVENT_TRIGGER_ENTER : MOTE_EVENT_TRIGGER_EXIT;
    }
    if (touch->kind == MT_TOUCH_TRIGGER) {
        event.volume = (mote_volume_id){touch->other_index, touch->other_generation};
        event.type = begins ? MOTE_EVENT_TRIGGER_ENTER : MOTE_EVENT_TRIGGER_EXIT;
    }
    add(world, event);
}

/* world->before has the new touches, world->touches still the old ones. */
static void compare_touches(mote_world *world)
{
    const mt_touch *old = world->touches.items.data, *now = world->before.items.data;
    size_t i = 0, j = 0;
    while (i < world->touches.count || j < world->before.count) {
        int order = i == world->touches.count  ? 1
                    : j == world->before.count ? -1
                                               : mt_touch_compare(&old[i], &now[j]);
        if (order < 0)
            add_touch(world, &old[i], false);
        if (order > 0)
            add_touch(world, &now[j], true);
        i += order <= 0;
        j += order >= 0;
    }
    mt_touches swap = world->touches;
    world->touches = world->before;
    world->before = swap;
}

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
    for (uint32_t k = 0; k < s->killed_count; k++) {
        uint32_t slot = ((const uint32_t *)s->killed.data)[k];
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

void mt_events_make(mote_world *world)
{
    world->event_count = 0;
    compare_touches(world);
    add_sleepers(world);
    add_killed(world);
    add_broken(world);
    add_broken_constraints(world);
    mt_events_sort(world->events.data, world->scratch->event_scratch.data, world->event_count);
}
