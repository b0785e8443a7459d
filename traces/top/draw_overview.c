/* traces/top/draw_overview.c — the machine and the queue at a glance. */
#include <string.h>

#include "traces/top/model_private.h"

#define LABEL_COLUMNS 10u
#define NUMBER_COLUMNS 24u
#define TELL_MAX 5u

/* How often a word comes. */
typedef struct {
  const char *word; /* of the facts, which keep each text once */
  guint count;
} Tally;

static void
tally_add (GArray *tallies, const char *word)
{
  for (guint i = 0; i < tallies->len; i++)
    if (strcmp (g_array_index (tallies, Tally, i).word, word) == 0) {
      g_array_index (tallies, Tally, i).count++;
      return;
    }
  Tally fresh = { word, 1 };
  /* What comes late among very many is told of together. */
  if (tallies->len < 1000)
    g_array_append_val (tallies, fresh);
}

static gint
compare_tallies (gconstpointer a, gconstpointer b)
{
  const Tally *x = a;
  const Tally *y = b;
  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  return strcmp (x->word, y->word);
}

/* "Priority 12, Resources 3, 2 others". */
static void
tallies_text (GArray *tallies, GString *out)
{
  g_array_sort (tallies, compare_tallies);
  for (guint i = 0; i < tallies->len && i < TELL_MAX; i++) {
    const Tally *tally = &g_array_index (tallies, Tally, i);
    g_string_append_printf (out, "%s%s %u", i > 0 ? ", " : "",
                            tally->word[0] != '\0' ? tally->word : "(none)", tally->count);
  }
  if (tallies->len > TELL_MAX)
    g_string_append_printf (out, ", %u others", tallies->len - TELL_MAX);
  if (tallies->len == 0)
    g_string_append_c (out, '-');
}

/* ---------------------------------------------------------------- lines */

static guint
put_line (LkTopScreen *screen, LkTopArea *area, const char *label, const char *text)
{
  LkTopPlace place = { 1, area->row, LABEL_COLUMNS, LK_TOP_STYLE_BOLD };
  if (area->rows == 0)
    return 0;
  lk_top_screen_put (screen, place, label);
  place.column += LABEL_COLUMNS + 1;
  place.columns_max = area->columns > place.column ? area->columns - place.column : 0;
  place.style = LK_TOP_STYLE_PLAIN;
  lk_top_screen_put (screen, place, text);
  area->row++;
  area->rows--;
  return place.columns_max;
}

static void
put_bar (LkTopScreen *screen, LkTopArea *area, const char *label, double part, double whole)
{
  if (whole <= 0 || area->rows == 0)
    return;
  double ratio = part / whole;
  LkTopPlace place = { LABEL_COLUMNS + 2, area->row, 0, LK_TOP_STYLE_GOOD };
  if (area->columns > place.column + NUMBER_COLUMNS)
    place.columns_max = area->columns - place.column - NUMBER_COLUMNS;
  if (ratio >= 0.5)
    place.style = ratio >= 0.9 ? LK_TOP_STYLE_BAD : LK_TOP_STYLE_WARN;
  g_autofree char *numbers = g_strdup_printf ("%.0f/%.0f %3.0f%%", part, whole, 100.0 * ratio);
  LkTopArea same = *area;
  put_line (screen, area, label, "");
  lk_top_screen_bar (screen, place, ratio);
  place.column = area->columns > NUMBER_COLUMNS ? area->columns - NUMBER_COLUMNS : 0;
  place.row = same.row;
  place.columns_max = NUMBER_COLUMNS - 1;
  place.style = LK_TOP_STYLE_PLAIN;
  lk_top_screen_put_right (screen, place, numbers);
}

/* The newest use is at the right. */
static void
put_use (const LkTopModel *self, LkTopScreen *screen, LkTopArea *area)
{
  const GArray *ratios = self->facts->use_ratios;
  g_autoptr (GString) label = g_string_new ("in use");
  guint begin = LABEL_COLUMNS + 2;
  if (area->rows == 0 || area->columns <= begin + 1)
    return;
  guint width = MIN (area->columns - begin - 1, ratios->len);
  for (guint i = 0; i < width; i++) {
    double ratio = g_array_index (ratios, double, ratios->len - width + i);
    LkTopPlace place = { begin + i, area->row, 1, LK_TOP_STYLE_GOOD };
    if (ratio >= 0)
      lk_top_screen_put (screen, place, lk_top_screen_level (screen, ratio));
  }
  LkTopPlace place = { 1, area->row, LABEL_COLUMNS, LK_TOP_STYLE_BOLD };
  lk_top_screen_put (screen, place, label->str);
  area->row++;
  area->rows--;
  if (self->facts->use_step_us <= 0 || width == 0)
    return;
  g_autoptr (GString) step = g_string_new ("the last ");
  lk_top_duration (self->facts->use_step_us * width, step);
  g_string_append (step, ", the newest at the right");
  put_line (screen, area, "", step->str);
}

/* ---------------------------------------------------------------- tallies */

typedef enum { OF_STATE, OF_REASON, OF_USER, OF_PARTITION } What;

static const char *
job_word (const LkTopJob *job, What what)
{
  switch (what) {
  case OF_STATE:
    return job->state;
  case OF_REASON:
    return job->is_pending ? job->reason : NULL;
  case OF_USER:
    return job->is_over ? NULL : job->user;
  default:
    return job->is_over ? NULL : job->partition;
  }
}

static void
put_jobs (const LkTopModel *self, LkTopScreen *screen, LkTopArea *area, const char *label,
          What what)
{
  g_autoptr (GArray) tallies = g_array_new (FALSE, FALSE, sizeof (Tally));
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < self->facts->jobs->len; i++) {
    const char *word = job_word (&g_array_index (self->facts->jobs, LkTopJob, i), what);
    if (word != NULL)
      tally_add (tallies, word);
  }
  tallies_text (tallies, text);
  put_line (screen, area, label, text->str);
}

static void
put_nodes (const LkTopModel *self, LkTopScreen *screen, LkTopArea *area)
{
  g_autoptr (GArray) tallies = g_array_new (FALSE, FALSE, sizeof (Tally));
  g_autoptr (GString) text = g_string_new (NULL);
  double gpus[2] = { 0, 0 };
  double memory[2] = { 0, 0 };
  for (guint i = 0; i < self->facts->nodes->len; i++) {
    const LkTopNode *node = &g_array_index (self->facts->nodes, LkTopNode, i);
    tally_add (tallies, node->state);
    gpus[0] += node->gpus_used_count;
    gpus[1] += node->gpu_count;
    memory[0] += (double)node->memory_used_bytes / (1 << 30);
    memory[1] += (double)node->memory_bytes / (1 << 30);
  }
  put_bar (screen, area, "GiB", memory[0], memory[1]);
  put_bar (screen, area, "GPUs", gpus[0], gpus[1]);
  if (tallies->len == 0)
    return;
  tallies_text (tallies, text);
  put_line (screen, area, "nodes", text->str);
}

void
lk_top_draw_overview (const LkTopModel *self, LkTopScreen *screen, LkTopArea area)
{
  const LkTopFacts *facts = self->facts;
  g_autofree char *jobs =
      g_strdup_printf ("%u running, %u pending", facts->running_count, facts->pending_count);
  put_line (screen, &area, "jobs", jobs);
  put_bar (screen, &area, "CPUs", (double)facts->cpus_used_count, (double)facts->cpu_count);
  put_nodes (self, screen, &area);
  put_use (self, screen, &area);
  put_line (screen, &area, "", "");
  put_jobs (self, screen, &area, "states", OF_STATE);
  put_jobs (self, screen, &area, "waits for", OF_REASON);
  put_jobs (self, screen, &area, "users", OF_USER);
  put_jobs (self, screen, &area, "partitions", OF_PARTITION);
}
