/* sim/report.h — what sprio, sshare and squeue would print of a simulated cluster.
 *
 * The tables have the columns, widths and spellings of Slurm 26.05, so that what reads the output
 * of those commands reads these too; as JSON they have members of our own, see docs/reports.md.
 * A report only reads the engine. */
#ifndef LK_SIM_REPORT_H
#define LK_SIM_REPORT_H

#include <glib.h>

#include "engine/engine.h"
#include "sim/journal_names.h"
#include "sim/json_out.h"

typedef enum {
  LK_REPORT_SPRIO,
  LK_REPORT_SSHARE,
  LK_REPORT_SQUEUE,
  LK_REPORT_RESERVATIONS,
  LK_REPORT_KIND_COUNT,
} LkReportKind;
/* "sprio", ... */
const char *lk_report_kind_name (LkReportKind kind);

/* What a user asked for, as on the command line of the command. */
typedef struct {
  LkReportKind kind;
  gboolean is_long;      /* -l */
  gboolean no_heading;   /* -h */
  gboolean normalized;   /* sprio -n: factors instead of what they add */
  gboolean weights;      /* sprio -w: the weights instead of jobs */
  gboolean all_users;    /* sshare -a */
  gboolean only_users;   /* sshare -U */
  gboolean by_partition; /* sshare -m */
  gboolean parsable;     /* sshare -p: | between and behind the columns */
  gboolean parsable2;    /* sshare -P: only between */
  gboolean by_task;      /* squeue -r: a row for each task of an array */
  gboolean by_start;     /* squeue --start: pending jobs by when they are planned to start */
  char *format;          /* -o; NULL: the default one */
  char *sort;            /* squeue -S; NULL: the default one */
  char **users;          /* -u, and so on: only these; NULL: all */
  char **accounts;
  char **partitions;
  char **jobs;
  char **states;
} LkReportOptions;

/* Reads the options of one command; argv[0] is its name. `entries` (may be NULL) are options beside
 * these, `out_arguments` (NULL: there must be none) takes what is no option. `--help` prints and
 * exits. Errors are LK_SIM_ERROR_USAGE. */
typedef struct {
  const GOptionEntry *entries;
  const char *summary;     /* behind the name in the help */
  const char *description; /* below the options */
  guint argument_count;
} LkReportUsage;
gboolean lk_report_options_parse (LkReportOptions *self, LkReportKind kind,
                                  const LkReportUsage *usage, char **argv, char ***out_arguments,
                                  GError **error);
void lk_report_options_clear (LkReportOptions *self);

/* A list of commands: "sprio -l; sshare -a -P; squeue", or only names, "sprio,sshare,queue".
 * Returns: (transfer full) of LkReportOptions*; NULL on failure. */
GPtrArray *lk_report_list_parse (const char *text, GError **error);

/* A moment of a run. */
typedef struct {
  const LkEngine *engine; /* as it stood behind the last event */
  const LkEngineConfig *config;
  gint64 at_us;
  gint64 unix_start_s; /* of the log's time 0; below 0: not known */
  /* How a job is called in its log, its name, and its user's where no accounts tell it. Each may be
   * NULL, or return NULL: not known. */
  const char *(*job_label) (gpointer user, guint32 job_id);
  const char *(*job_name) (gpointer user, guint32 job_id);
  const char *(*user_name) (gpointer user, guint32 job_id);
  const LkJournalNames *names; /* of a journal: the log's numbers of jobs; NULL: none */
  gpointer user;
} LkReportState;

/* An engine as it stands at a later moment at which nothing happens: use has decayed and was
 * charged in the cycles up to then. The engine itself stays as it is. Returns: (transfer full). */
LkEngine *lk_report_engine_at (const LkEngine *engine, const LkEngineConfig *config, gint64 at_us);

/* Could it be had of an engine with this configuration? Fails for sshare without accounts, sprio
 * without an order that has factors (the message is Slurm's), and a format that is none. */
gboolean lk_report_check (const LkEngineConfig *config, const LkReportOptions *options,
                          GError **error);
/* Append a report that passes the check. */
void lk_report_write (const LkReportState *state, const LkReportOptions *options, GString *out);
/* An object with members report, at_s, and jobs, shares or reservations. `key` NULL: an element,
 * or the outermost. */
void lk_report_json (const LkReportState *state, const LkReportOptions *options, const char *key,
                     LkJsonOut *json);

#endif
