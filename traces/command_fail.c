/* traces/command_fail.c — see the header. */
#include "traces/command_fail.h"

#include "engine/suggest.h"
#include "traces/trace_error.h"

gboolean
lk_command_fail (GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, text);
  return FALSE;
}

gboolean
lk_command_key_fail (const LkCommandPair *pair, const char *const *known, GError **error)
{
  g_autofree char *phrase = lk_suggest_phrase (pair->key, known);
  return lk_command_fail (error, "Update of this parameter is not supported: %.*s%s",
                          LK_COMMAND_SHOWN_MAX_BYTES, pair->given, phrase);
}
