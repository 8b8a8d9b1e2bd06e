/* The smallest user of Mote: a particle falls for a second. Valid as C and as C++. */
#include <mote/mote.h>

#include <stdio.h>

int main(void)
{
    mote_world_def world_def = mote_default_world_def();
    mote_particle_def particle_def = mote_default_particle_def();
    mote_particle_state state;
    mote_world *world;

    if (mote_world_create(&world_def, &world) != MOTE_OK)
        return 1;
    mote_particle_id particle = mote_particle_add(world, &particle_def);
    for (int frame = 0; frame < 60; frame++) {
        if (mote_world_step(world, 1.0f / 60.0f) != MOTE_OK)
            return 1;
    }
    if (mote_particle_get(world, particle, &state) != MOTE_OK)
        return 1;
    printf("height after %.3f s: %.3f m\n", mote_world_time(world), state.position.y);
    mote_world_destroy(world);
    return state.position.y < -4.0f ? 0 : 1;
}
