#include "io/json_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scanner {
    const char *at, *end, *line_start;
    int line, depth;
    json_lines *lines;
    json_text_fault *fault;
} scanner;

void json_lines_free(json_lines *lines)
{
    free(lines->items);
    *lines = (json_lines){0};
}

/* Notes the fault at the present place; always false. */
__attribute__((format(printf, 2, 3))) static bool fail(scanner *s, const char *format, ...)
{
    s->fault->line = s->line;
    s->fault->column = (int)(s->at - s->line_start) + 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->fault->text, sizeof s->fault->text, format, arguments);
    va_end(arguments);
    return false;
}

/* "expected X, found Y". */
static bool fail_expected(scanner *s, const char *expected)
{
    if (s->at >= s->end)
        return fail(s, "expected %s, found the end of the file", expected);
    unsigned char c = (unsigned char)*s->at;
    if (c < 0x20 || c >= 0x7f)
        return fail(s, "expected %s, found the byte 0x%02x", expected, c);
    return fail(s, "expected %s, found '%c'", expected, c);
}

static bool note_line(scanner *s)
{
    json_lines *lines = s->lines;
    if (lines->count == lines->capacity) {
        size_t capacity = lines->capacity > 0 ? 2 * lines->capacity : 256;
        int *items = realloc(lines->items, capacity * sizeof *items);
        if (items == NULL)
            return fail(s, "no memory for the lines of the text");
        lines->items = items;
        lines->capacity = capacity;
    }
    lines->items[lines->count++] = s->line;
    return true;
}

static void skip_space(scanner *s)
{
    for (; s->at < s->end; s->at++) {
        if (*s->at == '\n') {
            s->line++;
            s->line_start = s->at + 1;
        } else if (*s->at != ' ' && *s->at != '\t' && *s->at != '\r') {
            return;
        }
    }
}

static bool is_digit(const scanner *s)
{
    return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static bool scan_digits(scanner *s, const char *expected)
{
    if (!is_digit(s))
        return fail_expected(s, expected);
    while (is_digit(s))
        s->at++;
    return true;
}

static bool scan_number(scanner *s)
{
    const char *start = s->at;
    if (*s->at == '-')
        s->at++;
    if (s->at < s->end && *s->at == '0') {
        s->at++;
        if (is_digit(s))
            return fail(s, "a number does not begin with 0 followed by a digit");
    } else if (!scan_digits(s, "a digit")) {
        return false;
    }
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        if (!scan_digits(s, "a digit behind the point"))
            return false;
    }
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        s->at++;
        if (s->at < s->end && (*s->at == '+' || *s->at == '-'))
            s->at++;
        if (!scan_digits(s, "a digit of the exponent"))
            return false;
    }
    char number[64];
    size_t length = (size_t)(s->at - start);
    if (length >= sizeof number) { /* cJSON reads 63 characters at most */
        s->at = start;
        return fail(s, "a number of %zu characters is too long; 63 are enough", length);
    }
    memcpy(number, start, length);
    number[length] = '\0';
    if (isfinite(strtod(number, NULL)))
        return true;
    s->at = start;
    return fail(s, "the number %s is too large", number);
}

/* Four hexadecimal digits at the present place; -1 if they are not there. */
static int hex4(const scanner *s)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        if (s->end - s->at <= i)
            return -1;
        char c = s->at[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* Behind "\u". Halves of a pair must come as a pair, and the character 0 would cut the text short. */
static bool scan_unicode(scanner *s)
{
    int code = hex4(s);
    if (code < 0)
        return fail_expected(s, "four hexadecimal digits behind \\u");
    if (code == 0)
        return fail(s, "the character \\u0000 is not allowed in a text");
    if (code >= 0xDC00 && code <= 0xDFFF)
        return fail(s, "\\u%04X is the second half of a pair without its first", (unsigned)code);
    s->at += 4;
    if (code < 0xD800 || code > 0xDBFF)
        return true;
    if (s->end - s->at < 6 || s->at[0] != '\\' || s->at[1] != 'u')
        return fail_expected(s, "the second half of a \\u pair");
    s->at += 2;
    int second = hex4(s);
    if (second < 0xDC00 || second > 0xDFFF)
        return fail_expected(s, "the second half of a \\u pair");
    s->at += 4;
    return true;
}

/* A character beyond ASCII: well-formed UTF-8 of two to four bytes. */
static bool scan_utf8(scanner *s)
{
    unsigned char c = (unsigned char)*s->at;
    int length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    bool good = c >= 0xC2 && c <= 0xF4 && s->end - s->at >= length;
    for (int i = 1; good && i < length; i++)
        good = ((unsigned char)s->at[i] & 0xC0) == 0x80;
    if (!good)
        return fail(s, "the byte 0x%02x is not UTF-8", c);
    s->at += length;
    return true;
}

static bool scan_string(scanner *s, const char *expected)
{
    if (s->at >= s->end || *s->at != '"')
        return fail_expected(s, expected);
    s->at++;
    while (s->at < s->end && *s->at != '"') {
        unsigned char c = (unsigned char)*s->at;
        if (c < 0x20)
            return fail_expected(s, "a '\"' that ends the text");
        if (c >= 0x80) {
            if (!scan_utf8(s))
                return false;
            continue;
        }
        s->at++;
        if (c != '\\')
            continue;
        if (s->at >= s->end || strchr("\"\\/bfnrtu", *s->at) == NULL || *s->at == '\0')
            return fail_expected(s, "one of \" \\ / b f n r t u behind a backslash");
        if (*s->at++ == 'u' && !scan_unicode(s))
            return false;
    }
    if (s->at >= s->end)
        return fail_expected(s, "a '\"' that ends the text");
    s->at++;
    return true;
}

static bool scan_value(scanner *s);

/* Members of an object, or elements of an array, up to and with the closing bracket. */
static bool scan_members(scanner *s, char close)
{
    bool object = close == '}';
    if (++s->depth > JSON_MAX_DEPTH)
        return fail(s, "objects and arrays are nested deeper than %d", JSON_MAX_DEPTH);
    s->at++;
    skip_space(s);
    if (s->at < s->end && *s->at == close) {
        s->at++;
        s->depth--;
        return true;
    }
    for (;;) {
        skip_space(s);
        if (object) {
            if (!scan_string(s, "a field's name in quotes"))
                return false;
            skip_space(s);
            if (s->at >= s->end || *s->at != ':')
                return fail_expected(s, "':' behind the field's name");
            s->at++;
        }
        if (!scan_value(s))
            return false;
        skip_space(s);
        if (s->at >= s->end || (*s->at != ',' && *s->at != close))
            return fail_expected(s, object ? "',' or '}'" : "',' or ']'");
        if (*s->at++ == close)
            break;
    }
    s->depth--;
    return true;
}

static bool scan_word(scanner *s, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return fail_expected(s, "a value");
    s->at += length;
    return true;
}

static bool scan_value(scanner *s)
{
    skip_space(s);
    if (!note_line(s))
        return false;
    if (s->at >= s->end)
        return fail_expected(s, "a value");
    switch (*s->at) {
    case '{':
        return scan_members(s, '}');
    case '[':
        return scan_members(s, ']');
    case '"':
        return scan_string(s, "a text");
    case 't':
        return scan_word(s, "true");
    case 'f':
        return scan_word(s, "false");
    case 'n':
        return scan_word(s, "null");
    case 'N':
    case 'I':
        return fail(s, "NaN and Infinity are not numbers of JSON");
    default:
        if (*s->at == '-' && s->end - s->at > 1 && s->at[1] == 'I')
            return fail(s, "NaN and Infinity are not numbers of JSON");
        return *s->at == '-' || is_digit(s) ? scan_number(s) : fail_expected(s, "a value");
    }
}

bool json_text_scan(const char *text, size_t size, json_lines *lines, json_text_fault *fault)
{
    scanner s = {.at = text, .end = text + size, .line_start = text, .line = 1, .lines = lines, .fault = fault};
    *fault = (json_text_fault){0};
    if (!scan_value(&s))
        return false;
    skip_space(&s);
    return s.at == s.end || fail_expected(&s, "the end of the file");
}
