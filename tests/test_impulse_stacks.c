/* What is put on each other well stays there: stacks of ten boxes, also when one is shifted or the highest is heavy,
 * a wall of a hundred bricks, and heaps of grains, which are steeper the rougher the grains are. */
#include "heap_slope.h"
#include "impulse_world.h"

#include <math.h>

#define R TEST_RADIUS

enum { MOST = 105 };

typedef struct pile {
    mote_world *world;
    int count;
    mote_body_id box[MOST];
    triple place[MOST]; /* where it was put, m */
} pile;

static pile make_pile(void)
{
    pile p = {.world = impulse_world()};
    add_floor(p.world, (mote_material_id){0});
    return p;
}

static void put(pile *p, const uint32_t count[3], triple place, float mass)
{
    lattice block = {.count = {count[0], count[1], count[2]}, .center = vec_of(place), .mass = mass};
    p->box[p->count] = add_lattice(p->world, &block);
    p->place[p->count++] = place;
}

/* Turned away from where it was, degrees. */
static double tilt_of(const mote_world *world, mote_body_id body)
{
    mote_quat q = body_of(world, body).pose.rotation;
    return degrees(2 * acos(fmin(1, fabs((double)q.w))));
}

/* Looked at after every second: no box moves by more than `aside` radii to the side, half a radius up or down, and
 * five degrees; in the end all lie still. */
static void check_stands(const pile *p, int seconds, double aside, const char *what)
{
    double most = 0, sunk = 0;
    for (int n = 0; n < seconds; n++) {
        step_times(p->world, 60, TEST_FRAME);
        for (int k = 0; k < p->count; k++) {
            triple way = minus(triple_of(body_of(p->world, p->box[k]).center), p->place[k]);
            check_near(way.y, 0, 0.5 * (double)R, "%s, box %d after %d s: way up, m", what, k, n + 1);
            check_below(hypot(way.x, way.z), aside * (double)R, "%s, box %d after %d s: way aside, m", what, k,
                        n + 1);
            check_below(tilt_of(p->world, p->box[k]), 5, "%s, box %d after %d s: tilt, degrees", what, k,
                        n + 1);
            most = fmax(most, hypot(way.x, way.z));
            sunk = fmax(sunk, fabs(way.y));
        }
    }
    double speed = fastest_of(p->world);
    print_message("%s: crept by %.3f radii, sank by %.3f, %.5f m/s at the end\n", what, most / (double)R,
                  sunk / (double)R, speed);
    check_below(speed, 0.01, "%s: the fastest particle at the end, m/s", what);
}

/* ---- ten boxes ------------------------------------------------------------------------------------------ */

enum { BOXES = 10, SIDE = 5, STACK_SECONDS = TEST_BY_BUILD(60, 4, 1) };

static const uint32_t BOX[3] = {SIDE, SIDE, SIDE};
static const double WIDTH = 2 * SIDE * (double)TEST_RADIUS; /* m */

static void check_stack(int shifted, double shift, float top_mass, const char *what)
{
    pile p = make_pile();
    for (int n = 0; n < BOXES; n++)
        put(&p, BOX, (triple){n == shifted ? shift : 0, WIDTH * (n + 0.5), 0}, n == BOXES - 1 ? top_mass : 0);
    check_stands(&p, STACK_SECONDS, 0.5, what);
    mote_world_destroy(p.world);
}

static void plain_stack(void **state)
{
    (void)state;
    check_stack(-1, 0, 0, "ten boxes");
}

/* A tenth of the width is a radius: its particles lie in the gaps of the one below, and there it may sink by
 * 2 - sqrt(3) radii, and the one on it too. */
static void shifted_stack(void **state)
{
    (void)state;
    pile p = make_pile();
    const double gap = (2 - sqrt(3)) * (double)R;
    for (int n = 0; n < BOXES; n++) {
        double lower = n < 4 ? 0 : n == 4 ? gap : 2 * gap;
        put(&p, BOX, (triple){n == 4 ? 0.1 * WIDTH : 0, WIDTH * (n + 0.5) - lower, 0}, 0);
    }
    check_stands(&p, STACK_SECONDS, 0.5, "ten boxes, one shifted");
    mote_world_destroy(p.world);
}

/* The same as it falls into its gaps by itself. */
static void shifted_stack_settles(void **state)
{
    (void)state;
    pile p = make_pile();
    for (int n = 0; n < BOXES; n++)
        put(&p, BOX, (triple){n == 4 ? 0.1 * WIDTH : 0, WIDTH * (n + 0.5), 0}, 0);
    step_times(p.world, 60, TEST_FRAME);
    for (int k = 0; k < p.count; k++) {
        triple now = triple_of(body_of(p.world, p.box[k]).center);
        check_below(size_of(minus(now, p.place[k])), (double)R, "box %d: way while it settles, m", k);
        p.place[k] = now;
    }
    check_stands(&p, STACK_SECONDS, 0.3, "ten boxes, one shifted, settled");
    mote_world_destroy(p.world);
}

static void heavy_on_stack(void **state)
{
    (void)state;
    check_stack(-1, 0, 10.0f * SIDE * SIDE * SIDE, "ten boxes, the highest ten times as heavy");
}

/* A tank of water stands beside it. */
static void stack_beside_water(void **state)
{
    (void)state;
    const float half = 0.4f, far = 2.0f; /* m */
    pile p = make_pile();
    for (int n = 0; n < BOXES; n++)
        put(&p, BOX, (triple){0, WIDTH * (n + 0.5), 0}, 0);
    mote_shape_def tank = mote_default_shape_def();
    tank.type = MOTE_SHAPE_BOX;
    for (int side = 0; side < 4; side++) {
        float x = side == 0 ? -1.0f : side == 1 ? 1.0f : 0.0f, z = side == 2 ? -1.0f : side == 3 ? 1.0f : 0.0f;
        tank.position = vec(far + (half + 0.1f) * x, 0.4f, (half + 0.1f) * z);
        tank.half_extents = vec(x != 0 ? 0.1f : half + 0.2f, 0.4f, x != 0 ? half + 0.2f : 0.1f);
        must_exist(mote_shape_add(p.world, &tank));
    }
    mote_material_def water = mote_default_material_def();
    water.fluid = true;
    mote_fluid_def block = mote_default_fluid_def();
    block.material = mote_material_add(p.world, &water);
    block.min = vec(far - half, 0, -half);
    block.max = vec(far + half, 0.6f, half);
    must(mote_fluid_block(p.world, &block, NULL));
    mote_particle_id drop = mote_particles_get_view(p.world).id[mote_particle_count(p.world) - 1];
    must(mote_particle_set_velocity(p.world, drop, vec(1, 0, 0)));
    int seconds = test_is_long() ? STACK_SECONDS : TEST_BY_BUILD(10, 2, 1);
    for (int n = 0; n < seconds; n++)
        step_times(p.world, 60, TEST_FRAME);
    for (int k = 0; k < p.count; k++) {
        triple way = minus(triple_of(body_of(p.world, p.box[k]).center), p.place[k]);
        check_below(size_of(way), 0.5 * (double)R, "box %d beside water: way, m", k);
    }
    mote_world_destroy(p.world);
}

/* ---- a house of cards ------------------------------------------------------------------------------------ */

/* Two pairs of leaning cards, a card across them, and a pair on that one. */
enum { LONG = 10, WIDE = 5 };    /* particles of a card, one thick */
static const double LEAN = 0.35; /* rad, to each side */

static void put_card(pile *p, triple place, double angle)
{
    mote_rigid_def def = mote_default_rigid_def();
    def.pose.position = vec_of(place);
    def.pose.rotation = turn_about(vec(0, 0, 1), angle);
    def.material = mote_material_at(p->world, 1);
    p->box[p->count] = mote_rigid_box(p->world, &def, (uint32_t[3]){1, LONG, WIDE});
    must_exist(p->box[p->count]);
    p->place[p->count++] = place;
}

/* Two that lean on each other above x, their lowest particles a radius above `height`; answers how high it is. */
static double put_pair(pile *p, double x, double height)
{
    double half = (LONG - 1) * (double)R, aside = (double)R + half * sin(LEAN);
    for (int side = -1; side <= 1; side += 2)
        put_card(p, (triple){x + side * aside, height + (double)R + half * cos(LEAN), 0}, side * LEAN);
    return height + 2 * (double)R + 2 * half * cos(LEAN);
}

static void card_house_stands(void **state)
{
    (void)state;
    pile p = {.world = impulse_world()};
    mote_material_id paper = add_material(p.world, 0.6f, 0.6f, 0);
    add_floor(p.world, paper);
    const double apart = 0.75 * LONG * (double)R;
    put_pair(&p, -apart, 0);
    double height = put_pair(&p, apart, 0);
    put_card(&p, (triple){0, height + (double)R, 0}, 0.5 * TEST_PI);
    (void)put_pair(&p, 0, height + 2 * (double)R);
    int seconds = test_is_long() ? 60 : TEST_BY_BUILD(10, 2, 1);
    step_times(p.world, (uint32_t)seconds * 60, TEST_FRAME);
    double most = 0;
    for (int k = 0; k < p.count; k++)
        most = fmax(most, size_of(minus(triple_of(body_of(p.world, p.box[k]).center), p.place[k])));
    print_message("a house of cards: moved by %.3f radii, %.5f m/s after %d s\n", most / (double)R,
                  fastest_of(p.world), seconds);
    check_below(most, 0.5 * (double)R, "way of a card, m");
    check_below(fastest_of(p.world), 0.01, "the fastest particle at the end, m/s");
    mote_world_destroy(p.world);
}

/* ---- a wall --------------------------------------------------------------------------------------------- */

/* Ten rows, ten bricks of 4 x 2 x 2 wide; every second row is shifted by half a brick and has half bricks at its ends,
 * so that every brick has its middle above what bears it. */
static void put_row(pile *p, int row)
{
    static const uint32_t BRICK[3] = {4, 2, 2}, HALF[3] = {2, 2, 2};
    const double height = (4 * row + 2) * (double)R;
    bool shifted = row % 2 == 1;
    for (int n = 0; n < (shifted ? 9 : 10); n++)
        put(p, BRICK, (triple){(8 * n + (shifted ? 8 : 4)) * (double)R, height, 0}, 0);
    if (shifted) {
        put(p, HALF, (triple){2 * (double)R, height, 0}, 0);
        put(p, HALF, (triple){78 * (double)R, height, 0}, 0);
    }
}

static void wall_stands(void **state)
{
    (void)state;
    pile p = make_pile();
    for (int row = 0; row < 10; row++)
        put_row(&p, row);
    check_stands(&p, test_is_long() ? 60 : TEST_BY_BUILD(10, 4, 1), 0.5, "a wall of a hundred and five");
    mote_world_destroy(p.world);
}

/* ---- heaps ---------------------------------------------------------------------------------------------- */

typedef struct heap {
    double angle, height, speed; /* degrees, m, m/s */
} heap;

enum { HEAP_FRAMES = TEST_BY_BUILD(480, 60, 10) };

/* A column that collapsed. */
static heap heap_of(float friction)
{
    enum { ACROSS = 10, UP = 18 };
    mote_world *world = impulse_world();
    mote_material_id sand = add_material(world, friction, friction, 0);
    add_floor(world, sand);
    mote_grains_def column = mote_default_grains_def();
    column.count[0] = column.count[2] = ACROSS;
    column.count[1] = UP;
    column.origin = vec(-(ACROSS - 1) * R, R, -(ACROSS - 1) * R);
    column.spacing = 3 * R; /* grains that do not roll would stand as a crystal if they were let go as one */
    column.radius_spread = 0.2f;
    column.jitter = 0.45f;
    column.material = sand;
    must(mote_grains_block(world, &column, NULL));
    step_times(world, HEAP_FRAMES, TEST_FRAME);
    heap h = {flank_angle(world), highest_grain(world), mean_speed(world)};
    mote_world_destroy(world);
    return h;
}

/* Without a speed below which grains sleep: what rests does so by its forces. */
static void heaps_rest(void **state)
{
    (void)state;
    static const float frictions[] = {0.2f, 0.45f, 0.8f};
    heap h[3];
    for (int n = 0; n < 3; n++) {
        h[n] = heap_of(frictions[n]);
        print_message("mu %.2f: slope %.1f degrees, height %.2f m, mean speed %.5f m/s\n", (double)frictions[n],
                      h[n].angle, h[n].height, h[n].speed);
    }
    for (int n = 0; n < 3 && HEAP_FRAMES >= 480; n++) { /* else they are still on their way */
        check_above(h[n].angle, n == 0 ? 3 : h[n - 1].angle + 3, "slope with mu %g, degrees",
                    (double)frictions[n]);
        check_below(h[n].speed, 0.001, "mean speed with mu %g, m/s", (double)frictions[n]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_stack),           cmocka_unit_test(shifted_stack),
        cmocka_unit_test(shifted_stack_settles), cmocka_unit_test(heavy_on_stack),
        cmocka_unit_test(wall_stands),           cmocka_unit_test(heaps_rest),
        cmocka_unit_test(stack_beside_water),    cmocka_unit_test(card_house_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
