/* live/client/submit/sbatch.h — between the parts of sbatch, for its folder only.
 *
 * Options come from three places, of which the last counts: the #SBATCH lines of the script, the
 * environment, the command line.  Each is kept as a word that begins with its long
 * name, "--nodes=2", and each component of a heterogeneous job has words of its own.  What decides
 * where and when a job runs traces/job_options.c makes of them; the rest is here. */
#ifndef LK_LIVE_CLIENT_SUBMIT_SBATCH_H
#define LK_LIVE_CLIENT_SUBMIT_SBATCH_H

#include "live/client/client.h"
#include "live/core/batch.h"
#include "live/step/mem_bind.h"
#include "traces/job_options.h"

/* Exit codes of sbatch. */
#define LK_SBATCH_FAILURE 1
#define LK_SBATCH_USAGE 255

typedef struct {
  LkClient *client;
  GStringChunk *texts;
  GPtrArray *components;   /* of GPtrArray* of words */
  const char *script_name; /* as it was named; NULL: --wrap or standard input */
  char *script_path;       /* absolute; likewise */
  char **arguments;        /* of the script; points into argv */
  GByteArray *script;
  char *submit_line;
  GArray *options;          /* of LkJobOptions, by component */
  const char *name_default; /* of a job that has neither a name nor a script */
  LkBatchKind kind;
  gboolean hides_export; /* what runs is not told of --export */
} LkSbatch;

/* ---------------------------------------------------------------- sbatch.c */

/* With empty lists. What is in it is borrowed by no one else. */
void lk_sbatch_init (LkSbatch *self, LkClient *client);
void lk_sbatch_clear (LkSbatch *self);
/* Appends copies of words that count more than those before them. */
void lk_sbatch_words_append (GPtrArray *words, char **more);
/* Drops --hint where others of the options, which count, say the same of CPUs in numbers; told with
 * --verbose.  Source: Slurm's src/common/slurm_opt.c. */
void lk_sbatch_hint_settle (const LkClient *client, GPtrArray *words, const GPtrArray *own);
/* Tells options on standard error, as -v of Slurm's commands does: each once, by name, the last of
 * several. `words` (of char*) is sorted. */
void lk_sbatch_words_tell (const LkClient *client, GPtrArray *words);
/* What the controller's refusal is called: by the command. */
const char *lk_sbatch_failure (const LkClient *client);
/* Tells what the controller has refused. */
void lk_sbatch_refusal_tell (const LkClient *client, const GArray *events,
                             const LkMessage_reply *reply);

/* ---------------------------------------------------------------- sbatch_options.c */

typedef enum {
  LK_SBATCH_PLACED,   /* decides where and when the job runs */
  LK_SBATCH_ACTED_ON, /* acted on by sbatch, or on the node */
  LK_SBATCH_HARMLESS, /* taken, and changes nothing */
  LK_SBATCH_REFUSED,  /* an error that says so */
} LkSbatchClass;
LkSbatchClass lk_sbatch_option_class (const char *name, const char **out_why);
/* How it is called, behind its name. */
#define LK_SBATCH_CALL "[OPTIONS(0)...] [ : [OPTIONS(N)...]] script(0) [args(0)...]"
/* Prints the options, as --help does. */
void lk_sbatch_help (const LkClient *client);
/* --usage. */
void lk_sbatch_usage (const LkClient *client);
/* The same for programs, see options_dump.h. */
void lk_sbatch_dump (const LkClient *client);
/* The same as a table for docs/commands.md. */
void lk_sbatch_markdown (GString *out);
/* The last value of an option of the first component that has it; "" when it is given without one;
 * NULL: it is not given. */
const char *lk_sbatch_value (const LkSbatch *self, const char *name);
/* Prints what is wrong with an option in Slurm's words, and in ours. Returns: the exit code. */
int lk_sbatch_option_error (const LkClient *client, const GError *error);

/* ---------------------------------------------------------------- sbatch_bind.c */

typedef enum {
  LK_SBATCH_BINDS_GOOD,
  LK_SBATCH_BINDS_TOLD,  /* "help": nothing else is to be done */
  LK_SBATCH_BINDS_WRONG, /* told */
} LkSbatchBinds;
/* Looks at what binds tasks. */
LkSbatchBinds lk_sbatch_binds_check (const LkSbatch *self);
/* All values of an option of the first component that has it, the environment's first, by commas;
 * NULL: it is not given. Returns: (transfer full). */
char *lk_sbatch_values_join (const LkSbatch *self, const char *name);
/* --mem-bind, to be cleared. FALSE: told. */
gboolean lk_sbatch_mem_bind (const LkSbatch *self, LkMemBind *out);

/* ---------------------------------------------------------------- sbatch_script.c */

/* Reads the script, or makes it of --wrap. FALSE: told. */
gboolean lk_sbatch_script_read (LkSbatch *self, const char *wrap);

/* ---------------------------------------------------------------- sbatch_environment.c */

/* Its variables are those of the command from now on. */
void lk_sbatch_variables_begin (LkClient *client);
/* Appends the options that variables of the command give. */
void lk_sbatch_variables (const LkClient *client, GPtrArray *words);
/* Gives "--distribution=plane" the size that SLURM_DIST_PLANESIZE says. */
void lk_sbatch_plane_fill (const LkClient *client, GPtrArray *words);
/* With which files of the job are made: that of SLURM_UMASK, or ours. */
guint16 lk_sbatch_umask (const LkClient *client);
/* Appends NAME=VALUE of what goes with the job, each ended by a NUL. FALSE: told. */
gboolean lk_sbatch_environment (const LkSbatch *self, LkBatchExport *out_mode,
                                GByteArray *out_environment);

/* ---------------------------------------------------------------- sbatch_batch.c */

/* Appends the payload of the submit. 0, or the exit code: told. */
int lk_sbatch_payload (const LkSbatch *self, GByteArray *out);
/* Fills in the limits that go along, as --propagate and the site say. */
void lk_sbatch_limits (const LkSbatch *self, LkBatch *batch);

/* ---------------------------------------------------------------- sbatch_events.c */

/* Fills `options` from the words, and appends an LkEvent for each component. 0, or the exit code:
 * told. */
int lk_sbatch_events (LkSbatch *self, GArray *out_events);

/* ---------------------------------------------------------------- sbatch_trial.c */

/* Tells when the job would start; nothing is submitted. Returns: the exit code. */
int lk_sbatch_trial (const LkClient *client, const GArray *events);

/* ---------------------------------------------------------------- sbatch_shape.c */

/* Tells what no node of its partition has that a refused job asks of one. */
void lk_sbatch_shape_tell (const LkClient *client, const GArray *events);

#endif
