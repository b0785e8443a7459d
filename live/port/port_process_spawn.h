/* live/port/port_process_spawn.h — how a supervisor is started: its command line, and no ties to
 * the agent but one stream.  For port_process_os.c. */
#ifndef LK_LIVE_PORT_PORT_PROCESS_SPAWN_H
#define LK_LIVE_PORT_PORT_PROCESS_SPAWN_H

#include "live/port/core_map.h"
#include "live/port/port_process_os.h"

typedef struct {
  char *directory;
  char *spool;
  char *program;
  char *node;
  GPtrArray *fixed;          /* arguments that are the same for all runs */
  char *group;               /* control group above those of runs; NULL: without */
  LkCoreMap *cores;          /* NULL: nothing is bound */
  gboolean confines_nothing; /* groups are only to find processes */
  gboolean confines_tasks;
  LkMemoryRules memory;
  LkCgroupChoice cgroups;
  char *cgroup_mount; /* of that */
  char *private_base; /* NULL: none */
} LkSpawnPlan;

void lk_spawn_plan_init (LkSpawnPlan *self, const LkProcessOsConfig *config);
void lk_spawn_plan_clear (LkSpawnPlan *self);
/* What cannot be done here, in words, and is done without from now on; NULL: all can. */
const char *lk_spawn_probe (LkSpawnPlan *self);

/* Of a run. Returns: (transfer full); the second may be NULL. */
char *lk_spawn_folder (const LkSpawnPlan *self, guint64 run_id);
char *lk_spawn_group (const LkSpawnPlan *self, guint64 run_id);
/* The group of a run, NULL: there is none. Returns: (transfer full). */
LkCgroup *lk_spawn_open_group (const LkSpawnPlan *self, guint64 run_id);
/* What who was given so much may use. */
LkMemoryLimits lk_spawn_memory (const LkSpawnPlan *self, guint64 given_bytes);
/* What a supervisor has left that could not do it itself. */
void lk_spawn_clean (const LkSpawnPlan *self, guint64 run_id);

/* Returns a stream to it, -1: see errno. */
int lk_supervisor_spawn (const LkSpawnPlan *self, const LkLoop *loop, int runs, guint64 run_id);

#endif
