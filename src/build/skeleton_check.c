/* Checking the definition of a skeleton: every fault with the bone and the field that has it. */
#include "base/error.h"
#include "build/skeleton_plan.h"
#include "mote/grains.h"
#include "world/check.h"

#include <stdio.h>

#define MAX_SIZE   1e6f       /* m, of a bone */
#define HALF_TURN  3.1415927f /* rad; the float nearest to pi, which is a little more */
#define MAX_MASS   1e12f      /* kg */
#define NAME_SPACE 64

typedef struct field_name {
    char text[NAME_SPACE];
} field_name;

static field_name name_of(uint32_t bone, const char *field)
{
    field_name name;
    snprintf(name.text, sizeof name.text, "bones[%u].%s", bone, field);
    return name;
}

static mote_result check_bone_range(uint32_t bone, const char *field, float value, float low, float high)
{
    if (value >= low && value <= high)
        return MOTE_OK;
    return mt_check_range(name_of(bone, field).text, value, low, high);
}

static mote_result check_direction(uint32_t bone, const char *field, mote_vec3 direction)
{
    MT_TRY(mt_check_vec3(name_of(bone, field).text, direction, 1e6f));
    if (mt_length(direction) < 1e-6f)
        return mt_fail(MOTE_ERROR_ARGUMENT, "bones[%u].%s has no length", bone, field);
    return MOTE_OK;
}

static mote_result check_name(const mote_bone_def *bone, uint32_t index)
{
    if (bone->name == NULL)
        return MOTE_OK;
    for (size_t i = 0; i < MT_BONE_NAME_SIZE; i++)
        if (bone->name[i] == 0)
            return MOTE_OK;
    return mt_fail(MOTE_ERROR_ARGUMENT, "bones[%u].name has more than %d bytes", index, MT_BONE_NAME_SIZE - 1);
}

static mote_result check_form(const mote_bone_def *bone, uint32_t index)
{
    if (bone->point_count > 0 && bone->points == NULL)
        return mt_fail(MOTE_ERROR_ARGUMENT, "bones[%u].points is NULL, but point_count is %zu", index,
                       bone->point_count);
    for (size_t i = 0; i < bone->point_count; i++) {
        mote_vec3 p = bone->points[i];
        if (!mt_is_finite3(p))
            return mt_fail(MOTE_ERROR_NOT_FINITE, "bones[%u].points[%zu] is not finite", index, i);
        if (mt_length(p) > MAX_SIZE)
            return mt_fail(MOTE_ERROR_ARGUMENT,
                           "bones[%u].points[%zu] is more than %g m from the bone's origin", index, i,
                           (double)MAX_SIZE);
    }
    MT_TRY(check_bone_range(index, "length", bone->length, 0.0f, MAX_SIZE));
    MT_TRY(check_bone_range(index, "thickness", bone->thickness, 0.0f, MAX_SIZE));
    return check_direction(index, "axis", bone->axis);
}

static mote_result check_joint(const mote_bone_def *bone, uint32_t index)
{
    MT_TRY(mt_check_count(name_of(index, "joint").text, (uint32_t)bone->joint, 0, MOTE_JOINT_TYPE_COUNT - 1));
    MT_TRY(mt_check_count(name_of(index, "joint_size").text, bone->joint_size, 0, MT_MAX_JOINT_SIZE));
    MT_TRY(check_direction(index, "joint_axis", bone->joint_axis));
    MT_TRY(mt_check_vec3(name_of(index, "joint_middle").text, bone->joint_middle, 1e6f));
    if (bone->joint == MOTE_JOINT_UNIVERSAL) {
        mote_vec3 cross = mt_cross(bone->axis, bone->joint_axis);
        if (mt_length(cross) < 1e-3f * mt_length(bone->axis) * mt_length(bone->joint_axis))
            return mt_fail(MOTE_ERROR_ARGUMENT, "bones[%u].joint_axis is along the bone's axis", index);
    }
    MT_TRY(check_bone_range(index, "min_angle", bone->min_angle, -HALF_TURN, HALF_TURN));
    MT_TRY(check_bone_range(index, "max_angle", bone->max_angle, -HALF_TURN, HALF_TURN));
    if (bone->min_angle > bone->max_angle)
        return mt_fail(MOTE_ERROR_ARGUMENT, "bones[%u].min_angle is %g, which is above max_angle, %g", index,
                       (double)bone->min_angle, (double)bone->max_angle);
    MT_TRY(check_bone_range(index, "swing_limit", bone->swing_limit, 0.0f, HALF_TURN));
    return check_bone_range(index, "twist_limit", bone->twist_limit, 0.0f, HALF_TURN);
}

static mote_result check_bone(const mote_bone_def *bone, uint32_t index)
{
    if (bone->parent != MOTE_NO_BONE && bone->parent >= index)
        return mt_fail(MOTE_ERROR_ARGUMENT, "bones[%u].parent is %u: it must be below %u, or MOTE_NO_BONE",
                       index, bone->parent, index);
    MT_TRY(check_name(bone, index));
    MT_TRY(mt_check_pose("bones", index, ".rest", bone->rest, NULL));
    MT_TRY(check_form(bone, index));
    return check_joint(bone, index);
}

mote_result mt_skeleton_check(const mote_world *world, const mote_skeleton_def *def)
{
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_check_count("skeleton.bone_count", def->bone_count, 1, MOTE_MAX_BONES));
    MT_TRY(mt_check_pointer("skeleton.bones", def->bones));
    MT_TRY(mt_check_pose("skeleton.pose", MT_NO_INDEX, "", def->pose, NULL));
    if (def->radius != MOTE_WORLD_RADIUS)
        MT_TRY(mt_radius_check("skeleton.radius", def->radius));
    if (def->spacing != MOTE_TOUCHING)
        MT_TRY(mt_check_range("skeleton.spacing", def->spacing, 1e-6f, 1e4f));
    MT_TRY(mt_check_range("skeleton.mass", def->mass, 0.0f, MAX_MASS));
    MT_TRY(mt_check_range("skeleton.damping", def->damping, 0.0f, 1e6f));
    if ((def->phase & ~MOTE_PHASE_MASK) != 0)
        return mt_fail(MOTE_ERROR_ARGUMENT, "skeleton.phase is 0x%08X, which has bits that mean nothing",
                       def->phase);
    uint32_t material;
    MT_TRY(mt_material_resolve(world, def->material, "skeleton.material", &material));
    for (uint32_t i = 0; i < def->bone_count; i++)
        MT_TRY(check_bone(&def->bones[i], i));
    return MOTE_OK;
}
