/* tests/live/hardware_test.c — what hwloc and the libraries of GPUs tell becomes a line of a
 * slurm.conf. The library here is fake_nvml.c; LD_LIBRARY_PATH leads to it. */
#include "live/agent/hardware.h"

static void
test_machine (void)
{
  LkHardware hardware;
  g_unsetenv ("HWLOC_SYNTHETIC");
  g_assert_true (lk_hardware_discover (&hardware, NULL));
  g_assert_cmpuint (hardware.cpu_count, >=, 1);
  g_assert_cmpuint (hardware.cpu_count, <=, g_get_num_processors ());
  g_assert_cmpuint (hardware.core_count, >=, 1);
  g_assert_cmpuint (hardware.memory_bytes, >, 1 << 20);
  lk_hardware_clear (&hardware);
}

static void
test_synthetic (void)
{
  LkHardware hardware;
  g_setenv ("HWLOC_SYNTHETIC", "pack:2 [numa(memory=8589934592)] core:4 pu:2", TRUE);
  g_assert_true (lk_hardware_discover (&hardware, NULL));
  g_unsetenv ("HWLOC_SYNTHETIC");
  g_autofree char *line = lk_hardware_node_line (&hardware, "n1");
  g_assert_cmpstr (line, ==,
                   "NodeName=n1 CPUs=16 Boards=1 SocketsPerBoard=2 CoresPerSocket=4 "
                   "ThreadsPerCore=2 RealMemory=16384 "
                   "Gres=gpu:nvidia_h200:2,gpu:nvidia_a10080g_pcie:1");
  g_assert_cmpuint (hardware.device_paths->len, ==, 3);
  g_assert_cmpstr (g_ptr_array_index (hardware.device_paths, 0), ==, "/dev/nvidia3");
  g_assert_cmpstr (g_ptr_array_index (hardware.device_paths, 2), ==, "/dev/nvidia0");
  lk_hardware_clear (&hardware);
}

static void
test_text (void)
{
  LkHardwareGpus gpus = { "", 3 };
  LkHardware hardware = { .socket_count = 2,
                          .core_count = 3,
                          .cpu_count = 3,
                          .memory_bytes = 5u << 20,
                          .gpus = g_ptr_array_new () };
  g_autofree char *none = lk_hardware_gres (&hardware);
  g_assert_cmpstr (none, ==, "");
  g_ptr_array_add (hardware.gpus, &gpus);
  g_autofree char *line = lk_hardware_node_line (&hardware, "n1");
  /* Three cores on two sockets: a container has been given a part. */
  g_assert_cmpstr (line, ==, "NodeName=n1 CPUs=3 RealMemory=5 Gres=gpu:3");
  lk_hardware_clear (&hardware);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hardware/of this machine something is found", test_machine);
  g_test_add_func ("/hardware/sockets, cores, memory and GPUs are counted", test_synthetic);
  g_test_add_func ("/hardware/what does not multiply is not said", test_text);
  return g_test_run ();
}
