/* OBJ exports: surfaces are where their bodies and bones have taken them, in every frame; without surfaces all
 * particles are there, by bodies; what makes no sense is said. */
#include "io/export.h"
#include "support.h"
#include "temp_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading -------------------------------------------------------------------------------------------- */

#define MOST 512

typedef struct obj_object {
    char name[64];
    size_t vertex_count, triangle_count, point_count;
    mote_vec3 vertices[MOST];
    size_t triangles[MOST][3], points[MOST]; /* counted from the object's first vertex */
} obj_object;

typedef struct obj_file {
    size_t count;
    obj_object objects[4];
} obj_file;

static void read_line(obj_file *file, size_t *first, const char *line)
{
    obj_object *object = file->count > 0 ? &file->objects[file->count - 1] : NULL;
    if (line[0] == 'o') {
        *first += object != NULL ? object->vertex_count : 0;
        assert_true(file->count < 4);
        sscanf(line + 2, "%63[^\n]", file->objects[file->count++].name);
        return;
    }
    if (line[0] == '#')
        return;
    assert_non_null(object);
    char *at = (char *)(uintptr_t)line + 1;
    if (line[0] == 'v') {
        mote_vec3 *v = &object->vertices[object->vertex_count++];
        v->x = strtof(at, &at);
        v->y = strtof(at, &at);
        v->z = strtof(at, &at);
    } else if (line[0] == 'f') {
        for (int i = 0; i < 3; i++)
            object->triangles[object->triangle_count][i] = strtoul(at, &at, 10) - 1 - *first;
        object->triangle_count++;
    } else {
        check_true(line[0] == 'p', "a line of a known kind: %.20s", line);
        while (*at != '\n')
            object->points[object->point_count++] = strtoul(at, &at, 10) - 1 - *first;
    }
    check_true(*at == '\n', "nothing follows in the line %.40s", line);
    assert_true(object->vertex_count < MOST && object->triangle_count < MOST && object->point_count < MOST);
}

/* To be freed. */
static obj_file *read_obj(const char *name)
{
    size_t size, first = 0;
    char *text = temp_bytes(name, &size);
    obj_file *file = calloc(1, sizeof *file);
    check_true(text != NULL && file != NULL, "%s can be read", name);
    for (char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        check_true(strchr(line, '\n') != NULL, "the last line is whole");
        read_line(file, &first, line);
    }
    free(text);
    return file;
}

/* ---- worlds --------------------------------------------------------------------------------------------- */

static const mote_vec3 CORNERS[4] = {{0, 0, 0}, {0.1f, 0, 0}, {0, 0.1f, 0}, {0, 0, 0.1f}};
static const uint32_t TRIANGLES[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

static export_surface tetrahedron(const char *name)
{
    return (export_surface){
        .name = name, .vertices = CORNERS, .vertex_count = 4, .triangles = TRIANGLES[0], .triangle_count = 4};
}

/* A bar of `count` particles along x that begins at `place`, with a velocity. */
static mote_body_id add_bar(mote_world *world, mote_vec3 place, uint32_t count, mote_vec3 velocity)
{
    mote_particle_id ids[32];
    for (uint32_t i = 0; i < count; i++)
        ids[i] = add_particle(world, vec(place.x + 2.0f * TEST_RADIUS * (float)i, place.y, place.z), velocity,
                              (mote_material_id){0});
    mote_body_def def = mote_default_body_def();
    def.particles = ids;
    def.particle_count = count;
    def.frame.position = place;
    mote_body_id body = mote_body_add(world, &def);
    must_exist(body);
    return body;
}

static exporter *open_obj(void)
{
    char error[EXPORT_ERROR] = "";
    exporter *e = exporter_open(temp_folder, EXPORT_OBJ, 0, 1, error);
    check_true(e != NULL, "%s", error);
    return e;
}

static void close_obj(exporter *e)
{
    char error[EXPORT_ERROR] = "";
    check_true(exporter_close(e, error), "%s", error);
}

/* position + rotation x, by the rotation's matrix, in double precision. */
static mote_vec3 placed(mote_pose pose, mote_vec3 x)
{
    double a = (double)pose.rotation.x, b = (double)pose.rotation.y, c = (double)pose.rotation.z;
    double w = (double)pose.rotation.w, u = (double)x.x, v = (double)x.y, t = (double)x.z;
    return vec((float)((double)pose.position.x + (1 - 2 * (b * b + c * c)) * u + 2 * (a * b - c * w) * v +
                       2 * (a * c + b * w) * t),
               (float)((double)pose.position.y + 2 * (a * b + c * w) * u + (1 - 2 * (a * a + c * c)) * v +
                       2 * (b * c - a * w) * t),
               (float)((double)pose.position.z + 2 * (a * c - b * w) * u + 2 * (b * c + a * w) * v +
                       (1 - 2 * (a * a + b * b)) * t));
}

static void check_tetrahedron(const obj_object *found, const char *name, mote_pose pose)
{
    assert_string_equal(found->name, name);
    assert_int_equal(found->vertex_count, 4);
    assert_int_equal(found->triangle_count, 4);
    for (int i = 0; i < 4; i++) {
        check_near(distance_of(found->vertices[i], placed(pose, CORNERS[i])), 0, 2e-6, "%s, vertex %d", name,
                   i);
        for (int k = 0; k < 3; k++)
            check_near((double)found->triangles[i][k], TRIANGLES[i][k], 0, "%s, triangle %d", name, i);
    }
}

/* ---- surfaces ------------------------------------------------------------------------------------------- */

/* Two bodies that move and turn, and a surface that nobody carries. */
static void carried_by_bodies(void **state)
{
    (void)state;
    enum { FRAMES = 6 };
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_body_id bodies[2] = {add_bar(world, vec(1, 2, 3), 3, vec(1, 0, 0)),
                              add_bar(world, vec(-1, 0, 5), 5, vec(0, 0, 0))};
    must(mote_body_set_velocity(world, bodies[1], vec(0, -1, 0), vec(0.5f, 4, 2)));
    export_surface surfaces[3] = {tetrahedron("first"), tetrahedron("stands still"), tetrahedron("third")};
    surfaces[0].body = bodies[0];
    surfaces[2].body = bodies[1];
    exporter *e = open_obj();
    check_true(exporter_set_surfaces(e, surfaces, 3), "%s", exporter_error(e));
    mote_pose poses[FRAMES][2];
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        must(mote_body_poses(world, bodies, 2, poses[frame]));
        assert_true(exporter_add(e, world, frame, frame));
        step_times(world, 5, TEST_FRAME);
    }
    close_obj(e);
    check_above(distance_of(poses[0][0].position, poses[FRAMES - 1][0].position), 0.1, "it has moved");
    check_above(fabs((double)poses[FRAMES - 1][1].rotation.y), 0.1, "it has turned");
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        char name[32];
        snprintf(name, sizeof name, "frame_%05u.obj", frame);
        obj_file *file = read_obj(name);
        assert_int_equal(file->count, 3);
        check_tetrahedron(&file->objects[0], "first", poses[frame][0]);
        check_tetrahedron(&file->objects[1], "stands still", (mote_pose){{0, 0, 0}, {0, 0, 0, 1}});
        check_tetrahedron(&file->objects[2], "third", poses[frame][1]);
        free(file);
    }
    mote_world_destroy(world);
}

/* A surface whose body is gone is left out; what follows is counted right. Other surfaces take over. */
static void bodies_come_and_go(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_body_id bodies[2] = {add_bar(world, vec(1, 2, 3), 3, vec(0, 0, 0)),
                              add_bar(world, vec(-1, 0, 5), 5, vec(0, 0, 0))};
    mote_pose pose;
    must(mote_body_poses(world, &bodies[1], 1, &pose));
    export_surface surfaces[2] = {tetrahedron("gone"), tetrahedron("line\nbreak")};
    surfaces[0].body = bodies[0];
    surfaces[1].body = bodies[1];
    exporter *e = open_obj();
    assert_true(exporter_set_surfaces(e, surfaces, 2));
    must(mote_body_remove(world, bodies[0]));
    assert_true(exporter_add(e, world, 0, 0));
    export_surface other = tetrahedron("other");
    assert_true(exporter_set_surfaces(e, &other, 1));
    assert_true(exporter_add(e, world, 1, 0));
    close_obj(e);
    obj_file *file = read_obj("frame_00000.obj");
    assert_int_equal(file->count, 1);
    check_tetrahedron(&file->objects[0], "line_break", pose);
    free(file);
    file = read_obj("frame_00001.obj");
    assert_int_equal(file->count, 1);
    check_tetrahedron(&file->objects[0], "other", (mote_pose){{0, 0, 0}, {0, 0, 0, 1}});
    free(file);
    mote_world_destroy(world);
}

/* ---- skins ---------------------------------------------------------------------------------------------- */

/* Two bones above each other, each 0.4 m long. */
static mote_skeleton_id add_skeleton(mote_world *world)
{
    mote_bone_def bones[2] = {mote_default_bone_def(), mote_default_bone_def()};
    for (int i = 0; i < 2; i++) {
        bones[i].parent = i == 0 ? MOTE_NO_BONE : 0;
        bones[i].rest = (mote_pose){{0, 0.4f * (float)i, 0}, {0, 0, 0, 1}};
        bones[i].length = 0.4f;
        bones[i].thickness = TEST_RADIUS;
    }
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = bones;
    def.bone_count = 2;
    def.pose.position = vec(0, 1, 0);
    mote_skeleton_id skeleton = mote_skeleton_add(world, &def);
    must_exist(skeleton);
    return skeleton;
}

/* A moving skeleton: vertices on one bone are where it takes them, one on both is midway between where the two
 * would take it. */
static void carried_by_bones(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_skeleton_id skeleton = add_skeleton(world);
    must(mote_body_set_velocity(world, mote_skeleton_body(world, skeleton, 0), vec(0.5f, 0, 0), vec(0, 0, 3)));
    static const mote_vec3 vertices[3] = {{0.1f, 0.2f, 0}, {0.1f, 0.6f, 0.1f}, {0.2f, 0.4f, 0}};
    static const uint32_t owners[12] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0};
    static const float weights[12] = {1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0};
    static const mote_pose bind[2] = {{{0, 0, 0}, {0, 0, 0, 1}}, {{0, 0.4f, 0}, {0, 0, 0, 1}}};
    static const uint32_t triangle[3] = {0, 1, 2};
    mote_skin skin = {.vertex_count = 3,
                      .vertices = vertices,
                      .bones = owners,
                      .weights = weights,
                      .bone_count = 2,
                      .bind = bind};
    export_surface surface = {.name = "skin",
                              .vertex_count = 3,
                              .triangles = triangle,
                              .triangle_count = 1,
                              .skin = &skin,
                              .skeleton = skeleton};
    exporter *e = open_obj();
    check_true(exporter_set_surfaces(e, &surface, 1), "%s", exporter_error(e));
    step_times(world, 10, TEST_FRAME);
    mote_pose poses[2];
    must(mote_skeleton_get_poses(world, skeleton, poses, 2));
    assert_true(exporter_add(e, world, 0, 0));
    must(mote_skeleton_remove(world, skeleton));
    assert_true(exporter_add(e, world, 1, 0));
    close_obj(e);

    obj_file *file = read_obj("frame_00000.obj");
    assert_int_equal(file->count, 1);
    assert_int_equal(file->objects[0].triangle_count, 1);
    const mote_vec3 *found = file->objects[0].vertices;
    check_near(distance_of(found[0], placed(poses[0], vec(0.1f, 0.2f, 0))), 0, 2e-6, "on the first bone");
    check_near(distance_of(found[1], placed(poses[1], vec(0.1f, 0.2f, 0.1f))), 0, 2e-6, "on the second bone");
    mote_vec3 a = placed(poses[0], vec(0.2f, 0.4f, 0)), b = placed(poses[1], vec(0.2f, 0, 0));
    mote_vec3 middle = vec(0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z));
    check_near(distance_of(found[2], middle), 0, 2e-6, "between the bones");
    check_above(fabs((double)poses[0].rotation.z), 0.05, "the bones have turned");
    free(file);
    file = read_obj("frame_00001.obj");
    check_near((double)file->count, 0, 0, "objects without the skeleton");
    free(file);
    mote_world_destroy(world);
}

/* ---- points --------------------------------------------------------------------------------------------- */

static void check_points(const mote_world *world, const obj_object *object, const mote_particle_id *ids,
                         size_t count)
{
    check_near((double)object->vertex_count, (double)count, 0, "vertices of %s", object->name);
    check_near((double)object->point_count, (double)count, 0, "points of %s", object->name);
    for (size_t i = 0; i < count; i++) {
        mote_vec3 place = state_of(world, ids[i]).position;
        check_near((double)object->points[i], (double)i, 0, "point %zu of %s", i, object->name);
        check_true(memcmp(&object->vertices[i], &place, sizeof place) == 0, "every bit of vertex %zu of %s", i,
                   object->name);
    }
}

/* Bodies that share a particle, and loose particles; all have moved, so that slots are not ids. */
static void points_by_bodies(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_particle_id loose[40];
    uint64_t random = 3;
    for (int i = 0; i < 20; i++)
        loose[i] = add_particle(world, vec(random_between(&random, -3, -1), random_between(&random, 0, 9), 0),
                                vec(0, 0, 0), (mote_material_id){0});
    mote_body_id first = add_bar(world, vec(1, 2, 3), 21, vec(0, 0, 0));
    for (int i = 20; i < 40; i++)
        loose[i] = add_particle(world, vec(random_between(&random, -3, -1), random_between(&random, 0, 9), 0),
                                vec(0, 0, 0), (mote_material_id){0});
    mote_particle_id members[32], pair[2];
    size_t count = mote_body_particles(world, first, members, 32);
    assert_int_equal(count, 21);
    mote_vec3 end = state_of(world, members[20]).position;
    pair[0] = members[20];
    pair[1] =
        add_particle(world, vec(end.x, end.y + 2.0f * TEST_RADIUS, end.z), vec(0, 0, 0), (mote_material_id){0});
    mote_body_def def = mote_default_body_def();
    def.particles = pair;
    def.particle_count = 2;
    mote_body_id second = mote_body_add(world, &def);
    must_exist(second);
    step_times(world, 3, TEST_FRAME);
    exporter *e = open_obj();
    assert_true(exporter_add(e, world, 0, 0));
    close_obj(e);

    obj_file *file = read_obj("frame_00000.obj");
    assert_int_equal(file->count, 3);
    char name[32];
    snprintf(name, sizeof name, "body_%u", first.index);
    assert_string_equal(file->objects[0].name, name);
    check_points(world, &file->objects[0], members, 21);
    snprintf(name, sizeof name, "body_%u", second.index);
    assert_string_equal(file->objects[1].name, name);
    check_points(world, &file->objects[1], pair, 2);
    assert_string_equal(file->objects[2].name, "loose");
    check_points(world, &file->objects[2], loose, 40);
    free(file);
    mote_world_destroy(world);
}

/* ---- faults --------------------------------------------------------------------------------------------- */

static void refuse(export_surface surface, const char *word)
{
    exporter *e = open_obj();
    char error[EXPORT_ERROR] = "";
    check_true(!exporter_set_surfaces(e, &surface, 1), "it must be refused: %s", word);
    check_true(strstr(exporter_error(e), word) != NULL, "'%s' must say '%s'", exporter_error(e), word);
    check_true(!exporter_close(e, error) && strstr(error, word) != NULL, "%s", error);
}

static void bad_surfaces(void **state)
{
    (void)state;
    static const uint32_t beyond[3] = {0, 4, 2};
    export_surface surface = tetrahedron("cup");
    surface.triangles = beyond;
    surface.triangle_count = 1;
    refuse(surface, "surface 'cup': triangle 0 has vertex 4; there are 4");
    surface = tetrahedron("");
    refuse(surface, "surface 0 has no name");
    surface = tetrahedron("cup");
    surface.vertices = NULL;
    refuse(surface, "'cup' has no vertices");
    surface = tetrahedron("cup");
    surface.triangles = NULL;
    refuse(surface, "'cup' has no triangles");
    mote_skin skin = {.vertex_count = 3};
    surface = tetrahedron("cup");
    surface.skin = &skin;
    refuse(surface, "'cup' has 4 vertices, its skin 3");
    skin.vertex_count = 4;
    refuse(surface, "surface 'cup': ");
    surface.body = (mote_body_id){1, 1};
    refuse(surface, "'cup' has both a body and a skin");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMP_FOLDER(carried_by_bodies), IN_TEMP_FOLDER(bodies_come_and_go), IN_TEMP_FOLDER(carried_by_bones),
        IN_TEMP_FOLDER(points_by_bodies),  IN_TEMP_FOLDER(bad_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
