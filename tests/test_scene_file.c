/* Scene files: every fault of tests/broken-scenes/NAME.json is told with its line and field, as NAME.faults
 * says, and nothing else is; every field works; what a file leaves out is the library's default; the schema and
 * the tables and examples of docs/scene-format.md are up to date. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "io/json_tree.h"
#include "io/scene_file.h"
#include "io/scene_schema.h"
#include "scenes/scene.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ---------------------------------------------------------------------------------------------- */

static char *source_path(const char *name)
{
    const char *folder = getenv("SOURCE_DIR");
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : ".", name);
    return path;
}

/* A whole file with a 0 behind it; NULL if it is not there. */
static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *text = NULL;
    size_t size = 0, got;
    do {
        text = realloc(text, size + 65536 + 1);
        assert_non_null(text);
        got = fread(text + size, 1, 65536, file);
        size += got;
    } while (got > 0);
    text[size] = '\0';
    fclose(file);
    return text;
}

static scene *open_text(const char *text, const scene_request *request, scene_faults *faults)
{
    *faults = (scene_faults){0};
    return scene_open_text(text, strlen(text), "test", ".", request, faults);
}

/* ---- broken files --------------------------------------------------------------------------------------- */

typedef struct expected_fault {
    bool warning;
    int line;
    char field[128];
    char phrase[256];
} expected_fault;

/* "error 5 shapes[0].radius must be above 0"; a field of "-" is none. */
static bool parse_expected(const char *line, expected_fault *fault)
{
    char kind[16];
    int used = 0;
    if (sscanf(line, "%15s %d %127s %n", kind, &fault->line, fault->field, &used) < 3)
        return false;
    if (strcmp(fault->field, "-") == 0)
        fault->field[0] = '\0';
    fault->warning = strcmp(kind, "warning") == 0;
    snprintf(fault->phrase, sizeof fault->phrase, "%s", line + used);
    fault->phrase[strcspn(fault->phrase, "\n")] = '\0';
    return true;
}

static bool matches(const scene_fault *fault, const expected_fault *expected)
{
    return fault->warning == expected->warning && fault->line == expected->line &&
           strcmp(fault->field, expected->field) == 0 && strstr(fault->text, expected->phrase) != NULL;
}

static void print_all(const char *name, const scene_faults *faults)
{
    for (size_t i = 0; i < faults->count; i++)
        print_message("%s: %s %d %s %s\n", name, faults->items[i].warning ? "warning" : "error",
                      faults->items[i].line, faults->items[i].field[0] != '\0' ? faults->items[i].field : "-",
                      faults->items[i].text);
}

/* Every expected fault is there, and there are no others. */
static bool check_broken(const char *name, const char *path, char *expected_text)
{
    scene_faults faults = {0};
    bool good = scene_check(path, NULL, &faults), fine = true;
    size_t expected_count = 0, expected_errors = 0;
    char *rest = NULL;
    for (char *line = strtok_r(expected_text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        expected_fault expected;
        check_true(parse_expected(line, &expected), "%s.faults: '%s' can be read", name, line);
        expected_count++;
        expected_errors += !expected.warning;
        bool found = false;
        for (size_t i = 0; i < faults.count; i++)
            found = found || matches(&faults.items[i], &expected);
        if (!found)
            print_message("%s: not told: %s\n", name, line);
        fine = fine && found;
    }
    fine = fine && faults.count == expected_count && faults.errors == expected_errors &&
           good == (expected_errors == 0);
    if (!fine)
        print_all(name, &faults);
    scene_faults_free(&faults);
    return fine;
}

static void broken_files_are_told_apart(void **state)
{
    (void)state;
    char folder[4096], path[8192];
    snprintf(folder, sizeof folder, "%s", source_path("tests/broken-scenes"));
    DIR *files = opendir(folder);
    check_true(files != NULL, "%s is there", folder);
    int count = 0, failed = 0;
    for (struct dirent *entry = readdir(files); entry != NULL; entry = readdir(files)) {
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%.*s.faults", folder, (int)(length - 5), entry->d_name);
        char *expected = read_whole(path);
        check_true(expected != NULL, "%s has its faults written down", entry->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        failed += !check_broken(entry->d_name, path, expected);
        free(expected);
        count++;
    }
    closedir(files);
    check_true(count >= 30, "there are %d broken files", count);
    check_true(failed == 0, "%d of %d broken files", failed, count);
}

/* ---- good files ----------------------------------------------------------------------------------------- */

/* Which fields of every section a tree uses. */
static void note_used(const scene_section *section, const cJSON *object, uint64_t *used)
{
    size_t index = 0;
    while (SCENE_SECTIONS[index] != section)
        index++;
    for (size_t i = 0; i < section->field_count; i++) {
        const scene_field *field = &section->fields[i];
        const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, field->name), *element;
        if (node == NULL)
            continue;
        used[index] |= (uint64_t)1 << i;
        if (field->kind == FIELD_SECTION)
            note_used(field->section, node, used);
        else if (field->kind == FIELD_LIST)
            cJSON_ArrayForEach(element, node) note_used(field->section, element, used);
        else if (field->kind == FIELD_ROTATION && cJSON_IsObject(node))
            note_used(&SCENE_TURN, node, used);
    }
}

static void every_field_can_be_used(void **state)
{
    (void)state;
    char *path = source_path("tests/good-scenes/every-field.json"), *text = read_whole(path);
    assert_non_null(text);
    uint64_t used[32] = {0};
    cJSON *tree = cJSON_Parse(text);
    note_used(&SCENE_ROOT, tree, used);
    cJSON_Delete(tree);
    free(text);
    for (size_t i = 0; SCENE_SECTIONS[i] != NULL; i++)
        for (size_t k = 0; k < SCENE_SECTIONS[i]->field_count; k++) {
            const char *name = SCENE_SECTIONS[i]->fields[k].name;
            /* Do not go together with fps, or with the builder. */
            bool other_way = strcmp(name, "dt") == 0 || strcmp(name, "objects") == 0;
            check_true((used[i] >> k & 1) != 0 || other_way, "every-field.json uses %s.%s",
                       SCENE_SECTIONS[i]->name, name);
        }
    scene_faults faults = {0};
    scene *s = scene_open(path, NULL, &faults);
    print_all("every-field.json", &faults);
    check_true(s != NULL && faults.count == 0, "every-field.json opens without a fault");
    mote_world *world;
    must(scene_create(s, 1, MOTE_SIMD_AUTO, &world));
    for (uint32_t frame = 0; frame < s->frames; frame++) {
        must(scene_before_frame(s, world, frame));
        must(mote_world_step(world, s->dt));
    }
    assert_int_equal(mote_particle_count(world), s->particles);
    mote_world_destroy(world);
    scene_close(s);
}

static void shipped_scenes_are_sound(void **state)
{
    (void)state;
    for (size_t i = 0; scene_shipped(i) != NULL; i++) {
        const char *name = scene_shipped(i);
        scene_faults faults = {0};
        bool good = scene_check(name, NULL, &faults);
        bool overlaps = strncmp(name, "overlap", 7) == 0; /* that is what it is about */
        print_all(name, &faults);
        check_true(good && faults.count == (overlaps ? 1 : 0), "%s is without faults", name);
        scene_faults_free(&faults);
    }
}

/* ---- defaults ------------------------------------------------------------------------------------------- */

static void presets_are_sound(void **state)
{
    (void)state;
    for (size_t i = 0; SCENE_SECTIONS[i] != NULL; i++)
        for (size_t k = 0; k < SCENE_SECTIONS[i]->field_count; k++) {
            const scene_field *field = &SCENE_SECTIONS[i]->fields[k];
            if (field->preset == NULL)
                continue;
            scene_faults faults = {0};
            scene_reader reader = {.faults = &faults};
            cJSON *node = cJSON_Parse(field->preset);
            char place[256] = {0};
            bool read = node != NULL && scene_read_value(&reader, field, node, place);
            check_true(read, "the default of %s.%s, %s, is one", SCENE_SECTIONS[i]->name, field->name,
                       field->preset);
            cJSON_Delete(node);
            scene_faults_free(&faults);
        }
}

/* A file that says nothing makes the library's own defaults. */
static void defaults_are_the_library_s(void **state)
{
    (void)state;
    scene_file file;
    scene_faults faults = {0};
    const char *const no_builders[] = {NULL};
    const scene_source source = {.folder = ".", .builders = no_builders};
    const char *text = "{\"mote\": 1, \"materials\": [{\"name\": \"m\"}], \"shapes\": [{\"type\": \"box\"}],"
                       " \"fields\": [{\"type\": \"acceleration\"}]}";
    scene_file_read(&file, text, strlen(text), &source, 0, NULL, 0, &faults);
    assert_int_equal(faults.count, 0);
    mote_world_def def = scene_world_def(&file), expected = mote_default_world_def();
    assert_true(def.radius == expected.radius && def.max_particles == expected.max_particles);
    assert_memory_equal(&def.settings, &expected.settings, sizeof def.settings);
    const scene_material *material = file.description.materials.items;
    mote_material_def plain = mote_default_material_def();
    assert_true(material->def.density == plain.density && material->def.restitution == plain.restitution);
    assert_true(material->def.static_friction == plain.static_friction &&
                material->def.kinetic_friction == plain.kinetic_friction);
    assert_true(material->def.adhesion == plain.adhesion && material->def.compliance == plain.compliance);
    assert_true(material->def.color == plain.color && material->def.report_contacts == plain.report_contacts);
    const scene_shape *shape = file.description.shapes.items;
    mote_shape_def box = mote_default_shape_def();
    assert_true(shape->radius == box.radius && shape->half_height == box.half_height);
    assert_memory_equal(&shape->half_extents, &box.half_extents, sizeof box.half_extents);
    assert_memory_equal(&shape->rotation.quat, &box.rotation, sizeof box.rotation);
    assert_int_equal(shape->channels, box.channels);
    const scene_force_field *field = file.description.fields.items;
    mote_field_def wind = mote_default_field_def();
    assert_true(field->strength == wind.strength && field->radius == wind.radius);
    assert_memory_equal(&field->direction, &wind.direction, sizeof wind.direction);
    assert_true(scene_frame_seconds(&file.description) == 1.0f / 60.0f);
    scene_file_free(&file);
}

/* ---- schema and documentation --------------------------------------------------------------------------- */

/* The schema, and the tables between "<!-- table: NAME -->" and "<!-- end -->", come from the tables of fields.
 * MOTE_SCENE_DOCS=write brings the files up to date. */
static char *renew_tables(const char *text)
{
    char *result = calloc(1, strlen(text) + 200000), *out = result;
    assert_non_null(result);
    while (*text != '\0') {
        const char *mark = "<!-- table: ", *begin = strstr(text, mark);
        const char *line_end = begin != NULL ? strchr(begin, '\n') : NULL;
        const char *end = line_end != NULL ? strstr(line_end, "<!-- end -->") : NULL;
        if (end == NULL) {
            out += sprintf(out, "%s", text);
            break;
        }
        const scene_section *section = NULL;
        for (size_t i = 0; SCENE_SECTIONS[i] != NULL; i++) {
            size_t length = strlen(SCENE_SECTIONS[i]->name);
            if (strncmp(begin + strlen(mark), SCENE_SECTIONS[i]->name, length) == 0 &&
                begin[strlen(mark) + length] == ' ')
                section = SCENE_SECTIONS[i];
        }
        check_true(section != NULL, "a table of the documentation is of a section: %.40s", begin);
        char *table = scene_section_table(section);
        out += sprintf(out, "%.*s\n\n%s\n", (int)(line_end - text), text, table);
        free(table);
        text = end;
        out += sprintf(out, "<!-- end -->");
        text += strlen("<!-- end -->");
    }
    return result;
}

static bool is_writing(void)
{
    const char *mode = getenv("MOTE_SCENE_DOCS");
    return mode != NULL && strcmp(mode, "write") == 0;
}

static void compare_file(const char *name, const char *expected)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", source_path(name));
    if (is_writing()) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(expected, file);
        assert_int_equal(fclose(file), 0);
    }
    char *there = read_whole(path);
    check_true(there != NULL && strcmp(there, expected) == 0,
               "%s is up to date; if not: MOTE_SCENE_DOCS=write build/tests/test_scene_file", name);
    free(there);
}

static void schema_and_tables_are_up_to_date(void **state)
{
    (void)state;
    char *schema = scene_schema_text();
    assert_non_null(schema);
    char *with_end = malloc(strlen(schema) + 2);
    sprintf(with_end, "%s\n", schema);
    compare_file("schema/mote-scene.schema.json", with_end);
    free(with_end);
    cJSON_free(schema);

    char *text = read_whole(source_path("docs/scene-format.md"));
    assert_non_null(text);
    for (size_t i = 0; SCENE_SECTIONS[i] != NULL; i++) {
        char mark[80];
        snprintf(mark, sizeof mark, "<!-- table: %s -->", SCENE_SECTIONS[i]->name);
        check_true(strstr(text, mark) != NULL, "docs/scene-format.md has a table of %s",
                   SCENE_SECTIONS[i]->name);
    }
    char *renewed = renew_tables(text);
    compare_file("docs/scene-format.md", renewed);
    free(renewed);
    free(text);
}

/* Every block of JSON in the documentation is a scene, or members of one. */
static void examples_of_the_documentation_work(void **state)
{
    (void)state;
    char *text = read_whole(source_path("docs/scene-format.md"));
    assert_non_null(text);
    int count = 0;
    for (char *at = strstr(text, "```json\n"); at != NULL; at = strstr(at, "```json\n")) {
        at += strlen("```json\n");
        char *end = strstr(at, "```");
        assert_non_null(end);
        char *example = malloc((size_t)(end - at) + 64);
        bool whole = *at == '{';
        sprintf(example, "%s%.*s%s", whole ? "" : "{\"mote\": 1,", (int)(end - at), at, whole ? "" : "}");
        scene_faults faults;
        scene *s = open_text(example, NULL, &faults);
        bool good = s != NULL && scene_check_built(s, &faults) && (faults.count == 0 || !whole);
        if (!good)
            print_all(example, &faults);
        check_true(good, "example %d of docs/scene-format.md", count + 1);
        scene_close(s);
        scene_faults_free(&faults);
        free(example);
        count++;
        at = end + 3;
    }
    check_true(count >= 5, "there are %d examples", count);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_files_are_told_apart),
        cmocka_unit_test(every_field_can_be_used),
        cmocka_unit_test(shipped_scenes_are_sound),
        cmocka_unit_test(presets_are_sound),
        cmocka_unit_test(defaults_are_the_library_s),
        cmocka_unit_test(schema_and_tables_are_up_to_date),
        cmocka_unit_test(examples_of_the_documentation_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
