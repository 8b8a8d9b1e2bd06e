/* Locality: what is out of reach of a particle cannot change how it moves, to the bit. Small worlds run alone and
 * again with something declared or put 50 m away after everything else; the particles that were there before must
 * have the same positions and velocities after every frame. */
#include "impulse_world.h"
#include "meshes.h"
#include "ropes.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES = TEST_BY_BUILD(120, 20, 3),
    SCENE_FRAMES = TEST_BY_BUILD(4, 2, 1),
    LONG_FRAMES = 120, /* of scenes, with MOTE_LONG=1 */
    SMALL = 2000,      /* particles, of the scenes that come in any size */
};

/* ---- what is watched ------------------------------------------------------------------------------------ */

typedef struct watch {
    size_t count;
    mote_particle_id *ids; /* of the particles that were there first, in the order of their making */
    size_t frames;
    mote_vec3 *positions, *velocities; /* frame by frame */
    bool *alive;                       /* the same; kill volumes remove particles */
} watch;

static int by_index(const void *a, const void *b)
{
    uint32_t x = ((const mote_particle_id *)a)->index, y = ((const mote_particle_id *)b)->index;
    return (x > y) - (x < y);
}

static watch start_watch(const mote_world *world, size_t frames)
{
    mote_particles_view view = mote_particles_get_view(world);
    watch w = {.count = view.count, .frames = frames};
    w.ids = malloc((view.count + 1) * sizeof *w.ids);
    w.positions = calloc(view.count * frames + 1, sizeof *w.positions);
    w.velocities = calloc(view.count * frames + 1, sizeof *w.velocities);
    w.alive = calloc(view.count * frames + 1, sizeof *w.alive);
    assert_true(w.ids && w.positions && w.velocities && w.alive);
    memcpy(w.ids, view.id, view.count * sizeof *w.ids);
    qsort(w.ids, w.count, sizeof *w.ids, by_index);
    return w;
}

static void end_watch(watch *w)
{
    free(w->ids);
    free(w->positions);
    free(w->velocities);
    free(w->alive);
}

static void note_frame(watch *w, const mote_world *world, size_t frame)
{
    for (size_t i = 0; i < w->count; i++) {
        size_t at = frame * w->count + i;
        w->alive[at] = mote_particle_is_valid(world, w->ids[i]);
        if (w->alive[at])
            must(mote_particles_read(world, &w->ids[i], 1, &w->positions[at], &w->velocities[at]));
    }
}

static bool same_there(const watch *a, const watch *b, size_t at)
{
    return a->alive[at] == b->alive[at] &&
           memcmp(&a->positions[at], &b->positions[at], sizeof(mote_vec3)) == 0 &&
           memcmp(&a->velocities[at], &b->velocities[at], sizeof(mote_vec3)) == 0;
}

/* Whether all is the same. If not, the first particle of the first frame that differs is named, with how far off it
 * is; the test goes on, so that all that disturbs is seen at once. */
static bool same(const watch *alone, const watch *disturbed, const char *world, const char *disturbance)
{
    check_true(alone->count == disturbed->count, "%s, %s: %zu and %zu particles", world, disturbance,
               alone->count, disturbed->count);
    for (size_t at = 0; at < alone->count * alone->frames; at++) {
        if (same_there(alone, disturbed, at))
            continue;
        mote_vec3 x = alone->positions[at];
        print_error(
            "%s, %s: frame %zu, particle %u of %zu at (%.9g, %.9g, %.9g): off by %.3g m and %.3g m/s%s\n",
            world, disturbance, at / alone->count, alone->ids[at % alone->count].index, alone->count,
            (double)x.x, (double)x.y, (double)x.z, distance_of(x, disturbed->positions[at]),
            distance_of(alone->velocities[at], disturbed->velocities[at]),
            alone->alive[at] == disturbed->alive[at] ? "" : "; only one is alive");
        return false;
    }
    return true;
}

/* ---- disturbances --------------------------------------------------------------------------------------- */

/* Above, where no scene has walls, and 50 m above all that is there; in two seconds it falls by 20 m at most. */
static mote_vec3 far_away = {3, 70, 2};

static void look_for_far_away(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    far_away.y = 70;
    for (size_t i = 0; i < view.count; i++)
        far_away.y = fmaxf(far_away.y, ceilf(view.position[i].y) + 50);
}

/* The radius that particles of this world have by default, m. */
static float world_radius(mote_world *world)
{
    mote_particle_def def = mote_default_particle_def();
    def.position = vec(0, 5000, 0);
    mote_particle_id probe = mote_particle_add(world, &def);
    must_exist(probe);
    float radius = state_of(world, probe).radius;
    must(mote_particle_remove(world, probe));
    return radius;
}

static mote_material_id declare(mote_world *world, mote_material_def def)
{
    mote_material_id material = mote_material_add(world, &def);
    must_exist(material);
    return material;
}

static mote_material_id liquid_of(mote_world *world)
{
    mote_material_def def = mote_default_material_def();
    def.fluid = true;
    def.viscosity = 0.1f;
    def.surface_tension = 0.07f;
    return declare(world, def);
}

static mote_material_id compliant_of(mote_world *world)
{
    mote_material_def def = mote_default_material_def();
    def.compliance = 1e-5f;
    return declare(world, def);
}

static void unused_liquid(mote_world *world)
{
    liquid_of(world);
}

static void unused_compliant(mote_world *world)
{
    compliant_of(world);
}

static void unused_bouncing(mote_world *world)
{
    mote_material_def def = mote_default_material_def();
    def.restitution = 0.9f;
    declare(world, def);
}

static void unused_adhesive(mote_world *world)
{
    mote_material_def def = mote_default_material_def();
    def.adhesion = 5;
    declare(world, def);
}

static void far_drop(mote_world *world)
{
    float width = 2 * world_radius(world);
    mote_fluid_def drop = mote_default_fluid_def();
    drop.min = far_away;
    drop.max = vec(far_away.x + 3 * width, far_away.y + 3 * width, far_away.z + 3 * width);
    drop.material = liquid_of(world);
    must(mote_fluid_block(world, &drop, NULL));
}

static mote_material_id rolling_of(mote_world *world)
{
    mote_material_def def = mote_default_material_def();
    def.rolls = true;
    return declare(world, def);
}

/* On a floor of its own: it has contacts with a shape and with another. */
static void far_rolling_grains(mote_world *world)
{
    mote_material_id rolling = rolling_of(world);
    float radius = world_radius(world);
    mote_shape_def plate = mote_default_shape_def();
    plate.type = MOTE_SHAPE_BOX;
    plate.position = vec(far_away.x, far_away.y - 0.1f - radius, far_away.z);
    plate.half_extents = vec(1, 0.1f, 1);
    plate.material = rolling;
    must_exist(mote_shape_add(world, &plate));
    for (int n = 0; n < 3; n++) {
        mote_particle_id grain =
            add_particle(world, vec(far_away.x + 1.9f * radius * (float)n, far_away.y, far_away.z),
                         vec(0.2f, 0, 0), rolling);
        must(mote_particle_set_spin(world, grain, vec(1, 2, 3)));
    }
}

static void far_soft_grain(mote_world *world)
{
    add_particle(world, far_away, vec(0, -1, 0), compliant_of(world));
}

/* So fast that neighbour lists made for the slow ones no longer hold. */
static void far_fast_grain(mote_world *world)
{
    add_particle(world, far_away, vec(60, 0, 10), (mote_material_id){0});
}

static mote_body_id far_brick(mote_world *world, float radii)
{
    mote_rigid_def def = mote_default_rigid_def();
    float radius = world_radius(world);
    def.pose.position = vec(far_away.x + radii * radius, far_away.y, far_away.z);
    mote_body_id body = mote_rigid_box(world, &def, (uint32_t[3]){3, 3, 3});
    must_exist(body);
    return body;
}

static void far_body(mote_world *world)
{
    far_brick(world, 0);
}

static void far_pair(mote_world *world)
{
    mote_body_id a = far_brick(world, -4), b = far_brick(world, 4);
    join(world, MOTE_JOINT_HINGE, a, b, far_away, vec(0, 0, 1));
}

/* They touch, with a whole face. */
static void far_bricks(mote_world *world)
{
    far_brick(world, 0);
    far_brick(world, 5.9f);
}

static void far_pick(mote_world *world)
{
    mote_pick_def def = mote_default_pick_def();
    def.particle = add_particle(world, far_away, vec(0, 0, 0), (mote_material_id){0});
    def.target = vec(far_away.x, far_away.y + 0.5f, far_away.z);
    must_exist(mote_pick_add(world, &def));
}

static void far_ropes(mote_world *world)
{
    add_hanging_things(world, far_away);
}

static void far_shape(mote_world *world)
{
    mote_shape_def def = mote_default_shape_def();
    def.position = far_away;
    def.velocity = vec(1, 0, 0);
    must_exist(mote_shape_add(world, &def));
}

typedef struct disturbance {
    const char *name;
    void (*add)(mote_world *world);
} disturbance;

static const disturbance disturbances[] = {
    {"a liquid that nothing is made of", unused_liquid},
    {"a compliant material that nothing is made of", unused_compliant},
    {"a bouncing material that nothing is made of", unused_bouncing},
    {"an adhesive material that nothing is made of", unused_adhesive},
    {"a drop of liquid far away", far_drop},
    {"a soft grain far away", far_soft_grain},
    {"grains that roll far away", far_rolling_grains},
    {"a fast grain far away", far_fast_grain},
    {"bodies that touch far away", far_bricks},
    {"a body far away", far_body},
    {"a jointed pair far away", far_pair},
    {"a pick far away", far_pick},
    {"a moving shape far away", far_shape},
    {"ropes far away", far_ropes},
};
enum { DISTURBANCES = sizeof disturbances / sizeof disturbances[0] };

/* ---- worlds --------------------------------------------------------------------------------------------- */

static void add_pile(mote_world *world, mote_material_id material, uint32_t height, float lowest)
{
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[2] = 8;
    grains.count[1] = height;
    grains.origin = vec(-7 * TEST_RADIUS, lowest, -7 * TEST_RADIUS);
    grains.radius_spread = 0.2f;
    grains.jitter = 0.05f;
    grains.material = material;
    must(mote_grains_block(world, &grains, NULL));
}

static void sand_pile(mote_world *world)
{
    add_floor(world, (mote_material_id){0});
    add_pile(world, (mote_material_id){0}, 8, TEST_RADIUS);
}

static void stack(mote_world *world)
{
    add_floor(world, (mote_material_id){0});
    for (int n = 0; n < 5; n++)
        add_brick(world, 3, 3, 3, vec(0.01f * (float)(n % 2), 3 * TEST_RADIUS * (float)(2 * n + 1), 0));
}

static void jointed_pair(mote_world *world)
{
    mote_body_id bar[2];
    add_floor(world, (mote_material_id){0});
    add_jointed_bars(world, vec(0, 0.5f, 0), bar);
}

/* A ball, a hinge, a stiff and a universal joint in a row; it lands with one end first. */
static void chain(mote_world *world)
{
    add_floor(world, (mote_material_id){0});
    mote_body_id last = add_brick(world, 2, 2, 2, vec(0, 0.4f, 0));
    for (int n = 0; n < MOTE_JOINT_TYPE_COUNT; n++) {
        float x = 0.3f * (float)(n + 1), y = 0.4f + 0.1f * (float)(n + 1);
        mote_body_id next = add_brick(world, 2, 2, 2, vec(x, y, 0));
        join(world, (mote_joint_type)n, last, next, vec(x - 0.15f, y - 0.05f, 0), vec(0, 1, 0));
        last = next;
    }
}

static void add_side(mote_world *world, mote_vec3 position, mote_vec3 half_extents)
{
    mote_shape_def side = mote_default_shape_def();
    side.type = MOTE_SHAPE_BOX;
    side.position = position;
    side.half_extents = half_extents;
    must_exist(mote_shape_add(world, &side));
}

/* A tank with a wooden box that floats. Its sides are boxes: beyond a plane there would be no room. */
static void liquid(mote_world *world)
{
    const float half = 0.5f;
    add_floor(world, (mote_material_id){0});
    for (int n = -1; n <= 1; n += 2) {
        add_side(world, vec((float)n * (half + 0.1f), 1, 0), vec(0.1f, 1, half + 0.2f));
        add_side(world, vec(0, 1, (float)n * (half + 0.1f)), vec(half + 0.2f, 1, 0.1f));
    }
    mote_fluid_def water = mote_default_fluid_def();
    water.min = vec(-half, 0, -half);
    water.max = vec(half, 0.5f, half);
    water.material = liquid_of(world);
    must(mote_fluid_block(world, &water, NULL));
    lattice box = {.count = {3, 3, 3}, .center = {0, 0.8f, 0}, .mass = 13};
    add_lattice(world, &box);
}

static void rolling_grains(mote_world *world)
{
    mote_material_id rolling = rolling_of(world);
    add_floor(world, rolling);
    add_pile(world, rolling, 4, 2 * TEST_RADIUS);
    add_pile(world, (mote_material_id){0}, 2, 12 * TEST_RADIUS);
}

static void soft_grains(mote_world *world)
{
    mote_material_id soft = compliant_of(world);
    add_floor(world, soft);
    add_pile(world, soft, 4, 2 * TEST_RADIUS);
}

static void bouncing_balls(mote_world *world)
{
    mote_material_id rubber = add_material(world, 0.3f, 0.3f, 0.8f);
    add_floor(world, rubber);
    add_pile(world, rubber, 2, 0.8f);
    lattice box = {.count = {2, 2, 2}, .center = {0, 1.4f, 0}, .material = rubber};
    add_lattice(world, &box);
}

static void grains_on_shapes(mote_world *world)
{
    test_mesh bowl = bowl_mesh(0.8, 16, 6);
    mote_mesh view = mesh_view(&bowl);
    mote_shape_def shape = mote_default_shape_def();
    shape.type = MOTE_SHAPE_GEOMETRY;
    shape.geometry = mote_mesh_add(world, &view);
    shape.position = vec(0, 1, 0);
    must_exist(mote_shape_add(world, &shape));
    mesh_free(&bowl);
    shape = mote_default_shape_def();
    shape.radius = 0.3f;
    shape.position = vec(0, 0.4f, 0);
    must_exist(mote_shape_add(world, &shape));
    add_pile(world, (mote_material_id){0}, 3, 0.9f);
}

static void ropes(mote_world *world)
{
    add_floor(world, (mote_material_id){0});
    add_pile(world, (mote_material_id){0}, 2, TEST_RADIUS);
    add_hanging_things(world, vec(0, 1.8f, 0));
}

typedef struct small_world {
    const char *name;
    void (*fill)(mote_world *world);
} small_world;

static const small_world small_worlds[] = {
    {"sand pile", sand_pile},
    {"stack", stack},
    {"pair", jointed_pair},
    {"chain", chain},
    {"liquid", liquid},
    {"soft grains", soft_grains},
    {"bouncing", bouncing_balls},
    {"grains on a bowl and a ball", grains_on_shapes},
    {"rolling grains", rolling_grains},
    {"ropes", ropes},
};

static watch run_small(const small_world *what, const disturbance *beside)
{
    mote_world *world = impulse_world();
    what->fill(world);
    watch w = start_watch(world, FRAMES);
    look_for_far_away(world);
    if (beside)
        beside->add(world);
    for (size_t frame = 0; frame < w.frames; frame++) {
        step_times(world, 1, TEST_FRAME);
        note_frame(&w, world, frame);
    }
    mote_world_destroy(world);
    return w;
}

static void check_small(const small_world *what)
{
    watch alone = run_small(what, NULL);
    int changed = 0;
    for (int k = 0; k < DISTURBANCES; k++) {
        watch disturbed = run_small(what, &disturbances[k]);
        changed += !same(&alone, &disturbed, what->name, disturbances[k].name);
        end_watch(&disturbed);
    }
    end_watch(&alone);
    check_near(changed, 0, 0, "%s: of %d disturbances, those that were felt", what->name, DISTURBANCES);
}

/* Each world is a test of its own, so that one that fails does not hide the others. */
static void small_world_alone(void **state)
{
    check_small(*state);
}

/* ---- the scenes ----------------------------------------------------------------------------------------- */

static void all_unused(mote_world *world)
{
    for (int k = 0; k < 4; k++)
        disturbances[k].add(world);
}

static void all_far(mote_world *world)
{
    far_drop(world);
    far_pair(world);
    far_pick(world);
    far_bricks(world);
    far_ropes(world);
}

static const disturbance scene_disturbances[] = {
    {"materials that nothing is made of", all_unused},
    {"a drop, bodies, a jointed pair, a pick and ropes far away", all_far},
    /* from here on one by one, in the long version */
    {"a drop of liquid far away", far_drop},
    {"a soft grain far away", far_soft_grain},
    {"a body far away", far_body},
    {"a jointed pair far away", far_pair},
    {"a pick far away", far_pick},
    {"bodies that touch far away", far_bricks},
    {"ropes far away", far_ropes},
};
enum { AT_ONCE = 2, ONE_BY_ONE = sizeof scene_disturbances / sizeof scene_disturbances[0] };

static scene *open_small(const char *name)
{
    scene_faults faults = {0};
    scene *s = scene_open(name, NULL, &faults);
    if (s != NULL && s->scalable) {
        scene_close(s);
        s = scene_open(name, &(scene_request){.particles = SMALL}, &faults);
    }
    check_true(s != NULL && faults.count == 0, "%s: %s", name, faults.count > 0 ? faults.items[0].text : "");
    scene_faults_free(&faults);
    return s;
}

static watch run_scene(scene *s, const disturbance *beside)
{
    mote_world *world = NULL;
    must(scene_create(s, 1, MOTE_SIMD_AUTO, &world));
    mote_settings settings = mote_world_settings(world);
    settings.solver = MOTE_SOLVER_IMPULSE; /* some show the papers', which is not local */
    must(mote_world_set_settings(world, &settings));
    watch w = start_watch(world, test_is_long() ? LONG_FRAMES : SCENE_FRAMES);
    look_for_far_away(world);
    if (beside)
        beside->add(world);
    for (uint32_t frame = 0; frame < w.frames; frame++) {
        must(scene_before_frame(s, world, frame));
        must(mote_world_step(world, s->dt));
        note_frame(&w, world, frame);
    }
    mote_world_destroy(world);
    return w;
}

/* MOTE_SCENE=NAME in the environment leaves out the others. */
static void every_scene(void **state)
{
    (void)state;
    const char *chosen = getenv("MOTE_SCENE");
    int changed = 0;
    for (size_t i = 0; scene_shipped(i) != NULL; i++) {
        if (chosen != NULL && strcmp(chosen, scene_shipped(i)) != 0)
            continue;
        if (test_is_long())
            print_message("%s\n", scene_shipped(i));
        scene *s = open_small(scene_shipped(i));
        watch alone = run_scene(s, NULL);
        for (int k = 0; k < (test_is_long() ? ONE_BY_ONE : AT_ONCE); k++) {
            watch disturbed = run_scene(s, &scene_disturbances[k]);
            changed += !same(&alone, &disturbed, s->name, scene_disturbances[k].name);
            end_watch(&disturbed);
        }
        end_watch(&alone);
        scene_close(s);
    }
    check_near(changed, 0, 0, "runs of scenes in which something far away was felt");
}

int main(void)
{
    enum { WORLDS = sizeof small_worlds / sizeof small_worlds[0] };
    struct CMUnitTest tests[WORLDS + 1] = {0};
    for (int n = 0; n < WORLDS; n++) {
        small_world *what = (small_world *)(uintptr_t)&small_worlds[n];
        tests[n] = (struct CMUnitTest){what->name, small_world_alone, NULL, NULL, what};
    }
    tests[WORLDS] = (struct CMUnitTest)cmocka_unit_test(every_scene);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
