/* live/client/show_assoc.c — `scontrol show assoc_mgr`: users, associations and QOS with their
 * limits and with what counts in them, as the controller has them.
 *
 * Laid out as recorded with Slurm 26.05 (oracle scontrol-assoc): LIMIT(USED), N for none.  Of what
 * is used jobs and the use of associations are known; what is not told is left out.  Words pick as
 * in Slurm: users=, accounts=, qos=, flags=. */
#include <pwd.h>
#include <string.h>

#include "engine/limits.h"
#include "engine/task_set.h"
#include "live/client/accounts.h"
#include "live/client/job_row.h"
#include "live/client/sacctmgr_show.h"
#include "live/client/show.h"
#include "live/client/words.h"
#include "traces/table.h"

typedef struct {
  guint32 jobs;
  guint32 submitted;
} Count;

typedef struct {
  const LkClient *client;
  LkAccounts *accounts;
  LkRecord_share *shares; /* by association; zero where nothing is told */
  Count *counts;          /* likewise */
  Count *qos_counts;
  const char *users; /* lists; NULL: all */
  const char *account_names;
  const char *qos;
  const char *flags;
  GString *out;
} Manager;

/* ---------------------------------------------------------------- what counts */

static guint32
association_of (const Manager *self, const char *account, const char *user)
{
  const LkAssociationSpec *spec = lk_accounts_find (self->accounts, account, user, "");
  for (guint32 i = 0; spec != NULL && i < self->accounts->associations->len; i++)
    if (g_ptr_array_index (self->accounts->associations, i) == spec)
      return i;
  return LK_INDEX_NONE;
}

/* As many as tasks wait together. */
static guint32
weight_of (const LkRecord_job *job)
{
  LkTaskSet tasks = { 0 };
  gsize length = 0;
  if (job->array_job_id == 0 || job->array_task != G_MAXUINT32)
    return 1;
  while (length < job->array_tasks.length_bytes && job->array_tasks.bytes[length] != '%')
    length++;
  LkText list = { job->array_tasks.bytes, (guint16)MIN (length, G_MAXUINT16) };
  guint32 count =
      length <= G_MAXUINT16 && lk_task_set_parse (list, LK_LIMIT_TASKS, &tasks) ? tasks.count : 1;
  lk_task_set_clear (&tasks);
  return count;
}

/* In the association and all above it. */
static void
count_association (Manager *self, const LkRecord_job *job, gboolean is_running)
{
  g_autofree char *account = g_strndup (job->account_name.bytes, job->account_name.length_bytes);
  g_autofree char *user = g_strndup (job->user_name.bytes, job->user_name.length_bytes);
  for (guint32 at = association_of (self, account, user); at != LK_INDEX_NONE;) {
    const LkAssociationSpec *spec = g_ptr_array_index (self->accounts->associations, at);
    self->counts[at].submitted += weight_of (job);
    self->counts[at].jobs += is_running ? 1 : 0;
    at = spec->user[0] != '\0'     ? association_of (self, spec->account, "")
         : spec->parent[0] != '\0' ? association_of (self, spec->parent, "")
                                   : LK_INDEX_NONE;
  }
}

static void
count_job (Manager *self, const LkRecord_job *job)
{
  gboolean is_running = job->state == LK_JOB_RUNNING || job->state == LK_JOB_SUSPENDED;
  if (!is_running && job->state != LK_JOB_PENDING)
    return;
  count_association (self, job, is_running);
  for (guint32 i = 0; i < self->accounts->qos->len; i++) {
    const LkQosSpec *spec = g_ptr_array_index (self->accounts->qos, i);
    if (strlen (spec->name) != job->qos_name.length_bytes
        || memcmp (spec->name, job->qos_name.bytes, job->qos_name.length_bytes) != 0)
      continue;
    self->qos_counts[i].submitted += weight_of (job);
    self->qos_counts[i].jobs += is_running ? 1 : 0;
  }
}

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

/* FALSE: nobody tells. */
static gboolean
gather (Manager *self, GError **error)
{
  LkClientQuery shares = { .kind = LK_RECORD_SHARE };
  LkClientQuery jobs = { .kind = LK_RECORD_JOB };
  if (!lk_client_query (self->client, &shares, take_share, self, error))
    return FALSE;
  g_autoptr (GPtrArray) rows = lk_job_rows (self->client, &jobs, error);
  for (guint i = 0; rows != NULL && i < rows->len; i++)
    count_job (self, &((const LkJobRow *)g_ptr_array_index (rows, i))->job);
  return rows != NULL;
}

/* ---------------------------------------------------------------- values */

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

/* "bob(6002)"; a user whom this machine does not know has no number. */
static void
append_user (const char *name, GString *out)
{
  const struct passwd *found = *name != '\0' ? getpwnam (name) : NULL;
  g_string_append (out, name);
  if (found != NULL)
    g_string_append_printf (out, "(%u)", found->pw_uid);
}

/* " GrpJobs=3(1)"; N: no limit. */
static void
append_counted (const GArray *limits, guint32 kind, guint32 used, GString *out)
{
  guint64 value;
  g_string_append_printf (out, "%s=", lk_limit_kind_name (kind));
  if (lk_limits_get (limits, kind, 0, &value))
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, value);
  else
    g_string_append_c (out, 'N');
  g_string_append_printf (out, "(%u)", used);
}

/* A line for each, "    GrpTRES=cpu=8,gres/gpu=2". */
static void
append_lines (const Manager *self, const LkSacctmgrRow *row, const guint32 *kinds, guint count)
{
  const LkSacctmgrReport report = { .accounts = self->accounts };
  for (guint i = 0; i < count; i++) {
    g_string_append_printf (self->out, "    %s=", lk_limit_kind_name (kinds[i]));
    lk_sacctmgr_append_limit (&report, row, kinds[i], self->out);
    g_string_append_c (self->out, '\n');
  }
}

/* ---------------------------------------------------------------- records */

static void
users_print (Manager *self)
{
  const LkAccounts *accounts = self->accounts;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_string_append (self->out, "User Records\n\n");
  for (guint i = 0; i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    if (*spec->user == '\0' || !spec->is_default || !wants (self->users, spec->user)
        || !g_hash_table_add (seen, spec->user))
      continue;
    g_string_append (self->out, "UserName=");
    append_user (spec->user, self->out);
    g_string_append_printf (self->out, " DefAccount=%s AdminLevel=%s\n", spec->account,
                            *spec->admin_level != '\0' ? spec->admin_level : "None");
  }
}

static void
shares_print (Manager *self, guint32 at, const LkAssociationSpec *spec)
{
  const LkRecord_share *share = &self->shares[at];
  GString *out = self->out;
  g_string_append_printf (out, "    SharesRaw/Norm/Factor=%u/", spec->shares);
  lk_table_real (out, share->shares_norm, 2);
  g_string_append_c (out, '/');
  lk_table_real (out, share->fairshare < 0 ? 0 : share->fairshare, 2);
  g_string_append (out, "\n    UsageRaw/Norm/Efctv=");
  lk_table_real (out, share->usage_raw, 2);
  g_string_append_c (out, '/');
  lk_table_real (out, share->usage_norm, 2);
  g_string_append_c (out, '/');
  lk_table_real (out, share->usage_effective, 2);
  g_string_append_c (out, '\n');
}

static void
association_print (Manager *self, guint32 at, const LkAssociationSpec *spec)
{
  static const guint32 kinds[] = { LK_LIMIT_GRP_WALL,         LK_LIMIT_GRP_TRES,
                                   LK_LIMIT_GRP_TRES_MINS,    LK_LIMIT_GRP_TRES_RUN_MINS,
                                   LK_LIMIT_MAX_JOBS,         LK_LIMIT_MAX_SUBMIT_JOBS,
                                   LK_LIMIT_MAX_WALL_PER_JOB, LK_LIMIT_MAX_TRES_PER_JOB,
                                   LK_LIMIT_MAX_TRES_PER_NODE };
  const LkSacctmgrRow row = { .association = spec };
  GString *out = self->out;
  g_string_append_printf (out, "ClusterName=%s Account=%s UserName=", self->accounts->cluster,
                          spec->account);
  append_user (spec->user, out);
  g_string_append_printf (out, " Partition=%s Priority=%u ID=%u\n", spec->partition, spec->priority,
                          at + 1);
  shares_print (self, at, spec);
  g_string_append_printf (out, "    ParentAccount=%s DefAssoc=%s\n    ", spec->parent,
                          spec->is_default ? "Yes" : "No");
  append_counted (spec->limits, LK_LIMIT_GRP_JOBS, self->counts[at].jobs, out);
  g_string_append_c (out, ' ');
  append_counted (spec->limits, LK_LIMIT_GRP_SUBMIT_JOBS, self->counts[at].submitted, out);
  g_string_append_c (out, '\n');
  append_lines (self, &row, kinds, G_N_ELEMENTS (kinds));
}

static void
associations_print (Manager *self)
{
  g_string_append (self->out, "\nAssociation Records\n\n");
  for (guint32 i = 0; i < self->accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (self->accounts->associations, i);
    if (wants (self->account_names, spec->account)
        && (*spec->user == '\0' || wants (self->users, spec->user)))
      association_print (self, i, spec);
  }
}

static void
qos_print (Manager *self)
{
  static const guint32 kinds[] = { LK_LIMIT_GRP_WALL,          LK_LIMIT_GRP_TRES,
                                   LK_LIMIT_GRP_TRES_MINS,     LK_LIMIT_GRP_TRES_RUN_MINS,
                                   LK_LIMIT_MAX_WALL_PER_JOB,  LK_LIMIT_MAX_TRES_PER_JOB,
                                   LK_LIMIT_MAX_TRES_PER_NODE, LK_LIMIT_MAX_JOBS_PER_USER,
                                   LK_LIMIT_MAX_TRES_PER_USER };
  GString *out = self->out;
  g_string_append (out, "\nQOS Records\n\n");
  for (guint32 i = 0; i < self->accounts->qos->len; i++) {
    const LkQosSpec *spec = g_ptr_array_index (self->accounts->qos, i);
    if (!wants (self->qos, spec->name))
      continue;
    g_string_append_printf (out, "QOS=%s(%u)\n    ", spec->name, i + 1);
    append_counted (spec->limits, LK_LIMIT_GRP_JOBS, self->qos_counts[i].jobs, out);
    g_string_append_c (out, ' ');
    append_counted (spec->limits, LK_LIMIT_GRP_SUBMIT_JOBS, self->qos_counts[i].submitted, out);
    g_string_append_c (out, '\n');
    append_lines (self, &(LkSacctmgrRow){ .qos = spec }, kinds, G_N_ELEMENTS (kinds));
    g_string_append_printf (out, "    PreemptMode=%s\n    Priority=%u\n",
                            *spec->preempt_mode != '\0' ? spec->preempt_mode : "OFF",
                            spec->priority);
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
                  { "accounts=", &self->account_names },
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

static int
show (Manager *self, char **words)
{
  g_autoptr (GError) error = NULL;
  if (!words_take (self, words))
    return LK_SCONTROL_FAILURE;
  if (!gather (self, &error)) {
    lk_client_error (self->client, "%s", error->message);
    return LK_SCONTROL_FAILURE;
  }
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
  self.counts = g_new0 (Count, accounts->associations->len);
  self.qos_counts = g_new0 (Count, accounts->qos->len);
  int code = show (&self, words);
  g_string_free (self.out, TRUE);
  g_free (self.shares);
  g_free (self.counts);
  g_free (self.qos_counts);
  return code;
}
