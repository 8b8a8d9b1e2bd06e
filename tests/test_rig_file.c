/* Rig files: bones, clips and skins are what the file says, in closed form.
 *
 * With arguments it is a tool of rig_files.sh instead: it reads the files given and prints a line for each.
 * `--here` reads them in this process, where sanitizers see what assimp and the reading do. */
#define _POSIX_C_SOURCE 200809L
#include "io/rig_bones.h"
#include "io/rig_file.h"
#include "io/rig_file_import.h"
#include "rig_models.h"
#include "temp_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- glTF ----------------------------------------------------------------------------------------------- */

/* Keys at 0, 0.5 and 2 s: "lower" turns by 90 degrees in 0.5 s and stands. */
static void turning(void **state)
{
    (void)state;
    const float times[3] = {0, 0.5f, 2};
    const float turns[12] = {0, 0, 0, 1, 0, 0, (float)HALF, (float)HALF, 0, 0, (float)HALF, (float)HALF};
    write_animated("turn.gltf", 2, "rotation", "VEC4", times, turns, 3);
    rig model = must_load("turn.gltf", NULL);
    /* "stand" has no motion of its own, "upper" neither: "lower" is the root, and "tip" its end. */
    check_near(model.bone_count, 2, 0, "bones: the one that moves and the one below");
    assert_string_equal(model.names[0], "lower");
    assert_string_equal(model.names[1], "tip");
    assert_true(model.parents[0] == MOTE_NO_BONE && model.parents[1] == 0);
    /* stand: (x, y) becomes 2 (-y, x). */
    check_place(model.rest[0].position, -2, 4, 0, 1e-5, "lower at rest");
    check_place(model.rest[1].position, -2, 10, 0, 1e-5, "tip at rest");
    check_near((double)model.height, 6, 1e-5, "height of the bones");
    check_near(model.clip_count, 1, 0, "clips");
    assert_string_equal(model.clips[0].name, "move");
    check_near((double)model.clips[0].rate, 30, 0, "frames a second");
    check_near(model.clips[0].frame_count, 61, 0, "frames of 2 s");
    check_near(rig_clip_seconds(&model.clips[0]), 2, 1e-9, "length");
    for (uint32_t f = 0; f < 61; f++) {
        double angle = TEST_PI / 2 * fmin(f / 15.0, 1);
        check_place(place_at(&model, "tip", f), -2 - 6 * sin(angle), 4 + 6 * cos(angle), 0, 2e-5, "the tip");
    }
    check_near(model.warnings, 0, 0, "warnings");
    rig_free(&model);
    assert_null(model.names);
}

/* Uneven times, in a straight line between them, and nothing before the first key. */
static void moving(void **state)
{
    (void)state;
    const float times[4] = {0.5f, 0.6f, 1, 1.5f}, places[12] = {2, 0, 0, 3, 0, 0, 3, 4, 0, 2, 0, 8};
    write_animated("move.gltf", 2, "translation", "VEC3", times, places, 4);
    rig model = must_load("move.gltf", NULL);
    check_near(model.clips[0].frame_count, 46, 0, "frames of 1.5 s");
    for (uint32_t f = 0; f < 46; f++) {
        double t = f / 30.0, x = 2, y = 0, z = 0;
        x = t < 0.5 ? 2 : t < 0.6 ? 2 + (t - 0.5) / 0.1 : t < 1 ? 3 : 3 - (t - 1) / 0.5;
        y = t < 0.6 ? 0 : t < 1 ? 4 * (t - 0.6) / 0.4 : 4 - 4 * (t - 1) / 0.5;
        z = t < 1 ? 0 : 8 * (t - 1) / 0.5;
        check_place(place_at(&model, "lower", f), -2 * (1 + y), 2 * x, 2 * z, 2e-5, "lower");
    }
    rig_free(&model);
}

/* "upper" grows from 1 to 3 in 1 s: the joints below go away from it, and lengths stay lengths. */
static void growing(void **state)
{
    (void)state;
    const float times[2] = {0, 1}, even[6] = {1, 1, 1, 3, 3, 3}, uneven[6] = {1, 1, 1, 3, 1, 1};
    write_animated("grow.gltf", 1, "scale", "VEC3", times, even, 2);
    rig model = must_load("grow.gltf", NULL);
    check_near(model.bone_count, 3, 0, "bones");
    check_near(model.warnings, 0, 0, "warnings of an even scale");
    for (uint32_t f = 0; f <= 30; f += 5) {
        double size = 1 + 2 * f / 30.0;
        check_place(place_at(&model, "lower", f), -2, 2 * 2 * size, 0, 2e-5, "lower");
        check_place(place_at(&model, "tip", f), -2, 2 * 5 * size, 0, 5e-5, "tip");
    }
    rig_free(&model);

    write_animated("stretch.gltf", 1, "scale", "VEC3", times, uneven, 2);
    model = must_load("stretch.gltf", NULL);
    check_near(model.warnings, RIG_WARNING_SCALE, 0, "a warning of an uneven scale");
    check_place(place_at(&model, "tip", 30), -2, 2 * 5 * 3, 0, 5e-5, "the joints are where they were");
    char text[400];
    rig_warning_text(model.warnings, text, sizeof text);
    check_true(strstr(text, "stretched") != NULL, "%s", text);
    rig_free(&model);
}

static void units(void **state)
{
    (void)state;
    const float times[2] = {0, 1}, places[6] = {2, 0, 0, 3, 0, 0};
    write_animated("units.gltf", 2, "translation", "VEC3", times, places, 2);
    rig_options options = rig_default_options();
    options.scale = 0.01f;
    rig model = must_load("units.gltf", &options);
    check_place(model.rest[1].position, -0.02, 0.10, 0, 1e-7, "tip in centimetres");
    check_place(place_at(&model, "lower", 30), -0.02, 0.06, 0, 1e-7, "lower in centimetres");
    rig_free(&model);
    options = (rig_options){.scale = 5, .height = 1.5f};
    model = must_load("units.gltf", &options);
    check_near((double)model.height, 1.5, 1e-6, "height");
    check_place(model.rest[1].position, -0.5, 2.5, 0, 1e-6, "tip of a figure of 1.5 m");
    check_place(place_at(&model, "lower", 30), -0.5, 1.5, 0, 1e-6, "lower of a figure of 1.5 m");
    rig_free(&model);
    /* With z up, what was along y goes to -z. */
    options = (rig_options){.scale = 1, .up = RIG_UP_Z};
    model = must_load("units.gltf", &options);
    check_place(model.rest[1].position, -2, 0, -10, 1e-5, "tip with z up");
    rig_free(&model);
    options.height = 1;
    must_refuse("units.gltf", &options, "0 high");
    options = (rig_options){.scale = -1};
    must_refuse("units.gltf", &options, "scale is -1");
    options = (rig_options){.scale = 1, .height = NAN};
    must_refuse("units.gltf", &options, "height");
    options = (rig_options){.scale = 1, .up = (rig_up)7};
    must_refuse("units.gltf", &options, "up is 7");
}

/* ---- skins ---------------------------------------------------------------------------------------------- */

static mote_vec3 skinned(const rig *model, size_t vertex, uint32_t frame)
{
    mote_pose poses[16];
    place_frame(model, 0, frame, poses);
    mote_vec3 sum = {0, 0, 0};
    for (size_t i = 4 * vertex; i < 4 * vertex + 4; i++) {
        uint32_t bone = model->skin.bones[i];
        mote_pose at = {model->skin.vertices[vertex], {0, 0, 0, 1}};
        mote_vec3 moved = rig_pose_in(poses[bone], rig_pose_from(model->skin.bind[bone], at)).position;
        sum.x += model->skin.weights[i] * moved.x;
        sum.y += model->skin.weights[i] * moved.y;
        sum.z += model->skin.weights[i] * moved.z;
    }
    return sum;
}

static void skin(void **state)
{
    (void)state;
    const uint16_t joints[20] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    /* The third vertex follows both by half, written as 2 and 2. */
    const float weights[20] = {1, 0, 0, 0, 1, 0, 0, 0, 2, 2, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    write_skin("skin.gltf", joints, weights);
    rig model = must_load("skin.gltf", NULL);
    check_near(model.bone_count, 3, 0, "bones");
    check_near((double)model.skin.vertex_count, 5, 0, "vertices");
    check_near((double)model.skin.triangle_count, 3, 0, "triangles");
    /* Bound, the mesh's (x, y) is at (x, y + 1) of the stand, and so at 2 (-y - 1, x). */
    const double along[5] = {0, 1, 2, 4, 5};
    for (size_t i = 0; i < 5; i++) {
        check_place(model.skin.vertices[i], -4, 2 * along[i], 0, 1e-5, "a vertex when bound");
        check_place(skinned(&model, i, 0), -4, 2 * along[i], 0, 1e-5, "a vertex in the first frame");
    }
    check_place(model.skin.bind[1].position, -2, 4, 0, 1e-5, "lower when bound");
    check_near((double)model.skin.weights[8], 0.5, 1e-6, "weight of the vertex between");
    check_near((double)model.skin.weights[9], 0.5, 1e-6, "its second weight");
    /* Turned by 90 degrees about (-2, 4): (dx, dy) becomes (-dy, dx). */
    check_place(skinned(&model, 0, 30), -4, 0, 0, 1e-5, "a vertex of upper");
    check_place(skinned(&model, 4, 30), -2 - (10 - 4), 4 + (-4 + 2), 0, 1e-5, "a vertex of lower");
    check_place(skinned(&model, 2, 30), (-4 - 2 - 0) / 2.0, (4 + 4 - 2) / 2.0, 0, 1e-5, "the vertex between");
    check_near(model.warnings, 0, 0, "warnings");
    mote_skin view = rig_skin_view(&model);
    assert_true(view.vertex_count == 5 && view.bone_count == 3 && view.bind == model.skin.bind);
    mote_mesh mesh = rig_mesh_view(&model);
    assert_true(mesh.triangle_count == 3 && mesh.triangles == model.skin.triangles);
    rig_free(&model);
}

static void bad_weights(void **state)
{
    (void)state;
    const uint16_t joints[20] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    float weights[20] = {1, 0, 0, 0, 0, 0, 0, 0, 2, -1, 0, 0, 1, 0, 0, 0, NAN, 0, 0, 0};
    write_skin("loose.gltf", joints, weights);
    rig model = must_load("loose.gltf", NULL);
    check_true((model.warnings & RIG_WARNING_LOOSE) != 0, "a vertex without weights, warnings %x",
               model.warnings);
    for (size_t i = 0; i < 5; i++) {
        const float *w = model.skin.weights + 4 * i;
        check_near((double)(w[0] + w[1] + w[2] + w[3]), 1, 1e-6, "sum of the weights");
        check_true(w[0] >= w[1] && w[1] >= w[2] && w[2] >= w[3] && w[3] >= 0, "the strongest first");
    }
    check_near(model.skin.bones[4], 0, 0, "the loose vertex follows the first bone");
    rig_free(&model);
    /* What comes out if bytes are taken for floats. */
    weights[0] = 3.6e-43f;
    write_skin("tiny.gltf", joints, weights);
    must_refuse("tiny.gltf", NULL, "weight of bone 'upper' at vertex 0");
    weights[0] = 9.4e8f;
    write_skin("huge.gltf", joints, weights);
    must_refuse("huge.gltf", NULL, "9.4e+08");
}

/* ---- BVH ------------------------------------------------------------------------------------------------ */

static void bvh(void **state)
{
    (void)state;
    write_text("a.bvh", BVH_BONES "MOTION\nFrames: 3\nFrame Time: 0.0083333\n1 2 3 0 0 0 0 0 0\n"
                                  "1 2 3 0 0 0 90 90 0\n4 5 6 90 0 0 0 90 0\n");
    rig_options options = rig_default_options();
    options.scale = 0.1f;
    rig model = must_load("a.bvh", &options);
    check_near(model.bone_count, 3, 0, "bones with the end");
    check_near((double)model.clips[0].rate, 120, 0, "frames a second");
    check_near(model.clips[0].frame_count, 3, 0, "frames");
    check_near((double)model.height, 2.5, 1e-6, "height");
    assert_true(model.skin.vertex_count == 0 && model.skin.bind == NULL);
    check_place(place_at(&model, "Arm", 0), 1.1, 2.2, 0.3, 1e-6, "the arm");
    check_place(place_at(&model, model.names[2], 0), 1.1, 2.7, 0.3, 1e-6, "its end");
    /* First about x, then about z: y becomes z, and stays. Assimp makes matrices and then quaternions of the
     * angles, in single precision. */
    check_place(place_at(&model, model.names[2], 1), 1.1, 2.2, 0.8, 3e-5, "the end, turned about x and z");
    /* The hips about z: (10, 20) becomes (-20, 10); the arm about x: its end goes along z. */
    check_place(place_at(&model, "Arm", 2), 0.4 - 2, 0.5 + 1, 0.6, 3e-5, "the arm of turned hips");
    check_place(place_at(&model, model.names[2], 2), 0.4 - 2, 0.5 + 1, 1.1, 3e-5, "the end of turned hips");
    check_near(rig_find_clip(&model, "none"), RIG_NO_CLIP, 0, "a clip that is not there");
    check_near(rig_find_bone(&model, "none"), MOTE_NO_BONE, 0, "a bone that is not there");
    rig_free(&model);
}

/* ---- FBX ------------------------------------------------------------------------------------------------ */

#define FBX_MODEL "/usr/share/assimp/models/FBX/huesitos.fbx"

/* A file of Blender: centimetres, y up, 25 frames a second; its first bone stands at z = -307.135. */
static void fbx(void **state)
{
    (void)state;
    FILE *file = fopen(FBX_MODEL, "rb");
    if (file == NULL)
        skip();
    static char bytes[200000];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    write_bytes("bones.fbx", bytes, size);
    rig_options options = rig_default_options();
    rig model = must_load("bones.fbx", &options);
    check_place(model.rest[0].position, -4.024, 0, -307.135, 1e-3, "the first bone in the file's unit");
    rig_free(&model);
    options.scale = 0;
    model = must_load("bones.fbx", &options);
    check_place(model.rest[0].position, -0.04024, 0, -3.07135, 1e-5, "the first bone in metres");
    /* 68 polygons with 256 corners in all. */
    check_near((double)model.skin.triangle_count, 256 - 2 * 68, 0, "triangles");
    rig_free(&model);
    /* The same with a 2 (for z) where the file says which axis is up. */
    size_t at = 0;
    while (at + 6 < size && memcmp(bytes + at, "UpAxis", 6) != 0)
        at++;
    while (at + 5 < size && memcmp(bytes + at, "I\1\0\0\0", 5) != 0)
        at++;
    check_true(at + 5 < size, "the file says that y is up");
    bytes[at + 1] = 2;
    write_bytes("turned.fbx", bytes, size);
    model = must_load("turned.fbx", &options);
    check_place(model.rest[0].position, -0.04024, -3.07135, 0, 1e-5, "the first bone with z up");
    rig_free(&model);
}

/* ---- the tool of rig_files.sh --------------------------------------------------------------------------- */

/* Some bone must be below or beside another, or what is read is nothing. */
static void print_rig(const rig *model, const char *path)
{
    static mote_bone_def bones[RIG_MAX_BONES];
    char error[RIG_ERROR];
    uint32_t bodies = rig_bone_defs(model, NULL, bones, NULL, RIG_MAX_BONES, NULL, error);
    uint32_t frames = model->clip_count > 0 ? model->clips[0].frame_count : 0;
    double rate = model->clip_count > 0 ? (double)model->clips[0].rate : 0;
    printf("loaded %u bones %u bodies %u clips %u frames %g rate %zu vertices %zu triangles %s\n",
           model->bone_count, bodies, model->clip_count, frames, rate, model->skin.vertex_count,
           model->skin.triangle_count, path);
}

/* True unless reading the file crashed or took longer than it may. */
static bool read_file(const char *path, bool here)
{
    rig model;
    char error[RIG_ERROR] = "";
    rig_options options = rig_default_options();
    bool loaded = here ? rig_import(path, &options, &model, error)
                       : rig_load(path, &options, &model, error, sizeof error);
    if (loaded)
        print_rig(&model, path);
    else
        printf("refused %s: %s\n", path, error);
    fflush(stdout);
    rig_free(&model);
    return strstr(error, "the reader ") == NULL && strstr(error, "reading took") == NULL;
}

static int read_files(int count, char **arguments)
{
    bool here = strcmp(arguments[0], "--here") == 0, harmless = true;
    for (int i = here ? 1 : 0; i < count; i++)
        if (!read_file(arguments[i], here))
            harmless = false;
    return harmless ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return read_files(argc - 1, argv + 1);
    const struct CMUnitTest tests[] = {
        IN_TEMP_FOLDER(turning), IN_TEMP_FOLDER(moving),      IN_TEMP_FOLDER(growing), IN_TEMP_FOLDER(units),
        IN_TEMP_FOLDER(skin),    IN_TEMP_FOLDER(bad_weights), IN_TEMP_FOLDER(bvh),     IN_TEMP_FOLDER(fbx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
