/* The front of a collapsing column of liquid against published measurements:
 *
 *     J. C. Martin and W. J. Moyce, An experimental study of the collapse of liquid columns on a rigid
 *     horizontal plane, Philosophical Transactions of the Royal Society A 244, 1952, pages 312 to 324.
 *
 * A column of water, a wide and n^2 a high, stands at the end of a tank and is let go. T = t sqrt(n^2 g / a),
 * and Z is the distance of the front from the closed end, in widths. In the experiment the diaphragm takes a
 * while to open, and in Mote it is gone at once; so Mote's clock starts later by what others have found for it.
 *
 * `test_dam_front FILE.csv` writes points and curves for scripts/plot_dam_front.py instead. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DIAPHRAGM 0.175 /* in T: by so much the validation of Lethe shifts its curves */

typedef struct front_point {
    double time, place; /* T and Z */
} front_point;

/* Columns of 2.25 inches (57.15 mm), plane flow. */
static const front_point MEASURED_TALL[] = {
    /* n^2 = 2 */
    {0.41, 1.11}, {0.84, 1.22}, {1.19, 1.44}, {1.43, 1.67}, {1.63, 1.89},
    {1.83, 2.11}, {1.98, 2.33}, {2.20, 2.56}, {2.32, 2.78}, {2.51, 3.00},
    {2.65, 3.22}, {2.83, 3.44}, {2.98, 3.67}, {3.11, 3.89}, {3.33, 4.11},
};
static const front_point MEASURED_SQUARE[] = {
    /* n^2 = 1 */
    {0.43, 1.11}, {0.62, 1.22}, {0.80, 1.44}, {0.97, 1.67}, {1.14, 1.89}, {1.29, 2.11}, {1.45, 2.33},
    {1.62, 2.56}, {1.76, 2.78}, {1.93, 3.00}, {2.07, 3.22}, {2.24, 3.44}, {2.40, 3.67}, {2.54, 3.89},
    {2.71, 4.11}, {2.87, 4.33}, {3.04, 4.56}, {3.21, 4.78}, {3.29, 4.89}, {3.32, 5.00},
};
enum {
    TALL_COUNT = sizeof MEASURED_TALL / sizeof MEASURED_TALL[0],
    SQUARE_COUNT = sizeof MEASURED_SQUARE / sizeof MEASURED_SQUARE[0]
};

typedef struct experiment {
    uint32_t aspect; /* n^2: height over width */
    const front_point *points;
    size_t count;
} experiment;

static const experiment TALL = {2, MEASURED_TALL, TALL_COUNT};
static const experiment SQUARE = {1, MEASURED_SQUARE, SQUARE_COUNT};

/* The columns of the test are 1 m wide: without viscosity and tension only the form matters. The tank is longer
 * than the front gets, and some particles deep, between walls without friction. */
#define WIDTH       1.0f
#define TANK_LENGTH 8.0f
enum { DEPTH = 5, MAX_FRAMES = 100, COARSE = 20, FINE = TEST_BY_BUILD(40, 30, 10) };

/* ---- the column ----------------------------------------------------------------------------------------- */

static void add_walls(mote_world *world, float depth)
{
    const mote_vec3 normals[5] = {vec(0, 1, 0), vec(1, 0, 0), vec(-1, 0, 0), vec(0, 0, 1), vec(0, 0, -1)};
    const float offsets[5] = {0.0f, 0.0f, -TANK_LENGTH, 0.0f, -depth};
    for (int k = 0; k < 5; k++) {
        mote_plane_def wall = mote_default_plane_def();
        wall.normal = normals[k];
        wall.offset = offsets[k];
        must_exist(mote_plane_add(world, &wall));
    }
}

/* So many particles wide. */
static mote_world *standing_column(uint32_t across, uint32_t aspect)
{
    mote_world_def def = mote_default_world_def();
    def.radius = 0.5f * WIDTH / (float)across;
    def.thread_count = 1;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    add_walls(world, 2.0f * def.radius * DEPTH);

    mote_material_def water = mote_default_material_def();
    water.fluid = true;
    water.static_friction = water.kinetic_friction = 0.0f;
    mote_grains_def block = mote_default_grains_def();
    block.material = mote_material_add(world, &water);
    must_exist(block.material);
    block.origin = vec(def.radius, def.radius, def.radius);
    block.count[0] = across;
    block.count[1] = aspect * across;
    block.count[2] = DEPTH;
    must(mote_grains_block(world, &block, NULL));
    return world;
}

static int compare_falling(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a < b) - (a > b);
}

/* Where the last row across the tank ends: as many particles as the tank is deep may be further out, so that
 * single drops do not count. */
static double front_of(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    float *places = malloc(view.count * sizeof *places);
    assert_non_null(places);
    for (size_t i = 0; i < view.count; i++)
        places[i] = view.position[i].x;
    qsort(places, view.count, sizeof *places, compare_falling);
    double front = (double)places[DEPTH] + (double)view.position[0].w;
    free(places);
    return front;
}

/* ---- its curve ------------------------------------------------------------------------------------------ */

typedef struct front_curve {
    front_point points[MAX_FRAMES];
    size_t count;
} front_curve;

/* Until all published points are passed. */
static front_curve collapse(uint32_t across, const experiment *published)
{
    front_curve curve = {0};
    double last = published->points[published->count - 1].time;
    double rate = sqrt((double)published->aspect * TEST_GRAVITY / (double)WIDTH);
    mote_world *world = standing_column(across, published->aspect);
    for (double time = 0.0; curve.count < MAX_FRAMES; step_times(world, 1, TEST_FRAME)) {
        time = rate * mote_world_time(world);
        curve.points[curve.count++] = (front_point){time, front_of(world) / (double)WIDTH};
        if (time >= last)
            break;
    }
    mote_world_destroy(world);
    return curve;
}

static double place_at(const front_curve *curve, double time)
{
    size_t next = 1;
    while (next + 1 < curve->count && curve->points[next].time < time)
        next++;
    front_point a = curve->points[next - 1], b = curve->points[next];
    return a.place + (b.place - a.place) * (time - a.time) / (b.time - a.time);
}

/* ---- checks --------------------------------------------------------------------------------------------- */

static void check_front(uint32_t across, const experiment *published)
{
    front_curve curve = collapse(across, published);
    for (size_t i = 0; i < published->count; i++) {
        front_point point = published->points[i];
        check_near(place_at(&curve, point.time - DIAPHRAGM), point.place, 0.15 * point.place,
                   "front at T = %.2f, n^2 = %u, %u particles wide", point.time, published->aspect, across);
    }
    /* Ritter's front, of a column without end and without friction, is ahead of all others. */
    for (size_t i = 0; i < curve.count; i++)
        check_below(curve.points[i].place, 1.0 + 2.0 * curve.points[i].time + 1e-3,
                    "Ritter's front at T = %.2f", curve.points[i].time);
}

static void a_tall_column_runs_as_measured(void **state)
{
    (void)state;
    check_front(COARSE, &TALL);
    check_front(FINE, &TALL);
}

static void a_square_column_runs_as_measured(void **state)
{
    (void)state;
    check_front(COARSE, &SQUARE);
    check_front(FINE, &SQUARE);
}

/* ---- for the plot --------------------------------------------------------------------------------------- */

static int write_curves(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    const experiment *const published[2] = {&TALL, &SQUARE};
    const uint32_t across[2] = {COARSE, FINE};
    fprintf(file, "what,aspect,T,Z\n");
    for (int k = 0; k < 2; k++) {
        uint32_t aspect = published[k]->aspect;
        for (size_t i = 0; i < published[k]->count; i++)
            fprintf(file, "measured,%u,%.2f,%.2f\n", aspect, published[k]->points[i].time,
                    published[k]->points[i].place);
        for (int n = 0; n < 2; n++) {
            front_curve curve = collapse(across[n], published[k]);
            for (size_t i = 0; i < curve.count; i++)
                fprintf(file, "%u,%u,%.4f,%.4f\n", across[n], aspect, curve.points[i].time + DIAPHRAGM,
                        curve.points[i].place);
        }
    }
    return fclose(file) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return write_curves(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tall_column_runs_as_measured),
        cmocka_unit_test(a_square_column_runs_as_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
