/* Hashes of small worlds of every material, for machines that the tests themselves cannot run on: it needs nothing but
 * the library. scripts/test-elsewhere compares what it prints on each of them.
 *
 *     grains 0123456789abcdef
 *     ... */
#include <mote/mote.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define R     0.05f          /* m, of all particles */
#define FRAME (1.0f / 60.0f) /* s */

static void check(bool fine)
{
    if (!fine) {
        fprintf(stderr, "%s\n", mote_last_error());
        exit(1);
    }
}

static void must(mote_result result)
{
    check(result == MOTE_OK);
}

static void must_exist(uint32_t generation)
{
    check(generation != 0);
}

/* ---- what is in them ------------------------------------------------------------------------------------ */

static void add_floor(mote_world *world)
{
    mote_plane_def floor = mote_default_plane_def();
    must_exist(mote_plane_add(world, &floor).generation);
}

static void add_tank(mote_world *world, float half)
{
    mote_shape_def tank = mote_default_shape_def();
    tank.type = MOTE_SHAPE_BOX;
    tank.inside = true;
    tank.position = (mote_vec3){0.0f, half, 0.0f};
    tank.half_extents = (mote_vec3){half, half, half};
    must_exist(mote_shape_add(world, &tank).generation);
}

static void add_grains(mote_world *world, const mote_material_def *material, mote_vec3 origin, uint32_t side)
{
    mote_grains_def block = mote_default_grains_def();
    block.origin = origin;
    block.count[0] = block.count[1] = block.count[2] = side;
    block.jitter = 0.2f;
    block.radius_spread = 0.2f;
    block.material = mote_material_add(world, material);
    must_exist(block.material.generation);
    must(mote_grains_block(world, &block, NULL));
}

static void add_liquid(mote_world *world, float density, float viscosity, mote_vec3 min, mote_vec3 max)
{
    mote_material_def material = mote_default_material_def();
    material.fluid = true;
    material.density = density;
    material.viscosity = viscosity;
    material.surface_tension = 0.07f;
    material.vorticity = 0.5f;
    material.xsph = 0.05f;
    mote_fluid_def block = mote_default_fluid_def();
    block.min = min;
    block.max = max;
    block.material = mote_material_add(world, &material);
    must_exist(block.material.generation);
    must(mote_fluid_block(world, &block, NULL));
}

static mote_body_id add_box(mote_world *world, mote_vec3 place, mote_vec3 velocity)
{
    mote_rigid_def def = mote_default_rigid_def();
    def.pose.position = place;
    def.velocity = velocity;
    def.spin = (mote_vec3){1.0f, 2.0f, 3.0f};
    mote_body_id body = mote_rigid_box(world, &def, (const uint32_t[3]){3, 4, 3});
    must_exist(body.generation);
    return body;
}

static void add_round(mote_world *world, mote_vec3 place)
{
    mote_rigid_def def = mote_default_rigid_def();
    def.pose.position = place;
    must_exist(mote_rigid_ball(world, &def, 4.0f * R).generation);
    def.pose.position.x += 0.8f;
    must_exist(mote_rigid_capsule(world, &def, 4.0f * R, 2.0f * R).generation);
}

static void add_pair(mote_world *world, mote_joint_type type, mote_vec3 place)
{
    mote_joint_def joint = mote_default_joint_def();
    joint.type = type;
    joint.anchor = (mote_vec3){place.x, place.y + 0.3f, place.z};
    joint.a = add_box(world, place, (mote_vec3){0.0f, 0.0f, 0.0f});
    joint.b = add_box(world, (mote_vec3){place.x, place.y + 0.6f, place.z}, (mote_vec3){1.0f, 0.0f, 0.5f});
    joint.damping = 0.5f;
    must_exist(mote_joint_add(world, &joint).generation);
}

/* ---- the worlds ----------------------------------------------------------------------------------------- */

static void grains(mote_world *world)
{
    mote_material_def sand = mote_default_material_def(), beads = sand, sticky = sand;
    beads.rolls = true;
    beads.restitution = 0.6f;
    sticky.adhesion = 2.0f;
    sticky.compliance = 1e-6f;
    add_floor(world);
    add_grains(world, &sand, (mote_vec3){0.0f, 0.3f, 0.0f}, 7);
    add_grains(world, &beads, (mote_vec3){0.2f, 1.3f, 0.1f}, 6);
    add_grains(world, &sticky, (mote_vec3){-0.3f, 2.2f, 0.2f}, 5);
}

static void bodies(mote_world *world)
{
    add_floor(world);
    for (int i = 0; i < 6; i++)
        add_box(world, (mote_vec3){0.03f * (float)i, 0.3f + 0.45f * (float)i, 0.0f},
                (mote_vec3){0.0f, -1.0f, 0.0f});
    for (int i = 0; i < 4; i++)
        add_round(world, (mote_vec3){-0.6f, 0.5f + 0.6f * (float)i, 0.05f * (float)i});
}

static void joints(mote_world *world)
{
    add_floor(world);
    for (int type = 0; type < MOTE_JOINT_TYPE_COUNT; type++)
        for (int i = 0; i < 3; i++)
            add_pair(world, (mote_joint_type)type,
                     (mote_vec3){0.5f * (float)type, 0.4f + 1.4f * (float)i, 0.1f * (float)i});
}

static void liquids(mote_world *world)
{
    add_tank(world, 0.8f);
    add_liquid(world, 1000.0f, 0.001f, (mote_vec3){-0.8f, 0.0f, -0.8f}, (mote_vec3){0.8f, 0.4f, 0.0f});
    add_liquid(world, 800.0f, 2.0f, (mote_vec3){-0.8f, 0.5f, -0.2f}, (mote_vec3){0.2f, 0.9f, 0.6f});
}

static void mixed(mote_world *world)
{
    mote_material_def beads = mote_default_material_def();
    beads.rolls = true;
    liquids(world);
    add_grains(world, &beads, (mote_vec3){-0.3f, 1.0f, -0.3f}, 4);
    add_pair(world, MOTE_JOINT_HINGE, (mote_vec3){0.4f, 0.8f, -0.4f});
    add_round(world, (mote_vec3){-0.4f, 0.7f, -0.5f});
}

typedef struct small_world {
    const char *name;
    void (*fill)(mote_world *world);
} small_world;

static uint64_t hash_of(const small_world *small, int frames)
{
    mote_world_def def = mote_default_world_def();
    mote_world *world = NULL;
    def.radius = R;
    def.thread_count = 1;
    must(mote_world_create(&def, &world));
    small->fill(world);
    for (int i = 0; i < frames; i++)
        must(mote_world_step(world, FRAME));
    uint64_t hash = mote_world_hash(world);
    mote_world_destroy(world);
    return hash;
}

int main(int count, char **words)
{
    static const small_world worlds[] = {
        {"grains", grains}, {"bodies", bodies}, {"joints", joints}, {"liquids", liquids}, {"mixed", mixed},
    };
    int frames = count > 1 ? atoi(words[1]) : 120;
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
        printf("%s %016" PRIx64 "\n", worlds[i].name, hash_of(&worlds[i], frames));
        fflush(stdout);
    }
    return 0;
}
