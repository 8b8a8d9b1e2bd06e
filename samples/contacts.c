/* Contacts: crates fall on each other, and the program tells every hit as a game would: who, how fast, how hard, and
 * whether that does damage. In the end it asks what the floor feels.
 *
 *     cc contacts.c $(pkg-config --cflags --libs mote) -lm -o contacts && ./contacts */
#include <mote/mote.h>

#include <math.h>
#include <stdio.h>

#define FRAME   (1.0f / 60.0f) /* s */
#define SECONDS 4
#define CRATES  5
#define MASS    8.0f  /* kg */
#define LOUD    1.0f  /* m/s: slower hits make no sound */
#define BEARS   20.0f /* N s */

static bool succeeded(mote_result result)
{
    if (result != MOTE_OK)
        fprintf(stderr, "%s\n", mote_last_error());
    return result == MOTE_OK;
}

/* Of wood that reports its contacts; one side of a contact is enough. */
static bool build(mote_world *world, mote_body_id crates[CRATES], mote_shape_id *floor)
{
    const uint32_t cube[3] = {4, 4, 4}; /* particles of 0.1 m: 0.4 m */
    mote_material_def wood = mote_default_material_def();
    wood.report_contacts = true;
    mote_rigid_def def = mote_default_rigid_def();
    def.material = mote_material_add(world, &wood);
    def.mass = MASS;
    bool good = !mote_is_null(def.material);
    for (int i = 0; i < CRATES; i++) {
        def.pose.position = (mote_vec3){0.12f * (float)(i % 2), 0.7f + 0.9f * (float)i, 0.05f * (float)i};
        crates[i] = mote_rigid_box(world, &def, cube);
        good = good && !mote_is_null(crates[i]);
    }
    mote_plane_def plane = mote_default_plane_def();
    *floor = mote_plane_add(world, &plane);
    return good && !mote_is_null(*floor);
}

/* Which crate a body is; CRATES: the floor. */
static int number_of(const mote_body_id crates[CRATES], mote_body_id body)
{
    int i = 0;
    while (i < CRATES && !(crates[i].index == body.index && crates[i].generation == body.generation))
        i++;
    return i;
}

typedef struct hit {
    float speed, impulse; /* m/s, N s */
} hit;

/* Contacts that begin in a step, by the two that meet: crates touch each other in several points. */
static void collect_hits(const mote_world *world, const mote_body_id crates[CRATES],
                         hit hits[CRATES][CRATES + 1])
{
    mote_events events = mote_world_events(world);
    mote_contacts contacts = mote_world_contacts(world);
    for (size_t i = 0; i < events.count; i++) {
        if (events.items[i].type != MOTE_EVENT_CONTACT_BEGIN)
            continue;
        const mote_contact *c = &contacts.items[events.items[i].contact];
        int a = number_of(crates, c->body_a), b = number_of(crates, c->body_b);
        hit *h = &hits[a < b ? a : b][a < b ? b : a];
        h->speed = fmaxf(h->speed, c->approach_speed);
        h->impulse += c->impulse;
    }
}

static void tell(const mote_world *world, int a, int b, const hit *h)
{
    char other[32] = "the floor";
    if (b < CRATES)
        snprintf(other, sizeof other, "crate %d", b + 1);
    printf("%4.2f s: crate %d and %s with %4.2f m/s, %5.1f N s%s\n", mote_world_time(world), a + 1, other,
           (double)h->speed, (double)h->impulse, h->impulse > BEARS ? ": damaged" : "");
}

/* N, of all contacts with a shape in the last step; of at most 64. */
static double force_on(const mote_world *world, mote_shape_id shape)
{
    mote_contact contacts[64];
    size_t count = 0;
    double impulse = 0;
    if (!succeeded(mote_shape_contacts(world, shape, contacts, 64, &count)) || count > 64)
        return NAN;
    for (size_t i = 0; i < count; i++)
        impulse += (double)(contacts[i].impulse * contacts[i].normal.y + contacts[i].friction.y);
    return impulse / (double)FRAME;
}

static bool run(mote_world *world)
{
    mote_body_id crates[CRATES];
    mote_shape_id floor;
    int loud = 0;
    if (!build(world, crates, &floor))
        return succeeded(mote_last_result());
    for (int i = 0; i < 60 * SECONDS; i++) {
        hit hits[CRATES][CRATES + 1] = {{{0.0f, 0.0f}}};
        if (!succeeded(mote_world_step(world, FRAME)))
            return false;
        collect_hits(world, crates, hits);
        for (int k = 0; k < CRATES * (CRATES + 1); k++) {
            const hit *h = &hits[k / (CRATES + 1)][k % (CRATES + 1)];
            if (h->speed > LOUD) {
                tell(world, k / (CRATES + 1), k % (CRATES + 1), h);
                loud++;
            }
        }
    }
    double force = force_on(world, floor), weight = CRATES * (double)MASS * 9.81;
    printf("%d loud hits; the floor feels %.1f N, the crates weigh %.1f N\n", loud, force, weight);
    return loud >= CRATES && fabs(force - weight) < 0.05 * weight;
}

int main(void)
{
    mote_world_def def = mote_default_world_def();
    mote_world *world;
    if (!succeeded(mote_world_create(&def, &world)))
        return 1;
    bool good = run(world);
    mote_world_destroy(world);
    return good ? 0 : 1;
}
