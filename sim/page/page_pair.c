/* sim/page/page_pair.c — see the header. */
#include "sim/page/page_pair.h"

#include <string.h>

#include "sim/statistics/paired.h"

#define REPLICATES 1000u
#define SEED 1u

/* ---------------------------------------------------------------- users */

static gboolean
is_number (const char *text, gint64 number)
{
  char own[24];
  g_snprintf (own, sizeof own, "%" G_GINT64_FORMAT, number);
  return strcmp (text, own) == 0;
}

static gboolean
is_of_log (const LkPageRun *run, const char *trace)
{
  return !run->is_live && run->trace[0] != '\0' && strcmp (run->trace, trace) == 0;
}

/* Number to name of the users of a log; "" where two runs disagree. Returns: (transfer full). */
static GHashTable *
find_names (const GPtrArray *runs, const char *trace)
{
  GHashTable *names = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  for (guint i = 0; i < runs->len; i++) {
    const LkPageRun *run = g_ptr_array_index (runs, i);
    for (guint k = 0; is_of_log (run, trace) && k < run->jobs->len; k++) {
      const LkPageJob *job = lk_page_run_job (run, k);
      const char *name = lk_page_names_text (&run->names, job->fields[LK_PAGE_USER]);
      const char *before = g_hash_table_lookup (names, &job->user_number);
      if (name == NULL || job->user_number <= 0 || is_number (name, job->user_number)
          || (before != NULL && (before[0] == '\0' || strcmp (before, name) == 0)))
        continue;
      g_hash_table_replace (names, g_memdup2 (&job->user_number, sizeof job->user_number),
                            g_strdup (before == NULL ? name : ""));
    }
  }
  return names;
}

static void
rename_users (LkPageRun *run, GHashTable *names)
{
  for (guint i = 0; i < run->jobs->len; i++) {
    LkPageJob *job = &g_array_index (run->jobs, LkPageJob, i);
    const char *own = lk_page_names_text (&run->names, job->fields[LK_PAGE_USER]);
    const char *name = g_hash_table_lookup (names, &job->user_number);
    if (own != NULL && name != NULL && name[0] != '\0' && is_number (own, job->user_number))
      job->fields[LK_PAGE_USER] = lk_page_names_add (&run->names, name);
  }
}

void
lk_page_match_users (GPtrArray *runs)
{
  for (guint i = 0; i < runs->len; i++) {
    LkPageRun *run = g_ptr_array_index (runs, i);
    if (run->is_live || run->trace[0] == '\0')
      continue;
    g_autoptr (GHashTable) names = find_names (runs, run->trace);
    rename_users (run, names);
  }
}

/* ---------------------------------------------------------------- jobs */

/* The jobs that ran, in the order in which lk_results_join pairs them. */
typedef struct {
  const LkPageRun *run;
  GArray *order; /* of guint: indexes of its jobs */
} Side;

typedef struct {
  Side first;
  Side here;
} Sides;

static const char *
id_of (const LkPageRun *run, const LkPageJob *job)
{
  const char *id = lk_page_names_text (&run->names, job->id);
  return id != NULL ? id : "";
}

/* Those with an id of letters after those with a number. */
static int
compare_ids (const char *a, gint64 a_number, const char *b, gint64 b_number)
{
  if (a[0] != '\0' || b[0] != '\0')
    return a[0] != '\0' && b[0] != '\0' ? strcmp (a, b) : (a[0] != '\0') - (b[0] != '\0');
  return a_number < b_number ? -1 : a_number > b_number;
}

static gint
compare_places (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkPageRun *run = user;
  guint x = *(const guint *)a;
  guint y = *(const guint *)b;
  const LkPageJob *one = lk_page_run_job (run, x);
  const LkPageJob *other = lk_page_run_job (run, y);
  int order = compare_ids (id_of (run, one), one->number, id_of (run, other), other->number);
  if (order != 0)
    return order;
  return x < y ? -1 : x > y; /* the jobs are in order of submission */
}

static void
side_init (Side *self, LkPageRun *run)
{
  *self = (Side){ .run = run, .order = g_array_new (FALSE, FALSE, sizeof (guint)) };
  for (guint i = 0; i < run->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, i);
    if (!job->is_requeued && job->start_us != LK_TIME_NEVER && job->end_us != LK_TIME_NEVER)
      g_array_append_val (self->order, i);
  }
  g_array_sort_with_data (self->order, compare_places, run);
}

static const LkPageJob *
side_job (const Side *self, guint at)
{
  return lk_page_run_job (self->run, g_array_index (self->order, guint, at));
}

static LkResultsStart
start_of (const LkPageJob *job)
{
  return (LkResultsStart){ .job_id = job->number,
                           .procs = job->procs,
                           .submit_us = job->submit_us,
                           .start_us = job->start_us,
                           .end_us = job->end_us,
                           .account = "",
                           .qos = "" };
}

static gboolean
feed (gpointer source, LkJoinFunc joined, gpointer user, GError **error)
{
  const Sides *sides = source;
  (void)error;
  for (guint a = 0, b = 0; a < sides->first.order->len && b < sides->here.order->len;) {
    const LkPageJob *first = side_job (&sides->first, a);
    const LkPageJob *here = side_job (&sides->here, b);
    int order = compare_ids (id_of (sides->first.run, first), first->number,
                             id_of (sides->here.run, here), here->number);
    LkResultsStart one = start_of (first);
    LkResultsStart other = start_of (here);
    if (order == 0)
      joined (user, &one, &other);
    a += order <= 0;
    b += order >= 0;
  }
  return TRUE;
}

gboolean
lk_page_pair (GPtrArray *runs, GError **error)
{
  const LkPairedOptions options = {
    .interval = { .replicate_count = REPLICATES, .level_ratio = LK_PAGE_LEVEL_RATIO, .seed = SEED }
  };
  LkPageRun *first = g_ptr_array_index (runs, 0);
  Sides sides;
  gboolean fine = TRUE;
  if (runs->len < 2)
    return TRUE;
  side_init (&sides.first, first);
  for (guint i = 1; i < runs->len && fine; i++) {
    LkPageRun *run = g_ptr_array_index (runs, i);
    side_init (&sides.here, run);
    const LkPairedSource source = { .feed = feed,
                                    .source = &sides,
                                    .begin_us =
                                        first->is_live ? first->begin_us : first->window_begin_us,
                                    .end_us = first->window_end_us };
    run->paired = lk_paired_new_from (&options, &source, error);
    fine = run->paired != NULL;
    g_array_unref (sides.here.order);
  }
  g_array_unref (sides.first.order);
  return fine;
}
