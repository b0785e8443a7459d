/* live/top/live_detail.h — one job of a living cluster: what it is, why it waits, what it has
 * printed; and its end. */
#ifndef LK_LIVE_TOP_LIVE_DETAIL_H
#define LK_LIVE_TOP_LIVE_DETAIL_H

#include "live/client/client.h"
#include "live/top/ask_why.h"
#include "traces/top/facts.h"

/* The last lines of an output file, of which so much is read at most. */
#define LK_TOP_TAIL_BYTES 16384u

/* As lines. `seq`: the last event that the controller has applied. `why`: keeps the last answer of
 * `lockstep why`; NULL: that program is not called. Returns: (transfer full). */
char *lk_top_live_detail (const LkClient *client, guint32 job_id, gint64 now_us, guint64 seq,
                          LkTopWhy *why);
/* Cancels a job; of an array the tasks that it stands for. Returns: (transfer full), what became of
 * it; NULL with an error. */
char *lk_top_live_cancel (const LkClient *client, guint32 job_id, GError **error);

/* The end of a regular file, from the beginning of a line; NULL with an error: it cannot be read.
 * Never waits: a pipe or a device is refused. Returns: (transfer full). */
char *lk_top_tail_read (const char *path, gsize bytes_max, GError **error);

/* How far a file that grows has been read; all 0: not at all. */
typedef struct {
  guint64 inode;
  gint64 read_bytes;
} LkTopTail;
/* The whole lines that it has got since, of its last LK_TOP_TAIL_BYTES; a file that was begun anew
 * is read from its beginning. NULL: it cannot be read. Returns: (transfer full). */
char *lk_top_tail_next (LkTopTail *self, const char *path);

#endif
