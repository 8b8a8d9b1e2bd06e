#include "lattices.h"

#include <math.h>

void add_lattice_particles(mote_world *world, const lattice *block, mote_particle_id *ids, size_t *count)
{
    mote_particle_def def = mote_default_particle_def();
    uint32_t total = block->count[0] * block->count[1] * block->count[2];
    double spacing = block->spacing > 0 ? (double)block->spacing : 2 * (double)TEST_RADIUS;
    def.mass = block->mass > 0 ? block->mass / (float)total : 1;
    def.material = block->material;
    for (uint32_t n = 0; n < total; n++) {
        uint32_t x = n % block->count[0], y = n / block->count[0] % block->count[1],
                 z = n / block->count[0] / block->count[1];
        triple r = {spacing * (x - 0.5 * (block->count[0] - 1)), spacing * (y - 0.5 * (block->count[1] - 1)),
                    spacing * (z - 0.5 * (block->count[2] - 1))};
        def.position = vec_of(plus(triple_of(block->center), r));
        def.velocity = vec_of(plus(triple_of(block->velocity), cross(triple_of(block->spin), r)));
        ids[*count] = mote_particle_add(world, &def);
        must_exist(ids[*count]);
        ++*count;
    }
}

mote_particle_id add_point(mote_world *world, mote_vec3 position, float mass)
{
    mote_particle_def def = mote_default_particle_def();
    def.position = position;
    def.mass = mass;
    mote_particle_id id = mote_particle_add(world, &def);
    must_exist(id);
    return id;
}

mote_body_id add_body(mote_world *world, const mote_particle_id *ids, size_t count)
{
    mote_body_def def = mote_default_body_def();
    def.particles = ids;
    def.particle_count = count;
    mote_body_id body = mote_body_add(world, &def);
    must_exist(body);
    return body;
}

mote_body_id add_lattice(mote_world *world, const lattice *block)
{
    mote_particle_id ids[LATTICE_MAX];
    size_t count = 0;
    add_lattice_particles(world, block, ids, &count);
    return add_body(world, ids, count);
}

mote_body_state body_of(const mote_world *world, mote_body_id body)
{
    mote_body_state state;
    must(mote_body_get(world, body, &state));
    return state;
}

/* ---- jointed bodies -------------------------------------------------------------------------------------- */

lattice hanging(float mass)
{
    return (lattice){.count = {2, ARM, 2}, .center = {0, -0.1f - (float)HALF_ARM, 0}, .mass = mass};
}

lattice sticking_out(float mass)
{
    return (lattice){.count = {ARM, 2, 2}, .center = {0.1f + (float)HALF_ARM, 0, 0}, .mass = mass};
}

mote_body_id add_locked(mote_world *world, mote_vec3 center)
{
    lattice block = {.count = {2, 2, 2}, .center = center};
    mote_body_id body = add_lattice(world, &block);
    must(mote_body_set_mode(world, body, MOTE_BODY_DRIVEN));
    return body;
}

mote_joint_def joint_def(mote_joint_type type, mote_body_id a, mote_body_id b, mote_vec3 axis)
{
    mote_joint_def def = mote_default_joint_def();
    def.type = type;
    def.a = a;
    def.b = b;
    def.axis = axis;
    return def;
}

mote_joint_id add_joint_of(mote_world *world, const mote_joint_def *def)
{
    mote_joint_id joint = mote_joint_add(world, def);
    must_exist(joint);
    return joint;
}

mote_joint_state joint_of(const mote_world *world, mote_joint_id joint)
{
    mote_joint_state state;
    must(mote_joint_get(world, joint, &state));
    return state;
}

double gap_of(const mote_world *world, mote_body_id body)
{
    return size_of(place_of(world, body, vec(0, 0, 0)));
}

/* ---- vectors -------------------------------------------------------------------------------------------- */

triple triple_of(mote_vec3 v)
{
    return (triple){(double)v.x, (double)v.y, (double)v.z};
}

mote_vec3 vec_of(triple v)
{
    return (mote_vec3){(float)v.x, (float)v.y, (float)v.z};
}

triple plus(triple a, triple b)
{
    return (triple){a.x + b.x, a.y + b.y, a.z + b.z};
}

triple minus(triple a, triple b)
{
    return (triple){a.x - b.x, a.y - b.y, a.z - b.z};
}

triple scaled(triple a, double s)
{
    return (triple){a.x * s, a.y * s, a.z * s};
}

triple cross(triple a, triple b)
{
    return (triple){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double dot(triple a, triple b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

double size_of(triple a)
{
    return sqrt(dot(a, a));
}

triple turned(mote_quat q, triple v)
{
    triple axis = {(double)q.x, (double)q.y, (double)q.z};
    triple t = scaled(cross(axis, v), 2);
    return plus(plus(v, scaled(t, (double)q.w)), cross(axis, t));
}

triple place_of(const mote_world *world, mote_body_id body, mote_vec3 own)
{
    mote_pose pose = body_of(world, body).pose;
    return plus(turned(pose.rotation, triple_of(own)), triple_of(pose.position));
}

mote_quat turn_about(mote_vec3 axis, double angle)
{
    triple a = triple_of(axis);
    a = scaled(a, sin(0.5 * angle) / size_of(a));
    return (mote_quat){(float)a.x, (float)a.y, (float)a.z, (float)cos(0.5 * angle)};
}

double turn_of(const mote_world *world, mote_body_id body, mote_vec3 axis)
{
    mote_quat q = body_of(world, body).pose.rotation;
    double along = dot((triple){(double)q.x, (double)q.y, (double)q.z}, triple_of(axis)), w = (double)q.w;
    return w < 0 ? 2 * atan2(-along, -w) : 2 * atan2(along, w);
}

double degrees(double radians)
{
    return radians * 180 / TEST_PI;
}

/* ---- motion --------------------------------------------------------------------------------------------- */

motion motion_of(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    motion sum = {0};
    for (size_t i = 0; i < view.count; i++) {
        mote_vec4 x = view.position[i], v = view.velocity[i];
        if (!(v.w > 0))
            continue;
        double mass = 1 / (double)v.w;
        sum.mass += mass;
        sum.center = plus(sum.center, scaled(triple_of(vec(x.x, x.y, x.z)), mass));
        sum.momentum = plus(sum.momentum, scaled(triple_of(vec(v.x, v.y, v.z)), mass));
    }
    sum.center = scaled(sum.center, 1 / sum.mass);
    for (size_t i = 0; i < view.count; i++) {
        mote_vec4 x = view.position[i], v = view.velocity[i];
        if (!(v.w > 0))
            continue;
        double mass = 1 / (double)v.w;
        triple r = minus(triple_of(vec(x.x, x.y, x.z)), sum.center), u = triple_of(vec(v.x, v.y, v.z));
        triple spin = triple_of(vec(view.spin[i].x, view.spin[i].y, view.spin[i].z));
        double inertia = 0.4 * mass * (double)x.w * (double)x.w; /* of a grain that rolls */
        sum.angular = plus(sum.angular, plus(scaled(cross(r, u), mass), scaled(spin, inertia)));
        sum.energy += 0.5 * mass * dot(u, u) + 0.5 * inertia * dot(spin, spin);
        sum.traffic += mass * size_of(u);
        sum.bustle += mass * size_of(r) * size_of(u);
    }
    return sum;
}

double inertia_about(const mote_world *world, const mote_particle_id *ids, size_t count, triple point,
                     triple axis)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        mote_particle_state p = state_of(world, ids[i]);
        triple arm = cross(axis, minus(triple_of(p.position), point));
        sum += (double)p.mass * dot(arm, arm) / dot(axis, axis);
    }
    return sum;
}
