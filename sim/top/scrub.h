/* sim/top/scrub.h — a journal that can be gone through forth and back.
 *
 * Events are applied to an engine in their order, and digests that the journal has are compared.
 * On the way snapshots of the engine are kept, fewer of them the longer the way, so that going back
 * applies a part of the events only: at most 1/32 of them, and from there on, while somebody looks
 * around, ever fewer. */
#ifndef LK_SIM_TOP_SCRUB_H
#define LK_SIM_TOP_SCRUB_H

#include <glib.h>

#include "engine/engine.h"
#include "sim/journal_file.h"
#include "sim/progress.h"

typedef struct _LkScrub LkScrub;

/* Opens a journal, or that of a controller's directory, and stands before its first event; there is
 * one. `plugins` as for lk_verb_registry. Returns: (transfer full); NULL with an error. */
LkScrub *lk_scrub_new (const char *path, char **plugins, GError **error);
void lk_scrub_free (LkScrub *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkScrub, lk_scrub_free)

/* Goes to behind an event (clamped to those that there are), or to behind all events up to a
 * moment. `progress` may be NULL. FALSE: this program does not decide as the journal has it. */
gboolean lk_scrub_go_event (LkScrub *self, guint64 seq, LkProgress *progress, GError **error);
gboolean lk_scrub_go_time (LkScrub *self, gint64 time_us, LkProgress *progress, GError **error);

/* Takes what was written to the journal since it was opened, and stands where it stood. A journal
 * that was put in its place is not looked at. FALSE: as above. */
gboolean lk_scrub_grow (LkScrub *self, gboolean *out_has_grown, GError **error);

/* Valid until it is moved. */
const LkEngine *lk_scrub_engine (const LkScrub *self);
const LkEngineConfig *lk_scrub_config (const LkScrub *self);
const char *lk_scrub_path (const LkScrub *self);
guint64 lk_scrub_seq (const LkScrub *self);    /* the last event applied; 0: none */
gint64 lk_scrub_time_us (const LkScrub *self); /* its time; before: that of the first one */
guint64 lk_scrub_seq_first (const LkScrub *self);
guint64 lk_scrub_seq_last (const LkScrub *self);
gint64 lk_scrub_first_us (const LkScrub *self);
gint64 lk_scrub_last_us (const LkScrub *self);
gboolean lk_scrub_has_accounts (const LkScrub *self);

/* How much of the capacity was in use from `from_us` on, in `count` equal steps up to `to_us`: mean
 * over time, from 0 to 1; below 0: not known. */
void lk_scrub_use (const LkScrub *self, gint64 from_us, gint64 to_us, guint count,
                   double *out_ratios);

/* A reader of its own that stands some `event_count` events (or all) before the present one, and
 * perhaps more. Returns: (transfer full). */
LkJournalReader *lk_scrub_reader (const LkScrub *self, guint64 event_count);
/* How many engines could be gone back to now; for tests. */
guint lk_scrub_mark_count (const LkScrub *self);

#endif
