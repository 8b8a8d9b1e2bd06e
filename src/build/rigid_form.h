/* What the builders of bodies share: points in a body's own coordinates become particles. */
#ifndef MOTE_BUILD_RIGID_FORM_H
#define MOTE_BUILD_RIGID_FORM_H

#include "mote/rigid.h"
#include "world/world.h"

/* What a body is made of, in its own coordinates. */
typedef struct mt_rigid_form {
    mote_vec3 *points; /* m */
    size_t count;
    mt_surface surface; /* around the particles' balls; NONE if they are all there is to say */
} mt_rigid_form;

/* Room for `count` points, at least one; fails if the world has no room for so many
 * particles. */
mote_result mt_rigid_form_make(mote_world *world, size_t count, mt_rigid_form *form);
void mt_rigid_form_free(mote_world *world, mt_rigid_form *form);

/* The start of every builder: whether the world can be changed, and whether the definition makes sense. */
mote_result mt_rigid_begin(const mote_world *world, const char *call, const mote_rigid_def *def);
/* What a checked definition means in this world, m. */
float mt_rigid_radius(const mote_world *world, const mote_rigid_def *def);
float mt_rigid_spacing(const mote_world *world, const mote_rigid_def *def);
/* Its pose, the rotation a unit one to the last bit. */
mt_pose mt_rigid_pose(const mote_rigid_def *def);
/* That there are points, not too many, and all of them finite and in the space of a world. */
mote_result mt_rigid_check_points(const mote_world *world, const mote_vec3 *points, size_t count);

/* Adds a particle for every point, moving and turning together; all or none. */
mote_result mt_rigid_add_particles(mote_world *world, const mote_rigid_def *def, const mote_vec3 *points,
                                   size_t count, mote_particle_id *ids);
/* Removes them again; those that are gone already are passed over. The error stays as it is noted. */
void mt_rigid_take_back(mote_world *world, const mote_particle_id *ids, size_t count);

/* The particles and the body; null, and nothing added, after an error. */
mote_body_id mt_rigid_add(mote_world *world, const mote_rigid_def *def, const mote_vec3 *points, size_t count);
/* The same of a form, which is freed. */
mote_body_id mt_rigid_add_form(mote_world *world, const mote_rigid_def *def, mt_rigid_form *form);

#endif
