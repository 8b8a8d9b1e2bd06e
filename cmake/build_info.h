/* How this program was built; the values are written at build time. */
#ifndef MOTE_BUILD_INFO_H
#define MOTE_BUILD_INFO_H

extern const char build_commit[];   /* git's short hash, with -dirty if files differ from it; or "unknown" */
extern const char build_compiler[]; /* name, version and flags */
extern const char build_type[];     /* "release" or "debug" */

#endif
