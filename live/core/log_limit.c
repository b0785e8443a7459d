/* live/core/log_limit.c — see the header; and how the cores log. */
#include "live/core/log_limit.h"

#include <stdarg.h>

#include "engine/assert.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)

guint64
lk_log_limit_flush (LkLogLimit *self, LkLogTopic topic, gint64 now_us)
{
  LkLogTopicLimit *limit = &self->topics[topic];
  if (now_us - limit->begin_us < SECOND_US)
    return 0;
  guint64 suppressed_count = limit->suppressed_count;
  limit->suppressed_count = 0;
  return suppressed_count;
}

gboolean
lk_log_limit_take (LkLogLimit *self, LkLogTopic topic, gint64 now_us)
{
  LkLogTopicLimit *limit = &self->topics[topic];
  LK_ASSERT (topic < LK_LOG_TOPIC_COUNT);
  if (limit->line_count == 0 || now_us - limit->begin_us >= SECOND_US) {
    limit->begin_us = now_us;
    limit->line_count = 0;
  }
  if (limit->line_count >= LK_LOG_LINES_PER_S_MAX) {
    limit->suppressed_count++;
    return FALSE;
  }
  limit->line_count++;
  return TRUE;
}

const char *
lk_log_topic_name (LkLogTopic topic)
{
  static const char *const names[] = { "the daemon", "nodes", "jobs", "requests" };
  return names[topic];
}

gboolean
lk_port_log_wants (const LkPortLog *port, LkLogLevel level)
{
  return port->ops != NULL && level <= port->ops->level (port->self);
}

void
lk_port_log (const LkPortLog *port, LkLogTopic topic, LkLogLevel level, const char *format, ...)
{
  va_list arguments;
  if (!lk_port_log_wants (port, level))
    return;
  g_autoptr (GString) line = g_string_new (NULL);
  va_start (arguments, format);
  g_string_append_vprintf (line, format, arguments);
  va_end (arguments);
  port->ops->write (port->self, topic, level, line->str);
}

/* ---------------------------------------------------------------- levels */

const char *
lk_log_level_name (LkLogLevel level)
{
  static const char *const names[LK_LOG_LEVEL_COUNT] = { "quiet",   "fatal", "error",  "info",
                                                         "verbose", "debug", "debug2", "debug3",
                                                         "debug4",  "debug5" };
  return names[level];
}

gboolean
lk_log_level_parse (const char *text, LkLogLevel *out_level)
{
  gboolean is_digit = g_ascii_isdigit (text[0]) && text[1] == '\0';
  for (LkLogLevel level = 0; level < LK_LOG_LEVEL_COUNT; level++)
    if (is_digit ? (LkLogLevel)(text[0] - '0') == level
                 : g_ascii_strcasecmp (text, lk_log_level_name (level)) == 0) {
      *out_level = level;
      return TRUE;
    }
  return FALSE;
}
