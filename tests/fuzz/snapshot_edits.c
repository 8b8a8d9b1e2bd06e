#include "snapshot_edits.h"

#include "world/snapshot_layout.h"

#include <stdlib.h>

#define WORLDS   4                 /* the last one has bodies */
#define MAX_SIZE ((size_t)1 << 20) /* of a snapshot with changed counts, bytes */

/* ---- the worlds ----------------------------------------------------------------------------------------- */

static void add_particles(mote_world *world, mote_material_id material)
{
    mote_particle_id first = {0, 0};
    for (int i = 0; i < 9; i++) {
        mote_particle_def def = mote_default_particle_def();
        def.position = (mote_vec3){0.09f * (float)(i % 3), 0.05f + 0.09f * (float)(i / 3), 0.01f * (float)i};
        def.material = i % 2 == 0 ? material : (mote_material_id){0, 0};
        def.fixed = i == 8;
        mote_particle_id id = mote_particle_add(world, &def);
        if (i == 0)
            first = id;
        if (i == 5)
            mote_particle_remove(world, first); /* a handle without a particle */
        mote_pick_def pick = mote_default_pick_def();
        pick.particle = id;
        if (i == 3 || i == 4)
            mote_pick_add(world, &pick);
    }
}

static void add_closed_forms(mote_world *world)
{
    for (uint32_t type = MOTE_SHAPE_PLANE; type < MOTE_SHAPE_GEOMETRY; type++) {
        mote_shape_def def = mote_default_shape_def();
        def.type = (mote_shape_type)type;
        def.position = (mote_vec3){0.3f * (float)type, type == 0 ? 0.0f : 0.4f, 0.1f};
        def.inside = type == MOTE_SHAPE_CAPSULE;
        def.trigger = type == MOTE_SHAPE_BOX;
        def.spin.y = type == MOTE_SHAPE_SPHERE ? 1.0f : 0.0f;
        def.radius = def.inside ? 3.0f : 0.3f;
        mote_shape_id id = mote_shape_add(world, &def);
        if (type == MOTE_SHAPE_BOX)
            mote_shape_move_to(world, id, (mote_vec3){0.5f, 0.5f, 0.5f}, (mote_quat){0.0f, 0.6f, 0.0f, 0.8f});
    }
}

static void add_surroundings(mote_world *world)
{
    for (uint32_t type = 0; type < MOTE_FIELD_COUNT; type++) {
        mote_field_def def = mote_default_field_def();
        def.type = (mote_field_type)type;
        def.radius = (float)(type % 2);
        mote_field_add(world, &def);
    }
    for (uint32_t type = 0; type < MOTE_VOLUME_COUNT; type++) {
        mote_volume_def def = mote_default_volume_def();
        def.type = (mote_volume_type)type;
        if (type == MOTE_VOLUME_KILL)
            def.min.y = -2.0f, def.max.y = -1.0f;
        mote_volume_add(world, &def);
    }
}

static mote_geometry_id add_geometry(mote_world *world, uint32_t type)
{
    static const mote_vec3 corners[] = {
        {0.0f, 0.0f, 0.0f}, {0.4f, 0.0f, 0.0f}, {0.0f, 0.4f, 0.0f}, {0.0f, 0.0f, 0.4f}};
    static const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const float values[] = {1.0f, 1.0f, -1.0f, 0.5f, 1.0f, 0.3f, 0.2f, -0.1f, 0.0f};
    const mote_mesh mesh = {corners, 4, triangles, 4};
    const mote_sdf_def sdf = {{0.0f, 0.0f, 0.0f}, 0.3f, {2, 2, 2}, values};
    const mote_heightfield_def heights = {3, 3, 0.2f, values};
    switch (type) {
    case MOTE_GEOMETRY_HULL:
        return mote_hull_add(world, corners, 4);
    case MOTE_GEOMETRY_MESH:
        return mote_mesh_add(world, &mesh);
    case MOTE_GEOMETRY_SDF:
        return mote_sdf_add(world, &sdf);
    default:
        return mote_heightfield_add(world, &heights);
    }
}

static void add_geometries(mote_world *world)
{
    for (uint32_t type = 0; type < MOTE_GEOMETRY_COUNT; type++) {
        mote_shape_def def = mote_default_shape_def();
        def.type = MOTE_SHAPE_GEOMETRY;
        def.geometry = add_geometry(world, type);
        def.position = (mote_vec3){0.3f * (float)type - 0.5f, -0.2f, 0.0f};
        def.velocity.x = type == MOTE_GEOMETRY_HULL ? 0.1f : 0.0f;
        fuzz_require(!mote_is_null(mote_shape_add(world, &def)), "shapes can be added");
    }
}

/* Four particles along x, the first of them maybe those that another body ends with. */
static mote_body_id add_rod(mote_world *world, float x, float y, mote_body_mode mode,
                            const mote_particle_id *shared)
{
    mote_particle_id ids[4];
    for (int i = 0; i < 4; i++) {
        mote_particle_def def = mote_default_particle_def();
        def.position = (mote_vec3){x + 0.1f * (float)i, y, 0.0f};
        ids[i] = i == 0 && shared != NULL ? *shared : mote_particle_add(world, &def);
    }
    mote_body_def def = mote_default_body_def();
    def.particles = ids;
    def.particle_count = 4;
    def.mode = mode;
    mote_body_id body = mote_body_add(world, &def);
    fuzz_require(!mote_is_null(body), "bodies can be added");
    return body;
}

static void add_joints(mote_world *world, mote_body_id a, mote_body_id b)
{
    for (uint32_t type = 0; type < MOTE_JOINT_TYPE_COUNT; type++) {
        mote_joint_def def = mote_default_joint_def();
        def.type = (mote_joint_type)type;
        def.a = type % 2 == 0 ? a : b;
        def.b = type == MOTE_JOINT_STIFF ? b : (mote_body_id){0, 0};
        def.anchor = (mote_vec3){0.1f * (float)type, 0.4f, 0.1f};
        def.min_angle = -0.5f;
        def.swing_limit = 1.0f;
        def.break_force = type == MOTE_JOINT_STIFF ? 1000.0f : MOTE_UNBREAKABLE;
        def.yield_torque = type == MOTE_JOINT_STIFF ? 1.0f : MOTE_UNBREAKABLE;
        fuzz_require(!mote_is_null(mote_joint_add(world, &def)), "joints can be added");
    }
}

static void add_skeleton(mote_world *world)
{
    mote_bone_def bones[3];
    for (uint32_t i = 0; i < 3; i++) {
        bones[i] = mote_default_bone_def();
        bones[i].name = i == 1 ? "middle" : NULL;
        bones[i].parent = i == 0 ? MOTE_NO_BONE : i - 1;
        bones[i].rest.position = (mote_vec3){-0.5f, 0.3f + 0.3f * (float)i, 0.0f};
        bones[i].length = 0.2f;
    }
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = bones;
    def.bone_count = 3;
    def.driven = true;
    mote_skeleton_id id = mote_skeleton_add(world, &def);
    fuzz_require(!mote_is_null(id), "skeletons can be added");
    mote_skeleton_release(world, id, 2);
    mote_skeleton_drive(world, id, 2, 0.5f);
    mote_skeleton_release(world, id, 1);
}

static void add_bodies(mote_world *world)
{
    mote_body_id gone = add_rod(world, 2.0f, 1.0f, MOTE_BODY_DYNAMIC, NULL);
    mote_body_id a = add_rod(world, 0.0f, 0.3f, MOTE_BODY_DYNAMIC, NULL);
    mote_body_id b = add_rod(world, 0.0f, 0.5f, MOTE_BODY_DYNAMIC, NULL);
    mote_body_id driven = add_rod(world, 0.05f, 0.15f, MOTE_BODY_DRIVEN, NULL);
    mote_particle_id last[4];
    mote_body_particles(world, b, last, 4);
    add_rod(world, 0.3f, 0.5f, MOTE_BODY_DYNAMIC, &last[3]);
    add_joints(world, a, b);
    add_skeleton(world);
    mote_body_move_to(world, driven, (mote_pose){{0.1f, 0.0f, 0.0f}, {0.0f, 0.6f, 0.0f, 0.8f}});
    mote_body_remove(world, gone); /* handles without a body and without particles */
}

static mote_world *make_world(uint32_t which)
{
    mote_world *world = fuzz_world();
    mote_settings settings = mote_default_settings();
    settings.solver = (mote_solver)(which % MOTE_SOLVER_COUNT);
    settings.integrator = which == 1 ? MOTE_INTEGRATOR_VERLET : MOTE_INTEGRATOR_SYMPLECTIC_EULER;
    settings.sleep_speed = which == 2 ? 100.0f : 0.0f;
    settings.sleep_time = 0.0f;
    settings.mass_scaling = which == 1 ? 1.0f : 0.0f;
    mote_world_set_settings(world, &settings);
    mote_material_def material = mote_default_material_def();
    material.name = "bouncy";
    material.restitution = 0.5f;
    material.adhesion = which == 1 ? 1.0f : 0.0f;
    material.compliance = which == 2 ? 1e-4f : 0.0f;
    material.rolls = which == WORLDS - 1;
    material.report_contacts = true;
    add_particles(world, mote_material_add(world, &material));
    if (which == 0 || which == 2)
        add_closed_forms(world);
    if (which == 1 || which == 2)
        add_geometries(world);
    if (which == 0 || which == 1)
        add_surroundings(world);
    if (which == WORLDS - 1)
        add_bodies(world);
    return world;
}

static uint8_t *make_snapshot(uint32_t which, size_t *size)
{
    mote_world *world = make_world(which);
    for (int i = 0; i < 2; i++)
        fuzz_require(mote_world_step(world, 1.0f / 60.0f) == MOTE_OK, "the world can be stepped");
    *size = mote_snapshot_size(world);
    uint8_t *block = malloc(*size);
    fuzz_require(block != NULL && mote_snapshot_take(world, block, *size, NULL) == MOTE_OK,
                 "a snapshot can be taken");
    mote_world_destroy(world);
    return block;
}

/* A copy of the snapshot of a world; the worlds are made once. */
static uint8_t *plain_snapshot(uint32_t which, size_t *size)
{
    static uint8_t *blocks[WORLDS];
    static size_t sizes[WORLDS];
    if (blocks[which] == NULL)
        blocks[which] = make_snapshot(which, &sizes[which]);
    uint8_t *copy = malloc(sizes[which]);
    fuzz_require(copy != NULL, "there is memory for a snapshot");
    *size = sizes[which];
    return memcpy(copy, blocks[which], sizes[which]);
}

/* ---- the edits ------------------------------------------------------------------------------------------ */

static void edit_number(uint8_t *at, uint8_t kind, uint8_t value, const uint8_t *block, size_t size,
                        fuzz_bytes *bytes)
{
    uint32_t number = 0;
    float real;
    memcpy(&number, at, sizeof number);
    switch (kind % 6) {
    case 0:
        number = (uint32_t)(int32_t)(int8_t)value;
        break;
    case 1:
        real = fuzz_special(value);
        memcpy(&number, &real, sizeof number);
        break;
    case 2:
        number = fuzz_word(bytes);
        break;
    case 3:
        memcpy(&number, block + (value * 4u | (size_t)fuzz_byte(bytes) << 10) % (size - 4), sizeof number);
        break;
    case 4:
        number += (uint32_t)(int32_t)(int8_t)value;
        break;
    default:
        number ^= 1u << value % 32;
        break;
    }
    memcpy(at, &number, sizeof number);
}

/* In the header, or in all that follows it. */
static void edit(uint8_t *block, size_t size, bool in_header, fuzz_bytes bytes)
{
    while (bytes.left >= 4) {
        size_t place = fuzz_byte(&bytes);
        place = (place | (size_t)fuzz_byte(&bytes) << 8) * 4 % (size - 4);
        uint8_t kind = fuzz_byte(&bytes), value = fuzz_byte(&bytes);
        if ((place < sizeof(header)) == in_header)
            edit_number(block + place, kind, value, block, size, &bytes);
    }
}

/* The same parts with other counts: each keeps its beginning. */
static uint8_t *lay_out_anew(uint8_t *block, size_t *size, const layout *before)
{
    header h;
    memcpy(&h, block, sizeof h);
    h.magic = MAGIC;
    h.format = FORMAT;
    h.setting_bytes = sizeof(mote_settings);
    layout after = mt_snapshot_layout(&h);
    uint8_t *made = after.size <= MAX_SIZE ? calloc(1, after.size) : NULL;
    if (made == NULL)
        return block;
    const part *from = (const part *)before, *to = (const part *)&after;
    for (size_t i = 0; i < offsetof(layout, size) / sizeof(part); i++)
        memcpy(made + to[i].offset, block + from[i].offset,
               from[i].size < to[i].size ? from[i].size : to[i].size);
    h.size = after.size;
    memcpy(made, &h, sizeof h);
    free(block);
    *size = after.size;
    return made;
}

uint8_t *edited_snapshot(fuzz_bytes *bytes, size_t *size)
{
    uint8_t *block = plain_snapshot(fuzz_byte(bytes) % WORLDS, size);
    header h;
    memcpy(&h, block, sizeof h);
    layout before = mt_snapshot_layout(&h);
    edit(block, *size, true, *bytes);
    block = lay_out_anew(block, size, &before);
    edit(block, *size, false, *bytes);
    uint64_t checksum = mt_snapshot_checksum(block, *size);
    memcpy(block + offsetof(header, checksum), &checksum, sizeof checksum);
    return block;
}
