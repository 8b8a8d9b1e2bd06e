/* How much of the sky a sample sees. Surfaces in front of the tangent plane of a sample hide sky from it; the
 * depths of the picture around the sample tell where they are (after M. McGuire et al., "The Alchemy
 * screen-space ambient obscurance algorithm", 2011). The taps reach from a grain to many, so that both the
 * gaps between grains and the foot of a heap grow dark. */
#include "bands.h"
#include "frame.h"

#include <math.h>

#define NEAREST_REACH   0.7f   /* of the nearest tap, in grains */
#define FARTHEST_REACH  24.0f  /* of the farthest one */
#define FARTHEST_SAMPLE 160.0f /* but no farther, in samples */
#define STRIP_WIDTH     128    /* columns done at a time, so that the depths around them stay in the cache */
#define STRENGTH        1.5f

/* The surface that a sample sees, in the axes of the camera. Everything here is done in those axes: a point
 * then costs two products. */
static inline mote_vec3 camera_point(const frame *f, int column, int row, float depth)
{
    float scale = depth * f->slope;
    return (mote_vec3){((float)column + 0.5f - 0.5f * (float)f->width) * scale,
                       (0.5f * (float)f->height - 0.5f - (float)row) * scale, depth};
}

static mote_vec3 camera_normal(const frame *f, int column, int row, uint32_t seen)
{
    mote_vec3 normal = frame_normal(f, seen, frame_point(f, column, row));
    return (mote_vec3){vector_dot(normal, f->right), vector_dot(normal, f->up), vector_dot(normal, f->forward)};
}

/* The part of the sky that what is seen at (column, row) hides from a point. */
static inline float hidden_by(const frame *f, int column, int row, mote_vec3 point, mote_vec3 normal,
                              float reach)
{
    if (column < 0 || row < 0 || column >= f->width || row >= f->height)
        return 0.0f;
    float depth = f->depth[(size_t)row * (size_t)f->width + (size_t)column];
    mote_vec3 way = vector_sub(camera_point(f, column, row, depth), point);
    float height = vector_dot(way, normal);
    float distance_squared = vector_dot(way, way);
    /* What is much farther off than the tap reaches is in front of the point, or behind it, but not over it. */
    float limit = 6.0f * reach * reach;
    if (!(height > 0.0f && distance_squared < limit))
        return 0.0f;
    float fade = 1.0f - distance_squared / limit;
    return larger(height / sqrtf(distance_squared) - 0.05f, 0.0f) * fade;
}

static float sky_seen(const frame *f, int column, int row, uint32_t seen)
{
    float depth = f->depth[(size_t)row * (size_t)f->width + (size_t)column];
    mote_vec3 point = camera_point(f, column, row, depth);
    mote_vec3 normal = camera_normal(f, column, row, seen);
    tap turn = frame_turn(column, row);
    float hidden = 0.0f;
    for (int i = 0; i < FRAME_TAPS; i++) {
        tap t = frame_tap(f, i, turn);
        float reach = f->reach[i];
        float samples = smaller(larger(reach / (depth * f->slope), 1.5f), FARTHEST_SAMPLE);
        int other_column = (int)((float)column + 0.5f + t.x * samples);
        int other_row = (int)((float)row + 0.5f + t.y * samples);
        hidden += hidden_by(f, other_column, other_row, point, normal, reach);
    }
    return clamp01(1.0f - STRENGTH * hidden / FRAME_TAPS);
}

/* Reaches grow by the same factor from tap to tap. */
static void choose_reaches(frame *f)
{
    float growth = powf(FARTHEST_REACH / NEAREST_REACH, 1.0f / (FRAME_TAPS - 1));
    f->reach[0] = NEAREST_REACH * f->grain;
    for (int i = 1; i < FRAME_TAPS; i++)
        f->reach[i] = f->reach[i - 1] * growth;
}

static void measure_strip(void *context, int first_column, int end_column)
{
    frame *f = context;
    for (int row = 0; row < f->height; row++) {
        for (int column = first_column; column < end_column; column++) {
            size_t sample = (size_t)row * (size_t)f->width + (size_t)column;
            uint32_t seen = f->seen[sample];
            f->sky[sample] = seen == FRAME_NOTHING ? 1.0f : sky_seen(f, column, row, seen);
        }
    }
}

void occlusion_measure(frame *f)
{
    choose_reaches(f);
    bands_run(measure_strip, f, f->width, STRIP_WIDTH);
}
