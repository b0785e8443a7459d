/* traces/sshare_table.c — see the header. */
#include "traces/sshare_table.h"

#include <string.h>

#include "traces/table.h"

#define DIGITS 6u

/* ---------------------------------------------------------------- cells */

/* A cell of a row. */
#define CELL(NAME, ...)                                                                            \
  static void NAME##_cell (gconstpointer report, gconstpointer user, GString *out)                 \
  {                                                                                                \
    const LkSshareRow *row = user;                                                                 \
    (void)report;                                                                                  \
    __VA_ARGS__;                                                                                   \
  }

static void
append_if_any (GString *out, gboolean is_known, double value)
{
  if (is_known)
    lk_table_real (out, value, DIGITS);
}

CELL (account, g_string_append_printf (out, "%*s%s", (int)row->shown_depth, "", row->spec->account))
CELL (user, g_string_append (out, row->spec->user))
CELL (partition, g_string_append (out, row->spec->partition))
CELL (norm_shares, append_if_any (out, row->has_parts, row->parts.shares_norm))
CELL (raw_usage, g_string_append_printf (out, "%" G_GUINT64_FORMAT, (guint64)row->usage_raw))
CELL (norm_usage,
      append_if_any (out, row->has_parts && row->parts.usage_norm >= 0, row->parts.usage_norm))
CELL (effective_usage,
      lk_table_real (out, row->has_parts ? row->parts.usage_effective : 0.0, DIGITS))
CELL (fairshare,
      append_if_any (out, row->spec->user[0] != '\0', row->has_parts ? row->parts.fairshare : 0.0))
CELL (limits, g_string_append (out, row->limits))
CELL (run_minutes, g_string_append (out, row->run_minutes))

static void
raw_shares_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkSshareRow *row = user;
  (void)report;
  if (row->shares == LK_SHARES_PARENT)
    g_string_append (out, "parent");
  else if (row->association != 0)
    g_string_append_printf (out, "%u", row->shares);
}

/* Classic fairshare has no levels; sshare then prints 0 when it is asked for them. */
static void
level_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkSshareRow *row = user;
  (void)report;
  if (row->shares == LK_SHARES_PARENT)
    return;
  if (!row->has_parts || !row->parts.is_fair_tree)
    lk_table_real (out, 0.0, DIGITS);
  else if (row->parts.level_fairshare >= 0)
    lk_table_real (out, row->parts.level_fairshare, DIGITS);
}

/* In the order in which the tables have them; sshare's own widths. */
enum { PARTITION = 2, NORM_USAGE = 6, LEVEL = 9, LIMITS, RUN_MINUTES, COLUMN_COUNT };

static const LkField columns[COLUMN_COUNT + 1] = {
  { "Account", NULL, -20, account_cell },
  { "User", NULL, 10, user_cell },
  { "Partition", NULL, 12, partition_cell },
  { "RawShares", NULL, 10, raw_shares_cell },
  { "NormShares", NULL, 11, norm_shares_cell },
  { "RawUsage", NULL, 11, raw_usage_cell },
  { "NormUsage", NULL, 11, norm_usage_cell },
  { "EffectvUsage", NULL, 13, effective_usage_cell },
  { "FairShare", NULL, 10, fairshare_cell },
  { "LevelFS", NULL, 10, level_cell },
  { "GrpTRESMins", NULL, 30, limits_cell },
  { "TRESRunMins", NULL, 30, run_minutes_cell },
  { NULL, NULL, 0, NULL },
};

/* ---------------------------------------------------------------- which columns */

/* Where the order makes nothing of the root, that is not known; sshare says yes. */
static gboolean
is_fair_tree (const GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++) {
    const LkSshareRow *row = g_ptr_array_index (rows, i);
    if (row->has_parts)
      return row->parts.is_fair_tree != 0;
  }
  return TRUE;
}

static gboolean
has_column (const LkSshareLayout *layout, const GPtrArray *rows, guint i)
{
  switch (i) {
  case PARTITION:
    return layout->by_partition;
  case LEVEL:
    return layout->is_long && is_fair_tree (rows);
  case NORM_USAGE:
  case LIMITS:
  case RUN_MINUTES:
    return layout->is_long;
  default:
    return TRUE;
  }
}

char *
lk_sshare_wrong (const char *format)
{
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (LkField));
  char *wrong = NULL;
  lk_fields_parse (columns, format, chosen, &wrong);
  return wrong;
}

char *
lk_sshare_names (void)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < COLUMN_COUNT; i++)
    g_string_append_printf (out, "%s%s", i > 0 ? " " : "", columns[i].name);
  return g_string_free (out, FALSE);
}

static GArray *
columns_of (const LkSshareLayout *layout, const GPtrArray *rows)
{
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (LkField));
  g_autofree char *wrong = NULL;
  if (layout->format != NULL)
    lk_fields_parse (columns, layout->format, chosen, &wrong);
  for (guint i = 0; layout->format == NULL && i < COLUMN_COUNT; i++)
    if (has_column (layout, rows, i))
      g_array_append_val (chosen, columns[i]);
  return chosen;
}

/* An account is indented below the nearest account that is listed before it, and not at all where
 * its parent is not listed: slurmdb_tree_name_get. */
static void
indent (const GPtrArray *rows)
{
  g_autoptr (GHashTable) depths = g_hash_table_new (g_str_hash, g_str_equal); /* by account */
  for (guint i = 0; i < rows->len; i++) {
    LkSshareRow *row = g_ptr_array_index (rows, i);
    gboolean is_user = row->spec->user[0] != '\0';
    gpointer above;
    row->shown_depth = 0;
    if (g_hash_table_lookup_extended (depths, is_user ? row->spec->account : row->spec->parent,
                                      NULL, &above))
      row->shown_depth = GPOINTER_TO_UINT (above) + 1;
    if (!is_user)
      g_hash_table_insert (depths, row->spec->account, GUINT_TO_POINTER (row->shown_depth));
  }
}

void
lk_sshare_write (const LkSshareLayout *layout, const GPtrArray *rows, GString *out)
{
  indent (rows);
  g_autoptr (GArray) chosen = columns_of (layout, rows);
  lk_fields_heading (&layout->style, chosen, out);
  for (guint i = 0; i < rows->len; i++)
    lk_fields_row (&layout->style, chosen, layout, g_ptr_array_index (rows, i), out);
}

/* ---------------------------------------------------------------- which rows */

static gboolean
is_among (char **words, const char *word)
{
  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], word) == 0)
      return TRUE;
  return words == NULL;
}

gboolean
lk_sshare_wants (const LkSshareFilter *filter, const LkAssociationSpec *spec)
{
  gboolean is_user = spec->user[0] != '\0';
  if (!is_among (filter->accounts, spec->account) || (filter->only_users && !is_user))
    return FALSE;
  if (!is_user || filter->all_users)
    return TRUE;
  return filter->users != NULL ? is_among (filter->users, spec->user)
                               : strcmp (spec->user, filter->asker_name) == 0;
}

/* That of a user is his account; NULL: it is the root. */
static const LkAssociationSpec *
parent_of (const LkAccounts *accounts, const LkAssociationSpec *spec)
{
  if (spec->user[0] != '\0')
    return lk_accounts_find (accounts, spec->account, "", "");
  return spec->parent[0] != '\0' ? lk_accounts_find (accounts, spec->parent, "", "") : NULL;
}

void
lk_sshare_row_init (LkSshareRow *self, const LkAccounts *accounts, guint32 association)
{
  const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, association);
  g_autoptr (GString) lineage = g_string_new ("/"); /* so that no name is the beginning of one */
  *self = (LkSshareRow){ .association = association,
                         .spec = spec,
                         .shares = spec->shares,
                         .parts = { .size = sizeof (LkShareParts) },
                         .limits = "",
                         .run_minutes = "" };
  for (const LkAssociationSpec *above = parent_of (accounts, spec); above != NULL;
       spec = above, above = parent_of (accounts, spec)) {
    g_autofree char *step =
        spec->user[0] == '\0'
            ? g_strdup_printf ("/%s", spec->account)
            : g_strdup_printf ("/0-%s%s%s", spec->user, spec->partition[0] != '\0' ? "/" : "",
                               spec->partition);
    g_string_prepend (lineage, step);
    self->depth++;
  }
  self->lineage = g_string_free (g_steal_pointer (&lineage), FALSE);
}

void
lk_sshare_row_clear (LkSshareRow *self)
{
  g_clear_pointer (&self->lineage, g_free);
}

gint
lk_sshare_row_compare (gconstpointer a, gconstpointer b)
{
  const LkSshareRow *row_a = *(LkSshareRow *const *)a;
  const LkSshareRow *row_b = *(LkSshareRow *const *)b;
  gint order = strcmp (row_a->lineage, row_b->lineage);
  return order != 0 ? order
                    : (row_a->association > row_b->association)
                          - (row_a->association < row_b->association);
}
