/* The world: where everything lives, and the step that moves it. Worlds know nothing of each other; two may be
 * used from two threads at once, one world from one thread at a time. */
#ifndef MOTE_WORLD_H
#define MOTE_WORLD_H

#include "mote/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mote_world mote_world;

/* How contacts are solved: as impulses, which is the default, or as positions, as the papers have it. */
typedef enum mote_solver {
    /* The papers' solvers, for comparison: contacts at position level, cold, with pre-stabilisation. */
    MOTE_SOLVER_JACOBI,       /* all at once, averaged */
    MOTE_SOLVER_GAUSS_SEIDEL, /* one after the other, each sees the last, contacts of particles on one thread */
    MOTE_SOLVER_COLORED,      /* the same by colours, the contacts of a colour in parallel */
    /* Impulses at velocity level: soft, accumulated, warm-started pair by pair, in colours. Carries loads;
     * `iterations` passes a substep (1 is enough with 8 substeps). The default */
    MOTE_SOLVER_IMPULSE,
    MOTE_SOLVER_COUNT
} mote_solver;

/* How velocities and forces become predicted positions. */
typedef enum mote_integrator {
    MOTE_INTEGRATOR_SYMPLECTIC_EULER, /* v += h a; x += h v: the default */
    MOTE_INTEGRATOR_EXPLICIT_EULER,   /* x += h v; v += h a: gains energy, for comparison */
    MOTE_INTEGRATOR_VERLET,           /* half a kick, drift, half a kick: second order */
    MOTE_INTEGRATOR_COUNT
} mote_integrator;

/* What may be changed between any two steps. Lengths given as factors scale with the particles' radii. */
typedef struct mote_settings {
    mote_vec3 gravity;   /* m/s^2; default (0, -9.81, 0) */
    uint32_t substeps;   /* the step is cut into this many, 1..1000; default 8 */
    uint32_t iterations; /* solver iterations a substep, 1..10000; default 1 */
    /* Pre-stabilisation iterations a substep, 0..1000; what they leave of an overlap becomes a
     * velocity of that depth a substep. Papers' solvers; default 1 */
    uint32_t stabilization_iterations;
    mote_solver solver;         /* default MOTE_SOLVER_IMPULSE */
    mote_integrator integrator; /* default MOTE_INTEGRATOR_SYMPLECTIC_EULER */
    /* Omega, 0 < omega <= 2: of the averaged solver, which never over-corrects a contact alone, and of Gauss-Seidel,
     * which is SOR (successive over-relaxation) above 1. Papers' solvers; default 1 */
    float relaxation;
    float contact_margin; /* contacts are made up to this many times the sum of radii, 1..2; default 1.1 */
    float neighbor_skin;  /* neighbour lists reach further by this many radii, 0..2; default 0.5 */
    /* Shock propagation: for contacts, mass falls by e every 1/this metres of height, 1/m. 1 / (2 radius)
     * keeps high piles from sagging. It does not keep momentum. Papers' solvers; 0, the default: off */
    float mass_scaling;
    float damping;           /* part of the velocity lost a second, 1/s, 0 or more; default 0 */
    float sleep_speed;       /* slower particles fall asleep, m/s; default 0: none ever does */
    float sleep_time;        /* after being slower for this long, s; default 0.5 */
    float max_speed;         /* m/s; default 1e4 */
    float max_acceleration;  /* largest change of velocity by constraints, m/s^2; default 1e9 */
    float restitution_speed; /* approaching slower than this never bounces, m/s; 0 = 2 |gravity| h; default 0 */
    /* What overlaps comes apart no faster than this, m/s, 0 or more (impulse solver); 0 = 20 radii of the world a
     * second; default 0 */
    float max_depenetration_speed;
    /* Iterations of a substep end early when no contact overlaps by more than this, m, 0 or more. All contacts of the
     * world are asked, so what happens in one place may change what happens in another. Default 0: never */
    float residual_tolerance;
    /* Iterations of a substep end early when a step has taken this long, s, 0 or more; at least one is made. Then results
     * depend on the machine and on its load, and nothing is deterministic. Default 0: they never do */
    float time_budget;
} mote_settings;

MOTE_API mote_settings mote_default_settings(void);

/* What is fixed for the life of a world. */
typedef struct mote_world_def {
    float radius;           /* the typical particle radius, m, 1e-6..1e4; the default of particles */
    uint32_t max_particles; /* limit, 1..100 million; default 4 million */
    uint32_t number; /* 1..255: which world its handles say they are of; 0 (default): the next one, counted */
    uint32_t thread_count;    /* 0 (default): as many as there are cores; with a task system: ignored */
    mote_simd simd;           /* default MOTE_SIMD_AUTO */
    mote_allocator allocator; /* default: the C library's */
    mote_task_system tasks;   /* default: a pool of the world's own */
    mote_settings settings;   /* default mote_default_settings() */
} mote_world_def;

MOTE_API mote_world_def mote_default_world_def(void);

/* Makes a world. On failure *world is NULL. */
MOTE_API mote_result mote_world_create(const mote_world_def *def, mote_world **world);

/* Ends a world and gives back all its memory. NULL is fine. Inside a callback of the world it does nothing. */
MOTE_API void mote_world_destroy(mote_world *world);

/* The shortest and the longest step that are taken seriously, s. */
#define MOTE_MIN_DT 1e-6f
#define MOTE_MAX_DT 1.0f

/* Moves the world on by dt seconds, from MOTE_MIN_DT to MOTE_MAX_DT. Either the whole step happens or, with
 * an error, nothing does: bad numbers are reported with the first particle that has them, and the world
 * stays as it was. */
MOTE_API mote_result mote_world_step(mote_world *world, float dt);

MOTE_API mote_settings mote_world_settings(const mote_world *world);
MOTE_API mote_result mote_world_set_settings(mote_world *world, const mote_settings *settings);

/* The world's number: its handles have it in the upper eight bits of their generation, so that those of another world are
 * refused. It is no part of hashes and snapshots. Two worlds whose handles are to be the same (one program on several
 * machines, a saved game in another process) are given the same number in their definitions. */
MOTE_API uint32_t mote_world_number(const mote_world *world);

/* How many threads and which instructions a step uses. */
MOTE_API uint32_t mote_world_thread_count(const mote_world *world);
MOTE_API mote_simd mote_world_simd(const mote_world *world);

/* Seconds simulated and steps taken since the world was made. */
MOTE_API double mote_world_time(const mote_world *world);
MOTE_API uint64_t mote_world_step_count(const mote_world *world);

/* Wakes every sleeping particle. */
MOTE_API mote_result mote_world_wake(mote_world *world);

/* 64 bits that depend on every particle, material, shape, field, volume and setting, and on the time. Equal
 * worlds have equal hashes, whatever the number of threads, the SIMD level or the compiler. */
MOTE_API uint64_t mote_world_hash(const mote_world *world);

#ifdef __cplusplus
}
#endif

#endif
