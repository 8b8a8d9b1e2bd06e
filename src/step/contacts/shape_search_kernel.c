#include "step/contacts/guard.h"
#include "step/contacts/shape_search.h"

#define ROOM_SUBSTEPS   4.0f  /* for so many substeps at its speed a particle has room in its cube */
#define TOGETHER        32.0f /* widths of a particle's cube: a group is no wider */
#define GROUP           16u   /* slices that ask the trees together */
#define MANY_CANDIDATES 64u   /* of eight particles: so many that they are probably not together */

/* ---- cubes --------------------------------------------------------------------------------------------- */

/* Cubes that hold what the particles sweep, with room for the next substeps. */
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

/* ---- groups -------------------------------------------------------------------------------------------- */

static float width_of(const mt_box *box)
{
    mote_vec3 d = mt_sub(box->max, box->min);
    return mt_most(d.x, mt_most(d.y, d.z));
}

/* Slices from `first` on, for as long as they are together. */
static mt_box gather_group(shape_search *g, uint32_t first)
{
    mt_box all = mt_box_empty();
    uint32_t slice = first;
    for (; slice < g->end && slice < first + GROUP; slice++) {
        eight e;
        load_eight(&e, g->s, slice);
        if (e.real == 0)
            continue;
        sweeps w = sweep(&e);
        lanes4 cube = cubes_around(&e, &w);
        mt_box joined = mt_box_join(all, box_of_cubes(cube, e.real));
        if (slice > first && width_of(&joined) > TOGETHER * lanes_largest(cube.w))
            break;
        all = joined;
    }
    g->group.first = first;
    g->group.last = slice;
    return all;
}

static void make_list(shape_search *g, uint32_t first)
{
    shape_group *l = &g->group;
    mt_box all = gather_group(g, first);
    l->count = mt_placement_find(g->s->shapes.placement, all, l->shape, MT_GROUP_CANDIDATES);
    l->box = all;
    if (l->count > MT_GROUP_CANDIDATES)
        return;
    for (uint32_t i = 0; i < l->count + LANES; i++) {
        if (i >= l->count)
            l->shape[i] = 0; /* padding */
        mt_box box = i < l->count ? g->s->shapes.reaches[l->shape[i]].box : mt_box_empty();
        l->min_x[i] = box.min.x;
        l->min_y[i] = box.min.y;
        l->min_z[i] = box.min.z;
        l->max_x[i] = box.max.x;
        l->max_y[i] = box.max.y;
        l->max_z[i] = box.max.z;
    }
}

/* Those of the group's list that overlap a box. */
static uint32_t pick(const shape_group *l, const mt_box *box, uint32_t out[MT_MOST_CANDIDATES + LANES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->count && count <= MT_MOST_CANDIDATES; i += LANES) {
        lane_mask x = lanes_at_most(lanes_load(l->min_x + i), lanes_all(box->max.x)) &
                      lanes_at_least(lanes_load(l->max_x + i), lanes_all(box->min.x));
        lane_mask y = lanes_at_most(lanes_load(l->min_y + i), lanes_all(box->max.y)) &
                      lanes_at_least(lanes_load(l->max_y + i), lanes_all(box->min.y));
        lane_mask z = lanes_at_most(lanes_load(l->min_z + i), lanes_all(box->max.z)) &
                      lanes_at_least(lanes_load(l->max_z + i), lanes_all(box->min.z));
        uint32_t bits = lanes_bits(x & y & z);
        if (l->count - i < LANES)
            bits &= (1u << (l->count - i)) - 1u;
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

/* Adds the shapes near the cubes of some lanes. A shape may come twice. */
static uint32_t ask(const mt_substep *s, lanes4 cube, uint32_t bits, uint32_t *out, uint32_t count)
{
    if (bits == 0 || count > MT_MOST_CANDIDATES)
        return count;
    return count + mt_placement_find(s->shapes.placement, box_of_cubes(cube, bits), out + count,
                                     MT_MOST_CANDIDATES - count);
}

/* On both sides of the jump apart; or, if that is not enough, each particle for itself. */
static uint32_t ask_apart(const mt_substep *s, lanes4 cube, uint32_t real, uint32_t *out)
{
    uint32_t first = before_jump(cube);
    uint32_t count = ask(s, cube, real & ~first, out, ask(s, cube, real & first, out, 0));
    if (count <= MT_MOST_CANDIDATES)
        return count;
    count = 0;
    for (uint32_t rest = real; rest != 0; rest &= rest - 1)
        count = ask(s, cube, rest & (~rest + 1u), out, count);
    return count;
}

/* Puts numbers in rising order, each once. */
static uint32_t sort_once(uint32_t *list, uint32_t count)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = list[i], k = left;
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

/* The lanes whose cubes a shape reaches into. Its box may be much larger than what of it is in the way: a
 * bowl's, a hall's. */
static uint32_t reached_lanes(const mt_substep *s, lanes4 cube, uint32_t bits, uint32_t shape)
{
    uint32_t reached = 0;
    for (; bits != 0; bits &= bits - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(bits);
        mote_vec3 middle = {cube.x[lane], cube.y[lane], cube.z[lane]};
        if (mt_placed_reaches(&s->shapes.placed[shape], middle, cube.w[lane]))
            reached |= 1u << lane;
    }
    return reached;
}

/* Leaves those that reach into the cube of a particle, with the lanes where they do. */
static uint32_t sift(const mt_substep *s, lanes4 cube, uint32_t real, uint32_t *list, uint32_t count)
{
    sweeps w = {{cube.x - cube.w, cube.y - cube.w, cube.z - cube.w, cube.w},
                {cube.x + cube.w, cube.y + cube.w, cube.z + cube.w, cube.w}};
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits = overlapping(&w, &s->shapes.reaches[list[i]].box) & real;
        bits = bits != 0 ? reached_lanes(s, cube, bits, list[i]) : 0;
        if (bits != 0)
            list[left++] = MT_CANDIDATE(list[i], bits);
    }
    return sort_once(list, left);
}

/* ---- what is near -------------------------------------------------------------------------------------- */

/* If there is no room for it, there will be in the next step. */
static void remember(const mt_substep *s, uint32_t slice, lanes4 cube, const uint32_t *found, uint32_t count)
{
    uint32_t first =
        count > 0 ? atomic_fetch_add_explicit(s->shapes.candidates_used, count, memory_order_relaxed) : 0;
    if (count > 0 && first + count > s->shapes.candidate_capacity)
        return;
    s->shapes.cache[slice] = (mt_shape_cache){.first = first, .count = count, .valid = true};
    lanes_store4(s->guard.cubes + slice * LANES, cube);
    if (count > 0)
        memcpy(s->shapes.candidates + first, found, count * sizeof *found);
}

/* That there is no shape in a box. */
static void remember_none(const mt_substep *s, uint32_t slice, const mt_box *box, float margin)
{
    s->shapes.cache[slice] = (mt_shape_cache){.valid = true,
                                              .wide = true,
                                              .low = {box->min.x, box->min.y, box->min.z, -INFINITY},
                                              .high = {box->max.x, box->max.y, box->max.z, INFINITY},
                                              .margin = margin};
}

uint32_t MT_KERNEL(search_slice)(shape_search *search, const eight *e, const sweeps *w, uint32_t slice)
{
    if (slice < search->group.first || slice >= search->group.last)
        make_list(search, slice);
    const mt_substep *s = search->s;
    lanes4 cube = cubes_around(e, w);
    mt_box box = box_of_cubes(cube, e->real);
    uint32_t count = search->group.count > MT_GROUP_CANDIDATES ? MANY_CANDIDATES + 1
                                                               : pick(&search->group, &box, search->found);
    if (count == 0 && e->real == 0xFFu) {
        remember_none(s, slice, search->group.count == 0 ? &search->group.box : &box,
                      MT_SURFACE_SKIN * lanes_largest(cube.w));
        return 0;
    }
    if (count > MANY_CANDIDATES)
        count = ask_apart(s, cube, e->real, search->found);
    s->shapes.cache[slice] = (mt_shape_cache){0};
    if (count > MT_MOST_CANDIDATES)
        return count;
    count = sift(s, cube, e->real, search->found, count);
    remember(s, slice, cube, search->found, count);
    return count;
}

uint32_t MT_KERNEL(search_lane)(shape_search *search, const sweeps *w, uint32_t lane)
{
    mt_box box = {{w->min.x[lane], w->min.y[lane], w->min.z[lane]},
                  {w->max.x[lane], w->max.y[lane], w->max.z[lane]}};
    uint32_t count = mt_placement_find(search->s->shapes.placement, box, search->found, MT_MOST_CANDIDATES);
    if (count > MT_MOST_CANDIDATES)
        return count;
    for (uint32_t i = 0; i < count; i++)
        search->found[i] = MT_CANDIDATE(search->found[i], 1u << lane);
    return sort_once(search->found, count);
}
