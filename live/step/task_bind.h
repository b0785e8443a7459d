/* live/step/task_bind.h — which CPUs each task of a step gets of those that the step has on a node.
 * Nothing here touches the system.
 *
 * Source: srun(1), --cpu-bind. */
#ifndef LK_LIVE_STEP_TASK_BIND_H
#define LK_LIVE_STEP_TASK_BIND_H

#include <glib.h>

/* What the step has on the node. */
typedef struct {
  const GPtrArray *cores; /* of GArray of guint32: the system's CPUs of each core; empty: unknown */
  guint task_count;       /* of the step, here */
  guint cpus_per_task;    /* 0: 1 */
  /* Of the machine, likewise; NULL or empty: unknown.  Only looked at for what is bound by them. */
  const GPtrArray *sockets;
  const GPtrArray *ldoms;
} LkBindRoom;

typedef struct {
  GPtrArray *cpus;     /* of GArray of guint32, by task; NULL: tasks are not bound */
  const char *type;    /* SLURM_CPU_BIND_TYPE: "none", "mask_cpu:" */
  char *list;          /* SLURM_CPU_BIND_LIST: masks of the tasks; "": none */
  gboolean is_verbose; /* each task tells how it is bound */
} LkBind;

/* `how`: of --cpu-bind; "": as many cores as tasks need, if that is what there is, else not.
 * NULL, or what is wrong with it, a text for the user: then nothing is bound. Returns: (transfer
 * full). */
char *lk_bind_cpus (const char *how, const LkBindRoom *room, LkBind *out_bind);
void lk_bind_clear (LkBind *self);
/* Does it take the sockets, or the NUMA domains, to bind so? */
gboolean lk_bind_needs_sockets (const char *how);
gboolean lk_bind_needs_ldoms (const char *how);

#endif
