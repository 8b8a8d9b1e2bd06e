/* Scene files: any text is a scene that can be built and run, or has faults that are named. Behind a byte of
 * value 30 come overrides, each behind another. Mesh files are left to fuzz_mesh_file.c. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include "scenes/scene.c" /* what a scene has inside */

#define DIVIDER       '\x1e'
#define MAX_OVERRIDES 8
#define MAX_NODES     400000.0 /* of a distance field */

/* ---- what is only large, and not wrong, is left out ----------------------------------------------------- */

static bool field_is_small(const scene_shape *shape)
{
    mote_mesh mesh = mesh_file_view(&shape->mesh);
    mote_mesh_report report;
    if (shape->type != SCENE_SDF || mote_mesh_inspect(&mesh, &report) != MOTE_OK)
        return true;
    double x = (double)report.max.x - (double)report.min.x, y = (double)report.max.y - (double)report.min.y,
           z = (double)report.max.z - (double)report.min.z;
    double cell = shape->cell > 0.0f ? (double)shape->cell : fmax(x, fmax(y, z)) / 64.0;
    return !(cell > 0.0) || (x / cell + 6.0) * (y / cell + 6.0) * (z / cell + 6.0) < MAX_NODES;
}

static bool is_small(const scene *s)
{
    const scene_description *d = &s->content->file.description;
    const scene_emitter *emitters = d->emitters.items;
    double emitted = 0.0;
    for (size_t i = 0; i < d->emitters.count; i++)
        emitted += (double)scene_emitted(&emitters[i], 3.0 * (double)s->dt);
    const scene_shape *shapes = d->shapes.items;
    for (size_t i = 0; i < d->shapes.count; i++)
        if (!field_is_small(&shapes[i]))
            return false;
    return s->particles <= FUZZ_MAX_PARTICLES && emitted <= (double)FUZZ_MAX_PARTICLES;
}

/* ---- running -------------------------------------------------------------------------------------------- */

static void run(scene *s)
{
    mote_world *world = NULL;
    if (scene_create(s, 1, MOTE_SIMD_AUTO, &world) != MOTE_OK) {
        fuzz_require(world == NULL && mote_last_error()[0] != '\0', "a failure has a reason");
        return;
    }
    mote_settings settings = mote_world_settings(world);
    settings.substeps = settings.iterations = 1;
    settings.stabilization_iterations %= 2;
    mote_world_set_settings(world, &settings);
    for (uint32_t frame = 0; frame < 2; frame++)
        if (scene_before_frame(s, world, frame) == MOTE_OK)
            (void)mote_world_step(world, s->dt);
    fuzz_exercise(world);
    mote_world_destroy(world);
}

static void open_and_run(const char *text, size_t size, const scene_request *request)
{
    scene_faults faults = {0};
    scene *s = scene_open_text(text, size, "fuzz", "/nonexistent", request, &faults);
    fuzz_require((s == NULL) == (faults.errors > 0), "a scene is refused if and only if it has an error");
    if (s != NULL && is_small(s)) {
        (void)scene_hash(s);
        if (scene_check_built(s, &faults))
            run(s);
    }
    for (size_t i = 0; i < faults.count; i++)
        fuzz_require(faults.items[i].text[0] != '\0', "a fault has a text");
    scene_close(s);
    scene_faults_free(&faults);
}

/* Files of this machine are none of the fuzzer's business. */
static bool names_a_file_of_the_machine(const char *text, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++)
        if (text[i] == '"' && (text[i + 1] == '/' || text[i + 1] == '\\'))
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_silence_children();
    if (names_a_file_of_the_machine((const char *)data, size))
        return 0;
    char *text = malloc(size + 1);
    fuzz_require(text != NULL, "there is memory for the text");
    memcpy(text, data, size);
    text[size] = '\0';
    const char *overrides[MAX_OVERRIDES];
    scene_request request = {.overrides = overrides};
    size_t length = size;
    for (size_t i = size; i > 0 && request.override_count < MAX_OVERRIDES; i--)
        if (text[i - 1] == DIVIDER) {
            overrides[request.override_count++] = text + i;
            text[i - 1] = '\0';
            length = i - 1;
        }
    if (request.override_count == MAX_OVERRIDES)
        request.particles = 50;
    /* A copy of its own, so that reading past its end is seen. */
    char *only = malloc(length > 0 ? length : 1);
    fuzz_require(only != NULL, "there is memory for the text");
    memcpy(only, text, length);
    open_and_run(only, length, &request);
    free(only);
    free(text);
    return 0;
}
