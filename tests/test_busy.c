/* Calls from inside a step. The task system and the allocator are called by the world while it works; if they
 * call back into it, each call is an error (busy), and the step goes on as if nothing had happened. */
#include "support.h"

#include <string.h>

typedef struct intruder {
    mote_world *world; /* NULL until there is one */
    mote_particle_id particle;
    mote_shape_id shape;
    const void *snapshot;
    size_t snapshot_size;
    uint32_t calls;
    uint32_t wrong; /* calls that were not refused as busy */
    char first_wrong[64];
    test_heap heap;
} intruder;

static void note(intruder *in, mote_result result, const char *call)
{
    bool busy = result == MOTE_ERROR_BUSY && strstr(mote_last_error(), "busy") != NULL;
    if (!busy && in->wrong++ == 0)
        strncpy(in->first_wrong, call, sizeof in->first_wrong - 1);
}

static mote_result of_handle(uint32_t generation)
{
    return generation == 0 ? mote_last_result() : MOTE_OK;
}

/* Every call that changes a world. */
static void intrude(intruder *in)
{
    mote_world *w = in->world;
    if (w == NULL)
        return;
    ++in->calls;
    mote_particle_def particle = mote_default_particle_def();
    mote_plane_def plane = mote_default_plane_def();
    mote_field_def field = mote_default_field_def();
    mote_volume_def volume = mote_default_volume_def();
    mote_material_def material = mote_default_material_def();
    mote_grains_def grains = mote_default_grains_def();
    mote_settings settings = mote_default_settings();
    note(in, mote_world_step(w, TEST_FRAME), "mote_world_step");
    note(in, mote_world_wake(w), "mote_world_wake");
    note(in, mote_world_set_settings(w, &settings), "mote_world_set_settings");
    note(in, of_handle(mote_particle_add(w, &particle).generation), "mote_particle_add");
    note(in, mote_particles_add(w, &particle, 1, NULL), "mote_particles_add");
    note(in, mote_particle_remove(w, in->particle), "mote_particle_remove");
    note(in, mote_particle_set_position(w, in->particle, vec(0, 9, 0)), "mote_particle_set_position");
    note(in, mote_particle_set_velocity(w, in->particle, vec(0, 9, 0)), "mote_particle_set_velocity");
    note(in, mote_particle_set_phase(w, in->particle, 0), "mote_particle_set_phase");
    note(in, mote_particle_set_mass(w, in->particle, 9), "mote_particle_set_mass");
    note(in, mote_particle_set_fixed(w, in->particle, true, 9), "mote_particle_set_fixed");
    note(in, mote_particle_apply_impulse(w, in->particle, vec(0, 9, 0)), "mote_particle_apply_impulse");
    note(in, of_handle(mote_material_add(w, &material).generation), "mote_material_add");
    note(in, mote_material_set(w, mote_world_default_material(w), &material), "mote_material_set");
    note(in, of_handle(mote_plane_add(w, &plane).generation), "mote_plane_add");
    note(in, mote_plane_set(w, in->shape, &plane), "mote_plane_set");
    note(in, mote_shape_remove(w, in->shape), "mote_shape_remove");
    note(in, of_handle(mote_field_add(w, &field).generation), "mote_field_add");
    note(in, of_handle(mote_volume_add(w, &volume).generation), "mote_volume_add");
    note(in, mote_grains_block(w, &grains, NULL), "mote_grains_block");
    note(in, mote_snapshot_restore(w, in->snapshot, in->snapshot_size), "mote_snapshot_restore");
    mote_world_destroy(w); /* does nothing inside a callback */
}

static void intruding_run(void *user, mote_task *task, void *context, uint32_t count)
{
    intrude(user);
    for (uint32_t i = 0; i < count; ++i)
        task(context, i);
}

static void *intruding_allocate(void *user, size_t size, size_t alignment)
{
    intruder *in = user;
    intrude(in);
    mote_allocator plain = heap_allocator(&in->heap);
    return plain.allocate(plain.user, size, alignment);
}

static void plain_release(void *user, void *block, size_t size)
{
    intruder *in = user;
    mote_allocator plain = heap_allocator(&in->heap);
    plain.release(plain.user, block, size);
}

static mote_world *intruded_world(intruder *in, const mote_world_def *def, const void *snapshot, size_t size)
{
    mote_world *world = tumbling_world(def, 12, 12, 12);
    mote_shape_id shapes[1];
    mote_shape_list(world, shapes, 1);
    in->particle = mote_particles_get_view(world).id[0];
    in->shape = shapes[0];
    in->snapshot = snapshot;
    in->snapshot_size = size;
    return world;
}

/* Steps a world whose callbacks intrude and an equal one whose do not; both must end with the same state. */
static void check_intrusion(bool by_tasks)
{
    mote_world_def def = test_world_def(NULL);
    mote_world *reference = tumbling_world(&def, 12, 12, 12);
    static unsigned char snapshot[400000];
    size_t size = 0;
    must(mote_snapshot_take(reference, snapshot, sizeof snapshot, &size));
    intruder in = {0};
    if (by_tasks)
        def.tasks = (mote_task_system){intruding_run, &in, 4};
    else
        def.allocator = (mote_allocator){intruding_allocate, plain_release, &in};
    mote_world *world = intruded_world(&in, &def, snapshot, size);
    in.world = world;
    step_times(world, 10, TEST_FRAME);
    in.world = NULL;
    step_times(reference, 10, TEST_FRAME);
    check_above(in.calls, 1, "times that the world called back");
    check_true(in.wrong == 0, "%u of the calls were not refused as busy, the first was %s", in.wrong,
               in.first_wrong);
    check_true(mote_world_hash(world) == mote_world_hash(reference),
               "the step went on as if nothing had happened");
    mote_world_destroy(world);
    mote_world_destroy(reference);
    check_near((double)in.heap.live_blocks, 0, 0, "blocks that were not given back");
}

static void from_the_task_system(void **state)
{
    (void)state;
    check_intrusion(true);
}

/* The first step needs its working memory, so the allocator is called inside it. */
static void from_the_allocator(void **state)
{
    (void)state;
    check_intrusion(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_the_task_system),
        cmocka_unit_test(from_the_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
