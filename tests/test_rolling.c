/* Bodies of particles roll and lean as smooth ones do: a solid ball goes down a slope with 5/7 g sin, and two cards
 * that lean on each other stand as long as tan(angle) / 2 is below the friction. Gravity is tilted instead of the
 * floor. */
#include "impulse_world.h"

#include <math.h>

#define R TEST_RADIUS

/* ---- a ball on a slope ---------------------------------------------------------------------------------- */

/* Points that cover a sphere evenly, along a spiral that turns by the golden angle. */
static triple spiral_point(int n, int count)
{
    double y = 1 - (2 * n + 1.0) / count, ring = sqrt(1 - y * y), turn = TEST_PI * (3 - sqrt(5)) * n;
    return (triple){ring * cos(turn), y, ring * sin(turn)};
}

/* A ball that rests on y = 0, of the radius `size`. It is a shell, so dense that the facets between its particles
 * are less than 2 degrees steep, and a weight in the middle, which makes its moment of inertia 2/5 m size^2: of the
 * shell's mass s and the weight's w, 2/3 s shell^2 = 2/5 (s + w) size^2. */
static mote_body_id add_smooth_ball(mote_world *world, double size, mote_material_id material)
{
    enum { SHELL = 5000 };
    static mote_particle_id ids[SHELL + 1];
    double shell = size - (double)R;
    mote_particle_def def = mote_default_particle_def();
    def.material = material;
    def.mass = 0.01f;
    for (int n = 0; n < SHELL; n++) {
        triple out = scaled(spiral_point(n, SHELL), shell);
        def.position = vec_of(plus(out, (triple){0, size, 0}));
        ids[n] = mote_particle_add(world, &def);
        must_exist(ids[n]);
    }
    def.position = vec(0, (float)size, 0);
    def.mass = (float)((double)def.mass * SHELL * (5 * shell * shell / (3 * size * size) - 1));
    ids[SHELL] = mote_particle_add(world, &def);
    must_exist(ids[SHELL]);
    return add_body(world, ids, SHELL + 1);
}

static void tilt(mote_world *world, double angle)
{
    mote_settings settings = mote_world_settings(world);
    settings.gravity = vec((float)(TEST_GRAVITY * sin(angle)), (float)(-TEST_GRAVITY * cos(angle)), 0);
    must(mote_world_set_settings(world, &settings));
}

/* It comes to rest on a level floor first. Then it rolls for its own radius: whatever is lost at the facets grows
 * with the way. The acceleration follows from way and time, m/s^2. That friction acts on particles, whose middles are a
 * radius nearer to the ball's, makes it spin a little faster than it goes. */
static double measured_acceleration(double size, double angle)
{
    mote_world *world = impulse_world();
    mote_material_id rough = add_material(world, 0.6f, 0.6f, 0);
    add_floor(world, rough);
    mote_body_id body = add_smooth_ball(world, size, rough);
    step_times(world, 10, TEST_FRAME);
    must(mote_body_set_velocity(world, body, vec(0, 0, 0), vec(0, 0, 0)));
    tilt(world, angle);
    double start = (double)body_of(world, body).center.x, way = 0;
    int frames = 0;
    while (way < size && frames < 300) {
        step_times(world, 1, TEST_FRAME);
        way = (double)body_of(world, body).center.x - start;
        frames++;
    }
    double time = frames * (double)TEST_FRAME, speed = (double)body_of(world, body).velocity.x;
    double spin = -(double)body_of(world, body).spin.z;
    check_near(spin * size, speed, 0.15 * speed + 0.02, "it rolls: spin times radius, m/s");
    mote_world_destroy(world);
    return 2 * way / (time * time);
}

static void check_ball(double radii, double tolerance)
{
    static const double slopes[] = {2, 10, 20};
    for (int k = 0; k < 3; k++) {
        double angle = slopes[k] * TEST_PI / 180, exact = 5.0 / 7 * TEST_GRAVITY * sin(angle);
        double measured = measured_acceleration(radii * (double)R, angle);
        print_message("%g radii, %g degrees: %.4f of 5/7 g sin\n", radii, slopes[k], measured / exact);
        check_near(measured, exact, tolerance * exact, "a ball of %g radii on a slope of %g degrees, m/s^2",
                   radii, slopes[k]);
    }
}

static void small_ball_rolls(void **state)
{
    (void)state;
    check_ball(10, 0.1);
}

static void large_ball_rolls(void **state)
{
    (void)state;
    check_ball(20, 0.05);
}

/* ---- leaning cards -------------------------------------------------------------------------------------- */

enum { LONG = 10, WIDE = 5 }; /* particles of a card, one thick */

/* One that leans by `angle` to the side of x = 0, its upper edge there: the middle of its highest row is a radius
 * away from that, the middle of its lowest row a radius above the floor. */
static mote_body_id add_card(mote_world *world, double angle, int side, mote_material_id material)
{
    double half = (LONG - 1) * (double)R;
    mote_rigid_def def = mote_default_rigid_def();
    def.pose.position =
        vec((float)(side * ((double)R + half * sin(angle))), (float)((double)R + half * cos(angle)), 0);
    def.pose.rotation = turn_about(vec(0, 0, 1), side * angle);
    def.material = material;
    mote_body_id card = mote_rigid_box(world, &def, (uint32_t[3]){1, LONG, WIDE});
    must_exist(card);
    return card;
}

/* How much of its height the house of cards has after 5 s. Each foot bears a card's weight W and is pushed outwards
 * with W tan(angle) / 2. */
static double height_left(double angle)
{
    mote_world *world = impulse_world();
    mote_material_id paper = add_material(world, 0.5f, 0.5f, 0);
    add_floor(world, paper);
    mote_body_id card[2] = {add_card(world, angle, -1, paper), add_card(world, angle, 1, paper)};
    double before = (double)body_of(world, card[0]).center.y;
    step_times(world, TEST_BY_BUILD(300, 60, 10), TEST_FRAME);
    double after = fmin((double)body_of(world, card[0]).center.y, (double)body_of(world, card[1]).center.y);
    mote_world_destroy(world);
    return after / before;
}

static void cards_lean(void **state)
{
    (void)state;
    check_above(height_left(20 * TEST_PI / 180), 0.97, "at 20 degrees they stand, part of the height");
    check_above(height_left(30 * TEST_PI / 180), 0.97, "at 30 degrees they stand, part of the height");
}

static void steep_cards_fall(void **state)
{
    (void)state;
    check_below(height_left(50 * TEST_PI / 180), 0.3, "at 50 degrees they fall, part of the height");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_ball_rolls),
        cmocka_unit_test(large_ball_rolls),
        cmocka_unit_test(cards_lean),
        cmocka_unit_test(steep_cards_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
