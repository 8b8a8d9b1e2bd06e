/* Which surface each sample of the picture sees. Spheres are not made of triangles: every sample within a
 * sphere's bounds meets it with its own ray, so outlines and depths are exact. */
#include "bands.h"
#include "frame.h"

#include <math.h>

/* Closer than this nothing is drawn, m along the view. */
#define NEAR_DEPTH 1e-3f

/* Rows that a thread does at a time. */
#define BAND_HEIGHT 32

/* Fixed particles are drawn larger than they are, so that those of a shell melt into one sheet. */
#define GLASS_SWELLING 1.25f

/* Of walls, in the measure of frame.glass. */
#define PANE_GLASS      1.2f
#define PANE_EDGE_GLASS 12.0f

/* A sphere in the camera's axes with the samples that may see it. */
typedef struct sphere {
    mote_vec3 center; /* right, up, forward; m from the eye */
    float radius;
    int first_column, last_column, first_row, last_row;
} sphere;

/* The slopes at which rays from the eye touch a circle at (side, forward): tangent lines of a circle. */
static void tangent_slopes(float side, float forward, float radius, float *low, float *high)
{
    float tangent = sqrtf(side * side + forward * forward - radius * radius);
    *low = (side * tangent - forward * radius) / (forward * tangent + side * radius);
    *high = (side * tangent + forward * radius) / (forward * tangent - side * radius);
}

static int clamp_to(float value, int last)
{
    return value < 0.0f ? 0 : value > (float)last ? last : (int)value;
}

/* False if the sphere is behind the eye or out of the picture. */
static bool sphere_project(const frame *f, size_t slot, float swelling, sphere *s)
{
    mote_vec4 position = f->input->particles.position[slot];
    mote_vec3 offset = vector_sub(vector_of(position), f->input->eye);
    s->radius = position.w * swelling;
    s->center =
        (mote_vec3){vector_dot(offset, f->right), vector_dot(offset, f->up), vector_dot(offset, f->forward)};
    if (s->center.z - s->radius < NEAR_DEPTH)
        return false;

    float left, right, low, high;
    tangent_slopes(s->center.x, s->center.z, s->radius, &left, &right);
    tangent_slopes(s->center.y, s->center.z, s->radius, &low, &high);
    float half_width = 0.5f * (float)f->width, half_height = 0.5f * (float)f->height;
    float first_column = half_width + left * f->focal, last_column = half_width + right * f->focal;
    float first_row = half_height - high * f->focal, last_row = half_height - low * f->focal;
    if (last_column < 0.0f || first_column > (float)f->width || last_row < 0.0f || first_row > (float)f->height)
        return false;
    s->first_column = clamp_to(first_column, f->width - 1);
    s->last_column = clamp_to(last_column, f->width - 1);
    s->first_row = clamp_to(first_row, f->height - 1);
    s->last_row = clamp_to(last_row, f->height - 1);
    return true;
}

/* A ray t (right, up, 1) meets the sphere where a t^2 - 2 b t + c = 0. */
typedef struct meeting {
    float a, b;
    float root; /* of the discriminant; negative: the ray misses */
} meeting;

static inline meeting sphere_meet(const frame *f, const sphere *s, int column, int row)
{
    float right = ((float)column + 0.5f - 0.5f * (float)f->width) * f->slope;
    float up = (0.5f * (float)f->height - (float)row - 0.5f) * f->slope;
    float a = right * right + up * up + 1.0f;
    float b = right * s->center.x + up * s->center.y + s->center.z;
    /* b^2 - a c without the loss of digits that c = |center|^2 - r^2 would bring: through the point of the ray
     * nearest to the centre. */
    float t = b / a;
    mote_vec3 miss = {right * t - s->center.x, up * t - s->center.y, t - s->center.z};
    float inside = s->radius * s->radius - vector_dot(miss, miss);
    return (meeting){a, b, inside > 0.0f ? sqrtf(a * inside) : -1.0f};
}

void raster_particles(frame *f)
{
    for (size_t slot = 0; slot < f->input->particles.count; slot++) {
        sphere s;
        if (!frame_has_look(f, slot, PARTICLE_SOLID) || !sphere_project(f, slot, 1.0f, &s))
            continue;
        for (int row = s.first_row; row <= s.last_row; row++) {
            size_t start = (size_t)row * (size_t)f->width;
            for (int column = s.first_column; column <= s.last_column; column++) {
                meeting m = sphere_meet(f, &s, column, row);
                float depth = (m.b - m.root) / m.a;
                if (m.root < 0.0f || depth >= f->depth[start + (size_t)column])
                    continue;
                f->depth[start + (size_t)column] = depth;
                f->seen[start + (size_t)column] = (uint32_t)slot;
            }
        }
    }
}

/* Adds up how much of the fixed particles lies before what is seen. Glass is the last to be drawn: it needs the
 * depths of all else. */
void raster_glass(frame *f)
{
    for (size_t slot = 0; slot < f->input->particles.count; slot++) {
        sphere s;
        if (!frame_has_look(f, slot, PARTICLE_GLASS) || !sphere_project(f, slot, GLASS_SWELLING, &s))
            continue;
        for (int row = s.first_row; row <= s.last_row; row++) {
            size_t start = (size_t)row * (size_t)f->width;
            for (int column = s.first_column; column <= s.last_column; column++) {
                meeting m = sphere_meet(f, &s, column, row);
                float in = (m.b - m.root) / m.a, out = (m.b + m.root) / m.a;
                out = smaller(out, f->depth[start + (size_t)column]);
                if (m.root >= 0.0f && out > in)
                    f->glass[start + (size_t)column] += (out - in) * sqrtf(m.a) / s.radius;
            }
        }
    }
}

static bool is_floor(const mote_plane_def *plane)
{
    return fabsf(plane->normal.y) > 0.5f;
}

/* How far a ray goes to a plane; negative: away from it. */
static float plane_depth(const frame *f, const mote_plane_def *plane, mote_vec3 ray)
{
    float approach = -vector_dot(plane->normal, ray);
    float height = vector_dot(plane->normal, f->input->eye) - plane->offset;
    return approach != 0.0f ? height / approach : -1.0f;
}

/* One plane and the picture that it is drawn into. */
typedef struct plane_job {
    frame *f;
    uint32_t index;
    float rim, edge; /* of panes: height and width, m */
} plane_job;

static void raster_floor_rows(void *context, int first_row, int end_row)
{
    const plane_job *job = context;
    frame *f = job->f;
    for (int row = first_row; row < end_row; row++) {
        for (int column = 0; column < f->width; column++) {
            size_t sample = (size_t)row * (size_t)f->width + (size_t)column;
            mote_vec3 ray = frame_ray(f, (float)column + 0.5f, (float)row + 0.5f);
            float depth = plane_depth(f, &f->input->planes[job->index], ray);
            if (depth > NEAR_DEPTH && depth < f->depth[sample]) {
                f->depth[sample] = depth;
                f->seen[sample] = FRAME_PLANE + job->index;
            }
        }
    }
}

void raster_floors(frame *f)
{
    for (uint32_t i = 0; i < f->input->plane_count; i++) {
        const mote_plane_def *plane = &f->input->planes[i];
        /* A floor that is seen from below would hide everything. */
        if (is_floor(plane) && vector_dot(plane->normal, f->input->eye) > plane->offset)
            bands_run(raster_floor_rows, &(plane_job){f, i, 0.0f, 0.0f}, f->height, BAND_HEIGHT);
    }
}

/* How much glass a point of a pane has: none outside the box that the other planes or the shapes make with it
 * or above its rim, much along its edges. */
static float pane_glass(const plane_job *job, mote_vec3 point)
{
    const frame *f = job->f;
    mote_vec3 above = vector_sub(point, f->low), below = vector_sub(f->high, point);
    float nearest = job->rim - point.y;
    if (smaller(nearest, smaller(above.y, smaller(above.x, above.z))) < 0.0f ||
        smaller(below.x, below.z) < 0.0f)
        return 0.0f;
    if (f->open_panes)
        nearest = INFINITY;
    for (uint32_t i = 0; i < f->input->plane_count; i++) {
        const mote_plane_def *plane = &f->input->planes[i];
        if (i != job->index)
            nearest = smaller(nearest, vector_dot(plane->normal, point) - plane->offset);
    }
    return nearest < 0.0f ? 0.0f : nearest < job->edge ? PANE_EDGE_GLASS : PANE_GLASS;
}

static void raster_pane_rows(void *context, int first_row, int end_row)
{
    const plane_job *job = context;
    frame *f = job->f;
    for (int row = first_row; row < end_row; row++) {
        for (int column = 0; column < f->width; column++) {
            size_t sample = (size_t)row * (size_t)f->width + (size_t)column;
            mote_vec3 ray = frame_ray(f, (float)column + 0.5f, (float)row + 0.5f);
            float depth = plane_depth(f, &f->input->planes[job->index], ray);
            if (depth > NEAR_DEPTH && depth < f->depth[sample])
                f->glass[sample] += pane_glass(job, vector_add(f->input->eye, vector_scale(ray, depth)));
        }
    }
}

/* Walls are panes of glass in front of whatever is behind them. The renderer does not know how high a box is
 * meant to be; its rim is put a little above the camera's target, and not below the top of the shapes. */
void raster_panes(frame *f)
{
    float distance = vector_length(vector_sub(f->input->target, f->input->eye));
    plane_job job = {.f = f, .rim = f->input->target.y + 0.22f * distance, .edge = 0.002f * distance};
    if (isfinite(f->high.y))
        job.rim = larger(job.rim, f->high.y);
    for (job.index = 0; job.index < f->input->plane_count; job.index++)
        if (!is_floor(&f->input->planes[job.index]))
            bands_run(raster_pane_rows, &job, f->height, BAND_HEIGHT);
}
