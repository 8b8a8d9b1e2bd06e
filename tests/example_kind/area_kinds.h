/* A kind of constraint that the library does not have, as docs/architecture.md shows it: three places keep the area of
 * their triangle. In the library this row and these parameters stand in mote/constraint_kinds.h. */
#ifndef MOTE_TESTS_AREA_KINDS_H
#define MOTE_TESTS_AREA_KINDS_H

#define MOTE_MORE_CONSTRAINT_KINDS(KIND) KIND(AREA, area, 3, "m^2")

#define MOTE_AREA_PARAMETERS(PARAMETER)                                                                        \
    MOTE_CONSTRAINT_PARAMETERS(PARAMETER, "m^2", "(N/m)", "N s/m^3", "N/m")                                    \
    PARAMETER(area, "m^2", 0, 1e12, MOTE_AS_MADE, "at rest; not given: as it is when it is made")

#endif
