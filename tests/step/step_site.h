/* tests/step/step_site.h — a step on a node with real processes, and its srun in the test. */
#ifndef LK_TESTS_STEP_STEP_SITE_H
#define LK_TESTS_STEP_STEP_SITE_H

#include "live/core/step_task.h"
#include "live/port/step_stream.h"
#include "tests/step/process_node.h"

#define SITE_TASKS_MAX 16u

typedef struct {
  Node *node;
  Node *second; /* NULL: the step has one node */
  LkStepDoor *door;
  GPtrArray *streams; /* of LkStepStream: those that have come */
  guint32 ready;      /* set of nodes that are */
  GPtrArray *early;   /* what PMI servers say to those that are not */
  guint32 user_id;    /* of the runs; 0: who runs the test */
  guint node_count;
  guint refused_count; /* streams that have ended before their time */
  GString *out[SITE_TASKS_MAX];
  GString *err[SITE_TASKS_MAX];
  gboolean has_ended[SITE_TASKS_MAX];
  int status[SITE_TASKS_MAX];
  guint32 pids[SITE_TASKS_MAX];
  guint over_count; /* nodes that have said NODE_END */
  GString *log;     /* lines of the nodes */
  gboolean holds;   /* what tasks write is not taken */
  gboolean lingers; /* it says DONE to nobody */
  gint64 kill_wait_us;
  guint32 held_bytes;
  GArray *ends;     /* of LkStepFound: as the agent hears of them */
  guint used_count; /* times that it heard of their use */
} StepSite;

/* `node` has its functions for steps set, before it is started. */
void step_site_init (StepSite *self, Node *node);
void step_site_clear (StepSite *self);
/* Another node, n2, in the same loop: behind step_site_init, before it is started. */
void step_site_add_node (StepSite *self);

/* What a step needs: a program of the shell, which is run by so many tasks; of two nodes the
 * second has the second half. */
typedef struct {
  LkStepTask task;
  guint32 step_id;
  guint32 task_count;
  guint32 cpus_per_task;
  const char *gres;
  const char *cores;
  gint64 memory_bytes;
  GByteArray *arguments;
  GByteArray *environment;
  char *address;
} StepJob;
void step_job_init (StepJob *self, const StepSite *site, guint32 task_count, const char *script);
void step_job_clear (StepJob *self);
/* FALSE: it is refused. */
gboolean step_site_launch (StepSite *self, guint64 run_id, const StepJob *job);

/* Of an allocation: nothing of a script runs. */
void step_site_begin_run (StepSite *self, guint64 run_id);
void step_site_signal (StepSite *self, guint64 run_id, guint32 step_id, guint8 signal);
void step_site_forget (StepSite *self, guint64 run_id, guint32 step_id);

/* To all nodes that have a stream. */
void step_site_send (StepSite *self, const LkStepFrame *frame);
/* Turns the loop until it is so; of an end, until all streams have ended, too. */
LkStepFound step_site_wait_end (StepSite *self, guint32 step_id);
void step_site_wait_out (StepSite *self, guint task, const char *words);
void step_site_wait_log (StepSite *self, const char *words);
void step_site_wait_task (StepSite *self, guint task);
/* The srun dies. */
void step_site_hang_up (StepSite *self);

#endif
