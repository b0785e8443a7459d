/* live/client/rounds.c — see the header.
 *
 * Source: src/squeue/squeue.c, src/sinfo/sinfo.c, src/common/proc_args.c of Slurm. */
#include "live/client/rounds.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live/client/accounting/accounts.h"
#include "live/client/words.h"

/* ---------------------------------------------------------------- the cluster */

/* What `KEY=VALUE` says in a line; NULL: it says nothing of it. Returns: (transfer full). */
static char *
value_in_line (char *line, const char *key)
{
  g_strstrip (line);
  if (g_ascii_strncasecmp (line, key, strlen (key)) != 0)
    return NULL;
  const char *at = line + strlen (key);
  at += strspn (at, " \t");
  if (*at != '=')
    return NULL;
  at++;
  at += strspn (at, " \t");
  gsize length = strcspn (at, " \t#");
  return length > 0 ? g_strndup (at, length) : NULL;
}

char *
lk_client_conf_value (const LkClient *client, const char *key)
{
  g_autofree char *text = NULL;
  if (client->conf_path == NULL || !g_file_get_contents (client->conf_path, &text, NULL, NULL))
    return NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    char *value = value_in_line (lines[i], key);
    if (value != NULL)
      return value;
  }
  return NULL;
}

char *
lk_client_cluster_name (const LkClient *client)
{
  LkClient silent = *client;
  LkAccounts *accounts = NULL;
  g_autofree char *told = NULL;
  gsize told_bytes;
  char *name = NULL;
  /* Whoever is the first to need the controller tells that there is none. */
  silent.err = open_memstream (&told, &told_bytes);
  if (silent.err != NULL) {
    if (lk_client_accounts_or_none (&silent, &accounts) && accounts != NULL)
      name = g_strdup (accounts->cluster);
    fclose (silent.err);
  }
  g_clear_pointer (&accounts, lk_accounts_free);
  if (name == NULL || *name == '\0') {
    g_free (name);
    name = lk_client_conf_value (client, "ClusterName");
  }
  return name != NULL ? name : g_strdup ("linux");
}

gboolean
lk_client_clusters_check (const LkClient *client, const char *names, char **out_name)
{
  const char *place = "--cluster";
  *out_name = NULL;
  if (names == NULL) {
    names = lk_client_variable (client, "SLURM_CLUSTERS");
    place = "SLURM_CLUSTERS";
  }
  if (names == NULL)
    return TRUE;
  g_autofree char *own = lk_client_cluster_name (client);
  g_auto (GStrv) words = g_strsplit (names, ",", -1);
  gboolean is_it = words[0] != NULL;
  for (guint i = 0; words[i] != NULL; i++)
    is_it =
        is_it
        && (g_ascii_strcasecmp (words[i], "all") == 0 || g_ascii_strcasecmp (words[i], own) == 0);
  if (is_it) {
    *out_name = g_steal_pointer (&own);
    return TRUE;
  }
  lk_client_error (client,
                   "'%s' can't be reached now, or it is an invalid entry for %s.  "
                   "Use 'sacctmgr list clusters' to see available clusters.",
                   names, place);
  fprintf (client->err, "%s: fatal: Could not get cluster information\n", client->command);
  return FALSE;
}

/* ---------------------------------------------------------------- rounds */

static void
print_date (const LkClient *client)
{
  char text[64];
  time_t now = (time_t)(client->now_us / G_USEC_PER_SEC);
  struct tm parts;
  if (localtime_r (&now, &parts) != NULL
      && strftime (text, sizeof text, "%a %b %d %H:%M:%S %Y", &parts) > 0)
    fprintf (client->out, "%s\n", text);
}

/* As atoi(3); 0: it is no period. */
static guint
period_s (const LkClient *client, const char *text)
{
  gint64 value = g_ascii_strtoll (text, NULL, 10);
  if (value > 0 && value <= G_MAXINT)
    return (guint)value;
  lk_client_error (client, "--iterate=%s: expected a number of seconds, 1 or more", text);
  return 0;
}

int
lk_rounds_run (LkClient *client, const LkRounds *rounds,
               int (*report) (LkClient *client, gpointer user), gpointer user)
{
  guint pause_s = rounds->iterate != NULL ? period_s (client, rounds->iterate) : 0;
  g_autofree char *name = NULL;
  int code = 0;
  if ((rounds->iterate != NULL && pause_s == 0)
      || !lk_client_clusters_check (client, rounds->clusters, &name))
    return 1;
  for (;;) {
    gint64 began_us = g_get_monotonic_time ();
    if (!rounds->no_heading && (pause_s > 0 || rounds->tells_date))
      print_date (client);
    if (!rounds->no_heading && name != NULL)
      fprintf (client->out, "CLUSTER: %s\n", name);
    if (report (client, user) != 0)
      code = 1;
    if (pause_s == 0)
      return code;
    /* Who reads may be gone. */
    if (fputc ('\n', client->out) == EOF || fflush (client->out) != 0)
      return 1;
    g_usleep (pause_s * (gulong)G_USEC_PER_SEC);
    client->now_us += g_get_monotonic_time () - began_us;
  }
}
