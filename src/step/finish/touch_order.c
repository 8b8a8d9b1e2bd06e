#include "step/finish/touch_order.h"

#include "base/sort.h"

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

int mt_touch_compare(const mt_touch *a, const mt_touch *b)
{
    int order = compare_numbers(a->kind, b->kind);
    if (order == 0)
        order = compare_numbers(a->particle.index, b->particle.index);
    if (order == 0)
        order = compare_numbers(a->particle.generation, b->particle.generation);
    if (order == 0)
        order = compare_numbers(a->other_index, b->other_index);
    return order != 0 ? order : compare_numbers(a->other_generation, b->other_generation);
}

static int compare_events(const void *left, const void *right)
{
    const mote_event *a = left, *b = right;
    int order = compare_numbers((uint32_t)a->type, (uint32_t)b->type);
    if (order == 0)
        order = compare_numbers(a->a.index, b->a.index);
    if (order == 0)
        order = compare_numbers(a->b.index, b->b.index);
    if (order == 0)
        order = compare_numbers(a->shape.index, b->shape.index);
    return order != 0 ? order : compare_numbers(a->volume.index, b->volume.index);
}

static int compare_touches(const void *left, const void *right)
{
    return mt_touch_compare(left, right);
}

void mt_touches_sort(mt_touch *items, mt_touch *spare, size_t count)
{
    mt_merge_sort(items, spare, count, sizeof *items, compare_touches);
}

static bool are_sorted(const mote_event *items, size_t count)
{
    bool sorted = true;
    for (size_t k = 1; sorted && k < count; k++)
        sorted = compare_events(&items[k - 1], &items[k]) <= 0;
    return sorted;
}

void mt_events_sort(mote_event *items, mote_event *spare, size_t count)
{
    if (are_sorted(items, count))
        return;
    mt_merge_sort(items, spare, count, sizeof *items, compare_events);
}
