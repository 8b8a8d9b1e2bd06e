#include "command.h"

#include "nearest.h"

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

const scene *find_scene_or_complain(const char *name)
{
    const scene *found = scene_find(name);
    if (found != NULL)
        return found;
    size_t count;
    const scene *list = scene_list(&count), *best = NULL;
    char names[512] = "";
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", list[i].name);
        if (is_near(name, list[i].name) &&
            (best == NULL || edit_distance(name, list[i].name) < edit_distance(name, best->name)))
            best = &list[i];
    }
    if (best != NULL)
        complain("unknown scene '%s'; did you mean '%s'? There are %s", name, best->name, names);
    else
        complain("unknown scene '%s'; there are %s", name, names);
    return NULL;
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
