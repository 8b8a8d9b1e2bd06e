/* Moments of inertia of thin bodies: points almost on a line have almost none about it, and a touch would make
 * them spin without bounds. Where they have less than a quarter of what the particles have as balls, 2/5 m r^2
 * each, they count as balls. */
#include "jointed_world.h"

#include <math.h>

static const mote_material_id NO_MATERIAL = {0};

#define BALL (0.4 * (double)TEST_RADIUS * (double)TEST_RADIUS) /* kg m^2 of a particle of 1 kg */

static mote_body_id add_points(mote_world *world, const mote_vec3 *points, size_t count)
{
    mote_particle_id ids[64];
    assert_true(count <= 64);
    for (size_t i = 0; i < count; i++)
        ids[i] = add_particle(world, points[i], vec(0, 0, 0), NO_MATERIAL);
    mote_body_def def = mote_default_body_def();
    def.particles = ids;
    def.particle_count = count;
    mote_body_id body = mote_body_add(world, &def);
    must_exist(body);
    return body;
}

/* Seven particles along x, the middle ones out of line by up to `height` along y, as a bow. */
static mote_body_id add_bow(mote_world *world, double height, double *about_x)
{
    mote_vec3 points[7];
    double mean = 0;
    for (int i = 0; i < 7; i++) {
        double part = (i - 3) / 3.0, y = height * (1 - part * part);
        points[i] = vec(0.1f * (float)(i - 3), (float)y, 0);
        mean += y / 7;
    }
    *about_x = 0;
    for (int i = 0; i < 7; i++)
        *about_x += ((double)points[i].y - mean) * ((double)points[i].y - mean);
    return add_points(world, points, 7);
}

static void bent_rods(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    /* From a straight rod to a bow as high as three particles are wide. */
    const double heights[] = {0, 1e-6, 1e-4, 1e-3, 0.01, 0.03, 0.05, 0.1, 0.3};
    int as_balls = 0, as_points = 0;
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
        mote_world *world = test_world(&settings);
        double about_x, about_y = 0;
        mote_body_id body = add_bow(world, heights[i], &about_x);
        for (int k = -3; k <= 3; k++)
            about_y += 0.01 * k * k;
        mote_vec3 inertia = body_state_of(world, body).inertia;
        double least = about_x > 0.25 * 7 * BALL ? about_x : 7 * BALL;
        check_near((double)inertia.x, fmin(least, about_y), 1e-4 * least, "least moment of a bow %g m high",
                   heights[i]);
        check_near((double)inertia.z, about_x + about_y, 1e-4 * about_y, "largest moment of it");
        as_balls += least > about_x;
        as_points += least == about_x;
        mote_world_destroy(world);
    }
    check_true(as_balls >= 4 && as_points >= 2, "%d rods count as balls, %d as points", as_balls, as_points);
}

/* Any few points, of any form: no moment below a quarter of the balls'. */
static void small_clouds(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    uint64_t seed = 11;
    for (int i = 0; i < 200; i++) {
        mote_world *world = test_world(&settings);
        mote_vec3 points[8];
        size_t count = 1 + (size_t)random_between(&seed, 0, 8);
        float thin = 0.2f * random_between(&seed, 0, 1) * random_between(&seed, 0, 1);
        for (size_t k = 0; k < count; k++)
            points[k] = vec(random_between(&seed, -0.3f, 0.3f), random_between(&seed, -thin, thin),
                            random_between(&seed, -thin, thin));
        mote_vec3 inertia = body_state_of(world, add_points(world, points, count)).inertia;
        double bound = 0.25 * (double)count * BALL * (1 - 1e-4);
        check_true((double)inertia.x >= bound && inertia.y >= inertia.x && inertia.z >= inertia.y,
                   "moments %g, %g, %g of %zu points, kg m^2", (double)inertia.x, (double)inertia.y,
                   (double)inertia.z, count);
        mote_world_destroy(world);
    }
}

/* A hit beside the axis of a rod that is bent by a hair turns it about the axis as its balls let it. */
static void hit_beside_the_axis(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    double about_x;
    mote_body_id body = add_bow(world, 1e-3, &about_x);
    mote_body_state before = body_state_of(world, body);
    mote_vec3 point = {before.center.x, before.center.y + 0.05f, before.center.z};
    must(mote_body_apply_impulse(world, body, vec(0, 0, 0.1f), point)); /* 0.005 N m s about x */
    for (int i = 0; i < 30; i++) {
        step_times(world, 1, TEST_FRAME);
        check_below(length_of(body_state_of(world, body).spin), 0.005 / (7 * BALL) * 1.01, "spin, rad/s");
    }
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bent_rods),
        cmocka_unit_test(small_clouds),
        cmocka_unit_test(hit_beside_the_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
