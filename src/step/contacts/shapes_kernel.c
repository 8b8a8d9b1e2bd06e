/* Contacts with shapes (Algorithm 2, lines 7 to 10, the part of the solid world). Eight particles are looked
 * at together: planes are tested for all eight at once; other shapes are found through the trees by the box
 * of all eight, and what is near a single particle is then asked one by one (shape_contacts.c). Contacts
 * become rows of eight, one contact a lane. */
#include "base/simd.h"
#include "step/contacts/guard.h"
#include "step/contacts/shape_contacts.h"
#include "step/kernels.h"
#include "step/solve/near.h"

#define MOST_CONTACTS    24u   /* of a particle with all shapes together */
#define ROOM_SUBSTEPS    4.0f  /* for so many substeps at its speed a particle has room in its cube */
#define TOGETHER         32.0f /* widths of a particle's cube: a group is no wider */
#define GROUP            16u   /* slices that ask the trees together */
#define GROUP_CANDIDATES 256u  /* of a group; with more each slice asks for itself */
#define MANY_CANDIDATES  64u   /* of eight particles: so many that they are probably not together */
#define MOST_CANDIDATES  96u   /* of eight particles; with more there is no list */

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

/* ---- which shapes are near ------------------------------------------------------------------------------
 * A group of slices asks the trees once, for the box of them all; each slice picks its own from that list. Particles that
 * follow each other in memory are neighbours but for a jump now and then; on both sides of a jump they are asked for apart. What
 * was found is kept for as long as every particle stays in a cube around where it was then. It is always enough and never
 * too little, so it changes no result. */

/* The boxes that eight particles sweep. */
typedef struct sweeps {
    lanes4 min, max;
} sweeps;

LANE_FUNCTION sweeps sweep(const eight *e)
{
    sweeps w;
    w.min.x = lanes_min(e->start.x, e->end.x) - e->within;
    w.min.y = lanes_min(e->start.y, e->end.y) - e->within;
    w.min.z = lanes_min(e->start.z, e->end.z) - e->within;
    w.max.x = lanes_max(e->start.x, e->end.x) + e->within;
    w.max.y = lanes_max(e->start.y, e->end.y) + e->within;
    w.max.z = lanes_max(e->start.z, e->end.z) + e->within;
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

/* Bits of the lanes whose boxes are within their cubes; a cube is its middle, and half its width. */
LANE_FUNCTION uint32_t within_cubes(lanes4 min, lanes4 max, lanes4 cube)
{
    lane_mask low = lanes_at_least(min.x, cube.x - cube.w) & lanes_at_least(min.y, cube.y - cube.w) &
                    lanes_at_least(min.z, cube.z - cube.w);
    lane_mask high = lanes_at_most(max.x, cube.x + cube.w) & lanes_at_most(max.y, cube.y + cube.w) &
                     lanes_at_most(max.z, cube.z + cube.w);
    return lanes_bits(low & high);
}

/* Cubes that hold what the particles sweep, with room for the next substeps; the dead have none. */
LANE_FUNCTION lanes4 cubes_around(const eight *e, const sweeps *w)
{
    lanes half = lanes_all(0.5f);
    lanes4 cube = {half * (w->min.x + w->max.x), half * (w->min.y + w->max.y), half * (w->min.z + w->max.z),
                   half};
    lanes width = lanes_max(w->max.x - w->min.x, lanes_max(w->max.y - w->min.y, w->max.z - w->min.z)) * half;
    lanes way = width - e->within; /* half of it */
    cube.w = width * lanes_all(1.00001f) + lanes_all(2.0f * ROOM_SUBSTEPS) * way + lanes_all(0.25f) * e->within;
    return cube;
}

/* The box of the cubes of some lanes. */
LANE_FUNCTION mt_box box_of_cubes(lanes4 cube, uint32_t bits)
{
    lane_mask counts = lanes_of_bits(bits);
    lanes far_away = lanes_all(INFINITY);
    lanes none = lanes_all(-INFINITY);
    return (mt_box){{lanes_least(lanes_select(counts, cube.x - cube.w, far_away)),
                     lanes_least(lanes_select(counts, cube.y - cube.w, far_away)),
                     lanes_least(lanes_select(counts, cube.z - cube.w, far_away))},
                    {lanes_largest(lanes_select(counts, cube.x + cube.w, none)),
                     lanes_largest(lanes_select(counts, cube.y + cube.w, none)),
                     lanes_largest(lanes_select(counts, cube.z + cube.w, none))}};
}

/* The shapes near a group: their numbers and their boxes, side by side. */
typedef struct group_list {
    uint32_t first, last; /* slices [first, last) */
    uint32_t count;       /* more than there is room for: no list */
    uint32_t shape[GROUP_CANDIDATES + LANES];
    float min_x[GROUP_CANDIDATES + LANES], min_y[GROUP_CANDIDATES + LANES], min_z[GROUP_CANDIDATES + LANES];
    float max_x[GROUP_CANDIDATES + LANES], max_y[GROUP_CANDIDATES + LANES], max_z[GROUP_CANDIDATES + LANES];
} group_list;

/* What is to be done, and the list of the group that is at work. */
typedef struct job {
    const mt_substep *s;
    uint32_t end; /* of the slices */
    group_list list;
} job;

LANE_FUNCTION void load_eight(eight *e, const mt_substep *s, uint32_t slice)
{
    uint32_t i = slice * LANES;
    e->start = lanes_load4(s->position + i);
    e->end = lanes_load4(s->predicted + i);
    e->within = e->start.w * lanes_all(2.0f * s->contact_margin - 1.0f);
    e->phase = lanes_load_index(s->phase + i);
    e->alive = lanes_bits(lanes_above(lanes_load4(s->transport + i).w, lanes_all(0.0f)));
}

/* Whether no shape is near, as is known from before. The dead count as well: they are where they were. */
LANE_FUNCTION bool is_known_free(const mt_substep *s, uint32_t slice)
{
    const mt_shape_cache *cache = &s->shape_cache[slice];
    if (!cache->valid || cache->count > 0)
        return false;
    uint32_t i = slice * LANES;
    eight e;
    e.start = lanes_load4(s->position + i);
    e.end = lanes_load4(s->predicted + i);
    e.within = e.start.w * lanes_all(2.0f * s->contact_margin - 1.0f);
    sweeps w = sweep(&e);
    return within_cubes(w.min, w.max, lanes_load4(s->cubes + i)) == 0xFFu;
}

static float width_of(const mt_box *box)
{
    mote_vec3 d = mt_sub(box->max, box->min);
    return mt_most(d.x, mt_most(d.y, d.z));
}

/* Slices from `first` on, for as long as they are together. */
static mt_box gather_group(job *g, uint32_t first)
{
    mt_box all = mt_box_empty();
    uint32_t slice = first;
    for (; slice < g->end && slice < first + GROUP; slice++) {
        eight e;
        load_eight(&e, g->s, slice);
        if (e.alive == 0)
            continue;
        sweeps w = sweep(&e);
        lanes4 cube = cubes_around(&e, &w);
        mt_box joined = mt_box_join(all, box_of_cubes(cube, e.alive));
        if (slice > first && width_of(&joined) > TOGETHER * lanes_largest(cube.w))
            break;
        all = joined;
    }
    g->list.first = first;
    g->list.last = slice;
    return all;
}

static void make_list(job *g, uint32_t first)
{
    group_list *l = &g->list;
    mt_box all = gather_group(g, first);
    l->count = mt_placement_find(g->s->placement, all, l->shape, GROUP_CANDIDATES);
    if (l->count > GROUP_CANDIDATES)
        return;
    for (uint32_t i = 0; i < l->count + LANES; i++) { /* what is behind the last overlaps nothing */
        mt_box box = i < l->count ? g->s->reaches[l->shape[i]].box : mt_box_empty();
        l->min_x[i] = box.min.x;
        l->min_y[i] = box.min.y;
        l->min_z[i] = box.min.z;
        l->max_x[i] = box.max.x;
        l->max_y[i] = box.max.y;
        l->max_z[i] = box.max.z;
    }
}

/* Those of the group's list that overlap a box. */
static uint32_t pick(const group_list *l, const mt_box *box, uint32_t out[MOST_CANDIDATES + LANES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->count && count <= MOST_CANDIDATES; i += LANES) {
        lane_mask x = lanes_at_most(lanes_load(l->min_x + i), lanes_all(box->max.x)) &
                      lanes_at_least(lanes_load(l->max_x + i), lanes_all(box->min.x));
        lane_mask y = lanes_at_most(lanes_load(l->min_y + i), lanes_all(box->max.y)) &
                      lanes_at_least(lanes_load(l->max_y + i), lanes_all(box->min.y));
        lane_mask z = lanes_at_most(lanes_load(l->min_z + i), lanes_all(box->max.z)) &
                      lanes_at_least(lanes_load(l->max_z + i), lanes_all(box->min.z));
        uint32_t bits = lanes_bits(x & y & z);
        if (bits != 0)
            count += lanes_compress(out + count, lanes_load_index(l->shape + i), bits);
    }
    return count;
}

/* Particles that follow each other are together but for one jump, most often: where the way from one to the
 * next is longest. Answers the bits of the lanes before it. */
static uint32_t before_jump(lanes4 cube)
{
    uint32_t at = 1;
    float longest = -1.0f;
    for (uint32_t lane = 1; lane < LANES; lane++) {
        float x = cube.x[lane] - cube.x[lane - 1], y = cube.y[lane] - cube.y[lane - 1],
              z = cube.z[lane] - cube.z[lane - 1];
        float way = x * x + y * y + z * z;
        if (way > longest) {
            longest = way;
            at = lane;
        }
    }
    return (1u << at) - 1u;
}

/* On both sides of the jump for itself. A shape may come twice. */
static uint32_t ask_in_two(const mt_substep *s, lanes4 cube, uint32_t alive,
                           uint32_t out[MOST_CANDIDATES + LANES])
{
    uint32_t first = before_jump(cube), count = 0;
    for (int side = 0; side < 2; side++) {
        uint32_t bits = alive & (side == 0 ? first : ~first);
        if (bits != 0)
            count +=
                mt_placement_find(s->placement, box_of_cubes(cube, bits), out + count, MOST_CANDIDATES - count);
        if (count > MOST_CANDIDATES)
            return count;
    }
    return count;
}

/* Leaves those that overlap the cube of a particle, in rising order and once. */
static uint32_t sift(const mt_substep *s, lanes4 cube, uint32_t alive, uint32_t *list, uint32_t count)
{
    sweeps w = {{cube.x - cube.w, cube.y - cube.w, cube.z - cube.w, cube.w},
                {cube.x + cube.w, cube.y + cube.w, cube.z + cube.w, cube.w}};
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = list[i], k = left;
        if ((overlapping(&w, &s->reaches[number].box) & alive) == 0)
            continue;
        while (k > 0 && list[k - 1] > number)
            k--;
        if (k > 0 && list[k - 1] == number)
            continue;
        memmove(list + k + 1, list + k, (left - k) * sizeof *list);
        list[k] = number;
        left++;
    }
    return left;
}

/* The shapes near eight particles; more than MOST_CANDIDATES: there is no list. */
static uint32_t candidates_of(job *g, const eight *e, const sweeps *w, uint32_t slice,
                              uint32_t local[MOST_CANDIDATES + LANES], const uint32_t **list)
{
    const mt_substep *s = g->s;
    mt_shape_cache *cache = &s->shape_cache[slice];
    lanes4 cube = lanes_load4(s->cubes + slice * LANES);
    if (cache->valid && within_cubes(w->min, w->max, cube) == 0xFFu) {
        *list = s->candidates + cache->first;
        return cache->count;
    }
    if (slice < g->list.first || slice >= g->list.last)
        make_list(g, slice);
    cube = cubes_around(e, w);
    mt_box box = box_of_cubes(cube, e->alive);
    uint32_t count = g->list.count > GROUP_CANDIDATES ? MANY_CANDIDATES + 1 : pick(&g->list, &box, local);
    if (count > MANY_CANDIDATES)
        count = ask_in_two(s, cube, e->alive, local);
    *list = local;
    *cache = (mt_shape_cache){0, 0, false};
    if (count > MOST_CANDIDATES)
        return count;
    count = sift(s, cube, e->alive, local, count);
    uint32_t first = count > 0 ? atomic_fetch_add_explicit(s->candidates_used, count, memory_order_relaxed) : 0;
    if (count > 0 && first + count > s->candidate_capacity)
        return count; /* no room to keep them; next step there will be */
    *cache = (mt_shape_cache){first, count, true};
    lanes_store4(s->cubes + slice * LANES, cube);
    if (count > 0)
        memcpy(s->candidates + first, local, count * sizeof *local);
    return count;
}

/* ---- contacts with them -------------------------------------------------------------------------------- */

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

LANE_FUNCTION void touch_lanes(const mt_substep *s, eight *e, const sweeps *w, uint32_t shape, uint32_t bits)
{
    const mt_shape_reach *reach = &s->reaches[shape];
    bits &= e->alive & overlapping(w, &reach->box);
    if (__builtin_expect(bits != 0, 0))
        bits &= in_channels(e, reach->channels); /* none for planes and triggers */
    for (; bits != 0; bits &= bits - 1)
        touch(s, e, shape, (uint32_t)__builtin_ctz(bits));
}

/* Particles that lie far apart have a box of all eight that says little. */
static void find_for_each(const mt_substep *s, eight *e, const sweeps *w)
{
    uint32_t candidates[MOST_CANDIDATES + 1];
    for (uint32_t rest = e->alive; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        mt_box box = {{w->min.x[lane], w->min.y[lane], w->min.z[lane]},
                      {w->max.x[lane], w->max.y[lane], w->max.z[lane]}};
        uint32_t count = mt_placement_find(s->placement, box, candidates, MOST_CANDIDATES);
        bool all = count > MOST_CANDIDATES; /* a long way through many shapes */
        count = all ? count : sift(s, cubes_around(e, w), 1u << lane, candidates, count);
        for (uint32_t i = 0; i < (all ? s->shape_count : count); i++)
            touch_lanes(s, e, w, all ? i : candidates[i], 1u << lane);
    }
}

/* Where and how near shapes were looked for is noted for the guard; it need not be where there is none. */
static void find_solids(job *g, eight *e, uint32_t slice)
{
    const mt_substep *s = g->s;
    sweeps w = sweep(e);
    uint32_t local[MOST_CANDIDATES + LANES];
    const uint32_t *list;
    uint32_t count = candidates_of(g, e, &w, slice, local, &list);
    if (count == 0)
        return;
    lanes_store(e->clear, e->within);
    if (count > MOST_CANDIDATES)
        find_for_each(s, e, &w);
    else
        for (uint32_t i = 0; i < count; i++)
            touch_lanes(s, e, &w, list[i], 0xFFu);
    lanes4 watch = e->end;
    watch.w = lanes_load(e->clear);
    lanes_store4(s->watch + slice * LANES, watch);
}

/* ---- the kernel ---------------------------------------------------------------------------------------- */

void MT_KERNEL(shapes)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    job g;
    g.s = context;
    g.end = end;
    g.list.first = g.list.last = 0;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        eight e;
        g.s->shape_length[slice] = 0;
        if (g.s->plane_count == 0 && is_known_free(g.s, slice))
            continue;
        load_eight(&e, g.s, slice);
        memset(e.count, 0, sizeof e.count);
        if (e.alive == 0)
            continue;
        find_planes(g.s, &e);
        if (g.s->solids)
            find_solids(&g, &e, slice);
        write_rows(g.s, &e, slice);
    }
}

/* ---- the watch ----------------------------------------------------------------------------------------- */

/* Solving moves particles further. Who ends no further from where contacts were looked for than the nearest
 * surface was has crossed none, and where no shape is near all stay free who stay there; the others are
 * looked at again, one by one. */
void MT_KERNEL(guard)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        const mt_shape_cache *cache = &s->shape_cache[slice];
        lanes4 x = lanes_load4(s->predicted + i);
        uint32_t bits;
        if (cache->valid && cache->count == 0)
            bits = ~within_cubes(x, x, lanes_load4(s->cubes + i)) & 0xFFu;
        else {
            lanes4 watch = lanes_load4(s->watch + i);
            lanes dx = x.x - watch.x, dy = x.y - watch.y, dz = x.z - watch.z;
            lanes room = watch.w - lanes_load4(s->position + i).w * lanes_all(MT_SURFACE_SKIN);
            room = lanes_max(room, lanes_all(0.0f));
            bits = lanes_bits(lanes_at_least(dx * dx + dy * dy + dz * dz, room * room));
        }
        if (bits != 0)
            bits &= lanes_bits(lanes_above(lanes_load4(s->transport + i).w, lanes_all(0.0f)));
        for (; bits != 0; bits &= bits - 1)
            mt_guard_particle(s, i + (uint32_t)__builtin_ctz(bits));
    }
}
