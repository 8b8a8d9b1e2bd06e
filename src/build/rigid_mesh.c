/* Bodies of closed meshes: filled with a lattice, as deep as the mesh says. */
#include "base/error.h"
#include "base/real.h"
#include "build/rigid_form.h"
#include "collide/collide.h"
#include "world/check.h"
#include "world/mesh_check.h"

/* A particle this near to the surface, in radii, takes the direction of the triangle: its own is lost in the
 * rounding. */
#define AT_SURFACE 1e-3f
#define NULL_BODY  ((mote_body_id){0, 0})

static mote_vec3 triangle_normal(const mote_mesh *mesh, uint32_t triangle, bool inside_out)
{
    const uint32_t *corner = mesh->triangles + 3 * (size_t)triangle;
    mote_vec3 a = mesh->vertices[corner[0]];
    mt_real3 cross = mt_real_cross(mt_real_between(a, mesh->vertices[corner[1]]),
                                   mt_real_between(a, mesh->vertices[corner[2]]));
    return mt_real_round(mt_real_scale(cross, (inside_out ? -1.0 : 1.0) / sqrt(mt_real_dot(cross, cross))));
}

/* Whether a particle's diameter further in is outside again: there the body is one layer thick, and what
 * touches the particle from the other side must not be pushed through it. */
static bool is_thin(const mt_mesh *mesh, const mote_mesh *kept, bool inside_out, mote_vec3 x, mote_vec3 normal,
                    float radius)
{
    mote_vec3 further = mt_sub(x, mt_scale(normal, 2.0f * radius)), nearest;
    uint32_t triangle;
    if (!mt_mesh_closest(mesh, further, INFINITY, &nearest, &triangle))
        return false;
    return mt_dot(mt_sub(nearest, further), triangle_normal(kept, triangle, inside_out)) < 0;
}

static void measure(const mt_mesh *mesh, bool inside_out, float radius, mt_rigid_form *form)
{
    mote_mesh kept = mt_mesh_source(mesh);
    for (size_t i = 0; i < form->count; i++) {
        mote_vec3 nearest;
        uint32_t triangle;
        if (!mt_mesh_closest(mesh, form->points[i], INFINITY, &nearest, &triangle))
            continue;
        mt_real3 way = mt_real_between(form->points[i], nearest);
        double depth = sqrt(mt_real_dot(way, way));
        form->depths[i] = fmaxf((float)depth, AT_SURFACE * radius);
        form->normals[i] = (float)depth > AT_SURFACE * radius ? mt_real_round(mt_real_scale(way, 1.0 / depth))
                                                              : triangle_normal(&kept, triangle, inside_out);
        if (is_thin(mesh, &kept, inside_out, form->points[i], form->normals[i], radius))
            form->depths[i] = 0.0f;
    }
}

static mote_result measure_depths(mote_world *world, const mote_mesh *source, float radius, mt_rigid_form *form)
{
    mote_mesh_report report;
    MT_TRY(mt_mesh_inspect(&world->memory, source, &report));
    mt_mesh *mesh = mt_mesh_make(&world->memory, source);
    if (mesh == NULL)
        return mote_last_result();
    measure(mesh, report.volume < 0, radius, form);
    mt_mesh_free(mesh, &world->memory);
    return MOTE_OK;
}

static mote_result fill_mesh(mote_world *world, const mote_mesh *mesh, const mote_sample_def *sample,
                             float radius, mt_rigid_form *form)
{
    size_t count = 0;
    MT_TRY(mt_mesh_sample(&world->memory, mesh, sample, NULL, 0, &count));
    if (count == 0)
        return mt_fail(MOTE_ERROR_MESH,
                       "the mesh is smaller than a particle: no point of a lattice of rigid.spacing, %g m, is "
                       "inside of it",
                       (double)sample->spacing);
    MT_TRY(mt_rigid_form_make(world, count, form));
    mote_result result = mt_mesh_sample(&world->memory, mesh, sample, form->points, count, &count);
    if (result == MOTE_OK)
        result = measure_depths(world, mesh, radius, form);
    if (result != MOTE_OK)
        mt_rigid_form_free(world, form);
    return result;
}

mote_body_id mote_rigid_mesh(mote_world *world, const mote_rigid_def *def, const mote_mesh *mesh,
                             mote_sample_method method)
{
    if (mt_rigid_begin(world, "mote_rigid_mesh", def) != MOTE_OK ||
        mt_check_count("method", (uint32_t)method, 0, MOTE_SAMPLE_COUNT - 1) != MOTE_OK)
        return NULL_BODY;
    mote_sample_def sample = mote_default_sample_def();
    sample.spacing = mt_rigid_spacing(world, def);
    sample.method = method;
    mt_rigid_form form;
    if (fill_mesh(world, mesh, &sample, mt_rigid_radius(world, def), &form) != MOTE_OK)
        return NULL_BODY;
    return mt_rigid_add_form(world, def, &form);
}
