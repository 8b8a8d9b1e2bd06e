/* Points near each other: a hash table of cells as wide as the reach. */
#include "base/hash.h"
#include "base/real.h"
#include "build/pieces.h"
#include "world/check.h"

typedef struct cell {
    int64_t x, y, z;
} cell;

static cell cell_of(const mt_near_points *near, uint32_t i)
{
    mote_vec3 p = near->points[i];
    return (cell){(int64_t)floor((double)p.x / near->reach), (int64_t)floor((double)p.y / near->reach),
                  (int64_t)floor((double)p.z / near->reach)};
}

static size_t slot_of(const mt_near_points *near, cell c)
{
    uint64_t hash = mt_hash_add(mt_hash_add(mt_hash_add(0, (uint64_t)c.x), (uint64_t)c.y), (uint64_t)c.z);
    return (size_t)hash & (near->slots - 1);
}

mote_result mt_near_points_make(mt_memory *memory, const mote_vec3 *points, uint32_t count, double reach,
                                mt_near_points *near)
{
    *near = (mt_near_points){.points = points, .count = count, .reach = reach, .slots = 16};
    while (near->slots < count)
        near->slots *= 2;
    near->heads = mt_allocate(memory, near->slots * sizeof *near->heads);
    near->next = mt_allocate(memory, count * sizeof *near->next);
    if (near->heads == NULL || near->next == NULL) {
        mt_near_points_free(memory, near);
        return MOTE_ERROR_MEMORY;
    }
    memset(near->heads, 0, near->slots * sizeof *near->heads);
    for (uint32_t i = count; i-- > 0;) { /* the last first, so that each slot's list ascends */
        size_t slot = slot_of(near, cell_of(near, i));
        near->next[i] = near->heads[slot];
        near->heads[slot] = i + 1;
    }
    return MOTE_OK;
}

void mt_near_points_free(mt_memory *memory, mt_near_points *near)
{
    mt_release(memory, near->heads, near->slots * sizeof *near->heads);
    mt_release(memory, near->next, near->count * sizeof *near->next);
    *near = (mt_near_points){0};
}

static bool visit_cell(const mt_near_points *near, uint32_t i, cell c, mt_pair_visit *visit, void *context)
{
    for (uint32_t next = near->heads[slot_of(near, c)]; next != 0; next = near->next[next - 1]) {
        uint32_t j = next - 1;
        if (j <= i)
            continue;
        cell other = cell_of(near, j); /* several cells may be in a slot */
        mt_real3 way = mt_real_between(near->points[i], near->points[j]);
        if (other.x == c.x && other.y == c.y && other.z == c.z &&
            mt_real_dot(way, way) <= near->reach * near->reach && !visit(context, i, j))
            return false;
    }
    return true;
}

void mt_near_points_pairs(const mt_near_points *near, mt_pair_visit *visit, void *context)
{
    for (uint32_t i = 0; i < near->count; i++) {
        cell c = cell_of(near, i);
        for (int k = 0; k < 27; k++) {
            cell beside = {c.x + k % 3 - 1, c.y + k / 3 % 3 - 1, c.z + k / 9 - 1};
            if (!visit_cell(near, i, beside, visit, context))
                return;
        }
    }
}
