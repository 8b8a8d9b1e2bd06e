/* Ways through a distance field. A way is walked in steps that are never longer than the distance allows, so
 * only a surface that is thinner than a quarter of a cell could be stepped over. */
#include "collide/sdf_grid.h"

#define SHORTEST   0.25    /* cells: the shortest step */
#define MOST_STEPS 65536.0 /* more than quarter cells across the largest grid */
#define BISECTIONS 40

typedef struct way {
    const mt_sdf *sdf;
    double sign; /* -1 for a container */
    double from[3], to[3];
    double length; /* m */
} way;

static void point_at(const way *w, double part, double x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] = part >= 1 ? w->to[k] : w->from[k] + part * (w->to[k] - w->from[k]);
}

/* Distance on the free side, below 0 on the other. */
static double free_at(const way *w, double part)
{
    double x[3];
    point_at(w, part, x);
    return w->sign * mt_sdf_at(w->sdf, x).value;
}

/* The part of the way in which the field may be below 0: the grid's box, grown by as much as the field is below
 * 0 somewhere. False if there is none. */
static bool clip(const way *w, double *first, double *last)
{
    const mt_sdf *sdf = w->sdf;
    const double origin[3] = {(double)sdf->origin.x, (double)sdf->origin.y, (double)sdf->origin.z};
    double grow = fmax(0.0, -sdf->low) + (double)sdf->cell;
    *first = 0;
    *last = 1;
    for (int k = 0; k < 3; k++) {
        double low = origin[k] - grow, high = origin[k] + (double)sdf->cell * (sdf->count[k] - 1) + grow;
        double start = w->from[k], along = w->to[k] - start;
        if (along == 0 && (start < low || start > high))
            return false;
        if (along == 0)
            continue;
        double a = (low - start) / along, b = (high - start) / along;
        *first = fmax(*first, fmin(a, b));
        *last = fmin(*last, fmax(a, b));
    }
    return *first <= *last;
}

/* Where the field changes sign between a free part and one that is not; the answer is free. */
static double bisect(const way *w, double free, double blocked)
{
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (free + blocked);
        if (free_at(w, middle) >= 0)
            free = middle;
        else
            blocked = middle;
    }
    return free;
}

static bool walk(const way *w, double *crossing)
{
    double part, last;
    if (!clip(w, &part, &last))
        return false;
    double shortest = fmax(SHORTEST * (double)w->sdf->cell, (last - part) * w->length / MOST_STEPS);
    double distance = free_at(w, part);
    while (part < last) {
        double step = fmax(shortest, distance / w->sdf->steepness) / w->length;
        double next = fmin(part + step, last);
        distance = free_at(w, next);
        if (distance < 0) {
            *crossing = bisect(w, part, next);
            return true;
        }
        part = next;
    }
    return false;
}

/* Rounding must not carry the place through the surface: it goes back until it is free. */
static float round_to_free(const way *w, mote_vec3 from, mote_vec3 to, double crossing)
{
    float part = (float)crossing, back = 1.0f / 16777216.0f;
    for (; part > 0; back *= 2) {
        mote_vec3 at = mt_add(from, mt_scale(mt_sub(to, from), part));
        const double x[3] = {(double)at.x, (double)at.y, (double)at.z};
        if (w->sign * mt_sdf_at(w->sdf, x).value >= 0)
            return part;
        part -= back;
    }
    return 0;
}

bool mt_sdf_cross(const mt_sdf *sdf, bool inside, mote_vec3 from, mote_vec3 to, mt_crossing *crossing)
{
    way w = {.sdf = sdf,
             .sign = inside ? -1.0 : 1.0,
             .from = {(double)from.x, (double)from.y, (double)from.z},
             .to = {(double)to.x, (double)to.y, (double)to.z}};
    double x = w.to[0] - w.from[0], y = w.to[1] - w.from[1], z = w.to[2] - w.from[2], part;
    w.length = sqrt(x * x + y * y + z * z);
    if (!(w.length > 0) || free_at(&w, 0) < 0 || !walk(&w, &part))
        return false;
    double at[3], n[3];
    point_at(&w, part, at);
    mt_sdf_sample sample = mt_sdf_at(sdf, at);
    mt_sdf_direction(sdf, at, &sample, n);
    *crossing = (mt_crossing){round_to_free(&w, from, to, part),
                              {(float)(w.sign * n[0]), (float)(w.sign * n[1]), (float)(w.sign * n[2])}};
    return true;
}
