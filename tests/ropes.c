#include "ropes.h"

mote_constraint_id add_spring(mote_world *world, mote_constraint_end a, mote_constraint_end b, float length,
                              float compliance, float damping)
{
    mote_constraint_def def = mote_default_constraint_def(MOTE_CONSTRAINT_DISTANCE);
    def.ends[0] = a;
    def.ends[1] = b;
    def.distance.length = length;
    def.distance.compliance = compliance;
    def.distance.damping = damping;
    mote_constraint_id id = mote_constraint_add(world, &def);
    must_exist(id);
    return id;
}

mote_constraint_id hold(mote_world *world, mote_constraint_end a, mote_constraint_end b, float length)
{
    return add_spring(world, a, b, length, 0, 0);
}

double measure_of(const mote_world *world, mote_constraint_id constraint)
{
    float measure = 0;
    must(mote_constraints_read(world, &constraint, 1, &(mote_constraint_readings){.measures = &measure}));
    return (double)measure;
}

double force_of(const mote_world *world, mote_constraint_id constraint)
{
    float force = 0;
    must(mote_constraints_read(world, &constraint, 1, &(mote_constraint_readings){.forces = &force}));
    return (double)force;
}

static mote_particle_id add_bead(mote_world *world, mote_vec3 position, float mass)
{
    mote_particle_def def = mote_default_particle_def();
    def.position = position;
    def.mass = mass;
    def.radius = 0.1f * TEST_RADIUS;
    mote_particle_id id = mote_particle_add(world, &def);
    must_exist(id);
    return id;
}

rope add_rope(mote_world *world, mote_constraint_end from, mote_vec3 start, mote_constraint_end to,
              mote_vec3 end, uint32_t links, float mass, float length)
{
    rope made = {.count = links};
    mote_constraint_end last = from;
    for (uint32_t k = 0; k < links; k++) {
        float part = (float)(k + 1) / (float)links;
        mote_constraint_end next = to;
        if (k + 1 < links) {
            made.particles[k] =
                add_bead(world,
                         vec(start.x + part * (end.x - start.x), start.y + part * (end.y - start.y),
                             start.z + part * (end.z - start.z)),
                         mass);
            next = mote_end_particle(made.particles[k]);
        }
        made.links[k] = hold(world, last, next, length);
        last = next;
    }
    return made;
}

void add_hanging_things(mote_world *world, mote_vec3 at)
{
    mote_particle_id free_end = add_bead(world, vec(at.x + 1, at.y, at.z), 0.1f);
    add_rope(world, mote_end_world(at), at, mote_end_particle(free_end), vec(at.x + 1, at.y, at.z), 10, 0.1f,
             MOTE_AS_MADE);
    mote_vec3 low = vec(at.x - 0.5f, at.y - 1, at.z), high = vec(low.x, at.y, at.z);
    mote_body_id plate = add_brick(world, 5, 1, 5, low);
    add_brick(world, 2, 2, 2, vec(low.x, low.y + 3 * TEST_RADIUS, low.z));
    for (int n = 0; n < 4; n++) {
        float x = n % 2 == 0 ? -0.2f : 0.2f, z = n / 2 == 0 ? -0.2f : 0.2f;
        add_rope(world, mote_end_world(vec(high.x + x, high.y, high.z + z)),
                 vec(high.x + x, high.y, high.z + z), mote_end_body(plate, vec(low.x + x, low.y, low.z + z)),
                 vec(low.x + x, low.y, low.z + z), 3, 0.5f, MOTE_AS_MADE);
    }
    mote_particle_id loose[2] = {add_bead(world, vec(at.x, at.y - 1.5f, at.z + 1), 0.1f),
                                 add_bead(world, vec(at.x, at.y - 1.2f, at.z + 2), 0.1f)};
    add_rope(world, mote_end_particle(loose[0]), vec(at.x, at.y - 1.5f, at.z + 1), mote_end_particle(loose[1]),
             vec(at.x, at.y - 1.2f, at.z + 2), 12, 0.1f, MOTE_AS_MADE);
}
