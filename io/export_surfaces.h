/* Inside the exports: where surfaces and bodies are in one frame, for OBJ files. */
#ifndef MOTE_IO_EXPORT_SURFACES_H
#define MOTE_IO_EXPORT_SURFACES_H

#include "io/export.h"

/* A list that grows and is used again from frame to frame. Start with {0}. */
typedef struct export_list {
    void *items;
    size_t capacity; /* bytes */
} export_list;

/* One body without a surface: its particles are a run of `members`. */
typedef struct export_body {
    uint32_t index; /* of its handle */
    size_t first_member, member_count;
} export_body;

/* One surface of a frame. */
typedef struct export_shown {
    bool there;          /* its body or skeleton still is */
    mote_pose pose;      /* of its body */
    size_t first_bone;   /* among `bones`, of a skin */
    size_t first_vertex; /* among `moved`, of a skin */
} export_shown;

typedef struct export_scenery {
    const export_surface *surfaces; /* the exporter's */
    size_t surface_count;
    size_t body_count; /* only listed when there are no surfaces */
    size_t member_count;
    export_list shown;   /* export_shown, one a surface */
    export_list bones;   /* mote_pose, of all skins */
    export_list moved;   /* mote_vec3: room for the vertices of all skins, for the writer */
    export_list ids;     /* mote_body_id */
    export_list bodies;  /* export_body */
    export_list members; /* mote_particle_id, by bodies */
} export_scenery;

/* A copy of the list, not of the data that it points to, after a look at whether it makes sense. NULL with a
 * text in `error`. */
export_surface *export_surfaces_copy(const export_surface *surfaces, size_t count, char error[EXPORT_ERROR]);

/* Notes where everything is. False with a text in `error`. */
bool export_scenery_copy(export_scenery *scenery, const mote_world *world, const export_surface *surfaces,
                         size_t surface_count, char error[EXPORT_ERROR]);

void export_scenery_free(export_scenery *scenery);

#endif
