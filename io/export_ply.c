/* PLY: a header of text, then one record a particle. */
#include "io/export_frame.h"

/* The properties in their order; all have four bytes. */
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
                             "property uint material\n"
                             "end_header\n";

#define RECORD_BYTES ((size_t)11 * 4)

void export_write_ply(const export_frame *frame, safe_file *file)
{
    export_print(file, "ply\nformat binary_little_endian 1.0\ncomment time %.17g s\nelement vertex %zu\n",
                 frame->time, frame->count);
    safe_file_append(file, header, sizeof header - 1);
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
    }
}
