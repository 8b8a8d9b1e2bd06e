/* Stacks of boxes: they stand. And shock propagation: with two iterations a step and nothing remembered a stack
 * sags, unless masses are scaled with the height. */
#include "lattices.h"

#include <math.h>

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

static void stands_a_minute(void **state)
{
    (void)state;
    stack s = make_stack(NULL);
    int seconds = TEST_BY_BUILD(60, 10, 2);
    for (int n = 0; n < seconds; n++) {
        step_times(s.world, 60, TEST_FRAME);
        for (int k = 0; k < BOXES; k++)
            check_below(crept(&s, k), (double)TEST_RADIUS, "box %d after %d s: way from its place, m", k,
                        n + 1);
    }
    for (int k = 0; k < BOXES; k++)
        check_below(size_of(triple_of(body_of(s.world, s.box[k]).velocity)), 0.01, "box %d: speed, m/s", k);
    mote_world_destroy(s.world);
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

/* How far the top box has sunk after twenty seconds with two iterations a substep, m. */
static double sunk(float mass_scaling)
{
    mote_settings settings = mote_default_settings();
    settings.iterations = 2;
    settings.mass_scaling = mass_scaling;
    stack s = make_stack(&settings);
    step_times(s.world, 1200, TEST_FRAME);
    double height = 2 * SIDE * (double)TEST_RADIUS * (BOXES - 0.5);
    double way = height - (double)body_of(s.world, s.box[BOXES - 1]).center.y;
    mote_world_destroy(s.world);
    return way;
}

static void mass_scaling_holds_it(void **state)
{
    (void)state;
    check_below(fabs(sunk(1 / TEST_RADIUS)), (double)TEST_RADIUS, "with masses scaled the top sank by, m");
    check_above(sunk(0), 2 * (double)TEST_RADIUS, "without the top sank by, m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stands_a_minute),
        cmocka_unit_test(lies_on_gaps),
        cmocka_unit_test(mass_scaling_holds_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
