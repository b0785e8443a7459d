/* live/client/sacctmgr/sacctmgr_config.c — `sacctmgr show config`: where accounting is, and what is
 * enforced. */
#include <sqlite3.h>
#include <string.h>

#include "live/client/commands.h"
#include "live/client/accounting/sacct.h"
#include "live/client/sacctmgr/sacctmgr.h"
#include "live/client/words.h"

static void
line (const LkClient *client, const char *key, const char *value)
{
  fprintf (client->out, "%-24s = %s\n", key, value);
}

/* What is in force is the controller's; without accounts nothing is enforced. */
static void
accounts_print (const LkClient *client, const LkAccounts *accounts)
{
  static const struct {
    guint32 bit;
    const char *word;
  } known[] = { { LK_ENFORCE_ASSOCIATIONS, "associations" },
                { LK_ENFORCE_LIMITS, "limits" },
                { LK_ENFORCE_QOS, "qos" },
                { LK_ENFORCE_SAFE, "safe" } };
  g_autoptr (GString) enforced = g_string_new (NULL);
  g_autoptr (GString) tres = g_string_new (NULL);
  for (guint i = 0; accounts != NULL && i < G_N_ELEMENTS (known); i++)
    if ((accounts->enforce & known[i].bit) != 0)
      g_string_append_printf (enforced, "%s%s", enforced->len > 0 ? "," : "", known[i].word);
  for (guint i = 0; accounts != NULL && i < accounts->tres->len; i++)
    g_string_append_printf (tres, "%s%s", i > 0 ? "," : "",
                            (char *)g_ptr_array_index (accounts->tres, i));
  line (client, "AccountingStorageEnforce", enforced->len > 0 ? enforced->str : "none");
  if (accounts != NULL)
    line (client, "AccountingStorageTRES", tres->str);
  line (client, "ClusterName", accounts != NULL ? accounts->cluster : "(null)");
}

int
lk_sacctmgr_config (LkClient *client, const LkSacctmgrOptions *options)
{
  g_autofree char *path = lk_sacct_book_path (client);
  g_autoptr (GString) now = g_string_new (NULL);
  g_autoptr (LkAccounts) accounts = NULL;
  gboolean is_file = g_file_test (path, G_FILE_TEST_EXISTS);
  (void)options;
  if (!lk_client_accounts_or_none (client, &accounts))
    return LK_SACCTMGR_FAILURE;
  lk_word_time (client, client->now_us, "", now);
  fprintf (client->out, "Configuration data as of %s\n", now->str);
  accounts_print (client, accounts);
  line (client, "SLURM_CONF", client->conf_path != NULL ? client->conf_path : "(null)");
  line (client, "SLURM_VERSION", LK_CLIENT_SLURM_VERSION);
  line (client, "StorageLoc", path);
  line (client, "StorageState", is_file ? "present" : "missing");
  line (client, "StorageType", "sqlite");
  return 0;
}
