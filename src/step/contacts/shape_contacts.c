#include "step/contacts/shape_contacts.h"

#define SAME_PLANE 0.999f /* cosine */

mote_vec3 mt_stop_before(mote_vec3 from, mote_vec3 to, const mt_crossing *crossing, float radius)
{
    mote_vec3 way = mt_sub(to, from);
    float speed = -mt_dot(way, crossing->normal); /* towards the surface, m a substep */
    float distance = speed * crossing->part;      /* of the start from the plane that is crossed */
    float keep = fminf(distance, radius);
    float part = speed > 0 ? fmaxf((distance - keep) / speed, 0.0f) : 0.0f;
    return mt_add(from, mt_scale(way, fminf(part, crossing->part)));
}

static float nearest_of(const mt_near *near, uint32_t count, mote_vec3 x, float otherwise)
{
    for (uint32_t i = 0; i < count; i++)
        otherwise = fminf(otherwise, mt_dot(near[i].normal, x) - near[i].offset);
    return otherwise;
}

/* The plane that was crossed belongs to the contacts even where the way was so flat that no surface is near
 * its end. */
static uint32_t with_crossed(mt_near near[MT_MAX_NEAR], uint32_t count, mote_vec3 hit, mote_vec3 normal)
{
    for (uint32_t i = 0; i < count; i++)
        if (mt_dot(near[i].normal, normal) > SAME_PLANE)
            return count;
    uint32_t place = count < MT_MAX_NEAR ? count++ : MT_MAX_NEAR - 1;
    near[place] = (mt_near){normal, mt_dot(normal, hit)};
    return count;
}

static mt_plane_contact in_world(const mt_placed *placed, const mt_ball *ball, mote_vec3 from, mote_vec3 x,
                                 const mt_near *near)
{
    mt_plane_contact contact = {.normal = mt_turn(&placed->end, near->normal)};
    contact.offset = near->offset + mt_dot(contact.normal, placed->end.position);
    if (placed->moving) {
        float distance = mt_dot(near->normal, x) - near->offset;
        mote_vec3 place = mt_sub(x, mt_scale(near->normal, distance));
        contact.move = mt_sub(mt_to_world(&placed->end, place), mt_to_world(&placed->start, place));
    }
    mote_vec3 travel = mt_sub(x, from);
    float most = MT_STABLE_TRAVEL * ball->radius;
    bool slow = mt_dot(travel, travel) < most * most;
    float at_start = mt_dot(near->normal, from) - near->offset;
    contact.start_offset = slow ? mt_dot(contact.normal, ball->from) - at_start : -MT_FAR;
    return contact;
}

uint32_t mt_touch_shape(const mt_placed *placed, uint32_t shape, const mt_ball *ball, float *clear,
                        mt_plane_contact out[MT_MAX_NEAR])
{
    mt_near near[MT_MAX_NEAR];
    mote_vec3 from = mt_to_local(&placed->start, ball->from), x = mt_to_local(&placed->end, ball->to);
    uint32_t count = mt_form_near(&placed->form, x, ball->within, near);
    float nearest = nearest_of(near, count, x, ball->within);
    mote_vec3 travel = mt_sub(x, from);
    mt_crossing crossing;
    bool hit = false;
    /* What is crossed on the way is no further from its end than the way is long. */
    bool may_cross = !(nearest > 0 && mt_dot(travel, travel) < nearest * nearest);
    if (may_cross && mt_form_cross(&placed->form, from, x, &crossing)) {
        hit = true;
        mote_vec3 place = mt_add(from, mt_scale(travel, crossing.part));
        x = mt_stop_before(from, x, &crossing, ball->radius);
        count = mt_form_near(&placed->form, x, ball->within, near);
        count = with_crossed(near, count, place, crossing.normal);
        nearest = -1.0f;
    }
    *clear = fminf(*clear, nearest);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = in_world(placed, ball, from, x, &near[i]);
        out[i].shape = shape;
        out[i].hit = hit && mt_dot(near[i].normal, crossing.normal) > SAME_PLANE;
    }
    return count;
}
