/* The same bits, whatever computes them: every scene that is shipped, in a small edition, frame by frame with
 * several numbers of threads and every SIMD level that this machine has, and the hash of golden.inl, which other
 * compilers and builds must meet as well. The frames that are compared are late ones, when things have met: others
 * begin with a snapshot. In the long version they run from the start, and for two seconds. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scene.h"

typedef struct golden {
    const char *name;
    uint32_t particles; /* asked for; 0: the scene's own number */
    uint32_t frames;
    uint64_t hash;
} golden;

#define GOLDEN(name, particles, frames, hash) {name, particles, frames, hash},
static const golden goldens[] = {
#include "golden.inl"
    {NULL, 0, 0, 0}};
#undef GOLDEN

enum {
    SMALL = 2000,                               /* particles, of the scenes that come in any size */
    FRAMES = 40,                                /* until the golden hash */
    FIRST_FRAMES = TEST_BY_BUILD(FRAMES, 3, 1), /* of the run that the others are compared with */
    OTHER_FRAMES = TEST_BY_BUILD(4, 1, 1),      /* the last of these */
    LONG_FRAMES = 120,
};

/* A run of a scene: the hash after each frame, and how the world was before frame `from`. */
typedef struct course {
    uint32_t frames, from;
    uint64_t hashes[LONG_FRAMES];
    void *snapshot;
    size_t size;
} course;

/* A shipped scene, small if it comes in any size. */
static scene *open_small(const char *name)
{
    scene_faults faults = {0};
    scene *s = scene_open(name, NULL, &faults);
    if (s != NULL && s->scalable) {
        scene_close(s);
        s = scene_open(name, &(scene_request){.particles = SMALL}, &faults);
    }
    check_true(s != NULL && faults.count == 0, "%s: %s", name, faults.count > 0 ? faults.items[0].text : "");
    scene_faults_free(&faults);
    return s;
}

static void keep(course *c, const mote_world *world)
{
    size_t capacity = mote_snapshot_size(world);
    c->snapshot = malloc(capacity);
    assert_non_null(c->snapshot);
    must(mote_snapshot_take(world, c->snapshot, capacity, &c->size));
}

/* Runs a scene from frame `from` on, from the snapshot if there is one, and notes the hashes. */
static void run_from(scene *s, course *c, uint32_t from, uint32_t threads, mote_simd simd, uint64_t *hashes)
{
    mote_world *world = NULL;
    must(scene_create(s, threads, simd, &world));
    if (c->snapshot != NULL && from > 0)
        must(mote_snapshot_restore(world, c->snapshot, c->size));
    for (uint32_t frame = from; frame < c->frames; ++frame) {
        if (frame == c->from && frame > from)
            keep(c, world);
        must(scene_before_frame(s, world, frame));
        must(mote_world_step(world, s->dt));
        hashes[frame] = mote_world_hash(world);
    }
    mote_world_destroy(world);
}

static course first_course(scene *s, uint32_t frames, uint32_t others)
{
    course c = {.frames = frames, .from = frames - others};
    run_from(s, &c, 0, 1, MOTE_SIMD_AUTO, c.hashes);
    return c;
}

static uint32_t asked_number(const scene *s)
{
    return s->scalable ? SMALL : 0;
}

static void check_variant(scene *s, course *c, uint32_t threads, mote_simd simd)
{
    uint64_t hashes[LONG_FRAMES];
    run_from(s, c, c->from, threads, simd, hashes);
    for (uint32_t frame = c->from; frame < c->frames; ++frame)
        check_true(hashes[frame] == c->hashes[frame], "%s, frame %u, %u threads, %s: %016llx, expected %016llx",
                   s->name, frame, threads, mote_simd_name(simd), (unsigned long long)hashes[frame],
                   (unsigned long long)c->hashes[frame]);
}

static const golden *find_golden(const char *name)
{
    for (const golden *g = goldens; g->name != NULL; ++g)
        if (strcmp(g->name, name) == 0)
            return g;
    return NULL;
}

static void every_scene(void **state)
{
    (void)state;
    /* Each SIMD level with another number of threads: whichever of the two changes a bit is seen. */
    static const uint32_t threads[MOTE_SIMD_COUNT - MOTE_SIMD_BASELINE] = {2, 3, 5};
    for (size_t i = 0; scene_shipped(i) != NULL; ++i) {
        scene *s = open_small(scene_shipped(i));
        const golden *g = find_golden(s->name);
        check_true(g != NULL, "%s has no line in golden.inl", s->name);
        check_true(g->particles == asked_number(s) && g->frames == FRAMES, "%s: golden.inl is of another size",
                   s->name);
        course c = test_is_long() ? first_course(s, LONG_FRAMES, LONG_FRAMES)
                                  : first_course(s, FIRST_FRAMES, OTHER_FRAMES);
        check_true(c.frames < FRAMES || c.hashes[FRAMES - 1] == g->hash, "%s: %016llx, golden %016llx", s->name,
                   (unsigned long long)c.hashes[FRAMES - 1], (unsigned long long)g->hash);
        /* For the thread sanitizer, which looks for races, five threads are enough. */
        for (int k = TEST_BY_BUILD(0, 0, 2); k < MOTE_SIMD_COUNT - MOTE_SIMD_BASELINE; ++k) {
            mote_simd simd = (mote_simd)(MOTE_SIMD_BASELINE + k);
            check_variant(s, &c, threads[k], mote_simd_supported(simd) ? simd : MOTE_SIMD_AUTO);
        }
        free(c.snapshot);
        scene_close(s);
    }
}

/* Solvers, integrators and the rarer settings are not in the scenes; they must not depend on threads and SIMD
 * either. */
static void every_setting(void **state)
{
    (void)state;
    for (int variant = 0; variant < 9; ++variant) {
        uint64_t expected = 0;
        for (int simd = MOTE_SIMD_BASELINE; simd < MOTE_SIMD_COUNT; ++simd) {
            if (!mote_simd_supported((mote_simd)simd))
                continue;
            mote_settings settings = mote_default_settings();
            settings.solver = (mote_solver)(variant % MOTE_SOLVER_COUNT);
            settings.integrator = (mote_integrator)(variant % MOTE_INTEGRATOR_COUNT);
            settings.mass_scaling = variant >= 3 ? 2.0f : 0;
            settings.sleep_speed = variant >= 3 ? 0.05f : 0;
            settings.relaxation = variant >= 3 ? 1.5f : 1;
            settings.damping = variant >= 3 ? 0.1f : 0;
            mote_world_def def = test_world_def(&settings);
            def.simd = (mote_simd)simd;
            def.thread_count = (uint32_t)simd; /* 1, 2, 3 */
            mote_world *world = tumbling_world(&def, 9, 9, 9);
            mote_material_def material = mote_default_material_def();
            material.adhesion = 5;
            material.restitution = 0.3f;
            material.compliance =
                variant >= 6 ? 1e-5f : 0; /* soft contacts take their own way through the solvers */
            must(mote_material_set(world, mote_world_default_material(world), &material));
            step_times(world, TEST_BY_BUILD(40, 40, 5), TEST_FRAME);
            assert_int_equal(mote_world_simd(world), simd);
            uint64_t hash = mote_world_hash(world);
            mote_world_destroy(world);
            if (simd == MOTE_SIMD_BASELINE)
                expected = hash;
            check_true(hash == expected, "settings %d with %s: %016llx, baseline %016llx", variant,
                       mote_simd_name((mote_simd)simd), (unsigned long long)hash, (unsigned long long)expected);
        }
    }
}

/* Two liquids with every property that liquids can have, sand and a body in a corner of a tank. */
static mote_world *wet_world(uint32_t threads, mote_simd simd)
{
    mote_settings settings = mote_default_settings();
    mote_world_def def = test_world_def(&settings);
    def.simd = simd;
    def.thread_count = threads;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    add_floor(world, (mote_material_id){0});
    const float width = 2 * def.radius;
    for (int half = 0; half < 2; half++) {
        mote_material_def liquid = mote_default_material_def();
        liquid.fluid = true;
        liquid.density = half == 0 ? 1000 : 600;
        liquid.viscosity = half == 0 ? 5 : 0.001f;
        liquid.xsph = 0.05f;
        liquid.vorticity = 0.5f;
        liquid.surface_tension = 20;
        liquid.tensile_correction = half == 0 ? 0.5f : 0.1f;
        mote_fluid_def block = mote_default_fluid_def();
        block.min = vec((float)half * 6 * width, 0, 0);
        block.max = vec((float)half * 6 * width + 6 * width, 8 * width, 8 * width);
        block.jitter = 0.2f;
        block.material = mote_material_add(world, &liquid);
        assert_false(mote_is_null(block.material));
        must(mote_fluid_block(world, &block, NULL));
    }
    mote_grains_def sand = mote_default_grains_def();
    sand.origin = vec(0, 9 * width, 0);
    sand.count[0] = sand.count[1] = sand.count[2] = 4;
    must(mote_grains_block(world, &sand, NULL));
    mote_rigid_def slab = mote_default_rigid_def();
    slab.pose.position = vec(9 * width, 10 * width, 4 * width);
    assert_false(mote_is_null(mote_rigid_box(world, &slab, (uint32_t[3]){5, 2, 5})));
    return world;
}

static void every_property_of_liquids(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint32_t threads = 1; threads <= 5; threads += threads < 3 ? 1 : 2)
        for (int simd = MOTE_SIMD_BASELINE; simd < MOTE_SIMD_COUNT; ++simd) {
            if (!mote_simd_supported((mote_simd)simd))
                continue;
            mote_world *world = wet_world(threads, (mote_simd)simd);
            step_times(world, TEST_BY_BUILD(20, 10, 3), TEST_FRAME);
            uint64_t hash = mote_world_hash(world);
            mote_world_destroy(world);
            if (expected == 0)
                expected = hash;
            check_true(hash == expected, "%u threads with %s: %016llx, one with baseline %016llx", threads,
                       mote_simd_name((mote_simd)simd), (unsigned long long)hash, (unsigned long long)expected);
        }
}

/* The hash must notice the smallest change of each thing that it stands for. */
static uint64_t hash_after(void (*change)(mote_world *world, mote_particle_id particle))
{
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    mote_particle_id p = add_particle(world, vec(1, 2, 3), vec(1, 1, 1), (mote_material_id){0});
    change(world, p);
    uint64_t hash = mote_world_hash(world);
    mote_world_destroy(world);
    return hash;
}

static void change_nothing(mote_world *world, mote_particle_id particle)
{
    (void)world, (void)particle;
}
static void change_position(mote_world *world, mote_particle_id particle)
{
    must(mote_particle_set_position(world, particle, vec(1, 2.0000002f, 3)));
}
static void change_velocity(mote_world *world, mote_particle_id particle)
{
    must(mote_particle_set_velocity(world, particle, vec(1, 1, 1.0000001f)));
}
static void change_phase(mote_world *world, mote_particle_id particle)
{
    must(mote_particle_set_phase(world, particle, MOTE_PHASE_DEFAULT ^ 1));
}
static void change_mass(mote_world *world, mote_particle_id particle)
{
    must(mote_particle_set_mass(world, particle, 1.0000001f));
}
static void change_plane(mote_world *world, mote_particle_id particle)
{
    (void)particle;
    mote_plane_def def = mote_default_plane_def();
    must_exist(mote_plane_add(world, &def));
}
static void change_settings(mote_world *world, mote_particle_id particle)
{
    (void)particle;
    mote_settings settings = mote_default_settings();
    settings.iterations = 3;
    must(mote_world_set_settings(world, &settings));
}
static void change_material(mote_world *world, mote_particle_id particle)
{
    (void)particle;
    mote_material_def def = mote_default_material_def();
    def.restitution = 0.0001f;
    must(mote_material_set(world, mote_world_default_material(world), &def));
}

static void hash_sees_every_change(void **state)
{
    (void)state;
    void (*const changes[])(mote_world *, mote_particle_id) = {
        change_nothing, change_position, change_velocity, change_phase,
        change_mass,    change_plane,    change_settings, change_material,
    };
    enum { CHANGES = sizeof changes / sizeof changes[0] };
    uint64_t hashes[CHANGES];
    for (int i = 0; i < CHANGES; ++i) {
        hashes[i] = hash_after(changes[i]);
        for (int k = 0; k < i; ++k)
            check_true(hashes[i] != hashes[k], "changes %d and %d give different hashes", k, i);
    }
    check_true(hash_after(change_nothing) == hashes[0], "no change, no other hash");
}

static int print_goldens(void)
{
    puts("/* GOLDEN(scene, particles, frames, hash after the last frame). Made by\n"
         " *     MOTE_GOLDEN=print build/tests/test_determinism > tests/golden.inl\n"
         " * which is right only after a change that is meant to change the results. */");
    for (size_t i = 0; scene_shipped(i) != NULL; ++i) {
        scene *s = open_small(scene_shipped(i));
        course c = first_course(s, FRAMES, 0);
        printf("GOLDEN(\"%s\", %u, %u, 0x%016llxu)\n", s->name, asked_number(s), (unsigned)FRAMES,
               (unsigned long long)c.hashes[FRAMES - 1]);
        scene_close(s);
    }
    return 0;
}

int main(void)
{
    const char *golden_mode = getenv("MOTE_GOLDEN");
    if (golden_mode != NULL && strcmp(golden_mode, "print") == 0)
        return print_goldens();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene),
        cmocka_unit_test(every_setting),
        cmocka_unit_test(every_property_of_liquids),
        cmocka_unit_test(hash_sees_every_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
