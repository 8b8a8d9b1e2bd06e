/* A scene file, read: what it says, what its mesh files have in them, and the world that comes of it. */
#ifndef MOTE_IO_SCENE_FILE_H
#define MOTE_IO_SCENE_FILE_H

#include "io/scene_description.h"

/* Where the files are that a scene names. */
typedef struct scene_source {
    const char *folder; /* NULL: among the shipped files */
    /* A shipped file by its name; NULL if there is none. */
    const void *(*shipped)(const char *name, size_t *size);
    /* The names of the parts of the program that a scene may ask for as its "builder"; NULL at the end. */
    const char *const *builders;
    /* The bones of a humanoid of a height, m: the first `capacity` are written, the answer is how many there
     * are. */
    uint32_t (*humanoid)(float height, mote_bone_def *bones, uint32_t capacity);
} scene_source;

typedef struct scene_file {
    cJSON *tree; /* after the overrides */
    scene_description description;
    uint32_t asked;           /* particles that were asked for; 0: what the file says */
    uint64_t scaling;         /* particles of the file in what follows `asked` */
    float grown;              /* how many times as large what grows has become for it; 0: as the file says */
    mote_shape_id *shape_ids; /* of the last world built, as the ids below */
    mote_emitter_id *emitter_ids; /* null for those that are no streams */
    mote_body_id *body_ids;       /* copy by copy; null for those that are cut into pieces */
    mote_skeleton_id *skeleton_ids;
} scene_file;

/* Reads all of it. Faults are noted; the file can be used if none of them is an error. Free it in any case. */
void scene_file_read(scene_file *file, const char *text, size_t size, const scene_source *source,
                     uint32_t particles, const char *const *overrides, size_t override_count,
                     scene_faults *faults);
void scene_file_free(scene_file *file);

/* ---- its parts, in the order in which they are used ----------------------------------------------------- */

/* Puts "path=value" into the tree. False after a fault. */
bool scene_override(cJSON *tree, const char *text, scene_faults *faults);

/* What tables cannot say: which fields go together, which names exist, what must be larger than what. */
void scene_check_rules(const scene_description *d, const scene_source *source, scene_faults *faults);

/* Makes liquids and shapes that grow as large as the number of particles asks for; before files are read. */
void scene_grow(scene_file *file);

/* Reads the meshes, heights and rigs that the description names. */
void scene_load_files(scene_description *d, const scene_source *source, scene_faults *faults);
void scene_free_files(scene_description *d);

/* Counts the copies of bodies and skeletons, and builds them once in a world of their own: what the library
 * refuses is a fault of its item, and `particles` of each is known then. */
void scene_try_bodies(scene_file *file, scene_faults *faults);

/* 64 bits of what decides the run. */
uint64_t scene_file_hash(const scene_file *file);

/* ---- the world ------------------------------------------------------------------------------------------ */

/* The lattice of a block: between centres, m. */
float scene_grains_spacing(const scene_description *d, const scene_grains *grains);
/* What a block is made of, after --particles. */
void scene_grains_counts(const scene_file *file, const scene_grains *grains, uint32_t counts[3]);
uint64_t scene_grains_count(const scene_file *file, const scene_grains *grains);
uint64_t scene_fluid_count(const scene_description *d, const scene_fluid *fluid);
/* How many particles the file has in what follows --particles: grains with a total, liquids that grow. */
uint64_t scene_scaling_particles(const scene_description *d);
/* Whether `asked` means something. */
bool scene_is_scalable(const scene_description *d);
/* Seconds a frame. */
float scene_frame_seconds(const scene_description *d);

/* The world's definition without threads and SIMD. */
mote_world_def scene_world_def(const scene_file *file);
/* Materials, shapes, fields and volumes; then grains and particles. What a builder adds comes between. */
/* The geometry of a hull, mesh, distance field or height field; null on failure. */
mote_geometry_id scene_add_geometry(const scene_shape *shape, mote_world *world);
mote_result scene_build_surroundings(scene_file *file, mote_world *world);
mote_result scene_build_particles(const scene_file *file, mote_world *world);
mote_result scene_add_fluid(const scene_description *d, const scene_fluid *fluid, mote_world *world);
mote_result scene_add_materials(const scene_description *d, mote_world *world);

/* Bodies, joints, constraints and skeletons, after all else. If it fails and `faults` is not NULL, the item that is to blame
 * is noted there. */
mote_result scene_build_bodies(scene_file *file, mote_world *world, scene_faults *faults);
/* How many particles that makes, once it was tried. */
uint64_t scene_bodies_particles(const scene_description *d);
/* Their parts: one entry of a list. */
mote_result scene_add_body(scene_file *file, scene_body *body, mote_world *world);
mote_result scene_add_joint(const scene_file *file, scene_joint *joint, mote_world *world);
mote_result scene_add_constraint(const scene_file *file, scene_constraint *constraint, mote_world *world);
mote_result scene_add_skeleton(scene_file *file, scene_skeleton *skeleton, mote_world *world);

/* How many copies of an entry there are, and where each is if the entry is at `base`. */
size_t scene_repeat_count(const scene_repeat *repeat);
mote_pose scene_repeat_pose(const scene_repeat *repeat, mote_pose base, size_t copy);
/* The body that a joint calls by its name, and which of its copies ("link[3]"). NULL if there is none. */
const scene_body *scene_find_body(const scene_description *d, const char *name, size_t *copy);

/* A material's id in a world that was built; the world's default for NULL. */
mote_material_id scene_material_id(const scene_description *d, const mote_world *world, const char *name);
float scene_material_density(const scene_description *d, const char *name);
bool scene_material_is_fluid(const scene_description *d, const char *name);
/* kg of a particle: a ball, or, of a liquid, the cube around it. */
float scene_particle_mass(const scene_description *d, const char *material, float radius);
uint32_t scene_phase(const scene_matter *matter);
float scene_radius(const scene_description *d, const scene_matter *matter);

/* Where something that is at `position`, turned by `rotation`, is at a time, if the motion has keys. */
mote_pose scene_motion_pose(const scene_motion *motion, mote_vec3 position, const scene_rotation *rotation,
                            double time);
/* Whether it moves during a frame. */
bool scene_motion_moves(const scene_motion *motion, mote_vec3 position, const scene_rotation *rotation,
                        double dt, uint32_t frame);
/* Moves all shapes and bodies with key frames to where they are at the frame's end. */
mote_result scene_move_shapes(const scene_file *file, mote_world *world, uint32_t frame);
mote_result scene_move_bodies(const scene_file *file, mote_world *world, uint32_t frame);
/* The same for skeletons; lets bones go or drives them when it is time. */
mote_result scene_move_skeletons(const scene_file *file, mote_world *world, uint32_t frame);
/* When bones of a driven skeleton first go limp, s; below 0: never, or it is limp from the start. */
double scene_first_release(const scene_description *d, const scene_skeleton *skeleton);
/* In a world that was just built: puts it where it is at that time, and lets those bones go. */
mote_result scene_release_skeleton(const scene_file *file, const scene_skeleton *skeleton, mote_world *world);

/* Whether an emitter is a stream of a liquid, which the library emits, not single particles. */
bool scene_is_stream(const scene_description *d, const scene_emitter *emitter);
/* Adds the streams, after all shapes. If it fails and `faults` is not NULL, the one that is to blame is noted
 * there. Trying does that in a world of its own, when a scene is read. */
mote_result scene_add_streams(scene_file *file, mote_world *world, scene_faults *faults);
void scene_try_streams(scene_file *file, scene_faults *faults);
/* How many particles of a stream there are after so many frames, if nobody removes any. */
uint64_t scene_streamed(const scene_description *d, const scene_emitter *emitter, uint32_t frames);

/* How many particles an emitter has emitted up to and at a time. */
uint64_t scene_emitted(const scene_emitter *emitter, double time);
/* Adds the particles that were emitted since the frame before. */
mote_result scene_emit(const scene_file *file, mote_world *world, uint32_t frame);

#endif
