/* sim/why_history.h — what became of one job, as a journal's recorded decisions tell it.
 *
 * Read without an engine, so that the moment of interest is known before anything is replayed. */
#ifndef LK_SIM_WHY_HISTORY_H
#define LK_SIM_WHY_HISTORY_H

#include <glib.h>

#include "engine/journal.h"
#include "engine/task_set.h"

/* The job's state changed. */
typedef struct {
  guint64 seq;
  gint64 time_us;
  LkJobState state;
} LkWhyTurn;

typedef struct {
  guint32 job_id;       /* of a task: of the job that it becomes in the end */
  guint32 array_job_id; /* the job is a task of this array; 0: it is not */
  guint32 task;         /* which */
  guint64 task_seq;     /* the event at which it becomes a job of its own; the largest u64: none */
  guint32 job_id_last;  /* of all submitted; 0: none */
  gboolean is_submitted;
  LkEvent_submit asked; /* its texts point into the journal */
  guint64 submit_seq;
  gint64 submit_us;
  LkReject reject; /* 0: it was taken */
  GArray *turns;   /* of LkWhyTurn, the first when it was accepted */
  /* The last instant at whose end the job was pending: its last event; 0: there is none. */
  guint64 pending_seq;
  gint64 pending_us;
  guint64 last_seq; /* of the journal; 0: it has no events */
  gint64 last_us;
  LkJournalState end; /* how reading ended */
} LkWhyHistory;

/* Whose history: a job, or a task of an array. */
typedef struct {
  guint32 job_id;
  guint32 task; /* LK_TASK_NONE: none */
} LkWhyJobId;

/* As squeue writes it: "7", "7_3", "7_[1-5]" (the tasks that wait), "7+1" (a component). FALSE: it
 * is no such text. */
gboolean lk_why_job_id_parse (const char *text, LkWhyJobId *out_id);

/* Reads the journal, behind its header, to its end. */
void lk_why_history_read (LkWhyHistory *self, LkJournalReader *reader, const LkWhyJobId *id);
void lk_why_history_clear (LkWhyHistory *self);

/* Its id behind that event: a task has its array's until it becomes a job of its own. */
guint32 lk_why_history_job_at (const LkWhyHistory *self, guint64 seq);
/* The last turn up to event `until_seq` and `until_us`; NULL: none yet. */
const LkWhyTurn *lk_why_history_at (const LkWhyHistory *self, guint64 until_seq, gint64 until_us);
/* The first one behind it; NULL: none. */
const LkWhyTurn *lk_why_history_behind (const LkWhyHistory *self, const LkWhyTurn *turn);

#endif
