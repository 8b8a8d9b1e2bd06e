#include "run_files.h"

#include "checkpoint.h"
#include "io/safe_file.h"

#include <stdlib.h>

static bool name_bodies(const run_files *files, const simulation *s)
{
    size_t count = 0;
    export_name *names = scene_name_bodies(s->scene, s->world, &count);
    bool named = names != NULL && exporter_name_bodies(files->exports, names, count);
    if (!named)
        complain("no memory for the names of bodies");
    free(names);
    return named;
}

/* The series goes on from the frame that the run starts from; earlier ones of a resumed run are kept. */
static bool open_exports(run_files *files, const simulation *s)
{
    char error[EXPORT_ERROR];
    files->exports = exporter_open(files->export_folder, files->format, s->frame, (double)s->scene->dt, error);
    if (files->exports == NULL) {
        complain("%s", error);
        return false;
    }
    if (!name_bodies(files, s))
        return false;
    if (files->format != EXPORT_OBJ)
        return true;
    files->surfaces = scene_make_surfaces(s->scene);
    if (files->surfaces == NULL)
        complain("no memory for the surfaces to export");
    return files->surfaces != NULL;
}

/* Where skins are now. The frame before must be written first: it shows the same arrays. */
static bool move_surfaces(run_files *files, const simulation *s)
{
    if (files->surfaces == NULL)
        return true;
    if (!exporter_flush(files->exports))
        return false;
    mote_result result = scene_surfaces_move(files->surfaces, s->world);
    if (result != MOTE_OK) {
        complain("cannot export the skins: %s", library_error(result));
        return false;
    }
    size_t count;
    const export_surface *list = scene_surfaces_list(files->surfaces, &count);
    return exporter_set_surfaces(files->exports, list, count);
}

static bool export_frame(run_files *files, const simulation *s)
{
    if (files->exports == NULL || s->frame % files->export_every != 0)
        return true;
    /* What went wrong is told when the exports are closed, and that is what happens next. */
    return move_surfaces(files, s) &&
           exporter_add(files->exports, s->world, s->frame, mote_world_time(s->world));
}

/* A run of hours should not find out at its end that there is nothing to write to. Leaves no file behind. */
static bool can_write_checkpoints(const char *path)
{
    char error[CHECKPOINT_ERROR];
    safe_file *file = safe_file_open(path, error, sizeof error);
    bool opened = file != NULL;
    if (!opened)
        complain("%s", error);
    safe_file_abort(file);
    return opened;
}

bool run_files_open(run_files *files, const simulation *s)
{
    files->checkpoint_frame = NO_CHECKPOINT;
    if (files->checkpoint_path != NULL && !can_write_checkpoints(files->checkpoint_path))
        return false;
    if (files->contacts_path != NULL &&
        (files->contacts = contacts_file_open(files->contacts_path, s->world)) == NULL)
        return false;
    return files->export_folder == NULL || (open_exports(files, s) && export_frame(files, s));
}

bool run_files_frame(run_files *files, const simulation *s)
{
    if (files->contacts != NULL)
        contacts_file_frame(files->contacts, s);
    if (!export_frame(files, s))
        return false;
    bool due = files->checkpoint_path != NULL && s->frame % files->checkpoint_every == 0;
    return !due || run_files_checkpoint(files, s);
}

bool run_files_checkpoint(run_files *files, const simulation *s)
{
    if (files->checkpoint_path == NULL || files->checkpoint_frame == s->frame)
        return true;
    /* A run that goes on from here does not export the frames before again: they must be on the disk first. */
    if (files->exports != NULL && !exporter_flush(files->exports))
        return false;
    char error[CHECKPOINT_ERROR];
    if (!checkpoint_write(files->checkpoint_path, s->world, scene_hash(s->scene), s->frame, error)) {
        complain("%s", error);
        return false;
    }
    files->checkpoint_frame = s->frame;
    return true;
}

static bool close_exports(run_files *files)
{
    if (files->exports == NULL)
        return true;
    char error[EXPORT_ERROR];
    bool written = exporter_close(files->exports, error);
    files->exports = NULL;
    scene_surfaces_free(files->surfaces);
    files->surfaces = NULL;
    if (!written)
        complain("%s", error);
    return written;
}

bool run_files_close(run_files *files)
{
    bool exported = close_exports(files), written = contacts_file_close(files->contacts);
    files->contacts = NULL;
    return exported && written;
}
