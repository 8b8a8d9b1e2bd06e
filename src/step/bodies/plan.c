/* The plan: bodies put into the order in which a step works on them, assembly by assembly. It is made when
 * bodies or joints change, and kept until they do again. */
#include "base/error.h"
#include "base/groups.h"
#include "step/bodies/pose_step.h"
#include "step/scratch.h"
#include "world/check.h"

#include <string.h>

/* ---- assemblies ---------------------------------------------------------------------------------------- */

static bool is_driven(const mote_world *world, uint32_t body)
{
    return mt_bodies(world)[body].mode == MOTE_BODY_DRIVEN;
}

static uint32_t place_of_body(const mote_world *world, mote_body_id id)
{
    return mt_handles_find(&world->bodies.handles, id.index, id.generation);
}

/* Who moves together: what is driven joins nobody. */
static void unite_all(const mote_world *world, uint32_t *parent)
{
    for (uint32_t i = 0; i < world->bodies.count; i++)
        parent[i] = i;
    for (uint32_t k = 0; k < world->joints.count; k++) {
        const mt_joint *joint = &mt_joints(world)[k];
        uint32_t a = place_of_body(world, joint->a), b = place_of_body(world, joint->b);
        if (b != MT_NO_SLOT && !is_driven(world, a) && !is_driven(world, b))
            mt_unite(parent, a, b);
    }
    const mt_membership *m = &world->membership;
    for (uint32_t k = 0; k < m->shared_count; k++) {
        const mt_shared *shared = (const mt_shared *)m->shared.data + k;
        const uint32_t *bodies = (const uint32_t *)m->shared_bodies.data + shared->first_body;
        uint32_t first = MT_NO_BODY;
        for (uint32_t i = 0; i < shared->bodies; i++) {
            if (is_driven(world, bodies[i]))
                continue;
            if (first != MT_NO_BODY)
                mt_unite(parent, first, bodies[i]);
            first = bodies[i];
        }
    }
}

/* order[0..n) becomes: a body's assembly; order[n..2n): a body's place in the plan. */
static void order_bodies(const mote_world *world, mt_body_plan *p)
{
    uint32_t count = world->bodies.count, *assembly = p->order.data, *place = assembly + count;
    mt_assembly *assemblies = p->assemblies.data;
    unite_all(world, assembly);
    p->assembly_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t root = mt_root_of(assembly, i);
        if (root == i) {
            assemblies[p->assembly_count] = (mt_assembly){0};
            place[i] = p->assembly_count++;
        }
    }
    for (uint32_t i = 0; i < count; i++) /* roots come before the others, and are no longer needed after them */
        place[i] = place[mt_root_of(assembly, i)];
    memcpy(assembly, place, count * sizeof *place);
    for (uint32_t i = 0; i < count; i++)
        assemblies[assembly[i]].bodies++;
    uint32_t next = 0;
    for (uint32_t a = 0; a < p->assembly_count; a++) {
        assemblies[a].first_body = next;
        next += assemblies[a].bodies;
        assemblies[a].bodies = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        mt_assembly *a = &assemblies[assembly[i]];
        place[i] = a->first_body + a->bodies++;
        mt_body_works(p)[place[i]].body = i;
    }
}

/* ---- particles ----------------------------------------------------------------------------------------- */

/* How much a body gives way to a push of 1 at r, at most, over all directions: 1/M + the larger eigenvalue of
 * -[r] I^-1 [r], whose third eigenvalue, along r, is 0. That does not depend on how the body is turned. */
static float yielding(const mt_body *body, mote_vec3 r)
{
    const float *i = body->inverse_inertia;
    double a[3][3] = {{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}};
    double k[3][3] = {
        {0, -(double)r.z, (double)r.y}, {(double)r.z, 0, -(double)r.x}, {-(double)r.y, (double)r.x, 0}};
    double e[3][3] = {{0}};
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++)
            for (int u = 0; u < 3; u++)
                for (int v = 0; v < 3; v++)
                    e[x][y] += k[x][u] * a[u][v] * k[y][v]; /* [r] A [r]^T = -[r] A [r] */
    double sum = e[0][0] + e[1][1] + e[2][2];
    double product = e[0][0] * e[1][1] - e[0][1] * e[1][0] + e[0][0] * e[2][2] - e[0][2] * e[2][0] +
                     e[1][1] * e[2][2] - e[1][2] * e[2][1];
    double root = sum * sum - 4.0 * product;
    return (float)((double)body->inverse_mass + 0.5 * (sum + sqrt(root > 0 ? root : 0)));
}

/* The value of all of them, or -1. */
static float common(const float *value, uint32_t count)
{
    bool same = true;
    for (uint32_t k = 1; k < count; k++)
        same = same && value[k] == value[0];
    return same ? value[0] : -1.0f;
}

static void add_to_row(mt_body_plan *p, mt_body_work *work, const mt_link *link, mote_vec3 rest,
                       float resistance)
{
    mt_body_row *row = (mt_body_row *)p->rows.data + p->row_count - 1;
    if (work->rows == 0 || row->count == 8) {
        mt_row_rest *new_rest = (mt_row_rest *)p->row_rests.data + p->row_count;
        row = (mt_body_row *)p->rows.data + p->row_count++;
        memset(row, 0, sizeof *row);
        memset(new_rest, 0, sizeof *new_rest);
        row->rest = new_rest;
        work->rows++;
    }
    uint32_t k = row->count++;
    mt_row_rest *more = row->rest;
    row->x[k] = rest.x;
    row->y[k] = rest.y;
    row->z[k] = rest.z;
    more->mass[k] = link->mass;
    more->inverse_inertia[k] = 1.0f / resistance;
    more->particle[k] = link->particle.index;
    row->mass = row->count == 8 ? common(more->mass, 8) : -1.0f;
}

static void plan_body(const mote_world *world, mt_body_plan *p, mt_body_work *work)
{
    const mt_body *body = &mt_bodies(world)[work->body];
    uint32_t index = work->body;
    *work = (mt_body_work){.body = index, .first_row = p->row_count, .first_share = p->share_count};
    work->driven = body->mode == MOTE_BODY_DRIVEN;
    memcpy(work->own_inverse_inertia, body->inverse_inertia, sizeof work->own_inverse_inertia);
    const uint32_t *of = world->membership.of.data;
    for (uint32_t k = 0; k < body->link_count; k++) {
        const mt_link *link = &mt_links(world)[body->first_link + k];
        mote_vec3 rest = mt_sub(link->rest, body->center);
        float resistance = 1.0f / yielding(body, rest), size = mt_length(rest);
        uint32_t entry = of[link->particle.index];
        work->size = size > work->size ? size : work->size;
        if (entry < MT_SHARED) {
            add_to_row(p, work, link, rest, resistance);
        } else {
            ((mt_body_share *)p->shares.data)[p->share_count++] =
                (mt_body_share){rest, link->mass, resistance, entry & ~MT_SHARED};
            work->shares++;
        }
    }
}

/* ---- shared particles ---------------------------------------------------------------------------------- */

static const mt_body_share *share_in(const mt_body_plan *p, uint32_t work, uint32_t place)
{
    const mt_body_work *w = &mt_body_works(p)[work];
    const mt_body_share *share = (const mt_body_share *)p->shares.data + w->first_share;
    while (share->place != place)
        share++;
    return share;
}

/* Which assembly moves a shared particle: a driven body's if there is one. */
static uint32_t mover_of(const mote_world *world, const mt_shared *shared)
{
    const uint32_t *bodies = (const uint32_t *)world->membership.shared_bodies.data + shared->first_body;
    for (uint32_t i = 0; i < shared->bodies; i++)
        if (is_driven(world, bodies[i]))
            return bodies[i];
    return bodies[0];
}

static void plan_place(const mote_world *world, mt_body_plan *p, uint32_t k)
{
    const mt_membership *m = &world->membership;
    const mt_shared *shared = (const mt_shared *)m->shared.data + k;
    const uint32_t *bodies = (const uint32_t *)m->shared_bodies.data + shared->first_body;
    const uint32_t *place = (const uint32_t *)p->order.data + world->bodies.count;
    uint32_t mover = mover_of(world, shared);
    bool held = is_driven(world, mover);
    mt_shared_place *made = &mt_shared_places(p)[k];
    *made = (mt_shared_place){.particle = shared->particle, .first = p->holder_count};
    float resistance = 0.0f;
    for (uint32_t i = 0; i < shared->bodies; i++) {
        if (held && bodies[i] != mover)
            continue;
        const mt_body_share *share = share_in(p, place[bodies[i]], k);
        ((mt_holder *)p->holders.data)[p->holder_count++] = (mt_holder){place[bodies[i]], share->rest};
        made->count++;
        resistance += share->resistance;
    }
    made->inverse_resistance = held ? 0.0f : 1.0f / resistance;
}

/* Places are in the order of the membership's; each assembly has its own in `order`, behind the bodies'. */
static void list_places(const mote_world *world, mt_body_plan *p)
{
    const mt_membership *m = &world->membership;
    const uint32_t *assembly = p->order.data;
    uint32_t *list = (uint32_t *)p->order.data + 2 * (size_t)world->bodies.count;
    mt_assembly *assemblies = p->assemblies.data;
    for (uint32_t k = 0; k < m->shared_count; k++)
        assemblies[assembly[mover_of(world, (const mt_shared *)m->shared.data + k)]].places++;
    uint32_t next = 0;
    for (uint32_t a = 0; a < p->assembly_count; a++) {
        assemblies[a].first_place = next;
        next += assemblies[a].places;
        assemblies[a].places = 0;
    }
    for (uint32_t k = 0; k < m->shared_count; k++) {
        mt_assembly *a = &assemblies[assembly[mover_of(world, (const mt_shared *)m->shared.data + k)]];
        list[a->first_place + a->places++] = k;
    }
}

/* Particles of bodies in the order in which they are to be in memory: see neighbors/order.c. What does not fill
 * a slice waits behind the sequence until eight are together. */
static void list_particles(mt_body_plan *p)
{
    const uint32_t *list = (const uint32_t *)p->order.data + 2 * (size_t)p->body_count;
    uint32_t *next = p->slots.sequence.data, *first = next + p->slots.sequence.capacity / 2, *last = first;
    for (uint32_t k = 0; k < p->assembly_count; k++) {
        const mt_assembly *a = (const mt_assembly *)p->assemblies.data + k;
        const mt_body_work *work = &mt_body_works(p)[a->first_body];
        const mt_body_row *row = (const mt_body_row *)p->rows.data + work->first_row;
        const mt_body_row *end = row;
        for (uint32_t i = 0; i < a->bodies; i++)
            end += work[i].rows;
        for (; row < end; row++) {
            uint32_t **to = row->count == MT_SLICE ? &next : &last;
            memcpy(*to, row->rest->particle, row->count * sizeof **to);
            *to += row->count;
        }
        for (uint32_t i = 0; i < a->places; i++)
            *last++ = mt_shared_places(p)[list[a->first_place + i]].particle;
        for (; last - first >= (ptrdiff_t)MT_SLICE; first += MT_SLICE, next += MT_SLICE)
            memcpy(next, first, MT_SLICE * sizeof *next);
    }
    while (first < last)
        *next++ = *first++;
    p->slot_count = (uint32_t)(next - (uint32_t *)p->slots.sequence.data);
}

/* ---- joints -------------------------------------------------------------------------------------------- */

static uint32_t assembly_of(const mote_world *world, const mt_body_plan *p, const mt_joint *joint)
{
    uint32_t a = place_of_body(world, joint->a), b = place_of_body(world, joint->b);
    if (is_driven(world, a) && (b == MT_NO_SLOT || is_driven(world, b)))
        return MT_NO_BODY; /* nothing to solve */
    return ((const uint32_t *)p->order.data)[is_driven(world, a) ? b : a];
}

static bool has_limits(const mt_joint *joint)
{
    switch (joint->type) {
    case MOTE_JOINT_HINGE:
        return joint->min_angle > -MT_NO_LIMIT || joint->max_angle < MT_NO_LIMIT;
    case MOTE_JOINT_BALL:
        return joint->swing_limit < MT_NO_LIMIT || joint->twist_limit < MT_NO_LIMIT;
    case MOTE_JOINT_UNIVERSAL:
        return joint->swing_limit < MT_NO_LIMIT;
    default:
        return false;
    }
}

static void plan_joint(const mote_world *world, const mt_body_plan *p, uint32_t k, mt_joint_work *work)
{
    const mt_joint *joint = &mt_joints(world)[k];
    const uint32_t *place = (const uint32_t *)p->order.data + world->bodies.count;
    uint32_t a = place_of_body(world, joint->a), b = place_of_body(world, joint->b);
    *work = (mt_joint_work){.joint = k, .a = place[a], .b = MT_NO_BODY, .limited = has_limits(joint)};
    work->anchor_a = mt_sub(joint->anchor_a, mt_bodies(world)[a].center);
    work->anchor_b = joint->anchor_b;
    if (b != MT_NO_SLOT) {
        work->b = place[b];
        work->anchor_b = mt_sub(joint->anchor_b, mt_bodies(world)[b].center);
    }
}

static void plan_joints(const mote_world *world, mt_body_plan *p)
{
    mt_assembly *assemblies = p->assemblies.data;
    for (uint32_t k = 0; k < world->joints.count; k++) {
        uint32_t a = assembly_of(world, p, &mt_joints(world)[k]);
        if (a != MT_NO_BODY)
            assemblies[a].joints++;
    }
    p->joint_count = 0;
    for (uint32_t a = 0; a < p->assembly_count; a++) {
        assemblies[a].first_joint = p->joint_count;
        p->joint_count += assemblies[a].joints;
        assemblies[a].joints = 0;
    }
    for (uint32_t k = 0; k < world->joints.count; k++) {
        uint32_t a = assembly_of(world, p, &mt_joints(world)[k]);
        if (a != MT_NO_BODY)
            plan_joint(world, p, k, &mt_joint_works(p)[assemblies[a].first_joint + assemblies[a].joints++]);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static mote_result reserve(mote_world *world, mt_body_plan *p)
{
    mt_memory *memory = &world->memory;
    size_t bodies = world->bodies.count, links = world->link_count;
    size_t shared = world->membership.shared_count;
    MT_TRY(mt_array_reserve(&p->rows, memory, links / 8 + bodies + 1, 0));
    MT_TRY(mt_array_reserve(&p->row_rests, memory, links / 8 + bodies + 1, 0));
    MT_TRY(mt_array_reserve(&p->shares, memory, links, 0));
    MT_TRY(mt_array_reserve(&p->places, memory, shared, 0));
    MT_TRY(mt_array_reserve(&p->holders, memory, links, 0));
    MT_TRY(mt_array_reserve(&p->bodies, memory, bodies + 1, 0));
    MT_TRY(mt_array_reserve(&p->joints, memory, world->joints.count, 0));
    MT_TRY(mt_array_reserve(&p->assemblies, memory, bodies, 0));
    MT_TRY(mt_array_reserve(&p->slots.sequence, memory, 2 * links, 0));
    return mt_array_reserve(&p->order, memory, 2 * bodies + shared, 0);
}

static mote_result make_plan(mote_world *world, mt_body_plan *p)
{
    p->edits = p->slots.located_edits = p->slots.noted_edits = p->slots.named_edits = 0;
    mt_membership_build(world);
    MT_TRY(reserve(world, p));
    p->row_count = p->share_count = p->holder_count = 0;
    p->body_count = world->bodies.count;
    p->place_count = world->membership.shared_count;
    order_bodies(world, p);
    p->any_driven = false;
    for (uint32_t i = 0; i < p->body_count; i++) {
        plan_body(world, p, &mt_body_works(p)[i]);
        p->any_driven |= mt_body_works(p)[i].driven;
    }
    for (uint32_t k = 0; k < p->place_count; k++)
        plan_place(world, p, k);
    list_places(world, p);
    list_particles(p);
    plan_joints(world, p);
    MT_TRY(mt_batches_make(world, p));
    p->edits = world->body_edits;
    return MOTE_OK;
}

static bool is_asleep(const mote_world *world, const mt_body *body)
{
    uint32_t particle = mt_links(world)[body->first_link].particle.index;
    return mt_rest_times(world)[mt_handle_entries(&world->particles.handles)[particle].slot] < 0;
}

static void begin_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mote_world *world = context;
    const mt_body_plan *p = &world->scratch->bodies;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) { /* first of all, since one look-up after the other has to wait */
        mt_body_work *work = &mt_body_works(p)[i];
        work->asleep = !work->driven && is_asleep(world, &mt_bodies(world)[work->body]);
    }
    for (uint32_t i = begin; i < end; i++) {
        mt_body_work *work = &mt_body_works(p)[i];
        const mt_body *body = &mt_bodies(world)[work->body];
        work->inverse_mass = work->driven || work->asleep ? 0.0f : body->inverse_mass;
        work->pose = work->start = body->pose;
        work->at = work->at_start = mt_frame_of(body->pose);
        work->velocity = body->velocity;
        work->angular = body->spin;
        if (!work->driven)
            work->spin = mt_inverse_inertia_turned(work->own_inverse_inertia, &work->at_start, work->angular);
    }
}

static void begin_joints(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mote_world *world = context;
    const mt_body_plan *p = &world->scratch->bodies;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_joint_work *work = &mt_joint_works(p)[k];
        const mt_joint *joint = &mt_joints(world)[work->joint];
        work->force_sum = work->torque_sum = (mote_vec3){0.0f, 0.0f, 0.0f};
        work->axis_b = joint->axis_b;
        work->side_b = joint->side_b;
        work->bent = joint->bent;
        work->broken = false;
    }
}

/* ---- who is where -------------------------------------------------------------------------------------- */

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)

/* Of a block: bits in which indices differ from those in the sequence, and phases from the first. */
typedef struct block_bits {
    uint32_t index, phase;
} block_bits;

_Static_assert(sizeof(block_bits) <= MT_BLOCK_RECORD, "a block's record must hold it");

static void compare_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mote_world *world = context;
    const mote_particle_id *id = mt_particle_ids(world);
    const mt_body_plan *p = &world->scratch->bodies;
    const uint32_t *sequence = p->slots.sequence.data, *phase = mt_phases(world);
    block_bits bits = {0, 0};
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        bits.phase |= phase[i] ^ phase[0];
    for (uint32_t i = begin; i < end && i < p->slot_count; i++)
        bits.index |= id[i].index ^ sequence[i];
    ((block_bits *)world->scratch->block_bounds.data)[begin / BLOCK_SLOTS] = bits;
}

static void find_sequence(mote_world *world)
{
    mt_scratch *s = world->scratch;
    uint32_t count = world->particles.count, index = 0;
    mt_parallel_for(&world->threads, count, BLOCK_SLOTS, compare_range, world);
    s->search.phase_bits = 0;
    for (uint32_t block = 0; block < mt_block_count(mt_slice_count(count)); block++) {
        index |= ((const block_bits *)s->block_bounds.data)[block].index;
        s->search.phase_bits |= ((const block_bits *)s->block_bounds.data)[block].phase;
    }
    s->search.in_sequence = index == 0;
}

mote_result mt_bodies_begin(mote_world *world)
{
    mt_body_plan *p = &world->scratch->bodies;
    if (world->bodies.count == 0) {
        p->edits = p->body_count = p->assembly_count = p->batches.count = p->joint_count = p->place_count = 0;
        return MOTE_OK;
    }
    if (p->edits != world->body_edits || p->edits == 0)
        MT_TRY(make_plan(world, p));
    find_sequence(world);
    mt_parallel_for(&world->threads, p->body_count, 64, begin_bodies, world);
    mt_parallel_for(&world->threads, p->joint_count, 64, begin_joints, world);
    return MOTE_OK;
}
