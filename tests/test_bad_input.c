/* Bad input: every fault is answered with an error that names it, and the world is as it was before. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A world with one of everything, and handles to what is and to what was. */
typedef struct fixture {
    mote_world *world;
    mote_particle_id particle, fixed_particle, stale_particle;
    mote_shape_id shape, stale_shape;
    mote_field_id field, stale_field;
    mote_volume_id volume, stale_volume;
} fixture;

static fixture make_fixture(void)
{
    fixture f = {.world = test_world(NULL)};
    mote_plane_def plane = mote_default_plane_def();
    mote_field_def field = mote_default_field_def();
    mote_volume_def volume = mote_default_volume_def();
    f.shape = add_floor(f.world, (mote_material_id){0});
    f.stale_shape = mote_plane_add(f.world, &plane);
    f.field = mote_field_add(f.world, &field);
    f.stale_field = mote_field_add(f.world, &field);
    f.volume = mote_volume_add(f.world, &volume);
    f.stale_volume = mote_volume_add(f.world, &volume);
    f.particle = add_particle(f.world, vec(0, 1, 0), vec(0, 0, 0), (mote_material_id){0});
    f.stale_particle = add_particle(f.world, vec(0, 2, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_particle_def def = mote_default_particle_def();
    def.position = vec(3, 3, 3);
    def.fixed = true;
    f.fixed_particle = mote_particle_add(f.world, &def);
    must(mote_shape_remove(f.world, f.stale_shape));
    must(mote_field_remove(f.world, f.stale_field));
    must(mote_volume_remove(f.world, f.stale_volume));
    must(mote_particle_remove(f.world, f.stale_particle));
    step_times(f.world, 2, TEST_FRAME);
    return f;
}

/* The call must give `expected`, say a word about it, and change nothing. */
static void check_refused_at(int line, mote_world *world, uint64_t hash, mote_result result,
                             mote_result expected, const char *word, const char *call)
{
    if (result != expected)
        print_error("%s: answered \"%s\", expected \"%s\"\n", call, mote_result_text(result),
                    mote_result_text(expected));
    else if (mote_last_result() != expected)
        print_error("%s: mote_last_result() is \"%s\"\n", call, mote_result_text(mote_last_result()));
    else if (strstr(mote_last_error(), word) == NULL)
        print_error("%s: the error \"%s\" does not name \"%s\"\n", call, mote_last_error(), word);
    else if (world != NULL && mote_world_hash(world) != hash)
        print_error("%s: was refused, but the world has changed\n", call);
    else
        return;
    _fail(__FILE__, line);
}

#define refused(world, call, expected, word)                                                                   \
    do {                                                                                                       \
        uint64_t hash_before = mote_world_hash(world);                                                         \
        mote_result answer = (call);                                                                           \
        check_refused_at(__LINE__, (world), hash_before, answer, (expected), (word), #call);                   \
    } while (0)

/* For the calls that answer with a handle. */
#define refused_handle(world, call, expected, word)                                                            \
    refused(world, mote_is_null(call) ? mote_last_result() : MOTE_OK, expected, word)

/* ---- numbers -------------------------------------------------------------------------------------------- */

static const float not_finite[] = {NAN, INFINITY, -INFINITY};

static void particle_numbers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    const mote_particle_def good = mote_default_particle_def();
    mote_particle_def bad;
    for (int i = 0; i < 3; ++i) {
        bad = good, bad.position.x = not_finite[i];
        refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_NOT_FINITE, "position");
        bad = good, bad.position.z = not_finite[i];
        refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_NOT_FINITE, "position");
        bad = good, bad.velocity.y = not_finite[i];
        refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_NOT_FINITE, "velocity");
        bad = good, bad.mass = not_finite[i];
        refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_NOT_FINITE, "mass");
        bad = good, bad.radius = not_finite[i];
        refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_NOT_FINITE, "radius");
    }
    bad = good, bad.mass = -1;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "mass");
    bad = good, bad.mass = 0;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "mass");
    bad = good, bad.radius = -0.1f;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "radius");
    bad = good, bad.radius = 0;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "radius");
    bad = good, bad.phase = 0xFFFFFFFFu;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "phase");
    bad = good, bad.radius = 1e-30f;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "radius");
    bad = good, bad.position.x = 2e6f;
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "position");
    bad = good, bad.velocity = vec(9e3f, 9e3f, 0);
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_ARGUMENT, "velocity");
    bad = good, bad.material = (mote_material_id){5, 1};
    refused_handle(f.world, mote_particle_add(f.world, &bad), MOTE_ERROR_STALE_HANDLE, "material");
    mote_world_destroy(f.world);
}

static void particle_setters(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_world *w = f.world;
    refused(w, mote_particle_set_position(w, f.particle, vec(0, NAN, 0)), MOTE_ERROR_NOT_FINITE, "position");
    refused(w, mote_particle_set_position(w, f.particle, vec(0, 1e7f, 0)), MOTE_ERROR_ARGUMENT, "position");
    refused(w, mote_particle_set_velocity(w, f.particle, vec(INFINITY, 0, 0)), MOTE_ERROR_NOT_FINITE,
            "velocity");
    refused(w, mote_particle_set_velocity(w, f.particle, vec(1e5f, 0, 0)), MOTE_ERROR_ARGUMENT, "velocity");
    refused(w, mote_particle_set_mass(w, f.particle, NAN), MOTE_ERROR_NOT_FINITE, "mass");
    refused(w, mote_particle_set_mass(w, f.particle, 0), MOTE_ERROR_ARGUMENT, "mass");
    refused(w, mote_particle_set_mass(w, f.particle, -2), MOTE_ERROR_ARGUMENT, "mass");
    refused(w, mote_particle_set_mass(w, f.fixed_particle, 1), MOTE_ERROR_ARGUMENT, "fixed");
    refused(w, mote_particle_set_fixed(w, f.fixed_particle, false, 0), MOTE_ERROR_ARGUMENT, "mass");
    refused(w, mote_particle_apply_impulse(w, f.particle, vec(0, 0, NAN)), MOTE_ERROR_NOT_FINITE, "impulse");
    refused(w, mote_particle_apply_impulse(w, f.particle, vec(1e6f, 0, 0)), MOTE_ERROR_ARGUMENT, "impulse");
    refused(w, mote_particle_set_material(w, f.particle, (mote_material_id){9, 1}), MOTE_ERROR_STALE_HANDLE,
            "material");
    mote_world_destroy(w);
}

/* All or none: the bad one is the last of four. */
static void bulk_calls(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_particle_def defs[4];
    for (int i = 0; i < 4; ++i)
        defs[i] = mote_default_particle_def();
    defs[3].mass = -1;
    mote_particle_id ids[4] = {{0}};
    refused(f.world, mote_particles_add(f.world, defs, 4, ids), MOTE_ERROR_ARGUMENT, "mass");
    refused(f.world, mote_particles_add(f.world, NULL, 4, ids), MOTE_ERROR_ARGUMENT, "defs");
    mote_particle_id written[3] = {f.particle, f.fixed_particle, f.stale_particle};
    mote_vec3 values[3] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
    refused(f.world, mote_particles_write(f.world, written, 3, values, values), MOTE_ERROR_STALE_HANDLE,
            "particle");
    values[1].x = NAN;
    refused(f.world, mote_particles_write(f.world, written, 2, values, NULL), MOTE_ERROR_NOT_FINITE,
            "position");
    refused(f.world, mote_particles_write(f.world, written, 2, NULL, values), MOTE_ERROR_NOT_FINITE,
            "velocity");
    refused(f.world, mote_particles_write(f.world, NULL, 2, values, NULL), MOTE_ERROR_ARGUMENT, "ids");
    refused(f.world, mote_particles_read(f.world, written, 3, values, NULL), MOTE_ERROR_STALE_HANDLE,
            "particle");
    mote_world_destroy(f.world);
}

static void grains_numbers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    const mote_grains_def good = mote_default_grains_def();
    mote_grains_def bad;
    bad = good, bad.count[1] = 0;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "count");
    bad = good, bad.radius = 0;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "radius");
    bad = good, bad.spacing = 0;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "spacing");
    bad = good, bad.radius = -1;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "radius");
    bad = good, bad.radius_spread = 1;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "radius_spread");
    bad = good, bad.spacing = NAN;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_NOT_FINITE, "spacing");
    bad = good, bad.spacing = -1;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "spacing");
    bad = good, bad.jitter = 2;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "jitter");
    bad = good, bad.origin.y = INFINITY;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_NOT_FINITE, "origin");
    bad = good, bad.velocity.y = NAN;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_NOT_FINITE, "velocity");
    bad = good, bad.material = (mote_material_id){77, 1};
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_STALE_HANDLE, "material");
    bad = good, bad.count[0] = UINT32_MAX;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "count");
    /* Products of 2^32 and 2^64: they must not wrap round to a small number. */
    bad = good, bad.count[0] = bad.count[1] = 1u << 16, bad.count[2] = 1;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_LIMIT, "max_particles");
    bad = good, bad.count[0] = bad.count[1] = 1u << 21, bad.count[2] = 1u << 21;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_LIMIT, "max_particles");
    /* The first thousands fit into space, the last ones do not: none may stay. */
    bad = good, bad.origin.x = 999500, bad.count[0] = 10000, bad.count[1] = bad.count[2] = 1;
    refused(f.world, mote_grains_block(f.world, &bad, NULL), MOTE_ERROR_ARGUMENT, "position");
    refused(f.world, mote_grains_block(f.world, NULL, NULL), MOTE_ERROR_ARGUMENT, "def");
    mote_world_destroy(f.world);
}

/* As it was also for what comes next: after a block that failed half-way, the next particle gets the handle
 * that it would have got anyway. */
static void failed_block_leaves_no_trace(void **state)
{
    (void)state;
    mote_world *worlds[2];
    mote_particle_id next[2];
    for (int i = 0; i < 2; ++i) {
        worlds[i] = make_fixture().world;
        mote_grains_def bad = mote_default_grains_def();
        bad.origin.x = 999500, bad.count[0] = 10000, bad.count[1] = bad.count[2] = 1;
        if (i == 1)
            refused(worlds[i], mote_grains_block(worlds[i], &bad, NULL), MOTE_ERROR_ARGUMENT, "position");
        next[i] = add_particle(worlds[i], vec(5, 5, 5), vec(0, 0, 0), (mote_material_id){0});
        step_times(worlds[i], 5, TEST_FRAME);
    }
    check_true(next[0].index == next[1].index && next[0].generation == next[1].generation,
               "the next particle is %u.%u, expected %u.%u", next[1].index, next[1].generation, next[0].index,
               next[0].generation);
    check_true(mote_world_hash(worlds[0]) == mote_world_hash(worlds[1]), "the same state five steps later");
    mote_world_destroy(worlds[0]);
    mote_world_destroy(worlds[1]);
}

/* ---- materials, shapes, fields, volumes ----------------------------------------------------------------- */

static void material_numbers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_material_id own = mote_world_default_material(f.world);
    const mote_material_def good = mote_default_material_def();
    mote_material_def bad[11];
    static const char *const words[] = {"density",     "density",     "static_friction", "kinetic_friction",
                                        "restitution", "restitution", "adhesion",        "static_friction",
                                        "name",        "restitution", "compliance"};
    for (int i = 0; i < 11; ++i)
        bad[i] = good;
    bad[0].density = 0;
    bad[1].density = -5;
    bad[2].static_friction = -1;
    bad[3].kinetic_friction = -0.1f;
    bad[4].restitution = 1.1f;
    bad[5].restitution = -0.1f;
    bad[6].adhesion = -1;
    bad[7].static_friction = 0.3f; /* below the kinetic one */
    bad[8].name = "a name that is much longer than 31 bytes";
    bad[9].restitution = NAN;
    bad[10].compliance = -1e-6f;
    for (int i = 0; i < 11; ++i) {
        mote_result expected = i == 9 ? MOTE_ERROR_NOT_FINITE : MOTE_ERROR_ARGUMENT;
        refused_handle(f.world, mote_material_add(f.world, &bad[i]), expected, words[i]);
        refused(f.world, mote_material_set(f.world, own, &bad[i]), expected, words[i]);
    }
    refused_handle(f.world, mote_material_add(f.world, NULL), MOTE_ERROR_ARGUMENT, "def");
    mote_material_def out;
    mote_material_id none = {3, 1}, null = {0, 0};
    refused(f.world, mote_material_get(f.world, none, &out), MOTE_ERROR_STALE_HANDLE, "material");
    refused(f.world, mote_material_get(f.world, null, &out), MOTE_ERROR_STALE_HANDLE, "material");
    refused(f.world, mote_material_set(f.world, none, &good), MOTE_ERROR_STALE_HANDLE, "material");
    while (mote_material_count(f.world) < 256)
        must_exist(mote_material_add(f.world, &good));
    refused_handle(f.world, mote_material_add(f.world, &good), MOTE_ERROR_LIMIT, "256");
    mote_world_destroy(f.world);
}

static void shape_numbers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    const mote_plane_def good = mote_default_plane_def();
    mote_plane_def bad[6];
    static const char *const words[] = {"normal", "normal", "offset", "velocity", "material", "channels"};
    static const mote_result results[] = {MOTE_ERROR_ARGUMENT,   MOTE_ERROR_NOT_FINITE,   MOTE_ERROR_NOT_FINITE,
                                          MOTE_ERROR_NOT_FINITE, MOTE_ERROR_STALE_HANDLE, MOTE_ERROR_ARGUMENT};
    for (int i = 0; i < 6; ++i)
        bad[i] = good;
    bad[0].normal = vec(0, 0, 0);
    bad[1].normal.z = NAN;
    bad[2].offset = INFINITY;
    bad[3].velocity.x = NAN;
    bad[4].material = (mote_material_id){9, 1};
    bad[5].channels = 0x80;
    for (int i = 0; i < 6; ++i) {
        refused_handle(f.world, mote_plane_add(f.world, &bad[i]), results[i], words[i]);
        refused(f.world, mote_plane_set(f.world, f.shape, &bad[i]), results[i], words[i]);
    }
    refused_handle(f.world, mote_plane_add(f.world, NULL), MOTE_ERROR_ARGUMENT, "def");
    mote_world_destroy(f.world);
}

static void field_and_volume_numbers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    const mote_field_def good = mote_default_field_def();
    mote_field_def bad[7];
    static const char *const words[] = {"type",   "center", "direction", "strength",
                                        "radius", "radius", "direction"};
    for (int i = 0; i < 7; ++i)
        bad[i] = good;
    bad[0].type = MOTE_FIELD_COUNT;
    bad[1].center.x = NAN;
    bad[2].direction.y = INFINITY;
    bad[3].strength = NAN;
    bad[4].radius = NAN;
    bad[5].radius = -1;
    bad[6].type = MOTE_FIELD_VORTEX;
    bad[6].direction = vec(0, 0, 0); /* an axis needs a direction */
    for (int i = 0; i < 7; ++i) {
        mote_result expected = i >= 1 && i <= 4 ? MOTE_ERROR_NOT_FINITE : MOTE_ERROR_ARGUMENT;
        refused_handle(f.world, mote_field_add(f.world, &bad[i]), expected, words[i]);
        refused(f.world, mote_field_set(f.world, f.field, &bad[i]), expected, words[i]);
    }
    refused_handle(f.world, mote_field_add(f.world, NULL), MOTE_ERROR_ARGUMENT, "def");
    mote_volume_def volume = mote_default_volume_def();
    volume.type = MOTE_VOLUME_COUNT;
    refused_handle(f.world, mote_volume_add(f.world, &volume), MOTE_ERROR_ARGUMENT, "type");
    volume = mote_default_volume_def();
    volume.min.y = NAN;
    refused_handle(f.world, mote_volume_add(f.world, &volume), MOTE_ERROR_NOT_FINITE, "min");
    volume = mote_default_volume_def();
    volume.max.z = volume.min.z;
    refused_handle(f.world, mote_volume_add(f.world, &volume), MOTE_ERROR_ARGUMENT, "max");
    refused_handle(f.world, mote_volume_add(f.world, NULL), MOTE_ERROR_ARGUMENT, "def");
    mote_world_destroy(f.world);
}

/* ---- handles -------------------------------------------------------------------------------------------- */

static void check_particle_handle(fixture f, mote_particle_id bad)
{
    mote_world *w = f.world;
    mote_particle_state out;
    const mote_result stale = MOTE_ERROR_STALE_HANDLE;
    check_true(!mote_particle_is_valid(w, bad), "the handle is not valid");
    refused(w, mote_particle_get(w, bad, &out), stale, "particle");
    refused(w, mote_particle_remove(w, bad), stale, "particle");
    refused(w, mote_particle_set_position(w, bad, vec(0, 0, 0)), stale, "particle");
    refused(w, mote_particle_set_velocity(w, bad, vec(0, 0, 0)), stale, "particle");
    refused(w, mote_particle_set_phase(w, bad, 0), stale, "particle");
    refused(w, mote_particle_set_material(w, bad, mote_world_default_material(w)), stale, "particle");
    refused(w, mote_particle_set_mass(w, bad, 1), stale, "particle");
    refused(w, mote_particle_set_fixed(w, bad, true, 1), stale, "particle");
    refused(w, mote_particle_apply_impulse(w, bad, vec(1, 0, 0)), stale, "particle");
}

static void particle_handles(void **state)
{
    (void)state;
    fixture f = make_fixture();
    check_particle_handle(f, f.stale_particle);
    check_particle_handle(f, (mote_particle_id){0, 0});
    check_particle_handle(f, (mote_particle_id){UINT32_MAX, 1});
    check_particle_handle(f, (mote_particle_id){f.particle.index, f.particle.generation + 1});
    mote_world_destroy(f.world);
}

static void other_handles(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_world *w = f.world;
    mote_plane_def plane = mote_default_plane_def();
    mote_field_def field = mote_default_field_def();
    mote_volume_def volume;
    mote_vec3 force;
    const mote_result stale = MOTE_ERROR_STALE_HANDLE;
    const mote_shape_id shapes[] = {f.stale_shape, {0, 0}, {UINT32_MAX, 1}};
    const mote_field_id fields[] = {f.stale_field, {0, 0}, {UINT32_MAX, 1}};
    const mote_volume_id volumes[] = {f.stale_volume, {0, 0}, {UINT32_MAX, 1}};
    for (int i = 0; i < 3; ++i) {
        check_true(!mote_shape_is_valid(w, shapes[i]), "shape %d is not valid", i);
        refused(w, mote_plane_get(w, shapes[i], &plane), stale, "shape");
        refused(w, mote_plane_set(w, shapes[i], &plane), stale, "shape");
        refused(w, mote_shape_remove(w, shapes[i]), stale, "shape");
        refused(w, mote_shape_force(w, shapes[i], &force), stale, "shape");
        check_true(!mote_field_is_valid(w, fields[i]), "field %d is not valid", i);
        refused(w, mote_field_get(w, fields[i], &field), stale, "field");
        refused(w, mote_field_set(w, fields[i], &field), stale, "field");
        refused(w, mote_field_remove(w, fields[i]), stale, "field");
        check_true(!mote_volume_is_valid(w, volumes[i]), "volume %d is not valid", i);
        refused(w, mote_volume_get(w, volumes[i], &volume), stale, "volume");
        refused(w, mote_volume_remove(w, volumes[i]), stale, "volume");
    }
    mote_world_destroy(w);
}

/* ---- worlds and steps ----------------------------------------------------------------------------------- */

static void steps_of_no_sensible_length(void **state)
{
    (void)state;
    fixture f = make_fixture();
    static const float bad[] = {0, -0.0f, -1, 1.001f, 1e30f};
    for (int i = 0; i < 5; ++i)
        refused(f.world, mote_world_step(f.world, bad[i]), MOTE_ERROR_ARGUMENT, "dt");
    for (int i = 0; i < 3; ++i)
        refused(f.world, mote_world_step(f.world, not_finite[i]), MOTE_ERROR_NOT_FINITE, "dt");
    must(mote_world_step(f.world, MOTE_MAX_DT));
    mote_world_destroy(f.world);
}

static void more_particles_than_the_limit(void **state)
{
    (void)state;
    mote_world_def def = test_world_def(NULL);
    def.max_particles = 10;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    mote_grains_def grains = mote_default_grains_def();
    refused(world, mote_grains_block(world, &grains, NULL), MOTE_ERROR_LIMIT, "max_particles");
    for (int i = 0; i < 10; ++i)
        add_particle(world, vec((float)i, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_particle_def one = mote_default_particle_def();
    refused_handle(world, mote_particle_add(world, &one), MOTE_ERROR_LIMIT, "max_particles");
    must(mote_particle_remove(world, mote_particles_get_view(world).id[4]));
    must_exist(mote_particle_add(world, &one));
    mote_world_destroy(world);
}

/* One bad value for each field, written over good ones by its offset. */
typedef struct bad_setting {
    const char *word;
    size_t offset;
    float value;
    uint32_t whole; /* for counts and enums */
    bool is_whole;
} bad_setting;

#define BAD_FLOAT(field, value)                                                                                \
    {                                                                                                          \
#field, offsetof(mote_settings, field), (value), 0, false                                              \
    }
#define BAD_WHOLE(field, number)                                                                               \
    {                                                                                                          \
#field, offsetof(mote_settings, field), 0, (number), true                                              \
    }

static const bad_setting bad_settings[] = {
    BAD_FLOAT(gravity, NAN),
    BAD_FLOAT(gravity, 1e30f),
    BAD_WHOLE(substeps, 0),
    BAD_WHOLE(substeps, 1001),
    BAD_WHOLE(iterations, 0),
    BAD_WHOLE(iterations, 10001),
    BAD_WHOLE(stabilization_iterations, 1001),
    BAD_WHOLE(solver, MOTE_SOLVER_COUNT),
    BAD_WHOLE(integrator, MOTE_INTEGRATOR_COUNT),
    BAD_FLOAT(relaxation, 0),
    BAD_FLOAT(relaxation, 2),
    BAD_FLOAT(relaxation, -1),
    BAD_FLOAT(warm_starting, -0.1f),
    BAD_FLOAT(warm_starting, 1),
    BAD_FLOAT(warm_starting, NAN),
    BAD_FLOAT(contact_margin, 0.9f),
    BAD_FLOAT(contact_margin, 2.1f),
    BAD_FLOAT(neighbor_skin, -0.1f),
    BAD_FLOAT(neighbor_skin, 2.1f),
    BAD_FLOAT(mass_scaling, -0.5f),
    BAD_FLOAT(mass_scaling, -2),
    BAD_FLOAT(mass_scaling, 2e6f),
    BAD_FLOAT(mass_scaling, NAN),
    BAD_FLOAT(damping, -1),
    BAD_FLOAT(damping, INFINITY),
    BAD_FLOAT(sleep_speed, -1),
    BAD_FLOAT(sleep_speed, NAN),
    BAD_FLOAT(sleep_time, -1),
    BAD_FLOAT(sleep_time, NAN),
    BAD_FLOAT(max_speed, 0),
    BAD_FLOAT(max_speed, NAN),
    BAD_FLOAT(max_acceleration, 0),
    BAD_FLOAT(max_acceleration, -1),
    BAD_FLOAT(restitution_speed, -1),
    BAD_FLOAT(restitution_speed, NAN),
};

static void settings_out_of_range(void **state)
{
    (void)state;
    fixture f = make_fixture();
    for (size_t i = 0; i < sizeof bad_settings / sizeof bad_settings[0]; ++i) {
        const bad_setting *bad = &bad_settings[i];
        mote_settings settings = mote_default_settings();
        if (bad->is_whole)
            memcpy((char *)&settings + bad->offset, &bad->whole, sizeof bad->whole);
        else
            memcpy((char *)&settings + bad->offset, &bad->value, sizeof bad->value);
        mote_result expected =
            bad->is_whole || isfinite(bad->value) ? MOTE_ERROR_ARGUMENT : MOTE_ERROR_NOT_FINITE;
        refused(f.world, mote_world_set_settings(f.world, &settings), expected, bad->word);
        mote_world_def def = test_world_def(&settings);
        mote_world *none = f.world;
        refused(f.world, mote_world_create(&def, &none), expected, bad->word);
        assert_null(none);
    }
    refused(f.world, mote_world_set_settings(f.world, NULL), MOTE_ERROR_ARGUMENT, "settings");
    mote_world_destroy(f.world);
}

static void check_no_world(mote_world_def def, mote_result expected, const char *word)
{
    mote_world *world = (mote_world *)&def;
    mote_result result = mote_world_create(&def, &world);
    check_refused_at(__LINE__, NULL, 0, result, expected, word, "mote_world_create");
    assert_null(world);
}

static void definitions_out_of_range(void **state)
{
    (void)state;
    mote_world_def bad;
    bad = test_world_def(NULL), bad.radius = 0;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "radius");
    bad = test_world_def(NULL), bad.radius = -1;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "radius");
    bad = test_world_def(NULL), bad.radius = NAN;
    check_no_world(bad, MOTE_ERROR_NOT_FINITE, "radius");
    bad = test_world_def(NULL), bad.max_particles = 0;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "max_particles");
    bad = test_world_def(NULL), bad.max_particles = 100000001;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "max_particles");
    bad = test_world_def(NULL), bad.thread_count = 1000000;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "thread_count");
    bad = test_world_def(NULL), bad.simd = MOTE_SIMD_COUNT;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "simd");
    test_heap heap = {0};
    bad = test_world_def(NULL), bad.allocator = heap_allocator(&heap), bad.allocator.release = NULL;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "release");
    mote_world *world = NULL;
    check_true(mote_world_create(NULL, &world) == MOTE_ERROR_ARGUMENT, "no definition");
    bad = test_world_def(NULL);
    check_true(mote_world_create(&bad, NULL) == MOTE_ERROR_ARGUMENT, "nowhere to put the world");
}

/* Null pointers where a world, an input or an output belongs. */
static void null_pointers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_world *w = f.world;
    refused(w, mote_particle_get(w, f.particle, NULL), MOTE_ERROR_ARGUMENT, "state");
    refused_handle(w, mote_particle_add(w, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_plane_get(w, f.shape, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_plane_set(w, f.shape, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_shape_force(w, f.shape, NULL), MOTE_ERROR_ARGUMENT, "force");
    refused(w, mote_field_get(w, f.field, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_field_set(w, f.field, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_volume_get(w, f.volume, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_material_get(w, mote_world_default_material(w), NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_material_set(w, mote_world_default_material(w), NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_world_stats(w, NULL), MOTE_ERROR_ARGUMENT, "stats");
    mote_particle_def def = mote_default_particle_def();
    mote_plane_def plane = mote_default_plane_def();
    mote_grains_def grains = mote_default_grains_def();
    mote_settings settings = mote_default_settings();
    mote_stats stats;
    char bytes[16] = {0};
    check_refused_at(__LINE__, NULL, 0, mote_world_step(NULL, TEST_FRAME), MOTE_ERROR_ARGUMENT, "world",
                     "step");
    check_refused_at(__LINE__, NULL, 0, mote_world_set_settings(NULL, &settings), MOTE_ERROR_ARGUMENT, "world",
                     "set_settings");
    check_refused_at(__LINE__, NULL, 0, mote_world_wake(NULL), MOTE_ERROR_ARGUMENT, "world", "wake");
    check_refused_at(__LINE__, NULL, 0, mote_world_stats(NULL, &stats), MOTE_ERROR_ARGUMENT, "world", "stats");
    check_refused_at(__LINE__, NULL, 0, mote_grains_block(NULL, &grains, NULL), MOTE_ERROR_ARGUMENT, "world",
                     "grains");
    check_refused_at(__LINE__, NULL, 0, mote_snapshot_take(NULL, bytes, 16, NULL), MOTE_ERROR_ARGUMENT, "world",
                     "take");
    check_refused_at(__LINE__, NULL, 0, mote_snapshot_restore(NULL, bytes, 16), MOTE_ERROR_ARGUMENT, "world",
                     "restore");
    assert_true(mote_is_null(mote_particle_add(NULL, &def)));
    assert_true(mote_is_null(mote_plane_add(NULL, &plane)));
    assert_int_equal(mote_particle_count(NULL), 0);
    assert_int_equal(mote_particles_get_view(NULL).count, 0);
    assert_int_equal(mote_world_events(NULL).count, 0);
    assert_int_equal(mote_snapshot_size(NULL), 0);
    mote_world_hash(NULL);
    mote_world_destroy(NULL);
    mote_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particle_numbers),
        cmocka_unit_test(particle_setters),
        cmocka_unit_test(bulk_calls),
        cmocka_unit_test(grains_numbers),
        cmocka_unit_test(failed_block_leaves_no_trace),
        cmocka_unit_test(material_numbers),
        cmocka_unit_test(shape_numbers),
        cmocka_unit_test(field_and_volume_numbers),
        cmocka_unit_test(particle_handles),
        cmocka_unit_test(other_handles),
        cmocka_unit_test(steps_of_no_sensible_length),
        cmocka_unit_test(more_particles_than_the_limit),
        cmocka_unit_test(settings_out_of_range),
        cmocka_unit_test(definitions_out_of_range),
        cmocka_unit_test(null_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
