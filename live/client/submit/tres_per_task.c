/* live/client/submit/tres_per_task.c — see the header. */
#include "live/client/submit/tres_per_task.h"

#include <string.h>

#include "traces/job_values.h"

#define CPUS "--cpus-per-task"
#define GPUS "--gpus-per-task"

/* NULL: it is another option. */
static const char *
value_of (const char *word, const char *option)
{
  gsize length = strlen (option);
  return strncmp (word, option, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

/* The last one. */
static const char *
last_of (const GPtrArray *words, const char *option)
{
  const char *value = NULL;
  for (guint i = words->len; i-- > 0 && value == NULL;)
    value = value_of (g_ptr_array_index (words, i), option);
  return value;
}

/* "cpu:2", "gres/gpu:a100=2": what stands behind the name. NULL: it is no such resource. Returns:
 * (transfer full). */
static char *
amount_of (const char *resource, const char *name)
{
  gsize length = strlen (name);
  guint32 count;
  if (g_ascii_strncasecmp (resource, name, length) != 0
      || (resource[length] != ':' && resource[length] != '='))
    return NULL;
  g_autofree char *amount = g_strdelimit (g_strdup (resource + length + 1), "=", ':');
  const char *last = strrchr (amount, ':');
  return lk_job_count_parse (last != NULL ? last + 1 : amount, &count) && count > 0
             ? g_steal_pointer (&amount)
             : NULL;
}

/* FALSE: told. */
static gboolean
resource_take (const LkClient *client, const char *resource, char **cpus, GString *gpus)
{
  g_autofree char *cpu = amount_of (resource, "cpu");
  g_autofree char *gpu = amount_of (resource, "gres/gpu");
  if (gpu != NULL) {
    g_string_append_printf (gpus, "%s%s", gpus->len > 0 ? "," : "", gpu);
    return TRUE;
  }
  if (cpu != NULL && strchr (cpu, ':') == NULL && *cpus == NULL) {
    *cpus = g_steal_pointer (&cpu);
    return TRUE;
  }
  lk_client_error (client,
                   "Invalid --tres-per-task specification: '%s'; expected cpu:N, once, or "
                   "gres/gpu[:TYPE]:N",
                   resource);
  return FALSE;
}

/* FALSE: told. */
static gboolean
option_add (const LkClient *client, GPtrArray *words, const char *option, const char *amount)
{
  const char *other = last_of (words, option);
  if (amount == NULL || *amount == '\0')
    return TRUE;
  if (other != NULL && strcmp (other, amount) != 0) {
    lk_client_error (client, "--tres-per-task and %s say different things: %s and %s", option,
                     amount, other);
    return FALSE;
  }
  g_ptr_array_add (words, g_strdup_printf ("%s=%s", option, amount));
  return TRUE;
}

gboolean
lk_tres_per_task_settle (const LkClient *client, GPtrArray *words)
{
  g_autofree char *text = g_strdup (last_of (words, "--tres-per-task"));
  g_autofree char *cpus = NULL;
  g_autoptr (GString) gpus = g_string_new (NULL);
  if (text == NULL)
    return TRUE;
  for (guint i = words->len; i-- > 0;)
    if (value_of (g_ptr_array_index (words, i), "--tres-per-task") != NULL)
      g_ptr_array_remove_index (words, i);
  g_auto (GStrv) resources = g_strsplit (text, ",", -1);
  gboolean is_good = *resources != NULL || resource_take (client, "", &cpus, gpus);
  for (guint i = 0; is_good && resources[i] != NULL; i++)
    is_good = resource_take (client, resources[i], &cpus, gpus);
  return is_good && option_add (client, words, CPUS, cpus)
         && option_add (client, words, GPUS, gpus->str);
}
