#include "io/scene_names.h"

#include <stdio.h>
#include <stdlib.h>

const char *scene_copy_name(char text[EXPORT_NAME_SIZE], const char *name, const char *kind, size_t entry,
                            size_t copy, size_t copies)
{
    char own[EXPORT_NAME_SIZE];
    if (name != NULL && name[0] != '\0')
        snprintf(own, sizeof own, "%.*s", EXPORT_NAME_SIZE - 32, name);
    else
        snprintf(own, sizeof own, "%s %zu", kind, entry);
    if (copies > 1)
        snprintf(text, EXPORT_NAME_SIZE, "%.*s[%zu]", EXPORT_NAME_SIZE - 30, own, copy);
    else
        snprintf(text, EXPORT_NAME_SIZE, "%.*s", EXPORT_NAME_SIZE - 1, own);
    return text;
}

static size_t count_names(const scene_description *d)
{
    const scene_body *bodies = d->bodies.items;
    const scene_skeleton *skeletons = d->skeletons.items;
    size_t count = 0;
    for (size_t i = 0; i < d->bodies.count; i++)
        count += scene_repeat_count(&bodies[i].repeat);
    for (size_t i = 0; i < d->skeletons.count; i++)
        count += scene_repeat_count(&skeletons[i].repeat) * skeletons[i].rig.bone_count;
    return count;
}

static size_t name_bodies(const scene_file *file, export_name *names)
{
    const scene_body *bodies = file->description.bodies.items;
    size_t count = 0;
    for (size_t i = 0; i < file->description.bodies.count; i++) {
        size_t copies = scene_repeat_count(&bodies[i].repeat);
        for (size_t k = 0; k < copies; k++) {
            mote_body_id body = file->body_ids[bodies[i].first + k];
            if (mote_is_null(body)) /* cut into pieces */
                continue;
            names[count].body = body;
            scene_copy_name(names[count++].text, bodies[i].name, "body", i, k, copies);
        }
    }
    return count;
}

static size_t name_bones(const scene_skeleton *s, const char *own, mote_skeleton_id id, const mote_world *world,
                         export_name *names)
{
    size_t count = 0;
    for (uint32_t bone = 0; bone < s->rig.bone_count; bone++) {
        mote_body_id body = mote_skeleton_body(world, id, bone);
        if (mote_is_null(body))
            continue;
        names[count].body = body;
        snprintf(names[count++].text, EXPORT_NAME_SIZE, "%.60s.%.60s", own, s->rig.bones[bone].name);
    }
    return count;
}

static size_t name_skeletons(const scene_file *file, const mote_world *world, export_name *names)
{
    const scene_skeleton *skeletons = file->description.skeletons.items;
    size_t count = 0;
    for (size_t i = 0; i < file->description.skeletons.count; i++) {
        size_t copies = scene_repeat_count(&skeletons[i].repeat);
        for (size_t k = 0; k < copies; k++) {
            char own[EXPORT_NAME_SIZE];
            scene_copy_name(own, skeletons[i].name, "skeleton", i, k, copies);
            count += name_bones(&skeletons[i], own, file->skeleton_ids[skeletons[i].first + k], world,
                                &names[count]);
        }
    }
    return count;
}

export_name *scene_body_names(const scene_file *file, const mote_world *world, size_t *count)
{
    export_name *names = calloc(count_names(&file->description) + 1, sizeof *names);
    if (names == NULL)
        return NULL;
    *count = name_bodies(file, names);
    *count += name_skeletons(file, world, names + *count);
    return names;
}
