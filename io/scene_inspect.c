#include "io/scene_inspect.h"

#include "io/json_tree.h"
#include "io/scene_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- meshes --------------------------------------------------------------------------------------------- */

static void inspect_mesh(const scene_shape *shape, const char *path, int line, scene_faults *faults)
{
    mote_mesh mesh = mesh_file_view(&shape->mesh);
    mote_mesh_report report;
    if (mote_mesh_inspect(&mesh, &report) != MOTE_OK) {
        scene_error(faults, line, path, "%s", mote_last_error());
        return;
    }
    if (report.degenerate_triangles > 0)
        scene_warning(faults, line, path, "%zu of %zu triangles have no area; the first is number %zu",
                      report.degenerate_triangles, mesh.triangle_count, report.first_degenerate);
    if (shape->type != SCENE_SDF)
        return;
    if (report.open_edges > 0)
        scene_error(
            faults, line, path,
            "a distance field needs a closed mesh; %zu edges are open, the first from (%g, %g, %g) to (%g, "
            "%g, %g)",
            report.open_edges, (double)report.first_open[0].x, (double)report.first_open[0].y,
            (double)report.first_open[0].z, (double)report.first_open[1].x, (double)report.first_open[1].y,
            (double)report.first_open[1].z);
    else if (!report.closed)
        scene_error(
            faults, line, path,
            "a distance field needs a closed mesh; %zu edges have more than two triangles, at %zu the two "
            "do not agree which side is outside",
            report.nonmanifold_edges, report.flipped_edges);
    else if (report.volume < 0.0)
        scene_warning(faults, line, path, "the mesh is inside out: its triangles run clockwise");
}

/* What could be read of the shape is enough to make its geometry of. */
static bool has_geometry(const scene_shape *shape)
{
    size_t nodes = (size_t)shape->columns * shape->rows;
    if (shape->type == SCENE_HEIGHTFIELD)
        return nodes > 0 && (shape->file_heights.items != NULL || shape->heights.count == nodes);
    return (shape->type == SCENE_HULL || shape->type == SCENE_MESH || shape->type == SCENE_SDF) &&
           shape->mesh.vertex_count > 0;
}

/* A shape that is known to be wrong is not looked at any closer. */
static bool is_faulty(size_t shape, const scene_faults *faults)
{
    char path[SCENE_PATH];
    size_t length = (size_t)snprintf(path, sizeof path, "shapes[%zu]", shape);
    for (size_t i = 0; i < faults->count; i++)
        if (!faults->items[i].warning && strncmp(faults->items[i].field, path, length) == 0)
            return true;
    return false;
}

static void inspect_geometry(const scene_shape *shape, size_t number, mote_world *world, scene_faults *faults)
{
    const char *field = shape->file != NULL ? "file" : shape->type == SCENE_HULL ? "points" : "triangles";
    char path[SCENE_PATH];
    size_t errors = faults->errors;
    snprintf(path, sizeof path, "shapes[%zu].%s", number, field);
    if (shape->type == SCENE_MESH || shape->type == SCENE_SDF)
        inspect_mesh(shape, path, json_line(cJSON_GetObjectItemCaseSensitive(shape->item.node, field)), faults);
    snprintf(path, sizeof path, "shapes[%zu]", number);
    if (faults->errors == errors && mote_is_null(scene_add_geometry(shape, world)))
        scene_error(faults, json_line(shape->item.node), path, "%s", mote_last_error());
}

void scene_inspect_meshes(const scene_file *file, scene_faults *faults)
{
    mote_world_def def = mote_default_world_def();
    def.thread_count = 1;
    mote_world *world; /* a place to try things in */
    if (mote_world_create(&def, &world) != MOTE_OK) {
        scene_error(faults, 0, "", "no memory for a closer look");
        return;
    }
    const scene_shape *shapes = file->description.shapes.items;
    for (size_t i = 0; i < file->description.shapes.count; i++)
        if (has_geometry(&shapes[i]) && !is_faulty(i, faults))
            inspect_geometry(&shapes[i], i, world, faults);
    mote_world_destroy(world);
}

/* Adds an entry's particles to those before it. */
static void add_count(const scene_section *section, size_t index, const scene_item *item, uint64_t count,
                      uint64_t most, uint64_t *total, scene_faults *faults)
{
    char path[SCENE_PATH];
    snprintf(path, sizeof path, "%s[%zu]", section->name, index);
    if (*total <= most && count > most - *total)
        scene_error(faults, json_line(item->node), path,
                    "%llu particles, after %llu before them, are more than world.max_particles, %llu",
                    (unsigned long long)count, (unsigned long long)*total, (unsigned long long)most);
    *total += count;
}

void scene_inspect_count(const scene_file *file, size_t built_in, scene_faults *faults)
{
    const scene_description *d = &file->description;
    const scene_grains *grains = d->grains.items;
    uint64_t total = built_in, most = scene_world_def(file).max_particles;
    for (size_t i = 0; i < d->grains.count; i++)
        add_count(&SCENE_GRAINS, i, &grains[i].item, scene_grains_count(file, &grains[i]), most, &total,
                  faults);
    const scene_fluid *fluids = d->fluids.items;
    for (size_t i = 0; i < d->fluids.count; i++)
        add_count(&SCENE_FLUIDS, i, &fluids[i].item, scene_fluid_count(d, &fluids[i]), most, &total, faults);
}

/* ---- whose particle it is ------------------------------------------------------------------------------- */

/* Where in the file a particle comes from: "grains[1]", with its line. */
typedef struct origin {
    char path[SCENE_PATH];
    int line;
} origin;

static origin origin_of(const scene_file *file, size_t built_in, size_t particle)
{
    const scene_description *d = &file->description;
    origin o = {"builder", json_line(cJSON_GetObjectItemCaseSensitive(d->item.node, "builder"))};
    size_t end = built_in;
    const scene_grains *grains = d->grains.items;
    for (size_t i = 0; i < d->grains.count && particle >= end; i++) {
        end += (size_t)scene_grains_count(file, &grains[i]);
        snprintf(o.path, sizeof o.path, "grains[%zu]", i);
        o.line = json_line(grains[i].item.node);
    }
    const scene_fluid *fluids = d->fluids.items;
    for (size_t i = 0; i < d->fluids.count && particle >= end; i++) {
        end += (size_t)scene_fluid_count(d, &fluids[i]);
        snprintf(o.path, sizeof o.path, "fluids[%zu]", i);
        o.line = json_line(fluids[i].item.node);
    }
    const scene_particles *particles = d->particles.items;
    for (size_t i = 0; i < d->particles.count && particle >= end; i++) {
        end += particles[i].positions.items != NULL ? particles[i].positions.count : 1;
        snprintf(o.path, sizeof o.path, "particles[%zu]", i);
        o.line = json_line(particles[i].item.node);
    }
    const scene_body *bodies = d->bodies.items;
    for (size_t i = 0; i < d->bodies.count && particle >= end; i++) {
        end += (size_t)bodies[i].particles;
        snprintf(o.path, sizeof o.path, "bodies[%zu]", i);
        o.line = json_line(bodies[i].item.node);
    }
    const scene_joint *joints = d->joints.items;
    for (size_t i = 0; i < d->joints.count && particle >= end; i++) {
        end += (size_t)joints[i].particles;
        snprintf(o.path, sizeof o.path, "joints[%zu]", i);
        o.line = json_line(joints[i].item.node);
    }
    const scene_constraint *constraints = d->constraints.items;
    for (size_t i = 0; i < d->constraints.count && particle >= end; i++) {
        end += (size_t)constraints[i].particles;
        snprintf(o.path, sizeof o.path, "constraints[%zu]", i);
        o.line = json_line(constraints[i].item.node);
    }
    const scene_skeleton *skeletons = d->skeletons.items;
    for (size_t i = 0; i < d->skeletons.count && particle >= end; i++) {
        end += (size_t)skeletons[i].particles;
        snprintf(o.path, sizeof o.path, "skeletons[%zu]", i);
        o.line = json_line(skeletons[i].item.node);
    }
    return o;
}

/* ---- places --------------------------------------------------------------------------------------------- */

static void inspect_pairs(const scene_file *file, const mote_world *world, size_t built_in,
                          scene_faults *faults)
{
    scene_pairs pairs;
    scene_find_pairs(world, &pairs);
    if (pairs.incomplete)
        scene_warning(faults, 0, "", "there are too many particles close together to look at all pairs");
    if (pairs.count == 0)
        return;
    mote_vec4 p = mote_particles_get_view(world).position[pairs.first];
    origin o = origin_of(file, built_in, pairs.first);
    scene_warning(faults, o.line, o.path,
                  "%llu pairs of particles start inside each other; the first two, at (%g, %g, %g), by %g m",
                  (unsigned long long)pairs.count, (double)p.x, (double)p.y, (double)p.z, (double)pairs.depth);
}

/* All particles. */
static scene_search search_of(const mote_world *world)
{
    return (scene_search){0, mote_particle_count(world), SCENE_DEEP};
}

static void inspect_shape(const scene_file *file, const mote_world *world, size_t index, scene_faults *faults)
{
    const scene_shape *shape = (const scene_shape *)file->description.shapes.items + index;
    mote_shape_def def;
    if (mote_shape_get(world, file->shape_ids[index], &def) != MOTE_OK)
        return;
    scene_inside inside = scene_find_in_shape(world, search_of(world), &def);
    if (inside.count == 0)
        return;
    char path[SCENE_PATH];
    snprintf(path, sizeof path, "shapes[%zu]", index);
    mote_vec4 p = mote_particles_get_view(world).position[inside.first];
    scene_warning(faults, json_line(shape->item.node), path,
                  "%zu particles start inside it; the first, at (%g, %g, %g), by %g m", inside.count,
                  (double)p.x, (double)p.y, (double)p.z, (double)inside.depth);
}

static void inspect_geometries(scene_file *file, const mote_world *world, scene_faults *faults)
{
    const scene_shape *shapes = file->description.shapes.items;
    size_t count = file->description.shapes.count;
    scene_inside *inside = calloc(count + 1, sizeof *inside);
    if (inside == NULL || !scene_find_in_geometries(file, world, search_of(world), inside))
        scene_warning(faults, 0, "shapes", "it could not be found out which particles start inside them");
    for (size_t i = 0; inside != NULL && i < count; i++) {
        if (inside[i].count == 0)
            continue;
        char path[SCENE_PATH];
        snprintf(path, sizeof path, "shapes[%zu]", i);
        mote_vec4 p = mote_particles_get_view(world).position[inside[i].first];
        scene_warning(faults, json_line(shapes[i].item.node), path,
                      "%zu particles start inside it; the first at (%g, %g, %g)", inside[i].count, (double)p.x,
                      (double)p.y, (double)p.z);
    }
    free(inside);
}

static bool is_inside(const scene_volume *volume, mote_vec4 p)
{
    return p.x >= volume->min.x && p.x <= volume->max.x && p.y >= volume->min.y && p.y <= volume->max.y &&
           p.z >= volume->min.z && p.z <= volume->max.z;
}

static void inspect_volumes(const scene_description *d, const mote_world *world, scene_faults *faults)
{
    mote_particles_view view = mote_particles_get_view(world);
    const scene_volume *volumes = d->volumes.items;
    for (size_t k = 0; k < d->volumes.count; k++) {
        size_t count = 0;
        bool bounds = volumes[k].type == MOTE_VOLUME_BOUNDS;
        for (size_t i = 0; i < view.count && volumes[k].type != MOTE_VOLUME_TRIGGER; i++)
            count += is_inside(&volumes[k], view.position[i]) != bounds;
        char path[SCENE_PATH];
        snprintf(path, sizeof path, "volumes[%zu]", k);
        if (count > 0)
            scene_warning(faults, json_line(volumes[k].item.node), path,
                          "%zu of %zu particles start %s it and are removed at once", count, view.count,
                          bounds ? "outside" : "inside");
    }
}

/* ---- masses, radii, speeds ------------------------------------------------------------------------------ */

typedef struct extremes {
    double lightest, heaviest; /* kg, of what is free */
    double smallest, largest;  /* m */
    double fastest;            /* radii a second */
} extremes;

static void extend(extremes *e, double mass, double radius, double speed)
{
    if (mass > 0.0) {
        e->lightest = fmin(e->lightest, mass);
        e->heaviest = fmax(e->heaviest, mass);
    }
    e->smallest = fmin(e->smallest, radius);
    e->largest = fmax(e->largest, radius);
    e->fastest = fmax(e->fastest, speed / radius);
}

static extremes find_extremes(const scene_description *d, const mote_world *world)
{
    extremes e = {INFINITY, 0.0, INFINITY, 0.0, 0.0};
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++) {
        mote_vec4 v = view.velocity[i];
        extend(&e, v.w > 0.0f ? 1.0 / (double)v.w : 0.0, view.position[i].w,
               scene_length((mote_vec3){v.x, v.y, v.z}));
    }
    const scene_emitter *emitters = d->emitters.items;
    for (size_t i = 0; i < d->emitters.count; i++) {
        float radius = scene_radius(d, &emitters[i].matter);
        float least = radius * (1.0f - emitters[i].matter.radius_spread);
        const char *material = emitters[i].matter.material;
        extend(&e, scene_particle_mass(d, material, radius), radius, emitters[i].speed);
        extend(&e, scene_particle_mass(d, material, least), least, emitters[i].speed);
    }
    return e;
}

static void inspect_numbers(const scene_description *d, const mote_world *world, scene_faults *faults)
{
    const mote_settings *s = &d->solver.settings;
    extremes e = find_extremes(d, world);
    int line = json_line(d->solver.item.node);
    if (!(e.largest > 0.0))
        return;
    double ratio = e.heaviest / e.lightest, rounds = (double)s->substeps * s->iterations;
    if (s->solver != MOTE_SOLVER_IMPULSE && ratio > 10.0 && ratio > rounds && s->mass_scaling <= 0.0f)
        scene_warning(faults, line, "solver.iterations",
                      "masses differ by a factor of %.3g; %g iterations a frame will not converge where light "
                      "particles carry heavy ones: take more, or set mass_scaling",
                      ratio, rounds);
    double reach = e.fastest * (double)scene_frame_seconds(d) / s->substeps;
    if (reach > 2.0)
        scene_warning(faults, line, "solver.substeps",
                      "the fastest particles move %.3g radii a substep and may pass through each other; %.0f "
                      "substeps would make it 2",
                      reach, ceil(0.5 * reach * s->substeps));
    double low = e.smallest / (double)d->world.radius, high = e.largest / (double)d->world.radius;
    if (low < 0.01 || high > 100.0)
        scene_warning(faults, json_line(d->world.item.node), "world.radius",
                      "radii go from %g to %g m, far from the world's radius, %g m", e.smallest, e.largest,
                      (double)d->world.radius);
}

/* How much of the stream's volume the particles fill. */
static void inspect_emitters(const scene_description *d, scene_faults *faults)
{
    const scene_emitter *emitters = d->emitters.items;
    for (size_t i = 0; i < d->emitters.count; i++) {
        double radius = scene_radius(d, &emitters[i].matter), reach = radius + (double)emitters[i].nozzle;
        double part = emitters[i].rate * 4.0 / 3.0 * radius * radius * radius /
                      (reach * reach * fmax((double)emitters[i].speed, 1e-9));
        char path[SCENE_PATH];
        snprintf(path, sizeof path, "emitters[%zu].rate", i);
        if (part > 0.5 && !scene_is_stream(d, &emitters[i]))
            scene_warning(faults, json_line(cJSON_GetObjectItemCaseSensitive(emitters[i].item.node, "rate")),
                          path,
                          "so many particles a second do not fit through the nozzle at that speed: they start "
                          "inside each other");
    }
}

/* ---- materials ------------------------------------------------------------------------------------------ */

static bool is_same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static bool is_used(const scene_description *d, const char *name)
{
    bool used = d->builder != NULL; /* a builder takes materials by their names */
    const scene_shape *shapes = d->shapes.items;
    for (size_t i = 0; i < d->shapes.count && !used; i++)
        used = is_same(shapes[i].material, name);
    const scene_grains *grains = d->grains.items;
    for (size_t i = 0; i < d->grains.count && !used; i++)
        used = is_same(grains[i].matter.material, name);
    const scene_fluid *fluids = d->fluids.items;
    for (size_t i = 0; i < d->fluids.count && !used; i++)
        used = is_same(fluids[i].matter.material, name);
    const scene_particles *particles = d->particles.items;
    for (size_t i = 0; i < d->particles.count && !used; i++)
        used = is_same(particles[i].matter.material, name);
    const scene_body *bodies = d->bodies.items;
    for (size_t i = 0; i < d->bodies.count && !used; i++)
        used = is_same(bodies[i].matter.material, name);
    const scene_constraint *constraints = d->constraints.items;
    for (size_t i = 0; i < d->constraints.count && !used; i++)
        used = is_same(constraints[i].matter.material, name);
    const scene_skeleton *skeletons = d->skeletons.items;
    for (size_t i = 0; i < d->skeletons.count && !used; i++)
        used = is_same(skeletons[i].matter.material, name);
    const scene_emitter *emitters = d->emitters.items;
    for (size_t i = 0; i < d->emitters.count && !used; i++)
        used = is_same(emitters[i].matter.material, name);
    return used;
}

static void inspect_materials(const scene_description *d, scene_faults *faults)
{
    const scene_material *materials = d->materials.items;
    for (size_t i = 0; i < d->materials.count; i++) {
        char path[SCENE_PATH];
        snprintf(path, sizeof path, "materials[%zu]", i);
        if (!is_used(d, materials[i].def.name))
            scene_warning(faults, json_line(materials[i].item.node), path, "nothing is made of '%s'",
                          materials[i].def.name);
    }
}

void scene_inspect_world(scene_file *file, mote_world *world, size_t built_in, scene_faults *faults)
{
    const scene_description *d = &file->description;
    inspect_pairs(file, world, built_in, faults);
    for (size_t i = 0; i < d->shapes.count; i++)
        inspect_shape(file, world, i, faults);
    inspect_geometries(file, world, faults);
    inspect_volumes(d, world, faults);
    inspect_numbers(d, world, faults);
    inspect_emitters(d, faults);
    inspect_materials(d, faults);
    scene_inspect_rigs(file, faults);
    if (mote_particle_count(world) == 0 && d->emitters.count == 0)
        scene_warning(faults, 0, "", "there are no particles and no emitters");
    scene_inspect_releases(file, world, faults);
}
