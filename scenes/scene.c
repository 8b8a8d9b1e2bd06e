/* Scenes as a whole: finding them, and making worlds of them. */
#define _POSIX_C_SOURCE 200809L
#include "scene.h"

#include "builders.h"
#include "embedded.h"
#include "humanoid.h"
#include "io/json_tree.h"
#include "io/nearest.h"
#include "io/scene_inspect.h"
#include "io/scene_names.h"
#include "io/scene_surfaces.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILE ((off_t)1 << 30) /* bytes */

struct scene_content {
    scene_file file;
    char *name;
    char materials[512];
};

/* ---- the shipped ---------------------------------------------------------------------------------------- */

/* In the order in which they are listed: what people want to see first comes first. */
static const char *const SHIPPED[] = {
    "sand-pile",       "dam-break",     "dancer-pool", "hourglass",      "grain-sizes",
    "shapes",          "mixer",         "funnel",      "rain",           "dam-break-obstacle",
    "pour-glass",      "fountain",      "float",       "water-and-sand", "two-fluids",
    "rayleigh-taylor", "dancer-sand",   "ragdolls",    "joints",         "rope-bridge",
    "hanging-crate",   "jointed-pile",  "pairs-540",   "stack",          "rods-and-sheets",
    "mesh-drop",       "bend-metal",    "shatter",     "overlap",        "overlap-plain",
    "stress-grains",   "grains-column", "droplets",    "honey-coil",     NULL,
};

const char *scene_shipped(size_t index)
{
    return index < sizeof SHIPPED / sizeof SHIPPED[0] ? SHIPPED[index] : NULL;
}

static const void *find_shipped(const char *name, size_t *size)
{
    for (const embedded_file *file = EMBEDDED_FILES; file->name != NULL; file++)
        if (strcmp(file->name, name) == 0) {
            *size = file->size;
            return file->data;
        }
    return NULL;
}

static const char *find_shipped_scene(const char *name, size_t *size)
{
    char file[80];
    snprintf(file, sizeof file, "%.64s.json", name);
    return strlen(name) <= 64 ? find_shipped(file, size) : NULL;
}

static void complain_unknown(const char *name, scene_faults *faults)
{
    char names[700] = "";
    for (size_t i = 0; SHIPPED[i] != NULL; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", SHIPPED[i]);
    }
    const char *meant = nearest_word(name, SHIPPED);
    if (meant != NULL)
        scene_error(faults, 0, "", "unknown scene; did you mean '%s'? There are %s", meant, names);
    else
        scene_error(faults, 0, "", "unknown scene; there are %s", names);
}

/* ---- what a scene tells about itself -------------------------------------------------------------------- */

static void list_materials(scene_content *c)
{
    const scene_material *materials = c->file.description.materials.items;
    for (size_t i = 0; i < c->file.description.materials.count; i++) {
        size_t used = strlen(c->materials);
        snprintf(c->materials + used, sizeof c->materials - used, "%s%s", i > 0 ? ", " : "",
                 materials[i].def.name);
    }
}

static uint32_t count_particles(const scene_file *file, const scene_description *d)
{
    uint64_t count = scene_builder_particles(d);
    const scene_grains *grains = d->grains.items;
    for (size_t i = 0; i < d->grains.count; i++)
        count += scene_grains_count(file, &grains[i]);
    const scene_fluid *fluids = d->fluids.items;
    for (size_t i = 0; i < d->fluids.count; i++)
        count += scene_fluid_count(d, &fluids[i]);
    const scene_particles *particles = d->particles.items;
    for (size_t i = 0; i < d->particles.count; i++)
        count += particles[i].positions.items != NULL ? particles[i].positions.count : 1;
    count += scene_bodies_particles(d);
    const scene_emitter *emitters = d->emitters.items;
    for (size_t i = 0; i < d->emitters.count && d->frames > 0; i++) {
        double time = (d->frames - 1.0) * (double)scene_frame_seconds(d);
        count += scene_is_stream(d, &emitters[i]) ? scene_streamed(d, &emitters[i], d->frames)
                                                  : scene_emitted(&emitters[i], time);
    }
    return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/* The first camera. It steps back from a scene that is asked for more particles, and closer to a smaller one.
 */
static void place_camera(scene *s, const scene_file *file)
{
    const scene_view *view = file->description.cameras.items;
    s->eye = (mote_vec3){3.0f, 2.0f, 5.0f};
    s->fov = 32.0f;
    if (file->description.cameras.count == 0)
        return;
    float scale = 1.0f;
    const scene_grains *grains = file->description.grains.items;
    uint64_t total = 0;
    for (size_t i = 0; i < file->description.grains.count; i++)
        total += grains[i].total;
    if (file->asked > 0 && total > 0)
        scale = cbrtf((float)file->asked / (float)total);
    else if (file->grown > 0.0f)
        scale = file->grown;
    s->eye = (mote_vec3){view->eye.x * scale, view->eye.y * scale, view->eye.z * scale};
    s->target = (mote_vec3){view->target.x * scale, view->target.y * scale, view->target.z * scale};
    s->fov = view->fov;
}

/* ---- opening -------------------------------------------------------------------------------------------- */

static void check_builder(const scene_description *d, scene_faults *faults)
{
    const scene_builder *builder = scene_builder_find(d->builder);
    const scene_material *materials = d->materials.items;
    for (const char *const *name = builder != NULL ? builder->materials : NULL; name != NULL && *name != NULL;
         name++) {
        bool there = false;
        for (size_t i = 0; i < d->materials.count; i++)
            there = there || (materials[i].def.name != NULL && strcmp(materials[i].def.name, *name) == 0);
        if (!there)
            scene_error(faults, json_line(cJSON_GetObjectItemCaseSensitive(d->item.node, "builder")), "builder",
                        "'%s' needs a material of the name '%s'", d->builder, *name);
    }
    uint32_t most = builder != NULL ? builder->most_objects : 0;
    int line = json_line(cJSON_GetObjectItemCaseSensitive(d->item.node, "objects"));
    if (d->objects > most && most > 0)
        scene_error(faults, line, "objects", "'%s' makes at most %u objects", d->builder, most);
    else if (d->objects > most)
        scene_error(faults, line, "objects", "goes with a builder that makes any number of objects");
}

scene *scene_open_text(const char *text, size_t size, const char *name, const char *folder,
                       const scene_request *request, scene_faults *faults)
{
    static const scene_request nothing = {0};
    const scene_source source = {folder, find_shipped, SCENE_BUILDERS, humanoid_bones};
    if (request == NULL)
        request = &nothing;
    size_t errors = faults->errors;
    scene *s = calloc(1, sizeof *s);
    scene_content *c = calloc(1, sizeof *c);
    char *own_name = malloc(strlen(name) + 1);
    if (s == NULL || c == NULL || own_name == NULL) {
        scene_error(faults, 0, "", "no memory for the scene");
        free(own_name);
        free(c);
        free(s);
        return NULL;
    }
    s->content = c;
    s->name = c->name = strcpy(own_name, name);
    scene_file_read(&c->file, text, size, &source, request->particles, request->overrides,
                    request->override_count, faults);
    const scene_description *d = &c->file.description;
    check_builder(d, faults);
    if (faults->errors > errors) {
        scene_inspect_meshes(&c->file, faults); /* all faults at once */
        scene_close(s);
        return NULL;
    }
    list_materials(c);
    s->title = d->title != NULL ? d->title : "";
    s->materials = c->materials;
    s->particles = count_particles(&c->file, d);
    s->scalable = scene_is_scalable(d);
    s->frames = d->frames;
    s->dt = scene_frame_seconds(d);
    place_camera(s, &c->file);
    return s;
}

/* A whole file, to be freed; NULL after a fault. */
static char *read_file(const char *path, size_t *size, scene_faults *faults)
{
    struct stat info;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL || fstat(fileno(stream), &info) != 0) {
        scene_error(faults, 0, "", "cannot read the file: %s", strerror(errno));
        if (stream != NULL)
            fclose(stream);
        return NULL;
    }
    char *text = NULL;
    if (!S_ISREG(info.st_mode))
        scene_error(faults, 0, "", "this is a folder or a device, not a file");
    else if (info.st_size > MAX_FILE || (text = malloc((size_t)info.st_size + 1)) == NULL)
        scene_error(faults, 0, "", "the file is too large: %lld bytes", (long long)info.st_size);
    if (text != NULL)
        *size = fread(text, 1, (size_t)info.st_size, stream);
    if (text != NULL && ferror(stream)) {
        scene_error(faults, 0, "", "cannot read the file: %s", strerror(errno));
        free(text);
        text = NULL;
    }
    fclose(stream);
    return text;
}

static scene *open_file(const char *path, const scene_request *request, scene_faults *faults)
{
    size_t size = 0;
    char *text = read_file(path, &size, faults);
    if (text == NULL)
        return NULL;
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    char *folder = malloc(length + 2);
    scene *s = NULL;
    if (folder == NULL) {
        scene_error(faults, 0, "", "no memory for the scene");
    } else {
        memcpy(folder, slash != NULL ? path : ".", slash != NULL ? length : 1);
        folder[slash != NULL ? length : 1] = '\0';
        if (slash == path)
            strcpy(folder, "/");
        s = scene_open_text(text, size, path, folder, request, faults);
    }
    free(folder);
    free(text);
    return s;
}

static bool is_path(const char *name)
{
    size_t length = strlen(name);
    struct stat info;
    if (strchr(name, '/') != NULL || (length > 5 && strcmp(name + length - 5, ".json") == 0))
        return true;
    return stat(name, &info) == 0 && S_ISREG(info.st_mode);
}

/* The shipped ones come first, so that a file that happens to have the name of one does not hide it. */
scene *scene_open(const char *name_or_path, const scene_request *request, scene_faults *faults)
{
    size_t size = 0;
    const char *text = find_shipped_scene(name_or_path, &size);
    if (text != NULL)
        return scene_open_text(text, size, name_or_path, NULL, request, faults);
    if (is_path(name_or_path))
        return open_file(name_or_path, request, faults);
    complain_unknown(name_or_path, faults);
    return NULL;
}

void scene_close(scene *s)
{
    if (s == NULL)
        return;
    scene_file_free(&s->content->file);
    free(s->content->name);
    free(s->content);
    free(s);
}

/* ---- checking ------------------------------------------------------------------------------------------- */

bool scene_check_built(scene *s, scene_faults *faults)
{
    size_t errors = faults->errors;
    uint32_t built_in = scene_builder_particles(&s->content->file.description);
    scene_inspect_meshes(&s->content->file, faults);
    scene_inspect_count(&s->content->file, built_in, faults);
    mote_world *world = NULL;
    if (faults->errors == errors && scene_create(s, 1, MOTE_SIMD_AUTO, &world) != MOTE_OK)
        scene_error(faults, 0, "", "cannot be built: %s", mote_last_error());
    if (world != NULL)
        scene_inspect_world(&s->content->file, world, built_in, faults);
    mote_world_destroy(world);
    return faults->errors == errors;
}

bool scene_check(const char *name_or_path, const scene_request *request, scene_faults *faults)
{
    scene *s = scene_open(name_or_path, request, faults);
    bool good = s != NULL && scene_check_built(s, faults);
    scene_close(s);
    return good;
}

/* ---- running -------------------------------------------------------------------------------------------- */

static mote_result fill_world(scene_file *file, mote_world *world)
{
    mote_result result = scene_build_surroundings(file, world);
    const scene_builder *builder = scene_builder_find(file->description.builder);
    if (result == MOTE_OK && builder != NULL)
        result = builder->build(&file->description, world);
    if (result == MOTE_OK)
        result = scene_build_particles(file, world);
    if (result == MOTE_OK)
        result = scene_build_bodies(file, world, NULL);
    return result == MOTE_OK ? scene_add_streams(file, world, NULL) : result;
}

mote_result scene_create(scene *s, uint32_t threads, mote_simd simd, mote_world **world)
{
    scene_file *file = &s->content->file;
    mote_world_def def = scene_world_def(file);
    def.thread_count = threads;
    def.simd = simd;
    mote_result result = mote_world_create(&def, world);
    if (result != MOTE_OK)
        return result;
    result = fill_world(file, *world);
    if (result != MOTE_OK) {
        mote_world_destroy(*world);
        *world = NULL;
    }
    return result;
}

mote_result scene_before_frame(scene *s, mote_world *world, uint32_t frame)
{
    mote_result result = scene_move_shapes(&s->content->file, world, frame);
    if (result == MOTE_OK)
        result = scene_move_bodies(&s->content->file, world, frame);
    if (result == MOTE_OK)
        result = scene_move_skeletons(&s->content->file, world, frame);
    return result == MOTE_OK ? scene_emit(&s->content->file, world, frame) : result;
}

scene_surfaces *scene_make_surfaces(const scene *s)
{
    return scene_surfaces_make(&s->content->file);
}

export_name *scene_name_bodies(const scene *s, const mote_world *world, size_t *count)
{
    return scene_body_names(&s->content->file, world, count);
}

uint64_t scene_hash(const scene *s)
{
    return scene_file_hash(&s->content->file);
}
