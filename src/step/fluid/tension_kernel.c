/* Surface tension: the normals of the fluid's surface, and how far the forces move particles. tension.h says
 * what they are. A lane is a particle and a row of the neighbour lists eight pairs. */
#include "step/fluid/list_rows.h"
#include "step/fluid/pushes.h"
#include "step/fluid/tension.h"
#include "step/kernels.h"

#define EIGHT_PI 25.132741f

typedef struct self {
    lanes4 x;          /* where it is */
    lanes4 bond;       /* see mt_tension */
    lanes4 normal;     /* n */
    lanes w;           /* inverse mass, 0 asleep */
    lanes inverse_own; /* 1 / (S_ii d), 0 without tension */
} self;

/* Whom a slice's particles have beside them: what is asked of these. Both give the same bits. */
typedef enum beside {
    ALL_ONE, /* fluids of one tension and mass */
    ANYBODY,
} beside;

LANE_FUNCTION lanes4 bond_of(const mt_tension *t, const uint32_t *index, const beside who)
{
    if (who == ANYBODY)
        return lanes_gather(t->bond, index);
    return (lanes4){lanes_all(t->all.x), lanes_all(t->all.y), lanes_all(t->all.z), lanes_all(t->all.w)};
}

LANE_FUNCTION lanes one_at_most(lanes value)
{
    return lanes_min(value, lanes_all(1.0f));
}

/* S d, not more than is stable for these inverse masses. */
LANE_FUNCTION lanes limited(const mt_tension *t, lanes strength, lanes masses)
{
    return lanes_min(strength, lanes_all(t->most) / lanes_max(masses, lanes_all(1e-30f)));
}

LANE_FUNCTION self self_of(const mt_tension *t, uint32_t i)
{
    self me = {.x = lanes_load4(t->s->particles.predicted + i),
               .bond = lanes_load4(t->bond + i),
               .normal = lanes_load4(t->normal + i),
               .w = lanes_load4(t->s->liquids.wet + i).y};
    lanes own = me.bond.x * me.bond.x;
    me.inverse_own =
        lanes_keep(lanes_above(own, lanes_all(0.0f)), lanes_all(1.0f) / lanes_max(own, lanes_all(1e-30f)));
    return me;
}

/* ---- walls --------------------------------------------------------------------------------------------- */

typedef struct wall {
    lanes3 normal;
    lanes u;        /* 1 - distance / H, 0 to 1 */
    lanes strength; /* S d; 0 for what was counted before */
} wall;

LANE_FUNCTION lanes adhesion_of(const mt_substep *s, const mt_shape_row *row)
{
    lanes adhesion;
    for (int lane = 0; lane < LANES; lane++)
        adhesion[lane] = s->particles.materials[s->shapes.placed[row->shape[lane]].material].adhesion;
    return adhesion;
}

/* A wall of many planes side by side counts once, as in density_kernel.c: the more a plane faces as those
 * before (`seen`, the sum of their normals), the less it adds. */
LANE_FUNCTION wall wall_of(const mt_tension *t, const self *me, const mt_shape_row *row, lanes3 *seen)
{
    const mt_substep *s = t->s;
    lanes zero = lanes_all(0.0f), one = lanes_all(1.0f), support = lanes_all(s->liquids.fluid.support);
    wall out = {{lanes_load(row->normal_x), lanes_load(row->normal_y), lanes_load(row->normal_z)}, zero, zero};
    lanes3 n = out.normal;
    lanes distance = n.x * me->x.x + n.y * me->x.y + n.z * me->x.z - lanes_load(row->offset);
    lane_mask near = lanes_below(distance, support) & lanes_above(distance, -support);
    if (lanes_bits(near) == 0)
        return out;
    out.u = lanes_keep(near, one - lanes_max(distance, zero) * lanes_all(s->liquids.fluid.inverse_support));
    lanes size = lanes_sqrt(seen->x * seen->x + seen->y * seen->y + seen->z * seen->z);
    lanes alike = (n.x * seen->x + n.y * seen->y + n.z * seen->z) / lanes_max(size, lanes_all(1e-20f));
    lanes left = lanes_keep(near, one - lanes_max(one_at_most(alike), zero));
    seen->x += left * n.x;
    seen->y += left * n.y;
    seen->z += left * n.z;
    lanes stick = lanes_sqrt(lanes_all(0.25f * MT_WETTING * s->liquids.fluid.support) * adhesion_of(s, row));
    out.strength = left * me->bond.y * stick;
    return out;
}

/* ---- normals ------------------------------------------------------------------------------------------- */

/* Of the sum of v (1 - q)^3 r, in H. Between particles of one size terms are below 1/32; larger solids are cut off at
 * 2. */
#define LEAN_UNIT 0x1p-26f

LANE_FUNCTION void lean(const mt_tension *t, const self *me, const uint32_t *index, whole3 *sum,
                        const beside who)
{
    const mt_substep *s = t->s;
    lanes4 other = lanes_gather(s->particles.predicted, index), bond = bond_of(t, index, who);
    lanes dx = me->x.x - other.x, dy = me->x.y - other.y, dz = me->x.z - other.z;
    lanes square = dx * dx + dy * dy + dz * dz, inverse_support = lanes_all(s->liquids.fluid.inverse_support);
    lanes u = lanes_all(1.0f) - one_at_most(lanes_sqrt(square) * inverse_support);
    lanes like = (me->bond.x * bond.x + me->bond.y * bond.z * lanes_all(1.0f / MT_WETTING)) * me->inverse_own;
    lanes steep = u * u * u * (bond.w * one_at_most(like)) * (inverse_support * lanes_all(1.0f / LEAN_UNIT));
    whole3_add(sum, lanes_min(steep, inverse_support * lanes_all(2.0f / LEAN_UNIT)), dx, dy, dz);
}

/* The slope of the closed form for a half space, as in density_kernel.c. */
LANE_FUNCTION void lean_to_walls(const mt_tension *t, const self *me, uint32_t slice, lanes4 *normal)
{
    const mt_substep *s = t->s;
    lanes zero = lanes_all(0.0f);
    lanes3 seen = {zero, zero, zero};
    for (uint32_t k = 0; k < s->shapes.length[slice]; k++) {
        wall a = wall_of(t, me, &s->shapes.rows[s->shapes.start[slice] + k], &seen);
        lanes u = a.u, u2 = u * u;
        lanes like = one_at_most(a.strength * me->inverse_own * lanes_all(1.0f / MT_WETTING));
        lanes steep = u2 * u2 * u * (lanes_all(21.0f) - lanes_all(31.5f) * u + lanes_all(12.0f) * u2) *
                      lanes_all(s->liquids.fluid.half_space) * like;
        normal->x -= steep * a.normal.x;
        normal->y -= steep * a.normal.y;
        normal->z -= steep * a.normal.z;
    }
}

LANE_LOOP void find_normals(const mt_tension *t, uint32_t slice, const beside who)
{
    const mt_fluid *f = &t->s->liquids.fluid;
    uint32_t i = slice * LANES;
    self me = self_of(t, i);
    lanes zero = lanes_all(0.0f);
    lanes4 normal = {zero, zero, zero, zero};
    if (lanes_bits(lanes_above(me.inverse_own, zero)) != 0) {
        list_rows rows = rows_of(t->s, slice);
        whole3 sum = {0};
        for (uint32_t k = 0; k < rows.count; k++)
            lean(t, &me, rows.index + (size_t)k * LANES, &sum, who);
        lanes3 n = whole3_value(&sum, lanes_all(-f->slope * f->support * f->support * LEAN_UNIT));
        normal = (lanes4){n.x, n.y, n.z, zero};
        if (t->wets)
            lean_to_walls(t, &me, slice, &normal);
    }
    lanes_store4(t->normal + i, normal);
}

void MT_KERNEL(tension_normals)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_tension *t = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        if (!t->s->liquids.near_liquid[slice])
            continue; /* there it is the place, which density asks for; nobody asks for normals but of liquids */
        else if (t->uniform)
            find_normals(t, slice, ALL_ONE);
        else
            find_normals(t, slice, ANYBODY);
}

/* ---- forces -------------------------------------------------------------------------------------------- */

/* `per_unit`: A h^2 over the unit of the sum. */
LANE_FUNCTION void pull(const mt_tension *t, const self *me, lanes per_unit, const uint32_t *index,
                        whole3 *force, const beside who)
{
    const mt_substep *s = t->s;
    lanes4 other = lanes_gather(s->particles.predicted, index), normal = lanes_gather(t->normal, index);
    lanes4 bond = bond_of(t, index, who);
    lanes w = who == ALL_ONE ? lanes_all(s->liquids.fluid.all.y) : lanes_gather(s->liquids.wet, index).y;
    lanes dx = me->x.x - other.x, dy = me->x.y - other.y, dz = me->x.z - other.z;
    lanes square = dx * dx + dy * dy + dz * dz, distance = lanes_sqrt(square), one = lanes_all(1.0f);
    lanes q = one_at_most(distance * lanes_all(s->liquids.fluid.inverse_support));
    lanes to_unit = one / lanes_max(distance, lanes_all(1e-12f));
    lanes bump = q * (one - q), p = lanes_all(64.0f) * bump * bump * bump;
    lanes c = p + lanes_keep(lanes_below(q, lanes_all(0.5f)), p - one);
    lanes along =
        (me->normal.x - normal.x) * dx + (me->normal.y - normal.y) * dy + (me->normal.z - normal.z) * dz;
    lanes fluids = me->bond.x * bond.x, wetting = me->bond.y * bond.z + me->bond.z * bond.y;
    lanes smooth = lanes_keep(lanes_above(fluids, lanes_all(0.0f)), p * lanes_max(along * to_unit, -one));
    lanes scale = limited(t, fluids + wetting, me->w + w) * (c + smooth) * per_unit;
    whole3_add(force, lanes_cut(scale, lanes_all(PUSH_MOST)) * -to_unit, dx, dy, dz);
}

/* What a half space of solid, with d^3 a particle, pulls with at the distance z H, in units of A S d: 8 pi
 * times the integral of c(q) (q^2 - z^2) from z to 1. `near` belongs to the inner part of c. */
LANE_FUNCTION lanes half_space(lanes u)
{
    lanes z = lanes_all(1.0f) - u, u2 = u * u;
    lanes outer = lanes_all(57.0f) + z * (lanes_all(85.0f) + z * lanes_all(80.0f));
    outer = lanes_all(5.0f) + z * (lanes_all(25.0f) + z * outer);
    lanes inner = lanes_all(32.0f) + z * (z * lanes_all(1280.0f) - lanes_all(2480.0f));
    inner = lanes_all(95.0f) + z * (lanes_all(760.0f) + z * (lanes_all(1064.0f) + z * inner));
    lanes near = lanes_max(lanes_all(1.0f) - lanes_all(2.0f) * z, lanes_all(0.0f));
    near *= near;
    return lanes_all(8.0f * EIGHT_PI / 315.0f) * u2 * u2 * u * outer -
           lanes_all(EIGHT_PI / 10080.0f) * near * near * inner;
}

/* Walls are told what they give, as by contacts. */
LANE_FUNCTION void pull_to_walls(const mt_tension *t, const self *me, uint32_t slice, lanes3 *force)
{
    const mt_substep *s = t->s;
    lanes zero = lanes_all(0.0f), given = lanes_all(-MT_COHESION * s->h * s->h);
    lanes3 seen = {zero, zero, zero};
    for (uint32_t k = 0; k < s->shapes.length[slice]; k++) {
        mt_shape_row *row = &s->shapes.rows[s->shapes.start[slice] + k];
        wall a = wall_of(t, me, row, &seen);
        lanes size = lanes_all(MT_WALL_PART) * limited(t, a.strength, me->w) * half_space(a.u);
        force->x -= size * a.normal.x;
        force->y -= size * a.normal.y;
        force->z -= size * a.normal.z;
        lanes_store(row->push_x, lanes_load(row->push_x) + given * size * a.normal.x);
        lanes_store(row->push_y, lanes_load(row->push_y) + given * size * a.normal.y);
        lanes_store(row->push_z, lanes_load(row->push_z) + given * size * a.normal.z);
    }
}

LANE_LOOP void pull_slice(const mt_tension *t, uint32_t slice, const beside who)
{
    uint32_t i = slice * LANES;
    self me = self_of(t, i);
    lanes zero = lanes_all(0.0f), unit = push_unit(t->s, me.w);
    lanes moves = lanes_all(MT_COHESION * t->s->h * t->s->h), per_unit = moves / unit;
    whole3 sum = {0};
    list_rows rows = rows_of(t->s, slice);
    for (uint32_t k = 0; k < rows.count; k++)
        pull(t, &me, per_unit, rows.index + (size_t)k * LANES, &sum, who);
    lanes3 force = {zero, zero, zero};
    if (t->wets)
        pull_to_walls(t, &me, slice, &force);
    lanes3 pulls = whole3_value(&sum, unit);
    force = (lanes3){me.w * (pulls.x + moves * force.x), me.w * (pulls.y + moves * force.y),
                     me.w * (pulls.z + moves * force.z)};
    add_shift(t->s, i, force);
    me.x.x += force.x;
    me.x.y += force.y;
    me.x.z += force.z;
    lanes_store4(t->s->particles.predicted_out + i, me.x);
}

/* Moves all, from `predicted` to `predicted_out`. */
void MT_KERNEL(tension)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_tension *t = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        if (!t->s->liquids.near_liquid[slice])
            lanes_store4(t->s->particles.predicted_out + slice * LANES,
                         lanes_load4(t->s->particles.predicted + slice * LANES));
        else if (t->uniform)
            pull_slice(t, slice, ALL_ONE);
        else
            pull_slice(t, slice, ANYBODY);
}
