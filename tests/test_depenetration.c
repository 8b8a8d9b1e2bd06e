/* What is inside something else comes out, and no faster than max_depenetration_speed says: things that a floor was
 * put above, things that were put into each other, a shape that was put into a thing. */
#include "impulse_world.h"
#include "scenes/humanoid.h"

#include <math.h>

#define R TEST_RADIUS

/* The speed that is meant if nothing is said: 20 radii of the world a second. */
static double preset_speed(double radius)
{
    return 20 * radius;
}

/* A tenth more, and what gravity gives within a frame. */
static double bound_of(double speed)
{
    return 1.1 * speed + TEST_GRAVITY * (double)TEST_FRAME;
}

/* How fast a particle is: as it says itself, and by the way that it went. A solver that moves things and leaves
 * their velocities alone must not be faster either. */
typedef struct tracks {
    size_t count;
    mote_particle_id ids[LATTICE_MAX];
    mote_vec3 places[LATTICE_MAX];
} tracks;

static tracks start_tracks(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    assert_true(view.count <= LATTICE_MAX);
    tracks t = {.count = view.count};
    for (size_t i = 0; i < view.count; i++)
        t.ids[i] = view.id[i];
    must(mote_particles_read(world, t.ids, t.count, t.places, NULL));
    return t;
}

static double fastest_way(const mote_world *world, tracks *t)
{
    double most = 0;
    for (size_t i = 0; i < t->count; i++) {
        mote_vec3 place = state_of(world, t->ids[i]).position;
        most = fmax(most, distance_of(place, t->places[i]) / (double)TEST_FRAME);
        t->places[i] = place;
    }
    return most;
}

static void check_frames(mote_world *world, int frames, double bound, const char *what)
{
    double most = 0;
    tracks t = start_tracks(world);
    for (int n = 0; n < frames; n++) {
        step_times(world, 1, TEST_FRAME);
        double speed = fastest_of(world), way = fastest_way(world, &t);
        check_below(speed, bound, "%s, frame %d: the fastest particle, m/s", what, n);
        check_below(way, bound, "%s, frame %d: the longest way within a frame, m/s", what, n);
        most = fmax(most, fmax(speed, way));
    }
    print_message("%s: at most %.3f m/s, allowed %.3f\n", what, most, bound);
}

/* ---- below a floor -------------------------------------------------------------------------------------- */

typedef void make_thing(mote_world *world);

static void a_box(mote_world *world)
{
    add_brick(world, 3, 3, 3, vec(0, 0, 0));
}

static void a_grain(mote_world *world)
{
    add_point(world, vec(0, 0, 0), 1);
}

static void a_jointed_pair(mote_world *world)
{
    mote_body_id bar[2];
    add_jointed_bars(world, vec(0, 0, 0), bar);
}

typedef struct extent {
    double low, high; /* of the particles' middles, m */
} extent;

static extent heights_of(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    extent e = {INFINITY, -INFINITY};
    for (size_t i = 0; i < view.count; i++) {
        e.low = fmin(e.low, (double)view.position[i].y);
        e.high = fmax(e.high, (double)view.position[i].y);
    }
    return e;
}

/* A floor `depth` above the highest particle; long enough after that everything is on top of it and lies still.
 * `speed` 0: nothing is said about how fast. */
static void check_buried(make_thing *thing, float radius, double depth, double speed, const char *what)
{
    mote_settings settings = impulse_settings();
    settings.max_depenetration_speed = (float)speed;
    mote_world_def def = test_world_def(&settings);
    def.radius = radius;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    thing(world);
    extent e = heights_of(world);
    mote_plane_def ground = mote_default_plane_def();
    ground.offset = (float)(e.high + depth);
    must_exist(mote_plane_add(world, &ground));
    speed = speed > 0 ? speed : preset_speed((double)radius);
    double way = e.high + depth - e.low + (double)radius;
    check_frames(world, (int)(60 * (1.2 * way / speed + 1)), bound_of(speed), what);
    check_above(heights_of(world).low, e.high + depth + 0.5 * (double)radius,
                "%s: the lowest particle is above the floor, m", what);
    mote_world_destroy(world);
}

static void box_below_floor(void **state)
{
    (void)state;
    check_buried(a_box, R, 0.5, 0, "a box 0.5 m below");
    check_buried(a_box, R, 5, 0, "a box 5 m below");
}

static void grain_below_floor(void **state)
{
    (void)state;
    check_buried(a_grain, R, 0.5, 0, "a grain 0.5 m below");
    check_buried(a_grain, R, 5, 0, "a grain 5 m below");
}

static void pair_below_floor(void **state)
{
    (void)state;
    check_buried(a_jointed_pair, R, 0.5, 0, "a jointed pair 0.5 m below");
    check_buried(a_jointed_pair, R, 5, 0, "a jointed pair 5 m below");
}

/* The setting is what decides. */
static void speed_is_a_setting(void **state)
{
    (void)state;
    check_buried(a_box, R, 0.5, 0.3, "a box 0.5 m below, at most 0.3 m/s");
    check_buried(a_box, R, 0.5, 4, "a box 0.5 m below, at most 4 m/s");
    check_buried(a_grain, R, 0.5, 4, "a grain 0.5 m below, at most 4 m/s");
}

/* ---- in each other -------------------------------------------------------------------------------------- */

/* The deepest overlap of the world's particles and shapes is gone after a while, but for a tenth of a radius. */
static void check_apart(mote_world *world, const char *what)
{
    check_below((double)stats_of(world).max_penetration, 0.1 * (double)R, "%s: deepest overlap, m", what);
}

/* Without weight: what falls afterwards is no matter here. `shift` in radii from the same place. */
static void check_two_boxes(mote_vec3 shift, const char *what)
{
    mote_world *world = impulse_weightless_world();
    add_brick(world, 3, 3, 3, vec(0, 0, 0));
    add_brick(world, 3, 3, 3, vec(shift.x * R, shift.y * R, shift.z * R));
    check_frames(world, 120, 1.1 * preset_speed((double)R), what);
    check_apart(world, what);
    mote_world_destroy(world);
}

static void boxes_in_each_other(void **state)
{
    (void)state;
    check_two_boxes(vec(4, 0, 0), "two boxes, a third of the one in the other");
    check_two_boxes(vec(0.3f, 3.1f, 0.2f), "two boxes, half of the one in the other");
}

/* The second is turned; they come apart however they are put. */
static void check_boxes(uint32_t first, uint32_t second, mote_vec3 shift, double turn, const char *what)
{
    mote_world *world = impulse_weightless_world();
    const uint32_t count[2][3] = {{first, first, first}, {second, second, second}};
    for (int n = 0; n < 2; n++) {
        mote_rigid_def def = mote_default_rigid_def();
        def.pose.position = n == 0 ? vec(0, 0, 0) : vec(shift.x * R, shift.y * R, shift.z * R);
        def.pose.rotation = turn_about(vec(1, 2, 3), n * turn);
        must_exist(mote_rigid_box(world, &def, count[n]));
    }
    check_frames(world, 150, 1.1 * preset_speed((double)R), what);
    check_apart(world, what);
    mote_world_destroy(world);
}

static void boxes_in_one_place(void **state)
{
    (void)state;
    check_boxes(3, 3, vec(0, 0, 0), 0, "two boxes in one place");
    check_boxes(3, 3, vec(0.1f, 0, 0), 0, "two boxes nearly in one place");
    check_boxes(3, 3, vec(0, 0, 0), 0.5, "two boxes in one place, one turned");
    check_boxes(3, 3, vec(0.5f, 0.2f, 0.1f), 1, "two boxes nearly in one place, one turned");
    check_boxes(3, 3, vec(2, 2, 2), 0, "two boxes by a particle off along each edge");
    check_boxes(5, 2, vec(0.5f, 0.2f, 0.1f), 0.3, "a small box in a large one");
    check_boxes(5, 5, vec(2, 0.2f, 0.1f), 0.3, "two large boxes nearly in one place");
}

/* Light grains inside a heavy box get all of the push. */
static void grains_in_box(void **state)
{
    (void)state;
    mote_world *world = impulse_weightless_world();
    add_brick(world, 5, 5, 5, vec(0, 0, 0));
    for (int n = 0; n < 3; n++)
        add_point(world, vec(0.07f * (float)n, 0.09f * (float)(n - 1), 0.05f), 0.5f);
    check_frames(world, 120, 1.1 * preset_speed((double)R), "grains in a box");
    check_apart(world, "grains in a box");
    mote_world_destroy(world);
}

static void check_moved_shape(mote_shape_type type, make_thing *thing, const char *what)
{
    mote_world *world = impulse_weightless_world();
    thing(world);
    mote_shape_def def = mote_default_shape_def();
    def.type = type;
    def.position = vec(0, -5, 0);
    mote_shape_id shape = mote_shape_add(world, &def);
    must_exist(shape);
    step_times(world, 10, TEST_FRAME);
    check_below(fastest_of(world), 1e-3, "%s: it is at rest before, m/s", what);
    def.position = vec(0.02f, -0.35f, 0.01f);
    must(mote_shape_set(world, shape, &def));
    check_frames(world, 120, 1.1 * preset_speed((double)R), what);
    check_apart(world, what);
    mote_world_destroy(world);
}

static void moved_shape(void **state)
{
    (void)state;
    check_moved_shape(MOTE_SHAPE_BOX, a_box, "a block put into a box");
    check_moved_shape(MOTE_SHAPE_SPHERE, a_grain, "a sphere put into a grain");
}

/* ---- shapes put into things ------------------------------------------------------------------------------ */

static void a_ball(mote_world *world)
{
    mote_rigid_def def = mote_default_rigid_def();
    must_exist(mote_rigid_ball(world, &def, 4 * R));
}

static void check_new_shape(make_thing *thing, mote_shape_type type, float size, mote_vec3 shift,
                            const char *what)
{
    mote_world *world = impulse_weightless_world();
    thing(world);
    mote_shape_def def = mote_default_shape_def();
    def.type = type;
    def.position = vec(shift.x * R, shift.y * R, shift.z * R);
    def.radius = size;
    def.half_height = 2 * size;
    def.half_extents = vec(size, size, size);
    must_exist(mote_shape_add(world, &def));
    check_frames(world, 150, 1.1 * preset_speed((double)R), what);
    check_apart(world, what);
    mote_world_destroy(world);
}

static void shape_in_thing(void **state)
{
    (void)state;
    static const mote_vec3 shifts[] = {{0, 0, 0}, {1, 0.3f, 0}, {3, 0, 0.2f}};
    for (int n = 0; n < 3; n++) {
        check_new_shape(a_box, MOTE_SHAPE_SPHERE, 2 * R, shifts[n], "a sphere put into a box");
        check_new_shape(a_box, MOTE_SHAPE_BOX, 2 * R, shifts[n], "a small block put into a box");
        check_new_shape(a_box, MOTE_SHAPE_CAPSULE, 2 * R, shifts[n], "a capsule put into a box");
        check_new_shape(a_ball, MOTE_SHAPE_SPHERE, 2 * R, shifts[n], "a sphere put into a ball");
        check_new_shape(a_ball, MOTE_SHAPE_BOX, 2 * R, shifts[n], "a small block put into a ball");
        check_new_shape(a_ball, MOTE_SHAPE_CAPSULE, 2 * R, shifts[n], "a capsule put into a ball");
        check_new_shape(a_box, MOTE_SHAPE_SPHERE, 10 * R, shifts[n], "a large sphere around a box");
        check_new_shape(a_jointed_pair, MOTE_SHAPE_BOX, 10 * R, shifts[n],
                        "a large block around a jointed pair");
    }
}

/* ---- springs, and skeletons ------------------------------------------------------------------------------ */

static mote_material_id add_soft(mote_world *world, float compliance)
{
    mote_material_def def = mote_default_material_def();
    def.compliance = compliance;
    mote_material_id soft = mote_material_add(world, &def);
    must_exist(soft);
    return soft;
}

/* What was put into a spring has not pressed it: it is not shot out with what the spring would bear there. */
static void check_soft(float compliance, bool body, const char *what)
{
    mote_world *world = impulse_weightless_world();
    mote_material_id soft = add_soft(world, compliance);
    mote_plane_def ground = mote_default_plane_def();
    ground.offset = 0.3f;
    must_exist(mote_plane_add(world, &ground));
    if (body)
        add_lattice(world, &(lattice){.count = {3, 3, 3}, .material = soft});
    else
        add_particle(world, vec(0, 0, 0), vec(0, 0, 0), soft);
    check_frames(world, 120, 1.1 * preset_speed((double)R), what);
    check_apart(world, what);
    mote_world_destroy(world);
}

static void soft_things(void **state)
{
    (void)state;
    for (float compliance = 1e-6f; compliance < 2e-3f; compliance *= 10) {
        check_soft(compliance, false, "a soft grain below a floor");
        check_soft(compliance, true, "a soft box below a floor");
    }
}

static mote_world *world_with_skeleton(bool lies)
{
    mote_settings settings = impulse_weightless();
    settings.max_depenetration_speed = 1;
    mote_world_def world_def = test_world_def(&settings);
    world_def.radius = HUMANOID_RADIUS * 1.75f;
    mote_world *world = NULL;
    must(mote_world_create(&world_def, &world));
    mote_bone_def bones[HUMANOID_BONES];
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = bones;
    def.bone_count = humanoid_bones(1.75f, bones, HUMANOID_BONES);
    def.radius = world_def.radius;
    def.mass = 75;
    if (lies)
        def.pose.rotation = turn_about(vec(1, 0, 0), TEST_PI / 2);
    must_exist(mote_skeleton_add(world, &def));
    return world;
}

static void check_skeleton_in_floor(bool lies, float height, int frames, const char *what)
{
    mote_world *world = world_with_skeleton(lies);
    mote_plane_def ground = mote_default_plane_def();
    ground.offset = height;
    must_exist(mote_plane_add(world, &ground));
    check_frames(world, frames, 1.1, what);
    check_apart(world, what);
    mote_world_destroy(world);
}

static void skeleton_in_floor(void **state)
{
    (void)state;
    check_skeleton_in_floor(true, 0.3f, 120, "a skeleton below a floor");
    check_skeleton_in_floor(true, 3, 300, "a skeleton deep below a floor");
    check_skeleton_in_floor(false, 0.9f, 200, "a skeleton that stands in a floor up to its hips");
}

static void skeleton_around_block(void **state)
{
    (void)state;
    mote_world *world = world_with_skeleton(false);
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_BOX;
    def.position = vec(0, 1.2f, 0);
    def.half_extents = vec(0.1f, 0.1f, 0.1f);
    must_exist(mote_shape_add(world, &def));
    check_frames(world, 200, 1.1, "a skeleton with a block in its chest");
    check_apart(world, "a skeleton with a block in its chest");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_below_floor),     cmocka_unit_test(grain_below_floor),
        cmocka_unit_test(pair_below_floor),    cmocka_unit_test(speed_is_a_setting),
        cmocka_unit_test(boxes_in_each_other), cmocka_unit_test(boxes_in_one_place),
        cmocka_unit_test(grains_in_box),       cmocka_unit_test(moved_shape),
        cmocka_unit_test(shape_in_thing),      cmocka_unit_test(soft_things),
        cmocka_unit_test(skeleton_in_floor),   cmocka_unit_test(skeleton_around_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
