/* An attribute of particles that the library does not have, as docs/architecture.md shows it. In the library this row
 * stands in world/attributes.h. */
#ifndef MOTE_TESTS_HEAT_ATTRIBUTE_H
#define MOTE_TESTS_HEAT_ATTRIBUTE_H

#define MOTE_MORE_ATTRIBUTES(ATTRIBUTE)                                                                        \
    ATTRIBUTE(TEMPERATURE, mt_temperatures, float, 4, MT_SPARSE | MT_HASHED_IF_SET,                            \
              SHOWN("temperature", "K", 1, 0.0f, 1e9f, NULL, "of what the particle is made of"), {293.15f})

#endif
