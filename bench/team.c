#define _POSIX_C_SOURCE 200809L /* pthread barriers */

#include "team.h"

#include "tools/progress.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct pass_time {
    double begin, end; /* ms on the clock */
} pass_time;

typedef struct team {
    uint32_t size, passes;
    team_work *prepare, *work;
    void *context;
    pthread_mutex_t gate; /* closed until all the threads are there */
    bool incomplete;      /* some thread could not be made: nobody works */
    pthread_barrier_t start;
} team;

typedef struct team_member {
    team *team;
    uint32_t index;
    pthread_t thread;
    pass_time *times; /* one for each pass */
} team_member;

static void *member_main(void *argument)
{
    team_member *self = argument;
    team *all = self->team;
    pthread_mutex_lock(&all->gate);
    bool incomplete = all->incomplete;
    pthread_mutex_unlock(&all->gate);
    if (incomplete)
        return NULL;

    if (all->prepare != NULL)
        all->prepare(all->context, self->index, all->size);
    for (uint32_t pass = 0; pass < all->passes; pass++) {
        pthread_barrier_wait(&all->start);
        self->times[pass].begin = clock_ms();
        all->work(all->context, self->index, all->size);
        self->times[pass].end = clock_ms();
    }
    return NULL;
}

static double pass_ms(const team_member *members, uint32_t size, uint32_t pass)
{
    pass_time whole = members[0].times[pass];
    for (uint32_t i = 1; i < size; i++) {
        pass_time part = members[i].times[pass];
        whole.begin = part.begin < whole.begin ? part.begin : whole.begin;
        whole.end = part.end > whole.end ? part.end : whole.end;
    }
    return whole.end - whole.begin;
}

/* True when all the members worked. */
static bool run_members(team *all, team_member *members)
{
    pthread_mutex_lock(&all->gate);
    uint32_t started = 0;
    while (started < all->size &&
           pthread_create(&members[started].thread, NULL, member_main, &members[started]) == 0)
        started++;
    all->incomplete = started < all->size;
    pthread_mutex_unlock(&all->gate);

    for (uint32_t i = 0; i < started; i++)
        pthread_join(members[i].thread, NULL);
    return !all->incomplete;
}

bool team_run(uint32_t size, uint32_t passes, team_work *prepare, team_work *work, void *context,
              sample_set *times)
{
    team_member *members = calloc(size, sizeof *members);
    pass_time *pass_times = calloc((size_t)size * passes, sizeof *pass_times);
    bool done = members != NULL && pass_times != NULL;
    if (done) {
        team all = {.size = size, .passes = passes, .prepare = prepare, .work = work, .context = context};
        for (uint32_t i = 0; i < size; i++)
            members[i] = (team_member){.team = &all, .index = i, .times = pass_times + (size_t)i * passes};
        pthread_mutex_init(&all.gate, NULL);
        pthread_barrier_init(&all.start, NULL, size);
        done = run_members(&all, members);
        pthread_barrier_destroy(&all.start);
        pthread_mutex_destroy(&all.gate);
    }
    for (uint32_t pass = 0; done && pass < passes; pass++)
        done = samples_add(times, pass_ms(members, size, pass));
    free(pass_times);
    free(members);
    return done;
}
