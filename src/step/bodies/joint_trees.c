/* Which joints of a batch are solved together. Where no joint closes a loop the system of all joints of an assembly is
 * solved at once (joint_tree.h), from the outermost joints inwards: taking out the only joint that a body has left
 * touches nothing but those of its neighbour, so that the work grows with the number of joints. What an assembly is
 * jointed to besides, the world or driven bodies, counts as one: a door on two hinges is a loop. */
#include "base/error.h"
#include "step/scratch.h"
#include "world/check.h"

#include <string.h>

#define MOST_LINKS 4u /* a joint: a star of many joints had better be solved one by one */

/* The place of a batch's body, with all that is not of the assembly in the last. */
static uint32_t end_of(const mt_batch *batch, uint32_t slot)
{
    return slot < batch->own ? slot : batch->own;
}

static bool yields(const mt_batch *batch, const mt_batch_joint *joints)
{
    bool any = false;
    for (uint32_t k = 0; k < batch->joints; k++)
        any = any || joints[k].yields;
    return any;
}

/* Takes out joints that are the last of one of their bodies; answers how many. `degree`: of joints left. */
static uint32_t strip(const mt_batch *batch, mt_batch_joint *joints, mt_tree_step *steps, uint32_t *degree)
{
    uint32_t taken = 0, before;
    do {
        before = taken;
        for (uint32_t k = 0; k < batch->joints; k++) {
            uint32_t a = end_of(batch, joints[k].a), b = end_of(batch, joints[k].b);
            if (joints[k].place != UINT32_MAX || a == b || (degree[a] > 1 && degree[b] > 1))
                continue;
            degree[a]--;
            degree[b]--;
            joints[k].place = taken;
            steps[taken++] = (mt_tree_step){.joint = k};
        }
    } while (taken > before && taken < batch->joints);
    return taken;
}

/* Pairs of joints that have a body in common. */
static uint32_t count_links(const mt_batch *batch, const uint32_t *degree)
{
    uint32_t links = 0;
    for (uint32_t i = 0; i < batch->own; i++)
        links += degree[i] * (degree[i] - 1) / 2;
    return links;
}

static void order_joints(const mt_body_plan *p, mt_batch *batch, uint32_t *degree)
{
    mt_batch_joint *joints = mt_batch_joints(p, batch);
    mt_tree_step *steps = mt_tree_steps(p, batch);
    memset(degree, 0, (batch->own + 1) * sizeof *degree);
    batch->limited = false;
    for (uint32_t k = 0; k < batch->joints; k++) {
        batch->limited = batch->limited || joints[k].limited;
        degree[end_of(batch, joints[k].a)]++;
        degree[end_of(batch, joints[k].b)]++;
        joints[k].place = UINT32_MAX;
    }
    batch->links = count_links(batch, degree);
    batch->tree = batch->links <= MOST_LINKS * batch->joints && !yields(batch, joints) &&
                  strip(batch, joints, steps, degree) == batch->joints;
    if (!batch->tree)
        batch->links = 0;
}

static bool share_body(const mt_batch *batch, const mt_batch_joint *i, const mt_batch_joint *k)
{
    return (i->a < batch->own && (i->a == k->a || i->a == k->b)) ||
           (i->b < batch->own && (i->b == k->a || i->b == k->b));
}

/* The joints that come later and share a body with the one of each step. */
static void link_joints(const mt_body_plan *p, const mt_batch *batch)
{
    const mt_batch_joint *joints = mt_batch_joints(p, batch);
    mt_tree_step *steps = mt_tree_steps(p, batch);
    mt_tree_link *links = mt_tree_links(p, batch);
    uint32_t used = 0;
    for (uint32_t k = 0; k < batch->joints; k++) {
        steps[k].first = used;
        for (uint32_t i = k + 1; i < batch->joints; i++)
            if (share_body(batch, &joints[steps[k].joint], &joints[steps[i].joint]))
                links[used++].joint = steps[i].joint;
        steps[k].count = used - steps[k].first;
    }
}

mote_result mt_joint_trees_make(mote_world *world, mt_body_plan *p, uint32_t joints)
{
    mt_batch *batches = p->batches.all.data;
    uint32_t links = 0;
    MT_TRY(mt_array_reserve(&p->batches.tree_steps, &world->memory, joints, 0));
    MT_TRY(mt_array_reserve(&p->batches.tree_ends, &world->memory, p->body_count + 1, 0));
    for (uint32_t i = 0; i < p->batches.count; i++) {
        if (batches[i].joints > 0)
            order_joints(p, &batches[i], p->batches.tree_ends.data);
        batches[i].first_link = links;
        links += batches[i].links;
    }
    MT_TRY(mt_array_reserve(&p->batches.tree_links, &world->memory, links, 0));
    for (uint32_t i = 0; i < p->batches.count; i++)
        if (batches[i].tree)
            link_joints(p, &batches[i]);
    return MOTE_OK;
}
