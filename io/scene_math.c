#include "io/scene_math.h"

#include <math.h>

#define PI 3.14159265358979323846

float scene_ball_mass(float density, float radius)
{
    return (float)(4.0 / 3.0 * PI) * radius * radius * radius * density;
}

/* Cosine and sine by their series, after a reduction to an eighth of a turn around the nearest quarter. */
void scene_circle(double turns, double *x, double *y)
{
    turns -= floor(turns);
    int quarter = (int)(turns * 4.0 + 0.5);
    double angle = 2.0 * PI * (turns - quarter * 0.25), square = angle * angle;
    double cosine = 0.0, sine = 0.0;
    for (int i = 16; i > 0; i -= 2) {
        cosine = square / (i * (i - 1)) * (1.0 - cosine);
        sine = square / ((i + 1) * i) * (1.0 - sine);
    }
    cosine = 1.0 - cosine;
    sine = angle * (1.0 - sine);
    const double cosines[4] = {cosine, -sine, -cosine, sine}, sines[4] = {sine, cosine, -sine, -cosine};
    *x = cosines[quarter & 3];
    *y = sines[quarter & 3];
}

/* SplitMix64 (Steele, Lea and Flood, 2014). */
double scene_random_next(scene_random *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Starts that lie close together give streams that do not: the state is a hash of both numbers. */
scene_random scene_random_of(uint32_t seed, uint64_t index)
{
    const uint64_t words[2] = {seed, index};
    return (scene_random){scene_hash_bytes(SCENE_HASH_START, words, sizeof words)};
}

uint64_t scene_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    return hash;
}

double scene_length(mote_vec3 v)
{
    return sqrt(scene_dot(v, v));
}

double scene_dot(mote_vec3 a, mote_vec3 b)
{
    return (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z;
}

mote_quat scene_turn(mote_vec3 axis, double degrees)
{
    double cosine, sine;
    scene_circle(degrees / 720.0, &cosine, &sine);
    sine /= scene_length(axis);
    return (mote_quat){(float)(axis.x * sine), (float)(axis.y * sine), (float)(axis.z * sine), (float)cosine};
}

/* v + 2 w (u x v) + 2 u x (u x v) for the unit quaternion (u, w). */
mote_vec3 scene_rotate(mote_quat q, mote_vec3 v)
{
    double length = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
    double x = q.x / length, y = q.y / length, z = q.z / length, w = q.w / length;
    double ax = y * v.z - z * v.y, ay = z * v.x - x * v.z, az = x * v.y - y * v.x;
    return (mote_vec3){(float)(v.x + 2.0 * (w * ax + y * az - z * ay)),
                       (float)(v.y + 2.0 * (w * ay + z * ax - x * az)),
                       (float)(v.z + 2.0 * (w * az + x * ay - y * ax))};
}

mote_quat scene_unit(mote_quat q)
{
    double length = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
    return (mote_quat){(float)(q.x / length), (float)(q.y / length), (float)(q.z / length),
                       (float)(q.w / length)};
}

mote_quat scene_multiply(mote_quat second, mote_quat first)
{
    double ax = second.x, ay = second.y, az = second.z, aw = second.w;
    double bx = first.x, by = first.y, bz = first.z, bw = first.w;
    return scene_unit((mote_quat){
        (float)(aw * bx + ax * bw + ay * bz - az * by), (float)(aw * by - ax * bz + ay * bw + az * bx),
        (float)(aw * bz + ax * by - ay * bx + az * bw), (float)(aw * bw - ax * bx - ay * by - az * bz)});
}

mote_pose scene_pose_in(mote_pose outer, mote_pose inner)
{
    mote_vec3 way = scene_rotate(outer.rotation, inner.position);
    return (mote_pose){{outer.position.x + way.x, outer.position.y + way.y, outer.position.z + way.z},
                       scene_multiply(outer.rotation, inner.rotation)};
}

mote_pose scene_pose_inverse(mote_pose pose)
{
    mote_quat back = {-pose.rotation.x, -pose.rotation.y, -pose.rotation.z, pose.rotation.w};
    mote_vec3 way = scene_rotate(back, pose.position);
    return (mote_pose){{-way.x, -way.y, -way.z}, scene_unit(back)};
}

typedef struct quat64 {
    double x, y, z, w;
} quat64;

static quat64 unit(quat64 q)
{
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (quat64){q.x / length, q.y / length, q.z / length, q.w / length};
}

/* By halving: the rotation half way between two is their sum made a unit, and the part is found between them
 * to the last bit of a float in 30 halvings. Sines would differ between C libraries. */
mote_quat scene_slerp(mote_quat a, mote_quat b, double part)
{
    quat64 from = unit((quat64){a.x, a.y, a.z, a.w}), to = unit((quat64){b.x, b.y, b.z, b.w});
    if (from.x * to.x + from.y * to.y + from.z * to.z + from.w * to.w < 0.0)
        to = (quat64){-to.x, -to.y, -to.z, -to.w};
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 30; i++) {
        quat64 middle = unit((quat64){from.x + to.x, from.y + to.y, from.z + to.z, from.w + to.w});
        double half = 0.5 * (low + high);
        if (part < half) {
            to = middle;
            high = half;
        } else {
            from = middle;
            low = half;
        }
    }
    return (mote_quat){(float)from.x, (float)from.y, (float)from.z, (float)from.w};
}
