/* What overlaps a ball or a box, against distances from closed forms. The distance of a convex solid is a
 * convex function, so its least value in a box is found by search along the three axes, one within the other;
 * where that is clearly above or below 0 the library must agree. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define CLEAR 1e-3 /* m: nearer to touching than this nothing is asked */

typedef struct point {
    double at[3];
} point;

static point wide(mote_vec3 v)
{
    return (point){{(double)v.x, (double)v.y, (double)v.z}};
}

static double size_of(point v)
{
    return sqrt(v.at[0] * v.at[0] + v.at[1] * v.at[1] + v.at[2] * v.at[2]);
}

static point cross(point a, point b)
{
    return (point){{a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2],
                    a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

static point plus(point a, point b, double times)
{
    return (point){{a.at[0] + times * b.at[0], a.at[1] + times * b.at[1], a.at[2] + times * b.at[2]}};
}

static double dot(point a, point b)
{
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static point to_local(const mote_shape_def *def, point x)
{
    mote_quat q = def->rotation;
    point v = plus(x, wide(def->position), -1), u = {{-(double)q.x, -(double)q.y, -(double)q.z}};
    point c = cross(u, v), cc = cross(u, c);
    return plus(plus(v, c, 2.0 * (double)q.w), cc, 2.0);
}

static const mote_vec3 TRIANGLE[3] = {{-1, 0.5f, 0}, {1.5f, 0, 0.3f}, {0, -0.5f, 1}};

static double to_segment(point a, point b, point x)
{
    point ab = plus(b, a, -1);
    double part = fmin(fmax(dot(plus(x, a, -1), ab) / dot(ab, ab), 0), 1);
    return size_of(plus(x, plus(a, ab, part), -1));
}

static double to_triangle(point x)
{
    point a = wide(TRIANGLE[0]), b = wide(TRIANGLE[1]), c = wide(TRIANGLE[2]);
    point n = cross(plus(b, a, -1), plus(c, a, -1));
    n = plus((point){{0, 0, 0}}, n, 1 / size_of(n));
    double height = dot(plus(x, a, -1), n);
    point foot = plus(x, n, -height);
    const point corner[4] = {a, b, c, a};
    bool over = true;
    double nearest = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        over = over && dot(cross(plus(corner[i + 1], corner[i], -1), plus(foot, corner[i], -1)), n) >= 0;
        nearest = fmin(nearest, to_segment(corner[i], corner[i + 1], x));
    }
    return over ? fabs(height) : nearest;
}

/* Below 0 in what is solid. */
static double distance_to(const mote_shape_def *def, point world)
{
    point x = to_local(def, world);
    double sign = def->inside ? -1 : 1;
    if (def->type == MOTE_SHAPE_PLANE)
        return x.at[1];
    if (def->type == MOTE_SHAPE_SPHERE)
        return sign * (size_of(x) - (double)def->radius);
    if (def->type == MOTE_SHAPE_CAPSULE) {
        double half = (double)def->half_height;
        x.at[1] -= fmin(fmax(x.at[1], -half), half);
        return sign * (size_of(x) - (double)def->radius);
    }
    if (def->type == MOTE_SHAPE_GEOMETRY)
        return to_triangle(x);
    const double half[3] = {(double)def->half_extents.x, (double)def->half_extents.y,
                            (double)def->half_extents.z};
    double deepest = -HUGE_VAL;
    point beyond;
    for (int k = 0; k < 3; k++) {
        deepest = fmax(deepest, fabs(x.at[k]) - half[k]);
        beyond.at[k] = fmax(fabs(x.at[k]) - half[k], 0);
    }
    return def->inside ? -deepest : deepest > 0 ? size_of(beyond) : deepest;
}

/* The least distance in a box, by thirds along an axis; those after it are searched within. */
static double least_in_box(const mote_shape_def *def, mote_vec3 min, mote_vec3 max, int axis, point *x)
{
    if (axis == 3)
        return distance_to(def, *x);
    double low = wide(min).at[axis], high = wide(max).at[axis], least = HUGE_VAL;
    for (int i = 0; i < 24; i++) {
        double third = (high - low) / 3;
        x->at[axis] = low + third;
        double a = least_in_box(def, min, max, axis + 1, x);
        x->at[axis] = high - third;
        double b = least_in_box(def, min, max, axis + 1, x);
        least = fmin(least, fmin(a, b));
        if (a < b)
            high = x->at[axis];
        else
            low += third;
    }
    return least;
}

/* A container's free space is convex: the least distance is at a corner. */
static double least_at_corners(const mote_shape_def *def, mote_vec3 min, mote_vec3 max)
{
    double least = HUGE_VAL;
    for (int i = 0; i < 8; i++) {
        point corner = {{(double)((i & 1) != 0 ? min.x : max.x), (double)((i & 2) != 0 ? min.y : max.y),
                         (double)((i & 4) != 0 ? min.z : max.z)}};
        least = fmin(least, distance_to(def, corner));
    }
    return least;
}

static mote_vec3 anywhere(uint64_t *random, float reach)
{
    float x = random_between(random, -reach, reach), y = random_between(random, -reach, reach);
    return vec(x, y, random_between(random, -reach, reach));
}

/* One shape of a kind: planes, spheres, boxes, capsules, a triangle, then containers. */
static mote_shape_def random_shape(mote_world *world, int kind, uint64_t *random)
{
    mote_shape_def def = mote_default_shape_def();
    def.type = kind < 5 ? (mote_shape_type)kind : (mote_shape_type)(kind - 4);
    def.inside = kind >= 5;
    def.position = anywhere(random, 1);
    mote_vec3 axis = anywhere(random, 1);
    def.rotation = (mote_quat){axis.x, axis.y, axis.z, random_between(random, -1, 1)};
    def.radius = random_between(random, 0.2f, 1);
    def.half_height = random_between(random, 0, 1);
    def.half_extents = vec(random_between(random, 0.1f, 1.5f), random_between(random, 0.1f, 1.5f), 0.4f);
    if (def.inside) {
        def.radius += 1;
        def.half_extents = vec(2, 1.5f, 1);
    }
    if (def.type == MOTE_SHAPE_GEOMETRY) {
        static const uint32_t corners[3] = {0, 1, 2};
        def.geometry = mote_mesh_add(world, &(mote_mesh){TRIANGLE, 3, corners, 1});
    }
    return def;
}

static void shapes_overlap_where_formulas_say(void **state)
{
    (void)state;
    enum { ROUNDS = TEST_BY_BUILD(30, 6, 3) };
    uint64_t random = 17;
    int answers[8][2][2] = {{{0}}};
    for (int kind = 0; kind < 8; kind++) {
        for (int round = 0; round < ROUNDS; round++) {
            mote_world *world = test_world(NULL);
            mote_shape_def def = random_shape(world, kind, &random);
            mote_shape_id id = mote_shape_add(world, &def);
            must_exist(id);
            must(mote_shape_get(world, id, &def));
            mote_vec3 center = anywhere(&random, 1.8f), half = anywhere(&random, 0.8f);
            mote_vec3 min = vec(center.x - fabsf(half.x), center.y - fabsf(half.y), center.z - fabsf(half.z));
            mote_vec3 max = vec(center.x + fabsf(half.x), center.y + fabsf(half.y), center.z + fabsf(half.z));
            float radius = random_between(&random, 0.05f, 0.8f);
            mote_overlap_result ball = {0}, box = {0};
            must(mote_overlap_sphere(world, center, radius, NULL, &ball));
            must(mote_overlap_box(world, min, max, NULL, &box));
            point x;
            double to_ball = distance_to(&def, wide(center)) - (double)radius;
            double to_box = def.inside || def.type == MOTE_SHAPE_PLANE ? least_at_corners(&def, min, max)
                                                                       : least_in_box(&def, min, max, 0, &x);
            if (def.type == MOTE_SHAPE_GEOMETRY) /* a surface: the search comes near 0, not below */
                to_box -= 2 * CLEAR;
            if (fabs(to_ball) > CLEAR)
                check_true((ball.shape_count == 1) == (to_ball < 0), "kind %d, round %d: ball, %g m apart",
                           kind, round, to_ball);
            if (fabs(to_box) > CLEAR)
                check_true((box.shape_count == 1) == (to_box < 0), "kind %d, round %d: box, %g m apart", kind,
                           round, to_box);
            answers[kind][0][ball.shape_count]++;
            answers[kind][1][box.shape_count]++;
            mote_world_destroy(world);
        }
        for (int i = 0; ROUNDS >= 30 && i < 4; i++)
            check_above(answers[kind][i / 2][i % 2], 2, "kind %d: cases of each answer", kind);
    }
}

/* A hull that is a box must answer as the box does. */
static void hull_answers_as_a_box(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_vec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = vec((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 0.5f : -0.5f, (i & 4) != 0 ? 0.25f : -0.25f);
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_BOX;
    def.half_extents = corners[7];
    def.rotation = (mote_quat){0.3f, -0.2f, 0.5f, 0.7f};
    must_exist(mote_shape_add(world, &def));
    def.type = MOTE_SHAPE_GEOMETRY;
    def.geometry = mote_hull_add(world, corners, 8);
    must_exist(mote_shape_add(world, &def));
    uint64_t random = 4;
    size_t seen[3] = {0};
    for (int i = 0; i < 2000; i++) {
        mote_vec3 low = anywhere(&random, 1.5f);
        mote_vec3 high = vec(low.x + 0.3f, low.y + 0.2f, low.z + random_between(&random, 0, 1));
        mote_overlap_result result = {0};
        must(mote_overlap_box(world, low, high, NULL, &result));
        check_true(result.shape_count != 1, "box %d: the two agree", i);
        seen[result.shape_count]++;
    }
    check_above((double)seen[0], 200, "boxes beside");
    check_above((double)seen[2], 200, "boxes that overlap");
    mote_world_destroy(world);
}

/* The ground under a ramp y = x / 2, and the distance field of a ball. */
static void grids(void **state)
{
    (void)state;
    enum { NODES = 17 };
    static float heights[NODES * NODES], values[NODES * NODES * NODES];
    const double cell = 0.25, middle = 2, radius = 1.1;
    for (int i = 0; i < NODES * NODES; i++)
        heights[i] = 0.125f * (float)(i % NODES);
    for (int i = 0; i < NODES * NODES * NODES; i++) {
        point x = {{cell * (i % NODES) - middle, cell * (i / NODES % NODES) - middle,
                    cell * (i / NODES / NODES) - middle}};
        values[i] = (float)(size_of(x) - radius);
    }
    mote_world *world = test_world(NULL);
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_GEOMETRY;
    def.geometry = mote_heightfield_add(world, &(mote_heightfield_def){NODES, NODES, 0.25f, heights});
    mote_shape_id ramp = mote_shape_add(world, &def);
    def.geometry = mote_sdf_add(world, &(mote_sdf_def){{-2, -2, -2}, 0.25f, {NODES, NODES, NODES}, values});
    def.position = vec(20, 0, 0);
    mote_shape_id field = mote_shape_add(world, &def);
    uint64_t random = 9;
    int found[2] = {0};
    for (int i = 0; i < 2000; i++) {
        mote_vec3 low = anywhere(&random, 3), high = vec(low.x + 0.7f, low.y + 0.4f, low.z + 0.5f);
        mote_overlap_result result = {.shapes = (mote_shape_id[1]){{0, 0}}, .shape_capacity = 1};
        must(mote_overlap_box(world, low, high, NULL, &result));
        /* Over the ramp, x, z in 0..4, the highest ground of the box is at its largest x. */
        double x = fmin((double)high.x, 4), height = (double)low.y - 0.5 * x;
        bool over = high.x > 0 && low.x < 4 && high.z > 0 && low.z < 4;
        if (fabs(height) > CLEAR)
            check_true((result.shape_count == 1) == (over && height < 0), "ramp, box %d", i);
        found[0] += result.shape_count == 1 && result.shapes[0].index == ramp.index;
        low.x += 20;
        high.x += 20;
        must(mote_overlap_box(world, low, high, NULL, &result));
        point nearest = {{fmin(fmax(20, (double)low.x), (double)high.x) - 20,
                          fmin(fmax(0, (double)low.y), (double)high.y),
                          fmin(fmax(0, (double)low.z), (double)high.z)}};
        double gap = size_of(nearest) - radius;
        if (gap < -0.02 || gap > 0.5 * cell) /* interpolation is right to 0.02 m */
            check_true((result.shape_count == 1) == (gap < 0), "ball of a field, box %d, %g m apart", i, gap);
        found[1] += result.shape_count == 1 && result.shapes[0].index == field.index;
    }
    check_above(found[0], 200, "boxes in the ramp");
    check_above(found[1], 100, "boxes in the field's ball");
    mote_world_destroy(world);
}

/* ---- particles ------------------------------------------------------------------------------------------- */

static double gap_of(mote_vec4 x, mote_vec3 min, mote_vec3 max)
{
    point beyond = {{fmax(fmax((double)min.x - (double)x.x, (double)x.x - (double)max.x), 0),
                     fmax(fmax((double)min.y - (double)x.y, (double)x.y - (double)max.y), 0),
                     fmax(fmax((double)min.z - (double)x.z, (double)x.z - (double)max.z), 0)}};
    return size_of(beyond) - (double)x.w;
}

static void check_ids(const mote_world *world, const mote_overlap_result *result, mote_vec3 min, mote_vec3 max,
                      double more)
{
    mote_particles_view view = mote_particles_get_view(world);
    bool *named = calloc(view.count + 1, sizeof *named);
    for (size_t i = 0; i < result->particle_count; i++) {
        check_true(i == 0 || result->particles[i - 1].index < result->particles[i].index, "ids rise");
        check_true(mote_particle_is_valid(world, result->particles[i]), "ids are valid");
        named[result->particles[i].index] = true;
    }
    for (size_t i = 0; i < view.count; i++)
        check_true(named[view.id[i].index] == (gap_of(view.position[i], min, max) < more), "particle %zu", i);
    free(named);
}

static void particles_in_balls_and_boxes(void **state)
{
    (void)state;
    enum { SIDE = 12 };
    mote_world_def def = test_world_def(NULL);
    mote_world *world = tumbling_world(&def, SIDE, SIDE, SIDE);
    step_times(world, 10, TEST_FRAME);
    static mote_particle_id ids[SIDE * SIDE * SIDE];
    mote_overlap_result all = {.particles = ids, .particle_capacity = SIDE * SIDE * SIDE};
    uint64_t random = 2;
    size_t total = 0;
    for (int i = 0; i < 100; i++) {
        mote_vec3 x = anywhere(&random, 1);
        float size = random_between(&random, 0.01f, 0.5f);
        mote_vec3 far = vec(x.x + size, x.y + size, x.z + size);
        must(mote_overlap_box(world, x, far, NULL, &all));
        check_ids(world, &all, x, far, 0);
        total += all.particle_count;
        must(mote_overlap_sphere(world, x, size, NULL, &all));
        check_ids(world, &all, x, x, (double)size);
        total += all.particle_count;
    }
    check_above((double)total, 1000, "particles found");
    /* Too little room: the first of them, and how many there are. */
    must(mote_overlap_sphere(world, vec(0, 0.5f, 0), 0.5f, NULL, &all));
    mote_particle_id two[3] = {{0, 0}, {0, 0}, {77, 77}};
    mote_overlap_result few = {.particles = two, .particle_capacity = 2};
    must(mote_overlap_sphere(world, vec(0, 0.5f, 0), 0.5f, NULL, &few));
    check_true(few.particle_count == all.particle_count && all.particle_count > 2, "the count is of all");
    check_true(two[0].index == ids[0].index && two[1].index == ids[1].index, "the first two");
    check_true(two[2].index == 77, "no more is written");
    mote_world_destroy(world);
}

static void rules(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_shape_def def = mote_default_shape_def();
    def.channels = 2;
    mote_shape_id shapes[3], found[4];
    for (int i = 0; i < 3; i++)
        shapes[i] = mote_shape_add(world, &def);
    must(mote_shape_remove(world, shapes[1]));
    def.trigger = true;
    must_exist(mote_shape_add(world, &def));
    mote_particle_def ball = mote_default_particle_def();
    ball.phase = mote_phase(4, true, 0x7F);
    must_exist(mote_particle_add(world, &ball));
    mote_overlap_result result = {.shapes = found, .shape_capacity = 4};
    must(mote_overlap_box(world, vec(0, 0, 0), vec(0, 0, 0), NULL, &result));
    check_true(result.shape_count == 2 && result.particle_count == 1,
               "a point is a box; triggers are not seen");
    check_true(found[0].index == shapes[0].index && found[1].index == shapes[2].index, "in the ids' order");
    mote_query_filter filter = mote_default_query_filter();
    filter.channels = 1;
    filter.group = 3;
    must(mote_overlap_sphere(world, vec(0, 0, 0), 1, &filter, &result));
    check_true(result.shape_count == 0 && result.particle_count == 0, "another channel, another group");
    filter.group = 4;
    filter.shapes = false;
    must(mote_overlap_sphere(world, vec(0, 0, 0), 1, &filter, &result));
    check_true(result.shape_count == 0 && result.particle_count == 1, "particles only");
    filter.particles = false;
    must(mote_overlap_sphere(world, vec(0, 0, 0), 1, &filter, &result));
    check_true(result.shape_count == 0 && result.particle_count == 0, "neither");
    mote_vec3 o = vec(0, 0, 0), bad = vec(0, NAN, 0);
    assert_int_equal(mote_overlap_sphere(NULL, o, 1, NULL, &result), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_overlap_sphere(world, o, 1, NULL, NULL), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_overlap_sphere(world, o, 0, NULL, &result), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_overlap_sphere(world, o, NAN, NULL, &result), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_overlap_sphere(world, bad, 1, NULL, &result), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_overlap_box(world, bad, o, NULL, &result), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_overlap_box(world, o, vec(1, -1, 1), NULL, &result), MOTE_ERROR_ARGUMENT);
    result.shapes = NULL;
    assert_int_equal(mote_overlap_box(world, o, o, NULL, &result), MOTE_ERROR_ARGUMENT);
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_overlap_where_formulas_say),
        cmocka_unit_test(hull_answers_as_a_box),
        cmocka_unit_test(grids),
        cmocka_unit_test(particles_in_balls_and_boxes),
        cmocka_unit_test(rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
