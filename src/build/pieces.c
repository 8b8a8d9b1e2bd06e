/* Bodies that bend and break: pieces with stiff joints where they were cut. */
#include "build/pieces.h"
#include "base/error.h"
#include "build/rigid_form.h"
#include "world/check.h"

#define MIN_SIZE 1e-6f /* m, of a piece */
#define MAX_SIZE 1e6f

/* Torques that a cut bears, as parts of stress times area times extent. It breaks open about an edge; it yields
 * when one half of it pulls and the other presses (the plastic section modulus of a rectangle). */
#define BREAKING 0.5
#define YIELDING 0.25

typedef struct builder {
    mote_world *world;
    const mote_rigid_def *def;
    const mote_pieces_def *pieces;
    const mote_vec3 *points;
    uint32_t count;
    float spacing;
    mt_cuts cuts;
    mote_particle_id *ids;     /* of the points */
    mote_particle_id *members; /* by piece */
    mote_particle_id *shared;  /* of one joint */
    mote_body_id *bodies;      /* a piece */
    uint32_t *starts;          /* a piece, and one more: its first member */
    uint32_t *sets;            /* of pieces: what is joined so far */
    uint32_t body_count;       /* made so far */
} builder;

mote_pieces_def mote_default_pieces_def(void)
{
    return (mote_pieces_def){.size = 1.0f,
                             .strength = MOTE_UNBREAKABLE,
                             .yield = MOTE_UNBREAKABLE,
                             .bend_limit = MOTE_UNBREAKABLE,
                             .seed = 1};
}

/* ---- bodies --------------------------------------------------------------------------------------------- */

/* Sorts the particles by piece, in the order of the points. */
static void group_members(builder *b)
{
    const uint32_t *piece_of = b->cuts.piece_of;
    for (uint32_t k = 0; k <= b->cuts.piece_count; k++)
        b->starts[k] = 0;
    for (uint32_t i = 0; i < b->count; i++)
        b->starts[piece_of[i] + 1]++;
    for (uint32_t k = 0; k < b->cuts.piece_count; k++)
        b->starts[k + 1] += b->starts[k];
    for (uint32_t i = 0; i < b->count; i++)
        b->members[b->starts[piece_of[i]]++] = b->ids[i];
    for (uint32_t k = b->cuts.piece_count; k > 0; k--) /* each start is where the next one was */
        b->starts[k] = b->starts[k - 1];
    b->starts[0] = 0;
}

static mote_result add_bodies(builder *b)
{
    group_members(b);
    mote_body_def def = mote_default_body_def();
    def.frame = mt_rigid_pose(b->def);
    for (uint32_t k = 0; k < b->cuts.piece_count; k++) {
        def.particles = b->members + b->starts[k];
        def.particle_count = b->starts[k + 1] - b->starts[k];
        b->bodies[k] = mote_body_add(b->world, &def);
        if (mote_is_null(b->bodies[k]))
            return mote_last_result();
        b->body_count++;
    }
    return MOTE_OK;
}

/* ---- joints --------------------------------------------------------------------------------------------- */

/* What a joint bears: a stress over a cut, or over its first moment. */
static float bears(float stress, double by)
{
    return stress < MOTE_UNBREAKABLE ? (float)fmin((double)stress * by, (double)MOTE_UNBREAKABLE)
                                     : MOTE_UNBREAKABLE;
}

/* The particles of the first piece at the cut, each once; pairs are sorted by them. */
static size_t collect_shared(const builder *b, const mt_cut_pair *pairs, size_t count, bool direct)
{
    size_t collected = 0;
    uint32_t last = UINT32_MAX;
    for (size_t k = 0; k < count; k++) {
        if (pairs[k].i == last || (direct && !mt_pair_is_direct(&pairs[k], b->points, b->spacing)))
            continue;
        last = pairs[k].i;
        b->shared[collected++] = b->ids[last];
    }
    return collected;
}

static mote_result add_joint(builder *b, const mt_cut_pair *pairs, size_t count, const mt_interface *cut,
                             bool direct)
{
    mt_frame frame = mt_frame_of(mt_rigid_pose(b->def));
    mote_joint_def def = mote_default_joint_def();
    def.type = MOTE_JOINT_STIFF;
    def.a = b->bodies[pairs->a];
    def.b = b->bodies[pairs->b];
    def.anchor = mt_to_world(&frame, cut->anchor);
    def.axis = mt_turn(&frame, cut->normal);
    def.particles = b->shared;
    def.particle_count = collect_shared(b, pairs, count, direct);
    def.break_force = bears(b->pieces->strength, cut->area);
    def.break_torque = bears(b->pieces->strength, BREAKING * cut->area * cut->extent);
    def.yield_torque = bears(b->pieces->yield, YIELDING * cut->area * cut->extent);
    def.bend_limit = b->pieces->bend_limit;
    return mote_is_null(mote_joint_add(b->world, &def)) ? mote_last_result() : MOTE_OK;
}

/* Joins pieces that share faces of the lattice; or, if `loose`, those that nothing else holds together. */
static mote_result add_joints(builder *b, bool loose)
{
    const mt_cut_pair *pairs = b->cuts.pairs.data;
    for (size_t first = 0, next; first < b->cuts.pair_count; first = next) {
        next = first + 1;
        while (next < b->cuts.pair_count && pairs[next].a == pairs[first].a && pairs[next].b == pairs[first].b)
            next++;
        bool direct;
        mt_interface cut = mt_interface_measure(pairs + first, next - first, b->points, b->spacing, &direct);
        if (direct == loose)
            continue;
        bool apart = mt_set_join(b->sets, pairs[first].a, pairs[first].b);
        if (direct || apart)
            MT_TRY(add_joint(b, pairs + first, next - first, &cut, direct));
    }
    return MOTE_OK;
}

static mote_result join(builder *b)
{
    for (uint32_t k = 0; k < b->cuts.piece_count; k++)
        b->sets[k] = k;
    MT_TRY(add_joints(b, false));
    MT_TRY(add_joints(b, true));
    for (uint32_t k = 0; k < b->cuts.piece_count && b->def->mode != MOTE_BODY_DYNAMIC; k++)
        MT_TRY(mote_body_set_mode(b->world, b->bodies[k], b->def->mode));
    return MOTE_OK;
}

/* ---- the call ------------------------------------------------------------------------------------------- */

static mote_result check_pieces(const mote_pieces_def *pieces)
{
    MT_TRY(mt_check_pointer("pieces", pieces));
    MT_TRY(mt_check_range("pieces.size", pieces->size, MIN_SIZE, MAX_SIZE));
    MT_TRY(mt_check_positive("pieces.strength", pieces->strength, MOTE_UNBREAKABLE));
    MT_TRY(mt_check_positive("pieces.yield", pieces->yield, MOTE_UNBREAKABLE));
    return mt_check_positive("pieces.bend_limit", pieces->bend_limit, MOTE_UNBREAKABLE);
}

static mote_result make_room(builder *b)
{
    uint32_t pieces = b->cuts.piece_count;
    if (pieces > MT_MAX_BODIES - b->world->bodies.count)
        return mt_fail(
            MOTE_ERROR_LIMIT,
            "pieces.size is %g m: %u pieces more than the %u bodies there are; a world has at most %u",
            (double)b->pieces->size, pieces, b->world->bodies.count, MT_MAX_BODIES);
    mt_memory *memory = &b->world->memory;
    b->ids = mt_allocate(memory, b->count * sizeof *b->ids);
    b->members = mt_allocate(memory, b->count * sizeof *b->members);
    b->shared = mt_allocate(memory, b->count * sizeof *b->shared);
    b->bodies = mt_allocate(memory, pieces * sizeof *b->bodies);
    b->starts = mt_allocate(memory, (pieces + (size_t)1) * sizeof *b->starts);
    b->sets = mt_allocate(memory, pieces * sizeof *b->sets);
    bool all = b->ids != NULL && b->members != NULL && b->shared != NULL && b->bodies != NULL &&
               b->starts != NULL && b->sets != NULL;
    return all ? MOTE_OK : MOTE_ERROR_MEMORY;
}

static void free_room(builder *b)
{
    mt_memory *memory = &b->world->memory;
    uint32_t pieces = b->cuts.piece_count;
    mt_release(memory, b->ids, b->count * sizeof *b->ids);
    mt_release(memory, b->members, b->count * sizeof *b->members);
    mt_release(memory, b->shared, b->count * sizeof *b->shared);
    mt_release(memory, b->bodies, pieces * sizeof *b->bodies);
    mt_release(memory, b->starts, (pieces + (size_t)1) * sizeof *b->starts);
    mt_release(memory, b->sets, pieces * sizeof *b->sets);
    mt_cuts_free(memory, &b->cuts);
}

/* Adds all; after an error all of it is taken away again. */
static mote_result build(builder *b)
{
    MT_TRY(make_room(b));
    MT_TRY(mt_rigid_add_particles(b->world, b->def, b->points, b->count, b->ids));
    mote_result result = add_bodies(b);
    if (result == MOTE_OK)
        result = join(b);
    if (result == MOTE_OK)
        return MOTE_OK;
    while (b->body_count > 0)
        mote_body_dissolve(b->world, b->bodies[--b->body_count]);
    mt_rigid_take_back(b->world, b->ids, b->count);
    return result;
}

mote_result mote_pieces_add(mote_world *world, const mote_rigid_def *def, const mote_pieces_def *pieces,
                            const mote_vec3 *points, size_t point_count, mote_body_id *bodies, size_t capacity,
                            size_t *count)
{
    MT_TRY(mt_rigid_begin(world, "mote_pieces_add", def));
    MT_TRY(check_pieces(pieces));
    MT_TRY(mt_check_pointer("count", count));
    if (capacity > 0)
        MT_TRY(mt_check_pointer("bodies", bodies));
    MT_TRY(mt_rigid_check_points(world, points, point_count));
    builder b = {.world = world,
                 .def = def,
                 .pieces = pieces,
                 .points = points,
                 .count = (uint32_t)point_count,
                 .spacing = mt_rigid_spacing(world, def)};
    MT_TRY(mt_cuts_make(&world->memory, pieces, points, b.count, b.spacing, &b.cuts));
    mote_result result = build(&b);
    if (result == MOTE_OK) {
        *count = b.cuts.piece_count;
        for (size_t k = 0; k < capacity && k < *count; k++)
            bodies[k] = b.bodies[k];
    }
    free_room(&b);
    return result;
}
