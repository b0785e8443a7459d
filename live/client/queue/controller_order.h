/* live/client/queue/controller_order.h — the order of jobs as the controller tells it,
 * "multifactor:weight_age=1000,...", taken apart. */
#ifndef LK_LIVE_CLIENT_QUEUE_CONTROLLER_ORDER_H
#define LK_LIVE_CLIENT_QUEUE_CONTROLLER_ORDER_H

#include "live/client/client.h"

typedef struct {
  char *name;
  gboolean has_parts; /* FALSE: its priorities are made of nothing that could be told */
  char **names;       /* of its parameters; NULL: of a plugin, which is not known here */
  char **values;
} LkControllerOrder;

/* FALSE: the controller cannot be asked. */
gboolean lk_controller_order_read (LkControllerOrder *self, const LkClient *client, GError **error);
void lk_controller_order_clear (LkControllerOrder *self);
/* Text of a parameter; "" where there is none of it. */
const char *lk_controller_order_value (const LkControllerOrder *self, const char *name);

#endif
