/* Bodies bounce as their material says, as a whole and not particle by particle: dropped from h they come back to
 * e^2 h; and in Newton's cradle the last ball leaves with the speed of the first. */
#include "impulse_world.h"

#include <math.h>

#define R TEST_RADIUS

/* ---- drops ---------------------------------------------------------------------------------------------- */

typedef mote_body_id make_thing(mote_world *world, mote_material_id material, double *bottom);

/* Each with its centre at the origin; *bottom gets how far its lowest point is below, m. */

static mote_body_id lattice_thing(mote_world *world, mote_material_id material, const uint32_t count[3],
                                  double *bottom)
{
    lattice block = {.count = {count[0], count[1], count[2]}, .material = material};
    *bottom = count[1] * (double)R;
    return add_lattice(world, &block);
}

static mote_body_id lying_rod(mote_world *world, mote_material_id material, double *bottom)
{
    return lattice_thing(world, material, (uint32_t[3]){7, 1, 1}, bottom);
}

static mote_body_id upright_rod(mote_world *world, mote_material_id material, double *bottom)
{
    return lattice_thing(world, material, (uint32_t[3]){1, 7, 1}, bottom);
}

static mote_body_id small_box(mote_world *world, mote_material_id material, double *bottom)
{
    return lattice_thing(world, material, (uint32_t[3]){3, 3, 3}, bottom);
}

static mote_body_id large_box(mote_world *world, mote_material_id material, double *bottom)
{
    return lattice_thing(world, material, (uint32_t[3]){5, 5, 5}, bottom);
}

static mote_body_id ball(mote_world *world, mote_material_id material, double *bottom)
{
    mote_rigid_def def = mote_default_rigid_def();
    def.material = material;
    mote_body_id body = mote_rigid_ball(world, &def, 5 * R);
    must_exist(body);
    mote_particle_id ids[LATTICE_MAX];
    size_t count = mote_body_particles(world, body, ids, LATTICE_MAX);
    assert_true(count <= LATTICE_MAX);
    *bottom = 0;
    for (size_t i = 0; i < count; i++)
        *bottom = fmax(*bottom, (double)R - (double)state_of(world, ids[i]).position.y);
    return body;
}

static const struct {
    const char *name;
    make_thing *make;
} things[] = {{"a lying rod", lying_rod},
              {"an upright rod", upright_rod},
              {"a small box", small_box},
              {"a large box", large_box},
              {"a ball", ball}};

typedef void make_ground(mote_world *world, mote_material_id material);

/* All with their top at y = 0. */

static void plane(mote_world *world, mote_material_id material)
{
    add_floor(world, material);
}

static void box_shape(mote_world *world, mote_material_id material)
{
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_BOX;
    def.half_extents = vec(2, 0.5f, 2);
    def.position = vec(0, -0.5f, 0);
    def.material = material;
    must_exist(mote_shape_add(world, &def));
}

static void locked_plate(mote_world *world, mote_material_id material)
{
    lattice plate = {.count = {11, 1, 11}, .center = {0, -R, 0}, .material = material};
    must(mote_body_set_mode(world, add_lattice(world, &plate), MOTE_BODY_DRIVEN));
}

/* Ten thousand times as heavy as what falls on it; it weighs nothing beside that, since it lies on the floor. */
static void heavy_plate(mote_world *world, mote_material_id material)
{
    mote_plane_def under = mote_default_plane_def();
    under.offset = -2 * R;
    must_exist(mote_plane_add(world, &under));
    lattice plate = {.count = {11, 1, 11}, .center = {0, -R, 0}, .mass = 1e6f, .material = material};
    add_lattice(world, &plate);
}

static const struct {
    const char *name;
    make_ground *make;
} grounds[] = {
    {"a plane", plane}, {"a box", box_shape}, {"a locked plate", locked_plate}, {"a heavy plate", heavy_plate}};

/* How high it comes after its first bounce, m; it falls from 1 m. */
static double height_after_bounce(make_thing *thing, make_ground *ground, float restitution)
{
    mote_world *world = impulse_world();
    mote_material_id rubber = add_material(world, 0.3f, 0.3f, restitution);
    ground(world, rubber);
    double bottom, highest = 0;
    mote_body_id body = thing(world, rubber, &bottom);
    mote_pose pose = body_of(world, body).pose;
    pose.position.y += (float)(1 + bottom);
    must(mote_body_set_pose(world, body, pose));
    bool bounced = false;
    for (int n = 0; n < 65; n++) { /* it falls for 0.45 s and rises no longer than that */
        step_times(world, 1, TEST_FRAME);
        mote_body_state now = body_of(world, body);
        bounced = bounced || now.velocity.y > 0;
        if (bounced)
            highest = fmax(highest, (double)now.center.y - bottom);
    }
    mote_world_destroy(world);
    return highest;
}

/* On one kind of ground, things and restitutions by turns; all that is wrong is told before it fails. */
static void check_ground(int g)
{
    static const float restitutions[] = {1, 0.8f, 0.5f};
    int wrong = 0;
    for (size_t t = 0; t < sizeof things / sizeof things[0]; t++)
        for (int k = 0; k < 3; k++) {
            double e = (double)restitutions[k];
            double height = height_after_bounce(things[t].make, grounds[g].make, restitutions[k]);
            if (fabs(height - e * e) <= 0.05 * e * e)
                continue;
            print_error("%s on %s, e = %g: comes back to %.3f m, expected %.3f +- 5 %%\n", things[t].name,
                        grounds[g].name, e, height, e * e);
            wrong++;
        }
    check_near(wrong, 0, 0, "drops on %s that came back to another height", grounds[g].name);
}

static void on_plane(void **state)
{
    (void)state;
    check_ground(0);
}

static void on_box(void **state)
{
    (void)state;
    check_ground(1);
}

static void on_locked_plate(void **state)
{
    (void)state;
    check_ground(2);
}

static void on_heavy_plate(void **state)
{
    (void)state;
    check_ground(3);
}

/* ---- Newton's cradle ------------------------------------------------------------------------------------ */

enum { BALLS = 5, SIDE = 3 }; /* each 3 x 3 x 3, flat where they meet, so that they stay in line */

/* Four at rest in a row, `gap` apart, and one that comes with 2 m/s. */
static void check_cradle(double gap)
{
    mote_world *world = impulse_weightless_world();
    mote_material_id steel = add_material(world, 0, 0, 1);
    mote_body_id balls[BALLS];
    for (int n = 0; n < BALLS; n++) {
        double x = n * (2 * SIDE * (double)R + gap) - (n == 0 ? 0.5 : 0);
        lattice block = {.count = {SIDE, SIDE, SIDE}, .center = {(float)x, 0, 0}, .material = steel};
        block.velocity = vec(n == 0 ? 2 : 0, 0, 0);
        balls[n] = add_lattice(world, &block);
    }
    double energy = energy_of(world);
    for (int n = 0; n < 90; n++) {
        step_times(world, 1, TEST_FRAME);
        check_below(energy_of(world), 1.001 * energy, "gap %g m, frame %d: energy, J", gap, n);
    }
    double speed[BALLS];
    for (int n = 0; n < BALLS; n++)
        speed[n] = (double)body_of(world, balls[n]).velocity.x;
    print_message("gap %g m: %.3f %.3f %.3f %.3f %.3f m/s\n", gap, speed[0], speed[1], speed[2], speed[3],
                  speed[4]);
    check_above(speed[BALLS - 1], 0.95 * 2, "gap %g m: the last ball leaves with, m/s", gap);
    mote_world_destroy(world);
}

static void cradle_with_gaps(void **state)
{
    (void)state;
    check_cradle(0.2 * (double)R);
    check_cradle(0.01 * (double)R);
}

/* As a real one hangs. */
static void cradle_that_touches(void **state)
{
    (void)state;
    check_cradle(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_plane),         cmocka_unit_test(on_box),
        cmocka_unit_test(on_locked_plate),  cmocka_unit_test(on_heavy_plate),
        cmocka_unit_test(cradle_with_gaps), cmocka_unit_test(cradle_that_touches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
