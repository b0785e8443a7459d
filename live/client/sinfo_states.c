/* live/client/sinfo_states.c — the states that sinfo -t asks for.
 *
 * A word may be cut short: it means the first state that begins with it, as in Slurm.  Source:
 * _node_state_id of src/sinfo/opts.c. */
#include <string.h>

#include "live/client/sinfo.h"
#include "live/client/words.h"

/* In Slurm's order. */
static const struct {
  const char *word;
  const char *short_word;
} states[] = {
  { "unknown", "unk" },           { "down", "down" },           { "idle", "idle" },
  { "allocated", "alloc" },       { "error", "err" },           { "mixed", "mix" },
  { "future", "futr" },           { "blocked", "block" },       { "planned", "plnd" },
  { "drain", "drain" },           { "drained", "drained" },     { "reserved", "resv" },
  { "draining", "drng" },         { "completing", "comp" },     { "no_respond", "no_respond" },
  { "powering_down", "pow_dn" },  { "powered_down", "pow_dn" }, { "power_down", "pow_dn" },
  { "powering_up", "pow_up" },    { "fail", "fail" },           { "maint", "maint" },
  { "reboot_requested", "boot" }, { "reboot_issued", "boot" },  { "cloud", "cloud" },
};

static const char *
state_find (const char *word)
{
  gsize bytes = strlen (word);
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    if (g_ascii_strncasecmp (states[i].word, word, bytes) == 0
        || g_ascii_strncasecmp (states[i].short_word, word, bytes) == 0)
      return states[i].word;
  return NULL;
}

static void
refuse (const LkClient *client, const char *word)
{
  g_autoptr (GString) known = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    g_string_append_printf (known, "%s%s", i > 0 ? "," : "", states[i].word);
  lk_client_error (client, "Bad state string: \"%s\"", word);
  lk_client_error (client, "valid states: %s", known->str);
}

gboolean
lk_sinfo_states_parse (const LkClient *client, const char *list, LkSinfoStates *out)
{
  g_auto (GStrv) words = g_strsplit_set (list, ",&", -1);
  *out = (LkSinfoStates){ .words = NULL };
  if (g_ascii_strcasecmp (list, "all") == 0)
    return TRUE;
  out->words = g_ptr_array_new ();
  out->is_all = strchr (list, '&') != NULL;
  for (guint i = 0; words[i] != NULL; i++) {
    const char *found = *words[i] != '\0' ? state_find (words[i]) : NULL;
    if (found != NULL)
      g_ptr_array_add (out->words, (gpointer)found);
    else if (*words[i] != '\0' || words[1] == NULL) {
      refuse (client, words[i]);
      return FALSE;
    }
  }
  return TRUE;
}

void
lk_sinfo_states_clear (LkSinfoStates *self)
{
  g_clear_pointer (&self->words, g_ptr_array_unref);
}

/* Some words are for several: drain is drained and draining, as are fail and its like. */
static gboolean
is_in (const LkNodeRow *row, const char *word)
{
  g_autoptr (GString) shown = g_string_new (NULL);
  gboolean is_drain = (row->node.flags & LK_NODE_DRAIN) != 0;
  lk_node_row_state (row, FALSE, shown);
  shown->str[strcspn (shown->str, "*-")] = '\0';
  if (strcmp (shown->str, word) == 0)
    return TRUE;
  if (strcmp (word, "drain") == 0)
    return is_drain;
  if (strcmp (word, "no_respond") == 0)
    return row->node.is_responding == 0;
  if (strcmp (word, "planned") == 0)
    return row->node.is_planned != 0;
  if (strcmp (word, "completing") == 0)
    return row->node.is_completing != 0;
  if (strcmp (word, "reserved") == 0)
    return row->node.is_reserved != 0;
  if (strcmp (word, "maint") == 0)
    return row->node.is_in_maintenance != 0;
  if (strcmp (word, "down") == 0)
    return (row->node.flags & LK_NODE_DOWN) != 0;
  /* An idle node for which something is planned is idle all the same. */
  return strcmp (word, "idle") == 0 && strcmp (shown->str, "planned") == 0;
}

gboolean
lk_sinfo_states_have (const LkSinfoStates *self, const LkNodeRow *row)
{
  if (self->words == NULL)
    return TRUE;
  for (guint i = 0; i < self->words->len; i++)
    if (is_in (row, g_ptr_array_index (self->words, i)) != self->is_all)
      return !self->is_all;
  return self->is_all;
}

void
lk_sinfo_states_help (const LkClient *client)
{
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    fprintf (client->out, "%s\n", states[i].word);
}
