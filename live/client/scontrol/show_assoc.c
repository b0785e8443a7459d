/* live/client/scontrol/show_assoc.c — `scontrol show assoc_mgr`: users, associations and QOS with
 * their limits and with what counts in them, as the controller has them.
 *
 * Laid out as recorded with Slurm 26.05 (oracle scontrol-assoc): LIMIT(USED), N for none.  Words
 * pick as in Slurm: users=, accounts=, qos=, flags=. */
#include <pwd.h>
#include <string.h>

#include "live/client/accounting/accounts.h"
#include "live/client/scontrol/assoc_use.h"
#include "live/client/sacctmgr/sacctmgr_show.h"
#include "live/client/scontrol/show.h"
#include "live/client/words.h"
#include "traces/sshare_table.h"
#include "traces/table.h"

#define MINUTE_S 60u

typedef struct {
  const LkClient *client;
  LkAccounts *accounts;
  LkRecord_share *shares; /* by association; zero where nothing is told */
  LkAssocUses uses;
  const char *users; /* lists; NULL: all */
  const char *account_names;
  const char *qos;
  const char *flags;
  GString *out;
} Manager;

static void
take_share (gpointer user, const LkRecord *record)
{
  Manager *self = user;
  const LkRecord_share *told = &record->share;
  if (told->association < self->accounts->associations->len) {
    self->shares[told->association] = *told;
    self->shares[told->association].tres_run_s = (LkLongText){ NULL, 0 }; /* is not kept */
  }
}

static gboolean
wants (const char *list, const char *word)
{
  return list == NULL || lk_word_is_listed (list, word);
}

static gboolean
wants_kind (const Manager *self, const char *kind)
{
  return self->flags == NULL || lk_word_is_listed (self->flags, kind);
}

/* ---------------------------------------------------------------- limits */

/* "bob(6002)"; a user whom this machine does not know has no number. */
static void
append_user (const char *name, GString *out)
{
  const struct passwd *found = *name != '\0' ? getpwnam (name) : NULL;
  g_string_append (out, name);
  if (found != NULL)
    g_string_append_printf (out, "(%u)", found->pw_uid);
}

/* Whose limits are printed. */
typedef struct {
  const Manager *manager;
  const LkAssociationSpec *association; /* NULL: a QOS's */
  const LkQosSpec *qos;
} Holder;

static gboolean
limit_of (const Holder *self, guint32 kind, guint32 tres, guint64 *out_value)
{
  const LkSacctmgrReport report = { .accounts = self->manager->accounts };
  return self->qos != NULL ? lk_limits_get (self->qos->limits, kind, tres, out_value)
                           : lk_sacctmgr_limit (&report, self->association, kind, tres, out_value);
}

/* "NAME=3(1)"; N: no limit. */
static void
append_counted (const Holder *self, const char *name, guint32 kind, guint32 used)
{
  GString *out = self->manager->out;
  guint64 value;
  g_string_append_printf (out, "%s=", name);
  if (limit_of (self, kind, 0, &value))
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, value);
  else
    g_string_append_c (out, 'N');
  g_string_append_printf (out, "(%u)", used);
}

/* "NAME=3(1)"; "NAME=" without a limit. */
static void
append_if_counted (const Holder *self, const char *name, guint32 kind, guint32 used)
{
  guint64 value;
  g_string_append_printf (self->manager->out, "%s=", name);
  if (limit_of (self, kind, 0, &value))
    g_string_append_printf (self->manager->out, "%" G_GUINT64_FORMAT "(%u)", value, used);
}

/* "NAME=30"; "NAME=" without a limit. */
static void
append_limit (const Holder *self, const char *name, guint32 kind)
{
  guint64 value;
  g_string_append_printf (self->manager->out, "%s=", name);
  if (limit_of (self, kind, 0, &value))
    g_string_append_printf (self->manager->out, "%" G_GUINT64_FORMAT, value);
}

static void
append_wall (const Holder *self, double used_s)
{
  GString *out = self->manager->out;
  guint64 value;
  g_string_append (out, "GrpWall=");
  if (limit_of (self, LK_LIMIT_GRP_WALL, 0, &value))
    g_string_append_printf (out, "%" G_GUINT64_FORMAT "(", value);
  else
    g_string_append (out, "N(");
  lk_table_real (out, used_s / MINUTE_S, 2);
  g_string_append (out, ")\n");
}

/* A line "NAME=cpu=8(2),mem=N(0)": of each TRES the limit and what of it is used. */
static void
append_used_tres (const Holder *self, const char *name, guint32 kind, const guint64 *used,
                  guint64 unit)
{
  const GPtrArray *tres = self->manager->accounts->tres;
  GString *out = self->manager->out;
  g_string_append_printf (out, "%s=", name);
  for (guint32 t = 0; t < tres->len; t++) {
    guint64 value;
    g_string_append_printf (out, "%s%s=", t > 0 ? "," : "", (const char *)tres->pdata[t]);
    if (limit_of (self, kind, t, &value))
      g_string_append_printf (out, "%" G_GUINT64_FORMAT, value);
    else
      g_string_append_c (out, 'N');
    g_string_append_printf (out, "(%" G_GUINT64_FORMAT ")", used[t] / unit);
  }
  const char *const *measured = lk_client_measured_tres (self->manager->accounts);
  for (; *measured != NULL; measured++)
    g_string_append_printf (out, ",%s=N(0)", *measured);
  g_string_append_c (out, '\n');
}

/* A line "    NAME=cpu=8,mem=500": those that are limited. */
static void
append_tres (const Holder *self, const char *name, guint32 kind)
{
  const GPtrArray *tres = self->manager->accounts->tres;
  GString *out = self->manager->out;
  const char *comma = "";
  g_string_append_printf (out, "    %s=", name);
  for (guint32 t = 0; t < tres->len; t++) {
    guint64 value;
    if (!limit_of (self, kind, t, &value))
      continue;
    g_string_append_printf (out, "%s%s=%" G_GUINT64_FORMAT, comma, (const char *)tres->pdata[t],
                            value);
    comma = ",";
  }
  g_string_append_c (out, '\n');
}

static void
append_grp_tres (const Holder *self, const LkAssocUse *use)
{
  GString *out = self->manager->out;
  g_string_append (out, "    ");
  append_used_tres (self, "GrpTRES", LK_LIMIT_GRP_TRES, use->tres, 1);
  g_string_append (out, "    ");
  append_used_tres (self, "GrpTRESMins", LK_LIMIT_GRP_TRES_MINS, use->tres_s, MINUTE_S);
  g_string_append (out, "    ");
  append_used_tres (self, "GrpTRESRunMins", LK_LIMIT_GRP_TRES_RUN_MINS, use->tres_run_s, MINUTE_S);
}

/* ---------------------------------------------------------------- users */

static gint
compare_users (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(LkAssociationSpec *const *)a)->user, (*(LkAssociationSpec *const *)b)->user);
}

/* The association of each user's default account. Returns: (transfer full). */
static GPtrArray *
default_associations (const Manager *self)
{
  const GPtrArray *all = self->accounts->associations;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *found = g_ptr_array_new ();
  for (guint i = 0; i < all->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (all, i);
    if (*spec->user != '\0' && spec->is_default && wants (self->users, spec->user)
        && g_hash_table_add (seen, spec->user))
      g_ptr_array_add (found, spec);
  }
  g_ptr_array_sort (found, compare_users);
  return found;
}

static void
users_print (const Manager *self)
{
  g_autoptr (GPtrArray) users = default_associations (self);
  g_string_append (self->out, "User Records\n\n");
  for (guint i = 0; i < users->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (users, i);
    g_string_append (self->out, "UserName=");
    append_user (spec->user, self->out);
    g_string_append_printf (self->out, " DefAccount=%s DefWckey= AdminLevel=%s\n", spec->account,
                            *spec->admin_level != '\0' ? spec->admin_level : "None");
  }
}

/* ---------------------------------------------------------------- associations */

/* The account above; "": there is none. */
static const char *
above (const LkAssociationSpec *spec)
{
  return spec->user[0] != '\0' ? spec->account : spec->parent;
}

/* Shares of all that stand beside it, itself among them. */
static guint64
level_shares (const Manager *self, const LkAssociationSpec *spec)
{
  const GPtrArray *all = self->accounts->associations;
  guint64 sum = 0;
  for (guint i = 0; i < all->len; i++) {
    const LkAssociationSpec *other = g_ptr_array_index (all, i);
    if (strcmp (above (other), above (spec)) == 0 && other->shares != LK_SHARES_PARENT)
      sum += other->shares;
  }
  return sum;
}

static void
shares_print (const Manager *self, guint32 at, const LkAssociationSpec *spec)
{
  const LkRecord_share *share = &self->shares[at];
  GString *out = self->out;
  g_string_append_printf (out, "    SharesRaw/Norm/Level/Factor=%u/", spec->shares);
  lk_table_real (out, share->shares_norm, 2);
  g_string_append_printf (out, "/%" G_GUINT64_FORMAT "/", level_shares (self, spec));
  lk_table_real (out, share->fairshare < 0 ? 0 : share->fairshare, 2);
  g_string_append (out, "\n    UsageRaw/Norm/Efctv=");
  lk_table_real (out, share->usage_raw, 2);
  g_string_append_c (out, '/');
  lk_table_real (out, share->usage_norm < 0 ? share->usage_effective : share->usage_norm, 2);
  g_string_append_c (out, '/');
  lk_table_real (out, share->usage_effective, 2);
  g_string_append_c (out, '\n');
}

/* "root(1)" of an account. */
static void
parent_print (const Manager *self, const LkAssociationSpec *spec)
{
  const GPtrArray *all = self->accounts->associations;
  g_string_append (self->out, "    ParentAccount=");
  for (guint i = 0; spec->user[0] == '\0' && spec->parent[0] != '\0' && i < all->len; i++) {
    const LkAssociationSpec *other = g_ptr_array_index (all, i);
    if (other->user[0] == '\0' && strcmp (other->account, spec->parent) == 0)
      g_string_append_printf (self->out, "%s(%u)", spec->parent, i + 1);
  }
}

static void
association_print (const Manager *self, const LkSshareRow *row)
{
  const LkAssociationSpec *spec = row->spec;
  const LkAssocUse *use = self->uses.association[row->association];
  const Holder holder = { .manager = self, .association = spec };
  GString *out = self->out;
  g_string_append_printf (out, "ClusterName=%s Account=%s UserName=", self->accounts->cluster,
                          spec->account);
  append_user (spec->user, out);
  g_string_append_printf (out, " Partition=%s Priority=%u ID=%u\n", spec->partition, spec->priority,
                          row->association + 1);
  shares_print (self, row->association, spec);
  parent_print (self, spec);
  g_string_append_printf (out, " Lineage=%s DefAssoc=%s\n    ", row->lineage,
                          spec->is_default ? "Yes" : "No");
  append_counted (&holder, "GrpJobs", LK_LIMIT_GRP_JOBS, use->running);
  append_counted (&holder, " GrpJobsAccrue", LK_LIMIT_GRP_JOBS_ACCRUE, use->accruing);
  append_counted (&holder, "\n    GrpSubmitJobs", LK_LIMIT_GRP_SUBMIT_JOBS, use->submitted);
  g_string_append_c (out, ' ');
  append_wall (&holder, use->wall_s);
  append_grp_tres (&holder, use);
  append_if_counted (&holder, "    MaxJobs", LK_LIMIT_MAX_JOBS, use->running);
  append_if_counted (&holder, " MaxJobsAccrue", LK_LIMIT_MAX_JOBS_ACCRUE, use->accruing);
  append_if_counted (&holder, " MaxSubmitJobs", LK_LIMIT_MAX_SUBMIT_JOBS, use->submitted);
  append_limit (&holder, " MaxWallPJ", LK_LIMIT_MAX_WALL_PER_JOB);
  g_string_append_c (out, '\n');
  append_tres (&holder, "MaxTRESPJ", LK_LIMIT_MAX_TRES_PER_JOB);
  append_tres (&holder, "MaxTRESPN", LK_LIMIT_MAX_TRES_PER_NODE);
  append_tres (&holder, "MaxTRESMinsPJ", LK_LIMIT_MAX_TRES_MINS_PER_JOB);
  append_limit (&holder, "    MinPrioThresh", LK_LIMIT_MIN_PRIO_THRESHOLD);
  g_string_append (out, "\n    Comment=(null)\n");
}

static void
row_free (gpointer row)
{
  lk_sshare_row_clear (row);
  g_free (row);
}

/* In the order of the tree. */
static void
associations_print (const Manager *self)
{
  const GPtrArray *all = self->accounts->associations;
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (row_free);
  for (guint32 i = 0; i < all->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (all, i);
    if (!wants (self->account_names, spec->account)
        || (*spec->user != '\0' && !wants (self->users, spec->user)))
      continue;
    LkSshareRow *row = g_new0 (LkSshareRow, 1);
    lk_sshare_row_init (row, self->accounts, i);
    g_ptr_array_add (rows, row);
  }
  g_ptr_array_sort (rows, lk_sshare_row_compare);
  g_string_append (self->out, "\nAssociation Records\n\n");
  for (guint i = 0; i < rows->len; i++)
    association_print (self, g_ptr_array_index (rows, i));
}

/* ---------------------------------------------------------------- QOS */

/* What somebody may use within a QOS: names and kinds of the limits. */
typedef struct {
  LkUseScope scope;
  const char *heading;
  const char *nobody;
  const char *suffix; /* of the names */
  guint32 jobs;
  guint32 accrue;
  guint32 submit;
  guint32 tres;
  guint32 tres_run;
} Within;

static void
within_one (const Holder *holder, const Within *within, const LkAssocUse *use)
{
  GString *out = holder->manager->out;
  const struct {
    const char *name;
    guint32 kind;
    guint32 used;
  } counts[] = { { "        MaxJobs", within->jobs, use->running },
                 { " MaxJobsAccrue", within->accrue, use->accruing },
                 { " MaxSubmitJobs", within->submit, use->submitted } };
  g_string_append (out, "      ");
  if (within->scope == LK_USE_USER_IN_QOS)
    append_user (use->name, out);
  else
    g_string_append (out, use->name);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_autofree char *name = g_strconcat (counts[i].name, within->suffix, NULL);
    append_counted (holder, name, counts[i].kind, counts[i].used);
  }
  g_autofree char *tres = g_strconcat ("\n        MaxTRES", within->suffix, NULL);
  g_autofree char *run = g_strconcat ("        MaxTRESRunMins", within->suffix, NULL);
  append_used_tres (holder, tres, within->tres, use->tres, 1);
  append_used_tres (holder, run, within->tres_run, use->tres_run_s, MINUTE_S);
}

static void
within_print (const Holder *holder, const Within *within, guint32 place, const char *wanted)
{
  const Manager *self = holder->manager;
  gboolean is_any = FALSE;
  g_string_append_printf (self->out, "    %s\n", within->heading);
  for (guint i = 0; i < self->uses.all->len; i++) {
    const LkAssocUse *use = g_ptr_array_index (self->uses.all, i);
    if (use->scope != within->scope || use->place != place || !wants (wanted, use->name))
      continue;
    within_one (holder, within, use);
    is_any = TRUE;
  }
  if (!is_any)
    g_string_append_printf (self->out, "        %s\n", within->nobody);
}

static void
qos_print_limits (const Holder *holder, const LkAssocUse *use)
{
  GString *out = holder->manager->out;
  g_string_append_printf (out, "    UsageRaw=%f\n", use->usage);
  append_counted (holder, "    GrpJobs", LK_LIMIT_GRP_JOBS, use->running);
  append_counted (holder, " GrpJobsAccrue", LK_LIMIT_GRP_JOBS_ACCRUE, use->accruing);
  append_counted (holder, " GrpSubmitJobs", LK_LIMIT_GRP_SUBMIT_JOBS, use->submitted);
  g_string_append_c (out, ' ');
  append_wall (holder, use->wall_s);
  append_grp_tres (holder, use);
  append_limit (holder, "    MaxWallPJ", LK_LIMIT_MAX_WALL_PER_JOB);
  g_string_append_c (out, '\n');
  append_tres (holder, "MaxTRESPJ", LK_LIMIT_MAX_TRES_PER_JOB);
  append_tres (holder, "MaxTRESPN", LK_LIMIT_MAX_TRES_PER_NODE);
  append_tres (holder, "MaxTRESMinsPJ", LK_LIMIT_MAX_TRES_MINS_PER_JOB);
  append_limit (holder, "    MinPrioThresh", LK_LIMIT_MIN_PRIO_THRESHOLD);
  g_string_append (out, " \n");
  append_tres (holder, "MinTRESPJ", LK_LIMIT_MIN_TRES_PER_JOB);
}

static void
qos_print (const Manager *self)
{
  static const Within accounts = { LK_USE_ACCOUNT_IN_QOS,
                                   "Account Limits",
                                   "No Accounts",
                                   "PA",
                                   LK_LIMIT_MAX_JOBS_PER_ACCOUNT,
                                   LK_LIMIT_MAX_JOBS_ACCRUE_PER_ACCOUNT,
                                   LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT,
                                   LK_LIMIT_MAX_TRES_PER_ACCOUNT,
                                   LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT };
  static const Within users = { LK_USE_USER_IN_QOS,
                                "User Limits",
                                "No Users",
                                "PU",
                                LK_LIMIT_MAX_JOBS_PER_USER,
                                LK_LIMIT_MAX_JOBS_ACCRUE_PER_USER,
                                LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER,
                                LK_LIMIT_MAX_TRES_PER_USER,
                                LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER };
  g_string_append (self->out, "\nQOS Records\n\n");
  for (guint32 i = 0; i < self->accounts->qos->len; i++) {
    const LkQosSpec *spec = g_ptr_array_index (self->accounts->qos, i);
    const Holder holder = { .manager = self, .qos = spec };
    if (!wants (self->qos, spec->name))
      continue;
    g_string_append_printf (self->out, "QOS=%s(%u)\n", spec->name, i + 1);
    qos_print_limits (&holder, self->uses.qos[i]);
    g_string_append_printf (self->out, "    PreemptMode=%s\n    Priority=%u\n",
                            *spec->preempt_mode != '\0' ? spec->preempt_mode : "OFF",
                            spec->priority);
    within_print (&holder, &accounts, i, self->account_names);
    within_print (&holder, &users, i, self->users);
  }
}

/* ---------------------------------------------------------------- the command */

/* FALSE: told. */
static gboolean
words_take (Manager *self, char **words)
{
  for (; *words != NULL; words++) {
    const struct {
      const char *key;
      const char **list;
    } known[] = { { "users=", &self->users },
                  { "user=", &self->users },
                  { "accounts=", &self->account_names },
                  { "account=", &self->account_names },
                  { "qos=", &self->qos },
                  { "flags=", &self->flags } };
    gboolean is_known = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS (known); i++)
      if (g_ascii_strncasecmp (*words, known[i].key, strlen (known[i].key)) == 0) {
        *known[i].list = *words + strlen (known[i].key);
        is_known = TRUE;
      }
    if (is_known)
      continue;
    lk_client_error (self->client,
                     "show assoc_mgr: '%s'; expected users=, accounts=, qos= or flags=", *words);
    return FALSE;
  }
  return TRUE;
}

/* FALSE: nobody tells; told. */
static gboolean
gather (Manager *self)
{
  const LkClientQuery shares = { .kind = LK_RECORD_SHARE };
  g_autoptr (GError) error = NULL;
  if (lk_client_query (self->client, &shares, take_share, self, &error)
      && lk_assoc_uses_read (self->client, self->accounts, &self->uses, &error))
    return TRUE;
  lk_client_error (self->client, "%s", error->message);
  return FALSE;
}

static int
show (Manager *self, char **words)
{
  if (!words_take (self, words) || !gather (self))
    return LK_SCONTROL_FAILURE;
  g_string_append (self->out, "Current Association Manager state\n\n");
  if (wants_kind (self, "users"))
    users_print (self);
  if (wants_kind (self, "assoc"))
    associations_print (self);
  if (wants_kind (self, "qos"))
    qos_print (self);
  fwrite (self->out->str, 1, self->out->len, self->client->out);
  return 0;
}

int
lk_show_assoc (LkClient *client, const LkScontrolOptions *options, char **words)
{
  g_autoptr (LkAccounts) accounts = lk_client_accounts (client);
  Manager self = { .client = client, .accounts = accounts };
  (void)options;
  if (accounts == NULL)
    return LK_SCONTROL_FAILURE;
  self.out = g_string_new (NULL);
  self.shares = g_new0 (LkRecord_share, accounts->associations->len);
  int code = show (&self, words);
  g_string_free (self.out, TRUE);
  g_free (self.shares);
  lk_assoc_uses_clear (&self.uses);
  return code;
}
