/* Builders of bodies: how many particles, where, how heavy and how deep, against closed forms. */
#include "meshes.h"

#include "world/world.h"

#include <math.h>

#define DENSITY 1000.0 /* kg/m^3, of the default material */
#define SPACING (2.0 * (double)TEST_RADIUS)
#define CUBE    (SPACING * SPACING * SPACING) /* m^3 */

static const mote_vec3 NOWHERE = {0, 0, 0};

static mote_body_state body_state(const mote_world *world, mote_body_id body)
{
    mote_body_state state;
    must(mote_body_get(world, body, &state));
    return state;
}

static const mt_body *inside_of(const mote_world *world, mote_body_id body)
{
    return &mt_bodies(world)[mt_handle_entries(&world->bodies.handles)[body.index].slot];
}

static void check_vector(mote_vec3 measured, mote_vec3 expected, double tolerance, const char *what)
{
    check_near(measured.x, expected.x, tolerance, "%s, x", what);
    check_near(measured.y, expected.y, tolerance, "%s, y", what);
    check_near(measured.z, expected.z, tolerance, "%s, z", what);
}

/* A third of a turn about (1, 1, 1) takes x to y, y to z and z to x. */
static mote_quat axes_to_next(void)
{
    return (mote_quat){0.5f, 0.5f, 0.5f, 0.5f};
}

static mote_quat slanted(void)
{
    return (mote_quat){0.18257419f, 0.36514837f, 0.54772256f, 0.73029674f}; /* (1, 2, 3, 4), made unit */
}

/* ---- boxes ---------------------------------------------------------------------------------------------- */

/* n particles in a row have the variance s^2 (n^2 - 1) / 12. */
static double variance(uint32_t n)
{
    return SPACING * SPACING * ((double)n * n - 1) / 12;
}

static void boxes(void **state)
{
    (void)state;
    const uint32_t counts[4][3] = {{6, 4, 2}, {1, 1, 1}, {5, 1, 1}, {3, 7, 1}};
    for (int k = 0; k < 4; k++) {
        const uint32_t *n = counts[k];
        mote_world *world = test_world(NULL);
        mote_rigid_def def = mote_default_rigid_def();
        def.pose = (mote_pose){vec(3, -2, 1), slanted()};
        mote_body_id body = mote_rigid_box(world, &def, n);
        must_exist(body);
        mote_body_state s = body_state(world, body);
        double total = (double)n[0] * n[1] * n[2], mass = total * DENSITY * CUBE;
        check_true(mote_particle_count(world) == n[0] * n[1] * n[2], "particles of the world");
        check_true(s.particle_count == n[0] * n[1] * n[2], "particles of the body");
        check_near(s.mass, mass, 1e-5 * mass, "mass of box %d", k);
        check_vector(s.center, def.pose.position, 1e-6, "centre");
        check_vector(s.pose.position, def.pose.position, 1e-6, "own origin");
        double x = variance(n[0]), y = variance(n[1]), z = variance(n[2]);
        double least = mass * (x + y + z - fmax(x, fmax(y, z))),
               most = mass * (x + y + z - fmin(x, fmin(y, z)));
        /* About a line of points, their balls count, each about itself. */
        double balls = 0.4 * mass * (double)TEST_RADIUS * (double)TEST_RADIUS;
        check_near(s.inertia.x, least > 0 ? least : balls, 1e-4 * fmax(least, balls), "least moment, box %d",
                   k);
        check_near(s.inertia.z, most > 0 ? most : balls, 1e-4 * fmax(most, balls), "largest moment, box %d", k);
        mote_world_destroy(world);
    }
}

/* Where each particle is: x runs fastest, and the pose turns the lattice. */
static void places_in_a_box(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_rigid_def def = mote_default_rigid_def();
    def.pose = (mote_pose){vec(1, 2, 3), axes_to_next()};
    def.spacing = 0.3f;
    mote_body_id body = mote_rigid_box(world, &def, (uint32_t[3]){2, 3, 4});
    must_exist(body);
    mote_particle_id ids[24];
    check_true(mote_body_particles(world, body, ids, 24) == 24, "24 particles");
    for (uint32_t i = 0; i < 24; i++) {
        float x = 0.3f * ((float)(i % 2) - 0.5f), y = 0.3f * ((float)(i / 2 % 3) - 1.0f),
              z = 0.3f * ((float)(i / 6) - 1.5f);
        check_vector(state_of(world, ids[i]).position, vec(1 + z, 2 + x, 3 + y), 1e-6, "a particle");
    }
    mote_world_destroy(world);
}

/* ---- balls and capsules --------------------------------------------------------------------------------- */

/* Balls stick out by half a radius: the lattice fills a ball that is smaller by half a radius. */
static void balls(void **state)
{
    (void)state;
    const float sizes[3] = {0.5f, 0.8f, 1.03f};
    for (int k = 0; k < 3; k++) {
        mote_world *world = test_world(NULL);
        mote_rigid_def def = mote_default_rigid_def();
        mote_body_id body = mote_rigid_ball(world, &def, sizes[k]);
        must_exist(body);
        mote_body_state s = body_state(world, body);
        double reach = (double)sizes[k] - 0.5 * (double)TEST_RADIUS;
        double volume = 4.0 / 3 * TEST_PI * reach * reach * reach;
        check_near((double)s.particle_count * CUBE / volume, 1, 0.06, "volume of ball %d", k);
        check_near(s.mass / (DENSITY * CUBE * (double)s.particle_count), 1, 1e-5, "mass of ball %d", k);
        check_near(s.inertia.x / (0.4 * (double)s.mass * reach * reach), 1, 0.06, "moment of ball %d", k);
        check_near(s.inertia.z / s.inertia.x, 1, 1e-4, "the moments are alike");
        check_vector(s.center, NOWHERE, 1e-6, "centre");
        mote_particles_view view = mote_particles_get_view(world);
        for (size_t i = 0; i < view.count; i++) {
            mote_vec4 x = view.position[i];
            check_below(length_of(vec(x.x, x.y, x.z)), reach + 1e-4, "distance from the middle");
        }
        mote_world_destroy(world);
    }
}

static void small_balls(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_rigid_def def = mote_default_rigid_def();
    must_exist(mote_rigid_ball(world, &def, TEST_RADIUS));
    check_true(mote_particle_count(world) == 1, "a ball as small as a particle is one");
    must_exist(mote_rigid_ball(world, &def, 2.3f * TEST_RADIUS));
    check_true(mote_particle_count(world) == 1 + 8, "a ball of two by two by two");
    mote_world_destroy(world);
}

static double from_axis(mote_vec3 x, double half_length)
{
    double beyond = fmax(fabs((double)x.y) - half_length, 0);
    return sqrt((double)x.x * (double)x.x + beyond * beyond + (double)x.z * (double)x.z);
}

static void capsules(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_rigid_def def = mote_default_rigid_def();
    mote_body_id body = mote_rigid_capsule(world, &def, 1.2f, 0.4f);
    must_exist(body);
    mote_body_state s = body_state(world, body);
    double reach = 0.4 - 0.5 * (double)TEST_RADIUS, outermost = 0;
    double volume = TEST_PI * reach * reach * (2.4 + 4.0 / 3 * reach);
    check_near((double)s.particle_count * CUBE / volume, 1, 0.06, "volume of a capsule");
    check_vector(s.center, NOWHERE, 1e-6, "centre");
    const mt_link *link = mt_links(world) + inside_of(world, body)->first_link;
    for (uint32_t k = 0; k < s.particle_count; k++)
        outermost = fmax(outermost, from_axis(link[k].rest, 1.2));
    check_below(outermost, reach + 1e-4, "distance from the axis");
    mote_world_destroy(world);
}

/* Thin ones are a line of particles from end to end, at even distances, none above the spacing. */
static void rods(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_rigid_def def = mote_default_rigid_def();
    mote_body_id body = mote_rigid_capsule(world, &def, 0.47f, TEST_RADIUS);
    must_exist(body);
    mote_particle_id ids[16];
    check_true(mote_body_particles(world, body, ids, 16) == 11, "0.94 m in steps of 0.1 m at most");
    for (int i = 0; i < 11; i++) {
        check_vector(state_of(world, ids[i]).position, vec(0, -0.47f + 0.094f * (float)i, 0), 1e-6, "place");
    }
    must_exist(mote_rigid_capsule(world, &def, 0, TEST_RADIUS));
    check_true(mote_particle_count(world) == 12, "a capsule without length is one particle");
    must_exist(mote_rigid_capsule(world, &def, 0.5f, TEST_RADIUS));
    check_true(mote_particle_count(world) == 23, "a whole number of spacings needs no more");
    mote_world_destroy(world);
}

/* ---- points and meshes ---------------------------------------------------------------------------------- */

static void points(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_rigid_def def = mote_default_rigid_def();
    def.pose = (mote_pose){vec(1, 0, 0), axes_to_next()};
    def.mass = 12;
    const mote_vec3 corners[3] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}};
    mote_body_id body = mote_rigid_points(world, &def, corners, 3);
    must_exist(body);
    mote_body_state s = body_state(world, body);
    check_near(s.mass, 12, 1e-5, "mass");
    check_vector(s.center, vec(1, 1, 1), 1e-6, "centre of mass"); /* (1, 1, 0), turned: (0, 1, 1) */
    /* Around it: (-1, -1), (2, -1), (-1, 2), 4 kg each: across 24 and 24, between them -12 kg m^2. */
    check_near(s.inertia.x, 12, 1e-4, "moment about the long axis");
    check_near(s.inertia.y, 36, 1e-4, "moment about the short axis");
    check_near(s.inertia.z, 48, 1e-4, "moment about the normal");
    mote_world_destroy(world);
}

/* The mass of a mesh is that of its volume. */
static void meshes(void **state)
{
    (void)state;
    test_mesh torus = torus_mesh(0.6, 0.25, 96, 48), box = box_mesh(vec(0.4f, 0.3f, 0.25f));
    const double volumes[2] = {2 * TEST_PI * TEST_PI * 0.6 * 0.25 * 0.25, 8 * 0.4 * 0.3 * 0.25};
    for (int k = 0; k < 4; k++) {
        mote_mesh mesh = mesh_view(k % 2 == 0 ? &torus : &box);
        mote_world *world = test_world(NULL);
        mote_rigid_def def = mote_default_rigid_def();
        mote_material_def stone = mote_default_material_def();
        stone.density = 2600;
        def.material = mote_material_add(world, &stone);
        def.radius = 0.025f;
        def.pose.position = vec(5, 5, 5);
        mote_body_id body = mote_rigid_mesh(world, &def, &mesh, k < 2 ? MOTE_SAMPLE_PARITY : MOTE_SAMPLE_SDF);
        must_exist(body);
        mote_body_state s = body_state(world, body);
        check_near(s.mass / (2600 * volumes[k % 2]), 1, 0.02, "mass of mesh %d", k % 2);
        check_vector(s.center, vec(5, 5, 5), 1e-3, "centre");
        mote_world_destroy(world);
    }
    mesh_free(&torus);
    mesh_free(&box);
}

/* ---- motion --------------------------------------------------------------------------------------------- */

static mote_vec3 cross(mote_vec3 a, mote_vec3 b)
{
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static void motion(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_rigid_def def = mote_default_rigid_def();
    def.pose = (mote_pose){vec(1, 2, 3), slanted()};
    def.velocity = vec(4, 5, 6);
    def.spin = vec(-3, 2, 1);
    mote_vec3 cloud[20];
    uint64_t random = 5;
    for (int i = 0; i < 20; i++) /* not around the origin */
        cloud[i] =
            vec(random_between(&random, 1, 2), random_between(&random, 0, 3), random_between(&random, -1, 4));
    mote_body_id body = mote_rigid_points(world, &def, cloud, 20);
    must_exist(body);
    mote_body_state s = body_state(world, body);
    check_vector(s.velocity, def.velocity, 1e-5, "velocity of the body");
    check_vector(s.spin, def.spin, 1e-4, "spin of the body");
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++) {
        mote_vec4 x = view.position[i], v = view.velocity[i];
        mote_vec3 turned = cross(def.spin, vec(x.x - s.center.x, x.y - s.center.y, x.z - s.center.z));
        check_vector(vec(v.x, v.y, v.z), vec(4 + turned.x, 5 + turned.y, 6 + turned.z), 1e-4, "a particle");
    }
    mote_world_destroy(world);
}

/* A thrown ball falls along the parabola and goes on turning as it did. */
static void thrown(void **state)
{
    (void)state;
    const float steps[2] = {1.0f / 60, 1.0f / 120};
    for (int k = 0; k < 2; k++) {
        mote_world *world = test_world(NULL);
        mote_rigid_def def = mote_default_rigid_def();
        def.pose.position = vec(0, 10, 0);
        def.velocity = vec(3, 4, 0);
        def.spin = vec(0, 0, 5);
        mote_body_id body = mote_rigid_ball(world, &def, 0.3f);
        must_exist(body);
        step_times(world, k == 0 ? 60 : 120, steps[k]);
        mote_body_state s = body_state(world, body);
        /* Symplectic Euler falls by g h / 2 more a second. */
        double late = 0.5 * TEST_GRAVITY * (double)steps[k] / 8;
        check_vector(s.center, vec(3, (float)(10 + 4 - 0.5 * TEST_GRAVITY - late), 0), 2e-3, "place");
        check_vector(s.velocity, vec(3, (float)(4 - TEST_GRAVITY), 0), 2e-3, "velocity");
        check_vector(s.spin, vec(0, 0, 5), 5e-3, "spin");
        double angle = 2 * atan2((double)s.pose.rotation.z, (double)s.pose.rotation.w);
        check_near(remainder(angle - 5, 2 * TEST_PI), 0, 0.01, "angle");
        mote_world_destroy(world);
    }
}

static void driven(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_rigid_def def = mote_default_rigid_def();
    def.mode = MOTE_BODY_DRIVEN;
    def.velocity = vec(1, 0, 0);
    mote_body_id body = mote_rigid_box(world, &def, (uint32_t[3]){2, 2, 2});
    must_exist(body);
    mote_body_state s = body_state(world, body);
    check_true(s.mode == MOTE_BODY_DRIVEN, "mode");
    check_near(s.mass, 8 * DENSITY * CUBE, 1e-3, "mass");
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++)
        check_near(view.velocity[i].w, 0, 0, "inverse mass");
    step_times(world, 60, TEST_FRAME);
    check_vector(body_state(world, body).center, vec(1, 0, 0), 1e-4, "it goes on without falling");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),       cmocka_unit_test(places_in_a_box), cmocka_unit_test(balls),
        cmocka_unit_test(small_balls), cmocka_unit_test(capsules),        cmocka_unit_test(rods),
        cmocka_unit_test(points),      cmocka_unit_test(meshes),          cmocka_unit_test(motion),
        cmocka_unit_test(thrown),      cmocka_unit_test(driven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
