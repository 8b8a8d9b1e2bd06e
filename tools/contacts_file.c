#include "contacts_file.h"

#include "io/safe_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 512

struct contacts_file {
    safe_file *to;
};

static bool any_reports(const mote_world *world)
{
    mote_material_def def;
    for (uint32_t k = 0; k < mote_material_count(world); k++)
        if (mote_material_get(world, mote_material_at(world, k), &def) == MOTE_OK && def.report_contacts)
            return true;
    return false;
}

static contacts_file *start(const char *path)
{
    static const char head[] =
        "frame,time,a,b,shape,body_a,body_b,x,y,z,nx,ny,nz,separation,impulse,friction_x,"
        "friction_y,friction_z,approach_speed,sliding_speed\n";
    char error[FILE_ERROR];
    contacts_file *file = malloc(sizeof *file);
    if (file == NULL) {
        complain("no memory for the contacts");
        return NULL;
    }
    file->to = safe_file_open(path, error, sizeof error);
    if (file->to == NULL) {
        complain("%s", error);
        free(file);
        return NULL;
    }
    safe_file_append(file->to, head, sizeof head - 1);
    return file;
}

contacts_file *contacts_file_open(const char *path, const mote_world *world)
{
    if (any_reports(world))
        return start(path);
    complain(
        "run: --contacts: no material reports contacts; give one \"report_contacts\": true in the scene, or "
        "--set materials.NAME.report_contacts=true");
    return NULL;
}

/* The index of a handle and a comma; nothing before it for a null one. */
static int put_index(char *to, size_t room, uint32_t index, uint32_t generation)
{
    return generation != 0 ? snprintf(to, room, "%u,", index) : snprintf(to, room, ",");
}

#define PUT_ID(id) size += put_index(line + size, sizeof line - (size_t)size, (id).index, (id).generation)

static double wide(float value)
{
    return (double)value;
}

static void write_contact(contacts_file *file, const simulation *s, const mote_contact *c)
{
    char line[MAX_LINE];
    int size = snprintf(line, sizeof line, "%u,%.9g,", s->frame, mote_world_time(s->world));
    PUT_ID(c->a);
    PUT_ID(c->b);
    PUT_ID(c->shape);
    PUT_ID(c->body_a);
    PUT_ID(c->body_b);
    size += snprintf(line + size, sizeof line - (size_t)size,
                     "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", wide(c->point.x),
                     wide(c->point.y), wide(c->point.z), wide(c->normal.x), wide(c->normal.y),
                     wide(c->normal.z), wide(c->separation), wide(c->impulse), wide(c->friction.x),
                     wide(c->friction.y), wide(c->friction.z), wide(c->approach_speed), wide(c->sliding_speed));
    safe_file_append(file->to, line, (size_t)size);
}

void contacts_file_frame(contacts_file *file, const simulation *s)
{
    mote_contacts contacts = mote_world_contacts(s->world);
    for (size_t k = 0; k < contacts.count; k++)
        write_contact(file, s, &contacts.items[k]);
}

bool contacts_file_close(contacts_file *file)
{
    char error[FILE_ERROR];
    if (file == NULL)
        return true;
    bool written = safe_file_commit(file->to, error, sizeof error);
    if (!written)
        complain("%s", error);
    free(file);
    return written;
}
