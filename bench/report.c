#include "report.h"

#include "tools/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more element at the end of the list; NULL (said on stderr) when there is no memory. Reports are
 * small, so that growing one by one does no harm. */
static void *append(void *list, size_t *count, size_t element_size)
{
    void *larger = realloc(list, (*count + 1) * element_size);
    if (larger == NULL)
        complain("bench: no memory for the report");
    else
        ++*count;
    return larger;
}

bool report_add_run(bench_report *report, const report_run *run)
{
    report_run *runs = append(report->runs, &report->run_count, sizeof *runs);
    if (runs == NULL)
        return false;
    report->runs = runs;
    runs[report->run_count - 1] = *run;
    return true;
}

bool report_add_limit(bench_report *report, const report_limit *limit)
{
    report_limit *limits = append(report->limits, &report->limit_count, sizeof *limits);
    if (limits == NULL)
        return false;
    report->limits = limits;
    limits[report->limit_count - 1] = *limit;
    return true;
}

bool report_add_pile(bench_report *report, const report_pile *pile)
{
    report_pile *piles = append(report->piles, &report->pile_count, sizeof *piles);
    if (piles == NULL)
        return false;
    report->piles = piles;
    piles[report->pile_count - 1] = *pile;
    return true;
}

bool report_add_fluid(bench_report *report, const report_fluid *fluid)
{
    report_fluid *fluids = append(report->fluids, &report->fluid_count, sizeof *fluids);
    if (fluids == NULL)
        return false;
    report->fluids = fluids;
    fluids[report->fluid_count - 1] = *fluid;
    return true;
}

bool report_add_ratio(bench_report *report, const report_ratio *ratio)
{
    report_ratio *ratios = append(report->ratios, &report->ratio_count, sizeof *ratios);
    if (ratios == NULL)
        return false;
    report->ratios = ratios;
    ratios[report->ratio_count - 1] = *ratio;
    return true;
}

void report_free(bench_report *report)
{
    free(report->runs);
    free(report->limits);
    free(report->piles);
    free(report->fluids);
    free(report->ratios);
    *report = (bench_report){0};
}

const char *report_cpu_name(void)
{
    static char name[128];
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    strcpy(name, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (value != NULL) {
            value += 1 + strspn(value + 1, " \t");
            snprintf(name, sizeof name, "%.*s", (int)strcspn(value, "\n"), value);
            break;
        }
    }
    if (file != NULL)
        fclose(file);
    return name;
}
