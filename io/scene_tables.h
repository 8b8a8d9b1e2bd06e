/* Short ways to write the tables of fields. */
#ifndef MOTE_IO_SCENE_TABLES_H
#define MOTE_IO_SCENE_TABLES_H

#include "io/scene_description.h"

#include <stddef.h>

#define AT(type, member)   .offset = offsetof(type, member)
#define RANGE(least, most) .low = (least), .high = (most)
#define ABOVE(bound, most) .low = (bound), .high = (most), .above_low = true
#define COORDINATE         .low = -1e6, .high = 1e6, .unit = "m"
#define SPEED              .low = -1e4, .high = 1e4, .unit = "m/s"
#define SECTION_OF(table)  .fields = (table), .field_count = sizeof(table) / sizeof((table)[0])
#define COMMENT_FIELD(type)                                                                                    \
    {                                                                                                          \
        .name = "comment", .kind = FIELD_TEXT, AT(type, item.comment), .high = 10000,                          \
        .doc = "for people; not looked at"                                                                     \
    }
#define NAME_FIELD(type, what)                                                                                 \
    {                                                                                                          \
        .name = "name", .kind = FIELD_NAME, AT(type, name), RANGE(1, 63),                                      \
        .doc = "what overrides call the " what                                                                 \
    }

/* What grains, particles and emitters have in common. */
#define MATTER_FIELDS(type)                                                                                    \
    {.name = "radius",                                                                                         \
     .kind = FIELD_NUMBER,                                                                                     \
     AT(type, matter.radius),                                                                                  \
     RANGE(1e-6, 1e4),                                                                                         \
     .unit = "m",                                                                                              \
     .default_text = "`world.radius`",                                                                         \
     .doc = "of the largest"},                                                                                 \
        {.name = "radius_spread",                                                                              \
         .kind = FIELD_NUMBER,                                                                                 \
         AT(type, matter.radius_spread),                                                                       \
         RANGE(0, 0.95),                                                                                       \
         .preset = "0",                                                                                        \
         .doc = "radii are drawn evenly from radius x [1 - spread, 1]"},                                       \
        {.name = "seed",                                                                                       \
         .kind = FIELD_COUNT,                                                                                  \
         AT(type, matter.seed),                                                                                \
         RANGE(0, 4294967295.0),                                                                               \
         .preset = "1",                                                                                        \
         .doc = "of everything that is drawn by chance; the same seed gives the same scene"},                  \
        {.name = "material",                                                                                   \
         .kind = FIELD_MATERIAL,                                                                               \
         AT(type, matter.material),                                                                            \
         RANGE(1, 31),                                                                                         \
         .default_text = "a material of defaults",                                                             \
         .doc = "the name of one of `materials`"},                                                             \
        {.name = "group",                                                                                      \
         .kind = FIELD_COUNT,                                                                                  \
         AT(type, matter.group),                                                                               \
         RANGE(0, 1048575),                                                                                    \
         .preset = "0",                                                                                        \
         .doc = "particles of different groups collide"},                                                      \
        {.name = "self_collide",                                                                               \
         .kind = FIELD_BOOL,                                                                                   \
         AT(type, matter.self_collide),                                                                        \
         .preset = "true",                                                                                     \
         .doc = "whether particles of the same group collide"},                                                \
    {                                                                                                          \
        .name = "channels", .kind = FIELD_CHANNELS, AT(type, matter.channels), .preset = "[0,1,2,3,4,5,6]",    \
        .default_text = "all", .doc = "a particle and a shape collide if they share one"                       \
    }

/* What bodies and skeletons have in common. */
#define BODY_FIELDS(type)                                                                                      \
    {.name = "radius",                                                                                         \
     .kind = FIELD_NUMBER,                                                                                     \
     AT(type, matter.radius),                                                                                  \
     RANGE(1e-6, 1e4),                                                                                         \
     .unit = "m",                                                                                              \
     .default_text = "`world.radius`",                                                                         \
     .doc = "of its particles"},                                                                               \
        {.name = "spacing",                                                                                    \
         .kind = FIELD_NUMBER,                                                                                 \
         AT(type, spacing),                                                                                    \
         RANGE(1e-6, 1e4),                                                                                     \
         .unit = "m",                                                                                          \
         .default_text = "2 x radius",                                                                         \
         .doc = "between the centres of its particles"},                                                       \
        {.name = "mass",                                                                                       \
         .kind = FIELD_NUMBER,                                                                                 \
         AT(type, mass),                                                                                       \
         RANGE(1e-9, 1e12),                                                                                    \
         .unit = "kg",                                                                                         \
         .default_text = "from the material's density",                                                        \
         .doc = "of the whole, of each copy"},                                                                 \
        {.name = "material",                                                                                   \
         .kind = FIELD_MATERIAL,                                                                               \
         AT(type, matter.material),                                                                            \
         RANGE(1, 31),                                                                                         \
         .default_text = "a material of defaults",                                                             \
         .doc = "the name of one of `materials`"},                                                             \
        {.name = "group",                                                                                      \
         .kind = FIELD_COUNT,                                                                                  \
         AT(type, matter.group),                                                                               \
         RANGE(0, 1048575),                                                                                    \
         .preset = "0",                                                                                        \
         .doc = "particles of different groups collide"},                                                      \
        {.name = "self_collide",                                                                               \
         .kind = FIELD_BOOL,                                                                                   \
         AT(type, matter.self_collide),                                                                        \
         .preset = "true",                                                                                     \
         .doc = "whether particles of the same group collide; those of one body never do"},                    \
    {                                                                                                          \
        .name = "channels", .kind = FIELD_CHANNELS, AT(type, matter.channels), .preset = "[0,1,2,3,4,5,6]",    \
        .default_text = "all", .doc = "a particle and a shape collide if they share one"                       \
    }
#define REPEAT_FIELD(type)                                                                                     \
    {                                                                                                          \
        .name = "repeat", .kind = FIELD_SECTION, AT(type, repeat), .section = &SCENE_REPEAT,                   \
        .doc = "makes many of it, on a lattice"                                                                \
    }

#define BIT(type) (1u << (type))

#endif
