/* What happens by itself before a frame: shapes and bodies move along their keys. */
#include "io/scene_file.h"

#include "io/scene_math.h"

#include <math.h>

/* ---- key frames ----------------------------------------------------------------------------------------- */

/* What keys are beside: where the thing is if a key does not say. */
typedef struct home {
    mote_vec3 position;
    const scene_rotation *rotation;
} home;

static mote_vec3 key_position(home h, const scene_key *key)
{
    return scene_given(&SCENE_KEYS, key, "position") ? key->position : h.position;
}

static const scene_rotation *key_rotation(home h, const scene_key *key)
{
    return scene_given(&SCENE_KEYS, key, "rotation") ? &key->rotation : h.rotation;
}

static mote_quat between(const scene_rotation *a, const scene_rotation *b, double part)
{
    bool same_axis =
        a->by_axis && b->by_axis && a->axis.x == b->axis.x && a->axis.y == b->axis.y && a->axis.z == b->axis.z;
    return same_axis ? scene_turn(a->axis, a->degrees + part * (b->degrees - a->degrees))
                     : scene_slerp(a->quat, b->quat, part);
}

/* The time within the keys: after the last it stays there, or starts again. */
static double wrap_time(const scene_motion *motion, double time)
{
    const scene_key *keys = motion->keys.items;
    double first = keys[0].time, length = keys[motion->keys.count - 1].time - first;
    if (motion->loop && length > 0.0 && time > first)
        return first + (time - first - length * floor((time - first) / length));
    return time;
}

mote_pose scene_motion_pose(const scene_motion *motion, mote_vec3 position, const scene_rotation *rotation,
                            double time)
{
    const scene_key *keys = motion->keys.items;
    size_t count = motion->keys.count, next = 0;
    home h = {position, rotation};
    if (count == 0)
        return (mote_pose){position, rotation->quat};
    time = wrap_time(motion, time);
    while (next < count && keys[next].time <= time)
        next++;
    const scene_key *a = &keys[next > 0 ? next - 1 : 0], *b = &keys[next < count ? next : count - 1];
    double part = b->time > a->time ? (time - a->time) / (b->time - a->time) : 0.0;
    mote_vec3 from = key_position(h, a), to = key_position(h, b);
    mote_pose pose = {.position = {(float)(from.x + part * ((double)to.x - from.x)),
                                   (float)(from.y + part * ((double)to.y - from.y)),
                                   (float)(from.z + part * ((double)to.z - from.z))}};
    pose.rotation = a == b ? key_rotation(h, a)->quat : between(key_rotation(h, a), key_rotation(h, b), part);
    return pose;
}

static bool same_pose(mote_pose a, mote_pose b)
{
    return a.position.x == b.position.x && a.position.y == b.position.y && a.position.z == b.position.z &&
           a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y && a.rotation.z == b.rotation.z &&
           a.rotation.w == b.rotation.w;
}

bool scene_motion_moves(const scene_motion *motion, mote_vec3 position, const scene_rotation *rotation,
                        double dt, uint32_t frame)
{
    return motion->keys.count > 0 &&
           !same_pose(scene_motion_pose(motion, position, rotation, frame * dt),
                      scene_motion_pose(motion, position, rotation, (frame + 1.0) * dt));
}

/* What stands is not moved: it lets sleepers sleep. */
mote_result scene_move_shapes(const scene_file *file, mote_world *world, uint32_t frame)
{
    const scene_description *d = &file->description;
    const scene_shape *shapes = d->shapes.items;
    double dt = scene_frame_seconds(d);
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < d->shapes.count && result == MOTE_OK; i++) {
        const scene_shape *shape = &shapes[i];
        if (!scene_motion_moves(&shape->motion, shape->position, &shape->rotation, dt, frame))
            continue;
        mote_pose pose =
            scene_motion_pose(&shape->motion, shape->position, &shape->rotation, (frame + 1.0) * dt);
        result = mote_shape_move_to(world, file->shape_ids[i], pose.position, pose.rotation);
    }
    return result;
}

static mote_result move_body(const scene_file *file, const scene_body *body, mote_world *world, double time)
{
    mote_pose base = scene_motion_pose(&body->motion, body->position, &body->rotation, time);
    size_t count = scene_repeat_count(&body->repeat);
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < count && result == MOTE_OK; i++) {
        mote_body_id id = file->body_ids[body->first + i];
        if (mote_body_is_valid(world, id)) /* a volume may have removed it */
            result = mote_body_move_to(world, id, scene_repeat_pose(&body->repeat, base, i));
    }
    return result;
}

mote_result scene_move_bodies(const scene_file *file, mote_world *world, uint32_t frame)
{
    const scene_description *d = &file->description;
    const scene_body *bodies = d->bodies.items;
    double dt = scene_frame_seconds(d);
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < d->bodies.count && result == MOTE_OK; i++)
        if (scene_motion_moves(&bodies[i].motion, bodies[i].position, &bodies[i].rotation, dt, frame))
            result = move_body(file, &bodies[i], world, (frame + 1.0) * dt);
    return result;
}
