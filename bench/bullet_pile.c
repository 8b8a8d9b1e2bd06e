/* A pile of jointed objects in Bullet: every body is a box as large as its particles' layers are outside, and
 * as heavy as its particles; of shared particles each body has half. A universal joint's middle body is shared
 * out between the two others, as Bullet has a joint of its own for that. Empty in a build without Bullet. */
#include "bullet_joints.h"
#include "pile.h"
#include "tools/command.h"
#include "tools/progress.h"

#include <math.h>
#include <stdlib.h>

#ifdef MOTE_WITH_BULLET

typedef struct bullet_pile {
    bullet_joints *peer;
    size_t body_count, joint_count;
} bullet_pile;

/* What is given to Bullet. */
typedef struct pile_parts {
    bullet_box *boxes;
    size_t box_count;
    bullet_joint *joints;
    size_t joint_count;
    float friction;
} pile_parts;

static bool out_of_memory(void)
{
    complain("bench: no memory for Bullet's pile");
    return false;
}

/* ---- parts ---------------------------------------------------------------------------------------------- */

/* Of the joint's particles, kg: the part of the upper body, and of the lower. */
static void joint_masses(const jointed_object_def *object, float *upper, float *lower)
{
    static const float uppers[JOINTED_KIND_COUNT] = {1.0f, 0.5f, 2.0f, 3.0f, 1.0f};
    static const float lowers[JOINTED_KIND_COUNT] = {3.0f, 0.5f, 2.0f, 3.0f, 1.0f};
    *upper = uppers[object->kind] * object->mass;
    *lower = lowers[object->kind] * object->mass;
}

static bullet_joint joint_of(const jointed_object_def *object, size_t first_box)
{
    static const bullet_joint_kind kinds[JOINTED_KIND_COUNT] = {BULLET_KNEE, BULLET_BALL, BULLET_FIXED,
                                                                BULLET_UNIVERSAL, BULLET_HINGE};
    bullet_joint joint = {.kind = kinds[object->kind],
                          .a = (uint32_t)first_box,
                          .b = (uint32_t)first_box + 1,
                          .anchor = object->center,
                          .axis = {0.0f, 0.0f, 1.0f},
                          .second_axis = {1.0f, 0.0f, 0.0f}};
    if (object->kind == JOINTED_KNEE) /* about the particles at +x */
        joint.anchor.x += object->radius;
    if (object->kind == JOINTED_UNIVERSAL) { /* the upper body's hinge is along x */
        joint.axis = (mote_vec3){1.0f, 0.0f, 0.0f};
        joint.second_axis = (mote_vec3){0.0f, 0.0f, 1.0f};
    }
    return joint;
}

/* Objects of these scenes are not turned. */
static void add_object(pile_parts *parts, const jointed_object_def *object)
{
    float lowest, highest, masses[2];
    jointed_object_reach(object, &lowest, &highest);
    joint_masses(object, &masses[0], &masses[1]);
    parts->joints[parts->joint_count++] = joint_of(object, parts->box_count);
    float across = 2.0f * object->radius, along = 0.5f * (highest - lowest) + object->radius;
    for (int body = 0; body < 2; body++) {
        float middle = 0.5f * (lowest + highest) * (body == 0 ? 1.0f : -1.0f);
        parts->boxes[parts->box_count++] =
            (bullet_box){.center = {object->center.x, object->center.y + middle, object->center.z},
                         .rotation = {0.0f, 0.0f, 0.0f, 1.0f},
                         .half_extents = {across, along, across},
                         .mass = 4.0f * (float)object->layers * object->mass + masses[body],
                         .friction = parts->friction};
    }
}

static void add_block(pile_parts *parts, jointed_block block)
{
    float half = (float)block.side * JOINTED_RADIUS;
    parts->boxes[parts->box_count++] = (bullet_box){.center = block.center,
                                                    .rotation = {0.0f, 0.0f, 0.0f, 1.0f},
                                                    .half_extents = {half, half, half},
                                                    .mass = (float)(block.side * block.side * block.side),
                                                    .friction = parts->friction};
}

static void add_shape(pile_parts *parts, const mote_world *world, mote_shape_id shape)
{
    mote_shape_def def = mote_default_shape_def();
    (void)mote_shape_get(world, shape, &def);
    parts->boxes[parts->box_count++] = (bullet_box){.center = def.position,
                                                    .rotation = def.rotation,
                                                    .half_extents = def.half_extents,
                                                    .mass = 0.0f,
                                                    .friction = parts->friction};
}

/* All things of these scenes have the material of the first shape. */
static float friction_of(const mote_world *world, mote_shape_id shape)
{
    mote_shape_def def = mote_default_shape_def();
    mote_material_def material = mote_default_material_def();
    (void)mote_shape_get(world, shape, &def);
    (void)mote_material_get(world, def.material, &material);
    return material.kinetic_friction;
}

static void fill_parts(pile_parts *parts, const pile_plan *plan, const mote_world *world,
                       const mote_shape_id *shapes, uint32_t shape_count)
{
    parts->friction = friction_of(world, shapes[0]);
    for (uint32_t i = 0; i < plan->objects; i++) {
        jointed_object_def object = plan->object(i);
        add_object(parts, &object);
    }
    for (uint32_t i = 0; i < plan->block_count; i++)
        add_block(parts, jointed_pile_block(i));
    for (uint32_t i = 0; i < shape_count; i++)
        add_shape(parts, world, shapes[i]);
}

/* ---- the peer ------------------------------------------------------------------------------------------- */

static void end(void *context)
{
    bullet_pile *pile = context;
    if (pile == NULL)
        return;
    bullet_joints_destroy(pile->peer);
    free(pile);
}

static void *begin(const pile_plan *plan, const mote_world *world)
{
    bullet_pile *pile = calloc(1, sizeof *pile);
    uint32_t shape_count = mote_shape_count(world);
    size_t box_count = 2 * (size_t)plan->objects + plan->block_count + shape_count;
    mote_shape_id *shapes = calloc(shape_count + 1, sizeof *shapes);
    pile_parts parts = {.boxes = calloc(box_count, sizeof *parts.boxes),
                        .joints = calloc(plan->objects, sizeof *parts.joints)};
    if (pile != NULL && shapes != NULL && parts.boxes != NULL && parts.joints != NULL) {
        mote_shape_list(world, shapes, shape_count);
        fill_parts(&parts, plan, world, shapes, shape_count);
        pile->body_count = parts.box_count - shape_count;
        pile->joint_count = parts.joint_count;
        pile->peer = bullet_joints_create(parts.boxes, parts.box_count, parts.joints, parts.joint_count,
                                          mote_world_settings(world).gravity);
    }
    free(parts.joints);
    free(parts.boxes);
    free(shapes);
    if (pile != NULL && pile->peer != NULL)
        return pile;
    end(pile);
    out_of_memory();
    return NULL;
}

static bool step(void *context, uint32_t frames, pile_notes *notes)
{
    bullet_pile *pile = context;
    for (uint32_t i = 0; i < frames; i++) {
        double start = clock_ms();
        bullet_joints_step(pile->peer, 1.0f / PILE_RATE);
        if (!samples_add(&notes->frame_ms, clock_ms() - start))
            return out_of_memory();
    }
    bullet_joints_gaps(pile->peer, &notes->gap_mean, &notes->gap_largest);
    notes->gap_worst = fmax(notes->gap_worst, notes->gap_largest);
    return true;
}

static report_pile report(void *context, const pile_plan *plan)
{
    const bullet_pile *pile = context;
    return (report_pile){.name = plan->name,
                         .engine = "bullet",
                         .simd = "baseline",
                         .objects = plan->objects,
                         .rounds = plan->rounds,
                         .bodies = (uint32_t)pile->body_count,
                         .joints = (uint32_t)pile->joint_count,
                         .threads = 1};
}

const pile_peer bullet_pile_peer = {"Bullet", begin, step, report, end};

#endif
