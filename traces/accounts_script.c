/* traces/accounts_script.c — reads scripts of sacctmgr. See the header.
 *
 * A line is split into words; the words into what it is about and what is set
 * (traces/accounts_subject.h); then the command acts.  Associations that go are taken out of the
 * array in one sweep. */
#include "traces/accounts_script.h"

#include <string.h>

#include "engine/accounts_change.h"
#include "engine/suggest.h"
#include "traces/accounts_edit.h"
#include "traces/accounts_subject.h"
#include "traces/accounts_words.h"
#include "traces/slurm_conf_lines.h"

#define COMMAND_MIN_BYTES 3u

typedef enum { DO_ADD, DO_MODIFY, DO_DELETE, DO_NOTHING } Action;

typedef struct {
  const char *word;
  guint meaning;
} Word;

static const Word commands[] = {
  { "add", DO_ADD },          { "create", DO_ADD },    { "modify", DO_MODIFY },
  { "update", DO_MODIFY },    { "delete", DO_DELETE }, { "remove", DO_DELETE },
  { "list", DO_NOTHING },     { "show", DO_NOTHING },  { "archive", DO_NOTHING },
  { "dump", DO_NOTHING },     { "exit", DO_NOTHING },  { "quit", DO_NOTHING },
  { "problems", DO_NOTHING }, { "ping", DO_NOTHING },  { "reconfigure", DO_NOTHING },
  { "version", DO_NOTHING },
};

static const Word entities[] = {
  { "accounts", LK_ENTITY_ACCOUNT },     { "acct", LK_ENTITY_ACCOUNT },
  { "users", LK_ENTITY_USER },           { "qos", LK_ENTITY_QOS },
  { "clusters", LK_ENTITY_CLUSTER },     { "associations", LK_ENTITY_OTHERS },
  { "configuration", LK_ENTITY_OTHERS }, { "coordinators", LK_ENTITY_OTHERS },
  { "events", LK_ENTITY_OTHERS },        { "federations", LK_ENTITY_OTHERS },
  { "instances", LK_ENTITY_OTHERS },     { "jobs", LK_ENTITY_OTHERS },
  { "lostjobs", LK_ENTITY_OTHERS },      { "orphanjobs", LK_ENTITY_OTHERS },
  { "problems", LK_ENTITY_OTHERS },      { "reservations", LK_ENTITY_OTHERS },
  { "resources", LK_ENTITY_OTHERS },     { "runawayjobs", LK_ENTITY_OTHERS },
  { "stats", LK_ENTITY_OTHERS },         { "transactions", LK_ENTITY_OTHERS },
  { "tres", LK_ENTITY_OTHERS },          { "wckeys", LK_ENTITY_OTHERS },
};

typedef struct {
  LkAccounts *accounts;
  LkSlurmPlace place;
  GHashTable *lines;        /* number of the line that made or last changed each spec */
  GHashTable *users;        /* names of those that there are */
  gboolean has_cluster;     /* a line named the cluster */
  gboolean has_root_qos;    /* a line said which QOS the root has */
  gboolean is_one;          /* a single command, on accounts that are in use */
  LkSlurmPlace qos_deleted; /* the last line that took a QOS out */
  LkFaults *faults;         /* NULL: the first error ends it */
  gboolean is_faulty;
} Reader;

static gboolean
fail_problem (const Reader *self, GError **error, char *problem)
{
  lk_slurm_fail (&self->place, error, "%s", problem);
  g_free (problem);
  return FALSE;
}

/* ---------------------------------------------------------------- words */

/* A line of a shell may do anything: taken for words it would make accounts of them. */
static gboolean
shell_check (const Reader *self, const char *line, GError **error)
{
  char letter;
  g_autofree char *word = lk_accounts_shell_word (line, &letter);
  if (word == NULL)
    return TRUE;
  return lk_slurm_fail (&self->place, error,
                        "'%.80s' has a %c, which is of the shell; expected one sacctmgr command a "
                        "line, or single quotes around it",
                        word, letter);
}

/* A word or the beginning of one, in whatever case. -1: it is none. */
static int
word_find (const Word *words, guint count, const char *text)
{
  gsize length_bytes = strlen (text);
  for (guint i = 0; i < count; i++)
    if (length_bytes >= COMMAND_MIN_BYTES
        && g_ascii_strncasecmp (words[i].word, text, length_bytes) == 0)
      return (int)words[i].meaning;
  return -1;
}

static gboolean
is_word (const char *text, const char *word)
{
  return g_ascii_strcasecmp (text, word) == 0;
}

static gboolean
is_listed (char *const *names, const char *name)
{
  return names == NULL || g_strv_contains ((const char *const *)names, name);
}

/* ---------------------------------------------------------------- what is set */

static void
touch (Reader *self, gpointer spec)
{
  g_hash_table_insert (self->lines, spec, GUINT_TO_POINTER (self->place.line_number));
}

static gboolean
association_set (Reader *self, LkAssociationSpec *spec, const LkAccountsSubject *subject,
                 GError **error)
{
  char *problem = NULL;
  gboolean is_root = g_ptr_array_index (self->accounts->associations, 0) == spec;
  touch (self, spec);
  for (guint i = 0; i < subject->settings->len; i++) {
    const LkAccountsSetting *setting = g_ptr_array_index (subject->settings, i);
    if (!lk_accounts_association_apply (self->accounts, spec, setting, &problem))
      return fail_problem (self, error, problem);
    if (is_root && setting->option->effect == LK_OPTION_QOS)
      self->has_root_qos = TRUE;
  }
  return TRUE;
}

static gboolean
qos_set (Reader *self, LkQosSpec *spec, const LkAccountsSubject *subject, GError **error)
{
  char *problem = NULL;
  touch (self, spec);
  for (guint i = 0; i < subject->settings->len; i++)
    if (!lk_accounts_qos_apply (self->accounts, spec, g_ptr_array_index (subject->settings, i),
                                &problem))
      return fail_problem (self, error, problem);
  return TRUE;
}

static gboolean
need_names (const Reader *self, const LkAccountsSubject *subject, const char *what, GError **error)
{
  if (subject->names && subject->names[0])
    return TRUE;
  return lk_slurm_fail (&self->place, error, "no name; expected that of the %s", what);
}

static gboolean
fail_no_account (const Reader *self, const char *name, GError **error)
{
  return lk_slurm_fail (&self->place, error,
                        "there is no account '%s'; expected one that was added above", name);
}

/* ---------------------------------------------------------------- adding */

static gboolean
qos_add (Reader *self, const LkAccountsSubject *subject, GError **error)
{
  if (!need_names (self, subject, "QOS", error))
    return FALSE;
  for (char **name = subject->names; *name; name++) {
    if (lk_accounts_find_qos (self->accounts, *name) != NULL)
      return lk_slurm_fail (&self->place, error, "QOS '%s' is there already", *name);
    LkQosSpec *spec = lk_accounts_add_qos (self->accounts, *name);
    lk_accounts_text_set (&spec->description, *name);
    if (!qos_set (self, spec, subject, error))
      return FALSE;
  }
  return TRUE;
}

/* What sacctmgr writes when nothing is said. */
static void
account_describe (LkAssociationSpec *spec)
{
  gboolean is_top = strcmp (spec->parent, "root") == 0;
  lk_accounts_text_set (&spec->description, spec->account);
  lk_accounts_text_set (&spec->organization, is_top ? spec->account : spec->parent);
}

static gboolean
account_add (Reader *self, const LkAccountsSubject *subject, GError **error)
{
  const char *parent = subject->parent ? subject->parent : "root";
  if (!need_names (self, subject, "account", error))
    return FALSE;
  if (lk_accounts_find (self->accounts, parent, "", "") == NULL)
    return fail_no_account (self, parent, error);
  for (char **name = subject->names; *name; name++) {
    if (lk_accounts_find (self->accounts, *name, "", "") != NULL)
      return lk_slurm_fail (&self->place, error, "account '%s' is there already", *name);
    LkAssociationSpec *spec = lk_accounts_add_account (self->accounts, *name, parent);
    account_describe (spec);
    if (!association_set (self, spec, subject, error))
      return FALSE;
  }
  return TRUE;
}

/* Makes an account the default of a user in place of another. */
static void
default_set (Reader *self, const char *user, const char *account)
{
  for (guint i = 0; i < self->accounts->associations->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (self->accounts->associations, i);
    if (strcmp (spec->user, user) == 0)
      spec->is_default = strcmp (spec->account, account) == 0;
  }
}

/* In one account; in each of the partitions, or in any. */
static gboolean
user_add_to (Reader *self, const LkAccountsSubject *subject, const char *user, const char *account,
             GError **error)
{
  char *const any[] = { (char *)"", NULL };
  char *const *partitions =
      subject->partitions && subject->partitions[0] ? subject->partitions : any;
  if (lk_accounts_find (self->accounts, account, "", "") == NULL)
    return fail_no_account (self, account, error);
  for (; *partitions; partitions++) {
    if (lk_accounts_find (self->accounts, account, user, *partitions) != NULL)
      return lk_slurm_fail (&self->place, error, "user '%s' is in account '%s' already", user,
                            account);
    LkAssociationSpec *spec = lk_accounts_add_user (self->accounts, user, account, *partitions);
    if (!association_set (self, spec, subject, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
one_user_add (Reader *self, const LkAccountsSubject *subject, const char *user,
              char *const *accounts, GError **error)
{
  gboolean is_new = !g_hash_table_contains (self->users, user);
  const char *default_account = subject->default_account;
  for (char *const *account = accounts; *account; account++)
    if (!user_add_to (self, subject, user, *account, error))
      return FALSE;
  if (default_account && !is_listed (accounts, default_account)
      && !user_add_to (self, subject, user, default_account, error))
    return FALSE;
  if (is_new)
    g_hash_table_add (self->users, g_strdup (user));
  if (!is_new && default_account) {
    default_set (self, user, default_account);
    return TRUE;
  }
  const char *first = default_account ? default_account : accounts[0];
  for (guint i = self->accounts->associations->len; is_new && i-- > 0;) {
    LkAssociationSpec *spec = g_ptr_array_index (self->accounts->associations, i);
    if (strcmp (spec->user, user) != 0)
      break;
    spec->is_default = g_strcmp0 (spec->account, first) == 0;
  }
  return TRUE;
}

static gboolean
user_add (Reader *self, const LkAccountsSubject *subject, GError **error)
{
  char *const none[] = { NULL };
  char *const *accounts = subject->accounts ? subject->accounts : none;
  if (!need_names (self, subject, "user", error))
    return FALSE;
  if (accounts[0] == NULL && subject->default_account == NULL)
    return lk_slurm_fail (&self->place, error,
                          "user '%s' under no account; expected account=NAME or "
                          "DefaultAccount=NAME",
                          subject->names[0]);
  for (char **name = subject->names; *name; name++)
    if (!one_user_add (self, subject, *name, accounts, error))
      return FALSE;
  return TRUE;
}

/* There is one cluster: this names it, and sets what is of its root. */
static gboolean
cluster_add (Reader *self, const LkAccountsSubject *subject, GError **error)
{
  if (!need_names (self, subject, "cluster", error))
    return FALSE;
  if (subject->names[1])
    return lk_slurm_fail (&self->place, error, "a second cluster '%s'; expected one",
                          subject->names[1]);
  lk_accounts_text_set (&self->accounts->cluster, subject->names[0]);
  self->has_cluster = TRUE;
  return association_set (self, g_ptr_array_index (self->accounts->associations, 0), subject,
                          error);
}

/* ---------------------------------------------------------------- changing */

/* Names that nothing has are mistakes. */
static gboolean
names_check (const Reader *self, const LkAccountsSubject *subject, LkAccountsEntity entity,
             GError **error)
{
  for (char **name = subject->names; name && *name; name++) {
    gboolean is_there =
        entity == LK_ENTITY_QOS    ? lk_accounts_find_qos (self->accounts, *name) != NULL
        : entity == LK_ENTITY_USER ? g_hash_table_contains (self->users, *name)
                                   : lk_accounts_find (self->accounts, *name, "", "") != NULL;
    if (!is_there)
      return lk_slurm_fail (&self->place, error, "there is no %s '%s'",
                            entity == LK_ENTITY_QOS    ? "QOS"
                            : entity == LK_ENTITY_USER ? "user"
                                                       : "account",
                            *name);
  }
  for (char **name = subject->accounts; name && *name; name++)
    if (lk_accounts_find (self->accounts, *name, "", "") == NULL)
      return fail_no_account (self, *name, error);
  return TRUE;
}

static gboolean
qos_modify (Reader *self, const LkAccountsSubject *subject, GError **error)
{
  for (guint i = 0; i < self->accounts->qos->len; i++) {
    LkQosSpec *spec = g_ptr_array_index (self->accounts->qos, i);
    if (is_listed (subject->names, spec->name) && !qos_set (self, spec, subject, error))
      return FALSE;
  }
  return TRUE;
}

/* Is it one that the line is about? */
static gboolean
is_meant (const LkAssociationSpec *spec, const LkAccountsSubject *subject, LkAccountsEntity entity)
{
  gboolean is_user = *spec->user != '\0';
  if (entity == LK_ENTITY_ACCOUNT)
    return !is_user && is_listed (subject->names, spec->account);
  return is_user && is_listed (subject->names, spec->user)
         && is_listed (subject->accounts, spec->account)
         && is_listed (subject->partitions, spec->partition);
}

static gboolean
account_move (Reader *self, LkAssociationSpec *spec, const char *parent, GError **error)
{
  if (lk_accounts_find (self->accounts, parent, "", "") == NULL)
    return fail_no_account (self, parent, error);
  if (strcmp (spec->account, "root") != 0)
    lk_accounts_text_set (&spec->parent, parent);
  return TRUE;
}

static gboolean
user_default_move (Reader *self, const LkAssociationSpec *spec, const char *account, GError **error)
{
  gboolean is_there = FALSE;
  for (guint i = 0; i < self->accounts->associations->len; i++) {
    const LkAssociationSpec *other = g_ptr_array_index (self->accounts->associations, i);
    is_there = is_there
               || (strcmp (other->user, spec->user) == 0 && strcmp (other->account, account) == 0);
  }
  if (!is_there)
    return lk_slurm_fail (&self->place, error, "DefaultAccount: user '%s' is not in account '%s'",
                          spec->user, account);
  default_set (self, spec->user, account);
  return TRUE;
}

static gboolean
associations_modify (Reader *self, const LkAccountsSubject *subject, LkAccountsEntity entity,
                     GError **error)
{
  guint changed_count = 0;
  for (guint i = 0; i < self->accounts->associations->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (self->accounts->associations, i);
    if (!is_meant (spec, subject, entity))
      continue;
    changed_count++;
    if (!association_set (self, spec, subject, error))
      return FALSE;
    if (entity == LK_ENTITY_ACCOUNT && subject->parent
        && !account_move (self, spec, subject->parent, error))
      return FALSE;
    if (entity == LK_ENTITY_USER && subject->default_account
        && !user_default_move (self, spec, subject->default_account, error))
      return FALSE;
  }
  if (changed_count > 0)
    return TRUE;
  return lk_slurm_fail (&self->place, error, "nothing is meant by this; expected what is there");
}

/* ---------------------------------------------------------------- deleting */

/* Takes out the associations that a line is about, and what is below them; the root stays. */
static void
associations_delete (Reader *self, const LkAccountsSubject *subject, LkAccountsEntity entity)
{
  LkAccounts *accounts = self->accounts;
  g_autoptr (GPtrArray) going = g_ptr_array_new ();
  GHashTable *gone = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean is_more = TRUE;
  /* An account may have been moved below one that stands later: again until none is found. */
  while (is_more) {
    is_more = FALSE;
    for (guint i = 1; i < accounts->associations->len; i++) {
      const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
      gboolean is_going = *spec->user == '\0' && !g_hash_table_contains (gone, spec->account)
                          && ((entity == LK_ENTITY_ACCOUNT && is_meant (spec, subject, entity))
                              || g_hash_table_contains (gone, spec->parent));
      if (is_going)
        g_hash_table_add (gone, g_strdup (spec->account));
      is_more = is_more || is_going;
    }
  }
  guint kept_count = 0;
  for (guint i = 0; i < accounts->associations->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    gboolean is_going = i > 0
                        && (g_hash_table_contains (gone, spec->account)
                            || (entity == LK_ENTITY_USER && is_meant (spec, subject, entity)));
    if (is_going) {
      g_hash_table_remove (self->lines, spec);
      g_ptr_array_add (going, spec);
    } else {
      accounts->associations->pdata[kept_count++] = spec;
    }
  }
  g_hash_table_unref (gone);
  /* Those that go stand at the end, where the array frees them. */
  for (guint i = 0; i < going->len; i++)
    accounts->associations->pdata[kept_count + i] = g_ptr_array_index (going, i);
  g_ptr_array_set_size (accounts->associations, (gint)kept_count);
  lk_accounts_reindex (accounts);
  lk_accounts_coordinates_tidy (accounts);
}

static void
users_find (Reader *self)
{
  g_hash_table_remove_all (self->users);
  for (guint i = 0; i < self->accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (self->accounts->associations, i);
    if (*spec->user != '\0')
      g_hash_table_add (self->users, g_strdup (spec->user));
  }
}

/* What nobody asked for goes with its QOS: the list of the root in a new database. */
static void
root_qos_forget (Reader *self, const char *name)
{
  LkAssociationSpec *root = g_ptr_array_index (self->accounts->associations, 0);
  if (!self->has_root_qos && strcmp (root->qos, name) == 0)
    lk_accounts_text_set (&root->qos, "");
}

/* It is taken out of all lists; what is all that a list has is needed there. */
static gboolean
qos_forget (Reader *self, const char *name, GError **error)
{
  const LkEvent_qos event = { .operation = LK_ACCOUNTS_DELETE, .name = lk_text (name) };
  const LkAssociationSpec *sole = lk_accounts_qos_sole_user (self->accounts, name);
  if (sole != NULL) {
    g_autofree char *title = lk_accounts_spec_title (self->accounts, sole);
    return lk_slurm_fail (&self->place, error,
                          "QOS '%s' is deleted, which is all that %s may use: without it, that of "
                          "the account above would hold; expected another list first",
                          name, title);
  }
  lk_accounts_change_qos (self->accounts, &event);
  return TRUE;
}

static gboolean
qos_delete (Reader *self, const LkAccountsSubject *subject, GError **error)
{
  if (!need_names (self, subject, "QOS", error))
    return FALSE;
  self->qos_deleted = self->place;
  for (char **name = subject->names; *name; name++) {
    const char *member;
    LkQosSpec *spec = lk_accounts_find_qos (self->accounts, *name);
    if (self->is_one) {
      if (!qos_forget (self, *name, error))
        return FALSE;
      continue;
    }
    root_qos_forget (self, *name);
    const void *user = lk_accounts_qos_user (self->accounts, *name, subject->names, &member);
    g_autofree char *title = lk_accounts_spec_title (self->accounts, user);
    if (user != NULL)
      return lk_slurm_fail (&self->place, error,
                            "QOS '%s' is deleted, which %s has as %s; expected one that nothing "
                            "names",
                            *name, title, member);
    g_hash_table_remove (self->lines, spec);
    g_ptr_array_remove (self->accounts->qos, spec);
    lk_accounts_reindex (self->accounts);
  }
  return TRUE;
}

static gboolean delete (Reader *self, const LkAccountsSubject *subject, LkAccountsEntity entity,
                        GError **error)
{
  if (entity == LK_ENTITY_QOS)
    return qos_delete (self, subject, error);
  if (entity == LK_ENTITY_ACCOUNT && !need_names (self, subject, "account", error))
    return FALSE;
  if (entity == LK_ENTITY_ACCOUNT && g_strv_contains ((const char *const *)subject->names, "root"))
    return lk_slurm_fail (&self->place, error,
                          "the account 'root' is deleted; expected accounts below it");
  if (entity == LK_ENTITY_USER && !subject->names && !subject->accounts && !subject->partitions)
    return lk_slurm_fail (&self->place, error, "no name; expected that of the user");
  associations_delete (self, subject, entity);
  users_find (self);
  return TRUE;
}

/* ---------------------------------------------------------------- lines */

static gboolean
add (Reader *self, const LkAccountsSubject *subject, LkAccountsEntity entity, GError **error)
{
  switch (entity) {
  case LK_ENTITY_QOS:
    return qos_add (self, subject, error);
  case LK_ENTITY_ACCOUNT:
    return account_add (self, subject, error);
  case LK_ENTITY_USER:
    return user_add (self, subject, error);
  default:
    return cluster_add (self, subject, error);
  }
}

static gboolean
modify (Reader *self, const LkAccountsSubject *subject, LkAccountsEntity entity, GError **error)
{
  if (subject->settings->len == 0)
    return lk_slurm_fail (&self->place, error, "nothing to set; expected set KEY=VALUE");
  if (entity == LK_ENTITY_QOS)
    return qos_modify (self, subject, error);
  if (entity == LK_ENTITY_CLUSTER)
    return association_set (self, g_ptr_array_index (self->accounts->associations, 0), subject,
                            error);
  return associations_modify (self, subject, entity, error);
}

/* What is said of another cluster is not of these accounts; which is theirs may not be said. */
static gboolean
cluster_check (const Reader *self, char *const *clusters, GError **error)
{
  if (!self->has_cluster || clusters == NULL || clusters[0] == NULL
      || is_listed (clusters, self->accounts->cluster))
    return TRUE;
  return lk_slurm_fail (&self->place, error, "there is no cluster '%s'; expected '%s'", clusters[0],
                        self->accounts->cluster);
}

static gboolean
act (Reader *self, const LkAccountsSubject *subject, Action action, LkAccountsEntity entity,
     GError **error)
{
  gboolean is_change = entity == LK_ENTITY_CLUSTER && action == DO_MODIFY;
  if (!cluster_check (self, is_change ? subject->names : subject->clusters, error))
    return FALSE;
  if (action == DO_ADD)
    return add (self, subject, entity, error);
  if (entity == LK_ENTITY_CLUSTER && action == DO_DELETE)
    return lk_slurm_fail (&self->place, error,
                          "the cluster is deleted; expected accounts that are to be used");
  if (entity != LK_ENTITY_CLUSTER && !names_check (self, subject, entity, error))
    return FALSE;
  return action == DO_MODIFY ? modify (self, subject, entity, error)
                             : delete (self, subject, entity, error);
}

static gboolean
fail_command (const Reader *self, const char *word, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    g_ptr_array_add (names, (gpointer)commands[i].word);
  g_ptr_array_add (names, NULL);
  g_autofree char *lower = g_ascii_strdown (word, -1);
  const char *nearest = lk_suggest (lower, (const char *const *)names->pdata);
  return lk_slurm_fail (&self->place, error,
                        "'%s' begins neither a line of a dump (Account - 'name':...) nor a "
                        "sacctmgr command%s%s%s",
                        word, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?" : "");
}

/* The words behind `sacctmgr` and its own options. */
static char **
command_of (char **words)
{
  if (words && words[0] && is_word (words[0], "sacctmgr"))
    for (words++; words[0] && words[0][0] == '-';)
      words++;
  return words;
}

static gboolean
words_act (Reader *self, char **words, GPtrArray *lines, GError **error)
{
  int action = words[0] ? word_find (commands, G_N_ELEMENTS (commands), words[0]) : DO_NOTHING;
  int entity = words[0] && words[1] ? word_find (entities, G_N_ELEMENTS (entities), words[1]) : -1;
  if (action < 0)
    return fail_command (self, words[0], error);
  if (entity < 0 && action != DO_NOTHING)
    return lk_slurm_fail (&self->place, error, "'%s %s'; expected account, user, qos or cluster",
                          words[0], words[1] ? words[1] : "");
  gboolean is_ours = action != DO_NOTHING && entity != LK_ENTITY_OTHERS;
  g_autofree char *key = entity >= 0 ? g_strdup_printf ("%s %s", words[0], words[1])
                                     : g_strdup (words[0] ? words[0] : "sacctmgr");
  g_autofree char *rest =
      words[0] ? g_strjoinv (" ", words + (entity >= 0 ? 2 : 1)) : g_strdup ("");
  LkAccountsSubject subject;
  lk_accounts_subject_init (&subject, action == DO_ADD);
  gboolean is_read = !is_ours
                     || lk_accounts_subject_read (&self->place, &subject, (LkAccountsEntity)entity,
                                                  words + 2, error);
  /* In a script a name that is there already, or is not, is a mistake. */
  if (is_ours && is_read && self->is_one)
    lk_accounts_subject_narrow (&subject, self->accounts, (LkAccountsEntity)entity);
  gboolean is_good =
      is_read
      && (!is_ours || act (self, &subject, (Action)action, (LkAccountsEntity)entity, error));
  lk_accounts_subject_clear (&subject);
  lk_accounts_line_add (lines, self->place.line_number, is_ours, key, rest);
  return is_good;
}

static gboolean
lines_read (Reader *self, LkSlurmLogical *logical, GPtrArray *lines, GError **error)
{
  int got;
  while ((got = lk_slurm_logical_next (logical, error)) == 1) {
    g_auto (GStrv) words = lk_accounts_words_split (logical->text->str);
    self->place = lk_slurm_logical_place (logical, 0);
    if (words == NULL)
      lk_slurm_fail (&self->place, error, "a quote is not closed");
    gboolean is_good = words != NULL && shell_check (self, logical->text->str, error)
                       && (words[0] == NULL || words_act (self, command_of (words), lines, error));
    if (!is_good && !lk_faults_goes_on (self->faults, error))
      return FALSE;
    self->is_faulty = self->is_faulty || !is_good;
  }
  if (got == 0 && self->is_faulty)
    return FALSE;
  if (got == 0 && self->accounts->qos->len == 0)
    return lk_slurm_fail (&self->qos_deleted, error,
                          "the last QOS is deleted; expected one that stays or is added below");
  return got == 0 && lk_accounts_check_at (self->accounts, logical->file, self->lines, error);
}

LkAccounts *
lk_accounts_script_read (const char *name, GBytes *bytes, GPtrArray *lines, GError **error)
{
  return lk_accounts_script_read_all (name, bytes, lines, NULL, error);
}

LkAccounts *
lk_accounts_script_read_all (const char *name, GBytes *bytes, GPtrArray *lines, LkFaults *faults,
                             GError **error)
{
  g_autoptr (LkAccounts) accounts = lk_accounts_new (NULL);
  LkAssociationSpec *root = g_ptr_array_index (accounts->associations, 0);
  /* What a cluster gets whose QOS are not said. */
  lk_accounts_text_set (&root->qos, "normal");
  Reader reader = {
    .accounts = accounts,
    .faults = faults,
    .lines = g_hash_table_new (g_direct_hash, g_direct_equal),
    .users = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
  };
  users_find (&reader);
  LkSlurmLogical logical;
  lk_slurm_logical_init (&logical, name, bytes);
  gboolean is_good = lines_read (&reader, &logical, lines, error);
  lk_slurm_logical_clear (&logical);
  g_hash_table_unref (reader.lines);
  g_hash_table_unref (reader.users);
  return is_good ? g_steal_pointer (&accounts) : NULL;
}

gboolean
lk_accounts_script_is_change (char *const *words)
{
  char **command = command_of ((char **)words);
  if (command[0] == NULL || command[1] == NULL)
    return FALSE;
  int action = word_find (commands, G_N_ELEMENTS (commands), command[0]);
  int entity = word_find (entities, G_N_ELEMENTS (entities), command[1]);
  return action >= 0 && action != DO_NOTHING && entity >= 0 && entity < LK_ENTITY_CLUSTER;
}

LkAccounts *
lk_accounts_script_apply (const LkAccounts *accounts, const char *command, GError **error)
{
  g_autoptr (LkAccounts) changed = lk_accounts_copy (accounts);
  Reader reader = { .accounts = changed,
                    .place = { "sacctmgr", 0 },
                    .lines = g_hash_table_new (g_direct_hash, g_direct_equal),
                    .users = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                    .has_root_qos = TRUE,
                    .is_one = TRUE };
  g_auto (GStrv) words = lk_accounts_words_split (command);
  users_find (&reader);
  gboolean is_good = words != NULL || lk_slurm_fail (&reader.place, error, "a quote is not closed");
  is_good = is_good && words_act (&reader, command_of (words), NULL, error)
            && lk_accounts_check_at (changed, "sacctmgr", reader.lines, error);
  if (is_good && changed->tres->len != accounts->tres->len)
    is_good = lk_slurm_fail (&reader.place, error, "there is no TRES '%s' in these accounts",
                             (const char *)g_ptr_array_index (changed->tres, accounts->tres->len));
  g_hash_table_unref (reader.lines);
  g_hash_table_unref (reader.users);
  return is_good ? g_steal_pointer (&changed) : NULL;
}
