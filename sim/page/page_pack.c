/* sim/page/page_pack.c — see the header. */
#include "sim/page/page_pack.h"

#include <string.h>
#include <zlib.h>

#include "engine/assert.h"
#include "engine/job_shown.h"
#include "sim/json_out.h"
#include "sim/page/page_grid.h"
#include "sim/page/page_series.h"

#define GRID_ROWS 160u
#define GRID_COLUMNS 1600u
#define PLACES_MAX 500000u /* of a run */

#define FLAG_BACKFILLED 1u
#define FLAG_REQUEUED 2u

typedef struct {
  const LkPage *page;
  const LkPageRun *run;
  GArray *kept;          /* of guint: jobs by submission */
  gint64 unit_us;        /* all times are multiples of it, or cut to it */
  guint32 *text_numbers; /* of the texts that are used: number + 1; 0: it is not */
  GPtrArray *texts;      /* borrowed */
  GByteArray *bytes;
} Pack;

/* ---------------------------------------------------------------- which jobs */

typedef struct {
  guint index;
  double value;
} Rank;

static gint
compare_ranks (gconstpointer a, gconstpointer b)
{
  const Rank *x = a;
  const Rank *y = b;
  if (x->value > y->value || x->value < y->value)
    return x->value > y->value ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static double
area_of (const LkPageRun *run, const LkPageJob *job)
{
  gint64 start_us;
  gint64 end_us;
  if (!lk_page_job_span (run, job, &start_us, &end_us))
    return 0;
  return (double)MAX (1, job->procs) * (double)(end_us - start_us);
}

/* Keeps the first `count` by value. */
static void
keep_most (const LkPageRun *run, gboolean by_wait, guint count, guint8 *is_kept)
{
  g_autoptr (GArray) ranks = g_array_sized_new (FALSE, FALSE, sizeof (Rank), run->jobs->len);
  for (guint i = 0; i < run->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, i);
    Rank rank = { i, by_wait ? (double)lk_page_job_wait_us (run, job) : area_of (run, job) };
    g_array_append_val (ranks, rank);
  }
  g_array_sort (ranks, compare_ranks);
  for (guint i = 0; i < MIN (count, ranks->len); i++)
    is_kept[g_array_index (ranks, Rank, i).index] = 1;
}

static GArray *
choose_jobs (const LkPageRun *run, guint limit)
{
  guint count = run->jobs->len;
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree guint8 *is_kept = g_malloc0 (MAX (1, count));
  if (count <= limit)
    memset (is_kept, 1, count);
  else {
    keep_most (run, FALSE, limit / 2, is_kept);
    keep_most (run, TRUE, limit / 4, is_kept);
    guint step = MAX (1, count / MAX (1, limit / 4) + 1);
    for (guint i = 0; i < count; i += step)
      is_kept[i] = 1;
  }
  for (guint i = 0; i < count; i++)
    if (is_kept[i])
      g_array_append_val (kept, i);
  return kept;
}

static guint64
count_places (const LkPageRun *run, const GArray *kept)
{
  guint64 count = 0;
  for (guint i = 0; i < kept->len; i++)
    count += lk_page_run_job (run, g_array_index (kept, guint, i))->place_count;
  return count;
}

/* Jobs that are scattered over many nodes take more room: then there are fewer of them. */
static GArray *
choose_what_fits (const LkPageRun *run, guint limit)
{
  GArray *kept = choose_jobs (run, limit);
  while (count_places (run, kept) > PLACES_MAX && limit > 0) {
    limit = MIN (limit, kept->len) / 2;
    g_array_unref (kept);
    kept = choose_jobs (run, limit);
  }
  return kept;
}

/* ---------------------------------------------------------------- numbers */

static void
put_count (Pack *self, guint64 value)
{
  guint8 bytes[10];
  guint length = 0;
  do {
    bytes[length] = (guint8)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value >>= 7;
    length++;
  } while (value > 0);
  g_byte_array_append (self->bytes, bytes, length);
}

static void
put_u (Pack *self, gint64 value)
{
  LK_ASSERT (value >= 0);
  put_count (self, (guint64)value);
}

static void
put_s (Pack *self, gint64 value)
{
  put_count (self, value < 0 ? ~((guint64)value << 1) : (guint64)value << 1);
}

static gint64
text_number (Pack *self, guint32 name)
{
  if (name == LK_PAGE_NONE)
    return 0;
  if (self->text_numbers[name] == 0) {
    g_ptr_array_add (self->texts, (gpointer)lk_page_names_text (&self->run->names, name));
    self->text_numbers[name] = self->texts->len;
  }
  return self->text_numbers[name];
}

/* A moment in units of the page; the differences of these are what is told. */
static gint64
units (const Pack *self, gint64 time_us)
{
  gint64 shifted_us = time_us + self->run->shift_us;
  return shifted_us / self->unit_us - (shifted_us % self->unit_us < 0);
}

static gint64
units_between (const Pack *self, gint64 from_us, gint64 until_us)
{
  return until_us == LK_TIME_NEVER ? 0
                                   : MAX (0, units (self, until_us) - units (self, from_us)) + 1;
}

typedef struct {
#define X(name, sign) gint64 name;
  LK_PAGE_COLUMNS (X)
#undef X
} Row;

static void
fill_row (Pack *self, const LkPageJob *job, Row *row)
{
  row->number = job->number;
  row->id = text_number (self, job->id);
  row->title = text_number (self, job->title);
  row->user = text_number (self, job->fields[LK_PAGE_USER]);
  row->account = text_number (self, job->fields[LK_PAGE_ACCOUNT]);
  row->qos = text_number (self, job->fields[LK_PAGE_QOS]);
  row->partition = text_number (self, job->fields[LK_PAGE_PARTITION]);
  row->state = text_number (self, job->state);
  row->procs = job->procs;
  row->gpus = job->gpus_milli;
  row->submit = units (self, job->submit_us);
  row->wait = units_between (self, job->submit_us, job->start_us);
  row->run = job->start_us == LK_TIME_NEVER ? 0 : units_between (self, job->start_us, job->end_us);
  row->limit = job->limit_us == LK_TIME_NEVER ? 0 : job->limit_us / self->unit_us + 1;
  row->flags = (job->is_backfilled ? FLAG_BACKFILLED : 0) | (job->is_requeued ? FLAG_REQUEUED : 0);
  row->places = job->place_count;
  row->reasons = job->wait_count;
}

static void
put_columns (Pack *self)
{
  guint count = self->kept->len;
  Row *rows = g_new0 (Row, MAX (1, count));
  for (guint i = 0; i < count; i++) {
    guint index = g_array_index (self->kept, guint, i);
    fill_row (self, lk_page_run_job (self->run, index), &rows[i]);
  }
  for (guint i = count; i > 1; i--) {
    rows[i - 1].number -= rows[i - 2].number;
    rows[i - 1].submit -= rows[i - 2].submit;
  }
#define X(name, sign)                                                                              \
  for (guint i = 0; i < count; i++)                                                                \
    put_##sign (self, rows[i].name);
  LK_PAGE_COLUMNS (X)
#undef X
  g_free (rows);
}

static void
put_places (Pack *self)
{
  const LkPageRun *run = self->run;
  for (guint i = 0; i < self->kept->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, g_array_index (self->kept, guint, i));
    guint32 end = 0;
    for (guint32 k = 0; k < job->place_count; k++) {
      const LkPagePlace *place = &g_array_index (run->places, LkPagePlace, job->place_first + k);
      put_u (self, place->first - end);
      put_u (self, place->count);
      end = place->first + place->count;
    }
  }
  for (guint i = 0; i < self->kept->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, g_array_index (self->kept, guint, i));
    for (guint32 k = 0; k < job->wait_count; k++) {
      const LkPageWait *wait = &g_array_index (run->waits, LkPageWait, job->wait_first + k);
      put_u (self, wait->reason);
      put_u (self, wait->wait_us / self->unit_us);
    }
  }
}

/* ---------------------------------------------------------------- the object */

/* Whole seconds where all times are such, else milliseconds. */
static gint64
find_unit (const LkPageRun *run)
{
  for (guint i = 0; i < run->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, i);
    gint64 start_us = job->start_us != LK_TIME_NEVER ? job->start_us : 0;
    gint64 end_us = job->end_us != LK_TIME_NEVER ? job->end_us : 0;
    if ((job->submit_us + run->shift_us) % G_USEC_PER_SEC != 0
        || (start_us - job->submit_us) % G_USEC_PER_SEC != 0
        || (end_us - start_us) % G_USEC_PER_SEC != 0)
      return 1000;
  }
  return G_USEC_PER_SEC;
}

static void
write_rows (const LkPageRun *run, LkJsonOut *json)
{
  lk_json_out_count (json, "row_count", run->row_count);
  lk_json_out_text (json, "row_word", run->rows->len > 0 ? "node" : "processor");
  lk_json_out_array_begin (json, "rows");
  for (guint i = 0; i < run->rows->len; i++)
    lk_json_out_text (json, NULL, g_ptr_array_index (run->rows, i));
  lk_json_out_array_end (json);
}

static void
write_texts (const Pack *self, LkJsonOut *json)
{
  lk_json_out_array_begin (json, "texts");
  for (guint i = 0; i < self->texts->len; i++)
    lk_json_out_text (json, NULL, g_ptr_array_index (self->texts, i));
  lk_json_out_array_end (json);
  lk_json_out_array_begin (json, "reasons");
  for (guint reason = 0; reason < LK_REASON_LIMIT; reason++)
    lk_json_out_text (json, NULL, lk_reason_text (reason));
  lk_json_out_array_end (json);
}

static char *
make_object (const Pack *self, const LkPageGrid *grid)
{
  const LkPageRun *run = self->run;
  GString *text = g_string_new (NULL);
  LkJsonOut json;
  lk_json_out_init (&json, text);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_text (&json, "label", run->label);
  lk_json_out_count (&json, "is_live", run->is_live ? 1 : 0);
  lk_json_out_count (&json, "has_reasons", run->has_reasons ? 1 : 0);
  lk_json_out_integer (&json, "unit_us", self->unit_us);
  lk_json_out_count (&json, "job_count", run->jobs->len);
  lk_json_out_count (&json, "kept_count", self->kept->len);
  lk_json_out_integer (&json, "end_us", run->end_us + run->shift_us);
  write_rows (run, &json);
  write_texts (self, &json);
  lk_json_out_object_begin (&json, "grid");
  lk_json_out_count (&json, "rows", grid->row_count);
  lk_json_out_count (&json, "columns", grid->column_count);
  lk_json_out_integer (&json, "begin_us", grid->begin_us);
  lk_json_out_integer (&json, "end_us", grid->end_us);
  lk_json_out_object_end (&json);
  lk_json_out_object_end (&json);
  return g_string_free (text, FALSE);
}

/* ---------------------------------------------------------------- all of it */

static char *
squeeze (const GByteArray *bytes)
{
  uLongf length = compressBound (bytes->len);
  g_autofree guint8 *squeezed = g_malloc (length);
  int status = compress2 (squeezed, &length, bytes->data, bytes->len, Z_BEST_COMPRESSION);
  LK_ASSERT (status == Z_OK);
  return g_base64_encode (squeezed, length);
}

char *
lk_page_pack (const LkPage *page, const LkPageRun *run, guint limit, guint *out_kept)
{
  LkPageGrid grid;
  Pack self = { .page = page,
                .run = run,
                .kept = choose_what_fits (run, limit),
                .unit_us = find_unit (run),
                .text_numbers = g_new0 (guint32, run->names.texts->len + 1),
                .texts = g_ptr_array_new (),
                .bytes = g_byte_array_new () };
  lk_page_grid_init (&grid, page, run, GRID_ROWS, GRID_COLUMNS);
  put_columns (&self);
  put_places (&self);
  g_byte_array_append (self.bytes, grid.cells, grid.row_count * grid.column_count);
  g_autofree char *object = make_object (&self, &grid);
  guint32 length = (guint32)strlen (object);
  guint32 prefix = GUINT32_TO_LE (length);
  g_byte_array_prepend (self.bytes, (const guint8 *)object, length);
  g_byte_array_prepend (self.bytes, (const guint8 *)&prefix, sizeof prefix);
  char *packed = squeeze (self.bytes);
  *out_kept = self.kept->len;
  lk_page_grid_clear (&grid);
  g_array_unref (self.kept);
  g_free (self.text_numbers);
  g_ptr_array_unref (self.texts);
  g_byte_array_unref (self.bytes);
  return packed;
}
