/* tests/dst/cluster_standby.c — a standby on a host, and how it becomes the controller. */
#include "engine/assert.h"
#include "tests/dst/cluster_private.h"

gboolean
dst_host_follow (DstCluster *self, guint number)
{
  LK_ASSERT (number < DST_HOSTS);
  DstHost *host = &self->hosts[number];
  LkControllerPorts ports = dst_host_ports (host);
  if (host->core != NULL || host->standby != NULL)
    return TRUE;
  host->failure = LK_CONTROLLER_OK;
  host->is_to_follow = TRUE;
  host->life++;
  host->start_count++;
  lk_world_tell (self->world, "controller%u starts as a standby", number + 1);
  lk_net_sim_open (self->net, host->end, LK_PEER_STANDBY);
  host->standby = lk_standby_new (&self->controller, &ports, &host->failure);
  if (host->standby != NULL)
    return TRUE;
  lk_world_tell (self->world, "controller%u does not start as a standby: %s", number + 1,
                 lk_controller_failure_text (host->failure));
  lk_net_sim_close (self->net, host->end);
  lk_disk_sim_stop (host->disk, /* has_lost_power= */ FALSE);
  lk_clock_sim_stop (host->clock);
  dst_host_plan_restart (host);
  return FALSE;
}

/* To the others it is another peer from now on. */
gboolean
dst_host_promote (DstCluster *self, guint number, guint64 term)
{
  LK_ASSERT (number < DST_HOSTS);
  DstHost *host = &self->hosts[number];
  if (host->standby == NULL)
    return TRUE;
  host->core = lk_standby_promote (host->standby, term, &host->failure);
  lk_world_tell (self->world, "controller%u is %s with term %" G_GUINT64_FORMAT, number + 1,
                 host->core != NULL ? "promoted" : "not promoted", term);
  if (host->core == NULL)
    return FALSE;
  g_clear_pointer (&host->standby, lk_standby_free);
  lk_net_sim_close (self->net, host->end);
  lk_net_sim_open (self->net, host->end, LK_PEER_CONTROLLER);
  lk_controller_wait_for_standby (host->core, FALSE);
  host->is_to_follow = FALSE;
  self->chief = number;
  host->term = host->promoted_term = term;
  host->life++;
  if (self->options.watch.host_begins != NULL)
    self->options.watch.host_begins (self->options.watch.user, number);
  return TRUE;
}
