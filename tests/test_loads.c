/* Loads arrive where they rest: what joints, picks and shapes say that they bear is the weight of what is on them,
 * to a hundredth; joints break by it; a seesaw feels the difference of two; and the walls of a silo take the part
 * that Janssen found. */
#include "impulse_world.h"

#include <math.h>

#define R TEST_RADIUS

static double total_mass(const mote_world *world)
{
    return motion_of(world).mass;
}

/* ---- joints --------------------------------------------------------------------------------------------- */

#define PLATE_MASS 40.0f
#define LOAD_MASS  200.0f

typedef struct hung_plate {
    mote_world *world;
    mote_body_id plate, load;
    mote_joint_id joint;
} hung_plate;

/* A plate that a stiff joint below its middle holds to the world, and a box that stands on it. */
static hung_plate make_hung_plate(float break_force)
{
    hung_plate made = {.world = impulse_world()};
    lattice plate = {.count = {8, 1, 8}, .mass = PLATE_MASS};
    lattice load = {.count = {4, 4, 4}, .center = {0, 5 * R, 0}, .mass = LOAD_MASS};
    made.plate = add_lattice(made.world, &plate);
    made.load = add_lattice(made.world, &load);
    mote_joint_def def = joint_def(MOTE_JOINT_STIFF, made.plate, (mote_body_id){0}, vec(0, 1, 0));
    def.anchor = vec(0, -3 * R, 0);
    def.break_force = break_force;
    made.joint = add_joint_of(made.world, &def);
    return made;
}

/* Force and torque of a joint to the world, mean of a second, N and N m. */
typedef struct bearing {
    triple force, torque;
} bearing;

static bearing mean_bearing(mote_world *world, mote_joint_id joint)
{
    bearing sum = {0};
    for (int n = 0; n < 60; n++) {
        step_times(world, 1, TEST_FRAME);
        mote_joint_state now = joint_of(world, joint);
        sum.force = plus(sum.force, scaled(triple_of(now.force), 1.0 / 60));
        sum.torque = plus(sum.torque, scaled(triple_of(now.torque), 1.0 / 60));
    }
    return sum;
}

/* The joint's own particles weigh something, too: what a body says of its mass has them in it. */
static double bodies_weight(const mote_world *world, mote_body_id a, mote_body_id b)
{
    return TEST_GRAVITY * ((double)body_of(world, a).mass + (double)body_of(world, b).mass);
}

static void joint_bears_plate_and_box(void **state)
{
    (void)state;
    hung_plate made = make_hung_plate(MOTE_UNBREAKABLE);
    step_times(made.world, 120, TEST_FRAME);
    double weight = bodies_weight(made.world, made.plate, made.load);
    bearing b = mean_bearing(made.world, made.joint);
    check_near(b.force.y, weight, 0.01 * weight, "the world holds the plate with, N");
    check_below(hypot(b.force.x, b.force.z), 0.01 * weight, "and pulls to no side, N");
    check_below(size_of(b.torque), 0.01 * weight * 0.2, "nor turns it, N m");
    check_near((double)body_of(made.world, made.load).center.y, 5 * (double)R, 0.5 * (double)R,
               "the box is still there, m");
    mote_world_destroy(made.world);
}

static bool breaks_with(double part)
{
    hung_plate made = make_hung_plate((float)(part * TEST_GRAVITY * (double)(PLATE_MASS + LOAD_MASS)));
    step_times(made.world, 120, TEST_FRAME);
    bool broken = !mote_joint_is_valid(made.world, made.joint);
    mote_world_destroy(made.world);
    return broken;
}

/* Half the load is three times the plate's own weight: only what lies on it can break it. */
static void load_breaks_joint(void **state)
{
    (void)state;
    check_true(breaks_with(0.5), "a joint that bears half of the load breaks");
    check_true(!breaks_with(2), "one that bears twice the load holds");
}

/* A floor of 9 x 9 with a rim three particles high, one body. */
static mote_body_id add_tray(mote_world *world)
{
    mote_particle_id ids[LATTICE_MAX];
    size_t count = 0;
    lattice bottom = {.count = {9, 1, 9}};
    add_lattice_particles(world, &bottom, ids, &count);
    for (int n = -1; n <= 1; n += 2) {
        lattice side = {.count = {1, 3, 9}, .center = {(float)n * 8 * R, 4 * R, 0}};
        add_lattice_particles(world, &side, ids, &count);
        lattice front = {.count = {7, 3, 1}, .center = {0, 4 * R, (float)n * 8 * R}};
        add_lattice_particles(world, &front, ids, &count);
    }
    return add_body(world, ids, count);
}

static double lowest_particle(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    double low = INFINITY;
    for (size_t i = 0; i < view.count; i++)
        low = fmin(low, (double)view.position[i].y);
    return low;
}

/* The joint is in the tray's floor, so that nothing of it sticks out. */
static void joint_bears_tray_of_grains(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_body_id tray = add_tray(world);
    mote_joint_id joint = join(world, MOTE_JOINT_STIFF, tray, (mote_body_id){0}, vec(0, 0, 0), vec(0, 1, 0));
    double empty = (double)body_of(world, tray).mass;
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[2] = 6;
    grains.count[1] = 3;
    grains.origin = vec(-5.2f * R, 3 * R, -5.2f * R);
    grains.spacing = 2.08f * R;
    grains.jitter = 0.03f;
    double before = total_mass(world);
    must(mote_grains_block(world, &grains, NULL));
    double weight = TEST_GRAVITY * (empty + total_mass(world) - before);
    step_times(world, 240, TEST_FRAME);
    check_near(mean_bearing(world, joint).force.y, weight, 0.01 * weight, "tray and grains weigh, N");
    check_above(lowest_particle(world), -2 * (double)R, "the lowest grain is in the tray, m");
    mote_world_destroy(world);
}

/* Four legs bear a board and a heap on it; how they share it is their own matter. */
static void four_joints_bear_heap(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_body_id board = add_brick(world, 12, 1, 12, vec(0, 0, 0));
    mote_joint_id leg[4];
    for (int n = 0; n < 4; n++) {
        mote_vec3 corner = vec(n % 2 ? 11 * R : -11 * R, -2 * R, n / 2 ? 11 * R : -11 * R);
        leg[n] = join(world, MOTE_JOINT_BALL, board, (mote_body_id){0}, corner, vec(0, 1, 0));
    }
    double empty = (double)body_of(world, board).mass, before = total_mass(world);
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[2] = 5;
    grains.count[1] = 3;
    grains.origin = vec(-4 * R, 2 * R, -4 * R);
    grains.radius_spread = 0.1f;
    must(mote_grains_block(world, &grains, NULL));
    double weight = TEST_GRAVITY * (empty + total_mass(world) - before);
    step_times(world, 240, TEST_FRAME);
    double borne = 0;
    for (int frame = 0; frame < 60; frame++) {
        step_times(world, 1, TEST_FRAME);
        for (int n = 0; n < 4; n++)
            borne += (double)joint_of(world, leg[n]).force.y / 60;
    }
    check_above(lowest_particle(world), -4 * (double)R, "nothing fell off the board, m");
    check_near(borne, weight, 0.01 * weight, "the four legs bear, N");
    mote_world_destroy(world);
}

/* ---- picks ---------------------------------------------------------------------------------------------- */

/* A rod that hangs by the particle at its end. */
static void pick_bears_body(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_particle_id ids[LATTICE_MAX];
    size_t count = 0;
    lattice rod = {.count = {1, 6, 1}, .mass = 15};
    add_lattice_particles(world, &rod, ids, &count);
    mote_body_id body = add_body(world, ids, count);
    mote_pick_def def = mote_default_pick_def();
    def.particle = ids[count - 1];
    def.target = state_of(world, def.particle).position;
    mote_pick_id pick = mote_pick_add(world, &def);
    must_exist(pick);
    step_times(world, 240, TEST_FRAME);
    double mean = 0;
    for (int n = 0; n < 60; n++) {
        mote_vec3 force;
        step_times(world, 1, TEST_FRAME);
        must(mote_pick_force(world, pick, &force));
        mean += (double)force.y / 60;
    }
    double weight = TEST_GRAVITY * (double)body_of(world, body).mass;
    check_near(mean, weight, 0.01 * weight, "the pick pulls with, N");
    mote_world_destroy(world);
}

/* ---- shapes --------------------------------------------------------------------------------------------- */

/* The force on a shape, mean of a second, N. */
static triple mean_force(mote_world *world, const mote_shape_id *shapes, size_t count, triple *first)
{
    triple sum = {0};
    *first = sum;
    for (int n = 0; n < 60; n++) {
        step_times(world, 1, TEST_FRAME);
        for (size_t k = 0; k < count; k++) {
            mote_vec3 force;
            must(mote_shape_force(world, shapes[k], &force));
            triple part = scaled(triple_of(force), 1.0 / 60);
            sum = plus(sum, part);
            *first = k == 0 ? plus(*first, part) : *first;
        }
    }
    return sum;
}

/* Exactly above each other, so that there is nothing to buckle; one of them has a load on top, too. */
static void floor_bears_column(void **state)
{
    (void)state;
    static const float tops[] = {1, 30};
    for (int k = 0; k < 2; k++) {
        mote_world *world = impulse_world();
        mote_shape_id ground = add_floor(world, (mote_material_id){0});
        for (int n = 0; n < 30; n++)
            add_point(world, vec(0, (float)(2 * n + 1) * R, 0), n == 29 ? tops[k] : 1);
        step_times(world, 180, TEST_FRAME);
        triple force;
        mean_force(world, &ground, 1, &force);
        double weight = TEST_GRAVITY * total_mass(world);
        check_near(force.y, -weight, 0.01 * weight, "30 grains, the highest of %g kg, press with, N",
                   (double)tops[k]);
        mote_world_destroy(world);
    }
}

typedef struct silo {
    mote_world *world;
    mote_shape_id shape[5]; /* the floor, and four walls */
    double weight;          /* N */
} silo;

/* A shaft of planes, `width` grains wide, with `height` layers of grains that were dropped a little, so that all
 * slid down along the walls. */
static silo make_silo(float wall_friction, uint32_t width, uint32_t height)
{
    static const mote_vec3 inward[5] = {{0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    silo made = {.world = impulse_world()};
    mote_material_id wall = add_material(made.world, wall_friction, wall_friction, 0);
    mote_material_def beads = mote_default_material_def();
    beads.static_friction = beads.kinetic_friction = 0.5f;
    beads.rolls = true; /* columns of grains that do not roll would stand by themselves */
    mote_material_id sand = mote_material_add(made.world, &beads);
    float half = (float)width * 1.1f * R;
    for (int n = 0; n < 5; n++) {
        mote_plane_def def = mote_default_plane_def();
        def.normal = inward[n];
        def.offset = n == 0 ? 0 : -half;
        def.material = wall;
        made.shape[n] = mote_plane_add(made.world, &def);
        must_exist(made.shape[n]);
    }
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[2] = width;
    grains.count[1] = height;
    grains.spacing = 2.2f * R;
    grains.origin = vec(-half + 1.1f * R, 1.2f * R, -half + 1.1f * R);
    grains.radius_spread = 0.2f;
    grains.jitter = 0.05f;
    grains.material = sand;
    must(mote_grains_block(made.world, &grains, NULL));
    made.weight = TEST_GRAVITY * total_mass(made.world);
    step_times(made.world, 300, TEST_FRAME);
    return made;
}

static void floor_bears_smooth_silo(void **state)
{
    (void)state;
    silo made = make_silo(0, 5, 20);
    triple force;
    mean_force(made.world, made.shape, 1, &force);
    check_near(force.y, -made.weight, 0.01 * made.weight,
               "without friction at the walls the floor bears all, N");
    mote_world_destroy(made.world);
}

/* The part of the weight that is on the floor if the column is x times as high as the length over which the
 * walls take over: (1 - exp(-x)) / x. */
static double janssen(double x)
{
    return x < 1e-6 ? 1 : (1 - exp(-x)) / x;
}

/* The other way round, by halving. */
static double height_of_part(double part)
{
    double low = 0, high = 100;
    for (int n = 0; n < 60; n++) {
        double middle = 0.5 * (low + high);
        if (janssen(middle) > part)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double floor_part(uint32_t height)
{
    silo made = make_silo(0.5f, 5, height);
    triple floor_force, all = mean_force(made.world, made.shape, 5, &floor_force);
    check_near(all.y, -made.weight, 0.01 * made.weight, "%u layers: floor and walls together bear, N", height);
    mote_world_destroy(made.world);
    return -floor_force.y / made.weight;
}

/* H. A. Janssen, 1895: the pressure below grains between rough walls grows with the height like 1 - exp(-h / l),
 * where l = A / (mu K P), A and P are area and perimeter. How much of a vertical push becomes a sideways one, K, is
 * not known beforehand, but one column tells it, and with it that of twice its height. */
static void rough_walls_bear_the_rest(void **state)
{
    (void)state;
    double once = floor_part(20), twice = floor_part(40);
    double x = height_of_part(once), expected = janssen(2 * x);
    double layer = 2 * 0.9, side = 5 * 2.2, k = x * side / (4 * 0.5 * 20 * layer); /* in radii */
    print_message("on the floor: %.0f %% of 20 layers, %.0f %% of 40, by Janssen %.0f %%, mu K about %.2f\n",
                  100 * once, 100 * twice, 100 * expected, 0.5 * k);
    check_below(2 * twice, 1.6 * once, "a column twice as high presses more by");
    check_near(twice, expected, 0.25 * expected,
               "part of the weight of the higher column that the floor bears");
}

/* ---- a seesaw ------------------------------------------------------------------------------------------- */

/* Everything that can move, as one body that turns about z at the origin: sums of m x, m y and m r^2. */
typedef struct pendulum {
    double x, y, inertia;
} pendulum;

static pendulum pendulum_of(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    pendulum sum = {0};
    for (size_t i = 0; i < view.count; i++) {
        double x = (double)view.position[i].x, y = (double)view.position[i].y;
        double mass = view.velocity[i].w > 0 ? 1 / (double)view.velocity[i].w : 0;
        sum.x += mass * x;
        sum.y += mass * y;
        sum.inertia += mass * (x * x + y * y);
    }
    return sum;
}

/* Turned by `angle`, a point at (x, y) is at x cos - y sin: the torque of its weight is -m g times that. */
static double turning(const pendulum *p, double angle)
{
    return -TEST_GRAVITY * (p->x * cos(angle) - p->y * sin(angle)) / p->inertia;
}

/* The angle after `time` seconds from rest, rad, by steps of velocity Verlet that are small enough to be exact. */
static double exact_angle(const pendulum *p, double time)
{
    const int steps = 100000;
    double h = time / steps, angle = 0, spin = 0;
    for (int n = 0; n < steps; n++) {
        spin += 0.5 * h * turning(p, angle);
        angle += h * spin;
        spin += 0.5 * h * turning(p, angle);
    }
    return angle;
}

/* 22 kg on the right, 20 on the left: it goes down there as fast as a twentieth of the weight lets it. */
static void seesaw_feels_difference(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_material_id rough = add_material(world, 0.8f, 0.8f, 0);
    lattice plank = {.count = {21, 1, 3}, .mass = 6.3f, .material = rough};
    lattice left = {.count = {3, 3, 3}, .center = {-18 * R, 4 * R, 0}, .mass = 20, .material = rough};
    lattice right = {.count = {3, 3, 3}, .center = {18 * R, 4 * R, 0}, .mass = 22, .material = rough};
    mote_body_id board = add_lattice(world, &plank);
    mote_body_id box[2] = {add_lattice(world, &left), add_lattice(world, &right)};
    join(world, MOTE_JOINT_HINGE, board, (mote_body_id){0}, vec(0, 0, 0), vec(0, 0, 1));
    pendulum p = pendulum_of(world);
    double expected = exact_angle(&p, 1);
    step_times(world, 60, TEST_FRAME);
    check_near(degrees(turn_of(world, board, vec(0, 0, 1))), degrees(expected), 0.05 * fabs(degrees(expected)),
               "after a second it is turned by, degrees");
    for (int n = 0; n < 2; n++)
        check_near(degrees(turn_of(world, box[n], vec(0, 0, 1))), degrees(expected), 2,
                   "box %d lies flat on it, degrees", n);
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_bears_plate_and_box),
        cmocka_unit_test(load_breaks_joint),
        cmocka_unit_test(joint_bears_tray_of_grains),
        cmocka_unit_test(four_joints_bear_heap),
        cmocka_unit_test(pick_bears_body),
        cmocka_unit_test(floor_bears_column),
        cmocka_unit_test(floor_bears_smooth_silo),
        cmocka_unit_test(rough_walls_bear_the_rest),
        cmocka_unit_test(seesaw_feels_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
