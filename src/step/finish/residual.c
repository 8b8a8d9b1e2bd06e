/* Residuals: how much is left of the errors that constraints are to take away, kind by kind, worked out on demand.
 * Contacts are asked in the rows of the last substep: with s the separation and u the velocity with which the two go on
 * there, they overlap by -(s + h u . n) at its end. */
#include "base/timer.h"
#include "base/vec.h"
#include "step/impulse/impulse.h"
#include "world/bodies.h"
#include "world/check.h"

typedef struct error_sum {
    double square, largest;
    size_t count;
} error_sum;

static void add(error_sum *sum, double error)
{
    sum->square += error * error;
    sum->largest = error > sum->largest ? error : sum->largest;
    sum->count++;
}

static double rms_of(error_sum sum)
{
    return sum.count > 0 ? sqrt(sum.square / (double)sum.count) : 0;
}

/* ---- contacts ------------------------------------------------------------------------------------------ */

static mote_vec3 velocity_at(const mt_impulses *w, uint32_t mover, mote_vec3 point)
{
    const mote_vec4 *velocity = w->movers.velocity.data, *spin = w->movers.spin.data,
                    *center = w->movers.center.data;
    mote_vec3 arm = mt_sub(point, mt_xyz(center[mover]));
    return mt_add(mt_xyz(velocity[mover]), mt_cross(mt_xyz(spin[mover]), arm));
}

static mote_vec3 beside_in_lane(const mt_impulses *w, const mt_contact_row *row, uint32_t n, bool shape)
{
    const mt_contact_more *more = row->more;
    if (more == NULL || !w->movers.turns) {
        const mote_vec4 *velocity = w->movers.velocity.data;
        mote_vec3 other = shape ? (mote_vec3){more->surface_x[n], more->surface_y[n], more->surface_z[n]}
                                : mt_xyz(velocity[row->b[n]]);
        return mt_sub(mt_xyz(velocity[row->a[n]]), other);
    }
    mote_vec3 point = {more->point_x[n], more->point_y[n], more->point_z[n]};
    mote_vec3 other = shape ? (mote_vec3){more->surface_x[n], more->surface_y[n], more->surface_z[n]}
                            : velocity_at(w, row->b[n], point);
    return mt_sub(velocity_at(w, row->a[n], point), other);
}

/* Of contacts that overlap or bear something. */
static void add_row(const mt_impulses *w, const mt_contact_row *row, bool shape, error_sum *sum)
{
    for (uint32_t rest = row->active; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest);
        mote_vec3 normal = {row->normal_x[n], row->normal_y[n], row->normal_z[n]};
        float along = mt_dot(normal, beside_in_lane(w, row, n, shape));
        double overlap = -((double)row->separation[n] + (double)w->movers.h * (double)along);
        if (overlap > 0 || row->impulse[n] > 0)
            add(sum, overlap > 0 ? overlap : 0);
    }
}

static error_sum contact_errors(const mt_impulses *w)
{
    error_sum sum = {0, 0, 0};
    for (uint32_t r = 0; r < w->rows.count; r++)
        if (mt_may_have_impulse(w, r))
            add_row(w, (const mt_contact_row *)w->rows.all.data + r, false, &sum);
    return sum;
}

static error_sum shape_errors(const mt_impulses *w)
{
    const mt_shape_side *side = &w->shapes.sides[w->shapes.side];
    const uint32_t *first = side->first.data, *number = side->number.data;
    error_sum sum = {0, 0, 0};
    for (uint32_t slice = 0; slice < w->movers.slices; slice++)
        for (uint32_t k = 0; k < number[slice]; k++)
            if (((const mt_shape_lanes *)side->lanes.data)[first[slice] + k].loose != 0)
                add_row(w, (const mt_contact_row *)side->rows.data + first[slice] + k, true, &sum);
    for (uint32_t r = 0; r < w->shapes.body_row_count; r++)
        add_row(w, (const mt_contact_row *)side->body_rows.data + r, true, &sum);
    return sum;
}

bool mt_iterations_are_over(const mote_world *world)
{
    const mote_settings *set = &world->settings;
    const mt_impulses *w = &world->scratch->impulses;
    if (set->time_budget > 0 && mt_seconds() - world->scratch->began >= (double)set->time_budget)
        return true;
    return set->residual_tolerance > 0 && contact_errors(w).largest <= (double)set->residual_tolerance &&
           shape_errors(w).largest <= (double)set->residual_tolerance;
}

/* ---- the others ---------------------------------------------------------------------------------------- */

static double joints_residual(const mote_world *world)
{
    error_sum sum = {0, 0, 0};
    for (uint32_t i = 0; i < world->joints.count; i++) {
        mote_joint_state state;
        if (mote_joint_get(world, mt_joints(world)[i].id, &state) == MOTE_OK)
            add(&sum, (double)state.gap);
    }
    return rms_of(sum);
}

static double picks_residual(const mote_world *world)
{
    error_sum sum = {0, 0, 0};
    for (uint32_t i = 0; i < world->picks.count; i++) {
        const mote_pick_def *def = &mt_picks(world)[i].def;
        uint32_t slot =
            mt_handles_find(&world->particles.handles, def->particle.index, def->particle.generation);
        if (slot != MT_NO_SLOT)
            add(&sum, (double)mt_length(mt_sub(mt_xyz(mt_positions(world)[slot]), def->target)));
    }
    return rms_of(sum);
}

mote_result mote_world_residual(mote_world *world, mote_residual kind, double *residual)
{
    MT_TRY(mt_enter(world, "mote_world_residual"));
    MT_TRY(mt_check_count("kind", (uint32_t)kind, 0, MOTE_RESIDUAL_DISTANCE + mt_constraint_kind_count - 1));
    MT_TRY(mt_check_pointer("residual", residual));
    const bool stepped = world->scratch->impulses.movers.h > 0;
    if (kind == MOTE_RESIDUAL_DENSITY) {
        mote_stats stats;
        MT_TRY(mote_world_stats(world, &stats));
        *residual = (double)stats.mean_density_error;
    } else if (kind == MOTE_RESIDUAL_JOINTS)
        *residual = joints_residual(world);
    else if (kind == MOTE_RESIDUAL_PICKS)
        *residual = picks_residual(world);
    else if (kind >= MOTE_RESIDUAL_DISTANCE)
        *residual = mt_constraints_residual(world, (uint32_t)kind - MOTE_RESIDUAL_DISTANCE);
    else if (!stepped)
        *residual = 0;
    else
        *residual = rms_of(kind == MOTE_RESIDUAL_CONTACTS ? contact_errors(&world->scratch->impulses)
                                                          : shape_errors(&world->scratch->impulses));
    return MOTE_OK;
}
