/* The rows of attributes.h as data. */
#include "world/attributes.h"

#define HIDDEN {0}, NULL
#define SHOWN(name, unit, components, least, most, check, text)                                                \
    {name, unit, text, components, least, most}, check

#define ATTRIBUTE(NAME, reader, type, kept, flags, shown, ...)                                                 \
    {sizeof(type), kept, flags, &(const type)__VA_ARGS__, shown},
const mt_attribute mt_attributes[] = {MT_ATTRIBUTES(ATTRIBUTE)};
#undef ATTRIBUTE
const uint32_t mt_attribute_count = (uint32_t)(sizeof mt_attributes / sizeof *mt_attributes);

_Static_assert(sizeof mt_attributes / sizeof *mt_attributes <= MT_MOST_ATTRIBUTES,
               "there is room for all arrays");
#define ATTRIBUTE(NAME, reader, type, kept, flags, shown, ...)                                                 \
    _Static_assert((kept) <= sizeof(type) && (kept) % 4 == 0,                                                  \
                   "what is kept of " #NAME " are whole words of it");
MT_ATTRIBUTES(ATTRIBUTE)
