/* live/core/controller_query.h — how the controller tells of its state, for
 * live/core/controller*.c only. */
#ifndef LK_LIVE_CORE_CONTROLLER_QUERY_H
#define LK_LIVE_CORE_CONTROLLER_QUERY_H

#include <string.h>

#include "live/core/controller_private.h"
#include "live/core/record.h"

/* A page ends before the record with which it would have more; one record may be longer. */
#define LK_QUERY_PAGE_BYTES (1024u * 1024u)

/* Borrowed; of a text that is longer than the field its beginning. */
static inline LkText
lk_query_text (const char *string)
{
  gsize length_bytes = MIN (strlen (string), G_MAXUINT16);
  return (LkText){ string, (guint16)length_bytes };
}

static inline LkLongText
lk_query_long_text (const char *string)
{
  return (LkLongText){ string, (guint32)strlen (string) };
}

/* What the texts of a record are borrowed from. */
typedef struct {
  GString *texts[9];
} LkRecordTexts;
void lk_record_texts_init (LkRecordTexts *self);
void lk_record_texts_clear (LkRecordTexts *self);

/* A job in the system. */
void lk_query_job (const LkController *self, LkJobIndex job, LkRecordTexts *texts,
                   LkRecord_job *out_job);
/* A job that ends now, and how. */
void lk_query_job_ended (LkController *self, const LkEvent *cause, const LkDecision_notice *notice);
/* controller_query_rest.c: one record, or the first of them from `*next` on; moves `next` to the
 * one behind it, 0: there is none.  Appends to `out`. */
void lk_query_node (LkController *self, guint32 *next, GByteArray *out);
void lk_query_partition (LkController *self, guint32 *next, GByteArray *out);
void lk_query_reservation (LkController *self, guint32 *next, GByteArray *out);
void lk_query_license (LkController *self, guint32 *next, GByteArray *out);
void lk_query_cluster (LkController *self, guint32 *next, GByteArray *out);
void lk_query_accounts (LkController *self, guint32 *next, GByteArray *out);
void lk_query_share (LkController *self, guint32 *next, GByteArray *out);
void lk_query_use (LkController *self, guint32 *next, GByteArray *out);
void lk_query_rpc (LkController *self, guint32 *next, GByteArray *out);
void lk_query_controller (LkController *self, guint32 *next, GByteArray *out);
void lk_query_priority (const LkController *self, LkJobIndex job, GByteArray *out);

/* controller_query_gres.c: each appends. What a node has: "gpu:a100:4(S:0-1)". */
void lk_query_gres_of_node (const LkNodeTable *table, guint32 node, const LkNodeSpec *spec,
                            GString *out);
/* What is in use of that: "gpu:a100:2(IDX:0,3)". */
void lk_query_gres_used (const LkNodeTable *table, guint32 node, GString *out);
/* What a job holds, from the devices of its start decision: on each node, as
 * "n[5-6]=gpu:a100:1(IDX:0);n7=gpu:2(IDX:0-1)", and in all, as "gpu:a100:2,gpu:2". */
void lk_query_gres_held (const LkNodeTable *table, const char *gres, GString *out_details,
                         GString *out_total);

/* controller_query_steps.c: steps of a job that runs, from `*step_id` on, and at last what of a
 * script stands for one; `with_ended`: those that have ended and are remembered, too.  FALSE: the
 * page is full, and the next one begins with `*step_id`. */
gboolean lk_query_steps (const LkController *self, guint32 job_id, gboolean with_ended,
                         guint32 *step_id, GByteArray *out);

/* controller_trial.c: when would this job start? FALSE: it is none that the peer may submit. */
gboolean lk_query_trial (LkController *self, const LkPeer *peer, LkBytes submit, guint32 roles,
                         GByteArray *out);

/* controller_query_journal.c: a part of the journal. FALSE: there is no such part. */
gboolean lk_query_journal (LkController *self, guint32 *next, GByteArray *out);

/* controller_done.c: jobs that have ended. */
void lk_done_note (LkController *self, const LkRecord_job *job, gint64 end_us);
gboolean lk_done_find (const LkController *self, guint32 job_id, LkRecord *out_record);
/* Appends the ids of those of an array or a heterogeneous job, or of this id; 0: of all. */
void lk_done_ids (const LkController *self, guint32 group, GArray *ids);

#endif
