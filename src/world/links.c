/* Links: particles in bodies. They are kept in one array, grouped by body in the order of the bodies' table. A
 * particle in several bodies gives each an equal part of its mass, so that masses add up. */
#include "base/real.h"
#include "base/rotation.h"
#include "world/bodies.h"

#include <string.h>

/* Of the inertia that the particles have as balls: a body with less about an axis counts as these. */
#define THIN 0.25
/* Of a bone's largest moment: the least about any axis, as of a limb two fifths as thick as it is long.
 * A bone is often one line of particles, which turns so much more easily about itself than what it is jointed
 * to at both ends that the solver would not come to an end: limbs would never lie still. */
#define STOUT 0.2

/* ---- places -------------------------------------------------------------------------------------------- */

mote_vec3 mt_body_point(const mt_body *body, mote_vec3 own)
{
    mt_frame frame = mt_frame_of(body->pose);
    return mt_to_world(&frame, mt_sub(own, body->center));
}

mote_vec3 mt_body_own(const mt_body *body, mote_vec3 point)
{
    mt_frame frame = mt_frame_of(body->pose);
    return mt_add(mt_to_local(&frame, point), body->center);
}

mote_vec3 mt_body_own_direction(const mt_body *body, mote_vec3 direction)
{
    mt_frame frame = mt_frame_of(body->pose);
    return (mote_vec3){mt_dot(frame.x, direction), mt_dot(frame.y, direction), mt_dot(frame.z, direction)};
}

mt_link *mt_link_find(const mote_world *world, const mt_body *body, mote_particle_id particle)
{
    mt_link *link = mt_links(world) + body->first_link;
    for (uint32_t k = 0; k < body->link_count; k++, link++)
        if (link->particle.index == particle.index && link->particle.generation == particle.generation)
            return link;
    return NULL;
}

/* ---- the array ----------------------------------------------------------------------------------------- */

static void shift_bodies(mote_world *world, uint32_t after, int64_t by)
{
    for (uint32_t b = after + 1; b < world->bodies.count; b++) {
        mt_body *body = &mt_bodies(world)[b];
        body->first_link = (uint32_t)((int64_t)body->first_link + by);
    }
    world->link_count = (size_t)((int64_t)world->link_count + by);
    world->body_edits++;
}

mt_link *mt_links_insert(mote_world *world, uint32_t slot, uint32_t count)
{
    mt_body *body = &mt_bodies(world)[slot];
    size_t at = (size_t)body->first_link + body->link_count;
    mt_link *links = mt_links(world);
    memmove(links + at + count, links + at, (world->link_count - at) * sizeof *links);
    body->link_count += count;
    body->surface = (mt_surface){0};
    shift_bodies(world, slot, (int64_t)count);
    return links + at;
}

void mt_links_remove(mote_world *world, uint32_t slot, uint32_t first, uint32_t count)
{
    mt_body *body = &mt_bodies(world)[slot];
    size_t at = (size_t)body->first_link + first;
    mt_link *links = mt_links(world);
    memmove(links + at, links + at + count, (world->link_count - at - count) * sizeof *links);
    body->link_count -= count;
    body->surface = (mt_surface){0};
    shift_bodies(world, slot, -(int64_t)count);
}

/* ---- masses -------------------------------------------------------------------------------------------- */

float mt_particle_mass(const mote_world *world, uint32_t slot)
{
    float inverse = mt_velocities(world)[slot].w, sum = 0.0f;
    if (inverse > 0)
        return 1.0f / inverse;
    mote_particle_id id = mt_particle_ids(world)[slot];
    mt_member member;
    uint32_t bodies = mt_membership_of(world, id.index, &member);
    for (uint32_t k = 0; k < bodies; k++) {
        const mt_link *link = mt_link_find(world, &mt_bodies(world)[mt_member_body(&member, k)], id);
        sum += link != NULL ? link->mass : 0.0f;
    }
    return sum;
}

float mt_link_mass(const mote_world *world, const mt_link *link)
{
    uint32_t slot = mt_linked_slot(world, link->particle);
    mt_member member;
    bool held_by_one =
        mt_velocities(world)[slot].w == 0 && mt_membership_of(world, link->particle.index, &member) == 1;
    return held_by_one ? link->mass : mt_particle_mass(world, slot);
}

/* The mass of a particle that is held fast is in its links only, so all of them are changed at once. */
static void share_masses(mote_world *world, const mt_body *body)
{
    for (uint32_t k = 0; k < body->link_count; k++) {
        mt_link *link = &mt_links(world)[body->first_link + k];
        mt_member member;
        uint32_t bodies = mt_membership_of(world, link->particle.index, &member);
        bool held = mt_velocities(world)[mt_linked_slot(world, link->particle)].w == 0;
        link->mass = mt_link_mass(world, link) / (float)(bodies > 0 ? bodies : 1);
        for (uint32_t i = 0; held && bodies > 1 && i < bodies; i++) {
            mt_link *other = mt_link_find(world, &mt_bodies(world)[mt_member_body(&member, i)], link->particle);
            if (other != NULL)
                other->mass = link->mass;
        }
    }
}

/* About the centre of mass, in the body's own directions. */
static mt_matrix inertia_of(const mote_world *world, const mt_body *body, mt_real3 center)
{
    mt_matrix m = {{{0}}};
    for (uint32_t k = 0; k < body->link_count; k++) {
        const mt_link *link = &mt_links(world)[body->first_link + k];
        mt_real3 r = mt_real_sub(mt_real_of(link->rest), center);
        double mass = (double)link->mass;
        m.m[0][0] += mass * (r.y * r.y + r.z * r.z);
        m.m[1][1] += mass * (r.x * r.x + r.z * r.z);
        m.m[2][2] += mass * (r.x * r.x + r.y * r.y);
        m.m[0][1] -= mass * r.x * r.y;
        m.m[0][2] -= mass * r.x * r.z;
        m.m[1][2] -= mass * r.y * r.z;
    }
    m.m[1][0] = m.m[0][1];
    m.m[2][0] = m.m[0][2];
    m.m[2][1] = m.m[1][2];
    return m;
}

/* What the particles have as balls, each about itself, kg m^2. */
static double own_inertia(const mote_world *world, const mt_body *body)
{
    double sum = 0;
    for (uint32_t k = 0; k < body->link_count; k++) {
        const mt_link *link = &mt_links(world)[body->first_link + k];
        uint32_t slot = mt_handle_entries(&world->particles.handles)[link->particle.index].slot;
        double radius = (double)mt_positions(world)[slot].w;
        sum += 0.4 * (double)link->mass * radius * radius;
    }
    return sum;
}

/* The moments about the main axes, and these as the columns of *v. Points on a line have no inertia about it,
 * and those almost on one next to none: joints could not hold what they cannot turn, and a touch would make it
 * spin without bounds. There the particles count as balls. Where points have enough of their own it stays
 * theirs: only then the body's angular momentum is that of its particles. */
static void find_particle_moments(const mote_world *world, const mt_body *body, double values[3], mt_matrix *v)
{
    mt_matrix inertia = inertia_of(world, body, mt_real_of(body->center));
    double least = own_inertia(world, body);
    mt_symmetric_eigen(&inertia, values, v);
    for (int e = 0; e < 3; e++)
        values[e] = values[e] > THIN * least ? values[e] : least;
}

/* Those of a bone are never small beside each other. */
static void find_moments(const mote_world *world, const mt_body *body, double values[3], mt_matrix *v)
{
    find_particle_moments(world, body, values, v);
    double most = fmax(values[0], fmax(values[1], values[2]));
    for (int e = 0; body->is_bone && e < 3; e++)
        values[e] = fmax(values[e], STOUT * most);
}

/* Divides a vector of the world by the moments about a body's main axes, or multiplies it with them. */
static mote_vec3 weigh(const mt_body *body, const double values[3], const mt_matrix *v, mote_vec3 vector,
                       bool divide)
{
    mt_frame frame = mt_frame_of(body->pose);
    const double own[3] = {(double)mt_dot(frame.x, vector), (double)mt_dot(frame.y, vector),
                           (double)mt_dot(frame.z, vector)};
    double out[3] = {0, 0, 0};
    for (int e = 0; e < 3; e++) {
        double along = v->m[0][e] * own[0] + v->m[1][e] * own[1] + v->m[2][e] * own[2];
        along = divide ? along / values[e] : along * values[e];
        for (int i = 0; i < 3; i++)
            out[i] += v->m[i][e] * along;
    }
    return mt_turn(&frame, (mote_vec3){(float)out[0], (float)out[1], (float)out[2]});
}

mote_vec3 mt_bone_spin(const mote_world *world, uint32_t slot, mote_vec3 angular)
{
    const mt_body *body = &mt_bodies(world)[slot];
    double values[3];
    mt_matrix v;
    find_particle_moments(world, body, values, &v);
    return weigh(body, values, &v, angular, true);
}

mote_vec3 mt_body_angular(const mote_world *world, uint32_t slot, mote_vec3 spin)
{
    const mt_body *body = &mt_bodies(world)[slot];
    double values[3];
    mt_matrix v;
    find_moments(world, body, values, &v);
    return weigh(body, values, &v, spin, false);
}

mote_vec3 mt_body_moments(const mote_world *world, uint32_t slot)
{
    const mt_body *body = &mt_bodies(world)[slot];
    double values[3];
    mt_matrix v;
    find_moments(world, body, values, &v);
    for (int e = 2; e > 0; e--) /* those that count as balls were the smallest before */
        for (int i = 0; i < e; i++)
            if (values[i] > values[i + 1]) {
                double larger = values[i];
                values[i] = values[i + 1];
                values[i + 1] = larger;
            }
    return (mote_vec3){(float)values[0], (float)values[1], (float)values[2]};
}

static void set_inverse(const mote_world *world, mt_body *body)
{
    double values[3];
    mt_matrix v;
    find_moments(world, body, values, &v);
    double out[3][3] = {{0}};
    for (int e = 0; e < 3; e++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                out[i][j] += v.m[i][e] * v.m[j][e] / values[e];
    const double six[6] = {out[0][0], out[1][1], out[2][2], out[0][1], out[0][2], out[1][2]};
    for (int i = 0; i < 6; i++)
        body->inverse_inertia[i] = (float)six[i];
}

static void refresh_one(mote_world *world, uint32_t slot)
{
    mt_body *body = &mt_bodies(world)[slot];
    if (body->link_count == 0)
        return;
    share_masses(world, body);
    double mass = 0;
    mt_real3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < body->link_count; k++) {
        const mt_link *link = &mt_links(world)[body->first_link + k];
        mass += (double)link->mass;
        sum = mt_real_add(sum, mt_real_scale(mt_real_of(link->rest), (double)link->mass));
    }
    mote_vec3 center = mt_real_round(mt_real_scale(sum, 1.0 / mass));
    body->pose.position = mt_body_point(body, center);
    body->center = center;
    body->inverse_mass = (float)(1.0 / mass);
    if (body->mode == MOTE_BODY_DYNAMIC) /* it has to be read off the particles again */
        body->velocity = body->spin = (mote_vec3){0.0f, 0.0f, 0.0f};
    set_inverse(world, body);
}

void mt_body_refresh(mote_world *world, uint32_t slot)
{
    uint32_t last = slot; /* a body's shared particles follow each other; once is enough */
    refresh_one(world, slot);
    for (uint32_t k = 0; k < mt_bodies(world)[slot].link_count; k++) {
        uint32_t particle = mt_links(world)[mt_bodies(world)[slot].first_link + k].particle.index;
        mt_member member;
        uint32_t bodies = mt_membership_of(world, particle, &member);
        for (uint32_t i = 0; bodies > 1 && i < bodies; i++) {
            mt_bodies(world)[mt_member_body(&member, i)].surface = (mt_surface){0};
            if (mt_member_body(&member, i) != slot && mt_member_body(&member, i) != last)
                refresh_one(world, last = mt_member_body(&member, i));
        }
    }
    world->body_edits++;
}

/* ---- coming and leaving -------------------------------------------------------------------------------- */

void mt_link_add(mote_world *world, uint32_t slot, mote_particle_id particle)
{
    mt_link *link = mt_links_insert(world, slot, 1);
    uint32_t at = mt_handle_entries(&world->particles.handles)[particle.index].slot;
    mote_vec3 rest = mt_body_own(&mt_bodies(world)[slot], mt_xyz(mt_positions(world)[at]));
    *link = (mt_link){.particle = particle, .rest = rest};
    mt_membership_join(world, slot, particle.index);
}

/* A particle that is held fast has its mass in its links only. */
static void pass_mass_on(mote_world *world, uint32_t from, const mt_link *leaving)
{
    mt_member member;
    uint32_t bodies = mt_membership_of(world, leaving->particle.index, &member);
    for (uint32_t k = 0; k < bodies; k++) {
        uint32_t b = mt_member_body(&member, k);
        mt_link *other = b != from ? mt_link_find(world, &mt_bodies(world)[b], leaving->particle) : NULL;
        if (other != NULL) {
            other->mass += leaving->mass;
            return;
        }
    }
}

void mt_link_leave(mote_world *world, uint32_t slot, mote_particle_id particle)
{
    mt_body *body = &mt_bodies(world)[slot];
    mt_link *link = mt_link_find(world, body, particle);
    if (link == NULL)
        return;
    mt_membership_know(world);
    pass_mass_on(world, slot, link);
    mt_membership_leave(world, slot, particle.index);
    mt_links_remove(world, slot, (uint32_t)(link - mt_links(world)) - body->first_link, 1);
    mt_member member;
    if (mt_membership_of(world, particle.index, &member) > 0)
        mt_body_refresh(world, mt_member_body(&member, 0));
    if (body->link_count == 0)
        mt_body_drop(world, slot);
    else {
        mt_body_wake(world, slot);
        mt_body_refresh(world, slot);
    }
}

/* The last first: handles are then handed out as before. The gap in the array is closed once, at the end. */
void mt_links_leave(mote_world *world, uint32_t slot, bool with_particles)
{
    mt_body *body = &mt_bodies(world)[slot];
    uint32_t count = body->link_count;
    mt_membership_know(world);
    while (body->link_count > 0) {
        const mt_link *link = mt_body_links(world, slot) + --body->link_count;
        uint32_t particle = link->particle.index;
        mt_member member;
        bool shared = mt_membership_of(world, particle, &member) > 1;
        if (shared)
            pass_mass_on(world, slot, link);
        mt_membership_leave(world, slot, particle);
        if (shared && mt_membership_of(world, particle, &member) > 0)
            mt_body_refresh(world, mt_member_body(&member, 0));
        else if (with_particles)
            mt_particle_remove_slot(world, mt_linked_slot(world, link->particle));
    }
    body->link_count = count;
    mt_links_remove(world, slot, 0, count);
}

void mt_particle_unlink(mote_world *world, mote_particle_id particle)
{
    mt_member member;
    mt_membership_know(world);
    while (mt_membership_of(world, particle.index, &member) > 0) {
        mt_link_leave(world, mt_member_body(&member, 0), particle);
        mt_membership_know(world);
    }
}
