/* The true surface of a body that is made of particles by hand: where these are a whole lattice, side by side along
 * the body's own axes, it is that of the box that they fill (of one row, a rod with round ends; of one, a ball).
 * Whatever else they are, they are their own surface. */
#include "base/vec.h"
#include "world/bodies.h"

#define EXACT 1e-3f /* radii: how far a particle of a lattice may be from its place */

typedef struct grid {
    mote_vec3 low, high; /* of the centres, in the body's own coordinates */
    float radius;
    uint32_t count[3];
} grid;

static float radius_of(const mote_world *world, const mt_link *link)
{
    return mt_positions(world)[mt_linked_slot(world, link->particle)].w;
}

static grid bounds_of(const mote_world *world, const mt_link *links, uint32_t count)
{
    grid g = {links[0].rest, links[0].rest, radius_of(world, &links[0]), {0, 0, 0}};
    for (uint32_t k = 1; k < count; k++) {
        mote_vec3 x = links[k].rest;
        g.low = (mote_vec3){fminf(g.low.x, x.x), fminf(g.low.y, x.y), fminf(g.low.z, x.z)};
        g.high = (mote_vec3){fmaxf(g.high.x, x.x), fmaxf(g.high.y, x.y), fmaxf(g.high.z, x.z)};
    }
    return g;
}

/* How many fit side by side. */
static uint32_t number_along(float length, float radius)
{
    float number = length / (2.0f * radius) + 1.5f;
    return number < 65536.0f ? (uint32_t)number : 0;
}

static bool is_at_place(float x, float low, float radius)
{
    float number = (x - low) / (2.0f * radius), whole = floorf(number + 0.5f);
    return fabsf(number - whole) * 2.0f < EXACT;
}

/* Each at a place of the lattice, and as many as there are places. That no two are at one place is seen by the sum of
 * how far they are along the axes. */
static bool fills(const mote_world *world, const mt_link *links, uint32_t count, const grid *g)
{
    double sum = 0, whole = 0;
    for (uint32_t k = 0; k < count; k++) {
        mote_vec3 x = links[k].rest;
        if (radius_of(world, &links[k]) != g->radius || !is_at_place(x.x, g->low.x, g->radius) ||
            !is_at_place(x.y, g->low.y, g->radius) || !is_at_place(x.z, g->low.z, g->radius))
            return false;
        sum += (double)mt_dot(mt_sub(x, g->low), mt_sub(x, g->low));
    }
    for (int axis = 0; axis < 3; axis++) {
        double n = (double)g->count[axis], step = 2.0 * (double)g->radius;
        whole += (double)count * (n - 1) * (2 * n - 1) / 6 * step * step;
    }
    return fabs(sum - whole) <= 1e-3 * ((double)g->radius * (double)g->radius + whole);
}

static mt_surface surface_of(const grid *g)
{
    mote_vec3 half = mt_scale(mt_sub(g->high, g->low), 0.5f);
    const mote_quat straight = {0.0f, 0.0f, 0.0f, 1.0f};
    mt_surface s = {MT_SURFACE_BOX, {mt_scale(mt_add(g->low, g->high), 0.5f), straight}, {0}};
    uint32_t rows = (g->count[0] > 1) + (g->count[1] > 1) + (g->count[2] > 1);
    s.size[0] = half.x + g->radius;
    s.size[1] = half.y + g->radius;
    s.size[2] = half.z + g->radius;
    if (rows > 1)
        return s;
    s.type = rows == 0 ? MT_SURFACE_SPHERE : MT_SURFACE_CAPSULE;
    if (g->count[0] > 1) /* y becomes x */
        s.pose.rotation = (mote_quat){-0.5f, -0.5f, -0.5f, 0.5f};
    if (g->count[2] > 1) /* y becomes z */
        s.pose.rotation = (mote_quat){0.5f, 0.5f, 0.5f, 0.5f};
    s.size[0] = g->radius;
    s.size[1] = half.x + half.y + half.z;
    s.size[2] = 0.0f;
    return s;
}

void mt_body_find_surface(mote_world *world, uint32_t body)
{
    mt_body *b = &mt_bodies(world)[body];
    const mt_link *links = mt_body_links(world, body);
    grid g = bounds_of(world, links, b->link_count);
    g.count[0] = number_along(g.high.x - g.low.x, g.radius);
    g.count[1] = number_along(g.high.y - g.low.y, g.radius);
    g.count[2] = number_along(g.high.z - g.low.z, g.radius);
    if ((uint64_t)g.count[0] * g.count[1] * g.count[2] != b->link_count ||
        !fills(world, links, b->link_count, &g))
        return;
    for (uint32_t k = 0; k < b->link_count; k++)
        if (((const uint32_t *)world->membership.of.data)[links[k].particle.index] >= MT_SHARED)
            return;
    b->surface = surface_of(&g);
}
