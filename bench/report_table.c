/* The report as tables for people. */
#include "report.h"

#include "build_info.h"
#include "mote/mote.h"

#include <stdio.h>
#include <string.h>

/* "1,000,000" */
static const char *grouped(uint64_t value, char text[32])
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    int out = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}

static const char *byte_text(uint64_t bytes, char text[32])
{
    const char *units[] = {"B", "KiB", "MiB", "GiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024.0 && unit < 3; unit++)
        value /= 1024.0;
    snprintf(text, 32, value < 10.0 && unit > 0 ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return bytes ? text : "-";
}

static void print_runs(const report_run *runs, size_t count)
{
    printf("\n%s: %s\n", runs[0].name, runs[0].subject);
    printf("%-8s%12s%9s  %-9s%8s%11s%11s%16s%12s%14s%10s\n", "engine", "particles", "threads", "simd", "frames",
           "ms median", "ms p95", "ns/particle-it.", "deepest", "overlap/part.", "memory");
    for (size_t i = 0; i < count; i++) {
        const report_run *run = &runs[i];
        char particles[32], memory[32];
        printf("%-8s%12s%9u  %-9s%8u%11.3f%11.3f%16.2f%10.2f %%%12.3f %%%10s\n", run->engine,
               grouped(run->particles, particles), run->threads, run->simd, run->frames, run->ms_median,
               run->ms_p95, run->ns_per_particle_iteration, 100.0 * run->max_penetration / run->radius,
               100.0 * run->residual_per_particle / run->radius, byte_text(run->memory, memory));
    }
    printf("(overlaps in percent of the radius)\n");
}

static const char *run_label(const report_run *run, char text[32])
{
    bool millions = run->particles >= 1000000 && run->particles % 1000000 == 0;
    bool thousands = run->particles >= 1000 && run->particles % 1000 == 0;
    snprintf(text, 32, "%llu%s/%uT",
             (unsigned long long)run->particles / (millions    ? 1000000
                                                   : thousands ? 1000
                                                               : 1),
             millions    ? "M"
             : thousands ? "k"
                         : "",
             run->threads);
    return text;
}

/* Stages down, runs across; peers have no stages and are left out. */
static void print_stages(const report_run *runs, size_t count)
{
    const report_run *first = NULL;
    for (size_t i = 0; i < count && first == NULL; i++)
        if (runs[i].stage_count > 0)
            first = &runs[i];
    if (first == NULL)
        return;

    char label[32];
    printf("\n%-18s", "stage, mean ms");
    for (size_t i = 0; i < count; i++)
        if (runs[i].stage_count > 0)
            printf("%11s", run_label(&runs[i], label));
    printf("\n");
    for (size_t stage = 0; stage < first->stage_count; stage++) {
        printf("%-18s", first->stages[stage].name);
        for (size_t i = 0; i < count; i++)
            if (runs[i].stage_count > 0)
                printf("%11.3f", runs[i].stages[stage].ms);
        printf("\n");
    }
}

static void print_pile(const report_pile *pile)
{
    char particles[32], late[32] = "-";
    if (pile->published) {
        printf("%-21s%8u%48.1f  (published)\n", pile->engine, pile->objects, pile->busiest_rate);
        return;
    }
    if (pile->late_rate > 0.0)
        snprintf(late, sizeof late, "%.1f", pile->late_rate);
    printf("%-21s%8u%8u%12s%9u  %-9s%8.1f%10s%10.2f%10.2f%10.2f\n", pile->engine, pile->objects, pile->joints,
           pile->particles > 0 ? grouped(pile->particles, particles) : "-", pile->threads, pile->simd,
           pile->busiest_rate, late, 1e3 * pile->gap_mean, 1e3 * pile->gap_largest, 1e3 * pile->gap_worst);
}

/* Stages down, piles across, as above. */
static void print_pile_stages(const report_pile *piles, size_t count)
{
    const report_pile *first = NULL;
    printf("\n%-18s", "stage, mean ms");
    for (size_t i = 0; i < count; i++) {
        if (piles[i].stage_count == 0)
            continue;
        char label[32];
        snprintf(label, sizeof label, "%u/%uT", piles[i].objects, piles[i].threads);
        printf("%11s", label);
        first = &piles[i];
    }
    printf("\n");
    for (size_t stage = 0; first != NULL && stage < first->stage_count; stage++) {
        printf("%-18s", first->stages[stage].name);
        for (size_t i = 0; i < count; i++)
            if (piles[i].stage_count > 0)
                printf("%11.3f", piles[i].stages[stage].ms);
        printf("\n");
    }
}

/* Why contestants with the same objects have different numbers of joints, if they have. */
static void print_joints_note(const report_pile *piles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (piles[i].objects == piles[k].objects && !piles[i].published && !piles[k].published &&
                piles[i].joints != piles[k].joints) {
                printf("Mote's universal joint is a body between two joints, so that it has more of them.\n");
                return;
            }
}

static void print_piles(const report_pile *piles, size_t count)
{
    printf(
        "\n%s: frames a second in the busiest two seconds, and in the two after ten, of frames' medians over "
        "%u rounds; joints' gaps in mm\n",
        piles[0].name, piles[0].rounds);
    printf("%-21s%8s%8s%12s%9s  %-9s%8s%10s%10s%10s%10s\n", "engine", "objects", "joints", "particles",
           "threads", "simd", "busiest", "late", "mean gap", "largest", "worst");
    for (size_t i = 0; i < count; i++)
        print_pile(&piles[i]);
    print_joints_note(piles, count);
    print_pile_stages(piles, count);
}

static void print_fluid(const report_fluid *fluid)
{
    char particles[32], memory[32], rate[32] = "-";
    if (fluid->rate > 0)
        snprintf(rate, sizeof rate, "%u", fluid->rate);
    printf("%-26s%10s%8u  %-8s%5s%4u x %-4u%10.2f%12.1f%8.1f%9.2f", fluid->engine,
           grouped(fluid->particles, particles), fluid->threads, fluid->simd, rate, fluid->substeps,
           fluid->iterations, fluid->ms_median, fluid->ns_per_particle_iteration, fluid->neighbors,
           fluid->ns_per_pair);
    if (fluid->published)
        printf("  (on another machine)\n");
    else
        printf("%10.2f%9.2f%9.2f%10s%10.2f%9.1f\n", fluid->seconds_per_second, 100.0 * fluid->density_mean,
               100.0 * fluid->density_largest, byte_text(fluid->memory, memory), fluid->ms_best,
               fluid->ns_best);
}

/* Stages down, runs across, as above: their parts of the whole. */
static void print_fluid_stages(const report_fluid *fluids, size_t count)
{
    const report_fluid *first = NULL;
    printf("\n%-18s", "best, % of sum");
    for (size_t i = 0; i < count; i++) {
        if (fluids[i].published)
            continue;
        char label[48], particles[32];
        snprintf(label, sizeof label, "%s/%uT", grouped(fluids[i].particles, particles), fluids[i].threads);
        printf("%14s", label);
        first = &fluids[i];
    }
    printf("\n");
    for (size_t stage = 0; first != NULL && stage < first->stage_count; stage++) {
        printf("%-18s", first->stages[stage].name);
        for (size_t i = 0; i < count; i++) {
            double whole = 0.0;
            for (size_t k = 0; k < fluids[i].stage_count; k++)
                whole += fluids[i].stages[k].ms;
            if (!fluids[i].published)
                printf("%14.1f", whole > 0.0 ? 100.0 * fluids[i].stages[stage].ms / whole : 0.0);
        }
        printf("\n");
    }
}

static void print_fluids(const report_fluid *fluids, size_t count)
{
    printf("\ndam-break: a step in the collapse; what there is too much of density in "
           "%%\n");
    printf("%-26s%10s%8s  %-8s%5s%11s%10s%12s%8s%9s%10s%9s%9s%10s%10s%9s\n", "engine", "particles", "threads",
           "simd", "Hz", "sub x it.", "ms median", "ns/part-it.", "neighb.", "ns/pair", "s/sim. s", "mean",
           "largest", "memory", "ms best", "ns best");
    for (size_t i = 0; i < count; i++)
        print_fluid(&fluids[i]);
    print_fluid_stages(fluids, count);
}

static void print_limits(const report_limit *limits, size_t count)
{
    printf("\nmachine\n");
    printf("%-14s%10s%9s  %-9s%12s\n", "measure", "memory", "threads", "simd", "median");
    for (size_t i = 0; i < count; i++) {
        const report_limit *limit = &limits[i];
        char memory[32];
        printf("%-14s%10s%9u  %-9s%12.1f %s\n", limit->measure, byte_text(limit->bytes, memory), limit->threads,
               limit->simd, limit->value, limit->unit);
    }
}

void report_print_tables(const bench_report *report)
{
    printf("commit %s, %s, %s\n%s, %u cores\n", build_commit, build_compiler, build_type, report_cpu_name(),
           mote_core_count());
    for (size_t begin = 0, end = 0; begin < report->run_count; begin = end) {
        const char *name = report->runs[begin].name;
        while (end < report->run_count && strcmp(report->runs[end].name, name) == 0)
            end++;
        print_runs(report->runs + begin, end - begin);
        print_stages(report->runs + begin, end - begin);
    }
    for (size_t begin = 0, end = 0; begin < report->pile_count; begin = end) {
        const char *name = report->piles[begin].name;
        while (end < report->pile_count && strcmp(report->piles[end].name, name) == 0)
            end++;
        print_piles(report->piles + begin, end - begin);
    }
    if (report->fluid_count > 0)
        print_fluids(report->fluids, report->fluid_count);
    if (report->limit_count > 0)
        print_limits(report->limits, report->limit_count);
    if (report->ratio_count > 0)
        printf("\n");
    for (size_t i = 0; i < report->ratio_count; i++)
        printf("%-70s %8.2f\n", report->ratios[i].text, report->ratios[i].value);
}
