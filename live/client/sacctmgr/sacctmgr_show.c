/* live/client/sacctmgr/sacctmgr_show.c — `sacctmgr show`: which things there are, and which are
 * asked for.
 *
 * The words behind the thing are names, conditions KEY=VALUE, format=, and options without a value.
 * Source: sacctmgr(1); columns as recorded with Slurm 26.05 (oracle/text). */
#include "live/client/sacctmgr/sacctmgr_show.h"

#include <string.h>

#include "live/client/accounting/accounts.h"
#include "live/client/json/accounts.h"
#include "live/client/node_row.h"
#include "live/client/rounds.h"
#include "live/client/words.h"
#include "traces/sshare_table.h"

#define PORT_DEFAULT "6817"
#define ASSOCIATION_COLUMNS                                                                        \
  "Cluster,Account,User,Partition,Share,Priority,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,"   \
  "MaxJobs,MaxTRES,MaxTRESPerNode,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS,GrpTRESRunMins"
#define ACCOUNT_COLUMNS "Account,Description,Organization"
#define ACCOUNT_LONG_COLUMNS                                                                       \
  ACCOUNT_COLUMNS ",Cluster,ParentName,User,Share,Priority,GrpJobs,GrpNodes,GrpCPUs,GrpMem,"       \
                  "GrpSubmit,GrpWall,GrpCPUMins,MaxJobs,MaxNodes,MaxCPUs,MaxSubmit,MaxWall,"       \
                  "MaxCPUMins,QOS,DefaultQOS"
#define USER_COLUMNS "User,DefaultAccount,AdminLevel"
#define USER_LONG_COLUMNS                                                                          \
  USER_COLUMNS ",Cluster,Account,Partition,Share,Priority,MaxJobs,MaxNodes,MaxCPUs,MaxSubmit,"     \
               "MaxWall,MaxCPUMins,QOS,DefaultQOS"
#define QOS_COLUMNS                                                                                \
  "Name,Priority,GraceTime,Preempt,PreemptExemptTime,PreemptMode,Flags%40,UsageThreshold,"         \
  "UsageFactor,GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpJobs,GrpSubmit,GrpWall,MaxTRES,"              \
  "MaxTRESPerNode,MaxTRESMins,MaxWall,MaxTRESPU,MaxJobsPU,MaxSubmitPU,MaxTRESPA,"                  \
  "MaxTRESRunMinsPA%22,MaxTRESRunMinsPU%22,MaxJobsPA,MaxSubmitPA,MinTRES"
#define CLUSTER_COLUMNS                                                                            \
  "Cluster,ControlHost,ControlPort,RPC,Share,GrpJobs,GrpTRES,GrpSubmit,MaxJobs,MaxTRES,"           \
  "MaxSubmit,MaxWall,QOS,DefaultQOS"
#define TRES_COLUMNS "Type,Name%15,ID"
#define TREE_ACCOUNT_WIDTH (-20)

/* What is asked for. Lists are NULL for all. */
typedef struct {
  LkClient *client;
  const LkSacctmgrOptions *options;
  LkSacctmgrReport report;
  char **names; /* of what is shown */
  char **accounts;
  char **users;
  char **clusters;
  char **partitions;
  char *format;
  gboolean with_associations;
  gboolean with_coordinators;
  GPtrArray *rows; /* of LkSacctmgrRow* */
} Show;

typedef struct {
  const char *name; /* may be cut short to three letters */
  void (*add) (Show *show);
  const char *columns;
  const char *long_columns; /* with associations */
  const char *key;          /* of names that stand alone: "account" */
  gboolean needs_none;      /* it is there without accounts, too */
  LkJsonAccountsKind kind;
} Thing;

/* ---------------------------------------------------------------- rows */

static gboolean
is_listed (char **words, const char *word)
{
  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], word) == 0)
      return TRUE;
  return words == NULL;
}

static LkSacctmgrRow *
row_add (Show *show)
{
  LkSacctmgrRow *row = g_new0 (LkSacctmgrRow, 1);
  g_ptr_array_add (show->rows, row);
  return row;
}

static void
row_free (gpointer data)
{
  LkSacctmgrRow *row = data;
  g_free (row->lineage);
  g_free (row);
}

static gboolean
wants_association (const Show *show, const LkAssociationSpec *spec)
{
  return is_listed (show->accounts, spec->account) && is_listed (show->users, spec->user)
         && is_listed (show->partitions, spec->partition);
}

/* All that are asked for, in the order of the tree. */
static void
associations_add (Show *show)
{
  const LkAccounts *accounts = show->report.accounts;
  g_autoptr (GPtrArray) places = g_ptr_array_new_with_free_func (g_free);
  for (guint32 i = 0; i < accounts->associations->len; i++)
    if (wants_association (show, g_ptr_array_index (accounts->associations, i))) {
      LkSshareRow *place = g_new0 (LkSshareRow, 1);
      lk_sshare_row_init (place, accounts, i);
      g_ptr_array_add (places, place);
    }
  g_ptr_array_sort (places, lk_sshare_row_compare);
  for (guint i = 0; i < places->len; i++) {
    LkSshareRow *place = g_ptr_array_index (places, i);
    const LkAssociationSpec *spec = place->spec;
    LkSacctmgrRow *row = row_add (show);
    row->association = spec;
    row->account = lk_accounts_find (accounts, spec->account, "", "");
    row->user = spec->user[0] != '\0' ? spec : NULL;
    row->number = place->association + 1;
    row->depth = place->depth;
    row->lineage = g_steal_pointer (&place->lineage);
  }
}

/* Names that stand alone. */
static void
names_are (Show *show, char ***list)
{
  if (show->names == NULL)
    return;
  g_strfreev (*list);
  *list = g_steal_pointer (&show->names);
}

static gint
compare_accounts (gconstpointer a, gconstpointer b)
{
  const LkSacctmgrRow *row_a = *(LkSacctmgrRow *const *)a;
  const LkSacctmgrRow *row_b = *(LkSacctmgrRow *const *)b;
  return strcmp (row_a->account->account, row_b->account->account);
}

static void
accounts_add (Show *show)
{
  const LkAccounts *accounts = show->report.accounts;
  names_are (show, &show->accounts);
  for (guint i = 0; !show->with_associations && i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    if (spec->user[0] == '\0' && is_listed (show->accounts, spec->account))
      row_add (show)->account = spec;
  }
  if (show->with_associations)
    associations_add (show);
  g_ptr_array_sort (show->rows, compare_accounts); /* which leaves equal ones as they are */
}

static gint
compare_users (gconstpointer a, gconstpointer b)
{
  const LkSacctmgrRow *row_a = *(LkSacctmgrRow *const *)a;
  const LkSacctmgrRow *row_b = *(LkSacctmgrRow *const *)b;
  return strcmp (row_a->user->user, row_b->user->user);
}

/* The first association of each user, or all. */
static void
users_add (Show *show)
{
  const LkAccounts *accounts = show->report.accounts;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  names_are (show, &show->users);
  if (show->with_associations)
    associations_add (show);
  for (guint i = show->rows->len; i-- > 0;)
    if (((LkSacctmgrRow *)g_ptr_array_index (show->rows, i))->user == NULL)
      g_ptr_array_remove_index (show->rows, i);
  for (guint i = 0; !show->with_associations && i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    if (spec->user[0] != '\0' && wants_association (show, spec)
        && g_hash_table_add (seen, spec->user))
      row_add (show)->user = spec;
  }
  g_ptr_array_sort (show->rows, compare_users);
}

static void
qos_add (Show *show)
{
  const GPtrArray *all = show->report.accounts->qos;
  for (guint i = 0; i < all->len; i++) {
    const LkQosSpec *spec = g_ptr_array_index (all, i);
    if (!is_listed (show->names, spec->name))
      continue;
    LkSacctmgrRow *row = row_add (show);
    row->qos = spec;
    row->number = i + 1;
  }
}

/* What the root has is the cluster's. */
/* "vm(127.0.0.1)" is at 127.0.0.1. */
static void
control_read (Show *show)
{
  LkSacctmgrReport *report = &show->report;
  g_autofree char *host = lk_client_conf_value (show->client, "SlurmctldHost");
  char *address = host != NULL ? strchr (host, '(') : NULL;
  if (host == NULL)
    return;
  report->control_host =
      address != NULL ? g_strndup (address + 1, strcspn (address + 1, ")")) : g_strdup (host);
  report->control_port = lk_client_conf_value (show->client, "SlurmctldPort");
  if (report->control_port == NULL)
    report->control_port = g_strdup (PORT_DEFAULT);
}

static void
cluster_add (Show *show)
{
  const LkAccounts *accounts = show->report.accounts;
  control_read (show);
  if (is_listed (show->names, accounts->cluster) && is_listed (show->clusters, accounts->cluster))
    row_add (show)->association = g_ptr_array_index (accounts->associations, 0);
}

static void
tres_add (Show *show)
{
  const LkAccounts *accounts = show->report.accounts;
  for (guint32 i = 0; i < accounts->tres->len; i++) {
    LkSacctmgrRow *row = row_add (show);
    row->tres = g_ptr_array_index (accounts->tres, i);
    row->number = lk_sacctmgr_tres_number (accounts, i);
  }
  guint32 number = lk_sacctmgr_tres_number (accounts, accounts->tres->len - 1);
  for (const char *const *name = lk_client_measured_tres (accounts); *name != NULL; name++) {
    LkSacctmgrRow *row = row_add (show);
    row->tres = *name;
    row->number = ++number;
  }
}

static const Thing things[] = {
  { "associations", associations_add, ASSOCIATION_COLUMNS, ASSOCIATION_COLUMNS, "account", FALSE,
    LK_JSON_ASSOCIATIONS },
  { "accounts", accounts_add, ACCOUNT_COLUMNS, ACCOUNT_LONG_COLUMNS, "account", FALSE,
    LK_JSON_ACCOUNTS },
  { "clusters", cluster_add, CLUSTER_COLUMNS, CLUSTER_COLUMNS, "cluster", TRUE, LK_JSON_CLUSTERS },
  { "qos", qos_add, QOS_COLUMNS, QOS_COLUMNS, "name", FALSE, LK_JSON_QOS },
  { "tres", tres_add, TRES_COLUMNS, TRES_COLUMNS, "type", TRUE, LK_JSON_TRES },
  { "users", users_add, USER_COLUMNS, USER_LONG_COLUMNS, "user", FALSE, LK_JSON_USERS },
};

/* ---------------------------------------------------------------- what is asked for */

static char *
bare_of (const char *value)
{
  gsize length = strlen (value);
  return length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0]
             ? g_strndup (value + 1, length - 2)
             : g_strdup (value);
}

static char **
words_of (const char *value)
{
  g_autofree char *bare = bare_of (value);
  return g_strsplit (bare, ",", -1);
}

static void
set_list (char ***list, const char *value)
{
  g_strfreev (*list);
  *list = words_of (value);
}

static gboolean
begins (const char *name, const char *key, gsize key_bytes, gsize least_bytes)
{
  return key_bytes >= least_bytes && g_ascii_strncasecmp (name, key, key_bytes) == 0;
}

/* "user=bob". FALSE: there is no such condition. */
static gboolean
condition_take (Show *self, const char *word, gsize key_bytes)
{
  const char *value = word + key_bytes + 1;
  if (begins ("format", word, key_bytes, 1)) {
    g_free (self->format);
    self->format = bare_of (value);
  } else if (begins ("accounts", word, key_bytes, 2) || begins ("acct", word, key_bytes, 4)) {
    set_list (&self->accounts, value);
  } else if (begins ("users", word, key_bytes, 1)) {
    set_list (&self->users, value);
  } else if (begins ("clusters", word, key_bytes, 1)) {
    set_list (&self->clusters, value);
  } else if (begins ("partitions", word, key_bytes, 4)) {
    set_list (&self->partitions, value);
  } else if (begins ("names", word, key_bytes, 1)) {
    set_list (&self->names, value);
  } else {
    return FALSE;
  }
  return TRUE;
}

/* Words without a value. FALSE: it is none of these. */
static gboolean
switch_take (Show *self, const char *word)
{
  const struct {
    const char *word;
    gboolean *flag;
  } known[] = { { "tree", &self->report.is_tree },
                { "withassoc", &self->with_associations },
                { "withcoord", &self->with_coordinators },
                { "wopl", &self->report.without_parents },
                { "woplimits", &self->report.without_parents } };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_ascii_strcasecmp (word, known[i].word) == 0
        || (i == 1 && g_ascii_strcasecmp (word, "withassociations") == 0)) {
      *known[i].flag = TRUE;
      return TRUE;
    }
  /* Those that change nothing: all that there is is shown, and nothing else. */
  return lk_word_is_listed ("where,withdeleted,wopi,wopinfo", word);
}

static gboolean
words_take (Show *self, const Thing *thing, char **words)
{
  for (; *words != NULL; words++) {
    const char *equals = strchr (*words, '=');
    gboolean is_known = equals != NULL ? condition_take (self, *words, (gsize)(equals - *words))
                                       : switch_take (self, *words);
    if (is_known)
      continue;
    if (equals != NULL) {
      fprintf (self->client->err, " Unknown condition: %s\n Use keyword 'set' to modify value\n",
               *words);
      return FALSE;
    }
    if (strcmp (thing->key, "account") == 0 && thing->add == associations_add)
      set_list (&self->accounts, *words);
    else
      set_list (&self->names, *words);
  }
  return TRUE;
}

/* ---------------------------------------------------------------- the command */

/* In a tree accounts are aligned left, so that their indentation shows, unless the format gives a
 * width. */
static void
widen_accounts (const char *format, GArray *chosen)
{
  g_auto (GStrv) words = g_strsplit (format, ",", -1);
  guint at = 0;
  for (guint i = 0; words[i] != NULL; i++) {
    if (words[i][0] == '\0')
      continue;
    LkField *field = &g_array_index (chosen, LkField, at++);
    if (strcmp (field->name, "Account") == 0 && strchr (words[i], '%') == NULL)
      field->width = TREE_ACCOUNT_WIDTH;
  }
}

static int
print (const Show *self, const Thing *thing)
{
  const LkFieldStyle style = { .no_heading = self->options->no_header,
                               .is_parsable = self->options->parsable,
                               .is_parsable2 = self->options->parsable2 };
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (LkField));
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *wrong = NULL;
  g_autofree char *standard =
      g_strconcat (self->with_associations ? thing->long_columns : thing->columns,
                   self->with_coordinators ? ",Coordinators" : "", NULL);
  const char *format = self->format != NULL ? self->format : standard;
  if (!lk_fields_parse (lk_sacctmgr_fields, format, chosen, &wrong)) {
    fprintf (self->client->err, " Unknown field '%s'\n", wrong);
    return LK_SACCTMGR_FAILURE;
  }
  if (self->report.is_tree)
    widen_accounts (format, chosen);
  lk_fields_heading (&style, chosen, out);
  for (guint i = 0; i < self->rows->len; i++)
    lk_fields_row (&style, chosen, &self->report, g_ptr_array_index (self->rows, i), out);
  fwrite (out->str, 1, out->len, self->client->out);
  return 0;
}

static void
print_json (const Show *self, const Thing *thing)
{
  const LkJsonAccountsReport report = { self->client, &self->report, self->with_associations,
                                        self->with_coordinators };
  lk_json_accounts (&report, &self->options->json, thing->kind, self->rows);
}

/* A cluster without accounts has a name and TRES all the same. Returns: (transfer full); NULL:
 * nobody tells; told. */
static LkAccounts *
bare_accounts (LkClient *client)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkMachineView) view = lk_machine_view_new (client, &error);
  if (view == NULL) {
    lk_client_error (client, "%s", error->message);
    return NULL;
  }
  LkAccounts *accounts = lk_accounts_new (view->cluster->name);
  for (guint i = 0; i < view->cluster->nodes->len; i++) {
    const LkNodeSpec *node = g_ptr_array_index (view->cluster->nodes, i);
    for (guint j = 0; j < node->gres->len; j++) {
      const LkGresSpec *gres = g_ptr_array_index (node->gres, j);
      g_autofree char *tres = g_strdup_printf ("gres/%s", gres->name);
      lk_accounts_add_tres (accounts, tres);
    }
  }
  return accounts;
}

static LkAccounts *
accounts_of (LkClient *client, const Thing *thing)
{
  LkAccounts *accounts;
  if (!thing->needs_none)
    return lk_client_accounts (client);
  if (!lk_client_accounts_or_none (client, &accounts))
    return NULL;
  return accounts != NULL ? accounts : bare_accounts (client);
}

static int
show (Show *self, const Thing *thing, char **words)
{
  g_autoptr (LkAccounts) accounts = NULL;
  if (!words_take (self, thing, words))
    return LK_SACCTMGR_FAILURE;
  accounts = accounts_of (self->client, thing);
  if (accounts == NULL)
    return LK_SACCTMGR_FAILURE;
  self->report.accounts = accounts;
  lk_sacctmgr_report_fill (&self->report);
  self->rows = g_ptr_array_new_with_free_func (row_free);
  if (is_listed (self->clusters, accounts->cluster))
    thing->add (self);
  int code = 0;
  if (self->options->json.is_wanted)
    print_json (self, thing);
  else
    code = print (self, thing);
  g_ptr_array_unref (self->rows);
  lk_sacctmgr_report_clear (&self->report);
  return code;
}

static const Thing *
thing_find (const char *word)
{
  gsize length = strlen (word);
  for (guint i = 0; i < G_N_ELEMENTS (things); i++)
    if (length >= 2 && g_ascii_strncasecmp (things[i].name, word, length) == 0
        && (length >= 3 || i != 0))
      return &things[i];
  return NULL;
}

int
lk_sacctmgr_show (LkClient *client, const LkSacctmgrOptions *options, char **words)
{
  Show self = { .client = client, .options = options, .with_associations = options->associations };
  const char *word = words[1] != NULL ? words[1] : "";
  const Thing *thing = thing_find (word);
  gboolean is_wckey = *word != '\0' && g_ascii_strncasecmp ("wckeys", word, strlen (word)) == 0;
  if (options->json.is_wanted && thing == NULL && !is_wckey) {
    lk_client_error (client, "show %s has no JSON", word);
    return LK_SACCTMGR_FAILURE;
  }
  if (strlen (word) >= 3 && g_ascii_strncasecmp ("runawayjobs", word, strlen (word)) == 0) {
    /* Accounting is made of the journal, so that no job can run away from it. */
    fprintf (client->out, "Runaway Jobs: No runaway jobs found\n");
    return 0;
  }
  if (strlen (word) >= 2 && g_ascii_strncasecmp ("events", word, strlen (word)) == 0)
    return lk_sacctmgr_events (client, options, words + 2);
  if (strlen (word) >= 2 && g_ascii_strncasecmp ("transactions", word, strlen (word)) == 0
      && !g_str_has_prefix ("tres", word))
    return lk_sacctmgr_transactions (client, options, words + 2);
  if (g_ascii_strcasecmp (word, "txn") == 0)
    return lk_sacctmgr_transactions (client, options, words + 2);
  if (strlen (word) >= 3 && g_ascii_strncasecmp ("configuration", word, strlen (word)) == 0)
    return lk_sacctmgr_config (client, options);
  if (strlen (word) >= 2 && g_ascii_strncasecmp ("problems", word, strlen (word)) == 0)
    return lk_sacctmgr_found (client, options, /* is_wckey= */ FALSE, words + 2);
  if (is_wckey)
    return lk_sacctmgr_found (client, options, /* is_wckey= */ TRUE, words + 2);
  if (strlen (word) >= 2 && g_ascii_strncasecmp ("stats", word, strlen (word)) == 0) {
    lk_client_error (client, "there is no slurmdbd; sdiag tells what the controller has done");
    return LK_SACCTMGR_FAILURE;
  }
  if (thing == NULL) {
    fprintf (
        client->err,
        "No valid entity in list command\n"
        "Input line must include \"Account\", \"Association\", \"Cluster\", "
        "\"Configuration\", \"Event\", \"Problem\", \"QOS\", \"RunawayJobs\", \"Transaction\", "
        "\"TRES\", \"User\" or \"WCKey\"\n");
    return LK_SACCTMGR_FAILURE;
  }
  int code = show (&self, thing, words + 2);
  g_strfreev (self.names);
  g_strfreev (self.accounts);
  g_strfreev (self.users);
  g_strfreev (self.clusters);
  g_strfreev (self.partitions);
  g_free (self.format);
  return code;
}
