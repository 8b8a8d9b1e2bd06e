/* Viscosity: the end of its solve. Velocities and places change, and walls are told what they gave. stir.h says what is
 * solved. */
#include "step/fluid/drag.h"
#include "step/fluid/list_rows.h"
#include "step/kernels.h"

/* ---- walls --------------------------------------------------------------------------------------------- */

/* What a wall gets for what it gives: an impulse counts like a push of that many kg m/s for h seconds. */
LANE_FUNCTION void add_to_wall(const mt_stir *job, mt_shape_row *row, lanes4 x, lanes4 v,
                               lanes3 *surface_normal)
{
    drag_wall wall = drag_wall_of(job, row, x, v.w, surface_normal);
    if (!wall.any)
        return;
    lanes3 p = along_wall(&wall, beside_wall(job, row, v));
    lanes scale = lanes_all(job->unit * job->s->h);
    lanes_store(row->push_x, lanes_load(row->push_x) + p.x * scale);
    lanes_store(row->push_y, lanes_load(row->push_y) + p.y * scale);
    lanes_store(row->push_z, lanes_load(row->push_z) + p.z * scale);
}

LANE_FUNCTION void add_to_walls(const mt_stir *job, uint32_t slice, lanes4 x, lanes4 v)
{
    const mt_substep *s = job->s;
    lanes zero = lanes_all(0.0f);
    lanes3 surface_normal = {zero, zero, zero};
    for (uint32_t k = 0; k < s->shapes.length[slice]; k++)
        add_to_wall(job, &s->shapes.rows[s->shapes.start[slice] + k], x, v, &surface_normal);
}

/* ---- the end ------------------------------------------------------------------------------------------- */

/* What is not changed keeps its sign, be it 0. */
LANE_FUNCTION lanes changed(lanes value, lanes change)
{
    lanes zero = lanes_all(0.0f);
    return lanes_select(lanes_below(change, zero) | lanes_above(change, zero), value + change, value);
}

/* Places change by h times what velocities do, by a radius at most, and nobody comes nearer to a wall than its
 * radius for it. */
LANE_FUNCTION void move_slice(const mt_stir *job, uint32_t slice, lanes4 change)
{
    const mt_substep *s = job->s;
    lanes4 x = lanes_load4(job->position + slice * LANES);
    lanes h = lanes_all(s->h);
    lanes3 way = {h * change.x, h * change.y, h * change.z};
    lanes shorter = lanes_shortening(way.x, way.y, way.z, 0.5f * job->lattice.spacing);
    way = (lanes3){way.x * shorter, way.y * shorter, way.z * shorter};
    for (uint32_t k = 0; k < s->shapes.length[slice]; k++) {
        const mt_shape_row *row = &s->shapes.rows[s->shapes.start[slice] + k];
        lanes nx = lanes_load(row->normal_x), ny = lanes_load(row->normal_y), nz = lanes_load(row->normal_z);
        lanes distance = nx * x.x + ny * x.y + nz * x.z - lanes_load(row->offset);
        lanes after = distance + nx * way.x + ny * way.y + nz * way.z;
        lanes back = lanes_max(lanes_min(distance, x.w) - after, lanes_all(0.0f));
        way = (lanes3){way.x + back * nx, way.y + back * ny, way.z + back * nz};
    }
    lanes_store4(job->position + slice * LANES,
                 (lanes4){changed(x.x, way.x), changed(x.y, way.y), changed(x.z, way.z), x.w});
}

/* The new velocities and places, and what walls get. */
void MT_KERNEL(drag_finish)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    lanes zero = lanes_all(0.0f);
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        if (job->left[slice])
            continue;
        lanes4 v = lanes_load4(job->velocity + i), change = lanes_load4(job->change + i);
        v = (lanes4){changed(v.x, change.x), changed(v.y, change.y), changed(v.z, change.z), v.w};
        lanes_store4(job->velocity + i, v);
        if (!job->touched[slice])
            continue;
        move_slice(job, slice, change);
        v.w = lanes_keep(lanes_above(lanes_load4(job->s->liquids.wet + i).y, zero),
                         lanes_load4(job->direction + i).w);
        add_to_walls(job, slice, lanes_load4(job->place + i), v);
    }
}
