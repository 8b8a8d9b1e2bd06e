/* THE order of the step: STAGE(identifier, name). The enum, the names, the timers and docs/step.md come from
 * it. Stages from PREDICT to BOUNCE run once a substep, the rest once a step. */
STAGE(PREDICT, "predict")
STAGE(SORT, "sort")
STAGE(NEIGHBORS, "neighbors")
STAGE(CONTACTS, "contacts")
STAGE(STABILIZE, "stabilize")
STAGE(SOLVE, "solve")
STAGE(VELOCITY, "velocity")
STAGE(BOUNCE, "bounce")
STAGE(SLEEP, "sleep")
STAGE(VOLUMES, "volumes")
STAGE(EVENTS, "events")
