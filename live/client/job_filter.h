/* live/client/job_filter.h — which jobs somebody means, of those that the controller tells of. */
#ifndef LK_LIVE_CLIENT_JOB_FILTER_H
#define LK_LIVE_CLIENT_JOB_FILTER_H

#include "live/client/job_row.h"
#include "traces/command_script.h"

/* What is asked of jobs. */
typedef struct {
  LkCommandFilter lists; /* of which users are not looked at, but: */
  gboolean has_user;
  guint32 user_id;
  const char *wckeys; /* with commas between; NULL: any */
} LkClientFilter;

/* Jobs in the system: of a user (`has_user`), of an id, its array and components (not 0), or all.
 * Returns: (transfer full), of LkJobRow*, by rising id; NULL: the controller cannot be asked. */
GPtrArray *lk_filtered_jobs (const LkClient *client, const LkClientFilter *filter, guint32 job_id,
                             GError **error);
/* Is it one of them, by all lists of the filter? */
gboolean lk_job_row_passes (const LkJobRow *row, const LkClientFilter *filter);
/* As people write it: "12", "12_3", "12+1". Returns: (transfer full). */
char *lk_job_row_name (const LkJobRow *row);
/* A state that scancel knows, short or long. */
gboolean lk_client_state_parse (const char *word, guint8 *out_state);

#endif
