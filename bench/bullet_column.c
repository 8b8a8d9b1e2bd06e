/* The scene `grains-column` in Bullet. Its positions, masses and frictions are read from Mote's world, its
 * error is measured from outside. Empty in a build without Bullet. */
#include "bullet_peer.h"
#include "column.h"
#include "overlaps.h"
#include "peer.h"
#include "tools/command.h"
#include "tools/progress.h"

#include <math.h>
#include <stdlib.h>

#ifdef MOTE_WITH_BULLET

typedef struct bullet_column {
    bullet_peer *peer;
    float dt;           /* s */
    mote_vec4 *spheres; /* where they are: x, y, z, radius */
    size_t sphere_count;
    mote_vec4 *planes; /* unit normal, offset */
    size_t plane_count;
    sample_set frame_ms;
    double max_penetration, residual_sum; /* m */
} bullet_column;

static bool out_of_memory(void)
{
    complain("bench: no memory for Bullet's column");
    return false;
}

/* Bullet knows one friction for sticking and sliding; it gets the sliding one. */
static float friction_of(const mote_world *world, mote_material_id material)
{
    mote_material_def def = mote_default_material_def();
    if (mote_is_null(material))
        material = mote_world_default_material(world);
    (void)mote_material_get(world, material, &def);
    return def.kinetic_friction;
}

static void read_spheres(const mote_world *world, bullet_sphere *spheres)
{
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++) {
        mote_vec4 x = view.position[i], v = view.velocity[i];
        spheres[i] = (bullet_sphere){.position = {x.x, x.y, x.z},
                                     .velocity = {v.x, v.y, v.z},
                                     .radius = x.w,
                                     .mass = v.w > 0.0f ? 1.0f / v.w : 0.0f,
                                     .friction = friction_of(world, mote_material_at(world, view.material[i]))};
    }
}

static void read_planes(const mote_world *world, const mote_shape_id *ids, size_t count, bullet_plane *planes)
{
    for (size_t i = 0; i < count; i++) {
        mote_plane_def def = mote_default_plane_def();
        (void)mote_plane_get(world, ids[i], &def);
        planes[i] = (bullet_plane){def.normal, def.offset, friction_of(world, def.material)};
    }
}

/* Gives Bullet what the world holds, and keeps what is needed to measure it. */
static bool copy_world(bullet_column *column, const mote_world *world)
{
    column->sphere_count = mote_particle_count(world);
    column->plane_count = mote_shape_count(world);
    column->spheres = calloc(column->sphere_count, sizeof *column->spheres);
    column->planes = calloc(column->plane_count, sizeof *column->planes);
    bullet_sphere *spheres = calloc(column->sphere_count, sizeof *spheres);
    bullet_plane *planes = calloc(column->plane_count, sizeof *planes);
    mote_shape_id *ids = calloc(column->plane_count, sizeof *ids);
    if (column->spheres != NULL && column->planes != NULL && spheres != NULL && planes != NULL && ids != NULL) {
        read_spheres(world, spheres);
        mote_shape_list(world, ids, (uint32_t)column->plane_count);
        read_planes(world, ids, column->plane_count, planes);
        for (size_t i = 0; i < column->plane_count; i++)
            column->planes[i] =
                (mote_vec4){planes[i].normal.x, planes[i].normal.y, planes[i].normal.z, planes[i].offset};
        column->peer = bullet_peer_create(spheres, column->sphere_count, planes, column->plane_count,
                                          mote_world_settings(world).gravity);
    }
    free(ids);
    free(planes);
    free(spheres);
    return column->peer != NULL || out_of_memory();
}

static void end(void *context)
{
    bullet_column *column = context;
    if (column == NULL)
        return;
    bullet_peer_destroy(column->peer);
    free(column->spheres);
    free(column->planes);
    samples_free(&column->frame_ms);
    free(column);
}

static void *begin(uint32_t particles)
{
    bullet_column *column = calloc(1, sizeof *column);
    if (column == NULL) {
        out_of_memory();
        return NULL;
    }
    mote_world *world;
    bool copied = column_create(particles, 1, &world, &column->dt) && copy_world(column, world);
    mote_world_destroy(world);
    if (!copied) {
        end(column);
        return NULL;
    }
    for (int frame = 0; frame < COLUMN_BUSY_FRAME; frame++)
        bullet_peer_step(column->peer, column->dt);
    return column;
}

static bool measure(void *context, uint32_t frames)
{
    bullet_column *column = context;
    for (uint32_t i = 0; i < frames; i++) {
        double start = clock_ms();
        bullet_peer_step(column->peer, column->dt);
        double ms = clock_ms() - start;

        overlaps error;
        bullet_peer_read(column->peer, column->spheres);
        if (!samples_add(&column->frame_ms, ms) ||
            !overlaps_measure(column->spheres, column->sphere_count, column->planes, column->plane_count,
                              &error))
            return out_of_memory();
        column->max_penetration = fmax(column->max_penetration, error.deepest);
        column->residual_sum += error.sum;
    }
    return true;
}

static report_run report(void *context, const char *name)
{
    bullet_column *column = context;
    double count = (double)column->sphere_count, frames = (double)column->frame_ms.count;
    report_run result = {.name = name,
                         .subject = "a step of the falling column",
                         .engine = "bullet",
                         .simd = "baseline",
                         .particles = column->sphere_count,
                         .threads = 1,
                         .frames = (uint32_t)column->frame_ms.count,
                         .ms_median = samples_median(&column->frame_ms),
                         .ms_p95 = samples_quantile(&column->frame_ms, 0.95),
                         .radius = column->spheres[0].w,
                         .max_penetration = column->max_penetration,
                         .residual_per_particle = column->residual_sum / (count * frames)};
    result.ns_per_particle_iteration = 1e6 * result.ms_median / (count * bullet_peer_iterations(column->peer));
    return result;
}

const column_peer bullet_column_peer = {"Bullet", begin, measure, report, end};

#endif
