#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_text[512];
static _Thread_local mote_result last_result = MOTE_OK;

mote_result mt_fail(mote_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_text, sizeof last_text, format, arguments);
    va_end(arguments);
    last_result = result;
    return result;
}

const char *mote_last_error(void)
{
    return last_text;
}

mote_result mote_last_result(void)
{
    return last_result;
}

const char *mote_result_text(mote_result result)
{
    static const char *const texts[] = {
#define RESULT_TEXT(name, text) text,
        MOTE_RESULT_LIST(RESULT_TEXT)
#undef RESULT_TEXT
    };
    if ((unsigned)result >= MOTE_RESULT_COUNT)
        return "an unknown result";
    return texts[result];
}
