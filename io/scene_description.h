/* What a scene file says, as structs. The tables that fill them are in scene_tables_*.c; the meaning of every
 * field is in docs/scene-format.md. */
#ifndef MOTE_IO_SCENE_DESCRIPTION_H
#define MOTE_IO_SCENE_DESCRIPTION_H

#include "io/mesh_file.h"
#include "io/rig_bones.h"
#include "io/scene_fields.h"

#define SCENE_FORMAT 1 /* the "mote" of a scene file */

typedef struct scene_turn_part {
    scene_item item;
    mote_vec3 axis;
    double degrees;
} scene_turn_part;

typedef struct scene_world_part {
    scene_item item;
    float radius;
    uint32_t max_particles;
} scene_world_part;

typedef struct scene_solver_part {
    scene_item item;
    mote_settings settings; /* gravity comes from the description */
} scene_solver_part;

typedef struct scene_material {
    scene_item item;
    mote_material_def def;
} scene_material;

typedef struct scene_key {
    scene_item item;
    double time;
    mote_vec3 position;
    scene_rotation rotation;
} scene_key;

typedef struct scene_motion {
    scene_item item;
    scene_list keys;
    bool loop;
} scene_motion;

/* In the order of the words of "type". */
typedef enum scene_shape_type {
    SCENE_PLANE,
    SCENE_SPHERE,
    SCENE_BOX,
    SCENE_CAPSULE,
    SCENE_HULL,
    SCENE_MESH,
    SCENE_SDF,
    SCENE_HEIGHTFIELD,
} scene_shape_type;

typedef struct scene_shape {
    scene_item item;
    const char *name;
    uint32_t type;
    mote_vec3 position, normal, half_extents, velocity, spin;
    scene_rotation rotation;
    float offset, radius, half_height, scale, cell, spacing;
    const char *file, *heights_file, *material;
    scene_points points;
    scene_triangles triangles;
    uint32_t columns, rows;
    scene_numbers heights;
    bool inside, trigger, grows;
    uint32_t channels;
    scene_motion motion;
    mesh_file mesh;             /* of `file` or of the points, scaled; read when the scene is opened */
    scene_numbers file_heights; /* of `heights_file` */
} scene_shape;

/* What grains, particles and emitters have in common. */
typedef struct scene_matter {
    float radius, radius_spread;
    const char *material;
    uint32_t group, channels, seed;
    bool self_collide;
} scene_matter;

typedef struct scene_grains {
    scene_item item;
    const char *name;
    scene_matter matter;
    mote_vec3 origin, base, min, max, position, velocity;
    uint32_t count[3], total, rows, method;
    double height;
    float spacing, jitter, scale;
    const char *file;
    scene_rotation rotation;
    bool fixed;
    scene_points fill; /* the points in the mesh of `file`, in place; found when the scene is opened */
} scene_grains;

typedef struct scene_fluid {
    scene_item item;
    const char *name;
    scene_matter matter; /* the radius is the world's */
    mote_vec3 min, max, velocity;
    float jitter;
    uint32_t packing;
    bool grows;
} scene_fluid;

typedef struct scene_particles {
    scene_item item;
    const char *name;
    scene_matter matter;
    mote_vec3 position, velocity;
    scene_points positions;
    float mass;
    bool fixed;
} scene_particles;

typedef struct scene_emitter {
    scene_item item;
    const char *name;
    scene_matter matter;
    mote_vec3 position, direction;
    mote_vec3 side;
    float nozzle, width, height, speed, jitter;
    double rate, start, end;
    uint32_t limit, most;
} scene_emitter;

/* Many of one kind: a lattice of copies. */
typedef struct scene_repeat {
    scene_item item;
    uint32_t count[3], seed;
    mote_vec3 spacing;
    float jitter, turn;
} scene_repeat;

typedef struct scene_pieces {
    scene_item item;
    float size, strength, yield;
    double bend_limit; /* degrees */
    uint32_t seed;
} scene_pieces;

/* In the order of the words of "type". */
typedef enum scene_body_type {
    SCENE_BODY_BOX,
    SCENE_BODY_CAPSULE,
    SCENE_BODY_BALL,
    SCENE_BODY_MESH,
    SCENE_BODY_POINTS,
} scene_body_type;

typedef struct scene_body {
    scene_item item;
    const char *name;
    uint32_t type, mode, method;
    scene_matter matter;
    mote_vec3 position, velocity, spin;
    scene_rotation rotation;
    uint32_t count[3];
    float half_length, thickness, size, scale, spacing, mass;
    const char *file;
    scene_points points;
    scene_triangles triangles;
    scene_repeat repeat;
    scene_pieces pieces;
    scene_motion motion;
    mesh_file mesh;     /* of `file` or of the points, scaled; read when the scene is opened */
    size_t sampled;     /* particles in the mesh */
    size_t first;       /* the place of its first copy in scene_file.body_ids */
    uint64_t particles; /* of all copies, counted when they are built */
} scene_body;

typedef struct scene_joint {
    scene_item item;
    const char *name, *a, *b;
    uint32_t type, size;
    mote_vec3 anchor, axis, second_axis;
    double min_angle, max_angle, swing_limit, twist_limit, bend_limit; /* degrees */
    float radius, damping, break_force, break_torque, yield_torque;
    bool collide;
    uint64_t particles; /* its own, counted when it is built */
} scene_joint;

typedef struct scene_constraint {
    scene_item item;
    const char *called;
    const char *name[2]; /* of what is at its ends */
    uint32_t type, links;
    mote_vec3 at[2];
    mote_constraint_def def; /* its parameters, as far as they are given */
    scene_matter matter;     /* of the particles between links */
    float mass;
    uint64_t particles; /* between links, counted when it is built */
} scene_constraint;

/* What a skeleton is made of. */
typedef struct scene_rig {
    rig file;             /* of a rig; empty for a humanoid */
    uint32_t clip;        /* that it plays; RIG_NO_CLIP: none */
    uint32_t bone_count;  /* of those that have bodies */
    mote_bone_def *bones; /* NULL: it could not be read */
    uint32_t *file_bones; /* which bone of the file each is; NULL for a humanoid */
} scene_rig;

/* In the order of the words of "type". */
typedef enum scene_skeleton_type {
    SCENE_SKELETON_RIG,
    SCENE_SKELETON_HUMANOID,
} scene_skeleton_type;

/* In the order of the words of "action". */
typedef enum scene_action_type {
    SCENE_ACTION_RELEASE,
    SCENE_ACTION_DRIVE,
} scene_action_type;

typedef struct scene_action {
    scene_item item;
    double time;
    const char *bone; /* NULL: all */
    uint32_t action;
    float blend;
} scene_action;

typedef struct scene_skeleton {
    scene_item item;
    const char *name, *file, *clip;
    uint32_t type, clip_number;
    scene_matter matter;
    mote_vec3 position;
    scene_rotation rotation;
    double start, speed, release;
    float height, thickness, spacing, mass, damping;
    bool driven, loop;
    scene_list actions;
    scene_repeat repeat;
    scene_motion motion;
    scene_rig rig;      /* read when the scene is opened */
    size_t first;       /* the place of its first copy in scene_file.skeleton_ids */
    uint64_t particles; /* of all copies, counted when they are built */
} scene_skeleton;

typedef struct scene_volume {
    scene_item item;
    const char *name;
    uint32_t type;
    mote_vec3 min, max;
} scene_volume;

typedef struct scene_force_field {
    scene_item item;
    const char *name;
    uint32_t type;
    mote_vec3 center, direction;
    float strength, radius;
    uint32_t group;
} scene_force_field;

typedef struct scene_view {
    scene_item item;
    const char *name;
    mote_vec3 eye, target;
    float fov;
} scene_view;

typedef struct scene_description {
    scene_item item;
    uint32_t version, frames, objects;
    const char *title, *builder, *schema;
    double dt, fps;
    mote_vec3 gravity;
    scene_world_part world;
    scene_solver_part solver;
    scene_list materials, shapes, grains, fluids, particles, bodies, joints, constraints, skeletons, emitters,
        volumes, fields, cameras;
} scene_description;

/* The file as a whole, and its parts. */
extern const scene_section SCENE_ROOT, SCENE_TURN, SCENE_WORLD, SCENE_SOLVER, SCENE_MATERIALS, SCENE_SHAPES,
    SCENE_MOTION, SCENE_KEYS, SCENE_GRAINS, SCENE_FLUIDS, SCENE_PARTICLES, SCENE_BODIES, SCENE_REPEAT,
    SCENE_PIECES, SCENE_JOINTS, SCENE_CONSTRAINTS, SCENE_SKELETONS, SCENE_ACTIONS, SCENE_EMITTERS,
    SCENE_VOLUMES, SCENE_FIELDS, SCENE_CAMERAS;

/* All of them, in the order in which they are documented; NULL at the end. */
extern const scene_section *const SCENE_SECTIONS[];

#endif
