/* Kernels: the hot loops of a step. Each is compiled once for every instruction set, from the same source with
 * the same results; a world has a table of those that its CPU runs. All work on slices of eight particles. */
#ifndef MOTE_STEP_KERNELS_H
#define MOTE_STEP_KERNELS_H

#include "step/scratch.h"

typedef struct mt_kernels {
    mt_range_task *predict;                  /* context: mt_substep */
    mt_range_task *displaced;                /* mt_substep: how far particles went since the lists were made */
    mt_range_task *bounds, *keys;            /* mt_sort_job */
    mt_range_task *clusters;                 /* mt_cluster_job */
    mt_range_task *pack_boxes, *packs;       /* mt_clusters: their boxes, and which are near each other */
    mt_range_task *list;                     /* mt_list_job */
    mt_range_task *shapes;                   /* mt_substep: contacts with shapes */
    mt_range_task *guard;                    /* mt_substep: continuous collision */
    mt_range_task *contacts;                 /* mt_substep: contacts of particles */
    mt_range_task *stabilize;                /* mt_substep */
    mt_range_task *solve;                    /* mt_substep */
    mt_range_task *velocity;                 /* mt_substep */
    mt_range_task *fluid_pick;               /* mt_substep: who is in reach of liquids */
    mt_range_task *fluid_press, *fluid_move; /* mt_substep: density */
    mt_range_task *tension_normals;          /* mt_tension */
    mt_range_task *tension;                  /* mt_tension: moves particles */
    mt_range_task *drag_pull, *drag_image, *drag_advance, *drag_measure, *drag_turn, *drag_finish; /* mt_stir */
    mt_range_task *mix_measure, *mix, *spin_measure, *spin;                                        /* mt_stir */
    mt_range_task *rub_measure, *rub_pairs, *rub_ease, *rub_follow;                                /* mt_stir */
    mt_range_task *carry_measure, *carry_pull, *carry_finish; /* mt_stir, assemblies */
    mt_range_task *bounce_measure;                            /* mt_substep */
    mt_range_task *bounce;                                    /* mt_substep */
    mt_range_task *bodies_predict, *bodies_settle, *bodies_stabilize, *bodies_follow, *bodies_stop,
        *bodies_float; /* mt_substep, assemblies; stabilize, follow and float: batches of them */
    mt_range_task *bodies_settle_pack, *bodies_push, *bodies_part; /* the same: contacts of bodies */
    mt_range_task *bodies_finish, *bodies_missing, *bodies_bounce;
} mt_kernels;

const mt_kernels *mt_kernels_of(mote_simd level);

/* The name of a kernel at the level that a file is compiled for: MT_KERNEL(solve) is mt_solve_avx2. */
#define MT_JOIN_(a, b, c) a##b##_##c
#define MT_JOIN(a, b, c)  MT_JOIN_(a, b, c)
#define MT_KERNEL(name)   MT_JOIN(mt_, name, MOTE_KERNEL_LEVEL)

#define MT_DECLARE_KERNELS(level)                                                                              \
    mt_range_task mt_predict_##level, mt_displaced_##level, mt_bounds_##level, mt_keys_##level,                \
        mt_clusters_##level, mt_pack_boxes_##level, mt_packs_##level, mt_list_##level, mt_shapes_##level,      \
        mt_guard_##level, mt_contacts_##level, mt_stabilize_##level, mt_solve_##level, mt_velocity_##level,    \
        mt_fluid_pick_##level, mt_fluid_press_##level, mt_fluid_move_##level, mt_drag_pull_##level,            \
        mt_drag_image_##level, mt_drag_advance_##level, mt_drag_measure_##level, mt_drag_turn_##level,         \
        mt_drag_finish_##level, mt_mix_measure_##level, mt_mix_##level, mt_spin_measure_##level,               \
        mt_spin_##level, mt_rub_measure_##level, mt_rub_pairs_##level, mt_rub_ease_##level,                    \
        mt_rub_follow_##level, mt_carry_measure_##level, mt_carry_pull_##level, mt_carry_finish_##level,       \
        mt_bounce_measure_##level, mt_bounce_##level, mt_bodies_predict_##level, mt_bodies_settle_##level,     \
        mt_bodies_stabilize_##level, mt_bodies_follow_##level, mt_bodies_stop_##level,                         \
        mt_bodies_float_##level, mt_bodies_settle_pack_##level, mt_bodies_push_##level,                        \
        mt_bodies_part_##level, mt_bodies_finish_##level, mt_bodies_missing_##level, mt_bodies_bounce_##level, \
        mt_tension_normals_##level, mt_tension_##level

MT_DECLARE_KERNELS(baseline);
#if defined(MOTE_KERNEL_AVX2)
MT_DECLARE_KERNELS(avx2);
#endif
#if defined(MOTE_KERNEL_AVX512)
MT_DECLARE_KERNELS(avx512);
#endif

#endif
