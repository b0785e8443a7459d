/* live/step/step.h — what a supervisor knows of its run; shared by live/step/ only. */
#ifndef LK_LIVE_STEP_STEP_H
#define LK_LIVE_STEP_STEP_H

#include <sys/types.h>

#include "live/port/cgroup.h"
#include "live/port/run_folder.h"
#include "live/step/environment.h"

typedef struct {
  /* Options. */
  char *folder_path;
  char *spool;   /* where scripts are put, in folders of their own */
  char *job_key; /* file with a key for the job; NULL, or it is not there: it has none */
  char *node;
  char *configuration;
  char **prologs;
  char **epilogs;
  gint64 prolog_timeout_us; /* of each; 0: none */
  gint64 epilog_timeout_us; /* likewise */
  char *task_prolog;        /* NULL: none */
  char *task_epilog;        /* likewise */
  char *plugstack;          /* plugstack.conf; NULL: there is none */
  gint64 unkillable_us;     /* behind SIGKILL, when processes count as stuck; 0: never */
  char *unkillable_program; /* to be run then; NULL: none */
  gint64 login_timeout_us;  /* how long a login may take; 0: there is none */
  gboolean appends_output;
  char *private_base;        /* where folders of runs are made that are theirs alone; NULL: none */
  char **private_paths;      /* in place of which they are, as /tmp */
  char *group_path;          /* NULL: no control group */
  char *cgroup_mount;        /* NULL: wherever they are mounted */
  int cgroup_version;        /* 0: which there is */
  gint64 memory_bytes;       /* to be confined to; 0: not */
  int tasks_max;             /* likewise, of processes and threads */
  gint64 memory_swap_bytes;  /* with swap space; 0: not */
  char *cpus;                /* to run on; NULL: any */
  char *gpu_library;         /* of NVML, to be asked what is made of GPUs; NULL: it is not */
  gboolean confines_nothing; /* the group is only to find processes */
  gboolean confines_cores;
  gboolean confines_devices;
  char **devices; /* files of the node's, by index */
  char *near;     /* to each GPU of it: "0-3;4-7"; by core where nothing is confined; or NULL */
  int agent;      /* stream to the agent that came last; -1: it is gone */

  /* From the folder. */
  int folder;
  int lock;
  guint64 run_id;
  GByteArray *launch_bytes;
  LkMessage launch;  /* borrows from that */
  LkBatch batch;     /* likewise */
  gboolean is_whole; /* both could be read */
  LkRunShare share;
  guint8 derived_exit_code; /* the highest of steps that have ended here, as far as heard of */

  /* From the system. */
  gboolean has_user;
  char *user;
  char *group;
  char *home;
  char *shell;
  LkCgroup *cgroup; /* NULL: none, or none yet */
  LkCgroup *part;   /* of that, in which the script goes, or a step; NULL: all of it */
} LkStep;

/* Who the user is, here. */
void lk_step_find_user (LkStep *step);
LkRunScene lk_step_scene (const LkStep *step);
/* Does the batch script run here? Else something waits in its place. */
gboolean lk_step_has_script (const LkStep *step);
/* Does the site have a plugstack.conf? */
gboolean lk_step_has_plugins (const LkStep *step);
/* Of the part of the run's group that is a step's. Returns: (transfer full). */
char *lk_step_group_name (guint32 step_id);
/* Where what it begins goes; NULL: there is no group. */
LkCgroup *lk_step_group (const LkStep *step);
/* Of the node's devices the group may open these (of guint32), and with its shares the one that
 * they are of. TRUE also where devices are not to be confined. */
gboolean lk_step_confine_devices (const LkStep *step, LkCgroup *group, const GArray *gpus,
                                  gboolean has_shares);
/* A line for the agent's log. */
void lk_step_log (const LkStep *step, const char *format, ...) G_GNUC_PRINTF (2, 3);

#endif
