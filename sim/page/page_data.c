/* sim/page/page_data.c — see the header. */
#include "sim/page/page_data.h"

#include <math.h>

#include "sim/page/page_place.h"

guint32
lk_page_names_add (LkPageNames *self, const char *text)
{
  if (text == NULL || *text == '\0')
    return LK_PAGE_NONE;
  gpointer found = g_hash_table_lookup (self->index, text);
  if (found != NULL)
    return GPOINTER_TO_UINT (found) - 1;
  char *valid = g_utf8_make_valid (text, -1);
  found = g_hash_table_lookup (self->index, valid);
  if (found != NULL) {
    g_free (valid);
    return GPOINTER_TO_UINT (found) - 1;
  }
  g_ptr_array_add (self->texts, valid);
  g_hash_table_insert (self->index, valid, GUINT_TO_POINTER (self->texts->len));
  return self->texts->len - 1;
}

const char *
lk_page_names_text (const LkPageNames *self, guint32 name)
{
  return name == LK_PAGE_NONE ? NULL : g_ptr_array_index (self->texts, name);
}

LkPageRun *
lk_page_run_new (const char *source)
{
  LkPageRun *self = g_new0 (LkPageRun, 1);
  self->source = g_strdup (source);
  self->unix_start_us = LK_TIME_NEVER;
  self->window_end_us = LK_TIME_NEVER;
  for (guint i = 0; i < LK_PAGE_METRIC_COUNT; i++)
    self->metrics[i] = (double)NAN;
  self->names.texts = g_ptr_array_new_with_free_func (g_free);
  self->names.index = g_hash_table_new (g_str_hash, g_str_equal);
  self->jobs = g_array_new (FALSE, FALSE, sizeof (LkPageJob));
  self->places = g_array_new (FALSE, FALSE, sizeof (LkPagePlace));
  self->waits = g_array_new (FALSE, FALSE, sizeof (LkPageWait));
  self->samples = g_array_new (FALSE, FALSE, sizeof (LkPageSample));
  self->rows = g_ptr_array_new_with_free_func (g_free);
  self->fairshare.accounts = g_ptr_array_new_with_free_func (g_free);
  self->fairshare.times_us = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->fairshare.factors = g_array_new (FALSE, FALSE, sizeof (double));
  return self;
}

void
lk_page_run_free (LkPageRun *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->names.index);
  g_ptr_array_unref (self->names.texts);
  g_array_unref (self->jobs);
  g_array_unref (self->places);
  g_array_unref (self->waits);
  g_array_unref (self->samples);
  g_ptr_array_unref (self->rows);
  g_ptr_array_unref (self->fairshare.accounts);
  g_array_unref (self->fairshare.times_us);
  g_array_unref (self->fairshare.factors);
  g_free (self->source);
  g_free (self->label);
  g_free (self->run_id);
  g_free (self->digest);
  g_free (self->trace);
  g_free (self->machine);
  g_free (self->policies);
  for (guint i = 0; i < LK_RUN_ASPECT_COUNT; i++)
    g_free (self->facts[i]);
  lk_paired_free (self->paired);
  g_free (self);
}

/* By submission; the sort is stable, so that others stay in order of completion. */
static gint
compare_jobs (gconstpointer a, gconstpointer b)
{
  const LkPageJob *x = a;
  const LkPageJob *y = b;
  return x->submit_us < y->submit_us ? -1 : x->submit_us > y->submit_us;
}

void
lk_page_run_settle (LkPageRun *self)
{
  gint64 begin_us = LK_TIME_NEVER;
  for (guint i = 0; i < self->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (self, i);
    begin_us = MIN (begin_us, job->submit_us);
    self->end_us = MAX (self->end_us, job->submit_us);
    if (job->start_us != LK_TIME_NEVER)
      self->end_us = MAX (self->end_us, job->start_us);
    if (job->end_us != LK_TIME_NEVER)
      self->end_us = MAX (self->end_us, job->end_us);
  }
  self->begin_us = self->jobs->len > 0 ? begin_us : 0;
  self->end_us = MAX (self->end_us, self->begin_us);
  g_array_sort (self->jobs, compare_jobs);
  if (self->rows->len == 0)
    lk_page_place_pool (self);
}

char *
lk_page_job_id (const LkPageRun *self, const LkPageJob *job)
{
  const char *id = lk_page_names_text (&self->names, job->id);
  return id != NULL ? g_strdup (id) : g_strdup_printf ("%" G_GINT64_FORMAT, job->number);
}

gint64
lk_page_job_wait_us (const LkPageRun *self, const LkPageJob *job)
{
  gint64 until_us = job->start_us;
  if (until_us == LK_TIME_NEVER)
    until_us = job->end_us != LK_TIME_NEVER ? job->end_us : self->end_us;
  return MAX (0, until_us - job->submit_us);
}
