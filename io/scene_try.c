/* Bodies, joints and skeletons as a whole: how many there are, building them, and trying that once when a
 * scene is read. */
#include "io/scene_file.h"

#include "io/json_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* ---- how many ------------------------------------------------------------------------------------------- */

static double capsule_volume(double length, double thickness)
{
    return PI * thickness * thickness * (length + 4.0 / 3.0 * thickness);
}

/* By how much less than its volume says a body may be filled. */
#define FILLED 0.25

/* At least how many particles one copy has: too many are not even tried. */
static double body_estimate(const scene_description *d, const scene_body *body)
{
    double radius = scene_radius(d, &body->matter),
           thickness = body->thickness > 0.0f ? body->thickness : radius;
    double spacing = body->spacing > 0.0f ? body->spacing : 2.0 * radius, cell = spacing * spacing * spacing;
    switch ((scene_body_type)body->type) {
    case SCENE_BODY_BOX:
        return (double)body->count[0] * body->count[1] * body->count[2];
    case SCENE_BODY_CAPSULE:
        return FILLED * capsule_volume(2.0 * (double)body->half_length, thickness) / cell;
    case SCENE_BODY_BALL:
        return FILLED * capsule_volume(0.0, body->size) / cell;
    case SCENE_BODY_MESH:
        return (double)body->sampled;
    case SCENE_BODY_POINTS:
        return (double)body->points.count;
    }
    return 0.0;
}

static double skeleton_estimate(const scene_description *d, const scene_skeleton *skeleton)
{
    double radius = scene_radius(d, &skeleton->matter);
    double spacing = skeleton->spacing > 0.0f ? skeleton->spacing : 2.0 * radius;
    double cell = spacing * spacing * spacing, count = 0.0;
    for (uint32_t i = 0; i < skeleton->rig.bone_count; i++) {
        const mote_bone_def *bone = &skeleton->rig.bones[i];
        double thickness = fmax((double)bone->thickness, 0.5 * spacing);
        count += bone->point_count > 0 ? (double)bone->point_count
                                       : FILLED * capsule_volume(bone->length, thickness) / cell;
    }
    return count;
}

#define HINT_LENGTH 128

/* A rig with too many particles is most often one in another unit than m; "" for one that says its height. */
static const char *height_hint(const scene_skeleton *skeleton, char hint[HINT_LENGTH])
{
    hint[0] = '\0';
    if (skeleton->rig.file.height > 0.0f && !scene_given(&SCENE_SKELETONS, skeleton, "height"))
        snprintf(hint, HINT_LENGTH, "; the rig is %.3g m tall, as in its file; say its height if that is wrong",
                 (double)skeleton->rig.file.height);
    return hint;
}

/* `hint` is what may help if there are too many. */
static bool is_possible(const scene_description *d, scene_faults *faults, const scene_section *section,
                        size_t index, const scene_item *item, double count, const char *hint)
{
    char path[SCENE_PATH];
    snprintf(path, sizeof path, "%s[%zu]", section->name, index);
    if (count <= (double)d->world.max_particles)
        return true;
    scene_error(faults, json_line(item->node), path,
                "at least %.3g particles are more than world.max_particles, %u%s", count,
                d->world.max_particles, hint);
    return false;
}

/* Numbers the copies of all entries; false if there are too many. */
static bool count_copies(scene_file *file, scene_faults *faults)
{
    scene_description *d = &file->description;
    scene_body *bodies = d->bodies.items;
    scene_skeleton *skeletons = d->skeletons.items;
    size_t count = 0;
    bool possible = true;
    char hint[HINT_LENGTH];
    for (size_t i = 0; i < d->bodies.count; i++) {
        size_t copies = scene_repeat_count(&bodies[i].repeat);
        bodies[i].first = count;
        count += copies;
        possible = is_possible(d, faults, &SCENE_BODIES, i, &bodies[i].item,
                               body_estimate(d, &bodies[i]) * (double)copies, "") &&
                   possible;
    }
    file->body_ids = calloc(count + 1, sizeof *file->body_ids);
    count = 0;
    for (size_t i = 0; i < d->skeletons.count; i++) {
        size_t copies = scene_repeat_count(&skeletons[i].repeat);
        skeletons[i].first = count;
        count += copies;
        possible = is_possible(d, faults, &SCENE_SKELETONS, i, &skeletons[i].item,
                               skeleton_estimate(d, &skeletons[i]) * (double)copies,
                               height_hint(&skeletons[i], hint)) &&
                   possible;
    }
    file->skeleton_ids = calloc(count + 1, sizeof *file->skeleton_ids);
    if (file->body_ids == NULL || file->skeleton_ids == NULL)
        scene_error(faults, 0, "", "no memory for the bodies");
    return possible && file->body_ids != NULL && file->skeleton_ids != NULL;
}

/* ---- building ------------------------------------------------------------------------------------------- */

/* `hint` is what may help if there are too many. */
static mote_result blame(scene_faults *faults, const scene_section *section, size_t index,
                         const scene_item *item, mote_result result, const char *hint)
{
    char path[SCENE_PATH];
    snprintf(path, sizeof path, "%s[%zu]", section->name, index);
    if (faults != NULL)
        scene_error(faults, json_line(item->node), path, "%s%s",
                    result == MOTE_ERROR_MEMORY ? mote_result_text(result) : mote_last_error(),
                    result == MOTE_ERROR_LIMIT ? hint : "");
    return result;
}

mote_result scene_build_bodies(scene_file *file, mote_world *world, scene_faults *faults)
{
    const scene_description *d = &file->description;
    scene_body *bodies = d->bodies.items;
    for (size_t i = 0; i < d->bodies.count; i++) {
        mote_result result = scene_add_body(file, &bodies[i], world);
        if (result != MOTE_OK)
            return blame(faults, &SCENE_BODIES, i, &bodies[i].item, result, "");
    }
    scene_joint *joints = d->joints.items;
    for (size_t i = 0; i < d->joints.count; i++) {
        mote_result result = scene_add_joint(file, &joints[i], world);
        if (result != MOTE_OK)
            return blame(faults, &SCENE_JOINTS, i, &joints[i].item, result, "");
    }
    scene_constraint *constraints = d->constraints.items;
    for (size_t i = 0; i < d->constraints.count; i++) {
        mote_result result = scene_add_constraint(file, &constraints[i], world);
        if (result != MOTE_OK)
            return blame(faults, &SCENE_CONSTRAINTS, i, &constraints[i].item, result, "");
    }
    scene_skeleton *skeletons = d->skeletons.items;
    char hint[HINT_LENGTH];
    for (size_t i = 0; i < d->skeletons.count; i++) {
        mote_result result = scene_add_skeleton(file, &skeletons[i], world);
        if (result != MOTE_OK)
            return blame(faults, &SCENE_SKELETONS, i, &skeletons[i].item, result,
                         height_hint(&skeletons[i], hint));
    }
    return MOTE_OK;
}

uint64_t scene_bodies_particles(const scene_description *d)
{
    uint64_t count = 0;
    const scene_body *bodies = d->bodies.items;
    for (size_t i = 0; i < d->bodies.count; i++)
        count += bodies[i].particles;
    const scene_joint *joints = d->joints.items;
    for (size_t i = 0; i < d->joints.count; i++)
        count += joints[i].particles;
    const scene_constraint *constraints = d->constraints.items;
    for (size_t i = 0; i < d->constraints.count; i++)
        count += constraints[i].particles;
    const scene_skeleton *skeletons = d->skeletons.items;
    for (size_t i = 0; i < d->skeletons.count; i++)
        count += skeletons[i].particles;
    return count;
}

void scene_try_bodies(scene_file *file, scene_faults *faults)
{
    const scene_description *d = &file->description;
    if (d->bodies.count + d->joints.count + d->constraints.count + d->skeletons.count == 0)
        return;
    if (!count_copies(file, faults))
        return;
    mote_world_def def = scene_world_def(file);
    def.thread_count = 1;
    mote_world *world = NULL;
    mote_result result = mote_world_create(&def, &world);
    if (result == MOTE_OK)
        result = scene_add_materials(d, world);
    if (result != MOTE_OK)
        scene_error(faults, 0, "", "the bodies cannot be tried: %s", mote_last_error());
    else
        scene_build_bodies(file, world, faults);
    mote_world_destroy(world);
}
