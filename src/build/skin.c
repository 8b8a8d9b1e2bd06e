/* Skins: meshes that follow bones, each vertex the weighted mean of where its bones would take it. */
#include "base/error.h"
#include "mote/skeleton.h"
#include "world/check.h"
#include "world/pose_chain.h"

#define BONES_A_VERTEX 4
#define SUM_TOLERANCE  1e-3f /* weights are often stored in few digits; what is missing to 1 is made up for */

static mote_result check_vertex(const mote_skin *skin, size_t vertex)
{
    const uint32_t *bones = skin->bones + BONES_A_VERTEX * vertex;
    const float *weights = skin->weights + BONES_A_VERTEX * vertex;
    if (!mt_is_finite3(skin->vertices[vertex]))
        return mt_fail(MOTE_ERROR_NOT_FINITE, "skin.vertices[%zu] is not finite", vertex);
    float sum = 0.0f;
    for (int k = 0; k < BONES_A_VERTEX; k++) {
        if (bones[k] >= skin->bone_count)
            return mt_fail(MOTE_ERROR_ARGUMENT, "skin.bones of vertex %zu: bone %u, but there are only %u",
                           vertex, bones[k], skin->bone_count);
        if (!isfinite(weights[k]))
            return mt_fail(MOTE_ERROR_NOT_FINITE, "skin.weights of vertex %zu: %g is not a finite number",
                           vertex, (double)weights[k]);
        if (weights[k] < 0.0f || weights[k] > 1.0f + SUM_TOLERANCE)
            return mt_fail(MOTE_ERROR_ARGUMENT, "skin.weights of vertex %zu: %g is not within 0 and 1", vertex,
                           (double)weights[k]);
        sum += weights[k];
    }
    if (fabsf(sum - 1.0f) > SUM_TOLERANCE)
        return mt_fail(MOTE_ERROR_ARGUMENT, "skin.weights of vertex %zu: their sum is %g; it must be 1", vertex,
                       (double)sum);
    return MOTE_OK;
}

static mote_result check_skin(const mote_skin *skin)
{
    MT_TRY(mt_check_pointer("skin", skin));
    MT_TRY(mt_check_count("skin.bone_count", skin->bone_count, 1, MOTE_MAX_BONES));
    MT_TRY(mt_check_pointer("skin.bind", skin->bind));
    if (skin->vertex_count == 0)
        return MOTE_OK;
    MT_TRY(mt_check_pointer("skin.vertices", skin->vertices));
    MT_TRY(mt_check_pointer("skin.bones", skin->bones));
    MT_TRY(mt_check_pointer("skin.weights", skin->weights));
    for (size_t i = 0; i < skin->vertex_count; i++)
        MT_TRY(check_vertex(skin, i));
    return MOTE_OK;
}

/* What each bone does to a vertex: from where `bind` has the bone to where `poses` has it. */
static mote_result find_motions(const mote_skin *skin, const mote_pose *poses, mt_frame *motions)
{
    for (uint32_t i = 0; i < skin->bone_count; i++) {
        mt_pose bind, pose;
        MT_TRY(mt_check_pose("skin.bind", i, "", skin->bind[i], &bind));
        MT_TRY(mt_check_pose("poses", i, "", poses[i], &pose));
        mt_pose origin = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
        motions[i] = mt_frame_of(mt_pose_times(pose, mt_pose_beside(bind, origin)));
    }
    return MOTE_OK;
}

static mote_vec3 carried(const mote_skin *skin, const mt_frame *motions, size_t vertex)
{
    const uint32_t *bones = skin->bones + BONES_A_VERTEX * vertex;
    const float *weights = skin->weights + BONES_A_VERTEX * vertex;
    mote_vec3 place = {0.0f, 0.0f, 0.0f};
    float sum = 0.0f;
    for (int k = 0; k < BONES_A_VERTEX; k++) {
        place = mt_add(place, mt_scale(mt_to_world(&motions[bones[k]], skin->vertices[vertex]), weights[k]));
        sum += weights[k];
    }
    return mt_scale(place, 1.0f / sum);
}

mote_result mote_skin_apply(const mote_skin *skin, const mote_pose *poses, mote_vec3 *vertices)
{
    MT_TRY(check_skin(skin));
    MT_TRY(mt_check_pointer("poses", poses));
    if (skin->vertex_count > 0)
        MT_TRY(mt_check_pointer("vertices", vertices));
    mt_frame motions[MOTE_MAX_BONES];
    MT_TRY(find_motions(skin, poses, motions));
    for (size_t i = 0; i < skin->vertex_count; i++)
        vertices[i] = carried(skin, motions, i);
    return MOTE_OK;
}
