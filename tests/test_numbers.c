/* Numbers of worlds: handles of another world are refused with an error that says so, in every kind of call; hashes and
 * snapshots do not know the number. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "refused.h"

typedef struct things {
    mote_world *world;
    mote_particle_id particle, others[4];
    mote_material_id material;
    mote_shape_id shape;
    mote_geometry_id geometry;
    mote_field_id field;
    mote_volume_id volume;
    mote_pick_id pick;
    mote_body_id body;
    mote_joint_id joint;
    mote_constraint_id constraint;
} things;

static mote_result result_of(uint32_t generation)
{
    return generation == 0 ? mote_last_result() : MOTE_OK;
}

static mote_world *numbered(uint32_t number)
{
    mote_world_def def = test_world_def(NULL);
    def.number = number;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    return world;
}

static void add_surroundings(things *t)
{
    static const mote_vec3 corners[] = {{0, 0, 0}, {0.4f, 0, 0}, {0, 0.4f, 0}, {0, 0, 0.4f}};
    t->geometry = mote_hull_add(t->world, corners, 4);
    mote_shape_def shape = mote_default_shape_def();
    shape.position = vec(0, -1, 0);
    t->shape = mote_shape_add(t->world, &shape);
    mote_field_def field = mote_default_field_def();
    t->field = mote_field_add(t->world, &field);
    mote_volume_def volume = mote_default_volume_def();
    volume.min = vec(4, 4, 4);
    volume.max = vec(5, 5, 5);
    t->volume = mote_volume_add(t->world, &volume);
}

static things make(uint32_t number)
{
    things t = {.world = numbered(number)};
    mote_material_def material = mote_default_material_def();
    t.material = mote_material_add(t.world, &material);
    t.particle = add_particle(t.world, vec(0, 2, 0), vec(0, 0, 0), t.material);
    for (int i = 0; i < 4; i++)
        t.others[i] = add_particle(t.world, vec(1 + 0.1f * (float)i, 2, 0), vec(0, 0, 0), t.material);
    add_surroundings(&t);
    mote_pick_def pick = mote_default_pick_def();
    pick.particle = t.particle;
    t.pick = mote_pick_add(t.world, &pick);
    mote_body_def body = mote_default_body_def();
    body.particles = t.others;
    body.particle_count = 4;
    t.body = mote_body_add(t.world, &body);
    mote_joint_def joint = mote_default_joint_def();
    joint.a = t.body;
    joint.anchor = vec(1, 2, 0);
    t.joint = mote_joint_add(t.world, &joint);
    mote_constraint_def constraint = mote_default_constraint_def(MOTE_CONSTRAINT_DISTANCE);
    constraint.ends[0] = mote_end_particle(t.particle);
    constraint.ends[1] = mote_end_body(t.body, vec(0, 0, 0));
    t.constraint = mote_constraint_add(t.world, &constraint);
    must_exist(t.constraint);
    must_exist(t.joint);
    must_exist(t.geometry);
    return t;
}

#define names_both(call, word)                                                                                 \
    do {                                                                                                       \
        refused(w, call, MOTE_ERROR_STALE_HANDLE, word);                                                       \
        check_true(strstr(mote_last_error(), "world number 7; this one is number 9") != NULL, "%s",            \
                   mote_last_error());                                                                         \
    } while (0)

/* Both worlds have things of all kinds at the same places, so that nothing but the number tells handles apart. */
static void handles_of_another_world_are_refused(void **state)
{
    (void)state;
    things theirs = make(7), ours = make(9);
    mote_world *w = ours.world;
    mote_particle_state particle;
    mote_material_def material = mote_default_material_def();
    mote_contact contacts[1];
    size_t count;
    names_both(mote_particle_get(w, theirs.particle, &particle), "particle");
    names_both(mote_particle_remove(w, theirs.particle), "particle");
    names_both(mote_particle_set_material(w, ours.particle, theirs.material), "material");
    names_both(mote_material_set(w, theirs.material, &material), "material");
    names_both(mote_shape_remove(w, theirs.shape), "shape");
    names_both(mote_geometry_remove(w, theirs.geometry), "geometry");
    names_both(mote_field_remove(w, theirs.field), "field");
    names_both(mote_volume_remove(w, theirs.volume), "volume");
    names_both(mote_pick_remove(w, theirs.pick), "pick");
    names_both(mote_body_remove(w, theirs.body), "body");
    names_both(mote_joint_remove(w, theirs.joint), "joint");
    names_both(mote_constraint_remove(w, theirs.constraint), "constraint");
    names_both(mote_particle_contacts(w, theirs.particle, contacts, 1, &count), "particle");
    check_true(!mote_particle_is_valid(w, theirs.particle) && mote_particle_is_valid(w, ours.particle),
               "the other world's particle is none of this one");
    mote_world_destroy(theirs.world);
    mote_world_destroy(ours.world);
}

static void definitions_with_such_handles_are_refused(void **state)
{
    (void)state;
    things theirs = make(7), ours = make(9);
    mote_world *w = ours.world;
    mote_pick_def pick = mote_default_pick_def();
    pick.particle = theirs.particle;
    names_both(result_of(mote_pick_add(w, &pick).generation), "pick.particle");
    mote_body_def body = mote_default_body_def();
    body.particles = theirs.others;
    body.particle_count = 4;
    names_both(result_of(mote_body_add(w, &body).generation), "body.particles[0]");
    mote_joint_def joint = mote_default_joint_def();
    joint.a = theirs.body;
    names_both(result_of(mote_joint_add(w, &joint).generation), "joint.a");
    mote_constraint_def constraint = mote_default_constraint_def(MOTE_CONSTRAINT_DISTANCE);
    constraint.ends[0] = mote_end_particle(ours.particle);
    constraint.ends[1] = mote_end_shape(theirs.shape, vec(0, 0, 0));
    names_both(result_of(mote_constraint_add(w, &constraint).generation), "constraint.ends[1].shape");
    mote_particle_def particle = mote_default_particle_def();
    particle.material = theirs.material;
    names_both(result_of(mote_particle_add(w, &particle).generation), "material");
    mote_world_destroy(theirs.world);
    mote_world_destroy(ours.world);
}

/* Of worlds that differ in their number alone, hashes and snapshots are the same; a snapshot of one is restored in the
 * other, and what was made before it there still has its handles. */
static void states_do_not_know_the_number(void **state)
{
    (void)state;
    things a = make(7), b = make(9);
    step_times(a.world, 20, TEST_FRAME);
    step_times(b.world, 20, TEST_FRAME);
    check_true(mote_world_hash(a.world) == mote_world_hash(b.world), "the same hash");
    size_t size = mote_snapshot_size(a.world);
    char *of_a = malloc(size), *of_b = malloc(size);
    assert_true(of_a != NULL && of_b != NULL && mote_snapshot_size(b.world) == size);
    must(mote_snapshot_take(a.world, of_a, size, NULL));
    must(mote_snapshot_take(b.world, of_b, size, NULL));
    check_true(memcmp(of_a, of_b, size) == 0, "the same snapshot");
    step_times(b.world, 5, TEST_FRAME);
    must(mote_snapshot_restore(b.world, of_a, size));
    check_true(mote_world_hash(a.world) == mote_world_hash(b.world), "restored: the same hash");
    check_near(mote_world_number(b.world), 9, 0, "the number stays the world's own");
    check_true(mote_particle_is_valid(b.world, b.particle) && mote_pick_is_valid(b.world, b.pick) &&
                   mote_body_is_valid(b.world, b.body) && mote_constraint_is_valid(b.world, b.constraint) &&
                   mote_joint_is_valid(b.world, b.joint) && mote_shape_is_valid(b.world, b.shape),
               "handles of its own are valid");
    check_true(!mote_particle_is_valid(b.world, a.particle), "those of the other world are not");
    step_times(a.world, 20, TEST_FRAME);
    step_times(b.world, 20, TEST_FRAME);
    check_true(mote_world_hash(a.world) == mote_world_hash(b.world), "20 steps later: the same hash");
    free(of_a);
    free(of_b);
    mote_world_destroy(a.world);
    mote_world_destroy(b.world);
}

static void numbers_are_counted(void **state)
{
    (void)state;
    mote_world *a = test_world(NULL), *b = test_world(NULL);
    check_true(mote_world_number(a) != mote_world_number(b), "two worlds, two numbers");
    check_true(mote_world_number(a) >= 1 && mote_world_number(a) <= 255, "the number %u", mote_world_number(a));
    mote_world_def def = test_world_def(NULL);
    mote_world *none = NULL;
    def.number = 256;
    check_true(mote_world_create(&def, &none) == MOTE_ERROR_ARGUMENT && none == NULL, "256 is refused");
    check_true(strstr(mote_last_error(), "number") != NULL, "and named: %s", mote_last_error());
    mote_world_destroy(a);
    mote_world_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_of_another_world_are_refused),
        cmocka_unit_test(definitions_with_such_handles_are_refused),
        cmocka_unit_test(states_do_not_know_the_number),
        cmocka_unit_test(numbers_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
