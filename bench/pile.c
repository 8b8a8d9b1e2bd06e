#include "pile.h"

#include "stepping.h"
#include "tools/command.h"
#include "tools/progress.h"

#include <math.h>
#include <stdlib.h>

/* ---- frames a second ------------------------------------------------------------------------------------ */

double pile_rate(const sample_set *frame_ms, size_t first, size_t count)
{
    double ms = 0.0;
    size_t counted = 0;
    for (size_t i = first; i < frame_ms->count && counted < count; i++, counted++)
        ms += frame_ms->values[i];
    return ms > 0.0 ? 1000.0 * (double)counted / ms : 0.0;
}

size_t pile_busiest(const sample_set *frame_ms)
{
    size_t busiest = 0;
    double sum = 0.0, largest = 0.0;
    for (size_t i = 0; i < frame_ms->count; i++) {
        sum += frame_ms->values[i];
        if (i >= PILE_WINDOW)
            sum -= frame_ms->values[i - PILE_WINDOW];
        if (i + 1 >= PILE_WINDOW && sum > largest) {
            largest = sum;
            busiest = i + 1 - PILE_WINDOW;
        }
    }
    return busiest;
}

void pile_report_notes(const pile_notes *notes, report_pile *report)
{
    size_t busiest = pile_busiest(&notes->frame_ms);
    report->frames = (uint32_t)notes->frame_ms.count;
    report->busiest_frame = (uint32_t)busiest;
    report->busiest_rate = pile_rate(&notes->frame_ms, busiest, PILE_WINDOW);
    report->late_rate = pile_rate(&notes->frame_ms, PILE_LATE_FRAME, PILE_WINDOW);
    report->gap_mean = notes->gap_mean;
    report->gap_largest = notes->gap_largest;
    report->gap_worst = notes->gap_worst;
}

/* ---- Mote ----------------------------------------------------------------------------------------------- */

static bool out_of_memory(void)
{
    complain("bench: no memory for the pile");
    return false;
}

bool pile_begin(pile_run *run, const pile_plan *plan, uint32_t threads)
{
    mote_world_destroy(run->world); /* of the round before */
    run->world = NULL;
    mote_world_def def = mote_default_world_def();
    def.radius = JOINTED_RADIUS;
    def.thread_count = threads;
    return bench_succeeded(mote_world_create(&def, &run->world)) &&
           bench_succeeded(plan->build(run->world, plan->objects));
}

/* How far apart the bodies are where their joints hold them together. */
static bool note_gaps(pile_run *run)
{
    uint32_t count = mote_joint_count(run->world);
    mote_joint_id *joints = malloc((count + 1) * sizeof *joints);
    if (joints == NULL)
        return out_of_memory();
    mote_joint_list(run->world, joints, count);
    double sum = 0.0, largest = 0.0;
    bool read = true;
    for (uint32_t i = 0; read && i < count; i++) {
        mote_joint_state state = {0};
        read = bench_succeeded(mote_joint_get(run->world, joints[i], &state));
        sum += (double)state.gap;
        largest = fmax(largest, (double)state.gap);
    }
    free(joints);
    run->notes.gap_mean = count > 0 ? sum / count : 0.0;
    run->notes.gap_largest = largest;
    run->notes.gap_worst = fmax(run->notes.gap_worst, largest);
    return read;
}

bool pile_step(pile_run *run, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++) {
        double begin = clock_ms();
        bool stepped = bench_succeeded(mote_world_step(run->world, 1.0f / PILE_RATE));
        double ms = clock_ms() - begin;
        if (!stepped)
            return false;
        if (!samples_add(&run->notes.frame_ms, ms))
            return out_of_memory();
        for (uint32_t stage = 0; stage < mote_stage_count(); stage++)
            if (!samples_add(&run->stage_ms, mote_world_stage_ms(run->world, stage)))
                return out_of_memory();
    }
    return note_gaps(run);
}

void pile_fold(pile_run *run, const pile_plan *plan)
{
    samples_fold(&run->notes.frame_ms, plan->rounds);
    samples_fold(&run->stage_ms, plan->rounds);
}

/* Mean times of the stages in the busiest frames. */
static void report_stages(const pile_run *run, report_pile *report)
{
    size_t stages = mote_stage_count(), first = report->busiest_frame, end = first + PILE_WINDOW;
    if (end > run->notes.frame_ms.count)
        end = run->notes.frame_ms.count;
    for (size_t stage = 0; stage < stages && stage < REPORT_STAGE_CAPACITY; stage++) {
        double ms = 0.0;
        for (size_t frame = first; frame < end; frame++)
            ms += run->stage_ms.values[frame * stages + stage];
        report->stages[report->stage_count++] =
            (report_stage){mote_stage_name((uint32_t)stage), end > first ? ms / (double)(end - first) : 0.0};
    }
}

report_pile pile_report(const pile_run *run, const pile_plan *plan)
{
    report_pile report = {.name = plan->name,
                          .engine = "mote",
                          .simd = mote_simd_name(mote_world_simd(run->world)),
                          .objects = plan->objects,
                          .rounds = plan->rounds,
                          .bodies = mote_body_count(run->world),
                          .joints = mote_joint_count(run->world),
                          .particles = mote_particle_count(run->world),
                          .threads = mote_world_thread_count(run->world)};
    pile_report_notes(&run->notes, &report);
    report_stages(run, &report);
    return report;
}

void pile_end(pile_run *run)
{
    mote_world_destroy(run->world);
    samples_free(&run->notes.frame_ms);
    samples_free(&run->stage_ms);
    *run = (pile_run){0};
}
