/* tests/sim/verb_cluster_test.c — `lockstep cluster`: tables, JSON, exit codes. */
#include "sim/verb_cluster.h"

#include <stdlib.h>
#include <string.h>

#include "sim/cluster_show.h"
#include "traces/cluster_yaml.h"
#include "traces/presets.h"

static const char page[] =
    "name: small\n"
    "requeue_delay: 1m\n"
    "nodes:\n"
    "- {names: \"a[1-2]\", sockets: 2, cores: 4, memory: 64GiB, features: [x, y], gres: {gpu: "
    "{type: "
    "v, count: 2, sockets: [0, [0, 1]], nvlink: [[0, 1]]}, shard: 8}}\n"
    "- {names: b, cores: 2, memory: 512MiB, weight: 5}\n"
    "- {names: a3, sockets: 2, cores: 4, memory: 64GiB, features: [x, y], gres: {gpu: {type: v, "
    "count: 2}, shard: 8}}\n"
    "- {names: c, state: [down, drain], reason: old}\n"
    "partitions:\n"
    "- {name: p, max_time: 2-0, default_time: 1h, oversubscribe: force:2}\n"
    "- {name: q, nodes: \"b,c\", state: drain, priority_tier: 3}\n"
    "licenses: {m: 4}\n"
    "topology: {switches: [{name: s, nodes: \"a[1-3],b\"}, {name: t, nodes: c}, {name: top, "
    "switches: "
    "\"s,t\"}]}\n";

static const char tables[] =
    "small: 5 nodes, 27 CPUs, 6 GPUs, 2 partitions, 197121MiB of memory\n"
    "Handed out: cores and memory.\n"
    "\n"
    "NODES  CPUS  S:C:T  MEMORY  GRES             FEATURES  WEIGHT  STATE       NAMES\n"
    "3      8     2:4:1  64GiB   gpu:v:2,shard:8  x,y       1       idle        a[1-3]\n"
    "1      2     1:2:1  512MiB  -                -         5       idle        b\n"
    "1      1     1:1:1  1MiB    -                -         1       down,drain  c\n"
    "\n"
    "PARTITION  NODES  STATE  MAX_TIME    DEFAULT_TIME  TIER  SHARE    NAMES\n"
    "p*         5      up     2-00:00:00  01:00:00      1     force:2  ALL\n"
    "q          2      drain  unlimited   unlimited     3     no       b,c\n"
    "\n"
    "LICENCE  COUNT\n"
    "m        4\n"
    "\n"
    "SWITCH  BELOW       NAMES\n"
    "s       4 nodes     a[1-3],b\n"
    "t       1 node      c\n"
    "top     2 switches  s,t\n";

static LkCluster *
small_cluster (void)
{
  g_autoptr (GError) error = NULL;
  LkCluster *cluster =
      lk_cluster_yaml_read_bytes ("small.yaml", (const guint8 *)page, strlen (page), &error);
  g_assert_no_error (error);
  return cluster;
}

static void
test_tables (void)
{
  g_autoptr (LkCluster) cluster = small_cluster ();
  g_autoptr (GString) text = g_string_new (NULL);
  lk_cluster_show (cluster, text);
  g_assert_cmpstr (text->str, ==, tables);
}

static void
test_blocks (void)
{
  g_autoptr (LkCluster) cluster = lk_preset_cluster (lk_preset_find ("gb200-nvl72"));
  g_autoptr (GString) text = g_string_new (NULL);
  lk_cluster_show (cluster, text);
  g_assert_nonnull (strstr (text->str, "\nrack8  18 nodes  rack8-tray[01-18]\n"
                                       "Jobs are planned in blocks of 18, 36, 72, 144 nodes.\n"));
}

/* Long lists of names are cut. */
static void
test_long_names (void)
{
  g_autoptr (LkCluster) cluster = lk_preset_cluster (lk_preset_find ("philly"));
  g_autoptr (GString) text = g_string_new (NULL);
  lk_cluster_show (cluster, text);
  g_auto (GStrv) lines = g_strsplit (text->str, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    g_assert_cmpuint (strlen (*line), <, 140);
  g_assert_nonnull (strstr (text->str, "Handed out: cores; memory is not.\n"));
}

static void
test_json (void)
{
  g_autoptr (LkCluster) cluster = small_cluster ();
  g_autoptr (GString) text = g_string_new (NULL);
  lk_cluster_json (cluster, text);
  g_autoptr (GRegex) blanks = g_regex_new ("\\s+", 0, 0, NULL);
  g_autofree char *packed = g_regex_replace_literal (blanks, text->str, -1, 0, "", 0, NULL);
  static const char *const parts[] = {
    "{\"node_count\":5,\"cpu_count\":27,\"gpu_count\":6,\"name\":\"small\",\"topology\":\"tree\"",
    "\"requeue_delay_us\":60000000",
    "\"nodes\":[{\"names\":\"a[1-2]\",\"sockets\":2,\"cores_per_socket\":4",
    "\"features\":[\"x\",\"y\"],\"gres\":[{\"name\":\"gpu\",\"type\":\"v\",\"count\":2",
    "\"device_sockets\":[[0],[0,1]],\"links\":[[0,1],[1,0]]},{\"name\":\"shard\"",
    "\"device_sockets\":null,\"links\":null}]},{\"names\":\"b\"",
    "\"flags\":3,\"reason\":\"old\"",
    "\"partitions\":[{\"name\":\"p\",\"nodes\":\"ALL\",\"is_default\":1,\"state\":\"up\","
    "\"root_only\":0,\"time_default_us\":3600000000,\"time_max_us\":172800000000,\"nodes_min\":0,"
    "\"nodes_max\":"
    "null",
    "\"oversubscribe\":\"force\",\"oversubscribe_jobs\":2",
    "\"licenses\":[{\"name\":\"m\",\"count\":4}]",
    "\"switches\":[{\"name\":\"s\",\"nodes\":\"a[1-3],b\",\"switches\":\"\"}",
  };
  const char *at = packed;
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_test_message ("%s", parts[i]);
    at = strstr (at, parts[i]);
    g_assert_nonnull (at);
  }
}

/* ---------------------------------------------------------------- the verb */

typedef struct {
  const char *name;
  const char *arguments; /* behind "cluster", separated by blanks */
  int code;
  const char *output;
  const char *errors;
} RunCase;

static const RunCase runs[] = {
  { "show prints tables", "show kth", 0, "kth: 100 nodes, 100 CPUs, 0 GPUs, 1 partition,*", "" },
  { "show prints JSON", "show kth --json", 0, "{*\"node_count\": 100,*}\n", "" },
  { "check says that it is good", "check theta", 0,
    "theta: good: 4392 nodes, 1124352 CPUs, 0 GPUs, 1 partition\n", "" },
  { "check prints JSON", "check theta --json", 0, "{*\"nodes\": 4392,*}\n", "" },
  { "check names what is wrong", "check " LK_SOURCE_DIR "/CMakeLists.txt", 1, "",
    "lockstep cluster: *CMakeLists.txt:*" },
  { "presets lists them", "presets", 0, "NAME*philly*552*3205*ATC 2019*", "" },
  { "presets lists them as JSON", "presets --json", 0, "[*\"name\": \"philly\",*]\n", "" },
  { "presets prints a page", "presets kth", 0, "# IBM SP2*names: sp*", "" },
  { "an unknown preset is suggested", "presets kht", 2, "",
    "lockstep cluster: 'kht': no such preset; did you mean 'kth'?\n" },
  { "an unknown file or preset is suggested", "show thet", 1, "",
    "*cluster 'thet': there is no such file, and no such preset; did you mean 'theta'?\n" },
  { "an unknown action is suggested", "shwo kth", 2, "",
    "lockstep cluster: unknown action 'shwo'; did you mean 'show'?\n" },
  { "show needs a name", "show", 2, "",
    "lockstep cluster: show takes a file or the name of a preset; see --help\n" },
  { "an action is needed", "", 2, "", "lockstep cluster: expected at least 1 argument*" },
};

static int
run_verb (const char *arguments_text)
{
  g_autofree char *line = g_strchomp (g_strconcat ("cluster ", arguments_text, NULL));
  /* The parser takes words out of its list. */
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  g_autofree char **arguments = g_memdup2 (words, (g_strv_length (words) + 1) * sizeof *words);
  return lk_verb_cluster ((int)g_strv_length (words), arguments);
}

static void
test_run (gconstpointer data)
{
  const RunCase *test = data;
  if (g_test_subprocess ())
    exit (run_verb (test->arguments) == test->code ? 0 : 99);
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout (test->output);
  g_test_trap_assert_stderr (test->errors);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/verb_cluster/tables show what there is", test_tables);
  g_test_add_func ("/verb_cluster/blocks are shown with their sizes", test_blocks);
  g_test_add_func ("/verb_cluster/long lists of names are cut", test_long_names);
  g_test_add_func ("/verb_cluster/JSON has every member", test_json);
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++) {
    g_autofree char *path = g_strdup_printf ("/verb_cluster/%s", runs[i].name);
    g_test_add_data_func (path, &runs[i], test_run);
  }
  return g_test_run ();
}
