/* tests/fuzz/standby_fuzz.c — any bytes as what happens to a standby: pieces of a journal, whole,
 * spoilt, forged, out of place or of another term; messages of any kind; a bad disk, deaths, and at
 * last a promotion.
 *
 * Behind each step every invariant must hold.  What a standby has said to be durable it has when it
 * comes back, and it always comes back: on its disk is only what it has found good.  A controller
 * that it becomes goes on without a fault, and keeps standbys off its disk. */
#include "engine/assert.h"
#include "engine/bytes.h"
#include "engine/crc32c.h"
#include "live/core/controller_private.h"
#include "live/core/standby.h"
#include "live/port/port_clock_sim.h"
#include "live/port/port_disk_sim.h"
#include "tests/fuzz/standby_happens.h"
#include "tests/live/controller_site.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

#define STEPS_MAX 300u
#define FAIL_PPM 200000u
#define SETTLE_MAX 1000u

typedef struct {
  const ControlSite *told; /* whose journal it is */
  GByteArray *journal;     /* what the controller sends */
  LkBytesReader *reader;
  LkWorld *world;
  LkClockSim *clock;
  LkDiskSim *disk;
  LkStandby *standby;
  LkController *core; /* once it is promoted */
  guint64 told_seq;   /* that it has said to be durable */
} Fuzz;

static guint8
below (Fuzz *self, guint8 limit)
{
  return lk_take_u8 (self->reader) % limit;
}

/* ---------------------------------------------------------------- the controller's journal */

static void
submit (ControlSite *site, guint64 session, guint32 procs, const char *array)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.user_id = CONTROL_USER;
  event.submit.procs = procs;
  event.submit.estimate_us = 60 * CONTROL_SECOND_US;
  event.submit.array = lk_text (array);
  control_ask (site, CONTROL_USER, session, 1, &event);
  control_settle (site);
}

/* Jobs that run, wait and end, and a second controller with a higher term. */
static ControlSite *
story (void)
{
  static const ControlOptions options = { .snapshot_events = 5, .session_count_max = 10 };
  ControlSite *site = control_site_new (&options);
  LkRunReport how = { .run_id = 1, .job_id = 1, .exit_code = 3 };
  control_start_all (site);
  submit (site, 1, 1, "");
  submit (site, 2, 3, "");
  submit (site, 3, 1, "1-3");
  control_order (site, 4, LK_EVENT_CANCEL, 2);
  control_run_ended (site, 0, &how, "");
  control_crash (site, 0, 0);
  gboolean has_started = control_start (site, 2);
  LK_ASSERT (has_started);
  control_wait (site, 60 * CONTROL_SECOND_US);
  submit (site, 5, 1, "");
  return site;
}

/* A record with another byte, and the CRC that fits it. */
static void
forge (Fuzz *self)
{
  guint number = lk_take_u8 (self->reader);
  guint16 place = lk_take_u16 (self->reader);
  guint8 value = lk_take_u8 (self->reader);
  gsize at = LK_JOURNAL_MAGIC_BYTES;
  LkCrc32c crc;
  while (at + 8 <= self->journal->len) {
    LkBytesReader frame = { self->journal->data + at, 4, FALSE };
    guint32 body_bytes = lk_take_u32 (&frame);
    guint8 *body = self->journal->data + at + 8;
    if (number-- == 0 && body_bytes > 0) {
      body[place % body_bytes] = value;
      lk_crc32c_init (&crc);
      lk_put_u32 (self->journal->data + at + 4, lk_crc32c (&crc, body, body_bytes));
      return;
    }
    at += 8 + body_bytes;
  }
}

/* ---------------------------------------------------------------- ports */

static void
woken (gpointer user)
{
  Fuzz *self = user;
  if (self->core != NULL)
    lk_controller_woken (self->core);
  else if (self->standby != NULL)
    lk_standby_woken (self->standby);
}

static void
disk_done (gpointer user, guint64 token, gboolean has_succeeded)
{
  Fuzz *self = user;
  if (self->core != NULL)
    lk_controller_disk_done (self->core, token, has_succeeded);
  else if (self->standby != NULL)
    lk_standby_disk_done (self->standby, token, has_succeeded);
}

static gboolean
net_send (void *user, LkPeerId peer, const guint8 *bytes, gsize length_bytes)
{
  Fuzz *self = user;
  LkMessage message;
  gboolean is_good = lk_message_decode (bytes, length_bytes, &message);
  LK_ASSERT (is_good);
  if (message.kind == LK_MESSAGE_FOLLOWED) {
    LK_ASSERT (peer == LK_STANDBY_CONTROLLER);
    self->told_seq = MAX (self->told_seq, message.followed.seq);
  }
  return TRUE;
}

static const LkPortNetOps net_ops = { .size = sizeof (LkPortNetOps), .send = net_send };

static void
start (Fuzz *self, LkControllerFailure wanted)
{
  LkControllerFailure failure;
  LkControllerPorts ports = { .clock = lk_clock_sim_port (self->clock),
                              .net = { &net_ops, self },
                              .disk = lk_disk_sim_port (self->disk) };
  self->standby = lk_standby_new (&self->told->config, &ports, &failure);
  LK_ASSERT (failure == wanted);
}

static void
stop (Fuzz *self, gboolean has_lost_power)
{
  lk_disk_sim_stop (self->disk, has_lost_power);
  lk_clock_sim_stop (self->clock);
  g_clear_pointer (&self->standby, lk_standby_free);
  g_clear_pointer (&self->core, lk_controller_free);
}

/* It comes back with all that it has said to be durable. */
static void
restart (Fuzz *self, gboolean has_lost_power)
{
  LkStandbyStatus status;
  stop (self, has_lost_power);
  start (self, LK_CONTROLLER_OK);
  lk_standby_status (self->standby, &status);
  LK_ASSERT (status.seq >= self->told_seq);
}

static void
run_for (Fuzz *self, gint64 duration_us)
{
  gint64 until_us = lk_world_now_us (self->world) + duration_us;
  while (lk_world_next_us (self->world) <= until_us)
    lk_world_step (self->world);
}

/* ---------------------------------------------------------------- what comes */

static void
say (Fuzz *self, const LkMessage *message)
{
  static const LkPeer controller = { .id = LK_STANDBY_CONTROLLER, .kind = LK_PEER_CONTROLLER };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_message_encode (message, bytes);
  lk_standby_message (self->standby, &controller, bytes->data, bytes->len);
}

static void
piece (Fuzz *self)
{
  LkMessage message = { .kind = LK_MESSAGE_JOURNAL };
  LkStandbyStatus status;
  lk_standby_status (self->standby, &status);
  message.journal.term = below (self, 4);
  message.journal.epoch = lk_take_u8 (self->reader);
  guint64 offset = lk_take_u16 (self->reader);
  guint32 length_bytes = lk_take_u16 (self->reader);
  guint8 mask = lk_take_u8 (self->reader);
  guint16 place = mask != 0 ? lk_take_u16 (self->reader) : 0;
  if (offset == 0)
    offset = status.journal_bytes;
  offset = MIN (offset, self->journal->len);
  length_bytes = MIN (length_bytes, self->journal->len - (guint32)offset);
  g_autoptr (GByteArray) content = g_byte_array_new ();
  if (length_bytes > 0)
    g_byte_array_append (content, self->journal->data + offset, length_bytes);
  if (length_bytes > 0)
    content->data[place % length_bytes] ^= mask;
  message.journal.offset_bytes = offset;
  message.journal.durable_bytes = self->journal->len;
  message.journal.content = (LkBytes){ content->data, content->len };
  say (self, &message);
}

static void
shorter (Fuzz *self)
{
  LkMessage message = { .kind = LK_MESSAGE_JOURNAL };
  LkStandbyStatus status;
  lk_standby_status (self->standby, &status);
  message.journal.term = below (self, 4);
  message.journal.offset_bytes = status.journal_bytes;
  message.journal.durable_bytes = status.journal_bytes / 2;
  say (self, &message);
}

static void
some_bytes (Fuzz *self)
{
  LkPeer peer = { .id = LK_STANDBY_CONTROLLER, .name = "n1" };
  peer.kind = (LkPeerKind)below (self, LK_PEER_STANDBY + 1);
  gsize length_bytes = lk_take_u8 (self->reader);
  length_bytes = MIN (length_bytes, self->reader->left_bytes);
  lk_standby_message (self->standby, &peer, lk_take (self->reader, length_bytes), length_bytes);
}

static void
what_disk (Fuzz *self)
{
  guint8 how = below (self, 4);
  LkDiskSimFaults faults = { .request_max_us = (how & 1) != 0 ? G_USEC_PER_SEC : 0,
                             .fail_ppm = (how & 2) != 0 ? FAIL_PPM : 0 };
  lk_disk_sim_set_faults (self->disk, &faults);
}

/* The controller goes on, and its disk is one of a controller from then on. */
static void
promote (Fuzz *self)
{
  static const LkDiskSimFaults none = { 0 };
  LkControllerFailure failure;
  LkStandbyStatus status;
  lk_standby_status (self->standby, &status);
  lk_disk_sim_set_faults (self->disk, &none);
  self->core = lk_standby_promote (self->standby, status.term + below (self, 3), &failure);
  if (self->core == NULL)
    return;
  g_clear_pointer (&self->standby, lk_standby_free);
  for (guint i = 0; i < SETTLE_MAX; i++) {
    run_for (self, 5 * G_USEC_PER_SEC); /* its disk may be behind */
    gboolean is_busy = lk_controller_settle (self->core);
    lk_controller_check (self->core);
    if (!is_busy && i > 10)
      break;
  }
  if (lk_controller_failure (self->core) != LK_CONTROLLER_OK)
    return; /* of what was asked of the disk before */
  LK_ASSERT (lk_controller_durable_seq (self->core) >= status.durable_seq);
  stop (self, /* has_lost_power= */ TRUE);
  start (self, LK_CONTROLLER_FORMER);
}

static void
happen (Fuzz *self)
{
  switch ((StandbyHappens)below (self, STANDBY_COUNT)) {
  case STANDBY_PIECE:
    piece (self);
    break;
  case STANDBY_SHORT:
    shorter (self);
    break;
  case STANDBY_FORGE:
    forge (self);
    break;
  case STANDBY_BYTES:
    some_bytes (self);
    break;
  case STANDBY_DISK:
    what_disk (self);
    break;
  case STANDBY_WAIT:
    run_for (self, standby_durations_us[below (self, G_N_ELEMENTS (standby_durations_us))]);
    break;
  case STANDBY_WOKEN:
    lk_standby_woken (self->standby);
    break;
  case STANDBY_RESTART:
    restart (self, below (self, 2) != 0);
    break;
  default:
    promote (self);
  }
}

/* ---------------------------------------------------------------- all of it */

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  static ControlSite *told = NULL;
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  if (told == NULL)
    told = story ();
  const GByteArray *journal = control_file (told, LK_CONTROLLER_JOURNAL);
  Fuzz fuzz = { .told = told, .reader = &reader, .journal = g_byte_array_new () };
  g_byte_array_append (fuzz.journal, journal->data, journal->len);
  fuzz.world = lk_world_new (lk_take_u8 (&reader), told->realtime_us);
  fuzz.clock = lk_clock_sim_new (fuzz.world, woken, &fuzz);
  fuzz.disk = lk_disk_sim_new (fuzz.world, "standby", disk_done, &fuzz);
  start (&fuzz, LK_CONTROLLER_OK);
  for (guint i = 0; i < STEPS_MAX && reader.left_bytes > 0 && fuzz.standby != NULL; i++) {
    happen (&fuzz);
    if (fuzz.standby == NULL)
      break;
    lk_standby_check (fuzz.standby);
    if (lk_standby_failure (fuzz.standby) != LK_CONTROLLER_OK)
      restart (&fuzz, /* has_lost_power= */ FALSE);
  }
  stop (&fuzz, /* has_lost_power= */ TRUE);
  lk_world_free (fuzz.world);
  lk_clock_sim_free (fuzz.clock);
  lk_disk_sim_free (fuzz.disk);
  g_byte_array_unref (fuzz.journal);
  return 0;
}
