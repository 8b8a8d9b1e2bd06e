/* Checking the bodies of a snapshot: links, joints, skeletons and bones name each other and the particles, and
 * what they name has to be there. */
#include "base/error.h"
#include "base/vec.h"
#include "world/bodies.h"
#include "world/check.h"
#include "world/snapshot_layout.h"

/* Snapshots and hashes take the bytes as they are, so there must be no padding. Whoever changes one of these
 * also changes FORMAT. */
_Static_assert(sizeof(mt_link) == 24, "a link has another size, or padding");
_Static_assert(sizeof(mt_body) == 192, "a body has another size, or padding");
_Static_assert(sizeof(mt_joint) == 168, "a joint has another size, or padding");
_Static_assert(sizeof(mt_bone) == 152, "a bone has another size, or padding");
_Static_assert(sizeof(mt_deferred_pair) == 16, "a deferred pair has another size, or padding");
_Static_assert(sizeof(mt_skeleton) == 16, "a skeleton has another size, or padding");

#define ABSENT           UINT32_MAX /* the mark of a handle that nothing living has */
#define MIN_PART         1e-24f     /* kg: the smallest particle, shared by a million bodies, is more */
#define MAX_PART         2e12f      /* kg */
#define MIN_INVERSE_MASS 1e-24f     /* 1/kg */
/* m, of centres and of places in a body, so that its particles are where particles may be. Loose ones get no
 * further than a tenth of MT_FAR. */
#define FARTHEST (0.125f * MT_FAR)

size_t mt_snapshot_marks(const header *h)
{
    size_t particles = h->tables[MT_PARTICLES].handles, bodies = h->tables[MT_BODIES].handles;
    return (bodies > particles ? bodies : particles) + 1;
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* False for NaN as well. */
static bool is_within(float value, float low, float high)
{
    return value >= low && value <= high;
}

static bool is_short(mote_vec3 v, float limit)
{
    return fabsf(v.x) <= limit && fabsf(v.y) <= limit && fabsf(v.z) <= limit;
}

static bool is_near_1(float square)
{
    return square > 0.98f && square < 1.02f;
}

static bool is_unit(mote_vec3 v)
{
    return is_near_1(mt_dot(v, v));
}

static bool is_pose(const mt_pose *pose)
{
    return is_short(pose->position, FARTHEST) && is_near_1(mt_quat_square(pose->rotation));
}

/* A pose that nobody looks at for now. */
static bool is_idle_pose(const mt_pose *pose)
{
    mote_quat q = pose->rotation;
    return is_short(pose->position, FARTHEST) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z) &&
           isfinite(q.w);
}

/* ---- handles ------------------------------------------------------------------------------------------- */

/* Marks the handles of living things with 0, the others with ABSENT. */
static void mark_living(const reader *r, mt_table_name table, uint32_t *marks)
{
    for (size_t i = 0; i < r->h.tables[table].handles; i++)
        marks[i] = ABSENT;
    for (uint32_t i = 0; i < r->h.tables[table].items; i++) {
        uint32_t index;
        memcpy(&index, r->block + items_of(r, table).offset + i * mt_table_records[table].size, sizeof index);
        marks[index] = 0;
    }
}

static bool lives(const reader *r, mt_table_name table, uint32_t index, uint32_t generation,
                  const uint32_t *marks)
{
    return index < r->h.tables[table].handles && marks[index] != ABSENT &&
           number_at(r, r->l.tables[table].generations, index) == generation;
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

static mote_result wrong(const char *what, uint32_t which, const char *fault)
{
    return mt_fail(MOTE_ERROR_SNAPSHOT, "snapshot: %s %u: %s", what, which, fault);
}

/* No torque may be answered by a turn the other way. The tensor is rounded to floats, so what should be 0 may
 * be a little less. */
static bool inertia_fits(const float m[6])
{
    double xx = (double)m[0], yy = (double)m[1], zz = (double)m[2];
    double xy = (double)m[3], xz = (double)m[4], yz = (double)m[5];
    for (int i = 0; i < 6; i++)
        if (!isfinite(m[i]))
            return false;
    double room = 1e-3 * (xx + yy + zz) * (xx + yy + zz);
    return xx >= 0 && yy >= 0 && zz >= 0 && xy * xy <= xx * yy + room && xz * xz <= xx * zz + room &&
           yz * yz <= yy * zz + room;
}

/* Of a known type. */
static bool surface_fits(const mt_surface *s)
{
    for (int i = 0; i < 3; i++)
        if (!is_within(s->size[i], 0.0f, FARTHEST))
            return false;
    if (s->type == MT_SURFACE_NONE)
        return is_idle_pose(&s->pose);
    bool is_thick = s->size[0] > 0 && (s->type != MT_SURFACE_BOX || (s->size[1] > 0 && s->size[2] > 0));
    return is_thick && is_pose(&s->pose);
}

static const char *body_fault(const mt_body *b)
{
    if (b->mode >= MOTE_BODY_MODE_COUNT)
        return "its mode is unknown";
    if (!is_pose(&b->pose) || !is_short(b->center, FARTHEST))
        return "its pose is none";
    if (!is_within(b->inverse_mass, MIN_INVERSE_MASS, 1.0f / MIN_PART))
        return "its inverse mass is not one of a body";
    if (!inertia_fits(b->inverse_inertia))
        return "its inverse inertia is not one of a body";
    if (b->has_target > 1 || !(b->has_target ? is_pose(&b->target) : is_idle_pose(&b->target)))
        return "its target is none";
    if (b->is_bone > 1)
        return "whether it is a bone is not said";
    if (!mt_is_finite3(b->velocity) || !mt_is_finite3(b->spin)) /* small bodies may spin at any speed */
        return "its velocity or spin is not finite";
    if (b->surface.type >= MT_SURFACE_TYPE_COUNT)
        return "the type of its surface is unknown";
    if (!surface_fits(&b->surface))
        return "its surface has a pose or a size that is none";
    return NULL;
}

static bool link_fits(const mt_link *link)
{
    return is_short(link->rest, FARTHEST) && is_within(link->mass, MIN_PART, MAX_PART);
}

/* The links of the body at `slot`. A particle that it has is marked with slot + 1. */
static mote_result check_links(const reader *r, const mt_body *b, uint32_t slot, uint32_t *marks)
{
    for (uint32_t i = 0; i < b->link_count; i++) {
        mt_link link;
        memcpy(&link, r->block + r->l.lists[MT_LINKS].offset + ((size_t)b->first_link + i) * sizeof link,
               sizeof link);
        mote_particle_id id = link.particle;
        if (!lives(r, MT_PARTICLES, id.index, id.generation, marks))
            return wrong("body", b->id.index, "it has a particle that is not there");
        if (marks[id.index] == slot + 1)
            return wrong("body", b->id.index, "it has a particle twice");
        if (!link_fits(&link))
            return wrong("body", b->id.index, "it has a particle with a place or mass that is none");
        marks[id.index] = slot + 1;
    }
    return MOTE_OK;
}

static mote_result check_bodies(const reader *r, uint32_t *marks)
{
    uint64_t links = 0;
    mark_living(r, MT_PARTICLES, marks);
    for (uint32_t i = 0; i < r->h.tables[MT_BODIES].items; i++) {
        mt_body b;
        memcpy(&b, r->block + items_of(r, MT_BODIES).offset + i * sizeof b, sizeof b);
        if (b.first_link != links || b.link_count == 0 || b.link_count > r->h.lists[MT_LINKS] - links)
            return wrong("body", b.id.index, "its links do not follow those of the body before it");
        const char *fault = body_fault(&b);
        if (fault != NULL)
            return wrong("body", b.id.index, fault);
        MT_TRY(check_links(r, &b, i, marks));
        links += b.link_count;
    }
    if (links != r->h.lists[MT_LINKS])
        return mt_fail(MOTE_ERROR_SNAPSHOT, "snapshot: there are links of no body");
    return MOTE_OK;
}

/* ---- joints -------------------------------------------------------------------------------------------- */

static const char *joint_fault(const mt_joint *j)
{
    if (j->type >= MOTE_JOINT_TYPE_COUNT)
        return "its type is unknown";
    if (!is_short(j->anchor_a, FARTHEST) || !is_short(j->anchor_b, FARTHEST))
        return "its anchor is none";
    if (!is_unit(j->axis_a) || !is_unit(j->axis_b) || !is_unit(j->side_a) || !is_unit(j->side_b))
        return "its axes are not of length 1";
    if (!mt_is_finite3(j->force) || !mt_is_finite3(j->torque))
        return "its force or torque is not finite";
    if (!(j->bent >= 0) || !mt_joint_fits(j))
        return "its limits, damping, strengths or bend are not those of a joint";
    return NULL;
}

static mote_result check_joints(const reader *r, uint32_t *marks)
{
    mark_living(r, MT_BODIES, marks);
    for (uint32_t i = 0; i < r->h.tables[MT_JOINTS].items; i++) {
        mt_joint j;
        memcpy(&j, r->block + items_of(r, MT_JOINTS).offset + i * sizeof j, sizeof j);
        bool to_world = j.b.index == 0 && j.b.generation == 0;
        if (!lives(r, MT_BODIES, j.a.index, j.a.generation, marks) ||
            !(to_world || lives(r, MT_BODIES, j.b.index, j.b.generation, marks)))
            return wrong("joint", j.id.index, "it joins a body that is not there");
        if (!to_world && j.a.index == j.b.index)
            return wrong("joint", j.id.index, "it joins a body with itself");
        const char *fault = joint_fault(&j);
        if (fault != NULL)
            return wrong("joint", j.id.index, fault);
    }
    return MOTE_OK;
}

/* The handles of living bodies are marked. */
static mote_result check_deferred(const reader *r, const uint32_t *marks)
{
    for (uint64_t i = 0; i < r->h.lists[MT_DEFERRED]; i++) {
        mt_deferred_pair t;
        memcpy(&t, r->block + r->l.lists[MT_DEFERRED].offset + i * sizeof t, sizeof t);
        bool is_new = t.b.index == 0 && t.b.generation == 0;
        if (!lives(r, MT_BODIES, t.a.index, t.a.generation, marks) ||
            !(is_new || lives(r, MT_BODIES, t.b.index, t.b.generation, marks)))
            return wrong("deferred pair", (uint32_t)i, "it is of a body that is not there");
        if (!is_new && t.a.index == t.b.index)
            return wrong("deferred pair", (uint32_t)i, "it is of a body with itself");
    }
    return MOTE_OK;
}

/* ---- skeletons ----------------------------------------------------------------------------------------- */

/* Bodies and joints of a bone may be gone, so stale handles are no fault: they are looked up whenever they are
 * used. */
static const char *bone_fault(const mt_bone *bone, uint32_t place)
{
    if (memchr(bone->name, 0, sizeof bone->name) == NULL)
        return "its name has no end";
    if (bone->parent != MOTE_NO_BONE && bone->parent >= place)
        return "its parent does not come before it";
    if (!is_pose(&bone->offset) || !is_idle_pose(&bone->from))
        return "its pose is none";
    if (bone->driven > 1)
        return "whether it is driven is not said";
    if (!is_within(bone->blend, 0.0f, MOTE_UNBREAKABLE) || !is_within(bone->blended, 0.0f, MOTE_UNBREAKABLE))
        return "the time that it takes to come back is none";
    return NULL;
}

static mote_result check_skeletons(const reader *r)
{
    uint64_t bones = 0;
    for (uint32_t i = 0; i < r->h.tables[MT_SKELETONS].items; i++) {
        mt_skeleton s;
        memcpy(&s, r->block + items_of(r, MT_SKELETONS).offset + i * sizeof s, sizeof s);
        if (s.first_bone != bones || s.bone_count == 0 || s.bone_count > MOTE_MAX_BONES ||
            s.bone_count > r->h.lists[MT_BONES] - bones)
            return wrong("skeleton", s.id.index, "its bones do not follow those of the skeleton before it");
        for (uint32_t k = 0; k < s.bone_count; k++) {
            mt_bone bone;
            memcpy(&bone, r->block + r->l.lists[MT_BONES].offset + (bones + k) * sizeof bone, sizeof bone);
            const char *fault = bone_fault(&bone, k);
            if (fault != NULL)
                return mt_fail(MOTE_ERROR_SNAPSHOT, "snapshot: skeleton %u, bone %u: %s", s.id.index, k, fault);
        }
        bones += s.bone_count;
    }
    if (bones != r->h.lists[MT_BONES])
        return mt_fail(MOTE_ERROR_SNAPSHOT, "snapshot: there are bones of no skeleton");
    return MOTE_OK;
}

mote_result mt_snapshot_check_bodies(const reader *r, uint32_t *marks)
{
    MT_TRY(check_bodies(r, marks));
    MT_TRY(check_joints(r, marks));
    MT_TRY(check_deferred(r, marks));
    return check_skeletons(r);
}
