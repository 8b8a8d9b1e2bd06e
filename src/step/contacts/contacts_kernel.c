/* Contacts: which neighbours are near enough to touch during the substep (Algorithm 2, lines 7 to 10).
 * Nearness is judged at the start and at the predicted place, with a margin, since solving moves particles
 * into contacts that were not there before.
 *
 * Each particle also learns its load, the sum of the depths of its contacts, and keeps it with its predicted
 * position: contact_kernel.c says what for. Who cannot move has a load of -1. */
#include "base/simd.h"
#include "step/kernels.h"

typedef struct slice_state {
    lanes4 x;       /* predicted; w: inverse mass */
    lanes4 start;   /* position; w: radius */
    lanes load;     /* so far */
    lanes4 lean;    /* so far: the sum of depths times directions, if there are bodies; w: how many contacts
                     * there are, and MT_TOUCHES more for each that would touch without the guess */
    lanes slop;     /* how far the guess has moved it, m: who is this near would touch without it */
    uint32_t alive; /* bits of the lanes that can move */
    lane_mask liquid;
} slice_state;

/* Appends to the lanes whose bit is set. All are written and the lengths decide what stays, since bits are as
 * good as random and a branch on them would be too. */
LANE_FUNCTION void append(uint32_t *rows, uint32_t length[LANES], const uint32_t *index, uint32_t bits)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        rows[length[lane] * LANES + lane] = index[lane];
        length[lane] += (bits >> lane) & 1u;
    }
}

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

LANE_FUNCTION void lean(slice_state *state, lanes3 way, lanes scale)
{
    state->lean.x += way.x * scale;
    state->lean.y += way.y * scale;
    state->lean.z += way.z * scale;
}

LANE_FUNCTION uint32_t find_particles(const mt_substep *s, slice_state *state, uint32_t slice,
                                      const bool leaning)
{
    uint32_t first = ((const uint32_t *)s->lists->start.data)[slice];
    uint32_t rows = s->fluid.any && s->fluid.pure ? 0 : ((const uint32_t *)s->lists->length.data)[slice];
    const uint32_t *index = (const uint32_t *)s->lists->rows.data + (size_t)first * LANES;
    uint32_t *contact = (uint32_t *)s->lists->contact.data + (size_t)first * LANES;
    uint32_t length[LANES] = {0}, longest = 0;
    for (uint32_t k = 0; k < rows; k++, index += LANES) {
        lanes4 other = lanes_gather(s->predicted, index);
        lanes4 other_start = lanes_gather(s->position, index);
        lanes sum = state->start.w + other_start.w;
        lanes dx = state->x.x - other.x, dy = state->x.y - other.y, dz = state->x.z - other.z;
        lanes square = dx * dx + dy * dy + dz * dz;
        lanes3 now = {dx, dy, dz};
        dx = state->start.x - other_start.x;
        dy = state->start.y - other_start.y;
        dz = state->start.z - other_start.z;
        square = lanes_min(square, dx * dx + dy * dy + dz * dz);
        lane_mask liquids = {0}; /* between two of these there is no contact */
        if (s->fluid.any) {
            lane_mask liquid = lanes_above(lanes_gather(s->wet, index).z, lanes_all(0.0f));
            liquids = state->liquid & liquid;
            sum -= lanes_keep(liquid, lanes_all(s->fluid.contact));
        }
        lanes margin = sum * lanes_all(s->contact_margin);
        uint32_t bits = lanes_bits(lanes_below(square, margin * margin) & ~liquids) & state->alive;
        lane_mask overlap = lanes_below(square, sum * sum) & ~liquids;
        if (leaning) {
            lanes near = sum + state->slop;
            state->lean.w += lanes_keep(lanes_below(square, near * near) & ~liquids, lanes_all(MT_TOUCHES));
        }
        if (lanes_bits(overlap) != 0) {
            lanes distance = lanes_sqrt(square), depth = lanes_keep(overlap, sum - distance);
            state->load += depth;
            if (leaning)
                lean(state, now, depth / lanes_max(distance, lanes_all(1e-12f)));
        }
        append(contact, length, index, bits);
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        longest = length[lane] > longest ? length[lane] : longest;
        if (leaning)
            state->lean.w[lane] += (float)length[lane];
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t k = length[lane]; k < longest; k++)
            contact[k * LANES + lane] = s->dummy;
    if (s->soft && longest > 0)
        memset(s->given + (size_t)first * LANES, 0, longest * LANES * sizeof *s->given);
    return longest;
}

/* What contacts with shapes add to the load, judged at both ends like the others. */
LANE_FUNCTION void add_shape_loads(const mt_substep *s, slice_state *state, uint32_t slice, const bool leaning)
{
    for (uint32_t k = 0; k < s->shape_length[slice]; k++) {
        const mt_shape_row *row = &s->shape_rows[s->shape_start[slice] + k];
        lanes nx = lanes_load(row->normal_x), ny = lanes_load(row->normal_y), nz = lanes_load(row->normal_z);
        lanes at_end = nx * state->x.x + ny * state->x.y + nz * state->x.z - lanes_load(row->offset);
        lanes at_start =
            nx * state->start.x + ny * state->start.y + nz * state->start.z - lanes_load(row->start_offset);
        lanes distance = lanes_min(at_end, at_start);
        lanes depth = lanes_keep(lanes_below(distance, state->start.w), state->start.w - distance);
        state->load += depth;
        if (leaning) {
            lean(state, (lanes3){nx, ny, nz}, depth);
            state->lean.w +=
                lanes_keep(lanes_below(distance, state->start.w + state->slop), lanes_all(MT_TOUCHES));
            state->lean.w += lanes_keep(lanes_above(distance, lanes_all(-0.1f * MT_FAR)) &
                                            lanes_below(distance, lanes_all(0.1f * MT_FAR)),
                                        lanes_all(1.0f));
        }
    }
}

LANE_FUNCTION void find_slice(const mt_substep *s, uint32_t slice, const bool leaning)
{
    uint32_t i = slice * LANES, *touching = (uint32_t *)s->lists->touching.data + slice;
    lanes4 carried = lanes_load4(s->transport + i);
    lanes inverse_mass = carried.w, zero = lanes_all(0.0f);
    slice_state state = {.x = lanes_load4(s->predicted + i), .start = lanes_load4(s->position + i)};
    state.load = state.lean.x = state.lean.y = state.lean.z = state.lean.w = zero;
    state.alive = lanes_bits(lanes_above(inverse_mass, zero));
    state.liquid = (lane_mask){0};
    if (s->fluid.any) {
        state.liquid = lanes_above(lanes_load4(s->wet + i).z, zero);
        state.start.w -= lanes_keep(state.liquid, lanes_all(s->fluid.contact));
    }
    if (leaning) {
        lanes4 support = lanes_load4(s->support + i);
        state.slop = lanes_all(s->body_guess) *
                     lanes_sqrt(support.x * support.x + support.y * support.y + support.z * support.z);
    }
    *touching = 0;
    if (state.alive != 0) {
        *touching = find_particles(s, &state, slice, leaning);
        add_shape_loads(s, &state, slice, leaning);
    }
    lane_mask held = lanes_above(state.load, zero) | state.liquid; /* liquids had no guess */
    lanes h = lanes_all(s->h);
    state.x.x = lanes_select(held, state.x.x, state.start.x + h * carried.x);
    state.x.y = lanes_select(held, state.x.y, state.start.y + h * carried.y);
    state.x.z = lanes_select(held, state.x.z, state.start.z + h * carried.z);
    state.x.w = lanes_select(lanes_above(inverse_mass, zero), state.load, lanes_all(-1.0f));
    lanes_store4(s->predicted_out + i, state.x);
    if (leaning)
        lanes_store4(s->twist + i, state.lean);
}

void MT_KERNEL(contacts)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    if (s->bodies->body_count > 0)
        for (uint32_t slice = begin; slice < end; slice++)
            find_slice(s, slice, true);
    else
        for (uint32_t slice = begin; slice < end; slice++)
            find_slice(s, slice, false);
}
