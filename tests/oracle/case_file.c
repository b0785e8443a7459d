/* tests/oracle/case_file.c — reads cases. See case_file.h. */
#include "tests/oracle/case_file.h"

#include <string.h>

#include "traces/trace_error.h"

typedef struct {
  LkCaseFile *file;
  GString *conf;     /* of the section being read; NULL: none */
  gboolean is_steps; /* in the section [steps] */
  guint line;
  GError **error;
} Reader;

static gboolean
fail (const Reader *self, const char *found, const char *expected)
{
  g_set_error (self->error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, "%s:%u: found '%s', expected %s",
               self->file->name, self->line, found, expected);
  return FALSE;
}

static void
step_free (LkCaseStep *self)
{
  g_free (self->name);
  g_free (self->user);
  g_strfreev (self->words);
  g_free (self->state);
  g_free (self);
}

static LkCaseStep *
step_add (Reader *self, LkCaseVerb verb)
{
  LkCaseStep *step = g_new0 (LkCaseStep, 1);
  step->verb = verb;
  step->line = self->line;
  g_ptr_array_add (self->file->steps, step);
  return step;
}

/* ---------------------------------------------------------------- steps */

static gboolean
submit_read (Reader *self, char **words)
{
  if (!words[0] || words[0][0] == '-')
    return fail (self, words[0] ? words[0] : "nothing", "the name of a job");
  LkCaseStep *step = step_add (self, LK_CASE_SUBMIT);
  step->name = g_strdup (words[0]);
  char **options = words + 1;
  if (*options && g_str_has_prefix (*options, "user="))
    step->user = g_strdup (*options++ + strlen ("user="));
  step->words = g_strdupv (options);
  return TRUE;
}

static gboolean
settle_read (Reader *self, char **words)
{
  if (words[0])
    return fail (self, words[0], "nothing behind settle");
  step_add (self, LK_CASE_SETTLE);
  return TRUE;
}

static gboolean
end_read (Reader *self, char **words)
{
  if (!words[0])
    return fail (self, "nothing", "the names of jobs");
  step_add (self, LK_CASE_END)->words = g_strdupv (words);
  return TRUE;
}

static gboolean
try_read (Reader *self, char **words)
{
  if (!submit_read (self, words))
    return FALSE;
  step_add (self, LK_CASE_SETTLE);
  char *names[] = { words[0], NULL };
  return end_read (self, names);
}

static gboolean
node_read (Reader *self, char **words)
{
  static const char *const STATES[] = { "down", "drain", "fail", "resume", NULL };
  guint count = g_strv_length (words);
  if (count < 2 || !g_strv_contains (STATES, words[count - 1]))
    return fail (self, count > 0 ? words[count - 1] : "nothing",
                 "nodes, then down, drain, fail or resume");
  LkCaseStep *step = step_add (self, LK_CASE_NODE);
  step->words = g_strdupv (words);
  step->state = g_steal_pointer (&step->words[count - 1]);
  return TRUE;
}

static gboolean
at_read (Reader *self, char **words)
{
  guint64 seconds;
  if (g_strv_length (words) != 1
      || !g_ascii_string_to_unsigned (words[0], 10, 0, G_MAXUINT32, &seconds, NULL))
    return fail (self, words[0] ? words[0] : "nothing", "a number of seconds");
  step_add (self, LK_CASE_AT)->at_us = (gint64)seconds * G_USEC_PER_SEC;
  return TRUE;
}

static gboolean
step_read (Reader *self, const char *line)
{
  static const struct {
    const char *verb;
    gboolean (*read) (Reader *self, char **words);
  } VERBS[] = {
    { "submit", submit_read }, { "settle", settle_read }, { "end", end_read },
    { "try", try_read },       { "node", node_read },     { "at", at_read },
  };
  g_auto (GStrv) words = NULL;
  if (!g_shell_parse_argv (line, NULL, &words, NULL))
    return fail (self, line, "words with their quotes closed");
  for (guint i = 0; i < G_N_ELEMENTS (VERBS); i++)
    if (g_str_equal (words[0], VERBS[i].verb))
      return VERBS[i].read (self, words + 1);
  return fail (self, words[0], "submit, settle, end, try, node or at");
}

/* ---------------------------------------------------------------- lines */

static gboolean
section_read (Reader *self, const char *line)
{
  LkCaseFile *file = self->file;
  const struct {
    const char *head;
    GString *conf;
  } SECTIONS[] = {
    { "[slurm.conf]", file->slurm_conf },
    { "[gres.conf]", file->gres_conf },
    { "[topology.conf]", file->topology_conf },
    { "[accounts]", file->accounts },
    { "[steps]", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (SECTIONS); i++)
    if (g_str_equal (line, SECTIONS[i].head)) {
      self->conf = SECTIONS[i].conf;
      self->is_steps = SECTIONS[i].conf == NULL;
      return TRUE;
    }
  return fail (self, line, "[slurm.conf], [gres.conf], [topology.conf], [accounts] or [steps]");
}

static gboolean
header_read (Reader *self, const char *line)
{
  g_auto (GStrv) pair = g_strsplit (line, " ", 2);
  char **slot = g_str_equal (pair[0], "about")   ? &self->file->about
                : g_str_equal (pair[0], "slurm") ? &self->file->slurm
                                                 : NULL;
  if (!slot || !pair[1] || *slot)
    return fail (self, line, "about or slurm and its value, once");
  *slot = g_strstrip (g_strdup (pair[1]));
  return TRUE;
}

static gboolean
line_read (Reader *self, char *line)
{
  g_strstrip (line);
  if (line[0] == '\0' || line[0] == '#')
    return TRUE;
  if (line[0] == '[')
    return section_read (self, line);
  if (self->is_steps)
    return step_read (self, line);
  if (!self->conf)
    return header_read (self, line);
  g_string_append_printf (self->conf, "%s\n", line);
  return TRUE;
}

static gboolean
lines_read (Reader *self, char **lines)
{
  for (; *lines; lines++) {
    self->line++;
    if (!line_read (self, *lines))
      return FALSE;
  }
  if (!self->file->about || !self->file->slurm)
    return fail (self, "the end", "lines about and slurm before it");
  return TRUE;
}

/* ---------------------------------------------------------------- public */

LkCaseFile *
lk_case_file_new_from_bytes (const char *name, const char *bytes, gsize length_bytes,
                             GError **error)
{
  g_autoptr (LkCaseFile) file = g_new0 (LkCaseFile, 1);
  file->name = g_strdup (name);
  file->slurm_conf = g_string_new (NULL);
  file->gres_conf = g_string_new (NULL);
  file->topology_conf = g_string_new (NULL);
  file->accounts = g_string_new (NULL);
  file->steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  g_autofree char *text = g_strndup (bytes, length_bytes);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  Reader reader = { .file = file, .error = error };
  return lines_read (&reader, lines) ? g_steal_pointer (&file) : NULL;
}

LkCaseFile *
lk_case_file_load (const char *path, GError **error)
{
  g_autofree char *bytes = NULL;
  gsize length_bytes;
  if (!g_file_get_contents (path, &bytes, &length_bytes, error))
    return NULL;
  return lk_case_file_new_from_bytes (path, bytes, length_bytes, error);
}

void
lk_case_file_free (LkCaseFile *self)
{
  if (!self)
    return;
  g_free (self->name);
  g_free (self->about);
  g_free (self->slurm);
  g_string_free (self->slurm_conf, TRUE);
  g_string_free (self->gres_conf, TRUE);
  g_string_free (self->topology_conf, TRUE);
  g_string_free (self->accounts, TRUE);
  g_ptr_array_unref (self->steps);
  g_free (self);
}
