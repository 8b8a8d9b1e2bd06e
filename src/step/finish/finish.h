/* The end of a step: who falls asleep or wakes, who is removed, what is reported. Judging may fail and changes
 * nothing that a user sees; committing does not fail. */
#ifndef MOTE_STEP_FINISH_FINISH_H
#define MOTE_STEP_FINISH_FINISH_H

#include "base/vec.h"
#include "step/scratch.h"

/* Whether two particles (x, y, z, radius) are within `reach` sums of their radii. */
static inline bool mt_are_touching(mote_vec4 a, mote_vec4 b, float reach)
{
    mote_vec3 apart = mt_sub(mt_xyz(a), mt_xyz(b));
    float touch = (a.w + b.w) * reach;
    return mt_dot(apart, apart) < touch * touch;
}

mote_result mt_sleep_judge(mote_world *world, float dt);
/* Where the step starts, with its lists: which sleepers somebody flies against. */
mote_result mt_sleep_look(mote_world *world, float dt);
void mt_sleep_commit(mote_world *world);

bool mt_volume_contains(const mote_volume_def *volume, mote_vec4 x);
bool mt_volume_kills(const mote_volume_def *volume, mote_vec4 x);
mote_result mt_volumes_judge(mote_world *world);
void mt_volumes_commit(mote_world *world);

/* contacts.c: those that are reported, into scratch->found; commit makes them the world's. */
mote_result mt_contacts_gather(mote_world *world);
void mt_contacts_commit(mote_world *world);
mt_touch mt_touch_of_contact(const mote_contact *contact);

/* visits.c: who is in which trigger, into scratch->found. */
bool mt_any_triggers(const mote_world *world);
mote_result mt_visits_find(mote_world *world);

/* touches.c: contacts, visits, and what of them has begun and ended; the new touches are in world->before. */
mote_result mt_touches_find(mote_world *world);
/* The first contact of a touch, or MOTE_NO_CONTACT. */
uint32_t mt_contact_of_touch(const mt_findings *found, const mt_touch *touch);

mote_result mt_events_reserve(mote_world *world);
void mt_events_make(mote_world *world);

#endif
