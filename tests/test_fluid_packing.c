/* Liquids that begin in no order: as much as rows would be, nowhere denser, and the same for the same seed. */
#include "meshes.h"
#include "refused.h"

#include <stdlib.h>
#include <string.h>

#define R     0.05f
#define WIDTH 0.1 /* of a particle, m */
#define MOST  100000

typedef struct packed {
    mote_world *world;
    mote_particle_id *ids;
    mote_vec3 *at; /* in spacings, from the corner */
    uint32_t count;
} packed;

static mote_fluid_def block_of(mote_world *world, const uint32_t counts[3])
{
    mote_material_def water = mote_default_material_def();
    water.fluid = true;
    mote_fluid_def def = mote_default_fluid_def();
    def.material = mote_material_add(world, &water);
    def.min = vec(0, 0, 0);
    def.max = vec(2 * R * (float)counts[0], 2 * R * (float)counts[1], 2 * R * (float)counts[2]);
    def.packing = MOTE_PACKING_RANDOM;
    return def;
}

static mote_world *empty_world(void)
{
    mote_world_def def = test_world_def(NULL);
    def.radius = R;
    def.max_particles = MOST;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    return world;
}

static packed pack(uint32_t x, uint32_t y, uint32_t z, uint32_t seed)
{
    const uint32_t counts[3] = {x, y, z};
    packed p = {.world = empty_world(), .count = x * y * z};
    p.ids = calloc(p.count, sizeof *p.ids);
    p.at = calloc(p.count, sizeof *p.at);
    mote_fluid_def def = block_of(p.world, counts);
    def.seed = seed;
    must(mote_fluid_block(p.world, &def, p.ids));
    must(mote_particles_read(p.world, p.ids, p.count, p.at, NULL));
    for (uint32_t i = 0; i < p.count; i++)
        p.at[i] = vec(p.at[i].x / (2 * R), p.at[i].y / (2 * R), p.at[i].z / (2 * R));
    return p;
}

static void unpack(packed *p)
{
    mote_world_destroy(p->world);
    free(p->ids);
    free(p->at);
}

/* ---- how much, and where -------------------------------------------------------------------------------- */

static void check_within(const packed *p, const uint32_t counts[3])
{
    float low = 1.0f, beyond = -1.0f;
    for (uint32_t i = 0; i < p->count; i++) {
        const float at[3] = {p->at[i].x, p->at[i].y, p->at[i].z};
        for (int axis = 0; axis < 3; axis++) {
            low = fminf(low, at[axis]);
            beyond = fmaxf(beyond, at[axis] - (float)counts[axis]);
        }
    }
    check_near((double)low, 0.5, 1e-4, "nearest to a lower wall of %u x %u x %u", counts[0], counts[1],
               counts[2]);
    check_near((double)beyond, -0.5, 1e-4, "nearest to an upper wall of %u x %u x %u", counts[0], counts[1],
               counts[2]);
}

/* No matter how the box is made up, it is full, and particles touch its walls and are not in them. */
static void a_box_is_just_full(void **state)
{
    (void)state;
    const uint32_t boxes[][3] = {{1, 1, 1},   {7, 1, 1},   {5, 4, 3},   {1, 9, 11},
                                 {24, 25, 6}, {61, 3, 40}, {37, 36, 35}};
    for (size_t k = 0; k < sizeof boxes / sizeof boxes[0]; k++) {
        packed p = pack(boxes[k][0], boxes[k][1], boxes[k][2], 1);
        assert_int_equal(mote_particle_count(p.world), p.count);
        mote_particle_state last;
        must(mote_particle_get(p.world, p.ids[p.count - 1], &last));
        check_near((double)last.mass, 1000.0 * WIDTH * WIDTH * WIDTH, 1e-6, "mass of a particle, kg");
        check_within(&p, boxes[k]);
        unpack(&p);
    }
}

static double gap(mote_vec3 a, mote_vec3 b)
{
    return distance_of(a, b);
}

/* In boxes that are made whole, and in one wide enough to be made of a repeated part: seams are as any other place. */
static void none_lie_on_each_other(void **state)
{
    (void)state;
    const uint32_t boxes[][3] = {{12, 11, 10}, {1, 16, 16}, {90, 7, 7}};
    for (size_t k = 0; k < sizeof boxes / sizeof boxes[0]; k++) {
        packed p = pack(boxes[k][0], boxes[k][1], boxes[k][2], 3);
        double nearest = 9.0;
        for (uint32_t i = 0; i < p.count; i++)
            for (uint32_t j = 0; j < i; j++)
                nearest = fmin(nearest, gap(p.at[i], p.at[j]));
        check_below(0.5, nearest, "nearest two of %u x %u x %u, spacings", boxes[k][0], boxes[k][1],
                    boxes[k][2]);
        unpack(&p);
    }
}

/* ---- as in a liquid ------------------------------------------------------------------------------------- */

/* Spheres of 3 spacings hold 36 pi. Thrown at random they would hold so many give or take the root of it, 10.6. */
static void it_is_even(void **state)
{
    (void)state;
    packed p = pack(44, 14, 14, 1);
    const double expected = 36.0 * TEST_PI;
    double sum = 0.0, squares = 0.0;
    int spheres = 0;
    for (float x = 3.5f; x < 41.0f; x += 0.9f)
        for (float y = 3.5f; y < 11.0f; y += 1.7f, spheres++) {
            int inside = 0;
            for (uint32_t i = 0; i < p.count; i++)
                inside += gap(p.at[i], vec(x, y, 7.0f)) < 3.0;
            sum += inside;
            squares += (inside - expected) * (inside - expected);
        }
    check_near(sum / spheres, expected, 0.02 * expected, "particles in a sphere in the mean");
    check_below(sqrt(squares / spheres), 0.3 * sqrt(expected), "give or take");
    unpack(&p);
}

/* Particles lie along walls in layers, as those of any liquid do, which are gone 5 spacings away: so far behind each wall
 * there are as many as everywhere. */
static void walls_are_not_bare(void **state)
{
    (void)state;
    packed p = pack(16, 16, 16, 1);
    uint32_t near_wall[6] = {0};
    for (uint32_t i = 0; i < p.count; i++) {
        const float at[3] = {p.at[i].x, p.at[i].y, p.at[i].z};
        for (int axis = 0; axis < 3; axis++) {
            near_wall[2 * axis] += at[axis] < 5.0f;
            near_wall[2 * axis + 1] += at[axis] > 11.0f;
        }
    }
    for (int k = 0; k < 6; k++)
        check_near(near_wall[k], 5.0 * 16 * 16, 0.02 * 5.0 * 16 * 16, "particles within 5 spacings of wall %d",
                   k);
    unpack(&p);
}

/* Of a liquid's neighbours 3 (1 - cos 0.3) are within 0.3 rad of an axis: three double cones of the whole sphere. Of a
 * lattice's all are. */
static void it_has_no_rows(void **state)
{
    (void)state;
    packed p = pack(20, 20, 20, 1);
    int all = 0, along = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        mote_vec3 a = p.at[i];
        if (fminf(a.x, fminf(a.y, a.z)) < 3.0f || fmaxf(a.x, fmaxf(a.y, a.z)) > 17.0f)
            continue; /* walls make layers, as in a liquid */
        for (uint32_t j = 0; j < p.count; j++) {
            double apart = gap(a, p.at[j]);
            if (i == j || apart > 1.3)
                continue;
            mote_vec3 d = vec(fabsf(p.at[j].x - a.x), fabsf(p.at[j].y - a.y), fabsf(p.at[j].z - a.z));
            all++;
            along += (double)fmaxf(d.x, fmaxf(d.y, d.z)) > cos(0.3) * apart;
        }
    }
    check_near((double)along / all, 3.0 * (1.0 - cos(0.3)), 0.02, "neighbours along axes, of %d", all);
    unpack(&p);
}

/* ---- the seed ------------------------------------------------------------------------------------------- */

static void the_seed_decides(void **state)
{
    (void)state;
    packed p = pack(30, 8, 8, 5), same = pack(30, 8, 8, 5), other = pack(30, 8, 8, 6);
    assert_memory_equal(p.at, same.at, p.count * sizeof *p.at);
    uint32_t differing = 0;
    for (uint32_t i = 0; i < p.count; i++)
        differing += gap(p.at[i], other.at[i]) > 0.05;
    check_below(0.9 * p.count, differing, "particles elsewhere with another seed");
    unpack(&p);
    unpack(&same);
    unpack(&other);
}

/* Compilers and processors agree on every bit. */
static void bits_are_the_same_everywhere(void **state)
{
    (void)state;
    packed p = pack(40, 5, 4, 7);
    uint64_t hash = 1469598103934665603u;
    for (uint32_t i = 0; i < p.count; i++) {
        uint32_t bits[3];
        mote_particle_state particle;
        must(mote_particle_get(p.world, p.ids[i], &particle));
        memcpy(bits, &particle.position, sizeof bits);
        for (int axis = 0; axis < 3; axis++)
            hash = (hash ^ bits[axis]) * 1099511628211u;
    }
    check_true(hash == UINT64_C(0x6ad67707f6e940fe), "the hash of all places is 0x%llx",
               (unsigned long long)hash);
    unpack(&p);
}

/* ---- what is refused ------------------------------------------------------------------------------------ */

static void what_cannot_be_packed_is_refused(void **state)
{
    (void)state;
    mote_world *world = empty_world();
    mote_fluid_def def = block_of(world, (const uint32_t[3]){50, 50, 50});
    refused(world, mote_fluid_block(world, &def, NULL), MOTE_ERROR_LIMIT, "50 x 50 x 50");
    test_mesh box = box_mesh(vec(1, 1, 1));
    mote_mesh view = mesh_view(&box);
    refused(world, mote_fluid_mesh(world, &def, &view, MOTE_SAMPLE_PARITY, NULL), MOTE_ERROR_ARGUMENT,
            "fluid.packing");
    def.packing = MOTE_PACKING_COUNT;
    refused(world, mote_fluid_block(world, &def, NULL), MOTE_ERROR_ARGUMENT, "fluid.packing");
    assert_int_equal(mote_particle_count(world), 0);
    mesh_free(&box);
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_just_full),
        cmocka_unit_test(none_lie_on_each_other),
        cmocka_unit_test(it_is_even),
        cmocka_unit_test(walls_are_not_bare),
        cmocka_unit_test(it_has_no_rows),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(bits_are_the_same_everywhere),
        cmocka_unit_test(what_cannot_be_packed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
