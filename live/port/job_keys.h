/* live/port/job_keys.h — the keys by which processes of a run speak to the controller, on its node.
 *
 * DIRECTORY/keys/RUN_ID is a key file (auth_key.h) of the user of the run, whom alone it lets
 * read it; nobody but the agent writes in the folder.  Its key is made here from that of the agent,
 * so it is on no wire, in no environment and in no journal.  It is good for what the controller
 * lets a job do (LK_ROLE_JOB in live/core/message_schema.h) until the run is over.  It is written
 * again when the agent has read other keys. */
#ifndef LK_LIVE_PORT_JOB_KEYS_H
#define LK_LIVE_PORT_JOB_KEYS_H

#include "live/port/auth_key.h"

typedef struct {
  char *path;
  char *node;
  int folder;         /* -1: not open */
  LkKeyring *keyring; /* NULL: jobs have no keys */
} LkJobKeys;

/* Makes the folder in that of the node. FALSE: it cannot be used. */
gboolean lk_job_keys_init (LkJobKeys *self, const char *directory, const char *node,
                           GError **error);
void lk_job_keys_clear (LkJobKeys *self);
/* Of which keys are made from now on; NULL: none are. */
void lk_job_keys_set_keyring (LkJobKeys *self, LkKeyring *keyring);

/* Writes that of a run, whole, in place of one that is there. FALSE: see errno. TRUE, too, where
 * jobs have none. */
gboolean lk_job_keys_write (const LkJobKeys *self, const LkMessage_launch *launch);
void lk_job_keys_remove (const LkJobKeys *self, guint64 run_id);
/* Removes those of runs that are not there any more. */
void lk_job_keys_prune (const LkJobKeys *self, gboolean (*is_there) (gpointer user, guint64 run_id),
                        gpointer user);

/* Where that of a run is. Returns: (transfer full). */
char *lk_job_keys_path (const char *directory, guint64 run_id);

#endif
