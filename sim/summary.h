/* sim/summary.h — one simulation in numbers: how it was set up, what came out, what it cost.
 *
 * The fields are declared once, in a table, from which come summary.json, the columns of table
 * `run` in results.sqlite, and what `lockstep compare` reads back.  Their meaning is in
 * docs/results.md. */
#ifndef LK_SIM_SUMMARY_H
#define LK_SIM_SUMMARY_H

#include <glib.h>
#include <stdio.h>

#include "sim/account_waits.h"
#include "sim/cluster_series.h"
#include "sim/factor_watch.h"
#include "sim/json_out.h"
#include "sim/metrics.h"
#include "sim/statistics/fairness.h"

/* How a run was set up. Texts are borrowed. */
typedef struct {
  const char *trace;    /* the log, as given */
  const char *order;    /* canonical policy specifications */
  const char *backfill; /* ... */
  const char *select;   /* ... */
  const char *limit;    /* "kill" or "stretch" */
  const char *tie_rule; /* "instant" or "each" */
  const char *estimates;
  const char *users;          /* whether jobs come as others end; NULL or "": they do not */
  const char *launch_latency; /* as given; NULL or "": none; so is the next one */
  const char *limit_check;
  const char *kill_wait;
  gint64 lead_us;
  guint64 seed;
  const char *cluster;  /* as given; "" for a counted pool */
  const char *accounts; /* as given; "" for none */
  const char *limits;   /* canonical policy specification; "" without accounts */
  const char *preempt;  /* likewise */
  guint64 procs;        /* of the machine */
  guint64 unix_start_s; /* the date of the log's time 0; 0: its times are dates themselves,
                           or not known */
  gint64 warmup_us;
  gint64 cooldown_us;
  gint64 wall_begin_us; /* g_get_monotonic_time () when the run began; 0: when its results did */
} LkRunInfo;

#define LK_SUMMARY_DIGEST_BYTES 33u

/* What only the driver of a run knows at its end. */
typedef struct {
  guint64 dropped_no_run;
  guint64 dropped_no_procs;
  guint64 dropped_too_large;
  guint64 dropped_negative_submit;
  guint64 dropped_not_selected;
  guint64 dropped_not_started; /* in the log */
  guint64 dropped_not_ended;
  guint64 dropped_cancelled;
  guint64 dropped_refused;          /* by the engine, for other reasons than their size; */
  guint64 refused[LK_REJECT_LIMIT]; /* each reason, by LkReject */
  guint64 lenient_extra_fields;     /* lines accepted only for --lenient, by cause */
  guint64 lenient_negative_times;   /* ... */
  guint64 abandoned;                /* jobs that their users gave up, and */
  guint64 absent;                   /* that did not come, as those before them did not end */
  double offered_load_ratio;        /* work of the log over what the machine could do */
  guint64 unstarted;                /* jobs that nothing could start; cancelled at the end */
  guint64 requeued;                 /* runs that ended with a requeue */
  guint64 preempted;                /* times that a running job was displaced */
  guint64 node_events;              /* failures, repairs, drains */
  LkFactorSets factors;             /* of priorities */
  LkClusterTotals cluster;          /* of a machine of nodes, else all 0 */
  guint64 events;
  guint64 decisions;
  char decision_digest[LK_SUMMARY_DIGEST_BYTES];
} LkRunTotals;

#define LK_SUMMARY_RUN_ID_BYTES 96u

/* Texts of `info` are borrowed from whoever filled it. */
typedef struct {
  char run_id[LK_SUMMARY_RUN_ID_BYTES]; /* order+backfill@first eight digits of the digest */
  const char *lockstep_version;
  LkRunInfo info;
  LkRunTotals totals;
  LkMetrics metrics;
  guint64 backfilled_jobs;
  guint64 killed_jobs; /* at their time limit */
  LkFairnessIndices fairness;
  const GArray *account_waits; /* of LkAccountWait; NULL or empty: no job had an account */
  double wall_s;
  double jobs_per_s;
  guint64 peak_rss_bytes;
} LkSummary;

/* ---------------------------------------------------------------- the table of fields */

typedef enum {
  LK_FIELD_TEXT,    /* const char * */
  LK_FIELD_CHARS,   /* char[], terminated */
  LK_FIELD_COUNT,   /* guint64 */
  LK_FIELD_REAL,    /* double; NaN: there is none */
  LK_FIELD_SECONDS, /* gint64, microseconds; shown as seconds */
} LkSummaryFieldType;

typedef struct {
  const char *group;  /* object in summary.json that holds it; NULL: the outermost */
  const char *key;    /* member of summary.json */
  const char *column; /* of table run; differs from the key where that is a word of SQL */
  LkSummaryFieldType type;
  gsize offset; /* in LkSummary */
} LkSummaryField;

const LkSummaryField *lk_summary_fields (guint *out_count);

/* Fills `run_id` from the policies and the digest. */
void lk_summary_name (LkSummary *summary);

/* Appends one JSON object, with its newline. */
void lk_summary_json (const LkSummary *summary, GString *out);
/* The same members into an object that is open. */
void lk_summary_json_members (const LkSummary *summary, LkJsonOut *json);

/* A table for people. */
void lk_summary_print (const LkSummary *summary, FILE *stream);

#endif
