/* live/client/scontrol/node_reason.c — see the header.
 *
 * Each node is set anew to what it is, with the other reason: drained nodes are drained, those that
 * are down are set down.  But to set a node down says that nothing runs there any more, too: of one
 * that is silent nobody has said so by giving another reason, and a job of it could run twice.
 *
 * Source: scontrol(1). */
#include "live/client/scontrol/node_reason.h"

#include <string.h>

#include "engine/cluster.h"
#include "engine/hostlist.h"
#include "engine/policy.h"
#include "live/client/refusal.h"
#include "live/client/scontrol/scontrol.h"

typedef struct {
  GPtrArray *asked; /* names */
  GHashTable *left; /* those of them that were not told of yet */
  GPtrArray *down;  /* names, of `asked` */
  GPtrArray *drained;
  const char *in_service; /* one that is; NULL: none */
  const char *silent;     /* likewise, that is down */
} Nodes;

static void
nodes_init (Nodes *self)
{
  *self = (Nodes){ .asked = g_ptr_array_new_with_free_func (g_free),
                   .left = g_hash_table_new (g_str_hash, g_str_equal),
                   .down = g_ptr_array_new (),
                   .drained = g_ptr_array_new () };
}

static void
nodes_clear (Nodes *self)
{
  g_hash_table_unref (self->left);
  g_ptr_array_unref (self->down);
  g_ptr_array_unref (self->drained);
  g_ptr_array_unref (self->asked);
}

static void
node_take (gpointer user, const LkRecord *record)
{
  Nodes *self = user;
  const LkRecord_node *node = &record->node;
  g_autofree char *name = g_strndup (node->name.bytes, node->name.length_bytes);
  char *asked = g_hash_table_lookup (self->left, name);
  if (asked == NULL)
    return;
  g_hash_table_remove (self->left, asked);
  if ((node->flags & LK_NODE_DOWN) == 0 && (node->flags & LK_NODE_DRAIN) == 0)
    self->in_service = asked;
  else if ((node->flags & LK_NODE_DOWN) == 0)
    g_ptr_array_add (self->drained, asked);
  else if (node->is_responding == 0)
    self->silent = asked;
  else
    g_ptr_array_add (self->down, asked);
}

static int
refused (const LkClient *client, LkReject reject)
{
  fprintf (client->err, "slurm_update error: %s\n", lk_refusal_admin_text (reject));
  return LK_SCONTROL_FAILURE;
}

/* What they are keeps some from having another reason. */
static int
state_refused (const LkClient *client, const Nodes *nodes)
{
  refused (client, LK_REJECT_NODE_STATE);
  if (nodes->in_service != NULL)
    fprintf (client->err, "node '%s' is in service; expected State=DRAIN, DOWN or FAIL, too\n",
             nodes->in_service);
  else
    fprintf (client->err,
             "node '%s' is down and silent; expected State=DOWN, too, if nothing runs there\n",
             nodes->silent);
  return LK_SCONTROL_FAILURE;
}

/* FALSE: told. */
static gboolean
nodes_tell (LkClient *client, const GPtrArray *names, LkEventKind kind, const char *reason)
{
  g_autoptr (GString) list = g_string_new (NULL);
  LkEvent event = { .kind = kind };
  guint reject;
  if (names->len == 0)
    return TRUE;
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, list);
  if (kind == LK_EVENT_NODE_DOWN)
    event.node_down =
        (LkEvent_node_down){ .node = lk_text (list->str), .reason = lk_text (reason) };
  else
    event.node_drain =
        (LkEvent_node_drain){ .node = lk_text (list->str), .reason = lk_text (reason) };
  if (!lk_scontrol_send (client, &event, &reject))
    return FALSE;
  if (reject != 0)
    refused (client, (LkReject)reject);
  return reject == 0;
}

static int
work (LkClient *client, const char *list, const char *reason, Nodes *nodes)
{
  LkClientQuery query = { .kind = LK_RECORD_NODE };
  g_autoptr (GError) error = NULL;
  if (!lk_hostlist_expand (list, strlen (list), nodes->asked, NULL))
    return refused (client, LK_REJECT_NODE_UNKNOWN);
  for (guint i = 0; i < nodes->asked->len; i++)
    g_hash_table_add (nodes->left, g_ptr_array_index (nodes->asked, i));
  if (!lk_client_query (client, &query, node_take, nodes, &error)) {
    fprintf (client->err, "%s\n", error->message);
    return LK_SCONTROL_FAILURE;
  }
  if (g_hash_table_size (nodes->left) > 0)
    return refused (client, LK_REJECT_NODE_UNKNOWN);
  if (nodes->in_service != NULL || nodes->silent != NULL)
    return state_refused (client, nodes);
  return nodes_tell (client, nodes->drained, LK_EVENT_NODE_DRAIN, reason)
                 && nodes_tell (client, nodes->down, LK_EVENT_NODE_DOWN, reason)
             ? 0
             : LK_SCONTROL_FAILURE;
}

int
lk_scontrol_node_reason (LkClient *client, const LkCommand *command)
{
  const char *list = lk_command_value (command, "nodename");
  Nodes nodes;
  nodes_init (&nodes);
  int code = work (client, list != NULL ? list : "", lk_command_value (command, "reason"), &nodes);
  nodes_clear (&nodes);
  return code;
}
