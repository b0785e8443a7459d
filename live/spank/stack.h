/* live/spank/stack.h — the SPANK plugins of a site, loaded into this process: their options, and
 * their functions, called in the order of plugstack.conf.
 *
 * There is one stack in a process at a time: what plugins call (spank.h) has no other way to know
 * who they are.  A required plugin that cannot be loaded, or whose function fails, is an error; of
 * an optional one it is told only to who listens closely.
 *
 * That an option was given, and what plugins say to prolog and epilog, are variables of the job: in
 * its environment they are called SLURM_SPANK_*, as Slurm's. */
#ifndef LK_LIVE_SPANK_STACK_H
#define LK_LIVE_SPANK_STACK_H

#include <glib.h>
#include <sys/types.h>

#include "live/spank/spank.h"

/* What variables of the job are called within its environment. */
#define LK_SPANK_JOB_PREFIX "SLURM_SPANK_"
/* No value of an option is longer. */
#define LK_SPANK_VALUE_MAX_BYTES 65535u

typedef enum {
  LK_SPANK_LOG_PLAIN, /* as it is, for the user */
  LK_SPANK_LOG_ERROR,
  LK_SPANK_LOG_INFO,
  LK_SPANK_LOG_VERBOSE,
  LK_SPANK_LOG_DEBUG,
} LkSpankLevel;

typedef void (*LkSpankLog) (gpointer user, LkSpankLevel level, const char *line);

/* The functions of plugins: X (NAME, name). */
#define LK_SPANK_HOOKS(X)                                                                          \
  X (INIT, init)                                                                                   \
  X (JOB_PROLOG, job_prolog)                                                                       \
  X (INIT_POST_OPT, init_post_opt)                                                                 \
  X (LOCAL_USER_INIT, local_user_init)                                                             \
  X (USER_INIT, user_init)                                                                         \
  X (TASK_INIT_PRIVILEGED, task_init_privileged)                                                   \
  X (TASK_INIT, task_init)                                                                         \
  X (TASK_POST_FORK, task_post_fork)                                                               \
  X (TASK_EXIT, task_exit)                                                                         \
  X (JOB_EPILOG, job_epilog)                                                                       \
  X (SLURMD_EXIT, slurmd_exit)                                                                     \
  X (EXIT, exit)

typedef enum {
#define X(NAME, name) LK_SPANK_##NAME,
  LK_SPANK_HOOKS (X)
#undef X
      LK_SPANK_HOOK_COUNT
} LkSpankHook;

/* A task on this node. */
typedef struct {
  guint32 number; /* in the step */
  pid_t pid;      /* 0: it does not run */
} LkSpankTask;

/* What plugins may ask for. Borrowed; whoever calls a function fills it before. */
typedef struct {
  gboolean has_user;
  uid_t user_id;
  gid_t group_id;
  gboolean has_job;
  guint32 job_id;
  gboolean has_step;
  guint32 step_id;
  char **arguments;       /* of the program; NULL: not known */
  GPtrArray *environment; /* of char *, NULL behind the last; of the tasks. NULL: not on a node */
  /* On a node. */
  guint32 node_count;
  guint32 node_index;
  guint32 task_count; /* of the step, on all nodes */
  guint cpus;         /* here */
  guint32 cpus_per_task;
  const char *job_cores; /* lists */
  const char *step_cores;
  guint64 job_memory_mib;
  guint64 step_memory_mib;
  guint32 restarts;
  guint32 array_job_id; /* 0: none */
  guint32 array_task;
  const gid_t *groups; /* supplementary ones */
  guint group_count;
  const LkSpankTask *tasks; /* by their number here */
  guint tasks_here;
  gint task; /* which of them this is about; -1: none */
  gboolean has_status;
  int status; /* of that task */
} LkSpankScene;

typedef struct {
  spank_context_t context;
  const char *plugstack; /* its path; NULL: there is none */
  LkSpankLog log;
  gpointer log_user;
} LkSpankOptions;

typedef struct _LkSpank LkSpank;

/* Returns: (transfer full), perhaps without any plugin; NULL with an error. */
LkSpank *lk_spank_load (const LkSpankOptions *options, GError **error);
void lk_spank_free (LkSpank *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkSpank, lk_spank_free)

gboolean lk_spank_is_empty (const LkSpank *self);
/* Has any plugin this function? */
gboolean lk_spank_has (const LkSpank *self, LkSpankHook hook);
/* Of all plugins. FALSE: that of a required one has failed, told. */
gboolean lk_spank_call (LkSpank *self, LkSpankHook hook);
LkSpankScene *lk_spank_scene (LkSpank *self);
/* A process that was forked may have another place for lines. */
void lk_spank_set_log (LkSpank *self, LkSpankLog log, gpointer log_user);

/* ---- Options, which there are behind LK_SPANK_INIT. */

guint lk_spank_option_count (const LkSpank *self);
/* Returns: (transfer none). */
const struct spank_option *lk_spank_option (const LkSpank *self, guint index);
/* Given to a command. FALSE: its plugin does not take it. */
gboolean lk_spank_option_take (LkSpank *self, guint index, const char *value);

/* ---- Variables of the job. */

/* All that begin with the prefix, of NAME=VALUE; what is there is kept. */
void lk_spank_job_read (LkSpank *self, const char *const *environment);
/* NAME=VALUE with the prefix. Returns: (transfer full) of char *. */
GPtrArray *lk_spank_job_variables (const LkSpank *self);
/* Options that were given where the job comes from, as its variables say, are told to their
 * plugins. FALSE: one is not taken, told. */
gboolean lk_spank_job_options (LkSpank *self);

#endif
