#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAME (1.0f / 60.0f) /* s */

void fuzz_require(bool condition, const char *text)
{
    if (condition)
        return;
    fprintf(stderr, "this must hold, but does not: %s\nthe last error was: %s\n", text, mote_last_error());
    abort();
}

/* ---- bytes ---------------------------------------------------------------------------------------------- */

uint8_t fuzz_byte(fuzz_bytes *bytes)
{
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->at++;
}

uint32_t fuzz_word(fuzz_bytes *bytes)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word |= (uint32_t)fuzz_byte(bytes) << 8 * i;
    return word;
}

uint32_t fuzz_below(fuzz_bytes *bytes, uint32_t below)
{
    uint32_t number = fuzz_byte(bytes);
    if (below > 256)
        number |= (uint32_t)fuzz_byte(bytes) << 8;
    return number % below;
}

float fuzz_special(uint8_t which)
{
    static const float numbers[] = {
        0.0f,  -0.0f,   1.0f,  -1.0f,  NAN,   INFINITY, -INFINITY, FLT_MAX, -FLT_MAX,     FLT_MIN,
        1e-6f, 1e6f,    -1e6f, 1e9f,   1e12f, 1e19f,    1e30f,     1e-30f,  FLT_TRUE_MIN, 999999.94f,
        1e4f,  1.1e-6f, 1e-3f, 1e-12f, -1e9f, -1e12f,   2e9f,      4.3e9f,  1.9e19f,      3e38f,
    };
    return numbers[which % (sizeof numbers / sizeof *numbers)];
}

float fuzz_float(fuzz_bytes *bytes)
{
    uint8_t kind = fuzz_byte(bytes);
    if (kind < 192)
        return ((float)kind - 96.0f) / 32.0f; /* -3 .. 3 */
    if (kind < 240)
        return fuzz_special(kind - 192);
    uint32_t bits = fuzz_word(bytes);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

mote_vec3 fuzz_vec3(fuzz_bytes *bytes)
{
    float x = fuzz_float(bytes), y = fuzz_float(bytes), z = fuzz_float(bytes);
    return (mote_vec3){x, y, z};
}

/* ---- worlds --------------------------------------------------------------------------------------------- */

mote_world *fuzz_world(void)
{
    mote_world_def def = mote_default_world_def();
    def.max_particles = FUZZ_MAX_PARTICLES;
    def.thread_count = 1;
    mote_world *world;
    fuzz_require(mote_world_create(&def, &world) == MOTE_OK, "a plain world can be made");
    return world;
}

static void lower_settings(mote_world *world)
{
    mote_settings s = mote_world_settings(world);
    s.substeps = 1 + s.substeps % 3;
    s.iterations = 1 + s.iterations % 3;
    s.stabilization_iterations %= 3;
    fuzz_require(mote_world_set_settings(world, &s) == MOTE_OK, "the world's own settings are accepted");
}

static void take_step(mote_world *world)
{
    uint64_t before = mote_world_hash(world);
    if (mote_world_step(world, FRAME) != MOTE_OK) {
        fuzz_require(mote_world_hash(world) == before, "a step that fails leaves the world as it was");
        return;
    }
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++) {
        mote_vec4 x = view.position[i], v = view.velocity[i];
        fuzz_require(isfinite(x.x) && isfinite(x.y) && isfinite(x.z), "positions are finite after a step");
        fuzz_require(isfinite(v.x) && isfinite(v.y) && isfinite(v.z), "velocities are finite after a step");
    }
}

static void ask(const mote_world *world)
{
    static const mote_ray rays[] = {{{0.0f, 5.0f, 0.0f}, {0.0f, -1.0f, 0.0f}, 20.0f},
                                    {{-4.0f, 0.1f, 0.2f}, {1.0f, 0.0f, 0.0f}, 1e7f},
                                    {{0.1f, 0.1f, 0.1f}, {0.3f, -0.2f, 0.9f}, 100.0f}};
    enum { RAYS = sizeof rays / sizeof *rays, MOST = 8 };
    mote_ray_hit hits[RAYS];
    fuzz_require(mote_ray_cast(world, rays, RAYS, NULL, hits) == MOTE_OK, "rays can be cast");
    for (int i = 0; i < RAYS; i++)
        fuzz_require(!hits[i].hit || (hits[i].distance >= 0 && hits[i].distance <= rays[i].length),
                     "a hit is on its ray");
    mote_particle_id particles[MOST];
    mote_shape_id shapes[MOST];
    mote_overlap_result found = {particles, MOST, 0, shapes, MOST, 0};
    fuzz_require(mote_overlap_sphere(world, (mote_vec3){0.1f, 0.2f, 0.3f}, 0.7f, NULL, &found) == MOTE_OK,
                 "what overlaps a ball can be found");
    fuzz_require(mote_overlap_box(world, (mote_vec3){-1.0f, -1.0f, -1.0f}, (mote_vec3){0.5f, 0.5f, 0.5f}, NULL,
                                  &found) == MOTE_OK,
                 "what overlaps a box can be found");
}

/* To an address that fits no number: a snapshot may lie anywhere. */
static void restore_own_snapshot(mote_world *world)
{
    size_t capacity = mote_snapshot_size(world), size = 0;
    char *block = malloc(capacity + 1);
    fuzz_require(block != NULL, "there is memory for a snapshot");
    fuzz_require(mote_snapshot_take(world, block + 1, capacity, &size) == MOTE_OK && size == capacity,
                 "a snapshot can be taken");
    uint64_t before = mote_world_hash(world);
    fuzz_require(mote_snapshot_restore(world, block + 1, size) == MOTE_OK,
                 "a world's own snapshot is accepted");
    fuzz_require(mote_world_hash(world) == before, "a restored world has the same bits");
    free(block);
}

void fuzz_exercise(mote_world *world)
{
    lower_settings(world);
    restore_own_snapshot(world);
    take_step(world);
    take_step(world);
    ask(world);
    mote_stats stats;
    (void)mote_world_stats(world, &stats);
    restore_own_snapshot(world);
}

/* ---- child processes ------------------------------------------------------------------------------------ */

#ifdef MOTE_WITH_LIBFUZZER
void __sanitizer_set_death_callback(void (*callback)(void));

static void silence(void)
{
    static const int deadly[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGXCPU, SIGTERM, SIGALRM};
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        signal(deadly[i], SIG_DFL);
    __sanitizer_set_death_callback(NULL);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
}

void fuzz_silence_children(void)
{
    static bool done;
    if (!done)
        pthread_atfork(NULL, NULL, silence);
    done = true;
}
#else
void fuzz_silence_children(void)
{
}
#endif
