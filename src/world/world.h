/* The inside of a world: what lives between steps. What only a step needs is in step/scratch.h. */
#ifndef MOTE_WORLD_WORLD_H
#define MOTE_WORLD_WORLD_H

#include "base/handles.h"
#include "base/memory.h"
#include "base/pose.h"
#include "base/threads.h"
#include "collide/collide.h"
#include "collide/surface.h"
#include "mote/mote.h"
#include "world/attributes.h"
#include "world/constraints.h"
#include "world/impulses.h"
#include "world/placement.h"
#include "world/tables.h"

/* ---- particles -----------------------------------------------------------------------------------------
 * Arrays in slot order, one for each row of attributes.h. Slots are padded to whole slices of eight plus one slice of dummies, far away and of
 * radius 0, so that a kernel may always load eight and a padded list may point at something harmless. */

#define MT_SLICE          8u
#define MT_MAX_COORDINATE 1e6f  /* m */
#define MT_MAX_VELOCITY   1e4f  /* m/s */
#define MT_ASLEEP         -1.0f /* the rest time of a sleeping particle */
#define MT_BALL_INERTIA   0.4f  /* of a particle that rolls: this times m r^2 */

typedef struct mt_particles {
    uint32_t count;
    mt_particle_arrays now;   /* what the world is */
    mt_particle_arrays other; /* where a reorder writes; during a step: what the world was before it */
    mt_handles handles;       /* index -> slot */
} mt_particles;

/* ---- the small tables ---------------------------------------------------------------------------------- */

#define MT_MAX_MATERIALS  256
#define MT_MAX_SHAPES     65536
#define MT_MAX_FIELDS     1024
#define MT_MAX_VOLUMES    1024
#define MT_MAX_EMITTERS   1024
#define MT_MAX_PICKS      1024
#define MT_MAX_GEOMETRIES 65536
#define MT_MAX_BODIES     1048576
#define MT_MAX_JOINTS     1048576
#define MT_MAX_SKELETONS  65536
#define MT_NAME_SIZE      32

typedef struct mt_material {
    char name[MT_NAME_SIZE];
    float density, static_friction, kinetic_friction, restitution, adhesion, compliance;
    float viscosity, xsph, vorticity, surface_tension, tensile_correction; /* of fluids */
    uint32_t fluid, rolls, report_contacts, color;
} mt_material;

/* What shapes of one kind share. The form is an mt_hull, mt_mesh, mt_sdf or mt_heightfield. */
typedef struct mt_geometry {
    mote_geometry_id id;
    uint32_t type;  /* mote_geometry_type */
    uint32_t users; /* shapes */
    uint64_t hash;  /* of what it was made of */
    void *form;
} mt_geometry;

/* Members of four bytes only, so that there is no padding: snapshots and hashes take the bytes as they are. */
typedef struct mt_shape {
    mote_shape_id id;
    mt_primitive form;         /* its type, and the numbers of the closed forms */
    mote_geometry_id geometry; /* null for the closed forms */
    mote_vec3 normal;          /* of a plane */
    float offset;
    mt_pose pose;
    mt_pose target; /* where it is to be after the next step, if it has one */
    uint32_t has_target;
    uint32_t kinematic; /* it has been moved at least once, so it is looked for among those that move */
    mote_vec3 velocity, spin;
    uint32_t inside, trigger;
    uint32_t material, channels;
    mote_vec3 force; /* of the last step, N */
} mt_shape;

typedef struct mt_pick {
    mote_pick_id id;
    mote_pick_def def;
    mote_vec3 force; /* of the last step, N */
} mt_pick;

typedef struct mt_field {
    mote_field_id id;
    mote_field_def def;
} mt_field;

typedef struct mt_volume {
    mote_volume_id id;
    mote_volume_def def;
} mt_volume;

typedef struct mt_emitter {
    mote_emitter_id id;
    mote_emitter_def def;
    float gone;                   /* m that the next layer is behind the opening */
    uint32_t first, start, count; /* its ring in `emitted`, the oldest in the ring, how many */
    uint32_t guided;              /* whole layers at the end of the ring that are still in the opening */
    uint32_t step;                /* the world's count of steps when it last ran, its lower bits */
} mt_emitter;

/* ---- bodies, joints, skeletons ---------------------------------------------------------------------------
 * As with shapes: members of four bytes only, so that snapshots and hashes take the bytes as they are. */

/* A particle in a body. Links are grouped by body, in the order of the bodies' table. */
typedef struct mt_link {
    mote_particle_id particle;
    mote_vec3 rest; /* in the body's own coordinates, m */
    float mass;     /* the body's part of the particle's mass, kg */
} mt_link;

typedef struct mt_body {
    mote_body_id id;
    uint32_t first_link, link_count;
    uint32_t mode;      /* mote_body_mode */
    mt_pose pose;       /* position: of the centre of mass; rotation: of its own directions */
    mote_vec3 center;   /* of mass, in its own coordinates: a point p is at position + rotation (p - center) */
    float inverse_mass; /* 1/kg, also of a driven body */
    float inverse_inertia[6]; /* xx, yy, zz, xy, xz, yz about the centre in its own directions, 1/(kg m^2) */
    mt_pose target;           /* where a driven body's centre is to be after the next step, if it has one */
    uint32_t has_target;
    /* Driven: with which it goes on by itself. Dynamic: the velocity that the last step gave its particles, and
     * their angular momentum, kg m^2/s; what they have beside that, someone gave them since. */
    mote_vec3 velocity, spin;
    uint32_t is_bone; /* of a skeleton: it has some inertia about every axis, see links.c */
    /* What the builder knows to be its surface, of which the particles show bumps only. NONE as soon as a
     * particle comes, goes, or is shared with another body: then it is no longer what was built. */
    mt_surface surface;
} mt_body;

typedef struct mt_joint {
    mote_joint_id id;
    uint32_t type;                /* mote_joint_type */
    mote_body_id a, b;            /* b null: the world */
    mote_vec3 anchor_a, anchor_b; /* in the bodies' own coordinates; of the world: in the world */
    mote_vec3 axis_a, axis_b;     /* unit, in the bodies' own directions */
    mote_vec3 side_a, side_b;     /* unit, across the axes, where the angle is 0; universal: the second axis */
    float min_angle, max_angle, swing_limit, twist_limit, damping;
    float break_force, break_torque, yield_torque, bend_limit;
    float bent;              /* rad, in all */
    uint32_t collides;       /* its bodies with each other */
    mote_vec3 force, torque; /* of the last step, N and N m */
} mt_joint;

#define MT_BONE_NAME_SIZE 64

typedef struct mt_bone {
    char name[MT_BONE_NAME_SIZE];
    uint32_t parent;
    mote_body_id body;
    mote_joint_id joint; /* to the parent */
    mt_pose offset;      /* of the bone in its body's own coordinates */
    uint32_t driven;
    float blend, blended; /* s: how long it takes to come back, and how much of that is over */
    mt_pose from;         /* where it was when it began to come back */
} mt_bone;

/* Bones are grouped by skeleton, in the order of the skeletons' table. */
typedef struct mt_skeleton {
    mote_skeleton_id id;
    uint32_t first_bone, bone_count;
} mt_skeleton;

/* Two bodies that do not collide until they have come apart once. b null: the body `a` was driven until now;
 * the next step finds out whom it touches. */
typedef struct mt_deferred_pair {
    mote_body_id a, b;
} mt_deferred_pair;

/* Which bodies a particle is in, and which joints a body has. Made from links and joints, so it is no state. */
#define MT_SHARED 0x80000000u /* in several: the lower bits say which entry of `shared` */

typedef struct mt_shared {
    uint32_t particle;           /* the index of its handle */
    uint32_t first_body, bodies; /* in shared_bodies */
} mt_shared;

/* The joint that each of a joint's bodies has before it: the index of its handle + 1; 0: none. */
typedef struct mt_joint_next {
    uint32_t a, b;
} mt_joint_next;

typedef struct mt_membership {
    mt_array
        of; /* uint32_t by the index of a particle's handle: 0: no body; its body's place + 1; MT_SHARED | k */
    uint32_t count;  /* entries of `of` */
    mt_array shared; /* mt_shared */
    uint32_t shared_count;
    mt_array shared_bodies; /* uint32_t: places in the table of bodies */
    bool valid;             /* all of it is right, and `shared` is in the order of the links */
    bool known; /* it can be asked; but `shared` may be in another order, or have entries of no use */
    mt_array
        first_joint; /* uint32_t by the index of a body's handle: of its newest joint's handle + 1; 0: none */
    uint32_t first_count; /* entries of it */
    mt_array next_joint;  /* mt_joint_next by the index of a joint's handle */
} mt_membership;

/* ---- touches -------------------------------------------------------------------------------------------
 * Who touches whom and who is in which trigger, sorted: the difference of two steps' lists is the events. */

typedef enum mt_touch_kind {
    MT_TOUCH_PARTICLE,
    MT_TOUCH_BODY, /* the true surface of one */
    MT_TOUCH_SHAPE,
    MT_TOUCH_TRIGGER,
    MT_TOUCH_TRIGGER_SHAPE,
} mt_touch_kind;

/* By particle, then by kind and other; no two are the same: see world/touches.h. */
typedef struct mt_touch {
    uint32_t kind;
    mote_particle_id particle;
    uint32_t other_index, other_generation; /* a particle, a body, a shape or a volume, by the kind */
} mt_touch;

typedef struct mt_touches {
    mt_array items; /* mt_touch */
    size_t count;
} mt_touches;

/* Who is in which of the contacts that are reported; not state. Made when somebody asks: see contacts.c. */
typedef struct mt_contact_index {
    mt_array entries, spare; /* twelve bytes each */
    size_t count;
    bool is_made; /* since the last step */
} mt_contact_index;

/* A part of space where something was taken away or changed: what sleeps there wakes. */
typedef struct mt_disturbance {
    bool any;
    mote_vec3 min, max;
} mt_disturbance;

/* What only a step needs, and its kernels. The step makes it (step/scratch.c); the world keeps it, and looks into none of it. */
struct mt_scratch;

struct mote_world {
    mt_memory memory;
    mt_threads threads;
    mote_simd simd;
    const struct mt_kernels *kernels;
    float radius;
    uint32_t max_particles;
    mote_settings settings;
    bool busy;       /* inside a step, or inside a callback */
    uint32_t number; /* which world it is, in the generations of its handles: 1 to MT_MAX_NUMBER; not state */

    mt_particles particles;
    mt_material materials[MT_MAX_MATERIALS];
    uint32_t material_count;
    /* Tables, of mt_shape, mt_geometry, mt_body, ... and lists; all of tables.h, but touches and impulses, which are below. */
#define TABLE(NAME, member, ...) mt_table member;
    MT_TABLES(TABLE)
#undef TABLE
    mt_array emitted; /* mote_particle_id: a ring for each emitter, in the order of the table */
    size_t emitted_count;
    mt_array links; /* mt_link */
    size_t link_count;
    mt_array bones; /* mt_bone */
    size_t bone_count;
    mt_array deferred; /* mt_deferred_pair */
    size_t deferred_count;
    mt_membership membership;
    uint64_t body_edits;  /* counts changes of bodies, links and joints, so that the step knows when its plan is
                           * old; not state */
    uint64_t shape_edits; /* counts changes of shapes, so that the step knows when its tree is old; not state */

    mt_constraints constraints;

    mt_array impulses; /* mt_contact_impulse: what contacts bore at the end of the last step */
    size_t impulse_count;

    mt_touches touches; /* of the last step */
    mt_touches before;  /* of the step before it, while the events are made */
    mt_array events;    /* mote_event */
    size_t event_count;
    mt_array contacts; /* mote_contact: those of the last step that are reported; not state */
    size_t contact_count;
    mt_contact_index contact_index;
    mt_disturbance disturbance;
    mt_placement placement; /* not state: it follows from shapes */

    double time;
    uint64_t step_count;
    uint32_t neighbor_builds; /* during the last step */
    double step_ms;
    struct mt_scratch *scratch;
};

/* ---- the particle arrays, typed ------------------------------------------------------------------------ */

#define ATTRIBUTE(NAME, reader, type, kept, flags, shown, ...)                                                 \
    static inline type *reader(const mote_world *world)                                                        \
    {                                                                                                          \
        return world->particles.now.of[MT_##NAME].data;                                                        \
    }
MT_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE

#define TABLE(NAME, member, type, ...)                                                                         \
    static inline type *mt_##member(const mote_world *world)                                                   \
    {                                                                                                          \
        return world->member.items.data;                                                                       \
    }
MT_TABLES(TABLE)
#undef TABLE

static inline mote_particle_id *mt_emitted(const mote_world *world)
{
    return world->emitted.data;
}

static inline mt_link *mt_links(const mote_world *world)
{
    return world->links.data;
}

static inline mt_bone *mt_bones(const mote_world *world)
{
    return world->bones.data;
}

static inline mt_deferred_pair *mt_deferred_pairs(const mote_world *world)
{
    return world->deferred.data;
}

/* What the generations of its handles have of it. */
static inline uint32_t mt_mark_of(const mote_world *world)
{
    return world->number << MT_GENERATION_BITS;
}

/* ---- guards -------------------------------------------------------------------------------------------- */

/* Fails if the world is NULL or busy: the first line of every call that changes it. */
mote_result mt_enter(const mote_world *world, const char *call);

mote_result mt_settings_check(const mote_settings *settings);

/* ---- particle store ------------------------------------------------------------------------------------ */

/* The slot of a particle; fails for a null or stale handle. */
mote_result mt_particle_find(const mote_world *world, mote_particle_id particle, uint32_t *slot);
/* Room for `count` particles and their padding in both sets of arrays, and for their handles. */
mote_result mt_particles_reserve(mote_world *world, uint32_t count);
/* The radii that particles and worlds may have, m. */
mote_result mt_radius_check(const char *field, float radius);
/* Whether a world can have a particle with such numbers: a little more than what can be added, because it may
 * have moved since. */
bool mt_particle_fits(mote_vec4 position, mote_vec4 velocity, mote_vec3 spin, uint32_t phase);
/* Whether a definition can be added. */
mote_result mt_particle_check(const mote_world *world, const mote_particle_def *def);
/* Fluids take particles of the world's radius only. */
mote_result mt_fluid_radius_check(const mote_world *world, const char *field, float radius);
/* Removes the particle at a slot; the last one takes its place. */
void mt_particle_remove_slot(mote_world *world, uint32_t slot);
/* Writes the dummies behind the last particle. */
void mt_particles_pad(mote_world *world);
void mt_wake_slot(mote_world *world, uint32_t slot);
void mt_disturb(mote_world *world, mote_vec3 center, float reach);

/* ---- things -------------------------------------------------------------------------------------------- */

/* The slot of a geometry, or MT_NO_SLOT. */
uint32_t mt_geometry_find(const mote_world *world, mote_geometry_id geometry);
void mt_geometry_free(mt_geometry *geometry, mt_memory *memory);

void mt_contact_index_init(mt_contact_index *index);
void mt_contact_index_free(mt_contact_index *index, mt_memory *memory);

/* What a geometry is made of, and could be made of again. */
typedef struct mt_geometry_source {
    uint32_t type;  /* mote_geometry_type */
    mote_mesh mesh; /* a hull has vertices only */
    mote_sdf_def sdf;
    mote_heightfield_def heights;
} mt_geometry_source;

mt_geometry_source mt_geometry_source_of(const mt_geometry *geometry);
/* Checks and makes; id, users and hash are the caller's. */
mote_result mt_geometry_make(mt_memory *memory, const mt_geometry_source *source, mt_geometry *made);
/* A shape's place after `part` (0..1) of a step that lasts dt seconds. */
mt_pose mt_shape_pose(const mt_shape *shape, float part, float dt);
bool mt_shape_moves(const mt_shape *shape);
/* Whether its numbers are such that a shape can have. */
bool mt_shape_fits(const mt_shape *shape);

/* Whether definitions can be added; whether a pick's particle lives is another question. */
mote_result mt_field_check(const mote_field_def *def);
mote_result mt_volume_check(const mote_volume_def *def);
mote_result mt_emitter_check(const mote_emitter_def *def);
mote_result mt_pick_check(const mote_pick_def *def);
/* Whether its numbers and its name are such that a material can have. */
bool mt_material_fits(const mt_material *material);

/* The index of a material, or of the default one for a null handle; fails for a stale one. */
mote_result mt_material_resolve(const mote_world *world, mote_material_id material, const char *field,
                                uint32_t *index);

mote_result mt_scratch_create(mote_world *world);
void mt_scratch_destroy(mote_world *world);

#endif
