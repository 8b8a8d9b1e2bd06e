/* Snapshots: a world is saved, goes on, is rolled back and goes on again, with the same bits; then a new world
 * goes on from the file.
 *
 *     cc snapshot.c $(pkg-config --cflags --libs mote) -o snapshot && ./snapshot */
#include <mote/mote.h>

#include <stdio.h>
#include <stdlib.h>

#define FRAME (1.0f / 60.0f) /* s */

static bool succeeded(mote_result result)
{
    if (result != MOTE_OK)
        fprintf(stderr, "%s\n", mote_last_error());
    return result == MOTE_OK;
}

static bool go_on(mote_world *world, int frames, uint64_t *hash)
{
    for (int i = 0; i < frames; i++)
        if (!succeeded(mote_world_step(world, FRAME)))
            return false;
    *hash = mote_world_hash(world);
    return true;
}

static void print_line(const char *what, const mote_world *world, uint64_t hash)
{
    printf("%-30s %6.2f s   %016llx\n", what, mote_world_time(world), (unsigned long long)hash);
}

static bool fill(mote_world *world)
{
    mote_plane_def floor_def = mote_default_plane_def();
    mote_shape_def wheel = mote_default_shape_def();
    wheel.type = MOTE_SHAPE_BOX;
    wheel.half_extents = (mote_vec3){0.8f, 0.05f, 0.8f};
    wheel.position = (mote_vec3){0.5f, 0.4f, 0.5f};
    wheel.spin = (mote_vec3){0.0f, 0.0f, 3.0f}; /* rad/s: it turns by itself */
    mote_grains_def block = mote_default_grains_def();
    block.origin.y = 1.5f;
    block.radius_spread = 0.2f;
    return !mote_is_null(mote_plane_add(world, &floor_def)) && !mote_is_null(mote_shape_add(world, &wheel)) &&
           succeeded(mote_grains_block(world, &block, NULL));
}

/* Through a file and back. The second copy is read into `loaded`, which has as much room. */
static bool save_and_load(const void *saved, void *loaded, size_t size)
{
    FILE *file = tmpfile(); /* a program would open one of its own, with "wb" and later "rb" */
    if (file == NULL)
        return false;
    bool good = fwrite(saved, 1, size, file) == size && fseek(file, 0, SEEK_SET) == 0 &&
                fread(loaded, 1, size, file) == size;
    return fclose(file) == 0 && good;
}

/* A world of its own that knows nothing yet; threads may differ. */
static bool continue_elsewhere(const void *data, size_t size, uint64_t *hash)
{
    mote_world_def def = mote_default_world_def();
    def.thread_count = 3;
    mote_world *world;
    if (!succeeded(mote_world_create(&def, &world)))
        return false;
    bool good = succeeded(mote_snapshot_restore(world, data, size)) && go_on(world, 60, hash);
    if (good)
        print_line("a new world, from the file:", world, *hash);
    mote_world_destroy(world);
    return good;
}

static bool tell(mote_world *world, unsigned char *saved, unsigned char *loaded, size_t size)
{
    uint64_t then = mote_world_hash(world), first, again, elsewhere;
    if (!succeeded(mote_snapshot_take(world, saved, size, NULL)))
        return false;
    print_line("saved:", world, then);
    if (!go_on(world, 60, &first))
        return false;
    print_line("a second later:", world, first);
    if (!succeeded(mote_snapshot_restore(world, saved, size)) || mote_world_hash(world) != then)
        return false;
    print_line("rolled back:", world, mote_world_hash(world));
    if (!go_on(world, 60, &again))
        return false;
    print_line("a second later again:", world, again);
    if (!save_and_load(saved, loaded, size) || !continue_elsewhere(loaded, size, &elsewhere))
        return false;
    loaded[size / 2] ^= 1; /* one bit of damage */
    if (mote_snapshot_restore(world, loaded, size) == MOTE_OK || mote_world_hash(world) != again)
        return false;
    printf("damaged bytes are refused: %s\n", mote_last_error());
    return first == again && first == elsewhere && first != then;
}

int main(void)
{
    mote_world_def def = mote_default_world_def();
    mote_world *world;
    uint64_t hash;
    if (!succeeded(mote_world_create(&def, &world)))
        return 1;
    bool good = fill(world) && go_on(world, 60, &hash);
    size_t size = mote_snapshot_size(world);
    unsigned char *saved = malloc(size), *loaded = malloc(size);
    good = good && saved != NULL && loaded != NULL && tell(world, saved, loaded, size);
    free(saved);
    free(loaded);
    mote_world_destroy(world);
    return good ? 0 : 1;
}
