/* What a point meets at a mesh: planes near it, and the first triangle on a way. */
#include "collide/mesh.h"

static mt_triangle surface_triangle(const void *self, uint32_t number)
{
    return mt_mesh_triangle(self, number);
}

static const uint32_t *surface_fan(const void *self, uint32_t vertex, uint32_t room[MT_FAN_ROOM],
                                   uint32_t *count)
{
    (void)room;
    return mt_mesh_fan(self, vertex, count);
}

uint32_t mt_mesh_near(const mt_mesh *mesh, mote_vec3 x, float within, mt_near out[MT_MAX_NEAR])
{
    const mt_surface surface = {mesh, surface_triangle, surface_fan};
    mt_near_list list;
    mt_near_begin(&list, &surface, x, within, MT_NEAR_BOTH);
    mt_tree_walk walk = mt_tree_begin(&mesh->tree, list.reach);
    float rounding = 1e-6f * (fabsf(x.x) + fabsf(x.y) + fabsf(x.z));
    for (uint32_t number; mt_tree_next(&walk, &number);) {
        const mt_slab *slab = &((const mt_slab *)mesh->slabs.data)[number];
        if (fabsf(mt_dot(slab->normal, x) - slab->offset) > within + slab->half + rounding)
            continue; /* most of those in the leaves of the tree */
        mt_triangle triangle = mt_mesh_triangle(mesh, number);
        mt_near_take(&list, number, &triangle);
    }
    return mt_near_end(&list, out);
}

bool mt_mesh_reaches(const mt_mesh *mesh, const mt_box *box)
{
    mt_tree_walk walk = mt_tree_begin(&mesh->tree, *box);
    for (uint32_t number; mt_tree_next(&walk, &number);) {
        mt_triangle t = mt_mesh_triangle(mesh, number);
        mt_box own = mt_box_with(mt_box_with((mt_box){t.at[0], t.at[0]}, t.at[1]), t.at[2]);
        if (mt_box_overlap(&own, box))
            return true;
    }
    return false;
}

/* A way through the tree. */
typedef struct passage {
    const mt_mesh *mesh;
    mt_way way;
    mt_box box;        /* of the way */
    mt_real3 inverse;  /* of the step; 0 where the way stands still */
    double part;       /* of the first crossing so far; above 1: none */
    uint32_t triangle; /* that is crossed there */
    bool from_front;
} passage;

static double inverse_of(double step)
{
    return step == 0 ? 0 : 1 / step;
}

/* Cuts the parts [*first, *last] of the way to those between two planes across an axis. */
static void cut(double from, double inverse, float low, float high, double *first, double *last)
{
    if (inverse == 0)
        return; /* along the planes; the boxes have been compared */
    double a = ((double)low - from) * inverse, b = ((double)high - from) * inverse;
    *first = mt_real_most(*first, mt_real_least(a, b));
    *last = mt_real_least(*last, mt_real_most(a, b));
}

/* Where the way enters a box; above 1 if it does not. Parts are right to 1e-15, and the box is entered if they
 * say so to 1e-12: what touches it is never missed. */
static double enter(const passage *p, const mt_box *box)
{
    if (!mt_box_overlap(&p->box, box))
        return 2;
    double first = 0, last = 1;
    cut((double)p->way.from.x, p->inverse.x, box->min.x, box->max.x, &first, &last);
    cut((double)p->way.from.y, p->inverse.y, box->min.y, box->max.y, &first, &last);
    cut((double)p->way.from.z, p->inverse.z, box->min.z, box->max.z, &first, &last);
    return first <= last + 1e-12 ? mt_real_least(first, 1) : 2;
}

static void pass_leaf(passage *p, const mt_tree_node *leaf)
{
    const uint32_t *items = p->mesh->tree.items.data;
    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
        mt_triangle triangle = mt_mesh_triangle(p->mesh, items[i]);
        double part;
        bool from_front;
        if (!mt_triangle_crossed(&triangle, &p->way, &part, &from_front))
            continue;
        if (part > p->part || (part == p->part && items[i] > p->triangle))
            continue;
        p->part = part;
        p->triangle = items[i];
        p->from_front = from_front;
    }
}

/* The child that the way enters first is looked into first, so that its crossing spares the other. */
static void pass_tree(passage *p)
{
    const mt_tree_node *nodes = p->mesh->tree.nodes.data;
    struct {
        uint32_t node;
        double part; /* where the way enters it */
    } stack[MT_TREE_DEPTH];
    uint32_t waiting = 0;
    stack[waiting].node = 0;
    stack[waiting++].part = enter(p, &nodes[0].box);
    while (waiting > 0) {
        waiting--;
        if (stack[waiting].part > mt_real_least(p->part, 1))
            continue;
        const mt_tree_node *node = &nodes[stack[waiting].node];
        if (node->count > 0) {
            pass_leaf(p, node);
            continue;
        }
        double part[2] = {enter(p, &nodes[node->first].box), enter(p, &nodes[node->first + 1].box)};
        uint32_t later = part[0] <= part[1] ? 1 : 0;
        stack[waiting].node = node->first + later;
        stack[waiting++].part = part[later];
        stack[waiting].node = node->first + 1 - later;
        stack[waiting++].part = part[1 - later];
    }
}

bool mt_mesh_cross(const mt_mesh *mesh, mote_vec3 from, mote_vec3 to, mt_crossing *crossing)
{
    passage p = {.mesh = mesh, .way = mt_way_make(from, to), .part = 2};
    p.box = mt_box_with((mt_box){from, from}, to);
    p.inverse = (mt_real3){inverse_of(p.way.step.x), inverse_of(p.way.step.y), inverse_of(p.way.step.z)};
    pass_tree(&p);
    if (p.part > 1)
        return false;
    mt_triangle triangle = mt_mesh_triangle(mesh, p.triangle);
    *crossing = (mt_crossing){(float)p.part, mt_triangle_plane(&triangle, !p.from_front).normal};
    return true;
}
