/* Bodies of closed meshes: filled with a lattice. */
#include "base/error.h"
#include "build/rigid_form.h"
#include "world/check.h"
#include "world/mesh_check.h"

#define NULL_BODY ((mote_body_id){0, 0})

static mote_result fill_mesh(mote_world *world, const mote_mesh *mesh, const mote_sample_def *sample,
                             mt_rigid_form *form)
{
    size_t count = 0;
    MT_TRY(mt_mesh_sample(&world->memory, mesh, sample, NULL, 0, &count));
    if (count == 0)
        return mt_fail(MOTE_ERROR_MESH,
                       "the mesh is smaller than a particle: no point of a lattice of rigid.spacing, %g m, is "
                       "inside of it",
                       (double)sample->spacing);
    MT_TRY(mt_rigid_form_make(world, count, form));
    mote_result result = mt_mesh_sample(&world->memory, mesh, sample, form->points, count, &count);
    if (result != MOTE_OK)
        mt_rigid_form_free(world, form);
    return result;
}

mote_body_id mote_rigid_mesh(mote_world *world, const mote_rigid_def *def, const mote_mesh *mesh,
                             mote_sample_method method)
{
    if (mt_rigid_begin(world, "mote_rigid_mesh", def) != MOTE_OK ||
        mt_check_count("method", (uint32_t)method, 0, MOTE_SAMPLE_COUNT - 1) != MOTE_OK)
        return NULL_BODY;
    mote_sample_def sample = mote_default_sample_def();
    sample.spacing = mt_rigid_spacing(world, def);
    sample.method = method;
    mt_rigid_form form;
    if (fill_mesh(world, mesh, &sample, &form) != MOTE_OK)
        return NULL_BODY;
    return mt_rigid_add_form(world, def, &form);
}
