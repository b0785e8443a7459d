/* traces/node_topology.c — see node_topology.h.
 *
 * hwloc is told where the topology comes from before it looks for itself, so that neither the
 * machine nor the environment variables that name other sources take part.
 *
 * GPUs are the PCI devices that have an operating system's device of their own for computing
 * (cuda0, nvml0, rsmi0, opencl0d0); on a node where none has, because lstopo was built without
 * these libraries, the 3D and other display controllers. VGA controllers do not count there: every
 * server has one that only shows a console. */
#include "traces/node_topology.h"

#include <hwloc.h>
#include <string.h>

#include "engine/assert.h"

/* hwloc's time grows with the cube of the PUs below one object; this is beyond every node that is
 * sold. */
#define PUS_MAX (2 * LK_LIMIT_NODE_CORES)
#define SYNTHETIC_BYTES_MAX 512u
/* PCI classes, as the PCI Code and ID Assignment Specification has them. */
#define CLASS_3D_CONTROLLER 0x0302
#define CLASS_OTHER_DISPLAY 0x0380

/* ---------------------------------------------------------------- cores */

/* How many objects of `inner` each object of `outer` holds; all of them have to have as many. */
static gboolean
count_each (hwloc_topology_t topology, hwloc_obj_type_t outer, hwloc_obj_type_t inner,
            guint32 *out_count, char **out_problem)
{
  guint outer_count = (guint)MAX (hwloc_get_nbobjs_by_type (topology, outer), 0);
  g_autofree guint32 *counts = g_new0 (guint32, outer_count + 1);
  hwloc_obj_t object = NULL;
  while ((object = hwloc_get_next_obj_by_type (topology, inner, object)) != NULL) {
    hwloc_obj_t holder = object;
    while (holder != NULL && holder->type != outer)
      holder = holder->parent;
    if (holder != NULL)
      counts[holder->logical_index]++;
  }
  for (guint i = 1; i < outer_count; i++)
    if (counts[i] != counts[0]) {
      *out_problem = g_strdup_printf ("a %s has %u of %s, another one %u; expected all alike",
                                      hwloc_obj_type_string (outer), counts[0],
                                      hwloc_obj_type_string (inner), counts[i]);
      return FALSE;
    }
  *out_count = counts[0];
  return TRUE;
}

/* Without packages the machine is one socket; without cores each PU is one. */
static gboolean
take_cores (hwloc_topology_t topology, LkNodeTopology *out, char **out_problem)
{
  int packages = hwloc_get_nbobjs_by_type (topology, HWLOC_OBJ_PACKAGE);
  int cores = hwloc_get_nbobjs_by_type (topology, HWLOC_OBJ_CORE);
  hwloc_obj_type_t socket_type = packages > 0 ? HWLOC_OBJ_PACKAGE : HWLOC_OBJ_MACHINE;
  hwloc_obj_type_t core_type = cores > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  out->sockets = packages > 0 ? (guint32)packages : 1;
  return count_each (topology, socket_type, core_type, &out->cores_per_socket, out_problem)
         && count_each (topology, core_type, HWLOC_OBJ_PU, &out->threads_per_core, out_problem);
}

/* ---------------------------------------------------------------- devices */

/* Is it a device with which an operating system computes? */
static gboolean
is_compute_device (hwloc_obj_t object)
{
  static const char *const prefixes[] = { "cuda", "nvml", "rsmi", "opencl", "ze", NULL };
  if (object->type != HWLOC_OBJ_OS_DEVICE || object->name == NULL)
    return FALSE;
  if (object->attr->osdev.type != HWLOC_OBJ_OSDEV_COPROC
      && object->attr->osdev.type != HWLOC_OBJ_OSDEV_GPU)
    return FALSE;
  for (guint i = 0; prefixes[i] != NULL; i++)
    if (g_str_has_prefix (object->name, prefixes[i]))
      return TRUE;
  return FALSE;
}

/* The PCI device that an object belongs to; NULL when there is none. */
static hwloc_obj_t
pci_device_of (hwloc_obj_t object)
{
  while (object != NULL && object->type != HWLOC_OBJ_PCI_DEVICE)
    object = object->parent;
  return object;
}

static void
add_once (GPtrArray *devices, hwloc_obj_t device)
{
  if (device != NULL && !g_ptr_array_find (devices, device, NULL))
    g_ptr_array_add (devices, device);
}

static guint64
pci_address (hwloc_obj_t device)
{
  const struct hwloc_pcidev_attr_s *pci = &device->attr->pcidev;
  return (guint64)pci->domain << 24 | (guint64)pci->bus << 16 | (guint64)pci->dev << 8 | pci->func;
}

static gint
address_compare (gconstpointer a, gconstpointer b)
{
  guint64 x = pci_address (*(const hwloc_obj_t *)a);
  guint64 y = pci_address (*(const hwloc_obj_t *)b);
  return (x > y) - (x < y);
}

/* The GPUs in the order of their addresses. Returns: (transfer container). */
static GPtrArray *
find_devices (hwloc_topology_t topology)
{
  GPtrArray *devices = g_ptr_array_new ();
  hwloc_obj_t object = NULL;
  while ((object = hwloc_get_next_osdev (topology, object)) != NULL)
    if (is_compute_device (object))
      add_once (devices, pci_device_of (object));
  if (devices->len == 0)
    while ((object = hwloc_get_next_pcidev (topology, object)) != NULL)
      if (object->attr->pcidev.class_id == CLASS_3D_CONTROLLER
          || object->attr->pcidev.class_id == CLASS_OTHER_DISPLAY)
        g_ptr_array_add (devices, object);
  g_ptr_array_sort (devices, address_compare);
  return devices;
}

/* The packages that share cores with what the device hangs on; none when all do. */
static guint32
near_sockets (hwloc_topology_t topology, hwloc_obj_t device)
{
  hwloc_obj_t place = hwloc_get_non_io_ancestor_obj (topology, device);
  hwloc_obj_t package = NULL;
  guint32 sockets = 0;
  gboolean is_near_all = TRUE;
  while ((package = hwloc_get_next_obj_by_type (topology, HWLOC_OBJ_PACKAGE, package)) != NULL) {
    gboolean is_near = hwloc_bitmap_intersects (package->cpuset, place->cpuset) != 0;
    is_near_all = is_near_all && is_near;
    if (is_near && package->logical_index < 32)
      sockets |= 1u << package->logical_index;
  }
  gboolean is_only_one = hwloc_get_nbobjs_by_type (topology, HWLOC_OBJ_PACKAGE) == 1;
  return is_near_all && !is_only_one ? 0 : sockets;
}

static gboolean
take_devices (hwloc_topology_t topology, LkNodeTopology *out, char **out_problem)
{
  g_autoptr (GPtrArray) devices = find_devices (topology);
  if (devices->len > LK_LIMIT_NODE_DEVICES) {
    *out_problem =
        g_strdup_printf ("%u GPUs; expected at most %u", devices->len, LK_LIMIT_NODE_DEVICES);
    return FALSE;
  }
  out->device_count = devices->len;
  for (guint i = 0; i < devices->len; i++)
    out->device_sockets[i] = near_sockets (topology, g_ptr_array_index (devices, i));
  return TRUE;
}

/* ---------------------------------------------------------------- loading */

/* From a topology that knows its source. */
static gboolean
load (hwloc_topology_t topology, LkNodeTopology *out, char **out_problem)
{
  LkNodeTopology found = { 0 };
  hwloc_topology_set_io_types_filter (topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  hwloc_topology_set_flags (topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load (topology) != 0) {
    *out_problem = g_strdup ("hwloc cannot load it; expected what lstopo of hwloc 1 or 2 wrote");
    return FALSE;
  }
  if (!take_cores (topology, &found, out_problem) || !take_devices (topology, &found, out_problem))
    return FALSE;
  guint64 memory_bytes = hwloc_get_root_obj (topology)->total_memory;
  found.memory_bytes = (gint64)MIN (memory_bytes, (guint64)G_MAXINT64);
  *out = found;
  return TRUE;
}

/* Behind what opens with `open`, at its end. */
static const char *
skip_bracket (const char *at, char open, char close)
{
  guint depth = 0;
  for (; *at != '\0'; at++) {
    depth += *at == open;
    depth -= *at == close;
    if (depth == 0)
      return at;
  }
  return NULL;
}

/* hwloc builds whatever is asked for: the product of the counts is looked at before. Counts are the
 * numbers that stand alone or behind a colon; those inside round brackets are attributes, those in
 * square ones memory, which has no counts. */
static gboolean
synthetic_is_bounded (const char *text, char **out_problem)
{
  guint64 product = 1;
  char before = ' ';
  for (const char *at = text; *at != '\0';) {
    if (*at == '(' || *at == '[') {
      const char *end = skip_bracket (at, *at, *at == '(' ? ')' : ']');
      if (end == NULL)
        break;
      at = end;
    } else if (*at >= '1' && *at <= '9' && !g_ascii_isalnum (before)) {
      char *end;
      product *= MIN (g_ascii_strtoull (at, &end, 10), PUS_MAX + 1);
      at = end - 1;
    } else if (*at == '0' && !g_ascii_isalnum (before)) {
      *out_problem = g_strdup ("a count that begins with 0 in a synthetic topology");
      return FALSE;
    } else if (!g_ascii_isalnum (*at) && strchr (": ", *at) == NULL) {
      *out_problem = g_ascii_isgraph (*at)
                         ? g_strdup_printf ("'%c' in a synthetic topology", *at)
                         : g_strdup ("a letter beyond ASCII in a synthetic topology");
      return FALSE;
    }
    before = *at++;
    if (product > PUS_MAX) {
      *out_problem = g_strdup_printf ("more than %u PUs", PUS_MAX);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
lk_node_topology_from_synthetic (const char *text, LkNodeTopology *out_topology, char **out_problem)
{
  hwloc_topology_t topology;
  if (strlen (text) > SYNTHETIC_BYTES_MAX) {
    *out_problem = g_strdup_printf ("longer than %u bytes", SYNTHETIC_BYTES_MAX);
    return FALSE;
  }
  if (!synthetic_is_bounded (text, out_problem))
    return FALSE;
  int is_ready = hwloc_topology_init (&topology);
  LK_ASSERT (is_ready == 0);
  gboolean good = FALSE;
  if (hwloc_topology_set_synthetic (topology, text) == 0)
    good = load (topology, out_topology, out_problem);
  else
    *out_problem = g_strdup ("not a synthetic topology such as 'pack:2 core:32 pu:2'");
  hwloc_topology_destroy (topology);
  /* Where the text gives no memory, hwloc makes some up. */
  if (good && strstr (text, "memory=") == NULL)
    out_topology->memory_bytes = 0;
  return good;
}

gboolean
lk_node_topology_from_xml (const guint8 *bytes, gsize length_bytes, LkNodeTopology *out_topology,
                           char **out_problem)
{
  hwloc_topology_t topology;
  if (length_bytes >= G_MAXINT) {
    *out_problem = g_strdup ("too large");
    return FALSE;
  }
  /* hwloc wants the NUL byte, and counts it. */
  g_autofree char *text = g_strndup ((const char *)bytes, length_bytes);
  int is_ready = hwloc_topology_init (&topology);
  LK_ASSERT (is_ready == 0);
  gboolean good = FALSE;
  if (hwloc_topology_set_xmlbuffer (topology, text, (int)length_bytes + 1) == 0)
    good = load (topology, out_topology, out_problem);
  else
    *out_problem = g_strdup ("not an hwloc XML file");
  hwloc_topology_destroy (topology);
  return good;
}
