/* The file of `mote run --contacts`: every contact of every frame, of materials that report, a line each. */
#ifndef MOTE_TOOLS_CONTACTS_FILE_H
#define MOTE_TOOLS_CONTACTS_FILE_H

#include "simulation.h"

typedef struct contacts_file contacts_file;

/* NULL after a complaint, which it is as well if no material of the world reports contacts. */
contacts_file *contacts_file_open(const char *path, const mote_world *world);
/* After a step. What goes wrong is kept for the end. */
void contacts_file_frame(contacts_file *file, const simulation *s);
/* Gives the file its name. False after a complaint. NULL is fine. */
bool contacts_file_close(contacts_file *file);

#endif
