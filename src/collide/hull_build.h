/* The convex hull of a set of points as triangles, and which of the points are its corners. */
#ifndef MOTE_COLLIDE_HULL_BUILD_H
#define MOTE_COLLIDE_HULL_BUILD_H

#include "base/memory.h"

#define MT_HULL_MAX_CORNERS 4096u

typedef struct mt_hull_result {
    mt_array triangles; /* uint32_t, three points each, counter-clockwise seen from outside */
    mt_array corners;   /* uint32_t: the points that are corners, in the order of their numbers */
    uint32_t triangle_count, corner_count;
} mt_hull_result;

void mt_hull_result_init(mt_hull_result *result);
void mt_hull_result_free(mt_hull_result *result, mt_memory *memory);

/* Of at least one point. Every point is at most 3e-7 of the hull's size outside. The triangles may use points
 * that lie in the middle of a face or an edge; these are no corners. Fails if all points lie in a plane. */
mote_result mt_hull_build(mt_memory *memory, const mote_vec3 *points, uint32_t count, mt_hull_result *result);

#endif
