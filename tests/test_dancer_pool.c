/* Motion capture in water: the scene dancer-pool-capture with coarser particles. A person jumps into the pool,
 * hops through it, goes limp, and floats at rest as deep as Archimedes says. */
#include "support.h"

#include "scenes/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAPTURE "/usr/share/assimp/models/BVH/01_01.bvh" /* what the scene names */
#define COARSE  0.05f                                    /* radius of the water's particles, m */
#define DENSITY 0.75                                     /* of the person, beside the water's */

enum { RELEASED = 234, AFLOAT = 720, WATCHED = 60 }; /* frames */

static scene *open_coarse(void)
{
    static const char *const overrides[] = {"world.radius=0.05", "skeletons.person.radius=0.035",
                                            "skeletons.person.thickness=1.8", "solver.substeps=4"};
    if (access(CAPTURE, R_OK) != 0)
        skip();
    scene_faults faults = {0};
    scene *s = scene_open("dancer-pool-capture", &(scene_request){.overrides = overrides, .override_count = 4},
                          &faults);
    check_true(s != NULL && faults.count == 0, "%s", faults.count > 0 ? faults.items[0].text : "");
    scene_faults_free(&faults);
    return s;
}

static void run(scene *s, mote_world *world, uint32_t from, uint32_t to)
{
    for (uint32_t frame = from; frame < to; frame++) {
        must(scene_before_frame(s, world, frame));
        must(mote_world_step(world, s->dt));
    }
}

/* ---- what is measured ----------------------------------------------------------------------------------- */

static bool is_water(const mote_particles_view *view, size_t i)
{
    return view->position[i].w == COARSE;
}

static double energy_of(const mote_world *world, bool water)
{
    mote_particles_view view = mote_particles_get_view(world);
    double energy = 0.0;
    for (size_t i = 0; i < view.count; i++) {
        mote_vec4 v = view.velocity[i];
        if (is_water(&view, i) == water && v.w > 0.0f)
            energy += 0.5 * ((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z) / (double)v.w;
    }
    return energy;
}

static int compare_heights(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* The middle one of the highest particles of columns as wide as two particles: splashes and hollows do not
 * count. */
static double level_of(const mote_world *world)
{
    enum { WIDE = 36, DEEP = 16 };
    float tops[WIDE * DEEP] = {0};
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++) {
        int x = (int)((view.position[i].x + 1.6f) / (2.0f * COARSE)),
            z = (int)((view.position[i].z + 0.8f) / (2.0f * COARSE));
        if (is_water(&view, i) && x >= 0 && x < WIDE && z >= 0 && z < DEEP)
            tops[x * DEEP + z] = fmaxf(tops[x * DEEP + z], view.position[i].y);
    }
    qsort(tops, WIDE * DEEP, sizeof *tops, compare_heights);
    size_t first = 0;
    while (first < WIDE * DEEP - 1 && tops[first] <= 0.0f)
        first++;
    return (double)(tops[(first + WIDE * DEEP) / 2] + COARSE);
}

/* The part of the person that is below the water's level: all its particles have the same volume, those at the
 * surface are in it in part. */
static double part_under_water(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    double level = level_of(world), under = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < view.count; i++)
        if (!is_water(&view, i)) {
            double high = 2.0 * (double)view.position[i].w;
            under += fmin(fmax((level - (double)view.position[i].y) / high + 0.5, 0.0), 1.0);
            count++;
        }
    return under / (double)count;
}

static double widest_gap(const mote_world *world)
{
    mote_joint_id joints[64];
    uint32_t count = mote_joint_list(world, joints, 64);
    double widest = 0.0;
    check_above(count, 15, "joints of a person");
    for (uint32_t i = 0; i < count; i++) {
        mote_joint_state state;
        must(mote_joint_get(world, joints[i], &state));
        widest = fmax(widest, (double)state.gap);
    }
    return widest;
}

static void check_nothing_left_the_pool(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++) {
        mote_vec4 p = view.position[i];
        check_true(fabsf(p.z) < 0.6f && p.x > -2.0f && p.x < 1.9f && p.y > 0.0f && p.y < 3.0f,
                   "particle %zu is at %g %g %g", i, (double)p.x, (double)p.y, (double)p.z);
    }
}

/* ---- tests ---------------------------------------------------------------------------------------------- */

static void a_person_jumps_in_and_floats(void **state)
{
    (void)state;
    scene *s = open_coarse();
    mote_world *world;
    must(scene_create(s, 1, MOTE_SIMD_AUTO, &world));
    run(s, world, 0, RELEASED);
    check_above(energy_of(world, true), 50.0, "what three jumps leave in the water, J");
    run(s, world, RELEASED, RELEASED + 1);
    check_above(energy_of(world, false), 15.0, "with what the person goes limp in the air, J");
    run(s, world, RELEASED + 1, AFLOAT);
    double energy = 0.0, under = 0.0;
    for (uint32_t frame = AFLOAT; frame < AFLOAT + WATCHED; frame++) {
        run(s, world, frame, frame + 1);
        energy += energy_of(world, false) / WATCHED;
        under += part_under_water(world) / WATCHED;
    }
    check_below(energy, 0.1, "of the person at rest, J");
    /* The body lies flat, two decimetres thick, and the level is known to a fifth of a particle's width. */
    check_near(under, DENSITY, 0.06, "part of the person under water");
    check_below(widest_gap(world), 0.001, "widest gap of a joint, m");
    check_nothing_left_the_pool(world);
    check_near((double)mote_particle_count(world), (double)s->particles, 0.0, "particles");
    mote_world_destroy(world);
    scene_close(s);
}

static uint64_t hash_with(uint32_t threads, mote_simd simd)
{
    scene *s = open_coarse();
    mote_world *world;
    must(scene_create(s, threads, simd, &world));
    run(s, world, 0, 40);
    uint64_t hash = mote_world_hash(world);
    mote_world_destroy(world);
    scene_close(s);
    return hash;
}

static void the_same_bits(void **state)
{
    (void)state;
    uint64_t one = hash_with(1, MOTE_SIMD_BASELINE), three = hash_with(3, MOTE_SIMD_AUTO);
    check_true(one == three, "%016llx and %016llx", (unsigned long long)one, (unsigned long long)three);
}

/* Where the package with the capture is not installed, the error says which file is wanted. */
static void a_missing_capture_is_named(void **state)
{
    (void)state;
    static const char *const overrides[] = {"skeletons.person.file=/no/such/jump.bvh"};
    scene_faults faults = {0};
    scene *s = scene_open("dancer-pool-capture", &(scene_request){.overrides = overrides, .override_count = 1},
                          &faults);
    check_true(s == NULL && faults.errors == 1, "%zu errors", faults.errors);
    assert_string_equal(faults.items[0].field, "skeletons[0].file");
    check_true(strstr(faults.items[0].text, "/no/such/jump.bvh") != NULL, "%s", faults.items[0].text);
    scene_faults_free(&faults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_person_jumps_in_and_floats),
        cmocka_unit_test(the_same_bits),
        cmocka_unit_test(a_missing_capture_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
