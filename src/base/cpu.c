#include "base/cpu.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[MOTE_SIMD_COUNT] = {"auto", "baseline", "avx2", "avx512"};

const char *mote_simd_name(mote_simd level)
{
    return (unsigned)level < MOTE_SIMD_COUNT ? names[level] : "unknown";
}

bool mote_simd_supported(mote_simd level)
{
    switch (level) {
    case MOTE_SIMD_AUTO:
    case MOTE_SIMD_BASELINE:
        return true;
#if defined(MOTE_KERNEL_AVX2)
    case MOTE_SIMD_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
               __builtin_cpu_supports("fma");
#endif
#if defined(MOTE_KERNEL_AVX512)
    case MOTE_SIMD_AVX512:
        return mote_simd_supported(MOTE_SIMD_AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq");
#endif
    default:
        return false;
    }
}

static mote_result level_of_environment(mote_simd *level)
{
    const char *name = getenv("MOTE_SIMD");
    *level = MOTE_SIMD_AUTO;
    if (name == NULL || *name == '\0')
        return MOTE_OK;
    for (int i = 0; i < MOTE_SIMD_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *level = (mote_simd)i;
            return MOTE_OK;
        }
    }
    return mt_fail(MOTE_ERROR_ARGUMENT, "MOTE_SIMD is '%s'; it can be auto, baseline, avx2 or avx512", name);
}

mote_result mt_simd_choose(mote_simd wanted, mote_simd *level)
{
    if ((unsigned)wanted >= MOTE_SIMD_COUNT)
        return mt_fail(MOTE_ERROR_ARGUMENT, "simd is %d, which is no level", (int)wanted);
    *level = wanted;
    if (wanted == MOTE_SIMD_AUTO) {
        mote_result result = level_of_environment(level);
        if (result != MOTE_OK)
            return result;
    }
    if (*level == MOTE_SIMD_AUTO) {
        *level = MOTE_SIMD_COUNT - 1;
        while (!mote_simd_supported(*level))
            --*level;
    }
    if (!mote_simd_supported(*level))
        return mt_fail(MOTE_ERROR_UNSUPPORTED, "simd level %s is not supported by this CPU or build",
                       names[*level]);
    return MOTE_OK;
}
