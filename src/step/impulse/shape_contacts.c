/* Contacts with shapes. The planes that particles may touch in a substep are found by contacts/shapes_kernel.c;
 * shape_rows_kernel.c makes rows of contacts of them. Loose particles are solved slice by slice; the contacts of a body
 * one after the other, of eight bodies at a time: here each of these gets its place. */
#include "step/impulse/shape_rows.h"

#include "base/vec.h"
#include "step/impulse/touch.h"
#include "step/impulse/way_out.h"
#include "step/kernels.h"
#include "world/check.h"

#include <string.h>

/* ---- bodies -------------------------------------------------------------------------------------------- */

#define LENGTHS 256u

static void clear_numbers(mt_impulses *w)
{
    memset(w->shapes.body_number.data, 0, (w->movers.count - w->movers.first_body) * sizeof(uint32_t));
}

/* How many each body has; answers how many they are together. */
static uint32_t count_held(const mt_shape_job *job)
{
    mt_impulses *w = job->w;
    const uint32_t *first = job->now->first.data, *count = job->now->number.data, *of = w->movers.of.data;
    const mt_shape_lanes *lanes = job->now->lanes.data;
    uint32_t *number = w->shapes.body_number.data, total = 0;
    for (uint32_t slice = 0; slice < job->s->slices; slice++)
        for (uint32_t r = first[slice]; r < first[slice] + count[slice]; r++)
            for (uint32_t rest = lanes[r].held; rest != 0; rest &= rest - 1, total++)
                number[of[slice * MT_SLICE + (uint32_t)__builtin_ctz(rest)] - w->movers.first_body]++;
    return total;
}

static uint32_t length_of(uint32_t number)
{
    return LENGTHS - (number < LENGTHS ? number : LENGTHS - 1);
}

/* Bodies with contacts, those with the most first; eight make a batch. `body_number` becomes the lane in which each
 * puts its next contact. */
static void lay_out_bodies(mt_impulses *w)
{
    uint32_t bodies = w->movers.count - w->movers.first_body, start[LENGTHS + 2] = {0}, count = 0;
    uint32_t *number = w->shapes.body_number.data, *order = w->shapes.body_order.data;
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
    w->shapes.body_row_count = w->shapes.body_batch_count = 0;
    for (uint32_t k = 0; k < count; k += MT_SLICE) {
        uint32_t longest = 0;
        for (uint32_t n = k; n < count && n < k + MT_SLICE; n++) {
            longest = number[order[n]] > longest ? number[order[n]] : longest;
            number[order[n]] = w->shapes.body_row_count * MT_SLICE + (n - k);
        }
        ((mt_batch_of_rows *)w->shapes.body_batches.data)[w->shapes.body_batch_count++] = (mt_batch_of_rows){
            .first = w->shapes.body_row_count, .count = longest, .wide = true, .shape = true};
        w->shapes.body_row_count += longest;
    }
}

/* Each contact of a body to the next place in its body's lane. */
static void place_held(const mt_shape_job *job)
{
    mt_impulses *w = job->w;
    const uint32_t *first = job->now->first.data, *count = job->now->number.data, *of = w->movers.of.data;
    mt_shape_lanes *lanes = job->now->lanes.data;
    mt_held_contact *held = w->shapes.held.data;
    uint32_t *next = w->shapes.body_number.data;
    memset(held, 0xff, (size_t)w->shapes.body_row_count * MT_SLICE * sizeof *held);
    for (uint32_t slice = 0; slice < job->s->slices; slice++)
        for (uint32_t r = first[slice]; r < first[slice] + count[slice]; r++)
            for (uint32_t rest = lanes[r].held; rest != 0; rest &= rest - 1) {
                uint32_t n = (uint32_t)__builtin_ctz(rest), slot = slice * MT_SLICE + n;
                uint32_t *at = &next[of[slot] - w->movers.first_body];
                held[*at] = (mt_held_contact){r * MT_SLICE + n, slot};
                lanes[r].at[n] = *at;
                *at += MT_SLICE;
            }
}

static void note_sunk(const mt_shape_job *job, const mt_contact_row *row, uint32_t n)
{
    const mt_impulses *w = job->w;
    float depth = -row->separation[n];
    mt_sunk *sunk = (mt_sunk *)w->movers.sunk.data + (row->a[n] - w->movers.first_body);
    if (depth > row->more->touch[n] && depth > sunk->depth &&
        mt_has_way_out(&job->s->shapes.placed[row->shape[n]]))
        *sunk = (mt_sunk){row->shape[n], depth};
}

/* Which shape each body is deepest in. */
static void find_sunk(const mt_shape_job *job)
{
    const mt_contact_row *rows = job->now->body_rows.data;
    for (uint32_t r = 0; r < job->w->shapes.body_row_count; r++)
        for (uint32_t rest = rows[r].lanes; rest != 0; rest &= rest - 1)
            note_sunk(job, &rows[r], (uint32_t)__builtin_ctz(rest));
}

static mote_result make_held(mt_shape_job *job)
{
    mt_impulses *w = job->w;
    mt_memory *memory = &job->world->memory;
    uint32_t bodies = w->movers.count - w->movers.first_body;
    w->shapes.body_row_count = w->shapes.body_batch_count = 0;
    if (!atomic_load(&w->shapes.any_held))
        return MOTE_OK;
    MT_TRY(mt_array_reserve(&w->shapes.body_number, memory, bodies, 0));
    MT_TRY(mt_array_reserve(&w->shapes.body_order, memory, bodies, 0));
    MT_TRY(mt_array_reserve(&w->shapes.body_batches, memory, bodies / MT_SLICE + 1, 0));
    clear_numbers(w);
    uint32_t total = count_held(job);
    MT_TRY(mt_array_reserve(&job->now->body_rows, memory, total, 0));
    MT_TRY(mt_array_reserve(&job->now->body_more, memory, total, 0));
    MT_TRY(mt_array_reserve(&w->shapes.held, memory, (size_t)total * MT_SLICE, 0));
    lay_out_bodies(w);
    place_held(job);
    mt_parallel_for(&job->world->threads, w->shapes.body_batch_count, 1, job->world->kernels->shape_body_rows,
                    job);
    find_sunk(job);
    return MOTE_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* Most slices touch no shape, or are of bodies, which come first: passes go over the batches of the others alone. */
static void close_ranks(const mote_world *world, mt_impulses *w, uint32_t slices)
{
    mt_batch_of_rows *batches = w->shapes.batches.data;
    uint32_t count = 0, end = atomic_load(&w->shapes.any_loose) ? slices : 0;
    for (uint32_t slice = world->bodies.count > 0 ? world->scratch->bodies.slot_count / MT_SLICE : 0;
         slice < end; slice++)
        if (batches[slice].count > 0)
            batches[count++] = batches[slice];
    w->shapes.batch_count = count;
}

mote_result mt_shape_contacts_make(mote_world *world, mt_substep *s)
{
    mt_impulses *w = &world->scratch->impulses;
    mt_shape_side *last = &w->shapes.sides[w->shapes.side], *now = &w->shapes.sides[w->shapes.side ^ 1u];
    mt_shape_job job = {world, s, w, now, s->time.opens_step ? NULL : last};
    uint32_t rows = atomic_load(s->shapes.rows_used);
    MT_TRY(mt_array_reserve(&now->lanes, &world->memory, rows, 0));
    MT_TRY(mt_array_reserve(&now->rows, &world->memory, rows, 0));
    MT_TRY(mt_array_reserve(&now->more, &world->memory, rows, 0));
    MT_TRY(mt_array_reserve(&now->first, &world->memory, s->slices, 0));
    MT_TRY(mt_array_reserve(&now->number, &world->memory, s->slices, 0));
    MT_TRY(mt_array_reserve(&w->shapes.batches, &world->memory, s->slices, 0));
    w->shapes.side ^= 1u;
    atomic_store(&w->shapes.any_loose, false);
    atomic_store(&w->shapes.any_held, false);
    mt_parallel_for(&world->threads, s->slices, MT_PIECE, world->kernels->shape_rows, &job);
    close_ranks(world, w, s->slices);
    memset(w->movers.sunk.data, 0, (w->movers.count - w->movers.first_body) * sizeof(mt_sunk));
    s->guard.sunk = w->movers.sunk.data;
    s->guard.mover_of = w->movers.of.data;
    return make_held(&job);
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
    bool counts = !job->at_position.stabilizes || mt_is_plane(from->start_offset[m]);
    float separation = counts ? mt_dot(normal, ball.center) - offset - radius : MT_FAR;
    mt_note_touch(row, n, ball, x, normal, radius, separation);
}

static void look_slices(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const look_job *look = context;
    const mt_substep *s = look->job->s;
    const mt_shape_side *side = &look->job->w->shapes.sides[look->job->w->shapes.side];
    const mt_shape_lanes *lanes = side->lanes.data;
    mt_contact_row *rows = side->rows.data;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        for (uint32_t k = s->shapes.start[slice]; k < s->shapes.start[slice] + s->shapes.length[slice]; k++)
            for (uint32_t rest = lanes[k].loose; rest != 0; rest &= rest - 1)
                look_lane(look, &s->shapes.rows[k], (uint32_t)__builtin_ctz(rest), &rows[k],
                          (uint32_t)__builtin_ctz(rest));
}

static void look_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const look_job *look = context;
    const mt_impulses *w = look->job->w;
    mt_contact_row *rows = w->shapes.sides[w->shapes.side].body_rows.data;
    const mt_held_contact *held = w->shapes.held.data;
    (void)worker;
    for (uint32_t r = begin; r < end; r++)
        for (uint32_t rest = rows[r].lanes; rest != 0; rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest), at = held[r * MT_SLICE + n].source;
            look_lane(look, &look->job->s->shapes.rows[at / MT_SLICE], at % MT_SLICE, &rows[r], n);
        }
}

void mt_shape_contacts_look(const mt_impulse_job *job, bool at_start)
{
    look_job look = {job, at_start};
    mt_parallel_for(&job->world->threads, job->s->slices, MT_PIECE, look_slices, &look);
    if (job->w->shapes.body_row_count > 0)
        mt_parallel_for(&job->world->threads, job->w->shapes.body_row_count, MT_PIECE, look_bodies, &look);
}

/* ---- what was given ------------------------------------------------------------------------------------ */

/* Beside what liquids gave them already. */
void mt_shape_contacts_give(const mote_world *world, const mt_substep *s, uint32_t begin, uint32_t end)
{
    const mt_impulses *w = &world->scratch->impulses;
    const mt_shape_side *side = &w->shapes.sides[w->shapes.side];
    const mt_shape_lanes *lanes = side->lanes.data;
    for (uint32_t slice = begin; slice < end; slice++)
        for (uint32_t r = s->shapes.start[slice]; r < s->shapes.start[slice] + s->shapes.length[slice]; r++)
            for (uint32_t rest = lanes[r].loose | lanes[r].held; rest != 0; rest &= rest - 1) {
                uint32_t n = (uint32_t)__builtin_ctz(rest), m;
                mt_shape_row *to = &s->shapes.rows[r];
                const mt_contact_row *row = mt_contact_on_shape(side, r, n, &m);
                float along = (row->impulse[m] + row->more->bounced_sum[m]) * s->h;
                to->push_x[n] += along * row->normal_x[m] + s->h * row->friction_x[m];
                to->push_y[n] += along * row->normal_y[m] + s->h * row->friction_y[m];
                to->push_z[n] += along * row->normal_z[m] + s->h * row->friction_z[m];
            }
}
