/* live/client/step/task_places.h — where the tasks of a step are, and where its nodes find us. */
#ifndef LK_LIVE_CLIENT_STEP_TASK_PLACES_H
#define LK_LIVE_CLIENT_STEP_TASK_PLACES_H

#include "live/core/message.h"

typedef struct {
  GPtrArray *node_names; /* of char*: of the step, in its order */
  GPtrArray *task_nodes; /* of char*: by task, where it is; borrowed from node_names */
  GArray *task_indices;  /* of guint32: likewise, which of the nodes */
} LkTaskPlaces;

void lk_task_places_init (LkTaskPlaces *self);
void lk_task_places_clear (LkTaskPlaces *self);
/* What the controller says of a step. A task that it does not name is on node "". */
void lk_task_places_take (LkTaskPlaces *self, guint32 task_count, LkPlaces places);

/* Where nodes reach us, by a port: all our addresses, those of the machine itself last. Returns:
 * (transfer full). */
char *lk_step_addresses (guint16 port);

#endif
