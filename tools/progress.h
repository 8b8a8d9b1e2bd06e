/* A bar on the terminal that says how far a run is. Without a terminal it is silent. */
#ifndef MOTE_TOOLS_PROGRESS_H
#define MOTE_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct progress {
    bool shown;
    const char *title;
    uint32_t first, total; /* frames: done before this run began (0 unless set); in all */
    double started, drawn; /* ms on the clock */
} progress;

/* Milliseconds on a clock that never goes back. */
double clock_ms(void);

void progress_start(progress *bar, const char *title, uint32_t total_frames, bool quiet);
void progress_update(progress *bar, uint32_t frames_done, size_t particles, double frame_ms);

/* Wipes the bar away. */
void progress_end(progress *bar);

#endif
