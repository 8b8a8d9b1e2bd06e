/* Boxes, capsules and balls: the points of a cubic lattice that are in them. */
#include "base/error.h"
#include "build/rigid_form.h"
#include "world/check.h"

#define PI        3.14159265358979323846
#define ROUNDING  1e-4 /* spacings: a point at the very edge is within */
#define NULL_BODY ((mote_body_id){0, 0})

/* The coordinate of place i of n around 0. */
static float place_at(uint32_t i, uint32_t n, float spacing)
{
    return (float)(((double)i - 0.5 * ((double)n - 1.0)) * (double)spacing);
}

/* ---- surfaces ------------------------------------------------------------------------------------------- */

/* Spacings, in radii of the particles, from which on such a particle passes between four of them: a sieve has no
 * surface but its particles. */
#define SIEVE 2.8284271f

static bool is_dense(const mt_rigid_form *form, float spacing, float radius)
{
    return form->count == 1 || spacing < SIEVE * radius;
}

/* A frame whose y is along an axis of the body. The others are thirds of a turn about (1, 1, 1), which take axes
 * to axes to the last bit. */
static mt_pose frame_along(int axis)
{
    static const mote_quat turns[3] = {
        {-0.5f, -0.5f, -0.5f, 0.5f}, {0.0f, 0.0f, 0.0f, 1.0f}, {0.5f, 0.5f, 0.5f, 0.5f}};
    return (mt_pose){{0.0f, 0.0f, 0.0f}, turns[axis]};
}

static mt_surface sphere_of(float radius)
{
    return (mt_surface){MT_SURFACE_SPHERE, frame_along(1), {radius, 0.0f, 0.0f}};
}

/* Of a line of particles along an axis; one particle is a sphere. */
static mt_surface line_surface(int axis, float half_length, float radius)
{
    if (!(half_length > 0))
        return sphere_of(radius);
    return (mt_surface){MT_SURFACE_CAPSULE, frame_along(axis), {radius, half_length, 0.0f}};
}

/* ---- boxes ---------------------------------------------------------------------------------------------- */

static mote_result check_counts(const mote_world *world, const uint32_t count[3])
{
    static const char *const names[3] = {"count[0]", "count[1]", "count[2]"};
    MT_TRY(mt_check_pointer("count", count));
    uint64_t total = 1;
    for (int axis = 0; axis < 3; axis++) {
        MT_TRY(mt_check_count(names[axis], count[axis], 1, world->max_particles));
        total *= count[axis];
        if (total > world->max_particles)
            return mt_fail(MOTE_ERROR_LIMIT, "count: %u x %u x %u particles would pass max_particles, %u",
                           count[0], count[1], count[2], world->max_particles);
    }
    return MOTE_OK;
}

/* What the particles' balls fill: a row of them has round ends. */
static mt_surface box_surface(const uint32_t count[3], const float half[3], float radius)
{
    for (int axis = 0; axis < 3; axis++)
        if (count[(axis + 1) % 3] == 1 && count[(axis + 2) % 3] == 1)
            return line_surface(axis, half[axis] - radius, radius);
    return (mt_surface){MT_SURFACE_BOX, frame_along(1), {half[0], half[1], half[2]}};
}

static void fill_box(mt_rigid_form *form, const uint32_t count[3], float spacing, float radius)
{
    size_t filled = 0;
    for (uint32_t k = 0; k < count[2]; k++)
        for (uint32_t j = 0; j < count[1]; j++)
            for (uint32_t i = 0; i < count[0]; i++)
                form->points[filled++] =
                    (mote_vec3){place_at(i, count[0], spacing), place_at(j, count[1], spacing),
                                place_at(k, count[2], spacing)};
    float half[3];
    for (int axis = 0; axis < 3; axis++)
        half[axis] = place_at(count[axis] - 1, count[axis], spacing) + radius;
    if (is_dense(form, spacing, radius))
        form->surface = box_surface(count, half, radius);
}

mote_body_id mote_rigid_box(mote_world *world, const mote_rigid_def *def, const uint32_t count[3])
{
    mt_rigid_form form;
    if (mt_rigid_begin(world, "mote_rigid_box", def) != MOTE_OK || check_counts(world, count) != MOTE_OK ||
        mt_rigid_form_make(world, (size_t)count[0] * count[1] * count[2], &form) != MOTE_OK)
        return NULL_BODY;
    fill_box(&form, count, mt_rigid_spacing(world, def), mt_rigid_radius(world, def));
    return mt_rigid_add_form(world, def, &form);
}

/* ---- rods with round ends ------------------------------------------------------------------------------- */

/* Centres of particles are within `reach` of the line from -half_length to half_length along y. The middle is a
 * place of their lattice (odd), or midway between two, across the line and along it. */
typedef struct rod {
    double half_length, reach, spacing; /* m */
    bool odd_across, odd_along;
} rod;

/* How many places of a lattice are within +-extent. */
static double places_within(double extent, double spacing, bool odd)
{
    if (odd)
        return 2.0 * floor(extent / spacing + ROUNDING) + 1.0;
    return 2.0 * floor(extent / spacing + 0.5 + ROUNDING);
}

/* Points of the column of the lattice at x, z; none if that is too far from the line. */
static uint32_t column_count(const rod *r, double x, double z)
{
    double square = r->reach * r->reach - x * x - z * z;
    if (square < -2.0 * ROUNDING * r->reach * r->spacing)
        return 0;
    double extent = r->half_length + sqrt(square > 0 ? square : 0);
    return (uint32_t)places_within(extent, r->spacing, r->odd_along);
}

/* Counts the points of a rod; writes them if there is where to. */
static size_t fill_rod(const rod *r, mote_vec3 *points)
{
    uint32_t across = (uint32_t)places_within(r->reach, r->spacing, r->odd_across);
    size_t filled = 0;
    for (uint32_t k = 0; k < across; k++)
        for (uint32_t i = 0; i < across; i++) {
            float x = place_at(i, across, (float)r->spacing), z = place_at(k, across, (float)r->spacing);
            uint32_t column = column_count(r, (double)x, (double)z);
            for (uint32_t j = 0; points != NULL && j < column; j++)
                points[filled + j] = (mote_vec3){x, place_at(j, column, (float)r->spacing), z};
            filled += column;
        }
    return filled;
}

/* The lattice whose cubes come nearest to the volume. That of a ball is the same along all axes, so that it
 * rolls alike about them. */
static rod choose_rod(double half_length, double thickness, double radius, double spacing)
{
    /* Balls stick out by half a radius at most: with none sticking out, the body would be too light. */
    rod r = {half_length, thickness - 0.5 * radius, spacing, true, true}, best = r;
    double volume = PI * thickness * thickness * (2.0 * half_length + 4.0 / 3.0 * thickness), least = HUGE_VAL;
    for (int choice = 0; choice < 4; choice++) {
        r.odd_across = choice < 2;
        r.odd_along = choice % 2 == 0;
        if (!(half_length > 0) && r.odd_across != r.odd_along)
            continue;
        double wrong = fabs((double)fill_rod(&r, NULL) * spacing * spacing * spacing - volume);
        if (wrong < least) {
            least = wrong;
            best = r;
        }
    }
    return best;
}

static double square_across(mote_vec3 x)
{
    return (double)x.x * (double)x.x + (double)x.z * (double)x.z;
}

/* The smallest capsule around the particles' balls: as thick as their outermost rows, then as long as it must be.
 * A ball is as large as it was asked for, which is between where its particles stick out and where they do not
 * reach; but one particle is a ball itself. */
static mt_surface capsule_surface(const mt_rigid_form *form, float half_length, float thickness, float radius)
{
    if (!(half_length > 0) || form->count == 1)
        return sphere_of(form->count > 1 ? thickness : radius);
    double reach = 0.0, half = 0.0; /* the square of how far centres are from the axis; how long it is */
    for (size_t i = 0; i < form->count; i++)
        reach = fmax(reach, square_across(form->points[i]));
    for (size_t i = 0; i < form->count; i++) {
        double end = sqrt(reach - square_across(form->points[i]));
        half = fmax(half, fabs((double)form->points[i].y) - end);
    }
    return (mt_surface){MT_SURFACE_CAPSULE, frame_along(1), {(float)sqrt(reach) + radius, (float)half, 0.0f}};
}

/* One particle thick: even, from end to end. */
static mote_result make_line(mote_world *world, float half_length, float spacing, float radius,
                             mt_rigid_form *form)
{
    double steps = ceil(2.0 * (double)half_length / (double)spacing - ROUNDING);
    if (steps > (double)world->max_particles)
        return mt_fail(MOTE_ERROR_LIMIT, "half_length is %g m: %.0f particles would pass max_particles, %u",
                       (double)half_length, steps, world->max_particles);
    uint32_t count = (uint32_t)fmax(steps, 0.0) + 1;
    MT_TRY(mt_rigid_form_make(world, count, form));
    float step = count > 1 ? (float)(2.0 * (double)half_length / (double)(count - 1)) : spacing;
    for (uint32_t i = 0; i < count; i++)
        form->points[i] = (mote_vec3){0.0f, place_at(i, count, step), 0.0f};
    if (is_dense(form, step, radius))
        form->surface = line_surface(1, form->points[count - 1].y, radius);
    return MOTE_OK;
}

static mote_result make_capsule(mote_world *world, const mote_rigid_def *def, float half_length,
                                float thickness, mt_rigid_form *form)
{
    float radius = mt_rigid_radius(world, def), spacing = mt_rigid_spacing(world, def);
    double reach = (double)thickness - 0.5 * (double)radius, step = (double)spacing;
    if (reach * reach < 0.5 * step * step * (1.0 - ROUNDING)) /* not even two by two fit across */
        return make_line(world, half_length, spacing, radius, form);
    double box = (2.0 * reach / step) * (2.0 * reach / step) * (2.0 * ((double)half_length + reach) / step);
    if (box > 4.0 * (double)world->max_particles) /* no need to count */
        return mt_fail(MOTE_ERROR_LIMIT,
                       "rigid.spacing is %g m: about %.0f particles would pass max_particles, %u",
                       (double)spacing, 0.7 * box, world->max_particles);
    rod r = choose_rod((double)half_length, (double)thickness, (double)radius, step);
    MT_TRY(mt_rigid_form_make(world, fill_rod(&r, NULL), form));
    fill_rod(&r, form->points);
    if (is_dense(form, spacing, radius))
        form->surface = capsule_surface(form, half_length, thickness, radius);
    return MOTE_OK;
}

static mote_result check_thickness(const mote_world *world, const mote_rigid_def *def, const char *field,
                                   float thickness)
{
    MT_TRY(mt_check_positive(field, thickness, MT_MAX_COORDINATE));
    float radius = mt_rigid_radius(world, def);
    if (thickness < radius * (1.0f - (float)ROUNDING))
        return mt_fail(MOTE_ERROR_ARGUMENT, "%s is %g; it must be at least the particles' radius, %g", field,
                       (double)thickness, (double)radius);
    return MOTE_OK;
}

mote_body_id mote_rigid_capsule(mote_world *world, const mote_rigid_def *def, float half_length,
                                float thickness)
{
    mt_rigid_form form;
    if (mt_rigid_begin(world, "mote_rigid_capsule", def) != MOTE_OK ||
        mt_check_range("half_length", half_length, 0.0f, MT_MAX_COORDINATE) != MOTE_OK ||
        check_thickness(world, def, "thickness", thickness) != MOTE_OK ||
        make_capsule(world, def, half_length, thickness, &form) != MOTE_OK)
        return NULL_BODY;
    return mt_rigid_add_form(world, def, &form);
}

mote_body_id mote_rigid_ball(mote_world *world, const mote_rigid_def *def, float size)
{
    mt_rigid_form form;
    if (mt_rigid_begin(world, "mote_rigid_ball", def) != MOTE_OK ||
        check_thickness(world, def, "size", size) != MOTE_OK ||
        make_capsule(world, def, 0.0f, size, &form) != MOTE_OK)
        return NULL_BODY;
    return mt_rigid_add_form(world, def, &form);
}
