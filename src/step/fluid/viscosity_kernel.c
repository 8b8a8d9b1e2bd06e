/* Viscosity: the passes of the conjugate gradients, and the end of either solve. stir.h says what is solved. A lane is a particle, a row of
 * the neighbour lists eight pairs; the matrix is never stored, since asking where neighbours are costs no more
 * than reading what was noted of them. */
#include "step/fluid/drag.h"
#include "step/fluid/list_rows.h"
#include "step/kernels.h"

typedef struct drag {
    lanes3 pull;     /* h K applied to the velocities, with the other sign, over the unit, Pa s m/s */
    lanes stiffness; /* the sum of all coefficients, Pa s */
} drag;

LANE_FUNCTION void add_pair(const mt_stir *job, lanes4 x, lanes4 v, const uint32_t *index, drag *d,
                            const bool pure)
{
    lanes4 other = lanes_gather(job->place, index), beside = lanes_gather(job->direction, index);
    drag_pair p = drag_pair_of(job, x, other, v.w, beside.w, pure);
    lanes speed = (beside.x - v.x) * p.dx + (beside.y - v.y) * p.dy + (beside.z - v.z) * p.dz;
    lanes along = p.weight * speed / p.square;
    d->pull.x += along * p.dx;
    d->pull.y += along * p.dy;
    d->pull.z += along * p.dz;
    d->stiffness += p.weight;
}

/* ---- walls --------------------------------------------------------------------------------------------- */

typedef enum wall_pass { WALLS_PULL, WALLS_IMAGE, WALLS_PUSH } wall_pass;

/* What a wall gives, and in the last pass what it gets. The wall's own motion is left out of images. */
LANE_FUNCTION void add_wall(const mt_stir *job, mt_shape_row *row, lanes4 x, lanes4 v, lanes3 *facing, drag *d,
                            const wall_pass pass)
{
    drag_wall wall = drag_wall_of(job, row, x, v.w, facing);
    if (!wall.any)
        return;
    lanes3 p = along_wall(&wall, beside_wall(job, row, v, pass != WALLS_IMAGE));
    d->pull.x += p.x;
    d->pull.y += p.y;
    d->pull.z += p.z;
    d->stiffness += wall.weight;
    if (pass == WALLS_PUSH) { /* an impulse counts like a push of that many kg m/s for h seconds */
        lanes scale = lanes_all(job->unit * job->s->h);
        lanes_store(row->push_x, lanes_load(row->push_x) + p.x * scale);
        lanes_store(row->push_y, lanes_load(row->push_y) + p.y * scale);
        lanes_store(row->push_z, lanes_load(row->push_z) + p.z * scale);
    }
}

LANE_FUNCTION void add_walls(const mt_stir *job, uint32_t slice, lanes4 x, lanes4 v, drag *d,
                             const wall_pass pass)
{
    const mt_substep *s = job->s;
    lanes zero = lanes_all(0.0f);
    lanes3 facing = {zero, zero, zero};
    for (uint32_t k = 0; k < s->shape_length[slice]; k++)
        add_wall(job, &s->shape_rows[s->shape_start[slice] + k], x, v, &facing, d, pass);
}

/* ---- the matrix ---------------------------------------------------------------------------------------- */

LANE_FUNCTION drag drag_of(const mt_stir *job, uint32_t slice, lanes4 x, lanes4 v, const wall_pass pass,
                           const bool pure)
{
    lanes zero = lanes_all(0.0f);
    drag d = {{zero, zero, zero}, zero};
    list_rows rows = rows_of(job->s, slice);
    for (uint32_t k = 0; k < rows.count; k++)
        add_pair(job, x, v, rows.index + (size_t)k * LANES, &d, pure);
    add_walls(job, slice, x, v, &d, pass);
    return d;
}

/* In the order of particles, in double precision. */
LANE_FUNCTION void add_dot(double *sum, lanes a)
{
    for (int lane = 0; lane < LANES; lane++)
        *sum += (double)a[lane];
}

LANE_FUNCTION mt_stir_sums no_sums(void)
{
    return (mt_stir_sums){0.0, 0.0, 0.0, 0.0f};
}

LANE_LOOP void pull_slice(const mt_stir *job, uint32_t slice, mt_stir_sums *sums, const bool pure)
{
    uint32_t i = slice * LANES;
    lanes4 x = lanes_load4(job->place + i), v = lanes_load4(job->direction + i);
    lanes w = lanes_load4(job->s->wet + i).y, zero = lanes_all(0.0f), unit = lanes_all(job->unit);
    lane_mask free = lanes_above(w, zero);
    drag d = {{zero, zero, zero}, zero};
    if (lanes_bits(free) != 0)
        d = drag_of(job, slice, x, v, WALLS_PULL, pure);
    unit = lanes_keep(free, unit);
    d.stiffness *= unit;
    lanes4 r = {unit * d.pull.x, unit * d.pull.y, unit * d.pull.z, zero};
    lanes4 z = {w * r.x, w * r.y, w * r.z, zero};
    job->touched[slice] = lanes_bits(lanes_above(d.stiffness, zero)) != 0;
    sums->stiffness = fmaxf(sums->stiffness, lanes_largest(w * d.stiffness));
    add_dot(&sums->dot, r.x * z.x + r.y * z.y + r.z * z.z);
    add_dot(&sums->mass, lanes_keep(free, lanes_all(1.0f) / lanes_select(free, w, lanes_all(1.0f))));
    lanes_store4(job->residual + i, r);
    lanes_store4(job->image + i, z);
    lanes_store4(job->change + i, (lanes4){zero, zero, zero, zero});
}

/* The residual of velocities as they are, which stand where directions will. */
void MT_KERNEL(drag_pull)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    mt_stir_sums sums = no_sums();
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        if (job->s->fluid.pure)
            pull_slice(job, slice, &sums, true);
        else
            pull_slice(job, slice, &sums, false);
    job->sums[begin / MT_BLOCK] = sums;
}

LANE_LOOP void image_slice(const mt_stir *job, uint32_t slice, mt_stir_sums *sums, const bool pure)
{
    uint32_t i = slice * LANES;
    lanes4 x = lanes_load4(job->place + i), p = lanes_load4(job->direction + i);
    lanes w = lanes_load4(job->s->wet + i).y, zero = lanes_all(0.0f), unit = lanes_all(job->unit);
    lane_mask free = lanes_above(w, zero);
    drag d = {{zero, zero, zero}, zero};
    if (job->touched[slice])
        d = drag_of(job, slice, x, p, WALLS_IMAGE, pure);
    lanes mass = lanes_all(1.0f) / lanes_select(free, w, lanes_all(1.0f));
    lanes4 image = {lanes_keep(free, mass * p.x - unit * d.pull.x),
                    lanes_keep(free, mass * p.y - unit * d.pull.y),
                    lanes_keep(free, mass * p.z - unit * d.pull.z), zero};
    add_dot(&sums->dot, p.x * image.x + p.y * image.y + p.z * image.z);
    lanes_store4(job->image + i, image);
}

/* M + h K applied to the direction. */
void MT_KERNEL(drag_image)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    mt_stir_sums sums = no_sums();
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        if (job->s->fluid.pure)
            image_slice(job, slice, &sums, true);
        else
            image_slice(job, slice, &sums, false);
    job->sums[begin / MT_BLOCK] = sums;
}

/* ---- vectors ------------------------------------------------------------------------------------------- */

/* A step along the direction. The residual over the masses takes the place of the image. */
void MT_KERNEL(drag_advance)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    mt_stir_sums sums = no_sums();
    lanes step = lanes_all(job->step), zero = lanes_all(0.0f), one = lanes_all(1.0f);
    (void)worker;
    for (uint32_t i = begin * LANES; i < end * LANES; i += LANES) {
        lanes4 p = lanes_load4(job->direction + i), q = lanes_load4(job->image + i);
        lanes4 r = lanes_load4(job->residual + i), change = lanes_load4(job->change + i);
        lanes w = lanes_load4(job->s->wet + i).y;
        lane_mask free = lanes_above(w, zero);
        change = (lanes4){change.x + step * p.x, change.y + step * p.y, change.z + step * p.z, zero};
        r = (lanes4){r.x - step * q.x, r.y - step * q.y, r.z - step * q.z, zero};
        lanes4 z = {w * r.x, w * r.y, w * r.z, zero};
        lanes size = change.x * change.x + change.y * change.y + change.z * change.z;
        add_dot(&sums.dot, r.x * z.x + r.y * z.y + r.z * z.z);
        add_dot(&sums.change, lanes_keep(free, size / lanes_select(free, w, one)));
        lanes_store4(job->change + i, change);
        lanes_store4(job->residual + i, r);
        lanes_store4(job->image + i, z);
    }
    job->sums[begin / MT_BLOCK] = sums;
}

/* The size of the residual once bodies have had their say. */
void MT_KERNEL(drag_measure)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    mt_stir_sums sums = job->sums[begin / MT_BLOCK];
    sums.dot = 0.0;
    (void)worker;
    for (uint32_t i = begin * LANES; i < end * LANES; i += LANES) {
        lanes4 r = lanes_load4(job->residual + i), z = lanes_load4(job->image + i);
        add_dot(&sums.dot, r.x * z.x + r.y * z.y + r.z * z.z);
    }
    job->sums[begin / MT_BLOCK] = sums;
}

/* The next direction. */
void MT_KERNEL(drag_turn)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    lanes keep = lanes_all(job->keep);
    (void)worker;
    for (uint32_t i = begin * LANES; i < end * LANES; i += LANES) {
        lanes4 p = lanes_load4(job->direction + i), z = lanes_load4(job->image + i);
        if (job->keep == 0) /* the first: what stands there is no direction */
            p = (lanes4){z.x, z.y, z.z, p.w};
        else
            p = (lanes4){z.x + keep * p.x, z.y + keep * p.y, z.z + keep * p.z, p.w};
        lanes_store4(job->direction + i, p);
    }
}

/* ---- the end ------------------------------------------------------------------------------------------- */

/* If fluids are local what is not changed keeps its sign, be it 0. */
LANE_FUNCTION lanes changed(const mt_stir *job, lanes value, lanes change)
{
    lanes zero = lanes_all(0.0f);
    if (!job->s->fluid.local)
        return value + change;
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
    lanes shorter = lanes_shortening(way.x, way.y, way.z, 0.5f * job->spacing);
    way = (lanes3){way.x * shorter, way.y * shorter, way.z * shorter};
    for (uint32_t k = 0; k < s->shape_length[slice]; k++) {
        const mt_shape_row *row = &s->shape_rows[s->shape_start[slice] + k];
        lanes nx = lanes_load(row->normal_x), ny = lanes_load(row->normal_y), nz = lanes_load(row->normal_z);
        lanes distance = nx * x.x + ny * x.y + nz * x.z - lanes_load(row->offset);
        lanes after = distance + nx * way.x + ny * way.y + nz * way.z;
        lanes back = lanes_max(lanes_min(distance, x.w) - after, lanes_all(0.0f));
        way = (lanes3){way.x + back * nx, way.y + back * ny, way.z + back * nz};
    }
    lanes_store4(job->position + slice * LANES,
                 (lanes4){changed(job, x.x, way.x), changed(job, x.y, way.y), changed(job, x.z, way.z), x.w});
}

/* The new velocities and places, and what walls get. */
void MT_KERNEL(drag_finish)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    lanes zero = lanes_all(0.0f);
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        lanes4 v = lanes_load4(job->velocity + i), change = lanes_load4(job->change + i);
        v = (lanes4){changed(job, v.x, change.x), changed(job, v.y, change.y), changed(job, v.z, change.z),
                     v.w};
        lanes_store4(job->velocity + i, v);
        if (!job->touched[slice])
            continue;
        move_slice(job, slice, change);
        v.w = lanes_keep(lanes_above(lanes_load4(job->s->wet + i).y, zero), lanes_load4(job->direction + i).w);
        drag d = {{zero, zero, zero}, zero};
        add_walls(job, slice, lanes_load4(job->place + i), v, &d, WALLS_PUSH);
    }
}
