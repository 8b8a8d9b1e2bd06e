#include "support.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void skip_unmet(void)
{
    if (!test_is_long())
        skip();
}

bool test_is_long(void)
{
    const char *wish = getenv("MOTE_LONG");
    return wish != NULL && strcmp(wish, "0") != 0 && *wish != '\0';
}

/* ---- checks --------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 0))) static void fail_with(const char *file, int line, const char *numbers,
                                                            const char *format, va_list arguments)
{
    char what[512];
    vsnprintf(what, sizeof what, format, arguments);
    print_error("%s: %s\n", what, numbers);
    _fail(file, line);
}

void check_near_at(const char *file, int line, double measured, double expected, double tolerance,
                   const char *format, ...)
{
    /* Written so that a NaN fails. */
    if (fabs(measured - expected) <= tolerance)
        return;
    char numbers[160];
    snprintf(numbers, sizeof numbers, "measured %.9g, expected %.9g +- %.3g (off by %.3g)", measured, expected,
             tolerance, measured - expected);
    va_list arguments;
    va_start(arguments, format);
    fail_with(file, line, numbers, format, arguments);
    va_end(arguments);
}

void check_below_at(const char *file, int line, double measured, double bound, const char *format, ...)
{
    if (measured <= bound)
        return;
    char numbers[160];
    snprintf(numbers, sizeof numbers, "measured %.9g, expected at most %.9g", measured, bound);
    va_list arguments;
    va_start(arguments, format);
    fail_with(file, line, numbers, format, arguments);
    va_end(arguments);
}

void check_above_at(const char *file, int line, double measured, double bound, const char *format, ...)
{
    if (measured >= bound)
        return;
    char numbers[160];
    snprintf(numbers, sizeof numbers, "measured %.9g, expected at least %.9g", measured, bound);
    va_list arguments;
    va_start(arguments, format);
    fail_with(file, line, numbers, format, arguments);
    va_end(arguments);
}

void check_true_at(const char *file, int line, bool condition, const char *text, const char *format, ...)
{
    if (condition)
        return;
    char numbers[160];
    snprintf(numbers, sizeof numbers, "not true: %s", text);
    va_list arguments;
    va_start(arguments, format);
    fail_with(file, line, numbers, format, arguments);
    va_end(arguments);
}

void must_at(const char *file, int line, mote_result result, const char *call)
{
    if (result == MOTE_OK)
        return;
    print_error("%s: %s (%s)\n", call, mote_last_error(), mote_result_text(result));
    _fail(file, line);
}

/* ---- worlds --------------------------------------------------------------------------------------------- */

mote_world_def test_world_def(const mote_settings *settings)
{
    mote_world_def def = mote_default_world_def();
    def.radius = TEST_RADIUS;
    def.thread_count = 1;
    if (settings)
        def.settings = *settings;
    return def;
}

mote_world *test_world(const mote_settings *settings)
{
    mote_world_def def = test_world_def(settings);
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    return world;
}

mote_world *twin_of(const mote_world *world)
{
    mote_world_def def = test_world_def(NULL);
    def.number = mote_world_number(world);
    mote_world *twin = NULL;
    must(mote_world_create(&def, &twin));
    return twin;
}

mote_settings weightless(void)
{
    mote_settings settings = mote_default_settings();
    settings.gravity = vec(0, 0, 0);
    return settings;
}

void step_times(mote_world *world, uint32_t count, float dt)
{
    for (uint32_t i = 0; i < count; ++i)
        must(mote_world_step(world, dt));
}

mote_material_id add_material(mote_world *world, float static_friction, float kinetic_friction,
                              float restitution)
{
    mote_material_def def = mote_default_material_def();
    def.static_friction = static_friction;
    def.kinetic_friction = kinetic_friction;
    def.restitution = restitution;
    mote_material_id material = mote_material_add(world, &def);
    must_exist(material);
    return material;
}

mote_shape_id add_floor(mote_world *world, mote_material_id material)
{
    mote_plane_def def = mote_default_plane_def();
    def.material = material;
    mote_shape_id floor = mote_plane_add(world, &def);
    must_exist(floor);
    return floor;
}

mote_particle_id add_particle(mote_world *world, mote_vec3 position, mote_vec3 velocity,
                              mote_material_id material)
{
    mote_particle_def def = mote_default_particle_def();
    def.position = position;
    def.velocity = velocity;
    def.material = material;
    mote_particle_id particle = mote_particle_add(world, &def);
    must_exist(particle);
    return particle;
}

mote_particle_state state_of(const mote_world *world, mote_particle_id particle)
{
    mote_particle_state state;
    must(mote_particle_get(world, particle, &state));
    return state;
}

mote_stats stats_of(mote_world *world)
{
    mote_stats stats;
    must(mote_world_stats(world, &stats));
    return stats;
}

size_t event_count(const mote_world *world, mote_event_type type)
{
    mote_events events = mote_world_events(world);
    size_t count = 0;
    for (size_t i = 0; i < events.count; ++i)
        count += events.items[i].type == type;
    return count;
}

void add_box(mote_world *world, float half_width, mote_material_id material)
{
    static const mote_vec3 inward[] = {{0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    for (size_t i = 0; i < sizeof inward / sizeof inward[0]; ++i) {
        mote_plane_def def = mote_default_plane_def();
        def.normal = inward[i];
        def.offset = i == 0 ? 0.0f : -half_width;
        def.material = material;
        must_exist(mote_plane_add(world, &def));
    }
}

mote_world *tumbling_world(const mote_world_def *def, uint32_t nx, uint32_t ny, uint32_t nz)
{
    mote_world *world = NULL;
    must(mote_world_create(def, &world));
    mote_material_id none = {0};
    add_box(world, (float)(nx > nz ? nx : nz) * 1.3f * def->radius, none);
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = nx;
    grains.count[1] = ny;
    grains.count[2] = nz;
    grains.origin = vec(-(float)nx * def->radius, 3 * def->radius, -(float)nz * def->radius);
    grains.radius_spread = 0.2f;
    grains.jitter = 0.1f;
    grains.velocity = vec(0.5f, 0, 0.25f);
    must(mote_grains_block(world, &grains, NULL));
    return world;
}

/* ---- vectors and random numbers ------------------------------------------------------------------------- */

double length_of(mote_vec3 v)
{
    return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
}

double distance_of(mote_vec3 a, mote_vec3 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

/* Knuth's 64-bit linear congruence; the high bits are the good ones. */
float random_between(uint64_t *state, float low, float high)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    float unit = (float)(*state >> 40) * (1.0f / 16777216.0f);
    return low + (high - low) * unit;
}

/* ---- an allocator that counts ---------------------------------------------------------------------------
 * A block lies between two guards. The first has its size, so that a release with another size is noticed; the
 * second is filled with a pattern, so that writing past the end is. */

enum { GUARD = 64, GUARD_BYTE = 0x5A };

static void *heap_allocate(void *user, size_t size, size_t alignment)
{
    test_heap *heap = user;
    ++heap->calls;
    if (heap->fail_at && (heap->calls == heap->fail_at || (heap->fail_onwards && heap->calls > heap->fail_at)))
        return NULL;
    if (alignment == 0 || alignment > GUARD || (alignment & (alignment - 1)) != 0)
        abort();
    char *base = aligned_alloc(GUARD, GUARD + (size + GUARD - 1) / GUARD * GUARD + GUARD);
    if (!base)
        abort();
    *(size_t *)base = size;
    memset(base + GUARD, heap->fill, size);
    memset(base + GUARD + size, GUARD_BYTE, GUARD);
    ++heap->live_blocks;
    heap->live_bytes += size;
    return base + GUARD;
}

static bool guard_is_broken(const unsigned char *guard)
{
    for (int i = 0; i < GUARD; ++i)
        if (guard[i] != GUARD_BYTE)
            return true;
    return false;
}

static void heap_release(void *user, void *block, size_t size)
{
    test_heap *heap = user;
    if (!block)
        return;
    char *base = (char *)block - GUARD;
    size_t asked = *(size_t *)base;
    heap->wrong_sizes += asked != size;
    heap->overruns += guard_is_broken((unsigned char *)block + asked);
    --heap->live_blocks;
    heap->live_bytes -= asked;
    free(base);
}

mote_allocator heap_allocator(test_heap *heap)
{
    return (mote_allocator){heap_allocate, heap_release, heap};
}

void check_same_hashes(uint64_t (*hash_with)(uint32_t threads, mote_simd level))
{
    static const uint32_t threads[3] = {2, 3, 5};
    static const mote_simd levels[3] = {MOTE_SIMD_BASELINE, MOTE_SIMD_AVX2, MOTE_SIMD_AVX512};
    uint64_t first = hash_with(1, MOTE_SIMD_AUTO);
    for (int k = 0; k < 3; k++) {
        mote_simd level = mote_simd_supported(levels[k]) ? levels[k] : MOTE_SIMD_AUTO;
        check_true(hash_with(threads[k], level) == first, "%u threads", threads[k]);
    }
}
