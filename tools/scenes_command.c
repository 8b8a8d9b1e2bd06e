/* `mote scenes`: what there is to run. */
#include "command.h"
#include "options.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

static void print_table(const scene *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%-14s %8u  %s (%s)\n", list[i].name, list[i].particles, list[i].title, list[i].materials);
}

static bool print_json(const scene *list, size_t count)
{
    cJSON *json = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", list[i].name);
        cJSON_AddStringToObject(item, "title", list[i].title);
        cJSON_AddStringToObject(item, "materials", list[i].materials);
        cJSON_AddNumberToObject(item, "particles", list[i].particles);
        cJSON_AddBoolToObject(item, "scalable", list[i].scalable);
        cJSON_AddNumberToObject(item, "frames", list[i].frames);
        cJSON_AddItemToArray(json, item);
    }
    char *text = cJSON_Print(json);
    cJSON_Delete(json);
    if (text == NULL)
        return false;
    puts(text);
    cJSON_free(text);
    return true;
}

int scenes_command(int argc, char **argv)
{
    bool as_json = false;
    const option options[] = {
        {"--json", OPTION_FLAG, &as_json, NULL, "print a JSON array instead of a table", 0, 0}};
    const syntax scenes_syntax = {
        .usage = "mote scenes [--json]",
        .summary = "Lists the scenes: name, number of particles, title and materials.",
        .options = options,
        .option_count = 1,
    };
    int exit_code;
    if (!options_parse(&scenes_syntax, argc, argv, &exit_code))
        return exit_code;

    size_t count;
    const scene *list = scene_list(&count);
    if (!as_json) {
        print_table(list, count);
    } else if (!print_json(list, count)) {
        complain("no memory for the list");
        return EXIT_FAILED;
    }
    return EXIT_OK;
}
