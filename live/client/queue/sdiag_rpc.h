/* live/client/queue/sdiag_rpc.h — the messages that the controller has taken, as sdiag tells of
 * them. */
#ifndef LK_LIVE_CLIENT_QUEUE_SDIAG_RPC_H
#define LK_LIVE_CLIENT_QUEUE_SDIAG_RPC_H

#include "live/client/client.h"

/* Of a kind, or of a user. */
typedef struct {
  guint32 id;       /* number of a kind of message, or of a user */
  const char *name; /* of that; borrowed from the rows */
  gint64 count;
  gint64 last_us; /* how long they took */
  gint64 max_us;
  gint64 sum_us;
} LkSdiagRpc;

typedef enum {
  LK_SDIAG_BY_COUNT, /* the most first; so are times */
  LK_SDIAG_BY_ID,    /* the least first */
  LK_SDIAG_BY_TIME,
  LK_SDIAG_BY_MEAN,
} LkSdiagOrder;

typedef struct {
  GArray *kinds; /* of LkSdiagRpc, in order */
  GArray *users; /* likewise */
  GStringChunk *names;
} LkSdiagRpcs;

/* Asks the controller. FALSE with an error: it cannot be asked; nothing is to be cleared. */
gboolean lk_sdiag_rpcs_read (LkSdiagRpcs *out, const LkClient *client, LkSdiagOrder order,
                             GError **error);
void lk_sdiag_rpcs_clear (LkSdiagRpcs *self);
/* Behind the line of its kinds, and of its users. */
void lk_sdiag_rpcs_print (const LkSdiagRpcs *self, FILE *out);

/* How long one takes. */
static inline gint64
lk_sdiag_rpc_mean_us (const LkSdiagRpc *self)
{
  return self->count > 0 ? self->sum_us / self->count : 0;
}

#endif
