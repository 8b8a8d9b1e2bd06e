/* Adhesion against Johnson, Kendall and Roberts: a contact holds a pull of 3/2 pi R W, with the work of
 * adhesion W and 1/R = 1/Ra + 1/Rb. So a particle hangs under a ceiling if 3/2 pi r W > m g, and falls if not.
 */
#include "support.h"

#include <math.h>

static const float mass = 0.5f; /* kg */

/* The work of adhesion whose pull-off force is `part` of the particle's weight. */
static float work_for(double part, double reduced_radius)
{
    return (float)(part * (double)mass * TEST_GRAVITY / (1.5 * TEST_PI * reduced_radius));
}

static mote_material_id sticky_material(mote_world *world, float work)
{
    mote_material_def def = mote_default_material_def();
    def.adhesion = work;
    mote_material_id material = mote_material_add(world, &def);
    must_exist(material);
    return material;
}

static void add_ceiling(mote_world *world, mote_material_id material)
{
    mote_plane_def def = mote_default_plane_def();
    def.normal = vec(0, -1, 0);
    def.material = material;
    must_exist(mote_plane_add(world, &def));
}

static mote_particle_id add_hanging(mote_world *world, float y, mote_material_id material)
{
    mote_particle_def def = mote_default_particle_def();
    def.position = vec(0, y, 0);
    def.mass = mass;
    def.material = material;
    mote_particle_id p = mote_particle_add(world, &def);
    must_exist(p);
    return p;
}

/* How far a particle under a ceiling came down in 1 s. */
static double drop_from_ceiling(float particle_work, float ceiling_work)
{
    mote_world *world = test_world(NULL);
    add_ceiling(world, sticky_material(world, ceiling_work));
    mote_particle_id p = add_hanging(world, -TEST_RADIUS, sticky_material(world, particle_work));
    step_times(world, 60, TEST_FRAME);
    double drop = -TEST_RADIUS - (double)state_of(world, p).position.y;
    mote_world_destroy(world);
    return drop;
}

/* One that falls starts slowly (4 % of g while it is in reach of the contact) but is metres down after a
 * second; one that hangs may sink by the depth that a substep's fall makes, g h^2 = 0.2 mm. */
static void hangs_under_a_ceiling_if_it_sticks(void **state)
{
    (void)state;
    float above = work_for(1.04, TEST_RADIUS), below = work_for(0.96, TEST_RADIUS);
    check_near(drop_from_ceiling(above, above), 0, 2e-4, "drop with 104 %% of the weight");
    check_above(drop_from_ceiling(below, below), 0.5, "drop with 96 %% of the weight");
    float strong = work_for(50, TEST_RADIUS);
    check_near(drop_from_ceiling(strong, strong), 0, 2e-4, "drop with 50 times the weight");
}

/* Without any adhesion the ceiling does not hold it for one substep: free fall, n (n + 1) / 2 h^2 g. */
static void falls_freely_without_adhesion(void **state)
{
    (void)state;
    check_near(drop_from_ceiling(0, 0), TEST_GRAVITY * 480 * 481 / 2 / (480.0 * 480), 1e-3, "drop in 1 s");
}

/* sqrt(a b): four times one and a quarter of the other hold alike; if one does not stick, nothing does. */
static void adhesion_of_two_materials(void **state)
{
    (void)state;
    float above = work_for(1.04, TEST_RADIUS), below = work_for(0.96, TEST_RADIUS);
    check_near(drop_from_ceiling(4 * above, above / 4), 0, 2e-4, "drop with 4 and 1/4 of 104 %%");
    check_above(drop_from_ceiling(4 * below, below / 4), 0.5, "drop with 4 and 1/4 of 96 %%");
    check_above(drop_from_ceiling(50 * above, 0), 0.5, "drop from a ceiling that does not stick");
}

/* Under another particle of radius rb: R = ra rb / (ra + rb). */
static double drop_from_particle(double part, float upper_radius)
{
    mote_world *world = test_world(NULL);
    double reduced = TEST_RADIUS * upper_radius / (TEST_RADIUS + upper_radius);
    mote_material_id material = sticky_material(world, work_for(part, reduced));
    mote_particle_def upper = mote_default_particle_def();
    upper.fixed = true;
    upper.radius = upper_radius;
    upper.position = vec(0, upper_radius, 0);
    upper.material = material;
    must_exist(mote_particle_add(world, &upper));
    mote_particle_id p = add_hanging(world, -TEST_RADIUS, material);
    step_times(world, 60, TEST_FRAME);
    double drop = -TEST_RADIUS - (double)state_of(world, p).position.y;
    mote_world_destroy(world);
    return drop;
}

static void hangs_under_a_particle_if_it_sticks(void **state)
{
    (void)state;
    static const float radii[] = {TEST_RADIUS, 3 * TEST_RADIUS, 0.5f * TEST_RADIUS};
    for (int i = 0; i < 3; ++i) {
        check_near(drop_from_particle(1.04, radii[i]), 0, 2e-4,
                   "drop with 104 %% of the weight, upper radius %g", (double)radii[i]);
        check_above(drop_from_particle(0.96, radii[i]), 0.5, "drop with 96 %% of the weight, upper radius %g",
                    (double)radii[i]);
    }
}

/* Adhesion pulls across a contact, not along it: a particle on a smooth sticky slope slides like on a smooth
 * one. And it presses, so friction holds against g sin(theta) as long as mu (g cos(theta) + F / m) is more. */
static double way_on_slope(float friction, double pull_by_weight, double angle)
{
    mote_settings settings = mote_default_settings();
    settings.gravity = vec((float)(TEST_GRAVITY * sin(angle)), (float)(-TEST_GRAVITY * cos(angle)), 0);
    mote_world *world = test_world(&settings);
    mote_material_def def = mote_default_material_def();
    def.static_friction = def.kinetic_friction = friction;
    def.adhesion = work_for(pull_by_weight, TEST_RADIUS);
    mote_material_id material = mote_material_add(world, &def);
    must_exist(material);
    add_floor(world, material);
    mote_particle_id p = add_hanging(world, TEST_RADIUS, material);
    step_times(world, 60, TEST_FRAME);
    double way = state_of(world, p).position.x;
    mote_world_destroy(world);
    return way;
}

static void adhesion_on_a_slope(void **state)
{
    (void)state;
    const double angle = 0.6, free_way = TEST_GRAVITY * sin(angle) / 2;
    check_near(way_on_slope(0, 3, angle), free_way, 0.03 * free_way, "way on a smooth sticky slope");
    /* mu 0.3 is too little for tan(0.6) = 0.68, but 0.3 (0.825 + 1.2) > 0.565 with a pull of 1.2 weights. */
    check_above(way_on_slope(0.3f, 0, angle), 1, "way on a slope with mu 0.3");
    check_near(way_on_slope(0.3f, 1.2, angle), 0, 1e-3, "way on the same slope with a pull of 1.2 weights");
}

/* Grains that stick with twenty times their weight, at rest and touching: they must stay what they are, a lump.
 * Adhesion is a force that ends a little way from the contact; a solver that oversteps that way turns it into
 * energy, and the lump flies apart. */
static void a_lump_stays_together(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_material_def def = mote_default_material_def();
    mote_grains_def lump = mote_default_grains_def();
    double grain = (double)def.density * 4 / 3 * TEST_PI * pow(TEST_RADIUS, 3); /* kg */
    def.adhesion = (float)(20 * grain * TEST_GRAVITY / (1.5 * TEST_PI * TEST_RADIUS / 2));
    lump.material = mote_material_add(world, &def);
    lump.count[0] = lump.count[1] = lump.count[2] = 4;
    lump.origin = vec(-3 * TEST_RADIUS, -3 * TEST_RADIUS, -3 * TEST_RADIUS);
    must(mote_grains_block(world, &lump, NULL));
    step_times(world, 120, TEST_FRAME);
    mote_particles_view view = mote_particles_get_view(world);
    double furthest = 0;
    for (size_t i = 0; i < view.count; ++i)
        furthest = fmax(furthest, length_of(vec(view.position[i].x, view.position[i].y, view.position[i].z)));
    check_below(furthest, sqrt(27) * TEST_RADIUS * 1.1, "distance of the furthest grain from the middle");
    check_below(stats_of(world).kinetic_energy / 64, 0.5 * grain * 0.1 * 0.1, "energy of a grain: 0.1 m/s");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hangs_under_a_ceiling_if_it_sticks),
        cmocka_unit_test(falls_freely_without_adhesion),
        cmocka_unit_test(adhesion_of_two_materials),
        cmocka_unit_test(hangs_under_a_particle_if_it_sticks),
        cmocka_unit_test(adhesion_on_a_slope),
        cmocka_unit_test(a_lump_stays_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
