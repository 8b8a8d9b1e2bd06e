/* Whether a box overlaps a form. The box comes along the axes of the world; in the form's own coordinates it is
 * a turned one. */
#ifndef MOTE_QUERY_TURNED_BOX_H
#define MOTE_QUERY_TURNED_BOX_H

#include "collide/form.h"
#include "collide/triangle.h"

typedef struct mt_turned_box {
    mt_real3 center;
    mt_real3 half[3]; /* from the centre to the middles of three faces, at right angles */
} mt_turned_box;

/* A box of the world in the coordinates of a frame. */
mt_turned_box mt_turned_box_of(const mt_box *box, const mt_frame *frame);

/* The box along the axes around it. */
mt_box mt_turned_box_bounds(const mt_turned_box *box);

/* Whether the convex hull of some points, rounded by `radius`, overlaps the box. Right to rounding; where it is
 * not certain the answer is yes. */
bool mt_convex_meets_box(const mote_vec3 *points, size_t count, double radius, const mt_turned_box *box);

/* Whether what is solid of a form overlaps the box; for a mesh: its surface. Right to rounding, but for
 * distance fields, where the answer may be yes though the box is a part of a cell away. Not for planes. */
bool mt_form_meets_box(const mt_form *form, const mt_turned_box *box);

#endif
