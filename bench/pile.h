/* A pile of jointed objects that falls together, in Mote and in a peer: how many frames a second the step
 * allows, and how well the joints hold. */
#ifndef MOTE_BENCH_PILE_H
#define MOTE_BENCH_PILE_H

#include "report.h"
#include "sampling.h"
#include "scenes/jointed_objects.h"

/* Frames are 1/60 s long. The busiest two seconds are 120 frames; the late ones begin after ten seconds. */
enum { PILE_RATE = 60, PILE_WINDOW = 120, PILE_LATE_FRAME = 600 };

typedef struct pile_plan {
    const char *name; /* of the benchmark */
    uint32_t objects;
    uint32_t frames; /* to step in a round */
    uint32_t rounds;
    mote_result (*build)(mote_world *world, uint32_t objects);
    jointed_object_def (*object)(uint32_t index);
    uint32_t block_count; /* jointed_pile_block(0), (1), ... are part of it */
} pile_plan;

/* What a contestant noted. The same frames are stepped in every round, so a frame's time is the median of what
 * it took in the rounds: a second in which the machine did something else is no busy one. */
typedef struct pile_notes {
    sample_set frame_ms;          /* in the order of the frames, round after round until pile_fold */
    double gap_mean, gap_largest; /* of the joints after the last frame, m */
    double gap_worst;             /* the largest after any second, m */
} pile_notes;

/* The frames a second of so many frames from `first` on, as many of them as there are; 0 if there are none. */
double pile_rate(const sample_set *frame_ms, size_t first, size_t count);
/* Where the slowest PILE_WINDOW frames on end begin; 0 if there are fewer. */
size_t pile_busiest(const sample_set *frame_ms);
/* Fills in what follows from the notes, after their rounds were folded. */
void pile_report_notes(const pile_notes *notes, report_pile *report);

/* ---- Mote ----------------------------------------------------------------------------------------------- */

typedef struct pile_run {
    mote_world *world;
    pile_notes notes;
    sample_set stage_ms; /* all stages of the first frame, of the second, ...; as notes.frame_ms */
} pile_run;

/* All say on stderr what went wrong before they answer false. */

/* A round: the pile anew; what was noted before stays. Start with {0}. */
bool pile_begin(pile_run *run, const pile_plan *plan, uint32_t threads);
bool pile_step(pile_run *run, uint32_t frames);
/* After the last round. */
void pile_fold(pile_run *run, const pile_plan *plan);
report_pile pile_report(const pile_run *run, const pile_plan *plan);
void pile_end(pile_run *run);

/* ---- a peer --------------------------------------------------------------------------------------------- */

typedef struct pile_peer {
    const char *name; /* "Bullet" */
    /* The same objects as boxes with joints, among the shapes of the world, which must be boxes. NULL on
     * failure; stderr says why. */
    void *(*begin)(const pile_plan *plan, const mote_world *world);
    bool (*step)(void *pile, uint32_t frames, pile_notes *notes);
    report_pile (*report)(void *pile, const pile_plan *plan); /* without what follows from notes */
    void (*end)(void *pile);                                  /* NULL is fine */
} pile_peer;

#ifdef MOTE_WITH_BULLET
extern const pile_peer bullet_pile_peer;
#endif

#endif
