/* A small parser for "--name value", "--name=value", "--flag" and operands. A command describes what it takes
 * in a table; its help text is made from the same table. */
#ifndef MOTE_TOOLS_OPTIONS_H
#define MOTE_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum option_type {
    OPTION_FLAG,   /* value: bool * */
    OPTION_NUMBER, /* value: uint32_t * */
    OPTION_REAL,   /* value: double *; any finite number */
    OPTION_TEXT,   /* value: const char ** */
    OPTION_LIST,   /* value: text_list *; the option may be given any number of times */
} option_type;

/* Words of the command line, in their order. The words are argv's own, the list is the command's to free. */
typedef struct text_list {
    const char **items;
    size_t count;
} text_list;

void text_list_free(text_list *list);

typedef struct option {
    const char *name; /* with its dashes */
    option_type type;
    void *value;           /* where it goes */
    const char *parameter; /* what the help calls the value; NULL for a flag */
    const char *help;
    uint32_t lowest, highest; /* of a number */
} option;

typedef struct syntax {
    const char *usage;   /* "mote run SCENE [options]" */
    const char *summary; /* a sentence or two */
    const option *options;
    size_t option_count;
    const char **operand;     /* where the operand goes; NULL: there is none */
    text_list *operands;      /* instead of `operand`: where one or more of them go */
    const char *operand_name; /* "SCENE" */
} syntax;

/* Fills in the values. False if the command should end with *exit_code: after --help, or after a complaint. The
 * lists are the command's to free in both cases. */
bool options_parse(const syntax *syntax, int argc, char **argv, int *exit_code);

#endif
