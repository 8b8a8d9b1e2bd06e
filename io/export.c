#define _POSIX_C_SOURCE 200809L
#include "io/export.h"

#include "io/export_frame.h"
#include "io/export_series.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* One frame is written while the next waits. */
#define QUEUE_LENGTH 2

typedef struct format_info {
    const char *name, *extension;
    void (*write)(const export_frame *frame, safe_file *file);
} format_info;

static const format_info formats[EXPORT_FORMAT_COUNT] = {
    [EXPORT_VTK] = {"vtk", "vtp", export_write_vtk},
    [EXPORT_PLY] = {"ply", "ply", export_write_ply},
    [EXPORT_CSV] = {"csv", "csv", export_write_csv},
    [EXPORT_OBJ] = {"obj", "obj", export_write_obj},
};

struct exporter {
    export_format format;
    char *folder;
    char *path;               /* of the frame being written */
    size_t path_size;         /* bytes that there is room for */
    series frames;            /* VTK only; the writer's own once it runs */
    export_surface *surfaces; /* OBJ only; changed when no frame waits */
    size_t surface_count;
    export_name *names; /* of bodies; changed when no frame waits */
    size_t name_count;
    pthread_t writer;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    export_frame queue[QUEUE_LENGTH]; /* a ring; the writer has the first, the others wait */
    uint32_t first, count;            /* in the queue */
    bool closing, failed;
    char error[EXPORT_ERROR]; /* written once, with `failed` */
};

const char *export_format_name(export_format format)
{
    return (uint32_t)format < EXPORT_FORMAT_COUNT ? formats[format].name : "?";
}

bool export_format_find(const char *name, export_format *format)
{
    for (uint32_t i = 0; i < EXPORT_FORMAT_COUNT; i++)
        if (strcmp(name, formats[i].name) == 0) {
            *format = (export_format)i;
            return true;
        }
    return false;
}

/* ---- the writer ----------------------------------------------------------------------------------------- */

static bool write_bodies(exporter *e, const export_frame *frame, char error[EXPORT_ERROR])
{
    if (frame->bodies.count == 0)
        return true;
    snprintf(e->path, e->path_size, "%s/bodies_%05u.csv", e->folder, frame->number);
    safe_file *file = safe_file_open_own(e->path, error, EXPORT_ERROR);
    if (file == NULL)
        return false;
    export_write_bodies(&frame->bodies, e->names, e->name_count, file);
    return safe_file_commit(file, error, EXPORT_ERROR);
}

static bool write_frame(exporter *e, export_frame *frame, char error[EXPORT_ERROR])
{
    if (!export_frame_sort(frame)) {
        snprintf(error, EXPORT_ERROR, "no memory to export frame %u", frame->number);
        return false;
    }
    const format_info *format = &formats[e->format];
    snprintf(e->path, e->path_size, "%s/" SERIES_FRAME_NAME, e->folder, frame->number, format->extension);
    safe_file *file = safe_file_open_own(e->path, error, EXPORT_ERROR);
    if (file == NULL)
        return false;
    format->write(frame, file);
    if (!safe_file_commit(file, error, EXPORT_ERROR) || !write_bodies(e, frame, error))
        return false;
    if (e->format != EXPORT_VTK)
        return true;
    if (!series_add(&e->frames, frame->number, frame->time)) {
        snprintf(error, EXPORT_ERROR, "no memory to list frame %u", frame->number);
        return false;
    }
    return series_write(&e->frames, e->folder, error, EXPORT_ERROR);
}

/* Keeps the first fault. With the lock held. */
static void keep_fault(exporter *e, const char *error)
{
    if (!e->failed)
        snprintf(e->error, sizeof e->error, "%s", error);
    e->failed = true;
}

/* After a fault the frames that still wait are dropped. */
static void *run_writer(void *context)
{
    exporter *e = context;
    pthread_mutex_lock(&e->lock);
    for (;;) {
        while (e->count == 0 && !e->closing)
            pthread_cond_wait(&e->changed, &e->lock);
        if (e->count == 0)
            break;
        export_frame *frame = &e->queue[e->first];
        bool wanted = !e->failed, written = true;
        char error[EXPORT_ERROR] = "";
        pthread_mutex_unlock(&e->lock);
        if (wanted)
            written = write_frame(e, frame, error);
        pthread_mutex_lock(&e->lock);
        if (!written)
            keep_fault(e, error);
        e->first = (e->first + 1) % QUEUE_LENGTH;
        e->count--;
        pthread_cond_broadcast(&e->changed);
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

/* Signals are for the program's own thread, where a call is waiting to be interrupted. */
static int start_writer(exporter *e)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int fault = pthread_create(&e->writer, NULL, run_writer, e);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fault;
}

/* ---- opening -------------------------------------------------------------------------------------------- */

/* Makes the folder and those above it. What already exists is no fault here, be it a folder or not; opening
 * looks at the end what came of it. */
static void make_folders(char *path)
{
    for (char *at = path; *at != '\0'; at++)
        if (*at == '/' && at > path) {
            *at = '\0';
            mkdir(path, 0777);
            *at = '/';
        }
    mkdir(path, 0777);
}

static bool check_folder(const char *folder, char error[EXPORT_ERROR])
{
    struct stat info;
    int fault = 0;
    if (stat(folder, &info) != 0)
        fault = errno;
    else if (!S_ISDIR(info.st_mode))
        fault = ENOTDIR;
    else if (access(folder, W_OK | X_OK) != 0)
        fault = errno;
    if (fault != 0)
        snprintf(error, EXPORT_ERROR, "cannot export to the folder '%s': %s", folder, strerror(fault));
    return fault == 0;
}

/* What a killed run left half written is of no use to anybody, and a shorter run would not write over it. */
static void remove_unfinished(const char *folder)
{
    DIR *list = opendir(folder);
    for (struct dirent *item = list == NULL ? NULL : readdir(list); item != NULL; item = readdir(list)) {
        size_t length = strlen(item->d_name), end = strlen(SAFE_FILE_SUFFIX);
        bool ours = strncmp(item->d_name, "frame", 5) == 0 || strncmp(item->d_name, "bodies_", 7) == 0;
        if (length > end && ours && strcmp(item->d_name + length - end, SAFE_FILE_SUFFIX) == 0)
            unlinkat(dirfd(list), item->d_name, 0);
    }
    if (list != NULL)
        closedir(list);
}

static void release(exporter *e)
{
    for (uint32_t i = 0; i < QUEUE_LENGTH; i++)
        export_frame_free(&e->queue[i]);
    series_free(&e->frames);
    pthread_cond_destroy(&e->changed);
    pthread_mutex_destroy(&e->lock);
    free(e->surfaces);
    free(e->names);
    free(e->folder);
    free(e->path);
    free(e);
}

exporter *exporter_open(const char *folder, export_format format, uint32_t first_frame, double seconds_a_frame,
                        char error[EXPORT_ERROR])
{
    exporter *e = calloc(1, sizeof *e);
    if (e == NULL) {
        snprintf(error, EXPORT_ERROR, "no memory to export to '%s'", folder);
        return NULL;
    }
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->changed, NULL);
    e->format = format;
    e->path_size = strlen(folder) + 64;
    e->path = malloc(e->path_size);
    e->folder = strdup(folder);
    bool ready = e->path != NULL && e->folder != NULL;
    if (ready)
        make_folders(e->folder);
    else
        snprintf(error, EXPORT_ERROR, "no memory to export to '%s'", folder);
    ready = ready && check_folder(folder, error);
    if (ready)
        remove_unfinished(folder);
    if (ready && format == EXPORT_VTK && !series_find(&e->frames, folder, first_frame, seconds_a_frame)) {
        snprintf(error, EXPORT_ERROR, "no memory for the list of frames in '%s'", folder);
        ready = false;
    }
    int fault = ready ? start_writer(e) : 0;
    if (fault != 0)
        snprintf(error, EXPORT_ERROR, "cannot start a thread to export to '%s': %s", folder, strerror(fault));
    if (ready && fault == 0)
        return e;
    release(e);
    return NULL;
}

/* ---- adding --------------------------------------------------------------------------------------------- */

static bool copy_frame(const exporter *e, export_frame *frame, const mote_world *world,
                       char error[EXPORT_ERROR])
{
    if (!export_frame_copy(frame, world)) {
        snprintf(error, EXPORT_ERROR, "no memory to export frame %u", frame->number);
        return false;
    }
    return e->format != EXPORT_OBJ ||
           export_scenery_copy(&frame->scenery, world, e->surfaces, e->surface_count, error);
}

bool exporter_add(exporter *e, const mote_world *world, uint32_t frame, double time)
{
    pthread_mutex_lock(&e->lock);
    while (e->count == QUEUE_LENGTH)
        pthread_cond_wait(&e->changed, &e->lock);
    bool usable = !e->failed;
    export_frame *place = &e->queue[(e->first + e->count) % QUEUE_LENGTH];
    pthread_mutex_unlock(&e->lock);
    if (!usable)
        return false;
    /* The writer does not look at this place before it is counted. */
    place->number = frame;
    place->time = time;
    char error[EXPORT_ERROR];
    bool copied = copy_frame(e, place, world, error);
    pthread_mutex_lock(&e->lock);
    if (copied)
        e->count++;
    else
        keep_fault(e, error);
    pthread_cond_broadcast(&e->changed);
    bool added = !e->failed;
    pthread_mutex_unlock(&e->lock);
    return added;
}

bool exporter_flush(exporter *e)
{
    pthread_mutex_lock(&e->lock);
    while (e->count > 0)
        pthread_cond_wait(&e->changed, &e->lock);
    bool written = !e->failed;
    pthread_mutex_unlock(&e->lock);
    return written;
}

/* Puts a copy that was made, or the fault that made it NULL, in the place of a list. No frame waits. */
static bool replace_list(exporter *e, void **list, size_t *list_count, void *copy, size_t count,
                         const char *fault)
{
    pthread_mutex_lock(&e->lock);
    if (copy == NULL) {
        keep_fault(e, fault);
    } else {
        free(*list);
        *list = copy;
        *list_count = count;
    }
    bool usable = !e->failed;
    pthread_mutex_unlock(&e->lock);
    return usable;
}

bool exporter_set_surfaces(exporter *e, const export_surface *surfaces, size_t count)
{
    if (!exporter_flush(e))
        return false;
    char error[EXPORT_ERROR] = "";
    void *list = e->surfaces, *copy = export_surfaces_copy(surfaces, count, error);
    bool usable = replace_list(e, &list, &e->surface_count, copy, count, error);
    e->surfaces = list;
    return usable;
}

bool exporter_name_bodies(exporter *e, const export_name *names, size_t count)
{
    if (!exporter_flush(e))
        return false;
    void *list = e->names, *copy = export_names_copy(names, count);
    bool usable = replace_list(e, &list, &e->name_count, copy, count, "no memory for the names of bodies");
    e->names = list;
    return usable;
}

const char *exporter_error(exporter *e)
{
    pthread_mutex_lock(&e->lock);
    const char *error = e->failed ? e->error : "";
    pthread_mutex_unlock(&e->lock);
    return error;
}

bool exporter_close(exporter *e, char error[EXPORT_ERROR])
{
    pthread_mutex_lock(&e->lock);
    e->closing = true;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
    pthread_join(e->writer, NULL);
    bool written = !e->failed;
    if (!written)
        snprintf(error, EXPORT_ERROR, "%s", e->error);
    release(e);
    return written;
}
