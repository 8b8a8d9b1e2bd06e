/* Containers of liquid that are moved, tilted and stirred: what the tests of leaks share. */
#ifndef MOTE_TESTS_LEAKS_H
#define MOTE_TESTS_LEAKS_H

#include "support.h"

#define LEAK_RADIUS 0.02f /* m, of all particles */

/* How long a container is held, s: a minute, and less for those that are much like another; less for all where
 * a sanitizer slows the steps. Compiled with both as 60, all of them hold. */
#ifndef LEAK_SECONDS
#define LEAK_SECONDS TEST_BY_BUILD(60.0, 5.0, 0.5)
#endif
#ifndef LEAK_SHORTER
#define LEAK_SHORTER TEST_BY_BUILD(10.0, 2.0, 0.5)
#endif

typedef struct leak_case {
    const char *name;
    /* Makes the container in the world's coordinates, which are its own at the start. */
    void (*build)(mote_world *world);
    /* How far within the container's outer surface a point of its own coordinates is, m; below 0: it is out. */
    double (*room)(mote_vec3 x);
    mote_vec3 fill_min, fill_max;  /* m, the box of liquid in it */
    double seconds;                /* 0: LEAK_SHORTER */
    double rod;                    /* distance of the stirring rod from the axis, m; 0: there is none */
    double rod_end;                /* height of the lower end of its line, m */
    uint32_t substeps, iterations; /* 0: the defaults */
    float density;                 /* kg/m^3; 0: 1000 */
    float surface_tension;         /* N/m */
    mote_vec3 velocity;            /* m/s, of the liquid at the start */
    bool loose;                    /* the first body is not led but pushed, now here, now there */
} leak_case;

/* Holds it, and none must have been out. Bodies and shapes are moved with the container, unless it is loose. */
void must_hold(const leak_case *c);

#define LEAK_TEST(name, ...)                                                                                   \
    static void name(void **unused)                                                                            \
    {                                                                                                          \
        (void)unused;                                                                                          \
        must_hold(&(leak_case){#name, __VA_ARGS__});                                                           \
    }

#endif
