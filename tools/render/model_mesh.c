/* Meshes with normals at their corners. The normal of a corner is the mean of the triangles that meet there and
 * are nearly in line with its own, so that a torus is smooth and a cube has edges. Each counts by its angle
 * there, so that it does not matter how a face is cut into triangles. */
#include "model.h"

#include "vector.h"

#include <stdlib.h>
#include <string.h>

/* Triangles that bend less than this count as one surface: the cosine of 40 degrees. */
#define SMOOTH_COSINE 0.766f

/* Where more triangles meet than this, each keeps its own normal. */
#define MOST_NEIGHBORS 256u

/* What is known of a mesh while its normals are made. */
typedef struct net {
    const mote_mesh *mesh;
    uint32_t *same;   /* of each vertex: the first one at the same place */
    size_t *first;    /* of each vertex: its first entry in `around`; one more at the end */
    uint32_t *around; /* corners (3 x triangle + 0, 1 or 2) at each vertex, vertex by vertex */
    mote_vec3 *units; /* of each triangle: its normal */
    float *angles;    /* of each corner */
} net;

static uint32_t hash_place(mote_vec3 place)
{
    uint32_t bits[3];
    memcpy(bits, &place, sizeof bits);
    uint32_t hash = bits[0] * 73856093u ^ bits[1] * 19349663u ^ bits[2] * 83492791u;
    hash = (hash ^ hash >> 16) * 2246822519u;
    return hash ^ hash >> 13;
}

static bool same_place(mote_vec3 a, mote_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Finds vertices at the same place with a table of open addressing. False without memory. */
static bool find_same(net *n)
{
    size_t count = n->mesh->vertex_count, size = 64;
    while (size < 2 * count)
        size *= 2;
    uint32_t *table = malloc(size * sizeof *table);
    if (table == NULL)
        return false;
    memset(table, 0xFF, size * sizeof *table);
    for (size_t i = 0; i < count; i++) {
        mote_vec3 place = vector_add(n->mesh->vertices[i], (mote_vec3){0, 0, 0}); /* -0 becomes 0 */
        size_t at = hash_place(place) & (size - 1);
        while (table[at] != UINT32_MAX && !same_place(n->mesh->vertices[table[at]], place))
            at = (at + 1) & (size - 1);
        if (table[at] == UINT32_MAX)
            table[at] = (uint32_t)i;
        n->same[i] = table[at];
    }
    free(table);
    return true;
}

/* Lists the triangles around each vertex: counts them, adds the counts up, and fills in backwards. */
static void list_around(net *n)
{
    size_t corners = 3 * n->mesh->triangle_count, count = n->mesh->vertex_count;
    for (size_t i = 0; i < corners; i++)
        n->first[n->same[n->mesh->triangles[i]]]++;
    for (size_t i = 1; i <= count; i++)
        n->first[i] += n->first[i - 1];
    for (size_t i = corners; i-- > 0;)
        n->around[--n->first[n->same[n->mesh->triangles[i]]]] = (uint32_t)i;
}

static void measure_triangles(net *n)
{
    for (size_t i = 0; i < n->mesh->triangle_count; i++) {
        mote_vec3 corners[3], sides[3];
        for (size_t k = 0; k < 3; k++)
            corners[k] = n->mesh->vertices[n->mesh->triangles[3 * i + k]];
        for (size_t k = 0; k < 3; k++)
            sides[k] = vector_unit(vector_sub(corners[(k + 1) % 3], corners[k]));
        for (size_t k = 0; k < 3; k++)
            n->angles[3 * i + k] =
                acosf(larger(-1.0f, smaller(1.0f, -vector_dot(sides[k], sides[(k + 2) % 3]))));
        n->units[i] =
            vector_unit(vector_cross(vector_sub(corners[1], corners[0]), vector_sub(corners[2], corners[0])));
    }
}

static void net_destroy(net *n)
{
    free(n->same);
    free(n->first);
    free(n->around);
    free(n->units);
    free(n->angles);
}

static bool net_create(net *n, const mote_mesh *mesh)
{
    *n = (net){.mesh = mesh};
    n->same = malloc((mesh->vertex_count + 1) * sizeof *n->same);
    n->first = calloc(mesh->vertex_count + 1, sizeof *n->first);
    n->around = malloc((3 * mesh->triangle_count + 1) * sizeof *n->around);
    n->units = malloc((mesh->triangle_count + 1) * sizeof *n->units);
    n->angles = malloc((3 * mesh->triangle_count + 1) * sizeof *n->angles);
    if (n->same == NULL || n->first == NULL || n->around == NULL || n->units == NULL || n->angles == NULL ||
        !find_same(n)) {
        net_destroy(n);
        return false;
    }
    list_around(n);
    measure_triangles(n);
    return true;
}

static mote_vec3 corner_normal(const net *n, size_t triangle, uint32_t vertex)
{
    mote_vec3 own = n->units[triangle], sum = {0, 0, 0};
    size_t first = n->first[n->same[vertex]], end = n->first[n->same[vertex] + 1];
    if (end - first > MOST_NEIGHBORS)
        return own;
    for (size_t i = first; i < end; i++) {
        uint32_t corner = n->around[i];
        float along = vector_dot(own, n->units[corner / 3]);
        if (fabsf(along) > SMOOTH_COSINE) /* below 0: a neighbour that is wound the other way round */
            sum = vector_add(sum, vector_scale(n->units[corner / 3], copysignf(n->angles[corner], along)));
    }
    float length = vector_length(sum);
    return length > 0.0f ? vector_scale(sum, 1.0f / length) : own;
}

void model_make_mesh(model *m, const mote_mesh *mesh)
{
    net n;
    if (!net_create(&n, mesh)) {
        m->failed = true;
        return;
    }
    for (size_t i = 0; i < mesh->triangle_count && !m->failed; i++) {
        uint32_t corners[3];
        for (int k = 0; k < 3; k++) {
            uint32_t vertex = mesh->triangles[3 * i + (size_t)k];
            corners[k] = model_add_vertex(m, mesh->vertices[vertex], corner_normal(&n, i, vertex));
        }
        model_add_triangle(m, corners[0], corners[1], corners[2]);
    }
    net_destroy(&n);
}
