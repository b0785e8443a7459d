/* sim/slurm_state/shares.c — see shares.h.
 *
 * The use of accounts is the sum of that of their users, and follows from it.  What is lost are the
 * digits behind the point, which sshare cuts. */
#include "sim/slurm_state/shares.h"

#include <string.h>

#include "sim/slurm_state/told.h"

enum { COLUMN_ACCOUNT, COLUMN_USER, COLUMN_PARTITION, COLUMN_USAGE, COLUMN_COUNT };

typedef struct {
  const LkStateFolder *folder;
  LkAccounts *accounts;
  gint places[COLUMN_COUNT]; /* of each column; -1: it is not there */
} Table;

static gboolean
heading_read (Table *self, const LkSlurmPlace *place, const char *line, GError **error)
{
  static const char *const names[] = { "Account", "User", "Partition", "RawUsage" };
  g_auto (GStrv) titles = g_strsplit (line, "|", -1);
  for (guint i = 0; i < COLUMN_COUNT; i++) {
    self->places[i] = -1;
    for (gint j = 0; titles[j] != NULL; j++)
      if (strcmp (titles[j], names[i]) == 0)
        self->places[i] = j;
    if (self->places[i] < 0 && i != COLUMN_PARTITION)
      return lk_slurm_fail (place, error, "there is no column %s; expected the output of %s",
                            names[i], lk_state_file_command (LK_STATE_FILE_SHARES));
  }
  return TRUE;
}

static const char *
cell (const Table *self, char **cells, guint column)
{
  gint place = self->places[column];
  return place >= 0 && (guint)place < g_strv_length (cells) ? cells[place] : "";
}

static gboolean
row_read (const Table *self, const LkSlurmPlace *place, const char *line, GError **error)
{
  guint64 usage = 0;
  g_auto (GStrv) cells = g_strsplit (line, "|", -1);
  const char *text = cell (self, cells, COLUMN_USAGE);
  g_autofree char *account = g_ascii_strdown (cell (self, cells, COLUMN_ACCOUNT), -1);
  g_autofree char *user = g_ascii_strdown (cell (self, cells, COLUMN_USER), -1);
  g_strstrip (account);
  if (*g_strstrip (user) == '\0')
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, &usage, NULL))
    return lk_slurm_fail (place, error, "RawUsage is '%s'; expected a whole number", text);
  LkAssociationSpec *spec =
      lk_accounts_find (self->accounts, account, user, cell (self, cells, COLUMN_PARTITION));
  const LkToldSubject subject = { place, account, user, text };
  if (spec != NULL && usage > 0)
    spec->usage = (double)usage;
  else if (spec == NULL && usage > 0)
    lk_told_add (self->folder->told, &subject, LK_SLURM_IGNORED,
                 "%s has no such association: its use is left out",
                 self->folder->paths[LK_STATE_FILE_ACCOUNTS]);
  return TRUE;
}

gboolean
lk_state_shares_read (const LkStateFolder *folder, LkAccounts *accounts, GError **error)
{
  Table table = { .folder = folder, .accounts = accounts };
  GBytes *bytes = folder->bytes[LK_STATE_FILE_SHARES];
  LkSlurmPlace place = { folder->paths[LK_STATE_FILE_SHARES], 0 };
  const LkToldSubject subject = { &place, "", lk_state_file_command (LK_STATE_FILE_SHARES), "" };
  if (bytes == NULL)
    return TRUE;
  if (accounts == NULL) {
    lk_told_add (folder->told, &subject, LK_SLURM_IGNORED,
                 "without accounts (sacctmgr dump) there is nobody whose use it is");
    return TRUE;
  }
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    place.line_number = i + 1;
    if (!g_utf8_validate (lines[i], -1, NULL))
      return lk_slurm_fail (&place, error, "expected text in UTF-8");
    if (i == 0 ? !heading_read (&table, &place, lines[i], error)
               : *lines[i] != '\0' && !row_read (&table, &place, lines[i], error))
      return FALSE;
  }
  return TRUE;
}
