/* `mote bench`: how long things take, on this machine, beside what others need for the same. */
#ifndef MOTE_BENCH_BENCH_H
#define MOTE_BENCH_BENCH_H

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the command; argv[0] is "bench". The answer is the exit code: 0, 1 (failed) or 2 (bad usage). */
int bench_command(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
