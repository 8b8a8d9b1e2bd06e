/* Fields and damping, against the discrete solution of the step that the library documents: accelerations are
 * added first, then everything that slows acts implicitly, v' = (v + h a) / (1 + k h), so that a strong drag
 * stops a particle and never turns it round. */
#include "support.h"

#include <math.h>

static const double H = 1.0 / 256; /* s, the substep of all tests here: 1/64 s in four */

static mote_world *field_world(const mote_field_def *field, mote_vec3 gravity, mote_field_id *id)
{
    mote_settings settings = mote_default_settings();
    settings.gravity = gravity;
    settings.substeps = 4;
    mote_world *world = test_world(&settings);
    mote_field_id made = mote_field_add(world, field);
    must_exist(made);
    if (id)
        *id = made;
    return world;
}

static mote_field_def field_def(mote_field_type type, mote_vec3 direction, float strength)
{
    mote_field_def def = mote_default_field_def();
    def.type = type;
    def.direction = direction;
    def.strength = strength;
    return def;
}

/* The velocity that a particle at rest at `position` has after one step of 1/64 s. A step that short moves the
 * particle by less than strength * (1/64)^2, so the field is still what it was at the start. */
static mote_vec3 kick_at(const mote_field_def *field, mote_vec3 position)
{
    mote_world *world = field_world(field, vec(0, 0, 0), NULL);
    mote_particle_id p = add_particle(world, position, vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 1, 1.0f / 64);
    mote_vec3 velocity = state_of(world, p).velocity;
    mote_world_destroy(world);
    return velocity;
}

static void check_vector(mote_vec3 v, double x, double y, double z, double tolerance, const char *what)
{
    check_near(v.x, x, tolerance, "x of %s", what);
    check_near(v.y, y, tolerance, "y of %s", what);
    check_near(v.z, z, tolerance, "z of %s", what);
}

/* Rounding: 256 multiplications, each right to 6e-8. */
static void drag_follows_its_recurrence(void **state)
{
    (void)state;
    mote_field_def drag = field_def(MOTE_FIELD_DRAG, vec(0, 1, 0), 3);
    mote_world *world = field_world(&drag, vec(0, 0, 0), NULL);
    mote_particle_id p = add_particle(world, vec(0, 0, 0), vec(2, 0, -1), (mote_material_id){0});
    step_times(world, 64, 1.0f / 64);
    double factor = pow(1 + 3 * H, -256), way = 0;
    for (int i = 1; i <= 256; ++i)
        way += H * pow(1 + 3 * H, -i);
    check_near(state_of(world, p).velocity.x, 2 * factor, 2e-5 * factor, "vx after a second of drag");
    check_near(state_of(world, p).velocity.z, -factor, 2e-5 * factor, "vz after a second of drag");
    check_near(state_of(world, p).position.x, 2 * way, 2e-5 * way, "way in a second of drag");
    mote_world_destroy(world);
}

static void damping_is_a_drag_on_all(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    settings.substeps = 4;
    settings.damping = 3;
    mote_world *world = test_world(&settings);
    mote_particle_id p = add_particle(world, vec(0, 0, 0), vec(2, 0, -1), (mote_material_id){0});
    step_times(world, 64, 1.0f / 64);
    double expected = 2 * pow(1 + 3 * H, -256);
    check_near(state_of(world, p).velocity.x, expected, 2e-5 * expected, "vx after a second of damping");
    mote_world_destroy(world);
}

/* (v + h g) / (1 + k h) = v has the solution v = g / k, whatever h. */
static void falling_reaches_terminal_velocity(void **state)
{
    (void)state;
    mote_field_def drag = field_def(MOTE_FIELD_DRAG, vec(0, 1, 0), 5);
    mote_world *world = field_world(&drag, vec(0, -10, 0), NULL);
    mote_particle_id p = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 256, 1.0f / 64);
    check_near(state_of(world, p).velocity.y, -2, 1e-4, "terminal velocity");
    mote_world_destroy(world);
}

/* Even a drag whose rate times h is 40 only stops the particle. */
static void strong_drag_does_not_turn_round(void **state)
{
    (void)state;
    mote_field_def drag = field_def(MOTE_FIELD_DRAG, vec(0, 1, 0), 10000);
    mote_world *world = field_world(&drag, vec(0, 0, 0), NULL);
    mote_particle_id p = add_particle(world, vec(0, 0, 0), vec(1, 0, 0), (mote_material_id){0});
    for (int i = 0; i < 10; ++i) {
        step_times(world, 1, 1.0f / 64);
        double v = state_of(world, p).velocity.x;
        check_above(v, 0, "velocity in strong drag");
        check_below(v, 1e-3, "velocity in strong drag");
    }
    mote_world_destroy(world);
}

static void wind_draws_to_its_velocity(void **state)
{
    (void)state;
    mote_field_def wind = field_def(MOTE_FIELD_WIND, vec(4, 0, -2), 2);
    mote_world *world = field_world(&wind, vec(0, 0, 0), NULL);
    mote_particle_id p = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 64, 1.0f / 64);
    double part = 1 - pow(1 + 2 * H, -256);
    check_vector(state_of(world, p).velocity, 4 * part, 0, -2 * part, 1e-4, "velocity after a second of wind");
    step_times(world, 640, 1.0f / 64);
    check_vector(state_of(world, p).velocity, 4, 0, -2, 1e-4, "velocity after long wind");
    mote_world_destroy(world);
}

static void acceleration_is_added(void **state)
{
    (void)state;
    mote_field_def field = field_def(MOTE_FIELD_ACCELERATION, vec(1, 2, -0.5f), 3);
    check_vector(kick_at(&field, vec(7, 7, 7)), 3.0 / 64, 6.0 / 64, -1.5 / 64, 1e-6, "kick of an acceleration");
}

static void point_attracts_and_repels(void **state)
{
    (void)state;
    mote_field_def field = field_def(MOTE_FIELD_POINT, vec(0, 1, 0), 5);
    field.center = vec(1, 1, 0);
    check_vector(kick_at(&field, vec(4, 5, 0)), -3.0 / 64, -4.0 / 64, 0, 1e-5, "pull of a point 5 m away");
    field.strength = -5;
    check_vector(kick_at(&field, vec(4, 5, 0)), 3.0 / 64, 4.0 / 64, 0, 1e-5, "push of a point 5 m away");
    /* In the centre there is no direction to go. */
    check_vector(kick_at(&field, vec(1, 1, 0)), 0, 0, 0, 1e-6, "push in the centre itself");
}

/* Around +Y the right hand turns X towards -Z; the length of the axis does not matter. */
static void vortex_turns_by_the_right_hand(void **state)
{
    (void)state;
    mote_field_def field = field_def(MOTE_FIELD_VORTEX, vec(0, 2, 0), 5);
    field.center = vec(1, 0, 0);
    check_vector(kick_at(&field, vec(3, 9, 0)), 0, 0, -5.0 / 64, 1e-5, "vortex 2 m from its axis");
    check_vector(kick_at(&field, vec(1, 9, 2)), 5.0 / 64, 0, 0, 1e-5, "vortex 2 m from its axis");
    check_vector(kick_at(&field, vec(1, 4, 0)), 0, 0, 0, 1e-6, "vortex on its axis");
}

/* With a radius the field falls linearly to nothing. The particle moves by about a millimetre within the step,
 * which changes a field of 4 m radius by 3e-4 of its strength. */
static void fields_fade_within_their_radius(void **state)
{
    (void)state;
    mote_field_def field = field_def(MOTE_FIELD_ACCELERATION, vec(0, 1, 0), 8);
    field.center = vec(-1, 0, 0);
    field.radius = 4;
    const double full = 8.0 / 64;
    check_near(kick_at(&field, vec(-1, 0, 0)).y, full, 1e-3 * full, "field in its centre");
    check_near(kick_at(&field, vec(0, 0, 0)).y, full * 3 / 4, 1e-3 * full, "field at a quarter of its radius");
    check_near(kick_at(&field, vec(-1, 0, 3)).y, full / 4, 1e-3 * full, "field at three quarters");
    check_near(kick_at(&field, vec(4, 0, 0)).y, 0, 0, "field outside its radius");
    field = field_def(MOTE_FIELD_POINT, vec(0, 1, 0), 8);
    field.radius = 4;
    check_near(kick_at(&field, vec(2, 0, 0)).x, -full / 2, 1e-3 * full, "point field at half its radius");
}

static void fields_act_on_their_group(void **state)
{
    (void)state;
    mote_field_def field = field_def(MOTE_FIELD_ACCELERATION, vec(0, 1, 0), 8);
    field.group = 3;
    mote_world *world = field_world(&field, vec(0, 0, 0), NULL);
    mote_particle_def def = mote_default_particle_def();
    def.phase = mote_phase(3, false, 1);
    mote_particle_id inside = mote_particle_add(world, &def);
    def.phase = mote_phase(4, true, 0);
    def.position = vec(1, 0, 0);
    mote_particle_id outside = mote_particle_add(world, &def);
    step_times(world, 1, 1.0f / 64);
    check_near(state_of(world, inside).velocity.y, 8.0 / 64, 1e-6, "velocity in the field's group");
    check_near(state_of(world, outside).velocity.y, 0, 0, "velocity in another group");
    mote_world_destroy(world);
}

static void fields_change_and_go(void **state)
{
    (void)state;
    mote_field_id id;
    mote_field_def field = field_def(MOTE_FIELD_ACCELERATION, vec(0, 1, 0), 8);
    mote_world *world = field_world(&field, vec(0, 0, 0), &id);
    mote_particle_id p = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 1, 1.0f / 64);
    mote_field_def read;
    must(mote_field_get(world, id, &read));
    check_near(read.strength, 8, 0, "strength read back");
    read.strength = -8;
    must(mote_field_set(world, id, &read));
    step_times(world, 1, 1.0f / 64);
    check_near(state_of(world, p).velocity.y, 0, 1e-6, "velocity after push and pull");
    must(mote_field_remove(world, id));
    check_true(!mote_field_is_valid(world, id), "the field is gone");
    step_times(world, 1, 1.0f / 64);
    check_near(state_of(world, p).velocity.y, 0, 1e-6, "velocity without the field");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drag_follows_its_recurrence),
        cmocka_unit_test(damping_is_a_drag_on_all),
        cmocka_unit_test(falling_reaches_terminal_velocity),
        cmocka_unit_test(strong_drag_does_not_turn_round),
        cmocka_unit_test(wind_draws_to_its_velocity),
        cmocka_unit_test(acceleration_is_added),
        cmocka_unit_test(point_attracts_and_repels),
        cmocka_unit_test(vortex_turns_by_the_right_hand),
        cmocka_unit_test(fields_fade_within_their_radius),
        cmocka_unit_test(fields_act_on_their_group),
        cmocka_unit_test(fields_change_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
