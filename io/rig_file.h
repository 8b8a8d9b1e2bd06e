/* Rig files: skeletons, the meshes that they carry and their animations, from what assimp reads (glTF, FBX, BVH
 * and others). All is in one right-handed system with y up: the model's coordinates, in m if the file or the
 * options say so. */
#ifndef MOTE_IO_RIG_FILE_H
#define MOTE_IO_RIG_FILE_H

#include "mote/mote.h"

#define RIG_ERROR      512
#define RIG_NAME       64             /* bytes of a name with the 0 behind it */
#define RIG_MAX_BONES  MOTE_MAX_BONES /* of one rig */
#define RIG_MAX_CLIPS  1024u
#define RIG_MAX_RATE   240.0f   /* frames a second */
#define RIG_MAX_POSES  8000000u /* frames times bones of all clips together */
#define RIG_COORDINATE 1e6f     /* each coordinate is within +- this, m */
#define RIG_NO_CLIP    UINT32_MAX

/* What had to be left out of a file that is good otherwise. */
enum {
    RIG_WARNING_SCALE = 1 << 0,   /* stretched unevenly or mirrored: only where the bones are is kept */
    RIG_WARNING_WEIGHTS = 1 << 1, /* a vertex follows more than four bones, or weights that are no numbers */
    RIG_WARNING_NAMES = 1 << 2,   /* bones without a name, of the same or of too long a name have new ones */
    RIG_WARNING_LOOSE = 1 << 3,   /* vertices that no bone carries follow the first bone */
    RIG_WARNING_UNKNOWN = 1 << 4, /* a mesh or an animation has a bone that is not there */
};

typedef struct rig_clip {
    char name[RIG_NAME];  /* "" if it has none */
    float rate;           /* frames a second, 1..RIG_MAX_RATE */
    uint32_t frame_count; /* 1 or more */
    mote_pose *frames;    /* frame_count x bone_count, each beside its parent's, as a mote_clip has them */
} rig_clip;

/* All meshes that bones carry, as one. */
typedef struct rig_skin {
    size_t vertex_count; /* 0: the file has no mesh; all else is then NULL */
    mote_vec3 *vertices; /* when the bones are as `bind` says, m */
    uint32_t *bones;     /* four a vertex */
    float *weights;      /* four a vertex, strongest first, their sum 1 */
    mote_pose *bind;     /* one a bone, in the model's coordinates */
    size_t triangle_count;
    uint32_t *triangles; /* three indices each; seen from outside they run counter-clockwise */
} rig_skin;

typedef struct rig {
    uint32_t bone_count;     /* 1..RIG_MAX_BONES */
    char (*names)[RIG_NAME]; /* no two alike, none empty */
    uint32_t *parents;       /* less than the bone's own index; MOTE_NO_BONE: a root */
    mote_pose *rest;         /* in the model's coordinates */
    uint32_t clip_count;     /* 0 or more */
    rig_clip *clips;
    rig_skin skin;
    float height;      /* of the rest pose: of its mesh, or of its bones if there is none, m */
    uint32_t warnings; /* RIG_WARNING_... */
} rig;

typedef enum rig_up {
    RIG_UP_FILE, /* as the file says; y if it says nothing */
    RIG_UP_Y,
    RIG_UP_Z,
    RIG_UP_COUNT
} rig_up;

typedef struct rig_options {
    float scale;  /* m a unit of the file, 0 or more; default 1; 0: the unit that the file says (FBX), or 1 */
    float height; /* m; above 0: the rest pose is made so tall, whatever the scale is; default 0: as it is */
    rig_up up;    /* which way is up in the file; default RIG_UP_FILE */
} rig_options;

rig_options rig_default_options(void);

/* Reads a file. False with a text in `error` that names the file and the reason; *out is then empty. Options
 * may be NULL: the defaults. As with mesh files, the reading happens in a process of its own. */
bool rig_load(const char *path, const rig_options *options, rig *out, char *error, size_t error_size);
void rig_free(rig *model);

/* The bone of that name, or MOTE_NO_BONE; the clip of that name, or RIG_NO_CLIP. */
uint32_t rig_find_bone(const rig *model, const char *name);
uint32_t rig_find_clip(const rig *model, const char *name);

/* As the library wants them; valid as long as the rig. */
mote_clip rig_clip_view(const rig *model, uint32_t clip);
mote_skin rig_skin_view(const rig *model);
mote_mesh rig_mesh_view(const rig *model); /* the mesh as it is when bound */

/* Of a clip, s: (frames - 1) / rate. */
double rig_clip_seconds(const rig_clip *clip);

/* What the warnings mean, in words, "" if there are none. */
void rig_warning_text(uint32_t warnings, char *text, size_t size);

#endif
