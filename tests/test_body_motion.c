/* How single bodies move: as the laws of Newton and Euler say, from what their particles do, not from what the
 * body says of itself. */
#include "lattices.h"

#include <math.h>

static const struct form {
    const char *name;
    uint32_t count[3];
} forms[] = {{"book", {2, 3, 5}}, {"sheet", {5, 1, 5}}, {"rod", {5, 1, 1}}, {"cube", {3, 3, 3}}};

#define FORMS (sizeof forms / sizeof forms[0])

/* Five turns a second about an axis that is none of the body's own: it tumbles. */
static lattice tumbling(const struct form *form)
{
    lattice block = {.velocity = {1, 0.5f, -0.3f}};
    double rate = 5 * 2 * TEST_PI / sqrt(14);
    block.spin = vec((float)rate, (float)(3 * rate), (float)(2 * rate));
    for (int i = 0; i < 3; i++)
        block.count[i] = form->count[i];
    return block;
}

/* ---- free bodies ---------------------------------------------------------------------------------------- */

static void free_bodies_keep_what_they_have(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        mote_settings settings = weightless();
        mote_world *world = test_world(&settings);
        lattice block = tumbling(&forms[f]);
        add_lattice(world, &block);
        motion before = motion_of(world);
        double momentum = 0, angular = 0, energy = 0, center = 0;
        for (int n = 1; n <= 1000; n++) {
            step_times(world, 1, TEST_FRAME);
            motion now = motion_of(world);
            momentum = fmax(momentum, size_of(minus(now.momentum, before.momentum)) / size_of(before.momentum));
            angular = fmax(angular, size_of(minus(now.angular, before.angular)) / size_of(before.angular));
            energy = fmax(energy, fabs(now.energy / before.energy - 1));
            triple path = scaled(before.momentum, n / 60.0 / before.mass);
            center = fmax(center, size_of(minus(minus(now.center, before.center), path)) / size_of(path));
        }
        check_below(momentum, 1e-3, "%s: momentum, worst relative error in 1000 steps", forms[f].name);
        check_below(angular, 1e-3, "%s: angular momentum, worst relative error", forms[f].name);
        check_below(energy, 1e-2, "%s: energy, worst relative error", forms[f].name);
        check_below(center, 1e-3, "%s: way of the centre, worst relative error", forms[f].name);
        mote_world_destroy(world);
    }
}

/* A symmetric top without torque: its axis goes round the angular momentum at the rate |L| / I across. */
static void top_precesses(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    lattice block = {.count = {5, 1, 5}, .spin = {3, 12, 0}};
    mote_body_id body = add_lattice(world, &block);
    motion start = motion_of(world);
    mote_vec3 moments = body_of(world, body).inertia;
    /* 25 particles of 1 kg at multiples of 0.1 m: sum of x^2 is 5 * 10 * 0.01 */
    check_near((double)moments.x, 0.5, 1e-5, "least moment of inertia of the sheet, kg m^2");
    check_near((double)moments.y, 0.5, 1e-5, "the one in the middle");
    check_near((double)moments.z, 1.0, 1e-5, "the largest");
    double rate = size_of(start.angular) / 0.5;
    triple pole = scaled(start.angular, 1 / size_of(start.angular)), axis0 = {0, 1, 0};
    triple across = minus(axis0, scaled(pole, dot(axis0, pole)));
    triple beside = cross(pole, across);
    for (int n = 1; n <= 120; n++) {
        step_times(world, 1, TEST_FRAME);
        triple axis = turned(body_of(world, body).pose.rotation, axis0);
        double angle = rate * n / 60.0;
        triple expected =
            plus(scaled(pole, dot(axis0, pole)), plus(scaled(across, cos(angle)), scaled(beside, sin(angle))));
        check_below(degrees(asin(fmin(1, size_of(cross(axis, expected))))), 3,
                    "frame %d: the top's axis off where it should be, degrees, after %g turns", n,
                    angle / (2 * TEST_PI));
    }
    mote_world_destroy(world);
}

/* Gravity takes a body down as it does a particle, and gives it momentum by the second. */
static void falls_like_a_particle(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        mote_world *world = test_world(NULL);
        lattice block = tumbling(&forms[f]);
        add_lattice(world, &block);
        motion before = motion_of(world);
        mote_particle_id loose = add_point(world, vec(5, 0, 0), 1);
        must(mote_particle_set_velocity(world, loose, block.velocity));
        step_times(world, 60, TEST_FRAME);
        mote_particle_state alone = state_of(world, loose);
        must(mote_particle_remove(world, loose));
        motion now = motion_of(world);
        triple gained = minus(now.momentum, before.momentum);
        check_near(gained.y, -TEST_GRAVITY * before.mass, 1e-3 * TEST_GRAVITY * before.mass,
                   "%s: momentum gained in a second, kg m/s", forms[f].name);
        check_near(gained.x, 0, 1e-3 * TEST_GRAVITY * before.mass, "%s: and sideways", forms[f].name);
        /* steps of h: v grows by g h at the start of each, so that the way is g h^2 n (n + 1) / 2 */
        double fall = TEST_GRAVITY * 480 * 481 / 2 / 480 / 480;
        check_near(now.center.y, 0.5 - fall, 1e-4, "%s: height of the centre, m", forms[f].name);
        check_near(now.center.y, (double)alone.position.y, 1e-4, "%s: as high as a particle", forms[f].name);
        check_below(size_of(minus(now.angular, before.angular)), 1e-3 * size_of(before.angular),
                    "%s: change of the angular momentum", forms[f].name);
        mote_world_destroy(world);
    }
}

/* An impulse J at r from the centre: v = J / M, spin = I^-1 (r x J). */
static void impulse_at_a_point(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    lattice block = {.count = {2, 3, 5}, .center = {1, 2, 3}, .mass = 6};
    mote_particle_id ids[LATTICE_MAX];
    size_t count = 0;
    add_lattice_particles(world, &block, ids, &count);
    mote_body_id body = add_body(world, ids, count);
    triple center = {1, 2, 3}, r = {0.05, -0.1, 0.2}, impulse = {3, -2, 1}, turn = cross(r, impulse);
    must(mote_body_apply_impulse(world, body, vec_of(impulse), vec_of(plus(center, r))));
    /* The lattice's axes are its main ones. */
    triple spin = {turn.x / inertia_about(world, ids, count, center, (triple){1, 0, 0}),
                   turn.y / inertia_about(world, ids, count, center, (triple){0, 1, 0}),
                   turn.z / inertia_about(world, ids, count, center, (triple){0, 0, 1})};
    for (int n = 0; n < 2; n++) {
        mote_body_state now = body_of(world, body);
        check_below(size_of(minus(triple_of(now.velocity), scaled(impulse, 1 / 6.0))), 1e-5, "velocity, m/s");
        check_below(size_of(minus(triple_of(now.spin), spin)), 1e-4 + 0.02 * n, "spin, rad/s");
        motion all = motion_of(world);
        check_below(size_of(minus(all.momentum, impulse)), 1e-4, "momentum of the particles, kg m/s");
        check_below(size_of(minus(all.angular, turn)), 1e-4, "angular momentum of the particles, kg m^2/s");
        check_near((double)now.mass, 6, 1e-5, "mass, kg");
        step_times(world, 1, 1e-3f); /* and the next step does not take it away */
    }
    mote_world_destroy(world);
}

static void velocity_is_set(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    lattice block = {.count = {3, 3, 3}, .center = {0, 1, 0}};
    mote_body_id body = add_lattice(world, &block);
    must(mote_body_set_velocity(world, body, vec(1, 0, 0), vec(0, 2, 0)));
    step_times(world, 60, TEST_FRAME);
    mote_body_state now = body_of(world, body);
    check_near((double)now.center.x, 1, 1e-4, "after a second at 1 m/s, m");
    check_near(turn_of(world, body, vec(0, 1, 0)), 2, 1e-3, "after a second at 2 rad/s, rad");
    mote_pose elsewhere = {{5, 6, 7}, turn_about(vec(1, 0, 0), 1)};
    must(mote_body_set_pose(world, body, elsewhere));
    now = body_of(world, body);
    triple own = {0, 1, 0}; /* the centre, in the body's own coordinates */
    triple expected = plus(turned(elsewhere.rotation, own), (triple){5, 6, 7});
    check_below(size_of(minus(triple_of(now.center), expected)), 1e-5, "centre where the pose says, m");
    check_near((double)now.velocity.x, 1, 1e-4, "the velocity stays, m/s");
    mote_world_destroy(world);
}

/* ---- bodies that meet ----------------------------------------------------------------------------------- */

/* Two blocks meet off the middle, turning: what one gets the other loses. */
static void collide(float friction, float restitution)
{
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_material_id material = add_material(world, friction, friction, restitution);
    lattice one = {.count = {3, 3, 3}, .center = {-0.5f, 0, 0}, .velocity = {2, 0, 0}, .spin = {0, 3, 1}};
    lattice two = {.count = {2, 4, 2}, .center = {0.5f, 0.13f, 0.04f}, .mass = 40, .velocity = {-1, 0, 0}};
    one.material = two.material = material;
    mote_body_id a = add_lattice(world, &one);
    add_lattice(world, &two);
    motion before = motion_of(world);
    double momentum = 0, angular = 0, energy = 0;
    for (int n = 0; n < 60; n++) {
        step_times(world, 1, TEST_FRAME);
        motion now = motion_of(world);
        momentum = fmax(momentum, size_of(minus(now.momentum, before.momentum)) / before.traffic);
        angular = fmax(angular, size_of(minus(now.angular, before.angular)) / size_of(before.angular));
        energy = fmax(energy, now.energy / before.energy);
    }
    check_below((double)body_of(world, a).velocity.x, 1,
                "friction %g, restitution %g: they met; speed then, m/s", (double)friction,
                (double)restitution);
    check_below(momentum, 1e-3, "friction %g, restitution %g: momentum, worst error of the traffic",
                (double)friction, (double)restitution);
    check_below(angular, 1e-3, "friction %g, restitution %g: angular momentum, worst relative error",
                (double)friction, (double)restitution);
    check_below(energy, 1.01, "friction %g, restitution %g: most energy, of that before", (double)friction,
                (double)restitution);
    mote_world_destroy(world);
}

static void collisions_keep_momentum(void **state)
{
    (void)state;
    collide(0, 0);
    collide(0.5f, 0);
    collide(0, 0.5f);
    collide(0.5f, 0.5f);
}

/* Of a rod about its own line, where its particles count as balls: their velocities do not show it. */
static triple angular_about_line(const mote_world *world, mote_body_id rod)
{
    mote_body_state now = body_of(world, rod);
    triple line = turned(now.pose.rotation, (triple){1, 0, 0}), spin = triple_of(now.spin);
    double about = spin.x * line.x + spin.y * line.y + spin.z * line.z;
    return scaled(line, (double)now.inertia.x * about);
}

/* A rod that is thrown across a block begins to roll about its line, too. */
static void rods_keep_momentum(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    for (int n = 0; n < 4; n++) {
        mote_world *world = test_world(&settings);
        lattice one = {
            .count = {4, 1, 1}, .center = {-0.5f, 0.02f * (float)n, 0.03f}, .velocity = {2, 0.3f, 0}};
        lattice two = {.count = {2, 3, 3}, .center = {0.5f, 0, 0.1f}, .velocity = {-1, 0.3f, 0}};
        one.spin = vec(3, 7 - (float)n, -5);
        one.material = two.material = add_material(world, 0.5f, 0.5f, 0);
        mote_body_id rod = add_lattice(world, &one);
        add_lattice(world, &two);
        triple start = plus(motion_of(world).angular, angular_about_line(world, rod));
        double angular = 0, rolled = 0;
        for (int i = 0; i < 90; i++) {
            step_times(world, 1, TEST_FRAME);
            triple about = angular_about_line(world, rod), now = plus(motion_of(world).angular, about);
            angular = fmax(angular, size_of(minus(now, start)) / size_of(start));
            rolled = fmax(rolled, size_of(about) / size_of(start));
        }
        check_above(rolled, 2e-3, "throw %d: angular momentum of the rod about its line, of all", n);
        check_below(angular, 1e-3, "throw %d: angular momentum, worst relative error", n);
        mote_world_destroy(world);
    }
}

/* A rod is set to spin about its line, and does so until it is told otherwise. */
static void rod_spins_about_its_line(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    lattice rod = {.count = {5, 1, 1}};
    mote_body_id body = add_lattice(world, &rod);
    must(mote_body_set_velocity(world, body, vec(0, 0, 0), vec(20, 0, 0)));
    step_times(world, 60, TEST_FRAME);
    check_near((double)body_of(world, body).spin.x, 20, 0.02, "about its line after a second, rad/s");
    must(mote_body_set_velocity(world, body, vec(0, 0, 0), vec(0, 3, 0)));
    step_times(world, 1, TEST_FRAME);
    check_below(fabs((double)body_of(world, body).spin.x), 1e-3, "about its line after it was stopped, rad/s");
    check_near((double)body_of(world, body).spin.y, 3, 0.01, "across it, rad/s");
    mote_world_destroy(world);
}

/* Four particles at R from the middle, standing on the floor. */
static mote_body_id add_four_feet(mote_world *world, mote_material_id material)
{
    mote_particle_id ids[4];
    mote_particle_def def = mote_default_particle_def();
    def.material = material;
    for (int n = 0; n < 4; n++) {
        def.position = vec(n == 0 ? 0.5f : n == 1 ? -0.5f : 0, TEST_RADIUS, n == 2 ? 0.5f : n == 3 ? -0.5f : 0);
        ids[n] = mote_particle_add(world, &def);
        must_exist(ids[n]);
    }
    return add_body(world, ids, 4);
}

/* They bear a quarter of the weight each: with the friction mu the spin falls by mu g / R a second, until it is
 * 0. */
static void spinning_on_the_floor(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_material_id material = add_material(world, 0.4f, 0.4f, 0);
    add_floor(world, material);
    mote_body_id body = add_four_feet(world, material);
    step_times(world, 60, TEST_FRAME); /* the supports of a body are learned while it stands */
    must(mote_body_set_velocity(world, body, vec(0, 0, 0), vec(0, 10, 0)));
    double slowing = 0.4 * TEST_GRAVITY / 0.5, spin[8] = {10}; /* at every tenth frame */
    for (int n = 1; n < 8; n++) {
        step_times(world, 10, TEST_FRAME);
        spin[n] = (double)body_of(world, body).spin.y;
        check_near((spin[n - 1] - spin[n]) * 6, slowing, 0.05 * slowing, "slowing before frame %d, rad/s^2",
                   10 * n);
    }
    step_times(world, 50, TEST_FRAME);
    mote_body_state now = body_of(world, body);
    check_below(size_of(triple_of(now.spin)), 0.01, "spin after two seconds, rad/s");
    check_near((double)now.center.y, (double)TEST_RADIUS, 1e-3, "height of the centre, m");
    check_below(hypot((double)now.center.x, (double)now.center.z), 0.01, "it stays where it is, m");
    mote_world_destroy(world);
}

/* A body that slides loses mu g a second, whatever its form and however its weight is spread over its feet. */
static void sliding_on_the_floor(void **state)
{
    (void)state;
    static const uint32_t counts[][3] = {{5, 1, 5}, {3, 3, 3}};
    for (size_t f = 0; f < sizeof counts / sizeof counts[0]; f++) {
        mote_world *world = test_world(NULL);
        mote_material_id material = add_material(world, 0.4f, 0.4f, 0);
        add_floor(world, material);
        lattice block = {.material = material, .center = {0, TEST_RADIUS * (float)counts[f][1], 0}};
        for (int i = 0; i < 3; i++)
            block.count[i] = counts[f][i];
        mote_body_id body = add_lattice(world, &block);
        step_times(world, 60, TEST_FRAME);
        must(mote_body_set_velocity(world, body, vec(5, 0, 0), vec(0, 0, 0)));
        step_times(world, 40, TEST_FRAME);
        check_near((5 - (double)body_of(world, body).velocity.x) * 1.5, 0.4 * TEST_GRAVITY,
                   0.05 * 0.4 * TEST_GRAVITY, "%u x %u x %u: mean slowing in 40 frames, m/s^2", counts[f][0],
                   counts[f][1], counts[f][2]);
        mote_world_destroy(world);
    }
}

/* A tumbling block comes to rest on one of its sides. */
static void block_comes_to_rest(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_material_id material = add_material(world, 0.5f, 0.5f, 0);
    add_floor(world, material);
    lattice block = {.count = {4, 4, 4}, .center = {0, 1, 0}, .spin = {3, 2, 5}, .material = material};
    mote_body_id body = add_lattice(world, &block);
    step_times(world, 300, TEST_FRAME);
    mote_body_state now = body_of(world, body);
    check_near((double)now.center.y, 0.2, 0.005, "height of the centre, m");
    check_below(size_of(triple_of(now.velocity)), 0.01, "speed, m/s");
    check_below(size_of(triple_of(now.spin)), 0.05, "spin, rad/s");
    mote_world_destroy(world);
}

/* ---- driven bodies -------------------------------------------------------------------------------------- */

static void set_mode(mote_world *world, mote_body_id body, mote_body_mode mode)
{
    must(mote_body_set_mode(world, body, mode));
    check_true(body_of(world, body).mode == mode, "the mode is what was asked for");
}

static void driven_body_is_where_it_is_moved(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    lattice block = {.count = {3, 3, 3}};
    mote_body_id body = add_lattice(world, &block);
    set_mode(world, body, MOTE_BODY_DRIVEN);
    mote_particle_id ids[27];
    check_near((double)mote_body_particles(world, body, ids, 27), 27, 0, "particles of the body");
    mote_vec3 rest = state_of(world, ids[5]).position;
    mote_particle_id ball = add_point(world, vec(0.3f, 0.1f, 0), 1);
    mote_settings settings = weightless();
    must(mote_world_set_settings(world, &settings));
    for (int n = 1; n <= 60; n++) {
        mote_pose to = {vec(0.02f * (float)n, 0, 0), turn_about(vec(0, 1, 0), 0.01 * n)};
        must(mote_body_move_to(world, body, to));
        step_times(world, 1, TEST_FRAME);
        triple at = triple_of(state_of(world, ids[5]).position);
        triple expected = plus(turned(to.rotation, triple_of(rest)), triple_of(to.position));
        check_below(size_of(minus(at, expected)), 1e-4, "step %d: a particle off its place, m", n);
        check_below(size_of(minus(place_of(world, body, rest), expected)), 1e-4, "step %d: the body, m", n);
    }
    triple path = minus(triple_of(state_of(world, ball).position), (triple){1.2, 0, 0});
    check_above(path.x, 0.1, "the loose particle is in front of the body by, m");
    check_above((double)state_of(world, ball).velocity.x, 0.9, "and as fast, m/s");
    step_times(world, 10, TEST_FRAME);
    check_near((double)body_of(world, body).center.x, 1.2, 1e-4, "it stands still when it is not moved, m");
    check_below(size_of(triple_of(body_of(world, body).velocity)), 1e-6, "and has no velocity, m/s");
    mote_world_destroy(world);
}

static void driven_body_goes_on(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    lattice block = {.count = {3, 3, 3}};
    mote_body_id body = add_lattice(world, &block);
    set_mode(world, body, MOTE_BODY_DRIVEN);
    step_times(world, 30, TEST_FRAME);
    check_below(size_of(triple_of(body_of(world, body).center)), 1e-6, "a locked body does not fall, m");
    must(mote_body_apply_impulse(world, body, vec(10, 0, 0), vec(0, 0, 0)));
    step_times(world, 30, TEST_FRAME);
    check_below(size_of(triple_of(body_of(world, body).center)), 1e-6, "nor feels an impulse, m");
    must(mote_body_set_velocity(world, body, vec(0, 0, 2), vec(0, 1, 0)));
    step_times(world, 60, TEST_FRAME);
    check_near((double)body_of(world, body).center.z, 2, 1e-3, "after a second at 2 m/s, m");
    check_near(turn_of(world, body, vec(0, 1, 0)), 1, 1e-3, "after a second at 1 rad/s, rad");
    mote_world_destroy(world);
}

static void mode_keeps_velocities(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    lattice block = {.count = {3, 3, 3}};
    mote_body_id body = add_lattice(world, &block);
    set_mode(world, body, MOTE_BODY_DRIVEN);
    must(mote_body_set_velocity(world, body, vec(1, 2, 3), vec(0, 2, 0)));
    step_times(world, 30, TEST_FRAME);
    set_mode(world, body, MOTE_BODY_DYNAMIC);
    for (int n = 0; n < 2; n++) {
        mote_body_state now = body_of(world, body);
        check_below(size_of(minus(triple_of(now.velocity), (triple){1, 2, 3})), 1e-3, "velocity, off by, m/s");
        check_below(size_of(minus(triple_of(now.spin), (triple){0, 2, 0})), 1e-3, "spin, off by, rad/s");
        motion all = motion_of(world);
        check_near(all.mass, 27, 1e-3, "the particles have their mass again, kg");
        check_below(size_of(minus(all.momentum, (triple){27, 54, 81})), 0.1, "momentum, off by, kg m/s");
        step_times(world, 30, TEST_FRAME);
    }
    /* By its way: the last step went from one place to another. */
    set_mode(world, body, MOTE_BODY_DRIVEN);
    mote_pose pose = body_of(world, body).pose;
    for (int n = 0; n < 5; n++) {
        pose.position.x += 0.1f;
        must(mote_body_move_to(world, body, pose));
        step_times(world, 1, TEST_FRAME);
    }
    set_mode(world, body, MOTE_BODY_DYNAMIC);
    step_times(world, 1, TEST_FRAME);
    check_near((double)body_of(world, body).velocity.x, 6, 0.01, "thrown at 0.1 m a frame, m/s");
    mote_world_destroy(world);
}

/* ---- making and removing -------------------------------------------------------------------------------- */

static void bodies_come_and_go(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    lattice block = {.count = {2, 2, 2}}, other = {.count = {3, 1, 1}, .center = {2, 0, 0}};
    mote_body_id a = add_lattice(world, &block), b = add_lattice(world, &other), list[4];
    check_near(mote_body_list(world, list, 4), 2, 0, "bodies");
    check_true(list[0].index == a.index && list[1].index == b.index, "in the order of their making");
    mote_particle_id ids[8];
    check_near((double)mote_body_particles(world, a, ids, 8), 8, 0, "particles of the first");
    check_near(mote_particle_bodies(world, ids[3], list, 4), 1, 0, "bodies of its particle");
    must(mote_body_dissolve(world, a));
    check_true(!mote_body_is_valid(world, a), "it is no more");
    check_near((double)mote_particle_count(world), 11, 0, "particles: all of them, now loose");
    check_near(mote_particle_bodies(world, ids[3], list, 4), 0, 0, "bodies of a loose particle");
    must(mote_body_remove(world, b));
    check_near((double)mote_particle_count(world), 8, 0, "particles without those of the second");
    check_near(mote_body_count(world), 0, 0, "bodies");
    step_times(world, 2, TEST_FRAME);
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_bodies_keep_what_they_have),
        cmocka_unit_test(top_precesses),
        cmocka_unit_test(falls_like_a_particle),
        cmocka_unit_test(impulse_at_a_point),
        cmocka_unit_test(velocity_is_set),
        cmocka_unit_test(collisions_keep_momentum),
        cmocka_unit_test(rods_keep_momentum),
        cmocka_unit_test(rod_spins_about_its_line),
        cmocka_unit_test(spinning_on_the_floor),
        cmocka_unit_test(sliding_on_the_floor),
        cmocka_unit_test(block_comes_to_rest),
        cmocka_unit_test(driven_body_is_where_it_is_moved),
        cmocka_unit_test(driven_body_goes_on),
        cmocka_unit_test(mode_keeps_velocities),
        cmocka_unit_test(bodies_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
