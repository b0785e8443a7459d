/* sim/whatif/question.h — the same futures with and without a change. */
#ifndef LK_SIM_WHATIF_QUESTION_H
#define LK_SIM_WHATIF_QUESTION_H

#include <glib.h>

#include "sim/progress.h"
#include "sim/whatif/change.h"

enum { LK_BEFORE, LK_AFTER, LK_SIDES };

/* One future. */
typedef struct {
  GArray *outcomes[LK_SIDES]; /* of LkOutcome */
  double use_ratio[LK_SIDES];
  LkDigestValue digest[LK_SIDES]; /* of all decisions, those of the journal too */
  guint64 event_count[LK_SIDES];
} LkWhatifPair;

typedef struct {
  const LkWhatifState *state; /* at its moment */
  const LkChangeSet *change;
  LkFutureOptions future;
  guint repeat;       /* futures */
  guint thread_count; /* at most */
  LkProgressMode progress;
} LkQuestion;

/* Runs all futures, in parallel. Returns: (transfer full), of LkWhatifPair*, in the order of the
 * futures; NULL: a command of the change is refused. */
GPtrArray *lk_question_run (const LkQuestion *question, GError **error);

/* A copy of the state's engine. Returns: (transfer full). */
LkEngine *lk_whatif_copy (const LkWhatifState *state, const GByteArray *snapshot);

#endif
