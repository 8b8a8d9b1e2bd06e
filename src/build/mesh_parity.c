/* Filling by parity. A layer of the lattice, z = constant, cuts a triangle in a segment between two of its
 * edges; a row of the layer, y = constant, crosses the segment in a point. Edges and segments hold their lower
 * end but not their upper one, and the cut of an edge is computed the same from both of its triangles, to the
 * bit. So every row crosses a closed surface an even number of times, also through corners and along edges. */
#include "base/sort.h"
#include "base/vec.h"
#include "build/mesh_lattice.h"
#include "world/check.h"

typedef struct crossing {
    uint32_t row; /* j */
    double x;     /* m */
} crossing;

/* The layers that a triangle reaches. */
typedef struct span {
    uint32_t first, end;
    uint32_t triangle;
} span;

typedef struct filler {
    mt_memory *memory;
    const mote_mesh *mesh;
    const mt_lattice *lattice;
    mt_samples *samples;
    mt_array spans;     /* span, with as many again to sort; by the first layer */
    mt_array active;    /* span: those of the current layer */
    mt_array crossings; /* crossing, with as many again to sort */
    size_t span_count, active_count, crossing_count;
} filler;

static double coordinate(const mt_lattice *lattice, int axis, double index)
{
    return lattice->first[axis] + index * lattice->spacing;
}

/* The first index whose coordinate is not below x, 0 .. count. */
static uint32_t index_from(const mt_lattice *lattice, int axis, double x)
{
    double index = ceil((x - lattice->first[axis]) / lattice->spacing);
    index = fmin(fmax(index, 0.0), (double)lattice->count[axis]);
    /* The division is rounded, the comparison is not. */
    if (index > 0 && coordinate(lattice, axis, index - 1) >= x)
        index--;
    if (index < (double)lattice->count[axis] && coordinate(lattice, axis, index) < x)
        index++;
    return (uint32_t)index;
}

/* ---- layers --------------------------------------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
    const span *p = a, *q = b;
    return p->first < q->first ? -1 : p->first > q->first ? 1 : 0;
}

static void find_spans(filler *f)
{
    span *spans = f->spans.data;
    for (size_t t = 0; t < f->mesh->triangle_count; t++) {
        const uint32_t *corner = f->mesh->triangles + 3 * t;
        float a = f->mesh->vertices[corner[0]].z, b = f->mesh->vertices[corner[1]].z;
        float c = f->mesh->vertices[corner[2]].z;
        span s = {index_from(f->lattice, 2, (double)fminf(a, fminf(b, c))),
                  index_from(f->lattice, 2, (double)fmaxf(a, fmaxf(b, c))), (uint32_t)t};
        if (s.first < s.end)
            spans[f->span_count++] = s;
    }
    mt_merge_sort(spans, spans + f->span_count, f->span_count, sizeof *spans, by_first);
}

/* Drops the spans that end before the layer; takes those that begin with it. */
static size_t update_active(filler *f, uint32_t layer, size_t next)
{
    const span *spans = f->spans.data;
    span *active = f->active.data;
    size_t kept = 0;
    for (size_t i = 0; i < f->active_count; i++)
        if (active[i].end > layer)
            active[kept++] = active[i];
    while (next < f->span_count && spans[next].first == layer)
        active[kept++] = spans[next++];
    f->active_count = kept;
    return next;
}

/* ---- cuts ----------------------------------------------------------------------------------------------- */

typedef struct cut {
    double x, y;
} cut;

/* Where an edge meets the layer, if it does; always computed from its lower end. */
static bool cut_edge(mote_vec3 a, mote_vec3 b, double z, cut *out)
{
    if (((double)a.z <= z) == ((double)b.z <= z))
        return false;
    if (b.z < a.z) {
        mote_vec3 swap = a;
        a = b;
        b = swap;
    }
    double part = (z - (double)a.z) / ((double)b.z - (double)a.z);
    out->x = (double)a.x + part * ((double)b.x - (double)a.x);
    out->y = (double)a.y + part * ((double)b.y - (double)a.y);
    return true;
}

static bool cut_triangle(const filler *f, uint32_t triangle, double z, cut ends[2])
{
    const uint32_t *corner = f->mesh->triangles + 3 * (size_t)triangle;
    const mote_vec3 *vertices = f->mesh->vertices;
    cut found;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; i++)
        if (cut_edge(vertices[corner[i]], vertices[corner[(i + 1) % 3]], z, &found))
            ends[count++ & 1] = found; /* none or two: an edge is on one side or on both */
    if (count < 2)
        return false;
    if (ends[0].y > ends[1].y) {
        cut swap = ends[0];
        ends[0] = ends[1];
        ends[1] = swap;
    }
    return true;
}

static mote_result cross_rows(filler *f, const cut ends[2])
{
    uint32_t first = index_from(f->lattice, 1, ends[0].y), end = index_from(f->lattice, 1, ends[1].y);
    if (first >= end)
        return MOTE_OK;
    size_t needed = f->crossing_count + (end - first);
    MT_TRY(mt_array_reserve(&f->crossings, f->memory, 2 * needed, f->crossing_count));
    crossing *crossings = f->crossings.data;
    for (uint32_t j = first; j < end; j++) {
        double part = (coordinate(f->lattice, 1, j) - ends[0].y) / (ends[1].y - ends[0].y);
        crossings[f->crossing_count++] = (crossing){j, ends[0].x + part * (ends[1].x - ends[0].x)};
    }
    return MOTE_OK;
}

static int by_row(const void *a, const void *b)
{
    const crossing *p = a, *q = b;
    if (p->row != q->row)
        return p->row < q->row ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x ? 1 : 0;
}

/* Inside is between the first crossing of a row and the second, the third and the fourth, ... */
static mote_result fill_layer(filler *f, uint32_t layer)
{
    double z = coordinate(f->lattice, 2, layer);
    const span *active = f->active.data;
    f->crossing_count = 0;
    for (size_t i = 0; i < f->active_count; i++) {
        cut ends[2];
        if (cut_triangle(f, active[i].triangle, z, ends))
            MT_TRY(cross_rows(f, ends));
    }
    crossing *c = f->crossings.data;
    if (f->crossing_count > 0)
        mt_merge_sort(c, c + f->crossing_count, f->crossing_count, sizeof *c, by_row);
    for (size_t i = 0; i + 1 < f->crossing_count; i += 2)
        MT_TRY(mt_samples_add(f->samples, f->lattice, index_from(f->lattice, 0, c[i].x),
                              index_from(f->lattice, 0, c[i + 1].x), c[i].row, layer));
    return MOTE_OK;
}

static mote_result fill(filler *f)
{
    MT_TRY(mt_array_reserve(&f->spans, f->memory, 2 * f->mesh->triangle_count, 0));
    MT_TRY(mt_array_reserve(&f->active, f->memory, f->mesh->triangle_count, 0));
    find_spans(f);
    size_t next = 0;
    for (uint32_t layer = 0; layer < f->lattice->count[2]; layer++) {
        next = update_active(f, layer, next);
        MT_TRY(fill_layer(f, layer));
    }
    return MOTE_OK;
}

mote_result mt_sample_by_parity(mt_memory *memory, const mote_mesh *mesh, const mt_lattice *lattice,
                                mt_samples *samples)
{
    filler f = {.memory = memory, .mesh = mesh, .lattice = lattice, .samples = samples};
    mt_array_init(&f.spans, sizeof(span));
    mt_array_init(&f.active, sizeof(span));
    mt_array_init(&f.crossings, sizeof(crossing));
    mote_result result = fill(&f);
    mt_array_free(&f.spans, memory);
    mt_array_free(&f.active, memory);
    mt_array_free(&f.crossings, memory);
    return result;
}
