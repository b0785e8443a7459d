/* sim/whatif/future.c — see the header. */
#include "sim/whatif/future.h"

#include <stdlib.h>

#include "engine/checked.h"
#include "engine/suggest.h"
#include "sim/error.h"
#include "traces/random.h"

#define DAY_US (G_GINT64_CONSTANT (86400) * G_USEC_PER_SEC)
#define DAYS_PER_WEEK 7u
/* The newest runs count: of all, of one user, and so many there must be. */
#define RUNS_MAX 20000u
#define USER_RUNS_MAX 100u
#define USER_RUNS_MIN 5u
/* Keys of jobs of drawn days: above those of ids. */
#define KEY_DRAWN (G_GUINT64_CONSTANT (1) << 63)

struct _LkFutureBase {
  const LkWhatifState *state;
  LkFutureOptions options;
  GArray *ratios;      /* of double, rising: of all */
  GHashTable *by_user; /* number -> the same of the user */
  GHashTable *told;    /* of replays: key -> LkPastRun, in `state` */
  GHashTable *past;    /* of arrivals that are drawn: key -> LkPastRun, in `state` */
};

struct _LkFuture {
  const LkFutureBase *base;
  guint64 seed;
  GArray *arrivals; /* of LkArrival */
};

/* ---------------------------------------------------------------- words */

#define X(NAME, word) word,
static const char *const arrivals_words[] = { LK_WHATIF_ARRIVALS (X) NULL };
static const char *const runtimes_words[] = { LK_WHATIF_RUNTIMES (X) NULL };
#undef X

static gboolean
word_parse (const char *option, const char *const *words, const char *text, guint *out_number,
            GError **error)
{
  for (guint i = 0; words[i] != NULL; i++)
    if (g_str_equal (words[i], text)) {
      *out_number = i;
      return TRUE;
    }
  g_autofree char *list = g_strjoinv (", ", (char **)words);
  g_autofree char *phrase = lk_suggest_phrase (text, words);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s is '%s'; expected one of %s%s", option,
               text, list, phrase);
  return FALSE;
}

const char *
lk_arrivals_word (LkArrivals arrivals)
{
  return arrivals_words[arrivals];
}

const char *
lk_runtimes_word (LkRuntimes runtimes)
{
  return runtimes_words[runtimes];
}

gboolean
lk_arrivals_parse (const char *text, LkArrivals *out_arrivals, GError **error)
{
  guint number;
  if (!word_parse ("--arrivals", arrivals_words, text, &number, error))
    return FALSE;
  *out_arrivals = (LkArrivals)number;
  return TRUE;
}

gboolean
lk_runtimes_parse (const char *text, LkRuntimes *out_runtimes, GError **error)
{
  guint number;
  if (!word_parse ("--runtimes", runtimes_words, text, &number, error))
    return FALSE;
  *out_runtimes = (LkRuntimes)number;
  return TRUE;
}

/* ---------------------------------------------------------------- what is known */

static int
compare_reals (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void
sort_ratios (GArray *ratios)
{
  if (ratios->len > 0)
    qsort (ratios->data, ratios->len, sizeof (double), compare_reals);
}

static void
sort_of_user (gpointer user_id, gpointer ratios, gpointer user)
{
  (void)user_id;
  (void)user;
  sort_ratios (ratios);
}

static GArray *
ratios_of_user (const LkFutureBase *self, guint32 user_id)
{
  return g_hash_table_lookup (self->by_user, GUINT_TO_POINTER (user_id));
}

static void
free_ratios (gpointer ratios)
{
  g_array_unref (ratios);
}

/* From the newest back. */
static void
collect_ratios (LkFutureBase *self)
{
  const GArray *runs = self->state->past.runs;
  self->ratios = g_array_new (FALSE, FALSE, sizeof (double));
  self->by_user = g_hash_table_new_full (NULL, NULL, NULL, free_ratios);
  for (guint i = runs->len; i > 0 && self->ratios->len < RUNS_MAX; i--) {
    const LkPastRun *run = &g_array_index (runs, LkPastRun, i - 1);
    if (run->limit_us == LK_TIME_NEVER || run->limit_us <= 0)
      continue;
    double ratio = CLAMP ((double)run->run_us / (double)run->limit_us, 0.0, 1.0);
    GArray *own = ratios_of_user (self, run->user_id);
    if (own == NULL) {
      own = g_array_new (FALSE, FALSE, sizeof (double));
      g_hash_table_insert (self->by_user, GUINT_TO_POINTER (run->user_id), own);
    }
    if (own->len < USER_RUNS_MAX)
      g_array_append_val (own, ratio);
    g_array_append_val (self->ratios, ratio);
  }
  sort_ratios (self->ratios);
  g_hash_table_foreach (self->by_user, sort_of_user, NULL);
}

/* The last run of each key counts. */
static GHashTable *
runs_by_key (const GArray *runs)
{
  GHashTable *by_key = g_hash_table_new (lk_past_key_hash, g_int64_equal);
  for (guint i = 0; i < runs->len; i++) {
    LkPastRun *run = &g_array_index (runs, LkPastRun, i);
    g_hash_table_replace (by_key, &run->key, run);
  }
  return by_key;
}

LkFutureBase *
lk_future_base_new (const LkWhatifState *state, const LkFutureOptions *options)
{
  LkFutureBase *self = g_new0 (LkFutureBase, 1);
  self->state = state;
  self->options = *options;
  collect_ratios (self);
  if (options->runtimes == LK_RUNTIMES_REPLAY)
    self->told = runs_by_key (state->later.runs);
  if (options->arrivals == LK_ARRIVALS_RESAMPLE)
    self->past = runs_by_key (state->past.runs);
  return self;
}

void
lk_future_base_free (LkFutureBase *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->ratios);
  g_hash_table_unref (self->by_user);
  g_clear_pointer (&self->told, g_hash_table_unref);
  g_clear_pointer (&self->past, g_hash_table_unref);
  g_free (self);
}

guint
lk_future_base_run_count (const LkFutureBase *self)
{
  return self->ratios->len;
}

/* ---------------------------------------------------------------- how long */

static double
draw (const LkFuture *self, guint64 stream, guint64 index)
{
  guint32 words[4];
  lk_random_block (self->seed, stream, index, words);
  return (double)words[0] / 4294967296.0;
}

/* How many are not above `ratio`. */
static guint
count_up_to (const GArray *ratios, double ratio)
{
  guint first = 0, last = ratios->len;
  while (first < last) {
    guint middle = first + (last - first) / 2;
    if (g_array_index (ratios, double, middle) <= ratio)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/* A share above `elapsed`; 1 where none is known. */
static double
draw_ratio (const LkFuture *self, const LkFutureRun *run, double elapsed)
{
  const LkFutureBase *base = self->base;
  const GArray *ratios = ratios_of_user (base, run->user_id);
  double at = draw (self, LK_STREAM_FUTURE_RUNS, run->key);
  guint below = ratios != NULL ? count_up_to (ratios, elapsed) : 0;
  if (ratios == NULL || ratios->len - below < USER_RUNS_MIN) {
    ratios = base->ratios;
    below = count_up_to (ratios, elapsed);
  }
  if (below == ratios->len)
    return 1.0;
  guint chosen = below + (guint)(at * (double)(ratios->len - below));
  return g_array_index (ratios, double, MIN (chosen, ratios->len - 1));
}

const LkPastRun *
lk_future_told (const LkFuture *self, guint64 key)
{
  return self->base->told != NULL ? g_hash_table_lookup (self->base->told, &key) : NULL;
}

gint64
lk_future_run_us (const LkFuture *self, const LkFutureRun *run)
{
  const LkFutureBase *base = self->base;
  const LkPastRun *told = lk_future_told (self, run->key);
  if (told != NULL)
    return told->lag_us >= 0 ? LK_TIME_NEVER : told->run_us;
  if (run->limit_us == LK_TIME_NEVER || base->options.runtimes == LK_RUNTIMES_LIMITS)
    return run->limit_us;
  double elapsed = run->limit_us > 0 ? (double)run->elapsed_us / (double)run->limit_us : 0.0;
  gint64 run_us =
      (gint64)(draw_ratio (self, run, elapsed > 0.0 ? elapsed : -1.0) * (double)run->limit_us);
  return MAX (run_us, 1);
}

/* ---------------------------------------------------------------- who comes */

static void
add_told (LkFuture *self)
{
  const LkWhatifState *state = self->base->state;
  for (guint i = 0; i < state->events->len; i++) {
    const LkPastSubmit *event = &g_array_index (state->events, LkPastSubmit, i);
    LkArrival arrival = { .time_us = MAX (event->time_us, state->moment_us),
                          .key = event->key,
                          .run_us = -1,
                          .bytes = state->bytes->data + event->offset_bytes,
                          .length_bytes = event->length_bytes };
    g_array_append_val (self->arrivals, arrival);
  }
}

static guint
days_of (const LkWhatifState *state)
{
  return (guint)((state->moment_us - state->past.first_us) / DAY_US);
}

gboolean
lk_future_has_days (const LkWhatifState *state)
{
  return days_of (state) > 0;
}

/* Which day of the past, counted back from 1, stands for day `index` of the future. */
static guint
draw_day (const LkFuture *self, guint days, guint index)
{
  double at = draw (self, LK_STREAM_FUTURE_DAYS, index);
  if (days < 2 * DAYS_PER_WEEK)
    return 1 + (guint)(at * days);
  guint first = DAYS_PER_WEEK - index % DAYS_PER_WEEK;
  guint weeks = (days - first) / DAYS_PER_WEEK + 1;
  return first + DAYS_PER_WEEK * (guint)(at * weeks);
}

/* The first submit at or behind a moment. */
static guint
submit_from (const GArray *submits, gint64 time_us)
{
  guint first = 0, last = submits->len;
  while (first < last) {
    guint middle = first + (last - first) / 2;
    if (g_array_index (submits, LkPastSubmit, middle).time_us < time_us)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

static void
add_day (LkFuture *self, guint days, guint index, gint64 end_us)
{
  const LkWhatifState *state = self->base->state;
  const GArray *submits = state->past.submits;
  gint64 shift_us = (gint64)(draw_day (self, days, index) + index) * DAY_US;
  gint64 from_us = state->moment_us + (gint64)index * DAY_US - shift_us;
  for (guint i = submit_from (submits, from_us); i < submits->len; i++) {
    const LkPastSubmit *submit = &g_array_index (submits, LkPastSubmit, i);
    const LkPastRun *run = g_hash_table_lookup (self->base->past, &submit->key);
    if (submit->time_us >= from_us + DAY_US || submit->time_us + shift_us >= end_us)
      break;
    LkArrival arrival = { .time_us = submit->time_us + shift_us,
                          .shift_us = shift_us,
                          .key = KEY_DRAWN | (guint64)(self->arrivals->len + 1) << 32,
                          .run_us = run != NULL ? MAX (run->run_us, 1) : -1,
                          .bytes = state->past.bytes->data + submit->offset_bytes,
                          .length_bytes = submit->length_bytes,
                          .is_drawn = TRUE,
                          .is_new = TRUE };
    g_array_append_val (self->arrivals, arrival);
  }
}

static void
add_days (LkFuture *self)
{
  const LkFutureBase *base = self->base;
  guint days = days_of (base->state);
  gint64 begin_us = base->state->moment_us;
  gint64 end_us = lk_time_add_us (begin_us, base->options.horizon_us);
  for (guint i = 0; days > 0 && begin_us + (gint64)i * DAY_US < end_us; i++)
    add_day (self, days, i, end_us);
}

LkFuture *
lk_future_new (const LkFutureBase *base, guint index)
{
  LkFuture *self = g_new0 (LkFuture, 1);
  self->base = base;
  self->seed = base->options.seed * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15) + index;
  self->arrivals = g_array_new (FALSE, FALSE, sizeof (LkArrival));
  if (base->options.arrivals == LK_ARRIVALS_REPLAY)
    add_told (self);
  else if (base->options.arrivals == LK_ARRIVALS_RESAMPLE)
    add_days (self);
  return self;
}

void
lk_future_free (LkFuture *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->arrivals);
  g_free (self);
}

const GArray *
lk_future_arrivals (const LkFuture *self)
{
  return self->arrivals;
}
