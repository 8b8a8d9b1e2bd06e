/* `mote scenes`: what there is to run. */
#include "command.h"
#include "options.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

static cJSON *describe(const scene *s)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", s->name);
    cJSON_AddStringToObject(item, "title", s->title);
    cJSON_AddStringToObject(item, "materials", s->materials);
    cJSON_AddNumberToObject(item, "particles", s->particles);
    cJSON_AddBoolToObject(item, "scalable", s->scalable);
    cJSON_AddNumberToObject(item, "frames", s->frames);
    return item;
}

/* Goes through the shipped scenes; each becomes a line, or an item of `json` if that is not NULL. */
static bool list_scenes(cJSON *json)
{
    for (size_t i = 0; scene_shipped(i) != NULL; i++) {
        scene *s = open_scene_or_complain(scene_shipped(i), NULL);
        if (s == NULL)
            return false;
        if (json != NULL)
            cJSON_AddItemToArray(json, describe(s));
        else
            printf("%-18s %8u  %s (%s)\n", s->name, s->particles, s->title, s->materials);
        scene_close(s);
    }
    return true;
}

static bool print_json(void)
{
    cJSON *json = cJSON_CreateArray();
    bool listed = list_scenes(json);
    char *text = listed ? cJSON_Print(json) : NULL;
    cJSON_Delete(json);
    if (text != NULL)
        puts(text);
    else if (listed)
        complain("no memory for the list");
    cJSON_free(text);
    return text != NULL;
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

    return (as_json ? print_json() : list_scenes(NULL)) ? EXIT_OK : EXIT_FAILED;
}
