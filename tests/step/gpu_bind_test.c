/* tests/step/gpu_bind_test.c — which GPUs each task sees, and which CPUs are near to a GPU. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "live/agent/gpu_near.h"
#include "live/port/folder_tree.h"
#include "live/port/run_share.h"
#include "live/step/gpu_bind.h"

static void
test_words (void)
{
  static const char *const good[] = { "none",       "CLOSEST",     "verbose,closest",
                                      "single:2",   "per_task:1",  "map_gpu:0,0x3*2",
                                      "mask_gpu:f", "verbose,none" };
  static const char *const bad[] = { "",         "verbose",    "v,closest",  "closest,verbose",
                                     "single",   "single:0",   "single:x",   "per_task:",
                                     "map_gpu:", "map_gpu:-1", "mask_gpu:g", "help" };
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    LkGpuBind bind;
    g_test_message ("%s", good[i]);
    g_assert_true (lk_gpu_bind_read (good[i], &bind));
    g_assert_cmpint (bind.is_verbose, ==, g_str_has_prefix (good[i], "verbose"));
    lk_gpu_bind_clear (&bind);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    LkGpuBind bind;
    g_test_message ("%s", bad[i]);
    g_assert_false (lk_gpu_bind_read (bad[i], &bind));
    g_assert_cmpint (bind.kind, ==, LK_GPU_BIND_UNSAID);
    g_assert_false (bind.is_verbose);
  }
}

/* Of four GPUs the first two are near to CPUs 0-3, the others to 4-7; the step has 1, 2 and 3. */
static GPtrArray *
machine (void)
{
  static const char *const near[] = { "0-3", "0-3", "4-7", "4-7" };
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  for (guint i = 0; i < G_N_ELEMENTS (near); i++)
    g_ptr_array_add (list, lk_number_ranges (near[i]));
  return list;
}

static void
test_devices (void)
{
  static const struct {
    const char *how; /* NULL: nothing */
    const char *cpus;
    guint per_task;
    guint index;
    const char *seen;
    gboolean is_missed;
  } cases[] = {
    { NULL, "0", 0, 1, "1,2,3", FALSE },
    { NULL, "0", 1, 1, "2", FALSE },
    /* More than there is. */
    { NULL, "0", 2, 1, "1,2,3", FALSE },
    { "none", "0", 1, 1, "1,2,3", FALSE },
    { "closest", "0,1", 0, 0, "1", FALSE },
    { "closest", "6", 0, 1, "2,3", FALSE },
    { "closest", "3,4", 0, 1, "1,2,3", FALSE },
    { "closest", "", 0, 1, "1,2,3", FALSE },
    /* Near to none. */
    { "closest", "9", 0, 1, "1,2,3", FALSE },
    { "single:1", "9", 0, 1, "2", FALSE },
    { "single:1", "4", 0, 0, "2", FALSE },
    { "single:1", "4", 0, 1, "3", FALSE },
    { "single:1", "4", 0, 2, "2", FALSE },
    { "single:2", "0-7", 0, 1, "1", FALSE },
    { "single:2", "0-7", 0, 2, "2", FALSE },
    { "per_task:1", "0", 0, 2, "3", FALSE },
    { "per_task:2", "0", 0, 0, "1,2", FALSE },
    { "per_task:2", "0", 0, 1, "1,2,3", FALSE },
    /* Numbers of the node. */
    { "map_gpu:3,1", "0", 0, 0, "3", FALSE },
    { "map_gpu:3,1", "0", 0, 3, "1", FALSE },
    { "map_gpu:0", "0", 0, 0, "1", TRUE },
    { "mask_gpu:0x3,0xc", "0", 0, 0, "1", FALSE },
    { "mask_gpu:0x3,0xc", "0", 0, 1, "2,3", FALSE },
  };
  g_autoptr (GPtrArray) near = machine ();
  g_autoptr (GArray) gpus = lk_number_ranges ("1-3");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkGpuBind bind = { .kind = LK_GPU_BIND_UNSAID };
    gboolean is_missed;
    g_autoptr (GArray) cpus = lk_number_ranges (cases[i].cpus);
    const LkGpuBindRoom room = { .gpus = gpus,
                                 .per_task = cases[i].per_task,
                                 .index = cases[i].index,
                                 .near = near,
                                 .cpus = cpus };
    g_test_message ("%s, CPUs %s, task %u", cases[i].how, cases[i].cpus, cases[i].index);
    g_assert_true (cases[i].how == NULL || lk_gpu_bind_read (cases[i].how, &bind));
    g_autoptr (GArray) seen = lk_gpu_bind_devices (&bind, &room, &is_missed);
    g_autofree char *list = lk_number_list (seen);
    g_assert_cmpstr (list, ==, cases[i].seen);
    g_assert_cmpint (is_missed, ==, cases[i].is_missed);
    lk_gpu_bind_clear (&bind);
  }
}

/* Where a step can open its own GPUs only, lists count these; and one task has all of them. */
static void
test_told (void)
{
  static const struct {
    const char *how;
    gboolean is_confined;
    gboolean is_alone;
    const char *line;
  } cases[] = {
    { "mask_gpu:6", FALSE, FALSE,
      "usable_gres=0x6; bit_alloc=0xE; local_inx=3; global_list=1,2; local_list=0,1" },
    { "mask_gpu:6", TRUE, FALSE,
      "usable_gres=0x6; bit_alloc=0xE; local_inx=3; global_list=2,3; local_list=1,2" },
    { "mask_gpu:6", TRUE, TRUE,
      "usable_gres=NULL; bit_alloc=0xE; local_inx=3; global_list=1,2,3; local_list=0,1,2" },
    { "none", FALSE, FALSE,
      "usable_gres=NULL; bit_alloc=0xE; local_inx=3; global_list=1,2,3; local_list=0,1,2" },
  };
  g_autoptr (GArray) gpus = lk_number_ranges ("1-3");
  g_autoptr (GArray) cpus = lk_number_ranges ("");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkGpuBind bind;
    gboolean is_missed;
    const LkGpuBindRoom room = {
      .gpus = gpus, .cpus = cpus, .is_confined = cases[i].is_confined, .is_alone = cases[i].is_alone
    };
    g_assert_true (lk_gpu_bind_read (cases[i].how, &bind));
    g_autoptr (GArray) seen = lk_gpu_bind_devices (&bind, &room, &is_missed);
    g_autofree char *line = lk_gpu_bind_line (&bind, &room, seen);
    g_autofree char *expected = g_strdup_printf ("gpu-bind: %s\n", cases[i].line);
    g_assert_cmpstr (line, ==, expected);
    lk_gpu_bind_clear (&bind);
  }
}

static void
put_file (const char *root, const char *path, const char *text)
{
  g_autofree char *whole = g_build_filename (root, path, NULL);
  g_autofree char *folder = g_path_get_dirname (whole);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (whole, text, -1, NULL));
}

static void
expect_near (const char *root, const char *path, const char *expected)
{
  g_autofree char *list = lk_gpu_near_device (root, path);
  g_assert_cmpstr (list, ==, expected);
}

static void
test_bus (void)
{
  g_autofree char *root = g_dir_make_tmp ("gpus-XXXXXX", NULL);

  expect_near (root, "/dev/nvidia1", "");
  put_file (root, "proc/driver/nvidia/gpus/0000:3B:00.0/information",
            "Model: \t\t NVIDIA H200\nBus Location: \t 0000:3B:00.0\nDevice Minor: \t 1\n");
  put_file (root, "proc/driver/nvidia/gpus/0000:5e:00.0/information", "Device Minor: \t 12\n");
  put_file (root, "sys/bus/pci/devices/0000:3b:00.0/local_cpulist", "0-15,32-47\n");
  put_file (root, "sys/dev/char/1:3/device/local_cpulist", "4-7\n");
  expect_near (root, "/dev/nvidia1", "0-15,32-47");
  expect_near (root, "/dev/nvidia12", "");
  expect_near (root, "/dev/nvidia2", "");
  expect_near (root, "/dev/nvidiactl", "");
  expect_near (root, "/dev/null", "4-7");
  expect_near (root, "/dev/zero", "");
  expect_near (root, "/etc/passwd", "");
  expect_near (root, "", "");
  int top = g_open (g_get_tmp_dir (), O_RDONLY | O_DIRECTORY, 0);
  g_autofree char *name = g_path_get_basename (root);
  lk_folder_tree_remove (top, name);
  close (top);
}

/* Two sockets of four cores; what is near to all of them is near to none in particular. */
static void
test_spec (void)
{
  g_autoptr (LkCluster) cluster = lk_cluster_new ("x");
  LkNodeSpec *spec = lk_cluster_add_nodes (cluster, "n1");
  spec->sockets = 2;
  spec->cores_per_socket = 4;
  g_assert_null (lk_gpu_near_spec (spec, NULL));
  LkGresSpec *gres = lk_node_spec_add_gres (spec, "gpu", "", 3);
  lk_node_spec_add_gres (spec, "nic", "", 2);
  g_assert_null (lk_gpu_near_spec (spec, NULL));
  gres->device_sockets = g_new0 (guint32, 3);
  gres->device_sockets[1] = 2;
  gres->device_sockets[2] = 1;
  g_autofree char *near = lk_gpu_near_spec (spec, NULL);
  g_assert_cmpstr (near, ==, ";4,5,6,7;0,1,2,3;");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gpu_bind/words are those of srun", test_words);
  g_test_add_func ("/gpu_bind/tasks see the GPUs that were asked for", test_devices);
  g_test_add_func ("/gpu_bind/each task tells what it sees", test_told);
  g_test_add_func ("/gpu_bind/the kernel tells which CPUs are near", test_bus);
  g_test_add_func ("/gpu_bind/Cores= of gres.conf tells it", test_spec);
  return g_test_run ();
}
