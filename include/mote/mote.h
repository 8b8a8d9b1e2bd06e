/* Mote: a unified particle physics engine. This header includes the whole public interface.
 *
 * Everything that moves is a particle, everything that holds particles together or apart is a constraint,
 * and one solver moves them all. Units are SI, axes are right-handed, gravity points along -Y by default.
 *
 *     mote_world_def def = mote_default_world_def();
 *     mote_world *world;
 *     if (mote_world_create(&def, &world) != MOTE_OK) { puts(mote_last_error()); return 1; }
 *     mote_grains_block(world, &block, NULL);
 *     for (;;) mote_world_step(world, 1.0f / 60.0f);
 */
#ifndef MOTE_MOTE_H
#define MOTE_MOTE_H

#include "mote/attribute.h"
#include "mote/base.h"
#include "mote/body.h"
#include "mote/constraint.h"
#include "mote/contact.h"
#include "mote/emitter.h"
#include "mote/event.h"
#include "mote/field.h"
#include "mote/fluid.h"
#include "mote/geometry.h"
#include "mote/grains.h"
#include "mote/joint.h"
#include "mote/material.h"
#include "mote/mesh.h"
#include "mote/particle.h"
#include "mote/query.h"
#include "mote/rigid.h"
#include "mote/shape.h"
#include "mote/skeleton.h"
#include "mote/snapshot.h"
#include "mote/stats.h"
#include "mote/volume.h"
#include "mote/world.h"

#endif
