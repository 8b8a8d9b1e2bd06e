/* The true surfaces of bodies: distances against closed forms and against points of the surface, eight at a time
 * to the same bits, what builders know, and when it is lost. */
#include "lattices.h"

#include "collide/surface_lanes.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define R ((double)TEST_RADIUS)

enum { SAMPLES = TEST_BY_BUILD(20000, 4000, 2000), POINTS = TEST_BY_BUILD(200, 60, 30) };

static const mt_pose ORIGIN = {{0, 0, 0}, {0, 0, 0, 1}};

static mt_surface surface_of(uint32_t type, float a, float b, float c)
{
    return (mt_surface){type, ORIGIN, {a, b, c}};
}

/* The three types, thin and thick. */
static const mt_surface *some_surfaces(size_t *count)
{
    static mt_surface all[7];
    all[0] = surface_of(MT_SURFACE_SPHERE, 0.7f, 0, 0);
    all[1] = surface_of(MT_SURFACE_BOX, 0.5f, 0.3f, 0.8f);
    all[2] = surface_of(MT_SURFACE_CAPSULE, 0.2f, 0.6f, 0);
    all[3] = surface_of(MT_SURFACE_BOX, 0.4f, 0.4f, 0.4f);
    all[4] = surface_of(MT_SURFACE_BOX, 1.0f, 0.05f, 1.0f);
    all[5] = surface_of(MT_SURFACE_CAPSULE, 0.05f, 1.0f, 0);
    all[6] = surface_of(MT_SURFACE_CAPSULE, 0.3f, 0.0f, 0);
    *count = sizeof all / sizeof all[0];
    return all;
}

static mote_vec3 random_in(uint64_t *state, float reach)
{
    float x = random_between(state, -reach, reach), y = random_between(state, -reach, reach);
    return vec(x, y, random_between(state, -reach, reach));
}

static mote_vec3 random_unit(uint64_t *state)
{
    for (;;) {
        mote_vec3 v = random_in(state, 1);
        double length = length_of(v);
        if (length > 0.1 && length < 1)
            return mt_scale(v, (float)(1 / length));
    }
}

/* ---- closed forms --------------------------------------------------------------------------------------- */

typedef struct known {
    mt_surface surface;
    mote_vec3 point, normal;
    double distance;
} known;

static void check_known(const known *k, size_t i)
{
    mote_vec3 normal;
    check_near(mt_surface_distance(&k->surface, k->point, &normal), k->distance, 1e-6, "distance %zu", i);
    check_below(distance_of(normal, k->normal), 1e-6, "normal %zu", i);
}

static void closed_forms(void **state)
{
    (void)state;
    const mt_surface ball = surface_of(MT_SURFACE_SPHERE, 2, 0, 0);
    const mt_surface box = surface_of(MT_SURFACE_BOX, 1, 2, 3);
    const mt_surface rod = surface_of(MT_SURFACE_CAPSULE, 0.5f, 2, 0);
    const known all[] = {
        {ball, {0, 5, 0}, {0, 1, 0}, 3},
        {ball, {0, 0, -1}, {0, 0, -1}, -1},
        {ball, {3, 0, 4}, {0.6f, 0, 0.8f}, 3},
        {box, {4, 0, 0}, {1, 0, 0}, 3},
        {box, {-0.5f, 0, 0}, {-1, 0, 0}, -0.5},
        {box, {0.1f, -1.9f, 2.8f}, {0, -1, 0}, -0.1},
        {box, {0.1f, 0, 2.9f}, {0, 0, 1}, -0.1},
        {box, {4, 6, 0}, {0.6f, 0.8f, 0}, 5},                      /* an edge */
        {box, {-2, -4, -5}, {-1 / 3.0f, -2 / 3.0f, -2 / 3.0f}, 3}, /* a corner */
        {rod, {1, 1, 0}, {1, 0, 0}, 0.5},
        {rod, {0, -1, 0.25f}, {0, 0, 1}, -0.25},
        {rod, {0, 3, 0}, {0, 1, 0}, 0.5},
        {rod, {0, -6, -3}, {0, -0.8f, -0.6f}, 4.5},
        {rod, {0, 2.25f, 0}, {0, 1, 0}, -0.25},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        check_known(&all[i], i);
    mote_vec3 normal;
    const mt_surface none = surface_of(MT_SURFACE_NONE, 0, 0, 0);
    check_true(mt_surface_distance(&none, vec(0, 0, 0), &normal) > 1e38f, "nothing is far from everything");
}

/* Where several points are the nearest, one is chosen: the same always. */
static void ties(void **state)
{
    (void)state;
    const mt_surface ball = surface_of(MT_SURFACE_SPHERE, 2, 0, 0);
    const mt_surface cube = surface_of(MT_SURFACE_BOX, 1, 1, 1);
    const mt_surface plate = surface_of(MT_SURFACE_BOX, 3, 1, 2);
    const mt_surface rod = surface_of(MT_SURFACE_CAPSULE, 0.5f, 2, 0);
    const known all[] = {
        {ball, {0, 0, 0}, {1, 0, 0}, -2},
        {ball, {-0.0f, -0.0f, -0.0f}, {1, 0, 0}, -2},
        {ball, {0, 1e-30f, 0}, {0, 1, 0}, -2},
        {cube, {0, 0, 0}, {1, 0, 0}, -1},
        {cube, {-0.5f, 0.5f, 0.5f}, {-1, 0, 0}, -0.5},
        {cube, {0, -0.5f, 0.5f}, {0, -1, 0}, -0.5},
        {cube, {1, 1, 1}, {1, 0, 0}, 0},
        {cube, {0, 0, -1}, {0, 0, -1}, 0},
        {plate, {0, 0, 0}, {0, 1, 0}, -1},
        {rod, {0, 0, 0}, {1, 0, 0}, -0.5},
        {rod, {0, 1.5f, 0}, {1, 0, 0}, -0.5},
        {rod, {0, -2, 0}, {1, 0, 0}, -0.5},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        check_known(&all[i], i);
}

/* ---- against points of the surface ----------------------------------------------------------------------- */

/* A point of the surface: any that a way from within meets, found without the distance. */
static bool is_within(const mt_surface *s, triple x)
{
    if (s->type == MT_SURFACE_BOX)
        return fabs(x.x) <= (double)s->size[0] && fabs(x.y) <= (double)s->size[1] &&
               fabs(x.z) <= (double)s->size[2];
    double line = s->type == MT_SURFACE_CAPSULE ? (double)s->size[1] : 0;
    double y = fmax(fabs(x.y) - line, 0);
    return x.x * x.x + y * y + x.z * x.z <= (double)s->size[0] * (double)s->size[0];
}

static triple surface_point(const mt_surface *s, uint64_t *state)
{
    triple way = triple_of(random_unit(state));
    /* From anywhere on the longest line, so that ends of rods and rims of plates get their part. */
    triple from = {0, 0, 0};
    if (s->type == MT_SURFACE_CAPSULE)
        from.y = (double)random_between(state, -s->size[1], s->size[1]);
    if (s->type == MT_SURFACE_BOX) {
        from.x = (double)random_between(state, -s->size[0], s->size[0]);
        from.y = (double)random_between(state, -s->size[1], s->size[1]);
        from.z = (double)random_between(state, -s->size[2], s->size[2]);
    }
    double in = 0, out = 4;
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (in + out);
        *(is_within(s, plus(from, scaled(way, middle))) ? &in : &out) = middle;
    }
    return plus(from, scaled(way, in));
}

/* The point that distance and normal name is on the surface, and no other is nearer: so it is the nearest. */
static void nearest_points(void **state)
{
    (void)state;
    static triple samples[SAMPLES];
    size_t count;
    uint64_t random = 7;
    const mt_surface *all = some_surfaces(&count);
    for (size_t k = 0; k < count; k++) {
        for (int i = 0; i < SAMPLES; i++)
            samples[i] = surface_point(&all[k], &random);
        for (int i = 0; i < POINTS; i++) {
            mote_vec3 point = random_in(&random, 1.5f), normal;
            double distance = (double)mt_surface_distance(&all[k], point, &normal), least = 10;
            check_near(length_of(normal), 1, 1e-6, "surface %zu: length of a normal", k);
            check_true((distance < 0) == is_within(&all[k], triple_of(point)), "surface %zu: the side", k);
            triple foot = minus(triple_of(point), scaled(triple_of(normal), distance));
            check_true(is_within(&all[k], minus(foot, scaled(triple_of(normal), 1e-5))) &&
                           !is_within(&all[k], plus(foot, scaled(triple_of(normal), 1e-5))),
                       "surface %zu, point %d: the nearest point is on the surface", k, i);
            for (int j = 0; j < SAMPLES; j++)
                least = fmin(least, size_of(minus(samples[j], triple_of(point))));
            check_above(least, fabs(distance) - 1e-5, "surface %zu, point %d: none is nearer", k, i);
            check_below(least, fabs(distance) + 0.2, "surface %zu, point %d: samples are everywhere", k, i);
        }
    }
}

/* ---- eight at a time ------------------------------------------------------------------------------------- */

/* Places where something changes: middles, sides, edges, zeros of both signs, the very small and the far. */
static float odd_coordinate(uint64_t *state, const mt_surface *s)
{
    const float odd[] = {
        0,      -0.0f,   s->size[0], -s->size[0], s->size[1], -s->size[1], s->size[2],         -s->size[2],
        1e-13f, -1e-13f, 1e-30f,     -1e-42f,     1e9f,       -1e9f,       s->size[1] + 1e-7f, 0.1f};
    const size_t count = sizeof odd / sizeof odd[0];
    return odd[(size_t)random_between(state, 0, (float)count) % count];
}

static mote_vec3 odd_point(uint64_t *state, const mt_surface *s)
{
    mote_vec3 point = random_in(state, 1.5f);
    float choice = random_between(state, 0, 8);
    if (choice < 4)
        point.x = odd_coordinate(state, s);
    if (choice < 3 || choice > 7)
        point.y = odd_coordinate(state, s);
    if (choice < 2 || (choice > 5 && choice < 7))
        point.z = odd_coordinate(state, s);
    return point;
}

typedef struct eight {
    uint32_t type[LANES];
    float size[3][LANES], point[3][LANES], normal[3][LANES], distance[LANES];
} eight;

static void measure_eight(eight *e)
{
    surface_lanes s = surface_lanes_load(e->type, (const float(*)[LANES])e->size);
    lanes3 point = {lanes_load(e->point[0]), lanes_load(e->point[1]), lanes_load(e->point[2])}, normal;
    lanes_store(e->distance, surface_distance_lanes(&s, point, &normal));
    lanes_store(e->normal[0], normal.x);
    lanes_store(e->normal[1], normal.y);
    lanes_store(e->normal[2], normal.z);
}

static void check_lane(const eight *e, const mt_surface *s, int lane)
{
    mote_vec3 normal, point = {e->point[0][lane], e->point[1][lane], e->point[2][lane]};
    float distance = mt_surface_distance(s, point, &normal);
    const float one[4] = {distance, normal.x, normal.y, normal.z};
    const float other[4] = {e->distance[lane], e->normal[0][lane], e->normal[1][lane], e->normal[2][lane]};
    check_true(memcmp(one, other, sizeof one) == 0,
               "type %u at (%g, %g, %g): %.9g (%.9g, %.9g, %.9g), in lanes %.9g (%.9g, %.9g, %.9g)", s->type,
               (double)point.x, (double)point.y, (double)point.z, (double)one[0], (double)one[1],
               (double)one[2], (double)one[3], (double)other[0], (double)other[1], (double)other[2],
               (double)other[3]);
    check_near(length_of(normal), 1, 1e-6, "type %u at (%g, %g, %g): length of the normal", s->type,
               (double)point.x, (double)point.y, (double)point.z);
    check_true(isfinite(distance), "a finite distance");
}

static void lanes_are_the_same(void **state)
{
    (void)state;
    size_t count;
    uint64_t random = 3;
    const mt_surface *all = some_surfaces(&count);
    const mt_surface none = {0};
    for (int round = 0; round < 20 * POINTS; round++) {
        eight e;
        const mt_surface *of[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            size_t which = (size_t)random_between(&random, 0, (float)(count + 1));
            const mt_surface *s = of[lane] = which < count ? &all[which] : &none;
            mote_vec3 point = odd_point(&random, s);
            e.type[lane] = s->type;
            e.point[0][lane] = point.x;
            e.point[1][lane] = point.y;
            e.point[2][lane] = point.z;
            for (int k = 0; k < 3; k++)
                e.size[k][lane] = s->size[k];
        }
        measure_eight(&e);
        for (int lane = 0; lane < LANES; lane++)
            check_lane(&e, of[lane], lane);
    }
}

/* ---- builders -------------------------------------------------------------------------------------------- */

static mt_body *inside_of(const mote_world *world, mote_body_id body)
{
    return &mt_bodies(world)[mt_handle_entries(&world->bodies.handles)[body.index].slot];
}

static mt_surface known_surface(const mote_world *world, mote_body_id body)
{
    must_exist(body);
    return inside_of(world, body)->surface;
}

static void check_surface(mt_surface s, uint32_t type, double a, double b, double c, const char *what)
{
    check_true(s.type == type, "%s: type %u, expected %u", what, s.type, type);
    check_near(s.size[0], a, 1e-6, "%s: first size", what);
    check_near(s.size[1], b, 1e-6, "%s: second size", what);
    check_near(s.size[2], c, 1e-6, "%s: third size", what);
    check_near(length_of(s.pose.position), 0, 0, "%s: about the origin", what);
}

/* How far the surface reaches in a unit direction of the body. */
static double reach_of_surface(const mt_surface *s, mote_vec3 way)
{
    mt_frame frame = mt_frame_of(s->pose);
    double x = fabs((double)mt_dot(frame.x, way)), y = fabs((double)mt_dot(frame.y, way));
    double z = fabs((double)mt_dot(frame.z, way)), size[3];
    for (int i = 0; i < 3; i++)
        size[i] = (double)s->size[i];
    if (s->type == MT_SURFACE_BOX)
        return size[0] * x + size[1] * y + size[2] * z;
    return size[0] + (s->type == MT_SURFACE_CAPSULE ? size[1] * y : 0);
}

/* The same of its particles: the height at which it rests on a plane that is there. */
static double reach_of_particles(const mote_world *world, mote_body_id body, mote_vec3 way)
{
    const mt_body *b = inside_of(world, body);
    double reach = 0;
    for (uint32_t k = 0; k < b->link_count; k++)
        reach = fmax(reach, (double)mt_dot(mt_links(world)[b->first_link + k].rest, way));
    return reach + R;
}

static mote_rigid_def turned_def(void)
{
    mote_rigid_def def = mote_default_rigid_def();
    def.pose = (mote_pose){vec(1, 2, 3), {0.18257419f, 0.36514837f, 0.54772256f, 0.73029674f}};
    return def;
}

static void boxes_and_sheets(void **state)
{
    (void)state;
    static const uint32_t counts[][3] = {{5, 5, 5}, {6, 4, 2}, {7, 1, 9}, {1, 3, 4}, {4, 4, 1}};
    static const float spacings[] = {MOTE_TOUCHING, 1.5f * TEST_RADIUS, 2.2f * TEST_RADIUS};
    mote_world *world = test_world(NULL);
    mote_rigid_def def = turned_def();
    for (size_t k = 0; k < 15; k++) {
        const uint32_t *n = counts[k % 5];
        def.spacing = spacings[k / 5];
        mote_body_id body = mote_rigid_box(world, &def, n);
        mt_surface s = known_surface(world, body);
        double step = k < 5 ? 2 * R : (double)def.spacing, half[3];
        for (int i = 0; i < 3; i++)
            half[i] = 0.5 * (n[i] - 1.0) * step + R;
        check_surface(s, MT_SURFACE_BOX, half[0], half[1], half[2], "a box");
        for (int i = 0; i < 6; i++) {
            mote_vec3 way = {i / 2 == 0, i / 2 == 1, i / 2 == 2};
            way = mt_scale(way, i % 2 == 0 ? 1.0f : -1.0f);
            check_near(reach_of_surface(&s, way), reach_of_particles(world, body, way), 0.02 * R,
                       "box %zu lies on side %d", k, i);
        }
    }
    mote_world_destroy(world);
}

/* Rows of particles, by either builder, along any axis: exactly capsules. */
static void rods(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_rigid_def def = turned_def();
    uint64_t random = 5;
    for (int k = 0; k < 5; k++) {
        const uint32_t n[3] = {k == 0 ? 8 : 1, k == 1 ? 8 : 1, k == 2 ? 8 : 1};
        float half = k == 4 ? 7.3f * TEST_RADIUS : 7 * TEST_RADIUS; /* with a spacing that is not its own */
        mote_body_id body = k < 3 ? mote_rigid_box(world, &def, n)
                                  : mote_rigid_capsule(world, &def, half, (1 + 0.1f * (float)k) * TEST_RADIUS);
        mt_surface s = known_surface(world, body);
        check_surface(s, MT_SURFACE_CAPSULE, R, (double)half, 0, "a rod");
        for (int i = 0; i < POINTS; i++) {
            mote_vec3 way = random_unit(&random);
            check_near(reach_of_surface(&s, way), reach_of_particles(world, body, way), 0.02 * R,
                       "rod %d lies or stands", k);
        }
    }
    check_surface(known_surface(world, mote_rigid_box(world, &def, (uint32_t[3]){1, 1, 1})), MT_SURFACE_SPHERE,
                  R, 0, 0, "a particle");
    mote_world_destroy(world);
}

/* No ball of a particle sticks out of a capsule, and it cannot be thinner. Its cross-section is that of a
 * lattice, so particles let it lie as high as its surface only on its outermost rows. */
static void thick_capsules(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_rigid_def def = turned_def();
    for (int k = 0; k < 12; k++) {
        float thickness = (2 + 0.5f * (float)k) * TEST_RADIUS;
        mote_body_id body = mote_rigid_capsule(world, &def, 8 * TEST_RADIUS, thickness);
        mt_surface s = known_surface(world, body);
        check_true(s.type == MT_SURFACE_CAPSULE, "capsule %d is one", k);
        check_below(fabs((double)(s.size[0] - thickness)), 0.51 * R, "capsule %d: as thick as asked for", k);
        const mt_body *b = inside_of(world, body);
        double outermost = -1, highest = 0;
        for (uint32_t i = 0; i < b->link_count; i++) {
            mote_vec3 normal, x = mt_links(world)[b->first_link + i].rest;
            outermost = fmax(outermost, (double)mt_surface_distance(&s, x, &normal) + R);
        }
        check_near(outermost, 0, 1e-5 * R, "capsule %d: encloses its particles", k);
        for (int i = 0; i < 720; i++) {
            double turn = TEST_PI * i / 360;
            mote_vec3 way = vec((float)cos(turn), 0, (float)sin(turn));
            highest = fmax(highest, reach_of_particles(world, body, way));
        }
        check_near(highest, (double)s.size[0], 0.02 * R, "capsule %d: lies on its outermost rows", k);
    }
    mote_world_destroy(world);
}

/* As large as asked for; the lattice is rough by less than a particle's radius. */
static void balls(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_rigid_def def = turned_def();
    uint64_t random = 9;
    for (int k = 0; k < 12; k++) {
        float size = (2.5f + 0.5f * (float)k) * TEST_RADIUS;
        mote_body_id body = mote_rigid_ball(world, &def, size);
        mt_surface s = known_surface(world, body);
        check_surface(s, MT_SURFACE_SPHERE, (double)size, 0, 0, "a ball");
        mt_surface same = known_surface(world, mote_rigid_capsule(world, &def, 0, size));
        check_true(memcmp(&s, &same, sizeof s) == 0, "a capsule without length is a ball");
        for (int i = 0; i < POINTS; i++)
            check_near(reach_of_particles(world, body, random_unit(&random)), (double)size, 1.01 * R,
                       "ball %d lies as high as its particles, about", k);
    }
    check_surface(known_surface(world, mote_rigid_ball(world, &def, 1.5f * TEST_RADIUS)), MT_SURFACE_SPHERE, R,
                  0, 0, "a ball of one particle");
    mote_world_destroy(world);
}

static void check_none(const mote_world *world, mote_body_id body, const char *what)
{
    const mt_surface none = {0};
    mt_surface s = known_surface(world, body);
    check_true(memcmp(&s, &none, sizeof s) == 0, "%s: has no surface", what);
}

static void without_a_surface(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_rigid_def def = mote_default_rigid_def();
    const mote_vec3 points[3] = {{0, 0, 0}, {0.1f, 0, 0}, {0.1f, 0.1f, 0}};
    check_none(world, mote_rigid_points(world, &def, points, 3), "a corner of points");
    const mote_vec3 wide[2] = {{0, 0, 0}, {0.13f, 0, 0}};
    check_none(world, mote_rigid_points(world, &def, wide, 2), "two points that do not touch");
    def.spacing = 3 * TEST_RADIUS;
    check_none(world, mote_rigid_box(world, &def, (uint32_t[3]){3, 3, 3}), "a sieve");
    check_none(world, mote_rigid_ball(world, &def, 0.5f), "a round sieve");
    check_none(world, mote_rigid_capsule(world, &def, 6 * TEST_RADIUS, TEST_RADIUS), "a string of pearls");
    mote_world_destroy(world);
}

/* Particles side by side along the axes are what they fill, whoever put them there. */
static void lattices_by_hand(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_rigid_def def = mote_default_rigid_def();
    const mote_vec3 points[2] = {{0, -0.05f, 0}, {0, 0.05f, 0}};
    check_surface(known_surface(world, mote_rigid_points(world, &def, points, 2)), MT_SURFACE_CAPSULE, R, R, 0,
                  "two points");
    const lattice block = {.count = {3, 4, 5}};
    check_surface(known_surface(world, add_lattice(world, &block)), MT_SURFACE_BOX, 3 * R, 4 * R, 5 * R,
                  "a lattice of particles");
    mote_world_destroy(world);
}

/* ---- when it is lost ------------------------------------------------------------------------------------- */

static mote_body_id box_at(mote_world *world, float x)
{
    mote_rigid_def def = mote_default_rigid_def();
    def.pose.position.x = x;
    mote_body_id body = mote_rigid_box(world, &def, (uint32_t[3]){3, 3, 3});
    must_exist(body);
    return body;
}

static mote_particle_id particle_of(const mote_world *world, mote_body_id body, uint32_t k)
{
    return mt_links(world)[inside_of(world, body)->first_link + k].particle;
}

static void check_box(const mote_world *world, mote_body_id body, const char *what)
{
    check_surface(known_surface(world, body), MT_SURFACE_BOX, 3 * R, 3 * R, 3 * R, what);
}

/* A world of three boxes: what is done is done to the one in the middle of the tables. */
static void lost_with_a_particle(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_body_id first = box_at(world, 0), body = box_at(world, 1), last = box_at(world, 2);
    must(mote_particle_remove(world, particle_of(world, body, 13)));
    check_none(world, body, "a box with a hole");
    check_box(world, first, "the box before it");
    check_box(world, last, "the box behind it");
    must(mote_body_remove(world, body));
    check_box(world, first, "before one that is gone");
    check_box(world, last, "behind one that is gone");
    mote_world_destroy(world);
}

static void lost_when_joined(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_body_id a = box_at(world, 0), b = box_at(world, 0.5f), held = box_at(world, 2),
                 free = box_at(world, 4);
    mote_joint_def def = joint_def(MOTE_JOINT_BALL, a, b, vec(1, 0, 0));
    def.anchor = vec(0.25f, 0, 0);
    mote_joint_id joint = add_joint_of(world, &def);
    check_none(world, a, "the first of two");
    check_none(world, b, "the second of two");
    must(mote_joint_remove(world, joint));
    check_none(world, a, "a particle more");
    check_none(world, b, "a particle less");
    def = joint_def(MOTE_JOINT_BALL, held, (mote_body_id){0}, vec(1, 0, 0));
    def.anchor = vec(2, 0.5f, 0);
    add_joint_of(world, &def);
    check_none(world, held, "hung up");
    check_box(world, free, "one that has nothing to do with it");
    mote_world_destroy(world);
}

static void lost_when_shared(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_body_id a = box_at(world, 0), b = box_at(world, 1), c = box_at(world, 2);
    mote_particle_id ids[2] = {particle_of(world, a, 26), add_point(world, vec(0.5f, 0, 0), 1)};
    must_exist(add_body(world, ids, 2));
    check_none(world, a, "a box that shares");
    mote_joint_def def = joint_def(MOTE_JOINT_BALL, b, c, vec(1, 0, 0));
    def.particles = ids;
    def.particle_count = 1;
    ids[0] = particle_of(world, b, 25);
    add_joint_of(world, &def);
    check_none(world, b, "whose particle it was");
    check_none(world, c, "who got it");
    mote_world_destroy(world);
}

static void kept_otherwise(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    mote_body_id body = box_at(world, 0), other = box_at(world, 1);
    must(mote_body_set_pose(world, body, (mote_pose){vec(0, 1, 0), {0, 1, 0, 0}}));
    must(mote_particle_set_mass(world, particle_of(world, body, 3), 2));
    must(mote_particle_set_velocity(world, particle_of(world, body, 4), vec(0, 3, 0)));
    must(mote_body_set_mode(world, body, MOTE_BODY_DRIVEN));
    must(mote_body_set_mode(world, body, MOTE_BODY_DYNAMIC));
    step_times(world, 30, TEST_FRAME);
    check_box(world, body, "moved about");
    must(mote_body_dissolve(world, other));
    check_box(world, body, "the other one dissolved");
    mote_world_destroy(world);
}

static void snapshots_keep_it(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL), *fresh = test_world(NULL);
    mote_body_id body = box_at(world, 0);
    mote_rigid_def def = mote_default_rigid_def();
    def.pose.position = vec(0, 2, 0);
    mote_body_id rod = mote_rigid_box(world, &def, (uint32_t[3]){5, 1, 1});
    mt_surface kept = known_surface(world, rod);
    step_times(world, 5, TEST_FRAME);
    size_t size = mote_snapshot_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    must(mote_snapshot_take(world, bytes, size, NULL));
    must(mote_snapshot_restore(fresh, bytes, size));
    check_box(fresh, body, "in a fresh world");
    mt_surface again = known_surface(fresh, rod);
    check_true(memcmp(&again, &kept, sizeof kept) == 0, "the same bytes");
    must(mote_particle_remove(world, particle_of(world, body, 0)));
    check_none(world, body, "a box without a corner");
    check_true(mote_world_hash(world) != mote_world_hash(fresh), "the hash sees it");
    must(mote_snapshot_restore(world, bytes, size));
    check_box(world, body, "as it was before");
    free(bytes);
    mote_world_destroy(fresh);
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),         cmocka_unit_test(ties),
        cmocka_unit_test(nearest_points),       cmocka_unit_test(lanes_are_the_same),
        cmocka_unit_test(boxes_and_sheets),     cmocka_unit_test(rods),
        cmocka_unit_test(thick_capsules),       cmocka_unit_test(balls),
        cmocka_unit_test(without_a_surface),    cmocka_unit_test(lattices_by_hand),
        cmocka_unit_test(lost_with_a_particle), cmocka_unit_test(lost_when_joined),
        cmocka_unit_test(lost_when_shared),     cmocka_unit_test(kept_otherwise),
        cmocka_unit_test(snapshots_keep_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
