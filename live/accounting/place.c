/* live/accounting/place.c — see the header. */
#include "live/accounting/place.h"

#include "live/accounting/store.h"
#include "traces/conf_pairs.h"

/* As in live/site/settings_schema.h. */
#define STATE_KEY "StateSaveLocation"
#define STATE_DEFAULT LK_ACCOUNTING_STATE_DIR "/controller"
#define CONTROLLER "controller"
#define JOURNAL "journal"

/* The controller's folder. Returns: (transfer full); NULL with an error. */
static char *
controller_folder (const char *conf_path, GError **error)
{
  LkConfPairs conf;
  g_autofree char *folder = g_path_get_dirname (conf_path);
  g_autofree char *beside = g_build_filename (folder, CONTROLLER, NULL);
  if (g_file_test (beside, G_FILE_TEST_IS_DIR))
    return g_steal_pointer (&beside);
  if (!lk_conf_pairs_read (&conf, conf_path, error))
    return NULL;
  const LkSlurmPair *pair = lk_conf_pairs_get (&conf, STATE_KEY);
  char *found = g_strdup (pair != NULL ? pair->value : STATE_DEFAULT);
  lk_conf_pairs_clear (&conf);
  return found;
}

char *
lk_accounting_place_journal (const char *conf_path, GError **error)
{
  g_autofree char *folder = controller_folder (conf_path, error);
  return folder != NULL ? g_build_filename (folder, JOURNAL, NULL) : NULL;
}

char *
lk_accounting_place_database (const char *conf_path, GError **error)
{
  g_autofree char *folder = controller_folder (conf_path, error);
  if (folder == NULL)
    return NULL;
  g_autofree char *above = g_path_get_dirname (folder);
  const char *const folders[] = { above, folder, LK_ACCOUNTING_CACHE_DIR };
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    char *path = g_build_filename (folders[i], LK_ACCOUNTING_FILE, NULL);
    if (g_file_test (path, G_FILE_TEST_EXISTS))
      return path;
    g_free (path);
  }
  return g_build_filename (above, LK_ACCOUNTING_FILE, NULL);
}
