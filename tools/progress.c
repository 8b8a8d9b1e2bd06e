#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define BAR_WIDTH  28
#define REFRESH_MS 50.0

double clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void progress_start(progress *bar, const char *title, uint32_t total_frames, bool quiet)
{
    *bar = (progress){.shown = !quiet && isatty(STDERR_FILENO), .title = title, .total = total_frames};
    bar->started = clock_ms();
}

void progress_update(progress *bar, uint32_t frames_done, size_t particles, double frame_ms)
{
    double now = clock_ms();
    if (!bar->shown || frames_done <= bar->first || now - bar->drawn < REFRESH_MS)
        return;
    bar->drawn = now;
    char cells[BAR_WIDTH + 1] = {0};
    for (int i = 0; i < BAR_WIDTH; i++)
        cells[i] = (uint64_t)i * bar->total < (uint64_t)frames_done * BAR_WIDTH ? '#' : '.';
    double left = (now - bar->started) / (frames_done - bar->first) * (bar->total - frames_done) / 1e3;
    fprintf(stderr, "\r%s [%s] %u/%u  %zu particles  %.1f ms/frame  %u:%02u left \033[K", bar->title, cells,
            frames_done, bar->total, particles, frame_ms, (unsigned)(left / 60.0), (unsigned)left % 60u);
    fflush(stderr);
}

void progress_end(progress *bar)
{
    if (bar->shown)
        fputs("\r\033[K", stderr);
}
