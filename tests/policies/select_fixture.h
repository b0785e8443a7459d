/* tests/policies/select_fixture.h — nodes that select policies can choose from, written in a line.
 *
 * A line of nodes is words, one for each node in order of index: `-` is a node that is not offered,
 * else the CPUs that the job can use, and behind them, in any order, wN weight (1), gN GPUs it can
 * use (near and free, of as many devices), nN of them near, /N all CPUs of the node (as many as are
 * offered), fN free CPUs (as many as are offered), tN tasks (as many as CPUs), sA.B.C shares free
 * by device, yN type of the first device, `!` named by the job, `i` idle. */
#ifndef LK_TESTS_SELECT_FIXTURE_H
#define LK_TESTS_SELECT_FIXTURE_H

#include <glib.h>

#include "engine/policy.h"

#define SELECT_NODES_MAX 1200
#define SELECT_DEVICES_MAX 8

typedef struct {
  LkView view;
  LkHost host;
  LkClusterView cluster;
  LkDemand demand;
  LkOffer offers[SELECT_NODES_MAX];
  guint32 shares_free[SELECT_NODES_MAX][SELECT_DEVICES_MAX];
  guint offer_count;
  guint node_count;
  guint32 node_switch[SELECT_NODES_MAX];
  LkPick picks[SELECT_NODES_MAX];
  guint32 pick_count;
} SelectFixture;

/* One CPU on any nodes is asked for. */
SelectFixture *select_fixture_new (const char *nodes);
void select_fixture_free (SelectFixture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SelectFixture, select_fixture_free)

/* One more node. */
LkOffer *select_fixture_add (SelectFixture *self, const char *node);

/* Asks for something else, in words: nodes=MIN or nodes=MIN-MAX, wanted, tasks, per_task, cpus,
 * least, gpus, gpus_node, shares, switches, segment =NUMBER; contiguous, spread, pack,
 * least_loaded, whole.  What is not said is that of a job of one task. */
void select_fixture_ask (SelectFixture *self, const char *demand);

/* The devices of all nodes have so many shares. */
void select_fixture_set_shares (SelectFixture *self, guint32 shares_per_device);

/* A tree: the parent of each switch, and the leaf of each node, as numbers between spaces; `-` for
 * none.  Levels follow. */
void select_fixture_set_tree (SelectFixture *self, const char *parents, const char *leafs);
/* Base blocks; planning sizes as numbers between spaces. */
void select_fixture_set_blocks (SelectFixture *self, const char *sizes, const char *blocks);

/* An instance with the defaults, but these: "name=value,...". Aborts when they are refused. */
void *select_new (const LkSelectPolicy *policy, const char *parameters);

/* Asks, and checks that the picks satisfy the demand. FALSE: refused. */
gboolean select_fixture_choose (SelectFixture *self, const LkSelectPolicy *policy, void *instance);
/* The same with an instance of its own; what was chosen: "n0:4 n3:2/1" for 4 CPUs on node 0, 2 and
 * a GPU on node 3, "n0:1@2" for device 2; "none". Returns: (transfer full). */
char *select_fixture_chosen (SelectFixture *self, const LkSelectPolicy *policy,
                             const char *parameters);

#endif
