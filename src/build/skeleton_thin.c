/* Bones lie over each other where they meet: thighs at the hips, arms and chest at the shoulders. Particles of
 * bones that overlap would push each other away for ever, against the joints, so of two that do the later
 * bone's is left out. */
#include "base/error.h"
#include "base/hash.h"
#include "build/skeleton_plan.h"
#include "world/check.h"

#define TOUCHING 0.999f /* of two radii: nearer ones overlap */
#define NONE     UINT32_MAX

/* A particle that will be there. A joint's belongs to two bones; a bone's has the same bone twice. */
typedef struct thin_entry {
    mote_vec3 place; /* in the world, m */
    uint32_t bone, other;
    uint32_t next; /* of the same bucket, or NONE */
} thin_entry;

/* Entries by their cells, which are as wide as two radii. */
typedef struct thin_grid {
    double cell;
    float reach;
    uint32_t *buckets;
    uint32_t mask;
    thin_entry *entries;
    uint32_t count;
} thin_grid;

typedef struct thin_cell {
    int64_t x, y, z;
} thin_cell;

static thin_cell cell_of(const thin_grid *grid, mote_vec3 place)
{
    return (thin_cell){(int64_t)floor((double)place.x / grid->cell),
                       (int64_t)floor((double)place.y / grid->cell),
                       (int64_t)floor((double)place.z / grid->cell)};
}

static uint32_t bucket_of(const thin_grid *grid, thin_cell cell)
{
    uint64_t hash =
        mt_hash_add(mt_hash_add(mt_hash_add(0, (uint64_t)cell.x), (uint64_t)cell.y), (uint64_t)cell.z);
    return (uint32_t)hash & grid->mask;
}

static void insert(thin_grid *grid, mote_vec3 place, uint32_t bone, uint32_t other)
{
    uint32_t *bucket = &grid->buckets[bucket_of(grid, cell_of(grid, place))];
    grid->entries[grid->count] = (thin_entry){place, bone, other, *bucket};
    *bucket = grid->count++;
}

static bool overlaps_in(const thin_grid *grid, thin_cell cell, mote_vec3 place, uint32_t bone)
{
    for (uint32_t i = grid->buckets[bucket_of(grid, cell)]; i != NONE; i = grid->entries[i].next) {
        const thin_entry *entry = &grid->entries[i];
        if (entry->bone != bone && entry->other != bone && mt_length(mt_sub(entry->place, place)) < grid->reach)
            return true;
    }
    return false;
}

static bool overlaps(const thin_grid *grid, mote_vec3 place, uint32_t bone)
{
    thin_cell center = cell_of(grid, place);
    for (int64_t z = -1; z <= 1; z++)
        for (int64_t y = -1; y <= 1; y++)
            for (int64_t x = -1; x <= 1; x++)
                if (overlaps_in(grid, (thin_cell){center.x + x, center.y + y, center.z + z}, place, bone))
                    return true;
    return false;
}

/* ---- bones ---------------------------------------------------------------------------------------------- */

static void insert_joints(thin_grid *grid, const mt_skeleton_plan *plan)
{
    for (uint32_t i = 0; i < plan->def->bone_count; i++) {
        const mote_bone_def *def = &plan->def->bones[i];
        mt_frame frame = mt_frame_of(plan->bones[i].pose);
        uint32_t size = mt_bone_joint_size(def);
        for (uint32_t k = 0; k < size; k++)
            insert(grid, mt_to_world(&frame, mt_bone_joint_point(def, k, plan->radius)), i, def->parent);
    }
}

/* The point nearest to the middle of all: what is left of a bone that is wholly within others. */
static mote_vec3 middle_point(const mote_vec3 *points, uint32_t count)
{
    mote_vec3 mean = {0.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; i < count; i++)
        mean = mt_add(mean, mt_scale(points[i], 1.0f / (float)count));
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (mt_length(mt_sub(points[i], mean)) < mt_length(mt_sub(points[best], mean)))
            best = i;
    return points[best];
}

/* Moves the points that stay to `*end`, and *end behind them. */
static void thin_bone(thin_grid *grid, mt_skeleton_plan *plan, uint32_t bone, uint32_t *end)
{
    mt_bone_plan *b = &plan->bones[bone];
    mote_vec3 *all = plan->points.data, *points = all + b->first_point, *kept = all + *end;
    mote_vec3 middle = middle_point(points, b->point_count);
    mt_frame frame = mt_frame_of(b->pose);
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->point_count; i++) {
        mote_vec3 place = mt_to_world(&frame, points[i]);
        if (overlaps(grid, place, bone))
            continue;
        insert(grid, place, bone, bone);
        kept[count++] = points[i];
    }
    if (count == 0) {
        insert(grid, mt_to_world(&frame, middle), bone, bone);
        kept[count++] = middle;
    }
    b->first_point = *end;
    b->point_count = count;
    *end += count;
}

mote_result mt_skeleton_thin(mt_memory *memory, mt_skeleton_plan *plan)
{
    size_t total = (size_t)plan->point_count + plan->joint_points, buckets = 16;
    while (buckets < total)
        buckets *= 2;
    thin_grid grid = {.cell = 2.0 * (double)plan->radius,
                      .reach = TOUCHING * 2.0f * plan->radius,
                      .mask = (uint32_t)(buckets - 1)};
    grid.buckets = mt_allocate(memory, buckets * sizeof *grid.buckets);
    if (grid.buckets == NULL)
        return MOTE_ERROR_MEMORY;
    grid.entries = mt_allocate(memory, total * sizeof *grid.entries);
    if (grid.entries != NULL) {
        for (size_t i = 0; i < buckets; i++)
            grid.buckets[i] = NONE;
        insert_joints(&grid, plan);
        uint32_t end = 0;
        for (uint32_t i = 0; i < plan->def->bone_count; i++)
            thin_bone(&grid, plan, i, &end);
        plan->point_count = end;
    }
    mt_release(memory, grid.entries, total * sizeof *grid.entries);
    mt_release(memory, grid.buckets, buckets * sizeof *grid.buckets);
    return grid.entries != NULL ? MOTE_OK : MOTE_ERROR_MEMORY;
}
