#include "render.h"

#include "frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_OF_VIEW 32.0f /* degrees, of the picture's height */

/* Where the sun stands, seen along the camera's axes: low on its left, so that long shadows fall to the right
 * and show the shape. */
static mote_vec3 sun_direction(const frame *f)
{
    mote_vec3 ahead = vector_unit((mote_vec3){f->forward.x, 0.0f, f->forward.z});
    mote_vec3 level = vector_sub(vector_scale(f->right, -0.8f), vector_scale(ahead, 0.12f));
    return vector_unit(vector_add(level, (mote_vec3){0.0f, 0.55f, 0.0f}));
}

/* The mean radius of the particles that move. */
static float typical_radius(const frame *f)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t slot = 0; slot < f->input->particles.count; slot++) {
        if (frame_is_fixed(f, slot))
            continue;
        sum += f->input->particles.position[slot].w;
        count++;
    }
    return count > 0 ? (float)(sum / (double)count) : 0.01f;
}

static void frame_destroy(frame *f)
{
    free(f->depth);
    free(f->seen);
    free(f->glass);
    free(f->sky);
    shadow_destroy(f);
}

static bool frame_create(frame *f, const render_input *input, int width, int height)
{
    memset(f, 0, sizeof *f);
    f->input = input;
    f->width = width * FRAME_SAMPLING;
    f->height = height * FRAME_SAMPLING;
    f->forward = vector_unit(vector_sub(input->target, input->eye));
    f->right = vector_level_side(f->forward);
    f->up = vector_cross(f->right, f->forward);
    f->focal = 0.5f * (float)f->height / tanf(0.5f * FIELD_OF_VIEW * 3.14159265f / 180.0f);
    f->slope = 1.0f / f->focal;
    f->grain = typical_radius(f);
    for (int i = 0; i < FRAME_TAPS; i++)
        f->taps[i] = (tap){cosf(2.39996323f * (float)i), sinf(2.39996323f * (float)i)};

    size_t samples = (size_t)f->width * (size_t)f->height;
    f->depth = malloc(samples * sizeof *f->depth);
    f->seen = malloc(samples * sizeof *f->seen);
    f->glass = calloc(samples, sizeof *f->glass);
    f->sky = malloc(samples * sizeof *f->sky);
    if (f->depth == NULL || f->seen == NULL || f->glass == NULL || f->sky == NULL)
        return false;
    for (size_t i = 0; i < samples; i++) {
        f->depth[i] = INFINITY;
        f->seen[i] = FRAME_NOTHING;
    }
    return true;
}

bool render_particles(const render_input *input, int width, int height, image *picture)
{
    frame f;
    bool done = image_create(picture, width, height) && frame_create(&f, input, width, height) &&
                shadow_create(&f, sun_direction(&f));
    if (done) {
        raster_floors(&f);
        raster_particles(&f);
        raster_glass(&f);
        raster_panes(&f);
        occlusion_measure(&f);
        shade_picture(&f, picture);
    } else {
        image_destroy(picture);
    }
    frame_destroy(&f);
    return done;
}

/* The planes of a world; NULL without memory. */
static mote_plane_def *collect_planes(const mote_world *world, uint32_t *count)
{
    uint32_t shapes = mote_shape_count(world);
    mote_shape_id *ids = malloc((shapes + 1) * sizeof *ids);
    mote_plane_def *planes = malloc((shapes + 1) * sizeof *planes);
    *count = 0;
    if (ids == NULL || planes == NULL) {
        free(planes);
        planes = NULL;
    } else {
        mote_shape_list(world, ids, shapes);
        for (uint32_t i = 0; i < shapes; i++)
            if (mote_plane_get(world, ids[i], &planes[*count]) == MOTE_OK)
                ++*count;
    }
    free(ids);
    return planes;
}

static uint32_t *collect_colors(const mote_world *world, uint32_t *count)
{
    *count = mote_material_count(world);
    uint32_t *colors = malloc((*count + 1) * sizeof *colors);
    for (uint32_t i = 0; colors != NULL && i < *count; i++) {
        mote_material_def material = mote_default_material_def();
        mote_material_get(world, mote_material_at(world, i), &material);
        colors[i] = material.color;
    }
    return colors;
}

bool render_world(const mote_world *world, mote_vec3 eye, mote_vec3 target, int width, int height,
                  image *picture)
{
    render_input input = {.particles = mote_particles_get_view(world), .eye = eye, .target = target};
    mote_plane_def *planes = collect_planes(world, &input.plane_count);
    uint32_t *colors = collect_colors(world, &input.color_count);
    input.planes = planes;
    input.colors = colors;
    bool done = planes != NULL && colors != NULL && render_particles(&input, width, height, picture);
    free(planes);
    free(colors);
    return done;
}
