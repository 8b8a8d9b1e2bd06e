/* The particles of bones: the points given, or columns along the bone that fill its capsule. */
#include "base/error.h"
#include "build/skeleton_plan.h"
#include "world/check.h"

#define SLACK 1e-3f /* of a spacing: rounding decides nothing */
/* No particles nearer to a joint than this many spacings: there the joint's are, and bones that bend have
 * room. */
#define JOINT_GAP 1.0f

uint32_t mt_bone_joint_size(const mote_bone_def *bone)
{
    static const uint32_t USUAL[MOTE_JOINT_TYPE_COUNT] = {
        [MOTE_JOINT_BALL] = 1, [MOTE_JOINT_HINGE] = 2, [MOTE_JOINT_STIFF] = 4, [MOTE_JOINT_UNIVERSAL] = 1};
    if (bone->parent == MOTE_NO_BONE)
        return 0;
    return bone->joint_size > 0 ? bone->joint_size : USUAL[bone->joint];
}

void mt_bone_across(mote_vec3 axis, mote_vec3 *u, mote_vec3 *v)
{
    mote_quat turn = {axis.z, 0.0f, -axis.x, 1.0f + axis.y}; /* takes +Y to the axis */
    turn = mt_quat_square(turn) > 1e-10f ? mt_quat_unit(turn) : (mote_quat){1.0f, 0.0f, 0.0f, 0.0f};
    mt_frame frame = mt_frame_of((mt_pose){{0.0f, 0.0f, 0.0f}, turn});
    *u = frame.x;
    *v = frame.z;
}

static mote_vec3 unit(mote_vec3 a)
{
    return mt_scale(a, 1.0f / mt_length(a));
}

mote_vec3 mt_bone_joint_point(const mote_bone_def *bone, uint32_t k, float radius)
{
    uint32_t size = mt_bone_joint_size(bone);
    if (bone->joint == MOTE_JOINT_HINGE)
        return mt_scale(unit(bone->joint_axis), radius * (2.0f * (float)k - (float)(size - 1)));
    if (size < 2)
        return (mote_vec3){0.0f, 0.0f, 0.0f};
    double sine, cosine, half_sine, half_cosine;
    mt_sin_cos(MT_PI / (double)size, &half_sine, &half_cosine);
    mt_sin_cos(2.0 * MT_PI * (double)k / (double)size, &sine, &cosine);
    float ring = radius / (float)half_sine;
    mote_vec3 u, v;
    mt_bone_across(unit(bone->axis), &u, &v);
    return mt_add(mt_scale(u, ring * (float)cosine), mt_scale(v, ring * (float)sine));
}

/* ---- the cross-section ---------------------------------------------------------------------------------- */

/* A triangular lattice with a point in the middle (1, 7, 13, ... columns), or a square one with a cell there
 * (4, 12, 16, ...): whichever has more columns in the circle. */
typedef enum bone_lattice { BONE_LATTICE_TRIANGLES, BONE_LATTICE_SQUARES, BONE_LATTICE_COUNT } bone_lattice;

static mote_vec3 column_at(bone_lattice lattice, int32_t i, int32_t j, float spacing)
{
    if (lattice == BONE_LATTICE_SQUARES)
        return (mote_vec3){((float)i + 0.5f) * spacing, 0.0f, ((float)j + 0.5f) * spacing};
    return (mote_vec3){((float)i + 0.5f * (float)j) * spacing, 0.0f, 0.8660254f * spacing * (float)j};
}

typedef struct bone_capsule {
    float length, inner; /* m: between the ends' centres; of the circle that particles' centres are in */
    float spacing;
    int32_t reach; /* of the lattice's numbers, to both sides */
    mote_vec3 axis, u, v;
} bone_capsule;

static bool is_inside(const bone_capsule *c, mote_vec3 column)
{
    return mt_length(column) <= c->inner + SLACK * c->spacing;
}

static uint32_t count_columns(const bone_capsule *c, bone_lattice lattice)
{
    uint32_t count = 0;
    for (int32_t j = -c->reach; j <= c->reach; j++)
        for (int32_t i = -c->reach; i <= c->reach; i++)
            count += is_inside(c, column_at(lattice, i, j, c->spacing));
    return count;
}

/* ---- points ---------------------------------------------------------------------------------------------- */

static mote_vec3 *points_of(const mt_skeleton_plan *plan)
{
    return plan->points.data;
}

static mote_result add_point(mt_memory *memory, mt_skeleton_plan *plan, uint32_t bone, mote_vec3 point)
{
    MT_TRY(mt_array_reserve(&plan->points, memory, (size_t)plan->point_count + 1, plan->point_count));
    points_of(plan)[plan->point_count++] = point;
    plan->bones[bone].point_count++;
    return MOTE_OK;
}

/* Whether a point of a bone is too near to its joint, or to that of one of its children. */
static bool is_at_joint(const mt_skeleton_plan *plan, uint32_t bone, mote_vec3 point)
{
    const mote_bone_def *defs = plan->def->bones;
    float gap = (JOINT_GAP - SLACK) * plan->spacing;
    if (defs[bone].parent != MOTE_NO_BONE && mt_length(point) < gap)
        return true;
    mt_frame frame = mt_frame_of(plan->bones[bone].pose);
    mote_vec3 place = mt_to_world(&frame, point);
    for (uint32_t i = bone + 1; i < plan->def->bone_count; i++)
        if (defs[i].parent == bone && mt_length(mt_sub(plan->bones[i].pose.position, place)) < gap)
            return true;
    return false;
}

/* Layers from end to end, evenly about the middle; where the capsule is round a column is shorter. */
static mote_result add_column(mt_memory *memory, mt_skeleton_plan *plan, uint32_t bone, const bone_capsule *c,
                              mote_vec3 column)
{
    float square = c->inner * c->inner - mt_dot(column, column), end = square > 0 ? sqrtf(square) : 0.0f;
    float layers = floorf((c->length + 2.0f * end) / c->spacing + SLACK);
    mote_vec3 foot = mt_add(mt_scale(c->u, column.x), mt_scale(c->v, column.z));
    for (uint32_t k = 0; k <= (uint32_t)layers; k++) {
        float height = 0.5f * c->length + ((float)k - 0.5f * layers) * c->spacing;
        mote_vec3 point = mt_add(foot, mt_scale(c->axis, height));
        if (!is_at_joint(plan, bone, point))
            MT_TRY(add_point(memory, plan, bone, point));
    }
    return MOTE_OK;
}

static mote_result fill_capsule(const mote_world *world, mt_memory *memory, mt_skeleton_plan *plan,
                                uint32_t bone)
{
    const mote_bone_def *def = &plan->def->bones[bone];
    bone_capsule c = {.length = def->length, .spacing = plan->spacing, .axis = unit(def->axis)};
    c.inner = def->thickness > plan->radius ? def->thickness - plan->radius : 0.0f;
    mt_bone_across(c.axis, &c.u, &c.v);
    double wide = 2.0 * (double)c.inner / (double)c.spacing + 1.0;
    if (wide * wide * ((double)c.length / (double)c.spacing + wide) > 4.0 * (double)world->max_particles)
        return mt_fail(
            MOTE_ERROR_LIMIT,
            "bones[%u] is %g m long and %g m thick: with a spacing of %g m it has more particles than "
            "max_particles, %u",
            bone, (double)def->length, (double)def->thickness, (double)c.spacing, world->max_particles);
    c.reach = (int32_t)(1.2f * c.inner / c.spacing) + 2;
    uint32_t triangles = count_columns(&c, BONE_LATTICE_TRIANGLES);
    bone_lattice lattice =
        triangles >= count_columns(&c, BONE_LATTICE_SQUARES) ? BONE_LATTICE_TRIANGLES : BONE_LATTICE_SQUARES;
    for (int32_t j = -c.reach; j <= c.reach; j++)
        for (int32_t i = -c.reach; i <= c.reach; i++) {
            mote_vec3 column = column_at(lattice, i, j, c.spacing);
            if (is_inside(&c, column))
                MT_TRY(add_column(memory, plan, bone, &c, column));
        }
    if (plan->bones[bone].point_count == 0) /* it is all joint */
        return add_point(memory, plan, bone, mt_scale(c.axis, 0.5f * c.length));
    return MOTE_OK;
}

static mote_result fill_bone(const mote_world *world, mt_memory *memory, mt_skeleton_plan *plan, uint32_t bone)
{
    const mote_bone_def *def = &plan->def->bones[bone];
    plan->bones[bone].first_point = plan->point_count;
    plan->bones[bone].point_count = 0;
    if (def->point_count == 0)
        return fill_capsule(world, memory, plan, bone);
    if (def->point_count > world->max_particles)
        return mt_fail(MOTE_ERROR_LIMIT, "bones[%u].point_count is %zu, more than max_particles, %u", bone,
                       def->point_count, world->max_particles);
    for (size_t i = 0; i < def->point_count; i++)
        MT_TRY(add_point(memory, plan, bone, def->points[i]));
    return MOTE_OK;
}

mote_result mt_skeleton_fill(const mote_world *world, mt_memory *memory, mt_skeleton_plan *plan)
{
    uint32_t room = world->max_particles - world->particles.count;
    for (uint32_t i = 0; i < plan->def->bone_count; i++) {
        MT_TRY(fill_bone(world, memory, plan, i));
        plan->joint_points += mt_bone_joint_size(&plan->def->bones[i]);
        if (plan->point_count + plan->joint_points > room)
            return mt_fail(
                MOTE_ERROR_LIMIT,
                "bones[%u]: with it the skeleton has %u particles; with the %u there are that is more "
                "than max_particles, %u",
                i, plan->point_count + plan->joint_points, world->particles.count, world->max_particles);
    }
    return MOTE_OK;
}
