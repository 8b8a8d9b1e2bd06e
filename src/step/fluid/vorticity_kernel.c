/* XSPH, which makes velocities of neighbours alike, and vorticity confinement, which gives back spin that the
 * solver loses. Only particles of fluids take part in either. Both are explicit and bounded.
 *
 * XSPH (Schechter and Bridson 2012): with w the kernel of the density, whose sum over a lattice's neighbours is
 * made 1, each pair exchanges the impulse c min(m_i, m_j) w (v_j - v_i), so that momentum is kept. Where
 * particles are denser than a lattice sums above 1 are taken back to 1: c = 1 never takes more than all of the
 * difference.
 *
 * Confinement (Macklin and Mueller 2013, equations 15 and 16): with omega = curl v, N the direction in which
 * |omega| grows, the acceleration is epsilon s (N x omega), s the rest spacing, as Fedkiw, Stam and Jensen
 * 2001 have it, so that finer particles get less of it. Differences are weighted with (1 - q)^3 r and divided
 * by what the same sum makes of a linear field, so that surfaces do not look like gradients. */
#include "step/fluid/list_rows.h"
#include "step/fluid/stir.h"
#include "step/fluid/whole_sums.h"
#include "step/kernels.h"

typedef struct pair {
    lanes x, y, z; /* from the particle to its neighbour, m */
    lanes square;  /* m^2 */
    lanes q, u;    /* the distance in H, and 1 minus it, not below 0 */
} pair;

LANE_FUNCTION pair pair_of(const mt_stir *job, lanes4 x, const uint32_t *index)
{
    lanes4 other = lanes_gather(job->place, index);
    pair p = {other.x - x.x, other.y - x.y, other.z - x.z, x.x, x.x, x.x};
    p.square = p.x * p.x + p.y * p.y + p.z * p.z;
    p.q = lanes_min(lanes_sqrt(p.square) * lanes_all(job->s->liquids.fluid.inverse_support), lanes_all(1.0f));
    p.u = lanes_all(1.0f) - p.q;
    return p;
}

/* The new velocity of eight particles, not above the limit; `asks`: above 0 for those that it is about. */
LANE_FUNCTION void write_velocity(const mt_stir *job, uint32_t i, lanes3 change, lanes asks)
{
    lanes4 v = lanes_load4(job->velocity + i);
    lane_mask free = lanes_above(lanes_load4(job->s->liquids.wet + i).y, lanes_all(0.0f));
    free &= lanes_above(asks, lanes_all(0.0f)); /* who happens to share a slice with them is left alone */
    lanes x = v.x + change.x, y = v.y + change.y, z = v.z + change.z;
    lanes shorter = lanes_shortening(x, y, z, job->s->limits.max_speed);
    v.x = lanes_select(free, x * shorter, v.x);
    v.y = lanes_select(free, y * shorter, v.y);
    v.z = lanes_select(free, z * shorter, v.z);
    lanes_store4(job->velocity + i, v);
}

/* Units of the sums, see whole_sums.h: of weights; of changes of velocities, beside the power of two below the largest
 * difference to a neighbour; of curls and slopes, beside what a radius a substep makes of them. What is more than two of
 * these is cut off. */
#define WEIGHT_UNIT 0x1p-24f
#define CHANGE_UNIT 0x1p-28f
#define SPIN_UNIT   0x1p-26f

LANE_FUNCTION void add_cut(whole3 *sum, lanes scale, lanes x, lanes y, lanes z, lanes most)
{
    sum->x += whole_of(lanes_cut(scale * x, most));
    sum->y += whole_of(lanes_cut(scale * y, most));
    sum->z += whole_of(lanes_cut(scale * z, most));
}

/* m/s */
LANE_FUNCTION float usual_speed(const mt_stir *job)
{
    return 0.5f * job->lattice.spacing * job->s->inverse_h;
}

/* ---- XSPH ---------------------------------------------------------------------------------------------- */

LANE_FUNCTION lanes mean_weight(const mt_stir *job, const pair *p)
{
    lanes u2 = p->u * p->u;
    return lanes_all(job->lattice.mean) * u2 * u2 * (lanes_all(4.0f) * p->q + lanes_all(1.0f));
}

/* The largest difference along an axis. */
LANE_FUNCTION lanes difference(lanes4 a, lanes4 b)
{
    lanes x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return lanes_max(lanes_max(lanes_max(x, -x), lanes_max(y, -y)), lanes_max(z, -z));
}

/* The sums of the kernel, beside the inverse masses; then the largest difference of velocities. */
void MT_KERNEL(mix_measure)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    lanes zero = lanes_all(0.0f);
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        lanes4 x = lanes_load4(job->place + i), v = lanes_load4(job->direction + i);
        list_rows rows = rows_near_liquid(job->s, slice);
        whole sum = {0};
        lanes most = zero;
        for (uint32_t k = 0; k < rows.count; k++) {
            const uint32_t *index = rows.index + (size_t)k * LANES;
            pair p = pair_of(job, x, index);
            lanes weight = mean_weight(job, &p);
            sum += whole_of(weight * lanes_all(1.0f / WEIGHT_UNIT));
            most = lanes_max(most, lanes_keep(lanes_above(weight, zero),
                                              difference(v, lanes_gather(job->direction, index))));
        }
        lanes_store4(job->residual + i, (lanes4){whole_value(sum, lanes_all(WEIGHT_UNIT)),
                                                 lanes_load4(job->s->liquids.wet + i).y, most, zero});
    }
}

LANE_FUNCTION void mix_slice(const mt_stir *job, uint32_t slice)
{
    uint32_t i = slice * LANES;
    lanes4 x = lanes_load4(job->place + i), v = lanes_load4(job->direction + i);
    lanes4 own = lanes_load4(job->residual + i);
    lanes zero = lanes_all(0.0f), one = lanes_all(1.0f);
    if (lanes_bits(lanes_above(v.w, zero)) == 0)
        return;
    list_rows rows = rows_of(job->s, slice);
    lanes unit = lanes_max(lanes_power_below(own.z), lanes_all(1e-20f)) * lanes_all(CHANGE_UNIT);
    lanes fine = one / unit;
    whole3 sum = {0};
    for (uint32_t k = 0; k < rows.count; k++) {
        const uint32_t *index = rows.index + (size_t)k * LANES;
        pair p = pair_of(job, x, index);
        lanes4 beside = lanes_gather(job->direction, index), other = lanes_gather(job->residual, index);
        lanes part = v.w * beside.w * mean_weight(job, &p) / lanes_max(lanes_max(own.x, other.x), one);
        part *= own.y / lanes_max(lanes_max(own.y, other.y), lanes_all(1e-30f));
        whole3_add(&sum, part * fine, beside.x - v.x, beside.y - v.y, beside.z - v.z);
    }
    write_velocity(job, i, whole3_value(&sum, unit), v.w);
}

/* The directions' w: the root of the part that is taken, 0 for solids. */
void MT_KERNEL(mix)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        mix_slice(context, slice);
}

/* ---- confinement --------------------------------------------------------------------------------------- */

/* 3 over the sum of all weights times r^2; few neighbours say little. */
LANE_FUNCTION lanes evened(const mt_stir *job, whole weights)
{
    float support = job->s->liquids.fluid.support;
    lanes sum = whole_value(weights, lanes_all(WEIGHT_UNIT * support * support));
    return lanes_all(3.0f) / lanes_max(sum, lanes_all(0.3f * 3.0f / job->lattice.slope));
}

/* A pair's part of those, in units: c r^2 over H^2. */
LANE_FUNCTION whole weight_of(const mt_stir *job, lanes c, const pair *p)
{
    float inverse = job->s->liquids.fluid.inverse_support;
    lanes square = p->square * lanes_all(inverse * inverse / WEIGHT_UNIT);
    return whole_of(lanes_keep(lanes_above(c, lanes_all(0.0f)), c * square));
}

void MT_KERNEL(spin_measure)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    lanes zero = lanes_all(0.0f);
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        lanes4 x = lanes_load4(job->place + i), v = lanes_load4(job->direction + i);
        list_rows rows = rows_near_liquid(job->s, slice);
        lanes unit = lanes_all(SPIN_UNIT * usual_speed(job) * job->s->liquids.fluid.support);
        lanes fine = lanes_all(1.0f) / unit;
        whole3 turns = {0};
        whole weights = {0};
        for (uint32_t k = 0; k < rows.count; k++) {
            const uint32_t *index = rows.index + (size_t)k * LANES;
            pair p = pair_of(job, x, index);
            lanes4 beside = lanes_gather(job->direction, index);
            lanes c = beside.w * p.u * p.u * p.u;
            lanes vx = beside.x - v.x, vy = beside.y - v.y, vz = beside.z - v.z;
            add_cut(&turns, c * fine, p.y * vz - p.z * vy, p.z * vx - p.x * vz, p.x * vy - p.y * vx,
                    lanes_all(2.0f / SPIN_UNIT));
            weights += weight_of(job, c, &p);
        }
        lanes scale = v.w * evened(job, weights);
        lanes3 sum = whole3_value(&turns, unit);
        lanes4 spin = {sum.x * scale, sum.y * scale, sum.z * scale, zero};
        spin.w = lanes_sqrt(spin.x * spin.x + spin.y * spin.y + spin.z * spin.z);
        lanes_store4(job->residual + i, spin);
    }
}

LANE_FUNCTION void spin_slice(const mt_stir *job, uint32_t slice)
{
    uint32_t i = slice * LANES;
    lanes4 x = lanes_load4(job->place + i), own = lanes_load4(job->residual + i);
    if (lanes_bits(lanes_above(x.w, lanes_all(0.0f))) == 0)
        return;
    list_rows rows = rows_of(job->s, slice);
    lanes unit = lanes_all(SPIN_UNIT * usual_speed(job)), fine = lanes_all(1.0f) / unit;
    whole3 slope = {0};
    whole weights = {0};
    for (uint32_t k = 0; k < rows.count; k++) {
        const uint32_t *index = rows.index + (size_t)k * LANES;
        pair p = pair_of(job, x, index);
        lanes c = lanes_gather(job->direction, index).w * p.u * p.u * p.u;
        lanes change = c * (lanes_gather(job->residual, index).w - own.w);
        add_cut(&slope, change * fine, p.x, p.y, p.z, lanes_all(2.0f / SPIN_UNIT));
        weights += weight_of(job, c, &p);
    }
    lanes even = evened(job, weights);
    lanes3 n = whole3_value(&slope, unit);
    n = (lanes3){n.x * even, n.y * even, n.z * even};
    /* Where spin hardly changes there is no direction to speak of. */
    lanes size = lanes_sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    lanes least = lanes_all(0.01f / job->lattice.spacing) * own.w + lanes_all(1e-20f);
    lanes scale = lanes_all(job->s->h * job->lattice.spacing) * x.w / (size + least);
    write_velocity(job, i,
                   (lanes3){scale * (n.y * own.z - n.z * own.y), scale * (n.z * own.x - n.x * own.z),
                            scale * (n.x * own.y - n.y * own.x)},
                   x.w);
}

/* The directions' w: 1 for fluids, 0 for solids; the places' w: epsilon. */
void MT_KERNEL(spin)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        spin_slice(context, slice);
}
