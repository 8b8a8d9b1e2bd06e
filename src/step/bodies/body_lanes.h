/* Bodies of a batch: fetched from their places into lanes, moved there, and written back. */
#ifndef MOTE_STEP_BODIES_BODY_LANES_H
#define MOTE_STEP_BODIES_BODY_LANES_H

#include "step/bodies/pose_lanes.h"

/* ---- vectors ------------------------------------------------------------------------------------------- */

LANE_FUNCTION lanes3 load3(const mt_vec_lanes *from)
{
    return (lanes3){lanes_load(from->x), lanes_load(from->y), lanes_load(from->z)};
}

LANE_FUNCTION void store3(mt_vec_lanes *to, lanes3 v)
{
    lanes_store(to->x, v.x);
    lanes_store(to->y, v.y);
    lanes_store(to->z, v.z);
}

/* As mt_inverse_inertia_times, for the lanes of a body. */
LANE_FUNCTION lanes3 inverse_inertia_times(const mt_batch_body *w, lanes3 v)
{
    lanes xx = lanes_load(w->inverse_inertia[0]), yy = lanes_load(w->inverse_inertia[1]),
          zz = lanes_load(w->inverse_inertia[2]);
    lanes xy = lanes_load(w->inverse_inertia[3]), xz = lanes_load(w->inverse_inertia[4]),
          yz = lanes_load(w->inverse_inertia[5]);
    return (lanes3){xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z,
                    xz * v.x + yz * v.y + zz * v.z};
}

/* ---- rotations ----------------------------------------------------------------------------------------- */

/* A body's own direction in the world. */
LANE_FUNCTION lanes3 turn3(const mt_batch_body *w, const mt_vec_lanes *own)
{
    lanes3 v = load3(own);
    return lanes3_add(
        lanes3_add(lanes3_scale(load3(&w->frame[0]), v.x), lanes3_scale(load3(&w->frame[1]), v.y)),
        lanes3_scale(load3(&w->frame[2]), v.z));
}

LANE_FUNCTION void set_frame(mt_batch_body *w, lanes4 q)
{
    lanes_frame at = lanes_frame_of(q);
    store3(&w->frame[0], at.x);
    store3(&w->frame[1], at.y);
    store3(&w->frame[2], at.z);
}

/* ---- moving -------------------------------------------------------------------------------------------- */

LANE_FUNCTION lane_mask body_moves(const mt_batch_body *w)
{
    return lanes_above(lanes_load(w->inverse_mass), lanes_all(0.0f));
}

LANE_FUNCTION lanes4 rotation_of(const mt_pose_lanes *pose)
{
    const float(*q)[MT_BATCH] = pose->rotation;
    return (lanes4){lanes_load(q[0]), lanes_load(q[1]), lanes_load(q[2]), lanes_load(q[3])};
}

LANE_FUNCTION void set_rotation(mt_pose_lanes *pose, lanes4 q)
{
    lanes_store(pose->rotation[0], q.x);
    lanes_store(pose->rotation[1], q.y);
    lanes_store(pose->rotation[2], q.z);
    lanes_store(pose->rotation[3], q.w);
}

/* Moves a pose where the mask says so (elsewhere `by` is 0) and answers its rotation. */
LANE_FUNCTION lanes4 move_pose(mt_pose_lanes *pose, lane_mask mask, lanes3 by, lanes4 step)
{
    lanes4 old = rotation_of(pose), turned = lanes_turned_by(old, step);
    store3(&pose->position, lanes3_add(load3(&pose->position), by));
    turned.x = lanes_select(mask, turned.x, old.x);
    turned.y = lanes_select(mask, turned.y, old.y);
    turned.z = lanes_select(mask, turned.z, old.z);
    turned.w = lanes_select(mask, turned.w, old.w);
    set_rotation(pose, turned);
    return turned;
}

/* Moves and turns bodies that can be, now or (both the start and the end) at the start. */
LANE_FUNCTION void shift_lanes(mt_batch_body *w, lane_mask mask, lanes3 by, lanes3 turn, const bool at_start)
{
    mask &= body_moves(w);
    by = lanes3_keep(mask, by);
    lanes4 step = lanes_turning(lanes3_keep(mask, turn)), q = move_pose(&w->now, mask, by, step);
    if (at_start)
        q = move_pose(&w->start, mask, by, step);
    set_frame(w, q);
    lanes_store_index(w->shifts, lanes_load_index(w->shifts) - (lane_index)mask);
    w->moved |= lanes_bits(mask);
}

/* By a push at an arm and a moment beside it. */
LANE_FUNCTION void push_lanes(mt_batch_body *w, lane_mask mask, lanes3 arm, lanes3 push, lanes3 moment,
                              const bool at_start)
{
    shift_lanes(w, mask, lanes3_scale(push, lanes_load(w->inverse_mass)),
                inverse_inertia_times(w, lanes3_add(lanes3_cross(arm, push), moment)), at_start);
}

/* ---- fetching and writing back ------------------------------------------------------------------------- */

/* Four floats of each. */
LANE_FUNCTION lanes4 fetch4(mt_body_work *const from[MT_BATCH], size_t offset)
{
    quad row[LANES];
    for (uint32_t i = 0; i < MT_BATCH; i++)
        memcpy(&row[i], (const char *)from[i] + offset, sizeof row[i]);
    return lanes_transpose(row);
}

LANE_FUNCTION void fetch_pose(mt_body_work *const from[MT_BATCH], size_t offset, mt_pose_lanes *to)
{
    lanes4 place = fetch4(from, offset + offsetof(mt_pose, position));
    lanes4 rotation = fetch4(from, offset + offsetof(mt_pose, rotation));
    store3(&to->position, (lanes3){place.x, place.y, place.z});
    set_rotation(to, rotation);
}

LANE_FUNCTION void fetch_body(mt_batch_body *w, const bool at_start)
{
    fetch_pose(w->work, offsetof(mt_body_work, pose), &w->now);
    if (at_start)
        fetch_pose(w->work, offsetof(mt_body_work, start), &w->start);
    set_frame(w, rotation_of(at_start ? &w->start : &w->now));
    w->moved = 0;
}

/* Four floats to each. */
LANE_FUNCTION void write4(mt_body_work *const to[MT_BATCH], size_t offset, lanes x, lanes y, lanes z, lanes w)
{
    quad row[LANES];
    lanes_rows((lanes4){x, y, z, w}, row);
    for (uint32_t i = 0; i < MT_BATCH; i++)
        memcpy((char *)to[i] + offset, &row[i], sizeof row[i]);
}

LANE_FUNCTION void write_pose(mt_body_work *const to[MT_BATCH], size_t offset, const mt_pose_lanes *pose)
{
    lanes3 p = load3(&pose->position);
    lanes4 q = rotation_of(pose);
    write4(to, offset + offsetof(mt_pose, position), p.x, p.y, p.z, q.x);
    write4(to, offset + offsetof(mt_pose, rotation), q.x, q.y, q.z, q.w);
}

LANE_FUNCTION void write_frame(mt_body_work *const to[MT_BATCH], size_t offset, lanes_frame f, lanes3 p)
{
    write4(to, offset, f.x.x, f.x.y, f.x.z, f.y.x);
    write4(to, offset + 4 * sizeof(float), f.y.y, f.y.z, f.z.x, f.z.y);
    write4(to, offset + 8 * sizeof(float), f.z.z, p.x, p.y, p.z);
}

/* Those that were not moved get what they had; what cannot move may be someone else's and is left alone. */
LANE_FUNCTION void write_body(const mt_batch_body *w, const bool at_start)
{
    mt_body_work *to[MT_BATCH], nobody;
    uint32_t moves = lanes_bits(body_moves(w));
    if (w->moved == 0)
        return;
    for (uint32_t i = 0; i < MT_BATCH; i++) {
        to[i] = (moves >> i & 1) != 0 ? w->work[i] : &nobody;
        to[i]->shifts = w->shifts[i];
    }
    lanes_frame frame = {load3(&w->frame[0]), load3(&w->frame[1]), load3(&w->frame[2])};
    if (at_start) {
        write_pose(to, offsetof(mt_body_work, start), &w->start);
        write_frame(to, offsetof(mt_body_work, at_start), frame, load3(&w->start.position));
        frame = lanes_frame_of(rotation_of(&w->now));
    }
    write_pose(to, offsetof(mt_body_work, pose), &w->now);
    write_frame(to, offsetof(mt_body_work, at), frame, load3(&w->now.position));
}

#endif
