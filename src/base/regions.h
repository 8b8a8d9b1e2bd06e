/* Regions: where the large blocks of a world lie.
 *
 * A step goes through a hundred arrays of some ten to some hundred kilobytes each. As blocks of the C library's
 * they lie on thousands of small pages all over the address space, and finding a page is a walk through tables in
 * memory, twice as deep in a virtual machine. Here they lie side by side in regions of some megabytes, for which
 * the system is asked to take large pages. */
#ifndef MOTE_BASE_REGIONS_H
#define MOTE_BASE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

#define MT_REGION_BLOCK 16384u            /* bytes: smaller blocks are the C library's, */
#define MT_REGION_WORLD ((size_t)1 << 20) /* and all of a world that has not more than that yet */

typedef struct mt_region mt_region;

/* Aligned to MT_ALIGNMENT; NULL if there is no memory. `regions` is the first of a list, NULL for none. */
void *mt_region_allocate(mt_region **regions, size_t size);

/* Gives back a block with the size that it was asked for with; false: it is in none of the regions. A region
 * without blocks is given back, too. */
bool mt_region_release(mt_region **regions, void *block, size_t size);

#endif
