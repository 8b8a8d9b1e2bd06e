#include "step/predict/fields.h"

#include "base/vec.h"

#define MIN_LENGTH 1e-12f

/* 1 at the centre, 0 at the radius and beyond. */
static float fade(const mote_field_def *field, mote_vec3 offset)
{
    if (field->radius == 0)
        return 1.0f;
    float part = 1.0f - mt_length(offset) / field->radius;
    return part > 0 ? part : 0.0f;
}

static mote_vec3 towards(mote_vec3 direction, float strength)
{
    float length = mt_length(direction);
    return length > MIN_LENGTH ? mt_scale(direction, strength / length) : (mote_vec3){0.0f, 0.0f, 0.0f};
}

/* Drawn towards a velocity at a rate; solved backwards in time, so that no rate is too stiff. */
static mote_vec3 drawn(mote_vec3 v, mote_vec3 target, float rate_time)
{
    return mt_scale(mt_add(v, mt_scale(target, rate_time)), 1.0f / (1.0f + rate_time));
}

static mote_vec3 field_kick(const mote_field_def *field, mote_vec3 x, mote_vec3 v, float time)
{
    mote_vec3 offset = mt_sub(x, field->center);
    float strength = field->strength * fade(field, offset);
    switch (field->type) {
    case MOTE_FIELD_ACCELERATION:
        return mt_add(v, mt_scale(field->direction, strength * time));
    case MOTE_FIELD_WIND:
        return drawn(v, field->direction, strength * time);
    case MOTE_FIELD_POINT:
        return mt_sub(v, towards(offset, strength * time));
    case MOTE_FIELD_VORTEX:
        return mt_add(v, towards(mt_cross(field->direction, offset), strength * time));
    case MOTE_FIELD_DRAG:
        return drawn(v, (mote_vec3){0.0f, 0.0f, 0.0f}, strength * time);
    default:
        return v;
    }
}

static mote_vec3 kick_by(const mote_world *world, bool rates, mote_vec3 x, mote_vec3 v, uint32_t phase,
                         float time)
{
    for (uint32_t i = 0; i < world->fields.count; i++) {
        const mote_field_def *field = &mt_fields(world)[i].def;
        bool applies = field->group == MOTE_FIELD_ALL_GROUPS || field->group == (phase & MOTE_PHASE_GROUP_MASK);
        if (applies && ((mote_field_traits(field->type) & MOTE_FIELD_IS_RATE) != 0) == rates)
            v = field_kick(field, x, v, time);
    }
    return v;
}

mote_vec3 mt_kick(const mote_world *world, mote_vec3 x, mote_vec3 v, uint32_t phase, float time)
{
    v = mt_add(v, mt_scale(world->settings.gravity, time));
    v = kick_by(world, false, x, v, phase, time);
    v = kick_by(world, true, x, v, phase, time);
    return mt_scale(v, 1.0f / (1.0f + world->settings.damping * time));
}
