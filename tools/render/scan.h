/* Which samples a triangle covers. Triangles that share an edge leave no gap and cover no sample twice. */
#ifndef MOTE_TOOLS_RENDER_SCAN_H
#define MOTE_TOOLS_RENDER_SCAN_H

/* A corner in samples, with a value that changes evenly across the triangle. */
typedef struct scan_corner {
    float x, y, value;
} scan_corner;

/* The samples first .. last of a row. */
typedef struct scan_line {
    int row, first, last;
    float value, slope; /* at sample `first`, and what it grows from one to the next */
    float low, high;    /* the least and the greatest value of the corners */
} scan_line;

typedef void scan_work(void *context, const scan_line *line);

void scan_triangle(const scan_corner corners[3], int width, int height, scan_work *work, void *context);

/* The value at a sample of the line; rounding does not carry it beyond those of the corners. */
static inline float scan_value(const scan_line *line, int column)
{
    float value = line->value + line->slope * (float)(column - line->first);
    return value < line->low ? line->low : value > line->high ? line->high : value;
}

#endif
