/* PLY: a header of text, then one record a particle. */
#include "io/export_frame.h"

/* The properties in their order, before those of attributes; all have four bytes. */
static const char header[] = "property float x\n"
                             "property float y\n"
                             "property float z\n"
                             "property float vx\n"
                             "property float vy\n"
                             "property float vz\n"
                             "property float mass\n"
                             "property float radius\n"
                             "property uint id\n"
                             "property uint phase\n"
                             "property uint material\n";

#define RECORD_BYTES ((size_t)11 * 4)

static void write_attribute_properties(safe_file *file)
{
    char name[EXPORT_COLUMN_SIZE];
    for (uint32_t k = 0; k < mote_attribute_count(); k++)
        for (uint32_t n = 0; n < mote_attribute_info_of(k)->components; n++) {
            export_column_name(mote_attribute_info_of(k), n, name);
            export_print(file, "property float %s\n", name);
        }
}

static void write_attributes(const export_frame *frame, size_t i, safe_file *file)
{
    for (uint32_t k = 0; k < mote_attribute_count(); k++)
        for (uint32_t n = 0; n < mote_attribute_info_of(k)->components; n++) {
            unsigned char bytes[4];
            export_put_float(bytes, export_frame_attribute(frame, k, i)[n]);
            safe_file_append(file, bytes, sizeof bytes);
        }
}

void export_write_ply(const export_frame *frame, safe_file *file)
{
    export_print(file, "ply\nformat binary_little_endian 1.0\ncomment time %.17g s\nelement vertex %zu\n",
                 frame->time, frame->count);
    safe_file_append(file, header, sizeof header - 1);
    write_attribute_properties(file);
    export_print(file, "end_header\n");
    for (size_t i = 0; i < frame->count; i++) {
        export_row row = export_frame_row(frame, i);
        unsigned char record[RECORD_BYTES];
        for (int axis = 0; axis < 3; axis++) {
            export_put_float(record + 4 * axis, row.position[axis]);
            export_put_float(record + 12 + 4 * axis, row.velocity[axis]);
        }
        export_put_float(record + 24, row.mass);
        export_put_float(record + 28, row.radius);
        export_put_u32(record + 32, row.id);
        export_put_u32(record + 36, row.phase);
        export_put_u32(record + 40, row.material);
        safe_file_append(file, record, sizeof record);
        write_attributes(frame, i, file);
    }
}
