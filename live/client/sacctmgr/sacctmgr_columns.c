/* live/client/sacctmgr/sacctmgr_columns.c — what `sacctmgr show` can print of accounts, users, QOS
 * and TRES.
 *
 * A limit of a job that is not set is that of the account above; limits of groups are not handed
 * down.  Source: sacctmgr(1); headings, widths and texts as recorded in oracle/text. */
#include <string.h>

#include "live/client/sacctmgr/sacctmgr_show.h"
#include "live/client/words.h"
#include "traces/table.h"

#define MIB_BYTES (1024 * 1024)
#define MINUTE_US (60 * (gint64)G_USEC_PER_SEC)
#define TRES_GRES_FIRST 1001u

/* A cell of rows for which IS_SHOWN holds, and else empty. */
#define CELL(NAME, IS_SHOWN, ...)                                                                  \
  static void NAME##_cell (gconstpointer data, gconstpointer user, GString *out)                   \
  {                                                                                                \
    const LkSacctmgrReport *report = data;                                                         \
    const LkSacctmgrRow *row = user;                                                               \
    const LkAssociationSpec *spec = row->association;                                              \
    const LkQosSpec *qos = row->qos;                                                               \
    (void)report;                                                                                  \
    (void)spec;                                                                                    \
    (void)out;                                                                                     \
    (void)qos;                                                                                     \
    if (IS_SHOWN) {                                                                                \
      __VA_ARGS__;                                                                                 \
    }                                                                                              \
  }

/* ---------------------------------------------------------------- limits */

static const LkAssociationSpec *
parent_of (const LkAccounts *accounts, const LkAssociationSpec *spec)
{
  if (spec->user[0] != '\0')
    return lk_accounts_find (accounts, spec->account, "", "");
  return spec->parent[0] != '\0' ? lk_accounts_find (accounts, spec->parent, "", "") : NULL;
}

static gboolean
is_handed_down (guint32 kind)
{
  return strncmp (lk_limit_kind_name (kind), "Grp", 3) != 0;
}

gboolean
lk_sacctmgr_limit (const LkSacctmgrReport *report, const LkAssociationSpec *spec, guint32 kind,
                   guint32 tres, guint64 *out_value)
{
  for (; spec != NULL; spec = parent_of (report->accounts, spec)) {
    if (lk_limits_get (spec->limits, kind, tres, out_value))
      return TRUE;
    if (report->without_parents || !is_handed_down (kind))
      return FALSE;
  }
  return FALSE;
}

static gboolean
limit_of (const LkSacctmgrReport *report, const LkSacctmgrRow *row, guint32 kind, guint32 tres,
          guint64 *out_value)
{
  if (row->qos != NULL)
    return lk_limits_get (row->qos->limits, kind, tres, out_value);
  return row->association != NULL
         && lk_sacctmgr_limit (report, row->association, kind, tres, out_value);
}

static void
append_value (LkLimitValue type, guint32 tres, guint64 value, GString *out)
{
  if (type == LK_LIMIT_MINUTES)
    lk_word_long_duration ((gint64)MIN (value, 1u << 30) * MINUTE_US, out);
  else if (type == LK_LIMIT_TRES && tres == LK_TRES_MEMORY && value > 0)
    lk_word_memory ((gint64)MIN (value, 1u << 30) * MIB_BYTES, out);
  else
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, value);
}

void
lk_sacctmgr_append_limit (const LkSacctmgrReport *report, const LkSacctmgrRow *row, guint32 kind,
                          GString *out)
{
  LkLimitValue type = lk_limit_kind_value (kind);
  gsize begin = out->len;
  guint64 value;
  if (type < LK_LIMIT_TRES) {
    if (limit_of (report, row, kind, 0, &value))
      append_value (type, 0, value, out);
    return;
  }
  for (guint32 t = 0; t < report->accounts->tres->len; t++)
    if (limit_of (report, row, kind, t, &value)) {
      g_string_append_printf (out, "%s%s=", out->len > begin ? "," : "",
                              (const char *)g_ptr_array_index (report->accounts->tres, t));
      append_value (type, t, value, out);
    }
}

/* Of one TRES, without its name. */
static void
append_of_tres (const LkSacctmgrReport *report, const LkSacctmgrRow *row, guint32 kind,
                guint32 tres, GString *out)
{
  guint64 value;
  if (limit_of (report, row, kind, tres, &value))
    append_value (lk_limit_kind_value (kind), tres, value, out);
}

/* Accounts and QOS have a limit of the same name; or only one of them has it. */
#define LIMIT(NAME, ASSOCIATION, QOS)                                                              \
  CELL (NAME, TRUE,                                                                                \
        lk_sacctmgr_append_limit (report, row,                                                     \
                                  qos != NULL ? LK_LIMIT_##QOS : LK_LIMIT_##ASSOCIATION, out))
#define QOS_LIMIT(NAME, KIND)                                                                      \
  CELL (NAME, qos != NULL, lk_sacctmgr_append_limit (report, row, LK_LIMIT_##KIND, out))
#define TRES_LIMIT(NAME, KIND, TRES)                                                               \
  CELL (NAME, TRUE, append_of_tres (report, row, LK_LIMIT_##KIND, LK_TRES_##TRES, out))

LIMIT (grp_jobs, GRP_JOBS, GRP_JOBS)
LIMIT (grp_jobs_accrue, GRP_JOBS_ACCRUE, GRP_JOBS_ACCRUE)
LIMIT (grp_submit, GRP_SUBMIT_JOBS, GRP_SUBMIT_JOBS)
LIMIT (grp_wall, GRP_WALL, GRP_WALL)
LIMIT (grp_tres, GRP_TRES, GRP_TRES)
LIMIT (grp_tres_mins, GRP_TRES_MINS, GRP_TRES_MINS)
LIMIT (grp_tres_run_mins, GRP_TRES_RUN_MINS, GRP_TRES_RUN_MINS)
LIMIT (max_jobs, MAX_JOBS, MAX_JOBS_PER_USER)
LIMIT (max_jobs_accrue, MAX_JOBS_ACCRUE, MAX_JOBS_ACCRUE_PER_USER)
LIMIT (max_submit, MAX_SUBMIT_JOBS, MAX_SUBMIT_JOBS_PER_USER)
LIMIT (max_wall, MAX_WALL_PER_JOB, MAX_WALL_PER_JOB)
LIMIT (max_tres, MAX_TRES_PER_JOB, MAX_TRES_PER_JOB)
LIMIT (max_tres_node, MAX_TRES_PER_NODE, MAX_TRES_PER_NODE)
LIMIT (max_tres_mins, MAX_TRES_MINS_PER_JOB, MAX_TRES_MINS_PER_JOB)
LIMIT (min_prio, MIN_PRIO_THRESHOLD, MIN_PRIO_THRESHOLD)
QOS_LIMIT (max_jobs_pu, MAX_JOBS_PER_USER)
QOS_LIMIT (max_jobs_pa, MAX_JOBS_PER_ACCOUNT)
QOS_LIMIT (max_jobs_accrue_pu, MAX_JOBS_ACCRUE_PER_USER)
QOS_LIMIT (max_jobs_accrue_pa, MAX_JOBS_ACCRUE_PER_ACCOUNT)
QOS_LIMIT (max_submit_pu, MAX_SUBMIT_JOBS_PER_USER)
QOS_LIMIT (max_submit_pa, MAX_SUBMIT_JOBS_PER_ACCOUNT)
QOS_LIMIT (max_tres_pu, MAX_TRES_PER_USER)
QOS_LIMIT (max_tres_pa, MAX_TRES_PER_ACCOUNT)
QOS_LIMIT (max_tres_run_pu, MAX_TRES_RUN_MINS_PER_USER)
QOS_LIMIT (max_tres_run_pa, MAX_TRES_RUN_MINS_PER_ACCOUNT)
QOS_LIMIT (min_tres, MIN_TRES_PER_JOB)
TRES_LIMIT (grp_cpus, GRP_TRES, CPU)
TRES_LIMIT (grp_mem, GRP_TRES, MEMORY)
TRES_LIMIT (grp_nodes, GRP_TRES, NODE)
TRES_LIMIT (grp_cpu_mins, GRP_TRES_MINS, CPU)
TRES_LIMIT (grp_cpu_run_mins, GRP_TRES_RUN_MINS, CPU)
TRES_LIMIT (max_cpus, MAX_TRES_PER_JOB, CPU)
TRES_LIMIT (max_nodes, MAX_TRES_PER_JOB, NODE)
TRES_LIMIT (max_cpu_mins, MAX_TRES_MINS_PER_JOB, CPU)

/* ---------------------------------------------------------------- accounts and users */

/* What a list makes of those that were allowed before: "a,b" these, "+a,-b" changes. */
static void
apply_list (const LkAccounts *accounts, const char *list, gboolean *allowed)
{
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  gboolean changes = list[0] == '+' || list[0] == '-';
  for (guint q = 0; !changes && list[0] != '\0' && q < accounts->qos->len; q++)
    allowed[q] = FALSE;
  for (guint i = 0; words[i] != NULL; i++) {
    gboolean is_signed = words[i][0] == '+' || words[i][0] == '-';
    for (guint q = 0; q < accounts->qos->len; q++) {
      const LkQosSpec *spec = g_ptr_array_index (accounts->qos, q);
      if (strcmp (words[i] + (is_signed ? 1 : 0), spec->name) == 0)
        allowed[q] = words[i][0] != '-';
    }
  }
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* The QOS that an association may use, by what the lists from the root down to it say. */
static void
append_qos (const LkAccounts *accounts, const LkAssociationSpec *spec, GString *out)
{
  g_autofree gboolean *allowed = g_new (gboolean, accounts->qos->len);
  g_autoptr (GPtrArray) above = g_ptr_array_new ();
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (; spec != NULL && above->len <= LK_LIMIT_ACCOUNT_DEPTH; spec = parent_of (accounts, spec))
    g_ptr_array_add (above, (gpointer)spec);
  for (guint q = 0; q < accounts->qos->len; q++)
    allowed[q] = TRUE;
  for (guint i = above->len; i-- > 0;)
    apply_list (accounts, ((const LkAssociationSpec *)g_ptr_array_index (above, i))->qos, allowed);
  for (guint q = 0; q < accounts->qos->len; q++)
    if (allowed[q])
      g_ptr_array_add (names, ((const LkQosSpec *)g_ptr_array_index (accounts->qos, q))->name);
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (out, "%s%s", i > 0 ? "," : "",
                            (const char *)g_ptr_array_index (names, i));
}

static const char *
default_qos_of (const LkSacctmgrReport *report, const LkAssociationSpec *spec)
{
  for (; spec != NULL; spec = parent_of (report->accounts, spec))
    if (spec->default_qos[0] != '\0')
      return spec->default_qos;
  return "";
}

/* The level that Slurm's root has of itself. */
#define ROOT_LEVEL "Administrator"

void
lk_sacctmgr_report_fill (LkSacctmgrReport *report)
{
  const GPtrArray *all = report->accounts->associations;
  report->defaults = g_hash_table_new (g_str_hash, g_str_equal);
  report->levels = g_hash_table_new (g_str_hash, g_str_equal);
  report->coordinates = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (report->levels, (gpointer) "root", (gpointer)ROOT_LEVEL);
  for (guint i = 0; i < all->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (all, i);
    const char *before = g_hash_table_lookup (report->coordinates, spec->user);
    if (spec->is_default)
      g_hash_table_insert (report->defaults, spec->user, spec->account);
    if (spec->admin_level[0] != '\0')
      g_hash_table_insert (report->levels, spec->user, spec->admin_level);
    if (spec->coordinates[0] != '\0' && before == NULL)
      g_hash_table_insert (report->coordinates, spec->user, spec->coordinates);
    else if (spec->coordinates[0] != '\0') {
      g_autofree char *both = g_strconcat (before, ",", spec->coordinates, NULL);
      g_hash_table_insert (report->coordinates, spec->user, (gpointer)g_intern_string (both));
    }
  }
}

void
lk_sacctmgr_report_clear (LkSacctmgrReport *report)
{
  g_clear_pointer (&report->defaults, g_hash_table_unref);
  g_clear_pointer (&report->levels, g_hash_table_unref);
  g_clear_pointer (&report->coordinates, g_hash_table_unref);
  g_clear_pointer (&report->control_host, g_free);
  g_clear_pointer (&report->control_port, g_free);
}

static const char *
fact_of (GHashTable *facts, const LkSacctmgrRow *row, const char *none)
{
  const char *fact = g_hash_table_lookup (facts, row->user->user);
  return fact != NULL ? fact : none;
}

/* What Slurm says of the root, which nobody has made. */
static const char *
or_of_root (const LkAssociationSpec *spec, const char *text, const char *of_root)
{
  return spec->parent[0] == '\0' && text[0] == '\0' ? of_root : text;
}

CELL (cluster, spec != NULL || qos == NULL, g_string_append (out, report->accounts->cluster))
CELL (account, spec != NULL || row->account != NULL,
      g_string_append_printf (out, "%*s%s", report->is_tree ? (int)row->depth : 0, "",
                              spec != NULL ? spec->account : row->account->account))
CELL (user, spec != NULL || row->user != NULL,
      g_string_append (out, spec != NULL ? spec->user : row->user->user))
CELL (partition, spec != NULL, g_string_append (out, spec->partition))
CELL (parent, spec != NULL && spec->user[0] == '\0', g_string_append (out, spec->parent))
CELL (id, row->number != 0, g_string_append_printf (out, "%u", row->number))
CELL (qos_list, spec != NULL, append_qos (report->accounts, spec, out))
CELL (default_qos, spec != NULL, g_string_append (out, default_qos_of (report, spec)))
CELL (lineage, row->lineage != NULL, g_string_append (out, row->lineage))
CELL (description, row->account != NULL || qos != NULL,
      g_string_append (out, qos != NULL ? qos->description
                                        : or_of_root (row->account, row->account->description,
                                                      "default root account")))
CELL (organization, row->account != NULL,
      g_string_append (out, or_of_root (row->account, row->account->organization, "root")))
CELL (default_account, row->user != NULL,
      g_string_append (out, fact_of (report->defaults, row, "")))
CELL (admin, row->user != NULL, g_string_append (out, fact_of (report->levels, row, "None")))
CELL (coordinates, row->user != NULL, g_string_append (out, fact_of (report->coordinates, row, "")))
CELL (usage, spec != NULL, g_string_append_printf (out, "%.0f", spec->usage))
CELL (empty, FALSE, )

static void
share_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctmgrRow *row = user;
  (void)data;
  if (row->association == NULL)
    return;
  if (row->association->shares == LK_SHARES_PARENT)
    g_string_append (out, "parent");
  else
    g_string_append_printf (out, "%u", row->association->shares);
}

static void
priority_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctmgrRow *row = user;
  (void)data;
  if (row->qos != NULL)
    g_string_append_printf (out, "%u", row->qos->priority);
  else if (row->association != NULL && row->association->priority != 0)
    g_string_append_printf (out, "%u", row->association->priority);
}

/* ---------------------------------------------------------------- QOS, TRES */

static void
append_flags (guint32 flags, GString *out)
{
  gsize begin = out->len;
  for (guint bit = 0; lk_qos_flag_name (bit) != NULL; bit++)
    if ((flags >> bit & 1) != 0)
      g_string_append_printf (out, "%s%s", out->len > begin ? "," : "", lk_qos_flag_name (bit));
}

/* Of a TRES "gres/gpu" the name is "gpu", and of "cpu" it has none. */
static void
name_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctmgrRow *row = user;
  (void)data;
  if (row->qos != NULL)
    g_string_append (out, row->qos->name);
  else if (row->tres != NULL && strchr (row->tres, '/') != NULL)
    g_string_append (out, strchr (row->tres, '/') + 1);
}

static void
type_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctmgrRow *row = user;
  (void)data;
  if (row->tres != NULL)
    g_string_append_len (out, row->tres, (gssize)strcspn (row->tres, "/"));
}

guint32
lk_sacctmgr_tres_number (const LkAccounts *accounts, guint32 tres)
{
  guint32 number = TRES_GRES_FIRST;
  if (tres < LK_TRES_FIXED)
    return tres + 1;
  for (guint32 i = LK_TRES_FIXED; i < tres && i < accounts->tres->len; i++)
    number++;
  return number;
}

CELL (grace, qos != NULL, lk_word_long_duration (qos->grace_us, out))
CELL (exempt, qos != NULL && qos->preempt_exempt_us >= 0,
      lk_word_long_duration (qos->preempt_exempt_us, out))
CELL (preempt, qos != NULL, g_string_append (out, qos->preempt))
CELL (preempt_mode, qos != NULL,
      g_string_append (out, qos->preempt_mode[0] != '\0' ? qos->preempt_mode : "cluster"))
CELL (flags, qos != NULL, append_flags (qos->flags, out))
CELL (usage_factor, qos != NULL, lk_table_real (out, qos->usage_factor, 6))
CELL (usage_threshold, qos != NULL && qos->usage_threshold >= 0,
      lk_table_real (out, qos->usage_threshold, 6))
CELL (limit_factor, qos != NULL && qos->limit_factor >= 0,
      lk_table_real (out, qos->limit_factor, 6))

/* ---------------------------------------------------------------- the cluster */

/* Slurm's number of the protocol of 26.05, whose commands these are like. */
#define PROTOCOL "11520"

CELL (control_host, spec != NULL && report->control_host != NULL,
      g_string_append (out, report->control_host))
CELL (control_port, spec != NULL && report->control_host != NULL,
      g_string_append (out, report->control_port))
CELL (protocol, spec != NULL && report->control_host != NULL, g_string_append (out, PROTOCOL))

/* ---------------------------------------------------------------- the table */

/* A name that is the beginning of others comes before them. */
const LkField lk_sacctmgr_fields[] = {
  { "Account", NULL, 10, account_cell },
  { "AdminLevel", "Admin", 9, admin_cell },
  { "Cluster", NULL, 10, cluster_cell },
  { "Comment", NULL, 20, empty_cell },
  { "ControlHost", NULL, 15, control_host_cell },
  { "ControlPort", NULL, 12, control_port_cell },
  { "Coordinators", "Coord Accounts", 20, coordinates_cell },
  { "DefaultAccount", "Def Acct", 10, default_account_cell },
  { "DefaultQOS", "Def QOS", 9, default_qos_cell },
  { "DefaultWCKey", "Def WCKey", 10, empty_cell },
  { "Description", "Descr", 20, description_cell },
  { "Fairshare", NULL, 9, share_cell },
  { "Flags", NULL, 20, flags_cell },
  { "GraceTime", NULL, 10, grace_cell },
  { "GrpCPUs", NULL, 8, grp_cpus_cell },
  { "GrpCPUMins", NULL, 11, grp_cpu_mins_cell },
  { "GrpCPURunMins", NULL, 13, grp_cpu_run_mins_cell },
  { "GrpJobs", NULL, 7, grp_jobs_cell },
  { "GrpJobsAccrue", NULL, 13, grp_jobs_accrue_cell },
  { "GrpMem", NULL, 7, grp_mem_cell },
  { "GrpNodes", NULL, 8, grp_nodes_cell },
  { "GrpSubmitJobs", "GrpSubmit", 9, grp_submit_cell },
  { "GrpTRES", NULL, 13, grp_tres_cell },
  { "GrpTRESMins", NULL, 13, grp_tres_mins_cell },
  { "GrpTRESRunMins", NULL, 13, grp_tres_run_mins_cell },
  { "GrpWall", NULL, 11, grp_wall_cell },
  { "ID", NULL, 6, id_cell },
  { "LimitFactor", NULL, 11, limit_factor_cell },
  { "Lineage", NULL, -20, lineage_cell },
  { "MaxCPUs", NULL, 8, max_cpus_cell },
  { "MaxCPUMins", NULL, 11, max_cpu_mins_cell },
  { "MaxJobs", NULL, 7, max_jobs_cell },
  { "MaxJobsAccrue", NULL, 13, max_jobs_accrue_cell },
  { "MaxJobsAccruePA", NULL, 15, max_jobs_accrue_pa_cell },
  { "MaxJobsAccruePU", NULL, 15, max_jobs_accrue_pu_cell },
  { "MaxJobsPA", NULL, 9, max_jobs_pa_cell },
  { "MaxJobsPerAccount", "MaxJobsPA", 9, max_jobs_pa_cell },
  { "MaxJobsPerUser", "MaxJobsPU", 9, max_jobs_pu_cell },
  { "MaxJobsPU", NULL, 9, max_jobs_pu_cell },
  { "MaxNodes", NULL, 8, max_nodes_cell },
  { "MaxSubmitJobs", "MaxSubmit", 9, max_submit_cell },
  { "MaxSubmitPA", NULL, 11, max_submit_pa_cell },
  { "MaxSubmitPU", NULL, 11, max_submit_pu_cell },
  { "MaxTRES", NULL, 13, max_tres_cell },
  { "MaxTRESMins", NULL, 13, max_tres_mins_cell },
  { "MaxTRESPA", NULL, 13, max_tres_pa_cell },
  { "MaxTRESPerAccount", "MaxTRESPA", 13, max_tres_pa_cell },
  { "MaxTRESPerJob", "MaxTRES", 13, max_tres_cell },
  { "MaxTRESPerNode", NULL, 14, max_tres_node_cell },
  { "MaxTRESPerUser", "MaxTRESPU", 13, max_tres_pu_cell },
  { "MaxTRESPU", NULL, 13, max_tres_pu_cell },
  { "MaxTRESRunMinsPA", NULL, 16, max_tres_run_pa_cell },
  { "MaxTRESRunMinsPU", NULL, 16, max_tres_run_pu_cell },
  { "MaxWall", NULL, 11, max_wall_cell },
  { "MaxWallDurationPerJob", "MaxWall", 11, max_wall_cell },
  { "MinPrioThreshold", "MinPrioThres", 12, min_prio_cell },
  { "MinTRES", NULL, 13, min_tres_cell },
  { "Name", NULL, 10, name_cell },
  { "Organization", "Org", 20, organization_cell },
  { "ParentName", NULL, 10, parent_cell },
  { "Partition", NULL, 10, partition_cell },
  { "Preempt", NULL, 10, preempt_cell },
  { "PreemptExemptTime", NULL, 19, exempt_cell },
  { "PreemptMode", NULL, 11, preempt_mode_cell },
  { "Priority", NULL, 10, priority_cell },
  { "QOS", NULL, 20, qos_list_cell },
  { "QOSLevel", "QOS", 20, qos_list_cell },
  { "RawUsage", NULL, 10, usage_cell },
  { "RPC", NULL, 5, protocol_cell },
  { "Share", NULL, 9, share_cell },
  { "Type", NULL, 8, type_cell },
  { "UsageFactor", NULL, 11, usage_factor_cell },
  { "UsageThreshold", "UsageThres", 10, usage_threshold_cell },
  { "User", NULL, 10, user_cell },
  { "WCKeys", NULL, 20, empty_cell },
  { NULL, NULL, 0, NULL },
};
