/* Contacts with shapes (Algorithm 2, lines 7 to 10, the part of the solid world). Eight particles are looked
 * at together: planes are tested for all eight at once; other shapes are looked up (shape_search.h), and
 * what is near a single particle is then asked one by one (shape_contacts.c). Contacts become rows of eight,
 * one contact a lane. */
#include "base/lanes3.h"
#include "step/contacts/shape_contacts.h"
#include "step/contacts/shape_search.h"
#include "step/solve/near.h"

#define MOST_CONTACTS 24u    /* of a particle with all shapes together */
#define TINY_DISTANCE 1e-12f /* m: no nearer to a box has a direction */

/* What was found for eight particles. */
typedef struct contacts {
    uint32_t count[LANES];
    float clear[LANES]; /* how far the nearest surface is, see mt_touch_shape */
    mt_plane_contact contact[LANES][MOST_CONTACTS];
} contacts;

/* ---- rows ---------------------------------------------------------------------------------------------- */

static void write_contact(const mt_substep *s, mt_shape_row *row, uint32_t slot,
                          const mt_plane_contact *contact)
{
    uint32_t lane = slot % LANES;
    const mt_material *material = &s->particles.materials[s->shapes.placed[contact->shape].material];
    mote_vec4 surface = s->particles.surface[slot];
    float own_restitution = s->particles.materials[s->particles.material[slot]].restitution;
    row->normal_x[lane] = contact->normal.x;
    row->normal_y[lane] = contact->normal.y;
    row->normal_z[lane] = contact->normal.z;
    row->offset[lane] = contact->offset;
    /* Liquids are not stabilised: their pressure would press them back at once, and so on for ever. */
    row->start_offset[lane] =
        s->liquids.fluid.any && s->liquids.wet[slot].z > 0 ? -MT_FAR : contact->start_offset;
    row->move_x[lane] = contact->move.x;
    row->move_y[lane] = contact->move.y;
    row->move_z[lane] = contact->move.z;
    row->static_friction[lane] = fmaxf(surface.x, 0.0f) * sqrtf(material->static_friction);
    row->kinetic_friction[lane] = surface.y * sqrtf(material->kinetic_friction);
    row->restitution[lane] = own_restitution > material->restitution ? own_restitution : material->restitution;
    row->pull[lane] = surface.w * s->particles.position[slot].w * (MT_PULL * sqrtf(material->adhesion));
    row->softness[lane] = material->compliance * (s->inverse_h * s->inverse_h);
    row->shape[lane] = contact->shape;
    row->hit |= (uint32_t)contact->hit << lane;
}

static void write_rows(const mt_substep *s, const contacts *found, uint32_t slice)
{
    uint32_t rows = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        rows = found->count[lane] > rows ? found->count[lane] : rows;
    if (rows == 0)
        return;
    uint32_t first = atomic_fetch_add_explicit(s->shapes.rows_used, rows, memory_order_relaxed);
    if (first + rows > s->shapes.row_capacity) /* the caller makes room and comes again */
        return;
    s->shapes.start[slice] = first;
    s->shapes.length[slice] = rows;
    for (uint32_t k = 0; k < rows; k++) {
        mt_shape_row *row = &s->shapes.rows[first + k];
        memset(row, 0, sizeof *row);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if (k < found->count[lane])
                write_contact(s, row, slice * LANES + lane, &found->contact[lane][k]);
            else /* a plane far below */
                row->offset[lane] = row->start_offset[lane] = -MT_FAR;
        }
    }
}

static float distance_to(const mt_plane_contact *contact, const eight *e, uint32_t lane)
{
    return contact->normal.x * e->end.x[lane] + contact->normal.y * e->end.y[lane] +
           contact->normal.z * e->end.z[lane] - contact->offset;
}

/* When a particle has more contacts than there is room for, the nearest stay. */
static void add_contact(contacts *found, const eight *e, uint32_t lane, const mt_plane_contact *contact)
{
    uint32_t place = found->count[lane];
    if (place < MOST_CONTACTS) {
        found->contact[lane][place] = *contact;
        found->count[lane]++;
        return;
    }
    const mt_plane_contact *furthest = contact;
    for (uint32_t k = 0; k < MOST_CONTACTS; k++)
        if (distance_to(&found->contact[lane][k], e, lane) > distance_to(furthest, e, lane)) {
            furthest = &found->contact[lane][k];
            place = k;
        }
    if (place < MOST_CONTACTS)
        found->contact[lane][place] = *contact;
}

/* ---- planes -------------------------------------------------------------------------------------------- */

LANE_FUNCTION lanes plane_distance(const mt_placed *plane, lanes4 x)
{
    return lanes_all(plane->normal.x) * x.x + lanes_all(plane->normal.y) * x.y +
           lanes_all(plane->normal.z) * x.z - lanes_all(plane->offset);
}

LANE_FUNCTION uint32_t in_channels(const eight *e, uint32_t channels)
{
    lane_index shared = e->phase & lanes_all_index(channels << MOTE_PHASE_CHANNEL_SHIFT);
    return lanes_bits(lanes_differ(shared, lanes_all_index(0)));
}

/* Of a plane that turns every place moves another way. What it moves is told at the particle's place, or it would be
 * pushed after a wall that has been where it is for long. */
static void turn_with_plane(const mt_placed *plane, const eight *e, uint32_t lane, mt_plane_contact *contact)
{
    mote_vec3 from = {e->start.x[lane], e->start.y[lane], e->start.z[lane]};
    mote_vec3 to = {e->end.x[lane], e->end.y[lane], e->end.z[lane]};
    mote_vec3 place = mt_to_local(&plane->end, to);
    place.y = 0.0f;
    contact->move = mt_sub(mt_to_world(&plane->end, place), mt_to_world(&plane->start, place));
    contact->start_offset = mt_dot(plane->normal, from) - mt_to_local(&plane->start, from).y;
}

static void find_planes(const mt_substep *s, const eight *e, contacts *found)
{
    for (uint32_t k = 0; k < s->shapes.plane_count; k++) {
        const mt_placed *plane = &s->shapes.placed[s->shapes.planes[k]];
        lanes distance = lanes_min(plane_distance(plane, e->end), plane_distance(plane, e->start));
        uint32_t near = lanes_bits(lanes_below(distance, e->within)) & e->alive;
        if (near == 0)
            continue;
        near &= in_channels(e, plane->channels);
        float along =
            plane->normal.x * plane->move.x + plane->normal.y * plane->move.y + plane->normal.z * plane->move.z;
        mt_plane_contact contact = {plane->normal, plane->offset,       plane->offset - along,
                                    plane->move,   s->shapes.planes[k], false};
        for (; near != 0; near &= near - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(near);
            if (plane->turns)
                turn_with_plane(plane, e, lane, &contact);
            add_contact(found, e, lane, &contact);
        }
    }
}

/* ---- other shapes -------------------------------------------------------------------------------------- */

static void touch(const mt_substep *s, const eight *e, uint32_t shape, uint32_t lane, contacts *found)
{
    mt_ball ball = {{e->start.x[lane], e->start.y[lane], e->start.z[lane]},
                    {e->end.x[lane], e->end.y[lane], e->end.z[lane]},
                    e->start.w[lane],
                    e->within[lane]};
    mt_plane_contact near[MT_MAX_NEAR];
    uint32_t count = mt_touch_shape(&s->shapes.placed[shape], shape, &ball, &found->clear[lane], near);
    for (uint32_t i = 0; i < count; i++)
        add_contact(found, e, lane, &near[i]);
}

LANE_FUNCTION void touch_lanes(const mt_substep *s, const eight *e, const sweeps *w, uint32_t candidate,
                               contacts *found)
{
    uint32_t shape = MT_CANDIDATE_SHAPE(candidate), bits = MT_CANDIDATE_LANES(candidate);
    const mt_shape_reach *reach = &s->shapes.reaches[shape];
    bits &= e->alive & overlapping(w, &reach->box);
    if (__builtin_expect(bits != 0, 0))
        bits &= in_channels(e, reach->channels); /* none for planes and triggers */
    for (; bits != 0; bits &= bits - 1)
        touch(s, e, shape, (uint32_t)__builtin_ctz(bits), found);
}

/* ---- boxes ---------------------------------------------------------------------------------------------
 * Eight particles at a box that stands: the same as mt_touch_shape says of each, operation by operation. */

typedef struct box_contacts {
    uint32_t near;  /* bits of the lanes that have a contact */
    uint32_t apart; /* bits of those that have to be asked one by one: they are in it or may cross it */
    lanes normal_x, normal_y, normal_z, offset, start_offset;
    lanes clear;
} box_contacts;

LANE_FUNCTION lanes3 lanes3_to_local(const mt_frame *f, lanes4 x)
{
    lanes dx = x.x - lanes_all(f->position.x), dy = x.y - lanes_all(f->position.y),
          dz = x.z - lanes_all(f->position.z);
    return (lanes3){lanes_all(f->x.x) * dx + lanes_all(f->x.y) * dy + lanes_all(f->x.z) * dz,
                    lanes_all(f->y.x) * dx + lanes_all(f->y.y) * dy + lanes_all(f->y.z) * dz,
                    lanes_all(f->z.x) * dx + lanes_all(f->z.y) * dy + lanes_all(f->z.z) * dz};
}

LANE_FUNCTION lanes within_limits(lanes value, float limit)
{
    return lanes_max(lanes_min(value, lanes_all(limit)), lanes_all(-limit));
}

LANE_FUNCTION box_contacts touch_box(const mt_placed *placed, const eight *e, uint32_t bits)
{
    const mt_frame *f = &placed->end;
    const mote_vec3 half = placed->form.primitive.half_extents;
    lanes3 from = lanes3_to_local(&placed->start, e->start), x = lanes3_to_local(f, e->end);
    lanes3 nearest = {within_limits(x.x, half.x), within_limits(x.y, half.y), within_limits(x.z, half.z)};
    lanes ax = x.x - nearest.x, ay = x.y - nearest.y, az = x.z - nearest.z;
    lanes distance = lanes_sqrt(ax * ax + ay * ay + az * az), one = lanes_all(1.0f), to_unit = one / distance;
    lanes nx = ax * to_unit, ny = ay * to_unit, nz = az * to_unit;
    lanes offset = nx * nearest.x + ny * nearest.y + nz * nearest.z;
    lane_mask near = lanes_at_most(distance, e->within);
    lanes gap = lanes_select(near, lanes_min(nx * x.x + ny * x.y + nz * x.z - offset, e->within), e->within);
    lanes tx = x.x - from.x, ty = x.y - from.y, tz = x.z - from.z, travel = tx * tx + ty * ty + tz * tz;
    lane_mask free = lanes_above(gap, lanes_all(0.0f)) & lanes_below(travel, gap * gap) &
                     lanes_above(distance, lanes_all(TINY_DISTANCE));
    box_contacts c = {.near = lanes_bits(near) & bits, .apart = ~lanes_bits(free) & bits};
    c.clear = lanes_select(lanes_of_bits(bits), gap, e->within);
    c.normal_x = lanes_all(f->x.x) * nx + lanes_all(f->y.x) * ny + lanes_all(f->z.x) * nz;
    c.normal_y = lanes_all(f->x.y) * nx + lanes_all(f->y.y) * ny + lanes_all(f->z.y) * nz;
    c.normal_z = lanes_all(f->x.z) * nx + lanes_all(f->y.z) * ny + lanes_all(f->z.z) * nz;
    c.offset = offset + (c.normal_x * lanes_all(f->position.x) + c.normal_y * lanes_all(f->position.y) +
                         c.normal_z * lanes_all(f->position.z));
    lanes most = lanes_all(MT_STABLE_TRAVEL) * e->start.w;
    lanes at_start = nx * from.x + ny * from.y + nz * from.z - offset;
    lanes moved = c.normal_x * e->start.x + c.normal_y * e->start.y + c.normal_z * e->start.z - at_start;
    c.start_offset = lanes_select(lanes_below(travel, most * most), moved, lanes_all(-MT_FAR));
    return c;
}

/* Of eight particles at a shape: the larger counts. */
LANE_FUNCTION lanes restitutions(const mt_substep *s, uint32_t i, float of_shape)
{
    lane_index others = lanes_load_index(s->particles.material + i),
               first = lanes_all_index(s->particles.material[i]);
    lanes own = lanes_all(s->particles.materials[s->particles.material[i]].restitution);
    for (uint32_t bits = lanes_bits(lanes_differ(others, first)); bits != 0; bits &= bits - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(bits);
        own[lane] = s->particles.materials[others[lane]].restitution;
    }
    return lanes_max(own, lanes_all(of_shape));
}

/* As write_rows does for one row of contacts with one shape. */
static void write_box_row(const mt_substep *s, const box_contacts *c, lanes radius, uint32_t shape,
                          uint32_t slice)
{
    uint32_t place = atomic_fetch_add_explicit(s->shapes.rows_used, 1, memory_order_relaxed), i = slice * LANES;
    if (place >= s->shapes.row_capacity) /* the caller makes room and comes again */
        return;
    s->shapes.start[slice] = place;
    s->shapes.length[slice] = 1;
    mt_shape_row *row = &s->shapes.rows[place];
    const mt_material *material = &s->particles.materials[s->shapes.placed[shape].material];
    const lanes none = lanes_all(-MT_FAR), zero = lanes_all(0.0f);
    lane_mask near = lanes_of_bits(c->near);
    lanes4 surface = lanes_load4(s->particles.surface + i);
    lanes start_offset = c->start_offset;
    if (s->liquids.fluid.any)
        start_offset = lanes_select(lanes_above(lanes_load4(s->liquids.wet + i).z, zero), none, start_offset);
    row->hit = 0;
    lanes_store(row->push_x, zero);
    lanes_store(row->push_y, zero);
    lanes_store(row->push_z, zero);
    lanes_store(row->normal_x, lanes_keep(near, c->normal_x));
    lanes_store(row->normal_y, lanes_keep(near, c->normal_y));
    lanes_store(row->normal_z, lanes_keep(near, c->normal_z));
    lanes_store(row->offset, lanes_select(near, c->offset, none));
    lanes_store(row->start_offset, lanes_select(near, start_offset, none));
    lanes grip = lanes_max(surface.x, zero) * lanes_all(sqrtf(material->static_friction));
    lanes_store(row->static_friction, lanes_keep(near, grip));
    lanes_store(row->kinetic_friction,
                lanes_keep(near, surface.y * lanes_all(sqrtf(material->kinetic_friction))));
    lanes_store_index(row->shape, (lane_index)near & lanes_all_index(shape));
    lanes pull = surface.w * radius * lanes_all(MT_PULL * sqrtf(material->adhesion));
    lanes_store(row->pull, lanes_keep(near, pull));
    lanes_store(row->move_x, zero);
    lanes_store(row->move_y, zero);
    lanes_store(row->move_z, zero);
    float softness = material->compliance * (s->inverse_h * s->inverse_h);
    lanes_store(row->softness, lanes_keep(near, lanes_all(softness)));
    lanes_store(row->restitution, lanes_keep(near, restitutions(s, i, material->restitution)));
}

LANE_FUNCTION bool is_standing_box(const mt_placed *placed)
{
    return placed->form.kind == MT_FORM_PRIMITIVE && placed->form.primitive.type == MOTE_SHAPE_BOX &&
           !placed->form.inside && !placed->moving;
}

/* Where there is one box and nothing else. False: it has to be done one by one. */
LANE_FUNCTION bool find_box(const mt_substep *s, const eight *e, const sweeps *w, uint32_t candidate,
                            uint32_t slice)
{
    uint32_t shape = MT_CANDIDATE_SHAPE(candidate);
    const mt_placed *placed = &s->shapes.placed[shape];
    if (!is_standing_box(placed))
        return false;
    const mt_shape_reach *reach = &s->shapes.reaches[shape];
    uint32_t bits = MT_CANDIDATE_LANES(candidate) & e->alive & overlapping(w, &reach->box);
    bits = bits != 0 ? bits & in_channels(e, reach->channels) : 0;
    lanes4 watch = e->end;
    watch.w = e->within;
    if (bits != 0) {
        box_contacts c = touch_box(placed, e, bits);
        if (c.apart != 0)
            return false;
        watch.w = c.clear;
        if (c.near != 0)
            write_box_row(s, &c, e->start.w, shape, slice);
    }
    lanes_store4(s->guard.watch + slice * LANES, watch);
    return true;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* Particles that lie far apart, among many shapes, are looked at one by one; one that has a long way through
 * many shapes looks at all of them. */
static void find_for_each(shape_search *search, const eight *e, const sweeps *w, contacts *found)
{
    const mt_substep *s = search->s;
    for (uint32_t rest = e->alive; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint32_t count = MT_KERNEL(search_lane)(search, w, lane);
        bool all = count > MT_MOST_CANDIDATES;
        for (uint32_t i = 0; i < (all ? s->shapes.count : count); i++)
            touch_lanes(s, e, w, all ? MT_CANDIDATE(i, 1u << lane) : search->found[i], found);
    }
}

/* Where and how near shapes were looked for is noted for the guard; it need not be where there is none. False:
 * there are no rows left to write. */
static bool find_solids(shape_search *search, const eight *e, uint32_t slice, contacts *found)
{
    const mt_substep *s = search->s;
    sweeps w = sweep(e);
    const uint32_t *list = search->found;
    uint32_t count;
    if (is_remembered(s, &w, slice)) {
        list = s->shapes.candidates + s->shapes.cache[slice].first;
        count = s->shapes.cache[slice].count;
    } else
        count = MT_KERNEL(search_slice)(search, e, &w, slice);
    if (count == 0)
        return s->shapes.plane_count > 0;
    if (count == 1 && s->shapes.plane_count == 0 && find_box(s, e, &w, list[0], slice))
        return false;
    lanes_store(found->clear, e->within);
    if (count > MT_MOST_CANDIDATES)
        find_for_each(search, e, &w, found);
    else
        for (uint32_t i = 0; i < count; i++)
            touch_lanes(s, e, &w, list[i], found);
    lanes4 watch = e->end;
    watch.w = lanes_load(found->clear);
    lanes_store4(s->guard.watch + slice * LANES, watch);
    return true;
}

/* Where there are only planes: whether a box around the ways of eight particles is beyond the reach of all of them.
 * `sure`: what the few roundings of a distance may be off, in parts of its terms. */
LANE_FUNCTION bool are_far_from_planes(const mt_substep *s, uint32_t i)
{
    const float sure = 1e-5f;
    lanes low = lanes_load(&s->particles.position[i].x), high = low;
    for (uint32_t k = 0; k < LANES; k += 2) {
        lanes from = lanes_load(&s->particles.position[i + k].x),
              to = lanes_load(&s->particles.predicted[i + k].x);
        low = lanes_min(low, lanes_min(from, to));
        high = lanes_max(high, lanes_max(from, to));
    }
    low = lanes_min(low, __builtin_shufflevector(low, low, 4, 5, 6, 7, 0, 1, 2, 3));
    high = lanes_max(high, __builtin_shufflevector(high, high, 4, 5, 6, 7, 0, 1, 2, 3));
    float within = high[3] * (2.0f * s->limits.contact_margin - 1.0f);
    for (uint32_t k = 0; k < s->shapes.plane_count; k++) {
        const mt_placed *plane = &s->shapes.placed[s->shapes.planes[k]];
        float nx = plane->normal.x, ny = plane->normal.y, nz = plane->normal.z;
        float x = nx > 0 ? low[0] : high[0], y = ny > 0 ? low[1] : high[1], z = nz > 0 ? low[2] : high[2];
        float terms = fabsf(nx * x) + fabsf(ny * y) + fabsf(nz * z) + fabsf(plane->offset) + within;
        if (!(nx * x + ny * y + nz * z - plane->offset > within + sure * terms))
            return false;
    }
    return true;
}

/* ---- the kernel ---------------------------------------------------------------------------------------- */

/* Most slices are in the open, and remembered to be. */
LANE_FUNCTION bool is_in_the_open(const mt_substep *s, uint32_t slice)
{
    if (s->shapes.plane_count > 0 || !s->shapes.solids || !s->shapes.cache[slice].valid ||
        s->shapes.cache[slice].count > 0)
        return false;
    uint32_t i = slice * LANES;
    const float reach = 2.0f * s->limits.contact_margin - 1.0f;
    if (!is_wet(s, slice))
        return s->shapes.cache[slice].wide
                   ? all_stay_in_box(s->particles.position + i, s->particles.predicted + i,
                                     &s->shapes.cache[slice], reach)
                   : all_stay(s->particles.position + i, s->particles.predicted + i, s->guard.cubes + i, reach);
    eight e;
    load_way(&e, s, slice);
    sweeps w = sweep(&e);
    return is_remembered(s, &w, slice);
}

void MT_KERNEL(shapes)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    shape_search search;
    const mt_substep *s = search.s = context;
    search.end = end;
    search.group.first = search.group.last = 0;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        s->shapes.length[slice] = 0;
        if (!s->shapes.solids && !is_wet(s, slice) ? are_far_from_planes(s, slice * LANES)
                                                   : is_in_the_open(s, slice))
            continue;
        eight e;
        contacts found;
        load_eight(&e, s, slice);
        if (e.alive == 0)
            continue;
        memset(found.count, 0, sizeof found.count);
        find_planes(s, &e, &found);
        if (!s->shapes.solids || find_solids(&search, &e, slice, &found))
            write_rows(s, &found, slice);
    }
}
