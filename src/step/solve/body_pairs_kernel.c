/* Contacts of bodies: packed once a substep, solved eight at a time; bodies/pairs.h says why. */
#include "step/kernels.h"
#include "step/solve/contact_rows.h"

#define NO_PLANE (-0.5f * MT_FAR) /* lanes of shape rows that are empty are further below */

static const mt_body_work *work_of(const mt_substep *s, uint32_t body)
{
    return mt_body_works(s->bodies) + body;
}

static const mt_assembly *assembly_at(const mt_substep *s, uint32_t k)
{
    return (const mt_assembly *)s->bodies->assemblies.data + k;
}

static const mt_body_row *row_at(const mt_substep *s, const mt_body_work *w, uint32_t k)
{
    return (const mt_body_row *)s->bodies->rows.data + w->first_row + k;
}

static mt_shared_place *place_at(const mt_substep *s, const mt_assembly *a, uint32_t k, uint32_t *index)
{
    const uint32_t *list = (const uint32_t *)s->bodies->order.data + 2 * (size_t)s->bodies->body_count;
    *index = list[a->first_place + k];
    return &mt_shared_places(s->bodies)[*index];
}

/* Who is told what fills up eights. Every block has one of its own, in a cache line of its own: threads would
 * otherwise take that of all from each other. */
static uint32_t nobody(const mt_substep *s, const mt_pair_block *block)
{
    uint32_t number = (uint32_t)(block - (const mt_pair_block *)s->pairs->blocks.data);
    return s->bodies->body_count + s->bodies->place_count + MT_NOBODY_STRIDE * (number + 1);
}

/* Nothing to be told: it does not move, or touches nobody. */
static bool is_left_out(const mt_substep *s, const mt_assembly *a)
{
    return a->alone || work_of(s, a->first_body)->inverse_mass == 0;
}

/* ---- packing ------------------------------------------------------------------------------------------- */

typedef struct packer {
    const mt_substep *s;
    uint32_t *own, *other, *to; /* of the block */
    uint32_t count, real;       /* `real`: without those that fill up the last eight */
    mt_shape_row *planes;
    mt_plane_names *names;
    uint32_t plane_count;
    uint32_t nobody;
} packer;

static uint32_t touching(const mt_substep *s, uint32_t slice)
{
    return ((const uint32_t *)s->lists->touching.data)[slice];
}

static const uint32_t *contacts_of(const mt_substep *s, uint32_t slice)
{
    return (const uint32_t *)s->lists->contact.data +
           (size_t)((const uint32_t *)s->lists->start.data)[slice] * LANES;
}

/* Eight that touch nothing, and what is 0 for most. */
LANE_FUNCTION void begin_planes(mt_shape_row *planes)
{
    const lanes none = lanes_all(-MT_FAR), zero = lanes_all(0.0f);
    float *const fields[] = {planes->normal_x,         planes->normal_y, planes->normal_z,
                             planes->move_x,           planes->move_y,   planes->move_z,
                             planes->push_x,           planes->push_y,   planes->static_friction,
                             planes->kinetic_friction, planes->push_z,   planes->pull};
    for (uint32_t k = 0; k < sizeof fields / sizeof *fields; k++)
        lanes_store(fields[k], zero);
    lanes_store(planes->offset, none);
    lanes_store(planes->start_offset, none);
}

static void add_plane(packer *p, uint32_t row, uint32_t lane, uint32_t slot, uint32_t to)
{
    const mt_shape_row *from = &p->s->shape_rows[row];
    uint32_t k = p->plane_count / LANES, n = p->plane_count % LANES;
    mt_shape_row *into = &p->planes[k];
    if (n == 0)
        begin_planes(into);
    into->normal_x[n] = from->normal_x[lane];
    into->normal_y[n] = from->normal_y[lane];
    into->normal_z[n] = from->normal_z[lane];
    into->offset[n] = from->offset[lane];
    into->start_offset[n] = from->start_offset[lane];
    into->static_friction[n] = from->static_friction[lane];
    into->kinetic_friction[n] = from->kinetic_friction[lane];
    if (p->s->shapes_move) {
        into->move_x[n] = from->move_x[lane];
        into->move_y[n] = from->move_y[lane];
        into->move_z[n] = from->move_z[lane];
    }
    if (p->s->sticky)
        into->pull[n] = from->pull[lane];
    p->names[k].own[n] = slot;
    p->names[k].to[n] = to;
    p->names[k].row[n] = row;
    p->names[k].lane[n] = lane;
    p->plane_count++;
}

static void pack_particle(packer *p, uint32_t slot, uint32_t to)
{
    const mt_substep *s = p->s;
    uint32_t slice = slot / LANES, lane = slot % LANES;
    const uint32_t *contact = contacts_of(s, slice);
    for (uint32_t k = 0; k < touching(s, slice); k++) {
        uint32_t other = contact[k * LANES + lane];
        if (other == s->dummy)
            break;
        p->own[p->count] = slot;
        p->other[p->count] = other;
        p->to[p->count++] = to;
    }
    for (uint32_t k = 0; k < s->shape_length[slice]; k++)
        if (s->shape_rows[s->shape_start[slice] + k].offset[lane] > NO_PLANE)
            add_plane(p, s->shape_start[slice] + k, lane, slot, to);
}

/* Eight particles of one body, which are a slice. */
LANE_FUNCTION void pack_slice(packer *p, uint32_t slot, uint32_t to)
{
    const mt_substep *s = p->s;
    uint32_t slice = slot / LANES;
    const uint32_t *contact = contacts_of(s, slice);
    lane_index own = lanes_all_index(slot) + lanes_iota();
    for (uint32_t k = 0; k < touching(s, slice); k++, contact += LANES) {
        lane_index other = lanes_load_index(contact);
        uint32_t bits = lanes_bits(lanes_differ(other, lanes_all_index(s->dummy)));
        lanes_compress(p->own + p->count, own, bits);
        lanes_store_index(p->to + p->count, lanes_all_index(to));
        p->count += lanes_compress(p->other + p->count, other, bits);
    }
    for (uint32_t k = 0; k < s->shape_length[slice]; k++) {
        uint32_t row = s->shape_start[slice] + k;
        uint32_t bits = lanes_bits(lanes_above(lanes_load(s->shape_rows[row].offset), lanes_all(NO_PLANE)));
        for (; bits != 0; bits &= bits - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits);
            add_plane(p, row, lane, slot + lane, to);
        }
    }
}

/* Adds up how much room a particle, or eight of a slice, may need. */
static void add_room(const mt_substep *s, uint32_t slot, uint32_t lanes_used, uint32_t *contacts,
                     uint32_t *planes)
{
    *contacts += lanes_used * touching(s, slot / LANES);
    *planes += lanes_used * s->shape_length[slot / LANES];
}

static void measure_assembly(const mt_substep *s, const mt_assembly *a, uint32_t *contacts, uint32_t *planes)
{
    for (uint32_t i = 0; i < a->bodies; i++) {
        const mt_body_work *w = work_of(s, a->first_body + i);
        for (uint32_t k = 0; k < w->rows; k++) {
            const mt_body_row *row = row_at(s, w, k);
            if (row->quiet)
                continue;
            for (uint32_t n = 0; n < (row->whole ? 1 : row->count); n++)
                add_room(s, row->rest->slot[n], row->whole ? LANES : 1, contacts, planes);
        }
    }
    for (uint32_t k = 0; k < a->places; k++) {
        uint32_t index;
        const mt_shared_place *place = place_at(s, a, k, &index);
        if (!place->quiet)
            add_room(s, place->slot, 1, contacts, planes);
    }
}

LANE_FUNCTION void pack_assembly(packer *p, const mt_assembly *a)
{
    const mt_substep *s = p->s;
    for (uint32_t i = 0; i < a->bodies; i++) {
        const mt_body_work *w = work_of(s, a->first_body + i);
        for (uint32_t k = 0; k < w->rows; k++) {
            const mt_body_row *row = row_at(s, w, k);
            if (row->quiet)
                continue;
            if (row->whole)
                pack_slice(p, row->first, a->first_body + i);
            else
                for (uint32_t n = 0; n < row->count; n++)
                    pack_particle(p, row->rest->slot[n], a->first_body + i);
        }
    }
    for (uint32_t k = 0; k < a->places; k++) {
        uint32_t index;
        const mt_shared_place *place = place_at(s, a, k, &index);
        if (!place->quiet)
            pack_particle(p, place->slot, s->bodies->body_count + index);
    }
}

/* Fills up the last eight of each kind with what touches nothing. */
LANE_FUNCTION void pad(packer *p)
{
    uint32_t dummy = p->s->dummy;
    lanes_store_index(p->own + p->count, lanes_all_index(dummy));
    lanes_store_index(p->other + p->count, lanes_all_index(dummy));
    lanes_store_index(p->to + p->count, lanes_all_index(p->nobody));
    p->real = p->count;
    p->count = (p->count + LANES - 1) / LANES * LANES;
    for (; p->plane_count % LANES != 0; p->plane_count++) {
        uint32_t k = p->plane_count / LANES, n = p->plane_count % LANES;
        p->names[k].own[n] = dummy;
        p->names[k].to[n] = p->nobody;
        p->names[k].row[n] = UINT32_MAX;
    }
}

/* Bits of the contacts whose particles both know a way out of their bodies. */
static uint32_t solid_pairs(const mt_substep *s, const uint32_t *own, const uint32_t *other)
{
    uint32_t bits = 0;
    for (uint32_t n = 0; n < LANES; n++)
        bits |= (uint32_t)(s->marks[own[n]] & s->marks[other[n]] & MT_MARK_SOLID) << n;
    return bits;
}

/* How near the two of each contact come before it matters, the square of that: in an iteration, and when
 * stabilising, which leaves something of what bodies overlap. */
LANE_FUNCTION void measure_reach(const mt_substep *s, const packer *p, float *reach, float *start_reach)
{
    lanes left = lanes_all(0.999f * MT_LEFT_OVERLAP * s->weight_depth), zero = lanes_all(0.0f);
    const float radius = s->bodies->radius;
    for (uint32_t k = 0; k < p->count; k += LANES) {
        lanes touch = radius >= 0
                          ? lanes_all(radius + radius)
                          : lanes_gather(s->position, p->own + k).w + lanes_gather(s->position, p->other + k).w;
        lane_mask solid = lanes_of_bits(solid_pairs(s, p->own + k, p->other + k));
        lanes closer = lanes_max(touch - lanes_keep(solid, left), zero);
        lanes_store(start_reach + k, closer * closer);
        touch *= lanes_all(s->sticky ? MT_ADHESION_REACH : 1.0f);
        lanes_store(reach + k, touch * touch);
    }
    for (uint32_t k = p->real; k < p->count; k++)
        reach[k] = start_reach[k] = 0.0f;
}

static void note_centres(const mt_substep *s, const mt_assembly *a)
{
    mote_vec4 *centre = s->pairs->centre.data;
    for (uint32_t i = a->first_body; i < a->first_body + a->bodies; i++) {
        mote_vec3 at = work_of(s, i)->start.position;
        centre[i] = (mote_vec4){at.x, at.y, at.z, 0.0f};
    }
}

/* Whether masses are scaled for contacts of an assembly: where those with joints are spared, only someone without
 * has any. */
static bool may_scale(const mt_substep *s, const mt_assembly *a)
{
    return s->mass_scaling > 0 && !(s->spares_joints && a->joints > 0);
}

/* Settles a block of assemblies, takes room for their contacts and packs them. */
void MT_KERNEL(bodies_settle_pack)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    mt_body_pairs *pairs = s->pairs;
    uint32_t contacts = 0, planes = 0;
    bool scaled = false;
    MT_KERNEL(bodies_settle)(context, begin, end, worker);
    for (uint32_t k = begin; k < end; k++) {
        if (is_left_out(s, assembly_at(s, k)))
            continue;
        measure_assembly(s, assembly_at(s, k), &contacts, &planes);
        note_centres(s, assembly_at(s, k));
        scaled = scaled || may_scale(s, assembly_at(s, k));
    }
    mt_pair_block *block = (mt_pair_block *)pairs->blocks.data + begin / MT_BODY_BLOCK;
    *block = (mt_pair_block){.scaled = scaled};
    if (contacts + planes == 0)
        return;
    block->first = atomic_fetch_add_explicit(&pairs->used, (contacts + 2 * LANES - 1) / LANES * LANES,
                                             memory_order_relaxed);
    block->first_plane =
        atomic_fetch_add_explicit(&pairs->planes_used, (planes + LANES - 1) / LANES, memory_order_relaxed);
    packer p = {.s = s,
                .own = (uint32_t *)pairs->own.data + block->first,
                .other = (uint32_t *)pairs->other.data + block->first,
                .to = (uint32_t *)pairs->to.data + block->first,
                .planes = (mt_shape_row *)pairs->planes.data + block->first_plane,
                .names = (mt_plane_names *)pairs->names.data + block->first_plane,
                .nobody = nobody(s, block)};
    for (uint32_t k = begin; k < end; k++)
        if (!is_left_out(s, assembly_at(s, k)))
            pack_assembly(&p, assembly_at(s, k));
    pad(&p);
    measure_reach(s, &p, (float *)pairs->reach.data + block->first,
                  (float *)pairs->start_reach.data + block->first);
    block->count = p.count;
    block->planes = p.plane_count / LANES;
}

/* ---- solving ------------------------------------------------------------------------------------------- */

LANE_FUNCTION self self_of(const mt_substep *s, const uint32_t *own, const variant kind)
{
    lanes4 predicted = lanes_gather(s->predicted, own);
    self me = {.x = predicted, .start = lanes_gather(s->position, own), .end = predicted};
    me.surface = lanes_gather(s->surface, own);
    me.facing = lanes_gather(s->facing, own);
    me.w = me.surface.z;
    me.radius = me.start.w;
    me.share = me.w * predicted.w * lanes_all(s->inverse_relaxation);
    if (kind.stabilize)
        me.x = me.start;
    return me;
}

/* Tells the bodies of eight particles what these were given. */
LANE_FUNCTION void tell(const mt_body_pairs *pairs, const uint32_t *to, const self *me, const sum *total)
{
    if (lanes_bits(lanes_above(total->load, lanes_all(0.0f))) == 0)
        return;
    lanes4 centre = lanes_gather(pairs->centre.data, to);
    lanes x = me->start.x - centre.x, y = me->start.y - centre.y, z = me->start.z - centre.z;
    lanes4 turn = {y * total->z - z * total->y + total->twist_x, z * total->x - x * total->z + total->twist_y,
                   x * total->y - y * total->x + total->twist_z, lanes_all(0.0f)};
    quad pushes[LANES], turns[LANES];
    lanes_rows((lanes4){total->x, total->y, total->z, total->load}, pushes);
    lanes_rows(turn, turns);
    for (uint32_t n = 0; n < LANES; n++) {
        float *told = &((mt_told *)pairs->told.data + to[n])->push.x;
        lanes_store(told, lanes_load(told) + lanes_join(pushes[n], turns[n]));
    }
}

LANE_FUNCTION sum nothing(void)
{
    lanes zero = lanes_all(0.0f);
    return (sum){zero, zero, zero, zero, zero, zero, zero};
}

/* What contacts gave the shapes is booked with the rows of slices, like all others'; but those of slices that
 * have loose particles as well are solved there, too. */
static void book_planes(const mt_substep *s, const mt_shape_row *planes, const mt_plane_names *names)
{
    for (uint32_t n = 0; n < LANES; n++) {
        if (names->row[n] == UINT32_MAX || names->own[n] / LANES >= s->first_loose)
            continue;
        mt_shape_row *row = &s->shape_rows[names->row[n]];
        uint32_t lane = names->lane[n];
        row->push_x[lane] = planes->push_x[n];
        row->push_y[lane] = planes->push_y[n];
        row->push_z[lane] = planes->push_z[n];
    }
}

/* Contacts of a block that touch: most that might do not. */
typedef struct meeting_pairs {
    uint32_t own[3 * LANES], other[3 * LANES], to[3 * LANES];
    uint32_t count;
} meeting_pairs;

LANE_FUNCTION void solve_eight(const mt_substep *s, meeting_pairs *m, const variant kind)
{
    self me = self_of(s, m->own, kind);
    sum total = nothing();
    add_row(s, &me, &total, m->other, NULL, lanes_load_index(m->own), kind);
    tell(s->pairs, m->to, &me, &total);
    m->count -= LANES;
    lanes_store_index(m->own, lanes_load_index(m->own + LANES));
    lanes_store_index(m->other, lanes_load_index(m->other + LANES));
    lanes_store_index(m->to, lanes_load_index(m->to + LANES));
}

LANE_FUNCTION void push_pairs(const mt_substep *s, const mt_pair_block *block, const variant kind)
{
    const mt_body_pairs *pairs = s->pairs;
    const mote_vec4 *where = kind.stabilize ? s->position : s->predicted;
    const float *reaches = kind.stabilize ? pairs->start_reach.data : pairs->reach.data;
    meeting_pairs m = {.count = 0};
    for (uint32_t k = block->first; k < block->first + block->count; k += LANES) {
        const uint32_t *own = (const uint32_t *)pairs->own.data + k,
                       *other = (const uint32_t *)pairs->other.data + k;
        lanes4 a = lanes_gather(where, own), b = lanes_gather(where, other);
        lanes dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
        lanes reach = lanes_load(reaches + k);
        uint32_t bits = lanes_bits(lanes_below(dx * dx + dy * dy + dz * dz, reach));
        if (bits == 0)
            continue;
        lanes_compress(m.own + m.count, lanes_load_index(own), bits);
        lanes_compress(m.other + m.count, lanes_load_index(other), bits);
        m.count += lanes_compress(m.to + m.count, lanes_load_index((const uint32_t *)pairs->to.data + k), bits);
        if (m.count >= LANES)
            solve_eight(s, &m, kind);
    }
    if (m.count == 0)
        return;
    lanes_store_index(m.own + m.count, lanes_all_index(s->dummy));
    lanes_store_index(m.other + m.count, lanes_all_index(s->dummy));
    lanes_store_index(m.to + m.count, lanes_all_index(nobody(s, block)));
    solve_eight(s, &m, kind);
}

/* The load that contacts share is that of the iteration before. Where many begin to touch at once, as all of a
 * rod's do when it is pressed to the floor, each would push as if it were alone. What shapes press against a
 * body with is known at once, as nobody else has to know of it: it waits beside the moments. */
LANE_FUNCTION void load_planes(const mt_substep *s, const mt_pair_block *block, const variant kind)
{
    const mote_vec4 *where = kind.stabilize ? s->position : s->predicted;
    for (uint32_t k = block->first_plane; k < block->first_plane + block->planes; k++) {
        const mt_shape_row *planes = (const mt_shape_row *)s->pairs->planes.data + k;
        const mt_plane_names *names = (const mt_plane_names *)s->pairs->names.data + k;
        lanes4 x = lanes_gather(where, names->own);
        lanes radius = lanes_gather(s->position, names->own).w;
        lanes height = lanes_load(planes->normal_x) * x.x + lanes_load(planes->normal_y) * x.y +
                       lanes_load(planes->normal_z) * x.z -
                       lanes_load(kind.stabilize ? planes->start_offset : planes->offset);
        lanes depth = lanes_max(radius - height, lanes_all(0.0f));
        for (uint32_t n = 0; n < LANES; n++)
            ((mt_told *)s->pairs->told.data + names->to[n])->turn.w += depth[n];
    }
}

/* No less than what the iteration before says. */
LANE_FUNCTION void know_load(const mt_substep *s, const uint32_t *to, self *me)
{
    lanes load;
    for (uint32_t n = 0; n < LANES; n++)
        load[n] = ((const mt_told *)s->pairs->told.data + to[n])->turn.w;
    me->share = lanes_max(me->share, me->w * load * lanes_all(s->inverse_relaxation));
}

static void forget_load(const mt_substep *s, const mt_pair_block *block)
{
    const mt_plane_names *names = (const mt_plane_names *)s->pairs->names.data + block->first_plane;
    for (uint32_t k = 0; k < block->planes; k++)
        for (uint32_t n = 0; n < LANES; n++)
            ((mt_told *)s->pairs->told.data + names[k].to[n])->turn.w = 0.0f;
}

LANE_FUNCTION void push_planes(const mt_substep *s, const mt_pair_block *block, const variant kind)
{
    load_planes(s, block, kind);
    for (uint32_t k = block->first_plane; k < block->first_plane + block->planes; k++) {
        mt_shape_row *planes = (mt_shape_row *)s->pairs->planes.data + k;
        const mt_plane_names *names = (const mt_plane_names *)s->pairs->names.data + k;
        self me = self_of(s, names->own, kind);
        sum total = nothing();
        know_load(s, names->to, &me);
        add_shape(s, &me, &total, planes, kind);
        tell(s->pairs, names->to, &me, &total);
        if (s->last && !kind.stabilize)
            book_planes(s, planes, names);
    }
    forget_load(s, block);
}

static const mt_pair_block *block_at(const mt_substep *s, uint32_t begin)
{
    return (const mt_pair_block *)s->pairs->blocks.data + begin / MT_BODY_BLOCK;
}

LANE_LOOP void push_block(const mt_substep *s, const mt_pair_block *block, const variant kind)
{
    push_pairs(s, block, kind);
    push_planes(s, block, kind);
}

/* An iteration of the contacts of bodies. */
void MT_KERNEL(bodies_push)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    const mt_pair_block *block = block_at(s, begin);
    (void)end;
    (void)worker;
    if (s->sticky && block->scaled)
        push_block(s, block, (variant){.mixed = true, .scaled = true, .sticky = true, .solid = true});
    else if (s->sticky)
        push_block(s, block, (variant){.mixed = true, .sticky = true, .solid = true});
    else if (block->scaled)
        push_block(s, block, (variant){.mixed = true, .scaled = true, .solid = true});
    else
        push_block(s, block, (variant){.mixed = true, .solid = true});
}

/* The same at the start of the substep. */
void MT_KERNEL(bodies_part)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    const mt_pair_block *block = block_at(s, begin);
    (void)end;
    (void)worker;
    if (block->scaled)
        push_block(s, block, (variant){.stabilize = true, .mixed = true, .scaled = true, .solid = true});
    else
        push_block(s, block, (variant){.stabilize = true, .mixed = true, .solid = true});
}
