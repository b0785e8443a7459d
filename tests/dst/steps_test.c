/* tests/dst/steps_test.c — steps of jobs in a storm: messages are lost, doubled and late, disks
 * slow, agents, nodes and the controller die.
 *
 * Whatever happens, no step is begun twice on a node, no two have a core at the same time unless
 * one overlaps, and each that was noted in the journal has ended there once, and on its nodes.
 * LK_DST_SEED=N tries one seed, and LK_DST_LOG=1 tells what happens. */
#include "live/core/step_task.h"
#include "tests/dst/stage.h"
#include "tests/engine/seed.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)
#define SEEDS 200u
#define JOBS 30u
#define ASKS 1500u
#define STORM_S 200u

typedef struct {
  char *node;
  guint64 run_id;
  guint32 step_id;
  char *cores;
  gboolean overlaps;
  gboolean is_over;
} Begun;

typedef struct {
  DstStage stage;
  Seed seed;
  guint64 number;
  GArray *begun;   /* of Begun */
  guint64 request; /* the last */
} Play;

static guint64
key_of (guint64 run_id, guint32 step_id)
{
  return (run_id << 20) + step_id;
}

static void
clear_begun (gpointer data)
{
  g_free (((Begun *)data)->node);
  g_free (((Begun *)data)->cores);
}

/* ---------------------------------------------------------------- what really runs */

/* Lists of single cores and ranges. */
static guint64
cores_of (const char *text)
{
  guint64 set = 0;
  for (const char *at = text; g_ascii_isdigit (*at);) {
    char *end;
    guint64 first = g_ascii_strtoull (at, &end, 10);
    guint64 last = *end == '-' ? g_ascii_strtoull (end + 1, &end, 10) : first;
    for (guint64 core = first; core <= last; core++)
      set |= G_GUINT64_CONSTANT (1) << core;
    at = *end == ',' ? end + 1 : end;
  }
  return set;
}

static void
on_begun (gpointer user, const LkProcessSimStep *step)
{
  Play *self = user;
  Begun one = { .node = g_strdup (step->node),
                .run_id = step->run_id,
                .step_id = step->step_id,
                .overlaps = (step->flags & LK_STEP_FLAG_OVERLAP) != 0,
                .cores = g_strndup (step->place->cores.bytes, step->place->cores.length_bytes) };
  for (guint i = 0; i < self->begun->len; i++) {
    const Begun *other = &g_array_index (self->begun, Begun, i);
    if (strcmp (other->node, one.node) != 0 || other->run_id != one.run_id)
      continue;
    if (other->step_id == one.step_id)
      g_error ("seed %" G_GUINT64_FORMAT ": step %u of run %" G_GUINT64_FORMAT " begins twice",
               self->number, one.step_id, one.run_id);
    if (!other->is_over && !other->overlaps && !one.overlaps
        && (cores_of (other->cores) & cores_of (one.cores)) != 0)
      g_error ("seed %" G_GUINT64_FORMAT ": steps %u and %u of run %" G_GUINT64_FORMAT
               " have cores in common",
               self->number, other->step_id, one.step_id, one.run_id);
  }
  g_array_append_val (self->begun, one);
}

static void
on_over (gpointer user, const LkProcessSimStep *step)
{
  Play *self = user;
  for (guint i = 0; i < self->begun->len; i++) {
    Begun *one = &g_array_index (self->begun, Begun, i);
    if (strcmp (one->node, step->node) == 0 && one->run_id == step->run_id
        && one->step_id == step->step_id)
      one->is_over = TRUE;
  }
}

/* ---------------------------------------------------------------- what is asked */

/* As a client of the administrator, who may ask for steps of all jobs. */
static void
say (Play *self, LkMessage *message)
{
  LkController *core = dst_controller (self->stage.cluster);
  LkPeer peer = { .id = 88888, .kind = LK_PEER_USER, .name = "root" };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  if (core == NULL)
    return;
  lk_message_encode (message, bytes);
  lk_controller_message (core, &peer, bytes->data, bytes->len);
}

static void
ask_step (Play *self, guint32 job_id)
{
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  LkStepTask task = { .work_dir = lk_bytes ("/tmp") };
  LkMessage message = { .kind = LK_MESSAGE_STEP_CREATE };
  lk_step_task_encode (&task, payload);
  message.step_create =
      (LkMessage_step_create){ .session = 3,
                               .request = ++self->request,
                               .job_id = job_id,
                               .tasks = seed_below (&self->seed, 4),
                               .distribution = (guint8)seed_below (&self->seed, 3),
                               .payload = { payload->data, payload->len } };
  if (seed_below (&self->seed, 2) == 0)
    message.step_create.flags = LK_STEP_FLAG_EXACT;
  if (seed_below (&self->seed, 10) == 0)
    message.step_create.flags |= LK_STEP_FLAG_OVERLAP;
  if (seed_below (&self->seed, 4) == 0)
    message.step_create.limit_us = seed_between (&self->seed, SECOND_US, 20 * SECOND_US);
  say (self, &message);
  if (seed_below (&self->seed, 4) == 0)
    say (self, &message);
}

static void
ask (gpointer user, gpointer data)
{
  Play *self = user;
  guint32 job_id = 1 + seed_below (&self->seed, JOBS);
  LkMessage message = { .kind = LK_MESSAGE_STEP_SIGNAL };
  guint what = seed_below (&self->seed, 12);
  (void)data;
  if (what > 1) {
    ask_step (self, job_id);
  } else if (what == 1 || seed_below (&self->seed, 3) > 0) {
    message.step_signal = (LkMessage_step_signal){ .session = 3,
                                                   .request = ++self->request,
                                                   .job_id = job_id,
                                                   .step_id = seed_below (&self->seed, 8),
                                                   .signal = seed_below (&self->seed, 2) ? 10 : 0 };
    say (self, &message);
  } else {
    message.kind = LK_MESSAGE_JOB_COMPLETE;
    message.job_complete =
        (LkMessage_job_complete){ .session = 3, .request = ++self->request, .job_id = job_id };
    say (self, &message);
  }
}

static void
submit (gpointer user, gpointer data)
{
  Play *self = user;
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.procs = 1 + seed_below (&self->seed, 8);
  event.submit.estimate_us = 200 * SECOND_US;
  dst_stage_submit (&self->stage, GPOINTER_TO_UINT (data) % DST_STAGE_CLIENTS, &event, 1,
                    seed_between (&self->seed, 20 * SECOND_US, 150 * SECOND_US));
}

/* ---------------------------------------------------------------- what goes wrong */

static void
break_something (gpointer user, gpointer data)
{
  Play *self = user;
  DstCluster *cluster = self->stage.cluster;
  guint node = seed_below (&self->seed, cluster->nodes->len);
  (void)data;
  switch (seed_below (&self->seed, 4)) {
  case 0:
    dst_host_crash (cluster, 0, /* has_lost_power= */ seed_below (&self->seed, 2) == 0);
    break;
  case 1:
    dst_node_crash (cluster, node);
    break;
  default:
    dst_agent_crash (cluster, node);
    break;
  }
}

static void
mend (gpointer user, gpointer data)
{
  Play *self = user;
  (void)data;
  for (guint node = 0; node < self->stage.cluster->nodes->len; node++)
    dst_agent_start (self->stage.cluster, node);
  dst_host_return (self->stage.cluster, 0);
}

static void
plan_storm (Play *self)
{
  LkWorld *world = self->stage.cluster->world;
  gint64 end_us = STORM_S * SECOND_US;
  for (guint i = 0; i < JOBS; i++)
    lk_world_at (world, DST_STAGE_START_US + seed_between (&self->seed, 0, end_us / 2), submit,
                 self, GUINT_TO_POINTER (i), NULL);
  for (guint i = 0; i < ASKS; i++)
    lk_world_at (world, DST_STAGE_START_US + seed_between (&self->seed, 0, end_us), ask, self, NULL,
                 NULL);
  for (guint i = 0; i < 12; i++) {
    gint64 at_us = DST_STAGE_START_US + seed_between (&self->seed, 0, end_us);
    lk_world_at (world, at_us, break_something, self, NULL, NULL);
    lk_world_at (world, at_us + 5 * SECOND_US, mend, self, NULL, NULL);
  }
}

/* ---------------------------------------------------------------- what it comes to */

/* Notes of steps: each is created once and ends once. */
static void
read_journal (Play *self)
{
  LkJournalHeader header;
  LkEvent event;
  const char *fault;
  const guint8 *bytes;
  gsize length_bytes;
  gboolean has_failed = FALSE;
  guint left = 0;
  guint count = 0;
  LkPortDisk disk = lk_disk_sim_port (self->stage.cluster->hosts[0].disk);
  g_autoptr (GBytes) file = disk.ops->view (disk.self, LK_CONTROLLER_JOURNAL, &has_failed);
  gsize file_bytes;
  const guint8 *content = g_bytes_get_data (file, &file_bytes);
  g_autoptr (GHashTable) living = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (LkJournalReader) reader = lk_journal_reader_new (content, file_bytes, &header, &fault);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    while (lk_journal_reader_note (reader, &bytes, &length_bytes)) {
      LkMessage note;
      g_assert_true (lk_message_decode (bytes, length_bytes, &note));
      if (note.kind == LK_MESSAGE_KEPT_STEP) {
        guint64 key = key_of (note.kept_step.run_id, note.kept_step.step_id);
        g_assert_true (g_hash_table_add (living, g_memdup2 (&key, sizeof key)));
        count++;
      } else if (note.kind == LK_MESSAGE_KEPT_STEP_ENDED) {
        guint64 key = key_of (note.kept_step_ended.run_id, note.kept_step_ended.step_id);
        if (!g_hash_table_remove (living, &key))
          g_error ("seed %" G_GUINT64_FORMAT ": step %u ended twice, or never was", self->number,
                   note.kept_step_ended.step_id);
      }
    }
  left = g_hash_table_size (living);
  g_test_message ("seed %" G_GUINT64_FORMAT ": %u steps, %u parts begun", self->number, count,
                  self->begun->len);
  g_assert_cmpuint (left, ==, 0);
  g_assert_cmpuint (count, >, 10);
}

static void
play (guint64 number)
{
  DstFaults faults = { .net = { .loss_ppm = 50000, .duplicate_ppm = 30000 },
                       .controller_disk = { .request_min_us = 1000, .request_max_us = 100000 } };
  Play self = { .seed = { number }, .number = number };
  self.begun = g_array_new (FALSE, TRUE, sizeof (Begun));
  g_array_set_clear_func (self.begun, clear_begun);
  dst_stage_init (&self.stage, DST_STAGE_NODES);
  DstWatch *watch = &self.stage.cluster->options.watch;
  watch->step_begun = on_begun;
  watch->step_over = on_over;
  watch->step_user = &self;
  dst_set_faults (self.stage.cluster, &faults);
  plan_storm (&self);
  dst_stage_run_for_s (&self.stage, STORM_S + 10);
  dst_calm (self.stage.cluster);
  mend (&self, NULL);
  dst_stage_run_to_rest (&self.stage);
  dst_stage_look (&self.stage, "steps", NULL);
  for (guint i = 0; i < self.begun->len; i++)
    g_assert_true (g_array_index (self.begun, Begun, i).is_over);
  read_journal (&self);
  dst_stage_clear (&self.stage);
  g_array_unref (self.begun);
}

static void
test_storm (void)
{
  const char *one = g_getenv ("LK_DST_SEED");
  guint64 first = one != NULL ? g_ascii_strtoull (one, NULL, 10) : 1;
  for (guint64 i = first; i < first + (one != NULL ? 1 : SEEDS); i++)
    play (i);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dst/steps are begun once, apart, and end", test_storm);
  return g_test_run ();
}
