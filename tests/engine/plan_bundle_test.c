/* tests/engine/plan_bundle_test.c — places that are planned as sets of nodes are those that would
 * be planned node by node: on random queues of whole and of shared nodes an engine decides as one
 * whose select policy chooses node by node, and as one that is saved and loaded on the way. */
#include <string.h>

#include "engine/engine.h"
#include "policies/registry.h"

#define STEPS 220u
#define SEEDS 40u
#define NODES 130u

typedef struct {
  LkRegistry *registry;
  LkCluster *cluster;
  LkSetup *setup;
  LkEngineConfig config;
  LkSelectPolicy by_node; /* a select policy without sets */
  LkEngineConfig by_node_config;
  LkEngine *engine;
  LkEngine *by_node_engine;
  LkEngine *loaded;
  GRand *random;
  gint64 now_us;
  guint32 job_id_last;
  guint32 shared_one_in; /* so many jobs one is on a node with others */
  gboolean is_down[NODES];
} Fixture;

static guint32
below (Fixture *self, guint32 limit)
{
  return (guint32)g_rand_int_range (self->random, 0, (gint32)limit);
}

static void
add_nodes (LkCluster *cluster, const char *names, guint32 cores)
{
  LkNodeSpec *spec = lk_cluster_add_nodes (cluster, names);
  spec->cores_per_socket = spec->cpus = cores;
}

static void
init (Fixture *self, guint32 seed)
{
  LkPolicyError policy_error = { 0 };
  LkClusterError cluster_error;
  memset (self, 0, sizeof *self);
  self->random = g_rand_new_with_seed (seed);
  self->shared_one_in = seed % 2 == 1 ? 3 : 8;
  self->registry = lk_registry_new ();
  self->cluster = lk_cluster_new ("bundles");
  add_nodes (self->cluster, "n[000-089]", 8);
  add_nodes (self->cluster, "n[090-129]", seed % 2 == 0 ? 8 : 16);
  self->cluster->memory = FALSE;
  g_assert_true (lk_cluster_check (self->cluster, &cluster_error));
  LkSetupOptions options = { .cluster = self->cluster,
                             .origin_us = LK_TIME_NEVER,
                             .order = "basic",
                             .backfill = seed % 3 == 0 ? "full" : "full:window=600",
                             .select = "cons_tres" };
  self->setup = lk_setup_new (self->registry, &options, NULL);
  g_assert_nonnull (self->setup);
  self->config = self->by_node_config = *lk_setup_config (self->setup);
  self->by_node = *self->config.select;
  self->by_node.choose_alike = NULL;
  self->by_node_config.select = &self->by_node;
  self->engine = lk_engine_new (&self->config, &policy_error);
  self->loaded = lk_engine_new (&self->config, &policy_error);
  self->by_node_engine = lk_engine_new (&self->by_node_config, &policy_error);
}

static void
clear (Fixture *self)
{
  lk_engine_free (self->engine);
  lk_engine_free (self->loaded);
  lk_engine_free (self->by_node_engine);
  lk_setup_free (self->setup);
  lk_cluster_free (self->cluster);
  lk_registry_free (self->registry);
  g_rand_free (self->random);
}

/* ---------------------------------------------------------------- the three */

static void
assert_equal (const LkEngine *a, const LkEngine *b)
{
  LkDigestValue x = lk_engine_digest (a);
  LkDigestValue y = lk_engine_digest (b);
  g_assert_cmpint (memcmp (&x, &y, sizeof x), ==, 0);
}

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  (void)user;
  (void)cause;
  (void)decision;
}

static void
apply (Fixture *self, LkEvent *event)
{
  LkEngineCounts counts;
  LkSink sink = { on_decision, NULL };
  lk_engine_counts (self->engine, &counts);
  event->seq = counts.event_count + 1;
  event->time_us = self->now_us;
  g_assert_cmpint (lk_engine_apply (self->engine, event, &sink), ==, LK_STATUS_OK);
  g_assert_cmpint (lk_engine_apply (self->loaded, event, &sink), ==, LK_STATUS_OK);
  g_assert_cmpint (lk_engine_apply (self->by_node_engine, event, &sink), ==, LK_STATUS_OK);
  assert_equal (self->engine, self->loaded);
  assert_equal (self->engine, self->by_node_engine);
}

static void
pass (Fixture *self)
{
  LkEvent event = { .kind = LK_EVENT_PASS };
  apply (self, &event);
}

/* All states have the same bytes, and one engine goes on from them. */
static void
save_and_load (Fixture *self)
{
  LkStatus status;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) by_node_bytes = g_byte_array_new ();
  lk_engine_save (self->engine, bytes);
  lk_engine_save (self->by_node_engine, by_node_bytes);
  g_assert_cmpuint (bytes->len, ==, by_node_bytes->len);
  g_assert_cmpint (memcmp (bytes->data, by_node_bytes->data, bytes->len), ==, 0);
  lk_engine_free (self->loaded);
  self->loaded = lk_engine_load (&self->config, bytes->data, bytes->len, &status);
  g_assert_nonnull (self->loaded);
}

/* ---------------------------------------------------------------- what happens */

static void
submit (Fixture *self)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  gboolean is_whole = below (self, self->shared_one_in) != 0;
  guint32 nodes = is_whole ? 1 + below (self, below (self, 3) == 0 ? 60 : 12) : 1;
  event.submit.job_id = ++self->job_id_last;
  event.submit.user_id = 1 + below (self, 5);
  event.submit.procs = event.submit.tasks = is_whole ? nodes : 1 + below (self, 4);
  event.submit.estimate_us = (1 + below (self, 60)) * 60 * G_USEC_PER_SEC;
  event.submit.flags = is_whole ? LK_REQUEST_EXCLUSIVE : 0;
  event.submit.nodes_min = event.submit.nodes_max = nodes;
  event.submit.nice = -(gint64)below (self, 40);
  apply (self, &event);
}

/* A job in this state; 0: none was found. */
static guint32
draw_job (Fixture *self, LkJobState state)
{
  for (guint tries = 0; tries < 40 && self->job_id_last > 0; tries++) {
    LkJobInfo info;
    guint32 job_id = 1 + below (self, self->job_id_last);
    if (lk_engine_job (self->engine, job_id, &info) && info.state == state)
      return job_id;
  }
  return 0;
}

static void
end_one (Fixture *self)
{
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended.job_id = draw_job (self, LK_JOB_RUNNING);
  if (event.job_ended.job_id != 0)
    apply (self, &event);
}

/* Nobody is past its expected end, but now and then. */
static void
end_due (Fixture *self)
{
  for (guint32 job_id = 1; job_id <= self->job_id_last; job_id++) {
    LkJobInfo info;
    LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
    event.job_ended.job_id = job_id;
    if (lk_engine_job (self->engine, job_id, &info) && info.state == LK_JOB_RUNNING
        && info.expected_end_us <= self->now_us && below (self, 30) != 0)
      apply (self, &event);
  }
}

static void
cancel_one (Fixture *self)
{
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  event.cancel.job_id = draw_job (self, LK_JOB_PENDING);
  if (event.cancel.job_id != 0)
    apply (self, &event);
}

static void
turn_node (Fixture *self)
{
  guint32 node = below (self, NODES);
  g_autofree char *name = g_strdup_printf ("n%03u", node);
  LkText text = { name, (guint16)strlen (name) };
  LkEvent event = { .kind = self->is_down[node] ? LK_EVENT_NODE_UP : LK_EVENT_NODE_DOWN };
  if (self->is_down[node])
    event.node_up.node = text;
  else
    event.node_down.node = text;
  self->is_down[node] = !self->is_down[node];
  apply (self, &event);
}

static void
step (Fixture *self)
{
  guint32 what = below (self, 20);
  if (what < 10)
    submit (self);
  else if (what < 13)
    end_one (self);
  else if (what < 15)
    cancel_one (self);
  else if (what < 17)
    turn_node (self);
  else
    self->now_us += below (self, 300) * G_USEC_PER_SEC;
  end_due (self);
  pass (self);
}

static void
test_same_decisions (void)
{
  for (guint32 seed = 0; seed < SEEDS; seed++) {
    Fixture self;
    init (&self, seed);
    for (guint i = 0; i < STEPS; i++) {
      step (&self);
      if (below (&self, 10) == 0)
        save_and_load (&self);
      if (below (&self, 3) == 0)
        lk_engine_check (self.engine);
    }
    clear (&self);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan-bundle/sets of nodes are planned as nodes are", test_same_decisions);
  return g_test_run ();
}
