/* Bullet's rigid-body world, filled with spheres and planes, behind a C interface. Single precision, one
 * thread, its own default solver with ten iterations; nothing falls asleep, as nothing does in Mote. */
#ifndef MOTE_BENCH_BULLET_PEER_H
#define MOTE_BENCH_BULLET_PEER_H

#include "mote/mote.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bullet_peer bullet_peer;

typedef struct bullet_sphere {
    mote_vec3 position, velocity; /* m, m/s */
    float radius, mass;           /* m, kg; mass 0: fixed */
    float friction;
} bullet_sphere;

typedef struct bullet_plane {
    mote_vec3 normal; /* unit */
    float offset;     /* m */
    float friction;
} bullet_plane;

/* NULL when there is no memory. */
bullet_peer *bullet_peer_create(const bullet_sphere *spheres, size_t sphere_count, const bullet_plane *planes,
                                size_t plane_count, mote_vec3 gravity);
void bullet_peer_destroy(bullet_peer *peer);

/* One step of exactly dt seconds. */
void bullet_peer_step(bullet_peer *peer, float dt);

/* Solver iterations a step. */
int bullet_peer_iterations(bullet_peer *peer);

/* Where the spheres are now, (x, y, z, radius) each, in the order in which they were given. */
void bullet_peer_read(const bullet_peer *peer, mote_vec4 *spheres);

#ifdef __cplusplus
}
#endif

#endif
