#include "scan.h"

#include "vector.h"

/* Where the edges of a triangle cross a row, from the least to the greatest. */
typedef struct span {
    double from, to;
} span;

/* Both triangles of an edge must get the same crossing to the last bit, so an edge is always followed from its
 * upper end. It takes part in the rows from its upper end on, down to but without its lower one. */
static void cross_edge(scan_corner a, scan_corner b, double y, span *s)
{
    if (a.y > b.y) {
        scan_corner kept = a;
        a = b;
        b = kept;
    }
    if (!((double)a.y <= y && y < (double)b.y))
        return;
    double x = (double)a.x + (y - (double)a.y) * ((double)b.x - (double)a.x) / ((double)b.y - (double)a.y);
    s->from = x < s->from ? x : s->from;
    s->to = x > s->to ? x : s->to;
}

/* The first line of samples, at a half past each number, that is not before a coordinate. */
static int first_not_before(double coordinate, int count)
{
    double line = ceil(coordinate - 0.5);
    return line < 0.0 ? 0 : line > (double)count ? count : (int)line;
}

void scan_triangle(const scan_corner c[3], int width, int height, scan_work *work, void *context)
{
    double bx = (double)c[1].x - (double)c[0].x, by = (double)c[1].y - (double)c[0].y;
    double cx = (double)c[2].x - (double)c[0].x, cy = (double)c[2].y - (double)c[0].y;
    double area = bx * cy - by * cx;
    if (!(fabs(area) > 1e-12))
        return;
    double b = (double)c[1].value - (double)c[0].value, d = (double)c[2].value - (double)c[0].value;
    double slope_x = (b * cy - d * by) / area, slope_y = (d * bx - b * cx) / area;
    scan_line line = {.slope = (float)slope_x,
                      .low = smaller(c[0].value, smaller(c[1].value, c[2].value)),
                      .high = larger(c[0].value, larger(c[1].value, c[2].value))};
    int first_row = first_not_before((double)smaller(c[0].y, smaller(c[1].y, c[2].y)), height);
    int end_row = first_not_before((double)larger(c[0].y, larger(c[1].y, c[2].y)), height);
    for (line.row = first_row; line.row < end_row; line.row++) {
        double y = (double)line.row + 0.5;
        span s = {INFINITY, -INFINITY};
        for (int i = 0; i < 3; i++)
            cross_edge(c[i], c[(i + 1) % 3], y, &s);
        line.first = first_not_before(s.from, width);
        line.last = first_not_before(s.to, width) - 1;
        double x = (double)line.first + 0.5;
        line.value =
            (float)((double)c[0].value + (x - (double)c[0].x) * slope_x + (y - (double)c[0].y) * slope_y);
        if (line.first <= line.last)
            work(context, &line);
    }
}
