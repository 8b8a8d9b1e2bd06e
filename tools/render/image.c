#include "image.h"

#include <errno.h>
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

typedef struct png_output {
    FILE *file;
    int error; /* errno of the first write that failed */
} png_output;

static void write_bytes(void *context, void *data, int size)
{
    png_output *output = context;
    if (output->error == 0 && fwrite(data, 1, (size_t)size, output->file) != (size_t)size)
        output->error = errno;
}

bool image_write_png(const image *picture, const char *path)
{
    png_output output = {.file = fopen(path, "wb")};
    if (output.file == NULL)
        return false;
    int made = stbi_write_png_to_func(write_bytes, &output, picture->width, picture->height, 3, picture->pixels,
                                      picture->width * 3);
    if (!made && output.error == 0)
        output.error = ENOMEM;
    if (fclose(output.file) != 0 && output.error == 0)
        output.error = errno;
    if (output.error == 0)
        return true;
    errno = output.error;
    return false;
}
