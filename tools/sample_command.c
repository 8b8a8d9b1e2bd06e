/* `mote sample`: fills a closed mesh with points on a lattice. */
#include "command.h"
#include "faults.h"
#include "io/mesh_file.h"
#include "io/nearest.h"
#include "options.h"
#include "points_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS 1e8 /* the library's limit of particles */

typedef struct sample_options {
    const char *mesh_path, *method_name, *out_path;
    double spacing; /* m; 0: not given */
} sample_options;

typedef struct points {
    mote_vec3 *items;
    size_t count;
} points;

static bool parse(sample_options *sample, int argc, char **argv, int *exit_code)
{
    const option options[] = {
        {"--spacing", OPTION_REAL, &sample->spacing, "S", "distance of neighbouring points, m", 0, 0},
        {"--method", OPTION_TEXT, &sample->method_name, "NAME",
         "what tells inside from outside: parity (rays) or sdf (distances); else parity", 0, 0},
        {"-o", OPTION_TEXT, &sample->out_path, "FILE", "where to: .ply, .csv or .vtp", 0, 0},
    };
    const syntax sample_syntax = {
        .usage = "mote sample MESH --spacing S -o FILE [--method NAME]",
        .summary =
            "Fills a closed mesh with points on a cubic lattice. MESH is OBJ, PLY, STL, glTF or another\n"
            "format that assimp reads, in metres.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .operand = &sample->mesh_path,
        .operand_name = "MESH",
    };
    return options_parse(&sample_syntax, argc, argv, exit_code);
}

static bool find_method(const char *name, mote_sample_method *method)
{
    static const char *const NAMES[MOTE_SAMPLE_COUNT] = {"parity", "sdf"};
    const char *near = NULL;
    for (int i = 0; i < MOTE_SAMPLE_COUNT && name != NULL; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            *method = (mote_sample_method)i;
            return true;
        }
        if (is_near(name, NAMES[i]))
            near = NAMES[i];
    }
    if (name == NULL)
        return true;
    if (near != NULL)
        complain("sample: unknown method '%s'; did you mean '%s'?", name, near);
    else
        complain("sample: unknown method '%s'; there are parity and sdf", name);
    return false;
}

/* What can be told to be wrong before the mesh is read. */
static bool is_complete(const sample_options *sample, mote_sample_def *def)
{
    def->spacing = (float)sample->spacing;
    if (sample->spacing == 0.0)
        complain("sample: --spacing is missing or 0; it is the distance of neighbouring points, in metres");
    else if (!(def->spacing > 0.0f) || !isfinite(def->spacing))
        complain("sample: --spacing must be above 0 m, not %g", sample->spacing);
    else if (sample->out_path == NULL)
        complain("sample: -o FILE is missing; it is where the points go");
    else if (!points_file_knows(sample->out_path))
        complain("sample: '%s' must end in .ply, .csv or .vtp", sample->out_path);
    else
        return find_method(sample->method_name, &def->method);
    return false;
}

/* Only a closed mesh has an inside, and only so many points can be kept. */
static bool can_be_filled(const char *path, const mote_mesh_report *report, float spacing)
{
    if (!report->closed) {
        complain("'%s' is not closed: %zu open edges, %zu edges of more than two triangles, %zu edges whose "
                 "triangles face opposite sides",
                 path, report->open_edges, report->nonmanifold_edges, report->flipped_edges);
        if (report->open_edges > 0)
            complain("the first open edge runs from (%g, %g, %g) to (%g, %g, %g)",
                     (double)report->first_open[0].x, (double)report->first_open[0].y,
                     (double)report->first_open[0].z, (double)report->first_open[1].x,
                     (double)report->first_open[1].y, (double)report->first_open[1].z);
        return false;
    }
    double expected = fabs(report->volume) / pow((double)spacing, 3.0);
    if (!(expected <= MAX_POINTS)) {
        complain("sample: --spacing %g m makes about %.3g points of '%s' (%g m^3); at most 100 million",
                 (double)spacing, expected, path, fabs(report->volume));
        return false;
    }
    return true;
}

/* Room for what the volume promises and a little more spares a second round in nearly all cases. */
static int fill(const mote_mesh *mesh, const mote_sample_def *def, double expected, points *filled)
{
    size_t capacity = (size_t)(expected * 1.05) + 1000;
    for (;;) {
        mote_vec3 *grown = realloc(filled->items, capacity * sizeof *grown);
        if (grown == NULL) {
            complain("no memory for %zu points", capacity);
            return EXIT_FAILED;
        }
        filled->items = grown;
        mote_result result = mote_mesh_sample(mesh, def, filled->items, capacity, &filled->count);
        if (result != MOTE_OK) {
            complain("sample: %s", library_error(result));
            return result == MOTE_ERROR_MEMORY ? EXIT_FAILED : EXIT_USAGE;
        }
        if (filled->count <= capacity)
            return EXIT_OK;
        capacity = filled->count;
    }
}

static void print_result(const sample_options *sample, const mesh_file *file, const mote_mesh_report *report,
                         size_t count)
{
    char triangles[32], number[32];
    double volume = fabs(report->volume), filled = (double)count * pow(sample->spacing, 3.0);
    printf("%s: %s triangles, closed, volume %.6g m^3\n", sample->mesh_path,
           count_text(file->triangle_count, triangles), volume);
    printf("%s: %s points, spacing %g m, volume %.6g m^3 (%+.2f %%)\n", sample->out_path,
           count_text(count, number), sample->spacing, filled,
           volume > 0.0 ? (filled / volume - 1.0) * 100.0 : 0.0);
}

static int sample_mesh(const sample_options *sample, const mote_sample_def *def, const mesh_file *file,
                       points *filled)
{
    mote_mesh mesh = mesh_file_view(file);
    mote_mesh_report report;
    mote_result result = mote_mesh_inspect(&mesh, &report);
    if (result != MOTE_OK) {
        complain("'%s': %s", sample->mesh_path, library_error(result));
        return result == MOTE_ERROR_MEMORY ? EXIT_FAILED : EXIT_USAGE;
    }
    if (!can_be_filled(sample->mesh_path, &report, def->spacing))
        return EXIT_USAGE;
    int exit_code = fill(&mesh, def, fabs(report.volume) / pow(sample->spacing, 3.0), filled);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (filled->count == 0) {
        complain("sample: --spacing %g m is too wide: no point of the lattice is inside '%s'", sample->spacing,
                 sample->mesh_path);
        return EXIT_USAGE;
    }
    char error[POINTS_FILE_ERROR];
    if (!points_file_write(sample->out_path, filled->items, filled->count, error)) {
        complain("%s", error);
        return EXIT_FAILED;
    }
    print_result(sample, file, &report, filled->count);
    return EXIT_OK;
}

int sample_command(int argc, char **argv)
{
    sample_options sample = {0};
    mote_sample_def def = mote_default_sample_def();
    int exit_code;
    if (!parse(&sample, argc, argv, &exit_code))
        return exit_code;
    if (!is_complete(&sample, &def))
        return EXIT_USAGE;
    mesh_file file;
    char error[MESH_FILE_ERROR];
    if (!mesh_file_load(sample.mesh_path, &file, error)) {
        complain("%s", error);
        return EXIT_USAGE;
    }
    points filled = {0};
    exit_code = sample_mesh(&sample, &def, &file, &filled);
    free(filled.items);
    mesh_file_free(&file);
    return exit_code;
}
