/* The long waves of pressure: a prototype. */
#include "step/fluid/coarse.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
float mt_env(const char *name, float otherwise);

typedef struct cell {
    int32_t at[3];
    uint32_t node[8];
    int64_t mass, lean[3], stiff, rest, tilt[3];
} cell;

typedef struct node {
    int32_t at[3];
    uint32_t cell[8], beside[27];
    float a[27], over, x, b, d, r;
} node;

static struct {
    cell *cells;
    node *nodes;
    uint32_t cell_count, node_count, cell_room, node_room;
    uint32_t *cell_table, *node_table, cell_mask, node_mask;
    uint32_t *of;
    uint32_t of_room;
} c;

static uint32_t hash(const int32_t at[3])
{
    uint32_t h = (uint32_t)at[0] * 73856093u ^ (uint32_t)at[1] * 19349663u ^ (uint32_t)at[2] * 83492791u;
    return h ^ h >> 15;
}

static uint32_t find_node(const int32_t at[3])
{
    uint32_t k = hash(at) & c.node_mask;
    for (; c.node_table[k] != NONE; k = (k + 1) & c.node_mask)
        if (memcmp(c.nodes[c.node_table[k]].at, at, sizeof c.nodes->at) == 0)
            return c.node_table[k];
    c.node_table[k] = c.node_count;
    node *n = &c.nodes[c.node_count];
    memcpy(n->at, at, sizeof n->at);
    memset(n->cell, 0xFF, sizeof n->cell);
    return c.node_count++;
}

static uint32_t find_cell(const int32_t at[3])
{
    uint32_t k = hash(at) & c.cell_mask;
    for (; c.cell_table[k] != NONE; k = (k + 1) & c.cell_mask)
        if (memcmp(c.cells[c.cell_table[k]].at, at, sizeof c.cells->at) == 0)
            return c.cell_table[k];
    c.cell_table[k] = c.cell_count;
    cell *e = &c.cells[c.cell_count];
    memset(e, 0, sizeof *e);
    memcpy(e->at, at, sizeof e->at);
    for (uint32_t corner = 0; corner < 8; corner++) {
        const int32_t to[3] = {at[0] + (int32_t)(corner & 1), at[1] + (int32_t)(corner >> 1 & 1), at[2] + (int32_t)(corner >> 2)};
        e->node[corner] = find_node(to);
        c.nodes[e->node[corner]].cell[corner] = c.cell_count;
    }
    return c.cell_count++;
}

static float floor_of(float x)
{
    float y = (float)(int32_t)x;
    return y > x ? y - 1.0f : y;
}

#define UNIT_M 0x1p-30
#define UNIT_R 0x1p-34

/* Sums of whole numbers, so their order does not matter. */
static void sum_cells(const mt_substep *s, float inverse, double light, float support)
{
    int32_t last[3] = {INT32_MIN, 0, 0};
    uint32_t at_cell = NONE;
    for (uint32_t i = 0; i < s->count; i++) {
        c.of[i] = NONE;
        if (!(s->wet[i].z > 0) || !(s->wet[i].y > 0))
            continue;
        const mote_vec4 x = s->dense[i], g = s->lean[i];
        float at[3] = {x.x * inverse, x.y * inverse, x.z * inverse};
        int32_t now[3];
        float part[3];
        for (int k = 0; k < 3; k++) {
            float low = floor_of(at[k]);
            now[k] = (int32_t)low;
            part[k] = at[k] - low - 0.5f;
        }
        if (memcmp(now, last, sizeof now) != 0) {
            at_cell = find_cell(now);
            memcpy(last, now, sizeof now);
        }
        c.of[i] = at_cell;
        cell *e = &c.cells[at_cell];
        double w = (double)s->wet[i].y * light;
        e->mass += (int64_t)(w / UNIT_M);
        const double gv[3] = {(double)(g.x * support), (double)(g.y * support), (double)(g.z * support)};
        double r = (double)g.w;
        for (int k = 0; k < 3; k++) {
            e->lean[k] += (int64_t)(w * gv[k] / UNIT_M);
            e->tilt[k] += (int64_t)(r * (double)part[k] / UNIT_R);
        }
        e->stiff += (int64_t)(w * (gv[0] * gv[0] + gv[1] * gv[1] + gv[2] * gv[2]) / UNIT_M);
        e->rest += (int64_t)(r / UNIT_R);
    }
}

/* Element matrices of trilinear functions in a cube of side 1: means. */
static float laplace[8][8], massive[8][8], leaning[3][8][8];

static void make_elements(void)
{
    const float m[2][2] = {{1 / 3.0f, 1 / 6.0f}, {1 / 6.0f, 1 / 3.0f}}, k[2][2] = {{1, -1}, {-1, 1}}, l[2][2] = {{-0.5f, 0}, {0, 0.5f}};
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) {
            const int ai[3] = {a & 1, a >> 1 & 1, a >> 2}, bi[3] = {b & 1, b >> 1 & 1, b >> 2};
            float M[3], K[3], L[3];
            for (int q = 0; q < 3; q++) {
                M[q] = m[ai[q]][bi[q]];
                K[q] = k[ai[q]][bi[q]];
                L[q] = l[ai[q]][bi[q]];
            }
            laplace[a][b] = K[0] * M[1] * M[2] + M[0] * K[1] * M[2] + M[0] * M[1] * K[2];
            massive[a][b] = M[0] * M[1] * M[2];
            leaning[0][a][b] = L[0] * M[1] * M[2];
            leaning[1][a][b] = M[0] * L[1] * M[2];
            leaning[2][a][b] = M[0] * M[1] * L[2];
        }
}

static void assemble(float inverse, double light, float support, float kappa)
{
    for (uint32_t n = 0; n < c.node_count; n++) {
        node *v = &c.nodes[n];
        memset(v->a, 0, sizeof v->a);
        memset(v->beside, 0xFF, sizeof v->beside);
        v->b = 0;
        for (uint32_t corner = 0; corner < 8; corner++) {
            if (v->cell[corner] == NONE)
                continue;
            const cell *e = &c.cells[v->cell[corner]];
            const float mass = (float)((double)e->mass * UNIT_M / light) * kappa * kappa * inverse * inverse,
                        stiff = (float)((double)e->stiff * UNIT_M / light) / (support * support);
            float lean[3], b = (float)((double)e->rest * UNIT_R) * 0.125f;
            for (int q = 0; q < 3; q++) {
                lean[q] = 2.0f * (float)((double)e->lean[q] * UNIT_M / light) / support * kappa * inverse;
                b += ((corner >> q & 1) ? 0.25f : -0.25f) * (float)((double)e->tilt[q] * UNIT_R);
            }
            v->b += b;
            for (uint32_t other = 0; other < 8; other++) {
                int index = 13;
                const int step[3] = {1, 3, 9};
                for (int q = 0; q < 3; q++)
                    index += step[q] * ((int)(other >> q & 1) - (int)(corner >> q & 1));
                v->beside[index] = e->node[other];
                v->a[index] += mass * laplace[corner][other] + stiff * massive[corner][other] +
                               lean[0] * leaning[0][corner][other] + lean[1] * leaning[1][corner][other] +
                               lean[2] * leaning[2][corner][other];
            }
        }
        float sum = 0;
        for (int k = 0; k < 27; k++)
            sum += fabsf(v->a[k]);
        v->over = sum > 0 ? 1.0f / sum : 0.0f;
    }
}

static void solve(int sweeps)
{
    float low = 1.0f / (float)(sweeps * sweeps), theta = 0.5f * (1 + low), delta = 0.5f * (1 - low), sigma = theta / delta,
          rho = 1.0f / sigma;
    for (uint32_t n = 0; n < c.node_count; n++) {
        node *v = &c.nodes[n];
        v->r = v->b * v->over;
        v->x = v->d = v->r / theta;
    }
    for (int k = 1; k < sweeps; k++) {
        float next = 1.0f / (2 * sigma - rho);
        for (uint32_t n = 0; n < c.node_count; n++) {
            node *v = &c.nodes[n];
            float sum = 0;
            for (int q = 0; q < 27; q++)
                if (v->beside[q] != NONE)
                    sum += v->a[q] * c.nodes[v->beside[q]].d;
            v->r -= sum * v->over;
        }
        for (uint32_t n = 0; n < c.node_count; n++) {
            node *v = &c.nodes[n];
            v->d = next * rho * v->d + 2 * next / delta * v->r;
            v->x += v->d;
        }
        rho = next;
    }
}

static void give(const mt_substep *s, float inverse, float part_of)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (c.of[i] == NONE)
            continue;
        float before = s->pressure[i] * 1.0f;
        mote_vec4 g = s->lean[i], *x = &s->dense[i];
        float had = s->had[i];
        if (!(had > 0) && !(g.w > 0))
            continue;
        const cell *e = &c.cells[c.of[i]];
        float at[3] = {x->x * inverse, x->y * inverse, x->z * inverse}, sum = 0, part[3];
        for (int k = 0; k < 3; k++)
            part[k] = at[k] - floor_of(at[k]);
        for (int corner = 0; corner < 8; corner++)
            sum += c.nodes[e->node[corner]].x * ((corner & 1) ? part[0] : 1 - part[0]) *
                   ((corner & 2) ? part[1] : 1 - part[1]) * ((corner & 4) ? part[2] : 1 - part[2]);
        float wanted = part_of * sum + s->wanted[i];
        float next = fminf(fmaxf(had + wanted, 0.0f), s->fluid.most_held / s->wet[i].y), acts = fmaxf(next + s->first * s->fluid.brake * wanted + s->spring[i], 0.0f);
        (void)before;
        s->pressure[i] = next;
        x->w = acts - (1.0f - s->first) * had;
    }
}

void mt_press_coarsely(mote_world *world, mt_substep *s)
{
    static bool made;
    static float part_of, width;
    static int sweeps;
    if (!made) {
        make_elements();
        part_of = mt_env("FC", 0.2f);
        width = mt_env("CW", 4.0f);
        sweeps = (int)mt_env("CM", 16);
    }
    made = true;
    if (part_of == 0)
        return;
    (void)world;
    float inverse = 1.0f / (width * 2.0f * s->fluid.radius), support = s->fluid.support;
    double light = (double)s->fluid.light;
    if (c.of_room < s->count) {
        c.of_room = s->count;
        c.cell_room = s->count + 8;
        c.node_room = 8 * s->count + 8;
        uint32_t size = 1024;
        while (size < s->count)
            size *= 2;
        c.cell_mask = size - 1;
        c.node_mask = 8 * size - 1;
        c.of = malloc(4 * s->count);
        c.cells = malloc(sizeof *c.cells * c.cell_room);
        c.nodes = malloc(sizeof *c.nodes * c.node_room);
        c.cell_table = malloc(4 * (c.cell_mask + 1));
        c.node_table = malloc(4 * (c.node_mask + 1));
    }
    memset(c.cell_table, 0xFF, 4 * (c.cell_mask + 1));
    memset(c.node_table, 0xFF, 4 * (c.node_mask + 1));
    c.cell_count = c.node_count = 0;
    sum_cells(s, inverse, light, support);
    assemble(inverse, light, support, s->fluid.kappa);
    solve(sweeps);
    give(s, inverse, part_of);
}
