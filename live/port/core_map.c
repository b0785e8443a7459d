/* live/port/core_map.c — see the header. */
#include "live/port/core_map.h"

#include <hwloc.h>
#include <stdlib.h>

struct _LkCoreMap {
  hwloc_topology_t topology;
};

LkCoreMap *
lk_core_map_new (void)
{
  LkCoreMap *self = g_new0 (LkCoreMap, 1);
  if (hwloc_topology_init (&self->topology) != 0) {
    g_free (self);
    return NULL;
  }
  if (hwloc_topology_load (self->topology) == 0)
    return self;
  lk_core_map_free (self);
  return NULL;
}

void
lk_core_map_free (LkCoreMap *self)
{
  if (self == NULL)
    return;
  hwloc_topology_destroy (self->topology);
  g_free (self);
}

char *
lk_core_map_cpus (const LkCoreMap *self, const GArray *cores)
{
  hwloc_bitmap_t cpus = hwloc_bitmap_alloc ();
  char *text = NULL;
  gboolean has_all = cores->len > 0;
  for (guint i = 0; i < cores->len && has_all; i++) {
    hwloc_obj_t core =
        hwloc_get_obj_by_type (self->topology, HWLOC_OBJ_CORE, g_array_index (cores, guint32, i));
    has_all = core != NULL;
    if (has_all)
      hwloc_bitmap_or (cpus, cpus, core->cpuset);
  }
  if (has_all && hwloc_bitmap_list_asprintf (&text, cpus) < 0)
    text = NULL;
  hwloc_bitmap_free (cpus);
  char *copy = g_strdup (text);
  free (text);
  return copy;
}
