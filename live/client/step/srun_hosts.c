/* live/client/step/srun_hosts.c — SLURM_HOSTFILE: a file that names the node of each task.
 *
 * A line has names of nodes, or ranges of them, with commas between; "*3" behind a name is three
 * tasks; from # on it is a comment.  Source: srun(1), SLURM_HOSTFILE. */
#include <string.h>

#include "engine/hostlist.h"
#include "live/client/step/srun.h"

#define TASKS_MAX 65535u

/* FALSE: it names no nodes. */
static gboolean
word_take (const char *word, GPtrArray *hosts)
{
  const char *star = strchr (word, '*');
  gsize length = star != NULL ? (gsize)(star - word) : strlen (word);
  guint64 times = 1;
  if (star != NULL && !g_ascii_string_to_unsigned (star + 1, 10, 1, TASKS_MAX, &times, NULL))
    return FALSE;
  for (guint64 i = 0; i < times && hosts->len <= TASKS_MAX; i++)
    if (!lk_hostlist_expand (word, length, hosts, NULL))
      return FALSE;
  return TRUE;
}

/* Returns: the number of the line that is none; 0: all are. */
static guint
lines_take (const char *text, GPtrArray *hosts)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    lines[i][strcspn (lines[i], "#")] = '\0';
    g_auto (GStrv) words = g_strsplit_set (g_strstrip (lines[i]), " \t", -1);
    for (guint j = 0; words[j] != NULL; j++)
      if (*words[j] != '\0' && !word_take (words[j], hosts))
        return i + 1;
  }
  return 0;
}

static void
word_add (LkSrun *self, const char *option, guint count)
{
  if (!lk_launch_has (&self->launch, option))
    g_ptr_array_add (lk_launch_words (&self->launch), g_strdup_printf ("--%s=%u", option, count));
}

/* Each once. Returns: (transfer full), with commas between. */
static char *
names_join (const GPtrArray *hosts, guint *out_count)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  GString *names = g_string_new (NULL);
  for (guint i = 0; i < hosts->len; i++)
    if (g_hash_table_add (known, g_ptr_array_index (hosts, i)))
      g_string_append_printf (names, "%s%s", names->len > 0 ? "," : "",
                              (const char *)g_ptr_array_index (hosts, i));
  *out_count = g_hash_table_size (known);
  return g_string_free (names, FALSE);
}

int
lk_srun_hosts_read (LkSrun *self)
{
  const LkClient *client = self->launch.submission.client;
  const char *path = lk_client_variable (client, "SLURM_HOSTFILE");
  const char *tasks = lk_launch_value (&self->launch, "ntasks");
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) hosts = g_ptr_array_new_with_free_func (g_free);
  guint count;
  if (path == NULL || lk_launch_has (&self->launch, "nodelist"))
    return 0;
  guint wrong = 0;
  if (!g_file_get_contents (path, &text, NULL, &error))
    lk_client_error (client, "SLURM_HOSTFILE: %s", error->message);
  else if ((wrong = lines_take (text, hosts)) != 0)
    lk_client_error (client, "Invalid hostfile %s contents on line %u", path, wrong);
  else if (hosts->len == 0 || hosts->len > TASKS_MAX
           || (tasks != NULL && g_ascii_strtoull (tasks, NULL, 10) > hosts->len))
    lk_client_error (client, "Too few NodeNames in Slurm Hostfile");
  else {
    if (tasks != NULL)
      g_ptr_array_set_size (hosts, (gint)MAX (1, g_ascii_strtoull (tasks, NULL, 10)));
    g_autofree char *names = names_join (hosts, &count);
    g_ptr_array_add (hosts, NULL);
    self->hosts = g_strjoinv (",", (char **)hosts->pdata);
    g_ptr_array_add (lk_launch_words (&self->launch), g_strconcat ("--nodelist=", names, NULL));
    word_add (self, "ntasks", hosts->len - 1);
    word_add (self, "nodes", count);
    return 0;
  }
  lk_client_error (client, "Failure getting NodeNames from hostfile");
  return lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
}
