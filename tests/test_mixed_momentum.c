/* Action and reaction among things of every kind: in a world without gravity and shapes, grains, bodies, jointed
 * pairs and liquids fly into each other, and momentum and angular momentum stay what they were. The grains have no
 * friction: a particle without a spin cannot answer the torque of it. */
#include "ropes.h"

#include <math.h>

enum { STEPS = TEST_BY_BUILD(600, 60, 10) };

/* What one world has of each. */
typedef struct mixture {
    const char *name;
    bool grains, bodies, pairs, liquids, ropes;
} mixture;

static const mixture mixtures[] = {
    {"grains", true, false, false, false, false},
    {"bodies", false, true, false, false, false},
    {"jointed pairs", false, false, true, false, false},
    {"liquids", false, false, false, true, false},
    {"grains and bodies", true, true, false, false, false},
    {"liquids and pairs", false, false, true, true, false},
    {"ropes and bodies", false, true, false, false, true},
    {"everything", true, true, true, true, true},
};

/* Two clouds of grains of 1 and of 1/8 kg that fly through the middle; slowly, so that they stay close for long. */
static void add_grains(mote_world *world)
{
    mote_material_id smooth = add_material(world, 0, 0, 0.3f);
    for (int n = 0; n < 2; n++) {
        float side = n == 0 ? -1.0f : 1.0f;
        mote_grains_def grains = mote_default_grains_def();
        grains.count[0] = grains.count[1] = grains.count[2] = 4;
        grains.radius = n == 0 ? TEST_RADIUS : 0.5f * TEST_RADIUS;
        grains.origin = vec(0.9f * side - 0.15f, -0.15f, -0.15f + 0.05f * side);
        grains.radius_spread = 0.2f;
        grains.jitter = 0.05f;
        grains.velocity = vec(-0.5f * side, 0.02f, 0);
        grains.material = smooth;
        must(mote_grains_block(world, &grains, NULL));
    }
}

/* With friction, which turns them; one box spins. */
static void add_bodies(mote_world *world)
{
    mote_material_id rough = add_material(world, 0.5f, 0.4f, 0.2f);
    lattice box = {
        .count = {3, 3, 3}, .center = {0.05f, 0.9f, 0}, .velocity = {0, -0.5f, 0}, .material = rough};
    add_lattice(world, &box);
    lattice rod = {
        .count = {1, 7, 1}, .center = {-0.1f, -1, 0.05f}, .velocity = {0, 0.6f, 0}, .material = rough};
    add_lattice(world, &rod);
    lattice plate = {
        .count = {4, 1, 4}, .center = {0, 1.5f, 0.1f}, .velocity = {0.1f, -0.7f, 0}, .material = rough};
    plate.spin = vec(0, 2, 1);
    add_lattice(world, &plate);
}

static void set_in_motion(mote_world *world, mote_body_id bar[2], mote_vec3 velocity)
{
    for (int n = 0; n < 2; n++)
        must(mote_body_set_velocity(world, bar[n], velocity, vec(0, 0, 0)));
}

static void add_pairs(mote_world *world)
{
    mote_body_id bar[2];
    add_jointed_bars(world, vec(0, 0.04f, 1.1f), bar);
    set_in_motion(world, bar, vec(0, 0, -0.5f));
    add_jointed_bars(world, vec(0.2f, -0.03f, -1.1f), bar);
    set_in_motion(world, bar, vec(0, 0, 0.5f));
}

static void add_blob(mote_world *world, float density, mote_vec3 corner, mote_vec3 velocity)
{
    mote_material_def def = mote_default_material_def();
    def.fluid = true;
    def.density = density;
    def.viscosity = 1;
    def.static_friction = def.kinetic_friction = 0;
    mote_fluid_def blob = mote_default_fluid_def();
    blob.min = corner;
    blob.max = vec(corner.x + 0.5f, corner.y + 0.5f, corner.z + 0.5f);
    blob.velocity = velocity;
    blob.material = mote_material_add(world, &def);
    must_exist(blob.material);
    must(mote_fluid_block(world, &blob, NULL));
}

static void add_liquids(mote_world *world)
{
    add_blob(world, 1000, vec(-1, 0.3f, 0.2f), vec(0.5f, -0.3f, -0.3f));
    add_blob(world, 600, vec(0.5f, -0.7f, -0.8f), vec(-0.5f, 0.3f, 0.4f));
}

/* A rope between two bricks that fly apart, and one between grains, both of which meet the others. */
static void add_ropes(mote_world *world)
{
    mote_material_id smooth = add_material(world, 0, 0, 0.3f);
    mote_body_id brick[2];
    mote_particle_id grain[2];
    for (int n = 0; n < 2; n++) {
        float side = n == 0 ? -1.0f : 1.0f;
        lattice box = {.count = {2, 2, 2},
                       .center = {0.6f * side, 0.05f * side, 1.6f},
                       .velocity = {0.4f * side, 0, -0.6f},
                       .material = smooth};
        brick[n] = add_lattice(world, &box);
        grain[n] = add_particle(world, vec(0.1f, 0.5f * side, -1.7f), vec(0.1f * side, 0, 0.6f), smooth);
    }
    add_rope(world, mote_end_body(brick[0], vec(-0.55f, -0.05f, 1.6f)), vec(-0.55f, -0.05f, 1.6f),
             mote_end_body(brick[1], vec(0.55f, 0.05f, 1.6f)), vec(0.55f, 0.05f, 1.6f), 8, 0.1f, 0.15f);
    add_rope(world, mote_end_particle(grain[0]), vec(0.1f, -0.5f, -1.7f), mote_end_particle(grain[1]),
             vec(0.1f, 0.5f, -1.7f), 10, 0.1f, MOTE_AS_MADE);
    add_spring(world, mote_end_body(brick[0], vec(-0.6f, -0.05f, 1.6f)), mote_end_particle(grain[0]), 2, 0.1f,
               1);
}

static mote_world *mixed_world(const mixture *m)
{
    mote_world *world = impulse_weightless_world();
    if (m->grains)
        add_grains(world);
    if (m->bodies)
        add_bodies(world);
    if (m->pairs)
        add_pairs(world);
    if (m->liquids)
        add_liquids(world);
    if (m->ropes)
        add_ropes(world);
    return world;
}

/* Measured by what there was to be lost: sums of m |v|, and of m |x| |v|, when it began. */
static void check_mixture(const mixture *m)
{
    mote_world *world = mixed_world(m);
    motion before = motion_of(world);
    double most = 0, most_angular = 0, least_energy = before.energy;
    for (int n = 0; n < STEPS; n++) {
        step_times(world, 1, TEST_FRAME);
        motion now = motion_of(world);
        double lost = size_of(minus(now.momentum, before.momentum)) / before.traffic;
        double turned_by = size_of(minus(now.angular, before.angular)) / before.bustle;
        check_below(lost, 1e-5, "%s, step %d: momentum that came from nowhere, part of the traffic", m->name,
                    n);
        check_below(turned_by, 1e-3, "%s, step %d: the same of angular momentum", m->name, n);
        most = fmax(most, lost);
        most_angular = fmax(most_angular, turned_by);
        least_energy = fmin(least_energy, now.energy);
    }
    print_message("%s: momentum to %.1e, angular momentum to %.1e, %.0f %% of the energy left\n", m->name, most,
                  most_angular, 100 * least_energy / before.energy);
    if (STEPS >= 300)
        check_below(least_energy, 0.98 * before.energy, "%s: they met, J left", m->name);
    mote_world_destroy(world);
}

/* A test for each mixture: one that fails does not hide the others. */
static void mixture_keeps_momentum(void **state)
{
    check_mixture(*state);
}

int main(void)
{
    enum { MIXTURES = sizeof mixtures / sizeof mixtures[0] };
    struct CMUnitTest tests[MIXTURES];
    for (int n = 0; n < MIXTURES; n++)
        tests[n] = (struct CMUnitTest){mixtures[n].name, mixture_keeps_momentum, NULL, NULL,
                                       (void *)(uintptr_t)&mixtures[n]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
