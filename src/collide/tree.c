#include "collide/tree.h"

#include "world/check.h"

#define LEAF 4u /* items */
#define BINS 16

void mt_tree_init(mt_tree *tree)
{
    mt_array_init(&tree->nodes, sizeof(mt_tree_node));
    mt_array_init(&tree->items, sizeof(uint32_t));
    mt_array_init(&tree->centers, sizeof(mote_vec3));
    tree->node_count = tree->item_count = 0;
}

void mt_tree_free(mt_tree *tree, mt_memory *memory)
{
    mt_array_free(&tree->nodes, memory);
    mt_array_free(&tree->items, memory);
    mt_array_free(&tree->centers, memory);
    tree->node_count = tree->item_count = 0;
}

typedef struct builder {
    const mt_box *boxes;
    mote_vec3 *centers;
    uint32_t *items;
    mt_tree_node *nodes;
    uint32_t node_count;
} builder;

static float component(mote_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static float half_area(mt_box box)
{
    mote_vec3 d = mt_sub(box.max, box.min);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

typedef struct split {
    int axis;
    float low, scale; /* bin = (center - low) * scale */
    int bin;          /* items of bins up to this one go left */
    float cost;       /* area times count of both sides */
} split;

static int bin_of(const split *s, float center)
{
    int bin = (int)((center - s->low) * s->scale);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

/* The best place to cut along an axis, by the surface-area rule: the cost of a side is its area times its
 * count. */
static split best_split(const builder *b, uint32_t first, uint32_t count, int axis, float low, float high)
{
    split best = {axis, low, (float)BINS / (high - low), -1, INFINITY};
    mt_box boxes[BINS];
    uint32_t counts[BINS] = {0};
    for (int i = 0; i < BINS; i++)
        boxes[i] = mt_box_empty();
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t item = b->items[i];
        int bin = bin_of(&best, component(b->centers[item], axis));
        boxes[bin] = mt_box_join(boxes[bin], b->boxes[item]);
        counts[bin]++;
    }
    float right_cost[BINS];
    mt_box side = mt_box_empty();
    uint32_t number = 0;
    for (int i = BINS - 1; i > 0; i--) {
        side = mt_box_join(side, boxes[i]);
        number += counts[i];
        right_cost[i] = number > 0 ? half_area(side) * (float)number : 0.0f;
    }
    side = mt_box_empty();
    number = 0;
    for (int i = 0; i < BINS - 1; i++) {
        side = mt_box_join(side, boxes[i]);
        number += counts[i];
        float cost = (number > 0 ? half_area(side) * (float)number : 0.0f) + right_cost[i + 1];
        if (number > 0 && number < count && cost < best.cost) {
            best.cost = cost;
            best.bin = i;
        }
    }
    return best;
}

/* Puts the items of the left side first; answers how many they are. */
static uint32_t partition(builder *b, uint32_t first, uint32_t count, const split *s)
{
    uint32_t left = first, right = first + count;
    while (left < right) {
        if (bin_of(s, component(b->centers[b->items[left]], s->axis)) <= s->bin) {
            left++;
            continue;
        }
        uint32_t item = b->items[left];
        b->items[left] = b->items[--right];
        b->items[right] = item;
    }
    return left - first;
}

static split choose(const builder *b, uint32_t first, uint32_t count)
{
    mt_box centers = mt_box_empty();
    for (uint32_t i = first; i < first + count; i++)
        centers = mt_box_with(centers, b->centers[b->items[i]]);
    split best = {0, 0, 0, -1, INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        float low = component(centers.min, axis), high = component(centers.max, axis);
        /* Centers that are as good as one; below 1e-30 m the bins' scale could overflow. */
        if (!(high - low > fmaxf(1e-6f * fmaxf(fabsf(low), fabsf(high)), 1e-30f)))
            continue;
        split s = best_split(b, first, count, axis, low, high);
        if (s.bin >= 0 && s.cost < best.cost)
            best = s;
    }
    return best;
}

/* Depth is bounded: below a certain one items are cut into equal halves, whatever the areas. */
static void build_node(builder *b, uint32_t index, uint32_t first, uint32_t count, uint32_t depth)
{
    mt_box box = mt_box_empty();
    for (uint32_t i = first; i < first + count; i++)
        box = mt_box_join(box, b->boxes[b->items[i]]);
    b->nodes[index] = (mt_tree_node){box, first, count};
    if (count <= LEAF)
        return;
    split s = choose(b, first, count);
    uint32_t left = s.bin >= 0 && depth < 28 ? partition(b, first, count, &s) : count / 2;
    uint32_t child = b->node_count;
    b->node_count += 2;
    b->nodes[index].first = child;
    b->nodes[index].count = 0;
    build_node(b, child, first, left, depth + 1);
    build_node(b, child + 1, first + left, count - left, depth + 1);
}

mote_result mt_tree_build(mt_tree *tree, mt_memory *memory, const mt_box *boxes, uint32_t count)
{
    tree->node_count = tree->item_count = 0;
    if (count == 0)
        return MOTE_OK;
    MT_TRY(mt_array_reserve(&tree->nodes, memory, 2 * (size_t)count, 0));
    MT_TRY(mt_array_reserve(&tree->items, memory, count, 0));
    MT_TRY(mt_array_reserve(&tree->centers, memory, count, 0));
    builder b = {boxes, tree->centers.data, tree->items.data, tree->nodes.data, 1};
    for (uint32_t i = 0; i < count; i++) {
        b.items[i] = i;
        b.centers[i] = mt_scale(mt_add(boxes[i].min, boxes[i].max), 0.5f);
    }
    build_node(&b, 0, 0, count, 0);
    tree->node_count = b.node_count;
    tree->item_count = count;
    return MOTE_OK;
}
