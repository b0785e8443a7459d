/* sim/slurm_state/told.c — see told.h. */
#include "sim/slurm_state/told.h"

static void
row_free (gpointer data)
{
  LkSlurmRow *row = data;
  g_free (row->file);
  g_free (row->record);
  g_free (row->key);
  g_free (row->value);
  g_free (row->how);
  g_free (row);
}

GPtrArray *
lk_told_new (void)
{
  return g_ptr_array_new_with_free_func (row_free);
}

void
lk_told_add (GPtrArray *self, const LkToldSubject *subject, LkSlurmVerdict verdict,
             const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *how = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  LkSlurmRow *row = g_new (LkSlurmRow, 1);
  *row = (LkSlurmRow){ .file = g_strdup (subject->place->file),
                       .line_number = subject->place->line_number,
                       .record = lk_slurm_shown (subject->record),
                       .key = lk_slurm_shown (subject->key),
                       .value = lk_slurm_shown (subject->value),
                       .verdict = verdict,
                       .how = lk_slurm_shown (how) };
  g_ptr_array_add (self, row);
}

void
lk_told_pair (GPtrArray *self, const LkStateRecord *record, const char *key, LkSlurmVerdict verdict,
              const char *how)
{
  const char *value = lk_state_record_text (record, key);
  const LkToldSubject subject = {
    .place = &record->place, .record = record->title, .key = key, .value = value ? value : ""
  };
  lk_told_add (self, &subject, verdict, "%s", how);
}

guint
lk_told_count (const GPtrArray *self, LkSlurmVerdict verdict)
{
  guint count = 0;
  for (guint i = 0; i < self->len; i++)
    count += ((const LkSlurmRow *)g_ptr_array_index (self, i))->verdict == verdict;
  return count;
}
