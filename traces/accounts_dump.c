/* traces/accounts_dump.c — reads and writes dumps of sacctmgr. See the header. */
#include "traces/accounts_dump.h"

#include <string.h>

#include "engine/line_text.h"
#include "traces/accounts_edit.h"
#include "traces/slurm_conf_lines.h"

/* Above, six decimals do not fit. */
#define FIXED_REAL_MAX 1e15

static const char *const titles[] = { "Cluster", "Parent", "Account", "User", "QOS", NULL };

/* The head of each dump, as sacctmgr has it in shorter. */
static const char head[] =
    "# To edit this file start with a cluster line for the new cluster\n"
    "# Cluster - 'cluster_name':MaxTRESPerJob=node=50\n"
    "# Followed by Accounts you want in this fashion (root is created by default)...\n"
    "# Parent - 'root'\n"
    "# Account - 'cs':MaxJobs=4:Fairshare=399:Description='Computer Science':Organization='LC'\n"
    "# User - 'lipari':MaxJobs=3:Fairshare=1\n"
    "# Accounts stand behind a line of their Parent, which was created above.\n";

/* ---------------------------------------------------------------- words */

const char *
lk_accounts_dump_title (const char *line, const char **out_rest)
{
  for (guint i = 0; titles[i]; i++) {
    gsize length_bytes = strlen (titles[i]);
    if (g_ascii_strncasecmp (line, titles[i], length_bytes) != 0)
      continue;
    const char *at = line + length_bytes;
    while (*at == ' ' || *at == '\t')
      at++;
    if (*at != '-')
      continue;
    for (at++; g_ascii_isspace (*at);)
      at++;
    *out_rest = at;
    return titles[i];
  }
  return NULL;
}

/* Is a colon inside a TRES, as in gres/gpu:a100=4?  Then a slash is before it in the same word. */
static gboolean
colon_is_of_tres (const char *start, const char *colon)
{
  for (const char *at = colon; at > start; at--)
    if (strchr ("=,:\"'", at[-1]))
      return FALSE;
    else if (at[-1] == '/')
      return TRUE;
  return FALSE;
}

/* The end of an option that begins at `text`; NULL when a quote is open. */
static const char *
option_end (const char *text)
{
  const char *at = text;
  while ((at = lk_accounts_word_end (at, ":")) != NULL && *at != '\0'
         && colon_is_of_tres (text, at))
    at++;
  return at;
}

/* ---------------------------------------------------------------- reading */

/* What a line says is the default account of its user. */
typedef struct {
  LkSlurmPlace place;
  char *user;
  char *account;
} Default;

typedef struct {
  LkAccounts *accounts;
  LkSlurmPlace place;
  GHashTable *lines;   /* number of the line of each spec */
  GHashTable *members; /* "user,account" of all users so far */
  GPtrArray *defaults; /* of Default* */
  char *parent;        /* of the lines that follow */
  GPtrArray *settings; /* of LkAccountsSetting*, of this line */
  gboolean has_qos;    /* a QOS line came */
  gboolean has_cluster;
  LkFaults *faults; /* NULL: the first error ends it */
  gboolean is_faulty;
} Reader;

static void
setting_free (gpointer data)
{
  LkAccountsSetting *setting = data;
  g_free (setting->value);
  g_free (setting);
}

static gboolean
fail_problem (const Reader *self, GError **error, char *problem)
{
  lk_slurm_fail (&self->place, error, "%s", problem);
  g_free (problem);
  return FALSE;
}

/* The options behind a name. */
static gboolean
settings_read (Reader *self, guint scope, const char *end, GError **error)
{
  g_ptr_array_set_size (self->settings, 0);
  while (*end == ':') {
    const char *option = end + 1;
    end = option_end (option);
    if (!end)
      return lk_slurm_fail (&self->place, error, "a quote is not closed");
    g_autofree char *word = g_strstrip (g_strndup (option, (gsize)(end - option)));
    if (*word == '\0')
      continue;
    LkAccountsSetting *setting = g_new0 (LkAccountsSetting, 1);
    char *problem = NULL;
    g_ptr_array_add (self->settings, setting);
    if (!lk_accounts_setting_read (scope, word, setting, &problem))
      return fail_problem (self, error, problem);
  }
  return TRUE;
}

static const char *
setting_value (const Reader *self, LkOptionEffect effect)
{
  for (guint i = self->settings->len; i-- > 0;) {
    const LkAccountsSetting *setting = g_ptr_array_index (self->settings, i);
    if (setting->option->effect == effect)
      return setting->value;
  }
  return NULL;
}

static gboolean
association_apply (Reader *self, LkAssociationSpec *spec, GError **error)
{
  char *problem = NULL;
  g_hash_table_insert (self->lines, spec, GUINT_TO_POINTER (self->place.line_number));
  for (guint i = 0; i < self->settings->len; i++)
    if (!lk_accounts_association_apply (self->accounts, spec, g_ptr_array_index (self->settings, i),
                                        &problem))
      return fail_problem (self, error, problem);
  return TRUE;
}

/* A QOS may preempt one of a later line: lists are read when all are there. */
static gboolean
qos_read (Reader *self, const char *name, GError **error)
{
  if (self->has_cluster)
    return lk_slurm_fail (&self->place, error, "QOS '%s' below the Cluster line; expected above",
                          name);
  if (!self->has_qos) {
    g_ptr_array_set_size (self->accounts->qos, 0);
    lk_accounts_reindex (self->accounts);
  }
  self->has_qos = TRUE;
  if (lk_accounts_find_qos (self->accounts, name) != NULL)
    return lk_slurm_fail (&self->place, error, "QOS '%s' is there twice; expected it once", name);
  LkQosSpec *spec = lk_accounts_add_qos (self->accounts, name);
  g_hash_table_insert (self->lines, spec, GUINT_TO_POINTER (self->place.line_number));
  for (guint i = 0; i < self->settings->len; i++) {
    const LkAccountsSetting *setting = g_ptr_array_index (self->settings, i);
    char *problem = NULL;
    if (setting->option->effect == LK_OPTION_PREEMPT) {
      g_auto (GStrv) names = lk_accounts_names_split (setting->value);
      g_autofree char *list = g_strjoinv (",", names);
      lk_accounts_text_set (&spec->preempt, list);
    } else if (!lk_accounts_qos_apply (self->accounts, spec, setting, &problem)) {
      return fail_problem (self, error, problem);
    }
  }
  return TRUE;
}

static gboolean
cluster_read (Reader *self, const char *name, GError **error)
{
  if (self->has_cluster)
    return lk_slurm_fail (&self->place, error, "a second Cluster '%s'; expected one", name);
  self->has_cluster = TRUE;
  lk_accounts_text_set (&self->accounts->cluster, name);
  lk_accounts_text_set (&self->parent, "root");
  return association_apply (self, g_ptr_array_index (self->accounts->associations, 0), error);
}

static gboolean
parent_read (Reader *self, const char *name, GError **error)
{
  if (lk_accounts_find (self->accounts, name, "", "") == NULL)
    return lk_slurm_fail (&self->place, error,
                          "Parent '%s' has no Account line above; expected parents before their "
                          "children",
                          name);
  lk_accounts_text_set (&self->parent, name);
  return TRUE;
}

static gboolean
account_read (Reader *self, const char *name, GError **error)
{
  if (lk_accounts_find (self->accounts, name, "", "") != NULL)
    return lk_slurm_fail (&self->place, error, "account '%s' is there twice; expected it once",
                          name);
  return association_apply (self, lk_accounts_add_account (self->accounts, name, self->parent),
                            error);
}

static void
default_free (gpointer data)
{
  Default *self = data;
  g_free (self->user);
  g_free (self->account);
  g_free (self);
}

static void
default_note (Reader *self, const char *user, const char *account)
{
  Default *item = g_new0 (Default, 1);
  item->place = self->place;
  item->user = g_strdup (user);
  item->account = g_ascii_strdown (account, -1);
  g_ptr_array_add (self->defaults, item);
}

/* Is every user in its default account, which may stand below? */
static gboolean
defaults_check (const Reader *self, GError **error)
{
  for (guint i = 0; i < self->defaults->len; i++) {
    const Default *item = g_ptr_array_index (self->defaults, i);
    g_autofree char *key = g_strdup_printf ("%s,%s", item->user, item->account);
    if (!g_hash_table_contains (self->members, key))
      return lk_slurm_fail (&item->place, error, "DefaultAccount: user '%s' is not in account '%s'",
                            item->user, item->account);
  }
  return TRUE;
}

static gboolean
user_read (Reader *self, const char *name, GError **error)
{
  const char *partition = setting_value (self, LK_OPTION_PARTITIONS);
  const char *default_account = setting_value (self, LK_OPTION_DEFAULT_ACCOUNT);
  if (lk_accounts_find (self->accounts, self->parent, name, partition) != NULL)
    return lk_slurm_fail (&self->place, error,
                          "user '%s' is there twice in account '%s'; expected each association "
                          "once",
                          name, self->parent);
  LkAssociationSpec *spec = lk_accounts_add_user (self->accounts, name, self->parent, partition);
  g_hash_table_add (self->members, g_strdup_printf ("%s,%s", name, self->parent));
  if (default_account != NULL)
    default_note (self, name, default_account);
  spec->is_default =
      default_account != NULL && g_ascii_strcasecmp (default_account, self->parent) == 0;
  return association_apply (self, spec, error);
}

/* What the line is about; its settings are there. */
static gboolean
entity_read (Reader *self, const char *title, const char *name, GError **error)
{
  switch (title[0]) {
  case 'Q':
    return qos_read (self, name, error);
  case 'C':
    return cluster_read (self, name, error);
  case 'P':
    return parent_read (self, name, error);
  case 'A':
    return account_read (self, name, error);
  default:
    return user_read (self, name, error);
  }
}

static gboolean
line_read (Reader *self, const char *title, const char *text, GError **error)
{
  const char *end = option_end (text);
  g_autofree char *quoted = end ? g_strstrip (g_strndup (text, (gsize)(end - text))) : NULL;
  g_autofree char *bare = quoted ? lk_accounts_unquote (quoted) : NULL;
  g_autofree char *name = bare ? g_ascii_strdown (bare, -1) : NULL;
  if (!name)
    return lk_slurm_fail (&self->place, error, "a quote is not closed");
  if (*name == '\0')
    return lk_slurm_fail (&self->place, error, "%s without a name", title);
  guint scope = title[0] == 'Q' ? LK_OPTION_ON_QOS : LK_OPTION_ON_ASSOCIATION;
  return settings_read (self, scope, end, error) && entity_read (self, title, name, error);
}

static gboolean
lines_read (Reader *self, LkSlurmLogical *logical, GPtrArray *lines, GError **error)
{
  int got;
  while ((got = lk_slurm_logical_next (logical, error)) == 1) {
    const char *line = logical->text->str;
    const char *rest;
    line += strspn (line, " \t\r\f\v");
    self->place = lk_slurm_logical_place (logical, 0);
    if (*line == '\0')
      continue;
    const char *title = lk_accounts_dump_title (line, &rest);
    if (title == NULL)
      lk_slurm_fail (&self->place, error,
                     "'%.40s' begins no line of a dump; expected QOS, Cluster, Parent, "
                     "Account or User, as in Account - 'name':...",
                     line);
    gboolean is_good = title != NULL && line_read (self, title, rest, error);
    if (!is_good && !lk_faults_goes_on (self->faults, error))
      return FALSE;
    self->is_faulty = self->is_faulty || !is_good;
    if (is_good)
      lk_accounts_line_add (lines, self->place.line_number, TRUE, title, rest);
  }
  if (got == 0 && self->is_faulty)
    return FALSE;
  return got == 0 && defaults_check (self, error)
         && lk_accounts_check_at (self->accounts, logical->file, self->lines, error);
}

LkAccounts *
lk_accounts_dump_read (const char *name, GBytes *bytes, GPtrArray *lines, GError **error)
{
  return lk_accounts_dump_read_all (name, bytes, lines, NULL, error);
}

LkAccounts *
lk_accounts_dump_read_all (const char *name, GBytes *bytes, GPtrArray *lines, LkFaults *faults,
                           GError **error)
{
  g_autoptr (LkAccounts) accounts = lk_accounts_new (NULL);
  /* The user root comes from its line. */
  g_ptr_array_set_size (accounts->associations, 1);
  lk_accounts_reindex (accounts);
  Reader reader = {
    .accounts = accounts,
    .faults = faults,
    .lines = g_hash_table_new (g_direct_hash, g_direct_equal),
    .members = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .defaults = g_ptr_array_new_with_free_func (default_free),
    .parent = g_strdup ("root"),
    .settings = g_ptr_array_new_with_free_func (setting_free),
  };
  LkSlurmLogical logical;
  lk_slurm_logical_init (&logical, name, bytes);
  gboolean is_good = lines_read (&reader, &logical, lines, error);
  lk_slurm_logical_clear (&logical);
  g_ptr_array_unref (reader.settings);
  g_ptr_array_unref (reader.defaults);
  g_hash_table_unref (reader.members);
  g_hash_table_unref (reader.lines);
  g_free (reader.parent);
  return is_good ? g_steal_pointer (&accounts) : NULL;
}

/* ---------------------------------------------------------------- writing */

typedef struct {
  const LkAccounts *accounts;
  GString *out;
  const void *spec; /* of the line */
  gboolean is_wrong;
  char *problem;
} Writer;

/* A backslash before what would begin a comment or escape something. */
static void
append_escaped (GString *out, const char *text)
{
  for (; *text; text++) {
    if (*text == '#' || *text == '\\')
      g_string_append_c (out, '\\');
    g_string_append_c (out, *text);
  }
}

/* In quotes of the kind that it does not hold. */
static void
append_quoted (Writer *self, const char *text)
{
  char quote = strchr (text, '\'') ? '"' : '\'';
  if (strpbrk (text, "\n\r") || (quote == '"' && strchr (text, '"'))) {
    self->problem = lk_accounts_spec_title (self->accounts, self->spec);
    self->is_wrong = TRUE;
    return;
  }
  g_string_append_c (self->out, quote);
  append_escaped (self->out, text);
  g_string_append_c (self->out, quote);
}

static void
append_text (Writer *self, const char *key, const char *text)
{
  if (*text == '\0' || self->is_wrong)
    return;
  g_string_append_printf (self->out, ":%s=", key);
  append_quoted (self, text);
}

static void
append_count (Writer *self, const char *key, guint64 number)
{
  g_string_append_printf (self->out, ":%s=%" G_GUINT64_FORMAT, key, number);
}

/* With the six decimals of sacctmgr where they say it all. */
static void
append_real (Writer *self, const char *key, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  const char format[] = { '%', '.', '6', 'f', '\0' };
  g_string_append_printf (self->out, ":%s=", key);
  gboolean is_short = value < FIXED_REAL_MAX;
  if (is_short)
    g_ascii_formatd (text, sizeof text, format, value);
  if (is_short && g_ascii_strtod (text, NULL) == value)
    g_string_append (self->out, text);
  else
    lk_line_append_real (self->out, value);
}

/* The names that a dump has for some limits. */
static const char *
limit_key (guint32 kind)
{
  switch (kind) {
  case LK_LIMIT_MAX_JOBS_PER_USER:
    return "MaxJobsPU";
  case LK_LIMIT_MAX_JOBS_PER_ACCOUNT:
    return "MaxJobsPA";
  default:
    return lk_limit_kind_name (kind);
  }
}

/* In the order of sacctmgr. */
static const guint8 kind_order[LK_LIMIT_KIND_COUNT] = {
  LK_LIMIT_GRP_TRES_MINS,
  LK_LIMIT_GRP_TRES_RUN_MINS,
  LK_LIMIT_GRP_TRES,
  LK_LIMIT_GRP_JOBS,
  LK_LIMIT_GRP_JOBS_ACCRUE,
  LK_LIMIT_GRP_SUBMIT_JOBS,
  LK_LIMIT_GRP_WALL,
  LK_LIMIT_MAX_TRES_MINS_PER_JOB,
  LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT,
  LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER,
  LK_LIMIT_MAX_TRES_PER_ACCOUNT,
  LK_LIMIT_MAX_TRES_PER_JOB,
  LK_LIMIT_MAX_TRES_PER_NODE,
  LK_LIMIT_MAX_TRES_PER_USER,
  LK_LIMIT_MAX_JOBS,
  LK_LIMIT_MAX_JOBS_ACCRUE,
  LK_LIMIT_MAX_JOBS_PER_ACCOUNT,
  LK_LIMIT_MAX_JOBS_PER_USER,
  LK_LIMIT_MAX_JOBS_ACCRUE_PER_ACCOUNT,
  LK_LIMIT_MAX_JOBS_ACCRUE_PER_USER,
  LK_LIMIT_MAX_SUBMIT_JOBS,
  LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT,
  LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER,
  LK_LIMIT_MAX_WALL_PER_JOB,
  LK_LIMIT_MIN_PRIO_THRESHOLD,
  LK_LIMIT_MIN_TRES_PER_JOB,
};

static void
append_tres_limit (Writer *self, guint32 kind, const GString *list)
{
  /* A colon outside quotes would end it for sacctmgr. */
  const char *quote = strchr (list->str, ':') ? "'" : "";
  if (list->len == 0)
    return;
  g_string_append_printf (self->out, ":%s=%s", limit_key (kind), quote);
  append_escaped (self->out, list->str);
  g_string_append (self->out, quote);
}

static void
append_limits (Writer *self, const GArray *limits)
{
  for (guint at = 0; limits->len > 0 && at < LK_LIMIT_KIND_COUNT; at++) {
    guint32 kind = kind_order[at];
    g_autoptr (GString) list = g_string_new (NULL);
    for (guint i = 0; i < limits->len; i++) {
      const LkLimitItem *item = &g_array_index (limits, LkLimitItem, i);
      if (item->kind != kind)
        continue;
      if (lk_limit_kind_value (kind) < LK_LIMIT_TRES)
        append_count (self, limit_key (kind), item->value);
      else
        g_string_append_printf (list, "%s%s=%" G_GUINT64_FORMAT, list->len > 0 ? "," : "",
                                (char *)g_ptr_array_index (self->accounts->tres, item->tres),
                                item->value);
    }
    append_tres_limit (self, kind, list);
  }
}

static void
append_flags (Writer *self, guint32 flags)
{
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint bit = 0; lk_qos_flag_name (bit); bit++)
    if (flags >> bit & 1)
      g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "", lk_qos_flag_name (bit));
  append_text (self, "Flags", list->str);
}

static void
append_name (Writer *self, const char *title, const char *name, const void *spec)
{
  self->spec = spec;
  g_string_append_printf (self->out, "%s - ", title);
  append_quoted (self, name);
}

static void
append_qos (Writer *self, const LkQosSpec *spec)
{
  append_name (self, "QOS", spec->name, spec);
  append_text (self, "Description", spec->description);
  append_flags (self, spec->flags);
  if (spec->grace_us != 0)
    append_count (self, "GraceTime", (guint64)(spec->grace_us / 1000000));
  append_limits (self, spec->limits);
  append_text (self, "Preempt", spec->preempt);
  append_text (self, "PreemptMode", spec->preempt_mode);
  if (spec->preempt_exempt_us >= 0) {
    gint64 time_s = spec->preempt_exempt_us / 1000000;
    g_string_append_printf (self->out, ":PreemptExemptTime='%" G_GINT64_FORMAT "-%02d:%02d:%02d'",
                            time_s / 86400, (int)(time_s / 3600 % 24), (int)(time_s / 60 % 60),
                            (int)(time_s % 60));
  }
  if (spec->priority != 0)
    append_count (self, "Priority", spec->priority);
  if (spec->usage_factor != 1)
    append_real (self, "UsageFactor", spec->usage_factor);
  if (spec->usage_threshold >= 0)
    append_real (self, "UsageThreshold", spec->usage_threshold);
  if (spec->limit_factor >= 0)
    append_real (self, "LimitFactor", spec->limit_factor);
  g_string_append_c (self->out, '\n');
}

/* What accounts and users have in common, to the end of the line. */
static void
append_association (Writer *self, const LkAssociationSpec *spec)
{
  append_text (self, "DefaultQOS", spec->default_qos);
  append_count (self, "Fairshare",
                spec->shares == LK_SHARES_PARENT ? (guint64)G_MAXINT32 : spec->shares);
  append_limits (self, spec->limits);
  if (spec->priority != 0)
    append_count (self, "Priority", spec->priority);
  append_text (self, "QOS", spec->qos);
  g_string_append_c (self->out, '\n');
}

/* The default account of each user, by name. Returns: (transfer full). */
static GHashTable *
defaults_of (const LkAccounts *accounts)
{
  GHashTable *defaults = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < accounts->associations->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    if (spec->is_default)
      g_hash_table_insert (defaults, spec->user, spec->account);
  }
  return defaults;
}

static void
append_child (Writer *self, const LkAssociationSpec *spec, GHashTable *defaults)
{
  if (*spec->user != '\0') {
    append_name (self, "User", spec->user, spec);
    append_text (self, "Partition", spec->partition);
    append_text (self, "DefaultAccount", g_hash_table_lookup (defaults, spec->user));
    append_text (self, "AdminLevel", spec->admin_level);
    append_text (self, "Coordinator", spec->coordinates);
  } else {
    append_name (self, "Account", spec->account, spec);
    append_text (self, "Description", spec->description);
    append_text (self, "Organization", spec->organization);
  }
  append_association (self, spec);
}

/* In the order of the description, with a Parent line wherever the parent changes. */
static void
append_tree (Writer *self)
{
  const char *parent = "";
  GHashTable *defaults = defaults_of (self->accounts);
  for (guint i = 1; i < self->accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (self->accounts->associations, i);
    const char *above = *spec->user ? spec->account : spec->parent;
    if (strcmp (above, parent) != 0) {
      append_name (self, "Parent", above, spec);
      g_string_append_c (self->out, '\n');
    }
    parent = above;
    append_child (self, spec, defaults);
  }
  g_hash_table_unref (defaults);
}

gboolean
lk_accounts_dump_write (const LkAccounts *accounts, GString *out, GError **error)
{
  g_autoptr (GString) text = g_string_new (head);
  Writer writer = { .accounts = accounts, .out = text };
  for (guint i = 0; i < accounts->qos->len; i++)
    append_qos (&writer, g_ptr_array_index (accounts->qos, i));
  const LkAssociationSpec *root = g_ptr_array_index (accounts->associations, 0);
  append_name (&writer, "Cluster", accounts->cluster, root);
  append_association (&writer, root);
  append_tree (&writer);
  if (writer.is_wrong) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_WRITE,
                 "%s: a text with line ends or both kinds of quotes cannot stand in a dump",
                 writer.problem);
    g_free (writer.problem);
    return FALSE;
  }
  g_string_append_len (out, text->str, (gssize)text->len);
  return TRUE;
}
