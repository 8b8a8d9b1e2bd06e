/* BVH files say how many frames follow and how long each lasts, and assimp believes them: it makes room for the
 * frames before it reads the first, and divides by the time. So both are looked at before. So are the numbers
 * of channels: of a wrong one assimp only says which word it then met. */
#include "io/rig_file_import.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD 40 /* bytes of a word with the 0 behind it; of longer ones the beginning */

#define MOST_CHANNELS 6 /* of a joint: three places, three turns */

typedef struct motion_head {
    double channels; /* numbers a frame */
    char frames[WORD], time[WORD];
    char wrong[WORD]; /* the first number of channels that is none; "": there is none such */
    uint32_t wrong_line;
} motion_head;

typedef struct bvh_reader {
    FILE *file;
    uint32_t line; /* of the word read last, from 1 */
    int before;    /* the byte that ended it */
} bvh_reader;

/* False at the end of the file. Bytes that do not belong into a message become question marks. */
static bool next_word(bvh_reader *in, char word[WORD])
{
    size_t length = 0;
    int c = in->before;
    for (; c != EOF && isspace(c); c = getc(in->file))
        in->line += c == '\n';
    for (; c != EOF && !isspace(c); c = getc(in->file))
        if (length < WORD - 1)
            word[length++] = isprint(c) ? (char)c : '?';
    in->before = c;
    word[length] = '\0';
    return length > 0;
}

static bool next_is(bvh_reader *in, const char *expected)
{
    char word[WORD];
    return next_word(in, word) && strcmp(word, expected) == 0;
}

/* A joint may be called "CHANNELS", so what is no number is not looked at. */
static void add_channels(const bvh_reader *in, motion_head *head, const char *word)
{
    char *end;
    double count = strtod(word, &end);
    if (end == word || *end != '\0')
        return;
    if (count >= 0 && count <= MOST_CHANNELS && count == floor(count))
        head->channels += count;
    else if (head->wrong[0] == '\0') {
        memcpy(head->wrong, word, sizeof head->wrong);
        head->wrong_line = in->line;
    }
}

/* False for what is no BVH file, or is cut short: assimp says what is wrong with that. A joint may have any
 * name, also "MOTION"; but then no "Frames:" follows. */
static bool read_motion_head(bvh_reader *in, motion_head *head)
{
    char word[WORD], before[WORD] = "";
    if (!next_is(in, "HIERARCHY"))
        return false;
    while (next_word(in, word)) {
        if (strcmp(before, "CHANNELS") == 0)
            add_channels(in, head, word);
        if (strcmp(before, "MOTION") == 0 && strcmp(word, "Frames:") == 0)
            return next_word(in, head->frames) && next_is(in, "Frame") && next_is(in, "Time:") &&
                   next_word(in, head->time);
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
    motion_head head = {.channels = 0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) /* assimp says why */
        return true;
    bvh_reader reader = {file, 1, ' '};
    bool found = read_motion_head(&reader, &head);
    long size = found && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    fclose(file);
    if (head.wrong[0] != '\0')
        return rig_refuse(in, "line %u: 'CHANNELS' is '%s'; it must be a whole number from 0 to %d",
                          head.wrong_line, head.wrong, MOST_CHANNELS);
    return size < 0 || check_motion_head(in, &head, (double)size);
}
