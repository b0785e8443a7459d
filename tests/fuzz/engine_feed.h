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
  lk_cluster_add_partition (cluster, "own")->exclusive_user = TRUE;
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

/* Configurations, the last ones of nodes. */
#define FEED_CONFIG_COUNT 13u

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
  };
  static LkRegistry *registry = NULL;
  static LkCluster *cluster = NULL;
  static LkSetup *setups[FEED_CONFIG_COUNT];
  if (registry == NULL) {
    registry = lk_registry_new ();
    cluster = feed_cluster ();
  }
  choice %= FEED_CONFIG_COUNT;
  gboolean is_pool = strcmp (specs[choice][2], "pool") == 0;
  LkSetupOptions options = { .units_total = FEED_UNITS,
                             .origin_us = LK_TIME_NEVER,
                             .order = specs[choice][0],
                             .backfill = specs[choice][1],
                             .select = specs[choice][2],
                             .cluster = is_pool ? NULL : cluster };
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
