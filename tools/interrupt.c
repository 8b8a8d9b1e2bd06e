#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t received;

static void remember(int number)
{
    received = number;
}

void interrupt_watch(void)
{
    /* RESTART: files that are being written do not notice. RESETHAND: who asks twice need not wait. */
    struct sigaction action = {.sa_handler = remember, .sa_flags = (int)(SA_RESTART | SA_RESETHAND)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* The terminal is gone; what nohup has started goes on nevertheless. */
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

int interrupt_signal(void)
{
    return (int)received;
}
