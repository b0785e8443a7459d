/* live/client/queue/sinfo_states.c — the states that sinfo -t asks for.
 *
 * A word may be cut short: it means the first state that begins with it, as in Slurm.  Source:
 * _node_state_id of src/sinfo/opts.c. */
#include <string.h>

#include "live/client/queue/sinfo.h"
#include "live/client/words.h"

#define NOT '!'
#define BASE_BITS 0xfu
#define BASE_IDLE 2u
#define BASE_ALLOCATED 3u
#define BASE_MIXED 5u

/* In the order in which Slurm looks for a word. */
static const struct {
  const char *word; /* behind the sign of its opposite */
  const char *short_word;
} states[] = {
  { "!unknown", "unk" },
  { "!down", "down" },
  { "!idle", "idle" },
  { "!allocated", "alloc" },
  { "!error", "err" },
  { "!mixed", "mix" },
  { "!future", "futr" },
  { "!blocked", "block" },
  { "!invalid_reg", "inval" },
  { "!planned", "plnd" },
  { "!drain", "drain" },
  { "!drained", "drained" },
  { "!reserved", "resv" },
  { "!draining", "drng" },
  { "!dynamic_future", "dyn_ftr" },
  { "!dynamic_norm", "dyn_norm" },
  { "!completing", "comp" },
  { "!no_respond", "no_respond" },
  { "!power_up", "pow_up" },
  { "!powering_down", "pow_dn" },
  { "!powered_down", "pow_dn" },
  { "!power_down", "pow_dn" },
  { "!powering_up", "pow_up" },
  { "!fail", "fail" },
  { "!maint", "maint" },
  { "!reboot_requested", "boot" },
  { "!reboot_issued", "boot" },
  { "!cloud", "cloud" },
  { "!external", "ext" },
};

/* As Slurm lists them. */
#define STATES_KNOWN                                                                               \
  "unknown,down,idle,allocated,mixed,future,drain,drained,draining,no_respond,reserved,planned,"   \
  "blocked,cloud,completing,powering_down,powered_down,power_down,powering_up,power_up,inval,"     \
  "fail,maint,reboot,reboot^,external,dynamic_future,dynamic_norm"

static const char *
state_find (const char *word)
{
  gsize bytes = strlen (word);
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    if (g_ascii_strncasecmp (states[i].word + 1, word, bytes) == 0
        || g_ascii_strncasecmp (states[i].short_word, word, bytes) == 0)
      return states[i].word + 1;
  return NULL;
}

static void
refuse (const LkClient *client, const char *word)
{
  lk_client_error (client, "Bad state string: \"%s\"", word);
  lk_client_error (client, "valid states: %s", STATES_KNOWN);
}

gboolean
lk_sinfo_states_parse (const LkClient *client, const char *list, LkSinfoStates *out)
{
  g_auto (GStrv) words = g_strsplit_set (list, ",&+", -1);
  *out = (LkSinfoStates){ .words = NULL };
  if (g_ascii_strcasecmp (list, "all") == 0)
    return TRUE;
  out->words = g_ptr_array_new ();
  out->is_all = strpbrk (list, "&+") != NULL;
  for (guint i = 0; words[i] != NULL; i++) {
    gboolean is_not = *words[i] != '\0' && strchr ("~!", *words[i]) != NULL;
    const char *word = words[i] + (is_not ? 1 : 0);
    const char *found = *word != '\0' ? state_find (word) : NULL;
    if (found != NULL)
      g_ptr_array_add (out->words, (gpointer)(is_not ? found - 1 : found));
    else if (*word != '\0' || words[1] == NULL) {
      refuse (client, word);
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

/* Slurm's base state, whatever flags there are beside it. */
static guint32
base_of (const LkNodeRow *row)
{
  guint32 base = lk_node_row_state_number (row) & BASE_BITS;
  return base == BASE_MIXED && row->node.cpus_allocated >= row->node.cpus_usable ? BASE_ALLOCATED
                                                                                 : base;
}

/* Words of base states mean all that have it, with what flags ever; "allocated" is where anything
 * runs (src/sinfo/sinfo.c, _filter_node_state). */
static gboolean
is_in (const LkNodeRow *row, const char *word)
{
  g_autoptr (GString) shown = g_string_new (NULL);
  const struct {
    const char *word;
    gboolean is_so;
  } known[] = {
    { "idle", base_of (row) == BASE_IDLE },
    { "down", (row->node.flags & LK_NODE_DOWN) != 0 },
    { "mixed", base_of (row) == BASE_MIXED },
    { "allocated", row->node.cpus_allocated > 0 },
    { "drain", (row->node.flags & LK_NODE_DRAIN) != 0 },
    { "fail", (row->node.flags & LK_NODE_FAIL) != 0 },
    { "no_respond", row->node.is_responding == 0 },
    { "planned", row->node.is_planned != 0 },
    { "completing", row->node.is_completing != 0 },
    { "reserved", row->node.is_reserved != 0 },
    { "maint", row->node.is_in_maintenance != 0 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i].word, word) == 0)
      return known[i].is_so;
  lk_node_row_state (row, FALSE, shown);
  shown->str[strcspn (shown->str, "*-")] = '\0';
  return strcmp (shown->str, word) == 0;
}

static gboolean
wants (const LkNodeRow *row, const char *word)
{
  return *word == NOT ? !is_in (row, word + 1) : is_in (row, word);
}

gboolean
lk_sinfo_states_have (const LkSinfoStates *self, const LkNodeRow *row)
{
  if (self->words == NULL)
    return TRUE;
  for (guint i = 0; i < self->words->len; i++)
    if (wants (row, g_ptr_array_index (self->words, i)) != self->is_all)
      return !self->is_all;
  return self->is_all;
}

void
lk_sinfo_states_help (const LkClient *client)
{
  g_auto (GStrv) words = g_strsplit (STATES_KNOWN, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    fprintf (client->out, "%s\n", words[i]);
}
