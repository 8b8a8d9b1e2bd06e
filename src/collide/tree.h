/* A bounding-volume tree: finds which of many boxes overlap a box. Made once from all boxes; a few to a
 * leaf. */
#ifndef MOTE_COLLIDE_TREE_H
#define MOTE_COLLIDE_TREE_H

#include "base/memory.h"
#include "collide/box.h"

typedef struct mt_tree_node {
    mt_box box;
    uint32_t first; /* a leaf: its first place in `items`; else the left child, the right one follows it */
    uint32_t count; /* a leaf: how many items; else 0 */
} mt_tree_node;

typedef struct mt_tree {
    mt_array nodes;   /* mt_tree_node; the root is 0 */
    mt_array items;   /* uint32_t: numbers of boxes */
    mt_array centers; /* while it is made */
    uint32_t node_count, item_count;
} mt_tree;

void mt_tree_init(mt_tree *tree);
void mt_tree_free(mt_tree *tree, mt_memory *memory);

/* Over boxes 0 .. count-1; what was in it before is gone. The same boxes give the same tree. */
mote_result mt_tree_build(mt_tree *tree, mt_memory *memory, const mt_box *boxes, uint32_t count);

/* A walk over the items of the leaves that overlap a box; items themselves may still miss it:
 *
 *     mt_tree_walk walk = mt_tree_begin(tree, box);
 *     for (uint32_t item; mt_tree_next(&walk, &item);) ... */
#define MT_TREE_DEPTH 64

typedef struct mt_tree_walk {
    const mt_tree_node *nodes;
    const uint32_t *items;
    mt_box box;
    uint32_t stack[MT_TREE_DEPTH];
    uint32_t waiting;    /* nodes on the stack */
    uint32_t next, last; /* what is left of a leaf */
} mt_tree_walk;

static inline mt_tree_walk mt_tree_begin(const mt_tree *tree, mt_box box)
{
    mt_tree_walk walk;
    walk.nodes = tree->nodes.data;
    walk.items = tree->items.data;
    walk.box = box;
    walk.next = walk.last = 0;
    walk.waiting = tree->node_count > 0 ? 1 : 0;
    walk.stack[0] = 0;
    return walk;
}

static inline bool mt_tree_next(mt_tree_walk *walk, uint32_t *item)
{
    while (walk->next == walk->last) {
        if (walk->waiting == 0)
            return false;
        const mt_tree_node *node = &walk->nodes[walk->stack[--walk->waiting]];
        if (!mt_box_overlap(&node->box, &walk->box))
            continue;
        if (node->count > 0) {
            walk->next = node->first;
            walk->last = node->first + node->count;
            break;
        }
        walk->stack[walk->waiting++] = node->first + 1;
        walk->stack[walk->waiting++] = node->first;
    }
    *item = walk->items[walk->next++];
    return true;
}

#endif
