/* The scenes that Mote ships. The command, the tests, the benchmarks and the demo all use these, so that a test
 * that fails can be watched. */
#ifndef MOTE_SCENES_SCENE_H
#define MOTE_SCENES_SCENE_H

#include "mote/mote.h"

/* What a scene can be asked for. */
typedef struct scene_options {
    uint32_t particles; /* about how many; 0: the scene's default */
} scene_options;

typedef struct scene {
    const char *name;      /* "sand-pile": what the command line calls it */
    const char *title;     /* one line for people */
    const char *materials; /* "sand, stone": what is in it */
    uint32_t particles;    /* how many it has by default */
    bool scalable;         /* whether scene_options.particles means something */
    uint32_t frames;       /* how many frames show what it is about */
    float dt;              /* seconds a frame */
    mote_vec3 eye, target; /* a camera that sees it */

    /* The world that it wants (limits, radius, settings); threads and SIMD are the caller's to set. */
    void (*define)(const scene_options *options, mote_world_def *def);
    /* Fills the new world. */
    mote_result (*build)(const scene_options *options, mote_world *world);
    /* What the scene does by itself before frame `frame` (0, 1, ...); NULL: nothing. */
    mote_result (*before_frame)(const scene_options *options, mote_world *world, uint32_t frame);
} scene;

/* All scenes, in the order in which they are listed. */
const scene *scene_list(size_t *count);

/* By name; NULL if there is none. */
const scene *scene_find(const char *name);

/* The world's definition and contents in one call, with `threads` (0: all cores) and `simd`. */
mote_result scene_create(const scene *chosen, const scene_options *options, uint32_t threads, mote_simd simd,
                         mote_world **world);

/* The scene's camera; it steps back from a scene that is asked for more particles, and closer to a smaller one.
 */
void scene_camera(const scene *chosen, const scene_options *options, mote_vec3 *eye, mote_vec3 *target);

#endif
