/* Rig files that tests write: glTF with numbers of their own in it, and BVH. */
#ifndef MOTE_TESTS_RIG_MODELS_H
#define MOTE_TESTS_RIG_MODELS_H

#include "support.h"

#include "io/rig_file.h"

#define HALF 0.70710678118654752440 /* sin and cos of 45 degrees */

/* A glTF file while it is written. Begin with (gltf_model){0}. */
typedef struct gltf_model {
    char *accessors, *views; /* JSON, without the brackets around them */
    unsigned char *bytes;
    size_t size;
    int count;
} gltf_model;

/* Adds numbers; answers their accessor. `kind` is "SCALAR", "VEC3", "VEC4" or "MAT4". */
int gltf_floats(gltf_model *model, const char *kind, const float *values, size_t count);
int gltf_shorts(gltf_model *model, const char *kind, const uint16_t *values, size_t count);

/* Writes the file into the test's folder: `rest` is the JSON of nodes, meshes, skins and animations; node 0
 * is the root of the scene. Empties the model. */
void gltf_write(gltf_model *model, const char *name, const char *rest);

/* An arm along x: "upper" at (0, 1, 0), "lower" 2 further, "tip" 3 further. A node above turns it by 90
 * degrees about z, so that it stands along y, and doubles it. */
#define ARM_NODES                                                                                              \
    "\"nodes\":[{\"name\":\"stand\",\"children\":[1],\"rotation\":[0,0,0.70710678,0.70710678],"                \
    "\"scale\":[2,2,2]},{\"name\":\"upper\",\"children\":[2],\"translation\":[0,1,0]},"                        \
    "{\"name\":\"lower\",\"children\":[3],\"translation\":[2,0,0]},"                                           \
    "{\"name\":\"tip\",\"translation\":[3,0,0]}]"

/* The arm with a clip "move" that changes one node: "rotation", "translation" or "scale". */
void write_animated(const char *file, int node, const char *path, const char *kind, const float *times,
                    const float *values, size_t count);

/* Three triangles along the arm of ARM_NODES, whose joints are "upper" and "lower". The mesh was bound in
 * coordinates of its own, in which the arm lies along x from the origin and is not doubled. */
void write_skin(const char *file, const uint16_t joints[20], const float weights[20]);

/* "Hips" with "Arm" at (10, 20, 0) and the arm's end 5 above that; then comes "MOTION". */
#define BVH_BONES                                                                                              \
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "     \
    "Yrotation\nJOINT Arm\n{\nOFFSET 10 20 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n"         \
    "OFFSET 0 5 0\n}\n}\n}\n"

/* Text made like printf does, to be freed. */
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

void write_text(const char *name, const char *text);
void write_bytes(const char *name, const void *bytes, size_t size);

/* A file of the test's folder, which must be read, or refused with these words; options may be NULL. */
rig must_load(const char *name, const rig_options *options);
void must_refuse(const char *name, const rig_options *options, const char *words);

/* Where all bones are in the model in one frame. */
void place_frame(const rig *model, uint32_t clip, uint32_t frame, mote_pose *poses);

/* A bone's place in a frame of the first clip. */
mote_vec3 place_at(const rig *model, const char *bone, uint32_t frame);
void check_place(mote_vec3 measured, double x, double y, double z, double tolerance, const char *what);

#endif
