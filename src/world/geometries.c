/* Geometries: forms that shapes share. */
#include "base/error.h"
#include "base/hash.h"
#include "world/check.h"
#include "world/mesh_check.h"
#include "world/world.h"

#define MAX_NODES (256u << 20)

uint32_t mt_geometry_find(const mote_world *world, mote_geometry_id geometry)
{
    return mt_handles_find(&world->geometries.handles, geometry.index, geometry.generation);
}

void mt_geometry_free(mt_geometry *geometry, mt_memory *memory)
{
    switch (geometry->type) {
    case MOTE_GEOMETRY_HULL:
        mt_hull_free(geometry->form, memory);
        break;
    case MOTE_GEOMETRY_MESH:
        mt_mesh_free(geometry->form, memory);
        break;
    case MOTE_GEOMETRY_SDF:
        mt_sdf_free(geometry->form, memory);
        break;
    default:
        mt_heightfield_free(geometry->form, memory);
        break;
    }
}

/* ---- hashes: of what a geometry would be made of again ------------------------------------------------- */

static uint64_t hash_mesh(mote_mesh mesh)
{
    uint64_t hash = mt_hash_bytes(MOTE_GEOMETRY_MESH, mesh.vertices, mesh.vertex_count * sizeof(mote_vec3));
    return mt_hash_bytes(hash, mesh.triangles, mesh.triangle_count * sizeof(uint32_t[3]));
}

static uint64_t hash_sdf(mote_sdf_def sdf)
{
    size_t nodes = (size_t)sdf.count[0] * sdf.count[1] * sdf.count[2];
    uint64_t hash = mt_hash_bytes(MOTE_GEOMETRY_SDF, sdf.values, nodes * sizeof(float));
    hash = mt_hash_bytes(hash, sdf.count, sizeof sdf.count);
    return mt_hash_bytes(hash, (const float[4]){sdf.origin.x, sdf.origin.y, sdf.origin.z, sdf.cell},
                         sizeof(float[4]));
}

static uint64_t hash_heightfield(mote_heightfield_def field)
{
    size_t nodes = (size_t)field.columns * field.rows;
    uint64_t hash = mt_hash_bytes(MOTE_GEOMETRY_HEIGHTFIELD, field.heights, nodes * sizeof(float));
    hash = mt_hash_add(hash, (uint64_t)field.columns << 32 | field.rows);
    return mt_hash_bytes(hash, &field.spacing, sizeof field.spacing);
}

mt_geometry_source mt_geometry_source_of(const mt_geometry *geometry)
{
    mt_geometry_source source = {.type = geometry->type};
    if (geometry->type == MOTE_GEOMETRY_HULL)
        source.mesh = mt_hull_source(geometry->form);
    if (geometry->type == MOTE_GEOMETRY_MESH)
        source.mesh = mt_mesh_source(geometry->form);
    if (geometry->type == MOTE_GEOMETRY_SDF)
        source.sdf = mt_sdf_source(geometry->form);
    if (geometry->type == MOTE_GEOMETRY_HEIGHTFIELD)
        source.heights = mt_heightfield_source(geometry->form);
    return source;
}

static uint64_t hash_source(const mt_geometry_source *source)
{
    if (source->type == MOTE_GEOMETRY_SDF)
        return hash_sdf(source->sdf);
    return source->type == MOTE_GEOMETRY_HEIGHTFIELD ? hash_heightfield(source->heights)
                                                     : hash_mesh(source->mesh);
}

/* ---- checks -------------------------------------------------------------------------------------------- */

static mote_result check_floats(const char *field, const float *values, size_t count, float limit)
{
    MT_TRY(mt_check_pointer(field, values));
    for (size_t i = 0; i < count; i++)
        if (!(values[i] >= -limit && values[i] <= limit))
            return mt_fail(isfinite(values[i]) ? MOTE_ERROR_ARGUMENT : MOTE_ERROR_NOT_FINITE,
                           "%s[%zu] is %g; it must be within +-%g", field, i, (double)values[i], (double)limit);
    return MOTE_OK;
}

static mote_result check_sdf(const mote_sdf_def *def)
{
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_check_vec3("sdf.origin", def->origin, MT_MAX_COORDINATE));
    MT_TRY(mt_check_positive("sdf.cell", def->cell, MT_MAX_COORDINATE));
    for (int axis = 0; axis < 3; axis++)
        MT_TRY(mt_check_count("sdf.count", def->count[axis], 2, 2048));
    size_t nodes = (size_t)def->count[0] * def->count[1] * def->count[2];
    if (nodes > MAX_NODES)
        return mt_fail(MOTE_ERROR_ARGUMENT, "sdf.count makes %zu nodes; %u are the most", nodes, MAX_NODES);
    return check_floats("sdf.values", def->values, nodes, MT_MAX_COORDINATE);
}

static mote_result check_heightfield(const mote_heightfield_def *def)
{
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_check_count("heightfield.columns", def->columns, 2, 16384));
    MT_TRY(mt_check_count("heightfield.rows", def->rows, 2, 16384));
    MT_TRY(mt_check_positive("heightfield.spacing", def->spacing, MT_MAX_COORDINATE));
    return check_floats("heightfield.heights", def->heights, (size_t)def->columns * def->rows,
                        MT_MAX_COORDINATE);
}

static mote_result check_closed(mt_memory *memory, const mote_mesh *mesh)
{
    mote_mesh_report report;
    MT_TRY(mt_mesh_check(mesh));
    MT_TRY(mt_mesh_inspect(memory, mesh, &report));
    return mt_mesh_check_closed(&report);
}

/* ---- adding -------------------------------------------------------------------------------------------- */

static mote_result check_source(const mt_geometry_source *source)
{
    switch (source->type) {
    case MOTE_GEOMETRY_HULL:
        return MOTE_OK; /* making it looks at its points */
    case MOTE_GEOMETRY_MESH:
        return mt_mesh_check(&source->mesh);
    case MOTE_GEOMETRY_SDF:
        return check_sdf(&source->sdf);
    default:
        return check_heightfield(&source->heights);
    }
}

mote_result mt_geometry_make(mt_memory *memory, const mt_geometry_source *source, mt_geometry *made)
{
    MT_TRY(check_source(source));
    *made = (mt_geometry){.type = source->type};
    switch (source->type) {
    case MOTE_GEOMETRY_HULL:
        made->form = mt_hull_make(memory, source->mesh.vertices, source->mesh.vertex_count);
        break;
    case MOTE_GEOMETRY_MESH:
        made->form = mt_mesh_make(memory, &source->mesh);
        break;
    case MOTE_GEOMETRY_SDF:
        made->form = mt_sdf_make(memory, &source->sdf);
        break;
    default:
        made->form = mt_heightfield_make(memory, &source->heights);
        break;
    }
    return made->form != NULL ? MOTE_OK : mote_last_result();
}

/* Takes the form over, or frees it. */
static mote_geometry_id add_made(mote_world *world, mt_geometry *made)
{
    mt_geometry_source source = mt_geometry_source_of(made);
    made->hash = hash_source(&source);
    mt_handle handle;
    if (mt_table_add(world, MT_GEOMETRIES, &handle) != MOTE_OK) {
        mt_geometry_free(made, &world->memory);
        return (mote_geometry_id){0, 0};
    }
    made->id = (mote_geometry_id){handle.index, handle.generation};
    mt_geometries(world)[world->geometries.count - 1] = *made;
    return made->id;
}

static mote_geometry_id add(mote_world *world, const char *call, const mt_geometry_source *source)
{
    mt_geometry made;
    if (mt_enter(world, call) != MOTE_OK || mt_geometry_make(&world->memory, source, &made) != MOTE_OK)
        return (mote_geometry_id){0, 0};
    return add_made(world, &made);
}

static bool is_there(const void *pointer, const char *name)
{
    return mt_check_pointer(name, pointer) == MOTE_OK;
}

mote_geometry_id mote_hull_add(mote_world *world, const mote_vec3 *points, size_t count)
{
    return add(world, "mote_hull_add",
               &(mt_geometry_source){.type = MOTE_GEOMETRY_HULL, .mesh = {points, count, NULL, 0}});
}

mote_geometry_id mote_mesh_add(mote_world *world, const mote_mesh *mesh)
{
    if (!is_there(mesh, "mesh"))
        return (mote_geometry_id){0, 0};
    return add(world, "mote_mesh_add", &(mt_geometry_source){.type = MOTE_GEOMETRY_MESH, .mesh = *mesh});
}

mote_geometry_id mote_sdf_add(mote_world *world, const mote_sdf_def *def)
{
    if (!is_there(def, "def"))
        return (mote_geometry_id){0, 0};
    return add(world, "mote_sdf_add", &(mt_geometry_source){.type = MOTE_GEOMETRY_SDF, .sdf = *def});
}

mote_geometry_id mote_sdf_add_mesh(mote_world *world, const mote_mesh *mesh, float cell)
{
    const mote_geometry_id none = {0, 0};
    if (mt_enter(world, "mote_sdf_add_mesh") != MOTE_OK ||
        mt_check_positive("cell", cell, MT_MAX_COORDINATE) != MOTE_OK ||
        check_closed(&world->memory, mesh) != MOTE_OK)
        return none;
    mt_geometry made = {.type = MOTE_GEOMETRY_SDF, .form = mt_sdf_make_from_mesh(&world->memory, mesh, cell)};
    return made.form != NULL ? add_made(world, &made) : none;
}

mote_geometry_id mote_heightfield_add(mote_world *world, const mote_heightfield_def *def)
{
    if (!is_there(def, "def"))
        return (mote_geometry_id){0, 0};
    return add(world, "mote_heightfield_add",
               &(mt_geometry_source){.type = MOTE_GEOMETRY_HEIGHTFIELD, .heights = *def});
}

/* ---- asking and removing ------------------------------------------------------------------------------- */

static mote_result find(const mote_world *world, mote_geometry_id geometry, mt_geometry **found)
{
    MT_TRY(mt_check_pointer("world", world));
    uint32_t slot = mt_geometry_find(world, geometry);
    if (slot == MT_NO_SLOT)
        return mt_handle_refused(&world->geometries.handles, "geometry handle", geometry.index,
                                 geometry.generation);
    *found = &mt_geometries(world)[slot];
    return MOTE_OK;
}

mote_result mote_geometry_remove(mote_world *world, mote_geometry_id geometry)
{
    MT_TRY(mt_enter(world, "mote_geometry_remove"));
    mt_geometry *found = NULL;
    MT_TRY(find(world, geometry, &found));
    if (found->users > 0)
        return mt_fail(MOTE_ERROR_ARGUMENT, "geometry %u is used by %u shapes", geometry.index, found->users);
    mt_geometry_free(found, &world->memory);
    mt_table_remove(&world->geometries, (uint32_t)(found - mt_geometries(world)));
    return MOTE_OK;
}

bool mote_geometry_is_valid(const mote_world *world, mote_geometry_id geometry)
{
    return world != NULL && mt_geometry_find(world, geometry) != MT_NO_SLOT;
}

uint32_t mote_geometry_count(const mote_world *world)
{
    return world != NULL ? world->geometries.count : 0;
}

mote_result mote_geometry_get_type(const mote_world *world, mote_geometry_id geometry, mote_geometry_type *type)
{
    mt_geometry *found = NULL;
    MT_TRY(mt_check_pointer("type", type));
    MT_TRY(find(world, geometry, &found));
    *type = (mote_geometry_type)found->type;
    return MOTE_OK;
}

static mt_box bounds_of(const mt_geometry *geometry)
{
    switch (geometry->type) {
    case MOTE_GEOMETRY_HULL:
        return mt_hull_bounds(geometry->form);
    case MOTE_GEOMETRY_MESH:
        return mt_mesh_bounds(geometry->form);
    case MOTE_GEOMETRY_SDF:
        return mt_sdf_bounds(geometry->form);
    default:
        return mt_heightfield_bounds(geometry->form);
    }
}

mote_result mote_geometry_bounds(const mote_world *world, mote_geometry_id geometry, mote_vec3 *min,
                                 mote_vec3 *max)
{
    mt_geometry *found = NULL;
    MT_TRY(mt_check_pointer("min", min));
    MT_TRY(mt_check_pointer("max", max));
    MT_TRY(find(world, geometry, &found));
    mt_box box = bounds_of(found);
    *min = box.min;
    *max = box.max;
    return MOTE_OK;
}

static mote_result find_of_type(const mote_world *world, mote_geometry_id geometry, uint32_t type,
                                mt_geometry **found)
{
    MT_TRY(find(world, geometry, found));
    if ((*found)->type != type)
        return mt_fail(MOTE_ERROR_UNSUPPORTED, "geometry %u is of another type", geometry.index);
    return MOTE_OK;
}

mote_result mote_geometry_triangles(const mote_world *world, mote_geometry_id geometry, mote_mesh *triangles)
{
    mt_geometry *found = NULL;
    MT_TRY(mt_check_pointer("triangles", triangles));
    MT_TRY(find(world, geometry, &found));
    if (found->type == MOTE_GEOMETRY_HULL)
        *triangles = mt_hull_source(found->form);
    else if (found->type == MOTE_GEOMETRY_MESH)
        *triangles = mt_mesh_source(found->form);
    else
        return mt_fail(MOTE_ERROR_UNSUPPORTED, "geometry %u is a grid and has no list of triangles",
                       geometry.index);
    return MOTE_OK;
}

mote_result mote_geometry_heights(const mote_world *world, mote_geometry_id geometry,
                                  mote_heightfield_def *heights)
{
    mt_geometry *found = NULL;
    MT_TRY(mt_check_pointer("heights", heights));
    MT_TRY(find_of_type(world, geometry, MOTE_GEOMETRY_HEIGHTFIELD, &found));
    *heights = mt_heightfield_source(found->form);
    return MOTE_OK;
}

mote_result mote_geometry_distances(const mote_world *world, mote_geometry_id geometry, mote_sdf_def *distances)
{
    mt_geometry *found = NULL;
    MT_TRY(mt_check_pointer("distances", distances));
    MT_TRY(find_of_type(world, geometry, MOTE_GEOMETRY_SDF, &found));
    *distances = mt_sdf_source(found->form);
    return MOTE_OK;
}
