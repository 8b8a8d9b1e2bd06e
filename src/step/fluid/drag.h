/* What rubs: how much two particles have to do with each other, and a particle with a wall. stir.h says why. */
#ifndef MOTE_STEP_FLUID_DRAG_H
#define MOTE_STEP_FLUID_DRAG_H

#include "base/lanes3.h"
#include "step/fluid/stir.h"

/* ---- pairs --------------------------------------------------------------------------------------------- */

/* The viscosity between two: sqrt(a b) of two fluids; of a fluid and a solid the fluid's, times the solid's
 * size; 0 between solids. A fluid has the root of its viscosity, a solid the negative of its size. */
LANE_FUNCTION lanes viscosity_of(lanes own, lanes other, const bool pure)
{
    lanes product = own * other;
    if (pure)
        return product;
    lanes zero = lanes_all(0.0f), larger = lanes_max(own, other);
    lanes mixed = lanes_select(lanes_below(product, zero), -product * larger, product);
    return lanes_keep(lanes_at_least(larger, zero), mixed);
}

/* Of pairs whose viscosity is so small that a whole step hardly changes their velocities, what rubs in a step acts at its
 * end, all at once: that is as good, and cheaper. Pairs of others rub in every substep. */
LANE_FUNCTION lanes in_time(const mt_stir *job, lanes viscosity)
{
    lane_mask thin = lanes_below(viscosity, lanes_all(job->thin));
    return lanes_select(thin, viscosity * lanes_all(job->times), viscosity);
}

typedef struct drag_pair {
    lanes dx, dy, dz; /* from the particle to its neighbour, m */
    lanes square;     /* m^2 */
    lanes weight;     /* the viscosity times k(q), Pa s; of what is thin as many times as `in_time` says */
} drag_pair;

/* Of particles at x, which are `kind`, and their neighbours; the same bits for pure fluids as for any. */
LANE_FUNCTION drag_pair drag_pair_of(const mt_stir *job, lanes4 x, lanes4 other, lanes kind, lanes other_kind,
                                     const bool pure)
{
    drag_pair p = {.dx = other.x - x.x, .dy = other.y - x.y, .dz = other.z - x.z};
    p.square = lanes_max(p.dx * p.dx + p.dy * p.dy + p.dz * p.dz, lanes_all(1e-20f));
    lanes distance = lanes_sqrt(p.square), zero = lanes_all(0.0f);
    if (!pure)
        distance = lanes_max(distance - x.w - other.w, zero);
    lanes u = lanes_max(lanes_all(1.0f) - distance * lanes_all(job->s->liquids.fluid.inverse_support), zero);
    p.weight = in_time(job, viscosity_of(kind, other_kind, pure)) * u *
               (lanes_all(1.0f) + lanes_all(MT_DRAG_SHAPE) * u);
    return p;
}

/* ---- walls --------------------------------------------------------------------------------------------- */

/* A wall is a half space of fluid whose velocity is the shape's at the surface and beyond it goes on as it
 * changes on this side: what is z deep has the difference to the wall's velocity times -z / d. Integrated over
 * the half space this is 1 / d times a function of d / H, here a polynomial that is right within 3 %. Only
 * sliding counts: contacts and pressure see to the rest. Planes that face alike count once, as for density. */
LANE_FUNCTION lanes wall_weight(const mt_stir *job, lanes distance)
{
    lanes far = lanes_max(distance, lanes_all(job->nearest));
    lanes q = lanes_min(far * lanes_all(job->s->liquids.fluid.inverse_support), lanes_all(1.0f));
    lanes u = lanes_all(1.0f) - q, u2 = u * u;
    return lanes_all(job->wall) * u2 * u2 *
           (lanes_all(0.89f) + lanes_all(4.2f) * q - lanes_all(0.87f) * q * q) / far;
}

typedef struct drag_wall {
    bool any; /* some lane is near it; else the rest is nothing */
    lanes3 normal;
    lanes weight; /* Pa s; 0 where it is far */
} drag_wall;

/* `surface_normal`: the sum of the normals of walls before it. */
LANE_FUNCTION drag_wall drag_wall_of(const mt_stir *job, const mt_shape_row *row, lanes4 x, lanes kind,
                                     lanes3 *surface_normal)
{
    drag_wall wall = {
        .normal = {lanes_load(row->normal_x), lanes_load(row->normal_y), lanes_load(row->normal_z)}};
    lanes nx = wall.normal.x, ny = wall.normal.y, nz = wall.normal.z;
    lanes distance = nx * x.x + ny * x.y + nz * x.z - lanes_load(row->offset);
    lanes zero = lanes_all(0.0f), one = lanes_all(1.0f);
    lane_mask near = lanes_within(distance, lanes_all(job->s->liquids.fluid.support)) & lanes_above(kind, zero);
    wall.any = lanes_bits(near) != 0;
    if (!wall.any)
        return wall;
    lanes size = lanes_sqrt(surface_normal->x * surface_normal->x + surface_normal->y * surface_normal->y +
                            surface_normal->z * surface_normal->z);
    lanes alike = (nx * surface_normal->x + ny * surface_normal->y + nz * surface_normal->z) /
                  lanes_max(size, lanes_all(1e-20f));
    lanes new_part = lanes_keep(near, one - lanes_max(lanes_min(alike, one), zero));
    wall.weight = new_part * in_time(job, kind * kind) * wall_weight(job, distance);
    surface_normal->x += new_part * nx;
    surface_normal->y += new_part * ny;
    surface_normal->z += new_part * nz;
    return wall;
}

/* With what velocity a wall moves that a particle with v is at, beside it. */
LANE_FUNCTION lanes3 beside_wall(const mt_stir *job, const mt_shape_row *row, lanes4 v)
{
    lanes inverse_h = lanes_all(job->s->inverse_h);
    return (lanes3){lanes_load(row->move_x) * inverse_h - v.x, lanes_load(row->move_y) * inverse_h - v.y,
                    lanes_load(row->move_z) * inverse_h - v.z};
}

/* What slides along a wall, times its weight. */
LANE_FUNCTION lanes3 along_wall(const drag_wall *wall, lanes3 r)
{
    lanes3 n = wall->normal;
    lanes across = r.x * n.x + r.y * n.y + r.z * n.z;
    return (lanes3){wall->weight * (r.x - across * n.x), wall->weight * (r.y - across * n.y),
                    wall->weight * (r.z - across * n.z)};
}

#endif
