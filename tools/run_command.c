/* `mote run`: simulates a scene and says how it went. */
#include "command.h"
#include "options.h"
#include "progress.h"
#include "simulation.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define FRAMES_OF_SCENE UINT32_MAX /* --frames was not given */
#define PICTURE_WIDTH   1280
#define PICTURE_HEIGHT  720

typedef struct run_options {
    const char *scene_name, *simd_name, *stats_path, *picture_path;
    uint32_t frames, threads, particles;
    bool hash, quiet;
} run_options;

static bool parse(run_options *run, int argc, char **argv, int *exit_code)
{
    const option options[] = {
        {"--frames", OPTION_NUMBER, &run->frames, "N", "frames to simulate (else what the scene wants)", 0,
         100000000},
        {"--threads", OPTION_NUMBER, &run->threads, "T", "threads to use (0: one a core)", 0, 64},
        {"--simd", OPTION_TEXT, &run->simd_name, "LEVEL", "auto, baseline, avx2 or avx512", 0, 0},
        {"--particles", OPTION_NUMBER, &run->particles, "N", "about how many, in a scene that scales", 1,
         100000000},
        {"--hash", OPTION_FLAG, &run->hash, NULL, "print the hash of the final state as the last line", 0, 0},
        {"--stats", OPTION_TEXT, &run->stats_path, "FILE.json", "write times, energies and errors", 0, 0},
        {"--picture", OPTION_TEXT, &run->picture_path, "FILE.png", "draw the final state", 0, 0},
        {"--quiet", OPTION_FLAG, &run->quiet, NULL, "no progress bar and no summary", 0, 0},
    };
    const syntax run_syntax = {
        .usage = "mote run SCENE [options]",
        .summary = "Simulates a scene. 'mote scenes' lists them.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .operand = &run->scene_name,
        .operand_name = "SCENE",
    };
    return options_parse(&run_syntax, argc, argv, exit_code);
}

/* A long run should not end with "permission denied": tries the file first, without touching what is in it. */
static bool is_writable(const char *path)
{
    if (path == NULL)
        return true;
    FILE *file = fopen(path, "ab");
    if (file == NULL) {
        complain("cannot write '%s': %s", path, strerror(errno));
        return false;
    }
    fclose(file);
    return true;
}

static bool simulate(simulation *s, uint32_t frames, bool quiet)
{
    progress bar;
    progress_start(&bar, s->scene->name, frames, quiet);
    bool going = true;
    for (uint32_t frame = 0; frame < frames && going; frame++) {
        going = simulation_step(s);
        if (going)
            progress_update(&bar, s->frame, mote_particle_count(s->world), s->frame_ms[frame]);
    }
    progress_end(&bar);
    return going;
}

static bool print_summary(simulation *s)
{
    mote_stats stats;
    mote_result result = mote_world_stats(s->world, &stats);
    if (result != MOTE_OK) {
        complain("no statistics: %s", library_error(result));
        return false;
    }
    printf("%s: %zu particles, %u frames, %u threads, %s\n", s->scene->name, stats.particles, s->frame,
           mote_world_thread_count(s->world), mote_simd_name(mote_world_simd(s->world)));
    printf("ms a frame: median %.2f, 95 %% below %.2f\n", simulation_percentile_ms(s, 0.5),
           simulation_percentile_ms(s, 0.95));
    printf("kinetic energy %.6g J, potential %.6g J, deepest penetration %.3g m, asleep %zu\n",
           stats.kinetic_energy, stats.potential_energy, (double)stats.max_penetration, stats.asleep);
    return true;
}

/* Everything that the user wants to see of the run; tries all of it even if some fails. */
static bool report(simulation *s, const run_options *run)
{
    bool done = run->quiet || print_summary(s);
    if (run->stats_path != NULL)
        done = simulation_write_stats(s, run->stats_path) && done;
    if (run->picture_path != NULL)
        done = simulation_picture(s, PICTURE_WIDTH, PICTURE_HEIGHT, run->picture_path) && done;
    if (run->hash)
        printf("state-hash: %016" PRIx64 "\n", mote_world_hash(s->world));
    return done;
}

int run_command(int argc, char **argv)
{
    run_options run = {.frames = FRAMES_OF_SCENE};
    int exit_code;
    if (!parse(&run, argc, argv, &exit_code))
        return exit_code;
    mote_simd simd;
    const scene *chosen = find_scene_or_complain(run.scene_name);
    if (chosen == NULL || !find_simd_or_complain(run.simd_name, &simd))
        return EXIT_USAGE;
    if (run.particles > 0 && !chosen->scalable) {
        complain("run: the number of particles of '%s' is fixed; leave --particles out", chosen->name);
        return EXIT_USAGE;
    }
    if (!is_writable(run.stats_path) || !is_writable(run.picture_path))
        return EXIT_FAILED;

    uint32_t frames = run.frames == FRAMES_OF_SCENE ? chosen->frames : run.frames;
    simulation s;
    if (!simulation_create(&s, chosen, &(scene_options){run.particles}, frames, run.threads, simd))
        return EXIT_FAILED;
    bool done = simulate(&s, frames, run.quiet) && report(&s, &run);
    simulation_destroy(&s);
    return done ? EXIT_OK : EXIT_FAILED;
}
