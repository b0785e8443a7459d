/* live/agent/hardware.c — see the header. */
#include "live/agent/hardware.h"

#include <hwloc.h>
#include <string.h>

#include "live/agent/gpu_library.h"
#include "live/port/error.h"

/* PCI classes of what computes and shows no picture: a 3D controller, another display controller,
 * an accelerator (PCI Code and ID Assignment Specification). */
static const unsigned accelerator_classes[] = { 0x0302, 0x0380, 0x1200 };
#define VENDOR_AMD 0x1002
#define VENDOR_NVIDIA 0x10de

static void
gpus_free (gpointer data)
{
  LkHardwareGpus *gpus = data;
  g_free (gpus->type);
  g_free (gpus);
}

static void
add_gpu (LkHardware *self, const char *type, const char *path)
{
  g_ptr_array_add (self->device_paths, g_strdup (path));
  for (guint i = 0; i < self->gpus->len; i++) {
    LkHardwareGpus *gpus = g_ptr_array_index (self->gpus, i);
    if (g_str_equal (gpus->type, type)) {
      gpus->count++;
      return;
    }
  }
  LkHardwareGpus *gpus = g_new (LkHardwareGpus, 1);
  *gpus = (LkHardwareGpus){ g_strdup (type), 1 };
  g_ptr_array_add (self->gpus, gpus);
}

/* "NVIDIA H200" is nvidia_h200, as in gres.conf(5) under AutoDetect. What would be a comma or a
 * colon in a list of GRES is left out. */
static char *
type_of (const char *name)
{
  GString *type = g_string_new (NULL);
  for (const char *c = name; *c != '\0'; c++) {
    if (g_ascii_isalnum (*c) || strchr ("-._", *c) != NULL)
      g_string_append_c (type, g_ascii_tolower (*c));
    else if (*c == ' ')
      g_string_append_c (type, '_');
  }
  return g_string_free (type, FALSE);
}

/* FALSE: nothing is known of them. */
static gboolean
add_named (LkHardware *self, GPtrArray *gpus)
{
  if (gpus == NULL)
    return FALSE;
  for (guint i = 0; i < gpus->len; i++) {
    const LkGpu *gpu = g_ptr_array_index (gpus, i);
    g_autofree char *type = type_of (gpu->product);
    add_gpu (self, type, gpu->path);
  }
  g_ptr_array_unref (gpus);
  return TRUE;
}

static gboolean
is_accelerator (const struct hwloc_pcidev_attr_s *device)
{
  if (device->vendor_id != VENDOR_AMD && device->vendor_id != VENDOR_NVIDIA)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (accelerator_classes); i++)
    if (device->class_id == accelerator_classes[i])
      return TRUE;
  return FALSE;
}

static void
add_seen (LkHardware *self, hwloc_topology_t topology)
{
  for (hwloc_obj_t device = NULL; (device = hwloc_get_next_pcidev (topology, device)) != NULL;)
    if (is_accelerator (&device->attr->pcidev))
      add_gpu (self, "", "");
}

static guint
count_of (hwloc_topology_t topology, hwloc_obj_type_t type)
{
  int count = hwloc_get_nbobjs_by_type (topology, type);
  return count > 0 ? (guint)count : 0;
}

/* A machine that does not say how it is made, as some virtual ones do not, has one socket, and a
 * core for each CPU. */
static void
take_topology (LkHardware *self, hwloc_topology_t topology)
{
  self->cpu_count = count_of (topology, HWLOC_OBJ_PU);
  self->core_count = count_of (topology, HWLOC_OBJ_CORE);
  if (self->core_count == 0)
    self->core_count = self->cpu_count;
  self->socket_count = MAX (1u, count_of (topology, HWLOC_OBJ_PACKAGE));
  self->memory_bytes = hwloc_get_root_obj (topology)->total_memory;
  gboolean is_nvidia_known = add_named (self, lk_gpus_nvml ());
  gboolean is_amd_known = add_named (self, lk_gpus_rocm ());
  if (!is_nvidia_known && !is_amd_known)
    add_seen (self, topology);
}

static gboolean
fail (GError **error)
{
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_SYSTEM,
               "hwloc cannot tell what hardware there is");
  return FALSE;
}

gboolean
lk_hardware_discover (LkHardware *out_hardware, GError **error)
{
  hwloc_topology_t topology;
  if (hwloc_topology_init (&topology) != 0)
    return fail (error);
  if (hwloc_topology_set_io_types_filter (topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) != 0
      || hwloc_topology_load (topology) != 0) {
    hwloc_topology_destroy (topology);
    return fail (error);
  }
  *out_hardware = (LkHardware){ .gpus = g_ptr_array_new_with_free_func (gpus_free),
                                .device_paths = g_ptr_array_new_with_free_func (g_free) };
  take_topology (out_hardware, topology);
  hwloc_topology_destroy (topology);
  return TRUE;
}

void
lk_hardware_clear (LkHardware *self)
{
  g_clear_pointer (&self->gpus, g_ptr_array_unref);
  g_clear_pointer (&self->device_paths, g_ptr_array_unref);
}

char *
lk_hardware_gres (const LkHardware *self)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->gpus->len; i++) {
    const LkHardwareGpus *gpus = g_ptr_array_index (self->gpus, i);
    g_string_append_printf (text, "%sgpu:%s%s%u", i > 0 ? "," : "", gpus->type,
                            gpus->type[0] != '\0' ? ":" : "", gpus->count);
  }
  return g_string_free (text, FALSE);
}

/* Where the parts do not multiply to the whole, as when a container may use only some, the line
 * says no more than the whole. */
static void
append_parts (const LkHardware *self, GString *line)
{
  guint cores_each = self->core_count / self->socket_count;
  guint threads_each = self->cpu_count / MAX (1u, self->core_count);
  if (self->socket_count * cores_each * threads_each == self->cpu_count)
    g_string_append_printf (line,
                            " Boards=1 SocketsPerBoard=%u CoresPerSocket=%u ThreadsPerCore=%u",
                            self->socket_count, cores_each, threads_each);
}

char *
lk_hardware_node_line (const LkHardware *self, const char *node)
{
  GString *line = g_string_new (NULL);
  g_autofree char *gres = lk_hardware_gres (self);
  g_string_append_printf (line, "NodeName=%s CPUs=%u", node, self->cpu_count);
  append_parts (self, line);
  g_string_append_printf (line, " RealMemory=%" G_GUINT64_FORMAT, self->memory_bytes >> 20);
  if (gres[0] != '\0')
    g_string_append_printf (line, " Gres=%s", gres);
  return g_string_free (line, FALSE);
}
