/* tests/dst/workload.c — see the header. */
#include "tests/dst/workload.h"

#include "engine/assert.h"
#include "engine/hostlist.h"
#include "tests/engine/seed.h"
#include "tests/property/storm_event.h"

/* Who asks; the names and numbers are those of the storms. */
static const DstIdentity identities[] = {
  { 1000, 1000, "adm" },
  { 1, 1, "ann" },
  { 2, 2, "bob" },
  { 3, 3, "cid" },
};
#define ADMINISTRATOR 0u
/* More than a storm draws. */
#define COMPONENTS_MAX 4u
/* Above all kinds of records. */
#define RECORDS_MAX 14u
#define IDENTITIES ((guint)G_N_ELEMENTS (identities))

struct _DstWorkload {
  DstCluster *cluster;
  DstWorkloadOptions options;
  Seed seed;
  Seed query_seed;
  LkStormOptions storm;
  LkStormSource source;
  guint asked_count;
  GHashTable *owners; /* job id -> client + 1; never iterated */
};

const DstIdentity *
dst_workload_identities (guint *out_count)
{
  *out_count = IDENTITIES;
  return identities;
}

static guint32
draw (gpointer user, guint32 limit, gboolean *out_is_over)
{
  DstWorkload *self = user;
  (void)out_is_over;
  return seed_below (&self->seed, limit);
}

static guint32
below (DstWorkload *self, guint32 limit)
{
  return seed_below (&self->seed, limit);
}

/* Any of the clients with this identity. */
static guint
client_of (DstWorkload *self, guint identity)
{
  guint count = self->cluster->options.client_count;
  guint groups = (count - identity + IDENTITIES - 1) / IDENTITIES;
  return identity + below (self, groups) * IDENTITIES;
}

static guint
any_user (DstWorkload *self)
{
  return client_of (self, 1 + below (self, IDENTITIES - 1));
}

static const DstIdentity *
identity_of (guint client)
{
  return &identities[client % IDENTITIES];
}

/* ---------------------------------------------------------------- submits */

static gint64
some_us (DstWorkload *self, gint64 max_us)
{
  return max_us > 0 ? seed_between (&self->seed, 0, max_us) : 0;
}

static LkProcessSimPlan
any_plan (DstWorkload *self)
{
  LkProcessSimPlan plan = { 0 };
  gint64 max_us =
      below (self, 4) == 0 ? self->options.script_max_us : self->options.script_max_us / 10;
  plan.script_us = some_us (self, max_us);
  plan.script.exit_code = (guint8)(below (self, 6) == 0 ? below (self, 4) : 0);
  plan.script.signal = (guint8)(below (self, 12) == 0 ? 11 : 0);
  plan.script.cancelled = (guint8)(below (self, 24) == 0 ? 1 : 0);
  plan.script.trouble = (guint8)(below (self, 16) == 0 ? below (self, LK_TROUBLE_BOOT_FAILURE) : 0);
  plan.script.user_cpu_us = plan.script_us / 2;
  plan.script.max_rss_bytes = plan.script.exit_code;
  plan.script.max_gpu_percent = plan.script.exit_code;
  plan.ignores_term = below (self, 12) == 0;
  plan.term_us = some_us (self, 2 * G_USEC_PER_SEC);
  plan.kill_us = below (self, 12) == 0 ? some_us (self, 5 * G_USEC_PER_SEC) : 0;
  return plan;
}

/* For himself, but now and then for another, which is refused. */
static void
fill_submit (DstWorkload *self, guint client, LkEvent_submit *submit)
{
  submit->job_id = submit->het_leader = 0; /* ids are for the controller to give */
  if (identity_of (client) == &identities[ADMINISTRATOR] || below (self, 24) == 0)
    return;
  submit->user_id = identity_of (client)->user_id;
  submit->group_id = identity_of (client)->group_id;
  submit->user = lk_text (identity_of (client)->name);
}

/* The components of a heterogeneous job come in one request. */
static void
ask_submit (DstWorkload *self, const LkEvent *first)
{
  LkEvent events[COMPONENTS_MAX] = { *first };
  guint32 job_id_last = self->source.job_id_last;
  guint count = 1;
  while (self->source.het_count > 0 && count < COMPONENTS_MAX) {
    self->source.job_id_last++;
    events[count++] = lk_storm_event (&self->source);
  }
  self->source.het_count = 0;
  self->source.job_id_last = job_id_last;
  guint client = below (self, 16) == 0 ? client_of (self, ADMINISTRATOR) : any_user (self);
  LkProcessSimPlan plan = any_plan (self);
  for (guint i = 0; i < count; i++) {
    fill_submit (self, client, &events[i].submit);
    events[i].submit.het_offset = i;
  }
  dst_submit (self->cluster, client, events, count, &plan);
}

/* ---------------------------------------------------------------- nodes that go */

/* Calls `with` for each node of a list that the cluster has. */
static void
for_nodes (DstWorkload *self, LkText list, void (*with) (DstWorkload *self, guint node))
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!lk_hostlist_expand (list.bytes, list.length_bytes, names, NULL))
    return;
  for (guint i = 0; i < names->len; i++)
    for (guint k = 0; k < self->cluster->nodes->len; k++)
      if (g_strcmp0 (g_ptr_array_index (names, i), dst_node (self->cluster, k)->name) == 0)
        with (self, k);
}

static void
take_down (DstWorkload *self, guint node)
{
  dst_node_crash (self->cluster, node);
  dst_node_withhold (self->cluster, node, TRUE);
}

static void
power_on (gpointer user, gpointer data)
{
  DstWorkload *self = user;
  dst_agent_start (self->cluster, GPOINTER_TO_UINT (data));
}

static void
bring_back (DstWorkload *self, guint node)
{
  LkWorld *world = self->cluster->world;
  dst_node_withhold (self->cluster, node, FALSE);
  lk_world_at (world, lk_world_now_us (world) + some_us (self, 20 * G_USEC_PER_SEC), power_on, self,
               GUINT_TO_POINTER (node), NULL);
}

/* ---------------------------------------------------------------- all requests */

static gboolean
is_for_staff (LkEventKind kind)
{
  switch (kind) {
  case LK_EVENT_NODE_UP:
  case LK_EVENT_NODE_DOWN:
  case LK_EVENT_NODE_DRAIN:
  case LK_EVENT_NODE_RESUME:
  case LK_EVENT_PARTITION:
  case LK_EVENT_RESERVATION_CREATE:
  case LK_EVENT_RESERVATION_UPDATE:
  case LK_EVENT_RESERVATION_DELETE:
  case LK_EVENT_SUSPEND:
  case LK_EVENT_RESUME:
    return TRUE;
  default:
    return FALSE;
  }
}

/* Who asks: mostly someone who may. */
static guint
asker_of (DstWorkload *self, const LkEvent *event)
{
  gpointer job = GUINT_TO_POINTER (lk_event_job_id (event));
  guint owner = GPOINTER_TO_UINT (g_hash_table_lookup (self->owners, job));
  if (is_for_staff (event->kind))
    return below (self, 16) == 0 ? any_user (self) : client_of (self, ADMINISTRATOR);
  if (below (self, 5) == 0)
    return client_of (self, ADMINISTRATOR);
  return owner > 0 && below (self, 12) > 0 ? owner - 1 : any_user (self);
}

static gboolean
is_for_users (LkEventKind kind)
{
  return kind != LK_EVENT_JOB_ENDED && kind != LK_EVENT_JOB_STARTED;
}

static void
ask_one (DstWorkload *self)
{
  self->source.now_us = lk_clock_sim_realtime_us (self->cluster->hosts[0].clock);
  LkEvent event = lk_storm_event (&self->source);
  while (!is_for_users (event.kind))
    event = lk_storm_event (&self->source);
  if (event.kind == LK_EVENT_SUBMIT) {
    ask_submit (self, &event);
    return;
  }
  guint asker = asker_of (self, &event);
  if (event.kind == LK_EVENT_CANCEL && event.cancel.filter == 0 && below (self, 4) == 0)
    dst_client_query (dst_client (self->cluster, asker), event.cancel.job_id);
  /* What nobody hears need not be true. */
  if (event.kind == LK_EVENT_NODE_DOWN && identity_of (asker) == &identities[ADMINISTRATOR])
    for_nodes (self, event.node_down.node, take_down);
  dst_ask (self->cluster, asker, &event);
}

/* By numbers of its own, so that what is asked for is the same without. */
static void
ask_state (DstWorkload *self)
{
  Seed *seed = &self->query_seed;
  guint client = seed_below (seed, self->cluster->options.client_count);
  LkMessage_state_query query = {
    .record = (guint8)seed_below (seed, RECORDS_MAX), /* some are none */
    .by_user = (guint8)(seed_below (seed, 8) == 0),
    .user_id = identity_of (client)->user_id,
    .with_ended = (guint8)seed_below (seed, 2),
    .with_payload = (guint8)seed_below (seed, 2),
  };
  if (seed_below (seed, 4) == 0)
    query.job_id = seed_below (seed, self->source.job_id_last + 2);
  if (seed_below (seed, 8) == 0)
    query.from = seed_below (seed, 20);
  dst_client_state_query (dst_client (self->cluster, client), &query);
}

static void
come (gpointer user, gpointer data)
{
  DstWorkload *self = user;
  LkWorld *world = self->cluster->world;
  gint64 pause_us = 0;
  (void)data;
  if (self->options.has_queries && seed_below (&self->query_seed, 2) == 0)
    ask_state (self);
  ask_one (self);
  if (++self->asked_count >= self->options.request_count)
    return;
  if (below (self, 2) == 0)
    pause_us = some_us (self, self->options.pause_max_us / (below (self, 3) == 0 ? 1 : 50));
  lk_world_at (world, lk_world_now_us (world) + pause_us, come, self, NULL, NULL);
}

void
dst_workload_answered (DstWorkload *self, const DstAnswer *answer)
{
  LkEvent event;
  if (answer->kind == LK_MESSAGE_SUBMIT && answer->error == 0) {
    self->source.job_id_last = MAX (self->source.job_id_last, answer->job_id);
    g_hash_table_insert (self->owners, GUINT_TO_POINTER (answer->job_id),
                         GUINT_TO_POINTER (answer->user + 1));
  }
  if (answer->kind != LK_MESSAGE_NODE_DOWN
      || identity_of (answer->user) != &identities[ADMINISTRATOR])
    return;
  gsize used = lk_event_decode (answer->events->bytes, answer->events->length_bytes, &event);
  LK_ASSERT (used > 0);
  for_nodes (self, event.node_down.node, bring_back);
}

/* ---------------------------------------------------------------- life */

DstWorkload *
dst_workload_new (DstCluster *cluster, const DstWorkloadOptions *options)
{
  DstWorkload *self = g_new0 (DstWorkload, 1);
  LK_ASSERT (cluster->options.client_count >= IDENTITIES);
  LK_ASSERT (options->request_count > 0);
  self->cluster = cluster;
  self->options = *options;
  self->seed.state = options->seed;
  self->query_seed.state = ~options->seed;
  self->storm = (LkStormOptions){ .draw = draw, .user = self };
  self->source.options = &self->storm;
  self->source.is_crowded = options->is_crowded;
  self->source.running = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->owners = g_hash_table_new (g_direct_hash, g_direct_equal);
  lk_world_at (cluster->world, lk_world_now_us (cluster->world), come, self, NULL, NULL);
  return self;
}

void
dst_workload_free (DstWorkload *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->source.running);
  g_hash_table_unref (self->owners);
  g_free (self);
}

gboolean
dst_workload_is_over (const DstWorkload *self)
{
  return self->asked_count >= self->options.request_count;
}

/* ---------------------------------------------------------------- the end */

static void
open_partitions (DstWorkload *self, const LkCluster *cluster)
{
  for (guint i = 0; i < cluster->partitions->len; i++) {
    const LkPartitionSpec *spec = g_ptr_array_index (cluster->partitions, i);
    LkEvent event = { .kind = LK_EVENT_PARTITION };
    event.partition.name = lk_text (spec->name);
    event.partition.state = LK_PARTITION_UP;
    dst_ask (self->cluster, ADMINISTRATOR, &event);
  }
}

static void
open_nodes (DstWorkload *self)
{
  for (guint i = 0; i < self->cluster->nodes->len; i++) {
    const DstNode *node = dst_node (self->cluster, i);
    LkEvent event = { .kind = LK_EVENT_NODE_RESUME };
    if (!node->is_withheld)
      dst_agent_start (self->cluster, i);
    event.node_resume.node = lk_text (node->name);
    dst_ask (self->cluster, ADMINISTRATOR, &event);
  }
}

static void
delete_reservations (DstWorkload *self)
{
  static const char *const names[] = { "r1", "r2" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    LkEvent event = { .kind = LK_EVENT_RESERVATION_DELETE };
    event.reservation_delete.name = lk_text (names[i]);
    dst_ask (self->cluster, ADMINISTRATOR, &event);
  }
}

static void
cancel_all (DstWorkload *self)
{
  static const LkJobState states[] = { LK_JOB_PENDING, LK_JOB_RUNNING, LK_JOB_SUSPENDED,
                                       LK_JOB_SPECIAL_EXIT, LK_JOB_REQUEUE_HOLD };
  for (guint i = 0; i < G_N_ELEMENTS (states); i++) {
    LkEvent event = { .kind = LK_EVENT_CANCEL };
    event.cancel.filter = LK_FILTER_STATE;
    event.cancel.state = (guint8)states[i];
    dst_ask (self->cluster, ADMINISTRATOR, &event);
  }
}

void
dst_workload_wind_down (DstWorkload *self)
{
  const LkCluster *cluster = self->cluster->controller.engine->cluster;
  if (cluster != NULL) {
    open_partitions (self, cluster);
    open_nodes (self);
    delete_reservations (self);
  }
  cancel_all (self);
}
