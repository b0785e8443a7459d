/* live/client/scontrol/show.c — what scontrol can show: the table, and lists of names of nodes. */
#include <string.h>

#include "engine/hostlist.h"
#include "live/client/json/steps.h"
#include "live/client/scontrol/show.h"

/* ---------------------------------------------------------------- lists of names */

/* The names of all words; "[]" has none. FALSE: told. */
static gboolean
names_read (const LkClient *client, char **words, GPtrArray *out_names)
{
  for (guint i = 0; words[i] != NULL; i++) {
    const char *wrong = NULL;
    if (strcmp (words[i], "[]") == 0
        || lk_hostlist_expand_printed (words[i], strlen (words[i]), out_names, &wrong))
      continue;
    fprintf (client->err, "Invalid hostlist: %s\n", words[i]);
    return FALSE;
  }
  return TRUE;
}

static int
show_hostnames (LkClient *client, const LkScontrolOptions *options, char **words)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *own = lk_client_variable (client, "SLURM_JOB_NODELIST");
  char *given[] = { (char *)own, NULL };
  (void)options;
  if (words[0] == NULL && own == NULL) {
    fprintf (client->err, "no hostlist provided\n");
    return LK_SCONTROL_FAILURE;
  }
  if (!names_read (client, words[0] != NULL ? words : given, names))
    return LK_SCONTROL_FAILURE;
  for (guint i = 0; i < names->len; i++)
    fprintf (client->out, "%s\n", (const char *)g_ptr_array_index (names, i));
  return 0;
}

/* Names without a file of them. FALSE: told. */
static gboolean
list_open (LkClient *client, char **words, GPtrArray *out_names)
{
  gsize length_bytes;
  g_autofree char *text = NULL;
  if (words[0] == NULL) {
    fprintf (client->err, "invalid hostlist: (null)\n");
    return FALSE;
  }
  if (words[0][0] != '/')
    return names_read (client, words, out_names);
  if (!g_file_get_contents (words[0], &text, &length_bytes, NULL)) {
    fprintf (client->err, "Unable to open %s\n", words[0]);
    return FALSE;
  }
  g_auto (GStrv) lines = g_strsplit_set (g_strstrip (text), " \t\r\n", -1);
  return names_read (client, lines, out_names);
}

static gint
name_compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static int
list_print (LkClient *client, char **words, gboolean is_sorted)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) list = g_string_new (NULL);
  if (!list_open (client, words, names))
    return LK_SCONTROL_FAILURE;
  if (is_sorted)
    g_ptr_array_sort (names, name_compare);
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, list);
  fprintf (client->out, "%s\n", list->str);
  return 0;
}

static int
show_hostlist (LkClient *client, const LkScontrolOptions *options, char **words)
{
  (void)options;
  return list_print (client, words, FALSE);
}

static int
show_hostlistsorted (LkClient *client, const LkScontrolOptions *options, char **words)
{
  (void)options;
  return list_print (client, words, TRUE);
}

/* ---------------------------------------------------------------- the table */

const LkScontrolShow lk_scontrol_shows[] = {
  { "assoc_mgr", "", lk_show_assoc, FALSE,
    "users, associations and QOS, their limits and what counts" },
  { "config", "", lk_show_config, FALSE, "the configuration" },
  { "daemons", "", lk_show_daemons, FALSE, "the daemons that are to run on this host" },
  { "hostnames", " hostname ", show_hostnames, FALSE, "the names of a list, one a line" },
  { "hostlist", "", show_hostlist, FALSE, "names as the shortest list" },
  { "hostlistsorted", "", show_hostlistsorted, FALSE, "the same, sorted" },
  { "job", " jobs jobid ", lk_show_jobs, TRUE, "a job, an array or its task ID_TASK; all" },
  { "licenses", " license lic ", lk_show_licenses, TRUE, "licences, and how many are used" },
  { "node", " nodes nodename ", lk_show_nodes, TRUE, "nodes of a list; all" },
  { "partition", " partitions partitionname ", lk_show_partitions, TRUE, "a partition; all" },
  { "reservation", " reservations reservationname ", lk_show_reservations, TRUE,
    "an advance reservation; all" },
  { "steps", " step ", lk_show_steps, FALSE, "a step ID.STEP, or those of a job; all" },
  { "topology", " topo ", lk_show_topology, FALSE, "switches or blocks; those of a node" },
  { NULL, NULL, NULL, FALSE, NULL },
};

/* Names may be cut short while they mean one thing. */
static const LkScontrolShow *
show_find (const char *word)
{
  g_autofree char *lower = g_ascii_strdown (word, -1);
  g_autofree char *whole = g_strdup_printf (" %s ", lower);
  const LkScontrolShow *found = NULL;
  guint count = 0;
  for (const LkScontrolShow *at = lk_scontrol_shows; at->name != NULL; at++) {
    if (strcmp (at->name, lower) == 0 || strstr (at->other_names, whole) != NULL)
      return at;
    if (strlen (lower) >= 3 && g_str_has_prefix (at->name, lower)) {
      found = at;
      count++;
    }
  }
  return count == 1 ? found : NULL;
}

/* "step", "steps", with --json; as a table they are shown elsewhere. */
static gboolean
is_steps (const char *word)
{
  return g_ascii_strcasecmp (word, "step") == 0 || g_ascii_strcasecmp (word, "steps") == 0;
}

int
lk_scontrol_show (LkClient *client, const LkScontrolOptions *options, char **words)
{
  if (words[0] == NULL) {
    fprintf (client->err, "too few arguments for keyword:show\n");
    return LK_SCONTROL_FAILURE;
  }
  if (options->json.is_wanted && is_steps (words[0]))
    return lk_json_steps (client, &options->json, words[1]) ? 0 : LK_SCONTROL_FAILURE;
  /* "ReservationName=r1" is "ReservationName r1". */
  char *value = strchr (words[0], '=');
  char *named[] = { value != NULL ? value + 1 : NULL, NULL };
  g_autofree char *kind = g_strndup (words[0], (gsize)(strcspn (words[0], "=")));
  const LkScontrolShow *show = show_find (kind);
  if (show == NULL) {
    fprintf (client->err, "invalid entity:%s for keyword:show \n", words[0]);
    return LK_SCONTROL_FAILURE;
  }
  if (options->json.is_wanted && !show->has_json) {
    lk_client_error (client,
                     "show %s has no JSON; job, node, partition, reservation and licenses have",
                     show->name);
    return LK_SCONTROL_FAILURE;
  }
  return show->run (client, options, value != NULL ? named : words + 1);
}
