/* Liquids on their own: with contacts as impulses, what is out of reach of a liquid changes not one bit of how it
 * moves. A block falls and splashes in a tank, alone and with something in the world that it never meets. */
#include "stirred_world.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum {
    FRAMES = TEST_BY_BUILD(60, 10, 4),
    LENGTH = 10, /* of the block, in particles */
    HEIGHT = 14,
    DEPTH = 8,
    PARTICLES = LENGTH * HEIGHT * DEPTH,
};

/* ---- worlds --------------------------------------------------------------------------------------------- */

static void add_slab(mote_world *world, mote_vec3 position, mote_vec3 half_extents)
{
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_BOX;
    def.position = position;
    def.half_extents = half_extents;
    must_exist(mote_shape_add(world, &def));
}

/* Twice as long as the block, so that it breaks and splashes. Planes would go on for ever, and a container has
 * nothing outside. */
static void add_tank(mote_world *world)
{
    const float length = 40.0f * R, depth = 16.0f * R, height = 2.0f, thick = 0.2f;
    add_slab(world, vec(0.5f * length, -thick, 0.5f * depth), vec(length, thick, depth));
    add_slab(world, vec(-thick, height, 0.5f * depth), vec(thick, height, depth));
    add_slab(world, vec(length + thick, height, 0.5f * depth), vec(thick, height, depth));
    add_slab(world, vec(0.5f * length, height, -thick), vec(length, height, thick));
    add_slab(world, vec(0.5f * length, height, depth + thick), vec(length, height, thick));
}

static mote_world *tank_of(mote_material_def liquid, uint32_t threads)
{
    mote_world *world = stirred_world(mote_default_settings(), R, threads);
    add_tank(world);
    add_liquid(world, liquid, R, (const uint32_t[3]){LENGTH, HEIGHT, DEPTH});
    return world;
}

/* ---- what is out of reach ------------------------------------------------------------------------------- */

static void add_drop(mote_world *world, mote_material_id material, float radius, mote_vec3 velocity)
{
    mote_grains_def drop = mote_default_grains_def();
    drop.origin = vec(50.0f, 3.0f, 0.0f);
    for (int axis = 0; axis < 3; axis++)
        drop.count[axis] = 7;
    drop.radius = radius;
    drop.velocity = velocity;
    drop.material = material;
    must(mote_grains_block(world, &drop, NULL));
}

static void nothing(mote_world *world, mote_material_def liquid)
{
    (void)world;
    (void)liquid;
}

static void unused_bouncing(mote_world *world, mote_material_def liquid)
{
    mote_material_def def = mote_default_material_def();
    (void)liquid;
    def.restitution = 0.7f;
    must_exist(mote_material_add(world, &def));
}

static void unused_soft(mote_world *world, mote_material_def liquid)
{
    mote_material_def def = mote_default_material_def();
    (void)liquid;
    def.compliance = 1e-5f;
    must_exist(mote_material_add(world, &def));
}

static void unused_sticky(mote_world *world, mote_material_def liquid)
{
    mote_material_def def = mote_default_material_def();
    (void)liquid;
    def.adhesion = 0.3f;
    must_exist(mote_material_add(world, &def));
}

static mote_material_def other_liquid(void)
{
    mote_material_def other = liquid_def(30.0f);
    other.density = 1300.0f;
    other.xsph = 0.2f;
    other.vorticity = 2.0f;
    other.surface_tension = 0.4f;
    other.tensile_correction = 0.3f;
    other.adhesion = 0.2f;
    return other;
}

static void unused_liquid(mote_world *world, mote_material_def liquid)
{
    mote_material_def other = other_liquid();
    (void)liquid;
    must_exist(mote_material_add(world, &other));
}

static void same_drop(mote_world *world, mote_material_def liquid)
{
    add_drop(world, mote_material_add(world, &liquid), R, vec(0.0f, 0.0f, 0.0f));
}

/* Its speed asks for other lists. */
static void fast_drop(mote_world *world, mote_material_def liquid)
{
    add_drop(world, mote_material_add(world, &liquid), R, vec(30.0f, -4.0f, 0.0f));
}

static void other_drop(mote_world *world, mote_material_def liquid)
{
    mote_material_def other = other_liquid();
    (void)liquid;
    add_drop(world, mote_material_add(world, &other), R, vec(0.0f, 0.0f, 0.0f));
}

/* Thicker than all else: its viscosity is not solved at once. */
static void honey_drop(mote_world *world, mote_material_def liquid)
{
    mote_material_def honey = liquid_def(1e4f);
    (void)liquid;
    add_drop(world, mote_material_add(world, &honey), R, vec(1.0f, 2.0f, 0.0f));
}

static void one_grain(mote_world *world, mote_material_def liquid)
{
    mote_particle_def grain = mote_default_particle_def();
    (void)liquid;
    grain.position = vec(50.0f, 3.0f, 0.0f);
    grain.radius = 0.7f * R;
    must_exist(mote_particle_add(world, &grain));
}

/* Larger and smaller ones, so that the grid has more levels. */
static void many_grains(mote_world *world, mote_material_def liquid)
{
    (void)liquid;
    add_drop(world, (mote_material_id){0}, 4.0f * R, vec(0.0f, 0.0f, 0.0f));
}

static void one_body(mote_world *world, mote_material_def liquid)
{
    mote_rigid_def def = mote_default_rigid_def();
    (void)liquid;
    def.pose.position = vec(50.0f, 3.0f + 20.0f * R, 0.0f);
    def.velocity = vec(0.0f, -1.0f, 0.0f);
    def.spin = vec(1.0f, 2.0f, 0.0f);
    must_exist(mote_rigid_box(world, &def, (const uint32_t[3]){6, 4, 5}));
}

/* It falls on the drop. */
static void wet_body(mote_world *world, mote_material_def liquid)
{
    other_drop(world, liquid);
    one_body(world, liquid);
}

typedef struct company {
    const char *name;
    void (*add)(mote_world *world, mote_material_def liquid);
} company;

static const company COMPANIES[] = {
    {"nothing else", nothing},
    {"a material that bounces, unused", unused_bouncing},
    {"a soft material, unused", unused_soft},
    {"a sticky material, unused", unused_sticky},
    {"another liquid, unused", unused_liquid},
    {"a drop of the same liquid", same_drop},
    {"a fast drop of the same liquid", fast_drop},
    {"a drop of another liquid", other_drop},
    {"a drop of honey", honey_drop},
    {"a grain", one_grain},
    {"many grains", many_grains},
    {"a body", one_body},
    {"a body on a drop of another liquid", wet_body},
};

/* ---- what must not change -------------------------------------------------------------------------------- */

typedef struct motion {
    mote_vec4 position, velocity;
} motion;

/* Of the tank's particles, in the order of their names. */
static void read_motions(const mote_world *world, motion *motions)
{
    mote_particles_view view = mote_particles_get_view(world);
    size_t found = 0;
    for (size_t i = 0; i < view.count; i++)
        if (view.id[i].index < PARTICLES) {
            motions[view.id[i].index] = (motion){view.position[i], view.velocity[i]};
            found++;
        }
    assert_int_equal(found, PARTICLES);
}

/* Frame after frame. */
static void run_alone(mote_material_def liquid, motion *motions)
{
    mote_world *world = tank_of(liquid, 1);
    for (int frame = 0; frame < FRAMES; frame++) {
        step_times(world, 1, TEST_FRAME);
        read_motions(world, motions + (size_t)frame * PARTICLES);
    }
    mote_world_destroy(world);
}

static void check_beside(mote_material_def liquid, const char *name, const company *c, uint32_t threads,
                         const motion *alone)
{
    static motion found[PARTICLES];
    mote_world *world = tank_of(liquid, threads);
    c->add(world, liquid);
    for (int frame = 0; frame < FRAMES; frame++, alone += PARTICLES) {
        step_times(world, 1, TEST_FRAME);
        read_motions(world, found);
        uint32_t differing = 0;
        for (uint32_t i = 0; i < PARTICLES; i++)
            differing += memcmp(&alone[i], &found[i], sizeof *found) != 0;
        check_true(differing == 0, "%s beside %s: %u of %u particles moved otherwise in frame %d", name,
                   c->name, differing, (uint32_t)PARTICLES, frame);
    }
    mote_world_destroy(world);
}

static void check_all(mote_material_def liquid, const char *name)
{
    motion *alone = calloc((size_t)FRAMES * PARTICLES, sizeof *alone);
    assert_non_null(alone);
    run_alone(liquid, alone);
    for (size_t k = 0; k < sizeof COMPANIES / sizeof COMPANIES[0]; k++)
        check_beside(liquid, name, &COMPANIES[k], k % 2 == 0 ? 3 : 1, alone);
    free(alone);
}

static void water(void **state)
{
    (void)state;
    check_all(liquid_def(0.0f), "water");
}

static void oil(void **state)
{
    (void)state;
    check_all(liquid_def(1.0f), "oil");
}

static void honey(void **state)
{
    (void)state;
    check_all(liquid_def(60.0f), "honey");
}

static void everything(void **state)
{
    mote_material_def liquid = liquid_def(0.5f);
    (void)state;
    liquid.xsph = 0.1f;
    liquid.vorticity = 1.0f;
    liquid.surface_tension = 0.5f;
    liquid.adhesion = 0.1f;
    liquid.tensile_correction = 0.1f;
    check_all(liquid, "a liquid with all properties");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water),
        cmocka_unit_test(oil),
        cmocka_unit_test(honey),
        cmocka_unit_test(everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
