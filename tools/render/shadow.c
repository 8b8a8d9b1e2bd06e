/* What the sun sees: for every texel of a map across its rays, the height of the first sphere along them. */
#include "frame.h"

#include <math.h>
#include <stdlib.h>

#define MAP_SIZE 2048

#define SOFTNESS      0.004f /* radius of the disc of taps that softens a shadow's edge, in widths of the map */
#define BIAS_IN_GRAIN 0.25f

/* The rectangle of the map that the particles need. */
static void fit_map(const frame *f, shadow_map *map)
{
    float left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;
    for (size_t slot = 0; slot < f->input->particles.count; slot++) {
        mote_vec4 position = f->input->particles.position[slot];
        float x = vector_dot(vector_of(position), map->right), y = vector_dot(vector_of(position), map->up);
        left = smaller(left, x - position.w);
        right = larger(right, x + position.w);
        bottom = smaller(bottom, y - position.w);
        top = larger(top, y + position.w);
    }
    /* A few grains that flew off would waste the map: it need not reach much farther than the camera looks. */
    mote_vec3 target = f->input->target;
    float reach = 1.5f * vector_length(vector_sub(f->input->eye, target));
    float x = vector_dot(target, map->right), y = vector_dot(target, map->up);
    map->left = larger(left, x - reach);
    map->bottom = larger(bottom, y - reach);
    float width = larger(smaller(right, x + reach) - map->left, smaller(top, y + reach) - map->bottom);
    map->texels_per_metre = (float)MAP_SIZE / larger(width, 1e-6f);
}

static void draw_sphere(shadow_map *map, mote_vec4 position)
{
    float scale = map->texels_per_metre, radius = position.w * scale;
    float x = (vector_dot(vector_of(position), map->right) - map->left) * scale;
    float y = (vector_dot(vector_of(position), map->up) - map->bottom) * scale;
    float height = vector_dot(vector_of(position), map->sun);
    if (x + radius < 0.0f || x - radius > (float)map->size || y + radius < 0.0f ||
        y - radius > (float)map->size)
        return;
    int first_column = (int)larger(x - radius, 0.0f),
        last_column = (int)smaller(x + radius, (float)(map->size - 1));
    int first_row = (int)larger(y - radius, 0.0f), last_row = (int)smaller(y + radius, (float)(map->size - 1));
    for (int row = first_row; row <= last_row; row++) {
        float *line = map->height + (size_t)row * (size_t)map->size;
        float dy = (float)row + 0.5f - y;
        for (int column = first_column; column <= last_column; column++) {
            float dx = (float)column + 0.5f - x;
            float inside = radius * radius - dx * dx - dy * dy;
            if (inside > 0.0f)
                line[column] = larger(line[column], height + sqrtf(inside) / scale);
        }
    }
}

bool shadow_create(frame *f, mote_vec3 sun)
{
    shadow_map *map = &f->shadow;
    map->sun = vector_unit(sun);
    map->right = vector_level_side(map->sun);
    map->up = vector_cross(map->right, map->sun);
    map->size = MAP_SIZE;
    map->height = malloc(sizeof(float) * MAP_SIZE * MAP_SIZE);
    if (map->height == NULL)
        return false;
    for (size_t i = 0; i < (size_t)MAP_SIZE * MAP_SIZE; i++)
        map->height[i] = -INFINITY;
    fit_map(f, map);
    for (size_t slot = 0; slot < f->input->particles.count; slot++)
        if (!frame_is_fixed(f, slot)) /* glass lets the sun through */
            draw_sphere(map, f->input->particles.position[slot]);
    return true;
}

void shadow_destroy(frame *f)
{
    free(f->shadow.height);
    f->shadow.height = NULL;
}

static float height_at(const shadow_map *map, float x, float y)
{
    if (!(x >= 0.0f && y >= 0.0f && x < (float)map->size && y < (float)map->size))
        return -INFINITY;
    return map->height[(size_t)y * (size_t)map->size + (size_t)x];
}

float shadow_light(const frame *f, mote_vec3 point, mote_vec3 normal, tap turn)
{
    const shadow_map *map = &f->shadow;
    /* A surface must not lie in its own shadow: look from a little above it. */
    point = vector_add(point, vector_scale(normal, BIAS_IN_GRAIN * f->grain));
    float x = (vector_dot(point, map->right) - map->left) * map->texels_per_metre;
    float y = (vector_dot(point, map->up) - map->bottom) * map->texels_per_metre;
    float height = vector_dot(point, map->sun);
    float lit = 0.0f;
    for (int i = 0; i < FRAME_TAPS; i++) {
        tap t = frame_tap(f, i, turn);
        float reach = SOFTNESS * sqrtf(((float)i + 0.5f) / FRAME_TAPS) * (float)map->size;
        /* The disc leans with the distance from its middle, as the surface may: a slope of one. */
        float lean = reach / map->texels_per_metre;
        if (height_at(map, x + reach * t.x, y + reach * t.y) <= height + lean)
            lit += 1.0f;
    }
    return lit / FRAME_TAPS;
}
