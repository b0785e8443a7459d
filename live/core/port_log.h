/* live/core/port_log.h — where lines for the operator go.  Two implementations: live/daemon/log.c,
 * and that of the tests.
 *
 * Lines are reports: nothing is decided by them, and a core without this port works the same. */
#ifndef LK_LIVE_CORE_PORT_LOG_H
#define LK_LIVE_CORE_PORT_LOG_H

#include <glib.h>

/* Levels of SlurmctldDebug and SlurmdDebug, by Slurm's numbers 0 to 9.  Lines above the chosen
 * level are not logged. */
typedef enum {
  LK_LOG_QUIET,
  LK_LOG_FATAL,
  LK_LOG_ERROR,
  LK_LOG_INFO,
  LK_LOG_VERBOSE,
  LK_LOG_DEBUG,
  LK_LOG_DEBUG2,
  LK_LOG_DEBUG3,
  LK_LOG_DEBUG4,
  LK_LOG_DEBUG5,
  LK_LOG_LEVEL_COUNT,
} LkLogLevel;

/* What a line is about.  Each topic has its own limit of lines (live/core/log_limit.h), so that
 * requests of a user cannot suppress lines about nodes. */
typedef enum {
  LK_LOG_TOPIC_DAEMON,
  LK_LOG_TOPIC_NODES,
  LK_LOG_TOPIC_JOBS,
  LK_LOG_TOPIC_REQUESTS,
  LK_LOG_TOPIC_COUNT,
} LkLogTopic;

typedef struct {
  guint32 size; /* sizeof this struct, set by the implementer */
  LkLogLevel (*level) (void *self);
  /* Until the configuration is read again. */
  void (*set_level) (void *self, LkLogLevel level);
  /* `line` is borrowed, without a line end, and may hold any bytes but 0. */
  void (*write) (void *self, LkLogTopic topic, LkLogLevel level, const char *line);
} LkPortLogOps;

typedef struct {
  const LkPortLogOps *ops; /* NULL: nothing is logged */
  void *self;
} LkPortLog;

/* Logs a line if its level is wanted. */
void lk_port_log (const LkPortLog *port, LkLogTopic topic, LkLogLevel level, const char *format,
                  ...) G_GNUC_PRINTF (4, 5);
gboolean lk_port_log_wants (const LkPortLog *port, LkLogLevel level);

/* "debug2" */
const char *lk_log_level_name (LkLogLevel level);
/* A name, or Slurm's number 0 to 9. FALSE: `text` is neither. */
gboolean lk_log_level_parse (const char *text, LkLogLevel *out_level);

#endif
