/* What a row of neighbours adds to the sums of density_kernel.c, for the lanes that its includer names: V is a vector of
 * them, V4 four, INDEX one of whole numbers, and OF(name) a function. */

typedef struct OF(crowd) {
    INDEX share;                     /* the sum of v w */
    INDEX slope_x, slope_y, slope_z; /* the sum of v grad w over -slope H */
    INDEX give; /* the sum of w v^2 |grad w|^2 over slope^2 H^2, beside the particle's own w */
    INDEX closing; /* the sum of v grad w . (u - u_j) h */
} OF(crowd);

/* `over_own`: 1 over the particle's inverse mass; u: velocities. */
LANE_FUNCTION void OF(add_neighbors)(const mt_substep *s, V4 x, V narrow, V over_own, V4 other, V4 wet,
                                     OF(crowd) * c, V4 own_u, V4 u, const beside who)
{
    V dx = x.x - other.x, dy = x.y - other.y, dz = x.z - other.z, one = OF(all)(1.0f);
    V square = dx * dx + dy * dy + dz * dz, narrower = OF(max)(narrow, wet.w);
    V inverse_support = OF(all)(s->liquids.fluid.inverse_support);
    V q = OF(min)(OF(sqrt)(square) * narrower, one);
    V r = one - q, u3 = r * r * r, steep = narrower * OF(all)(s->liquids.fluid.support);
    V share = u3 * r * (OF(all)(4.0f) * q + one) * (wet.x * OF(all)(1.0f / SHARE_UNIT));
    u3 *= wet.x * (steep * steep);
    V give = u3 * u3 * square *
             (wet.y * over_own * (inverse_support * inverse_support * OF(all)(1.0f / GIVE_UNIT)));
    V slope = u3 * (inverse_support * OF(all)(1.0f / SLOPE_UNIT));
    V closing = dx * (u.x - own_u.x) + dy * (u.y - own_u.y) + dz * (u.z - own_u.z);
    closing *= u3 * OF(all)(s->liquids.fluid.slope * s->h / CLOSING_UNIT);
    closing = OF(max)(OF(min)(closing, OF(all)(1.0f / CLOSING_UNIT)), OF(all)(-1.0f / CLOSING_UNIT));
    if (who == ANYBODY) {
        share = OF(min)(share, OF(all)(8.0f / SHARE_UNIT));
        give = OF(min)(give, OF(all)(1.0f / GIVE_UNIT));
        slope = OF(min)(slope, narrower * OF(all)(8.0f / SLOPE_UNIT));
    }
    c->share += (INDEX)OF(round)(share);
    c->give += (INDEX)OF(round)(give);
    c->closing += (INDEX)OF(round)(closing);
    c->slope_x += (INDEX)OF(round)(slope * dx);
    c->slope_y += (INDEX)OF(round)(slope * dy);
    c->slope_z += (INDEX)OF(round)(slope * dz);
}

/* The bracket of s_ij of fluid.h, from 1 - q. */
LANE_FUNCTION V OF(nearness)(const mt_tensile *t, V u)
{
    V u2 = u * u, near = u2 * u2 * (OF(all)(5.0f) - OF(all)(4.0f) * u) * OF(all)(t->inverse);
    near *= near;
    return OF(max)(near * near - OF(all)(t->at_spacing), OF(all)(0.0f));
}

/* What stands before it, for two particles; between fluids only. */
LANE_FUNCTION V OF(tensile_push)(const mt_tensile *t, V4 a, V4 b)
{
    V zero = OF(all)(0.0f), one = OF(all)(1.0f);
    V k = OF(min)(OF(max)(a.z - one, zero) * OF(max)(b.z - one, zero), OF(all)(t->most));
    return OF(all)(t->push) * k / OF(max)(a.y + b.y, OF(all)(1e-20f));
}

typedef struct OF(pushes) {
    INDEX x, y, z;
    INDEX lift_x, lift_y, lift_z; /* of places alone */
} OF(pushes);

/* `per_unit`: slope over the unit; `lifts`: what moves places alone, or NULL. */
LANE_FUNCTION void OF(add_pushes)(const mt_substep *s, V4 x, V4 own, V own_lift, V per_unit, V4 other,
                                  const float *lifts, const uint32_t *index, V4 wet, OF(pushes) * push,
                                  const bool tensile)
{
    V dx = x.x - other.x, dy = x.y - other.y, dz = x.z - other.z;
    V square = dx * dx + dy * dy + dz * dz, narrower = OF(max)(own.w, wet.w);
    V u = OF(all)(1.0f) - OF(min)(OF(sqrt)(square) * narrower, OF(all)(1.0f));
    V steep = narrower * OF(all)(s->liquids.fluid.support), strength = x.w * wet.x + other.w * own.x;
    if (tensile)
        strength += OF(tensile_push)(&s->liquids.tensile, own, wet) * OF(nearness)(&s->liquids.tensile, u);
    V most = narrower * OF(all)(PUSH_MOST), scale = u * u * u * strength * (steep * steep * per_unit);
    scale = OF(max)(OF(min)(scale, most), -most);
    push->x += (INDEX)OF(round)(scale * dx);
    push->y += (INDEX)OF(round)(scale * dy);
    push->z += (INDEX)OF(round)(scale * dz);
    if (lifts == NULL)
        return;
    V lift = OF(pick)(lifts, index);
    V lifted = OF(min)(u * u * u * (own_lift * wet.x + lift * own.x) * (steep * steep * per_unit), most);
    push->lift_x += (INDEX)OF(round)(lifted * dx);
    push->lift_y += (INDEX)OF(round)(lifted * dy);
    push->lift_z += (INDEX)OF(round)(lifted * dz);
}
