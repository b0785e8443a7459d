/* traces/top/source.h — where facts come from: a journal, or a living cluster.
 *
 * Called by one thread at a time, which need not be that which shows them: an answer may take as
 * long as it takes. */
#ifndef LK_TRACES_TOP_SOURCE_H
#define LK_TRACES_TOP_SOURCE_H

#include "traces/top/facts.h"
#include "traces/top/model.h"

typedef struct {
  gboolean is_live;
  /* Gathers what is wanted (LK_TOP_WANTS_*) at the moment that the source stands at. Returns:
   * (transfer full); NULL with an error: it cannot be had now. */
  LkTopFacts *(*look) (gpointer self, guint wants, GError **error);
  /* Of a journal: moves the moment (LK_TOP_ACTION_STEPS, EVENTS, BEGIN, END); NULL: it cannot. */
  gboolean (*go) (gpointer self, const LkTopAction *action, GError **error);
  /* What a job is and why it waits, as lines. Returns: (transfer full). */
  char *(*detail) (gpointer self, guint32 job_id);
  /* Cancels a job. Returns: (transfer full), what became of it, as a line; NULL with an error.
   * NULL: it cannot be. */
  char *(*cancel) (gpointer self, guint32 job_id, GError **error);
} LkTopSource;

#endif
