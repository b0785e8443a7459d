/* live/accounting/store.h — the file that accounting is kept in: SQLite, for whoever wants to ask.
 *
 * It is a projection: everything in it comes from the journal, and the position up to which it does
 * is written in the same transaction, so that no crash counts anything twice.  It may be deleted:
 * it is made again.
 *
 * Calls between begin and commit do not tell when they fail; the commit does, and then nothing of
 * them is in the file. */
#ifndef LK_LIVE_ACCOUNTING_STORE_H
#define LK_LIVE_ACCOUNTING_STORE_H

#include <glib.h>

#include "engine/accounts.h"
#include "engine/digest.h"
#include "live/accounting/step_schema.h"

/* Of the tables: a file of another one is made anew. */
#define LK_ACCOUNTING_VERSION 8
#define LK_ACCOUNTING_FILE "accounting.sqlite"

#define LK_ACCOUNTING_ERROR (lk_accounting_error_quark ())
GQuark lk_accounting_error_quark (void);
typedef enum {
  LK_ACCOUNTING_ERROR_STORE,   /* the file cannot be read, or written */
  LK_ACCOUNTING_ERROR_JOURNAL, /* the journal is none, or is damaged, or not decided alike */
} LkAccountingError;

/* Behind a batch of the journal. */
typedef struct {
  guint64 offset_bytes; /* its length up to there; 0: nothing has been read */
  guint64 seq;
  guint64 decision_count;
  LkDigestValue digest;
  guint64 run_id_last; /* runs are numbered as the controller does it */
  guint64 term;
  LkDigestValue config; /* of the journal's header */
} LkAccountingPosition;

typedef struct _LkAccountingStore LkAccountingStore;

/* Opens it for writing; makes it where there is none. Returns: (transfer full). */
LkAccountingStore *lk_accounting_store_new (const char *path, GError **error);
void lk_accounting_store_free (LkAccountingStore *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkAccountingStore, lk_accounting_store_free)

/* FALSE: somebody has taken the file away. */
gboolean lk_accounting_store_is_at (const LkAccountingStore *self, const char *path);
/* Where the last transaction has ended. */
void lk_accounting_store_position (const LkAccountingStore *self,
                                   LkAccountingPosition *out_position);
/* The engine as it stood at some event, if that was kept. Returns: (transfer full); NULL: it was
 * not. */
GBytes *lk_accounting_store_engine (LkAccountingStore *self, LkAccountingPosition *out_position);

void lk_accounting_store_begin (LkAccountingStore *self);
gboolean lk_accounting_store_commit (LkAccountingStore *self, const LkAccountingPosition *position,
                                     GError **error);
/* Nothing that came since the beginning of the transaction counts. */
void lk_accounting_store_abort (LkAccountingStore *self);
/* All rows go. Within a transaction. */
void lk_accounting_store_clear (LkAccountingStore *self);

/* A job begins: the groups KEY (life 0) and BATCH. */
void lk_accounting_store_submit (LkAccountingStore *self, const LkAccountingJob *job);
/* Another life of a job, or a task that has left its array: BATCH of the newest life of
 * `from_job_id`. */
void lk_accounting_store_again (LkAccountingStore *self, guint32 job_id, guint32 from_job_id);
/* A task of an array is cancelled before it has an id: a copy of the array's row, with `job`'s
 * array_task and groups ENDER and ENDED. */
void lk_accounting_store_lost_task (LkAccountingStore *self, guint32 array_job_id,
                                    const LkAccountingJob *job);
/* One group of the newest life of a job. */
void lk_accounting_store_set (LkAccountingStore *self, guint32 job_id, LkAccountingGroup group,
                              const LkAccountingJob *job);

/* What a run has used on a node; what was there for both is replaced. */
typedef struct {
  guint64 run_id;
  guint32 job_id;
  guint32 node;
  gint64 user_cpu_us;
  gint64 system_cpu_us;
  gint64 max_rss_bytes;
} LkAccountingUsage;
void lk_accounting_store_usage (LkAccountingStore *self, const LkAccountingUsage *usage);
/* Of GPUs, behind the above. */
typedef struct {
  guint64 run_id;
  guint32 node;
  gint64 max_gpu_memory_bytes;
  gint64 max_gpu_percent;
} LkAccountingGpuUsage;
void lk_accounting_store_gpu_usage (LkAccountingStore *self, const LkAccountingGpuUsage *usage);

/* A step begins; what was there of it is replaced. */
void lk_accounting_store_step (LkAccountingStore *self, const LkAccountingStep *step);
/* It has ended: run_id and step_id, and the fields of the end. */
void lk_accounting_store_step_ended (LkAccountingStore *self, const LkAccountingStep *step);

/* An occurrence of a reservation that has begun; what was there of it is replaced. */
typedef struct {
  gint64 number;
  gint64 start_us;
  gint64 end_us; /* when it will end, or has ended */
  gint64 cpus;
  gint64 node_count;
  const char *name;
  const char *nodes;
} LkAccountingReservation;
void lk_accounting_store_reservation (LkAccountingStore *self,
                                      const LkAccountingReservation *reservation);
/* It is no more: an occurrence that goes on ends now. */
void lk_accounting_store_reservation_ended (LkAccountingStore *self, guint32 number, gint64 at_us);

/* Something that somebody did to a node, an association or a QOS. */
typedef struct {
  guint64 seq;
  gint64 time_us;
  const char *kind;    /* NODE_DOWN, ASSOCIATION, ...: of the event */
  const char *subject; /* name of the node, the QOS; account/user/partition */
  const char *detail;  /* the reason; the line of the association */
  gint64 user_id;      /* -1: nobody */
} LkAccountingEvent;
void lk_accounting_store_event (LkAccountingStore *self, const LkAccountingEvent *event);
/* The accounts as they stand; those that were there go. */
void lk_accounting_store_accounts (LkAccountingStore *self, const LkAccounts *accounts);
void lk_accounting_store_keep_engine (LkAccountingStore *self, const GByteArray *bytes,
                                      const LkAccountingPosition *position);
/* The columns of the table of jobs, and of that of steps, as Markdown. */
void lk_accounting_markdown (GString *out);
void lk_accounting_steps_markdown (GString *out);
/* What all jobs are of. */
void lk_accounting_store_cluster (LkAccountingStore *self, const char *name);

#endif
