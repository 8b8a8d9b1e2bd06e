/* Bad input to bodies and joints: every fault is answered with an error that names it, and the world is as it
 * was before. */
#include "jointed_world.h"
#include "refused.h"

#include <string.h>

/* Two blocks in a ball joint, a driven block, loose particles, and handles to what was. */
typedef struct fixture {
    mote_world *world;
    mote_body_id a, b, driven, stale_body;
    mote_joint_id joint, stale_joint;
    mote_particle_id loose[3], fixed, stale_particle;
} fixture;

static fixture make_fixture(void)
{
    static const uint32_t eight[3] = {2, 2, 2};
    fixture f = {.world = test_world(NULL)};
    mote_material_id none = {0};
    add_floor(f.world, none);
    f.a = add_block(f.world, eight, vec(0, 1, 0), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    f.b = add_block(f.world, eight, vec(0.3f, 1, 0), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    f.driven = add_block(f.world, eight, vec(-1, 1, 0), vec(0, 0, 0), MOTE_BODY_DRIVEN);
    f.stale_body = add_block(f.world, eight, vec(2, 1, 0), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    f.joint = add_joint(f.world, MOTE_JOINT_BALL, f.a, f.b, vec(0.2f, 1.05f, 0.05f));
    f.stale_joint = add_joint(f.world, MOTE_JOINT_BALL, f.stale_body, (mote_body_id){0}, vec(2, 1, 0));
    for (int i = 0; i < 3; ++i)
        f.loose[i] = add_particle(f.world, vec(0, 3 + 0.1f * (float)i, 0), vec(0, 0, 0), none);
    mote_particle_def def = mote_default_particle_def();
    def.position = vec(4, 4, 4);
    def.fixed = true;
    f.fixed = mote_particle_add(f.world, &def);
    f.stale_particle = add_particle(f.world, vec(5, 5, 5), vec(0, 0, 0), none);
    must(mote_particle_remove(f.world, f.stale_particle));
    must(mote_body_remove(f.world, f.stale_body));
    check_true(!mote_joint_is_valid(f.world, f.stale_joint), "a joint goes with its body");
    step_times(f.world, 2, TEST_FRAME);
    return f;
}

static mote_result result_of(mote_body_id body)
{
    return mote_is_null(body) ? mote_last_result() : MOTE_OK;
}

/* ---- handles -------------------------------------------------------------------------------------------- */

static void check_body_handle(fixture *f, mote_body_id bad)
{
    mote_world *w = f->world;
    const mote_result stale = MOTE_ERROR_STALE_HANDLE;
    mote_body_state out;
    mote_pose pose = {vec(0, 0, 0), {0, 0, 0, 1}}, poses[2];
    mote_particle_id ids[4];
    mote_body_id two[2] = {f->a, bad};
    refused(w, mote_body_get(w, bad, &out), stale, "body");
    refused(w, mote_body_poses(w, two, 2, poses), stale, "body");
    refused(w, mote_body_remove(w, bad), stale, "body");
    refused(w, mote_body_dissolve(w, bad), stale, "body");
    refused(w, mote_body_set_pose(w, bad, pose), stale, "body");
    refused(w, mote_body_set_velocity(w, bad, vec(0, 0, 0), vec(0, 0, 0)), stale, "body");
    refused(w, mote_body_apply_impulse(w, bad, vec(1, 0, 0), vec(0, 0, 0)), stale, "body");
    refused(w, mote_body_set_mode(w, bad, MOTE_BODY_DRIVEN), stale, "body");
    refused(w, mote_body_move_to(w, bad, pose), stale, "body");
    check_true(!mote_body_is_valid(w, bad), "it is not valid");
    check_near((double)mote_body_particles(w, bad, ids, 4), 0, 0, "particles of no body");
    check_true(mote_is_null(mote_joint_between(w, bad, f->a)), "no joint between");
    check_true(mote_is_null(mote_joint_between(w, f->a, bad)), "no joint between");
    mote_joint_def def = mote_default_joint_def();
    def.a = bad;
    def.b = f->a;
    refused_handle(w, mote_joint_add(w, &def), stale, "joint.a");
    if (!mote_is_null(bad)) {
        def.a = f->a;
        def.b = bad;
        refused_handle(w, mote_joint_add(w, &def), stale, "joint.b");
    }
}

static void stale_handles(void **state)
{
    (void)state;
    fixture f = make_fixture();
    const mote_result stale = MOTE_ERROR_STALE_HANDLE;
    const mote_body_id bodies[] = {f.stale_body, {0, 0}, {UINT32_MAX, 1}, {f.a.index, f.a.generation + 1}};
    const mote_joint_id joints[] = {
        f.stale_joint, {0, 0}, {UINT32_MAX, 1}, {f.joint.index, f.joint.generation + 1}};
    for (int i = 0; i < 4; ++i) {
        check_body_handle(&f, bodies[i]);
        mote_joint_state out;
        mote_joint_def def = mote_default_joint_def();
        refused(f.world, mote_joint_get(f.world, joints[i], &out), stale, "joint");
        refused(f.world, mote_joint_set(f.world, joints[i], &def), stale, "joint");
        refused(f.world, mote_joint_remove(f.world, joints[i]), stale, "joint");
        check_true(!mote_joint_is_valid(f.world, joints[i]), "it is not valid");
    }
    mote_body_id none[2];
    check_near(mote_particle_bodies(f.world, f.stale_particle, none, 2), 0, 0,
               "bodies of a particle that is gone");
    check_near(mote_particle_bodies(f.world, f.loose[0], none, 2), 0, 0, "bodies of a loose particle");
    mote_world_destroy(f.world);
}

static void null_pointers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_world *w = f.world;
    const mote_result argument = MOTE_ERROR_ARGUMENT;
    mote_pose pose;
    refused_handle(w, mote_body_add(w, NULL), argument, "def");
    refused_handle(w, mote_joint_add(w, NULL), argument, "def");
    refused(w, mote_joint_set(w, f.joint, NULL), argument, "def");
    refused(w, mote_body_get(w, f.a, NULL), argument, "state");
    refused(w, mote_joint_get(w, f.joint, NULL), argument, "state");
    refused(w, mote_body_poses(w, NULL, 1, &pose), argument, "bodies");
    refused(w, mote_body_poses(w, &f.a, 1, NULL), argument, "poses");
    must(mote_body_poses(w, NULL, 0, NULL));
    check_near(mote_body_list(w, NULL, 0), 3, 0, "bodies, without a list");
    check_near(mote_joint_list(w, NULL, 0), 1, 0, "joints, without a list");
    check_near((double)mote_body_particles(w, f.b, NULL, 0), 9, 0,
               "particles, without a list: a block and a joint");
    check_near(mote_particle_bodies(w, f.loose[0], NULL, 0), 0, 0, "bodies, without a list");
    mote_body_id first[2] = {{0}};
    check_near(mote_body_list(w, first, 1), 3, 0, "bodies, with a short list");
    check_true(first[0].index == f.a.index && mote_is_null(first[1]), "only the first is written");
    mote_world_destroy(w);
}

static void without_a_world(void **state)
{
    (void)state;
    const mote_result argument = MOTE_ERROR_ARGUMENT;
    mote_body_id body = {0, 1};
    mote_joint_id joint = {0, 1};
    mote_body_def body_def = mote_default_body_def();
    mote_joint_def joint_def = mote_default_joint_def();
    mote_body_state body_state;
    mote_joint_state joint_state;
    mote_pose pose = {vec(0, 0, 0), {0, 0, 0, 1}};
    refused_handle(NULL, mote_body_add(NULL, &body_def), argument, "world");
    refused_handle(NULL, mote_joint_add(NULL, &joint_def), argument, "world");
    refused(NULL, mote_body_remove(NULL, body), argument, "world");
    refused(NULL, mote_body_dissolve(NULL, body), argument, "world");
    refused(NULL, mote_body_get(NULL, body, &body_state), argument, "world");
    refused(NULL, mote_body_poses(NULL, &body, 1, &pose), argument, "world");
    refused(NULL, mote_body_set_pose(NULL, body, pose), argument, "world");
    refused(NULL, mote_body_set_velocity(NULL, body, vec(0, 0, 0), vec(0, 0, 0)), argument, "world");
    refused(NULL, mote_body_apply_impulse(NULL, body, vec(0, 0, 0), vec(0, 0, 0)), argument, "world");
    refused(NULL, mote_body_set_mode(NULL, body, MOTE_BODY_DYNAMIC), argument, "world");
    refused(NULL, mote_body_move_to(NULL, body, pose), argument, "world");
    refused(NULL, mote_joint_get(NULL, joint, &joint_state), argument, "world");
    refused(NULL, mote_joint_set(NULL, joint, &joint_def), argument, "world");
    refused(NULL, mote_joint_remove(NULL, joint), argument, "world");
    check_true(!mote_body_is_valid(NULL, body) && !mote_joint_is_valid(NULL, joint), "nothing is valid");
    check_true(mote_is_null(mote_joint_between(NULL, body, body)), "no joint between");
    check_near(mote_body_count(NULL) + mote_joint_count(NULL) + mote_body_list(NULL, &body, 1) +
                   mote_joint_list(NULL, &joint, 1) +
                   mote_particle_bodies(NULL, (mote_particle_id){0, 1}, &body, 1),
               0, 0, "nothing is counted");
    check_near((double)mote_body_particles(NULL, body, NULL, 0), 0, 0, "particles of no world");
}

/* ---- numbers of bodies ----------------------------------------------------------------------------------- */

static mote_result add_body(mote_world *world, const void *def, const void *context)
{
    (void)context;
    return result_of(mote_body_add(world, def));
}

static void body_definitions(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_world *w = f.world;
    const mote_result argument = MOTE_ERROR_ARGUMENT, stale = MOTE_ERROR_STALE_HANDLE;
    mote_body_def good = mote_default_body_def(), bad;
    good.particles = f.loose;
    good.particle_count = 3;
    static const float_field fields[] = {
        VEC3_FIELDS(mote_body_def, frame.position, 2e6f),
        {offsetof(mote_body_def, frame.rotation.x), "rotation", NAN, NAN},
        {offsetof(mote_body_def, frame.rotation.w), "rotation", NAN, NAN},
    };
    check_floats(w, &good, sizeof good, fields, sizeof fields / sizeof fields[0], add_body, NULL);
    bad = good, bad.frame.rotation = (mote_quat){0, 0, 0, 0};
    refused_handle(w, mote_body_add(w, &bad), argument, "rotation");
    bad = good, bad.mode = MOTE_BODY_MODE_COUNT;
    refused_handle(w, mote_body_add(w, &bad), argument, "mode");
    bad = good, bad.particles = NULL;
    refused_handle(w, mote_body_add(w, &bad), argument, "particles");
    bad = good, bad.particle_count = 0;
    refused_handle(w, mote_body_add(w, &bad), argument, "particle_count");
    const mote_particle_id lists[][3] = {{f.loose[0], f.stale_particle, f.loose[1]},
                                         {f.loose[0], f.loose[1], {0, 0}},
                                         {{UINT32_MAX, 1}, f.loose[1], f.loose[2]}};
    for (int i = 0; i < 3; ++i) {
        bad = good, bad.particles = lists[i];
        refused_handle(w, mote_body_add(w, &bad), stale, "particle");
    }
    const mote_particle_id twice[] = {f.loose[0], f.loose[1], f.loose[0]};
    bad = good, bad.particles = twice;
    refused_handle(w, mote_body_add(w, &bad), argument, "particle");
    const mote_particle_id with_fixed[] = {f.loose[0], f.fixed, f.loose[1]};
    bad = good, bad.particles = with_fixed;
    refused_handle(w, mote_body_add(w, &bad), argument, "fixed");
    must_exist(mote_body_add(w, &good));
    mote_world_destroy(w);
}

static mote_result set_pose(mote_world *world, const void *def, const void *context)
{
    return mote_body_set_pose(world, *(const mote_body_id *)context, *(const mote_pose *)def);
}

static mote_result move_to(mote_world *world, const void *def, const void *context)
{
    return mote_body_move_to(world, *(const mote_body_id *)context, *(const mote_pose *)def);
}

static mote_result set_velocity(mote_world *world, const void *def, const void *context)
{
    const mote_vec3 *two = def;
    return mote_body_set_velocity(world, *(const mote_body_id *)context, two[0], two[1]);
}

static mote_result apply_impulse(mote_world *world, const void *def, const void *context)
{
    const mote_vec3 *two = def;
    return mote_body_apply_impulse(world, *(const mote_body_id *)context, two[0], two[1]);
}

static void body_setters(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_world *w = f.world;
    static const float_field pose_fields[] = {VEC3_FIELDS(mote_pose, position, 2e6f),
                                              {offsetof(mote_pose, rotation.y), "rotation", NAN, NAN},
                                              {offsetof(mote_pose, rotation.w), "rotation", NAN, NAN}};
    const mote_pose pose = {vec(0, 0, 0), {0, 0, 0, 1}};
    check_floats(w, &pose, sizeof pose, pose_fields, 5, set_pose, &f.a);
    check_floats(w, &pose, sizeof pose, pose_fields, 5, move_to, &f.driven);
    const mote_pose turned_nowhere = {vec(0, 0, 0), {0, 0, 0, 0}};
    refused(w, mote_body_set_pose(w, f.a, turned_nowhere), MOTE_ERROR_ARGUMENT, "rotation");
    refused(w, mote_body_move_to(w, f.driven, turned_nowhere), MOTE_ERROR_ARGUMENT, "rotation");
    refused(w, mote_body_move_to(w, f.a, pose), MOTE_ERROR_ARGUMENT, "driven");
    const mote_vec3 zeros[2] = {{0, 0, 0}, {0, 0, 0}};
    const float_field velocity_fields[] = {{0, "velocity", -2e4f, 2e4f},
                                           {8, "velocity", -2e4f, 2e4f},
                                           {12, "spin", -1e9f, 1e9f},
                                           {20, "spin", -1e9f, 1e9f}};
    check_floats(w, zeros, sizeof zeros, velocity_fields, 4, set_velocity, &f.a);
    check_floats(w, zeros, sizeof zeros, velocity_fields, 4, set_velocity, &f.driven);
    const float_field impulse_fields[] = {{0, "impulse", NAN, 1e30f},
                                          {4, "impulse", NAN, 1e30f},
                                          {12, "point", -1e8f, 1e8f},
                                          {20, "point", -1e8f, 1e8f}};
    check_floats(w, zeros, sizeof zeros, impulse_fields, 4, apply_impulse, &f.a);
    check_floats(w, zeros, sizeof zeros, impulse_fields, 4, apply_impulse, &f.driven);
    refused(w, mote_body_apply_impulse(w, f.a, vec(1e9f, 0, 0), vec(0, 1, 0)), MOTE_ERROR_ARGUMENT, "impulse");
    refused(w, mote_body_set_mode(w, f.a, MOTE_BODY_MODE_COUNT), MOTE_ERROR_ARGUMENT, "mode");
    refused(w, mote_body_set_mode(w, f.a, (mote_body_mode)-1), MOTE_ERROR_ARGUMENT, "mode");
    mote_world_destroy(w);
}

/* ---- numbers of joints ----------------------------------------------------------------------------------- */

static mote_result add_one_joint(mote_world *world, const void *def, const void *context)
{
    (void)context;
    return mote_is_null(mote_joint_add(world, def)) ? mote_last_result() : MOTE_OK;
}

static mote_result set_joint(mote_world *world, const void *def, const void *context)
{
    return mote_joint_set(world, *(const mote_joint_id *)context, def);
}

#define JOINT_FIELD(member, low, high)                                                                         \
    {                                                                                                          \
        offsetof(mote_joint_def, member), #member, low, high                                                   \
    }

static const float_field joint_places[] = {
    VEC3_FIELDS(mote_joint_def, anchor, 2e6f), JOINT_FIELD(axis.x, NAN, NAN), JOINT_FIELD(axis.z, NAN, NAN),
    JOINT_FIELD(middle.x, NAN, NAN),           JOINT_FIELD(radius, -1, 1e9f),
};

static const float_field joint_numbers[] = {
    JOINT_FIELD(min_angle, -3.2f, 3.2f),   JOINT_FIELD(max_angle, -3.2f, 3.2f),
    JOINT_FIELD(swing_limit, -0.1f, 3.2f), JOINT_FIELD(twist_limit, -0.1f, 3.2f),
    JOINT_FIELD(damping, -1, NAN),         JOINT_FIELD(break_force, -1, 1e31f),
    JOINT_FIELD(break_torque, -1, 1e31f),  JOINT_FIELD(yield_torque, -1, 1e31f),
    JOINT_FIELD(bend_limit, -1, 1e31f),
};

enum {
    PLACES = sizeof joint_places / sizeof *joint_places,
    NUMBERS = sizeof joint_numbers / sizeof *joint_numbers
};

static void joint_definitions(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_world *w = f.world;
    const mote_result argument = MOTE_ERROR_ARGUMENT;
    mote_joint_def good = mote_default_joint_def(), bad;
    good.a = f.a;
    good.b = f.driven;
    good.anchor = vec(-0.4f, 1, 0);
    for (int type = 0; type < MOTE_JOINT_TYPE_COUNT; ++type) {
        good.type = (mote_joint_type)type;
        check_floats(w, &good, sizeof good, joint_places, PLACES, add_one_joint, NULL);
        check_floats(w, &good, sizeof good, joint_numbers, NUMBERS, add_one_joint, NULL);
        bad = good, bad.axis = vec(0, 0, 0);
        refused_handle(w, mote_joint_add(w, &bad), argument, "axis");
        bad = good, bad.min_angle = 1, bad.max_angle = 0.5f;
        refused_handle(w, mote_joint_add(w, &bad), argument, "angle");
        bad = good, bad.size = 65;
        refused_handle(w, mote_joint_add(w, &bad), argument, "size");
        bad = good, bad.b = good.a;
        refused_handle(w, mote_joint_add(w, &bad), argument, "joint");
        bad = good, bad.particle_count = 1;
        refused_handle(w, mote_joint_add(w, &bad), argument, "particles");
        bad = good, bad.particles = &f.stale_particle, bad.particle_count = 1;
        refused_handle(w, mote_joint_add(w, &bad), MOTE_ERROR_STALE_HANDLE, "particle");
        bad = good, bad.particles = &f.fixed, bad.particle_count = 1;
        refused_handle(w, mote_joint_add(w, &bad), argument, "fixed");
    }
    good.type = MOTE_JOINT_UNIVERSAL;
    bad = good, bad.second_axis = bad.axis;
    refused_handle(w, mote_joint_add(w, &bad), argument, "second_axis");
    bad = good, bad.second_axis.y = NAN;
    refused_handle(w, mote_joint_add(w, &bad), MOTE_ERROR_NOT_FINITE, "second_axis");
    bad = good, bad.type = MOTE_JOINT_TYPE_COUNT;
    refused_handle(w, mote_joint_add(w, &bad), argument, "type");
    const mote_particle_id twice[] = {f.loose[0], f.loose[0]};
    bad = good, bad.particles = twice, bad.particle_count = 2;
    refused_handle(w, mote_joint_add(w, &bad), argument, "particle");
    must_exist(mote_joint_add(w, &good));
    mote_world_destroy(w);
}

static void joint_changes(void **state)
{
    (void)state;
    fixture f = make_fixture();
    const mote_joint_def good = mote_default_joint_def();
    check_floats(f.world, &good, sizeof good, joint_numbers, NUMBERS, set_joint, &f.joint);
    mote_joint_def bad = good;
    bad.min_angle = 1, bad.max_angle = 0.5f;
    refused(f.world, mote_joint_set(f.world, f.joint, &bad), MOTE_ERROR_ARGUMENT, "angle");
    must(mote_joint_set(f.world, f.joint, &good));
    mote_world_destroy(f.world);
}

/* No room for the particles of a joint. */
static void limits_of_the_world(void **state)
{
    (void)state;
    static const uint32_t two[3] = {2, 1, 1};
    mote_world_def def = test_world_def(NULL);
    def.max_particles = 5;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    mote_joint_def joint = mote_default_joint_def();
    joint.type = MOTE_JOINT_HINGE;
    joint.a = add_block(world, two, vec(0, 0, 0), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    joint.b = add_block(world, two, vec(0, 1, 0), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    refused_handle(world, mote_joint_add(world, &joint), MOTE_ERROR_LIMIT, "max_particles");
    joint.type = MOTE_JOINT_BALL;
    must_exist(mote_joint_add(world, &joint));
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stale_handles),   cmocka_unit_test(null_pointers),
        cmocka_unit_test(without_a_world), cmocka_unit_test(body_definitions),
        cmocka_unit_test(body_setters),    cmocka_unit_test(joint_definitions),
        cmocka_unit_test(joint_changes),   cmocka_unit_test(limits_of_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
