/* sim/failures_list.c — see failures_list.h. */
#include "sim/failures_list.h"

#include <string.h>

#include "engine/hostlist.h"
#include "engine/suggest.h"
#include "sim/arguments.h"
#include "sim/error.h"

#define FIELD_COUNT 4u
#define FIELD_MIN_COUNT 3u
#define EVENT_MAX_COUNT 20000000u
#define TIME_MAX_US (G_GINT64_CONSTANT (4000000000000) * G_USEC_PER_SEC)
/* Looking for the nearest of more names takes too long for a message. */
#define SUGGEST_NAMES_MAX_COUNT 50000u

typedef struct {
  LkInput *input;
  const LkFailureNodes *nodes;
  GHashTable *indices; /* name to index + 1 */
  GStringChunk *reasons;
  GArray *events;
  gboolean is_begun; /* a line was read that is no comment */
} Reader;

static gboolean line_fail (const Reader *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
line_fail (const Reader *self, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  /* What the line holds may be any bytes; a message is one line of text. */
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  for (char *at = valid; *at != '\0'; at++)
    if (g_ascii_iscntrl (*at))
      *at = '?';
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "%s:%" G_GUINT64_FORMAT ": %s",
               lk_input_name (self->input), lk_input_line_number (self->input), valid);
  return FALSE;
}

/* ---------------------------------------------------------------- fields */

/* Takes a quoted field off the line; `at` is behind the opening quote. Returns where it ends, NULL
 * when it does not. */
static const char *
quoted_take (const char *at, const char *end, GString *out)
{
  for (; at < end; at++) {
    if (*at == '"' && (at + 1 == end || at[1] != '"'))
      return at + 1;
    if (*at == '"')
      at++;
    g_string_append_c (out, *at);
  }
  return NULL;
}

/* Commas inside brackets belong to the field. */
static const char *
plain_take (const char *at, const char *end, GString *out)
{
  guint depth = 0;
  for (; at < end && (*at != ',' || depth > 0); at++) {
    if (*at == '[')
      depth++;
    else if (*at == ']' && depth > 0)
      depth--;
    g_string_append_c (out, *at);
  }
  return at;
}

/* Fills `fields`, without white space around them. */
static gboolean
fields_split (const Reader *self, const char *at, gsize length_bytes, GPtrArray *fields,
              GError **error)
{
  const char *end = at + length_bytes;
  for (gboolean is_more = TRUE; is_more;) {
    GString *field = g_string_new (NULL);
    while (at < end && (*at == ' ' || *at == '\t'))
      at++;
    gboolean is_quoted = at < end && *at == '"';
    at = is_quoted ? quoted_take (at + 1, end, field) : plain_take (at, end, field);
    if (!is_quoted)
      g_strchomp (field->str);
    g_ptr_array_add (fields, g_string_free (field, FALSE));
    if (at == NULL)
      return line_fail (self, error, "a quote is not closed; expected it on the same line");
    while (at < end && (*at == ' ' || *at == '\t'))
      at++;
    is_more = at < end && *at == ',';
    if (at < end && !is_more)
      return line_fail (self, error, "there is more behind a quoted field; expected a comma");
    at++;
    if (is_more && fields->len == FIELD_COUNT)
      return line_fail (self, error,
                        "there are more than 4 fields; expected "
                        "time,node,state,reason (quote what has a comma in it)");
  }
  if (fields->len < FIELD_MIN_COUNT)
    return line_fail (self, error, "there are %u fields; expected time,node,state,reason",
                      fields->len);
  return TRUE;
}

/* ---------------------------------------------------------------- values */

static gboolean
date_parse (const Reader *self, const char *text, gint64 *out_time_us, GError **error)
{
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  g_autoptr (GDateTime) date = g_date_time_new_from_iso8601 (text, utc);
  if (date == NULL)
    return line_fail (self, error, "time is '%s'; expected a date such as 2024-05-01T10:00:00",
                      text);
  if (self->nodes->unix_start_s < 0)
    return line_fail (self, error,
                      "time is '%s', but the log does not tell its date; expected seconds since "
                      "the beginning of the log",
                      text);
  gint64 since_s = g_date_time_to_unix (date) - self->nodes->unix_start_s;
  if (since_s < 0)
    return line_fail (self, error, "time is '%s', before the beginning of the log", text);
  *out_time_us = since_s * G_USEC_PER_SEC + g_date_time_get_microsecond (date);
  return TRUE;
}

static gboolean
time_parse (const Reader *self, const char *text, gint64 *out_time_us, GError **error)
{
  if (strchr (text, 'T') != NULL)
    return date_parse (self, text, out_time_us, error);
  if (lk_argument_duration_us ("time", text, out_time_us, NULL) && *out_time_us <= TIME_MAX_US)
    return TRUE;
  return line_fail (self, error,
                    "time is '%s'; expected seconds >= 0, a number with s, m, h, d or w, or a "
                    "date such as 2024-05-01T10:00:00",
                    text);
}

static gboolean
state_parse (const Reader *self, const char *text, LkEventKind *out_kind, GError **error)
{
  static const char *const names[] = { "down", "up", "drain", "resume", NULL };
  static const LkEventKind kinds[] = { LK_EVENT_NODE_DOWN, LK_EVENT_NODE_UP, LK_EVENT_NODE_DRAIN,
                                       LK_EVENT_NODE_RESUME };
  for (guint i = 0; names[i] != NULL; i++)
    if (g_ascii_strcasecmp (text, names[i]) == 0) {
      *out_kind = kinds[i];
      return TRUE;
    }
  g_autofree char *lower = g_ascii_strdown (text, -1);
  g_autofree char *phrase = lk_suggest_phrase (lower, names);
  return line_fail (self, error, "state is '%s'%s", text, phrase);
}

static gboolean
node_fail (const Reader *self, const char *name, GError **error)
{
  const GPtrArray *names = self->nodes->names;
  const char *near = NULL;
  if (names->len <= SUGGEST_NAMES_MAX_COUNT) {
    g_autofree const char **list = g_new0 (const char *, names->len + 1);
    for (guint i = 0; i < names->len; i++)
      list[i] = g_ptr_array_index (names, i);
    near = lk_suggest (name, list);
  }
  if (near != NULL)
    return line_fail (self, error, "no node is called '%s'; did you mean '%s'?", name, near);
  return line_fail (self, error, "no node is called '%s'; expected one of the cluster's %u", name,
                    names->len);
}

/* Appends an event for each node of the list. */
static gboolean
nodes_append (Reader *self, const char *hostlist, LkNodeEvent event, GError **error)
{
  const char *wrong = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!lk_hostlist_expand (hostlist, strlen (hostlist), names, &wrong))
    return line_fail (self, error, "node is '%s': %s", hostlist, wrong);
  if (names->len == 0)
    return line_fail (self, error, "node is empty; expected a name or a hostlist such as n[1-4]");
  if (names->len > EVENT_MAX_COUNT - self->events->len)
    return line_fail (self, error, "there are more than %u events up to here; expected fewer",
                      EVENT_MAX_COUNT);
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->indices, name));
    if (index == 0)
      return node_fail (self, name, error);
    event.node_index = index - 1;
    g_array_append_val (self->events, event);
  }
  return TRUE;
}

/* ---------------------------------------------------------------- lines */

static gboolean
line_read (Reader *self, const char *line, gsize length_bytes, GError **error)
{
  LkNodeEvent event = { 0 };
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func (g_free);
  while (length_bytes > 0 && g_ascii_isspace (line[length_bytes - 1]))
    length_bytes--;
  if (length_bytes == 0 || *line == '#')
    return TRUE;
  if (memchr (line, '\0', length_bytes) != NULL)
    return line_fail (self, error, "there is a zero byte; expected text");
  if (!fields_split (self, line, length_bytes, fields, error))
    return FALSE;
  gboolean is_head =
      !self->is_begun && g_ascii_strcasecmp (g_ptr_array_index (fields, 0), "time") == 0;
  self->is_begun = TRUE;
  if (is_head)
    return TRUE;
  const char *reason = fields->len == FIELD_COUNT ? g_ptr_array_index (fields, 3) : "";
  if (!g_utf8_validate (reason, -1, NULL))
    return line_fail (self, error, "reason is not UTF-8; expected text");
  event.reason = g_string_chunk_insert_const (self->reasons, reason);
  return time_parse (self, g_ptr_array_index (fields, 0), &event.time_us, error)
         && state_parse (self, g_ptr_array_index (fields, 2), &event.kind, error)
         && nodes_append (self, g_ptr_array_index (fields, 1), event, error);
}

static gint
event_compare (gconstpointer a, gconstpointer b)
{
  const LkNodeEvent *x = a;
  const LkNodeEvent *y = b;
  return x->time_us < y->time_us ? -1 : x->time_us > y->time_us;
}

gboolean
lk_failures_list_read (LkInput *input, const LkFailureNodes *nodes, GStringChunk *reasons,
                       GArray *events, GError **error)
{
  g_autoptr (GHashTable) indices = g_hash_table_new (g_str_hash, g_str_equal);
  Reader self = {
    .input = input, .nodes = nodes, .indices = indices, .reasons = reasons, .events = events
  };
  const char *line;
  gsize length_bytes;
  int got;
  for (guint i = nodes->names->len; i-- > 0;)
    g_hash_table_insert (indices, g_ptr_array_index (nodes->names, i), GUINT_TO_POINTER (i + 1));
  while ((got = lk_input_line (input, &line, &length_bytes, error)) == 1)
    if (!line_read (&self, line, length_bytes, error))
      return FALSE;
  /* Stable: of one time the order of the lines stays. */
  g_array_sort (events, event_compare);
  return got == 0;
}
