/* live/step/tasks_private.h — what the process of a step's tasks knows; shared by tasks*.c and
 * task_begin.c only. */
#ifndef LK_LIVE_STEP_TASKS_PRIVATE_H
#define LK_LIVE_STEP_TASKS_PRIVATE_H

#include "live/core/step_task.h"
#include "live/port/loop.h"
#include "live/port/step_stream.h"
#include "live/step/gpu_bind.h"
#include "live/step/mem_bind.h"
#include "live/step/step_plugins.h"
#include "live/step/step_pmi.h"
#include "live/step/step_pmix.h"
#include "live/step/task_bind.h"
#include "live/step/task_io.h"
#include "live/step/task_usage.h"
#include "live/step/tasks.h"

typedef struct {
  guint32 number; /* in the step */
  guint index;    /* here */
  pid_t pid;      /* 0: it does not live */
  pid_t epilog;   /* the program behind it that runs; 0: none */
  guint epilogs;  /* so many of them were begun */
  gboolean was_begun;
  gboolean is_over; /* with its epilogs, and told */
  int status;       /* as of wait(2) */
  char **arguments; /* NULL: none could be found out */
  int terminal;     /* -1: it has none */
  int pmi;          /* its PMI_FD, until it is begun; -1: none */
  LkTaskUse use;
} LkTask;

typedef struct _LkTasks LkTasks;

/* Who has a stream to this step. */
typedef struct {
  LkTasks *tasks;
  LkStepStream *stream;
  gboolean is_srun;   /* the one that began the step */
  gboolean may_write; /* what it sends is read by tasks */
} LkListener;

struct _LkTasks {
  LkStep *step;
  LkLoop *loop;
  const LkMessage_step_launch *launch;
  LkStepTask needs;
  LkStepPlace place;
  /* Made of these. */
  GPtrArray *cores; /* of GArray of guint32 */
  LkMemoryLimits memory;
  GArray *gpus;    /* of guint32 */
  GPtrArray *near; /* by GPU of the node: of GArray of guint32; NULL: not known */
  LkGpuBind gpu_bind;
  LkBind bind;
  LkMemBind mem_bind;
  GPtrArray
      *ldoms; /* of GArray of guint32: CPUs of the machine's NUMA nodes, for memory; or NULL */
  char *work_dir;
  char *folder; /* of the PMIx server and of what tasks share; NULL: none is wanted */
  char *nodes;
  char *node_tasks;
  char *here;
  char *launcher; /* NULL: not told */
  char *port;
  guint node_count;

  guint count;
  LkTask *tasks;
  LkTaskIo *io;
  LkStepPmix *pmix;       /* NULL: without */
  LkStepPmi *pmi;         /* likewise */
  LkStepPlugins *plugins; /* NULL: the site has none */
  gboolean plugins_failed;
  void (*send_pmix) (gpointer user, guint32 node_index, LkBytes bytes);
  void (*abort_pmix) (gpointer user, int status, const char *why);
  GPtrArray *listeners; /* of LkListener */
  int keeper;           /* -1: it is gone */
  LkLoopFd keeper_part;
  LkLoopTimer kill_timer;   /* SIGKILL, or again */
  LkLoopTimer sample_timer; /* what tasks use */
  LkLoopTimer over_timer;   /* of the end: who has not answered is not waited for */
  LkLoopTimer epilog_timer;
  LkLoopTimer wait_timer; /* others may live so long behind the first */
  gint64 sample_every_us;
  guint64 oom_kills; /* of its group, before */
  gboolean was_begun;
  gboolean is_ending;    /* whatever lives is being ended */
  gboolean is_closing;   /* all tasks are over; what is left is being killed */
  gboolean is_cancelled; /* told */
  gboolean has_told;     /* the keeper, how it has ended */
  gboolean was_left;     /* something was killed, once */
  gboolean is_over;      /* told so */
  guint8 trouble;
  guint8 signal; /* if nothing was begun: why */
};

/* ---- tasks_begin.c */

/* Files, pipes, and the process. FALSE: it is over already; why was told. */
gboolean lk_tasks_begin_task (LkTasks *self, LkTask *task);
/* A program behind a task. FALSE: there is none (any more), or it cannot be run. */
gboolean lk_tasks_begin_epilog (LkTasks *self, LkTask *task);
/* Its plugins hear how it has ended. */
void lk_tasks_tell_exit (LkTasks *self, const LkTask *task);
/* Behind the last task. */
void lk_tasks_end_plugins (LkTasks *self);

/* ---- tasks_report.c */

/* How it stands here, by the tasks that were begun and those that are over. */
LkStepReport lk_tasks_report (const LkTasks *self, LkStepState state);
/* Behind one of the LK_TASKS_ words. */
void lk_tasks_tell_keeper (LkTasks *self, const char *word, const LkStepReport *report);

/* ---- tasks.c */

/* A line for all that listen. */
void lk_tasks_say (LkTasks *self, gboolean is_error, const char *format, ...) G_GNUC_PRINTF (3, 4);

#endif
