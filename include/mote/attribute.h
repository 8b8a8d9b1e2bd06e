/* Attributes of particles as data: numbers that every particle has, with names, so that a program or an export can go
 * over all of them without knowing what there is. The list is src/world/attributes.h; how one is added is in
 * docs/architecture.md. */
#ifndef MOTE_ATTRIBUTE_H
#define MOTE_ATTRIBUTE_H

#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MOTE_ATTRIBUTE_MAX_COMPONENTS 4

typedef struct mote_attribute_info {
    const char *name, *unit, *text;
    uint32_t components; /* floats a particle, at most MOTE_ATTRIBUTE_MAX_COMPONENTS */
    float least, most;   /* of each */
} mote_attribute_info;

/* Attributes are numbered from 0. */
MOTE_API uint32_t mote_attribute_count(void);
/* NULL: there is no such attribute. */
MOTE_API const mote_attribute_info *mote_attribute_info_of(uint32_t attribute);
/* False: none has that name. */
MOTE_API bool mote_attribute_find(const char *name, uint32_t *attribute);

/* Copies of what the given particles have, in the order of `ids`: `components` numbers each. */
MOTE_API mote_result mote_particles_read_attribute(const mote_world *world, uint32_t attribute,
                                                   const mote_particle_id *ids, size_t count, float *values);
/* The other way. Checked before the first is written: all or none. Wakes them. */
MOTE_API mote_result mote_particles_write_attribute(mote_world *world, uint32_t attribute,
                                                    const mote_particle_id *ids, size_t count,
                                                    const float *values);

#ifdef __cplusplus
}
#endif

#endif
