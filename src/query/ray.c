#include "query/ray.h"

static double inverse_of(double x)
{
    return x == 0 ? 0 : 1 / x;
}

mt_ray mt_ray_make(mt_real3 from, mt_real3 direction, double length)
{
    mt_real3 unit = mt_real_scale(direction, 1 / sqrt(mt_real_dot(direction, direction)));
    return (mt_ray){from, unit, {inverse_of(unit.x), inverse_of(unit.y), inverse_of(unit.z)}, length};
}

/* Cuts [*first, *last] to what lies between two planes across an axis. */
static void cut(double from, double inverse, float low, float high, double *first, double *last)
{
    if (inverse == 0) { /* along the planes: all of it or nothing */
        if (from < (double)low || from > (double)high)
            *last = -1;
        return;
    }
    double a = ((double)low - from) * inverse, b = ((double)high - from) * inverse;
    *first = mt_real_most(*first, mt_real_least(a, b));
    *last = mt_real_least(*last, mt_real_most(a, b));
}

bool mt_ray_in_box(const mt_ray *ray, const mt_box *box, double *first, double *last)
{
    *first = 0;
    *last = ray->length;
    cut(ray->from.x, ray->inverse.x, box->min.x, box->max.x, first, last);
    cut(ray->from.y, ray->inverse.y, box->min.y, box->max.y, first, last);
    cut(ray->from.z, ray->inverse.z, box->min.z, box->max.z, first, last);
    /* Rounding must not make a flat box one that is left before it is entered. */
    return *first <= *last + 1e-14 * *first;
}

/* Where the ray enters a box; endless if it does not. */
static double entry(const mt_ray *ray, const mt_box *box)
{
    double first, last;
    return mt_ray_in_box(ray, box, &first, &last) ? first : (double)INFINITY;
}

/* The child that the ray enters first is looked into first, so that what is met there spares the other. */
void mt_ray_walk(const mt_ray *ray, const mt_tree *tree, mt_ray_visit *visit, void *context,
                 const double *nearest)
{
    const mt_tree_node *nodes = tree->nodes.data;
    const uint32_t *items = tree->items.data;
    struct {
        uint32_t node;
        double entry;
    } stack[MT_TREE_DEPTH];
    uint32_t waiting = 0;
    if (tree->node_count > 0) {
        stack[waiting].node = 0;
        stack[waiting++].entry = entry(ray, &nodes[0].box);
    }
    while (waiting > 0) {
        waiting--;
        if (stack[waiting].entry > *nearest)
            continue;
        const mt_tree_node *node = &nodes[stack[waiting].node];
        for (uint32_t i = 0; i < node->count; i++)
            visit(context, items[node->first + i]);
        if (node->count > 0)
            continue;
        double to[2] = {entry(ray, &nodes[node->first].box), entry(ray, &nodes[node->first + 1].box)};
        uint32_t later = to[0] <= to[1] ? 1 : 0;
        stack[waiting].node = node->first + later;
        stack[waiting++].entry = to[later];
        stack[waiting].node = node->first + 1 - later;
        stack[waiting++].entry = to[1 - later];
    }
}
