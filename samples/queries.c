/* A lidar over a heap: rays straight down measure its profile. Then the highest grain is picked and lifted off.
 *
 *     cc queries.c $(pkg-config --cflags --libs mote) -lm -o queries && ./queries */
#include <mote/mote.h>

#include <math.h>
#include <stdio.h>

#define FRAME (1.0f / 60.0f) /* s */
#define RAYS  25
#define EYE   3.0f /* m, the height of the lidar */
#define LIFT  0.5f /* m */

static bool succeeded(mote_result result)
{
    if (result != MOTE_OK)
        fprintf(stderr, "%s\n", mote_last_error());
    return result == MOTE_OK;
}

static bool make_heap(mote_world *world)
{
    mote_plane_def floor_def = mote_default_plane_def();
    mote_grains_def block = mote_default_grains_def();
    block.jitter = 0.15f; /* loose: on a lattice friction would hold every grain where it is */
    block.spacing = 2.0f * 0.05f / (1.0f - 2.0f * block.jitter);
    block.origin = (mote_vec3){-4.5f * block.spacing, 0.1f, -4.5f * block.spacing};
    block.radius_spread = 0.2f;
    if (mote_is_null(mote_plane_add(world, &floor_def)) || !succeeded(mote_grains_block(world, &block, NULL)))
        return false;
    for (int frame = 0; frame < 120; frame++)
        if (!succeeded(mote_world_step(world, FRAME)))
            return false;
    return true;
}

/* What a ray says must agree with what the particle says. */
static bool hit_is_true(const mote_world *world, const mote_ray_hit *hit)
{
    if (!hit->hit)
        return false; /* there is a floor everywhere */
    if (!mote_is_null(hit->shape))
        return fabsf(hit->point.y) < 1e-5f;
    mote_particle_state grain;
    if (!succeeded(mote_particle_get(world, hit->particle, &grain)))
        return false;
    float x = hit->point.x - grain.position.x, y = hit->point.y - grain.position.y,
          z = hit->point.z - grain.position.z;
    return fabsf(sqrtf(x * x + y * y + z * z) - grain.radius) < 1e-5f && y > 0.0f;
}

/* Prints the profile; *top gets the highest grain that the rays met. */
static bool scan(const mote_world *world, mote_ray_hit *top)
{
    mote_ray rays[RAYS];
    mote_ray_hit hits[RAYS];
    for (int i = 0; i < RAYS; i++)
        rays[i] = (mote_ray){{0.1f * (float)(i - RAYS / 2), EYE, 0.0f}, {0.0f, -1.0f, 0.0f}, 10.0f};
    if (!succeeded(mote_ray_cast(world, rays, RAYS, NULL, hits)))
        return false;
    puts("   x m   height m");
    *top = hits[0];
    for (int i = 0; i < RAYS; i++) {
        if (!hit_is_true(world, &hits[i]))
            return false;
        printf("%6.2f %10.3f  ", (double)hits[i].point.x, (double)hits[i].point.y);
        for (float y = 0.0f; y < hits[i].point.y - 0.01f; y += 0.025f)
            putchar('#');
        putchar('\n');
        if (!mote_is_null(hits[i].particle) && hits[i].point.y > top->point.y)
            *top = hits[i];
    }
    return true;
}

/* Draws a grain up with a pick; afterwards the pick carries its weight. */
static bool lift(mote_world *world, mote_particle_id id)
{
    mote_particle_state grain;
    if (!succeeded(mote_particle_get(world, id, &grain)))
        return false;
    mote_vec3 target = grain.position;
    mote_pick_def def = mote_default_pick_def();
    def.particle = id;
    def.target = target;
    mote_pick_id pick = mote_pick_add(world, &def);
    for (int frame = 1; frame <= 240; frame++) {
        float part = frame < 60 ? (float)frame / 60.0f : 1.0f;
        mote_vec3 next = {target.x, target.y + LIFT * part, target.z};
        if (!succeeded(mote_pick_set_target(world, pick, next)) || !succeeded(mote_world_step(world, FRAME)))
            return false;
    }
    mote_vec3 force;
    mote_particle_state lifted;
    if (!succeeded(mote_pick_force(world, pick, &force)) || !succeeded(mote_particle_get(world, id, &lifted)))
        return false;
    double weight = 9.81 * (double)grain.mass;
    printf("lifted by %.3f m; the pick pulls with %.3f N, the grain weighs %.3f N\n",
           (double)(lifted.position.y - target.y), (double)force.y, weight);
    return fabsf(lifted.position.y - target.y - LIFT) < 0.001f &&
           fabs((double)force.y - weight) < 0.01 * weight;
}

/* Only the lifted grain may be near its new place. */
static bool is_alone(const mote_world *world, mote_particle_id id)
{
    mote_particle_state grain;
    mote_particle_id found[2];
    mote_overlap_result near = {.particles = found, .particle_capacity = 2};
    if (!succeeded(mote_particle_get(world, id, &grain)) ||
        !succeeded(mote_overlap_sphere(world, grain.position, 0.1f, NULL, &near)))
        return false;
    printf("within 0.1 m of it: %zu grain, %zu shapes\n", near.particle_count, near.shape_count);
    return near.particle_count == 1 && found[0].index == id.index && near.shape_count == 0;
}

int main(void)
{
    mote_world_def def = mote_default_world_def();
    mote_world *world;
    if (!succeeded(mote_world_create(&def, &world)))
        return 1;
    mote_ray_hit top;
    bool good = make_heap(world) && scan(world, &top) && !mote_is_null(top.particle) &&
                lift(world, top.particle) && is_alone(world, top.particle);
    mote_world_destroy(world);
    return good ? 0 : 1;
}
