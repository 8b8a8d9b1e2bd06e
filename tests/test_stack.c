/* Stacks of boxes: they stand. And shock propagation: with two iterations a step and nothing remembered a stack
 * sags, unless masses are scaled with the height. */
#include "lattices.h"

#include <math.h>
#include <stdio.h>

#define BOXES 10
#define SIDE  4 /* particles */

typedef struct stack {
    mote_world *world;
    mote_body_id box[BOXES];
} stack;

static stack make_stack(const mote_settings *settings)
{
    stack s = {.world = test_world(settings)};
    add_floor(s.world, (mote_material_id){0, 0});
    for (int n = 0; n < BOXES; n++) {
        float side = 2 * SIDE * TEST_RADIUS;
        lattice block = {.count = {SIDE, SIDE, SIDE}, .center = {0, side * ((float)n + 0.5f), 0}};
        s.box[n] = add_lattice(s.world, &block);
    }
    return s;
}

/* How far a box is from where it was put, m. */
static double crept(const stack *s, int n)
{
    double height = 2 * SIDE * (double)TEST_RADIUS * (n + 0.5);
    return size_of(minus(triple_of(body_of(s->world, s->box[n]).center), (triple){0, height, 0}));
}

static void check_stands_a_minute(const stack *s)
{
    int seconds = TEST_BY_BUILD(60, 10, 2);
    double most = 0;
    for (int n = 0; n < seconds; n++) {
        step_times(s->world, 60, TEST_FRAME);
        for (int k = 0; k < BOXES; k++) {
            check_below(crept(s, k), (double)TEST_RADIUS, "box %d after %d s: way from its place, m", k, n + 1);
            most = fmax(most, crept(s, k));
        }
    }
    print_message("crept by %.3f radii\n", most / (double)TEST_RADIUS);
    for (int k = 0; k < BOXES; k++)
        check_below(size_of(triple_of(body_of(s->world, s->box[k]).velocity)), 0.01, "box %d: speed, m/s", k);
}

static void stands_a_minute(void **state)
{
    (void)state;
    stack s = make_stack(NULL);
    check_stands_a_minute(&s);
    mote_world_destroy(s.world);
}

/* ---- boxes that are not quite above each other ---------------------------------------------------------- */

/* What stands is looked at after every second for so long. */
static int long_enough(void)
{
    return TEST_BY_BUILD(30, 10, 2);
}

typedef struct wall {
    mote_world *world;
    int count;
    mote_body_id box[32];
    triple place[32]; /* where it was put, m */
} wall;

static wall make_wall(const mote_settings *settings)
{
    wall w = {.world = test_world(settings)};
    add_floor(w.world, (mote_material_id){0, 0});
    return w;
}

static void put_box(wall *w, int layer, double x, float mass)
{
    double side = 2 * SIDE * (double)TEST_RADIUS;
    triple place = {x, side * (layer + 0.5), 0};
    lattice block = {.count = {SIDE, SIDE, SIDE}, .center = vec_of(place), .mass = mass};
    w->box[w->count] = add_lattice(w->world, &block);
    w->place[w->count++] = place;
}

/* Every box stays where it is but for `lower` m, layer by layer, by which the layers come nearer to each other;
 * to a fifth of a radius, and to half of one in height. */
static void check_stands(const wall *w, int seconds, double lower)
{
    for (int n = 0; n < seconds; n++) {
        step_times(w->world, 60, TEST_FRAME);
        for (int k = 0; k < w->count; k++) {
            triple way = minus(triple_of(body_of(w->world, w->box[k]).center), w->place[k]);
            double layer = floor(w->place[k].y / (2 * SIDE * (double)TEST_RADIUS));
            check_near(way.y, -lower * layer, 0.5 * (double)TEST_RADIUS, "box %d after %d s: way up, m", k,
                       n + 1);
            check_below(hypot(way.x, way.z), 0.2 * (double)TEST_RADIUS, "box %d after %d s: way aside, m", k,
                        n + 1);
        }
    }
}

static void check_zigzag(double offset)
{
    wall w = make_wall(NULL);
    for (int n = 0; n < BOXES; n++)
        put_box(&w, n, n % 2 == 0 ? offset : -offset, 0);
    double reach = 2 * (double)TEST_RADIUS;
    check_stands(&w, long_enough(), reach - sqrt(reach * reach - 4 * offset * offset));
    mote_world_destroy(w.world);
}

/* A push along the way between two particles is one to the side, too: what rests does not follow it. */
static void zigzag_stands(void **state)
{
    (void)state;
    check_zigzag(0.02 * (double)TEST_RADIUS);
    check_zigzag(0.1 * (double)TEST_RADIUS);
}

/* Each box lies on halves of two, with a little room between neighbours. */
static void bricks_stand(void **state)
{
    (void)state;
    const int layers = 5;
    wall w = make_wall(NULL);
    double pitch = (2 * SIDE + 0.02) * (double)TEST_RADIUS;
    for (int n = 0; n < layers; n++)
        for (int k = 0; k < layers - n; k++)
            put_box(&w, n, pitch * (k - 0.5 * (layers - 1 - n)), 0);
    check_stands(&w, long_enough() / 2, 0);
    mote_world_destroy(w.world);
}

static void heavy_lies_on_light(void **state)
{
    (void)state;
    wall w = make_wall(NULL);
    for (int n = 0; n < BOXES; n++)
        put_box(&w, n, 0, n == BOXES - 1 ? 10.0f * SIDE * SIDE * SIDE : 0);
    check_stands(&w, long_enough(), 0);
    mote_world_destroy(w.world);
}

static void stands_with_many_iterations(void **state)
{
    (void)state;
    for (uint32_t iterations = 16; iterations <= 32; iterations *= 2) {
        mote_settings settings = mote_default_settings();
        settings.iterations = iterations;
        wall w = make_wall(&settings);
        for (int n = 0; n < BOXES; n++)
            put_box(&w, n, 0, 0);
        check_stands(&w, long_enough() / 8, 0);
        mote_world_destroy(w.world);
    }
}

/* Two boxes, the upper a radius to the side: its particles are between those of the lower, and it lies flat. */
static void lies_on_gaps(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0, 0});
    float side = 2 * SIDE * TEST_RADIUS;
    lattice lower = {.count = {SIDE, SIDE, SIDE}, .center = {0, 0.5f * side, 0}};
    lattice upper = {.count = {SIDE, SIDE, SIDE}, .center = {TEST_RADIUS, 1.5f * side, 0}};
    add_lattice(world, &lower);
    mote_body_id box = add_lattice(world, &upper);
    step_times(world, 600, TEST_FRAME);
    mote_body_state now = body_of(world, box);
    check_near((double)now.center.x, (double)TEST_RADIUS, 0.2 * (double)TEST_RADIUS, "it stays where it is, m");
    check_near((double)now.center.y, 1.5 * (double)side, 0.5 * (double)TEST_RADIUS, "it stays up, m");
    check_below(degrees(2 * acos(fmin(1, fabs((double)now.pose.rotation.w)))), 2, "turned by, degrees");
    mote_world_destroy(world);
}

/* ---- beside joints -------------------------------------------------------------------------------------- */

/* Two bars that a ball joint holds together at `anchor`, one to each side of it. */
static void add_pair(mote_world *world, mote_vec3 anchor, mote_body_id bar[2])
{
    for (int n = 0; n < 2; n++) {
        lattice block = {.count = {SIDE, 2, 2}, .center = anchor};
        block.center.x += (n == 0 ? -1.0f : 1.0f) * (SIDE + 1) * TEST_RADIUS;
        bar[n] = add_lattice(world, &block);
    }
    mote_joint_def def = joint_def(MOTE_JOINT_BALL, bar[0], bar[1], vec(1, 0, 0));
    def.anchor = anchor;
    add_joint_of(world, &def);
}

/* What has joints is not scaled, but that is no matter of a stack elsewhere. */
static void stands_beside_joints(void **state)
{
    (void)state;
    stack s = make_stack(NULL);
    mote_body_id bar[2];
    add_pair(s.world, vec(5, 5 * TEST_RADIUS, 0), bar);
    check_stands_a_minute(&s);
    mote_world_destroy(s.world);
}

/* Positions, all contacts at once, averaged: the solver that scales masses. */
static mote_settings papers_settings(void)
{
    mote_settings settings = mote_default_settings();
    settings.solver = MOTE_SOLVER_JACOBI;
    settings.substeps = 4;
    settings.iterations = 2;
    return settings;
}

/* ---- shock propagation ---------------------------------------------------------------------------------- */

/* How far the top box sinks at most within twenty seconds with two iterations a substep, m. */
static double sunk(float mass_scaling)
{
    mote_settings settings = papers_settings();
    settings.mass_scaling = mass_scaling;
    stack s = make_stack(&settings);
    double height = 2 * SIDE * (double)TEST_RADIUS * (BOXES - 0.5), most = 0;
    for (int n = 0; n < 20; n++) {
        step_times(s.world, 60, TEST_FRAME);
        most = fmax(most, fabs(height - (double)body_of(s.world, s.box[BOXES - 1]).center.y));
    }
    mote_world_destroy(s.world);
    return most;
}

static void mass_scaling_holds_it(void **state)
{
    (void)state;
    double with = sunk(1 / TEST_RADIUS), without = sunk(0);
    printf("top sank by %.3f radii with, %.3f without\n", with / (double)TEST_RADIUS,
           without / (double)TEST_RADIUS);
    check_below(with, 0.1 * (double)TEST_RADIUS, "with masses scaled the top sank by, m");
    check_above(without, 0.2 * (double)TEST_RADIUS, "without the top sank by, m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stands_a_minute),
        cmocka_unit_test(zigzag_stands),
        cmocka_unit_test(bricks_stand),
        cmocka_unit_test(heavy_lies_on_light),
        cmocka_unit_test(stands_with_many_iterations),
        cmocka_unit_test(lies_on_gaps),
        cmocka_unit_test(stands_beside_joints),
        cmocka_unit_test(mass_scaling_holds_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
