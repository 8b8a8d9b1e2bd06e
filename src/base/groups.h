/* Groups of things that are connected (union-find): `parent` is the thing itself for the root of a group. The
 * lowest is the root, so that the groups do not depend on the order in which they were united. */
#ifndef MOTE_BASE_GROUPS_H
#define MOTE_BASE_GROUPS_H

#include <stdint.h>

static inline uint32_t mt_root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static inline void mt_unite(uint32_t *parent, uint32_t i, uint32_t j)
{
    i = mt_root_of(parent, i);
    j = mt_root_of(parent, j);
    parent[i > j ? i : j] = i > j ? j : i;
}

#endif
