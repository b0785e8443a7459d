/* traces/command_script.c — see command_script.h: the lines of a script. */
#include "traces/command_script.h"

#include <string.h>

#include "engine/policy.h"
#include "traces/command_private.h"
#include "traces/decimal.h"
#include "traces/input.h"

#define SHOWN_MAX_BYTES 60
#define SECONDS_MAX G_GINT64_CONSTANT (1000000000000)
#define COMMANDS_MAX 10000000u

struct _LkCommandScript {
  char *name;
  gboolean is_tolerant;
  GStringChunk *texts;
  GPtrArray *commands; /* of LkCommand */
};

typedef struct {
  LkCommandScript *script;
  LkInput *input;
} Reader;

void
lk_command_free (LkCommand *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->components, g_array_unref);
  g_clear_pointer (&self->runs, g_array_unref);
  g_clear_pointer (&self->jobs, g_array_unref);
  g_clear_pointer (&self->pairs, g_array_unref);
  g_free (self);
}

static LkCommand *
command_alloc (guint64 line_number)
{
  LkCommandRun run = { .task = G_MAXUINT32, .run_us = -1 };
  LkCommand *self = g_new0 (LkCommand, 1);
  self->line_number = line_number;
  self->components = g_array_new (FALSE, FALSE, sizeof (LkJobOptions));
  self->runs = g_array_new (FALSE, FALSE, sizeof (LkCommandRun));
  self->jobs = g_array_new (FALSE, FALSE, sizeof (LkCommandJob));
  self->pairs = g_array_new (FALSE, FALSE, sizeof (LkCommandPair));
  g_array_append_val (self->runs, run);
  return self;
}

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
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, "%s:%" G_GUINT64_FORMAT ": %s",
               self->script->name, lk_input_line_number (self->input), valid);
  return FALSE;
}

/* ---------------------------------------------------------------- what stands behind # */

/* The # that begins a word outside of quotes; NULL: there is none. */
static char *
remark_find (char *text)
{
  char quote = '\0';
  for (char *at = text; *at != '\0'; at++) {
    if (*at == '\\' && quote != '\'' && at[1] != '\0')
      at++;
    else if (quote != '\0')
      quote = *at == quote ? '\0' : quote;
    else if (*at == '\'' || *at == '"')
      quote = *at;
    else if (*at == '#' && (at == text || g_ascii_isspace (at[-1])))
      return at;
  }
  return NULL;
}

static LkCommandRun *
run_of (LkCommand *command, guint32 task)
{
  for (guint i = 0; i < command->runs->len; i++)
    if (g_array_index (command->runs, LkCommandRun, i).task == task)
      return &g_array_index (command->runs, LkCommandRun, i);
  LkCommandRun run = g_array_index (command->runs, LkCommandRun, 0);
  run.task = task;
  g_array_append_val (command->runs, run);
  return &g_array_index (command->runs, LkCommandRun, command->runs->len - 1);
}

/* "run", "run[3]": cuts the task off. FALSE: the brackets are wrong. */
static gboolean
remark_task (char *key, guint32 *out_task)
{
  guint64 task;
  char *open = strchr (key, '[');
  *out_task = G_MAXUINT32;
  if (open == NULL)
    return TRUE;
  char *close = strchr (open, ']');
  if (close == NULL || close[1] != '\0')
    return FALSE;
  *open = *close = '\0';
  if (!g_ascii_string_to_unsigned (open + 1, 10, 0, G_MAXUINT32 - 1, &task, NULL))
    return FALSE;
  *out_task = (guint32)task;
  return TRUE;
}

/* What a remark says; `value` stands behind the =. */
static gboolean
run_set (const Reader *self, LkCommandRun *run, const char *key, const char *value, GError **error)
{
  if (!lk_decimal_parse (value, strlen (value), G_USEC_PER_SEC, 1, LK_ROUND_NEAREST, &run->run_us)
      || run->run_us < 0 || run->run_us > SECONDS_MAX * G_USEC_PER_SEC)
    return line_fail (self, error, "%s is '%.*s'; expected seconds from 0 to 1000000000000", key,
                      SHOWN_MAX_BYTES, value);
  return TRUE;
}

static gboolean
number_set (const Reader *self, guint8 *number, const char *key, const char *value, GError **error)
{
  guint64 most = strcmp (key, "#exit") == 0 ? 255 : 64;
  guint64 parsed;
  if (!g_ascii_string_to_unsigned (value, 10, 0, most, &parsed, NULL))
    return line_fail (self, error, "%s is '%.*s'; expected a number from 0 to %d", key,
                      SHOWN_MAX_BYTES, value, (int)most);
  *number = (guint8)parsed;
  return TRUE;
}

static gboolean
on_signal_set (const Reader *self, LkCommandRun *run, const char *value, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (value, ":", 2);
  if (parts[0] == NULL || parts[1] == NULL)
    return line_fail (self, error, "#on-signal is '%.*s'; expected NUMBER:CODE such as 10:7",
                      SHOWN_MAX_BYTES, value);
  return number_set (self, &run->on_signal, "#on-signal", parts[0], error)
         && number_set (self, &run->on_signal_exit_code, "#exit", parts[1], error);
}

static gboolean
remark_take (const Reader *self, LkCommand *command, char *word, GError **error)
{
  static const char *const known[] = { "#run", "#exit", "#signal", "#on-signal", NULL };
  guint32 task;
  g_autofree char *shown = g_strdup (word);
  char *value = strchr (word, '=');
  if (value != NULL)
    *value++ = '\0';
  if (value == NULL || !remark_task (word, &task) || !g_strv_contains (known, word))
    return line_fail (self, error,
                      "'%.*s' stands behind the command; expected #run=SECONDS, #exit=CODE, "
                      "#signal=NUMBER or #on-signal=NUMBER:CODE",
                      SHOWN_MAX_BYTES, shown);
  LkCommandRun *run = run_of (command, task);
  run->is_told = TRUE;
  if (strcmp (word, "#run") == 0)
    return run_set (self, run, word, value, error);
  if (strcmp (word, "#on-signal") == 0)
    return on_signal_set (self, run, value, error);
  return number_set (self, word[1] == 'e' ? &run->exit_code : &run->signal, word, value, error);
}

static gboolean
remarks_take (const Reader *self, LkCommand *command, const char *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (text, " \t\r", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\0' && !remark_take (self, command, words[i], error))
      return FALSE;
  return TRUE;
}

/* ---------------------------------------------------------------- lines */

/* Takes a word off the front. Returns: what is left. */
static char *
word_take (char *text, char **out_word)
{
  gsize length = strcspn (text, " \t");
  *out_word = text;
  char *rest = text + length;
  if (*rest != '\0')
    *rest++ = '\0';
  return rest + strspn (rest, " \t");
}

static gboolean
time_take (const Reader *self, const char *word, LkCommand *command, GError **error)
{
  const GPtrArray *commands = self->script->commands;
  if (!lk_decimal_parse (word, strlen (word), G_USEC_PER_SEC, 1, LK_ROUND_NEAREST,
                         &command->time_us)
      || command->time_us < 0 || command->time_us > SECONDS_MAX * G_USEC_PER_SEC)
    return line_fail (self, error,
                      "the first word is '%.*s'; expected seconds from 0 to 1000000000000",
                      SHOWN_MAX_BYTES, word);
  if (commands->len == 0)
    return TRUE;
  const LkCommand *before = g_ptr_array_index (commands, commands->len - 1);
  return command->time_us >= before->time_us
         || line_fail (self, error,
                       "the time %s is before that of line %" G_GUINT64_FORMAT
                       "; expected times that do not fall",
                       word, before->line_number);
}

static gboolean
line_take (const Reader *self, char *line, LkCommand *command, GError **error)
{
  GStringChunk *texts = self->script->texts;
  g_autoptr (GError) wrong = NULL;
  char *time, *user;
  char *remarks = remark_find (line);
  if (remarks != NULL && !remarks_take (self, command, remarks, error))
    return FALSE;
  if (remarks != NULL)
    *remarks = '\0';
  char *rest = g_strchomp (word_take (word_take (line, &time), &user));
  if (!time_take (self, time, command, error))
    return FALSE;
  if (*user == '\0' || *rest == '\0')
    return line_fail (self, error, "there is no command; expected SECONDS USER COMMAND");
  command->user = g_string_chunk_insert_const (texts, user);
  command->text = g_string_chunk_insert_const (texts, rest);
  g_auto (GStrv) words = lk_job_options_split (rest, &wrong);
  if (words == NULL || !lk_command_parse (words, texts, command, &wrong)) {
    command->kind = LK_COMMAND_UNREAD;
    command->passed_over = g_string_chunk_insert (texts, wrong->message);
  }
  if (command->fault == NULL && command->passed_over == NULL)
    lk_command_check_runs (command, texts);
  if (self->script->is_tolerant || (command->fault == NULL && command->passed_over == NULL))
    return TRUE;
  return line_fail (self, error, "%s",
                    command->fault != NULL ? command->fault : command->passed_over);
}

static gboolean
lines_read (const Reader *self, GError **error)
{
  for (;;) {
    const char *bytes;
    gsize length_bytes;
    int got = lk_input_line (self->input, &bytes, &length_bytes, error);
    if (got <= 0)
      return got == 0;
    if (memchr (bytes, '\0', length_bytes) != NULL)
      return line_fail (self, error, "a NUL byte; expected text");
    g_autofree char *copy = g_strndup (bytes, length_bytes);
    g_autofree char *line = g_utf8_make_valid (g_strstrip (copy), -1);
    if (*line == '\0' || *line == '#')
      continue;
    if (self->script->commands->len == COMMANDS_MAX)
      return line_fail (self, error, "there are more than %u commands", COMMANDS_MAX);
    LkCommand *command = command_alloc (lk_input_line_number (self->input));
    if (!line_take (self, line, command, error)) {
      lk_command_free (command);
      return FALSE;
    }
    g_ptr_array_add (self->script->commands, command);
  }
}

LkCommand *
lk_command_new (char **words, GStringChunk *texts, GError **error)
{
  g_autoptr (LkCommand) self = command_alloc (0);
  return lk_command_parse (words, texts, self, error) ? g_steal_pointer (&self) : NULL;
}

/* Takes the input. */
static LkCommandScript *
script_read (LkInput *input, gboolean is_tolerant, GError **error)
{
  if (input == NULL)
    return NULL;
  g_autoptr (LkInput) owned = input;
  g_autoptr (LkCommandScript) self = g_new0 (LkCommandScript, 1);
  self->name = g_strdup (lk_input_name (input));
  self->is_tolerant = is_tolerant;
  self->texts = g_string_chunk_new (4096);
  self->commands = g_ptr_array_new_with_free_func ((GDestroyNotify)lk_command_free);
  Reader reader = { self, owned };
  if (!lines_read (&reader, error))
    return NULL;
  if (self->commands->len > 0)
    return g_steal_pointer (&self);
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY, "%s: there is no command in it",
               self->name);
  return NULL;
}

LkCommandScript *
lk_command_script_new (const char *path, GError **error)
{
  return script_read (lk_input_new (path, error), FALSE, error);
}

static LkCommandScript *
bytes_read (const char *name, GBytes *bytes, gboolean is_tolerant, GError **error)
{
  gsize length_bytes;
  const guint8 *data = g_bytes_get_data (bytes, &length_bytes);
  return script_read (lk_input_new_from_bytes (name, data, length_bytes, error), is_tolerant,
                      error);
}

LkCommandScript *
lk_command_script_new_from_bytes (const char *name, GBytes *bytes, GError **error)
{
  return bytes_read (name, bytes, FALSE, error);
}

LkCommandScript *
lk_command_script_new_tolerant (const char *name, GBytes *bytes, GError **error)
{
  return bytes_read (name, bytes, TRUE, error);
}

void
lk_command_script_free (LkCommandScript *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_string_chunk_free (self->texts);
  g_ptr_array_unref (self->commands);
  g_free (self);
}

void
lk_command_script_shift (LkCommandScript *self, gint64 by_us)
{
  for (guint i = 0; i < self->commands->len; i++)
    ((LkCommand *)g_ptr_array_index (self->commands, i))->time_us += by_us;
}

const char *
lk_command_script_name (const LkCommandScript *self)
{
  return self->name;
}

gboolean
lk_command_script_is_tolerant (const LkCommandScript *self)
{
  return self->is_tolerant;
}

guint
lk_command_script_count (const LkCommandScript *self)
{
  return self->commands->len;
}

const LkCommand *
lk_command_script_at (const LkCommandScript *self, guint index)
{
  return g_ptr_array_index (self->commands, index);
}

const char *
lk_command_value (const LkCommand *self, const char *key)
{
  for (guint i = 0; i < self->pairs->len; i++)
    if (strcmp (g_array_index (self->pairs, LkCommandPair, i).key, key) == 0)
      return g_array_index (self->pairs, LkCommandPair, i).value;
  return NULL;
}

const LkCommandRun *
lk_command_run (const LkCommand *self, guint32 task)
{
  for (guint i = 1; i < self->runs->len; i++)
    if (g_array_index (self->runs, LkCommandRun, i).task == task)
      return &g_array_index (self->runs, LkCommandRun, i);
  return &g_array_index (self->runs, LkCommandRun, 0);
}
