/* Viscosity: the decay of a shear wave, flow between walls, bodies in honey, what is kept, what is refused. */
#include "stirred_world.h"
#include "support.h"

#include <math.h>
#include <string.h>

/* ---- shear waves ---------------------------------------------------------------------------------------- */

#define WAVE_SPEED 0.02f /* m/s */

/* Half a wave: nothing rubs at the free surfaces below and above. */
static mote_vec3 shear_wave(mote_vec4 place, float wave_number)
{
    return vec(WAVE_SPEED * cosf(wave_number * place.y), 0.0f, 0.0f);
}

/* The part of the wave, in the middle, where the ends are too far to be felt. */
static double amplitude_of(const mote_world *world, double wave_number, double middle, double half_width)
{
    mote_particles_view view = mote_particles_get_view(world);
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < view.count; i++) {
        if (fabs((double)view.position[i].x - middle) > half_width)
            continue;
        double wave = cos(wave_number * (double)view.position[i].y);
        sum += wave * (double)view.velocity[i].x;
        squares += wave * wave;
    }
    return sum / squares;
}

typedef struct shear_case {
    float viscosity, radius;
    uint32_t rows, substeps, iterations;
} shear_case;

/* The rate of decay, 1/s, over about a third of the time in which the wave falls to 1 / e. */
static double decay_of(mote_world *world, double viscosity, double height, double length)
{
    double wave_number = TEST_PI / height, expected = viscosity / 1000.0 * wave_number * wave_number;
    uint32_t frames = (uint32_t)ceil(0.35 / expected * 60.0);
    set_velocities(world, shear_wave, (float)wave_number);
    double before = amplitude_of(world, wave_number, 0.5 * length, 0.5 * height);
    step_times(world, frames, TEST_FRAME);
    double after = amplitude_of(world, wave_number, 0.5 * length, 0.5 * height);
    return log(before / after) / ((double)frames / 60.0) / expected;
}

/* In parts of what the viscosity says. */
static double shear_decay(shear_case c)
{
    mote_settings settings = weightless();
    settings.substeps = c.substeps;
    settings.iterations = c.iterations;
    mote_world *world = stirred_world(settings, c.radius, 1);
    add_liquid(world, liquid_def(c.viscosity), c.radius, (const uint32_t[3]){3 * c.rows, c.rows, 6});
    double height = 2.0 * (double)c.radius * c.rows;
    double decay = decay_of(world, (double)c.viscosity, height, 3.0 * height);
    mote_world_destroy(world);
    return decay;
}

static void shear_waves_decay(void **state)
{
    (void)state;
    const float viscosities[3] = {50.0f, 150.0f, 500.0f};
    for (int k = 0; k < 3; k++)
        check_near(shear_decay((shear_case){viscosities[k], R, 12, 4, 2}), 1.0, 0.2, "decay at %g Pa s",
                   (double)viscosities[k]);
}

static void shear_does_not_depend_on_settings(void **state)
{
    (void)state;
    const shear_case cases[5] = {
        {150.0f, R, 12, 1, 2},       {150.0f, R, 12, 16, 2},       {150.0f, R, 12, 4, 8},
        {150.0f, 2.0f * R, 6, 4, 2}, {150.0f, 0.5f * R, 24, 4, 2},
    };
    double usual = shear_decay((shear_case){150.0f, R, 12, 4, 2});
    for (int k = 0; k < 5; k++) {
        double decay = shear_decay(cases[k]);
        check_near(decay, 1.0, 0.2, "decay of case %d", k);
        check_near(decay, usual, 0.2 * usual, "case %d beside the usual one", k);
    }
}

static mote_vec3 any_velocity(mote_vec4 place, float scale)
{
    return vec(scale * sinf(137.0f * place.y), scale * sinf(211.0f * place.z), scale * sinf(173.0f * place.x));
}

/* A liquid that was shaken and came to rest in a tank, taken out of it: nothing is left of the lattice. */
static void shear_without_order(void **state)
{
    (void)state;
    const uint32_t count[3] = {36, 12, 8};
    const float height = 2.0f * R * 12.0f, length = 3.0f * height, depth = 2.0f * R * 8.0f;
    mote_world *tank = stirred_world(mote_default_settings(), R, 1), *world = stirred_world(weightless(), R, 1);
    add_wall(tank, vec(0, 1, 0), 0.0f);
    add_wall(tank, vec(1, 0, 0), 0.0f);
    add_wall(tank, vec(-1, 0, 0), -length);
    add_wall(tank, vec(0, 0, 1), 0.0f);
    add_wall(tank, vec(0, 0, -1), -depth);
    add_liquid(tank, liquid_def(0.0f), R, count);
    set_velocities(tank, any_velocity, 1.5f);
    step_times(tank, 90, TEST_FRAME);
    mote_material_def honey = liquid_def(150.0f);
    mote_particle_def def = mote_default_particle_def();
    def.material = mote_material_add(world, &honey);
    mote_particles_view view = mote_particles_get_view(tank);
    for (size_t i = 0; i < view.count; i++) {
        def.position = vec(view.position[i].x, view.position[i].y, view.position[i].z);
        def.mass = 1.0f / view.velocity[i].w;
        must_exist(mote_particle_add(world, &def));
    }
    check_near(decay_of(world, 150.0, (double)height, (double)length), 1.0, 0.2, "decay");
    mote_world_destroy(tank);
    mote_world_destroy(world);
}

/* Without viscosity layers slide for ever. */
static void no_viscosity_no_drag(void **state)
{
    (void)state;
    mote_world *world = stirred_world(weightless(), R, 1);
    add_liquid(world, liquid_def(0.0f), R, (const uint32_t[3]){24, 12, 6});
    double wave_number = TEST_PI / (24.0 * (double)R);
    set_velocities(world, shear_wave, (float)wave_number);
    double before = amplitude_of(world, wave_number, 0.6, 0.3);
    step_times(world, 30, TEST_FRAME);
    check_near(amplitude_of(world, wave_number, 0.6, 0.3) / before, 1.0, 0.01, "amplitude after half a second");
    mote_world_destroy(world);
}

/* ---- walls ---------------------------------------------------------------------------------------------- */

/* Between a floor that stands and a lid that slides: velocity rises evenly, and the lid feels m U / L a square
 * metre. */
static void couette_flow(void **state)
{
    (void)state;
    const float speed = 0.1f, gap = 16.0f * R, viscosity = 500.0f;
    mote_world *world = stirred_world(weightless(), R, 1);
    add_liquid(world, liquid_def(viscosity), R, (const uint32_t[3]){60, 8, 6});
    add_wall(world, vec(0, 1, 0), 0.0f);
    mote_plane_def lid = mote_default_plane_def();
    lid.normal = vec(0, -1, 0);
    lid.offset = -gap;
    lid.velocity = vec(speed, 0, 0);
    mote_shape_id shape = mote_plane_add(world, &lid);
    must_exist(shape);
    step_times(world, 48, TEST_FRAME);
    mote_particles_view view = mote_particles_get_view(world);
    double sums[8] = {0}, numbers[8] = {0};
    for (size_t i = 0; i < view.count; i++) {
        if (fabsf(view.position[i].x - 60.0f * R) > 16.0f * R)
            continue;
        int layer = (int)fmaxf(fminf(view.position[i].y / (2.0f * R), 7.0f), 0.0f);
        sums[layer] += (double)view.velocity[i].x;
        numbers[layer] += 1.0;
    }
    for (int layer = 0; layer < 8; layer++)
        check_near(sums[layer] / numbers[layer], (double)speed * (layer + 0.5) / 8.0, 0.05 * (double)speed,
                   "speed of layer %d, m/s", layer);
    mote_vec3 force;
    must(mote_shape_force(world, shape, &force));
    double area = 120.0 * (double)R * 12.0 * (double)R;
    double expected = -(double)(viscosity * speed / gap) * area;
    check_near((double)force.x, expected, -0.2 * expected, "force on the lid, N");
    mote_world_destroy(world);
}

/* ---- what is kept --------------------------------------------------------------------------------------- */

typedef struct motion {
    double momentum[3], spin[3]; /* kg m/s, kg m^2/s */
    double size;                 /* the sum of the sizes of all momenta */
} motion;

static motion motion_of(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    motion m = {{0, 0, 0}, {0, 0, 0}, 0};
    for (size_t i = 0; i < view.count; i++) {
        double mass = 1.0 / (double)view.velocity[i].w;
        double x[3] = {(double)view.position[i].x, (double)view.position[i].y, (double)view.position[i].z};
        double p[3] = {mass * (double)view.velocity[i].x, mass * (double)view.velocity[i].y,
                       mass * (double)view.velocity[i].z};
        for (int k = 0; k < 3; k++) {
            m.momentum[k] += p[k];
            m.spin[k] += x[(k + 1) % 3] * p[(k + 2) % 3] - x[(k + 2) % 3] * p[(k + 1) % 3];
        }
        m.size += sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    }
    return m;
}

/* Two liquids and a body in them, about 1 m across. */
static mote_world *mixed_blob(float viscosity, float xsph)
{
    mote_settings settings = weightless();
    settings.substeps = 1;
    mote_world *world = stirred_world(settings, R, 1);
    mote_material_def liquid = liquid_def(viscosity);
    liquid.xsph = xsph;
    add_liquid(world, liquid, R, (const uint32_t[3]){16, 8, 12});
    liquid.density = 100.0f;
    liquid.viscosity *= 0.01f;
    mote_grains_def block = mote_default_grains_def();
    block.origin = vec(R, 17.0f * R, R);
    block.count[0] = 16;
    block.count[1] = 4;
    block.count[2] = 12;
    block.material = mote_material_add(world, &liquid);
    must(mote_grains_block(world, &block, NULL));
    set_velocities(world, any_velocity, 0.3f);
    mote_rigid_def def = mote_default_rigid_def();
    def.pose.position = vec(16.0f * R, 28.0f * R, 12.0f * R);
    def.velocity = vec(0.0f, -0.2f, 0.5f);
    def.spin = vec(1.0f, 2.0f, 0.0f);
    must_exist(mote_rigid_box(world, &def, (const uint32_t[3]){6, 4, 5}));
    return world;
}

/* One step with viscosity and without: places are the same, velocities differ by what viscosity did. */
static void check_kept(float viscosity, float xsph, double spin_tolerance)
{
    mote_world *with = mixed_blob(viscosity, xsph), *without = mixed_blob(0.0f, 0.0f);
    step_times(with, 1, TEST_FRAME);
    step_times(without, 1, TEST_FRAME);
    motion a = motion_of(with), b = motion_of(without);
    check_below(a.size, 0.995 * b.size, "it does something, at %g Pa s", (double)viscosity);
    for (int k = 0; k < 3; k++) {
        check_near(a.momentum[k], b.momentum[k], 1e-5 * b.size, "momentum %d at %g Pa s", k, (double)viscosity);
        check_near(a.spin[k], b.spin[k], spin_tolerance * b.size, "angular momentum %d at %g Pa s", k,
                   (double)viscosity);
    }
    mote_world_destroy(with);
    mote_world_destroy(without);
}

static void momentum_is_kept(void **state)
{
    (void)state;
    check_kept(1.0f, 0.0f, 1e-5);
    check_kept(100.0f, 0.0f, 1e-5);
    check_kept(1e5f, 0.0f, 1e-5); /* not solved to the end */
    check_kept(0.0f, 0.5f, 1.0);  /* XSPH keeps no angular momentum */
}

/* What turns as one feels nothing. */
static mote_vec3 turning(mote_vec4 place, float spin)
{
    return vec(-spin * (place.y - 8.0f * R), spin * (place.x - 8.0f * R), 0.0f);
}

static void turning_is_free(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    settings.substeps = 1;
    mote_world *world = stirred_world(settings, R, 1);
    add_liquid(world, liquid_def(1e4f), R, (const uint32_t[3]){8, 8, 8});
    set_velocities(world, turning, 1.0f);
    motion before = motion_of(world);
    step_times(world, 1, 1e-4f);
    motion after = motion_of(world);
    check_near(after.spin[2], before.spin[2], 1e-4 * before.spin[2], "angular momentum");
    check_near(after.size, before.size, 1e-3 * before.size, "sum of momenta");
    mote_world_destroy(world);
}

/* ---- the thick end -------------------------------------------------------------------------------------- */

/* A block stands on the floor, in steps of a sixtieth of a second without substeps. */
static void thick_liquids_are_stable(void **state)
{
    (void)state;
    const float viscosities[3] = {1e4f, 1e5f, 1e6f};
    for (int k = 0; k < 3; k++) {
        mote_settings settings = mote_default_settings();
        settings.substeps = 1;
        mote_world *world = stirred_world(settings, R, 1);
        add_floor(world, (mote_material_id){0});
        add_liquid(world, liquid_def(viscosities[k]), R, (const uint32_t[3]){8, 12, 8});
        double most = 0.0, last = 0.0;
        for (int frame = 0; frame < 60; frame++) {
            step_times(world, 1, TEST_FRAME);
            last = stats_of(world).kinetic_energy / 96.0;
            most = fmax(most, last);
        }
        check_below(most, 0.2, "most energy a kilogram at %g Pa s, J", (double)viscosities[k]);
        check_below(last, 1e-3, "last energy a kilogram at %g Pa s, J", (double)viscosities[k]);
        mote_world_destroy(world);
    }
}

/* With the default settings its own weight squeezes a block by rho g L / (6 m) a second. */
static void thick_liquids_creep(void **state)
{
    (void)state;
    const float viscosity = 1e4f;
    mote_world *world = stirred_world(mote_default_settings(), R, 1);
    add_floor(world, (mote_material_id){0});
    add_liquid(world, liquid_def(viscosity), R, (const uint32_t[3]){10, 10, 10});
    double top[2] = {0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        step_times(world, 24, TEST_FRAME);
        mote_particles_view view = mote_particles_get_view(world);
        for (size_t i = 0; i < view.count; i++)
            top[k] = fmax(top[k], (double)view.position[i].y);
    }
    double rate = (top[0] - top[1]) / (24.0 / 60.0) / top[0];
    double expected = 1000.0 * TEST_GRAVITY * top[0] / (6.0 * (double)viscosity);
    check_near(rate, expected, 0.4 * expected, "squeezing, 1/s");
    mote_world_destroy(world);
}

/* ---- bodies --------------------------------------------------------------------------------------------- */

static mote_body_state body_of(const mote_world *world, mote_body_id body)
{
    mote_body_state state;
    must(mote_body_get(world, body, &state));
    return state;
}

/* A box within honey that moves: it is carried, and what it gets the honey loses. */
static void bodies_are_carried(void **state)
{
    (void)state;
    mote_world *world = stirred_world(weightless(), R, 1);
    mote_rigid_def def = mote_default_rigid_def();
    def.pose.position = vec(12.0f * R, 12.0f * R, 12.0f * R);
    mote_body_id box = mote_rigid_box(world, &def, (const uint32_t[3]){4, 4, 4});
    must_exist(box);
    mote_material_def honey = liquid_def(100.0f);
    mote_particle_def drop = mote_default_particle_def();
    drop.material = mote_material_add(world, &honey);
    drop.mass = 1000.0f * 8.0f * R * R * R;
    drop.velocity = vec(0.1f, 0.0f, 0.0f);
    for (int n = 0; n < 12 * 12 * 12; n++) {
        int x = n % 12, y = n / 12 % 12, z = n / 144;
        if (x > 3 && x < 8 && y > 3 && y < 8 && z > 3 && z < 8)
            continue;
        drop.position = vec((float)(2 * x + 1) * R, (float)(2 * y + 1) * R, (float)(2 * z + 1) * R);
        must_exist(mote_particle_add(world, &drop));
    }
    motion before = motion_of(world);
    step_times(world, 30, TEST_FRAME);
    motion after = motion_of(world);
    double common = before.momentum[0] / (12.0 * 12.0 * 12.0 * 1000.0 * pow(2.0 * (double)R, 3.0));
    check_near((double)body_of(world, box).velocity.x, common, 0.05 * common, "the box's speed, m/s");
    check_near(after.momentum[0], before.momentum[0], 1e-3 * before.size, "momentum");
    mote_world_destroy(world);
}

/* ---- bad input ------------------------------------------------------------------------------------------ */

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    mote_world *world = stirred_world(weightless(), R, 1);
    const float bad[4] = {-1.0f, NAN, INFINITY, 2e6f};
    const char *const names[3] = {"material.viscosity", "material.xsph", "material.vorticity"};
    for (int k = 0; k < 12; k++) {
        mote_material_def def = liquid_def(0.0f);
        float *fields[3] = {&def.viscosity, &def.xsph, &def.vorticity};
        *fields[k / 4] = bad[k % 4];
        assert_true(mote_is_null(mote_material_add(world, &def)));
        assert_non_null(strstr(mote_last_error(), names[k / 4]));
    }
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shear_waves_decay),
        cmocka_unit_test(shear_does_not_depend_on_settings),
        cmocka_unit_test(shear_without_order),
        cmocka_unit_test(no_viscosity_no_drag),
        cmocka_unit_test(couette_flow),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(turning_is_free),
        cmocka_unit_test(thick_liquids_are_stable),
        cmocka_unit_test(thick_liquids_creep),
        cmocka_unit_test(bodies_are_carried),
        cmocka_unit_test(bad_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
