/* live/client/sacctmgr/sacctmgr_change.c — accounts, users and QOS are added, modified and deleted.
 *
 * What a command makes of the accounts as they stand is worked out here (traces/accounts_script.c),
 * told and confirmed, and then told to the controller, change by change
 * (traces/accounts_changes.c).  Texts as recorded with Slurm 26.05. */
#include <poll.h>
#include <string.h>

#include "live/client/refusal.h"
#include "live/client/sacctmgr/sacctmgr.h"
#include "traces/accounts_changes.h"
#include "traces/accounts_script.h"
#include "traces/accounts_subject.h"

#define CONFIRM_MS (30 * 1000)

typedef enum { DO_ADD, DO_MODIFY, DO_DELETE } Do;

typedef struct {
  LkClient *client;
  const LkSacctmgrOptions *options;
  Do what;
  LkAccountsEntity entity;
  LkAccountsSubject subject;
  LkAccounts *from;
  LkAccounts *to; /* NULL: the command cannot be */
  GString *shown;
} Change;

/* ---------------------------------------------------------------- reading */

static gboolean
entity_find (const char *word, LkAccountsEntity *out_entity)
{
  static const struct {
    const char *name;
    LkAccountsEntity entity;
  } known[] = { { "accounts", LK_ENTITY_ACCOUNT },
                { "users", LK_ENTITY_USER },
                { "qos", LK_ENTITY_QOS },
                { "clusters", LK_ENTITY_CLUSTER } };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strlen (word) >= 1 && g_ascii_strncasecmp (known[i].name, word, strlen (word)) == 0) {
      *out_entity = known[i].entity;
      return TRUE;
    }
  return FALSE;
}

static const char *
entity_word (LkAccountsEntity entity)
{
  static const char *const words[] = { "account", "user", "qos", "cluster" };
  return words[entity];
}

/* Words with blanks go in quotes again. */
static char *
line_join (const Change *self, char **words)
{
  static const char *const verbs[] = { "add", "modify", "delete" };
  GString *line = g_string_new ("sacctmgr ");
  g_string_append_printf (line, "%s %s", verbs[self->what], entity_word (self->entity));
  for (char **word = words; *word != NULL; word++) {
    const char *equals = strchr (*word, '=');
    gsize name_bytes = equals != NULL ? (gsize)(equals - *word) + 1 : 0;
    gboolean is_quoted = strpbrk (*word, " \t") != NULL && strchr (*word, '"') == NULL;
    g_string_append_c (line, ' ');
    g_string_append_len (line, *word, (gssize)name_bytes);
    g_string_append_printf (line, is_quoted ? "\"%s\"" : "%s", *word + name_bytes);
  }
  return g_string_free (line, FALSE);
}

/* Without the name of the file that there is not. */
static const char *
message_of (const GError *error)
{
  return g_str_has_prefix (error->message, "sacctmgr: ") ? error->message + strlen ("sacctmgr: ")
                                                         : error->message;
}

/* The word of a key that is none. */
static const char *
word_of_key (char **words, const char *message)
{
  const char *key = message + strlen ("unknown key '");
  gsize key_bytes = strcspn (key, "'");
  for (char **word = words; *word != NULL; word++)
    if (g_ascii_strncasecmp (*word, key, key_bytes) == 0 && strchr ("=+-", (*word)[key_bytes]))
      return *word;
  return "";
}

static int
nothing (const Change *self)
{
  static const char *const lines[] = { " Nothing new added.\n", "  Nothing modified\n",
                                       " Nothing deleted\n" };
  if (self->what == DO_MODIFY)
    fprintf (self->client->out,
             self->entity == LK_ENTITY_QOS ? " Modified qos...\n"
                                           : " Modified %s associations...\n",
             entity_word (self->entity));
  fprintf (self->client->out, "%s", lines[self->what]);
  return LK_SACCTMGR_FAILURE;
}

static void deleted_show (Change *self);

/* A QOS that somebody needs is refused when he who asks has said yes, as what the controller alone
 * knows is. */
static int
needed (Change *self, const char *message)
{
  deleted_show (self);
  if (!self->options->is_quiet)
    fprintf (self->client->out, "%s", self->shown->str);
  if (!lk_sacctmgr_confirms (self->client, self->options))
    return 0;
  fprintf (self->client->err, " error: %s\n", message);
  return LK_SACCTMGR_FAILURE;
}

/* Slurm adds a user to no account that does not exist, and says which those are. */
static int
no_such_account (const Change *self)
{
  FILE *out = self->client->out;
  const char *cluster = self->from->cluster;
  for (char **name = self->subject.accounts; name != NULL && *name != NULL; name++)
    if (lk_accounts_find (self->from, *name, "", "") == NULL)
      fprintf (out, "No account %s on cluster %s, skipping.\n", *name, cluster);
  fprintf (out, "Nothing added.\n"
                "Make sure the accounts requested here have been added to the system/cluster. "
                "(sacctmgr add account...)\n");
  return LK_SACCTMGR_FAILURE;
}

/* What the command makes of the accounts cannot be. */
static int
impossible (Change *self, char **words, const GError *error)
{
  const char *message = message_of (error);
  const LkClient *client = self->client;
  gboolean has_none = g_str_has_prefix (message, "there is no ")
                      || g_str_has_prefix (message, "nothing is meant by this");
  if (g_str_has_prefix (message, "unknown key '")) {
    fprintf (client->err, " Unknown option: %s\n Use keyword 'where' to modify condition\n",
             word_of_key (words, message));
    return LK_SACCTMGR_FAILURE;
  }
  if (g_str_has_suffix (message, " is there already") && self->entity == LK_ENTITY_ACCOUNT) {
    fprintf (client->out, " Already existing account %s on cluster %s\n", self->subject.names[0],
             self->from->cluster);
    return LK_SACCTMGR_FAILURE;
  }
  if (g_str_has_suffix (message, " already"))
    return nothing (self);
  if (g_str_has_prefix (message, "there is no account ") && self->what == DO_ADD
      && self->entity == LK_ENTITY_USER && self->subject.accounts != NULL)
    return no_such_account (self);
  if (has_none && self->what != DO_ADD)
    return nothing (self);
  if (self->entity == LK_ENTITY_QOS && strstr (message, "which is all that") != NULL)
    return needed (self, message);
  fprintf (client->err, " error: %s\n", message);
  return LK_SACCTMGR_FAILURE;
}

/* ---------------------------------------------------------------- what becomes different */

static gboolean
is_same_association (const LkAccounts *a, const LkAssociationSpec *left, const LkAccounts *b,
                     const LkAssociationSpec *right)
{
  g_autoptr (GString) left_text = g_string_new (NULL);
  g_autoptr (GString) right_text = g_string_new (NULL);
  lk_accounts_association_text (a, left, left_text);
  lk_accounts_association_text (b, right, right_text);
  return g_string_equal (left_text, right_text);
}

static void
association_show (Change *self, const LkAssociationSpec *spec)
{
  g_string_append_printf (self->shown, "  C = %-10.10s A = %-20.20s", self->from->cluster,
                          spec->account);
  if (*spec->user != '\0')
    g_string_append_printf (self->shown, " U = %-9.9s", spec->user);
  if (*spec->partition != '\0')
    g_string_append_printf (self->shown, " P = %s", spec->partition);
  g_string_append_c (self->shown, '\n');
}

/* Those that are new, or differ. */
static guint
associations_show (Change *self, gboolean are_new)
{
  guint count = 0;
  for (guint i = 0; i < self->to->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (self->to->associations, i);
    const LkAssociationSpec *before =
        lk_accounts_find (self->from, spec->account, spec->user, spec->partition);
    gboolean is_meant =
        are_new ? before == NULL
                : before != NULL && !is_same_association (self->from, before, self->to, spec);
    if (!is_meant)
      continue;
    association_show (self, spec);
    count++;
  }
  return count;
}

static void
names_show (Change *self)
{
  for (guint i = 0; self->subject.names != NULL && self->subject.names[i] != NULL; i++)
    g_string_append_printf (self->shown, "  %s\n", self->subject.names[i]);
}

static gboolean
is_label (const LkAccountsSetting *setting)
{
  return setting->option->effect == LK_OPTION_DESCRIPTION
         || setting->option->effect == LK_OPTION_ORGANIZATION
         || setting->option->effect == LK_OPTION_IGNORED;
}

static void
settings_show (Change *self, int width)
{
  for (guint i = 0; i < self->subject.settings->len; i++) {
    const LkAccountsSetting *setting = g_ptr_array_index (self->subject.settings, i);
    if (is_label (setting))
      continue;
    g_string_append_printf (self->shown, "  %-*s = %s\n", width, setting->option->name,
                            setting->value);
  }
}

static gboolean
has_settings (const Change *self)
{
  for (guint i = 0; i < self->subject.settings->len; i++)
    if (!is_label (g_ptr_array_index (self->subject.settings, i)))
      return TRUE;
  return FALSE;
}

static const char *
label_of (const Change *self, LkOptionEffect effect)
{
  for (guint i = 0; i < self->subject.settings->len; i++) {
    const LkAccountsSetting *setting = g_ptr_array_index (self->subject.settings, i);
    if (setting->option->effect == effect)
      return setting->value;
  }
  return self->subject.names[0];
}

/* ---------------------------------------------------------------- telling */

static void
added_show (Change *self)
{
  static const char *const titles[] = { "Account(s)", "User(s)", "QOS(s)" };
  g_string_append_printf (self->shown, " Adding %s\n", titles[self->entity]);
  names_show (self);
  g_string_append (self->shown, " Settings\n");
  if (self->entity == LK_ENTITY_QOS) {
    g_string_append_printf (self->shown, "  %-14s = %s\n", "Description",
                            label_of (self, LK_OPTION_DESCRIPTION));
    settings_show (self, 24);
    return;
  }
  if (self->entity == LK_ENTITY_ACCOUNT) {
    g_string_append_printf (self->shown, "  %-15s = %s\n", "Description",
                            label_of (self, LK_OPTION_DESCRIPTION));
    g_string_append_printf (self->shown, "  %-15s = %s\n", "Organization",
                            label_of (self, LK_OPTION_ORGANIZATION));
  }
  g_string_append (self->shown, " Associations =\n");
  associations_show (self, TRUE);
  if (has_settings (self))
    g_string_append (self->shown, " Settings\n");
  settings_show (self, 13);
}

static void
modified_show (Change *self)
{
  if (self->entity == LK_ENTITY_QOS) {
    g_string_append (self->shown, " Modified qos...\n");
    names_show (self);
    return;
  }
  g_string_append_printf (self->shown, " Modified %s associations...\n",
                          entity_word (self->entity));
  /* What was so before was still meant. */
  if (associations_show (self, FALSE) == 0)
    names_show (self);
}

static void
deleted_show (Change *self)
{
  static const char *const titles[] = { "accounts", "users", "QOS(s)" };
  g_string_append_printf (self->shown, " Deleting %s...\n", titles[self->entity]);
  names_show (self);
}

/* ---------------------------------------------------------------- asking, and doing */

/* No, unless he says yes within half a minute. */
gboolean
lk_sacctmgr_confirms (LkClient *client, const LkSacctmgrOptions *options)
{
  char answer[16];
  struct pollfd waited = { .fd = fileno (client->in), .events = POLLIN };
  if (options->is_immediate)
    return TRUE;
  fprintf (client->out,
           "Would you like to commit changes? (You have 30 seconds to decide)\n(N/y): ");
  fflush (client->out);
  gboolean is_yes = poll (&waited, 1, CONFIRM_MS) > 0
                    && fgets (answer, sizeof answer, client->in) != NULL
                    && g_ascii_tolower (answer[0]) == 'y';
  if (!is_yes)
    fprintf (client->out, "\n Changes Discarded\n");
  return is_yes;
}

typedef struct {
  LkClient *client;
  gboolean is_lost;
} Teller;

static LkReject
tell (gpointer user, LkEvent *event)
{
  Teller *self = user;
  LkMessage_reply reply;
  g_autoptr (GError) error = NULL;
  if (lk_client_event (self->client, event, &reply, &error))
    return reply.error;
  lk_client_error (self->client, "%s", error->message);
  self->is_lost = TRUE;
  return LK_REJECT_UNSUPPORTED;
}

static int
commit (Change *self)
{
  Teller teller = { .client = self->client };
  /* Associations go one by one: the first ones would be gone when a job keeps another one. */
  if (self->what == DO_DELETE && lk_client_is_root (self->client)
      && lk_sacctmgr_active_tell (self->client, self->from, self->to))
    return LK_SACCTMGR_FAILURE;
  LkReject reject = lk_accounts_tell_changes (self->from, self->to, tell, &teller);
  if (reject == 0)
    return 0;
  if (teller.is_lost)
    return LK_SACCTMGR_FAILURE;
  if (reject == LK_REJECT_ACCOUNTS_IN_USE && self->what == DO_DELETE
      && lk_sacctmgr_active_tell (self->client, self->from, self->to))
    return LK_SACCTMGR_FAILURE;
  if (reject == LK_REJECT_PERMISSION && self->what == DO_ADD)
    fprintf (self->client->err, " error: Only admins/operators/coordinators can add %ss\n",
             entity_word (self->entity));
  else if (reject == LK_REJECT_PERMISSION)
    fprintf (self->client->err, " Error with request: Access/permission denied\n");
  else
    fprintf (self->client->err, " error: %s\n", lk_refusal_text (reject));
  return LK_SACCTMGR_FAILURE;
}

/* RawUsage=0 is a change, whatever the use is now. */
static void
usage_assume (LkAccounts *accounts)
{
  for (guint i = 0; i < accounts->associations->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    if (*spec->user != '\0' && spec->usage <= 0)
      spec->usage = 1;
  }
}

static void
shown_print (const Change *self)
{
  if (!self->options->is_quiet)
    fprintf (self->client->out, "%s", self->shown->str);
}

/* Who is not asked is told what became different when it has. */
static int
work (Change *self, char **words)
{
  static void (*const shows[]) (Change *) = { added_show, modified_show, deleted_show };
  static const LkSlurmPlace place = { "sacctmgr", 0 };
  g_autoptr (GError) error = NULL;
  if (!lk_accounts_subject_read (&place, &self->subject, self->entity, words, &error))
    return impossible (self, words, error);
  lk_accounts_subject_narrow (&self->subject, self->from, self->entity);
  g_autofree char *line = line_join (self, words);
  usage_assume (self->from);
  self->to = lk_accounts_script_apply (self->from, line, &error);
  if (self->to == NULL)
    return impossible (self, words, error);
  shows[self->what](self);
  if (self->options->is_immediate) {
    int code = commit (self);
    if (code == 0)
      shown_print (self);
    return code;
  }
  shown_print (self);
  return lk_sacctmgr_confirms (self->client, self->options) ? commit (self) : 0;
}

int
lk_sacctmgr_change (LkClient *client, const LkSacctmgrOptions *options, char **words)
{
  Change self = { .client = client, .options = options };
  char verb = (char)g_ascii_tolower (words[0][0]);
  self.what = verb == 'a' || verb == 'c'   ? DO_ADD
              : verb == 'm' || verb == 'u' ? DO_MODIFY
                                           : DO_DELETE;
  if (self.what == DO_MODIFY && words[1] != NULL && strlen (words[1]) >= 1
      && g_ascii_strncasecmp ("jobs", words[1], strlen (words[1])) == 0)
    return lk_sacctmgr_modify_job (client, options, words + 2);
  if (words[1] == NULL || !entity_find (words[1], &self.entity)) {
    lk_client_error (client, "%s of %s is not implemented; expected account, user or qos", words[0],
                     words[1] != NULL ? words[1] : "nothing");
    return LK_SACCTMGR_FAILURE;
  }
  self.from = lk_client_accounts (client);
  if (self.from == NULL)
    return LK_SACCTMGR_FAILURE;
  if (self.entity == LK_ENTITY_CLUSTER) {
    if (self.what == DO_ADD)
      fprintf (client->out, " This cluster %s already exists.  Not adding.\n", self.from->cluster);
    else
      lk_client_error (client, "%s of the cluster is not implemented", words[0]);
    lk_accounts_free (self.from);
    return LK_SACCTMGR_FAILURE;
  }
  self.shown = g_string_new (NULL);
  lk_accounts_subject_init (&self.subject, self.what == DO_ADD);
  int code = work (&self, words + 2);
  lk_accounts_subject_clear (&self.subject);
  lk_accounts_free (self.from);
  lk_accounts_free (self.to);
  g_string_free (self.shown, TRUE);
  return code;
}
