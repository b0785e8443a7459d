/* sim/command_list.c — see the header. */
#include "sim/command_list.h"

gboolean
lk_command_is_listed (const char *list, const char *word)
{
  if (list == NULL)
    return TRUE;
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], word) == 0)
      return TRUE;
  return FALSE;
}

gboolean
lk_command_state_is_listed (const char *list, LkJobState state)
{
  static const struct {
    LkJobState state;
    const char *brief;
  } known[] = { { LK_JOB_PENDING, "PD" }, { LK_JOB_RUNNING, "R" }, { LK_JOB_SUSPENDED, "S" } };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (known[i].state == state && list != NULL && lk_command_is_listed (list, known[i].brief))
      return TRUE;
  return lk_command_is_listed (list, lk_job_state_name (state));
}
