/* THE list of kernels: KERNEL(name). The table of each instruction set, its type and the declarations come from it. */

/* mt_substep; displaced: how far particles went since the lists were made */
KERNEL(predict)
KERNEL(displaced)
/* mt_ahead_job: how fast particles are, and how far they look ahead */
KERNEL(count_fast)
KERNEL(ahead_inside)
KERNEL(ahead_cells)
KERNEL(look_ahead)
/* mt_sort_job */
KERNEL(bounds)
KERNEL(keys)
/* mt_cluster_job; mt_clusters: their boxes, and which are near each other */
KERNEL(clusters)
KERNEL(pack_boxes)
KERNEL(packs)
/* mt_list_job */
KERNEL(list)
KERNEL(list_stale)
/* mt_wet_job: how far particles look for liquids, and may go */
KERNEL(wet_ahead)
KERNEL(wet_places)
/* mt_substep: contacts with shapes, continuous collision, contacts of particles */
KERNEL(shapes)
KERNEL(guard)
KERNEL(velocity)
/* mt_substep: who is in reach of liquids, and their density */
KERNEL(fluid_press)
KERNEL(fluid_hold)
KERNEL(fluid_move)
/* mt_tension */
KERNEL(tension_normals)
KERNEL(tension)
/* mt_stir; carry: assemblies */
KERNEL(drag_finish)
KERNEL(mix_measure)
KERNEL(mix)
KERNEL(spin_measure)
KERNEL(spin)
KERNEL(rub_measure)
KERNEL(rub_pairs)
KERNEL(rub_inverse_mass)
KERNEL(rub_follow)
KERNEL(carry_measure)
KERNEL(carry_pull)
KERNEL(carry_finish)
/* mt_substep */
/* mt_substep, assemblies; stabilize, follow, float and join: batches of them */
KERNEL(bodies_predict)
KERNEL(bodies_stop)
KERNEL(bodies_finish)
KERNEL(bodies_add)
/* the same, of the impulse solver */
KERNEL(bodies_fly)
KERNEL(bodies_buoy)
KERNEL(bodies_join)
/* mt_constraint_job: bodies that are held */
KERNEL(constraints_follow)
/* mt_impulse_job, batches of assemblies */
KERNEL(joints_hold)
/* mt_set_job: who may touch whom */
KERNEL(contact_pairs)
/* mt_shape_job: contacts with shapes, of slices; of bodies: batches of rows */
KERNEL(shape_rows)
KERNEL(shape_body_rows)
/* mt_remember_job, rows of the set */
KERNEL(remember_mark)
KERNEL(remember_rows)
/* mt_impulse_job, batches of rows */
KERNEL(impulse_look)
KERNEL(impulse_find_bounces)
KERNEL(impulse_bounce)
KERNEL(impulse_warm)
KERNEL(impulse_press)
KERNEL(impulse_relax)
/* mt_impulse_job */
KERNEL(movers_return)
/* the same, at position level; place: assemblies, press_pairs: pairs */
KERNEL(position_look)
KERNEL(position_count)
KERNEL(position_average)
KERNEL(position_press)
KERNEL(position_press_pairs)
KERNEL(position_place)
