/* live/core/controller_reconfigure.c — the configuration is read anew, or changed by who may do
 * that, and comes into force as an event.
 *
 * Reading, the engine's look at it and the event are one step, at the place of requests in the
 * order of an instant, so that nothing happens in between.  What is wrong is told whole, and
 * changes nothing.  Agents hear that there is something to be read anew when the event is durable.
 *
 * Nodes are known here by their numbers, too; they are found again by their names.  A node that has
 * come is down until its agent registers. */
#include <string.h>

#include "engine/assert.h"
#include "engine/changed_config.h"
#include "engine/hostlist.h"
#include "live/core/controller_private.h"

/* ---------------------------------------------------------------- nodes by their numbers */

static void
node_init (LkControllerNode *node, const char *name)
{
  *node = (LkControllerNode){ .name = g_strdup (name),
                              .runs = g_ptr_array_new (),
                              .strays = g_array_new (FALSE, FALSE, sizeof (guint64)) };
}

void
lk_controller_node_clear (LkControllerNode *node)
{
  g_free (node->name);
  g_ptr_array_unref (node->runs);
  g_array_unref (node->strays);
}

static const char *
name_at (const LkNodeTable *table, guint32 node)
{
  return table != NULL ? table->names[node] : "";
}

static gboolean
is_matched (const LkController *self, const LkNodeTable *table, guint32 count)
{
  if (self->nodes == NULL || count != self->node_count)
    return FALSE;
  for (guint32 i = 0; i < count; i++)
    if (strcmp (self->nodes[i].name, name_at (table, i)) != 0)
      return FALSE;
  return TRUE;
}

/* A run that is over has no part on a node that is gone: it is not waited for. */
static void
renumber_run (LkRun *run, const guint32 *to)
{
  guint32 count = 0;
  for (guint32 i = 0; i < run->node_count; i++) {
    guint32 node = to[run->nodes[i].node];
    if (node == LK_INDEX_NONE)
      continue;
    run->nodes[count] = run->nodes[i];
    run->nodes[count++].node = node;
  }
  run->node_count = count;
  lk_run_steps_renumber (run, to);
}

/* Numbers before, to those of now.  One without a node is left only in recovery, and goes there. */
static void
renumber_runs (LkController *self, const guint32 *to)
{
  for (LkRun *run = self->run_first; run != NULL; run = run->next) {
    renumber_run (run, to);
    lk_run_stir (self, run);
  }
}

static void
drop_node (LkController *self, LkControllerNode *node)
{
  self->ready_count -= node->is_ready ? 1 : 0;
  self->stray_count -= node->strays->len;
  lk_controller_node_clear (node);
}

/* Nobody has heard of it yet. In recovery that it is down is in the journal. */
static void
welcome (LkController *self, guint32 index)
{
  self->nodes[index].heard_us = self->clock_us;
  if (!self->is_recovering && self->is_open)
    lk_controller_post_awaited (self, index);
}

void
lk_controller_match_nodes (LkController *self)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  guint32 count = table != NULL ? table->node_count : 1;
  guint32 before_count = self->node_count;
  LkControllerNode *before = self->nodes;
  g_clear_pointer (&self->addresses, lk_node_addresses_free);
  if (is_matched (self, table, count))
    return;
  g_autofree guint32 *to = g_new (guint32, before_count + 1);
  g_autofree gboolean *is_new = g_new (gboolean, count);
  self->nodes = g_new0 (LkControllerNode, count);
  self->node_count = count;
  memset (is_new, TRUE, count * sizeof *is_new);
  for (guint32 i = 0; i < before_count; i++) {
    to[i] = table != NULL ? lk_node_table_find (table, before[i].name, strlen (before[i].name)) : 0;
    if (to[i] == LK_INDEX_NONE)
      continue;
    self->nodes[to[i]] = before[i];
    is_new[to[i]] = FALSE;
  }
  for (guint32 i = 0; i < count; i++)
    if (is_new[i])
      node_init (&self->nodes[i], name_at (table, i));
  renumber_runs (self, to);
  for (guint32 i = 0; i < before_count; i++)
    if (to[i] == LK_INDEX_NONE)
      drop_node (self, &before[i]);
  g_free (before);
  for (guint32 i = 0; before_count > 0 && i < count; i++)
    if (is_new[i])
      welcome (self, i);
  self->has_fence_lifted = TRUE;
}

/* ---------------------------------------------------------------- what is in force */

/* Both as the headers of journals, but for what does not belong to the configuration. */
static gboolean
is_in_force (const LkController *self, const LkJournalHeader *wanted)
{
  LkJournalHeader headers[2] = { *self->config.header, *wanted };
  GByteArray *bytes[2] = { g_byte_array_new (), g_byte_array_new () };
  g_autoptr (GString) accounts = g_string_new (NULL);
  lk_engine_config_described (self->engine, &headers[0]);
  if (lk_engine_accounts (self->engine) != NULL)
    lk_accounts_text (lk_engine_accounts (self->engine), accounts);
  headers[0].accounts = (LkLongText){ accounts->str, (guint32)accounts->len };
  for (guint i = 0; i < 2; i++) {
    headers[i].source = headers[i].engine_version = lk_text ("");
    headers[i].config_digest_low = headers[i].config_digest_high = 0;
    lk_journal_header_encode (&headers[i], bytes[i]);
  }
  gboolean is_same =
      bytes[0]->len == bytes[1]->len && memcmp (bytes[0]->data, bytes[1]->data, bytes[0]->len) == 0;
  g_byte_array_unref (bytes[0]);
  g_byte_array_unref (bytes[1]);
  return is_same;
}

/* ---------------------------------------------------------------- what keeps it from that */

static GHashTable *
names_of (const LkCluster *cluster)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; cluster != NULL && i < cluster->nodes->len; i++) {
    const LkNodeSpec *spec = g_ptr_array_index (cluster->nodes, i);
    g_autoptr (GPtrArray) list = g_ptr_array_new ();
    lk_hostlist_expand (spec->names, strlen (spec->names), list, NULL);
    for (guint at = 0; at < list->len; at++)
      g_hash_table_add (names, g_ptr_array_index (list, at));
  }
  return names;
}

/* The engine knows of no run that is over for it; here one may still live, or be acknowledged. */
static void
look_at_runs (const LkController *self, const LkEngineConfig *wanted, GPtrArray *problems)
{
  GHashTable *names = names_of (wanted->cluster);
  for (guint32 i = 0; wanted->cluster != NULL && i < self->node_count; i++) {
    const LkControllerNode *node = &self->nodes[i];
    if (g_hash_table_contains (names, node->name))
      continue;
    for (guint at = 0; at < node->runs->len; at++) {
      const LkRun *run = g_ptr_array_index (node->runs, at);
      if (run->end_seq != 0)
        g_ptr_array_add (problems,
                         g_strdup_printf ("node '%s' cannot go: a run of job %u has not ended "
                                          "there for its agent",
                                          node->name, run->job_id));
    }
    if (node->strays->len > 0)
      g_ptr_array_add (problems,
                       g_strdup_printf ("node '%s' cannot go: something runs there that is not "
                                        "known here",
                                        node->name));
  }
  g_hash_table_destroy (names);
}

/* ---------------------------------------------------------------- the event */

static void
take_ways (LkController *self, const LkPortSiteWays *ways)
{
  self->config.heartbeat_us = ways->heartbeat_us;
  self->config.node_timeout_us = ways->node_timeout_us;
  self->config.registration_wait_us = ways->registration_wait_us;
  self->config.kill_wait_us = ways->kill_wait_us;
  self->config.users_may_top = ways->users_may_top;
  self->config.keeps_silent_down = ways->keeps_silent_down;
  self->config.keeps_rebooted_down = ways->keeps_rebooted_down;
  self->config.returns_all = ways->returns_all;
  self->config.hides_journal = ways->hides_journal;
  self->config.bounds = ways->bounds;
}

/* Of a configuration that nothing keeps from coming into force. */
static void
apply_event (LkController *self, const LkJournalHeader *header, GPtrArray *problems)
{
  LkEvent event = { .kind = LK_EVENT_RECONFIGURE, .time_us = self->engine_us };
  LkMessage_reply reply = { 0 };
  lk_log_reconfigure (self, header);
  lk_reconfigure_set_header (&event.reconfigure, header);
  self->answering = &reply;
  lk_controller_apply (self, &event);
  self->answering = NULL;
  if (reply.error != 0)
    g_ptr_array_add (problems, g_strdup (lk_reject_text (reply.error)));
}

static void
apply_config (LkController *self, const LkPortSiteRead *read, GPtrArray *problems)
{
  look_at_runs (self, read->engine, problems);
  lk_engine_try_config (self->engine, read->header, problems);
  if (problems->len == 0)
    apply_event (self, read->header, problems);
}

static void
answer (LkController *self, const LkInboxEntry *entry, LkReject error, const GPtrArray *problems)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LkMessage message = { .kind = LK_MESSAGE_RECONFIGURED };
  for (guint i = 0; i < problems->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "",
                            (const char *)g_ptr_array_index (problems, i));
  message.reconfigured = (LkMessage_reconfigured){
    .request = entry->request,
    .error = (guint16)error,
    .seq = self->seq,
    .problems = { text->str, (guint32)text->len },
  };
  if (entry->is_asked)
    lk_controller_send_after (self, entry->peer, self->seq, &message);
}

/* ---------------------------------------------------------------- a change of what is in force */

static LkReject
change_cluster (LkController *self, const LkClusterChange *change, GPtrArray *problems)
{
  LkChangedConfig changed;
  LkReject reject =
      lk_changed_config_init (&changed, self->engine, self->config.header, change, problems);
  if (reject == 0 && changed.is_changed)
    apply_event (self, &changed.header, problems);
  lk_changed_config_clear (&changed);
  return reject == 0 && problems->len > 0 ? LK_REJECT_CONFIGURATION : reject;
}

static void
apply_change (LkController *self, const LkInboxEntry *entry)
{
  LkMessage message;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  gboolean is_read = lk_message_decode (entry->bytes->data, entry->bytes->len, &message);
  LK_ASSERT (is_read); /* it was encoded from a message that had come */
  const LkMessage_reconfigure *asked = &message.reconfigure;
  const LkClusterChange change = { .operation = asked->operation,
                                   .name = asked->name,
                                   .changes = asked->changes,
                                   .record = asked->record };
  LkReject error = change_cluster (self, &change, problems);
  lk_log_change (self, entry->user_id, &change, error);
  answer (self, entry, error, problems);
}

/* ---------------------------------------------------------------- requests */

void
lk_controller_apply_reconfigure (LkController *self, const LkInboxEntry *entry)
{
  if (entry->bytes->len > 0) {
    apply_change (self, entry);
    return;
  }
  const LkPortSite *site = &self->ports.site;
  lk_log_reading (self, entry);
  LkPortSiteRead read = { 0 };
  guint64 before = self->seq;
  LkReject error = 0;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  if (site->ops == NULL)
    g_ptr_array_add (problems, g_strdup ("this controller reads its configuration only once"));
  else if (!site->ops->read (site->self, lk_engine_accounts (self->engine), &read, problems))
    error = LK_REJECT_CONFIGURATION_WRONG;
  else if (!is_in_force (self, read.header))
    apply_config (self, &read, problems);
  if (error == 0 && problems->len > 0)
    error = LK_REJECT_CONFIGURATION;
  if (error == 0) {
    gboolean is_changed =
        self->seq != before || (self->has_settings && self->settings != read.settings);
    take_ways (self, &read.ways);
    self->settings = read.settings;
    self->has_settings = TRUE;
    if (is_changed || entry->is_asked)
      lk_reload_begin (self);
  }
  answer (self, entry, error, problems);
  if (site->ops != NULL)
    site->ops->settled (site->self, error == 0, problems);
}

/* `asked` with a change; NULL: the files are to be read. */
static void
post (LkController *self, LkInboxEntry *entry, const LkMessage_reconfigure *asked)
{
  const LkMessage message = { .kind = LK_MESSAGE_RECONFIGURE,
                              .reconfigure =
                                  asked != NULL ? *asked : (LkMessage_reconfigure){ 0 } };
  entry->rank = lk_event_rank (LK_EVENT_RECONFIGURE);
  entry->arrival = self->inbox->len;
  entry->is_reconfigure = TRUE;
  entry->bytes = g_byte_array_new ();
  if (asked != NULL)
    lk_message_encode (&message, entry->bytes);
  g_array_append_val (self->inbox, *entry);
}

void
lk_controller_reconfigure (LkController *self)
{
  LkInboxEntry entry = { 0 };
  post (self, &entry, NULL);
}

void
lk_controller_take_reconfigure (LkController *self, const LkPeer *peer,
                                const LkMessage_reconfigure *message)
{
  LkInboxEntry entry = {
    .is_asked = TRUE, .peer = peer->id, .user_id = peer->user_id, .request = message->request
  };
  post (self, &entry, message->operation != LK_CLUSTER_CHANGE_NONE ? message : NULL);
}

void
lk_controller_refuse_reconfigure (LkController *self, const LkPeer *peer,
                                  const LkMessage_reconfigure *message)
{
  LkMessage refusal = { .kind = LK_MESSAGE_RECONFIGURED };
  refusal.reconfigured =
      (LkMessage_reconfigured){ .request = message->request, .error = LK_REJECT_PERMISSION };
  lk_controller_send (self, peer->id, &refusal);
}
