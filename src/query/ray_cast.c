/* Rays: what each one meets first. */
#include "base/error.h"
#include "query/ray_search.h"
#include "world/check.h"

#include <stdio.h>

#define MAX_ORIGIN 1e7f      /* m */
#define MAX_LENGTH 1e7f      /* m */
#define BLOCK      8u        /* rays that a thread takes at a time */
#define BATCH      0x100000u /* rays in one parallel loop */

/* ---- checking ------------------------------------------------------------------------------------------ */

static mote_result check_ray(const mote_ray *ray)
{
    MT_TRY(mt_check_vec3("origin", ray->origin, MAX_ORIGIN));
    MT_TRY(mt_check_vec3("direction", ray->direction, INFINITY));
    if (ray->direction.x == 0 && ray->direction.y == 0 && ray->direction.z == 0)
        return mt_fail(MOTE_ERROR_ARGUMENT, "direction has no length");
    return mt_check_positive("length", ray->length, MAX_LENGTH);
}

static mote_result check_rays(const mote_ray *rays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mote_result result = check_ray(&rays[i]);
        if (result == MOTE_OK)
            continue;
        char reason[160]; /* a copy: the text must not be printed into itself */
        snprintf(reason, sizeof reason, "%s", mote_last_error());
        return mt_fail(result, "rays[%zu].%s", i, reason);
    }
    return MOTE_OK;
}

/* ---- casting ------------------------------------------------------------------------------------------- */

bool mt_ray_take(mt_ray_search *search, double distance, bool is_shape, uint32_t place, uint32_t index)
{
    if (!(distance <= search->nearest))
        return false;
    if (search->found && distance == search->nearest &&
        (is_shape != search->is_shape ? is_shape : index >= search->index))
        return false;
    search->nearest = distance;
    search->found = true;
    search->is_shape = is_shape;
    search->place = place;
    search->index = index;
    return true;
}

static mote_ray_hit hit_of(const mt_ray_search *search)
{
    mote_ray_hit hit = {.hit = search->found};
    if (!search->found)
        return hit;
    mt_real3 point = mt_ray_at(&search->ray, search->nearest);
    hit.distance = (float)search->nearest;
    hit.point = mt_real_round(point);
    if (search->is_shape) {
        hit.normal = search->normal;
        hit.shape = mt_shapes(search->world)[search->place].id;
        return hit;
    }
    mote_vec4 ball = mt_positions(search->world)[search->place];
    mt_real3 away = mt_real_sub(point, mt_real_of(mt_xyz(ball)));
    hit.normal = mt_real_round(mt_real_scale(away, 1 / (double)ball.w));
    hit.particle = mt_particle_ids(search->world)[search->place];
    return hit;
}

typedef struct cast {
    const mote_world *world;
    mote_query_filter filter;
    mt_particle_blocks blocks;
    const mote_ray *rays;
    mote_ray_hit *hits;
} cast;

static void cast_rays(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    const cast *c = context;
    for (uint32_t i = begin; i < end; i++) {
        const mote_ray *ray = &c->rays[i];
        mt_ray_search search = {.world = c->world, .filter = &c->filter, .blocks = &c->blocks};
        search.ray = mt_ray_make(mt_real_of(ray->origin), mt_real_of(ray->direction), (double)ray->length);
        search.nearest = search.ray.length;
        if (c->filter.particles)
            mt_ray_meet_particles(&search);
        if (c->filter.shapes)
            mt_ray_meet_shapes(&search);
        c->hits[i] = hit_of(&search);
    }
}

/* On all threads. The threads may be the host's, so the world is busy meanwhile. */
static void cast_all(cast *c, size_t count)
{
    mote_world *world = mt_query_world(c->world);
    world->busy = true;
    for (size_t done = 0; done < count; done += BATCH) {
        uint32_t some = count - done < BATCH ? (uint32_t)(count - done) : BATCH;
        mt_parallel_for(&world->threads, some, BLOCK, cast_rays, c);
        c->rays += some;
        c->hits += some;
    }
    world->busy = false;
}

mote_result mote_ray_cast(const mote_world *world, const mote_ray *rays, size_t count,
                          const mote_query_filter *filter, mote_ray_hit *hits)
{
    cast c = {.world = world, .rays = rays, .hits = hits};
    MT_TRY(mt_query_begin(world, "mote_ray_cast", filter, &c.filter));
    if (count == 0)
        return MOTE_OK;
    MT_TRY(mt_check_pointer("rays", rays));
    MT_TRY(mt_check_pointer("hits", hits));
    MT_TRY(check_rays(rays, count));
    mote_result result = c.filter.particles ? mt_particle_blocks_make(world, &c.blocks) : MOTE_OK;
    if (result == MOTE_OK)
        cast_all(&c, count);
    mt_particle_blocks_free(world, &c.blocks);
    return result;
}
