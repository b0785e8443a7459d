/* live/client/sacctmgr/sacctmgr_table.c — what the tables of `sacctmgr show` that are made of the
 * file of accounting have in common: their conditions, the file, and how their rows are told. */
#include <sqlite3.h>

#include "live/client/accounting/sacct.h"
#include "live/client/sacctmgr/sacctmgr.h"

gboolean
lk_sacctmgr_conditions_take (const LkClient *client, char **words,
                             gboolean (*take) (gpointer self, const char *word), gpointer self)
{
  for (char **word = words; *word != NULL; word++)
    if (!take (self, *word)) {
      fprintf (client->err, " Unknown condition: %s\n", *word);
      return FALSE;
    }
  return TRUE;
}

gboolean
lk_sacctmgr_book_read (const LkClient *client, gboolean (*read) (gpointer self, sqlite3 *db),
                       gpointer self)
{
  sqlite3 *db = lk_sacct_book_open (client);
  if (db == NULL)
    return FALSE;
  gboolean is_good = read (self, db);
  if (!is_good)
    lk_client_error (client, "accounting: %s", sqlite3_errmsg (db));
  sqlite3_close (db);
  return is_good;
}

int
lk_sacctmgr_table_print (const LkClient *client, const LkSacctmgrOptions *options,
                         const LkSacctmgrTable *table)
{
  const LkFieldStyle style = { .no_heading = options->no_header,
                               .is_parsable = options->parsable,
                               .is_parsable2 = options->parsable2 };
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (LkField));
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *wrong = NULL;
  if (!lk_fields_parse (table->fields, table->columns, chosen, &wrong)) {
    fprintf (client->err, " Unknown field '%s'\n", wrong);
    return LK_SACCTMGR_FAILURE;
  }
  lk_fields_heading (&style, chosen, out);
  for (guint i = 0; i < table->rows->len; i++)
    lk_fields_row (&style, chosen, table->report, g_ptr_array_index (table->rows, i), out);
  fwrite (out->str, 1, out->len, client->out);
  return 0;
}
