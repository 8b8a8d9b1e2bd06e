/* An allocator of the program's own: one block of memory that everything of a world is cut from. The program
 * counts, and shows that steps that go on as before ask for nothing.
 *
 *     cc allocator.c $(pkg-config --cflags --libs mote) -o allocator && ./allocator */
#include <mote/mote.h>

#include <stdio.h>
#include <stdlib.h>

#define FRAME      (1.0f / 60.0f)      /* s */
#define ARENA_SIZE ((size_t)256 << 20) /* bytes */

typedef struct arena {
    unsigned char *memory;
    size_t used; /* blocks lie one behind the other; room comes back when the last ones are given back */
    size_t live, peak;
    size_t allocations, releases;
} arena;

static void *take(void *user, size_t size, size_t alignment)
{
    arena *a = user;
    size_t address = (size_t)(a->memory + a->used), gap = (alignment - address % alignment) % alignment;
    if (gap + size < size || gap + size > ARENA_SIZE - a->used)
        return NULL; /* the world answers MOTE_ERROR_MEMORY and stays as it was */
    void *block = a->memory + a->used + gap;
    a->used += gap + size;
    a->live += size;
    a->peak = a->live > a->peak ? a->live : a->peak;
    a->allocations++;
    return block;
}

static void give_back(void *user, void *block, size_t size)
{
    arena *a = user;
    a->live -= size;
    a->releases++;
    if ((unsigned char *)block + size == a->memory + a->used)
        a->used -= size;
    if (a->live == 0)
        a->used = 0;
}

static bool succeeded(mote_result result)
{
    if (result != MOTE_OK)
        fprintf(stderr, "%s\n", mote_last_error());
    return result == MOTE_OK;
}

static bool step_many(mote_world *world, int frames)
{
    bool good = true;
    for (int i = 0; good && i < frames; i++)
        good = succeeded(mote_world_step(world, FRAME));
    return good;
}

static bool simulate(mote_world *world, arena *a)
{
    mote_plane_def floor_def = mote_default_plane_def();
    mote_grains_def block = mote_default_grains_def();
    for (int axis = 0; axis < 3; axis++)
        block.count[axis] = 14;
    block.radius_spread = 0.2f;
    block.origin.y = 0.05f;
    if (mote_is_null(mote_plane_add(world, &floor_def)) || !succeeded(mote_grains_block(world, &block, NULL)))
        return false;
    if (!step_many(world, 180)) /* the heap comes to rest; lists grow to what they need */
        return false;
    size_t before = a->allocations;
    mote_stats stats;
    if (!step_many(world, 120))
        return false;
    size_t during = a->allocations - before;
    if (!succeeded(mote_world_stats(world, &stats)))
        return false;
    printf("%zu grains, %zu allocations to get going, %zu in 120 steps after that\n", stats.particles, before,
           during);
    printf("peak %.1f MB; the world holds %zu bytes, the arena gave %zu\n", (double)a->peak / 1e6, stats.memory,
           a->live);
    return during == 0 && stats.memory == a->live;
}

int main(void)
{
    arena a = {.memory = malloc(ARENA_SIZE)};
    if (a.memory == NULL)
        return 1;
    mote_world_def def = mote_default_world_def();
    def.thread_count = 2;
    def.allocator = (mote_allocator){take, give_back, &a};
    mote_world *world;
    bool good = succeeded(mote_world_create(&def, &world));
    good = good && simulate(world, &a);
    mote_world_destroy(world);
    printf("afterwards %zu of %zu blocks are back\n", a.releases, a.allocations);
    good = good && a.releases == a.allocations && a.live == 0;
    free(a.memory);
    return good ? 0 : 1;
}
