#include "io/json_tree.h"

#include "io/json_text.h"

/* The tree in the order of the text: each node before what is below it. The depth is bounded by the scanner. */
static void give_lines(cJSON *node, const json_lines *lines, size_t *next)
{
    for (; node != NULL; node = node->next) {
        node->valueint = lines != NULL && *next < lines->count ? lines->items[*next] : 0;
        ++*next;
        give_lines(node->child, lines, next);
    }
}

cJSON *json_tree_parse(const char *text, size_t size, scene_faults *faults)
{
    json_lines lines = {0};
    json_text_fault fault;
    cJSON *root = NULL;
    if (!json_text_scan(text, size, &lines, &fault)) {
        scene_error(faults, fault.line, "", "not JSON: column %d: %s", fault.column, fault.text);
    } else {
        root = cJSON_ParseWithLength(text, size);
        if (root == NULL)
            scene_error(faults, 0, "", "no memory for the JSON text");
    }
    size_t next = 0;
    give_lines(root, &lines, &next);
    json_lines_free(&lines);
    return root;
}

int json_line(const cJSON *node)
{
    return node != NULL ? node->valueint : 0;
}

void json_forget_lines(cJSON *node)
{
    size_t next = 0;
    node->valueint = 0;
    give_lines(node->child, NULL, &next);
}

const char *json_kind(const cJSON *node)
{
    if (cJSON_IsObject(node))
        return "an object";
    if (cJSON_IsArray(node))
        return "an array";
    if (cJSON_IsString(node))
        return "a text";
    if (cJSON_IsNumber(node))
        return "a number";
    if (cJSON_IsBool(node))
        return "true or false";
    return "null";
}
