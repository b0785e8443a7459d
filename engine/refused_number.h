/* engine/refused_number.h — does a job that is refused keep its number?
 *
 * slurmctld gives a number when it makes a record of a job, and some things it looks at only then.
 * Source: src/slurmctld/job_mgr.c (job_allocate, _job_create); recorded situations of
 * tests/oracle/sched. */
#ifndef LK_ENGINE_REFUSED_NUMBER_H
#define LK_ENGINE_REFUSED_NUMBER_H

#include "engine/codec.h"

/* `by_admin`: an administrator has submitted it. FALSE: the next job gets the same number. */
static inline gboolean
lk_reject_keeps_number (LkReject reject, gboolean by_admin)
{
  switch (reject) {
  case LK_REJECT_PARTITION_UNAVAILABLE:
    /* A user may not even submit to root's partition, root may for him. */
    return by_admin;
  case LK_REJECT_RESERVATION_UNKNOWN:
  case LK_REJECT_RESERVATION_DENIED:
  case LK_REJECT_DEPENDENCY_INVALID:
  case LK_REJECT_FEATURE_UNKNOWN:
  case LK_REJECT_NODE_CONFIG:
    return TRUE;
  default:
    return FALSE;
  }
}

#endif
