/* tests/dst/history.h — a journal of a live controller, read into tables: requests and what became
 * of them, runs, jobs.
 *
 * Runs are numbered as the controller does it: each start decision begins the next one, and where
 * the journal tells of a new term the numbers begin anew, higher. */
#ifndef LK_TESTS_DST_HISTORY_H
#define LK_TESTS_DST_HISTORY_H

#include "live/core/message.h"
#include "engine/journal.h"
#include "tests/dst/findings.h"

typedef struct {
  guint32 user_id;
  guint64 session;
  guint64 request;
  guint64 seq; /* of its last event */
  guint32 event_count;
  LkEventKind kind;
  guint16 error;   /* as its reply has to say */
  guint32 job_id;  /* likewise */
  guint8 *payload; /* of a submit */
  guint32 payload_bytes;
} DstHistoryRequest;

typedef struct {
  guint64 run_id;
  guint64 start_seq;
  guint64 end_seq; /* 0: it goes on */
  gint64 start_us; /* of the engine's clock */
  gint64 end_us;
  guint32 job_id;
  guint32 units;
  guint32 node_count;      /* of `nodes`; 1 in a pool */
  gboolean has_ended;      /* by itself, or when it was told to: */
  LkEvent_job_ended ended; /* so it is recorded */
  LkJobState end_state;    /* that its owner was told behind that; 0: none */
  char *nodes;
  char *cores;
  char *gres;
  gboolean was_suspended; /* at some time */
} DstHistoryRun;

typedef struct {
  guint32 job_id;
  guint32 submit_id;  /* the id under which it was submitted: of an array, that of the array */
  guint request;      /* index of the request that brought it, plus 1; 0: none is known */
  guint32 het_leader; /* 0: it is no component of a heterogeneous job */
  guint32 start_count;
  guint32 requeue_count;
  gboolean is_accepted; /* its submit was */
  gboolean is_final;    /* it has ended, and not gone back to the queue */
  guint32 again_count;  /* notices that it has ended, while it had */
} DstHistoryJob;

/* Nodes went out of service. */
typedef struct {
  guint64 seq;
  char *nodes; /* a list */
} DstHistoryDown;

typedef struct {
  GArray *requests;  /* of DstHistoryRequest, as they came */
  GArray *runs;      /* of DstHistoryRun, by run_id from 1 */
  GArray *jobs;      /* of DstHistoryJob, by first mention */
  GArray *downs;     /* of DstHistoryDown, as they came */
  GArray *completes; /* of LkMessage_kept_complete: runs that their owners needed no more */
  guint64 run_id_last;
  guint64 seq_last;
  LkDigestValue digest;
} DstHistory;

/* FALSE, with a finding: it is no whole journal. */
gboolean dst_history_read (DstHistory *self, const guint8 *bytes, gsize length_bytes,
                           DstFindings *findings);
void dst_history_clear (DstHistory *self);

/* How the owner of a run has said that it ended; NULL: he has not. */
const LkMessage_kept_complete *dst_history_complete (const DstHistory *self, guint64 run_id);
/* NULL: it has none. */
const DstHistoryRun *dst_history_run (const DstHistory *self, guint64 run_id);
const DstHistoryJob *dst_history_job (const DstHistory *self, guint32 job_id);
/* Of a run of a component of a heterogeneous job that has no script: the run of the first component
 * that started with it. NULL: it has a script, or there is none. */
const DstHistoryRun *dst_history_leader (const DstHistory *self, const DstHistoryRun *run);
/* FALSE: of a component that is not the first. */
gboolean dst_history_has_script (const DstHistory *self, guint32 job_id);
/* The submit that has brought a job, or the array of which it is a task; NULL: none is known. */
const DstHistoryRequest *dst_history_submit (const DstHistory *self, guint32 job_id);

#endif
