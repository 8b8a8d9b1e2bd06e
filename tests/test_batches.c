/* Assemblies that are alike are worked on eight at a time. Nobody may notice: each moves to the last bit as it
 * does when it is alone in the world, whoever shares its batch, and whether the batch is full or not. */
#include "jointed_world.h"

#include <string.h>

typedef enum pair_kind {
    LIMITED_BALL,
    LIMITED_HINGE,
    YIELDING,
    UNIVERSAL,
    FREE,
    HUNG,
    LOOSE,
    KIND_COUNT
} pair_kind;

enum { EACH = 11, OBJECTS = KIND_COUNT * EACH, STEPS = 30 };

typedef struct object {
    mote_body_id bodies[2];
} object;

static void join(mote_world *world, pair_kind kind, const object *made, mote_vec3 anchor)
{
    static const mote_joint_type types[KIND_COUNT] = {
        [LIMITED_BALL] = MOTE_JOINT_BALL,   [LIMITED_HINGE] = MOTE_JOINT_HINGE, [YIELDING] = MOTE_JOINT_STIFF,
        [UNIVERSAL] = MOTE_JOINT_UNIVERSAL, [FREE] = MOTE_JOINT_BALL,           [HUNG] = MOTE_JOINT_BALL};
    mote_joint_def def = mote_default_joint_def();
    def.type = types[kind];
    def.a = made->bodies[0];
    def.b = kind == HUNG ? (mote_body_id){0} : made->bodies[1];
    def.anchor = anchor;
    if (kind == LIMITED_BALL)
        def.swing_limit = def.twist_limit = 0.1f;
    if (kind == LIMITED_HINGE)
        def.max_angle = 0.1f;
    if (kind == YIELDING)
        def.yield_torque = 1e-3f;
    must_exist(mote_joint_add(world, &def));
}

/* Two blocks beside each other, with a joint unless they are loose. Each moves and turns in its own way. */
static object add_object(mote_world *world, uint32_t index)
{
    static const uint32_t count[3] = {2, 3, 2};
    const float spacing = 2 * TEST_RADIUS, n = (float)(index / KIND_COUNT), far = 40 * TEST_RADIUS;
    pair_kind kind = (pair_kind)(index % KIND_COUNT);
    const float gap = kind == HUNG || kind == LOOSE ? 12.0f : 3.0f; /* loose ones must not touch */
    mote_vec3 corner = vec(far * (float)index, 0, 0), beside = vec(corner.x + gap * spacing, 0, 0);
    object made;
    made.bodies[0] = add_block(world, count, corner, vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    made.bodies[1] = add_block(world, count, beside, vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    if (kind != LOOSE)
        join(world, kind, &made, vec(corner.x + 2 * spacing, spacing, 0.5f * spacing));
    must(mote_body_set_velocity(world, made.bodies[0], vec(0.1f, 0.01f * n, 0), vec(1 + n, 2, -0.5f * n)));
    must(mote_body_set_velocity(world, made.bodies[1], vec(0.1f, 0, -0.02f * n), vec(-1, 3 - n, 4)));
    return made;
}

static mote_world *make_world(void)
{
    mote_settings settings = weightless();
    settings.gravity = vec(0, -0.5f, 0);
    mote_world_def def = test_world_def(&settings);
    mote_world *world;
    must(mote_world_create(&def, &world));
    return world;
}

static void nobody_notices_batches(void **state)
{
    (void)state;
    object all[OBJECTS];
    mote_world *together = make_world();
    for (uint32_t i = 0; i < OBJECTS; i++)
        all[i] = add_object(together, i);
    step_times(together, STEPS, TEST_FRAME);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        mote_world *world = make_world();
        object alone = add_object(world, i);
        step_times(world, STEPS, TEST_FRAME);
        for (int k = 0; k < 2; k++) {
            mote_body_state a = body_state_of(together, all[i].bodies[k]);
            mote_body_state b = body_state_of(world, alone.bodies[k]);
            check_true(memcmp(&a.pose, &b.pose, sizeof a.pose) == 0, "pose of body %d of object %u", k, i);
            check_true(memcmp(&a.velocity, &b.velocity, sizeof a.velocity) == 0,
                       "velocity of body %d of object %u", k, i);
        }
        mote_world_destroy(world);
    }
    mote_world_destroy(together);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_notices_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
