/* How far points are from the true surfaces of bodies. surface_lanes.h does the same for eight points, operation
 * by operation: whoever changes the one changes the other. */
#include "collide/surface.h"

static mote_vec3 core_of(const mt_surface *s)
{
    bool is_box = s->type == MT_SURFACE_BOX, has_line = is_box || s->type == MT_SURFACE_CAPSULE;
    return (mote_vec3){is_box ? s->size[0] : 0.0f, has_line ? s->size[1] : 0.0f, is_box ? s->size[2] : 0.0f};
}

static float coat_of(const mt_surface *s)
{
    return s->type == MT_SURFACE_SPHERE || s->type == MT_SURFACE_CAPSULE ? s->size[0] : 0.0f;
}

/* How far a coordinate is beyond the core's. */
static float beyond(float x, float half)
{
    return (x < 0 ? -x : x) - half;
}

/* The same as a way, which is none within. */
static float way_out(float x, float over)
{
    float out = over > 0 ? over : 0.0f;
    return x < 0 ? -out : out;
}

/* To the side of the core that is nearest to a point within. */
static float side_distance(mote_vec3 point, mote_vec3 over, mote_vec3 *normal)
{
    float nearest = over.x;
    *normal = (mote_vec3){point.x < 0 ? -1.0f : 1.0f, 0.0f, 0.0f};
    if (over.y > nearest) {
        nearest = over.y;
        *normal = (mote_vec3){0.0f, point.y < 0 ? -1.0f : 1.0f, 0.0f};
    }
    if (over.z > nearest) {
        nearest = over.z;
        *normal = (mote_vec3){0.0f, 0.0f, point.z < 0 ? -1.0f : 1.0f};
    }
    return nearest;
}

float mt_surface_distance(const mt_surface *surface, mote_vec3 point, mote_vec3 *normal)
{
    mote_vec3 core = core_of(surface);
    mote_vec3 over = {beyond(point.x, core.x), beyond(point.y, core.y), beyond(point.z, core.z)};
    mote_vec3 way = {way_out(point.x, over.x), way_out(point.y, over.y), way_out(point.z, over.z)};
    float distance = mt_length(way);
    if (distance > MT_SURFACE_TINY) /* divided, not scaled: across a side it is along an axis to the last bit */
        *normal = (mote_vec3){way.x / distance, way.y / distance, way.z / distance};
    else
        distance = side_distance(point, over, normal);
    return surface->type == MT_SURFACE_NONE ? MT_SURFACE_FAR : distance - coat_of(surface);
}
