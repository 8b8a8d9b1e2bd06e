/* Rig files that are strange, wrong or damaged: each is read sanely or refused with words that name the
 * thing; none crashes, leaks or hangs. */
#define _POSIX_C_SOURCE 200809L
#include "io/rig_file_import.h"
#include "rig_models.h"
#include "temp_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A chain of nodes, each 0.1 further along y, the last of which turns; all with the same name if that is
 * given. */
static void write_chain(const char *file, unsigned count, const char *same_name)
{
    const float times[2] = {0, 1}, turns[8] = {0, 0, 0, 1, 0, 0, (float)HALF, (float)HALF};
    gltf_model model = {0};
    int input = gltf_floats(&model, "SCALAR", times, 2), output = gltf_floats(&model, "VEC4", turns, 2);
    size_t room = 200 * (size_t)count + 1000, used = 0;
    char *rest = malloc(room);
    assert_non_null(rest);
    used += (size_t)snprintf(rest, room, "\"nodes\":[");
    for (unsigned i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "b%u", i);
        used += (size_t)snprintf(rest + used, room - used, "%s{\"name\":\"%s\",\"translation\":[0,0.1,0]",
                                 i > 0 ? "," : "", same_name != NULL ? same_name : name);
        if (i + 1 < count)
            used += (size_t)snprintf(rest + used, room - used, ",\"children\":[%u]", i + 1);
        used += (size_t)snprintf(rest + used, room - used, "}");
    }
    snprintf(rest + used, room - used,
             "],\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}],"
             "\"samplers\":[{\"input\":%d,\"output\":%d}]}]",
             input, output);
    gltf_write(&model, file, rest);
    free(rest);
}

static void many_bones(void **state)
{
    (void)state;
    write_chain("one.gltf", 1, NULL);
    rig model = must_load("one.gltf", NULL);
    check_near(model.bone_count, 1, 0, "one bone");
    check_near((double)model.height, 0, 0, "of no height");
    rig_free(&model);
    write_chain("many.gltf", 500, NULL);
    model = must_load("many.gltf", NULL);
    check_near(model.bone_count, 500, 0, "bones");
    check_place(place_at(&model, "b499", 30), -49.9, 0.1, 0, 1e-3, "the last of 500, turned");
    rig_free(&model);
    write_chain("limit.gltf", RIG_MAX_BONES, NULL);
    model = must_load("limit.gltf", NULL);
    check_near(model.bone_count, RIG_MAX_BONES, 0, "as many bones as there may be");
    rig_free(&model);
    write_chain("more.gltf", RIG_MAX_BONES + 1, NULL);
    must_refuse("more.gltf", NULL, "it has 1025 bones");
}

static void names(void **state)
{
    (void)state;
    write_chain("same.gltf", 5, "bone");
    rig model = must_load("same.gltf", NULL);
    check_near(model.bone_count, 5, 0, "bones of one name");
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t k = 0; k < i; k++)
            check_true(strcmp(model.names[i], model.names[k]) != 0, "'%s' is there once", model.names[i]);
    rig_free(&model);
    char name[201];
    memset(name, 'n', 200);
    name[200] = '\0';
    write_chain("long.gltf", 3, name);
    model = must_load("long.gltf", NULL);
    check_true((model.warnings & RIG_WARNING_NAMES) != 0, "a warning of long names");
    for (uint32_t i = 0; i < 3; i++)
        check_true(rig_find_bone(&model, model.names[i]) == i, "'%s' is found", model.names[i]);
    rig_free(&model);
    write_chain("none.gltf", 3, "");
    model = must_load("none.gltf", NULL);
    check_true(model.names[0][0] != '\0' && model.names[2][0] != '\0', "bones without names get some");
    rig_free(&model);
}

static void bad_keys(void **state)
{
    (void)state;
    float times[3] = {0, 0.5f, 1}, places[9] = {2, 0, 0, 2, 1, 0, 2, 2, 0};
    places[4] = NAN;
    write_animated("nan.gltf", 2, "translation", "VEC3", times, places, 3);
    must_refuse("nan.gltf", NULL, "position key 1 of 'lower' in animation 'move'");
    places[4] = INFINITY;
    write_animated("infinite.gltf", 2, "translation", "VEC3", times, places, 3);
    must_refuse("infinite.gltf", NULL, "not finite");
    places[4] = 3e30f;
    write_animated("far.gltf", 2, "translation", "VEC3", times, places, 3);
    must_refuse("far.gltf", NULL, "must be within");
    places[4] = 1;
    times[1] = 2;
    write_animated("back.gltf", 2, "translation", "VEC3", times, places, 3);
    must_refuse("back.gltf", NULL, "comes before");
    times[1] = NAN;
    write_animated("never.gltf", 2, "translation", "VEC3", times, places, 3);
    must_refuse("never.gltf", NULL, "not finite");
    times[1] = 0.5f;
    times[2] = 1e9f;
    write_animated("endless.gltf", 2, "translation", "VEC3", times, places, 3);
    must_refuse("endless.gltf", NULL, "animation 'move' is 1e+09 s long");
    const float no_turn[8] = {0, 0, 0, 1, 0, 0, 0, 0};
    write_animated("zero.gltf", 2, "rotation", "VEC4", times, no_turn, 2);
    must_refuse("zero.gltf", NULL, "rotation key 1 of 'lower'");
}

static void no_motion(void **state)
{
    (void)state;
    gltf_model model = {0};
    gltf_write(&model, "still.gltf", ARM_NODES);
    rig still = must_load("still.gltf", NULL);
    check_near(still.bone_count, 4, 0, "bones without mesh and motion");
    check_near(still.clip_count, 0, 0, "clips");
    rig_free(&still);
    gltf_write(&model, "empty.gltf",
               ARM_NODES ",\"animations\":[{\"name\":\"e\",\"channels\":[],\"samplers\":[]}]");
    still = must_load("empty.gltf", NULL);
    check_near(still.clip_count, 0, 0, "clips of an empty animation");
    rig_free(&still);
    /* One key: a pose. */
    const float time[1] = {0}, place[3] = {7, 0, 0};
    write_animated("pose.gltf", 2, "translation", "VEC3", time, place, 1);
    still = must_load("pose.gltf", NULL);
    check_near(still.clips[0].frame_count, 1, 0, "frames of one key");
    check_place(place_at(&still, "lower", 0), -2, 14, 0, 1e-5, "the bone there");
    rig_free(&still);
    /* 20,000 keys in a second: no more than 240 frames of it. */
    float *times = malloc(20000 * sizeof *times), *places = malloc(60000 * sizeof *places);
    assert_true(times != NULL && places != NULL);
    for (int i = 0; i < 20000; i++) {
        times[i] = (float)i / 19999;
        places[3 * i] = times[i];
        places[3 * i + 1] = places[3 * i + 2] = 0;
    }
    write_animated("dense.gltf", 2, "translation", "VEC3", times, places, 20000);
    free(times);
    free(places);
    still = must_load("dense.gltf", NULL);
    check_near((double)still.clips[0].rate, (double)RIG_MAX_RATE, 0, "frames a second");
    check_place(place_at(&still, "lower", 120), -2, 1, 0, 1e-3, "half way");
    rig_free(&still);
}

static void wrong_files(void **state)
{
    (void)state;
    gltf_model model = {0};
    gltf_write(&model, "cycle.gltf", "\"nodes\":[{\"children\":[1]},{\"children\":[2]},{\"children\":[1]}]");
    must_refuse("cycle.gltf", NULL, "recursive");
    gltf_write(&model, "itself.gltf", "\"nodes\":[{\"children\":[0]}]");
    must_refuse("itself.gltf", NULL, "recursive");
    write_text("text.fbx", "This is no skeleton at all.");
    must_refuse("text.fbx", NULL, "");
    write_text("bvh.gltf", BVH_BONES);
    must_refuse("bvh.gltf", NULL, "");
    write_text("gltf.bvh", "{\"asset\":{\"version\":\"2.0\"}}");
    must_refuse("gltf.bvh", NULL, "");
    write_text("nothing.bvh", "");
    must_refuse("nothing.bvh", NULL, "empty");
    write_text("cube.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    must_refuse("cube.obj", NULL, "no bones");
    must_refuse("missing.bvh", NULL, "No such");
    assert_int_equal(mkdir(temp_path("folder.bvh"), 0700), 0);
    must_refuse("folder.bvh", NULL, "folder");
    assert_int_equal(mkfifo(temp_path("pipe.bvh"), 0600), 0);
    must_refuse("pipe.bvh", NULL, "not a file");
    write_text("less.bvh", BVH_BONES "MOTION\nFrames: 3\nFrame Time: 0.1\n1 2 3 0 0 0\n");
    must_refuse("less.bvh", NULL, "");
    write_text("words.bvh", BVH_BONES "MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 a b c d e f\n");
    must_refuse("words.bvh", NULL, "");
}

/* Of a number of channels that is none the line is named; a joint may be called so. */
static void wrong_channels(void **state)
{
    (void)state;
    static const char *const counts[] = {"-1", "7", "2.5", "1e9", "nan"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char text[400], words[100];
        snprintf(text, sizeof text,
                 "HIERARCHY\nROOT CHANNELS\n{\nOFFSET 0 0 0\nCHANNELS %s Xposition Yposition\nEnd Site\n{\n"
                 "OFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n",
                 counts[i]);
        snprintf(words, sizeof words, "line 5: 'CHANNELS' is '%s'", counts[i]);
        write_text("channels.bvh", text);
        must_refuse("channels.bvh", NULL, words);
    }
}

/* What a BVH file says of its frames must be possible before anyone makes room for them. */
static void wrong_frames(void **state)
{
    (void)state;
    static const char still[] = "0 0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0 0\n";
    static const struct {
        const char *frames, *time, *words;
    } cases[] = {
        {"2", "0", "a.bvh': 'Frame Time:' is '0'"},
        {"2", "-0.1", "a.bvh': 'Frame Time:' is '-0.1'"},
        {"2", "nan", "'Frame Time:' is 'nan'"},
        {"2", "inf", "'Frame Time:' is 'inf'"},
        {"2", "soon", "'Frame Time:' is 'soon'"},
        {"99999999", "0.1", "a.bvh': 'Frames:' is '99999999'; so many frames of 9 numbers do not fit"},
        {"1e300", "0.1", "'Frames:' is '1e300'; so many frames"},
        {"-1", "0.1", "'Frames:' is '-1'"},
        {"many", "0.1", "'Frames:' is 'many'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = text_of("%sMOTION\nFrames: %s\nFrame Time: %s\n%s", BVH_BONES, cases[i].frames,
                             cases[i].time, still);
        write_text("a.bvh", text);
        must_refuse("a.bvh", NULL, cases[i].words);
        free(text);
    }
    /* As short as it can be: a digit a number, and no end of the last line; and with a comma for a point. */
    write_text("tight.bvh",
               "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n"
               "}\n}\nMOTION\nFrames: 3\nFrame Time: 0,5\n0\n1\n2");
    rig model = must_load("tight.bvh", NULL);
    check_near(model.clips[0].frame_count, 3, 0, "frames");
    check_near((double)model.clips[0].rate, 2, 0, "frames a second");
    rig_free(&model);
    /* A bone may be called as the parts of the file are. */
    char *text = text_of("HIERARCHY\nROOT MOTION\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nJOINT CHANNELS\n{\n"
                         "OFFSET 0 1 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n"
                         "MOTION\nFrames: 2\nFrame Time: 0.5\n0 0\n0 0\n");
    write_text("named.bvh", text);
    free(text);
    model = must_load("named.bvh", NULL);
    check_near(model.clips[0].frame_count, 2, 0, "frames of bones with such names");
    rig_free(&model);
}

/* Cut short anywhere, a file is refused or read as far as it goes, in no more time than is allowed. */
static void cut_short(void **state)
{
    (void)state;
    const uint16_t joints[20] = {0};
    const float weights[20] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    write_skin("whole.gltf", joints, weights);
    write_text("whole.bvh",
               BVH_BONES "MOTION\nFrames: 2\nFrame Time: 0.1\n1 2 3 0 0 0 0 0 0\n1 2 3 0 0 0 9 9 9\n");
    static const char *const files[2] = {"gltf", "bvh"};
    const apart_limits limits = {.cpu_seconds = 1, .memory = (size_t)1 << 30};
    rig_options options = rig_default_options();
    for (int i = 0; i < 2; i++) {
        char whole[16], part[16], error[RIG_ERROR];
        snprintf(whole, sizeof whole, "whole.%s", files[i]);
        snprintf(part, sizeof part, "part.%s", files[i]);
        size_t size, step = i == 0 ? TEST_BY_BUILD(29, 97, 97) : TEST_BY_BUILD(3, 11, 11);
        char *bytes = temp_bytes(whole, &size);
        for (size_t length = 1; length < size; length += step) {
            write_bytes(part, bytes, length);
            rig model;
            error[0] = '\0';
            bool read = rig_import_apart(temp_path(part), &options, &limits, &model, error);
            check_true(read == (error[0] == '\0'), "%zu bytes: '%s'", length, error);
            check_true(i == 1 || !read || length + 3 > size, "%zu of %zu bytes of JSON are refused", length,
                       size);
            rig_free(&model);
        }
        free(bytes);
    }
}

/* The same in this process, where the sanitizers see every leak of it. */
static void reading_here(void **state)
{
    (void)state;
    const uint16_t joints[20] = {0};
    const float weights[20] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    write_skin("skin.gltf", joints, weights);
    rig model;
    char error[RIG_ERROR] = "";
    rig_options options = rig_default_options();
    check_true(rig_import(temp_path("skin.gltf"), &options, &model, error), "%s", error);
    check_near((double)model.skin.vertex_count, 5, 0, "vertices, read here");
    rig_free(&model);
    const float times[2] = {0, 1}, places[6] = {2, 0, 0, 2, NAN, 0};
    write_animated("nan.gltf", 2, "translation", "VEC3", times, places, 2);
    check_true(!rig_import(temp_path("nan.gltf"), &options, &model, error), "a key that is no number");
    assert_null(model.names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMP_FOLDER(names),        IN_TEMP_FOLDER(many_bones),   IN_TEMP_FOLDER(bad_keys),
        IN_TEMP_FOLDER(no_motion),    IN_TEMP_FOLDER(wrong_files),  IN_TEMP_FOLDER(cut_short),
        IN_TEMP_FOLDER(reading_here), IN_TEMP_FOLDER(wrong_frames), IN_TEMP_FOLDER(wrong_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
