#include "collide/form.h"

#define ENDLESS 1e9f /* m */

/* ---- a plane in its own coordinates -------------------------------------------------------------------- */

static uint32_t plane_near(mote_vec3 x, float within, mt_near *out)
{
    *out = (mt_near){{0.0f, 1.0f, 0.0f}, 0.0f};
    return x.y <= within;
}

static bool plane_cross(mote_vec3 from, mote_vec3 to, mt_crossing *crossing)
{
    if (from.y < 0 || to.y >= 0)
        return false;
    *crossing = (mt_crossing){from.y / (from.y - to.y), {0.0f, 1.0f, 0.0f}};
    return true;
}

/* ---- the questions ------------------------------------------------------------------------------------- */

uint32_t mt_form_near(const mt_form *form, mote_vec3 x, float within, mt_near out[MT_MAX_NEAR])
{
    switch (form->kind) {
    case MT_FORM_PLANE:
        return plane_near(x, within, out);
    case MT_FORM_PRIMITIVE:
        return mt_primitive_near(&form->primitive, form->inside, x, within, out);
    case MT_FORM_HULL:
        return mt_hull_near(form->geometry, form->inside, x, within, out);
    case MT_FORM_MESH:
        return mt_mesh_near(form->geometry, x, within, out);
    case MT_FORM_SDF:
        return mt_sdf_near(form->geometry, form->inside, x, within, out);
    default:
        return mt_heightfield_near(form->geometry, x, within, out);
    }
}

bool mt_form_cross(const mt_form *form, mote_vec3 from, mote_vec3 to, mt_crossing *crossing)
{
    switch (form->kind) {
    case MT_FORM_PLANE:
        return plane_cross(from, to, crossing);
    case MT_FORM_PRIMITIVE:
        return mt_primitive_cross(&form->primitive, form->inside, from, to, crossing);
    case MT_FORM_HULL:
        return mt_hull_cross(form->geometry, form->inside, from, to, crossing);
    case MT_FORM_MESH:
        return mt_mesh_cross(form->geometry, from, to, crossing);
    case MT_FORM_SDF:
        return mt_sdf_cross(form->geometry, form->inside, from, to, crossing);
    default:
        return mt_heightfield_cross(form->geometry, from, to, crossing);
    }
}

float mt_form_distance(const mt_form *form, mote_vec3 x, float most)
{
    switch (form->kind) {
    case MT_FORM_PLANE:
        return fminf(x.y, most);
    case MT_FORM_PRIMITIVE:
        return fminf(mt_primitive_distance(&form->primitive, form->inside, x), most);
    case MT_FORM_HULL:
        return fminf(mt_hull_distance(form->geometry, form->inside, x), most);
    case MT_FORM_MESH:
        return mt_mesh_distance(form->geometry, x, most);
    case MT_FORM_SDF:
        return fminf(mt_sdf_distance(form->geometry, form->inside, x), most);
    default:
        return mt_heightfield_distance(form->geometry, x, most);
    }
}

bool mt_form_reaches(const mt_form *form, const mt_box *box)
{
    if (form->kind == MT_FORM_MESH)
        return mt_mesh_reaches(form->geometry, box);
    if (form->kind == MT_FORM_SDF)
        return mt_sdf_reaches(form->geometry, form->inside, box);
    if (form->kind == MT_FORM_HEIGHTFIELD)
        return mt_heightfield_reaches(form->geometry, box);
    mote_vec3 middle = mt_scale(mt_add(box->min, box->max), 0.5f);
    float half = 0.5001f * mt_length(mt_sub(box->max, box->min));
    return mt_form_distance(form, middle, 2.0f * half) <= half;
}

mt_box mt_form_bounds(const mt_form *form)
{
    mt_box box;
    switch (form->kind) {
    case MT_FORM_PLANE:
        return (mt_box){{-ENDLESS, -ENDLESS, -ENDLESS}, {ENDLESS, ENDLESS, ENDLESS}};
    case MT_FORM_PRIMITIVE:
        return mt_primitive_bounds(&form->primitive);
    case MT_FORM_HULL:
        return mt_hull_bounds(form->geometry);
    case MT_FORM_MESH:
        return mt_mesh_bounds(form->geometry);
    case MT_FORM_SDF:
        return mt_sdf_bounds(form->geometry);
    default:
        box = mt_heightfield_bounds(form->geometry);
        box.min.y = -ENDLESS;
        return box;
    }
}

mt_box mt_box_in_world(const mt_box *box, const mt_frame *frame)
{
    mote_vec3 center = mt_scale(mt_add(box->min, box->max), 0.5f);
    mote_vec3 half = mt_scale(mt_sub(box->max, box->min), 0.5f);
    mote_vec3 reach = {
        fabsf(frame->x.x) * half.x + fabsf(frame->y.x) * half.y + fabsf(frame->z.x) * half.z,
        fabsf(frame->x.y) * half.x + fabsf(frame->y.y) * half.y + fabsf(frame->z.y) * half.z,
        fabsf(frame->x.z) * half.x + fabsf(frame->y.z) * half.y + fabsf(frame->z.z) * half.z,
    };
    center = mt_to_world(frame, center);
    /* A little more than that, for what rounding takes away. */
    float rounding =
        1e-6f * (fabsf(center.x) + fabsf(center.y) + fabsf(center.z) + reach.x + reach.y + reach.z);
    return mt_box_grow((mt_box){mt_sub(center, reach), mt_add(center, reach)}, rounding);
}
