/* The commands, and what they share: exit codes and complaints. */
#ifndef MOTE_TOOLS_COMMAND_H
#define MOTE_TOOLS_COMMAND_H

#include "mote/mote.h"
#include "scenes/scene.h"

#include <stdio.h>

enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1, /* the work could not be done */
    EXIT_USAGE = 2,  /* it was asked for in a wrong way, or with bad input */
};

/* Each gets its own arguments; argv[0] is the command's name. The answer is the exit code. */
int run_command(int argc, char **argv);
int scenes_command(int argc, char **argv);
int check_command(int argc, char **argv);
int sample_command(int argc, char **argv);
int demo_command(int argc, char **argv);

/* One line on stderr, behind "mote: ". */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define FILE_ERROR 1024 /* bytes: room for what io/ says about a file that cannot be written */

/* What the library says about the call that just failed. */
const char *library_error(mote_result result);

/* The shipped scene of that name or the scene file at that path, or NULL after complaints that name all its
 * faults; `request` may be NULL. Warnings are told as well. */
scene *open_scene_or_complain(const char *name_or_path, const scene_request *request);

/* The SIMD level of that name (NULL: automatic) that this machine has; false after a complaint. */
bool find_simd_or_complain(const char *name, mote_simd *level);

/* Closes a file that was written. False, after a complaint, if any of the writing went wrong (a full disk often
 * shows only now). */
bool close_written(FILE *file, const char *path);

#endif
