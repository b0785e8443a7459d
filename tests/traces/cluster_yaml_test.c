/* tests/traces/cluster_yaml_test.c — cluster.yaml: what is read, where each mistake stands, and the
 * way back. */
#include "traces/cluster_yaml.h"

#include <glib/gstdio.h>
#include <string.h>

#include "engine/cluster_fields.h"
#include "traces/cluster_yaml_keys.h"

#define HWLOC_FOLDER LK_SOURCE_DIR "/tests/fixtures/hwloc/"

/* Files are looked for beside it. */
static LkCluster *
read_text (const char *text, GError **error)
{
  return lk_cluster_yaml_read_bytes ("c.yaml", (const guint8 *)text, strlen (text), error);
}

static LkCluster *
read_good (const char *text)
{
  g_autoptr (GError) error = NULL;
  LkCluster *cluster = read_text (text, &error);
  g_assert_no_error (error);
  return cluster;
}

static char *
canonical (const LkCluster *cluster)
{
  GString *text = g_string_new (NULL);
  lk_cluster_text (cluster, text);
  return g_string_free (text, FALSE);
}

static void
check_round_trip (const LkCluster *cluster)
{
  g_autoptr (GString) page = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_assert_true (lk_cluster_yaml_write (cluster, "A machine.\n\nOf two lines.", page));
  g_assert_true (g_str_has_prefix (page->str, "# A machine.\n#\n# Of two lines.\nname: "));
  g_autoptr (LkCluster) again = read_text (page->str, &error);
  if (again == NULL)
    g_test_message ("%s", page->str);
  g_assert_no_error (error);
  g_autofree char *text = canonical (cluster);
  g_autofree char *text_again = canonical (again);
  g_assert_cmpstr (text_again, ==, text);
}

/* ---------------------------------------------------------------- what is read */

typedef struct {
  const char *name;
  const char *page;
  const char *lines; /* of the canonical text, or parts of them: all have to be there */
} GoodCase;

static const GoodCase good_cases[] = {
  { "one node", "nodes: [{names: a}]\n",
    "cluster cluster\nnodes a sockets=1 cores_per_socket=1 threads_per_core=1 cpus=1\n"
    "partition main nodes=ALL is_default=1" },
  { "CPUs are threads unless said otherwise",
    "nodes:\n- {names: a, sockets: 2, cores: 8, threads: 2}\n"
    "- {names: b, sockets: 2, cores: 8, threads: 2, cpus: 16}\n",
    "cpus=32\ncpus=16" },
  { "sizes", "nodes: [{names: a, memory: 512GiB, tmp: 1.5T, reserved: {memory: 2G, cores: 0}}]",
    "memory_bytes=549755813888 memory_reserved_bytes=2147483648 tmp_bytes=1649267441664" },
  { "a count of GPUs", "nodes: [{names: a, gres: {gpu: 8}}]",
    "gres gpu type=\"\" count=8 no_consume=0" },
  { "a GPU with everything",
    "nodes:\n- names: a\n  sockets: 2\n  gres:\n    gpu: {type: a100, count: 4, memory: 80GiB, "
    "sockets: [0, 0, [0, 1], any], nvlink: [[0-1], [2, 3]]}\n    shard: 64\n    bw: {count: 100, "
    "no_consume: true}\n",
    "gres gpu type=a100 count=4 no_consume=0 memory_bytes=85899345920 "
    "device_sockets=1,1,3,0 links=0,1,0,0,1,0,0,0,0,0,0,1,0,0,1,0\n"
    "gres shard type=\"\" count=64\n"
    "gres bw type=\"\" count=100 no_consume=1" },
  { "GPUs of two types", "nodes: [{names: a, gres: {gpu: [{type: x, count: 2}, {type: y}]}}]",
    "gres gpu type=x count=2 no\ngres gpu type=y count=1 no" },
  { "entries with names", "nodes: [{names: a, gres: [{name: gpu, count: 2}, {name: b}]}]",
    "gres gpu type=\"\" count=2 no\ngres b type=\"\" count=1 no" },
  { "as many GPUs as have sockets", "nodes: [{names: a, gres: {gpu: {sockets: [0, 0]}}}]",
    "gres gpu type=\"\" count=2 no_consume=0 memory_bytes=0 device_sockets=1,1 links" },
  { "links as Slurm has them",
    "nodes: [{names: a, gres: {gpu: {count: 2, links: [[-1, 4], [4, -1]]}}}]", "links=0,4,4,0" },
  { "states",
    "nodes: [{names: a, state: down, reason: \"a: b\"}, {names: b, state: [drain, maint]}]",
    "flags=1 reason=\"a: b\"\nflags=10" },
  { "features", "nodes: [{names: a, features: [x, y]}, {names: b, features: z}]",
    "features=x,y\nfeatures=z" },
  { "times of a partition",
    "nodes: [{names: a}]\npartitions:\n- {name: p, default_time: 90, max_time: 7-00:00:00, "
    "grace_time: 30s, over_time_limit: 5}\n",
    "time_default_us=5400000000 time_max_us=604800000000\ngrace_us=30000000\n"
    "over_time_limit_us=300000000" },
  { "limits of a partition",
    "nodes: [{names: a}]\npartitions: [{name: p, min_nodes: 1, max_nodes: 4, max_cpus_per_node: "
    "unlimited, priority_tier: 2, priority_job_factor: 7, state: drain, lln: yes}]",
    "state=drain\nnodes_min=1 nodes_max=4 cpus_per_node_max=4294967295\npriority_tier=2 "
    "priority_job_factor=7\nleast_loaded=yes" },
  { "sharing",
    "nodes: [{names: a}]\npartitions: [{name: p, oversubscribe: force:8}, {name: q, oversubscribe: "
    "no}, {name: r, oversubscribe: yes}, {name: s, oversubscribe: exclusive}]",
    "oversubscribe=force oversubscribe_jobs=8\noversubscribe=no \noversubscribe=yes "
    "oversubscribe_jobs=4\noversubscribe=exclusive" },
  { "who may use a partition",
    "nodes: [{names: a}]\npartitions: [{name: p, allow_accounts: [x, y], deny_qos: z, "
    "allow_groups: "
    "'u,v'}]",
    "allow_accounts=x,y\nallow_groups=u,v\ndeny_qos=z" },
  { "billing weights",
    "nodes: [{names: a}]\npartitions: [{name: p, tres_billing_weights: {cpu: 1.0, mem: 0.25G, "
    "gres/gpu: 2}}, {name: q, tres_billing_weights: 'CPU=1,Mem=2G'}]",
    "tres_billing_weights=\"cpu=1.0,mem=0.25G,gres/gpu=2\" \n"
    "tres_billing_weights=\"CPU=1,Mem=2G\" " },
  { "licences", "nodes: [{names: a}]\nlicenses: {matlab: 10, ansys@srv: 0}\n",
    "license matlab count=10\nlicense ansys@srv count=0" },
  { "a flat topology", "nodes: [{names: a}]\ntopology: flat\n", "topology=flat" },
  { "a tree without its kind",
    "nodes: [{names: 'a[0-3]'}]\ntopology:\n  switches:\n  - {name: s0, nodes: 'a[0-1]'}\n"
    "  - {name: s1, nodes: 'a[2-3]'}\n  - {name: top, switches: 's[0-1]'}\n",
    "topology=tree\nswitch s0 nodes=a[0-1]\nswitch top nodes=\"\" switches=s[0-1]" },
  { "blocks",
    "nodes: [{names: 'a[0-3]'}]\ntopology:\n  kind: block\n  block_sizes: [2, 4]\n  blocks:\n"
    "  - {name: b0, nodes: 'a[0-1]'}\n  - {name: b1, nodes: 'a[2-3]'}\n",
    "topology=block block_sizes=2,4\nswitch b0 nodes=a[0-1]" },
  { "how things are handed out",
    "name: x\nconsume: socket\nmemory: no\ncore_distribution: block\npack_nodes: true\nlln: on\n"
    "enforce_limits: True\nrequeue: false\nrequeue_delay: 2m\nrequeue_exit: 5\n"
    "requeue_exit_hold: '1,7-9'\nmax_batch_requeue: 2\nhold_prolog_failure: false\n"
    "kill_wait: 10s\ntime_scan: 30s\nswitches_wait_max: 1h\n"
    "min_job_age: 1h\nkill_invalid_depend: true\nmax_array_size: 50\n"
    "reservation_over_run: 5m\ncompat: slurm-22.05\n"
    "def_mem_per_cpu: 4GiB\nmax_mem_per_node: 1TiB\ncpus_per_gpu: 8\nnodes: [{names: a}]\n",
    "cluster x\nconsume=socket memory=0 cores_block=1 pack_nodes=1 least_loaded=1 "
    "enforce_limits=1 memory_per_cpu_default_bytes=4294967296\n"
    "memory_per_node_max_bytes=1099511627776 cpus_per_gpu_default=8 "
    "reservation_over_run_us=300000000 switches_wait_max_us=3600000000 requeue_delay_us=120000000 "
    "requeue=0 requeue_exit=5\n"
    "requeue_exit_hold=1,7-9 max_batch_requeue=2 hold_prolog_failure=0 kill_wait_us=10000000 "
    "time_scan_us=30000000 "
    "job_age_min_us=3600000000 kill_invalid_depend=1 array_size_max=50 "
    "compat=slurm-22.05" },
  { "a synthetic node", "nodes: [{names: a, topology: \"pack:2 [numa(memory=4GiB)] core:8 pu:2\"}]",
    "sockets=2 cores_per_socket=8 threads_per_core=2 cpus=32\nmemory_bytes=8589934592" },
  { "keys beside a synthetic node",
    "nodes: [{names: a, sockets: 2, cpus: 16, memory: 1GiB, gres: {gpu: 2}, topology: \"pack:2 "
    "[numa(memory=4GiB)] core:8 pu:2\"}]",
    "cpus=16 cores_reserved=0 memory_bytes=1073741824\ngres gpu type=\"\" count=2 no_consume=0 "
    "memory_bytes=0 device_sockets=\"\"" },
  { "a node of XML", "nodes: [{names: a, hwloc_xml: " HWLOC_FOLDER "four_gpus.xml}]",
    "sockets=2 cores_per_socket=2 threads_per_core=2 cpus=8\nmemory_bytes=137438953472\n"
    "gres gpu type=\"\" count=4 no_consume=0 memory_bytes=0 device_sockets=1,1,2,0" },
  { "keys beside a node of XML",
    "nodes: [{names: a, hwloc_xml: " HWLOC_FOLDER "four_gpus.xml, gres: {gpu: [{type: x, count: 1, "
    "sockets: [1]}, {type: y, count: 3}]}}]",
    "type=x count=1 no_consume=0 memory_bytes=0 device_sockets=2 \n"
    "type=y count=3 no_consume=0 memory_bytes=0 device_sockets=1,2,0 " },
};

static void
test_good (gconstpointer data)
{
  const GoodCase *test = data;
  g_autoptr (LkCluster) cluster = read_good (test->page);
  g_autofree char *text = canonical (cluster);
  g_auto (GStrv) lines = g_strsplit (test->lines, "\n", -1);
  const char *at = text;
  for (char **line = lines; *line != NULL; line++) {
    const char *found = strstr (at, *line);
    if (found == NULL)
      g_test_message ("'%s' is not in what follows of\n%s", *line, text);
    g_assert_nonnull (found);
    at = found + strlen (*line);
  }
  check_round_trip (cluster);
}

/* ---------------------------------------------------------------- mistakes */

typedef struct {
  const char *name;
  const char *page;
  const char *message;
} BadCase;

static const BadCase bad_cases[] = {
  { "an empty page", "",
    "c.yaml:1:1: no description of a machine; expected 'nodes:' and what follows" },
  { "a list", "- a\n",
    "c.yaml:1:1: no description of a machine; expected 'nodes:' and what follows" },
  { "no nodes", "name: x\n", "c.yaml:1:1: 'nodes' is empty; expected at least one node" },
  { "an unknown key", "nodes: [{names: a}]\npartition: []\n",
    "c.yaml:2:1: unknown key 'partition'; did you mean 'partitions'?" },
  { "an unknown key of nodes", "nodes:\n  - names: a\n    core: 4\n",
    "c.yaml:3:5: unknown key 'core'; did you mean 'cores'?" },
  { "an unknown key of a GPU", "nodes: [{names: a, gres: {gpu: {typ: a100}}}]",
    "c.yaml:1:33: unknown key 'typ'; did you mean 'type'?" },
  { "a key far from all", "nodes: [{names: a}]\nlicenses: {a: 1}\ntopology: {racks: 3}\n",
    "c.yaml:3:12: unknown key 'racks'; there are: kind, switches, block_sizes, blocks" },
  { "a key given twice", "nodes: [{names: a}]\nname: x\nname: y\n",
    "c.yaml:3:1: key 'name' is given twice" },
  { "a licence given twice", "nodes: [{names: a}]\nlicenses: {m: 1, m: 2}\n",
    "c.yaml:2:18: key 'm' is given twice" },
  { "nodes without names", "nodes:\n  - cores: 4\n",
    "c.yaml:2:5: no 'names' in this entry of 'nodes'; expected one" },
  { "nodes as a mapping", "nodes: {names: a}\n",
    "c.yaml:1:8: 'nodes' is a mapping; expected a list" },
  { "a node as a word", "nodes: [a]\n",
    "c.yaml:1:9: 'nodes' is one value; expected 'key: value' pairs" },
  { "a list where a value belongs", "nodes: [{names: [a, b]}]\n",
    "c.yaml:1:17: 'names' is a list; expected one value" },
  { "no value", "nodes: [{names: a}]\nname:\n", "c.yaml:2:6: 'name' has no value" },
  { "a size without a unit", "nodes: [{names: a, memory: 512}]\n",
    "c.yaml:1:28: 'memory' is '512'; expected a size with its unit, such as 512GiB" },
  { "a size in powers of ten", "nodes: [{names: a, memory: 512GB}]\n",
    "c.yaml:1:28: 'memory' is '512GB'; expected a size with its unit, such as 512GiB" },
  { "a negative count", "nodes: [{names: a, cores: -4}]\n",
    "c.yaml:1:27: 'cores' is '-4'; expected a whole number" },
  { "no cores", "nodes: [{names: a, cores: 0}]\n",
    "c.yaml:1:27: 'cores' is 0; expected 1 to 1024" },
  { "CPUs that fit neither product", "nodes: [{names: a, cores: 4, threads: 2, cpus: 5}]\n",
    "c.yaml:1:48: 'cpus' is 5; expected 4, one for each core, or 8, one for each thread" },
  { "names that are no list", "nodes:\n  - names: a[1-\n",
    "c.yaml:2:12: 'names' is no list of nodes: " },
  { "a node given twice", "nodes:\n  - names: a[1-4]\n  - names: a3\n",
    "c.yaml:3:12: 'names' holds 'a3', which is there already; expected each node once" },
  { "more reserved than there is", "nodes: [{names: a, cores: 4, reserved: {cores: 4}}]\n",
    "c.yaml:1:48: 'cores' is 4; expected 0 to 3" },
  { "an unknown state", "nodes: [{names: a, state: [down, drian]}]\n",
    "c.yaml:1:34: 'state' is 'drian'; did you mean 'drain'?" },
  { "a feature given twice", "nodes: [{names: a, features: [x, y, x]}]\n",
    "c.yaml:1:37: feature 'x' is given twice" },
  { "features with commas", "nodes: [{names: a, features: 'x,y'}]\n",
    "c.yaml:1:30: 'feature' is 'x,y'; expected one name without a comma" },
  { "sockets of other devices", "nodes: [{names: a, gres: {gpu: {count: 4, sockets: [0, 0]}}}]\n",
    "c.yaml:1:52: 2 devices here; expected 4, which is their count" },
  { "a socket that is not there", "nodes: [{names: a, gres: {gpu: {sockets: [1]}}}]\n",
    "c.yaml:1:42: 'sockets' names a socket that is not there, for device 0; the node has 1" },
  { "a socket beyond all", "nodes: [{names: a, gres: {gpu: {sockets: [32]}}}]\n",
    "c.yaml:1:43: 'sockets' is 32; expected at most 31" },
  { "a linked device that is not there",
    "nodes: [{names: a, gres: {gpu: {count: 4, nvlink: [[0-3], [4-7]]}}}]\n",
    "c.yaml:1:51: device 7 here; expected 0 to 3" },
  { "a range from above", "nodes: [{names: a, gres: {gpu: {count: 4, nvlink: [[3-0]]}}}]\n",
    "c.yaml:1:53: 'nvlink' is '3-0'; expected a device or a range of them such as 0-3" },
  { "links that are no square",
    "nodes: [{names: a, gres: {gpu: {count: 2, links: [[0, 1], [1]]}}}]\n",
    "c.yaml:1:59: a row of 1 links; expected 2 as above" },
  { "links of other devices",
    "nodes: [{names: a, gres: {gpu: {count: 3, links: [[0, 1], [1, 0]]}}}]\n",
    "c.yaml:1:50: 2 devices here; expected 3, which is their count" },
  { "links that are too wide",
    "nodes: [{names: a, gres: {gpu: {count: 2, links: [[0, 1, 1], [1, 0, 1]]}}}]\n",
    "c.yaml:1:50: 3 devices here; expected 2, which is their count" },
  { "links beside nvlink",
    "nodes: [{names: a, gres: {gpu: {count: 1, nvlink: [], links: [[0]]}}}]\n",
    "c.yaml:1:62: 'links' beside 'nvlink'; expected one of them" },
  { "links of too many devices", "nodes: [{names: a, gres: {gpu: {count: 65, nvlink: []}}}]\n",
    "c.yaml:1:40: 65 devices with links; expected 1 to 64" },
  { "no GPUs", "nodes: [{names: a, gres: {gpu: {type: x, count: 0}}}]\n",
    "c.yaml:1:49: 'count' is 0; expected 1 to 2147483647" },
  { "shares that cannot be spread", "nodes: [{names: a, gres: {gpu: 3, shard: {count: 8}}}]\n",
    "c.yaml:1:50: 'count' adds up to 8 for 3 GPUs; expected as many for each" },
  { "an entry with two names", "nodes: [{names: a, gres: {gpu: {name: gpu}}}]\n",
    "c.yaml:1:32: 'name' in an entry that is named by its key already" },
  { "an entry without a name", "nodes: [{names: a, gres: [{count: 4}]}]\n",
    "c.yaml:1:27: no 'name' in this entry of 'gres'; expected one" },
  { "a partition without a name", "nodes: [{names: a}]\npartitions:\n  - nodes: a\n",
    "c.yaml:3:5: no 'name' in this entry of 'partitions'; expected one" },
  { "a node that a partition makes up", "nodes: [{names: a}]\npartitions: [{name: p, nodes: b}]\n",
    "c.yaml:2:31: 'nodes' holds 'b'; expected names of nodes, or ALL" },
  { "two default partitions",
    "nodes: [{names: a}]\npartitions:\n- {name: p, default: true}\n- {name: q, default: true}\n",
    "c.yaml:4:22: 'default' is set for 'p' and 'q'; expected one default partition" },
  { "a partition given twice", "nodes: [{names: a}]\npartitions:\n- {name: p}\n- {name: p}\n",
    "c.yaml:4:10: 'name' is there twice; expected each partition once" },
  { "a time that is none", "nodes: [{names: a}]\npartitions: [{name: p, max_time: 7 days}]\n",
    "c.yaml:2:34: 'max_time' is '7 days'; expected a time such as 7-00:00:00, 12h, 90 (minutes) or "
    "unlimited" },
  { "seconds or minutes", "nodes: [{names: a}]\nrequeue_delay: 120\n",
    "c.yaml:2:16: 'requeue_delay' is '120'; expected a time with its unit, such as 30s, 5m or "
    "0:30" },
  { "a default above the limit",
    "nodes: [{names: a}]\npartitions: [{name: p, default_time: 2h, max_time: 1h}]\n",
    "c.yaml:2:38: 'default_time' is 7200000000; expected 1 to 3600000000" },
  { "neither true nor false", "nodes: [{names: a}]\nmemory: maybe\n",
    "c.yaml:2:9: 'memory' is 'maybe'; expected true or false" },
  { "an unknown word", "nodes: [{names: a}]\nconsume: cores\n",
    "c.yaml:2:10: 'consume' is 'cores'; did you mean 'core'?" },
  { "sharing by no number",
    "nodes: [{names: a}]\npartitions: [{name: p, oversubscribe: force:x}]\n",
    "c.yaml:2:39: 'oversubscribe' is 'force:x'; expected a word and how many jobs, such as "
    "force:4" },
  { "sharing by too many", "nodes: [{names: a}]\npartitions: [{name: p, oversubscribe: force:0}]\n",
    "c.yaml:2:39: 'oversubscribe' is 0; expected 1 to 32" },
  { "an unknown way of sharing",
    "nodes: [{names: a}]\npartitions: [{name: p, oversubscribe: forced}]\n",
    "c.yaml:2:39: 'oversubscribe' is 'forced'; did you mean 'force'?" },
  { "a weight that is none",
    "nodes: [{names: a}]\npartitions: [{name: p, tres_billing_weights: {cpu: 1.0.0}}]\n",
    "c.yaml:2:52: 'cpu' is '1.0.0'; expected a weight such as 1.5, or 0.25G for each GiB" },
  { "a licence without a count", "nodes: [{names: a}]\nlicenses: {matlab: many}\n",
    "c.yaml:2:20: 'matlab' is 'many'; expected a whole number" },
  { "two defaults for memory", "nodes: [{names: a}]\ndef_mem_per_cpu: 1G\ndef_mem_per_node: 2G\n",
    "c.yaml:3:19: 'def_mem_per_node' is one of 2 defaults for memory; expected at most one of "
    "those "
    "per CPU, node and GPU" },
  { "a switch that leads to itself",
    "nodes: [{names: a}]\ntopology: {switches: [{name: s, switches: s}]}\n",
    "c.yaml:2:43: 'switches' leads back to the switch itself; expected a tree" },
  { "a switch of no node", "nodes: [{names: a}]\ntopology: {switches: [{name: s, nodes: b}]}\n",
    "c.yaml:2:40: 'nodes' holds 'b'; expected names of nodes" },
  { "switches below blocks", "nodes: [{names: a}]\ntopology: {blocks: [{name: s, switches: b}]}\n",
    "c.yaml:2:31: unknown key 'switches'; there are: name, nodes" },
  { "a kind without its switches", "nodes: [{names: a}]\ntopology: {kind: tree}\n",
    "c.yaml:2:11: the kind does not go with the other keys; expected 'switches' of a tree, "
    "'blocks' "
    "of a block topology, neither of a flat one" },
  { "both kinds",
    "nodes: [{names: a}]\ntopology: {switches: [{name: s, nodes: a}], blocks: [{name: b, nodes: "
    "a}]}\n",
    "c.yaml:2:11: 'switches' beside 'blocks'; expected one of them" },
  { "sizes of blocks that do not rise",
    "nodes: [{names: 'a[1-4]'}]\ntopology: {block_sizes: [2, 3], blocks: [{name: b, nodes: "
    "'a[1-4]'}]}\n",
    "c.yaml:2:25: 'block_sizes' has 3; expected 2 times a power of two" },
  { "a synthetic node that contradicts a key",
    "nodes:\n- names: a\n  sockets: 4\n  topology: pack:2 core:4 pu:1\n",
    "c.yaml:3:12: 4 here, and 2 in what hwloc says of the node at line 4; expected the same, or "
    "only one of them" },
  { "more memory than a synthetic node has",
    "nodes:\n- names: a\n  memory: 4GiB\n  topology: pack:1 [numa(memory=2GiB)] core:4 pu:1\n",
    "c.yaml:3:11: more memory than the node has by what hwloc says of it at line 4, which is "
    "2147483648 bytes" },
  { "no synthetic node", "nodes: [{names: a, topology: 'pack:2 croe:4'}]\n",
    "c.yaml:1:30: 'pack:2 croe:4': not a synthetic topology such as 'pack:2 core:32 pu:2'" },
  { "two descriptions of a node", "nodes: [{names: a, topology: 'core:4 pu:1', hwloc_xml: f}]\n",
    "c.yaml:1:56: 'hwloc_xml' beside the other one of 'topology' and 'hwloc_xml'; expected one of "
    "them" },
  { "an XML file that is not there", "nodes: [{names: a, hwloc_xml: gone.xml}]\n",
    "c.yaml:1:31: 'gone.xml': cannot be opened: No such file or directory" },
  { "an XML file that is a device", "nodes: [{names: a, hwloc_xml: /dev/zero}]\n",
    "c.yaml:1:31: '/dev/zero': is no regular file" },
  { "GPUs that are not in the XML",
    "nodes:\n- {names: a, gres: {gpu: 8}, hwloc_xml: " HWLOC_FOLDER "four_gpus.xml}\n",
    "c.yaml:2:20: 8 GPUs here, and 4 in what hwloc says of the node at line 2; expected the same, "
    "or only one of them" },
  { "an anchor", "nodes: &n [{names: a}]\n", "c.yaml:1:8: anchors are not supported here" },
  { "an alias", "name: x\nnodes: *n\n", "c.yaml:2:8: aliases are not supported here" },
  { "a tag", "name: !!str x\n", "c.yaml:1:7: tags are not supported here" },
  { "a NUL byte", "name: \"a\\0b\"\n", "c.yaml:1:7: a value with a NUL byte" },
  { "letters that no name has", "nodes: [{names: a}]\npartitions: [{name: p, nodes: é}]\n",
    "c.yaml:2:31: 'nodes' is no list of names: it holds a blank, a control character or a letter "
    "outside ASCII" },
  { "a second document", "nodes: [{names: a}]\n---\nname: y\n",
    "c.yaml:2:1: a second document; expected one" },
  { "no YAML", "nodes: [{names: a}\n",
    "c.yaml:2:1: did not find expected ',' or ']' while parsing a flow sequence" },
  { "no UTF-8", "name: \xff\xfe\n", "c.yaml: byte 6: invalid leading UTF-8 octet" },
  { "a name of two lines", "nodes: [{names: a, state: \"a\\nb\"}]\n",
    "c.yaml:1:27: 'state' is 'a b'; there are: idle, down, drain, fail, maint" },
};

static void
test_bad (gconstpointer data)
{
  const BadCase *test = data;
  g_autoptr (GError) error = NULL;
  g_assert_null (read_text (test->page, &error));
  g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX);
  /* What hostlists say of themselves is tested elsewhere. */
  if (g_str_has_suffix (test->message, ": "))
    g_assert_true (g_str_has_prefix (error->message, test->message));
  else
    g_assert_cmpstr (error->message, ==, test->message);
}

static void
test_long_message (void)
{
  g_autoptr (GString) page = g_string_new ("nodes: [{names: a, state: \"");
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < 10000; i++)
    g_string_append (page, "é");
  g_string_append (page, "\"}]");
  g_assert_null (read_text (page->str, &error));
  g_assert_cmpuint (strlen (error->message), <, 900);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_true (g_str_has_suffix (error->message, "é..."));
}

static void
test_too_many_keys (void)
{
  g_autoptr (GString) page = g_string_new ("nodes: [{names: a}]\nlicenses:\n");
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i <= 10000; i++)
    g_string_append_printf (page, "  l%u: 1\n", i);
  g_assert_null (read_text (page->str, &error));
  g_assert_cmpstr (error->message, ==, "c.yaml:10003:3: more than 10000 keys");
}

static void
test_files (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lockstep-yaml-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "c.yaml", NULL);
  g_autofree char *xml_path = g_build_filename (folder, "node.xml", NULL);
  g_autofree char *xml = NULL;
  gsize xml_bytes;
  g_assert_true (g_file_get_contents (HWLOC_FOLDER "four_gpus.xml", &xml, &xml_bytes, NULL));
  g_assert_true (g_file_set_contents (xml_path, xml, (gssize)xml_bytes, NULL));
  g_assert_true (
      g_file_set_contents (path, "nodes: [{names: a, hwloc_xml: node.xml}]\n", -1, NULL));
  g_autoptr (GError) error = NULL;
  g_autoptr (LkCluster) cluster = lk_cluster_yaml_read (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lk_cluster_gres_count (cluster, "gpu"), ==, 4);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_remove (xml_path), ==, 0);
  g_assert_null (lk_cluster_yaml_read (folder, &error));
  g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN);
  g_assert_true (g_str_has_suffix (error->message, "cannot be read: Is a directory"));
  g_clear_error (&error);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_assert_null (lk_cluster_yaml_read ("/nonexistent.yaml", &error));
  g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN);
  g_assert_cmpstr (error->message, ==,
                   "cluster '/nonexistent.yaml': cannot be opened: No such file or directory");
  g_clear_error (&error);
  g_assert_null (lk_cluster_yaml_read ("/dev/zero", &error));
  g_assert_cmpstr (error->message, ==, "cluster '/dev/zero': larger than 16777216 bytes");
}

/* ---------------------------------------------------------------- the way back */

static void
set_text (char **member, const char *text)
{
  g_free (*member);
  *member = g_strdup (text);
}

static gboolean
has_member (const LkKey *keys, const char *member)
{
  for (; keys->key != NULL; keys++)
    if (strcmp (keys->member, member) == 0
        || (keys->parts != NULL && has_member (keys->parts, member)))
      return TRUE;
  return FALSE;
}

/* The tables of the engine name every member: each has to have a key. */
static void
test_every_member (void)
{
#define CHECK(type, member, help) g_assert_true (has_member (KEYS, #member));
#define KEYS lk_node_keys
  LK_NODE_SPEC_FIELDS (CHECK)
#undef KEYS
#define KEYS lk_gres_keys
  LK_GRES_SPEC_FIELDS (CHECK)
#undef KEYS
#define KEYS lk_switch_keys
  LK_SWITCH_SPEC_FIELDS (CHECK)
#undef KEYS
#undef CHECK
/* Some are inside another one. */
#define CHECK(type, member, help)                                                                  \
  g_assert_true (has_member (KEYS, #member) || has_member (lk_topology_keys, #member)              \
                 || strcmp (#member, "oversubscribe_jobs") == 0);
#define KEYS lk_cluster_keys
  LK_CLUSTER_FIELDS (CHECK)
#undef KEYS
#define KEYS lk_partition_keys
  LK_PARTITION_SPEC_FIELDS (CHECK)
#undef KEYS
#undef CHECK
}

static void
fill_nodes (LkCluster *cluster)
{
  LkNodeSpec *node = lk_cluster_add_nodes (cluster, "n[1-4],x-[01-02]");
  *node = (LkNodeSpec){ .names = node->names,
                        .sockets = 2,
                        .cores_per_socket = 4,
                        .threads_per_core = 2,
                        .cpus = 8,
                        .cores_reserved = 1,
                        .memory_bytes = 1000001,
                        .memory_reserved_bytes = 1024,
                        .tmp_bytes = 3,
                        .weight = 0,
                        .flags = LK_NODE_DRAIN | LK_NODE_FAIL,
                        .reason = node->reason,
                        .features = node->features,
                        .gres = node->gres };
  set_text (&node->reason, "a \"reason\": of\n\tmany # letters, é \\ and so on ");
  lk_node_spec_add_feature (node, "null");
  lk_node_spec_add_feature (node, "a:b");
  lk_node_spec_add_feature (node, "{x}");
  /* Entries of one name apart: not to be said with names as keys. */
  LkGresSpec *first = lk_node_spec_add_gres (node, "gpu", "a", 3);
  lk_node_spec_add_gres (node, "nic", "{}", 4)->no_consume = TRUE;
  LkGresSpec *second = lk_node_spec_add_gres (node, "gpu", "b", 1);
  static const guint16 links[] = { 0, 7, 1, 7, 0, 1, 1, 1, 0 };
  first->memory_bytes = 5;
  first->device_sockets = g_memdup2 ((guint32[]){ 3, 0, 1 }, 3 * sizeof (guint32));
  first->links = g_memdup2 (links, sizeof links);
  second->links = g_new0 (guint16, 1);
  lk_cluster_add_nodes (cluster, "down")->flags = LK_NODE_DOWN;
}

static void
fill_partition (LkCluster *cluster)
{
  LkPartitionSpec *p = lk_cluster_add_partition (cluster, "p: \"q\"[1]");
  g_free (p->name);
  p->name = g_strdup ("p:\"q\"[1]");
  set_text (&p->nodes, "n[1-2]");
  p->is_default = TRUE;
  p->state = LK_PARTITION_INACTIVE;
  p->time_default_us = 1;
  p->time_max_us = G_GINT64_CONSTANT (86400000000);
  p->nodes_min = 2;
  p->nodes_max = 3;
  p->cpus_per_node_max = 4;
  p->cpus_per_socket_max = 5;
  p->priority_tier = 6;
  p->priority_job_factor = 0;
  p->oversubscribe = LK_OVERSUBSCRIBE_EXCLUSIVE;
  p->oversubscribe_jobs = 2;
  p->exclusive_user = TRUE;
  p->exclusive_topo = TRUE;
  p->least_loaded = LK_SWITCH_NO;
  set_text (&p->qos, "q");
  set_text (&p->preempt_mode, "requeue");
  p->grace_us = 1500000;
  p->over_time_limit_us = LK_TIME_NEVER;
  set_text (&p->allow_accounts, "a,b c,'d'");
  set_text (&p->deny_accounts, ",");
  set_text (&p->allow_groups, "~");
  set_text (&p->allow_qos, "ALL");
  set_text (&p->deny_qos, "null");
  p->memory_per_gpu_default_bytes = 1;
  p->memory_per_cpu_max_bytes = 1024;
  p->memory_per_node_max_bytes = G_MAXINT64;
  p->cpus_per_gpu_default = 9;
  set_text (&p->tres_billing_weights, "CPU=1.0,Mem=0.25G,GRES/gpu=2.0");
  set_text (&p->alloc_nodes, "login[1-2],gate");
  p->hidden = p->reservation_required = TRUE;
}

static LkCluster *
full_cluster (void)
{
  LkCluster *cluster = lk_cluster_new ("a machine, \"full\"");
  fill_nodes (cluster);
  fill_partition (cluster);
  LkPartitionSpec *other = lk_cluster_add_partition (cluster, "other");
  other->least_loaded = LK_SWITCH_YES;
  other->oversubscribe = LK_OVERSUBSCRIBE_FORCE;
  other->memory_per_node_default_bytes = 2048;
  set_text (&other->tres_billing_weights, "CPU=1,CPU=2");
  lk_cluster_add_license (cluster, "a/b@c", 0);
  lk_cluster_add_license (cluster, "null", 4000000000u);
  cluster->topology = LK_TOPOLOGY_BLOCK;
  lk_cluster_add_switch (cluster, "b1", "n[1-2]", NULL);
  lk_cluster_add_switch (cluster, "b2", "n[3-4]", NULL);
  const guint32 sizes[] = { 2, 4 };
  g_array_append_vals (cluster->block_sizes, sizes, 2);
  cluster->consume = LK_CONSUME_NODE;
  cluster->memory = FALSE;
  cluster->cores_block = TRUE;
  cluster->pack_nodes = TRUE;
  cluster->least_loaded = TRUE;
  cluster->enforce_limits = TRUE;
  cluster->memory_per_cpu_default_bytes = 1;
  cluster->memory_per_cpu_max_bytes = 2;
  cluster->memory_per_node_max_bytes = 3;
  cluster->cpus_per_gpu_default = 4;
  cluster->switches_wait_max_us = 0;
  cluster->requeue_delay_us = 1;
  cluster->requeue = FALSE;
  g_free (cluster->requeue_exit);
  cluster->requeue_exit = g_strdup ("1,5-10");
  g_free (cluster->requeue_exit_hold);
  cluster->requeue_exit_hold = g_strdup ("255");
  cluster->max_batch_requeue = 0;
  cluster->hold_prolog_failure = FALSE;
  cluster->kill_wait_us = 0;
  cluster->time_scan_us = 30000000;
  cluster->job_age_min_us = 0;
  cluster->kill_invalid_depend = TRUE;
  return cluster;
}

static void
test_full (void)
{
  g_autoptr (LkCluster) cluster = full_cluster ();
  LkClusterError found;
  gboolean is_good = lk_cluster_check (cluster, &found);
  if (!is_good)
    g_test_message ("%s %s", found.member, found.text);
  g_assert_true (is_good);
  check_round_trip (cluster);
}

static void
test_words (void)
{
  static const char page[] = "name: tidy\n"
                             "memory: false\n"
                             "requeue_delay: 2m\n"
                             "\n"
                             "nodes:\n"
                             "  - names: gpu[001-064]\n"
                             "    sockets: 2\n"
                             "    cores: 64\n"
                             "    memory: 512GiB\n"
                             "    features: [a100, ib]\n"
                             "    gres:\n"
                             "      gpu: {type: a100, count: 8, sockets: [0, 0, 0, 0, 1, 1, 1, 1], "
                             "nvlink: [[0-3], [4-7]]}\n"
                             "      shard: 64\n"
                             "    reserved:\n"
                             "      cores: 2\n"
                             "    state: down\n"
                             "    reason: \"no power\"\n"
                             "  - names: login\n"
                             "\n"
                             "partitions:\n"
                             "  - name: batch\n"
                             "    nodes: gpu[001-064]\n"
                             "    default: true\n"
                             "    max_time: 7-00:00:00\n"
                             "    oversubscribe: force:2\n"
                             "    allow_accounts: [a, b]\n"
                             "    tres_billing_weights: {cpu: 1.0, gres/gpu: 2}\n"
                             "\n"
                             "licenses:\n"
                             "  matlab: 10\n"
                             "\n"
                             "topology:\n"
                             "  kind: tree\n"
                             "  switches:\n"
                             "    - name: s0\n"
                             "      nodes: gpu[001-064]\n";
  g_autoptr (LkCluster) cluster = read_good (page);
  g_autoptr (GString) out = g_string_new (NULL);
  g_assert_true (lk_cluster_yaml_write (cluster, NULL, out));
  g_assert_cmpstr (out->str, ==, page);
}

/* Memory that no node tells is not handed out, unless the page says that it is. */
static void
test_memory (void)
{
  static const struct {
    const char *page;
    gboolean memory;
  } cases[] = {
    { "nodes: [{names: a}]", FALSE },
    { "memory: true\nnodes: [{names: a}]", TRUE },
    { "memory: false\nnodes: [{names: a, memory: 1GiB}]", FALSE },
    { "nodes: [{names: a, memory: 1GiB}]", TRUE },
    { "nodes: [{names: a, memory: 1MiB}]", TRUE },
    { "nodes: [{names: a}, {names: b, memory: 1GiB}]", TRUE },
    { "nodes: [{names: a, topology: 'pu:1'}]", FALSE },
    { "nodes: [{names: a, topology: '[numa(memory=1GiB)] pu:1'}]", TRUE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (LkCluster) cluster = read_good (cases[i].page);
    g_assert_cmpint (cluster->memory, ==, cases[i].memory);
    check_round_trip (cluster);
  }
}

static void
test_not_utf8 (void)
{
  g_autoptr (LkCluster) cluster = lk_cluster_new ("x");
  g_autoptr (GString) out = g_string_new ("before");
  LkNodeSpec *node = lk_cluster_add_nodes (cluster, "a");
  g_assert_false (lk_cluster_yaml_write (cluster, "\xff", out));
  set_text (&node->reason, "\xff");
  g_assert_false (lk_cluster_yaml_write (cluster, NULL, out));
  g_assert_cmpstr (out->str, ==, "before");
}

/* Nothing in a comment can become a line of its own. */
static void
test_comment (void)
{
  g_autoptr (LkCluster) cluster = read_good ("nodes: [{names: a}]");
  g_autoptr (GString) out = g_string_new (NULL);
  g_assert_true (lk_cluster_yaml_write (cluster, "a\rname: b\xe2\x80\xa8name: c\n", out));
  g_assert_cmpstr (out->str, ==, "# a name: b name: c\nname: cluster\n\nnodes:\n  - names: a\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (good_cases); i++) {
    g_autofree char *path = g_strdup_printf ("/cluster_yaml/reads %s", good_cases[i].name);
    g_test_add_data_func (path, &good_cases[i], test_good);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (bad_cases); i++) {
    g_autofree char *path = g_strdup_printf ("/cluster_yaml/refuses %s", bad_cases[i].name);
    g_test_add_data_func (path, &bad_cases[i], test_bad);
  }
  g_test_add_func ("/cluster_yaml/messages have an end", test_long_message);
  g_test_add_func ("/cluster_yaml/keys of a mapping are bounded", test_too_many_keys);
  g_test_add_func ("/cluster_yaml/files are read, and what is beside them", test_files);
  g_test_add_func ("/cluster_yaml/every member of a cluster has a key", test_every_member);
  g_test_add_func ("/cluster_yaml/a cluster with every member set reads back", test_full);
  g_test_add_func ("/cluster_yaml/a page is written as a human would", test_words);
  g_test_add_func ("/cluster_yaml/memory is handed out where it is told", test_memory);
  g_test_add_func ("/cluster_yaml/what is not UTF-8 is not written", test_not_utf8);
  g_test_add_func ("/cluster_yaml/comments stay comments", test_comment);
  return g_test_run ();
}
