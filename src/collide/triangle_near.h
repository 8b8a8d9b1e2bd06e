/* What a ball touches of a surface of triangles: the planes of the faces, edges and vertices near its middle.
 * An edge or a vertex touches only where it sticks out: where no triangle that has it is nearer. So nothing is
 * felt of the inner edges of a flat or hollow surface, however many triangles it is made of. */
#ifndef MOTE_COLLIDE_TRIANGLE_NEAR_H
#define MOTE_COLLIDE_TRIANGLE_NEAR_H

#include "collide/triangle.h"

#define MT_FAN_ROOM 6 /* triangles around a vertex of a grid */

/* How triangles hang together. Triangles and vertices have numbers. */
typedef struct mt_surface {
    const void *self;
    mt_triangle (*triangle)(const void *self, uint32_t number);
    /* The triangles around a vertex, in ascending order; written to `room` if they are not kept anywhere. */
    const uint32_t *(*fan)(const void *self, uint32_t vertex, uint32_t room[MT_FAN_ROOM], uint32_t *count);
} mt_surface;

typedef enum mt_near_sides {
    MT_NEAR_BOTH,  /* planes look to the side where the point is */
    MT_NEAR_FRONT, /* the point is in the open, where normals look to; faces seen from behind are not felt */
    MT_NEAR_BACK   /* the point is in the solid: faces only, and their planes look out */
} mt_near_sides;

typedef struct mt_candidate {
    mt_near plane;
    double distance;    /* m, 0 or more */
    mt_real3 way;       /* from the point to the surface */
    uint32_t feature;   /* mt_feature */
    uint32_t low, high; /* a face: its triangle, twice; else as in mt_closest */
} mt_candidate;

#define MT_MAX_CANDIDATES 24 /* the nearest, if there are more */
#define MT_MAX_WAITING    32

typedef struct mt_near_list {
    const mt_surface *surface;
    mote_vec3 x;
    float within;
    mt_box reach; /* the box around the ball */
    mt_near_sides sides;
    uint32_t count;
    mt_candidate candidates[MT_MAX_CANDIDATES]; /* nearest first, then by feature and number */
    /* Edges and vertices wait until the faces are known, which settle most of them. */
    uint32_t waiting_count;
    mt_closest waiting[MT_MAX_WAITING];
} mt_near_list;

void mt_near_begin(mt_near_list *list, const mt_surface *surface, mote_vec3 x, float within,
                   mt_near_sides sides);
/* Takes what the triangle has near the point; all triangles within reach must come. */
void mt_near_take(mt_near_list *list, uint32_t number, const mt_triangle *triangle);
/* Writes the planes, nearest first, and answers how many. */
uint32_t mt_near_end(mt_near_list *list, mt_near out[MT_MAX_NEAR]);

/* True if two planes hold a ball at x in the same way; `scale` is the size of the ball, m. */
bool mt_near_same(const mt_near *a, const mt_near *b, mote_vec3 x, float scale);

#endif
