/* A plain software renderer: shaded spheres with a sun, its shadows and a sky, on the planes and among the
 * shapes of the world. It is made for pictures in documents and for machines without a graphics card; a million
 * particles take a few seconds. How it works, in the order of the work:
 *
 *   shapes.c     the shapes as triangles (model*.c); which of them are vessels (vessel.c)
 *   raster.c     which particle or plane does each sample of the picture see, and how far away (2 x 2 samples
 *                a pixel)
 *   triangles.c  the same for shapes
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
#include "shapes.h"

typedef struct render_camera {
    mote_vec3 eye, target; /* m; up is +Y */
    float fov;             /* from the bottom of the picture to its top, degrees, above 0 and below 180 */
} render_camera;

typedef struct render_surfaces {
    const render_surface *items;
    uint32_t count;
    const bool *hidden; /* of each particle: one of them is drawn in its place; NULL: no particle is */
} render_surfaces;

typedef enum particle_look {
    PARTICLE_SOLID,
    PARTICLE_GLASS, /* fixed ones of no body, so that a vessel shows its contents */
    PARTICLE_HIDDEN,
} particle_look;

/* Everything that is drawn. */
typedef struct render_input {
    mote_particles_view particles;
    const uint8_t *looks;   /* particle_look of each particle */
    const uint32_t *colors; /* 0xRRGGBB of each material */
    uint32_t color_count;
    const mote_plane_def *planes; /* floors with a grid of lines, walls as panes of glass */
    uint32_t plane_count;
    shape_list shapes;
    mote_vec3 eye, target; /* the camera's, see render_camera */
    float fov;
} render_input;

/* Draws what is in a world into a new picture. False if there is no memory. */
bool render_world(const mote_world *world, const render_camera *camera, const render_surfaces *surfaces,
                  int width, int height, image *picture);

#endif
