/* BVH files say how many frames follow and how long each lasts, and assimp believes them: it makes room for the
 * frames before it reads the first, and divides by the time. So both are looked at before. */
#include "io/rig_file_import.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD 40 /* bytes of a word with the 0 behind it; of longer ones the beginning */

typedef struct motion_head {
    double channels; /* numbers a frame */
    char frames[WORD], time[WORD];
} motion_head;

/* False at the end of the file. Bytes that do not belong into a message become question marks. */
static bool next_word(FILE *file, char word[WORD])
{
    size_t length = 0;
    int c = getc(file);
    while (c != EOF && isspace(c))
        c = getc(file);
    for (; c != EOF && !isspace(c); c = getc(file))
        if (length < WORD - 1)
            word[length++] = isprint(c) ? (char)c : '?';
    word[length] = '\0';
    return length > 0;
}

static bool next_is(FILE *file, const char *expected)
{
    char word[WORD];
    return next_word(file, word) && strcmp(word, expected) == 0;
}

/* False for what is no BVH file, or is cut short: assimp says what is wrong with that. A joint may have any
 * name, also "MOTION"; but then no "Frames:" follows. */
static bool read_motion_head(FILE *file, motion_head *head)
{
    char word[WORD], before[WORD] = "";
    head->channels = 0;
    if (!next_is(file, "HIERARCHY"))
        return false;
    while (next_word(file, word)) {
        if (strcmp(before, "CHANNELS") == 0)
            head->channels += fmax(strtod(word, NULL), 0);
        if (strcmp(before, "MOTION") == 0 && strcmp(word, "Frames:") == 0)
            return next_word(file, head->frames) && next_is(file, "Frame") && next_is(file, "Time:") &&
                   next_word(file, head->time);
        memcpy(before, word, sizeof before);
    }
    return false;
}

/* All of the word is a number. As assimp does, it takes a comma for a point: some programs write one. */
static bool is_number(const char *word, double *value)
{
    char text[WORD], *end;
    snprintf(text, sizeof text, "%s", word);
    char *comma = strchr(text, ',');
    if (comma != NULL)
        *comma = '.';
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

/* A number in a file takes two bytes or more: a digit and what parts it from the next. */
static bool check_motion_head(rig_importer *in, const motion_head *head, double size)
{
    double frames, time;
    if (!is_number(head->frames, &frames) || !(frames >= 1))
        return rig_refuse(in, "'Frames:' is '%s'; it must be 1 or more", head->frames);
    if (!is_number(head->time, &time) || !(time > 0))
        return rig_refuse(in, "'Frame Time:' is '%s'; it must be above 0 s", head->time);
    if (frames * fmax(head->channels, 1) * 2 > size + 1)
        return rig_refuse(in, "'Frames:' is '%s'; so many frames of %g numbers do not fit in its %.0f bytes",
                          head->frames, head->channels, size);
    return true;
}

bool rig_check_bvh(rig_importer *in, const char *path)
{
    motion_head head;
    FILE *file = fopen(path, "rb");
    if (file == NULL) /* assimp says why */
        return true;
    bool found = read_motion_head(file, &head);
    long size = found && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    fclose(file);
    return size < 0 || check_motion_head(in, &head, (double)size);
}
