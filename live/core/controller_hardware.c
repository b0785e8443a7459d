/* live/core/controller_hardware.c — whether a node has what the configuration says: no fewer CPUs,
 * no less memory, no fewer GPUs.  What it has beyond that is not used.
 *
 * The reasons are Slurm's (slurmctld, validate_node_specs; gres.c, _node_config_validate).  Of
 * generic resources GPUs are what an agent can find; others are believed. */
#include <string.h>

#include "live/core/controller_private.h"

#define GPU "gpu"

/* The number behind the last colon of an entry NAME[:TYPE]:COUNT; 0: none can be read. */
static guint64
entry_count (const char *entry, gsize length_bytes)
{
  guint64 count = 0;
  gsize begin = length_bytes;
  while (begin > 0 && entry[begin - 1] != ':')
    begin--;
  for (gsize i = begin; i < length_bytes; i++) {
    if (!g_ascii_isdigit (entry[i]) || count > G_MAXUINT32)
      return 0;
    count = 10 * count + (guint64)(entry[i] - '0');
  }
  return count;
}

/* GPUs of any type in a list with commas. */
static guint64
gpu_count (LkText list)
{
  guint64 count = 0;
  for (gsize at = 0; at < list.length_bytes;) {
    const char *entry = list.bytes + at;
    const char *comma = memchr (entry, ',', list.length_bytes - at);
    gsize length_bytes = comma != NULL ? (gsize)(comma - entry) : list.length_bytes - at;
    if (length_bytes > strlen (GPU) && memcmp (entry, GPU ":", strlen (GPU ":")) == 0)
      count += entry_count (entry, length_bytes);
    at += length_bytes + 1;
  }
  return count;
}

static guint32
configured_gpu_count (const LkNodeTable *table, const LkNodeKind *kind)
{
  for (guint32 i = 0; i < table->gres_count; i++)
    if (table->gres[i].kind == LK_GRES_DEVICE && strcmp (table->gres[i].name, GPU) == 0)
      return kind->counts[i];
  return 0;
}

char *
lk_controller_hardware_fault (const LkController *self, guint32 node,
                              const LkMessage_report *report)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  const LkNodeKind *kind = lk_node_kind (table, node);
  if (report->cpus < kind->cpus)
    return g_strdup ("Low CPUs");
  if (report->memory_bytes < (guint64)kind->memory_bytes)
    return g_strdup ("Low RealMemory");
  guint64 found = gpu_count (report->gres);
  guint32 configured = configured_gpu_count (table, kind);
  if (found >= configured)
    return NULL;
  return g_strdup_printf ("gres/" GPU " count reported lower than configured (%" G_GUINT64_FORMAT
                          " < %u)",
                          found, configured);
}
