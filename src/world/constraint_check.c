/* Whether a constraint can be made as it is defined. */
#include "base/error.h"
#include "world/bodies.h"
#include "world/check.h"
#include "world/constraints.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

#define NAME_SIZE 96

typedef struct check {
    const mote_world *world;
    const mote_constraint_def *def;
    const mote_kind_info *info;
    size_t number; /* which of many */
} check;

/* "constraint.ends[1]", or of many "constraints[17].ends[1]". */
static void name_field(const check *c, char name[NAME_SIZE], const char *field, int place)
{
    char which[32] = "", at[16] = "";
    if (c->number != MT_ONE)
        snprintf(which, sizeof which, "s[%zu]", c->number);
    if (place >= 0)
        snprintf(at, sizeof at, "[%d]", place);
    snprintf(name, NAME_SIZE, "constraint%s.%s%s", which, field, at);
}

/* Names are made when there is something to say. */
static mote_result check_handle(const check *c, uint32_t k, const char *what, const mt_handles *handles,
                                uint32_t index, uint32_t generation)
{
    char name[NAME_SIZE], whole[2 * NAME_SIZE];
    if (mt_handles_find(handles, index, generation) != MT_NO_SLOT)
        return MOTE_OK;
    name_field(c, name, "ends", (int)k);
    snprintf(whole, sizeof whole, "%s.%s", name, what);
    return mt_handle_refused(handles, whole, index, generation);
}

static mote_result check_point(const check *c, uint32_t k, mote_vec3 point)
{
    char name[NAME_SIZE];
    if (fabsf(point.x) <= MT_MAX_COORDINATE && fabsf(point.y) <= MT_MAX_COORDINATE &&
        fabsf(point.z) <= MT_MAX_COORDINATE)
        return MOTE_OK;
    name_field(c, name, "ends", (int)k);
    strcat(name, ".point");
    return mt_check_vec3(name, point, MT_MAX_COORDINATE);
}

static mote_result check_end(const check *c, uint32_t k)
{
    const mote_constraint_end *end = &c->def->ends[k];
    char name[NAME_SIZE];
    switch (end->type) {
    case MOTE_END_PARTICLE:
        return check_handle(c, k, "particle", &c->world->particles.handles, end->particle.index,
                            end->particle.generation);
    case MOTE_END_SHAPE:
        MT_TRY(check_handle(c, k, "shape", &c->world->shapes.handles, end->shape.index, end->shape.generation));
        return check_point(c, k, end->point);
    case MOTE_END_BODY:
        MT_TRY(check_handle(c, k, "body", &c->world->bodies.handles, end->body.index, end->body.generation));
        return check_point(c, k, end->point);
    case MOTE_END_WORLD:
        return check_point(c, k, end->point);
    default:
        name_field(c, name, "ends", (int)k);
        return mt_fail(MOTE_ERROR_ARGUMENT, "%s.type is %d, which is no type of end", name, (int)end->type);
    }
}

static bool is_at(const mote_constraint_end *end, const mote_constraint_end *other)
{
    return end->type == MOTE_END_PARTICLE && other->type == MOTE_END_PARTICLE &&
           end->particle.index == other->particle.index;
}

/* Something has to move, and no particle is there twice. */
static mote_result check_ends(const check *c)
{
    char name[NAME_SIZE];
    bool moves = false;
    for (uint32_t k = 0; k < c->info->ends; k++) {
        const mote_constraint_end *end = &c->def->ends[k];
        MT_TRY(check_end(c, k));
        moves = moves || end->type == MOTE_END_PARTICLE || end->type == MOTE_END_BODY;
        for (uint32_t other = 0; other < k; other++)
            if (is_at(end, &c->def->ends[other])) {
                name_field(c, name, "ends", (int)k);
                return mt_fail(MOTE_ERROR_ARGUMENT, "%s is particle %u, which is an end already", name,
                               end->particle.index);
            }
    }
    if (moves)
        return MOTE_OK;
    name_field(c, name, "ends", -1);
    return mt_fail(MOTE_ERROR_ARGUMENT, "%s: none is at a particle or a body", name);
}

static mote_result check_values(const check *c)
{
    char name[NAME_SIZE];
    for (uint32_t k = 0; k < c->info->parameter_count; k++) {
        const mote_parameter_info *p = &c->info->parameters[k];
        float value = c->def->values[k];
        if (p->usual == MOTE_AS_MADE && value == MOTE_AS_MADE)
            continue; /* it will be measured */
        if (value >= p->least && value <= p->most)
            continue;
        name_field(c, name, p->name, -1);
        MT_TRY(mt_check_range(name, value, p->least, p->most));
    }
    return MOTE_OK;
}

mote_result mt_constraint_check(const mote_world *world, const mote_constraint_def *def, size_t number)
{
    check c = {world, def, mote_constraint_kind_info(def->kind), number};
    char name[NAME_SIZE];
    if (c.info == NULL) {
        name_field(&c, name, "kind", -1);
        return mt_fail(MOTE_ERROR_ARGUMENT, "%s is %d, which is no kind", name, (int)def->kind);
    }
    MT_TRY(check_ends(&c));
    return check_values(&c);
}

bool mt_constraint_fits(const mt_constraint *c)
{
    const mote_kind_info *info = mote_constraint_kind_info((mote_constraint_kind)c->kind);
    if (info == NULL || c->color > MT_NOT_COLORED || c->apart > 1)
        return false;
    for (uint32_t k = 0; k < MT_MOST_ENDS; k++)
        if (c->ends[k].type >= MOTE_END_TYPE_COUNT || !mt_is_finite3(c->ends[k].point))
            return false;
    for (uint32_t k = 0; k < info->parameter_count; k++)
        if (!(c->values[k] >= info->parameters[k].least && c->values[k] <= info->parameters[k].most))
            return false;
    return true;
}
