/* What the sun sees: for every texel of a map across its rays, the height of the first sphere or solid shape
 * along them. */
#include "frame.h"
#include "scan.h"

#include <math.h>
#include <stdlib.h>

#define MAP_SIZE 2048

#define SOFTNESS      0.004f /* radius of the disc of taps that softens a shadow's edge, in widths of the map */
#define BIAS_IN_GRAIN 0.25f

/* The rectangle of the map that the particles and shapes need. */
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
    for (uint32_t i = 0; i < f->input->shapes.count; i++) {
        const drawn_shape *shape = &f->input->shapes.items[i];
        mote_vec3 middle = vector_scale(vector_add(shape->low, shape->high), 0.5f);
        mote_vec3 half = vector_sub(shape->high, middle);
        float x = vector_dot(middle, map->right), y = vector_dot(middle, map->up);
        float wide = vector_dot(half, vector_size(map->right)), high = vector_dot(half, vector_size(map->up));
        left = smaller(left, x - wide);
        right = larger(right, x + wide);
        bottom = smaller(bottom, y - high);
        top = larger(top, y + high);
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

static void draw_line(void *context, const scan_line *line)
{
    const shadow_map *map = context;
    float *heights = map->height + (size_t)line->row * (size_t)map->size;
    for (int column = line->first; column <= line->last; column++)
        heights[column] = larger(heights[column], scan_value(line, column));
}

static void draw_shape(frame *f, shadow_map *map, const drawn_shape *shape)
{
    for (size_t i = 0; i < shape->form->vertex_count; i++)
        f->places[i] = shape_vertex(shape, (uint32_t)i);
    for (size_t i = 0; i < shape->form->triangle_count; i++) {
        /* For the light, too, the outside of a vessel is glass. */
        if (shape->look == LOOK_VESSEL && vessel_shows_outside(shape, i, map->sun, true))
            continue;
        scan_corner corners[3];
        for (size_t k = 0; k < 3; k++) {
            mote_vec3 place = f->places[shape->form->triangles[3 * i + k]];
            corners[k] = (scan_corner){(vector_dot(place, map->right) - map->left) * map->texels_per_metre,
                                       (vector_dot(place, map->up) - map->bottom) * map->texels_per_metre,
                                       vector_dot(place, map->sun)};
        }
        scan_triangle(corners, map->size, map->size, draw_line, map);
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
        if (frame_has_look(f, slot, PARTICLE_SOLID)) /* glass lets the sun through */
            draw_sphere(map, f->input->particles.position[slot]);
    for (uint32_t i = 0; i < f->input->shapes.count; i++)
        if (f->input->shapes.items[i].look != LOOK_GLASS)
            draw_shape(f, map, &f->input->shapes.items[i]);
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

/* How much higher a surface grows, per metre to the right and up on the map, if it is as steep as its normal
 * says; not more than ten to one. */
static tap slope_of(const shadow_map *map, mote_vec3 normal)
{
    float steep = -1.0f / larger(vector_dot(normal, map->sun), 0.1f);
    return (tap){vector_dot(normal, map->right) * steep, vector_dot(normal, map->up) * steep};
}

/* How much higher than at a point a surface may be without hiding the sun from it, per metre to the right, up,
 * and whatever the direction. Spheres are round and small: a slope of one. Triangles tell their own slope,
 * which may be that of the flat triangle or of the round surface that it stands for. */
typedef struct leaning {
    tap flat, round;
    float any;
} leaning;

static leaning surface_leaning(const frame *f, uint32_t seen, mote_vec3 point, mote_vec3 normal)
{
    if (seen < FRAME_TRIANGLE || seen >= FRAME_PLANE)
        return (leaning){.any = 1.0f};
    tap flat = slope_of(&f->shadow, frame_flat_normal(f, seen, point));
    return (leaning){flat, slope_of(&f->shadow, normal), 0.3f};
}

static float lean_towards(const leaning *leans, tap t)
{
    float flat = leans->flat.x * t.x + leans->flat.y * t.y, round = leans->round.x * t.x + leans->round.y * t.y;
    return larger(flat, round) + leans->any;
}

float shadow_light(const frame *f, uint32_t seen, mote_vec3 point, mote_vec3 normal, tap turn)
{
    const shadow_map *map = &f->shadow;
    leaning leans = surface_leaning(f, seen, point, normal);
    /* A surface must not lie in its own shadow: look from a little above it. */
    point = vector_add(point, vector_scale(normal, BIAS_IN_GRAIN * f->grain));
    float x = (vector_dot(point, map->right) - map->left) * map->texels_per_metre;
    float y = (vector_dot(point, map->up) - map->bottom) * map->texels_per_metre;
    float height = vector_dot(point, map->sun);
    float lit = 0.0f;
    for (int i = 0; i < FRAME_TAPS; i++) {
        tap t = frame_tap(f, i, turn);
        float reach = SOFTNESS * sqrtf(((float)i + 0.5f) / FRAME_TAPS) * (float)map->size;
        float lean = reach / map->texels_per_metre * lean_towards(&leans, t);
        if (height_at(map, x + reach * t.x, y + reach * t.y) <= height + lean)
            lit += 1.0f;
    }
    return lit / FRAME_TAPS;
}
