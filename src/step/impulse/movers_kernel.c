/* What contacts left of the velocities of loose particles goes back to where the substep has them. */
#include "base/lanes3.h"
#include "base/vec.h"
#include "step/impulse/impulse.h"
#include "step/kernels.h"

/* No place of the surface is faster than max_speed. */
static mote_vec4 settled_spin(const mt_impulse_job *job, uint32_t i)
{
    mote_vec4 spin = job->spin[i];
    if (spin.w == 0)
        return (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
    float speed = job->center[i].w * mt_length(mt_xyz(spin)), most = job->world->settings.max_speed;
    float part = speed > most ? most / speed : 1.0f;
    return (mote_vec4){part * spin.x, part * spin.y, part * spin.z, 0.0f};
}

/* Those of a slice that are no particles of bodies. */
static uint32_t loose_of(const mt_impulse_job *job, uint32_t first)
{
    const uint32_t *of = (const uint32_t *)job->w->movers.of.data + first;
    uint32_t bits =
        lanes_bits(lanes_differ(lanes_load_index(of), lanes_iota() + lanes_all_index(first))) ^ 0xFFu;
    return job->s->count - first < LANES ? bits & ((1u << (job->s->count - first)) - 1u) : bits;
}

/* Eight loose ones whose velocities hardly change, as they are in memory: the same as below with half of the work. False:
 * some of them change by more. */
LANE_FUNCTION bool return_plainly(const mt_impulse_job *job, uint32_t first)
{
    const mt_substep *s = job->s;
    const lanes h = lanes_twice(s->h, s->h, s->h, 0.0f);
    lanes velocity[4], to[4], change = lanes_all(0.0f);
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t two = first + 2 * k;
        velocity[k] = lanes_load(&job->velocity[two].x);
        to[k] = lanes_load(&s->particles.position[two].x) + h * velocity[k];
        change += lanes_size(velocity[k] - lanes_load(&s->particles.transport[two].x));
    }
    if (lanes_bits(lanes_below(change, lanes_all(0.5f * s->limits.max_change))) != 0xFFu)
        return false;
    for (uint32_t k = 0; k < 4; k++) {
        lanes_store(&s->particles.transport[first + 2 * k].x, velocity[k]);
        lanes_store(&s->particles.predicted[first + 2 * k].x, to[k]);
    }
    return true;
}

LANE_FUNCTION void return_slice(const mt_impulse_job *job, uint32_t first)
{
    const mt_substep *s = job->s;
    uint32_t loose = loose_of(job, first);
    if (loose == 0xFFu && return_plainly(job, first))
        return;
    lanes4 v = lanes_load4(job->velocity + first), from = lanes_load4(s->particles.transport + first),
           x = lanes_load4(s->particles.position + first);
    lanes3 change = {v.x - from.x, v.y - from.y, v.z - from.z};
    lanes square = lanes3_dot(change, change), most = lanes_all(s->limits.max_change);
    lane_mask over =
        lanes_above(square, most * most); /* contacts change it by no more than max_acceleration says */
    if (lanes_bits(over) != 0) {
        lanes part = most / lanes_sqrt(square);
        v.x = lanes_select(over, from.x + change.x * part, v.x);
        v.y = lanes_select(over, from.y + change.y * part, v.y);
        v.z = lanes_select(over, from.z + change.z * part, v.z);
    }
    lanes h = lanes_all(s->h);
    lanes4 to = {x.x + h * v.x, x.y + h * v.y, x.z + h * v.z, x.w};
    if (loose == 0xFFu) {
        lanes_store4(s->particles.transport + first, v);
        lanes_store4(s->particles.predicted + first, to);
        return;
    }
    mote_vec4 velocity[LANES], predicted[LANES];
    lanes_store4(velocity, v);
    lanes_store4(predicted, to);
    for (uint32_t rest = loose; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest);
        s->particles.transport[first + n] = velocity[n];
        s->particles.predicted[first + n] = predicted[n];
    }
}

void MT_KERNEL(movers_return)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    (void)worker;
    const mt_substep *s = job->s;
    const bool spins = job->turns || s->time.opens_step; /* else they are 0 since the first substep */
    for (uint32_t slice = begin; slice < end; slice++) {
        const bool of_body = s->bodies.flying != NULL && s->bodies.flying[slice] != 0;
        if (!of_body)
            return_slice(job, slice * LANES);
        else if (s->time.opens_step)
            memset(mt_spins(job->world) + (size_t)slice * LANES, 0, LANES * sizeof(mote_vec4));
        for (uint32_t i = slice * LANES; spins && !of_body && i < (slice + 1) * LANES && i < s->count; i++)
            mt_spins(job->world)[i] = settled_spin(job, i);
    }
}
