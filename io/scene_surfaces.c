#include "io/scene_surfaces.h"

#include "io/scene_names.h"

#include <stdio.h>
#include <stdlib.h>

/* A skin has more bones than its skeleton: those without a body as well. So its vertices are worked out here,
 * and the exporter gets them as they stand in the world. */
typedef struct skin_copy {
    const rig *model;
    const scene_rig *made;
    mote_skeleton_id skeleton;
    mote_vec3 *vertices;
} skin_copy;

struct scene_surfaces {
    char (*names)[EXPORT_NAME_SIZE]; /* of meshes, then of skins */
    export_surface *items;           /* meshes, then the skins that are there */
    size_t mesh_count;
    size_t count; /* of items that are there */
    skin_copy *skins;
    size_t skin_count;
};

/* ---- making --------------------------------------------------------------------------------------------- */

static bool has_mesh(const scene_body *body)
{
    return body->type == SCENE_BODY_MESH && body->pieces.item.node == NULL;
}

static bool has_skin(const scene_skeleton *skeleton)
{
    return skeleton->rig.file_bones != NULL && skeleton->rig.file.skin.vertex_count > 0;
}

static void count_copies(const scene_description *d, size_t *meshes, size_t *skins)
{
    const scene_body *bodies = d->bodies.items;
    const scene_skeleton *skeletons = d->skeletons.items;
    *meshes = *skins = 0;
    for (size_t i = 0; i < d->bodies.count; i++)
        *meshes += has_mesh(&bodies[i]) ? scene_repeat_count(&bodies[i].repeat) : 0;
    for (size_t i = 0; i < d->skeletons.count; i++)
        *skins += has_skin(&skeletons[i]) ? scene_repeat_count(&skeletons[i].repeat) : 0;
}

static void add_meshes(scene_surfaces *surfaces, const scene_file *file)
{
    const scene_body *bodies = file->description.bodies.items;
    for (size_t i = 0; i < file->description.bodies.count; i++) {
        size_t copies = has_mesh(&bodies[i]) ? scene_repeat_count(&bodies[i].repeat) : 0;
        for (size_t k = 0; k < copies; k++) {
            size_t place = surfaces->mesh_count++;
            surfaces->items[place] = (export_surface){
                .name = scene_copy_name(surfaces->names[place], bodies[i].name, "body", i, k, copies),
                .vertices = bodies[i].mesh.vertices,
                .vertex_count = bodies[i].mesh.vertex_count,
                .triangles = bodies[i].mesh.triangles,
                .triangle_count = bodies[i].mesh.triangle_count,
                .body = file->body_ids[bodies[i].first + k],
            };
        }
    }
    surfaces->count = surfaces->mesh_count;
}

static bool add_skins(scene_surfaces *surfaces, const scene_file *file)
{
    const scene_skeleton *skeletons = file->description.skeletons.items;
    for (size_t i = 0; i < file->description.skeletons.count; i++) {
        size_t copies = has_skin(&skeletons[i]) ? scene_repeat_count(&skeletons[i].repeat) : 0;
        for (size_t k = 0; k < copies; k++) {
            const scene_rig *made = &skeletons[i].rig;
            skin_copy *skin = &surfaces->skins[surfaces->skin_count];
            *skin = (skin_copy){.model = &made->file,
                                .made = made,
                                .skeleton = file->skeleton_ids[skeletons[i].first + k],
                                .vertices = calloc(made->file.skin.vertex_count, sizeof(mote_vec3))};
            if (skin->vertices == NULL)
                return false;
            scene_copy_name(surfaces->names[surfaces->mesh_count + surfaces->skin_count++], skeletons[i].name,
                            "skeleton", i, k, copies);
        }
    }
    return true;
}

scene_surfaces *scene_surfaces_make(const scene_file *file)
{
    size_t meshes, skins;
    count_copies(&file->description, &meshes, &skins);
    scene_surfaces *surfaces = calloc(1, sizeof *surfaces);
    if (surfaces == NULL)
        return NULL;
    surfaces->names = calloc(meshes + skins + 1, sizeof *surfaces->names);
    surfaces->items = calloc(meshes + skins + 1, sizeof *surfaces->items);
    surfaces->skins = calloc(skins + 1, sizeof *surfaces->skins);
    bool made = surfaces->names != NULL && surfaces->items != NULL && surfaces->skins != NULL;
    if (made) {
        add_meshes(surfaces, file);
        made = add_skins(surfaces, file);
    }
    if (!made) {
        scene_surfaces_free(surfaces);
        return NULL;
    }
    return surfaces;
}

void scene_surfaces_free(scene_surfaces *surfaces)
{
    if (surfaces == NULL)
        return;
    for (size_t i = 0; i < surfaces->skin_count; i++)
        free(surfaces->skins[i].vertices);
    free(surfaces->skins);
    free(surfaces->items);
    free(surfaces->names);
    free(surfaces);
}

/* ---- moving --------------------------------------------------------------------------------------------- */

/* Which bone with a body carries each bone of the rig: its own, or that of its parent, which comes earlier. */
static void find_carriers(const scene_rig *made, uint32_t *carriers)
{
    for (uint32_t b = 0; b < made->file.bone_count; b++) {
        uint32_t parent = made->file.parents[b];
        carriers[b] = parent != MOTE_NO_BONE ? carriers[parent] : 0;
        for (uint32_t i = 0; i < made->bone_count; i++)
            if (made->file_bones[i] == b)
                carriers[b] = i;
    }
}

static mote_result move_skin(const skin_copy *copy, const mote_world *world)
{
    uint32_t carriers[RIG_MAX_BONES];
    mote_pose bodies[RIG_MAX_BONES], bones[RIG_MAX_BONES];
    mote_result result = mote_skeleton_get_poses(world, copy->skeleton, bodies, copy->made->bone_count);
    if (result != MOTE_OK)
        return result;
    find_carriers(copy->made, carriers);
    rig_poses_from_bodies(copy->model, copy->made->file_bones, carriers, bodies, bones);
    mote_skin skin = rig_skin_view(copy->model);
    return mote_skin_apply(&skin, bones, copy->vertices);
}

mote_result scene_surfaces_move(scene_surfaces *surfaces, const mote_world *world)
{
    surfaces->count = surfaces->mesh_count;
    for (size_t i = 0; i < surfaces->skin_count; i++) {
        const skin_copy *copy = &surfaces->skins[i];
        if (!mote_skeleton_is_valid(world, copy->skeleton)) /* a volume may have removed it */
            continue;
        mote_result result = move_skin(copy, world);
        if (result != MOTE_OK)
            return result;
        mote_mesh mesh = rig_mesh_view(copy->model);
        surfaces->items[surfaces->count++] = (export_surface){
            .name = surfaces->names[surfaces->mesh_count + i],
            .vertices = copy->vertices,
            .vertex_count = mesh.vertex_count,
            .triangles = mesh.triangles,
            .triangle_count = mesh.triangle_count,
            .skeleton = copy->skeleton,
        };
    }
    return MOTE_OK;
}

const export_surface *scene_surfaces_list(const scene_surfaces *surfaces, size_t *count)
{
    *count = surfaces->count;
    return surfaces->items;
}
