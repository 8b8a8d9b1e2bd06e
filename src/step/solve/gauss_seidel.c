#include "step/solve/gauss_seidel.h"

#include "base/sort.h"
#include "base/vec.h"
#include "step/neighbors/cells.h"
#include "step/solve/near.h"
#include "world/check.h"

/* ---- one contact --------------------------------------------------------------------------------------- */

static mote_vec3 friction(mote_vec3 u, mote_vec3 normal, float depth, float static_friction,
                          float kinetic_friction)
{
    u = mt_sub(u, mt_scale(normal, mt_dot(u, normal)));
    float length = mt_length(u);
    if (length < static_friction * depth)
        return u;
    return mt_scale(u, length > 0 ? kinetic_friction * depth / length : 0.0f);
}

/* As in contact_kernel.c: an open contact closes as far as its pull can, and friction bears the pull. */
typedef struct contact {
    float depth, bearing; /* m */
} contact;

static contact held(float depth, float strength)
{
    contact c = {depth, (depth > 0 ? depth : 0.0f) + strength};
    if (depth < 0)
        c.depth = depth < -strength ? -strength : depth;
    return c;
}

/* Compliance over h^2, 1/kg. */
static float softness(const mt_substep *s, uint32_t material)
{
    return s->materials[material].compliance * (s->inverse_h * s->inverse_h);
}

/* A contact has both particles for itself here and is solved whole; more would throw them apart. */
static float relaxation(const mt_substep *s)
{
    return s->relaxation < 1 ? s->relaxation : 1.0f;
}

/* XPBD: what a compliant contact adds to the impulse that it has given, times h. */
static float give(const mt_substep *s, float *given, float depth, float soft, float masses, float pull)
{
    float added = relaxation(s) * (depth - soft * *given) / masses, most = pull * s->h * s->h;
    added = added < -most - *given ? -most - *given : added;
    *given += added;
    return added;
}

static float pull_of(const mt_substep *s, uint32_t i, uint32_t j)
{
    float ri = s->position[i].w, rj = s->position[j].w;
    return MT_PULL * ri * rj / (ri + rj) * s->surface[i].w * s->surface[j].w;
}

static void move(mote_vec4 *x, mote_vec3 by, float scale)
{
    x->x += by.x * scale;
    x->y += by.y * scale;
    x->z += by.z * scale;
}

/* Masses are not scaled for a contact of an assembly with joints. */
static bool is_spared(const mt_substep *s, uint32_t i, uint32_t j)
{
    return s->spares_joints && ((s->marks[i] | s->marks[j]) & MT_MARK_JOINTED) != 0;
}

/* Whether a contact counts as compliant: where there are some all do, but not where these may be out of reach. */
static bool is_soft(const mt_substep *s, float soft)
{
    return s->soft && (!s->impulse || soft > 0);
}

/* As in contact_kernel.c, without the sharing of masses: a contact has both particles for itself. */
static void solve_pair(const mt_substep *s, uint32_t i, uint32_t j, float *given)
{
    mote_vec4 *xi = &s->predicted[i], *xj = &s->predicted[j];
    mote_vec3 apart = mt_sub(mt_xyz(*xi), mt_xyz(*xj));
    float touch = s->position[i].w + s->position[j].w;
    if (s->surface[i].x < 0 || s->surface[j].x < 0) /* a liquid: density keeps it off */
        touch -= s->fluid.contact;
    float distance = mt_length(apart);
    float pull = pull_of(s, i, j);
    float soft = softness(s, s->material[i]) + softness(s, s->material[j]);
    bool yields = is_soft(s, soft), pressed = yields && *given > 0;
    if (!pressed && distance >= (pull > 0 ? touch * MT_ADHESION_REACH : touch))
        return;
    float depth = touch - distance;
    mote_vec3 normal =
        distance > 1e-12f ? mt_scale(apart, 1.0f / distance) : (mote_vec3){0.0f, i > j ? 1.0f : -1.0f, 0.0f};
    float wi = s->transport[i].w, wj = s->transport[j].w;
    if (s->mass_scaling > 0 && !is_spared(s, i, j)) {
        float a = 0.25f * s->mass_scaling * mt_dot(s->up, apart);
        a = a > 0.5f ? 0.5f : a < -0.5f ? -0.5f : a;
        a *= depth > s->weight_depth ? s->weight_depth / depth : 1.0f;
        wi *= (1.0f + a) * (1.0f + a);
        wj *= (1.0f - a) * (1.0f - a);
    }
    if (wi + wj == 0)
        return;
    mote_vec3 u = mt_sub(apart, mt_sub(mt_xyz(s->position[i]), mt_xyz(s->position[j])));
    contact c = held(depth, pull * s->pull_share * (wi + wj));
    float masses = wi + wj + soft;
    mote_vec3 drag =
        friction(u, normal, c.bearing, s->surface[i].x * s->surface[j].x, s->surface[i].y * s->surface[j].y);
    float out = yields ? give(s, given, depth, soft, masses, pull) : relaxation(s) * c.depth / masses;
    mote_vec3 push = mt_sub(mt_scale(normal, out), mt_scale(drag, relaxation(s) / (wi + wj)));
    move(xi, push, wi);
    move(xj, push, -wj);
}

static void solve_shape(const mt_substep *s, uint32_t i, mt_shape_row *row)
{
    uint32_t lane = i % MT_SLICE;
    mote_vec4 *x = &s->predicted[i];
    mote_vec3 normal = {row->normal_x[lane], row->normal_y[lane], row->normal_z[lane]};
    float radius = s->position[i].w - (s->surface[i].x < 0 ? s->fluid.contact : 0.0f);
    float depth = radius - (mt_dot(normal, mt_xyz(*x)) - row->offset[lane]);
    float pull = row->pull[lane];
    float w = s->transport[i].w, soft = softness(s, s->material[i]) + row->softness[lane], masses = w + soft;
    bool yields = is_soft(s, soft), pressed = yields && row->given[lane] > 0;
    if (!pressed && depth <= (pull > 0 ? s->position[i].w * (2.0f - 2.0f * MT_ADHESION_REACH) : 0.0f))
        return;
    contact c = held(depth, pull * s->pull_share * s->transport[i].w);
    mote_vec3 shape_move = {row->move_x[lane], row->move_y[lane], row->move_z[lane]};
    mote_vec3 u = mt_sub(mt_sub(mt_xyz(*x), mt_xyz(s->position[i])), shape_move);
    mote_vec3 drag = friction(u, normal, c.bearing, row->static_friction[lane], row->kinetic_friction[lane]);
    float out =
        yields ? give(s, &row->given[lane], depth, soft, masses, pull) : relaxation(s) * c.depth / masses;
    mote_vec3 push = mt_sub(mt_scale(normal, out), mt_scale(drag, relaxation(s) / w));
    move(x, push, w);
    row->push_x[lane] += push.x;
    row->push_y[lane] += push.y;
    row->push_z[lane] += push.z;
}

/* Every contact of a particle that is its to solve: with later particles, with those that cannot move and so
 * have no list of their own, and with shapes. */
static void solve_particle(const mt_substep *s, uint32_t i)
{
    uint32_t slice = i / MT_SLICE, first = ((const uint32_t *)s->lists->start.data)[slice];
    if (s->transport[i].w == 0)
        return;
    for (uint32_t k = 0; k < ((const uint32_t *)s->lists->touching.data)[slice]; k++) {
        uint32_t j = ((const uint32_t *)s->lists->contact.data)[(size_t)(first + k) * MT_SLICE + i % MT_SLICE];
        if (j < s->count && (j > i || s->transport[j].w == 0))
            solve_pair(s, i, j, s->soft ? &s->given[(size_t)(first + k) * MT_SLICE + i % MT_SLICE] : NULL);
    }
    for (uint32_t k = 0; k < s->shape_length[slice]; k++)
        solve_shape(s, i, &s->shape_rows[s->shape_start[slice] + k]);
}

/* ---- colours -------------------------------------------------------------------------------------------
 * Cells as wide as the longest reach: a contact joins a cell with itself or a neighbour. Cells whose
 * coordinates agree modulo 3 are at least three apart, so their particles' contacts have nothing in common: 27
 * colours. */

typedef mt_colored_slot place;

#define COLOR_SHIFT 57
#define COLORS      MT_CELL_COLORS

static uint64_t modulo3(int32_t value)
{
    int32_t rest = value % 3;
    return (uint64_t)(rest < 0 ? rest + 3 : rest);
}

static place place_of(mote_vec4 x, float inverse_cell, uint32_t slot)
{
    int32_t c[3] = {mt_cell_coordinate(x.x, inverse_cell), mt_cell_coordinate(x.y, inverse_cell),
                    mt_cell_coordinate(x.z, inverse_cell)};
    uint64_t color = modulo3(c[0]) + 3 * modulo3(c[1]) + 9 * modulo3(c[2]);
    uint64_t cell = color << COLOR_SHIFT;
    for (int axis = 0; axis < 3; axis++)
        cell |= (uint64_t)((uint32_t)c[axis] & 0x7FFFFu) << (19 * axis);
    return (place){cell, slot};
}

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

static mote_result sort_by_color(mote_world *world, const mt_substep *s, mt_colors *job)
{
    mt_scratch *scratch = world->scratch;
    MT_TRY(mt_array_reserve(&scratch->cell_order, &world->memory, 2 * (size_t)s->count, 0));
    MT_TRY(mt_array_reserve(&scratch->cell_group, &world->memory, (size_t)s->count + 1, 0));
    place *places = scratch->cell_order.data;
    for (uint32_t i = 0; i < s->count; i++)
        places[i] = place_of(s->built_at[i], scratch->grid.levels[0].inverse_cell, i);
    mt_merge_sort(places, places + s->count, s->count, sizeof *places, compare_places);
    uint32_t *groups = scratch->cell_group.data, count = 0, color = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (i > 0 && places[i].cell == places[i - 1].cell)
            continue;
        for (; color <= (uint32_t)(places[i].cell >> COLOR_SHIFT); color++)
            job->color_groups[color] = count;
        groups[count++] = i;
    }
    for (; color <= COLORS; color++)
        job->color_groups[color] = count;
    groups[count] = s->count;
    job->places = places;
    job->groups = groups;
    job->s = s;
    return MOTE_OK;
}

static void solve_cells(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_colors *job = context;
    (void)worker;
    for (uint32_t k = job->groups[job->first_group + begin]; k < job->groups[job->first_group + end]; k++)
        solve_particle(job->s, (uint32_t)job->places[k].slot);
}

/* ---- the iterations ------------------------------------------------------------------------------------ */

mote_result mt_gauss_seidel_prepare(mote_world *world, const mt_substep *s, mt_colors *colors)
{
    return world->settings.solver == MOTE_SOLVER_COLORED ? sort_by_color(world, s, colors) : MOTE_OK;
}

void mt_gauss_seidel_iterate(mote_world *world, const mt_substep *s, mt_colors *colors)
{
    if (world->settings.solver != MOTE_SOLVER_COLORED) {
        for (uint32_t i = 0; i < s->count; i++)
            solve_particle(s, i);
        return;
    }
    for (uint32_t color = 0; color < COLORS; color++) {
        colors->first_group = colors->color_groups[color];
        uint32_t cells = colors->color_groups[color + 1] - colors->first_group;
        mt_parallel_for(&world->threads, cells, 16, solve_cells, colors);
    }
}
