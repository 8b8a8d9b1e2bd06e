/* `mote demo`: a quick look at some of the scenes, as pictures. */
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "options.h"
#include "progress.h"
#include "simulation.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define PICTURE_WIDTH  1280
#define PICTURE_HEIGHT 720
#define MOMENTS        3
#define PATH_LENGTH    1024

/* What is shown of a scene: fewer particles where that is quicker, and the frames that are drawn. */
typedef struct showing {
    const char *scene_name;
    uint32_t particles; /* 0: as many as it has */
    uint32_t frames[MOMENTS];
} showing;

static const showing PROGRAMME[] = {
    {"sand-pile", 0, {0, 24, 150}},     {"hourglass", 0, {30, 180, 330}},  {"grain-sizes", 0, {0, 18, 75}},
    {"shapes", 0, {20, 60, 200}},       {"mixer", 0, {0, 120, 360}},       {"funnel", 0, {0, 60, 240}},
    {"rain", 0, {60, 150, 300}},        {"overlap", 0, {0, 1, 60}},        {"overlap-plain", 0, {0, 1, 12}},
    {"stress-grains", 0, {15, 35, 70}}, {"joints", 0, {0, 90, 240}},       {"stack", 0, {0, 60, 180}},
    {"shatter", 0, {0, 45, 120}},       {"dancer-sand", 0, {0, 120, 300}}, {"dam-break", 0, {0, 45, 80}},
    {"pour-glass", 0, {60, 180, 300}},  {"rope-bridge", 0, {0, 60, 180}},
};

/* Makes a folder and those above it. */
static bool make_folders(const char *path)
{
    char part[PATH_LENGTH];
    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part) {
        complain("demo: the folder's name is too long");
        return false;
    }
    for (char *end = part + 1;; end++) {
        if (*end != '/' && *end != '\0')
            continue;
        char kept = *end;
        *end = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            complain("cannot make the folder '%s': %s", part, strerror(errno));
            return false;
        }
        *end = kept;
        if (kept == '\0')
            return true;
    }
}

/* Simulates up to each of the moments and draws it. */
static bool show_moments(simulation *s, const showing *show, const char *folder, progress *bar)
{
    for (int moment = 0; moment < MOMENTS; moment++) {
        while (s->frame < show->frames[moment]) {
            if (!simulation_step(s))
                return false;
            progress_update(bar, s->frame, mote_particle_count(s->world), s->frame_ms[s->frame - 1]);
        }
        char path[PATH_LENGTH];
        int length = snprintf(path, sizeof path, "%s/%s-%03u.png", folder, show->scene_name, s->frame);
        if (length < 0 || (size_t)length >= sizeof path) {
            complain("demo: the folder's name is too long");
            return false;
        }
        if (!simulation_picture(s, true, PICTURE_WIDTH, PICTURE_HEIGHT, path))
            return false;
        progress_end(bar);
        puts(path);
        fflush(stdout);
    }
    return true;
}

static bool show_scene(const showing *show, const char *folder)
{
    uint32_t frames = show->frames[MOMENTS - 1];
    scene *shown = open_scene_or_complain(show->scene_name, &(scene_request){.particles = show->particles});
    simulation s;
    if (shown == NULL || !simulation_create(&s, shown, frames, 0, MOTE_SIMD_AUTO)) {
        scene_close(shown);
        return false;
    }
    progress bar;
    progress_start(&bar, show->scene_name, frames, false);
    bool done = show_moments(&s, show, folder, &bar);
    progress_end(&bar);
    simulation_destroy(&s);
    scene_close(shown);
    return done;
}

int demo_command(int argc, char **argv)
{
    const char *folder = "demo";
    const option options[] = {{"--out", OPTION_TEXT, &folder, "DIR", "folder for the pictures (demo)", 0, 0}};
    const syntax demo_syntax = {
        .usage = "mote demo [--out DIR]",
        .summary =
            "Runs half of the shipped scenes for a short time, draws each at three moments as PNG pictures\n"
            "and prints the path of every picture. Any scene: mote run SCENE --picture FILE.png",
        .options = options,
        .option_count = 1,
    };
    int exit_code;
    if (!options_parse(&demo_syntax, argc, argv, &exit_code))
        return exit_code;
    if (!make_folders(folder))
        return EXIT_FAILED;
    for (size_t i = 0; i < sizeof PROGRAMME / sizeof PROGRAMME[0]; i++)
        if (!show_scene(&PROGRAMME[i], folder))
            return EXIT_FAILED;
    return EXIT_OK;
}
