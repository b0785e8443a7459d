/* live/port/port_process_os.h — processes on a real machine.
 *
 * Each run has a supervisor, the program lockstep-step, in a session of its own: no child of the
 * agent, so that it lives on when that dies.  What is durable about a run is in
 * DIRECTORY/runs/RUN_ID (run_folder.h); who comes back finds the supervisors that live by the lock
 * that each holds there, and reaches them by a socket beside it.
 *
 * A supervisor that is gone takes all of its run with it, and whoever notices makes sure of that:
 * the stage that ran has then ended by SIGKILL.  Its epilog is run by another supervisor.
 *
 * As root jobs run as their users; else only those of the agent's own user are taken.  Everything
 * comes back through the loop, nothing within a call. */
#ifndef LK_LIVE_PORT_PORT_PROCESS_OS_H
#define LK_LIVE_PORT_PORT_PROCESS_OS_H

#include "live/core/port_process.h"
#include "live/port/auth_key.h"
#include "live/port/cgroup.h"
#include "live/port/loop.h"

/* A device that jobs are given: a GPU. By index as in the configuration. */
typedef struct {
  const char *path; /* /dev/nvidia0; "": it is pretended */
} LkProcessOsDevice;

/* All borrowed for the call. NULL, 0 and FALSE: without. */
typedef struct {
  const char *directory;          /* state; as root, users must be able to pass through it (0711) */
  const char *step_program;       /* lockstep-step, an absolute path */
  const char *node;               /* its name */
  const char *configuration;      /* SLURM_CONF of jobs */
  const char *const *prologs;     /* programs, absolute paths, NULL behind the last */
  const char *const *epilogs;     /* likewise */
  gint64 prolog_timeout_us;       /* of each of them; 0: none */
  gint64 epilog_timeout_us;       /* likewise */
  const char *task_prolog;        /* as the user before a script: an absolute path */
  const char *task_epilog;        /* likewise, behind it */
  const char *plugstack;          /* plugstack.conf: SPANK plugins; it need not be there */
  gint64 unkillable_us;           /* behind SIGKILL, when processes count as stuck; 0: never */
  const char *unkillable_program; /* to be run then, by each such run once */
  /* The core's lk_agent_stuck, called as `ended` is. NULL: nobody wants to know. */
  void (*stuck) (gpointer user, guint64 run_id, LkStuck why);
  /* The core's lk_agent_step_ended and lk_agent_step_usage, likewise. */
  void (*step_ended) (gpointer user, const LkStepFound *step);
  void (*step_used) (gpointer user, guint64 run_id, guint32 step_id, const LkStepUsage *usage);
  gint64 login_timeout_us;     /* of a login on behalf of a user; 0: there is none */
  const char *private_base;    /* where folders of runs are made that are theirs alone */
  const char *const *privates; /* in place of which they are, as /tmp; NULL behind the last */
  gboolean appends_output;     /* JobFileAppend */
  gboolean is_emulated;        /* other nodes are on this machine: no binding, nothing confined */
  gboolean binds_cores;        /* jobs run on the cores that they were given */
  const char *gpu_library;     /* of NVML, that is asked what runs make of GPUs; NULL: none is */
  guint tasks_max;             /* processes and threads of a run; 0: not confined */
  LkMemoryRules memory;        /* ConstrainRAMSpace, ConstrainSwapSpace, and how much */
  gboolean constrains_cores;   /* ConstrainCores: by cgroup, not by affinity only */
  gboolean constrains_devices; /* ConstrainDevices */
  gboolean uses_no_cgroups;    /* also where there are some */
  LkCgroupChoice cgroups;      /* else which */
  const LkProcessOsDevice *devices;
  guint device_count;
  const char *near; /* "0-3;4-7;": the CPUs near to each GPU, of an emulated node its cores */
  void (*log) (gpointer user, const char *line); /* NULL: nobody reads it */
  gpointer log_user;
} LkProcessOsConfig;

typedef struct _LkProcessOs LkProcessOs;

/* Finds the runs that there are. `ended` is the core's lk_agent_stage_ended, called from the loop.
 * NULL: the directory cannot be used, or another agent uses it. */
LkProcessOs *lk_process_os_new (const LkProcessOsConfig *config, LkLoop *loop,
                                void (*ended) (gpointer user, guint64 run_id, LkStage stage,
                                               const LkExit *how),
                                gpointer user, GError **error);
/* Supervisors live on. */
void lk_process_os_free (LkProcessOs *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkProcessOs, lk_process_os_free)

LkPortProcess lk_process_os_port (LkProcessOs *self);
/* From which the keys of jobs are made (job_keys.h), also of those that run; NULL: they have none.
 */
void lk_process_os_set_keyring (LkProcessOs *self, LkKeyring *keyring);

/* Changes when the machine boots: LkAgentConfig.boot_id. 0: it cannot be read. */
guint64 lk_process_os_boot_id (void);

#endif
