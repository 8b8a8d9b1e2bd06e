/* What bodies make of a contact: its normal, how much the two rest on each other, and what masses count for.
 * All of it is the same, or the opposite, seen from either side. */
#ifndef MOTE_STEP_SOLVE_BODY_CONTACTS_H
#define MOTE_STEP_SOLVE_BODY_CONTACTS_H

#include "base/lanes3.h"
#include "step/scratch.h"

/* Particles push each other apart, but never into a body (Macklin et al. 2014): where the way from the one
 * to the other leads into the body of one of them, it is mirrored at the surface, so that who has come in
 * between the particles of a body is pushed out and does not lock. Between two bodies the surface is that of
 * both, each weighted by how much it faces the other's particle. `apart` is from the other to the particle
 * and is turned to the normal. */
LANE_FUNCTION void face(lanes4 facing, lanes4 other, lanes3 *apart, lanes distance, lanes to_unit,
                        lane_mask active)
{
    lanes zero = lanes_all(0.0f), x = apart->x * to_unit, y = apart->y * to_unit, z = apart->z * to_unit;
    lane_mask mine = lanes_above(facing.w, zero), its = lanes_above(other.w, zero);
    if (lanes_bits(mine | its) == 0)
        return;
    lanes own = -(x * facing.x + y * facing.y + z * facing.z);
    lanes far = x * other.x + y * other.y + z * other.z;
    lanes a = own * own, b = far * far, back = lanes_keep(mine, own) + lanes_keep(its, far);
    lane_mask inwards = lanes_below(lanes_select(mine & its, a * own + b * far, back), zero);
    if (lanes_bits(inwards & active) == 0) /* nearly always */
        return;
    /* Both solid. */
    lanes nx = b * other.x - a * facing.x, ny = b * other.y - a * facing.y, nz = b * other.z - a * facing.z;
    lanes square = nx * nx + ny * ny + nz * nz;
    lane_mask both = mine & its & lanes_above(square, lanes_all(1e-4f));
    lanes scale = lanes_all(1.0f) / lanes_sqrt(lanes_max(square, lanes_all(1e-4f)));
    nx *= scale;
    ny *= scale;
    nz *= scale;
    lanes along = nx * x + ny * y + nz * z;
    nx = x - (along + along) * nx;
    ny = y - (along + along) * ny;
    nz = z - (along + along) * nz;
    /* One solid: mirrored at its surface. */
    lanes twice = lanes_keep(mine ^ its, back + back);
    lanes mx = x - twice * (lanes_keep(its, other.x) - lanes_keep(mine, facing.x));
    lanes my = y - twice * (lanes_keep(its, other.y) - lanes_keep(mine, facing.y));
    lanes mz = z - twice * (lanes_keep(its, other.z) - lanes_keep(mine, facing.z));
    apart->x = lanes_select(inwards, distance * lanes_select(both, nx, mx), apart->x);
    apart->y = lanes_select(inwards, distance * lanes_select(both, ny, my), apart->y);
    apart->z = lanes_select(inwards, distance * lanes_select(both, nz, mz), apart->z);
}

/* A liquid that came so fast that it is half around a solid, or past its middle, would be pushed out on the far
 * side, and through a wall that is one layer thick. Where the way between the two turned by more than 37
 * degrees, the normal is that of the first touch on the straight way from `before` to `normal`, or where it
 * began if they overlapped already. The depth stays what the loads were made of: a larger one would be solved
 * by each contact as if it were alone. */
LANE_FUNCTION void touch_first(lanes3 before, lanes3 *normal, lanes touch, lanes distance, lane_mask wet)
{
    lanes one = lanes_all(1.0f), zero = lanes_all(0.0f);
    lanes start = before.x * before.x + before.y * before.y + before.z * before.z;
    lanes along = before.x * normal->x + before.y * normal->y + before.z * normal->z;
    lane_mask turned = wet & (lanes_below(along, zero) |
                              lanes_below(along * along, lanes_all(0.64f) * start * distance * distance));
    if (lanes_bits(turned) == 0) /* nearly always */
        return;
    lanes x = normal->x - before.x, y = normal->y - before.y, z = normal->z - before.z;
    lanes way = lanes_max(x * x + y * y + z * z, lanes_all(1e-24f)), closing = start - along;
    lanes outside = lanes_max(start - touch * touch, zero);
    lanes root = lanes_sqrt(lanes_max(closing * closing - way * outside, zero));
    lanes part = lanes_max(lanes_min((closing - root) / way, one), zero);
    lanes nx = before.x + part * x, ny = before.y + part * y, nz = before.z + part * z;
    lanes to_unit = one / lanes_sqrt(lanes_max(nx * nx + ny * ny + nz * nz, lanes_all(1e-24f)));
    normal->x = lanes_select(turned, nx * to_unit * distance, normal->x);
    normal->y = lanes_select(turned, ny * to_unit * distance, normal->y);
    normal->z = lanes_select(turned, nz * to_unit * distance, normal->z);
}

/* Moving bodies that move past each other without a velocity changes their angular momentum: stabilising is for
 * those that rest. How much of it there is to be: 1 up to a displacement beside each other in the substep of a
 * hundredth of the radii, or what weight makes, and less beyond it. */
LANE_FUNCTION lanes calm(const mt_substep *s, lanes way_square, lanes touch)
{
    lanes slow = lanes_max(lanes_all(s->weight_depth), lanes_all(0.005f) * touch);
    return lanes_min(slow / lanes_max(lanes_sqrt(way_square), lanes_all(1e-20f)), lanes_all(1.0f));
}

/* Bodies that lie on each other have their particles not quite above each other: a push along the way between
 * two particles is also one to the side, and the bodies creep until they slip into the gaps. But where friction
 * holds, the force of a contact is against the weight, not along the normal. So the normal turns to where up
 * is, if that is in the cone of friction, and if the two moved beside each other by no more than weight makes.
 * `way_square`: of that motion in this substep, m^2. */
LANE_FUNCTION void straighten(const mt_substep *s, lanes3 *normal, lanes distance, lanes to_unit,
                              lanes static_friction, lanes way_square, lane_mask bodies)
{
    lanes zero = lanes_all(0.0f), one = lanes_all(1.0f);
    lanes x = lanes_all(s->up.x), y = lanes_all(s->up.y), z = lanes_all(s->up.z);
    lanes cosine = (x * normal->x + y * normal->y + z * normal->z) * to_unit;
    lanes within = lanes_all(20.0f) * (cosine * cosine * (one + static_friction * static_friction) - one);
    /* Without gravity weight_depth is 1e-9 m, and nothing rests. */
    lanes slow = lanes_all(2.0f) - (way_square + lanes_all(1e-17f)) *
                                       lanes_all(s->inverse_weight_depth * s->inverse_weight_depth);
    lanes part = lanes_max(lanes_min(within, one), zero) * lanes_max(lanes_min(slow, one), zero);
    part = lanes_keep(bodies, part);
    lanes length = lanes_select(lanes_below(cosine, zero), -distance, distance);
    normal->x += part * (length * x - normal->x);
    normal->y += part * (length * y - normal->y);
    normal->z += part * (length * z - normal->z);
}

/* Mass scaling: factors of the two inverse masses. (1 + a)^2 and (1 - a)^2 with a times weight_depth /
 * bearing where that is below 1, all times (bearing / weight_depth)^2, which needs no division and does not
 * change the ratio. */
typedef struct scaling {
    lanes own, other;
} scaling;

LANE_FUNCTION scaling scale_masses(const mt_substep *s, lanes3 apart, lanes bearing, lane_mask solid)
{
    lanes height = lanes_all(s->up.x) * apart.x + lanes_all(s->up.y) * apart.y + lanes_all(s->up.z) * apart.z;
    lanes a = height * lanes_all(0.25f * s->mass_scaling);
    if (s->scales_bodies)
        a = lanes_keep(solid, a);
    a = lanes_max(lanes_min(a, lanes_all(0.5f)), lanes_all(-0.5f));
    lanes part = bearing * lanes_all(s->inverse_weight_depth);
    a *= lanes_min(part, lanes_all(1.0f));
    return (scaling){(part + a) * (part + a), (part - a) * (part - a)};
}

/* The same between `bodies`, where real masses count less: a lower body that is less than half as heavy as the
 * upper would be pressed into what it lies on, so its (1 - a) is multiplied by twice the ratio of the masses,
 * lower over upper. */
LANE_FUNCTION scaling scale_bodies(const mt_substep *s, lanes3 apart, lanes bearing, lanes w, lanes other_w,
                                   lane_mask solid, lane_mask bodies)
{
    if (lanes_bits(bodies) == 0)
        return scale_masses(s, apart, bearing, solid);
    lanes zero = lanes_all(0.0f), one = lanes_all(1.0f);
    lanes height = lanes_all(s->up.x) * apart.x + lanes_all(s->up.y) * apart.y + lanes_all(s->up.z) * apart.z;
    lane_mask upper = lanes_above(height, zero);
    lanes a = lanes_max(height, -height) * lanes_all(0.25f * s->mass_scaling);
    if (s->scales_bodies)
        a = lanes_keep(solid, a);
    a = lanes_min(a, lanes_all(0.5f));
    lanes above = lanes_select(upper, w, other_w), below = lanes_select(upper, other_w, w);
    lanes ratio = lanes_min((above + above) / lanes_max(below, lanes_all(1e-30f)), one);
    lanes beside = one - lanes_min(lanes_all(4.0f) * a, one); /* 1: neither is the upper */
    lanes low = (one - a) * lanes_select(bodies, ratio + beside * (one - ratio), one);
    lanes part = bearing * lanes_all(s->inverse_weight_depth), fade = lanes_min(part, one);
    lanes high = part + a * fade;
    low = part - (one - low) * fade;
    high *= high;
    low *= low;
    return (scaling){lanes_select(upper, high, low), lanes_select(upper, low, high)};
}

#endif
