/* Adhesion: what touches, or nearly does, is pulled together with the force of Johnson, Kendall and Roberts,
 * F = 3/2 pi R W with 1/R = 1/r_i + 1/r_j. It is a force like any other, taken at the start of the substep; it
 * moves x* by h^2 w F before contacts are looked for. Contacts then carry it, and friction grows with it as it
 * should. */
#include "base/simd.h"
#include "step/kernels.h"
#include "step/solve/near.h"

typedef struct force {
    lanes x, y, z; /* N */
} force;

LANE_FUNCTION void add_row(const mt_substep *s, lanes4 x, lanes stickiness, const uint32_t *index, force *total)
{
    lanes4 other = lanes_gather(s->position, index);
    lanes other_stickiness = lanes_gather(s->surface, index).w;
    lanes dx = other.x - x.x, dy = other.y - x.y, dz = other.z - x.z;
    lanes square = dx * dx + dy * dy + dz * dz;
    lanes radii = x.w + other.w, reach = radii * lanes_all(MT_ADHESION_REACH);
    lane_mask sticks = (square < reach * reach) & (square > lanes_all(1e-24f));
    lanes curvature = x.w * other.w / lanes_max(radii, lanes_all(1e-20f));
    lanes pull = lanes_all(MT_PULL) * curvature * stickiness * other_stickiness;
    lanes scale = lanes_keep(sticks, pull / lanes_sqrt(lanes_max(square, lanes_all(1e-24f))));
    total->x += scale * dx;
    total->y += scale * dy;
    total->z += scale * dz;
}

LANE_FUNCTION void add_plane(const mt_substep *s, lanes4 x, lanes stickiness, uint32_t slice,
                             const mt_plane *plane, force *total)
{
    lanes stuck = mt_plane_pull(s, plane, x, stickiness, lanes_load_index(s->phase + slice * LANES));
    total->x -= stuck * lanes_all(plane->normal.x);
    total->y -= stuck * lanes_all(plane->normal.y);
    total->z -= stuck * lanes_all(plane->normal.z);
}

void MT_KERNEL(adhesion)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        lanes4 start = lanes_load4(s->position + i), x = lanes_load4(s->predicted + i);
        lanes stickiness = lanes_load4(s->surface + i).w;
        force total = {lanes_all(0.0f), lanes_all(0.0f), lanes_all(0.0f)};
        uint32_t rows = ((const uint32_t *)s->lists->length.data)[slice];
        const uint32_t *index = (const uint32_t *)s->lists->rows.data +
                                (size_t)((const uint32_t *)s->lists->start.data)[slice] * LANES;
        for (uint32_t k = 0; k < rows; k++)
            add_row(s, start, stickiness, index + (size_t)k * LANES, &total);
        for (uint32_t p = 0; p < s->plane_count; p++)
            add_plane(s, start, stickiness, slice, &s->planes[p], &total);
        lanes w = lanes_load4(s->transport + i).w, scale = lanes_all(s->h * s->h) * w;
        x.x += scale * total.x;
        x.y += scale * total.y;
        x.z += scale * total.z;
        lanes square = total.x * total.x + total.y * total.y + total.z * total.z;
        lanes_store(s->pull + i, w * lanes_sqrt(square));
        lanes_store4(s->predicted_out + i, x);
    }
}
