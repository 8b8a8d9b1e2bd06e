#include "options.h"

#include "command.h"
#include "io/nearest.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_list_free(text_list *list)
{
    free(list->items);
    *list = (text_list){0};
}

static bool text_list_add(text_list *list, const char *text, const char *command)
{
    const char **items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (items == NULL) {
        complain("%s: no memory for '%s'", command, text);
        return false;
    }
    list->items = items;
    list->items[list->count++] = text;
    return true;
}

/* "--frames N": the left column of the help; the answer is its width. */
static size_t help_label(const option *o, char *label, size_t size)
{
    int length =
        snprintf(label, size, "%s%s%s", o->name, o->parameter ? " " : "", o->parameter ? o->parameter : "");
    return length < 0 ? 0 : (size_t)length;
}

static void print_help(const syntax *s)
{
    char label[64];
    size_t width = 18;
    for (size_t i = 0; i < s->option_count; i++) {
        size_t needed = help_label(&s->options[i], label, sizeof label);
        width = needed > width ? needed : width;
    }
    printf("usage: %s\n\n%s\n\n", s->usage, s->summary);
    for (size_t i = 0; i < s->option_count; i++) {
        help_label(&s->options[i], label, sizeof label);
        printf("  %-*s  %s\n", (int)width, label, s->options[i].help);
    }
    printf("  %-*s  %s\n", (int)width, "--help", "print this");
}

static void complain_unknown(const syntax *s, const char *name, size_t length, const char *command)
{
    char written[64];
    snprintf(written, sizeof written, "%.*s", (int)length, name);
    const option *best = NULL;
    for (size_t i = 0; i < s->option_count; i++) {
        const option *o = &s->options[i];
        if (is_near(written, o->name) &&
            (best == NULL || edit_distance(written, o->name) < edit_distance(written, best->name)))
            best = o;
    }
    if (best != NULL)
        complain("%s: unknown option '%s'; did you mean '%s'?", command, written, best->name);
    else
        complain("%s: unknown option '%s'; 'mote %s --help' lists them", command, written, command);
}

/* A whole decimal number and nothing else; strtoul alone would take " 5", "-5" and "5x". */
static bool parse_number(const option *o, const char *text, const char *command)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0') {
        complain("%s: %s needs a whole number, not '%s'", command, o->name, text);
        return false;
    }
    if (errno == ERANGE || number < o->lowest || number > o->highest) {
        complain("%s: %s must be between %u and %u, not %s", command, o->name, o->lowest, o->highest, text);
        return false;
    }
    *(uint32_t *)o->value = (uint32_t)number;
    return true;
}

/* A finite number and nothing else, in the notation of C. */
static bool parse_real(const option *o, const char *text, const char *command)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || strchr(" \t\n\v\f\r", text[0]) != NULL || !isfinite(number)) {
        complain("%s: %s needs a number, not '%s'", command, o->name, text);
        return false;
    }
    *(double *)o->value = number;
    return true;
}

static const option *find_option(const syntax *s, const char *name, size_t length)
{
    for (size_t i = 0; i < s->option_count; i++)
        if (strlen(s->options[i].name) == length && strncmp(s->options[i].name, name, length) == 0)
            return &s->options[i];
    return NULL;
}

/* Takes the option at argv[*index], and its value. */
static bool parse_option(const syntax *s, int argc, char **argv, int *index)
{
    const char *argument = argv[*index], *equals = strchr(argument, '=');
    size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    const option *o = find_option(s, argument, length);
    if (o == NULL) {
        complain_unknown(s, argument, length, argv[0]);
        return false;
    }
    if (o->type == OPTION_FLAG) {
        if (equals != NULL) {
            complain("%s: %s takes no value", argv[0], o->name);
            return false;
        }
        *(bool *)o->value = true;
        return true;
    }
    const char *text = equals != NULL ? equals + 1 : *index + 1 < argc ? argv[++*index] : NULL;
    if (text == NULL || *text == '\0' || strncmp(text, "--", 2) == 0) {
        complain("%s: %s needs a value: %s %s", argv[0], o->name, o->name, o->parameter);
        return false;
    }
    if (o->type == OPTION_NUMBER)
        return parse_number(o, text, argv[0]);
    if (o->type == OPTION_REAL)
        return parse_real(o, text, argv[0]);
    if (o->type == OPTION_LIST)
        return text_list_add(o->value, text, argv[0]);
    *(const char **)o->value = text;
    return true;
}

static bool parse_operand(const syntax *s, const char *text, const char *command)
{
    if (s->operands != NULL)
        return text_list_add(s->operands, text, command);
    if (s->operand == NULL || *s->operand != NULL) {
        complain("%s: unexpected argument '%s'", command, text);
        return false;
    }
    *s->operand = text;
    return true;
}

bool options_parse(const syntax *s, int argc, char **argv, int *exit_code)
{
    *exit_code = EXIT_USAGE;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(s);
            *exit_code = EXIT_OK;
            return false;
        }
        bool is_option = argv[i][0] == '-' && argv[i][1] != '\0';
        if (is_option ? !parse_option(s, argc, argv, &i) : !parse_operand(s, argv[i], argv[0]))
            return false;
    }
    if ((s->operand != NULL && *s->operand == NULL) || (s->operands != NULL && s->operands->count == 0)) {
        complain("%s: %s is missing; usage: %s", argv[0], s->operand_name, s->usage);
        return false;
    }
    return true;
}
