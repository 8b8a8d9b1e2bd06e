/* The files that a run writes while it goes: exports, contacts and checkpoints. */
#ifndef MOTE_TOOLS_RUN_FILES_H
#define MOTE_TOOLS_RUN_FILES_H

#include "contacts_file.h"
#include "io/scene_surfaces.h"
#include "simulation.h"

typedef struct run_files {
    const char *export_folder; /* NULL: no exports */
    export_format format;
    uint32_t export_every; /* frames, at least 1 */
    exporter *exports;
    scene_surfaces *surfaces; /* that OBJ files show; NULL for the other formats */

    const char *contacts_path; /* NULL: no file of contacts */
    contacts_file *contacts;

    const char *checkpoint_path; /* NULL: no checkpoints */
    uint32_t checkpoint_every;   /* frames, at least 1 */
    uint32_t checkpoint_frame;   /* that the last one was written at; NO_CHECKPOINT: none yet */
} run_files;

#define NO_CHECKPOINT UINT32_MAX

/* Opens what was asked for (the fields above, the rest 0) and exports the frame that the run starts from. False
 * after a complaint; run_files_close is due in both cases. */
bool run_files_open(run_files *files, const simulation *s);

/* After every frame: exports it and writes a checkpoint if it is time for that. False after a complaint. */
bool run_files_frame(run_files *files, const simulation *s);

/* A checkpoint of now, if checkpoints are wanted and this frame has none yet. False after a complaint. */
bool run_files_checkpoint(run_files *files, const simulation *s);

/* Waits until all is written. False after a complaint. */
bool run_files_close(run_files *files);

#endif
