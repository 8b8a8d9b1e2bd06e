/* Where the bodies of a frame are: bodies_00000.csv beside the frame, a header line, then a line a body by rising id:
 * the index of its handle, its name, its position (m) and its rotation (a unit quaternion). A point of its own
 * coordinates x is at position + rotation x. */
#include "io/export_frame.h"

#include <stdlib.h>

static int compare_names(const void *a, const void *b)
{
    const export_name *x = a, *y = b;
    return (x->body.index > y->body.index) - (x->body.index < y->body.index);
}

export_name *export_names_copy(const export_name *names, size_t count)
{
    export_name *copy = calloc(count + 1, sizeof *copy);
    if (copy == NULL)
        return NULL;
    if (count > 0)
        memcpy(copy, names, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, compare_names);
    return copy;
}

static int compare_indices(const void *a, const void *b)
{
    const mote_body_id *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

static bool make_room(export_bodies *bodies, size_t count)
{
    if (count <= bodies->capacity)
        return true;
    export_bodies_free(bodies);
    bodies->ids = malloc(count * sizeof *bodies->ids);
    bodies->poses = malloc(count * sizeof *bodies->poses);
    if (bodies->ids == NULL || bodies->poses == NULL) {
        export_bodies_free(bodies);
        return false;
    }
    bodies->capacity = count;
    return true;
}

bool export_bodies_copy(export_bodies *bodies, const mote_world *world)
{
    uint32_t count = mote_body_count(world);
    bodies->count = 0;
    if (!make_room(bodies, count))
        return false;
    if (count == 0)
        return true;
    mote_body_list(world, bodies->ids, count);
    qsort(bodies->ids, count, sizeof *bodies->ids, compare_indices);
    bodies->count = count;
    return mote_body_poses(world, bodies->ids, count, bodies->poses) == MOTE_OK;
}

void export_bodies_free(export_bodies *bodies)
{
    free(bodies->ids);
    free(bodies->poses);
    *bodies = (export_bodies){0};
}

/* "" if it has none. The index may be that of another body that was removed. */
static const char *name_of(mote_body_id body, const export_name *names, size_t count)
{
    const export_name key = {.body = body};
    const export_name *found = count == 0 ? NULL : bsearch(&key, names, count, sizeof *names, compare_names);
    return found != NULL && found->body.generation == body.generation ? found->text : "";
}

/* As CSV asks for: in quotes, and a quote twice, if something in it would be taken for the end of the field. */
static void print_name(safe_file *file, const char *name)
{
    if (strpbrk(name, ",\"\r\n") == NULL) {
        export_print(file, "%s", name);
        return;
    }
    export_print(file, "\"");
    for (; *name != '\0'; name++)
        export_print(file, *name == '"' ? "\"\"" : "%c", *name);
    export_print(file, "\"");
}

void export_write_bodies(const export_bodies *bodies, const export_name *names, size_t name_count,
                         safe_file *file)
{
    export_print(file, "id,name,px,py,pz,qx,qy,qz,qw\n");
    for (size_t i = 0; i < bodies->count; i++) {
        mote_vec3 p = bodies->poses[i].position;
        mote_quat q = bodies->poses[i].rotation;
        export_print(file, "%u,", bodies->ids[i].index);
        print_name(file, name_of(bodies->ids[i], names, name_count));
        export_print(file, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", (double)p.x, (double)p.y, (double)p.z,
                     (double)q.x, (double)q.y, (double)q.z, (double)q.w);
    }
}
