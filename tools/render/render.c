#include "render.h"

#include "frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the sun stands, seen along the camera's axes: low on its left, so that long shadows fall to the right
 * and show the shape. */
static mote_vec3 sun_direction(const frame *f)
{
    mote_vec3 ahead = vector_unit((mote_vec3){f->forward.x, 0.0f, f->forward.z});
    mote_vec3 level = vector_sub(vector_scale(f->right, -0.8f), vector_scale(ahead, 0.12f));
    return vector_unit(vector_add(level, (mote_vec3){0.0f, 0.55f, 0.0f}));
}

/* The mean radius of the particles that are not glass. */
static float typical_radius(const frame *f)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t slot = 0; slot < f->input->particles.count; slot++) {
        if (frame_has_look(f, slot, PARTICLE_GLASS))
            continue;
        sum += f->input->particles.position[slot].w;
        count++;
    }
    float distance = vector_length(vector_sub(f->input->target, f->input->eye));
    return count > 0 ? (float)(sum / (double)count) : 0.005f * distance;
}

static void frame_destroy(frame *f)
{
    free(f->depth);
    free(f->seen);
    free(f->glass);
    free(f->sky);
    free(f->places);
    shadow_destroy(f);
}

static size_t most_vertices(const shape_list *shapes)
{
    size_t most = 1;
    for (uint32_t i = 0; i < shapes->count; i++)
        if (shapes->items[i].form->vertex_count > most)
            most = shapes->items[i].form->vertex_count;
    return most;
}

/* Walls end where other planes do. Where there are none they end with the shapes. */
static void find_pane_ends(frame *f)
{
    const render_input *input = f->input;
    f->low = (mote_vec3){INFINITY, INFINITY, INFINITY};
    f->high = (mote_vec3){-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < input->shapes.shape_count; i++) {
        f->low = vector_least(f->low, input->shapes.items[i].low);
        f->high = vector_most(f->high, input->shapes.items[i].high);
    }
    float *low[3] = {&f->low.x, &f->low.y, &f->low.z}, *high[3] = {&f->high.x, &f->high.y, &f->high.z};
    for (int axis = 0; axis < 3; axis++) {
        bool ends_low = input->shapes.shape_count == 0, ends_high = ends_low;
        for (uint32_t i = 0; i < input->plane_count; i++) {
            mote_vec3 normal = input->planes[i].normal;
            float along = axis == 0 ? normal.x : axis == 1 ? normal.y : normal.z;
            ends_low = ends_low || along > 0.5f;
            ends_high = ends_high || along < -0.5f;
        }
        *low[axis] = ends_low ? -INFINITY : *low[axis];
        *high[axis] = ends_high ? INFINITY : *high[axis];
    }
    f->open_panes = isfinite(f->low.x) || isfinite(f->low.z) || isfinite(f->high.x) || isfinite(f->high.z);
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
    f->focal = 0.5f * (float)f->height / tanf(0.5f * input->fov * 3.14159265f / 180.0f);
    f->slope = 1.0f / f->focal;
    f->grain = typical_radius(f);
    find_pane_ends(f);
    for (int i = 0; i < FRAME_TAPS; i++)
        f->taps[i] = (tap){cosf(2.39996323f * (float)i), sinf(2.39996323f * (float)i)};

    size_t samples = (size_t)f->width * (size_t)f->height;
    f->depth = malloc(samples * sizeof *f->depth);
    f->seen = malloc(samples * sizeof *f->seen);
    f->glass = calloc(samples, sizeof *f->glass);
    f->sky = malloc(samples * sizeof *f->sky);
    f->places = malloc(most_vertices(&input->shapes) * sizeof *f->places);
    if (f->depth == NULL || f->seen == NULL || f->glass == NULL || f->sky == NULL || f->places == NULL)
        return false;
    for (size_t i = 0; i < samples; i++) {
        f->depth[i] = INFINITY;
        f->seen[i] = FRAME_NOTHING;
    }
    return true;
}

static bool draw(const render_input *input, image *picture)
{
    frame f;
    bool done =
        frame_create(&f, input, picture->width, picture->height) && shadow_create(&f, sun_direction(&f));
    if (done) {
        raster_floors(&f);
        raster_shapes(&f);
        raster_particles(&f);
        raster_glass(&f);
        raster_glass_shapes(&f);
        raster_panes(&f);
        occlusion_measure(&f);
        shade_picture(&f, picture);
    }
    frame_destroy(&f);
    return done;
}

/* The planes of a world but for triggers; NULL without memory. */
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
        for (uint32_t i = 0; i < shapes; i++) {
            mote_shape_def def;
            if (mote_plane_get(world, ids[i], &planes[*count]) == MOTE_OK &&
                mote_shape_get(world, ids[i], &def) == MOTE_OK && !def.trigger)
                ++*count;
        }
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

/* Fixed particles are glass, but those of bodies are not: a driven body's particles are fixed as well. NULL
 * without memory. */
static uint8_t *find_looks(const mote_world *world, const mote_particles_view *particles, const bool *hidden)
{
    uint8_t *looks = malloc((particles->count + 1) * sizeof *looks);
    for (size_t slot = 0; looks != NULL && slot < particles->count; slot++) {
        bool glass = particles->velocity[slot].w == 0.0f &&
                     mote_particle_bodies(world, particles->id[slot], NULL, 0) == 0;
        looks[slot] = hidden != NULL && hidden[slot] ? PARTICLE_HIDDEN
                      : glass                        ? PARTICLE_GLASS
                                                     : PARTICLE_SOLID;
    }
    return looks;
}

bool render_world(const mote_world *world, const render_camera *camera, const render_surfaces *surfaces,
                  int width, int height, image *picture)
{
    render_input input = {.particles = mote_particles_get_view(world),
                          .eye = camera->eye,
                          .target = camera->target,
                          .fov = camera->fov};
    mote_plane_def *planes = collect_planes(world, &input.plane_count);
    uint32_t *colors = collect_colors(world, &input.color_count);
    uint8_t *looks = find_looks(world, &input.particles, surfaces->hidden);
    input.planes = planes;
    input.colors = colors;
    input.looks = looks;
    bool done = planes != NULL && colors != NULL && looks != NULL &&
                shapes_collect(&input.shapes, world, input.eye, input.target) &&
                shapes_add_surfaces(&input.shapes, surfaces->items, surfaces->count) &&
                image_create(picture, width, height);
    if (done && !draw(&input, picture)) {
        image_destroy(picture);
        done = false;
    }
    shapes_destroy(&input.shapes);
    free(planes);
    free(colors);
    free(looks);
    return done;
}
