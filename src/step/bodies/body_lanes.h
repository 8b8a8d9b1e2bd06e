/* Bodies of a batch: fetched from their places into lanes, moved there, and written back. */
#ifndef MOTE_STEP_BODIES_BODY_LANES_H
#define MOTE_STEP_BODIES_BODY_LANES_H

#include "step/bodies/pose_step.h"
#include "step/bodies/rows.h"

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

LANE_FUNCTION lanes3 add3(lanes3 a, lanes3 b)
{
    return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

LANE_FUNCTION lanes3 sub3(lanes3 a, lanes3 b)
{
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANE_FUNCTION lanes3 scale3(lanes3 a, lanes s)
{
    return (lanes3){a.x * s, a.y * s, a.z * s};
}

LANE_FUNCTION lanes3 minus3(lanes3 a)
{
    return (lanes3){-a.x, -a.y, -a.z};
}

LANE_FUNCTION lanes dot3(lanes3 a, lanes3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANE_FUNCTION lanes3 keep3(lane_mask mask, lanes3 v)
{
    return (lanes3){lanes_keep(mask, v.x), lanes_keep(mask, v.y), lanes_keep(mask, v.z)};
}

LANE_FUNCTION lanes3 select3(lane_mask mask, lanes3 a, lanes3 b)
{
    return (lanes3){lanes_select(mask, a.x, b.x), lanes_select(mask, a.y, b.y), lanes_select(mask, a.z, b.z)};
}

/* As mt_ease, for the lanes of a body. */
LANE_FUNCTION lanes3 ease3(const mt_batch_body *w, lanes3 v)
{
    lanes xx = lanes_load(w->ease[0]), yy = lanes_load(w->ease[1]), zz = lanes_load(w->ease[2]);
    lanes xy = lanes_load(w->ease[3]), xz = lanes_load(w->ease[4]), yz = lanes_load(w->ease[5]);
    return (lanes3){xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z,
                    xz * v.x + yz * v.y + zz * v.z};
}

/* ---- rotations ----------------------------------------------------------------------------------------- */

/* A body's own direction in the world. */
LANE_FUNCTION lanes3 turn3(const mt_batch_body *w, const mt_vec_lanes *own)
{
    lanes3 v = load3(own);
    return add3(add3(scale3(load3(&w->frame[0]), v.x), scale3(load3(&w->frame[1]), v.y)),
                scale3(load3(&w->frame[2]), v.z));
}

/* As mt_frame_of. */
LANE_FUNCTION void frame_lanes(lanes4 q, lanes3 to[3])
{
    lanes one = lanes_all(1.0f);
    lanes x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z, w2 = q.w + q.w;
    lanes xx = x2 * q.x, yy = y2 * q.y, zz = z2 * q.z, xy = x2 * q.y, xz = x2 * q.z, yz = y2 * q.z;
    lanes wx = w2 * q.x, wy = w2 * q.y, wz = w2 * q.z;
    to[0] = (lanes3){one - yy - zz, xy + wz, xz - wy};
    to[1] = (lanes3){xy - wz, one - xx - zz, yz + wx};
    to[2] = (lanes3){xz + wy, yz - wx, one - xx - yy};
}

LANE_FUNCTION void set_frame(mt_batch_body *w, lanes4 q)
{
    lanes3 frame[3];
    frame_lanes(q, frame);
    for (int i = 0; i < 3; i++)
        store3(&w->frame[i], frame[i]);
}

/* Turns that are too large for the first terms of a series. */
static void turn_far(float step[4][MT_BATCH], const mt_vec_lanes *by, uint32_t bits)
{
    for (; bits != 0; bits &= bits - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(bits);
        mote_quat q = mt_quat_of_spin((mote_vec3){by->x[n], by->y[n], by->z[n]}, 1.0f);
        step[0][n] = q.x;
        step[1][n] = q.y;
        step[2][n] = q.z;
        step[3][n] = q.w;
    }
}

/* As mt_quat_turned: first the rotation that a turn stands for, */
LANE_FUNCTION lanes4 turning_lanes(lanes3 by)
{
    lanes square = lanes_all(0.25f) * dot3(by, by);
    lanes sine = lanes_all(1.0f / 120.0f) - square * lanes_all(1.0f / 5040.0f);
    sine = lanes_all(1.0f / 6.0f) - square * sine;
    sine = lanes_all(0.5f) * (lanes_all(1.0f) - square * sine);
    lanes cosine = lanes_all(1.0f / 24.0f) - square * lanes_all(1.0f / 720.0f);
    cosine = lanes_all(1.0f) - square * (lanes_all(0.5f) - square * cosine);
    lanes4 step = {sine * by.x, sine * by.y, sine * by.z, cosine};
    uint32_t far = lanes_bits(lanes_above(square, lanes_all(0.0625f)));
    if (far != 0) {
        mt_vec_lanes turn;
        float out[4][MT_BATCH];
        store3(&turn, by);
        memcpy(out, &step, sizeof out);
        turn_far(out, &turn, far);
        step = (lanes4){lanes_load(out[0]), lanes_load(out[1]), lanes_load(out[2]), lanes_load(out[3])};
    }
    return step;
}

/* then the two together. */
LANE_FUNCTION lanes4 turned_lanes(lanes4 a, lanes4 b)
{
    lanes4 q = {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
    lanes square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    lanes scale = lanes_all(1.5f) - lanes_all(0.5f) * square;
    return (lanes4){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
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
    lanes4 old = rotation_of(pose), turned = turned_lanes(step, old);
    store3(&pose->position, add3(load3(&pose->position), by));
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
    by = keep3(mask, by);
    lanes4 step = turning_lanes(keep3(mask, turn)), q = move_pose(&w->now, mask, by, step);
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
    shift_lanes(w, mask, scale3(push, lanes_load(w->inverse_mass)),
                ease3(w, add3(lanes3_cross(arm, push), moment)), at_start);
}

/* By what particles told them. */
LANE_FUNCTION void follow_lanes(mt_batch_body *w, const bool at_start)
{
    if (w->told == 0)
        return;
    shift_lanes(w, lanes_of_bits(w->told), scale3(load3(&w->push), lanes_load(w->inverse_mass)),
                ease3(w, load3(&w->turn)), at_start);
    w->told = 0;
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

/* What stays as it is for a substep. */
LANE_FUNCTION void fetch_masses(mt_body_work *const from[MT_BATCH], mt_batch_body *w)
{
    for (uint32_t i = 0; i < MT_BATCH; i++)
        w->inverse_mass[i] = from[i]->inverse_mass;
    lane_mask moves = body_moves(w);
    lanes4 first = fetch4(from, offsetof(mt_body_work, ease));
    lanes4 last = fetch4(from, offsetof(mt_body_work, ease) + 2 * sizeof(float));
    lanes_store(w->ease[0], lanes_keep(moves, first.x));
    lanes_store(w->ease[1], lanes_keep(moves, first.y));
    lanes_store(w->ease[2], lanes_keep(moves, first.z));
    lanes_store(w->ease[3], lanes_keep(moves, first.w));
    lanes_store(w->ease[4], lanes_keep(moves, last.z));
    lanes_store(w->ease[5], lanes_keep(moves, last.w));
}

LANE_FUNCTION void fetch_body(mt_batch_body *w, bool masses, const bool at_start)
{
    for (uint32_t i = 0; i < MT_BATCH; i++)
        w->shifts[i] = w->work[i]->shifts;
    if (masses)
        fetch_masses(w->work, w);
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

LANE_FUNCTION void write_frame(mt_body_work *const to[MT_BATCH], size_t offset, const lanes3 f[3], lanes3 p)
{
    write4(to, offset, f[0].x, f[0].y, f[0].z, f[1].x);
    write4(to, offset + 4 * sizeof(float), f[1].y, f[1].z, f[2].x, f[2].y);
    write4(to, offset + 8 * sizeof(float), f[2].z, p.x, p.y, p.z);
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
    lanes3 frame[3] = {load3(&w->frame[0]), load3(&w->frame[1]), load3(&w->frame[2])};
    if (at_start) {
        write_pose(to, offsetof(mt_body_work, start), &w->start);
        write_frame(to, offsetof(mt_body_work, at_start), frame, load3(&w->start.position));
        frame_lanes(rotation_of(&w->now), frame);
    }
    write_pose(to, offsetof(mt_body_work, pose), &w->now);
    write_frame(to, offsetof(mt_body_work, at), frame, load3(&w->now.position));
}

#endif
