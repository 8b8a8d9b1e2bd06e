/* Batches: assemblies that are alike, which are then worked on side by side. They are near each other in the
 * plan's order, which stays as it is. */
#include "base/error.h"
#include "step/scratch.h"
#include "world/check.h"

#include <string.h>

#define MOST_OPEN 16u /* batches that wait for more, at a time */

typedef struct open_batches {
    uint32_t count, oldest;
    uint32_t batch[MOST_OPEN];
    uint64_t kind[MOST_OPEN];
} open_batches;

static mt_assembly *assembly_at(const mt_body_plan *p, uint32_t k)
{
    return (mt_assembly *)p->assemblies.data + k;
}

static mt_joint_work *joints_of(const mt_body_plan *p, const mt_assembly *a)
{
    return mt_joint_works(p) + a->first_joint;
}

/* ---- who is alike -------------------------------------------------------------------------------------- */

/* The bodies of an assembly come first; what is not of it (the world, a driven body) has a slot for each of its
 * joints. */
static uint32_t slot_of(mt_assembly *a, uint32_t body)
{
    return body >= a->first_body && body - a->first_body < a->bodies ? body - a->first_body : a->slots++;
}

static void number_bodies(const mt_body_plan *p, mt_assembly *a)
{
    mt_joint_work *j = joints_of(p, a);
    a->slots = a->bodies;
    for (uint32_t k = 0; k < a->joints; k++) {
        j[k].slot_a = slot_of(a, j[k].a);
        j[k].slot_b = slot_of(a, j[k].b);
    }
}

static bool may_yield(const mt_joint *joint)
{
    return joint->type == MOTE_JOINT_STIFF && joint->yield_torque < MOTE_UNBREAKABLE;
}

/* A number that is the same for assemblies that are alike, and hardly for others. */
static uint64_t kind_of(const mote_world *world, const mt_body_plan *p, const mt_assembly *a)
{
    const mt_joint_work *j = joints_of(p, a);
    uint64_t kind = (uint64_t)a->bodies << 32 | a->joints;
    for (uint32_t k = 0; k < a->joints; k++) {
        const mt_joint *joint = &mt_joints(world)[j[k].joint];
        const uint32_t parts[5] = {joint->type, j[k].limited, may_yield(joint), j[k].slot_a, j[k].slot_b};
        for (uint32_t i = 0; i < 5; i++)
            kind = (kind ^ parts[i]) * UINT64_C(0x100000001b3);
    }
    return kind;
}

static bool are_alike(const mote_world *world, const mt_body_plan *p, const mt_assembly *a,
                      const mt_assembly *b)
{
    const mt_joint_work *i = joints_of(p, a), *j = joints_of(p, b);
    bool alike = a->bodies == b->bodies && a->joints == b->joints;
    for (uint32_t k = 0; alike && k < a->joints; k++)
        alike = mt_joints(world)[i[k].joint].type == mt_joints(world)[j[k].joint].type &&
                may_yield(&mt_joints(world)[i[k].joint]) == may_yield(&mt_joints(world)[j[k].joint]) &&
                i[k].limited == j[k].limited && i[k].slot_a == j[k].slot_a && i[k].slot_b == j[k].slot_b;
    return alike;
}

/* ---- who goes together --------------------------------------------------------------------------------- */

/* The entry of a batch that the assembly can go into; a new one if there is none. */
static uint32_t open_for(const mote_world *world, mt_body_plan *p, open_batches *open, const mt_assembly *a)
{
    mt_batch *batches = p->batches.all.data;
    uint64_t kind = kind_of(world, p, a);
    for (uint32_t i = 0; i < open->count; i++)
        if (open->kind[i] == kind &&
            are_alike(world, p, a, assembly_at(p, batches[open->batch[i]].assembly[0])))
            return i;
    uint32_t entry = open->count < MOST_OPEN ? open->count++ : open->oldest++ % MOST_OPEN;
    open->kind[entry] = kind;
    open->batch[entry] = p->batches.count;
    batches[p->batches.count++] = (mt_batch){.joints = a->joints, .bodies = a->slots, .own = a->bodies};
    return entry;
}

static void group(const mote_world *world, mt_body_plan *p)
{
    open_batches open = {0};
    p->batches.count = 0;
    for (uint32_t k = 0; k < p->assembly_count; k++) {
        mt_assembly *a = assembly_at(p, k);
        number_bodies(p, a);
        uint32_t entry = open_for(world, p, &open, a);
        mt_batch *batch = (mt_batch *)p->batches.all.data + open.batch[entry];
        batch->assembly[batch->count++] = k;
        if (batch->count < MT_BATCH)
            continue;
        open.count--;
        open.kind[entry] = open.kind[open.count];
        open.batch[entry] = open.batch[open.count];
    }
}

/* ---- what they need ------------------------------------------------------------------------------------ */

static void set_lane(mt_vec_lanes *to, uint32_t lane, mote_vec3 v)
{
    to->x[lane] = v.x;
    to->y[lane] = v.y;
    to->z[lane] = v.z;
}

static void fill_joint(const mt_joint *joint, const mt_joint_work *work, mt_batch_joint *j, uint32_t lane)
{
    bool hinge = joint->type == MOTE_JOINT_HINGE;
    j->a = work->slot_a;
    j->b = work->slot_b;
    j->type = joint->type;
    j->limited = work->limited;
    j->yields = may_yield(joint);
    set_lane(&j->anchor_a, lane, work->anchor_a);
    set_lane(&j->anchor_b, lane, work->anchor_b);
    set_lane(&j->axis_a, lane, joint->axis_a);
    set_lane(&j->axis_b, lane, joint->axis_b);
    set_lane(&j->side_a, lane, joint->side_a);
    set_lane(&j->side_b, lane, joint->side_b);
    j->low[lane] = joint->min_angle;
    j->high[lane] = hinge ? joint->max_angle : joint->swing_limit;
    j->twist[lane] = joint->twist_limit;
    j->yield_torque[lane] = joint->yield_torque;
    j->damping[lane] = joint->damping;
    j->damped = j->damped || joint->damping > 0;
}

static void fill_body(const mt_body_plan *p, uint32_t body, mt_batch_body *to, uint32_t lane)
{
    mt_body_work *w = &mt_body_works(p)[body];
    to->work[lane] = w;
    to->body[lane] = body;
    for (uint32_t n = 1; lane == 0 && n < MT_BATCH; n++) /* until they have their own */
        to->body[n] = body;
}

static void fill_lane(const mote_world *world, const mt_body_plan *p, const mt_batch *batch, uint32_t lane)
{
    const mt_assembly *a = assembly_at(p, batch->assembly[lane]);
    mt_joint_work *works = joints_of(p, a);
    mt_batch_body *bodies = mt_batch_bodies(p, batch);
    mt_batch_joint *joints = mt_batch_joints(p, batch);
    for (uint32_t i = 0; i < a->bodies; i++)
        fill_body(p, a->first_body + i, &bodies[i], lane);
    for (uint32_t k = 0; k < a->joints; k++) {
        mt_joint_work *work = &works[k];
        bodies[work->slot_a].work[lane] = &mt_body_works(p)[work->a];
        if (work->b != MT_NO_BODY)
            bodies[work->slot_b].work[lane] = &mt_body_works(p)[work->b];
        fill_joint(&mt_joints(world)[work->joint], work, &joints[k], lane);
        work->batch_joint = batch->first_joint + k;
        work->lane = lane;
    }
}

/* What stands for the world: it does not move. */
static mt_body_work *world_of(const mt_body_plan *p)
{
    mt_body_work *w = &mt_body_works(p)[p->body_count];
    memset(w, 0, sizeof *w);
    w->pose.rotation.w = w->start.rotation.w = 1.0f;
    return w;
}

mote_result mt_batches_make(mote_world *world, mt_body_plan *p)
{
    p->batches.count = 0;
    MT_TRY(mt_array_reserve(&p->batches.all, &world->memory, p->assembly_count, 0));
    group(world, p);
    mt_batch *batches = p->batches.all.data;
    uint32_t bodies = 0, joints = 0, groups = p->batches.count;
    for (uint32_t i = 0; i < groups; i++) {
        batches[i].first_body = bodies;
        batches[i].first_joint = joints;
        bodies += batches[i].bodies;
        joints += batches[i].joints;
    }
    MT_TRY(mt_array_reserve(&p->batches.bodies, &world->memory, bodies, 0));
    MT_TRY(mt_array_reserve(&p->batches.joints, &world->memory, joints, 0));
    memset(p->batches.bodies.data, 0, bodies * sizeof(mt_batch_body));
    if (joints > 0)
        memset(p->batches.joints.data, 0, joints * sizeof(mt_batch_joint));
    mt_body_work *still = world_of(p);
    for (uint32_t i = 0; i < bodies * MT_BATCH; i++)
        ((mt_batch_body *)p->batches.bodies.data)[i / MT_BATCH].work[i % MT_BATCH] = still;
    for (uint32_t i = 0; i < groups; i++)
        for (uint32_t lane = 0; lane < batches[i].count; lane++)
            fill_lane(world, p, &batches[i], lane);
    return mt_joint_trees_make(world, p, joints);
}
