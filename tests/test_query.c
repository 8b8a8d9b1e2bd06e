/* Rays against closed forms: every shape and every particle is tried by a formula of its own, in double
 * precision, with the shape a little larger and a little smaller; what the library says must lie between. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 2e-5 /* m: how much larger and smaller, for scenes of some 40 m */
#define SHAPES   120
#define BALLS    400

typedef struct point {
    double x, y, z;
} point;

static point wide(mote_vec3 v)
{
    return (point){(double)v.x, (double)v.y, (double)v.z};
}

static point minus(point a, point b)
{
    return (point){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static point cross(point a, point b)
{
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static point along(point a, point d, double t)
{
    return (point){a.x + t * d.x, a.y + t * d.y, a.z + t * d.z};
}

/* Turned the other way by a quaternion of nearly unit length: with u = -q / |q| and w likewise,
 * v + 2 w (u x v) + 2 u x (u x v). */
static point unturned(mote_quat q, point v)
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double length = sqrt(x * x + y * y + z * z + w * w);
    point u = {-x / length, -y / length, -z / length}, c = cross(u, v), cc = cross(u, c);
    return along(along(v, c, 2.0 * w / length), cc, 2.0);
}

/* ---- closed forms: the part of a line in a convex form --------------------------------------------------- */

typedef struct span {
    double first, last; /* empty if first > last */
} span;

static const span EMPTY = {HUGE_VAL, -HUGE_VAL};

static span in_ball(point o, point d, double radius)
{
    double b = dot(o, d), c = dot(o, o) - radius * radius, square = b * b - c;
    return square < 0 ? EMPTY : (span){-b - sqrt(square), -b + sqrt(square)};
}

static span in_slab(double o, double d, double half)
{
    if (d == 0)
        return fabs(o) <= half ? (span){-HUGE_VAL, HUGE_VAL} : EMPTY;
    double a = (-half - o) / d, b = (half - o) / d;
    return (span){fmin(a, b), fmax(a, b)};
}

static span both(span a, span b)
{
    return (span){fmax(a.first, b.first), fmin(a.last, b.last)};
}

static span either(span a, span b)
{
    if (a.first > a.last)
        return b;
    return b.first > b.last ? a : (span){fmin(a.first, b.first), fmax(a.last, b.last)};
}

static span in_capsule(point o, point d, double radius, double half)
{
    double a = d.x * d.x + d.z * d.z, b = o.x * d.x + o.z * d.z;
    double c = o.x * o.x + o.z * o.z - radius * radius, square = b * b - a * c;
    span tube = EMPTY;
    if (a > 0 && square >= 0)
        tube = both((span){(-b - sqrt(square)) / a, (-b + sqrt(square)) / a}, in_slab(o.y, d.y, half));
    point up = {o.x, o.y - half, o.z}, down = {o.x, o.y + half, o.z};
    return either(tube, either(in_ball(up, d, radius), in_ball(down, d, radius)));
}

/* Where a shape that is larger by `more` is met, or endless. */
static double meet_form(const mote_shape_def *def, point o, point d, double more)
{
    point local = unturned(def->rotation, minus(o, wide(def->position)));
    point way = unturned(def->rotation, d);
    span s;
    if (def->type == MOTE_SHAPE_PLANE)
        return local.y < more || way.y >= 0 ? HUGE_VAL : (more - local.y) / way.y;
    if (def->type == MOTE_SHAPE_SPHERE)
        s = in_ball(local, way, (double)def->radius + more);
    else if (def->type == MOTE_SHAPE_CAPSULE)
        s = in_capsule(local, way, (double)def->radius + more, (double)def->half_height);
    else
        s = both(in_slab(local.x, way.x, (double)def->half_extents.x + more),
                 both(in_slab(local.y, way.y, (double)def->half_extents.y + more),
                      in_slab(local.z, way.z, (double)def->half_extents.z + more)));
    if (s.first > s.last)
        return HUGE_VAL;
    if (def->inside)
        return s.first <= 0 && s.last >= 0 ? s.last : HUGE_VAL;
    return s.first >= 0 ? s.first : HUGE_VAL;
}

/* From both sides; the triangle is larger by `more` of its size. */
static double meet_triangle(point a, point b, point c, point o, point d, double more)
{
    point ab = minus(b, a), ac = minus(c, a), p = cross(d, ac);
    double determinant = dot(ab, p);
    if (determinant == 0)
        return HUGE_VAL;
    point t = minus(o, a), q = cross(t, ab);
    double u = dot(t, p) / determinant, v = dot(d, q) / determinant, distance = dot(ac, q) / determinant;
    return u >= -more && v >= -more && u + v <= 1 + more && distance >= 0 ? distance : HUGE_VAL;
}

static double meet_mesh(const mote_mesh *mesh, const mote_shape_def *def, point o, point d, double more)
{
    point local = unturned(def->rotation, minus(o, wide(def->position))), way = unturned(def->rotation, d);
    double nearest = HUGE_VAL;
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *corner = mesh->triangles + 3 * i;
        nearest = fmin(nearest, meet_triangle(wide(mesh->vertices[corner[0]]), wide(mesh->vertices[corner[1]]),
                                              wide(mesh->vertices[corner[2]]), local, way, more));
    }
    return nearest;
}

/* ---- a scene of everything ------------------------------------------------------------------------------- */

typedef struct scene {
    mote_world *world;
    mote_shape_def defs[SHAPES];
    mote_shape_id ids[SHAPES];
    mote_vec3 corners[24];
    uint32_t triangles[36];
    mote_mesh mesh;
    mote_geometry_id mesh_id, hull_id;
    mote_mesh hull;
} scene;

static mote_vec3 anywhere(uint64_t *random, float reach)
{
    float x = random_between(random, -reach, reach), y = random_between(random, -reach, reach);
    return vec(x, y, random_between(random, -reach, reach));
}

static void add_geometries(scene *s, uint64_t *random)
{
    for (int i = 0; i < 24; i++)
        s->corners[i] = anywhere(random, 2);
    for (uint32_t i = 0; i < 36; i++)
        s->triangles[i] = i * 7 % 24;
    s->mesh = (mote_mesh){s->corners, 24, s->triangles, 12};
    s->mesh_id = mote_mesh_add(s->world, &s->mesh);
    must_exist(s->mesh_id);
    s->hull_id = mote_hull_add(s->world, s->corners, 24);
    must_exist(s->hull_id);
    must(mote_geometry_triangles(s->world, s->hull_id, &s->hull));
}

static void add_shapes(scene *s, uint64_t *random)
{
    for (int i = 0; i < SHAPES; i++) {
        mote_shape_def def = mote_default_shape_def();
        def.type = i < 3 ? MOTE_SHAPE_PLANE : (mote_shape_type)(1 + i % 4);
        def.position = anywhere(random, i < 3 ? 30 : 20);
        mote_vec3 axis = anywhere(random, 1);
        def.rotation = (mote_quat){axis.x, axis.y, axis.z, random_between(random, -1, 1)};
        def.radius = random_between(random, 0.2f, 2);
        def.half_height = random_between(random, 0, 2);
        def.half_extents = vec(random_between(random, 0.1f, 2), random_between(random, 0.1f, 2),
                               random_between(random, 0.1f, 2));
        def.inside = def.type != MOTE_SHAPE_PLANE && def.type != MOTE_SHAPE_GEOMETRY && i % 7 == 0;
        if (def.inside) { /* large, so that rays start within */
            def.radius *= 8;
            def.half_extents = vec(15, 12, 14);
        }
        if (def.type == MOTE_SHAPE_GEOMETRY)
            def.geometry = i % 8 == 3 ? s->hull_id : s->mesh_id;
        def.velocity = i % 5 == 0 ? vec(1, 0, 0) : vec(0, 0, 0); /* among those that move */
        s->ids[i] = mote_shape_add(s->world, &def);
        must_exist(s->ids[i]);
        must(mote_shape_get(s->world, s->ids[i], &s->defs[i])); /* with a unit quaternion */
    }
}

static scene *make_scene(uint32_t threads, bool balls)
{
    uint64_t random = 5;
    scene *s = calloc(1, sizeof *s);
    mote_settings settings = weightless();
    mote_world_def def = test_world_def(&settings);
    def.thread_count = threads;
    must(mote_world_create(&def, &s->world));
    add_geometries(s, &random);
    add_shapes(s, &random);
    for (int i = 0; balls && i < BALLS; i++) {
        mote_particle_def ball = mote_default_particle_def();
        ball.position = anywhere(&random, 20);
        ball.radius = random_between(&random, 0.05f, 0.8f);
        must_exist(mote_particle_add(s->world, &ball));
    }
    return s;
}

static void free_scene(scene *s)
{
    mote_world_destroy(s->world);
    free(s);
}

/* Where shape i is met: between `low` and `high`. */
static void bracket(const scene *s, int i, point o, point d, double *low, double *high)
{
    const mote_shape_def *def = &s->defs[i];
    *low = HUGE_VAL;
    *high = 0;
    for (int k = -1; k <= 1; k++) {
        double more = k * ROUNDING, t;
        if (def->type != MOTE_SHAPE_GEOMETRY) {
            t = meet_form(def, o, d, more);
        } else if (def->geometry.index == s->mesh_id.index) {
            t = meet_mesh(&s->mesh, def, o, d, more);
        } else {
            /* A solid: from within, the first crossing is one of leaving, and it is convex. */
            point local = unturned(def->rotation, minus(o, wide(def->position)));
            point way = {1, 0.1, 0.01};
            mote_shape_def plain = mote_default_shape_def();
            int crossings = 0;
            for (size_t n = 0; n < s->hull.triangle_count; n++) {
                mote_mesh one = {s->hull.vertices, s->hull.vertex_count, s->hull.triangles + 3 * n, 1};
                crossings += meet_mesh(&one, &plain, local, way, 0) < HUGE_VAL;
            }
            t = crossings % 2 == 1 ? HUGE_VAL : meet_mesh(&s->hull, def, o, d, more);
        }
        *low = fmin(*low, t);
        *high = fmax(*high, t);
    }
}

static mote_ray random_ray(uint64_t *random)
{
    mote_ray ray;
    ray.origin = anywhere(random, 25);
    ray.direction = anywhere(random, 3);
    ray.length = random_between(random, 1, 80);
    return ray;
}

static point direction_of(const mote_ray *ray)
{
    point d = wide(ray->direction);
    double length = sqrt(dot(d, d));
    return (point){d.x / length, d.y / length, d.z / length};
}

/* The nearest of all shapes, as a bracket, and the checks of a hit with one of them. */
static void check_against_shapes(const scene *s, const mote_ray *ray, const mote_ray_hit *hit, size_t number,
                                 double *low, double *high, int kinds[8])
{
    point o = wide(ray->origin), d = direction_of(ray);
    for (int i = 0; i < SHAPES; i++) {
        double first, last;
        bracket(s, i, o, d, &first, &last);
        *low = fmin(*low, first);
        *high = fmin(*high, last);
        if (hit->shape.index != s->ids[i].index || mote_is_null(hit->shape))
            continue;
        kinds[s->defs[i].inside ? 5 : s->defs[i].type]++;
        check_above((double)hit->distance, first - 1e-4, "ray %zu: shape %d of type %d is met too early",
                    number, i, (int)s->defs[i].type);
        check_below((double)hit->distance, last + 1e-4, "ray %zu: shape %d of type %d is met too late", number,
                    i, (int)s->defs[i].type);
        check_near(length_of(hit->normal), 1, 1e-5, "length of the normal");
        check_below(dot(wide(hit->normal), d), 1e-5, "ray %zu, shape %d: the normal looks back", number, i);
    }
}

static void check_against_balls(const scene *s, const mote_ray *ray, const mote_ray_hit *hit, size_t number,
                                double *low, double *high)
{
    mote_particles_view view = mote_particles_get_view(s->world);
    point o = wide(ray->origin), d = direction_of(ray);
    for (size_t i = 0; i < view.count; i++) {
        mote_shape_def ball = mote_default_shape_def();
        ball.position = vec(view.position[i].x, view.position[i].y, view.position[i].z);
        ball.radius = view.position[i].w;
        double small = meet_form(&ball, o, d, -1e-9), large = meet_form(&ball, o, d, 1e-9);
        *low = fmin(*low, fmin(small, large));
        *high = fmin(*high, fmax(small, large));
        if (mote_is_null(hit->particle) || hit->particle.index != view.id[i].index)
            continue;
        check_near((double)hit->distance, meet_form(&ball, o, d, 0), 1e-5, "ray %zu: distance", number);
        check_near(distance_of(hit->point, ball.position), (double)ball.radius, 1e-5,
                   "the point is on the ball");
        mote_vec3 n = hit->normal;
        mote_vec3 up = vec(ball.position.x + n.x * ball.radius, ball.position.y + n.y * ball.radius,
                           ball.position.z + n.z * ball.radius);
        check_near(distance_of(up, hit->point), 0, 1e-5, "the normal leads from the middle to the point");
    }
}

static void rays_meet_what_formulas_say(void **state)
{
    (void)state;
    enum { RAYS = TEST_BY_BUILD(6000, 1000, 300) };
    scene *s = make_scene(1, true);
    uint64_t random = 77;
    mote_ray *rays = calloc(RAYS, sizeof *rays);
    mote_ray_hit *hits = calloc(RAYS, sizeof *hits);
    for (int i = 0; i < RAYS; i++)
        rays[i] = random_ray(&random);
    must(mote_ray_cast(s->world, rays, RAYS, NULL, hits));
    int kinds[8] = {0};
    for (size_t i = 0; i < RAYS; i++) {
        double low = HUGE_VAL, high = HUGE_VAL, length = (double)rays[i].length;
        check_against_shapes(s, &rays[i], &hits[i], i, &low, &high, kinds);
        check_against_balls(s, &rays[i], &hits[i], i, &low, &high);
        kinds[6] += hits[i].hit && !mote_is_null(hits[i].particle);
        kinds[7] += !hits[i].hit;
        if (!hits[i].hit) {
            check_above(high, length, "ray %zu meets nothing, but there is something", i);
            check_true(mote_is_null(hits[i].particle) && mote_is_null(hits[i].shape), "nothing is named");
            continue;
        }
        check_true(mote_is_null(hits[i].particle) != mote_is_null(hits[i].shape), "one thing is named");
        check_above((double)hits[i].distance, low - 1e-4, "ray %zu meets something too early", i);
        check_below((double)hits[i].distance, fmin(high, length) + 1e-4, "ray %zu: something is nearer", i);
        point end = along(wide(rays[i].origin), direction_of(&rays[i]), (double)hits[i].distance);
        check_near(sqrt(dot(minus(end, wide(hits[i].point)), minus(end, wide(hits[i].point)))), 0, 1e-5,
                   "the point is on the ray");
    }
    for (int k = 0; k < 8; k++)
        check_above(kinds[k], RAYS / 400,
                    "rays of kind %d (planes, the closed forms, geometries, containers, "
                    "particles, nothing)",
                    k);
    free(rays);
    free(hits);
    free_scene(s);
}

/* The same rays one by one, and on several threads: the same bits. */
static void rays_are_the_same_together_and_alone(void **state)
{
    (void)state;
    enum { RAYS = 500 };
    scene *s = make_scene(1, true), *threaded = make_scene(3, true);
    static mote_ray rays[RAYS];
    static mote_ray_hit together[RAYS], shared[RAYS], alone;
    uint64_t random = 3, hash = mote_world_hash(s->world);
    for (int i = 0; i < RAYS; i++)
        rays[i] = random_ray(&random);
    must(mote_ray_cast(s->world, rays, RAYS, NULL, together));
    must(mote_ray_cast(threaded->world, rays, RAYS, NULL, shared));
    for (int i = 0; i < RAYS; i++) {
        must(mote_ray_cast(s->world, &rays[i], 1, NULL, &alone));
        check_true(memcmp(&alone.distance, &together[i].distance, sizeof alone.distance) == 0 &&
                       alone.particle.index == together[i].particle.index &&
                       alone.shape.index == together[i].shape.index,
                   "ray %d alone", i);
        check_true(together[i].distance == shared[i].distance && together[i].point.x == shared[i].point.x &&
                       together[i].normal.y == shared[i].normal.y && together[i].hit == shared[i].hit,
                   "ray %d on three threads", i);
    }
    check_true(hash == mote_world_hash(s->world), "a query changes nothing");
    free_scene(s);
    free_scene(threaded);
}

/* A grain of 1 mm seen from 1,000 km, and a ball shape likewise. */
static void far_and_small(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_particle_def def = mote_default_particle_def();
    def.position = vec(3, 0, 0);
    def.radius = 0.001f;
    must_exist(mote_particle_add(world, &def));
    mote_shape_def shape = mote_default_shape_def();
    shape.position = vec(0, 100, 0);
    must_exist(mote_shape_add(world, &shape));
    mote_ray rays[3] = {{{-1e6f, 0, 0}, {1, 0, 0}, 1e7f},
                        {{-1e6f, 0.0011f, 0}, {1, 0, 0}, 1e7f},
                        {{0, -1e6f, 0.3f}, {0, 2, 0}, 1e7f}};
    mote_ray_hit hits[3];
    must(mote_ray_cast(world, rays, 3, NULL, hits));
    check_true(hits[0].hit && !mote_is_null(hits[0].particle), "straight at it");
    check_near(hits[0].point.x, 2.999, 1e-6, "where");
    check_true(!hits[1].hit, "a tenth of a millimetre past it");
    check_true(hits[2].hit && !mote_is_null(hits[2].shape), "a ball shape");
    check_near(hits[2].point.y, 99.6, 1e-4, "where: a 3-4-5 triangle");
    mote_world_destroy(world);
}

/* ---- a pile ---------------------------------------------------------------------------------------------- */

static size_t nearest_grain(const mote_particles_view *view, const mote_ray *ray, double *nearest)
{
    point o = wide(ray->origin), d = direction_of(ray);
    size_t best = SIZE_MAX;
    *nearest = (double)ray->length;
    for (size_t i = 0; i < view->count; i++) {
        mote_vec4 x = view->position[i];
        point to = minus(o, (point){(double)x.x, (double)x.y, (double)x.z});
        double b = dot(to, d), c = dot(to, to) - (double)x.w * (double)x.w;
        if (c < 0 || b >= 0 || b * b < c)
            continue;
        double t = -b - sqrt(b * b - c);
        if (t < *nearest) {
            *nearest = t;
            best = i;
        }
    }
    return best;
}

static void rays_through_a_pile(void **state)
{
    (void)state;
    enum { SIDE = TEST_BY_BUILD(28, 14, 8), RAYS = TEST_BY_BUILD(3000, 600, 200) };
    mote_world_def def = test_world_def(NULL);
    mote_world *world = tumbling_world(&def, SIDE, SIDE, SIDE);
    step_times(world, 20, TEST_FRAME);
    mote_particles_view view = mote_particles_get_view(world);
    must(mote_particle_remove(world, view.id[view.count / 2]));
    view = mote_particles_get_view(world);
    mote_query_filter filter = mote_default_query_filter();
    filter.shapes = false;
    static mote_ray rays[RAYS];
    static mote_ray_hit hits[RAYS];
    uint64_t random = 11;
    for (int i = 0; i < RAYS; i++) {
        mote_vec4 goal = view.position[(size_t)random_between(&random, 0, (float)view.count - 1)];
        mote_vec3 origin = anywhere(&random, i % 2 == 0 ? 1.0f : 6.0f); /* from among them, and from without */
        rays[i] = (mote_ray){origin, vec(goal.x - origin.x, goal.y - origin.y, goal.z - origin.z), 20};
    }
    must(mote_ray_cast(world, rays, RAYS, &filter, hits));
    int met = 0;
    for (int i = 0; i < RAYS; i++) {
        double distance;
        size_t best = nearest_grain(&view, &rays[i], &distance);
        check_true(hits[i].hit == (best != SIZE_MAX), "ray %d meets a grain", i);
        if (!hits[i].hit)
            continue;
        met++;
        check_near((double)hits[i].distance, distance, 1e-5, "ray %d: distance", i);
        check_true(hits[i].particle.index == view.id[best].index &&
                       hits[i].particle.generation == view.id[best].generation,
                   "ray %d: grain %u is met, %u is the nearest", i, hits[i].particle.index,
                   view.id[best].index);
    }
    check_above(met, RAYS / 2, "rays that met a grain");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_what_formulas_say),
        cmocka_unit_test(rays_are_the_same_together_and_alone),
        cmocka_unit_test(far_and_small),
        cmocka_unit_test(rays_through_a_pile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
