/* Where two pieces meet: how large the cut is, and where it is. */
#include "base/real.h"
#include "build/pieces.h"

/* Pairs of a lattice's neighbours across an even cut, counted one by one, are too many for its area by up to
 * this factor, if it is aslant. */
#define ASLANT 1.7320508075688772

typedef struct sums {
    double count;
    mt_real3 middle; /* of the pairs */
    mt_real3 ways;   /* unit, from a to b: their sum is the area as a vector, whatever the steps of the cut */
} sums;

static mt_real3 middle_of(const mt_cut_pair *pair, const mote_vec3 *points)
{
    return mt_real_scale(mt_real_add(mt_real_of(points[pair->i]), mt_real_of(points[pair->j])), 0.5);
}

bool mt_pair_is_direct(const mt_cut_pair *pair, const mote_vec3 *points, float spacing)
{
    mt_real3 way = mt_real_between(points[pair->i], points[pair->j]);
    double most = MT_PIECES_DIRECT * (double)spacing;
    return mt_real_dot(way, way) <= most * most;
}

static void add_pair(sums *s, const mt_cut_pair *pair, const mote_vec3 *points)
{
    mt_real3 way = mt_real_between(points[pair->i], points[pair->j]);
    double length = sqrt(mt_real_dot(way, way));
    s->count += 1.0;
    s->middle = mt_real_add(s->middle, middle_of(pair, points));
    if (length > 0)
        s->ways = mt_real_add(s->ways, mt_real_scale(way, 1.0 / length));
}

/* Across another, of any length: along the axis that it is least along. */
static mt_real3 across(mt_real3 n)
{
    mt_real3 axis = {fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z), 0.0, 0.0};
    if (axis.x == 0.0)
        axis = fabs(n.y) <= fabs(n.z) ? (mt_real3){0.0, 1.0, 0.0} : (mt_real3){0.0, 0.0, 1.0};
    mt_real3 u = mt_real_cross(n, axis);
    return mt_real_scale(u, 1.0 / sqrt(mt_real_dot(u, u)));
}

/* The variances of the middles along two directions in the cut, and between them. */
typedef struct spread {
    double uu, uv, vv;
} spread;

/* The shorter side of the rectangle that is spread out as the pairs' faces are: n faces in a row have the
 * variance (n^2 - 1) / 12, in spacings. */
static double smaller_extent(const spread *s, double spacing)
{
    double mean = 0.5 * (s->uu + s->vv), half = 0.5 * (s->uu - s->vv);
    double least = mean - sqrt(half * half + s->uv * s->uv);
    return sqrt(12.0 * (least > 0 ? least : 0.0) + spacing * spacing);
}

mt_interface mt_interface_measure(const mt_cut_pair *pairs, size_t count, const mote_vec3 *points,
                                  float spacing, bool *direct)
{
    *direct = false;
    for (size_t k = 0; k < count && !*direct; k++)
        *direct = mt_pair_is_direct(&pairs[k], points, spacing);
    sums s = {0};
    for (size_t k = 0; k < count; k++)
        if (!*direct || mt_pair_is_direct(&pairs[k], points, spacing))
            add_pair(&s, &pairs[k], points);
    mt_real3 anchor = mt_real_scale(s.middle, 1.0 / s.count);
    double length = sqrt(mt_real_dot(s.ways, s.ways));
    mt_real3 normal = length > 1e-6 * s.count ? mt_real_scale(s.ways, 1.0 / length) : (mt_real3){0.0, 1.0, 0.0};
    mt_real3 u = across(normal), v = mt_real_cross(normal, u);
    spread sp = {0};
    for (size_t k = 0; k < count; k++) {
        if (*direct && !mt_pair_is_direct(&pairs[k], points, spacing))
            continue;
        mt_real3 from = mt_real_sub(middle_of(&pairs[k], points), anchor);
        double along_u = mt_real_dot(from, u), along_v = mt_real_dot(from, v);
        sp.uu += along_u * along_u / s.count;
        sp.uv += along_u * along_v / s.count;
        sp.vv += along_v * along_v / s.count;
    }
    double face = (double)spacing * (double)spacing;
    return (mt_interface){mt_real_round(anchor), mt_real_round(normal),
                          mt_real_most(length, s.count / ASLANT) * face, smaller_extent(&sp, (double)spacing)};
}
