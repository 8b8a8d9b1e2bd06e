/* Height fields. Triangles and vertices are numbered along the grid and made when they are asked for; only the
 * heights are kept. */
#include "collide/triangle_near.h"

#include <string.h>

struct mt_heightfield {
    uint32_t columns, rows; /* nodes */
    float spacing;          /* m */
    mt_array heights;       /* float, m */
    mt_box bounds;
};

/* The same floats for everyone: a node has one place, to the bit. */
static float place_of_node(const mt_heightfield *field, uint32_t number)
{
    return (float)number * field->spacing;
}

static float height_of(const mt_heightfield *field, uint32_t column, uint32_t row)
{
    return ((const float *)field->heights.data)[(size_t)row * field->columns + column];
}

mt_heightfield *mt_heightfield_make(mt_memory *memory, const mote_heightfield_def *source)
{
    mt_heightfield *field = mt_allocate(memory, sizeof *field);
    if (field == NULL)
        return NULL;
    *field = (mt_heightfield){source->columns, source->rows, source->spacing, {0}, mt_box_empty()};
    mt_array_init(&field->heights, sizeof(float));
    size_t count = (size_t)source->columns * source->rows;
    if (mt_array_reserve(&field->heights, memory, count, 0) != MOTE_OK) {
        mt_heightfield_free(field, memory);
        return NULL;
    }
    memcpy(field->heights.data, source->heights, count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        field->bounds = mt_box_with(field->bounds, (mote_vec3){0, source->heights[i], 0});
    field->bounds.max.x = place_of_node(field, field->columns - 1);
    field->bounds.max.z = place_of_node(field, field->rows - 1);
    return field;
}

void mt_heightfield_free(mt_heightfield *field, mt_memory *memory)
{
    if (field == NULL)
        return;
    mt_array_free(&field->heights, memory);
    mt_release(memory, field, sizeof *field);
}

mt_box mt_heightfield_bounds(const mt_heightfield *field)
{
    return field->bounds;
}

mote_heightfield_def mt_heightfield_source(const mt_heightfield *field)
{
    return (mote_heightfield_def){field->columns, field->rows, field->spacing, field->heights.data};
}

/* ---- triangles ------------------------------------------------------------------------------------------
 * Cell (column, row) has the nodes (column, row) to (column + 1, row + 1) and the triangles number 2 c (on the
 * side of high x) and 2 c + 1 (on the side of high z), c counting cells along the rows. */

static uint32_t triangle_number(const mt_heightfield *field, uint32_t column, uint32_t row, uint32_t half)
{
    return 2 * (row * (field->columns - 1) + column) + half;
}

static mt_triangle cell_triangle(const mt_heightfield *field, uint32_t column, uint32_t row, uint32_t half)
{
    /* Counter-clockwise seen from above, where x to the right has z towards the eye. */
    const uint32_t steps[2][3][2] = {{{0, 0}, {1, 1}, {1, 0}}, {{0, 0}, {0, 1}, {1, 1}}};
    mt_triangle triangle;
    for (int i = 0; i < 3; i++) {
        uint32_t x = column + steps[half][i][0], z = row + steps[half][i][1];
        triangle.corner[i] = z * field->columns + x;
        triangle.at[i] = (mote_vec3){place_of_node(field, x), height_of(field, x, z), place_of_node(field, z)};
    }
    return triangle;
}

static mt_triangle surface_triangle(const void *self, uint32_t number)
{
    const mt_heightfield *field = self;
    uint32_t cell = number / 2, width = field->columns - 1;
    return cell_triangle(field, cell % width, cell / width, number % 2);
}

/* Around a node, in ascending order: cells before it have it as their last corner or at an end of the edge
 * between. */
static const uint32_t *surface_fan(const void *self, uint32_t vertex, uint32_t room[MT_FAN_ROOM],
                                   uint32_t *count)
{
    const mt_heightfield *field = self;
    uint32_t column = vertex % field->columns, row = vertex / field->columns, n = 0;
    bool left = column > 0, right = column + 1 < field->columns;
    if (row > 0 && left) {
        room[n++] = triangle_number(field, column - 1, row - 1, 0);
        room[n++] = triangle_number(field, column - 1, row - 1, 1);
    }
    if (row > 0 && right)
        room[n++] = triangle_number(field, column, row - 1, 1);
    if (row + 1 < field->rows && left)
        room[n++] = triangle_number(field, column - 1, row, 0);
    if (row + 1 < field->rows && right) {
        room[n++] = triangle_number(field, column, row, 0);
        room[n++] = triangle_number(field, column, row, 1);
    }
    *count = n;
    return room;
}

/* ---- cells ---------------------------------------------------------------------------------------------- */

/* The cells along an axis that an interval can touch, and one more on each side, since places of nodes are
 * rounded. False if there are none. */
static bool cells_of(const mt_heightfield *field, uint32_t nodes, double low, double high, uint32_t *first,
                     uint32_t *last)
{
    double cells = (double)(nodes - 1), spacing = (double)field->spacing;
    double begin = floor(low / spacing) - 1, end = floor(high / spacing) + 1;
    if (!(begin < cells && end >= 0))
        return false;
    *first = begin > 0 ? (uint32_t)begin : 0;
    *last = end < cells - 1 ? (uint32_t)end : nodes - 2;
    return true;
}

/* The cell along an axis of a place between the first and the last node. */
static uint32_t cell_at(const mt_heightfield *field, uint32_t nodes, float place)
{
    double guess = floor((double)place / (double)field->spacing);
    uint32_t cell = guess > 0 ? (guess < (double)(nodes - 2) ? (uint32_t)guess : nodes - 2) : 0;
    while (cell > 0 && place < place_of_node(field, cell))
        cell--;
    while (cell < nodes - 2 && place >= place_of_node(field, cell + 1))
        cell++;
    return cell;
}

static void heights_of_cell(const mt_heightfield *field, uint32_t column, uint32_t row, float *low, float *high)
{
    float a = height_of(field, column, row), b = height_of(field, column + 1, row);
    float c = height_of(field, column, row + 1), d = height_of(field, column + 1, row + 1);
    *low = fminf(fminf(a, b), fminf(c, d));
    *high = fmaxf(fmaxf(a, b), fmaxf(c, d));
}

/* The triangle in whose column of space x is. x and z must be within the rectangle. */
static mt_triangle triangle_at(const mt_heightfield *field, mote_vec3 x)
{
    uint32_t column = cell_at(field, field->columns, x.x), row = cell_at(field, field->rows, x.z);
    double low_x = (double)place_of_node(field, column), low_z = (double)place_of_node(field, row);
    double wide_x = (double)place_of_node(field, column + 1) - low_x;
    double wide_z = (double)place_of_node(field, row + 1) - low_z;
    bool high_z = ((double)x.z - low_z) * wide_x > ((double)x.x - low_x) * wide_z;
    return cell_triangle(field, column, row, high_z ? 1 : 0);
}

static bool is_within_rectangle(const mt_heightfield *field, mote_vec3 x)
{
    return x.x >= 0 && x.x <= field->bounds.max.x && x.z >= 0 && x.z <= field->bounds.max.z;
}

/* In the solid; `above` gets the triangle above x. */
static bool is_below(const mt_heightfield *field, mote_vec3 x, mt_triangle *above)
{
    if (!is_within_rectangle(field, x))
        return false;
    *above = triangle_at(field, x);
    return mt_triangle_side(above, mt_triangle_cross(above), x) < 0;
}

/* ---- near ----------------------------------------------------------------------------------------------- */

static void take_near_cells(const mt_heightfield *field, mt_near_list *list)
{
    double x = (double)list->x.x, z = (double)list->x.z, within = (double)list->within;
    uint32_t first[2], last[2];
    if (!cells_of(field, field->columns, x - within, x + within, &first[0], &last[0]) ||
        !cells_of(field, field->rows, z - within, z + within, &first[1], &last[1]))
        return;
    for (uint32_t row = first[1]; row <= last[1]; row++)
        for (uint32_t column = first[0]; column <= last[0]; column++) {
            float low, high;
            heights_of_cell(field, column, row, &low, &high);
            if ((double)low - (double)list->x.y > within || (double)list->x.y - (double)high > within)
                continue;
            for (uint32_t half = 0; half < 2; half++) {
                mt_triangle triangle = cell_triangle(field, column, row, half);
                mt_near_take(list, triangle_number(field, column, row, half), &triangle);
            }
        }
}

uint32_t mt_heightfield_near(const mt_heightfield *field, mote_vec3 x, float within, mt_near out[MT_MAX_NEAR])
{
    const mt_surface surface = {field, surface_triangle, surface_fan};
    mt_triangle above;
    bool below = is_below(field, x, &above);
    mt_near_list list;
    mt_near_begin(&list, &surface, x, within, below ? MT_NEAR_BACK : MT_NEAR_FRONT);
    take_near_cells(field, &list);
    uint32_t count = mt_near_end(&list, out);
    if (!below)
        return count;
    /* The plane above the point comes first, however deep it is: it is the one that leads out for certain. */
    mt_near all[MT_MAX_NEAR + 1] = {mt_triangle_plane(&above, false)};
    uint32_t kept = 1;
    for (uint32_t i = 0; i < count && kept < MT_MAX_NEAR; i++)
        if (!mt_near_same(&all[0], &out[i], x, within))
            all[kept++] = out[i];
    memcpy(out, all, kept * sizeof *out);
    return kept;
}

/* ---- cross ---------------------------------------------------------------------------------------------- */

typedef struct passage {
    const mt_heightfield *field;
    mt_way way;
    double begin, end; /* the parts of the way over the rectangle and between the lowest and highest point */
    double part;       /* of the first crossing so far; above 1: none */
    mt_triangle triangle;
} passage;

/* Cuts [*begin, *end] to the parts where low <= from + part * step <= high. */
static void cut(double from, double step, double low, double high, double *begin, double *end)
{
    if (step == 0) {
        if (from < low || from > high)
            *end = -1;
        return;
    }
    double a = (low - from) / step, b = (high - from) / step;
    *begin = mt_real_most(*begin, mt_real_least(a, b));
    *end = mt_real_least(*end, mt_real_most(a, b));
}

static void pass_cell(passage *p, uint32_t column, uint32_t row)
{
    for (uint32_t half = 0; half < 2; half++) {
        mt_triangle triangle = cell_triangle(p->field, column, row, half);
        double part;
        bool from_front;
        if (mt_triangle_crossed(&triangle, &p->way, &part, &from_front) && from_front && part < p->part) {
            p->part = part;
            p->triangle = triangle;
        }
    }
}

/* The cells of a column under the way, which is wider by a cell on each side than it need be. False when the
 * way enters the column only after the first crossing. */
static bool pass_column(passage *p, uint32_t column)
{
    double spacing = (double)p->field->spacing, begin = p->begin, end = p->end;
    double low = ((double)column - 1) * spacing;
    cut((double)p->way.from.x, p->way.step.x, low, low + 3 * spacing, &begin, &end);
    if (begin > end)
        return true;
    if (begin > p->part)
        return false;
    double z[2] = {(double)p->way.from.z + begin * p->way.step.z, (double)p->way.from.z + end * p->way.step.z};
    double y[2] = {(double)p->way.from.y + begin * p->way.step.y, (double)p->way.from.y + end * p->way.step.y};
    double slack = 1e-9 * (fabs(y[0]) + fabs(y[1]));
    double lowest = mt_real_least(y[0], y[1]) - slack, highest = mt_real_most(y[0], y[1]) + slack;
    uint32_t first, last;
    if (!cells_of(p->field, p->field->rows, mt_real_least(z[0], z[1]), mt_real_most(z[0], z[1]), &first, &last))
        return true;
    for (uint32_t row = first; row <= last; row++) {
        float bottom, top;
        heights_of_cell(p->field, column, row, &bottom, &top);
        if (lowest <= (double)top && highest >= (double)bottom)
            pass_cell(p, column, row);
    }
    return true;
}

static void pass_field(passage *p)
{
    const mt_heightfield *field = p->field;
    const mt_box *box = &field->bounds;
    double spacing = (double)field->spacing, from = (double)p->way.from.x, step = p->way.step.x;
    /* The border is widened by what the places of nodes and the heights may be rounded. */
    double slack = 1e-9 * (fabs((double)box->min.y) + fabs((double)box->max.y) + fabs((double)p->way.from.y));
    cut(from, step, -spacing, (double)box->max.x + spacing, &p->begin, &p->end);
    cut((double)p->way.from.z, p->way.step.z, -spacing, (double)box->max.z + spacing, &p->begin, &p->end);
    cut((double)p->way.from.y, p->way.step.y, (double)box->min.y - slack, (double)box->max.y + slack, &p->begin,
        &p->end);
    double x[2] = {from + p->begin * step, from + p->end * step};
    uint32_t first, last;
    if (p->begin > p->end ||
        !cells_of(field, field->columns, mt_real_least(x[0], x[1]), mt_real_most(x[0], x[1]), &first, &last))
        return;
    /* In the order of the way, so that the first crossing ends the search. */
    for (uint32_t i = 0; i <= last - first; i++)
        if (!pass_column(p, step >= 0 ? first + i : last - i))
            return;
}

bool mt_heightfield_cross(const mt_heightfield *field, mote_vec3 from, mote_vec3 to, mt_crossing *crossing)
{
    passage p = {.field = field, .way = mt_way_make(from, to), .begin = 0, .end = 1, .part = 2};
    pass_field(&p);
    if (p.part > 1)
        return false;
    *crossing = (mt_crossing){(float)p.part, mt_triangle_normal(&p.triangle)};
    return true;
}

/* ---- distance ------------------------------------------------------------------------------------------- */

/* The squared distance to the cell's triangles if it is below `best`. */
static double nearer_of_cell(const mt_heightfield *field, uint32_t column, uint32_t row, mote_vec3 x,
                             double best)
{
    mt_box box = {{place_of_node(field, column), 0, place_of_node(field, row)},
                  {place_of_node(field, column + 1), 0, place_of_node(field, row + 1)}};
    heights_of_cell(field, column, row, &box.min.y, &box.max.y);
    mt_real3 to_box = mt_real_between(x, mt_box_clamp(&box, x));
    if (mt_real_dot(to_box, to_box) > best)
        return best;
    for (uint32_t half = 0; half < 2; half++) {
        mt_triangle triangle = cell_triangle(field, column, row, half);
        best = mt_real_least(best, mt_triangle_closest(&triangle, x).square);
    }
    return best;
}

/* The cells of a square ring around a cell, as far as there are any. */
static double nearer_of_ring(const mt_heightfield *field, const int64_t center[2], int64_t ring, mote_vec3 x,
                             double best)
{
    int64_t columns = (int64_t)field->columns - 1, rows = (int64_t)field->rows - 1;
    for (int64_t row = center[1] - ring; row <= center[1] + ring; row++) {
        if (row < 0 || row >= rows)
            continue;
        bool whole = row == center[1] - ring || row == center[1] + ring;
        int64_t step = whole || ring == 0 ? 1 : 2 * ring;
        for (int64_t column = center[0] - ring; column <= center[0] + ring; column += step)
            if (column >= 0 && column < columns)
                best = nearer_of_cell(field, (uint32_t)column, (uint32_t)row, x, best);
    }
    return best;
}

/* Rings grow from the cell nearest to x until they are further away than what has been found. */
static double square_to_surface(const mt_heightfield *field, mote_vec3 x, double best)
{
    mote_vec3 inside = mt_box_clamp(&field->bounds, x);
    const int64_t center[2] = {cell_at(field, field->columns, inside.x), cell_at(field, field->rows, inside.z)};
    double up = (double)x.y - (double)inside.y; /* to the lowest or highest point; 0 between them */
    int64_t rings = field->columns > field->rows ? field->columns : field->rows;
    for (int64_t ring = 0; ring < rings; ring++) {
        /* Less than the ring's distance, by more than the places of nodes are rounded. */
        double across = ring > 1 ? ((double)ring - 1.01) * (double)field->spacing : 0;
        if (across * across + up * up > best)
            break;
        best = nearer_of_ring(field, center, ring, x, best);
    }
    return best;
}

float mt_heightfield_distance(const mt_heightfield *field, mote_vec3 x, float most)
{
    double square = (double)most * (double)most, best = square_to_surface(field, x, square);
    float distance = best < square ? (float)sqrt(best) : most;
    mt_triangle above;
    return is_below(field, x, &above) ? -distance : distance;
}

/* ---- a box ---------------------------------------------------------------------------------------------- */

#define MOST_NODES 4096u /* to look at; for larger boxes the highest of all must do */

/* The first and the last node that the cells under [low, high] have. */
static void node_range(float low, float high, float spacing, uint32_t nodes, uint32_t *first, uint32_t *last)
{
    float a = floorf(low / spacing) - 1.0f, b = floorf(high / spacing) + 2.0f, end = (float)(nodes - 1);
    *first = (uint32_t)mt_least(mt_most(a, 0.0f), end);
    *last = (uint32_t)mt_least(mt_most(b, 0.0f), end);
}

bool mt_heightfield_reaches(const mt_heightfield *field, const mt_box *box)
{
    if (box->min.y > field->bounds.max.y || box->max.x < field->bounds.min.x ||
        box->min.x > field->bounds.max.x || box->max.z < field->bounds.min.z ||
        box->min.z > field->bounds.max.z)
        return false;
    uint32_t column, last_column, row, last_row;
    node_range(box->min.x, box->max.x, field->spacing, field->columns, &column, &last_column);
    node_range(box->min.z, box->max.z, field->spacing, field->rows, &row, &last_row);
    if ((size_t)(last_column - column + 1) * (last_row - row + 1) > MOST_NODES)
        return true;
    for (; row <= last_row; row++)
        for (uint32_t x = column; x <= last_column; x++)
            if (height_of(field, x, row) >= box->min.y)
                return true;
    return false;
}
