/* What is done with all that particles have, row by row of the list. */
#include "world/attributes.h"

#include "base/error.h"
#include "base/hash.h"
#include "world/check.h"
#include "world/world.h"

#include <string.h>

/* ---- arrays --------------------------------------------------------------------------------------------- */

static char *element_at(const mt_particle_arrays *arrays, uint32_t attribute, uint32_t slot)
{
    return (char *)arrays->of[attribute].data + slot * mt_attributes[attribute].size;
}

void mt_particle_arrays_init(mt_particle_arrays *arrays)
{
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        mt_array_init(&arrays->of[k], mt_attributes[k].size);
}

void mt_particle_arrays_free(mt_particle_arrays *arrays, mt_memory *memory)
{
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        mt_array_free(&arrays->of[k], memory);
}

mote_result mt_particle_arrays_reserve(mt_particle_arrays *arrays, mt_memory *memory, size_t slots, size_t used)
{
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        MT_TRY(mt_array_reserve(&arrays->of[k], memory, slots, used));
    return MOTE_OK;
}

void mt_particle_arrays_reset(mt_particle_arrays *arrays, uint32_t begin, uint32_t end)
{
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        for (uint32_t slot = begin; slot < end; slot++)
            memcpy(element_at(arrays, k, slot), mt_attributes[k].usual, mt_attributes[k].size);
}

void mt_particle_arrays_copy(mt_particle_arrays *arrays, uint32_t to, uint32_t from)
{
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        memcpy(element_at(arrays, k, to), element_at(arrays, k, from), mt_attributes[k].size);
}

/* ---- what differs from what new particles have ----------------------------------------------------------- */

static bool is_usual(const mt_particle_arrays *arrays, uint32_t attribute, uint32_t slot)
{
    const mt_attribute *a = &mt_attributes[attribute];
    return memcmp(element_at(arrays, attribute, slot), a->usual, a->kept) == 0;
}

bool mt_attribute_is_set(const mt_particle_arrays *arrays, uint32_t attribute, uint32_t count)
{
    for (uint32_t slot = 0; slot < count; slot++)
        if (!is_usual(arrays, attribute, slot))
            return true;
    return false;
}

/* Rows that are hashed together are gathered first. */
uint64_t mt_particle_arrays_hash(const mt_particle_arrays *arrays, uint32_t slot, uint64_t hash)
{
    char bytes[MT_MOST_ATTRIBUTES * sizeof(mote_vec4)];
    size_t gathered = 0;
    for (uint32_t k = 0; k < mt_attribute_count; k++) {
        const mt_attribute *a = &mt_attributes[k];
        if (a->kept == 0 || ((a->flags & MT_HASHED_IF_SET) != 0 && is_usual(arrays, k, slot)))
            continue;
        memcpy(bytes + gathered, element_at(arrays, k, slot), a->kept);
        gathered += a->kept;
        if ((a->flags & MT_HASHED_WITH_NEXT) != 0)
            continue;
        hash = mt_hash_bytes(hash, bytes, gathered);
        gathered = 0;
    }
    return hash;
}

/* ---- those that are shown -------------------------------------------------------------------------------- */

/* The row that is shown as number `attribute`, or mt_attribute_count. */
static uint32_t row_of(uint32_t attribute)
{
    uint32_t row = 0;
    for (; row < mt_attribute_count; row++)
        if (mt_attributes[row].info.name != NULL && attribute-- == 0)
            break;
    return row;
}

uint32_t mote_attribute_count(void)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < mt_attribute_count; row++)
        count += mt_attributes[row].info.name != NULL;
    return count;
}

const mote_attribute_info *mote_attribute_info_of(uint32_t attribute)
{
    uint32_t row = row_of(attribute);
    return row < mt_attribute_count ? &mt_attributes[row].info : NULL;
}

bool mote_attribute_find(const char *name, uint32_t *attribute)
{
    uint32_t number = 0;
    for (uint32_t row = 0; row < mt_attribute_count && name != NULL; row++) {
        if (mt_attributes[row].info.name == NULL)
            continue;
        if (strcmp(mt_attributes[row].info.name, name) == 0) {
            if (attribute != NULL)
                *attribute = number;
            return true;
        }
        number++;
    }
    return false;
}

bool mt_attribute_fits(uint32_t attribute, const void *element)
{
    const mote_attribute_info *info = &mt_attributes[attribute].info;
    for (uint32_t n = 0; n < info->components; n++) {
        float value;
        memcpy(&value, (const char *)element + n * sizeof value, sizeof value);
        if (!(value >= info->least && value <= info->most))
            return false;
    }
    return true;
}

static mote_result find_row(uint32_t attribute, uint32_t *row)
{
    *row = row_of(attribute);
    return *row < mt_attribute_count ? MOTE_OK
                                     : mt_fail(MOTE_ERROR_ARGUMENT, "attribute is %u, but there are %u",
                                               attribute, mote_attribute_count());
}

mote_result mote_particles_read_attribute(const mote_world *world, uint32_t attribute,
                                          const mote_particle_id *ids, size_t count, float *values)
{
    uint32_t row, slot;
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(find_row(attribute, &row));
    if (count > 0) {
        MT_TRY(mt_check_pointer("ids", ids));
        MT_TRY(mt_check_pointer("values", values));
    }
    const uint32_t components = mt_attributes[row].info.components;
    for (size_t i = 0; i < count; i++) {
        MT_TRY(mt_particle_find(world, ids[i], &slot));
        memcpy(values + i * components, element_at(&world->particles.now, row, slot),
               components * sizeof(float));
    }
    return MOTE_OK;
}

static mote_result check_values(const mote_world *world, const mt_attribute *a, uint32_t slot,
                                const float *values)
{
    for (uint32_t n = 0; n < a->info.components; n++)
        MT_TRY(mt_check_range(a->info.name, values[n], a->info.least, a->info.most));
    return a->check != NULL ? a->check(world, slot, values) : MOTE_OK;
}

mote_result mote_particles_write_attribute(mote_world *world, uint32_t attribute, const mote_particle_id *ids,
                                           size_t count, const float *values)
{
    uint32_t row, slot;
    MT_TRY(mt_enter(world, "mote_particles_write_attribute"));
    MT_TRY(find_row(attribute, &row));
    if (count > 0) {
        MT_TRY(mt_check_pointer("ids", ids));
        MT_TRY(mt_check_pointer("values", values));
    }
    const mt_attribute *a = &mt_attributes[row];
    const uint32_t components = a->info.components;
    for (size_t i = 0; i < count; i++) {
        MT_TRY(mt_particle_find(world, ids[i], &slot));
        MT_TRY(check_values(world, a, slot, values + i * components));
    }
    for (size_t i = 0; i < count; i++) {
        MT_TRY(mt_particle_find(world, ids[i], &slot));
        memcpy(element_at(&world->particles.now, row, slot), values + i * components,
               components * sizeof(float));
        mt_wake_slot(world, slot);
    }
    return MOTE_OK;
}
