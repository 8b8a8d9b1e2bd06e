/* Inside the making of bones: what is known of each bone that gets a body, and the steps that find it out. */
#ifndef MOTE_IO_RIG_BONE_PLAN_H
#define MOTE_IO_RIG_BONE_PLAN_H

#include "io/rig_bones.h"

/* What a bone is, by its name. */
typedef enum rig_kind {
    RIG_KIND_OTHER,
    RIG_KIND_SMALL, /* fingers, toes, twist bones, eyes: never with a body of their own */
    RIG_KIND_KNEE,  /* a shin */
    RIG_KIND_ELBOW, /* a forearm */
    RIG_KIND_FOOT,
    RIG_KIND_HAND,
    RIG_KIND_NECK, /* and head */
    RIG_KIND_SPINE,
    RIG_KIND_COLLAR, /* or a bone from the pelvis to the thigh */
    RIG_KIND_THIGH,
    RIG_KIND_ARM, /* the upper arm */
    /* Not clear from the name alone; no bone has these in the end. */
    RIG_KIND_LEG,
    RIG_KIND_SHOULDER,
} rig_kind;

/* Of all bones of a rig, by the words in their names, as exporters write them ("LeftUpLeg",
 * "mixamorig:RightForeArm", "thigh_l", "Bip01 L Calf"), and by what is above them: "LeftLeg" is a shin below
 * "LeftUpLeg", and a thigh below "Hips". */
void rig_find_kinds(const rig *model, rig_kind *kinds);

/* A bone with a body. Directions are in the bone's own coordinates. */
typedef struct rig_body {
    uint32_t bone;   /* of the rig */
    uint32_t parent; /* among the bodies; MOTE_NO_BONE: a root */
    mote_vec3 axis;  /* unit */
    float length, thickness;
    bool keeps_form;  /* the thickness is the mesh's, or a person's trunk's: others make room for it */
    mote_quat beside; /* how it is turned beside its parent's bone at rest */
    mote_joint_type joint;
    mote_vec3 hinge; /* unit */
    float min_angle, max_angle, swing_limit, twist_limit;
    mote_vec3 middle; /* of a ball's swing; 0: as it is at rest */
} rig_body;

/* How a body turned beside its parent during the clip, from how it is at rest. Turns are in the bone's own
 * coordinates. */
typedef struct rig_motion {
    double spread[3][3]; /* sum of products of the turns' vectors, rad^2 */
    double farthest;     /* turn about any axis, rad */
    double low, high;    /* about the hinge, rad */
    double swing, twist; /* of the bone's axis and about it, the most, rad */
    double off;          /* how far the hinge's axis itself was turned, the most, rad */
    bool loose;          /* a hinge that becomes a ball */
    mote_quat middle;    /* of a hinge that is loosened: from which `swing` and `twist` are then measured */
} rig_motion;

typedef struct rig_plan {
    const rig *model;
    rig_body_options options; /* with the numbers that were left to be worked out */
    char *error;
    rig_kind *kinds; /* of each bone of the rig, as all that follow */
    bool *has_body;
    bool *inside;       /* for one bone: it is the bone, or no body is between the two */
    uint32_t *body_of;  /* the body that carries it */
    mote_pose *placed;  /* for one frame: where it is */
    size_t *first;      /* of each body, and one behind: where its vertices begin in `vertices` */
    uint32_t *vertices; /* sorted by the bone that they follow most; NULL: no mesh */
    float *measured;    /* room for one number a vertex */
    rig_body *bodies;
    rig_motion *motions; /* of each body */
    uint32_t body_count;
} rig_plan;

/* The bones from `bone` down to the next ones with bodies, these included: fills plan->inside. */
void rig_look_inside(rig_plan *plan, uint32_t bone);
float rig_distance(mote_vec3 a, mote_vec3 b);

/* Forms: axis, length and thickness of all bodies. */
void rig_plan_forms(rig_plan *plan);
/* How far the vertices reach that follow this bone more than any other; 0 if there are none. */
float rig_reach_of_vertices(rig_plan *plan, uint32_t bone);
/* Joints: types, axes and limits. */
void rig_plan_joints(rig_plan *plan);
/* Hinges of which no rule speaks and which the clip bends far off their axes become balls. After the rules. */
void rig_loosen_joints(rig_plan *plan);

#endif
