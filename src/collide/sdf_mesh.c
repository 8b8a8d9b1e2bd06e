/* The distance field of a closed mesh. Near the surface the distances are exact. Further away, where they only
 * say how far one may go without looking, they follow from the near ones: the sign from the neighbour, since no
 * surface is between, the size by the rule that a distance grows by 1 m a metre (fast sweeping: Zhao, 2005). */
#include "base/error.h"
#include "collide/sdf_grid.h"
#include "world/check.h"

#define MARGIN  2.0   /* cells around the mesh */
#define BAND    3.0   /* cells: nodes that are nearer to the surface are exact */
#define RUN     8u    /* nodes that are looked at together */
#define UNKNOWN 1e30f /* m */

typedef struct field {
    mt_sdf *sdf;
    uint8_t *exact; /* one a node */
} field;

/* ---- the grid ------------------------------------------------------------------------------------------- */

static mote_result choose_count(const char *axis, double extent, double cell, uint32_t *count)
{
    double needed = ceil(extent / cell) + 2 * MARGIN + 1;
    if (needed > MT_SDF_MAX_SIDE)
        return mt_fail(MOTE_ERROR_ARGUMENT,
                       "sdf cells of %g m need %.0f nodes along %s for a mesh of %g m; there may be %u", cell,
                       needed, axis, extent, MT_SDF_MAX_SIDE);
    *count = (uint32_t)needed;
    return MOTE_OK;
}

static mote_result choose_grid(const mote_mesh *source, float cell, mote_vec3 *origin, uint32_t count[3])
{
    MT_TRY(mt_check_positive("cell", cell, 1e6f));
    mt_box box = mt_box_empty();
    for (size_t i = 0; i < 3 * source->triangle_count; i++)
        box = mt_box_with(box, source->vertices[source->triangles[i]]);
    MT_TRY(choose_count("x", (double)box.max.x - (double)box.min.x, (double)cell, &count[0]));
    MT_TRY(choose_count("y", (double)box.max.y - (double)box.min.y, (double)cell, &count[1]));
    MT_TRY(choose_count("z", (double)box.max.z - (double)box.min.z, (double)cell, &count[2]));
    *origin = mt_sub(box.min, (mote_vec3){(float)MARGIN * cell, (float)MARGIN * cell, (float)MARGIN * cell});
    return MOTE_OK;
}

static mote_vec3 node_at(const mt_sdf *sdf, uint32_t i, uint32_t j, uint32_t k)
{
    double cell = (double)sdf->cell;
    return (mote_vec3){(float)((double)sdf->origin.x + i * cell), (float)((double)sdf->origin.y + j * cell),
                       (float)((double)sdf->origin.z + k * cell)};
}

static size_t node_of(const mt_sdf *sdf, uint32_t i, uint32_t j, uint32_t k)
{
    return ((size_t)k * sdf->count[1] + j) * sdf->count[0] + i;
}

/* ---- near the surface ----------------------------------------------------------------------------------- */

/* The neighbour that has been set before, as the nodes are set in their order. */
static size_t earlier_neighbor(const mt_sdf *sdf, uint32_t i, uint32_t j, uint32_t k)
{
    return i > 0 ? node_of(sdf, i - 1, j, k) : j > 0 ? node_of(sdf, i, j - 1, k) : node_of(sdf, i, j, k - 1);
}

/* Values of a node near the surface, or UNKNOWN with the right sign. The first node is exact, since the signs
 * start there. */
static void set_node(const field *f, const mt_mesh *mesh, uint32_t i, uint32_t j, uint32_t k, bool far)
{
    const mt_sdf *sdf = f->sdf;
    size_t node = node_of(sdf, i, j, k);
    mote_vec3 x = node_at(sdf, i, j, k);
    float band = (float)BAND * sdf->cell;
    f->exact[node] = node == 0 || (!far && mt_mesh_distance(mesh, x, band) < band);
    if (f->exact[node])
        sdf->values[node] = mt_mesh_signed_distance(mesh, x);
    else
        sdf->values[node] = copysignf(UNKNOWN, sdf->values[earlier_neighbor(sdf, i, j, k)]);
}

/* One look from the middle of several nodes in a row tells whether any of them may be near the surface. */
static void set_nodes(const field *f, const mt_mesh *mesh)
{
    const mt_sdf *sdf = f->sdf;
    float reach = (float)(BAND + RUN / 2) * sdf->cell;
    for (uint32_t k = 0; k < sdf->count[2]; k++)
        for (uint32_t j = 0; j < sdf->count[1]; j++)
            for (uint32_t first = 0; first < sdf->count[0]; first += RUN) {
                mote_vec3 middle = node_at(sdf, first + RUN / 2, j, k);
                bool far = mt_mesh_distance(mesh, middle, reach) >= reach;
                for (uint32_t i = first; i < first + RUN && i < sdf->count[0]; i++)
                    set_node(f, mesh, i, j, k, far);
            }
}

/* ---- further away --------------------------------------------------------------------------------------- */

/* The smaller of the distances of a node's two neighbours along an axis. */
static double smaller_beside(const mt_sdf *sdf, size_t node, uint32_t index, uint32_t count, size_t stride)
{
    float before = index > 0 ? fabsf(sdf->values[node - stride]) : UNKNOWN;
    float after = index + 1 < count ? fabsf(sdf->values[node + stride]) : UNKNOWN;
    return (double)(before < after ? before : after);
}

static void order(double *a, double *b)
{
    if (*a <= *b)
        return;
    double swap = *a;
    *a = *b;
    *b = swap;
}

static double root_of(double square)
{
    return square > 0 ? sqrt(square) : 0; /* below 0 by rounding only */
}

/* The distance that makes the gradient 1 m a metre, from the smaller neighbours along the three axes. */
static double grown_from(double a, double b, double c, double cell)
{
    order(&a, &b);
    order(&b, &c);
    order(&a, &b);
    double d = a + cell;
    if (d <= b)
        return d;
    d = 0.5 * (a + b + root_of(2 * cell * cell - (a - b) * (a - b)));
    if (d <= c)
        return d;
    double p = b - a, q = c - a; /* relative to the smallest, which loses no digits */
    double sum = p + q, root = sum * sum - 3 * (p * p + q * q - cell * cell);
    return a + (sum + root_of(root)) / 3;
}

static void relax(const field *f, uint32_t i, uint32_t j, uint32_t k)
{
    mt_sdf *sdf = f->sdf;
    size_t node = node_of(sdf, i, j, k), row = sdf->count[0], layer = row * sdf->count[1];
    if (f->exact[node])
        return;
    double x = smaller_beside(sdf, node, i, sdf->count[0], 1);
    double y = smaller_beside(sdf, node, j, sdf->count[1], row);
    double z = smaller_beside(sdf, node, k, sdf->count[2], layer);
    float d = (float)grown_from(x, y, z, (double)sdf->cell);
    if (d < fabsf(sdf->values[node]))
        sdf->values[node] = copysignf(d, sdf->values[node]);
}

/* Once through all nodes, from the corner that the three bits name to the opposite one. */
static void sweep(const field *f, uint32_t corner)
{
    const uint32_t *count = f->sdf->count;
    for (uint32_t c = 0; c < count[2]; c++)
        for (uint32_t b = 0; b < count[1]; b++)
            for (uint32_t a = 0; a < count[0]; a++)
                relax(f, corner & 1 ? count[0] - 1 - a : a, corner & 2 ? count[1] - 1 - b : b,
                      corner & 4 ? count[2] - 1 - c : c);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static mote_result fill(mt_sdf *sdf, mt_memory *memory, const mote_mesh *source)
{
    field f = {sdf, mt_allocate(memory, sdf->node_count)};
    if (f.exact == NULL)
        return MOTE_ERROR_MEMORY;
    mt_mesh *mesh = mt_mesh_make(memory, source);
    mote_result result = mesh != NULL ? MOTE_OK : mote_last_result();
    if (mesh != NULL) {
        set_nodes(&f, mesh);
        for (uint32_t corner = 0; corner < 8; corner++)
            sweep(&f, corner);
        mt_sdf_measure(sdf);
        mt_mesh_free(mesh, memory);
    }
    mt_release(memory, f.exact, sdf->node_count);
    return result;
}

mt_sdf *mt_sdf_make_from_mesh(mt_memory *memory, const mote_mesh *source, float cell)
{
    mote_vec3 origin;
    uint32_t count[3];
    if (choose_grid(source, cell, &origin, count) != MOTE_OK)
        return NULL;
    mt_sdf *sdf = mt_sdf_make_grid(memory, origin, cell, count);
    if (sdf == NULL || fill(sdf, memory, source) == MOTE_OK)
        return sdf;
    mt_sdf_free(sdf, memory);
    return NULL;
}
