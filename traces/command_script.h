/* traces/command_script.h — a script of Slurm's commands, each with its moment and its user.
 *
 * One command is one line:
 *
 *   SECONDS USER COMMAND [ARGUMENT...] [#run=SECONDS] [#exit=CODE] [#signal=NUMBER]
 *                        [#on-signal=NUMBER:CODE]
 *
 * COMMAND is sbatch, scancel, scontrol, sacctmgr or squeue with its arguments, in words as a shell
 * splits them.  What stands behind # says how a job of sbatch behaves: how long it runs when nobody
 * stops it, how it ends, and that its script ends when a signal comes.  #run[3]=9 is said of one
 * task of an array, or of one component of a heterogeneous job.  Without #run a job that is `--wrap
 * 'sleep N'` runs N seconds, and any other until its time limit.  Empty lines and lines that begin
 * with # are passed over.  Times do not fall.
 *
 * A script is read as a whole, so that what is wrong in it is told before anything happens: the
 * message names file, line and word: what is no option of sbatch, too, and a value that none can
 * have.  What Slurm would refuse when the command runs (an unknown job, a limit) is no fault of the
 * script.
 *
 * A script that is read tolerantly goes on where a command is not understood: that one is refused
 * when it runs, and options that nothing acts on are passed over and told.
 *
 * Source: sbatch(1), scancel(1), scontrol(1), sacctmgr(1). */
#ifndef LK_TRACES_COMMAND_SCRIPT_H
#define LK_TRACES_COMMAND_SCRIPT_H

#include <glib.h>

#include "traces/job_options.h"

typedef enum {
  LK_COMMAND_SUBMIT,
  LK_COMMAND_CANCEL,
  LK_COMMAND_HOLD, /* scontrol, and those up to LK_COMMAND_TOP; on jobs */
  LK_COMMAND_UHOLD,
  LK_COMMAND_RELEASE,
  LK_COMMAND_REQUEUE,
  LK_COMMAND_REQUEUEHOLD,
  LK_COMMAND_SUSPEND,
  LK_COMMAND_RESUME,
  LK_COMMAND_TOP,
  LK_COMMAND_UPDATE_JOB, /* scontrol; with pairs, as are all up to LK_COMMAND_DELETE_PARTITION */
  LK_COMMAND_UPDATE_NODE,
  LK_COMMAND_UPDATE_PARTITION,
  LK_COMMAND_UPDATE_RESERVATION,
  LK_COMMAND_CREATE_RESERVATION,
  LK_COMMAND_DELETE_RESERVATION,
  LK_COMMAND_CREATE_PARTITION,
  LK_COMMAND_DELETE_PARTITION,
  LK_COMMAND_SQUEUE,   /* a moment to look at */
  LK_COMMAND_SACCTMGR, /* add, modify or delete of accounts, users and QOS; its text says all */
  LK_COMMAND_UNREAD,   /* not understood; only in a script that is read tolerantly */
} LkCommandKind;

/* Jobs as a command names them: "12", "12_3", "12_[3,7-9]", "12+1"; or by their name.  A number may
 * have "id:" or "log:" before it, which matter only for the journal of a simulation. */
typedef struct {
  const char *given; /* as it is in the command; NULL: by name */
  guint32 id;        /* 0: by name */
  const char *task;  /* "3", "3,7-9"; NULL: the whole job */
  gint32 component;  /* of a heterogeneous job; -1: all of it */
  const char *name;  /* of the job; NULL: by id */
} LkCommandJob;

/* "key=value"; the key in lower case, with "+=" and "-=" told by `sign`. */
typedef struct {
  const char *key;
  const char *value;
  char sign;         /* '=', '+' or '-' */
  const char *given; /* as it stands in the command */
} LkCommandPair;

/* No word can be this key: the time of Flags=PURGE_COMP=TIME, behind all flags; "" none is told. */
#define LK_COMMAND_PURGE_KEY "flags=purge_comp"

/* What scancel asks of jobs; NULL: anything. Lists have commas. */
typedef struct {
  const char *users;
  const char *names;
  const char *partitions;
  const char *accounts;
  const char *qos;
  const char *reservations;
  const char *nodes;
  const char *states; /* PENDING, RUNNING or SUSPENDED, or PD, R, S */
  guint8 signal;      /* 0: end the job */
  gboolean to_batch;  /* the signal is for the batch script */
  gboolean is_mine;   /* only those of who asks */
} LkCommandFilter;

/* How a job behaves. */
typedef struct {
  guint32 task;  /* of an array, or component; G_MAXUINT32: all that are not named */
  gint64 run_us; /* -1: until its time limit */
  guint8 exit_code;
  guint8 signal;              /* that ends it; 0: none */
  guint8 on_signal;           /* its script ends at this one, 0: at none, */
  guint8 on_signal_exit_code; /* and so */
  gboolean is_told;           /* by what stands behind # */
} LkCommandRun;

typedef struct {
  guint64 line_number;
  gint64 time_us;
  const char *user;
  const char *text; /* the command, as it stands in the script */
  LkCommandKind kind;
  GArray *components;      /* of LkJobOptions, of sbatch: one, or those of a heterogeneous job */
  gboolean is_test;        /* sbatch --test-only: asks, and submits nothing */
  const char *refused;     /* sbatch or scancel would not take this, and why; NULL: it takes it */
  const char *fault;       /* which part of the command is no option or no value of one, or has no
                              place; NULL: none. Only in a script that is read tolerantly */
  const char *passed_over; /* what of the command nothing acts on, and why; NULL: all is acted on */
  GArray *runs;            /* of LkCommandRun; the first is for all */
  LkCommandFilter filter;
  gboolean is_incomplete; /* scontrol requeue and requeuehold: only jobs that have not ended */
  gboolean is_special;    /* scontrol requeuehold: they are shown as SPECIAL_EXIT */
  GArray *jobs;           /* of LkCommandJob */
  GArray *pairs;          /* of LkCommandPair */
  const char *label;      /* of squeue: its words; "" none */
} LkCommand;

/* One command by its words, of which the first is its name; texts are put into `texts`. The error
 * does not name a line. Returns: (transfer full), or NULL. */
LkCommand *lk_command_new (char **words, GStringChunk *texts, GError **error);
void lk_command_free (LkCommand *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkCommand, lk_command_free)

typedef struct _LkCommandScript LkCommandScript;

/* "-" is standard input. Returns: (transfer full); NULL with an LK_TRACE_ERROR. */
LkCommandScript *lk_command_script_new (const char *path, GError **error);
LkCommandScript *lk_command_script_new_from_bytes (const char *name, GBytes *bytes, GError **error);
LkCommandScript *lk_command_script_new_tolerant (const char *name, GBytes *bytes, GError **error);
void lk_command_script_free (LkCommandScript *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkCommandScript, lk_command_script_free)

/* All commands come so much later. */
void lk_command_script_shift (LkCommandScript *self, gint64 by_us);

/* For messages. */
const char *lk_command_script_name (const LkCommandScript *self);
gboolean lk_command_script_is_tolerant (const LkCommandScript *self);
guint lk_command_script_count (const LkCommandScript *self);
/* Valid as long as self. */
const LkCommand *lk_command_script_at (const LkCommandScript *self, guint index);

/* The value of a pair; NULL: there is none of that key. */
const char *lk_command_value (const LkCommand *self, const char *key);
/* What is said of a task or a component (G_MAXUINT32: of a job that has none).
 * Returns: (transfer none). */
const LkCommandRun *lk_command_run (const LkCommand *self, guint32 task);

#endif
