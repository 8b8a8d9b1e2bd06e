/* Bodies in pieces: where they are cut, how strong the cuts are, and that they hold, bend and break as they
 * should. */
#include "support.h"

#include "build/pieces.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST    512   /* bodies of any test */
#define SPACING 0.1f  /* m */
#define LENGTH  24    /* points along the bar */
#define WIDE    3     /* across it */
#define BAR     216   /* points of it */
#define PIECES  8     /* of it, cubes of 0.3 m */
#define AREA    0.09  /* m^2, of its cuts */
#define THICK   0.3   /* m */
#define MASS    216.0 /* kg, of the default density */

/* A lattice from `low` on, x fastest. */
static size_t block(mote_vec3 *points, mote_vec3 low, uint32_t nx, uint32_t ny, uint32_t nz)
{
    size_t count = 0;
    for (uint32_t k = 0; k < nz; k++)
        for (uint32_t j = 0; j < ny; j++)
            for (uint32_t i = 0; i < nx; i++)
                points[count++] =
                    vec(low.x + SPACING * (float)i, low.y + SPACING * (float)j, low.z + SPACING * (float)k);
    return count;
}

static mote_pieces_def straight(float size)
{
    mote_pieces_def pieces = mote_default_pieces_def();
    pieces.size = size;
    pieces.seed = 0;
    return pieces;
}

/* A bar along x from x = 0, its middle at y = z = 0. */
static size_t add_bar(mote_world *world, const mote_pieces_def *pieces, mote_body_id *bodies)
{
    mote_vec3 points[BAR];
    block(points, vec(0.05f, -SPACING, -SPACING), LENGTH, WIDE, WIDE);
    mote_rigid_def def = mote_default_rigid_def();
    size_t count = 0;
    must(mote_pieces_add(world, &def, pieces, points, BAR, bodies, MOST, &count));
    return count;
}

static mote_body_state body_state(const mote_world *world, mote_body_id body)
{
    mote_body_state state;
    must(mote_body_get(world, body, &state));
    return state;
}

static double total_mass(const mote_world *world)
{
    static mote_body_id ids[MOST];
    uint32_t count = mote_body_list(world, ids, MOST);
    double mass = 0;
    for (uint32_t i = 0; i < count; i++)
        mass += (double)body_state(world, ids[i]).mass;
    return mass;
}

/* ---- cuts ----------------------------------------------------------------------------------------------- */

static void straight_cuts(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_body_id bodies[MOST];
    mote_pieces_def pieces = straight(0.3f);
    pieces.strength = 1e6f;
    pieces.yield = 3e5f;
    pieces.bend_limit = 0.5f;
    check_true(add_bar(world, &pieces, bodies) == PIECES, "pieces");
    check_true(mote_body_count(world) == PIECES && mote_particle_count(world) == BAR, "bodies and particles");
    check_true(mote_joint_count(world) == PIECES - 1, "joints");
    check_near(total_mass(world), MASS, 1e-3, "mass");
    for (uint32_t i = 0; i < PIECES - 1; i++) {
        const mt_joint *joint = &mt_joints(world)[i];
        mote_joint_state s;
        must(mote_joint_get(world, joint->id, &s));
        check_true(s.type == MOTE_JOINT_STIFF, "type of joint %u", i);
        check_near(joint->break_force / (1e6 * AREA), 1, 1e-4, "force that joint %u bears", i);
        check_near(joint->break_torque / (1e6 * AREA * THICK / 2), 1, 1e-4, "torque that joint %u bears", i);
        check_near(joint->yield_torque / (3e5 * AREA * THICK / 4), 1, 1e-4, "torque at which it yields");
        check_near(joint->bend_limit, 0.5, 0, "how far joint %u bends", i);
        check_near(s.anchor.x, 0.3 * (i + 1), 1e-5, "joint %u, x", i);
        check_near(hypot((double)s.anchor.y, (double)s.anchor.z), 0, 1e-5, "joint %u, from the axis", i);
        check_near(s.axis.x, 1, 1e-5, "axis of joint %u", i);
    }
    mote_world_destroy(world);
}

/* A plate of 8 x 8 in four pieces: they touch at four sides; across the middle they need no joint. */
static void plate(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_vec3 points[64];
    size_t count = block(points, vec(0, 0, 0), 8, 1, 8), pieces = 0;
    mote_rigid_def def = mote_default_rigid_def();
    mote_pieces_def cuts = straight(0.4f);
    cuts.strength = 1e6f;
    must(mote_pieces_add(world, &def, &cuts, points, count, NULL, 0, &pieces));
    check_true(pieces == 4 && mote_joint_count(world) == 4, "four pieces, four joints");
    for (uint32_t i = 0; i < 4; i++) {
        check_near(mt_joints(world)[i].break_force, 1e6 * 0.04, 10, "force of joint %u", i);
        check_near(mt_joints(world)[i].break_torque, 1e6 * 0.04 * 0.05, 1, "weak way of joint %u", i);
    }
    mote_world_destroy(world);
}

/* What lies in one cell but does not hold together is two pieces; what touches at an edge only is joined. */
static void apart_and_at_an_edge(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_vec3 points[200];
    mote_rigid_def def = mote_default_rigid_def();
    mote_pieces_def cuts = straight(10);
    size_t count = block(points, vec(0, 0, 0), 2, 2, 2), pieces = 0;
    count += block(points + count, vec(0.4f, 0, 0), 2, 2, 2);
    must(mote_pieces_add(world, &def, &cuts, points, count, NULL, 0, &pieces));
    check_true(pieces == 2 && mote_joint_count(world) == 0, "apart: %zu pieces", pieces);
    count = block(points, vec(0, 0, 0), 4, 4, 4);
    count += block(points + count, vec(0.4f, 0.4f, 0), 4, 4, 4);
    cuts.size = 0.4f;
    must(mote_pieces_add(world, &def, &cuts, points, count, NULL, 0, &pieces));
    check_true(pieces == 2 && mote_joint_count(world) == 1, "at an edge: %zu pieces", pieces);
    mote_world_destroy(world);
}

static void random_cuts(void **state)
{
    (void)state;
    static mote_vec3 points[20 * 20 * 10];
    size_t count = block(points, vec(-1, -1, -1), 20, 20, 10);
    uint64_t hash[2] = {0};
    for (uint32_t seed = 1; seed <= 6; seed++) {
        mote_world *world = test_world(NULL);
        mote_rigid_def def = mote_default_rigid_def();
        mote_pieces_def cuts = mote_default_pieces_def();
        cuts.size = 0.5f;
        cuts.seed = seed <= 5 ? seed : 5;
        static mote_body_id bodies[MOST];
        size_t pieces = 0;
        must(mote_pieces_add(world, &def, &cuts, points, count, bodies, MOST, &pieces));
        check_near((double)pieces, 32, 2, "pieces of 2 x 2 x 1 m with seed %u", cuts.seed);
        check_true(mote_particle_count(world) == count, "particles");
        check_near(total_mass(world), 4000, 0.1, "mass");
        double largest = 0;
        for (size_t i = 0; i < pieces; i++)
            largest = fmax(largest, (double)body_state(world, bodies[i]).mass);
        check_below(largest, 4 * 125, "mass of the largest piece, kg");
        if (seed >= 5)
            hash[seed - 5] = mote_world_hash(world);
        mote_world_destroy(world);
    }
    check_true(hash[0] == hash[1] && hash[0] != 0, "one seed, one world");
}

/* Pieces smaller than the spacing: no point is alone. */
static void crumbs(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 3; seed++) {
        mote_world *world = test_world(NULL);
        mote_pieces_def cuts = straight(0.02f);
        cuts.seed = seed;
        static mote_body_id bodies[MOST];
        size_t pieces = add_bar(world, &cuts, bodies);
        check_true(pieces > 20 && pieces <= BAR / 2, "%zu pieces", pieces);
        mote_world_destroy(world);
    }
}

static int by_pieces(const void *left, const void *right)
{
    const mt_cut_pair *a = left, *b = right;
    return a->i != b->i ? (a->i > b->i) - (a->i < b->i) : (a->j > b->j) - (a->j < b->j);
}

/* A cube of 2 m cut from edge to edge: steps of the lattice do not make the cut larger than it is. */
static void aslant(void **state)
{
    (void)state;
    static mote_vec3 points[8000];
    static mt_cut_pair pairs[4000];
    block(points, vec(0, 0, 0), 20, 20, 20);
    size_t count = 0;
    for (uint32_t i = 0; i < 8000; i++) {
        uint32_t x = i % 20, y = i / 20 % 20;
        if (x + y == 19 && x < 19)
            pairs[count++] = (mt_cut_pair){0, 1, i, i + 1};
        if (x + y == 19 && y < 19)
            pairs[count++] = (mt_cut_pair){0, 1, i, i + 20};
    }
    qsort(pairs, count, sizeof *pairs, by_pieces);
    bool direct;
    mt_interface cut = mt_interface_measure(pairs, count, points, SPACING, &direct);
    check_true(direct, "neighbours");
    check_near(cut.area / (2 * sqrt(8.0)), 1, 0.06, "area");
    check_near(cut.extent, 2, 0.01, "the shorter side");
    check_near(cut.normal.x, sqrt(0.5), 1e-5, "normal, x");
    check_near(cut.normal.y, sqrt(0.5), 1e-5, "normal, y");
    check_near(cut.anchor.z, 0.95, 1e-5, "middle, z");
}

/* ---- bars ----------------------------------------------------------------------------------------------- */

/* A bar of the given pieces, held at its left end. */
typedef struct beam {
    mote_world *world;
    mote_body_id bodies[MOST];
    size_t count;
    mote_joint_id root; /* of the first piece, which stays, and the second */
} beam;

static beam held_bar(const mote_pieces_def *pieces, const mote_settings *settings)
{
    beam b = {.world = test_world(settings)};
    b.count = add_bar(b.world, pieces, b.bodies);
    must(mote_body_set_mode(b.world, b.bodies[0], MOTE_BODY_DRIVEN));
    b.root = mote_joint_between(b.world, b.bodies[0], b.bodies[1]);
    must_exist(b.root);
    return b;
}

/* Of what hangs over, at the cut. */
static double weight_of(double length)
{
    return TEST_GRAVITY * MASS * length / 2.4;
}

static double torque_of(double length)
{
    return weight_of(length) * length / 2;
}

/* Steps on for so long and counts what breaks. */
static size_t run(beam *b, double seconds, float dt)
{
    size_t broken = 0;
    for (int i = 0; i < (int)(seconds / (double)dt + 0.5); i++) {
        must(mote_world_step(b->world, dt));
        broken += event_count(b->world, MOTE_EVENT_BREAK);
    }
    return broken;
}

static const float STEPS[2] = {1.0f / 60, 1.0f / 120};

/* The torque of the weight at the root is known, so is the stress. The load comes at once, so the bar swings:
 * three times the stress is held, half of it is not. */
static void holds_or_breaks(void **state)
{
    (void)state;
    mote_settings settings = mote_default_settings();
    settings.iterations = 20; /* the more, the less the bar sags */
    settings.substeps = 8;
    settings.damping = 3;
    for (int k = 0; k < 2; k++) {
        mote_pieces_def pieces = straight(0.3f);
        double bearable = torque_of(2.1) / (AREA * THICK / 2); /* Pa */
        pieces.strength = (float)(3 * bearable);
        beam b = held_bar(&pieces, &settings);
        check_true(run(&b, 2, STEPS[k]) == 0, "it holds with a step of %g s", (double)STEPS[k]);
        mote_body_state tip = body_state(b.world, b.bodies[PIECES - 1]);
        check_near(tip.center.y, 0, 0.02, "the tip stays up");
        mote_joint_state s;
        must(mote_joint_get(b.world, b.root, &s));
        check_near(length_of(s.force) / weight_of(2.1), 1, 0.01, "force at the root");
        check_near(length_of(s.torque) / torque_of(2.1), 1, 0.01, "torque at the root");
        mote_world_destroy(b.world);
        pieces.strength = (float)(0.5 * bearable);
        b = held_bar(&pieces, &settings);
        check_above((double)run(&b, 2, STEPS[k]), 0, "joints that break with a step of %g s", (double)STEPS[k]);
        check_true(!mote_joint_is_valid(b.world, b.root), "the root breaks");
        tip = body_state(b.world, b.bodies[PIECES - 1]);
        check_below(tip.center.y, -2, "the tip falls");
        check_true(mote_particle_count(b.world) == BAR, "no particle is lost");
        mote_world_destroy(b.world);
    }
}

/* How far the body of a beam is turned down, rad. */
static double slope_of(const beam *b, size_t piece)
{
    mote_quat q = body_state(b->world, b->bodies[piece]).pose.rotation;
    return -2 * atan2((double)q.z, (double)q.w);
}

/* Two pieces, and a joint that yields at nine tenths of the torque of the weight: by the work done, it stops
 * when the sine of its angle is nine tenths of the angle, at 0.787 rad. It stays bent when the weight is
 * gone. */
static void yields(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        mote_pieces_def pieces = straight(1.2f);
        pieces.yield = (float)(0.9 * torque_of(1.2) / (AREA * THICK / 4));
        beam b = held_bar(&pieces, NULL);
        check_true(run(&b, 2, STEPS[k]) == 0, "nothing breaks");
        mote_joint_state bent;
        must(mote_joint_get(b.world, b.root, &bent));
        double slope = slope_of(&b, 1);
        check_near(slope, 0.7867, 0.015, "angle with a step of %g s", (double)STEPS[k]);
        check_near(bent.bent, slope, 0.001, "how far it has yielded");
        mote_settings settings = mote_world_settings(b.world);
        settings.gravity = vec(0, 0, 0);
        must(mote_world_set_settings(b.world, &settings));
        run(&b, 1, STEPS[k]);
        check_near(slope_of(&b, 1), slope, 0.001, "angle without weight");
        mote_world_destroy(b.world);
    }
}

/* The same with a limit: bent by more, it breaks. */
static void breaks_when_bent(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        mote_pieces_def pieces = straight(1.2f);
        pieces.yield = (float)(0.9 * torque_of(1.2) / (AREA * THICK / 4));
        pieces.bend_limit = 0.9f;
        beam b = held_bar(&pieces, NULL);
        check_true(run(&b, 2, STEPS[k]) == 0, "bent by less than it bears");
        mote_world_destroy(b.world);
        pieces.bend_limit = 0.6f;
        b = held_bar(&pieces, NULL);
        check_true(run(&b, 2, STEPS[k]) == 1, "bent by more");
        check_true(!mote_joint_is_valid(b.world, b.root), "it is the root");
        mote_world_destroy(b.world);
    }
}

/* In free flight a spinning bar keeps together and keeps its spin about the middle. */
static void spins(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    settings.iterations = 10;
    mote_world *world = test_world(&settings);
    mote_vec3 points[BAR];
    block(points, vec(0.05f, -SPACING, -SPACING), LENGTH, WIDE, WIDE);
    mote_rigid_def def = mote_default_rigid_def();
    def.velocity = vec(1, 0, 0);
    def.spin = vec(0, 0, 2);
    mote_pieces_def pieces = straight(0.3f);
    mote_body_id bodies[MOST];
    size_t count = 0;
    must(mote_pieces_add(world, &def, &pieces, points, BAR, bodies, MOST, &count));
    step_times(world, 120, TEST_FRAME);
    double spin = 0;
    for (size_t i = 0; i < count; i++) {
        mote_body_state s = body_state(world, bodies[i]);
        mote_body_state first = body_state(world, bodies[0]), last = body_state(world, bodies[count - 1]);
        double part = (double)i / (double)(count - 1); /* all are in line */
        double off =
            hypot((double)s.center.x - (double)first.center.x * (1 - part) - (double)last.center.x * part,
                  (double)s.center.y - (double)first.center.y * (1 - part) - (double)last.center.y * part);
        check_near(off, 0, 0.03, "piece %zu, from the line", i);
        spin += (double)s.spin.z / (double)count;
    }
    check_near(spin, 2, 0.02, "mean spin");
    mote_world_destroy(world);
}

/* ---- what is refused ------------------------------------------------------------------------------------ */

static void refused(mote_world *world, const mote_pieces_def *pieces, const char *words)
{
    const mote_vec3 points[2] = {{0, 0, 0}, {0.1f, 0, 0}};
    mote_rigid_def def = mote_default_rigid_def();
    size_t count = 77;
    mote_result result = mote_pieces_add(world, &def, pieces, points, 2, NULL, 0, &count);
    check_true(result != MOTE_OK && result == mote_last_result(), "refused: %s", words);
    check_true(strstr(mote_last_error(), words) != NULL, "\"%s\" names %s", mote_last_error(), words);
    check_true(count == 77 && mote_particle_count(world) == 0 && mote_body_count(world) == 0,
               "nothing is added");
}

#define WITH(field, value, words)                                                                              \
    do {                                                                                                       \
        mote_pieces_def pieces = mote_default_pieces_def();                                                    \
        pieces.field = (value);                                                                                \
        refused(world, &pieces, words);                                                                        \
    } while (0)

static void bad_input(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    WITH(size, 0.0f, "pieces.size is 0");
    WITH(size, NAN, "pieces.size");
    WITH(strength, -1.0f, "pieces.strength is -1");
    WITH(yield, 0.0f, "pieces.yield is 0");
    WITH(bend_limit, INFINITY, "pieces.bend_limit");
    refused(world, NULL, "pieces is NULL");
    const mote_vec3 points[2] = {{0, 0, 0}, {0, NAN, 0}};
    mote_rigid_def def = mote_default_rigid_def();
    mote_pieces_def pieces = mote_default_pieces_def();
    size_t count;
    check_true(mote_pieces_add(world, &def, &pieces, points, 2, NULL, 0, &count) == MOTE_ERROR_NOT_FINITE,
               "NaN");
    check_true(mote_pieces_add(world, &def, &pieces, points, 1, NULL, 1, &count) == MOTE_ERROR_ARGUMENT,
               "bodies");
    check_true(mote_pieces_add(world, &def, &pieces, points, 1, NULL, 0, NULL) == MOTE_ERROR_ARGUMENT, "count");
    mote_world_destroy(world);
}

/* Whichever allocation fails, the world is as before and nothing is lost. */
static void no_memory(void **state)
{
    (void)state;
    mote_vec3 points[BAR];
    block(points, vec(0, 0, 0), LENGTH, WIDE, WIDE);
    bool done = false;
    for (size_t fail = 1; !done && fail < 400; fail++) {
        test_heap heap = {0};
        mote_world_def def = test_world_def(NULL);
        def.allocator = heap_allocator(&heap);
        mote_world *world;
        must(mote_world_create(&def, &world));
        heap.fail_at = heap.calls + fail;
        mote_rigid_def rigid = mote_default_rigid_def();
        mote_pieces_def pieces = mote_default_pieces_def();
        pieces.size = 0.3f;
        size_t count = 0;
        mote_result result = mote_pieces_add(world, &rigid, &pieces, points, BAR, NULL, 0, &count);
        done = result == MOTE_OK;
        if (!done) {
            check_true(result == MOTE_ERROR_MEMORY, "allocation %zu: %s", fail, mote_last_error());
            check_true(mote_particle_count(world) == 0 && mote_body_count(world) == 0 &&
                           mote_joint_count(world) == 0,
                       "nothing is added");
        }
        mote_world_destroy(world);
        check_true(heap.live_blocks == 0 && heap.wrong_sizes == 0, "nothing is lost after failure %zu", fail);
    }
    check_true(done, "it works at last");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_cuts),   cmocka_unit_test(plate),     cmocka_unit_test(apart_and_at_an_edge),
        cmocka_unit_test(random_cuts),     cmocka_unit_test(crumbs),    cmocka_unit_test(aslant),
        cmocka_unit_test(holds_or_breaks), cmocka_unit_test(yields),    cmocka_unit_test(breaks_when_bent),
        cmocka_unit_test(spins),           cmocka_unit_test(bad_input), cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
