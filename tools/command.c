#include "command.h"

#include "faults.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("mote: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

const char *library_error(mote_result result)
{
    const char *text = mote_last_error();
    return text[0] != '\0' ? text : mote_result_text(result);
}

scene *open_scene_or_complain(const char *name_or_path, const scene_request *request)
{
    scene_faults faults = {0};
    scene *opened = scene_open(name_or_path, request, &faults);
    faults_print(&faults, name_or_path, true);
    scene_faults_free(&faults);
    return opened;
}

bool find_simd_or_complain(const char *name, mote_simd *level)
{
    *level = MOTE_SIMD_AUTO;
    const char *source = "--simd";
    if (name == NULL) { /* the environment's is as much input as the option */
        name = getenv("MOTE_SIMD");
        source = "MOTE_SIMD";
    }
    if (name == NULL || *name == '\0')
        return true;
    for (int i = 0; i < MOTE_SIMD_COUNT; i++) {
        if (strcmp(name, mote_simd_name((mote_simd)i)) != 0)
            continue;
        *level = (mote_simd)i;
        if (*level == MOTE_SIMD_AUTO || mote_simd_supported(*level))
            return true;
        complain("%s: this machine does not have the SIMD level '%s'", source, name);
        return false;
    }
    complain("%s: unknown SIMD level '%s'; there are auto, baseline, avx2, avx512", source, name);
    return false;
}

bool close_written(FILE *file, const char *path)
{
    bool failed = ferror(file) != 0;
    int reason = failed ? errno : 0;
    if (fclose(file) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    if (failed)
        complain("cannot write '%s': %s", path, strerror(reason));
    return !failed;
}
