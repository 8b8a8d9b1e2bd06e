/* Errors: every failing call leaves its reason here, one text a thread. */
#ifndef MOTE_BASE_ERROR_H
#define MOTE_BASE_ERROR_H

#include "mote/base.h"

/* Notes the fault and gives the result back, so that a check reads `return mt_fail(...)`. */
__attribute__((format(printf, 2, 3))) mote_result mt_fail(mote_result result, const char *format, ...);

#endif
