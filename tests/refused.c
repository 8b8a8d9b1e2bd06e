#include "refused.h"

#include <stdio.h>
#include <string.h>

void check_refused_at(const char *file, int line, mote_world *world, uint64_t hash, mote_result result,
                      mote_result expected, const char *word, const char *call)
{
    if (result != expected)
        print_error("%s: answered \"%s\", expected \"%s\"; the last error is \"%s\"\n", call,
                    mote_result_text(result), mote_result_text(expected), mote_last_error());
    else if (mote_last_result() != expected)
        print_error("%s: mote_last_result() is \"%s\"\n", call, mote_result_text(mote_last_result()));
    else if (strstr(mote_last_error(), word) == NULL)
        print_error("%s: the error \"%s\" does not name \"%s\"\n", call, mote_last_error(), word);
    else if (world != NULL && mote_world_hash(world) != hash)
        print_error("%s: was refused, but the world has changed\n", call);
    else
        return;
    _fail(file, line);
}

static void check_one(mote_world *world, const void *def, size_t size, const float_field *field, float value,
                      float_call *call, const void *context)
{
    _Alignas(max_align_t) unsigned char bad[512];
    assert_true(size <= sizeof bad);
    memcpy(bad, def, size);
    memcpy(bad + field->offset, &value, sizeof value);
    char text[96];
    snprintf(text, sizeof text, "%s = %g", field->name, (double)value);
    uint64_t hash = mote_world_hash(world);
    mote_result expected = isfinite(value) ? MOTE_ERROR_ARGUMENT : MOTE_ERROR_NOT_FINITE;
    check_refused_at(__FILE__, __LINE__, world, hash, call(world, bad, context), expected, field->name, text);
}

void check_floats(mote_world *world, const void *def, size_t size, const float_field *fields, size_t count,
                  float_call *call, const void *context)
{
    for (size_t i = 0; i < count; ++i) {
        check_one(world, def, size, &fields[i], NAN, call, context);
        check_one(world, def, size, &fields[i], INFINITY, call, context);
        check_one(world, def, size, &fields[i], -INFINITY, call, context);
        if (!isnan(fields[i].low))
            check_one(world, def, size, &fields[i], fields[i].low, call, context);
        if (!isnan(fields[i].high))
            check_one(world, def, size, &fields[i], fields[i].high, call, context);
    }
}
