/* live/port/port_process_os_private.h — the tables of the process port of a real machine; shared by
 * port_process_os.c and port_process_steps.c only. */
#ifndef LK_LIVE_PORT_PORT_PROCESS_OS_PRIVATE_H
#define LK_LIVE_PORT_PORT_PROCESS_OS_PRIVATE_H

#include "live/port/job_keys.h"
#include "live/port/port_process_spawn.h"
#include "live/port/run_folder.h"

typedef struct {
  LkProcessOs *port;
  LkSupervised known;
  int stream; /* to its supervisor; -1: not connected */
  LkLoopFd part;
  LkLoopTimer timer;  /* when to look for it */
  gint64 patience_us; /* between two looks */
  gboolean is_dead;   /* it has none, and nothing is left */
  gboolean was_dead;  /* one of its supervisors has not cleaned up */
  guint spawn_count;
  GArray *orders;     /* of LkStepOrder: to be sent */
  GPtrArray *packets; /* of GByteArray: behind those, about steps */
  GArray *steps;      /* of LkStepFound, rising: those that are not forgotten */
} LkOsRun;

struct _LkProcessOs {
  LkSpawnPlan plan;
  LkLoop *loop;
  void (*ended) (gpointer user, guint64 run_id, LkStage stage, const LkExit *how);
  void (*stuck) (gpointer user, guint64 run_id, LkStuck why);
  void (*step_ended) (gpointer user, const LkStepFound *step);
  void (*step_used) (gpointer user, guint64 run_id, guint32 step_id, const LkStepUsage *usage);
  gpointer user;
  void (*log) (gpointer user, const char *line);
  gpointer log_user;
  char boot_id[LK_BOOT_ID_BYTES];
  int lock;
  int runs_folder;
  LkJobKeys keys;
  GPtrArray *runs; /* of Run, by rising run_id */
};

/* ---- port_process_os.c */

/* A line for the log. */
void lk_process_os_say (const LkProcessOs *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* NULL: there is none. */
LkOsRun *lk_process_os_run (const LkProcessOs *self, guint64 run_id);

/* ---- port_process_steps.c */

/* What is in the folder of a run. */
void lk_process_os_take_steps (LkOsRun *run, int folder);
/* The script's stage is over: so are all steps, before that is told. */
void lk_process_os_end_steps (LkOsRun *run);
/* FALSE: the packet of the supervisor is not about a step. */
gboolean lk_process_os_hear_step (LkOsRun *run, const char *packet, gsize length_bytes);
/* What waits for the supervisor. */
void lk_process_os_send_packets (LkOsRun *run);

/* As LkPortProcessOps has them. */
gboolean lk_process_os_step_launch (void *user, const LkMessage_step_launch *launch);
void lk_process_os_step_signal (void *user, guint64 run_id, guint32 step_id, guint8 signal,
                                guint8 why);
void lk_process_os_step_listen (void *user, const LkMessage_step_listen *listen);
void lk_process_os_notify (void *user, const LkMessage_run_notify *words);
void lk_process_os_step_list (void *user, void (*found) (void *user, const LkStepFound *step),
                              void *found_user);
void lk_process_os_step_forget (void *user, guint64 run_id, guint32 step_id);

#endif
