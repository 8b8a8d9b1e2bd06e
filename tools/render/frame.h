/* What the stages of the renderer hand to each other. */
#ifndef MOTE_TOOLS_RENDER_FRAME_H
#define MOTE_TOOLS_RENDER_FRAME_H

#include "render.h"
#include "shapes.h"
#include "vector.h"

/* Samples a pixel along each axis. */
#define FRAME_SAMPLING 2

/* frame.seen: below FRAME_TRIANGLE a particle's slot, from there on a triangle of a shape, from FRAME_PLANE on
 * a plane, or nothing. */
#define FRAME_TRIANGLE 0x80000000u
#define FRAME_PLANE    0xFFFF0000u
#define FRAME_NOTHING  0xFFFFFFFFu

/* Look-ups around a sample, for soft shadows and for the sky: directions a golden angle apart, turned anew for
 * every sample so that the error of few taps becomes a fine noise, which averaging over samples removes. */
#define FRAME_TAPS 10
typedef struct tap {
    float x, y;
} tap;

/* The sun's view: an orthographic depth map of the particles and shapes. */
typedef struct shadow_map {
    mote_vec3 sun;          /* unit vector towards it */
    mote_vec3 right, up;    /* axes of the map */
    float left, bottom;     /* of the map along its axes, m */
    float texels_per_metre; /* of the map */
    int size;               /* texels along each edge */
    float *height;          /* along `sun`, m, of the first surface that the light meets */
} shadow_map;

typedef struct frame {
    const render_input *input;
    int width, height;            /* in samples */
    mote_vec3 right, up, forward; /* axes of the camera */
    float focal, slope;           /* samples a unit of slope, and one over it */
    float grain;                  /* a typical radius of what moves, m: the scale of small things */
    float *depth;                 /* along `forward`, m; INFINITY where nothing is seen */
    uint32_t *seen;               /* see FRAME_TRIANGLE */
    float *glass;                 /* glass particles in front of what is seen, in radii of theirs */
    float *sky;                   /* part of the sky that is seen from there, 0..1 */
    mote_vec3 *places;            /* room for the vertices of any shape */
    mote_vec3 low, high;          /* where panes end in directions in which no plane ends them, m */
    bool open_panes;              /* panes do not make a box: they have no rim */
    shadow_map shadow;
    tap taps[FRAME_TAPS];    /* unit vectors */
    float reach[FRAME_TAPS]; /* of the taps that look for sky, m */
} frame;

/* The direction of a sample's ray, with a length of 1 along `forward`: a point is eye + depth x ray. */
static inline mote_vec3 frame_ray(const frame *f, float column, float row)
{
    float right = (column - 0.5f * (float)f->width) * f->slope;
    float up = (0.5f * (float)f->height - row) * f->slope;
    return vector_add(f->forward, vector_add(vector_scale(f->right, right), vector_scale(f->up, up)));
}

/* Where the surface that a sample sees is. */
static inline mote_vec3 frame_point(const frame *f, int column, int row)
{
    float depth = f->depth[(size_t)row * (size_t)f->width + (size_t)column];
    mote_vec3 ray = frame_ray(f, (float)column + 0.5f, (float)row + 0.5f);
    return vector_add(f->input->eye, vector_scale(ray, depth));
}

/* triangles.c: the shape that a triangle is of, and the normal at a point of it, on the side of the eye: of the
 * triangle as it is, and of the round surface that it stands for. */
const drawn_shape *frame_shape(const frame *f, uint32_t seen);
mote_vec3 frame_flat_normal(const frame *f, uint32_t seen, mote_vec3 point);
mote_vec3 frame_smooth_normal(const frame *f, uint32_t seen, mote_vec3 point);

/* The outward normal of a surface at a point of it. */
static inline mote_vec3 frame_normal(const frame *f, uint32_t seen, mote_vec3 point)
{
    if (seen >= FRAME_PLANE)
        return f->input->planes[seen - FRAME_PLANE].normal;
    if (seen >= FRAME_TRIANGLE)
        return frame_smooth_normal(f, seen, point);
    return vector_unit(vector_sub(point, vector_of(f->input->particles.position[seen])));
}

/* The turn of the taps of a sample, spread evenly over its neighbourhood (J. Jimenez, "Next generation post
 * processing in Call of Duty", 2014). */
static inline tap frame_turn(int column, int row)
{
    float x = 0.06711056f * (float)column + 0.00583715f * (float)row;
    x = 52.9829189f * (x - floorf(x));
    float angle = 6.2831853f * (x - floorf(x));
    return (tap){cosf(angle), sinf(angle)};
}

static inline tap frame_tap(const frame *f, int index, tap turn)
{
    tap t = f->taps[index];
    return (tap){t.x * turn.x - t.y * turn.y, t.x * turn.y + t.y * turn.x};
}

static inline bool frame_has_look(const frame *f, size_t slot, particle_look look)
{
    return f->input->looks[slot] == (uint8_t)look;
}

/* raster.c: fills depth, seen and glass. */
void raster_floors(frame *f);
void raster_particles(frame *f);
void raster_glass(frame *f);
void raster_panes(frame *f);

/* triangles.c: the same for shapes. */
void raster_shapes(frame *f);
void raster_glass_shapes(frame *f);

/* shadow.c: the map, and how much of the sun reaches a point, 0..1. */
bool shadow_create(frame *f, mote_vec3 sun);
void shadow_destroy(frame *f);
float shadow_light(const frame *f, uint32_t seen, mote_vec3 point, mote_vec3 normal, tap turn);

/* occlusion.c: fills sky. */
void occlusion_measure(frame *f);

/* shade.c: from samples to pixels. */
void shade_picture(const frame *f, image *picture);

#endif
