/* Bodies that contacts tell what they gave (pairs.h). From the first iteration of stabilising or of solving to
 * the last nobody else asks for them: so their batch keeps them in lanes, where they hear, move and place their
 * particles, and mt_body_work is read before the first and written after the last. */
#ifndef MOTE_STEP_BODIES_HEARING_H
#define MOTE_STEP_BODIES_HEARING_H

#include "step/bodies/body_lanes.h"
#include "step/bodies/matching.h"

static inline mt_assembly *assembly_of(const mt_substep *s, const mt_batch *batch, uint32_t n)
{
    return (mt_assembly *)s->bodies->assemblies.data + batch->assembly[n];
}

/* Which assemblies of a batch have something to do in this substep, once a substep. */
static inline void judge_batch(const mt_substep *s, mt_batch *batch)
{
    if (batch->judged == s->bodies->substep)
        return;
    batch->judged = s->bodies->substep;
    batch->moving = batch->asking = batch->sharing = 0;
    for (uint32_t n = 0; n < batch->count; n++) {
        const mt_assembly *a = assembly_of(s, batch, n);
        const uint32_t moves = (uint32_t)any_moves(s, a) << n;
        batch->moving |= moves;
        batch->asking |= a->alone ? 0 : moves;
        batch->sharing |= a->alone || a->hushed ? 0 : moves;
    }
}

static inline mote_vec3 lane3(const mt_vec_lanes *v, uint32_t n)
{
    return (mote_vec3){v->x[n], v->y[n], v->z[n]};
}

static inline void set_lane3(mt_vec_lanes *v, uint32_t n, mote_vec3 value)
{
    v->x[n] = value.x;
    v->y[n] = value.y;
    v->z[n] = value.z;
}

/* ---- into lanes and back ------------------------------------------------------------------------------- */

/* Three floats of each. */
LANE_FUNCTION void fetch3(mt_body_work *const from[MT_BATCH], size_t offset, mt_vec_lanes *to)
{
    lanes4 v = fetch4(from, offset);
    store3(to, (lanes3){v.x, v.y, v.z});
}

LANE_FUNCTION void hold_batch(const mt_substep *s, mt_batch *batch, const bool at_start)
{
    mt_batch_body *b = mt_batch_bodies(s->bodies, batch);
    if (batch->held)
        return;
    batch->held = true;
    for (uint32_t i = 0; i < batch->bodies; i++)
        fetch_body(&b[i], batch->substep != s->bodies->substep, at_start);
    for (uint32_t i = 0; i < batch->own; i++) {
        if (at_start)
            continue;
        fetch3(b[i].work, offsetof(mt_body_work, push), &b[i].whole_push);
        fetch3(b[i].work, offsetof(mt_body_work, turn), &b[i].whole_turn);
    }
}

LANE_FUNCTION void let_go(const mt_substep *s, mt_batch *batch, const bool at_start)
{
    mt_batch_body *b = mt_batch_bodies(s->bodies, batch);
    batch->held = false;
    for (uint32_t i = 0; i < batch->bodies; i++)
        write_body(&b[i], at_start);
    for (uint32_t i = 0; i < batch->own; i++)
        for (uint32_t rest = batch->moving; rest != 0; rest &= rest - 1) {
            const uint32_t n = (uint32_t)__builtin_ctz(rest);
            mt_body_work *w = b[i].work[n];
            w->placed = b[i].placed[n];
            if (at_start)
                continue;
            w->load = b[i].load[n];
            w->push = lane3(&b[i].whole_push, n);
            w->turn = lane3(&b[i].whole_turn, n);
        }
}

LANE_FUNCTION wide_frame lane_frame(const mt_vec_lanes frame[3], const mt_vec_lanes *position, uint32_t n)
{
    const lanes_frame turned = {lanes3_all(lane3(&frame[0], n)), lanes3_all(lane3(&frame[1], n)),
                                lanes3_all(lane3(&frame[2], n))};
    return (wide_frame){turned, lanes3_all(lane3(position, n))};
}

/* ---- bodies hear --------------------------------------------------------------------------------------- */

/* What each of eight was told, which is then forgotten. */
LANE_FUNCTION void hear_lanes(const mt_substep *s, mt_batch_body *b, const bool at_start)
{
    mt_told *all = s->pairs->told.data;
    uint32_t twice[LANES]; /* push and turn are two of four */
    lanes_store_index(twice, lanes_load_index(b->body) + lanes_load_index(b->body));
    lanes4 push = lanes_gather(&all->push, twice), turn = lanes_gather(&all->turn, twice);
    store3(&b->push, (lanes3){push.x, push.y, push.z});
    store3(&b->turn, (lanes3){turn.x, turn.y, turn.z});
    if (!at_start)
        lanes_store(b->load, push.w);
    lane_index any = (lane_index)push.x | (lane_index)push.y | (lane_index)push.z | (lane_index)push.w |
                     (lane_index)turn.x | (lane_index)turn.y | (lane_index)turn.z;
    if (lanes_bits(lanes_differ(any, lanes_all_index(0))) == 0)
        return;
    for (uint32_t n = 0; n < MT_BATCH; n++)
        lanes_store(&all[b->body[n]].push.x, lanes_all(0.0f));
}

/* Adds what its shared particles were told to what a body was. */
static inline void hear_shared(const mt_substep *s, mt_batch_body *b, uint32_t n, const bool at_start)
{
    const mt_told *shared = (const mt_told *)s->pairs->told.data + s->bodies->body_count;
    const mt_body_work *w = b->work[n];
    const mt_body_share *share = shares_of(s, w);
    mote_vec3 push = lane3(&b->push, n), turn = lane3(&b->turn, n);
    for (uint32_t k = 0; k < w->shares; k++, share++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies)[share->place];
        if (place->inverse_resistance == 0 || place->quiet)
            continue;
        mote_vec4 given = shared[share->place].push;
        mote_vec3 part = mt_scale(mt_xyz(given), share->resistance * place->inverse_resistance);
        push = mt_add(push, part);
        turn = mt_add(turn, mt_cross(mt_turn(&w->at_start, share->rest), part));
        if (!at_start)
            b->load[n] += given.w;
    }
    set_lane3(&b->push, n, push);
    set_lane3(&b->turn, n, turn);
}

/* Whether any shared particle of an assembly was told anything: then it has a load. */
static inline bool any_shared_told(const mt_substep *s, const mt_assembly *a)
{
    const uint32_t *list = (const uint32_t *)s->bodies->order.data + 2 * (size_t)s->bodies->body_count;
    const mt_told *shared = (const mt_told *)s->pairs->told.data + s->bodies->body_count;
    bool any = false;
    for (uint32_t k = 0; k < a->places; k++)
        any = any || shared[list[a->first_place + k]].push.w != 0;
    return any;
}

/* After all bodies of an assembly have heard what its shared particles were given. */
static inline void forget_shared(const mt_substep *s, const mt_assembly *a)
{
    const uint32_t *list = (const uint32_t *)s->bodies->order.data + 2 * (size_t)s->bodies->body_count;
    mt_told *shared = (mt_told *)s->pairs->told.data + s->bodies->body_count;
    for (uint32_t k = 0; k < a->places; k++)
        lanes_store(&shared[list[a->first_place + k]].push.x, lanes_all(0.0f));
}

/* Who is to move, and what was given in all. */
LANE_FUNCTION void take_told(mt_batch_body *b, uint32_t asking, const bool at_start)
{
    const lanes3 push = load3(&b->push), turn = load3(&b->turn);
    const lanes zero = lanes_all(0.0f);
    b->told = asking &
              lanes_bits(lanes_above(lanes3_dot(push, push), zero) | lanes_above(lanes3_dot(turn, turn), zero));
    if (at_start || b->told == 0)
        return;
    const lane_mask those = lanes_of_bits(b->told);
    const lanes3 before = load3(&b->whole_push), turned = load3(&b->whole_turn);
    store3(&b->whole_push, lanes3_select(those, lanes3_add(before, push), before));
    store3(&b->whole_turn, lanes3_select(those, lanes3_add(turned, turn), turned));
}

LANE_FUNCTION void hear_batch(const mt_substep *s, const mt_batch *batch, const bool at_start)
{
    mt_batch_body *b = mt_batch_bodies(s->bodies, batch);
    if (batch->asking == 0)
        return;
    for (uint32_t i = 0; i < batch->own; i++)
        hear_lanes(s, &b[i], at_start);
    for (uint32_t rest = batch->sharing; rest != 0; rest &= rest - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(rest);
        if (!any_shared_told(s, assembly_of(s, batch, n)))
            continue;
        for (uint32_t i = 0; i < batch->own; i++)
            hear_shared(s, &b[i], n, at_start);
        forget_shared(s, assembly_of(s, batch, n));
    }
    for (uint32_t i = 0; i < batch->own; i++)
        take_told(&b[i], batch->asking, at_start);
}

/* ---- particles follow ---------------------------------------------------------------------------------- */

/* Bits of the bodies whose particles are not where it has them, or (at the end) do not know its load; they are
 * taken for placed. */
LANE_FUNCTION uint32_t take_ahead(mt_batch_body *b, const bool at_start)
{
    const lane_index shifts = lanes_load_index(b->shifts);
    lane_mask ahead = lanes_differ(shifts, lanes_load_index(b->placed));
    if (!at_start) /* not 0, of either sign */
        ahead |=
            lanes_differ((lane_index)lanes_load(b->load) & lanes_all_index(0x7FFFFFFFu), lanes_all_index(0));
    lanes_store_index(b->placed, shifts);
    return lanes_bits(ahead & body_moves(b));
}

static inline const mt_body_row *lane_rows(const mt_substep *s, const mt_batch_body *b, uint32_t n)
{
    return (const mt_body_row *)s->bodies->rows.data + b->first_row[n];
}

/* Answers the bits of the bodies that were moved. */
LANE_FUNCTION uint32_t place_lanes(const mt_substep *s, mt_batch_body *b, uint32_t asking)
{
    const uint32_t ahead = take_ahead(b, false) & asking;
    for (uint32_t rest = ahead; rest != 0; rest &= rest - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(rest);
        const wide_frame at = lane_frame(b->frame, &b->now.position, n);
        put_rows(s, lane_rows(s, b, n), b->rows[n], &at, b->load[n], false);
    }
    return ahead;
}

/* The same at the start and at the end of the substep. */
LANE_FUNCTION uint32_t place_both(const mt_substep *s, mt_batch_body *b, uint32_t asking)
{
    const uint32_t ahead = take_ahead(b, true) & asking;
    if (ahead == 0)
        return 0;
    mt_vec_lanes end[3];
    const lanes_frame f = lanes_frame_of(rotation_of(&b->now));
    store3(&end[0], f.x);
    store3(&end[1], f.y);
    store3(&end[2], f.z);
    for (uint32_t rest = ahead; rest != 0; rest &= rest - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(rest);
        const wide_frame start = lane_frame(b->frame, &b->start.position, n);
        const wide_frame at = lane_frame(end, &b->now.position, n);
        put_both(s, lane_rows(s, b, n), b->rows[n], &start, &at, b->load[n]);
        const mote_vec3 centre = lane3(&b->start.position, n);
        ((mote_vec4 *)s->pairs->centre.data)[b->body[n]] = (mote_vec4){centre.x, centre.y, centre.z, 0.0f};
    }
    return ahead;
}

/* Shared particles ask the bodies one by one. */
LANE_FUNCTION void show_lanes(const mt_batch_body *b, uint32_t moving, const bool at_start)
{
    mt_body_work *to[MT_BATCH], nobody;
    for (uint32_t n = 0; n < MT_BATCH; n++) {
        to[n] = (moving >> n & 1) != 0 ? b->work[n] : &nobody;
        to[n]->load = b->load[n];
    }
    lanes_frame frame = {load3(&b->frame[0]), load3(&b->frame[1]), load3(&b->frame[2])};
    if (at_start) {
        write_frame(to, offsetof(mt_body_work, at_start), frame, load3(&b->start.position));
        frame = lanes_frame_of(rotation_of(&b->now));
    }
    write_frame(to, offsetof(mt_body_work, at), frame, load3(&b->now.position));
}

LANE_FUNCTION void place_batch(const mt_substep *s, const mt_batch *batch, const bool at_start)
{
    mt_batch_body *b = mt_batch_bodies(s->bodies, batch);
    uint32_t any = 0;
    for (uint32_t i = 0; i < batch->own && batch->asking != 0; i++)
        any |= at_start ? place_both(s, &b[i], batch->asking) : place_lanes(s, &b[i], batch->asking);
    any &= batch->sharing;
    for (uint32_t i = 0; i < batch->own && any != 0; i++)
        show_lanes(&b[i], any, at_start);
    for (uint32_t rest = any; rest != 0; rest &= rest - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(rest);
        if (at_start)
            place_shared(s, assembly_of(s, batch, n), s->position, true, false);
        place_shared(s, assembly_of(s, batch, n), s->predicted, false, false);
    }
}

#endif
