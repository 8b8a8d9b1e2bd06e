/* The interface as its users meet it: handles and generations, views, reading and writing in bulk, defaults,
 * builders, and the force on a shape. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- handles against a model ---------------------------------------------------------------------------- */

enum { MODEL = 400 };

typedef struct model {
    mote_particle_id id;
    mote_vec3 position;
    float mass, radius;
    uint32_t phase;
    bool alive;
} model;

static void add_to_model(mote_world *world, model *m, uint64_t *seed)
{
    mote_particle_def def = mote_default_particle_def();
    def.position =
        vec(random_between(seed, -50, 50), random_between(seed, -50, 50), random_between(seed, -50, 50));
    def.mass = random_between(seed, 0.5f, 2);
    def.radius = random_between(seed, 0.01f, 0.05f);
    def.phase = mote_phase((uint32_t)random_between(seed, 0, 1000), true, 1);
    m->id = mote_particle_add(world, &def);
    must_exist(m->id);
    m->position = def.position;
    m->mass = def.mass;
    m->radius = def.radius;
    m->phase = def.phase;
    m->alive = true;
}

static void check_model(mote_world *world, const model *models)
{
    size_t alive = 0;
    for (int i = 0; i < MODEL; ++i) {
        const model *m = &models[i];
        check_true(mote_particle_is_valid(world, m->id) == m->alive, "particle %d is %s", i,
                   m->alive ? "alive" : "gone");
        if (!m->alive)
            continue;
        ++alive;
        mote_particle_state s = state_of(world, m->id);
        check_near(distance_of(s.position, m->position), 0, 0, "position of particle %d", i);
        check_near(s.mass, m->mass, 1e-6, "mass of particle %d", i);
        check_near(s.radius, m->radius, 0, "radius of particle %d", i);
        check_near(s.phase, m->phase, 0, "phase of particle %d", i);
    }
    check_near((double)mote_particle_count(world), (double)alive, 0, "particles");
    mote_particles_view view = mote_particles_get_view(world);
    check_near((double)view.count, (double)alive, 0, "particles in the view");
    for (size_t slot = 0; slot < view.count; ++slot) {
        mote_particle_state s = state_of(world, view.id[slot]);
        mote_vec4 p = view.position[slot], v = view.velocity[slot];
        check_true(p.x == s.position.x && p.y == s.position.y && p.z == s.position.z && p.w == s.radius,
                   "position in slot %zu is that of its id", slot);
        check_true(v.x == s.velocity.x && v.y == s.velocity.y && v.z == s.velocity.z, "velocity in slot %zu",
                   slot);
        check_near(1 / (double)v.w, s.mass, 1e-6, "inverse mass in slot %zu", slot);
        check_near(view.phase[slot], s.phase, 0, "phase in slot %zu", slot);
        mote_material_id material = mote_material_at(world, view.material[slot]);
        check_true(material.index == s.material.index, "material in slot %zu", slot);
    }
}

/* Particles come and go, the solver reorders them in between; every handle must keep its meaning, and none that
 * was removed may ever come to life again. */
static void handles_keep_their_meaning(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    static model models[MODEL];
    static mote_particle_id removed[4000];
    size_t removals = 0;
    uint64_t seed = 3;
    for (int round = 0; round < 40; ++round) {
        for (int i = 0; i < MODEL; ++i) {
            float dice = random_between(&seed, 0, 1);
            if (models[i].alive && dice < 0.2f) {
                must(mote_particle_remove(world, models[i].id));
                models[i].alive = false;
                if (removals < 4000)
                    removed[removals++] = models[i].id;
            } else if (!models[i].alive && dice < 0.6f) {
                add_to_model(world, &models[i], &seed);
            }
        }
        step_times(world, 1, TEST_FRAME);
        check_model(world, models);
    }
    check_above((double)removals, 1000, "removals");
    for (size_t i = 0; i < removals; ++i)
        check_true(!mote_particle_is_valid(world, removed[i]), "removed particle %zu stays away", i);
    mote_world_destroy(world);
}

static void generations_tell_apart(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_particle_id last = {0};
    for (int i = 0; i < 1000; ++i) {
        mote_particle_id id = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
        check_true(id.index != last.index || id.generation != last.generation, "handle %d is new", i);
        check_true(i == 0 || !mote_particle_is_valid(world, last), "handle %d is stale", i - 1);
        must(mote_particle_remove(world, id));
        last = id;
    }
    check_below((double)last.index, 10, "index after a thousand times one particle: places are used again");
    mote_world_destroy(world);
}

static void shapes_are_listed_in_order(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_shape_id made[5], listed[5] = {{0}};
    for (int i = 0; i < 5; ++i) {
        mote_plane_def def = mote_default_plane_def();
        def.offset = (float)-i;
        made[i] = mote_plane_add(world, &def);
    }
    must(mote_shape_remove(world, made[1]));
    check_near(mote_shape_count(world), 4, 0, "shapes");
    check_near(mote_shape_list(world, listed, 2), 4, 0, "shapes that there are, though only two are wanted");
    check_true(mote_is_null(listed[2]), "no more than wanted are written");
    mote_shape_list(world, listed, 5);
    static const int expected[] = {0, 2, 3, 4};
    for (int i = 0; i < 4; ++i) {
        check_near(listed[i].index, made[expected[i]].index, 0, "shape %d of the list", i);
        mote_plane_def def;
        must(mote_plane_get(world, listed[i], &def));
        check_near(def.offset, -expected[i], 0, "offset of shape %d of the list", i);
    }
    mote_world_destroy(world);
}

/* ---- reading and writing -------------------------------------------------------------------------------- */

static void bulk_reads_what_it_wrote(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    enum { COUNT = 100 };
    mote_particle_id ids[COUNT];
    mote_vec3 positions[COUNT], velocities[COUNT], read_positions[COUNT], read_velocities[COUNT];
    uint64_t seed = 9;
    for (int i = 0; i < COUNT; ++i)
        ids[i] = add_particle(world, vec((float)i, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 1, TEST_FRAME); /* now the slots are in another order */
    for (int i = 0; i < COUNT; ++i) {
        positions[i] = vec(0, random_between(&seed, -99, 99), (float)i);
        velocities[i] = vec(random_between(&seed, -1, 1), (float)i, 0);
    }
    must(mote_particles_write(world, ids, COUNT, positions, velocities));
    must(mote_particles_read(world, ids, COUNT, read_positions, read_velocities));
    assert_memory_equal(positions, read_positions, sizeof positions);
    assert_memory_equal(velocities, read_velocities, sizeof velocities);
    must(mote_particles_write(world, ids, COUNT, NULL, NULL));
    must(mote_particles_read(world, ids, COUNT, NULL, NULL));
    must(mote_particles_read(world, NULL, 0, NULL, NULL));
    must(mote_particles_read(world, ids, 1, NULL, read_velocities));
    check_near(read_velocities[0].y, 0, 0, "velocity read alone");
    mote_world_destroy(world);
}

static void setters(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_particle_id p = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_material_id other = add_material(world, 1, 1, 1);
    must(mote_particle_set_position(world, p, vec(1, 2, 3)));
    must(mote_particle_set_velocity(world, p, vec(4, 5, 6)));
    must(mote_particle_set_phase(world, p, mote_phase(7, false, 3)));
    must(mote_particle_set_material(world, p, other));
    must(mote_particle_set_mass(world, p, 8));
    mote_particle_state s = state_of(world, p);
    check_near(distance_of(s.position, vec(1, 2, 3)), 0, 0, "position");
    check_near(distance_of(s.velocity, vec(4, 5, 6)), 0, 0, "velocity");
    check_near(s.phase, mote_phase(7, false, 3), 0, "phase");
    check_near(s.material.index, other.index, 0, "material");
    check_near(s.mass, 8, 1e-5, "mass");
    check_true(!s.fixed && !s.asleep, "free and awake");
    must(mote_particle_set_fixed(world, p, true, 0));
    check_true(state_of(world, p).fixed, "fixed");
    must(mote_particle_set_velocity(world, p, vec(0, 0, 0)));
    step_times(world, 10, TEST_FRAME);
    check_near(state_of(world, p).position.y, 2, 0, "height of a fixed particle");
    must(mote_particle_set_fixed(world, p, false, 2));
    check_near(state_of(world, p).mass, 2, 1e-6, "mass after being fixed");
    step_times(world, 10, TEST_FRAME);
    check_below(state_of(world, p).position.y, 1.95, "height of a particle that is free again");
    mote_world_destroy(world);
}

static void defaults_are_as_documented(void **state)
{
    (void)state;
    mote_settings s = mote_default_settings();
    check_near(s.gravity.y, -9.81, 1e-6, "gravity");
    check_near(s.substeps, 8, 0, "substeps");
    check_near(s.iterations, 1, 0, "iterations");
    check_near(s.stabilization_iterations, 1, 0, "stabilization_iterations");
    check_true(s.solver == MOTE_SOLVER_IMPULSE, "solver");
    check_near(s.mass_scaling, 0, 0, "mass_scaling");
    check_near(s.relaxation, 1, 0, "relaxation");
    check_near(s.contact_margin, 1.1, 1e-6, "contact_margin");
    check_near(s.neighbor_skin, 0.5, 1e-6, "neighbor_skin");
    check_near(s.sleep_speed, 0, 0, "sleep_speed");
    mote_material_def m = mote_default_material_def();
    check_near(m.density, 1000, 0, "density");
    check_near(m.static_friction, 0.5, 0, "static_friction");
    check_near(m.kinetic_friction, 0.4, 1e-6, "kinetic_friction");
    mote_world *world = test_world(NULL);
    check_near(mote_material_count(world), 1, 0, "materials of a new world");
    check_true(!mote_is_null(mote_world_default_material(world)), "the default material");
    check_true(mote_is_null(mote_material_at(world, 1)), "past the end of the materials");
    mote_particle_id p = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    check_near(state_of(world, p).radius, TEST_RADIUS, 0, "radius 0 means the world's");
    check_near(state_of(world, p).material.index, mote_world_default_material(world).index, 0, "null material");
    mote_world_destroy(world);
}

/* What mote_material_get gives can be given back, name and all. */
static void materials_read_and_write(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_material_def def = mote_default_material_def(), read;
    char name[] = "exactly thirty-one bytes long..";
    def.name = name;
    def.color = 0x123456;
    def.restitution = 0.25f;
    mote_material_id id = mote_material_add(world, &def);
    must_exist(id);
    memset(name, '-', 5); /* the name was copied */
    must(mote_material_get(world, id, &read));
    assert_string_equal(read.name, "exactly thirty-one bytes long..");
    read.restitution = 0.75f;
    must(mote_material_set(world, id, &read));
    must(mote_material_get(world, id, &read));
    assert_string_equal(read.name, "exactly thirty-one bytes long..");
    check_near(read.restitution, 0.75, 0, "restitution");
    check_near(read.color, 0x123456, 0, "colour");
    mote_world_destroy(world);
}

/* ---- builders ------------------------------------------------------------------------------------------- */

static void grains_stand_where_they_should(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_grains_def def = mote_default_grains_def();
    def.origin = vec(1, 2, 3);
    def.count[0] = 3;
    def.count[1] = 4;
    def.count[2] = 5;
    def.spacing = 0.25f;
    def.velocity = vec(1, 0, 0);
    mote_particle_id ids[60];
    must(mote_grains_block(world, &def, ids));
    check_near((double)mote_particle_count(world), 60, 0, "grains");
    for (int i = 0; i < 60; ++i) {
        mote_particle_state s = state_of(world, ids[i]);
        mote_vec3 expected =
            vec(1 + 0.25f * (float)(i % 3), 2 + 0.25f * (float)(i / 3 % 4), 3 + 0.25f * (float)(i / 12));
        check_near(distance_of(s.position, expected), 0, 1e-6, "place of grain %d", i);
        /* density times the volume of a ball */
        check_near(s.mass, 1000 * 4.0 / 3 * TEST_PI * pow(TEST_RADIUS, 3), 1e-5, "mass of grain %d", i);
        check_near(s.velocity.x, 1, 0, "velocity of grain %d", i);
    }
    mote_world_destroy(world);
}

/* Spread and jitter stay in their limits, reach them nearly, and depend on the seed alone. */
static void grains_vary_within_limits(void **state)
{
    (void)state;
    double smallest = 1, largest = 0, furthest = 0;
    uint64_t hashes[3];
    static const uint32_t seeds[] = {5, 5, 6};
    for (int run = 0; run < 3; ++run) {
        mote_world *world = test_world(NULL);
        mote_grains_def def = mote_default_grains_def();
        def.radius_spread = 0.6f;
        def.jitter = 0.3f;
        def.seed = seeds[run];
        static mote_particle_id ids[1000];
        must(mote_grains_block(world, &def, ids));
        for (int i = 0; i < 1000; ++i) {
            mote_particle_state s = state_of(world, ids[i]);
            const float spacing = 2 * TEST_RADIUS;
            mote_vec3 lattice =
                vec(spacing * (float)(i % 10), spacing * (float)(i / 10 % 10), spacing * (float)(i / 100));
            smallest = fmin(smallest, s.radius);
            largest = fmax(largest, s.radius);
            furthest = fmax(furthest, fabs((double)s.position.x - (double)lattice.x));
            double ball = 1000 * 4.0 / 3 * TEST_PI * pow((double)s.radius, 3);
            check_near(s.mass, ball, 1e-5 * ball, "mass of grain %d", i);
        }
        hashes[run] = mote_world_hash(world);
        mote_world_destroy(world);
    }
    check_near(smallest, 0.4 * TEST_RADIUS, 0.02 * TEST_RADIUS, "smallest radius");
    check_above(smallest, 0.4 * TEST_RADIUS * (1 - 1e-6), "smallest radius");
    check_near(largest, TEST_RADIUS, 0.02 * TEST_RADIUS, "largest radius");
    check_below(largest, TEST_RADIUS * (1 + 1e-6), "largest radius");
    check_below(furthest, 0.3 * 2 * TEST_RADIUS * (1 + 1e-5), "largest jitter");
    check_above(furthest, 0.25 * 2 * TEST_RADIUS, "largest jitter");
    check_true(hashes[0] == hashes[1] && hashes[0] != hashes[2], "the seed alone decides");
}

/* ---- forces on shapes ----------------------------------------------------------------------------------- */

static void floor_feels_one_particle(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_shape_id floor = add_floor(world, (mote_material_id){0});
    mote_particle_def def = mote_default_particle_def();
    def.mass = 3;
    def.position = vec(0, TEST_RADIUS, 0);
    must_exist(mote_particle_add(world, &def));
    step_times(world, 60, TEST_FRAME);
    mote_vec3 force;
    must(mote_shape_force(world, floor, &force));
    check_near(force.y, -3 * TEST_GRAVITY, 0.02 * 3 * TEST_GRAVITY, "force on the floor under 3 kg");
    check_near(hypot(force.x, force.z), 0, 1e-3, "force along the floor");
    mote_world_destroy(world);
}

/* The walls carry a part of the pile by friction; floor and walls together carry all of it. The mean of a
 * second is the weight but for the change of the pile's momentum in that second. */
static void box_feels_the_weight_of_a_pile(void **state)
{
    (void)state;
    mote_world_def def = test_world_def(NULL);
    mote_world *world = tumbling_world(&def, 8, 8, 8);
    step_times(world, 300, TEST_FRAME);
    mote_particles_view view = mote_particles_get_view(world);
    double weight = 0, mean[3] = {0};
    for (size_t i = 0; i < view.count; ++i)
        weight += TEST_GRAVITY / (double)view.velocity[i].w;
    mote_shape_id shapes[5];
    assert_int_equal(mote_shape_list(world, shapes, 5), 5);
    for (int frame = 0; frame < 60; ++frame) {
        step_times(world, 1, TEST_FRAME);
        for (int i = 0; i < 5; ++i) {
            mote_vec3 force;
            must(mote_shape_force(world, shapes[i], &force));
            mean[0] += (double)force.x / 60;
            mean[1] += (double)force.y / 60;
            mean[2] += (double)force.z / 60;
        }
    }
    check_near(mean[1], -weight, 0.02 * weight, "force down on floor and walls");
    check_near(mean[0], 0, 0.02 * weight, "force along x on floor and walls");
    check_near(mean[2], 0, 0.02 * weight, "force along z on floor and walls");
    mote_world_destroy(world);
}

static void names_and_versions(void **state)
{
    (void)state;
    assert_string_equal(mote_simd_name(MOTE_SIMD_BASELINE), "baseline");
    assert_string_equal(mote_simd_name(MOTE_SIMD_AVX512), "avx512");
    assert_true(mote_simd_supported(MOTE_SIMD_BASELINE));
    assert_true(mote_stage_count() > 3);
    for (uint32_t i = 0; i < mote_stage_count(); ++i)
        assert_true(strlen(mote_stage_name(i)) > 0);
    mote_world *world = test_world(NULL);
    add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 1, TEST_FRAME);
    mote_stats stats = stats_of(world);
    double sum = 0;
    for (uint32_t i = 0; i < mote_stage_count(); ++i)
        sum += mote_world_stage_ms(world, i);
    check_above(stats.step_ms, 1e-9, "time of a step");
    check_below(sum, stats.step_ms * 1.001 + 1e-6, "time of all stages against that of the step");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_keep_their_meaning),
        cmocka_unit_test(generations_tell_apart),
        cmocka_unit_test(shapes_are_listed_in_order),
        cmocka_unit_test(bulk_reads_what_it_wrote),
        cmocka_unit_test(setters),
        cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(materials_read_and_write),
        cmocka_unit_test(grains_stand_where_they_should),
        cmocka_unit_test(grains_vary_within_limits),
        cmocka_unit_test(floor_feels_one_particle),
        cmocka_unit_test(box_feels_the_weight_of_a_pile),
        cmocka_unit_test(names_and_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
