/* tests/property/storm_site.c — see the header. */
#include "tests/property/storm_site.h"

#include "engine/assert.h"

typedef struct {
  const char *order;
  const char *backfill;
  const char *select;
  gboolean has_accounts;
  const char *preempt; /* NULL: nobody is displaced */
} Site;

static const Site sites[] = {
  { "fifo", "none", "pool", FALSE, NULL },
  { "fifo", "easy", "pool", FALSE, NULL },
  { "fifo", "conservative", "pool", FALSE, NULL },
  { "sjf", "replan", "pool", FALSE, NULL },
  { "fifo", "none", "cons_tres", FALSE, NULL },
  { "fifo", "easy", "cons_tres", FALSE, NULL },
  { "saf", "conservative", "cons_tres", FALSE, NULL },
  { "fifo", "replan", "linear", FALSE, NULL },
  { "multifactor:weight_age=1000,weight_fairshare=1000", "easy", "cons_tres", TRUE, NULL },
  { "multifactor:weight_age=1000,weight_qos=500", "conservative", "cons_tres", TRUE, NULL },
  { "fifo", "full", "pool", FALSE, NULL },
  { "sjf", "full:window=1", "pool", FALSE, NULL },
  { "fifo", "full", "cons_tres", FALSE, NULL },
  { "saf", "full:window=1,reorder=1", "cons_tres", FALSE, NULL },
  { "fifo", "full", "linear", FALSE, NULL },
  { "multifactor:weight_age=1000,weight_qos=500", "full:reorder=1", "cons_tres", TRUE, NULL },
  { "fifo", "slurm", "pool", FALSE, NULL },
  { "multifactor:weight_age=1000,weight_qos=500", "slurm", "cons_tres", TRUE, NULL },
  { "multifactor:weight_age=1000",
    "slurm:assoc_limit_stop=1,bf_running_job_reserve=1,slurm_window=1,bf_interval=7,"
    "bf_min_age_reserve=20,bf_max_job_user=3,bf_job_part_count_reserve=2,defer=1",
    "cons_tres", TRUE, NULL },
  { "fifo", "easy", "cons_tres", FALSE, "partition_prio:mode=cancel" },
  { "sjf", "none", "cons_tres", FALSE, "partition_prio:mode=requeue,youngest_first=1" },
  { "fifo", "conservative", "cons_tres", TRUE, "qos:mode=requeue,exempt_s=3" },
  { "multifactor:weight_age=1000", "full", "cons_tres", TRUE, "qos:mode=cancel,hold_s=1" },
  { "fifo", "replan", "linear", TRUE, "qos:mode=cancel,within=1,reclaim_licenses=1" },
  { "fifo", "easy", "pool", TRUE, "qos:mode=cancel,reorder_count=0" },
  { "fifo", "full", "pool", TRUE, "qos:mode=requeue,strict_order=1" },
  { "multifactor:weight_age=1000,weight_qos=500", "slurm:bf_hetjob_prio=2", "cons_tres", TRUE,
    "qos:mode=requeue" },
  { "fifo", "slurm:bf_running_job_reserve=1", "cons_tres", FALSE, "partition_prio:mode=cancel" },
  { "fifo",
    "slurm:bf_licenses=1,bf_hetjob_prio=1,bf_max_job_array_resv=3,bf_interval=5,bf_resolution=7",
    "cons_tres", FALSE, NULL },
  { "fifo", "slurm:builtin=1,bf_interval=5,bf_max_job_test=3", "cons_tres", FALSE, NULL },
  { "multifactor:weight_age=1000", "slurm:builtin=1,bf_interval=2", "pool", TRUE, NULL },
};

/* What partitions there are. */
typedef enum {
  TIERS_TWO,    /* nobody shares cores */
  TIERS_THREE,  /* some jobs share cores */
  TIERS_SHARED, /* all do; two partitions are of one tier */
  TIERS_MIXED,  /* as three; some are requeued */
  TIERS_KINDS,
} Tiers;

/* Sites at which the scheduler suspends jobs. */
typedef struct {
  Site site;
  Tiers tiers;
} GangSite;

static const GangSite gang_sites[] = {
  { { "fifo", "easy", "cons_tres", FALSE, "partition_prio:mode=suspend,gang=1,slice_s=5" },
    TIERS_THREE },
  { { "fifo", "conservative", "cons_tres", FALSE, "partition_prio:mode=suspend,gang=1" },
    TIERS_TWO },
  { { "saf", "full", "cons_tres", FALSE,
      "partition_prio:mode=suspend,gang=1,slice_s=7,exempt_s=9" },
    TIERS_THREE },
  { { "multifactor:weight_age=1000", "slurm", "cons_tres", TRUE,
      "qos:mode=suspend,gang=1,slice_s=5" },
    TIERS_TWO },
  { { "fifo", "replan", "linear", FALSE, "partition_prio:mode=suspend,gang=1" }, TIERS_TWO },
  { { "fifo", "easy", "cons_tres", FALSE, "gang:slice_s=5" }, TIERS_SHARED },
  { { "fifo", "full", "cons_tres", FALSE, "gang:slice_s=6" }, TIERS_THREE },
  { { "fifo", "slurm", "cons_tres", FALSE, "partition_prio:mode=suspend,gang=1,slice_s=5" },
    TIERS_SHARED },
  { { "fifo", "conservative", "cons_tres", TRUE, "qos:mode=suspend,gang=1,slice_s=5" },
    TIERS_SHARED },
  { { "fifo", "easy", "linear", TRUE, "qos:mode=suspend,gang=1,slice_s=5" }, TIERS_SHARED },
  { { "fifo", "easy", "cons_tres", FALSE, "partition_prio:mode=suspend,gang=1,slice_s=5" },
    TIERS_MIXED },
  { { "fifo", "full", "cons_tres", FALSE, "partition_prio:mode=suspend,gang=1,slice_s=6" },
    TIERS_TWO },
  { { "fifo", "replan", "cons_tres", FALSE, "gang:slice_s=6" }, TIERS_THREE },
};

/* Who keeps a plan, and who makes it anew, over everything that can be planned. */
static const Site late_sites[] = {
  { "fifo", "full:offers=1,credit=0", "pool", FALSE, NULL },
  { "fifo", "full", "linear", FALSE, NULL },
  { "saf", "full:offers=1,credit=0", "cons_tres", FALSE, NULL },
  { "sjf", "full:window=1,reorder=1,offers=1,credit=2", "linear", FALSE, NULL },
  { "multifactor:weight_age=1000,weight_qos=500", "full:window=1", "linear", TRUE, NULL },
  { "fifo", "full", "linear", TRUE, "qos:mode=requeue" },
  { "fifo", "full", "linear", FALSE, "partition_prio:mode=suspend,gang=1" },
  { "fifo", "conservative", "pool", FALSE, NULL },
  { "fifo", "conservative", "linear", FALSE, NULL },
  { "multifactor:weight_age=1000", "conservative", "linear", TRUE, NULL },
  { "fifo", "conservative", "cons_tres", FALSE, NULL },
  { "fifo", "replan", "pool", FALSE, NULL },
  { "sjf", "replan", "linear", FALSE, NULL },
  { "fifo", "replan", "cons_tres", FALSE, NULL },
  { "fifo", "easy", "pool", FALSE, NULL },
  { "fifo", "easy:reservations=3", "linear", FALSE, NULL },
  { "fifo", "easy", "cons_tres", FALSE, NULL },
  { "fifo", "slurm", "pool", FALSE, NULL },
  { "fifo", "slurm", "linear", FALSE, NULL },
  { "multifactor:weight_age=1000", "slurm:bf_interval=5", "cons_tres", TRUE, NULL },
};

#define SITES_TIMELY (G_N_ELEMENTS (sites) + G_N_ELEMENTS (gang_sites))

guint
lk_storm_late_site_count (void)
{
  return G_N_ELEMENTS (late_sites);
}

/* Those behind the last of `gang_sites` are late. */
static const Site *
site_at (guint site)
{
  if (site >= SITES_TIMELY)
    return &late_sites[site - SITES_TIMELY];
  return site >= G_N_ELEMENTS (sites) ? &gang_sites[site - G_N_ELEMENTS (sites)].site
                                      : &sites[site];
}

static Tiers
tiers_at (guint site)
{
  gboolean is_gang = site >= G_N_ELEMENTS (sites) && site < SITES_TIMELY;
  return is_gang ? gang_sites[site - G_N_ELEMENTS (sites)].tiers : TIERS_TWO;
}

guint
lk_storm_site_count (void)
{
  return SITES_TIMELY;
}

gboolean
lk_storm_site_is_crowded (guint site)
{
  return site >= G_N_ELEMENTS (sites) && site < SITES_TIMELY;
}

static LkCluster *
describe_cluster (Tiers tiers)
{
  LkCluster *cluster = lk_cluster_new ("storm");
  LkNodeSpec *nodes = lk_cluster_add_nodes (cluster, "n[1-4]");
  nodes->sockets = 2;
  nodes->cores_per_socket = 2;
  nodes->cpus = 4;
  nodes->memory_bytes = G_GINT64_CONSTANT (1) << 30;
  lk_node_spec_add_feature (nodes, "a");
  lk_node_spec_add_gres (nodes, "gpu", "", 2);
  LkNodeSpec *plain = lk_cluster_add_nodes (cluster, "m[1-2]");
  plain->cores_per_socket = plain->cpus = 4;
  plain->memory_bytes = G_GINT64_CONSTANT (1) << 29;
  lk_node_spec_add_feature (plain, "b");
  LkPartitionSpec *low = lk_cluster_add_partition (cluster, "low");
  low->is_default = TRUE;
  if (tiers != TIERS_TWO) {
    low->oversubscribe = LK_OVERSUBSCRIBE_FORCE;
    low->oversubscribe_jobs = 2;
  }
  LkPartitionSpec *high = lk_cluster_add_partition (cluster, "high");
  high->priority_tier = 2;
  if (tiers != TIERS_TWO) {
    LkPartitionSpec *top = lk_cluster_add_partition (cluster, "zz");
    top->priority_tier = tiers == TIERS_SHARED ? 2 : 3;
    high->oversubscribe = top->oversubscribe = LK_OVERSUBSCRIBE_FORCE;
    high->oversubscribe_jobs = tiers == TIERS_SHARED ? 2 : 1;
    top->oversubscribe_jobs = 3;
    if (tiers == TIERS_MIXED) {
      g_free (high->preempt_mode);
      high->preempt_mode = g_strdup ("requeue");
    }
  }
  g_free (high->nodes);
  high->nodes = g_strdup ("n[1-3]");
  lk_cluster_add_license (cluster, "lic", 2);
  cluster->requeue_delay_us = 3 * G_USEC_PER_SEC;
  return cluster;
}

static LkCluster *
make_cluster (Tiers tiers)
{
  LkClusterError error;
  LkCluster *cluster = describe_cluster (tiers);
  gboolean is_good = lk_cluster_check (cluster, &error);
  if (!is_good)
    g_error ("%s", error.text);
  return cluster;
}

static LkAccounts *
make_accounts (void)
{
  LkAccountsError error;
  LkAccounts *accounts = lk_accounts_new ("storm");
  lk_accounts_add_tres (accounts, "gres/gpu");
  LkQosSpec *high = lk_accounts_add_qos (accounts, "high");
  high->priority = 10;
  g_free (high->preempt);
  high->preempt = g_strdup ("normal");
  LkQosSpec *normal = lk_accounts_find_qos (accounts, "normal");
  normal->grace_us = 4 * G_USEC_PER_SEC;
  lk_limits_set (high->limits, LK_LIMIT_MAX_JOBS_PER_USER, 0, TRUE, 2);
  LkAssociationSpec *phys = lk_accounts_add_account (accounts, "phys", NULL);
  lk_limits_set (phys->limits, LK_LIMIT_GRP_TRES, LK_TRES_CPU, TRUE, 9);
  lk_limits_set (phys->limits, LK_LIMIT_GRP_SUBMIT_JOBS, 0, TRUE, 40);
  lk_accounts_add_account (accounts, "bio", "phys");
  LkAssociationSpec *ann = lk_accounts_add_user (accounts, "ann", "phys", "");
  lk_limits_set (ann->limits, LK_LIMIT_MAX_JOBS, 0, TRUE, 3);
  lk_accounts_add_user (accounts, "bob", "bio", "");
  lk_accounts_add_user (accounts, "cid", "bio", "");
  accounts->half_life_us = 20 * G_USEC_PER_SEC;
  accounts->calc_period_us = 7 * G_USEC_PER_SEC;
  accounts->enforce = LK_ENFORCE_ASSOCIATIONS | LK_ENFORCE_LIMITS;
  gboolean is_good = lk_accounts_check (accounts, &error);
  if (!is_good)
    g_error ("%s", error.text);
  return accounts;
}

static LkRegistry *
registry_of_all (void)
{
  static LkRegistry *registry = NULL;
  if (registry == NULL)
    registry = lk_registry_new ();
  return registry;
}

const LkSetup *
lk_storm_setup (guint site)
{
  static LkCluster *clusters[TIERS_KINDS];
  static LkAccounts *accounts = NULL;
  static LkSetup *setups[SITES_TIMELY + G_N_ELEMENTS (late_sites)];
  g_autoptr (GError) error = NULL;
  if (accounts == NULL) {
    for (Tiers tiers = TIERS_TWO; tiers < TIERS_KINDS; tiers++)
      clusters[tiers] = make_cluster (tiers);
    accounts = make_accounts ();
  }
  const Site *spec = site_at (site);
  gboolean is_pool = g_strcmp0 (spec->select, "pool") == 0;
  LkSetupOptions options = { .units_total = 12,
                             .origin_us = LK_TIME_NEVER,
                             .order = spec->order,
                             .backfill = spec->backfill,
                             .select = spec->select,
                             .cluster = is_pool ? NULL : clusters[tiers_at (site)],
                             .accounts = spec->has_accounts ? accounts : NULL,
                             .preempt = spec->preempt,
                             .tells_standing = TRUE,
                             .requeues_ended = TRUE,
                             .requeues_at_end = spec->preempt != NULL };
  if (setups[site] == NULL)
    setups[site] = lk_setup_new (registry_of_all (), &options, &error);
  if (setups[site] == NULL)
    g_error ("%s", error->message);
  return setups[site];
}

/* ---------------------------------------------------------------- others */

static void
change_nodes (LkCluster *cluster, LkStormSource *source)
{
  static const char *const lists[] = { "n[1-4]", "n[1-4]", "n[1-6]", "n[1-6]",
                                       "n[1-6]", "n[1-3]", "n[2-4]" };
  LkNodeSpec *nodes = g_ptr_array_index (cluster->nodes, 0);
  LkNodeSpec *plain = g_ptr_array_index (cluster->nodes, 1);
  g_free (nodes->names);
  nodes->names = g_strdup (lists[lk_storm_draw (source, G_N_ELEMENTS (lists))]);
  nodes->weight = 1 + lk_storm_draw (source, 3);
  if (lk_storm_draw (source, 4) == 0)
    nodes->memory_bytes = G_GINT64_CONSTANT (3) << 29;
  if (lk_storm_draw (source, 12) == 0)
    ((LkGresSpec *)g_ptr_array_index (nodes->gres, 0))->count = 3;
  if (lk_storm_draw (source, 4) == 0)
    lk_node_spec_add_feature (plain, "c");
  if (lk_storm_draw (source, 8) == 0)
    plain->cores_per_socket = plain->cpus = 8;
  if (lk_storm_draw (source, 8) == 0)
    lk_node_spec_add_gres (plain, "bandwidth", "", 5);
  if (lk_storm_draw (source, 8) == 0)
    lk_cluster_add_nodes (cluster, "k[1-2]")->cpus = 1;
}

static void
change_partitions (LkCluster *cluster, LkStormSource *source)
{
  LkPartitionSpec *low = g_ptr_array_index (cluster->partitions, 0);
  LkPartitionSpec *high = g_ptr_array_index (cluster->partitions, 1);
  if (lk_storm_draw (source, 4) == 0)
    low->time_max_us = (1 + lk_storm_draw (source, 3)) * 40 * (gint64)G_USEC_PER_SEC;
  if (lk_storm_draw (source, 4) == 0)
    high->nodes_max = 1 + lk_storm_draw (source, 3);
  if (lk_storm_draw (source, 4) == 0)
    high->over_time_limit_us = 60 * G_USEC_PER_SEC;
  if (lk_storm_draw (source, 6) == 0)
    high->priority_tier = 1 + lk_storm_draw (source, 4);
  if (lk_storm_draw (source, 8) == 0)
    low->state = (LkPartitionState)lk_storm_draw (source, 4);
  if (lk_storm_draw (source, 8) == 0)
    low->oversubscribe = (LkOversubscribe)lk_storm_draw (source, 4);
  low->priority_job_factor = 1 + lk_storm_draw (source, 3);
  if (lk_storm_draw (source, 6) == 0) {
    g_free (high->nodes);
    high->nodes = g_strdup ("n[2-3],m1");
  }
  if (lk_storm_draw (source, 4) == 0)
    lk_cluster_add_partition (cluster, "extra");
  if (lk_storm_draw (source, 6) == 0) {
    low->is_default = FALSE;
    high->is_default = TRUE;
  }
  if (lk_storm_draw (source, 10) == 0)
    g_ptr_array_remove_index (cluster->partitions, high->is_default ? 0 : 1);
}

static LkCluster *
other_cluster (Tiers tiers, LkStormSource *source)
{
  LkClusterError error;
  LkCluster *cluster = describe_cluster (tiers);
  change_nodes (cluster, source);
  change_partitions (cluster, source);
  ((LkLicenseSpec *)g_ptr_array_index (cluster->licenses, 0))->count =
      1 + lk_storm_draw (source, 3);
  if (lk_storm_draw (source, 4) == 0)
    lk_cluster_add_license (cluster, "more", 2);
  if (lk_storm_draw (source, 4) == 0)
    cluster->time_scan_us = 30 * G_USEC_PER_SEC;
  cluster->enforce_limits = lk_storm_draw (source, 2) == 0;
  cluster->kill_invalid_depend = lk_storm_draw (source, 4) == 0;
  cluster->requeue_delay_us = lk_storm_draw (source, 5) * (gint64)G_USEC_PER_SEC;
  if (lk_cluster_check (cluster, &error))
    return cluster;
  /* Such as one that names nodes which are gone. */
  lk_cluster_free (cluster);
  return make_cluster (tiers);
}

static LkAccounts *
other_accounts (LkStormSource *source)
{
  LkAccounts *accounts = make_accounts ();
  accounts->half_life_us = (5 + lk_storm_draw (source, 40)) * (gint64)G_USEC_PER_SEC;
  accounts->calc_period_us = (3 + lk_storm_draw (source, 9)) * (gint64)G_USEC_PER_SEC;
  if (lk_storm_draw (source, 4) == 0)
    accounts->enforce = LK_ENFORCE_ASSOCIATIONS;
  lk_accounts_add_tres (accounts, "license/lic");
  return accounts;
}

/* Now and then those of another site that has the same kind of machine. */
static const Site *
other_policies (guint site, LkStormSource *source)
{
  const Site *own = site_at (site);
  const Site *other = site_at (lk_storm_draw (source, SITES_TIMELY));
  if (lk_storm_draw (source, 3) != 0 || other->has_accounts != own->has_accounts
      || (g_strcmp0 (own->select, "pool") == 0) != (g_strcmp0 (other->select, "pool") == 0))
    return own;
  return other;
}

LkSetup *
lk_storm_other_setup (guint site, LkStormSource *source)
{
  g_autoptr (GError) error = NULL;
  const Site *spec = other_policies (site, source);
  gboolean is_pool = g_strcmp0 (spec->select, "pool") == 0;
  g_autoptr (LkCluster) cluster = is_pool ? NULL : other_cluster (tiers_at (site), source);
  g_autoptr (LkAccounts) accounts = spec->has_accounts ? other_accounts (source) : NULL;
  gboolean weighs = lk_storm_draw (source, 3) == 0;
  LkSetupOptions options = { .units_total = is_pool ? 8 + lk_storm_draw (source, 8) : 12,
                             .origin_us = LK_TIME_NEVER,
                             .order = weighs ? "multifactor:weight_age=10,weight_job_size=2000"
                                             : spec->order,
                             .backfill = spec->backfill,
                             .select = spec->select,
                             .cluster = cluster,
                             .accounts = accounts,
                             .preempt = spec->preempt,
                             .tells_standing = TRUE,
                             .requeues_ended = TRUE,
                             .requeues_at_end = spec->preempt != NULL };
  LkSetup *setup = lk_setup_new (registry_of_all (), &options, &error);
  if (setup == NULL)
    g_error ("%s", error->message);
  return setup;
}
