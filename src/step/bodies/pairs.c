#include "step/bodies/pairs.h"

#include "base/error.h"
#include "step/scratch.h"
#include "world/check.h"

#include <string.h>

void mt_body_pairs_init(mt_body_pairs *pairs)
{
    mt_array_init(&pairs->blocks, sizeof(mt_pair_block));
    mt_array_init(&pairs->own, sizeof(uint32_t));
    mt_array_init(&pairs->other, sizeof(uint32_t));
    mt_array_init(&pairs->to, sizeof(uint32_t));
    mt_array_init(&pairs->reach, sizeof(float));
    mt_array_init(&pairs->start_reach, sizeof(float));
    mt_array_init(&pairs->planes, sizeof(mt_shape_row));
    mt_array_init(&pairs->names, sizeof(mt_plane_names));
    mt_array_init(&pairs->told, sizeof(mt_told));
    mt_array_init(&pairs->centre, sizeof(mote_vec4));
}

void mt_body_pairs_free(mt_body_pairs *pairs, mt_memory *memory)
{
    mt_array *const all[] = {&pairs->blocks, &pairs->own,   &pairs->other,       &pairs->to,   &pairs->planes,
                             &pairs->names,  &pairs->reach, &pairs->start_reach, &pairs->told, &pairs->centre};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        mt_array_free(all[i], memory);
}

mote_result mt_body_pairs_reserve(mote_world *world)
{
    mt_scratch *s = world->scratch;
    mt_body_pairs *p = &s->pairs;
    size_t blocks = s->bodies.assembly_count / MT_BODY_BLOCK + 1;
    /* A row has no more than eight; the last eight of a block are filled up, and written eight at a time. */
    size_t contacts = ((size_t)s->lists.rows_used + 2 * blocks) * MT_SLICE;
    size_t planes = (size_t)atomic_load(&s->shape_rows_used) + blocks;
    size_t told = (size_t)s->bodies.body_count + s->bodies.place_count + MT_NOBODY_STRIDE * (blocks + 1);
    MT_TRY(mt_array_reserve(&p->blocks, &world->memory, blocks, 0));
    MT_TRY(mt_array_reserve(&p->own, &world->memory, contacts, 0));
    MT_TRY(mt_array_reserve(&p->other, &world->memory, contacts, 0));
    MT_TRY(mt_array_reserve(&p->to, &world->memory, contacts, 0));
    MT_TRY(mt_array_reserve(&p->reach, &world->memory, contacts, 0));
    MT_TRY(mt_array_reserve(&p->start_reach, &world->memory, contacts, 0));
    MT_TRY(mt_array_reserve(&p->planes, &world->memory, planes, 0));
    MT_TRY(mt_array_reserve(&p->names, &world->memory, planes, 0));
    mt_array *const per_told[] = {&p->told, &p->centre};
    for (size_t i = 0; i < sizeof per_told / sizeof per_told[0]; i++) {
        MT_TRY(mt_array_reserve(per_told[i], &world->memory, told, 0));
        if (told != p->told_count) /* else each was told, heard and forgot in every pass */
            memset(per_told[i]->data, 0, told * per_told[i]->element);
    }
    p->told_count = told;
    atomic_store(&p->used, 0);
    atomic_store(&p->planes_used, 0);
    return MOTE_OK;
}
