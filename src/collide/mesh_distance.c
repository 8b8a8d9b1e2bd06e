/* How far a mesh is, and on which side of a closed one a point lies. */
#include "collide/mesh.h"

/* The nearest triangle so far. */
typedef struct nearest {
    mt_closest closest;
    uint32_t triangle;
} nearest;

static double beyond(float low, float high, float x)
{
    return x < low ? (double)low - (double)x : x > high ? (double)x - (double)high : 0;
}

/* Not more than the squared distance to anything in the box. */
static double square_to_box(const mt_box *box, mote_vec3 x)
{
    mt_real3 way = {beyond(box->min.x, box->max.x, x.x), beyond(box->min.y, box->max.y, x.y),
                    beyond(box->min.z, box->max.z, x.z)};
    return mt_real_dot(way, way);
}

static void look_at_leaf(const mt_mesh *mesh, const mt_tree_node *leaf, mote_vec3 x, nearest *best)
{
    const uint32_t *items = mesh->tree.items.data;
    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
        mt_triangle triangle = mt_mesh_triangle(mesh, items[i]);
        mt_closest closest = mt_triangle_closest(&triangle, x);
        if (closest.square > best->closest.square ||
            (closest.square == best->closest.square && items[i] > best->triangle))
            continue;
        best->closest = closest;
        best->triangle = items[i];
    }
}

/* Looks into the nearer child first, so that it spares most of the other. A triangle at exactly `square` does
 * not count. */
static bool find_nearest(const mt_mesh *mesh, mote_vec3 x, double square, nearest *best)
{
    const mt_tree_node *nodes = mesh->tree.nodes.data;
    struct {
        uint32_t node;
        double square;
    } stack[MT_TREE_DEPTH];
    uint32_t waiting = 0;
    stack[waiting].node = 0;
    stack[waiting++].square = square_to_box(&nodes[0].box, x);
    *best = (nearest){{.square = square}, 0};
    while (waiting > 0) {
        waiting--;
        if (stack[waiting].square > best->closest.square)
            continue;
        const mt_tree_node *node = &nodes[stack[waiting].node];
        if (node->count > 0) {
            look_at_leaf(mesh, node, x, best);
            continue;
        }
        double to[2] = {square_to_box(&nodes[node->first].box, x),
                        square_to_box(&nodes[node->first + 1].box, x)};
        uint32_t later = to[0] <= to[1] ? 1 : 0;
        stack[waiting].node = node->first + later;
        stack[waiting++].square = to[later];
        stack[waiting].node = node->first + 1 - later;
        stack[waiting++].square = to[1 - later];
    }
    return best->closest.square < square;
}

float mt_mesh_distance(const mt_mesh *mesh, mote_vec3 x, float most)
{
    nearest best;
    if (!find_nearest(mesh, x, (double)most * (double)most, &best))
        return most;
    return (float)sqrt(best.closest.square);
}

/* The arc tangent of 0..1, by halving the angle twice and the series: right to 1e-13. The C library's differs
 * between machines. */
static double arc_tangent(double z)
{
    z = z / (1 + sqrt(1 + z * z));
    z = z / (1 + sqrt(1 + z * z));
    double square = z * z, sum = 0;
    for (int power = 15; power >= 1; power -= 2)
        sum = 1.0 / power - square * sum;
    return 4 * z * sum;
}

/* Between two directions, 0..pi: the tangent of its half is the difference over the sum of the unit vectors. */
static double angle_between(mt_real3 a, mt_real3 b)
{
    a = mt_real_scale(a, 1 / sqrt(mt_real_dot(a, a)));
    b = mt_real_scale(b, 1 / sqrt(mt_real_dot(b, b)));
    mt_real3 difference = mt_real_sub(a, b), sum = mt_real_add(a, b);
    double across = sqrt(mt_real_dot(difference, difference)), along = sqrt(mt_real_dot(sum, sum));
    if (across <= along)
        return 2 * arc_tangent(across / along);
    return 3.14159265358979323846 - 2 * arc_tangent(along / across);
}

/* How much a triangle counts for the normal of an edge or a vertex: the angle that it fills there. At an edge
 * that is half a turn for each. */
static double weight_of(const mt_triangle *triangle, const mt_closest *closest)
{
    int low = 0, shared = 0;
    for (int i = 0; i < 3; i++) {
        if (triangle->corner[i] == closest->low)
            low = i;
        shared += triangle->corner[i] == closest->low || triangle->corner[i] == closest->high;
    }
    if (closest->feature == MT_EDGE)
        return shared == 2 ? 1 : 0;
    return angle_between(mt_real_between(triangle->at[low], triangle->at[(low + 1) % 3]),
                         mt_real_between(triangle->at[low], triangle->at[(low + 2) % 3]));
}

static bool is_inside(const mt_mesh *mesh, const nearest *best)
{
    if (best->closest.feature == MT_FACE) {
        mt_triangle triangle = mt_mesh_triangle(mesh, best->triangle);
        return mt_real_dot(mt_triangle_cross(&triangle), best->closest.way) > 0;
    }
    uint32_t count;
    const uint32_t *fan = mt_mesh_fan(mesh, best->closest.low, &count);
    mt_real3 normal = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        mt_triangle triangle = mt_mesh_triangle(mesh, fan[i]);
        mt_real3 cross = mt_triangle_cross(&triangle);
        double weight = weight_of(&triangle, &best->closest) / sqrt(mt_real_dot(cross, cross));
        normal = mt_real_add(normal, mt_real_scale(cross, weight));
    }
    return mt_real_dot(normal, best->closest.way) > 0;
}

float mt_mesh_signed_distance(const mt_mesh *mesh, mote_vec3 x)
{
    nearest best;
    if (!find_nearest(mesh, x, (double)INFINITY, &best))
        return INFINITY;
    float distance = (float)sqrt(best.closest.square);
    return is_inside(mesh, &best) ? -distance : distance;
}
