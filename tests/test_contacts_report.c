/* Contacts read out: what the report says is what closed forms, weights and changes of momentum say; it is the same from
 * both sides, for every number of threads and SIMD level, and changes nothing of what it reports. */
#include "lattices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G TEST_GRAVITY

static mote_material_id reporting(mote_world *world, float friction, float restitution)
{
    mote_material_def def = mote_default_material_def();
    def.report_contacts = true;
    def.static_friction = def.kinetic_friction = friction;
    def.restitution = restitution;
    mote_material_id material = mote_material_add(world, &def);
    must_exist(material);
    return material;
}

static mote_body_id add_box_of(mote_world *world, mote_pose pose, mote_material_id material, uint32_t width)
{
    const uint32_t count[3] = {width, width, width};
    mote_rigid_def def = mote_default_rigid_def();
    def.pose = pose;
    def.mass = 10.0f;
    def.material = material;
    mote_body_id body = mote_rigid_box(world, &def, count);
    must_exist(body);
    return body;
}

static mote_pose at(float x, float y, float z)
{
    return (mote_pose){{x, y, z}, {0.0f, 0.0f, 0.0f, 1.0f}};
}

static triple pushed(const mote_contact *c)
{
    return plus(scaled(triple_of(c->normal), (double)c->impulse), triple_of(c->friction));
}

/* What all contacts of the last step gave a body, N s. */
static triple pushed_on(const mote_world *world, mote_body_id body)
{
    mote_contact some[256];
    size_t count;
    triple sum = {0, 0, 0};
    must(mote_body_contacts(world, body, some, 256, &count));
    check_below((double)count, 256.5, "contacts of a body");
    for (size_t k = 0; k < count; ++k) {
        bool first = some[k].body_a.index == body.index && some[k].body_a.generation == body.generation;
        sum = plus(sum, scaled(pushed(&some[k]), first ? 1.0 : -1.0));
    }
    return sum;
}

/* The contact of the first event of a beginning, within `steps`. */
static mote_contact first_hit(mote_world *world, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; ++i) {
        step_times(world, 1, TEST_FRAME);
        mote_events events = mote_world_events(world);
        if (events.count == 0)
            continue;
        check_true(events.items[0].type == MOTE_EVENT_CONTACT_BEGIN, "the first event is a beginning");
        check_true(events.items[0].contact < mote_world_contacts(world).count, "it names its contact");
        return mote_world_contacts(world).items[events.items[0].contact];
    }
    fail_msg("nothing touched within %u steps", steps);
    return (mote_contact){.impulse = 0};
}

/* ---- hits ------------------------------------------------------------------------------------------------- */

static void dropped_particle(void **state)
{
    (void)state;
    static const float restitutions[] = {0.5f, 0.8f, 1.0f};
    for (int k = 0; k < 3; ++k) {
        mote_world *world = test_world(NULL);
        mote_shape_id floor = add_floor(world, (mote_material_id){0});
        mote_particle_id ball = add_particle(world, vec(0.3f, 1.0f + TEST_RADIUS, 0), vec(0, 0, 0),
                                             reporting(world, 0.5f, restitutions[k]));
        mote_contact hit = first_hit(world, 60);
        double speed = sqrt(2 * G * 1.0), e = (double)restitutions[k];
        check_near((double)hit.approach_speed, speed, 0.01 * speed, "speed of the hit, e %.1f", e);
        check_near((double)hit.impulse, (1 + e) * speed, 0.01 * (1 + e) * speed, "impulse of the hit, e %.1f",
                   e);
        check_near((double)hit.sliding_speed, 0, 1e-5, "sliding");
        check_near(distance_of(hit.normal, vec(0, 1, 0)), 0, 1e-6, "normal");
        check_near(distance_of(hit.point, vec(0.3f, 0, 0)), 0, 0.05, "point");
        check_true(hit.a.index == ball.index && hit.shape.index == floor.index, "who met");
        check_true(mote_is_null(hit.b) && mote_is_null(hit.body_a) && mote_is_null(hit.body_b),
                   "nobody else did");
        mote_world_destroy(world);
    }
}

/* A body's true sphere, which slides as well. */
static void dropped_ball(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    mote_rigid_def def = mote_default_rigid_def();
    def.pose = at(0, 1.3f, 0);
    def.velocity = vec(2, 0, 0);
    def.mass = 3.0f;
    def.material = reporting(world, 0.0f, 0.5f);
    mote_body_id ball = mote_rigid_ball(world, &def, 0.3f);
    must_exist(ball);
    mote_contact hit = first_hit(world, 60);
    double speed = sqrt(2 * G * 1.0);
    check_near((double)hit.approach_speed, speed, 0.01 * speed, "speed of the hit");
    check_near((double)hit.sliding_speed, 2, 0.02, "sliding speed");
    check_near(pushed_on(world, ball).y, 3 * 1.5 * speed, 0.01 * 3 * 1.5 * speed, "impulse of the hit");
    check_true(hit.body_a.index == ball.index, "the ball is named");
    mote_world_destroy(world);
}

/* A bounce that is over before the step ends is an event as well. */
static void bounces_are_events(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    add_particle(world, vec(0, 0.5f, 0), vec(0, 0, 0), reporting(world, 0.5f, 1.0f));
    size_t begins = 0, ends = 0;
    for (int i = 0; i < 240; ++i) {
        step_times(world, 1, TEST_FRAME);
        begins += event_count(world, MOTE_EVENT_CONTACT_BEGIN);
        ends += event_count(world, MOTE_EVENT_CONTACT_END);
    }
    double period = 2 * sqrt(2 * (0.5 - (double)TEST_RADIUS) / G);
    check_near((double)begins, floor(4 / period + 0.5), 0, "bounces in four seconds");
    check_near((double)ends, (double)begins, 0, "each of them ended");
    mote_world_destroy(world);
}

/* ---- weights ---------------------------------------------------------------------------------------------- */

static void resting_box(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    mote_body_id box = add_box_of(world, at(0, 0.25f, 0), reporting(world, 0.5f, 0), 5);
    step_times(world, 60, TEST_FRAME);
    for (int i = 0; i < 30; ++i) {
        step_times(world, 1, TEST_FRAME);
        check_near(pushed_on(world, box).y / (double)TEST_FRAME, 10 * G, 0.01 * 10 * G, "weight");
        check_near((double)mote_world_events(world).count, 0, 0, "events of a box at rest");
    }
    mote_contacts contacts = mote_world_contacts(world);
    check_near((double)contacts.count, 4, 0, "contacts of a box at rest");
    int corners = 0;
    for (size_t k = 0; k < contacts.count; ++k) {
        mote_vec3 x = contacts.items[k].point;
        check_near(fabs((double)x.x), 0.2, 0.01, "x of a corner");
        check_near(fabs((double)x.z), 0.2, 0.01, "z of a corner");
        check_near((double)x.y, 0, 0.001, "height of a corner");
        check_near((double)contacts.items[k].impulse, 10 * G * (double)TEST_FRAME / 4,
                   0.05 * 10 * G * (double)TEST_FRAME / 4, "a quarter of the weight");
        corners |= 1 << ((x.x > 0) + 2 * (x.z > 0));
    }
    check_near(corners, 15, 0, "all four corners");
    mote_world_destroy(world);
}

static void block_on_a_slope(void **state)
{
    (void)state;
    const double angle = 20 * TEST_PI / 180;
    mote_world *world = test_world(NULL);
    mote_material_id material = reporting(world, 0.8f, 0);
    mote_plane_def slope = mote_default_plane_def();
    slope.normal = vec((float)sin(angle), (float)cos(angle), 0);
    slope.material = material;
    mote_shape_id shape = mote_plane_add(world, &slope);
    must_exist(shape);
    mote_pose pose = {vec_of(scaled(triple_of(slope.normal), 0.15)), turn_about(vec(0, 0, 1), -angle)};
    add_box_of(world, pose, material, 3);
    step_times(world, 120, TEST_FRAME);
    mote_contact some[64];
    size_t count;
    must(mote_shape_contacts(world, shape, some, 64, &count));
    double along = 0;
    triple across = {0, 0, 0};
    for (size_t k = 0; k < count && k < 64; ++k) {
        along += (double)some[k].impulse;
        across = plus(across, triple_of(some[k].friction));
    }
    check_near(size_of(across) / along, tan(angle), 0.01 * tan(angle), "friction over normal impulse");
    check_near(along / (double)TEST_FRAME, 10 * G * cos(angle), 0.01 * 10 * G, "normal force");
    mote_world_destroy(world);
}

/* Ten grains, one on the other: each contact bears what is above it. */
static void column_of_grains(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_material_id material = reporting(world, 0.5f, 0);
    mote_particle_id grain[5];
    add_floor(world, material);
    for (int i = 0; i < 5; ++i)
        grain[i] = add_particle(world, vec(0, TEST_RADIUS * (float)(2 * i + 1), 0), vec(0, 0, 0), material);
    step_times(world, 240, TEST_FRAME);
    for (int i = 0; i < 5; ++i) {
        mote_contact some[4];
        size_t count;
        must(mote_particle_contacts(world, grain[i], some, 4, &count));
        check_near((double)count, i < 4 ? 2 : 1, 0, "contacts of grain %d", i);
        for (size_t k = 0; k < count; ++k) {
            uint32_t lower = mote_is_null(some[k].b) ? 0 : 1 + some[k].a.index; /* a is the lower one */
            double above = 5 - (double)lower;
            check_near((double)some[k].impulse / (double)TEST_FRAME, above * G, 0.01 * above * G,
                       "%g grains above", above);
        }
    }
    mote_world_destroy(world);
}

/* The papers' solvers report as well. */
static void every_solver(void **state)
{
    (void)state;
    for (int solver = 0; solver < MOTE_SOLVER_COUNT; ++solver) {
        mote_settings settings = mote_default_settings();
        settings.solver = (mote_solver)solver;
        settings.iterations = solver == MOTE_SOLVER_IMPULSE ? 1 : 8;
        mote_world *world = test_world(&settings);
        add_floor(world, (mote_material_id){0});
        mote_body_id box = add_box_of(world, at(0, 0.15f, 0), reporting(world, 0.5f, 0), 3);
        step_times(world, 60, TEST_FRAME);
        triple sum = {0, 0, 0};
        for (int i = 0; i < 60; ++i) {
            step_times(world, 1, TEST_FRAME);
            sum = plus(sum, pushed_on(world, box));
        }
        check_near(sum.y, 10 * G, 0.01 * 10 * G, "weight under solver %d, mean of a second", solver);
        mote_world_destroy(world);
    }
}

/* ---- momentum --------------------------------------------------------------------------------------------- */

/* Two boxes that meet off centre: what the contacts gave is what the momenta changed by. */
static void colliding_bodies(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    for (int k = 0; k < 3; ++k) {
        mote_world *world = test_world(&settings);
        mote_material_id material = reporting(world, 0.3f, 0.5f * (float)k);
        mote_body_id left = add_box_of(world, at(-0.4f, 0.03f, 0), material, 4),
                     right = add_box_of(world, at(0.4f, 0, 0.1f), material, 4);
        must(mote_body_set_velocity(world, left, vec(3, 0.2f, 0), vec(0, 0, 0)));
        must(mote_body_set_velocity(world, right, vec(-1, 0, 0), vec(0.5f, 0, 1)));
        triple before = triple_of(body_of(world, right).velocity), sum = {0, 0, 0}, other = {0, 0, 0};
        for (int i = 0; i < 40; ++i) {
            step_times(world, 1, TEST_FRAME);
            sum = plus(sum, pushed_on(world, right));
            other = plus(other, pushed_on(world, left));
        }
        triple change = scaled(minus(triple_of(body_of(world, right).velocity), before), 10.0);
        check_above(size_of(change), 5, "N s that went over");
        check_near(size_of(minus(sum, change)) / size_of(change), 0, 1e-5,
                   "reported beside the change of momentum");
        check_near(size_of(plus(sum, other)), 0, 0, "action and reaction");
        mote_world_destroy(world);
    }
}

/* How many of what is answered are this contact, to the bit. */
static size_t among(const mote_contact *some, size_t count, const mote_contact *one)
{
    size_t found = 0;
    for (size_t k = 0; k < count; ++k)
        found += memcmp(&some[k], one, sizeof *one) == 0;
    return found;
}

static void check_seen_alike(const mote_world *world, const mote_contact *seen)
{
    enum { MOST = 4096 };
    static mote_contact some[MOST];
    size_t count = 0;
    for (int side = 0; side < 2; ++side) {
        mote_body_id body = side == 0 ? seen->body_a : seen->body_b;
        mote_particle_id particle = side == 0 ? seen->a : seen->b;
        if (!mote_is_null(body))
            must(mote_body_contacts(world, body, some, MOST, &count));
        else if (!mote_is_null(particle))
            must(mote_particle_contacts(world, particle, some, MOST, &count));
        else
            must(mote_shape_contacts(world, seen->shape, some, MOST, &count));
        check_below((double)count, MOST + 0.5, "contacts of one");
        check_near((double)among(some, count, seen), 1, 0, "side %d sees the contact", side);
    }
}

/* Boxes, balls and grains that fall into a corner: reported are all of them, by everyone. */
static mote_world *mixed_world(const mote_world_def *def)
{
    mote_world *world = NULL;
    must(mote_world_create(def, &world));
    mote_material_id material = reporting(world, 0.5f, 0.3f);
    add_box(world, 1.0f, (mote_material_id){0});
    for (int i = 0; i < 6; ++i) {
        mote_pose pose = at(-0.6f + 0.5f * (float)(i % 3), 0.4f + 0.5f * (float)(i / 3), 0.1f * (float)i);
        pose.rotation = turn_about(vec(1, 0.3f * (float)i, 1), 0.4 * i);
        add_box_of(world, pose, material, 3);
        mote_rigid_def ball = mote_default_rigid_def();
        ball.pose = at(-0.5f + 0.4f * (float)(i % 3), 1.5f + 0.5f * (float)(i / 3), -0.4f + 0.1f * (float)i);
        ball.material = material;
        must_exist(mote_rigid_ball(world, &ball, 0.15f));
    }
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[1] = grains.count[2] = TEST_BY_BUILD(8, 6, 4);
    grains.origin = vec(-0.6f, 2.4f, -0.6f);
    grains.spacing = 2.2f * TEST_RADIUS;
    grains.jitter = 0.2f;
    grains.material = material;
    must(mote_grains_block(world, &grains, NULL));
    mote_volume_def volume = {MOTE_VOLUME_TRIGGER, vec(-9, 0, -9), vec(0, 0.5f, 9)};
    must_exist(mote_volume_add(world, &volume));
    return world;
}

static void both_sides_see_the_same(void **state)
{
    (void)state;
    mote_world_def def = test_world_def(NULL);
    mote_world *world = mixed_world(&def);
    for (int i = 0; i < TEST_BY_BUILD(10, 4, 1); ++i) {
        step_times(world, 10, TEST_FRAME);
        mote_contacts contacts = mote_world_contacts(world);
        for (size_t k = 0; k < contacts.count; ++k) {
            const mote_contact *c = &contacts.items[k];
            check_true(!mote_is_null(c->a), "contact %zu has its particle", k);
            check_true(!mote_is_null(c->b) + !mote_is_null(c->shape) <= 1, "contact %zu has one partner", k);
            check_true(!mote_is_null(c->b) || !mote_is_null(c->shape) || !mote_is_null(c->body_b),
                       "contact %zu has a partner", k);
            check_true(k == 0 || contacts.items[k - 1].a.index <= c->a.index, "contact %zu is in order", k);
            check_near(length_of(c->normal), 1, 1e-5, "length of a normal");
            check_near(dot(triple_of(c->normal), triple_of(c->friction)), 0,
                       1e-5 * (fabs((double)c->impulse) + length_of(c->friction)), "friction is across");
            if (k % 7 == 0)
                check_seen_alike(world, c);
        }
    }
    check_above((double)mote_world_contacts(world).count, TEST_BY_BUILD(50, 50, 0), "contacts");
    mote_world_destroy(world);
}

/* What going through all contacts finds beside what is answered: of everybody, and of who is in none. */
static void check_against_all(const mote_world *world, uint32_t kind, uint32_t index, uint32_t generation)
{
    enum { MOST = 4096 };
    static mote_contact some[MOST];
    mote_contacts all = mote_world_contacts(world);
    size_t count = 0, found = 0;
    if (kind == 0)
        must(mote_particle_contacts(world, (mote_particle_id){index, generation}, some, MOST, &count));
    else if (kind == 1)
        must(mote_body_contacts(world, (mote_body_id){index, generation}, some, MOST, &count));
    else
        must(mote_shape_contacts(world, (mote_shape_id){index, generation}, some, MOST, &count));
    for (size_t k = 0; k < all.count; ++k) {
        const mote_contact *c = &all.items[k];
        const uint32_t sides[3][4] = {
            {c->a.index, c->a.generation, c->b.index, c->b.generation},
            {c->body_a.index, c->body_a.generation, c->body_b.index, c->body_b.generation},
            {c->shape.index, c->shape.generation, 0, 0}};
        const uint32_t *s = sides[kind];
        if ((s[0] != index || s[1] != generation) && (s[2] != index || s[3] != generation))
            continue;
        check_true(found < count && memcmp(&some[found], c, sizeof *c) == 0, "contact %zu of %u %u", found,
                   kind, index);
        ++found;
    }
    check_near((double)count, (double)found, 0, "contacts of %u %u", kind, index);
}

static void answers_are_what_is_there(void **state)
{
    (void)state;
    mote_world_def def = test_world_def(NULL);
    mote_world *world = mixed_world(&def);
    mote_body_id bodies[64];
    mote_shape_id shapes[64];
    for (int i = 0; i < TEST_BY_BUILD(6, 3, 1); ++i) {
        step_times(world, 15, TEST_FRAME);
        mote_particles_view view = mote_particles_get_view(world);
        for (size_t k = 0; k < view.count; ++k)
            check_against_all(world, 0, view.id[k].index, view.id[k].generation);
        uint32_t count = mote_body_list(world, bodies, 64);
        for (uint32_t k = 0; k < count; ++k)
            check_against_all(world, 1, bodies[k].index, bodies[k].generation);
        count = mote_shape_list(world, shapes, 64);
        for (uint32_t k = 0; k < count; ++k)
            check_against_all(world, 2, shapes[k].index, shapes[k].generation);
    }
    mote_particle_id gone = mote_world_contacts(world).items[0].a;
    must(mote_particle_remove(world, gone));
    mote_particle_id next = add_particle(world, vec(0, 8, 0), vec(0, 0, 0), (mote_material_id){0});
    size_t count = 1;
    must(mote_particle_contacts(world, next, NULL, 0, &count));
    check_true(next.index == gone.index && count == 0,
               "a new particle has none of the contacts of who was there");
    mote_world_destroy(world);
}

/* Of every loose grain: what its contacts gave, and gravity, is what its momentum changed by. */
static void momentum_of_every_grain(void **state)
{
    (void)state;
    enum { WIDTH = 8, COUNT = WIDTH * WIDTH * WIDTH };
    mote_world *world = test_world(NULL);
    mote_material_id material = reporting(world, 0.5f, 0.4f);
    static mote_particle_id ids[COUNT];
    static mote_vec3 before[COUNT], after[COUNT];
    static triple sum[COUNT];
    add_box(world, 0.6f, material);
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[1] = grains.count[2] = WIDTH;
    grains.origin = vec(-0.4f, 0.2f, -0.4f);
    grains.spacing = 2.1f * TEST_RADIUS;
    grains.jitter = 0.1f;
    grains.material = material;
    must(mote_grains_block(world, &grains, ids));
    double worst = 0, most = 0;
    mote_particle_state grain = state_of(world, ids[0]);
    for (int i = 0; i < TEST_BY_BUILD(120, 60, 10); ++i) {
        must(mote_particles_read(world, ids, COUNT, NULL, before));
        step_times(world, 1, TEST_FRAME);
        must(mote_particles_read(world, ids, COUNT, NULL, after));
        memset(sum, 0, sizeof sum);
        mote_contacts contacts = mote_world_contacts(world);
        for (size_t k = 0; k < contacts.count; ++k) {
            const mote_contact *c = &contacts.items[k];
            sum[c->a.index] = plus(sum[c->a.index], pushed(c));
            if (!mote_is_null(c->b))
                sum[c->b.index] = minus(sum[c->b.index], pushed(c));
        }
        for (int k = 0; k < COUNT; ++k) {
            triple change = scaled(minus(triple_of(after[k]), triple_of(before[k])), (double)grain.mass);
            change.y += (double)grain.mass * G * (double)TEST_FRAME;
            double error = size_of(minus(change, sum[ids[k].index]));
            worst = error > worst ? error : worst;
            most = size_of(change) > most ? size_of(change) : most;
        }
    }
    check_above(most / (double)grain.mass, 1, "the hardest push of a step, m/s");
    check_below(worst / most, 1e-5, "largest error, of the hardest push");
    mote_world_destroy(world);
}

/* ---- events ----------------------------------------------------------------------------------------------- */

/* Beginnings name a contact of the same two that gave something, and what begins ends or goes on. */
static void beginnings_have_contacts(void **state)
{
    (void)state;
    mote_world_def def = test_world_def(NULL);
    mote_world *world = mixed_world(&def);
    size_t begins = 0, ends = 0;
    for (int i = 0; i < TEST_BY_BUILD(200, 60, 10); ++i) {
        step_times(world, 1, TEST_FRAME);
        mote_events events = mote_world_events(world);
        mote_contacts contacts = mote_world_contacts(world);
        for (size_t k = 0; k < events.count; ++k) {
            const mote_event *e = &events.items[k];
            check_true(k == 0 || events.items[k - 1].type < e->type ||
                           (events.items[k - 1].type == e->type && events.items[k - 1].a.index <= e->a.index),
                       "event %zu is in order", k);
            ends += e->type == MOTE_EVENT_CONTACT_END;
            if (e->type != MOTE_EVENT_CONTACT_BEGIN) {
                check_true(e->contact == MOTE_NO_CONTACT, "event %zu (%s) has no contact", k,
                           mote_event_name(e->type));
                continue;
            }
            begins++;
            check_true(e->contact < contacts.count, "event %zu has its contact", k);
            const mote_contact *c = &contacts.items[e->contact];
            check_true(memcmp(&c->a, &e->a, sizeof e->a) == 0 && memcmp(&c->b, &e->b, sizeof e->b) == 0 &&
                           memcmp(&c->shape, &e->shape, sizeof e->shape) == 0 &&
                           (mote_is_null(e->body) || memcmp(&c->body_b, &e->body, sizeof e->body) == 0),
                       "event %zu and its contact are of the same two", k);
            check_above(fabs((double)c->impulse), 0, "impulse of a beginning");
        }
    }
    check_above((double)begins, TEST_BY_BUILD(100, 100, 20), "beginnings");
    check_true(ends <= begins, "%zu ends, not more than %zu beginnings", ends, begins);
    mote_world_destroy(world);
}

/* Who falls asleep gives nothing any more, but touches what it touched; and so it does when it wakes. */
static void sleepers_keep_touching(void **state)
{
    (void)state;
    mote_settings settings = mote_default_settings();
    settings.sleep_speed = 0.05f;
    settings.sleep_time = 0.2f;
    mote_world *world = test_world(&settings);
    mote_material_id material = reporting(world, 0.5f, 0);
    mote_particle_id grain[3];
    add_floor(world, material);
    add_box_of(world, at(0, 0.15f, 0), material, 3);
    add_box_of(world, at(0.02f, 0.45f, 0.03f), material, 3);
    for (int i = 0; i < 3; ++i)
        grain[i] = add_particle(world, vec(1, TEST_RADIUS * (float)(2 * i + 1), 0), vec(0, 0, 0), material);
    step_times(world, 10, TEST_FRAME);
    size_t changes = 0;
    for (int i = 0; i < 120; ++i) {
        step_times(world, 1, TEST_FRAME);
        changes += event_count(world, MOTE_EVENT_CONTACT_BEGIN) + event_count(world, MOTE_EVENT_CONTACT_END);
    }
    check_true(state_of(world, grain[2]).asleep, "they sleep");
    check_near((double)mote_world_contacts(world).count, 0, 0, "contacts of sleepers");
    must(mote_world_wake(world));
    for (int i = 0; i < 10; ++i) {
        step_times(world, 1, TEST_FRAME);
        changes += event_count(world, MOTE_EVENT_CONTACT_BEGIN) + event_count(world, MOTE_EVENT_CONTACT_END);
    }
    check_near((double)changes, 0, 0, "contacts that began or ended");
    check_above((double)mote_world_contacts(world).count, 10, "contacts of those that woke");
    mote_world_destroy(world);
}

/* One in a corner touches the container in three places: three contacts, one event. */
static void three_walls(void **state)
{
    (void)state;
    mote_settings settings = mote_default_settings();
    settings.gravity = vec(-4, -4, -4);
    mote_world *world = test_world(&settings);
    mote_shape_def box = mote_default_shape_def();
    box.type = MOTE_SHAPE_BOX;
    box.half_extents = vec(1, 1, 1);
    box.inside = true;
    must_exist(mote_shape_add(world, &box));
    add_particle(world, vec(-0.95f, -0.95f, -0.95f), vec(0, 0, 0), reporting(world, 0.5f, 0));
    size_t begins = 0;
    for (int i = 0; i < 30; ++i) {
        step_times(world, 1, TEST_FRAME);
        begins += mote_world_events(world).count;
    }
    check_near((double)begins, 1, 0, "events");
    check_near((double)mote_world_contacts(world).count, 3, 0, "contacts");
    mote_world_destroy(world);
}

/* ---- the same for everyone -------------------------------------------------------------------------------- */

enum { STEPS = TEST_BY_BUILD(150, 60, 6) };

typedef struct reports {
    mote_contact *contacts[STEPS];
    mote_event *events[STEPS];
    size_t contact_count[STEPS], event_count[STEPS];
} reports;

static void *copy_of(const void *from, size_t size)
{
    void *to = malloc(size + 1);
    assert_non_null(to);
    if (size > 0)
        memcpy(to, from, size);
    return to;
}

static void note_step(mote_world *world, reports *r, int i)
{
    step_times(world, 1, TEST_FRAME);
    mote_contacts contacts = mote_world_contacts(world);
    mote_events events = mote_world_events(world);
    r->contact_count[i] = contacts.count;
    r->event_count[i] = events.count;
    r->contacts[i] = copy_of(contacts.items, contacts.count * sizeof *contacts.items);
    r->events[i] = copy_of(events.items, events.count * sizeof *events.items);
}

static void free_reports(reports *r)
{
    for (int i = 0; i < STEPS; ++i) {
        free(r->contacts[i]);
        free(r->events[i]);
    }
}

static mote_world_def sleeping_def(uint32_t threads, mote_simd simd)
{
    mote_settings settings = mote_default_settings();
    settings.sleep_speed = 0.05f;
    settings.sleep_time = 0.2f;
    mote_world_def def = test_world_def(&settings);
    def.number = 1; /* of all, so that handles are the same as well */
    def.thread_count = threads;
    def.simd = simd;
    return def;
}

static void check_same_reports(const reports *a, const reports *b, int from, const char *what)
{
    for (int i = from; i < STEPS; ++i) {
        check_true(a->contact_count[i] == b->contact_count[i] && a->event_count[i] == b->event_count[i],
                   "%s, step %d: %zu contacts, %zu events, not %zu, %zu", what, i, b->contact_count[i],
                   b->event_count[i], a->contact_count[i], a->event_count[i]);
        check_true(memcmp(a->contacts[i], b->contacts[i], a->contact_count[i] * sizeof(mote_contact)) == 0 &&
                       memcmp(a->events[i], b->events[i], a->event_count[i] * sizeof(mote_event)) == 0,
                   "%s, step %d: the same bits", what, i);
    }
}

static void same_bits(void **state)
{
    (void)state;
    static const mote_simd levels[] = {MOTE_SIMD_BASELINE, MOTE_SIMD_AVX2, MOTE_SIMD_AVX512};
    static reports one, other;
    mote_world_def def = sleeping_def(1, MOTE_SIMD_AUTO);
    mote_world *world = mixed_world(&def);
    size_t size = 0;
    unsigned char *halfway = NULL;
    for (int i = 0; i < STEPS; ++i) {
        note_step(world, &one, i);
        if (i != STEPS / 2)
            continue;
        size = mote_snapshot_size(world);
        halfway = malloc(size);
        assert_non_null(halfway);
        must(mote_snapshot_take(world, halfway, size, NULL));
    }
    mote_world_destroy(world);
    check_above((double)one.contact_count[STEPS - 1], TEST_BY_BUILD(20, 20, 0), "contacts at the end");
    for (uint32_t k = 0; k < 3; ++k) {
        def = sleeping_def(2 + k, mote_simd_supported(levels[k]) ? levels[k] : MOTE_SIMD_AUTO);
        world = mixed_world(&def);
        for (int i = 0; i < STEPS; ++i)
            note_step(world, &other, i);
        mote_world_destroy(world);
        check_same_reports(&one, &other, 0, "threads and SIMD levels");
        free_reports(&other);
    }
    def = sleeping_def(3, MOTE_SIMD_BASELINE);
    world = mixed_world(&def);
    step_times(world, 30, TEST_FRAME);
    must(mote_snapshot_restore(world, halfway, size));
    check_near((double)mote_world_contacts(world).count, 0, 0, "contacts right after a snapshot is restored");
    memset(&other, 0, sizeof other);
    for (int i = STEPS / 2 + 1; i < STEPS; ++i)
        note_step(world, &other, i);
    mote_world_destroy(world);
    check_same_reports(&one, &other, STEPS / 2 + 1, "after a snapshot");
    free_reports(&other);
    free_reports(&one);
    free(halfway);
}

/* Who looks changes nothing. */
static void looking_changes_nothing(void **state)
{
    (void)state;
    mote_world_def def = test_world_def(NULL);
    mote_world *silent = tumbling_world(&def, 8, 8, 8), *telling = tumbling_world(&def, 8, 8, 8);
    mote_material_def material;
    must(mote_material_get(telling, mote_world_default_material(telling), &material));
    material.report_contacts = true;
    must(mote_material_set(telling, mote_world_default_material(telling), &material));
    step_times(silent, 40, TEST_FRAME);
    step_times(telling, 40, TEST_FRAME);
    mote_particles_view a = mote_particles_get_view(silent), b = mote_particles_get_view(telling);
    check_near((double)mote_world_contacts(silent).count, 0, 0, "contacts where nobody reports");
    check_above((double)mote_world_contacts(telling).count, 100, "contacts where all report");
    check_true(memcmp(a.position, b.position, a.count * sizeof *a.position) == 0 &&
                   memcmp(a.velocity, b.velocity, a.count * sizeof *a.velocity) == 0,
               "the same bits");
    mote_world_destroy(silent);
    mote_world_destroy(telling);
}

/* ---- bad input -------------------------------------------------------------------------------------------- */

static void bad_questions(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_material_id material = reporting(world, 0.5f, 0);
    mote_shape_id floor = add_floor(world, material), gone_shape = add_floor(world, material);
    mote_particle_id grain = add_particle(world, vec(0, TEST_RADIUS, 0), vec(0, 0, 0), material),
                     gone = add_particle(world, vec(1, TEST_RADIUS, 0), vec(0, 0, 0), material);
    mote_body_id box = add_box_of(world, at(2, 0.15f, 0), material, 3),
                 gone_body = add_box_of(world, at(4, 0.15f, 0), material, 3);
    must(mote_particle_remove(world, gone));
    must(mote_body_remove(world, gone_body));
    must(mote_shape_remove(world, gone_shape));
    step_times(world, 5, TEST_FRAME);
    mote_contact some[2];
    size_t count = 77;
    check_true(mote_particle_contacts(NULL, grain, some, 2, &count) == MOTE_ERROR_ARGUMENT, "no world");
    check_true(mote_particle_contacts(world, grain, NULL, 2, &count) == MOTE_ERROR_ARGUMENT, "no array");
    check_true(mote_particle_contacts(world, grain, some, 2, NULL) == MOTE_ERROR_ARGUMENT, "no count");
    check_true(mote_particle_contacts(world, gone, some, 2, &count) == MOTE_ERROR_STALE_HANDLE,
               "a stale particle");
    check_true(strstr(mote_last_error(), "particle handle") != NULL, "which is named: %s", mote_last_error());
    check_true(mote_body_contacts(NULL, box, some, 2, &count) == MOTE_ERROR_ARGUMENT, "no world");
    check_true(mote_body_contacts(world, box, NULL, 1, &count) == MOTE_ERROR_ARGUMENT, "no array");
    check_true(mote_body_contacts(world, gone_body, some, 2, &count) == MOTE_ERROR_STALE_HANDLE,
               "a stale body");
    check_true(mote_body_contacts(world, (mote_body_id){0}, some, 2, &count) == MOTE_ERROR_STALE_HANDLE,
               "a null body");
    check_true(mote_shape_contacts(NULL, floor, some, 2, &count) == MOTE_ERROR_ARGUMENT, "no world");
    check_true(mote_shape_contacts(world, floor, some, 2, NULL) == MOTE_ERROR_ARGUMENT, "no count");
    check_true(mote_shape_contacts(world, gone_shape, some, 2, &count) == MOTE_ERROR_STALE_HANDLE,
               "a stale shape");
    check_near((double)count, 77, 0, "nothing was written");
    check_near((double)mote_world_contacts(NULL).count, 0, 0, "contacts of no world");
    must(mote_shape_contacts(world, floor, NULL, 0, &count));
    check_near((double)count, 5, 0, "contacts of the floor, counted only");
    must(mote_shape_contacts(world, floor, some, 2, &count));
    check_near((double)count, 5, 0, "contacts of the floor, two of them written");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropped_particle),
        cmocka_unit_test(dropped_ball),
        cmocka_unit_test(bounces_are_events),
        cmocka_unit_test(resting_box),
        cmocka_unit_test(block_on_a_slope),
        cmocka_unit_test(column_of_grains),
        cmocka_unit_test(every_solver),
        cmocka_unit_test(colliding_bodies),
        cmocka_unit_test(both_sides_see_the_same),
        cmocka_unit_test(answers_are_what_is_there),
        cmocka_unit_test(momentum_of_every_grain),
        cmocka_unit_test(beginnings_have_contacts),
        cmocka_unit_test(sleepers_keep_touching),
        cmocka_unit_test(three_walls),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(bad_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
