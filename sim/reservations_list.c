/* sim/reservations_list.c — see the header. */
#include "sim/reservations_list.h"

#include <string.h>

#include "sim/error.h"
#include "sim/show.h"
#include "traces/command_reservation.h"
#include "traces/input.h"

struct _LkReservationsList {
  LkCommandScript *script;
  gint64 first_submit_us;
  gboolean has_begun;
  gboolean is_done;
};

/* A list as it is rewritten. */
typedef struct {
  LkInput *input;
  gint64 unix_start_s;
  GString *script;
} Rewriter;

static gboolean
place_prefix (const char *name, guint64 line_number, GError **error)
{
  g_prefix_error (error, "%s:%" G_GUINT64_FORMAT ": ", name, line_number);
  return FALSE;
}

/* ---------------------------------------------------------------- words */

/* The value of a word with this key, in any case; NULL: it has another one. */
static const char *
value_of (const char *word, const char *key)
{
  gsize length = strlen (key);
  return g_ascii_strncasecmp (word, key, length) == 0 && word[length] == '=' ? word + length + 1
                                                                             : NULL;
}

static const char *
find_value (char *const *words, const char *key)
{
  for (guint i = 0; words[i] != NULL; i++) {
    const char *value = value_of (words[i], key);
    if (value != NULL)
      return value;
  }
  return NULL;
}

static gboolean
is_said (const char *value)
{
  return value != NULL && value[0] != '\0' && strcmp (value, "(null)") != 0;
}

/* What a line of scontrol show only derives, or tells of the moment at which it was printed. */
static gboolean
is_derived (char *const *words, const char *word)
{
  static const char *const of_nodes[] = { "NodeCnt", "CoreCnt", "TRES", NULL };
  static const char *const of_moment[] = { "State", "BurstBuffer", "Watts", NULL };
  const char *const *lists[] = { of_moment,
                                 is_said (find_value (words, "Nodes")) ? of_nodes : NULL };
  if (find_value (words, "State") == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const char *const *key = lists[i]; key != NULL && *key != NULL; key++)
      if (value_of (word, *key) != NULL)
        return TRUE;
  return FALSE;
}

/* A moment of the log as one of a script, whose "now" is the first submit. */
static gboolean
moment_append (const Rewriter *self, const char *key, const char *value, GError **error)
{
  gint64 time_us;
  gboolean is_relative = value[0] == '+';
  const char *text = is_relative ? value + 1 : value;
  if (is_relative && !g_ascii_isdigit (text[0])) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "%s is '%s'; expected +SECONDS", key,
                 value);
    return FALSE;
  }
  if (!lk_show_moment_parse (key, text, is_relative ? -1 : self->unix_start_s, &time_us, error))
    return FALSE;
  if (time_us < 0 || time_us % G_USEC_PER_SEC != 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                 "%s is '%s'; expected whole seconds, not before time 0 of the log", key, value);
    return FALSE;
  }
  g_string_append_printf (self->script, " %s=%s%" G_GINT64_FORMAT, key,
                          is_relative ? "now+" : "uts", time_us / G_USEC_PER_SEC);
  return TRUE;
}

static gboolean
word_append (const Rewriter *self, char *const *words, const char *word, GError **error)
{
  static const char *const moments[] = { "StartTime", "EndTime" };
  const char *equals = strchr (word, '=');
  if (equals != NULL && (strcmp (equals, "=(null)") == 0 || is_derived (words, word)))
    return TRUE;
  if (value_of (word, "CoreIDs") != NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                 "CoreIDs tells parts of nodes; expected Nodes with CoreCnt or TRES");
    return FALSE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (moments); i++) {
    const char *value = value_of (word, moments[i]);
    if (value != NULL && !g_str_has_prefix (value, "now"))
      return moment_append (self, moments[i], value, error);
  }
  g_string_append_printf (self->script, " %s", word);
  return TRUE;
}

/* ---------------------------------------------------------------- lines */

static gboolean
line_append (const Rewriter *self, char *line, GError **error)
{
  static const char *const heads[] = { "scontrol", "create", "reservation" };
  g_auto (GStrv) split = g_strsplit_set (g_strstrip (line), " \t", -1);
  char **words = split;
  if (line[0] == '\0' || line[0] == '#')
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    if (*words != NULL && g_ascii_strcasecmp (*words, heads[i]) == 0)
      words++;
  g_string_append (self->script, "0 root scontrol create reservation");
  for (char **word = words; *word != NULL; word++)
    if ((*word)[0] != '\0' && !word_append (self, words, *word, error))
      return FALSE;
  return TRUE;
}

/* Line by line, so that a line keeps its number. */
static gboolean
rewrite (const Rewriter *self, GError **error)
{
  const char *line;
  gsize length_bytes;
  int state;
  while ((state = lk_input_line (self->input, &line, &length_bytes, error)) > 0) {
    g_autofree char *text = g_strndup (line, length_bytes);
    if (memchr (line, '\0', length_bytes) != NULL || !g_utf8_validate (text, -1, NULL)) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "%s", "is not a line of UTF-8 text");
      return place_prefix (lk_input_name (self->input), lk_input_line_number (self->input), error);
    }
    if (!line_append (self, text, error))
      return place_prefix (lk_input_name (self->input), lk_input_line_number (self->input), error);
    g_string_append_c (self->script, '\n');
  }
  return state == 0;
}

/* ---------------------------------------------------------------- events */

static gboolean
event_at (const LkReservationsList *self, guint index, LkEvent *out_event, GError **error)
{
  const LkCommand *command = lk_command_script_at (self->script, index);
  return lk_command_reservation_event (command, self->first_submit_us, out_event, error)
         || place_prefix (lk_command_script_name (self->script), command->line_number, error);
}

static gboolean
check (const LkReservationsList *self, GError **error)
{
  for (guint i = 0; i < lk_command_script_count (self->script); i++) {
    LkEvent event;
    if (!event_at (self, i, &event, error))
      return FALSE;
  }
  return TRUE;
}

LkReservationsList *
lk_reservations_list_new (const char *path, gint64 unix_start_s, GError **error)
{
  g_autoptr (LkInput) input = lk_input_new (path, error);
  g_autoptr (GString) text = g_string_new (NULL);
  Rewriter rewriter = { .input = input, .unix_start_s = unix_start_s, .script = text };
  if (input == NULL || !rewrite (&rewriter, error))
    return NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (text->str, text->len);
  LkCommandScript *script = lk_command_script_new_from_bytes (lk_input_name (input), bytes, error);
  if (script == NULL)
    return NULL;
  g_autoptr (LkReservationsList) self = g_new0 (LkReservationsList, 1);
  self->script = script;
  return check (self, error) ? g_steal_pointer (&self) : NULL;
}

void
lk_reservations_list_free (LkReservationsList *self)
{
  if (self == NULL)
    return;
  lk_command_script_free (self->script);
  g_free (self);
}

void
lk_reservations_list_begin (LkReservationsList *self, gint64 first_submit_us)
{
  if (self->has_begun)
    return;
  self->has_begun = TRUE;
  self->first_submit_us = first_submit_us;
}

gint64
lk_reservations_list_next_us (const LkReservationsList *self)
{
  return self->has_begun && !self->is_done ? self->first_submit_us : LK_TIME_NEVER;
}

gboolean
lk_reservations_list_act (LkReservationsList *self, const LkSimControl *control, GError **error)
{
  self->is_done = TRUE;
  for (guint i = 0; i < lk_command_script_count (self->script); i++) {
    LkEvent event;
    if (!event_at (self, i, &event, error))
      return FALSE;
    LkReject reject = control->apply (control->driver, &event);
    if (reject != 0) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "the reservation is refused: %s",
                   lk_reject_text (reject));
      return place_prefix (lk_command_script_name (self->script),
                           lk_command_script_at (self->script, i)->line_number, error);
    }
  }
  return TRUE;
}
