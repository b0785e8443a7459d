/* tests/fuzz/engine_feed.h — an engine under one of several configurations, fed with any events. */
#ifndef LK_TESTS_ENGINE_FEED_H
#define LK_TESTS_ENGINE_FEED_H

#include <glib.h>
#include <string.h>

#include "engine/assert.h"
#include "engine/engine.h"
#include "policies/registry.h"

#define FEED_UNITS 12u

/* Two kinds of nodes, partitions that share in every way, GPUs and shares of them, counts,
 * features, licences, two leaf switches. */
static inline LkCluster *
feed_cluster (void)
{
  LkClusterError error;
  LkCluster *cluster = lk_cluster_new ("feed");
  LkNodeSpec *gpus = lk_cluster_add_nodes (cluster, "n[1-3]");
  gpus->sockets = gpus->cores_per_socket = gpus->threads_per_core = 2;
  gpus->cpus = 8;
  gpus->memory_bytes = 8192;
  lk_node_spec_add_feature (gpus, "a");
  LkGresSpec *devices = lk_node_spec_add_gres (gpus, "gpu", "a100", 2);
  devices->device_sockets = g_new0 (guint32, 2);
  devices->device_sockets[0] = 1;
  devices->device_sockets[1] = 2;
  lk_node_spec_add_gres (gpus, "shard", "", 8);
  lk_node_spec_add_gres (gpus, "nic", "", 3);
  LkNodeSpec *plain = lk_cluster_add_nodes (cluster, "m[1-2]");
  plain->cores_per_socket = plain->cpus = 4;
  plain->memory_bytes = 4096;
  plain->weight = 2;
  lk_node_spec_add_feature (plain, "b");
  lk_cluster_add_partition (cluster, "main")->is_default = TRUE;
  lk_cluster_add_partition (cluster, "shared")->oversubscribe = LK_OVERSUBSCRIBE_FORCE;
  lk_cluster_add_partition (cluster, "alone")->oversubscribe = LK_OVERSUBSCRIBE_EXCLUSIVE;
  LkPartitionSpec *own = lk_cluster_add_partition (cluster, "own");
  own->exclusive_user = TRUE;
  g_free (own->qos);
  own->qos = g_strdup ("part");
  lk_cluster_add_license (cluster, "lic", 3);
  cluster->topology = LK_TOPOLOGY_TREE;
  lk_cluster_add_switch (cluster, "s1", "n[1-3]", "");
  lk_cluster_add_switch (cluster, "s2", "m[1-2]", "");
  lk_cluster_add_switch (cluster, "s3", "", "s[1-2]");
  cluster->memory_per_cpu_default_bytes = 512;
  cluster->requeue_delay_us = 3 * G_USEC_PER_SEC;
  LK_ASSERT (lk_cluster_check (cluster, &error));
  return cluster;
}

static inline LkAssociationSpec *
feed_user (LkAccounts *accounts, const char *user, const char *account, const char *partition)
{
  LkAssociationSpec *spec = lk_accounts_add_user (accounts, user, account, partition);
  spec->shares = 3;
  return spec;
}

/* Two levels of accounts, use that decays within seconds, limits of all that use can be of. */
static inline LkAccounts *
feed_accounts (void)
{
  LkAccountsError error;
  LkAccounts *accounts = lk_accounts_new ("feed");
  guint32 gpus = lk_accounts_add_tres (accounts, "gres/gpu");
  lk_accounts_add_tres (accounts, "license/lic");
  LkQosSpec *high = lk_accounts_add_qos (accounts, "high");
  high->priority = 10;
  high->flags = LK_QOS_OVER_PART_QOS | LK_QOS_ENFORCE_USAGE_THRESHOLD | LK_QOS_NO_DECAY;
  high->usage_factor = 2;
  high->usage_threshold = 0.25;
  lk_limits_set (high->limits, LK_LIMIT_MAX_JOBS_PER_USER, 0, TRUE, 2);
  LkQosSpec *part = lk_accounts_add_qos (accounts, "part");
  lk_limits_set (part->limits, LK_LIMIT_GRP_TRES, LK_TRES_NODE, TRUE, 2);
  lk_limits_set (part->limits, LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT, LK_TRES_CPU, TRUE, 8);
  LkAssociationSpec *phys = lk_accounts_add_account (accounts, "phys", NULL);
  lk_limits_set (phys->limits, LK_LIMIT_GRP_TRES, LK_TRES_CPU, TRUE, 9);
  lk_limits_set (phys->limits, LK_LIMIT_GRP_TRES_MINS, LK_TRES_CPU, TRUE, 1);
  lk_limits_set (phys->limits, LK_LIMIT_MAX_JOBS_ACCRUE, 0, TRUE, 1);
  LkAssociationSpec *bio = lk_accounts_add_account (accounts, "bio", "phys");
  lk_limits_set (bio->limits, LK_LIMIT_GRP_WALL, 0, TRUE, 1);
  lk_limits_set (bio->limits, LK_LIMIT_MAX_TRES_PER_JOB, gpus, TRUE, 2);
  LkAssociationSpec *alice = feed_user (accounts, "alice", "phys", "");
  alice->usage = 1000;
  lk_limits_set (alice->limits, LK_LIMIT_MAX_JOBS, 0, TRUE, 1);
  feed_user (accounts, "bob", "bio", "")->shares = LK_SHARES_PARENT;
  feed_user (accounts, "carol", "bio", "shared");
  feed_user (accounts, "carol", "bio", "");
  accounts->half_life_us = 2 * G_USEC_PER_SEC;
  accounts->calc_period_us = 3 * G_USEC_PER_SEC;
  accounts->reset = LK_RESET_DAILY;
  accounts->enforce = LK_ENFORCE_LIMITS;
  LK_ASSERT (lk_accounts_check (accounts, &error));
  return accounts;
}

/* Configurations, the last ones of nodes, then with accounts. */
#define FEED_CONFIG_COUNT 18u
#define FEED_ACCOUNTS_FIRST 13u

/* Configuration number `choice`, made once for each; any number will do. */
static inline const LkEngineConfig *
feed_config (guint choice)
{
  static const char *const specs[FEED_CONFIG_COUNT][3] = {
    { "fifo", "easy", "pool" },
    { "wfp3", "easy:order=sjf", "pool" },
    { "fifo", "conservative", "pool" },
    { "sjf", "replan", "pool" },
    { "expr:wait/estimate-user_usage", "none", "pool" },
    { "unicef", "conservative", "pool" },
    { "saf", "easy:reservations=3", "pool" },
    { "fifo", "easy:reservations=2", "cons_tres" },
    { "fifo", "conservative", "cons_tres" },
    { "sjf", "replan", "topology" },
    { "wfp3", "easy", "fgd" },
    { "fifo", "none", "linear" },
    { "saf", "conservative", "bestfit_gpu" },
    { "multifactor:weight_age=1000,weight_fairshare=1000", "easy", "pool" },
    { "multifactor:flags=NO_FAIR_TREE,weight_fairshare=1000,calc=continuous", "conservative",
      "pool" },
    { "basic", "replan", "pool" },
    { "multifactor:weight_fairshare=1000,weight_qos=10", "easy", "cons_tres" },
    { "multifactor:weight_age=10,flags=INCR_ONLY", "conservative", "cons_tres" },
  };
  static LkRegistry *registry = NULL;
  static LkCluster *cluster = NULL;
  static LkAccounts *accounts = NULL;
  static LkSetup *setups[FEED_CONFIG_COUNT];
  if (registry == NULL) {
    registry = lk_registry_new ();
    cluster = feed_cluster ();
    accounts = feed_accounts ();
  }
  choice %= FEED_CONFIG_COUNT;
  gboolean is_pool = strcmp (specs[choice][2], "pool") == 0;
  LkSetupOptions options = { .units_total = FEED_UNITS,
                             .origin_us = LK_TIME_NEVER,
                             .order = specs[choice][0],
                             .backfill = specs[choice][1],
                             .select = specs[choice][2],
                             .cluster = is_pool ? NULL : cluster,
                             .accounts = choice >= FEED_ACCOUNTS_FIRST ? accounts : NULL };
  if (setups[choice] == NULL)
    setups[choice] = lk_setup_new (registry, &options, NULL);
  LK_ASSERT (setups[choice] != NULL);
  return lk_setup_config (setups[choice]);
}

/* Applies an event in its turn, whatever its number and time say. */
static inline void
feed_event (LkEngine *engine, LkEvent *event)
{
  LkEngineCounts counts;
  lk_engine_counts (engine, &counts);
  event->seq = counts.event_count + 1;
  event->time_us = MAX (event->time_us, counts.now_us);
  LK_ASSERT (lk_engine_apply (engine, event, NULL) == LK_STATUS_OK);
  lk_engine_decided (engine);
  lk_engine_pass_wanted (engine);
}

#endif
