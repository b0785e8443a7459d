/* tests/traces/presets_test.c — the machines that come with the program, and the page about them.
 * */
#include "traces/presets.h"

#include <string.h>

#include "traces/cluster_yaml.h"
#include "traces/cluster_yaml_keys.h"

typedef struct {
  const char *name;
  guint32 nodes;
  guint64 cpus;
  guint64 gpus;
  guint64 shards;
  LkTopologyKind topology;
} PresetCase;

/* As the sources have it. */
static const PresetCase cases[] = {
  { "curie", 5544, 93312, 288, 0, LK_TOPOLOGY_FLAT },
  { "dgx-a100-superpod", 140, 140 * 256, 1120, 0, LK_TOPOLOGY_TREE },
  { "dgx-h100-superpod", 127, 127 * 224, 1016, 0, LK_TOPOLOGY_TREE },
  { "gb200-nvl72", 144, 144 * 144, 576, 0, LK_TOPOLOGY_BLOCK },
  { "kth", 100, 100, 0, 0, LK_TOPOLOGY_FLAT },
  { "openb-2023", 1523, 125514, 6212, 6212000, LK_TOPOLOGY_FLAT },
  { "perlmutter", 4864, 1792 * 128 + 3072 * 256, 7168, 0, LK_TOPOLOGY_TREE },
  { "philly", 552, 552 * 64, 3205, 0, LK_TOPOLOGY_FLAT },
  { "supercloud", 224, 8960, 448, 0, LK_TOPOLOGY_FLAT },
  { "theta", 4392, 4392 * 256, 0, 0, LK_TOPOLOGY_FLAT },
};

static void
test_counts (gconstpointer data)
{
  const PresetCase *test = data;
  const LkPreset *preset = lk_preset_find (test->name);
  g_assert_nonnull (preset);
  g_autoptr (GError) error = NULL;
  g_autoptr (LkCluster) cluster = lk_cluster_yaml_read_bytes (
      test->name, (const guint8 *)preset->text, preset->length_bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (cluster->name, ==, test->name);
  g_assert_cmpuint (lk_cluster_node_count (cluster), ==, test->nodes);
  g_assert_cmpuint (lk_cluster_cpu_count (cluster), ==, test->cpus);
  g_assert_cmpuint (lk_cluster_gres_count (cluster, "gpu"), ==, test->gpus);
  g_assert_cmpuint (lk_cluster_gres_count (cluster, "shard"), ==, test->shards);
  g_assert_cmpint (cluster->topology, ==, test->topology);
}

/* All that there are, by name, with a source that can be looked up. */
static void
test_list (void)
{
  guint count;
  const LkPreset *presets = lk_presets (&count);
  g_autofree const char **names = lk_preset_names ();
  g_assert_cmpuint (count, ==, G_N_ELEMENTS (cases));
  for (guint i = 0; i < count; i++) {
    g_autofree char *summary = lk_preset_summary (&presets[i]);
    g_autofree char *source = lk_preset_source (&presets[i]);
    g_assert_cmpstr (presets[i].name, ==, cases[i].name);
    g_assert_cmpstr (names[i], ==, cases[i].name);
    g_assert_cmpuint (strlen (presets[i].text), ==, presets[i].length_bytes);
    g_assert_cmpuint (strlen (summary), >, 20);
    g_assert_cmpuint (strlen (source), >, 20);
    g_assert_nonnull (strstr (presets[i].text, "https://"));
  }
  g_assert_null (names[count]);
  g_assert_null (lk_preset_find ("theta.yaml"));
}

/* The page in the program is the page in the tree. */
static void
test_file (gconstpointer data)
{
  const PresetCase *test = data;
  g_autofree char *name = g_strconcat (test->name, ".yaml", NULL);
  g_autofree char *path =
      g_build_filename (LK_SOURCE_DIR, "traces", "data", "clusters", name, NULL);
  g_autofree char *text = NULL;
  gsize length_bytes;
  g_assert_true (g_file_get_contents (path, &text, &length_bytes, NULL));
  const LkPreset *preset = lk_preset_find (test->name);
  g_assert_cmpuint (preset->length_bytes, ==, length_bytes);
  g_assert_cmpstr (preset->text, ==, text);
}

static void
test_round_trip (gconstpointer data)
{
  const PresetCase *test = data;
  g_autoptr (LkCluster) cluster = lk_preset_cluster (lk_preset_find (test->name));
  g_autoptr (GString) page = g_string_new (NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) text_again = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_assert_true (lk_cluster_yaml_write (cluster, NULL, page));
  g_autoptr (LkCluster) again =
      lk_cluster_yaml_read_bytes ("again", (const guint8 *)page->str, page->len, &error);
  g_assert_no_error (error);
  lk_cluster_text (cluster, text);
  lk_cluster_text (again, text_again);
  g_assert_cmpstr (text_again->str, ==, text->str);
}

/* ---------------------------------------------------------------- docs/cluster.md */

static char *
document (void)
{
  char *text;
  g_assert_true (g_file_get_contents (LK_SOURCE_DIR "/docs/cluster.md", &text, NULL, NULL));
  return text;
}

static void
test_document_example (void)
{
  g_autofree char *text = document ();
  const char *begin = strstr (text, "```yaml\n");
  g_assert_nonnull (begin);
  begin += strlen ("```yaml\n");
  const char *end = strstr (begin, "```\n");
  g_assert_nonnull (end);
  g_autoptr (GError) error = NULL;
  g_autoptr (LkCluster) cluster = lk_cluster_yaml_read_bytes (
      "docs/cluster.md", (const guint8 *)begin, (gsize)(end - begin), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lk_cluster_node_count (cluster), ==, 80);
  g_assert_cmpuint (lk_cluster_cpu_count (cluster), ==, 64 * 64 + 16 * 64);
  g_assert_cmpuint (lk_cluster_gres_count (cluster, "gpu"), ==, 512);
  g_assert_cmpuint (cluster->partitions->len, ==, 2);
}

/* Every key is said somewhere, as `key` or at its place in an example. */
static void
test_document_keys (void)
{
  static const LkKey *const tables[] = { lk_cluster_keys,   lk_node_keys,   lk_gres_keys,
                                         lk_partition_keys, lk_switch_keys, lk_topology_keys };
  g_autofree char *text = document ();
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    for (const LkKey *key = tables[i]; key->key != NULL; key++) {
      g_autofree char *quoted = g_strdup_printf ("`%s`", key->key);
      g_autofree char *used = g_strdup_printf (" %s:", key->key);
      g_test_message ("%s", key->key);
      g_assert_true (strstr (text, quoted) != NULL || strstr (text, used) != NULL);
    }
}

static void
test_document_list (void)
{
  g_autofree char *text = document ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *row = g_strdup_printf ("\n| %s | ", cases[i].name);
    g_assert_nonnull (strstr (text, row));
  }
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    GTestDataFunc run;
  } tests[] = {
    { "has the nodes and GPUs of its sources", test_counts },
    { "is the page in the tree", test_file },
    { "reads back when it is written", test_round_trip },
  };
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/presets/have names and sources", test_list);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gsize t = 0; t < G_N_ELEMENTS (tests); t++) {
      g_autofree char *path = g_strdup_printf ("/presets/%s %s", cases[i].name, tests[t].name);
      g_test_add_data_func (path, &cases[i], tests[t].run);
    }
  g_test_add_func ("/presets/the example of the documentation is good", test_document_example);
  g_test_add_func ("/presets/the documentation says every key", test_document_keys);
  g_test_add_func ("/presets/the documentation lists them all", test_document_list);
  return g_test_run ();
}
