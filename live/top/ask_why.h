/* live/top/ask_why.h — what `lockstep why` answers of a job of a living cluster. */
#ifndef LK_LIVE_TOP_ASK_WHY_H
#define LK_LIVE_TOP_ASK_WHY_H

#include <glib.h>

/* The last answer: it holds while the journal is as it was; all 0: there is none. */
typedef struct {
  guint32 job_id;
  gint64 size_bytes;
  gint64 modified_ns;
  char *text;
} LkTopWhy;

void lk_top_why_clear (LkTopWhy *self);
/* What blocks it, when it starts and what would let it start, as lines. The program replays the
 * journal, and is given some seconds for that. Returns: (transfer none), "" where it has no answer.
 */
const char *lk_top_why_ask (LkTopWhy *self, guint32 job_id, const char *journal_path);

#endif
