/* Contacts that are reported: what each gives is added up over the substeps of a step. Only who says so is looked at
 * (mote_material_def.report_contacts), and nothing here changes what is solved. */
#ifndef MOTE_STEP_IMPULSE_REPORT_H
#define MOTE_STEP_IMPULSE_REPORT_H

#include "base/memory.h"
#include "world/world.h"

/* What a contact gave in the substeps so far. */
typedef struct mt_contact_sum {
    float
        weight; /* of the means: sum of the sizes of what was given, N s; 0: nothing was, and the rest is unset */
    mote_vec3 push;          /* all that a was given, N s */
    mote_vec3 point, normal; /* means; the normal is no unit vector */
    float separation;        /* least, m */
    float approach, sliding; /* when it first gave something, m/s: see mote_contact */
} mt_contact_sum;

/* Of a particle with a plane of a shape. */
typedef struct mt_shape_sum {
    uint32_t slot, shape; /* its place in the table */
    mt_contact_sum sum;
} mt_shape_sum;

#define MT_NO_SUM UINT32_MAX

typedef struct mt_report {
    bool any; /* some material reports */
    /* Pairs: the rows of a step stay, and so do their sums. */
    mt_array lanes;    /* uint8_t a row: bits of those that report */
    mt_array row_sums; /* uint32_t a row: its first sum of eight; MT_NO_SUM: nobody in it reports */
    mt_array sums;     /* mt_contact_sum */
    mt_array gave;     /* uint8_t a pair: it gave something */
    /* Shapes: planes are found anew in every substep; what they gave is sorted by slice, and copied from one side to the
     * other with what is added. */
    mt_array shape_sums[2];  /* mt_shape_sum */
    mt_array shape_first[2]; /* uint32_t a slice and one more */
    uint32_t side;
    uint32_t shape_count;
} mt_report;

static inline bool mt_material_reports(const mote_world *world, uint32_t material)
{
    return world->materials[material].report_contacts != 0;
}

static inline bool mt_slot_reports(const mote_world *world, uint32_t slot)
{
    return mt_material_reports(world, mt_material_indices(world)[slot]);
}

static inline bool mt_any_reports(const mote_world *world)
{
    for (uint32_t k = 0; k < world->material_count; k++)
        if (mt_material_reports(world, k))
            return true;
    return false;
}

struct mt_impulse_job;

/* When a substep is solved, and before movers are given what that left of their velocities. */
mote_result mt_report_substep(const struct mt_impulse_job *job);

#endif
