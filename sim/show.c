/* sim/show.c — see show.h. */
#include "sim/show.h"

#include <stdio.h>
#include <string.h>

#include "engine/checked.h"
#include "sim/arguments.h"
#include "sim/error.h"
#include "sim/report_private.h"
#include "traces/table.h"

typedef struct {
  gint64 time_us;
  gboolean is_relative; /* to the first submit, which is not known yet */
} Moment;

struct _LkShow {
  GPtrArray *reports; /* of LkReportOptions* */
  GArray *moments;    /* of Moment; rising from lk_show_begin on */
  guint moment_index;
  gboolean has_begun;
  LkJsonOut json;     /* with json_text: an open array in an open object */
  GString *json_text; /* NULL: text is printed */
};

/* ---------------------------------------------------------------- moments */

static gboolean
parse_date (const char *option, const char *text, gint64 unix_start_s, gint64 *out_time_us,
            GError **error)
{
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  g_autofree char *full =
      strchr (text, 'T') != NULL ? g_strdup (text) : g_strdup_printf ("%sT00:00:00", text);
  g_autoptr (GDateTime) date = g_date_time_new_from_iso8601 (full, utc);
  if (date == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "%s is '%s'; expected seconds, a time with its unit (90m, 2d), or a date such as "
                 "2026-11-21T02:12:06",
                 option, text);
    return FALSE;
  }
  if (unix_start_s < 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "%s is '%s', but it is not known which date the log begins at; expected seconds, "
                 "or a time with its unit (90m, 2d)",
                 option, text);
    return FALSE;
  }
  *out_time_us = (g_date_time_to_unix (date) - unix_start_s) * G_USEC_PER_SEC
                 + g_date_time_get_microsecond (date);
  return TRUE;
}

gboolean
lk_show_moment_parse (const char *option, const char *text, gint64 unix_start_s,
                      gint64 *out_time_us, GError **error)
{
  if (lk_argument_duration_us (option, text, out_time_us, NULL))
    return TRUE;
  return parse_date (option, text, unix_start_s, out_time_us, error);
}

static gint
compare_moments (gconstpointer a, gconstpointer b)
{
  gint64 time_a_us = ((const Moment *)a)->time_us;
  gint64 time_b_us = ((const Moment *)b)->time_us;
  return (time_a_us > time_b_us) - (time_a_us < time_b_us);
}

gboolean
lk_show_set_moments (LkShow *self, const char *option, const char *text, gint64 unix_start_s,
                     GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    Moment moment = { .is_relative = words[i][0] == '+' };
    gboolean good =
        moment.is_relative
            ? lk_argument_duration_us (option, words[i] + 1, &moment.time_us, error)
            : lk_show_moment_parse (option, words[i], unix_start_s, &moment.time_us, error);
    if (!good)
      return FALSE;
    g_array_append_val (self->moments, moment);
  }
  return TRUE;
}

void
lk_show_begin (LkShow *self, gint64 first_submit_us)
{
  if (self->has_begun)
    return;
  self->has_begun = TRUE;
  for (guint i = 0; i < self->moments->len; i++) {
    Moment *moment = &g_array_index (self->moments, Moment, i);
    if (moment->is_relative)
      moment->time_us = lk_time_add_us (first_submit_us, moment->time_us);
  }
  g_array_sort (self->moments, compare_moments);
}

gint64
lk_show_next_moment_us (LkShow *self)
{
  if (self->moment_index == self->moments->len)
    return LK_TIME_NEVER;
  return g_array_index (self->moments, Moment, self->moment_index++).time_us;
}

/* ---------------------------------------------------------------- reports */

LkShow *
lk_show_new (const char *reports, gboolean json, GError **error)
{
  g_autoptr (GPtrArray) list = lk_report_list_parse (reports, error);
  if (list == NULL)
    return NULL;
  LkShow *self = g_new0 (LkShow, 1);
  self->reports = g_steal_pointer (&list);
  self->moments = g_array_new (FALSE, FALSE, sizeof (Moment));
  if (json) {
    self->json_text = g_string_new (NULL);
    lk_json_out_init (&self->json, self->json_text);
    lk_json_out_object_begin (&self->json, NULL);
    lk_json_out_array_begin (&self->json, "reports");
  }
  return self;
}

void
lk_show_free (LkShow *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->reports);
  g_array_unref (self->moments);
  if (self->json_text != NULL)
    g_string_free (self->json_text, TRUE);
  g_free (self);
}

gboolean
lk_show_check (const LkShow *self, const LkEngineConfig *config, GError **error)
{
  for (guint i = 0; i < self->reports->len; i++)
    if (!lk_report_check (config, g_ptr_array_index (self->reports, i), error))
      return FALSE;
  return TRUE;
}

/* "# sprio at 3600 s", and the date where it is known. */
static void
append_heading (const LkReportState *state, LkReportKind kind, GString *out)
{
  g_autoptr (GString) time = g_string_new (NULL);
  lk_report_time (state, state->at_us, time);
  g_string_append_printf (out, "# %s at ", lk_report_kind_name (kind));
  lk_table_real (out, (double)state->at_us / G_USEC_PER_SEC,
                 state->at_us % G_USEC_PER_SEC == 0 ? 0 : 6);
  g_string_append_printf (out, " s (%s)\n", time->str);
}

void
lk_show_at (LkShow *self, const LkReportState *state)
{
  g_autoptr (LkEngine) engine = lk_report_engine_at (state->engine, state->config, state->at_us);
  LkReportState later = *state;
  later.engine = engine;
  for (guint i = 0; i < self->reports->len; i++) {
    const LkReportOptions *options = g_ptr_array_index (self->reports, i);
    if (self->json_text != NULL) {
      lk_report_json (&later, options, NULL, &self->json);
      continue;
    }
    g_autoptr (GString) text = g_string_new (NULL);
    append_heading (&later, options->kind, text);
    lk_report_write (&later, options, text);
    fputs (text->str, stdout);
  }
}

LkJsonOut *
lk_show_json (LkShow *self)
{
  lk_json_out_array_end (&self->json);
  return &self->json;
}
