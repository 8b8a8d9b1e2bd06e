/* A hundred and five ragdolls fall on boxes, and on each other: nothing flies apart. */
#include "scenes/scene.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#if defined(TEST_UNDER_ADDRESS_SANITIZER) || defined(TEST_UNDER_THREAD_SANITIZER)
#define FRAMES 6u
#else
#define FRAMES 180u
#endif

static double fastest(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    double most = 0;
    for (size_t i = 0; i < view.count; i++) {
        mote_vec4 v = view.velocity[i];
        most = fmax(most, sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z)));
    }
    return most;
}

static double widest_gap(const mote_world *world)
{
    uint32_t count = mote_joint_count(world);
    mote_joint_id *ids = malloc((count + 1) * sizeof *ids);
    assert_non_null(ids);
    mote_joint_list(world, ids, count);
    double most = 0;
    for (uint32_t i = 0; i < count; i++) {
        mote_joint_state state;
        must(mote_joint_get(world, ids[i], &state));
        most = fmax(most, (double)state.gap);
    }
    free(ids);
    return most;
}

static void fall_on_boxes(void **state)
{
    (void)state;
    scene_faults faults = {0};
    scene *s = scene_open("ragdolls", NULL, &faults);
    assert_non_null(s);
    mote_world *world = NULL;
    must(scene_create(s, 0, MOTE_SIMD_AUTO, &world));
    assert_int_equal(mote_skeleton_count(world), 105);
    mote_particles_view view = mote_particles_get_view(world);
    double radius = (double)view.position[0].w, speed = 0, gap = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        must(scene_before_frame(s, world, frame));
        must(mote_world_step(world, s->dt));
        speed = fmax(speed, fastest(world));
        gap = fmax(gap, widest_gap(world));
    }
    check_below(speed, 60, "fastest particle, m/s"); /* they fall with up to 10 m/s, and limbs swing faster */
    check_below(gap, radius, "widest gap of a joint, m");
    mote_world_destroy(world);
    scene_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fall_on_boxes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
