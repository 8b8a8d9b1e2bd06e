/* Filling a mesh with points. */
#include "base/error.h"
#include "build/mesh_lattice.h"
#include "collide/collide.h"
#include "world/check.h"
#include "world/mesh_check.h"

mote_sample_def mote_default_sample_def(void)
{
    return (mote_sample_def){.spacing = 0.1f, .method = MOTE_SAMPLE_PARITY};
}

/* ---- the lattice ---------------------------------------------------------------------------------------- */

static mote_result too_many_points(float spacing)
{
    return mt_fail(MOTE_ERROR_LIMIT, "sample.spacing is %g m: the mesh would have more than %zu points",
                   (double)spacing, MT_MESH_COUNT_LIMIT);
}

/* As many cubes as come nearest to the extent, at least one, in the middle. */
static mote_result choose_axis(mt_lattice *lattice, int axis, float low, float high)
{
    double extent = (double)high - (double)low;
    double count = fmax(floor(extent / lattice->spacing + 0.5), 1.0);
    if (count > (double)MT_MESH_COUNT_LIMIT)
        return too_many_points((float)lattice->spacing);
    lattice->count[axis] = (uint32_t)count;
    lattice->first[axis] = 0.5 * ((double)low + (double)high) - 0.5 * (count - 1) * lattice->spacing;
    return MOTE_OK;
}

static mote_result choose_lattice(mt_lattice *lattice, const mote_mesh_report *report, float spacing)
{
    lattice->spacing = (double)spacing;
    double cubes = fabs(report->volume) / (lattice->spacing * lattice->spacing * lattice->spacing);
    if (cubes > 1.5 * (double)MT_MESH_COUNT_LIMIT) /* no need to try */
        return too_many_points(spacing);
    MT_TRY(choose_axis(lattice, 0, report->min.x, report->max.x));
    MT_TRY(choose_axis(lattice, 1, report->min.y, report->max.y));
    return choose_axis(lattice, 2, report->min.z, report->max.z);
}

static mote_vec3 lattice_point(const mt_lattice *lattice, uint32_t i, uint32_t j, uint32_t k)
{
    return (mote_vec3){(float)(lattice->first[0] + i * lattice->spacing),
                       (float)(lattice->first[1] + j * lattice->spacing),
                       (float)(lattice->first[2] + k * lattice->spacing)};
}

mote_result mt_samples_add(mt_samples *samples, const mt_lattice *lattice, uint32_t first, uint32_t end,
                           uint32_t j, uint32_t k)
{
    for (uint32_t i = first; i < end; i++) {
        if (samples->count == MT_MESH_COUNT_LIMIT)
            return too_many_points((float)lattice->spacing);
        if (samples->count < samples->capacity)
            samples->points[samples->count] = lattice_point(lattice, i, j, k);
        samples->count++;
    }
    return MOTE_OK;
}

/* ---- by signed distance --------------------------------------------------------------------------------- */

/* What is closer to a point than the surface is on the same side, so most of a row needs no look. */
static mote_result fill_row(const mt_mesh *mesh, bool inside_out, const mt_lattice *lattice, uint32_t j,
                            uint32_t k, mt_samples *samples)
{
    for (uint32_t i = 0, end; i < lattice->count[0]; i = end) {
        float distance = mt_mesh_signed_distance(mesh, lattice_point(lattice, i, j, k));
        double same = floor(0.999 * (double)fabsf(distance) / lattice->spacing); /* 0.999: for the rounding */
        double left = (double)(lattice->count[0] - i);
        end = i + (uint32_t)fmin(same + 1, left);
        if (inside_out ? distance > 0 : distance < 0)
            MT_TRY(mt_samples_add(samples, lattice, i, end, j, k));
    }
    return MOTE_OK;
}

static mote_result fill_by_distance(const mt_mesh *mesh, bool inside_out, const mt_lattice *lattice,
                                    mt_samples *samples)
{
    for (uint32_t k = 0; k < lattice->count[2]; k++)
        for (uint32_t j = 0; j < lattice->count[1]; j++)
            MT_TRY(fill_row(mesh, inside_out, lattice, j, k, samples));
    return MOTE_OK;
}

static mote_result sample_by_distance(mt_memory *memory, const mote_mesh *source, bool inside_out,
                                      const mt_lattice *lattice, mt_samples *samples)
{
    if ((double)lattice->count[1] * (double)lattice->count[2] > (double)MT_MESH_COUNT_LIMIT)
        return mt_fail(MOTE_ERROR_LIMIT, "sample.spacing is %g m: %u x %u rows are too many to look through",
                       lattice->spacing, lattice->count[1], lattice->count[2]);
    mt_mesh *mesh = mt_mesh_make(memory, source);
    if (mesh == NULL)
        return mote_last_result();
    mote_result result = fill_by_distance(mesh, inside_out, lattice, samples);
    mt_mesh_free(mesh, memory);
    return result;
}

/* ---- the call ------------------------------------------------------------------------------------------- */

static mote_result check_sample(const mote_mesh *mesh, const mote_sample_def *def, const mote_vec3 *points,
                                size_t capacity, const size_t *count)
{
    MT_TRY(mt_mesh_check(mesh));
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_check_positive("sample.spacing", def->spacing, MT_MESH_LIMIT));
    MT_TRY(mt_check_count("sample.method", (uint32_t)def->method, 0, MOTE_SAMPLE_COUNT - 1));
    MT_TRY(mt_check_pointer("count", count));
    return capacity > 0 ? mt_check_pointer("points", points) : MOTE_OK;
}

mote_result mt_mesh_sample(mt_memory *memory, const mote_mesh *mesh, const mote_sample_def *def,
                           mote_vec3 *points, size_t capacity, size_t *count)
{
    MT_TRY(check_sample(mesh, def, points, capacity, count));
    mote_mesh_report report;
    MT_TRY(mt_mesh_inspect(memory, mesh, &report));
    MT_TRY(mt_mesh_check_closed(&report));
    mt_lattice lattice;
    MT_TRY(choose_lattice(&lattice, &report, def->spacing));
    mt_samples samples = {points, capacity, 0};
    if (def->method == MOTE_SAMPLE_SDF)
        MT_TRY(sample_by_distance(memory, mesh, report.volume < 0, &lattice, &samples));
    else
        MT_TRY(mt_sample_by_parity(memory, mesh, &lattice, &samples));
    *count = samples.count;
    return MOTE_OK;
}

mote_result mote_mesh_sample(const mote_mesh *mesh, const mote_sample_def *def, mote_vec3 *points,
                             size_t capacity, size_t *count)
{
    mt_memory memory = mt_memory_make((mote_allocator){0});
    return mt_mesh_sample(&memory, mesh, def, points, capacity, count);
}
