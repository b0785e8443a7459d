/* sim/run_accounts.c — see run_accounts.h. */
#include "sim/run_accounts.h"

#include <stdio.h>
#include <string.h>

#include "policies/registry.h"
#include "policies/spec.h"
#include "sim/conf_backfill.h"
#include "sim/error.h"
#include "traces/accounts_open.h"
#include "traces/cluster_open.h"
#include "traces/preempt_conf.h"
#include "traces/request_pool.h"
#include "traces/slurm_conf_backfill.h"

LkAccounts *
lk_run_accounts_open (const char *path, const char *cluster_name, GError **error)
{
  g_autoptr (LkAccounts) accounts = lk_accounts_open (path, error);
  if (accounts == NULL)
    return NULL;
  if (cluster_name != NULL && lk_cluster_is_slurm_conf (cluster_name)
      && !lk_accounts_apply_slurm_conf (accounts, cluster_name, error))
    return NULL;
  return g_steal_pointer (&accounts);
}

/* ---------------------------------------------------------------- from a log */

#define NAME_BYTES_MAX 255u

/* A user of an account, as a log has them. */
typedef struct {
  char *account;
  char *user;
  guint64 job_count;
} Member;

static void
member_free (gpointer data)
{
  Member *self = data;
  g_free (self->account);
  g_free (self->user);
  g_free (self);
}

static gint
compare_members (gconstpointer a, gconstpointer b)
{
  const Member *x = *(Member *const *)a;
  const Member *y = *(Member *const *)b;
  gint by_account = strcmp (x->account, y->account);
  return by_account != 0 ? by_account : strcmp (x->user, y->user);
}

/* As lk_accounts_check has it. */
static gboolean
is_account_name (const char *name)
{
  gsize length_bytes = strlen (name);
  for (const char *at = name; *at != '\0'; at++)
    if (!g_ascii_isgraph (*at) || strchr ("\"'\\,=:|", *at) != NULL)
      return FALSE;
  return length_bytes > 0 && length_bytes <= NAME_BYTES_MAX;
}

static char *
name_of (LkText text, const char *prefix, guint32 number, const char *otherwise)
{
  if (text.length_bytes > 0)
    return g_ascii_strdown (text.bytes, text.length_bytes);
  return number > 0 || otherwise == NULL ? g_strdup_printf ("%s%u", prefix, number)
                                         : g_strdup (otherwise);
}

static void
count_job (const LkTraceRecord *record, GHashTable *members_by_key, GPtrArray *members)
{
  /* As lk_trace_source_next has the user of a job. */
  LkText known = record->request.user;
  if (known.length_bytes == 0 && record->user != NULL)
    known = lk_text (record->user);
  g_autofree char *user = name_of (known, "u", record->user_id, NULL);
  g_autofree char *account = name_of (record->request.account, "g", record->group_id, "log");
  g_autofree char *key = g_strdup_printf ("%s\n%s", account, user);
  Member *member = g_hash_table_lookup (members_by_key, key);
  if (member == NULL) {
    member = g_new0 (Member, 1);
    member->account = g_steal_pointer (&account);
    member->user = g_steal_pointer (&user);
    g_ptr_array_add (members, member);
    g_hash_table_insert (members_by_key, g_steal_pointer (&key), member);
  }
  member->job_count++;
}

/* Each user's account of most jobs; of equals the first one. Returns: (transfer full), user ->
 * Member. */
static GHashTable *
main_accounts (const GPtrArray *members)
{
  GHashTable *most = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < members->len; i++) {
    Member *member = g_ptr_array_index (members, i);
    const Member *known = g_hash_table_lookup (most, member->user);
    if (known == NULL || member->job_count > known->job_count)
      g_hash_table_insert (most, member->user, member);
  }
  return most;
}

static guint64
add_members (const GPtrArray *members, LkAccounts *accounts)
{
  guint64 left_out_count = 0;
  g_autoptr (GHashTable) most = main_accounts (members);
  for (guint i = 0; i < members->len; i++) {
    const Member *member = g_ptr_array_index (members, i);
    if (!is_account_name (member->account) || !is_account_name (member->user)) {
      left_out_count++;
      continue;
    }
    if (lk_accounts_find (accounts, member->account, "", "") == NULL)
      lk_accounts_add_account (accounts, member->account, NULL);
    if (lk_accounts_find (accounts, member->account, member->user, "") != NULL)
      continue; /* root's own */
    LkAssociationSpec *spec = lk_accounts_add_user (accounts, member->user, member->account, "");
    spec->is_default =
        g_hash_table_lookup (most, member->user) == member && strcmp (member->user, "root") != 0;
  }
  return left_out_count;
}

LkAccounts *
lk_run_accounts_from_log (LkTraceReader *reader, guint64 *out_left_out_count, GError **error)
{
  g_autoptr (LkAccounts) accounts = lk_accounts_new ("log");
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func (member_free);
  g_autoptr (GHashTable) members_by_key =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  LkTraceRecord record;
  LkAccountsError wrong;
  int state;
  while ((state = lk_trace_reader_next (reader, &record, error)) > 0)
    count_job (&record, members_by_key, members);
  if (state < 0)
    return NULL;
  g_ptr_array_sort (members, compare_members);
  guint64 left_out_count = add_members (members, accounts);
  if (!lk_accounts_check (accounts, &wrong)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "trace '%s': accounts of its users: %s %s",
                 lk_trace_reader_name (reader), wrong.member, wrong.text);
    return NULL;
  }
  *out_left_out_count = left_out_count;
  return g_steal_pointer (&accounts);
}

LkReaderOptions
lk_run_reader_options (const LkSettings *settings)
{
  return (LkReaderOptions){ .format = settings->format,
                            .csv_map = settings->csv_map,
                            .columns = settings->columns,
                            .map = (char **)settings->map->pdata,
                            .lenient = settings->trace.lenient };
}

static LkAccounts *
from_log (const LkSettings *settings, const guint8 *log_bytes, gsize log_length_bytes,
          GError **error)
{
  LkReaderOptions options = lk_run_reader_options (settings);
  guint64 left_out_count = 0;
  if (log_bytes == NULL && g_strcmp0 (settings->trace_path, "-") == 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--accounts " LK_RUN_ACCOUNTS_FROM_LOG " reads the log twice, and standard input "
                 "can be read once; give the log as a file");
    return NULL;
  }
  if (settings->trace_path == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--accounts " LK_RUN_ACCOUNTS_FROM_LOG " needs a log; --commands has none");
    return NULL;
  }
  g_autoptr (LkTraceReader) reader =
      log_bytes != NULL ? lk_trace_reader_new_from_bytes (settings->trace_path, log_bytes,
                                                          log_length_bytes, &options, error)
                        : lk_trace_reader_new (settings->trace_path, &options, error);
  g_autoptr (LkAccounts) accounts =
      reader != NULL ? lk_run_accounts_from_log (reader, &left_out_count, error) : NULL;
  if (accounts == NULL
      || (settings->cluster_name != NULL && lk_cluster_is_slurm_conf (settings->cluster_name)
          && !lk_accounts_apply_slurm_conf (accounts, settings->cluster_name, error)))
    return NULL;
  if (left_out_count > 0 && log_bytes == NULL)
    lk_run_accounts_warn_left_out ("sim", left_out_count);
  return g_steal_pointer (&accounts);
}

void
lk_run_accounts_warn_left_out (const char *verb, guint64 count)
{
  fprintf (stderr,
           "lockstep %s: warning: %" G_GUINT64_FORMAT " users of accounts have names that accounts "
           "cannot have; they are left out\n",
           verb, count);
}

LkAccounts *
lk_run_accounts (const LkSettings *settings, const guint8 *log_bytes, gsize log_length_bytes,
                 GError **error)
{
  LkAccounts *accounts =
      strcmp (settings->accounts, LK_RUN_ACCOUNTS_FROM_LOG) == 0
          ? from_log (settings, log_bytes, log_length_bytes, error)
          : lk_run_accounts_open (settings->accounts, settings->cluster_name, error);
  if (accounts != NULL && settings->has_compat)
    accounts->compat = settings->compat;
  return accounts;
}

/* ---------------------------------------------------------------- order */

char *
lk_run_order (const LkSettings *settings, GError **error)
{
  gboolean follows = settings->accounts != NULL || settings->commands != NULL;
  if (!follows || settings->cluster_name == NULL
      || !lk_cluster_is_slurm_conf (settings->cluster_name))
    return g_strdup (settings->order);
  g_autofree char *order = lk_slurm_conf_order (settings->cluster_name, error);
  if (order == NULL || !settings->has_order)
    return g_steal_pointer (&order);
  return lk_spec_merge (order, settings->order);
}

char *
lk_run_preempt (const LkSettings *settings, GError **error)
{
  const char *own = settings->preempt;
  if (settings->cluster_name == NULL || !lk_cluster_is_slurm_conf (settings->cluster_name))
    return g_strdup (own != NULL ? own : "none");
  g_autofree char *preempt = lk_slurm_conf_preempt (settings->cluster_name, error);
  if (preempt == NULL)
    return NULL;
  if (own == NULL)
    /* Nobody has a QOS. */
    return g_strdup (settings->accounts == NULL && g_str_has_prefix (preempt, "qos") ? "none"
                                                                                     : preempt);
  return lk_spec_merge (preempt, own);
}

const char *
lk_run_select (const LkSettings *settings, const LkCluster *cluster)
{
  return settings->has_select || cluster == NULL ? settings->select : lk_setup_select_of (cluster);
}

char *
lk_run_backfill (const LkSettings *settings, GError **error)
{
  static const char name[] = "slurm";
  gboolean is_slurm = g_str_has_prefix (settings->backfill, name)
                      && (settings->backfill[sizeof name - 1] == '\0'
                          || settings->backfill[sizeof name - 1] == ':');
  if (settings->cluster_name == NULL || !lk_cluster_is_slurm_conf (settings->cluster_name))
    return g_strdup (settings->backfill);
  if (!is_slurm)
    return lk_slurm_conf_scheduler_check (settings->cluster_name, error)
               ? g_strdup (settings->backfill)
               : NULL;
  g_autofree char *base = lk_conf_backfill (settings->cluster_name, error);
  return base != NULL ? lk_spec_merge (base, settings->backfill) : NULL;
}

/* ---------------------------------------------------------------- names */

struct _LkRunNames {
  const LkAccounts *accounts; /* NULL: none */
  LkRequestPool *requests;
  GStringChunk *texts;
};

LkRunNames *
lk_run_names_new (const LkAccounts *accounts)
{
  LkRunNames *self = g_new (LkRunNames, 1);
  self->accounts = accounts;
  self->requests = lk_request_pool_new ();
  self->texts = g_string_chunk_new (4096);
  return self;
}

void
lk_run_names_free (LkRunNames *self)
{
  if (self == NULL)
    return;
  lk_request_pool_free (self->requests);
  g_string_chunk_free (self->texts);
  g_free (self);
}

/* Slurm's names of users, accounts and QOS are in lower case. */
static LkText
lower (LkRunNames *self, LkText text)
{
  g_autofree char *name = g_ascii_strdown (text.bytes != NULL ? text.bytes : "", text.length_bytes);
  return lk_text (g_string_chunk_insert_const (self->texts, name));
}

/* The account of a job's group; empty: its user is not in it. */
static LkText
group_account (LkRunNames *self, const LkTraceJob *job, LkText user)
{
  char name[16];
  if (self->accounts == NULL || job->group_id == 0)
    return lk_text ("");
  g_snprintf (name, sizeof name, "g%u", job->group_id);
  /* `user` is of the chunk, which ends its texts. */
  return lk_accounts_find (self->accounts, name, user.bytes, "") != NULL
             ? lk_text (g_string_chunk_insert_const (self->texts, name))
             : lk_text ("");
}

const LkJobRequest *
lk_run_names_request (LkRunNames *self, const LkTraceJob *job)
{
  LkJobRequest request = *job->request;
  char number[16];
  if (request.user.length_bytes == 0) {
    g_snprintf (number, sizeof number, "u%u", job->user_id);
    request.user = lk_text (number);
  }
  request.user = lower (self, request.user);
  request.account = request.account.length_bytes > 0 ? lower (self, request.account)
                                                     : group_account (self, job, request.user);
  request.qos = lower (self, request.qos);
  return lk_request_pool_intern (self->requests, &request);
}
