/* engine/limit_reason.c — see limit_reason.h.
 *
 * Reasons of a TRES are nine in a row in limit_reasons.h, one for each class, so that the table
 * holds the first of each row. */
#include "engine/limit_reason.h"

#include <string.h>

#include "engine/assert.h"

/* For a limit in an association and in a QOS; 0 where it cannot be set or holds no job. */
typedef struct {
  guint16 association;
  guint16 qos;
  gboolean is_row; /* the first of a row of classes */
} KindReason;

static const KindReason kind_reasons[LK_LIMIT_KIND_COUNT] = {
  [LK_LIMIT_GRP_JOBS] = { LK_REASON_ASSOC_GRP_JOBS, LK_REASON_QOS_GRP_JOBS, FALSE },
  [LK_LIMIT_GRP_SUBMIT_JOBS] = { LK_REASON_ASSOC_GRP_SUBMIT_JOBS, LK_REASON_QOS_GRP_SUBMIT_JOBS,
                                 FALSE },
  [LK_LIMIT_GRP_TRES] = { LK_REASON_ASSOC_GRP_CPU, LK_REASON_QOS_GRP_CPU, TRUE },
  [LK_LIMIT_GRP_TRES_MINS] = { LK_REASON_ASSOC_GRP_MINUTES_CPU, LK_REASON_QOS_GRP_MINUTES_CPU,
                               TRUE },
  [LK_LIMIT_GRP_TRES_RUN_MINS] = { LK_REASON_ASSOC_GRP_RUN_MINUTES_CPU,
                                   LK_REASON_QOS_GRP_RUN_MINUTES_CPU, TRUE },
  [LK_LIMIT_GRP_WALL] = { LK_REASON_ASSOC_GRP_WALL, LK_REASON_QOS_GRP_WALL, FALSE },
  [LK_LIMIT_MAX_JOBS] = { LK_REASON_ASSOC_MAX_JOBS, 0, FALSE },
  [LK_LIMIT_MAX_JOBS_PER_USER] = { 0, LK_REASON_QOS_MAX_JOBS_PER_USER, FALSE },
  [LK_LIMIT_MAX_JOBS_PER_ACCOUNT] = { 0, LK_REASON_MAX_JOBS_PER_ACCOUNT, FALSE },
  [LK_LIMIT_MAX_SUBMIT_JOBS] = { LK_REASON_ASSOC_MAX_SUBMIT_JOBS, 0, FALSE },
  [LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER] = { 0, LK_REASON_QOS_MAX_SUBMIT_JOBS_PER_USER, FALSE },
  [LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT] = { 0, LK_REASON_MAX_SUBMIT_JOBS_PER_ACCOUNT, FALSE },
  [LK_LIMIT_MAX_TRES_PER_JOB] = { LK_REASON_ASSOC_MAX_PER_JOB_CPU, LK_REASON_QOS_MAX_PER_JOB_CPU,
                                  TRUE },
  [LK_LIMIT_MAX_TRES_PER_NODE] = { LK_REASON_ASSOC_MAX_PER_NODE_CPU, LK_REASON_QOS_MAX_PER_NODE_CPU,
                                   TRUE },
  [LK_LIMIT_MAX_TRES_PER_USER] = { 0, LK_REASON_QOS_MAX_PER_USER_CPU, TRUE },
  [LK_LIMIT_MAX_TRES_PER_ACCOUNT] = { 0, LK_REASON_MAX_PER_ACCOUNT_CPU, TRUE },
  [LK_LIMIT_MAX_TRES_MINS_PER_JOB] = { LK_REASON_ASSOC_MAX_MINUTES_PER_JOB_CPU,
                                       LK_REASON_QOS_MAX_MINUTES_PER_JOB_CPU, TRUE },
  [LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER] = { 0, LK_REASON_MAX_RUN_MINUTES_PER_USER_CPU, TRUE },
  [LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT] = { 0, LK_REASON_MAX_RUN_MINUTES_PER_ACCOUNT_CPU, TRUE },
  [LK_LIMIT_MAX_WALL_PER_JOB] = { LK_REASON_ASSOC_MAX_WALL, LK_REASON_QOS_MAX_WALL, FALSE },
  [LK_LIMIT_MIN_TRES_PER_JOB] = { 0, LK_REASON_QOS_MIN_CPU, TRUE },
};

LkReason
lk_limit_reason (guint32 kind, guint32 holder, LkTresClass class)
{
  LK_ASSERT (kind < LK_LIMIT_KIND_COUNT);
  LK_ASSERT (class <= LK_TRES_CLASS_UNKNOWN);
  const KindReason *row = &kind_reasons[kind];
  guint32 reason = holder == LK_HOLDER_ASSOCIATION ? row->association : row->qos;
  if (reason != 0 && row->is_row)
    reason += (guint32) class;
  return (LkReason)reason;
}

LkTresClass
lk_tres_class (const char *tres_name)
{
  static const struct {
    const char *text;
    gboolean is_prefix;
    LkTresClass class;
  } names[] = {
    { "cpu", FALSE, LK_TRES_CLASS_CPU },         { "mem", FALSE, LK_TRES_CLASS_MEMORY },
    { "node", FALSE, LK_TRES_CLASS_NODE },       { "gres/", TRUE, LK_TRES_CLASS_GRES },
    { "license/", TRUE, LK_TRES_CLASS_LICENSE }, { "bb/", TRUE, LK_TRES_CLASS_BURST_BUFFER },
    { "billing", FALSE, LK_TRES_CLASS_BILLING }, { "energy", FALSE, LK_TRES_CLASS_ENERGY },
  };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gboolean is_it = names[i].is_prefix
                         ? strncmp (tres_name, names[i].text, strlen (names[i].text)) == 0
                         : strcmp (tres_name, names[i].text) == 0;
    if (is_it)
      return names[i].class;
  }
  return LK_TRES_CLASS_UNKNOWN;
}
