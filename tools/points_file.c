/* The binary formats are written as the numbers are in memory: little-endian, as on all machines that Mote
 * runs on. */
#include "points_file.h"

#include "io/safe_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEXT_SIZE 1024

static bool append_text(safe_file *file, const char *text)
{
    return safe_file_append(file, text, strlen(text));
}

static bool append_points(safe_file *file, const mote_vec3 *points, size_t count)
{
    return safe_file_append(file, points, count * sizeof *points);
}

static bool append_csv(safe_file *file, const mote_vec3 *points, size_t count)
{
    bool going = append_text(file, "x,y,z\n");
    for (size_t i = 0; i < count && going; i++) {
        char line[64];
        snprintf(line, sizeof line, "%.9g,%.9g,%.9g\n", (double)points[i].x, (double)points[i].y,
                 (double)points[i].z);
        going = append_text(file, line);
    }
    return going;
}

static bool append_ply(safe_file *file, const mote_vec3 *points, size_t count)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof text,
             "ply\nformat binary_little_endian 1.0\ncomment metres\nelement vertex %zu\n"
             "property float x\nproperty float y\nproperty float z\nend_header\n",
             count);
    return append_text(file, text) && append_points(file, points, count);
}

/* VTK XML PolyData: the points, and one cell that is all of them, since viewers draw cells. Each block of the
 * raw data begins with its size in bytes. */
static bool append_vtp(safe_file *file, const mote_vec3 *points, size_t count)
{
    const uint64_t point_bytes = count * sizeof *points, index_bytes = count * sizeof(uint64_t);
    const uint64_t offset_bytes = sizeof(uint64_t), end = count;
    char text[TEXT_SIZE];
    snprintf(text, sizeof text,
             "<?xml version=\"1.0\"?>\n"
             "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
             "<PolyData><Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%d\">\n"
             "<Points><DataArray type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\" format=\"appended\" "
             "offset=\"0\"/></Points>\n"
             "<Verts><DataArray type=\"Int64\" Name=\"connectivity\" format=\"appended\" offset=\"%" PRIu64
             "\"/>\n"
             "<DataArray type=\"Int64\" Name=\"offsets\" format=\"appended\" offset=\"%" PRIu64 "\"/></Verts>\n"
             "</Piece></PolyData>\n<AppendedData encoding=\"raw\">\n_",
             count, 1, point_bytes + 8, point_bytes + index_bytes + 16);
    bool going = append_text(file, text) && safe_file_append(file, &point_bytes, sizeof point_bytes) &&
                 append_points(file, points, count) && safe_file_append(file, &index_bytes, sizeof index_bytes);
    for (uint64_t i = 0; i < count && going; i++)
        going = safe_file_append(file, &i, sizeof i);
    return going && safe_file_append(file, &offset_bytes, sizeof offset_bytes) &&
           safe_file_append(file, &end, sizeof end) && append_text(file, "\n</AppendedData>\n</VTKFile>\n");
}

/* ---- by name --------------------------------------------------------------------------------------------- */

typedef bool append_function(safe_file *file, const mote_vec3 *points, size_t count);

static append_function *format_of(const char *path)
{
    static const struct {
        const char *extension;
        append_function *append;
    } FORMATS[] = {{".ply", append_ply}, {".csv", append_csv}, {".vtp", append_vtp}};
    const char *extension = strrchr(path, '.');
    for (size_t i = 0; extension != NULL && i < sizeof FORMATS / sizeof FORMATS[0]; i++)
        if (strcmp(extension, FORMATS[i].extension) == 0)
            return FORMATS[i].append;
    return NULL;
}

bool points_file_knows(const char *path)
{
    return format_of(path) != NULL;
}

bool points_file_write(const char *path, const mote_vec3 *points, size_t count, char error[POINTS_FILE_ERROR])
{
    append_function *append = format_of(path);
    if (append == NULL) {
        snprintf(error, POINTS_FILE_ERROR, "'%s' must end in .ply, .csv or .vtp", path);
        return false;
    }
    safe_file *file = safe_file_open(path, error, POINTS_FILE_ERROR);
    if (file == NULL)
        return false;
    append(file, points, count); /* a fault is told by the commit */
    return safe_file_commit(file, error, POINTS_FILE_ERROR);
}
