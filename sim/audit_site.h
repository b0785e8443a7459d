/* sim/audit_site.h — the machine and the accounts of a journal, as the checker reads their
 * canonical texts. */
#ifndef LK_SIM_AUDIT_SITE_H
#define LK_SIM_AUDIT_SITE_H

#include <glib.h>

#include "sim/audit_bytes.h"

typedef struct {
  char *name;
  guint32 cores;
  guint32 cores_reserved; /* that no job gets */
  guint32 cpus_per_core;
  gint64 memory_bytes; /* that jobs may have */
  guint32 gpus;
  gboolean is_down;
  gboolean is_drained;
} LkAuditNode;

typedef enum {
  LK_AUDIT_SHARE_NO,
  LK_AUDIT_SHARE_EXCLUSIVE, /* every job has its nodes alone */
  LK_AUDIT_SHARE_YES,       /* of jobs that allow it */
  LK_AUDIT_SHARE_FORCE,
} LkAuditSharing;

typedef struct {
  char *name;
  gboolean *has_node; /* by node */
  gboolean is_default;
  LkAuditSharing sharing;
  guint32 sharing_jobs;    /* most jobs on a core that share it */
  gboolean exclusive_user; /* its nodes run jobs of one user */
  gboolean is_open;        /* its jobs may start */
  char *state;             /* as it is described */
  guint32 nodes_max;
  gboolean caps_cpus;          /* only so many of a node or socket are used */
  gint64 memory_per_cpu_bytes; /* by default */
  guint32 tier;
  gint64 time_max_us;
  char *qos;
  char *preempt_mode; /* "": as the policy */
  gint64 grace_us;
} LkAuditPartition;

typedef struct {
  char *kind; /* GrpJobs ... */
  char *tres; /* "" where it has none */
  guint64 value;
} LkAuditLimit;

/* An association, or a QOS. */
typedef struct {
  char *account; /* of a QOS its name */
  char *user;    /* "": the account itself */
  char *partition;
  char *parent;
  char *default_qos;
  char *may_use; /* which QOS; "": those of the account above */
  gboolean is_default;
  GArray *limits; /* of LkAuditLimit */
  char *preempt;  /* of a QOS: whose jobs its jobs may displace, and how its own go */
  char *preempt_mode;
  gint64 grace_us;
  gint64 exempt_us;           /* -1: not said */
  gboolean is_over_partition; /* what it says goes before the partition's */
} LkAuditHolder;

typedef struct {
  GArray *nodes;            /* of LkAuditNode; none: a counted pool */
  GHashTable *node_by_name; /* -> index + 1 */
  GArray *partitions;       /* of LkAuditPartition */
  GHashTable *licenses;     /* name -> how many */
  gint64 requeue_delay_us;
  gint64 job_age_us; /* so long behind its end a job may come back */
  gboolean manages_memory;
  gint64 memory_per_cpu_bytes; /* by default, where the partition has none */
  gboolean gives_nodes;        /* nodes are handed out whole */
  GPtrArray *associations;     /* of LkAuditHolder; NULL: no accounts */
  GPtrArray *qos;
  gboolean enforces_limits;
  gboolean enforces_qos;
  gboolean enforces_associations;
} LkAuditSite;

void lk_audit_site_init (LkAuditSite *self, const LkAuditHeader *header);
void lk_audit_site_clear (LkAuditSite *self);

/* An event that was taken has changed accounts; holders found before are no more. */
void lk_audit_site_change_association (LkAuditSite *self, const LkAudit_association *event);
void lk_audit_site_change_qos (LkAuditSite *self, const LkAudit_qos *event);

/* Index of a node, G_MAXUINT32: there is none. */
guint32 lk_audit_site_node (const LkAuditSite *self, const char *name);
/* NULL: there is none. */
const LkAuditPartition *lk_audit_site_partition (const LkAuditSite *self, const char *name);
const LkAuditHolder *lk_audit_site_qos (const LkAuditSite *self, const char *name);
/* That of a user in an account; with "" for the account its default one. */
const LkAuditHolder *lk_audit_site_association (const LkAuditSite *self, const char *account,
                                                const char *user);
const LkAuditHolder *lk_audit_site_account (const LkAuditSite *self, const char *account);
/* Has the user an association of this account for one partition? */
gboolean lk_audit_site_has_partition (const LkAuditSite *self, const char *account,
                                      const char *user);
/* Of a holder; NULL: not set. */
const LkAuditLimit *lk_audit_holder_limit (const LkAuditHolder *self, const char *kind,
                                           const char *tres);

/* Names of a hostlist such as "n[1-3,07],g1". Returns: (transfer full), of char*. */
GPtrArray *lk_audit_hosts (const char *list);

#endif
