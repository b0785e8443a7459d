/* tests/fuzz/seeds_live.c — a message of each kind, batch jobs, and the stories of a few agents. */
#include "tests/fuzz/agent_happens.h"
#include "tests/fuzz/seeds.h"
#include "live/core/record.h"
#include "tests/live/random_batch.h"

static void
put_messages (Seeds *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (message_kinds); i++) {
    Seed seed = { message_kinds[i] };
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    LkMessage message = random_message (&seed, message_kinds[i]);
    /* Seeds are to be short. */
    while (lk_message_encode (&message, bytes), bytes->len > 1000) {
      g_byte_array_set_size (bytes, 0);
      message = random_message (&seed, message_kinds[i]);
    }
    put_seed (self, "message", lk_message_kind_name (message_kinds[i]), bytes);
  }
}

/* Two records of each kind, all of whose fields are zero and empty. */
static void
put_records (Seeds *self)
{
  for (guint kind = 1; strcmp (lk_record_kind_name (kind), "?") != 0; kind++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    guint8 first = (guint8)kind;
    LkRecord record = { .kind = kind };
    g_byte_array_append (bytes, &first, 1);
    lk_record_append (&record, bytes);
    lk_record_append (&record, bytes);
    put_seed (self, "record", lk_record_kind_name (kind), bytes);
  }
}

static void
put_batches (Seeds *self)
{
  for (guint i = 0; i < 4; i++) {
    Seed seed = { i };
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    LkBatch batch = random_batch (&seed);
    while (lk_batch_encode (&batch, bytes), bytes->len > 1000) {
      g_byte_array_set_size (bytes, 0);
      batch = random_batch (&seed);
    }
    g_autofree char *name = g_strdup_printf ("random-%u", i);
    put_seed (self, "batch", name, bytes);
  }
}

/* With the disk as it is at first, which is done at once. */
#define REGISTERED HAPPENS_REGISTERED, 1, 1, 1, 3, 0, 0, HAPPENS_REPORTED, 1, 0, 1, 0, 0, 0
#define LAUNCH(run, epoch) HAPPENS_LAUNCH, 1, run, epoch, 1, 0, 0
#define ENDS(run, stage) HAPPENS_STAGE_ENDS, run, stage, 0, 0, 0
#define FAILS(run, stage) HAPPENS_STAGE_ENDS, run, stage, 1, 0, 0
#define TERMINATE(run) HAPPENS_TERMINATE, 1, run, 0, 3, 0, 0
#define FORGET(run) HAPPENS_FORGET, 1, run, 0, 0, 0, 0
#define WAIT HAPPENS_WAIT, 3

static const guint8 whole[] = { REGISTERED,  LAUNCH (1, 1), ENDS (1, 0), ENDS (1, 1),  WAIT,
                                ENDS (1, 2), WAIT,          FORGET (1),  LAUNCH (1, 1) };
static const guint8 killed[] = { REGISTERED,    LAUNCH (1, 1), ENDS (1, 0), TERMINATE (1), WAIT,
                                 TERMINATE (1), WAIT,          ENDS (1, 1), ENDS (1, 2) };
static const guint8 failed[] = {
  REGISTERED,  LAUNCH (1, 1), LAUNCH (2, 1), FAILS (1, 0),  ENDS (1, 2),
  ENDS (2, 0), FAILS (2, 1),  FAILS (2, 2),  HAPPENS_PORTS, 0,
  1,           LAUNCH (3, 1), FORGET (1),    FORGET (3),    WAIT
};
static const guint8 restarts[] = { REGISTERED,
                                   LAUNCH (1, 1),
                                   HAPPENS_RESTART,
                                   0,
                                   ENDS (1, 0),
                                   HAPPENS_STAGE_ENDED_AGAIN,
                                   1,
                                   HAPPENS_RESTART,
                                   0,
                                   ENDS (1, 1),
                                   HAPPENS_RESTART,
                                   0,
                                   HAPPENS_REGISTERED,
                                   1,
                                   4,
                                   2,
                                   3,
                                   0,
                                   0,
                                   HAPPENS_REPORTED,
                                   1,
                                   0,
                                   2,
                                   0,
                                   0,
                                   0,
                                   ENDS (1, 2),
                                   WAIT,
                                   FORGET (1),
                                   HAPPENS_REBOOT };
static const guint8 orders[] = { REGISTERED,
                                 LAUNCH (1, 1),
                                 HAPPENS_SUSPEND,
                                 1,
                                 1,
                                 1,
                                 1,
                                 1,
                                 0,
                                 ENDS (1, 0),
                                 HAPPENS_SIGNAL,
                                 1,
                                 1,
                                 1,
                                 2,
                                 10,
                                 1,
                                 HAPPENS_SUSPEND,
                                 1,
                                 1,
                                 1,
                                 3,
                                 0,
                                 0,
                                 TERMINATE (5),
                                 LAUNCH (5, 1) };
static const guint8 terms[] = { HAPPENS_DISK,
                                1,
                                HAPPENS_REGISTERED,
                                2,
                                1,
                                1,
                                3,
                                0,
                                0,
                                LAUNCH (1, 1),
                                HAPPENS_TERMINATE,
                                3,
                                1,
                                0,
                                0,
                                0,
                                0,
                                HAPPENS_DISK_DONE,
                                1,
                                HAPPENS_DISK_DONE,
                                1,
                                HAPPENS_BAD_FILE,
                                3,
                                HAPPENS_DISK,
                                2,
                                HAPPENS_RESTART,
                                1 };
static const guint8 lost[] = { REGISTERED,
                               HAPPENS_PORTS,
                               1,
                               0,
                               LAUNCH (1, 1),
                               HAPPENS_SUPERVISOR_DIES,
                               1,
                               ENDS (1, 1),
                               WAIT,
                               HAPPENS_BYTES,
                               3,
                               9,
                               LK_MESSAGE_REPORTED,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0 };

static void
put_agents (Seeds *self)
{
  static const struct {
    const char *name;
    const guint8 *bytes;
    guint length_bytes;
  } stories[] = {
    { "whole", whole, sizeof whole },    { "killed", killed, sizeof killed },
    { "failed", failed, sizeof failed }, { "restarts", restarts, sizeof restarts },
    { "orders", orders, sizeof orders }, { "terms", terms, sizeof terms },
    { "lost", lost, sizeof lost },
  };
  for (guint i = 0; i < G_N_ELEMENTS (stories); i++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_byte_array_append (bytes, stories[i].bytes, stories[i].length_bytes);
    put_seed (self, "agent", stories[i].name, bytes);
  }
}

void
put_live_seeds (Seeds *self)
{
  put_messages (self);
  put_batches (self);
  put_records (self);
  put_agents (self);
  put_controller_seeds (self);
  put_standby_seeds (self);
  put_net_seeds (self);
}
