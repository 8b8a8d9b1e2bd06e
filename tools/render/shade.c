/* From what the samples see to the colours of the picture. Light is a warm sun and a blue sky over a pale
 * ground; colours are mixed as linear light and shown as sRGB. */
#include "bands.h"
#include "frame.h"

#include <math.h>

static const mote_vec3 SUN_LIGHT = {3.6f, 3.15f, 2.5f};
static const mote_vec3 SKY_LIGHT = {0.50f, 0.60f, 0.78f};
static const mote_vec3 GROUND_LIGHT = {0.30f, 0.26f, 0.22f};
static const mote_vec3 FLOOR_COLOR = {0.16f, 0.17f, 0.19f};
static const mote_vec3 GLASS_COLOR = {0.75f, 0.90f, 1.00f};
static const mote_vec3 ZENITH_COLOR = {0.05f, 0.065f, 0.09f};
static const mote_vec3 HORIZON_COLOR = {0.34f, 0.37f, 0.41f};

/* Of a fixed particle, along its radius. */
#define GLASS_OPACITY 0.018f

/* Differences of shade from grain to grain, so that a heap does not look like plastic. */
#define BRIGHTNESS_SPREAD 0.22f

static float linear_of_byte(uint32_t byte)
{
    float value = (float)byte / 255.0f;
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static mote_vec3 linear_of_color(uint32_t color)
{
    return (mote_vec3){linear_of_byte(color >> 16 & 0xFF), linear_of_byte(color >> 8 & 0xFF),
                       linear_of_byte(color & 0xFF)};
}

static uint8_t byte_of_linear(float value)
{
    value = clamp01(value);
    value = value <= 0.0031308f ? 12.92f * value : 1.055f * powf(value, 1.0f / 2.4f) - 0.055f;
    return (uint8_t)(255.0f * value + 0.5f);
}

/* A film's answer to light: linear in the dark, never quite white (K. Narkowicz's fit of the ACES curve). */
static float expose(float light)
{
    light *= 0.55f;
    return clamp01(light * (2.51f * light + 0.03f) / (light * (2.43f * light + 0.59f) + 0.14f));
}

static mote_vec3 particle_color(const frame *f, uint32_t slot)
{
    const render_input *input = f->input;
    uint32_t material = input->particles.material[slot];
    mote_vec3 color = linear_of_color(material < input->color_count ? input->colors[material] : 0xC8B28C);
    uint32_t mixed = input->particles.id[slot].index * 2654435761u;
    mixed = (mixed ^ (mixed >> 15)) * 2246822519u;
    float brightness = (float)(mixed >> 8) / 16777216.0f - 0.5f, warmth = (float)(mixed & 0xFF) / 255.0f - 0.5f;
    color = vector_scale(color, 1.0f + 2.0f * BRIGHTNESS_SPREAD * brightness);
    return vector_times(color, (mote_vec3){1.0f + 0.08f * warmth, 1.0f, 1.0f - 0.08f * warmth});
}

static mote_vec3 background(mote_vec3 ray)
{
    float height = ray.y / vector_length(ray);
    return vector_mix(HORIZON_COLOR, ZENITH_COLOR, smooth_step(-0.05f, 0.7f, height));
}

/* The length of the grid's squares, m: the power of ten next below a third of the camera's distance. */
static float grid_length(const frame *f)
{
    float distance = vector_length(vector_sub(f->input->target, f->input->eye));
    return powf(10.0f, floorf(log10f(distance / 3.0f)));
}

/* 1 on a line of the grid, 0 off it; `width` is the line's, m. */
static float on_line(float coordinate, float length, float width)
{
    float t = coordinate / length;
    float off = fabsf(t - floorf(t + 0.5f)) * length;
    return 1.0f - smooth_step(0.5f * width, 1.5f * width, off);
}

static mote_vec3 floor_color(const frame *f, mote_vec3 point, float depth)
{
    float length = grid_length(f);
    float width = larger(0.012f * length, 1.0f * depth / f->focal);
    float line = larger(on_line(point.x, length, width), on_line(point.z, length, width));
    return vector_scale(FLOOR_COLOR, 1.0f - 0.16f * line);
}

static mote_vec3 light_at(const frame *f, size_t sample, mote_vec3 point, mote_vec3 normal, tap turn)
{
    float sun = vector_dot(normal, f->shadow.sun);
    if (sun > 0.0f)
        sun *= shadow_light(f, f->seen[sample], point, normal, turn);
    mote_vec3 ambient = vector_mix(GROUND_LIGHT, SKY_LIGHT, 0.5f + 0.5f * normal.y);
    return vector_add(vector_scale(SUN_LIGHT, larger(sun, 0.0f)), vector_scale(ambient, f->sky[sample]));
}

/* A floor is lit like all else and melts into the horizon far away. */
static mote_vec3 shade_floor(const frame *f, mote_vec3 point, mote_vec3 light, float depth, mote_vec3 behind)
{
    float distance = vector_length(vector_sub(f->input->eye, f->input->target));
    float away = vector_length(vector_sub(point, f->input->target));
    mote_vec3 color = vector_times(light, floor_color(f, point, depth));
    return vector_mix(color, behind, smooth_step(0.6f * distance, 3.0f * distance, away));
}

static mote_vec3 shade_surface(const frame *f, int column, int row, mote_vec3 behind)
{
    size_t sample = (size_t)row * (size_t)f->width + (size_t)column;
    uint32_t seen = f->seen[sample];
    mote_vec3 point = frame_point(f, column, row), normal = frame_normal(f, seen, point);
    mote_vec3 light = light_at(f, sample, point, normal, frame_turn(column, row));
    if (seen >= FRAME_PLANE)
        return shade_floor(f, point, light, f->depth[sample], behind);
    if (seen >= FRAME_TRIANGLE)
        return vector_times(light, linear_of_color(frame_shape(f, seen)->color));
    return vector_times(light, particle_color(f, seen));
}

static mote_vec3 shade_sample(const frame *f, int column, int row)
{
    size_t sample = (size_t)row * (size_t)f->width + (size_t)column;
    mote_vec3 color = background(frame_ray(f, (float)column + 0.5f, (float)row + 0.5f));
    if (f->seen[sample] != FRAME_NOTHING)
        color = shade_surface(f, column, row, color);
    return vector_mix(color, GLASS_COLOR, 1.0f - expf(-GLASS_OPACITY * f->glass[sample]));
}

static void shade_pixel(const frame *f, int column, int row, uint8_t *pixel)
{
    float red = 0.0f, green = 0.0f, blue = 0.0f;
    for (int i = 0; i < FRAME_SAMPLING * FRAME_SAMPLING; i++) {
        mote_vec3 light = shade_sample(f, column * FRAME_SAMPLING + i % FRAME_SAMPLING,
                                       row * FRAME_SAMPLING + i / FRAME_SAMPLING);
        red += expose(light.x);
        green += expose(light.y);
        blue += expose(light.z);
    }
    float share = 1.0f / (FRAME_SAMPLING * FRAME_SAMPLING);
    pixel[0] = byte_of_linear(red * share);
    pixel[1] = byte_of_linear(green * share);
    pixel[2] = byte_of_linear(blue * share);
}

typedef struct shading {
    const frame *f;
    image *picture;
} shading;

static void shade_rows(void *context, int first_row, int end_row)
{
    const shading *job = context;
    size_t width = (size_t)job->picture->width;
    uint8_t *pixel = job->picture->pixels + (size_t)first_row * width * 3;
    for (int row = first_row; row < end_row; row++)
        for (int column = 0; column < job->picture->width; column++, pixel += 3)
            shade_pixel(job->f, column, row, pixel);
}

void shade_picture(const frame *f, image *picture)
{
    shading job = {f, picture};
    bands_run(shade_rows, &job, picture->height, 16);
}
