/* Snapshots with wrong numbers behind a right checksum, as a malicious file would have them: what is wrong with
 * the bodies is named and refused; and whichever byte is changed, the world is as it was or can be stepped. */
#include "jointed_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "world/snapshot_layout.h"

typedef struct fixture {
    mote_world *other; /* gets the damaged snapshots */
    unsigned char *bytes, *edited;
    size_t size;
    header h;
    layout l;
} fixture;

/* Two blocks in a joint, one of them hinged to the world, and a driven one. Something was removed, so that
 * there are free handles. */
static mote_world *jointed_blocks(void)
{
    static const uint32_t two[3] = {2, 1, 1}, four[3] = {2, 2, 1};
    mote_world *world = test_world(NULL);
    mote_body_id gone = add_block(world, two, vec(3, 3, 3), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    mote_body_id a = add_block(world, four, vec(0, 1, 0), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    mote_body_id b = add_block(world, two, vec(0.3f, 1, 0), vec(0, 0, 1), MOTE_BODY_DYNAMIC);
    mote_body_id driven = add_block(world, two, vec(0, 0.2f, 0), vec(0, 0, 0), MOTE_BODY_DRIVEN);
    add_joint(world, MOTE_JOINT_HINGE, gone, (mote_body_id){0}, vec(3, 3, 3));
    add_joint(world, MOTE_JOINT_BALL, a, b, vec(0.2f, 1, 0));
    add_joint(world, MOTE_JOINT_HINGE, b, (mote_body_id){0}, vec(0.4f, 1, 0));
    must(mote_body_remove(world, gone));
    step_times(world, 3, TEST_FRAME);
    must(mote_body_move_to(world, driven, (mote_pose){vec(0.1f, 0, 0), {0, 0, 0, 1}}));
    return world;
}

/* Two skeletons of three bones, one of which comes back to being driven. */
static mote_world *two_skeletons(void)
{
    mote_world *world = test_world(NULL);
    mote_bone_def bones[3];
    for (uint32_t i = 0; i < 3; ++i) {
        bones[i] = mote_default_bone_def();
        bones[i].name = "bone";
        bones[i].parent = i == 0 ? MOTE_NO_BONE : i - 1;
        bones[i].rest.position = vec(0, 0.3f * (float)i, 0);
        bones[i].length = 0.2f;
    }
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = bones;
    def.bone_count = 3;
    must_exist(mote_skeleton_add(world, &def));
    def.pose.position.x = 1;
    mote_skeleton_id id = mote_skeleton_add(world, &def);
    must_exist(id);
    must(mote_skeleton_drive(world, id, 1, 0.5f));
    step_times(world, 2, TEST_FRAME);
    return world;
}

/* The snapshot of a world, which is destroyed. */
static fixture fixture_of(mote_world *world)
{
    fixture f = {.other = test_world(NULL), .size = mote_snapshot_size(world)};
    add_particle(f.other, vec(5, 5, 5), vec(0, 0, 0), (mote_material_id){0});
    f.bytes = malloc(f.size);
    f.edited = malloc(f.size);
    assert_true(f.bytes != NULL && f.edited != NULL);
    must(mote_snapshot_take(world, f.bytes, f.size, NULL));
    memcpy(f.edited, f.bytes, f.size);
    memcpy(&f.h, f.bytes, sizeof f.h);
    f.l = mt_snapshot_layout(&f.h);
    mote_world_destroy(world);
    return f;
}

static fixture make_fixture(void)
{
    return fixture_of(jointed_blocks());
}

static void free_fixture(fixture *f)
{
    free(f->bytes);
    free(f->edited);
    mote_world_destroy(f->other);
}

static void repair_checksum(fixture *f)
{
    uint64_t checksum = mt_snapshot_checksum(f->edited, f->size);
    memcpy(f->edited + offsetof(header, checksum), &checksum, sizeof checksum);
}

/* The edited snapshot is refused with the word; then the edit is taken back. */
static void check_refused_at(int line, fixture *f, const char *word, const char *edit)
{
    repair_checksum(f);
    uint64_t hash = mote_world_hash(f->other);
    mote_result result = mote_snapshot_restore(f->other, f->edited, f->size);
    if (result != MOTE_ERROR_SNAPSHOT)
        print_error("%s: answered \"%s\"\n", edit, mote_result_text(result));
    else if (strstr(mote_last_error(), word) == NULL)
        print_error("%s: the error \"%s\" does not name \"%s\"\n", edit, mote_last_error(), word);
    else if (mote_world_hash(f->other) != hash)
        print_error("%s: refused, but the world has changed\n", edit);
    else {
        memcpy(f->edited, f->bytes, f->size);
        return;
    }
    _fail(__FILE__, line);
}

/* The thing at `place` of a part, read, changed by a statement about `x`, and written back. */
#define refused(type, part_name, place, change, word)                                                          \
    do {                                                                                                       \
        unsigned char *at_place = f.edited + f.l.part_name.offset + (size_t)(place) * sizeof(type);            \
        type x;                                                                                                \
        memcpy(&x, at_place, sizeof x);                                                                        \
        change;                                                                                                \
        memcpy(at_place, &x, sizeof x);                                                                        \
        check_refused_at(__LINE__, &f, word, #change);                                                         \
    } while (0)

static const float not_finite[] = {NAN, INFINITY, -INFINITY};

static void bodies(void **state)
{
    (void)state;
    fixture f = make_fixture();
    check_near(f.h.tables[MT_BODIES].items, 3, 0, "bodies in the snapshot");
    check_near((double)f.h.lists[MT_LINKS], 12, 0,
               "links in it: blocks of 4, 2, 2; 1 in both of a pair; 2 of the hinge");
    for (int i = 0; i < 3; ++i) {
        float bad = not_finite[i];
        refused(mt_body, tables[MT_BODIES].items, 1, x.pose.position.y = bad, "body");
        refused(mt_body, tables[MT_BODIES].items, 1, x.pose.rotation.w = bad, "pose");
        refused(mt_body, tables[MT_BODIES].items, 0, x.center.z = bad, "body");
        refused(mt_body, tables[MT_BODIES].items, 0, x.inverse_mass = bad, "inverse mass");
        for (int k = 0; k < 6; ++k)
            refused(mt_body, tables[MT_BODIES].items, 0, x.inverse_inertia[k] = bad, "inverse inertia");
        refused(mt_body, tables[MT_BODIES].items, 2, x.target.position.x = bad, "target");
        refused(mt_body, tables[MT_BODIES].items, 2, x.target.rotation.x = bad, "target");
        refused(mt_body, tables[MT_BODIES].items, 2, x.velocity.x = bad, "velocity");
        refused(mt_body, tables[MT_BODIES].items, 2, x.spin.z = bad, "spin");
        refused(mt_body, tables[MT_BODIES].items, 0, x.surface.pose.position.y = bad, "surface");
        refused(mt_body, tables[MT_BODIES].items, 0, x.surface.pose.rotation.z = bad, "surface");
        for (int k = 0; k < 3; ++k)
            refused(mt_body, tables[MT_BODIES].items, 2, x.surface.size[k] = bad, "surface");
    }
    refused(mt_body, tables[MT_BODIES].items, 0, x.id.index = 1000, "handles");
    refused(mt_body, tables[MT_BODIES].items, 0, x.id.generation++, "handles");
    refused(mt_body, tables[MT_BODIES].items, 0, x.mode = MOTE_BODY_MODE_COUNT, "mode");
    refused(mt_body, tables[MT_BODIES].items, 0, x.pose.rotation.w += 1, "pose");
    refused(mt_body, tables[MT_BODIES].items, 0, x.pose.rotation = ((mote_quat){0, 0, 0, 0}), "pose");
    refused(mt_body, tables[MT_BODIES].items, 0, x.inverse_mass = 0, "inverse mass");
    refused(mt_body, tables[MT_BODIES].items, 0, x.inverse_mass = -1, "inverse mass");
    refused(mt_body, tables[MT_BODIES].items, 0, x.inverse_inertia[1] = -1, "inverse inertia");
    refused(mt_body, tables[MT_BODIES].items, 0, x.inverse_inertia[3] = 1e20f, "inverse inertia");
    refused(mt_body, tables[MT_BODIES].items, 2, x.has_target = 2, "target");
    refused(mt_body, tables[MT_BODIES].items, 2, x.target.rotation.w = 3, "target");
    refused(mt_body, tables[MT_BODIES].items, 0, x.surface.type = MT_SURFACE_TYPE_COUNT, "surface");
    refused(mt_body, tables[MT_BODIES].items, 0, x.surface = ((mt_surface){.type = MT_SURFACE_BOX}), "surface");
    refused(mt_body, tables[MT_BODIES].items, 0, x.surface.size[1] = -1, "surface");
    free_fixture(&f);
}

/* The ranges of links lie side by side and are all there is. */
static void ranges_of_links(void **state)
{
    (void)state;
    fixture f = make_fixture();
    refused(mt_body, tables[MT_BODIES].items, 0, x.first_link = 1, "links");
    refused(mt_body, tables[MT_BODIES].items, 1, x.first_link--, "links");
    refused(mt_body, tables[MT_BODIES].items, 1, x.first_link = UINT32_MAX, "links");
    refused(mt_body, tables[MT_BODIES].items, 0, x.link_count++, "links");
    refused(mt_body, tables[MT_BODIES].items, 0, x.link_count = 0, "links");
    refused(mt_body, tables[MT_BODIES].items, 0, x.link_count = UINT32_MAX, "links");
    refused(mt_body, tables[MT_BODIES].items, 2, x.link_count = UINT32_MAX, "links");
    refused(mt_body, tables[MT_BODIES].items, 2, x.link_count--, "links");
    refused(mt_body, tables[MT_BODIES].items, 2, x.link_count++, "links");
    free_fixture(&f);
}

static mt_link link_at(const fixture *f, size_t place)
{
    mt_link link;
    memcpy(&link, f->bytes + f->l.lists[MT_LINKS].offset + place * sizeof link, sizeof link);
    return link;
}

static void links(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mt_link first = link_at(&f, 0);
    refused(mt_link, lists[MT_LINKS], 1, x.particle = first.particle, "twice");
    refused(mt_link, lists[MT_LINKS], 1, x.particle.index = f.h.tables[MT_PARTICLES].handles, "not there");
    refused(mt_link, lists[MT_LINKS], 1, x.particle.index = UINT32_MAX, "not there");
    refused(mt_link, lists[MT_LINKS], 1, x.particle.generation++, "not there");
    refused(mt_link, lists[MT_LINKS], 1, x.particle.generation = 0, "not there");
    uint32_t dead = 0, generation = 0; /* of a handle that is free, with the generation that it will have */
    check_above(f.h.tables[MT_PARTICLES].free, 1, "free handles of particles");
    memcpy(&dead, f.bytes + f.l.tables[MT_PARTICLES].free.offset, sizeof dead);
    memcpy(&generation, f.bytes + f.l.tables[MT_PARTICLES].generations.offset + dead * sizeof generation,
           sizeof generation);
    refused(mt_link, lists[MT_LINKS], 1, x.particle = ((mote_particle_id){dead, generation}), "not there");
    for (int i = 0; i < 3; ++i) {
        float bad = not_finite[i];
        refused(mt_link, lists[MT_LINKS], 2, x.rest.x = bad, "place");
        refused(mt_link, lists[MT_LINKS], 2, x.mass = bad, "mass");
    }
    refused(mt_link, lists[MT_LINKS], 2, x.mass = 0, "mass");
    refused(mt_link, lists[MT_LINKS], 2, x.mass = -1, "mass");
    free_fixture(&f);
}

/* Every float of a joint, one after the other. */
static void floats_of_joints(void **state)
{
    (void)state;
    fixture f = make_fixture();
    size_t first = offsetof(mt_joint, anchor_a), count = (sizeof(mt_joint) - first) / sizeof(float);
    for (size_t k = 0; k < count; ++k)
        for (int i = 0; i < 3; ++i)
            refused(mt_joint, tables[MT_JOINTS].items, 0,
                    memcpy((char *)&x + first + k * sizeof(float), &not_finite[i], sizeof(float)), "joint");
    free_fixture(&f);
}

static void joints(void **state)
{
    (void)state;
    fixture f = make_fixture();
    check_near(f.h.tables[MT_JOINTS].items, 2, 0, "joints in the snapshot");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.type = MOTE_JOINT_TYPE_COUNT, "type");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.a.index = UINT32_MAX, "not there");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.a.generation++, "not there");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.a = ((mote_body_id){0, 0}), "not there");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.b.index = f.h.tables[MT_BODIES].handles, "not there");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.b.generation = 0, "not there");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.b = x.a, "itself");
    uint32_t dead = 0, generation = 0;
    check_near(f.h.tables[MT_BODIES].free, 1, 0, "free handles of bodies");
    memcpy(&dead, f.bytes + f.l.tables[MT_BODIES].free.offset, sizeof dead);
    memcpy(&generation, f.bytes + f.l.tables[MT_BODIES].generations.offset + dead * sizeof generation,
           sizeof generation);
    refused(mt_joint, tables[MT_JOINTS].items, 1, x.a = ((mote_body_id){dead, generation}), "not there");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.axis_a = vec(0, 0, 0), "axes");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.axis_b = vec(1, 1, 0), "axes");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.side_b = vec(0, 0, 0), "axes");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.anchor_b.x = 1e10f, "anchor");
    refused(mt_joint, tables[MT_JOINTS].items, 1, x.min_angle = 2, "limit");
    refused(mt_joint, tables[MT_JOINTS].items, 1, x.max_angle = 4.1f, "limit");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.swing_limit = -0.1f, "limit");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.twist_limit = 4.1f, "limit");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.damping = -1, "strength");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.break_force = -1, "strength");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.bent = -1, "strength");
    refused(mt_joint, tables[MT_JOINTS].items, 0, x.id.index = 77, "handles");
    free_fixture(&f);
}

/* Bodies of the two skeletons that do not collide until they are apart: bones that touch have been let go. */
static void deferred(void **state)
{
    (void)state;
    mote_world *world = two_skeletons();
    mote_skeleton_id skeleton;
    assert_true(mote_skeleton_list(world, &skeleton, 1) == 2);
    must(mote_skeleton_drive(world, skeleton, MOTE_ALL_BONES, 0));
    must(mote_skeleton_release(world, skeleton, MOTE_ALL_BONES));
    fixture f = fixture_of(world);
    check_above((double)f.h.lists[MT_DEFERRED], 3, "deferred pairs in the snapshot");
    refused(mt_deferred_pair, lists[MT_DEFERRED], 0, x.a.index = f.h.tables[MT_BODIES].handles,
            "deferred pair 0: it is of a body that is not there");
    refused(mt_deferred_pair, lists[MT_DEFERRED], 1, x.a.generation++,
            "deferred pair 1: it is of a body that is not there");
    refused(mt_deferred_pair, lists[MT_DEFERRED], 0, x.a = ((mote_body_id){0, 0}), "not there");
    refused(mt_deferred_pair, lists[MT_DEFERRED], 0, x.b = ((mote_body_id){UINT32_MAX, 1}), "not there");
    refused(mt_deferred_pair, lists[MT_DEFERRED], 0, x.b = ((mote_body_id){1, 0}), "not there");
    refused(mt_deferred_pair, lists[MT_DEFERRED], 0, x.b = x.a, "itself");
    refused(mt_body, tables[MT_BODIES].items, 0, x.is_bone = 2, "bone");
    free_fixture(&f);
}

static void skeletons(void **state)
{
    (void)state;
    fixture f = fixture_of(two_skeletons());
    check_near(f.h.tables[MT_SKELETONS].items, 2, 0, "skeletons in the snapshot");
    check_near((double)f.h.lists[MT_BONES], 6, 0, "bones in it");
    refused(mt_skeleton, tables[MT_SKELETONS].items, 0, x.first_bone = 1, "bones");
    refused(mt_skeleton, tables[MT_SKELETONS].items, 1, x.first_bone = 2, "bones");
    refused(mt_skeleton, tables[MT_SKELETONS].items, 0, x.bone_count = 0, "bones");
    refused(mt_skeleton, tables[MT_SKELETONS].items, 0, x.bone_count = 4, "bones");
    refused(mt_skeleton, tables[MT_SKELETONS].items, 1, x.bone_count = 2, "bones");
    refused(mt_skeleton, tables[MT_SKELETONS].items, 1, x.bone_count = UINT32_MAX, "bones");
    refused(mt_skeleton, tables[MT_SKELETONS].items, 1, x.id.index = 0, "handles");
    refused(mt_bone, lists[MT_BONES], 1, memset(x.name, 'a', sizeof x.name), "name");
    refused(mt_bone, lists[MT_BONES], 1, x.parent = 1, "parent");
    refused(mt_bone, lists[MT_BONES], 3, x.parent = 2, "parent");
    refused(mt_bone, lists[MT_BONES], 2, x.parent = UINT32_MAX - 1, "parent");
    refused(mt_bone, lists[MT_BONES], 4, x.driven = 2, "driven");
    refused(mt_bone, lists[MT_BONES], 4, x.offset.rotation = ((mote_quat){0, 0, 0, 0}), "pose");
    refused(mt_bone, lists[MT_BONES], 4, x.blend = -1, "time");
    for (int i = 0; i < 3; ++i) {
        float bad = not_finite[i];
        refused(mt_bone, lists[MT_BONES], 4, x.offset.position.x = bad, "pose");
        refused(mt_bone, lists[MT_BONES], 4, x.offset.rotation.z = bad, "pose");
        refused(mt_bone, lists[MT_BONES], 4, x.from.position.y = bad, "pose");
        refused(mt_bone, lists[MT_BONES], 4, x.from.rotation.w = bad, "pose");
        refused(mt_bone, lists[MT_BONES], 4, x.blend = bad, "time");
        refused(mt_bone, lists[MT_BONES], 4, x.blended = bad, "time");
    }
    free_fixture(&f);
}

static void counts(void **state)
{
    (void)state;
    fixture f = make_fixture();
    f.l.tables[MT_BODIES].items.offset = 0; /* the header is where everything begins */
    refused(header, tables[MT_BODIES].items, 0, x.tables[MT_BODIES].items = MT_MAX_BODIES + 1, "limits");
    refused(header, tables[MT_BODIES].items, 0, x.tables[MT_JOINTS].items = MT_MAX_JOINTS + 1, "limits");
    refused(header, tables[MT_BODIES].items, 0, x.tables[MT_SKELETONS].items = MT_MAX_SKELETONS + 1, "limits");
    refused(header, tables[MT_BODIES].items, 0, x.lists[MT_LINKS] = UINT64_MAX, "limits");
    refused(header, tables[MT_BODIES].items, 0, x.lists[MT_BONES] = UINT64_MAX / 2, "limits");
    refused(header, tables[MT_BODIES].items, 0, x.tables[MT_BODIES].items--, "cut short or too long");
    refused(header, tables[MT_BODIES].items, 0, x.lists[MT_LINKS]++, "cut short or too long");
    refused(header, tables[MT_BODIES].items, 0, x.lists[MT_BONES]++, "cut short or too long");
    refused(header, tables[MT_BODIES].items, 0, x.lists[MT_DEFERRED]++, "cut short or too long");
    refused(header, tables[MT_BODIES].items, 0, x.lists[MT_DEFERRED] = UINT64_MAX / 2, "limits");
    refused(header, tables[MT_BODIES].items, 0, x.format = 2, "another version");
    free_fixture(&f);
}

/* ---- every byte ------------------------------------------------------------------------------------------ */

/* What only costs time is lowered. */
static void step_twice(mote_world *world)
{
    mote_settings settings = mote_world_settings(world);
    settings.substeps = 1 + settings.substeps % 3;
    settings.iterations = 1 + settings.iterations % 3;
    settings.stabilization_iterations %= 3;
    must(mote_world_set_settings(world, &settings));
    for (int i = 0; i < 2; ++i) {
        uint64_t hash = mote_world_hash(world);
        if (mote_world_step(world, TEST_FRAME) != MOTE_OK)
            check_true(mote_world_hash(world) == hash, "a step that fails leaves the world as it was");
    }
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; ++i)
        check_true(isfinite(view.position[i].x) && isfinite(view.position[i].y) && isfinite(view.position[i].z),
                   "positions stay finite");
}

/* A world that was restored has to have a snapshot of its own that can be restored. */
static void check_taken_again(fixture *f)
{
    size_t size = mote_snapshot_size(f->other);
    unsigned char *again = malloc(size);
    assert_non_null(again);
    must(mote_snapshot_take(f->other, again, size, NULL));
    must(mote_snapshot_restore(f->other, again, size));
    free(again);
}

static size_t try_byte(fixture *f, size_t place, unsigned char flip)
{
    f->edited[place] ^= flip;
    repair_checksum(f);
    uint64_t hash = mote_world_hash(f->other);
    mote_result result = mote_snapshot_restore(f->other, f->edited, f->size);
    f->edited[place] ^= flip;
    if (result != MOTE_OK) {
        check_true(mote_world_hash(f->other) == hash, "byte %zu is refused and nothing has changed", place);
        return 1;
    }
    step_twice(f->other);
    check_taken_again(f);
    return 0;
}

static void every_byte(void **state)
{
    (void)state;
    static const unsigned char flips[] = {0x01, 0x40, 0x80, 0xFF};
    for (int which = 0; which < 2; ++which) {
        fixture f = which == 0 ? make_fixture() : fixture_of(two_skeletons());
        size_t tried = 0, refusals = 0;
        for (size_t i = 0; i < f.size;
             i += i < f.l.tables[MT_BODIES].items.offset && i > sizeof(header) ? 7 : 1)
            for (size_t k = 0; k < sizeof flips; ++k, ++tried)
                refusals += try_byte(&f, i, flips[k]);
        check_above((double)refusals, 0.1 * (double)tried, "flips that are refused");
        check_above((double)(tried - refusals), 0.1 * (double)tried, "flips that are restored and stepped");
        free_fixture(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies),    cmocka_unit_test(ranges_of_links),  cmocka_unit_test(links),
        cmocka_unit_test(joints),    cmocka_unit_test(floats_of_joints), cmocka_unit_test(deferred),
        cmocka_unit_test(skeletons), cmocka_unit_test(counts),           cmocka_unit_test(every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
