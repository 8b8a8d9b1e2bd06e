#include "leaks.h"

#include <math.h>
#include <stdlib.h>

#define MOST_PARTS 16

typedef struct held {
    mote_world *world;
    mote_shape_id shapes[MOST_PARTS];
    mote_shape_def first[MOST_PARTS];
    uint32_t shape_count;
    mote_body_id bodies[MOST_PARTS];
    mote_pose rest[MOST_PARTS];
    uint32_t body_count;
    mote_shape_id rod;
    uint32_t liquid; /* index of its material */
} held;

typedef struct leak_result {
    size_t liquid;     /* particles of it */
    size_t out;        /* of these were outside at the end of any step */
    double least_room; /* m, of all particles and steps */
    double fastest;    /* m/s */
} leak_result;

/* ---- poses ---------------------------------------------------------------------------------------------- */

static mote_vec3 turned(mote_quat q, mote_vec3 d)
{
    mote_vec3 c = vec(q.y * d.z - q.z * d.y + q.w * d.x, q.z * d.x - q.x * d.z + q.w * d.y,
                      q.x * d.y - q.y * d.x + q.w * d.z);
    return vec(d.x + 2 * (q.y * c.z - q.z * c.y), d.y + 2 * (q.z * c.x - q.x * c.z),
               d.z + 2 * (q.x * c.y - q.y * c.x));
}

static mote_vec3 placed(mote_pose p, mote_vec3 x)
{
    mote_vec3 d = turned(p.rotation, x);
    return vec(d.x + p.position.x, d.y + p.position.y, d.z + p.position.z);
}

static mote_vec3 local(mote_pose p, mote_vec3 x)
{
    mote_quat back = {-p.rotation.x, -p.rotation.y, -p.rotation.z, p.rotation.w};
    return turned(back, vec(x.x - p.position.x, x.y - p.position.y, x.z - p.position.z));
}

static mote_quat product(mote_quat a, mote_quat b)
{
    return (mote_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/* Swings by 10 cm once a second while it drives off, a metre a second at the most, heaves, and tilts by up to
 * 30 degrees every other second, about a level axis that wanders. All of it begins gently. */
static mote_pose pose_at(double time)
{
    double part = fmin(0.5 * time, 1.0), angle = TEST_PI / 6 * part * sin(TEST_PI * time), s = sin(0.5 * angle);
    return (mote_pose){
        vec((float)(part * (0.1 * sin(2 * TEST_PI * time) + 0.37 * time)),
            (float)(0.02 * part * sin(2 * TEST_PI * 0.7 * time)),
            (float)(0.03 * part * sin(2 * TEST_PI * 1.3 * time))),
        {(float)(s * cos(0.3 * time)), 0, (float)(s * sin(0.3 * time)), (float)cos(0.5 * angle)}};
}

/* ---- making --------------------------------------------------------------------------------------------- */

static mote_material_id liquid_of(mote_world *world, const leak_case *c)
{
    mote_material_def def = mote_default_material_def();
    def.name = "liquid";
    def.fluid = true;
    def.density = c->density > 0 ? c->density : 1000.0f;
    def.viscosity = 0.001f;
    def.surface_tension = c->surface_tension;
    def.static_friction = def.kinetic_friction = 0.0f;
    mote_material_id material = mote_material_add(world, &def);
    must_exist(material);
    return material;
}

static mote_world *make_world(const leak_case *c)
{
    mote_settings settings = mote_default_settings();
    if (c->substeps > 0)
        settings.substeps = c->substeps;
    if (c->iterations > 0)
        settings.iterations = c->iterations;
    mote_world_def def = test_world_def(&settings);
    def.radius = LEAK_RADIUS;
    mote_world *world;
    must(mote_world_create(&def, &world));
    return world;
}

/* Comes down within a second, then goes round, to and fro, at up to a metre a second. */
static mote_vec3 rod_at(const leak_case *c, double time)
{
    double angle = 2 / (TEST_PI * c->rod) * sin(0.5 * TEST_PI * time) * fmin(time, 1.0),
           above = fmax(0.5 - 0.5 * time, 0.0);
    return vec((float)(c->rod * cos(angle)), (float)(c->rod_end + 0.15 + above), (float)(c->rod * sin(angle)));
}

static held make(const leak_case *c)
{
    held h = {.world = make_world(c)};
    mote_fluid_def fluid = mote_default_fluid_def();
    fluid.material = liquid_of(h.world, c);
    h.liquid = mote_material_count(h.world) - 1;
    fluid.velocity = c->velocity;
    fluid.min = c->fill_min;
    fluid.max = c->fill_max;
    fluid.jitter = 0.02f;
    must(mote_fluid_block(h.world, &fluid, NULL));
    c->build(h.world);
    h.shape_count = mote_shape_list(h.world, h.shapes, MOST_PARTS);
    for (uint32_t i = 0; i < h.shape_count; i++)
        must(mote_shape_get(h.world, h.shapes[i], &h.first[i]));
    h.body_count = mote_body_list(h.world, h.bodies, MOST_PARTS);
    must(mote_body_poses(h.world, h.bodies, h.body_count, h.rest));
    if (c->rod > 0) {
        mote_shape_def rod = mote_default_shape_def();
        rod.type = MOTE_SHAPE_CAPSULE;
        rod.radius = 1.5f * LEAK_RADIUS;
        rod.half_height = 0.15f;
        rod.position = rod_at(c, 0.0);
        h.rod = mote_shape_add(h.world, &rod);
        must_exist(h.rod);
    }
    return h;
}

/* ---- moving --------------------------------------------------------------------------------------------- */

static mote_pose together(mote_pose p, mote_vec3 position, mote_quat rotation)
{
    return (mote_pose){placed(p, position), product(p.rotation, rotation)};
}

static void move_all(const leak_case *c, held *h, mote_pose p, double time)
{
    for (uint32_t i = 0; i < h->shape_count && !c->loose; i++) {
        mote_pose to = together(p, h->first[i].position, h->first[i].rotation);
        must(mote_shape_move_to(h->world, h->shapes[i], to.position, to.rotation));
    }
    for (uint32_t i = 0; i < h->body_count && !c->loose; i++)
        must(mote_body_move_to(h->world, h->bodies[i], together(p, h->rest[i].position, h->rest[i].rotation)));
    if (c->rod > 0) {
        mote_vec3 at = placed(p, rod_at(c, time));
        must(mote_shape_move_to(h->world, h->rod, at, p.rotation));
    }
}

/* Loose bodies are pushed now here, now there, as with a hand. */
static void push_loose(held *h, uint32_t frame)
{
    if (frame % 45 != 0)
        return;
    mote_body_state state;
    must(mote_body_get(h->world, h->bodies[0], &state));
    double angle = 2.4 * (frame / 45);
    float push = 0.4f * state.mass; /* N s: 0.4 m/s without the liquid */
    must(mote_body_apply_impulse(h->world, h->bodies[0],
                                 vec(push * (float)cos(angle), 0, push * (float)sin(angle)), state.center));
}

/* ---- judging -------------------------------------------------------------------------------------------- */

static void judge(const leak_case *c, held *h, mote_pose p, uint8_t *was_out, leak_result *result)
{
    mote_particles_view view = mote_particles_get_view(h->world);
    result->liquid = 0;
    for (size_t i = 0; i < view.count; i++) {
        if (view.material[i] != h->liquid)
            continue;
        mote_vec4 x = view.position[i], v = view.velocity[i];
        double room = c->room(local(p, vec(x.x, x.y, x.z)));
        result->liquid++;
        result->least_room = fmin(result->least_room, room);
        result->fastest = fmax(result->fastest, length_of(vec(v.x, v.y, v.z)));
        if (!(room >= 0) && !was_out[view.id[i].index]) {
            was_out[view.id[i].index] = 1;
            result->out++;
        }
    }
}

/* Where the container is after a step. */
static mote_pose step_all(const leak_case *c, held *h, uint32_t frame)
{
    double time = frame / 60.0;
    mote_pose p = pose_at(c->loose ? 0.0 : time);
    move_all(c, h, p, time);
    if (c->loose)
        push_loose(h, frame);
    must(mote_world_step(h->world, TEST_FRAME));
    if (c->loose)
        must(mote_body_poses(h->world, h->bodies, 1, &p));
    return p;
}

void must_hold(const leak_case *c)
{
    held h = make(c);
    leak_result result = {.least_room = 1e9};
    uint8_t *was_out = calloc(mote_particle_count(h.world), 1);
    assert_non_null(was_out);
    uint32_t frames = (uint32_t)(60 * (c->seconds > 0 ? c->seconds : LEAK_SHORTER));
    for (uint32_t frame = 1; frame <= frames; frame++) {
        mote_pose p = step_all(c, &h, frame);
        judge(c, &h, p, was_out, &result);
    }
    free(was_out);
    mote_world_destroy(h.world);
    print_message("%s: %zu particles for %g s, the nearest to the outside %.3g mm within, up to %.2g m/s\n",
                  c->name, result.liquid, frames / 60.0, 1000 * result.least_room, result.fastest);
    check_below((double)result.out, 0.0, "%s: particles that were outside", c->name);
}
