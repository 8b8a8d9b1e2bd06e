/* Contacts with shapes (Algorithm 2, lines 7 to 10, the part of the solid world). Eight particles are looked
 * at together: planes are tested for all eight at once; other shapes are found through the trees by the box
 * of all eight, and what is near a single particle is then asked one by one (shape_contacts.c). Contacts
 * become rows of eight, one contact a lane. */
#include "base/simd.h"
#include "step/contacts/guard.h"
#include "step/contacts/shape_contacts.h"
#include "step/kernels.h"
#include "step/solve/near.h"

#define MOST_CONTACTS   24u /* of a particle with all shapes together */
#define MOST_CANDIDATES 96u /* of eight particles; with more it is better to look for each particle alone */

typedef struct eight {
    lanes4 start, end; /* start.w: radius */
    lanes within;
    lane_index phase;
    uint32_t alive; /* bits of the lanes that can move */
    float clear[LANES];
    uint32_t count[LANES];
    mt_plane_contact contact[LANES][MOST_CONTACTS];
} eight;

/* ---- rows ---------------------------------------------------------------------------------------------- */

static void write_contact(const mt_substep *s, mt_shape_row *row, uint32_t slot,
                          const mt_plane_contact *contact)
{
    uint32_t lane = slot % LANES;
    const mt_material *material = &s->materials[s->placed[contact->shape].material];
    mote_vec4 surface = s->surface[slot];
    float own_restitution = s->materials[s->material[slot]].restitution;
    row->normal_x[lane] = contact->normal.x;
    row->normal_y[lane] = contact->normal.y;
    row->normal_z[lane] = contact->normal.z;
    row->offset[lane] = contact->offset;
    row->start_offset[lane] = contact->start_offset;
    row->move_x[lane] = contact->move.x;
    row->move_y[lane] = contact->move.y;
    row->move_z[lane] = contact->move.z;
    row->static_friction[lane] = surface.x * sqrtf(material->static_friction);
    row->kinetic_friction[lane] = surface.y * sqrtf(material->kinetic_friction);
    row->restitution[lane] = own_restitution > material->restitution ? own_restitution : material->restitution;
    row->pull[lane] = surface.w * s->position[slot].w * (MT_PULL * sqrtf(material->adhesion));
    row->softness[lane] = material->compliance * (s->inverse_h * s->inverse_h);
    row->shape[lane] = contact->shape;
}

static void write_rows(const mt_substep *s, const eight *e, uint32_t slice)
{
    uint32_t rows = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        rows = e->count[lane] > rows ? e->count[lane] : rows;
    s->shape_length[slice] = 0;
    if (rows == 0)
        return;
    uint32_t first = atomic_fetch_add_explicit(s->shape_rows_used, rows, memory_order_relaxed);
    if (first + rows > s->shape_row_capacity) /* the caller makes room and comes again */
        return;
    s->shape_start[slice] = first;
    s->shape_length[slice] = rows;
    for (uint32_t k = 0; k < rows; k++) {
        mt_shape_row *row = &s->shape_rows[first + k];
        memset(row, 0, sizeof *row);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if (k < e->count[lane])
                write_contact(s, row, slice * LANES + lane, &e->contact[lane][k]);
            else /* a plane far below */
                row->offset[lane] = row->start_offset[lane] = -MT_FAR;
        }
    }
}

/* When a particle has more contacts than there is room for, the nearest stay. */
static void add_contact(eight *e, uint32_t lane, const mt_plane_contact *contact)
{
    uint32_t place = e->count[lane];
    if (place == MOST_CONTACTS) {
        float furthest = contact->normal.x * e->end.x[lane] + contact->normal.y * e->end.y[lane] +
                         contact->normal.z * e->end.z[lane] - contact->offset;
        for (uint32_t k = 0; k < MOST_CONTACTS; k++) {
            const mt_plane_contact *other = &e->contact[lane][k];
            float distance = other->normal.x * e->end.x[lane] + other->normal.y * e->end.y[lane] +
                             other->normal.z * e->end.z[lane] - other->offset;
            if (distance > furthest) {
                furthest = distance;
                place = k;
            }
        }
        if (place == MOST_CONTACTS)
            return;
    } else
        e->count[lane]++;
    e->contact[lane][place] = *contact;
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

static void find_planes(const mt_substep *s, eight *e)
{
    for (uint32_t k = 0; k < s->plane_count; k++) {
        const mt_placed *plane = &s->placed[s->planes[k]];
        lanes distance = lanes_min(plane_distance(plane, e->end), plane_distance(plane, e->start));
        uint32_t near = lanes_bits(lanes_below(distance, e->within)) & e->alive;
        if (near == 0)
            continue;
        near &= in_channels(e, plane->channels);
        float along =
            plane->normal.x * plane->move.x + plane->normal.y * plane->move.y + plane->normal.z * plane->move.z;
        mt_plane_contact contact = {plane->normal, plane->offset, plane->offset - along, plane->move,
                                    s->planes[k]};
        for (; near != 0; near &= near - 1)
            add_contact(e, (uint32_t)__builtin_ctz(near), &contact);
    }
}

/* ---- other shapes -------------------------------------------------------------------------------------- */

/* The boxes that the eight sweep, and the box of all who are alive. */
typedef struct sweeps {
    lanes4 min, max;
    mt_box all;
} sweeps;

LANE_FUNCTION float lowest(lanes value, uint32_t bits)
{
    float low = INFINITY;
    for (; bits != 0; bits &= bits - 1) {
        float other = value[__builtin_ctz(bits)];
        low = other < low ? other : low;
    }
    return low;
}

LANE_FUNCTION sweeps sweep(const eight *e)
{
    sweeps w;
    w.min.x = lanes_min(e->start.x, e->end.x) - e->within;
    w.min.y = lanes_min(e->start.y, e->end.y) - e->within;
    w.min.z = lanes_min(e->start.z, e->end.z) - e->within;
    w.max.x = lanes_max(e->start.x, e->end.x) + e->within;
    w.max.y = lanes_max(e->start.y, e->end.y) + e->within;
    w.max.z = lanes_max(e->start.z, e->end.z) + e->within;
    w.all.min = (mote_vec3){lowest(w.min.x, e->alive), lowest(w.min.y, e->alive), lowest(w.min.z, e->alive)};
    w.all.max =
        (mote_vec3){-lowest(-w.max.x, e->alive), -lowest(-w.max.y, e->alive), -lowest(-w.max.z, e->alive)};
    return w;
}

LANE_FUNCTION uint32_t overlapping(const sweeps *w, const mt_box *box)
{
    lane_mask x =
        lanes_at_most(w->min.x, lanes_all(box->max.x)) & lanes_at_least(w->max.x, lanes_all(box->min.x));
    lane_mask y =
        lanes_at_most(w->min.y, lanes_all(box->max.y)) & lanes_at_least(w->max.y, lanes_all(box->min.y));
    lane_mask z =
        lanes_at_most(w->min.z, lanes_all(box->max.z)) & lanes_at_least(w->max.z, lanes_all(box->min.z));
    return lanes_bits(x & y & z);
}

static void touch(const mt_substep *s, eight *e, uint32_t shape, uint32_t lane)
{
    mt_ball ball = {{e->start.x[lane], e->start.y[lane], e->start.z[lane]},
                    {e->end.x[lane], e->end.y[lane], e->end.z[lane]},
                    e->start.w[lane],
                    e->within[lane]};
    mt_plane_contact found[MT_MAX_NEAR];
    uint32_t count = mt_touch_shape(&s->placed[shape], shape, &ball, &e->clear[lane], found);
    for (uint32_t i = 0; i < count; i++)
        add_contact(e, lane, &found[i]);
}

static void touch_lanes(const mt_substep *s, eight *e, const sweeps *w, uint32_t shape, uint32_t bits)
{
    const mt_placed *placed = &s->placed[shape];
    if (placed->trigger || placed->form.kind == MT_FORM_PLANE)
        return;
    bits &= e->alive & overlapping(w, &placed->box);
    if (bits != 0)
        bits &= in_channels(e, placed->channels);
    for (; bits != 0; bits &= bits - 1)
        touch(s, e, shape, (uint32_t)__builtin_ctz(bits));
}

/* Particles that lie far apart have a box of all eight that says little. */
static void find_for_each(const mt_substep *s, eight *e, const sweeps *w)
{
    uint32_t candidates[MOST_CANDIDATES];
    for (uint32_t rest = e->alive; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        mt_box box = {{w->min.x[lane], w->min.y[lane], w->min.z[lane]},
                      {w->max.x[lane], w->max.y[lane], w->max.z[lane]}};
        uint32_t count = mt_placement_find(s->placement, box, candidates, MOST_CANDIDATES);
        bool all = count > MOST_CANDIDATES; /* a long way through many shapes */
        for (uint32_t i = 0; i < (all ? s->shape_count : count); i++)
            touch_lanes(s, e, w, all ? i : candidates[i], 1u << lane);
    }
}

/* The shapes near the eight, from the last substep if its box still holds them. What is kept is always
 * enough and never too little, so it changes no result. */
static uint32_t candidates_of(const mt_substep *s, const sweeps *w, uint32_t slice,
                              uint32_t local[MOST_CANDIDATES], const uint32_t **list)
{
    mt_shape_cache *cache = &s->shape_cache[slice];
    if (mt_box_contains(&cache->box, &w->all)) {
        *list = s->candidates + cache->first;
        return cache->count;
    }
    mote_vec3 size = mt_sub(w->all.max, w->all.min);
    mt_box wide = mt_box_grow(w->all, 0.25f * fmaxf(size.x, fmaxf(size.y, size.z)));
    uint32_t count = mt_placement_find(s->placement, wide, local, MOST_CANDIDATES);
    *list = local;
    cache->box = mt_box_empty();
    if (count > MOST_CANDIDATES)
        return count;
    uint32_t first = count > 0 ? atomic_fetch_add_explicit(s->candidates_used, count, memory_order_relaxed) : 0;
    if (count > 0 && first + count > s->candidate_capacity)
        return count; /* no room to keep them; next step there will be */
    *cache = (mt_shape_cache){wide, first, count};
    if (count > 0)
        memcpy(s->candidates + first, local, count * sizeof *local);
    return count;
}

static void find_solids(const mt_substep *s, eight *e, uint32_t slice)
{
    sweeps w = sweep(e);
    uint32_t local[MOST_CANDIDATES];
    const uint32_t *list;
    uint32_t count = candidates_of(s, &w, slice, local, &list);
    if (count > MOST_CANDIDATES)
        find_for_each(s, e, &w);
    else
        for (uint32_t i = 0; i < count; i++)
            touch_lanes(s, e, &w, list[i], 0xFFu);
}

/* ---- the kernel ---------------------------------------------------------------------------------------- */

static void find_of_slice(const mt_substep *s, uint32_t slice)
{
    uint32_t i = slice * LANES;
    eight e;
    e.start = lanes_load4(s->position + i);
    e.end = lanes_load4(s->predicted + i);
    e.within = e.start.w * lanes_all(2.0f * s->contact_margin - 1.0f);
    e.phase = lanes_load_index(s->phase + i);
    e.alive = lanes_bits(lanes_above(lanes_load4(s->transport + i).w, lanes_all(0.0f)));
    memset(e.count, 0, sizeof e.count);
    s->shape_length[slice] = 0;
    if (e.alive != 0)
        find_planes(s, &e);
    if (s->solids) {
        lanes_store(e.clear, e.within);
        if (e.alive != 0)
            find_solids(s, &e, slice);
        lanes4 watch = e.end;
        watch.w = lanes_load(e.clear);
        lanes_store4(s->watch + i, watch);
    }
    if (e.alive != 0)
        write_rows(s, &e, slice);
}

void MT_KERNEL(shapes)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        find_of_slice(context, slice);
}

/* ---- the watch ----------------------------------------------------------------------------------------- */

/* Solving moves particles further. Who ends no further from where contacts were looked for than the nearest
 * surface was has crossed none; the others are looked at again, one by one. */
void MT_KERNEL(guard)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        lanes4 watch = lanes_load4(s->watch + i), x = lanes_load4(s->predicted + i);
        lanes dx = x.x - watch.x, dy = x.y - watch.y, dz = x.z - watch.z;
        lanes room = watch.w - lanes_load4(s->position + i).w * lanes_all(MT_SURFACE_SKIN);
        room = lanes_max(room, lanes_all(0.0f));
        lane_mask left = lanes_at_least(dx * dx + dy * dy + dz * dz, room * room) &
                         lanes_above(lanes_load4(s->transport + i).w, lanes_all(0.0f));
        for (uint32_t bits = lanes_bits(left); bits != 0; bits &= bits - 1)
            mt_guard_particle(s, i + (uint32_t)__builtin_ctz(bits));
    }
}
