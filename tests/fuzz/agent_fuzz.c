/* tests/fuzz/agent_fuzz.c — any bytes as what happens to an agent: messages, ends of stages, time,
 * deaths, a bad disk.
 *
 * Numbers of runs, epochs and terms are drawn from a few, so that they meet.  Behind each step
 * every invariant must hold; what an agent may ask of its ports they check (agent_site.h). */
#include "engine/assert.h"
#include "engine/bytes.h"
#include "tests/fuzz/agent_happens.h"
#include "tests/live/agent_site.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

#define STEPS_MAX 500u

static guint8
below (LkBytesReader *reader, guint8 limit)
{
  return lk_take_u8 (reader) % limit;
}

static gint64
some_duration_us (guint8 index)
{
  return agent_durations_us[index % G_N_ELEMENTS (agent_durations_us)];
}

static LkMessage
some_message (LkBytesReader *reader, Happens what)
{
  guint64 term = below (reader, 4);
  guint64 run_id = below (reader, 6);
  guint64 epoch = below (reader, 6);
  guint8 first = lk_take_u8 (reader);
  guint8 second = lk_take_u8 (reader);
  guint8 third = lk_take_u8 (reader);
  switch (what) {
  case HAPPENS_REGISTERED:
    return (LkMessage){ .kind = LK_MESSAGE_REGISTERED,
                        .registered = { term, run_id, epoch, some_duration_us (first), second,
                                        third } };
  case HAPPENS_REPORTED:
    return (LkMessage){ .kind = LK_MESSAGE_REPORTED, .reported = { term, epoch } };
  case HAPPENS_LAUNCH:
    return (LkMessage){ .kind = LK_MESSAGE_LAUNCH,
                        .launch = { .term = term,
                                    .epoch = epoch,
                                    .run_id = run_id,
                                    .job_id = 1,
                                    .runs_script = first % 2,
                                    .nodes = { SITE_NODE "x", 3 - (guint32)second % 2 } } };
  case HAPPENS_TERMINATE:
    return (LkMessage){ .kind = LK_MESSAGE_TERMINATE,
                        .terminate = { term, run_id, some_duration_us (first) - 1, 0 } };
  case HAPPENS_SIGNAL:
    return (LkMessage){ .kind = LK_MESSAGE_RUN_SIGNAL,
                        .run_signal = { term, epoch, run_id, first % 5, second, third % 2 } };
  case HAPPENS_SUSPEND:
    return (LkMessage){ .kind = LK_MESSAGE_RUN_SUSPEND,
                        .run_suspend = { term, epoch, run_id, first % 5, second % 2 } };
  default:
    return (LkMessage){ .kind = LK_MESSAGE_RUN_FORGET, .run_forget = { term, run_id } };
  }
}

static void
some_bytes (AgentSite *site, LkBytesReader *reader)
{
  LkPeer peer = { .kind = (LkPeerKind)below (reader, LK_PEER_STANDBY + 1) };
  gsize length_bytes = lk_take_u8 (reader);
  length_bytes = MIN (length_bytes, reader->left_bytes);
  const guint8 *bytes = lk_take (reader, length_bytes);
  lk_agent_message (site->agent, &peer, bytes, length_bytes);
}

static void
some_stage_ends (AgentSite *site, LkBytesReader *reader)
{
  guint64 run_id = below (reader, 6);
  LkStage stage = (LkStage)(LK_STAGE_PROLOG + below (reader, 3));
  LkExit how = { .exit_code = below (reader, 3) };
  how.signal = below (reader, 2);
  how.trouble = below (reader, 2);
  site_stage_ends (site, run_id, stage, &how);
}

static void
stage_ended_again (AgentSite *site, LkBytesReader *reader)
{
  guint64 run_id = below (reader, 6);
  const LkSupervised *run = site_supervised (site, run_id);
  if (run == NULL || !run->has_ended)
    return;
  LkExit how = run->last;
  lk_agent_stage_ended (site->agent, run_id, run->stage, &how);
}

/* A file that is not what was written is refused, or an agent that was never there; then it is put
 * right again. */
static void
bad_file (AgentSite *site, LkBytesReader *reader)
{
  guint8 at = lk_take_u8 (reader);
  if (site->term_file == NULL)
    return;
  at %= (guint8)site->term_file->len;
  site->term_file->data[at] ^= 0x10;
  gboolean has_started = site_start (site);
  LK_ASSERT (!has_started);
  site->term_file->data[at] ^= 0x10;
}

/* ---------------------------------------------------------------- steps */

static void
step_order (AgentSite *site, LkBytesReader *reader)
{
  g_autoptr (GByteArray) places = g_byte_array_new ();
  LkStepPlace place = { .node = lk_text (SITE_NODE), .task_count = 1, .cpus = 1 };
  LkMessage message = { .kind = LK_MESSAGE_STEP_LAUNCH };
  guint8 what = below (reader, 4);
  guint64 term = below (reader, 4);
  guint64 run_id = below (reader, 6);
  guint64 epoch = below (reader, 6);
  guint32 step_id = below (reader, 4);
  guint64 seq = below (reader, 5);
  guint8 signal = lk_take_u8 (reader);
  lk_step_place_append (&place, places);
  if (what == 0) {
    message.step_launch = (LkMessage_step_launch){ .term = term,
                                                   .epoch = epoch,
                                                   .run_id = run_id,
                                                   .job_id = 1,
                                                   .step_id = step_id,
                                                   .tasks = 1,
                                                   .places = { places->data, places->len } };
  } else if (what == 1) {
    message.kind = LK_MESSAGE_STEP_KILL;
    /* The byte is a reason, too, of those that there are or of no meaning. */
    message.step_kill = (LkMessage_step_kill){ .term = term,
                                               .epoch = epoch,
                                               .run_id = run_id,
                                               .step_id = step_id,
                                               .seq = seq,
                                               .signal = signal,
                                               .why = signal };
  } else if (what == 2 && seq == 0) {
    message.kind = LK_MESSAGE_RUN_NOTIFY;
    message.run_notify = (LkMessage_run_notify){ term, epoch, run_id, step_id, lk_text ("words") };
  } else if (what == 2) {
    message.kind = LK_MESSAGE_STEP_LISTEN;
    message.step_listen = (LkMessage_step_listen){
      .term = term, .epoch = epoch, .run_id = run_id, .step_id = step_id
    };
  } else {
    message.kind = LK_MESSAGE_STEP_FORGET;
    message.step_forget = (LkMessage_step_forget){ term, run_id, step_id };
  }
  site_message (site, &message);
}

static void
step_ends (AgentSite *site, LkBytesReader *reader)
{
  LkStepFound how = { .run_id = below (reader, 6), .step_id = below (reader, 4) };
  how.has_ended = TRUE;
  how.exit_code = below (reader, 3);
  how.signal = below (reader, 2);
  site_step_ends (site, &how);
}

/* ---------------------------------------------------------------- all of it */

static void
crash (AgentSite *site, LkBytesReader *reader)
{
  site->disk = SITE_DISK_LATER;
  site_crash (site, below (reader, 2) != 0);
}

static void
happen (AgentSite *site, LkBytesReader *reader)
{
  Happens what = (Happens)below (reader, HAPPENS_COUNT);
  LkMessage message;
  switch (what) {
  case HAPPENS_BYTES:
    some_bytes (site, reader);
    break;
  case HAPPENS_STAGE_ENDS:
    some_stage_ends (site, reader);
    break;
  case HAPPENS_STAGE_ENDED_AGAIN:
    stage_ended_again (site, reader);
    break;
  case HAPPENS_SUPERVISOR_DIES:
    site_supervisor_dies (site, below (reader, 6));
    break;
  case HAPPENS_WAIT:
    site_wait (site, some_duration_us (lk_take_u8 (reader)));
    break;
  case HAPPENS_DISK:
    site->disk = (SiteDisk)below (reader, SITE_DISK_FAILS + 1);
    break;
  case HAPPENS_DISK_DONE:
    site_disk_done (site, below (reader, 8) != 0);
    break;
  case HAPPENS_PORTS:
    site->is_instant = below (reader, 2);
    site->creates_fail = below (reader, 2);
    break;
  case HAPPENS_RESTART:
    crash (site, reader);
    break;
  case HAPPENS_REBOOT:
    site_reboot (site);
    break;
  case HAPPENS_BAD_FILE:
    bad_file (site, reader);
    break;
  case HAPPENS_STEP_ORDER:
    step_order (site, reader);
    break;
  case HAPPENS_STEP_ENDS:
    step_ends (site, reader);
    break;
  case HAPPENS_STEP_PORTS:
    site->steps_fail = below (reader, 2);
    break;
  default:
    message = some_message (reader, what);
    site_message (site, &message);
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  g_autoptr (AgentSite) site = site_new ();
  for (guint i = 0; i < STEPS_MAX && reader.left_bytes > 0; i++) {
    if (site->agent == NULL) {
      gboolean has_started = site_start (site);
      LK_ASSERT (has_started);
    }
    happen (site, &reader);
    if (site->agent != NULL)
      lk_agent_check (site->agent);
    g_ptr_array_set_size (site->sent, 0);
    g_string_truncate (site->log, 0);
  }
  return 0;
}
