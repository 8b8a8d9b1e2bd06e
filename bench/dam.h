/* A column of liquid that collapses in a tank, measured in its busiest frames. */
#ifndef MOTE_BENCH_DAM_H
#define MOTE_BENCH_DAM_H

#include "density.h"
#include "report.h"
#include "sampling.h"
#include "stepping.h"

enum { DAM_WALLS = 5 };

/* The column is twice as high as wide and about as deep, in a tank four columns long and as deep as it. */
typedef struct dam_plan {
    uint32_t asked;    /* particles */
    uint32_t count[3]; /* particles along x, y, z; their product is near what was asked */
    uint32_t rate;     /* steps a simulated second */
    uint32_t substeps, iterations;
    uint32_t first_frame; /* of those that are measured */
} dam_plan;

dam_plan dam_plan_make(uint32_t particles, uint32_t rate, uint32_t substeps, uint32_t iterations);

/* One world and what was measured of it. */
typedef struct dam_run {
    mote_world *world;
    float dt;                               /* s */
    sample_set frame_ms;                    /* of whole steps */
    double stage_ms[REPORT_STAGE_CAPACITY]; /* the best of any step */
    size_t memory;                          /* bytes, the most after any round */
} dam_run;

/* All of these say on stderr what went wrong before they answer false. */

/* Steps with all cores up to just before the first measured frame. Any number of threads goes on from there
 * with the same bits. */
bool dam_warm_up(const dam_plan *plan, kept_state *state);

bool dam_begin(dam_run *run, const dam_plan *plan, const kept_state *state, uint32_t threads);
bool dam_measure(dam_run *run, uint32_t frames);
bool dam_density(const dam_run *run, const dam_plan *plan, density_state *state);
void dam_end(dam_run *run);

/* What was measured so far. `state` is the density of these frames, the same for all thread counts. */
report_fluid dam_report(dam_run *run, const dam_plan *plan, const density_state *state);

#endif
