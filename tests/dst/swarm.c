/* tests/dst/swarm.c — see the header. */
#include "tests/dst/swarm.h"

#define MILLISECOND_US ((gint64)1000)
#define SECOND_US ((gint64)G_USEC_PER_SEC)

static guint32
below (DstSwarm *self, guint32 limit)
{
  return seed_below (&self->seed, limit);
}

static gint64
up_to_us (DstSwarm *self, gint64 max_us)
{
  return seed_between (&self->seed, 0, max_us);
}

gboolean
dst_swarm_has (const DstSwarm *self, DstFaultKind kind)
{
  return (self->kinds & 1u << kind) != 0;
}

char *
dst_swarm_text (const DstSwarm *self)
{
  static const char *const names[] = {
#define X(NAME, name) name,
    DST_FAULT_KINDS (X)
#undef X
  };
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < DST_FAULT_COUNT; i++)
    if (dst_swarm_has (self, (DstFaultKind)i))
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", names[i]);
  return g_string_free (text, FALSE);
}

/* ---------------------------------------------------------------- rates */

static void
set_net (DstSwarm *self, LkNetSimFaults *net)
{
  if (dst_swarm_has (self, DST_FAULT_DELAY)) {
    net->delay_max_us = up_to_us (self, below (self, 2) == 0 ? 5 * MILLISECOND_US : SECOND_US);
    net->slow_ppm = below (self, 50000);
    net->slow_max_us = up_to_us (self, 30 * SECOND_US);
  }
  if (dst_swarm_has (self, DST_FAULT_LOSS))
    net->loss_ppm = below (self, below (self, 2) == 0 ? 50000 : 400000);
  if (dst_swarm_has (self, DST_FAULT_DUPLICATES))
    net->duplicate_ppm = below (self, 300000);
  if (dst_swarm_has (self, DST_FAULT_REORDER)) {
    net->reorder_ppm = below (self, 500000);
    net->delay_max_us = MAX (net->delay_max_us, 100 * MILLISECOND_US);
  }
}

static void
set_disks (DstSwarm *self, LkDiskSimFaults *controller, LkDiskSimFaults *agent)
{
  if (dst_swarm_has (self, DST_FAULT_SLOW_DISK)) {
    controller->request_max_us = up_to_us (self, 200 * MILLISECOND_US);
    controller->slow_ppm = below (self, 100000);
    controller->slow_max_us = up_to_us (self, 10 * SECOND_US);
  }
  if (dst_swarm_has (self, DST_FAULT_FAILING_DISK))
    controller->fail_ppm = below (self, 50000);
  if (dst_swarm_has (self, DST_FAULT_READ_ERRORS))
    controller->read_fail_ppm = below (self, 400000);
  if (dst_swarm_has (self, DST_FAULT_MISDIRECTED))
    controller->misdirect_ppm = below (self, 30000);
  if (dst_swarm_has (self, DST_FAULT_AGENT_DISK)) {
    agent->request_max_us = up_to_us (self, SECOND_US);
    agent->fail_ppm = below (self, 300000);
    agent->read_fail_ppm = below (self, 200000);
  }
}

static void
set_habits (DstSwarm *self, DstHabits *habits)
{
  if (dst_swarm_has (self, DST_FAULT_PROLOGS)) {
    habits->prolog_max_us = up_to_us (self, 10 * SECOND_US);
    habits->prolog_fail_ppm = below (self, 100000);
  }
  if (dst_swarm_has (self, DST_FAULT_EPILOGS)) {
    habits->epilog_max_us = up_to_us (self, 10 * SECOND_US);
    habits->epilog_fail_ppm = below (self, 50000);
  }
  if (dst_swarm_has (self, DST_FAULT_STUBBORN))
    habits->stubborn_ppm = below (self, 500000);
  if (dst_swarm_has (self, DST_FAULT_UNDYING)) {
    habits->undying_ppm = below (self, 300000);
    habits->undying_max_us = up_to_us (self, 100 * SECOND_US);
  }
  if (dst_swarm_has (self, DST_FAULT_NO_SUPERVISOR))
    habits->create_fail_ppm = below (self, 100000);
}

/* ---------------------------------------------------------------- moments */

static void
start_host (gpointer user, gpointer data)
{
  DstSwarm *self = user;
  dst_host_return (self->cluster, GPOINTER_TO_UINT (data));
}

static void
start_agent (gpointer user, gpointer data)
{
  DstSwarm *self = user;
  dst_agent_start (self->cluster, GPOINTER_TO_UINT (data));
}

static void
later (DstSwarm *self, gint64 max_us, LkWorldCall call, gpointer data)
{
  LkWorld *world = self->cluster->world;
  lk_world_at (world, lk_world_now_us (world) + up_to_us (self, max_us), call, self, data, NULL);
}

/* The controller, or, where there is another host, now and then that one. */
static guint
some_host (DstSwarm *self)
{
  guint chief = self->cluster->chief;
  guint other = 1 - chief;
  return self->cluster->hosts[other].start_count > 0 && below (self, 3) == 0 ? other : chief;
}

static void
crash_host (DstSwarm *self, gboolean has_lost_power)
{
  guint host = some_host (self);
  dst_host_crash (self->cluster, host, has_lost_power);
  later (self, below (self, 4) == 0 ? 60 * SECOND_US : 2 * SECOND_US, start_host,
         GUINT_TO_POINTER (host));
}

static void
crash_at_write (DstSwarm *self)
{
  LkDiskSimCounts counts;
  guint host = some_host (self);
  lk_disk_sim_counts (self->cluster->hosts[host].disk, &counts);
  dst_host_crash_at (self->cluster, host, counts.write_count + 1 + below (self, 30),
                     /* when_done= */ below (self, 2) == 0,
                     /* has_lost_power= */ below (self, 2) == 0);
}

static void
crash_node (DstSwarm *self, gboolean has_lost_power)
{
  guint node = below (self, self->cluster->nodes->len);
  if (has_lost_power)
    dst_node_crash (self->cluster, node);
  else
    dst_agent_crash (self->cluster, node);
  later (self, below (self, 4) == 0 ? 60 * SECOND_US : 2 * SECOND_US, start_agent,
         GUINT_TO_POINTER (node));
}

static void
heal (gpointer user, gpointer data)
{
  DstSwarm *self = user;
  (void)data;
  dst_heal (self->cluster);
}

static void
cut (DstSwarm *self)
{
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) clients = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < self->cluster->nodes->len; i++)
    if (below (self, 2) == 0)
      g_array_append_val (nodes, i);
  for (guint i = 0; i < self->cluster->clients->len; i++)
    if (below (self, 3) == 0)
      g_array_append_val (clients, i);
  DstParts away = { .nodes = nodes, .clients = clients };
  DstParts here = { .hosts = 1u << self->cluster->chief };
  if (some_host (self) != self->cluster->chief)
    away.hosts = ~here.hosts;
  gboolean is_inward = below (self, 2) == 0;
  dst_cut (self->cluster, is_inward ? &away : &here, is_inward ? &here : &away,
           /* both_ways= */ below (self, 2) == 0);
  later (self, below (self, 3) == 0 ? 60 * SECOND_US : 5 * SECOND_US, heal, NULL);
}

static void
jump (DstSwarm *self)
{
  gint64 by_us = up_to_us (self, below (self, 3) == 0 ? 7200 * SECOND_US : 20 * SECOND_US);
  gint64 now_us = dst_now_us (self->cluster);
  lk_clock_sim_set (self->cluster->hosts[some_host (self)].clock,
                    below (self, 2) == 0 ? now_us + by_us : now_us - by_us,
                    (gint32)below (self, 2000) - 1000);
}

static void
free_space (gpointer user, gpointer data)
{
  DstSwarm *self = user;
  (void)data;
  self->faults.controller_disk.capacity_bytes = 0;
  if (!self->is_over)
    dst_set_faults (self->cluster, &self->faults);
}

static void
fill_disk (DstSwarm *self)
{
  const GByteArray *journal =
      lk_disk_sim_peek (self->cluster->hosts[self->cluster->chief].disk, LK_CONTROLLER_JOURNAL);
  self->faults.controller_disk.capacity_bytes =
      (journal != NULL ? journal->len : 0) + 1 + below (self, 20000);
  dst_set_faults (self->cluster, &self->faults);
  later (self, 30 * SECOND_US, free_space, NULL);
}

/* Not of the administrator, who sees to the end of what he begins. */
static void
crash_client (DstSwarm *self)
{
  guint client = below (self, self->cluster->clients->len);
  if (client % self->cluster->options.identity_count != 0)
    dst_client_crash (dst_client (self->cluster, client));
}

static void
do_harm (DstSwarm *self, DstFaultKind kind)
{
  switch (kind) {
  case DST_FAULT_NODE_CRASH:
  case DST_FAULT_AGENT_CRASH:
    crash_node (self, kind == DST_FAULT_NODE_CRASH);
    break;
  case DST_FAULT_CONTROLLER_CRASH:
  case DST_FAULT_POWER_LOSS:
    crash_host (self, kind == DST_FAULT_POWER_LOSS);
    break;
  case DST_FAULT_CRASH_AT_WRITE:
    crash_at_write (self);
    break;
  case DST_FAULT_PARTITIONS:
    cut (self);
    break;
  case DST_FAULT_CLOCK_JUMPS:
    jump (self);
    break;
  case DST_FAULT_DISK_FULL:
    fill_disk (self);
    break;
  case DST_FAULT_CLIENT_CRASH:
    crash_client (self);
    break;
  default:
    break;
  }
}

static void
come (gpointer user, gpointer data)
{
  DstSwarm *self = user;
  (void)data;
  if (self->is_over)
    return;
  DstFaultKind kind =
      DST_FAULT_FIRST_MOMENT + below (self, DST_FAULT_COUNT - DST_FAULT_FIRST_MOMENT);
  if (dst_swarm_has (self, kind))
    do_harm (self, kind);
  later (self, self->pause_max_us, come, NULL);
}

/* ---------------------------------------------------------------- life */

static guint32
any_kinds (DstSwarm *self)
{
  guint32 all = (guint32)seed_next (&self->seed) & ((1u << DST_FAULT_COUNT) - 1);
  guint32 some = all & (guint32)seed_next (&self->seed);
  guint32 one = 1u << below (self, DST_FAULT_COUNT);
  switch (below (self, 8)) {
  case 0:
    return 0;
  case 1:
    return one;
  case 2:
    return all;
  case 3:
  case 4:
    return (some & (guint32)seed_next (&self->seed)) | one;
  default:
    return some | one;
  }
}

void
dst_swarm_begin (DstSwarm *self, DstCluster *cluster, guint64 seed, guint32 without)
{
  *self = (DstSwarm){ .cluster = cluster, .seed = { seed } };
  self->kinds = any_kinds (self);
  /* It ends the seed early. */
  if (below (self, 4) != 0)
    self->kinds &= ~(1u << DST_FAULT_MISDIRECTED);
  self->kinds &= ~without;
  set_net (self, &self->faults.net);
  set_disks (self, &self->faults.controller_disk, &self->faults.agent_disk);
  set_habits (self, &self->faults.habits);
  if (dst_swarm_has (self, DST_FAULT_LATE_CLOCKS))
    self->faults.lag_max_us = up_to_us (self, 5 * SECOND_US);
  self->pause_max_us = SECOND_US << below (self, 5);
  dst_set_faults (cluster, &self->faults);
  later (self, self->pause_max_us, come, NULL);
}

void
dst_swarm_end (DstSwarm *self)
{
  self->is_over = TRUE;
}
