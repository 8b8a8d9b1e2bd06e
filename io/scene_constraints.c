/* Constraints of a scene, as the library makes them: one, or a row of them with particles between. */
#include "io/scene_file.h"
#include "io/scene_math.h"

#include <stdlib.h>
#include <string.h>

/* What belongs to a name. Where a scene is only tried there are no shapes; then a shape's place will do. */
static mote_constraint_end end_at(const scene_file *file, const mote_world *world, const char *name,
                                  mote_vec3 at)
{
    const scene_description *d = &file->description;
    const scene_shape *shapes = d->shapes.items;
    mote_shape_def shape;
    mote_body_state body;
    size_t copy;
    if (name == NULL || strcmp(name, "world") == 0)
        return mote_end_world(at);
    const scene_body *of = scene_find_body(d, name, &copy);
    if (of != NULL && mote_body_get(world, file->body_ids[of->first + copy], &body) == MOTE_OK)
        return mote_end_body(
            file->body_ids[of->first + copy],
            scene_pose_in(scene_pose_inverse(body.pose), (mote_pose){at, {0, 0, 0, 1}}).position);
    for (size_t i = 0; file->shape_ids != NULL && i < d->shapes.count; i++)
        if (shapes[i].name != NULL && strcmp(shapes[i].name, name) == 0 &&
            mote_shape_get(world, file->shape_ids[i], &shape) == MOTE_OK)
            return mote_end_shape(file->shape_ids[i],
                                  scene_pose_in(scene_pose_inverse((mote_pose){shape.position, shape.rotation}),
                                                (mote_pose){at, {0, 0, 0, 1}})
                                      .position);
    return mote_end_world(at);
}

static mote_vec3 on_the_way(const scene_constraint *c, uint32_t k)
{
    float part = (float)k / (float)c->links;
    return (mote_vec3){c->at[0].x + part * (c->at[1].x - c->at[0].x),
                       c->at[0].y + part * (c->at[1].y - c->at[0].y),
                       c->at[0].z + part * (c->at[1].z - c->at[0].z)};
}

static mote_particle_id add_between(const scene_description *d, const scene_constraint *c, uint32_t k,
                                    mote_world *world)
{
    mote_particle_def def = mote_default_particle_def();
    def.position = on_the_way(c, k);
    def.radius = scene_radius(d, &c->matter);
    def.mass = c->mass > 0.0f ? c->mass : scene_particle_mass(d, c->matter.material, def.radius);
    def.material = scene_material_id(d, world, c->matter.material);
    def.phase = scene_phase(&c->matter);
    return mote_particle_add(world, &def);
}

/* The kind's defaults, and what the file says. */
static mote_constraint_def def_of(const scene_constraint *c)
{
    mote_constraint_def def = mote_default_constraint_def((mote_constraint_kind)c->type);
    const mote_kind_info *info = mote_constraint_kind_info(def.kind);
    for (uint32_t k = 0; k < info->parameter_count; k++)
        if (scene_given(&SCENE_CONSTRAINTS, c, info->parameters[k].name))
            def.values[k] = c->def.values[k];
    return def;
}

mote_result scene_add_constraint(const scene_file *file, scene_constraint *c, mote_world *world)
{
    mote_constraint_def def = def_of(c);
    mote_constraint_end last = end_at(file, world, c->name[0], c->at[0]);
    size_t before = mote_particle_count(world);
    for (uint32_t k = 1; k <= c->links; k++) {
        mote_constraint_end next = end_at(file, world, c->name[1], c->at[1]);
        if (k < c->links) {
            next = mote_end_particle(add_between(&file->description, c, k, world));
            if (mote_is_null(next.particle))
                return mote_last_result();
        }
        def.ends[0] = last;
        def.ends[1] = next;
        if (mote_is_null(mote_constraint_add(world, &def)))
            return mote_last_result();
        last = next;
    }
    c->particles = mote_particle_count(world) - before;
    return MOTE_OK;
}
