#include "world/pose_chain.h"

#include "base/error.h"
#include "world/check.h"
#include "world/world.h"

#include <stdio.h>

#define STRAIGHT 1e-4 /* rad: a turn that is too small to have a middle */

/* How far apart two unit quaternions are on their sphere, 0..pi/2 if b is the nearer of the two signs. By the
 * chord and its middle: the arc cosine would lose half of the digits where they are near. */
static double arc_between(mote_quat a, mote_quat b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z,
           w = (double)a.w - (double)b.w;
    double chord = sqrt(x * x + y * y + z * z + w * w);
    x = (double)a.x + (double)b.x, y = (double)a.y + (double)b.y, z = (double)a.z + (double)b.z,
    w = (double)a.w + (double)b.w;
    double middle = sqrt(x * x + y * y + z * z + w * w), size = sqrt(chord * chord + middle * middle);
    return 2.0 * mt_angle_of(chord / size, middle / size);
}

static mote_quat blend_quats(mote_quat a, mote_quat b, double part)
{
    double dot = (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z +
                 (double)a.w * (double)b.w;
    if (dot < 0)
        b = (mote_quat){-b.x, -b.y, -b.z, -b.w};
    double arc = arc_between(a, b), of_a = 1.0 - part, of_b = part, cosine;
    if (arc > STRAIGHT) {
        double whole;
        mt_sin_cos(arc, &whole, &cosine);
        mt_sin_cos((1.0 - part) * arc, &of_a, &cosine);
        mt_sin_cos(part * arc, &of_b, &cosine);
        of_a /= whole;
        of_b /= whole;
    }
    mote_quat mixed = {
        (float)(of_a * (double)a.x + of_b * (double)b.x), (float)(of_a * (double)a.y + of_b * (double)b.y),
        (float)(of_a * (double)a.z + of_b * (double)b.z), (float)(of_a * (double)a.w + of_b * (double)b.w)};
    return mt_quat_unit(mixed);
}

mt_pose mt_pose_blend(mt_pose a, mt_pose b, float part)
{
    mote_vec3 position = mt_add(mt_scale(a.position, 1.0f - part), mt_scale(b.position, part));
    return (mt_pose){position, blend_quats(a.rotation, b.rotation, (double)part)};
}

/* Names are made only for a pose that is bad: most are good, and there are many. */
static mote_result describe_bad_pose(const char *what, size_t index, const char *field, mote_pose given)
{
    char place[32] = "", name[96];
    if (index != MT_NO_INDEX)
        snprintf(place, sizeof place, "[%zu]", index);
    snprintf(name, sizeof name, "%s%s%s.position", what, place, field);
    MT_TRY(mt_check_vec3(name, given.position, MT_MAX_COORDINATE));
    snprintf(name, sizeof name, "%s%s%s.rotation", what, place, field);
    const float q[4] = {given.rotation.x, given.rotation.y, given.rotation.z, given.rotation.w};
    for (int i = 0; i < 4; i++)
        MT_TRY(mt_check_range(name, q[i], -1e6f, 1e6f));
    return mt_fail(MOTE_ERROR_ARGUMENT, "%s has no length", name);
}

static bool is_near(float a, float limit)
{
    return fabsf(a) <= limit;
}

mote_result mt_check_pose(const char *what, size_t index, const char *field, mote_pose given, mt_pose *pose)
{
    mote_vec3 p = given.position;
    mote_quat q = given.rotation;
    bool good = is_near(p.x, MT_MAX_COORDINATE) && is_near(p.y, MT_MAX_COORDINATE) &&
                is_near(p.z, MT_MAX_COORDINATE) && is_near(q.x, 1e6f) && is_near(q.y, 1e6f) &&
                is_near(q.z, 1e6f) && is_near(q.w, 1e6f) && mt_quat_square(q) >= 1e-12f;
    if (!good)
        return describe_bad_pose(what, index, field, given);
    if (pose != NULL)
        *pose = (mt_pose){p, mt_quat_unit(q)};
    return MOTE_OK;
}
