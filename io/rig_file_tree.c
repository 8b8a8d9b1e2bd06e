#define _POSIX_C_SOURCE 200809L /* strnlen */
/* The nodes of a file, and which of them are bones. */
#include "io/rig_file_import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NODES 1000000u

rig_affine rig_affine_from(const struct aiMatrix4x4 *a)
{
    return (rig_affine){{{(double)a->a1, (double)a->a2, (double)a->a3, (double)a->a4},
                         {(double)a->b1, (double)a->b2, (double)a->b3, (double)a->b4},
                         {(double)a->c1, (double)a->c2, (double)a->c3, (double)a->c4}}};
}

/* ---- the table ------------------------------------------------------------------------------------------ */

/* Nodes that are still to be looked at. */
typedef struct pending {
    const struct aiNode *node;
    uint32_t parent;
} pending;

static bool check_node(rig_importer *in, const struct aiNode *node)
{
    if (node == NULL || (node->mNumChildren > 0 && node->mChildren == NULL) ||
        (node->mNumMeshes > 0 && node->mMeshes == NULL))
        return rig_refuse(in, "a node lacks its arrays");
    if (!rig_name_is_sound(&node->mName))
        return rig_refuse(in, "a node's name is too long");
    if (node->mNumChildren > MAX_NODES)
        return rig_refuse(in, "it has more than %u nodes", MAX_NODES);
    for (unsigned i = 0; i < node->mNumMeshes; i++)
        if (node->mMeshes[i] >= in->scene->mNumMeshes)
            return rig_refuse(in, "a node has a mesh that is not there");
    return true;
}

static bool add_node(rig_importer *in, const struct aiNode *node, uint32_t parent)
{
    rig_affine own = rig_affine_from(&node->mTransformation);
    rig_affine rest = rig_product(parent == MOTE_NO_BONE ? &in->top : &in->nodes[parent].rest, &own);
    if (!rig_finite(&rest))
        return rig_refuse(in, "node '%s' has a transform with a number that is not finite",
                          rig_shown_name(&node->mName));
    in->nodes[in->node_count++] = (rig_node){.node = node,
                                             .parent = parent,
                                             .bone = MOTE_NO_BONE,
                                             .carrier = MOTE_NO_BONE,
                                             .meshes = node->mNumMeshes,
                                             .rest = rest};
    return true;
}

/* Room for `count` more nodes, among those that are known and among those to come. */
static bool make_room(rig_importer *in, pending **stack, size_t *capacity, size_t count)
{
    if (in->node_count + count > MAX_NODES)
        return rig_refuse(in, "it has more than %u nodes, or nodes within themselves", MAX_NODES);
    if (in->node_count + count <= *capacity)
        return true;
    size_t larger = 2 * (in->node_count + count);
    rig_node *nodes = realloc(in->nodes, larger * sizeof *nodes);
    if (nodes != NULL)
        in->nodes = nodes;
    pending *more = realloc(*stack, larger * sizeof *more);
    if (more != NULL)
        *stack = more;
    if (nodes == NULL || more == NULL)
        return rig_out_of_memory(in);
    *capacity = larger;
    return true;
}

/* Depth first, so that a limb's bones follow each other. */
static bool walk_nodes(rig_importer *in, pending **stack)
{
    size_t capacity = 0, waiting = 0;
    if (!make_room(in, stack, &capacity, 1))
        return false;
    (*stack)[waiting++] = (pending){in->scene->mRootNode, MOTE_NO_BONE};
    while (waiting > 0) {
        pending next = (*stack)[--waiting];
        if (!check_node(in, next.node) ||
            !make_room(in, stack, &capacity, waiting + 1 + next.node->mNumChildren) ||
            !add_node(in, next.node, next.parent))
            return false;
        for (unsigned i = next.node->mNumChildren; i > 0; i--)
            (*stack)[waiting++] = (pending){next.node->mChildren[i - 1], in->node_count - 1};
    }
    return true;
}

static int compare_names(const struct aiString *a, const struct aiString *b)
{
    return strcmp(a->data, b->data);
}

/* qsort hands over no context; names are compared in pairs of pointer and index. */
typedef struct named {
    const struct aiString *name;
    uint32_t index;
} named;

static int compare_named(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = compare_names(x->name, y->name);
    return order != 0 ? order : x->index < y->index ? -1 : x->index > y->index;
}

static bool sort_names(rig_importer *in)
{
    named *all = malloc(in->node_count * sizeof *all);
    in->by_name = malloc(in->node_count * sizeof *in->by_name);
    if (all == NULL || in->by_name == NULL) {
        free(all);
        return rig_out_of_memory(in);
    }
    for (uint32_t i = 0; i < in->node_count; i++)
        all[i] = (named){&in->nodes[i].node->mName, i};
    qsort(all, in->node_count, sizeof *all, compare_named);
    for (uint32_t i = 0; i < in->node_count; i++)
        in->by_name[i] = all[i].index;
    free(all);
    return true;
}

bool rig_collect_nodes(rig_importer *in)
{
    pending *stack = NULL;
    bool done = walk_nodes(in, &stack);
    free(stack);
    if (!done || !sort_names(in))
        return false;
    for (uint32_t i = in->node_count - 1; i > 0; i--)
        in->nodes[in->nodes[i].parent].meshes += in->nodes[i].meshes;
    return true;
}

uint32_t rig_find_node(const rig_importer *in, const struct aiString *name)
{
    uint32_t low = 0, high = in->node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_names(&in->nodes[in->by_name[middle]].node->mName, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < in->node_count && compare_names(&in->nodes[in->by_name[low]].node->mName, name) == 0;
    return found ? in->by_name[low] : MOTE_NO_BONE;
}

/* ---- which nodes are bones ------------------------------------------------------------------------------ */

static void mark(rig_importer *in, const struct aiString *name)
{
    uint32_t node = rig_find_node(in, name);
    if (node == MOTE_NO_BONE)
        in->rig->warnings |= RIG_WARNING_UNKNOWN;
    else
        in->nodes[node].is_marked = true;
}

static void mark_bones_of_meshes(rig_importer *in)
{
    for (unsigned i = 0; i < in->scene->mNumMeshes; i++)
        for (unsigned b = 0; b < in->scene->mMeshes[i]->mNumBones; b++)
            mark(in, &in->scene->mMeshes[i]->mBones[b]->mName);
}

static void mark_animated(rig_importer *in)
{
    for (unsigned i = 0; i < in->scene->mNumAnimations; i++)
        for (unsigned c = 0; c < in->scene->mAnimations[i]->mNumChannels; c++)
            mark(in, &in->scene->mAnimations[i]->mChannels[c]->mNodeName);
}

/* How many are marked in all. */
static uint32_t count_marked(rig_importer *in)
{
    for (uint32_t i = 0; i < in->node_count; i++)
        in->nodes[i].marked = in->nodes[i].is_marked;
    for (uint32_t i = in->node_count - 1; i > 0; i--)
        in->nodes[in->nodes[i].parent].marked += in->nodes[i].marked;
    return in->nodes[0].marked;
}

/* The lowest node with all marked ones below it, or itself. They are a chain, of which it is the last. */
static uint32_t common_node(const rig_importer *in)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < in->node_count; i++)
        if (in->nodes[i].marked == in->nodes[0].marked)
            found = i;
    return found;
}

/* A mesh's bones show where the skeleton is: what is animated elsewhere (cameras, other things) is not of
 * it, and the motion of nodes above goes over to the roots. Without such bones whatever moves is a bone. */
static bool mark_skeleton(rig_importer *in, uint32_t *top)
{
    mark_bones_of_meshes(in);
    bool of_meshes = count_marked(in) > 0;
    if (of_meshes)
        *top = common_node(in);
    mark_animated(in);
    if (count_marked(in) == 0) {
        /* A skeleton alone, without mesh and motion. */
        const struct aiScene *scene = in->scene;
        bool bones_only =
            in->node_count > 1 && scene->mNumMeshes == 0 && scene->mNumCameras == 0 && scene->mNumLights == 0;
        for (uint32_t i = 0; i < in->node_count; i++)
            in->nodes[i].is_marked = bones_only;
        if (count_marked(in) == 0)
            return rig_refuse(in, "there are no bones in it: no mesh follows bones and nothing is animated");
    }
    if (!of_meshes)
        *top = common_node(in);
    return true;
}

/* Marked nodes, those between them, and ends below them that have no mesh. */
static bool is_bone(const rig_importer *in, uint32_t index, uint32_t top)
{
    const rig_node *node = &in->nodes[index];
    if (index == top)
        return node->is_marked;
    bool below_bone = in->nodes[node->parent].bone != MOTE_NO_BONE;
    return node->marked > 0 || (below_bone && node->meshes == 0);
}

/* Numbers the bones in the order of the nodes; answers how many there are. */
static uint32_t number_bones(rig_importer *in, uint32_t top)
{
    uint32_t count = 0;
    bool below = false;
    for (uint32_t i = 0; i < in->node_count; i++) {
        rig_node *node = &in->nodes[i];
        /* Depth first: the nodes below `top` follow it, and `needed` serves to see them. */
        below = i == top || (i > top && in->nodes[node->parent].needed);
        node->needed = below;
        if (below && is_bone(in, i, top))
            node->bone = count++;
        uint32_t above = node->parent != MOTE_NO_BONE ? in->nodes[node->parent].carrier : MOTE_NO_BONE;
        node->carrier = node->bone != MOTE_NO_BONE ? node->bone : above;
    }
    for (uint32_t i = 0; i < in->node_count; i++)
        in->nodes[i].needed = in->nodes[i].bone != MOTE_NO_BONE;
    for (uint32_t i = in->node_count - 1; i > 0; i--)
        if (in->nodes[i].needed)
            in->nodes[in->nodes[i].parent].needed = true;
    return count;
}

/* ---- names ---------------------------------------------------------------------------------------------- */

/* Cut to `size` bytes, but not within a character of several bytes. */
static void cut_name(char *name, size_t size)
{
    while (size > 0 && ((unsigned char)name[size] & 0xc0) == 0x80)
        size--;
    name[size] = '\0';
}

static bool name_is_taken(const rig *model, uint32_t bone)
{
    for (uint32_t i = 0; i < bone; i++)
        if (strcmp(model->names[i], model->names[bone]) == 0)
            return true;
    return false;
}

static void name_bone(rig *model, uint32_t bone, const struct aiString *name)
{
    char *own = model->names[bone], number[16];
    size_t length = strnlen(name->data, name->length);
    bool changed = length == 0 || length >= RIG_NAME;
    snprintf(own, RIG_NAME, "%.*s", RIG_NAME - 1, length > 0 ? name->data : "bone");
    if (length >= RIG_NAME) {
        memcpy(own, name->data, RIG_NAME - 1);
        cut_name(own, RIG_NAME - 1);
    }
    for (char *at = own; *at != '\0'; at++)
        if ((unsigned char)*at < ' ')
            *at = '_';
    length = strlen(own);
    for (unsigned copy = 2; name_is_taken(model, bone); copy++) {
        changed = true;
        int digits = snprintf(number, sizeof number, ".%u", copy);
        cut_name(own, length + (size_t)digits < RIG_NAME ? length : RIG_NAME - 1 - (size_t)digits);
        strcat(own, number);
    }
    if (changed)
        model->warnings |= RIG_WARNING_NAMES;
}

bool rig_choose_bones(rig_importer *in)
{
    uint32_t top = 0;
    if (!mark_skeleton(in, &top))
        return false;
    rig *model = in->rig;
    uint32_t count = number_bones(in, top);
    if (count == 0 || count > RIG_MAX_BONES)
        return rig_refuse(in, "it has %u bones; it must have 1 to %u", count, (unsigned)RIG_MAX_BONES);
    model->names = calloc(count, sizeof *model->names);
    model->parents = calloc(count, sizeof *model->parents);
    model->rest = calloc(count, sizeof *model->rest);
    if (model->names == NULL || model->parents == NULL || model->rest == NULL)
        return rig_out_of_memory(in);
    model->bone_count = count;
    bool uneven = false;
    for (uint32_t i = 0; i < in->node_count; i++) {
        const rig_node *node = &in->nodes[i];
        if (node->bone == MOTE_NO_BONE)
            continue;
        name_bone(model, node->bone, &node->node->mName);
        model->parents[node->bone] =
            node->parent != MOTE_NO_BONE ? in->nodes[node->parent].carrier : MOTE_NO_BONE;
        model->rest[node->bone] = rig_rigid_part(&node->rest, &uneven);
    }
    model->warnings |= uneven ? RIG_WARNING_SCALE : 0;
    return true;
}
