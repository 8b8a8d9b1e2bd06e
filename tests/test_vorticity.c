/* XSPH and vorticity confinement; all that stirs liquids is the same for all threads and instruction sets. */
#include "stirred_world.h"
#include "support.h"

#include <math.h>
#include <string.h>

/* ---- XSPH and vorticity --------------------------------------------------------------------------------- */

#define LOOSE 1.1f /* times the rest spacing: no pressure yet */

static mote_vec3 one_moves(mote_vec4 place, float speed)
{
    const float middle = R + 8.0f * R * LOOSE;
    bool is_middle = fabsf(place.x - middle) < R && fabsf(place.y - middle) < R && fabsf(place.z - middle) < R;
    return vec(is_middle ? speed : 0.0f, 0.0f, 0.0f);
}

/* The kernel's sum over the neighbours in a lattice. */
static double kernel_sum(double spacing)
{
    double sum = 0.0;
    for (int n = 0; n < 125; n++) {
        int x = n % 5 - 2, y = n / 5 % 5 - 2, z = n / 25 - 2;
        double q = 0.5 * spacing * sqrt((double)(x * x + y * y + z * z));
        sum += q > 0.0 && q < 1.0 ? pow(1.0 - q, 4.0) * (4.0 * q + 1.0) : 0.0;
    }
    return sum;
}

/* At the rest spacing all of the difference to the neighbours' mean, which is 0, would go with 1. */
static void xsph_takes_the_mean(void **state)
{
    (void)state;
    for (int k = 1; k <= 2; k++) {
        mote_settings settings = weightless();
        settings.substeps = 1;
        mote_world *world = stirred_world(settings, R, 1);
        mote_material_def liquid = liquid_def(0.0f);
        liquid.xsph = 0.5f * (float)k;
        mote_grains_def block = mote_default_grains_def();
        block.origin = vec(R, R, R);
        block.count[0] = block.count[1] = block.count[2] = 9;
        block.spacing = 2.0f * R * LOOSE;
        block.material = mote_material_add(world, &liquid);
        must(mote_grains_block(world, &block, NULL));
        set_velocities(world, one_moves, 1e-3f);
        step_times(world, 1, 1e-3f);
        mote_particles_view view = mote_particles_get_view(world);
        double total = 0.0, middle = 0.0;
        for (size_t i = 0; i < view.count; i++) {
            total += (double)view.velocity[i].x;
            if (one_moves(view.position[i], 1.0f).x > 0)
                middle = (double)view.velocity[i].x;
        }
        double part = 0.5 * k * kernel_sum((double)LOOSE) / kernel_sum(1.0);
        check_near(middle, 1e-3 * (1.0 - part), 1e-6, "speed with %g, m/s", 0.5 * k);
        check_near(total, 1e-3, 1e-8, "sum of speeds, m/s");
        mote_world_destroy(world);
    }
}

/* A vortex that is fastest at a fifth of a metre from its middle. */
static mote_vec3 vortex(mote_vec4 place, float speed)
{
    float x = place.x - 20.0f * R, y = place.y - 20.0f * R, far = (x * x + y * y) / 0.04f;
    float rate = speed / 0.2f * 2.0f / (1.0f + far * far);
    return vec(-rate * y, rate * x, 0.0f);
}

/* The energy of turning at the end, in parts of that at the start, and the most that it ever was. The box has room for a
 * spacing more: one that is just full of a lattice holds it so tightly that it swings to and fro like a solid. */
static double energy_of_vortex(float confinement, uint32_t frames, double *most)
{
    mote_world *world = stirred_world(weightless(), R, 1);
    mote_material_def liquid = liquid_def(0.1f);
    liquid.vorticity = confinement;
    liquid.xsph = 0.02f;
    add_liquid(world, liquid, R, (const uint32_t[3]){20, 20, 4});
    add_wall(world, vec(1, 0, 0), 0.0f);
    add_wall(world, vec(-1, 0, 0), -42.0f * R);
    add_wall(world, vec(0, 1, 0), 0.0f);
    add_wall(world, vec(0, -1, 0), -42.0f * R);
    add_wall(world, vec(0, 0, 1), 0.0f);
    add_wall(world, vec(0, 0, -1), -8.0f * R);
    set_velocities(world, vortex, 0.3f);
    double start = stats_of(world).kinetic_energy, now = start;
    *most = 1.0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        step_times(world, 1, TEST_FRAME);
        now = stats_of(world).kinetic_energy;
        *most = fmax(*most, now / start);
    }
    mote_world_destroy(world);
    return now / start;
}

static void confinement_keeps_vortices(void **state)
{
    (void)state;
    double most;
    double without = energy_of_vortex(0.0f, 30, &most);
    double with = energy_of_vortex(1.0f, 30, &most);
    check_above(with, 1.1 * without, "energy left, beside %g without confinement", without);
    energy_of_vortex(1.0f, 150, &most);
    check_below(most, 2.0, "the most energy there ever was");
}

/* ---- the same everywhere -------------------------------------------------------------------------------- */

static uint64_t hash_of(uint32_t threads, mote_simd simd)
{
    mote_world_def def = mote_default_world_def();
    def.radius = R;
    def.thread_count = threads;
    def.simd = simd;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    add_box(world, 24.0f * R, (mote_material_id){0});
    mote_material_def liquid = liquid_def(10.0f);
    liquid.xsph = 0.1f;
    liquid.vorticity = 0.5f;
    add_liquid(world, liquid, R, (const uint32_t[3]){10, 12, 10});
    liquid.viscosity = 1000.0f;
    liquid.density = 1400.0f;
    mote_grains_def block = mote_default_grains_def();
    block.origin = vec(-19.0f * R, R, R);
    block.count[1] = 8;
    block.material = mote_material_add(world, &liquid);
    must(mote_grains_block(world, &block, NULL));
    block = mote_default_grains_def();
    block.origin = vec(-15.0f * R, 18.0f * R, R);
    block.radius = 1.5f * R;
    block.radius_spread = 0.6f;
    block.count[0] = block.count[1] = block.count[2] = 5;
    must(mote_grains_block(world, &block, NULL));
    mote_rigid_def body = mote_default_rigid_def();
    body.pose.position = vec(8.0f * R, 27.5f * R, 8.0f * R);
    must_exist(mote_rigid_box(world, &body, (const uint32_t[3]){5, 3, 5}));
    step_times(world, 8, TEST_FRAME);
    uint64_t hash = mote_world_hash(world);
    mote_world_destroy(world);
    return hash;
}

static void threads_and_simd_levels_agree(void **state)
{
    (void)state;
    const uint32_t threads[4] = {1, 2, 3, 5};
    uint64_t expected = hash_of(2, MOTE_SIMD_AUTO);
    for (int k = 0; k < 4; k++)
        assert_int_equal(hash_of(threads[k], MOTE_SIMD_AUTO), expected);
    for (int simd = MOTE_SIMD_BASELINE; simd < MOTE_SIMD_COUNT; simd++)
        if (mote_simd_supported((mote_simd)simd))
            assert_int_equal(hash_of(2, (mote_simd)simd), expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xsph_takes_the_mean),
        cmocka_unit_test(confinement_keeps_vortices),
        cmocka_unit_test(threads_and_simd_levels_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
