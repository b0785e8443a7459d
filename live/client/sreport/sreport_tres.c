/* live/client/sreport/sreport_tres.c — which TRES a report is about, and how much of one a node
 * has. */
#include <string.h>

#include "live/client/accounting/accounts.h"
#include "live/client/sreport/sreport.h"

#define MIB (1024.0 * 1024.0)

/* ---------------------------------------------------------------- names */

static gboolean
is_there (const GPtrArray *names, const char *name)
{
  for (guint i = 0; i < names->len; i++)
    if (strcmp (g_ptr_array_index (names, i), name) == 0)
      return TRUE;
  return FALSE;
}

/* Those of a cluster without accounts; GRES are not known by name there. */
static const char *const standard[] = { "cpu", "mem", "node", "billing" };

/* All that there are. Returns: (transfer container). */
static GPtrArray *
known_of (const LkAccounts *accounts)
{
  GPtrArray *names = g_ptr_array_new ();
  for (guint i = 0; accounts != NULL && i < accounts->tres->len; i++)
    g_ptr_array_add (names, g_ptr_array_index (accounts->tres, i));
  for (guint i = 0; accounts == NULL && i < G_N_ELEMENTS (standard); i++)
    g_ptr_array_add (names, (char *)(gpointer)standard[i]);
  return names;
}

/* Written as accounting does. NULL: there is none of this name. */
static const char *
known_find (const GPtrArray *known, gboolean takes_gres, const char *word)
{
  for (guint i = 0; i < known->len; i++)
    if (g_ascii_strcasecmp (g_ptr_array_index (known, i), word) == 0)
      return g_ptr_array_index (known, i);
  return takes_gres && g_str_has_prefix (word, "gres/") ? word : NULL;
}

static void
name_add (LkSreportBook *self, const char *name)
{
  if (name != NULL && self->tres->len < LK_SREPORT_TRES_MAX && !is_there (self->tres, name))
    g_ptr_array_add (self->tres, g_strdup (name));
}

gboolean
lk_sreport_tres_read (LkSreportBook *self, const LkSreport *report)
{
  if (report->tres_list == NULL) {
    name_add (self, "cpu");
    return TRUE;
  }
  g_autoptr (LkAccounts) accounts = NULL;
  g_auto (GStrv) words = g_strsplit (report->tres_list, ",", -1);
  if (!lk_client_accounts_or_none (report->client, &accounts))
    return FALSE;
  g_autoptr (GPtrArray) known = known_of (accounts);
  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], "all") == 0)
      for (guint t = 0; t < known->len; t++)
        name_add (self, g_ptr_array_index (known, t));
    else
      name_add (self, known_find (known, accounts == NULL, words[i]));
  if (self->tres->len > 0)
    return TRUE;
  fprintf (report->client->err, "sreport: fatal: No valid TRES given\n");
  return FALSE;
}

/* ---------------------------------------------------------------- nodes */

/* Of "gpu:a100:4,shard:8": "gpu" 4, "gpu:a100" 4. */
static double
gres_amount (const LkRecord_node *node, const char *wanted)
{
  g_autofree char *list = g_strndup (node->gres.bytes, node->gres.length_bytes);
  g_auto (GStrv) items = g_strsplit (list, ",", -1);
  gsize length = strlen (wanted);
  double sum = 0;
  for (guint i = 0; items[i] != NULL; i++) {
    const char *count = strrchr (items[i], ':');
    if (count != NULL && strncmp (items[i], wanted, length) == 0 && items[i][length] == ':')
      sum += g_ascii_strtod (count + 1, NULL);
  }
  return sum;
}

double
lk_sreport_node_amount (const LkRecord_node *node, const char *tres)
{
  if (strcmp (tres, "cpu") == 0 || strcmp (tres, "billing") == 0)
    return node->cpus;
  if (strcmp (tres, "mem") == 0)
    return (double)node->memory_bytes / MIB;
  if (strcmp (tres, "node") == 0)
    return 1;
  return g_str_has_prefix (tres, "gres/") ? gres_amount (node, tres + strlen ("gres/")) : 0;
}
