/* A form of any kind behind one set of questions; see collide.h for what they mean. */
#ifndef MOTE_COLLIDE_FORM_H
#define MOTE_COLLIDE_FORM_H

#include "base/pose.h"
#include "collide/collide.h"

typedef enum mt_form_kind {
    MT_FORM_PLANE, /* free where y > 0 */
    MT_FORM_PRIMITIVE,
    MT_FORM_HULL,
    MT_FORM_MESH,
    MT_FORM_SDF,
    MT_FORM_HEIGHTFIELD,
} mt_form_kind;

typedef struct mt_form {
    mt_form_kind kind;
    bool inside;
    mt_primitive primitive;
    const void *geometry; /* an mt_hull, mt_mesh, mt_sdf or mt_heightfield */
} mt_form;

uint32_t mt_form_near(const mt_form *form, mote_vec3 x, float within, mt_near out[MT_MAX_NEAR]);
bool mt_form_cross(const mt_form *form, mote_vec3 from, mote_vec3 to, mt_crossing *crossing);
/* Up to `most`; a mesh's is not signed. */
float mt_form_distance(const mt_form *form, mote_vec3 x, float most);
/* Whether something in a box may be near what is not free; never no if it is. Costs less than to ask for
 * every point of it. */
bool mt_form_reaches(const mt_form *form, const mt_box *box);
/* Of all that can be touched: a height field's reaches down without end, a plane's is everywhere. */
mt_box mt_form_bounds(const mt_form *form);

/* The box, in the world, of a box in a frame. */
mt_box mt_box_in_world(const mt_box *box, const mt_frame *frame);

#endif
