/* Bodies follow their particles, and particles their bodies: shape matching.
 *
 * A stage has moved some of a body's particles by d_i from where they belong. Each is taken for a push: the
 * body sets the mass R_i against a push at particle i (its resistance: 1 / R_i is how far a push of 1 moves
 * the body there, with all its mass and inertia, in the direction that gives way most), contacts have
 * counted with 1 / R_i as the particle's inverse mass, and so R_i d_i is what they gave. The body then moves
 * by
 *
 *     sum(R_i d_i) / M,    and turns by    I^-1 sum(r_i x R_i d_i),
 *
 * which is the rigid motion that is nearest to what the particles did, and gives on exactly the momentum
 * that they were given (arms r_i are taken at the start of the substep, as the places are that a contact's
 * two moments cancel for). Plain shape matching has the particles' own masses for R_i; a box that lies on a
 * sixteenth of its particles then gives way to a sixteenth of a push, and it takes as many more iterations
 * until it stands.
 *
 * The load of a body is that of all its particles: contact_kernel.c shares it among all contacts of the
 * body. */
#ifndef MOTE_STEP_BODIES_MATCHING_H
#define MOTE_STEP_BODIES_MATCHING_H

#include "step/bodies/pose_lanes.h"
#include "step/bodies/pose_step.h"
#include "step/bodies/rows.h"

static inline const mt_body_share *shares_of(const mt_substep *s, const mt_body_work *w)
{
    return (const mt_body_share *)s->bodies->shares.data + w->first_share;
}

/* A frame for many rows. */
typedef struct wide_frame {
    lanes_frame turned;
    lanes3 position;
} wide_frame;

LANE_FUNCTION wide_frame wide_frame_of(const mt_frame *f)
{
    return (wide_frame){lanes_frame_all(f), lanes3_all(f->position)};
}

/* Where a frame has the particles of a row. */
LANE_FUNCTION lanes3 row_at_frame(const wide_frame *at, const mt_body_row *row)
{
    const lanes3 rest = {lanes_load(row->x), lanes_load(row->y), lanes_load(row->z)};
    return lanes3_add(lanes_turn(&at->turned, rest), at->position);
}

/* As mt_to_world: x, y and z side by side. */
LANE_FUNCTION quad quad_to_world(const mt_frame *f, mote_vec3 point)
{
    const quad rows[3] = {quad_load_numbers(&f->x.x), quad_load_numbers(&f->y.y), quad_load_numbers(&f->z.z)};
    const quad y = __builtin_shufflevector(rows[0], rows[1], 3, 4, 5, 6);
    const quad z = __builtin_shufflevector(rows[1], rows[2], 2, 3, 4, 7);
    const quad position = __builtin_shufflevector(rows[2], rows[2], 1, 2, 3, 3);
    return rows[0] * point.x + y * point.y + z * point.z + position;
}

/* ---- particles follow ---------------------------------------------------------------------------------- */

/* `w` of what is written: the body's load. Rows that are quiet wait for the end of the substep. */
LANE_FUNCTION void put_rows(const mt_substep *s, const mt_body_row *row, uint32_t count, const wide_frame *at,
                            float load, const bool all)
{
    for (const mt_body_row *end = row + count; row < end; row++)
        if (all || !row->quiet)
            row_store(s->predicted, row, row_at_frame(at, row), lanes_all(load));
}

/* The same at the start of the substep, too. */
LANE_FUNCTION void put_both(const mt_substep *s, const mt_body_row *row, uint32_t count,
                            const wide_frame *at_start, const wide_frame *at, float load)
{
    for (const mt_body_row *end = row + count; row < end; row++) {
        if (row->quiet)
            continue;
        row_store(s->position, row, row_at_frame(at_start, row), row_radii(s, row));
        row_store(s->predicted, row, row_at_frame(at, row), lanes_all(load));
    }
}

LANE_FUNCTION void place_rows(const mt_substep *s, mt_body_work *w, const bool all)
{
    const wide_frame at = wide_frame_of(&w->at);
    w->placed = w->shifts;
    put_rows(s, row_at(s, w, 0), w->rows, &at, w->load, all);
}

/* A shared particle is in the middle of where its bodies want it. */
static inline void place_shared(const mt_substep *s, const mt_assembly *a, mote_vec4 *to, bool at_start,
                                const bool all)
{
    const uint32_t *list = (const uint32_t *)s->bodies->order.data + 2 * (size_t)s->bodies->body_count;
    for (uint32_t k = 0; k < a->places && (all || !a->hushed); k++) {
        mt_shared_place *place = &mt_shared_places(s->bodies)[list[a->first_place + k]];
        if (place->quiet && !all)
            continue;
        const mt_holder *holders = (const mt_holder *)s->bodies->holders.data + place->first;
        quad places = {0.0f, 0.0f, 0.0f, 0.0f};
        float load = 0.0f;
        for (uint32_t i = 0; i < place->count; i++) {
            const mt_body_work *w = &works(s)[holders[i].body];
            places += quad_to_world(at_start ? &w->at_start : &w->at, holders[i].rest);
            load = w->load > load ? w->load : load;
        }
        const float part = 1.0f / (float)place->count;
        const mote_vec3 sum = {places[0] * part, places[1] * part, places[2] * part};
        *(at_start ? &place->start : &place->end) = sum;
        float last = at_start ? s->position[place->slot].w : place->inverse_resistance > 0 ? load : -1.0f;
        to[place->slot] = (mote_vec4){sum.x, sum.y, sum.z, last};
    }
}

LANE_FUNCTION void place_assembly(const mt_substep *s, const mt_assembly *a, const bool all)
{
    for (uint32_t i = 0; i < a->bodies; i++) {
        mt_body_work *w = &works(s)[a->first_body + i];
        if (mt_body_moves(w))
            place_rows(s, w, all);
    }
    place_shared(s, a, s->predicted, false, all);
}

/* ---- bodies follow ------------------------------------------------------------------------------------- */

typedef struct told {
    mote_vec3 push, turn;
    float load;
    bool any; /* a particle is not where it belongs */
} told;

/* What the particles in `where` tell a body that thinks they are where `f` puts them. */
LANE_FUNCTION told listen(const mt_substep *s, const mt_body_work *w, const mt_frame *f, const mote_vec4 *where,
                          const bool at_start)
{
    row_sum sum = row_sum_zero();
    lane_mask any = lanes_below(sum.load, sum.load);
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        if (row->quiet)
            continue;
        lanes3 place = row_places(f, row_arms(f, row)), arm = row_arms(&w->at_start, row);
        lanes4 now = row_load(where, row);
        lanes r = lanes_load(row->rest->opposes);
        lane_mask real = lanes_above(r, lanes_all(0.0f)); /* dummies are far away */
        lanes3 push = {lanes_keep(real, (now.x - place.x) * r), lanes_keep(real, (now.y - place.y) * r),
                       lanes_keep(real, (now.z - place.z) * r)};
        row_sum_add(&sum, arm, push);
        any |= (lane_mask)push.x | (lane_mask)push.y | (lane_mask)push.z;
        if (s->twisted && !at_start) {
            lanes4 twist = row_load(s->twist, row);
            sum.turn.x += lanes_keep(real, twist.x);
            sum.turn.y += lanes_keep(real, twist.y);
            sum.turn.z += lanes_keep(real, twist.z);
        }
        sum.load += lanes_max(lanes_keep(real, now.w), lanes_all(0.0f));
    }
    told t = {lanes3_sum(sum.push), lanes3_sum(sum.turn), lanes_sum(sum.load), false};
    t.any = lanes_bits(lanes_differ((lane_index)any, lanes_all_index(0))) != 0 || mt_dot(t.turn, t.turn) > 0;
    const mt_body_share *share = shares_of(s, w);
    for (uint32_t k = 0; k < w->shares; k++, share++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies)[share->place];
        if (place->inverse_resistance == 0 || place->quiet)
            continue;
        mote_vec4 now = where[place->slot];
        mote_vec3 d = mt_sub(mt_xyz(now), at_start ? place->start : place->end);
        mote_vec3 push = mt_scale(d, share->resistance);
        t.any = t.any || mt_dot(push, push) > 0;
        t.push = mt_add(t.push, push);
        t.turn = mt_add(t.turn, mt_cross(mt_turn(&w->at_start, share->rest), push));
        t.load += now.w > 0 ? now.w : 0.0f;
    }
    return t;
}

static inline bool any_moves(const mt_substep *s, const mt_assembly *a)
{
    return mt_body_moves(&works(s)[a->first_body]); /* all or none of an assembly sleep */
}

#endif
