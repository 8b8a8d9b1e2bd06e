/* A plain software renderer: shaded spheres with a sun, its shadows and a sky, on the planes of the world. It
 * is made for pictures in documents and for machines without a graphics card; a million particles take a few
 * seconds. How it works, in the order of the work:
 *
 *   raster.c     which particle or plane does each sample of the picture see, and how far away (2 x 2 samples
 *                a pixel)
 *   shadow.c     the same, seen from the sun
 *   occlusion.c  how much of the sky a sample sees, guessed from the distances around it
 *   shade.c      light and colour of the samples, averaged to pixels
 *
 * Work that goes sample by sample is shared out among the cores (bands.c); the picture does not depend on how
 * many there are. */
#ifndef MOTE_TOOLS_RENDER_RENDER_H
#define MOTE_TOOLS_RENDER_RENDER_H

#include "image.h"
#include "mote/mote.h"

/* Everything that is drawn. */
typedef struct render_input {
    mote_particles_view particles; /* fixed particles are drawn as glass, so that a vessel shows its contents */
    const uint32_t *colors;        /* 0xRRGGBB of each material */
    uint32_t color_count;
    const mote_plane_def *planes; /* floors with a grid of lines, walls as panes of glass */
    uint32_t plane_count;
    mote_vec3 eye, target; /* the camera, m; up is +Y */
} render_input;

/* Draws into a new picture. False if there is no memory. */
bool render_particles(const render_input *input, int width, int height, image *picture);

/* The same for what is in a world. */
bool render_world(const mote_world *world, mote_vec3 eye, mote_vec3 target, int width, int height,
                  image *picture);

#endif
