/* traces/presets.h — descriptions of well-known machines, built into the program.
 *
 * They are the pages of traces/data/clusters, as they stand there, each with its sources in the
 * comment at its head. */
#ifndef LK_TRACES_PRESETS_H
#define LK_TRACES_PRESETS_H

#include <glib.h>

#include "engine/cluster.h"

typedef struct {
  const char *name; /* of the file without ".yaml" */
  const char *text; /* the page, with a NUL byte behind it */
  gsize length_bytes;
} LkPreset;

/* By name. */
const LkPreset *lk_presets (guint *out_count);
/* NULL when there is none. */
const LkPreset *lk_preset_find (const char *name);
/* The names, for suggestions. Returns: (transfer container), NULL-terminated. */
const char **lk_preset_names (void);

/* The first line of the comment: what machine it is. Returns: (transfer full). */
char *lk_preset_summary (const LkPreset *self);
/* What follows the first "Source: " of the comment. Returns: (transfer full). */
char *lk_preset_source (const LkPreset *self);
/* Returns: (transfer full). A page that cannot be read is a bug of ours. */
LkCluster *lk_preset_cluster (const LkPreset *self);

#endif
