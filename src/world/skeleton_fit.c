/* An animation may bend knees sideways, or bend what is stiff. When the skeleton is let go its joints would put
 * that right within a step, and make a blow of it. So it is put right before, without any speed: every bone is
 * turned about its joint by as little as the joint asks for, and takes along the bones that hang on it. */
#include "world/bodies.h"
#include "world/pose_chain.h"
#include "world/skeletons.h"

#define SMALL 1e-4f /* squared sine, 0.01 rad: what a joint puts right by itself */

static const mt_pose STAY = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};

/* The shortest turn about a point that takes a direction to another. */
static mt_pose turn_about(mote_vec3 point, mote_vec3 from, mote_vec3 to)
{
    mote_vec3 axis = mt_cross(from, to);
    float cosine = mt_dot(from, to);
    if (mt_dot(axis, axis) < SMALL && cosine > 0)
        return STAY;
    if (cosine < -0.9f) /* the other way round: any turn would be a guess */
        return STAY;
    mt_pose turn = {{0.0f, 0.0f, 0.0f}, mt_quat_unit((mote_quat){axis.x, axis.y, axis.z, 1.0f + cosine})};
    mt_frame frame = mt_frame_of(turn);
    turn.position = mt_sub(point, mt_turn(&frame, point));
    return turn;
}

static mote_vec3 direction(mt_pose move, const mt_body *body, mote_vec3 own)
{
    mt_frame at = mt_frame_of(body->pose), moved = mt_frame_of(move);
    return mt_turn(&moved, mt_turn(&at, own));
}

/* What a joint asks of its second body, after that and the first have been moved. */
static mt_pose straighten(const mt_joint *joint, const mt_body *a, mt_pose move_a, const mt_body *b,
                          mt_pose move_b)
{
    if (joint->type != MOTE_JOINT_HINGE && joint->type != MOTE_JOINT_STIFF)
        return move_b;
    mt_frame frame = mt_frame_of(move_a);
    mote_vec3 anchor = mt_to_world(&frame, mt_body_point(a, joint->anchor_a));
    mt_pose turn = turn_about(anchor, direction(move_b, b, joint->axis_b), direction(move_a, a, joint->axis_a));
    move_b = mt_pose_times(turn, move_b);
    if (joint->type == MOTE_JOINT_HINGE)
        return move_b;
    turn = turn_about(anchor, direction(move_b, b, joint->side_b), direction(move_a, a, joint->side_a));
    return mt_pose_times(turn, move_b);
}

static bool is_stay(mt_pose move)
{
    return move.rotation.x == 0.0f && move.rotation.y == 0.0f && move.rotation.z == 0.0f &&
           mt_dot(move.position, move.position) == 0.0f;
}

static const mt_body *driven_body(const mote_world *world, mote_body_id id)
{
    uint32_t slot = mt_handles_find(&world->bodies.handles, id.index, id.generation);
    bool driven = slot != MT_NO_SLOT && mt_bodies(world)[slot].mode == MOTE_BODY_DRIVEN;
    return driven ? &mt_bodies(world)[slot] : NULL;
}

void mt_skeleton_fit(mote_world *world, const mt_bone *bones, uint32_t count)
{
    mt_pose moves[MOTE_MAX_BONES];
    for (uint32_t i = 0; i < count; i++) { /* parents first */
        moves[i] = STAY;
        const mt_body *body = driven_body(world, bones[i].body);
        const mt_body *above =
            bones[i].parent != MOTE_NO_BONE ? driven_body(world, bones[bones[i].parent].body) : NULL;
        uint32_t slot =
            mt_handles_find(&world->joints.handles, bones[i].joint.index, bones[i].joint.generation);
        if (body == NULL || above == NULL || slot == MT_NO_SLOT)
            continue;
        moves[i] =
            straighten(&mt_joints(world)[slot], above, moves[bones[i].parent], body, moves[bones[i].parent]);
    }
    for (uint32_t i = 0; i < count; i++) {
        mote_pose pose;
        if (is_stay(moves[i]))
            continue;
        mote_body_poses(world, &bones[i].body, 1, &pose);
        mote_body_set_pose(world, bones[i].body,
                           mt_pose_times(moves[i], pose)); /* at the end of the world it fails */
    }
}
