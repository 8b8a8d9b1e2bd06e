/* The report as one JSON object: who measured, `results` of all benchmarks, and `ratios` between them. Every result
 * says first which benchmark it is of and who was measured, with how many threads and which SIMD level. */
#include "report.h"

#include "build_info.h"
#include "mote/mote.h"
#include "tools/command.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

/* Six digits are more than any clock here is worth, and keep the file readable. */
static double rounded(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    return strtod(text, NULL);
}

static void add_number(cJSON *object, const char *key, double value)
{
    cJSON_AddNumberToObject(object, key, rounded(value));
}

static void add_count(cJSON *object, const char *key, uint64_t value)
{
    cJSON_AddNumberToObject(object, key, (double)value);
}

/* What others have published, on another machine, has no SIMD level. */
static cJSON *result_object(const char *name, const char *engine, uint32_t threads, const char *simd)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddStringToObject(object, "engine", engine);
    cJSON_AddBoolToObject(object, "published", simd == NULL);
    add_count(object, "threads", threads);
    cJSON_AddStringToObject(object, "simd", simd == NULL ? "" : simd);
    return object;
}

static void add_stages(cJSON *object, const report_stage *stages, size_t count)
{
    cJSON *into = cJSON_AddObjectToObject(object, "stages");
    for (size_t i = 0; i < count; i++)
        add_number(into, stages[i].name, stages[i].ms);
}

static cJSON *run_object(const report_run *run)
{
    cJSON *object = result_object(run->name, run->engine, run->threads, run->simd);
    cJSON_AddStringToObject(object, "subject", run->subject);
    add_count(object, "particles", run->particles);
    add_count(object, "frames", run->frames);
    add_number(object, "ms_median", run->ms_median);
    add_number(object, "ms_p95", run->ms_p95);
    add_number(object, "ns_per_particle_iteration", run->ns_per_particle_iteration);
    add_stages(object, run->stages, run->stage_count);
    add_number(object, "radius", run->radius);
    add_number(object, "max_penetration", run->max_penetration);
    add_number(object, "residual_per_particle", run->residual_per_particle);
    if (run->memory)
        add_count(object, "memory", run->memory);
    return object;
}

static cJSON *pile_object(const report_pile *pile)
{
    cJSON *object = result_object(pile->name, pile->engine, pile->threads, pile->published ? NULL : pile->simd);
    add_count(object, "objects", pile->objects);
    add_number(object, "busiest_frames_per_second", pile->busiest_rate);
    if (pile->published)
        return object;
    add_number(object, "late_frames_per_second", pile->late_rate);
    add_count(object, "busiest_frame", pile->busiest_frame);
    add_count(object, "rounds", pile->rounds);
    add_count(object, "frames", pile->frames);
    add_count(object, "bodies", pile->bodies);
    add_count(object, "joints", pile->joints);
    add_count(object, "particles", pile->particles);
    add_number(object, "gap_mean", pile->gap_mean);
    add_number(object, "gap_largest", pile->gap_largest);
    add_number(object, "gap_worst", pile->gap_worst);
    add_stages(object, pile->stages, pile->stage_count);
    return object;
}

static cJSON *fluid_object(const report_fluid *fluid)
{
    cJSON *object =
        result_object("dam-break", fluid->engine, fluid->threads, fluid->published ? NULL : fluid->simd);
    add_count(object, "particles", fluid->particles);
    add_count(object, "substeps", fluid->substeps);
    add_count(object, "iterations", fluid->iterations);
    add_number(object, "ms_median", fluid->ms_median);
    add_number(object, "ns_per_particle_iteration", fluid->ns_per_particle_iteration);
    add_number(object, "neighbors", fluid->neighbors);
    add_number(object, "ns_per_pair", fluid->ns_per_pair);
    if (fluid->published)
        return object;
    add_count(object, "steps_per_simulated_second", fluid->rate);
    add_count(object, "first_frame", fluid->first_frame);
    add_count(object, "frames", fluid->frames);
    add_number(object, "ms_best", fluid->ms_best);
    add_number(object, "ms_p95", fluid->ms_p95);
    add_number(object, "ns_per_particle_iteration_best", fluid->ns_best);
    add_number(object, "seconds_per_simulated_second", fluid->seconds_per_second);
    add_number(object, "density_error_mean", fluid->density_mean);
    add_number(object, "density_error_largest", fluid->density_largest);
    add_stages(object, fluid->stages, fluid->stage_count);
    add_count(object, "memory", fluid->memory);
    return object;
}

static cJSON *limit_object(const report_limit *limit)
{
    cJSON *object = result_object("machine", "machine", limit->threads, limit->simd);
    cJSON_AddStringToObject(object, "measure", limit->measure);
    add_count(object, "bytes", limit->bytes);
    add_number(object, "value", limit->value);
    cJSON_AddStringToObject(object, "unit", limit->unit);
    add_count(object, "operations", limit->operations);
    add_count(object, "passes", limit->passes);
    add_number(object, "ms_median", limit->ms_median);
    add_number(object, "ms_p95", limit->ms_p95);
    return object;
}

bool report_print_json(const bench_report *report)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "commit", build_commit);
    cJSON_AddStringToObject(root, "compiler", build_compiler);
    cJSON_AddStringToObject(root, "build", build_type);
    cJSON_AddStringToObject(root, "cpu", report_cpu_name());
    add_count(root, "cores", mote_core_count());
    cJSON *results = cJSON_AddArrayToObject(root, "results");
    for (size_t i = 0; i < report->run_count; i++)
        cJSON_AddItemToArray(results, run_object(&report->runs[i]));
    for (size_t i = 0; i < report->pile_count; i++)
        cJSON_AddItemToArray(results, pile_object(&report->piles[i]));
    for (size_t i = 0; i < report->fluid_count; i++)
        cJSON_AddItemToArray(results, fluid_object(&report->fluids[i]));
    for (size_t i = 0; i < report->limit_count; i++)
        cJSON_AddItemToArray(results, limit_object(&report->limits[i]));
    cJSON *ratios = cJSON_AddObjectToObject(root, "ratios");
    for (size_t i = 0; i < report->ratio_count; i++)
        add_number(ratios, report->ratios[i].key, report->ratios[i].value);

    char *text = cJSON_Print(root);
    bool printed = text != NULL && puts(text) >= 0 && fflush(stdout) == 0;
    if (!printed)
        complain("bench: cannot write the report");
    cJSON_free(text);
    cJSON_Delete(root);
    return printed;
}
