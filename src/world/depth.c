/* How deep a body's particles are below its surface, from the particles alone (Lovrovic, eq. 4.18): the sum
 * of the unit vectors from the neighbours, weighted by a power of their distance, points out of the body
 * where there are neighbours on one side only. Who has it is at the surface; the others are deeper by the
 * distance to the nearest of those. */
#include "base/real.h"
#include "base/rotation.h"
#include "world/bodies.h"

#define REACH     1.9f /* of the sum of radii: neighbours on the edges and the diagonals of a lattice's faces */
#define ONE_SIDED 0.15f /* of the number of neighbours: a sum of unit vectors longer than this is no accident */

static float radius_of(const mote_world *world, const mt_link *link)
{
    return mt_positions(world)[mt_handle_entries(&world->particles.handles)[link->particle.index].slot].w;
}

/* The sum of unit vectors over the distance; how many there are. */
static mote_vec3 outward(const mote_world *world, const mt_body *body, uint32_t k, uint32_t *count)
{
    const mt_link *links = mt_links(world) + body->first_link;
    mote_vec3 sum = {0.0f, 0.0f, 0.0f};
    float radius = radius_of(world, &links[k]);
    *count = 0;
    for (uint32_t j = 0; j < body->link_count; j++) {
        mote_vec3 d = mt_sub(links[k].rest, links[j].rest);
        float square = mt_dot(d, d), reach = REACH * (radius + radius_of(world, &links[j]));
        if (j == k || square > reach * reach || !(square > 0))
            continue;
        sum = mt_add(sum, mt_scale(d, (radius + radius) / square));
        (*count)++;
    }
    return sum;
}

static void find_surface(const mote_world *world, const mt_body *body)
{
    mt_link *links = mt_links(world) + body->first_link;
    for (uint32_t k = 0; k < body->link_count; k++) {
        uint32_t count;
        mote_vec3 sum = outward(world, body, k, &count);
        float length = mt_length(sum);
        links[k].depth = 0.0f;
        links[k].normal = (mote_vec3){0.0f, 0.0f, 0.0f};
        if (count > 0 && length > ONE_SIDED * (float)count) {
            links[k].depth = radius_of(world, &links[k]);
            links[k].normal = mt_scale(sum, 1.0f / length);
        }
    }
}

static void find_inner(const mote_world *world, const mt_body *body, uint32_t k)
{
    mt_link *links = mt_links(world) + body->first_link;
    const mt_link *nearest = NULL;
    float least = 1e30f;
    for (uint32_t j = 0; j < body->link_count; j++) {
        mote_vec3 d = mt_sub(links[j].rest, links[k].rest);
        float square = mt_dot(d, d);
        if (links[j].depth > 0 && square < least) {
            least = square;
            nearest = &links[j];
        }
    }
    if (nearest == NULL || !(least > 0))
        return;
    mote_vec3 d = mt_sub(nearest->rest, links[k].rest);
    links[k].normal = mt_scale(d, 1.0f / sqrtf(least));
    links[k].depth = -(sqrtf(least) + radius_of(world, nearest)); /* below 0 until all are known */
}

/* Rods and sheets have no inside: seen from the middle, their particles do not spread in all directions. */
static bool is_thin(const mote_world *world, const mt_body *body)
{
    mt_matrix spread = {{{0}}};
    for (uint32_t k = 0; k < body->link_count; k++) {
        mt_real3 d = mt_real_between(body->center, mt_links(world)[body->first_link + k].rest);
        const double v[3] = {d.x, d.y, d.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                spread.m[i][j] += v[i] * v[j];
    }
    double values[3];
    mt_matrix vectors;
    mt_symmetric_eigen(&spread, values, &vectors);
    return body->link_count < 8 || !(values[0] > 1e-6 * values[2]);
}

mote_result mt_body_find_depths(mote_world *world, uint32_t slot)
{
    const mt_body *body = &mt_bodies(world)[slot];
    mt_link *links = mt_links(world) + body->first_link;
    if (is_thin(world, body))
        return MOTE_OK;
    find_surface(world, body);
    for (uint32_t k = 0; k < body->link_count; k++)
        if (links[k].depth == 0)
            find_inner(world, body, k);
    for (uint32_t k = 0; k < body->link_count; k++)
        links[k].depth = fabsf(links[k].depth);
    return MOTE_OK;
}
