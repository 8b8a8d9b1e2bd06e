/* Grains and shapes: a bowl that is a triangle mesh, a box that turns with grains inside, and hills that are a
 * height field. The program counts every second how many grains are where, and fails if one is lost.
 *
 *     cc shapes.c $(pkg-config --cflags --libs mote) -lm -o shapes && ./shapes */
#include <mote/mote.h>

#include <math.h>
#include <stdio.h>

#define FRAME   (1.0f / 60.0f) /* s */
#define SECONDS 4
#define SIDE    8                    /* grains along each edge of a block */
#define BLOCK   (SIDE * SIDE * SIDE) /* grains of each place */
#define NODES   33                   /* along each edge of the bowl and of the hills */
#define SPIN    0.8f                 /* rad/s, of the box */
#define HALF    0.6f                 /* m, half of the box's edge */

static const mote_vec3 BOX = {4.0f, 1.0f, 0.0f};     /* its centre */
static const mote_vec3 HILLS = {-6.0f, 0.0f, -1.6f}; /* where the height field begins */

static bool succeeded(mote_result result)
{
    if (result != MOTE_OK)
        fprintf(stderr, "%s\n", mote_last_error());
    return result == MOTE_OK;
}

/* y = x^2 + z^2 over a square of 2 m: a thin sheet, which holds grains on both sides. */
static mote_geometry_id make_bowl(mote_world *world)
{
    static mote_vec3 vertices[NODES * NODES];
    static uint32_t triangles[(NODES - 1) * (NODES - 1) * 6];
    size_t used = 0;
    for (uint32_t i = 0; i < NODES * NODES; i++) {
        float x = 2.0f * (float)(i % NODES) / (NODES - 1) - 1.0f,
              z = 2.0f * (float)(i / NODES) / (NODES - 1) - 1.0f;
        vertices[i] = (mote_vec3){x, x * x + z * z, z};
        if (i % NODES == NODES - 1 || i / NODES == NODES - 1)
            continue;
        const uint32_t two[6] = {i, i + NODES + 1, i + 1, i, i + NODES, i + NODES + 1};
        for (int k = 0; k < 6; k++)
            triangles[used++] = two[k];
    }
    mote_mesh mesh = {vertices, NODES * NODES, triangles, used / 3};
    return mote_mesh_add(world, &mesh);
}

/* Of the hills, with u and v from -1 to 1 across them: a hill in the middle and a rim around. */
static float height_at(float u, float v)
{
    float middle = (1.0f - u * u) * (1.0f - v * v);
    return 0.2f * middle * middle + u * u * u * u + v * v * v * v;
}

static mote_geometry_id make_hills(mote_world *world)
{
    static float heights[NODES * NODES];
    for (int i = 0; i < NODES * NODES; i++)
        heights[i] = height_at((float)(i % NODES) / 16.0f - 1.0f, (float)(i / NODES) / 16.0f - 1.0f);
    mote_heightfield_def def = {NODES, NODES, 0.1f, heights};
    return mote_heightfield_add(world, &def);
}

static mote_result add_grains(mote_world *world, float x, float y, float z)
{
    mote_grains_def grains = mote_default_grains_def();
    for (int axis = 0; axis < 3; axis++)
        grains.count[axis] = SIDE;
    grains.origin = (mote_vec3){x - 0.35f, y, z - 0.35f};
    grains.radius_spread = 0.2f;
    return mote_grains_block(world, &grains, NULL);
}

static mote_result fill(mote_world *world, mote_shape_id *box)
{
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_GEOMETRY;
    def.geometry = make_bowl(world);
    if (mote_is_null(mote_shape_add(world, &def)))
        return mote_last_result();
    def.geometry = make_hills(world);
    def.position = HILLS;
    if (mote_is_null(mote_shape_add(world, &def)))
        return mote_last_result();
    def.type = MOTE_SHAPE_BOX;
    def.inside = true; /* a container */
    def.position = BOX;
    def.half_extents = (mote_vec3){HALF, HALF, HALF};
    *box = mote_shape_add(world, &def);
    if (mote_is_null(*box))
        return mote_last_result();
    mote_result result = add_grains(world, 0.0f, 0.6f, 0.0f);
    result = result == MOTE_OK ? add_grains(world, BOX.x, BOX.y - 0.4f, BOX.z) : result;
    return result == MOTE_OK ? add_grains(world, HILLS.x + 1.6f, 0.4f, HILLS.z + 1.6f) : result;
}

/* Whether a grain's centre is above the bowl, in the box as it is turned now, or above the hills. */
static int place_of(mote_vec4 x, float angle)
{
    if (fabsf(x.x) < 1.0f && fabsf(x.z) < 1.0f)
        return x.y > x.x * x.x + x.z * x.z ? 0 : 3;
    float u = (x.x - HILLS.x) / 1.6f - 1.0f, v = (x.z - HILLS.z) / 1.6f - 1.0f;
    if (fabsf(u) < 1.0f && fabsf(v) < 1.0f)
        return x.y > height_at(u, v) ? 2 : 3;
    float across = x.x - BOX.x, up = x.y - BOX.y;
    float a = cosf(angle) * across + sinf(angle) * up, b = cosf(angle) * up - sinf(angle) * across;
    return fabsf(a) < HALF && fabsf(b) < HALF && fabsf(x.z - BOX.z) < HALF ? 1 : 3;
}

static bool all_in_their_places(mote_world *world, float angle)
{
    mote_particles_view view = mote_particles_get_view(world);
    int counts[4] = {0};
    for (size_t i = 0; i < view.count; i++)
        counts[place_of(view.position[i], angle)]++;
    printf("%6.2f %12d %12d %12d %12d\n", mote_world_time(world), counts[0], counts[1], counts[2], counts[3]);
    return counts[0] == BLOCK && counts[1] == BLOCK && counts[2] == BLOCK;
}

int main(void)
{
    mote_world_def def = mote_default_world_def();
    mote_world *world;
    mote_shape_id box;
    if (!succeeded(mote_world_create(&def, &world)))
        return 1;
    bool good = succeeded(fill(world, &box));
    puts("time s      in bowl       in box     on hills         lost");
    for (int frame = 0; good && frame <= SECONDS * 60; frame++) {
        float angle = SPIN * FRAME * (float)frame;
        mote_quat turned = {0.0f, 0.0f, sinf(0.5f * angle), cosf(0.5f * angle)};
        if (frame > 0) /* where the box is to be at the end of the step: it turns on the way and takes along */
            good = succeeded(mote_shape_move_to(world, box, BOX, turned)) &&
                   succeeded(mote_world_step(world, FRAME));
        if (good && frame % 60 == 0)
            good = all_in_their_places(world, angle);
    }
    mote_world_destroy(world);
    return good ? 0 : 1;
}
