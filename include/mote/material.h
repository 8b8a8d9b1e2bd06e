/* Materials: a table in the world. A particle or a shape has a material; what two of them do when they meet
 * comes from both by one rule, so there is never a setting for a pair. */
#ifndef MOTE_MATERIAL_H
#define MOTE_MATERIAL_H

#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mote_material_def {
    const char *name;       /* copied, at most 31 bytes; default "" */
    float density;          /* kg/m^3, > 0; gives builders their masses; default 1000 */
    float static_friction;  /* 0 or more, at least kinetic_friction; two materials: sqrt(a b); default 0.5 */
    float kinetic_friction; /* 0 or more; two materials: sqrt(a b); default 0.4 */
    float restitution;      /* 0 (no bounce) to 1 (full bounce); two materials: the larger; default 0 */
    /* Work of adhesion, J/m^2, 0 or more: a contact holds with up to 3/2 pi R times it (Johnson, Kendall and
     * Roberts), where 1/R = 1/Ra + 1/Rb; two materials: sqrt(a b); default 0 */
    float adhesion;
    /* Compliance of a contact, m/N, 0 or more: pressed with F newtons it gives way by F times it (XPBD),
     * whatever the substeps and iterations; two materials: the sum; default 0: hard. Where any material is
     * compliant, the world does without pre-stabilisation, warm starting and mass scaling. */
    float compliance;
    /* Loose particles are balls that spin, with the moment of inertia 2/5 m r^2: friction turns them, so that they
     * roll, and angular momentum is kept where they rub. Without it a particle does not turn, as if it were held: grains
     * stack and heaps are steep. Impulse solver only; liquids and particles of bodies have no spin. Default false */
    bool rolls;
    /* Particles are a liquid: together they keep the material's density instead of pushing each other apart
     * one by one. Their radius is the world's, and each stands for a cube twice as wide. With all else they
     * meet like other particles, without friction: viscosity takes its place. Default false */
    bool fluid;
    /* The rest is for fluids; other materials leave it unused. */
    float viscosity; /* Pa s, 0 or more: water 0.001, oil 0.1, honey 10; two fluids: sqrt(a b); default 0 */
    /* Each substep a particle takes up to this part of the difference between its velocity and its neighbours'
     * (XSPH, as in the papers): 0 to 1; depends on the substep, unlike viscosity; default 0 */
    float xsph;
    float vorticity;       /* confinement, 1/s: gives back spin that is lost; 0 or more, about 1; default 0 */
    float surface_tension; /* N/m, 0 or more: water 0.072; `adhesion` says how well it wets; default 0 */
    /* Pushes particles apart that are nearer than the rest spacing (s_corr of Macklin and Mueller), so that
     * they do not lie on each other in splashes and films, where there are too few for any pressure: 0 to 1,
     * about 0.1; two fluids: sqrt(a b). With 1 two of them part with 98.1 m/s^2 at half the rest spacing,
     * whatever their masses, radius and the time step. Volumes stay as they are; default 0 */
    float tensile_correction;
    bool report_contacts; /* contacts of these particles are reported as events; default false */
    uint32_t color;       /* 0xRRGGBB, for whoever draws; default 0xC8B28C */
} mote_material_def;

MOTE_API mote_material_def mote_default_material_def(void);

/* Adds a material; null on failure. Every world is born with one: mote_world_default_material(). At most 256.
 */
MOTE_API mote_material_id mote_material_add(mote_world *world, const mote_material_def *def);

/* Changes a material; its particles and shapes follow at the next step. */
MOTE_API mote_result mote_material_set(mote_world *world, mote_material_id material,
                                       const mote_material_def *def);
MOTE_API mote_result mote_material_get(const mote_world *world, mote_material_id material,
                                       mote_material_def *def);

MOTE_API mote_material_id mote_world_default_material(const mote_world *world);

/* Materials are never removed, so they are counted 0 .. count-1 in the order of their making; null past the
 * end. */
MOTE_API uint32_t mote_material_count(const mote_world *world);
MOTE_API mote_material_id mote_material_at(const mote_world *world, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
