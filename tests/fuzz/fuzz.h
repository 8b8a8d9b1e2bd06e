/* What the fuzz targets share. A target is one C file, fuzz_NAME.c, with LLVMFuzzerTestOneInput in it. With
 * libFuzzer it gets bytes that libFuzzer makes up; in the ordinary builds replay.c gives it the kept ones. */
#ifndef MOTE_TESTS_FUZZ_H
#define MOTE_TESTS_FUZZ_H

#include "mote/mote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with a text: what libFuzzer calls a crash. */
void fuzz_require(bool condition, const char *text);

/* ---- bytes as choices: 0 when there are none left ------------------------------------------------------ */

typedef struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
} fuzz_bytes;

uint8_t fuzz_byte(fuzz_bytes *bytes);
uint32_t fuzz_word(fuzz_bytes *bytes);
/* In [0, below); `below` is at least 1. */
uint32_t fuzz_below(fuzz_bytes *bytes, uint32_t below);
/* Small numbers of a few places most often, sometimes NaN, infinities, the smallest, the largest, or any
 * bits. */
float fuzz_float(fuzz_bytes *bytes);
mote_vec3 fuzz_vec3(fuzz_bytes *bytes);

/* The numbers that programs fail over. */
float fuzz_special(uint8_t which);

/* ---- worlds --------------------------------------------------------------------------------------------- */

#define FUZZ_MAX_PARTICLES 600u

/* One thread, radius 0.05 m, at most FUZZ_MAX_PARTICLES. */
mote_world *fuzz_world(void);

/* What must hold in any world, whatever is in it: two steps, each of which succeeds or leaves it as it was,
 * rays and overlaps, numbers about it, and a snapshot of it that can be restored. The settings that only cost
 * time are lowered. */
void fuzz_exercise(mote_world *world);

/* With libFuzzer: child processes do not report their crashes as if they were the program's own. */
void fuzz_silence_children(void);

#endif
