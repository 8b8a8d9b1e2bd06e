/* Files that readers of others' making take by their path: what must be so before, and how long and how much
 * they may take. */
#ifndef MOTE_IO_INPUT_FILE_H
#define MOTE_IO_INPUT_FILE_H

#include "io/apart.h"

/* Why there is nothing to read; NULL if it is a file with something in it, and *size is how many bytes of it are on the disk. Valid
 * until the next call. */
const char *input_file_fault(const char *path, size_t *size);

/* Far more than reading so many bytes takes: a megabyte a second and some tens of bytes a byte, beyond
 * `seconds` and 2 GB for any file. */
apart_limits input_file_limits(size_t size, uint32_t seconds);

/* "cannot read the rig file 'a.bvh': it is empty". A long path does not push the reason out. */
void input_file_complain(char *error, size_t error_size, const char *kind, const char *path,
                         const char *reason);

/* Why assimp could not read the file it was asked for last, in its own words on one line; `otherwise` if it
 * says nothing. */
void assimp_fault(char *reason, size_t reason_size, const char *otherwise);

#endif
