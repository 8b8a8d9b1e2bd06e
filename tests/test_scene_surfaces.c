/* Surfaces of a scene's bodies and skeletons: a mesh holds its body's particles wherever the body is, a skin
 * stands where the animation puts it, and what is removed is no longer listed. */
#include "support.h"

#include "io/scene_math.h"
#include "io/scene_surfaces.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RADIANS (3.14159265358979323846 / 180.0)

typedef struct run {
    scene *scene;
    mote_world *world;
    scene_surfaces *surfaces;
} run;

static run start(const char *name)
{
    run r;
    scene_faults faults = {0};
    r.scene = scene_open(name, NULL, &faults);
    check_true(r.scene != NULL, "%s cannot be opened", name);
    scene_faults_free(&faults);
    must(scene_create(r.scene, 1, MOTE_SIMD_AUTO, &r.world));
    r.surfaces = scene_make_surfaces(r.scene);
    check_true(r.surfaces != NULL, "no memory");
    return r;
}

static void step(run *r, uint32_t frame)
{
    must(scene_before_frame(r->scene, r->world, frame));
    must(mote_world_step(r->world, r->scene->dt));
}

static const export_surface *list(run *r, size_t *count)
{
    must(scene_surfaces_move(r->surfaces, r->world));
    return scene_surfaces_list(r->surfaces, count);
}

static void end(run *r)
{
    scene_surfaces_free(r->surfaces);
    mote_world_destroy(r->world);
    scene_close(r->scene);
}

/* ---- meshes --------------------------------------------------------------------------------------------- */

typedef struct bounds {
    mote_vec3 low, high;
} bounds;

static const bounds NOTHING = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void widen(bounds *b, mote_vec3 v)
{
    b->low = (mote_vec3){fminf(b->low.x, v.x), fminf(b->low.y, v.y), fminf(b->low.z, v.z)};
    b->high = (mote_vec3){fmaxf(b->high.x, v.x), fmaxf(b->high.y, v.y), fmaxf(b->high.z, v.z)};
}

static bounds bounds_of_mesh(const export_surface *surface, mote_pose pose)
{
    bounds b = NOTHING;
    for (size_t i = 0; i < surface->vertex_count; i++) {
        mote_vec3 v = scene_rotate(pose.rotation, surface->vertices[i]);
        widen(&b, (mote_vec3){v.x + pose.position.x, v.y + pose.position.y, v.z + pose.position.z});
    }
    return b;
}

static bounds bounds_of_particles(const mote_world *world, mote_body_id body, float *spacing)
{
    bounds b = NOTHING;
    size_t count = mote_body_particles(world, body, NULL, 0);
    mote_particle_id *ids = malloc((count + 1) * sizeof *ids);
    mote_body_particles(world, body, ids, count);
    for (size_t i = 0; i < count; i++) {
        mote_particle_state p;
        must(mote_particle_get(world, ids[i], &p));
        widen(&b, p.position);
        *spacing = 2.0f * p.radius;
    }
    free(ids);
    return b;
}

/* Filled meshes have their particles inside, and reach not much further than these: at most two spacings to
 * each side. */
static void check_holds_particles(const mote_world *world, const export_surface *surface)
{
    mote_pose pose;
    float spacing = 0.0f;
    must(mote_body_poses(world, &surface->body, 1, &pose));
    bounds outer = bounds_of_mesh(surface, pose);
    bounds inner = bounds_of_particles(world, surface->body, &spacing);
    const float gaps[6] = {inner.low.x - outer.low.x,   inner.low.y - outer.low.y,
                           inner.low.z - outer.low.z,   outer.high.x - inner.high.x,
                           outer.high.y - inner.high.y, outer.high.z - inner.high.z};
    for (int k = 0; k < 6; k++)
        check_true(gaps[k] > -1e-4f && gaps[k] < 2.0f * spacing, "%s, side %d: a gap of %g m", surface->name, k,
                   (double)gaps[k]);
}

static void meshes_hold_their_bodies(void **state)
{
    (void)state;
    run r = start("mesh-drop");
    for (uint32_t frame = 0; frame < 3; frame++) {
        size_t count, rings = 0;
        const export_surface *surfaces = list(&r, &count);
        check_near((double)count, mote_body_count(r.world), 0.0, "surfaces");
        for (size_t i = 0; i < count; i++) {
            bool ring = strncmp(surfaces[i].name, "ring[", 5) == 0;
            rings += ring;
            check_near((double)surfaces[i].vertex_count, ring ? 512.0 : 720.0, 0.0, "%s", surfaces[i].name);
            check_holds_particles(r.world, &surfaces[i]);
        }
        check_near((double)rings, 36.0, 0.0, "rings");
        check_true(strcmp(surfaces[1].name, "ring[1]") == 0, "%s", surfaces[1].name);
        step(&r, frame);
    }
    end(&r);
}

/* ---- skins ---------------------------------------------------------------------------------------------- */

static void must_load_dancer(rig *model)
{
    char path[4096], error[RIG_ERROR];
    const char *source = getenv("SOURCE_DIR");
    rig_options options = rig_default_options();
    options.height = 1.7f;
    snprintf(path, sizeof path, "%s/scenes/rigs/dancer.gltf", source != NULL ? source : ".");
    check_true(rig_load(path, &options, model, error, sizeof error), "%s", error);
}

/* Where the scene's keys put the dancer: a straight way, turned evenly about the vertical. */
static mote_pose dancer_root(double time)
{
    double angle = (20.0 + 50.0 * time / 6.0) * RADIANS;
    return (mote_pose){{(float)(-1.7 + 2.6 * time / 6.0), 0.0f, 0.0f},
                       {0.0f, (float)sin(0.5 * angle), 0.0f, (float)cos(0.5 * angle)}};
}

/* Of vertices that only bones with bodies carry the animation itself tells where they are; there must be
 * many of them. */
static void check_skin(const rig *model, const export_surface *surface, double time)
{
    mote_pose bones[RIG_MAX_BONES];
    mote_bone_def defs[RIG_MAX_BONES];
    uint32_t bodies[RIG_MAX_BONES];
    bool has_body[RIG_MAX_BONES] = {false};
    char error[RIG_ERROR];
    uint32_t count = rig_bone_defs(model, NULL, defs, bodies, RIG_MAX_BONES, NULL, error);
    for (uint32_t i = 0; i < count; i++)
        has_body[bodies[i]] = true;
    mote_clip clip = rig_clip_view(model, rig_find_clip(model, "dance"));
    mote_skin skin = rig_skin_view(model);
    must(mote_clip_sample(&clip, time, true, dancer_root(time), bones));
    mote_vec3 *expected = malloc(skin.vertex_count * sizeof *expected);
    must(mote_skin_apply(&skin, bones, expected));
    size_t compared = 0;
    for (size_t i = 0; i < skin.vertex_count; i++) {
        bool known = true;
        for (size_t k = 4 * i; k < 4 * i + 4; k++)
            known = known && (skin.weights[k] == 0.0f || has_body[skin.bones[k]]);
        if (!known)
            continue;
        compared++;
        mote_vec3 v = surface->vertices[i];
        check_near((double)v.x, (double)expected[i].x, 1e-4, "x of vertex %zu at %g s", i, time);
        check_near((double)v.y, (double)expected[i].y, 1e-4, "y of vertex %zu at %g s", i, time);
        check_near((double)v.z, (double)expected[i].z, 1e-4, "z of vertex %zu at %g s", i, time);
    }
    free(expected);
    check_true(compared > skin.vertex_count / 2, "%zu of %zu", compared, skin.vertex_count);
}

static void skins_follow_the_animation(void **state)
{
    (void)state;
    rig model;
    must_load_dancer(&model);
    run r = start("dancer-sand");
    for (uint32_t frame = 0; frame < 3; frame++) {
        size_t count;
        const export_surface *surfaces = list(&r, &count);
        check_near((double)count, 1.0, 0.0, "surfaces");
        check_true(strcmp(surfaces->name, "dancer") == 0, "%s", surfaces->name);
        check_near((double)surfaces->vertex_count, (double)model.skin.vertex_count, 0.0, "vertices");
        check_near((double)surfaces->triangle_count, (double)model.skin.triangle_count, 0.0, "triangles");
        check_skin(&model, surfaces, frame * (double)r.scene->dt);
        step(&r, frame);
    }
    end(&r);
    rig_free(&model);
}

static void removed_skeletons_are_not_listed(void **state)
{
    (void)state;
    run r = start("dancer-sand");
    mote_skeleton_id id;
    check_near(mote_skeleton_list(r.world, &id, 1), 1.0, 0.0, "skeletons");
    must(mote_skeleton_remove(r.world, id));
    size_t count;
    list(&r, &count);
    check_near((double)count, 0.0, 0.0, "surfaces");
    end(&r);
}

static void pieces_have_no_surfaces(void **state)
{
    (void)state;
    run r = start("shatter");
    size_t count;
    list(&r, &count);
    check_near((double)count, 0.0, 0.0, "surfaces");
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_hold_their_bodies),
        cmocka_unit_test(skins_follow_the_animation),
        cmocka_unit_test(removed_skeletons_are_not_listed),
        cmocka_unit_test(pieces_have_no_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
