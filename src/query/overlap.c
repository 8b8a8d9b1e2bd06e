/* Overlaps: which particles and shapes reach into a ball or a box. */
#include "base/error.h"
#include "query/query.h"
#include "query/turned_box.h"
#include "world/check.h"

#include <string.h>

#define MAX_REACH 1e9f /* m */

typedef struct region {
    bool is_ball;
    mote_vec3 center; /* of a ball */
    float radius;
    mt_box box; /* the box, or that of the ball */
} region;

static bool particle_overlaps(const region *r, mote_vec4 x)
{
    mote_vec3 nearest = r->is_ball ? r->center : mt_box_clamp(&r->box, mt_xyz(x));
    mt_real3 way = mt_real_between(nearest, mt_xyz(x));
    double reach = (double)x.w + (r->is_ball ? (double)r->radius : 0.0);
    return mt_real_dot(way, way) < reach * reach;
}

/* By the corner of the box that is deepest below the plane. */
static bool plane_overlaps(const mt_box *box, const mt_placed *plane)
{
    mt_real3 normal = mt_real_of(plane->normal);
    mote_vec3 deepest = {normal.x > 0 ? box->min.x : box->max.x, normal.y > 0 ? box->min.y : box->max.y,
                         normal.z > 0 ? box->min.z : box->max.z};
    return mt_real_dot(normal, mt_real_of(deepest)) < (double)plane->offset;
}

static bool shape_overlaps(const region *r, const mt_placed *placed)
{
    bool is_plane = placed->form.kind == MT_FORM_PLANE;
    /* Planes and containers are solid without end; the others are in their boxes. */
    if (!is_plane && !placed->form.inside && !mt_box_overlap(&r->box, &placed->box))
        return false;
    if (r->is_ball)
        return mt_placed_distance(placed, r->center, r->radius) < r->radius;
    if (is_plane)
        return plane_overlaps(&r->box, placed);
    mt_turned_box turned = mt_turned_box_of(&r->box, &placed->end);
    return mt_form_meets_box(&placed->form, &turned);
}

/* ---- sets of indices, which come out in their order ------------------------------------------------------ */

static size_t set_size(const mt_handles *handles)
{
    return ((size_t)handles->count + 63) / 64 * sizeof(uint64_t);
}

static void put(uint64_t *set, uint32_t index)
{
    set[index / 64] |= (uint64_t)1 << index % 64;
}

/* Writes the first `capacity` ids of a set, all of which are an index with a generation; answers how many there
 * are. */
static size_t write_ids(const uint64_t *set, const mt_handles *handles, void *ids, size_t capacity)
{
    size_t count = 0;
    for (uint32_t i = 0; i < handles->count; i++) {
        if (set[i / 64] == 0) {
            i |= 63; /* nothing among these 64 */
            continue;
        }
        if ((set[i / 64] >> i % 64 & 1) == 0)
            continue;
        const mt_handle id = {i, mt_handle_entries(handles)[i].generation};
        if (count < capacity)
            memcpy((char *)ids + count * sizeof id, &id, sizeof id);
        count++;
    }
    return count;
}

static void collect_particles(const mote_world *world, const mote_query_filter *filter, const region *r,
                              uint64_t *set)
{
    for (uint32_t i = 0; i < world->particles.count; i++)
        if (particle_overlaps(r, mt_positions(world)[i]) && mt_query_sees_particle(filter, mt_phases(world)[i]))
            put(set, mt_particle_ids(world)[i].index);
}

static void collect_shapes(const mote_world *world, const mote_query_filter *filter, const region *r,
                           uint64_t *set)
{
    const mt_placed *placed = mt_placed_shapes(&world->placement);
    for (uint32_t i = 0; i < world->shapes.count; i++)
        if (mt_query_sees_shape(filter, &placed[i]) && shape_overlaps(r, &placed[i]))
            put(set, mt_shapes(world)[i].id.index);
}

/* ---- the calls ------------------------------------------------------------------------------------------- */

static mote_result check_result(const mote_overlap_result *result)
{
    MT_TRY(mt_check_pointer("result", result));
    if (result->particle_capacity > 0)
        MT_TRY(mt_check_pointer("result.particles", result->particles));
    if (result->shape_capacity > 0)
        MT_TRY(mt_check_pointer("result.shapes", result->shapes));
    return MOTE_OK;
}

static mote_result overlap(const mote_world *world, const mote_query_filter *filter, const region *r,
                           mote_overlap_result *result)
{
    const mt_handles *particles = &world->particles.handles, *shapes = &world->shapes.handles;
    size_t first = set_size(particles), size = first + set_size(shapes);
    result->particle_count = result->shape_count = 0;
    if (!filter->particles && !filter->shapes)
        return MOTE_OK;
    mt_memory *memory = &mt_query_world(world)->memory;
    uint64_t *sets = mt_allocate(memory, size);
    if (sets == NULL)
        return MOTE_ERROR_MEMORY;
    memset(sets, 0, size);
    uint64_t *shape_set = sets + first / sizeof *sets;
    if (filter->particles)
        collect_particles(world, filter, r, sets);
    if (filter->shapes)
        collect_shapes(world, filter, r, shape_set);
    result->particle_count = write_ids(sets, particles, result->particles, result->particle_capacity);
    result->shape_count = write_ids(shape_set, shapes, result->shapes, result->shape_capacity);
    mt_release(memory, sets, size);
    return MOTE_OK;
}

mote_result mote_overlap_sphere(const mote_world *world, mote_vec3 center, float radius,
                                const mote_query_filter *filter, mote_overlap_result *result)
{
    mote_query_filter used;
    MT_TRY(mt_query_begin(world, "mote_overlap_sphere", filter, &used));
    MT_TRY(mt_check_vec3("center", center, MAX_REACH));
    MT_TRY(mt_check_positive("radius", radius, MAX_REACH));
    MT_TRY(check_result(result));
    mt_box box = mt_box_grow((mt_box){center, center}, radius);
    float most = fmaxf(fabsf(center.x), fmaxf(fabsf(center.y), fabsf(center.z)));
    const region r = {true, center, radius, mt_box_grow(box, 2e-7f * (most + radius))};
    return overlap(world, &used, &r, result);
}

mote_result mote_overlap_box(const mote_world *world, mote_vec3 min, mote_vec3 max,
                             const mote_query_filter *filter, mote_overlap_result *result)
{
    mote_query_filter used;
    MT_TRY(mt_query_begin(world, "mote_overlap_box", filter, &used));
    MT_TRY(mt_check_vec3("min", min, MAX_REACH));
    MT_TRY(mt_check_vec3("max", max, MAX_REACH));
    if (min.x > max.x || min.y > max.y || min.z > max.z)
        return mt_fail(MOTE_ERROR_ARGUMENT, "min must not be above max on any axis");
    MT_TRY(check_result(result));
    const region r = {.box = {min, max}};
    return overlap(world, &used, &r, result);
}
