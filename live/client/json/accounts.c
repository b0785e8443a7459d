/* live/client/json/accounts.c — what sacctmgr and sshare tell. */
#include "live/client/json/accounts.h"

#include "live/client/accounting/accounts.h"
#include "live/client/json/put.h"
#include "live/client/json/shapes.h"
#include "live/client/json/things.h"

#define STRING(text) lk_put_string (out, text)
#define COUNT(value) lk_put_count (out, value)
#define NUMBER(is_set, value) lk_put_number (out, is_set, value)

/* ---------------------------------------------------------------- limits */

/* A count or minutes; endless where there is none. */
static void
put_limit (GString *out, const LkJsonAccountsReport *report, const LkSacctmgrRow *row, guint32 kind)
{
  guint64 value = 0;
  gboolean is_set = row->qos != NULL
                        ? lk_limits_get (row->qos->limits, kind, 0, &value)
                        : lk_sacctmgr_limit (report->shown, row->association, kind, 0, &value);
  if (is_set)
    NUMBER (TRUE, (gint64)value);
  else
    lk_put_endless (out);
}

static void
put_tres_limit (GString *out, const LkJsonAccountsReport *report, const LkSacctmgrRow *row,
                guint32 kind)
{
  g_autoptr (GString) list = g_string_new (NULL);
  lk_sacctmgr_append_limit (report->shown, row, kind, list);
  lk_put_tres (out, list->str);
}

static void
put_threshold (GString *out, double value)
{
  lk_put_real_number (out, value >= 0, MAX (value, 0));
}

/* ---------------------------------------------------------------- associations */

/* Those of all QOS where it names none. */
static void
put_qos_names (GString *out, const LkJsonAccountsReport *report, const LkAssociationSpec *spec)
{
  const LkAccounts *accounts = report->shown->accounts;
  const char *list = spec->qos;
  while (list[0] == '\0' && (spec->user[0] != '\0' || spec->parent[0] != '\0')) {
    spec =
        lk_accounts_find (accounts, spec->user[0] != '\0' ? spec->account : spec->parent, "", "");
    if (spec == NULL)
      break;
    list = spec->qos;
  }
  if (list[0] != '\0') {
    lk_put_list (out, list, strlen (list), ',');
    return;
  }
  g_string_append_c (out, '[');
  for (guint i = 0; i < accounts->qos->len; i++) {
    if (i > 0)
      g_string_append_c (out, ',');
    STRING (((const LkQosSpec *)g_ptr_array_index (accounts->qos, i))->name);
  }
  g_string_append_c (out, ']');
}

#define LIMIT(kind) put_limit (out, report, row, LK_LIMIT_##kind)
#define TRES(kind) put_tres_limit (out, report, row, LK_LIMIT_##kind)

#define ASSOCIATION_MEMBERS(X)                                                                     \
  X (account, "account", STRING (spec->account))                                                   \
  X (cluster, "cluster", STRING (accounts->cluster))                                               \
  X (default_qos, "default.qos", STRING (spec->default_qos))                                       \
  X (jobs, "max.jobs.per.count", LIMIT (GRP_JOBS))                                                 \
  X (accruing, "max.jobs.per.accruing", LIMIT (GRP_JOBS_ACCRUE))                                   \
  X (submitted, "max.jobs.per.submitted", LIMIT (GRP_SUBMIT_JOBS))                                 \
  X (wall, "max.jobs.per.wall_clock", LIMIT (MAX_WALL_PER_JOB))                                    \
  X (active, "max.jobs.active", LIMIT (MAX_JOBS))                                                  \
  X (active_accruing, "max.jobs.accruing", LIMIT (MAX_JOBS_ACCRUE))                                \
  X (total, "max.jobs.total", LIMIT (MAX_SUBMIT_JOBS))                                             \
  X (tres, "max.tres.total", TRES (GRP_TRES))                                                      \
  X (minutes, "max.tres.group.minutes", TRES (GRP_TRES_MINS))                                      \
  X (run_minutes, "max.tres.group.active", TRES (GRP_TRES_RUN_MINS))                               \
  X (job_minutes, "max.tres.minutes.per.job", TRES (MAX_TRES_MINS_PER_JOB))                        \
  X (per_job, "max.tres.per.job", TRES (MAX_TRES_PER_JOB))                                         \
  X (per_node, "max.tres.per.node", TRES (MAX_TRES_PER_NODE))                                      \
  X (group_wall, "max.per.account.wall_clock", LIMIT (GRP_WALL))                                   \
  X (id, "id", COUNT (row->number))                                                                \
  X (is_default, "is_default", lk_put_flag (out, spec->is_default))                                \
  X (lineage, "lineage", STRING (row->lineage))                                                    \
  X (threshold, "min.priority_threshold", LIMIT (MIN_PRIO_THRESHOLD))                              \
  X (parent, "parent_account", STRING (spec->user[0] == '\0' ? spec->parent : ""))                 \
  X (partition, "partition", STRING (spec->partition))                                             \
  X (priority, "priority",                                                                         \
     spec->priority != 0 ? NUMBER (TRUE, spec->priority) : lk_put_endless (out))                   \
  X (qos, "qos", put_qos_names (out, report, spec))                                                \
  X (shares, "shares_raw", COUNT (spec->shares))                                                   \
  X (user, "user", STRING (spec->user))

/* ---------------------------------------------------------------- accounts, users */

/* The associations of an account or a user, of which rows with associations are made. */
static void
put_associations (GString *out, const LkJsonAccountsReport *report, const LkSacctmgrRow *row)
{
  const LkAccounts *accounts = report->shown->accounts;
  g_string_append_c (out, '[');
  for (guint i = 0; report->with_associations && i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    gboolean is_its = row->user != NULL ? strcmp (spec->user, row->user->user) == 0
                                        : strcmp (spec->account, row->account->account) == 0;
    if (!is_its)
      continue;
    g_string_append (out, out->str[out->len - 1] != '[' ? ",{\"account\":" : "{\"account\":");
    STRING (spec->account);
    g_string_append (out, ",\"cluster\":");
    STRING (accounts->cluster);
    g_string_append (out, ",\"partition\":");
    STRING (spec->partition);
    g_string_append (out, ",\"user\":");
    STRING (spec->user);
    g_string_append_printf (out, ",\"id\":%u}", i + 1);
  }
  g_string_append_c (out, ']');
}

/* Of an account who coordinates it, of a user what he coordinates. */
static void
put_coordinators (GString *out, const LkJsonAccountsReport *report, const LkSacctmgrRow *row)
{
  const LkAccounts *accounts = report->shown->accounts;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_string_append_c (out, '[');
  for (guint i = 0; report->with_coordinators && i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    const char *name = row->user != NULL ? spec->account : spec->user;
    const char *user = row->user != NULL ? row->user->user : spec->user;
    const char *account = row->user != NULL ? spec->account : row->account->account;
    if ((row->user != NULL && spec->user[0] != '\0') || (row->user == NULL && user[0] == '\0')
        || !lk_accounts_coordinates (accounts, user, account)
        || !g_hash_table_add (seen, (gpointer)name))
      continue;
    g_string_append (out, out->str[out->len - 1] != '[' ? ",{\"name\":" : "{\"name\":");
    STRING (name);
    g_string_append (out, ",\"direct\":true}");
  }
  g_string_append_c (out, ']');
}

#define ACCOUNT_MEMBERS(X)                                                                         \
  X (associations, "associations", put_associations (out, report, row))                            \
  X (coordinators, "coordinators", put_coordinators (out, report, row))                            \
  X (description, "description", STRING (row->account->description))                               \
  X (name, "name", STRING (row->account->account))                                                 \
  X (organization, "organization", STRING (row->account->organization))

static const char *
level_of (const LkJsonAccountsReport *report, const LkSacctmgrRow *row)
{
  const char *level = g_hash_table_lookup (report->shown->levels, row->user->user);
  return level != NULL && level[0] != '\0' ? level : "None";
}

#define USER_MEMBERS(X)                                                                            \
  X (level, "administrator_level", lk_put_word (out, level_of (report, row)))                      \
  X (associations, "associations", put_associations (out, report, row))                            \
  X (coordinators, "coordinators", put_coordinators (out, report, row))                            \
  X (account, "default.account",                                                                   \
     STRING (g_hash_table_lookup (report->shown->defaults, row->user->user)))                      \
  X (name, "name", STRING (row->user->user))

/* ---------------------------------------------------------------- QOS, TRES, clusters */

/* "PartitionMinNodes" as "PARTITION_MINIMUM_NODE". */
static void
put_qos_flags (GString *out, guint32 flags)
{
  static const char *const words[] = { "PARTITION_MINIMUM_NODE",
                                       "PARTITION_MAXIMUM_NODE",
                                       "PARTITION_TIME_LIMIT",
                                       "ENFORCE_USAGE_THRESHOLD",
                                       "NO_RESERVE",
                                       "REQUIRED_RESERVATION",
                                       "DENY_LIMIT",
                                       "OVERRIDE_PARTITION_QOS",
                                       "NO_DECAY" };
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if ((flags & 1u << i) != 0)
      g_string_append_printf (list, "%s,", words[i]);
  lk_put_list (out, list->str, list->len, ',');
}

static void
put_preempt_mode (GString *out, const LkQosSpec *spec)
{
  g_autofree char *mode = g_ascii_strup (spec->preempt_mode, -1);
  lk_put_word (out, mode[0] == '\0' || strcmp (mode, "OFF") == 0 ? "DISABLED" : mode);
}

#define QOS_MEMBERS(X)                                                                             \
  X (description, "description",                                                                   \
     STRING (spec->description[0] != '\0' ? spec->description : spec->name))                       \
  X (flags, "flags", put_qos_flags (out, spec->flags))                                             \
  X (id, "id", COUNT (row->number))                                                                \
  X (grace, "limits.grace_time", COUNT (spec->grace_us / G_USEC_PER_SEC))                          \
  X (accruing, "limits.max.active_jobs.accruing", LIMIT (GRP_JOBS_ACCRUE))                         \
  X (active, "limits.max.active_jobs.count", LIMIT (GRP_JOBS))                                     \
  X (submits, "limits.max.jobs.count", LIMIT (GRP_SUBMIT_JOBS))                                    \
  X (account_jobs, "limits.max.jobs.active_jobs.per.account", LIMIT (MAX_JOBS_PER_ACCOUNT))        \
  X (user_jobs, "limits.max.jobs.active_jobs.per.user", LIMIT (MAX_JOBS_PER_USER))                 \
  X (account_submits, "limits.max.jobs.per.account", LIMIT (MAX_SUBMIT_JOBS_PER_ACCOUNT))          \
  X (user_submits, "limits.max.jobs.per.user", LIMIT (MAX_SUBMIT_JOBS_PER_USER))                   \
  X (tres, "limits.max.tres.total", TRES (GRP_TRES))                                               \
  X (minutes, "limits.max.tres.minutes.total", TRES (GRP_TRES_MINS))                               \
  X (run_minutes, "limits.max.tres.minutes.per.qos", TRES (GRP_TRES_RUN_MINS))                     \
  X (job_minutes, "limits.max.tres.minutes.per.job", TRES (MAX_TRES_MINS_PER_JOB))                 \
  X (account_minutes, "limits.max.tres.minutes.per.account", TRES (MAX_TRES_RUN_MINS_PER_ACCOUNT)) \
  X (user_minutes, "limits.max.tres.minutes.per.user", TRES (MAX_TRES_RUN_MINS_PER_USER))          \
  X (per_account, "limits.max.tres.per.account", TRES (MAX_TRES_PER_ACCOUNT))                      \
  X (per_job, "limits.max.tres.per.job", TRES (MAX_TRES_PER_JOB))                                  \
  X (per_node, "limits.max.tres.per.node", TRES (MAX_TRES_PER_NODE))                               \
  X (per_user, "limits.max.tres.per.user", TRES (MAX_TRES_PER_USER))                               \
  X (wall, "limits.max.wall_clock.per.qos", LIMIT (GRP_WALL))                                      \
  X (job_wall, "limits.max.wall_clock.per.job", LIMIT (MAX_WALL_PER_JOB))                          \
  X (account_accruing, "limits.max.accruing.per.account", LIMIT (MAX_JOBS_ACCRUE_PER_ACCOUNT))     \
  X (user_accruing, "limits.max.accruing.per.user", LIMIT (MAX_JOBS_ACCRUE_PER_USER))              \
  X (factor, "limits.factor", put_threshold (out, spec->limit_factor))                             \
  X (threshold, "limits.min.priority_threshold", LIMIT (MIN_PRIO_THRESHOLD))                       \
  X (least, "limits.min.tres.per.job", TRES (MIN_TRES_PER_JOB))                                    \
  X (name, "name", STRING (spec->name))                                                            \
  X (preempt, "preempt.list", lk_put_list (out, spec->preempt, strlen (spec->preempt), ','))       \
  X (preempt_mode, "preempt.mode", put_preempt_mode (out, spec))                                   \
  X (exempt, "preempt.exempt_time",                                                                \
     NUMBER (spec->preempt_exempt_us >= 0, spec->preempt_exempt_us / G_USEC_PER_SEC))              \
  X (priority, "priority", NUMBER (TRUE, spec->priority))                                          \
  X (usage, "usage_factor", lk_put_real_number (out, TRUE, spec->usage_factor))                    \
  X (usage_threshold, "usage_threshold", put_threshold (out, spec->usage_threshold))

static void
put_tres_part (GString *out, const char *tres, gboolean is_name)
{
  const char *slash = strchr (tres, '/');
  if (is_name)
    STRING (slash != NULL ? slash + 1 : "");
  else
    lk_put_bytes (out, tres, slash != NULL ? (gsize)(slash - tres) : strlen (tres));
}

#define TRES_MEMBERS(X)                                                                            \
  X (type, "type", put_tres_part (out, row->tres, FALSE))                                          \
  X (name, "name", put_tres_part (out, row->tres, TRUE))                                           \
  X (id, "id", COUNT (row->number))

#define CLUSTER_MEMBERS(X)                                                                         \
  X (host, "controller.host", STRING (report->client->host))                                       \
  X (name, "name", STRING (accounts->cluster))                                                     \
  X (root_account, "associations.root.account", STRING (row->association->account))                \
  X (root_cluster, "associations.root.cluster", STRING (accounts->cluster))                        \
  X (root_id, "associations.root.id", COUNT (1))

#define PUT(function, type, of, what)                                                              \
  static void function (GString *out, gconstpointer given_report, gconstpointer given)             \
  {                                                                                                \
    const LkJsonAccountsReport *report = given_report;                                             \
    const LkAccounts *accounts = report->shown->accounts;                                          \
    const LkSacctmgrRow *row = given;                                                              \
    const type *spec = row->of;                                                                    \
    (void)accounts;                                                                                \
    (void)spec;                                                                                    \
    what;                                                                                          \
  }
#define X(name, path, what) PUT (association_##name, LkAssociationSpec, association, what)
ASSOCIATION_MEMBERS (X)
#undef X
#define X(name, path, what) PUT (account_##name, LkAssociationSpec, account, what)
ACCOUNT_MEMBERS (X)
#undef X
#define X(name, path, what) PUT (user_##name, LkAssociationSpec, user, what)
USER_MEMBERS (X)
#undef X
#define X(name, path, what) PUT (qos_##name, LkQosSpec, qos, what)
QOS_MEMBERS (X)
#undef X
#define X(name, path, what) PUT (tres_##name, char, tres, what)
TRES_MEMBERS (X)
#undef X
#define X(name, path, what) PUT (cluster_##name, LkAssociationSpec, association, what)
CLUSTER_MEMBERS (X)
#undef X

#define X(name, path, what) { path, association_##name },
static const LkShapeMember association_members[] = { ASSOCIATION_MEMBERS (X){ NULL, NULL } };
#undef X
#define X(name, path, what) { path, account_##name },
static const LkShapeMember account_members[] = { ACCOUNT_MEMBERS (X){ NULL, NULL } };
#undef X
#define X(name, path, what) { path, user_##name },
static const LkShapeMember user_members[] = { USER_MEMBERS (X){ NULL, NULL } };
#undef X
#define X(name, path, what) { path, qos_##name },
static const LkShapeMember qos_members[] = { QOS_MEMBERS (X){ NULL, NULL } };
#undef X
#define X(name, path, what) { path, tres_##name },
static const LkShapeMember tres_members[] = { TRES_MEMBERS (X){ NULL, NULL } };
#undef X
#define X(name, path, what) { path, cluster_##name },
static const LkShapeMember cluster_members[] = { CLUSTER_MEMBERS (X){ NULL, NULL } };
#undef X

static const LkJsonKind kinds[] = {
  [LK_JSON_ASSOCIATIONS] = { "associations", lk_shape_accounting_association, association_members },
  [LK_JSON_ACCOUNTS] = { "accounts", lk_shape_accounting_account, account_members },
  [LK_JSON_CLUSTERS] = { "clusters", lk_shape_accounting_cluster, cluster_members },
  [LK_JSON_QOS] = { "qos", lk_shape_accounting_qos, qos_members },
  [LK_JSON_TRES] = { "TRES", lk_shape_accounting_tres, tres_members },
  [LK_JSON_USERS] = { "users", lk_shape_accounting_user, user_members },
};

/* Rows with associations are several of an account or a user: one of them will do. */
static gboolean
is_first (LkJsonAccountsKind kind, const LkSacctmgrRow *row, GHashTable *seen)
{
  if (kind == LK_JSON_ACCOUNTS)
    return g_hash_table_add (seen, row->account->account);
  return kind != LK_JSON_USERS || g_hash_table_add (seen, row->user->user);
}

void
lk_json_accounts (const LkJsonAccountsReport *report, const LkJsonChoice *choice,
                  LkJsonAccountsKind kind, const GPtrArray *rows)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  LkJson json;
  lk_json_begin (&json, report->client, choice, report->shown->accounts->cluster);
  lk_json_open (&json, &kinds[kind]);
  for (guint i = 0; i < rows->len; i++)
    if (is_first (kind, g_ptr_array_index (rows, i), seen))
      lk_json_row (&json, report, g_ptr_array_index (rows, i));
  lk_json_close (&json);
  lk_json_end (&json);
}

/* ---------------------------------------------------------------- shares */

/* The value of the TRES in "cpu=180,mem=60"; of one that is not in the list no limit, or 0. */
static void
put_tres_value (GString *out, const char *name, char *const *words, gboolean is_endless)
{
  gsize length = strlen (name);
  const char *found = NULL;
  for (guint j = 0; words[j] != NULL && found == NULL; j++)
    if (strncmp (words[j], name, length) == 0 && words[j][length] == '=')
      found = words[j] + length + 1;
  g_string_append (out, out->str[out->len - 1] != '[' ? ",{\"name\":" : "{\"name\":");
  STRING (name);
  g_string_append (out, ",\"value\":");
  if (found == NULL && is_endless)
    lk_put_endless (out);
  else
    NUMBER (TRUE, found != NULL ? (gint64)g_ascii_strtod (found, NULL) : 0);
  g_string_append_c (out, '}');
}

/* "cpu=180,mem=60" as a list of names and numbers of all TRES. */
static void
put_tres_values (GString *out, const LkAccounts *accounts, const char *list, gboolean is_endless)
{
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  g_string_append_c (out, '[');
  for (guint i = 0; i < accounts->tres->len; i++)
    put_tres_value (out, g_ptr_array_index (accounts->tres, i), words, is_endless);
  for (const char *const *name = lk_client_measured_tres (accounts); *name != NULL; name++)
    put_tres_value (out, *name, words, is_endless);
  g_string_append_c (out, ']');
}

#define REAL(is_set, value) lk_put_real_number (out, is_set, value)
#define SHARE_MEMBERS(X)                                                                           \
  X (id, "id", COUNT (row->association + 1))                                                       \
  X (cluster, "cluster", STRING (accounts->cluster))                                               \
  X (name, "name", STRING (is_user ? row->spec->user : row->spec->account))                        \
  X (parent, "parent", STRING (is_user ? row->spec->account : row->spec->parent))                  \
  X (partition, "partition", STRING (row->spec->partition))                                        \
  X (normalized, "shares_normalized", REAL (row->has_parts, parts->shares_norm))                   \
  X (shares, "shares",                                                                             \
     NUMBER (row->association != 0 && row->shares != LK_SHARES_PARENT, row->shares))               \
  X (running, "tres.run_seconds", put_tres_values (out, accounts, kept->run_seconds, FALSE))       \
  X (minutes, "tres.group_minutes", put_tres_values (out, accounts, row->limits, TRUE))            \
  X (effective, "effective_usage", REAL (row->has_parts, parts->usage_effective))                  \
  X (usage_norm, "usage_normalized",                                                               \
     REAL (row->has_parts && parts->usage_norm >= 0, parts->usage_norm))                           \
  X (usage, "usage", COUNT ((gint64)row->usage_raw))                                               \
  X (factor, "fairshare.factor",                                                                   \
     REAL (row->has_parts, is_user && parts->fairshare >= 0 ? parts->fairshare : 0.0))             \
  X (level, "fairshare.level",                                                                     \
     REAL (row->has_parts && parts->level_fairshare >= 0, parts->level_fairshare))                 \
  X (type, "type", lk_put_word (out, is_user ? "USER" : "ASSOCIATION"))

#define X(name, path, what)                                                                        \
  static void share_##name (GString *out, gconstpointer report, gconstpointer given)               \
  {                                                                                                \
    const LkAccounts *accounts = report;                                                           \
    const LkJsonShare *kept = given;                                                               \
    const LkSshareRow *row = &kept->shown;                                                         \
    const LkShareParts *parts = &row->parts;                                                       \
    gboolean is_user = row->spec->user[0] != '\0';                                                 \
    (void)accounts;                                                                                \
    (void)parts;                                                                                   \
    (void)is_user;                                                                                 \
    what;                                                                                          \
  }
SHARE_MEMBERS (X)
#undef X

void
lk_json_shares (const LkClient *client, const LkJsonChoice *choice, const LkAccounts *accounts,
                const GPtrArray *rows)
{
#define X(name, path, what) { path, share_##name },
  static const LkShapeMember members[] = { SHARE_MEMBERS (X){ NULL, NULL } };
#undef X
  static const LkJsonKind kind = { "shares", lk_shape_share, members };
  LkJson json;
  g_autofree char *cluster =
      accounts != NULL ? g_strdup (accounts->cluster) : lk_json_cluster (client);
  lk_json_begin (&json, client, choice, cluster);
  /* Their array is in an object of the same name. */
  g_string_append (json.out, "\"shares\":{");
  lk_json_open (&json, &kind);
  for (guint i = 0; i < rows->len; i++)
    lk_json_row (&json, accounts, g_ptr_array_index (rows, i));
  lk_json_close (&json);
  g_string_append (json.out, ",\"total_shares\":0}"); /* as a Slurm of one cluster has it */
  lk_json_end (&json);
}
