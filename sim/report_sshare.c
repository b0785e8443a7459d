/* sim/report_sshare.c — shares, use and fairshare of associations, as sshare prints them: the rows;
 * how they are laid out stands in traces/sshare_table.c. */
#include <math.h>

#include "sim/error.h"
#include "sim/report_private.h"
#include "traces/sshare_table.h"

#define MINUTE_S 60u

/* The texts of `shown` are owned. */
typedef struct {
  LkSshareRow shown;
  const LkAssociationView *view;
} Row;

static void
row_free (gpointer user)
{
  Row *self = user;
  lk_sshare_row_clear (&self->shown);
  g_free ((char *)self->shown.limits);
  g_free ((char *)self->shown.run_minutes);
  g_free (self);
}

static char *
limits_of (const LkBook *book, const LkAssociationView *view)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < view->limits.count; i++) {
    const LkLimitItem *item = &g_array_index (book->limits, LkLimitItem, view->limits.first + i);
    if (item->kind == LK_LIMIT_GRP_TRES_MINS)
      g_string_append_printf (out, "%s%s=%" G_GUINT64_FORMAT, out->len > 0 ? "," : "",
                              book->tres_names[item->tres], item->value);
  }
  return g_string_free (out, FALSE);
}

static char *
run_minutes_of (const LkBook *book, const LkAssociationView *view)
{
  GString *out = g_string_new (NULL);
  for (guint32 t = 0; t < book->tres_count; t++)
    g_string_append_printf (out, "%s%s=%" G_GUINT64_FORMAT, t > 0 ? "," : "", book->tres_names[t],
                            view->use.tres_run_s[t] / MINUTE_S);
  return g_string_free (out, FALSE);
}

static GPtrArray *
rows_of (const LkReportOut *out)
{
  const LkEngine *engine = out->state->engine;
  const LkBook *book = lk_engine_book (engine);
  const LkReportOptions *options = out->options;
  const LkSshareFilter filter = { .accounts = options->accounts,
                                  .users = options->users,
                                  .all_users = options->all_users,
                                  .only_users = options->only_users,
                                  .asker_name = "root" };
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);
  for (guint32 i = 0; i < book->view.association_count; i++) {
    if (!lk_sshare_wants (&filter, g_ptr_array_index (book->spec->associations, i)))
      continue;
    Row *row = g_new0 (Row, 1);
    row->view = &book->associations[i];
    lk_sshare_row_init (&row->shown, book->spec, i);
    row->shown.shares = row->view->shares;
    row->shown.usage_raw = row->view->use.usage;
    row->shown.has_parts = lk_engine_share_parts (engine, i, &row->shown.parts);
    row->shown.limits = limits_of (book, row->view);
    row->shown.run_minutes = run_minutes_of (book, row->view);
    g_ptr_array_add (rows, row);
  }
  g_ptr_array_sort (rows, lk_sshare_row_compare);
  return rows;
}

/* ---------------------------------------------------------------- writing */

static void
write_json_row (const LkReportOut *out, const Row *row)
{
  LkJsonOut *json = out->json;
  const LkBook *book = lk_engine_book (out->state->engine);
  const LkSshareRow *shown = &row->shown;
  const LkShareParts *parts = &shown->parts;
  gboolean has_parts = shown->has_parts;
  lk_json_out_object_begin (json, NULL);
  lk_json_out_text (json, "account", shown->spec->account);
  lk_json_out_text (json, "user", shown->spec->user);
  lk_json_out_text (json, "partition", shown->spec->partition);
  lk_json_out_text (json, "lineage", shown->lineage);
  if (shown->shares == LK_SHARES_PARENT)
    lk_json_out_text (json, "raw_shares", "parent");
  else
    lk_json_out_count (json, "raw_shares", shown->shares);
  lk_json_out_real (json, "norm_shares", has_parts ? parts->shares_norm : NAN);
  lk_json_out_real (json, "raw_usage", shown->usage_raw);
  lk_json_out_real (json, "norm_usage",
                    has_parts && parts->usage_norm >= 0 ? parts->usage_norm : NAN);
  lk_json_out_real (json, "effective_usage", has_parts ? parts->usage_effective : NAN);
  lk_json_out_real (json, "fairshare", has_parts && row->view->is_user ? parts->fairshare : NAN);
  /* Infinite, of who has used nothing, is null, too. */
  lk_json_out_real (json, "level_fairshare",
                    has_parts && parts->level_fairshare >= 0 ? parts->level_fairshare : NAN);
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
  g_autofree char *wrong = options->format != NULL ? lk_sshare_wrong (options->format) : NULL;
  if (wrong != NULL)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "the format has '%s'; expected " LK_SSHARE_COLUMNS, wrong);
  return wrong == NULL;
}

void
lk_report_sshare (const LkReportOut *out)
{
  g_autoptr (GPtrArray) rows = rows_of (out);
  const LkReportOptions *options = out->options;
  const LkSshareLayout layout = { .style = { .no_heading = options->no_heading,
                                             .is_parsable = options->parsable,
                                             .is_parsable2 = options->parsable2 },
                                  .is_long = options->is_long,
                                  .by_partition = options->by_partition,
                                  .format = options->format };
  if (out->text != NULL) {
    /* A row begins with what is shown of it. */
    lk_sshare_write (&layout, rows, out->text);
    return;
  }
  lk_json_out_array_begin (out->json, "shares");
  for (guint i = 0; i < rows->len; i++)
    write_json_row (out, g_ptr_array_index (rows, i));
  lk_json_out_array_end (out->json);
}
