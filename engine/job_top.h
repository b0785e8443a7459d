/* engine/job_top.h — scontrol top: a user's job goes before all others of the user.
 *
 * The job gets the highest priority that a pending job of the user has, and those others that are
 * not held lose as much as it gains, down to 1: the priorities of a user's jobs together do not
 * rise.  That is done with nice values, and with the priority where an administrator set one, by
 * updates that whoever asks for it applies one by one.
 *
 * Source: scontrol(1), top; tests/oracle/sched/recorded/14-hold-begin-nice. */
#ifndef LK_ENGINE_JOB_TOP_H
#define LK_ENGINE_JOB_TOP_H

#include "engine/engine.h"

/* What LkEvent_update.by_admin is in such updates. */
#define LK_UPDATE_TOP 2u

/* Applies an event. Returns: why it is refused, or 0. */
typedef LkReject (*LkApplyUpdate) (void *user, LkEvent *event);

/* `job_id` is in the system. Returns: why it is refused, or 0. */
LkReject lk_job_top (const LkEngine *engine, guint32 job_id, LkApplyUpdate apply, void *user);

#endif
