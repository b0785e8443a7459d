/* live/top/ask_why.h — what `lockstep why` answers of a job of a living cluster. */
#ifndef LK_LIVE_TOP_ASK_WHY_H
#define LK_LIVE_TOP_ASK_WHY_H

#include <glib.h>

/* The last answer: it holds until the controller has applied another event; all 0: none yet. */
typedef struct {
  guint32 job_id;
  guint64 seq; /* last event that the controller had applied */
  char *text;
} LkTopWhy;

void lk_top_why_clear (LkTopWhy *self);
/* What blocks it, when it starts and what would let it start, as lines. The program gets the
 * journal as `lockstep why JOB` does, replays it, and is given some seconds for that. `seq`: the
 * last event that the controller has applied. Returns: (transfer none), "" where it has no answer.
 */
const char *lk_top_why_ask (LkTopWhy *self, guint32 job_id, guint64 seq);

#endif
