/* A picture in memory, and its way to a PNG file. */
#ifndef MOTE_TOOLS_RENDER_IMAGE_H
#define MOTE_TOOLS_RENDER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct image {
    int width, height;
    uint8_t *pixels; /* red, green, blue; rows from the top */
} image;

/* False if there is no memory. */
bool image_create(image *picture, int width, int height);
void image_destroy(image *picture);

/* Whole or not at all: the file of that name stays as it was until the picture is there. False with a text. */
bool image_write_png(const image *picture, const char *path, char *error, size_t error_size);

#endif
