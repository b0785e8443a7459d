/* traces/record.h — one job of a log, whatever the format, before it is cleaned.
 *
 * Every reader fills this one struct.  Texts are interned by the reader and live as long as it
 * does. Unknown numbers are -1, unknown texts NULL. */
#ifndef LK_TRACES_RECORD_H
#define LK_TRACES_RECORD_H

#include <glib.h>

#include "engine/codec.h"

/* How a job ended, in the log. */
typedef enum {
  LK_RECORD_UNKNOWN,
  LK_RECORD_COMPLETED,
  LK_RECORD_FAILED, /* also out of memory, boot failure */
  LK_RECORD_CANCELLED,
  LK_RECORD_TIMEOUT, /* also deadline */
  LK_RECORD_NODE_FAIL,
  LK_RECORD_PREEMPTED,
  LK_RECORD_REQUEUED,
  LK_RECORD_RUNNING, /* had not ended */
  LK_RECORD_PENDING, /* had not started */
} LkRecordState;

typedef struct {
  gint64 number;       /* of the job in its log; where it has none, its place from 1 */
  const char *name;    /* as the log writes it: "123_4", "openb-pod-0007"; NULL: as the number */
  gint64 submit_us;    /* on the log's clock */
  gint64 eligible_us;  /* -1: as submit */
  gint64 start_us;     /* -1: never, or unknown */
  gint64 end_us;       /* -1: not, or unknown */
  gint64 run_us;       /* -1: did not run */
  gint64 limit_us;     /* time limit; -1 unknown, LK_TIME_NEVER unlimited */
  gint64 procs;        /* asked for: CPUs, or what the mapping counts; -1 unknown */
  gint64 suspended_us; /* 0 */
  guint attempts;      /* runs of the job folded into this record: 1, more after requeues */
  LkRecordState state;
  guint8 exit_code;
  guint8 exit_signal;
  /* Numbers that stand for the names, in the order of their first appearance from 1 (0 unknown), or
   * the log's own where it has numbers. */
  guint32 user_id;
  guint32 group_id;
  guint32 partition_id;
  const char *user;
  const char *group;
  const char *job_name;
  const char *node_list; /* where it ran */
  /* When and under which conditions it may run, as far as the log says and is taken at its word;
   * NULL: nothing.  Numbers in its dependency are those of the log.  Of a component of a
   * heterogeneous job, whose name ends in "+1", `het_count` is 1, and nothing is said of the
   * others. */
  const LkJobTerms *terms;
  LkJobRequest request; /* partition, account, qos, constraint ... are in here */
} LkTraceRecord;

#endif
