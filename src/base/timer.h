/* Timer: seconds of a clock that never goes back. */
#ifndef MOTE_BASE_TIMER_H
#define MOTE_BASE_TIMER_H

double mt_seconds(void);

#endif
