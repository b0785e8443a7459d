/* sim/page/page.c — see the header. */
#include "sim/page/page.h"

#include <string.h>

#include "sim/error.h"
#include "sim/page/page_pair.h"

#define YEAR_US ((gint64)365 * 86400 * G_USEC_PER_SEC)

LkPageBins
lk_page_bins (gint64 begin_us, gint64 end_us, guint count_max)
{
  static const gint64 round_s[] = { 1,     2,     5,      10,     15,     30,      60,     120,
                                    300,   600,   900,    1800,   3600,   7200,    10800,  21600,
                                    43200, 86400, 172800, 345600, 604800, 1209600, 2419200 };
  gint64 span_us = MAX (1, end_us - begin_us);
  gint64 width_us = G_USEC_PER_SEC / 10;
  for (gsize i = 0; i < G_N_ELEMENTS (round_s) && span_us / width_us + 2 > count_max; i++)
    width_us = round_s[i] * G_USEC_PER_SEC;
  while (span_us / width_us + 2 > count_max)
    width_us *= 2;
  gint64 first = begin_us / width_us - (begin_us % width_us < 0);
  LkPageBins bins = { first * width_us, width_us, 0 };
  bins.count = (guint)((end_us - bins.begin_us) / width_us + 1);
  return bins;
}

/* ---------------------------------------------------------------- labels */

static void
set_labels (LkPage *self)
{
  LkRunFacts facts[LK_PAGE_RUNS_MAX] = { { 0 } };
  for (guint i = 0; i < self->runs->len; i++) {
    const LkPageRun *run = lk_page_run (self, i);
    facts[i].path = run->source;
    facts[i].id = run->run_id;
    facts[i].fixed = run->is_live && run->machine[0] != '\0' ? run->machine : NULL;
    for (guint aspect = 0; aspect < LK_RUN_ASPECT_COUNT; aspect++)
      facts[i].values[aspect] = run->facts[aspect];
  }
  g_auto (GStrv) names = lk_run_names (facts, self->runs->len);
  for (guint i = 0; i < self->runs->len; i++)
    ((LkPageRun *)g_ptr_array_index (self->runs, i))->label = g_strdup (names[i]);
}

static char *
make_title (const LkPage *self)
{
  GString *out = g_string_new ("Lockstep: ");
  for (guint i = 0; i < self->runs->len; i++)
    g_string_append_printf (out, "%s%s", i > 0 ? ", " : "", lk_page_run (self, i)->label);
  return g_string_free (out, FALSE);
}

/* ---------------------------------------------------------------- one clock */

/* A log whose dates lie in the first years after 1970 has none: its clock begins at 0. */
static gboolean
has_dates (const LkPageRun *run)
{
  return run->unix_start_us != LK_TIME_NEVER && run->unix_start_us <= G_MAXINT64 / 4
         && run->begin_us + run->unix_start_us > 10 * YEAR_US;
}

/* Do their times, as dates, share a moment with the first run's? */
static gboolean
share_dates (const LkPage *self)
{
  const LkPageRun *first = lk_page_run (self, 0);
  for (guint i = 0; i < self->runs->len; i++) {
    const LkPageRun *run = lk_page_run (self, i);
    if (!has_dates (run))
      return FALSE;
    if (run->begin_us + run->unix_start_us > first->end_us + first->unix_start_us
        || run->end_us + run->unix_start_us < first->begin_us + first->unix_start_us)
      return FALSE;
  }
  return TRUE;
}

static void
set_clock (LkPage *self)
{
  gboolean dates = share_dates (self);
  LkPageClock *clock = &self->clock;
  if (!dates)
    g_clear_pointer (&clock->zone, g_time_zone_unref);
  clock->begin_us = G_MAXINT64;
  clock->end_us = G_MININT64;
  for (guint i = 0; i < self->runs->len; i++) {
    LkPageRun *run = g_ptr_array_index (self->runs, i);
    run->shift_us = dates ? run->unix_start_us : -run->begin_us;
    clock->begin_us = MIN (clock->begin_us, run->begin_us + run->shift_us);
    clock->end_us = MAX (clock->end_us, run->end_us + run->shift_us);
  }
  clock->end_us = MAX (clock->end_us, clock->begin_us + G_USEC_PER_SEC);
  self->bins = lk_page_bins (clock->begin_us, clock->end_us, LK_PAGE_BINS_MAX);
}

static gboolean
check_jobs (const LkPage *self, GError **error)
{
  for (guint i = 0; i < self->runs->len; i++) {
    const LkPageRun *run = lk_page_run (self, i);
    if (run->jobs->len > 0)
      continue;
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "'%s' has no job: there is nothing to show",
                 run->source);
    return FALSE;
  }
  return TRUE;
}

LkPage *
lk_page_new (const LkPageOptions *options, GError **error)
{
  g_autoptr (LkPage) self = g_new0 (LkPage, 1);
  self->runs = options->runs;
  self->job_limit = options->job_limit;
  if (!check_jobs (self, error) || !lk_page_clock_set_zone (&self->clock, options->timezone, error))
    return NULL;
  set_labels (self);
  self->title = options->title != NULL ? g_utf8_make_valid (options->title, -1) : make_title (self);
  set_clock (self);
  lk_page_match_users (self->runs);
  if (!lk_page_pair (self->runs, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
lk_page_free (LkPage *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->runs);
  lk_page_clock_clear (&self->clock);
  g_free (self->title);
  g_free (self);
}
