/* Ctrl-C and friends: a long run should end in good order. */
#ifndef MOTE_TOOLS_INTERRUPT_H
#define MOTE_TOOLS_INTERRUPT_H

/* From now on the first SIGINT or SIGTERM is only remembered; a second one ends the program as ever. */
void interrupt_watch(void);

/* The signal that came; 0: none. */
int interrupt_signal(void);

#endif
