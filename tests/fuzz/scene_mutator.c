/* Changes of scene texts that keep them JSON, most of the time: without them nearly every input would end in
 * the JSON reader. For libFuzzer only. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* A part of the text. */
typedef struct span {
    size_t begin, end;
} span;

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static bool is_simple(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' || c == 'E' ||
           c == '_';
}

/* A number, a word or a name, with the quotes of a text; empty if there is none. */
static span random_token(const uint8_t *data, size_t size, unsigned *seed)
{
    size_t at = size > 0 ? next(seed) % size : 0;
    while (at < size && !is_simple(data[at]))
        at++;
    span token = {at, at};
    while (token.begin > 0 && is_simple(data[token.begin - 1]))
        token.begin--;
    while (token.end < size && is_simple(data[token.end]))
        token.end++;
    if (token.begin > 0 && data[token.begin - 1] == '"' && token.end < size && data[token.end] == '"')
        token = (span){token.begin - 1, token.end + 1};
    return token;
}

/* From an opening bracket or brace to the one that closes it; empty if there is none. */
static span random_group(const uint8_t *data, size_t size, unsigned *seed)
{
    size_t at = size > 0 ? next(seed) % size : 0;
    while (at < size && data[at] != '[' && data[at] != '{')
        at++;
    int depth = 0;
    for (size_t end = at; end < size; end++) {
        depth += (data[end] == '[' || data[end] == '{') - (data[end] == ']' || data[end] == '}');
        if (depth == 0)
            return (span){at, end + 1};
    }
    return (span){size, size};
}

static size_t replace(uint8_t *data, size_t size, size_t max_size, span old, const void *text, size_t length)
{
    size_t after = size - (old.end - old.begin) + length;
    if (after > max_size)
        return size;
    memmove(data + old.begin + length, data + old.end, size - old.end);
    memcpy(data + old.begin, text, length);
    return after;
}

static size_t copy_over(uint8_t *data, size_t size, size_t max_size, span old, span from)
{
    size_t length = from.end - from.begin;
    uint8_t *copy = malloc(length + 1);
    if (copy == NULL)
        return size;
    memcpy(copy, data + from.begin, length);
    size = replace(data, size, max_size, old, copy, length);
    free(copy);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const char *const values[] = {
        "0",          "-0",         "1",      "-1",    "2",     "3",     "0.5",       "1e-9",
        "1e-45",      "1e6",        "-1e6",   "1e9",   "1e12",  "1e19",  "1e30",      "3.4e38",
        "1e39",       "1e308",      "-1e308", "1e400", "255",   "256",   "65536",     "2147483648",
        "4294967295", "4294967296", "1e20",   "0.1",   "0.001", "[]",    "{}",        "[0,0,0]",
        "[1,1,1]",    "null",       "true",   "false", "\"\"",  "\"x\"", "[[0,0,0]]", "[0,1,2]",
    };
    switch (next(&seed) % 6) {
    case 0:
        return LLVMFuzzerMutate(data, size, max_size);
    case 1:
        return copy_over(data, size, max_size, random_token(data, size, &seed),
                         random_token(data, size, &seed));
    case 2:
        return copy_over(data, size, max_size, random_group(data, size, &seed),
                         random_group(data, size, &seed));
    case 3: { /* in front of the group, as one more of a list */
        span group = random_group(data, size, &seed);
        size_t longer = copy_over(data, size, max_size, (span){group.begin, group.begin}, group);
        return replace(data, longer, max_size, (span){group.end, group.end}, ",", longer > size);
    }
    default: {
        const char *value = values[next(&seed) % (sizeof values / sizeof *values)];
        return replace(data, size, max_size, random_token(data, size, &seed), value, strlen(value));
    }
    }
}
