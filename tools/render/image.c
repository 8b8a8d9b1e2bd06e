#include "image.h"

#include "io/safe_file.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

bool image_create(image *picture, int width, int height)
{
    picture->width = width;
    picture->height = height;
    picture->pixels = calloc((size_t)width * (size_t)height, 3);
    return picture->pixels != NULL;
}

void image_destroy(image *picture)
{
    free(picture->pixels);
    picture->pixels = NULL;
}

static void write_bytes(void *context, void *data, int size)
{
    safe_file_append(context, data, (size_t)size);
}

bool image_write_png(const image *picture, const char *path, char *error, size_t error_size)
{
    safe_file *file = safe_file_open(path, error, error_size);
    if (file == NULL)
        return false;
    if (stbi_write_png_to_func(write_bytes, file, picture->width, picture->height, 3, picture->pixels,
                               picture->width * 3))
        return safe_file_commit(file, error, error_size);
    safe_file_abort(file);
    snprintf(error, error_size, "no memory to write '%s'", path);
    return false;
}
