#define _POSIX_C_SOURCE 200809L
#include "rig_models.h"

#include "io/rig_file_math.h"
#include "temp_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *text_of(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    assert_true(length >= 0);
    char *text = malloc((size_t)length + 1);
    assert_non_null(text);
    va_start(values, format);
    vsnprintf(text, (size_t)length + 1, format, values);
    va_end(values);
    return text;
}

void write_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(temp_path(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

/* ---- glTF ----------------------------------------------------------------------------------------------- */

static int add_numbers(gltf_model *model, const char *kind, int component, const void *values, size_t bytes,
                       size_t count)
{
    size_t first = (model->size + 3) / 4 * 4;
    model->bytes = realloc(model->bytes, first + bytes + 1);
    assert_non_null(model->bytes);
    memset(model->bytes + model->size, 0, first - model->size);
    memcpy(model->bytes + first, values, bytes);
    model->size = first + bytes;
    char *accessors = text_of("%s%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"}",
                              model->count > 0 ? model->accessors : "", model->count > 0 ? "," : "",
                              model->count, component, count, kind);
    char *views = text_of("%s%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}",
                          model->count > 0 ? model->views : "", model->count > 0 ? "," : "", first, bytes);
    free(model->accessors);
    free(model->views);
    model->accessors = accessors;
    model->views = views;
    return model->count++;
}

static size_t width_of(const char *kind)
{
    return strcmp(kind, "SCALAR") == 0 ? 1 : strcmp(kind, "VEC3") == 0 ? 3 : strcmp(kind, "VEC4") == 0 ? 4 : 16;
}

int gltf_floats(gltf_model *model, const char *kind, const float *values, size_t count)
{
    return add_numbers(model, kind, 5126, values, count * width_of(kind) * sizeof *values, count);
}

int gltf_shorts(gltf_model *model, const char *kind, const uint16_t *values, size_t count)
{
    return add_numbers(model, kind, 5123, values, count * width_of(kind) * sizeof *values, count);
}

static char *base64_of(const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((size + 2) / 3 * 4 + 1), *at = text;
    assert_non_null(text);
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= i + 2 < size ? (uint32_t)bytes[i + 2] : 0;
        *at++ = digits[group >> 18];
        *at++ = digits[group >> 12 & 63];
        *at++ = i + 1 < size ? digits[group >> 6 & 63] : '=';
        *at++ = i + 2 < size ? digits[group & 63] : '=';
    }
    *at = '\0';
    return text;
}

void gltf_write(gltf_model *model, const char *name, const char *rest)
{
    char *data = base64_of(model->bytes, model->size), *buffers = text_of("%s", "");
    if (model->count > 0) {
        free(buffers);
        buffers = text_of("\"accessors\":[%s],\"bufferViews\":[%s],\"buffers\":[{\"byteLength\":%zu,"
                          "\"uri\":\"data:application/octet-stream;base64,%s\"}],",
                          model->accessors, model->views, model->size, data);
    }
    char *text = text_of("{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],%s%s}",
                         buffers, rest);
    write_text(name, text);
    free(text);
    free(data);
    free(buffers);
    free(model->accessors);
    free(model->views);
    free(model->bytes);
    *model = (gltf_model){0};
}

/* ---- the arm -------------------------------------------------------------------------------------------- */

/* An animation of one node. */
static char *animation_of(const char *name, int node, const char *path, int times, int values)
{
    return text_of("\"animations\":[{\"name\":\"%s\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":%d,"
                   "\"path\":\"%s\"}}],\"samplers\":[{\"input\":%d,\"output\":%d}]}]",
                   name, node, path, times, values);
}

void write_animated(const char *file, int node, const char *path, const char *kind, const float *times,
                    const float *values, size_t count)
{
    gltf_model model = {0};
    int input = gltf_floats(&model, "SCALAR", times, count);
    char *animation = animation_of("move", node, path, input, gltf_floats(&model, kind, values, count));
    char *rest = text_of(ARM_NODES ",%s", animation);
    gltf_write(&model, file, rest);
    free(animation);
    free(rest);
}

void write_skin(const char *file, const uint16_t joints[20], const float weights[20])
{
    const float places[15] = {0, 1, 0, 1, 1, 0, 2, 1, 0, 4, 1, 0, 5, 1, 0};
    const uint16_t corners[9] = {0, 1, 2, 1, 2, 3, 2, 3, 4};
    const float binds[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,  0, 0, 1,
                             1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -2, 0, 0, 1};
    const float times[2] = {0, 1}, turns[8] = {0, 0, 0, 1, 0, 0, (float)HALF, (float)HALF};
    gltf_model model = {0};
    int p = gltf_floats(&model, "VEC3", places, 5), c = gltf_shorts(&model, "SCALAR", corners, 9);
    int j = gltf_shorts(&model, "VEC4", joints, 5), w = gltf_floats(&model, "VEC4", weights, 5);
    int b = gltf_floats(&model, "MAT4", binds, 2), t = gltf_floats(&model, "SCALAR", times, 2);
    char *animation = animation_of("bend", 2, "rotation", t, gltf_floats(&model, "VEC4", turns, 2));
    char *rest = text_of(
        "\"nodes\":[{\"name\":\"stand\",\"children\":[1,4],\"rotation\":[0,0,0.70710678,0.70710678],"
        "\"scale\":[2,2,2]},{\"name\":\"upper\",\"children\":[2],\"translation\":[0,1,0]},"
        "{\"name\":\"lower\",\"children\":[3],\"translation\":[2,0,0]},{\"name\":\"tip\","
        "\"translation\":[3,0,0]},{\"name\":\"mesh\",\"mesh\":0,\"skin\":0}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},"
        "\"indices\":%d}]}],\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":%d}],%s",
        p, j, w, c, b, animation);
    gltf_write(&model, file, rest);
    free(animation);
    free(rest);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

rig must_load(const char *name, const rig_options *options)
{
    rig model;
    char error[RIG_ERROR] = "";
    check_true(rig_load(temp_path(name), options, &model, error, sizeof error), "%s", error);
    return model;
}

void must_refuse(const char *name, const rig_options *options, const char *words)
{
    rig model;
    char error[RIG_ERROR] = "";
    check_true(!rig_load(temp_path(name), options, &model, error, sizeof error), "%s must be refused", name);
    check_true(strstr(error, words) != NULL, "the text must say '%s': %s", words, error);
    check_true(strstr(error, name) != NULL, "the text must name the file: %s", error);
    check_true(strstr(error, "crash") == NULL, "a clean refusal: %s", error);
    check_true(model.bone_count == 0 && model.names == NULL && model.clips == NULL, "nothing is left behind");
}

void place_frame(const rig *model, uint32_t clip, uint32_t frame, mote_pose *poses)
{
    const mote_pose *local = model->clips[clip].frames + (size_t)frame * model->bone_count;
    for (uint32_t b = 0; b < model->bone_count; b++) {
        uint32_t parent = model->parents[b];
        poses[b] = parent == MOTE_NO_BONE ? local[b] : rig_pose_in(poses[parent], local[b]);
    }
}

mote_vec3 place_at(const rig *model, const char *bone, uint32_t frame)
{
    mote_pose poses[RIG_MAX_BONES];
    check_true(model->clip_count > 0 && frame < model->clips[0].frame_count, "frame %u is there", frame);
    place_frame(model, 0, frame, poses);
    uint32_t index = rig_find_bone(model, bone);
    check_true(index != MOTE_NO_BONE, "there is a bone '%s'", bone);
    return poses[index].position;
}

void check_place(mote_vec3 measured, double x, double y, double z, double tolerance, const char *what)
{
    check_near((double)measured.x, x, tolerance, "x of %s", what);
    check_near((double)measured.y, y, tolerance, "y of %s", what);
    check_near((double)measured.z, z, tolerance, "z of %s", what);
}
