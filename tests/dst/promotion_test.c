/* tests/dst/promotion_test.c — a standby of a whole cluster takes over, at any moment.
 *
 * Users ask for anything, the network and the disks are bad, and what users were told and what
 * really ran is held against the journal of the controller that was promoted. */
#include <string.h>

#include "engine/assert.h"
#include "tests/dst/workload.h"
#include "tests/engine/seed.h"
#include "tests/property/storm_site.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)
#define START_US (G_GINT64_CONSTANT (1700000000) * SECOND_US)
#define CLIENTS 8u
#define ALL_HOSTS 3u

/* What a user was told. */
typedef struct {
  guint64 session;
  guint64 request;
  guint64 seq;
  guint32 job_id;
} Told;

/* A run that lives on a node. */
typedef struct {
  guint64 run_id;
  guint32 job_id;
  char *node;
} Live;

typedef struct {
  Seed seed;
  guint site;
  DstCluster *cluster;
  DstWorkload *workload;
  GArray *told;           /* of Told */
  GArray *live;           /* of Live */
  GHashTable *begun;      /* "run node": never iterated */
  GHashTable *jobs;       /* job id by run: never iterated */
  gboolean may_run_again; /* what is not known of a run may be that it lives, or has ended */
} Story;

/* ---------------------------------------------------------------- who watches */

static void
on_answer (gpointer user, const DstAnswer *answer)
{
  Story *self = user;
  Told told = { answer->session, answer->request, answer->seq, answer->job_id };
  if (answer->seq > 0)
    g_array_append_val (self->told, told);
  dst_workload_answered (self->workload, answer);
}

static void
live_clear (gpointer data)
{
  g_free (((Live *)data)->node);
}

/* A run is of one job, whoever has begun it. */
static void
note_job (Story *self, const LkProcessSimRun *run)
{
  guint32 job_id = GPOINTER_TO_UINT (g_hash_table_lookup (self->jobs, &run->run_id));
  if (job_id == 0)
    g_hash_table_insert (self->jobs, g_memdup2 (&run->run_id, sizeof run->run_id),
                         GUINT_TO_POINTER (run->job_id));
  else if (job_id != run->job_id)
    g_error ("run %" G_GUINT64_FORMAT " is of job %u and of job %u", run->run_id, job_id,
             run->job_id);
}

/* No other run of the job lives anywhere, and this one was never begun on this node. */
static void
on_begun (gpointer user, const LkProcessSimRun *run)
{
  Story *self = user;
  Live live = { run->run_id, run->job_id, g_strdup (run->node) };
  for (guint i = 0; i < self->live->len; i++) {
    const Live *other = &g_array_index (self->live, Live, i);
    if (other->job_id == run->job_id && other->run_id != run->run_id && !self->may_run_again)
      g_error ("job %u runs twice: run %" G_GUINT64_FORMAT " on %s, run %" G_GUINT64_FORMAT
               " on %s",
               run->job_id, other->run_id, other->node, run->run_id, run->node);
  }
  char *key = g_strdup_printf ("%" G_GUINT64_FORMAT " %s", run->run_id, run->node);
  gboolean is_new = g_hash_table_add (self->begun, key);
  if (!is_new && !self->may_run_again)
    g_error ("run %" G_GUINT64_FORMAT " is begun twice on %s", run->run_id, run->node);
  note_job (self, run);
  g_array_append_val (self->live, live);
}

static void
on_over (gpointer user, const LkProcessSimRun *run)
{
  Story *self = user;
  for (guint i = 0; i < self->live->len; i++) {
    const Live *live = &g_array_index (self->live, Live, i);
    if (live->run_id == run->run_id && strcmp (live->node, run->node) == 0) {
      g_array_remove_index_fast (self->live, i);
      return;
    }
  }
}

static void
print_line (gpointer user, gint64 now_us, const char *line)
{
  (void)user;
  g_printerr ("%" G_GINT64_FORMAT " %s\n", now_us - START_US, line);
}

/* ---------------------------------------------------------------- the cluster */

static void
begin (Story *self, guint64 seed, gboolean waits)
{
  self->seed.state = seed;
  self->told = g_array_new (FALSE, FALSE, sizeof (Told));
  self->live = g_array_new (FALSE, FALSE, sizeof (Live));
  g_array_set_clear_func (self->live, live_clear);
  self->begun = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->jobs = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->site = seed_below (&self->seed, lk_storm_site_count ());
  DstOptions options = {
    .seed = seed_next (&self->seed),
    .start_us = START_US,
    .setup = lk_storm_setup (self->site),
    .source = "promotion",
    .controller = { .heartbeat_us = SECOND_US,
                    .node_timeout_us = 15 * SECOND_US,
                    .registration_wait_us = 5 * SECOND_US,
                    .retry_us = SECOND_US / 2,
                    .kill_wait_us = SECOND_US,
                    .snapshot_events = 5 + seed_below (&self->seed, 60),
                    .session_count_max = 1024,
                    .waits_for_standby = waits },
    .agent_retry_us = SECOND_US,
    .client_retry_us = 2 * SECOND_US,
    .restart_us = 2 * SECOND_US,
    .client_count = CLIENTS,
    .watch = { .answered = on_answer, .run_begun = on_begun, .run_over = on_over, .user = self },
  };
  options.identities = dst_workload_identities (&options.identity_count);
  options.controller.administrator_user_id = options.identities[0].user_id;
  self->cluster = dst_cluster_new (&options);
  dst_set_checked (self->cluster, seed_below (&self->seed, 4) == 0);
  if (g_getenv ("LK_PROMOTION_LOG") != NULL)
    dst_tell_to (self->cluster, print_line, NULL);
  DstWorkloadOptions workload = { .seed = seed_next (&self->seed),
                                  .is_crowded = TRUE,
                                  .request_count = 60,
                                  .pause_max_us = 4 * SECOND_US,
                                  .script_max_us = 40 * SECOND_US };
  self->workload = dst_workload_new (self->cluster, &workload);
}

static void
end (Story *self)
{
  dst_cluster_free (self->cluster);
  dst_workload_free (self->workload);
  g_array_unref (self->told);
  g_array_unref (self->live);
  g_hash_table_unref (self->begun);
  g_hash_table_unref (self->jobs);
}

static void
make_trouble (Story *self)
{
  guint32 bad = seed_below (&self->seed, 3);
  DstFaults faults = {
    .net = { .delay_max_us = bad == 0 ? 1000 : SECOND_US / 4,
             .slow_ppm = 20000 * bad,
             .slow_max_us = 3 * SECOND_US,
             .loss_ppm = 40000 * bad,
             .duplicate_ppm = 30000 * bad,
             .reorder_ppm = 100000 * bad },
    .controller_disk = { .request_min_us = 100,
                         .request_max_us = 20000,
                         .slow_ppm = 50000 * bad,
                         .slow_max_us = SECOND_US },
    .lag_max_us = 10000,
  };
  dst_set_faults (self->cluster, &faults);
}

static gint64
some_us (Story *self, gint64 max_us)
{
  return seed_between (&self->seed, 0, max_us);
}

/* Like the host that they run on, all but the disk comes back as it was. */
static void
promote (Story *self, guint64 term)
{
  DstHost *host = &self->cluster->hosts[1];
  for (guint i = 0; i < 100 && host->core == NULL; i++) {
    if (host->standby != NULL)
      dst_host_promote (self->cluster, 1, term);
    if (host->core == NULL)
      dst_run_for (self->cluster, SECOND_US);
  }
  g_assert_nonnull (host->core);
}

/* ---------------------------------------------------------------- what has to hold */

/* How much of what users were told, up to this event, does not stand in the journal of the second
 * host as it was told. */
static guint
lost_count (const Story *self, guint64 seq_max)
{
  const GByteArray *bytes = lk_disk_sim_peek (self->cluster->hosts[1].disk, LK_CONTROLLER_JOURNAL);
  g_autoptr (GHashTable) notes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  LkJournalHeader header;
  const char *fault;
  LkEvent event;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (bytes->data, bytes->len, &header, &fault);
  g_assert_nonnull (reader);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT) {
    const guint8 *note_bytes;
    gsize length_bytes;
    LkMessage note;
    while (lk_journal_reader_note (reader, &note_bytes, &length_bytes)) {
      g_assert_true (lk_message_decode (note_bytes, length_bytes, &note));
      if (note.kind == LK_MESSAGE_KEPT_REQUEST)
        g_hash_table_add (notes,
                          g_strdup_printf ("%" G_GINT64_MODIFIER "x %" G_GUINT64_FORMAT
                                           " %" G_GUINT64_FORMAT,
                                           note.kept_request.session, note.kept_request.request,
                                           note.kept_request.seq));
    }
  }
  guint count = 0;
  for (guint i = 0; i < self->told->len; i++) {
    const Told *told = &g_array_index (self->told, Told, i);
    g_autofree char *key =
        g_strdup_printf ("%" G_GINT64_MODIFIER "x %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
                         told->session, told->request, told->seq);
    count += told->seq > seq_max || g_hash_table_contains (notes, key) ? 0 : 1;
  }
  return count;
}

static gboolean
is_quiet (gpointer user)
{
  const Story *self = user;
  LkControllerCounts counts;
  LkEngineCounts engine;
  const LkController *core = self->cluster->hosts[1].core;
  if (core == NULL || dst_open_count (self->cluster) > 0 || self->live->len > 0)
    return FALSE;
  lk_controller_counts (core, &counts);
  lk_engine_counts (lk_controller_engine (core), &engine);
  return counts.run_count == 0 && engine.running_count == 0 && engine.pending_count == 0;
}

static void
tell_unrest (const Story *self)
{
  LkControllerCounts counts;
  LkEngineCounts engine;
  const LkController *core = self->cluster->hosts[1].core;
  g_assert_nonnull (core);
  lk_controller_counts (core, &counts);
  lk_engine_counts (lk_controller_engine (core), &engine);
  g_error ("no rest: %u requests open, %u processes, %u runs, %u jobs run, %u wait",
           dst_open_count (self->cluster), self->live->len, counts.run_count, engine.running_count,
           engine.pending_count);
}

/* Faults stop, all jobs are cancelled, and everything comes to rest under the second host. */
static void
come_to_rest (Story *self)
{
  dst_calm (self->cluster);
  for (guint i = 0; i < self->cluster->nodes->len; i++) {
    dst_node_withhold (self->cluster, i, FALSE);
    dst_agent_start (self->cluster, i);
  }
  while (!dst_workload_is_over (self->workload))
    dst_run_for (self->cluster, 20 * SECOND_US);
  for (guint i = 0; i < 20 && !is_quiet (self); i++) {
    dst_workload_wind_down (self->workload);
    dst_run (self->cluster, dst_now_us (self->cluster) + 200 * SECOND_US, is_quiet, self);
  }
  if (!is_quiet (self))
    tell_unrest (self);
}

/* What is on its disk is a journal that a new controller decides alike. */
static void
replay (Story *self)
{
  DstHost *host = &self->cluster->hosts[1];
  LkDigestValue digest = lk_engine_digest (lk_controller_engine (host->core));
  dst_run_for (self->cluster, SECOND_US);
  digest = lk_engine_digest (lk_controller_engine (host->core));
  dst_host_crash (self->cluster, 1, /* has_lost_power= */ TRUE);
  g_assert_true (dst_host_start (self->cluster, 1, 0));
  g_assert_true (
      lk_digest_value_equal (digest, lk_engine_digest (lk_controller_engine (host->core))));
}

static guint
seeds (void)
{
  const char *text = g_getenv ("LK_PROMOTION_SEEDS");
  return text != NULL ? (guint)g_ascii_strtoull (text, NULL, 10) : 40;
}

static guint64
first_seed (void)
{
  const char *text = g_getenv ("LK_PROMOTION_SEED");
  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : 1;
}

/* ---------------------------------------------------------------- stories */

static gboolean
is_drawn (Story *self)
{
  return seed_below (&self->seed, 2) == 0;
}

static void
restart_standby (Story *self)
{
  dst_host_crash (self->cluster, 1, is_drawn (self));
  dst_run_for (self->cluster, some_us (self, 5 * SECOND_US));
  dst_host_follow (self->cluster, 1);
  dst_run_for (self->cluster, some_us (self, 5 * SECOND_US));
}

static void
restart_controller (Story *self)
{
  dst_host_crash (self->cluster, 0, is_drawn (self));
  dst_run_for (self->cluster, some_us (self, 2 * SECOND_US));
  dst_host_start (self->cluster, 0, 0);
  dst_run_for (self->cluster, some_us (self, 10 * SECOND_US));
}

/* The hosts do not hear each other for a while, in which the controller may come back. */
static void
cut_hosts (Story *self)
{
  DstParts first = { .hosts = 1 };
  DstParts second = { .hosts = 2 };
  dst_cut (self->cluster, &first, &second, /* both_ways= */ TRUE);
  dst_run_for (self->cluster, some_us (self, 10 * SECOND_US));
  if (is_drawn (self))
    restart_controller (self);
}

/* So long that the standby has something, then any while. */
static void
run_on (Story *self)
{
  LkStandbyStatus status = { 0 };
  while (status.journal_bytes == 0) {
    dst_run_for (self->cluster, SECOND_US);
    lk_standby_status (self->cluster->hosts[1].standby, &status);
  }
  dst_run_for (self->cluster, some_us (self, 40 * SECOND_US));
}

/* The first host dies at any moment, or loses its power; the second may do so at the same time. */
static void
story_death (Story *self)
{
  dst_host_follow (self->cluster, 1);
  make_trouble (self);
  run_on (self);
  if (seed_below (&self->seed, 3) == 0)
    restart_standby (self);
  if (seed_below (&self->seed, 3) == 0)
    restart_controller (self);
  if (seed_below (&self->seed, 3) == 0)
    cut_hosts (self);
  dst_host_crash (self->cluster, 0, is_drawn (self));
  if (seed_below (&self->seed, 3) == 0) {
    dst_host_crash (self->cluster, 1, /* has_lost_power= */ TRUE);
    dst_host_follow (self->cluster, 1);
  }
  promote (self, 2);
}

static void
test_death (void)
{
  for (guint64 seed = first_seed (); seed < first_seed () + seeds (); seed++) {
    Story self = { 0 };
    g_test_message ("LK_PROMOTION_SEED=%" G_GUINT64_FORMAT, seed);
    begin (&self, seed, /* waits= */ TRUE);
    story_death (&self);
    g_assert_cmpuint (lost_count (&self, G_MAXUINT64), ==, 0);
    come_to_rest (&self);
    g_assert_cmpuint (lost_count (&self, G_MAXUINT64), ==, 0);
    replay (&self);
    end (&self);
  }
}

/* ---------------------------------------------------------------- two at once */

static void
add_some (Story *self, GArray *parts, guint count, gboolean (*takes) (Story *self))
{
  for (guint i = 0; i < count; i++)
    if (takes (self))
      g_array_append_val (parts, i);
}

/* Neither host hears the other, and each has lost some nodes and users. */
static void
part (Story *self)
{
  for (guint host = 0; host < DST_HOSTS; host++) {
    DstParts from = { .hosts = 1u << host };
    DstParts to = { .hosts = ALL_HOSTS & ~from.hosts,
                    .nodes = g_array_new (FALSE, FALSE, sizeof (guint)),
                    .clients = g_array_new (FALSE, FALSE, sizeof (guint)) };
    add_some (self, to.nodes, self->cluster->nodes->len, is_drawn);
    add_some (self, to.clients, CLIENTS, is_drawn);
    dst_cut (self->cluster, &from, &to, /* both_ways= */ TRUE);
    g_array_unref (to.nodes);
    g_array_unref (to.clients);
  }
}

static void
test_partition (void)
{
  for (guint64 seed = first_seed (); seed < first_seed () + seeds (); seed++) {
    Story self = { 0 };
    g_test_message ("LK_PROMOTION_SEED=%" G_GUINT64_FORMAT, seed);
    begin (&self, seed, /* waits= */ TRUE);
    dst_host_follow (self.cluster, 1);
    dst_run_for (self.cluster, SECOND_US);
    make_trouble (&self);
    dst_run_for (self.cluster, 10 * SECOND_US + some_us (&self, 60 * SECOND_US));
    part (&self);
    dst_run_for (self.cluster, some_us (&self, 5 * SECOND_US));
    promote (&self, 2);
    g_assert_cmpuint (lost_count (&self, G_MAXUINT64), ==, 0);
    dst_run_for (self.cluster, some_us (&self, 90 * SECOND_US));
    dst_heal (self.cluster);
    dst_run_for (self.cluster, 30 * SECOND_US);
    dst_calm (self.cluster);
    dst_run_for (self.cluster, 30 * SECOND_US);
    /* Some agent has told the first one of the term. */
    g_assert_null (self.cluster->hosts[0].core);
    g_assert_cmpint (self.cluster->hosts[0].failure, ==, LK_CONTROLLER_FENCED);
    come_to_rest (&self);
    g_assert_cmpuint (lost_count (&self, G_MAXUINT64), ==, 0);
    replay (&self);
    end (&self);
  }
}

/* Without waiting, what the standby has not heard of is lost, and nothing else. */
static void
test_alone (void)
{
  guint lost = 0;
  for (guint64 seed = first_seed (); seed < first_seed () + seeds (); seed++) {
    Story self = { .may_run_again = TRUE };
    LkStandbyStatus status;
    g_test_message ("LK_PROMOTION_SEED=%" G_GUINT64_FORMAT, seed);
    begin (&self, seed, /* waits= */ FALSE);
    dst_host_follow (self.cluster, 1);
    make_trouble (&self);
    run_on (&self);
    if (is_drawn (&self))
      cut_hosts (&self);
    dst_host_crash (self.cluster, 0, is_drawn (&self));
    lk_standby_status (self.cluster->hosts[1].standby, &status);
    promote (&self, 2);
    dst_run_for (self.cluster, 5 * SECOND_US); /* the last of it was on its way to the disk */
    g_assert_cmpuint (lost_count (&self, status.seq), ==, 0);
    lost += lost_count (&self, G_MAXUINT64);
    come_to_rest (&self);
    replay (&self);
    end (&self);
  }
  g_assert_cmpuint (lost, >, 0);
}

/* What the new controller says first does not reach the agents, and what they say of the old one
 * does not pass for an answer. */
static void
test_deaf (void)
{
  Story self = { .may_run_again = TRUE };
  DstParts host = { .hosts = 2 };
  DstParts nodes = { .nodes = g_array_new (FALSE, FALSE, sizeof (guint)) };
  begin (&self, 1, /* waits= */ FALSE);
  dst_host_follow (self.cluster, 1);
  run_on (&self);
  for (guint i = 0; i < self.cluster->nodes->len; i++)
    g_array_append_val (nodes.nodes, i);
  dst_cut (self.cluster, &host, &nodes, /* both_ways= */ FALSE);
  dst_host_crash (self.cluster, 0, TRUE);
  promote (&self, 2);
  dst_run_for (self.cluster, 5 * SECOND_US);
  dst_heal (self.cluster);
  dst_run_for (self.cluster, 5 * SECOND_US);
  for (guint i = 0; i < self.cluster->nodes->len; i++)
    if (dst_node (self.cluster, i)->core != NULL)
      g_assert_cmpuint (lk_agent_term (dst_node (self.cluster, i)->core), ==, 2);
  g_array_unref (nodes.nodes);
  end (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/promotion/nothing acknowledged is lost when the controller dies", test_death);
  g_test_add_func ("/promotion/two controllers at once run no job twice", test_partition);
  g_test_add_func ("/promotion/without waiting, the last events are lost, and no others",
                   test_alone);
  g_test_add_func ("/promotion/an agent that missed it hears of it", test_deaf);
  return g_test_run ();
}
