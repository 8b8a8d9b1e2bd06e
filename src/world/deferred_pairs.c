/* Deferred pairs. Driven bodies do not push each other, so an animation may lead one into another. If these began to
 * collide when they are let go, they would be thrown apart. So those that touch or overlap then do not collide
 * until the two have come apart once. Bones of a limp skeleton are let go when it is made. Who touches whom is
 * found out by the step: step/bodies/deferred_pairs.c. */
#include "base/error.h"
#include "world/bodies.h"
#include "world/check.h"

static bool is_same(mote_body_id a, mote_body_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

mote_result mt_deferred_reserve(mote_world *world, size_t more)
{
    return mt_array_reserve(&world->deferred, &world->memory, world->deferred_count + more,
                            world->deferred_count);
}

void mt_deferred_let_go(mote_world *world, mote_body_id body)
{
    mt_deferred_pairs(world)[world->deferred_count++] = (mt_deferred_pair){body, {0, 0}};
}

/* Takes out those of a body: all, or only what the next step would find. */
static void take_out(mote_world *world, mote_body_id body, bool all)
{
    mt_deferred_pair *deferred = mt_deferred_pairs(world);
    size_t kept = 0;
    for (size_t i = 0; i < world->deferred_count; i++) {
        bool is_of_a = is_same(deferred[i].a, body), is_new = deferred[i].b.generation == 0;
        if (all ? !is_of_a && !is_same(deferred[i].b, body) : !is_of_a || !is_new)
            deferred[kept++] = deferred[i];
    }
    world->deferred_count = kept;
}

void mt_deferred_take_back(mote_world *world, mote_body_id body)
{
    take_out(world, body, false);
}

void mt_deferred_forget(mote_world *world, mote_body_id body)
{
    take_out(world, body, true);
}
