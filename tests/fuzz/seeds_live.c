/* tests/fuzz/seeds_live.c — a message of each kind, batch jobs, and the stories of a few agents. */
#include "tests/fuzz/agent_happens.h"
#include "tests/fuzz/seeds.h"
#include "live/core/record.h"
#include "live/core/step_frame.h"
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
/* Of run 1, by the first registration. */
#define STEP(what, step, number, signal) HAPPENS_STEP_ORDER, what, 1, 1, 1, step, number, signal
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
/* Launched twice, signalled, listened to, ended and forgotten; one that cannot be begun. */
static const guint8 steps[] = { REGISTERED,
                                LAUNCH (1, 1),
                                STEP (0, 0, 0, 0),
                                STEP (0, 0, 0, 0),
                                STEP (1, 0, 1, 10),
                                STEP (1, 0, 1, 10),
                                STEP (2, 0, 0, 0),
                                HAPPENS_STEP_PORTS,
                                1,
                                STEP (0, 1, 0, 0),
                                HAPPENS_RESTART,
                                1,
                                REGISTERED,
                                STEP (1, 0, 0, 0),
                                HAPPENS_STEP_ENDS,
                                1,
                                0,
                                2,
                                0,
                                STEP (3, 0, 0, 0),
                                HAPPENS_STEP_PORTS,
                                0,
                                STEP (0, 2, 0, 0),
                                ENDS (1, 0),
                                STEP (3, 2, 0, 0),
                                STEP (0, 3, 0, 0),
                                FORGET (1) };

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
    { "lost", lost, sizeof lost },       { "steps", steps, sizeof steps },
  };
  for (guint i = 0; i < G_N_ELEMENTS (stories); i++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_byte_array_append (bytes, stories[i].bytes, stories[i].length_bytes);
    put_seed (self, "agent", stories[i].name, bytes);
  }
}

/* A stream as its launcher hears it: the first word, the one that opens, and one of each other kind
 * of a node. */
static void
append_frame (GByteArray *out, const LkStepFrame *frame)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_step_frame_encode (frame, bytes);
  guint8 length_bytes = (guint8)bytes->len;
  g_byte_array_append (out, &length_bytes, 1);
  g_byte_array_append (out, bytes->data, bytes->len);
}

static void
put_stream (Seeds *self)
{
  static const guint8 nonce[LK_STEP_NONCE_BYTES] = { 1 };
  static const guint8 byte = 'x';
  const LkStepFrame frames[] = {
    { .kind = LK_STEP_FRAME_HELLO,
      .hello = { LK_STEP_FRAME_VERSION, 1, 0, 1, { nonce, sizeof nonce } } },
    { .kind = LK_STEP_FRAME_READY, .ready = { { "n1", 2 }, 2 } },
    { .kind = LK_STEP_FRAME_STARTED, .started = { 0, 100 } },
    { .kind = LK_STEP_FRAME_OUT, .out = { 0, { &byte, 1 } } },
    { .kind = LK_STEP_FRAME_ERR, .err = { 1, { &byte, 1 } } },
    { .kind = LK_STEP_FRAME_LOG, .log = { 1, { "x", 1 } } },
    { .kind = LK_STEP_FRAME_PMIX_UP, .pmix_up = { LK_STEP_ALL, { &byte, 1 } } },
    { .kind = LK_STEP_FRAME_OUT_EOF, .out_eof = { 0 } },
    { .kind = LK_STEP_FRAME_TASK_EXIT, .task_exit = { 0, 256, 0 } },
    { .kind = LK_STEP_FRAME_NODE_END },
  };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_byte_array_append (bytes, (const guint8 *)"\0", 1);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    append_frame (bytes, &frames[i]);
  put_seed (self, "step_talk", "launcher", bytes);
  const LkStepPmixWord word = {
    .kind = LK_STEP_PMIX_FENCE_UP, .number = 1, .tasks = { nonce, 8 }, .data = { &byte, 1 }
  };
  g_byte_array_set_size (bytes, 0);
  lk_step_pmix_word_encode (&word, bytes);
  put_seed (self, "step_talk", "pmix", bytes);
}

static void
put_step_texts (Seeds *self)
{
  static const char *const texts[][2] = {
    { "pmi1", "cmd=init pmi_version=1 pmi_subversion=1\ncmd=put kvsname=1.0 key=a value=b\n" },
    { "pmi2", "26    cmd=kvs-put;key=a;value=b;38    cmd=kvs-put;thrid=0x1;key=a;value=b;;;" },
    { "multi-prog", "0-1,4 echo %t '%o'\\\n more # x\n* \"hostname\"\n" },
    { "mask_cpu", "v,mask_cpu:0x3*2,0xC" },
    { "single", "verbose,single:2" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_byte_array_append (bytes, (const guint8 *)texts[i][1], (guint)strlen (texts[i][1]));
    put_seed (self, "step_talk", texts[i][0], bytes);
  }
}

void
put_live_seeds (Seeds *self)
{
  put_stream (self);
  put_step_texts (self);
  put_messages (self);
  put_batches (self);
  put_records (self);
  put_agents (self);
  put_controller_seeds (self);
  put_standby_seeds (self);
  put_net_seeds (self);
}
