/* Writing a file so that a crash, a full disk or a lost power leaves either the old file or the new one, whole.
 * The bytes go to "PATH.part" in the same folder, are brought to the disk, and only then get their name. The
 * name of the part is always the same, so that those of crashed runs are overwritten and do not pile up. */
#ifndef MOTE_IO_SAFE_FILE_H
#define MOTE_IO_SAFE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define SAFE_FILE_SUFFIX ".part"

/* Writes the whole file at once. False with a text that names the path and the reason; the file of that name,
 * if there was one, is then as it was. */
bool safe_file_write(const char *path, const void *data, size_t size, char *error, size_t error_size);

/* The same, bit by bit: open, append as often as wanted, commit. The first fault is kept, and what is appended
 * after it is dropped, so only the commit need be looked at. */
typedef struct safe_file safe_file;

/* NULL with a text in `error`. A name that the user gave may be a link, and what it leads to is replaced; one that the
 * program made, in a folder that others may write to as well, replaces whatever has that name, links themselves
 * included. */
safe_file *safe_file_open(const char *path, char *error, size_t error_size);
safe_file *safe_file_open_own(const char *path, char *error, size_t error_size);

/* False if this or an earlier append failed. */
bool safe_file_append(safe_file *file, const void *data, size_t size);

/* Gives the file its name. Whatever the answer, `file` is gone. False with a text in `error`. */
bool safe_file_commit(safe_file *file, char *error, size_t error_size);

/* Leaves the file of that name as it was. NULL is fine. */
void safe_file_abort(safe_file *file);

#endif
