/* Inside the exports: frames.pvd, the list of a series' frames with their times, as ParaView opens it. */
#ifndef MOTE_IO_EXPORT_SERIES_H
#define MOTE_IO_EXPORT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct series_entry {
    uint32_t frame;
    double time; /* s */
} series_entry;

typedef struct series {
    series_entry *entries; /* by rising frame */
    size_t count, capacity;
} series;

/* "FOLDER/frame_00042.vtp". */
#define SERIES_FRAME_NAME "frame_%05u.%s"

/* Finds the frames below `first_frame` that an earlier run left in the folder. Their times are those of the
 * list that it left; a frame that is not in the list gets its number times `seconds_a_frame`. False if there is
 * no memory. */
bool series_find(series *s, const char *folder, uint32_t first_frame, double seconds_a_frame);

/* Adds a frame at the end; what was there of it and of later ones goes. False if there is no memory. */
bool series_add(series *s, uint32_t frame, double time);

/* Writes FOLDER/frames.pvd. False with a text in `error`. */
bool series_write(const series *s, const char *folder, char *error, size_t error_size);

void series_free(series *s);

#endif
