/* CSV: a header line, then a line a particle; attributes are the last columns. Nine digits bring back every float to the bit. Materials are
 * numbers, in the order of their making, so that names with commas or quotes can do no harm. */
#include "io/export_frame.h"

static void write_header(safe_file *file)
{
    char name[EXPORT_COLUMN_SIZE];
    export_print(file, "id,x,y,z,vx,vy,vz,mass,radius,phase,material");
    for (uint32_t k = 0; k < mote_attribute_count(); k++)
        for (uint32_t n = 0; n < mote_attribute_info_of(k)->components; n++) {
            export_column_name(mote_attribute_info_of(k), n, name);
            export_print(file, ",%s", name);
        }
    export_print(file, "\n");
}

void export_write_csv(const export_frame *frame, safe_file *file)
{
    write_header(file);
    for (size_t i = 0; i < frame->count; i++) {
        export_row row = export_frame_row(frame, i);
        export_print(file, "%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%u,%u", row.id, (double)row.position[0],
                     (double)row.position[1], (double)row.position[2], (double)row.velocity[0],
                     (double)row.velocity[1], (double)row.velocity[2], (double)row.mass, (double)row.radius,
                     row.phase, row.material);
        for (uint32_t k = 0; k < mote_attribute_count(); k++)
            for (uint32_t n = 0; n < mote_attribute_info_of(k)->components; n++)
                export_print(file, ",%.9g", (double)export_frame_attribute(frame, k, i)[n]);
        export_print(file, "\n");
    }
}
