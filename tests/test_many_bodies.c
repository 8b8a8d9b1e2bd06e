/* Bodies that come and go: who is in which body, and which joints there are, is kept up to date by small
 * changes. It must be what it would be if it were made anew. */
#include "jointed_world.h"

#include "world/bodies.h"

#include <stdlib.h>
#include <string.h>

#define MOST 64 /* bodies at a time */

static const mote_material_id NO_MATERIAL = {0};

/* ---- what there is, from the lists alone ---------------------------------------------------------------- */

static uint32_t list_bodies(const mote_world *world, mote_body_id ids[MOST])
{
    uint32_t count = mote_body_list(world, ids, MOST);
    assert_true(count <= MOST);
    return count;
}

static bool has_particle(const mote_world *world, mote_body_id body, mote_particle_id particle)
{
    mote_particle_id ids[512];
    size_t count = mote_body_particles(world, body, ids, 512);
    for (size_t i = 0; i < count; i++)
        if (ids[i].index == particle.index && ids[i].generation == particle.generation)
            return true;
    return false;
}

/* Every particle of a body knows all of its bodies, in the order of the table, and no others. */
static void check_members(const mote_world *world)
{
    mote_body_id bodies[MOST], of[MOST];
    uint32_t count = list_bodies(world, bodies);
    for (uint32_t p = 0; p < world->particles.count; p++) {
        mote_particle_id id = mt_particle_ids(world)[p];
        uint32_t said = mote_particle_bodies(world, id, of, MOST), seen = 0;
        for (uint32_t b = 0; b < count; b++)
            if (has_particle(world, bodies[b], id)) {
                check_true(seen < said && of[seen].index == bodies[b].index, "particle %u is in body %u",
                           id.index, bodies[b].index);
                seen++;
            }
        check_near(said, seen, 0, "bodies of particle %u", id.index);
    }
}

static mote_joint_id joint_in_list(const mote_world *world, mote_body_id a, mote_body_id b)
{
    mote_joint_id ids[512], found = {0, 0};
    uint32_t count = mote_joint_list(world, ids, 512);
    for (uint32_t i = 0; i < count; i++) {
        mote_joint_state s;
        must(mote_joint_get(world, ids[i], &s));
        if ((s.a.index == a.index && s.b.index == b.index && mote_is_null(s.b) == mote_is_null(b)) ||
            (s.a.index == b.index && s.b.index == a.index && !mote_is_null(s.b) && !mote_is_null(b)))
            found = ids[i];
    }
    return found;
}

static void check_joints(const mote_world *world)
{
    mote_body_id bodies[MOST + 1];
    uint32_t count = list_bodies(world, bodies);
    bodies[count] = (mote_body_id){0, 0}; /* the world */
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b <= count; b++) {
            if (a == b)
                continue;
            mote_joint_id said = mote_joint_between(world, bodies[a], bodies[b]);
            mote_joint_id found = joint_in_list(world, bodies[a], bodies[b]);
            check_true(said.index == found.index && said.generation == found.generation,
                       "joint of bodies %u and %u", bodies[a].index, bodies[b].index);
        }
}

/* Made anew, a membership that called itself valid has the same bytes. */
static void check_order(mote_world *world)
{
    mt_membership *m = &world->membership;
    if (!m->valid || m->count == 0)
        return;
    size_t bytes = m->count * sizeof(uint32_t), shared = m->shared_count * sizeof(mt_shared);
    uint32_t count = m->shared_count;
    char *of = malloc(bytes), *entries = malloc(shared + 1);
    assert_true(of != NULL && entries != NULL);
    memcpy(of, m->of.data, bytes);
    if (shared > 0)
        memcpy(entries, m->shared.data, shared);
    m->valid = m->known = false;
    mt_membership_build(world);
    check_near(m->shared_count, count, 0, "shared particles");
    check_true(memcmp(of, m->of.data, bytes) == 0, "the same bodies of each particle");
    check_true(shared == 0 || memcmp(entries, m->shared.data, shared) == 0, "the same order of shared ones");
    free(of);
    free(entries);
}

/* What a particle's bodies have of it, and itself if it has none or moves. */
static double mass_in_bodies(const mote_world *world, uint32_t slot)
{
    mote_particle_id id = mt_particle_ids(world)[slot];
    double sum = 0;
    for (uint32_t b = 0; b < world->bodies.count; b++) {
        const mt_link *link = mt_link_find(world, &mt_bodies(world)[b], id);
        sum += link != NULL ? (double)link->mass : 0;
    }
    float inverse = mt_velocities(world)[slot].w;
    if (sum > 0 && inverse > 0)
        check_near(sum, 1 / (double)inverse, 1e-5 * sum, "parts of particle %u, kg", id.index);
    return sum > 0 ? sum : 1 / (double)inverse;
}

typedef struct noted_mass {
    uint32_t generation;
    double mass; /* kg */
} noted_mass;

/* Masses add up, whoever shares what, and a particle keeps its own as long as it lives. */
static void check_masses(const mote_world *world, noted_mass notes[4096])
{
    double sum = 0, bodies = 0;
    for (uint32_t p = 0; p < world->particles.count; p++) {
        mote_particle_id id = mt_particle_ids(world)[p];
        double mass = mass_in_bodies(world, p);
        assert_true(id.index < 4096);
        noted_mass *note = &notes[id.index];
        if (note->generation != id.generation)
            *note = (noted_mass){id.generation, mass};
        check_near(mass, note->mass, 1e-4 * note->mass, "mass of particle %u, kg", id.index);
        sum += mote_particle_bodies(world, id, NULL, 0) > 0 ? mass : 0;
    }
    for (uint32_t b = 0; b < world->bodies.count; b++)
        bodies += 1 / (double)mt_bodies(world)[b].inverse_mass;
    check_near(bodies, sum, 1e-4 * (sum + 1), "mass of all bodies, kg");
}

/* ---- changes by chance ---------------------------------------------------------------------------------- */

/* Some fresh particles, and some of another body or two. */
static void add_some_body(mote_world *world, uint64_t *seed)
{
    mote_body_id bodies[MOST];
    mote_particle_id ids[16];
    uint32_t count = list_bodies(world, bodies), fresh = 2 + (uint32_t)random_between(seed, 0, 4);
    if (count >= MOST / 4)
        return;
    size_t used = 0;
    mote_vec3 at = {random_between(seed, -5, 5), random_between(seed, -5, 5), random_between(seed, -5, 5)};
    for (uint32_t i = 0; i < fresh; i++)
        ids[used++] = add_particle(world, vec(at.x + 0.1f * (float)i, at.y, at.z), vec(0, 0, 0), NO_MATERIAL);
    for (int other = 0; other < 2 && count > 0; other++) {
        mote_particle_id theirs[512];
        mote_body_id body = bodies[(uint32_t)random_between(seed, 0, (float)count)];
        size_t have = mote_body_particles(world, body, theirs, 512);
        if (random_between(seed, 0, 2) < 1)
            continue;
        mote_particle_id one = theirs[(size_t)random_between(seed, 0, (float)have)];
        bool twice = false;
        for (size_t i = 0; i < used; i++)
            twice = twice || ids[i].index == one.index;
        if (!twice)
            ids[used++] = one;
    }
    mote_body_def def = mote_default_body_def();
    def.particles = ids;
    def.particle_count = used;
    def.mode = random_between(seed, 0, 4) < 1 ? MOTE_BODY_DRIVEN : MOTE_BODY_DYNAMIC;
    must_exist(mote_body_add(world, &def));
}

static void join_some(mote_world *world, uint64_t *seed)
{
    mote_body_id bodies[MOST];
    uint32_t count = list_bodies(world, bodies);
    if (count < 2)
        return;
    mote_joint_def def = mote_default_joint_def();
    def.type = (mote_joint_type)random_between(seed, 0, 4);
    def.a = bodies[(uint32_t)random_between(seed, 0, (float)count)];
    def.b = bodies[(uint32_t)random_between(seed, 0, (float)count)];
    if (def.a.index == def.b.index)
        def.b = (mote_body_id){0, 0};
    def.anchor = body_state_of(world, def.a).center;
    if (mote_is_null(def.b) || mote_is_null(mote_joint_between(world, def.a, def.b)))
        must_exist(mote_joint_add(world, &def));
}

static void take_some(mote_world *world, uint64_t *seed)
{
    mote_body_id bodies[MOST];
    mote_joint_id joints[512];
    uint32_t count = list_bodies(world, bodies), joint_count = mote_joint_list(world, joints, 512);
    float chance = random_between(seed, 0, 4);
    mote_body_id body =
        count > 0 ? bodies[(uint32_t)random_between(seed, 0, (float)count)] : (mote_body_id){0, 0};
    mote_particle_id first;
    if (chance < 1 && count > 0)
        must(mote_body_remove(world, body));
    else if (chance < 2 && count > 0)
        must(mote_body_dissolve(world, body));
    else if (chance < 3 && joint_count > 0)
        must(mote_joint_remove(world, joints[(uint32_t)random_between(seed, 0, (float)joint_count)]));
    else if (count > 0 && mote_body_particles(world, body, &first, 1) > 0)
        must(mote_particle_remove(world, first));
}

static void kept_up_to_date(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    static noted_mass notes[4096];
    uint64_t seed = 7;
    size_t changes = TEST_BY_BUILD(600, 200, 100);
    for (size_t i = 0; i < changes; i++) {
        float chance = random_between(&seed, 0, 10);
        if (chance < 4)
            add_some_body(world, &seed);
        else if (chance < 6)
            join_some(world, &seed);
        else if (chance < 9.7f)
            take_some(world, &seed);
        else
            mt_membership_build(world); /* as a step does */
        check_true(world->membership.known, "it can be asked after change %zu", i);
        check_members(world);
        check_joints(world);
        check_masses(world, notes);
        check_order(world);
    }
    check_above(mote_joint_count(world) + mote_body_count(world), 5, "something is left to look at");
    mote_world_destroy(world);
}

/* A snapshot brings back all of it. */
static void after_a_snapshot(void **state)
{
    (void)state;
    mote_world_def def = test_world_def(NULL);
    jointed_world j = make_jointed_world(&def, 2);
    size_t size = mote_snapshot_size(j.world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    must(mote_snapshot_take(j.world, bytes, size, &size));
    mote_joint_state joint;
    must(mote_joint_get(j.world, j.joints[1], &joint));
    must(mote_body_remove(j.world, j.jointed[1][0]));
    must(mote_body_dissolve(j.world, j.pair[0]));
    check_true(mote_is_null(mote_joint_between(j.world, joint.a, joint.b)), "the joint is gone");
    must(mote_snapshot_restore(j.world, bytes, size));
    mote_joint_id found = mote_joint_between(j.world, joint.b, joint.a);
    check_true(found.index == j.joints[1].index && found.generation == j.joints[1].generation,
               "the joint is back, and found");
    must(mote_body_remove(j.world, joint.a));
    check_true(!mote_joint_is_valid(j.world, j.joints[1]), "and goes with its body");
    free(bytes);
    mote_world_destroy(j.world);
}

/* The first particle of the body that goes is shared: its mass is all of the other's then. */
static void masses_after_dissolving(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    for (int removed = 0; removed < 2; removed++) {
        mote_world *world = test_world(&settings);
        mote_particle_id ids[3];
        for (int i = 0; i < 3; i++)
            ids[i] = add_particle(world, vec(0.1f * (float)i, 0, 0), vec(0, 0, 0), NO_MATERIAL);
        mote_body_def def = mote_default_body_def();
        def.particles = ids;
        def.particle_count = 2;
        mote_body_id kept = mote_body_add(world, &def);
        must_exist(kept);
        def.particles = ids + 1;
        mote_body_id going = mote_body_add(world, &def);
        must_exist(going);
        check_near((double)body_state_of(world, kept).mass, 1.5, 1e-6, "mass with half a particle");
        must(removed ? mote_body_remove(world, going) : mote_body_dissolve(world, going));
        check_near((double)body_state_of(world, kept).mass, 2, 1e-6, "mass with the whole particle");
        check_near((double)body_state_of(world, kept).center.x, 0.05, 1e-6, "centre between both");
        check_near((double)mote_particle_count(world), removed ? 2 : 3, 0, "particles");
        mote_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_up_to_date),
        cmocka_unit_test(after_a_snapshot),
        cmocka_unit_test(masses_after_dissolving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
