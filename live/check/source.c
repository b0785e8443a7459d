/* live/check/source.c — see the header. */
#include "live/check/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#include "engine/journal.h"
#include "live/check/things.h"
#include "live/core/controller.h"
#include "policies/registry.h"

/* Of `lockstep up`. */
#define LAPTOP_JOURNAL "controller/" LK_CONTROLLER_JOURNAL

struct _LkCheckSource {
  LkSite *site; /* NULL: of a journal, which has all that follows */
  GMappedFile *journal;
  LkRegistry *registry;
  LkSetup *setup;
  LkEngine *engine;
  GString *accounts;
  LkJournalHeader header;
};

LkCheckSource *
lk_check_source_read (const char *conf_path, const LkCheckOptions *options,
                      const LkAccounts *accounts_now, LkFaults *faults)
{
  const LkSiteOptions site = { .conf_path = conf_path,
                               .accounts_path = options->accounts_path,
                               .plugin_paths = options->plugin_paths,
                               .order = options->order,
                               .backfill = options->backfill,
                               .select = options->select,
                               .preempt = options->preempt,
                               .accounts_now = accounts_now };
  LkSite *read = lk_site_read (&site, faults);
  if (read == NULL)
    return NULL;
  LkCheckSource *self = g_new0 (LkCheckSource, 1);
  self->site = read;
  self->header = *lk_site_header (read);
  return self;
}

void
lk_check_source_free (LkCheckSource *self)
{
  if (self == NULL)
    return;
  lk_site_free (self->site);
  lk_engine_free (self->engine);
  lk_setup_free (self->setup);
  lk_registry_free (self->registry);
  if (self->accounts != NULL)
    g_string_free (self->accounts, TRUE);
  g_clear_pointer (&self->journal, g_mapped_file_unref);
  g_free (self);
}

/* ---------------------------------------------------------------- journals */

static gboolean
fail (GError **error, const char *path, const char *what)
{
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "journal '%s': %s", path, what);
  return FALSE;
}

static gboolean
plugins_add (LkRegistry *registry, char *const *paths, GError **error)
{
  for (guint i = 0; paths != NULL && paths[i] != NULL; i++)
    if (lk_registry_add_plugin (registry, paths[i], error) == NULL)
      return FALSE;
  return TRUE;
}

/* What it began with, and the engine of that. */
static gboolean
journal_begin (LkCheckSource *self, const char *path, const LkCheckOptions *options, GError **error)
{
  LkPolicyError fault = { "" };
  self->registry = lk_registry_new ();
  if (!plugins_add (self->registry, options->plugin_paths, error))
    return FALSE;
  self->setup = lk_setup_new_from_header (self->registry, &self->header, error);
  if (self->setup == NULL) {
    g_prefix_error (error, "journal '%s': ", path);
    return FALSE;
  }
  self->engine = lk_engine_new (lk_setup_config (self->setup), &fault);
  return self->engine != NULL || fail (error, path, "its policies refuse their parameters");
}

/* Its end may be being written; what is wrong before whole batches is not. */
static gboolean
journal_replay (LkCheckSource *self, LkJournalReader *reader, const char *path, GError **error)
{
  LkEvent event;
  LkJournalState state;
  guint64 seq = 0;
  while ((state = lk_journal_reader_next (reader, &event)) == LK_JOURNAL_EVENT) {
    if (lk_engine_apply (self->engine, &event, NULL) != LK_STATUS_OK)
      return fail (error, path, "holds an event that the engine does not take");
    seq = event.seq;
  }
  gsize length_bytes = g_mapped_file_get_length (self->journal);
  const guint8 *bytes = (const guint8 *)g_mapped_file_get_contents (self->journal);
  if (state != LK_JOURNAL_CORRUPT
      || !lk_journal_has_batch_behind (bytes, length_bytes, lk_journal_reader_good_bytes (reader),
                                       seq))
    return TRUE;
  return fail (error, path, lk_journal_reader_fault (reader));
}

/* What is in force at its end. */
static void
journal_describe (LkCheckSource *self)
{
  lk_engine_config_described (self->engine, &self->header);
  const LkAccounts *accounts = lk_engine_accounts (self->engine);
  self->accounts = g_string_new (NULL);
  if (accounts != NULL)
    lk_accounts_text (accounts, self->accounts);
  self->header.accounts = (LkLongText){ self->accounts->str, (guint32)self->accounts->len };
}

static LkCheckSource *
journal_open (const char *path, const LkCheckOptions *options, GError **error)
{
  const char *fault = NULL;
  g_autoptr (LkCheckSource) self = g_new0 (LkCheckSource, 1);
  self->journal = g_mapped_file_new (path, FALSE, error);
  if (self->journal == NULL)
    return NULL;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new ((const guint8 *)g_mapped_file_get_contents (self->journal),
                             g_mapped_file_get_length (self->journal), &self->header, &fault);
  if (reader == NULL) {
    fail (error, path, fault);
    return NULL;
  }
  if (!journal_begin (self, path, options, error) || !journal_replay (self, reader, path, error))
    return NULL;
  journal_describe (self);
  return g_steal_pointer (&self);
}

/* ---------------------------------------------------------------- what a path is */

static gboolean
is_journal (const char *path)
{
  char magic[LK_JOURNAL_MAGIC_BYTES];
  FILE *file = fopen (path, "rbe");
  gboolean is_one = file != NULL && fread (magic, 1, sizeof magic, file) == sizeof magic
                    && memcmp (magic, LK_JOURNAL_MAGIC, sizeof magic) == 0;
  if (file != NULL)
    fclose (file);
  return is_one;
}

/* The file of a folder that says most of what is in force: a journal goes before. Returns:
 * (transfer full); NULL: there is none. */
static char *
folder_file (const char *folder)
{
  static const char *const names[] = { LK_CONTROLLER_JOURNAL, LAPTOP_JOURNAL, "slurm.conf",
                                       "lockstep.conf" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    char *path = g_build_filename (folder, names[i], NULL);
    GStatBuf status;
    /* What is hidden from who asks is there: another file must not be taken for it. */
    if (g_stat (path, &status) == 0 ? S_ISREG (status.st_mode) : errno == EACCES)
      return path;
    g_free (path);
  }
  return NULL;
}

LkCheckSource *
lk_check_source_open (const char *path, const LkCheckOptions *options, LkFaults *faults,
                      GError **error)
{
  gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  g_autofree char *file = is_folder ? folder_file (path) : g_strdup (path);
  if (file == NULL) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                 "'%s' holds no journal of a controller, no slurm.conf and no lockstep.conf", path);
    return NULL;
  }
  return is_journal (file) ? journal_open (file, options, error)
                           : lk_check_source_read (file, options, NULL, faults);
}

/* ---------------------------------------------------------------- what it says */

const LkJournalHeader *
lk_check_source_header (const LkCheckSource *self)
{
  return &self->header;
}

const LkEngine *
lk_check_source_engine (const LkCheckSource *self)
{
  return self->engine;
}

const LkSite *
lk_check_source_site (const LkCheckSource *self)
{
  return self->site;
}

static void
policy_add (GPtrArray *things, const char *seam, LkText spec)
{
  g_autofree char *text = g_strndup (spec.bytes, spec.length_bytes);
  lk_things_add_policy (things, seam, text);
}

static void
setting_take (gpointer user, const char *key, const char *value)
{
  LkThing *thing = lk_things_add (user, "key", key);
  lk_thing_add_member (thing, "value", value);
}

GPtrArray *
lk_check_source_things (const LkCheckSource *self)
{
  GPtrArray *things = lk_things_new ();
  const LkJournalHeader *header = &self->header;
  lk_things_add_cluster (things, header->cluster.bytes, header->cluster.length_bytes);
  lk_things_add_accounts (things, header->accounts.bytes, header->accounts.length_bytes);
  policy_add (things, "order", header->order);
  policy_add (things, "backfill", header->backfill);
  policy_add (things, "select", header->select);
  policy_add (things, "limits", header->limits);
  policy_add (things, "preempt", header->preempt);
  if (self->site != NULL)
    lk_site_settings_each (lk_site_settings (self->site), setting_take, things);
  return things;
}
