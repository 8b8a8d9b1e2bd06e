/* Rays and shapes. */
#include "query/ray_search.h"

static mt_real3 real_to_local(const mt_frame *frame, mt_real3 direction)
{
    return (mt_real3){mt_real_dot(mt_real_of(frame->x), direction),
                      mt_real_dot(mt_real_of(frame->y), direction),
                      mt_real_dot(mt_real_of(frame->z), direction)};
}

/* The ray in the coordinates of a shape. */
static mt_ray local_ray(const mt_ray *ray, const mt_frame *frame)
{
    mt_real3 from = real_to_local(frame, mt_real_sub(ray->from, mt_real_of(frame->position)));
    return mt_ray_make(from, real_to_local(frame, ray->direction), ray->length);
}

/* The box of a form's surface. */
static mt_box surface_box(const mt_form *form)
{
    return form->kind == MT_FORM_HEIGHTFIELD ? mt_heightfield_bounds(form->geometry) : mt_form_bounds(form);
}

/* The part of the ray around a form, with some room before and after: however long the ray is, the numbers
 * there are of the form's own size, and floats are good enough for them. */
static bool part_around(const mt_ray *ray, const mt_box *box, double *first, double *last)
{
    mote_vec3 size = mt_sub(box->max, box->min);
    double room = mt_real_size(mt_real_of(size));
    mt_box wide = mt_box_grow(*box, (float)(1e-5 * room));
    if (!mt_ray_in_box(ray, &wide, first, last))
        return false;
    *first = mt_real_most(*first - room, 0);
    *last = mt_real_least(*last + room, ray->length);
    return *last > *first;
}

/* A height field may be left and met again further on; a ray that starts in it does not meet it at all. The
 * other forms look at their start by themselves. */
static bool starts_in_solid(const mt_form *form, mt_real3 from)
{
    return form->kind == MT_FORM_HEIGHTFIELD && mt_form_distance(form, mt_real_round(from), 1.0f) < 0;
}

static void meet_shape(mt_ray_search *search, uint32_t place)
{
    const mt_placed *placed = &mt_placed_shapes(&search->world->placement)[place];
    if (!mt_query_sees_shape(search->filter, placed))
        return;
    mt_ray ray = local_ray(&search->ray, &placed->start);
    mt_box box = surface_box(&placed->form);
    double first, last;
    mt_crossing crossing;
    if (!part_around(&ray, &box, &first, &last))
        return;
    mote_vec3 from = mt_real_round(mt_ray_at(&ray, first)), to = mt_real_round(mt_ray_at(&ray, last));
    if (!mt_form_cross(&placed->form, from, to, &crossing) || starts_in_solid(&placed->form, ray.from))
        return;
    double distance = first + (double)crossing.part * (last - first);
    if (mt_ray_take(search, distance, true, place, mt_shapes(search->world)[place].id.index))
        search->normal = mt_turn(&placed->start, crossing.normal);
}

static void meet_plane(mt_ray_search *search, uint32_t place)
{
    const mt_placed *placed = &mt_placed_shapes(&search->world->placement)[place];
    mt_real3 normal = mt_real_of(placed->normal);
    double height = mt_real_dot(normal, search->ray.from) - (double)placed->offset;
    double sinking = -mt_real_dot(normal, search->ray.direction);
    if (!mt_query_sees_shape(search->filter, placed) || height < 0 || sinking <= 0)
        return;
    if (mt_ray_take(search, height / sinking, true, place, mt_shapes(search->world)[place].id.index))
        search->normal = placed->normal;
}

static void meet_standing(void *context, uint32_t item)
{
    mt_ray_search *search = context;
    meet_shape(search, ((const uint32_t *)search->world->placement.standing.shapes.data)[item]);
}

static void meet_moving(void *context, uint32_t item)
{
    mt_ray_search *search = context;
    meet_shape(search, ((const uint32_t *)search->world->placement.moving.shapes.data)[item]);
}

void mt_ray_meet_shapes(mt_ray_search *search)
{
    const mt_placement *p = &search->world->placement;
    for (uint32_t i = 0; i < p->plane_count; i++)
        meet_plane(search, ((const uint32_t *)p->planes.data)[i]);
    mt_ray_walk(&search->ray, &p->standing.tree, meet_standing, search, &search->nearest);
    mt_ray_walk(&search->ray, &p->moving.tree, meet_moving, search, &search->nearest);
}
