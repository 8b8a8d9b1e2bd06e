/* Bodies: a stack of boxes that a ball knocks over, a chain of jointed rods, a glass bar that breaks where it
 * falls, and a ragdoll. The program tells every half second what goes on, and fails if something goes wrong.
 *
 *     cc bodies.c $(pkg-config --cflags --libs mote) -lm -o bodies && ./bodies */
#include <mote/mote.h>

#include <math.h>
#include <stdio.h>

#define FRAME   (1.0f / 60.0f) /* s */
#define SECONDS 3
#define BOXES   4
#define RODS    6
#define BAR     200 /* points */
#define BONES   6

typedef struct scene {
    mote_world *world;
    mote_body_id boxes[BOXES], ball, rods[RODS];
    mote_skeleton_id doll;
    size_t pieces, broken;
} scene;

static bool succeeded(mote_result result)
{
    if (result != MOTE_OK)
        fprintf(stderr, "%s\n", mote_last_error());
    return result == MOTE_OK;
}

static mote_pose at(float x, float y, float z)
{
    return (mote_pose){{x, y, z}, {0.0f, 0.0f, 0.0f, 1.0f}};
}

static void add_stack_and_ball(scene *s)
{
    const uint32_t cube[3] = {4, 4, 4}; /* particles of 0.1 m: 0.4 m */
    mote_rigid_def def = mote_default_rigid_def();
    for (int i = 0; i < BOXES; i++) {
        def.pose = at(0.0f, 0.2f + 0.4f * (float)i, 0.0f);
        s->boxes[i] = mote_rigid_box(s->world, &def, cube);
    }
    def.pose = at(-3.0f, 1.2f, 0.0f);
    def.velocity = (mote_vec3){6.0f, 1.0f, 0.0f};
    s->ball = mote_rigid_ball(s->world, &def, 0.3f);
}

/* The first rod hangs from the world, each other one from the rod before it; they begin level and swing. */
static bool add_chain(scene *s)
{
    mote_rigid_def def = mote_default_rigid_def();
    mote_joint_def joint = mote_default_joint_def();
    joint.damping = 1.0f;
    bool good = true;
    for (int i = 0; i < RODS; i++) {
        float x = 3.0f + 0.5f * (float)i;
        def.pose = (mote_pose){{x + 0.25f, 4.0f, 0.0f}, {0.0f, 0.0f, 0.70710678f, 0.70710678f}}; /* y along x */
        s->rods[i] = mote_rigid_capsule(s->world, &def, 0.1f, 0.05f);
        joint.a = s->rods[i];
        joint.b = i > 0 ? s->rods[i - 1] : (mote_body_id){0};
        joint.anchor = (mote_vec3){x, 4.0f, 0.0f};
        good = good && !mote_is_null(mote_joint_add(s->world, &joint));
    }
    return good;
}

/* 5 m long, 1.5 m up, and brittle. */
static bool add_bar(scene *s)
{
    mote_vec3 points[BAR];
    for (int i = 0; i < BAR; i++)
        points[i] = (mote_vec3){0.1f * (float)(i / 4), 0.1f * (float)(i % 2), 0.1f * (float)(i / 2 % 2)};
    mote_rigid_def def = mote_default_rigid_def();
    def.pose = (mote_pose){{-2.5f, 1.5f, -3.0f}, {0.0f, 0.0f, 0.08715574f, 0.99619470f}}; /* 10 degrees up */
    mote_pieces_def pieces = mote_default_pieces_def();
    pieces.size = 0.4f;
    pieces.strength = 2e5f;
    return mote_pieces_add(s->world, &def, &pieces, points, BAR, NULL, 0, &s->pieces) == MOTE_OK;
}

/* A trunk, a head, two arms and two legs; limp. */
static bool add_doll(scene *s)
{
    mote_bone_def bones[BONES];
    const mote_vec3 from[BONES] = {{0, 0.9f, 0},     {0, 1.6f, 0},     {0.2f, 1.5f, 0},
                                   {-0.2f, 1.5f, 0}, {0.15f, 0.8f, 0}, {-0.15f, 0.8f, 0}};
    const mote_vec3 axis[BONES] = {{0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, -1, 0}};
    for (int i = 0; i < BONES; i++) {
        bones[i] = mote_default_bone_def();
        bones[i].parent = i == 0 ? MOTE_NO_BONE : 0;
        bones[i].rest = at(from[i].x, from[i].y, from[i].z);
        bones[i].axis = axis[i];
        bones[i].length = i == 1 ? 0.2f : 0.6f;
        bones[i].thickness = i == 0 ? 0.12f : 0.05f;
        bones[i].swing_limit = i == 1 ? 0.5f : 1.5f;
    }
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = bones;
    def.bone_count = BONES;
    def.pose = at(0.0f, 1.0f, 3.0f);
    s->doll = mote_skeleton_add(s->world, &def);
    return !mote_is_null(s->doll);
}

static float height_of(const scene *s, mote_body_id body)
{
    mote_body_state state = {0};
    return succeeded(mote_body_get(s->world, body, &state)) ? state.center.y : NAN;
}

/* What is seen from outside: nothing is below the floor, and the joints hold. */
static bool report(scene *s)
{
    float lowest = INFINITY, gap = 0.0f;
    mote_particles_view view = mote_particles_get_view(s->world);
    for (size_t i = 0; i < view.count; i++)
        lowest = fminf(lowest, view.position[i].y - view.position[i].w);
    mote_joint_id joints[256];
    uint32_t count = mote_joint_list(s->world, joints, 256);
    for (uint32_t i = 0; i < count && i < 256; i++) {
        mote_joint_state state = {0};
        if (!succeeded(mote_joint_get(s->world, joints[i], &state)))
            return false;
        gap = fmaxf(gap, state.gap);
    }
    printf("%6.1f %10.2f %10.2f %10.2f %10.2f %10zu %10.4f\n", mote_world_time(s->world),
           (double)height_of(s, s->boxes[BOXES - 1]), (double)height_of(s, s->ball),
           (double)height_of(s, s->rods[RODS - 1]),
           (double)height_of(s, mote_skeleton_body(s->world, s->doll, 1)), s->broken, (double)gap);
    return lowest > -0.02f && gap < 0.02f;
}

static bool step(scene *s)
{
    if (!succeeded(mote_world_step(s->world, FRAME)))
        return false;
    mote_events events = mote_world_events(s->world);
    for (size_t i = 0; i < events.count; i++)
        s->broken += events.items[i].type == MOTE_EVENT_BREAK;
    return true;
}

int main(void)
{
    mote_world_def def = mote_default_world_def();
    mote_plane_def floor = mote_default_plane_def();
    scene s = {0};
    if (!succeeded(mote_world_create(&def, &s.world)))
        return 1;
    add_stack_and_ball(&s);
    bool good = !mote_is_null(mote_plane_add(s.world, &floor)) && add_chain(&s) && add_bar(&s) && add_doll(&s);
    if (!good)
        fprintf(stderr, "%s\n", mote_last_error());
    printf("%u bodies, %u joints, a bar of %zu pieces\n", mote_body_count(s.world), mote_joint_count(s.world),
           s.pieces);
    puts("time s    top box       ball  chain end       head  joints broken  gap m");
    for (int frame = 0; good && frame <= SECONDS * 60; frame++) {
        good = frame == 0 || step(&s);
        if (good && frame % 30 == 0)
            good = report(&s);
    }
    good = good && s.broken > 0 && height_of(&s, s.boxes[BOXES - 1]) < 1.2f;
    puts(good ? "the ball knocked the stack over, the bar is broken" : "that is not what should happen");
    mote_world_destroy(s.world);
    return good ? 0 : 1;
}
