/* Exports: every number comes out with all its bits, the files are whole at any moment, and what cannot be
 * written is said.
 *
 * `test_export --write FOLDER` is a tool of exports.sh instead: it writes the same frames in all formats and,
 * by other calls of the library, as plain text with hexadecimal floats. */
#define _POSIX_C_SOURCE 200809L
#include "io/export.h"
#include "io/safe_file.h"
#include "support.h"
#include "temp_folder.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- a world with something of everything --------------------------------------------------------------- */

#define GRAINS 300

typedef struct zoo {
    mote_world *world;
    mote_particle_id ids[GRAINS]; /* by rising index; some are removed */
} zoo;

/* Grains that fall, so that the slots are sorted anew; fixed ones, several materials and phases, gaps in the
 * ids, and numbers that need all their digits. */
static zoo make_zoo(void)
{
    zoo z = {.world = test_world(NULL)};
    mote_material_id materials[3] = {mote_world_default_material(z.world),
                                     add_material(z.world, 0.5f, 0.4f, 0.1f),
                                     add_material(z.world, 0.3f, 0.2f, 0.9f)};
    uint64_t random = 7;
    for (uint32_t i = 0; i < GRAINS; i++) {
        mote_particle_def def = mote_default_particle_def();
        def.position =
            vec(random_between(&random, -2, 2), random_between(&random, 0, 4), random_between(&random, -2, 2));
        def.velocity = vec(random_between(&random, -1, 1), random_between(&random, -1, 1), 0);
        def.mass = random_between(&random, 0.1f, 3);
        def.radius = random_between(&random, 0.01f, 0.06f);
        def.fixed = i % 7 == 0;
        def.material = materials[i % 3];
        def.phase = mote_phase(i % 5, i % 2 == 0, 0x7F);
        z.ids[i] = mote_particle_add(z.world, &def);
        must_exist(z.ids[i]);
    }
    for (uint32_t i = 3; i < GRAINS; i += 11)
        must(mote_particle_remove(z.world, z.ids[i]));
    step_times(z.world, 3, TEST_FRAME);
    for (uint32_t i = 0; i < GRAINS; i += 2) /* after the last step: these do not roll */
        if (mote_particle_is_valid(z.world, z.ids[i]))
            must(mote_particle_set_spin(
                z.world, z.ids[i], vec(random_between(&random, -9, 9), random_between(&random, -9, 9), 1)));
    return z;
}

static size_t material_number(const mote_world *world, mote_material_id material)
{
    for (uint32_t i = 0; i < mote_material_count(world); i++)
        if (mote_material_at(world, i).index == material.index)
            return i;
    return SIZE_MAX;
}

static void export_frames(const char *where, export_format format, const mote_world *world, uint32_t first,
                          uint32_t count)
{
    char error[EXPORT_ERROR] = "";
    exporter *e = exporter_open(where, format, first, 0.25, error);
    check_true(e != NULL, "%s", error);
    for (uint32_t i = first; i < first + count; i++)
        check_true(exporter_add(e, world, i, 0.25 * i), "frame %u: %s", i, exporter_error(e));
    check_true(exporter_close(e, error), "%s", error);
}

static void same_bits(float a, float b, const char *what, uint32_t id)
{
    check_true(memcmp(&a, &b, sizeof a) == 0, "%s of particle %u: %a, expected %a", what, id, (double)a,
               (double)b);
}

/* ---- formats -------------------------------------------------------------------------------------------- */

static void names(void **state)
{
    (void)state;
    export_format format;
    for (uint32_t i = 0; i < EXPORT_FORMAT_COUNT; i++) {
        check_true(export_format_find(export_format_name((export_format)i), &format), "format %u", i);
        assert_int_equal(format, i);
    }
    check_true(!export_format_find("florp", &format), "no such format");
}

/* One row against what the library says of that particle. */
static void check_row(const zoo *z, mote_particle_id id, const float v[8], const unsigned number[3],
                      const float spin[3])
{
    mote_particle_state s = state_of(z->world, id);
    const float expected[8] = {s.position.x, s.position.y, s.position.z, s.velocity.x,
                               s.velocity.y, s.velocity.z, s.mass,       s.radius};
    for (int i = 0; i < 8; i++)
        same_bits(v[i], expected[i], "a float", id.index);
    const float its_spin[3] = {s.spin.x, s.spin.y, s.spin.z};
    for (int i = 0; i < 3; i++)
        same_bits(spin[i], its_spin[i], "spin", id.index);
    assert_int_equal(number[0], id.index);
    assert_int_equal(number[1], s.phase);
    assert_int_equal(number[2], material_number(z->world, s.material));
}

static void csv_has_all_bits(void **state)
{
    (void)state;
    zoo z = make_zoo();
    export_frames(temp_folder, EXPORT_CSV, z.world, 0, 1);
    size_t size, rows = 0;
    char *text = temp_bytes("frame_00000.csv", &size);
    assert_non_null(text);
    static const char header[] = "id,x,y,z,vx,vy,vz,mass,radius,phase,material,spin_x,spin_y,spin_z\n";
    assert_memory_equal(text, header, sizeof header - 1);
    char *at = text + sizeof header - 1;
    for (uint32_t i = 0; i < GRAINS; i++) {
        if (!mote_particle_is_valid(z.world, z.ids[i]))
            continue;
        float v[8];
        unsigned number[3];
        number[0] = (unsigned)strtoul(at, &at, 10);
        for (int k = 0; k < 8; k++)
            v[k] = strtof(at + 1, &at);
        number[1] = (unsigned)strtoul(at + 1, &at, 10);
        number[2] = (unsigned)strtoul(at + 1, &at, 10);
        float spin[3];
        for (int k = 0; k < 3; k++)
            spin[k] = strtof(at + 1, &at);
        assert_int_equal(*at++, '\n');
        check_row(&z, z.ids[i], v, number, spin);
        rows++;
    }
    check_true(*at == '\0', "nothing follows the last row");
    check_near((double)rows, (double)mote_particle_count(z.world), 0, "rows");
    free(text);
    mote_world_destroy(z.world);
}

static void ply_has_all_bits(void **state)
{
    (void)state;
    zoo z = make_zoo();
    export_frames(temp_folder, EXPORT_PLY, z.world, 0, 1);
    size_t size;
    char *bytes = temp_bytes("frame_00000.ply", &size), count[64];
    assert_non_null(bytes);
    snprintf(count, sizeof count, "element vertex %zu\n", mote_particle_count(z.world));
    assert_non_null(strstr(bytes, count));
    const char *at = strstr(bytes, "end_header\n");
    assert_non_null(at);
    at += strlen("end_header\n");
    assert_int_equal(size - (size_t)(at - bytes), 56 * mote_particle_count(z.world));
    for (uint32_t i = 0; i < GRAINS; i++) {
        if (!mote_particle_is_valid(z.world, z.ids[i]))
            continue;
        float v[8], spin[3];
        unsigned number[3];
        memcpy(v, at, sizeof v);
        memcpy(number, at + sizeof v, sizeof number);
        memcpy(spin, at + sizeof v + sizeof number, sizeof spin);
        check_row(&z, z.ids[i], v, number, spin);
        at += 56;
    }
    free(bytes);
    mote_world_destroy(z.world);
}

/* None, one, and ever fewer: buffers that were used before. */
static void few_particles(void **state)
{
    (void)state;
    static const char *const files[EXPORT_FORMAT_COUNT] = {"frame_00000.vtp", "frame_00000.ply",
                                                           "frame_00000.csv", "frame_00000.obj"};
    zoo z = make_zoo();
    mote_world *empty = test_world(NULL), *single = test_world(NULL);
    add_particle(single, vec(1, 2, 3), vec(4, 5, 6), (mote_material_id){0});
    for (uint32_t format = 0; format < EXPORT_FORMAT_COUNT; format++) {
        char error[EXPORT_ERROR];
        exporter *e = exporter_open(temp_folder, (export_format)format, 0, 1, error);
        assert_non_null(e);
        for (uint32_t i = 0; i < 6; i++)
            assert_true(exporter_add(e, z.world, i + 10, 0));
        for (uint32_t i = 0; i < 4; i++)
            assert_true(exporter_add(e, i % 2 == 0 ? single : empty, i % 2, 0));
        check_true(exporter_close(e, error), "%s", error);
        size_t size;
        char *text = temp_bytes(files[format], &size);
        assert_non_null(text);
        if (format == EXPORT_CSV)
            assert_non_null(strstr(text, "\n0,1,2,3,4,5,6,1,0.0500000007,"));
        if (format == EXPORT_OBJ)
            assert_string_equal(text, "# time 0 s\no loose\nv 1 2 3\np 1\n");
        free(text);
    }
    size_t size;
    char *text = temp_bytes("frame_00001.csv", &size);
    assert_string_equal(text, "id,x,y,z,vx,vy,vz,mass,radius,phase,material,spin_x,spin_y,spin_z\n");
    free(text);
    text = temp_bytes("frame_00001.obj", &size);
    assert_string_equal(text, "# time 0 s\n");
    free(text);
    mote_world_destroy(empty);
    mote_world_destroy(single);
    mote_world_destroy(z.world);
}

/* Where bodies are, whatever the format of the particles. */
static void bodies_have_all_bits(void **state)
{
    (void)state;
    enum { BODIES = 5 };
    mote_world *world = test_world(NULL);
    mote_rigid_def rigid = mote_default_rigid_def();
    mote_body_id ids[BODIES];
    for (int i = 0; i < BODIES; i++) {
        rigid.pose.position = vec(0.7f * (float)i, 1, 0);
        rigid.velocity = vec(0, (float)i, 1);
        rigid.spin = vec(1, 2, 3);
        ids[i] = mote_rigid_box(world, &rigid, (uint32_t[3]){2, 3, 2});
        must_exist(ids[i]);
    }
    must(mote_body_remove(world, ids[1]));
    step_times(world, 3, TEST_FRAME);
    export_name given[] = {
        {ids[3], "a \"b\", c"}, {ids[0], "crate"}, {{ids[2].index, ids[2].generation + 1}, "no"}};
    const char *const wanted[BODIES] = {"crate", NULL, "", "\"a \"\"b\"\", c\"", ""};
    char error[EXPORT_ERROR] = "", line[512];
    exporter *e = exporter_open(temp_path("x"), EXPORT_PLY, 7, 0.25, error);
    check_true(e != NULL, "%s", error);
    check_true(exporter_name_bodies(e, given, 3), "%s", exporter_error(e));
    check_true(exporter_add(e, world, 7, 0), "%s", exporter_error(e));
    check_true(exporter_close(e, error), "%s", error);
    FILE *file = fopen(temp_path("x/bodies_00007.csv"), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "id,name,px,py,pz,qx,qy,qz,qw\n");
    for (int i = 0; i < BODIES; i++) {
        if (wanted[i] == NULL)
            continue;
        assert_non_null(fgets(line, sizeof line, file));
        char head[64];
        size_t length = (size_t)snprintf(head, sizeof head, "%u,%s,", ids[i].index, wanted[i]);
        check_true(strncmp(line, head, length) == 0, "'%s' does not begin with '%s'", line, head);
        float v[7];
        assert_int_equal(
            sscanf(line + length, "%f,%f,%f,%f,%f,%f,%f", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6]), 7);
        mote_pose pose;
        must(mote_body_poses(world, &ids[i], 1, &pose));
        check_true(memcmp(v, &pose, sizeof v) == 0, "all bits of body %d", i);
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
    mote_world_destroy(world);
}

/* ---- series --------------------------------------------------------------------------------------------- */

static void many_frames(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    export_frames(temp_folder, EXPORT_VTK, world, 99998, 4);
    size_t size;
    char *text = temp_bytes("frames.pvd", &size);
    assert_non_null(text);
    const char *first = strstr(text, "timestep=\"24999.5\" group=\"\" part=\"0\" file=\"frame_99998.vtp\"");
    const char *last = strstr(text, "timestep=\"25000.25\" group=\"\" part=\"0\" file=\"frame_100001.vtp\"");
    check_true(first != NULL && last != NULL && first < last, "%s", text);
    free(text);
    check_near((double)temp_files_with("frame_"), 4, 0, "files of frames");
    check_near((double)temp_files_with(SAFE_FILE_SUFFIX), 0, 0, "unfinished files");
    mote_world_destroy(world);
}

/* A run that stops and goes on leaves the same list as one that does not, and times that an exporter could not
 * guess are kept. A new run begins a new list. */
static void resumed_series(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    char below[128], error[EXPORT_ERROR];
    snprintf(below, sizeof below, "%s/a/b/c", temp_folder);
    exporter *e = exporter_open(below, EXPORT_VTK, 0, 1, error);
    check_true(e != NULL, "%s", error);
    for (uint32_t i = 0; i < 6; i++)
        assert_true(exporter_add(e, world, i, i / 3.0));
    assert_true(exporter_close(e, error));
    size_t size;
    char *whole = temp_bytes("a/b/c/frames.pvd", &size);

    /* Resumed from the fourth frame: the last two of before are gone until they are written again. */
    e = exporter_open(below, EXPORT_VTK, 4, 1, error);
    assert_non_null(e);
    assert_true(exporter_add(e, world, 4, 4 / 3.0));
    assert_true(exporter_flush(e));
    char *partly = temp_bytes("a/b/c/frames.pvd", &size);
    check_true(strstr(partly, "frame_00004") != NULL && strstr(partly, "frame_00005") == NULL, "%s", partly);
    assert_true(exporter_add(e, world, 5, 5 / 3.0));
    assert_true(exporter_close(e, error));
    char *resumed = temp_bytes("a/b/c/frames.pvd", &size);
    assert_string_equal(whole, resumed);

    e = exporter_open(below, EXPORT_VTK, 0, 1, error);
    assert_non_null(e);
    assert_true(exporter_add(e, world, 0, 0));
    assert_true(exporter_close(e, error));
    char *new_run = temp_bytes("a/b/c/frames.pvd", &size);
    check_true(strstr(new_run, "frame_00000") != NULL && strstr(new_run, "frame_00001") == NULL, "%s", new_run);

    /* Without a list, frames that are there are found, and their times worked out. */
    unlink(temp_path("a/b/c/frames.pvd"));
    e = exporter_open(below, EXPORT_VTK, 2, 0.5, error);
    assert_non_null(e);
    assert_true(exporter_add(e, world, 2, 1));
    assert_true(exporter_close(e, error));
    char *found = temp_bytes("a/b/c/frames.pvd", &size);
    check_true(strstr(found, "timestep=\"0.5\" group=\"\" part=\"0\" file=\"frame_00001.vtp\"") != NULL, "%s",
               found);
    free(whole);
    free(partly);
    free(resumed);
    free(new_run);
    free(found);
    mote_world_destroy(world);
}

static bool ends_with(const char *bytes, size_t size, const char *end)
{
    size_t length = strlen(end);
    return size >= length && memcmp(bytes + size - length, end, length) == 0;
}

/* Killed at any moment, a run leaves whole files and a list of them. */
static void killed_run(void **state)
{
    (void)state;
    for (int attempt = 1; attempt <= 5; attempt++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            zoo z = make_zoo();
            char error[EXPORT_ERROR];
            exporter *e = exporter_open(temp_folder, EXPORT_VTK, 0, 1, error);
            bool going_on = e != NULL;
            for (uint32_t i = 0; going_on; i++)
                going_on = exporter_add(e, z.world, i, i);
            _exit(1);
        }
        const struct timespec moment = {.tv_nsec = 10000000L + attempt * 7000000L};
        for (int waits = 0; waits < 1000 && access(temp_path("frames.pvd"), F_OK) != 0; waits++)
            nanosleep(&moment, NULL);
        nanosleep(&moment, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        size_t size, listed = 0;
        char *list = temp_bytes("frames.pvd", &size);
        check_true(list != NULL && ends_with(list, size, "</VTKFile>\n"), "the list is whole");
        for (char *at = strstr(list, "frame_"); at != NULL; at = strstr(at, "frame_")) {
            char *end = strchr(at, '"');
            assert_non_null(end);
            *end = '\0';
            char *frame = temp_bytes(at, &size);
            check_true(frame != NULL && ends_with(frame, size, "</VTKFile>\n"), "%s is whole", at);
            free(frame);
            at = end + 1;
            listed++;
        }
        check_above((double)listed, 0, "frames in the list");
        check_below((double)temp_files_with(SAFE_FILE_SUFFIX), 1.5, "unfinished files do not pile up");
        free(list);
    }
}

/* ---- faults --------------------------------------------------------------------------------------------- */

static void refuse_folder(const char *where, const char *word)
{
    char error[EXPORT_ERROR] = "";
    check_true(exporter_open(where, EXPORT_CSV, 0, 1, error) == NULL, "%s must be refused", where);
    check_true(strstr(error, where) != NULL, "the text must name the folder: %s", error);
    check_true(strstr(error, word) != NULL, "the text must say '%s': %s", word, error);
}

static void bad_folders(void **state)
{
    (void)state;
    char error[EXPORT_ERROR];
    assert_true(safe_file_write(temp_path("file"), "x", 1, error, sizeof error));
    refuse_folder(temp_path("file"), "Not a directory");
    refuse_folder(temp_path("file/below"), "Not a directory");
    refuse_folder("", "No such");
    refuse_folder("/proc/no-such-folder", "No such");
}

/* The folder is taken away in the middle: the first fault is kept and said again and again. */
static void folder_vanishes(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    char error[EXPORT_ERROR], below[128];
    snprintf(below, sizeof below, "%s/gone", temp_folder);
    exporter *e = exporter_open(below, EXPORT_CSV, 0, 1, error);
    assert_non_null(e);
    assert_string_equal(exporter_error(e), "");
    assert_true(exporter_add(e, world, 0, 0));
    assert_true(exporter_flush(e));
    temp_remove(below);
    exporter_add(e, world, 1, 0);
    assert_false(exporter_flush(e));
    assert_false(exporter_add(e, world, 2, 0));
    check_true(strstr(exporter_error(e), "frame_00001.csv") != NULL, "%s", exporter_error(e));
    assert_false(exporter_close(e, error));
    check_true(strstr(error, "frame_00001.csv") != NULL && strstr(error, "No such file") != NULL, "%s", error);
    mote_world_destroy(world);
}

/* Files may not grow beyond `bytes`, as if the disk were full. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void full_disk(void **state)
{
    (void)state;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    for (uint32_t format = 0; format < EXPORT_FORMAT_COUNT; format++) {
        zoo z = make_zoo();
        mote_world *small = test_world(NULL);
        char error[EXPORT_ERROR] = "";
        exporter *e = exporter_open(temp_folder, (export_format)format, 0, 1, error);
        assert_non_null(e);
        assert_true(exporter_add(e, small, 0, 0));
        assert_true(exporter_add(e, small, 1, 0));
        assert_true(exporter_flush(e));
        limit_files(4096);
        exporter_add(e, z.world, 1, 0);
        assert_false(exporter_flush(e));
        assert_false(exporter_add(e, small, 2, 0));
        check_true(!exporter_close(e, error), "a full disk is a fault");
        limit_files(RLIM_INFINITY);
        check_true(strstr(error, "frame_00001") != NULL && strstr(error, strerror(EFBIG)) != NULL, "%s", error);
        check_near((double)temp_files_with(SAFE_FILE_SUFFIX), 0, 0, "unfinished files");
        mote_world_destroy(small);
        mote_world_destroy(z.world);
    }
    signal(SIGXFSZ, before);
    /* What was written before is as it was. */
    size_t size, again;
    char *first = temp_bytes("frame_00000.csv", &size), *second = temp_bytes("frame_00001.csv", &again);
    assert_string_equal(first, second);
    free(first);
    free(second);
    first = temp_bytes("frames.pvd", &size);
    check_true(strstr(first, "frame_00001.vtp") != NULL && ends_with(first, size, "</VTKFile>\n"), "%s", first);
    free(first);
}

/* ---- the tool of exports.sh ----------------------------------------------------------------------------- */

static void dump_frame(FILE *file, const zoo *z, uint32_t frame, double time)
{
    fprintf(file, "frame %u %a %zu\n", frame, time, mote_particle_count(z->world));
    for (uint32_t i = 0; i < GRAINS; i++) {
        mote_particle_state s;
        if (!mote_particle_is_valid(z->world, z->ids[i]))
            continue;
        must(mote_particle_get(z->world, z->ids[i], &s));
        fprintf(file, "%u %a %a %a %a %a %a %a %a %u %zu %a %a %a\n", z->ids[i].index, (double)s.position.x,
                (double)s.position.y, (double)s.position.z, (double)s.velocity.x, (double)s.velocity.y,
                (double)s.velocity.z, (double)s.mass, (double)s.radius, s.phase,
                material_number(z->world, s.material), (double)s.spin.x, (double)s.spin.y, (double)s.spin.z);
    }
}

/* Five frames: one with many particles, one with a particle, one with none. */
static int write_frames(const char *where)
{
    zoo z = make_zoo();
    char below[1024], error[EXPORT_ERROR] = "";
    exporter *e[EXPORT_FORMAT_COUNT];
    bool written = true;
    for (uint32_t i = 0; i < EXPORT_FORMAT_COUNT; i++) {
        snprintf(below, sizeof below, "%s/%s", where, export_format_name((export_format)i));
        e[i] = exporter_open(below, (export_format)i, 0, 0, error);
        if (e[i] == NULL) {
            fprintf(stderr, "%s\n", error);
            return 1;
        }
    }
    snprintf(below, sizeof below, "%s/dump.txt", where);
    FILE *dump = fopen(below, "w");
    if (dump == NULL)
        return 1;
    for (uint32_t frame = 0; frame < 5; frame++) {
        double time = mote_world_time(z.world);
        for (uint32_t i = 0; i < EXPORT_FORMAT_COUNT; i++)
            written = exporter_add(e[i], z.world, frame, time) && written;
        dump_frame(dump, &z, frame, time);
        step_times(z.world, 2, TEST_FRAME);
        uint32_t keep = frame < 2 ? GRAINS : frame == 2 ? 1 : 0;
        for (uint32_t k = keep; k < GRAINS; k++)
            if (mote_particle_is_valid(z.world, z.ids[k]))
                must(mote_particle_remove(z.world, z.ids[k]));
    }
    for (uint32_t i = 0; i < EXPORT_FORMAT_COUNT; i++)
        written = exporter_close(e[i], error) && written;
    mote_world_destroy(z.world);
    return fclose(dump) == 0 && written ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_frames(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),          IN_TEMP_FOLDER(csv_has_all_bits),
        IN_TEMP_FOLDER(ply_has_all_bits), IN_TEMP_FOLDER(bodies_have_all_bits),
        IN_TEMP_FOLDER(few_particles),    IN_TEMP_FOLDER(many_frames),
        IN_TEMP_FOLDER(resumed_series),   IN_TEMP_FOLDER(killed_run),
        IN_TEMP_FOLDER(bad_folders),      IN_TEMP_FOLDER(folder_vanishes),
        IN_TEMP_FOLDER(full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
