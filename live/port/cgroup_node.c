/* live/port/cgroup_node.c — see the header. */
#include "live/port/cgroup_node.h"

#include <stdlib.h>

char *
lk_cgroup_node_path (const char *directory, const char *node)
{
  g_autofree char *path = realpath (directory, NULL);
  guint number = g_str_hash (path != NULL ? path : directory);
  return g_strdup_printf ("lockstep/%s-%08x", node, number);
}

void
lk_cgroup_node_remove (const LkCgroupChoice *choice, const char *path)
{
  g_autoptr (LkCgroup) group = lk_cgroup_new (choice, path);
  if (group != NULL && lk_cgroup_remove (group))
    lk_cgroup_remove_above (group);
}

/* The configuration that chose a version may have changed since. */
gboolean
lk_cgroup_node_clear (const char *path)
{
  gboolean is_gone = TRUE;
  for (guint version = 1; version <= 2; version++) {
    const LkCgroupChoice choice = { .version = version };
    g_autoptr (LkCgroup) group = lk_cgroup_new (&choice, path);
    if (group == NULL)
      continue;
    is_gone = lk_cgroup_clear (group) && is_gone;
    lk_cgroup_remove_above (group);
  }
  return is_gone;
}
