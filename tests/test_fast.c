/* Continuous collision: what is fast does not pass. Particles are fired at closed meshes, from inside and
 * from outside, and every one must stay on its side. */
#include "meshes.h"

#include "collide/collide.h"

#include <math.h>
#include <stdlib.h>

#define SPEED  300.0f /* m/s */
#define RADIUS 0.01f  /* m */

static mote_world *fast_world(uint32_t substeps)
{
    mote_settings settings = weightless();
    settings.substeps = substeps;
    mote_world_def def = test_world_def(&settings);
    def.radius = RADIUS;
    def.thread_count = 2;
    mote_world *world;
    must(mote_world_create(&def, &world));
    return world;
}

static mote_vec3 random_direction(uint64_t *state)
{
    for (;;) {
        mote_vec3 d =
            vec(random_between(state, -1, 1), random_between(state, -1, 1), random_between(state, -1, 1));
        double length = length_of(d);
        if (length > 0.1 && length < 1)
            return vec((float)(d.x / length), (float)(d.y / length), (float)(d.z / length));
    }
}

typedef struct shot {
    mote_vec3 position, velocity;
} shot;

static mote_vec3 scaled(mote_vec3 v, float s)
{
    return vec(v.x * s, v.y * s, v.z * s);
}

/* From inside the tube of a torus anywhere, or from a ball around it towards some point near it. */
static shot shot_at_torus(uint64_t *state, bool inside, float major, float minor)
{
    float turn = random_between(state, 0.0f, (float)(2 * TEST_PI)), c = cosf(turn), s = sinf(turn);
    mote_vec3 off = scaled(random_direction(state), random_between(state, 0.0f, 0.9f) * minor);
    mote_vec3 tube = vec(major * c + off.x, off.y, major * s + off.z);
    if (inside)
        return (shot){tube, scaled(random_direction(state), SPEED)};
    mote_vec3 from = scaled(random_direction(state), 2.5f * (major + minor));
    mote_vec3 way = vec(tube.x - from.x, tube.y - from.y, tube.z - from.z);
    return (shot){from, scaled(way, SPEED / (float)length_of(way))};
}

static shot shot_at_room(uint64_t *state, bool inside, mote_vec3 half)
{
    mote_vec3 within =
        vec(random_between(state, -0.95f, 0.95f) * half.x, random_between(state, -0.95f, 0.95f) * half.y,
            random_between(state, -0.95f, 0.95f) * half.z);
    if (inside)
        return (shot){within, scaled(random_direction(state), SPEED)};
    mote_vec3 from = scaled(random_direction(state), 5.0f * half.x);
    mote_vec3 way = vec(within.x - from.x, within.y - from.y, within.z - from.z);
    return (shot){from, scaled(way, SPEED / (float)length_of(way))};
}

static size_t crossed(const mote_world *world, const mt_mesh *mesh)
{
    mote_particles_view view = mote_particles_get_view(world);
    size_t wrong = 0;
    for (size_t i = 0; i < view.count; i++) {
        mote_vec3 x = vec(view.position[i].x, view.position[i].y, view.position[i].z);
        bool inside = mt_mesh_signed_distance(mesh, x) < 0;
        wrong += inside != (view.material[i] == 1);
    }
    return wrong;
}

static void fire(const test_mesh *form, bool room, uint32_t count, uint32_t substeps, uint32_t frames,
                 float restitution)
{
    mote_world *world = fast_world(substeps);
    mt_memory memory = mt_memory_make((mote_allocator){0});
    mote_mesh view = mesh_view(form);
    mt_mesh *judge = mt_mesh_make(&memory, &view);
    assert_non_null(judge);
    mote_shape_def shape = mote_default_shape_def();
    shape.type = MOTE_SHAPE_GEOMETRY;
    shape.geometry = mote_mesh_add(world, &view);
    must_exist(shape.geometry);
    must_exist(mote_shape_add(world, &shape));
    mote_material_id inner = add_material(world, 0.3f, 0.2f, restitution);
    mote_material_id outer = add_material(world, 0.3f, 0.2f, restitution);
    uint64_t state = 7;
    mote_particle_def *defs = malloc(count * sizeof *defs);
    assert_non_null(defs);
    for (uint32_t i = 0; i < count; i++) {
        bool inside = i % 2 == 0;
        shot s =
            room ? shot_at_room(&state, inside, vec(2, 1.5f, 1)) : shot_at_torus(&state, inside, 2.0f, 0.5f);
        defs[i] = mote_default_particle_def();
        defs[i].position = s.position;
        defs[i].velocity = s.velocity;
        defs[i].radius = RADIUS;
        defs[i].mass = 0.01f;
        defs[i].material = inside ? inner : outer;
    }
    must(mote_particles_add(world, defs, count, NULL));
    free(defs);
    assert_int_equal(crossed(world, judge), 0);
    for (uint32_t frame = 0; frame < frames; frame++) {
        must(mote_world_step(world, TEST_FRAME));
        if (frame % 4 != 3 && frame + 1 < frames)
            continue; /* judging takes longer than the step */
        size_t wrong = crossed(world, judge);
        check_true(wrong == 0, "%zu of %u on the wrong side after frame %u", wrong, count, frame + 1);
    }
    mt_mesh_free(judge, &memory);
    mote_world_destroy(world);
}

static void nobody_passes_a_torus(void **unused)
{
    (void)unused;
    test_mesh torus = torus_mesh(2.0, 0.5, 96, 48);
    fire(&torus, false, TEST_BY_BUILD(100000, 10000, 2000), 4, TEST_BY_BUILD(8, 4, 3), 0.5f);
    mesh_free(&torus);
}

static void nobody_passes_a_room(void **unused)
{
    (void)unused;
    test_mesh room = box_mesh(vec(2, 1.5f, 1));
    fire(&room, true, TEST_BY_BUILD(100000, 10000, 2000), 4, TEST_BY_BUILD(8, 4, 3), 0.5f);
    mesh_free(&room);
}

/* Five metres a step, more than the room is wide. */
static void nobody_passes_in_one_substep(void **unused)
{
    (void)unused;
    test_mesh room = box_mesh(vec(2, 1.5f, 1)), torus = torus_mesh(2.0, 0.5, 96, 48);
    fire(&room, true, 5000, 1, 12, 1.0f);
    fire(&torus, false, 5000, 1, 12, 0.0f);
    mesh_free(&room);
    mesh_free(&torus);
}

/* A sheet of 2 mm, much thinner than a particle, and particles that go 1.25 m a substep. */
static void thin_boxes_stop(void **unused)
{
    (void)unused;
    mote_world *world = fast_world(4);
    mote_shape_def sheet = mote_default_shape_def();
    sheet.type = MOTE_SHAPE_BOX;
    sheet.half_extents = vec(5, 0.001f, 5);
    must_exist(mote_shape_add(world, &sheet));
    mote_particle_id ids[100];
    for (int i = 0; i < 100; i++)
        ids[i] = add_particle(world,
                              vec(0.2f * (float)(i % 10) - 1, 2 + 0.01f * (float)i, 0.2f * (float)(i / 10) - 1),
                              vec(0, -SPEED, 0), (mote_material_id){0, 0});
    step_times(world, 30, TEST_FRAME);
    for (int i = 0; i < 100; i++)
        check_above((double)state_of(world, ids[i]).position.y, 0.0, "height of particle %d", i);
    mote_world_destroy(world);
}

/* A racket of 2 mm that comes down at 100 m/s on particles that stand: they go with it. */
static void moving_shapes_take_along(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 2; kind++) {
        mote_world *world = fast_world(4);
        mote_shape_def racket = mote_default_shape_def();
        test_mesh floor = floor_mesh(1, 10);
        mote_mesh view = mesh_view(&floor);
        racket.type = kind == 0 ? MOTE_SHAPE_BOX : MOTE_SHAPE_GEOMETRY;
        racket.half_extents = vec(1, 0.001f, 1);
        racket.position = vec(0, 3, 0);
        if (kind == 1)
            racket.geometry = mote_mesh_add(world, &view);
        mote_shape_id shape = mote_shape_add(world, &racket);
        must_exist(shape);
        mote_particle_id ids[9];
        for (int i = 0; i < 9; i++)
            ids[i] = add_particle(
                world, vec(0.3f * (float)(i % 3) - 0.3f, 0.1f * (float)i, 0.3f * (float)(i / 3) - 0.3f),
                vec(0, 0, 0), (mote_material_id){0, 0});
        for (int frame = 1; frame <= 6; frame++) {
            must(mote_shape_move_to(world, shape, vec(0, 3 - 1.6667f * (float)frame, 0),
                                    (mote_quat){0, 0, 0, 1}));
            must(mote_world_step(world, TEST_FRAME));
        }
        for (int i = 0; i < 9; i++)
            check_below((double)state_of(world, ids[i]).position.y, 3 - 1.6667 * 6,
                        "particle %d below racket %d", i, kind);
        mesh_free(&floor);
        mote_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_passes_a_torus),        cmocka_unit_test(nobody_passes_a_room),
        cmocka_unit_test(nobody_passes_in_one_substep), cmocka_unit_test(thin_boxes_stop),
        cmocka_unit_test(moving_shapes_take_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
