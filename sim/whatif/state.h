/* sim/whatif/state.h — a cluster as it stood at a moment of its journal, and what is known of it.
 *
 * The journal is only read, also while a controller writes it: what was not written whole is left
 * out.  Events are applied one by one, and the digests that the journal has are compared. */
#ifndef LK_SIM_WHATIF_STATE_H
#define LK_SIM_WHATIF_STATE_H

#include <glib.h>

#include "sim/journal_file.h"
#include "sim/journal_names.h"
#include "sim/whatif/past.h"

#include "policies/registry.h"

typedef struct {
  char *path; /* of the journal */
  LkJournalInput input;
  LkRegistry *registry;
  LkSetup *setup;
  LkEngine *engine;
  LkWhatifPast past;
  LkJournalNames *names; /* of all events that were read */
  LkEvent next;          /* the event that is not applied yet, when `has_next` */
  gboolean has_next;
  LkJournalState end;   /* how reading ended, when there is no next one */
  gboolean is_folder;   /* a controller's directory was named */
  guint64 snapshot_seq; /* a snapshot was named, which is behind this event; else 0 */
  guint64 applied_seq;  /* the last event that has been applied; 0: none */
  gint64 moment_us;     /* of the fork: at or behind the last event */
  LkWhatifPast later;   /* what came behind the moment */
  GByteArray *bytes;    /* of the events behind it that were not of the scheduler's own making, */
  GArray *events;       /* of LkPastSubmit, of all kinds */
  gint64 later_end_us;  /* the last event of the journal */
} LkWhatifState;

/* Opens a journal, that of a controller's directory, or that beside a controller's snapshot; `path`
 * NULL: that of the live cluster.
 * `plugins`: as for lk_verb_registry. Nothing is applied yet. */
gboolean lk_whatif_state_open (LkWhatifState *self, const char *path, char **plugins,
                               GError **error);
void lk_whatif_state_close (LkWhatifState *self);

/* Applies the next event. Returns 1; 0 at the end of the journal; -1 on failure: this program does
 * not decide as the journal has it. */
int lk_whatif_state_step (LkWhatifState *self, GError **error);
/* Applies all events up to the moment: "N", behind that event; a time with a unit, a date, or
 * "last".  NULL: of a directory now, of a journal its last event, of a snapshot its own. */
gboolean lk_whatif_state_go (LkWhatifState *self, const char *at, GError **error);
/* Reads what came behind the moment; once, and no event is applied any more. FALSE: it is
 * damaged. */
gboolean lk_whatif_state_read_later (LkWhatifState *self, GError **error);

/* Least time between two passes: that of a live controller, or none. */
gint64 lk_whatif_pass_delay_us (const LkWhatifState *self);

#endif
