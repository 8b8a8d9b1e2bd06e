#include "bands.h"

#include "mote/base.h"

#include <pthread.h>
#include <stdatomic.h>

#define MAX_THREADS 64

typedef struct job {
    band_work *work;
    void *context;
    int count, height;
    atomic_int next; /* first line that nobody has taken yet */
} job;

static void *take_bands(void *argument)
{
    job *j = argument;
    for (;;) {
        int first = atomic_fetch_add(&j->next, j->height);
        if (first >= j->count)
            return NULL;
        j->work(j->context, first, first + j->height < j->count ? first + j->height : j->count);
    }
}

void bands_run(band_work *work, void *context, int count, int height)
{
    job j = {.work = work, .context = context, .count = count, .height = height};
    pthread_t threads[MAX_THREADS];
    uint32_t started = 0, wanted = mote_core_count() - 1;
    /* A thread that cannot be had is no failure: the others do its share. */
    while (started < wanted && started < MAX_THREADS &&
           pthread_create(&threads[started], NULL, take_bands, &j) == 0)
        started++;
    take_bands(&j);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}
