/* Points that stand as those of a liquid do, made in two steps: at random, as many in each part of the box as there is
 * room for, and then moved apart, each by what all around it weigh on it and walls as though they were full of such
 * points too. Only sums, products and roots are taken, one after the other: the same bits everywhere. */
#include "build/packing.h"

#include "base/hash.h"
#include "base/vec.h"

#define PERIOD 12u  /* what is repeated between walls, in cells */
#define PART   2u   /* cells along each side of a part in which points are thrown */
#define ROUNDS 24   /* of moving apart */
#define REACH  1.3f /* of a point's push, in spacings */
#define PUSH   0.3f /* of two that lie in one place, in spacings a round */
#define PI     3.14159265f

/* ---- the small box -------------------------------------------------------------------------------------- */

/* A box up to three periods wide is kept whole; of a wider one whole periods are left out of its middle. */
static uint32_t kept_cells(uint32_t count)
{
    return count < 3 * PERIOD ? count : 2 * PERIOD + count % PERIOD;
}

/* The cell of the small box that stands for one of the large box. */
static uint32_t kept_cell(uint32_t cell, uint32_t count, uint32_t kept)
{
    uint32_t first = PERIOD / 2, missing = count - kept;
    if (cell < first || missing == 0)
        return cell;
    return cell >= first + missing ? cell - missing : first + (cell - first) % PERIOD;
}

/* Evenly from [0, 1). */
static float random_part(uint64_t key, uint32_t axis)
{
    return (float)(mt_hash_add(key, axis) >> 40) * 0x1p-24f;
}

/* Within its part, which the box may cut off. What is a period on is the same. */
static float thrown(uint64_t key, uint32_t axis, uint32_t cell, uint32_t kept)
{
    uint32_t low = cell - cell % PART, high = low + PART < kept ? low + PART : kept;
    return (float)low + (float)(high - low) * random_part(key, axis);
}

static void throw_points(mt_packing *p, uint32_t seed)
{
    mote_vec3 *point = p->points;
    for (uint32_t z = 0; z < p->kept[2]; z++)
        for (uint32_t y = 0; y < p->kept[1]; y++)
            for (uint32_t x = 0; x < p->kept[0]; x++) {
                uint64_t key = mt_hash_add(seed, x % PERIOD);
                key = mt_hash_add(mt_hash_add(key, y % PERIOD), z % PERIOD);
                *point++ = (mote_vec3){thrown(key, 0, x, p->kept[0]), thrown(key, 1, y, p->kept[1]),
                                       thrown(key, 2, z, p->kept[2])};
            }
}

/* ---- moving apart --------------------------------------------------------------------------------------- */

/* Points by cells as wide as they reach. */
typedef struct sorted {
    mote_vec3 *points; /* those of a cell one after the other */
    uint32_t *first;   /* of each cell's points, and one beyond */
    uint32_t sides[3], cells;
} sorted;

static uint32_t cell_along(float at, uint32_t side)
{
    uint32_t cell = (uint32_t)(at * (1.0f / REACH));
    return cell < side ? cell : side - 1;
}

static uint32_t cell_of(const sorted *s, mote_vec3 at)
{
    uint32_t x = cell_along(at.x, s->sides[0]), y = cell_along(at.y, s->sides[1]);
    return x + s->sides[0] * (y + s->sides[1] * cell_along(at.z, s->sides[2]));
}

static void sort_points(sorted *s, const mt_packing *p)
{
    for (uint32_t cell = 0; cell <= s->cells; cell++)
        s->first[cell] = 0;
    for (size_t i = 0; i < p->count; i++)
        s->first[cell_of(s, p->points[i])]++;
    for (uint32_t cell = 1; cell <= s->cells; cell++)
        s->first[cell] += s->first[cell - 1];
    for (size_t i = p->count;
         i-- > 0;) /* backwards: each takes the last place that is left, and order is kept */
        s->points[--s->first[cell_of(s, p->points[i])]] = p->points[i];
}

/* Away from those of one row of cells along x. */
static mote_vec3 push_of_row(const mote_vec3 *points, uint32_t first, uint32_t end, mote_vec3 at)
{
    mote_vec3 sum = {0, 0, 0};
    for (uint32_t k = first; k < end; k++) {
        mote_vec3 apart = mt_sub(at, points[k]);
        float square = mt_dot(apart, apart);
        if (square >= REACH * REACH || square == 0.0f)
            continue;
        float distance = sqrtf(square);
        sum = mt_add(sum, mt_scale(apart, (1.0f - distance / REACH) / distance));
    }
    return sum;
}

static mote_vec3 push_of_points(const sorted *s, mote_vec3 at)
{
    uint32_t x = cell_along(at.x, s->sides[0]), y = cell_along(at.y, s->sides[1]),
             z = cell_along(at.z, s->sides[2]);
    uint32_t left = x > 0 ? x - 1 : 0, right = x + 1 < s->sides[0] ? x + 1 : x;
    mote_vec3 sum = {0, 0, 0};
    for (uint32_t k = z > 0 ? z - 1 : 0; k <= z + 1 && k < s->sides[2]; k++)
        for (uint32_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < s->sides[1]; j++) {
            uint32_t row = s->sides[0] * (j + s->sides[1] * k);
            sum = mt_add(sum, push_of_row(s->points, s->first[row + left], s->first[row + right + 1], at));
        }
    return sum;
}

/* Of a point a spacing cubed in all of the space behind a face: pi/h times the integral of z (h - z)^2 from the face
 * on. */
static float push_of_face(float away)
{
    const float h = REACH, all = h * h * h * h / 12.0f;
    if (away >= h)
        return 0.0f;
    float square = away * away;
    return PI / h * (all - h * h * square / 2.0f + 2.0f * h * square * away / 3.0f - square * square / 4.0f);
}

static float moved(float at, float push, uint32_t side)
{
    float faces = push_of_face(at) - push_of_face((float)side - at);
    return fminf(fmaxf(at + PUSH * (push + faces), 0.5f), (float)side - 0.5f);
}

static void move_apart(mt_packing *p, sorted *s)
{
    sort_points(s, p);
    for (size_t i = 0; i < p->count; i++) {
        mote_vec3 at = p->points[i], push = push_of_points(s, at);
        p->points[i] = (mote_vec3){moved(at.x, push.x, p->kept[0]), moved(at.y, push.y, p->kept[1]),
                                   moved(at.z, push.z, p->kept[2])};
    }
}

/* ---- the call ------------------------------------------------------------------------------------------- */

static mote_result settle(mt_packing *p, mt_memory *memory)
{
    sorted s = {.cells = 1};
    for (int axis = 0; axis < 3; axis++) {
        s.sides[axis] = (uint32_t)((float)p->kept[axis] / REACH) + 1;
        s.cells *= s.sides[axis];
    }
    size_t points = p->count * sizeof *s.points, starts = (s.cells + 1) * sizeof *s.first;
    s.points = mt_allocate(memory, points);
    s.first = s.points != NULL ? mt_allocate(memory, starts) : NULL;
    for (int round = 0; s.first != NULL && round < ROUNDS; round++)
        move_apart(p, &s);
    mote_result result = s.first != NULL ? MOTE_OK : MOTE_ERROR_MEMORY;
    mt_release(memory, s.first, starts);
    mt_release(memory, s.points, points);
    return result;
}

mote_result mt_packing_make(mt_packing *packing, const uint32_t counts[3], uint32_t seed, mt_memory *memory)
{
    *packing = (mt_packing){.count = 1};
    for (int axis = 0; axis < 3; axis++) {
        packing->counts[axis] = counts[axis];
        packing->kept[axis] = kept_cells(counts[axis]);
        packing->count *= packing->kept[axis];
    }
    packing->points = mt_allocate(memory, packing->count * sizeof(mote_vec3));
    if (packing->points == NULL)
        return MOTE_ERROR_MEMORY;
    throw_points(packing, seed);
    mote_result result = settle(packing, memory);
    if (result != MOTE_OK)
        mt_packing_free(packing, memory);
    return result;
}

void mt_packing_free(mt_packing *packing, mt_memory *memory)
{
    mt_release(memory, packing->points, packing->count * sizeof(mote_vec3));
    packing->points = NULL;
}

mote_vec3 mt_packing_place(const mt_packing *packing, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t *n = packing->counts, *kept = packing->kept, cell[3] = {x, y, z};
    uint32_t at[3];
    for (int axis = 0; axis < 3; axis++)
        at[axis] = kept_cell(cell[axis], n[axis], kept[axis]);
    mote_vec3 point = packing->points[at[0] + kept[0] * (at[1] + kept[1] * (size_t)at[2])];
    return (mote_vec3){point.x + (float)(x - at[0]), point.y + (float)(y - at[1]),
                       point.z + (float)(z - at[2])};
}
