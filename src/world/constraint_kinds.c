/* The table of kinds, from the list in mote/constraint_kinds.h. */
#include "world/constraints.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))

#define PARAMETER(name, unit, least, most, usual, text) {#name, unit, text, least, most, usual},
#define KIND(NAME, name, ends, unit)                                                                           \
    static const mote_parameter_info name##_parameters[] = {MOTE_##NAME##_PARAMETERS(PARAMETER)};              \
    _Static_assert(COUNT_OF(name##_parameters) <= MT_VALUES && (ends) <= MT_MOST_ENDS,                         \
                   "a constraint has room for " #name);
MT_CONSTRAINT_KINDS(KIND)
#undef KIND

#define KIND(NAME, name, ends, unit)                                                                           \
    {{#name, unit, ends, COUNT_OF(name##_parameters), name##_parameters},                                      \
     mt_##name##_measure,                                                                                      \
     mt_##name##_overlaps},
const mt_constraint_kind mt_constraint_kinds[] = {MT_CONSTRAINT_KINDS(KIND)};
const uint32_t mt_constraint_kind_count = COUNT_OF(mt_constraint_kinds);

const mote_kind_info *mote_constraint_kind_info(mote_constraint_kind kind)
{
    return (uint32_t)kind < mt_constraint_kind_count ? &mt_constraint_kinds[kind].info : NULL;
}

mote_constraint_def mote_default_constraint_def(mote_constraint_kind kind)
{
    mote_constraint_def def = {.kind = kind};
    const mote_kind_info *info = mote_constraint_kind_info(kind);
    for (uint32_t k = 0; info != NULL && k < info->parameter_count; k++)
        def.values[k] = info->parameters[k].usual;
    return def;
}
