#include "mesh_models.h"

#include <math.h>

model shared_model;

uint32_t model_vertex(mote_vec3 at)
{
    shared_model.vertices[shared_model.vertex_count] = at;
    return shared_model.vertex_count++;
}

void model_triangle(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *to = &shared_model.triangles[3 * shared_model.triangle_count++];
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

void model_clear(void)
{
    shared_model.vertex_count = shared_model.triangle_count = 0;
}

mote_mesh model_source(void)
{
    return (mote_mesh){shared_model.vertices, shared_model.vertex_count, shared_model.triangles,
                       shared_model.triangle_count};
}

void build_torus(uint32_t around, uint32_t across, float tube)
{
    model_clear();
    for (uint32_t i = 0; i < around; i++)
        for (uint32_t j = 0; j < across; j++) {
            double u = 2 * TEST_PI * i / around, v = 2 * TEST_PI * j / across;
            double r = 1 + (double)tube * cos(v);
            model_vertex(vec((float)(r * cos(u)), (float)((double)tube * sin(v)), (float)(r * sin(u))));
        }
    for (uint32_t i = 0; i < around; i++)
        for (uint32_t j = 0; j < across; j++) {
            uint32_t a = i * across + j, b = (i + 1) % around * across + j;
            uint32_t c = (i + 1) % around * across + (j + 1) % across, d = i * across + (j + 1) % across;
            model_triangle(a, c, b);
            model_triangle(a, d, c);
        }
}

void build_sphere(uint32_t around, uint32_t down)
{
    model_clear();
    for (uint32_t j = 0; j <= down; j++)
        for (uint32_t i = 0; i < around; i++) {
            double u = 2 * TEST_PI * i / around, v = TEST_PI * j / down;
            double ring = j == 0 || j == down ? 0 : sin(v); /* the poles meet, and their triangles vanish */
            model_vertex(vec((float)(ring * cos(u)), (float)cos(v), (float)(ring * sin(u))));
        }
    for (uint32_t j = 0; j < down; j++)
        for (uint32_t i = 0; i < around; i++) {
            uint32_t a = j * around + i, b = j * around + (i + 1) % around;
            model_triangle(a, b, b + around);
            model_triangle(a, b + around, a + around);
        }
}

void build_cube(uint32_t cells)
{
    model_clear();
    for (int side = 0; side < 6; side++) {
        uint32_t first = shared_model.vertex_count;
        for (uint32_t j = 0; j <= cells; j++)
            for (uint32_t i = 0; i <= cells; i++) {
                float u = 2.0f * (float)i / (float)cells - 1, v = 2.0f * (float)j / (float)cells - 1;
                float w = side % 2 ? 1.0f : -1.0f;
                model_vertex(side / 2 == 0 ? vec(w, u, v) : side / 2 == 1 ? vec(v, w, u) : vec(u, v, w));
            }
        for (uint32_t j = 0; j < cells; j++)
            for (uint32_t i = 0; i < cells; i++) {
                uint32_t a = first + j * (cells + 1) + i, b = a + 1, c = a + cells + 1, d = c + 1;
                if (side % 2) {
                    model_triangle(a, b, d);
                    model_triangle(a, d, c);
                } else {
                    model_triangle(a, d, b);
                    model_triangle(a, c, d);
                }
            }
    }
}

static float coarse(float a)
{
    return roundf(a * 524288.0f) / 524288.0f;
}

void build_star(void)
{
    build_cube(2);
    uint32_t count = shared_model.triangle_count;
    uint64_t seed = 5;
    for (uint32_t t = 0; t < count; t++) {
        uint32_t a = shared_model.triangles[3 * t], b = shared_model.triangles[3 * t + 1],
                 c = shared_model.triangles[3 * t + 2];
        mote_vec3 p = shared_model.vertices[a], q = shared_model.vertices[b], r = shared_model.vertices[c];
        float height = random_between(&seed, 0.55f, 4.0f) / 3;
        mote_vec3 tip = vec((p.x + q.x + r.x) * height, (p.y + q.y + r.y) * height, (p.z + q.z + r.z) * height);
        uint32_t d = model_vertex(vec(coarse(tip.x), coarse(tip.y), coarse(tip.z)));
        shared_model.triangles[3 * t + 2] = d;
        model_triangle(b, c, d);
        model_triangle(c, a, d);
    }
}

void build_floor(uint32_t cells, float slope)
{
    model_clear();
    for (uint32_t j = 0; j <= cells; j++)
        for (uint32_t i = 0; i <= cells; i++)
            model_vertex(vec((float)i, slope * (float)i, (float)j));
    for (uint32_t j = 0; j < cells; j++)
        for (uint32_t i = 0; i < cells; i++) {
            uint32_t a = j * (cells + 1) + i, b = a + 1, c = a + cells + 1, d = c + 1;
            bool falling = (i + j) % 2 == 0;
            model_triangle(a, c, falling ? d : b);
            model_triangle(falling ? a : c, d, b);
        }
}

mote_vec3 random_point(uint64_t *seed, float half)
{
    float x = random_between(seed, -half, half), y = random_between(seed, -half, half);
    return vec(x, y, random_between(seed, -half, half));
}

wide wide_from(mote_vec3 origin, mote_vec3 a)
{
    return (wide){(double)a.x - (double)origin.x, (double)a.y - (double)origin.y,
                  (double)a.z - (double)origin.z};
}

static wide plus(wide a, wide b, double s)
{
    return (wide){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

double wide_dot(wide a, wide b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static wide crossed(wide a, wide b)
{
    return (wide){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double segment_square(wide a, wide b)
{
    wide edge = plus(b, a, -1);
    double t = fmin(fmax(-wide_dot(a, edge) / wide_dot(edge, edge), 0), 1);
    wide p = plus(a, edge, t);
    return wide_dot(p, p);
}

/* By barycentric coordinates and, outside, the three sides. */
double triangle_square(wide a, wide b, wide c)
{
    wide u = plus(b, a, -1), v = plus(c, a, -1);
    double uu = wide_dot(u, u), uv = wide_dot(u, v), vv = wide_dot(v, v), au = -wide_dot(a, u),
           av = -wide_dot(a, v);
    double area = uu * vv - uv * uv, s = (au * vv - av * uv) / area, t = (av * uu - au * uv) / area;
    if (s >= 0 && t >= 0 && s + t <= 1) {
        wide p = plus(plus(a, u, s), v, t);
        return wide_dot(p, p);
    }
    return fmin(segment_square(a, b), fmin(segment_square(b, c), segment_square(c, a)));
}

truth truth_of(const mote_mesh *mesh, mote_vec3 x)
{
    double square = (double)INFINITY, turns = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = &mesh->triangles[3 * t];
        wide a = wide_from(x, mesh->vertices[corner[0]]), b = wide_from(x, mesh->vertices[corner[1]]),
             c = wide_from(x, mesh->vertices[corner[2]]);
        square = fmin(square, triangle_square(a, b, c));
        double la = sqrt(wide_dot(a, a)), lb = sqrt(wide_dot(b, b)), lc = sqrt(wide_dot(c, c));
        turns += 2 * atan2(wide_dot(a, crossed(b, c)),
                           la * lb * lc + wide_dot(a, b) * lc + wide_dot(b, c) * la + wide_dot(c, a) * lb);
    }
    return (truth){sqrt(square), turns / (4 * TEST_PI)};
}

double height_over(mote_vec3 normal, float offset, mote_vec3 x)
{
    const mote_vec3 origin = {0, 0, 0};
    return wide_dot(wide_from(origin, normal), wide_from(origin, x)) - (double)offset;
}

mt_memory memory;

int nothing_leaks(void **state)
{
    (void)state;
    size_t held = memory.held;
    memory.held = 0; /* the next test starts anew */
    check_true(held == 0, "%zu bytes are still held", held);
    return 0;
}
