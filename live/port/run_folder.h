/* live/port/run_folder.h — what is on the disk of a run, and how its supervisor is reached.
 *
 * A run has a folder, RUNS/RUN_ID, that only its node's agent can look into:
 *
 *     launch   a line: job, does the script run here, boot; then the message that began it
 *     stage    locked by the supervisor as long as anything of it lives; a line: the stage that was
 *              begun last, and whether it has ended well. Empty: none was begun. Behind it a line:
 *              how the script has ended
 *     prolog, epilog    a line: how it has ended, if not well
 *     socket   where the supervisor listens, when it has lost its agent
 *
 * The folder appears whole, by rename.  It is durable before anything runs; how the script has
 * ended, or that something has failed, is durable before anybody is told.  Which stage runs, or has
 * ended well, is not: that matters to who finds the folder after the death of a process, and not
 * after that of the machine.
 *
 * Lines begin with a word and a version, and may get more fields: so a run outlives an upgrade. */
#ifndef LK_LIVE_PORT_RUN_FOLDER_H
#define LK_LIVE_PORT_RUN_FOLDER_H

#include "live/core/port_process.h"

/* With the NUL at its end. */
#define LK_BOOT_ID_BYTES 37u

typedef struct {
  char boot_id[LK_BOOT_ID_BYTES];
  guint32 job_id;
  gboolean runs_script;
} LkRunAbout;

/* What the agent wants of a supervisor: a packet of these bytes. */
typedef enum {
  LK_STEP_BEGIN = 1, /* a stage */
  LK_STEP_SIGNAL,    /* signal, to the script only or to all */
  LK_STEP_FORGET,    /* it may end */
} LkStepWhat;
typedef struct {
  guint8 what;
  union {
    guint8 stage; /* to begin */
    guint8 why;   /* with a signal: number of LkEndWhy; 0: nothing that is told */
  };
  guint8 signal;
  guint8 batch_only;
} LkStepOrder;

/* What the agent wants of a step of the run: a packet that begins with these bytes.  The supervisor
 * hands it on to the keeper, and that to the process of the step's tasks. */
typedef enum {
  LK_STEP_TASKS_BEGIN = 16, /* what is in the folder of the run */
  LK_STEP_TASKS_SIGNAL,
  LK_STEP_TASKS_LISTEN, /* behind it: the message */
  LK_STEP_TASKS_NOTIFY, /* behind it: words; the largest u32 as step: for the script's errors */
} LkStepTasksWhat;
typedef struct {
  guint8 what;
  guint8 signal;
  guint8 why; /* as above */
  guint8 unused;
  guint32 step_id;
} LkStepTasksOrder;
#define LK_STEP_TASKS_BYTES_MAX 65536u

/* The other way: packets of a word and the bytes of one LkStepReport. */
#define LK_TASKS_USAGE "step-usage "
#define LK_TASKS_ENDED "step-ended "
/* To the keeper only: what is left is to be killed with its rights, which reach farther. */
#define LK_TASKS_LEFT "step-left "

/* Longest answer: a line that says how a stage has ended, or one for the log, which begins so. */
#define LK_STEP_LINE_BYTES 256u
#define LK_STEP_LOG "log "
/* The stage that runs should be over and is not; behind it the number of an LkStuck. */
#define LK_STEP_STUCK "stuck "

/* FALSE: it cannot be read. */
gboolean lk_boot_id_read (char out_boot_id[LK_BOOT_ID_BYTES]);

/* Descriptors are of the folder of all runs, and of that of one. -1, FALSE: see errno. */
gboolean lk_run_folder_make (int runs, guint64 run_id, const LkRunAbout *about,
                             const guint8 *launch, gsize length_bytes);
int lk_run_folder_open (int runs, guint64 run_id);
gboolean lk_run_folder_about (int folder, LkRunAbout *out_about);
/* Returns: (transfer full), NULL: it cannot be read. */
GByteArray *lk_run_folder_launch (int folder);
/* Whose run it is, by its launch; where that cannot be read, our own user. */
guint32 lk_run_folder_user (const char *path);
/* All that `make` has written, and that it is there. */
gboolean lk_run_folder_sync (int folder);

/* The last that was begun, or that has its end on record without it; 0: none. */
guint lk_run_folder_stage (int folder);
gboolean lk_run_folder_set_stage (int folder, LkStage stage);
/* FALSE: it has not ended. */
gboolean lk_run_folder_end (int folder, LkStage stage, LkExit *out_how);
gboolean lk_run_folder_set_end (int folder, LkStage stage, const LkExit *how);

/* As a line. */
void lk_run_end_print (LkStage stage, const LkExit *how, char out_line[LK_STEP_LINE_BYTES]);
/* Returns: (transfer full). */
char *lk_run_stuck_line (LkStuck why);
/* FALSE: it is no such line. */
gboolean lk_run_stuck_scan (const char *line, LkStuck *out_why);
gboolean lk_run_end_scan (const char *line, LkStage *out_stage, LkExit *out_how);

/* As recv(2), without waiting if it is not to.  Who has gone without reading all that he was sent
 * may have said something before: that is not lost.  0: he is gone, and has said nothing more. */
gssize lk_step_receive (int stream, void *out_bytes, gsize size_bytes, gboolean waits);

/* A descriptor that holds the lock, also in children that have it; -1: somebody else holds it. */
int lk_run_folder_lock (int folder);
int lk_run_folder_listen (int folder);
/* -1: nobody listens yet. */
int lk_run_folder_connect (int folder);

/* From here on it is not found any more; returns a descriptor of it. */
int lk_run_folder_retire (int runs, guint64 run_id);
/* By name: one that was retired, or was never whole. */
void lk_run_folder_remove (int runs, const char *name);
/* Is it the name of a run? Else, is it one to remove? */
gboolean lk_run_folder_name (const char *name, guint64 *out_run_id);
gboolean lk_run_folder_is_old (const char *name);

#endif
