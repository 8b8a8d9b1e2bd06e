/* THE list of what every particle has: one row each. Adding and removing particles, growing, reordering, snapshots and
 * hashes go over the rows; what a row shows is in the public interface and in exports as well. How a row is added is in
 * docs/architecture.md. */
#ifndef MOTE_WORLD_ATTRIBUTES_H
#define MOTE_WORLD_ATTRIBUTES_H

#include "base/memory.h"
#include "mote/attribute.h"

#define MT_FAR             1e9f /* where dummies are, m */
#define MT_MOST_ATTRIBUTES 24u

enum {
    /* A step writes it, so that its copy must be what it was before the step if the step fails. */
    MT_CHANGES = 1,
    /* It takes no room in snapshots while all particles have what new ones have. */
    MT_SPARSE = 2,
    /* It is no part of the hash of a particle that has what new ones have: worlds that do not use it keep the hashes
     * that they had before it was there. */
    MT_HASHED_IF_SET = 4,
    /* Its bytes go into the hash together with those of the next row. */
    MT_HASHED_WITH_NEXT = 8,
};

/* Whether values may be written at a slot, beyond the bounds that the row has. */
typedef mote_result mt_attribute_check(const mote_world *world, uint32_t slot, const float *values);
mt_attribute_check mt_check_spin_at;

/* ATTRIBUTE(NAME, reader, type, kept, flags, shown, what new particles and dummies have)
 *
 *     reader   the name of the function that gives the array: mt_positions(world)[slot]
 *     kept     the bytes of an element, from its first, that snapshots and hashes have; 0: it is no state by itself
 *     shown    HIDDEN, or SHOWN(name, unit, components, least, most, check or NULL, text): the first numbers of an
 *              element, which are floats then
 *
 *     position   x, y, z, radius
 *     velocity   x, y, z, inverse mass
 *     pressure   of a liquid: its pressure times its volume in the last substep, J, >= 0
 *     spin       rad/s; w: 0; not 0 only of loose particles whose material rolls
 *     rest time  s slower than the sleeping speed; MT_ASLEEP */
#define MT_OWN_ATTRIBUTES(ATTRIBUTE)                                                                           \
    ATTRIBUTE(ID, mt_particle_ids, mote_particle_id, 0, 0, HIDDEN, {0, 0})                                     \
    ATTRIBUTE(POSITION, mt_positions, mote_vec4, 16, MT_CHANGES, HIDDEN, {MT_FAR, MT_FAR, MT_FAR, 0.0f})       \
    ATTRIBUTE(VELOCITY, mt_velocities, mote_vec4, 16, MT_CHANGES, HIDDEN, {0.0f, 0.0f, 0.0f, 0.0f})            \
    ATTRIBUTE(PRESSURE, mt_pressures, float, 4, MT_CHANGES, HIDDEN, {0.0f})                                    \
    ATTRIBUTE(SPIN, mt_spins, mote_vec4, 12, MT_CHANGES | MT_SPARSE,                                           \
              SHOWN("spin", "rad/s", 3, -1e10f, 1e10f, mt_check_spin_at, "of those whose material rolls"),     \
              {0.0f, 0.0f, 0.0f, 0.0f})                                                                        \
    ATTRIBUTE(PHASE, mt_phases, uint32_t, 4, MT_HASHED_WITH_NEXT, HIDDEN, {0})                                 \
    ATTRIBUTE(MATERIAL, mt_material_indices, uint32_t, 4, MT_HASHED_WITH_NEXT, HIDDEN, {0})                    \
    ATTRIBUTE(REST_TIME, mt_rest_times, float, 4, MT_CHANGES, HIDDEN, {0.0f})

/* A program may bring rows of its own, in a file that defines MOTE_MORE_ATTRIBUTES: attribute_list.c is then compiled
 * with MOTE_MORE_ATTRIBUTES_FILE, which names it (tests/example_attribute). */
#ifdef MOTE_MORE_ATTRIBUTES_FILE
#include MOTE_MORE_ATTRIBUTES_FILE
#else
#define MOTE_MORE_ATTRIBUTES(ATTRIBUTE)
#endif
#define MT_ATTRIBUTES(ATTRIBUTE) MT_OWN_ATTRIBUTES(ATTRIBUTE) MOTE_MORE_ATTRIBUTES(ATTRIBUTE)

typedef enum mt_attribute_name {
#define ATTRIBUTE(NAME, reader, type, kept, flags, shown, ...) MT_##NAME,
    MT_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
} mt_attribute_name;

/* A row as data. */
typedef struct mt_attribute {
    size_t size, kept; /* bytes of an element: in memory; in snapshots and hashes */
    uint32_t flags;
    const void *usual;         /* what new particles and dummies have */
    mote_attribute_info info;  /* name NULL: it is not shown */
    mt_attribute_check *check; /* or NULL */
} mt_attribute;

extern const mt_attribute mt_attributes[];
extern const uint32_t mt_attribute_count;

/* An array for each row, in slot order. */
typedef struct mt_particle_arrays {
    mt_array of[MT_MOST_ATTRIBUTES];
} mt_particle_arrays;

void mt_particle_arrays_init(mt_particle_arrays *arrays);
void mt_particle_arrays_free(mt_particle_arrays *arrays, mt_memory *memory);
/* Room for so many slots, keeping the first `used`. */
mote_result mt_particle_arrays_reserve(mt_particle_arrays *arrays, mt_memory *memory, size_t slots,
                                       size_t used);
/* Gives slots what new particles have. */
void mt_particle_arrays_reset(mt_particle_arrays *arrays, uint32_t begin, uint32_t end);
/* What was at one slot is then at the other as well. */
void mt_particle_arrays_copy(mt_particle_arrays *arrays, uint32_t to, uint32_t from);
/* Whether some particle of the first `count` has not what new ones have. */
bool mt_attribute_is_set(const mt_particle_arrays *arrays, uint32_t attribute, uint32_t count);
/* Of everything that a particle has but its id; goes on with `hash`. */
uint64_t mt_particle_arrays_hash(const mt_particle_arrays *arrays, uint32_t slot, uint64_t hash);
/* Whether all numbers of an element that is shown are within their bounds. */
bool mt_attribute_fits(uint32_t attribute, const void *element);

#endif
