/* `mote check`: what is wrong with scene files, without running them. */
#include "command.h"
#include "faults.h"
#include "options.h"

/* What the scene has, for one without faults. */
static bool print_contents(const char *file, scene *s)
{
    mote_world *world;
    mote_result result = scene_create(s, 1, MOTE_SIMD_AUTO, &world);
    if (result != MOTE_OK) {
        complain("cannot build '%s': %s", file, library_error(result));
        return false;
    }
    uint32_t shape_count = mote_shape_count(world);
    char particles[32], shapes[32], frames[32];
    printf("%s: ok, %s particles, %s %s, %s frames\n", file, count_text(s->particles, particles),
           count_text(shape_count, shapes), shape_count == 1 ? "shape" : "shapes",
           count_text(s->frames, frames));
    mote_world_destroy(world);
    return true;
}

/* Tells all faults of one file; false if there is an error among them. */
static bool check_file(const char *file, const text_list *overrides)
{
    const scene_request request = {.overrides = overrides->items, .override_count = overrides->count};
    scene_faults faults = {0};
    scene *s = scene_open(file, &request, &faults);
    bool sound = s != NULL && scene_check_built(s, &faults);
    faults_print(&faults, file, true);
    if (sound && faults.count == 0)
        sound = print_contents(file, s);
    scene_close(s);
    scene_faults_free(&faults);
    return sound;
}

static int check(int argc, char **argv, text_list *files, text_list *overrides)
{
    const option options[] = {
        {"--set", OPTION_LIST, overrides, "PATH=VALUE", "another value of a field: solver.substeps=8", 0, 0}};
    const syntax check_syntax = {
        .usage = "mote check FILE... [--set PATH=VALUE]",
        .summary =
            "Looks for faults in scene files and prints each with its file and line. A FILE may also be\n"
            "the name of a shipped scene. The exit code is 2 if there is an error; warnings are none.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .operands = files,
        .operand_name = "FILE",
    };
    int exit_code;
    if (!options_parse(&check_syntax, argc, argv, &exit_code))
        return exit_code;
    bool sound = true;
    for (size_t i = 0; i < files->count; i++)
        sound = check_file(files->items[i], overrides) && sound;
    return sound ? EXIT_OK : EXIT_USAGE;
}

int check_command(int argc, char **argv)
{
    text_list files = {0}, overrides = {0};
    int exit_code = check(argc, argv, &files, &overrides);
    text_list_free(&files);
    text_list_free(&overrides);
    return exit_code;
}
