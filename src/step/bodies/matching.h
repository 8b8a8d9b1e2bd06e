/* Particles of bodies are put where these are. */
#ifndef MOTE_STEP_BODIES_MATCHING_H
#define MOTE_STEP_BODIES_MATCHING_H

#include "step/bodies/pose_lanes.h"
#include "step/bodies/pose_step.h"
#include "step/bodies/rows.h"

static inline const mt_body_share *shares_of(const mt_substep *s, const mt_body_work *w)
{
    return (const mt_body_share *)s->bodies.plan->shares.data + w->first_share;
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

LANE_FUNCTION void put_rows(const mt_substep *s, const mt_body_work *w, mote_vec4 *to, const mt_frame *f)
{
    const wide_frame at = wide_frame_of(f);
    const mt_body_row *row = row_at(s, w, 0), *const end = row + w->rows;
    for (; row < end; row++)
        row_store(to, row, row_at_frame(&at, row), row_radii(s, row));
}

/* A shared particle is in the middle of where its bodies want it. */
static inline void place_shared(const mt_substep *s, const mt_assembly *a, mote_vec4 *to, bool at_start)
{
    const uint32_t *list =
        (const uint32_t *)s->bodies.plan->order.data + 2 * (size_t)s->bodies.plan->body_count;
    for (uint32_t k = 0; k < a->places; k++) {
        mt_shared_place *place = &mt_shared_places(s->bodies.plan)[list[a->first_place + k]];
        const mt_holder *holders = (const mt_holder *)s->bodies.plan->holders.data + place->first;
        quad places = {0.0f, 0.0f, 0.0f, 0.0f};
        for (uint32_t i = 0; i < place->count; i++) {
            const mt_body_work *w = &works(s)[holders[i].body];
            places += quad_to_world(at_start ? &w->at_start : &w->at, holders[i].rest);
        }
        const float part = 1.0f / (float)place->count;
        to[place->slot] = (mote_vec4){places[0] * part, places[1] * part, places[2] * part,
                                      s->particles.position[place->slot].w};
    }
}

/* All of an assembly, at the start of the substep or now. */
LANE_FUNCTION void put_assembly(const mt_substep *s, const mt_assembly *a, mote_vec4 *to, const bool at_start)
{
    for (uint32_t i = 0; i < a->bodies; i++) {
        const mt_body_work *w = &works(s)[a->first_body + i];
        if (mt_body_moves(w))
            put_rows(s, w, to, at_start ? &w->at_start : &w->at);
    }
    place_shared(s, a, to, at_start);
}

LANE_FUNCTION void place_assembly(const mt_substep *s, const mt_assembly *a)
{
    put_assembly(s, a, s->particles.predicted, false);
}

static inline bool any_moves(const mt_substep *s, const mt_assembly *a)
{
    return mt_body_moves(&works(s)[a->first_body]); /* all or none of an assembly sleep */
}

#endif
