#include "faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_fault(const scene_fault *fault, const char *file)
{
    fputs(file, stderr);
    if (fault->line > 0)
        fprintf(stderr, ":%d", fault->line);
    fprintf(stderr, ": %s: ", fault->warning ? "warning" : "error");
    if (fault->field[0] != '\0')
        fprintf(stderr, "%s: ", fault->field);
    fprintf(stderr, "%s\n", fault->text);
}

void faults_print(const scene_faults *faults, const char *file, bool with_warnings)
{
    for (size_t i = 0; i < faults->count; i++)
        if (with_warnings || !faults->items[i].warning)
            print_fault(&faults->items[i], file);
    if (faults->out_of_room)
        fprintf(stderr, "%s: error: there are more faults than there is room for\n", file);
}

const char *count_text(uint64_t count, char text[32])
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, count);
    size_t length = strlen(digits), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}
