/* engine/limit_reasons.h — the reasons with which a job waits for a limit, in Slurm's spelling.
 *
 * X (NAME, number, text): rows of LK_REASONS.  Limits of a TRES have one reason for each class of
 * TRES, nine in a row in the order of LkTresClass, so that a reason is the first of its row and the
 * class; the irregularities of the names are Slurm's.  Numbers are for ever; 40 to 99 are free for
 * reasons that are no limits. */
#ifndef LK_ENGINE_LIMIT_REASONS_H
#define LK_ENGINE_LIMIT_REASONS_H

/* Classes of TRES that reasons tell apart. */
typedef enum {
  LK_TRES_CLASS_CPU,
  LK_TRES_CLASS_MEMORY,
  LK_TRES_CLASS_NODE,
  LK_TRES_CLASS_GRES,
  LK_TRES_CLASS_LICENSE,
  LK_TRES_CLASS_BURST_BUFFER,
  LK_TRES_CLASS_BILLING,
  LK_TRES_CLASS_ENERGY,
  LK_TRES_CLASS_UNKNOWN,
} LkTresClass;

#define LK_LIMIT_REASONS(X)                                                                        \
  X (INVALID_ACCOUNT, 20, "InvalidAccount")                                                        \
  X (INVALID_QOS, 21, "InvalidQOS")                                                                \
  X (ASSOC_GRP_JOBS, 22, "AssocGrpJobsLimit")                                                      \
  X (ASSOC_GRP_SUBMIT_JOBS, 23, "AssocGrpSubmitJobsLimit")                                         \
  X (ASSOC_GRP_WALL, 24, "AssocGrpWallLimit")                                                      \
  X (ASSOC_MAX_JOBS, 25, "AssocMaxJobsLimit")                                                      \
  X (ASSOC_MAX_SUBMIT_JOBS, 26, "AssocMaxSubmitJobLimit")                                          \
  X (ASSOC_MAX_WALL, 27, "AssocMaxWallDurationPerJobLimit")                                        \
  X (QOS_GRP_JOBS, 28, "QOSGrpJobsLimit")                                                          \
  X (QOS_GRP_SUBMIT_JOBS, 29, "QOSGrpSubmitJobsLimit")                                             \
  X (QOS_GRP_WALL, 30, "QOSGrpWallLimit")                                                          \
  X (QOS_MAX_JOBS_PER_USER, 31, "QOSMaxJobsPerUserLimit")                                          \
  X (QOS_MAX_SUBMIT_JOBS_PER_USER, 32, "QOSMaxSubmitJobPerUserLimit")                              \
  X (QOS_MAX_WALL, 33, "QOSMaxWallDurationPerJobLimit")                                            \
  X (MAX_JOBS_PER_ACCOUNT, 34, "MaxJobsPerAccount")                                                \
  X (MAX_SUBMIT_JOBS_PER_ACCOUNT, 35, "MaxSubmitJobsPerAccount")                                   \
  X (QOS_USAGE_THRESHOLD, 36, "QOSUsageThreshold")                                                 \
  X (ASSOC_GRP_CPU, 100, "AssocGrpCpuLimit")                                                       \
  X (ASSOC_GRP_MEMORY, 101, "AssocGrpMemLimit")                                                    \
  X (ASSOC_GRP_NODE, 102, "AssocGrpNodeLimit")                                                     \
  X (ASSOC_GRP_GRES, 103, "AssocGrpGRES")                                                          \
  X (ASSOC_GRP_LICENSE, 104, "AssocGrpLicense")                                                    \
  X (ASSOC_GRP_BURST_BUFFER, 105, "AssocGrpBB")                                                    \
  X (ASSOC_GRP_BILLING, 106, "AssocGrpBilling")                                                    \
  X (ASSOC_GRP_ENERGY, 107, "AssocGrpEnergy")                                                      \
  X (ASSOC_GRP_UNKNOWN, 108, "AssocGrpUnknown")                                                    \
  X (ASSOC_GRP_MINUTES_CPU, 109, "AssocGrpCPUMinutesLimit")                                        \
  X (ASSOC_GRP_MINUTES_MEMORY, 110, "AssocGrpMemMinutes")                                          \
  X (ASSOC_GRP_MINUTES_NODE, 111, "AssocGrpNodeMinutes")                                           \
  X (ASSOC_GRP_MINUTES_GRES, 112, "AssocGrpGRESMinutes")                                           \
  X (ASSOC_GRP_MINUTES_LICENSE, 113, "AssocGrpLicenseMinutes")                                     \
  X (ASSOC_GRP_MINUTES_BURST_BUFFER, 114, "AssocGrpBBMinutes")                                     \
  X (ASSOC_GRP_MINUTES_BILLING, 115, "AssocGrpBillingMinutes")                                     \
  X (ASSOC_GRP_MINUTES_ENERGY, 116, "AssocGrpEnergyMinutes")                                       \
  X (ASSOC_GRP_MINUTES_UNKNOWN, 117, "AssocGrpUnknownMinutes")                                     \
  X (ASSOC_GRP_RUN_MINUTES_CPU, 118, "AssocGrpCPURunMinutesLimit")                                 \
  X (ASSOC_GRP_RUN_MINUTES_MEMORY, 119, "AssocGrpMemRunMinutes")                                   \
  X (ASSOC_GRP_RUN_MINUTES_NODE, 120, "AssocGrpNodeRunMinutes")                                    \
  X (ASSOC_GRP_RUN_MINUTES_GRES, 121, "AssocGrpGRESRunMinutes")                                    \
  X (ASSOC_GRP_RUN_MINUTES_LICENSE, 122, "AssocGrpLicenseRunMinutes")                              \
  X (ASSOC_GRP_RUN_MINUTES_BURST_BUFFER, 123, "AssocGrpBBRunMinutes")                              \
  X (ASSOC_GRP_RUN_MINUTES_BILLING, 124, "AssocGrpBillingRunMinutes")                              \
  X (ASSOC_GRP_RUN_MINUTES_ENERGY, 125, "AssocGrpEnergyRunMinutes")                                \
  X (ASSOC_GRP_RUN_MINUTES_UNKNOWN, 126, "AssocGrpUnknownRunMinutes")                              \
  X (ASSOC_MAX_PER_JOB_CPU, 127, "AssocMaxCpuPerJobLimit")                                         \
  X (ASSOC_MAX_PER_JOB_MEMORY, 128, "AssocMaxMemPerJob")                                           \
  X (ASSOC_MAX_PER_JOB_NODE, 129, "AssocMaxNodePerJobLimit")                                       \
  X (ASSOC_MAX_PER_JOB_GRES, 130, "AssocMaxGRESPerJob")                                            \
  X (ASSOC_MAX_PER_JOB_LICENSE, 131, "AssocMaxLicensePerJob")                                      \
  X (ASSOC_MAX_PER_JOB_BURST_BUFFER, 132, "AssocMaxBBPerJob")                                      \
  X (ASSOC_MAX_PER_JOB_BILLING, 133, "AssocMaxBillingPerJob")                                      \
  X (ASSOC_MAX_PER_JOB_ENERGY, 134, "AssocMaxEnergyPerJob")                                        \
  X (ASSOC_MAX_PER_JOB_UNKNOWN, 135, "AssocMaxUnknownPerJob")                                      \
  X (ASSOC_MAX_MINUTES_PER_JOB_CPU, 136, "AssocMaxCpuMinutesPerJobLimit")                          \
  X (ASSOC_MAX_MINUTES_PER_JOB_MEMORY, 137, "AssocMaxMemMinutesPerJob")                            \
  X (ASSOC_MAX_MINUTES_PER_JOB_NODE, 138, "AssocMaxNodeMinutesPerJob")                             \
  X (ASSOC_MAX_MINUTES_PER_JOB_GRES, 139, "AssocMaxGRESMinutesPerJob")                             \
  X (ASSOC_MAX_MINUTES_PER_JOB_LICENSE, 140, "AssocMaxLicenseMinutesPerJob")                       \
  X (ASSOC_MAX_MINUTES_PER_JOB_BURST_BUFFER, 141, "AssocMaxBBMinutesPerJob")                       \
  X (ASSOC_MAX_MINUTES_PER_JOB_BILLING, 142, "AssocMaxBillingMinutesPerJob")                       \
  X (ASSOC_MAX_MINUTES_PER_JOB_ENERGY, 143, "AssocMaxEnergyMinutesPerJob")                         \
  X (ASSOC_MAX_MINUTES_PER_JOB_UNKNOWN, 144, "AssocMaxUnknownMinutesPerJob")                       \
  X (ASSOC_MAX_PER_NODE_CPU, 145, "AssocMaxCpuPerNode")                                            \
  X (ASSOC_MAX_PER_NODE_MEMORY, 146, "AssocMaxMemPerNode")                                         \
  X (ASSOC_MAX_PER_NODE_NODE, 147, "AssocMaxNodePerNode")                                          \
  X (ASSOC_MAX_PER_NODE_GRES, 148, "AssocMaxGRESPerNode")                                          \
  X (ASSOC_MAX_PER_NODE_LICENSE, 149, "AssocMaxLicensePerNode")                                    \
  X (ASSOC_MAX_PER_NODE_BURST_BUFFER, 150, "AssocMaxBBPerNode")                                    \
  X (ASSOC_MAX_PER_NODE_BILLING, 151, "AssocMaxBillingPerNode")                                    \
  X (ASSOC_MAX_PER_NODE_ENERGY, 152, "AssocMaxEnergyPerNode")                                      \
  X (ASSOC_MAX_PER_NODE_UNKNOWN, 153, "AssocMaxUnknownPerNode")                                    \
  X (QOS_GRP_CPU, 154, "QOSGrpCpuLimit")                                                           \
  X (QOS_GRP_MEMORY, 155, "QOSGrpMemLimit")                                                        \
  X (QOS_GRP_NODE, 156, "QOSGrpNodeLimit")                                                         \
  X (QOS_GRP_GRES, 157, "QOSGrpGRES")                                                              \
  X (QOS_GRP_LICENSE, 158, "QOSGrpLicense")                                                        \
  X (QOS_GRP_BURST_BUFFER, 159, "QOSGrpBB")                                                        \
  X (QOS_GRP_BILLING, 160, "QOSGrpBilling")                                                        \
  X (QOS_GRP_ENERGY, 161, "QOSGrpEnergy")                                                          \
  X (QOS_GRP_UNKNOWN, 162, "QOSGrpUnknown")                                                        \
  X (QOS_GRP_MINUTES_CPU, 163, "QOSGrpCPUMinutesLimit")                                            \
  X (QOS_GRP_MINUTES_MEMORY, 164, "QOSGrpMemoryMinutes")                                           \
  X (QOS_GRP_MINUTES_NODE, 165, "QOSGrpNodeMinutes")                                               \
  X (QOS_GRP_MINUTES_GRES, 166, "QOSGrpGRESMinutes")                                               \
  X (QOS_GRP_MINUTES_LICENSE, 167, "QOSGrpLicenseMinutes")                                         \
  X (QOS_GRP_MINUTES_BURST_BUFFER, 168, "QOSGrpBBMinutes")                                         \
  X (QOS_GRP_MINUTES_BILLING, 169, "QOSGrpBillingMinutes")                                         \
  X (QOS_GRP_MINUTES_ENERGY, 170, "QOSGrpEnergyMinutes")                                           \
  X (QOS_GRP_MINUTES_UNKNOWN, 171, "QOSGrpUnknownMinutes")                                         \
  X (QOS_GRP_RUN_MINUTES_CPU, 172, "QOSGrpCPURunMinutesLimit")                                     \
  X (QOS_GRP_RUN_MINUTES_MEMORY, 173, "QOSGrpMemoryRunMinutes")                                    \
  X (QOS_GRP_RUN_MINUTES_NODE, 174, "QOSGrpNodeRunMinutes")                                        \
  X (QOS_GRP_RUN_MINUTES_GRES, 175, "QOSGrpGRESRunMinutes")                                        \
  X (QOS_GRP_RUN_MINUTES_LICENSE, 176, "QOSGrpLicenseRunMinutes")                                  \
  X (QOS_GRP_RUN_MINUTES_BURST_BUFFER, 177, "QOSGrpBBRunMinutes")                                  \
  X (QOS_GRP_RUN_MINUTES_BILLING, 178, "QOSGrpBillingRunMinutes")                                  \
  X (QOS_GRP_RUN_MINUTES_ENERGY, 179, "QOSGrpEnergyRunMinutes")                                    \
  X (QOS_GRP_RUN_MINUTES_UNKNOWN, 180, "QOSGrpUnknownRunMinutes")                                  \
  X (QOS_MAX_PER_JOB_CPU, 181, "QOSMaxCpuPerJobLimit")                                             \
  X (QOS_MAX_PER_JOB_MEMORY, 182, "QOSMaxMemoryPerJob")                                            \
  X (QOS_MAX_PER_JOB_NODE, 183, "QOSMaxNodePerJobLimit")                                           \
  X (QOS_MAX_PER_JOB_GRES, 184, "QOSMaxGRESPerJob")                                                \
  X (QOS_MAX_PER_JOB_LICENSE, 185, "QOSMaxLicensePerJob")                                          \
  X (QOS_MAX_PER_JOB_BURST_BUFFER, 186, "QOSMaxBBPerJob")                                          \
  X (QOS_MAX_PER_JOB_BILLING, 187, "QOSMaxBillingPerJob")                                          \
  X (QOS_MAX_PER_JOB_ENERGY, 188, "QOSMaxEnergyPerJob")                                            \
  X (QOS_MAX_PER_JOB_UNKNOWN, 189, "QOSMaxUnknownPerJob")                                          \
  X (QOS_MAX_MINUTES_PER_JOB_CPU, 190, "QOSMaxCpuMinutesPerJobLimit")                              \
  X (QOS_MAX_MINUTES_PER_JOB_MEMORY, 191, "QOSMaxMemoryMinutesPerJob")                             \
  X (QOS_MAX_MINUTES_PER_JOB_NODE, 192, "QOSMaxNodeMinutesPerJob")                                 \
  X (QOS_MAX_MINUTES_PER_JOB_GRES, 193, "QOSMaxGRESMinutesPerJob")                                 \
  X (QOS_MAX_MINUTES_PER_JOB_LICENSE, 194, "QOSMaxLicenseMinutesPerJob")                           \
  X (QOS_MAX_MINUTES_PER_JOB_BURST_BUFFER, 195, "AssocMaxBBMinutesPerJob")                         \
  X (QOS_MAX_MINUTES_PER_JOB_BILLING, 196, "QOSMaxBillingMinutesPerJob")                           \
  X (QOS_MAX_MINUTES_PER_JOB_ENERGY, 197, "QOSMaxEnergyMinutesPerJob")                             \
  X (QOS_MAX_MINUTES_PER_JOB_UNKNOWN, 198, "QOSMaxUnknownMinutesPerJob")                           \
  X (QOS_MAX_PER_NODE_CPU, 199, "QOSMaxCpuPerNode")                                                \
  X (QOS_MAX_PER_NODE_MEMORY, 200, "QOSMaxMemoryPerNode")                                          \
  X (QOS_MAX_PER_NODE_NODE, 201, "QOSMaxNodePerNode")                                              \
  X (QOS_MAX_PER_NODE_GRES, 202, "QOSMaxGRESPerNode")                                              \
  X (QOS_MAX_PER_NODE_LICENSE, 203, "QOSMaxLicensePerNode")                                        \
  X (QOS_MAX_PER_NODE_BURST_BUFFER, 204, "QOSMaxBBPerNode")                                        \
  X (QOS_MAX_PER_NODE_BILLING, 205, "QOSMaxBillingPerNode")                                        \
  X (QOS_MAX_PER_NODE_ENERGY, 206, "QOSMaxEnergyPerNode")                                          \
  X (QOS_MAX_PER_NODE_UNKNOWN, 207, "QOSMaxUnknownPerNode")                                        \
  X (QOS_MAX_PER_USER_CPU, 208, "QOSMaxCpuPerUserLimit")                                           \
  X (QOS_MAX_PER_USER_MEMORY, 209, "QOSMaxMemoryPerUser")                                          \
  X (QOS_MAX_PER_USER_NODE, 210, "QOSMaxNodePerUserLimit")                                         \
  X (QOS_MAX_PER_USER_GRES, 211, "QOSMaxGRESPerUser")                                              \
  X (QOS_MAX_PER_USER_LICENSE, 212, "QOSMaxLicensePerUser")                                        \
  X (QOS_MAX_PER_USER_BURST_BUFFER, 213, "QOSMaxBBPerUser")                                        \
  X (QOS_MAX_PER_USER_BILLING, 214, "QOSMaxBillingPerUser")                                        \
  X (QOS_MAX_PER_USER_ENERGY, 215, "QOSMaxEnergyPerUser")                                          \
  X (QOS_MAX_PER_USER_UNKNOWN, 216, "QOSMaxUnknownPerUser")                                        \
  X (QOS_MIN_CPU, 217, "QOSMinCpuNotSatisfied")                                                    \
  X (QOS_MIN_MEMORY, 218, "QOSMinMemory")                                                          \
  X (QOS_MIN_NODE, 219, "QOSMinNode")                                                              \
  X (QOS_MIN_GRES, 220, "QOSMinGRES")                                                              \
  X (QOS_MIN_LICENSE, 221, "QOSMinLicense")                                                        \
  X (QOS_MIN_BURST_BUFFER, 222, "QOSMinBB")                                                        \
  X (QOS_MIN_BILLING, 223, "QOSMinBilling")                                                        \
  X (QOS_MIN_ENERGY, 224, "QOSMinEnergy")                                                          \
  X (QOS_MIN_UNKNOWN, 225, "QOSMinUnknown")                                                        \
  X (MAX_PER_ACCOUNT_CPU, 226, "MaxCpuPerAccount")                                                 \
  X (MAX_PER_ACCOUNT_MEMORY, 227, "MaxMemoryPerAccount")                                           \
  X (MAX_PER_ACCOUNT_NODE, 228, "MaxNodePerAccount")                                               \
  X (MAX_PER_ACCOUNT_GRES, 229, "MaxGRESPerAccount")                                               \
  X (MAX_PER_ACCOUNT_LICENSE, 230, "MaxLicensePerAccount")                                         \
  X (MAX_PER_ACCOUNT_BURST_BUFFER, 231, "MaxBBPerAccount")                                         \
  X (MAX_PER_ACCOUNT_BILLING, 232, "MaxBillingPerAccount")                                         \
  X (MAX_PER_ACCOUNT_ENERGY, 233, "MaxEnergyPerAccount")                                           \
  X (MAX_PER_ACCOUNT_UNKNOWN, 234, "MaxUnknownPerAccount")                                         \
  X (MAX_RUN_MINUTES_PER_USER_CPU, 235, "MaxCpuRunMinsPerUser")                                    \
  X (MAX_RUN_MINUTES_PER_USER_MEMORY, 236, "MaxMemoryRunMinsPerUser")                              \
  X (MAX_RUN_MINUTES_PER_USER_NODE, 237, "MaxNodeRunMinsPerUser")                                  \
  X (MAX_RUN_MINUTES_PER_USER_GRES, 238, "MaxGRESRunMinsPerUser")                                  \
  X (MAX_RUN_MINUTES_PER_USER_LICENSE, 239, "MaxLicenseRunMinsPerUser")                            \
  X (MAX_RUN_MINUTES_PER_USER_BURST_BUFFER, 240, "MaxBBRunMinsPerUser")                            \
  X (MAX_RUN_MINUTES_PER_USER_BILLING, 241, "MaxBillingRunMinsPerUser")                            \
  X (MAX_RUN_MINUTES_PER_USER_ENERGY, 242, "MaxEnergyRunMinsPerUser")                              \
  X (MAX_RUN_MINUTES_PER_USER_UNKNOWN, 243, "MaxUnknownRunMinsPerUser")                            \
  X (MAX_RUN_MINUTES_PER_ACCOUNT_CPU, 244, "MaxCpuRunMinsPerAccount")                              \
  X (MAX_RUN_MINUTES_PER_ACCOUNT_MEMORY, 245, "MaxMemoryRunMinsPerAccount")                        \
  X (MAX_RUN_MINUTES_PER_ACCOUNT_NODE, 246, "MaxNodeRunMinsPerAccount")                            \
  X (MAX_RUN_MINUTES_PER_ACCOUNT_GRES, 247, "MaxGRESRunMinsPerAccount")                            \
  X (MAX_RUN_MINUTES_PER_ACCOUNT_LICENSE, 248, "MaxLicenseRunMinsPerAccount")                      \
  X (MAX_RUN_MINUTES_PER_ACCOUNT_BURST_BUFFER, 249, "MaxBBRunMinsPerAccount")                      \
  X (MAX_RUN_MINUTES_PER_ACCOUNT_BILLING, 250, "MaxBillingRunMinsPerAccount")                      \
  X (MAX_RUN_MINUTES_PER_ACCOUNT_ENERGY, 251, "MaxEnergyRunMinsPerAccount")                        \
  X (MAX_RUN_MINUTES_PER_ACCOUNT_UNKNOWN, 252, "MaxUnknownRunMinsPerAccount")

#endif
