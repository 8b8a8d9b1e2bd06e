#include "world/check.h"

#include "base/error.h"

#include <math.h>

mote_result mt_check_range(const char *field, float value, float low, float high)
{
    if (!isfinite(value))
        return mt_fail(MOTE_ERROR_NOT_FINITE, "%s is %g, which is not a finite number", field, (double)value);
    if (value < low || value > high)
        return mt_fail(MOTE_ERROR_ARGUMENT, "%s is %g; it must be within %g and %g", field, (double)value,
                       (double)low, (double)high);
    return MOTE_OK;
}

mote_result mt_check_positive(const char *field, float value, float high)
{
    if (!isfinite(value))
        return mt_fail(MOTE_ERROR_NOT_FINITE, "%s is %g, which is not a finite number", field, (double)value);
    if (value <= 0 || value > high)
        return mt_fail(MOTE_ERROR_ARGUMENT, "%s is %g; it must be above 0 and at most %g", field, (double)value,
                       (double)high);
    return MOTE_OK;
}

static mote_result check_component(const char *field, char axis, float value, float limit)
{
    if (!isfinite(value))
        return mt_fail(MOTE_ERROR_NOT_FINITE, "%s.%c is %g, which is not a finite number", field, axis,
                       (double)value);
    if (fabsf(value) > limit)
        return mt_fail(MOTE_ERROR_ARGUMENT, "%s.%c is %g; it must be within +-%g", field, axis, (double)value,
                       (double)limit);
    return MOTE_OK;
}

mote_result mt_check_vec3(const char *field, mote_vec3 value, float limit)
{
    MT_TRY(check_component(field, 'x', value.x, limit));
    MT_TRY(check_component(field, 'y', value.y, limit));
    return check_component(field, 'z', value.z, limit);
}

mote_result mt_check_count(const char *field, uint32_t value, uint32_t low, uint32_t high)
{
    if (value < low || value > high)
        return mt_fail(MOTE_ERROR_ARGUMENT, "%s is %u; it must be within %u and %u", field, value, low, high);
    return MOTE_OK;
}

mote_result mt_check_pointer(const char *field, const void *pointer)
{
    return pointer != NULL ? MOTE_OK : mt_fail(MOTE_ERROR_ARGUMENT, "%s is NULL", field);
}
