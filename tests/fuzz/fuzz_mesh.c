/* Meshes, hulls, distance fields and height fields of any numbers: looked at, filled, made into geometries, and
 * met by particles. Many begin as a closed form, so that what needs one is reached. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VERTICES = 48, MAX_TRIANGLES = 64, MAX_POINTS = 64 };

typedef struct form {
    mote_vec3 vertices[MAX_VERTICES];
    uint32_t triangles[3 * MAX_TRIANGLES];
    mote_mesh mesh;
} form;

/* ---- forms ---------------------------------------------------------------------------------------------- */

static void start_with(form *f, const mote_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                       size_t triangle_count)
{
    memcpy(f->vertices, vertices, vertex_count * sizeof *vertices);
    memcpy(f->triangles, triangles, 3 * triangle_count * sizeof *triangles);
    f->mesh.vertex_count = vertex_count;
    f->mesh.triangle_count = triangle_count;
}

static void choose_beginning(form *f, uint8_t which)
{
    static const mote_vec3 tetrahedron[] = {
        {0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    static const uint32_t its_triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const mote_vec3 octahedron[] = {{1.0f, 0.0f, 0.0f},  {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f},
                                           {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 1.0f},  {0.0f, 0.0f, -1.0f}};
    static const uint32_t eight[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    *f = (form){.mesh = {.vertices = f->vertices, .triangles = f->triangles}};
    if (which % 3 == 1)
        start_with(f, tetrahedron, 4, its_triangles, 4);
    if (which % 3 == 2)
        start_with(f, octahedron, 6, eight, 8);
}

static void add_random_parts(form *f, fuzz_bytes *bytes)
{
    size_t vertices = fuzz_below(bytes, 20), triangles = fuzz_below(bytes, 32);
    for (size_t i = 0; i < vertices && f->mesh.vertex_count < MAX_VERTICES; i++)
        f->vertices[f->mesh.vertex_count++] = fuzz_vec3(bytes);
    for (size_t i = 0; i < triangles && f->mesh.triangle_count < MAX_TRIANGLES; i++) {
        uint32_t *corners = f->triangles + 3 * f->mesh.triangle_count++;
        for (int k = 0; k < 3; k++) {
            uint8_t corner = fuzz_byte(bytes);
            bool within = corner < 250 && f->mesh.vertex_count > 0;
            corners[k] = within ? corner % (uint32_t)f->mesh.vertex_count : UINT32_MAX - (255u - corner);
        }
    }
}

static void change_vertices(form *f, fuzz_bytes *bytes)
{
    for (uint32_t edits = fuzz_below(bytes, 8); edits > 0 && f->mesh.vertex_count > 0; edits--) {
        mote_vec3 *v = &f->vertices[fuzz_below(bytes, (uint32_t)f->mesh.vertex_count)];
        float *axes[] = {&v->x, &v->y, &v->z};
        *axes[fuzz_below(bytes, 3)] = fuzz_float(bytes);
    }
    float scale = fuzz_below(bytes, 4) == 3 ? fuzz_float(bytes) : 1.0f;
    for (size_t i = 0; i < f->mesh.vertex_count; i++) {
        mote_vec3 v = f->vertices[i];
        f->vertices[i] = (mote_vec3){v.x * scale, v.y * scale, v.z * scale};
    }
}

/* ---- looking and filling -------------------------------------------------------------------------------- */

/* The widest side of a mesh that can be looked at; 0: none. */
static float inspect(const mote_mesh *mesh)
{
    mote_mesh_report report;
    if (mote_mesh_inspect(mesh, &report) != MOTE_OK)
        return 0.0f;
    fuzz_require(report.min.x <= report.max.x && report.min.y <= report.max.y && report.min.z <= report.max.z,
                 "a box has a low and a high side");
    fuzz_require(report.degenerate_triangles <= mesh->triangle_count && report.area >= 0,
                 "a report counts what is there");
    return fmaxf(report.max.x - report.min.x, fmaxf(report.max.y - report.min.y, report.max.z - report.min.z));
}

static void sample(const mote_mesh *mesh, float side, fuzz_bytes *bytes)
{
    mote_sample_def def = mote_default_sample_def();
    def.method = (mote_sample_method)fuzz_below(bytes, MOTE_SAMPLE_COUNT + 1);
    def.spacing = side / (float)(1 + fuzz_below(bytes, 20));
    mote_vec3 points[MAX_POINTS];
    size_t count = 0;
    if (mote_mesh_sample(mesh, &def, points, MAX_POINTS, &count) != MOTE_OK)
        return;
    fuzz_require(count <= 30 * 30 * 30, "no more points than the box has room for");
    for (size_t i = 0; i < count && i < MAX_POINTS; i++)
        fuzz_require(isfinite(points[i].x) && isfinite(points[i].y) && isfinite(points[i].z),
                     "points are finite");
}

/* ---- geometries and what meets them --------------------------------------------------------------------- */

static mote_geometry_id add_grid(mote_world *world, fuzz_bytes *bytes, bool heights)
{
    uint32_t count[3];
    for (int axis = 0; axis < 3; axis++)
        count[axis] = fuzz_below(bytes, 6);
    float values[5 * 5 * 5];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        values[i] = fuzz_float(bytes);
    mote_vec3 origin = fuzz_vec3(bytes);
    float cell = fabsf(fuzz_float(bytes));
    const mote_sdf_def sdf = {origin, cell, {count[0], count[1], count[2]}, values};
    const mote_heightfield_def field = {count[0], count[1], cell, values};
    return heights ? mote_heightfield_add(world, &field) : mote_sdf_add(world, &sdf);
}

static mote_geometry_id add_geometry(mote_world *world, const form *f, float side, fuzz_bytes *bytes)
{
    switch (fuzz_below(bytes, 5)) {
    case 0:
        return mote_hull_add(world, f->vertices, f->mesh.vertex_count);
    case 1:
        return mote_mesh_add(world, &f->mesh);
    case 2:
        return mote_sdf_add_mesh(world, &f->mesh, side / (float)(1 + fuzz_below(bytes, 16)));
    case 3:
        return add_grid(world, bytes, false);
    default:
        return add_grid(world, bytes, true);
    }
}

static void look_at(const mote_world *world, mote_geometry_id geometry)
{
    mote_vec3 min, max;
    mote_mesh triangles;
    fuzz_require(mote_geometry_bounds(world, geometry, &min, &max) == MOTE_OK, "a geometry has a box");
    fuzz_require(min.x <= max.x && min.y <= max.y && min.z <= max.z, "a box has a low and a high side");
    if (mote_geometry_triangles(world, geometry, &triangles) == MOTE_OK)
        for (size_t i = 0; i < 3 * triangles.triangle_count; i++)
            fuzz_require(triangles.triangles[i] < triangles.vertex_count, "a triangle's corners are there");
}

static void add_shape(mote_world *world, mote_geometry_id geometry, fuzz_bytes *bytes)
{
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_GEOMETRY;
    def.geometry = geometry;
    uint8_t how = fuzz_byte(bytes);
    def.inside = how % 4 == 1;
    def.trigger = how % 8 == 2;
    if (how >= 128) {
        def.position = fuzz_vec3(bytes);
        mote_vec3 axis = fuzz_vec3(bytes);
        def.rotation = (mote_quat){axis.x, axis.y, axis.z, fuzz_float(bytes)};
        def.velocity = fuzz_vec3(bytes);
        def.spin = fuzz_vec3(bytes);
    }
    mote_shape_id shape = mote_shape_add(world, &def);
    if (how >= 192 && !mote_is_null(shape))
        (void)mote_shape_move_to(world, shape, fuzz_vec3(bytes), def.rotation);
}

static void add_particles(mote_world *world, const form *f, fuzz_bytes *bytes)
{
    for (uint32_t left = 1 + fuzz_below(bytes, 12); left > 0; left--) {
        mote_particle_def def = mote_default_particle_def();
        uint8_t how = fuzz_byte(bytes);
        if (how % 2 == 0 && f->mesh.vertex_count > 0) {
            def.position = f->vertices[how / 2u % f->mesh.vertex_count]; /* at a corner: the hardest place */
            def.position.y += 0.03f;
        } else
            def.position = fuzz_vec3(bytes);
        if (how >= 128)
            def.velocity = fuzz_vec3(bytes);
        if (how >= 192)
            def.radius = fabsf(fuzz_float(bytes));
        if (how >= 224)
            def.mass = fabsf(fuzz_float(bytes));
        (void)mote_particle_add(world, &def);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    static form f;
    choose_beginning(&f, fuzz_byte(&bytes));
    add_random_parts(&f, &bytes);
    change_vertices(&f, &bytes);
    float side = inspect(&f.mesh);
    sample(&f.mesh, side, &bytes);
    mote_world *world = fuzz_world();
    for (uint32_t left = 1 + fuzz_below(&bytes, 3); left > 0; left--) {
        mote_geometry_id geometry = add_geometry(world, &f, side, &bytes);
        if (mote_is_null(geometry))
            continue;
        look_at(world, geometry);
        add_shape(world, geometry, &bytes);
    }
    add_particles(world, &f, &bytes);
    fuzz_exercise(world);
    mote_world_destroy(world);
    return 0;
}
