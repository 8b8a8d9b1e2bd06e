/* Making skeletons: a body for every bone, and joints between them. */
#include "base/error.h"
#include "build/skeleton_plan.h"
#include "mote/grains.h"
#include "world/bodies.h"
#include "world/check.h"
#include "world/skeletons.h"

#include <string.h>

#define HALF_TURN 3.14159265f /* rad */

static const mt_pose ORIGIN = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};

mote_bone_def mote_default_bone_def(void)
{
    return (mote_bone_def){.parent = MOTE_NO_BONE,
                           .rest = ORIGIN,
                           .axis = {0.0f, 1.0f, 0.0f},
                           .joint = MOTE_JOINT_BALL,
                           .joint_axis = {1.0f, 0.0f, 0.0f},
                           .min_angle = -HALF_TURN,
                           .max_angle = HALF_TURN,
                           .swing_limit = HALF_TURN,
                           .twist_limit = HALF_TURN};
}

mote_skeleton_def mote_default_skeleton_def(void)
{
    return (mote_skeleton_def){.pose = ORIGIN,
                               .radius = MOTE_WORLD_RADIUS,
                               .spacing = MOTE_TOUCHING,
                               .damping = 2.0f,
                               .phase = MOTE_PHASE_DEFAULT};
}

/* ---- the plan ------------------------------------------------------------------------------------------- */

static mote_result place_bones(const mote_skeleton_def *def, mt_skeleton_plan *plan)
{
    mt_pose base = {def->pose.position, mt_quat_unit(def->pose.rotation)};
    for (uint32_t i = 0; i < def->bone_count; i++) {
        mote_pose rest = def->bones[i].rest;
        rest.rotation = mt_quat_unit(rest.rotation);
        mt_pose place = mt_pose_times(base, rest);
        MT_TRY(mt_check_pose("bones", i, ".rest in the world", place, &plan->bones[i].pose));
    }
    return MOTE_OK;
}

static mote_result make_plan(mote_world *world, const mote_skeleton_def *def, mt_skeleton_plan *plan)
{
    plan->radius = def->radius != MOTE_WORLD_RADIUS ? def->radius : world->radius;
    plan->spacing = def->spacing != MOTE_TOUCHING ? def->spacing : 2.0f * plan->radius;
    uint32_t material;
    MT_TRY(mt_material_resolve(world, def->material, "skeleton.material", &material));
    plan->particle_mass = world->materials[material].density * plan->spacing * plan->spacing * plan->spacing;
    plan->bones = mt_allocate(&world->memory, def->bone_count * sizeof *plan->bones);
    if (plan->bones == NULL)
        return MOTE_ERROR_MEMORY;
    MT_TRY(place_bones(def, plan));
    MT_TRY(mt_skeleton_fill(world, &world->memory, plan));
    if ((def->phase & MOTE_PHASE_SELF_COLLIDE) != 0) /* else bones may overlap as they like */
        MT_TRY(mt_skeleton_thin(&world->memory, plan));
    if (def->mass > 0) /* all particles have the same, those of the joints too */
        plan->particle_mass =
            (float)((double)def->mass / ((double)plan->point_count + (double)plan->joint_points));
    return MOTE_OK;
}

static void free_plan(mote_world *world, mt_skeleton_plan *plan)
{
    mt_release(&world->memory, plan->bones, plan->def->bone_count * sizeof *plan->bones);
    mt_array_free(&plan->points, &world->memory);
}

/* ---- bodies and joints ---------------------------------------------------------------------------------- */

static mote_result add_bone(mote_world *world, const mt_skeleton_plan *plan, uint32_t index)
{
    const mote_bone_def *def = &plan->def->bones[index];
    const mt_bone_plan *bone_plan = &plan->bones[index];
    mote_rigid_def rigid = mote_default_rigid_def();
    rigid.pose = bone_plan->pose;
    rigid.radius = plan->radius;
    rigid.spacing = plan->spacing;
    rigid.mass = plan->particle_mass * (float)bone_plan->point_count;
    rigid.material = plan->def->material;
    rigid.phase = plan->def->phase;
    const mote_vec3 *points = plan->points.data;
    mt_bone bone = {.parent = def->parent, .offset = ORIGIN, .from = ORIGIN};
    if (def->name != NULL)
        memcpy(bone.name, def->name, strlen(def->name));
    bone.body = mote_rigid_points(world, &rigid, points + bone_plan->first_point, bone_plan->point_count);
    if (mote_is_null(bone.body))
        return mote_last_result();
    uint32_t slot = world->bodies.count - 1;
    mt_bodies(world)[slot].is_bone = 1;
    mt_body_refresh(world, slot);
    mt_skeleton_append(world, &bone);
    return MOTE_OK;
}

/* The particles that the two bodies of a joint will share. */
static mote_result add_shared(mote_world *world, const mt_skeleton_plan *plan, uint32_t index,
                              mote_particle_id ids[MT_MAX_JOINT_SIZE])
{
    const mote_bone_def *def = &plan->def->bones[index];
    mt_frame frame = mt_frame_of(plan->bones[index].pose);
    mote_particle_def particles[MT_MAX_JOINT_SIZE];
    uint32_t size = mt_bone_joint_size(def);
    for (uint32_t k = 0; k < size; k++) {
        particles[k] = mote_default_particle_def();
        particles[k].position = mt_to_world(&frame, mt_bone_joint_point(def, k, plan->radius));
        particles[k].mass = plan->particle_mass;
        particles[k].radius = plan->radius;
        particles[k].material = plan->def->material;
        particles[k].phase = plan->def->phase;
    }
    return mote_particles_add(world, particles, size, ids);
}

/* The joint is at the bone's origin; its axis is a hinge's own, or along the bone. */
static mote_joint_def joint_def(const mt_skeleton_plan *plan, const mt_bone *bones, uint32_t index)
{
    const mote_bone_def *def = &plan->def->bones[index];
    mt_frame frame = mt_frame_of(plan->bones[index].pose);
    mote_joint_def joint = mote_default_joint_def();
    joint.type = def->joint;
    joint.a = bones[def->parent].body;
    joint.b = bones[index].body;
    joint.anchor = frame.position;
    joint.axis = mt_turn(&frame, def->joint == MOTE_JOINT_HINGE ? def->joint_axis : def->axis);
    joint.second_axis = mt_turn(&frame, def->joint_axis);
    joint.particle_count = mt_bone_joint_size(def);
    joint.min_angle = def->min_angle;
    joint.max_angle = def->max_angle;
    joint.swing_limit = def->swing_limit;
    joint.twist_limit = def->twist_limit;
    joint.middle = mt_turn(&frame, def->joint_middle);
    joint.damping = plan->def->damping;
    return joint;
}

static mote_result add_joint(mote_world *world, const mt_skeleton_plan *plan, mt_bone *bones, uint32_t index)
{
    mote_particle_id shared[MT_MAX_JOINT_SIZE];
    MT_TRY(add_shared(world, plan, index, shared));
    mote_joint_def def = joint_def(plan, bones, index);
    def.particles = shared;
    bones[index].joint = mote_joint_add(world, &def);
    if (!mote_is_null(bones[index].joint))
        return MOTE_OK;
    for (size_t k = def.particle_count; k-- > 0;)
        mote_particle_remove(world, shared[k]);
    return mote_last_result();
}

static mote_result add_parts(mote_world *world, const mt_skeleton_plan *plan, mote_skeleton_id id)
{
    uint32_t count = plan->def->bone_count;
    for (uint32_t i = 0; i < count; i++)
        MT_TRY(add_bone(world, plan, i));
    mt_bone *bones = mt_bones(world) + world->bone_count - count;
    for (uint32_t i = 0; i < count; i++)
        if (bones[i].parent != MOTE_NO_BONE)
            MT_TRY(add_joint(world, plan, bones, i));
    if (plan->def->driven)
        return mote_skeleton_drive(world, id, MOTE_ALL_BONES, 0.0f);
    MT_TRY(mt_deferred_reserve(world, count));
    for (uint32_t i = 0; i < count; i++) /* a bone that is all within others overlaps them */
        mt_deferred_let_go(world, bones[i].body);
    return MOTE_OK;
}

static mote_result add_skeleton(mote_world *world, const mote_skeleton_def *def, mote_skeleton_id *id)
{
    MT_TRY(mt_enter(world, "mote_skeleton_add"));
    MT_TRY(mt_skeleton_check(world, def));
    mt_skeleton_plan plan = {.def = def};
    mt_array_init(&plan.points, sizeof(mote_vec3));
    mote_result result = make_plan(world, def, &plan);
    if (result == MOTE_OK)
        result = mt_skeleton_begin(world, def->bone_count, id);
    if (result == MOTE_OK) {
        result = add_parts(world, &plan, *id);
        if (result != MOTE_OK)
            mt_skeleton_drop(world, *id);
    }
    free_plan(world, &plan);
    return result;
}

mote_skeleton_id mote_skeleton_add(mote_world *world, const mote_skeleton_def *def)
{
    mote_skeleton_id id = {0, 0};
    return add_skeleton(world, def, &id) == MOTE_OK ? id : (mote_skeleton_id){0, 0};
}
