/* One substep: what its passes work on, by who owns it, and the small passes around the kernels. */
#ifndef MOTE_STEP_SUBSTEP_H
#define MOTE_STEP_SUBSTEP_H

#include "step/bodies/bodies.h"
#include "step/contacts/shape_planes.h"
#include "step/fluid/fluid.h"
#include "step/impulse/contact_rows.h"
#include "step/neighbors/lists.h"
#include "world/world.h"

#include <stdatomic.h>

/* Where in the step it is. */
typedef struct mt_substep_time {
    float dt;    /* how long the step is, s */
    float part;  /* of the step that is over at the end of the substep */
    float left;  /* of the step after this substep, s */
    float share; /* one over the number of substeps */
    bool opens_step, closes_step;
} mt_substep_time;

/* What acts on everything. */
typedef struct mt_substep_forces {
    mote_vec3 gravity; /* of the kick that predict gives, m/s^2: 0 if it comes later */
    mote_vec3 pull;    /* gravity, also where it is given as a field, m/s^2 */
    mote_vec3 up;      /* against gravity */
    float kick;        /* s: how long predict's kick lasts */
    float keep;        /* part of the velocity that damping leaves: 1 if it comes later */
    mote_vec3 fall;    /* what gravity adds to velocities before the drift, m/s, and */
    float damped;      /* the part of them that damping leaves: of bodies, also where there are fields */
} mt_substep_forces;

typedef struct mt_substep_limits {
    float contact_margin;        /* in sums of radii: who is so near may touch in this substep */
    float max_speed, max_change; /* of a velocity, m/s */
    float most_push;             /* m/s: with which overlaps come apart and joints close, at most */
    float bounce_speed;          /* m/s: slower contacts do not bounce */
    float closed;                /* m: a gap that a joint may have */
} mt_substep_limits;

/* The particles, by slot. */
typedef struct mt_substep_particles {
    const mote_vec4 *source;   /* velocity before gravity's kick */
    const mote_vec4 *velocity; /* at the start; w: inverse mass */
    const float *rest_time;    /* s */
    const uint32_t *phase, *material;
    const mt_material *materials;
    /* sqrt of static friction (below 0: a liquid), of kinetic friction, 0, sqrt of adhesion */
    mote_vec4 *surface;
    const mote_vec4 *origin;  /* where they were at the start, before stabilising */
    mote_vec4 *position;      /* x at the start, stabilised; w: radius */
    mote_vec4 *position_out;  /* what stabilise makes of it */
    mote_vec4 *transport;     /* the velocity that carries x to x*; w: inverse mass, 0 asleep */
    mote_vec4 *predicted;     /* x*; w: the radius */
    mote_vec4 *predicted_out; /* what an iteration makes of it */
    mote_vec4 *settled;       /* velocity after the solve */
} mt_substep_particles;

/* The lists of neighbours, and whether they still reach far enough. */
typedef struct mt_substep_lists {
    const mt_lists *made;
    const mt_list_plan *plan;  /* that they were made for */
    const mote_vec4 *built_at; /* where particles were then */
    const mote_vec4 *asked;    /* the places that they are to hold for */
    const mote_vec4 *flow;     /* where the lists follow a flow: as mt_flow.drift; else NULL */
    mote_vec3 drift;           /* what all moved since the lists were made, m */
    float age;                 /* of the lists then, s */
    uint8_t *asks;             /* a slice: 0: nobody in it has left the slack of its list, */
    uint8_t *left;             /* bits of who has */
} mt_substep_lists;

/* Shapes, and the contacts of particles with them. */
typedef struct mt_substep_shapes {
    const mt_placement *placement;
    const mt_placed *placed;       /* a shape */
    const mt_shape_reach *reaches; /* a shape */
    uint32_t count;
    const uint32_t *planes; /* which shapes are planes */
    uint32_t plane_count;
    bool solids;           /* there are other shapes than planes */
    bool move;             /* some do */
    mt_shape_cache *cache; /* a slice */
    uint32_t *candidates;
    uint32_t candidate_capacity;
    _Atomic uint32_t *candidates_used;
    mt_shape_row *rows;
    uint32_t row_capacity;
    _Atomic uint32_t *rows_used;
    uint32_t *start, *length; /* a slice: its first row, and how many */
} mt_substep_shapes;

/* What keeps particles from passing through shapes. */
typedef struct mt_substep_guard {
    _Atomic bool *looked; /* it has looked at a particle */
    bool again; /* its second pass: only for those that the first looked at, or that were moved since */
    const mt_sunk *sunk; /* a body; NULL: not known in this substep. Who is on the way out of a shape is not */
    const uint32_t *mover_of; /* kept from passing it; a slot: see mt_impulses */
    mote_vec4 *cubes;         /* where each particle's shapes were looked for: the middle, and half the width */
    mote_vec4 *watch;         /* where shapes were looked for; w: how far the nearest is, -1: in the way */
} mt_substep_guard;

typedef struct mt_substep_bodies {
    struct mt_body_plan *plan;
    const mt_body *table;
    const mt_joint *joints;
    /* A slice: not 0: a row of a body that flies. Passes that move every particle for itself leave it out where
     * its body's passes write all of it anyway. NULL: no bodies. */
    const uint8_t *flying;
    _Atomic bool *out_of_space; /* one of these is */
    /* Velocities of particles in bodies are asked and made in every substep: something may change them in between.
     * Else they are asked where a step begins and made where it ends, but for those near liquids (mt_assembly.near). */
    bool follow_particles;
} mt_substep_bodies;

typedef struct mt_substep_liquids {
    mt_fluid fluid;
    mt_tensile tensile;
    /* Of each particle, if there are fluids: its share of the density, inverse mass (0 asleep), 1 and the root
     * of its tensile correction if it is of a fluid, 1 / how far it is felt. */
    const mote_vec4 *wet;
    const uint8_t *has_liquid;  /* of each slice: not 0: some of it are liquid. NULL: none are anywhere */
    uint8_t *near_liquid;       /* of each slice: not 0: liquids may reach it, see fluid/near.h */
    mote_vec4 *dense;           /* where the pressures of an iteration were found; w: their change, kg m^2 */
    float first;                /* 1 in the first iteration, else 0 */
    float *pressure;            /* times volume and h^2, kg m^2 */
    float *remembered_pressure; /* of the substep before, times volume, J: see mt_pressures */
    /* How far liquids have moved each particle in this substep, m. It becomes velocity; what is read off
     * from places would be rounded as they are. */
    mote_vec4 *shift;
    float *excess;           /* what there is too much of density, in rest densities */
    const mote_vec4 *moving; /* velocities that density follows, m/s */
    mote_vec4 *now;          /* room for those of later iterations */
    bool guesses;            /* the long waves are asked: see fluid/coarse.h */
    float *wanted, *spring,
        *guess;        /* changes of pressure: a particle's own, what does not last, of the long waves */
    mote_vec4 *lean;   /* twice the sum of v grad w and the walls', 1/m; w: the residual */
    bool lifts;        /* places are moved as well: see fluid.h */
    float *lift;       /* what moves places alone, as a pressure */
    mote_vec4 *lifted; /* by how much, m */
} mt_substep_liquids;

typedef struct mt_substep {
    float h, inverse_h;            /* how long it is, s */
    uint32_t count, slices, dummy; /* particles; slices of them; the slot that padded lists point at */
    mt_substep_time time;
    mt_substep_forces forces;
    mt_substep_limits limits;
    mt_substep_particles particles;
    mt_substep_lists lists;
    mt_substep_shapes shapes;
    mt_substep_guard guard;
    mt_substep_bodies bodies;
    mt_substep_liquids liquids;
    uint32_t *block_bad; /* a block: its first bad slot, or UINT32_MAX */
} mt_substep;

/* Numbers of substep `index` of a step of dt seconds. */
mt_substep mt_substep_make(mote_world *world, float dt, uint32_t index);

/* Points the substep at the arrays as they are now: at its start, and after a reorder. */
void mt_substep_attach(mote_world *world, mt_substep *s);
/* Again after the rows of neighbours, or of contacts with shapes, have grown. */
void mt_substep_attach_rows(mote_world *world, mt_substep *s);
/* Where stabilising starts from, to be changed in place; the original stays. */
void mt_substep_copy_position(mote_world *world, mt_substep *s);
/* What stabilise wrote becomes the position at the start. */
void mt_substep_advance_position(mote_world *world, mt_substep *s);

/* Marks the first that bodies_finish found to be out of space. */
void mt_mark_out_of_space(const mt_substep *s);

/* The first slot that a kernel marked in block_bad, or UINT32_MAX. */
uint32_t mt_first_marked(const mt_substep *s);

/* Fails if a kernel marked a particle as bad, and names the first one. */
mote_result mt_report_bad(mote_world *world, const mt_substep *s, const char *doing);

/* contacts/surfaces.c: what each particle's material says of its surface. */
void mt_fill_surfaces(mote_world *world, mt_substep *s);

/* predict/kicks.c: all forces before the prediction, where the kernel's gravity is not enough; what the
 * integrator leaves for the end of the substep. */
void mt_apply_fields(mote_world *world, mt_substep *s);
void mt_apply_late_kick(mote_world *world, mt_substep *s);

/* finish/shape_forces.c: adds up what contacts gave the shapes since the last call. After the step forces are made of
 * it, and the shapes moved on. `then` is run over all slices, each block after its sum; NULL: nothing is. */
void mt_sum_shape_pushes(mote_world *world, mt_substep *s, mt_range_task *then);
void mt_shapes_commit(mote_world *world, float dt);

#endif
