/* sim/report_private.h — what the reports have in common. */
#ifndef LK_SIM_REPORT_PRIVATE_H
#define LK_SIM_REPORT_PRIVATE_H

#include "sim/report.h"

/* What is asked for, in text or as JSON. */
typedef struct {
  const LkReportState *state;
  const LkReportOptions *options;
  GString *text;   /* NULL: as JSON */
  LkJsonOut *json; /* NULL: as text */
} LkReportOut;

/* Behind a check that went well. */
void lk_report_sprio (const LkReportOut *out);
void lk_report_sshare (const LkReportOut *out);
void lk_report_squeue (const LkReportOut *out);
void lk_report_reservations (const LkReportOut *out);
gboolean lk_report_reservations_check (const LkEngineConfig *config, GError **error);
gboolean lk_report_sprio_check (const LkEngineConfig *config, const LkReportOptions *options,
                                GError **error);
gboolean lk_report_sshare_check (const LkEngineConfig *config, const LkReportOptions *options,
                                 GError **error);
gboolean lk_report_squeue_check (const LkReportOptions *options, GError **error);

/* Who and what a job is. */
const char *lk_report_account_name (const LkReportState *state,
                                    LkJobIndex job);                         /* "(null)": none */
const char *lk_report_qos_name (const LkReportState *state, LkJobIndex job); /* "(null)": none */
/* Append. */
void lk_report_user_name (const LkReportState *state, LkJobIndex job, GString *out);
/* Of a task of an array: as the array is called. */
void lk_report_array_label (const LkReportState *state, LkJobIndex job, GString *out);
void lk_report_job_label (const LkReportState *state, LkJobIndex job, GString *out);
/* The log's number of a job, of a task that of its array; NULL: it is the id. */
const char *lk_report_log_id (const LkReportState *state, const LkJobInfo *info);

/* Is the job among those asked for by name? */
gboolean lk_report_wants_job (const LkReportOut *out, LkJobIndex job);
/* `words` NULL: all are wanted. */
gboolean lk_report_wants (char **words, const char *word);

/* Value of a parameter of the order, by name; NULL: it has none of this name. */
const LkParamValue *lk_report_order_value (const LkEngineConfig *config, const char *name);

/* A moment as Slurm prints it, "2026-11-21T02:12:06" in UTC; where the log tells no date, the time
 * since its beginning, "1-02:12:06". */
void lk_report_time (const LkReportState *state, gint64 time_us, GString *out);

#endif
