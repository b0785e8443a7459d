/* live/core/step_task.h — what the tasks of a step need to run; made from step_schema.h.
 *
 * One value has one encoding, and the decoder accepts nothing else.  What is decoded is borrowed
 * from the input. */
#ifndef LK_LIVE_CORE_STEP_TASK_H
#define LK_LIVE_CORE_STEP_TASK_H

#include "live/core/batch.h"
#include "live/core/step_schema.h"

/* Longest: it must fit into a message with the rest of it. */
#define LK_STEP_TASK_MAX_BYTES (8u * 1024 * 1024)

#define X(NAME, number, help) LK_STEP_INPUT_##NAME = number,
typedef enum { LK_STEP_INPUTS (X) LK_STEP_INPUT_COUNT } LkStepInput;
#undef X
#define X(NAME, number, text) LK_STEP_MPI_##NAME = number,
typedef enum { LK_STEP_MPIS (X) LK_STEP_MPI_COUNT } LkStepMpi;
#undef X

typedef struct {
  LK_STEP_TASK_FIELDS (LK_MEMBER)
} LkStepTask;

/* Appends the canonical bytes. It must have no fault. */
void lk_step_task_encode (const LkStepTask *task, GByteArray *out);
/* FALSE: the bytes are not one; then `out_task` is untouched. */
gboolean lk_step_task_decode (const guint8 *bytes, gsize length_bytes, LkStepTask *out_task);
/* May it be sent? NULL, or what is wrong with it: a text for its user. */
const char *lk_step_task_fault (const LkStepTask *task);
/* A JSON object on one line; of environment and key only the length. */
void lk_step_task_json (const LkStepTask *task, GString *out);
/* The documentation of the bytes, as Markdown. */
void lk_step_task_markdown (GString *out);

#endif
