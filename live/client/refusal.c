/* live/client/refusal.c — see the header.  Source: slurm/slurm_errno.h, src/common/slurm_errno.c of
 * Slurm 26.05. */
#include "live/client/refusal.h"

/* X (ours, Slurm's number, Slurm's text; NULL: ours). */
#define REFUSALS(X)                                                                                \
  X (UNSUPPORTED, 2036, "Requested operation not supported on this system")                        \
  X (JOB_UNKNOWN, 2017, "Invalid job id specified")                                                \
  X (JOB_ID_USED, 2011, "Duplicate job id")                                                        \
  X (PROCS_ZERO, 2025, "Task count specification invalid")                                         \
  X (ESTIMATE_INVALID, 2051, "Requested time limit is invalid (missing or exceeds some limit)")    \
  X (TOO_LARGE, 2005, "More processors requested than permitted")                                  \
  X (NOT_PENDING, 2073, "Job is no longer pending execution")                                      \
  X (NOT_RUNNING, 2085, "Job is not running")                                                      \
  X (NOT_HELD, 0, NULL)                                                                            \
  X (TOO_MANY_JOBS, 2050,                                                                          \
     "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)")      \
  X (PRESENT_INVALID, 2036, "Requested operation not supported on this system")                    \
  X (REQUEST_INVALID, 2008, NULL)                                                                  \
  X (PARTITION_UNKNOWN, 2000, "Invalid partition name specified")                                  \
  X (PARTITION_CLOSED, 2070, "Required partition not available (inactive or drain)")               \
  X (NODE_UNKNOWN, 2018, "Invalid node name specified")                                            \
  X (FEATURE_UNKNOWN, 2029, "Invalid feature specification")                                       \
  X (GRES_UNKNOWN, 2072, "Invalid generic resource (gres) specification")                          \
  X (LICENSE_UNKNOWN, 2048, "Invalid license specification")                                       \
  X (PARTITION_NODE_LIMIT, 2006, "Node count specification invalid")                               \
  X (PARTITION_TIME_LIMIT, 2051,                                                                   \
     "Requested time limit is invalid (missing or exceeds some limit)")                            \
  X (NODE_CONFIG, 2014, "Requested node configuration is not available")                           \
  X (MEMORY_LIMIT, 2044, "Memory required by task is not available")                               \
  X (ACCOUNT_DENIED, 2045, "Invalid account or account/partition combination specified")           \
  X (NODE_STATE, 2028, "Invalid node state specified")                                             \
  X (ACCOUNT_INVALID, 2045, "Invalid account or account/partition combination specified")          \
  X (QOS_INVALID, 2066, "Invalid qos specification")                                               \
  X (POLICY_LIMIT, 2050,                                                                           \
     "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)")      \
  X (RESERVATION_UNKNOWN, 2053, "Requested reservation is invalid")                                \
  X (RESERVATION_DENIED, 2052, "Access denied to requested reservation")                           \
  X (RESERVATION_BUSY, 2016, "Requested nodes are busy")                                           \
  X (RESERVATION_IN_USE, 2055, "Requested reservation is in use")                                  \
  X (RESERVATION_EXISTS, 2082, "Duplicate reservation name")                                       \
  X (RESERVATION_BAD, 2053, "Requested reservation is invalid")                                    \
  X (CONFIGURATION, 0, NULL)                                                                       \
  X (ARRAY_INVALID, 2081, "Invalid job array specification")                                       \
  X (TASK_UNKNOWN, 2017, "Invalid job id specified")                                               \
  X (DEPENDENCY_INVALID, 2038, "Job dependency problem")                                           \
  X (PERMISSION, 2002, "Access/permission denied")                                                 \
  X (NOT_SUSPENDED, 2087, "Job is not suspended")                                                  \
  X (TIME_INVALID, 2054, "Invalid time specified")                                                 \
  X (DISABLED, 2037, "Requested operation is presently disabled")                                  \
  X (GROUP_DENIED, 2003, "User's group not permitted to use this partition")                       \
  X (PARTITION_UNAVAILABLE, 2015, "Requested partition configuration not available now")           \
  X (RESERVATION_FLAGS, 2053, NULL)                                                                \
  X (RESERVATION_ACCESS, 2080, "Reservation request lacks users, groups or accounts")              \
  X (RESERVATION_EMPTY, 2053, "Requested reservation is invalid")                                  \
  X (RESERVATION_TRES, 2115, "Invalid Trackable RESource (TRES) specification")                    \
  X (RESERVATION_FEATURES, 2029, "Invalid feature specification")                                  \
  X (ACCOUNTS_UNKNOWN, 2045, NULL)                                                                 \
  X (ACCOUNTS_EXISTS, 2045, NULL)                                                                  \
  X (ACCOUNTS_BAD, 2045, NULL)                                                                     \
  X (ACCOUNTS_IN_USE, 2045, NULL)                                                                  \
  X (TIME_MIN_INVALID, 2124,                                                                       \
     "Invalid time-min specification (exceeds job's time or other limits)")                        \
  X (PARTITION_IN_USE, 2075, "Partition is in use")                                                \
  X (TOO_LONG, 2012, "Pathname of a file, directory or other parameter too long")                  \
  X (USER_UNKNOWN, 2010, LK_REFUSAL_USER_ID)                                                       \
  X (QUEUE_FULL, 11, NULL)                                                                         \
  X (SCRIPT_TOO_LONG, 2012, NULL)                                                                  \
  X (USER_PAYLOADS_FULL, 2050, NULL)                                                               \
  X (PAYLOADS_FULL, 2050, NULL)                                                                    \
  X (RATE_LIMITED, 1804, NULL)                                                                     \
  X (BUSY, 1804, NULL)                                                                             \
  X (NOT_NOW, 2020, "Job can not be altered now, try again later")                                 \
  X (HET_COMPONENT, 2108, "Operation not permitted on individual component of heterogeneous job")

#define OTHER_NUMBER 2090 /* Slurm internal error */

guint
lk_refusal_number (guint reject)
{
  switch (reject) {
#define X(name, number, text)                                                                      \
  case LK_REJECT_##name:                                                                           \
    return number;
    REFUSALS (X)
#undef X
  default:
    return OTHER_NUMBER;
  }
}

const char *
lk_refusal_number_text (guint number)
{
  static const struct {
    guint number;
    const char *text;
  } known[] = {
#define X(name, its_number, its_text) { its_number, its_text },
    REFUSALS (X)
#undef X
  };
  for (guint i = 0; number != 0 && i < G_N_ELEMENTS (known); i++)
    if (known[i].number == number && known[i].text != NULL)
      return known[i].text;
  return NULL;
}

const char *
lk_refusal_text (guint reject)
{
  const char *found = NULL;
  switch (reject) {
#define X(name, number, text)                                                                      \
  case LK_REJECT_##name:                                                                           \
    found = text;                                                                                  \
    break;
    REFUSALS (X)
#undef X
  default:
    break;
  }
  return found != NULL ? found : lk_reject_text ((LkReject)reject);
}

const char *
lk_refusal_admin_text (guint reject)
{
  return reject == LK_REJECT_PERMISSION ? LK_REFUSAL_USER_ID : lk_refusal_text (reject);
}
