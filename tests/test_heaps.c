/* Bodies that fall on each other have less energy after every frame, and nobody is thrown up faster than it can
 * have fallen. What a solver gives beyond that shows in rods and sheets first: they lie on many particles at once
 * and weigh little. */
#include "support.h"

#include <math.h>
#include <stdio.h>

#include "scenes/scene.h"

enum { FRAMES = 300 }; /* the first impacts come after a second, and the last bodies after two */

static double height_of(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    double top = 0;
    for (size_t i = 0; i < view.count; ++i)
        top = fmax(top, (double)view.position[i].y);
    return top;
}

#define GAIN 0.001 /* of itself: what the energy may grow by in a frame */

static void check_scene(const char *name, const scene_request *request)
{
    scene_faults faults = {0};
    scene *s = scene_open(name, request, &faults);
    check_true(s != NULL && faults.count == 0, "%s: it can be opened", name);
    mote_world *world = NULL;
    must(scene_create(s, 2, MOTE_SIMD_AUTO, &world));
    const double fall = sqrt(2 * 9.81 * height_of(world));
    double last = HUGE_VAL;
    for (uint32_t frame = 0; frame < FRAMES; ++frame) {
        must(scene_before_frame(s, world, frame));
        must(mote_world_step(world, s->dt));
        mote_stats stats;
        must(mote_world_stats(world, &stats));
        double energy = stats.kinetic_energy + stats.potential_energy;
        check_below(energy - last, GAIN * energy, "%s, frame %u: energy that came from nowhere, J", name,
                    frame);
        check_below((double)stats.max_speed, 1.5 * fall, "%s, frame %u: the fastest particle, m/s", name,
                    frame);
        last = energy;
    }
    mote_world_destroy(world);
    scene_close(s);
    scene_faults_free(&faults);
}

static void rods_and_sheets(void **state)
{
    (void)state;
    check_scene("rods-and-sheets", NULL);
}

/* Twenty times with others: with MOTE_LONG=1. */
static void rods_and_sheets_anyhow(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 20 && test_is_long(); seed++) {
        char text[3][40];
        const char *overrides[3] = {text[0], text[1], text[2]};
        for (int k = 0; k < 3; k++)
            snprintf(text[k], sizeof text[k], "bodies[%d].repeat.seed=%d", k, seed + 100 * k);
        print_message("seed %d\n", seed);
        check_scene("rods-and-sheets", &(scene_request){.overrides = overrides, .override_count = 3});
    }
}

static void rings_and_bowls(void **state)
{
    (void)state;
    check_scene("mesh-drop", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_and_sheets),
        cmocka_unit_test(rods_and_sheets_anyhow),
        cmocka_unit_test(rings_and_bowls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
