/* The `mote` command: finds out which command is meant and hands over. */
#define _XOPEN_SOURCE 700 /* SIGXFSZ */
#include "command.h"

#include "bench/bench.h"
#include "io/nearest.h"

#include <signal.h>
#include <string.h>

static const struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} COMMANDS[] = {
    {"run", "simulate a scene", run_command},
    {"scenes", "list the scenes", scenes_command},
    {"check", "look for faults in scene files", check_command},
    {"sample", "fill a mesh with points", sample_command},
    {"demo", "run some of the scenes briefly and draw pictures of them", demo_command},
    {"bench", "measure how fast this machine is", bench_command},
};
#define COMMAND_COUNT (sizeof COMMANDS / sizeof COMMANDS[0])

static void print_help(void)
{
    puts("usage: mote COMMAND [options]\n\n"
         "Mote is a unified particle physics engine. Commands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-10s %s\n", COMMANDS[i].name, COMMANDS[i].summary);
    puts("\n'mote COMMAND --help' explains a command; 'mote --version' prints the version.");
}

static int complain_unknown(const char *name)
{
    const char *best = NULL;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (is_near(name, COMMANDS[i].name) &&
            (best == NULL || edit_distance(name, COMMANDS[i].name) < edit_distance(name, best)))
            best = COMMANDS[i].name;
    if (best != NULL)
        complain("unknown command '%s'; did you mean '%s'?", name, best);
    else
        complain("unknown command '%s'; 'mote --help' lists them", name);
    return EXIT_USAGE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        complain("a command is missing; 'mote --help' lists them");
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help();
        return EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("mote %d.%d.%d\n", MOTE_VERSION_MAJOR, MOTE_VERSION_MINOR, MOTE_VERSION_PATCH);
        return EXIT_OK;
    }
    mote_simd level;
    if (!find_simd_or_complain(NULL, &level)) /* what the environment says is input as well */
        return EXIT_USAGE;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], COMMANDS[i].name) == 0)
            return COMMANDS[i].run(argc - 1, argv + 1);
    return complain_unknown(argv[1]);
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that grows beyond what the shell allows is an error to report */
    int exit_code = dispatch(argc, argv);
    /* What was printed counts only once it is written: the output may be a full disk or a closed pipe. */
    if (!close_written(stdout, "standard output") && exit_code == EXIT_OK)
        exit_code = EXIT_FAILED;
    return exit_code;
}
