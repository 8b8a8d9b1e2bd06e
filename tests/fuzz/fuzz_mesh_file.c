/* Mesh files of any bytes, read by assimp in a process of its own: whatever becomes of that one, this one goes
 * on with a mesh or with a reason. The first byte chooses the format. */
#include "fuzz.h"

#include "io/mesh_file_import.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const hints[] = {"obj", "ply", "stl", "gltf", "glb", "fbx", "off", ""};
    fuzz_silence_children();
    if (size == 0)
        return 0;
    const mesh_limits limits = {.cpu_seconds = 1, .memory = (size_t)256 << 20};
    const mesh_source source = {.data = data + 1, .size = size - 1, .hint = hints[data[0] % 8u]};
    mesh_file mesh;
    char error[MESH_FILE_ERROR] = "";
    if (mesh_import_apart(&source, &limits, &mesh, error)) {
        mote_mesh view = mesh_file_view(&mesh);
        mote_mesh_report report;
        fuzz_require(mesh.triangle_count > 0, "a mesh that is read has triangles");
        (void)mote_mesh_inspect(&view, &report);
    } else {
        fuzz_require(mesh.vertices == NULL && mesh.triangle_count == 0, "a refused mesh is empty");
        fuzz_require(memchr(error, '\0', sizeof error) != NULL && error[0] != '\0', "a refusal has a reason");
    }
    mesh_file_free(&mesh);
    return 0;
}
