#include "jointed_objects.h"

#include "io/scene_math.h"

#include <math.h>

#define ROOT_TWO   1.41421356f
#define ROOT_THREE 1.73205081f

/* Most particles: two lattices and six of a universal joint's middle. */
#define MAX_PARTICLES (2 * 4 * JOINTED_MAX_LAYERS + 6)

/* Particles that are in the upper, the lower and the middle body. */
enum { UPPER = 1, LOWER = 2, MIDDLE = 4 };

/* An object as points in its own coordinates, each with the bodies that it is in. */
typedef struct lattice {
    float radius; /* m */
    uint32_t count;
    mote_vec3 points[MAX_PARTICLES];
    uint32_t bodies[MAX_PARTICLES];
} lattice;

/* ---- the lattices --------------------------------------------------------------------------------------- */

/* Of the layer next to the joint, in radii. With these distances the particles of a body and those that it
 * shares touch or nearly do, and the particles of different bodies do not overlap. */
static float first_layer(jointed_kind kind)
{
    static const float heights[JOINTED_KIND_COUNT] = {[JOINTED_KNEE] = 2.0f,
                                                      [JOINTED_BALL] = 2.0f,
                                                      [JOINTED_STIFF] = 2.0f,
                                                      [JOINTED_UNIVERSAL] = 3.0f,
                                                      [JOINTED_HINGE] = ROOT_THREE};
    return heights[kind];
}

static float layer_height(const jointed_object_def *def, uint32_t layer)
{
    return (first_layer(def->kind) + 2.0f * (float)layer) * def->radius;
}

/* A point given in radii. */
static void add_point(lattice *l, uint32_t bodies, float x, float y, float z)
{
    l->points[l->count] = (mote_vec3){x * l->radius, y * l->radius, z * l->radius};
    l->bodies[l->count++] = bodies;
}

static void add_body_layers(lattice *l, const jointed_object_def *def, uint32_t body, float side)
{
    for (uint32_t layer = 0; layer < def->layers; layer++) {
        float y = side * (first_layer(def->kind) + 2.0f * (float)layer);
        for (int corner = 0; corner < 4; corner++)
            add_point(l, body, corner % 2 == 0 ? -1.0f : 1.0f, y, corner < 2 ? -1.0f : 1.0f);
    }
}

/* The middle is an octahedron of particles that touch: two are shared with the upper body, two with the lower,
 * and two are its own. Turned any way about the shared ones, it just clears the layers that start at 3 r. */
static void add_octahedron(lattice *l)
{
    for (int side = -1; side <= 1; side += 2) {
        float s = ROOT_TWO * (float)side;
        add_point(l, UPPER | MIDDLE, s, 0.0f, 0.0f);
        add_point(l, LOWER | MIDDLE, 0.0f, 0.0f, s);
        add_point(l, MIDDLE, 0.0f, s, 0.0f);
    }
}

static void add_joint(lattice *l, jointed_kind kind)
{
    if (kind == JOINTED_BALL) {
        add_point(l, UPPER | LOWER, 0.0f, 0.0f, 0.0f);
        return;
    }
    if (kind == JOINTED_UNIVERSAL) {
        add_octahedron(l);
        return;
    }
    for (int side = -1; side <= 1; side += 2) {
        float z = (float)side;
        if (kind == JOINTED_HINGE) {
            add_point(l, UPPER | LOWER, 0.0f, 0.0f, z);
            continue;
        }
        /* The lower body's own two stop the knee: the upper one lies on them when it is straight. */
        add_point(l, UPPER | LOWER, 1.0f, 0.0f, z);
        add_point(l, kind == JOINTED_KNEE ? LOWER : UPPER | LOWER, -1.0f, 0.0f, z);
    }
}

static bool in_range(const jointed_object_def *def)
{
    return (uint32_t)def->kind < JOINTED_KIND_COUNT && def->layers >= 1 && def->layers <= JOINTED_MAX_LAYERS;
}

static void make_lattice(lattice *l, const jointed_object_def *def)
{
    l->radius = def->radius;
    l->count = 0;
    add_body_layers(l, def, UPPER, 1.0f);
    add_body_layers(l, def, LOWER, -1.0f);
    add_joint(l, def->kind);
}

/* ---- objects -------------------------------------------------------------------------------------------- */

jointed_object_def jointed_object_default(jointed_kind kind)
{
    return (jointed_object_def){.kind = kind,
                                .rotation = {0.0f, 0.0f, 0.0f, 1.0f},
                                .radius = JOINTED_RADIUS,
                                .mass = 1.0f,
                                .layers = kind == JOINTED_UNIVERSAL ? 3 : 4};
}

uint32_t jointed_object_particles(const jointed_object_def *def)
{
    if (!in_range(def))
        return 0;
    lattice l;
    make_lattice(&l, def);
    return l.count;
}

void jointed_object_reach(const jointed_object_def *def, float *lowest, float *highest)
{
    *lowest = layer_height(def, 0);
    *highest = layer_height(def, def->layers - 1);
}

static mote_result add_particles(mote_world *world, const jointed_object_def *def, const lattice *l,
                                 mote_particle_id *ids)
{
    mote_particle_def particles[MAX_PARTICLES];
    for (uint32_t i = 0; i < l->count; i++) {
        mote_vec3 from_center = scene_rotate(def->rotation, l->points[i]);
        particles[i] = mote_default_particle_def();
        particles[i].position = (mote_vec3){def->center.x + from_center.x, def->center.y + from_center.y,
                                            def->center.z + from_center.z};
        particles[i].radius = def->radius;
        particles[i].mass = def->mass;
        particles[i].material = def->material;
    }
    return mote_particles_add(world, particles, l->count, ids);
}

static mote_quat unit(mote_quat q)
{
    float scale = 1.0f / sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (mote_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

static mote_body_id add_body(mote_world *world, const jointed_object_def *def, const lattice *l,
                             const mote_particle_id *ids, uint32_t body)
{
    mote_particle_id own[MAX_PARTICLES];
    size_t count = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (l->bodies[i] & body)
            own[count++] = ids[i];
    mote_body_def body_def = mote_default_body_def();
    body_def.particles = own;
    body_def.particle_count = count;
    body_def.frame = (mote_pose){def->center, unit(def->rotation)};
    return mote_body_add(world, &body_def);
}

/* Dissolves the bodies first, so that shared particles are removed once. */
static void take_back(mote_world *world, const mote_body_id *bodies, uint32_t body_count,
                      const mote_particle_id *ids, uint32_t count)
{
    for (uint32_t i = 0; i < body_count; i++)
        (void)mote_body_dissolve(world, bodies[i]);
    for (uint32_t i = 0; i < count; i++)
        (void)mote_particle_remove(world, ids[i]);
}

mote_result jointed_object_add(mote_world *world, const jointed_object_def *def,
                               mote_body_id bodies[JOINTED_MAX_BODIES], uint32_t *body_count)
{
    *body_count = 0;
    if (!in_range(def))
        return MOTE_ERROR_ARGUMENT;
    lattice l;
    mote_particle_id ids[MAX_PARTICLES];
    make_lattice(&l, def);
    mote_result result = add_particles(world, def, &l, ids);
    if (result != MOTE_OK)
        return result;
    static const uint32_t parts[JOINTED_MAX_BODIES] = {UPPER, LOWER, MIDDLE};
    uint32_t part_count = def->kind == JOINTED_UNIVERSAL ? 3 : 2;
    for (uint32_t i = 0; i < part_count; i++) {
        bodies[i] = add_body(world, def, &l, ids, parts[i]);
        if (mote_is_null(bodies[i])) {
            result = mote_last_result();
            take_back(world, bodies, i, ids, l.count);
            return result;
        }
    }
    *body_count = part_count;
    return MOTE_OK;
}

/* ---- what both scenes have ------------------------------------------------------------------------------ */

#define FRICTION 0.6f
#define GRAVITY  10.0f /* m/s^2 */

static mote_result apply_settings(mote_world *world)
{
    mote_settings settings = mote_world_settings(world);
    settings.gravity = (mote_vec3){0.0f, -GRAVITY, 0.0f};
    return mote_world_set_settings(world, &settings);
}

static mote_material_id add_material(mote_world *world)
{
    mote_material_def material = mote_default_material_def();
    material.name = "jointed";
    material.static_friction = material.kinetic_friction = FRICTION;
    return mote_material_add(world, &material);
}

static mote_result add_wall(mote_world *world, mote_material_id material, mote_vec3 center,
                            mote_vec3 half_extents)
{
    mote_shape_def box = mote_default_shape_def();
    box.type = MOTE_SHAPE_BOX;
    box.position = center;
    box.half_extents = half_extents;
    box.material = material;
    return mote_is_null(mote_shape_add(world, &box)) ? mote_last_result() : MOTE_OK;
}

static mote_result add_object(mote_world *world, jointed_object_def object, mote_material_id material)
{
    mote_body_id bodies[JOINTED_MAX_BODIES];
    uint32_t body_count;
    object.material = material;
    return jointed_object_add(world, &object, bodies, &body_count);
}

/* ---- the pile ------------------------------------------------------------------------------------------- */

#define PILE_KINDS 4

/* A higher pile's top falls for too long to be of use: this one is 125 km high. */
#define PILE_MAX_OBJECTS 100000

/* m: wide enough for what rolls away. */
static const mote_vec3 PILE_GROUND = {100.0f, 5.0f, 100.0f};

static float pile_column(uint32_t index)
{
    return -10.0f + 10.0f * (float)(index % PILE_KINDS);
}

jointed_object_def jointed_pile_object(uint32_t index)
{
    static const jointed_kind kinds[PILE_KINDS] = {JOINTED_KNEE, JOINTED_BALL, JOINTED_STIFF,
                                                   JOINTED_UNIVERSAL};
    jointed_object_def object = jointed_object_default(kinds[index % PILE_KINDS]);
    object.center = (mote_vec3){pile_column(index), 20.0f + 5.0f * (float)(index / PILE_KINDS), 0.0f};
    return object;
}

jointed_block jointed_pile_block(uint32_t index)
{
    return (jointed_block){{pile_column(index), 10.0f, 0.0f}, 4};
}

uint32_t jointed_pile_particles(uint32_t objects)
{
    uint32_t count = JOINTED_PILE_BLOCKS * 4 * 4 * 4;
    for (uint32_t kind = 0; kind < PILE_KINDS; kind++) {
        jointed_object_def object = jointed_pile_object(kind);
        count += (objects + PILE_KINDS - 1 - kind) / PILE_KINDS * jointed_object_particles(&object);
    }
    return count;
}

static mote_result add_block(mote_world *world, jointed_block block, mote_material_id material)
{
    mote_rigid_def def = mote_default_rigid_def();
    uint32_t count[3] = {block.side, block.side, block.side};
    def.pose.position = block.center;
    def.radius = JOINTED_RADIUS;
    def.mass = (float)(block.side * block.side * block.side);
    def.material = material;
    return mote_is_null(mote_rigid_box(world, &def, count)) ? mote_last_result() : MOTE_OK;
}

mote_result jointed_pile_build(mote_world *world, uint32_t objects)
{
    if (objects < 1 || objects > PILE_MAX_OBJECTS)
        return MOTE_ERROR_ARGUMENT;
    mote_material_id material = add_material(world);
    mote_result result = mote_is_null(material) ? mote_last_result() : apply_settings(world);
    if (result == MOTE_OK)
        result = add_wall(world, material, (mote_vec3){0.0f, -PILE_GROUND.y, 0.0f}, PILE_GROUND);
    for (uint32_t i = 0; i < JOINTED_PILE_BLOCKS && result == MOTE_OK; i++)
        result = add_block(world, jointed_pile_block(i), material);
    for (uint32_t i = 0; i < objects && result == MOTE_OK; i++)
        result = add_object(world, jointed_pile_object(i), material);
    return result;
}

/* ---- 540 bodies ----------------------------------------------------------------------------------------- */

#define PAIRS_KINDS 3

/* A floor and four walls around it hold the pile: half its width and the walls' height, m. */
#define BASIN_HALF_WIDTH 20.0f
#define BASIN_HEIGHT     10.0f
#define BASIN_WALL       2.0f /* m, half of how thick they are */

jointed_object_def pairs_540_object(uint32_t index)
{
    static const jointed_kind kinds[PAIRS_KINDS] = {JOINTED_KNEE, JOINTED_BALL, JOINTED_STIFF};
    static const float columns[PAIRS_KINDS] = {0.0f, -10.0f, 10.0f};
    jointed_object_def object = jointed_object_default(kinds[index % PAIRS_KINDS]);
    object.layers = 7;
    object.center =
        (mote_vec3){columns[index % PAIRS_KINDS], 10.0f + 10.0f * (float)(index / PAIRS_KINDS), 0.0f};
    return object;
}

uint32_t pairs_540_particles(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < PAIRS_540_OBJECTS; i++) {
        jointed_object_def object = pairs_540_object(i);
        count += jointed_object_particles(&object);
    }
    return count;
}

static mote_result add_basin(mote_world *world, mote_material_id material)
{
    const float reach = BASIN_HALF_WIDTH + 2.0f * BASIN_WALL, middle = BASIN_HALF_WIDTH + BASIN_WALL;
    const float up = 0.5f * BASIN_HEIGHT;
    mote_result result =
        add_wall(world, material, (mote_vec3){0.0f, -BASIN_WALL, 0.0f}, (mote_vec3){reach, BASIN_WALL, reach});
    for (int side = -1; side <= 1 && result == MOTE_OK; side += 2) {
        result = add_wall(world, material, (mote_vec3){(float)side * middle, up, 0.0f},
                          (mote_vec3){BASIN_WALL, up, reach});
        if (result == MOTE_OK)
            result = add_wall(world, material, (mote_vec3){0.0f, up, (float)side * middle},
                              (mote_vec3){BASIN_HALF_WIDTH, up, BASIN_WALL});
    }
    return result;
}

mote_result pairs_540_build(mote_world *world)
{
    mote_material_id material = add_material(world);
    mote_result result = mote_is_null(material) ? mote_last_result() : apply_settings(world);
    if (result == MOTE_OK)
        result = add_basin(world, material);
    for (uint32_t i = 0; i < PAIRS_540_OBJECTS && result == MOTE_OK; i++)
        result = add_object(world, pairs_540_object(i), material);
    return result;
}
