#include "nearest.h"

#include <string.h>

#define LONGEST 63

/* Row by row through the table of distances between the beginnings of both words (Wagner and Fischer, 1974). */
size_t edit_distance(const char *a, const char *b)
{
    size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a > LONGEST || length_b > LONGEST)
        return length_a + length_b;
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= length_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            size_t inserted = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = changed < inserted ? changed : inserted;
        }
    }
    return row[length_b];
}

bool is_near(const char *written, const char *known)
{
    size_t length = strlen(written);
    if (length >= 3 && strncmp(written, known, length) == 0)
        return true;
    return edit_distance(written, known) <= 1 + strlen(known) / 4;
}

const char *nearer_word(const char *written, const char *best, const char *known)
{
    if (!is_near(written, known))
        return best;
    return best == NULL || edit_distance(written, known) < edit_distance(written, best) ? known : best;
}

const char *nearest_word(const char *written, const char *const *words)
{
    const char *best = NULL;
    for (; *words != NULL; words++)
        best = nearer_word(written, best, *words);
    return best;
}
