#include "stats_file.h"

#include "io/safe_file.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

simulation simulation_since(const simulation *s, uint32_t first_frame)
{
    simulation measured = *s;
    measured.frame -= first_frame;
    measured.frame_limit -= first_frame;
    measured.frame_ms += first_frame;
    return measured;
}

/* Numbers that the command knows itself. */
static void add_run(cJSON *json, const simulation *s, uint32_t first_frame)
{
    simulation measured = simulation_since(s, first_frame);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, mote_world_hash(s->world));
    cJSON_AddStringToObject(json, "scene", s->scene->name);
    cJSON_AddStringToObject(json, "hash", hash);
    cJSON_AddNumberToObject(json, "frames", s->frame);
    cJSON_AddNumberToObject(json, "first_frame", first_frame);
    cJSON_AddNumberToObject(json, "seconds", mote_world_time(s->world));
    cJSON_AddNumberToObject(json, "threads", mote_world_thread_count(s->world));
    cJSON_AddStringToObject(json, "simd", mote_simd_name(mote_world_simd(s->world)));
    cJSON_AddNumberToObject(json, "ms_median", simulation_percentile_ms(&measured, 0.5));
    cJSON_AddNumberToObject(json, "ms_p95", simulation_percentile_ms(&measured, 0.95));
    cJSON *stages = cJSON_AddObjectToObject(json, "stages_ms");
    for (uint32_t i = 0; i < mote_stage_count(); i++)
        cJSON_AddNumberToObject(stages, mote_stage_name(i),
                                s->stage_total_ms[i] / (measured.frame > 0 ? measured.frame : 1));
}

/* Numbers of the library, as of the last step. */
static void add_state(cJSON *json, const mote_stats *stats)
{
    cJSON_AddNumberToObject(json, "particles", (double)stats->particles);
    cJSON_AddNumberToObject(json, "asleep", (double)stats->asleep);
    cJSON_AddNumberToObject(json, "substeps", stats->substeps);
    cJSON_AddNumberToObject(json, "iterations", stats->iterations);
    cJSON_AddNumberToObject(json, "neighbors", (double)stats->neighbors);
    cJSON_AddNumberToObject(json, "neighbor_builds", stats->neighbor_builds);
    cJSON_AddNumberToObject(json, "contacts", (double)stats->contacts);
    cJSON_AddNumberToObject(json, "kinetic_energy", stats->kinetic_energy);
    cJSON_AddNumberToObject(json, "potential_energy", stats->potential_energy);
    const float momentum[3] = {stats->momentum.x, stats->momentum.y, stats->momentum.z};
    cJSON_AddItemToObject(json, "momentum", cJSON_CreateFloatArray(momentum, 3));
    cJSON_AddNumberToObject(json, "max_speed", stats->max_speed);
    cJSON_AddNumberToObject(json, "max_penetration", stats->max_penetration);
    cJSON_AddNumberToObject(json, "residual", stats->residual);
    if (stats->fluid_particles > 0) {
        cJSON_AddNumberToObject(json, "fluid_particles", (double)stats->fluid_particles);
        cJSON_AddNumberToObject(json, "mean_density_error", stats->mean_density_error);
        cJSON_AddNumberToObject(json, "max_density_error", stats->max_density_error);
        cJSON_AddNumberToObject(json, "fluid_volume", stats->fluid_volume);
    }
    cJSON_AddNumberToObject(json, "memory", (double)stats->memory);
}

/* What is left of the errors of constraints, kind by kind. */
static void add_residuals(cJSON *json, mote_world *world)
{
    static const char *const names[MOTE_RESIDUAL_COUNT] = {"contacts", "shapes", "joints", "density", "picks"};
    cJSON *residuals = cJSON_AddObjectToObject(json, "residuals");
    for (uint32_t k = 0; k < MOTE_RESIDUAL_COUNT; k++) {
        double residual = 0;
        if (mote_world_residual(world, (mote_residual)k, &residual) == MOTE_OK)
            cJSON_AddNumberToObject(residuals, names[k], residual);
    }
}

bool stats_file_write(const simulation *s, uint32_t first_frame, const char *path)
{
    mote_stats stats;
    mote_result result = mote_world_stats(s->world, &stats);
    if (result != MOTE_OK) {
        complain("no statistics: %s", library_error(result));
        return false;
    }
    cJSON *json = cJSON_CreateObject();
    add_run(json, s, first_frame);
    add_state(json, &stats);
    add_residuals(json, s->world);
    char *text = cJSON_Print(json);
    cJSON_Delete(json);
    if (text == NULL) {
        complain("no memory for the statistics");
        return false;
    }
    char error[FILE_ERROR];
    safe_file *file = safe_file_open(path, error, sizeof error);
    bool written = file != NULL;
    if (written) {
        safe_file_append(file, text, strlen(text));
        safe_file_append(file, "\n", 1);
        written = safe_file_commit(file, error, sizeof error);
    }
    if (!written)
        complain("%s", error);
    cJSON_free(text);
    return written;
}
