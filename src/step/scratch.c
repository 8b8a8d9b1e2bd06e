#include "step/scratch.h"

#include "base/point_grid.h"
#include "step/fluid/stir.h"
#include "step/fluid/viscosity.h"
#include "step/kernels.h"
#include "step/neighbors/neighbors.h"
#include "world/check.h"

#include <string.h>

typedef struct array_size {
    mt_array *array;
    size_t element;
} array_size;

#define MAX_ARRAYS 160

/* The one list of the scratch's arrays, used to make and to free them. */
static size_t list_arrays(mt_scratch *s, array_size out[MAX_ARRAYS])
{
    const array_size all[] = {
        {&s->grid.key, sizeof(uint32_t)},
        {&s->grid.cell_start, sizeof(uint32_t)},
        {&s->grid.slot, sizeof(uint32_t)},
        {&s->grid.x, sizeof(float)},
        {&s->grid.y, sizeof(float)},
        {&s->grid.z, sizeof(float)},
        {&s->grid.reach, sizeof(float)},
        {&s->wet, sizeof(mote_vec4)},
        {&s->near_liquid, sizeof(uint8_t)},
        {&s->dense, sizeof(mote_vec4)},
        {&s->pressure, sizeof(float)},
        {&s->has_liquid, sizeof(uint8_t)},
        {&s->asks_lists, sizeof(uint8_t)},
        {&s->excess, sizeof(float)},
        {&s->lift, sizeof(float)},
        {&s->lifted, sizeof(mote_vec4)},
        {&s->now, sizeof(mote_vec4)},
        {&s->lean, sizeof(mote_vec4)},
        {&s->wanted, sizeof(float)},
        {&s->spring, sizeof(float)},
        {&s->guess, sizeof(float)},
        {&s->coarse.cells, sizeof(mt_coarse_cell)},
        {&s->coarse.nodes, sizeof(mt_coarse_node)},
        {&s->coarse.cell_table, sizeof(uint32_t)},
        {&s->coarse.node_table, sizeof(uint32_t)},
        {&s->coarse.cell_of, sizeof(uint32_t)},
        {&s->coarse.slots, sizeof(uint32_t)},
        {&s->shift, sizeof(mote_vec4)},
        {&s->stir_place, sizeof(mote_vec4)},
        {&s->stir_direction, sizeof(mote_vec4)},
        {&s->stir_residual, sizeof(mote_vec4)},
        {&s->stir_image, sizeof(mote_vec4)},
        {&s->stir_change, sizeof(mote_vec4)},
        {&s->stir_touched, sizeof(uint8_t)},
        {&s->stir_drags, sizeof(mt_body_drag)},
        {&s->stir_hold, sizeof(mote_vec4)},
        {&s->stir_grain, sizeof(float)},
        {&s->stir_ease[0], sizeof(mote_vec4)},
        {&s->stir_ease[1], sizeof(mote_vec4)},
        {&s->grid.family, sizeof(uint32_t)},
        {&s->grid.own_reach, sizeof(float)},
        {&s->late.left, sizeof(uint8_t)},
        {&s->late.slots, sizeof(uint32_t)},
        {&s->late.found, sizeof(uint32_t)},
        {&s->late.length, sizeof(uint32_t)},
        {&s->clusters.x, sizeof(float)},
        {&s->clusters.y, sizeof(float)},
        {&s->clusters.z, sizeof(float)},
        {&s->clusters.reach, sizeof(float)},
        {&s->clusters.made, sizeof(mt_cluster)},
        {&s->clusters.number, sizeof(uint8_t)},
        {&s->clusters.alive, sizeof(uint8_t)},
        {&s->clusters.kin_start, sizeof(uint32_t)},
        {&s->clusters.order, sizeof(uint32_t)},
        {&s->clusters.packs, sizeof(mt_pack)},
        {&s->clusters.boxes, sizeof(mt_pack_box)},
        {&s->clusters.where, sizeof(mote_vec4)},
        {&s->clusters.lists, sizeof(mt_pack_list)},
        {&s->clusters.table, sizeof(float)},
        {&s->clusters.grid.key, sizeof(uint32_t)},
        {&s->clusters.grid.cell_start, sizeof(uint32_t)},
        {&s->clusters.grid.own_reach, sizeof(float)},
        {&s->loose_slot, sizeof(uint32_t)},
        {&s->loose_where, sizeof(mote_vec4)},
        {&s->loose_velocity, sizeof(mote_vec4)},
        {&s->ahead, sizeof(mote_vec4)},
        {&s->moved_ahead, sizeof(mote_vec4)},
        {&s->drifts, sizeof(mote_vec4)},
        {&s->drift_cells, sizeof(uint32_t)},
        {&s->flow.nodes, sizeof(mote_vec4)},
        {&s->flow.middle, sizeof(mote_vec4)},
        {&s->flow.drift, sizeof(mote_vec4)},
        {&s->flow.moved_drift, sizeof(mote_vec4)},
        {&s->order, sizeof(uint32_t)},
        {&s->moved_to, sizeof(uint32_t)},
        {&s->lists.rows, sizeof(uint32_t[8])},
        {&s->lists.contact, sizeof(uint32_t[8])},
        {&s->lists.rubbed[0], sizeof(float[8])},
        {&s->lists.rubbed[1], sizeof(float[8])},
        {&s->lists.rubbed[2], sizeof(float[8])},
        {&s->lists.rubbed[3], sizeof(float[8])},
        {&s->lists.start, sizeof(uint32_t)},
        {&s->lists.length, sizeof(uint32_t)},
        {&s->lists.lane_scratch, sizeof(uint32_t)},
        {&s->lists.built_at, sizeof(mote_vec4)},
        {&s->position[0], sizeof(mote_vec4)},
        {&s->position[1], sizeof(mote_vec4)},
        {&s->predicted[0], sizeof(mote_vec4)},
        {&s->predicted[1], sizeof(mote_vec4)},
        {&s->transport, sizeof(mote_vec4)},
        {&s->settled, sizeof(mote_vec4)},
        {&s->surface, sizeof(mote_vec4)},
        {&s->watch, sizeof(mote_vec4)},
        {&s->cubes, sizeof(mote_vec4)},
        {&s->shape_cache, sizeof(mt_shape_cache)},
        {&s->candidates, sizeof(uint32_t)},
        {&s->around, sizeof(uint32_t)},
        {&s->flying, sizeof(uint8_t)},
        {&s->pick_pulls, sizeof(mote_vec3[2])},
        {&s->moved_transport, sizeof(mote_vec4)},
        {&s->moved_predicted, sizeof(mote_vec4)},
        {&s->shape_rows, sizeof(mt_shape_row)},
        {&s->shape_start, sizeof(uint32_t)},
        {&s->shape_length, sizeof(uint32_t)},
        {&s->block_bad, sizeof(uint32_t)},
        {&s->block_bounds, MT_BLOCK_RECORD},
        {&s->rest_time, sizeof(float)},
        {&s->struck, sizeof(uint8_t)},
        {&s->killed, sizeof(uint32_t)},
        {&s->report.lanes, sizeof(uint8_t)},
        {&s->report.row_sums, sizeof(uint32_t)},
        {&s->report.sums, sizeof(mt_contact_sum)},
        {&s->report.gave, sizeof(uint8_t)},
        {&s->report.shape_sums[0], sizeof(mt_shape_sum)},
        {&s->report.shape_sums[1], sizeof(mt_shape_sum)},
        {&s->report.shape_first[0], sizeof(uint32_t)},
        {&s->report.shape_first[1], sizeof(uint32_t)},
        {&s->found.contacts, sizeof(mote_contact)},
        {&s->found.contact_start, sizeof(uint32_t)},
        {&s->found.visits, sizeof(mt_touch)},
        {&s->found.visit_start, sizeof(uint32_t)},
        {&s->found.around, sizeof(uint32_t)},
        {&s->found.fates, sizeof(uint8_t)},
        {&s->found.begins, sizeof(uint8_t)},
        {&s->found.blocks, sizeof(mt_touch_block)},
        {&s->event_scratch, sizeof(mote_event)},
        {&s->shape_push, sizeof(double[3])},
        {&s->truces.pairs, sizeof(uint32_t[2])},
        {&s->truces.start, sizeof(uint32_t)},
        {&s->truces.others, sizeof(uint32_t)},
        {&s->truces.kinds, sizeof(uint8_t)},
        {&s->truces.entries, sizeof(mt_grid_entry)},
        {&s->truces.spare, sizeof(mt_grid_entry)},
    };
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof all[0];
}

mote_result mt_scratch_create(mote_world *world)
{
    mt_scratch *s = mt_allocate(&world->memory, sizeof *s);
    if (s == NULL)
        return MOTE_ERROR_MEMORY;
    memset(s, 0, sizeof *s);
    array_size arrays[MAX_ARRAYS];
    size_t count = list_arrays(s, arrays);
    for (size_t i = 0; i < count; i++)
        mt_array_init(arrays[i].array, arrays[i].element);
    mt_body_plan_init(&s->bodies);
    mt_impulses_init(&s->impulses);
    mt_constraint_work_init(&s->constraints);
    world->scratch = s;
    world->kernels = mt_kernels_of(world->simd);
    return MOTE_OK;
}

void mt_scratch_destroy(mote_world *world)
{
    mt_scratch *s = world->scratch;
    if (s == NULL)
        return;
    array_size arrays[MAX_ARRAYS];
    size_t count = list_arrays(s, arrays);
    for (size_t i = 0; i < count; i++)
        mt_array_free(arrays[i].array, &world->memory);
    mt_body_plan_free(&s->bodies, &world->memory);
    mt_impulses_free(&s->impulses, &world->memory);
    mt_constraint_work_free(&s->constraints, &world->memory);
    mt_release(&world->memory, s, sizeof *s);
    world->scratch = NULL;
}

/* What only bodies need. */
static mote_result reserve_for_bodies(mote_world *world, size_t slots)
{
    mt_scratch *s = world->scratch;
    return mt_array_reserve(&s->flying, &world->memory, slots / MT_SLICE, 0);
}

mote_result mt_scratch_reserve(mote_world *world)
{
    mt_scratch *s = world->scratch;
    size_t slots = ((size_t)mt_slice_count(world->particles.count) + 1) * MT_SLICE;
    size_t slices = slots / MT_SLICE;
    size_t blocks = mt_block_count((uint32_t)slices) + 1;
    mt_array *const per_slot[] = {
        &s->grid.own_reach, &s->grid.key,        &s->grid.slot,       &s->grid.x,      &s->grid.y,
        &s->grid.z,         &s->grid.reach,      &s->position[0],     &s->position[1], &s->predicted[0],
        &s->predicted[1],   &s->transport,       &s->settled,         &s->surface,     &s->rest_time,
        &s->lists.built_at, &s->moved_transport, &s->moved_predicted, &s->watch,       &s->cubes,
        &s->grid.family,    &s->order,           &s->moved_to,
    };
    mt_array *const per_slice[] = {&s->lists.start, &s->lists.length, &s->shape_start, &s->shape_length,
                                   &s->shape_cache};
    mt_array *const per_block[] = {&s->block_bad, &s->block_bounds};
    for (size_t i = 0; i < sizeof per_slot / sizeof per_slot[0]; i++)
        MT_TRY(mt_array_reserve(per_slot[i], &world->memory, slots + MT_RANK_PADDING, 0));
    for (size_t i = 0; i < sizeof per_slice / sizeof per_slice[0]; i++)
        MT_TRY(mt_array_reserve(per_slice[i], &world->memory, slices, 0));
    for (size_t i = 0; i < sizeof per_block / sizeof per_block[0]; i++)
        MT_TRY(mt_array_reserve(per_block[i], &world->memory, blocks, 0));
    if (mt_any_fluid(world))
        for (int k = 0; k < 3; k++)
            MT_TRY(mt_array_reserve(k == 0   ? &s->near_liquid
                                    : k == 1 ? &s->has_liquid
                                             : &s->asks_lists,
                                    &world->memory, slots / MT_SLICE, 0));
    mt_array *const per_wet_slot[] = {&s->wet,    &s->dense, &s->pressure, &s->excess, &s->shift,  &s->lift,
                                      &s->lifted, &s->now,   &s->lean,     &s->wanted, &s->spring, &s->guess};
    for (size_t i = 0; mt_any_fluid(world) && i < sizeof per_wet_slot / sizeof per_wet_slot[0]; i++)
        MT_TRY(mt_array_reserve(per_wet_slot[i], &world->memory, slots + MT_RANK_PADDING, 0));
    MT_TRY(mt_late_reserve(world));
    MT_TRY(mt_viscosity_reserve(world, slots + MT_RANK_PADDING));
    if (world->bodies.count > 0)
        MT_TRY(reserve_for_bodies(world, slots));
    MT_TRY(mt_array_reserve(&s->shape_push, &world->memory, world->shapes.count, 0));
    MT_TRY(mt_array_reserve(&s->around, &world->memory, world->shapes.count, 0));
    return mt_array_reserve(&s->shape_rows, &world->memory, slices / 4 + 64, 0);
}
