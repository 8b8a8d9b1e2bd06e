/* A task system of the program's own: the world's loops run on threads that belong to the program. The result
 * is the same, to the bit, as with the library's own threads.
 *
 *     cc task_system.c $(pkg-config --cflags --libs mote) -pthread -o task_system && ./task_system */
#include <mote/mote.h>

#include <pthread.h>
#include <stdio.h>

#define FRAME   (1.0f / 60.0f) /* s */
#define FRAMES  60
#define HELPERS 2 /* threads beside the one that steps */

/* One loop at a time: tasks 0 .. count-1, handed out one after the other. */
typedef struct team {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* there is work, or it is done, or the end has come */
    pthread_t helpers[HELPERS];
    mote_task *task;
    void *context;
    uint32_t count, next, done;
    uint64_t loops, tasks; /* counted for the report */
    bool ended;
} team;

/* Takes tasks until none is left. Called with the lock held, which is let go while a task runs. */
static void help(team *t)
{
    while (t->next < t->count) {
        uint32_t index = t->next++;
        mote_task *task = t->task;
        void *context = t->context;
        pthread_mutex_unlock(&t->lock);
        task(context, index);
        pthread_mutex_lock(&t->lock);
        t->tasks++;
        if (++t->done == t->count)
            pthread_cond_broadcast(&t->changed);
    }
}

static void *helper(void *argument)
{
    team *t = argument;
    pthread_mutex_lock(&t->lock);
    while (!t->ended) {
        help(t);
        if (!t->ended)
            pthread_cond_wait(&t->changed, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* What the world calls: returns when every task has been run. */
static void run(void *user, mote_task *task, void *context, uint32_t count)
{
    team *t = user;
    pthread_mutex_lock(&t->lock);
    t->task = task;
    t->context = context;
    t->count = count;
    t->next = t->done = 0;
    t->loops++;
    pthread_cond_broadcast(&t->changed);
    help(t);
    while (t->done < count)
        pthread_cond_wait(&t->changed, &t->lock);
    t->count = t->next = 0;
    pthread_mutex_unlock(&t->lock);
}

static uint32_t start(team *t)
{
    uint32_t started = 0;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    while (started < HELPERS && pthread_create(&t->helpers[started], NULL, helper, t) == 0)
        started++;
    return started;
}

static void stop(team *t, uint32_t started)
{
    pthread_mutex_lock(&t->lock);
    t->ended = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(t->helpers[i], NULL);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
}

/* A block of grains falls on a floor; answers the hash of the world after a second, 0 if something failed. */
static uint64_t simulate(mote_world_def def)
{
    mote_world *world;
    if (mote_world_create(&def, &world) != MOTE_OK) {
        fprintf(stderr, "%s\n", mote_last_error());
        return 0;
    }
    mote_plane_def floor_def = mote_default_plane_def();
    mote_grains_def block = mote_default_grains_def();
    for (int axis = 0; axis < 3; axis++)
        block.count[axis] = 16;
    block.origin.y = 0.5f;
    block.radius_spread = 0.3f;
    bool good =
        !mote_is_null(mote_plane_add(world, &floor_def)) && mote_grains_block(world, &block, NULL) == MOTE_OK;
    for (int frame = 0; good && frame < FRAMES; frame++)
        good = mote_world_step(world, FRAME) == MOTE_OK;
    if (!good)
        fprintf(stderr, "%s\n", mote_last_error());
    uint64_t hash = good ? mote_world_hash(world) : 0;
    mote_world_destroy(world);
    return hash;
}

int main(void)
{
    static team t; /* all zero: no work yet */
    mote_world_def def = mote_default_world_def();
    def.thread_count = 2;
    uint64_t own = simulate(def);
    printf("the library's threads: %016llx\n", (unsigned long long)own);

    uint32_t started = start(&t);
    def.tasks = (mote_task_system){.run = run, .user = &t, .worker_count = 1 + started};
    uint64_t hosted = simulate(def);
    stop(&t, started);
    printf("our own threads:       %016llx\n", (unsigned long long)hosted);
    printf("%u threads ran %s loops\n", 1 + started, t.loops > FRAMES ? "all" : "too few");
    return own != 0 && own == hosted && t.loops > FRAMES && t.tasks >= t.loops ? 0 : 1;
}
