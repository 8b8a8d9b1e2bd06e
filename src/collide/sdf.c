/* A grid of signed distances, interpolated between its nodes. Outside of the grid the distance is that to the
 * grid's box, plus the value where the box is nearest. */
#include "base/error.h"
#include "collide/sdf_grid.h"
#include "world/check.h"

#include <string.h>

#define ORIGIN_LIMIT 1e7f /* m: a mesh within +-1e6 and what is around it */
#define CELL_LIMIT   1e6f /* m */

/* ---- making --------------------------------------------------------------------------------------------- */

static mote_result check_grid(mote_vec3 origin, float cell, const uint32_t count[3])
{
    MT_TRY(mt_check_vec3("sdf.origin", origin, ORIGIN_LIMIT));
    MT_TRY(mt_check_positive("sdf.cell", cell, CELL_LIMIT));
    MT_TRY(mt_check_count("sdf.count[0]", count[0], 2, MT_SDF_MAX_SIDE));
    MT_TRY(mt_check_count("sdf.count[1]", count[1], 2, MT_SDF_MAX_SIDE));
    MT_TRY(mt_check_count("sdf.count[2]", count[2], 2, MT_SDF_MAX_SIDE));
    size_t nodes = (size_t)count[0] * count[1] * count[2];
    if (nodes > MT_SDF_MAX_NODES)
        return mt_fail(MOTE_ERROR_ARGUMENT, "sdf.count is %u x %u x %u, %zu nodes; there may be %zu", count[0],
                       count[1], count[2], nodes, MT_SDF_MAX_NODES);
    return MOTE_OK;
}

mt_sdf *mt_sdf_make_grid(mt_memory *memory, mote_vec3 origin, float cell, const uint32_t count[3])
{
    if (check_grid(origin, cell, count) != MOTE_OK)
        return NULL;
    mt_sdf *sdf = mt_allocate(memory, sizeof *sdf);
    if (sdf == NULL)
        return NULL;
    *sdf = (mt_sdf){.origin = origin, .cell = cell, .count = {count[0], count[1], count[2]}};
    sdf->node_count = (size_t)count[0] * count[1] * count[2];
    sdf->values = mt_allocate(memory, sdf->node_count * sizeof *sdf->values);
    if (sdf->values != NULL)
        return sdf;
    mt_release(memory, sdf, sizeof *sdf);
    return NULL;
}

/* The greatest difference between two nodes that follow each other along an axis, per metre. */
static double steepest_along(const mt_sdf *sdf, int axis)
{
    size_t stride = axis == 0 ? 1 : axis == 1 ? sdf->count[0] : (size_t)sdf->count[0] * sdf->count[1];
    size_t length = sdf->count[axis];
    float most = 0;
    for (size_t i = 0; i + stride < sdf->node_count; i++)
        if (i / stride % length != length - 1)
            most = fmaxf(most, fabsf(sdf->values[i + stride] - sdf->values[i]));
    return (double)most / (double)sdf->cell;
}

void mt_sdf_measure(mt_sdf *sdf)
{
    float low = sdf->values[0];
    for (size_t i = 1; i < sdf->node_count; i++)
        low = fminf(low, sdf->values[i]);
    sdf->low = (double)low;
    double x = steepest_along(sdf, 0), y = steepest_along(sdf, 1), z = steepest_along(sdf, 2);
    sdf->steepness = sqrt(1 + x * x + y * y + z * z); /* the 1 is for outside of the grid */
}

static mote_result check_values(const mote_sdf_def *source)
{
    size_t nodes = (size_t)source->count[0] * source->count[1] * source->count[2];
    for (size_t i = 0; i < nodes; i++) {
        if (!isfinite(source->values[i]))
            return mt_fail(MOTE_ERROR_NOT_FINITE, "sdf.values[%zu] is %g, which is not a finite number", i,
                           (double)source->values[i]);
        if (fabsf(source->values[i]) > 1e9f)
            return mt_fail(MOTE_ERROR_ARGUMENT, "sdf.values[%zu] is %g; it must be within +-1e9", i,
                           (double)source->values[i]);
    }
    return MOTE_OK;
}

mt_sdf *mt_sdf_make(mt_memory *memory, const mote_sdf_def *source)
{
    if (mt_check_pointer("sdf", source) != MOTE_OK ||
        mt_check_pointer("sdf.values", source->values) != MOTE_OK ||
        check_grid(source->origin, source->cell, source->count) != MOTE_OK || check_values(source) != MOTE_OK)
        return NULL;
    mt_sdf *sdf = mt_sdf_make_grid(memory, source->origin, source->cell, source->count);
    if (sdf == NULL)
        return NULL;
    memcpy(sdf->values, source->values, sdf->node_count * sizeof *sdf->values);
    mt_sdf_measure(sdf);
    return sdf;
}

void mt_sdf_free(mt_sdf *sdf, mt_memory *memory)
{
    if (sdf == NULL)
        return;
    mt_release(memory, sdf->values, sdf->node_count * sizeof *sdf->values);
    mt_release(memory, sdf, sizeof *sdf);
}

mt_box mt_sdf_bounds(const mt_sdf *sdf)
{
    mote_vec3 size = {sdf->cell * (float)(sdf->count[0] - 1), sdf->cell * (float)(sdf->count[1] - 1),
                      sdf->cell * (float)(sdf->count[2] - 1)};
    return (mt_box){sdf->origin, mt_add(sdf->origin, size)};
}

mote_sdf_def mt_sdf_source(const mt_sdf *sdf)
{
    return (mote_sdf_def){sdf->origin, sdf->cell, {sdf->count[0], sdf->count[1], sdf->count[2]}, sdf->values};
}

/* ---- interpolation -------------------------------------------------------------------------------------- */

/* Where a coordinate is: the node below it, the part of the cell behind it, and how far it is out of the grid,
 * m, below 0 before its first node. */
typedef struct place {
    uint32_t node;
    double part, beyond;
} place;

static place locate(double x, double origin, double cell, uint32_t count)
{
    double u = (x - origin) / cell, last = (double)(count - 1);
    double inside = u > 0 ? (u < last ? u : last) : 0; /* also of NaN */
    uint32_t node = (uint32_t)inside;
    node = node < count - 1 ? node : count - 2;
    return (place){node, inside - (double)node, (u - inside) * cell};
}

static double between(double a, double b, double part)
{
    return a + (b - a) * part;
}

/* The values of a cell, v[z][y][x], interpolated along x: at each of the four edges the value and the slope. */
static mt_sdf_sample interpolate(const float *v[4], const place p[3], double cell)
{
    double at[4], slope[4];
    for (int i = 0; i < 4; i++) {
        slope[i] = (double)v[i][1] - (double)v[i][0];
        at[i] = (double)v[i][0] + slope[i] * p[0].part;
    }
    double low = between(at[0], at[1], p[1].part), high = between(at[2], at[3], p[1].part);
    mt_sdf_sample sample;
    sample.value = between(low, high, p[2].part);
    sample.gradient[0] =
        between(between(slope[0], slope[1], p[1].part), between(slope[2], slope[3], p[1].part), p[2].part) /
        cell;
    sample.gradient[1] = between(at[1] - at[0], at[3] - at[2], p[2].part) / cell;
    sample.gradient[2] = (high - low) / cell;
    return sample;
}

mt_sdf_sample mt_sdf_at(const mt_sdf *sdf, const double x[3])
{
    double cell = (double)sdf->cell;
    const place p[3] = {locate(x[0], (double)sdf->origin.x, cell, sdf->count[0]),
                        locate(x[1], (double)sdf->origin.y, cell, sdf->count[1]),
                        locate(x[2], (double)sdf->origin.z, cell, sdf->count[2])};
    size_t row = sdf->count[0], layer = row * sdf->count[1];
    const float *first = sdf->values + p[2].node * layer + p[1].node * row + p[0].node;
    const float *edges[4] = {first, first + row, first + layer, first + layer + row};
    mt_sdf_sample sample = interpolate(edges, p, cell);
    double square = p[0].beyond * p[0].beyond + p[1].beyond * p[1].beyond + p[2].beyond * p[2].beyond;
    if (square > 0) {
        double away = sqrt(square);
        sample.value += away;
        for (int k = 0; k < 3; k++)
            if (p[k].beyond != 0)
                sample.gradient[k] = p[k].beyond / away;
    }
    return sample;
}

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

void mt_sdf_direction(const mt_sdf *sdf, const double x[3], const mt_sdf_sample *sample, double direction[3])
{
    double gradient[3] = {sample->gradient[0], sample->gradient[1], sample->gradient[2]};
    for (int k = 0; k < 3 && !(length_of(sample->gradient) > 1e-9); k++) {
        /* Flat just here: what the neighbourhood says. */
        double low[3] = {x[0], x[1], x[2]}, high[3] = {x[0], x[1], x[2]};
        low[k] -= (double)sdf->cell;
        high[k] += (double)sdf->cell;
        gradient[k] = mt_sdf_at(sdf, high).value - mt_sdf_at(sdf, low).value;
    }
    double length = length_of(gradient);
    for (int k = 0; k < 3; k++)
        direction[k] = length > 1e-12 ? gradient[k] / length : k == 1 ? 1.0 : 0.0;
}

/* ---- questions ------------------------------------------------------------------------------------------ */

float mt_sdf_distance(const mt_sdf *sdf, bool inside, mote_vec3 x)
{
    const double at[3] = {(double)x.x, (double)x.y, (double)x.z};
    double value = mt_sdf_at(sdf, at).value;
    return (float)(inside ? -value : value);
}

uint32_t mt_sdf_near(const mt_sdf *sdf, bool inside, mote_vec3 x, float within, mt_near out[MT_MAX_NEAR])
{
    const double at[3] = {(double)x.x, (double)x.y, (double)x.z};
    mt_sdf_sample sample = mt_sdf_at(sdf, at);
    double s = inside ? -1.0 : 1.0, distance = s * sample.value;
    if (distance > (double)within)
        return 0;
    double n[3];
    mt_sdf_direction(sdf, at, &sample, n);
    double offset = s * (n[0] * at[0] + n[1] * at[1] + n[2] * at[2]) - distance;
    out[0] = (mt_near){{(float)(s * n[0]), (float)(s * n[1]), (float)(s * n[2])}, (float)offset};
    return 1;
}

/* The value at its middle says how far it is; beyond the grid the way to the grid is added, which is 1 m a
 * metre more. */
bool mt_sdf_reaches(const mt_sdf *sdf, bool inside, const mt_box *box)
{
    mote_vec3 middle = mt_scale(mt_add(box->min, box->max), 0.5f);
    double half = 0.5 * (double)mt_length(mt_sub(box->max, box->min));
    return (double)mt_sdf_distance(sdf, inside, middle) <= 1.001 * (sdf->steepness + 1.0) * half;
}
