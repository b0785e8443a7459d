/* live/accounting/projection.h — the journal of a controller, read into a store.
 *
 * The events are applied to an engine again, as a standby does it; what its decisions mean for jobs
 * is written.  Whole batches are taken, and where they end is written with what they brought: who
 * comes back goes on there.  The engine itself is kept now and then, so that not all has to be
 * applied again.
 *
 * Not here: where the bytes come from (follow.h). */
#ifndef LK_LIVE_ACCOUNTING_PROJECTION_H
#define LK_LIVE_ACCOUNTING_PROJECTION_H

#include "engine/journal.h"
#include "live/accounting/store.h"

typedef struct _LkAccountingProjection LkAccountingProjection;

/* `plugins`: shared objects of policies that the journal was made with, ends with NULL; NULL: none.
 * The store must outlive self. Returns: (transfer full). */
LkAccountingProjection *lk_accounting_projection_new (LkAccountingStore *store,
                                                      char *const *plugins, GError **error);
void lk_accounting_projection_free (LkAccountingProjection *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkAccountingProjection, lk_accounting_projection_free)

/* From where in the journal bytes are wanted next. */
guint64 lk_accounting_projection_offset (const LkAccountingProjection *self);
/* Events that have been applied. */
guint64 lk_accounting_projection_seq (const LkAccountingProjection *self);

/* Takes what is whole of the bytes from that place on, in one transaction. `out_state` tells how
 * they end. FALSE: it is no journal that can be read, or the store cannot be written. */
gboolean lk_accounting_projection_take (LkAccountingProjection *self, const guint8 *bytes,
                                        gsize length_bytes, LkJournalState *out_state,
                                        GError **error);
/* No more bytes are there. FALSE: the store is of another journal, or knows more than this one has:
 * reset it. */
gboolean lk_accounting_projection_is_of_store (const LkAccountingProjection *self);
/* All rows go, and the journal is wanted from its beginning. */
gboolean lk_accounting_projection_reset (LkAccountingProjection *self, GError **error);
/* Keeps the engine if enough has come since it was last kept. */
gboolean lk_accounting_projection_keep (LkAccountingProjection *self, guint64 event_count,
                                        GError **error);

#endif
