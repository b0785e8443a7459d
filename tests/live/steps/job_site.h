/* tests/live/steps/job_site.h — a controller with a job that runs, whose steps are created, begun
 * and ended. */
#ifndef LK_TESTS_LIVE_STEPS_JOB_SITE_H
#define LK_TESTS_LIVE_STEPS_JOB_SITE_H

#include "tests/live/controller_site.h"

/* Snapshots are never written, or behind each event. */
extern const ControlOptions job_site_seldom;
extern const ControlOptions job_site_often;

#define JOB_SITE_PEER CONTROL_USER_PEER (CONTROL_USER)

/* Job 1 has both CPUs of each of so many nodes; its run is 1. */
ControlSite *job_site_new (const ControlOptions *options, guint node_count);

/* Asks for a step; of job 1 unless it says otherwise. */
void job_site_ask (ControlSite *site, guint32 user_id, guint64 request,
                   const LkMessage_step_create *wanted);
extern const LkMessage_step_create job_site_any;
extern const LkMessage_step_create job_site_one_task;

/* A message of an agent, and that it says it. */
LkMessage job_site_message (const ControlSite *site, guint node, LkMessageKind kind);
void job_site_say (ControlSite *site, guint node, const LkMessage *message);
/* So many messages of a kind are on their way to a node. */
guint job_site_sent (const ControlSite *site, guint node, LkMessageKind kind);
void job_site_step_starts (ControlSite *site, guint node, guint32 step_id);
void job_site_step_ends (ControlSite *site, guint node, const LkStepReport *how);
/* The agent of node 0 registers with run 1 and these steps. */
void job_site_report (ControlSite *site, const LkStepReport *steps, guint count);

/* All notes of steps in the journal, as "+0 -0:COMPLETED". Returns: (transfer full). */
char *job_site_notes (const ControlSite *site);
void job_site_assert_notes (const ControlSite *site, const char *expected);

#endif
