/* Containers of liquid that are moved, tilted and stirred: what the tests of leaks share. */
#ifndef MOTE_TESTS_LEAKS_H
#define MOTE_TESTS_LEAKS_H

#include "support.h"

#define LEAK_RADIUS 0.02f /* m, of all particles */

/* How long a container is held: a minute; less where a sanitizer slows the steps. */
#ifndef LEAK_SECONDS
#define LEAK_SECONDS TEST_BY_BUILD(60.0, 6.0, 1.0)
#endif

typedef struct leak_case {
    const char *name;
    /* Makes the container in the world's coordinates, which are its own at the start. */
    void (*build)(mote_world *world);
    /* How far within the container's outer surface a point of its own coordinates is, m; below 0: it is out. */
    double (*room)(mote_vec3 x);
    mote_vec3 fill_min, fill_max; /* m, the box of liquid in it */
    double rod;                   /* distance of the stirring rod from the axis, m; 0: there is none */
    double rod_end;               /* height of the lower end of its line, m */
    uint32_t substeps, iterations; /* 0: the defaults */
    float density;                 /* kg/m^3; 0: 1000 */
    float surface_tension;         /* N/m */
    bool loose;                    /* nobody moves the bodies: they are pushed */
} leak_case;

typedef struct leak_result {
    size_t liquid;     /* particles of it */
    size_t out;        /* of these were outside at the end of any step */
    double least_room; /* m, of all particles and steps */
    double fastest;    /* m/s */
} leak_result;

/* Holds it for LEAK_SECONDS; every body and shape is moved with the container. */
leak_result hold_liquid(const leak_case *c);

/* The same, and none must have been out. */
void must_hold(const leak_case *c);

#endif
