/* sim/results_batsim.c — see results_batsim.h. */
#include "sim/results_batsim.h"

#include <string.h>

#include "engine/assert.h"
#include "sim/decimal.h"
#include "sim/error.h"
#include "engine/event_heap.h"
#include "traces/output.h"

#define PIECE_BYTES 65536u

static const char header[] =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
    "success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
    "stretch,allocated_resources,consumed_energy,metadata\n";

typedef struct {
  gint64 job_id;
  gint64 submit_us;
  gint64 start_us;
  gint64 end_us;
  gint64 estimate_us;
  guint64 place; /* in the order of completion */
  guint32 procs;
  const char *state; /* Batsim's word */
  char *allocated;   /* NULL: to be assigned */
} Job;

struct _LkResultsBatsim {
  char *workload_name; /* as a cell of CSV */
  GArray *jobs;        /* of Job */
};

/* ---------------------------------------------------------------- free processors */

/* [first, last], both included. */
typedef struct {
  guint64 first;
  guint64 last;
} Interval;

/* Free intervals by rising number, never touching; behind the last one nothing was ever taken. */
typedef struct {
  GArray *intervals; /* of Interval */
  guint64 unused;    /* first number that was never taken */
} FreeSet;

/* Index of the first interval that begins at or behind `number`. */
static guint
free_set_find (const FreeSet *self, guint64 number)
{
  guint low = 0;
  guint high = self->intervals->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (self->intervals, Interval, middle).first < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
free_set_give (FreeSet *self, Interval interval)
{
  guint at = free_set_find (self, interval.first);
  Interval *next =
      at < self->intervals->len ? &g_array_index (self->intervals, Interval, at) : NULL;
  Interval *before = at > 0 ? &g_array_index (self->intervals, Interval, at - 1) : NULL;
  gboolean joins_next = next != NULL && interval.last + 1 == next->first;
  gboolean joins_before = before != NULL && before->last + 1 == interval.first;
  LK_ASSERT (next == NULL || interval.last < next->first);
  LK_ASSERT (before == NULL || before->last < interval.first);
  if (joins_before && joins_next) {
    before->last = next->last;
    g_array_remove_index (self->intervals, at);
  } else if (joins_before)
    before->last = interval.last;
  else if (joins_next)
    next->first = interval.first;
  else
    g_array_insert_val (self->intervals, at, interval);
}

/* Takes the lowest numbers and appends their intervals. */
static void
free_set_take (FreeSet *self, guint64 count, GArray *taken)
{
  guint emptied_count = 0;
  while (count > 0 && emptied_count < self->intervals->len) {
    Interval *lowest = &g_array_index (self->intervals, Interval, emptied_count);
    guint64 part = MIN (count, lowest->last - lowest->first + 1);
    Interval piece = { lowest->first, lowest->first + part - 1 };
    g_array_append_val (taken, piece);
    count -= part;
    if (piece.last == lowest->last)
      emptied_count++;
    else
      lowest->first += part;
  }
  if (emptied_count > 0)
    g_array_remove_range (self->intervals, 0, emptied_count);
  if (count == 0)
    return;
  Interval fresh = { self->unused, self->unused + count - 1 };
  Interval *last = taken->len > 0 ? &g_array_index (taken, Interval, taken->len - 1) : NULL;
  if (last != NULL && last->last + 1 == fresh.first)
    last->last = fresh.last;
  else
    g_array_append_val (taken, fresh);
  self->unused = fresh.last + 1;
}

static void
intervals_format (const GArray *intervals, GString *out)
{
  for (guint i = 0; i < intervals->len; i++) {
    char text[2 * LK_DECIMAL_MAX_BYTES];
    const Interval *interval = &g_array_index (intervals, Interval, i);
    char *end = lk_decimal_u64 (text, interval->first);
    if (interval->last > interval->first) {
      *end++ = '-';
      end = lk_decimal_u64 (end, interval->last);
    }
    if (i > 0)
      g_string_append_c (out, ' ');
    g_string_append_len (out, text, end - text);
  }
}

/* ---------------------------------------------------------------- jobs */

static void
job_clear (gpointer data)
{
  g_free (((Job *)data)->allocated);
}

/* RFC 4180. Returns: (transfer full). */
static char *
cell_text (const char *text)
{
  if (text[strcspn (text, ",\"\r\n")] == '\0')
    return g_strdup (text);
  GString *cell = g_string_new ("\"");
  for (; *text != '\0'; text++) {
    if (*text == '"')
      g_string_append_c (cell, '"');
    g_string_append_c (cell, *text);
  }
  g_string_append_c (cell, '"');
  return g_string_free (cell, FALSE);
}

LkResultsBatsim *
lk_results_batsim_new (const char *workload_name)
{
  LkResultsBatsim *self = g_new0 (LkResultsBatsim, 1);
  self->workload_name = cell_text (workload_name);
  self->jobs = g_array_new (FALSE, FALSE, sizeof (Job));
  g_array_set_clear_func (self->jobs, job_clear);
  return self;
}

void
lk_results_batsim_free (LkResultsBatsim *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->jobs);
  g_free (self->workload_name);
  g_free (self);
}

/* Batsim's words, by Slurm's. */
static const char *
batsim_state (const char *state)
{
  static const struct {
    const char *slurm;
    const char *batsim;
  } words[] = {
    { "COMPLETED", "COMPLETED_SUCCESSFULLY" },
    { "FAILED", "COMPLETED_FAILED" },
    { "TIMEOUT", "COMPLETED_WALLTIME_REACHED" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (state, words[i].slurm) == 0)
      return words[i].batsim;
  return "COMPLETED_KILLED"; /* cancelled, its node failed, preempted */
}

void
lk_results_batsim_add (LkResultsBatsim *self, const LkJobRecord *record, const char *allocated)
{
  Job job = {
    .job_id = record->job_id,
    .submit_us = record->submit_us,
    .start_us = record->start_us,
    .end_us = record->end_us,
    .estimate_us = record->estimate_us,
    .place = self->jobs->len,
    .procs = record->procs,
    .state = batsim_state (record->state),
    .allocated = g_strdup (allocated),
  };
  g_array_append_val (self->jobs, job);
}

static gint
job_compare (gconstpointer a, gconstpointer b)
{
  const Job *x = a;
  const Job *y = b;
  if (x->start_us != y->start_us)
    return x->start_us < y->start_us ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* ---------------------------------------------------------------- lines */

/* What runs, and what it holds. */
typedef struct {
  FreeSet free_set;
  LkEventHeap ends; /* slot: index of the job */
  GPtrArray *held;  /* of GArray of Interval, by job; NULL when it holds nothing */
} Machine;

static void
intervals_free (gpointer intervals)
{
  if (intervals != NULL)
    g_array_unref (intervals);
}

static void
machine_init (Machine *self, guint job_count)
{
  self->free_set = (FreeSet){ g_array_new (FALSE, FALSE, sizeof (Interval)), 0 };
  lk_event_heap_init (&self->ends);
  self->held = g_ptr_array_new_with_free_func (intervals_free);
  g_ptr_array_set_size (self->held, (gint)job_count);
}

static void
machine_clear (Machine *self)
{
  g_array_unref (self->free_set.intervals);
  lk_event_heap_clear (&self->ends);
  g_ptr_array_unref (self->held);
}

/* Gives back what jobs held that have ended: an end comes before the starts of its moment. */
static void
machine_advance (Machine *self, gint64 now_us)
{
  const LkHeapEvent *first;
  while ((first = lk_event_heap_first (&self->ends)) != NULL && first->time_us <= now_us) {
    GArray *held = g_ptr_array_index (self->held, first->slot);
    for (guint i = 0; i < held->len; i++)
      free_set_give (&self->free_set, g_array_index (held, Interval, i));
    g_array_unref (held);
    g_ptr_array_index (self->held, first->slot) = NULL;
    lk_event_heap_pop (&self->ends);
  }
}

static void
machine_start (Machine *self, guint32 job_index, const Job *job, GString *out)
{
  LkHeapEvent end = { job->end_us, job_index, job_index };
  GArray *taken = g_array_new (FALSE, FALSE, sizeof (Interval));
  machine_advance (self, job->start_us);
  free_set_take (&self->free_set, job->procs, taken);
  g_ptr_array_index (self->held, job_index) = taken;
  lk_event_heap_push (&self->ends, end);
  intervals_format (taken, out);
}

static void
append_seconds (GString *out, gint64 time_us)
{
  char text[LK_DECIMAL_MAX_BYTES];
  char *end = lk_decimal_seconds (text, time_us);
  *end++ = ',';
  g_string_append_len (out, text, end - text);
}

static void
append_stretch (GString *out, gint64 turnaround_us, gint64 run_us)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  double stretch = (double)turnaround_us / (double)run_us;
  /* A job that took no time has none; spreadsheets know no infinity. */
  if (run_us > 0)
    g_string_append (out, g_ascii_formatd (text, sizeof text, "%.6f", stretch));
  g_string_append_c (out, ',');
}

static void
job_format (const LkResultsBatsim *self, guint32 job_index, Machine *machine, GString *out)
{
  const Job *job = &g_array_index (self->jobs, Job, job_index);
  gint64 run_us = job->end_us - job->start_us;
  gint64 turnaround_us = job->end_us - job->submit_us;
  g_string_append_printf (out, "%" G_GINT64_FORMAT ",%s,delay,", job->job_id, self->workload_name);
  append_seconds (out, job->submit_us);
  g_string_append_printf (out, "%u,", job->procs);
  append_seconds (out, job->estimate_us);
  g_string_append_printf (out, "%d,%s,", strcmp (job->state, "COMPLETED_SUCCESSFULLY") == 0,
                          job->state);
  append_seconds (out, job->start_us);
  append_seconds (out, run_us);
  append_seconds (out, job->end_us);
  append_seconds (out, job->start_us - job->submit_us);
  append_seconds (out, turnaround_us);
  append_stretch (out, turnaround_us, run_us);
  if (job->allocated != NULL)
    g_string_append (out, job->allocated);
  else
    machine_start (machine, job_index, job, out);
  g_string_append (out, ",-1,\n");
}

/* Sends lines away in pieces, or gathers all of them. */
static gboolean
jobs_format (LkResultsBatsim *self, LkOutput *output, GString *out, GError **error)
{
  Machine machine;
  gboolean is_written = TRUE;
  g_array_sort (self->jobs, job_compare);
  machine_init (&machine, self->jobs->len);
  g_string_append (out, header);
  for (guint32 i = 0; i < self->jobs->len && is_written; i++) {
    job_format (self, i, &machine, out);
    if (output == NULL || out->len < PIECE_BYTES)
      continue;
    is_written = lk_output_write (output, out->str, out->len, error);
    g_string_truncate (out, 0);
  }
  machine_clear (&machine);
  return is_written;
}

void
lk_results_batsim_format (LkResultsBatsim *self, GString *out)
{
  jobs_format (self, NULL, out, NULL);
}

gboolean
lk_results_batsim_write (LkResultsBatsim *self, const char *path, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) cause = NULL;
  g_autoptr (LkOutput) output = lk_output_new (path, &cause);
  if (output != NULL && jobs_format (self, output, text, &cause)
      && lk_output_write (output, text->str, text->len, &cause) && lk_output_close (output, &cause))
    return TRUE;
  g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, cause->message);
  return FALSE;
}
