/* The shapes of a world as they are drawn: models, each at its place. */
#ifndef MOTE_TOOLS_RENDER_SHAPES_H
#define MOTE_TOOLS_RENDER_SHAPES_H

#include "model.h"
#include "vector.h"

typedef enum shape_look {
    LOOK_SOLID,
    LOOK_GLASS, /* containers */
    /* Thin meshes with grains inside: as if cut open, so that their contents are seen. Walls that turn their
     * outside to the eye are glass, and so are, for the light, those that turn it to the sun. */
    LOOK_VESSEL,
} shape_look;

typedef struct drawn_shape {
    const model *form;
    mote_vec3 position;  /* m */
    mote_vec3 axes[3];   /* its own axes x, y, z in the world; unit vectors */
    mote_vec3 scale;     /* of the model along its own axes */
    float stretch;       /* how far the halves of a ball are pulled apart along y, m each */
    mote_vec3 low, high; /* its box in the world, m */
    uint32_t color;      /* 0xRRGGBB */
    shape_look look;
    float glass;    /* LOOK_GLASS, LOOK_VESSEL: how much a ray meets that crosses it, see frame.glass */
    float outside;  /* LOOK_VESSEL: 1: the normals of the model point outward, -1: inward */
    uint32_t first; /* number of its first triangle among those of all shapes */
} drawn_shape;

/* A mesh that is drawn in place of the particles that carry it. */
typedef struct render_surface {
    mote_mesh mesh;
    mote_pose pose; /* in the world */
    uint32_t color; /* 0xRRGGBB */
} render_surface;

/* Triangles that can be told apart; shapes beyond are left out. */
#define SHAPES_MOST_TRIANGLES 0x7FFF0000u

typedef struct shape_list {
    drawn_shape *items; /* sorted by `first`: the world's shapes, then surfaces */
    uint32_t count;
    uint32_t shape_count; /* without surfaces */
    model *models;
    uint32_t model_count;
} shape_list;

/* Collects the shapes of a world but for planes and triggers, to be seen from `eye` while it looks at `target`.
 * False if there is no memory. */
bool shapes_collect(shape_list *list, const mote_world *world, mote_vec3 eye, mote_vec3 target);
/* And surfaces, which must come after the shapes. */
bool shapes_add_surfaces(shape_list *list, const render_surface *surfaces, uint32_t count);
void shapes_destroy(shape_list *list);

/* vessel.c: whether any of the particles is inside a shape that is a mesh, closed or not: 1 or -1 as
 * drawn_shape.outside, 0 if none is. */
float vessel_outside(const drawn_shape *shape, const mote_particles_view *particles);

/* Whether a triangle of a vessel is a wall, not a fin inside it, and turns its outside towards a viewer; `eye`
 * is where the viewer is, or, if `far`, the direction to one who is very far away. */
bool vessel_shows_outside(const drawn_shape *shape, size_t triangle, mote_vec3 eye, bool far);

/* A direction in a shape's own axes, in the world, and back. */
static inline mote_vec3 shape_turn(const drawn_shape *shape, mote_vec3 own)
{
    return vector_add(vector_scale(shape->axes[0], own.x),
                      vector_add(vector_scale(shape->axes[1], own.y), vector_scale(shape->axes[2], own.z)));
}

static inline mote_vec3 shape_turn_back(const drawn_shape *shape, mote_vec3 world)
{
    return (mote_vec3){vector_dot(shape->axes[0], world), vector_dot(shape->axes[1], world),
                       vector_dot(shape->axes[2], world)};
}

/* Where a vertex of the model is in the world. */
static inline mote_vec3 shape_vertex(const drawn_shape *shape, uint32_t vertex)
{
    mote_vec3 own = vector_times(shape->form->vertices[vertex].position, shape->scale);
    own.y += vertex < shape->form->upper ? shape->stretch : -shape->stretch;
    return vector_add(shape->position, shape_turn(shape, own));
}

#endif
