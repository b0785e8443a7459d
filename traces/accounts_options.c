/* traces/accounts_options.c — the table of sacctmgr's options. See accounts_edit.h.
 *
 * Where several names begin alike, the order and the least lengths are those in which sacctmgr
 * compares. */
#include <string.h>

#include "engine/suggest.h"
#include "traces/accounts_edit.h"

#define Q LK_OPTION_ON_QOS
#define A LK_OPTION_ON_ASSOCIATION
#define AQ (A | Q)

#define LIMIT(name, min_bytes, scope, kind)                                                        \
  {                                                                                                \
    name, min_bytes, scope, LK_OPTION_LIMIT, LK_LIMIT_##kind, NULL                                 \
  }
#define OLD(name, min_bytes, scope, kind, tres)                                                    \
  {                                                                                                \
    name, min_bytes, scope, LK_OPTION_LIMIT, LK_LIMIT_##kind, tres                                 \
  }
#define OTHER(name, min_bytes, scope, effect)                                                      \
  {                                                                                                \
    name, min_bytes, scope, LK_OPTION_##effect, 0, NULL                                            \
  }

static const LkAccountsOption options[] = {
  OTHER ("Names", 1, AQ, NAMES),
  OTHER ("Accounts", 2, A, ACCOUNTS),
  OTHER ("Acct", 4, A, ACCOUNTS),
  OTHER ("AdminLevel", 2, A, ADMIN_LEVEL),
  OTHER ("Classification", 3, A, IGNORED),
  OTHER ("Clusters", 2, A, CLUSTERS),
  OTHER ("Comment", 3, A, IGNORED),
  OTHER ("Coordinators", 3, A, COORDINATES),
  OTHER ("DefaultAccount", 8, A, DEFAULT_ACCOUNT),
  OTHER ("DefaultQOS", 8, A, DEFAULT_QOS),
  OTHER ("DefaultWCKey", 8, A, IGNORED),
  OTHER ("Descriptions", 1, AQ, DESCRIPTION),
  OTHER ("Email", 2, A, IGNORED),
  OTHER ("Fairshare", 2, A, SHARES),
  OTHER ("Features", 2, A, IGNORED),
  OTHER ("Federations", 3, A, IGNORED),
  OTHER ("FedState", 4, A, IGNORED),
  OTHER ("Flags", 2, Q, FLAGS),
  OTHER ("Flags", 2, A, IGNORED),
  OTHER ("Format", 2, AQ, IGNORED),
  OTHER ("GraceTime", 3, Q, GRACE),
  OLD ("GrpCPUMins", 7, AQ, GRP_TRES_MINS, "cpu"),
  OLD ("GrpCPURunMins", 7, AQ, GRP_TRES_RUN_MINS, "cpu"),
  OLD ("GrpCPUs", 6, AQ, GRP_TRES, "cpu"),
  LIMIT ("GrpJobs", 4, AQ, GRP_JOBS),
  LIMIT ("GrpJobsAccrue", 8, AQ, GRP_JOBS_ACCRUE),
  OLD ("GrpMemory", 4, AQ, GRP_TRES, "mem"),
  OLD ("GrpNodes", 4, AQ, GRP_TRES, "node"),
  LIMIT ("GrpSubmitJobs", 4, AQ, GRP_SUBMIT_JOBS),
  LIMIT ("GrpTRES", 7, AQ, GRP_TRES),
  LIMIT ("GrpTRESMins", 8, AQ, GRP_TRES_MINS),
  LIMIT ("GrpTRESRunMins", 8, AQ, GRP_TRES_RUN_MINS),
  LIMIT ("GrpWall", 4, AQ, GRP_WALL),
  OTHER ("IDs", 2, AQ, IGNORED),
  OTHER ("LimitFactor", 1, Q, LIMIT_FACTOR),
  OLD ("MaxCPUMinsPerJob", 7, AQ, MAX_TRES_MINS_PER_JOB, "cpu"),
  OTHER ("MaxCPURunMins", 7, A, IGNORED),
  OLD ("MaxCPURunMins", 7, Q, MAX_TRES_RUN_MINS_PER_USER, "cpu"),
  OLD ("MaxCPUsPerJob", 6, AQ, MAX_TRES_PER_JOB, "cpu"),
  OLD ("MaxCPUsPerUser", 11, Q, MAX_TRES_PER_USER, "cpu"),
  OLD ("MaxCPUsPU", 9, Q, MAX_TRES_PER_USER, "cpu"),
  LIMIT ("MaxJobs", 4, A, MAX_JOBS),
  LIMIT ("MaxJobsPerUser", 4, Q, MAX_JOBS_PER_USER),
  LIMIT ("MaxJobsAccrue", 8, A, MAX_JOBS_ACCRUE),
  LIMIT ("MaxJobsAccruePerUser", 8, Q, MAX_JOBS_ACCRUE_PER_USER),
  LIMIT ("MaxJobsAccruePerAccount", 16, Q, MAX_JOBS_ACCRUE_PER_ACCOUNT),
  LIMIT ("MaxJobsAccruePerAcct", 16, Q, MAX_JOBS_ACCRUE_PER_ACCOUNT),
  LIMIT ("MaxJobsAccruePA", 15, Q, MAX_JOBS_ACCRUE_PER_ACCOUNT),
  LIMIT ("MaxJobsAccruePU", 15, Q, MAX_JOBS_ACCRUE_PER_USER),
  LIMIT ("MaxJobsPerAccount", 11, Q, MAX_JOBS_PER_ACCOUNT),
  LIMIT ("MaxJobsPerAcct", 11, Q, MAX_JOBS_PER_ACCOUNT),
  LIMIT ("MaxJobsPA", 9, Q, MAX_JOBS_PER_ACCOUNT),
  LIMIT ("MaxJobsPU", 9, Q, MAX_JOBS_PER_USER),
  OLD ("MaxNodesPerJob", 4, AQ, MAX_TRES_PER_JOB, "node"),
  OLD ("MaxNodesPerUser", 12, Q, MAX_TRES_PER_USER, "node"),
  OLD ("MaxNodesPU", 10, Q, MAX_TRES_PER_USER, "node"),
  LIMIT ("MaxSubmitJobs", 4, A, MAX_SUBMIT_JOBS),
  LIMIT ("MaxSubmitJobsPerUser", 4, Q, MAX_SUBMIT_JOBS_PER_USER),
  LIMIT ("MaxSubmitJobsPerAccount", 17, Q, MAX_SUBMIT_JOBS_PER_ACCOUNT),
  LIMIT ("MaxSubmitJobsPerAcct", 17, Q, MAX_SUBMIT_JOBS_PER_ACCOUNT),
  LIMIT ("MaxSubmitJobsPA", 15, Q, MAX_SUBMIT_JOBS_PER_ACCOUNT),
  LIMIT ("MaxSubmitJobsPU", 15, Q, MAX_SUBMIT_JOBS_PER_USER),
  LIMIT ("MaxSubmitPA", 11, Q, MAX_SUBMIT_JOBS_PER_ACCOUNT),
  LIMIT ("MaxSubmitPU", 11, Q, MAX_SUBMIT_JOBS_PER_USER),
  LIMIT ("MaxTRESPerJob", 7, AQ, MAX_TRES_PER_JOB),
  LIMIT ("MaxTRESPJ", 9, AQ, MAX_TRES_PER_JOB),
  LIMIT ("MaxTRESPerNode", 11, AQ, MAX_TRES_PER_NODE),
  LIMIT ("MaxTRESPN", 9, AQ, MAX_TRES_PER_NODE),
  LIMIT ("MaxTRESPerAccount", 11, Q, MAX_TRES_PER_ACCOUNT),
  LIMIT ("MaxTRESPerAcct", 11, Q, MAX_TRES_PER_ACCOUNT),
  LIMIT ("MaxTRESPA", 9, Q, MAX_TRES_PER_ACCOUNT),
  LIMIT ("MaxTRESPerUser", 11, Q, MAX_TRES_PER_USER),
  LIMIT ("MaxTRESPU", 9, Q, MAX_TRES_PER_USER),
  LIMIT ("MaxTRESMinsPerJob", 8, AQ, MAX_TRES_MINS_PER_JOB),
  LIMIT ("MaxTRESMinsPJ", 13, AQ, MAX_TRES_MINS_PER_JOB),
  OTHER ("MaxTRESRunMins", 8, A, IGNORED),
  LIMIT ("MaxTRESRunMinsPerAccount", 18, Q, MAX_TRES_RUN_MINS_PER_ACCOUNT),
  LIMIT ("MaxTRESRunMinsPerAcct", 18, Q, MAX_TRES_RUN_MINS_PER_ACCOUNT),
  LIMIT ("MaxTRESRunMinsPA", 16, Q, MAX_TRES_RUN_MINS_PER_ACCOUNT),
  LIMIT ("MaxTRESRunMinsPerUser", 8, Q, MAX_TRES_RUN_MINS_PER_USER),
  LIMIT ("MaxTRESRunMinsPU", 16, Q, MAX_TRES_RUN_MINS_PER_USER),
  LIMIT ("MaxWallDurationPerJob", 4, AQ, MAX_WALL_PER_JOB),
  LIMIT ("MaxWallPJ", 9, AQ, MAX_WALL_PER_JOB),
  OLD ("MinCPUsPerJob", 6, Q, MIN_TRES_PER_JOB, "cpu"),
  LIMIT ("MinPrioThreshold", 4, AQ, MIN_PRIO_THRESHOLD),
  LIMIT ("MinTRESPerJob", 7, Q, MIN_TRES_PER_JOB),
  LIMIT ("MinTRESPJ", 9, Q, MIN_TRES_PER_JOB),
  OTHER ("NewName", 2, A, IGNORED),
  OTHER ("Organizations", 1, A, ORGANIZATION),
  OTHER ("Parents", 4, A, PARENT),
  OTHER ("Partitions", 4, A, PARTITIONS),
  OTHER ("PreemptMode", 8, Q, PREEMPT_MODE),
  OTHER ("PreemptExemptTime", 8, Q, PREEMPT_EXEMPT),
  OTHER ("Preempt", 7, Q, PREEMPT),
  OTHER ("Priority", 3, AQ, PRIORITY),
  OTHER ("QosLevel", 1, A, QOS),
  OTHER ("QOS", 1, Q, NAMES),
  OTHER ("RawUsage", 4, A, RAW_USAGE),
  OTHER ("RawUsage", 4, Q, IGNORED),
  OTHER ("RPC", 3, A, IGNORED),
  OTHER ("Shares", 1, A, SHARES),
  OTHER ("UsageFactor", 6, Q, USAGE_FACTOR),
  OTHER ("UsageThreshold", 6, Q, USAGE_THRESHOLD),
  OTHER ("Users", 1, A, USERS),
  OTHER ("WCKeys", 2, A, IGNORED),
};

const LkAccountsOption *
lk_accounts_option_find (guint scope, const char *key, gsize key_bytes)
{
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if ((options[i].scope & scope) != 0 && strlen (options[i].name) == key_bytes
        && g_ascii_strncasecmp (options[i].name, key, key_bytes) == 0)
      return &options[i];
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if ((options[i].scope & scope) != 0 && key_bytes >= options[i].min_bytes
        && g_ascii_strncasecmp (options[i].name, key, key_bytes) == 0)
      return &options[i];
  return NULL;
}

char *
lk_accounts_option_problem (guint scope, const char *key, gsize key_bytes)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const LkAccountsOption *other = lk_accounts_option_find (AQ & ~scope, key, key_bytes);
  if (other != NULL)
    return g_strdup_printf ("%s is of %s; expected an option of %s", other->name,
                            scope == Q ? "accounts and users" : "a QOS",
                            scope == Q ? "a QOS" : "accounts and users");
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if ((options[i].scope & scope) != 0)
      g_ptr_array_add (names, g_ascii_strdown (options[i].name, -1));
  g_ptr_array_add (names, NULL);
  g_autofree char *lower = g_ascii_strdown (key, (gssize)MIN (key_bytes, 80));
  const char *nearest = lk_suggest (lower, (const char *const *)names->pdata);
  if (nearest == NULL)
    return g_strdup_printf ("unknown key '%s'; expected one of sacctmgr's", lower);
  return g_strdup_printf ("unknown key '%s'; did you mean '%s'?", lower, nearest);
}
