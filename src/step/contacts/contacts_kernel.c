/* Contacts: which neighbours, and which shapes, are near enough to touch during the substep (Algorithm 2, lines
 * 7 to 10). Nearness is judged at the start and at the predicted place, with a margin, since solving moves
 * particles into contacts that were not there before.
 *
 * Each particle also learns its load, the sum of the depths of its contacts, and keeps it with its predicted
 * position: contact_kernel.c says what for. Who cannot move has a load of -1. */
#include "base/simd.h"
#include "step/kernels.h"
#include "step/solve/near.h"

typedef struct slice_state {
    lanes4 x;       /* predicted; w: inverse mass */
    lanes4 start;   /* position; w: radius */
    lanes load;     /* so far */
    uint32_t alive; /* bits of the lanes that can move */
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

static uint32_t find_particles(const mt_substep *s, slice_state *state, uint32_t slice)
{
    uint32_t first = ((const uint32_t *)s->lists->start.data)[slice];
    uint32_t rows = ((const uint32_t *)s->lists->length.data)[slice];
    const uint32_t *index = (const uint32_t *)s->lists->rows.data + (size_t)first * LANES;
    uint32_t *contact = (uint32_t *)s->lists->contact.data + (size_t)first * LANES;
    uint32_t length[LANES] = {0}, longest = 0;
    for (uint32_t k = 0; k < rows; k++, index += LANES) {
        lanes4 other = lanes_gather(s->predicted, index);
        lanes4 other_start = lanes_gather(s->position, index);
        lanes sum = state->start.w + other_start.w;
        lanes dx = state->x.x - other.x, dy = state->x.y - other.y, dz = state->x.z - other.z;
        lanes square = dx * dx + dy * dy + dz * dz;
        dx = state->start.x - other_start.x;
        dy = state->start.y - other_start.y;
        dz = state->start.z - other_start.z;
        square = lanes_min(square, dx * dx + dy * dy + dz * dz);
        lanes margin = sum * lanes_all(s->contact_margin);
        uint32_t bits = lanes_bits(lanes_below(square, margin * margin)) & state->alive;
        lane_mask overlap = lanes_below(square, sum * sum);
        if (lanes_bits(overlap) != 0)
            state->load += lanes_keep(overlap, sum - lanes_sqrt(square));
        append(contact, length, index, bits);
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        longest = length[lane] > longest ? length[lane] : longest;
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t k = length[lane]; k < longest; k++)
            contact[k * LANES + lane] = s->dummy;
    if (s->soft && longest > 0)
        memset(s->given + (size_t)first * LANES, 0, longest * LANES * sizeof *s->given);
    return longest;
}

static lanes restitution_of(const mt_substep *s, uint32_t slice)
{
    lanes restitution;
    for (uint32_t lane = 0; lane < LANES; lane++)
        restitution[lane] = s->materials[s->material[slice * LANES + lane]].restitution;
    return restitution;
}

/* Lanes that are not near the plane get one far below them. */
static void write_plane_row(const mt_substep *s, mt_shape_row *row, uint32_t plane_index, uint32_t slice,
                            lane_mask near, lanes radius)
{
    const mt_plane *plane = &s->planes[plane_index];
    const mt_material *material = &s->materials[plane->material];
    lanes4 surface = lanes_load4(s->surface + slice * LANES);
    lanes_store(row->normal_x, lanes_all(plane->normal.x));
    lanes_store(row->normal_y, lanes_all(plane->normal.y));
    lanes_store(row->normal_z, lanes_all(plane->normal.z));
    lanes_store(row->offset, lanes_select(near, lanes_all(plane->offset), lanes_all(-MT_FAR)));
    lanes_store(row->move_x, lanes_all(plane->velocity.x * s->h));
    lanes_store(row->move_y, lanes_all(plane->velocity.y * s->h));
    lanes_store(row->move_z, lanes_all(plane->velocity.z * s->h));
    lanes_store(row->static_friction, surface.x * lanes_all(sqrtf(material->static_friction)));
    lanes_store(row->kinetic_friction, surface.y * lanes_all(sqrtf(material->kinetic_friction)));
    lanes_store(row->restitution, lanes_max(restitution_of(s, slice), lanes_all(material->restitution)));
    lanes_store(row->pull, surface.w * radius * lanes_all(MT_PULL * sqrtf(material->adhesion)));
    lanes_store(row->push_x, lanes_all(0.0f));
    lanes_store(row->push_y, lanes_all(0.0f));
    lanes_store(row->push_z, lanes_all(0.0f));
    lanes_store(row->given, lanes_all(0.0f));
    row->softness = material->compliance * (s->inverse_h * s->inverse_h);
    row->shape = plane_index;
}

static lane_mask in_channels(const mt_plane *plane, lane_index phase)
{
    lane_index shared = phase & lanes_all_index(plane->channels << MOTE_PHASE_CHANNEL_SHIFT);
    return (lane_mask)(shared != lanes_all_index(0));
}

static lanes plane_distance(const mt_plane *plane, lanes4 x)
{
    return lanes_all(plane->normal.x) * x.x + lanes_all(plane->normal.y) * x.y +
           lanes_all(plane->normal.z) * x.z - lanes_all(plane->offset);
}

/* Finds the planes near a slice: a first pass counts them, a second writes their rows. */
static void find_planes(const mt_substep *s, slice_state *state, uint32_t slice)
{
    lanes margin = state->start.w * lanes_all(2.0f * s->contact_margin - 1.0f);
    lane_index phase = lanes_load_index(s->phase + slice * LANES);
    uint32_t count = 0, first = 0;
    for (int writing = 0; writing < 2; writing++) {
        uint32_t row = 0;
        for (uint32_t p = 0; p < s->plane_count; p++) {
            lanes distance =
                lanes_min(plane_distance(&s->planes[p], state->x), plane_distance(&s->planes[p], state->start));
            lane_mask near = lanes_below(distance, margin) & in_channels(&s->planes[p], phase);
            if ((lanes_bits(near) & state->alive) == 0)
                continue;
            if (writing) {
                write_plane_row(s, &s->shape_rows[first + row], p, slice, near, state->start.w);
                lane_mask overlap = near & lanes_below(distance, state->start.w);
                state->load += lanes_keep(overlap, state->start.w - distance);
            }
            row++;
        }
        if (writing || row == 0)
            break;
        count = row;
        first = atomic_fetch_add_explicit(s->shape_rows_used, count, memory_order_relaxed);
        if (first + count > s->shape_row_capacity) /* the caller makes room and comes again */
            count = 0;
        if (count == 0)
            break;
    }
    s->shape_start[slice] = first;
    s->shape_length[slice] = count;
}

void MT_KERNEL(contacts)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    uint32_t *touching = s->lists->touching.data;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        lanes4 carried = lanes_load4(s->transport + i);
        lanes inverse_mass = carried.w;
        slice_state state = {.x = lanes_load4(s->predicted + i), .start = lanes_load4(s->position + i)};
        state.alive = lanes_bits(lanes_above(inverse_mass, lanes_all(0.0f)));
        touching[slice] = s->shape_length[slice] = 0;
        if (state.alive != 0) {
            touching[slice] = find_particles(s, &state, slice);
            find_planes(s, &state, slice);
        }
        lane_mask held = lanes_above(state.load, lanes_all(0.0f));
        lanes h = lanes_all(s->h);
        state.x.x = lanes_select(held, state.x.x, state.start.x + h * carried.x);
        state.x.y = lanes_select(held, state.x.y, state.start.y + h * carried.y);
        state.x.z = lanes_select(held, state.x.z, state.start.z + h * carried.z);
        state.x.w = lanes_select(lanes_above(inverse_mass, lanes_all(0.0f)), state.load, lanes_all(-1.0f));
        lanes_store4(s->predicted_out + i, state.x);
    }
}
