/* THE list of constraint kinds, and of the parameters of each. The enum, the structs below, checks, the sections of scene
 * files with their schema and documentation, snapshots, hashes, residuals and the tables of the step come from it. How
 * a kind is added is in docs/architecture.md. */
#ifndef MOTE_CONSTRAINT_KINDS_H
#define MOTE_CONSTRAINT_KINDS_H

/* A rest that is not given: what is measured when the constraint is made. */
#define MOTE_AS_MADE (-1e30f)

/* KIND(NAME, name, ends, unit of what it measures). A kind measures something of the places of its ends, beside each
 * other, and holds it at its rest. */
#define MOTE_CONSTRAINT_KINDS(KIND) KIND(DISTANCE, distance, 2, "m")

/* PARAMETER(name, unit, least, most, default, text): one line each. All kinds have the first six; the seventh is the rest
 * of what the kind measures. Flags are 0 or 1. */
#define MOTE_CONSTRAINT_PARAMETERS(PARAMETER, measure, per_force, damping_unit, force)                         \
    PARAMETER(compliance, measure "/" per_force, 0, 1e12, 0, "how far it gives way to a force; 0: not at all") \
    PARAMETER(                                                                                                 \
        damping, damping_unit, 0, 1e12, 0,                                                                     \
        "what it resists changes of its measure with, beside its compliance; nothing without compliance")      \
    PARAMETER(stiffness, "", 0, 1, 1,                                                                          \
              "for experiments: the papers' k: each of n iterations takes 1 - (1 - k)^(1/n) of the error")     \
    PARAMETER(break_force, force, 0, 1e30, 1e30, "it breaks when its mean force over a step is more")          \
    PARAMETER(one_sided, "", 0, 1, 0, "1: it acts only where its measure is above its rest, as a rope")        \
    PARAMETER(                                                                                                 \
        collide, "", 0, 2, 0,                                                                                  \
        "whether its particles collide with each other: 0: if they do not overlap at rest, 1: yes, 2: no")

/* What a kind has beside these: its rest first. */
#define MOTE_DISTANCE_OWN(PARAMETER)                                                                           \
    PARAMETER(length, "m", 0, 1e6, MOTE_AS_MADE,                                                               \
              "how long it is at rest; not given: as long as when it is made")
#define MOTE_DISTANCE_PARAMETERS(PARAMETER)                                                                    \
    MOTE_CONSTRAINT_PARAMETERS(PARAMETER, "m", "N", "N s/m", "N")                                              \
    MOTE_DISTANCE_OWN(PARAMETER)

#define MOTE_PARAMETER_FIELD(name, unit, least, most, usual, text) float name;

/* Two places stay at a distance: XPBD, Macklin et al. 2016. */
typedef struct mote_distance {
    MOTE_DISTANCE_PARAMETERS(MOTE_PARAMETER_FIELD)
} mote_distance;

#endif
