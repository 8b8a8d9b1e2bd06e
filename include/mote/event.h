/* Events: what happened during the last step, as arrays that the world owns until the next step or change. */
#ifndef MOTE_EVENT_H
#define MOTE_EVENT_H

#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mote_event_type {
    MOTE_EVENT_CONTACT_BEGIN, /* `a` touches particle `b`, the surface of `body`, or `shape`, and did not before */
    MOTE_EVENT_CONTACT_END,   /* they touched and no longer do */
    MOTE_EVENT_TRIGGER_ENTER, /* particle `a` came into `volume`, or into the trigger `shape` */
    MOTE_EVENT_TRIGGER_EXIT,  /* particle `a` left it */
    MOTE_EVENT_SLEEP,         /* particle `a` fell asleep */
    MOTE_EVENT_WAKE,          /* particle `a` woke up */
    MOTE_EVENT_KILLED,        /* particle `a` was removed by `volume`; its id is stale now */
    MOTE_EVENT_BREAK,         /* `joint` of `body`, or `constraint`, broke; its id is stale now */
    MOTE_EVENT_COUNT
} mote_event_type;

#define MOTE_NO_CONTACT 0xFFFFFFFFu

typedef struct mote_event {
    mote_event_type type;
    mote_particle_id a, b; /* b is null unless two particles touch or a constraint broke */
    mote_shape_id shape;   /* null unless a shape is touched or a trigger */
    mote_volume_id volume; /* null unless a volume is meant */
    mote_joint_id joint;   /* null unless a joint broke; */
    mote_body_id body;     /* its first body; of contacts: whose true surface `a` touches, else null */
    /* Of a contact that begins: which of mote_world_contacts() it is (the first, if `a` touches the shape in several
     * places): its impulse, its speed, its point. Else MOTE_NO_CONTACT. */
    uint32_t contact;
    /* null unless a constraint broke; `a` and `b` are its first two particles, null where an end is none */
    mote_constraint_id constraint;
} mote_event;

/* Contacts are reported for materials that say so (mote_material_def.report_contacts; one of the two sides is enough). A
 * contact begins in the step in which it first gives something, and so has an impulse; it ends in the first in which it
 * gives nothing and the two are apart by more than half a percent of what they touch at. What sleeps keeps its contacts.
 * Events are sorted by type, then by particle. */
typedef struct mote_events {
    const mote_event *items;
    size_t count;
} mote_events;

MOTE_API mote_events mote_world_events(const mote_world *world);

/* "contact-begin", "trigger-enter", ... */
MOTE_API const char *mote_event_name(mote_event_type type);

#ifdef __cplusplus
}
#endif

#endif
