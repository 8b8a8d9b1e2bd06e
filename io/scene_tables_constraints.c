/* The table of constraints. Their parameters are those of mote/constraint_kinds.h: a kind that is new there is in scene
 * files, in the schema and in the documentation as well. */
#include "io/scene_tables.h"

#define WORD(NAME, name, ends, unit) #name,
static const char *const KINDS[] = {MOTE_CONSTRAINT_KINDS(WORD) NULL};

#define PARAMETER(parameter, its_unit, least, most, usual, text)                                               \
    {.name = #parameter,                                                                                       \
     .kind = FIELD_NUMBER,                                                                                     \
     AT(scene_constraint, PARAMETERS_OF.parameter),                                                            \
     RANGE(least, most),                                                                                       \
     .unit = its_unit,                                                                                         \
     .types = ITS_TYPES,                                                                                       \
     .default_text = USUAL_TEXT(usual),                                                                        \
     .doc = text},

static const scene_field CONSTRAINT_TABLE[] = {
    COMMENT_FIELD(scene_constraint),
    {.name = "name",
     .kind = FIELD_NAME,
     AT(scene_constraint, called),
     RANGE(1, 63),
     .doc = "what overrides call the constraint"},
    {.name = "type",
     .kind = FIELD_CHOICE,
     AT(scene_constraint, type),
     .words = KINDS,
     .required = true,
     .doc = "its kind"},
    {.name = "a",
     .kind = FIELD_TEXT,
     AT(scene_constraint, name[0]),
     RANGE(1, 80),
     .default_text = "`world`",
     .doc = "the name of the body or shape at one end, or `world`"},
    {.name = "at_a",
     .kind = FIELD_VECTOR,
     AT(scene_constraint, at[0]),
     COORDINATE,
     .required = true,
     .doc = "where that end is when the scene begins, in the world"},
    {.name = "b",
     .kind = FIELD_TEXT,
     AT(scene_constraint, name[1]),
     RANGE(1, 80),
     .default_text = "`world`",
     .doc = "the same of the other end"},
    {.name = "at_b",
     .kind = FIELD_VECTOR,
     AT(scene_constraint, at[1]),
     COORDINATE,
     .required = true,
     .doc = "where the other end is"},
    {.name = "links",
     .kind = FIELD_COUNT,
     AT(scene_constraint, links),
     RANGE(1, 100000),
     .preset = "1",
     .doc = "so many constraints in a row, with particles between them, on the line from end to end: a rope"},
    {.name = "mass",
     .kind = FIELD_NUMBER,
     AT(scene_constraint, mass),
     RANGE(1e-9, 1e12),
     .unit = "kg",
     .default_text = "from the material's density",
     .doc = "of each particle between links"},
    {.name = "radius",
     .kind = FIELD_NUMBER,
     AT(scene_constraint, matter.radius),
     RANGE(1e-6, 1e4),
     .unit = "m",
     .default_text = "`world.radius`",
     .doc = "of these particles"},
    {.name = "material",
     .kind = FIELD_MATERIAL,
     AT(scene_constraint, matter.material),
     RANGE(1, 31),
     .default_text = "a material of defaults",
     .doc = "of these particles: the name of one of `materials`"},
    {.name = "group",
     .kind = FIELD_COUNT,
     AT(scene_constraint, matter.group),
     RANGE(0, 1048575),
     .preset = "0",
     .doc = "particles of different groups collide"},
    {.name = "self_collide",
     .kind = FIELD_BOOL,
     AT(scene_constraint, matter.self_collide),
     .preset = "true",
     .doc = "whether particles of the same group collide"},
    {.name = "channels",
     .kind = FIELD_CHANNELS,
     AT(scene_constraint, matter.channels),
     .preset = "[0,1,2,3,4,5,6]",
     .default_text = "all",
     .doc = "a particle and a shape collide if they share one"},
#define PARAMETERS_OF     def.distance
#define ITS_TYPES         0
#define USUAL_TEXT(usual) #usual
    MOTE_CONSTRAINT_PARAMETERS(PARAMETER, "m", "N", "N s/m", "N")
#undef ITS_TYPES
#undef USUAL_TEXT
#define ITS_TYPES         BIT(MOTE_CONSTRAINT_DISTANCE)
#define USUAL_TEXT(usual) "as it is made"
        MOTE_DISTANCE_OWN(PARAMETER)};
const scene_section SCENE_CONSTRAINTS = {
    .name = "constraints",
    .doc = "What holds bodies and particles for as long as it does not break: ropes, springs.",
    SECTION_OF(CONSTRAINT_TABLE),
    .size = sizeof(scene_constraint),
};
