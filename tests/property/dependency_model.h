/* tests/property/dependency_model.h — dependencies as a page of rules, without an index.
 *
 * After each event every condition of every pending job is looked at anew. */
#ifndef LK_TESTS_PROPERTY_DEPENDENCY_MODEL_H
#define LK_TESTS_PROPERTY_DEPENDENCY_MODEL_H

#include <glib.h>

#include "engine/dependency.h"

#define MODEL_JOBS_MAX 40u
#define MODEL_CONDITIONS_MAX 5u
/* MinJobAge of a counted pool. */
#define MODEL_AGE_S 300

typedef struct {
  LkDependencyType type;
  guint32 job_id; /* 0: singleton */
  guint32 minutes;
  gboolean is_satisfied;
  gboolean has_failed;
} ModelCondition;

typedef enum { MODEL_ABSENT, MODEL_PENDING, MODEL_RUNNING, MODEL_ENDED } ModelPhase;

typedef struct {
  guint32 user_id;
  const char *name;
  gboolean is_any;
  gboolean kills;
  gboolean was_satisfied; /* all that it waits for; for good */
  guint condition_count;
  ModelCondition conditions[MODEL_CONDITIONS_MAX];
  ModelPhase phase;
  gboolean ended_well;
  gint64 start_s; /* of the last run; the end of a job that never ran */
  gint64 end_s;
} ModelJob;

typedef struct {
  ModelJob jobs[MODEL_JOBS_MAX + 1]; /* by id, from 1 */
  gint64 now_s;
  guint kill_count;
} Model;

/* What the rules say when the job is submitted: FALSE refuses it. */
gboolean model_submit (Model *self, guint32 id);
void model_start (Model *self, guint32 id);
/* Back to the queue. */
void model_requeue (Model *self, guint32 id);
void model_end (Model *self, guint32 id, gboolean well);
/* Time has passed. */
void model_look (Model *self);

typedef enum { MODEL_FREE, MODEL_WAITS, MODEL_NEVER } ModelStand;
ModelStand model_stand (const Model *self, guint32 id);

#endif
