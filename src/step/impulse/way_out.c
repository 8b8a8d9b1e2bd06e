#include "step/impulse/way_out.h"

#include "base/vec.h"
#include "step/bodies/bodies.h"
#include "world/placement.h"

/* ---- how far solids reach -------------------------------------------------------------------------------- */

/* A core with a coat, as collide/surface.h has it. */
typedef struct solid {
    mt_frame at;
    mote_vec3 core; /* half extents */
    float coat;
} solid;

static float reach_of_solid(const solid *s, mote_vec3 n)
{
    float x = fabsf(mt_dot(s->at.x, n)), y = fabsf(mt_dot(s->at.y, n)), z = fabsf(mt_dot(s->at.z, n));
    return mt_dot(s->at.position, n) + s->core.x * x + s->core.y * y + s->core.z * z + s->coat;
}

static solid solid_of_body(const mt_body_surface *s)
{
    bool is_box = s->form->type == MT_SURFACE_BOX, has_line = s->form->type != MT_SURFACE_SPHERE;
    const float *size = s->form->size;
    return (solid){s->at,
                   {is_box ? size[0] : 0.0f, has_line ? size[1] : 0.0f, is_box ? size[2] : 0.0f},
                   is_box ? 0.0f : size[0]};
}

bool mt_has_way_out(const mt_placed *shape)
{
    return shape->form.kind == MT_FORM_PRIMITIVE && !shape->form.inside;
}

static solid solid_of_shape(const mt_placed *placed)
{
    const mt_primitive *form = &placed->form.primitive;
    const mote_vec3 none = {0.0f, 0.0f, 0.0f};
    bool is_box = form->type == MOTE_SHAPE_BOX;
    solid s = {placed->start, is_box ? form->half_extents : none, is_box ? 0.0f : form->radius};
    if (form->type == MOTE_SHAPE_CAPSULE)
        s.core.y = form->half_height;
    return s;
}

static const mt_body_surface *surface_of(const mt_impulse_job *job, uint32_t body)
{
    return (const mt_body_surface *)job->w->movers.surfaces.data + body;
}

static float reach_of_slot(const mt_impulse_job *job, uint32_t slot, mote_vec3 n)
{
    return mt_dot(mt_xyz(job->position[slot]), n) + job->position[slot].w;
}

static float reach_of_particles(const mt_impulse_job *job, const mt_body_work *w, mote_vec3 n)
{
    const mt_body_plan *p = job->s->bodies.plan;
    const mt_body_row *rows = (const mt_body_row *)p->rows.data + w->first_row;
    const mt_body_share *shares = (const mt_body_share *)p->shares.data + w->first_share;
    float most = -MT_FAR;
    for (uint32_t r = 0; r < w->rows; r++)
        for (uint32_t k = 0; k < rows[r].count; k++)
            most = fmaxf(most, reach_of_slot(job, rows[r].rest->slot[k], n));
    for (uint32_t k = 0; k < w->shares; k++)
        most = fmaxf(most, reach_of_slot(job, mt_shared_places(p)[shares[k].place].slot, n));
    return most;
}

static float reach_of_body(const mt_impulse_job *job, uint32_t body, mote_vec3 n)
{
    const mt_body_surface *s = surface_of(job, body);
    if (s->form == NULL)
        return reach_of_particles(job, &mt_body_works(job->s->bodies.plan)[body], n);
    solid own = solid_of_body(s);
    return reach_of_solid(&own, n);
}

/* ---- where they may go ----------------------------------------------------------------------------------- */

#define MOST_AXES 24u

typedef struct axes {
    mote_vec3 of[MOST_AXES];
    uint32_t count;
} axes;

static void add_axis(axes *a, mote_vec3 axis)
{
    float size = mt_length(axis);
    if (size > 1e-3f && a->count < MOST_AXES)
        a->of[a->count++] = mt_scale(axis, 1.0f / size);
}

/* Those that a solid has faces across, or lies along. */
static uint32_t own_axes(const solid *s, mote_vec3 out[3])
{
    uint32_t count = 0;
    if (s->core.x > 0)
        out[count++] = s->at.x;
    if (s->core.y > 0)
        out[count++] = s->at.y;
    if (s->core.z > 0)
        out[count++] = s->at.z;
    return count;
}

static mote_vec3 across(mote_vec3 v, mote_vec3 axis)
{
    return mt_sub(v, mt_scale(axis, mt_dot(v, axis)));
}

static axes axes_between(const solid *s, const solid *other, mote_vec3 middle)
{
    axes a = {.count = 0};
    mote_vec3 own[3], others[3];
    uint32_t own_count = own_axes(s, own), other_count = other != NULL ? own_axes(other, others) : 0;
    for (uint32_t k = 0; k < own_count; k++)
        add_axis(&a, own[k]);
    for (uint32_t k = 0; k < other_count; k++)
        add_axis(&a, others[k]);
    add_axis(&a, middle);
    for (uint32_t k = 0; k < own_count; k++)
        add_axis(&a, across(middle, own[k]));
    for (uint32_t k = 0; k < other_count; k++)
        add_axis(&a, across(middle, others[k]));
    if (a.count == 0)
        add_axis(&a, (mote_vec3){0.0f, 1.0f, 0.0f});
    for (uint32_t k = 0; k < own_count; k++)
        for (uint32_t l = 0; l < other_count; l++)
            add_axis(&a, mt_cross(own[k], others[l]));
    return a;
}

/* ---- of bodies ------------------------------------------------------------------------------------------- */

bool mt_way_out_of_body(const mt_impulse_job *job, uint32_t a, uint32_t b, mote_vec3 last, mt_way_out *way,
                        mt_way_out *back)
{
    if (surface_of(job, a)->form == NULL || surface_of(job, b)->form == NULL)
        return false;
    solid one = solid_of_body(surface_of(job, a)), other = solid_of_body(surface_of(job, b));
    axes all = axes_between(&other, &one, mt_sub(one.at.position, other.at.position));
    float least = MT_FAR;
    for (uint32_t k = 0; k < 2 * all.count; k++) {
        mote_vec3 n = mt_scale(all.of[k / 2], k % 2 == 0 ? 1.0f : -1.0f), from = mt_scale(n, -1.0f);
        float reach = reach_of_solid(&other, n), own = reach_of_solid(&one, from);
        if (reach + own >= least || mt_dot(n, last) < 0)
            continue;
        least = reach + own;
        *way = (mt_way_out){n, reach};
        *back = (mt_way_out){from, own};
    }
    return true;
}

/* ---- out of shapes --------------------------------------------------------------------------------------- */

static const mt_assembly *assembly_of(const mt_body_plan *p, uint32_t body)
{
    const mt_assembly *all = p->assemblies.data;
    uint32_t low = 0, high = p->assembly_count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (all[middle].first_body <= body)
            low = middle;
        else
            high = middle;
    }
    return all + low;
}

mt_way_out mt_way_out_of_shape(const mt_impulse_job *job, uint32_t body)
{
    const mt_sunk *sunk = job->w->movers.sunk.data;
    const mt_assembly *of = assembly_of(job->s->bodies.plan, body);
    uint32_t shape = sunk[body].shape, count = 0, last = of->first_body + of->bodies;
    solid s = solid_of_shape(&job->s->shapes.placed[shape]), own = s;
    mt_way_out way = {{0.0f, 1.0f, 0.0f}, 0.0f};
    mote_vec3 middle = {0.0f, 0.0f, 0.0f};
    for (uint32_t k = of->first_body; k < last; k++)
        if (sunk[k].depth > 0 && sunk[k].shape == shape) {
            middle = mt_add(middle, mt_sub(mt_xyz(job->center[job->w->movers.first_body + k]), s.at.position));
            count++;
        }
    bool alone = count == 1 && surface_of(job, body)->form != NULL;
    if (alone)
        own = solid_of_body(surface_of(job, body));
    axes all = axes_between(&s, alone ? &own : NULL, middle);
    float least = MT_FAR;
    for (uint32_t n = 0; n < 2 * all.count; n++) {
        mote_vec3 normal = mt_scale(all.of[n / 2], n % 2 == 0 ? 1.0f : -1.0f), from = mt_scale(normal, -1.0f);
        float reach = reach_of_solid(&s, normal), most = -MT_FAR;
        for (uint32_t k = of->first_body; k < last; k++)
            if (sunk[k].depth > 0 && sunk[k].shape == shape)
                most = fmaxf(most, reach_of_body(job, k, from));
        if (reach + most >= least)
            continue;
        least = reach + most;
        way = (mt_way_out){normal, reach};
    }
    return way;
}
