/* The order of touches and of events, and sorting by it. */
#ifndef MOTE_STEP_FINISH_TOUCH_ORDER_H
#define MOTE_STEP_FINISH_TOUCH_ORDER_H

#include "world/world.h"

int mt_touch_compare(const mt_touch *a, const mt_touch *b);

/* Stable merge sorts; `spare` has as much room as `items`. */
void mt_touches_sort(mt_touch *items, mt_touch *spare, size_t count);
void mt_events_sort(mote_event *items, mote_event *spare, size_t count);

#endif
