/* Rays and particles. */
#include "query/ray_search.h"

#include "world/check.h"

#define BLOCK  32u /* slots in a block of the lowest level */
#define FANOUT 8u  /* blocks in a block of the next */

/* ---- blocks ---------------------------------------------------------------------------------------------- */

/* As fminf and fmaxf, which compilers make calls of for the sake of NaN. */
static float least(float a, float b)
{
    return a < b ? a : b;
}

static float most(float a, float b)
{
    return a > b ? a : b;
}

static mt_box joined(mt_box a, mt_box b)
{
    return (mt_box){{least(a.min.x, b.min.x), least(a.min.y, b.min.y), least(a.min.z, b.min.z)},
                    {most(a.max.x, b.max.x), most(a.max.y, b.max.y), most(a.max.z, b.max.z)}};
}

static mt_box box_of_balls(const mote_vec4 *x, uint32_t count)
{
    mt_box box = mt_box_empty();
    for (uint32_t i = 0; i < count; i++)
        box = joined(box, mt_box_grow((mt_box){mt_xyz(x[i]), mt_xyz(x[i])}, x[i].w));
    /* A little more than that, for what rounding takes away. */
    mote_vec3 far = {most(-box.min.x, box.max.x), most(-box.min.y, box.max.y), most(-box.min.z, box.max.z)};
    return mt_box_grow(box, 2e-7f * most(far.x, most(far.y, far.z)));
}

static uint32_t parts_of(uint32_t count, uint32_t size)
{
    return count / size + (count % size != 0);
}

static void lay_out(mt_particle_blocks *blocks, uint32_t particles)
{
    *blocks = (mt_particle_blocks){.levels = 0};
    uint32_t count = parts_of(particles, BLOCK);
    for (;; count = parts_of(count, FANOUT)) {
        blocks->first[blocks->levels] = blocks->total;
        blocks->count[blocks->levels++] = count;
        blocks->total += count;
        if (count <= 1)
            return;
    }
}

mote_result mt_particle_blocks_make(const mote_world *world, mt_particle_blocks *blocks)
{
    uint32_t particles = world->particles.count;
    lay_out(blocks, particles);
    blocks->boxes = mt_allocate(&mt_query_world(world)->memory, blocks->total * sizeof(mt_box));
    if (blocks->boxes == NULL)
        return MOTE_ERROR_MEMORY;
    for (uint32_t i = 0; i < blocks->count[0]; i++) {
        uint32_t first = i * BLOCK, rest = particles - first;
        blocks->boxes[i] = box_of_balls(mt_positions(world) + first, rest < BLOCK ? rest : BLOCK);
    }
    for (uint32_t level = 1; level < blocks->levels; level++) {
        const mt_box *below = blocks->boxes + blocks->first[level - 1];
        mt_box *boxes = blocks->boxes + blocks->first[level];
        for (uint32_t i = 0; i < blocks->count[level]; i++)
            boxes[i] = mt_box_empty();
        for (uint32_t i = 0; i < blocks->count[level - 1]; i++)
            boxes[i / FANOUT] = joined(boxes[i / FANOUT], below[i]);
    }
    return MOTE_OK;
}

void mt_particle_blocks_free(const mote_world *world, mt_particle_blocks *blocks)
{
    mt_release(&mt_query_world(world)->memory, blocks->boxes, blocks->total * sizeof(mt_box));
}

/* ---- meeting --------------------------------------------------------------------------------------------- */

/* Where a ray enters a ball; below 0 if it does not or starts inside. The way past the middle is a difference
 * of vectors, not of squares, so that nothing is lost when the ball is small and far. */
static double enter_ball(const mt_ray *ray, mote_vec4 ball)
{
    mt_real3 to = mt_real_sub(mt_real_of(mt_xyz(ball)), ray->from);
    double along = mt_real_dot(to, ray->direction), square = (double)ball.w * (double)ball.w;
    mt_real3 past = mt_real_sub(to, mt_real_scale(ray->direction, along));
    double depth = square - mt_real_dot(past, past);
    if (along <= 0 || depth < 0 || mt_real_dot(to, to) < square)
        return -1;
    return mt_real_most(along - sqrt(depth), 0);
}

static void meet_balls(mt_ray_search *search, uint32_t block)
{
    const mote_world *world = search->world;
    uint32_t begin = block * BLOCK, count = world->particles.count;
    uint32_t end = count - begin < BLOCK ? count : begin + BLOCK;
    for (uint32_t i = begin; i < end; i++) {
        double distance = enter_ball(&search->ray, mt_positions(world)[i]);
        if (distance >= 0 && mt_query_sees_particle(search->filter, mt_phases(world)[i]))
            mt_ray_take(search, distance, false, i, mt_particle_ids(world)[i].index);
    }
}

typedef struct entry {
    double distance;
    uint32_t block;
} entry;

/* The blocks of a block that the ray enters, in the order of the ray; answers how many. */
static uint32_t entered_parts(const mt_ray_search *search, uint32_t level, uint32_t block, entry out[FANOUT])
{
    const mt_particle_blocks *blocks = search->blocks;
    const mt_box *boxes = blocks->boxes + blocks->first[level];
    uint32_t begin = block * FANOUT, rest = blocks->count[level] - begin, count = 0;
    for (uint32_t i = begin; i < begin + (rest < FANOUT ? rest : FANOUT); i++) {
        double first, last;
        if (!mt_ray_in_box(&search->ray, &boxes[i], &first, &last))
            continue;
        uint32_t place = count++;
        for (; place > 0 && out[place - 1].distance > first; place--)
            out[place] = out[place - 1];
        out[place] = (entry){first, i};
    }
    return count;
}

static void meet_block(mt_ray_search *search, uint32_t level, uint32_t block)
{
    if (level == 0) {
        meet_balls(search, block);
        return;
    }
    entry parts[FANOUT];
    uint32_t count = entered_parts(search, level - 1, block, parts);
    for (uint32_t i = 0; i < count && parts[i].distance <= search->nearest; i++)
        meet_block(search, level - 1, parts[i].block);
}

void mt_ray_meet_particles(mt_ray_search *search)
{
    meet_block(search, search->blocks->levels - 1, 0);
}
