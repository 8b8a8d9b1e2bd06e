/* Contacts: which neighbours are near enough to touch during the substep (Algorithm 2, lines 7 to 10).
 * Nearness is judged at the start and at the predicted place, with a margin, since solving moves particles
 * into contacts that were not there before.
 *
 * Each particle also learns its load, the sum of the depths of its contacts, and keeps it with its predicted
 * position: contact_kernel.c says what for. Who cannot move has a load of -1. */
#include "base/lanes3.h"
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
 * good as random and a branch on them would be too; but many rows have none. */
LANE_FUNCTION void append(uint32_t *rows, uint32_t length[LANES], const uint32_t *index, uint32_t bits)
{
    if (bits == 0)
        return;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        rows[length[lane] * LANES + lane] = index[lane];
        length[lane] += (bits >> lane) & 1u;
    }
}

/* Fills short lists up with dummies, as far as the longest goes. */
LANE_FUNCTION void fill_up(uint32_t *rows, lane_index length, uint32_t shortest, uint32_t longest,
                           uint32_t dummy)
{
    for (uint32_t k = shortest; k < longest; k++) {
        lane_index row = lanes_load_index(rows + k * LANES), over = (lane_index)(length <= lanes_all_index(k));
        lanes_store_index(rows + k * LANES, (row & ~over) | (lanes_all_index(dummy) & over));
    }
}

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
    uint32_t length[LANES] = {0};
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
    lanes lengths = __builtin_convertvector((lane_mask)lanes_load_index(length), lanes);
    uint32_t longest = (uint32_t)lanes_largest(lengths);
    if (longest == 0)
        return 0;
    if (leaning)
        state->lean.w += lengths;
    fill_up(contact, lanes_load_index(length), (uint32_t)lanes_least(lengths), longest, s->dummy);
    if (s->soft)
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

LANE_FUNCTION lanes slop_of(const mt_substep *s, uint32_t i)
{
    lanes4 support;
    if (mt_row_remembers(s, i)) {
        mote_vec4 all = s->row_support[i / LANES];
        support = (lanes4){lanes_all(all.x), lanes_all(all.y), lanes_all(all.z), lanes_all(0.0f)};
    } else
        support = lanes_load4(s->support + i);
    return lanes_all(s->body_guess) *
           lanes_sqrt(support.x * support.x + support.y * support.y + support.z * support.z);
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
    if (leaning)
        state.slop = slop_of(s, i);
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

/* A row of a body that flies: bodies_settle puts it where it belongs, and asks nothing of it if it has no
 * contacts. */
LANE_FUNCTION void find_row(const mt_substep *s, uint32_t slice)
{
    uint32_t i = slice * LANES, *touching = (uint32_t *)s->lists->touching.data + slice;
    s->still[slice] = 1;
    *touching = 0;
    if (((const uint32_t *)s->lists->length.data)[slice] == 0 && s->shape_length[slice] == 0)
        return;
    slice_state state = {.x = lanes_load4(s->predicted + i),
                         .start = lanes_load4(s->position + i),
                         .slop = slop_of(s, i),
                         .alive = 0xFFu,
                         .liquid = {0}};
    lanes zero = lanes_all(0.0f);
    state.load = state.lean.x = state.lean.y = state.lean.z = state.lean.w = zero;
    *touching = find_particles(s, &state, slice, true);
    add_shape_loads(s, &state, slice, true);
    if (lanes_bits(lanes_above(state.lean.w, zero)) == 0)
        return;
    s->still[slice] = 0;
    state.x.w = state.load;
    lanes_store4(s->predicted_out + i, state.x);
    lanes_store4(s->twist + i, state.lean);
}

void MT_KERNEL(contacts)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    if (s->bodies->body_count == 0) {
        for (uint32_t slice = begin; slice < end; slice++)
            find_slice(s, slice, false);
        return;
    }
    const bool quiet = !s->picked && !s->fluid.any && !s->crowded; /* who has no contacts is not asked for */
    for (uint32_t slice = begin; slice < end; slice++) {
        if (quiet && s->flying[slice] != 0) {
            find_row(s, slice);
            continue;
        }
        s->still[slice] = 0;
        find_slice(s, slice, true);
    }
}
