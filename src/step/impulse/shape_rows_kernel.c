/* Planes that particles may touch become contacts, eight at a time, and remember what those of the substep before bore:
 * of loose particles slice by slice; of bodies where shape_contacts.c has given each a place. */
#include "base/lanes3.h"
#include "base/vec.h"
#include "step/impulse/shape_rows.h"
#include "step/impulse/touch.h"
#include "step/kernels.h"
#include "world/check.h"

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

static void recall_substep(const mt_shape_job *job, uint32_t slot, mt_contact_row *row, uint32_t n,
                           mote_vec3 normal)
{
    const uint32_t slice = slot / MT_SLICE, first = ((const uint32_t *)job->last->first.data)[slice];
    const mt_contact_row *best = NULL;
    uint32_t best_lane = 0;
    float most = ALIKE;
    for (uint32_t k = 0; k < ((const uint32_t *)job->last->number.data)[slice]; k++) {
        uint32_t m;
        const mt_contact_row *last = mt_contact_on_shape(job->last, first + k, slot % MT_SLICE, &m);
        if (last == NULL || last->shape[m] != row->shape[n])
            continue;
        float alike = mt_dot(normal_of(last, m), normal);
        if (alike > most) {
            most = alike;
            best = last;
            best_lane = m;
        }
    }
    if (best != NULL)
        take_over(
            row, n, normal_of(best, best_lane), best->impulse[best_lane],
            (mote_vec3){best->friction_x[best_lane], best->friction_y[best_lane], best->friction_z[best_lane]});
    if (best != NULL)
        row->more->warm[n] = best->more->warm[best_lane];
}

static void recall_step(const mt_shape_job *job, uint32_t slot, mt_contact_row *row, uint32_t n,
                        mote_vec3 normal)
{
    mote_particle_id owner = mt_particle_ids(job->world)[slot];
    mote_shape_id shape = mt_shapes(job->world)[row->shape[n]].id;
    const mt_contact_impulse *all = job->world->impulses.data, *best = NULL;
    const uint32_t *start = job->w->search.remembered_start.data;
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
    if (best != NULL)
        row->more->warm[n] = best->warm * job->s->h;
}

/* ---- the planes of a row ------------------------------------------------------------------------------- */

typedef struct planes {
    lanes3 normal, move;
    lanes offset, static_friction, kinetic_friction, restitution, softness, pull;
    lane_index shape;
} planes;

LANE_FUNCTION planes load_planes(const mt_shape_row *from)
{
    return (planes){
        .normal = {lanes_load(from->normal_x), lanes_load(from->normal_y), lanes_load(from->normal_z)},
        .move = {lanes_load(from->move_x), lanes_load(from->move_y), lanes_load(from->move_z)},
        .offset = lanes_load(from->offset),
        .static_friction = lanes_load(from->static_friction),
        .kinetic_friction = lanes_load(from->kinetic_friction),
        .restitution = lanes_load(from->restitution),
        .softness = lanes_load(from->softness),
        .pull = lanes_load(from->pull),
        .shape = lanes_load_index(from->shape),
    };
}

/* The same number of eight planes; each is where it would be if it were in the first lane. */
LANE_FUNCTION lanes number_of(const char *const from[LANES], size_t offset)
{
    float value[LANES];
    for (uint32_t n = 0; n < LANES; n++)
        memcpy(&value[n], from[n] + offset, sizeof value[n]);
    return lanes_load(value);
}

LANE_FUNCTION lanes3 numbers_of(const char *const from[LANES], size_t x, size_t y, size_t z)
{
    return (lanes3){number_of(from, x), number_of(from, y), number_of(from, z)};
}

#define NUMBER(member) offsetof(mt_shape_row, member)

LANE_FUNCTION planes gather_planes(const char *const from[LANES])
{
    return (planes){
        .normal = numbers_of(from, NUMBER(normal_x), NUMBER(normal_y), NUMBER(normal_z)),
        .move = numbers_of(from, NUMBER(move_x), NUMBER(move_y), NUMBER(move_z)),
        .offset = number_of(from, NUMBER(offset)),
        .static_friction = number_of(from, NUMBER(static_friction)),
        .kinetic_friction = number_of(from, NUMBER(kinetic_friction)),
        .restitution = number_of(from, NUMBER(restitution)),
        .softness = number_of(from, NUMBER(softness)),
        .pull = number_of(from, NUMBER(pull)),
        .shape = (lane_index)number_of(from, NUMBER(shape)),
    };
}

/* ---- a row --------------------------------------------------------------------------------------------- */

/* Of the particles of a row. */
typedef struct touching {
    uint32_t slot[LANES], mover[LANES];
    uint32_t bits; /* of the lanes with a contact; slots and movers of others are the dummy's */
    lanes4 x;
    lanes3 center; /* of the ball that touches, */
    lanes radius;  /* and its radius */
    lanes compliance;
    lane_mask wet; /* of liquids */
} touching;

LANE_FUNCTION void fetch_balls(const mt_shape_job *job, touching *t)
{
    const mt_body_surface *surfaces = job->w->movers.surfaces.data;
    t->x = lanes_gather(job->s->particles.position, t->slot);
    t->center = (lanes3){t->x.x, t->x.y, t->x.z};
    t->radius = t->x.w;
    for (uint32_t rest = t->bits; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest);
        if (t->mover[n] < job->w->movers.first_body)
            continue;
        const mt_surface *form = surfaces[t->mover[n] - job->w->movers.first_body].form;
        if (form == NULL || form->type == MT_SURFACE_BOX)
            continue; /* its own ball */
        mt_ball ball = mt_ball_of(job->w, t->mover[n], job->s->particles.position[t->slot[n]]);
        t->center.x[n] = ball.center.x;
        t->center.y[n] = ball.center.y;
        t->center.z[n] = ball.center.z;
        t->radius[n] = ball.radius;
    }
}

LANE_FUNCTION void fetch_materials(const mt_shape_job *job, touching *t)
{
    const mt_material *all = job->world->materials;
    uint32_t first = t->bits != 0 ? job->s->particles.material[t->slot[__builtin_ctz(t->bits)]] : 0;
    uint32_t wet = all[first].fluid ? 0xFFu : 0;
    t->compliance = lanes_all(all[first].compliance);
    for (uint32_t rest = t->bits; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest), material = job->s->particles.material[t->slot[n]];
        if (material == first)
            continue;
        t->compliance[n] = all[material].compliance;
        wet = (wet & ~(1u << n)) | (uint32_t)all[material].fluid << n;
    }
    t->wet = lanes_of_bits(wet);
}

LANE_FUNCTION void put_lanes3(float *x, float *y, float *z, lanes3 v)
{
    lanes_store(x, v.x);
    lanes_store(y, v.y);
    lanes_store(z, v.z);
}

/* Where the ball and the plane touch; the normal is kept apart until the warm start has compared it with the last one.
 * As mt_note_touch. */
LANE_FUNCTION void put_touch(mt_contact_row *row, const touching *t, const planes *p, lanes radius,
                             lane_mask on)
{
    mt_contact_more *more = row->more;
    lanes separation = lanes3_dot(p->normal, t->center) - p->offset + lanes3_dot(p->normal, p->move) - radius;
    lanes3 point = lanes3_sub(t->center, lanes3_scale(p->normal, radius + lanes_all(0.5f) * separation));
    lanes3 off = lanes3_sub((lanes3){t->x.x, t->x.y, t->x.z}, t->center);
    off = lanes3_sub(off, lanes3_scale(p->normal, lanes3_dot(off, p->normal)));
    lane_mask near = lanes_below(lanes3_dot(off, off), lanes_all(4.0f) * t->x.w * t->x.w);
    lanes_store(row->separation, lanes_keep(on, lanes_select(near, separation, lanes_all(MT_FAR))));
    lanes_store(more->touch, lanes_keep(on, radius));
    put_lanes3(more->new_x, more->new_y, more->new_z, lanes3_keep(on, p->normal));
    put_lanes3(more->point_x, more->point_y, more->point_z, lanes3_keep(on, point));
}

/* What the material of the particle and that of the shape make of it. */
LANE_FUNCTION void put_surface(const mt_shape_job *job, mt_contact_row *row, const touching *t, const planes *p,
                               lane_mask on)
{
    const mt_substep *s = job->s;
    mt_contact_more *more = row->more;
    const lane_mask dry = on & ~t->wet;
    lanes softness = lanes_keep(on, t->compliance + p->softness * lanes_all(s->h * s->h)),
          pull = lanes_keep(dry, p->pull), zero = lanes_all(0.0f);
    put_lanes3(more->surface_x, more->surface_y, more->surface_z,
               lanes3_keep(on, lanes3_scale(p->move, lanes_all(s->inverse_h))));
    lanes_store(more->static_friction, lanes_keep(dry, p->static_friction));
    lanes_store(more->kinetic_friction, lanes_keep(dry, p->kinetic_friction));
    lanes_store(more->restitution, lanes_keep(on, p->restitution));
    lanes_store(more->softness, softness);
    lanes_store(more->pull, pull);
    more->plain = lanes_bits(lanes_above(softness, zero) | lanes_above(pull, zero)) == 0;
    more->bounces = lanes_bits(lanes_above(p->restitution, zero)) & t->bits;
    if (more->bounces != 0)
        atomic_store_explicit(&job->w->bounces, true, memory_order_relaxed);
}

LANE_FUNCTION void put_no_impulse(const mt_shape_job *job, mt_contact_row *row)
{
    const lanes3 none = lanes3_all((mote_vec3){0.0f, 0.0f, 0.0f});
    put_lanes3(row->normal_x, row->normal_y, row->normal_z, none);
    put_lanes3(row->friction_x, row->friction_y, row->friction_z, none);
    lanes_store(row->impulse, none.x);
    lanes_store(row->more->warm, none.x);
    lanes_store(row->more->bounced, none.x);
    lanes_store(row->more->bounced_sum, none.x);
    lanes_store(row->more->target_speed, none.x);
    lanes_store(row->more->most_push, lanes_all(job->w->most_push));
}

LANE_FUNCTION void fill_row(const mt_shape_job *job, mt_contact_row *row, mt_contact_more *more, touching *t,
                            const planes *p)
{
    const lane_mask on = lanes_of_bits(t->bits);
    const lane_index dummy = lanes_all_index(job->s->dummy);
    fetch_balls(job, t);
    fetch_materials(job, t);
    row->more = more;
    row->lanes = row->active = t->bits;
    row->static_friction = row->kinetic_friction = 0.0f;
    more->surfaced = false;
    more->deep = more->bouncing = 0;
    memcpy(row->a, t->mover, sizeof row->a);
    lanes_store_index(row->shape, (lane_index)lanes_select(on, (lanes)p->shape, (lanes)dummy));
    memcpy(more->particle_a, t->slot, sizeof more->particle_a);
    lanes_store_index(more->particle_b, dummy);
    lanes_store_index(more->on_surface, lanes_all_index(0));
    put_touch(row, t, p, lanes_select(t->wet, t->radius - lanes_all(job->w->wet_inset), t->radius), on);
    put_surface(job, row, t, p, on);
    put_no_impulse(job, row);
    for (uint32_t rest = t->bits; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest);
        mote_vec3 normal = {p->normal.x[n], p->normal.y[n], p->normal.z[n]};
        if (job->last != NULL)
            recall_substep(job, t->slot[n], row, n, normal);
        else
            recall_step(job, t->slot[n], row, n, normal);
    }
}

/* ---- loose particles ----------------------------------------------------------------------------------- */

/* Two contacts of a particle that press it against each other, and touch it or nearly so. */
static bool is_jammed(const mt_contact_row *one, const mt_contact_row *other, uint32_t n)
{
    const mt_contact_more *a = one->more, *b = other->more;
    float near = MT_LINEAR_DEPTH * a->touch[n];
    float along = a->new_x[n] * b->new_x[n] + a->new_y[n] * b->new_y[n] + a->new_z[n] * b->new_z[n];
    return along < 0 && one->separation[n] < near && other->separation[n] < near;
}

static float leak_of(const mt_contact_row *row, uint32_t n)
{
    float deep = fmaxf(-row->separation[n], 0.0f) / (MT_LINEAR_DEPTH * row->more->touch[n]);
    return deep > 1.0f ? sqrtf(deep) : deep;
}

/* Of a loose particle that is jammed between two shapes neither contact could give way: both would press it harder from
 * substep to substep, without end, and shoot it out when it gets loose. So they leak, and the more the deeper they are:
 * they bear without sinking what an overlap of MT_LINEAR_DEPTH bears. */
static void let_jams_leak(mt_contact_row *rows, const mt_shape_lanes *lanes_of, uint32_t number)
{
    for (uint32_t k = 1; k < number; k++)
        for (uint32_t l = 0; l < k; l++)
            for (uint32_t rest = lanes_of[k].loose & lanes_of[l].loose; rest != 0; rest &= rest - 1) {
                uint32_t n = (uint32_t)__builtin_ctz(rest);
                if (is_jammed(&rows[k], &rows[l], n)) {
                    rows[k].more->parallel[n] = leak_of(&rows[k], n);
                    rows[l].more->parallel[n] = leak_of(&rows[l], n);
                }
            }
}

/* Loose particles of a slice, in these lanes. */
static bool any_turns(const mt_shape_job *job, uint32_t slice, uint32_t loose)
{
    const mote_vec4 *spin = (const mote_vec4 *)job->w->movers.spin.data + (size_t)slice * MT_SLICE;
    bool turns = false;
    for (uint32_t n = 0; n < MT_SLICE; n++)
        turns = turns || ((loose >> n & 1u) != 0 && spin[n].w > 0);
    return turns;
}

/* Which planes of a row are contacts, of whom. Lanes without a plane have one far below; who does not move has none. */
LANE_FUNCTION mt_shape_lanes sort_lanes(const mt_shape_job *job, uint32_t slice, lanes offset)
{
    const uint32_t *of = (const uint32_t *)job->w->movers.of.data + (size_t)slice * LANES;
    lanes mass = lanes_gather(job->w->movers.velocity.data, of).w;
    uint32_t left = job->s->count - slice * LANES, real = left < LANES ? (1u << left) - 1u : 0xFFu;
    uint32_t bits =
        lanes_bits(lanes_within(offset, lanes_all(MT_NO_PLANE)) & lanes_above(mass, lanes_all(0.0f)));
    uint32_t held =
        lanes_bits(lanes_differ(lanes_load_index(of), lanes_iota() + lanes_all_index(slice * LANES)));
    return (mt_shape_lanes){.loose = bits & real & ~held, .held = bits & real & held};
}

LANE_FUNCTION void fill_loose(const mt_shape_job *job, uint32_t slice, uint32_t r, uint32_t bits)
{
    mt_contact_more *more = (mt_contact_more *)job->now->more.data + r;
    planes p = load_planes(&job->s->shapes.rows[r]);
    touching t = {.bits = bits};
    for (uint32_t n = 0; n < LANES; n++)
        t.slot[n] = t.mover[n] = (bits >> n & 1u) != 0 ? slice * LANES + n : job->s->dummy;
    fill_row(job, (mt_contact_row *)job->now->rows.data + r, more, &t, &p);
    lanes_store(more->parallel, lanes_all(0.0f)); /* a particle alone needs no leak, and sinks less */
}

void MT_KERNEL(shape_rows)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_shape_job *job = context;
    const mt_substep *s = job->s;
    mt_shape_lanes *sorted = job->now->lanes.data;
    uint32_t any_loose = 0, any_held = 0;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        const uint32_t first = s->shapes.start[slice], number = s->shapes.length[slice];
        uint32_t loose = 0;
        ((uint32_t *)job->now->first.data)[slice] = first;
        ((uint32_t *)job->now->number.data)[slice] = number;
        for (uint32_t r = first; r < first + number; r++) {
            sorted[r] = sort_lanes(job, slice, lanes_load(s->shapes.rows[r].offset));
            loose |= sorted[r].loose;
            any_held |= sorted[r].held;
        }
        for (uint32_t r = first; loose != 0 && r < first + number; r++)
            fill_loose(job, slice, r, sorted[r].loose);
        if (loose != 0)
            let_jams_leak((mt_contact_row *)job->now->rows.data + first, &sorted[first], number);
        ((mt_batch_of_rows *)job->w->shapes.batches.data)[slice] =
            (mt_batch_of_rows){.first = first,
                               .count = loose != 0 ? number : 0,
                               .wide = loose != 0 && any_turns(job, slice, loose),
                               .shape = true};
        any_loose |= loose;
    }
    if (any_loose != 0)
        atomic_store_explicit(&job->w->shapes.any_loose, true, memory_order_relaxed);
    if (any_held != 0)
        atomic_store_explicit(&job->w->shapes.any_held, true, memory_order_relaxed);
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

LANE_FUNCTION void fill_held(const mt_shape_job *job, uint32_t r)
{
    const mt_held_contact *held = (const mt_held_contact *)job->w->shapes.held.data + (size_t)r * LANES;
    const char *from[LANES], *any = NULL;
    touching t = {.bits = 0};
    for (uint32_t n = LANES; n-- > 0;) {
        bool is_one = held[n].source != MT_NO_CONTACT;
        t.slot[n] = is_one ? held[n].slot : job->s->dummy;
        t.mover[n] = is_one ? ((const uint32_t *)job->w->movers.of.data)[held[n].slot] : job->s->dummy;
        t.bits |= (uint32_t)is_one << n;
        if (is_one)
            any = (const char *)&job->s->shapes.rows[held[n].source / LANES] +
                  held[n].source % LANES * sizeof(float);
        from[n] = any;
    }
    for (uint32_t n = LANES; n-- > 0;) /* lanes without a contact are left out */
        from[n] = from[n] != NULL ? from[n] : any;
    planes p = gather_planes(from);
    mt_contact_more *more = (mt_contact_more *)job->now->body_more.data + r;
    fill_row(job, (mt_contact_row *)job->now->body_rows.data + r, more, &t, &p);
    lanes_store(more->parallel, lanes_keep(lanes_of_bits(t.bits), lanes_all(1.0f)));
}

void MT_KERNEL(shape_body_rows)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_shape_job *job = context;
    const mt_batch_of_rows *batches = job->w->shapes.body_batches.data;
    (void)worker;
    for (uint32_t k = begin; k < end; k++)
        for (uint32_t r = batches[k].first; r < batches[k].first + batches[k].count; r++)
            fill_held(job, r);
}
