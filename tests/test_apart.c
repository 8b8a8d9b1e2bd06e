/* Readers in a process of their own: they end with the program that asked, also when it is killed, and when their time is
 * over; and a file's time goes by what is on the disk of it, not by the holes in it. */
#define _POSIX_C_SOURCE 200809L
#include "temp_folder.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/apart.h"
#include "io/input_file.h"

/* ---- work that never ends ---------------------------------------------------------------------------------- */

/* Says that it is there, and waits. */
static bool wait_forever(void *context, const apart_pipe *out)
{
    (void)out;
    const int *said = context;
    if (write(*said, "x", 1) != 1)
        return false;
    for (;;)
        pause();
}

static bool work_forever(void *context, const apart_pipe *out)
{
    (void)context;
    volatile unsigned long count = 0;
    while (out != NULL)
        count++;
    return false;
}

static apart_outcome wait_for_answer(void *context, const apart_pipe *in, char error[APART_ERROR])
{
    (void)context;
    (void)error;
    char answer;
    return apart_receive(in, &answer, 1) ? APART_DONE : APART_ASTRAY;
}

/* ---- tests ------------------------------------------------------------------------------------------------- */

/* Something to read within the seconds, which is nothing at all if all who could write have ended. */
static bool is_readable(int fd, int seconds)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    return poll(&wait, 1, 1000 * seconds) == 1;
}

/* A program that asks a reader, and is killed meanwhile. The reader has the pipe's only other end then. */
static void a_reader_ends_with_who_asked(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t program = fork();
    assert_true(program >= 0);
    if (program == 0) {
        close(ends[0]);
        const apart_job job = {.context = &ends[1], .work = wait_forever, .receive = wait_for_answer};
        const apart_limits limits = {.cpu_seconds = 600, .memory = (size_t)1 << 30};
        char error[APART_ERROR];
        apart_run(&job, &limits, error);
        _exit(1);
    }
    close(ends[1]);
    char said = 0;
    check_true(is_readable(ends[0], 30) && read(ends[0], &said, 1) == 1, "the reader is there");
    check_true(!is_readable(ends[0], 0), "and goes on");
    kill(program, SIGKILL);
    assert_int_equal(waitpid(program, NULL, 0), program);
    check_true(is_readable(ends[0], 30) && read(ends[0], &said, 1) == 0, "it has ended as well");
    close(ends[0]);
}

static void a_reader_ends_after_its_time(void **state)
{
    (void)state;
    const apart_job job = {.work = work_forever, .receive = wait_for_answer};
    const apart_limits limits = {.cpu_seconds = 1, .memory = (size_t)1 << 30};
    char error[APART_ERROR] = "";
    check_true(!apart_run(&job, &limits, error), "there is no answer");
    check_true(strstr(error, "more than 1 s") != NULL, "the reason: %s", error);
}

/* A gigabyte of nothing behind four thousand bytes. */
static void holes_take_no_time(void **state)
{
    (void)state;
    static const char bytes[4096] = "# a file\n";
    int file = open(temp_path("holes.obj"), O_WRONLY | O_CREAT, 0600);
    check_true(file >= 0 && write(file, bytes, sizeof bytes) == (ssize_t)sizeof bytes, "a file");
    if (ftruncate(file, (off_t)1 << 30) != 0) {
        print_message("no files with holes here\n");
        close(file);
        return;
    }
    close(file);
    size_t size = 0;
    check_true(input_file_fault(temp_path("holes.obj"), &size) == NULL, "it is a file");
    check_below((double)size, 1 << 20, "bytes of it that are there");
    apart_limits limits = input_file_limits(size, 20);
    check_below(limits.cpu_seconds, 21.5, "s that reading it may take");
    check_below((double)limits.memory, 3e9, "bytes that it may take");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_ends_with_who_asked),
        cmocka_unit_test(a_reader_ends_after_its_time),
        IN_TEMP_FOLDER(holes_take_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
