/* live/site/settings.c — see the header.
 *
 * Each row of the table is read on its own, so that one value that is wrong hides no other. */
#include "live/site/settings.h"

#include <stddef.h>
#include <string.h>

#include "engine/digest.h"
#include "engine/hostlist.h"
#include "engine/suggest.h"
#include "live/site/settings_values.h"
#include "traces/conf_pairs.h"
#include "traces/slurm_conf_private.h"

#define CGROUP_CONF "cgroup.conf"
#define CONTAINER_CONF "job_container.conf"

#define X(NAME, text) text,
static const char *const words_AUTH[] = { LK_SITE_AUTH_WORDS (X) NULL };
static const char *const words_AUTH_ALT[] = { LK_SITE_AUTH_ALT_WORDS (X) NULL };
static const char *const words_RETURN[] = { LK_SITE_RETURN_WORDS (X) NULL };
static const char *const words_PROCTRACK[] = { LK_SITE_PROCTRACK_WORDS (X) NULL };
static const char *const words_CGROUP[] = { LK_SITE_CGROUP_WORDS (X) NULL };
static const char *const words_HEALTH[] = { LK_SITE_HEALTH_WORDS (X) NULL };
static const char *const words_CONTAINER[] = { LK_SITE_CONTAINER_WORDS (X) NULL };
static const char *const words_LOG[] = { LK_SITE_LOG_WORDS (X) NULL };
#undef X

typedef enum {
  KIND_TEXT,
  KIND_PATH,
  KIND_LIST,
  KIND_WORD,
  KIND_SWITCH,
  KIND_COUNT,
  KIND_SECONDS,
  KIND_ENDLESS,
} Kind;

typedef struct {
  Kind kind;
  gsize offset;
  const char *key;
  const char *fallback;
  guint64 minimum;
  guint64 maximum;
  const char *const *words; /* of KIND_WORD */
  const char *help;
} Row;

#define ROW(kind, member, key, fallback, minimum, maximum, words, help)                            \
  { kind, offsetof (LkSiteSettings, member), key, fallback, minimum, maximum, words, help },
#define ROW_TEXT(...) ROW_PLAIN (KIND_TEXT, __VA_ARGS__)
#define ROW_PATH(...) ROW_PLAIN (KIND_PATH, __VA_ARGS__)
#define ROW_LIST(...) ROW_PLAIN (KIND_LIST, __VA_ARGS__)
#define ROW_SWITCH(...) ROW_PLAIN (KIND_SWITCH, __VA_ARGS__)
#define ROW_COUNT(...) ROW_PLAIN (KIND_COUNT, __VA_ARGS__)
#define ROW_SECONDS(...) ROW_PLAIN (KIND_SECONDS, __VA_ARGS__)
#define ROW_ENDLESS(...) ROW_PLAIN (KIND_ENDLESS, __VA_ARGS__)
#define ROW_PLAIN(kind, member, key, fallback, minimum, maximum, help)                             \
  ROW (kind, member, key, fallback, minimum, maximum, NULL, help)
#define ROW_WORD(member, key, fallback, minimum, list, help)                                       \
  ROW (KIND_WORD, member, key, fallback, minimum, 0, words_##list, help)
#define X(kind, ...) ROW_##kind (__VA_ARGS__)
static const Row conf_rows[] = { LK_SITE_KEYS (X) };
static const Row cgroup_rows[] = { LK_SITE_CGROUP_KEYS (X) };
static const Row container_rows[] = { LK_SITE_CONTAINER_KEYS (X) };
#undef X

/* Of slurm.conf; NULL: none is of that key. */
static const Row *
row_of (const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (conf_rows); i++)
    if (g_ascii_strcasecmp (conf_rows[i].key, key) == 0)
      return &conf_rows[i];
  return NULL;
}

static gpointer
member_of (LkSiteSettings *self, const Row *row)
{
  return (char *)self + row->offset;
}

/* ---------------------------------------------------------------- one value */

static gboolean
path_read (const LkSlurmPair *pair, char **out_path, GError **error)
{
  if (*pair->value != '\0' && !g_path_is_absolute (pair->value))
    return lk_conf_fail (pair, error, "an absolute path");
  g_free (*out_path);
  *out_path = g_strdup (pair->value);
  return TRUE;
}

static gboolean
seconds_read (const Row *row, const LkSlurmPair *pair, gint64 *out_time_us, GError **error)
{
  guint64 seconds = 0;
  if (row->kind == KIND_ENDLESS && lk_slurm_text_is_unlimited (pair->value)) {
    *out_time_us = LK_SITE_ENDLESS_US;
    return TRUE;
  }
  if (!lk_slurm_value_number (pair, row->minimum, row->maximum, &seconds, error))
    return FALSE;
  *out_time_us = (gint64)seconds * G_USEC_PER_SEC;
  if (row->kind == KIND_ENDLESS && seconds == 0)
    *out_time_us = LK_SITE_ENDLESS_US;
  return TRUE;
}

static gboolean
value_read (const Row *row, const LkSlurmPair *pair, gpointer member, GError **error)
{
  switch (row->kind) {
  case KIND_TEXT:
    g_free (*(char **)member);
    *(char **)member = g_strdup (pair->value);
    return TRUE;
  case KIND_PATH:
    return path_read (pair, member, error);
  case KIND_WORD:
    return lk_conf_word (pair, pair->value, row->words, member, error);
  case KIND_SWITCH:
    return lk_slurm_value_switch (pair, member, error);
  case KIND_COUNT:
    return lk_slurm_value_count (pair, (guint32)row->minimum, (guint32)row->maximum, member, error);
  default:
    return seconds_read (row, pair, member, error);
  }
}

/* ---------------------------------------------------------------- one file */

static void
fault_take (LkFaults *faults, GError *error)
{
  lk_faults_add (faults, LK_FAULT_ERROR, error->message);
  g_error_free (error);
}

/* Is one value of several what the key takes? */
static gboolean
entry_check (const Row *row, const LkSlurmPair *pair, GError **error)
{
  g_autofree char *name = NULL;
  g_autofree char *address = NULL;
  if (row->offset == offsetof (LkSiteSettings, controller_hosts))
    return lk_site_host_split (pair->value, &name, &address)
           || lk_conf_fail (pair, error, "NAME or NAME(ADDRESS)");
  if (row->offset == offsetof (LkSiteSettings, task_plugins))
    return TRUE;
  return g_path_is_absolute (pair->value) || lk_conf_fail (pair, error, "an absolute path");
}

/* The values of all lines with a key. */
static char **
list_read (const LkSlurmLines *lines, const Row *row, LkFaults *faults)
{
  GPtrArray *values = g_ptr_array_new ();
  for (guint i = 0; i < lines->lines->len; i++) {
    const GPtrArray *line = g_ptr_array_index (lines->lines, i);
    for (guint j = 0; j < line->len; j++) {
      GError *error = NULL;
      const LkSlurmPair *pair = g_ptr_array_index (line, j);
      if (g_ascii_strcasecmp (pair->key, row->key) != 0 || *pair->value == '\0')
        continue;
      if (entry_check (row, pair, &error))
        g_ptr_array_add (values, g_strdup (pair->value));
      else
        fault_take (faults, error);
    }
  }
  g_ptr_array_add (values, NULL);
  return (char **)g_ptr_array_free (values, FALSE);
}

/* What is said, or else what holds: `fallback` is made to it. */
static const LkSlurmPair *
pair_of (const Row *row, const LkConfPairs *conf, LkSlurmPair *fallback, LkFaults *faults)
{
  const Row *other = row_of (row->fallback);
  const LkSlurmPair *pair = conf != NULL ? lk_conf_pairs_get (conf, row->key) : NULL;
  if (pair == NULL && other != NULL && conf != NULL)
    pair = lk_conf_pairs_get (conf, other->key);
  *fallback = (LkSlurmPair){ .place = { "default", 0 },
                             .key = (char *)row->key,
                             .value = (char *)(other != NULL ? other : row)->fallback };
  const char *value = pair != NULL ? lk_site_value_of (pair, faults) : NULL;
  if (value != NULL)
    *fallback = (LkSlurmPair){ .place = pair->place, .key = pair->key, .value = (char *)value };
  return pair != NULL && value == NULL ? pair : fallback;
}

static void
row_read (LkSiteSettings *self, const Row *row, const LkConfPairs *conf, LkFaults *faults)
{
  GError *error = NULL;
  if (row->kind == KIND_LIST) {
    *(char ***)member_of (self, row) =
        conf != NULL ? list_read (conf->lines, row, faults) : g_new0 (char *, 1);
    return;
  }
  LkSlurmPair fallback;
  if (!value_read (row, pair_of (row, conf, &fallback, faults), member_of (self, row), &error))
    fault_take (faults, error);
}

/* Without a file (`conf` NULL) there are the defaults. */
static void
rows_read (LkSiteSettings *self, const LkConfPairs *conf, const Row *rows, guint count,
           LkFaults *faults)
{
  for (guint i = 0; i < count; i++)
    row_read (self, &rows[i], conf, faults);
}

/* ---------------------------------------------------------------- files beside slurm.conf */

/* FALSE: it is not there, or cannot be read, which is told. */
static gboolean
beside_open (LkConfPairs *self, const char *conf_path, const char *name, LkFaults *faults)
{
  GError *error = NULL;
  g_autofree char *folder = g_path_get_dirname (conf_path);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return FALSE;
  LkSlurmLines *lines = lk_slurm_lines_read (path, faults, &error);
  if (lines != NULL)
    lk_conf_pairs_init (self, lines);
  else
    fault_take (faults, error);
  return lines != NULL;
}

static void
beside_read (LkSiteSettings *self, const char *conf_path, const char *name, const Row *rows,
             guint count, LkFaults *faults)
{
  LkConfPairs conf;
  gboolean is_there = beside_open (&conf, conf_path, name, faults);
  rows_read (self, is_there ? &conf : NULL, rows, count, faults);
  if (is_there)
    lk_conf_pairs_clear (&conf);
}

/* ---------------------------------------------------------------- job_container.conf */

static void
container_clear (gpointer data)
{
  LkSiteFolders *self = data;
  g_free (self->nodes);
  g_free (self->base);
  g_free (self->dirs);
}

static void
dirs_check (const char *dirs, const LkSlurmPlace *place, LkFaults *faults)
{
  g_auto (GStrv) list = g_strsplit (dirs, ",", -1);
  for (guint i = 0; list[i] != NULL; i++) {
    GError *error = NULL;
    if (g_path_is_absolute (list[i]))
      continue;
    lk_slurm_fail (place, &error, "Dirs has '%s'; expected absolute paths with commas between",
                   list[i]);
    fault_take (faults, error);
  }
}

/* What a line says, and of what it does not say, what is said of all nodes. */
static void
container_line_read (LkSiteSettings *self, const GPtrArray *line, LkFaults *faults)
{
  LkSiteSettings own = { .container_base = g_strdup (self->container_base),
                         .makes_container_base = self->makes_container_base,
                         .container_dirs = g_strdup (self->container_dirs) };
  const LkSlurmPair *head = g_ptr_array_index (line, 0);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  GError *error = NULL;
  if (!lk_hostlist_expand (head->value, strlen (head->value), names, NULL)) {
    lk_conf_fail (head, &error, "names of nodes, such as n[1-4]");
    fault_take (faults, error);
  }
  for (guint i = 1; i < line->len; i++)
    for (guint j = 0; j < G_N_ELEMENTS (container_rows); j++) {
      const LkSlurmPair *pair = g_ptr_array_index (line, i);
      error = NULL;
      if (g_ascii_strcasecmp (container_rows[j].key, pair->key) == 0
          && !value_read (&container_rows[j], pair, member_of (&own, &container_rows[j]), &error))
        fault_take (faults, error);
    }
  dirs_check (own.container_dirs, &head->place, faults);
  LkSiteFolders folders = { g_strdup (head->value), own.container_base, own.makes_container_base,
                            own.container_dirs };
  g_array_append_val (self->folders, folders);
}

static gboolean
is_node_line (const GPtrArray *line)
{
  const LkSlurmPair *head = g_ptr_array_index (line, 0);
  return g_ascii_strcasecmp (head->key, "NodeName") == 0;
}

static void
containers_read (LkSiteSettings *self, const char *conf_path, LkFaults *faults)
{
  LkConfPairs conf;
  self->folders = g_array_new (FALSE, FALSE, sizeof (LkSiteFolders));
  g_array_set_clear_func (self->folders, container_clear);
  if (!beside_open (&conf, conf_path, CONTAINER_CONF, faults)) {
    rows_read (self, NULL, container_rows, G_N_ELEMENTS (container_rows), faults);
    return;
  }
  rows_read (self, &conf, container_rows, G_N_ELEMENTS (container_rows), faults);
  if (self->container_base == NULL) /* it is wrong, which has been told */
    self->container_base = g_strdup ("");
  const LkSlurmPair *dirs = lk_conf_pairs_get (&conf, "Dirs");
  if (dirs != NULL && self->container_dirs != NULL)
    dirs_check (self->container_dirs, &dirs->place, faults);
  for (guint i = 0; i < conf.lines->lines->len; i++)
    if (is_node_line (g_ptr_array_index (conf.lines->lines, i)))
      container_line_read (self, g_ptr_array_index (conf.lines->lines, i), faults);
  lk_conf_pairs_clear (&conf);
}

static void
container_check (const LkSiteSettings *self, const char *conf_path, LkFaults *faults)
{
  GError *error = NULL;
  g_autofree char *folder = g_path_get_dirname (conf_path);
  g_autofree char *path = g_build_filename (folder, CONTAINER_CONF, NULL);
  const LkSlurmPlace place = { path, 0 };
  gboolean is_missing = self->folders->len == 0 && *self->container_base == '\0';
  for (guint i = 0; i < self->folders->len; i++)
    is_missing |= *g_array_index (self->folders, LkSiteFolders, i).base == '\0';
  if (self->job_container != LK_SITE_CONTAINER_TMPFS || !is_missing)
    return;
  lk_slurm_fail (&place, &error,
                 "BasePath is missing, which JobContainerType=job_container/tmpfs needs");
  fault_take (faults, error);
}

char *
lk_site_plugstack_path (const LkSiteSettings *self, const char *conf_path)
{
  g_autofree char *folder = g_path_get_dirname (conf_path);
  return self->plugstack[0] != '\0' ? g_strdup (self->plugstack)
                                    : g_build_filename (folder, "plugstack.conf", NULL);
}

LkSiteFolders
lk_site_folders_of (const LkSiteSettings *self, const char *node)
{
  for (guint i = 0; i < self->folders->len; i++) {
    const LkSiteFolders *folders = &g_array_index (self->folders, LkSiteFolders, i);
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    lk_hostlist_expand (folders->nodes, strlen (folders->nodes), names, NULL);
    for (guint j = 0; j < names->len; j++)
      if (strcmp (g_ptr_array_index (names, j), node) == 0)
        return *folders;
  }
  return (LkSiteFolders){ NULL, self->container_base, self->makes_container_base,
                          self->container_dirs };
}

/* ---------------------------------------------------------------- keys of these files */

/* Of cgroup.conf(5) and job_container.conf(5), 17.11 to 26.05, without those that are read here. */
static const char *const cgroup_others[] = { "AllowedDevicesFile",
                                             "AllowedKmemSpace",
                                             "CgroupAutomount",
                                             "CgroupReleaseAgentDir",
                                             "CgroupSlice",
                                             "ConstrainKmemSpace",
                                             "EnableControllers",
                                             "EnableExtraControllers",
                                             "IgnoreSystemd",
                                             "IgnoreSystemdOnFailure",
                                             "Include",
                                             "MaxKmemPercent",
                                             "MemorySwappiness",
                                             "MinKmemSpace",
                                             "SignalChildrenProcesses",
                                             "SystemdTimeout",
                                             "TaskAffinity",
                                             NULL };
static const char *const container_others[] = { "CloneNSEpilog",
                                                "CloneNSEpilog_Wait",
                                                "CloneNSScript",
                                                "CloneNSScript_Wait",
                                                "EntireStepInNS",
                                                "Include",
                                                "InitScript",
                                                "Shared",
                                                NULL };

static gboolean
is_among (const char *const *names, const char *key)
{
  for (guint i = 0; names[i] != NULL; i++)
    if (g_ascii_strcasecmp (names[i], key) == 0)
      return TRUE;
  return FALSE;
}

/* `read`: those that have an effect, ending with NULL. */
static void
key_tell (const LkSlurmPair *pair, const char *const *read, const char *const *others,
          LkFaults *faults)
{
  GError *error = NULL;
  if (is_among (read, pair->key) || g_ascii_strcasecmp (pair->key, "Include") == 0)
    return;
  gboolean is_known = is_among (others, pair->key);
  const char *nearest = is_known ? NULL : lk_suggest (pair->key, read);
  if (!is_known && nearest == NULL)
    nearest = lk_suggest (pair->key, others);
  if (is_known)
    lk_slurm_fail (&pair->place, &error, "without effect here: %s", pair->key);
  else
    lk_slurm_fail (&pair->place, &error, "%s: no version of Slurm has this key%s%s%s", pair->key,
                   nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                   nearest != NULL ? "'?" : "");
  lk_faults_add (faults, is_known ? LK_FAULT_WARNING : LK_FAULT_ERROR, error->message);
  g_error_free (error);
}

static void
keys_tell (const LkConfPairs *conf, const char *const *read, const char *const *others,
           LkFaults *faults)
{
  for (guint i = 0; i < conf->lines->lines->len; i++) {
    const GPtrArray *line = g_ptr_array_index (conf->lines->lines, i);
    for (guint j = 0; j < line->len; j++)
      key_tell (g_ptr_array_index (line, j), read, others, faults);
  }
}

static void
beside_keys (const char *conf_path, const char *name, const char *const *read,
             const char *const *others, LkFaults *faults)
{
  LkConfPairs conf;
  if (!beside_open (&conf, conf_path, name, faults))
    return;
  keys_tell (&conf, read, others, faults);
  lk_conf_pairs_clear (&conf);
}

void
lk_site_settings_keys (const char *conf_path, LkFaults *faults)
{
#define X(kind, member, key, ...) key,
  static const char *const cgroup_keys[] = { LK_SITE_CGROUP_KEYS (X) NULL };
  static const char *const container_keys[] = { LK_SITE_CONTAINER_KEYS (X) "NodeName", NULL };
#undef X
  beside_keys (conf_path, CGROUP_CONF, cgroup_keys, cgroup_others, faults);
  beside_keys (conf_path, CONTAINER_CONF, container_keys, container_others, faults);
}

static void
tokens_check (const LkSiteSettings *self, const char *conf_path, LkFaults *faults)
{
  GError *error = NULL;
  const LkSlurmPlace place = { conf_path, 0 };
  LkSiteTokens tokens = { NULL };
  if (self->auth_alt_parameters == NULL)
    return;
  gboolean is_read = lk_site_tokens_read (self->auth_alt_parameters, &tokens);
  g_free (tokens.key);
  if (is_read)
    return;
  lk_slurm_fail (&place, &error,
                 "AuthAltParameters is '%s'; expected jwt_key=PATH, disable_token_creation or "
                 "max_token_lifespan=SECONDS, with commas between (jwks= is not supported: tokens "
                 "are signed with a key, by HS256)",
                 self->auth_alt_parameters);
  fault_take (faults, error);
}

/* ---------------------------------------------------------------- all files */

gboolean
lk_site_settings_read_all (LkSiteSettings *self, const char *conf_path, const LkConfPairs *conf,
                           LkFaults *faults)
{
  guint before = lk_faults_count (faults, LK_FAULT_ERROR);
  *self = (LkSiteSettings){ 0 };
  rows_read (self, conf, conf_rows, G_N_ELEMENTS (conf_rows), faults);
  beside_read (self, conf_path, CGROUP_CONF, cgroup_rows, G_N_ELEMENTS (cgroup_rows), faults);
  containers_read (self, conf_path, faults);
  container_check (self, conf_path, faults);
  tokens_check (self, conf_path, faults);
  lk_site_bounds_check (self->controller_parameters, conf_path, faults);
  if (self->cluster_name != NULL) {
    char *lower = g_ascii_strdown (self->cluster_name, -1);
    g_free (self->cluster_name);
    self->cluster_name = lower;
  }
  if (lk_faults_count (faults, LK_FAULT_ERROR) == before)
    return TRUE;
  lk_site_settings_clear (self);
  return FALSE;
}

gboolean
lk_site_settings_read (LkSiteSettings *self, const char *conf_path, GPtrArray *errors)
{
  GError *error = NULL;
  g_autoptr (LkFaults) faults = lk_faults_new ();
  g_autoptr (LkSlurmLines) lines = lk_slurm_lines_read (conf_path, faults, &error);
  LkConfPairs conf;
  if (lines == NULL) {
    g_ptr_array_add (errors, g_strdup (error->message));
    g_error_free (error);
    return FALSE;
  }
  lk_conf_pairs_init_all (&conf, lines, faults);
  gboolean is_good = lk_site_settings_read_all (self, conf_path, &conf, faults);
  lk_conf_pairs_clear (&conf);
  if (is_good && lk_faults_count (faults, LK_FAULT_ERROR) > 0) {
    lk_site_settings_clear (self);
    is_good = FALSE;
  }
  lk_faults_append_messages (faults, LK_FAULT_ERROR, errors);
  return is_good;
}

static void
rows_clear (LkSiteSettings *self, const Row *rows, guint count)
{
  for (guint i = 0; i < count; i++) {
    gpointer member = member_of (self, &rows[i]);
    if (rows[i].kind == KIND_TEXT || rows[i].kind == KIND_PATH)
      g_free (*(char **)member);
    else if (rows[i].kind == KIND_LIST)
      g_strfreev (*(char ***)member);
  }
}

void
lk_site_settings_clear (LkSiteSettings *self)
{
  rows_clear (self, conf_rows, G_N_ELEMENTS (conf_rows));
  rows_clear (self, cgroup_rows, G_N_ELEMENTS (cgroup_rows));
  rows_clear (self, container_rows, G_N_ELEMENTS (container_rows));
  g_clear_pointer (&self->folders, g_array_unref);
  *self = (LkSiteSettings){ 0 };
}

gboolean
lk_site_settings_heed (const char *key)
{
  return row_of (key) != NULL;
}

/* ---------------------------------------------------------------- texts */

gboolean
lk_site_host_split (const char *entry, char **out_name, char **out_address)
{
  gsize name_bytes = strcspn (entry, "(");
  const char *end = strchr (entry, ')');
  gboolean has_address = entry[name_bytes] == '(';
  const char *address = entry + name_bytes + 1;
  if (name_bytes == 0 || strpbrk (entry, " \t,") != NULL)
    return FALSE;
  if (has_address && (end == NULL || end[1] != '\0' || end == address))
    return FALSE;
  if (!has_address && end != NULL)
    return FALSE;
  *out_name = g_strndup (entry, name_bytes);
  *out_address = has_address ? g_strndup (address, (gsize)(end - address)) : g_strdup (*out_name);
  return TRUE;
}

static gboolean
token_word_read (const char *word, LkSiteTokens *tokens)
{
  static const char key[] = "jwt_key=";
  static const char life[] = "max_token_lifespan=";
  if (g_ascii_strcasecmp (word, "disable_token_creation") == 0) {
    tokens->are_trusted = TRUE;
    return TRUE;
  }
  if (g_ascii_strncasecmp (word, life, strlen (life)) == 0)
    return g_ascii_string_to_unsigned (word + strlen (life), 10, 1, G_MAXINT32, &tokens->life_max_s,
                                       NULL);
  if (g_ascii_strncasecmp (word, key, strlen (key)) != 0
      || !g_path_is_absolute (word + strlen (key)))
    return FALSE;
  g_free (tokens->key);
  tokens->key = g_strdup (word + strlen (key));
  return TRUE;
}

gboolean
lk_site_tokens_read (const char *parameters, LkSiteTokens *out_tokens)
{
  LkSiteTokens tokens = { NULL };
  g_auto (GStrv) words = g_strsplit (parameters, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\0' && !token_word_read (words[i], &tokens)) {
      g_free (tokens.key);
      return FALSE;
    }
  *out_tokens = tokens;
  return TRUE;
}

char *
lk_site_path_expand (const char *pattern, const char *host, const char *node)
{
  GString *out = g_string_new (NULL);
  for (const char *at = pattern; *at != '\0'; at++)
    if (at[0] == '%' && at[1] == '%') {
      g_string_append_c (out, '%');
      at++;
    } else if (at[0] == '%' && (at[1] == 'h' || at[1] == 'n')) {
      g_string_append (out, at[1] == 'h' ? host : node);
      at++;
    } else {
      g_string_append_c (out, *at);
    }
  return g_string_free (out, FALSE);
}

static void
text_digest (LkDigest *digest, const char *text)
{
  lk_digest_add (digest, (const guint8 *)text, strlen (text));
}

static void
member_digest (LkDigest *digest, const LkSiteSettings *self, const Row *row)
{
  const void *member = (const char *)self + row->offset;
  char *const *list;
  switch (row->kind) {
  case KIND_TEXT:
  case KIND_PATH:
    text_digest (digest, *(char *const *)member);
    break;
  case KIND_LIST:
    list = *(char **const *)member;
    for (guint i = 0; list != NULL && list[i] != NULL; i++)
      text_digest (digest, list[i]);
    break;
  case KIND_WORD:
  case KIND_SWITCH:
  case KIND_COUNT:
    lk_digest_add (digest, member, sizeof (guint32));
    break;
  default:
    lk_digest_add (digest, member, sizeof (gint64));
  }
}

guint64
lk_site_settings_digest (const LkSiteSettings *self)
{
  LkDigest digest;
  lk_digest_init (&digest);
  for (guint i = 0; i < G_N_ELEMENTS (conf_rows); i++)
    member_digest (&digest, self, &conf_rows[i]);
  for (guint i = 0; i < G_N_ELEMENTS (cgroup_rows); i++)
    member_digest (&digest, self, &cgroup_rows[i]);
  for (guint i = 0; i < G_N_ELEMENTS (container_rows); i++)
    member_digest (&digest, self, &container_rows[i]);
  for (guint i = 0; i < self->folders->len; i++) {
    const LkSiteFolders *folders = &g_array_index (self->folders, LkSiteFolders, i);
    text_digest (&digest, folders->nodes);
    text_digest (&digest, folders->base);
    text_digest (&digest, folders->makes_base ? "yes" : "no");
    text_digest (&digest, folders->dirs);
  }
  return lk_digest_value (&digest).low;
}

/* Returns: (transfer full). */
static char *
member_text (const LkSiteSettings *self, const Row *row)
{
  const void *member = (const char *)self + row->offset;
  gint64 time_us;
  switch (row->kind) {
  case KIND_TEXT:
  case KIND_PATH:
    return g_strdup (*(char *const *)member);
  case KIND_LIST:
    return g_strjoinv (",", *(char **const *)member);
  case KIND_WORD:
    return g_strdup (row->words[*(const guint *)member]);
  case KIND_SWITCH:
    return g_strdup (*(const gboolean *)member ? "yes" : "no");
  case KIND_COUNT:
    return g_strdup_printf ("%u", *(const guint32 *)member);
  default:
    time_us = *(const gint64 *)member;
    return time_us == LK_SITE_ENDLESS_US
               ? g_strdup ("UNLIMITED")
               : g_strdup_printf ("%" G_GINT64_FORMAT, time_us / G_USEC_PER_SEC);
  }
}

typedef struct {
  void (*take) (gpointer user, const char *key, const char *value);
  gpointer user;
} Taker;

static void
rows_tell (const LkSiteSettings *self, const Row *rows, guint count, const Taker *taker)
{
  for (guint i = 0; i < count; i++) {
    g_autofree char *value = member_text (self, &rows[i]);
    taker->take (taker->user, rows[i].key, value);
  }
}

static void
folders_tell (const LkSiteFolders *self, const char *name, const char *value, const Taker *taker)
{
  g_autofree char *key = g_strdup_printf ("NodeName=%s %s", self->nodes, name);
  taker->take (taker->user, key, value);
}

void
lk_site_settings_each (const LkSiteSettings *self,
                       void (*take) (gpointer user, const char *key, const char *value),
                       gpointer user)
{
  const Taker taker = { take, user };
  rows_tell (self, conf_rows, G_N_ELEMENTS (conf_rows), &taker);
  rows_tell (self, cgroup_rows, G_N_ELEMENTS (cgroup_rows), &taker);
  rows_tell (self, container_rows, G_N_ELEMENTS (container_rows), &taker);
  for (guint i = 0; i < self->folders->len; i++) {
    const LkSiteFolders *folders = &g_array_index (self->folders, LkSiteFolders, i);
    folders_tell (folders, "BasePath", folders->base, &taker);
    folders_tell (folders, "AutoBasePath", folders->makes_base ? "yes" : "no", &taker);
    folders_tell (folders, "Dirs", folders->dirs, &taker);
  }
}

static void
values_append (GString *out, const Row *row)
{
  static const char *const names[] = { "text", "path", "lines", NULL, "yes or no", "" };
  if (row->kind == KIND_WORD) {
    const char *between = "";
    for (guint i = 0; row->words[i] != NULL; i++)
      if (row->words[i][0] != '\0') {
        g_string_append_printf (out, "%s`%s`", between, row->words[i]);
        between = " ";
      }
  } else if (row->kind <= KIND_SWITCH) {
    g_string_append (out, names[row->kind]);
  } else {
    g_string_append_printf (out, "%s%" G_GUINT64_FORMAT "–%" G_GUINT64_FORMAT "%s",
                            row->kind == KIND_COUNT ? "" : "seconds, ", row->minimum, row->maximum,
                            row->kind >= KIND_ENDLESS ? " or `UNLIMITED`" : "");
  }
}

static void
table_append (GString *out, const char *file, const Row *rows, guint count)
{
  g_string_append_printf (out, "| %s | Values | Default | What it does |\n|---|---|---|---|\n",
                          file);
  for (guint i = 0; i < count; i++) {
    g_string_append_printf (out, "| `%s` | ", rows[i].key);
    values_append (out, &rows[i]);
    gboolean is_none = *rows[i].fallback == '\0';
    g_string_append_printf (out, " | %s%s%s | %s |\n", is_none ? "" : "`", rows[i].fallback,
                            is_none ? "" : "`", rows[i].help);
  }
}

void
lk_site_settings_markdown (GString *out)
{
  table_append (out, "slurm.conf", conf_rows, G_N_ELEMENTS (conf_rows));
  g_string_append_c (out, '\n');
  table_append (out, "cgroup.conf", cgroup_rows, G_N_ELEMENTS (cgroup_rows));
  g_string_append_c (out, '\n');
  table_append (out, "job_container.conf", container_rows, G_N_ELEMENTS (container_rows));
}
