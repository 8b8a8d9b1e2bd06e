/* Adhesion: what touches, or nearly does, is pulled together with the force of Johnson, Kendall and Roberts,
 * F = 3/2 pi R W with 1/R = 1/r_i + 1/r_j. It is a force, so it moves x* by h^2 w F before the solver runs;
 * contacts then carry it, and friction grows with it as it should. */
#include "base/simd.h"
#include "step/kernels.h"
#include "step/solve/near.h"

typedef struct pull {
    lanes x, y, z;
} pull;

LANE_FUNCTION void add_row(const mt_substep *s, lanes4 x, lanes radius, lanes stickiness, const uint32_t *index,
                           pull *total)
{
    lanes4 other = lanes_gather(s->predicted, index);
    lanes other_radius = lanes_gather(s->position, index).w;
    lanes other_stickiness = lanes_gather(s->surface, index).w;
    lanes dx = other.x - x.x, dy = other.y - x.y, dz = other.z - x.z;
    lanes square = dx * dx + dy * dy + dz * dz;
    lanes reach = (radius + other_radius) * lanes_all(MT_ADHESION_REACH);
    lane_mask sticks = (square < reach * reach) & (square > lanes_all(1e-24f));
    lanes curvature = radius * other_radius / lanes_max(radius + other_radius, lanes_all(1e-20f));
    lanes force = lanes_all(MT_PULL) * curvature * stickiness * other_stickiness;
    lanes scale = lanes_keep(sticks, force / lanes_sqrt(lanes_max(square, lanes_all(1e-24f))));
    total->x += scale * dx;
    total->y += scale * dy;
    total->z += scale * dz;
}

LANE_FUNCTION void add_shape(const mt_substep *s, lanes4 x, lanes radius, mt_shape_row *row, pull *total)
{
    lanes nx = lanes_load(row->normal_x), ny = lanes_load(row->normal_y), nz = lanes_load(row->normal_z);
    lanes distance = nx * x.x + ny * x.y + nz * x.z - lanes_load(row->offset);
    lane_mask sticks = distance < radius * lanes_all(2.0f * MT_ADHESION_REACH - 1.0f);
    lanes force = lanes_keep(sticks, lanes_load(row->pull));
    total->x -= force * nx;
    total->y -= force * ny;
    total->z -= force * nz;
    lanes push = force * lanes_all(s->h * s->h);
    lanes_store(row->push_x, lanes_load(row->push_x) - push * nx);
    lanes_store(row->push_y, lanes_load(row->push_y) - push * ny);
    lanes_store(row->push_z, lanes_load(row->push_z) - push * nz);
}

void MT_KERNEL(adhesion)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        lanes4 x = lanes_load4(s->predicted + i);
        lanes radius = lanes_load4(s->position + i).w;
        lanes stickiness = lanes_load4(s->surface + i).w;
        pull total = {lanes_all(0.0f), lanes_all(0.0f), lanes_all(0.0f)};
        uint32_t rows = ((const uint32_t *)s->lists->touching.data)[slice];
        const uint32_t *index = (const uint32_t *)s->lists->contact.data +
                                (size_t)((const uint32_t *)s->lists->start.data)[slice] * LANES;
        for (uint32_t k = 0; k < rows; k++)
            add_row(s, x, radius, stickiness, index + (size_t)k * LANES, &total);
        for (uint32_t k = 0; k < s->shape_length[slice]; k++)
            add_shape(s, x, radius, &s->shape_rows[s->shape_start[slice] + k], &total);
        lanes scale = lanes_all(s->h * s->h) * lanes_load4(s->transport + i).w;
        x.x += scale * total.x;
        x.y += scale * total.y;
        x.z += scale * total.z;
        lanes_store4(s->predicted_out + i, x);
    }
}
