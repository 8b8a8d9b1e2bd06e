/* The command: what is asked for, which benchmarks run, in which form the report is printed. */
#define _POSIX_C_SOURCE 200809L /* isatty */

#include "bench.h"

#include "io/nearest.h"
#include "suite.h"
#include "tools/command.h"
#include "tools/options.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const benchmark BENCHMARKS[] = {
    {"grains", "a falling column of grains, beside Bullet if the build has it",
     TAKES_PARTICLES | TAKES_FRAMES | TAKES_ROUNDS, false, grains_bench},
    {"neighbors", "the search for neighbours alone, in the same column",
     TAKES_PARTICLES | TAKES_FRAMES | TAKES_ROUNDS, false, neighbors_bench},
    {"shapes", "50,000 particles among 5,000 shapes, against one plane",
     TAKES_PARTICLES | TAKES_FRAMES | TAKES_ROUNDS, false, shapes_bench},
    {"jointed-pile", "jointed objects on a pile, beside Bullet (only by its name)",
     TAKES_OBJECTS | TAKES_FRAMES | TAKES_ROUNDS, true, jointed_pile_bench},
    {"pairs-540", "270 pairs of long bodies, beside Bullet (only by its name)", TAKES_FRAMES | TAKES_ROUNDS,
     true, pairs_540_bench},
    {"dam-break", "a collapsing column of liquid, beside what others took elsewhere (only by its name)",
     TAKES_PARTICLES | TAKES_FRAMES | TAKES_ROUNDS | TAKES_SOLVER, true, dam_break_bench},
    {"locality", "1,000 jointed bodies, without and with a drop of water 50 m away",
     TAKES_OBJECTS | TAKES_FRAMES, false, locality_bench},
    {"machine", "what the machine allows: memory, arithmetic, cores", TAKES_ROUNDS, false, machine_bench},
};
#define BENCHMARK_COUNT (sizeof BENCHMARKS / sizeof BENCHMARKS[0])

/* Limits of what can be asked for. */
#define MAX_PARTICLES  100000000
#define MAX_OBJECTS    100000
#define MAX_THREADS    64
#define MAX_REPEAT     1000
#define MAX_FRAMES     100000
#define MAX_RATE       1000000 /* 1 / MOTE_MIN_DT */
#define MAX_SUBSTEPS   1000    /* this and the next: of mote_settings */
#define MAX_ITERATIONS 10000

/* ---- for the benchmarks -------------------------------------------------------------------------------- */

bench_list bench_threads(const bench_options *options)
{
    if (options->threads.count > 0)
        return options->threads;
    return mote_core_count() > 1 ? (bench_list){{1, 2}, 2} : (bench_list){{1}, 1};
}

void bench_progress(const char *format, ...)
{
    if (!isatty(STDERR_FILENO))
        return;
    va_list arguments;
    va_start(arguments, format);
    fputc('\r', stderr);
    vfprintf(stderr, format, arguments);
    fputs("\033[K", stderr); /* wipes what is left of the line before */
    fflush(stderr);
    va_end(arguments);
}

void bench_begin(const char *name, uint32_t objects, uint32_t frames, uint32_t rounds)
{
    if (!isatty(STDERR_FILENO)) /* else bench_progress tells more */
        fprintf(stderr, "%s: %" PRIu32 " objects, %" PRIu32 " frames, %" PRIu32 " rounds\n", name, objects,
                frames, rounds);
}

/* ---- what is asked for --------------------------------------------------------------------------------- */

/* "1000,20000": whole numbers from 1 to `highest`, in a text that may be NULL. */
static bool parse_list(const char *option_name, const char *text, uint32_t highest, bench_list *list)
{
    while (text != NULL) {
        char *end;
        unsigned long long number = strtoull(text, &end, 10);
        size_t length = strcspn(text, ",");
        bool whole = text[0] >= '0' && text[0] <= '9' && end == text + length;
        if (!whole || number < 1 || number > highest) {
            complain("bench: %s: '%.*s' is not a whole number between 1 and %u", option_name, (int)length, text,
                     highest);
            return false;
        }
        if (list->count == BENCH_LIST_LIMIT) {
            complain("bench: %s takes at most %d numbers", option_name, BENCH_LIST_LIMIT);
            return false;
        }
        list->values[list->count++] = (uint32_t)number;
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    return true;
}

/* NULL after a complaint that lists what there is. */
static const benchmark *find_benchmark(const char *name)
{
    const char *best = NULL;
    char names[128] = "";
    for (size_t i = 0; i < BENCHMARK_COUNT; i++) {
        const char *known = BENCHMARKS[i].name;
        if (strcmp(name, known) == 0)
            return &BENCHMARKS[i];
        if (is_near(name, known) && (best == NULL || edit_distance(name, known) < edit_distance(name, best)))
            best = known;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", known);
    }
    if (best != NULL)
        complain("bench: unknown benchmark '%s'; did you mean '%s'? There are %s", name, best, names);
    else
        complain("bench: unknown benchmark '%s'; there are %s", name, names);
    return NULL;
}

/* Takes the name out of the arguments, wherever it stands; NULL if there is none. The parser knows operands
 * that must be given, and this one need not. */
static const char *take_name(int *argc, char **argv, const option *options, size_t option_count)
{
    for (int i = 1; i < *argc; i++) {
        if (argv[i][0] != '-') {
            const char *name = argv[i];
            for (int k = i + 1; k < *argc; k++)
                argv[k - 1] = argv[k];
            --*argc;
            return name;
        }
        for (size_t k = 0; k < option_count; k++)
            if (options[k].type != OPTION_FLAG && strcmp(argv[i], options[k].name) == 0) {
                i++; /* its value is no name */
                break;
            }
    }
    return NULL;
}

typedef struct bench_request {
    const benchmark *only; /* NULL: all */
    bench_options options;
    bool json;
} bench_request;

/* A benchmark by name that does not know an option is a mistake; when all run, each takes what it knows. */
static bool fits(const bench_request *request)
{
    const bench_options *options = &request->options;
    if (request->only == NULL)
        return true;
    uint32_t takes = request->only->takes;
    const char *unknown = options->particles.count > 0 && !(takes & TAKES_PARTICLES) ? "--particles"
                          : options->objects.count > 0 && !(takes & TAKES_OBJECTS)   ? "--objects"
                          : options->frames > 0 && !(takes & TAKES_FRAMES)           ? "--frames"
                          : options->repeat > 0 && !(takes & TAKES_ROUNDS)           ? "--repeat"
                          : options->rate > 0 && !(takes & TAKES_SOLVER)             ? "--rate"
                          : options->substeps > 0 && !(takes & TAKES_SOLVER)         ? "--substeps"
                          : options->iterations > 0 && !(takes & TAKES_SOLVER)       ? "--iterations"
                                                                                     : NULL;
    if (unknown != NULL)
        complain("bench: %s does not take %s", request->only->name, unknown);
    return unknown == NULL;
}

static bool parse(bench_request *request, int argc, char **argv, int *exit_code)
{
    const char *particles = NULL, *objects = NULL, *threads = NULL;
    bench_options *wanted = &request->options;
    const option options[] = {
        {"--particles", OPTION_TEXT, &particles, "N,...", "sizes (else 10000 or 20000, 100000 and 1000000)", 0,
         0},
        {"--objects", OPTION_TEXT, &objects, "N,...", "jointed objects (else 300,600,1200)", 0, 0},
        {"--threads", OPTION_TEXT, &threads, "T,...", "thread counts (else 1,2; machine: 1 and all cores)", 0,
         0},
        {"--repeat", OPTION_NUMBER, &wanted->repeat, "R",
         "rounds, all that is compared takes turns; medians are taken over them", 1, MAX_REPEAT},
        {"--frames", OPTION_NUMBER, &wanted->frames, "F", "frames to measure in each round", 1, MAX_FRAMES},
        {"--rate", OPTION_NUMBER, &wanted->rate, "HZ", "steps a simulated second of the dam-break (else 200)",
         1, MAX_RATE},
        {"--substeps", OPTION_NUMBER, &wanted->substeps, "N", "of a step of the dam-break (else 1)", 1,
         MAX_SUBSTEPS},
        {"--iterations", OPTION_NUMBER, &wanted->iterations, "N", "of its solver in a substep (else 4)", 1,
         MAX_ITERATIONS},
        {"--json", OPTION_FLAG, &request->json, NULL, "print one JSON object instead of tables", 0, 0},
    };
    const size_t option_count = sizeof options / sizeof options[0];
    char summary[1024] = "Measures on this machine: all benchmarks, or the one named.\n";
    for (size_t i = 0; i < BENCHMARK_COUNT; i++) {
        size_t used = strlen(summary);
        snprintf(summary + used, sizeof summary - used, "\n  %-20s %s", BENCHMARKS[i].name,
                 BENCHMARKS[i].title);
    }
    const syntax bench_syntax = {.usage = "mote bench [NAME] [options]",
                                 .summary = summary,
                                 .options = options,
                                 .option_count = option_count};

    const char *name = take_name(&argc, argv, options, option_count);
    if (!options_parse(&bench_syntax, argc, argv, exit_code))
        return false;
    *exit_code = EXIT_USAGE;
    return (name == NULL || (request->only = find_benchmark(name)) != NULL) &&
           parse_list("--particles", particles, MAX_PARTICLES, &wanted->particles) &&
           parse_list("--objects", objects, MAX_OBJECTS, &wanted->objects) &&
           parse_list("--threads", threads, MAX_THREADS, &wanted->threads) && fits(request);
}

/* ---- the command --------------------------------------------------------------------------------------- */

static bool run_benchmarks(const bench_request *request, bench_report *report)
{
    bool done = true;
    for (size_t i = 0; done && i < BENCHMARK_COUNT; i++)
        if (request->only == &BENCHMARKS[i] || (request->only == NULL && !BENCHMARKS[i].only_by_name))
            done = BENCHMARKS[i].run(&request->options, report);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return done;
}

int bench_command(int argc, char **argv)
{
    bench_request request = {0};
    int exit_code;
    if (!parse(&request, argc, argv, &exit_code))
        return exit_code;

    bench_report report = {0};
    bool done = run_benchmarks(&request, &report);
    if (done && request.json)
        done = report_print_json(&report);
    else if (done)
        report_print_tables(&report);
    report_free(&report);
    return done ? EXIT_OK : EXIT_FAILED;
}
