/* Checks of calls that must be refused: the answer is the one expected, the error names what is wrong, and the
 * world is as it was. */
#ifndef MOTE_TESTS_REFUSED_H
#define MOTE_TESTS_REFUSED_H

#include "support.h"

#include <math.h>

#define refused(world, call, expected, word)                                                                   \
    do {                                                                                                       \
        uint64_t hash_before = mote_world_hash(world);                                                         \
        mote_result answer = (call);                                                                           \
        check_refused_at(__FILE__, __LINE__, (world), hash_before, answer, (expected), (word), #call);         \
    } while (0)

/* For the calls that answer with a handle. */
#define refused_handle(world, call, expected, word)                                                            \
    refused(world, mote_is_null(call) ? mote_last_result() : MOTE_OK, expected, word)

void check_refused_at(const char *file, int line, mote_world *world, uint64_t hash, mote_result result,
                      mote_result expected, const char *word, const char *call);

/* ---- definitions, float by float ------------------------------------------------------------------------- */

/* A float of a definition, and values that it must not have; NAN: there is no such value on that side. */
typedef struct float_field {
    size_t offset;
    const char *name;
    float low, high;
} float_field;

/* How a definition is used. */
typedef mote_result float_call(mote_world *world, const void *def, const void *context);

/* Each field of a definition of `size` bytes in turn gets NaN and both infinities (MOTE_ERROR_NOT_FINITE) and
 * its bad values (MOTE_ERROR_ARGUMENT); the error must name the field. With the definition as it is the call
 * must succeed: the caller sees to that. */
void check_floats(mote_world *world, const void *def, size_t size, const float_field *fields, size_t count,
                  float_call *call, const void *context);

/* Three fields of a vector. */
#define VEC3_FIELDS(type, member, limit)                                                                       \
    {offsetof(type, member) + 0 * sizeof(float), #member, -(limit), (limit)},                                  \
        {offsetof(type, member) + 1 * sizeof(float), #member, -(limit), (limit)},                              \
    {                                                                                                          \
        offsetof(type, member) + 2 * sizeof(float), #member, -(limit), (limit)                                 \
    }

#endif
