/* A closer look at skeletons: rigs in another unit than m, and bones that are let go inside of shapes. */
#include "io/scene_inspect.h"

#include "io/json_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- heights -------------------------------------------------------------------------------------------- */

/* Rigs of m are larger and smaller than these, m. */
#define SMALLEST 0.1
#define LARGEST  10.0

/* The longest side of the box around its bones: what lies is not tall. m */
static double rig_extent(const rig *model)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double extent = (double)model->height;
    for (uint32_t i = 0; i < model->bone_count; i++) {
        mote_vec3 p = model->rest[i].position;
        const double place[3] = {(double)p.x, (double)p.y, (double)p.z};
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = fmin(low[axis], place[axis]);
            high[axis] = fmax(high[axis], place[axis]);
            extent = fmax(extent, high[axis] - low[axis]);
        }
    }
    return extent;
}

void scene_inspect_rigs(const scene_file *file, scene_faults *faults)
{
    const scene_skeleton *skeletons = file->description.skeletons.items;
    for (size_t i = 0; i < file->description.skeletons.count; i++) {
        const rig *model = &skeletons[i].rig.file;
        if (model->bone_count == 0 || scene_given(&SCENE_SKELETONS, &skeletons[i], "height"))
            continue;
        double extent = rig_extent(model);
        char path[SCENE_PATH];
        snprintf(path, sizeof path, "skeletons[%zu].height", i);
        if (extent > LARGEST || extent < SMALLEST)
            scene_warning(faults, json_line(skeletons[i].item.node), path,
                          "is not given, and as in its file the rig is %.3g m tall, and %.3g m where it is "
                          "longest: perhaps it is in another unit than m",
                          (double)model->height, extent);
    }
}

/* ---- releases ------------------------------------------------------------------------------------------- */

/* Radii: those count whose centre is inside. A little less than 1, since a ball is what is looked for. */
#define CENTER_INSIDE 0.99f

typedef struct release {
    const scene_skeleton *skeleton;
    size_t number; /* in the file */
    double time;   /* s */
    scene_search search;
} release;

static bool stands(const scene_shape *shape)
{
    mote_vec3 v = shape->velocity, w = shape->spin;
    return shape->motion.keys.count == 0 && v.x == 0.0f && v.y == 0.0f && v.z == 0.0f && w.x == 0.0f &&
           w.y == 0.0f && w.z == 0.0f;
}

static void tell(const release *r, size_t shape, const scene_inside *inside, const mote_world *world,
                 scene_faults *faults)
{
    char path[SCENE_PATH];
    snprintf(path, sizeof path, "skeletons[%zu]", r->number);
    mote_vec4 p = mote_particles_get_view(world).position[inside->first];
    scene_warning(faults, json_line(r->skeleton->item.node), path,
                  "%zu particles are inside shapes[%zu] when they are released, at %g s, and may be thrown "
                  "out; the first is at (%g, %g, %g)",
                  inside->count, shape, r->time, (double)p.x, (double)p.y, (double)p.z);
}

/* Shapes that move are left out: where they are then is not known here. */
static void inspect_release(scene_file *file, const release *r, const mote_world *world, scene_faults *faults)
{
    size_t count = file->description.shapes.count;
    const scene_shape *shapes = file->description.shapes.items;
    scene_inside *inside = calloc(count + 1, sizeof *inside);
    if (inside == NULL || !scene_find_in_geometries(file, world, r->search, inside))
        scene_warning(faults, 0, "skeletons", "it could not be found out which are inside shapes");
    for (size_t i = 0; inside != NULL && i < count; i++) {
        mote_shape_def def;
        if (!stands(&shapes[i]))
            continue;
        if (shapes[i].type < SCENE_HULL && mote_shape_get(world, file->shape_ids[i], &def) == MOTE_OK)
            inside[i] = scene_find_in_shape(world, r->search, &def);
        if (inside[i].count > 0)
            tell(r, i, &inside[i], world, faults);
    }
    free(inside);
}

void scene_inspect_releases(scene_file *file, mote_world *world, scene_faults *faults)
{
    const scene_description *d = &file->description;
    const scene_skeleton *skeletons = d->skeletons.items;
    size_t end = mote_particle_count(world); /* theirs are the last, the last skeleton's the very last */
    for (size_t i = d->skeletons.count; i-- > 0;) {
        size_t begin = end - (size_t)skeletons[i].particles;
        double time = scene_first_release(d, &skeletons[i]);
        release r = {&skeletons[i], i, time, {begin, end, CENTER_INSIDE}};
        end = begin;
        if (time < 0.0)
            continue;
        if (scene_release_skeleton(file, &skeletons[i], world) == MOTE_OK)
            inspect_release(file, &r, world, faults);
    }
}
