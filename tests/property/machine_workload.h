/* tests/property/machine_workload.h — small random machines of nodes, jobs for them, and what
 * happens to both, from a seed.
 *
 * A style is drawn first, as in workload.h: which resources there are, how nodes and partitions are
 * shared, what jobs ask for, which nodes fail.  What is asked for mostly fits the machine; some of
 * it never does, or is not even a request.  Times are whole seconds. */
#ifndef LK_TESTS_PROPERTY_MACHINE_WORKLOAD_H
#define LK_TESTS_PROPERTY_MACHINE_WORKLOAD_H

#include <glib.h>

#include "engine/cluster.h"
#include "engine/codec.h"

#define LK_MACHINE_JOBS_MAX 40u
#define LK_MACHINE_CHANGES_MAX 48u
#define LK_MACHINE_NODES_MAX 8u

typedef struct {
  guint32 id;
  guint32 user_id;
  guint32 procs;
  gint64 submit_s;
  gint64 run_s;
  gint64 estimate_s; /* 0: no limit, unless its partition has one */
  gint64 late_s; /* between the limit and the report of the end, of a job that is killed at it */
  LkJobRequest request;
  const char *reservation; /* that it asks for; NULL: none */
} LkMachineJob;

typedef enum {
  LK_MACHINE_CANCEL,
  LK_MACHINE_HOLD,
  LK_MACHINE_RELEASE,
  LK_MACHINE_REQUEUE,
  LK_MACHINE_UPDATE,
  LK_MACHINE_NODE_UP,
  LK_MACHINE_NODE_DOWN,
  LK_MACHINE_NODE_DRAIN,
  LK_MACHINE_NODE_RESUME,
  LK_MACHINE_CHANGE_LIMIT
} LkMachineChangeKind;

typedef struct {
  LkMachineChangeKind kind;
  gint64 at_s;
  guint32 job_id;
  gboolean flag;     /* by an administrator; requeue and hold */
  gint64 estimate_s; /* of an update */
  const char *nodes;
} LkMachineChange;

/* What is left out of a workload. */
typedef enum {
  LK_MACHINE_NO_CHANGES = 1 << 0,   /* nothing but submits and ends */
  LK_MACHINE_CPUS_ONLY = 1 << 1,    /* one node, jobs of so many tasks */
  LK_MACHINE_NO_TOPOLOGY = 1 << 2,  /* a flat network */
  LK_MACHINE_NO_LATE_ENDS = 1 << 3, /* who is killed ends at once */
  /* What a choice of nodes that is made step by step may not find although it is there: neighbours,
   * bindings, counted features. */
  LK_MACHINE_NO_PUZZLES = 1 << 4,
} LkMachineWithout;

typedef struct {
  LkCluster *cluster; /* checked */
  GStringChunk *texts;
  guint job_count;
  guint change_count;
  LkMachineJob jobs[LK_MACHINE_JOBS_MAX]; /* by submit time; ids ascend */
  LkMachineChange changes[LK_MACHINE_CHANGES_MAX];
} LkMachineWorkload;

/* `without`: set of LkMachineWithout. Returns: (transfer full). */
LkMachineWorkload *lk_machine_workload_new (guint64 seed, guint without);
void lk_machine_workload_free (LkMachineWorkload *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkMachineWorkload, lk_machine_workload_free)

/* Puts values at the ends of their types, and texts that are none, into what jobs ask for. */
void lk_machine_workload_garble (guint64 seed, LkMachineWorkload *self);

/* Take one out; for who looks for the smallest workload that fails. */
void lk_machine_workload_drop_job (LkMachineWorkload *self, guint index);
void lk_machine_workload_drop_change (LkMachineWorkload *self, guint index);
/* A table for people. */
void lk_machine_workload_print (const LkMachineWorkload *self, GString *out);

#endif
