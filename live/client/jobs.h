/* live/client/jobs.h — jobs as the controller tells of them, and which of them somebody means. */
#ifndef LK_LIVE_CLIENT_JOBS_H
#define LK_LIVE_CLIENT_JOBS_H

#include "live/client/client.h"
#include "traces/command_script.h"

typedef struct {
  guint32 id;
  guint32 user_id;
  guint32 array_job_id; /* 0: of none */
  guint32 array_task;   /* the largest: those that wait */
  guint32 het_leader;   /* 0: it is not one */
  guint32 het_offset;
  gint64 limit_us;
  guint8 state; /* number of LkJobState */
  char *name;
  char *partitions; /* with commas between; so are reservations */
  char *account;
  char *qos;
  char *reservations;
  char *nodes; /* hostlist */
} LkClientJob;

/* What is asked of jobs. */
typedef struct {
  LkCommandFilter lists; /* of which users are not looked at, but: */
  gboolean has_user;
  guint32 user_id;
} LkClientFilter;

/* Jobs in the system: of a user (`has_user`), of an id, its array and components (not 0), or all.
 * Returns: (transfer full), of LkClientJob*, by rising id; NULL: the controller cannot be asked. */
GPtrArray *lk_client_jobs (const LkClient *self, const LkClientFilter *filter, guint32 job_id,
                           GError **error);
gboolean lk_client_job_passes (const LkClientJob *job, const LkClientFilter *filter);
/* As people write it: "12", "12_3", "12+1". Returns: (transfer full). */
char *lk_client_job_name (const LkClientJob *job);
/* A state that scancel knows, short or long. */
gboolean lk_client_state_parse (const char *word, guint8 *out_state);

#endif
