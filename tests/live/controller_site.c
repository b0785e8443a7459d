/* tests/live/controller_site.c — see the header. */
#include "tests/live/controller_site.h"

#include <string.h>

#include "engine/assert.h"
#include "live/core/log_limit.h"
#include "engine/checked.h"
#include "live/port/port_term_sim.h"

/* ---------------------------------------------------------------- clock */

static gint64
clock_monotonic_us (void *data)
{
  return ((ControlSite *)data)->monotonic_us;
}

static gint64
clock_realtime_us (void *data)
{
  ControlSite *self = data;
  self->realtime_us = lk_time_add_us (self->realtime_us, self->work_us);
  return self->realtime_us;
}

static void
clock_wake_at_us (void *data, gint64 at_us)
{
  ((ControlSite *)data)->wake_us = at_us;
}

static const LkPortClockOps clock_ops = { .size = sizeof (LkPortClockOps),
                                          .monotonic_us = clock_monotonic_us,
                                          .realtime_us = clock_realtime_us,
                                          .wake_at_us = clock_wake_at_us };

/* ---------------------------------------------------------------- net */

static void
sent_free (gpointer data)
{
  ControlSent *sent = data;
  g_byte_array_unref (sent->bytes);
  g_free (sent);
}

static gboolean
is_well (const ControlSite *self)
{
  return self->core == NULL || lk_controller_failure (self->core) == LK_CONTROLLER_OK;
}

/* The number of the last event that a journal holds, whole. */
static guint64
last_event (const GByteArray *journal)
{
  LkJournalHeader header;
  LkEvent event;
  const char *fault;
  guint64 seq = 0;
  if (journal == NULL)
    return 0;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal->data, journal->len, &header, &fault);
  while (reader != NULL && lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    seq = event.seq;
  return seq;
}

static gboolean
net_send (void *data, LkPeerId peer, const guint8 *bytes, gsize length_bytes)
{
  ControlSite *self = data;
  LkMessage message;
  LK_ASSERT (is_well (self));
  LK_ASSERT (length_bytes <= LK_MESSAGE_MAX_BYTES);
  LK_ASSERT (lk_message_decode (bytes, length_bytes, &message));
  if (message.kind == LK_MESSAGE_REPLY && !self->is_forged)
    LK_ASSERT (message.reply.seq <= last_event (control_file (self, LK_CONTROLLER_JOURNAL)));
  if (message.kind == LK_MESSAGE_REGISTERED && peer <= CONTROL_NODES)
    self->epochs[peer - CONTROL_AGENT_PEER (0)] = message.registered.epoch;
  if (message.kind == LK_MESSAGE_JOURNAL)
    self->standby_epoch = message.journal.epoch;
  ControlSent *sent = g_new (ControlSent, 1);
  *sent = (ControlSent){ peer, g_byte_array_new () };
  g_byte_array_append (sent->bytes, bytes, (guint)length_bytes);
  g_ptr_array_add (self->sent, sent);
  return TRUE;
}

static void
net_cut (void *data, LkPeerId peer)
{
  ControlSite *self = data;
  LK_ASSERT (is_well (self));
  self->cut_peer = peer;
}

static const LkPortNetOps net_ops = { .size = sizeof (LkPortNetOps),
                                      .send = net_send,
                                      .cut = net_cut };

/* ---------------------------------------------------------------- log */

static LkLogLevel
site_log_level (void *data)
{
  return ((const ControlSite *)data)->log_level;
}

static void
site_log_set_level (void *data, LkLogLevel level)
{
  ((ControlSite *)data)->log_level = level;
}

static void
site_log_write (void *data, LkLogTopic topic, LkLogLevel level, const char *line)
{
  ControlSite *self = data;
  g_assert_cmpuint (level, <=, self->log_level);
  g_string_append_printf (self->log, "%s %s: %s\n", lk_log_topic_name (topic),
                          lk_log_level_name (level), line);
}

static const LkPortLogOps log_ops = { .size = sizeof (LkPortLogOps),
                                      .level = site_log_level,
                                      .set_level = site_log_set_level,
                                      .write = site_log_write };

/* ---------------------------------------------------------------- disk */

static void
file_free (gpointer data)
{
  ControlFile *file = data;
  g_free (file->name);
  g_byte_array_unref (file->bytes);
  g_free (file);
}

static void
write_free (gpointer data)
{
  ControlWrite *request = data;
  if (request->bytes != NULL)
    g_byte_array_unref (request->bytes);
  g_free (request);
}

GByteArray *
control_file (const ControlSite *self, const char *name)
{
  for (guint i = 0; i < self->files->len; i++) {
    const ControlFile *file = g_ptr_array_index (self->files, i);
    if (strcmp (file->name, name) == 0)
      return file->bytes;
  }
  return NULL;
}

void
control_remove_file (ControlSite *self, const char *name)
{
  for (guint i = 0; i < self->files->len; i++)
    if (strcmp (((ControlFile *)g_ptr_array_index (self->files, i))->name, name) == 0) {
      g_ptr_array_remove_index (self->files, i);
      return;
    }
}

void
control_set_file (ControlSite *self, const char *name, const guint8 *bytes, gsize length_bytes)
{
  ControlFile *file = g_new (ControlFile, 1);
  *file = (ControlFile){ g_strdup (name), g_byte_array_new () };
  if (length_bytes > 0)
    g_byte_array_append (file->bytes, bytes, (guint)length_bytes);
  control_remove_file (self, name);
  g_ptr_array_add (self->files, file);
}

static void
append_to (ControlSite *self, const char *name, const guint8 *bytes, gsize length_bytes)
{
  GByteArray *file = control_file (self, name);
  if (file == NULL)
    control_set_file (self, name, bytes, length_bytes);
  else
    g_byte_array_append (file, bytes, (guint)length_bytes);
}

static void
carry_out (ControlSite *self, const ControlWrite *request)
{
  if (request->bytes == NULL)
    g_byte_array_set_size (control_file (self, request->name), (guint)request->length_bytes);
  else if (request->appends)
    append_to (self, request->name, request->bytes->data, request->bytes->len);
  else
    control_set_file (self, request->name, request->bytes->data, request->bytes->len);
}

static ControlWrite *
ask_disk (ControlSite *self, const char *name, guint64 token)
{
  ControlWrite *request = g_new0 (ControlWrite, 1);
  LK_ASSERT (is_well (self));
  request->token = token;
  request->name = name;
  g_ptr_array_add (self->writes, request);
  return request;
}

static void
disk_append (void *data, const char *name, const guint8 *bytes, gsize length_bytes, guint64 token)
{
  ControlSite *self = data;
  for (guint i = 0; i < self->writes->len; i++)
    LK_ASSERT (!((ControlWrite *)g_ptr_array_index (self->writes, i))->appends);
  ControlWrite *request = ask_disk (self, name, token);
  request->appends = TRUE;
  request->bytes = g_byte_array_new ();
  g_byte_array_append (request->bytes, bytes, (guint)length_bytes);
}

static void
disk_replace (void *data, const char *name, const guint8 *bytes, gsize length_bytes, guint64 token)
{
  ControlWrite *request = ask_disk (data, name, token);
  request->bytes = g_byte_array_new ();
  g_byte_array_append (request->bytes, bytes, (guint)length_bytes);
}

static void
disk_cut (void *data, const char *name, guint64 length_bytes, guint64 token)
{
  ControlSite *self = data;
  LK_ASSERT (control_file (self, name) != NULL);
  LK_ASSERT (control_file (self, name)->len > length_bytes);
  ask_disk (self, name, token)->length_bytes = length_bytes;
}

static GByteArray *
disk_read (void *data, const char *name, gboolean *out_failed)
{
  const ControlSite *self = data;
  const GByteArray *file = control_file (self, name);
  *out_failed = self->reads_fail;
  if (file == NULL || self->reads_fail)
    return NULL;
  GByteArray *copy = g_byte_array_new ();
  g_byte_array_append (copy, file->data, file->len);
  return copy;
}

static GByteArray *
disk_read_part (void *data, const char *name, guint64 offset_bytes, gsize length_bytes,
                gboolean *out_failed)
{
  GByteArray *whole = disk_read (data, name, out_failed);
  if (whole == NULL)
    return NULL;
  GByteArray *part = g_byte_array_new ();
  if (offset_bytes < whole->len)
    g_byte_array_append (part, whole->data + offset_bytes,
                         (guint)MIN (length_bytes, whole->len - offset_bytes));
  g_byte_array_unref (whole);
  return part;
}

static void
disk_remove (void *data, const char *name)
{
  control_remove_file (data, name);
}

static GBytes *
disk_view (void *data, const char *name, gboolean *out_failed)
{
  GByteArray *bytes = disk_read (data, name, out_failed);
  return bytes != NULL ? g_byte_array_free_to_bytes (bytes) : NULL;
}

static const LkPortDiskOps disk_ops = { .size = sizeof (LkPortDiskOps),
                                        .append = disk_append,
                                        .replace = disk_replace,
                                        .cut = disk_cut,
                                        .read = disk_read,
                                        .read_part = disk_read_part,
                                        .view = disk_view,
                                        .remove = disk_remove };

void
control_disk_done (ControlSite *self, gboolean has_succeeded)
{
  if (self->writes->len == 0)
    return;
  ControlWrite *request = g_ptr_array_steal_index (self->writes, 0);
  if (has_succeeded)
    carry_out (self, request);
  if (self->core != NULL)
    lk_controller_disk_done (self->core, request->token, has_succeeded);
  write_free (request);
}

/* ---------------------------------------------------------------- beginning and end */

static LkSetup *
setup_new (const LkRegistry *registry, gboolean is_pool)
{
  g_autoptr (LkCluster) machine = lk_cluster_new ("site");
  g_autoptr (GError) error = NULL;
  LkClusterError fault;
  LkNodeSpec *spec = lk_cluster_add_nodes (machine, "n[1-3]");
  LkSetupOptions options = {
    .units_total = 4, .order = "fifo", .backfill = "easy", .select = "pool"
  };
  spec->sockets = spec->threads_per_core = 1;
  spec->cores_per_socket = spec->cpus = CONTROL_CPUS;
  spec->memory_bytes = CONTROL_MEMORY_BYTES;
  lk_node_spec_add_gres (spec, "gpu", "a", 1);
  lk_node_spec_add_gres (spec, "gpu", "b", 1);
  lk_node_spec_add_gres (spec, "bandwidth", "", 8);
  gboolean is_good = lk_cluster_check (machine, &fault);
  LK_ASSERT (is_good);
  if (!is_pool) {
    options.select = "cons_tres";
    options.cluster = machine;
  }
  LkSetup *setup = lk_setup_new (registry, &options, &error);
  LK_ASSERT (setup != NULL);
  return setup;
}

/* Made once: fuzzers make many sites. */
static const LkSetup *
setup_of (gboolean is_pool)
{
  static LkRegistry *registry = NULL;
  static LkSetup *setups[2];
  if (registry == NULL)
    registry = lk_registry_new ();
  if (setups[is_pool] == NULL)
    setups[is_pool] = setup_new (registry, is_pool);
  return setups[is_pool];
}

ControlSite *
control_site_new (const ControlOptions *options)
{
  ControlSite *self = g_new0 (ControlSite, 1);
  const LkSetup *setup = setup_of (options->is_pool);
  lk_setup_header (setup, "site", &self->header);
  self->config = (LkControllerConfig){ .engine = lk_setup_config (setup),
                                       .header = &self->header,
                                       .administrator_user_id = CONTROL_ADMIN,
                                       .heartbeat_us = 10 * CONTROL_SECOND_US,
                                       .node_timeout_us = 30 * CONTROL_SECOND_US,
                                       .registration_wait_us = 20 * CONTROL_SECOND_US,
                                       .retry_us = 5 * CONTROL_SECOND_US,
                                       .kill_wait_us = 30 * CONTROL_SECOND_US,
                                       .snapshot_events = options->snapshot_events,
                                       .session_count_max = options->session_count_max,
                                       .waits_for_standby = options->waits_for_standby };
  self->realtime_us = 1000 * CONTROL_SECOND_US;
  self->files = g_ptr_array_new_with_free_func (file_free);
  self->writes = g_ptr_array_new_with_free_func (write_free);
  self->sent = g_ptr_array_new_with_free_func (sent_free);
  self->log = g_string_new (NULL);
  return self;
}

void
control_site_free (ControlSite *self)
{
  if (self == NULL)
    return;
  lk_controller_free (self->core);
  g_ptr_array_unref (self->files);
  g_ptr_array_unref (self->writes);
  g_ptr_array_unref (self->sent);
  g_string_free (self->log, TRUE);
  g_free (self);
}

gboolean
control_start (ControlSite *self, guint64 term)
{
  LkControllerPorts ports = { .clock = { &clock_ops, self },
                              .net = { &net_ops, self },
                              .disk = { &disk_ops, self },
                              .site = self->site,
                              .term = lk_term_sim_port (),
                              .log = { &log_ops, self } };
  LK_ASSERT (self->core == NULL && self->writes->len == 0);
  self->wake_us = LK_TIME_NEVER;
  self->core = lk_controller_new (&self->config, &ports, term, &self->failure);
  control_settle (self);
  return self->core != NULL;
}

void
control_crash (ControlSite *self, guint write_count, gsize torn_bytes)
{
  lk_controller_free (self->core);
  self->core = NULL;
  for (guint i = 0; i < self->writes->len; i++) {
    const ControlWrite *request = g_ptr_array_index (self->writes, i);
    if (i < write_count)
      carry_out (self, request);
    else if (i == write_count && request->appends)
      append_to (self, request->name, request->bytes->data, MIN (torn_bytes, request->bytes->len));
  }
  g_ptr_array_set_size (self->writes, 0);
}

/* ---------------------------------------------------------------- what happens */

void
control_settle (ControlSite *self)
{
  do {
    while (!self->disk_waits && self->writes->len > 0)
      control_disk_done (self, TRUE);
  } while (self->core != NULL
           && (lk_controller_settle (self->core) || (!self->disk_waits && self->writes->len > 0)));
}

void
control_wait (ControlSite *self, gint64 duration_us)
{
  gint64 until_us = self->monotonic_us + duration_us;
  control_settle (self);
  while (self->core != NULL && is_well (self) && self->wake_us <= until_us) {
    gint64 at_us = MAX (self->wake_us, self->monotonic_us);
    control_forget_sent (self);
    self->realtime_us = lk_time_add_us (self->realtime_us, at_us - self->monotonic_us);
    self->monotonic_us = at_us;
    self->wake_us = LK_TIME_NEVER;
    lk_controller_woken (self->core);
    control_settle (self);
  }
  self->realtime_us = lk_time_add_us (self->realtime_us, until_us - self->monotonic_us);
  self->monotonic_us = until_us;
}

void
control_bytes (ControlSite *self, const LkPeer *peer, const guint8 *bytes, gsize length_bytes)
{
  lk_controller_message (self->core, peer, bytes, length_bytes);
}

void
control_message (ControlSite *self, const LkPeer *peer, const LkMessage *message)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_message_encode (message, bytes);
  control_bytes (self, peer, bytes->data, bytes->len);
}

LkPeer
control_agent (guint node)
{
  static const char *const names[] = { "n1", "n2", "n3" };
  return (LkPeer){ .id = CONTROL_AGENT_PEER (node),
                   .kind = LK_PEER_AGENT,
                   .name = names[node % CONTROL_NODES] };
}

LkPeer
control_user (guint32 user_id)
{
  return (LkPeer){ .id = CONTROL_USER_PEER (user_id),
                   .kind = LK_PEER_USER,
                   .user_id = user_id,
                   .group_id = user_id,
                   .name = "somebody" };
}

void
control_ask (ControlSite *self, guint32 user_id, guint64 session, guint64 request,
             const LkEvent *event)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkPeer peer = control_user (user_id);
  LkMessage message = { .kind = LK_MESSAGE_SUBMIT };
  while (lk_message_event_kind (message.kind) != event->kind)
    message.kind = (LkMessageKind)(message.kind + 1);
  lk_event_encode (event, bytes);
  message.submit.session = session;
  message.submit.request = request;
  message.submit.event = (LkBytes){ bytes->data, bytes->len };
  control_message (self, &peer, &message);
}

void
control_submit (ControlSite *self, guint64 session, guint32 procs, guint32 flags)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.user_id = CONTROL_USER;
  event.submit.procs = procs;
  event.submit.estimate_us = 3600 * CONTROL_SECOND_US;
  event.submit.flags = flags;
  control_ask (self, CONTROL_USER, session, 1, &event);
  control_settle (self);
}

void
control_order (ControlSite *self, guint64 session, LkEventKind kind, guint32 job_id)
{
  LkEvent event = { .kind = kind };
  event.cancel.job_id = job_id;
  if (kind == LK_EVENT_SIGNAL)
    event.signal.signal = 10;
  control_ask (self, CONTROL_ADMIN, session, 1, &event);
  control_settle (self);
}

void
control_order_node (ControlSite *self, guint64 session, LkEventKind kind, guint node,
                    const char *reason)
{
  LkEvent event = { .kind = kind };
  event.node_down.node = lk_text (control_agent (node).name);
  if (kind == LK_EVENT_NODE_DOWN || kind == LK_EVENT_NODE_DRAIN)
    event.node_down.reason = lk_text (reason);
  control_ask (self, CONTROL_ADMIN, session, 1, &event);
  control_settle (self);
}

char *
control_events (const ControlSite *self, guint64 seq)
{
  const GByteArray *journal = control_file (self, LK_CONTROLLER_JOURNAL);
  GString *names = g_string_new (NULL);
  LkJournalHeader header;
  LkEvent event;
  const char *fault;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal->data, journal->len, &header, &fault);
  while (reader != NULL && lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    if (event.seq >= seq)
      g_string_append_printf (names, "%s%s", names->len > 0 ? " " : "",
                              lk_event_kind_name (event.kind));
  return g_string_free (names, FALSE);
}

void
control_start_all (ControlSite *self)
{
  gboolean has_started = control_start (self, 0);
  LK_ASSERT (has_started);
  for (guint node = 0; node < CONTROL_NODES; node++)
    control_register (self, node, 1, NULL, 0);
}

void
control_wait_beating (ControlSite *self, gint64 duration_us, guint nodes)
{
  gint64 until_us = self->monotonic_us + duration_us;
  while (self->monotonic_us < until_us) {
    for (guint node = 0; node < CONTROL_NODES; node++) {
      LkPeer peer = control_agent (node);
      LkMessage message = { .kind = LK_MESSAGE_HEARTBEAT };
      message.heartbeat = (LkMessage_heartbeat){ .node = lk_text (peer.name),
                                                 .agent_id = 1,
                                                 .epoch = control_epoch (self, node) };
      if ((nodes >> node & 1) != 0)
        control_message (self, &peer, &message);
    }
    control_wait (self, MIN (5 * CONTROL_SECOND_US, until_us - self->monotonic_us));
  }
}

guint64
control_epoch (const ControlSite *self, guint node)
{
  return self->epochs[node];
}

void
control_register (ControlSite *self, guint node, guint64 agent_id, const LkRunReport *runs,
                  guint run_count)
{
  g_autoptr (GByteArray) list = g_byte_array_new ();
  LkPeer peer = control_agent (node);
  LkMessage message = { .kind = LK_MESSAGE_REGISTER };
  if (self->config.engine->cluster == NULL)
    peer.name = "pool";
  message.register_node.node = lk_text (peer.name);
  message.register_node.agent_id = agent_id;
  control_message (self, &peer, &message);
  for (guint i = 0; i < run_count; i++)
    lk_run_report_append (&runs[i], list);
  message.kind = LK_MESSAGE_REPORT;
  message.report = (LkMessage_report){ .node = lk_text (peer.name),
                                       .agent_id = agent_id,
                                       .epoch = control_epoch (self, node),
                                       .cpus = CONTROL_CPUS,
                                       .memory_bytes = CONTROL_MEMORY_BYTES,
                                       .gres = lk_text (CONTROL_GRES),
                                       .host = lk_text ("rack7"),
                                       .system = lk_text ("Linux 6.1"),
                                       .version = lk_text ("0.9"),
                                       .boot_us = 100 * CONTROL_SECOND_US,
                                       .start_us = 160 * CONTROL_SECOND_US,
                                       .runs = { list->data, list->len } };
  control_message (self, &peer, &message);
  control_settle (self);
}

void
control_run_ended (ControlSite *self, guint node, const LkRunReport *how, const char *drain)
{
  LkPeer peer = control_agent (node);
  LkMessage message = { .kind = LK_MESSAGE_RUN_ENDED };
  message.run_ended = (LkMessage_run_ended){ .node = lk_text (peer.name),
                                             .epoch = control_epoch (self, node),
                                             .run_id = how->run_id,
                                             .job_id = how->job_id,
                                             .state = LK_RUN_ENDED,
                                             .exit_code = how->exit_code,
                                             .signal = how->signal,
                                             .trouble = how->trouble,
                                             .user_cpu_us = how->user_cpu_us,
                                             .system_cpu_us = how->system_cpu_us,
                                             .max_rss_bytes = how->max_rss_bytes,
                                             .max_gpu_memory_bytes = how->max_gpu_memory_bytes,
                                             .max_gpu_percent = how->max_gpu_percent,
                                             .drain = lk_text (drain) };
  control_message (self, &peer, &message);
  control_settle (self);
}

/* ---------------------------------------------------------------- what it has sent */

gboolean
control_sent (const ControlSite *self, LkPeerId peer, LkMessageKind kind, guint number,
              LkMessage *out_message)
{
  guint seen = 0;
  for (guint i = 0; i < self->sent->len; i++) {
    const ControlSent *sent = g_ptr_array_index (self->sent, i);
    if (sent->peer != peer || !lk_message_decode (sent->bytes->data, sent->bytes->len, out_message)
        || out_message->kind != kind)
      continue;
    if (seen++ == number)
      return TRUE;
  }
  return FALSE;
}

guint
control_sent_count (const ControlSite *self, LkPeerId peer, LkMessageKind kind)
{
  LkMessage message;
  guint count = 0;
  while (control_sent (self, peer, kind, count, &message))
    count++;
  return count;
}

void
control_forget_sent (ControlSite *self)
{
  g_ptr_array_set_size (self->sent, 0);
}
