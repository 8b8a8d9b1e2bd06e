/* A drinking glass: a bottom and a wall, one layer of particles thick, as a body that stands on the ground. */
#include "builders.h"
#include "io/scene_math.h"

#include <math.h>
#include <stdlib.h>

#define WALL    15.0 /* the wall's distance from the axis, in particle radii */
#define RINGS   22   /* of the wall, above the bottom */
#define SPACING 2.0  /* between neighbours, in particle radii */
#define ROW     1.75 /* between two rings of the wall, which are turned by half a gap */

/* Writes a ring of points if there is room for it, and tells how many there are. */
static uint32_t make_ring(double distance, double height, double phase, mote_vec3 *points)
{
    uint32_t count = (uint32_t)ceil(2.0 * 3.14159265358979 * distance / SPACING - 1e-6);
    count = count > 1 ? count : 1;
    for (uint32_t i = 0; points != NULL && i < count; i++) {
        double x, z;
        scene_circle((i + phase) / count, &x, &z);
        points[i] = (mote_vec3){(float)(x * distance), (float)height, (float)(z * distance)};
    }
    return count;
}

/* In particle radii; NULL only counts. */
static uint32_t make_points(mote_vec3 *points)
{
    uint32_t count = 0;
    /* The bottom: rings at even distances down to a particle in the middle, so that there is no hole. */
    const double rings = ceil((WALL - ROW) / SPACING);
    for (double ring = rings; ring >= 0.0; ring -= 1.0)
        count += make_ring((WALL - ROW) * ring / rings, 1.0, 0.0, points != NULL ? points + count : NULL);
    for (int ring = 0; ring <= RINGS; ring++)
        count += make_ring(WALL, 1.0 + ROW * ring, 0.5 * (ring % 2), points != NULL ? points + count : NULL);
    return count;
}

uint32_t glass_count(const scene_description *d)
{
    (void)d;
    return make_points(NULL);
}

mote_result glass_build(const scene_description *d, mote_world *world)
{
    uint32_t count = make_points(NULL);
    mote_vec3 *points = malloc(count * sizeof *points);
    if (points == NULL)
        return MOTE_ERROR_MEMORY;
    make_points(points);
    float radius = d->world.radius;
    for (uint32_t i = 0; i < count; i++)
        points[i] = (mote_vec3){points[i].x * radius, points[i].y * radius, points[i].z * radius};
    mote_rigid_def def = mote_default_rigid_def();
    def.material = scene_material_id(d, world, "glass");
    mote_body_id glass = mote_rigid_points(world, &def, points, count);
    free(points);
    return mote_is_null(glass) ? mote_last_result() : MOTE_OK;
}
