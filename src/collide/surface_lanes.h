/* How far eight points are from eight surfaces: a lane is a point and the surface that it is measured from. What
 * is done here is what surface.c does for one, operation by operation, so that both have the same bits. */
#ifndef MOTE_COLLIDE_SURFACE_LANES_H
#define MOTE_COLLIDE_SURFACE_LANES_H

#include "base/lanes3.h"
#include "collide/surface.h"

/* Eight surfaces, made ready for many points. */
typedef struct surface_lanes {
    lanes3 core; /* half extents of what the coat is about */
    lanes coat;
    lane_mask is_any; /* not NONE */
} surface_lanes;

/* Of their types and sizes; size.x is size[0] of every lane, and so on. */
LANE_FUNCTION surface_lanes surface_lanes_of(lane_index type, lanes3 size)
{
    lane_mask no_box = lanes_differ(type, lanes_all_index(MT_SURFACE_BOX));
    lane_mask no_capsule = lanes_differ(type, lanes_all_index(MT_SURFACE_CAPSULE));
    lane_mask no_sphere = lanes_differ(type, lanes_all_index(MT_SURFACE_SPHERE));
    return (surface_lanes){.core = {lanes_keep(~no_box, size.x), lanes_keep(~(no_box & no_capsule), size.y),
                                    lanes_keep(~no_box, size.z)},
                           .coat = lanes_keep(~(no_sphere & no_capsule), size.x),
                           .is_any = lanes_differ(type, lanes_all_index(MT_SURFACE_NONE))};
}

/* The same of arrays of eight, of any alignment. */
LANE_FUNCTION surface_lanes surface_lanes_load(const uint32_t type[LANES], const float size[3][LANES])
{
    return surface_lanes_of(lanes_load_index(type),
                            (lanes3){lanes_load(size[0]), lanes_load(size[1]), lanes_load(size[2])});
}

/* With the sign of x, which is none of its own at 0. */
LANE_FUNCTION lanes surface_signed(lanes x, lanes size)
{
    return lanes_select(lanes_below(x, lanes_all(0.0f)), -size, size);
}

/* To the side of the core that is nearest to a point within. */
LANE_FUNCTION lanes surface_side_distance(lanes3 point, lanes3 over, lanes3 *normal)
{
    lanes one = lanes_all(1.0f);
    lane_mask is_y = lanes_above(over.y, over.x);
    lanes nearest = lanes_select(is_y, over.y, over.x);
    lane_mask is_z = lanes_above(over.z, nearest);
    *normal = (lanes3){lanes_keep(~(is_y | is_z), surface_signed(point.x, one)),
                       lanes_keep(is_y & ~is_z, surface_signed(point.y, one)),
                       lanes_keep(is_z, surface_signed(point.z, one))};
    return lanes_select(is_z, over.z, nearest);
}

/* As mt_surface_distance: points in the surfaces' own frames, distances below 0 inside, unit normals. */
LANE_FUNCTION lanes surface_distance_lanes(const surface_lanes *s, lanes3 point, lanes3 *normal)
{
    lanes zero = lanes_all(0.0f);
    lanes3 over = {surface_signed(point.x, point.x) - s->core.x, surface_signed(point.y, point.y) - s->core.y,
                   surface_signed(point.z, point.z) - s->core.z};
    lanes3 way = {surface_signed(point.x, lanes_max(over.x, zero)),
                  surface_signed(point.y, lanes_max(over.y, zero)),
                  surface_signed(point.z, lanes_max(over.z, zero))};
    lanes length = lanes3_length(way);
    lane_mask is_apart = lanes_above(length, lanes_all(MT_SURFACE_TINY));
    lanes by = lanes_select(is_apart, length, lanes_all(1.0f));
    lanes3 away = {way.x / by, way.y / by, way.z / by}, side;
    lanes distance = lanes_select(is_apart, length, surface_side_distance(point, over, &side));
    *normal = lanes3_select(is_apart, away, side);
    return lanes_select(s->is_any, distance - s->coat, lanes_all(MT_SURFACE_FAR));
}

#endif
