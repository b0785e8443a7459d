/* live/step/cpu_domains.c — see the header. */
#include "live/step/cpu_domains.h"

#include "live/port/run_share.h"

/* Of either kind, more than any machine has. */
#define NUMBER_MAX 65536u

/* NULL: there is none. Returns: (transfer full), of guint32. */
static GArray *
list_at (const char *path)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  return lk_number_ranges (g_strstrip (text));
}

static GArray *
numbers_online (const char *root, const char *what)
{
  g_autofree char *path = g_strdup_printf ("%s/devices/system/%s/online", root, what);
  return list_at (path);
}

static GArray *
cpus_of (const char *root, LkCpuDomain kind, guint32 number)
{
  g_autofree char *path =
      kind == LK_CPU_DOMAIN_NUMA
          ? g_strdup_printf ("%s/devices/system/node/node%u/cpulist", root, number)
          : g_strdup_printf ("%s/devices/system/cpu/cpu%u/topology/package_cpus_list", root,
                             number);
  return list_at (path);
}

/* A socket is found by the first of its CPUs. */
static gboolean
is_new (LkCpuDomain kind, guint32 number, const GArray *cpus)
{
  return kind == LK_CPU_DOMAIN_NUMA
         || (cpus->len > 0 && g_array_index (cpus, guint32, 0) == number);
}

GPtrArray *
lk_cpu_domains (const char *root, LkCpuDomain kind)
{
  GPtrArray *domains = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  g_autoptr (GArray) numbers = numbers_online (root, kind == LK_CPU_DOMAIN_NUMA ? "node" : "cpu");
  for (guint i = 0; numbers != NULL && i < MIN (numbers->len, NUMBER_MAX); i++) {
    guint32 number = g_array_index (numbers, guint32, i);
    g_autoptr (GArray) cpus = cpus_of (root, kind, number);
    while (kind == LK_CPU_DOMAIN_NUMA && domains->len < MIN (number, NUMBER_MAX))
      g_ptr_array_add (domains, g_array_new (FALSE, FALSE, sizeof (guint32)));
    if (cpus != NULL && is_new (kind, number, cpus))
      g_ptr_array_add (domains, g_steal_pointer (&cpus));
  }
  return domains;
}
