/* Snapshots with a few changed bytes that still pass for whole ones: counts, size and checksum fit together, so
 * that the checks behind the checksum have to find what is wrong. The worlds are made anew by every program, so
 * that kept inputs outlive changes of the format. */
#ifndef MOTE_TESTS_FUZZ_SNAPSHOT_EDITS_H
#define MOTE_TESTS_FUZZ_SNAPSHOT_EDITS_H

#include "fuzz.h"

/* A changed snapshot, to be freed. The first byte chooses the world, then every edit takes four bytes or more:
 * place (two), kind, value. */
uint8_t *edited_snapshot(fuzz_bytes *bytes, size_t *size);

#endif
