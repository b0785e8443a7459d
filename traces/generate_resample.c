/* traces/generate_resample.c — new logs out of an old one; declared in traces/generate.h.
 *
 * The log is kept in memory, by submit time.  It is cut into pieces: a piece is what one user did
 * in one week (whole sessions, by the week in which they begin), or all of a week.  A new week is
 * made of one piece for each slot: for each user of the new population, or one slot for all.  Jobs
 * of a session that reaches into the next week wait in `pending` beside those of that week. */
#include <math.h>

#include "engine/assert.h"
#include "traces/generate_private.h"
#include "traces/random.h"

#define DAY_S G_GINT64_CONSTANT (86400)
#define DAY_US (DAY_S * G_USEC_PER_SEC)
#define WEEK_US (7 * DAY_US)
#define WEEK_S 604800.0
/* A century; what is longer has a wrong date in it. */
#define LOG_WEEK_MAX_COUNT 5218
/* So many new weeks without a job mean that there will be none. */
#define EMPTY_WEEK_MAX_COUNT 100000u
#define NEW_WEEK_MAX_COUNT (LK_GENERATE_TIME_MAX_S * G_USEC_PER_SEC / WEEK_US)
#define SLOT_MAX_COUNT 10000000u
#define PIECE_MAX_COUNT 100000000u

/* A job of the log. */
typedef struct {
  LkTraceRecord record;
  guint32 place; /* in the log */
  guint32 owner; /* index of its user; without users 0 */
  guint32 week;  /* in which its session begins */
} Source;

/* Elements [first, first + count) of `by_piece`. */
typedef struct {
  guint32 first;
  guint32 count;
} Piece;

typedef struct {
  gint64 submit_us; /* on the new log's clock, unstretched */
  guint64 order;    /* among those of one moment */
  guint32 source;
  guint32 slot;
} NewJob;

typedef struct {
  LkGenerator base;
  LkResampleOptions options;
  gint64 origin_us; /* midnight before the first submit, on the log's clock */
  guint32 week_count;
  guint32 owner_count;
  GArray *sources;  /* of Source, by submit and place */
  GArray *by_piece; /* of guint32: sources of whole weeks, by owner, week, submit */
  GArray *pieces;   /* of Piece, at owner * week_count + week */
  GArray *slots;    /* of guint32, owners */
  GPtrArray *names; /* of char *, by slot; NULL where the log has none */
  gsl_rng *random;  /* for weeks */
  double gap_scale_ratio;
  gint64 new_week; /* to be made */
  GArray *pending; /* of NewJob, by submit and order, from `pending_at` on */
  guint pending_at;
  guint64 last_order;
} Resample;

static const Source *
source_at (const Resample *self, guint32 index)
{
  return &g_array_index (self->sources, Source, index);
}

/* ---------------------------------------------------------------- the log */

static gint
source_compare (gconstpointer a, gconstpointer b)
{
  const Source *x = a;
  const Source *y = b;
  if (x->record.submit_us != y->record.submit_us)
    return x->record.submit_us < y->record.submit_us ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static gboolean
sources_read (Resample *self, LkTraceReader *reader, GError **error)
{
  Source source = { 0 };
  int got;
  while ((got = lk_trace_reader_next (reader, &source.record, error)) == 1) {
    if (source.record.submit_us < 0
        || source.record.submit_us > LK_GENERATE_TIME_MAX_S * G_USEC_PER_SEC)
      continue;
    source.place = self->sources->len;
    g_array_append_val (self->sources, source);
  }
  g_array_sort (self->sources, source_compare);
  return got == 0;
}

/* Midnight in UTC where the log's clock has a date, else by that clock. */
static gint64
midnight_before_us (gint64 submit_us, gint64 unix_start_s)
{
  gint64 start_us = unix_start_s >= 0 ? unix_start_s % DAY_S * G_USEC_PER_SEC : 0;
  return (start_us + submit_us) / DAY_US * DAY_US - start_us;
}

static gboolean
weeks_count (Resample *self, const LkTraceReader *reader, GError **error)
{
  const char *name = lk_trace_reader_name (reader);
  if (self->sources->len == 0) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
                 "trace '%s' has no job with a submit time; expected some to draw from", name);
    return FALSE;
  }
  gint64 last_us = source_at (self, self->sources->len - 1)->record.submit_us;
  gint64 unix_start_s = lk_trace_reader_unix_start_s (reader);
  self->origin_us = midnight_before_us (source_at (self, 0)->record.submit_us, unix_start_s);
  gint64 week_count = (last_us - self->origin_us) / WEEK_US;
  if (week_count < 1 || week_count > LOG_WEEK_MAX_COUNT) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
                 "trace '%s' has submits over %" G_GINT64_FORMAT
                 " days; expected 7 days to 100 years to draw weeks from",
                 name, (last_us - self->origin_us) / DAY_US);
    return FALSE;
  }
  self->week_count = (guint32)week_count;
  if (unix_start_s >= 0 && unix_start_s <= LK_GENERATE_TIME_MAX_S)
    self->base.unix_start_s = unix_start_s + self->origin_us / G_USEC_PER_SEC;
  return TRUE;
}

/* ---------------------------------------------------------------- pieces */

static void
weeks_give (Resample *self)
{
  for (guint32 i = 0; i < self->sources->len; i++) {
    Source *source = &g_array_index (self->sources, Source, i);
    source->week = (guint32)((source->record.submit_us - self->origin_us) / WEEK_US);
  }
  self->owner_count = 1;
}

/* The session that a user is in. */
typedef struct {
  guint32 week;
  gint64 submit_last_us;
} Session;

static void
sessions_give (Resample *self)
{
  g_autoptr (GHashTable) owners = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) sessions = g_array_new (FALSE, FALSE, sizeof (Session));
  for (guint32 i = 0; i < self->sources->len; i++) {
    Source *source = &g_array_index (self->sources, Source, i);
    gint64 submit_us = source->record.submit_us;
    gpointer user = GUINT_TO_POINTER (source->record.user_id);
    gpointer found;
    gboolean is_old = g_hash_table_lookup_extended (owners, user, NULL, &found);
    guint32 owner = is_old ? GPOINTER_TO_UINT (found) : sessions->len;
    if (!is_old) {
      Session none = { 0, G_MININT64 / 2 };
      g_hash_table_insert (owners, user, GUINT_TO_POINTER (owner));
      g_array_append_val (sessions, none);
    }
    Session *session = &g_array_index (sessions, Session, owner);
    if (submit_us - session->submit_last_us > self->options.session_gap_us)
      session->week = (guint32)((submit_us - self->origin_us) / WEEK_US);
    session->submit_last_us = submit_us;
    source->owner = owner;
    source->week = session->week;
  }
  self->owner_count = sessions->len;
}

static gint
piece_compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const Resample *self = data;
  guint32 i = *(const guint32 *)a;
  guint32 j = *(const guint32 *)b;
  const Source *x = source_at (self, i);
  const Source *y = source_at (self, j);
  if (x->owner != y->owner)
    return x->owner < y->owner ? -1 : 1;
  if (x->week != y->week)
    return x->week < y->week ? -1 : 1;
  return i < j ? -1 : i > j;
}

static gboolean
pieces_fill (Resample *self, const char *trace_name, GError **error)
{
  if ((guint64)self->owner_count * self->week_count > PIECE_MAX_COUNT) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_MACHINE,
                 "trace '%s' has %u users over %u weeks, too many to resample by user; expected "
                 "a part of it, or weeks",
                 trace_name, self->owner_count, self->week_count);
    return FALSE;
  }
  g_array_set_size (self->pieces, self->owner_count * self->week_count);
  for (guint32 i = 0; i < self->sources->len; i++)
    if (source_at (self, i)->week < self->week_count)
      g_array_append_val (self->by_piece, i);
  g_array_sort_with_data (self->by_piece, piece_compare, self);
  for (guint32 i = 0; i < self->by_piece->len; i++) {
    const Source *source = source_at (self, g_array_index (self->by_piece, guint32, i));
    Piece *piece =
        &g_array_index (self->pieces, Piece, source->owner * self->week_count + source->week);
    if (piece->count++ == 0)
      piece->first = i;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- the new population */

/* Processor-seconds that each owner brings in an average week. */
static GArray *
weekly_work_s (const Resample *self)
{
  GArray *work = g_array_new (FALSE, TRUE, sizeof (double));
  g_array_set_size (work, self->owner_count);
  for (guint32 i = 0; i < self->by_piece->len; i++) {
    const Source *source = source_at (self, g_array_index (self->by_piece, guint32, i));
    const LkTraceRecord *record = &source->record;
    if (record->run_us > 0 && record->procs > 0)
      g_array_index (work, double, source->owner) +=
          (double)record->run_us / G_USEC_PER_SEC * (double)record->procs / self->week_count;
  }
  return work;
}

static void
slots_draw_count (Resample *self, gsl_rng *random, guint32 count)
{
  for (guint32 i = 0; i < count; i++) {
    guint32 owner = (guint32)lk_random_below (random, self->owner_count);
    g_array_append_val (self->slots, owner);
  }
}

/* Until the work is reached; the last one stays when that is nearer. */
static gboolean
slots_draw_work (Resample *self, gsl_rng *random, const GArray *work, double needed_s)
{
  double sum_s = 0;
  while (sum_s < needed_s && self->slots->len < SLOT_MAX_COUNT) {
    slots_draw_count (self, random, 1);
    guint32 owner = g_array_index (self->slots, guint32, self->slots->len - 1);
    double before_s = sum_s;
    sum_s += g_array_index (work, double, owner);
    if (sum_s - needed_s > needed_s - before_s && self->slots->len > 1)
      g_array_set_size (self->slots, self->slots->len - 1);
  }
  return sum_s >= needed_s;
}

static gboolean
population_draw (Resample *self, const char *trace_name, GError **error)
{
  g_autoptr (gsl_rng) random = lk_random_new (self->options.seed, LK_STREAM_RESAMPLE_USERS);
  if (self->options.by == LK_RESAMPLE_WEEKS || self->options.load_ratio <= 0) {
    slots_draw_count (self, random, self->owner_count);
    return TRUE;
  }
  g_autoptr (GArray) work = weekly_work_s (self);
  double needed_s = self->options.load_ratio * WEEK_S * (double)self->base.procs;
  double total_s = 0;
  for (guint32 i = 0; i < work->len; i++)
    total_s += g_array_index (work, double, i);
  if (total_s > 0 && slots_draw_work (self, random, work, needed_s))
    return TRUE;
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
               "trace '%s': its %u users bring %.3g processor-seconds a week, too little to draw "
               "users for that load from; expected a lower load or a smaller machine",
               trace_name, self->owner_count, total_s);
  return FALSE;
}

/* Names of new users: of the one that it was drawn from, and its number. */
static void
names_fill (Resample *self)
{
  g_autofree const char **old_names = g_new0 (const char *, self->owner_count);
  for (guint32 i = 0; i < self->sources->len; i++)
    old_names[source_at (self, i)->owner] = source_at (self, i)->record.user;
  for (guint32 slot = 0; slot < self->slots->len; slot++) {
    const char *old_name = old_names[g_array_index (self->slots, guint32, slot)];
    g_ptr_array_add (self->names, old_name ? g_strdup_printf ("%s.%u", old_name, slot + 1) : NULL);
  }
}

/* ---------------------------------------------------------------- new weeks */

static gint
new_job_compare (gconstpointer a, gconstpointer b)
{
  const NewJob *x = a;
  const NewJob *y = b;
  if (x->submit_us != y->submit_us)
    return x->submit_us < y->submit_us ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static void
week_make (Resample *self)
{
  g_array_remove_range (self->pending, 0, self->pending_at);
  self->pending_at = 0;
  for (guint32 slot = 0; slot < self->slots->len; slot++) {
    guint32 week = (guint32)lk_random_below (self->random, self->week_count);
    guint32 owner = g_array_index (self->slots, guint32, slot);
    const Piece *piece = &g_array_index (self->pieces, Piece, owner * self->week_count + week);
    gint64 shift_us = (self->new_week - week) * WEEK_US - self->origin_us;
    for (guint32 i = 0; i < piece->count; i++) {
      NewJob job = { .order = ++self->last_order, .slot = slot };
      job.source = g_array_index (self->by_piece, guint32, piece->first + i);
      job.submit_us = source_at (self, job.source)->record.submit_us + shift_us;
      g_array_append_val (self->pending, job);
    }
  }
  g_array_sort (self->pending, new_job_compare);
  self->new_week++;
}

/* A job that no later week can come before. */
static const NewJob *
pending_next (Resample *self)
{
  for (guint empty_count = 0; empty_count < EMPTY_WEEK_MAX_COUNT; empty_count++) {
    if (self->pending_at < self->pending->len) {
      const NewJob *job = &g_array_index (self->pending, NewJob, self->pending_at);
      if (job->submit_us < self->new_week * WEEK_US) {
        self->pending_at++;
        return job;
      }
    }
    if (self->new_week >= NEW_WEEK_MAX_COUNT)
      break;
    week_make (self);
  }
  return NULL;
}

/* Stretched times are whole seconds, as logs have them. */
static gint64
stretched_us (const Resample *self, gint64 time_us)
{
  if (self->gap_scale_ratio == 1)
    return time_us;
  double time_s = floor ((double)time_us / G_USEC_PER_SEC * self->gap_scale_ratio);
  return (gint64)MIN (time_s, (double)LK_GENERATE_TIME_MAX_S) * G_USEC_PER_SEC;
}

static gboolean
resample_next (LkGenerator *base, LkTraceRecord *out_record)
{
  Resample *self = (Resample *)base;
  const NewJob *job = pending_next (self);
  if (job == NULL)
    return FALSE;
  gint64 number = out_record->number;
  const LkTraceRecord *source = &source_at (self, job->source)->record;
  *out_record = *source;
  out_record->number = number;
  out_record->name = NULL;
  out_record->submit_us = stretched_us (self, job->submit_us);
  if (source->eligible_us >= source->submit_us)
    out_record->eligible_us = out_record->submit_us + (source->eligible_us - source->submit_us);
  out_record->start_us = -1;
  out_record->end_us = -1;
  out_record->node_list = NULL;
  out_record->attempts = 1;
  if (self->options.by == LK_RESAMPLE_USERS) {
    out_record->user_id = job->slot + 1;
    out_record->user = g_ptr_array_index (self->names, job->slot);
  }
  return TRUE;
}

static void
resample_restart (LkGenerator *base, double gap_scale_ratio)
{
  Resample *self = (Resample *)base;
  lk_random_seek (self->random, self->options.seed, LK_STREAM_RESAMPLE_WEEKS, 0);
  self->gap_scale_ratio = gap_scale_ratio;
  self->new_week = 0;
  self->last_order = 0;
  self->pending_at = 0;
  g_array_set_size (self->pending, 0);
}

static void
resample_free (LkGenerator *base)
{
  Resample *self = (Resample *)base;
  g_array_unref (self->sources);
  g_array_unref (self->by_piece);
  g_array_unref (self->pieces);
  g_array_unref (self->slots);
  g_array_unref (self->pending);
  g_ptr_array_unref (self->names);
  gsl_rng_free (self->random);
  g_free (self);
}

static const LkGeneratorOps resample_ops = { resample_restart, resample_next, resample_free };

/* ---------------------------------------------------------------- making one */

static gboolean
machine_find (Resample *self, const LkTraceReader *reader, GError **error)
{
  const LkSwfHeader *header = lk_trace_reader_swf_header (reader);
  self->base.procs = self->options.procs;
  if (self->base.procs == 0 && header != NULL)
    self->base.procs =
        (guint64)MAX (header->max_procs > 0 ? header->max_procs : header->max_nodes, 0);
  if (self->base.procs > 0 || self->options.load_ratio <= 0)
    return TRUE;
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_MACHINE,
               "trace '%s' does not tell the size of its machine, which a load needs; expected "
               "--procs",
               lk_trace_reader_name (reader));
  return FALSE;
}

static Resample *
resample_alloc (const LkResampleOptions *options)
{
  Resample *self = g_new0 (Resample, 1);
  self->base.ops = &resample_ops;
  self->base.unix_start_s = -1;
  self->options = *options;
  self->sources = g_array_new (FALSE, FALSE, sizeof (Source));
  self->by_piece = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->pieces = g_array_new (FALSE, TRUE, sizeof (Piece));
  self->slots = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->pending = g_array_new (FALSE, FALSE, sizeof (NewJob));
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->random = lk_random_new (options->seed, LK_STREAM_RESAMPLE_WEEKS);
  return self;
}

LkGenerator *
lk_generate_resample_new (LkTraceReader *reader, const LkResampleOptions *options, GError **error)
{
  LK_ASSERT (options->session_gap_us >= 0);
  Resample *self = resample_alloc (options);
  if (!sources_read (self, reader, error) || !weeks_count (self, reader, error)
      || !machine_find (self, reader, error)) {
    resample_free (&self->base);
    return NULL;
  }
  if (options->by == LK_RESAMPLE_USERS)
    sessions_give (self);
  else
    weeks_give (self);
  const char *name = lk_trace_reader_name (reader);
  if (!pieces_fill (self, name, error) || !population_draw (self, name, error)) {
    resample_free (&self->base);
    return NULL;
  }
  names_fill (self);
  lk_generator_restart (&self->base, 1);
  return &self->base;
}

guint64
lk_generate_resample_job_count (const LkGenerator *self)
{
  LK_ASSERT (self->ops == &resample_ops);
  return ((const Resample *)self)->by_piece->len;
}
