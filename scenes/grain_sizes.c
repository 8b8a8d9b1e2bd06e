/* Radii from 1 to 10 in one box. The box is filled cell by cell, every cell a little larger than the largest
 * grain, and a cell holds either that grain or n x n x n grains of an n-th of its radius: so all kinds are
 * close to all others from the start and none overlap. Each cell is thrown aside with a speed of its own, which
 * breaks the blocks up when they fall. */
#include "builders.h"
#include "io/scene_math.h"

#define LARGEST   0.1f /* m, radius */
#define WIDTH     4    /* cells along x and z */
#define HEIGHT    5    /* cells along y */
#define CELLS     (WIDTH * HEIGHT * WIDTH)
#define CELL      (2.5f * LARGEST) /* m, edge */
#define CLEARANCE 1.04f            /* the spacing of a cell's grains, in diameters */
#define THROW     3.0f             /* m/s along x and z */

/* The kinds of grains, and how many cells each of them fills. */
#define KINDS 5
static const struct kind {
    const char *name;  /* of its material */
    uint32_t per_edge; /* grains along the edge of a cell */
    uint32_t cells;
} GRAIN_KINDS[KINDS] = {
    {"stones", 1, 10}, {"pebbles", 2, 8}, {"gravel", 3, 15}, {"grit", 5, 32}, {"sand", 10, 15},
};

/* Which kind is in which cell: a shuffled deck of cards. */
static void deal_kinds(uint32_t deck[CELLS])
{
    uint32_t card = 0;
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t i = 0; i < GRAIN_KINDS[kind].cells; i++)
            deck[card++] = kind;
    scene_random random = {2};
    for (uint32_t i = CELLS - 1; i > 0; i--) {
        uint32_t other = (uint32_t)(scene_random_next(&random) * (i + 1));
        uint32_t swapped = deck[i];
        deck[i] = deck[other];
        deck[other] = swapped;
    }
}

/* The grains of one cell. */
static mote_result fill_cell(mote_world *world, mote_vec3 corner, const struct kind *kind,
                             mote_material_id material, float density, scene_random *random)
{
    uint32_t edge = kind->per_edge;
    float radius = LARGEST / (float)edge, spacing = 2.0f * radius * CLEARANCE;
    float play = spacing - 2.0f * radius; /* two neighbours share it */
    mote_particle_def grain = mote_default_particle_def();
    grain.radius = radius;
    grain.mass = scene_ball_mass(density, radius);
    grain.material = material;
    grain.velocity.x = THROW * (float)(2.0 * scene_random_next(random) - 1.0);
    grain.velocity.z = THROW * (float)(2.0 * scene_random_next(random) - 1.0);
    for (uint32_t i = 0; i < edge * edge * edge; i++) {
        float x = (float)(i % edge) + 0.5f, z = (float)(i / edge % edge) + 0.5f,
              y = (float)(i / (edge * edge)) + 0.5f;
        float aside = play * (float)(scene_random_next(random) - 0.5);
        float ahead = play * (float)(scene_random_next(random) - 0.5);
        grain.position =
            (mote_vec3){corner.x + x * spacing + aside, corner.y + y * spacing, corner.z + z * spacing + ahead};
        if (mote_is_null(mote_particle_add(world, &grain)))
            return mote_last_result();
    }
    return MOTE_OK;
}

mote_result grain_sizes_build(const scene_description *d, mote_world *world)
{
    const float half_width = 0.5f * WIDTH * CELL;
    uint32_t deck[CELLS];
    deal_kinds(deck);
    scene_random random = {3};
    mote_result result = MOTE_OK;
    for (uint32_t i = 0; i < CELLS && result == MOTE_OK; i++) {
        const struct kind *kind = &GRAIN_KINDS[deck[i]];
        uint32_t x = i % WIDTH, z = i / WIDTH % WIDTH, y = i / (WIDTH * WIDTH);
        mote_vec3 corner = {(float)x * CELL - half_width, (float)y * CELL, (float)z * CELL - half_width};
        result = fill_cell(world, corner, kind, scene_material_id(d, world, kind->name),
                           scene_material_density(d, kind->name), &random);
    }
    return result;
}
