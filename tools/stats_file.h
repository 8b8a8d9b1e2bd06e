/* What a run measured, as a JSON file. */
#ifndef MOTE_TOOLS_STATS_FILE_H
#define MOTE_TOOLS_STATS_FILE_H

#include "simulation.h"

/* The same simulation as if it had begun at `first_frame`, where a resumed run begins: only the frames from
 * there on were measured. Good for looking at times, and not to be destroyed. */
simulation simulation_since(const simulation *s, uint32_t first_frame);

/* False after a complaint. */
bool stats_file_write(const simulation *s, uint32_t first_frame, const char *path);

#endif
