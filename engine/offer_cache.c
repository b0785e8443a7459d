/* engine/offer_cache.c — see the header. */
#include "engine/offer_cache.h"

/* Kinds of jobs for which offers are kept. */
#define KIND_MAX 24u

typedef struct {
  guint64 serial; /* of the request */
  gboolean is_bound;
  guint64 used;
  LkKnownOffer *offers; /* by node; NULL: the place is free */
} Kind;

struct _LkOfferCache {
  const LkMachine *machine;
  Kind kinds[KIND_MAX];
  guint64 clock;
  guint32 device_max;
  guint32 *shares;        /* device_max by node */
  guint32 *shares_stamps; /* by node */
};

LkOfferCache *
lk_offer_cache_new (const LkMachine *machine)
{
  const LkNodeTable *nodes = &machine->nodes;
  LkOfferCache *self = g_new0 (LkOfferCache, 1);
  self->machine = machine;
  for (guint32 i = 0; i < nodes->kind_count; i++)
    self->device_max = MAX (self->device_max, nodes->kinds[i].device_count);
  self->shares = g_new0 (guint32, (gsize)nodes->node_count * MAX (1, self->device_max));
  self->shares_stamps = g_new0 (guint32, nodes->node_count);
  return self;
}

void
lk_offer_cache_free (LkOfferCache *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < KIND_MAX; i++)
    g_free (self->kinds[i].offers);
  g_free (self->shares);
  g_free (self->shares_stamps);
  g_free (self);
}

/* For windows that begin now, see cores as one job's, and are not asked whose jobs are there. */
static gboolean
is_kept (const LkOfferCache *self, const LkRequest *request, const LkWindow *window)
{
  return window->from_us == window->now_us && !window->idle && window->gone == NULL
         && !request->shares && !request->whole_user && self->machine->nodes.user_piece_count == 0;
}

LkKnownOffer *
lk_offer_cache_kind (LkOfferCache *self, const LkRequest *request, const LkWindow *window,
                     gboolean is_bound)
{
  Kind *oldest = &self->kinds[0];
  if (!is_kept (self, request, window))
    return NULL;
  self->clock++;
  for (guint i = 0; i < KIND_MAX; i++) {
    Kind *kind = &self->kinds[i];
    if (kind->offers != NULL && kind->serial == request->serial && kind->is_bound == is_bound) {
      kind->used = self->clock;
      return kind->offers;
    }
    if (kind->used < oldest->used)
      oldest = kind;
  }
  g_free (oldest->offers);
  *oldest = (Kind){ .serial = request->serial,
                    .is_bound = is_bound,
                    .used = self->clock,
                    .offers = g_new0 (LkKnownOffer, self->machine->nodes.node_count) };
  return oldest->offers;
}

guint32 *
lk_offer_cache_shares (LkOfferCache *self, guint32 node, gboolean *is_fresh)
{
  guint32 stamp = self->machine->nodes.stamp[node];
  *is_fresh = self->shares_stamps[node] == stamp;
  self->shares_stamps[node] = stamp;
  return self->shares + (gsize)node * self->device_max;
}
