/* Shapes in the picture. One over the depth changes evenly across a triangle's picture, so that is what is
 * scanned. */
#include "frame.h"
#include "scan.h"

#include <math.h>

/* Closer than this nothing is drawn, m along the view. */
#define NEAR_DEPTH 1e-3f

/* A pane that is seen at a slant is thicker, up to this many times. */
#define MOST_SLANT 7.0f

/* The triangle that is being drawn. */
typedef struct drawing {
    frame *f;
    const drawn_shape *shape;
    uint32_t seen; /* as in frame.seen */
} drawing;

static void draw_solid_line(void *context, const scan_line *line)
{
    const drawing *d = context;
    size_t start = (size_t)line->row * (size_t)d->f->width;
    for (int column = line->first; column <= line->last; column++) {
        float depth = 1.0f / scan_value(line, column);
        if (depth < d->f->depth[start + (size_t)column]) {
            d->f->depth[start + (size_t)column] = depth;
            d->f->seen[start + (size_t)column] = d->seen;
        }
    }
}

static void draw_glass_line(void *context, const scan_line *line)
{
    const drawing *d = context;
    frame *f = d->f;
    size_t start = (size_t)line->row * (size_t)f->width;
    for (int column = line->first; column <= line->last; column++) {
        float depth = 1.0f / scan_value(line, column);
        if (!(depth < f->depth[start + (size_t)column]))
            continue;
        mote_vec3 ray = frame_ray(f, (float)column + 0.5f, (float)line->row + 0.5f);
        mote_vec3 point = vector_add(f->input->eye, vector_scale(ray, depth));
        float across = -vector_dot(frame_normal(f, d->seen, point), vector_unit(ray));
        f->glass[start + (size_t)column] += d->shape->glass * smaller(1.0f / larger(across, 1e-3f), MOST_SLANT);
    }
}

static scan_corner project(const frame *f, mote_vec3 place)
{
    float inverse = 1.0f / place.z;
    return (scan_corner){0.5f * (float)f->width + f->focal * place.x * inverse,
                         0.5f * (float)f->height - f->focal * place.y * inverse, inverse};
}

/* The part of a triangle, in the camera's axes, that lies beyond NEAR_DEPTH: up to four corners. */
static int cut_near(const mote_vec3 corners[3], mote_vec3 kept[4])
{
    int count = 0;
    for (int i = 0; i < 3; i++) {
        mote_vec3 a = corners[i], b = corners[(i + 1) % 3];
        if (a.z >= NEAR_DEPTH)
            kept[count++] = a;
        if ((a.z >= NEAR_DEPTH) != (b.z >= NEAR_DEPTH)) {
            kept[count] = vector_mix(a, b, (NEAR_DEPTH - a.z) / (b.z - a.z));
            kept[count++].z = NEAR_DEPTH;
        }
    }
    return count;
}

static void draw_triangle(drawing *d, const mote_vec3 corners[3], scan_work *work)
{
    mote_vec3 kept[4];
    scan_corner projected[4];
    int count = cut_near(corners, kept);
    for (int i = 0; i < count; i++)
        projected[i] = project(d->f, kept[i]);
    if (count >= 3)
        scan_triangle(projected, d->f->width, d->f->height, work, d);
    if (count == 4)
        scan_triangle((scan_corner[3]){projected[0], projected[2], projected[3]}, d->f->width, d->f->height,
                      work, d);
}

/* Draws those triangles of a shape that are glass, or those that are not. */
static void draw_shape(frame *f, const drawn_shape *shape, bool glass)
{
    if (shape->look != LOOK_VESSEL && (shape->look == LOOK_GLASS) != glass)
        return;
    drawing d = {f, shape, FRAME_TRIANGLE + shape->first};
    for (size_t i = 0; i < shape->form->vertex_count; i++) {
        mote_vec3 way = vector_sub(shape_vertex(shape, (uint32_t)i), f->input->eye);
        f->places[i] =
            (mote_vec3){vector_dot(way, f->right), vector_dot(way, f->up), vector_dot(way, f->forward)};
    }
    for (size_t i = 0; i < shape->form->triangle_count; i++, d.seen++) {
        const uint32_t *triangle = shape->form->triangles + 3 * i;
        mote_vec3 corners[3] = {f->places[triangle[0]], f->places[triangle[1]], f->places[triangle[2]]};
        if (shape->look != LOOK_VESSEL || vessel_shows_outside(shape, i, f->input->eye, false) == glass)
            draw_triangle(&d, corners, glass ? draw_glass_line : draw_solid_line);
    }
}

void raster_shapes(frame *f)
{
    for (uint32_t i = 0; i < f->input->shapes.count; i++)
        draw_shape(f, &f->input->shapes.items[i], false);
}

void raster_glass_shapes(frame *f)
{
    for (uint32_t i = 0; i < f->input->shapes.count; i++)
        draw_shape(f, &f->input->shapes.items[i], true);
}

const drawn_shape *frame_shape(const frame *f, uint32_t seen)
{
    const shape_list *shapes = &f->input->shapes;
    uint32_t low = 0, high = shapes->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (shapes->items[middle].first <= seen - FRAME_TRIANGLE)
            low = middle;
        else
            high = middle;
    }
    return &shapes->items[low];
}

/* A triangle's corners, seen from a point, and the indices of its vertices. */
typedef struct seen_triangle {
    const drawn_shape *shape;
    const uint32_t *vertices;
    mote_vec3 a, b, c; /* m */
    mote_vec3 flat;    /* across it, on its outer side, as long as twice its area */
} seen_triangle;

static seen_triangle find_triangle(const frame *f, uint32_t seen, mote_vec3 point)
{
    seen_triangle t = {.shape = frame_shape(f, seen)};
    t.vertices = t.shape->form->triangles + 3 * (size_t)(seen - FRAME_TRIANGLE - t.shape->first);
    t.a = vector_sub(shape_vertex(t.shape, t.vertices[0]), point);
    t.b = vector_sub(shape_vertex(t.shape, t.vertices[1]), point);
    t.c = vector_sub(shape_vertex(t.shape, t.vertices[2]), point);
    t.flat = vector_cross(vector_sub(t.b, t.a), vector_sub(t.c, t.a));
    return t;
}

/* On the side that the eye sees. */
static mote_vec3 face_eye(const frame *f, mote_vec3 point, mote_vec3 flat, mote_vec3 normal)
{
    return vector_dot(flat, vector_sub(f->input->eye, point)) < 0.0f ? vector_scale(normal, -1.0f) : normal;
}

mote_vec3 frame_flat_normal(const frame *f, uint32_t seen, mote_vec3 point)
{
    seen_triangle t = find_triangle(f, seen, point);
    return face_eye(f, point, t.flat, vector_unit(t.flat));
}

mote_vec3 frame_smooth_normal(const frame *f, uint32_t seen, mote_vec3 point)
{
    seen_triangle t = find_triangle(f, seen, point);
    float all = larger(vector_dot(t.flat, t.flat), 1e-30f);
    float of_a = clamp01(vector_dot(vector_cross(t.b, t.c), t.flat) / all);
    float of_b = clamp01(vector_dot(vector_cross(t.c, t.a), t.flat) / all);
    const model_vertex *vertices = t.shape->form->vertices;
    mote_vec3 own = vector_add(vector_scale(vertices[t.vertices[0]].normal, of_a),
                               vector_add(vector_scale(vertices[t.vertices[1]].normal, of_b),
                                          vector_scale(vertices[t.vertices[2]].normal, 1.0f - of_a - of_b)));
    return face_eye(f, point, t.flat, vector_unit(shape_turn(t.shape, own)));
}
