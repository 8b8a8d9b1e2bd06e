/* The files that a scene names: meshes and heights. */
#define _POSIX_C_SOURCE 200809L
#include "io/scene_load.h"

#include "io/json_tree.h"
#include "io/scene_math.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_TEXT_FILE ((size_t)1 << 30) /* bytes */

bool named_file_fail(const named_file *file, const char *text)
{
    scene_error(file->faults, json_line(cJSON_GetObjectItemCaseSensitive(file->item, file->field)), file->where,
                "%s", text);
    return false;
}

named_file name_file(const scene_source *source, scene_faults *faults, const char *list, size_t index,
                     const scene_item *item, const char *field, const char *path)
{
    named_file file = {.source = source, .path = path, .item = item->node, .field = field, .faults = faults};
    snprintf(file.where, sizeof file.where, "%s[%zu].%s", list, index, field);
    return file;
}

bool named_file_path(const named_file *file, char *path, size_t size)
{
    bool absolute = file->path[0] == '/';
    int length =
        snprintf(path, size, "%s%s%s", absolute ? "" : file->source->folder, absolute ? "" : "/", file->path);
    return (length >= 0 && (size_t)length < size) || named_file_fail(file, "the path is too long");
}

/* A whole file as text with a 0 behind it, to be freed. */
static char *read_text(const named_file *file, size_t *size)
{
    char path[4096], text[256];
    if (file->source->folder == NULL && file->path[0] != '/') {
        const void *data = file->source->shipped(file->path, size);
        char *copy = data != NULL ? calloc(*size + 1, 1) : NULL;
        if (copy != NULL)
            memcpy(copy, data, *size);
        else
            named_file_fail(file, data == NULL ? "there is no such shipped file" : "no memory for the file");
        return copy;
    }
    if (!named_file_path(file, path, sizeof path))
        return NULL;
    struct stat info;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL || fstat(fileno(stream), &info) != 0 || !S_ISREG(info.st_mode)) {
        snprintf(text, sizeof text, "cannot read '%.150s': %s", path,
                 stream == NULL ? strerror(errno) : "it is no file");
        named_file_fail(file, text);
        if (stream != NULL)
            fclose(stream);
        return NULL;
    }
    char *data = info.st_size <= (off_t)MAX_TEXT_FILE ? calloc((size_t)info.st_size + 1, 1) : NULL;
    *size = data != NULL ? fread(data, 1, (size_t)info.st_size, stream) : 0;
    if (data == NULL)
        named_file_fail(file, "the file is too large");
    fclose(stream);
    return data;
}

/* ---- meshes --------------------------------------------------------------------------------------------- */

static bool load_mesh(const named_file *file, mesh_file *mesh)
{
    char error[MESH_FILE_ERROR], path[4096];
    if (file->source->folder != NULL || file->path[0] == '/')
        return named_file_path(file, path, sizeof path) &&
               (mesh_file_load(path, mesh, error) || named_file_fail(file, error));
    size_t size;
    const char *dot = strrchr(file->path, '.');
    const void *data = file->source->shipped(file->path, &size);
    if (data == NULL)
        return named_file_fail(file, "there is no such shipped file");
    return mesh_file_parse(data, size, dot != NULL ? dot + 1 : "", mesh, error) || named_file_fail(file, error);
}

/* Corners that the scene itself gives become a mesh like that of a file. */
static bool copy_mesh(const scene_points *points, const scene_triangles *triangles, mesh_file *mesh)
{
    mesh->vertices = malloc((points->count + 1) * sizeof *mesh->vertices);
    mesh->triangles = malloc((3 * triangles->count + 1) * sizeof *mesh->triangles);
    if (mesh->vertices == NULL || mesh->triangles == NULL)
        return false;
    if (points->count > 0)
        memcpy(mesh->vertices, points->items, points->count * sizeof *mesh->vertices);
    if (triangles->count > 0)
        memcpy(mesh->triangles, triangles->items, 3 * triangles->count * sizeof *mesh->triangles);
    mesh->vertex_count = points->count;
    mesh->triangle_count = triangles->count;
    return true;
}

/* Of a file, or of corners if it has no path; scaled. */
static bool find_mesh(const named_file *file, const scene_points *points, const scene_triangles *triangles,
                      float scale, mesh_file *mesh)
{
    bool loaded = file->path != NULL ? load_mesh(file, mesh) : copy_mesh(points, triangles, mesh);
    if (!loaded && file->path == NULL)
        named_file_fail(file, "no memory for the points");
    for (size_t i = 0; loaded && i < mesh->vertex_count; i++) {
        mote_vec3 *v = &mesh->vertices[i];
        *v = (mote_vec3){v->x * scale, v->y * scale, v->z * scale};
    }
    return loaded;
}

/* The mesh of a body is sampled once, which tells whether it has an inside, and how many particles it takes. */
static void load_body_mesh(const named_file *file, const scene_description *d, scene_body *body)
{
    size_t errors = file->faults->errors;
    if (!find_mesh(file, &body->points, &body->triangles, body->scale, &body->mesh) ||
        body->type != SCENE_BODY_MESH || errors > 0)
        return;
    mote_sample_def def = mote_default_sample_def();
    def.spacing = body->spacing > 0.0f ? body->spacing : 2.0f * scene_radius(d, &body->matter);
    def.method = (mote_sample_method)body->method;
    mote_mesh mesh = mesh_file_view(&body->mesh);
    if (mote_mesh_sample(&mesh, &def, NULL, 0, &body->sampled) != MOTE_OK)
        named_file_fail(file, mote_last_error());
    else if (body->sampled == 0)
        named_file_fail(file, "no particle fits into the mesh; take smaller ones, or a larger scale");
}

/* Fills the mesh of a block with points. */
static void fill_mesh(const named_file *file, const scene_description *d, scene_grains *grains)
{
    mesh_file mesh = {0};
    if (!load_mesh(file, &mesh)) {
        mesh_file_free(&mesh);
        return;
    }
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        mote_vec3 *v = &mesh.vertices[i];
        *v = (mote_vec3){v->x * grains->scale, v->y * grains->scale, v->z * grains->scale};
        *v = scene_rotate(grains->rotation.quat, *v);
        *v = (mote_vec3){v->x + grains->position.x, v->y + grains->position.y, v->z + grains->position.z};
    }
    mote_sample_def def = mote_default_sample_def();
    def.spacing = scene_grains_spacing(d, grains);
    def.method = (mote_sample_method)grains->method;
    mote_mesh view = mesh_file_view(&mesh);
    size_t count = 0;
    mote_result result = mote_mesh_sample(&view, &def, NULL, 0, &count);
    if (result == MOTE_OK)
        grains->fill.items = malloc((count + 1) * sizeof *grains->fill.items);
    if (result == MOTE_OK && grains->fill.items == NULL)
        named_file_fail(file, "no memory for the points of the mesh");
    else if (result == MOTE_OK)
        result = mote_mesh_sample(&view, &def, grains->fill.items, count, &count);
    if (result != MOTE_OK)
        named_file_fail(file, mote_last_error());
    else
        grains->fill.count = count;
    mesh_file_free(&mesh);
}

/* ---- heights -------------------------------------------------------------------------------------------- */

static void load_heights(const named_file *file, scene_shape *shape)
{
    size_t size, wanted = (size_t)shape->columns * shape->rows, count = 0;
    char *text = read_text(file, &size), problem[128] = "";
    float *heights = malloc((wanted + 1) * sizeof *heights);
    if (text == NULL || heights == NULL) {
        if (text != NULL)
            named_file_fail(file, "no memory for the heights");
        free(text);
        free(heights);
        return;
    }
    for (char *at = text + strspn(text, " \t\r\n,;"); *at != '\0' && *problem == '\0';) {
        char *end;
        double height = strtod(at, &end);
        if (end == at || !(fabs(height) <= 1e6))
            snprintf(problem, sizeof problem, "number %zu of the file is '%.20s', which is no height",
                     count + 1, at);
        else if (count++ < wanted)
            heights[count - 1] = (float)height;
        at = end + strspn(end, " \t\r\n,;");
    }
    if (*problem == '\0' && count != wanted)
        snprintf(problem, sizeof problem, "the file has %zu numbers; %u columns and %u rows need %zu", count,
                 shape->columns, shape->rows, wanted);
    free(text);
    if (*problem != '\0') {
        named_file_fail(file, problem);
        free(heights);
        return;
    }
    shape->file_heights = (scene_numbers){heights, count};
}

/* ---- all ------------------------------------------------------------------------------------------------ */

void scene_load_files(scene_description *d, const scene_source *source, scene_faults *faults)
{
    scene_shape *shapes = d->shapes.items;
    for (size_t i = 0; i < d->shapes.count; i++) {
        scene_shape *shape = &shapes[i];
        bool corners = shape->type == SCENE_HULL || shape->type == SCENE_MESH || shape->type == SCENE_SDF;
        const char *field = shape->file != NULL ? "file" : "points";
        named_file file = name_file(source, faults, "shapes", i, &shape->item, field, shape->file);
        if (corners && (shape->file != NULL || shape->points.count > 0))
            find_mesh(&file, &shape->points, &shape->triangles, shape->scale, &shape->mesh);
        file = name_file(source, faults, "shapes", i, &shape->item, "heights_file", shape->heights_file);
        if (shape->type == SCENE_HEIGHTFIELD && shape->heights_file != NULL && shape->columns > 0 &&
            shape->rows > 0)
            load_heights(&file, shape);
    }
    scene_grains *grains = d->grains.items;
    for (size_t i = 0; i < d->grains.count; i++) {
        named_file file = name_file(source, faults, "grains", i, &grains[i].item, "file", grains[i].file);
        if (grains[i].file != NULL)
            fill_mesh(&file, d, &grains[i]);
    }
    scene_body *bodies = d->bodies.items;
    for (size_t i = 0; i < d->bodies.count; i++) {
        const char *field = bodies[i].file != NULL ? "file" : "points";
        named_file file = name_file(source, faults, "bodies", i, &bodies[i].item, field, bodies[i].file);
        if (bodies[i].file != NULL || bodies[i].points.count > 0)
            load_body_mesh(&file, d, &bodies[i]);
    }
    scene_load_rigs(d, source, faults);
}

void scene_free_files(scene_description *d)
{
    scene_shape *shapes = d->shapes.items;
    for (size_t i = 0; i < d->shapes.count; i++) {
        mesh_file_free(&shapes[i].mesh);
        free(shapes[i].file_heights.items);
        shapes[i].file_heights = (scene_numbers){0};
    }
    scene_grains *grains = d->grains.items;
    for (size_t i = 0; i < d->grains.count; i++) {
        free(grains[i].fill.items);
        grains[i].fill = (scene_points){0};
    }
    scene_body *bodies = d->bodies.items;
    for (size_t i = 0; i < d->bodies.count; i++)
        mesh_file_free(&bodies[i].mesh);
    scene_free_rigs(d);
}
