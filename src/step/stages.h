#ifndef MOTE_STEP_STAGES_H
#define MOTE_STEP_STAGES_H

typedef enum mt_stage {
#define STAGE(identifier, name) MT_STAGE_##identifier,
#include "step/stages.inl"
#undef STAGE
    MT_STAGE_COUNT
} mt_stage;

#endif
