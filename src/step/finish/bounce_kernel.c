/* Restitution: a contact that closed with the speed v before the solve opens with e v after it. Positions alone
 * cannot say so, hence this pass over velocities. As with depths in contact_kernel.c, a contact's part of a
 * particle is its part of the sum of the missing speeds, which a first pass measures. Approaches slower than
 * `bounce_speed` do not bounce, or what rests would hop. */
#include "base/simd.h"
#include "step/kernels.h"
#include "step/solve/near.h"

typedef struct kick {
    lanes x, y, z;
    lanes missing; /* the sum of missing speeds, m/s */
} kick;

typedef struct self {
    lanes4 x, before, after;
    lanes radius, w, restitution;
} self;

/* The change of relative speed that a contact is missing, for a normal that points to the particle. Contacts
 * without restitution end here, too, if others have some; but not where these others may be out of reach. */
LANE_FUNCTION lanes missing_speed(const mt_substep *s, lanes before, lanes after, lanes restitution)
{
    lanes wanted = -restitution * before;
    lane_mask bounces = lanes_below(before, lanes_all(-s->bounce_speed)) & lanes_below(after, wanted);
    if (s->impulse)
        bounces &= lanes_above(restitution, lanes_all(0.0f));
    return lanes_keep(bounces, wanted - after);
}

/* The impulse of a contact: the missing speed over the masses, whole if it is alone. */
LANE_FUNCTION lanes share_of(lanes missing, lanes shares, lanes masses)
{
    return missing * missing / lanes_max(lanes_max(shares, masses * missing), lanes_all(1e-30f));
}

LANE_FUNCTION lanes restitution_of(const mt_substep *s, const uint32_t *index)
{
    lanes restitution;
    for (int lane = 0; lane < LANES; lane++)
        restitution[lane] = s->materials[s->material[index[lane]]].restitution;
    return restitution;
}

LANE_FUNCTION void add_row(const mt_substep *s, const self *me, const uint32_t *index, kick *total)
{
    lanes4 other = lanes_gather(s->predicted, index);
    lanes4 before = lanes_gather(s->transport, index), after = lanes_gather(s->settled, index);
    lanes other_radius = lanes_gather(s->position, index).w;
    lanes dx = me->x.x - other.x, dy = me->x.y - other.y, dz = me->x.z - other.z;
    lanes square = dx * dx + dy * dy + dz * dz;
    lanes touch = (me->radius + other_radius) * lanes_all(MT_NEAR);
    lane_mask touching = lanes_below(square, touch * touch) & lanes_above(square, lanes_all(1e-24f));
    if (lanes_bits(touching) == 0)
        return;
    lanes to_unit = lanes_all(1.0f) / lanes_sqrt(lanes_max(square, lanes_all(1e-24f)));
    lanes nx = dx * to_unit, ny = dy * to_unit, nz = dz * to_unit;
    lanes closing =
        (me->before.x - before.x) * nx + (me->before.y - before.y) * ny + (me->before.z - before.z) * nz;
    lanes opening = (me->after.x - after.x) * nx + (me->after.y - after.y) * ny + (me->after.z - after.z) * nz;
    lanes restitution = lanes_max(me->restitution, restitution_of(s, index));
    lanes missing = lanes_keep(touching, missing_speed(s, closing, opening, restitution));
    lanes other_w = before.w;
    lanes scale = share_of(missing, me->w * me->x.w + other_w * other.w, me->w + other_w);
    total->missing += missing;
    total->x += nx * scale;
    total->y += ny * scale;
    total->z += nz * scale;
}

LANE_FUNCTION void add_shape(const mt_substep *s, const self *me, mt_shape_row *row, kick *total,
                             const bool measuring)
{
    lanes nx = lanes_load(row->normal_x), ny = lanes_load(row->normal_y), nz = lanes_load(row->normal_z);
    lanes distance = nx * me->x.x + ny * me->x.y + nz * me->x.z - lanes_load(row->offset);
    lane_mask touching = lanes_below(distance, me->radius * lanes_all(2.0f * MT_NEAR - 1.0f));
    touching |= lanes_of_bits(row->hit); /* it may have gone on from there since */
    lanes shape_speed =
        (lanes_load(row->move_x) * nx + lanes_load(row->move_y) * ny + lanes_load(row->move_z) * nz) *
        lanes_all(s->inverse_h);
    lanes closing = me->before.x * nx + me->before.y * ny + me->before.z * nz - shape_speed;
    lanes opening = me->after.x * nx + me->after.y * ny + me->after.z * nz - shape_speed;
    lanes missing = lanes_keep(touching, missing_speed(s, closing, opening, lanes_load(row->restitution)));
    lanes scale = share_of(missing, me->w * me->x.w, me->w);
    total->missing += missing;
    total->x += nx * scale;
    total->y += ny * scale;
    total->z += nz * scale;
    if (measuring)
        return;
    lanes h = lanes_all(s->h); /* an impulse counts like a push of that many kg m/s for h seconds */
    lanes_store(row->push_x, lanes_load(row->push_x) + nx * scale * h);
    lanes_store(row->push_y, lanes_load(row->push_y) + ny * scale * h);
    lanes_store(row->push_z, lanes_load(row->push_z) + nz * scale * h);
}

LANE_FUNCTION void bounce_slice(const mt_substep *s, uint32_t slice, const bool measuring)
{
    uint32_t i = slice * LANES;
    uint32_t own[LANES];
    lanes_store_index(own, lanes_all_index(i) + lanes_iota());
    self me = {.x = lanes_load4(s->predicted + i),
               .before = lanes_load4(s->transport + i),
               .after = lanes_load4(s->settled + i),
               .radius = lanes_load4(s->position + i).w,
               .restitution = restitution_of(s, own)};
    me.w = me.before.w;
    kick total = {lanes_all(0.0f), lanes_all(0.0f), lanes_all(0.0f), lanes_all(0.0f)};
    uint32_t rows = ((const uint32_t *)s->lists->touching.data)[slice];
    const uint32_t *index = (const uint32_t *)s->lists->contact.data +
                            (size_t)((const uint32_t *)s->lists->start.data)[slice] * LANES;
    for (uint32_t k = 0; k < rows; k++)
        add_row(s, &me, index + (size_t)k * LANES, &total);
    for (uint32_t k = 0; k < s->shape_length[slice]; k++)
        add_shape(s, &me, &s->shape_rows[s->shape_start[slice] + k], &total, measuring);
    if (measuring) {
        me.x.w = total.missing;
        lanes_store4(s->predicted_out + i, me.x);
        return;
    }
    lanes4 v = me.after;
    v.x += me.w * total.x;
    v.y += me.w * total.y;
    v.z += me.w * total.z;
    lanes_store4(s->predicted_out + i, v);
}

/* Puts the sum of a particle's missing speeds beside its predicted position. */
void MT_KERNEL(bounce_measure)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        bounce_slice(context, slice, true);
}

/* Reads `settled` and writes the particles' velocities through predicted_out. */
void MT_KERNEL(bounce)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        bounce_slice(context, slice, false);
}
