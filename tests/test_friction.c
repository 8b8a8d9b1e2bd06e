/* Coulomb friction against the textbook: a body on a slope of angle theta slides if and only if
 * tan(theta) > mu, then with the acceleration g (sin(theta) - mu cos(theta)); on level ground it stops after
 * v^2 / (2 mu g). The bound of 3 % on the angle and on the acceleration is what the engine promises. */
#include "support.h"

#include <math.h>

/* A particle that touches the slope, at rest or moving down it. The slope is the floor and gravity is tilted,
 * or gravity is the usual one and the plane is tilted. */
typedef struct slope_case {
    double angle; /* rad */
    float static_friction, kinetic_friction;
    float speed; /* m/s, down the slope */
    uint32_t substeps, iterations;
    bool tilt_plane;
} slope_case;

typedef struct slide {
    double way;   /* m down the slope */
    double speed; /* m/s down the slope */
    double gap;   /* m above the slope */
} slide;

static slide slide_down(const slope_case *slope, double seconds)
{
    float sine = (float)sin(slope->angle), cosine = (float)cos(slope->angle);
    mote_vec3 down = slope->tilt_plane ? vec(cosine, -sine, 0) : vec(1, 0, 0);
    mote_vec3 normal = slope->tilt_plane ? vec(sine, cosine, 0) : vec(0, 1, 0);
    mote_settings settings = mote_default_settings();
    if (!slope->tilt_plane)
        settings.gravity = vec((float)TEST_GRAVITY * sine, -(float)TEST_GRAVITY * cosine, 0);
    settings.substeps = slope->substeps;
    settings.iterations = slope->iterations;
    mote_world *world = test_world(&settings);
    mote_plane_def plane = mote_default_plane_def();
    plane.normal = normal;
    plane.material = add_material(world, slope->static_friction, slope->kinetic_friction, 0);
    must_exist(mote_plane_add(world, &plane));
    mote_particle_id p = add_particle(world, vec(normal.x * TEST_RADIUS, normal.y * TEST_RADIUS, 0),
                                      vec(down.x * slope->speed, down.y * slope->speed, 0), plane.material);
    step_times(world, (uint32_t)(seconds * 60 + 0.5), TEST_FRAME);
    mote_particle_state s = state_of(world, p);
    mote_world_destroy(world);
    return (slide){
        .way = (double)s.position.x * down.x + (double)s.position.y * down.y,
        .speed = (double)s.velocity.x * down.x + (double)s.velocity.y * down.y,
        .gap = (double)s.position.x * normal.x + (double)s.position.y * normal.y - TEST_RADIUS,
    };
}

static const float friction_values[] = {0.05f, 0.1f, 0.3f, 0.5f, 0.8f, 1.2f};
enum { FRICTION_VALUES = sizeof friction_values / sizeof friction_values[0] };

/* 3 % of the angle on either side of it. One that slides goes half of g (sin - mu cos) t^2 / 2 at least; one
 * that rests may creep by a thousandth of its radius a second, no more. */
static void check_threshold(slope_case slope)
{
    const double seconds = 2, mu = slope.static_friction, critical = atan(mu);
    slope.angle = 0.97 * critical;
    check_near(slide_down(&slope, seconds).way, 0, 1e-3 * TEST_RADIUS * seconds,
               "way in %g s at 97 %% of the angle, mu %g, %u substeps, %u iterations", seconds, mu,
               slope.substeps, slope.iterations);
    slope.angle = 1.03 * critical;
    double sliding = TEST_GRAVITY * (sin(slope.angle) - mu * cos(slope.angle)) * seconds * seconds / 2;
    check_above(slide_down(&slope, seconds).way, sliding / 2,
                "way in %g s at 103 %% of the angle, mu %g, %u substeps, %u iterations", seconds, mu,
                slope.substeps, slope.iterations);
}

static void slides_if_and_only_if_steep(void **state)
{
    (void)state;
    static const uint32_t parts[][2] = {{4, 2}, {1, 1}, {1, 8}, {10, 1}};
    for (size_t i = 0; i < FRICTION_VALUES; ++i) {
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
            slope_case slope = {.static_friction = friction_values[i], .kinetic_friction = friction_values[i]};
            slope.substeps = parts[k][0];
            slope.iterations = parts[k][1];
            check_threshold(slope);
        }
    }
}

/* The slope itself tilted: normals that are not along an axis. */
static void slides_on_a_tilted_plane_alike(void **state)
{
    (void)state;
    for (size_t i = 0; i < FRICTION_VALUES; ++i) {
        slope_case slope = {.static_friction = friction_values[i], .kinetic_friction = friction_values[i]};
        slope.substeps = 4;
        slope.iterations = 2;
        slope.tilt_plane = true;
        check_threshold(slope);
    }
}

/* At rest only the static coefficient counts; once it moves, only the kinetic one. Between the two angles a
 * particle rests if it was at rest and goes on if it was pushed. */
static void static_and_kinetic_differ(void **state)
{
    (void)state;
    slope_case slope = {.static_friction = 0.6f, .kinetic_friction = 0.3f, .substeps = 4, .iterations = 2};
    slope.angle = 0.97 * atan(0.6);
    check_near(slide_down(&slope, 2).way, 0, 1e-4, "way in 2 s just below the static angle");
    slope.speed = 0.5f;
    double acceleration = TEST_GRAVITY * (sin(slope.angle) - 0.3 * cos(slope.angle));
    check_near(slide_down(&slope, 1).speed, 0.5 + acceleration, 0.03 * acceleration,
               "speed after 1 s when pushed with 0.5 m/s");
    slope.speed = 0;
    slope.angle = 1.03 * atan(0.6);
    acceleration = TEST_GRAVITY * (sin(slope.angle) - 0.3 * cos(slope.angle));
    check_near(slide_down(&slope, 1).speed, acceleration, 0.03 * acceleration,
               "speed after 1 s just above the static angle");
}

static void accelerates_by_kinetic_friction(void **state)
{
    (void)state;
    static const double angles[] = {0.2, 0.5, 0.9, 1.3}; /* rad */
    for (size_t i = 0; i < FRICTION_VALUES; ++i) {
        for (size_t k = 0; k < 4; ++k) {
            double mu = friction_values[i];
            double expected = TEST_GRAVITY * (sin(angles[k]) - mu * cos(angles[k]));
            if (expected < 0.3)
                continue; /* slides too slowly, or not at all, to measure 3 % */
            slope_case slope = {
                .angle = angles[k], .static_friction = (float)mu, .kinetic_friction = (float)mu};
            slope.substeps = 4;
            slope.iterations = 2;
            slide after = slide_down(&slope, 1);
            check_near(after.speed, expected, 0.03 * expected, "speed after 1 s, mu %g, angle %g", mu,
                       angles[k]);
            check_near(after.way, expected / 2, 0.03 * expected / 2, "way in 1 s, mu %g, angle %g", mu,
                       angles[k]);
            check_near(after.gap, 0, 0.01 * TEST_RADIUS, "gap to the slope, mu %g, angle %g", mu, angles[k]);
        }
    }
}

/* The threshold of the kinetic coefficient: pushed with 1 m/s, a particle gets slower below its angle and
 * faster above, by g (sin - mu cos) a second. */
static void goes_on_if_and_only_if_steep(void **state)
{
    (void)state;
    for (size_t i = 0; i < FRICTION_VALUES; ++i) {
        double mu = friction_values[i], critical = atan(mu);
        slope_case slope = {.static_friction = (float)mu, .kinetic_friction = (float)mu, .speed = 1};
        slope.substeps = 4;
        slope.iterations = 2;
        slope.angle = 0.97 * critical;
        check_below(slide_down(&slope, 1).speed, 1 - 1e-3, "speed at 97 %% of the angle, mu %g", mu);
        slope.angle = 1.03 * critical;
        check_above(slide_down(&slope, 1).speed, 1 + 1e-3, "speed at 103 %% of the angle, mu %g", mu);
    }
}

/* Symplectic Euler brakes from the first substep on, so it falls short by v h / 2 = 4 mm of 0.68 m. */
static void stops_on_level_ground(void **state)
{
    (void)state;
    slope_case slope = {
        .static_friction = 0.9f, .kinetic_friction = 0.3f, .speed = 2, .substeps = 4, .iterations = 2};
    double way = 2 * 2 / (2 * 0.3 * TEST_GRAVITY);
    slide after = slide_down(&slope, 2);
    check_near(after.way, way, 0.03 * way, "way until it stops");
    check_near(after.speed, 0, 1e-4, "speed at the end");
}

/* A belt of 1 m/s takes the particle along: mu g until their speeds are one, v t - v^2 / (2 mu g) in all. */
static void moving_plane_drags(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_plane_def belt = mote_default_plane_def();
    belt.velocity = vec(0.6f, 0, -0.8f);
    belt.material = add_material(world, 0.3f, 0.2f, 0);
    must_exist(mote_plane_add(world, &belt));
    mote_particle_id p = add_particle(world, vec(0, TEST_RADIUS, 0), vec(0, 0, 0), belt.material);
    const double acceleration = 0.2 * TEST_GRAVITY;
    step_times(world, 15, TEST_FRAME);
    check_near(length_of(state_of(world, p).velocity), acceleration / 4, 0.03 * acceleration / 4,
               "speed after a quarter of a second");
    step_times(world, 105, TEST_FRAME);
    mote_particle_state s = state_of(world, p);
    check_near(s.velocity.x, 0.6, 1e-3, "vx on the belt");
    check_near(s.velocity.z, -0.8, 1e-3, "vz on the belt");
    double way = 1 * 2 - 1 / (2 * acceleration);
    check_near(s.position.x, 0.6 * way, 0.03 * way, "way on the belt");
    mote_world_destroy(world);
}

/* A floor that rises lifts, and its offset is where it went. */
static void rising_plane_lifts(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_plane_def lift = mote_default_plane_def();
    lift.velocity = vec(0, 0.5f, 0);
    mote_shape_id shape = mote_plane_add(world, &lift);
    must_exist(shape);
    mote_particle_id p = add_particle(world, vec(0, TEST_RADIUS, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 120, TEST_FRAME);
    must(mote_plane_get(world, shape, &lift));
    check_near(lift.offset, 1, 1e-4, "offset of the plane after 2 s at 0.5 m/s");
    check_near(state_of(world, p).position.y, 1 + TEST_RADIUS, 1e-3, "height of the particle on it");
    check_near(state_of(world, p).velocity.y, 0.5, 1e-3, "velocity of the particle on it");
    mote_world_destroy(world);
}

/* A floor that turns up about its edge at a radian a second lifts what lies half a metre from there at half a metre a
 * second, and it stays on the floor; one that turns about its own normal carries what lies on it along. */
static void turning_planes_carry(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_shape_def floor = mote_default_shape_def();
    floor.type = MOTE_SHAPE_PLANE;
    floor.material = add_material(world, 1, 1, 0);
    floor.spin = vec(0, 0, 1);
    must_exist(mote_shape_add(world, &floor));
    mote_particle_id p = add_particle(world, vec(0.5f, TEST_RADIUS, 0), vec(0, 0.5f, 0), floor.material);
    for (int frame = 1; frame <= 24; frame++) {
        step_times(world, 1, TEST_FRAME);
        double angle = frame / 60.0;
        mote_vec3 x = state_of(world, p).position;
        check_near((double)x.y * cos(angle) - (double)x.x * sin(angle), (double)TEST_RADIUS,
                   0.02 * (double)TEST_RADIUS, "distance from the floor after %d steps", frame);
    }
    mote_world_destroy(world);

    world = test_world(NULL);
    floor.material = add_material(world, 1, 1, 0);
    floor.spin = vec(0, 1, 0);
    must_exist(mote_shape_add(world, &floor));
    p = add_particle(world, vec(2, TEST_RADIUS, 0), vec(0, 0, -2), floor.material);
    step_times(world, 60, TEST_FRAME);
    check_near(state_of(world, p).position.x, 2 * cos(1), 0.02, "x after a radian");
    check_near(state_of(world, p).position.z, -2 * sin(1), 0.02, "z after a radian");
    mote_world_destroy(world);
}

/* Two materials: the geometric mean, sqrt(0.9 * 0.1) = 0.3, and nothing at all if one of them is smooth. */
static void friction_of_two_materials(void **state)
{
    (void)state;
    static const float pairs[][3] = {{0.9f, 0.1f, 0.3f}, {0.1f, 0.9f, 0.3f}, {0.8f, 0, 0}, {1, 0.36f, 0.6f}};
    for (size_t i = 0; i < 4; ++i) {
        const double angle = 0.7, mu = pairs[i][2];
        mote_settings settings = mote_default_settings();
        settings.gravity = vec((float)(TEST_GRAVITY * sin(angle)), (float)(-TEST_GRAVITY * cos(angle)), 0);
        mote_world *world = test_world(&settings);
        add_floor(world, add_material(world, pairs[i][0], pairs[i][0], 0));
        mote_particle_id p = add_particle(world, vec(0, TEST_RADIUS, 0), vec(0, 0, 0),
                                          add_material(world, pairs[i][1], pairs[i][1], 0));
        step_times(world, 60, TEST_FRAME);
        double expected = TEST_GRAVITY * (sin(angle) - mu * cos(angle));
        check_near(state_of(world, p).velocity.x, expected, 0.03 * expected, "speed after 1 s, mu %g with %g",
                   (double)pairs[i][0], (double)pairs[i][1]);
        mote_world_destroy(world);
    }
}

/* Two particles in passing: while friction slides, the impulse along the contact is mu times that across it.
 * The substep is short (1/3000 s) because the direction of the contact turns by v h / 2r while it lasts. */
static void friction_between_particles(void **state)
{
    (void)state;
    static const float values[] = {0, 0.1f, 0.2f, 0.4f};
    for (size_t i = 0; i < 4; ++i) {
        mote_settings settings = weightless();
        settings.substeps = 50;
        mote_world *world = test_world(&settings);
        mote_material_id material = add_material(world, values[i], values[i], 0);
        mote_particle_id a = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), material);
        mote_particle_id b =
            add_particle(world, vec(0.001f, 2.001f * TEST_RADIUS, 0), vec(-1, -1, 0), material);
        step_times(world, 10, TEST_FRAME);
        mote_vec3 gained = state_of(world, a).velocity;
        check_near(gained.y, -0.5, 0.03, "velocity across the contact, mu %g", (double)values[i]);
        check_near(gained.x / gained.y, values[i], 0.02, "impulse along by impulse across, mu %g",
                   (double)values[i]);
        check_near(state_of(world, b).velocity.x + (double)gained.x, -1, 1e-4, "momentum along");
        mote_world_destroy(world);
    }
}

/* A raft of grains glued together by adhesion, on a floor that does not stick: it slides as one, or rests. Glue
 * that holds forty times a grain's weight asks for more than the default iterations. */
enum { RAFT = 36 };

static double raft_way(double mu, double angle, double seconds)
{
    mote_settings settings = mote_default_settings();
    settings.gravity = vec((float)(TEST_GRAVITY * sin(angle)), (float)(-TEST_GRAVITY * cos(angle)), 0);
    settings.substeps = 8;
    settings.iterations = 8;
    mote_world *world = test_world(&settings);
    mote_material_def glue = mote_default_material_def();
    glue.static_friction = glue.kinetic_friction = 1;
    glue.adhesion = 2000; /* 3/2 pi (r/2) W = 236 N against a grain's weight of 5 N */
    mote_grains_def raft = mote_default_grains_def();
    raft.material = mote_material_add(world, &glue);
    must_exist(raft.material);
    raft.count[0] = 6;
    raft.count[1] = 1;
    raft.count[2] = 6;
    raft.origin = vec(0, TEST_RADIUS, 0);
    mote_particle_id ids[RAFT];
    must(mote_grains_block(world, &raft, ids));
    add_floor(world, add_material(world, (float)(mu * mu), (float)(mu * mu), 0)); /* sqrt(1 * mu^2) = mu */
    step_times(world, (uint32_t)(seconds * 60 + 0.5), TEST_FRAME);
    double way = 0;
    for (int i = 0; i < RAFT; ++i)
        way += (double)state_of(world, ids[i]).position.x / RAFT;
    mote_world_destroy(world);
    return way - 5 * TEST_RADIUS;
}

static void glued_raft_slides_if_and_only_if_steep(void **state)
{
    (void)state;
    static const double values[] = {0.2, 0.4};
    for (size_t i = 0; i < 2; ++i) {
        double mu = values[i], seconds = 2, steep = 1.03 * atan(mu);
        check_near(raft_way(mu, 0.97 * atan(mu), seconds), 0, 0.01 * TEST_RADIUS,
                   "way of the raft in %g s at 97 %% of the angle, mu %g", seconds, mu);
        double sliding = TEST_GRAVITY * (sin(steep) - mu * cos(steep)) * seconds * seconds / 2;
        check_above(raft_way(mu, steep, seconds), sliding / 2,
                    "way of the raft in %g s at 103 %% of the angle, mu %g", seconds, mu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slides_if_and_only_if_steep),
        cmocka_unit_test(slides_on_a_tilted_plane_alike),
        cmocka_unit_test(static_and_kinetic_differ),
        cmocka_unit_test(accelerates_by_kinetic_friction),
        cmocka_unit_test(goes_on_if_and_only_if_steep),
        cmocka_unit_test(stops_on_level_ground),
        cmocka_unit_test(moving_plane_drags),
        cmocka_unit_test(rising_plane_lifts),
        cmocka_unit_test(turning_planes_carry),
        cmocka_unit_test(friction_of_two_materials),
        cmocka_unit_test(friction_between_particles),
        cmocka_unit_test(glued_raft_slides_if_and_only_if_steep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
