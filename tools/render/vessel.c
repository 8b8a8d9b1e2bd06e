/* Whether a mesh holds grains. The part of all directions in which a point sees a surface, walls seen from
 * within counted against those seen from outside, is the surface's winding number there: 1 inside a closed mesh
 * and 0 outside it, and in between for one with openings (A. Jacobson et al., "Robust inside-outside
 * segmentation using generalized winding numbers", 2013). */
#include "shapes.h"

#include <stdlib.h>

/* From this winding number on a grain counts as inside. */
#define INSIDE 0.5f

/* Grains that are looked at to find some near the mesh, how many of those are tested, and how many angles at
 * most are measured for them. */
#define MOST_LOOKED_AT 4096u
#define MOST_TESTED    32u
#define MOST_ANGLES    1000000u

/* Walls turn their outside away from the middle; this is the least cosine of the angle between the two. */
#define WALL_COSINE 0.15f

/* The solid angle of a triangle with the corners a, b, c seen from 0 (A. van Oosterom and J. Strackee, 1983),
 * above 0 if its inner side is seen; in full spheres. */
static float angle_of(mote_vec3 a, mote_vec3 b, mote_vec3 c)
{
    float la = vector_length(a), lb = vector_length(b), lc = vector_length(c);
    float volume = vector_dot(a, vector_cross(b, c));
    float rest = la * lb * lc + vector_dot(a, b) * lc + vector_dot(b, c) * la + vector_dot(c, a) * lb;
    return atan2f(volume, rest) / 6.28318531f;
}

static float winding_at(const drawn_shape *shape, mote_vec3 point)
{
    const model *form = shape->form;
    mote_vec3 own = shape_turn_back(shape, vector_sub(point, shape->position));
    double sum = 0.0;
    for (size_t i = 0; i < form->triangle_count; i++) {
        const uint32_t *corners = form->triangles + 3 * i;
        sum += (double)angle_of(vector_sub(form->vertices[corners[0]].position, own),
                                vector_sub(form->vertices[corners[1]].position, own),
                                vector_sub(form->vertices[corners[2]].position, own));
    }
    return (float)sum;
}

static bool is_within(mote_vec3 p, mote_vec3 low, mote_vec3 high)
{
    return p.x > low.x && p.y > low.y && p.z > low.z && p.x < high.x && p.y < high.y && p.z < high.z;
}

float vessel_outside(const drawn_shape *shape, const mote_particles_view *particles)
{
    size_t stride = particles->count / MOST_LOOKED_AT + 1;
    size_t tests = MOST_ANGLES / shape->form->triangle_count;
    tests = tests < 4 ? 4 : tests > MOST_TESTED ? MOST_TESTED : tests;
    size_t near = 0;
    for (size_t slot = 0; slot < particles->count; slot += stride)
        near += is_within(vector_of(particles->position[slot]), shape->low, shape->high);
    size_t skip = near / tests + 1, met = 0;
    for (size_t slot = 0; slot < particles->count; slot += stride) {
        mote_vec3 point = vector_of(particles->position[slot]);
        if (!is_within(point, shape->low, shape->high) || met++ % skip != 0)
            continue;
        float winding = winding_at(shape, point);
        if (fabsf(winding) > INSIDE)
            return winding > 0.0f ? 1.0f : -1.0f;
    }
    return 0.0f;
}

bool vessel_shows_outside(const drawn_shape *shape, size_t triangle, mote_vec3 eye, bool far)
{
    const uint32_t *corners = shape->form->triangles + 3 * triangle;
    mote_vec3 a = shape_vertex(shape, corners[0]), b = shape_vertex(shape, corners[1]);
    mote_vec3 c = shape_vertex(shape, corners[2]);
    mote_vec3 outward = vector_scale(vector_cross(vector_sub(b, a), vector_sub(c, a)), shape->outside);
    if (vector_dot(outward, far ? eye : vector_sub(eye, a)) <= 0.0f)
        return false;
    mote_vec3 center = vector_scale(vector_add(a, vector_add(b, c)), 1.0f / 3.0f);
    mote_vec3 way = vector_sub(center, vector_scale(vector_add(shape->low, shape->high), 0.5f));
    return vector_dot(outward, way) > WALL_COSINE * vector_length(outward) * vector_length(way);
}
