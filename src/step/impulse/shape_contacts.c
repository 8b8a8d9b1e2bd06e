/* Contacts with shapes. The planes that particles may touch in a substep are found by contacts/shapes_kernel.c; here
 * they become rows of contacts, and remember what those of the substep before bore. Loose particles are solved slice
 * by slice; the contacts of a body one after the other, of eight bodies at a time. */
#include "step/impulse/impulse.h"

#include "base/vec.h"
#include "step/impulse/touch.h"
#include "step/impulse/way_out.h"
#include "world/check.h"

#include <string.h>

typedef struct shape_job {
    mote_world *world;
    mt_substep *s;
    mt_impulses *w;
    mt_shape_side *now;
    const mt_shape_side *last; /* NULL: this is the first substep */
} shape_job;

static mt_contact_row *rows_of(const mt_shape_side *side, uint32_t slice)
{
    return (mt_contact_row *)side->rows.data + ((const uint32_t *)side->first.data)[slice];
}

/* ---- what was borne before ----------------------------------------------------------------------------- */

static mote_vec3 normal_of(const mt_contact_row *row, uint32_t n)
{
    return (mote_vec3){row->normal_x[n], row->normal_y[n], row->normal_z[n]};
}

static void take_over(mt_contact_row *row, uint32_t n, mote_vec3 normal, float impulse, mote_vec3 friction)
{
    row->normal_x[n] = normal.x;
    row->normal_y[n] = normal.y;
    row->normal_z[n] = normal.z;
    row->impulse[n] = impulse;
    row->friction_x[n] = friction.x;
    row->friction_y[n] = friction.y;
    row->friction_z[n] = friction.z;
}

/* The plane of the same shape that is turned least against the new one, by 37 degrees at most. */
#define ALIKE 0.8f

static void recall_substep(const shape_job *job, uint32_t slice, mt_contact_row *row, uint32_t n,
                           mote_vec3 normal)
{
    const mt_contact_row *last = rows_of(job->last, slice), *best = NULL;
    float most = ALIKE;
    for (uint32_t k = 0; k < ((const uint32_t *)job->last->number.data)[slice]; k++) {
        if ((last[k].more->known >> n & 1u) == 0 || last[k].shape[n] != row->shape[n])
            continue;
        float alike = mt_dot(normal_of(&last[k], n), normal);
        if (alike > most) {
            most = alike;
            best = &last[k];
        }
    }
    if (best != NULL)
        take_over(row, n, normal_of(best, n), best->impulse[n],
                  (mote_vec3){best->friction_x[n], best->friction_y[n], best->friction_z[n]});
}

static void recall_step(const shape_job *job, uint32_t slot, mt_contact_row *row, uint32_t n, mote_vec3 normal)
{
    mote_particle_id owner = mt_particle_ids(job->world)[slot];
    mote_shape_id shape = mt_shapes(job->world)[row->shape[n]].id;
    const mt_contact_impulse *all = job->world->impulses.data, *best = NULL;
    const uint32_t *start = job->w->remembered_start.data;
    float most = ALIKE;
    for (uint32_t k = start[owner.index]; k < start[owner.index + 1]; k++) {
        const mt_contact_impulse *one = &all[k];
        if (one->kind != MT_CONTACT_SHAPE || one->other != shape.index ||
            one->other_generation != shape.generation || one->owner_generation != owner.generation)
            continue;
        float alike = mt_dot(one->normal, normal);
        if (alike > most) {
            most = alike;
            best = one;
        }
    }
    if (best != NULL)
        take_over(row, n, best->normal, best->force * job->s->h, mt_scale(best->friction, job->s->h));
}

/* ---- rows of slices ------------------------------------------------------------------------------------ */

static bool is_plane(float offset)
{
    return offset > -0.1f * MT_FAR && offset < 0.1f * MT_FAR;
}

static void clear_row(const shape_job *job, mt_contact_row *row, mt_contact_more *more)
{
    memset(row, 0, sizeof *row);
    memset(more, 0, sizeof *more);
    row->more = more;
    more->plain = true;
    for (uint32_t n = 0; n < MT_SLICE; n++)
        row->a[n] = row->b[n] = more->particle_a[n] = more->particle_b[n] = job->s->dummy;
}

static void fill_lane(const shape_job *job, const mt_shape_row *from, mt_contact_row *row, uint32_t slot,
                      uint32_t n)
{
    const mt_substep *s = job->s;
    const mt_material *own = &job->world->materials[s->material[slot]];
    mt_contact_more *more = row->more;
    mote_vec4 x = s->position[slot];
    mote_vec3 normal = {from->normal_x[n], from->normal_y[n], from->normal_z[n]};
    mote_vec3 move = {from->move_x[n], from->move_y[n], from->move_z[n]};
    uint32_t mover = ((const uint32_t *)job->w->mover_of.data)[slot];
    mt_ball ball = mt_ball_of(job->w, mover, x);
    float radius = own->fluid ? ball.radius - job->w->wet_inset : ball.radius;
    float separation = mt_dot(normal, ball.center) - from->offset[n] + mt_dot(normal, move) - radius;
    row->a[n] = mover;
    more->particle_a[n] = slot;
    row->shape[n] = from->shape[n];
    more->touch[n] = radius;
    mt_note_touch(row, n, ball, x, normal, radius, separation);
    more->surface_x[n] = move.x * s->inverse_h;
    more->surface_y[n] = move.y * s->inverse_h;
    more->surface_z[n] = move.z * s->inverse_h;
    more->static_friction[n] = own->fluid ? 0.0f : from->static_friction[n];
    more->kinetic_friction[n] = own->fluid ? 0.0f : from->kinetic_friction[n];
    more->restitution[n] = from->restitution[n];
    more->softness[n] = own->compliance + from->softness[n] * (s->h * s->h);
    more->pull[n] = own->fluid ? 0.0f : from->pull[n];
    more->parallel[n] =
        mover < job->w->first_body ? 0.0f : 1.0f; /* a particle alone needs no leak, and sinks less */
    more->plain = more->plain && more->softness[n] == 0 && more->pull[n] == 0;
    more->bounces |= (uint32_t)(more->restitution[n] > 0) << n;
    more->known |= 1u << n;
    if (mover < job->w->first_body)
        row->lanes |= 1u << n;
    if (job->last != NULL)
        recall_substep(job, slot / MT_SLICE, row, n, normal);
    else
        recall_step(job, slot, row, n, normal);
}

static void fill_row(const shape_job *job, uint32_t slice, const mt_shape_row *from, mt_contact_row *row,
                     mt_contact_more *more)
{
    const mote_vec4 *velocity = job->w->velocity.data;
    const uint32_t *of = job->w->mover_of.data;
    clear_row(job, row, more);
    for (uint32_t n = 0; n < MT_SLICE; n++) {
        uint32_t slot = slice * MT_SLICE + n;
        if (slot < job->s->count && is_plane(from->offset[n]) && velocity[of[slot]].w > 0)
            fill_lane(job, from, row, slot, n);
    }
    row->active = row->lanes;
    for (uint32_t n = 0; n < MT_SLICE; n++)
        more->most_push[n] = job->w->most_push;
    if (more->bounces != 0)
        atomic_store_explicit(&job->w->bounces, true, memory_order_relaxed);
}

/* Two contacts of a particle that press it against each other, and touch it or nearly so. */
static bool is_jammed(const mt_contact_row *one, const mt_contact_row *other, uint32_t n)
{
    const mt_contact_more *a = one->more, *b = other->more;
    float near = MT_BORNE_DEPTH * a->touch[n];
    float along = a->new_x[n] * b->new_x[n] + a->new_y[n] * b->new_y[n] + a->new_z[n] * b->new_z[n];
    return along < 0 && one->separation[n] < near && other->separation[n] < near;
}

static float leak_of(const mt_contact_row *row, uint32_t n)
{
    float deep = fmaxf(-row->separation[n], 0.0f) / (MT_BORNE_DEPTH * row->more->touch[n]);
    return deep > 1.0f ? sqrtf(deep) : deep;
}

/* Of a loose particle that is jammed between two shapes neither contact could give way: both would press it harder from
 * substep to substep, without end, and shoot it out when it gets loose. So they leak, and the more the deeper they are:
 * they bear without sinking what an overlap of MT_BORNE_DEPTH bears. */
static void let_jams_leak(mt_contact_row *rows, uint32_t number)
{
    for (uint32_t k = 1; k < number; k++)
        for (uint32_t l = 0; l < k; l++)
            for (uint32_t rest = rows[k].lanes & rows[l].lanes; rest != 0; rest &= rest - 1) {
                uint32_t n = (uint32_t)__builtin_ctz(rest);
                if (is_jammed(&rows[k], &rows[l], n)) {
                    rows[k].more->parallel[n] = leak_of(&rows[k], n);
                    rows[l].more->parallel[n] = leak_of(&rows[l], n);
                }
            }
}

/* Loose particles of a slice, in these lanes. */
static bool any_turns(const shape_job *job, uint32_t slice, uint32_t lanes)
{
    const mote_vec4 *spin = (const mote_vec4 *)job->w->spin.data + (size_t)slice * MT_SLICE;
    bool turns = false;
    for (uint32_t n = 0; n < MT_SLICE; n++)
        turns = turns || ((lanes >> n & 1u) != 0 && spin[n].w > 0);
    return turns;
}

static void fill_slices(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const shape_job *job = context;
    const mt_substep *s = job->s;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t number = s->shape_length[slice], held = 0, loose = 0;
        ((uint32_t *)job->now->first.data)[slice] = s->shape_start[slice];
        ((uint32_t *)job->now->number.data)[slice] = number;
        mt_contact_row *row = rows_of(job->now, slice);
        mt_contact_more *more = (mt_contact_more *)job->now->more.data + s->shape_start[slice];
        for (uint32_t k = 0; k < number; k++) {
            fill_row(job, slice, &s->shape_rows[s->shape_start[slice] + k], row + k, more + k);
            loose |= row[k].lanes;
            held |= row[k].more->known & ~row[k].lanes;
        }
        let_jams_leak(row, number);
        ((mt_batch_of_rows *)job->w->shape_batches.data)[slice] =
            (mt_batch_of_rows){.first = s->shape_start[slice],
                               .count = loose != 0 ? number : 0,
                               .wide = any_turns(job, slice, loose),
                               .shape = true};
        ((uint8_t *)job->w->held.data)[slice] = held != 0;
    }
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

#define LENGTHS 256u

/* How many each body has. */
static void count_held(const shape_job *job)
{
    mt_impulses *w = job->w;
    uint32_t *number = w->body_number.data;
    memset(number, 0, (w->mover_count - w->first_body) * sizeof *number);
    for (uint32_t slice = 0; slice < job->s->slices; slice++) {
        if (((const uint8_t *)w->held.data)[slice] == 0)
            continue;
        const mt_contact_row *row = rows_of(job->now, slice);
        for (uint32_t k = 0; k < ((const uint32_t *)job->now->number.data)[slice]; k++)
            for (uint32_t rest = row[k].more->known & ~row[k].lanes; rest != 0; rest &= rest - 1)
                number[row[k].a[__builtin_ctz(rest)] - w->first_body]++;
    }
}

static uint32_t length_of(uint32_t number)
{
    return LENGTHS - (number < LENGTHS ? number : LENGTHS - 1);
}

/* Bodies with contacts, those with the most first; eight make a batch. `body_number` becomes the lane in which each
 * puts its next contact. */
static void lay_out_bodies(mt_impulses *w)
{
    uint32_t bodies = w->mover_count - w->first_body, start[LENGTHS + 2] = {0}, count = 0;
    uint32_t *number = w->body_number.data, *order = w->body_order.data;
    for (uint32_t k = 0; k < bodies; k++)
        if (number[k] > 0) {
            start[length_of(number[k]) + 1]++;
            count++;
        }
    for (uint32_t k = 0; k <= LENGTHS; k++)
        start[k + 1] += start[k];
    for (uint32_t k = 0; k < bodies; k++)
        if (number[k] > 0)
            order[start[length_of(number[k])]++] = k;
    w->body_row_count = w->body_batch_count = 0;
    for (uint32_t k = 0; k < count; k += MT_SLICE) {
        uint32_t longest = 0;
        for (uint32_t n = k; n < count && n < k + MT_SLICE; n++) {
            longest = number[order[n]] > longest ? number[order[n]] : longest;
            number[order[n]] = w->body_row_count * MT_SLICE + (n - k);
        }
        ((mt_batch_of_rows *)w->body_batches.data)[w->body_batch_count++] =
            (mt_batch_of_rows){.first = w->body_row_count, .count = longest, .wide = true, .shape = true};
        w->body_row_count += longest;
    }
}

static void copy_numbers(void *to, uint32_t n, const void *from, uint32_t m, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += sizeof(float[8]))
        memcpy((char *)to + k + n * sizeof(float), (const char *)from + k + m * sizeof(float), sizeof(float));
}

/* All numbers of a lane. */
static void copy_lane(mt_contact_row *to, uint32_t n, const mt_contact_row *from, uint32_t m)
{
    copy_numbers(to, n, from, m, offsetof(mt_contact_row, more));
    copy_numbers(to->more, n, from->more, m, offsetof(mt_contact_more, deep));
}

static void note_sunk(const shape_job *job, const mt_contact_row *row, uint32_t n)
{
    const mt_impulses *w = job->w;
    float depth = -row->separation[n];
    mt_sunk *sunk = (mt_sunk *)w->sunk.data + (row->a[n] - w->first_body);
    if (depth > row->more->touch[n] && depth > sunk->depth && mt_has_way_out(&job->s->placed[row->shape[n]]))
        *sunk = (mt_sunk){row->shape[n], depth};
}

static mote_result gather_held(const shape_job *job)
{
    mt_impulses *w = job->w;
    count_held(job);
    uint32_t total = 0, bodies = w->mover_count - w->first_body;
    memset(w->sunk.data, 0, bodies * sizeof(mt_sunk));
    for (uint32_t k = 0; k < bodies; k++)
        total += ((const uint32_t *)w->body_number.data)[k];
    MT_TRY(mt_array_reserve(&w->body_rows, &job->world->memory, total, 0));
    MT_TRY(mt_array_reserve(&w->body_more, &job->world->memory, total, 0));
    MT_TRY(mt_array_reserve(&w->body_source, &job->world->memory, (size_t)total * MT_SLICE, 0));
    MT_TRY(mt_array_reserve(&w->body_batches, &job->world->memory, bodies / MT_SLICE + 1, 0));
    lay_out_bodies(w);
    mt_contact_row *rows = w->body_rows.data;
    uint32_t *next = w->body_number.data, *source = w->body_source.data;
    for (uint32_t r = 0; r < w->body_row_count; r++)
        clear_row(job, &rows[r], (mt_contact_more *)w->body_more.data + r);
    for (uint32_t slice = 0; slice < job->s->slices; slice++) {
        if (((const uint8_t *)w->held.data)[slice] == 0)
            continue;
        const mt_contact_row *row = rows_of(job->now, slice);
        for (uint32_t k = 0; k < ((const uint32_t *)job->now->number.data)[slice]; k++)
            for (uint32_t rest = row[k].more->known & ~row[k].lanes; rest != 0; rest &= rest - 1) {
                uint32_t m = (uint32_t)__builtin_ctz(rest), *at = &next[row[k].a[m] - w->first_body];
                mt_contact_row *to = &rows[*at / MT_SLICE];
                uint32_t n = *at % MT_SLICE;
                copy_lane(to, n, &row[k], m);
                note_sunk(job, &row[k], m);
                source[*at] = (uint32_t)(&row[k] - (const mt_contact_row *)job->now->rows.data) * MT_SLICE + m;
                to->lanes |= 1u << n;
                to->more->bounces |= (row[k].more->bounces >> m & 1u) << n;
                to->more->plain = to->more->plain && to->more->softness[n] == 0 && to->more->pull[n] == 0;
                *at += MT_SLICE;
            }
    }
    return MOTE_OK;
}

static void return_held(mt_impulses *w)
{
    mt_contact_row *slices = w->sides[w->side].rows.data;
    const mt_contact_row *rows = w->body_rows.data;
    const uint32_t *source = w->body_source.data;
    for (uint32_t r = 0; r < w->body_row_count; r++)
        for (uint32_t rest = rows[r].lanes; rest != 0; rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest), at = source[r * MT_SLICE + n];
            copy_lane(&slices[at / MT_SLICE], at % MT_SLICE, &rows[r], n);
        }
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

mote_result mt_shape_contacts_make(mote_world *world, mt_substep *s)
{
    mt_impulses *w = &world->scratch->impulses;
    mt_shape_side *last = &w->sides[w->side], *now = &w->sides[w->side ^ 1u];
    shape_job job = {world, s, w, now, s->opens_step ? NULL : last};
    MT_TRY(mt_array_reserve(&now->rows, &world->memory, atomic_load(s->shape_rows_used), 0));
    MT_TRY(mt_array_reserve(&now->more, &world->memory, atomic_load(s->shape_rows_used), 0));
    MT_TRY(mt_array_reserve(&now->first, &world->memory, s->slices, 0));
    MT_TRY(mt_array_reserve(&now->number, &world->memory, s->slices, 0));
    MT_TRY(mt_array_reserve(&w->shape_batches, &world->memory, s->slices, 0));
    MT_TRY(mt_array_reserve(&w->held, &world->memory, s->slices, 0));
    MT_TRY(mt_array_reserve(&w->body_number, &world->memory, w->mover_count - w->first_body + 1, 0));
    MT_TRY(mt_array_reserve(&w->body_order, &world->memory, w->mover_count - w->first_body + 1, 0));
    w->side ^= 1u;
    mt_parallel_for(&world->threads, s->slices, MT_PIECE, fill_slices, &job);
    s->sunk = w->sunk.data;
    s->mover_of = w->mover_of.data;
    return gather_held(&job);
}

/* ---- where movers are now ------------------------------------------------------------------------------ */

typedef struct look_job {
    const mt_impulse_job *job;
    bool at_start;
} look_job;

static void look_lane(const look_job *look, const mt_shape_row *from, uint32_t m, mt_contact_row *row,
                      uint32_t n)
{
    const mt_impulse_job *job = look->job;
    mote_vec4 x = job->position[row->more->particle_a[n]];
    mote_vec3 normal = {from->normal_x[m], from->normal_y[m], from->normal_z[m]};
    mt_ball ball = mt_ball_of(job->w, row->a[n], x);
    float radius = row->more->touch[n];
    mote_vec3 move = {from->move_x[m], from->move_y[m], from->move_z[m]};
    float offset = look->at_start ? from->offset[m] - mt_dot(normal, move) : from->offset[m];
    bool counts = !job->stabilizes || is_plane(from->start_offset[m]);
    float separation = counts ? mt_dot(normal, ball.center) - offset - radius : MT_FAR;
    mt_note_touch(row, n, ball, x, normal, radius, separation);
}

static void look_slices(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const look_job *look = context;
    const mt_substep *s = look->job->s;
    mt_contact_row *rows = look->job->w->sides[look->job->w->side].rows.data;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        for (uint32_t k = s->shape_start[slice]; k < s->shape_start[slice] + s->shape_length[slice]; k++)
            for (uint32_t rest = rows[k].lanes; rest != 0; rest &= rest - 1)
                look_lane(look, &s->shape_rows[k], (uint32_t)__builtin_ctz(rest), &rows[k],
                          (uint32_t)__builtin_ctz(rest));
}

static void look_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const look_job *look = context;
    mt_contact_row *rows = look->job->w->body_rows.data;
    const uint32_t *source = look->job->w->body_source.data;
    (void)worker;
    for (uint32_t r = begin; r < end; r++)
        for (uint32_t rest = rows[r].lanes; rest != 0; rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest), at = source[r * MT_SLICE + n];
            look_lane(look, &look->job->s->shape_rows[at / MT_SLICE], at % MT_SLICE, &rows[r], n);
        }
}

void mt_shape_contacts_look(const mt_impulse_job *job, bool at_start)
{
    look_job look = {job, at_start};
    mt_parallel_for(&job->world->threads, job->s->slices, MT_PIECE, look_slices, &look);
    if (job->w->body_row_count > 0)
        mt_parallel_for(&job->world->threads, job->w->body_row_count, MT_PIECE, look_bodies, &look);
}

/* ---- what was given ------------------------------------------------------------------------------------ */

/* What shapes were given, beside what liquids gave them already, for shape_forces.c to add up. */
static void give_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const shape_job *job = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        for (uint32_t k = 0; k < job->s->shape_length[slice]; k++) {
            mt_shape_row *to = &job->s->shape_rows[job->s->shape_start[slice] + k];
            const mt_contact_row *row = rows_of(job->now, slice) + k;
            for (uint32_t n = 0; n < MT_SLICE; n++) {
                bool known = (row->more->known >> n & 1u) != 0;
                float along = known ? (row->impulse[n] + row->more->bounced_sum[n]) * job->s->h : 0.0f;
                float across = known ? job->s->h : 0.0f;
                to->push_x[n] += along * row->normal_x[n] + across * row->friction_x[n];
                to->push_y[n] += along * row->normal_y[n] + across * row->friction_y[n];
                to->push_z[n] += along * row->normal_z[n] + across * row->friction_z[n];
            }
        }
}

void mt_shape_contacts_give(mote_world *world, mt_substep *s)
{
    mt_impulses *w = &world->scratch->impulses;
    return_held(w);
    shape_job job = {world, s, w, &w->sides[w->side], NULL};
    mt_parallel_for(&world->threads, s->slices, MT_PIECE, give_range, &job);
}
