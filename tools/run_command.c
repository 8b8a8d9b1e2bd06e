/* `mote run`: simulates a scene and says how it went. */
#include "command.h"

#include "checkpoint.h"
#include "faults.h"
#include "interrupt.h"
#include "io/nearest.h"
#include "io/safe_file.h"
#include "options.h"
#include "progress.h"
#include "run_files.h"
#include "stats_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define FRAMES_OF_SCENE  UINT32_MAX /* --frames was not given */
#define MAX_FRAMES       100000000
#define CHECKPOINT_EVERY 60 /* frames, unless told otherwise */
#define PICTURE_WIDTH    1280
#define PICTURE_HEIGHT   720

typedef struct run_options {
    const char *scene_name, *simd_name, *stats_path, *picture_path;
    const char *export_folder, *format_name, *contacts_path, *checkpoint_path, *resume_path;
    uint32_t frames, threads, particles;
    uint32_t export_every, checkpoint_every; /* frames; 0: not given */
    text_list overrides;
    bool surfaces, hash, quiet;
} run_options;

static bool parse(run_options *run, int argc, char **argv, int *exit_code)
{
    const option options[] = {
        {"--frames", OPTION_NUMBER, &run->frames, "N", "frames in all (else what the scene wants)", 0,
         MAX_FRAMES},
        {"--particles", OPTION_NUMBER, &run->particles, "N", "about how many, in a scene that scales", 1,
         100000000},
        {"--set", OPTION_LIST, &run->overrides, "PATH=VALUE", "another value of a field: solver.substeps=8", 0,
         0},
        {"--threads", OPTION_NUMBER, &run->threads, "T", "threads to use (0: one a core)", 0, 64},
        {"--simd", OPTION_TEXT, &run->simd_name, "LEVEL", "auto, baseline, avx2 or avx512", 0, 0},
        {"--export", OPTION_TEXT, &run->export_folder, "DIR", "write every frame there, see --format", 0, 0},
        {"--format", OPTION_TEXT, &run->format_name, "NAME",
         "vtk, ply, csv (particles) or obj (surfaces); else vtk", 0, 0},
        {"--every", OPTION_NUMBER, &run->export_every, "K", "export each K-th frame only", 1, MAX_FRAMES},
        {"--contacts", OPTION_TEXT, &run->contacts_path, "FILE.csv",
         "write all contacts of materials that report them", 0, 0},
        {"--checkpoint", OPTION_TEXT, &run->checkpoint_path, "FILE", "keep what a later run can go on from", 0,
         0},
        {"--checkpoint-every", OPTION_NUMBER, &run->checkpoint_every, "K", "frames between two (else 60)", 1,
         MAX_FRAMES},
        {"--resume", OPTION_TEXT, &run->resume_path, "FILE", "go on from a checkpoint", 0, 0},
        {"--hash", OPTION_FLAG, &run->hash, NULL, "print the hash of the final state as the last line", 0, 0},
        {"--stats", OPTION_TEXT, &run->stats_path, "FILE.json", "write times, energies and errors", 0, 0},
        {"--picture", OPTION_TEXT, &run->picture_path, "FILE.png", "draw the final state", 0, 0},
        {"--surfaces", OPTION_FLAG, &run->surfaces, NULL,
         "in the picture: the meshes and skins of bodies, not their particles", 0, 0},
        {"--quiet", OPTION_FLAG, &run->quiet, NULL, "print errors and the hash only", 0, 0},
    };
    const syntax run_syntax = {
        .usage = "mote run SCENE [options]",
        .summary = "Simulates a scene: a shipped one by its name ('mote scenes' lists them) or a scene file.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .operand = &run->scene_name,
        .operand_name = "SCENE",
    };
    return options_parse(&run_syntax, argc, argv, exit_code);
}

/* ---- what is asked for ----------------------------------------------------------------------------------- */

static bool find_format(const char *name, export_format *format)
{
    if (name == NULL || export_format_find(name, format))
        return true;
    const char *near = NULL;
    for (int i = 0; i < EXPORT_FORMAT_COUNT; i++)
        if (is_near(name, export_format_name((export_format)i)))
            near = export_format_name((export_format)i);
    if (near != NULL)
        complain("run: unknown format '%s'; did you mean '%s'?", name, near);
    else
        complain("run: unknown format '%s'; there are vtk, ply, csv and obj", name);
    return false;
}

/* Options that say how to do what nobody asked for are mistakes. */
static bool fits_together(const run_options *run)
{
    if (run->export_folder == NULL && (run->format_name != NULL || run->export_every > 0))
        complain("run: %s needs --export DIR", run->format_name != NULL ? "--format" : "--every");
    else if (run->checkpoint_path == NULL && run->checkpoint_every > 0)
        complain("run: --checkpoint-every needs --checkpoint FILE");
    else if (run->picture_path == NULL && run->surfaces)
        complain("run: --surfaces needs --picture FILE.png");
    else
        return true;
    return false;
}

/* A long run should not end with "permission denied": tries to write beside the file first, which stays as it
 * is. */
static bool is_writable(const char *path)
{
    char error[FILE_ERROR];
    if (path == NULL)
        return true;
    safe_file *file = safe_file_open(path, error, sizeof error);
    if (file == NULL)
        complain("%s", error);
    safe_file_abort(file);
    return file != NULL;
}

static scene *open_scene(const run_options *run)
{
    const scene_request request = {
        .particles = run->particles, .overrides = run->overrides.items, .override_count = run->overrides.count};
    scene_faults faults = {0};
    scene *opened = scene_open(run->scene_name, &request, &faults);
    faults_print(&faults, run->scene_name, !run->quiet);
    scene_faults_free(&faults);
    if (opened != NULL && run->particles > 0 && !opened->scalable) {
        complain("run: the number of particles of '%s' is fixed; leave --particles out", opened->name);
        scene_close(opened);
        return NULL;
    }
    return opened;
}

static bool resume(simulation *s, const char *path)
{
    char error[CHECKPOINT_ERROR];
    if (!checkpoint_restore(path, s->world, scene_hash(s->scene), &s->frame, error)) {
        complain("%s", error);
        return false;
    }
    if (s->frame > s->frame_limit) {
        complain("the checkpoint '%s' is at frame %u, beyond the end of the run at frame %u", path, s->frame,
                 s->frame_limit);
        return false;
    }
    return true;
}

/* ---- running --------------------------------------------------------------------------------------------- */

/* Up to the last frame, a fault or a signal. */
static bool simulate(simulation *s, run_files *files, bool quiet)
{
    progress bar;
    progress_start(&bar, s->scene->name, s->frame_limit, quiet);
    bar.first = s->frame;
    bool going = true;
    while (going && s->frame < s->frame_limit && interrupt_signal() == 0) {
        going = simulation_step(s) && run_files_frame(files, s);
        if (going)
            progress_update(&bar, s->frame, mote_particle_count(s->world), s->frame_ms[s->frame - 1]);
    }
    progress_end(&bar);
    return going;
}

/* The answer is the exit code that shells give a program that a signal ended. */
static int end_early(const simulation *s, const run_files *files)
{
    if (files->checkpoint_path != NULL)
        complain("interrupted at frame %u of %u; --resume %s goes on from there", s->frame, s->frame_limit,
                 files->checkpoint_path);
    else
        complain("interrupted at frame %u of %u", s->frame, s->frame_limit);
    return 128 + interrupt_signal();
}

static bool print_summary(const simulation *s, uint32_t first_frame)
{
    mote_stats stats;
    mote_result result = mote_world_stats(s->world, &stats);
    if (result != MOTE_OK) {
        complain("no statistics: %s", library_error(result));
        return false;
    }
    printf("%s: %zu particles, %u frames, %u threads, %s\n", s->scene->name, stats.particles, s->frame,
           mote_world_thread_count(s->world), mote_simd_name(mote_world_simd(s->world)));
    if (first_frame > 0)
        printf("resumed at frame %u\n", first_frame);
    const simulation measured = simulation_since(s, first_frame);
    printf("ms a frame: median %.2f, 95 %% below %.2f\n", simulation_percentile_ms(&measured, 0.5),
           simulation_percentile_ms(&measured, 0.95));
    printf("kinetic energy %.6g J, potential %.6g J, deepest penetration %.3g m, asleep %zu\n",
           stats.kinetic_energy, stats.potential_energy, (double)stats.max_penetration, stats.asleep);
    return true;
}

/* Everything that the user wants to see of the run; tries all of it even if some fails. */
static bool report(const simulation *s, const run_options *run, uint32_t first_frame)
{
    bool done = run->quiet || print_summary(s, first_frame);
    if (run->stats_path != NULL)
        done = stats_file_write(s, first_frame, run->stats_path) && done;
    if (run->picture_path != NULL)
        done = simulation_picture(s, run->surfaces, PICTURE_WIDTH, PICTURE_HEIGHT, run->picture_path) && done;
    if (run->hash)
        printf("state-hash: %016" PRIx64 "\n", mote_world_hash(s->world));
    return done;
}

/* From the first frame, or that of the checkpoint, to the report. The answer is the exit code. */
static int run_simulation(simulation *s, const run_options *run, export_format format)
{
    if (run->resume_path != NULL && !resume(s, run->resume_path))
        return EXIT_USAGE;
    run_files files = {
        .export_folder = run->export_folder,
        .format = format,
        .export_every = run->export_every > 0 ? run->export_every : 1,
        .contacts_path = run->contacts_path,
        .checkpoint_path = run->checkpoint_path,
        .checkpoint_every = run->checkpoint_every > 0 ? run->checkpoint_every : CHECKPOINT_EVERY,
    };
    const uint32_t first_frame = s->frame;
    interrupt_watch();
    bool done = run_files_open(&files, s) && simulate(s, &files, run->quiet) && run_files_checkpoint(&files, s);
    done = run_files_close(&files) && done;
    if (done && s->frame < s->frame_limit)
        return end_early(s, &files);
    return done && report(s, run, first_frame) ? EXIT_OK : EXIT_FAILED;
}

/* If it is the scene's fault that it could not be built, where in the file it is. */
static int explain_failure(scene *chosen, const run_options *run)
{
    scene_faults faults = {0};
    bool good = scene_check_built(chosen, &faults);
    if (!good)
        faults_print(&faults, run->scene_name, false);
    scene_faults_free(&faults);
    return good ? EXIT_FAILED : EXIT_USAGE;
}

static int run_scene(scene *chosen, const run_options *run, export_format format, mote_simd simd)
{
    uint32_t frames = run->frames == FRAMES_OF_SCENE ? chosen->frames : run->frames;
    simulation s;
    if (!simulation_create(&s, chosen, frames, run->threads, simd))
        return explain_failure(chosen, run);
    int exit_code = run_simulation(&s, run, format);
    simulation_destroy(&s);
    return exit_code;
}

static int run_as_asked(const run_options *run)
{
    mote_simd simd;
    export_format format = EXPORT_VTK;
    if (!fits_together(run) || !find_format(run->format_name, &format) ||
        !find_simd_or_complain(run->simd_name, &simd))
        return EXIT_USAGE;
    scene *chosen = open_scene(run);
    if (chosen == NULL)
        return EXIT_USAGE;
    int exit_code = EXIT_FAILED;
    if (is_writable(run->stats_path) && is_writable(run->picture_path) && is_writable(run->contacts_path))
        exit_code = run_scene(chosen, run, format, simd);
    scene_close(chosen);
    return exit_code;
}

int run_command(int argc, char **argv)
{
    run_options run = {.frames = FRAMES_OF_SCENE};
    int exit_code;
    if (parse(&run, argc, argv, &exit_code))
        exit_code = run_as_asked(&run);
    text_list_free(&run.overrides);
    return exit_code;
}
