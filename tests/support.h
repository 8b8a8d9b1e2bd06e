/* What the tests share: checks that print the measured number beside the expected one, short ways to make small
 * worlds, an allocator that counts and can fail, and random numbers. */
#ifndef MOTE_TESTS_SUPPORT_H
#define MOTE_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mote/mote.h"

#define TEST_PI      3.14159265358979323846
#define TEST_FRAME   (1.0f / 60.0f) /* s, the usual step */
#define TEST_RADIUS  0.05f          /* m, of every particle unless a test says otherwise */
#define TEST_GRAVITY 9.81           /* m/s^2, the size of the default gravity */

/* Builds that a sanitizer makes slower, the one for addresses about five times, the one for threads about fifty
 * times: long tests are shorter there. */
#if defined(__SANITIZE_THREAD__)
#define TEST_UNDER_THREAD_SANITIZER 1
#elif defined(__SANITIZE_ADDRESS__)
#define TEST_UNDER_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_UNDER_THREAD_SANITIZER 1
#elif __has_feature(address_sanitizer)
#define TEST_UNDER_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(TEST_UNDER_THREAD_SANITIZER)
#define TEST_BY_BUILD(plain, address_sanitizer, thread_sanitizer) (thread_sanitizer)
#elif defined(TEST_UNDER_ADDRESS_SANITIZER)
#define TEST_BY_BUILD(plain, address_sanitizer, thread_sanitizer) (address_sanitizer)
#else
#define TEST_BY_BUILD(plain, address_sanitizer, thread_sanitizer) (plain)
#endif

/* Whether MOTE_LONG=1 stands in the environment, as `make test-long` has it: tests that have a longer version run
 * that. */
bool test_is_long(void);
/* Skips a case that is known to fail but in the long version, where it still fails: docs/validation.md lists them. */
void skip_unmet(void);

/* ---- checks: the text after the numbers is a printf format with its arguments --------------------------- */

#define check_near(measured, expected, tolerance, ...)                                                         \
    check_near_at(__FILE__, __LINE__, (measured), (expected), (tolerance), __VA_ARGS__)
#define check_below(measured, bound, ...) check_below_at(__FILE__, __LINE__, (measured), (bound), __VA_ARGS__)
#define check_above(measured, bound, ...) check_above_at(__FILE__, __LINE__, (measured), (bound), __VA_ARGS__)
#define check_true(condition, ...)        check_true_at(__FILE__, __LINE__, (condition), #condition, __VA_ARGS__)

/* The call must answer MOTE_OK; otherwise the test fails with the library's own words. */
#define must(call) must_at(__FILE__, __LINE__, (call), #call)

/* The handle must not be null. */
#define must_exist(id) must_at(__FILE__, __LINE__, mote_is_null(id) ? mote_last_result() : MOTE_OK, #id)

void check_near_at(const char *file, int line, double measured, double expected, double tolerance,
                   const char *format, ...) __attribute__((format(printf, 6, 7)));
void check_below_at(const char *file, int line, double measured, double bound, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void check_above_at(const char *file, int line, double measured, double bound, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void check_true_at(const char *file, int line, bool condition, const char *text, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void must_at(const char *file, int line, mote_result result, const char *call);

/* ---- worlds --------------------------------------------------------------------------------------------- */

/* A definition with TEST_RADIUS and one thread; NULL settings mean the defaults. */
mote_world_def test_world_def(const mote_settings *settings);
mote_world *test_world(const mote_settings *settings);
/* With the number of another, so that handles of one are handles of the other. */
mote_world *twin_of(const mote_world *world);

/* The defaults without gravity. */
mote_settings weightless(void);

/* `count` steps of `dt` seconds, each of which must succeed. */
void step_times(mote_world *world, uint32_t count, float dt);

/* A material of which only these matter. */
mote_material_id add_material(mote_world *world, float static_friction, float kinetic_friction,
                              float restitution);

/* The plane y = 0, looking up. A null material means the world's default. */
mote_shape_id add_floor(mote_world *world, mote_material_id material);

/* A particle of 1 kg and TEST_RADIUS. A null material means the world's default. */
mote_particle_id add_particle(mote_world *world, mote_vec3 position, mote_vec3 velocity,
                              mote_material_id material);

mote_particle_state state_of(const mote_world *world, mote_particle_id particle);
mote_stats stats_of(mote_world *world);

/* How many events of a type the last step had. */
size_t event_count(const mote_world *world, mote_event_type type);

/* A box without a lid, x and z within +-half_width, its floor at y = 0. */
void add_box(mote_world *world, float half_width, mote_material_id material);

/* A loose block of nx * ny * nz grains falling into such a box: the moving scene of several tests. The radii
 * differ a little, so that no two contacts are alike. */
mote_world *tumbling_world(const mote_world_def *def, uint32_t nx, uint32_t ny, uint32_t nz);

/* ---- vectors -------------------------------------------------------------------------------------------- */

static inline mote_vec3 vec(float x, float y, float z)
{
    return (mote_vec3){x, y, z};
}

double length_of(mote_vec3 v);
double distance_of(mote_vec3 a, mote_vec3 b);

/* ---- numbers that look random and are the same everywhere ----------------------------------------------- */

/* Evenly in [low, high); `state` starts as any number. */
float random_between(uint64_t *state, float low, float high);

/* ---- an allocator that counts --------------------------------------------------------------------------- */

typedef struct test_heap {
    size_t calls;       /* of allocate, successful or not */
    size_t live_blocks; /* not yet released */
    size_t live_bytes;
    size_t fail_at;     /* the call with this number (1, 2, ...) gets NULL; 0: none does */
    bool fail_onwards;  /* and so do all later ones */
    int fill;           /* the byte that new blocks are filled with */
    size_t wrong_sizes; /* releases whose size was not the size asked for */
    size_t overruns;    /* released blocks that were written past their end */
} test_heap;

mote_allocator heap_allocator(test_heap *heap);

/* One thread, and others each with another SIMD level where the machine has it, end with the same hash. */
void check_same_hashes(uint64_t (*hash_with)(uint32_t threads, mote_simd level));

#endif
