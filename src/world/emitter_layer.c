/* The layer of particles that an emitter lets out at a time.
 *
 * Across the opening particles stand on a square lattice that is as wide as it must be for their squares to
 * fill the opening's area; the next layer follows when each particle's share, spacing * width^2, is
 * 8 radius^3. So both the density and the flow are right, whatever whole number of particles a layer has. */
#include "world/emitter_layer.h"

#include "base/vec.h"

#define PI 3.14159265f

static mote_vec3 unit(mote_vec3 v)
{
    return mt_scale(v, 1.0f / mt_length(v));
}

/* Across the direction: along the side that was given, or any. */
static void find_sides(const mote_emitter_def *def, mt_emitter_layer *layer)
{
    mote_vec3 n = layer->direction, wanted = def->side;
    if (def->form == MOTE_EMITTER_DISC)
        wanted = fabsf(n.x) < 0.6f ? (mote_vec3){1, 0, 0} : (mote_vec3){0, 1, 0};
    layer->first_side = unit(mt_sub(wanted, mt_scale(n, mt_dot(wanted, n))));
    layer->second_side = mt_cross(n, layer->first_side);
}

/* Points of the lattice within `reach`, in half widths of the lattice, with a point in the middle (0) or a gap
 * (1). */
static uint32_t count_disc(float reach, int32_t gap)
{
    uint32_t count = 0;
    int32_t most = (int32_t)reach / 2 + 1;
    for (int32_t j = -most - 1; j <= most; j++)
        for (int32_t i = -most - 1; i <= most; i++) {
            float x = (float)(2 * i + gap), y = (float)(2 * j + gap);
            count += x * x + y * y <= reach * reach;
        }
    return count;
}

static void fill_disc(const mote_emitter_def *def, float radius, mt_emitter_layer *layer)
{
    float area = PI * def->radius * def->radius, ideal = area / (4.0f * radius * radius);
    layer->reach = def->radius / radius;
    uint32_t counts[2] = {count_disc(layer->reach, 0), count_disc(layer->reach, 1)};
    layer->gap = counts[1] > 0 && fabsf((float)counts[1] - ideal) < fabsf((float)counts[0] - ideal);
    layer->count = counts[layer->gap];
    layer->rows = (uint32_t)layer->reach / 2 + 1;
    layer->width = layer->height = sqrtf(area / (float)layer->count);
}

/* As many as come nearest to the rest spacing; one at least. */
static uint32_t count_along(float length, float radius)
{
    float count = floorf(length / (2.0f * radius) + 0.5f);
    return count < 1.0f ? 1u : (uint32_t)count;
}

mt_emitter_layer mt_emitter_layer_make(const mote_emitter_def *def, float radius)
{
    mt_emitter_layer layer = {.form = def->form, .middle = def->position, .direction = unit(def->direction)};
    find_sides(def, &layer);
    if (def->form == MOTE_EMITTER_DISC) {
        fill_disc(def, radius, &layer);
    } else {
        layer.columns = count_along(def->width, radius);
        layer.rows = count_along(def->height, radius);
        layer.count = layer.columns * layer.rows;
        layer.width = def->width / (float)layer.columns;
        layer.height = def->height / (float)layer.rows;
    }
    layer.spacing = 8.0f * radius * radius * radius / (layer.width * layer.height);
    return layer;
}

static mote_vec3 place_at(const mt_emitter_layer *layer, float across, float up)
{
    return mt_add(layer->middle, mt_add(mt_scale(layer->first_side, across * layer->width),
                                        mt_scale(layer->second_side, up * layer->height)));
}

bool mt_emitter_layer_next(const mt_emitter_layer *layer, mt_emitter_cursor *c, mote_vec3 *place)
{
    if (layer->form == MOTE_EMITTER_RECTANGLE) {
        if (c->number >= layer->count)
            return false;
        uint32_t i = c->number % layer->columns, j = c->number / layer->columns;
        c->number++;
        *place = place_at(layer, (float)i - 0.5f * (float)(layer->columns - 1),
                          (float)j - 0.5f * (float)(layer->rows - 1));
        return true;
    }
    uint32_t side = 2 * layer->rows + 2;
    for (; c->number < side * side; c->number++) {
        int32_t i = (int32_t)(c->number % side) - (int32_t)layer->rows - 1;
        int32_t j = (int32_t)(c->number / side) - (int32_t)layer->rows - 1;
        float x = (float)(2 * i + (int32_t)layer->gap), y = (float)(2 * j + (int32_t)layer->gap);
        if (x * x + y * y > layer->reach * layer->reach)
            continue;
        c->number++;
        *place = place_at(layer, 0.5f * x, 0.5f * y);
        return true;
    }
    return false;
}
