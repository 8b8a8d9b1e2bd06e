#include "jointed_world.h"

#include <math.h>

enum { MOST_PARTICLES = 64 }; /* of a block */

static const float SPACING = 2 * TEST_RADIUS;

mote_body_id add_block(mote_world *world, const uint32_t count[3], mote_vec3 corner, mote_vec3 velocity,
                       mote_body_mode mode)
{
    mote_particle_id ids[MOST_PARTICLES];
    size_t made = 0;
    for (uint32_t z = 0; z < count[2]; ++z)
        for (uint32_t y = 0; y < count[1]; ++y)
            for (uint32_t x = 0; x < count[0]; ++x) {
                assert_true(made < MOST_PARTICLES);
                mote_vec3 at = {corner.x + SPACING * (float)x, corner.y + SPACING * (float)y,
                                corner.z + SPACING * (float)z};
                ids[made++] = add_particle(world, at, velocity, (mote_material_id){0});
            }
    mote_body_def def = mote_default_body_def();
    def.particles = ids;
    def.particle_count = made;
    def.mode = mode;
    mote_body_id body = mote_body_add(world, &def);
    must_exist(body);
    return body;
}

mote_joint_id add_joint(mote_world *world, mote_joint_type type, mote_body_id a, mote_body_id b,
                        mote_vec3 anchor)
{
    mote_joint_def def = mote_default_joint_def();
    def.type = type;
    def.a = a;
    def.b = b;
    def.anchor = anchor;
    def.axis = vec(1, 0, 0);
    def.second_axis = vec(0, 1, 0);
    def.damping = 0.5f;
    if (type == MOTE_JOINT_HINGE) {
        def.min_angle = -1;
        def.max_angle = 1.5f;
    } else if (type == MOTE_JOINT_BALL)
        def.swing_limit = def.twist_limit = 1.2f;
    mote_joint_id joint = mote_joint_add(world, &def);
    must_exist(joint);
    return joint;
}

mote_body_state body_state_of(const mote_world *world, mote_body_id body)
{
    mote_body_state state;
    must(mote_body_get(world, body, &state));
    return state;
}

/* Two blocks with room for a joint's particles between them. */
static void add_jointed_pair(jointed_world *made, uint32_t which, mote_vec3 corner)
{
    static const uint32_t count[3] = {2, 2, 2};
    mote_vec3 beside = {corner.x + 3 * SPACING, corner.y, corner.z};
    mote_vec3 anchor = {corner.x + 2 * SPACING, corner.y + 0.5f * SPACING, corner.z + 0.5f * SPACING};
    mote_body_id a = add_block(made->world, count, corner, vec(0.5f, 0, 0), MOTE_BODY_DYNAMIC);
    mote_body_id b = add_block(made->world, count, beside, vec(0.5f, -1, 0), MOTE_BODY_DYNAMIC);
    made->jointed[which][0] = a;
    made->jointed[which][1] = b;
    made->joints[which] = add_joint(made->world, (mote_joint_type)which, a, b, anchor);
}

/* A rod of nine particles in two bodies, which have the middle one in common. */
static void add_sharing_pair(jointed_world *made, mote_vec3 start)
{
    mote_particle_id ids[9];
    for (int i = 0; i < 9; ++i)
        ids[i] = add_particle(made->world, vec(start.x + SPACING * (float)i, start.y, start.z), vec(0, 0, 0),
                              (mote_material_id){0});
    mote_body_def def = mote_default_body_def();
    def.particle_count = 5;
    for (int k = 0; k < 2; ++k) {
        def.particles = ids + 4 * k;
        made->pair[k] = mote_body_add(made->world, &def);
        must_exist(made->pair[k]);
    }
}

static void add_door(jointed_world *made, mote_vec3 corner)
{
    static const uint32_t count[3] = {2, 4, 1};
    made->door = add_block(made->world, count, corner, vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    mote_vec3 anchor = {corner.x + 0.5f * SPACING, corner.y + 4 * SPACING, corner.z};
    made->joints[4] = add_joint(made->world, MOTE_JOINT_HINGE, made->door, (mote_body_id){0}, anchor);
}

static void add_skeleton(jointed_world *made, mote_vec3 position)
{
    mote_bone_def bones[3];
    for (uint32_t i = 0; i < 3; ++i) {
        bones[i] = mote_default_bone_def();
        bones[i].parent = i == 0 ? MOTE_NO_BONE : 0;
        bones[i].rest.position = vec(0.2f * (float)i, 0.2f * (float)(i > 0), 0);
        bones[i].length = 0.3f;
    }
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = bones;
    def.bone_count = 3;
    def.pose.position = position;
    made->skeleton = mote_skeleton_add(made->world, &def);
    must_exist(made->skeleton);
    must(mote_skeleton_drive(made->world, made->skeleton, 0, 0));
    must(mote_skeleton_drive(made->world, made->skeleton, 1, 2));
}

static void add_blocks_and_grains(mote_world *world, uint32_t blocks)
{
    static const uint32_t count[3] = {3, 3, 3};
    for (uint32_t i = 0; i < blocks; ++i)
        add_block(world, count,
                  vec(-0.7f + 0.35f * (float)(i % 5), 1.2f + 0.35f * (float)(i / 10),
                      -0.4f + 0.4f * (float)(i / 5 % 2)),
                  vec(0.1f * (float)(i % 3), -1, 0), MOTE_BODY_DYNAMIC);
    if (blocks == 0)
        return;
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[2] = 8;
    grains.count[1] = (blocks + 4) / 5;
    grains.origin = vec(-0.5f, 0.06f, -0.5f);
    grains.radius_spread = 0.2f;
    must(mote_grains_block(world, &grains, NULL));
}

jointed_world make_jointed_world(const mote_world_def *def, uint32_t blocks)
{
    jointed_world made = {0};
    must(mote_world_create(def, &made.world));
    add_box(made.world, 1.1f, (mote_material_id){0});
    static const uint32_t paddle[3] = {2, 2, 8};
    made.paddle = add_block(made.world, paddle, vec(-1, 0.3f, -0.35f), vec(0, 0, 0), MOTE_BODY_DRIVEN);
    for (uint32_t type = 0; type < MOTE_JOINT_TYPE_COUNT; ++type)
        add_jointed_pair(&made, type, vec(-0.5f, 0.8f, -0.75f + 0.35f * (float)type));
    add_sharing_pair(&made, vec(-0.4f, 0.65f, 0.8f));
    add_door(&made, vec(0.7f, 0.6f, 0));
    add_skeleton(&made, vec(0.5f, 0.9f, -0.9f));
    add_blocks_and_grains(made.world, blocks);
    return made;
}

/* To and fro along x, tilting: no sine, so that every C library agrees. */
void move_paddle(mote_world *world, mote_body_id paddle)
{
    uint64_t phase = mote_world_step_count(world) % 120;
    float way = (float)(phase < 60 ? phase : 120 - phase) / 60.0f, tilt = 0.3f * way;
    mote_pose pose = {vec(1.2f * way, 0.1f * way, 0), {0, 0, tilt, sqrtf(1 - tilt * tilt)}};
    must(mote_body_move_to(world, paddle, pose));
}

static uint64_t add_number(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * 1099511628211u;
}

uint64_t run_jointed(mote_world *world, mote_body_id paddle, uint32_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (uint32_t i = 0; i < count; ++i) {
        move_paddle(world, paddle);
        step_times(world, 1, TEST_FRAME);
        mote_events events = mote_world_events(world);
        for (size_t k = 0; k < events.count; ++k) {
            const mote_event *e = &events.items[k];
            hash = add_number(hash, (uint64_t)e->type << 32 | e->a.index);
            hash = add_number(hash, (uint64_t)e->joint.index << 32 | e->body.index);
        }
        hash = add_number(hash, mote_world_hash(world));
    }
    return hash;
}
