/* What assimp may give, made up: meshes and nodes with missing arrays, wrong indices, wild numbers. Nothing of
 * it may bring down the code that makes one mesh of it. */
#include "fuzz.h"

#include "io/mesh_file_import.c" /* the part behind assimp's reading */

#include <string.h>

enum { MAX_MESHES = 4, MAX_VERTICES = 40, MAX_FACES = 24, MAX_CORNERS = 40, MAX_NODES = 12 };

typedef struct made_mesh {
    struct aiVector3D vertices[MAX_VERTICES];
    struct aiFace faces[MAX_FACES];
    unsigned corners[MAX_FACES][MAX_CORNERS];
    struct aiMesh mesh;
} made_mesh;

typedef struct made_scene {
    made_mesh parts[MAX_MESHES];
    struct aiMesh *meshes[MAX_MESHES];
    struct aiNode nodes[MAX_NODES];
    struct aiNode *children[MAX_NODES][MAX_NODES];
    unsigned uses[MAX_NODES][MAX_MESHES];
    struct aiScene scene;
} made_scene;

static unsigned make_corner(fuzz_bytes *bytes, unsigned vertices)
{
    uint8_t corner = fuzz_byte(bytes);
    return corner < 250 && vertices > 0 ? corner % vertices : corner;
}

static void make_mesh(made_mesh *part, fuzz_bytes *bytes)
{
    struct aiMesh *mesh = &part->mesh;
    mesh->mNumVertices = fuzz_below(bytes, MAX_VERTICES + 1);
    mesh->mNumFaces = fuzz_below(bytes, MAX_FACES + 1);
    uint8_t lacks = fuzz_byte(bytes);
    mesh->mVertices = lacks == 255 ? NULL : part->vertices;
    mesh->mFaces = lacks == 254 ? NULL : part->faces;
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        mote_vec3 v = fuzz_vec3(bytes);
        part->vertices[i] = (struct aiVector3D){v.x, v.y, v.z};
    }
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        part->faces[f].mNumIndices = fuzz_below(bytes, MAX_CORNERS + 1);
        part->faces[f].mIndices = fuzz_byte(bytes) == 255 ? NULL : part->corners[f];
        for (unsigned i = 0; i < part->faces[f].mNumIndices; i++)
            part->corners[f][i] = make_corner(bytes, mesh->mNumVertices);
    }
}

static void make_node(made_scene *made, unsigned index, fuzz_bytes *bytes)
{
    struct aiNode *node = &made->nodes[index];
    ai_real *matrix = &node->mTransformation.a1;
    uint8_t how = fuzz_byte(bytes);
    for (int i = 0; i < 16; i++)
        matrix[i] = how < 128 ? (ai_real)(i % 5 == 0) : fuzz_float(bytes);
    node->mNumMeshes = fuzz_below(bytes, MAX_MESHES + 1);
    node->mMeshes = how == 127 ? NULL : made->uses[index];
    for (unsigned i = 0; i < node->mNumMeshes; i++)
        made->uses[index][i] = fuzz_below(bytes, MAX_MESHES + 1);
    node->mChildren = how == 126 ? NULL : made->children[index];
}

/* Every node but the first is a child of one before it. */
static void make_nodes(made_scene *made, fuzz_bytes *bytes)
{
    unsigned count = fuzz_below(bytes, MAX_NODES + 1);
    for (unsigned i = 0; i < count; i++) {
        make_node(made, i, bytes);
        struct aiNode *parent = &made->nodes[i > 0 ? fuzz_below(bytes, i) : 0];
        if (i > 0)
            made->children[parent - made->nodes][parent->mNumChildren++] =
                fuzz_byte(bytes) == 255 ? NULL : &made->nodes[i];
    }
    made->scene.mRootNode = count > 0 ? made->nodes : NULL;
}

static void check_mesh_file(const mesh_file *mesh)
{
    for (size_t i = 0; i < mesh->vertex_count; i++)
        fuzz_require(within_limits(mesh->vertices[i]), "vertices are within their limits");
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        fuzz_require(mesh->triangles[i] < mesh->vertex_count, "corners are there");
    mote_mesh view = mesh_file_view(mesh);
    mote_mesh_report report;
    (void)mote_mesh_inspect(&view, &report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    static made_scene made;
    memset(&made, 0, sizeof made);
    made.scene.mNumMeshes = fuzz_below(&bytes, MAX_MESHES + 1);
    made.scene.mMeshes = made.meshes;
    for (unsigned i = 0; i < made.scene.mNumMeshes; i++) {
        made.meshes[i] = fuzz_byte(&bytes) == 255 ? NULL : &made.parts[i].mesh;
        make_mesh(&made.parts[i], &bytes);
    }
    make_nodes(&made, &bytes);
    char error[MESH_FILE_ERROR] = "";
    importer in = {.scene = &made.scene, .error = error};
    if (collect(&in)) {
        mesh_file mesh = mesh_builder_finish(&in.builder);
        check_mesh_file(&mesh);
        mesh_file_free(&mesh);
    } else {
        fuzz_require(error[0] != '\0', "a refusal has a reason");
        mesh_builder_free(&in.builder);
    }
    return 0;
}
