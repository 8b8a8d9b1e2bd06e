/* A scene in motion, with the time it takes. */
#ifndef MOTE_TOOLS_SIMULATION_H
#define MOTE_TOOLS_SIMULATION_H

#include "command.h"

typedef struct simulation {
    scene *scene;
    mote_world *world;
    uint32_t frame;         /* frames done */
    uint32_t frame_limit;   /* frames that there is room for in frame_ms */
    double *frame_ms;       /* of each frame done */
    double *stage_total_ms; /* of each stage, all frames together */
} simulation;

/* Builds the scene, which must stay open for as long, ready for up to `frames` frames. False after a
 * complaint. */
bool simulation_create(simulation *s, scene *scene, uint32_t frames, uint32_t threads, mote_simd simd);
/* Ends the world; the scene stays open. */
void simulation_destroy(simulation *s);

/* Moves on by one frame. False after a complaint. */
bool simulation_step(simulation *s);

/* The frame time that the given part (0..1) of the frames do not exceed; 0 before the first frame. */
double simulation_percentile_ms(const simulation *s, double part);

/* Draws what the scene's camera sees into a PNG file; `surfaces`: the meshes and skins of bodies in place of
 * their particles. False after a complaint. */
bool simulation_picture(const simulation *s, bool surfaces, int width, int height, const char *path);

#endif
