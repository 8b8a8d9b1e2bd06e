/* Placement: the shapes where they are during a substep, in trees that find those near a particle. Shapes
 * that stand still are placed once and stay until one of them is changed; those that move are placed anew
 * every substep. */
#ifndef MOTE_WORLD_PLACEMENT_H
#define MOTE_WORLD_PLACEMENT_H

#include "base/memory.h"
#include "base/pose.h"
#include "collide/form.h"
#include "collide/tree.h"

typedef struct mt_placed {
    mt_form form;
    mt_frame start, end;    /* of the substep */
    mt_box box;             /* what it sweeps during the whole step */
    mote_vec3 normal, move; /* of a plane: its normal and offset at the end, and what it moves in the substep */
    float offset;
    uint32_t material, channels;
    bool moving, trigger;
    bool turns; /* a plane: `move` is that of its origin alone */
} mt_placed;

/* What is asked of every shape near a particle, small and side by side: its box again, and who it is there
 * for. */
typedef struct mt_shape_reach {
    mt_box box;
    uint32_t channels; /* 0 for planes and triggers */
    uint32_t unused;
} mt_shape_reach;

/* Those in a tree, by their places in the world's table. */
typedef struct mt_shape_group {
    mt_tree tree;
    mt_array boxes;  /* mt_box, a member */
    mt_array shapes; /* uint32_t, a member */
    uint32_t count;
} mt_shape_group;

typedef struct mt_placement {
    mt_array placed;  /* mt_placed, a shape */
    mt_array reaches; /* mt_shape_reach, a shape */
    mt_array planes;  /* uint32_t: which are planes, and no triggers */
    uint32_t plane_count;
    mt_shape_group standing, moving; /* without planes */
    uint32_t trigger_planes;         /* planes that are triggers, in no group */
    uint64_t edits;                  /* of the world when the standing ones were placed */
    bool valid;
} mt_placement;

void mt_placement_init(mt_placement *p);
void mt_placement_free(mt_placement *p, mt_memory *memory);

/* At the start of a step of dt seconds; with dt 0: as the shapes are now. */
mote_result mt_placement_begin(mote_world *world, float dt);
/* At the start of substep `index`: start is where the last one ended. */
void mt_placement_advance(mote_world *world, float dt, uint32_t index);

/* How far a point is from a shape's surface as it is at the end, m, up to `most`; below 0 where it is not
 * free. */
float mt_placed_distance(const mt_placed *placed, mote_vec3 x, float most);

/* Whether a cube, its middle and half its width, may have to do with a shape. One that moves always may. */
bool mt_placed_reaches(const mt_placed *placed, mote_vec3 middle, float half);

/* The numbers of all shapes that a ball comes near, planes too, in rising order. `out` has room for every
 * shape. */
uint32_t mt_placement_around(const mote_world *world, mote_vec3 x, float reach, uint32_t *out);

/* Whether a ball touches a shape that moves during this step. */
bool mt_moving_shape_touches(const mote_world *world, mote_vec3 x, float reach);

static inline const mt_placed *mt_placed_shapes(const mt_placement *p)
{
    return p->placed.data;
}

/* The numbers of shapes whose boxes overlap a box, up to `most` of them, in an order that only the shapes
 * decide; answers how many there are. Planes are not among them. */
uint32_t mt_placement_find(const mt_placement *p, mt_box box, uint32_t *out, uint32_t most);

#endif
