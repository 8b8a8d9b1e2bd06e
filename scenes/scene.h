/* Scenes: what there is to simulate, as JSON files. The shipped ones are part of the program; the command, the
 * tests, the benchmarks and the demo all use them, so that a test that fails can be watched. The format is in
 * docs/scene-format.md. */
#ifndef MOTE_SCENES_SCENE_H
#define MOTE_SCENES_SCENE_H

#include "io/scene_faults.h"
#include "mote/mote.h"

/* ---- opening -------------------------------------------------------------------------------------------- */

/* What is asked of a scene beyond what its file says. */
typedef struct scene_request {
    uint32_t particles; /* about how many, in a scene that scales; 0: what the file says */
    const char *const
        *overrides; /* "solver.substeps=4", "shapes.drum.radius=0.3", "materials[0].density=900" */
    size_t override_count;
} scene_request;

/* What a scene has inside; see io/scene_file.h. */
typedef struct scene_content scene_content;

typedef struct scene {
    const char *name;      /* "sand-pile", or the path that was given */
    const char *title;     /* one line for people; "" if the file has none */
    const char *materials; /* "sand, stone": the names of its materials */
    uint32_t particles;    /* how many there are at the start, and those that emitters add within its frames */
    bool scalable;         /* whether scene_request.particles means something */
    uint32_t frames;       /* how many frames show what it is about */
    float dt;              /* seconds a frame */
    mote_vec3 eye, target; /* its first camera; where it scales, further away from more particles */
    float fov;             /* of that camera, from top to bottom, degrees */
    scene_content *content;
} scene;

/* Opens a shipped scene by its name, or a file by its path: whatever has a '/' in it, ends in ".json" or is the
 * name of a file. `request` may be NULL. NULL if there is an error among the faults; warnings may come with a
 * scene as well. */
scene *scene_open(const char *name_or_path, const scene_request *request, scene_faults *faults);
/* The same from memory. `name` is what the scene is called; `folder` is where its mesh files are, NULL: with
 * the shipped ones. */
scene *scene_open_text(const char *text, size_t size, const char *name, const char *folder,
                       const scene_request *request, scene_faults *faults);
/* NULL is fine. */
void scene_close(scene *s);

/* The names of the shipped scenes, in the order in which they are listed; NULL past the end. */
const char *scene_shipped(size_t index);

/* Every fault of a scene at once: those of scene_open, and those that show only when it is built, which takes
 * about as long as a frame: particles that start inside each other or inside shapes, meshes with holes, masses
 * that will not converge, materials that nothing uses. True if there is no error. */
bool scene_check(const char *name_or_path, const scene_request *request, scene_faults *faults);
/* The second part alone, for a scene that is open. */
bool scene_check_built(scene *s, scene_faults *faults);

/* ---- running -------------------------------------------------------------------------------------------- */

/* Makes the world and fills it; `threads` 0: all cores. On failure *world is NULL. */
mote_result scene_create(scene *s, uint32_t threads, mote_simd simd, mote_world **world);

/* What the scene does by itself before frame `frame` (0, 1, ...): moves shapes, bodies and skeletons along
 * their key frames and animations, lets bones go limp, lets emitters emit. It depends on the frame's number and
 * the world only, so that a world restored from a checkpoint goes on the same. */
mote_result scene_before_frame(scene *s, mote_world *world, uint32_t frame);

/* The surfaces that bodies and skeletons of the last world carry, see io/scene_surfaces.h; the scene must stay
 * open for as long. NULL without memory. */
struct scene_surfaces *scene_make_surfaces(const scene *s);
/* What its bodies are called, for exports; those of a builder have no names. The caller frees them. NULL without
 * memory. */
struct export_name *scene_name_bodies(const scene *s, const mote_world *world, size_t *count);

/* 64 bits over everything that decides the run: the file after its overrides, without title, frames and
 * cameras, the number of particles asked for, and the files that it names. */
uint64_t scene_hash(const scene *s);

#endif
