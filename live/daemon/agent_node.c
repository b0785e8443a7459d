/* live/daemon/agent_node.c — see the header. */
#include "live/daemon/agent_node.h"

#include <string.h>
#include <sys/stat.h>

#include "engine/hostlist.h"
#include "live/agent/gpu_near.h"
#include "live/agent/hardware.h"
#include "live/daemon/log.h"
#include "live/port/error.h"

static char *
keep (LkAgentNodes *self, char *string)
{
  g_ptr_array_add (self->strings, string);
  return string;
}

/* ---------------------------------------------------------------- the configuration */

/* The lines that describe each node, by its name. */
static GHashTable *
index_nodes (const LkCluster *cluster)
{
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < cluster->nodes->len; i++) {
    LkNodeSpec *spec = g_ptr_array_index (cluster->nodes, i);
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    if (lk_hostlist_expand (spec->names, strlen (spec->names), names, NULL))
      for (guint k = 0; k < names->len; k++)
        g_hash_table_insert (table, g_ptr_array_index (names, k), spec);
  }
  return table;
}

static char *
spec_gres (const LkNodeSpec *spec)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    g_string_append_printf (text, "%s%s%s%s:%u", i > 0 ? "," : "", gres->name,
                            gres->type[0] != '\0' ? ":" : "", gres->type, gres->count);
  }
  return g_string_free (text, FALSE);
}

static guint
spec_gpu_count (const LkNodeSpec *spec)
{
  guint count = 0;
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    count += g_str_equal (gres->name, "gpu") ? gres->count : 0;
  }
  return count;
}

/* ---------------------------------------------------------------- nodes */

/* A node of the configuration has so many GPUs; those that nobody has seen are pretended. */
static void
add_devices (LkAgentNodes *self, guint count)
{
  const LkProcessOsDevice pretended = { .path = "" };
  while (self->devices->len < count)
    g_array_append_val (self->devices, pretended);
}

static LkAgentDaemonNode *
add_node (LkAgentNodes *self, const LkAgentNodeOptions *options, const char *name)
{
  LkAgentDaemonNode node = {
    .name = keep (self, g_strdup (name)),
    .directory = keep (self, lk_site_path_expand (options->directory, options->host, name)),
  };
  g_array_append_val (self->nodes, node);
  return &g_array_index (self->nodes, LkAgentDaemonNode, self->nodes->len - 1);
}

static void
emulate (LkAgentNodes *self, LkAgentDaemonNode *node, const LkNodeSpec *spec)
{
  node->cpu_count = spec->cpus;
  node->memory_bytes = (guint64)spec->memory_bytes;
  node->gres = keep (self, spec_gres (spec));
  add_devices (self, spec_gpu_count (spec));
  node->near = keep (self, lk_gpu_near_spec (spec, /* map= */ NULL));
}

static void
add_device (LkAgentNodes *self, const char *path)
{
  LkProcessOsDevice device = { .path = keep (self, g_strdup (path)) };
  g_array_append_val (self->devices, device);
}

static gboolean
is_device (const char *path)
{
  struct stat found;
  return stat (path, &found) == 0 && (S_ISCHR (found.st_mode) || S_ISBLK (found.st_mode));
}

/* What gres.conf names goes before what was found: so many of the files are devices.  (transfer
 * full); NULL: it names none. */
static char *
take_files (LkAgentNodes *self, const LkAgentDaemonNode *node, const LkSite *site,
            const LkNodeSpec *spec)
{
  g_autoptr (GPtrArray) files = lk_site_gpu_files (site, node->name, spec);
  guint count = 0;
  for (guint i = 0; i < files->len; i++) {
    const char *path = g_ptr_array_index (files, i);
    gboolean is_there = path[0] != '\0' && is_device (path);
    if (path[0] != '\0' && !is_there)
      lk_log (LK_LOG_ERROR, "gres.conf: '%s' is no device here", path);
    add_device (self, is_there ? path : "");
    count += is_there || path[0] == '\0' ? 1 : 0;
  }
  return files->len > 0 ? g_strdup_printf ("gpu:%u", count) : NULL;
}

/* Which CPUs are near to each GPU, as the configuration says, else as the kernel does. */
static char *
near_of (const LkAgentNodes *self, const LkNodeSpec *spec)
{
  g_autoptr (LkCoreMap) map = spec_gpu_count (spec) > 0 ? lk_core_map_new () : NULL;
  char *named = map != NULL ? lk_gpu_near_spec (spec, map) : NULL;
  if (named != NULL)
    return named;
  if (self->devices->len == 0)
    return NULL;
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->devices->len; i++) {
    const char *path = g_array_index (self->devices, LkProcessOsDevice, i).path;
    g_autofree char *list = lk_gpu_near_device (/* root= */ "", path);
    g_string_append_printf (text, "%s;", list);
  }
  return g_string_free (text, FALSE);
}

static gboolean
discover (LkAgentNodes *self, LkAgentDaemonNode *node, const LkSite *site, const LkNodeSpec *spec,
          GError **error)
{
  LkHardware hardware;
  if (!lk_hardware_discover (&hardware, error))
    return FALSE;
  node->cpu_count = hardware.cpu_count;
  node->memory_bytes = hardware.memory_bytes;
  char *named = take_files (self, node, site, spec);
  node->gres = keep (self, named != NULL ? named : lk_hardware_gres (&hardware));
  for (guint i = 0; named == NULL && i < hardware.device_paths->len; i++)
    add_device (self, g_ptr_array_index (hardware.device_paths, i));
  add_devices (self, spec_gpu_count (spec));
  node->near = keep (self, near_of (self, spec));
  lk_hardware_clear (&hardware);
  return TRUE;
}

static gboolean
refuse (GError **error, const char *what, const char *text)
{
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE, "'%s' %s", text, what);
  return FALSE;
}

static gboolean
add_all (LkAgentNodes *self, const LkAgentNodeOptions *options, GPtrArray *names, GError **error)
{
  g_autoptr (GHashTable) specs = index_nodes (lk_site_engine (options->site)->cluster);
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    const LkNodeSpec *spec = g_hash_table_lookup (specs, name);
    if (spec == NULL)
      return refuse (error, "is no node of the configuration", name);
    LkAgentDaemonNode *node = add_node (self, options, name);
    if (options->is_emulated)
      emulate (self, node, spec);
    else if (!discover (self, node, options->site, spec, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
lk_agent_nodes_init (LkAgentNodes *self, const LkAgentNodeOptions *options, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  *self = (LkAgentNodes){ .nodes = g_array_new (FALSE, FALSE, sizeof (LkAgentDaemonNode)),
                          .devices = g_array_new (FALSE, FALSE, sizeof (LkProcessOsDevice)),
                          .strings = g_ptr_array_new_with_free_func (g_free) };
  if (lk_site_engine (options->site)->cluster == NULL)
    return refuse (error, "has no nodes to be found in", "the configuration");
  if (!lk_hostlist_expand (options->names, strlen (options->names), names, NULL) || names->len == 0)
    return refuse (error, "is no list of nodes", options->names);
  if (names->len > (options->is_emulated ? LK_AGENT_NODES_MAX : 1))
    return refuse (error, "is more than this machine can be", options->names);
  if (names->len > 1 && strstr (options->directory, "%n") == NULL)
    return refuse (error, "has no %n: each node needs a directory of its own", options->directory);
  return add_all (self, options, names, error);
}

void
lk_agent_nodes_clear (LkAgentNodes *self)
{
  g_clear_pointer (&self->nodes, g_array_unref);
  g_clear_pointer (&self->devices, g_array_unref);
  g_clear_pointer (&self->strings, g_ptr_array_unref);
}
