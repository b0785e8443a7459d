/* sim/slurm_state/conf.c — see conf.h.
 *
 * Each file becomes one of slurm.conf's syntax with the same lines, in a folder that lives as long
 * as the reading, and slurm.conf includes them: so what is told of a line is told of that line. */
#include "sim/slurm_state/conf.h"

#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "policies/spec.h"
#include "sim/conf_backfill.h"
#include "sim/error.h"
#include "sim/slurm_state/told.h"
#include "traces/accounts_open.h"
#include "traces/preempt_conf.h"
#include "traces/slurm_conf_keys.h"

#define MAIN_FILE "slurm.conf"
/* Up to the release before it, the rules are those of 22.05. */
#define RELEASE_NEW 2302u

/* The files that are written, in this order. */
static const LkStateFile made_files[] = { LK_STATE_FILE_CONFIG,     LK_STATE_FILE_NODES,
                                          LK_STATE_FILE_PARTITIONS, LK_STATE_FILE_ACCOUNTS,
                                          LK_STATE_FILE_GRES,       LK_STATE_FILE_TOPOLOGY };

/* ---------------------------------------------------------------- text of slurm.conf */

/* KEY=VALUE as slurm.conf has it. */
static void
pair_put (GString *out, const char *key, const char *value)
{
  gboolean has_blank = strpbrk (value, " \t") != NULL;
  g_string_append_printf (out, "%s=%s", key, has_blank ? "\"" : "");
  for (const char *at = value; *at != '\0'; at++) {
    if (*at == '#' || *at == '\\')
      g_string_append_c (out, '\\');
    if (*at != '"')
      g_string_append_c (out, *at);
  }
  g_string_append (out, has_blank ? "\" " : " ");
}

/* Goes on to a line of the same number as in the file that was collected. */
static void
line_reach (GString *out, guint *line_number, guint wanted)
{
  for (; *line_number < wanted; (*line_number)++)
    g_string_append_c (out, '\n');
}

/* "30 sec" is 30: units stand behind numbers. */
static void
unit_strip (char *value)
{
  static const char *const units[] = { " sec", " min", " usec", " nodes/min", " percent" };
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_has_suffix (value, units[i])) {
      value[strlen (value) - strlen (units[i])] = '\0';
      return;
    }
}

/* What the daemon tells of itself beside its configuration. */
static gboolean
is_of_daemon (const char *key)
{
  static const char *const keys[] = { "BOOT_TIME",   "HASH_VAL",   "MULTIPLE_SLURMD",
                                      "NEXT_JOB_ID", "SLURM_CONF", "SLURM_VERSION",
                                      "SlurmUser",   "SlurmdUser", NULL };
  return g_strv_contains (keys, key) || strchr (key, '[') != NULL;
}

static gboolean
config_line (const LkStateFolder *folder, guint line_number, const char *line, GString *out,
             GError **error)
{
  const LkSlurmPlace place = { folder->paths[LK_STATE_FILE_CONFIG], line_number };
  const char *equals = strstr (line, " =");
  if (*line == '\0' || line_number == 1 || g_str_has_prefix (line, "Slurmctld(")
      || g_str_has_suffix (line, ":"))
    return TRUE;
  if (equals == NULL || !g_ascii_isalpha (line[0]))
    return lk_slurm_fail (&place, error, "found '%.40s'; expected KEY = VALUE", line);
  g_autofree char *key = g_strchomp (g_strndup (line, (gsize)(equals - line)));
  g_autofree char *value = g_strstrip (g_strdup (equals + 2));
  unit_strip (value);
  if (lk_state_is_nothing (value) || is_of_daemon (key))
    return TRUE;
  /* Of limits on memory: none. */
  if (strcmp (value, "UNLIMITED") == 0 && strstr (key, "Mem") != NULL)
    return TRUE;
  pair_put (out, key, value);
  return TRUE;
}

static gboolean
config_text (const LkStateFolder *folder, GString *out, GError **error)
{
  gsize length_bytes;
  const char *text = g_bytes_get_data (folder->bytes[LK_STATE_FILE_CONFIG], &length_bytes);
  g_autofree char *copy = g_strndup (text, length_bytes);
  g_auto (GStrv) lines = g_strsplit (copy, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    if (!config_line (folder, i + 1, g_strstrip (lines[i]), out, error))
      return FALSE;
    g_string_append_c (out, '\n');
  }
  return TRUE;
}

/* "gpu:a100:2(S:0-1),shard:8(S:0)" without what is in parentheses. Returns: (transfer full). */
static char *
gres_strip (const char *gres)
{
  guint depth = 0;
  GString *out = g_string_new (NULL);
  for (const char *at = gres; *at != '\0'; at++) {
    depth += *at == '(';
    if (depth == 0)
      g_string_append_c (out, *at);
    depth -= *at == ')' && depth > 0;
  }
  return g_string_free (out, FALSE);
}

static void
node_line (const LkStateRecord *record, GString *out)
{
  static const char *const keys[][2] = {
    { "CPUTot", "CPUs" },
    { "Boards", "Boards" },
    { "Sockets", "Sockets" },
    { "CoresPerSocket", "CoresPerSocket" },
    { "Weight", "Weight" },
    { "ThreadsPerCore", "ThreadsPerCore" },
    { "TmpDisk", "TmpDisk" },
    { "AvailableFeatures", "Features" },
    { "RealMemory", "RealMemory" },
    { "CoreSpecCount", "CoreSpecCount" },
    { "MemSpecLimit", "MemSpecLimit" },
  };
  pair_put (out, "NodeName", lk_state_record_text (record, "NodeName"));
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    const char *value = lk_state_record_value (record, keys[i][0]);
    if (value != NULL)
      pair_put (out, keys[i][1], value);
  }
  const char *gres = lk_state_record_value (record, "Gres");
  const char *state = lk_state_record_value (record, "State");
  g_autofree char *bare = gres != NULL ? gres_strip (gres) : NULL;
  if (bare != NULL)
    pair_put (out, "Gres", bare);
  if (state != NULL && strstr (state, "FUTURE") != NULL)
    pair_put (out, "State", "FUTURE");
}

/* Is it the word for no limit at all? */
static gboolean
is_for_all (const LkStatePair *pair)
{
  gboolean is_list = g_str_has_prefix (pair->key, "Allow") || g_str_has_prefix (pair->key, "Deny");
  return (is_list && strcmp (pair->value, "ALL") == 0)
         || (strstr (pair->key, "Mem") != NULL && strcmp (pair->value, "UNLIMITED") == 0);
}

static void
partition_line (const LkStateFolder *folder, const LkStateRecord *record, GString *out)
{
  static const char *const told_only[] = { "State", "TotalCPUs", "TotalNodes",
                                           "TRES",  "NodeSets",  NULL };
  for (guint i = 0; i < record->pairs->len; i++) {
    const LkStatePair *pair = g_ptr_array_index (record->pairs, i);
    if (lk_state_is_nothing (pair->value) || is_for_all (pair)
        || g_strv_contains (told_only, pair->key))
      continue;
    if (strcmp (pair->key, "Exclusive") == 0)
      pair_put (out, strcmp (pair->value, "TOPO") == 0 ? "ExclusiveTopo" : "ExclusiveUser",
                strcmp (pair->value, "NO") == 0 ? "NO" : "YES");
    else if (lk_slurm_key_find (LK_SLURM_SCOPE_PARTITION, pair->key) != NULL)
      pair_put (out, pair->key, pair->value);
    else
      lk_told_pair (folder->told, record, pair->key, LK_SLURM_IGNORED,
                    "no partition is known to have this key");
  }
}

static void
records_text (const LkStateFolder *folder, const GPtrArray *records, gboolean are_nodes,
              GString *out)
{
  guint line_number = 1;
  for (guint i = 0; i < records->len; i++) {
    const LkStateRecord *record = g_ptr_array_index (records, i);
    line_reach (out, &line_number, record->place.line_number);
    if (are_nodes)
      node_line (record, out);
    else
      partition_line (folder, record, out);
  }
  g_string_append_c (out, '\n');
}

/* ---------------------------------------------------------------- the folder */

static char *
made_path (const char *folder_path, const LkStateFolder *folder, LkStateFile file)
{
  g_autofree char *name = g_path_get_basename (folder->paths[file]);
  return g_build_filename (folder_path, name, NULL);
}

static gboolean
file_write (const char *path, const char *text, gssize length_bytes, GError **error)
{
  return g_file_set_contents_full (path, text, length_bytes, G_FILE_SET_CONTENTS_NONE, 0600, error);
}

static gboolean
files_write (const char *made, const LkStateFolder *folder, const GPtrArray *nodes,
             const GPtrArray *partitions, GError **error)
{
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (made_files); i++) {
    LkStateFile file = made_files[i];
    if (folder->bytes[file] == NULL)
      continue;
    g_autoptr (GString) text = g_string_new (NULL);
    g_autofree char *path = made_path (made, folder, file);
    g_autofree char *name = g_path_get_basename (path);
    if (file == LK_STATE_FILE_CONFIG && !config_text (folder, text, error))
      return FALSE;
    if (file == LK_STATE_FILE_NODES || file == LK_STATE_FILE_PARTITIONS)
      records_text (folder, file == LK_STATE_FILE_NODES ? nodes : partitions,
                    file == LK_STATE_FILE_NODES, text);
    if (i < 3)
      g_string_append_printf (all, "Include %s\n", name);
    else
      g_string_append_len (text, g_bytes_get_data (folder->bytes[file], NULL),
                           (gssize)g_bytes_get_size (folder->bytes[file]));
    if (!file_write (path, text->str, (gssize)text->len, error))
      return FALSE;
  }
  g_autofree char *path = g_build_filename (made, MAIN_FILE, NULL);
  return file_write (path, all->str, (gssize)all->len, error);
}

static void
files_remove (const char *made, const LkStateFolder *folder)
{
  g_autofree char *main_path = g_build_filename (made, MAIN_FILE, NULL);
  g_unlink (main_path);
  for (guint i = 0; i < G_N_ELEMENTS (made_files); i++) {
    g_autofree char *path = made_path (made, folder, made_files[i]);
    g_unlink (path);
  }
  g_rmdir (made);
}

/* A text that names a file that was made, with the file that was collected. Returns: (transfer
 * full). */
static char *
place_back (const char *text, const char *made, const LkStateFolder *folder)
{
  g_auto (GStrv) pieces = g_strsplit (text, made, -1);
  return g_strjoinv (folder->path, pieces);
}

/* ---------------------------------------------------------------- reading */

static gboolean
machine_read (LkStateConf *self, const char *made, const LkStateFolder *folder, GError **error)
{
  g_autofree char *path = g_build_filename (made, MAIN_FILE, NULL);
  const LkSlurmImportOptions options = { .conf_path = path };
  g_autoptr (LkSlurmImport) import = lk_slurm_import_new (&options, error);
  if (import == NULL)
    return FALSE;
  g_autoptr (GString) text = g_string_new (NULL);
  lk_cluster_text (lk_slurm_import_cluster (import), text);
  LkClusterError cluster_error;
  self->cluster = lk_cluster_from_text (text->str, text->len, &cluster_error);
  const GPtrArray *rows = lk_slurm_import_report (import);
  for (guint i = 0; i < rows->len; i++) {
    const LkSlurmRow *row = g_ptr_array_index (rows, i);
    g_autofree char *file = place_back (row->file, made, folder);
    const LkSlurmPlace place = { file, row->line_number };
    const LkToldSubject subject = { &place, row->record, row->key, row->value };
    if (strcmp (row->key, "Include") != 0)
      lk_told_add (folder->told, &subject, row->verdict, "%s", row->how);
  }
  return TRUE;
}

/* "22.05.8" as 2205; 0: it is not told. */
static guint
release_of (const LkStateFolder *folder)
{
  gsize length_bytes;
  const char *text = g_bytes_get_data (folder->bytes[LK_STATE_FILE_CONFIG], &length_bytes);
  g_autofree char *copy = g_strndup (text, length_bytes);
  const char *at = strstr (copy, "\nSLURM_VERSION");
  const char *version = at != NULL ? strchr (at, '=') : NULL;
  guint year = 0;
  guint month = 0;
  if (version == NULL || sscanf (version, "= %2u.%2u", &year, &month) != 2)
    return 0;
  return year * 100 + month;
}

/* Rules differ by version: two sets of them are known.  Ends of running jobs are looked at in
 * windows as Slurm does, so that its plan can be compared. */
static void
version_heed (LkStateConf *self, const LkStateFolder *folder)
{
  guint release = release_of (folder);
  gboolean is_old = release > 0 && release < RELEASE_NEW;
  self->cluster->compat = is_old ? LK_COMPAT_SLURM_22_05 : LK_COMPAT_SLURM_26_05;
  if (self->accounts != NULL)
    self->accounts->compat = self->cluster->compat;
  g_autofree char *given = is_old ? g_strdup_printf ("slurm:release=%u,slurm_window=1", release)
                                  : g_strdup ("slurm:slurm_window=1");
  if (strcspn (self->backfill, ":") != strlen ("slurm")
      || !g_str_has_prefix (self->backfill, "slurm"))
    return;
  g_autofree char *base = g_steal_pointer (&self->backfill);
  self->backfill = lk_spec_merge (base, given);
}

static gboolean
specs_read (LkStateConf *self, const char *made, const LkStateFolder *folder, GError **error)
{
  g_autofree char *path = g_build_filename (made, MAIN_FILE, NULL);
  g_autofree char *accounts = made_path (made, folder, LK_STATE_FILE_ACCOUNTS);
  if (folder->bytes[LK_STATE_FILE_ACCOUNTS] != NULL) {
    self->accounts = lk_accounts_open (accounts, error);
    if (self->accounts == NULL || !lk_accounts_apply_slurm_conf (self->accounts, path, error))
      return FALSE;
  }
  self->order = lk_slurm_conf_order (path, error);
  self->backfill = self->order != NULL ? lk_conf_backfill (path, error) : NULL;
  self->preempt = self->backfill != NULL ? lk_slurm_conf_preempt (path, error) : NULL;
  if (self->preempt == NULL)
    return FALSE;
  if (self->accounts == NULL && g_str_has_prefix (self->preempt, "qos")) {
    /* Nobody has a QOS. */
    g_free (self->preempt);
    self->preempt = g_strdup ("none");
  }
  version_heed (self, folder);
  return TRUE;
}

gboolean
lk_state_conf_read (LkStateConf *self, const LkStateFolder *folder, const GPtrArray *nodes,
                    const GPtrArray *partitions, GError **error)
{
  *self = (LkStateConf){ 0 };
  g_autofree char *made = g_dir_make_tmp ("lockstep-state-XXXXXX", error);
  if (made == NULL)
    return FALSE;
  g_autoptr (GError) wrong = NULL;
  gboolean is_read = files_write (made, folder, nodes, partitions, &wrong)
                     && machine_read (self, made, folder, &wrong)
                     && specs_read (self, made, folder, &wrong);
  files_remove (made, folder);
  if (is_read)
    return TRUE;
  g_autofree char *text = place_back (wrong->message, made, folder);
  g_set_error_literal (error, wrong->domain, wrong->code, text);
  return FALSE;
}

void
lk_state_conf_clear (LkStateConf *self)
{
  g_clear_pointer (&self->cluster, lk_cluster_free);
  g_clear_pointer (&self->accounts, lk_accounts_free);
  g_clear_pointer (&self->order, g_free);
  g_clear_pointer (&self->backfill, g_free);
  g_clear_pointer (&self->preempt, g_free);
}
