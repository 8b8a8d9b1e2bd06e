/* What the end of a step finds: contacts that are reported, visits of triggers, and what has begun and ended since the
 * last step. All of it goes by owners, the particles by the index of their handle: a block of owners, one thread. */
#ifndef MOTE_STEP_FINISH_FINDINGS_H
#define MOTE_STEP_FINISH_FINDINGS_H

#include "world/world.h"

#define MT_OWNERS 1024u /* a block */

/* What changed in a block of owners. */
typedef enum mt_change {
    MT_CONTACT_BEGINS,
    MT_CONTACT_ENDS,
    MT_TRIGGER_ENTERED,
    MT_TRIGGER_LEFT,
    MT_CHANGE_COUNT
} mt_change;

/* What becomes of a touch of the last step. */
typedef enum mt_fate {
    MT_ENDS,
    MT_FOUND_AGAIN, /* as a contact or visit, or as a contact of which the other is the owner now */
    MT_KEPT,        /* it gives nothing, but the two are near */
} mt_fate;

typedef struct mt_touch_block {
    uint32_t first_old, old_count;     /* in world->touches */
    uint32_t first, count;             /* in world->before, where the new ones are made */
    uint32_t changes[MT_CHANGE_COUNT]; /* how many there are, then: where the block's events go */
    uint32_t first_contact, contacts;
} mt_touch_block;

typedef struct mt_findings {
    mt_array contacts; /* mote_contact */
    mt_array
        contact_start; /* uint32_t by the index of a particle's handle and one more: its contacts, as their a */
    uint32_t contact_count;
    mt_array visits;      /* mt_touch: of triggers */
    mt_array visit_start; /* uint32_t a slot and one more */
    uint32_t visit_count;
    mt_array around; /* uint32_t a shape and thread: the shapes near a particle */
    mt_array fates;  /* uint8_t a touch of the last step: mt_fate */
    mt_array begins; /* uint8_t a touch of this step: it was none in the last */
    mt_array blocks; /* mt_touch_block */
    uint32_t block_count;
    bool any; /* something is to be found; else nothing but this is set */
} mt_findings;

#endif
