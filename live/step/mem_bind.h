/* live/step/mem_bind.h — what --mem-bind asks for: from which NUMA nodes each task has its memory.
 *
 * The commands read it, to refuse what it is not and to tell programs of it; the step reads it for
 * its tasks.  Nothing here touches the system.
 *
 * Source: srun(1), --mem-bind; what variables and lines say was recorded with Debian's Slurm 22.05,
 * task/affinity. */
#ifndef LK_LIVE_STEP_MEM_BIND_H
#define LK_LIVE_STEP_MEM_BIND_H

#include <glib.h>

typedef enum {
  LK_MEM_BIND_UNSAID, /* quiet, verbose and the like alone */
  LK_MEM_BIND_NONE,
  LK_MEM_BIND_RANK,  /* the NUMA node of its local number */
  LK_MEM_BIND_LOCAL, /* those of the CPUs that it may run on */
  LK_MEM_BIND_MAP,
  LK_MEM_BIND_MASK,
} LkMemBindKind;

typedef struct {
  LkMemBindKind kind;
  gboolean is_verbose; /* each task tells how it is bound */
  gboolean prefers;    /* memory of other nodes, when there is none of the first one */
  gboolean sorts;      /* sort: only told on */
  gboolean wants_help;
  char *list; /* of MAP and MASK, without repetitions: 0,0,1; else NULL */
} LkMemBind;

/* Words of --mem-bind, of which later ones count more. NULL, or what is wrong with them, a text for
 * the user: then it asks for nothing. Returns: (transfer full). */
char *lk_mem_bind_read (const char *text, LkMemBind *out);
void lk_mem_bind_clear (LkMemBind *self);
/* What it may ask for, for people. */
const char *lk_mem_bind_help (void);

/* Appends NAME=VALUE of SLURM_MEM_BIND and of what begins so, for tasks or for a script; nothing
 * where nothing was asked for. `out` (of char*) owns them. */
void lk_mem_bind_variables (const LkMemBind *self, gboolean is_task, GPtrArray *out);

/* Where a task is. */
typedef struct {
  const GPtrArray *ldoms; /* of GArray of guint32: the CPUs of each NUMA node, by number */
  const GArray *cpus;     /* of guint32: which it may run on */
  guint index;            /* of the task, on its node */
} LkMemBindRoom;

/* The NUMA nodes (of guint32) that a task is bound to; none: it is not bound. NULL: as *out_fault
 * (transfer full) tells. Returns: (transfer full). */
GArray *lk_mem_bind_nodes (const LkMemBind *self, const LkMemBindRoom *room, char **out_fault);

/* A task, as its line names it. */
typedef struct {
  const char *node;
  guint32 number;
  guint index;
  gint64 pid;
} LkMemBindTask;

/* The line of --mem-bind=verbose: `nodes` are those that its memory comes from. Returns: (transfer
 * full). */
char *lk_mem_bind_line (const LkMemBind *self, const LkMemBindTask *task, const GArray *nodes);

#endif
