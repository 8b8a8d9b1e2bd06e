#include "bad_input.h"

const float not_finite[3] = {NAN, INFINITY, -INFINITY};

fixture make_fixture(void)
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
