/* live/client/step/step_console.h — the end of a step's streams that srun and sattach have: what
 * tasks write goes to files or a terminal, what is read goes to tasks, signals are passed on, ends
 * are told; and PMIx servers of nodes reach each other through it.
 *
 * Texts and what each signal does are those of Slurm's src/srun/launch.c and srun_job.c. */
#ifndef LK_LIVE_CLIENT_STEP_STEP_CONSOLE_H
#define LK_LIVE_CLIENT_STEP_STEP_CONSOLE_H

#include "live/client/client.h"
#include "live/port/step_stream.h"

/* Borrowed, until the console is freed. */
typedef struct {
  LkClient *client;
  LkLoop *loop;
  LkKey key;
  guint32 job_id;
  guint32 step_id;
  const char *label;     /* "StepId=7.0", for people */
  GPtrArray *node_names; /* of char*: of the step, in its order */
  GPtrArray *task_nodes; /* of char*: by task, where it is */
  GArray *task_indices;  /* of guint32: likewise, which of the nodes */
  gboolean is_labelled;
  gboolean is_unbuffered;
  int out_fd;       /* -1: dropped */
  int err_fd;       /* the same as out_fd: one file */
  guint32 out_task; /* LK_STEP_ALL: of all */
  guint32 err_task;
  int in_fd;              /* -1: nothing is read */
  guint32 in_task;        /* LK_STEP_ALL: for all */
  gboolean has_terminal;  /* in_fd is one, and a task has one too */
  gboolean is_quiet;      /* tells errors only */
  gboolean is_status_off; /* --disable-status: each interrupt goes to the tasks */
  gboolean quits_on_interrupt;
  gboolean kills_on_bad_exit;
  gint64 wait_us;       /* behind the first end; 0: for ever */
  gboolean is_attached; /* of somebody else's srun: tasks go on without us */
} LkStepConsoleOptions;

typedef struct _LkStepConsole LkStepConsole;

/* Returns: (transfer full). */
LkStepConsole *lk_step_console_new (const LkStepConsoleOptions *options);
void lk_step_console_free (LkStepConsole *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkStepConsole, lk_step_console_free)

/* A connection that has come to srun's door. For lk_step_door_new. */
void lk_step_console_came (LkStepConsole *self, int socket);
/* Until the step is over. Returns: the exit code of srun. */
int lk_step_console_run (LkStepConsole *self);

#endif
