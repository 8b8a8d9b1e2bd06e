/* Events: contacts of reporting materials, triggers, kill volumes and bounds; each once, in order, and with
 * handles that mean what the header says. */
#include "support.h"

#include <math.h>

static mote_material_id reporting_material(mote_world *world, float restitution)
{
    mote_material_def def = mote_default_material_def();
    def.report_contacts = true;
    def.restitution = restitution;
    mote_material_id material = mote_material_add(world, &def);
    must_exist(material);
    return material;
}

static bool same_particle(mote_particle_id a, mote_particle_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

/* Every event's handles are those of its kind, and the order is by type, then by particle. */
static void check_events(const mote_world *world)
{
    mote_events events = mote_world_events(world);
    for (size_t i = 0; i < events.count; ++i) {
        const mote_event *e = &events.items[i];
        bool contact = e->type == MOTE_EVENT_CONTACT_BEGIN || e->type == MOTE_EVENT_CONTACT_END;
        bool volume = e->type == MOTE_EVENT_TRIGGER_ENTER || e->type == MOTE_EVENT_TRIGGER_EXIT ||
                      e->type == MOTE_EVENT_KILLED;
        check_true(!mote_is_null(e->a), "event %zu has its particle", i);
        check_true((!mote_is_null(e->b) + !mote_is_null(e->shape)) == contact,
                   "event %zu (%s) has one partner, if it is a contact", i, mote_event_name(e->type));
        check_true(!mote_is_null(e->volume) == volume, "event %zu (%s) has a volume if it needs one", i,
                   mote_event_name(e->type));
        if (i == 0)
            continue;
        const mote_event *last = e - 1;
        check_true(last->type < e->type || (last->type == e->type && last->a.index <= e->a.index),
                   "events %zu and %zu are in order", i - 1, i);
    }
}

/* Two particles meet head-on and bounce: one begin, one end, in that order, of just this pair. */
static void particles_touch_and_part(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_material_id material = reporting_material(world, 1);
    mote_particle_id a = add_particle(world, vec(-0.3f, 0, 0), vec(1, 0, 0), material);
    mote_particle_id b = add_particle(world, vec(0.3f, 0, 0), vec(-1, 0, 0), material);
    int begun = -1, ended = -1;
    size_t begins = 0, ends = 0;
    for (int i = 0; i < 40; ++i) {
        step_times(world, 1, TEST_FRAME);
        check_events(world);
        mote_events events = mote_world_events(world);
        for (size_t k = 0; k < events.count; ++k) {
            const mote_event *e = &events.items[k];
            check_true((same_particle(e->a, a) && same_particle(e->b, b)) ||
                           (same_particle(e->a, b) && same_particle(e->b, a)),
                       "the event is about the two");
            if (e->type == MOTE_EVENT_CONTACT_BEGIN)
                begun = i, ++begins;
            if (e->type == MOTE_EVENT_CONTACT_END)
                ended = i, ++ends;
        }
    }
    check_near((double)begins, 1, 0, "beginnings of the contact");
    check_near((double)ends, 1, 0, "ends of the contact");
    /* 0.5 m between them, less the margin in which a contact counts, at 2 m/s */
    check_near(begun, 14, 2, "frame in which they touch");
    check_true(ended > begun, "it ends after it began");
    mote_world_destroy(world);
}

static void particle_touches_a_plane(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_shape_id floor = add_floor(world, (mote_material_id){0});
    mote_particle_id p = add_particle(world, vec(0, 0.5f, 0), vec(0, 0, 0), reporting_material(world, 0));
    size_t begins = 0;
    for (int i = 0; i < 60; ++i) {
        step_times(world, 1, TEST_FRAME);
        check_events(world);
        mote_events events = mote_world_events(world);
        for (size_t k = 0; k < events.count; ++k) {
            check_true(events.items[k].type == MOTE_EVENT_CONTACT_BEGIN, "a resting contact does not end");
            check_true(same_particle(events.items[k].a, p), "the event is about the particle");
            check_true(events.items[k].shape.index == floor.index &&
                           events.items[k].shape.generation == floor.generation,
                       "the event is about the floor");
            ++begins;
        }
    }
    check_near((double)begins, 1, 0, "beginnings of a contact with the floor");
    must(mote_particle_set_velocity(world, p, vec(0, 5, 0)));
    size_t ends = 0;
    for (int i = 0; i < 10; ++i) {
        step_times(world, 1, TEST_FRAME);
        ends += event_count(world, MOTE_EVENT_CONTACT_END);
    }
    check_near((double)ends, 1, 0, "ends of the contact with the floor");
    mote_world_destroy(world);
}

/* Materials that do not report are silent; the default one does not. */
static void silent_materials(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    add_particle(world, vec(0, 0.3f, 0), vec(0, 0, 0), (mote_material_id){0});
    add_particle(world, vec(0, 0.6f, 0), vec(0, 0, 0), (mote_material_id){0});
    for (int i = 0; i < 60; ++i) {
        step_times(world, 1, TEST_FRAME);
        check_near((double)mote_world_events(world).count, 0, 0, "events of silent materials");
    }
    mote_world_destroy(world);
}

/* A particle crosses a box of 1 m at 2 m/s: in at 0.5 s, out at 1 s. */
static void trigger_enter_and_exit(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_volume_def box = mote_default_volume_def();
    box.type = MOTE_VOLUME_TRIGGER;
    box.min = vec(1, -1, -1);
    box.max = vec(2, 1, 1);
    mote_volume_id volume = mote_volume_add(world, &box);
    must_exist(volume);
    mote_particle_id p = add_particle(world, vec(0.01f, 0, 0), vec(2, 0, 0), (mote_material_id){0});
    int entered = -1, left = -1;
    for (int i = 1; i <= 80; ++i) {
        step_times(world, 1, TEST_FRAME);
        check_events(world);
        mote_events events = mote_world_events(world);
        for (size_t k = 0; k < events.count; ++k) {
            const mote_event *e = &events.items[k];
            check_true(same_particle(e->a, p) && e->volume.index == volume.index &&
                           e->volume.generation == volume.generation,
                       "the event is about the particle and the volume");
            int *frame = e->type == MOTE_EVENT_TRIGGER_ENTER ? &entered : &left;
            check_near(*frame, -1, 0, "%s comes once", mote_event_name(e->type));
            *frame = i;
        }
    }
    check_near(entered, 30, 1, "frame of entering");
    check_near(left, 60, 1, "frame of leaving");
    mote_world_destroy(world);
}

/* A kill volume takes what is inside, bounds take what is outside; the handle is stale at once. */
static void check_killing(mote_volume_type type, mote_vec3 min, mote_vec3 max)
{
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_volume_def def = {.type = type, .min = min, .max = max};
    mote_volume_id volume = mote_volume_add(world, &def);
    must_exist(volume);
    mote_particle_id lost = add_particle(world, vec(0, 0, 0), vec(4, 0, 0), (mote_material_id){0});
    mote_particle_id kept = add_particle(world, vec(0, 0.5f, 0), vec(0, 0, 0), (mote_material_id){0});
    int killed_at = -1;
    for (int i = 1; i <= 40; ++i) {
        step_times(world, 1, TEST_FRAME);
        check_events(world);
        if (event_count(world, MOTE_EVENT_KILLED) == 0)
            continue;
        killed_at = i;
        const mote_event *e = &mote_world_events(world).items[0];
        check_true(same_particle(e->a, lost), "the particle that was taken is named");
        check_true(e->volume.index == volume.index, "the volume is named");
        check_true(!mote_particle_is_valid(world, lost), "its handle is stale");
        mote_particle_state gone;
        check_true(mote_particle_get(world, lost, &gone) == MOTE_ERROR_STALE_HANDLE, "using it is an error");
    }
    check_near(killed_at, 16, 1, "frame in which it passes x = 1 at 4 m/s");
    check_near((double)mote_particle_count(world), 1, 0, "particles that are left");
    check_near(state_of(world, kept).position.y, 0.5, 0, "place of the one that is left");
    mote_world_destroy(world);
}

static void kill_volume_takes_what_is_inside(void **state)
{
    (void)state;
    check_killing(MOTE_VOLUME_KILL, vec(1, -9, -9), vec(9, 9, 9));
}

static void bounds_take_what_is_outside(void **state)
{
    (void)state;
    check_killing(MOTE_VOLUME_BOUNDS, vec(-9, -9, -9), vec(1, 9, 9));
}

/* A killed particle's contacts and triggers end with it. */
static void killed_in_a_trigger(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_volume_def def = {MOTE_VOLUME_TRIGGER, vec(-9, -9, -9), vec(9, 9, 9)};
    must_exist(mote_volume_add(world, &def));
    def = (mote_volume_def){MOTE_VOLUME_KILL, vec(1, -9, -9), vec(9, 9, 9)};
    must_exist(mote_volume_add(world, &def));
    add_particle(world, vec(0, 0, 0), vec(4, 0, 0), (mote_material_id){0});
    size_t entered = 0, killed = 0;
    for (int i = 0; i < 40; ++i) {
        step_times(world, 1, TEST_FRAME);
        check_events(world);
        entered += event_count(world, MOTE_EVENT_TRIGGER_ENTER);
        killed += event_count(world, MOTE_EVENT_KILLED);
    }
    check_near((double)entered, 1, 0, "entered");
    check_near((double)killed, 1, 0, "killed");
    check_near((double)mote_particle_count(world), 0, 0, "particles that are left");
    mote_world_destroy(world);
}

/* Many at once: a rain of reporting grains through a trigger into a kill volume. Each particle enters the
 * trigger once and is killed once; contacts that began either ended or belong to one that is gone. */
static void many_events_balance(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[2] = 8;
    grains.count[1] = 10;
    grains.origin = vec(0, 1, 0);
    grains.spacing = 2.2f * TEST_RADIUS;
    grains.jitter = 0.2f;
    grains.material = reporting_material(world, 0.3f);
    must(mote_grains_block(world, &grains, NULL));
    mote_volume_def def = {MOTE_VOLUME_TRIGGER, vec(-9, -0.5f, -9), vec(9, 0.5f, 9)};
    must_exist(mote_volume_add(world, &def));
    def = (mote_volume_def){MOTE_VOLUME_KILL, vec(-9, -9, -9), vec(9, -3, 9)};
    must_exist(mote_volume_add(world, &def));
    size_t totals[MOTE_EVENT_COUNT] = {0};
    for (int i = 0; i < 120; ++i) {
        step_times(world, 1, TEST_FRAME);
        check_events(world);
        for (int type = 0; type < MOTE_EVENT_COUNT; ++type)
            totals[type] += event_count(world, (mote_event_type)type);
    }
    check_near((double)totals[MOTE_EVENT_TRIGGER_ENTER], 640, 0, "particles that entered");
    check_near((double)totals[MOTE_EVENT_TRIGGER_EXIT], 640, 0, "particles that left");
    check_near((double)totals[MOTE_EVENT_KILLED], 640, 0, "particles that were taken");
    check_above((double)totals[MOTE_EVENT_CONTACT_BEGIN], 1, "contacts that began");
    check_near((double)mote_particle_count(world), 0, 0, "particles that are left");
    mote_world_destroy(world);
}

static void events_have_names(void **state)
{
    (void)state;
    assert_string_equal(mote_event_name(MOTE_EVENT_CONTACT_BEGIN), "contact-begin");
    assert_string_equal(mote_event_name(MOTE_EVENT_TRIGGER_ENTER), "trigger-enter");
    for (int i = 0; i < MOTE_EVENT_COUNT; ++i)
        assert_non_null(mote_event_name((mote_event_type)i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_touch_and_part),
        cmocka_unit_test(particle_touches_a_plane),
        cmocka_unit_test(silent_materials),
        cmocka_unit_test(trigger_enter_and_exit),
        cmocka_unit_test(kill_volume_takes_what_is_inside),
        cmocka_unit_test(bounds_take_what_is_outside),
        cmocka_unit_test(killed_in_a_trigger),
        cmocka_unit_test(many_events_balance),
        cmocka_unit_test(events_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
