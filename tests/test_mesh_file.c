/* Mesh files: what is read is what the file says (volumes, areas and boxes in closed form), and no damaged file
 * does harm.
 *
 * With arguments it is a tool of mesh_files.sh instead: it reads the files given and prints a line for each.
 * `--here` reads them in this process, where sanitizers see what assimp and the reading do. */
#define _POSIX_C_SOURCE 200809L
#include "io/mesh_file.h"
#include "io/mesh_file_import.h"
#include "support.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- measures ------------------------------------------------------------------------------------------- */

typedef struct measures {
    double volume, area; /* the volume is below 0 if the mesh is inside out */
    double min[3], max[3];
} measures;

static void cross_of(const double a[3], const double b[3], double result[3])
{
    for (int i = 0; i < 3; i++)
        result[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static measures measure(const mesh_file *mesh)
{
    measures m = {.min = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, .max = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double p[3][3], first[3], second[3], normal[3], square = 0;
        for (int corner = 0; corner < 3; corner++) {
            mote_vec3 v = mesh->vertices[mesh->triangles[3 * t + (size_t)corner]];
            p[corner][0] = (double)v.x;
            p[corner][1] = (double)v.y;
            p[corner][2] = (double)v.z;
        }
        for (int i = 0; i < 3; i++) {
            first[i] = p[1][i] - p[0][i];
            second[i] = p[2][i] - p[0][i];
            m.min[i] = fmin(m.min[i], fmin(p[0][i], fmin(p[1][i], p[2][i])));
            m.max[i] = fmax(m.max[i], fmax(p[0][i], fmax(p[1][i], p[2][i])));
        }
        cross_of(first, second, normal);
        for (int i = 0; i < 3; i++) {
            square += normal[i] * normal[i];
            m.volume += normal[i] * p[0][i] / 6;
        }
        m.area += sqrt(square) / 2;
    }
    return m;
}

static mesh_file parse(const void *data, size_t size, const char *hint)
{
    mesh_file mesh;
    char error[MESH_FILE_ERROR] = "";
    check_true(mesh_file_parse(data, size, hint, &mesh, error), "%s", error);
    return mesh;
}

static mesh_file parse_text(const char *text, const char *hint)
{
    return parse(text, strlen(text), hint);
}

/* It must be refused, with a text that has all of these words. */
static void refuse(const char *text, const char *hint, const char *word)
{
    mesh_file mesh;
    char error[MESH_FILE_ERROR] = "";
    check_true(!mesh_file_parse(text, strlen(text), hint, &mesh, error), "must be refused: %s", text);
    check_true(strstr(error, word) != NULL, "the text must say '%s': %s", word, error);
    check_true(strstr(error, "crash") == NULL, "a clean refusal: %s", error);
    check_true(mesh.vertices == NULL && mesh.triangles == NULL && mesh.triangle_count == 0,
               "nothing is left behind");
}

static void check_mesh(const mesh_file *mesh, size_t vertices, size_t triangles, double volume,
                       const char *what)
{
    check_near((double)mesh->vertex_count, (double)vertices, 0, "vertices of %s", what);
    check_near((double)mesh->triangle_count, (double)triangles, 0, "triangles of %s", what);
    check_near(measure(mesh).volume, volume, 1e-6 * fabs(volume) + 1e-9, "volume of %s", what);
}

/* ---- files made here ------------------------------------------------------------------------------------ */

/* A cube of edge 1 at the origin. */
static const char cube_obj[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                               "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";

static const float corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const uint16_t cube_triangles[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                            2, 3, 7, 2, 7, 6, 1, 2, 6, 1, 6, 5, 3, 0, 4, 3, 4, 7};

/* A text that grows. */
typedef struct text {
    char *bytes;
    size_t size, capacity;
} text;

static void add_text(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_text(text *t, const char *format, ...)
{
    if (t->capacity - t->size < 4096) {
        t->capacity = 2 * t->capacity + 8192;
        t->bytes = realloc(t->bytes, t->capacity);
        assert_non_null(t->bytes);
    }
    va_list values;
    va_start(values, format);
    t->size += (size_t)vsnprintf(t->bytes + t->size, 4096, format, values);
    va_end(values);
}

static void add_base64(text *t, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= i + 2 < size ? (uint32_t)bytes[i + 2] : 0;
        add_text(t, "%c%c%c%c", digits[group >> 18], digits[group >> 12 & 63],
                 i + 1 < size ? digits[group >> 6 & 63] : '=', i + 2 < size ? digits[group & 63] : '=');
    }
}

/* A glTF file with the cube as mesh 0; `nodes` is the JSON of all nodes, of which 0 is the root. */
static text gltf_of(const char *nodes)
{
    text t = {0};
    unsigned char buffer[sizeof cube_triangles + sizeof corners];
    memcpy(buffer, cube_triangles, sizeof cube_triangles);
    memcpy(buffer + sizeof cube_triangles, corners, sizeof corners);
    add_text(&t, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"meshes\":["
                 "{\"primitives\":[{\"attributes\":{\"POSITION\":1},\"indices\":0}]}],\"accessors\":["
                 "{\"bufferView\":0,\"componentType\":5123,\"count\":36,\"type\":\"SCALAR\"},"
                 "{\"bufferView\":1,\"componentType\":5126,\"count\":8,\"type\":\"VEC3\","
                 "\"min\":[0,0,0],\"max\":[1,1,1]}],\"bufferViews\":["
                 "{\"buffer\":0,\"byteOffset\":0,\"byteLength\":72},"
                 "{\"buffer\":0,\"byteOffset\":72,\"byteLength\":96}],\"buffers\":[{\"byteLength\":168,"
                 "\"uri\":\"data:application/octet-stream;base64,");
    add_base64(&t, buffer, sizeof buffer);
    add_text(&t, "\"}],\"nodes\":[");
    for (const char *at = nodes; *at != '\0'; at += strnlen(at, 1000))
        add_text(&t, "%.1000s", at);
    add_text(&t, "]}");
    return t;
}

/* A binary PLY of the cube. */
static text binary_ply(void)
{
    text t = {0};
    add_text(&t, "ply\nformat binary_little_endian 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
                 "property float z\nelement face 12\nproperty list uchar int vertex_indices\nend_header\n");
    memcpy(t.bytes + t.size, corners, sizeof corners);
    t.size += sizeof corners;
    for (int i = 0; i < 36; i++) {
        int32_t index = cube_triangles[i];
        if (i % 3 == 0)
            t.bytes[t.size++] = 3;
        memcpy(t.bytes + t.size, &index, 4);
        t.size += 4;
    }
    return t;
}

/* ---- what is read --------------------------------------------------------------------------------------- */

static void cubes(void **state)
{
    (void)state;
    mesh_file mesh = parse_text(cube_obj, "obj");
    check_mesh(&mesh, 8, 12, 1, "a cube of quads (OBJ)");
    check_near(measure(&mesh).area, 6, 1e-9, "its surface");
    mote_mesh view = mesh_file_view(&mesh);
    assert_true(view.vertices == mesh.vertices && view.triangles == mesh.triangles);
    assert_true(view.vertex_count == 8 && view.triangle_count == 12);
    mesh_file_free(&mesh);
    assert_null(mesh.vertices);

    text ply = binary_ply();
    mesh = parse(ply.bytes, ply.size, "ply");
    check_mesh(&mesh, 8, 12, 1, "a cube (binary PLY)");
    mesh_file_free(&mesh);
    free(ply.bytes);

    /* STL knows no common vertices, and writers differ in the sign of zero. */
    text stl = {0};
    add_text(&stl, "solid cube\n");
    for (int i = 0; i < 36; i++) {
        const float *c = corners[cube_triangles[i]];
        if (i % 3 == 0)
            add_text(&stl, "facet normal 0 0 %d\nouter loop\n", i % 2);
        add_text(&stl, "vertex %s%g %g %g\n", i % 2 == 1 && c[0] == 0 ? "-" : "", (double)c[0], (double)c[1],
                 (double)c[2]);
        if (i % 3 == 2)
            add_text(&stl, "endloop\nendfacet\n");
    }
    add_text(&stl, "endsolid cube\n");
    mesh = parse(stl.bytes, stl.size, "stl");
    check_mesh(&mesh, 8, 12, 1, "a cube of loose triangles (STL)");
    mesh_file_free(&mesh);
    free(stl.bytes);
}

static mesh_file parse_nodes(const char *nodes)
{
    text gltf = gltf_of(nodes);
    mesh_file mesh = parse(gltf.bytes, gltf.size, "gltf");
    free(gltf.bytes);
    return mesh;
}

static void node_transforms(void **state)
{
    (void)state;
    mesh_file mesh = parse_nodes("{\"mesh\":0}");
    check_mesh(&mesh, 8, 12, 1, "a cube (glTF)");
    mesh_file_free(&mesh);

    mesh = parse_nodes("{\"mesh\":0,\"scale\":[-2,1,1],\"translation\":[10,0,0]}");
    check_mesh(&mesh, 8, 12, 2, "a mirrored cube, whose outside stays outside");
    measures m = measure(&mesh);
    check_near(m.min[0], 8, 0, "its left side");
    check_near(m.max[0], 10, 0, "its right side");
    mesh_file_free(&mesh);

    /* A parent that moves by (5, 6, 7) and doubles; a child that turns by 90 degrees about z: x becomes y and y
     * becomes -x. Both have the cube. */
    mesh = parse_nodes("{\"mesh\":0,\"children\":[1],\"scale\":[2,2,2],\"translation\":[5,6,7]},"
                       "{\"mesh\":0,\"matrix\":[0,1,0,0,-1,0,0,0,0,0,1,0,0,0,3,1]}");
    check_near((double)mesh.vertex_count, 16, 0, "vertices of two cubes apart");
    m = measure(&mesh);
    check_near(m.volume, 16, 1e-5, "volume of two cubes of edge 2");
    const double low[3] = {5 - 2, 6, 7}, high[3] = {5 + 2, 6 + 2, 7 + 2 * (3 + 1)};
    for (int i = 0; i < 3; i++) {
        check_near(m.min[i], low[i], 1e-5, "lowest coordinate %d", i);
        check_near(m.max[i], high[i], 1e-5, "highest coordinate %d", i);
    }
    mesh_file_free(&mesh);

    /* Side by side two cubes share four corners. */
    mesh = parse_nodes("{\"children\":[1,2]},{\"mesh\":0},{\"mesh\":0,\"translation\":[1,0,0]}");
    check_mesh(&mesh, 12, 24, 2, "two cubes side by side");
    mesh_file_free(&mesh);
}

/* `depth` nodes within each other, each 1 further along x; the innermost has the cube. */
static text nested_nodes(unsigned depth)
{
    text nodes = {0};
    for (unsigned i = 0; i + 1 < depth; i++)
        add_text(&nodes, "{\"children\":[%u],\"translation\":[1,0,0]},", i + 1);
    add_text(&nodes, "{\"mesh\":0,\"translation\":[1,0,0]}");
    text gltf = gltf_of(nodes.bytes);
    free(nodes.bytes);
    return gltf;
}

static void nesting(void **state)
{
    (void)state;
    text gltf = nested_nodes(900);
    mesh_file mesh = parse(gltf.bytes, gltf.size, "gltf");
    check_near(measure(&mesh).min[0], 900, 0, "900 moves of 1");
    mesh_file_free(&mesh);
    free(gltf.bytes);
    gltf = nested_nodes(1200);
    refuse(gltf.bytes, "gltf", "nested deeper");
    free(gltf.bytes);
}

/* A star with `tips` tips at distance 2 and hollows at distance 1: its area is tips * 2 sin(pi / tips). */
static void check_star(unsigned tips)
{
    text star = {0};
    for (unsigned i = 0; i < 2 * tips; i++) {
        double angle = TEST_PI * i / tips, reach = i % 2 == 0 ? 2 : 1;
        add_text(&star, "v %.9g %.9g 0\n", reach * cos(angle), reach * sin(angle));
    }
    add_text(&star, "f");
    for (unsigned i = 0; i < 2 * tips; i++)
        add_text(&star, " %u", i + 1);
    add_text(&star, "\n");
    mesh_file mesh = parse(star.bytes, star.size, "obj");
    check_near((double)mesh.triangle_count, 2.0 * tips - 2, 0, "triangles of a star");
    check_near(measure(&mesh).area, tips * 2 * sin(TEST_PI / tips), 1e-4, "area of a star");
    mesh_file_free(&mesh);
    free(star.bytes);
}

static void polygons(void **state)
{
    (void)state;
    /* An L of area 3, once from each side. */
    mesh_file mesh = parse_text("v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6\n", "obj");
    check_near((double)mesh.triangle_count, 4, 0, "triangles of six corners");
    check_near(measure(&mesh).area, 3, 1e-9, "area of an L");
    mesh_file_free(&mesh);
    mesh = parse_text("v 5 0 0\nv 5 2 0\nv 5 2 1\nv 5 1 1\nv 5 1 2\nv 5 0 2\nf 6 5 4 3 2 1\n", "obj");
    check_near(measure(&mesh).area, 3, 1e-9, "area of an L seen along x");
    check_near(measure(&mesh).volume, -3 * 5.0 / 3, 1e-9, "its side: the cone to the origin has this volume");
    mesh_file_free(&mesh);
    /* An arrow head: the fan of its first corner would reach outside. */
    mesh = parse_text("v 0 3 0\nv -2 0 0\nv 0 1 0\nv 2 0 0\nf 2 3 4 1\n", "obj");
    check_near(measure(&mesh).area, 4, 1e-9, "area of an arrow head");
    mesh_file_free(&mesh);
    check_star(1000);

    /* Lines and vertices that no triangle has are left out. */
    mesh = parse_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 7 7 7\nv 8 8 8\nl 4 5\nf 1 2 3\n", "obj");
    check_near((double)mesh.vertex_count, 3, 0, "vertices of one triangle beside a line");
    check_near((double)mesh.triangle_count, 1, 0, "triangles beside a line");
    mesh_file_free(&mesh);
}

/* ---- what is refused ------------------------------------------------------------------------------------ */

#define PLY_HEAD                                                                                               \
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"          \
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n"

static void bad_numbers(void **state)
{
    (void)state;
    mesh_file mesh = parse_text(PLY_HEAD "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "ply");
    check_near((double)mesh.triangle_count, 1, 0, "triangles of a good file");
    mesh_file_free(&mesh);
    refuse(PLY_HEAD "0 0 0\n1 0 0\n0 nan 0\n3 0 1 2\n", "ply", "within");
    refuse(PLY_HEAD "0 0 0\n1 0 0\n0 1e30 0\n3 0 1 2\n", "ply", "1e+30");
    refuse(PLY_HEAD "0 0 0\n-2e9 0 0\n0 1 0\n3 0 1 2\n", "ply", "-2e+09");
    refuse(PLY_HEAD "0 0 0\n1 0 0\n0 1 0\n3 0 1 77\n", "ply", "vertex 77 of 3");
    refuse(PLY_HEAD "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "ply", "of 3");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99\n", "obj", "obj");
}

static void nothing_in_it(void **state)
{
    (void)state;
    refuse("", "obj", "empty");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\n", "obj", "obj");
    refuse("v 0 0 0\nv 1 0 0\nl 1 2\n", "obj", "no triangles");
    refuse("This is no mesh at all, in no format that there is.\n", "txt", "txt");
    refuse("{\"asset\":{\"version\":\"2.0\"}}", "gltf", "gltf");
    refuse("\x80\x81\xff\xfe not a mesh", "glb", "glb");
}

static void bad_paths(void **state)
{
    (void)state;
    char folder[] = "/tmp/mote-mesh-XXXXXX", path[64], error[MESH_FILE_ERROR];
    assert_non_null(mkdtemp(folder));
    mesh_file mesh;
    check_true(!mesh_file_load("no-such-file.obj", &mesh, error), "a missing file");
    check_true(strstr(error, "no-such-file.obj") != NULL && strstr(error, "No such") != NULL, "%s", error);
    check_true(!mesh_file_load(folder, &mesh, error), "a folder");
    check_true(strstr(error, folder) != NULL && strstr(error, "folder") != NULL, "%s", error);

    snprintf(path, sizeof path, "%s/pipe.obj", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_true(!mesh_file_load(path, &mesh, error), "a pipe, which nobody writes to");
    unlink(path);

    char *long_path = malloc(5001);
    assert_non_null(long_path);
    memset(long_path, 'a', 5000);
    long_path[5000] = '\0';
    check_true(!mesh_file_load(long_path, &mesh, error), "a name of 5000 bytes");
    check_true(strstr(error, "too long") != NULL, "the reason is not cut off: %s", error);
    free(long_path);

    snprintf(path, sizeof path, "%s/cube.obj", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(cube_obj, file);
    fclose(file);
    check_true(mesh_file_load(path, &mesh, error), "%s", error);
    check_mesh(&mesh, 8, 12, 1, "a cube in a file");
    mesh_file_free(&mesh);
    unlink(path);
    rmdir(folder);
}

/* True if the first `size` bytes are read within a second. */
static bool read_part(const text *whole, size_t size, const char *hint, char error[MESH_FILE_ERROR])
{
    const mesh_limits limits = {.cpu_seconds = 1, .memory = (size_t)1 << 30};
    mesh_source source = {.data = whole->bytes, .size = size, .hint = hint};
    mesh_file mesh;
    error[0] = '\0';
    bool done = mesh_import_apart(&source, &limits, &mesh, error);
    check_true(done == (error[0] == '\0'), "a text if and only if it is refused: '%s'", error);
    mesh_file_free(&mesh);
    return done;
}

/* Cut short anywhere, a file is refused, in no more time than is allowed. */
static void cut_short(void **state)
{
    (void)state;
    text ply = binary_ply(), gltf = gltf_of("{\"mesh\":0}");
    char error[MESH_FILE_ERROR];
    size_t header = 170;
    for (size_t size = header; size < ply.size; size += TEST_BY_BUILD(3, 25, 50))
        check_true(!read_part(&ply, size, "ply", error), "%zu bytes of a PLY file", size);
    for (size_t size = 1; size < gltf.size; size += TEST_BY_BUILD(37, 101, 101))
        check_true(!read_part(&gltf, size, "gltf", error), "%zu bytes of a glTF file", size);
    /* Assimp reads this one without end. */
    check_true(!read_part(&ply, header / 2, "ply", error), "half a header");
    check_true(strstr(error, "more than 1 s") != NULL, "it is stopped after a second of work: %s", error);
    check_true(read_part(&ply, ply.size, "ply", error), "the whole is read: %s", error);
    free(ply.bytes);
    free(gltf.bytes);
}

/* A host may have told the system to forget its children; the answer comes all the same. */
static void children_ignored(void **state)
{
    (void)state;
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    mesh_file mesh = parse_text(cube_obj, "obj");
    check_mesh(&mesh, 8, 12, 1, "a cube, SIGCHLD ignored");
    mesh_file_free(&mesh);
    refuse("v 0 0 0\n", "obj", "obj");
    signal(SIGCHLD, before);
}

/* The same reading in this process, where the sanitizers see every leak of it. */
static void reading_here(void **state)
{
    (void)state;
    mesh_file mesh;
    char error[MESH_FILE_ERROR] = "";
    mesh_source good = {.data = cube_obj, .size = sizeof cube_obj - 1, .hint = "obj"};
    check_true(mesh_import(&good, &mesh, error), "%s", error);
    check_mesh(&mesh, 8, 12, 1, "a cube, read here");
    mesh_file_free(&mesh);
    static const char huge[] = PLY_HEAD "0 0 0\n1 0 0\n0 1e30 0\n3 0 1 2\n";
    mesh_source bad = {.data = huge, .size = sizeof huge - 1, .hint = "ply"};
    check_true(!mesh_import(&bad, &mesh, error), "a vertex at 1e30");
    check_true(mesh.vertices == NULL, "nothing is left behind");
}

/* ---- the tool of mesh_files.sh -------------------------------------------------------------------------- */

/* True unless reading the file crashed or took longer than it may. */
static bool read_file(const char *path, bool here)
{
    mesh_file mesh;
    char error[MESH_FILE_ERROR] = "";
    mesh_source source = {.path = path};
    bool loaded = here ? mesh_import(&source, &mesh, error) : mesh_file_load(path, &mesh, error);
    if (loaded)
        printf("loaded  %8zu vertices %8zu triangles  %s\n", mesh.vertex_count, mesh.triangle_count, path);
    else
        printf("refused %s: %s\n", path, error);
    fflush(stdout);
    mesh_file_free(&mesh);
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
        cmocka_unit_test(cubes),        cmocka_unit_test(node_transforms), cmocka_unit_test(nesting),
        cmocka_unit_test(polygons),     cmocka_unit_test(bad_numbers),     cmocka_unit_test(nothing_in_it),
        cmocka_unit_test(bad_paths),    cmocka_unit_test(cut_short),       cmocka_unit_test(children_ignored),
        cmocka_unit_test(reading_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
