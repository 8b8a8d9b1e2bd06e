/* What every other header needs: results and errors, vectors, handles, and the two services that a host
 * program may provide (memory and tasks). */
#ifndef MOTE_BASE_H
#define MOTE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOTE_VERSION_MAJOR 0
#define MOTE_VERSION_MINOR 1
#define MOTE_VERSION_PATCH 0

#if defined(__GNUC__)
#define MOTE_API __attribute__((visibility("default")))
#else
#define MOTE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- results -------------------------------------------------------------------------------------------
 * Every call that can fail says so: by a mote_result, by a null handle, or by a null pointer. The text that
 * names the fault (which field, which particle, which value) is then in mote_last_error(). A failed call
 * leaves the world as it was. */

/* The one list of results: X(name, text). The enum and the texts are both made from it. */
#define MOTE_RESULT_LIST(X)                                                                                    \
    X(MOTE_OK, "ok")                                                                                           \
    X(MOTE_ERROR_ARGUMENT, "an argument is missing or out of its range")                                       \
    X(MOTE_ERROR_NOT_FINITE, "a value is NaN or infinite")                                                     \
    X(MOTE_ERROR_STALE_HANDLE, "the handle is null, stale or of another world")                                \
    X(MOTE_ERROR_LIMIT, "a limit of the world's definition is reached")                                        \
    X(MOTE_ERROR_MEMORY, "the allocator returned no memory")                                                   \
    X(MOTE_ERROR_BUSY, "the world is inside a step, or inside a callback of its own")                          \
    X(MOTE_ERROR_MESH, "the mesh is not closed, or has too little in it")                                      \
    X(MOTE_ERROR_SNAPSHOT, "the snapshot is damaged, cut short, or of another version")                        \
    X(MOTE_ERROR_UNSUPPORTED, "this machine or build cannot do that")

typedef enum mote_result {
#define MOTE_RESULT_ENUM(name, text) name,
    MOTE_RESULT_LIST(MOTE_RESULT_ENUM)
#undef MOTE_RESULT_ENUM
        MOTE_RESULT_COUNT
} mote_result;

/* The general text of a result, never NULL. */
MOTE_API const char *mote_result_text(mote_result result);

/* What the last failed call on this thread complained about, in words; "" if none failed yet. The text is
 * valid until the next failing call on the same thread. */
MOTE_API const char *mote_last_error(void);

/* The result that belongs to mote_last_error(), for the calls that answer with a null handle. */
MOTE_API mote_result mote_last_result(void);

/* ---- vectors ------------------------------------------------------------------------------------------- */

typedef struct mote_vec3 {
    float x, y, z;
} mote_vec3;

/* Positions and velocities are kept as four floats; the fourth says something of its own (radius, inverse
 * mass), so that one 16-byte load brings what the solver needs. */
typedef struct mote_vec4 {
    float x, y, z, w;
} mote_vec4;

/* A rotation; {0, 0, 0, 1} turns nothing. Given, it may have any length but 0 and is made a unit quaternion;
 * those that the library answers are unit. */
typedef struct mote_quat {
    float x, y, z, w;
} mote_quat;

/* Where something is and how it is turned: its own coordinates x are at position + rotation x. */
typedef struct mote_pose {
    mote_vec3 position; /* m */
    mote_quat rotation;
} mote_pose;

/* ---- handles -------------------------------------------------------------------------------------------
 * A handle is an index with a generation; {0} is null. Once the thing is removed its handles are stale for
 * good: using one is an error (MOTE_ERROR_STALE_HANDLE), in release builds too. So is using one of another world, whose
 * number is in the upper eight bits of the generation (mote_world_number). */

typedef struct mote_particle_id {
    uint32_t index, generation;
} mote_particle_id;
typedef struct mote_material_id {
    uint32_t index, generation;
} mote_material_id;
typedef struct mote_shape_id {
    uint32_t index, generation;
} mote_shape_id;
typedef struct mote_field_id {
    uint32_t index, generation;
} mote_field_id;
typedef struct mote_volume_id {
    uint32_t index, generation;
} mote_volume_id;
typedef struct mote_emitter_id {
    uint32_t index, generation;
} mote_emitter_id;
typedef struct mote_geometry_id {
    uint32_t index, generation;
} mote_geometry_id;
typedef struct mote_pick_id {
    uint32_t index, generation;
} mote_pick_id;
typedef struct mote_body_id {
    uint32_t index, generation;
} mote_body_id;
typedef struct mote_joint_id {
    uint32_t index, generation;
} mote_joint_id;
typedef struct mote_constraint_id {
    uint32_t index, generation;
} mote_constraint_id;
typedef struct mote_skeleton_id {
    uint32_t index, generation;
} mote_skeleton_id;

/* True for a null handle of any kind: mote_is_null(id). */
#define mote_is_null(id) ((id).generation == 0)

/* ---- services of the host ------------------------------------------------------------------------------ */

/* Memory. Blocks are asked for with an alignment (a power of two, at most 64) and given back with their
 * size. Leave both functions NULL to use the C library's, with large pages once a world is large. The functions
 * must not call into the world. */
typedef struct mote_allocator {
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *block, size_t size);
    void *user;
} mote_allocator;

/* A piece of work: called once for each index in [0, count), from any thread, in any order. */
typedef void mote_task(void *context, uint32_t index);

/* Threads. `run` must call task(context, i) for every i below count, on as many threads as it likes, and
 * return when all are done. Leave `run` NULL to use the library's own pool. Results do not depend on how the
 * calls are spread over threads. */
typedef struct mote_task_system {
    void (*run)(void *user, mote_task *task, void *context, uint32_t count);
    void *user;
    uint32_t worker_count; /* how many tasks can really run at once, at least 1 */
} mote_task_system;

/* The instruction sets that the hot loops are compiled for. All give the same bits. */
typedef enum mote_simd {
    MOTE_SIMD_AUTO,     /* the best that the CPU has, or what the environment's MOTE_SIMD says */
    MOTE_SIMD_BASELINE, /* whatever the compiler targets by default (SSE2 on x86-64) */
    MOTE_SIMD_AVX2,
    MOTE_SIMD_AVX512,
    MOTE_SIMD_COUNT
} mote_simd;

/* "auto", "baseline", "avx2" or "avx512": the names that MOTE_SIMD takes. */
MOTE_API const char *mote_simd_name(mote_simd level);

/* Whether this CPU and this build have the level. */
MOTE_API bool mote_simd_supported(mote_simd level);

/* The number of logical cores that the process may use, at least 1. */
MOTE_API uint32_t mote_core_count(void);

#ifdef __cplusplus
}
#endif

#endif
