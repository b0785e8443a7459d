/* tests/fuzz/controller_fuzz.c — any bytes as what happens to a controller: messages, completions
 * of the disk, time, deaths, a bad file.
 *
 * Numbers of runs, jobs, sessions and epochs are drawn from a few, so that they meet.  Behind each
 * step every invariant must hold; what a controller may ask of its ports they check
 * (controller_site.h).  After a death it comes back whatever was half written, and with what was
 * durable. */
#include "engine/assert.h"
#include "engine/bytes.h"
#include "live/core/controller_private.h"
#include "live/core/step_task.h"
#include "tests/fuzz/controller_happens.h"
#include "tests/live/controller_site.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

#define STEPS_MAX 300u

/* A site, and what will happen there. */
typedef struct {
  ControlSite *site;
  LkBytesReader *reader;
} Fuzz;

static guint8
below (Fuzz *self, guint8 limit)
{
  return lk_take_u8 (self->reader) % limit;
}

static gint64
some_duration_us (Fuzz *self)
{
  return controller_durations_us[below (self, G_N_ELEMENTS (controller_durations_us))];
}

/* ---------------------------------------------------------------- agents */

static LkPeer
agent_of (const Fuzz *self, guint node)
{
  LkPeer peer = control_agent (node);
  if (self->site->config.engine->cluster == NULL)
    peer.name = "pool";
  return peer;
}

static guint64
some_epoch (Fuzz *self, guint node)
{
  guint8 off = below (self, 8);
  return off == 0 ? control_epoch (self->site, node) : off;
}

static LkRunReport
some_run (Fuzz *self)
{
  LkRunReport run = { .run_id = below (self, 8), .job_id = 1 };
  run.state = (guint8)(LK_RUN_PROLOG + below (self, LK_RUN_LOST));
  run.trouble = below (self, 5);
  return run;
}

static void
some_report (Fuzz *self, const LkPeer *peer, guint node)
{
  g_autoptr (GByteArray) runs = g_byte_array_new ();
  LkMessage message = { .kind = LK_MESSAGE_REPORT };
  message.report.node = lk_text (peer->name);
  message.report.agent_id = below (self, 3);
  message.report.epoch = some_epoch (self, node);
  message.report.cpus = below (self, CONTROL_CPUS + 1);
  message.report.memory_bytes = CONTROL_MEMORY_BYTES;
  guint8 count = below (self, 4);
  for (guint8 i = 0; i < count; i++) {
    LkRunReport run = some_run (self);
    lk_run_report_append (&run, runs);
  }
  message.report.runs = (LkRuns){ runs->data, runs->len };
  control_message (self->site, peer, &message);
}

static void
some_end (Fuzz *self, const LkPeer *peer, guint node)
{
  LkMessage message = { .kind = LK_MESSAGE_RUN_ENDED };
  message.run_ended = (LkMessage_run_ended){ .node = lk_text (peer->name),
                                             .epoch = some_epoch (self, node),
                                             .run_id = below (self, 8),
                                             .state = LK_RUN_ENDED };
  message.run_ended.exit_code = below (self, 2);
  message.run_ended.trouble = below (self, 5);
  if (below (self, 2) != 0)
    message.run_ended.drain = lk_text ("Prolog error");
  control_message (self->site, peer, &message);
}

static void
from_agent (Fuzz *self, ControllerHappens what)
{
  guint node = below (self, CONTROL_NODES);
  LkPeer peer = agent_of (self, node);
  LkMessage message = { .kind = LK_MESSAGE_REGISTER };
  LkText name = lk_text (peer.name);
  if (what == CONTROL_REPORT) {
    some_report (self, &peer, node);
    return;
  }
  if (what == CONTROL_RUN_ENDED) {
    some_end (self, &peer, node);
    return;
  }
  if (what == CONTROL_REGISTER) {
    message.register_node = (LkMessage_register_node){ name, below (self, 3), 0, 0, 0 };
    message.register_node.term = below (self, 16) / 8;
  } else if (what == CONTROL_HEARTBEAT) {
    message.kind = LK_MESSAGE_HEARTBEAT;
    message.heartbeat = (LkMessage_heartbeat){ .node = name, .agent_id = below (self, 3) };
    message.heartbeat.epoch = some_epoch (self, node);
  } else {
    /* The others begin with the same three. */
    message.kind = what == CONTROL_RUN_STARTED    ? LK_MESSAGE_RUN_STARTED
                   : what == CONTROL_SCRIPT_ENDED ? LK_MESSAGE_SCRIPT_ENDED
                                                  : LK_MESSAGE_RUN_HEARD;
    message.run_heard = (LkMessage_run_heard){ .node = name, .epoch = some_epoch (self, node) };
    message.run_heard.run_id = below (self, 8);
    if (what == CONTROL_RUN_HEARD)
      message.run_heard.seq = below (self, 4);
  }
  control_message (self->site, &peer, &message);
}

/* ---------------------------------------------------------------- users */

static guint32
some_user (Fuzz *self)
{
  static const guint32 users[] = { 1001, 1002, CONTROL_ADMIN, 0 };
  return users[below (self, G_N_ELEMENTS (users))];
}

static void
ask (Fuzz *self, LkMessage *message, guint32 user_id, const GByteArray *event)
{
  LkPeer peer = control_user (user_id);
  message->submit.event = (LkBytes){ event->data, event->len };
  control_message (self->site, &peer, message);
}

static void
submit (Fuzz *self)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkMessage message = { .kind = LK_MESSAGE_SUBMIT };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint32 user_id = some_user (self);
  message.submit.session = below (self, 5);
  message.submit.request = below (self, 32);
  event.submit.user_id = user_id;
  event.submit.procs = event.submit.nodes_min = below (self, 4);
  guint8 flags = lk_take_u8 (self->reader);
  event.submit.estimate_us = (1 + flags % 4) * 60 * CONTROL_SECOND_US;
  event.submit.flags = (flags & 4) != 0 ? LK_REQUEST_NO_KILL : 0;
  event.submit.flags |= (flags & 8) != 0 ? LK_REQUEST_HOLD : 0;
  if ((flags & 16) != 0)
    event.submit.array = lk_text ("1-3");
  message.submit.payload = (LkBytes){ (const guint8 *)"payload", flags >> 5 };
  lk_event_encode (&event, bytes);
  ask (self, &message, user_id, bytes);
}

static LkMessageKind
some_request (Fuzz *self)
{
  return (LkMessageKind)(LK_MESSAGE_SUBMIT + below (self, LK_MESSAGE_QOS));
}

static void
some_ask (Fuzz *self)
{
  static const char *const nodes[] = { "n1", "n2", "n3", "n9" };
  LkMessage message = { .kind = some_request (self) };
  LkEvent event = { .kind = (LkEventKind)lk_message_event_kind (message.kind) };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint32 user_id = some_user (self);
  message.submit.session = below (self, 5);
  message.submit.request = below (self, 32);
  guint8 about = below (self, 12);
  if (event.kind == LK_EVENT_NODE_DOWN || event.kind == LK_EVENT_NODE_DRAIN) {
    event.node_down.node = lk_text (nodes[about % 4]);
    event.node_down.reason = lk_text (about < 4 ? "Not responding" : "maintenance");
  } else if (event.kind == LK_EVENT_NODE_UP || event.kind == LK_EVENT_NODE_RESUME) {
    event.node_up.node = lk_text (nodes[about % 4]);
  } else if (event.kind >= LK_EVENT_UPDATE && lk_event_job_id (&event) == 0) {
    event.cancel.job_id = about;
    if (event.kind == LK_EVENT_SIGNAL)
      event.signal.signal = 10;
  }
  lk_event_encode (&event, bytes);
  ask (self, &message, user_id, bytes);
}

static void
some_event (Fuzz *self)
{
  LkMessage message = { .kind = some_request (self) };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint32 user_id = some_user (self);
  message.submit.session = below (self, 5);
  message.submit.request = below (self, 32);
  gsize length_bytes = lk_take_u8 (self->reader);
  length_bytes = MIN (length_bytes, self->reader->left_bytes);
  if (length_bytes > 0)
    g_byte_array_append (bytes, lk_take (self->reader, length_bytes), (guint)length_bytes);
  ask (self, &message, user_id, bytes);
}

static void
query (Fuzz *self)
{
  LkPeer peer = control_user (some_user (self));
  LkMessage message = { .kind = LK_MESSAGE_JOB_QUERY };
  message.job_query.job_id = below (self, 12);
  control_message (self->site, &peer, &message);
}

static void
state_query (Fuzz *self)
{
  LkPeer peer = control_user (some_user (self));
  LkMessage message = { .kind = LK_MESSAGE_STATE_QUERY };
  message.state_query.record = (guint8)below (self, 14);
  message.state_query.from = below (self, 20);
  message.state_query.job_id = below (self, 12);
  guint32 flags = below (self, 8);
  message.state_query.by_user = flags & 1;
  message.state_query.user_id = CONTROL_USER;
  message.state_query.with_ended = flags >> 1 & 1;
  message.state_query.with_payload = flags >> 2 & 1;
  control_message (self->site, &peer, &message);
}

/* ---------------------------------------------------------------- steps */

/* The session, the request and the job come first in all of them. */
static void
step_ask (Fuzz *self)
{
  LkPeer peer = control_user (some_user (self));
  LkMessage message = { .kind = LK_MESSAGE_STEP_CREATE };
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  LkStepTask task = { .work_dir = lk_bytes ("/tmp") };
  guint64 session = below (self, 5);
  guint64 request = below (self, 32);
  guint32 job_id = below (self, 12);
  guint8 what = below (self, 4);
  guint8 first = lk_take_u8 (self->reader);
  guint8 second = lk_take_u8 (self->reader);
  lk_step_task_encode (&task, payload);
  if (what == 0) {
    message.step_create.tasks = first % 8;
    message.step_create.flags = second;
    message.step_create.payload = (LkBytes){ payload->data, payload->len };
  } else if (what == 1 && second >= 128) {
    message.kind = LK_MESSAGE_STEP_UPDATE;
    message.step_update.step_id = first % 8;
    message.step_update.limit_us = (gint64)(second - 130) * CONTROL_SECOND_US;
  } else if (what == 1) {
    message.kind = LK_MESSAGE_STEP_SIGNAL;
    message.step_signal.step_id = first < 8 ? first : G_MAXUINT32;
    message.step_signal.signal = second % 65;
  } else if (what == 2 && second >= 192) {
    message.kind = LK_MESSAGE_JOB_NOTIFY;
    message.job_notify.step_id = first < 8 ? first : G_MAXUINT32;
    message.job_notify.words = lk_text (second % 8 != 0 ? "words" : "\x1b[2J");
  } else if (what == 2) {
    message.kind = LK_MESSAGE_STEP_ATTACH;
    message.step_attach.step_id = first % 8;
    message.step_attach.addresses = lk_text ("n1:1");
    message.step_attach.may_write = second % 2;
  } else {
    message.kind = LK_MESSAGE_JOB_COMPLETE;
    message.job_complete.exit_code = first;
  }
  message.step_create.session = session;
  message.step_create.request = request;
  message.step_create.job_id = job_id;
  control_message (self->site, &peer, &message);
}

static void
step_told (Fuzz *self)
{
  guint node = below (self, CONTROL_NODES);
  LkPeer peer = agent_of (self, node);
  LkText name = lk_text (peer.name);
  LkMessage message = { .kind = LK_MESSAGE_STEP_STARTED };
  guint64 epoch = some_epoch (self, node);
  guint64 run_id = below (self, 8);
  guint32 step_id = below (self, 8);
  guint8 what = below (self, 4);
  guint8 number = below (self, 4);
  if (what == 1) {
    message.kind = LK_MESSAGE_STEP_ENDED;
    message.step_ended = (LkMessage_step_ended){ .node = name, .epoch = epoch };
    message.step_ended.run_id = run_id;
    message.step_ended.step_id = step_id;
    message.step_ended.state = LK_STEP_ENDED;
    message.step_ended.exit_code = number;
  } else if (what == 2) {
    message.kind = LK_MESSAGE_STEP_HEARD;
    message.step_heard = (LkMessage_step_heard){ name, epoch, run_id, step_id, number };
  } else if (what == 3) {
    message.kind = LK_MESSAGE_STEP_USAGE;
    message.step_usage = (LkMessage_step_usage){ .node = name, .epoch = epoch };
    message.step_usage.run_id = run_id;
    message.step_usage.step_id = step_id;
    message.step_usage.counted_tasks = number;
  } else {
    message.step_started = (LkMessage_step_started){ name, epoch, run_id, step_id };
  }
  control_message (self->site, &peer, &message);
}

static void
step_report (Fuzz *self)
{
  guint node = below (self, CONTROL_NODES);
  LkPeer peer = agent_of (self, node);
  g_autoptr (GByteArray) runs = g_byte_array_new ();
  g_autoptr (GByteArray) steps = g_byte_array_new ();
  LkMessage message = { .kind = LK_MESSAGE_REPORT };
  message.report.node = lk_text (peer.name);
  message.report.agent_id = below (self, 3);
  message.report.epoch = some_epoch (self, node);
  message.report.cpus = below (self, CONTROL_CPUS + 1);
  message.report.memory_bytes = CONTROL_MEMORY_BYTES;
  LkRunReport run = { .run_id = below (self, 8), .job_id = 1, .state = LK_RUN_RUNNING };
  LkStepReport step = { .run_id = run.run_id, .step_id = below (self, 8) };
  step.state = (guint8)(LK_STEP_RUNNING + below (self, 2));
  step.exit_code = below (self, 3);
  lk_run_report_append (&run, runs);
  lk_step_report_append (&step, steps);
  message.report.runs = (LkRuns){ runs->data, runs->len };
  message.report.steps = (LkStepReports){ steps->data, steps->len };
  control_message (self->site, &peer, &message);
}

/* ---------------------------------------------------------------- others */

static void
standby (Fuzz *self)
{
  LkPeer peer = { .id = CONTROL_STANDBY_PEER, .kind = LK_PEER_STANDBY, .name = "standby" };
  LkMessage message = { .kind = LK_MESSAGE_FOLLOW };
  const GByteArray *journal = control_file (self->site, LK_CONTROLLER_JOURNAL);
  guint64 length_bytes = journal != NULL ? journal->len : 0;
  guint8 what = below (self, 4);
  guint64 some_bytes = (guint64)lk_take_u8 (self->reader) * 8;
  if (what == 0) {
    message.follow.offset_bytes = some_bytes;
  } else if (what == 3) {
    message.kind = LK_MESSAGE_DIVERGED;
  } else {
    LkDigestValue digest = lk_engine_digest (lk_controller_engine (self->site->core));
    message.kind = LK_MESSAGE_FOLLOWED;
    message.followed.term = lk_controller_term (self->site->core);
    message.followed.epoch = self->site->standby_epoch;
    message.followed.digest_low = digest.low;
    message.followed.digest_high = digest.high;
    message.followed.offset_bytes = what == 1 ? length_bytes : some_bytes;
    message.followed.seq =
        what == 1 ? lk_controller_durable_seq (self->site->core) : some_bytes / 64;
  }
  control_message (self->site, &peer, &message);
}

static void
some_bytes (Fuzz *self)
{
  LkPeer peer = { .id = CONTROL_USER_PEER (1001), .user_id = 1001, .name = "n1" };
  peer.kind = (LkPeerKind)below (self, LK_PEER_STANDBY + 1);
  gsize length_bytes = lk_take_u8 (self->reader);
  length_bytes = MIN (length_bytes, self->reader->left_bytes);
  const guint8 *bytes = lk_take (self->reader, length_bytes);
  control_bytes (self->site, &peer, bytes, length_bytes);
}

static void
jump (Fuzz *self)
{
  gint64 by_us = some_duration_us (self);
  by_us = below (self, 2) != 0 ? -by_us : by_us;
  self->site->realtime_us += by_us;
}

static void
what_disk (Fuzz *self)
{
  guint8 how = below (self, 4);
  self->site->disk_waits = (how & 1) != 0;
  self->site->reads_fail = (how & 2) != 0;
}

/* ---------------------------------------------------------------- deaths */

/* A snapshot that a controller has written it can read. */
static void
check_snapshots (const ControlSite *site)
{
  for (guint i = 0; i < LK_CONTROLLER_SNAPSHOTS; i++) {
    const GByteArray *file = control_file (site, lk_controller_snapshot_names[i]);
    if (file == NULL)
      continue;
    g_autoptr (LkController) core = lk_controller_make (&site->config, &(LkControllerPorts){ 0 });
    gboolean is_loaded = lk_controller_load (core, file->data, file->len);
    LK_ASSERT (is_loaded);
  }
}

/* Whatever a crash has left half written, it comes back, and with all that was durable. */
static void
restart (Fuzz *self)
{
  ControlSite *site = self->site;
  guint64 durable_seq = lk_controller_durable_seq (site->core);
  guint64 term = lk_controller_term (site->core);
  guint write_count = below (self, 4);
  control_crash (site, write_count, lk_take_u8 (self->reader));
  check_snapshots (site);
  site->reads_fail = FALSE;
  gboolean has_started = control_start (site, below (self, 4) == 0 ? term + 1 : 0);
  LK_ASSERT (has_started);
  LK_ASSERT (lk_controller_durable_seq (site->core) >= durable_seq);
}

static void
copy_files (const ControlSite *from, ControlSite *to)
{
  for (guint i = 0; i < from->files->len; i++) {
    const ControlFile *file = g_ptr_array_index (from->files, i);
    control_set_file (to, file->name, file->bytes->data, file->bytes->len);
  }
}

/* With a file that is not what was written another controller starts or does not. */
static void
bad_file (Fuzz *self)
{
  ControlOptions options = { .is_pool = self->site->config.engine->cluster == NULL,
                             .snapshot_events = 10,
                             .session_count_max = 3 };
  g_autoptr (ControlSite) other = control_site_new (&options);
  copy_files (self->site, other);
  guint8 which = lk_take_u8 (self->reader);
  guint16 at = lk_take_u16 (self->reader);
  if (other->files->len == 0)
    return;
  GByteArray *file =
      ((ControlFile *)g_ptr_array_index (other->files, which % other->files->len))->bytes;
  if (file->len > 0)
    file->data[at % file->len] ^= 0x10;
  if (control_start (other, 0))
    lk_controller_check (other->core);
}

/* ---------------------------------------------------------------- all of it */

static void
happen (Fuzz *self)
{
  ControlSite *site = self->site;
  ControllerHappens what = (ControllerHappens)below (self, CONTROL_COUNT);
  switch (what) {
  case CONTROL_SUBMIT:
    submit (self);
    break;
  case CONTROL_ASK:
    some_ask (self);
    break;
  case CONTROL_EVENT:
    some_event (self);
    break;
  case CONTROL_QUERY:
    query (self);
    break;
  case CONTROL_STATE_QUERY:
    state_query (self);
    break;
  case CONTROL_STEP_ASK:
    step_ask (self);
    break;
  case CONTROL_STEP_TOLD:
    step_told (self);
    break;
  case CONTROL_STEP_REPORT:
    step_report (self);
    break;
  case CONTROL_STANDBY:
    standby (self);
    break;
  case CONTROL_BYTES:
    some_bytes (self);
    break;
  case CONTROL_DISK:
    what_disk (self);
    break;
  case CONTROL_DISK_DONE:
    control_disk_done (site, below (self, 16) != 0);
    break;
  case CONTROL_SETTLE:
    control_settle (site);
    break;
  case CONTROL_WOKEN:
    lk_controller_woken (site->core);
    break;
  case CONTROL_WAIT:
    control_wait (site, some_duration_us (self));
    break;
  case CONTROL_CLOCK:
    jump (self);
    break;
  case CONTROL_RESTART:
    restart (self);
    break;
  case CONTROL_BAD_FILE:
    bad_file (self);
    break;
  default:
    from_agent (self, what);
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  guint8 flavour = lk_take_u8 (&reader);
  ControlOptions options = { .is_pool = (flavour & 1) != 0,
                             .waits_for_standby = (flavour & 2) != 0,
                             .snapshot_events = (flavour & 4) != 0 ? 2 : 20,
                             .session_count_max = 3 };
  g_autoptr (ControlSite) site = control_site_new (&options);
  Fuzz fuzz = { .site = site, .reader = &reader };
  gboolean has_started = control_start (site, 0);
  LK_ASSERT (has_started);
  site->disk_waits = (flavour & 8) != 0;
  for (guint i = 0; i < STEPS_MAX && reader.left_bytes > 0; i++) {
    happen (&fuzz);
    lk_controller_check (site->core);
    control_forget_sent (site);
    if (lk_controller_failure (site->core) == LK_CONTROLLER_OK)
      continue;
    control_crash (site, 0, 0);
    site->reads_fail = FALSE;
    has_started = control_start (site, 0);
    LK_ASSERT (has_started);
  }
  return 0;
}
