/* Points as a file, for other programs: PLY, CSV or VTK, as the file's name says. */
#ifndef MOTE_TOOLS_POINTS_FILE_H
#define MOTE_TOOLS_POINTS_FILE_H

#include "mote/mote.h"

#define POINTS_FILE_ERROR 1024

/* Whether there is a format for the name's extension: .ply, .csv or .vtp. */
bool points_file_knows(const char *path);

/* Writes the points. False with a text in `error` that names the file; a file that was there is then as it
 * was. */
bool points_file_write(const char *path, const mote_vec3 *points, size_t count, char error[POINTS_FILE_ERROR]);

#endif
