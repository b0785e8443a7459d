/* tests/dst/takeover.c — see the header. */
#include "tests/dst/takeover.h"

#include "engine/assert.h"
#include "live/core/controller_private.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)
/* One seed of so many has a standby. */
#define SEEDS_EACH 5u
#define SEEDS_THIS 3u
/* Tries, one a second, after which a standby that can be promoted has been. */
#define TRIES_MAX 300u

gboolean
dst_takeover_is_in (guint64 seed)
{
  return seed % SEEDS_EACH == SEEDS_THIS;
}

static guint32
below (DstTakeover *self, guint32 limit)
{
  return seed_below (&self->seed, limit);
}

static DstHost *
first (const DstTakeover *self)
{
  return &self->cluster->hosts[DST_TAKEOVER_FIRST];
}

static DstHost *
second (const DstTakeover *self)
{
  return &self->cluster->hosts[DST_TAKEOVER_SECOND];
}

static void
in_us (DstTakeover *self, gint64 delay_us, LkWorldCall call)
{
  LkWorld *world = self->cluster->world;
  lk_world_at (world, lk_world_now_us (world) + delay_us, call, self, NULL, NULL);
}

static void
within_us (DstTakeover *self, gint64 max_us, LkWorldCall call)
{
  in_us (self, seed_between (&self->seed, 0, max_us), call);
}

/* ---------------------------------------------------------------- taking over */

/* It comes back as it was, and does not know. */
static void
come_back (gpointer user, gpointer data)
{
  DstTakeover *self = user;
  (void)data;
  if (self->is_over)
    return;
  dst_host_withhold (self->cluster, DST_TAKEOVER_FIRST, FALSE);
  dst_host_return (self->cluster, DST_TAKEOVER_FIRST);
}

/* As long as it cannot be, the standby comes back, or catches its breath. */
static void
promote (gpointer user, gpointer data)
{
  DstTakeover *self = user;
  (void)data;
  if (self->cluster->chief == DST_TAKEOVER_SECOND)
    return;
  if (second (self)->standby == NULL
      || !dst_host_promote (self->cluster, DST_TAKEOVER_SECOND, self->term)) {
    in_us (self, SECOND_US, promote);
    return;
  }
  if (below (self, 3) > 0)
    within_us (self, 60 * SECOND_US, come_back);
}

/* ---------------------------------------------------------------- the moment */

/* Has the standby what it takes?  One whose disk was emptied has less than was acknowledged until
 * the controller has seen it catch up. */
static gboolean
is_time (const DstTakeover *self)
{
  const LkController *core = first (self)->core;
  LkStandbyStatus status = { 0 };
  LkControllerCounts counts;
  if (second (self)->standby == NULL)
    return FALSE;
  lk_standby_status (second (self)->standby, &status);
  if (status.journal_bytes == 0 || status.durable_seq == 0)
    return FALSE;
  if (!self->was_remade)
    return TRUE;
  if (core == NULL)
    return FALSE;
  lk_controller_counts (core, &counts);
  return counts.standby_left_bytes == 0 && counts.standby_seq == lk_controller_durable_seq (core);
}

/* The first dies, or does not, and the second may die with it; then nothing is as it was. */
static void
supersede (gpointer user, gpointer data)
{
  DstTakeover *self = user;
  (void)data;
  if (self->is_over)
    return;
  if (!is_time (self)) {
    in_us (self, SECOND_US, supersede);
    return;
  }
  self->is_on = TRUE;
  if (below (self, 4) > 0) {
    dst_host_crash (self->cluster, DST_TAKEOVER_FIRST, /* has_lost_power= */ below (self, 2) == 0);
    dst_host_withhold (self->cluster, DST_TAKEOVER_FIRST, TRUE);
  }
  if (below (self, 3) == 0) {
    dst_host_crash (self->cluster, DST_TAKEOVER_SECOND, /* has_lost_power= */ below (self, 2) == 0);
    dst_host_return (self->cluster, DST_TAKEOVER_SECOND);
  }
  within_us (self, 10 * SECOND_US, promote);
}

/* ---------------------------------------------------------------- following */

/* Not if it was remade before it was made: it may be the controller by now, and be down. */
static void
follow (gpointer user, gpointer data)
{
  DstTakeover *self = user;
  (void)data;
  if (!self->is_over && second (self)->start_count == 0)
    dst_host_follow (self->cluster, DST_TAKEOVER_SECOND);
}

static void
remake (gpointer user, gpointer data)
{
  DstTakeover *self = user;
  LkPortDisk disk = lk_disk_sim_port (second (self)->disk);
  (void)data;
  if (self->is_over || self->is_on)
    return;
  dst_host_crash (self->cluster, DST_TAKEOVER_SECOND, /* has_lost_power= */ TRUE);
  disk.ops->remove (disk.self, LK_CONTROLLER_JOURNAL);
  disk.ops->remove (disk.self, LK_STANDBY_FILE);
  for (guint i = 0; i < LK_CONTROLLER_SNAPSHOTS; i++)
    disk.ops->remove (disk.self, lk_controller_snapshot_names[i]);
  self->was_remade = TRUE;
  dst_host_follow (self->cluster, DST_TAKEOVER_SECOND);
}

/* ---------------------------------------------------------------- life */

void
dst_takeover_begin (DstTakeover *self, DstCluster *cluster, guint64 seed)
{
  *self = (DstTakeover){ .cluster = cluster, .seed = { seed } };
  self->term = 2 + below (self, 3);
  if (below (self, 3) == 0)
    within_us (self, 20 * SECOND_US, follow);
  else
    dst_host_follow (cluster, DST_TAKEOVER_SECOND);
  if (below (self, 4) == 0)
    within_us (self, 60 * SECOND_US, remake);
  if (below (self, 6) > 0)
    in_us (self, seed_between (&self->seed, 2 * SECOND_US, 100 * SECOND_US), supersede);
}

static gboolean
is_promoted (gpointer user)
{
  return ((const DstTakeover *)user)->cluster->chief == DST_TAKEOVER_SECOND;
}

void
dst_takeover_end (DstTakeover *self)
{
  DstCluster *cluster = self->cluster;
  self->is_over = TRUE;
  if (second (self)->start_count == 0)
    dst_host_follow (cluster, DST_TAKEOVER_SECOND);
  else
    dst_host_return (cluster, DST_TAKEOVER_SECOND);
  if (self->is_on)
    dst_run (cluster, dst_now_us (cluster) + TRIES_MAX * SECOND_US, is_promoted, self);
}

gboolean
dst_takeover_is_settled (const DstTakeover *self)
{
  return !self->is_on || first (self)->core == NULL;
}

void
dst_takeover_look (const DstTakeover *self, DstFindings *findings)
{
  const DstHost *old = first (self);
  if (!self->is_on)
    return;
  if (self->cluster->chief != DST_TAKEOVER_SECOND)
    dst_find (findings, "the standby could not be promoted: %s",
              lk_controller_failure_text (second (self)->failure));
  else if (old->core != NULL)
    dst_find (findings, "the old controller does not know that it was superseded");
  else if (!old->is_withheld && old->failure != LK_CONTROLLER_FENCED)
    dst_find (findings, "the old controller has stopped for another reason: %s",
              lk_controller_failure_text (old->failure));
}
