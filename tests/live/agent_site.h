/* tests/live/agent_site.h — one node with its agent: clock, net, disk and supervisors that do what
 * they are told, write down what was asked of them, and abort when an agent breaks a promise.
 *
 * What they hold it to, whatever comes in:
 * - nothing is sent or asked for when the disk has failed;
 * - a supervisor is made only for a launch of a term that is durable, and once in a registration;
 * - stages come in order, a script only behind a prolog that went well;
 * - signals go to scripts that run, and the end of a run is told when none of its stages does;
 * - a step is begun once, in a script that runs, and is over when its end is told;
 * - a supervisor is told to forget only when its epilog is over. */
#ifndef LK_TESTS_LIVE_AGENT_SITE_H
#define LK_TESTS_LIVE_AGENT_SITE_H

#include "live/core/agent.h"

#define SITE_NODE "n1"
#define SITE_RETRY_US (10 * G_USEC_PER_SEC)

typedef enum {
  SITE_DISK_NOW,   /* done before the call returns */
  SITE_DISK_LATER, /* done when site_disk_done is called */
  SITE_DISK_FAILS, /* fails before the call returns */
} SiteDisk;

/* A launch that was carried out. */
typedef struct {
  guint64 run_id;
  guint64 agent_id;
  guint64 term;
  guint64 epoch;
} SiteCreated;

typedef struct {
  LkAgent *agent;        /* NULL: it is dead */
  guint64 reload_number; /* that the next agent is given */
  guint64 agent_id;
  gint64 now_us;
  gint64 wake_us;
  SiteDisk disk;
  gboolean disk_reads_fail;
  gboolean creates_fail;    /* no supervisor can be made */
  gboolean is_instant;      /* prologs and epilogs go well, before the call returns */
  GByteArray *term_file;    /* durable; NULL: none */
  GByteArray *term_pending; /* NULL: no request is open */
  guint64 token;
  GArray *supervised;  /* of LkSupervised, by rising run_id */
  GArray *steps;       /* of LkStepFound, by rising run_id and step_id */
  gboolean steps_fail; /* no step can be begun */
  GArray *created;     /* of SiteCreated */
  GPtrArray *sent;     /* of GByteArray: messages of the agent, until somebody takes them away */
  GString *log;        /* what was asked for, "; " between */
} AgentSite;

/* Without an agent. */
AgentSite *site_new (void);
void site_free (AgentSite *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AgentSite, site_free)

/* Starts an agent with the next agent_id, behind the death of the one before. FALSE: it does not
 * start. */
gboolean site_start (AgentSite *self);
/* What the agent has asked of the disk and is not done is lost, or done, as `is_written` says. */
void site_crash (AgentSite *self, gboolean is_written);
/* The node is booted: of supervisors nothing is left but what they have written down. */
void site_reboot (AgentSite *self);

/* A message comes from a controller. */
void site_message (AgentSite *self, const LkMessage *message);
/* A stage ends by itself; nothing if it does not run. A dead agent hears nothing. */
void site_stage_ends (AgentSite *self, guint64 run_id, LkStage stage, const LkExit *how);
/* A step ends by itself; nothing if it does not run. A dead agent hears nothing. */
void site_step_ends (AgentSite *self, const LkStepFound *how);
/* The supervisor is gone, and all that it held. */
void site_supervisor_dies (AgentSite *self, guint64 run_id);
void site_disk_done (AgentSite *self, gboolean has_succeeded);
/* Time goes by; the agent is woken whenever it wants to be. */
void site_wait (AgentSite *self, gint64 duration_us);

/* NULL: there is none. */
LkSupervised *site_supervised (const AgentSite *self, guint64 run_id);
guint site_created_count (const AgentSite *self, guint64 run_id);
/* As the disk has it. */
guint64 site_durable_term (const AgentSite *self);
/* A message of an agent in short, into `out`. */
void site_describe (const LkMessage *message, GString *out);

#endif
