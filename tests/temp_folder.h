/* A folder for each test that writes files, gone when the test is over. */
#ifndef MOTE_TESTS_TEMP_FOLDER_H
#define MOTE_TESTS_TEMP_FOLDER_H

#include "support.h"

/* A test in a folder of its own: the first makes it, the second takes it away. */
#define IN_TEMP_FOLDER(test) cmocka_unit_test_setup_teardown(test, temp_folder_make, temp_folder_remove)

int temp_folder_make(void **state);
int temp_folder_remove(void **state);

/* Where the running test's folder is. */
extern char temp_folder[64];

/* The path of a file in it; valid until the next call. */
const char *temp_path(const char *name);

/* The bytes of a file in it, with a 0 behind, to be freed; NULL if there is none. */
char *temp_bytes(const char *name, size_t *size);

/* How many of its files have this in their names. */
size_t temp_files_with(const char *part_of_name);

/* Removes any folder with all that is in it. */
void temp_remove(const char *folder);

#endif
