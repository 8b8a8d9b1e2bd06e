/* THE order of the step: STAGE(identifier, name). The enum, the names, the timers and docs/step.md come from
 * it. Stages from PREDICT to STIR run once a substep, the rest once a step. */
STAGE(PREDICT, "predict")
STAGE(SORT, "sort")
STAGE(NEIGHBORS, "neighbors")
STAGE(SHAPES, "shapes")
STAGE(SOLVE, "solve")
STAGE(GUARD, "guard")
STAGE(VELOCITY, "velocity")
STAGE(STIR, "stir")
STAGE(SLEEP, "sleep")
STAGE(VOLUMES, "volumes")
STAGE(EVENTS, "events")
