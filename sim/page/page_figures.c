/* sim/page/page_figures.c — see the header. */
#include "sim/page/page_figures.h"

#include <math.h>
#include <string.h>

#include "sim/duration.h"
#include "sim/page/page_series.h"

#define STACK_MAX (LK_PAGE_COLOURS - 1)
#define ECDF_POINTS 200u

static const char *const by_words[LK_PAGE_BY_COUNT][2] = {
#define X(NAME, word, heading) { word, heading },
  LK_PAGE_FIELDS (X)
#undef X
      { "size", "size in processors" },
  { "gpus", "number of GPUs" },
};

void
lk_page_figure_free (gpointer user)
{
  LkPageFigure *self = user;
  g_free (self->name);
  g_free (self->title);
  g_free (self->text);
  g_free (self->unit);
  g_ptr_array_unref (self->labels);
  g_ptr_array_unref (self->series);
  g_array_unref (self->lengths);
  if (self->classes != NULL)
    g_ptr_array_unref (self->classes);
  lk_page_panel_free (self->panel);
  g_free (self);
}

LkPageFigure *
lk_page_figure_new (void)
{
  LkPageFigure *self = g_new0 (LkPageFigure, 1);
  self->labels = g_ptr_array_new_with_free_func (g_free);
  self->series = g_ptr_array_new_with_free_func (g_free);
  self->lengths = g_array_new (FALSE, FALSE, sizeof (guint));
  return self;
}

static LkPageFigure *
figure_new (const char *name, const char *title, const char *unit, const char *text)
{
  LkPageFigure *self = lk_page_figure_new ();
  self->name = g_strdup (name);
  self->title = g_strdup (title);
  self->unit = g_strdup (unit);
  self->text = g_strdup (text);
  return self;
}

/* Takes over `values`. */
static void
add_series (LkPageFigure *self, const char *label, double *values, guint length)
{
  g_ptr_array_add (self->labels, g_strdup (label));
  g_ptr_array_add (self->series, values);
  g_array_append_val (self->lengths, length);
}

static void
find_most (LkPageFigure *self)
{
  for (guint k = 0; k < self->series->len; k++) {
    const double *values = g_ptr_array_index (self->series, k);
    for (guint i = 0; i < g_array_index (self->lengths, guint, k); i++)
      if (!isnan (values[i]))
        self->most = MAX (self->most, values[i]);
  }
}

static char *
bin_text (const LkPage *page)
{
  return lk_duration_text (page->bins.width_us);
}

/* ---------------------------------------------------------------- over time */

static LkPageFigure *
busy_figure (const LkPage *page)
{
  gboolean is_known = TRUE;
  g_autofree char *width = bin_text (page);
  for (guint i = 0; i < page->runs->len; i++)
    is_known = is_known && lk_page_run (page, i)->procs > 0;
  g_autofree char *text = g_strdup_printf ("Processors in use%s, means of %s.",
                                           is_known ? ", of all the machine has" : "", width);
  LkPageFigure *self = figure_new ("utilization", is_known ? "Utilization" : "Processors in use",
                                   is_known ? "% of processors" : "processors", text);
  self->is_by_bin = TRUE;
  self->draw = lk_page_draw_steps;
  for (guint i = 0; i < page->runs->len; i++) {
    const LkPageRun *run = lk_page_run (page, i);
    double *values = lk_page_series_busy (page, run);
    for (guint k = 0; is_known && k < page->bins.count; k++)
      values[k] *= 100.0 / (double)run->procs;
    add_series (self, run->label, values, page->bins.count);
  }
  find_most (self);
  return self;
}

static LkPageFigure *
queue_figure (const LkPage *page)
{
  g_autofree char *width = bin_text (page);
  g_autofree char *text =
      g_strdup_printf ("Jobs that were submitted and had not started, means of %s.", width);
  LkPageFigure *self = figure_new ("queue", "Queue", "waiting jobs", text);
  self->is_by_bin = TRUE;
  self->draw = lk_page_draw_steps;
  for (guint i = 0; i < page->runs->len; i++) {
    const LkPageRun *run = lk_page_run (page, i);
    add_series (self, run->label, lk_page_series_waiting (page, run), page->bins.count);
  }
  find_most (self);
  return self;
}

/* Means of the samples of each bin, of what `is_waste` says; bins without one are gaps. */
static double *
sample_means (const LkPage *page, const LkPageRun *run, gboolean is_waste)
{
  guint count = page->bins.count;
  double *sums = g_new0 (double, count);
  g_autofree guint *sample_counts = g_new0 (guint, count);
  for (guint i = 0; i < run->samples->len; i++) {
    const LkPageSample *sample = &g_array_index (run->samples, LkPageSample, i);
    gint64 bin = (sample->time_us + run->shift_us - page->bins.begin_us) / page->bins.width_us;
    if (bin < 0 || bin >= count || !(sample->gpus_total > 0))
      continue;
    sums[bin] += 100 * (is_waste ? sample->fragmentation_ratio : sample->gpus / sample->gpus_total);
    sample_counts[bin]++;
  }
  double last = (double)NAN;
  gint64 end = (run->end_us + run->shift_us - page->bins.begin_us) / page->bins.width_us;
  for (guint i = 0; i < count; i++) {
    if (sample_counts[i] > 0)
      last = sums[i] / sample_counts[i];
    sums[i] = i <= end ? last : (double)NAN; /* a sample holds until the next one */
  }
  return sums;
}

static LkPageFigure *
gpu_figure (const LkPage *page)
{
  LkPageFigure *self = figure_new (
      "gpus", "GPUs", "% of GPUs",
      "Solid: GPUs that are allocated. Dashed: fragmentation, GPUs that are free and that a "
      "typical job could not use (Weng et al., USENIX ATC 2023). As sampled by the simulation.");
  self->is_by_bin = TRUE;
  self->is_dashed_odd = TRUE;
  self->draw = lk_page_draw_steps;
  for (guint i = 0; i < page->runs->len; i++) {
    const LkPageRun *run = lk_page_run (page, i);
    double gpus = 0;
    for (guint k = 0; k < run->samples->len; k++)
      gpus = MAX (gpus, g_array_index (run->samples, LkPageSample, k).gpus_total);
    if (!(gpus > 0))
      continue;
    g_autofree char *allocated = g_strdup_printf ("%s, allocated", run->label);
    g_autofree char *waste = g_strdup_printf ("%s, fragmentation", run->label);
    add_series (self, allocated, sample_means (page, run, FALSE), page->bins.count);
    add_series (self, waste, sample_means (page, run, TRUE), page->bins.count);
  }
  find_most (self);
  return self;
}

/* Of runs without samples: what the jobs held. */
static LkPageFigure *
gpu_use_figure (const LkPage *page)
{
  g_autofree char *width = bin_text (page);
  g_autofree char *text = g_strdup_printf ("GPUs that jobs held, means of %s.", width);
  LkPageFigure *self = figure_new ("gpus-in-use", "GPUs in use", "GPUs", text);
  self->is_by_bin = TRUE;
  self->draw = lk_page_draw_steps;
  for (guint i = 0; i < page->runs->len; i++) {
    const LkPageRun *run = lk_page_run (page, i);
    add_series (self, run->label, lk_page_series_gpus (page, run), page->bins.count);
  }
  find_most (self);
  return self;
}

/* ---------------------------------------------------------------- of accounts */

typedef struct {
  guint32 name;
  double use;
} Use;

static gint
compare_uses (gconstpointer a, gconstpointer b)
{
  const Use *x = a;
  const Use *y = b;
  if (x->use > y->use || x->use < y->use)
    return x->use > y->use ? -1 : 1;
  return x->name < y->name ? -1 : x->name > y->name;
}

/* Returns: (transfer full) of Use: accounts by falling use. */
static GArray *
account_uses (const LkPageRun *run)
{
  guint name_count = run->names.texts->len;
  g_autofree double *uses = g_new0 (double, MAX (1, name_count));
  GArray *sorted = g_array_new (FALSE, FALSE, sizeof (Use));
  for (guint i = 0; i < run->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, i);
    gint64 start_us;
    gint64 end_us;
    guint32 name = job->fields[LK_PAGE_ACCOUNT];
    if (name != LK_PAGE_NONE && lk_page_job_span (run, job, &start_us, &end_us))
      uses[name] += (double)job->procs * (double)(end_us - start_us) / 1e6;
  }
  for (guint32 i = 0; i < name_count; i++) {
    Use use = { i, uses[i] };
    if (uses[i] > 0)
      g_array_append_val (sorted, use);
  }
  g_array_sort (sorted, compare_uses);
  return sorted;
}

static void
subtract (double *from, const double *values, guint count)
{
  for (guint i = 0; i < count; i++)
    from[i] = MAX (0, from[i] - values[i]);
}

static LkPageFigure *
use_figure (const LkPage *page, guint index)
{
  const LkPageRun *run = lk_page_run (page, index);
  g_autoptr (GArray) uses = account_uses (run);
  if (uses->len < 2)
    return NULL;
  g_autofree char *name = g_strdup_printf ("use-%u", index + 1);
  g_autofree char *title = page->runs->len > 1 ? g_strdup_printf ("Use by account: %s", run->label)
                                               : g_strdup ("Use by account");
  g_autofree char *width = bin_text (page);
  g_autofree char *text =
      g_strdup_printf ("Processors in use by the accounts that used most, means of %s.", width);
  LkPageFigure *self = figure_new (name, title, "processors", text);
  self->run = run;
  self->is_by_bin = TRUE;
  self->draw = lk_page_draw_stack;
  double *rest = lk_page_series_busy (page, run);
  for (guint i = 0; i < page->bins.count; i++)
    self->most = MAX (self->most, rest[i]);
  for (guint i = 0; i < MIN (uses->len, STACK_MAX); i++) {
    guint32 account = g_array_index (uses, Use, i).name;
    double *values = lk_page_series_of (page, run, LK_PAGE_ACCOUNT, account);
    subtract (rest, values, page->bins.count);
    add_series (self, lk_page_names_text (&run->names, account), values, page->bins.count);
  }
  double left = 0;
  for (guint i = 0; i < page->bins.count; i++)
    left = MAX (left, rest[i]);
  if (left > self->most / 1000) /* sums leave a little behind */
    add_series (self, "all others", rest, page->bins.count);
  else
    g_free (rest);
  return self;
}

/* Those that used most first, so that an account has one colour in all figures; then the others.
 * Returns: (transfer full) of guint: places in `accounts` of the fairshare. */
static GArray *
fairshare_order (const LkPageRun *run)
{
  const GPtrArray *accounts = run->fairshare.accounts;
  GArray *order = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) uses = account_uses (run);
  g_autofree guint8 *is_taken = g_malloc0 (MAX (1, accounts->len));
  for (guint i = 0; i <= uses->len; i++) {
    const char *name =
        i < uses->len ? lk_page_names_text (&run->names, g_array_index (uses, Use, i).name) : NULL;
    for (guint k = 0; k < accounts->len; k++) {
      if (is_taken[k] || (name != NULL && strcmp (g_ptr_array_index (accounts, k), name) != 0))
        continue;
      is_taken[k] = 1;
      g_array_append_val (order, k);
    }
  }
  return order;
}

static LkPageFigure *
fairshare_figure (const LkPage *page, guint index)
{
  const LkPageRun *run = lk_page_run (page, index);
  const LkPageFairshare *fairshare = &run->fairshare;
  guint account_count = fairshare->accounts->len;
  if (account_count == 0)
    return NULL;
  g_autofree char *name = g_strdup_printf ("fairshare-%u", index + 1);
  g_autofree char *title =
      page->runs->len > 1 ? g_strdup_printf ("Fairshare: %s", run->label) : g_strdup ("Fairshare");
  LkPageFigure *self =
      figure_new (name, title, "FairShare",
                  "FairShare of the accounts that used most, as sshare shows it: the mean of an "
                  "account's users. 1 is the best place in the queue, 0 the last.");
  self->run = run;
  self->draw = lk_page_draw_lines;
  self->most = 1;
  g_autoptr (GArray) order = fairshare_order (run);
  for (guint k = 0; k < MIN (order->len, STACK_MAX); k++) {
    guint account = g_array_index (order, guint, k);
    guint length = fairshare->times_us->len;
    double *points = g_new (double, 2 * length);
    for (guint i = 0; i < length; i++) {
      points[2 * i] = (double)(g_array_index (fairshare->times_us, gint64, i) + run->shift_us);
      points[2 * i + 1] = g_array_index (fairshare->factors, double, i *account_count + account);
    }
    add_series (self, g_ptr_array_index (fairshare->accounts, account), points, length);
  }
  return self;
}

/* ---------------------------------------------------------------- waits */

static LkPageFigure *
ecdf_figure (const LkPage *page)
{
  LkPageFigure *self =
      figure_new ("waits", "Waits", "% of jobs",
                  "How many of the jobs waited at most so long. The axis of waits is logarithmic.");
  self->draw = lk_page_draw_ecdf;
  for (guint i = 0; i < page->runs->len; i++) {
    const LkPageRun *run = lk_page_run (page, i);
    g_autoptr (GArray) waits = lk_page_waits_sorted (run);
    double *points = g_new (double, 2 * (ECDF_POINTS + 1));
    guint length = 0;
    for (guint k = 0; waits->len > 0 && k <= ECDF_POINTS; k++) {
      guint at = (guint)((guint64)(waits->len - 1) * k / ECDF_POINTS);
      gint64 wait_us = g_array_index (waits, gint64, at);
      while (at + 1 < waits->len && g_array_index (waits, gint64, at + 1) == wait_us)
        at++;
      self->most = MAX (self->most, (double)wait_us);
      points[2 * length] = lk_page_wait_place (wait_us);
      points[2 * length++ + 1] = 100.0 * (at + 1) / waits->len;
    }
    add_series (self, run->label, points, length);
  }
  return self;
}

static LkPageFigure *
class_figure (const LkPage *page, guint by)
{
  guint left_count = 0;
  GPtrArray *classes = lk_page_classes (page, by, &left_count);
  if (classes == NULL)
    return NULL;
  g_autofree char *name = g_strdup_printf ("waits-by-%s", by_words[by][0]);
  g_autofree char *title = g_strconcat ("Waits by ", by_words[by][1], NULL);
  g_autofree char *left = left_count > 0
                              ? g_strdup_printf (" The %u with most jobs; %u more are not shown.",
                                                 classes->len, left_count)
                              : g_strdup ("");
  g_autofree char *text = g_strdup_printf (
      "Box: the middle half of the jobs, with the median; line: from the 5th to the 95th "
      "percentile; square: the mean. The axis is logarithmic.%s",
      left);
  LkPageFigure *self = figure_new (name, title, "wait", text);
  self->draw = lk_page_draw_boxes;
  self->classes = classes;
  for (guint i = 0; i < page->runs->len; i++)
    g_ptr_array_add (self->labels, g_strdup (lk_page_run (page, i)->label));
  for (guint i = 0; i < classes->len; i++) {
    const LkPageClass *class = g_ptr_array_index (classes, i);
    for (guint run = 0; run < page->runs->len; run++)
      self->most =
          MAX (self->most, (double)MAX (class->waits[run].p95_us, class->waits[run].mean_us));
  }
  return self;
}

/* ---------------------------------------------------------------- all */

static LkPageFigure *
chart_figure (const LkPage *page, guint index)
{
  const LkPageRun *run = lk_page_run (page, index);
  g_autofree char *name = g_strdup_printf ("gantt-%u", index + 1);
  g_autofree char *title =
      page->runs->len > 1 ? g_strdup_printf ("Jobs: %s", run->label) : g_strdup ("Jobs");
  LkPageFigure *self =
      figure_new (name, title, run->rows->len > 0 ? "nodes" : "processors",
                  "Which jobs ran where and when. Where there are too many to be told apart, the "
                  "largest are drawn over a shade of how much was in use.");
  self->run = run;
  self->is_chart = TRUE;
  self->draw = lk_page_draw_chart;
  return self;
}

static void
add (GPtrArray *figures, LkPageFigure *figure)
{
  if (figure != NULL)
    g_ptr_array_add (figures, figure);
}

static gboolean
has_gpus (const LkPage *page, gboolean *out_sampled)
{
  gboolean has = FALSE;
  *out_sampled = FALSE;
  for (guint i = 0; i < page->runs->len; i++) {
    const LkPageRun *run = lk_page_run (page, i);
    for (guint k = 0; k < run->jobs->len && !has; k++)
      has = lk_page_run_job (run, k)->gpus_milli > 0;
    for (guint k = 0; k < run->samples->len && !*out_sampled; k++)
      *out_sampled = g_array_index (run->samples, LkPageSample, k).gpus_total > 0;
  }
  return has;
}

GPtrArray *
lk_page_figures (const LkPage *page, gboolean with_charts)
{
  gboolean is_sampled;
  gboolean gpus = has_gpus (page, &is_sampled);
  GPtrArray *figures = g_ptr_array_new_with_free_func (lk_page_figure_free);
  for (guint i = 0; with_charts && i < page->runs->len; i++)
    add (figures, chart_figure (page, i));
  add (figures, busy_figure (page));
  add (figures, queue_figure (page));
  if (is_sampled)
    add (figures, gpu_figure (page));
  else if (gpus)
    add (figures, gpu_use_figure (page));
  add (figures, ecdf_figure (page));
  add (figures, class_figure (page, LK_PAGE_BY_SIZE));
  if (gpus)
    add (figures, class_figure (page, LK_PAGE_BY_GPUS));
  for (guint by = 0; by < LK_PAGE_FIELD_COUNT; by++)
    add (figures, class_figure (page, by));
  for (guint i = 0; i < page->runs->len; i++)
    add (figures, use_figure (page, i));
  for (guint i = 0; i < page->runs->len; i++)
    add (figures, fairshare_figure (page, i));
  return figures;
}

void
lk_page_figure_draw (const LkPage *page, const LkPageFigure *self, LkPlotSize size,
                     LkPlotStyle style, GString *out)
{
  /* Apart, as the head of a plot is put before what is drawn. */
  g_autoptr (GString) own = g_string_new (NULL);
  LkPlot plot = {
    .out = own, .style = style, .size = size, .title = self->title, .text = self->text
  };
  self->draw (page, self, &plot);
  g_string_append_len (out, own->str, (gssize)own->len);
}
