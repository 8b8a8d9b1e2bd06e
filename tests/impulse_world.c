#include "impulse_world.h"

#include <math.h>

mote_settings impulse_settings(void)
{
    return mote_default_settings();
}

mote_settings impulse_weightless(void)
{
    return weightless();
}

mote_world *impulse_world(void)
{
    mote_settings settings = impulse_settings();
    return test_world(&settings);
}

mote_world *impulse_weightless_world(void)
{
    mote_settings settings = impulse_weightless();
    return test_world(&settings);
}

mote_body_id add_brick(mote_world *world, uint32_t nx, uint32_t ny, uint32_t nz, mote_vec3 center)
{
    lattice block = {.count = {nx, ny, nz}, .center = center};
    return add_lattice(world, &block);
}

mote_joint_id join(mote_world *world, mote_joint_type type, mote_body_id a, mote_body_id b, mote_vec3 anchor,
                   mote_vec3 axis)
{
    mote_joint_def def = joint_def(type, a, b, axis);
    def.anchor = anchor;
    return add_joint_of(world, &def);
}

void add_jointed_bars(mote_world *world, mote_vec3 anchor, mote_body_id bar[2])
{
    for (int n = 0; n < 2; n++) {
        float side = n == 0 ? -1.0f : 1.0f;
        bar[n] = add_brick(world, 4, 2, 2, vec(anchor.x + side * 5 * TEST_RADIUS, anchor.y, anchor.z));
    }
    join(world, MOTE_JOINT_BALL, bar[0], bar[1], anchor, vec(1, 0, 0));
}

double fastest_of(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    double most = 0;
    for (size_t i = 0; i < view.count; i++) {
        mote_vec4 v = view.velocity[i];
        if (v.w > 0)
            most = fmax(most, length_of(vec(v.x, v.y, v.z)));
    }
    return most;
}

double energy_of(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    mote_settings settings = mote_world_settings(world);
    triple gravity = triple_of(settings.gravity);
    double sum = 0;
    for (size_t i = 0; i < view.count; i++) {
        mote_vec4 x = view.position[i], v = view.velocity[i];
        if (!(v.w > 0))
            continue;
        triple u = triple_of(vec(v.x, v.y, v.z));
        sum += (0.5 * dot(u, u) - dot(gravity, triple_of(vec(x.x, x.y, x.z)))) / (double)v.w;
    }
    return sum;
}
