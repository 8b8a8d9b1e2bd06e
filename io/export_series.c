#define _POSIX_C_SOURCE 200809L
#include "io/export_series.h"

#include "io/export_frame.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define ENTRY_FORMAT "<DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"" SERIES_FRAME_NAME "\"/>\n"

static bool append(series *s, uint32_t frame, double time)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity == 0 ? 256 : 2 * s->capacity;
        series_entry *entries = realloc(s->entries, capacity * sizeof *entries);
        if (entries == NULL)
            return false;
        s->entries = entries;
        s->capacity = capacity;
    }
    s->entries[s->count++] = (series_entry){frame, time};
    return true;
}

static char *join_path(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static int compare_entries(const void *a, const void *b)
{
    uint32_t left = ((const series_entry *)a)->frame, right = ((const series_entry *)b)->frame;
    return (left > right) - (left < right);
}

/* True if the name is just as this program would have written it. */
static bool frame_of_name(const char *name, uint32_t *frame)
{
    char again[64];
    if (sscanf(name, "frame_%10u.vtp", frame) != 1)
        return false;
    snprintf(again, sizeof again, SERIES_FRAME_NAME, *frame, "vtp");
    return strcmp(name, again) == 0;
}

static bool find_files(series *s, const char *folder, uint32_t first_frame, double seconds_a_frame)
{
    DIR *list = opendir(folder);
    if (list == NULL)
        return true;
    bool enough_memory = true;
    for (struct dirent *item = readdir(list); item != NULL && enough_memory; item = readdir(list)) {
        uint32_t frame;
        if (frame_of_name(item->d_name, &frame) && frame < first_frame)
            enough_memory = append(s, frame, (double)frame * seconds_a_frame);
    }
    closedir(list);
    if (s->count > 1)
        qsort(s->entries, s->count, sizeof *s->entries, compare_entries);
    return enough_memory;
}

/* Only lines that this program wrote are understood; others are passed over. */
static void read_times(series *s, const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return;
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        series_entry read;
        if (sscanf(line, "<DataSet timestep=\"%lf\" group=\"\" part=\"0\" file=\"frame_%10u.vtp\"/>",
                   &read.time, &read.frame) != 2)
            continue;
        series_entry *known =
            s->count == 0 ? NULL : bsearch(&read, s->entries, s->count, sizeof *s->entries, compare_entries);
        if (known != NULL)
            known->time = read.time;
    }
    fclose(file);
}

bool series_find(series *s, const char *folder, uint32_t first_frame, double seconds_a_frame)
{
    char *path = join_path(folder, "frames.pvd");
    bool found = path != NULL && find_files(s, folder, first_frame, seconds_a_frame);
    if (found)
        read_times(s, path);
    free(path);
    return found;
}

bool series_add(series *s, uint32_t frame, double time)
{
    while (s->count > 0 && s->entries[s->count - 1].frame >= frame)
        s->count--;
    return append(s, frame, time);
}

bool series_write(const series *s, const char *folder, char *error, size_t error_size)
{
    char *path = join_path(folder, "frames.pvd");
    safe_file *file = path == NULL ? NULL : safe_file_open_own(path, error, error_size);
    if (path == NULL)
        snprintf(error, error_size, "no memory for the list of frames in '%s'", folder);
    free(path);
    if (file == NULL)
        return false;
    export_print(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                       "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (size_t i = 0; i < s->count; i++)
        export_print(file, ENTRY_FORMAT, s->entries[i].time, s->entries[i].frame, "vtp");
    export_print(file, "</Collection>\n</VTKFile>\n");
    return safe_file_commit(file, error, error_size);
}

void series_free(series *s)
{
    free(s->entries);
    *s = (series){0};
}
