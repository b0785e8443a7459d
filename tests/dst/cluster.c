/* tests/dst/cluster.c — see the header: making a cluster, and letting time go on. */
#include <string.h>

#include "engine/assert.h"
#include "engine/hostlist.h"
#include "tests/dst/cluster_private.h"

/* More calls at one instant than any sound cluster needs: some part goes round in circles. */
#define INSTANT_STEPS 20000000u

/* ---------------------------------------------------------------- processes on nodes */

static void
plan_run (gpointer user, const char *node, const LkMessage_launch *launch, LkProcessSimPlan *plan)
{
  const DstNode *self = user;
  LkWorld *world = self->cluster->world;
  const DstHabits *habits = &self->cluster->faults.habits;
  (void)node;
  if (launch->payload.length_bytes == sizeof (*plan))
    memcpy (plan, launch->payload.bytes, sizeof (*plan));
  if (self->cluster->options.plan != NULL)
    self->cluster->options.plan (self->cluster->options.planner, launch, plan);
  plan->prolog_us += lk_world_between_us (world, 0, habits->prolog_max_us);
  plan->epilog_us += lk_world_between_us (world, 0, habits->epilog_max_us);
  if (lk_world_chance (world, habits->prolog_fail_ppm))
    plan->prolog.exit_code = 1;
  if (lk_world_chance (world, habits->epilog_fail_ppm))
    plan->epilog.exit_code = 1;
  if (lk_world_chance (world, habits->stubborn_ppm))
    plan->ignores_term = TRUE;
  if (lk_world_chance (world, habits->undying_ppm))
    plan->kill_us += lk_world_between_us (world, 1, habits->undying_max_us);
}

static void
stage_ended (gpointer user, guint64 run_id, LkStage stage, const LkExit *how)
{
  DstNode *self = user;
  if (self->core != NULL)
    lk_agent_stage_ended (self->core, run_id, stage, how);
}

static void
run_begun (gpointer user, const LkProcessSimRun *run)
{
  const DstWatch *watch = &((DstCluster *)user)->options.watch;
  if (watch->run_begun != NULL)
    watch->run_begun (watch->user, run);
}

static void
run_over (gpointer user, const LkProcessSimRun *run)
{
  const DstWatch *watch = &((DstCluster *)user)->options.watch;
  if (watch->run_over != NULL)
    watch->run_over (watch->user, run);
}

static void
run_signalled (gpointer user, const LkProcessSimRun *run, guint8 signal)
{
  const DstWatch *watch = &((DstCluster *)user)->options.watch;
  if (watch->run_signalled != NULL)
    watch->run_signalled (watch->user, run, signal);
}

/* Of steps nothing is said by what they need: chance says how they go. */
static void
plan_step (gpointer user, const char *node, const LkMessage_step_launch *launch,
           LkProcessSimStepPlan *plan)
{
  const DstNode *self = user;
  LkWorld *world = self->cluster->world;
  (void)node;
  (void)launch;
  plan->step_us = lk_world_chance (world, 125000)
                      ? LK_TIME_NEVER
                      : lk_world_between_us (world, 0, 20 * G_USEC_PER_SEC);
  plan->how.exit_code = lk_world_chance (world, 250000) ? 1 : 0;
  plan->fails = lk_world_chance (world, 30000);
  plan->ignores_term = lk_world_chance (world, 100000);
}

static void
step_ended (gpointer user, const LkStepFound *step)
{
  DstNode *self = user;
  if (self->core != NULL)
    lk_agent_step_ended (self->core, step);
}

static void
step_begun (gpointer user, const LkProcessSimStep *step)
{
  const DstWatch *watch = &((DstCluster *)user)->options.watch;
  if (watch->step_begun != NULL)
    watch->step_begun (watch->step_user, step);
}

static void
step_over (gpointer user, const LkProcessSimStep *step)
{
  const DstWatch *watch = &((DstCluster *)user)->options.watch;
  if (watch->step_over != NULL)
    watch->step_over (watch->step_user, step);
}

static const LkProcessSimHooks process_hooks = {
  .plan = plan_run,
  .plan_step = plan_step,
  .step_ended = step_ended,
  .step_begun = step_begun,
  .step_over = step_over,
  .ended = stage_ended,
  .begun = run_begun,
  .over = run_over,
  .signalled = run_signalled,
};

/* ---------------------------------------------------------------- making */

static char *
gres_text (const LkNodeSpec *spec)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    g_string_append_printf (text, "%s%s%s%s:%u", i > 0 ? "," : "", gres->name,
                            gres->type[0] != '\0' ? ":" : "", gres->type, gres->count);
  }
  return g_string_free (text, FALSE);
}

static void
node_free (gpointer data)
{
  DstNode *node = data;
  lk_agent_free (node->core);
  lk_clock_sim_free (node->clock);
  lk_disk_sim_free (node->disk);
  lk_process_sim_free (node->process);
  g_free (node->name);
  g_free (node->gres);
  g_free (node);
}

static void
add_node (DstCluster *self, const char *name, const LkNodeSpec *spec)
{
  DstNode *node = g_new0 (DstNode, 1);
  LkPeer who = { .kind = LK_PEER_AGENT, .name = name };
  node->cluster = self;
  node->number = self->nodes->len;
  node->name = g_strdup (name);
  node->gres = spec != NULL ? gres_text (spec) : g_strdup ("");
  node->cpus = spec != NULL ? spec->cpus : 1;
  node->memory_bytes = spec != NULL ? (guint64)spec->memory_bytes : 0;
  node->boot_id = lk_world_random (self->world);
  node->clock = lk_clock_sim_new (self->world, dst_node_woken, node);
  node->disk = lk_disk_sim_new (self->world, name, dst_node_disk_done, node);
  node->process = lk_process_sim_new (self->world, name, &process_hooks, node, self);
  node->end = lk_net_sim_add (self->net, &who, dst_node_deliver, node);
  g_ptr_array_add (self->nodes, node);
}

static void
add_nodes (DstCluster *self)
{
  const LkCluster *cluster = self->controller.engine->cluster;
  if (cluster == NULL)
    add_node (self, "pool", NULL);
  for (guint i = 0; cluster != NULL && i < cluster->nodes->len; i++) {
    const LkNodeSpec *spec = g_ptr_array_index (cluster->nodes, i);
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    gboolean is_list = lk_hostlist_expand (spec->names, strlen (spec->names), names, NULL);
    LK_ASSERT (is_list);
    for (guint k = 0; k < names->len; k++)
      add_node (self, g_ptr_array_index (names, k), spec);
  }
}

static void
add_host (DstCluster *self, guint number)
{
  DstHost *host = &self->hosts[number];
  g_autofree char *name = g_strdup_printf ("controller%u", number + 1);
  LkPeer who = { .kind = LK_PEER_CONTROLLER, .name = name };
  host->cluster = self;
  host->number = number;
  host->clock = lk_clock_sim_new (self->world, dst_host_woken, host);
  host->disk = lk_disk_sim_new (self->world, name, dst_host_disk_done, host);
  lk_disk_sim_set_hook (host->disk, dst_host_disk_hook, host);
  host->end = self->host_ends[number] = lk_net_sim_add (self->net, &who, dst_host_deliver, host);
}

static void
add_clients (DstCluster *self)
{
  const DstOptions *options = &self->options;
  DstClientOptions client = { .world = self->world,
                              .net = self->net,
                              .hosts = self->host_ends,
                              .host_count = DST_HOSTS,
                              .retry_us = options->client_retry_us,
                              .answered = options->watch.answered,
                              .informed = options->watch.informed,
                              .watcher = options->watch.user };
  for (guint i = 0; i < options->client_count; i++)
    g_ptr_array_add (
        self->clients,
        dst_client_new (&client, i, &options->identities[i % options->identity_count]));
}

static void
client_free (gpointer data)
{
  dst_client_free (data);
}

DstCluster *
dst_cluster_new (const DstOptions *options)
{
  DstCluster *self = g_new0 (DstCluster, 1);
  self->options = *options;
  self->controller = options->controller;
  self->controller.engine = lk_setup_config (options->setup);
  lk_setup_header (options->setup, options->source, &self->header);
  self->controller.header = &self->header;
  self->world = lk_world_new (options->seed, options->start_us);
  self->net = lk_net_sim_new (self->world);
  self->nodes = g_ptr_array_new_with_free_func (node_free);
  self->clients = g_ptr_array_new_with_free_func (client_free);
  for (guint i = 0; i < DST_HOSTS; i++)
    add_host (self, i);
  add_nodes (self);
  add_clients (self);
  dst_host_start (self, 0, 0);
  for (guint i = 0; i < self->nodes->len; i++)
    dst_agent_start (self, i);
  return self;
}

void
dst_cluster_free (DstCluster *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < DST_HOSTS; i++) {
    lk_controller_free (self->hosts[i].core);
    lk_standby_free (self->hosts[i].standby);
  }
  g_ptr_array_unref (self->nodes);
  g_ptr_array_unref (self->clients);
  lk_world_free (self->world);
  for (guint i = 0; i < DST_HOSTS; i++) {
    lk_clock_sim_free (self->hosts[i].clock);
    lk_disk_sim_free (self->hosts[i].disk);
  }
  lk_net_sim_free (self->net);
  g_free (self);
}

/* ---------------------------------------------------------------- time */

gint64
dst_now_us (const DstCluster *self)
{
  return lk_world_now_us (self->world);
}

/* TRUE: a controller had something to do. */
static gboolean
settle (DstCluster *self)
{
  gboolean is_busy = FALSE;
  for (guint i = 0; i < DST_HOSTS; i++) {
    DstHost *host = &self->hosts[i];
    if (host->core == NULL)
      continue;
    is_busy = lk_controller_settle (host->core) || is_busy;
    dst_host_look (host);
  }
  return is_busy;
}

static void
check (const DstCluster *self)
{
  for (guint i = 0; i < DST_HOSTS; i++) {
    if (self->hosts[i].core != NULL)
      lk_controller_check (self->hosts[i].core);
    if (self->hosts[i].standby != NULL)
      lk_standby_check (self->hosts[i].standby);
  }
  for (guint i = 0; i < self->nodes->len; i++)
    if (dst_node (self, i)->core != NULL)
      lk_agent_check (dst_node (self, i)->core);
}

/* All that happens now, to its end. */
static void
run_instant (DstCluster *self)
{
  guint64 steps_max = lk_world_step_count (self->world) + INSTANT_STEPS;
  gint64 now_us = lk_world_now_us (self->world);
  do {
    while (lk_world_next_us (self->world) <= now_us) {
      lk_world_step (self->world);
      if (lk_world_step_count (self->world) > steps_max)
        g_error ("the instant %" G_GINT64_FORMAT " does not end", now_us);
    }
  } while (settle (self) || lk_world_next_us (self->world) <= now_us);
  if (self->is_checked)
    check (self);
  if (self->options.watch.instant != NULL)
    self->options.watch.instant (self->options.watch.user);
}

static void
nothing (gpointer user, gpointer data)
{
  (void)user;
  (void)data;
}

gboolean
dst_run (DstCluster *self, gint64 until_us, gboolean (*stop) (gpointer user), gpointer user)
{
  lk_world_at (self->world, until_us, nothing, NULL, NULL, NULL);
  for (;;) {
    run_instant (self);
    if (stop != NULL && stop (user))
      return TRUE;
    if (lk_world_now_us (self->world) >= until_us)
      return FALSE;
    lk_world_step (self->world);
  }
}

void
dst_run_for (DstCluster *self, gint64 duration_us)
{
  dst_run (self, dst_now_us (self) + duration_us, NULL, NULL);
}

void
dst_set_checked (DstCluster *self, gboolean is_checked)
{
  self->is_checked = is_checked;
}

void
dst_tell_to (DstCluster *self, LkWorldTell tell, gpointer user)
{
  lk_world_tell_to (self->world, tell, user);
}

/* ---------------------------------------------------------------- users */

DstClient *
dst_client (const DstCluster *self, guint client)
{
  LK_ASSERT (client < self->clients->len);
  return g_ptr_array_index (self->clients, client);
}

void
dst_submit (DstCluster *self, guint client, const LkEvent *events, guint event_count,
            const LkProcessSimPlan *plan)
{
  DstRequest request = { LK_MESSAGE_SUBMIT, events, event_count, (const guint8 *)plan,
                         sizeof (*plan) };
  dst_client_ask (dst_client (self, client), &request);
}

void
dst_ask (DstCluster *self, guint client, const LkEvent *event)
{
  DstRequest request = { .events = event, .event_count = 1 };
  for (guint kind = 1; kind <= LK_MESSAGE_QOS; kind++)
    if (lk_message_event_kind (kind) == event->kind)
      request.kind = (LkMessageKind)kind;
  LK_ASSERT (request.kind != 0);
  dst_client_ask (dst_client (self, client), &request);
}

guint
dst_open_count (const DstCluster *self)
{
  guint sum = 0;
  for (guint i = 0; i < self->clients->len; i++)
    sum += dst_client_open_count (dst_client (self, i));
  return sum;
}
