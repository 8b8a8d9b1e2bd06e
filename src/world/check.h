/* Checks of what comes from outside. Each notes an error that names the field and its value. */
#ifndef MOTE_WORLD_CHECK_H
#define MOTE_WORLD_CHECK_H

#include "mote/base.h"

/* A finite number in [low, high]. */
mote_result mt_check_range(const char *field, float value, float low, float high);
/* A finite number above 0, at most `high`. */
mote_result mt_check_positive(const char *field, float value, float high);
mote_result mt_check_vec3(const char *field, mote_vec3 value, float limit);
mote_result mt_check_count(const char *field, uint32_t value, uint32_t low, uint32_t high);
mote_result mt_check_pointer(const char *field, const void *pointer);

/* The checks of a function, one a line: the first that fails is returned. */
#define MT_TRY(check)                                                                                          \
    do {                                                                                                       \
        mote_result try_result = (check);                                                                      \
        if (try_result != MOTE_OK)                                                                             \
            return try_result;                                                                                 \
    } while (0)

#endif
