/* traces/presets.c — see presets.h. */
#include "traces/presets.h"

#include <string.h>

#include "engine/assert.h"
#include "traces/cluster_yaml.h"
#include "traces/presets_data.h"

#define COMMENT "# "
#define SOURCE_MARK "# Source: "

const LkPreset *
lk_presets (guint *out_count)
{
  *out_count = lk_preset_table_count;
  return lk_preset_table;
}

const LkPreset *
lk_preset_find (const char *name)
{
  for (guint i = 0; i < lk_preset_table_count; i++)
    if (strcmp (lk_preset_table[i].name, name) == 0)
      return &lk_preset_table[i];
  return NULL;
}

const char **
lk_preset_names (void)
{
  const char **names = g_new0 (const char *, lk_preset_table_count + 1);
  for (guint i = 0; i < lk_preset_table_count; i++)
    names[i] = lk_preset_table[i].name;
  return names;
}

/* The rest of the line that begins with `mark`; "" when no line does. */
static char *
line_behind (const LkPreset *self, const char *mark)
{
  const char *at = g_str_has_prefix (self->text, mark) ? self->text : strstr (self->text, mark);
  if (at == NULL)
    return g_strdup ("");
  at += strlen (mark);
  return g_strndup (at, strcspn (at, "\n"));
}

char *
lk_preset_summary (const LkPreset *self)
{
  return line_behind (self, COMMENT);
}

char *
lk_preset_source (const LkPreset *self)
{
  return line_behind (self, SOURCE_MARK);
}

LkCluster *
lk_preset_cluster (const LkPreset *self)
{
  g_autofree char *name = g_strconcat (self->name, ".yaml", NULL);
  g_autoptr (GError) error = NULL;
  LkCluster *cluster =
      lk_cluster_yaml_read_bytes (name, (const guint8 *)self->text, self->length_bytes, &error);
  LK_ASSERT (cluster != NULL);
  return cluster;
}
