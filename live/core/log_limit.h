/* live/core/log_limit.h — how many lines a log takes: so many in a second for each topic.  Lines
 * above that are suppressed and counted, and the count is logged when the second is over.
 *
 * Not here: what is logged (live/core/controller_log.c), and the file (live/daemon/log.c). */
#ifndef LK_LIVE_CORE_LOG_LIMIT_H
#define LK_LIVE_CORE_LOG_LIMIT_H

#include "live/core/port_log.h"

/* Lines of a topic in a second: an operator reads no more, and they are about 20 KiB. */
#define LK_LOG_LINES_PER_S_MAX 200u

typedef struct {
  gint64 begin_us; /* of the second that is counted */
  guint32 line_count;
  guint64 suppressed_count;
} LkLogTopicLimit;

/* All zero to begin with. */
typedef struct {
  LkLogTopicLimit topics[LK_LOG_TOPIC_COUNT];
} LkLogLimit;

/* May a line be written at `now_us` (monotonic)?  Call lk_log_limit_flush for all topics before. */
gboolean lk_log_limit_take (LkLogLimit *self, LkLogTopic topic, gint64 now_us);
/* The number of lines that were suppressed in a second that is over at `now_us` (G_MAXINT64: in
 * any), and that were not reported yet. */
guint64 lk_log_limit_flush (LkLogLimit *self, LkLogTopic topic, gint64 now_us);
/* "nodes" */
const char *lk_log_topic_name (LkLogTopic topic);

#endif
