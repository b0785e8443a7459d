/* traces/sacct_job.h — one row of Slurm's accounting, whatever it was printed as, and the record
 * that it becomes.  The rules are in docs/trace-formats.md, section "sacct".
 *
 * Not here: reading rows (reader_sacct.c, reader_sacct_json.c), rows that belong together
 * (job_fold.h). */
#ifndef LK_TRACES_SACCT_JOB_H
#define LK_TRACES_SACCT_JOB_H

#include "traces/tres.h"

/* Texts are borrowed; empty: unknown. Numbers: -1 unknown. */
typedef struct {
  LkSacctId id;
  gint64 number; /* of the task's own in an array */
  LkSpan cluster;
  gint64 submit_us;
  gint64 eligible_us;
  gint64 start_us;
  gint64 end_us;
  gint64 elapsed_us;
  gint64 suspended_us;
  gint64 limit_us;
  gint64 cpus;
  gint64 cpus_allocated;
  gint64 nodes;
  gint64 nodes_allocated;
  LkTres requested;
  LkTres allocated;
  LkMemoryKind memory_kind;
  gint64 memory_bytes;
  LkRecordState state;
  gboolean is_resizing;
  guint8 exit_code;
  guint8 exit_signal;
  gint64 uid;
  gint64 gid;
  LkSpan user;
  LkSpan group;
  LkSpan account;
  LkSpan qos;
  LkSpan partition;
  LkSpan constraint;
  LkSpan licenses;
  LkSpan reservation; /* that it ran in, or was to */
  LkSpan gres;        /* ReqGRES: on each node */
  LkSpan job_name;
  LkSpan node_list;
  LkSpan submit_line;
} LkSacctJob;

void lk_sacct_job_init (LkSacctJob *self);

/* Keys of `map` that both sacct formats know. */
#define LK_SACCT_MAP_KEYS "resources", "submit_line", "terms", "reservation"

/* Which of the columns the record is made of. */
typedef struct {
  gboolean allocated;      /* resources=allocated: what was given, before what was asked for */
  gboolean line;           /* submit_line=log: options of SubmitLine count */
  gboolean terms;          /* terms=log: what a job waited for is in its terms */
  gboolean in_reservation; /* reservation=log: among them the reservation */
} LkSacctRules;

gboolean lk_sacct_rules_init (LkSacctRules *rules, const LkReaderBase *base, GError **error);

/* Fills a record on which lk_record_init was called. */
void lk_sacct_job_record (const LkSacctJob *self, const LkSacctRules *rules, LkReaderBase *base,
                          LkTraceRecord *out_record);

#endif
