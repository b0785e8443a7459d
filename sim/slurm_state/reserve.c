/* sim/slurm_state/reserve.c — see reserve.h.
 *
 * The nodes are those that it has, with what is on them: IGNORE_JOBS, whether or not it had been
 * asked for so.  Source: scontrol(1), show reservation. */
#include "sim/slurm_state/reserve.h"

#include <string.h>

#include "sim/slurm_state/told.h"
#include "traces/command_reservation.h"

static void
word_add (GPtrArray *words, const char *key, const char *value)
{
  g_ptr_array_add (words, g_strdup_printf ("%s=%s", key, value));
}

/* The flags that still mean something where the nodes are given. */
static char *
flags_text (const LkStateCollected *collected, const LkStateRecord *record)
{
  static const char *const plain[] = { "SPEC_NODES",   "ALL_NODES",   "PART_NODES", "REPLACE",
                                       "REPLACE_DOWN", "FIRST_CORES", NULL };
  GString *text = g_string_new ("IGNORE_JOBS");
  const char *value = lk_state_record_value (record, "Flags");
  g_auto (GStrv) flags = g_strsplit (value != NULL ? value : "", ",", -1);
  for (char **flag = flags; *flag != NULL; flag++) {
    if (**flag == '\0' || strcmp (*flag, "IGNORE_JOBS") == 0)
      continue;
    if (strcmp (*flag, "TIME_FLOAT") == 0)
      lk_told_pair (collected->folder.told, record, "Flags", LK_SLURM_APPROXIMATED,
                    "TIME_FLOAT: it begins when it would have begun now, and no longer moves on");
    else if (g_str_has_prefix (*flag, "REPLACE"))
      lk_told_pair (collected->folder.told, record, "Flags", LK_SLURM_APPROXIMATED,
                    "REPLACE: it keeps the nodes that it has");
    else if (!g_strv_contains (plain, *flag))
      g_string_append_printf (text, ",%s", *flag);
  }
  return g_string_free (text, FALSE);
}

static gboolean
times_add (const LkStateCollected *collected, const LkStateRecord *record, gint64 now_us,
           GPtrArray *words, GError **error)
{
  gint64 start_us = -1;
  gint64 end_us = -1;
  GTimeZone *zone = collected->folder.zone;
  if (!lk_state_record_moment (record, "StartTime", zone, &start_us, error)
      || !lk_state_record_moment (record, "EndTime", zone, &end_us, error))
    return FALSE;
  if (end_us <= MAX (start_us, now_us))
    return lk_state_record_fail (record, "EndTime", "a moment behind StartTime and the collection",
                                 error);
  g_ptr_array_add (words, g_strdup_printf ("StartTime=uts%" G_GINT64_FORMAT,
                                           MAX (start_us, now_us) / G_USEC_PER_SEC));
  g_ptr_array_add (words,
                   g_strdup_printf ("EndTime=uts%" G_GINT64_FORMAT, end_us / G_USEC_PER_SEC));
  return TRUE;
}

gboolean
lk_state_reserve (LkStateCollected *collected, const LkStateRecord *record, gint64 now_us,
                  LkEvent *out_event, GError **error)
{
  static const char *const keys[][2] = {
    { "ReservationName", "ReservationName" },
    { "Nodes", "Nodes" },
    { "Users", "Users" },
    { "Accounts", "Accounts" },
    { "Groups", "Groups" },
    { "QOS", "QOS" },
    { "Licenses", "Licenses" },
    { "AllowedPartitions", "AllowedPartitions" },
    { "MaxStartDelay", "MaxStartDelay" },
  };
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (words, g_strdup ("scontrol"));
  g_ptr_array_add (words, g_strdup ("create"));
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    const char *value = lk_state_record_value (record, keys[i][0]);
    if (value != NULL)
      word_add (words, keys[i][1], value);
  }
  /* Cores of nodes are told one by one where it has not all of them. */
  const char *cores = lk_state_record_value (record, "CoreCnt");
  if (cores != NULL && lk_state_record_value (record, "CoreIDs") != NULL)
    word_add (words, "CoreCnt", cores);
  g_autofree char *flags = flags_text (collected, record);
  g_ptr_array_add (
      words, g_strdup_printf ("Flags=%s%s", flags,
                              lk_state_record_value (record, "Nodes") != NULL ? "" : ",ANY_NODES"));
  if (!times_add (collected, record, now_us, words, error))
    return FALSE;
  g_ptr_array_add (words, NULL);
  g_autoptr (GError) wrong = NULL;
  g_autoptr (LkCommand) command = lk_command_new ((char **)words->pdata, collected->texts, &wrong);
  if (command != NULL && lk_command_reservation_event (command, now_us, out_event, &wrong))
    return TRUE;
  return lk_slurm_fail (&record->place, error, "%s: %s", record->title, wrong->message);
}
