/* Bad input about particles: their numbers, their handles, many at once, and blocks of them. */
#include "bad_input.h"

static void particle_numbers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    const mote_particle_def good = mote_default_particle_def();
    mote_particle_def bad;
    for (int i = 0; i < 3; ++i) {
        bad = good, bad.position.x = not_finite[i];
        refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_NOT_FINITE, "position");
        bad = good, bad.position.z = not_finite[i];
        refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_NOT_FINITE, "position");
        bad = good, bad.velocity.y = not_finite[i];
        refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_NOT_FINITE, "velocity");
        bad = good, bad.mass = not_finite[i];
        refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_NOT_FINITE, "mass");
        bad = good, bad.radius = not_finite[i];
        refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_NOT_FINITE, "radius");
    }
    bad = good, bad.mass = -1;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "mass");
    bad = good, bad.mass = 0;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "mass");
    bad = good, bad.radius = -0.1f;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "radius");
    bad = good, bad.radius = 0;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "radius");
    bad = good, bad.phase = 0xFFFFFFFFu;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "phase");
    bad = good, bad.radius = 1e-30f;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "radius");
    bad = good, bad.position.x = 2e6f;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "position");
    bad = good, bad.velocity = vec(9e3f, 9e3f, 0);
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "velocity");
    bad = good, bad.material = (mote_material_id){5, 1};
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_STALE_HANDLE, "material");
    mote_world_destroy(f.world);
}

static void particle_setters(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_world *w = f.world;
    refused(w, mote_particle_set_position(w, f.particle, vec(0, NAN, 0)), MOTE_ERROR_NOT_FINITE, "position");
    refused(w, mote_particle_set_position(w, f.particle, vec(0, 1e7f, 0)), MOTE_ERROR_ARGUMENT, "position");
    refused(w, mote_particle_set_velocity(w, f.particle, vec(INFINITY, 0, 0)), MOTE_ERROR_NOT_FINITE,
            "velocity");
    refused(w, mote_particle_set_velocity(w, f.particle, vec(1e5f, 0, 0)), MOTE_ERROR_ARGUMENT, "velocity");
    refused(w, mote_particle_set_mass(w, f.particle, NAN), MOTE_ERROR_NOT_FINITE, "mass");
    refused(w, mote_particle_set_mass(w, f.particle, 0), MOTE_ERROR_ARGUMENT, "mass");
    refused(w, mote_particle_set_mass(w, f.particle, -2), MOTE_ERROR_ARGUMENT, "mass");
    refused(w, mote_particle_set_mass(w, f.fixed_particle, 1), MOTE_ERROR_ARGUMENT, "fixed");
    refused(w, mote_particle_set_fixed(w, f.fixed_particle, false, 0), MOTE_ERROR_ARGUMENT, "mass");
    refused(w, mote_particle_apply_impulse(w, f.particle, vec(0, 0, NAN)), MOTE_ERROR_NOT_FINITE, "impulse");
    refused(w, mote_particle_apply_impulse(w, f.particle, vec(1e6f, 0, 0)), MOTE_ERROR_ARGUMENT, "impulse");
    refused(w, mote_particle_set_material(w, f.particle, (mote_material_id){9, 1}), MOTE_ERROR_STALE_HANDLE,
            "material");
    mote_world_destroy(w);
}

/* All or none: the bad one is the last of four. */
static void bulk_calls(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_particle_def defs[4];
    for (int i = 0; i < 4; ++i)
        defs[i] = mote_default_particle_def();
    defs[3].mass = -1;
    mote_particle_id ids[4] = {{0}};
    refused(f.world, mote_particles_add(f.world, defs, 4, ids), MOTE_ERROR_ARGUMENT, "mass");
    refused(f.world, mote_particles_add(f.world, NULL, 4, ids), MOTE_ERROR_ARGUMENT, "defs");
    mote_particle_id written[3] = {f.particle, f.fixed_particle, f.stale_particle};
    mote_vec3 values[3] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
    refused(f.world, mote_particles_write(f.world, written, 3, values, values), MOTE_ERROR_STALE_HANDLE,
            "particle");
    values[1].x = NAN;
    refused(f.world, mote_particles_write(f.world, written, 2, values, NULL), MOTE_ERROR_NOT_FINITE,
            "position");
    refused(f.world, mote_particles_write(f.world, written, 2, NULL, values), MOTE_ERROR_NOT_FINITE,
            "velocity");
    refused(f.world, mote_particles_write(f.world, NULL, 2, values, NULL), MOTE_ERROR_ARGUMENT, "ids");
    refused(f.world, mote_particles_read(f.world, written, 3, values, NULL), MOTE_ERROR_STALE_HANDLE,
            "particle");
    mote_world_destroy(f.world);
}

static void check_particle_handle(fixture f, mote_particle_id bad)
{
    mote_world *w = f.world;
    mote_particle_state out;
    const mote_result stale = MOTE_ERROR_STALE_HANDLE;
    check_true(!mote_particle_is_valid(w, bad), "the handle is not valid");
    refused(w, mote_particle_get(w, bad, &out), stale, "particle");
    refused(w, mote_particle_remove(w, bad), stale, "particle");
    refused(w, mote_particle_set_position(w, bad, vec(0, 0, 0)), stale, "particle");
    refused(w, mote_particle_set_velocity(w, bad, vec(0, 0, 0)), stale, "particle");
    refused(w, mote_particle_set_phase(w, bad, 0), stale, "particle");
    refused(w, mote_particle_set_material(w, bad, mote_world_default_material(w)), stale, "particle");
    refused(w, mote_particle_set_mass(w, bad, 1), stale, "particle");
    refused(w, mote_particle_set_fixed(w, bad, true, 1), stale, "particle");
    refused(w, mote_particle_apply_impulse(w, bad, vec(1, 0, 0)), stale, "particle");
}

static void particle_handles(void **state)
{
    (void)state;
    fixture f = make_fixture();
    check_particle_handle(f, f.stale_particle);
    check_particle_handle(f, (mote_particle_id){0, 0});
    check_particle_handle(f, (mote_particle_id){UINT32_MAX, 1});
    check_particle_handle(f, (mote_particle_id){f.particle.index, f.particle.generation + 1});
    mote_world_destroy(f.world);
}

static void more_particles_than_the_limit(void **state)
{
    (void)state;
    mote_world_def def = test_world_def(NULL);
    def.max_particles = 10;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    mote_grains_def grains = mote_default_grains_def();
    refused(world, mote_grains_block(world, &grains, NULL), MOTE_ERROR_LIMIT, "max_particles");
    for (int i = 0; i < 10; ++i)
        add_particle(world, vec((float)i, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_particle_def one = mote_default_particle_def();
    refused_handle(world, mote_particle_add(world, &one), MOTE_ERROR_LIMIT, "max_particles");
    must(mote_particle_remove(world, mote_particles_get_view(world).id[4]));
    must_exist(mote_particle_add(world, &one));
    mote_world_destroy(world);
}

/* ---- grains --------------------------------------------------------------------------------------------- */

static void grains_numbers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    const mote_grains_def good = mote_default_grains_def();
    mote_grains_def bad;
    bad = good, bad.count[1] = 0;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "count");
    bad = good, bad.radius = 0;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "radius");
    bad = good, bad.spacing = 0;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "spacing");
    bad = good, bad.radius = -1;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "radius");
    bad = good, bad.radius_spread = 1;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "radius_spread");
    bad = good, bad.spacing = NAN;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_NOT_FINITE, "spacing");
    bad = good, bad.spacing = -1;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "spacing");
    bad = good, bad.jitter = 2;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "jitter");
    bad = good, bad.origin.y = INFINITY;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_NOT_FINITE, "origin");
    bad = good, bad.velocity.y = NAN;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_NOT_FINITE, "velocity");
    bad = good, bad.material = (mote_material_id){77, 1};
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_STALE_HANDLE, "material");
    bad = good, bad.count[0] = UINT32_MAX;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "count");
    /* Products of 2^32 and 2^64: they must not wrap round to a small number. */
    bad = good, bad.count[0] = bad.count[1] = 1u << 16, bad.count[2] = 1;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_LIMIT, "max_particles");
    bad = good, bad.count[0] = bad.count[1] = 1u << 21, bad.count[2] = 1u << 21;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_LIMIT, "max_particles");
    /* The first thousands fit into space, the last ones do not: none may stay. */
    bad = good, bad.origin.x = 999500, bad.count[0] = 10000, bad.count[1] = bad.count[2] = 1;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "position");
    refused(f.world, mote_grains_block(f.world, NULL, NULL), MOTE_ERROR_ARGUMENT, "def");
    mote_world_destroy(f.world);
}

/* As it was also for what comes next: after a block that failed half-way, the next particle gets the handle
 * that it would have got anyway. */
static void failed_block_leaves_no_trace(void **state)
{
    (void)state;
    mote_world *worlds[2];
    mote_particle_id next[2];
    for (int i = 0; i < 2; ++i) {
        worlds[i] = make_fixture().world;
        mote_grains_def bad = mote_default_grains_def();
        bad.origin.x = 999500, bad.count[0] = 10000, bad.count[1] = bad.count[2] = 1;
        if (i == 1)
            refused(worlds[i], mote_grains_block(worlds[i], &bad, NULL), MOTE_ERROR_ARGUMENT, "position");
        next[i] = add_particle(worlds[i], vec(5, 5, 5), vec(0, 0, 0), (mote_material_id){0});
        step_times(worlds[i], 5, TEST_FRAME);
    }
    uint32_t numbers = next[0].generation ^ next[1].generation; /* of the two worlds */
    check_true(next[0].index == next[1].index && (numbers & 0xFFFFFFu) == 0,
               "the next particle is %u.%u, expected %u.%u", next[1].index, next[1].generation, next[0].index,
               next[0].generation);
    check_true(mote_world_hash(worlds[0]) == mote_world_hash(worlds[1]), "the same state five steps later");
    mote_world_destroy(worlds[0]);
    mote_world_destroy(worlds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particle_numbers),
        cmocka_unit_test(particle_setters),
        cmocka_unit_test(bulk_calls),
        cmocka_unit_test(particle_handles),
        cmocka_unit_test(more_particles_than_the_limit),
        cmocka_unit_test(grains_numbers),
        cmocka_unit_test(failed_block_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
