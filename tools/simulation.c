#include "simulation.h"

#include "carried.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>

bool simulation_create(simulation *s, scene *chosen, uint32_t frames, uint32_t threads, mote_simd simd)
{
    *s = (simulation){.scene = chosen, .frame_limit = frames};
    s->frame_ms = calloc((size_t)frames + 1, sizeof *s->frame_ms);
    s->stage_total_ms = calloc(mote_stage_count() + 1, sizeof *s->stage_total_ms);
    if (s->frame_ms == NULL || s->stage_total_ms == NULL) {
        complain("no memory for %u frames", frames);
        simulation_destroy(s);
        return false;
    }
    mote_result result = scene_create(chosen, threads, simd, &s->world);
    if (result != MOTE_OK) {
        complain("cannot build '%s': %s", chosen->name, library_error(result));
        simulation_destroy(s);
        return false;
    }
    return true;
}

void simulation_destroy(simulation *s)
{
    mote_world_destroy(s->world);
    free(s->frame_ms);
    free(s->stage_total_ms);
    *s = (simulation){0};
}

bool simulation_step(simulation *s)
{
    mote_result result = scene_before_frame(s->scene, s->world, s->frame);
    double start = clock_ms();
    if (result == MOTE_OK)
        result = mote_world_step(s->world, s->scene->dt);
    if (result != MOTE_OK) {
        complain("'%s' failed in frame %u: %s", s->scene->name, s->frame, library_error(result));
        return false;
    }
    if (s->frame < s->frame_limit)
        s->frame_ms[s->frame] = clock_ms() - start;
    s->frame++;
    for (uint32_t stage = 0; stage < mote_stage_count(); stage++)
        s->stage_total_ms[stage] += mote_world_stage_ms(s->world, stage);
    return true;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

double simulation_percentile_ms(const simulation *s, double part)
{
    uint32_t count = s->frame < s->frame_limit ? s->frame : s->frame_limit;
    double *sorted = malloc(((size_t)count + 1) * sizeof *sorted);
    if (count == 0 || sorted == NULL) {
        free(sorted);
        return 0.0;
    }
    memcpy(sorted, s->frame_ms, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    double value = sorted[(uint32_t)(part * (count - 1) + 0.5)];
    free(sorted);
    return value;
}

static bool write_picture(const simulation *s, const render_surfaces *surfaces, int width, int height,
                          const char *path)
{
    image picture;
    render_camera camera = {s->scene->eye, s->scene->target, s->scene->fov};
    if (!render_world(s->world, &camera, surfaces, width, height, &picture)) {
        complain("no memory for a picture of %d x %d", width, height);
        return false;
    }
    char error[FILE_ERROR];
    bool written = image_write_png(&picture, path, error, sizeof error);
    if (!written)
        complain("%s", error);
    image_destroy(&picture);
    return written;
}

bool simulation_picture(const simulation *s, bool surfaces, int width, int height, const char *path)
{
    carried shown = {0};
    bool drawn = (!surfaces || carried_collect(&shown, s->scene, s->world)) &&
                 write_picture(s, &shown.shown, width, height, path);
    carried_free(&shown);
    return drawn;
}
