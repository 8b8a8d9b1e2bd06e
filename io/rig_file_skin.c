/* The meshes of a file as one mesh, and which bones its vertices follow.
 *
 * A mesh's bone has a matrix from the mesh's own coordinates to the bone's, as they were when the two were
 * bound. So one bone whose place is known gives the place of the mesh, and the mesh gives the places of its
 * other bones. The first mesh stands where its topmost bone is at rest. */
#include "io/mesh_file_builder.h"
#include "io/rig_file_import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a vertex follows. */
typedef struct hold {
    uint32_t bones[4];
    float weights[4]; /* strongest first */
} hold;

typedef struct skinner {
    rig_importer *in;
    mesh_builder mesh; /* its table of places is not used: vertices must have the same holds as well */
    hold *holds;       /* of each vertex of the mesh */
    size_t capacity;
    uint32_t *table; /* open hash table: the vertex at each entry, or NO_VERTEX */
    size_t table_size;
    rig_affine *bind; /* of each bone, once it is known */
    bool *bound;
} skinner;

#define TOO_LARGE "its meshes need too much memory, or have more than 100 million vertices or triangles"

/* ---- checks --------------------------------------------------------------------------------------------- */

static bool check_bone(rig_importer *in, const struct aiMesh *mesh, const struct aiBone *bone, unsigned number)
{
    if (bone == NULL || (bone->mNumWeights > 0 && bone->mWeights == NULL) || !rig_name_is_sound(&bone->mName))
        return rig_refuse(in, "a bone of mesh %u lacks its weights", number);
    for (unsigned i = 0; i < bone->mNumWeights; i++)
        if (bone->mWeights[i].mVertexId >= mesh->mNumVertices)
            return rig_refuse(in, "bone '%s' of mesh %u has vertex %u of %u", rig_shown_name(&bone->mName),
                              number, bone->mWeights[i].mVertexId, mesh->mNumVertices);
    return true;
}

static bool check_faces(rig_importer *in, const struct aiMesh *mesh, unsigned number)
{
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (face->mNumIndices > 0 && face->mIndices == NULL)
            return rig_refuse(in, "a face lacks its indices");
        for (unsigned i = 0; i < face->mNumIndices; i++)
            if (face->mIndices[i] >= mesh->mNumVertices)
                return rig_refuse(in, "face %u of mesh %u has vertex %u of %u", f, number, face->mIndices[i],
                                  mesh->mNumVertices);
    }
    return true;
}

/* Nothing of what assimp gives is trusted: its readers do not check all that they read. */
bool rig_check_meshes(rig_importer *in)
{
    for (unsigned m = 0; m < in->scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = in->scene->mMeshes[m];
        if (mesh == NULL || (mesh->mNumFaces > 0 && mesh->mFaces == NULL) ||
            (mesh->mNumVertices > 0 && mesh->mVertices == NULL) ||
            (mesh->mNumBones > 0 && mesh->mBones == NULL))
            return rig_refuse(in, "a mesh lacks its arrays");
        if (mesh->mNumVertices > MESH_FILE_MAX_COUNT || mesh->mNumFaces > MESH_FILE_MAX_COUNT)
            return rig_refuse(in, TOO_LARGE);
        for (unsigned b = 0; b < mesh->mNumBones; b++)
            if (!check_bone(in, mesh, mesh->mBones[b], m))
                return false;
        if (!check_faces(in, mesh, m))
            return false;
    }
    return true;
}

/* ---- vertices ------------------------------------------------------------------------------------------- */

static size_t hash_of(mote_vec3 place)
{
    uint32_t bits[3], hash = 0;
    memcpy(bits, &place, sizeof bits);
    for (int i = 0; i < 3; i++)
        hash = (hash ^ bits[i]) * 0x9e3779b1u ^ hash >> 15;
    return hash ^ hash >> 16;
}

static uint32_t *find_entry(const skinner *s, mote_vec3 place, const hold *held)
{
    for (size_t at = hash_of(place);; at++) {
        uint32_t *entry = &s->table[at & (s->table_size - 1)];
        if (*entry == NO_VERTEX || (memcmp(&s->mesh.mesh.vertices[*entry], &place, sizeof place) == 0 &&
                                    memcmp(&s->holds[*entry], held, sizeof *held) == 0))
            return entry;
    }
}

static bool grow_vertices(skinner *s)
{
    if (s->mesh.mesh.vertex_count < s->capacity)
        return true;
    size_t larger = s->capacity == 0 ? 1024 : 2 * s->capacity;
    if (larger > MESH_FILE_MAX_COUNT)
        return false;
    mote_vec3 *vertices = realloc(s->mesh.mesh.vertices, larger * sizeof *vertices);
    if (vertices != NULL)
        s->mesh.mesh.vertices = vertices;
    hold *holds = realloc(s->holds, larger * sizeof *holds);
    if (holds != NULL)
        s->holds = holds;
    uint32_t *table = malloc(4 * larger * sizeof *table);
    if (vertices == NULL || holds == NULL || table == NULL) {
        free(table);
        return false;
    }
    free(s->table);
    s->table = table;
    s->table_size = 4 * larger;
    s->capacity = s->mesh.vertex_capacity = larger;
    memset(table, 0xff, 4 * larger * sizeof *table);
    for (size_t i = 0; i < s->mesh.mesh.vertex_count; i++)
        *find_entry(s, s->mesh.mesh.vertices[i], &s->holds[i]) = (uint32_t)i;
    return true;
}

/* Vertices at one place that follow the same bones are one. */
static uint32_t add_vertex(skinner *s, mote_vec3 place, const hold *held)
{
    place = (mote_vec3){place.x + 0.0f, place.y + 0.0f, place.z + 0.0f}; /* -0 + 0 is 0 */
    if (!grow_vertices(s))
        return NO_VERTEX;
    uint32_t *entry = find_entry(s, place, held);
    if (*entry == NO_VERTEX) {
        *entry = (uint32_t)s->mesh.mesh.vertex_count++;
        s->mesh.mesh.vertices[*entry] = place;
        s->holds[*entry] = *held;
    }
    return *entry;
}

/* ---- weights -------------------------------------------------------------------------------------------- */

/* True if the weakest had to give way, or this one. */
static bool add_weight(hold *held, uint32_t bone, float weight)
{
    for (int i = 0; i < 4; i++)
        if (held->weights[i] > 0 && held->bones[i] == bone) {
            weight += held->weights[i];
            for (int k = i; k < 3; k++) {
                held->weights[k] = held->weights[k + 1];
                held->bones[k] = held->bones[k + 1];
            }
            held->weights[3] = 0;
        }
    bool full = held->weights[3] > 0;
    if (full && held->weights[3] >= weight)
        return true;
    int at = 3;
    for (; at > 0 && held->weights[at - 1] < weight; at--) {
        held->weights[at] = held->weights[at - 1];
        held->bones[at] = held->bones[at - 1];
    }
    held->weights[at] = weight;
    held->bones[at] = bone;
    return full;
}

static void finish_hold(rig *model, hold *held, uint32_t first_bone)
{
    float sum = held->weights[0] + held->weights[1] + held->weights[2] + held->weights[3];
    if (!(sum > 0)) {
        model->warnings |= RIG_WARNING_LOOSE;
        *held = (hold){.bones = {first_bone}, .weights = {1}};
        return;
    }
    for (int i = 0; i < 4; i++) {
        held->weights[i] /= sum;
        if (!(held->weights[i] > 0)) {
            held->weights[i] = 0;
            held->bones[i] = 0;
        }
    }
}

/* Weights are parts of 1. Assimp 5.2 takes the bytes of a glTF file's weights, which may be bytes or short
 * integers, for floats: that gives tiny or huge numbers. */
static bool check_weight(rig_importer *in, const struct aiBone *bone, const struct aiVertexWeight *w)
{
    if ((w->mWeight >= 1e-9f && w->mWeight <= 1e3f) || !(w->mWeight > 0))
        return true;
    return rig_refuse(
        in,
        "the weight of bone '%s' at vertex %u is %g: no weight between 0 and 1 (of glTF files only "
        "weights that are floats can be read)",
        rig_shown_name(&bone->mName), w->mVertexId, (double)w->mWeight);
}

/* `holds` has one for each vertex of the mesh. */
static bool read_weights(skinner *s, const struct aiMesh *mesh, uint32_t first_bone, hold *holds)
{
    rig *model = s->in->rig;
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *bone = mesh->mBones[b];
        uint32_t node = rig_find_node(s->in, &bone->mName);
        uint32_t index = node != MOTE_NO_BONE ? s->in->nodes[node].bone : MOTE_NO_BONE;
        for (unsigned i = 0; i < bone->mNumWeights && index != MOTE_NO_BONE; i++) {
            float weight = bone->mWeights[i].mWeight;
            if (!check_weight(s->in, bone, &bone->mWeights[i]))
                return false;
            if (isnan(weight) || weight < 0 ||
                (weight > 0 && add_weight(&holds[bone->mWeights[i].mVertexId], index, weight)))
                model->warnings |= RIG_WARNING_WEIGHTS;
        }
    }
    for (unsigned i = 0; i < mesh->mNumVertices; i++)
        finish_hold(model, &holds[i], first_bone);
    return true;
}

/* ---- where meshes and bones are when bound -------------------------------------------------------------- */

/* The mesh's place in the model, from the topmost of its bones, if possible one that is bound already. Binds
 * the others. */
static bool bind_mesh(skinner *s, const struct aiMesh *mesh, rig_affine *place, uint32_t *first_bone)
{
    rig_importer *in = s->in;
    uint32_t best_node = MOTE_NO_BONE;
    const struct aiBone *best = NULL;
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        uint32_t node = rig_find_node(in, &mesh->mBones[b]->mName);
        if (node == MOTE_NO_BONE || in->nodes[node].bone == MOTE_NO_BONE)
            continue;
        bool bound = s->bound[in->nodes[node].bone];
        bool best_bound = best != NULL && s->bound[in->nodes[best_node].bone];
        if (best == NULL || (bound && !best_bound) || (bound == best_bound && node < best_node)) {
            best_node = node;
            best = mesh->mBones[b];
        }
    }
    if (best == NULL)
        return false;
    *first_bone = in->nodes[best_node].bone;
    rig_affine offset = rig_affine_from(&best->mOffsetMatrix);
    *place = rig_product(s->bound[*first_bone] ? &s->bind[*first_bone] : &in->nodes[best_node].rest, &offset);
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        uint32_t node = rig_find_node(in, &mesh->mBones[b]->mName);
        uint32_t bone = node != MOTE_NO_BONE ? in->nodes[node].bone : MOTE_NO_BONE;
        rig_affine own = rig_affine_from(&mesh->mBones[b]->mOffsetMatrix), back;
        if (bone == MOTE_NO_BONE || s->bound[bone])
            continue;
        if (!rig_inverse(&own, &back))
            return rig_refuse(in, "the bind matrix of bone '%s' has no inverse",
                              rig_shown_name(&mesh->mBones[b]->mName));
        s->bind[bone] = rig_product(place, &back);
        s->bound[bone] = true;
    }
    return rig_finite(place) || rig_refuse(in, "a bind matrix has a number that is not finite");
}

/* A bone without vertices stands beside its parent as it does at rest. */
static bool finish_bind(skinner *s)
{
    rig *model = s->in->rig;
    bool uneven = false;
    model->skin.bind = malloc(model->bone_count * sizeof *model->skin.bind);
    if (model->skin.bind == NULL)
        return rig_out_of_memory(s->in);
    for (uint32_t b = 0; b < model->bone_count; b++) {
        uint32_t parent = model->parents[b];
        if (s->bound[b])
            model->skin.bind[b] = rig_rigid_part(&s->bind[b], &uneven);
        else if (parent == MOTE_NO_BONE)
            model->skin.bind[b] = model->rest[b];
        else
            model->skin.bind[b] =
                rig_pose_in(model->skin.bind[parent], rig_pose_from(model->rest[parent], model->rest[b]));
    }
    model->warnings |= uneven ? RIG_WARNING_SCALE : 0;
    return true;
}

/* ---- meshes --------------------------------------------------------------------------------------------- */

/* `known` has the vertices that were asked for before, `corners` room for those of the largest face. */
static bool add_faces(skinner *s, const struct aiMesh *mesh, const rig_affine *place, const hold *holds,
                      uint32_t *known, uint32_t *corners)
{
    bool mirrored = rig_determinant(place) < 0;
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        unsigned count = face->mNumIndices;
        for (unsigned i = 0; i < count && count >= 3; i++) {
            unsigned index = face->mIndices[mirrored ? count - 1 - i : i];
            if (known[index] == NO_VERTEX) {
                struct aiVector3D v = mesh->mVertices[index];
                rig_point p = rig_apply(place, (rig_point){(double)v.x, (double)v.y, (double)v.z});
                double most = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
                if (!(most <= (double)MESH_FILE_COORDINATE) || isnan(p.x + p.y + p.z))
                    return rig_refuse(s->in, "a vertex is at (%g, %g, %g); it must be within +-%g", p.x, p.y,
                                      p.z, (double)MESH_FILE_COORDINATE);
                known[index] = add_vertex(s, (mote_vec3){(float)p.x, (float)p.y, (float)p.z}, &holds[index]);
            }
            if (known[index] == NO_VERTEX)
                return rig_refuse(s->in, TOO_LARGE);
            corners[i] = known[index];
        }
        if (count >= 3 && !mesh_builder_polygon(&s->mesh, corners, count))
            return rig_refuse(s->in, TOO_LARGE);
    }
    return true;
}

/* With bones of its own, or with one bone that carries all of it. */
static bool add_mesh(skinner *s, const struct aiMesh *mesh, const rig_affine *place, uint32_t bone)
{
    if (mesh->mNumVertices == 0 || mesh->mNumFaces == 0)
        return true;
    size_t largest = 3;
    for (unsigned f = 0; f < mesh->mNumFaces; f++)
        if (mesh->mFaces[f].mNumIndices > largest)
            largest = mesh->mFaces[f].mNumIndices;
    uint32_t *known = malloc(mesh->mNumVertices * sizeof *known);
    uint32_t *corners = malloc(largest * sizeof *corners);
    hold *holds = calloc(mesh->mNumVertices, sizeof *holds);
    bool done = known != NULL && corners != NULL && holds != NULL;
    if (done) {
        memset(known, 0xff, mesh->mNumVertices * sizeof *known);
        for (unsigned i = 0; i < mesh->mNumVertices && mesh->mNumBones == 0; i++)
            holds[i] = (hold){.bones = {bone}, .weights = {1}};
        done = (mesh->mNumBones == 0 || read_weights(s, mesh, bone, holds)) &&
               add_faces(s, mesh, place, holds, known, corners);
    } else {
        rig_out_of_memory(s->in);
    }
    free(known);
    free(corners);
    free(holds);
    return done;
}

/* Meshes with bones: where their node is does not matter. */
static bool add_skinned(skinner *s)
{
    for (unsigned m = 0; m < s->in->scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = s->in->scene->mMeshes[m];
        rig_affine place;
        uint32_t first_bone;
        if (mesh->mNumBones == 0)
            continue;
        s->in->error[0] = '\0';
        if (bind_mesh(s, mesh, &place, &first_bone)) {
            if (!add_mesh(s, mesh, &place, first_bone))
                return false;
        } else if (s->in->error[0] != '\0') {
            return false;
        }
    }
    return true;
}

/* Meshes without bones go with the bone above them; those without any such bone are not the skeleton's. */
static bool add_carried(skinner *s)
{
    rig_importer *in = s->in;
    for (uint32_t i = 0; i < in->node_count; i++) {
        const rig_node *node = &in->nodes[i];
        if (node->carrier == MOTE_NO_BONE)
            continue;
        /* Beside its bone as at rest; the bone where it is bound. */
        mote_pose bind = in->rig->skin.bind[node->carrier], rest = in->rig->rest[node->carrier];
        mote_pose change = rig_pose_in(bind, rig_pose_from(rest, (mote_pose){{0, 0, 0}, {0, 0, 0, 1}}));
        rig_affine moved = rig_affine_of(
            (rig_point){(double)change.position.x, (double)change.position.y, (double)change.position.z},
            (rig_quat){(double)change.rotation.x, (double)change.rotation.y, (double)change.rotation.z,
                       (double)change.rotation.w},
            (rig_point){1, 1, 1});
        rig_affine place = rig_product(&moved, &node->rest);
        for (unsigned m = 0; m < node->node->mNumMeshes; m++) {
            const struct aiMesh *mesh = in->scene->mMeshes[node->node->mMeshes[m]];
            if (mesh->mNumBones == 0 && !add_mesh(s, mesh, &place, node->carrier))
                return false;
        }
    }
    return true;
}

/* Hands the mesh over to the rig. */
static bool finish_skin(skinner *s)
{
    rig_skin *skin = &s->in->rig->skin;
    mesh_file mesh = mesh_builder_finish(&s->mesh);
    skin->vertices = mesh.vertices;
    skin->vertex_count = mesh.vertex_count;
    skin->triangles = mesh.triangles;
    skin->triangle_count = mesh.triangle_count;
    if (mesh.triangle_count == 0) {
        free(skin->vertices);
        free(skin->triangles);
        free(skin->bind);
        *skin = (rig_skin){0};
        return true;
    }
    skin->bones = malloc(4 * skin->vertex_count * sizeof *skin->bones);
    skin->weights = malloc(4 * skin->vertex_count * sizeof *skin->weights);
    if (skin->bones == NULL || skin->weights == NULL)
        return rig_out_of_memory(s->in);
    for (size_t i = 0; i < skin->vertex_count; i++) {
        memcpy(skin->bones + 4 * i, s->holds[i].bones, sizeof s->holds[i].bones);
        memcpy(skin->weights + 4 * i, s->holds[i].weights, sizeof s->holds[i].weights);
    }
    return true;
}

bool rig_read_skin(rig_importer *in)
{
    skinner s = {.in = in};
    if (in->scene->mNumMeshes == 0)
        return true;
    s.bind = calloc(in->rig->bone_count, sizeof *s.bind);
    s.bound = calloc(in->rig->bone_count, sizeof *s.bound);
    bool done = s.bind != NULL && s.bound != NULL;
    if (!done)
        rig_out_of_memory(in);
    done = done && add_skinned(&s) && finish_bind(&s) && add_carried(&s) && finish_skin(&s);
    mesh_builder_free(&s.mesh);
    free(s.holds);
    free(s.table);
    free(s.bind);
    free(s.bound);
    return done;
}
