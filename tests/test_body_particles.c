/* What happens to a body when the particles that it is made of are changed or taken away one by one. */
#include "jointed_world.h"
#include "refused.h"

static const mote_material_id NO_MATERIAL = {0};

/* Particles of 1 kg along x from 0, 0.1 m apart, as one body. */
typedef struct rod {
    mote_particle_id ids[4];
    mote_body_id body;
} rod;

static rod add_rod(mote_world *world, int count, float y, mote_body_mode mode)
{
    rod made;
    for (int i = 0; i < count; ++i)
        made.ids[i] = add_particle(world, vec(0.1f * (float)i, y, 0), vec(0, 0, 0), NO_MATERIAL);
    mote_body_def def = mote_default_body_def();
    def.particles = made.ids;
    def.particle_count = (size_t)count;
    def.mode = mode;
    made.body = mote_body_add(world, &def);
    must_exist(made.body);
    return made;
}

static void check_vector(mote_vec3 measured, mote_vec3 expected, double tolerance, const char *what)
{
    check_near(distance_of(measured, expected), 0, tolerance, "%s: (%g, %g, %g) beside (%g, %g, %g)", what,
               (double)measured.x, (double)measured.y, (double)measured.z, (double)expected.x,
               (double)expected.y, (double)expected.z);
}

/* ---- taken away ------------------------------------------------------------------------------------------ */

/* The rest of the body stays where it is, and its mass and centre are those of the rest. */
static void removed_one_by_one(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    rod r = add_rod(world, 4, 1, MOTE_BODY_DYNAMIC), other = add_rod(world, 2, 2, MOTE_BODY_DYNAMIC);
    mote_joint_def def = mote_default_joint_def();
    def.a = r.body;
    def.b = other.body;
    def.particles = &other.ids[0]; /* shared now: half of its 1 kg is the first body's */
    def.particle_count = 1;
    mote_joint_id joint = mote_joint_add(world, &def);
    must_exist(joint);
    check_near(body_state_of(world, r.body).mass, 4.5, 1e-5, "mass of four particles and a half");
    must(mote_particle_remove(world, other.ids[0]));
    check_near(body_state_of(world, r.body).mass, 4, 1e-5, "mass without the shared one");
    check_near((double)body_state_of(world, other.body).particle_count, 1, 0, "particles of the other body");
    const double centers[] = {0.15, 0.2, 0.25, 0.3};
    for (int i = 0; i < 4; ++i) {
        mote_body_state s = body_state_of(world, r.body);
        check_near(s.mass, 4 - i, 1e-5, "mass without %d", i);
        check_near((double)s.particle_count, 4 - i, 0, "particles without %d", i);
        check_vector(s.center, vec((float)centers[i], 1, 0), 1e-5, "centre of the rest");
        must(mote_particle_remove(world, r.ids[i]));
        step_times(world, 1, TEST_FRAME);
    }
    check_true(!mote_body_is_valid(world, r.body), "a body without particles is gone");
    check_true(!mote_joint_is_valid(world, joint), "its joint is gone");
    check_near(mote_body_count(world), 1, 0, "bodies");
    check_near(mote_joint_count(world), 0, 0, "joints");
    step_times(world, 2, TEST_FRAME);
    mote_world_destroy(world);
}

static void add_kill(mote_world *world, mote_vec3 min, mote_vec3 max)
{
    mote_volume_def kill = mote_default_volume_def();
    kill.type = MOTE_VOLUME_KILL;
    kill.min = min;
    kill.max = max;
    must_exist(mote_volume_add(world, &kill));
}

static void eaten_by_a_volume(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    rod whole = add_rod(world, 4, 0, MOTE_BODY_DYNAMIC), half = add_rod(world, 4, 1, MOTE_BODY_DYNAMIC);
    rod driven = add_rod(world, 3, 2, MOTE_BODY_DRIVEN);
    mote_joint_id joint = add_joint(world, MOTE_JOINT_BALL, whole.body, half.body, vec(-1, 0.5f, 0));
    mote_joint_id held = add_joint(world, MOTE_JOINT_BALL, whole.body, (mote_body_id){0}, vec(-0.5f, 0.1f, 0));
    check_near((double)body_state_of(world, whole.body).particle_count, 6, 0, "with those of its joints");
    add_kill(world, vec(-2, -0.3f, -1), vec(2, 0.7f, 1));   /* the first with its joints */
    add_kill(world, vec(0.15f, 0.7f, -1), vec(2, 2.3f, 1)); /* all but the first two of the others */
    step_times(world, 1, TEST_FRAME);
    check_near((double)event_count(world, MOTE_EVENT_KILLED), 4 + 1 + 1 + 2 + 1, 0, "particles killed");
    check_true(!mote_body_is_valid(world, whole.body), "the body that is eaten whole");
    check_true(!mote_joint_is_valid(world, joint) && !mote_joint_is_valid(world, held), "its joints");
    check_near((double)body_state_of(world, half.body).particle_count, 2, 0, "what is left of the second");
    check_near(body_state_of(world, half.body).mass, 2, 1e-5, "its mass");
    check_vector(body_state_of(world, half.body).center, vec(0.05f, 1, 0), 1e-5, "its centre");
    check_near((double)body_state_of(world, driven.body).particle_count, 2, 0,
               "what is left of the driven one");
    mote_body_id ids[4];
    check_near(mote_body_list(world, ids, 4), 2, 0, "bodies");
    check_true(ids[0].index == half.body.index && ids[1].index == driven.body.index, "the right ones");
    step_times(world, 5, TEST_FRAME);
    mote_world_destroy(world);
}

/* ---- changed --------------------------------------------------------------------------------------------- */

static void held_particles_are_not_fixed(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    rod r = add_rod(world, 3, 1, MOTE_BODY_DYNAMIC), driven = add_rod(world, 3, 2, MOTE_BODY_DRIVEN);
    refused(world, mote_particle_set_fixed(world, r.ids[1], true, 1), MOTE_ERROR_ARGUMENT, "body");
    refused(world, mote_particle_set_fixed(world, driven.ids[1], false, 1), MOTE_ERROR_ARGUMENT, "body");
    must(mote_body_dissolve(world, r.body));
    must(mote_particle_set_fixed(world, r.ids[1], true, 1));
    check_true(!mote_is_null(r.body) && !mote_body_is_valid(world, r.body), "dissolved");
    must(mote_body_dissolve(world, driven.body));
    check_near(state_of(world, driven.ids[1]).mass, 1, 1e-6, "mass of what was driven");
    mote_world_destroy(world);
}

static void other_masses(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    rod r = add_rod(world, 2, 1, MOTE_BODY_DYNAMIC);
    must(mote_particle_set_mass(world, r.ids[1], 3));
    mote_body_state s = body_state_of(world, r.body);
    check_near(s.mass, 4, 1e-5, "mass");
    check_vector(s.center, vec(0.075f, 1, 0), 1e-6, "centre, three quarters of the way");
    check_near(s.inertia.z, 0.01 * 3.0 / 4.0, 1e-6, "inertia: the reduced mass times the square of the length");
    check_vector(state_of(world, r.ids[0]).position, vec(0, 1, 0), 1e-6, "the first particle has not moved");
    mote_world_destroy(world);
}

/* Particles that are put elsewhere together take the body with them. */
static void moved_together(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    static const uint32_t count[3] = {2, 2, 2};
    mote_body_id body = add_block(world, count, vec(0, 0, 0), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    mote_particle_id ids[8];
    mote_vec3 from[8], to[8];
    check_near((double)mote_body_particles(world, body, ids, 8), 8, 0, "particles");
    must(mote_particles_read(world, ids, 8, from, NULL));
    for (int i = 0; i < 8; ++i) /* a quarter turn about z, and away */
        to[i] = vec(-from[i].y + 3, from[i].x + 2, from[i].z + 1);
    must(mote_particles_write(world, ids, 8, to, NULL));
    mote_body_state s = body_state_of(world, body);
    check_vector(s.center, vec(2.95f, 2.05f, 1.05f), 2e-6, "centre");
    check_vector(s.pose.position, vec(3, 2, 1), 4e-6, "origin of its own coordinates");
    double half = sqrt(0.5), sign = s.pose.rotation.w < 0 ? -1 : 1;
    check_near(sign * (double)s.pose.rotation.z, half, 1e-5, "half of a quarter turn: z");
    check_near(sign * (double)s.pose.rotation.w, half, 1e-5, "half of a quarter turn: w");
    step_times(world, 2, TEST_FRAME);
    mote_vec3 after[8];
    must(mote_particles_read(world, ids, 8, after, NULL));
    for (int i = 0; i < 8; ++i)
        check_vector(after[i], to[i], 1e-5, "a particle stays where it was put");
    mote_world_destroy(world);
}

/* One of four is pulled away by 0.4 m: the centre goes with the mean, and the rod is as long as before. */
static void one_moved_alone(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    rod r = add_rod(world, 4, 1, MOTE_BODY_DYNAMIC);
    must(mote_particle_set_position(world, r.ids[3], vec(0.7f, 1, 0)));
    check_vector(body_state_of(world, r.body).center, vec(0.25f, 1, 0), 1e-5, "centre");
    step_times(world, 1, TEST_FRAME);
    check_vector(body_state_of(world, r.body).center, vec(0.25f, 1, 0), 1e-5, "centre after a step");
    double length = distance_of(state_of(world, r.ids[0]).position, state_of(world, r.ids[3]).position);
    check_near(length, 0.3, 1e-5, "length of the rod after a step");
    check_near(length_of(body_state_of(world, r.body).velocity), 0, 1e-4, "it is put, not thrown");
    mote_world_destroy(world);
}

/* An impulse on one particle is one on the body, at that place. */
static void one_is_hit(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    rod r = add_rod(world, 2, 1, MOTE_BODY_DYNAMIC);
    must(mote_particle_apply_impulse(world, r.ids[1], vec(0, 0, 0.2f)));
    for (int i = 0; i < 2; ++i) {
        mote_body_state s = body_state_of(world, r.body);
        check_vector(s.velocity, vec(0, 0, 0.1f), 1e-5, "velocity of the centre");
        /* arm 0.05 m x 0.2 N s over 2 x 1 kg x (0.05 m)^2 */
        check_near(length_of(s.spin), 2, 2e-3, "spin");
        step_times(world, 1, TEST_FRAME);
    }
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removed_one_by_one),
        cmocka_unit_test(eaten_by_a_volume),
        cmocka_unit_test(held_particles_are_not_fixed),
        cmocka_unit_test(other_masses),
        cmocka_unit_test(moved_together),
        cmocka_unit_test(one_moved_alone),
        cmocka_unit_test(one_is_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
