/* traces/source.c — see traces/source.h.
 *
 * Two ways into the same flow.  A log in SWF without overrides is read line by line by its own
 * reader (`swf` is set); everything else comes as records of traces/reader.h.
 *
 * Load scaling divides the offset from the first kept job in IEEE double and rounds to the nearest
 * microsecond, which keeps the order of submits: both steps are monotone.  Offsets up to 285 years
 * are exact before the division. */
#include "traces/source.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/limits.h"
#include "traces/reader_private.h"
#include "traces/request_pool.h"

/* 31,700 years: room for sums of times in 64 bits of microseconds. */
#define TIME_MAX_S G_GINT64_CONSTANT (1000000000000)

/* A job, without a request of its own. */
typedef struct {
  gint64 number;
  gint64 submit_us;
  gint64 run_us;
  gint64 estimate_us;
  gboolean has_limit;
  guint32 procs;
  guint32 user_id;
  guint32 group_id;
  guint32 partition_id;
  gint64 status;
  const LkJobRequest *request; /* in the pool */
  const char *name;
  const char *job_name;
  const LkJobTerms *terms;
  guint64 place;   /* in the log */
  gint64 moved_us; /* from where the log has it */
} SortedJob;

struct _LkTraceSource {
  LkTraceReader *reader;
  LkSwfReader *swf;   /* in the reader; NULL: jobs come as records */
  LkSwfHeader header; /* of a log without one */
  LkTraceOptions options;
  guint32 procs;
  guint64 kept;
  guint64 not_selected;
  LkCleanCounts dropped;

  gboolean has_kept; /* at least one job: the next three are set */
  gint64 last_submit_us;
  guint64 last_line_number;
  gint64 first_submit_us; /* origin of load scaling */

  /* What the messages about an empty result tell. */
  gint64 procs_least; /* smallest job dropped as too large */
  gint64 seen_submit_least_us;
  gint64 seen_submit_most_us;
  gint64 seen_number_least;
  gint64 seen_number_most;

  GArray *sorted; /* of SortedJob; NULL until the log has been read */
  LkRequestPool *requests;
  LkTraceRecord record; /* the one read last: a job that is cleaned points into it */
  guint sorted_next;
  gboolean has_dependencies; /* one job at least depends on others, */
  gboolean has_singletons;   /* of these one on those of its name */
  GPtrArray *terms;          /* of LkJobTerms that were made here; NULL: none */
};

void
lk_trace_options_init (LkTraceOptions *options)
{
  *options = (LkTraceOptions){
    .jobs_first = 0,
    .jobs_last = G_MAXINT64,
    .time_begin_us = G_MININT64,
    .time_end_us = G_MAXINT64,
    .load_scale_ratio = 1,
  };
}

/* ---------------------------------------------------------------- opening */

static const char *
source_name (const LkTraceSource *self)
{
  return lk_trace_reader_name (self->reader);
}

static guint64
line_number (const LkTraceSource *self)
{
  return self->swf ? lk_swf_reader_line_number (self->swf)
                   : lk_trace_reader_line_number (self->reader);
}

/* SWF says how large its machine is, or must be told. */
static gboolean
machine_find_swf (LkTraceSource *self, LkSwfReader *swf, GError **error)
{
  const LkSwfHeader *header = lk_swf_reader_header (swf);
  gint64 procs = self->options.procs;
  if (procs == 0)
    procs = header->max_procs > 0 ? header->max_procs : header->max_nodes;
  if (procs <= 0) {
    /* What is no log at all should be called that, not a log without a machine. */
    LkSwfJob job;
    if (lk_swf_reader_next (swf, &job, error) < 0)
      return FALSE;
    g_set_error (
        error, LK_TRACE_ERROR, LK_TRACE_ERROR_MACHINE,
        "trace '%s': the size of the machine is unknown: no usable MaxProcs or MaxNodes in "
        "the header; give it with --procs",
        source_name (self));
    return FALSE;
  }
  if (procs > LK_LIMIT_UNITS) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_MACHINE,
                 "trace '%s': a machine of %" G_GINT64_FORMAT
                 " processors; expected at most %u (set it with --procs)",
                 source_name (self), procs, LK_LIMIT_UNITS);
    return FALSE;
  }
  self->procs = (guint32)procs;
  return TRUE;
}

static gboolean
machine_find (LkTraceSource *self, GError **error)
{
  LkSwfReader *swf = lk_trace_reader_swf (self->reader);
  if (swf)
    return machine_find_swf (self, swf, error);
  self->procs = self->options.procs;
  return TRUE;
}

/* Takes over `reader`; NULL passes an error on. */
static LkTraceSource *
source_new (LkTraceReader *reader, const LkTraceOptions *options, GError **error)
{
  if (!reader)
    return NULL;
  LK_ASSERT (options->load_scale_ratio > 0);
  LkTraceSource *self = g_new0 (LkTraceSource, 1);
  self->reader = reader;
  self->swf = lk_trace_reader_has_map (reader) ? NULL : lk_trace_reader_swf (reader);
  self->options = *options;
  self->options.sort |=
      lk_trace_reader_format (reader) != LK_FORMAT_SWF || options->move_us != NULL;
  self->header = (LkSwfHeader){ .max_procs = -1, .max_nodes = -1, .max_jobs = -1 };
  self->header.unix_start_s = lk_trace_reader_unix_start_s (reader);
  self->requests = lk_request_pool_new ();
  self->procs_least = G_MAXINT64;
  self->seen_submit_least_us = G_MAXINT64;
  self->seen_submit_most_us = G_MININT64;
  self->seen_number_least = G_MAXINT64;
  self->seen_number_most = G_MININT64;
  if (!machine_find (self, error)) {
    lk_trace_source_free (self);
    return NULL;
  }
  return self;
}

static LkReaderOptions
reader_options (const LkTraceOptions *options)
{
  LkReaderOptions reader = options->reader;
  reader.lenient |= options->lenient;
  return reader;
}

LkTraceSource *
lk_trace_source_new (const char *path, const LkTraceOptions *options, GError **error)
{
  LkReaderOptions reader = reader_options (options);
  return source_new (lk_trace_reader_new (path, &reader, error), options, error);
}

LkTraceSource *
lk_trace_source_new_from_bytes (const char *name, const guint8 *bytes, gsize length_bytes,
                                const LkTraceOptions *options, GError **error)
{
  LkReaderOptions with = reader_options (options);
  LkTraceReader *reader = lk_trace_reader_new_from_bytes (name, bytes, length_bytes, &with, error);
  return source_new (reader, options, error);
}

void
lk_trace_source_free (LkTraceSource *self)
{
  if (!self)
    return;
  lk_trace_reader_free (self->reader);
  lk_request_pool_free (self->requests);
  if (self->sorted)
    g_array_unref (self->sorted);
  if (self->terms)
    g_ptr_array_unref (self->terms);
  g_free (self);
}

/* ---------------------------------------------------------------- nothing left */

static void
empty_fail_selection (const LkTraceSource *self, GError **error)
{
  g_autoptr (GString) begin = g_string_new (NULL);
  g_autoptr (GString) end = g_string_new (NULL);
  lk_swf_seconds_format (self->seen_submit_least_us, begin);
  lk_swf_seconds_format (self->seen_submit_most_us, end);
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
               "trace '%s': the selection holds none of its %" G_GUINT64_FORMAT
               " jobs, which have numbers %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
               " and submit times %s to %s s",
               source_name (self), self->not_selected, self->seen_number_least,
               self->seen_number_most, begin->str, end->str);
}

static void
empty_fail_records (const LkTraceSource *self, GError **error)
{
  const LkCleanCounts *dropped = &self->dropped;
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
               "trace '%s': no job is left to replay: %" G_GUINT64_FORMAT
               " had not started, %" G_GUINT64_FORMAT " had not ended, %" G_GUINT64_FORMAT
               " cancelled before the start, %" G_GUINT64_FORMAT
               " without a run time, %" G_GUINT64_FORMAT " without processors, %" G_GUINT64_FORMAT
               " too large, %" G_GUINT64_FORMAT " without a submit time",
               source_name (self), dropped->not_started, dropped->not_ended, dropped->cancelled,
               dropped->no_run, dropped->no_procs, dropped->too_large, dropped->negative_submit);
}

static void
empty_fail (const LkTraceSource *self, GError **error)
{
  const char *name = source_name (self);
  guint64 dropped = lk_clean_counts_total (&self->dropped);
  if (dropped == 0)
    empty_fail_selection (self, error);
  else if (self->procs == 0 || (self->swf == NULL && self->dropped.too_large < dropped))
    empty_fail_records (self, error);
  else if (self->dropped.too_large == dropped)
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
                 "trace '%s': a machine of %u processor%s is smaller than every job; the smallest "
                 "asks for %" G_GINT64_FORMAT " (set the machine with --procs)",
                 name, self->procs, self->procs == 1 ? "" : "s", self->procs_least);
  else
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
                 "trace '%s': no job is left to replay: %" G_GUINT64_FORMAT
                 " without a run time, %" G_GUINT64_FORMAT " without processors, %" G_GUINT64_FORMAT
                 " larger than the machine of %u, %" G_GUINT64_FORMAT " without a submit time",
                 name, self->dropped.no_run, self->dropped.no_procs, self->dropped.too_large,
                 self->procs, self->dropped.negative_submit);
}

/* ---------------------------------------------------------------- jobs */

static gboolean
is_selected (LkTraceSource *self, gint64 number, gint64 submit_us)
{
  const LkTraceOptions *options = &self->options;
  if (number >= options->jobs_first && number <= options->jobs_last
      && submit_us >= options->time_begin_us && submit_us < options->time_end_us)
    return TRUE;
  self->not_selected++;
  self->seen_submit_least_us = MIN (self->seen_submit_least_us, submit_us);
  self->seen_submit_most_us = MAX (self->seen_submit_most_us, submit_us);
  self->seen_number_least = MIN (self->seen_number_least, number);
  self->seen_number_most = MAX (self->seen_number_most, number);
  return FALSE;
}

/* Are the job's times so small that sums of them stay on the clock? */
static gboolean
times_in_range (const LkTraceSource *self, const LkTraceJob *job, GError **error)
{
  const struct {
    guint field_number;
    gint64 time_us;
  } times[] = { { 2, job->submit_us }, { 4, job->run_us }, { 9, job->estimate_us } };
  for (gsize i = 0; i < G_N_ELEMENTS (times); i++) {
    if (times[i].time_us <= TIME_MAX_S * G_USEC_PER_SEC)
      continue;
    g_autofree char *field = self->swf ? g_strdup_printf ("field %u (%s)", times[i].field_number,
                                                          lk_swf_field_name (times[i].field_number))
                                       : g_strdup (lk_swf_field_name (times[i].field_number));
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "trace '%s' line %" G_GUINT64_FORMAT ": %s is %" G_GINT64_FORMAT
                 " s; expected at most %" G_GINT64_FORMAT,
                 source_name (self), line_number (self), field, times[i].time_us / G_USEC_PER_SEC,
                 TIME_MAX_S);
    return FALSE;
  }
  return TRUE;
}

/* The next job of an SWF log that is kept: 1, 0 at the end of the log, -1. */
static int
line_next (LkTraceSource *self, LkTraceJob *out_job, GError **error)
{
  LkSwfJob line;
  int got;
  while ((got = lk_swf_reader_next (self->swf, &line, error)) == 1) {
    if (!is_selected (self, line.number, line.submit_us))
      continue;
    if (lk_swf_job_clean (&line, self->procs, &self->dropped, out_job))
      return 1;
    gint64 procs = lk_swf_job_procs (&line);
    if (procs > self->procs)
      self->procs_least = MIN (self->procs_least, procs);
  }
  return got;
}

/* The same of a log that comes as records. */
static int
record_next (LkTraceSource *self, LkTraceJob *out_job, GError **error)
{
  LkTraceRecord *record = &self->record;
  int got;
  while ((got = lk_trace_reader_next (self->reader, record, error)) == 1) {
    if (!is_selected (self, record->number, MAX (record->submit_us, record->eligible_us)))
      continue;
    /* The rule of SWF logs holds also where overrides make records of them. */
    if (record->run_us == 0 && lk_trace_reader_format (self->reader) == LK_FORMAT_SWF)
      record->run_us = -1;
    /* What a job asks for says also whose it is. */
    if (record->user != NULL && record->request.user.length_bytes == 0)
      record->request.user = lk_text (record->user);
    if (lk_record_clean (record, self->procs, &self->dropped, out_job))
      return 1;
    if (record->procs > self->procs)
      self->procs_least = MIN (self->procs_least, record->procs);
  }
  return got;
}

/* The next job of the log that is kept, in the log's order: 1, 0 or -1. */
static int
kept_next (LkTraceSource *self, LkTraceJob *out_job, GError **error)
{
  int got = self->swf ? line_next (self, out_job, error) : record_next (self, out_job, error);
  if (got < 0)
    return -1;
  if (got == 1) {
    self->kept++;
    return times_in_range (self, out_job, error) ? 1 : -1;
  }
  if (self->kept > 0)
    return 0;
  empty_fail (self, error);
  return -1;
}

static SortedJob
job_pack (LkTraceSource *self, const LkTraceJob *job, guint64 place)
{
  return (SortedJob){
    .number = job->number,
    .submit_us = job->submit_us,
    .run_us = job->run_us,
    .estimate_us = job->estimate_us,
    .has_limit = job->has_limit,
    .procs = job->procs,
    .user_id = job->user_id,
    .group_id = job->group_id,
    .partition_id = job->partition_id,
    .status = job->status,
    .request = self->swf ? &lk_no_request : lk_request_pool_intern (self->requests, job->request),
    .name = job->name,
    .job_name = job->job_name,
    .terms = job->terms,
    .place = place,
  };
}

static LkTraceJob
job_unpack (const SortedJob *packed)
{
  return (LkTraceJob){
    .number = packed->number,
    .submit_us = packed->submit_us,
    .run_us = packed->run_us,
    .estimate_us = packed->estimate_us,
    .has_limit = packed->has_limit,
    .procs = packed->procs,
    .user_id = packed->user_id,
    .group_id = packed->group_id,
    .partition_id = packed->partition_id,
    .status = packed->status,
    .request = packed->request,
    .name = packed->name,
    .job_name = packed->job_name,
    .terms = packed->terms,
  };
}

static gint
sorted_compare (gconstpointer a, gconstpointer b)
{
  const SortedJob *x = a;
  const SortedJob *y = b;
  if (x->submit_us != y->submit_us)
    return x->submit_us < y->submit_us ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* ---------------------------------------------------------------- terms */

/* A copy that lives as long as self and may be changed. */
static LkJobTerms *
terms_copy (LkTraceSource *self, const LkJobTerms *terms)
{
  LkJobTerms *copy = g_memdup2 (terms, sizeof *terms);
  if (!self->terms)
    self->terms = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->terms, copy);
  return copy;
}

static void
terms_note (LkTraceSource *self, const LkJobTerms *terms)
{
  if (!terms || terms->dependency.length_bytes == 0)
    return;
  self->has_dependencies = TRUE;
  if (g_strstr_len (terms->dependency.bytes, terms->dependency.length_bytes, "singleton"))
    self->has_singletons = TRUE;
}

/* Are both components of one heterogeneous job? */
static gboolean
belong_together (const SortedJob *a, const SortedJob *b)
{
  if (!a->terms || !b->terms || a->terms->het_count == 0 || b->terms->het_count == 0
      || a->submit_us != b->submit_us)
    return FALSE;
  gsize length_bytes = strcspn (a->name, "+");
  return strcspn (b->name, "+") == length_bytes && strncmp (a->name, b->name, length_bytes) == 0;
}

/* The place of a component among those that are replayed, which stand side by side. One that is
 * left alone is a job like others. */
static void
component_find (const LkTraceSource *self, guint index, guint32 *out_offset, guint32 *out_count)
{
  const SortedJob *jobs = &g_array_index (self->sorted, SortedJob, 0);
  guint first = index;
  guint end = index + 1;
  while (first > 0 && belong_together (&jobs[first - 1], &jobs[index]))
    first--;
  while (end < self->sorted->len && belong_together (&jobs[end], &jobs[index]))
    end++;
  gboolean is_alone = end - first < 2 || end - first > LK_LIMIT_HET_COMPONENTS;
  *out_offset = is_alone ? 0 : index - first;
  *out_count = is_alone ? 0 : end - first;
}

/* Names matter to jobs that wait for those of their name only. */
static const LkJobTerms *
terms_of (LkTraceSource *self, guint index)
{
  const SortedJob *job = &g_array_index (self->sorted, SortedJob, index);
  guint32 offset;
  guint32 count;
  if (!job->terms)
    return NULL;
  LkJobTerms terms = *job->terms;
  if (!self->has_singletons)
    terms.name = (LkText){ 0 };
  if (terms.het_count > 0) {
    component_find (self, index, &offset, &count);
    terms.het_offset = offset;
    terms.het_count = count;
  }
  return lk_job_terms_are_empty (&terms) ? NULL : terms_copy (self, &terms);
}

/* Moments go with the submission. */
static const LkJobTerms *
terms_shift (LkTraceSource *self, const LkJobTerms *terms, gint64 by_us)
{
  if (!terms || (terms->begin_us == 0 && terms->deadline_us == 0))
    return terms;
  LkJobTerms *shifted = terms_copy (self, terms);
  if (terms->begin_us != 0)
    shifted->begin_us = MAX (1, terms->begin_us + by_us);
  if (terms->deadline_us != 0)
    shifted->deadline_us = MAX (1, terms->deadline_us + by_us);
  return shifted;
}

/* ---------------------------------------------------------------- sorting */

/* In the order of the log. A job that depends on others goes as far back as any may go, so that it
 * never comes before them. */
static void
jobs_move (const LkTraceOptions *options, GArray *jobs)
{
  gint64 by_us = 0;
  for (guint i = 0; i < jobs->len; i++) {
    SortedJob *job = &g_array_index (jobs, SortedJob, i);
    const SortedJob *last = i > 0 ? &g_array_index (jobs, SortedJob, i - 1) : NULL;
    gint64 last_submit_us = last != NULL ? last->submit_us - last->moved_us : 0;
    gboolean is_component =
        last != NULL && job->submit_us == last_submit_us
        && belong_together (
            &(SortedJob){ .terms = last->terms, .name = last->name, .submit_us = last_submit_us },
            job);
    if (job->terms != NULL && job->terms->dependency.length_bytes > 0)
      by_us = options->move_most_us;
    else if (!is_component)
      by_us = options->move_us (options->move_user, job->place);
    job->moved_us = MAX (by_us, -job->submit_us);
    job->submit_us += job->moved_us;
  }
}

static gboolean
sorted_fill (LkTraceSource *self, GError **error)
{
  LkTraceJob job;
  gboolean is_sorted = TRUE;
  gint64 last_submit_us = G_MININT64;
  g_autoptr (GArray) jobs = g_array_new (FALSE, FALSE, sizeof (SortedJob));
  int got;
  while ((got = kept_next (self, &job, error)) == 1) {
    if (jobs->len >= LK_LIMIT_JOBS) {
      g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                   "trace '%s': more than %u jobs; expected fewer for --sort", source_name (self),
                   LK_LIMIT_JOBS);
      return FALSE;
    }
    SortedJob entry = job_pack (self, &job, jobs->len);
    terms_note (self, entry.terms);
    is_sorted = is_sorted && entry.submit_us >= last_submit_us;
    last_submit_us = entry.submit_us;
    g_array_append_val (jobs, entry);
  }
  if (got < 0)
    return FALSE;
  if (self->options.move_us != NULL)
    jobs_move (&self->options, jobs);
  if (!is_sorted || self->options.move_us != NULL)
    g_array_sort (jobs, sorted_compare);
  self->sorted = g_steal_pointer (&jobs);
  return TRUE;
}

static int
sorted_next (LkTraceSource *self, LkTraceJob *out_job, GError **error)
{
  if (!self->sorted && !sorted_fill (self, error))
    return -1;
  if (self->sorted_next == self->sorted->len)
    return 0;
  const SortedJob *next = &g_array_index (self->sorted, SortedJob, self->sorted_next);
  *out_job = job_unpack (next);
  out_job->terms = terms_of (self, self->sorted_next);
  if (next->moved_us != 0)
    out_job->terms = terms_shift (self, out_job->terms, next->moved_us);
  self->sorted_next++;
  return 1;
}

static gboolean
order_check (LkTraceSource *self, const LkTraceJob *job, GError **error)
{
  if (!self->has_kept || job->submit_us >= self->last_submit_us)
    return TRUE;
  g_autoptr (GString) before = g_string_new (NULL);
  g_autoptr (GString) now = g_string_new (NULL);
  lk_swf_seconds_format (self->last_submit_us, before);
  lk_swf_seconds_format (job->submit_us, now);
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_UNSORTED,
               "trace '%s' line %" G_GUINT64_FORMAT
               ": field 2 (submit time) is %s, before the %s of line %" G_GUINT64_FORMAT
               "; expected submits in order (--sort puts them in order)",
               source_name (self), line_number (self), now->str, before->str,
               self->last_line_number);
  return FALSE;
}

/* `submit_us` is not before the first one. FALSE when the result does not fit. */
static gboolean
submit_scale (LkTraceSource *self, gint64 *submit_us)
{
  double offset_us = (double)(*submit_us - self->first_submit_us) / self->options.load_scale_ratio;
  /* 2^62 leaves room for the origin and for the rounding. */
  if (!(offset_us < 4611686018427387904.0) || self->first_submit_us > G_MAXINT64 / 2)
    return FALSE;
  *submit_us = self->first_submit_us + (gint64)(offset_us + 0.5);
  return TRUE;
}

int
lk_trace_source_next (LkTraceSource *self, LkTraceJob *out_job, GError **error)
{
  LkTraceJob job;
  int got = self->options.sort ? sorted_next (self, &job, error) : kept_next (self, &job, error);
  if (got <= 0)
    return got;
  if (!self->options.sort && !order_check (self, &job, error))
    return -1;
  if (!self->has_kept)
    self->first_submit_us = job.submit_us;
  self->has_kept = TRUE;
  self->last_submit_us = job.submit_us;
  self->last_line_number = line_number (self);
  gint64 before_us = job.submit_us;
  if (self->options.load_scale_ratio != 1 && !submit_scale (self, &job.submit_us)) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "trace '%s' job %" G_GINT64_FORMAT
                 ": its submit time divided by the load scale does not fit 64 bits of microseconds",
                 source_name (self), job.number);
    return -1;
  }
  if (job.submit_us != before_us)
    job.terms = terms_shift (self, job.terms, job.submit_us - before_us);
  *out_job = job;
  return 1;
}

gboolean
lk_trace_source_has_dependencies (const LkTraceSource *self)
{
  return self->has_dependencies;
}

guint32
lk_trace_source_procs (const LkTraceSource *self)
{
  return self->procs;
}

const LkSwfHeader *
lk_trace_source_header (const LkTraceSource *self)
{
  const LkSwfHeader *header = lk_trace_reader_swf_header (self->reader);
  return header ? header : &self->header;
}

LkTraceFormat
lk_trace_source_format (const LkTraceSource *self)
{
  return lk_trace_reader_format (self->reader);
}

void
lk_trace_source_counts (const LkTraceSource *self, LkTraceCounts *out_counts)
{
  *out_counts = (LkTraceCounts){
    .kept = self->kept,
    .not_selected = self->not_selected,
    .dropped = self->dropped,
  };
  LkSwfReader *swf = lk_trace_reader_swf (self->reader);
  lk_trace_reader_counts (self->reader, &out_counts->reader);
  if (swf) {
    lk_swf_reader_counts (swf, &out_counts->log);
    return;
  }
  out_counts->log = (LkSwfCounts){
    .line_count = out_counts->reader.line_count,
    .job_count = out_counts->reader.record_count,
    .bytes_read = out_counts->reader.bytes_read,
    .bytes_total = out_counts->reader.bytes_total,
  };
}
