#include "step/kernels.h"

#define KERNEL_TABLE(level)                                                                                    \
    {                                                                                                          \
        mt_predict_##level, mt_displaced_##level, mt_bounds_##level, mt_keys_##level, mt_clusters_##level,     \
            mt_pack_boxes_##level, mt_packs_##level, mt_list_##level, mt_shapes_##level, mt_guard_##level,     \
            mt_contacts_##level, mt_stabilize_##level, mt_solve_##level, mt_velocity_##level,                  \
            mt_fluid_pick_##level, mt_fluid_press_##level, mt_fluid_move_##level, mt_tension_normals_##level,  \
            mt_tension_##level, mt_drag_pull_##level, mt_drag_image_##level, mt_drag_advance_##level,          \
            mt_drag_measure_##level, mt_drag_turn_##level, mt_drag_finish_##level, mt_mix_measure_##level,     \
            mt_mix_##level, mt_spin_measure_##level, mt_spin_##level, mt_rub_measure_##level,                  \
            mt_rub_pairs_##level, mt_rub_ease_##level, mt_rub_follow_##level, mt_carry_measure_##level,        \
            mt_carry_pull_##level, mt_carry_finish_##level, mt_bounce_measure_##level, mt_bounce_##level,      \
            mt_bodies_predict_##level, mt_bodies_settle_##level, mt_bodies_stabilize_##level,                  \
            mt_bodies_follow_##level, mt_bodies_stop_##level, mt_bodies_float_##level,                         \
            mt_bodies_settle_pack_##level, mt_bodies_push_##level, mt_bodies_part_##level,                     \
            mt_bodies_finish_##level, mt_bodies_missing_##level, mt_bodies_bounce_##level                      \
    }

const mt_kernels *mt_kernels_of(mote_simd level)
{
    static const mt_kernels baseline = KERNEL_TABLE(baseline);
#if defined(MOTE_KERNEL_AVX2)
    static const mt_kernels avx2 = KERNEL_TABLE(avx2);
    if (level == MOTE_SIMD_AVX2)
        return &avx2;
#endif
#if defined(MOTE_KERNEL_AVX512)
    static const mt_kernels avx512 = KERNEL_TABLE(avx512);
    if (level == MOTE_SIMD_AVX512)
        return &avx512;
#endif
    (void)level;
    return &baseline;
}
