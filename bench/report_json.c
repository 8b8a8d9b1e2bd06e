/* The report as one JSON object: who measured, `results` of the engines, `piles` of jointed objects,
 * `fluids`, `ratios` between them, and `machine`, what the machine allows. */
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

static cJSON *run_object(const report_run *run)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", run->name);
    cJSON_AddStringToObject(object, "subject", run->subject);
    cJSON_AddStringToObject(object, "engine", run->engine);
    add_count(object, "particles", run->particles);
    add_count(object, "threads", run->threads);
    cJSON_AddStringToObject(object, "simd", run->simd);
    add_count(object, "frames", run->frames);
    add_number(object, "ms_median", run->ms_median);
    add_number(object, "ms_p95", run->ms_p95);
    add_number(object, "ns_per_particle_iteration", run->ns_per_particle_iteration);
    cJSON *stages = cJSON_AddObjectToObject(object, "stages");
    for (size_t i = 0; i < run->stage_count; i++)
        add_number(stages, run->stages[i].name, run->stages[i].ms);
    add_number(object, "radius", run->radius);
    add_number(object, "max_penetration", run->max_penetration);
    add_number(object, "residual_per_particle", run->residual_per_particle);
    if (run->memory)
        add_count(object, "memory", run->memory);
    return object;
}

static cJSON *pile_object(const report_pile *pile)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", pile->name);
    cJSON_AddStringToObject(object, "engine", pile->engine);
    cJSON_AddBoolToObject(object, "published", pile->published);
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
    add_count(object, "threads", pile->threads);
    cJSON_AddStringToObject(object, "simd", pile->simd);
    add_number(object, "gap_mean", pile->gap_mean);
    add_number(object, "gap_largest", pile->gap_largest);
    add_number(object, "gap_worst", pile->gap_worst);
    cJSON *stages = cJSON_AddObjectToObject(object, "stages");
    for (size_t i = 0; i < pile->stage_count; i++)
        add_number(stages, pile->stages[i].name, pile->stages[i].ms);
    return object;
}

static cJSON *fluid_object(const report_fluid *fluid)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", "dam-break");
    cJSON_AddStringToObject(object, "engine", fluid->engine);
    cJSON_AddBoolToObject(object, "another_machine", fluid->published);
    add_count(object, "particles", fluid->particles);
    add_count(object, "threads", fluid->threads);
    add_count(object, "substeps", fluid->substeps);
    add_count(object, "iterations", fluid->iterations);
    add_number(object, "ms_median", fluid->ms_median);
    add_number(object, "ns_per_particle_iteration", fluid->ns_per_particle_iteration);
    add_number(object, "neighbors", fluid->neighbors);
    add_number(object, "ns_per_pair", fluid->ns_per_pair);
    if (fluid->published)
        return object;
    cJSON_AddStringToObject(object, "simd", fluid->simd);
    add_count(object, "steps_per_simulated_second", fluid->rate);
    add_count(object, "first_frame", fluid->first_frame);
    add_count(object, "frames", fluid->frames);
    add_number(object, "ms_best", fluid->ms_best);
    add_number(object, "ms_p95", fluid->ms_p95);
    add_number(object, "ns_per_particle_iteration_best", fluid->ns_best);
    add_number(object, "seconds_per_simulated_second", fluid->seconds_per_second);
    add_number(object, "density_error_mean", fluid->density_mean);
    add_number(object, "density_error_largest", fluid->density_largest);
    cJSON *stages = cJSON_AddObjectToObject(object, "stages");
    for (size_t i = 0; i < fluid->stage_count; i++)
        add_number(stages, fluid->stages[i].name, fluid->stages[i].ms);
    add_count(object, "memory", fluid->memory);
    return object;
}

static cJSON *limit_object(const report_limit *limit)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "measure", limit->measure);
    add_count(object, "bytes", limit->bytes);
    add_count(object, "threads", limit->threads);
    cJSON_AddStringToObject(object, "simd", limit->simd);
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
    cJSON *piles = cJSON_AddArrayToObject(root, "piles");
    for (size_t i = 0; i < report->pile_count; i++)
        cJSON_AddItemToArray(piles, pile_object(&report->piles[i]));
    cJSON *fluids = cJSON_AddArrayToObject(root, "fluids");
    for (size_t i = 0; i < report->fluid_count; i++)
        cJSON_AddItemToArray(fluids, fluid_object(&report->fluids[i]));
    cJSON *ratios = cJSON_AddObjectToObject(root, "ratios");
    for (size_t i = 0; i < report->ratio_count; i++)
        add_number(ratios, report->ratios[i].key, report->ratios[i].value);
    cJSON *machine = cJSON_AddArrayToObject(root, "machine");
    for (size_t i = 0; i < report->limit_count; i++)
        cJSON_AddItemToArray(machine, limit_object(&report->limits[i]));

    char *text = cJSON_Print(root);
    bool printed = text != NULL && puts(text) >= 0 && fflush(stdout) == 0;
    if (!printed)
        complain("bench: cannot write the report");
    cJSON_free(text);
    cJSON_Delete(root);
    return printed;
}
