/* tests/engine/limit_reason_test.c — the reason of every limit, as squeue prints it. */
#include "engine/limit_reason.h"

/* Text for each LkTresClass, in its order. */
typedef struct {
  uint32_t kind;
  uint32_t holder;
  const char *texts[LK_TRES_CLASS_UNKNOWN + 1];
} Row;

#define ASSOCIATION LK_HOLDER_ASSOCIATION
#define QOS LK_HOLDER_QOS

/* What most rows have in common; the names of CPUs and nodes often end in Limit, those of memory
 * are Mem or Memory, and one of a QOS is named as an association's. */
#define ROW_OF(head, cpu, memory, node, tail)                                                      \
  {                                                                                                \
    cpu, memory, node, head "GRES" tail, head "License" tail, head "BB" tail, head "Billing" tail, \
        head "Energy" tail, head "Unknown" tail                                                    \
  }

static const Row rows[] = {
  { LK_LIMIT_GRP_TRES, ASSOCIATION,
    ROW_OF ("AssocGrp", "AssocGrpCpuLimit", "AssocGrpMemLimit", "AssocGrpNodeLimit", "") },
  { LK_LIMIT_GRP_TRES, QOS,
    ROW_OF ("QOSGrp", "QOSGrpCpuLimit", "QOSGrpMemLimit", "QOSGrpNodeLimit", "") },
  { LK_LIMIT_GRP_TRES_MINS, ASSOCIATION,
    ROW_OF ("AssocGrp", "AssocGrpCPUMinutesLimit", "AssocGrpMemMinutes", "AssocGrpNodeMinutes",
            "Minutes") },
  { LK_LIMIT_GRP_TRES_MINS, QOS,
    ROW_OF ("QOSGrp", "QOSGrpCPUMinutesLimit", "QOSGrpMemoryMinutes", "QOSGrpNodeMinutes",
            "Minutes") },
  { LK_LIMIT_GRP_TRES_RUN_MINS, ASSOCIATION,
    ROW_OF ("AssocGrp", "AssocGrpCPURunMinutesLimit", "AssocGrpMemRunMinutes",
            "AssocGrpNodeRunMinutes", "RunMinutes") },
  { LK_LIMIT_GRP_TRES_RUN_MINS, QOS,
    ROW_OF ("QOSGrp", "QOSGrpCPURunMinutesLimit", "QOSGrpMemoryRunMinutes", "QOSGrpNodeRunMinutes",
            "RunMinutes") },
  { LK_LIMIT_MAX_TRES_PER_JOB, ASSOCIATION,
    ROW_OF ("AssocMax", "AssocMaxCpuPerJobLimit", "AssocMaxMemPerJob", "AssocMaxNodePerJobLimit",
            "PerJob") },
  { LK_LIMIT_MAX_TRES_PER_JOB, QOS,
    ROW_OF ("QOSMax", "QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSMaxNodePerJobLimit",
            "PerJob") },
  { LK_LIMIT_MAX_TRES_MINS_PER_JOB, ASSOCIATION,
    ROW_OF ("AssocMax", "AssocMaxCpuMinutesPerJobLimit", "AssocMaxMemMinutesPerJob",
            "AssocMaxNodeMinutesPerJob", "MinutesPerJob") },
  { LK_LIMIT_MAX_TRES_MINS_PER_JOB,
    QOS,
    { "QOSMaxCpuMinutesPerJobLimit", "QOSMaxMemoryMinutesPerJob", "QOSMaxNodeMinutesPerJob",
      "QOSMaxGRESMinutesPerJob", "QOSMaxLicenseMinutesPerJob", "AssocMaxBBMinutesPerJob",
      "QOSMaxBillingMinutesPerJob", "QOSMaxEnergyMinutesPerJob", "QOSMaxUnknownMinutesPerJob" } },
  { LK_LIMIT_MAX_TRES_PER_NODE, ASSOCIATION,
    ROW_OF ("AssocMax", "AssocMaxCpuPerNode", "AssocMaxMemPerNode", "AssocMaxNodePerNode",
            "PerNode") },
  { LK_LIMIT_MAX_TRES_PER_NODE, QOS,
    ROW_OF ("QOSMax", "QOSMaxCpuPerNode", "QOSMaxMemoryPerNode", "QOSMaxNodePerNode", "PerNode") },
  { LK_LIMIT_MAX_TRES_PER_USER, QOS,
    ROW_OF ("QOSMax", "QOSMaxCpuPerUserLimit", "QOSMaxMemoryPerUser", "QOSMaxNodePerUserLimit",
            "PerUser") },
  { LK_LIMIT_MAX_TRES_PER_ACCOUNT, QOS,
    ROW_OF ("Max", "MaxCpuPerAccount", "MaxMemoryPerAccount", "MaxNodePerAccount", "PerAccount") },
  { LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER, QOS,
    ROW_OF ("Max", "MaxCpuRunMinsPerUser", "MaxMemoryRunMinsPerUser", "MaxNodeRunMinsPerUser",
            "RunMinsPerUser") },
  { LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT, QOS,
    ROW_OF ("Max", "MaxCpuRunMinsPerAccount", "MaxMemoryRunMinsPerAccount",
            "MaxNodeRunMinsPerAccount", "RunMinsPerAccount") },
  { LK_LIMIT_MIN_TRES_PER_JOB, QOS,
    ROW_OF ("QOSMin", "QOSMinCpuNotSatisfied", "QOSMinMemory", "QOSMinNode", "") },
};

static void
test_rows (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    for (guint class = 0; class <= LK_TRES_CLASS_UNKNOWN; class ++) {
      LkReason reason = lk_limit_reason (rows[i].kind, rows[i].holder, (LkTresClass) class);
      g_assert_cmpstr (lk_reason_name (reason), ==, rows[i].texts[class]);
      if (rows[i].holder == QOS)
        g_assert_cmpint (
            reason, ==,
            lk_limit_reason (rows[i].kind, LK_HOLDER_PARTITION_QOS, (LkTresClass) class));
    }
  }
}

/* Limits that are not of a TRES: the text for associations and QOS, NULL where there is none. */
static void
test_single (void)
{
  static const struct {
    uint32_t kind;
    const char *association;
    const char *qos;
  } single[] = {
    { LK_LIMIT_GRP_JOBS, "AssocGrpJobsLimit", "QOSGrpJobsLimit" },
    { LK_LIMIT_GRP_SUBMIT_JOBS, "AssocGrpSubmitJobsLimit", "QOSGrpSubmitJobsLimit" },
    { LK_LIMIT_GRP_WALL, "AssocGrpWallLimit", "QOSGrpWallLimit" },
    { LK_LIMIT_MAX_JOBS, "AssocMaxJobsLimit", NULL },
    { LK_LIMIT_MAX_JOBS_PER_USER, NULL, "QOSMaxJobsPerUserLimit" },
    { LK_LIMIT_MAX_JOBS_PER_ACCOUNT, NULL, "MaxJobsPerAccount" },
    { LK_LIMIT_MAX_SUBMIT_JOBS, "AssocMaxSubmitJobLimit", NULL },
    { LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER, NULL, "QOSMaxSubmitJobPerUserLimit" },
    { LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT, NULL, "MaxSubmitJobsPerAccount" },
    { LK_LIMIT_MAX_WALL_PER_JOB, "AssocMaxWallDurationPerJobLimit",
      "QOSMaxWallDurationPerJobLimit" },
    { LK_LIMIT_GRP_JOBS_ACCRUE, NULL, NULL },
    { LK_LIMIT_MAX_JOBS_ACCRUE, NULL, NULL },
    { LK_LIMIT_MAX_JOBS_ACCRUE_PER_USER, NULL, NULL },
    { LK_LIMIT_MAX_JOBS_ACCRUE_PER_ACCOUNT, NULL, NULL },
    { LK_LIMIT_MIN_PRIO_THRESHOLD, NULL, NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (single); i++) {
    const char *of_association = single[i].association != NULL ? single[i].association : "None";
    const char *of_qos = single[i].qos != NULL ? single[i].qos : "None";
    LkReason association = lk_limit_reason (single[i].kind, ASSOCIATION, LK_TRES_CLASS_NODE);
    LkReason qos = lk_limit_reason (single[i].kind, QOS, LK_TRES_CLASS_NODE);
    g_assert_cmpstr (lk_reason_name (association), ==, of_association);
    g_assert_cmpstr (lk_reason_name (qos), ==, of_qos);
  }
}

static void
test_classes (void)
{
  static const struct {
    const char *name;
    LkTresClass class;
  } names[] = {
    { "cpu", LK_TRES_CLASS_CPU },
    { "mem", LK_TRES_CLASS_MEMORY },
    { "node", LK_TRES_CLASS_NODE },
    { "gres/gpu", LK_TRES_CLASS_GRES },
    { "gres/gpu:a100", LK_TRES_CLASS_GRES },
    { "license/matlab", LK_TRES_CLASS_LICENSE },
    { "bb/datawarp", LK_TRES_CLASS_BURST_BUFFER },
    { "billing", LK_TRES_CLASS_BILLING },
    { "energy", LK_TRES_CLASS_ENERGY },
    { "fs/disk", LK_TRES_CLASS_UNKNOWN },
    { "vmem", LK_TRES_CLASS_UNKNOWN },
    { "pages", LK_TRES_CLASS_UNKNOWN },
    { "cpus", LK_TRES_CLASS_UNKNOWN },
    { "gres", LK_TRES_CLASS_UNKNOWN },
    { "", LK_TRES_CLASS_UNKNOWN },
  };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_cmpint (lk_tres_class (names[i].name), ==, names[i].class);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/limit_reason/one for each class of TRES", test_rows);
  g_test_add_func ("/limit_reason/one for limits that are not of a TRES", test_single);
  g_test_add_func ("/limit_reason/classes of TRES by name", test_classes);
  return g_test_run ();
}
