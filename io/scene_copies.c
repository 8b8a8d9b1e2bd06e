/* Many of one entry: how many copies there are, where each is, and what joints call them. */
#include "io/scene_file.h"

#include "io/scene_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t scene_repeat_count(const scene_repeat *repeat)
{
    return (size_t)repeat->count[0] * repeat->count[1] * repeat->count[2];
}

/* Up to `most` degrees about an axis that points anywhere. */
static mote_quat draw_turn(scene_random *random, double most)
{
    double up = 2.0 * scene_random_next(random) - 1.0, x, y, around = sqrt(1.0 - up * up);
    scene_circle(scene_random_next(random), &x, &y);
    mote_vec3 axis = {(float)(around * x), (float)up, (float)(around * y)};
    return scene_turn(axis, most * scene_random_next(random));
}

mote_pose scene_repeat_pose(const scene_repeat *repeat, mote_pose base, size_t copy)
{
    size_t x = copy % repeat->count[0], y = copy / repeat->count[0] % repeat->count[1],
           z = copy / ((size_t)repeat->count[0] * repeat->count[1]);
    mote_pose pose = {base.position, scene_unit(base.rotation)};
    pose.position.x += (float)x * repeat->spacing.x;
    pose.position.y += (float)y * repeat->spacing.y;
    pose.position.z += (float)z * repeat->spacing.z;
    scene_random random = scene_random_of(repeat->seed, copy);
    if (repeat->jitter > 0.0f) {
        pose.position.x += repeat->jitter * (float)(2.0 * scene_random_next(&random) - 1.0);
        pose.position.y += repeat->jitter * (float)(2.0 * scene_random_next(&random) - 1.0);
        pose.position.z += repeat->jitter * (float)(2.0 * scene_random_next(&random) - 1.0);
    }
    if (repeat->turn > 0.0f)
        pose.rotation = scene_multiply(draw_turn(&random, repeat->turn), pose.rotation);
    return pose;
}

const scene_body *scene_find_body(const scene_description *d, const char *name, size_t *copy)
{
    const scene_body *bodies = d->bodies.items;
    size_t length = strcspn(name, "[");
    *copy = 0;
    if (name[length] == '[') {
        char *end;
        if (name[length + 1] < '0' || name[length + 1] > '9')
            return NULL;
        unsigned long long number = strtoull(name + length + 1, &end, 10);
        if (strcmp(end, "]") != 0 || number > 1000000000u)
            return NULL;
        *copy = (size_t)number;
    }
    for (size_t i = 0; i < d->bodies.count; i++)
        if (bodies[i].name != NULL && strncmp(bodies[i].name, name, length) == 0 &&
            bodies[i].name[length] == '\0')
            return &bodies[i];
    return NULL;
}
