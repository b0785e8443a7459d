/* traces/request_pool.h — each different request once.
 *
 * The jobs of a log repeat few requests, and a request is large: keeping one copy of each makes a
 * log in memory several times smaller.  Texts are compared by what they say and stay borrowed; they
 * must outlive the pool.
 *
 * Not here: what a request means. */
#ifndef LK_TRACES_REQUEST_POOL_H
#define LK_TRACES_REQUEST_POOL_H

#include <glib.h>

#include "engine/codec.h"

typedef struct _LkRequestPool LkRequestPool;

/* Returns: (transfer full). */
LkRequestPool *lk_request_pool_new (void);
void lk_request_pool_free (LkRequestPool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkRequestPool, lk_request_pool_free)

/* The one copy that is equal to `request`. Returns: (transfer none), for the life of self. */
const LkJobRequest *lk_request_pool_intern (LkRequestPool *self, const LkJobRequest *request);

#endif
