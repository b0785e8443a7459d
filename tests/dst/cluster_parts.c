/* tests/dst/cluster_parts.c — parts of the cluster that die and come back, and all that goes
 * wrong. */
#include "engine/assert.h"
#include "live/port/port_term_sim.h"
#include "tests/dst/cluster_private.h"

/* ---------------------------------------------------------------- controllers */

/* A call that is meant for one life of a part. */
static gpointer
life_of (guint64 life)
{
  return GSIZE_TO_POINTER (life);
}

void
dst_host_return (DstCluster *self, guint number)
{
  LK_ASSERT (number < DST_HOSTS);
  DstHost *host = &self->hosts[number];
  if (host->core != NULL || host->standby != NULL || host->is_withheld)
    return;
  if (host->is_to_follow)
    dst_host_follow (self, number);
  else if (!dst_host_start (self, number, 0) && host->failure == LK_CONTROLLER_FENCED
           && host->promoted_term > 0) /* its disk does not know that it was promoted */
    dst_host_start (self, number, host->promoted_term);
}

void
dst_host_withhold (DstCluster *self, guint number, gboolean is_withheld)
{
  LK_ASSERT (number < DST_HOSTS);
  self->hosts[number].is_withheld = is_withheld;
}

static void
start_again (gpointer user, gpointer data)
{
  DstHost *host = user;
  if (host->life == GPOINTER_TO_SIZE (data))
    dst_host_return (host->cluster, host->number);
}

static gboolean
is_worth_again (LkControllerFailure failure)
{
  return failure == LK_CONTROLLER_OK || failure == LK_CONTROLLER_DISK_FAILED;
}

void
dst_host_plan_restart (DstHost *host)
{
  DstCluster *self = host->cluster;
  if (self->options.restart_us > 0 && is_worth_again (host->failure))
    lk_world_at (self->world, lk_world_now_us (self->world) + self->options.restart_us, start_again,
                 host, life_of (host->life), NULL);
}

static void
host_end (DstHost *host, gboolean has_lost_power)
{
  DstCluster *self = host->cluster;
  if (host->core != NULL && self->options.watch.host_ends != NULL)
    self->options.watch.host_ends (self->options.watch.user, host->number);
  lk_net_sim_close (self->net, host->end);
  lk_disk_sim_stop (host->disk, has_lost_power);
  if (has_lost_power)
    lk_clock_sim_boot (host->clock);
  else
    lk_clock_sim_stop (host->clock);
  lk_controller_free (host->core);
  lk_standby_free (host->standby);
  host->core = NULL;
  host->standby = NULL;
  host->life++;
}

void
dst_host_look (DstHost *host)
{
  LkControllerFailure failure = LK_CONTROLLER_OK;
  if (host->core != NULL)
    failure = lk_controller_failure (host->core);
  else if (host->standby != NULL)
    failure = lk_standby_failure (host->standby);
  if (failure == LK_CONTROLLER_OK)
    return;
  host->failure = failure;
  lk_world_tell (host->cluster->world, "controller%u stops: %s", host->number + 1,
                 lk_controller_failure_text (host->failure));
  host_end (host, FALSE);
  dst_host_plan_restart (host);
}

void
dst_host_crash (DstCluster *self, guint number, gboolean has_lost_power)
{
  LK_ASSERT (number < DST_HOSTS);
  DstHost *host = &self->hosts[number];
  if (host->core == NULL && host->standby == NULL)
    return;
  lk_world_tell (self->world, "controller%u %s", number + 1,
                 has_lost_power ? "loses its power" : "is killed");
  host->failure = LK_CONTROLLER_OK;
  host_end (host, has_lost_power);
}

LkControllerPorts
dst_host_ports (DstHost *host)
{
  return (LkControllerPorts){ .clock = lk_clock_sim_port (host->clock),
                              .net = lk_net_sim_port (host->cluster->net, host->end),
                              .disk = lk_disk_sim_port (host->disk),
                              .term = lk_term_sim_port () };
}

gboolean
dst_host_start (DstCluster *self, guint number, guint64 term)
{
  LK_ASSERT (number < DST_HOSTS);
  DstHost *host = &self->hosts[number];
  if (host->core != NULL)
    return TRUE;
  LK_ASSERT (host->standby == NULL);
  LkControllerPorts ports = dst_host_ports (host);
  host->failure = LK_CONTROLLER_OK;
  host->is_to_follow = FALSE;
  host->term = term;
  host->life++;
  host->start_count++;
  lk_world_tell (self->world, "controller%u starts", number + 1);
  lk_net_sim_open (self->net, host->end, LK_PEER_CONTROLLER);
  host->core = lk_controller_new (&self->controller, &ports, term, &host->failure);
  if (host->core == NULL) {
    lk_world_tell (self->world, "controller%u does not start: %s", number + 1,
                   lk_controller_failure_text (host->failure));
    lk_net_sim_close (self->net, host->end);
    lk_disk_sim_stop (host->disk, /* has_lost_power= */ FALSE);
    lk_clock_sim_stop (host->clock);
    dst_host_plan_restart (host);
    return FALSE;
  }
  if (host->promoted_term > 0)
    lk_controller_wait_for_standby (host->core, FALSE);
  if (self->options.watch.host_begins != NULL)
    self->options.watch.host_begins (self->options.watch.user, number);
  return TRUE;
}

void
dst_host_crash_at (DstCluster *self, guint number, guint64 write_index, gboolean when_done,
                   gboolean has_lost_power)
{
  LK_ASSERT (number < DST_HOSTS);
  DstHost *host = &self->hosts[number];
  host->crash_at_write = write_index;
  host->crash_when_done = when_done;
  host->crash_loses_power = has_lost_power;
}

LkController *
dst_controller (const DstCluster *self)
{
  for (guint i = 0; i < DST_HOSTS; i++)
    if (self->hosts[i].core != NULL)
      return self->hosts[i].core;
  return NULL;
}

/* ---------------------------------------------------------------- what the ports call */

void
dst_host_woken (gpointer user)
{
  DstHost *host = user;
  if (host->core != NULL)
    lk_controller_woken (host->core);
  else
    lk_standby_woken (host->standby);
}

void
dst_host_disk_done (gpointer user, guint64 token, gboolean has_succeeded)
{
  DstHost *host = user;
  if (host->core != NULL)
    lk_controller_disk_done (host->core, token, has_succeeded);
  else
    lk_standby_disk_done (host->standby, token, has_succeeded);
  dst_host_look (host);
}

void
dst_host_disk_hook (gpointer user, const char *name, guint64 write_index, gboolean is_done)
{
  DstHost *host = user;
  DstCluster *self = host->cluster;
  if (is_done && g_strcmp0 (name, LK_CONTROLLER_JOURNAL) == 0)
    dst_host_tell_journal (host);
  if (write_index != host->crash_at_write || is_done != host->crash_when_done)
    return;
  host->crash_at_write = 0;
  dst_host_crash (self, host->number, host->crash_loses_power);
  dst_host_plan_restart (host);
}

void
dst_host_deliver (gpointer user, const LkPeer *from, const guint8 *bytes, gsize length_bytes)
{
  DstHost *host = user;
  if (host->core != NULL)
    lk_controller_message (host->core, from, bytes, length_bytes);
  else
    lk_standby_message (host->standby, from, bytes, length_bytes);
  dst_host_look (host);
}

static void
agent_start_again (gpointer user, gpointer data)
{
  DstNode *node = user;
  if (node->life == GPOINTER_TO_SIZE (data) && node->core == NULL)
    dst_agent_start (node->cluster, node->number);
}

static void
plan_agent_restart (DstNode *node)
{
  DstCluster *self = node->cluster;
  if (self->options.restart_us > 0)
    lk_world_at (self->world, lk_world_now_us (self->world) + self->options.restart_us,
                 agent_start_again, node, life_of (node->life), NULL);
}

static void
node_look (DstNode *node)
{
  if (node->core == NULL || !lk_agent_has_failed (node->core))
    return;
  dst_agent_crash (node->cluster, node->number);
  plan_agent_restart (node);
}

void
dst_node_woken (gpointer user)
{
  DstNode *node = user;
  lk_agent_woken (node->core);
}

void
dst_node_disk_done (gpointer user, guint64 token, gboolean has_succeeded)
{
  DstNode *node = user;
  lk_agent_disk_done (node->core, token, has_succeeded);
  node_look (node);
}

void
dst_node_deliver (gpointer user, const LkPeer *from, const guint8 *bytes, gsize length_bytes)
{
  DstNode *node = user;
  lk_agent_message (node->core, from, bytes, length_bytes);
  node_look (node);
}

/* ---------------------------------------------------------------- nodes */

DstNode *
dst_node (const DstCluster *self, guint node)
{
  LK_ASSERT (node < self->nodes->len);
  return g_ptr_array_index (self->nodes, node);
}

void
dst_agent_start (DstCluster *self, guint number)
{
  DstNode *node = dst_node (self, number);
  if (node->core != NULL || node->is_withheld)
    return;
  LkAgentConfig config = { .node = node->name,
                           .boot_id = node->boot_id,
                           .agent_id = lk_world_random (self->world),
                           .cpus = node->cpus,
                           .memory_bytes = node->memory_bytes,
                           .gres = node->gres,
                           .retry_us = self->options.agent_retry_us };
  LkAgentPorts ports = { .clock = lk_clock_sim_port (node->clock),
                         .net = lk_net_sim_port (self->net, node->end),
                         .disk = lk_disk_sim_port (node->disk),
                         .process = lk_process_sim_port (node->process) };
  node->life++;
  lk_world_tell (self->world, "agent of %s starts", node->name);
  lk_net_sim_open (self->net, node->end, LK_PEER_AGENT);
  lk_process_sim_open (node->process);
  node->core = lk_agent_new (&config, &ports);
  if (node->core != NULL)
    return;
  lk_world_tell (self->world, "agent of %s does not start", node->name);
  lk_net_sim_close (self->net, node->end);
  lk_process_sim_close (node->process);
  lk_disk_sim_stop (node->disk, /* has_lost_power= */ FALSE);
  lk_clock_sim_stop (node->clock);
  plan_agent_restart (node);
}

static void
agent_end (DstNode *node, gboolean has_lost_power)
{
  if (node->core != NULL) {
    lk_net_sim_close (node->cluster->net, node->end);
    lk_process_sim_close (node->process);
    lk_agent_free (node->core);
    node->core = NULL;
  }
  lk_disk_sim_stop (node->disk, has_lost_power);
  lk_clock_sim_stop (node->clock);
  node->life++;
}

void
dst_agent_crash (DstCluster *self, guint number)
{
  DstNode *node = dst_node (self, number);
  if (node->core == NULL)
    return;
  lk_world_tell (self->world, "agent of %s dies", node->name);
  agent_end (node, /* has_lost_power= */ FALSE);
}

void
dst_node_crash (DstCluster *self, guint number)
{
  DstNode *node = dst_node (self, number);
  lk_world_tell (self->world, "%s loses its power", node->name);
  agent_end (node, /* has_lost_power= */ TRUE);
  lk_process_sim_boot (node->process);
  lk_clock_sim_boot (node->clock);
  node->boot_id = lk_world_random (self->world);
}

void
dst_node_withhold (DstCluster *self, guint number, gboolean is_withheld)
{
  dst_node (self, number)->is_withheld = is_withheld;
}

/* ---------------------------------------------------------------- faults */

void
dst_set_faults (DstCluster *self, const DstFaults *faults)
{
  self->faults = *faults;
  lk_net_sim_set_faults (self->net, &faults->net);
  for (guint i = 0; i < DST_HOSTS; i++) {
    lk_disk_sim_set_faults (self->hosts[i].disk, &faults->controller_disk);
    lk_clock_sim_set_lag (self->hosts[i].clock, faults->lag_max_us);
  }
  for (guint i = 0; i < self->nodes->len; i++) {
    const DstNode *node = dst_node (self, i);
    lk_disk_sim_set_faults (node->disk, &faults->agent_disk);
    lk_clock_sim_set_lag (node->clock, faults->lag_max_us);
    lk_process_sim_set_faults (node->process, faults->habits.create_fail_ppm);
  }
}

void
dst_calm (DstCluster *self)
{
  const DstFaults none = { 0 };
  dst_set_faults (self, &none);
  dst_heal (self);
  for (guint i = 0; i < DST_HOSTS; i++)
    lk_clock_sim_set (self->hosts[i].clock, dst_now_us (self), 0);
  for (guint i = 0; i < self->nodes->len; i++)
    lk_clock_sim_set (dst_node (self, i)->clock, dst_now_us (self), 0);
}

static GArray *
ends_of (const DstCluster *self, const DstParts *parts)
{
  GArray *ends = g_array_new (FALSE, FALSE, sizeof (LkNetSimEnd));
  for (guint i = 0; i < DST_HOSTS; i++)
    if ((parts->hosts & 1u << i) != 0)
      g_array_append_val (ends, self->hosts[i].end);
  for (guint i = 0; parts->nodes != NULL && i < parts->nodes->len; i++)
    g_array_append_val (ends, dst_node (self, g_array_index (parts->nodes, guint, i))->end);
  for (guint i = 0; parts->clients != NULL && i < parts->clients->len; i++) {
    LkNetSimEnd end = dst_client_end (dst_client (self, g_array_index (parts->clients, guint, i)));
    g_array_append_val (ends, end);
  }
  return ends;
}

void
dst_cut (DstCluster *self, const DstParts *from, const DstParts *to, gboolean both_ways)
{
  g_autoptr (GArray) from_ends = ends_of (self, from);
  g_autoptr (GArray) to_ends = ends_of (self, to);
  const LkNetSimEnd *from_data = (const LkNetSimEnd *)(gpointer)from_ends->data;
  const LkNetSimEnd *to_data = (const LkNetSimEnd *)(gpointer)to_ends->data;
  lk_net_sim_cut (self->net, from_data, from_ends->len, to_data, to_ends->len);
  if (both_ways)
    lk_net_sim_cut (self->net, to_data, to_ends->len, from_data, from_ends->len);
}

void
dst_heal (DstCluster *self)
{
  lk_net_sim_heal (self->net, 0);
}
