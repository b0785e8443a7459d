/* sim/report_sshare.c — shares, use and fairshare of associations, as sshare prints them.
 *
 * Rows stand in the order of lineages, "/phys/hep/0-alice/", so that the users of an account come
 * before the accounts below it.  What an order without fairshare leaves unknown is empty or 0 where
 * sshare has it so under priority/basic.  Sources: sshare(1), the recordings in
 * tests/fixtures/slurm-prio. */
#include <math.h>
#include <string.h>

#include "engine/suggest.h"
#include "sim/error.h"
#include "sim/report_private.h"
#include "traces/table.h"

#define DIGITS 6u
#define WIDTH_MAX 1000
#define MINUTE_S 60u

typedef struct {
  guint32 association;
  guint depth;
  char *lineage;
  const LkAssociationSpec *spec;
  const LkAssociationView *view;
  gboolean has_parts;
  LkShareParts parts;
} Row;

typedef struct {
  const char *name;
  int width; /* as lk_table_cell */
  void (*cell) (const LkReportOut *report, const Row *row, GString *out);
} Column;

/* ---------------------------------------------------------------- cells */

static gboolean
is_root (const Row *row)
{
  return row->association == 0;
}

static void
append_if_any (GString *out, gboolean is_known, double value)
{
  if (is_known)
    lk_table_real (out, value, DIGITS);
}

static void
account_cell (const LkReportOut *report, const Row *row, GString *out)
{
  (void)report;
  g_string_append_printf (out, "%*s%s", (int)row->depth, "", row->spec->account);
}

static void
user_cell (const LkReportOut *report, const Row *row, GString *out)
{
  (void)report;
  g_string_append (out, row->spec->user);
}

static void
partition_cell (const LkReportOut *report, const Row *row, GString *out)
{
  (void)report;
  g_string_append (out, row->spec->partition);
}

static void
raw_shares_cell (const LkReportOut *report, const Row *row, GString *out)
{
  (void)report;
  if (row->view->shares == LK_SHARES_PARENT)
    g_string_append (out, "parent");
  else if (!is_root (row))
    g_string_append_printf (out, "%u", row->view->shares);
}

static void
norm_shares_cell (const LkReportOut *report, const Row *row, GString *out)
{
  (void)report;
  append_if_any (out, row->has_parts, row->parts.shares_norm);
}

static void
raw_usage_cell (const LkReportOut *report, const Row *row, GString *out)
{
  (void)report;
  g_string_append_printf (out, "%" G_GUINT64_FORMAT, (guint64)row->view->use.usage);
}

static void
norm_usage_cell (const LkReportOut *report, const Row *row, GString *out)
{
  (void)report;
  append_if_any (out, row->has_parts && row->parts.usage_norm >= 0, row->parts.usage_norm);
}

static void
effective_usage_cell (const LkReportOut *report, const Row *row, GString *out)
{
  (void)report;
  lk_table_real (out, row->has_parts ? row->parts.usage_effective : 0.0, DIGITS);
}

static void
fairshare_cell (const LkReportOut *report, const Row *row, GString *out)
{
  (void)report;
  append_if_any (out, row->view->is_user != 0, row->has_parts ? row->parts.fairshare : 0.0);
}

/* Classic fairshare has no levels; sshare then prints 0 when it is asked for them. */
static void
level_cell (const LkReportOut *report, const Row *row, GString *out)
{
  (void)report;
  if (row->view->shares == LK_SHARES_PARENT)
    return;
  if (!row->has_parts || !row->parts.is_fair_tree)
    lk_table_real (out, 0.0, DIGITS);
  else if (row->parts.level_fairshare >= 0)
    lk_table_real (out, row->parts.level_fairshare, DIGITS);
}

static void
limits_cell (const LkReportOut *report, const Row *row, GString *out)
{
  const LkBook *book = lk_engine_book (report->state->engine);
  gsize begin = out->len;
  for (guint i = 0; i < row->view->limits.count; i++) {
    const LkLimitItem *item =
        &g_array_index (book->limits, LkLimitItem, row->view->limits.first + i);
    if (item->kind == LK_LIMIT_GRP_TRES_MINS)
      g_string_append_printf (out, "%s%s=%" G_GUINT64_FORMAT, out->len > begin ? "," : "",
                              book->tres_names[item->tres], item->value);
  }
}

static void
run_minutes_cell (const LkReportOut *report, const Row *row, GString *out)
{
  const LkBook *book = lk_engine_book (report->state->engine);
  for (guint32 t = 0; t < book->tres_count; t++)
    g_string_append_printf (out, "%s%s=%" G_GUINT64_FORMAT, t > 0 ? "," : "", book->tres_names[t],
                            row->view->use.tres_run_s[t] / MINUTE_S);
}

/* In the order in which the tables have them; sshare's own widths. */
enum {
  ACCOUNT,
  USER,
  PARTITION,
  RAW_SHARES,
  NORM_SHARES,
  RAW_USAGE,
  NORM_USAGE,
  EFFECTIVE_USAGE,
  FAIRSHARE,
  LEVEL,
  LIMITS,
  RUN_MINUTES,
  COLUMN_COUNT
};

static const Column columns[COLUMN_COUNT] = {
  { "Account", -20, account_cell },       { "User", 10, user_cell },
  { "Partition", 12, partition_cell },    { "RawShares", 10, raw_shares_cell },
  { "NormShares", 11, norm_shares_cell }, { "RawUsage", 11, raw_usage_cell },
  { "NormUsage", 11, norm_usage_cell },   { "EffectvUsage", 13, effective_usage_cell },
  { "FairShare", 10, fairshare_cell },    { "LevelFS", 10, level_cell },
  { "GrpTRESMins", 30, limits_cell },     { "TRESRunMins", 30, run_minutes_cell },
};

/* ---------------------------------------------------------------- which columns */

static gboolean
is_fair_tree (const LkReportOut *out)
{
  LkShareParts parts = { .size = sizeof parts };
  return !lk_engine_share_parts (out->state->engine, 0, &parts) || parts.is_fair_tree;
}

static gboolean
has_column (const LkReportOut *out, guint i)
{
  switch (i) {
  case PARTITION:
    return out->options->by_partition;
  case LEVEL:
    return out->options->is_long && is_fair_tree (out);
  case NORM_USAGE:
  case LIMITS:
  case RUN_MINUTES:
    return out->options->is_long;
  default:
    return TRUE;
  }
}

static gboolean
find_column (const char *name, gsize name_bytes, Column *out)
{
  for (guint i = 0; i < COLUMN_COUNT && name_bytes > 0; i++)
    if (g_ascii_strncasecmp (columns[i].name, name, name_bytes) == 0) {
      *out = columns[i];
      return TRUE;
    }
  return FALSE;
}

/* "Account,User%20,FairShare": names may be cut short. */
static GArray *
parse_columns (const char *format, GError **error)
{
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (Column));
  g_auto (GStrv) words = g_strsplit (format, ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    Column column;
    gsize name_bytes = strcspn (words[i], "%");
    const char *width = words[i] + name_bytes + (words[i][name_bytes] == '%' ? 1 : 0);
    gint64 value = *width != '\0' ? g_ascii_strtoll (width, NULL, 10) : 0;
    if (!find_column (words[i], name_bytes, &column) || ABS (value) > WIDTH_MAX) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                   "the format has '%s'; expected Account, User, Partition, RawShares, "
                   "NormShares, RawUsage, NormUsage, EffectvUsage, FairShare, LevelFS, "
                   "GrpTRESMins or TRESRunMins",
                   words[i]);
      return NULL;
    }
    if (value != 0)
      column.width = (int)value;
    g_array_append_val (chosen, column);
  }
  return g_steal_pointer (&chosen);
}

static GArray *
columns_of (const LkReportOut *out)
{
  if (out->options->format != NULL)
    return parse_columns (out->options->format, NULL);
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (Column));
  for (guint i = 0; i < COLUMN_COUNT; i++)
    if (has_column (out, i))
      g_array_append_val (chosen, columns[i]);
  return chosen;
}

/* ---------------------------------------------------------------- which rows */

static gboolean
wants_row (const LkReportOptions *options, const LkAssociationSpec *spec)
{
  gboolean is_user = spec->user[0] != '\0';
  if (!lk_report_wants (options->accounts, spec->account) || (options->only_users && !is_user))
    return FALSE;
  if (!is_user || options->all_users)
    return TRUE;
  /* Who names nobody is shown himself: here that is root. */
  return options->users != NULL ? lk_report_wants (options->users, spec->user)
                                : strcmp (spec->user, "root") == 0;
}

/* Ends with a /, so that one account's name being the beginning of another's does not matter. */
static char *
lineage_of (const LkBook *book, guint32 association, guint *out_depth)
{
  g_autoptr (GString) lineage = g_string_new ("/");
  *out_depth = 0;
  for (guint32 at = association;
       at != LK_INDEX_NONE && book->associations[at].parent != LK_INDEX_NONE;
       at = book->associations[at].parent) {
    const LkAssociationSpec *spec = g_ptr_array_index (book->spec->associations, at);
    g_autofree char *step =
        spec->user[0] == '\0'
            ? g_strdup_printf ("/%s", spec->account)
            : g_strdup_printf ("/0-%s%s%s", spec->user, spec->partition[0] != '\0' ? "/" : "",
                               spec->partition);
    g_string_prepend (lineage, step);
    (*out_depth)++;
  }
  return g_string_free (g_steal_pointer (&lineage), FALSE);
}

static void
row_free (gpointer user)
{
  Row *self = user;
  g_free (self->lineage);
  g_free (self);
}

static gint
compare_rows (gconstpointer a, gconstpointer b)
{
  const Row *row_a = *(Row *const *)a;
  const Row *row_b = *(Row *const *)b;
  gint order = strcmp (row_a->lineage, row_b->lineage);
  return order != 0 ? order
                    : (row_a->association > row_b->association)
                          - (row_a->association < row_b->association);
}

static GPtrArray *
rows_of (const LkReportOut *out)
{
  const LkEngine *engine = out->state->engine;
  const LkBook *book = lk_engine_book (engine);
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);
  for (guint32 i = 0; i < book->view.association_count; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (book->spec->associations, i);
    if (!wants_row (out->options, spec))
      continue;
    Row *row = g_new0 (Row, 1);
    row->association = i;
    row->spec = spec;
    row->view = &book->associations[i];
    row->lineage = lineage_of (book, i, &row->depth);
    row->parts.size = sizeof row->parts;
    row->has_parts = lk_engine_share_parts (engine, i, &row->parts);
    g_ptr_array_add (rows, row);
  }
  g_ptr_array_sort (rows, compare_rows);
  return rows;
}

/* ---------------------------------------------------------------- writing */

static void
append_cell (const LkReportOut *out, const char *text, int width, gboolean is_last)
{
  const LkReportOptions *options = out->options;
  if (options->parsable || options->parsable2) {
    g_string_append (out->text, text);
    if (!is_last || options->parsable)
      g_string_append_c (out->text, '|');
    return;
  }
  lk_table_cell (out->text, text, width, LK_CELL_CUT_PLUS);
  g_string_append_c (out->text, ' ');
}

static void
write_heading (const LkReportOut *out, const GArray *chosen)
{
  for (guint i = 0; i < chosen->len; i++) {
    const Column *column = &g_array_index (chosen, Column, i);
    append_cell (out, column->name, column->width, i + 1 == chosen->len);
  }
  g_string_append_c (out->text, '\n');
  if (out->options->parsable || out->options->parsable2)
    return;
  for (guint i = 0; i < chosen->len; i++) {
    int width = ABS (g_array_index (chosen, Column, i).width);
    g_autofree char *line = g_strnfill ((gsize)width, '-');
    g_string_append_printf (out->text, "%s ", line);
  }
  g_string_append_c (out->text, '\n');
}

static void
write_text (const LkReportOut *out, const GPtrArray *rows)
{
  g_autoptr (GArray) chosen = columns_of (out);
  g_autoptr (GString) cell = g_string_new (NULL);
  if (!out->options->no_heading)
    write_heading (out, chosen);
  for (guint r = 0; r < rows->len; r++) {
    for (guint i = 0; i < chosen->len; i++) {
      const Column *column = &g_array_index (chosen, Column, i);
      g_string_truncate (cell, 0);
      column->cell (out, g_ptr_array_index (rows, r), cell);
      append_cell (out, cell->str, column->width, i + 1 == chosen->len);
    }
    g_string_append_c (out->text, '\n');
  }
}

static void
write_json_row (const LkReportOut *out, const Row *row)
{
  LkJsonOut *json = out->json;
  const LkBook *book = lk_engine_book (out->state->engine);
  lk_json_out_object_begin (json, NULL);
  lk_json_out_text (json, "account", row->spec->account);
  lk_json_out_text (json, "user", row->spec->user);
  lk_json_out_text (json, "partition", row->spec->partition);
  lk_json_out_text (json, "lineage", row->lineage);
  if (row->view->shares == LK_SHARES_PARENT)
    lk_json_out_text (json, "raw_shares", "parent");
  else
    lk_json_out_count (json, "raw_shares", row->view->shares);
  lk_json_out_real (json, "norm_shares", row->has_parts ? row->parts.shares_norm : NAN);
  lk_json_out_real (json, "raw_usage", row->view->use.usage);
  lk_json_out_real (json, "norm_usage",
                    row->has_parts && row->parts.usage_norm >= 0 ? row->parts.usage_norm : NAN);
  lk_json_out_real (json, "effective_usage", row->has_parts ? row->parts.usage_effective : NAN);
  lk_json_out_real (json, "fairshare",
                    row->has_parts && row->view->is_user ? row->parts.fairshare : NAN);
  /* Infinite, of who has used nothing, is null, too. */
  lk_json_out_real (json, "level_fairshare",
                    row->has_parts && row->parts.level_fairshare >= 0 ? row->parts.level_fairshare
                                                                      : NAN);
  lk_json_out_object_begin (json, "tres_run_s");
  for (guint32 t = 0; t < book->tres_count; t++)
    lk_json_out_count (json, book->tres_names[t], row->view->use.tres_run_s[t]);
  lk_json_out_object_end (json);
  lk_json_out_object_end (json);
}

gboolean
lk_report_sshare_check (const LkEngineConfig *config, const LkReportOptions *options,
                        GError **error)
{
  if (config->accounts == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
                 "sshare: there are no accounts in this run; lockstep sim takes them with "
                 "--accounts");
    return FALSE;
  }
  g_autoptr (GArray) chosen =
      parse_columns (options->format != NULL ? options->format : "Account", error);
  return chosen != NULL;
}

void
lk_report_sshare (const LkReportOut *out)
{
  g_autoptr (GPtrArray) rows = rows_of (out);
  if (out->text != NULL) {
    write_text (out, rows);
    return;
  }
  lk_json_out_array_begin (out->json, "shares");
  for (guint i = 0; i < rows->len; i++)
    write_json_row (out, g_ptr_array_index (rows, i));
  lk_json_out_array_end (out->json);
}
