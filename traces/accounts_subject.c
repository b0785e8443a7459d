/* traces/accounts_subject.c — see the header. */
#include "traces/accounts_subject.h"

#include <string.h>

static gboolean
is_word (const char *text, const char *word)
{
  return g_ascii_strcasecmp (text, word) == 0;
}

static void
setting_free (gpointer data)
{
  LkAccountsSetting *setting = data;
  g_free (setting->value);
  g_free (setting);
}

void
lk_accounts_subject_init (LkAccountsSubject *self, gboolean is_add)
{
  *self = (LkAccountsSubject){ .settings = g_ptr_array_new_with_free_func (setting_free),
                               .is_add = is_add };
}

void
lk_accounts_subject_clear (LkAccountsSubject *self)
{
  g_strfreev (self->names);
  g_strfreev (self->accounts);
  g_strfreev (self->users);
  g_strfreev (self->clusters);
  g_strfreev (self->partitions);
  g_free (self->parent);
  g_free (self->default_account);
  g_ptr_array_unref (self->settings);
}

/* Names as they were written: of partitions. */
static char **
partitions_split (const char *text)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_auto (GStrv) pieces = g_strsplit (text, ",", -1);
  for (char **piece = pieces; *piece; piece++)
    if (**piece != '\0')
      g_ptr_array_add (names, g_strdup (*piece));
  g_ptr_array_add (names, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

static void
names_take (char ***member, char **names)
{
  g_strfreev (*member);
  *member = names;
}

/* A name that stands alone, or behind Names=; several such words add up. */
static void
subject_add_names (LkAccountsSubject *self, const char *text)
{
  g_autofree char *bare = lk_accounts_unquote (text);
  g_autofree char *before = self->names ? g_strjoinv (",", self->names) : g_strdup ("");
  g_autofree char *all = g_strconcat (before, ",", bare, NULL);
  names_take (&self->names, lk_accounts_names_split (all));
}

/* A setting that says what the line is about. FALSE: it does not. */
static gboolean
subject_take (LkAccountsSubject *self, const LkAccountsSetting *setting, LkAccountsEntity entity)
{
  switch (setting->option->effect) {
  case LK_OPTION_NAMES:
    subject_add_names (self, setting->value);
    return TRUE;
  case LK_OPTION_CLUSTERS:
    if (entity == LK_ENTITY_CLUSTER)
      subject_add_names (self, setting->value);
    else
      names_take (&self->clusters, lk_accounts_names_split (setting->value));
    return TRUE;
  case LK_OPTION_ACCOUNTS:
    if (entity == LK_ENTITY_ACCOUNT)
      subject_add_names (self, setting->value);
    else
      names_take (&self->accounts, lk_accounts_names_split (setting->value));
    return TRUE;
  case LK_OPTION_USERS:
    if (entity == LK_ENTITY_USER)
      subject_add_names (self, setting->value);
    else
      names_take (&self->users, lk_accounts_names_split (setting->value));
    return TRUE;
  case LK_OPTION_PARTITIONS:
    names_take (&self->partitions, partitions_split (setting->value));
    return TRUE;
  default:
    return FALSE;
  }
}

/* One word; `is_condition`: not behind `set`. */
static gboolean
subject_read_word (const LkSlurmPlace *place, LkAccountsSubject *subject, LkAccountsEntity entity,
                   const char *word, gboolean is_condition, GError **error)
{
  guint scope = entity == LK_ENTITY_QOS ? LK_OPTION_ON_QOS : LK_OPTION_ON_ASSOCIATION;
  if (strchr (word, '=') == NULL) {
    subject_add_names (subject, word);
    return TRUE;
  }
  char *problem = NULL;
  LkAccountsSetting *setting = g_new0 (LkAccountsSetting, 1);
  g_ptr_array_add (subject->settings, setting);
  if (!lk_accounts_setting_read (scope, word, setting, &problem)) {
    lk_slurm_fail (place, error, "%s", problem);
    g_free (problem);
    return FALSE;
  }
  if (is_condition && setting->mark != '=')
    return lk_slurm_fail (place, error, "'%s' in a condition; expected KEY=VALUE", word);
  if (subject_take (subject, setting, entity)) {
    g_ptr_array_set_size (subject->settings, (gint)subject->settings->len - 1);
    return TRUE;
  }
  if (is_condition && setting->option->effect != LK_OPTION_IGNORED)
    return lk_slurm_fail (place, error,
                          "a condition on %s; expected names, accounts, users or partitions",
                          setting->option->name);
  g_autofree char *lower = g_ascii_strdown (setting->value, -1);
  if (setting->option->effect == LK_OPTION_PARENT)
    lk_accounts_text_set (&subject->parent, lower);
  if (setting->option->effect == LK_OPTION_DEFAULT_ACCOUNT)
    lk_accounts_text_set (&subject->default_account, lower);
  return TRUE;
}

gboolean
lk_accounts_subject_read (const LkSlurmPlace *place, LkAccountsSubject *subject,
                          LkAccountsEntity entity, char **words, GError **error)
{
  gboolean is_add = subject->is_add;
  gboolean is_set = is_add;
  for (; *words; words++) {
    if (is_word (*words, "where") || is_word (*words, "set")) {
      is_set = is_word (*words, "set") || is_add;
      continue;
    }
    if (!subject_read_word (place, subject, entity, *words, !is_set, error))
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- those that are meant */

/* In each account of a list; with no list it is in none. */
static gboolean
is_in_all (const LkAccounts *accounts, char *const *list, const char *user)
{
  for (guint i = 0; list != NULL && list[i] != NULL; i++)
    if (lk_accounts_find (accounts, list[i], user, "") == NULL)
      return FALSE;
  return list != NULL && list[0] != NULL;
}

static gboolean
is_user (const LkAccounts *accounts, const char *name)
{
  for (guint i = 0; i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    if (strcmp (spec->user, name) == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_there (const LkAccountsSubject *self, const LkAccounts *accounts, LkAccountsEntity entity,
          const char *name)
{
  if (entity == LK_ENTITY_QOS)
    return lk_accounts_find_qos (accounts, name) != NULL;
  if (entity == LK_ENTITY_ACCOUNT)
    return lk_accounts_find (accounts, name, "", "") != NULL;
  return self->is_add ? is_in_all (accounts, self->accounts, name) : is_user (accounts, name);
}

void
lk_accounts_subject_narrow (LkAccountsSubject *self, const LkAccounts *accounts,
                            LkAccountsEntity entity)
{
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();
  if (self->names == NULL || entity >= LK_ENTITY_CLUSTER)
    return;
  for (char **name = self->names; *name != NULL; name++)
    if (is_there (self, accounts, entity, *name) != self->is_add)
      g_ptr_array_add (kept, g_strdup (*name));
  if (kept->len == 0)
    return;
  g_ptr_array_add (kept, NULL);
  names_take (&self->names, (char **)g_ptr_array_free (g_steal_pointer (&kept), FALSE));
}
