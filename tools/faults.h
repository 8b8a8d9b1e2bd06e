/* What is wrong with a scene, told like a compiler does. */
#ifndef MOTE_TOOLS_FAULTS_H
#define MOTE_TOOLS_FAULTS_H

#include "scenes/scene.h"

/* One line on stderr for each: "FILE:12: error: shapes[2].radius: must be above 0 m, not -1". */
void faults_print(const scene_faults *faults, const char *file, bool with_warnings);

/* "12,000": a number with a comma at every thousand. The text is in `text`. */
const char *count_text(uint64_t count, char text[32]);

#endif
