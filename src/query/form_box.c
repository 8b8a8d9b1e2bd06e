/* Forms against a box; see turned_box.h. */
#include "collide/mesh.h"
#include "collide/sdf_grid.h"
#include "query/turned_box.h"

mt_turned_box mt_turned_box_of(const mt_box *box, const mt_frame *frame)
{
    mt_real3 low = mt_real_of(box->min), high = mt_real_of(box->max);
    mt_real3 center = mt_real_scale(mt_real_add(low, high), 0.5);
    mt_real3 half = mt_real_scale(mt_real_sub(high, low), 0.5);
    mt_real3 x = mt_real_of(frame->x), y = mt_real_of(frame->y), z = mt_real_of(frame->z);
    mt_real3 to = mt_real_sub(center, mt_real_of(frame->position));
    return (mt_turned_box){{mt_real_dot(x, to), mt_real_dot(y, to), mt_real_dot(z, to)},
                           {mt_real_scale((mt_real3){x.x, y.x, z.x}, half.x),
                            mt_real_scale((mt_real3){x.y, y.y, z.y}, half.y),
                            mt_real_scale((mt_real3){x.z, y.z, z.z}, half.z)}};
}

mt_box mt_turned_box_bounds(const mt_turned_box *box)
{
    mt_real3 reach = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        reach =
            mt_real_add(reach, (mt_real3){fabs(box->half[k].x), fabs(box->half[k].y), fabs(box->half[k].z)});
    mt_box bounds = {mt_real_round(mt_real_sub(box->center, reach)),
                     mt_real_round(mt_real_add(box->center, reach))};
    /* A little more than that, for what rounding takes away. */
    return mt_box_grow(bounds, (float)(2e-7 * (mt_real_size(box->center) + mt_real_size(reach))));
}

static mt_real3 corner_of(const mt_turned_box *box, int number)
{
    mt_real3 corner = box->center;
    for (int k = 0; k < 3; k++)
        corner = mt_real_add(corner, mt_real_scale(box->half[k], (number >> k & 1) != 0 ? 1.0 : -1.0));
    return corner;
}

/* Containers but distance fields: what is free is convex, so the box is free if its corners are. */
static bool corner_is_solid(const mt_form *form, const mt_turned_box *box)
{
    for (int i = 0; i < 8; i++)
        if (mt_form_distance(form, mt_real_round(corner_of(box, i)), 1.0f) < 0)
            return true;
    return false;
}

static bool primitive_meets(const mt_primitive *form, const mt_turned_box *box)
{
    mote_vec3 points[8] = {{0.0f, 0.0f, 0.0f}}, half = form->half_extents;
    if (form->type == MOTE_SHAPE_SPHERE)
        return mt_convex_meets_box(points, 1, (double)form->radius, box);
    if (form->type == MOTE_SHAPE_CAPSULE) {
        points[0].y = -form->half_height;
        points[1].y = form->half_height;
        return mt_convex_meets_box(points, 2, (double)form->radius, box);
    }
    for (int i = 0; i < 8; i++)
        points[i] = (mote_vec3){(i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                                (i & 4) != 0 ? half.z : -half.z};
    return mt_convex_meets_box(points, 8, 0.0, box);
}

static bool mesh_meets(const mt_mesh *mesh, const mt_turned_box *box)
{
    mt_tree_walk walk = mt_tree_begin(&mesh->tree, mt_turned_box_bounds(box));
    for (uint32_t number; mt_tree_next(&walk, &number);) {
        mt_triangle triangle = mt_mesh_triangle(mesh, number);
        if (mt_convex_meets_box(triangle.at, 3, 0.0, box))
            return true;
    }
    return false;
}

/* ---- height fields --------------------------------------------------------------------------------------- */

/* The cells along an axis that an interval can touch; false if there are none. */
static bool cells_of(float low, float high, float spacing, uint32_t nodes, uint32_t *first, uint32_t *last)
{
    double begin = floor((double)low / (double)spacing) - 1, end = floor((double)high / (double)spacing) + 1;
    double cells = (double)(nodes - 1);
    if (!(begin < cells && end >= 0))
        return false;
    *first = begin > 0 ? (uint32_t)begin : 0;
    *last = end < cells - 1 ? (uint32_t)end : nodes - 2;
    return true;
}

/* What is below one of the two triangles of a cell, down to `bottom`. */
static bool cell_meets(const mote_heightfield_def *field, uint32_t column, uint32_t row, float bottom,
                       const mt_turned_box *box)
{
    mote_vec3 node[2][2]; /* by row and column */
    float top = -INFINITY;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t x = column + (i & 1), z = row + (i >> 1);
        float height = field->heights[(size_t)z * field->columns + x];
        node[i >> 1][i & 1] = (mote_vec3){(float)x * field->spacing, height, (float)z * field->spacing};
        top = fmaxf(top, height);
    }
    if (top < bottom) /* below all of the box */
        return false;
    for (int half = 0; half < 2; half++) {
        mote_vec3 points[6] = {node[0][0], node[1][1], half == 0 ? node[0][1] : node[1][0]};
        for (int i = 0; i < 3; i++)
            points[3 + i] = (mote_vec3){points[i].x, fminf(bottom, points[i].y), points[i].z};
        if (mt_convex_meets_box(points, 6, 0.0, box))
            return true;
    }
    return false;
}

static bool heightfield_meets(const mt_heightfield *form, const mt_turned_box *box)
{
    mote_heightfield_def field = mt_heightfield_source(form);
    mt_box bounds = mt_turned_box_bounds(box);
    uint32_t first[2], last[2];
    if (!cells_of(bounds.min.x, bounds.max.x, field.spacing, field.columns, &first[0], &last[0]) ||
        !cells_of(bounds.min.z, bounds.max.z, field.spacing, field.rows, &first[1], &last[1]))
        return false;
    for (uint32_t row = first[1]; row <= last[1]; row++)
        for (uint32_t column = first[0]; column <= last[0]; column++)
            if (cell_meets(&field, column, row, bounds.min.y, box))
                return true;
    return false;
}

/* ---- distance fields ------------------------------------------------------------------------------------- */

/* The box is halved until the value in the middle of a piece says what all of the piece is, or until the pieces
 * are no longer than `least`; what is open then counts as solid. */
static bool piece_meets(const mt_sdf *sdf, double sign, const mt_turned_box *piece, double least)
{
    const double at[3] = {piece->center.x, piece->center.y, piece->center.z};
    double value = sign * mt_sdf_at(sdf, at).value, square = 0;
    int longest = 0;
    for (int k = 0; k < 3; k++) {
        square += mt_real_dot(piece->half[k], piece->half[k]);
        if (mt_real_dot(piece->half[k], piece->half[k]) >
            mt_real_dot(piece->half[longest], piece->half[longest]))
            longest = k;
    }
    if (value < 0)
        return true;
    if (value > sdf->steepness * sqrt(square))
        return false;
    mt_real3 half = piece->half[longest];
    if (mt_real_dot(half, half) <= least * least)
        return true;
    mt_turned_box low = *piece, high = *piece;
    low.half[longest] = high.half[longest] = mt_real_scale(half, 0.5);
    low.center = mt_real_sub(piece->center, low.half[longest]);
    high.center = mt_real_add(piece->center, low.half[longest]);
    return piece_meets(sdf, sign, &low, least) || piece_meets(sdf, sign, &high, least);
}

/* Pieces are at least a sixteenth of a cell long, and no shorter than a 512th of a long box, which bounds the
 * work. */
static bool sdf_meets(const mt_sdf *sdf, bool inside, const mt_turned_box *box)
{
    double longest = 0;
    for (int k = 0; k < 3; k++)
        longest = mt_real_most(longest, sqrt(mt_real_dot(box->half[k], box->half[k])));
    double least = mt_real_most((double)sdf->cell / 16, longest / 512);
    return piece_meets(sdf, inside ? -1.0 : 1.0, box, least);
}

/* ---- all forms ------------------------------------------------------------------------------------------- */

bool mt_form_meets_box(const mt_form *form, const mt_turned_box *box)
{
    mote_mesh hull;
    if (form->kind == MT_FORM_SDF)
        return sdf_meets(form->geometry, form->inside, box);
    if (form->inside)
        return corner_is_solid(form, box);
    switch (form->kind) {
    case MT_FORM_PRIMITIVE:
        return primitive_meets(&form->primitive, box);
    case MT_FORM_HULL:
        hull = mt_hull_source(form->geometry);
        return mt_convex_meets_box(hull.vertices, hull.vertex_count, 0.0, box);
    case MT_FORM_MESH:
        return mesh_meets(form->geometry, box);
    default:
        return heightfield_meets(form->geometry, box);
    }
}
