/* tests/traces/node_topology_test.c — what nodes are made of, by hwloc. */
#include "traces/node_topology.h"

#include <string.h>

#define GIB (G_GINT64_CONSTANT (1) << 30)

typedef struct {
  const char *text;
  guint32 sockets; /* 0: refused */
  guint32 cores;
  guint32 threads;
  gint64 memory_bytes;
  const char *problem;
} SyntheticCase;

static const SyntheticCase synthetics[] = {
  { "pack:2 core:32 pu:2", 2, 32, 2, 0, NULL },
  { "pack:2 core:32 pu:1", 2, 32, 1, 0, NULL },
  { "package:2 l3:2 core:4 pu:2", 2, 8, 2, 0, NULL },
  { "core:8 pu:4", 1, 8, 4, 0, NULL },
  { "pack:4 pu:8", 4, 8, 1, 0, NULL },
  { "pu:6", 1, 6, 1, 0, NULL },
  { "pack:2 [numa(memory=64GiB)] core:4 pu:1", 2, 4, 1, 128 * GIB, NULL },
  { "pack:2 l3:2 core:10 pu:1", 2, 20, 1, 0, NULL },
  { "pack:2 core:512 pu:2", 2, 512, 2, 0, NULL },
  { "pack:2 core:512 pu:3", 0, 0, 0, 0, "more than 2048 PUs" },
  { "pu:4000000000", 0, 0, 0, 0, "more than 2048 PUs" },
  { "pack:0xffffffff core:2", 0, 0, 0, 0, "a count that begins with 0 in a synthetic topology" },
  { "2 2 2 2 2 2 2 2 2 2 2 2 2 2", 0, 0, 0, 0, "more than 2048 PUs" },
  { "pack:-1 core:2", 0, 0, 0, 0, "'-' in a synthetic topology" },
  { "pack:2 k\xc3\xb6re:2", 0, 0, 0, 0, "a letter beyond ASCII in a synthetic topology" },
  { "pack:2 core", 0, 0, 0, 0, "not a synthetic topology such as 'pack:2 core:32 pu:2'" },
  { "pack:2 croe:4 pu:1", 0, 0, 0, 0, "not a synthetic topology such as 'pack:2 core:32 pu:2'" },
  { "pack:2(", 0, 0, 0, 0, "not a synthetic topology such as 'pack:2 core:32 pu:2'" },
  { "", 0, 0, 0, 0, "not a synthetic topology such as 'pack:2 core:32 pu:2'" },
};

static void
test_synthetic (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (synthetics); i++) {
    const SyntheticCase *test = &synthetics[i];
    LkNodeTopology topology = { 0 };
    g_autofree char *problem = NULL;
    gboolean good = lk_node_topology_from_synthetic (test->text, &topology, &problem);
    g_test_message ("%s", test->text);
    g_assert_cmpstr (problem, ==, test->problem);
    g_assert_cmpint (good, ==, test->sockets > 0);
    g_assert_cmpuint (topology.sockets, ==, test->sockets);
    g_assert_cmpuint (topology.cores_per_socket, ==, test->cores);
    g_assert_cmpuint (topology.threads_per_core, ==, test->threads);
    g_assert_cmpint (topology.memory_bytes, ==, test->memory_bytes);
    g_assert_cmpuint (topology.device_count, ==, 0);
  }
  g_autofree char *text = g_strnfill (600, '1');
  g_autofree char *problem = NULL;
  LkNodeTopology topology;
  g_assert_false (lk_node_topology_from_synthetic (text, &topology, &problem));
  g_assert_cmpstr (problem, ==, "longer than 512 bytes");
}

static char *
fixture_text (void)
{
  char *text;
  g_assert_true (
      g_file_get_contents (LK_SOURCE_DIR "/tests/fixtures/hwloc/four_gpus.xml", &text, NULL, NULL));
  return text;
}

static void
check_four_gpus (const char *text)
{
  static const guint32 sockets[] = { 1, 1, 2, 0 };
  LkNodeTopology topology;
  g_autofree char *problem = NULL;
  g_assert_true (
      lk_node_topology_from_xml ((const guint8 *)text, strlen (text), &topology, &problem));
  g_assert_cmpuint (topology.sockets, ==, 2);
  g_assert_cmpuint (topology.cores_per_socket, ==, 2);
  g_assert_cmpuint (topology.threads_per_core, ==, 2);
  g_assert_cmpint (topology.memory_bytes, ==, 128 * GIB);
  g_assert_cmpuint (topology.device_count, ==, G_N_ELEMENTS (sockets));
  for (guint i = 0; i < G_N_ELEMENTS (sockets); i++)
    g_assert_cmpuint (topology.device_sockets[i], ==, sockets[i]);
}

static void
test_xml (void)
{
  g_autofree char *text = fixture_text ();
  check_four_gpus (text);
}

/* Without the devices of the operating system the 3D controllers are what is left; the VGA
 * controller of the console is none of them. */
static void
test_xml_without_os_devices (void)
{
  g_autofree char *text = fixture_text ();
  g_autoptr (GRegex) device = g_regex_new ("<object type=\"OSDev\"[^>]*/>", 0, 0, NULL);
  g_autofree char *bare = g_regex_replace_literal (device, text, -1, 0, "", 0, NULL);
  check_four_gpus (bare);
}

/* A device with an operating system's device counts whatever its class; then only such do. */
static void
test_xml_with_one_os_device (void)
{
  g_autofree char *text = fixture_text ();
  g_autoptr (GRegex) devices = g_regex_new ("cuda[023]", 0, 0, NULL);
  g_autofree char *one = g_regex_replace_literal (devices, text, -1, 0, "card", 0, NULL);
  LkNodeTopology topology;
  g_autofree char *problem = NULL;
  g_assert_true (
      lk_node_topology_from_xml ((const guint8 *)one, strlen (one), &topology, &problem));
  g_assert_cmpuint (topology.device_count, ==, 1);
}

static void
test_xml_uneven (void)
{
  g_autofree char *text = fixture_text ();
  g_autoptr (GRegex) core =
      g_regex_new ("<object type=\"Core\" os_index=\"3\".*?</object>", G_REGEX_DOTALL, 0, NULL);
  g_autofree char *uneven = g_regex_replace_literal (core, text, -1, 0, "", 0, NULL);
  LkNodeTopology topology;
  g_autofree char *problem = NULL;
  g_assert_false (
      lk_node_topology_from_xml ((const guint8 *)uneven, strlen (uneven), &topology, &problem));
  g_assert_cmpstr (problem, ==, "a Package has 2 of Core, another one 1; expected all alike");
}

static void
test_xml_garbage (void)
{
  static const char *const texts[] = { "", "<", "no XML at all", "<?xml version=\"1.0\"?>\n<html/>",
                                       "<topology version=\"9.0\"></topology>" };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    LkNodeTopology topology;
    g_autofree char *problem = NULL;
    g_assert_false (lk_node_topology_from_xml ((const guint8 *)texts[i], strlen (texts[i]),
                                               &topology, &problem));
    g_assert_nonnull (problem);
    g_assert_null (strchr (problem, '\n'));
  }
}

static void
test_environment (void)
{
  g_autofree char *text = fixture_text ();
  LkNodeTopology topology;
  g_autofree char *problem = NULL;
  g_setenv ("HWLOC_SYNTHETIC", "pack:1 core:3 pu:1", TRUE);
  g_setenv ("HWLOC_XMLFILE", "/nonexistent.xml", TRUE);
  g_setenv ("HWLOC_FSROOT", "/nonexistent", TRUE);
  g_setenv ("HWLOC_THISSYSTEM", "1", TRUE);
  check_four_gpus (text);
  g_assert_true (lk_node_topology_from_synthetic ("pack:2 core:4 pu:1", &topology, &problem));
  g_assert_cmpuint (topology.sockets, ==, 2);
  g_assert_cmpuint (topology.cores_per_socket, ==, 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/node_topology/synthetic strings are bounded", test_synthetic);
  g_test_add_func ("/node_topology/GPUs have the sockets of their place in the XML", test_xml);
  g_test_add_func ("/node_topology/3D controllers count where no GPU has a name",
                   test_xml_without_os_devices);
  g_test_add_func ("/node_topology/a GPU with a name hides those without",
                   test_xml_with_one_os_device);
  g_test_add_func ("/node_topology/sockets with different cores are refused", test_xml_uneven);
  g_test_add_func ("/node_topology/what is no hwloc XML is refused", test_xml_garbage);
  g_test_add_func ("/node_topology/the environment has no say", test_environment);
  return g_test_run ();
}
