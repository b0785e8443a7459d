/* sim/settings.h — how one simulation is set up: from the command line, from a YAML file, or from
 * both.
 *
 * Every setting has one name, which is the long option and the key in the file, and one row in a
 * table, from which come the parser, the help and the list of known keys.  What the command line
 * says goes before what the file says.  Errors name where the value stood: the option, or file,
 * line and column. */
#ifndef LK_SIM_SETTINGS_H
#define LK_SIM_SETTINGS_H

#include <glib.h>

#include "policies/registry.h"
#include "sim/driver.h"
#include "sim/estimates.h"
#include "sim/progress.h"
#include "sim/users/users.h"
#include "traces/reader.h"
#include "traces/source.h"

typedef struct {
  char *trace_path; /* NULL: with `commands` */
  char *commands;   /* a script of Slurm commands instead of a log; NULL: none */
  LkTraceOptions trace;
  char *cluster_name; /* a file, or a preset; NULL: a counted pool */
  LkTraceFormat format;
  char *csv_map;      /* NULL: told by the columns */
  char *columns;      /* NULL: told by the log */
  GPtrArray *map;     /* of "key=value"; ends with NULL */
  char *failures;     /* NULL: nodes do not fail */
  char *reservations; /* list of advance reservations; NULL: none */
  char *accounts;     /* a file; NULL: nobody is told from another */
  char *limits;       /* of accounts; NULL: not given */
  char *preempt;      /* NULL: not given */
  guint32 compat;     /* of the accounts, LK_COMPAT_*; when has_compat, else what they say */
  gboolean has_compat;
  char *show; /* reports to print; NULL: none */
  char *at;   /* when; NULL: at the last submit */
  gint64 sample_us;
  gboolean has_sample; /* given, not the default */
  gboolean has_order;  /* given, not the default; so is the next one */
  gboolean has_backfill;
  gboolean has_select;
  GPtrArray *plugins; /* of paths */
  GPtrArray
      *places; /* of text: where in a file "order", "backfill", "select" stood; may be empty */
  char *order; /* policy specifications as given */
  char *backfill;
  char *select;
  gboolean
      stretch; /* a job longer than its estimate: the estimate is raised; else it is killed at it */
  LkTieRule tie_rule;
  char *estimates_text;
  LkEstimates *estimates;
  LkUsersOptions users;
  gint64 lead_us;
  LkSimLatency latency;
  char *launch_latency; /* as given; NULL: none; so is the next one */
  char *limit_check;
  char *kill_wait;
  guint64 seed;
  gint64 warmup_us;
  gint64 cooldown_us;
  char *out_path;            /* NULL: nothing is written */
  char *journal_path;        /* NULL: none */
  gboolean journal_standing; /* it tells how pending jobs stand */
  guint shake_count;         /* runs with shaken input, behind the main one */
  gint64 shake_by_us;
  gboolean has_shake_by; /* given, not the default */
  gboolean batsim;       /* batsim_jobs.csv too */
  gboolean json;
  LkProgressMode progress;
} LkSettings;

/* Reads `argv` (argv[0] is the verb) and the file that `--config` names. `--help` prints and exits.
 * On failure `self` is clear. */
gboolean lk_settings_parse (LkSettings *self, int argc, char **argv, GError **error);
void lk_settings_clear (LkSettings *self);

/* Puts the place of a policy's specification in a file before an error about it. */
void lk_settings_prefix_place (const LkSettings *self, GError **error);

/* "kill" or "stretch"; "instant" or "sequential". */
const char *lk_settings_limit_name (const LkSettings *self);
const char *lk_settings_tie_rule_name (const LkSettings *self);

#endif
