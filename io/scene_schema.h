/* What the tables of fields say, for others to read: a JSON schema, and the tables of docs/scene-format.md. */
#ifndef MOTE_IO_SCENE_SCHEMA_H
#define MOTE_IO_SCENE_SCHEMA_H

#include "io/scene_description.h"

/* The schema as JSON text, for cJSON_free; NULL without memory. */
char *scene_schema_text(void);

/* A section's fields as a table in Markdown, for free(); NULL without memory. */
char *scene_section_table(const scene_section *section);

#endif
