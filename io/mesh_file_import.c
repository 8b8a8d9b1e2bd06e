/* Reading with assimp, which is asked for as little as possible: none of its steps after the reading. */
#include "io/mesh_file_import.h"

#include "io/input_file.h"
#include "io/mesh_file_builder.h"

#include <assimp/cimport.h>
#include <assimp/mesh.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Nodes within nodes; a real file has tens. */
#define MAX_DEPTH 1000

/* A transform of points: three rows of four. Chains of nodes are multiplied in double. */
typedef struct transform {
    double m[3][4];
} transform;

typedef struct importer {
    const struct aiScene *scene;
    mesh_builder builder;
    char *error;
} importer;

static bool fail(importer *in, const char *text)
{
    snprintf(in->error, MESH_FILE_ERROR, "%s", text);
    return false;
}

/* ---- checks --------------------------------------------------------------------------------------------- */

/* Nothing of what assimp gives is trusted: its readers do not check all that they read. */
static bool check_mesh(importer *in, const struct aiMesh *mesh, unsigned number)
{
    if (mesh == NULL || (mesh->mNumFaces > 0 && mesh->mFaces == NULL) ||
        (mesh->mNumVertices > 0 && mesh->mVertices == NULL))
        return fail(in, "a mesh lacks its arrays");
    if (mesh->mNumVertices > MESH_FILE_MAX_COUNT || mesh->mNumFaces > MESH_FILE_MAX_COUNT)
        return fail(in, "a mesh has more than 100 million vertices or faces");
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (face->mNumIndices > 0 && face->mIndices == NULL)
            return fail(in, "a face lacks its indices");
        for (unsigned i = 0; i < face->mNumIndices; i++)
            if (face->mIndices[i] >= mesh->mNumVertices) {
                snprintf(in->error, MESH_FILE_ERROR, "face %u of mesh %u has vertex %u of %u", f, number,
                         face->mIndices[i], mesh->mNumVertices);
                return false;
            }
    }
    return true;
}

static bool check_scene(importer *in)
{
    const struct aiScene *scene = in->scene;
    if (scene->mRootNode == NULL || (scene->mNumMeshes > 0 && scene->mMeshes == NULL))
        return fail(in, "it has no nodes");
    for (unsigned i = 0; i < scene->mNumMeshes; i++)
        if (!check_mesh(in, scene->mMeshes[i], i))
            return false;
    return true;
}

static bool within_limits(mote_vec3 v)
{
    return fabsf(v.x) <= MESH_FILE_COORDINATE && fabsf(v.y) <= MESH_FILE_COORDINATE &&
           fabsf(v.z) <= MESH_FILE_COORDINATE;
}

/* ---- transforms ----------------------------------------------------------------------------------------- */

static transform transform_of(const struct aiMatrix4x4 *a)
{
    return (transform){{{(double)a->a1, (double)a->a2, (double)a->a3, (double)a->a4},
                        {(double)a->b1, (double)a->b2, (double)a->b3, (double)a->b4},
                        {(double)a->c1, (double)a->c2, (double)a->c3, (double)a->c4}}};
}

static transform product(const transform *outer, const transform *inner)
{
    transform result;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            double sum = column == 3 ? outer->m[row][3] : 0.0;
            for (int k = 0; k < 3; k++)
                sum += outer->m[row][k] * inner->m[k][column];
            result.m[row][column] = sum;
        }
    return result;
}

static mote_vec3 apply(const transform *t, struct aiVector3D v)
{
    double result[3];
    for (int row = 0; row < 3; row++)
        result[row] =
            t->m[row][0] * (double)v.x + t->m[row][1] * (double)v.y + t->m[row][2] * (double)v.z + t->m[row][3];
    return (mote_vec3){(float)result[0], (float)result[1], (float)result[2]};
}

/* Mirrored, what was outside would be inside. */
static bool mirrors(const transform *t)
{
    const double(*m)[4] = t->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) <
           0;
}

/* ---- faces ---------------------------------------------------------------------------------------------- */

#define TOO_LARGE "it needs too much memory, or has more than 100 million vertices or triangles"

/* The joined vertex of a vertex of the mesh; `known` keeps those that were asked for before. */
static bool find_vertex(importer *in, const struct aiMesh *mesh, const transform *t, unsigned index,
                        uint32_t *known)
{
    if (known[index] != NO_VERTEX)
        return true;
    mote_vec3 place = apply(t, mesh->mVertices[index]);
    if (!within_limits(place)) {
        snprintf(in->error, MESH_FILE_ERROR, "a vertex is at (%g, %g, %g); it must be within +-%g",
                 (double)place.x, (double)place.y, (double)place.z, (double)MESH_FILE_COORDINATE);
        return false;
    }
    known[index] = mesh_builder_vertex(&in->builder, place);
    return known[index] != NO_VERTEX || fail(in, TOO_LARGE);
}

/* `corners` has room for those of the largest face. Points and lines add nothing. */
static bool add_faces(importer *in, const struct aiMesh *mesh, const transform *t, uint32_t *known,
                      uint32_t *corners)
{
    bool mirrored = mirrors(t);
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        unsigned count = face->mNumIndices;
        if (count < 3)
            continue;
        for (unsigned i = 0; i < count; i++) {
            unsigned index = face->mIndices[mirrored ? count - 1 - i : i];
            if (!find_vertex(in, mesh, t, index, known))
                return false;
            corners[i] = known[index];
        }
        if (!mesh_builder_polygon(&in->builder, corners, count))
            return fail(in, TOO_LARGE);
    }
    return true;
}

static bool add_mesh(importer *in, const struct aiMesh *mesh, const transform *t)
{
    if (mesh->mNumVertices == 0)
        return true;
    size_t largest = 3;
    for (unsigned f = 0; f < mesh->mNumFaces; f++)
        if (mesh->mFaces[f].mNumIndices > largest)
            largest = mesh->mFaces[f].mNumIndices;
    uint32_t *known = malloc(mesh->mNumVertices * sizeof *known);
    uint32_t *corners = malloc(largest * sizeof *corners);
    for (unsigned i = 0; known != NULL && i < mesh->mNumVertices; i++)
        known[i] = NO_VERTEX;
    bool added =
        known != NULL && corners != NULL ? add_faces(in, mesh, t, known, corners) : fail(in, TOO_LARGE);
    free(known);
    free(corners);
    return added;
}

static bool add_node(importer *in, const struct aiNode *node, const transform *parent, unsigned depth)
{
    if (depth > MAX_DEPTH)
        return fail(in, "its nodes are nested deeper than 1000");
    if (node == NULL || (node->mNumChildren > 0 && node->mChildren == NULL) ||
        (node->mNumMeshes > 0 && node->mMeshes == NULL))
        return fail(in, "a node lacks its arrays");
    transform own = transform_of(&node->mTransformation), whole = product(parent, &own);
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        if (node->mMeshes[i] >= in->scene->mNumMeshes)
            return fail(in, "a node has a mesh that is not there");
        if (!add_mesh(in, in->scene->mMeshes[node->mMeshes[i]], &whole))
            return false;
    }
    for (unsigned i = 0; i < node->mNumChildren; i++)
        if (!add_node(in, node->mChildren[i], &whole, depth + 1))
            return false;
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static bool fail_as_assimp_says(importer *in)
{
    assimp_fault(in->error, MESH_FILE_ERROR, "no mesh is recognised in it");
    return false;
}

static bool collect(importer *in)
{
    static const transform unchanged = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    if (!check_scene(in) || !add_node(in, in->scene->mRootNode, &unchanged, 0))
        return false;
    return in->builder.mesh.triangle_count > 0 || fail(in, "there are no triangles in it");
}

bool mesh_import(const mesh_source *source, mesh_file *mesh, char error[MESH_FILE_ERROR])
{
    importer in = {.error = error};
    *mesh = (mesh_file){0};
    if (source->path != NULL)
        in.scene = aiImportFile(source->path, 0);
    else
        in.scene = aiImportFileFromMemory(source->data, (unsigned)source->size, 0, source->hint);
    bool done = in.scene != NULL ? collect(&in) : fail_as_assimp_says(&in);
    if (in.scene != NULL)
        aiReleaseImport(in.scene);
    if (done)
        *mesh = mesh_builder_finish(&in.builder);
    else
        mesh_builder_free(&in.builder);
    return done;
}
