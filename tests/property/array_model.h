/* tests/property/array_model.h — arrays of jobs under fifo and without backfilling, as simply as
 * can be: every task is a row of its own, and each question is answered by looking at all of them.
 *
 * It shares nothing with the engine.  Times do not matter here: jobs end when they are told to. */
#ifndef LK_TESTS_PROPERTY_ARRAY_MODEL_H
#define LK_TESTS_PROPERTY_ARRAY_MODEL_H

#include <glib.h>

#define MODEL_TASKS 20u

typedef enum {
  MODEL_TASK_NONE, /* the array has no such task */
  MODEL_TASK_WAITS,
  MODEL_TASK_PENDING, /* as a job of its own */
  MODEL_TASK_RUNS,
  MODEL_TASK_OVER
} ModelTaskState;

typedef struct {
  ModelTaskState state;
  guint32 id; /* of the job that it is */
  gboolean is_held;
} ModelTask;

typedef struct {
  guint32 id;
  gint64 submit_s;
  guint32 procs;
  guint32 throttle;
  gboolean is_held; /* those that wait */
  ModelTask tasks[MODEL_TASKS];
} ModelArray;

typedef struct {
  guint32 units_free;
  guint32 id_last;
  GArray *arrays; /* of ModelArray, by rising id */
} ArrayModel;

void array_model_init (ArrayModel *self, guint32 units);
void array_model_clear (ArrayModel *self);
/* Tasks are bits of a mask. */
guint32 array_model_mask (const ModelArray *array, ModelTaskState state);
gboolean array_model_is_full (const ModelArray *array);

/* What an event does; mask 0: all of the array, or the task whose job has the id.  Each returns
 * whether it is accepted. */
guint32 array_model_submit (ArrayModel *self, const ModelArray *asked, guint32 mask);
gboolean array_model_hold (ArrayModel *self, guint32 job_id, guint32 mask, gboolean is_held);
gboolean array_model_cancel (ArrayModel *self, guint32 job_id, guint32 mask);
gboolean array_model_throttle (ArrayModel *self, guint32 job_id, guint32 throttle);
void array_model_ended (ArrayModel *self, guint32 job_id);
/* Writes "task 3 1_0; start 3; " for each start. */
void array_model_pass (ArrayModel *self, GString *out);

#endif
