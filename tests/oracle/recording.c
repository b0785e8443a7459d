/* tests/oracle/recording.c — reads recordings. See recording.h. */
#include "tests/oracle/recording.h"

#include <string.h>

#include "traces/trace_error.h"

typedef struct {
  LkRecording *recording;
  LkRecordedJob *job; /* whose nodes may follow; NULL: nobody's */
  guint line;
  GError **error;
} Reader;

static gboolean
fail (const Reader *self, const char *found, const char *expected)
{
  g_set_error (self->error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, "%s:%u: found '%s', expected %s",
               self->recording->name, self->line, found, expected);
  return FALSE;
}

static void
node_free (LkRecordedNode *self)
{
  g_free (self->node);
  g_free (self->cpus);
  g_free (self->gres);
  g_free (self);
}

static void
job_free (LkRecordedJob *self)
{
  g_free (self->job);
  g_free (self->state);
  g_free (self->reason);
  g_free (self->node_list);
  g_ptr_array_unref (self->nodes);
  g_free (self);
}

/* The value of "key=value", or NULL. */
static const char *
value_of (const char *word, const char *key)
{
  gsize length = strlen (key);
  return word && strncmp (word, key, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static gboolean
number_of (const char *word, const char *key, guint64 *out_number)
{
  const char *value = value_of (word, key);
  return value && g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT32, out_number, NULL);
}

/* ---------------------------------------------------------------- lines */

/* settle N */
static gboolean
settle_read (Reader *self, const char *line)
{
  GPtrArray *settles = self->recording->settles;
  g_autofree char *expected = g_strdup_printf ("settle %u", settles->len + 1);
  if (!g_str_equal (line, expected))
    return fail (self, line, expected);
  g_ptr_array_add (settles, g_ptr_array_new_with_free_func ((GDestroyNotify)job_free));
  self->job = NULL;
  return TRUE;
}

/* NODES cpus=COUNT, behind RUNNING. */
static gboolean
running_read (Reader *self, const char *rest)
{
  g_auto (GStrv) words = g_strsplit (rest, " ", -1);
  guint64 cpu_count;
  if (g_strv_length (words) != 2 || !number_of (words[1], "cpus", &cpu_count))
    return fail (self, rest, "NODES cpus=COUNT");
  self->job->node_list = g_strdup (words[0]);
  self->job->cpu_count = (guint)cpu_count;
  return TRUE;
}

/* job NAME STATE ... */
static gboolean
job_read (Reader *self, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 4);
  GPtrArray *settles = self->recording->settles;
  if (g_strv_length (words) != 4 || settles->len == 0)
    return fail (self, line, "settle, then job NAME STATE and more");
  LkRecordedJob *job = g_new0 (LkRecordedJob, 1);
  job->line = self->line;
  job->job = g_strdup (words[1]);
  job->state = g_strdup (words[2]);
  job->nodes = g_ptr_array_new_with_free_func ((GDestroyNotify)node_free);
  g_ptr_array_add (g_ptr_array_index (settles, settles->len - 1), job);
  self->job = job;
  if (g_str_equal (job->state, "RUNNING"))
    return running_read (self, words[3]);
  if (!g_str_equal (words[3], "-"))
    job->reason = g_strdup (words[3]);
  return TRUE;
}

/*   NODE cpus=IDS memory_mib=N [gres=...] */
static gboolean
node_read (Reader *self, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line + 2, " ", 4);
  guint count = g_strv_length (words);
  guint64 memory_mib;
  if (!self->job || !self->job->node_list || count < 3 || !value_of (words[1], "cpus")
      || !number_of (words[2], "memory_mib", &memory_mib)
      || (count == 4 && !value_of (words[3], "gres")))
    return fail (self, line, "NODE cpus=IDS memory_mib=N [gres=...] of a running job");
  LkRecordedNode *node = g_new0 (LkRecordedNode, 1);
  node->node = g_strdup (words[0]);
  node->cpus = g_strdup (value_of (words[1], "cpus"));
  node->memory_bytes = (gint64)memory_mib * 1024 * 1024;
  node->gres = g_strdup (count == 4 ? value_of (words[3], "gres") : "");
  g_ptr_array_add (self->job->nodes, node);
  return TRUE;
}

static gboolean
line_read (Reader *self, const char *line)
{
  if (line[0] == '\0' || line[0] == '#')
    return TRUE;
  if (g_str_has_prefix (line, "settle "))
    return settle_read (self, line);
  if (g_str_has_prefix (line, "job "))
    return job_read (self, line);
  if (g_str_has_prefix (line, "  "))
    return node_read (self, line);
  return fail (self, line, "settle, job, or a node behind two spaces");
}

/* ---------------------------------------------------------------- public */

LkRecording *
lk_recording_new_from_bytes (const char *name, const char *bytes, gsize length_bytes,
                             GError **error)
{
  g_autoptr (LkRecording) recording = g_new0 (LkRecording, 1);
  recording->name = g_strdup (name);
  recording->settles = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);
  g_autofree char *text = g_strndup (bytes, length_bytes);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  Reader reader = { .recording = recording, .error = error };
  for (char **line = lines; *line; line++) {
    reader.line++;
    if (!line_read (&reader, *line))
      return NULL;
  }
  return g_steal_pointer (&recording);
}

LkRecording *
lk_recording_load (const char *path, GError **error)
{
  g_autofree char *bytes = NULL;
  gsize length_bytes;
  if (!g_file_get_contents (path, &bytes, &length_bytes, error))
    return NULL;
  return lk_recording_new_from_bytes (path, bytes, length_bytes, error);
}

void
lk_recording_free (LkRecording *self)
{
  if (!self)
    return;
  g_free (self->name);
  g_ptr_array_unref (self->settles);
  g_free (self);
}
