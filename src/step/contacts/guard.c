/* The guard: continuous collision. Whatever the solver did, a particle's way through the substep, from where
 * it was to where it is to be, crosses no surface. One that would is stopped at the time of impact, at the
 * distance of its radius, and slides on along the surface with what is left of its way. */
#include "step/contacts/guard.h"

#include "step/contacts/shape_contacts.h"

#define MOST_CANDIDATES 96u
#define MOST_STOPS      6 /* a way may be bent by so many surfaces before it ends where it is */

typedef struct way {
    const mt_substep *s;
    uint32_t channels;
    float radius, restitution;
    const mt_placed *leaves;          /* its body is on its way out of it; NULL: of none */
    uint32_t shapes[MOST_CANDIDATES]; /* that it may meet */
    uint32_t count;                   /* more than there is room for: all */
} way;

static uint32_t shape_at(const way *w, uint32_t i)
{
    return w->count > MOST_CANDIDATES ? i : w->shapes[i];
}

static uint32_t shape_count(const way *w)
{
    return w->count > MOST_CANDIDATES ? w->s->shapes.count : w->count;
}

static bool blocks(const way *w, const mt_placed *placed)
{
    return !placed->trigger && placed != w->leaves && placed->form.kind != MT_FORM_PLANE &&
           (placed->channels & w->channels) != 0;
}

typedef struct meeting {
    const mt_placed *placed;
    mt_crossing crossing;
    mote_vec3 from, to; /* in the shape's coordinates */
} meeting;

/* The first surface on a way. On the first part of the way shapes move from their start to their end; later
 * they are at their end. */
static bool meet(const way *w, mote_vec3 from, mote_vec3 to, bool first, meeting *met)
{
    *met = (meeting){.placed = NULL};
    for (uint32_t i = 0; i < shape_count(w); i++) {
        const mt_placed *placed = &w->s->shapes.placed[shape_at(w, i)];
        if (!blocks(w, placed))
            continue;
        mote_vec3 a = mt_to_local(first ? &placed->start : &placed->end, from),
                  b = mt_to_local(&placed->end, to);
        mt_crossing crossing;
        if (mt_form_cross(&placed->form, a, b, &crossing) &&
            (met->placed == NULL || crossing.part < met->crossing.part))
            *met = (meeting){placed, crossing, a, b};
    }
    return met->placed != NULL;
}

/* Off a surface a particle bounces, or at least it goes no further into it; along the surface it keeps its
 * speed. */
static void reflect(const way *w, const meeting *met, mote_vec3 at, mote_vec3 normal, mote_vec3 *velocity)
{
    const mt_substep *s = w->s;
    mote_vec3 place = mt_to_local(&met->placed->end, at);
    mote_vec3 moved = mt_sub(at, mt_to_world(&met->placed->start, place));
    float closing = mt_dot(*velocity, normal) - mt_dot(moved, normal) * s->inverse_h;
    if (closing >= 0)
        return;
    float restitution = mt_most(w->restitution, s->particles.materials[met->placed->material].restitution);
    float back = -closing > s->limits.bounce_speed ? 1.0f + restitution : 1.0f;
    *velocity = mt_sub(*velocity, mt_scale(normal, back * closing));
}

static mote_vec3 follow(const way *w, mote_vec3 from, mote_vec3 to, mote_vec3 *velocity)
{
    meeting met;
    for (int stop = 0; stop < MOST_STOPS; stop++) {
        if (!meet(w, from, to, stop == 0, &met))
            return to;
        mote_vec3 normal = mt_turn(&met.placed->end, met.crossing.normal);
        from = mt_to_world(&met.placed->end, mt_stop_before(met.from, met.to, &met.crossing, w->radius));
        reflect(w, &met, from, normal, velocity);
        mote_vec3 rest = mt_sub(to, from);
        to = mt_add(from, mt_sub(rest, mt_scale(normal, mt_dot(rest, normal))));
    }
    return from;
}

/* Off every surface by a little, so that rounding cannot put it on the other side. */
static mote_vec3 off_surfaces(const way *w, mote_vec3 x)
{
    float skin = MT_SURFACE_SKIN * w->radius;
    for (uint32_t i = 0; i < shape_count(w); i++) {
        const mt_placed *placed = &w->s->shapes.placed[shape_at(w, i)];
        if (!blocks(w, placed))
            continue;
        mt_near near[MT_MAX_NEAR];
        mote_vec3 local = mt_to_local(&placed->end, x);
        uint32_t count = mt_form_near(&placed->form, local, skin, near);
        for (uint32_t k = 0; k < count; k++) {
            float distance = mt_dot(near[k].normal, local) - near[k].offset;
            if (distance > 0 && distance < skin)
                local = mt_add(local, mt_scale(near[k].normal, skin - distance));
        }
        if (count > 0)
            x = mt_to_world(&placed->end, local);
    }
    return x;
}

/* If the bent way still ends on the wrong side of a shape that moves, the particle goes with the shape. */
static mote_vec3 carried(const way *w, mote_vec3 from, mote_vec3 to)
{
    meeting met;
    for (int i = 0; i < MOST_STOPS && meet(w, from, to, true, &met); i++)
        to = off_surfaces(w, mt_to_world(&met.placed->end, met.from));
    return to;
}

/* A body that is deep in a shape is behind its surface already, though not with all its particles. */
static const mt_placed *shape_left_by(const mt_substep *s, uint32_t slot)
{
    uint32_t first_body = s->dummy + MT_SLICE;
    if (s->guard.sunk == NULL || s->guard.mover_of[slot] < first_body)
        return NULL;
    const mt_sunk *sunk = &s->guard.sunk[s->guard.mover_of[slot] - first_body];
    return sunk->depth > 0 ? &s->shapes.placed[sunk->shape] : NULL;
}

void mt_guard_particle(const mt_substep *s, uint32_t slot)
{
    mote_vec4 *predicted = &s->particles.predicted[slot];
    mote_vec3 from = mt_xyz(s->particles.origin[slot]), to = mt_xyz(*predicted);
    way w = {.s = s,
             .channels = (s->particles.phase[slot] & MOTE_PHASE_CHANNEL_MASK) >> MOTE_PHASE_CHANNEL_SHIFT,
             .radius = s->particles.origin[slot].w,
             .restitution = s->particles.materials[s->particles.material[slot]].restitution,
             .leaves = shape_left_by(s, slot)};
    mt_box box = mt_box_grow(mt_box_with(mt_box_with(mt_box_empty(), from), to), w.radius);
    w.count = mt_placement_find(s->shapes.placement, box, w.shapes, MOST_CANDIDATES);
    if (w.count == 0)
        return;
    mote_vec3 start = mt_xyz(s->particles.position[slot]);
    mote_vec3 velocity = mt_scale(mt_sub(to, start), s->inverse_h), before = velocity;
    mote_vec3 end = off_surfaces(&w, follow(&w, from, to, &velocity));
    end = carried(&w, from, end);
    *predicted = (mote_vec4){end.x, end.y, end.z, predicted->w};
    /* Velocities are made of the way from the start to the end, so the start is put where the velocity is
     * right: what the way was cut short by is no change of speed. */
    if (velocity.x != before.x || velocity.y != before.y || velocity.z != before.z) {
        start = mt_sub(end, mt_scale(velocity, s->h));
        s->particles.position[slot] = (mote_vec4){start.x, start.y, start.z, s->particles.position[slot].w};
    }
}
