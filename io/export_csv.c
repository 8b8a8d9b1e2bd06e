/* CSV: a header line, then a line a particle. Nine digits bring back every float to the bit. Materials are
 * numbers, in the order of their making, so that names with commas or quotes can do no harm. */
#include "io/export_frame.h"

void export_write_csv(const export_frame *frame, safe_file *file)
{
    export_print(file, "id,x,y,z,vx,vy,vz,mass,radius,phase,material\n");
    for (size_t i = 0; i < frame->count; i++) {
        export_row row = export_frame_row(frame, i);
        export_print(file, "%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%u,%u\n", row.id,
                     (double)row.position[0], (double)row.position[1], (double)row.position[2],
                     (double)row.velocity[0], (double)row.velocity[1], (double)row.velocity[2],
                     (double)row.mass, (double)row.radius, row.phase, row.material);
    }
}
